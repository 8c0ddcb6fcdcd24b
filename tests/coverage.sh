#!/usr/bin/env bash
# Which lines of the sources the tests run, a table by rooms; fails where the core (src and include) is below 95 %.
#
#   tests/coverage.sh               builds with gcov's counters in build/coverage, runs the tests, prints the table
#   tests/coverage.sh --missing     and the lines that no test runs
#   tests/coverage.sh --counted     prints again what the last run has counted
#
# One back end, the one of plain numbers, so that each line counts once; the self-test shows that the others have its bits.
set -euo pipefail
unset CDPATH
unset CC CXX CFLAGS CXXFLAGS CPPFLAGS LDFLAGS
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build=build/coverage
case " $* " in
*" --counted "*) ;;
*)
    [ -f "$build/build.ninja" ] || meson setup "$build" -Db_coverage=true -Dsimd=scalar -Doptimization=1 -Dhost=enabled \
        -Dtests=enabled -Dbench=disabled -Db_ndebug=true >"$build.log" 2>&1 || {
        cat "$build.log"
        exit 1
    }
    ninja -C "$build" -j "${JOBS:-2}" >"$build.log" 2>&1 || {
        tail -n 40 "$build.log"
        exit 1
    }
    find "$build" -name '*.gcda' -delete
    # What fails is the test suite's affair; here it is said and passed over.
    export OPENBLAS_NUM_THREADS=1 SAMARA_LINK_ARGS=--coverage
    meson test -C "$build" --no-rebuild --num-processes "${JOBS:-2}" --timeout-multiplier 4 \
        --suite unit --suite host --suite selftest --suite fuzz --suite examples >>"$build.log" 2>&1 ||
        grep -E 'FAIL|TIMEOUT' "$build.log" || true
    meson test -C "$build" --no-rebuild 'tables of SPEC.md' >>"$build.log" 2>&1 || true
    ;;
esac
exec python3 tests/coverage.py "$build" "$@"
