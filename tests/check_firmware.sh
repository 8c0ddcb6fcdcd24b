#!/usr/bin/env bash
# check_firmware.sh NM READELF IMAGE LIBRARY: what must not be in a firmware.
set -euo pipefail
unset CDPATH
nm=$1 readelf=$2 image=$3 library=$4
failed=0

heap='_?(malloc|calloc|realloc|free|sbrk)(_r)?'
forbidden=$("$nm" "$image" | awk '{ print $NF }' | grep -E "^($heap|_Zn[wa].*|_Zd[la].*|__cxa_.*|_Unwind_.*|__gxx_.*)\$" || true)
if [ -n "$forbidden" ]; then
    echo "in the image, though it must not be:"
    printf '%s\n' "$forbidden"
    failed=1
fi

# Sizes are hexadecimal, and an empty section may or may not be listed.
tables=$("$readelf" -SW "$image" | sed 's/^ *\[ *[0-9]*\] *//' | awk '$1 == ".ARM.extab" && $5 !~ /^0+$/ { print $5 }')
if [ -n "$tables" ]; then
    echo "the image has exception tables: 0x$tables bytes"
    failed=1
fi
tables=$("$readelf" -SW "$library" | grep -o '\.ARM\.ex[a-z]*[^ ]*' | sort -u || true)
if [ -n "$tables" ]; then
    echo "the library has unwind tables:"
    printf '%s\n' "$tables"
    failed=1
fi
exit "$failed"
