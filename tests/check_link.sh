#!/usr/bin/env bash
# check_link.sh NM READELF SIZE LIBRARY NAME IMAGE [OTHER-IMAGE]: an image of tests/link holds what its map needs and
# nothing of any other. NAME says what is in the image; "two_sizes" compares it with one that has one size.
set -euo pipefail
unset CDPATH
nm=$1 readelf=$2 size=$3 library=$4 name=$5 image=$(realpath "$6") other=${7:-}
failed=0

"$(dirname "${BASH_SOURCE[0]}")/check_firmware.sh" "$nm" "$readelf" "$image" "$library" || failed=1

# Names without arguments, so that a type in a signature is not taken for code.
names_in() { "$nm" --demangle "$1" | cut -c 12- | sed 's/(anonymous namespace):://g; s/(.*//' | sort -u; }
names=$(names_in "$image")

must_have() {
    local pattern
    for pattern in "$@"; do
        if ! grep -q -E "$pattern" <<<"$names"; then
            echo "$name: nothing in the image matches '$pattern': the test would not notice a change"
            failed=1
        fi
    done
}
must_not_have() {
    local pattern found
    for pattern in "$@"; do
        found=$(grep -i -E "$pattern" <<<"$names" || true)
        if [ -n "$found" ]; then
            echo "$name: in the image, though it must not be ('$pattern'):"
            printf '%s\n' "$found"
            failed=1
        fi
    done
}

# What belongs to one kind of rows, and what belongs to one map.
hadamard='hadamard' fastfood='fastfood' quasi='quasi|sobol' unit='unit_rows' gibbs='gibbs'
dense='dense_' heavy_tails='cauchy|laplace'
fourier='fourier|finish_p(air|hase)|RffSpec' arccos='arccos|finish_(relu|absolute|step|sign)|ArcCosSpec'
tensor='flipped_products' two='arccos1_two|finish_absolute_tail'
fft='kiss_fft|RealFft'
store='ModelStore|_slot$|program_piece|open_by'
layers='layers_(plain|naive)|layers_exact<true>|TensorSketch|PolySketch|mix_series'
# libm, and double arithmetic, which nothing here should use.
elsewhere="$fft|_kernel\$|__kernel_(sin|cos)|__ieee754|apply_function"

must_not_have "$elsewhere"
case $name in
store | opened_*) ;; # the latter open a model by what their own map checks
*) must_not_have "$store" ;;
esac
case $name in
store)
    must_have 'ModelStore::start' 'ModelStore::finish' 'whole_slot$' 'program_piece' 'Model::open_by'
    must_not_have "$dense" "$fastfood" "$quasi" "$unit" "$gibbs" "$heavy_tails" "$fourier" 'detail::save' 'samara::save'
    ;;
empty) must_not_have '^samara::(scalar|engine|detail)::' "$fourier" "$arccos" 'fill_' ;;
stream_only)
    must_have 'fill_normals'
    must_not_have '^samara::(engine|detail)::' "$hadamard" "$fastfood" "$quasi" "$unit" "$gibbs" "$dense" "$heavy_tails" \
        "$fourier" "$arccos"
    ;;
function)
    # A C function costs hardly more than the predictor behind it: 3 % of code, constants and model.
    more=$(($("$size" "$image" | awk 'NR == 2 { print $1 }') - $("$size" "$other" | awk 'NR == 2 { print $1 }')))
    whole=$(($("$size" "$other" | awk 'NR == 2 { print $1 }') - $("$size" "$(dirname "$image")/link_empty" | awk 'NR == 2 { print $1 }')))
    echo "the C function takes $more bytes more than the predictor's $whole"
    if [ $((100 * more)) -gt $((3 * whole)) ]; then
        failed=1
    fi
    must_have 'digits_predict' 'hadamard_kept_rows'
    must_not_have "$dense" "$fastfood" "$quasi" "$unit" "$gibbs" "$heavy_tails" "$fourier" 'add_readout_float' 'Model::open' '_operations'
    ;;
predictor)
    must_have 'hadamard_kept_rows' 'arccos' 'add_readout_int8'
    must_not_have 'hadamard_rows'  "$dense" "$fastfood" "$quasi" "$unit" "$gibbs" "$heavy_tails" "$fourier" 'add_readout_float' 'Model::open' '_operations'
    ;;
whole)
    must_have 'integer_rows' 'add_whole8' 'WholeScaling::apply'
    must_not_have "$hadamard" "$dense" "$fastfood" "$quasi" "$unit" "$gibbs" "$heavy_tails" "$fourier" "$arccos" "$two" "$tensor" \
        'add_whole4' 'add_readout' 'Model::open' '_operations' '^samara::scalar::' '__aeabi_(f|d)' '__aeabi_(i|ui|l|ul)2(f|d)' \
        '__(add|sub|mul|div|fixs?|float)[a-z]*[sd]f' 'whole_waves' 'cosines' 'add_signed' 'take_others'
    # The way in which this model keeps its rows, and no other; no functions of other models through a table.
    must_not_have 'ChosenRows'
    if [ "$(grep -c 'take_features<' <<<"$names")" != 1 ]; then
        echo "$name: expected one take_features, found:"
        grep 'take_features<' <<<"$names" || true
        failed=1
    fi
    # The code of a prediction, without the model's bytes. A Cortex-M0+ has no instruction that divides; what divides
    # 64 bits is in the program that measures.
    bytes_of_model=$((16#$("$nm" -S "$image" | awk '$4 == "digits_whole_model" { print $2 }')))
    text=$("$size" "$image" | awk 'NR == 2 { print $1 }')
    text_of_empty=$("$size" "$(dirname "$image")/link_empty" | awk 'NR == 2 { print $1 }')
    echo "$name: $((text - text_of_empty - bytes_of_model)) bytes without the model"
    if [ "$(basename "$(dirname "$(dirname "$(dirname "$image")")")")" = cortex-m0plus ]; then
        must_not_have '__aeabi_u?idiv(mod)?$' '__u?divsi3'
        if [ $((text - text_of_empty - bytes_of_model)) -gt 4096 ]; then
            echo "$name: more than 4 KB"
            failed=1
        fi
    fi
    ;;
whole_fourier)
    must_have 'integer_rows' 'add_signed8' 'WholeScaling::apply' 'whole_waves' 'cosines'
    must_not_have "$hadamard" "$dense" "$fastfood" "$quasi" "$unit" "$gibbs" "$heavy_tails" 'plan_fourier' 'finish_' "$arccos" \
        "$two" "$tensor" 'add_whole' 'add_signed4' 'add_readout' 'Model::open' '_operations' '^samara::scalar::' \
        '__aeabi_(f|d)' '__aeabi_(i|ui|l|ul)2(f|d)' '__(add|sub|mul|div|fixs?|float)[a-z]*[sd]f'
    ;;
whole_local)
    # No float, no division, no stream: filters are drawn while compiling.
    must_have 'local_feature' 'add_of_table' 'add_whole4' 'add_one4' 'WholeScaling::apply'
    must_not_have "$hadamard" "$dense" "$fastfood" "$quasi" "$unit" "$gibbs" "$heavy_tails" "$fourier" "$arccos" "$two" "$tensor" \
        'integer_rows' 'add_whole8' 'add_signed' 'add_one8' 'add_drawn' 'local_filter' 'mix64' 'add_readout' 'Model::open' '_operations' \
        '^samara::scalar::' '__aeabi_(f|d)' '__aeabi_(i|ui|l|ul)2(f|d)' '__(add|sub|mul|div|fixs?|float)[a-z]*[sd]f' 'ChosenRows'
    if [ "$(basename "$(dirname "$(dirname "$(dirname "$image")")")")" = cortex-m0plus ]; then
        must_not_have '__aeabi_u?idiv(mod)?$' '__u?divsi3'
    fi
    ;;
opened_*)
    # A model that is opened, for a stream: both forms and both ways of keeping filters, and no float.
    must_not_have 'ModelStore' '_slot$' 'program_piece'
    must_have 'LocalStream::start' 'advance_of_table' 'advance_drawn' 'of_window' 'WholeScaling::apply'
    must_not_have "$hadamard" "$dense" "$fastfood" "$quasi" "$unit" "$gibbs" "$heavy_tails" "$fourier" "$arccos" "$two" "$tensor" \
        'integer_rows' 'add_signed' 'add_readout' '^samara::scalar::' '__aeabi_(f|d)' '__aeabi_(i|ui|l|ul)2(f|d)' \
        '__(add|sub|mul|div|fixs?|float)[a-z]*[sd]f'
    ;;
stream_*)
    # No float, no division, no stream of random words: filters are drawn while compiling. Of the two forms the one that
    # the program has taken, and of the whole prediction what that form needs.
    must_have 'push_step' 'stream_scores' 'add_whole4' 'add_one4' 'WholeScaling::apply'
    must_not_have "$hadamard" "$dense" "$fastfood" "$quasi" "$unit" "$gibbs" "$heavy_tails" "$fourier" "$arccos" "$two" "$tensor" \
        'integer_rows' 'add_whole8' 'add_signed' 'add_one8' 'add_drawn' 'drawn' 'local_filter' 'StreamFilter' 'mix64' 'add_readout' \
        'Model::open' 'LocalStream' '_operations' '^samara::scalar::' '__aeabi_(f|d)' '__aeabi_(i|ui|l|ul)2(f|d)' \
        '__(add|sub|mul|div|fixs?|float)[a-z]*[sd]f' 'ChosenRows'
    most=4352
    case $name in
    *_running | stream_rows)
        must_have 'advance_of_table' 'running_of_table'
        must_not_have 'local_feature' 'of_window'
        most=6400
        ;;
    *)
        must_have 'local_feature' 'of_window'
        must_not_have 'advance_of_table' 'running_of_table'
        ;;
    esac
    # Code and the table of filters, without the model's bytes.
    bytes_of_model=$((16#$("$nm" -S "$image" | awk '$4 ~ /^(gestures|digits_local)_model$/ { print $2 }')))
    text=$("$size" "$image" | awk 'NR == 2 { print $1 }')
    text_of_empty=$("$size" "$(dirname "$image")/link_empty" | awk 'NR == 2 { print $1 }')
    echo "$name: $((text - text_of_empty - bytes_of_model)) bytes without the model"
    if [ "$(basename "$(dirname "$(dirname "$(dirname "$image")")")")" = cortex-m0plus ]; then
        must_not_have '__aeabi_u?idiv(mod)?$' '__u?divsi3'
        if [ $((text - text_of_empty - bytes_of_model)) -gt $most ]; then
            echo "$name: more than $most bytes"
            failed=1
        fi
    fi
    ;;
whole_powers)
    must_have 'integer_rows' 'add_signed8' 'WholeScaling::apply' 'add_powers<' 'take_features_of_powers<'
    must_not_have "$hadamard" "$dense" "$fastfood" "$quasi" "$unit" "$gibbs" "$heavy_tails" "$fourier" "$arccos" "$two" "$tensor" \
        'add_whole' 'add_signed4' 'add_readout' 'Model::open' '_operations' '^samara::scalar::' 'whole_waves' 'cosines' 'take_others' 'take_features<' \
        'integer_linear' 'integer_counted' 'integer_square' 'ChosenRows' 'run_powers' '__aeabi_(f|d)' '__aeabi_(i|ui|l|ul)2(f|d)' \
        '__(add|sub|mul|div|fixs?|float)[a-z]*[sd]f'
    ;;
parities)
    must_have 'draw_products' 'add_readout_int8'
    must_not_have "$hadamard" "$dense" "$fastfood" "$quasi" "$unit" "$gibbs" "$heavy_tails" "$fourier" "$arccos" "$two" "$tensor" \
        'add_readout_float' 'Model::open' '_operations'
    ;;
open_hadamard | open_plain)
    must_have 'hadamard_rows' 'hadamard_kept_rows' 'finish_relu' 'add_readout_int8' 'add_readout_float32' 'Model::open'
    must_not_have "$dense" "$fastfood" "$quasi" "$unit" "$gibbs" "$heavy_tails" "$fourier" "$two" "$tensor"
    [ "$name" = open_hadamard ] || must_not_have 'finish_absolute' 'finish_sign'
    # The model, and all that opening it and predicting takes.
    text=$("$size" "$image" | awk 'NR == 2 { print $1 }')
    text_of_empty=$("$size" "$(dirname "$image")/link_empty" | awk 'NR == 2 { print $1 }')
    echo "$name: $((text - text_of_empty)) bytes"
    if [ "$(basename "$(dirname "$(dirname "$(dirname "$image")")")")" = cortex-m4f ] && [ $((text - text_of_empty)) -gt 14336 ]; then
        echo "$name: more than 14 KB"
        failed=1
    fi
    ;;
rff_hadamard | two_sizes)
    must_have 'hadamard_rows' 'fourier'
    must_not_have "$dense" "$fastfood" "$quasi" "$unit" "$gibbs" "$heavy_tails" "$arccos" 'finish_phase'
    ;;
rff_dense)
    must_have 'dense_normal_rows' 'fourier'
    must_not_have "$hadamard" "$fastfood" "$quasi" "$unit" "$gibbs" "$heavy_tails" "$arccos" 'finish_phase'
    ;;
rff_quasi)
    must_have 'quasi_normal_rows' 'sobol_bits' 'sobol_degrees' 'fourier'
    must_not_have "$dense" "$hadamard" "$fastfood" "$unit" "$gibbs" "$heavy_tails" "$arccos" 'finish_phase'
    ;;
arccos_hadamard)
    must_have 'hadamard_rows' 'finish_absolute'
    must_not_have "$dense" "$fastfood" "$quasi" "$unit" "$gibbs" "$heavy_tails" "$fourier" 'arccos0' "$two" "$tensor"
    ;;
arccos_two)
    must_have 'hadamard_rows' 'finish_absolute_tail' 'exact_arccos1_two'
    must_not_have "$dense" "$fastfood" "$quasi" "$unit" "$gibbs" "$heavy_tails" "$fourier" 'arccos0' "$tensor"
    ;;
arccos_two_sketched)
    must_have 'hadamard_rows' 'finish_absolute_tail' 'exact_arccos1_two' "$tensor"
    must_not_have "$dense" "$fastfood" "$quasi" "$unit" "$gibbs" "$heavy_tails" "$fourier" 'arccos0'
    ;;
ntk_hadamard)
    must_have 'hadamard_rows' 'finish_absolute' 'finish_sign' 'layers_exact' "$tensor"
    must_not_have "$dense" "$fastfood" "$quasi" "$unit" "$gibbs" "$heavy_tails" "$fourier" "$two" "$layers" 'all_products'
    ;;
arccos_dense)
    must_have 'dense_normal_rows' 'finish_absolute'
    must_not_have "$hadamard" "$fastfood" "$quasi" "$unit" "$gibbs" "$heavy_tails" "$fourier" 'arccos0' "$two" "$tensor"
    ;;
*)
    echo "check_link.sh: unknown name '$name'" >&2
    exit 2
    ;;
esac

if [ "$name" = two_sizes ]; then
    # Code of the library is there once: the same functions as with one size, and hardly a byte more of code and
    # constants (a second spec, and what the test itself does with it).
    if ! diff <(grep '^samara::\(scalar\|engine\)::' <<<"$names") <(names_in "$other" | grep '^samara::\(scalar\|engine\)::'); then
        echo "$name: a second size brings in other functions"
        failed=1
    fi
    text_of() { "$size" "$1" | awk 'NR == 2 { print $1 }'; }
    more=$(($(text_of "$image") - $(text_of "$other")))
    echo "a second size takes $more bytes"
    if [ "$more" -gt 200 ]; then
        failed=1
    fi
fi
exit "$failed"
