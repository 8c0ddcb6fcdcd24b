#!/usr/bin/env bash
# check_refused.sh SOURCE-INCLUDE BUILD-INCLUDE: programs that must not compile, because they would compute something
# else than their writer thinks; each is refused with a sentence that says why.
set -euo pipefail
unset CDPATH
source_include=$1 build_include=$2
failed=0 refused=0

# A name, what the compiler must say, and the program behind it.
must_not_compile() {
    local name=$1 sentence=$2 program said
    program=$(cat)
    if said=$(printf '%s\n' "#include <samara/samara.hpp>" "$program" |
        "${CXX:-c++}" -std=c++20 -fsyntax-only -I "$source_include" -I "$build_include" -x c++ - 2>&1); then
        echo "$name: compiles"
        failed=1
    elif ! grep -q -F "$sentence" <<<"$said"; then
        echo "$name: is refused without saying '$sentence':"
        printf '%s\n' "$said" | head -n 20
        failed=1
    else
        refused=$((refused + 1))
    fi
}

must_not_compile "coefficients that only the desk makes" "resolve() leaves something out" <<'END'
samara::Fixed<samara::NtkPolySpec{.inputs = 64}> map;
END
must_not_compile "a field out of range" "the spec does not pass check()" <<'END'
samara::Fixed<samara::RffSpec{.inputs = 64, .features = 255}> map;
END
must_not_compile "rows that do not ascend" "the data do not fit the spec" <<'END'
constexpr std::byte numbers[] = {std::byte{3}, std::byte{0}, std::byte{1}, std::byte{0}};
constexpr samara::ChosenRows rows{std::span<const std::byte>(numbers)};
samara::Fixed<samara::ArcCosSpec{.inputs = 64, .features = 256, .orders = samara::Orders::none}, rows> map;
END
must_not_compile "no model" "these bytes are not a sealed model" <<'END'
constexpr unsigned char bytes[100] = {};
samara::FixedPredictor<bytes> predictor;
END
must_not_compile "a hop that is longer than the window" "the hop is longer than the window" <<END
#include "$source_include/../examples/data/gestures_model.h"
samara::FixedStream<gestures_model, 101> stream;
END
must_not_compile "a stream of another map" "only models of the map local that compute in whole numbers have streams" <<END
#include "$source_include/../examples/data/digits_whole_model.h"
samara::FixedStream<digits_whole_model> stream;
END
must_not_compile "a status that nobody reads" "nodiscard" <<'END'
#pragma GCC diagnostic error "-Wunused-result"
void f(samara::Model& model) { model.open({}); }
END

# The same with nothing wrong compiles: the sentences above are not about something else.
if ! printf '%s\n' "#include <samara/samara.hpp>" "samara::Fixed<samara::RffSpec{.inputs = 64, .features = 256}> map;" |
    "${CXX:-c++}" -std=c++20 -fsyntax-only -I "$source_include" -I "$build_include" -x c++ -; then
    echo "a good program does not compile"
    failed=1
fi
echo "refused: $refused"
exit "$failed"
