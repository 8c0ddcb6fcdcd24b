#!/usr/bin/env bash
# check_install.sh BUILD-DIRECTORY SCRATCH-DIRECTORY: installs samara, and uses it in the three ways that a user
# may: pkg-config, a CMake package (where cmake is there), a Meson subproject. Paths have blanks in them, and programs a
# KissFFT of their own. The build has the desk's tool.
set -euo pipefail
unset CDPATH
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$(cd "$1" && pwd)
rm -rf "$2"
mkdir -p "$2"
scratch=$(cd "$2" && pwd)
kissfft=$(echo "$root"/subprojects/kissfft-*/)

fail() {
    echo "$*"
    exit 1
}

# The tree is used from another place than the one it was configured for, which must work too.
moved="$scratch/moved to here"
DESTDIR=$moved meson install -C "$build" --quiet --no-rebuild
package=$(find "$moved" -name samara.pc)
prefix=$(cd "$(dirname "$(find "$moved" -type d -path '*/include/samara')")/.." && pwd)
[ "$(find "$prefix/include" -name '*.build' -o -name '*.in' | wc -l)" -eq 0 ] ||
    fail "files of the build were installed with the headers"

# Words of a Makefile and of `sh` as well as of this script: what pkg-config escapes, the shell reads.
export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$package")
flags=() compile=() link=()
samara_flags() { pkg-config "--define-variable=prefix=${prefix// /\\ }" "$@" samara; }

echo "== pkg-config"
eval "flags=($(samara_flags --cflags --libs))"
c++ -std=c++20 -O3 -ffast-math "$root/tests/install/use.cpp" "${flags[@]}" -o "$scratch/use"
"$scratch/use"
grep -qxF "Cflags: -I\${includedir}" "$package" || fail "samara.pc gives other flags than the place of the headers"
! grep -q '^Requires' "$package" || fail "samara.pc asks for packages that its users do not need"
printf 'use: ; c++ -std=c++20 %s %s -o $@\n' "'$root/tests/install/use.cpp'" \
    "\$(shell pkg-config '--define-variable=prefix=${prefix// /\\ }' --cflags --libs samara)" >"$scratch/Makefile"
mkdir "$scratch/make"
make -C "$scratch/make" -f ../Makefile
"$scratch/make/use"

echo "== a KissFFT of the program's own"
mkdir "$scratch/beside"
cut -d, -f1 "$root/tests/data/unit_200x64.csv" >"$scratch/beside/y.csv"
"$build/ports/host/samara" train polynomial:sketch=count,orders=none,features=64 --in "$root/tests/data/unit_200x64.csv" \
    --target "$scratch/beside/y.csv" --out "$scratch/beside/model.samara"
"$build/ports/host/samara" export "$scratch/beside/model.samara" --c-header --name model --out "$scratch/beside/model.h"
awk 'BEGIN { for (i = 0; i < 64; i++) printf "%s%.9g", i ? "," : "", (i % 7 - 3) / 16; print "" }' >"$scratch/beside/x.csv"
wanted=$("$build/ports/host/samara" predict "$scratch/beside/model.samara" --in "$scratch/beside/x.csv" --scores)
for scalars in -Dkiss_fft_scalar=double -DFIXED_POINT=16; do
    directory=$scratch/beside/${scalars##*[=_]}
    mkdir "$directory"
    eval "compile=($(samara_flags --cflags)) link=($(samara_flags --libs))"
    compile+=(-O2 -fPIC "$scalars" -DMODEL_INPUTS=64 "-I$kissfft" "-I$scratch/beside")
    for source in kiss_fft kiss_fftr; do
        cc "${compile[@]}" -c "$kissfft/$source.c" -o "$directory/$source.o"
    done
    ar rcs "$directory/libown.a" "$directory"/*.o
    cc -shared "$directory"/*.o -lm -o "$directory/libown_shared.so"
    cc -std=c99 "${compile[@]}" -c "$root/tests/install/beside.c" -o "$directory/c.o"
    c++ -std=c++20 "${compile[@]}" -x c++ -c "$root/tests/install/beside.c" -o "$directory/c++.o"
    cc -std=c99 -Dmain=beside "${compile[@]}" -c "$root/tests/install/beside.c" -o "$directory/library.o"
    printf 'int beside(void);\nint main(void) { return beside(); }\n' >"$directory/main.c"
    for own in own own_shared; do
        places=("-L$directory" "-Wl,-rpath,$directory")
        cc "$directory/c.o" "${places[@]}" "-l$own" "${link[@]}" -o "$directory/c-$own"
        c++ "$directory/c++.o" "${places[@]}" "${link[@]}" "-l$own" -lm -o "$directory/c++-$own"
        # samara inside a shared library, and the program's FFT in the program.
        cc -shared "$directory/library.o" "${link[@]}" -o "$directory/libbeside.so"
        cc "$directory/main.c" "${places[@]}" -rdynamic -lbeside -Wl,--whole-archive,--no-as-needed "-l$own" \
            -Wl,--no-whole-archive -lm -o "$directory/library-$own"
        for program in c c++ library; do
            found=$("$directory/$program-$own")
            [ "$found" = "$wanted" ] || fail "$program, $scalars, $own: found $found, expected $wanted"
        done
    done
done

if command -v cmake >/dev/null; then
    echo "== CMake"
    cmake -S "$root/tests/install" -B "$scratch/cmake" -DCMAKE_PREFIX_PATH="$prefix"
    cmake --build "$scratch/cmake"
    "$scratch/cmake/use"
fi

echo "== Meson subproject"
project=$scratch/project
mkdir -p "$project/subprojects/kissfft"
cp "$root"/tests/install/{use.cpp,beside.c,meson.build} "$scratch/beside/model.h" "$project"
cp "$root/tests/install/kissfft/meson.build" "$kissfft"/*.[ch] "$project/subprojects/kissfft"
ln -s "$root" "$project/subprojects/samara"
ln -s "$root/subprojects/packagecache" "$project/subprojects/packagecache"
unset PKG_CONFIG_PATH # else the installed one is found
# One back end is enough to see that it is found.
meson setup "$project/build" "$project" -Dsamara:simd=scalar --prefix "$scratch/a prefix"
ninja -j 2 -C "$project/build"
meson test -C "$project/build"
found=$("$project/build/beside")
[ "$found" = "$wanted" ] || fail "Meson: found $found, expected $wanted"
# The prefix it was configured for has a blank.
meson install -C "$project/build" --quiet --no-rebuild
export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$(find "$scratch/a prefix" -name samara.pc)")
eval "flags=($(pkg-config --cflags --libs samara))"
c++ -std=c++20 "$root/tests/install/use.cpp" "${flags[@]}" -o "$scratch/use-prefix"
"$scratch/use-prefix"
