#!/usr/bin/env bash
# check_install.sh BUILD-DIRECTORY SCRATCH-DIRECTORY: installs samara, and uses it in the three ways that a user
# may: pkg-config, a CMake package (where cmake is there), a Meson subproject.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$(cd "$1" && pwd)
rm -rf "$2"
mkdir -p "$2"
scratch=$(cd "$2" && pwd)

# The tree is used from another place than the one it was configured for, which must work too.
DESTDIR=$scratch/moved meson install -C "$build" --quiet --no-rebuild
package=$(find "$scratch/moved" -name samara.pc)
prefix=$(cd "$(dirname "$(find "$scratch/moved" -type d -path '*/include/samara')")/.." && pwd)
if [ "$(find "$prefix/include" -name '*.build' -o -name '*.in' | wc -l)" -ne 0 ]; then
    echo "files of the build were installed with the headers"
    exit 1
fi

echo "== pkg-config"
flags=$(PKG_CONFIG_PATH=$(dirname "$package") pkg-config --define-variable=prefix="$prefix" --cflags --libs samara)
# shellcheck disable=SC2086  # flags are words
c++ -std=c++20 -O3 -ffast-math "$root/tests/install/use.cpp" $flags -o "$scratch/use"
"$scratch/use"

if command -v cmake >/dev/null; then
    echo "== CMake"
    cmake -S "$root/tests/install" -B "$scratch/cmake" -DCMAKE_PREFIX_PATH="$prefix"
    cmake --build "$scratch/cmake"
    "$scratch/cmake/use"
fi

echo "== Meson subproject"
mkdir -p "$scratch/project/subprojects"
cp "$root/tests/install/use.cpp" "$root/tests/install/meson.build" "$scratch/project"
ln -s "$root" "$scratch/project/subprojects/samara"
ln -s "$root/subprojects/packagecache" "$scratch/project/subprojects/packagecache"
# One back end is enough to see that it is found.
meson setup "$scratch/project/build" "$scratch/project" -Dsamara:simd=scalar
ninja -j 2 -C "$scratch/project/build"
meson test -C "$scratch/project/build"
