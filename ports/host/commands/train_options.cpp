#include "ports/host/commands/train_options.hpp"

#include <algorithm>
#include <limits>
#include <string_view>
#include <tuple>
#include <utility>

#include "ports/host/commands/commands.hpp"
#include "ports/host/commands/gradient_options.hpp"
#include "ports/host/data/files.hpp"
#include "ports/host/data/number.hpp"
#include "ports/host/data/output_place.hpp"
#include "ports/host/data/rounding.hpp"
#include "ports/host/data/row_weights.hpp"
#include "ports/host/text/error.hpp"
#include "ports/host/text/other_words.hpp"
#include "ports/host/training/blas.hpp"
#include "ports/host/training/local_fit.hpp"
#include "ports/host/training/scale_fit.hpp"
#include "ports/host/training/seal.hpp"
#include "ports/host/training/whole_inputs.hpp"

namespace samara::desk {
namespace {

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
    const std::optional<double> value = number_of(text);
    if (!value || !(*value > 0.0 && *value <= 1e30)) {
        const KnownWord known = known_word(WordKind::value, text, "--ridge");
        throw BadInput("--ridge: found " + quoted_text(text) + known.text() + (known ? "; " : ", ") +
                       "expected a number above 0 and at most 1e30, or auto, cv, loo, holdout or rule");
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
        const std::optional<double> value = number_of(std::string_view(text).substr(begin, comma - begin));
        if (!value || !(*value >= 0x1p-30 && *value <= 0x1p30)) {
            throw BadInput("--bandwidths: found " + quoted_text(text) +
                           ", expected numbers from 2^-30 to 2^30, joined by commas");
        }
        if (is_whole(map.spec) && !(*value >= 1.0 && *value <= 65536.0)) {
            throw BadInput("--bandwidths: found " + quoted_text(text) +
                           ", expected numbers from 1 to 65536 with numbers=int8, joined by commas");
        }
        bandwidths.push_back(*value);
        begin = comma + 1;
    }
    return bandwidths;
}

// What a model has where neither a map nor numbers are named: good for most tables, and small enough for most boards.
constexpr std::uint32_t default_features = 256, default_candidates_each = 4, most_default_candidates = 4096;

void read_blocks(const Arguments& arguments, TrainSettings& settings)
{
    const std::string text = arguments.text("--blocks", "auto");
    if (text == "auto") {
        return;
    }
    settings.blocks = text == "any" ? 0 : arguments.integer("--blocks", 1, 65536);
}

void read_sizes(const Arguments& arguments, TrainSettings& settings)
{
    settings.features = settings.any_map ? default_features : features_of(settings.map.spec);
    if (arguments.has("--blocks") && !arguments.has("--candidates") && !settings.any_map) {
        throw BadInput("--blocks: found it without --candidates, expected rows to choose from");
    }
    if (arguments.has("--features")) {
        settings.features_auto = arguments.required_text("--features") == "auto";
        if (!settings.features_auto) {
            settings.features = arguments.integer("--features", 1, most_features, 0);
        }
    }
    if (settings.features_auto && std::holds_alternative<LocalSpec>(settings.map.spec)) {
        throw BadInput(
            "--features: found auto with the map local, whose features are chosen of candidates, expected how "
            "many to keep");
    }
    if (settings.any_map && !settings.features_auto && !arguments.has("--candidates")) {
        const std::uint32_t most = std::max(settings.features, most_default_candidates);
        settings.candidates = std::min(settings.features * default_candidates_each, most);
    } else if (arguments.has("--candidates")) {
        settings.candidates = arguments.integer("--candidates", 1, 65536, 0);
    } else if (std::holds_alternative<LocalSpec>(settings.map.spec) && !settings.features_auto &&
               settings.gradient.epochs == 0 && settings.features < local_candidates) {
        settings.candidates = local_candidates;
    } else {
        return;
    }
    if (settings.features_auto) {
        throw BadInput("--candidates: found it with --features auto, expected the number of features to keep");
    }
    if (!has_rows(settings.map.spec)) {
        throw BadInput("--candidates: found it with the map " + name_of(settings.map.spec) +
                       ", whose features have no rows to choose from, expected rff, arccos, ntk-poly, skeleton, "
                       "polynomial with numbers=int8, or "
                       "cntk with pool=average, form=features and orders=1");
    }
    if (settings.features > settings.candidates && !arguments.has("--features")) {
        throw BadInput("--candidates: found " + std::to_string(settings.candidates) + " for the map's " +
                       std::to_string(settings.features) + " features, expected more, or --features N to keep fewer");
    }
    if (settings.features > settings.candidates) {
        throw BadInput("--features: found " + std::to_string(settings.features) + ", expected at most the " +
                       std::to_string(settings.candidates) + " of --candidates");
    }
    read_blocks(arguments, settings);
}

// A map to begin with, where training is to find one.
MapRequest map_of_no_name(const Arguments& arguments)
{
    for (const char* option : {"--exact", "--epochs", "--bandwidths"}) {
        if (arguments.has(option)) {
            throw BadInput(std::string(option) + ": found it without a map, expected one, as in `samara train rff " +
                           option + " ...`");
        }
    }
    MapRequest request = parse_map("rff");
    set_seed(request.spec, arguments.seed("--seed", 0));
    return request;
}

void read_fit_scales(const Arguments& arguments, TrainSettings& settings)
{
    // Without a map all that may pay is tried.
    settings.fit_scales = settings.any_map && settings.scaling != ScalingKind::unit;
    if (!arguments.has("--fit-scales")) {
        return;
    }
    settings.fit_scales = true;
    if (!settings.any_map && !can_fit_scales(settings.map.spec)) {
        throw BadInput("--fit-scales: found it with the map " + name_of(settings.map.spec) +
                       ", expected rff with the gaussian kernel and numbers=float, or arccos of order 1");
    }
    if (settings.scaling == ScalingKind::unit) {
        throw BadInput(
            "--fit-scales: found it with --scale unit, which comes after all factors, expected another scale");
    }
    if (!settings.any_map && is_whole(settings.map.spec) && settings.scaling == ScalingKind::none) {
        throw BadInput(
            "--fit-scales: found it with numbers=int8 and --scale none, expected a scale that factors can be "
            "part of, as global or standardise");
    }
    for (const char* option : {"--exact", "--epochs"}) {
        if (arguments.has(option)) {
            throw BadInput(std::string("--fit-scales: found it with ") + option +
                           ", expected a readout that is solved for");
        }
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
        "samara train [MAP]",
        "Fits a linear readout f of MAP's features with a ridge: the least of (1/n) sum L(y, f(x)) + ridge "
        "|weights|^2.\n"
        "Of values L is |y - f|^2; of classes it is the logistic loss -log softmax(f)_y (--loss has others). The\n"
        "intercept is free.\n\n"
        "MAP is NAME or NAME:key=value,key=value; `samara maps` lists names, keys and values. Without it the map, its\n"
        "scaling and what else may pay are chosen by the error on rows that are left out. Bandwidth is auto unless "
        "MAP\n"
        "says it.\n"
        "Files are .npy, .npz, .csv, .libsvm or IDX (.idx, or a name like images-idx3-ubyte), one sample a row, each\n"
        "but .npz perhaps with .gz behind it. NPY and IDX files that are not compressed are read in pieces: they\n"
        "may be larger than the memory.\n",
        with_dataset_options(with_loss_options(with_budget_options(
            {{.name = "--in", .value = "X", .meaning = "the inputs", .needed = true, .file = FileUse::read},
             {.name = "--target",
              .value = "Y",
              .meaning =
                  "the answers: a file, or of a CSV file X one or more columns (NAME, column:NAME or column:NUMBER "
                  "from 1, from the end -1; joined by commas); not needed where X is a libsvm file",
              .needed = true,
              .file = FileUse::read},
             {.name = "--out",
              .value = "MODEL",
              .meaning = "where to write the sealed model; not needed with --folds, --test-in or --exact",
              .needed = true,
              .file = FileUse::written},
             {.name = "--task",
              .value = "T",
              .meaning = "text that is numbers for the most part needs it",
              .fallback = "integers and text classify, other numbers regress",
              .choices = {"classify", "regress"}},
             {.name = "--scale",
              .value = "S",
              .meaning = "learned from the training rows, and sealed; centre, to mean 0, is good for arccos, channel, "
                         "one mean and deviation for all pixels, for images, global, of all columns; auto: standardise "
                         "where a few columns "
                         "have nearly all of the variance, else none; without a map what predicts better",
              .fallback = "auto",
              .choices = {"auto", "none", "centre", "standardise", "minmax", "unit", "channel", "global"}},
             {.name = "--fit-scales",
              .meaning =
                  "learns a factor for each input beside the scaling, for rff (gaussian, floats) and arccos (order 1), "
                  "and takes the factors if rows that they were not learned from are predicted better"},
             {.name = "--missing",
              .value = "M",
              .meaning = "with mean, a NaN or an empty CSV cell becomes its column's mean",
              .fallback = "error",
              .choices = {"mean", "error"}},
             {"--ridge", "R",
              "a number; cv: cross-validation in --ridge-folds parts or on --valid-in; holdout: on a tenth of the rows "
              "or on --valid-in; of squared loss also loo: exact leave-one-out, and rule: 1/sqrt(rows * features); "
              "auto: of squared loss loo up to 2,048 rows or features, the fewer of them, else holdout; of others, and "
              "with --groups, cv up to 2^24 rows times features, else holdout. cv, loo and holdout try values down to "
              "1e-8 of the "
              "features' spread, and with bandwidth=auto seven bandwidths around the median (on 1,500 rows)",
              "auto"},
             {"--ridge-folds", "K", "how many parts --ridge cv makes", "5"},
             {"--bandwidths", "B,B", "the bandwidths to try, for rff"},
             {"--features", "N", "in place of the map's; auto: doubles them until left-out rows gain no more"},
             {"--candidates", "N",
              "draw N features and keep the --features of them that together predict best, or the first ones if "
              "those that were chosen are no better on rows that did not choose",
              "0; without a map 4 a feature"},
             {"--blocks", "N",
              "of how many transforms of Hadamard or Fastfood rows the kept ones may be: a prediction computes each "
              "of these; any: of all; auto: of as few as predict as well",
              "auto"},
             {"--epochs", "N",
              "steps of AdaGrad in so many rounds through the rows, in place of solving: for features too many for "
              "that, 10^6 say"},
             {"--rate", "R", "of these steps: a weight's first one is R / sqrt(features)", "10"},
             {.name = "--state",
              .value = "FILE",
              .meaning = "kept up to date while steps are taken, each minute and after each epoch (not twice a "
                         "second); where it is there, training goes on from it",
              .file = FileUse::written},
             {.name = "--readout",
              .value = "T",
              .meaning = "how the model keeps its weights; of the map local int4",
              .fallback = "float32",
              .choices = {"float32", "float16", "int8", "int4"}},
             {"--application-version", "N", "the model's version as its makers count, sealed for the application"},
             {"--input-layout", "ID",
              "a number for the inputs, their order and units, which the application can demand"},
             {.name = "--application-data",
              .value = "FILE",
              .meaning = "up to 256 bytes for the application",
              .file = FileUse::read},
             {.name = "--confidence",
              .meaning =
                  "seals how sure the model is on rows that training did not see, for samara::Drift on the device"},
             augment_option(),
             {"--folds", "K", "also the accuracy on each of K test folds that training does not see"},
             {.name = "--valid-in", .value = "X", .meaning = "rows that choices are judged on", .file = FileUse::read},
             {.name = "--valid-target",
              .value = "Y",
              .meaning = "their answers; needed where --target is a file",
              .file = FileUse::read},
             {.name = "--test-in",
              .value = "X",
              .meaning = "rows that the model is scored on at the end",
              .file = FileUse::read},
             {.name = "--test-target",
              .value = "Y",
              .meaning = "their answers; needed where --target is a file",
              .file = FileUse::read},
             {.name = "--exact",
              .meaning = "the exact kernel in place of features: a reference, which cannot be sealed"},
             {.name = "--json", .meaning = "what was found as JSON, on standard output (README.md has the keys)"},
             threads_option(),
             {"--seed", "S", "in place of the map's own seed; also deals the folds"}})))};
    return page;
}

TrainOptions read_train_options(const Arguments& arguments, TrainUse use)
{
    TrainOptions options;
    TrainSettings& settings = options.settings;
    arguments.require_positionals(0, 1, "a map (`samara maps` lists them)");
    settings.any_map = arguments.positionals().empty();
    settings.map = settings.any_map ? map_of_no_name(arguments) : requested_map(arguments);
    if (auto* const rff = std::get_if<RffSpec>(&settings.map.spec); rff != nullptr && !settings.map.own_bandwidth) {
        settings.map.median_bandwidth = true;
    }
    options.in = arguments.required_text("--in");
    options.reading = dataset_reading(arguments, options.in);
    options.target = target_words(arguments, options.in, options.reading);
    if (arguments.has("--task")) {
        options.task = arguments.choice("--task") == "classify" ? Task::classify : Task::regress;
    }
    const std::string scale = arguments.choice("--scale");
    settings.scaling = scale == "auto"          ? ScalingKind::automatic
                       : scale == "none"        ? ScalingKind::none
                       : scale == "centre"      ? ScalingKind::centre
                       : scale == "standardise" ? ScalingKind::standardise
                       : scale == "minmax"      ? ScalingKind::minmax
                       : scale == "channel"     ? ScalingKind::channel
                       : scale == "global"      ? ScalingKind::global
                                                : ScalingKind::unit;
    settings.fill_missing = arguments.choice("--missing") == "mean";
    options.reading.blanks_are_missing = settings.fill_missing;
    settings.ridge = ridge_request(arguments);
    settings.bandwidths = bandwidth_list(arguments, settings.map);
    read_sizes(arguments, settings);
    options.loss = read_loss_options(arguments, settings);
    options.augment = read_augment_options(arguments, settings.ridge);
    settings.gradient = gradient_settings(arguments, settings.ridge);
    read_fit_scales(arguments, settings);
    // Local features are for models of a few hundred bytes.
    const bool local = std::holds_alternative<LocalSpec>(settings.map.spec);
    const std::string readout =
        local && !arguments.has("--readout") ? std::string("int4") : arguments.choice("--readout");
    options.readout = readout == "float32"   ? ReadoutType::float32
                      : readout == "float16" ? ReadoutType::float16
                                             : ReadoutType::int8;
    if (is_whole(settings.map.spec) && (readout == "int8" || readout == "int4")) {
        options.readout = readout == "int8" ? ReadoutType::whole8 : ReadoutType::whole4;
    } else if (readout == "int4") {
        throw BadInput(
            "--readout: found int4, expected float32, float16 or int8, because the map's features are not whole "
            "numbers (numbers=int8)");
    }
    settings.readout = options.readout;
    options.folds = arguments.integer("--folds", 2, most_folds, 0);
    std::tie(options.valid_in, options.valid_target) =
        further_data(arguments, "--valid-in", "--valid-target", options.target);
    std::tie(options.test_in, options.test_target) =
        further_data(arguments, "--test-in", "--test-target", options.target);
    options.exact = arguments.has("--exact");
    options.json = arguments.has("--json");
    options.application = application_words(arguments);
    settings.confidence = arguments.has("--confidence");
    settings.threads = thread_count(arguments);
    set_blas_threads(settings.threads);
    options.budget = read_budget(arguments);
    if (options.budget.any() || use == TrainUse::sweep) {
        options.sweep = sweep_request(arguments, settings);
    } else if (arguments.has("--for")) {
        throw BadInput("--for: found it without --flash, --ram or --instructions, expected a budget");
    }
    if (options.exact && arguments.has("--out")) {
        throw BadInput("--exact: found it with --out, expected one of them: an exact machine keeps all training rows "
                       "and cannot be sealed");
    }
    const bool only_scored = use == TrainUse::sweep || options.exact || options.folds != 0 || !options.test_in.empty();
    if (arguments.has("--out") || !only_scored) {
        options.out = arguments.required_text("--out");
        require_writable(options.out);
    }
    if (options.exact && options.folds == 0 && options.test_in.empty()) {
        throw BadInput("--exact: found nothing to score it on, expected --test-in or --folds");
    }
    return options;
}

} // namespace samara::desk
