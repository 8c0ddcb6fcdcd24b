#include "ports/host/commands/gradient_options.hpp"

#include <string>

#include "ports/host/data/output_place.hpp"
#include "ports/host/text/error.hpp"

namespace samara::desk {

GradientSettings gradient_settings(const Arguments& arguments, const RidgeRequest& ridge)
{
    GradientSettings gradient;
    gradient.epochs = arguments.integer("--epochs", 1, 1000000, 0);
    for (const char* option : {"--rate", "--state"}) {
        if (gradient.epochs == 0 && arguments.has(option)) {
            throw BadInput(std::string(option) + ": found it without --epochs, expected both");
        }
    }
    if (gradient.epochs == 0) {
        return gradient;
    }
    for (const char* option : {"--candidates", "--exact", "--bandwidths", "--confidence", "--ridge-folds"}) {
        if (arguments.has(option)) {
            throw BadInput("--epochs: found it with " + std::string(option) + ", expected one of them");
        }
    }
    if (arguments.has("--features") && arguments.required_text("--features") == "auto") {
        throw BadInput("--epochs: found it with --features auto, expected a number of features");
    }
    if (arguments.has("--state") && arguments.has("--folds")) {
        throw BadInput("--state: found it with --folds, expected the state of one training");
    }
    gradient.rate = arguments.real("--rate", 1e-6, 1e6, gradient.rate);
    gradient.loss = arguments.choice("--loss") == "squared" ? GradientLoss::squared : GradientLoss::logistic;
    gradient.seed = arguments.seed("--seed", 0);
    if (arguments.has("--state")) {
        gradient.state = arguments.required_text("--state");
        require_writable(gradient.state);
    }
    if (arguments.has("--ridge")) {
        if (ridge.method != RidgeMethod::value) {
            throw BadInput("--ridge: found " + quoted_text(arguments.required_text("--ridge")) +
                           " with --epochs, expected a number");
        }
        gradient.ridge = ridge.value;
    }
    return gradient;
}

} // namespace samara::desk
