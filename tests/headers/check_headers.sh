#!/usr/bin/env bash
# check_headers.sh SOURCE-INCLUDE BUILD-INCLUDE: every header under samara/ compiles alone, twice in one file, in strict
# C++20 without a warning, with g++ and clang++ where they are there, and with and without exceptions.
set -euo pipefail
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
if [ ${#headers[@]} -lt 10 ]; then
    echo "only ${#headers[@]} headers were found"
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
    printf '#include "samara/samara.hpp"\n' | "$compiler" -std=c++20 -x c++ -fsyntax-only -fno-exceptions -fno-rtti \
        "${warnings[@]}" -I "$source_include" -I "$build_include" - || failed=1
done
echo "compiled: $compiled"
[ "$compiled" -gt 0 ] || failed=1
exit "$failed"
