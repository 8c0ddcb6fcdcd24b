#!/usr/bin/env bash
# check_user_flags.sh REFERENCE LIBRARY SCRATCH SOURCES INCLUDE...: user.cpp compiled as users compile prints what the one
# prints that was compiled with the core's own flags. Those are no matter of taste: the core's own files, under SOURCES,
# refuse -ffast-math.
#
# The flags are for the user's own file. With -ffast-math at link time GCC and Clang add crtfastmath.o, which makes the
# whole process flush subnormal numbers before main() begins; no library can compute the same bits then, and
# check_environment() says so. So programs are linked without it here, and once with it to see that it is told.
set -euo pipefail
unset CDPATH
reference=$1 library=$2 scratch=$3 sources=$4
shift 4
includes=()
for directory in "$@"; do
    includes+=(-I "$directory")
done
user=$(dirname "${BASH_SOURCE[0]}")/user.cpp
rm -rf "$scratch"
mkdir -p "$scratch"

"$reference" >"$scratch/reference.txt"
cat "$scratch/reference.txt"

flag_sets=(
    "-O0"
    "-O2"
    "-O2 -march=native"
    "-O3 -ffast-math"
    "-O3 -ffast-math -march=native -funroll-loops"
)
failed=0 compared=0
for compiler in g++ clang++; do
    command -v "$compiler" >/dev/null || continue
    for flags in "${flag_sets[@]}"; do
        # shellcheck disable=SC2086  # flags are words
        "$compiler" -std=c++20 $flags "${includes[@]}" -c "$user" -o "$scratch/user.o"
        "$compiler" "$scratch/user.o" "$library" -lm -o "$scratch/user"
        "$scratch/user" >"$scratch/user.txt" || failed=1
        if diff -u --label "the core's flags" --label "$compiler $flags" "$scratch/reference.txt" "$scratch/user.txt"; then
            compared=$((compared + 1))
        else
            failed=1
        fi
    done
    # One file of each kind: compiled for each back end, compiled once, and with arithmetic in double alone.
    for file in simd/vectors.cpp map/rff/rff.cpp kernel/kernel.cpp; do
        core=("$compiler" -std=c++20 "${includes[@]}" -I "$sources" -DSAMARA_ARCH=scalar -fsyntax-only "$sources/$file")
        "${core[@]}" || failed=1
        for flags in -ffast-math -Ofast; do
            if output=$("${core[@]}" "$flags" 2>&1) || ! grep -q 'error: .*must not be compiled with' <<<"$output"; then
                echo "$compiler $flags: $file compiles, or does not say why not"
                failed=1
            fi
        done
    done
    # Where the linker does add it (x86), the program must not compute as if nothing had happened.
    "$compiler" -ffast-math "$scratch/user.o" "$library" -lm -o "$scratch/user"
    if "$scratch/user" >"$scratch/user.txt"; then
        cmp "$scratch/reference.txt" "$scratch/user.txt" || failed=1
        echo "$compiler: -ffast-math at link time changes nothing here"
    else
        grep 'floating-point environment' "$scratch/user.txt" || failed=1
    fi
done
echo "equal: $compared"
[ "$compared" -gt 0 ] || failed=1
exit "$failed"
