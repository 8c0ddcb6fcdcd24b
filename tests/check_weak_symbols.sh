#!/usr/bin/env bash
# check_weak_symbols.sh NM LIBRARY-BACKEND.a: every weak symbol of a back end must belong to it alone: in its own
# namespace, or a template of xsimd's that names its instruction set.
set -euo pipefail
unset CDPATH
nm=$1 library=$2
back_end=$(basename "$library" .a)
back_end=${back_end##*-}
shared=$("$nm" --defined-only "$library" | awk 'NF == 3 && $2 ~ /^[VWu]$/ { print $3 }' | sort -u |
    grep -v -E "6samara(4desk)?[0-9]+${back_end}|5xsimd.*${back_end}" | c++filt || true)
if [ -n "$shared" ]; then
    echo "weak symbols outside the namespace of $back_end:"
    printf '%s\n' "$shared"
    exit 1
fi
