#!/usr/bin/env bash
# From data to a microcontroller, from a fresh clone.
#
#   examples/quickstart.sh
#
# Installs what is missing (Debian, Ubuntu), trains a classifier of handwritten digits on the desk, seals it, exports it
# as C, links it into a firmware image for a Cortex-M4F, runs that on an emulated board, and compares every prediction
# of the test images. It asks nothing. SAMARA_SETUP=no installs nothing. Everything it writes is in build/.
set -euo pipefail
unset CDPATH
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

# build DIRECTORY TARGET [SETUP-ARGUMENT...]: with arguments, configures first.
build() {
    local directory=$1 target=$2
    shift 2
    # What was configured otherwise, or not to the end, starts anew.
    if [ $# -gt 0 ] && [ "$(cat "$directory/.configured" 2>/dev/null)" != "$*" ]; then
        rm -rf "$directory"
        quiet "$(basename "$directory")-setup.log" meson setup "$directory" "$@"
        printf '%s\n' "$*" >"$directory/.configured"
    fi
    quiet "$(basename "$directory")-build.log" ninja -C "$directory" "$target"
}

data=build/quickstart-data
mkdir -p "$data"
model=$data/digits.samara

say "2. On the desk: building the library and the tool."
build "$desk" ports/host/samara -Dhost=enabled -Dtests=disabled -Dexample_data="$PWD/$data"
samara=$desk/ports/host/samara

say "3. Training on three quarters of 1,797 images of 64 pixels: 128 features chosen of 2,048, readout in int8."
gzip -dc examples/data/digits.csv.gz >"$data/digits.csv"
awk 'NR % 4 != 0' "$data/digits.csv" >"$data/train.csv"
awk 'NR % 4 == 0' "$data/digits.csv" >"$data/test.csv"
"$samara" train arccos:orders=none --candidates 2048 --features 128 --readout int8 --loss squared --confidence \
    --in "$data/train.csv" --target column:-1 --out "$model" 2>&1 | sed 's/^samara: /   /'
awk '{ sub(/,[^,]*$/, ""); print }' "$data/test.csv" >"$data/inputs.csv"
"$samara" predict "$model" --in "$data/inputs.csv" --out "$data/predicted.csv" >"$logs/quickstart-predict.log" 2>&1 ||
    die "samara predict failed (its output is $logs/quickstart-predict.log)"
"$samara" export "$model" --c-header --name digits_model --out "$data/digits_model.h"
awk '{ print "{" $0 "}," }' "$data/test.csv" >"$data/digits_test.inc"
build "$desk" examples/predict
"$desk/examples/predict" >"$logs/quickstart-desk.txt" || die "the desk's example failed"

say "4. For a Cortex-M4F: building examples/predict.cpp with that model, and running it on an emulated board."
build "$board" examples/predict --cross-file toolchains/cortex-m4f.ini -Dtests=disabled -Dexample_data="$PWD/$data"
build "$board" examples/adapt
# With -icount an instruction takes 64 ns of the board's clock, whatever the machine below is doing: the counts are exact
# and the same in every run.
run_on_board() {
    timeout 300 qemu-system-arm -M mps2-an386 -nographic -monitor none -serial none -chardev stdio,id=console \
        -semihosting-config enable=on,target=native,chardev=console -icount shift=6 -kernel "$board/examples/$1" \
        </dev/null >"$logs/quickstart-$1.txt" || {
        cat "$logs/quickstart-$1.txt" >&2
        die "the firmware failed: $1"
    }
}
run_on_board predict
say "5. The same board learns: its sensor has drifted (images dimmed and moved by a pixel), and labelled images come in."
run_on_board adapt

# value PROGRAM WHAT: of what the board printed
value() { awk -v what="$2" '$1 == what { print $2 }' "$logs/quickstart-$1.txt"; }

images=$(value predict images)
awk '$1 == "digit" { print $2 }' "$logs/quickstart-predict.txt" >"$data/board.txt"
grep -v '[^0-9]' "$data/predicted.csv" >"$data/desk.txt" || true
same=$(paste "$data/desk.txt" "$data/board.txt" | awk '$1 == $2 { n++ } END { print n + 0 }')
of_desk=$(awk '$1 == "crc" { print $2 }' "$logs/quickstart-desk.txt")
of_board=$(value predict crc)

read -r text initialised bss < <(arm-none-eabi-size "$board/examples/predict" | awk 'NR == 2 { print $1, $2, $3 }')
say
say "  test images                       $images"
say "  predictions equal, desk and board $same"
say "  CRC-32 of all scores' bits        desk $of_desk, board $of_board"
say "  right                             $(value predict right) ($(awk -v r="$(value predict right)" -v n="$images" 'BEGIN { printf "%.1f", 100 * r / n }') %)"
say
say "  the sealed model                  $(value predict model) bytes of flash"
say "  code and constants of the image   $((text + initialised - $(value predict model) - 65 * images)) bytes of flash, start-up and printing among them"
say "  RAM of the predictor              $(value predict ram) bytes"
say "  stack                             $(value predict stack) bytes"
say "  instructions a prediction         $(value predict instructions)"
say "  (static RAM of the whole image    $((initialised + bss)) bytes)"
say
say "  learning on the board, right:     $(value adapt percent_before) % before, $(value adapt percent_drifted) % after the drift, $(value adapt percent_adapted) % after learning"
say "  instructions a learned image      $(value adapt instructions), RAM $(value adapt ram) bytes"
say

if [ "$same" != "$images" ] || [ -z "$of_board" ] || [ "$of_desk" != "$of_board" ]; then
    say "Desk and board differ."
    exit 1
fi
say "Desk and board agree on all $images predictions, and on every bit of their scores."
