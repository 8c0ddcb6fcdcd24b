#!/usr/bin/env bash
# check_headers.sh SOURCE-INCLUDE BUILD-INCLUDE: every header under samara/ compiles alone, twice in one file, in strict
# C++20 without a warning, with g++ and clang++ where they are there, and with and without exceptions; those of C in C99
# and C++ too. In C++17 a header compiles, or says in one sentence what it wants.
set -euo pipefail
unset CDPATH
source_include=$1 build_include=$2

# Clang's -Wconversion means signs too; GCC's does not, and the project does without that warning.
warnings=(
    -Wall -Wextra -Wpedantic -Werror -Wconversion -Wno-sign-conversion -Wshadow -Wdouble-promotion -Wold-style-cast
    -Wundef -Wnon-virtual-dtor -Wcast-align -Wfloat-equal
)
mapfile -t headers < <(
    for directory in "$source_include" "$build_include"; do
        (cd "$directory" && find samara -name '*.hpp')
    done | sort -u
)
mapfile -t c_headers < <(
    for directory in "$source_include" "$build_include"; do
        (cd "$directory" && find samara -name '*.h')
    done | sort -u
)
if [ ${#headers[@]} -lt 10 ] || [ ${#c_headers[@]} -lt 2 ]; then
    echo "only ${#headers[@]} headers and ${#c_headers[@]} of C were found"
    exit 1
fi

failed=0 compiled=0
for compiler in g++ clang++; do
    command -v "$compiler" >/dev/null || continue
    for header in "${headers[@]}"; do
        # A header must not lean on what another one, or the file before it, has included.
        if printf '#include "%s"\n#include "%s"\n' "$header" "$header" |
            "$compiler" -std=c++20 -x c++ -fsyntax-only "${warnings[@]}" -I "$source_include" -I "$build_include" -; then
            compiled=$((compiled + 1))
        else
            echo "$compiler: $header"
            failed=1
        fi
    done
    for header in "${headers[@]}"; do
        if ! output=$(printf '#include "%s"\n' "$header" |
            "$compiler" -std=c++17 -x c++ -fsyntax-only -I "$source_include" -I "$build_include" - 2>&1) &&
            ! grep -q 'error: .*samara is a C++20 library' <<<"$output"; then
            echo "$compiler -std=c++17: $header does not compile and does not say why"
            failed=1
        fi
    done
    # The largest must be among those that refuse.
    if printf '#include "samara/samara.hpp"\n' | "$compiler" -std=c++17 -x c++ -fsyntax-only -I "$source_include" \
        -I "$build_include" - 2>/dev/null; then
        echo "$compiler -std=c++17: samara.hpp compiles"
        failed=1
    fi
    for header in "${c_headers[@]}"; do
        for language in "c -std=c99" "c++ -std=c++20"; do
            # C wants something behind the macros.
            # shellcheck disable=SC2086  # a language and its standard are words
            if printf '#include "%s"\n#include "%s"\ntypedef int something;\n' "$header" "$header" |
                "$compiler" -x $language -fsyntax-only -Wall -Wextra -Wpedantic -Wundef -Werror -I "$source_include" \
                    -I "$build_include" -; then
                compiled=$((compiled + 1))
            else
                echo "$compiler -x $language: $header"
                failed=1
            fi
        done
    done
    printf '#include "samara/samara.hpp"\n' | "$compiler" -std=c++20 -x c++ -fsyntax-only -fno-exceptions -fno-rtti \
        "${warnings[@]}" -I "$source_include" -I "$build_include" - || failed=1
done
echo "compiled: $compiled"
[ "$compiled" -gt 0 ] || failed=1
exit "$failed"
