#include "ports/host/commands/loss_options.hpp"

#include <iterator>

#include "ports/host/data/row_weights.hpp"
#include "ports/host/text/error.hpp"

namespace samara::desk {
namespace {

// Methods that find or set a ridge by what is true of least squares alone.
bool of_least_squares_alone(RidgeMethod method) { return method == RidgeMethod::loo || method == RidgeMethod::rule; }

bool of_classes(const std::string& loss) { return loss == "logistic" || loss == "hinge"; }

} // namespace

std::vector<Option> with_loss_options(std::vector<Option> own)
{
    const Option loss_options[] = {
        {.name = "--loss",
         .value = "L",
         .meaning = "what is made least: squared; of classes also logistic (multinomial, by L-BFGS) or hinge "
                    "(squared, each class against the others); auto: of classes logistic, unless --exact, --ridge "
                    "loo or --ridge rule wants squared, else squared. Learners on a device that go on from the model "
                    "(Rls, squared Sgd) want squared. With --epochs logistic or squared",
         .fallback = "auto",
         .choices = {"auto", "squared", "logistic", "hinge"}},
        {.name = "--balance", .meaning = "all classes count the same: a row n / (k n_c), of n_c in its class"},
        {.name = "--weights",
         .value = "C",
         .meaning = "how often each row counts: a file, or a column of the CSV file X, which is no input then",
         .file = FileUse::read},
        {.name = "--groups",
         .value = "C",
         .meaning = "whose rows are never parted where rows are left out, a person or a recording: a file, or a "
                    "column of the CSV file X, which is no input then",
         .file = FileUse::read},
        {.name = "--probabilities",
         .meaning = "seals what makes probabilities of scores, learned on rows that are left out; of logistic and "
                    "hinge it is sealed anyway, of squared it takes another fit"}};
    own.insert(own.end(), std::begin(loss_options), std::end(loss_options));
    return own;
}

LossOptions read_loss_options(const Arguments& arguments, TrainSettings& settings)
{
    LossOptions options;
    options.loss = arguments.choice("--loss");
    options.balance = arguments.has("--balance");
    if (arguments.has("--weights")) {
        options.weights = arguments.required_text("--weights");
    }
    if (arguments.has("--groups")) {
        options.groups = arguments.required_text("--groups");
        settings.ridge.groups = true;
        if (settings.ridge.method == RidgeMethod::loo) {
            throw BadInput(
                "--ridge: found loo with --groups, expected cv, holdout, a number or auto: no row of a group "
                "can be left out alone");
        }
    }
    settings.probabilities = arguments.has("--probabilities");
    settings.ridge.calibrate = true;
    if (of_classes(options.loss) && of_least_squares_alone(settings.ridge.method)) {
        throw BadInput("--ridge: found " + arguments.required_text("--ridge") + " with --loss " + options.loss +
                       ", expected cv, holdout, a number or auto: the others are of squared loss alone");
    }
    if (of_classes(options.loss) && arguments.has("--exact")) {
        throw BadInput("--exact: found it with --loss " + options.loss + ", expected squared");
    }
    if (options.loss == "hinge" && arguments.has("--epochs")) {
        throw BadInput("--loss: found hinge with --epochs, expected logistic or squared");
    }
    for (const char* option : {"--exact", "--epochs"}) {
        if (settings.probabilities && arguments.has(option)) {
            throw BadInput(std::string("--probabilities: found it with ") + option + ", expected one of them");
        }
    }
    if (settings.probabilities && !arguments.has("--out")) {
        throw BadInput("--probabilities: found it without --out, expected a model to seal it in");
    }
    return options;
}

std::vector<ColumnBeside> columns_beside(const LossOptions& options)
{
    std::vector<ColumnBeside> columns;
    if (!options.weights.empty()) {
        columns.push_back({"--weights", options.weights});
    }
    if (!options.groups.empty()) {
        columns.push_back({"--groups", options.groups});
    }
    return columns;
}

void take_columns_beside(const LossOptions& options, const Dataset& data, Target& target)
{
    std::size_t next = 0;
    if (!options.weights.empty()) {
        target.weights = weights_from(data.beside[next++], "--weights");
    }
    if (!options.groups.empty()) {
        target.groups = groups_from(data.beside[next], "--groups");
    }
}

void settle_loss(const LossOptions& options, bool exact, Target& target, const std::vector<Target*>& others,
                 TrainSettings& settings)
{
    const bool classes = target.task == Task::classify;
    const auto require_classes = [&](bool wanted, const std::string& option) {
        if (wanted && !classes) {
            throw BadInput(option + " for a target of values, expected classes (--task classify)");
        }
    };
    require_classes(of_classes(options.loss), "--loss: found " + options.loss);
    require_classes(options.balance, "--balance: found it");
    require_classes(settings.probabilities, "--probabilities: found it");
    const bool squared = options.loss == "squared" || !classes ||
                         (options.loss == "auto" && (exact || of_least_squares_alone(settings.ridge.method)));
    settings.ridge.loss = squared                   ? ReadoutLoss::squared
                          : options.loss == "hinge" ? ReadoutLoss::hinge
                                                    : ReadoutLoss::logistic;
    if (options.balance) {
        const std::vector<double> factors = class_factors(target);
        multiply_weights(target, factors);
        for (Target* const other : others) {
            if (other != nullptr) {
                multiply_weights(*other, factors);
            }
        }
    }
}

} // namespace samara::desk
