#!/usr/bin/env bash
# Random features of the neural tangent kernel on small classification sets, in one command.
#
#   examples/uci.sh DIRECTORY [OPTION...]
#
# DIRECTORY holds NAME.x, NAME.y, NAME.tune and NAME.folds of each set, as .npy or .csv; --help says what is in them, and
# which options there are. Builds the desk's part of the library in build/uci, computes on all cores, and prints a table.
# Results are kept in build/uci-results.csv: a run that was interrupted goes on where it was.
set -euo pipefail
unset CDPATH
# shellcheck source=examples/host_program.sh
. "$(dirname "${BASH_SOURCE[0]}")/host_program.sh"
build_host_program uci

results=(--results "$root/build/uci-results.csv")
for word in "$@"; do
    case $word in --results | --results=*) results=() ;; esac
done
exec "$program" "$@" "${results[@]}"
