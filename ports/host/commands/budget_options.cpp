#include "ports/host/commands/budget_options.hpp"

#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "ports/host/data/number.hpp"
#include "ports/host/text/error.hpp"
#include "ports/host/text/words.hpp"

namespace samara::desk {
namespace {

// "8K" is 8 times `unit`, "2M" twice its square.
std::optional<std::uint64_t> amount(const Arguments& arguments, const char* option, double unit)
{
    if (!arguments.has(option)) {
        return std::nullopt;
    }
    const std::string text = arguments.required_text(option);
    std::string digits = text;
    double factor = 1.0;
    if (const char last = digits.empty() ? ' ' : digits.back(); last == 'K' || last == 'k' || last == 'M') {
        factor = last == 'M' ? unit * unit : unit;
        digits.pop_back();
    }
    const std::optional<double> value = number_of(digits);
    if (!value || !(*value * factor >= 1.0 && *value * factor <= 1e15)) {
        throw BadInput(std::string(option) + ": found " + quoted_text(text) +
                       ", expected a number from 1 on, with K or M behind it if it is large");
    }
    return static_cast<std::uint64_t>(std::floor(*value * factor));
}

std::vector<std::string> core_names() { return {board_cores().begin(), board_cores().end()}; }

} // namespace

std::vector<Option> with_budget_options(std::vector<Option> own)
{
    std::vector<Option> options = std::move(own);
    options.insert(options.end(),
                   {{"--flash", "BYTES",
                     "no more than so many bytes of flash, the model and the code of a program that has it as a "
                     "constant (K: 1,024)"},
                    {"--ram", "BYTES", "no more than so many bytes of RAM: the predictor, a sample, its stack"},
                    {"--instructions", "N", "no more than so many instructions a prediction (K: 1,000)"},
                    {.name = "--for",
                     .value = "CORE",
                     .meaning = "the processor that these are of",
                     .fallback = "cortex-m4f",
                     .choices = core_names()}});
    return options;
}

Budget read_budget(const Arguments& arguments)
{
    Budget budget;
    budget.flash = amount(arguments, "--flash", 1024.0);
    budget.ram = amount(arguments, "--ram", 1024.0);
    budget.instructions = amount(arguments, "--instructions", 1000.0);
    const std::string core = arguments.choice("--for");
    for (std::size_t i = 0; i < board_cores().size(); ++i) {
        budget.core = core == board_cores()[i] ? i : budget.core;
    }
    return budget;
}

SweepRequest sweep_request(const Arguments& arguments, const TrainSettings& settings)
{
    if (settings.features_auto) {
        throw BadInput("--features: found auto where several numbers of features are tried, expected a number or none");
    }
    for (const char* const option : {"--exact", "--epochs", "--folds", "--blocks"}) {
        if (arguments.has(option)) {
            throw BadInput(std::string(option) + ": found it where several models are tried, expected it without " +
                           "--flash, --ram and --instructions");
        }
    }
    SweepRequest request;
    request.settings = settings;
    if (arguments.has("--readout")) {
        request.readout = settings.readout;
    }
    if (arguments.has("--features")) {
        request.sizes = {settings.features};
    }
    request.candidates_given = arguments.has("--candidates");
    if (!request.candidates_given) {
        request.settings.candidates = 0;
    }
    return request;
}

} // namespace samara::desk
