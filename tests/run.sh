#!/usr/bin/env bash
# Everything that must hold, in one run: builds for each target with its tests, the same self-test output
# from all of them, an installed copy in use, formatting and static analysis.
#
#   tests/run.sh                   all of it
#   tests/run.sh NAME...           only these: a configuration from the table below, or one of
#                                  selftest install sizes format tidy scripts
#
# SAMARA_SETUP=no leaves out the installation of packages. Logs are in build/logs; only the log of what failed
# is printed. The last line counts everything; the exit status says whether something failed.
set -euo pipefail
unset CDPATH
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# Another project's environment must not choose compilers or flags.
unset CC CXX CFLAGS CXXFLAGS CPPFLAGS LDFLAGS

logs=build/logs
reference=native
checks=(selftest install sizes format tidy scripts)

# A configuration: its name, then what `meson setup` is told. The slow ones come first, because two run
# at a time.
configurations() {
    cat <<'END'
native           -Dhost=enabled -Dtests=enabled -Dwerror=true
sanitize         -Dbuildtype=debug -Dcpp_args=-g1 -Db_sanitize=address,undefined -Db_lundef=false -Dbench=disabled
clang            --native-file toolchains/clang.ini -Doptimization=1 -Dwerror=true -Dhost=disabled -Dcpp_args=-DSAMARA_QUICK -Dbench=disabled
x86_64-baseline  --cross-file toolchains/x86_64-baseline.ini
aarch64          --cross-file toolchains/aarch64.ini
scalar           -Dsimd=scalar -Dhost=disabled -Dbench=disabled
armv7a-hf        --cross-file toolchains/armv7a-hf.ini
riscv64          --cross-file toolchains/riscv64.ini
cortex-m0plus    --cross-file toolchains/cortex-m0plus.ini
cortex-m3        --cross-file toolchains/cortex-m3.ini
cortex-m4f       --cross-file toolchains/cortex-m4f.ini -Dwerror=true
cortex-m7        --cross-file toolchains/cortex-m7.ini
cortex-m33       --cross-file toolchains/cortex-m33.ini
cortex-m55       --cross-file toolchains/cortex-m55.ini
END
}

# Results are lines "passed TEXT", "failed TEXT" or "skipped TEXT" in a file for each configuration and check, so that
# what runs side by side cannot mix them up.
passed() { echo "passed $2" >>"$logs/$1.results"; }
failed() { echo "failed $2" >>"$logs/$1.results"; }

# Reads Meson's log of a test run: appends its results, and writes what the self-test printed to a file.
read_test_log() {
    python3 - "$1" "build/$1/meson-logs/testlog.json" "$logs" <<'END'
import json
import re
import sys

name, log, logs = sys.argv[1:]
words = {"OK": "passed", "EXPECTEDFAIL": "passed", "SKIP": "skipped"}
with open(log, encoding="utf-8") as lines, open(f"{logs}/{name}.results", "a", encoding="utf-8") as results:
    for line in lines:
        test = json.loads(line)
        # "suite / name" or, from newer versions, "suite - project:name".
        short = re.split(r" / | - ", test["name"])[-1].split(":")[-1]
        print(words.get(test["result"], "failed"), f"test {short}", file=results)
        if short == "selftest":
            with open(f"{logs}/{name}.selftest", "w", encoding="utf-8") as output:
                output.write(test.get("stdout", ""))
END
}

run_configuration() {
    local name=$1 begun=$SECONDS log=$logs/$1.log
    local -a arguments
    read -r -a arguments < <(configurations | awk -v name="$name" '$1 == name { $1 = ""; print }')
    rm -f "$logs/$name".*
    # What was configured otherwise, or not to the end, starts anew.
    if [ ! -f "build/$name/build.ninja" ] || [ "$(cat "build/$name/.configured" 2>/dev/null)" != "${arguments[*]}" ]; then
        rm -rf "build/$name"
        if ! meson setup "build/$name" "${arguments[@]}" >"$log" 2>&1; then
            failed "$name" configure
            return
        fi
        printf '%s\n' "${arguments[*]}" >"build/$name/.configured"
    fi
    if ! ninja -C "build/$name" -j 1 >>"$log" 2>&1; then
        failed "$name" build
        return
    fi
    passed "$name" build
    rm -f "build/$name/meson-logs/testlog.json"
    # Its exit status says the same as its log.
    meson test -C "build/$name" --no-rebuild --print-errorlogs --num-processes 1 >>"$log" 2>&1 || true
    if [ -f "build/$name/meson-logs/testlog.json" ]; then
        read_test_log "$name"
    else
        failed "$name" "tests did not run"
    fi
    printf '%-16s %4d s\n' "$name" $((SECONDS - begun))
}

# Every file of ours, also one that was not committed yet.
our_files() {
    git ls-files --cached --others --exclude-standard -- "$@" | sort -u | while read -r file; do
        [ ! -f "$file" ] || printf '%s\n' "$file"
    done
}

# Each of these prints to its log and says by its status whether all is well.
check_selftest() {
    local file simd status=0 count=0
    # Every back end of the native build too; exit code 2 is a processor that cannot run one.
    for simd in scalar sse2 avx2 avx512; do
        SAMARA_SIMD=$simd "build/$reference/ports/selftest/selftest" >"$logs/$reference-$simd.selftest" ||
            { [ $? -eq 2 ] && rm "$logs/$reference-$simd.selftest" && echo "not on this processor: $simd"; } || status=1
    done
    for file in "$logs"/*.selftest; do
        count=$((count + 1))
        if ! diff --label recorded --label "$(basename "$file" .selftest)" -u tests/data/selftest.txt "$file"; then
            status=1
        fi
    done
    echo "compared with tests/data/selftest.txt: $count"
    [ "$count" -gt 1 ] && return "$status"
}
check_install() { tests/check_install.sh "build/$reference" build/install; }
# Writes its table to a file of its own too.
check_sizes() { python3 tests/sizes.py; }
check_format() { our_files '*.hpp' '*.cpp' | xargs clang-format --dry-run -Werror; }
check_tidy() { python3 tests/tidy.py build/native build/tidy; }
check_scripts() {
    local file status=0
    while read -r file; do
        bash -n "$file" || status=1
        # With CDPATH set, `cd` may go elsewhere, and prints where it went, into what takes the output of a script.
        if [[ $file == *.sh ]] && ! grep -A 1 -x 'set -euo pipefail' "$file" | grep -qx 'unset CDPATH'; then
            echo "$file: expected 'unset CDPATH' behind 'set -euo pipefail'"
            status=1
        fi
        if command -v shellcheck >/dev/null; then
            shellcheck -x "$file" || status=1
        fi
    done < <(our_files '*.sh' .ci/run)
    return "$status"
}

run_check() {
    local name=$1 begun=$SECONDS
    rm -f "$logs/$name.results"
    if "check_$name" >"$logs/$name.log" 2>&1; then
        passed "$name" "$name"
        [ "$name" != sizes ] || cat "$logs/sizes.txt"
    else
        failed "$name" "$name"
    fi
    printf '%-16s %4d s\n' "$name" $((SECONDS - begun))
}

# One configuration, called from below so that two can run at a time.
if [ "${1:-}" = --one ]; then
    run_configuration "$2"
    exit 0
fi

mapfile -t known < <(configurations | awk '{ print $1 }')
wanted=("$@")
[ $# -gt 0 ] || wanted=("${known[@]}" "${checks[@]}")
for name in "${wanted[@]}"; do
    case " ${known[*]} ${checks[*]} " in
    *" $name "*) ;;
    *)
        echo "run.sh: unknown name '$name' (known: ${known[*]} ${checks[*]})" >&2
        exit 2
        ;;
    esac
done
is_wanted() { case " ${wanted[*]} " in *" $1 "*) true ;; *) false ;; esac }

mkdir -p "$logs"
[ "${SAMARA_SETUP:-yes}" = no ] || toolchains/setup.sh build cross lint

# Meson unpacks an archive when it is first needed, and not again when our build file for it has changed.
# Done here, because two configurations would do it at the same time.
unpacked=$(echo subprojects/kissfft-*/)
if [ -d "$unpacked" ] && ! cmp -s subprojects/packagefiles/kissfft/meson.build "$unpacked/meson.build"; then
    rm -rf "$unpacked"
fi
meson subprojects download samara-kissfft >"$logs/subprojects.log" 2>&1 || cat "$logs/subprojects.log"

for name in "${known[@]}"; do
    ! is_wanted "$name" || printf '%s\n' "$name"
done | xargs -r -P 2 -n 1 bash tests/run.sh --one
# It takes one processor for long, so the others go on beside it.
! is_wanted install || run_check install &
for name in "${checks[@]}"; do
    [ "$name" = install ] || ! is_wanted "$name" || run_check "$name"
done
wait

# The sum, and the logs of what went wrong.
passes=0 fails=0 skips=0
for name in "${wanted[@]}"; do
    results=$logs/$name.results
    [ -f "$results" ] || failed "$name" "ended without a result"
    passes=$((passes + $(grep -c '^passed' "$results" || true)))
    skips=$((skips + $(grep -c '^skipped' "$results" || true)))
    bad=$(grep -c '^failed' "$results" || true)
    if [ "$bad" -gt 0 ]; then
        fails=$((fails + bad))
        echo
        echo "---- $name: $(grep '^failed' "$results" | sed 's/^failed //' | paste -sd, | sed 's/,/, /g') (last lines of $logs/$name.log)"
        tail -n 60 "$logs/$name.log" || true
    fi
done
echo
if [ "$skips" -gt 0 ]; then
    echo "$passes passed, $fails failed, $skips skipped"
else
    echo "$passes passed, $fails failed"
fi
[ "$fails" -eq 0 ]
