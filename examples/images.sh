#!/usr/bin/env bash
# Random features of the convolutional Neural Tangent Kernel on images, in one command: after Table 1 of arXiv
# 2106.07880.
#
#   examples/images.sh DIRECTORY --images X.npy --labels Y.npy --test-images X.npy --test-labels Y.npy [OPTION...]
#
# Images are NPY files of (rows, height, width) or (rows, height, width, channels), CIFAR-10 for instance, labels of
# integers. Builds the desk's tool in build/images, trains and evaluates each map at each number of features, and writes
# a table and a drawing into DIRECTORY. --help lists the options.
set -euo pipefail
unset CDPATH
export LC_ALL=C

usage="usage: images.sh DIRECTORY --images X.npy --labels Y.npy --test-images X.npy --test-labels Y.npy
                 [--maps MAP;MAP] [--sizes N,N] [--seeds N] [--scale S] [--ridge R] [--exact] [--threads N]
                 [--samara FILE] [--plot FILE]

Trains and evaluates maps at several numbers of features. Into DIRECTORY go images.csv, images.md and images.svg.

  --maps MAP;MAP  as 'samara train' takes them, without features
                  (default: cntk;cntk-gradient;arccos:orders=none)
  --sizes N,N     numbers of features (default: 512,1024,2048,4096)
  --seeds N       of each map and size, of which the table has the means (default: 1)
  --scale S       none, channel, unit ...: as 'samara train' takes it (default: none)
  --ridge R       as 'samara train' takes it (default: auto)
  --exact         also the exact kernel of the first map: of 32 x 32 pixels one core makes some 600 pairs a second, and
                  n rows and t test rows are n n / 2 + n t pairs
  --threads N     how many threads compute (default: all of the machine)
  --samara FILE   the tool, in place of building it
  --plot FILE     the program images_plot, in place of building it"

# wrong SENTENCE: what the caller has to mend
wrong() {
    printf 'images.sh: %s\n' "$*" >&2
    exit 2
}

out="" images="" labels="" test_images="" test_labels="" maps="cntk;cntk-gradient;arccos:orders=none"
sizes=512,1024,2048,4096 seeds=1 scale=none ridge=auto exact=no threads=$(getconf _NPROCESSORS_ONLN) samara="" plot=""
while [ $# -gt 0 ]; do
    case $1 in
    -h | --help)
        printf '%s\n' "$usage"
        exit 0
        ;;
    --exact)
        exact=yes
        shift
        continue
        ;;
    --*=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" ;;
    --*) ;;
    *)
        [ -z "$out" ] || wrong "found a second directory '$1', expected one"
        out=$1
        shift
        continue
        ;;
    esac
    case $1 in
    --images | --labels | --test-images | --test-labels | --maps | --sizes | --seeds | --scale | --ridge | --threads | \
        --samara | --plot)
        [ -n "${2-}" ] || wrong "$1: found no value after it"
        declare "$(tr - _ <<<"${1#--}")=$2"
        ;;
    *) wrong "found the unknown option '$1', expected one of those that --help lists" ;;
    esac
    shift 2
done
[ -n "$out" ] || wrong "found no DIRECTORY, expected one for the table and the drawing (--help)"
for file in images labels test_images test_labels; do
    [ -n "${!file}" ] || wrong "found no --${file/_/-}, expected an NPY file (--help)"
    [ -r "${!file}" ] || wrong "--${file/_/-}: cannot read '${!file}'"
done
[[ $sizes =~ ^[1-9][0-9]*(,[1-9][0-9]*)*$ ]] || wrong "--sizes: found '$sizes', expected whole numbers joined by commas"
[[ $seeds =~ ^[1-9][0-9]{0,2}$ ]] || wrong "--seeds: found '$seeds', expected a whole number from 1 to 999"
mkdir -p "$out" 2>/dev/null || wrong "cannot write into '$out'"

# shellcheck source=examples/host_program.sh
. "$(dirname "${BASH_SOURCE[0]}")/host_program.sh"
if [ -z "$samara" ]; then
    build_host_program samara images
    samara=$program
fi
if [ -z "$plot" ]; then
    build_host_program images_plot images
    plot=$program
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# run COMMAND...: what it prints is in $work/said; an error ends all. `seconds` it took.
run() {
    local begun=$EPOCHREALTIME
    "$@" >"$work/said" 2>&1 || {
        cat "$work/said" >&2
        exit 1
    }
    seconds=$(awk -v begun="$begun" -v end="$EPOCHREALTIME" 'BEGIN { printf "%.1f", end - begun }')
}
training=(--scale "$scale" --ridge "$ridge" --threads "$threads" --in "$images" --target "$labels")
testing=(--in "$test_images" --target "$test_labels" --most-operations any --threads "$threads" --json)

echo "map,features,seed,accuracy,train_seconds,evaluate_seconds" >"$out/images.csv"
# A line behind the others, which is printed too.
add() { printf '%s\n' "$*" | tee -a "$out/images.csv"; }
IFS=';' read -r -a all_maps <<<"$maps"
IFS=, read -r -a all_sizes <<<"$sizes"
for map in "${all_maps[@]}"; do
    for size in "${all_sizes[@]}"; do
        for ((seed = 0; seed < seeds; ++seed)); do
            run "$samara" train "$map" --features "$size" --seed "$seed" "${training[@]}" --out "$work/model.samara"
            train_seconds=$seconds
            run "$samara" evaluate "$work/model.samara" "${testing[@]}"
            accuracy=$(sed -n 's/.*"accuracy": *\([0-9.e-]*\).*/\1/p' "$work/said" | awk '{ printf "%.2f", 100 * $1 }')
            # A map's keys have commas.
            add "${map//,/ },$size,$seed,$accuracy,$train_seconds,$seconds"
        done
    done
done
if [ "$exact" = yes ]; then
    run "$samara" train "${all_maps[0]}" --exact "${training[@]}" --test-in "$test_images" --test-target "$test_labels"
    accuracy=$(sed -n 's/.*test: accuracy \([0-9.]*\) %.*/\1/p' "$work/said")
    add "exact ${all_maps[0]//,/ },,,$accuracy,$seconds,"
fi

# Means over the seeds, in the order of the lines.
awk -F , 'NR == 1 { print "| map | features | accuracy | training, s | test, s |\n|---|---|---|---|---|"; next }
    { key = $1 " | " $2; if (!(key in count)) order[++keys] = key
      ++count[key]; accuracy[key] += $4; train[key] += $5; test[key] += $6; tested[key] = $6 != "" }
    END { for (i = 1; i <= keys; ++i) { key = order[i]; n = count[key]
        printf "| %s | %.1f %% | %.1f | %s |\n", key, accuracy[key] / n, train[key] / n,
            (tested[key] ? sprintf("%.1f", test[key] / n) : "") } }' "$out/images.csv" >"$out/images.md"
cat "$out/images.md"
run "$plot" "$out/images.csv" "$out/images.svg"
