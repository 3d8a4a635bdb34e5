#!/bin/sh
# memory_plan.sh BAREKING [MPI|- [TABLE...]] - what `plan` says of memory, what a build counts, and what it takes.
#
# Builds tables of many kinds, one at a time, and compares for each
#
#   solving   what `plan` says it takes, whatever its values
#   foretold  the most that it may take: how much encoding takes beside is up to values
#   counted   what the build's arena counted (docs/memory.md), and says itself
#   resident  what the process had resident at its worst
#
# Resident is counted within 2 percent, of one thread: threads are not at their worst together on a busy
# machine, so of several it may be less.  Counted is between solving (of several threads, not all at their worst, 2
# percent less) and foretold.  Within a limit, or of several processes, which count no sparse arrays, resident is held
# to the limit, or to what is foretold.
# Takes some minutes of CPU; memory.sh has the few that `make test-all` builds.
#
# MPI    the program for several processes; -: none.  TABLE: GAME:MATERIAL:OPTIONS, options with `,` for blanks;
#        MATERIAL may be --men=N; the options may begin with --ranks,N.
# Prints a line a build, and the worst case either way.
set -eu
bin=${1:?usage: memory_plan.sh BAREKING [MPI|- [GAME:MATERIAL:OPTIONS...]]}
mpi=${2:--}
shift
[ $# -eq 0 ] || shift
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
    grand-shatranj:KOvKL:--threads,2 grand-shatranj:KJvKN:--threads,2,--wdl \
    grand-shatranj:KPvKP:--threads,1 atlantean-jumper:KPvKP:--threads,1 \
    shatranj:--men=4:--threads,1 shatranj:KPvKP:--threads,1,--wdl \
    shatranj:KQvKP:--threads,2,--effort,best shatranj:KQvKP:--threads,2,--effort,fast \
    chess:KQvKR:--threads,1,--effort,best shatranj:KQvKP:--threads,2,--standalone \
    sultan:KQvKR:--threads,2,--standalone shatranj:KRNvKR:--threads,2,--effort,fast \
    shatranj:KPvKP:--threads,1,--memory,110M grand-shatranj:KMvKN:--threads,2,--memory,104M \
    shatranj:KRNvKR:--threads,2,--effort,fast,--memory,96M \
    shatranj:KRvKN:--ranks,3,--threads,1 shatranj:KNvKP:--ranks,3,--threads,1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM

most() { # KEY FILE: the largest number of this key
    grep -o "\"$1\":[0-9]*" "$2" | awk -F: '$2 + 0 > n { n = $2 + 0 } END { printf "%d", n }'
}

build() { # options...: as one process or several; in `took` the KiB of the one that took most
    rm -f "$dir"/time*
    if [ -z "$ranks" ]; then
        /usr/bin/time -f %M -o "$dir/time" "$bin" build "$game" "$table" --dir "$dir/out" --json "$@" >"$dir/built"
    else
        # the rank is each process' own
        # shellcheck disable=SC2016
        OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe -n "$ranks" \
            sh -c 'exec /usr/bin/time -f %M -o "$0/time.$OMPI_COMM_WORLD_RANK" "$@"' "$dir" \
            "$mpi" build "$game" "$table" --dir "$dir/out" --json "$@" </dev/null >"$dir/built"
    fi
    took=$(cat "$dir"/time* | sort -n | tail -n 1)
}

failed=0
over=0
for job; do
    game=${job%%:*} rest=${job#*:} ranks='' limit=0
    table=${rest%%:*} options=$(echo "${rest#*:}" | tr , ' ')
    case $options in
    --ranks*)
        ranks=${options#--ranks } ranks=${ranks%% *} options=${options#--ranks "$ranks"}
        [ "$mpi" != - ] || { over=$((over + 1)) && continue; }
        ;;
    *--memory*) limit=$(echo "$options" | sed 's/.*--memory \([0-9]*\)M.*/\1/') ;;
    esac
    rm -rf "$dir/out"
    # options are words
    # shellcheck disable=SC2086
    "$bin" plan "$game" "$table" --dir "$dir/out" ${ranks:+--ranks "$ranks"} $options --json >"$dir/plan"
    # shellcheck disable=SC2086
    build $options
    awk -v job="$game $table${ranks:+ of $ranks processes} $options" -v limit="$limit" -v took="$took" \
        -v solving="$(most solving_bytes "$dir/plan")" -v foretold="$(most memory_bytes "$dir/plan")" \
        -v counted="$(most memory_bytes "$dir/built")" -v ranks="${ranks:-1}" 'BEGIN {
        mib = 1048576; took *= 1024; several = job !~ /--threads 1/
        if (limit)
            bad = took > limit * mib
        else if (ranks > 1)
            bad = took > foretold
        else
            bad = took > counted * 1.02 || (!several && took < counted * 0.98) || counted > foretold ||
                  counted < solving * 0.98 || took > foretold
        printf "%-46s solving %6.1f foretold %6.1f counted %6.1f resident %6.1f MiB: %5.1f %% of %s%s\n", job,
               solving / mib, foretold / mib, counted / mib, took / mib,
               100 * took / (limit ? limit * mib : ranks > 1 ? foretold : counted),
               (limit ? "the limit" : ranks > 1 ? "foretold" : "counted"), (bad ? "  WRONG" : "")
        exit bad
    }' || failed=$((failed + 1))
done
[ "$over" -eq 0 ] || echo "memory_plan: $over builds by several processes left out: no program for them"
echo "memory_plan: $failed of $# builds are not as foretold and counted"
[ $failed -eq 0 ]
