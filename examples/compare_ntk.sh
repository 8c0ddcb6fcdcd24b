#!/usr/bin/env bash
# How near random features come to the neural tangent kernel, map by map: after Figures 1 and 2 of arXiv 2104.01351.
#
#   examples/compare_ntk.sh [OPTION...]
#
# Builds the desk's tool in build/compare-ntk, asks `samara compare` for every map and size, and prints tables; --help
# lists the options. Where there is a gnuplot, it draws both figures, too.
set -euo pipefail
unset CDPATH
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# Another project's environment must not choose compilers or flags, nor the reader's language how numbers look.
unset CC CXX CFLAGS CXXFLAGS CPPFLAGS LDFLAGS
export LC_ALL=C

usage="usage: compare_ntk.sh [--quick] [--data digits|directions] [--rows N] [--seeds N] [--threads N]
                      [--out DIRECTORY] [--samara FILE]

Compares random features of the neural tangent kernel with the kernel itself, and prints tables.

  --quick          fewer rows, depths, sizes and seeds: some seconds
  --data WHICH     digits: images of 8 x 8 pixels from examples/data (default); directions: random ones of 64 numbers;
                   all rows are brought to length 1
  --rows N         how many rows, 10 to 1797 (default: 300; 120 with --quick)
  --seeds N        random maps of each kind and size, 2 to 1000 (default: 5; 3 with --quick)
  --threads N      how many comparisons at a time (default: the machine's cores)
  --out DIRECTORY  for the rows, the tables and the figures (default: build/compare-ntk-results)
  --samara FILE    the tool, in place of building it"

# wrong SENTENCE: what the caller has to mend
wrong() {
    printf 'compare_ntk.sh: %s\n' "$*" >&2
    exit 2
}

# whole OPTION TEXT LEAST MOST
whole() {
    if ! [[ $2 =~ ^[0-9]{1,6}$ ]] || ((10#$2 < $3 || 10#$2 > $4)); then
        wrong "$1: found '$2', expected a whole number from $3 to $4"
    fi
}

quick=no data=digits rows="" seeds="" threads=$(getconf _NPROCESSORS_ONLN) out=$root/build/compare-ntk-results samara=""
while [ $# -gt 0 ]; do
    case $1 in
    -h | --help)
        printf '%s\n' "$usage"
        exit 0
        ;;
    --quick)
        quick=yes
        shift
        continue
        ;;
    --*=*)
        set -- "${1%%=*}" "${1#*=}" "${@:2}"
        ;;
    esac
    case $1 in
    --data | --rows | --seeds | --threads | --out | --samara)
        [ -n "${2-}" ] || wrong "$1: found no value after it"
        ;;
    esac
    case $1 in
    --data) data=$2 ;;
    --rows) rows=$2 ;;
    --seeds) seeds=$2 ;;
    --threads) threads=$2 ;;
    --out) out=$2 ;;
    --samara) samara=$2 ;;
    *) wrong "found the unknown argument '$1', expected one of those that --help lists" ;;
    esac
    shift 2
done

depths=(1 2 4) sizes=(256 512 1024 2048 4096 8192) relu_sizes=(125 250 500 1000 2000)
if [ $quick = yes ]; then
    depths=(1 2) sizes=(256 1024) relu_sizes=(125 500)
    rows=${rows:-120} seeds=${seeds:-3}
fi
rows=${rows:-300} seeds=${seeds:-5}
whole --rows "$rows" 10 1797
whole --seeds "$seeds" 2 1000
whole --threads "$threads" 1 1024
rows=$((10#$rows)) seeds=$((10#$seeds)) threads=$((10#$threads))
case $data in digits | directions) ;; *) wrong "--data: found '$data', expected digits or directions" ;; esac
[ -z "$samara" ] || { [ -f "$samara" ] && [ -x "$samara" ]; } || wrong "--samara: found no program '$samara'"
case $samara in */* | "") ;; *) samara=./$samara ;; esac
if ! mkdir -p "$out" 2>/dev/null || [ ! -w "$out" ]; then
    wrong "--out: cannot write in the directory '$out'"
fi
out=$(cd "$out" && pwd)
log=$out/log.txt

# quiet COMMAND...: only a failure is shown.
quiet() {
    if ! "$@" >"$log" 2>&1; then
        tail -n 40 "$log" >&2
        echo "compare_ntk.sh: failed: $* (the whole log is $log)" >&2
        exit 1
    fi
}
if [ -z "$samara" ]; then
    build=$root/build/compare-ntk
    mkdir -p "$root/build"
    [ -f "$build/build.ninja" ] || quiet meson setup "$build" "$root" -Dhost=enabled -Dtests=disabled
    quiet ninja -C "$build" ports/host/samara
    samara=$build/ports/host/samara
fi

# The kernels are functions of the cosine times both lengths: at length 1 no row weighs more than another.
# shellcheck disable=SC2016
to_length_1='
    {
        square = 0
        for (i = 1; i <= 64; ++i) square += $i * $i
        for (i = 1; i <= 64; ++i) printf "%.9g%s", $i / sqrt(square), i < 64 ? "," : "\n"
    }'
case $data in
digits) # as many as asked for, evenly out of all; the label at the end of a line is left
    gzip -dc "$root/examples/data/digits.csv.gz" |
        awk -v n="$rows" 'int(NR * n / 1797) > int((NR - 1) * n / 1797)' | awk -F , "$to_length_1"
    ;;
directions) # by a generator of our own, for the same rows under every awk
    awk -v n="$rows" '
        function uniform() { return (state = state * 16807 % 2147483647) / 2147483647 }
        BEGIN {
            state = 1
            for (row = 0; row < n; ++row)
                for (i = 1; i <= 64; ++i)
                    printf "%.9g%s", sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform()), i < 64 ? "," : "\n"
        }' | awk -F , "$to_length_1"
    ;;
esac >"$out/rows.csv"

# compared MAP SEEDS: features used, then error, centred error and condition number, each with its deviation.
# Maps of a fixed number of features leave zeros behind them; the sizes that the tool chose tell how many they use.
compared() {
    "$samara" compare "$1" --in "$out/rows.csv" --seeds "$2" --threads 1 --json |
        awk -F '"mean": |, "standard_deviation": |, "values"' '
            function size(key) {
                if (!match(map, "[:,]" key "=[0-9]+")) return 0
                return substr(map, RSTART + length(key) + 2, RLENGTH - length(key) - 2) + 0
            }
            function number(text) { return text == "null" ? "nan" : sprintf("%.4g", text) }
            function pair(name) { return "\t" number(mean[name]) "\t" number(deviation[name]) }
            /^ *"map":/ { map = $0 }
            /^ *"inputs":/ { split($0, words, /[:,]/); inputs = words[2] + 0 }
            NF > 3 { split($1, words, "\""); mean[words[2]] = $2; deviation[words[2]] = $3 }
            END {
                used = size("features"); depth = size("depth"); width = size("width")
                if (width > 0)
                    used = inputs * width + (depth - 1) * width * width + width
                if (map ~ /sketch=none/) {
                    used = inputs
                    for (layer = 0; layer < depth; ++layer) used = used * size("step") + size("relu")
                }
                print used pair("relative_frobenius") pair("centred_relative_frobenius") pair("condition_number")
            }'
}

# The relative error of the constant nearest to the kernel of this depth, which is the mean of its entries.
constant() {
    "$samara" kernel "ntk:depth=$1" --in "$out/rows.csv" --threads 1 | awk -F , '
        { for (i = 1; i <= NF; ++i) { sum += $i; squares += $i * $i; ++count } }
        END { printf "%.4g\n", sqrt(1 - sum * sum / count / squares) }'
}

named=(
    ntk:sketch=none
    "ntk:sketch=count,orders=none,rows=dense"
    "ntk:sketch=srht,orders=none"
    "ntk-sketch:orders=none"
    ntk-sketch
    ntk-poly
    ntk
)
# Before them whatever other map the tool has of this kernel.
catalogue=$("$samara" maps)
mapfile -t others < <(awk -v named=" ${named[*]} " '
    /^[^ ]/ { name = $1 }
    /^ .*Neural Tangent Kernel/ && !/convolutional/ && !index(named, " " name " ") { print name }' <<<"$catalogue")
maps=("${others[@]}" "${named[@]}")
relu_maps=("arccos:rows=dense,orders=none" "arccos:rows=unit,orders=none" arccos)
# They differ by less than a map does from seed to seed, and cost little.
relu_seeds=$((4 * seeds))

# with MAP KEYS: a map's text with keys added to it
with() { case $1 in *:*) printf '%s,%s' "$1" "$2" ;; *) printf '%s:%s' "$1" "$2" ;; esac; }

parts=$out/parts
rm -rf "$parts"
mkdir "$parts"
# What is still at work when this ends early must end, too: as groups, which job control makes of them.
set -m
clean() {
    local job
    for job in $(jobs -p); do kill -- "-$job" 2>/dev/null || true; done
    rm -rf "$parts"
}
trap clean EXIT

started=0 finished=0
total=$((${#depths[@]} * (1 + ${#maps[@]} * ${#sizes[@]}) + ${#relu_maps[@]} * ${#relu_sizes[@]}))
# one_done: waits for one of those at work
one_done() {
    wait -n || {
        [ ! -t 2 ] || echo >&2
        cat "$parts"/*.log >&2
        echo "compare_ntk.sh: a comparison failed" >&2
        exit 1
    }
    finished=$((finished + 1))
    if [ -t 2 ]; then # progress is for terminals
        printf '\r\033[Kcompare_ntk.sh: %s of %s comparisons' "$finished" "$total" >&2
        [ "$finished" -lt "$total" ] || printf '\r\033[K' >&2
    fi
}
# start NAME COMMAND...: in the background; what it prints is the part of that name
start() {
    local name=$1
    shift
    [ $((started - finished)) -lt "$threads" ] || one_done
    "$@" >"$parts/$name" 2>"$parts/$name.log" &
    started=$((started + 1))
}
# One thread each: matrices of some hundred rows are too small to share.
for depth in "${depths[@]}"; do
    start "$depth" constant "$depth"
    for map in "${maps[@]}"; do
        for size in "${sizes[@]}"; do
            start "$depth $map $size" compared "$(with "$map" "depth=$depth,features=$size")" "$seeds"
        done
    done
done
for map in "${relu_maps[@]}"; do
    for size in "${relu_sizes[@]}"; do
        start "$map $size" compared "$(with "$map" "order=1,features=$size")" "$relu_seeds"
    done
done
while [ "$finished" -lt "$total" ]; do one_done; done
set +m

echo "Data: $data, $rows rows of 64 numbers at length 1. Seeds: $seeds; +- is the standard deviation over them."
echo
echo "Error of the neural tangent kernel's matrix, relative, in the Frobenius norm, after Figure 2 of arXiv 2104.01351:"
echo "that of ZZ', Z the features, and the same of both matrices less the means of their rows and columns (centred),"
echo "which is what a learner with an intercept sees. The naive form (ntk:sketch=none) and ${others[*]} come in certain"
echo "numbers of features only: used is the largest one within those asked for."
row='%5s  %-40s %8s %8s %9s %9s %9s %9s\n'
printf 'depth\tmap\tfeatures\tused\terror\terror_deviation\tcentred\tcentred_deviation\n' >"$out/figure2.tsv"
constants=()
for depth in "${depths[@]}"; do
    constant=$(cat "$parts/$depth")
    constants+=("$constant")
    echo
    # shellcheck disable=SC2059
    printf "$row" depth map features used error +- centred +-
    # shellcheck disable=SC2059
    printf "$row" "$depth" "the best constant, in place of features" - - "$constant" - 1 -
    printf '%s\t%s\t-\t-\t%s\t0\t1\t0\n' "$depth" constant "$constant" >>"$out/figure2.tsv"
    for map in "${maps[@]}"; do
        for size in "${sizes[@]}"; do
            IFS=$'\t' read -r used error error_off centred centred_off _ <"$parts/$depth $map $size"
            # shellcheck disable=SC2059
            printf "$row" "$depth" "$map" "$size" "$used" "$error" "$error_off" "$centred" "$centred_off"
            printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$depth" "$map" "$size" "$used" "$error" "$error_off" "$centred" \
                "$centred_off" >>"$out/figure2.tsv"
        done
    done
done

echo
echo "The same errors at ${sizes[-1]} features, by depth:"
printf '%-41s' "map"
printf ' %9s' "${depths[@]}"
echo
printf '%-41s' "the best constant, in place of features"
printf ' %9s' "${constants[@]}"
echo
for map in "${maps[@]}"; do
    printf '%-41s' "$map"
    for depth in "${depths[@]}"; do
        printf ' %9s' "$(awk -F '\t' -v d="$depth" -v m="$map" -v n="${sizes[-1]}" \
            '$1 == d && $2 == m && $3 == n { print $5 }' "$out/figure2.tsv")"
    done
    echo
done

echo
echo "An error above that of the constant is worse than no features at all. Where +- is as large as an error, few seeds"
echo "make most of it: the polynomials of ntk-poly have heavy tails, and where all rows of the data point nearly the"
echo "same way, one unlucky random row spoils all of them at once."

echo
echo "Condition number of (K + lambda I)^(-1/2) (ZZ' + lambda I) (K + lambda I)^(-1/2) for relu features, K the"
echo "arc-cosine kernel of order 1, lambda = 1e-4 times the rows, after Figure 1 there; 1 is perfect."
echo "Seeds: $relu_seeds. rows=dense are the plain features, rows=unit those by leverage scores, drawn exactly and not"
echo "by Gibbs sampling. Expect a small gain of the second: of normal rows of 64 numbers the lengths, which are all"
echo "that the scores change, hardly differ. The default, arccos, has its low orders exact."
echo
row='%-40s %8s %14s %9s\n'
# shellcheck disable=SC2059
printf "$row" map features condition +-
printf 'map\tfeatures\tcondition\tcondition_deviation\n' >"$out/figure1.tsv"
for map in "${relu_maps[@]}"; do
    for size in "${relu_sizes[@]}"; do
        IFS=$'\t' read -r _ _ _ _ _ condition condition_off <"$parts/$map $size"
        # shellcheck disable=SC2059
        printf "$row" "$map" "$size" "$condition" "$condition_off"
        printf '%s\t%s\t%s\t%s\n' "$map" "$size" "$condition" "$condition_off" >>"$out/figure1.tsv"
    done
done

echo
echo "Tables: $out/figure1.tsv, $out/figure2.tsv"
if ! command -v gnuplot >/dev/null; then
    echo "gnuplot was not found: no figures are drawn."
    exit 0
fi
# From within, because a path may have characters in it that gnuplot's text has not.
cd "$out"
# The depths as panels; the names, which are long, have a panel of their own.
quiet gnuplot <<PLOT
set terminal svg size 1000,800 dynamic background "white" font "sans,13"
set datafile separator "\t"
set colorsequence podo
unset key
set termoption noenhanced
set logscale xy
set format y "%g"
set grid
set output "figure2.svg"
set multiplot layout 2,2
set xlabel "features used"
set ylabel "relative Frobenius error"
maps = "${maps[*]}"
of(depth, map) = \$1 == depth && strcol(2) eq map ? \$4 : NaN
depths = "${depths[*]}"
constants = "${constants[*]}"
do for [k = 1:words(depths)] {
    set title "depth ".word(depths, k)
    plot word(constants, k) + 0 with lines dt 2 lc "gray", \\
        for [i = 1:words(maps)] "figure2.tsv" using (of(word(depths, k) + 0, word(maps, i))):5:6 \\
        with yerrorlines pt i lc i
}
unset logscale
unset border
unset tics
unset grid
unset xlabel
unset ylabel
set title "$data, $rows rows, $seeds seeds"
set key center center
set xrange [0:1]
set yrange [0:1]
plot NaN with lines dt 2 lc "gray" title "the best constant", \\
    for [i = 1:words(maps)] NaN with linespoints pt i lc i title word(maps, i)
unset multiplot
PLOT
quiet gnuplot <<PLOT
set terminal svg size 700,500 dynamic background "white" font "sans,13"
set termoption noenhanced
set datafile separator "\t"
set colorsequence podo
set logscale xy
set format y "%g"
set grid
set output "figure1.svg"
set title "$data, $rows rows, $relu_seeds seeds"
set xlabel "features"
set ylabel "generalised condition number"
maps = "${relu_maps[*]}"
plot for [i = 1:words(maps)] "figure1.tsv" using (strcol(1) eq word(maps, i) ? \$2 : NaN):3:4 \\
    with yerrorlines pt i lc i title word(maps, i)
PLOT
echo "Figures: $out/figure1.svg, $out/figure2.svg"
