#!/usr/bin/env bash
# Random features of computation skeletons on images, in one command: the experiments of arXiv 1703.07872, section 6.
#
#   examples/skeletons.sh errors|pixels|classifiers|all DIRECTORY [OPTION...]
#
# --help says what these are, and which options there are. Builds the desk's part of the library in build/skeletons,
# computes on all cores, prints tables, and puts figures into DIRECTORY.
set -euo pipefail
unset CDPATH
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# Another project's environment must not choose compilers or flags.
unset CC CXX CFLAGS CXXFLAGS CPPFLAGS LDFLAGS

build=$root/build/skeletons
log=$root/build/skeletons.log
mkdir -p "$root/build"

# quiet COMMAND...: only a failure is shown.
quiet() {
    if ! "$@" >"$log" 2>&1; then
        tail -n 40 "$log" >&2
        echo "skeletons.sh: failed: $* (the whole log is $log)" >&2
        exit 1
    fi
}
[ -f "$build/build.ninja" ] || quiet meson setup "$build" "$root" -Dhost=enabled -Dtests=disabled
quiet ninja -C "$build" ports/host/skeletons

threads=(--threads "$(nproc)")
for word in "$@"; do
    case $word in --threads | --threads=*) threads=() ;; esac
done
exec "$build/ports/host/skeletons" "$@" ${threads[@]+"${threads[@]}"}
