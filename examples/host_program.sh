# shellcheck shell=bash
# For scripts that run a program of the desk's part of the library, to be sourced by them.
set -euo pipefail
unset CDPATH

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# Another project's environment must not choose compilers or flags.
unset CC CXX CFLAGS CXXFLAGS CPPFLAGS LDFLAGS

# quiet COMMAND...: only a failure is shown. The log is that of build_host_program.
quiet() {
    if ! "$@" >"$log" 2>&1; then
        tail -n 40 "$log" >&2
        echo "${0##*/}: failed: $* (the whole log is $log)" >&2
        exit 1
    fi
}

# build_host_program NAME [DIRECTORY]: in build/DIRECTORY, which is build/NAME if it is not given; `program` is it then.
build_host_program() {
    local build=$root/build/${2:-$1}
    log=$build.log
    mkdir -p "$root/build"
    [ -f "$build/build.ninja" ] || quiet meson setup "$build" "$root" -Dhost=enabled -Dtests=disabled
    quiet ninja -C "$build" "ports/host/$1"
    # shellcheck disable=SC2034 # the script that sources this runs it
    program=$build/ports/host/$1
}
