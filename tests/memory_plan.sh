#!/bin/sh
# memory_plan.sh BAREKING [TABLE...] - is what `plan` says of memory ever less than a build takes?
#
# Builds tables of many kinds, one at a time, and compares the process' resident size at its worst
# with what was foretold: never more than that.  Each is built twice: with the tables that it needs,
# and again when these are there, so that the worst is its own.  Takes some minutes of CPU; memory.sh
# has the few that `make test-all` builds.  TABLE: GAME:MATERIAL:OPTIONS, options with `,` for blanks;
# MATERIAL may be --men=N.
# Prints a line a build, and the worst case either way.
set -eu
bin=${1:?usage: memory_plan.sh BAREKING [GAME:MATERIAL:OPTIONS...]}
shift
if nm "$bin" 2>/dev/null | grep -q __asan_init; then
    echo "not tried: a sanitizer's memory is its own"
    exit 77
fi
[ -x /usr/bin/time ] || { echo 'not tried: no /usr/bin/time (time)' && exit 77; }
[ $# -gt 0 ] || set -- \
    shatranj:KRvKN:--threads,1 shatranj:KRvKN:--threads,4 shatranj:KPvKP:--threads,1 \
    shatranj:KNvKP:--threads,2 shatranj:KQvKP:--threads,4 shatranj:KRvKN:--threads,2,--wdl \
    chess:KQvKR:--threads,2 chess:KPvKP:--threads,1 chess:KRPvK:--threads,3 \
    sultan:KQvKR:--threads,1 sultan:KQvKP:--threads,2 darwinian:KRvKE:--threads,2 \
    puzzle:KRvKA:--threads,2 grand-shatranj:KMvKN:--threads,1 grand-shatranj:KMvKN:--threads,4 \
    grand-shatranj:KMvKN:--threads,7 \
    grand-shatranj:KOvKL:--threads,2 grand-shatranj:KJvKN:--threads,2,--wdl \
    grand-shatranj:KPvKP:--threads,1 atlantean-jumper:KPvKP:--threads,1 \
    shatranj:--men=4:--threads,1 \
    shatranj:KQvKP:--threads,2,--effort,best shatranj:KQvKP:--threads,2,--effort,fast \
    chess:KQvKR:--threads,1,--effort,best grand-shatranj:KMvKN:--threads,2,--effort,fast \
    shatranj:KQvKP:--threads,2,--standalone \
    shatranj:KQvKP:--threads,4,--standalone sultan:KQvKR:--threads,2,--standalone
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM

compare() { # when: a line of what is foretold and taken
    # options are words
    # shellcheck disable=SC2086
    want=$("$bin" plan "$game" "$table" --dir "$dir/out" $options --json |
        sed 's/.*"total"//; s/.*"memory_bytes":\([0-9]*\).*/\1/')
    # shellcheck disable=SC2086
    /usr/bin/time -f %M -o "$dir/time" \
        "$bin" build "$game" "$table" --dir "$dir/out" --quiet $options
    echo "$game $table $options$1:$want:$(tail -n 1 "$dir/time")"
}

for job; do
    game=${job%%:*} rest=${job#*:}
    table=${rest%%:*} options=$(echo "${rest#*:}" | tr , ' ')
    rm -rf "$dir/out"
    compare ""
    case $table in --*) continue ;; esac
    rm "$dir/out/$game/$table".bk?
    compare ", alone"
done | awk -F: '
    {
        share = 100 * $3 * 1024 / $2
        printf "%-44s foretold %6.1f MiB, took %6.1f: %5.1f %%%s\n", $1, $2 / 1048576, $3 / 1024,
               share, (share > 100 ? "  MORE" : "")
        fflush()
        over += share > 100
        if (NR == 1 || share > most) most = share
        if (NR == 1 || share < least) least = share
    }
    END {
        printf "memory_plan: %d builds took %.1f to %.1f %% of what was foretold, %d more than that\n",
               NR, least, most, over
        exit over > 0 || NR == 0
    }'
