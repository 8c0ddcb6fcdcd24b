#!/usr/bin/env bash
# Random features of the neural tangent kernel on small classification sets, in one command.
#
#   examples/uci.sh DIRECTORY [OPTION...]
#
# DIRECTORY holds NAME.x, NAME.y, NAME.tune and NAME.folds of each set, as .npy or .csv; --help says what is in them, and
# which options there are. Builds the desk's part of the library in build/uci, computes on all cores, and prints a table.
# Results are kept in build/uci-results.csv: a run that was interrupted goes on where it was.
set -euo pipefail
unset CDPATH
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# Another project's environment must not choose compilers or flags.
unset CC CXX CFLAGS CXXFLAGS CPPFLAGS LDFLAGS

build=$root/build/uci
log=$root/build/uci.log
mkdir -p "$root/build"

# quiet COMMAND...: only a failure is shown.
quiet() {
    if ! "$@" >"$log" 2>&1; then
        tail -n 40 "$log" >&2
        echo "uci.sh: failed: $* (the whole log is $log)" >&2
        exit 1
    fi
}
[ -f "$build/build.ninja" ] || quiet meson setup "$build" "$root" -Dhost=enabled -Dtests=disabled
quiet ninja -C "$build" ports/host/uci

results=(--results "$root/build/uci-results.csv")
for word in "$@"; do
    case $word in --results | --results=*) results=() ;; esac
done
exec "$build/ports/host/uci" "$@" "${results[@]}"
