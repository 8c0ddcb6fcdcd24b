#!/usr/bin/env bash
# Random features of computation skeletons on images, in one command: the experiments of arXiv 1703.07872, section 6.
#
#   examples/skeletons.sh errors|pixels|classifiers|all DIRECTORY [OPTION...]
#
# --help says what these are, and which options there are. Builds the desk's part of the library in build/skeletons,
# computes on all cores, prints tables, and puts figures into DIRECTORY.
set -euo pipefail
unset CDPATH
# shellcheck source=examples/host_program.sh
. "$(dirname "${BASH_SOURCE[0]}")/host_program.sh"
build_host_program skeletons

threads=(--threads "$(nproc)")
for word in "$@"; do
    case $word in --threads | --threads=*) threads=() ;; esac
done
exec "$program" "$@" ${threads[@]+"${threads[@]}"}
