#!/usr/bin/env bash
# From a fresh clone to the same features on the desk and on a microcontroller.
#
#   examples/quickstart.sh
#
# Installs what is missing (Debian, Ubuntu), builds the library for this machine and for a Cortex-M4F, computes two
# feature maps of twenty images of digits on both (the board is emulated), and compares every bit. It asks nothing.
# SAMARA_SETUP=no installs nothing. Everything it writes is in build/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# Another project's environment must not choose compilers or flags.
unset CC CXX CFLAGS CXXFLAGS CPPFLAGS LDFLAGS

desk=build/quickstart-desk
board=build/quickstart-cortex-m4f
logs=build/logs
mkdir -p "$logs"

say() { printf '%s\n' "$*"; }
die() {
    printf 'quickstart: %s\n' "$*" >&2
    exit 1
}

# quiet LOG COMMAND...: only a failure is shown.
quiet() {
    local log=$logs/$1
    shift
    if ! "$@" >"$log" 2>&1; then
        tail -n 60 "$log" >&2
        die "failed: $* (the whole log is $log)"
    fi
}

commands=(meson ninja g++ arm-none-eabi-g++ arm-none-eabi-size qemu-system-arm)
missing=()
for command in "${commands[@]}"; do
    command -v "$command" >/dev/null || missing+=("$command")
done

if [ "${SAMARA_SETUP:-yes}" != no ] && command -v apt-get >/dev/null; then
    say "1. Tools: the compiler, Meson, the cross compilers and QEMU, as far as they are missing here."
    say "   The distribution's packages: 750 MB to fetch and 4 GB on disk where there was nothing. What is still to"
    say "   install, and its size:"
    toolchains/setup.sh build cross | tee "$logs/quickstart-setup.log" | sed -u 's/^setup: /   /'
    [ -s "$logs/quickstart-setup.log" ] || say "   nothing"
elif [ ${#missing[@]} -gt 0 ]; then
    die "not found: ${missing[*]}; install them, then run this again"
else
    say "1. Tools: all there; nothing is installed."
fi

# build DIRECTORY TARGET SETUP-ARGUMENT...
build() {
    local directory=$1 target=$2
    shift 2
    # What was not configured to the end starts anew.
    if [ ! -f "$directory/build.ninja" ]; then
        rm -rf "$directory"
        quiet "$(basename "$directory")-setup.log" meson setup "$directory" "$@"
    fi
    quiet "$(basename "$directory")-build.log" ninja -C "$directory" "$target"
}

say "2. On the desk: building, and computing the features."
build "$desk" examples/features_desk -Dhost=disabled -Dtests=disabled -Dbench=disabled
"$desk/examples/features_desk" >"$logs/quickstart-desk.txt" || die "the desk's example failed"

say "3. For a Cortex-M4F: building the same maps, and running the image on an emulated board."
image=$board/examples/features_firmware
build "$board" examples/features_firmware --cross-file toolchains/cortex-m4f.ini -Dtests=disabled
# With -icount an instruction takes 64 ns of the board's clock, whatever the machine below is doing: the counts are exact
# and the same in every run.
if ! timeout 300 qemu-system-arm -M mps2-an386 -nographic -monitor none -serial none -chardev stdio,id=console \
    -semihosting-config enable=on,target=native,chardev=console -icount shift=6 -kernel "$image" \
    </dev/null >"$logs/quickstart-board.txt"; then
    cat "$logs/quickstart-board.txt" >&2
    die "the firmware failed"
fi

# value FILE MAP WHAT
value() { awk -v map="$2" -v what="$3" '$1 == map && $2 == what { print $3 }' "$1"; }

say
say "Features of 20 digits, 64 -> 256, CRC-32 of all bits:"
say
printf '  %-8s %-10s %-10s\n' map desk board
equal=0 differing=0
for map in rff arccos; do
    of_desk=$(value "$logs/quickstart-desk.txt" "$map" crc)
    of_board=$(value "$logs/quickstart-board.txt" "$map" crc)
    if [ -n "$of_desk" ] && [ "$of_desk" = "$of_board" ]; then
        verdict=equal
        equal=$((equal + 1))
    else
        verdict=DIFFERENT
        differing=$((differing + 1))
    fi
    printf '  %-8s %-10s %-10s %s\n' "$map" "${of_desk:-none}" "${of_board:-none}" "$verdict"
done

read -r text data bss < <(arm-none-eabi-size "$image" | awk 'NR == 2 { print $1, $2, $3 }')
say
say "What they take on the Cortex-M4F (bytes; RAM is the map's own memory):"
say
printf '  %-8s %8s %8s %20s\n' map RAM stack "instructions/sample"
for map in rff arccos; do
    printf '  %-8s %8s %8s %20s\n' "$map" "$(value "$logs/quickstart-board.txt" "$map" ram)" \
        "$(value "$logs/quickstart-board.txt" "$map" stack)" "$(value "$logs/quickstart-board.txt" "$map" instructions)"
done
say
say "  flash of the whole image, both maps, the digits and the start-up code in it: $((text + data)) bytes"
say "  (code and constants $text, initialised data $data; static RAM of everything $bss)"
say

if [ "$differing" -gt 0 ]; then
    say "$equal maps equal, $differing different: the board does not compute what the desk computes."
    exit 1
fi
say "$equal maps equal, 0 different: the board computes the desk's features, bit for bit, and no weight was stored."
