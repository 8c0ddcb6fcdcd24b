#include <algorithm>
#include <string>
#include <utility>

#include "ports/host/commands/commands.hpp"
#include "ports/host/text/error.hpp"
#include "ports/host/text/other_words.hpp"

namespace samara::desk {
namespace {

const CommandPage page = {
    "samara maps [NAME]",
    "Lists every map, or the one named: what it estimates, its keys, their values and defaults.\n"
    "A map is written NAME or NAME:key=value,key=value, for instance\n"
    "  rff:kernel=laplacian,bandwidth=2.5,features=512\n"
    "How many inputs it has comes from the data. Names that begin with sketch- are bare sketches, for\n"
    "`samara features` only.\n",
    {{.name = "--bytes", .meaning = "where each field lies in a sealed model's spec, as a Markdown table"}}};

std::string keys_of(const MapHelp& map)
{
    std::string text = map.name + "\n";
    for (const std::string& estimate : map.estimates) {
        text += "  " + estimate + "\n";
    }
    std::vector<std::vector<std::string>> rows{{"key", "default", "values", "meaning"}};
    for (const KeyHelp& key : map.keys) {
        rows.push_back({key.name, key.fallback.empty() ? "-" : key.fallback, key.values, key.meaning});
    }
    return text + "\n" + aligned(rows, "  ", rows.front().size());
}

} // namespace

int maps_command(const std::vector<std::string>& words)
{
    const Arguments arguments(words, page.options);
    if (arguments.help()) {
        print_text(help_text(page));
        return 0;
    }
    arguments.require_positionals(0, 1, "one map's name");
    std::string text;
    std::vector<std::string> names;
    std::vector<MapHelp> all = map_catalogue();
    const bool bytes = arguments.has("--bytes");
    if (bytes) {
        arguments.require_positionals(1, 1, "the name of the map whose bytes are wanted");
    }
    for (MapHelp& sketch : sketch_catalogue()) {
        all.push_back(std::move(sketch));
    }
    for (const MapHelp& map : all) {
        names.push_back(map.name);
        if (arguments.positionals().empty() || arguments.positionals().front() == map.name) {
            text += text.empty() ? "" : "\n";
            text += bytes && !map.name.starts_with("sketch-") ? spec_table(map.name) : keys_of(map);
        }
    }
    if (text.empty()) {
        const std::string& name = arguments.positionals().front();
        const KnownWord known = known_word(WordKind::map, name);
        throw BadInput("found the unknown map " + quoted_text(name) +
                       (known ? known.text() + "; " : did_you_mean(name, names) + ", ") +
                       "expected one of those that `samara maps` lists");
    }
    print_text(text);
    return 0;
}

} // namespace samara::desk
