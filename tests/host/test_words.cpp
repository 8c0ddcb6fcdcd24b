// What messages make of text from outside and of other libraries' words, and which names C takes.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "ports/host/commands/args.hpp"
#include "ports/host/commands/c_names.hpp"
#include "ports/host/text/error.hpp"
#include "ports/host/text/map_text.hpp"
#include "ports/host/text/other_words.hpp"
#include "ports/host/text/visible.hpp"

using namespace samara;
using namespace samara::desk;

namespace {

std::string map_refusal(const std::string& text)
{
    try {
        (void)parse_map(text);
    } catch (const BadInput& problem) {
        return problem.what();
    }
    return "accepted";
}

std::string option_refusal(const std::string& word)
{
    try {
        (void)Arguments({word, "1"}, std::vector<Option>{{"--ridge", "R"}, {"--in", "X"}});
    } catch (const BadInput& problem) {
        return problem.what();
    }
    return "accepted";
}

} // namespace

TEST_CASE("visible text: what rewrites a terminal or deceives a reader is spelt out")
{
    CHECK(visible_text("plain \xc3\xa9\xe4\xb8\xad\xf0\x9f\x99\x82 text") ==
          "plain \xc3\xa9\xe4\xb8\xad\xf0\x9f\x99\x82 text");
    CHECK(visible_text("\x1b[31m\r\n\t\x7f") == "\\x1b[31m\\x0d\\x0a\\x09\\x7f");
    CHECK(visible_text(std::string("a\0b", 3)) == "a\\x00b");
    CHECK(visible_text("\xc2\x9b"
                       "31m") == "\\x9b31m"); // the one-byte form of ESC [
    CHECK(visible_text("\xe2\x80\xae"
                       "cba\xe2\x81\xa9") == "\\u202ecba\\u2069");
    CHECK(visible_text("\xe2\x80\xa8\xef\xbb\xbf") == "\\u2028\\ufeff");
    CHECK(visible_text("\xf3\xa0\x81\x81") == "\\U000e0041");
    // Stray bytes, a character cut off, one spelt longer than needed, half of a surrogate, one beyond Unicode.
    CHECK(visible_text("\xff\x80") == "\\xff\\x80");
    CHECK(visible_text("\xe4\xb8") == "\\xe4\\xb8");
    CHECK(visible_text("\xc0\x9b") == "\\xc0\\x9b");
    CHECK(visible_text("\xed\xa0\x80") == "\\xed\\xa0\\x80");
    CHECK(visible_text("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");
    for (unsigned byte = 0x80; byte < 0x100; ++byte) {
        const std::string alone(1, static_cast<char>(byte));
        CHECK(visible_text(alone + "x").size() == 5);
    }
}

TEST_CASE("quoted text: it is short, and no character is cut in half")
{
    CHECK(quoted_text("a\x1b") == "'a\\x1b'");
    CHECK(quoted_text(std::string(60, 'a')) == "'" + std::string(60, 'a') + "'");
    CHECK(quoted_text(std::string(61, 'a')) == "'" + std::string(60, 'a') + "...'");
    CHECK(quoted_text(std::string(59, 'a') + "\xc3\xa9" + "b") == "'" + std::string(59, 'a') + "...'");
    CHECK(quoted_text(std::string(100000, '\x80')).size() < 260);
}

TEST_CASE("other words: maps, keys, values and options of other libraries get the name that samara uses")
{
    CHECK(map_refusal("rbf").starts_with("found the unknown map 'rbf', which samara calls rff; expected rff, arccos"));
    CHECK(map_refusal("RBFSampler").find("which samara calls rff;") != std::string::npos);
    CHECK(map_refusal("Nystroem").find("--candidates") != std::string::npos);
    CHECK(map_refusal("laplacian").find("which samara calls rff:kernel=laplacian;") != std::string::npos);
    CHECK(map_refusal("StandardScaler").find("--scale") != std::string::npos);
    for (const char* key : {"n_components=5", "n-components=5", "N_Components=5", "n_estimators=5"}) {
        CHECK(map_refusal(std::string("arccos:") + key).find(", which samara calls features; expected order") !=
              std::string::npos);
    }
    CHECK(map_refusal("rff:sigma=1").find("which samara calls bandwidth;") != std::string::npos);
    CHECK(map_refusal("rff:length_scale=1").find("which samara calls bandwidth;") != std::string::npos);
    CHECK(map_refusal("polynomial:gamma=1").find("which samara calls scale (") != std::string::npos);
    CHECK(map_refusal("polynomial:coef0=1").find("which samara calls offset;") != std::string::npos);
    CHECK(map_refusal("ntk:layers=2").find("which samara calls depth;") != std::string::npos);
    CHECK(map_refusal("rff:random_state=2").find("which samara calls seed;") != std::string::npos);
    CHECK(map_refusal("rff:alpha=2").find("which samara calls --ridge of `samara train`;") != std::string::npos);
    CHECK(map_refusal("rff:kernel=rbf") ==
          "rff: kernel: found 'rbf', which samara calls gaussian; expected gaussian, laplacian or cauchy");
    CHECK(map_refusal("rff:gamma=scale").find("1/(columns * variance of all entries)") != std::string::npos);
    CHECK(map_refusal("rff:gamma=scale").find("bandwidth=auto") != std::string::npos);
    CHECK(map_refusal("rff:bandwidth=median").find("which samara calls auto; expected") != std::string::npos);
    CHECK(option_refusal("--alpha") ==
          "found the unknown option '--alpha', which samara calls --ridge; expected one of "
          "those that --help lists");
    CHECK(option_refusal("--C").find("which samara calls --ridge (1/(C * rows));") != std::string::npos);
    CHECK(option_refusal("--random_state").find("which samara calls --seed, an option of other commands;") !=
          std::string::npos);
    CHECK(option_refusal("--class_weight").find("which samara calls --balance") != std::string::npos);
    CHECK(option_refusal("--sample-weight").find("which samara calls --weights") != std::string::npos);
    CHECK(option_refusal("--objective").find("which samara calls --loss") != std::string::npos);
    CHECK(option_refusal("--subject").find("which samara calls --groups") != std::string::npos);
    CHECK(option_refusal("--predict-proba").find("which samara calls --probabilities") != std::string::npos);
    for (const char* none : {"--fit-intercept", "--fit_intercept", "--epochs", "--max_iter"}) {
        CAPTURE(none);
        CHECK(known_word(WordKind::option, none).name.empty());
        CHECK(option_refusal(none).find("': ") != std::string::npos);
    }
    CHECK(option_refusal("--epochs").find("L-BFGS") != std::string::npos);
    CHECK_FALSE(known_word(WordKind::map, "rff"));
    CHECK_FALSE(known_word(WordKind::option, "--wavelength"));
    CHECK_FALSE(known_word(WordKind::option, ""));
    CHECK_FALSE(known_word(WordKind::key, "sigma", "arccos"));
}

TEST_CASE("other words: none of them is a word of samara's own")
{
    for (const MapHelp& help : map_catalogue()) {
        CAPTURE(help.name);
        CHECK_FALSE(known_word(WordKind::map, help.name));
        for (const KeyHelp& key : help.keys) {
            CAPTURE(key.name);
            CHECK_FALSE(known_word(WordKind::key, key.name, help.name));
            for (const auto& [word, number] : key.numbers) {
                CHECK_FALSE(known_word(WordKind::value, word, key.name));
            }
        }
    }
}

TEST_CASE("other words: the names that they get are names here")
{
    // A map of the catalogue, with keys that it has.
    for (const char* word :
         {"rbf", "laplacian", "cauchy", "fastfood", "qmc", "poly", "linear", "relu", "step", "mlp", "gp", "svm"}) {
        CAPTURE(word);
        CHECK(map_refusal(std::string(known_word(WordKind::map, word).name)) == "accepted");
    }
}

TEST_CASE("C names: what is no name, and what C, C++ or the libraries have taken")
{
    for (const char* good : {"toy", "digits_model", "MODEL", "ECG", "x", "model_v2", "gait_3f", "Int"}) {
        CAPTURE(good);
        CHECK(c_name_problem(good).empty());
    }
    for (const char* bad : {"int", "class", "constexpr", "and_eq", "restrict", "requires", "nullptr", "typeof"}) {
        CAPTURE(bad);
        CHECK(c_name_problem(bad).find("keyword") != std::string::npos);
    }
    for (const char* bad : {"_x", "_Model", "__model", "my__model"}) {
        CAPTURE(bad);
        CHECK(c_name_problem(bad).find("underscore") != std::string::npos);
    }
    for (const char* bad : {"main", "exp", "cosf", "sinl", "std", "printf", "uint8_t", "my_t", "errno", "EOF", "EINVAL",
                            "FLT_MAX", "SIGINT", "NULL", "y1", "gamma", "strtok_r", "samara"}) {
        CAPTURE(bad);
        CHECK(c_name_problem(bad).find("a name of the C or C++ library's") != std::string::npos);
    }
    CHECK(c_name_problem("linux").find("macro") != std::string::npos);
    CHECK(c_name_problem("samara_model").find("samara's own") != std::string::npos);
    for (const char* bad : {"", "1a", "a-b", "a b", "\xc3\xa9", "a\n"}) {
        CAPTURE(bad);
        CHECK(c_name_problem(bad).find("C identifier") != std::string::npos);
    }
    CHECK(c_name_problem(std::string(longest_c_name, 'a')).empty());
    CHECK(c_name_problem(std::string(longest_c_name + 1, 'a')).find("expected at most 40") != std::string::npos);
}

TEST_CASE("C names: every file's name gives a good one")
{
    CHECK(c_name_from("a/b/digits.v2.samara") == "digits_v2");
    CHECK(c_name_from("int.samara") == "model_int");
    CHECK(c_name_from("__x__y.samara") == "x_y");
    CHECK(c_name_from("2024.samara") == "model_2024");
    CHECK(c_name_from("end_.samara") == "end"); // a function's name goes on with an underscore
    CHECK(c_name_from("int_.samara") == "model_int");
    CHECK(c_name_from(std::string(39, 'a') + "_b") == std::string(39, 'a'));
    for (const std::string path : {"", ".samara", "-", "\xc3\xa9\xc3\xa9.samara", "main", "a/samara_x.samara",
                                   "_.samara", "exp.samara", "_Bool.samara"}) {
        CAPTURE(path);
        CHECK(c_name_problem(c_name_from(path)) == "");
    }
    CHECK(c_name_problem(c_name_from(std::string(300, 'a'))) == "");
    CHECK(c_name_problem(c_name_from(std::string(39, 'a') + "_b")) == "");
    CHECK(c_name_problem(c_name_from(std::string(300, '1'))) == "");
}
