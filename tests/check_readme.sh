#!/usr/bin/env bash
# The README's C++ examples compile with a user's flags and run: check_readme.sh README INCLUDE... LIBRARY
set -euo pipefail
unset CDPATH
readme=$1
shift
arguments=("$@")
library=${arguments[-1]}
unset 'arguments[-1]'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

awk -v directory="$work" '/^```cpp$/ { inside = 1; file = directory "/example" ++count ".cpp"; next }
    /^```$/ { inside = 0 }
    inside { print > file }' "$readme"
shopt -s nullglob
examples=("$work"/*.cpp)
if [ ${#examples[@]} -eq 0 ]; then
    echo "no example in $readme" >&2
    exit 1
fi
for example in "${examples[@]}"; do
    "${CXX:-c++}" -std=c++20 -Wall -Wextra -Werror "${arguments[@]/#/-I}" "$example" "$library" -o "$work/example"
    "$work/example"
done
echo "${#examples[@]} example(s) compiled and run"
