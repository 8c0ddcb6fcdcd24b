#include "ports/host/commands/train_options.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <limits>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include "ports/host/commands/commands.hpp"
#include "ports/host/data/files.hpp"
#include "ports/host/text/error.hpp"
#include "ports/host/training/blas.hpp"

namespace samara::desk {
namespace {

std::optional<double> number_in(std::string_view text)
{
    double value = 0.0;
    const char* const end = text.data() + text.size();
    const auto [stop, status] = std::from_chars(text.data(), end, value);
    return status == std::errc() && stop == end ? std::optional<double>(value) : std::nullopt;
}

RidgeRequest ridge_request(const Arguments& arguments)
{
    RidgeRequest request;
    request.folds = arguments.integer("--ridge-folds", 2, most_folds);
    request.seed = arguments.seed("--seed", 0);
    if (!arguments.has("--ridge")) {
        return request;
    }
    const std::string text = arguments.required_text("--ridge");
    constexpr std::pair<const char*, RidgeMethod> methods[] = {{"auto", RidgeMethod::automatic},
                                                               {"cv", RidgeMethod::cv},
                                                               {"loo", RidgeMethod::loo},
                                                               {"holdout", RidgeMethod::holdout},
                                                               {"rule", RidgeMethod::rule}};
    for (const auto& [name, method] : methods) {
        if (text == name) {
            request.method = method;
            return request;
        }
    }
    const std::optional<double> value = number_in(text);
    if (!value || !(*value > 0.0 && *value <= 1e30)) {
        throw BadInput("--ridge: found " + quoted_text(text) +
                       ", expected a number above 0, or auto, cv, loo, holdout or rule");
    }
    request.method = RidgeMethod::value;
    request.value = *value;
    return request;
}

std::vector<double> bandwidth_list(const Arguments& arguments, const MapRequest& map)
{
    std::vector<double> bandwidths;
    if (!arguments.has("--bandwidths")) {
        return bandwidths;
    }
    if (!std::holds_alternative<RffSpec>(map.spec)) {
        throw BadInput("--bandwidths: found it with a map that has no bandwidth, expected rff");
    }
    const std::string text = arguments.required_text("--bandwidths");
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t comma = std::min(text.find(',', begin), text.size());
        const std::optional<double> value = number_in(std::string_view(text).substr(begin, comma - begin));
        if (!value || !(*value >= 0x1p-30 && *value <= 0x1p30)) {
            throw BadInput("--bandwidths: found " + quoted_text(text) +
                           ", expected numbers from 2^-30 to 2^30, joined by commas");
        }
        bandwidths.push_back(*value);
        begin = comma + 1;
    }
    return bandwidths;
}

void read_sizes(const Arguments& arguments, TrainSettings& settings)
{
    settings.features = features_of(settings.map.spec);
    if (arguments.has("--features")) {
        settings.features_auto = arguments.required_text("--features") == "auto";
        if (!settings.features_auto) {
            settings.features = arguments.integer("--features", 1, most_features, 0);
        }
    }
    if (!arguments.has("--candidates")) {
        return;
    }
    settings.candidates = arguments.integer("--candidates", 1, 65536, 0);
    if (settings.features_auto) {
        throw BadInput("--candidates: found it with --features auto, expected the number of features to keep");
    }
    if (!has_rows(settings.map.spec)) {
        throw BadInput("--candidates: found it with the map " + name_of(settings.map.spec) +
                       ", whose features have no rows to choose from, expected rff, arccos or ntk-poly");
    }
    if (settings.features > settings.candidates) {
        throw BadInput("--features: found " + std::to_string(settings.features) + ", expected at most the " +
                       std::to_string(settings.candidates) + " of --candidates");
    }
}

std::pair<std::string, std::string> further_data(const Arguments& arguments, const std::string& in,
                                                 const std::string& target, const std::string& training_target)
{
    if (!arguments.has(in)) {
        if (arguments.has(target)) {
            throw BadInput(target + ": found it without " + in + ", expected both");
        }
        return {};
    }
    // The same column of another file need not be named again.
    const bool same_column = !names_a_file(training_target);
    return {arguments.required_text(in),
            arguments.has(target) || !same_column ? arguments.required_text(target) : training_target};
}

// The same names in another order would be taken for each other without a word; other names may mean the same.
void require_same_order(const TableSource& x, const TableSource& like)
{
    const auto [found, expected] =
        std::mismatch(x.columns().begin(), x.columns().end(), like.columns().begin(), like.columns().end());
    if (found != x.columns().end() && expected != like.columns().end() &&
        std::is_permutation(x.columns().begin(), x.columns().end(), like.columns().begin(), like.columns().end())) {
        throw BadInput(x.name() + ": line 1: found the column " + quoted_text(*found) + " where " + like.name() +
                       " has " + quoted_text(*expected) + ", expected the same order of the same columns");
    }
}

ApplicationWords application_words(const Arguments& arguments)
{
    constexpr unsigned most = std::numeric_limits<std::uint32_t>::max();
    ApplicationWords application;
    application.version = arguments.integer("--application-version", 0, most, 0);
    application.input_layout = arguments.integer("--input-layout", 0, most, 0);
    if (arguments.has("--application-data")) {
        const std::string path = arguments.required_text("--application-data");
        application.data = read_file(path);
        if (application.data.size() > most_application_bytes) {
            throw BadInput(path + ": found " + std::to_string(application.data.size()) + " bytes, expected at most " +
                           std::to_string(most_application_bytes) + " for the application");
        }
    }
    for (const char* option : {"--application-version", "--input-layout", "--application-data", "--confidence"}) {
        if (arguments.has(option) && !arguments.has("--out")) {
            throw BadInput(std::string(option) + ": found it without --out, expected a model to seal it in");
        }
    }
    return application;
}

} // namespace

const CommandPage& train_page()
{
    static const CommandPage page = {
        "samara train MAP",
        "Fits a linear readout of MAP's features by least squares with a ridge: the least of\n"
        "(1/n) sum |y - f(x)|^2 + ridge |weights|^2. Classes are fitted one-hot, the intercept is free.\n\n"
        "MAP is NAME or NAME:key=value,key=value; `samara maps` lists names, keys and values.\n"
        "Files are .npy, .csv or IDX (.idx, or a name like images-idx3-ubyte), one sample a row, each perhaps with "
        ".gz\n"
        "behind it. NPY and IDX files that are not compressed are read in pieces: they may be larger than the "
        "memory.\n",
        {{.name = "--in", .value = "X", .meaning = "the inputs", .needed = true},
         {.name = "--target",
          .value = "Y",
          .meaning = "the answers: a file, or of a CSV file X one or more columns (NAME, column:NAME or column:NUMBER "
                     "from 1, from the end -1; joined by commas)",
          .needed = true},
         {.name = "--out",
          .value = "MODEL",
          .meaning = "where to write the sealed model; not needed with --folds, --test-in or --exact",
          .needed = true},
         header_option(),
         target_header_option(),
         {.name = "--task",
          .value = "T",
          .meaning = "text that is numbers for the most part needs it",
          .fallback = "integers and text classify, other numbers regress",
          .choices = {"classify", "regress"}},
         {.name = "--scale",
          .value = "S",
          .meaning = "learned from the training rows, and sealed; centre, to mean 0, is good for arccos",
          .fallback = "none",
          .choices = {"none", "centre", "standardise", "minmax", "unit"}},
         {.name = "--missing",
          .value = "M",
          .meaning = "with mean, a NaN or an empty CSV cell becomes its column's mean",
          .fallback = "error",
          .choices = {"mean", "error"}},
         {"--ridge", "R",
          "a number; cv: cross-validation in --ridge-folds groups or on --valid-in; loo: exact leave-one-out; "
          "holdout: on a tenth of the rows or on --valid-in; rule: 1/sqrt(rows * features); auto: loo up to 2,048 rows "
          "or features, the fewer of them, else holdout. cv, loo and holdout try values down to 1e-8 of the features' "
          "spread, and with bandwidth=auto seven bandwidths around the median (on 1,500 rows)",
          "auto"},
         {"--ridge-folds", "K", "how many groups --ridge cv makes", "5"},
         {"--bandwidths", "B,B", "the bandwidths to try, for rff"},
         {"--features", "N", "in place of the map's; auto: doubles them until left-out rows gain no more"},
         {"--candidates", "N", "draw N features and keep the --features of them that are worth most"},
         {.name = "--readout",
          .value = "T",
          .meaning = "how the model keeps its weights",
          .fallback = "float32",
          .choices = {"float32", "float16", "int8"}},
         {"--application-version", "N", "the model's version as its makers count, sealed for the application"},
         {"--input-layout", "ID", "a number for the inputs, their order and units, which the application can demand"},
         {"--application-data", "FILE", "up to 256 bytes for the application"},
         {.name = "--confidence",
          .meaning = "seals how sure the model is on rows that training did not see, for samara::Drift on the device"},
         {"--folds", "K", "also the accuracy on each of K test folds that training does not see"},
         {"--valid-in", "X", "rows that choices are judged on"},
         {"--valid-target", "Y", "their answers; needed unless --target is a column"},
         {"--test-in", "X", "rows that the model is scored on at the end"},
         {"--test-target", "Y", "their answers; needed unless --target is a column"},
         {.name = "--exact", .meaning = "the exact kernel in place of features: a reference, which cannot be sealed"},
         threads_option(),
         {"--seed", "S", "in place of the map's own seed; also deals the folds"}}};
    return page;
}

TrainOptions read_train_options(const Arguments& arguments)
{
    TrainOptions options;
    TrainSettings& settings = options.settings;
    settings.map = requested_map(arguments);
    options.in = arguments.required_text("--in");
    options.target = arguments.required_text("--target");
    if (arguments.has("--task")) {
        options.task = arguments.choice("--task") == "classify" ? Task::classify : Task::regress;
    }
    const std::string scale = arguments.choice("--scale");
    settings.scaling = scale == "none"          ? ScalingKind::none
                       : scale == "centre"      ? ScalingKind::centre
                       : scale == "standardise" ? ScalingKind::standardise
                       : scale == "minmax"      ? ScalingKind::minmax
                                                : ScalingKind::unit;
    settings.fill_missing = arguments.choice("--missing") == "mean";
    options.reading = table_reading(arguments, settings.fill_missing);
    settings.ridge = ridge_request(arguments);
    settings.bandwidths = bandwidth_list(arguments, settings.map);
    read_sizes(arguments, settings);
    const std::string readout = arguments.choice("--readout");
    options.readout = readout == "float32"   ? ReadoutType::float32
                      : readout == "float16" ? ReadoutType::float16
                                             : ReadoutType::int8;
    options.folds = arguments.integer("--folds", 2, most_folds, 0);
    std::tie(options.valid_in, options.valid_target) =
        further_data(arguments, "--valid-in", "--valid-target", options.target);
    std::tie(options.test_in, options.test_target) =
        further_data(arguments, "--test-in", "--test-target", options.target);
    options.exact = arguments.has("--exact");
    options.application = application_words(arguments);
    settings.confidence = arguments.has("--confidence");
    settings.threads = thread_count(arguments);
    set_blas_threads(settings.threads);
    if (options.exact && arguments.has("--out")) {
        throw BadInput("--exact: found it with --out, expected one of them: an exact machine keeps all training rows "
                       "and cannot be sealed");
    }
    const bool only_scored = options.exact || options.folds != 0 || !options.test_in.empty();
    if (arguments.has("--out") || !only_scored) {
        options.out = arguments.required_text("--out");
        require_writable(options.out);
    }
    if (options.exact && options.folds == 0 && options.test_in.empty()) {
        throw BadInput("--exact: found nothing to score it on, expected --test-in or --folds");
    }
    return options;
}

void require_writable(const std::string& path)
{
    if (path == "-") {
        return;
    }
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) {
        throw BadInput(path + ": found a directory, expected a file");
    }
    const std::filesystem::path parent = std::filesystem::path(path).parent_path();
    const std::string directory = parent.empty() ? "." : parent.string();
    if (::access(directory.c_str(), W_OK | X_OK) != 0) {
        throw BadInput(path + ": cannot write in its directory: " + std::generic_category().message(errno));
    }
}

std::unique_ptr<LabelledData> read_training_data(const std::string& in, const std::string& target,
                                                 std::optional<Task> task, const TableReading& reading)
{
    auto data = std::make_unique<LabelledData>();
    data->data = open_dataset(in, target, reading);
    data->target = make_target(data->data.y, task);
    data->remarks = notes_on(data->data.y, data->target, task.has_value());
    data->remarks.insert(data->remarks.begin(), task_text(data->target));
    data->data.y = {};
    return data;
}

std::unique_ptr<LabelledData> read_more_data(const std::string& in, const std::string& target, const LabelledData& like,
                                             TableReading reading)
{
    auto data = std::make_unique<LabelledData>();
    reading.labels = like.target.task == Task::classify ? &like.target.labels : nullptr;
    data->data = open_dataset(in, target, reading);
    data->remarks = data->data.y.notes;
    if (data->data.x->cols() != like.data.x->cols()) {
        throw BadInput(in + ": found " + std::to_string(data->data.x->cols()) + " columns, expected " +
                       std::to_string(like.data.x->cols()) + " as in " + like.data.x->name());
    }
    require_same_order(*data->data.x, *like.data.x);
    data->target = target_like(data->data.y, like.target.task, like.target.labels, like.target.outputs());
    data->data.y = {};
    return data;
}

} // namespace samara::desk
