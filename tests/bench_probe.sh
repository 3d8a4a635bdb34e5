#!/bin/sh
# bench_probe.sh BUILD [DIR] - what probes take (tests/bench_probe.c): four and five men, ten by ten,
# men that evolve.  Tables in DIR (default: a folder that goes away) are not built again.
# LIST="GAME MATERIAL ..." names others; N positions of each.
set -eu
bin=${1:?usage: bench_probe.sh BUILD [DIR]}
. "$(dirname "$0")/scratch.sh"
dir=${2-$tmp}
echo "load before: $(cut -d' ' -f1-3 /proc/loadavg), $(nproc) cores"
set -- ${LIST:-shatranj KRvKN shatranj KPvKP shatranj KRNvKR grand-shatranj KOvKH darwinian KWvKF}
while [ $# -gt 1 ]; do
    "$bin/bareking" build "$1" "$2" --dir "$dir" --quiet
    "$bin/bench_probe" "$dir" "$1" "$2" "${N:-20000}"
    shift 2
done
