#include <algorithm>
#include <cstdio>
#include <ostream>
#include <string>
#include <string_view>
#include <variant>

#include "ports/host/commands/c_names.hpp"
#include "ports/host/commands/commands.hpp"
#include "ports/host/data/output_file.hpp"
#include "ports/host/data/output_place.hpp"
#include "ports/host/text/error.hpp"
#include "ports/host/training/model_file.hpp"

namespace samara::desk {
namespace {

const CommandPage page = {
    "samara export MODEL (--c-header | --c-source | --c-function)",
    "Writes a sealed model as C: the very bytes, aligned as the library wants them, or a function to call.\n",
    {{.name = "--c-header",
      .meaning = "one file to include, for C99 and C++20; in C++20 the array is constexpr, as samara::FixedPredictor "
                 "needs it"},
     {.name = "--c-source",
      .meaning = "a file to compile, for an image that several sources share; its first lines say how to declare the "
                 "array"},
     {.name = "--c-function",
      .meaning = "two files, FILE.h and FILE.cpp: a C header with functions that predict with this model, in static "
                 "memory, and a C++20 source behind it that links only what the model needs"},
     {.name = "--name",
      .value = "NAME",
      .meaning = "of the array, or what the functions' names begin with (default: "
                 "the model's file name, made an identifier)"},
     {.name = "--out",
      .value = "FILE",
      .meaning = "where to write (default: standard output; with --c-function NAME in this directory)",
      .file = FileUse::written}},
    FileUse::read};

void check_name(const std::string& name, bool functions)
{
    if (const std::string problem = c_name_problem(name); !problem.empty()) {
        throw BadInput("--name: found " + quoted_text(name) + problem);
    }
    if (functions && name.ends_with('_')) {
        throw BadInput("--name: found " + quoted_text(name) +
                       ", expected a name that does not end in an underscore: functions' names go on with one");
    }
}

// The source of a model's functions includes their header by its name.
void check_file_name(const std::string& base)
{
    const std::string name = base.substr(base.find_last_of('/') + 1);
    const bool good = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("_-+. ").find(c) != std::string_view::npos;
    });
    if (!good) {
        throw BadInput("--out: found " + quoted_text(base) +
                       ", expected a name of letters, digits, blanks and _ - + . for the two files");
    }
}

std::string summary_of(const LoadedModel& model)
{
    std::string text = map_text(model.spec());
    const std::size_t kept =
        model.spec().skeleton ? model.spec().skeleton->list.indices.size() : model.model().chosen().count();
    if (kept != 0) {
        text += ", " + std::to_string(kept) + " rows kept";
    }
    return text + "; " + std::to_string(model.model().inputs()) + " inputs, " +
           std::to_string(model.model().outputs()) + " outputs";
}

// sizeof(FixedPredictor) of the model: its memory, the scores, and what aligns them.
std::size_t static_bytes(const LoadedModel& model)
{
    const Model& m = model.model();
    const std::size_t memory =
        std::visit([&](const auto& spec) { return fold_bytes(block_plan(spec), m.scales_inputs() ? m.inputs() : 0); },
                   model.spec());
    return (memory + sizeof(float) * m.outputs() + 15) / 16 * 16;
}

void write_bytes(std::ostream& out, const LoadedModel& model)
{
    const std::byte* bytes = model.model().bytes();
    for (std::uint32_t i = 0; i < model.model().total_bytes(); ++i) {
        char text[8];
        std::snprintf(text, sizeof text, "0x%02x,", std::to_integer<unsigned>(bytes[i]));
        out << (i % 16 == 0 ? "    " : " ") << text
            << (i % 16 == 15 || i + 1 == model.model().total_bytes() ? "\n" : "");
    }
}

constexpr const char* align_macro = "#if defined(__GNUC__)\n"
                                    "#define SAMARA_MODEL_ALIGNED __attribute__((aligned(16)))\n"
                                    "#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L\n"
                                    "#define SAMARA_MODEL_ALIGNED _Alignas(16)\n"
                                    "#else\n"
                                    "#define SAMARA_MODEL_ALIGNED\n"
                                    "#endif\n";

void write_header(std::ostream& out, const LoadedModel& model, const std::string& name)
{
    const std::string size = std::to_string(model.model().total_bytes());
    out << "/* A sealed model of samara: " << summary_of(model) << ". */\n"
        << "#ifndef SAMARA_MODEL_OF_" << name << "\n#define SAMARA_MODEL_OF_" << name << "\n\n"
        << "#if defined(__cplusplus)\n"
        << "alignas(16) inline constexpr unsigned char " << name << "[" << size << "] = {\n"
        << "#else\n#ifndef SAMARA_MODEL_ALIGNED\n"
        << align_macro << "#endif\nSAMARA_MODEL_ALIGNED static const unsigned char " << name << "[" << size
        << "] = {\n#endif\n";
    write_bytes(out, model);
    out << "};\n\n#endif\n";
}

void write_source(std::ostream& out, const LoadedModel& model, const std::string& name)
{
    const std::string size = std::to_string(model.model().total_bytes());
    out << "/* A sealed model of samara: " << summary_of(model) << ".\n\n   Declare it so:\n\n"
        << "       extern const unsigned char " << name << "[" << size << "];\n*/\n"
        << align_macro << "\nextern const unsigned char " << name << "[" << size << "];\n"
        << "SAMARA_MODEL_ALIGNED const unsigned char " << name << "[" << size << "] = {\n";
    write_bytes(out, model);
    out << "};\n";
}

std::string upper(std::string name)
{
    for (char& c : name) {
        c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    }
    return name;
}

// The header of a model's functions: what a C program sees.
void write_function_header(std::ostream& out, const LoadedModel& model, const std::string& name)
{
    const Model& m = model.model();
    const std::string macro = upper(name), inputs = macro + "_INPUTS", outputs = macro + "_OUTPUTS";
    out << "/* Predictions by a sealed model of samara: " << summary_of(model) << ".\n\n"
        << "   Functions return 0 (SAMARA_OK), or a number that samara_status_text() of samara/samara.h explains, and\n"
        << "   leave their outputs untouched then. They share static memory: one call at a time. Compile the source\n"
        << "   beside this header as C++20 and link the library. */\n"
        << "#ifndef SAMARA_FUNCTION_" << name << "\n#define SAMARA_FUNCTION_" << name << "\n\n#include <stdint.h>\n\n"
        << "#define " << inputs << " " << m.inputs() << "u\n#define " << outputs << " " << m.outputs() << "u\n"
        << "#define " << macro << "_MODEL_BYTES " << m.total_bytes() << "u\n"
        << "/* Static memory of the functions; the stack comes on top. */\n"
        << "#define " << macro << "_RAM_BYTES " << static_bytes(model) << "u\n\n"
        << "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
        << "/* Whether flash still holds the model that was compiled: to call once. */\n"
        << "int " << name << "_check(void);\n\n"
        << "/* x: " << inputs
        << " floats, unscaled, as the training saw them; output: the number of the largest score. */\n"
        << "int " << name << "_predict(const float *x, uint32_t *output);\n\n"
        << "/* scores: " << outputs << " floats. */\n"
        << "int " << name << "_scores(const float *x, float *scores);\n\n"
        << "#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
}

void write_function_source(std::ostream& out, const LoadedModel& model, const std::string& name,
                           const std::string& header)
{
    out << "// clang-format off\n// The functions of " << header << ", with their model: " << summary_of(model) << ".\n"
        << "#include \"" << header << "\"\n\n#include <samara/fixed.hpp>\n\nnamespace {\n\n"
        << "alignas(16) constexpr unsigned char model[" << model.model().total_bytes() << "] = {\n";
    write_bytes(out, model);
    out << "};\n\nsamara::FixedPredictor<model> predictor;\n"
        << "static_assert(sizeof predictor == " << upper(name) << "_RAM_BYTES);\n\n} // namespace\n\n"
        << "extern \"C\" {\n\n"
        << "int " << name << "_check(void) { return static_cast<int>(predictor.check()); }\n\n"
        << "int " << name << "_predict(const float* x, uint32_t* output)\n{\n"
        << "    std::uint32_t found = 0;\n"
        << "    const samara::Status status = predictor.predict(std::span<const float, predictor.inputs>(x, "
           "predictor.inputs), found);\n"
        << "    if (status == samara::Status::ok)\n        *output = found;\n    return "
           "static_cast<int>(status);\n}\n\n"
        << "int " << name << "_scores(const float* x, float* scores)\n{\n"
        << "    return static_cast<int>(predictor.scores(std::span<const float, predictor.inputs>(x, "
           "predictor.inputs),\n"
        << "                                             std::span<float, predictor.outputs>(scores, "
           "predictor.outputs)));\n}\n}\n";
}

void write_functions(const LoadedModel& model, const std::string& name, const std::string& base,
                     const std::string& path)
{
    require_distinct({{"the argument", path}}, {{"--out", base + ".cpp"}, {"--out", base + ".h"}});
    const std::string header = base.substr(base.find_last_of('/') + 1) + ".h";
    write_file(base + ".cpp", [&](std::ostream& out) { write_function_source(out, model, name, header); });
    write_file(base + ".h", [&](std::ostream& out) { write_function_header(out, model, name); });
}

} // namespace

int export_command(const std::vector<std::string>& words)
{
    const Arguments arguments(words, page);
    if (arguments.help()) {
        print_text(help_text(page));
        return 0;
    }
    arguments.require_positionals(1, 1, "a sealed model");
    const int forms = (arguments.has("--c-header") ? 1 : 0) + (arguments.has("--c-source") ? 1 : 0) +
                      (arguments.has("--c-function") ? 1 : 0);
    if (forms != 1) {
        throw BadInput("export: found " + std::string(forms == 0 ? "none" : "several") +
                       " of --c-header, --c-source and --c-function, expected one of them");
    }
    const std::string path = arguments.positionals().front();
    const std::string name = arguments.text("--name", c_name_from(path));
    check_name(name, arguments.has("--c-function"));
    const std::string base = arguments.text("--out", name);
    if (arguments.has("--c-function")) {
        check_file_name(base);
    }
    const LoadedModel model(path, any_operations);
    if (arguments.has("--c-function")) {
        write_functions(model, name, base, path);
        return 0;
    }
    write_file(arguments.text("--out", "-"), [&](std::ostream& out) {
        if (arguments.has("--c-header")) {
            write_header(out, model, name);
        } else {
            write_source(out, model, name);
        }
    });
    return 0;
}

} // namespace samara::desk
