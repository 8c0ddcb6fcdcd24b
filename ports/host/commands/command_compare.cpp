#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "ports/host/commands/commands.hpp"
#include "ports/host/text/error.hpp"
#include "ports/host/training/blas.hpp"
#include "ports/host/training/compute.hpp"
#include "ports/host/training/quality.hpp"

namespace samara::desk {
namespace {

const CommandPage page = {
    "samara compare MAP",
    std::string("Says how near ZZ', of the features Z of X, is to the exact kernel matrix K: mean and standard\n"
                "deviation over seeds. Centred means less the means of rows and columns. The ridge lambda enters\n"
                "the statistical dimension tr K (K + lambda I)^-1 of the data and the eigenvalues of\n"
                "(K + lambda I)^(-1/2) (ZZ' + lambda I) (K + lambda I)^(-1/2): their largest over their smallest is\n"
                "the condition number, their largest distance from 1 the spectral epsilon.\n\n") +
        map_help,
    with_reading_options(
        {{.name = "--in",
          .value = "X",
          .meaning = "the data, at most 32000 rows (memory: some 60 bytes a pair of rows)",
          .needed = true,
          .file = FileUse::read},
         {"--seeds", "N", "how many seeds: the map's own and those that follow", "10"},
         {"--seed", "S", "the first seed, in place of the map's own"},
         centre_option(),
         {"--lambda", "L", "the ridge, in place of --ridge-scale"},
         {"--ridge-scale", "R", "the ridge over the number of rows", "1e-4"},
         {.name = "--limit",
          .meaning =
              "beside the kernel that the features tend to: of ntk-sketch with its series cut off, of ntk-poly its "
              "polynomial"},
         threads_option(),
         {.name = "--json", .meaning = "one JSON object, with the value of every seed"}})};

struct Measure {
    const char* key; // in JSON
    const char* title;
    double Quality::*value;
};
constexpr Measure measures[] = {
    {"relative_frobenius", "relative Frobenius error", &Quality::frobenius},
    {"relative_spectral", "relative spectral error", &Quality::spectral},
    {"centred_relative_frobenius", "relative Frobenius error, centred", &Quality::centred_frobenius},
    {"centred_relative_spectral", "relative spectral error, centred", &Quality::centred_spectral},
    {"maximum_absolute", "largest absolute error", &Quality::maximum},
    {"condition_number", "generalised condition number", &Quality::condition},
    {"spectral_epsilon", "spectral epsilon", &Quality::epsilon},
};

struct Comparison {
    std::string map; // with the first seed
    std::string path;
    std::size_t rows = 0, inputs = 0;
    double lambda = 0.0, statistical_dimension = 0.0;
    std::uint64_t first_seed = 0;
    std::vector<Quality> qualities; // one a seed
};

struct Summary {
    double mean = 0.0, deviation = std::numeric_limits<double>::quiet_NaN(); // of one value there is no deviation
};

Summary summary_of(const std::vector<Quality>& qualities, double Quality::*value)
{
    Summary summary;
    const auto count = static_cast<double>(qualities.size());
    for (const Quality& quality : qualities) {
        summary.mean += quality.*value / count;
    }
    if (qualities.size() > 1) {
        double squares = 0.0;
        for (const Quality& quality : qualities) {
            const double difference = quality.*value - summary.mean;
            squares += difference * difference;
        }
        summary.deviation = std::sqrt(squares / (count - 1.0));
    }
    return summary;
}

std::string rounded(double value)
{
    if (std::isnan(value)) {
        return "-";
    }
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", value);
    return text;
}

std::string table(const Comparison& comparison)
{
    const std::uint64_t last = comparison.first_seed + (comparison.qualities.size() - 1);
    std::string text = aligned({{"map", comparison.map},
                                {"data", visible_text(comparison.path) + ", " + std::to_string(comparison.rows) +
                                             " rows, " + std::to_string(comparison.inputs) + " inputs"},
                                {"seeds", std::to_string(comparison.first_seed) + " to " + std::to_string(last)},
                                {"lambda", number_text(comparison.lambda)},
                                {"statistical dimension", rounded(comparison.statistical_dimension)}},
                               "", 2);
    std::vector<std::vector<std::string>> rows{{"measure", "mean", "deviation"}};
    for (const Measure& measure : measures) {
        const Summary summary = summary_of(comparison.qualities, measure.value);
        rows.push_back({measure.title, rounded(summary.mean), rounded(summary.deviation)});
    }
    return text + "\n" + aligned(rows, "", 1);
}

nlohmann::ordered_json json(const Comparison& comparison)
{
    nlohmann::ordered_json measured;
    for (const Measure& measure : measures) {
        const Summary summary = summary_of(comparison.qualities, measure.value);
        std::vector<double> values;
        for (const Quality& quality : comparison.qualities) {
            values.push_back(quality.*measure.value);
        }
        measured[measure.key] = {{"mean", summary.mean}, {"standard_deviation", summary.deviation}, {"values", values}};
    }
    return {{"map", comparison.map},
            {"data", comparison.path},
            {"rows", comparison.rows},
            {"inputs", comparison.inputs},
            {"first_seed", comparison.first_seed},
            {"seeds", comparison.qualities.size()},
            {"lambda", comparison.lambda},
            {"statistical_dimension", comparison.statistical_dimension},
            {"measures", measured}};
}

double ridge(const Arguments& arguments, std::size_t rows)
{
    constexpr double least = 1e-30, most = 1e30;
    if (arguments.has("--lambda") && arguments.has("--ridge-scale")) {
        throw BadInput("--ridge-scale: found beside --lambda, expected one of the two");
    }
    return arguments.has("--lambda") ? arguments.real("--lambda", least, most, 1.0)
                                     : arguments.real("--ridge-scale", least, most) * static_cast<double>(rows);
}

} // namespace

int compare_command(const std::vector<std::string>& words)
{
    const Arguments arguments(words, page);
    if (arguments.help()) {
        print_text(help_text(page));
        return 0;
    }
    MapRequest request = requested_map(arguments);
    const std::string in = arguments.required_text("--in");
    const unsigned seeds = arguments.integer("--seeds", 1, 1000000);
    const unsigned threads = thread_count(arguments);
    ridge(arguments, 1); // refuses a wrong one before the data are read
    request.centred = arguments.has("--centre");
    const TableReading reading = table_reading(arguments, in);
    MatrixF x = read_input(in, reading);
    centre_input(arguments, x, reading);
    if (x.rows > most_quality_rows) {
        throw BadInput(in + ": found " + std::to_string(x.rows) + " rows, expected at most " +
                       std::to_string(most_quality_rows) + " to compare all pairs of");
    }
    MapSpec spec = fitted_map(request, x, in);
    set_blas_threads(threads);

    Comparison comparison{map_text(spec), in, x.rows, x.cols, ridge(arguments, x.rows), 0.0, seed_of(spec), {}};
    const QualityMeter meter(kernel_matrix(spec, x, threads, kernel_kind(arguments)), comparison.lambda);
    comparison.statistical_dimension = meter.statistical_dimension();
    for (unsigned index = 0; index < seeds; ++index) {
        const std::uint64_t seed = comparison.first_seed + index;
        if (index > 0 && request.skeleton.merge()) {
            // Which features are equal depends on the seed.
            set_seed(request.spec, seed);
            spec = fit_map(request, x, in);
        }
        set_seed(spec, seed);
        comparison.qualities.push_back(meter.measure(row_products(compute_features(spec, x, threads))));
    }
    if (arguments.has("--json")) {
        print_json(json(comparison), 2);
    } else {
        print_text(table(comparison));
    }
    return 0;
}

} // namespace samara::desk
