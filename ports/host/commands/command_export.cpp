#include <cstdio>
#include <ostream>
#include <string>

#include "ports/host/commands/commands.hpp"
#include "ports/host/data/files.hpp"
#include "ports/host/text/error.hpp"
#include "ports/host/training/model_file.hpp"

namespace samara::desk {
namespace {

const std::string help = "usage: samara export MODEL (--c-header | --c-source) [--name NAME] [--out FILE]\n\n"
                         "Writes a sealed model as C: the very bytes, aligned as the library wants them.\n\n"
                         "  --c-header   one file to include, for C99 and C++20; in C++20 the array is constexpr, as\n"
                         "               samara::FixedPredictor needs it\n"
                         "  --c-source   a file to compile, for an image that several sources share; its first\n"
                         "               lines say how to declare the array\n"
                         "  --name NAME  of the array (default: the model's file name, made an identifier)\n"
                         "  --out FILE   where to write (default: standard output)\n";

bool letter_or_digit(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string identifier_from(const std::string& path)
{
    std::string name = path.substr(path.find_last_of('/') + 1);
    name = name.substr(0, name.find_last_of('.'));
    for (char& c : name) {
        c = letter_or_digit(c) ? c : '_';
    }
    if (name.empty() || (name[0] >= '0' && name[0] <= '9')) {
        name.insert(0, "model_");
    }
    return name;
}

void check_identifier(const std::string& name)
{
    bool good = !name.empty() && !(name[0] >= '0' && name[0] <= '9');
    for (const char c : name) {
        good = good && letter_or_digit(c);
    }
    if (!good) {
        throw BadInput("--name: found " + quoted_text(name) + ", expected a C identifier");
    }
}

std::string summary_of(const LoadedModel& model)
{
    std::string text = map_text(model.spec());
    if (!model.model().chosen().all()) {
        text += ", " + std::to_string(model.model().chosen().count()) + " rows kept";
    }
    // What a text of the user's may hold must not end the comment.
    return text + "; " + std::to_string(model.model().inputs()) + " inputs, " +
           std::to_string(model.model().outputs()) + " outputs";
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
        << "#ifndef SAMARA_MODEL_" << name << "\n#define SAMARA_MODEL_" << name << "\n\n"
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

} // namespace

int export_command(const std::vector<std::string>& words)
{
    const Arguments arguments(words, {{"--c-header"}, {"--c-source"}, {"--name", "NAME"}, {"--out", "FILE"}});
    if (arguments.help()) {
        print_text(help);
        return 0;
    }
    arguments.require_positionals(1, 1, "a sealed model");
    if (arguments.has("--c-header") == arguments.has("--c-source")) {
        throw BadInput("export: found " + std::string(arguments.has("--c-header") ? "both" : "neither") +
                       " of --c-header and --c-source, expected one of them");
    }
    const std::string path = arguments.positionals().front();
    const std::string name = arguments.text("--name", identifier_from(path));
    check_identifier(name);
    const LoadedModel model(path);
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
