#!/usr/bin/env bash
# Every fuzzer for a while, with Clang's libFuzzer and its address and undefined-behaviour sanitizers, before a release:
#
#   tests/fuzz/run.sh [SECONDS [NAME...]]     600 seconds each without a number; NAME: model, csv, desk and so on
#
# The build and what was found are in build/fuzz; what crashed is in build/fuzz/found/NAME/crash-*, and the exit status
# is 1 then. With JOBS=N so many run at a time (default 1).
set -euo pipefail
unset CDPATH
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

seconds=${1:-600}
[ $# -eq 0 ] || shift
build=build/fuzz
all=(batch checkpoint csv desk gzip idx learner map_text model npy skeleton skeleton_text)
names=("$@")
[ $# -gt 0 ] || names=("${all[@]}")

mkdir -p build
if [ ! -f "$build/build.ninja" ]; then
    meson setup "$build" --native-file toolchains/clang.ini -Doptimization=1 -Dhost=enabled -Dtests=enabled \
        -Dbench=disabled -Db_lundef=false \
        -Dcpp_args='-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -g1' \
        -Dcpp_link_args='-fsanitize=address,undefined' >"$build.log" 2>&1 || {
        cat "$build.log"
        exit 1
    }
fi

programs=()
for name in "${names[@]}"; do
    case $name in
    batch | checkpoint | learner | model | skeleton) programs+=("tests/fuzz/fuzz-$name") ;;
    csv | desk | gzip | idx | npy) programs+=("ports/host/fuzz-$name") ;;
    map_text | skeleton_text) programs+=("ports/host/fuzz-${name/_/-}") ;;
    *)
        echo "run.sh: unknown fuzzer '$name' (known: ${all[*]})" >&2
        exit 2
        ;;
    esac
done
ninja -C "$build" tests/fuzz/make-seeds "${programs[@]}" >"$build.log" 2>&1 || {
    tail -n 40 "$build.log"
    exit 1
}
mkdir -p "$build/found/model-seeds"
"$build/tests/fuzz/make-seeds" "$build/found/model-seeds"

run_one() {
    local build=$1 seconds=$2 name=$3 program=$4 found=$1/found/$3 corpora
    mkdir -p "$found/corpus"
    corpora=("$found/corpus" "tests/fuzz/corpus/$name")
    [ "$name" != model ] || corpora+=("$build/found/model-seeds")
    # Both outputs of the program are closed: the commands talk. libFuzzer's own go to the log.
    if "$build/$program" -max_total_time="$seconds" -max_len=4096 -timeout=20 -rss_limit_mb=2048 -close_fd_mask=3 \
        -artifact_prefix="$found/" "${corpora[@]}" >"$found/log" 2>&1; then
        printf '%-12s %s\n' "$name" "$(grep -E '^Done|DONE' "$found/log" | tr '\n' ' ')"
    else
        printf '%-12s FAILED, the end of %s:\n' "$name" "$found/log"
        tail -n 30 "$found/log"
        return 1
    fi
}
export -f run_one
export OPENBLAS_NUM_THREADS=1 BLIS_NUM_THREADS=1
export ASAN_OPTIONS=allocator_may_return_null=0:detect_leaks=1

for i in "${!names[@]}"; do
    printf '%s %s\n' "${names[$i]}" "${programs[$i]}"
done | xargs -P "${JOBS:-1}" -L 1 bash -c 'run_one "$@"' run_one "$build" "$seconds"
