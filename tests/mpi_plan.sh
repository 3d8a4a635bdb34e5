#!/bin/sh
# mpi_plan.sh BUILD [long] - what `plan --ranks` foretells, against builds by several processes.
#
# Memory of the largest process: never less than it takes, and no more than a tenth above that.  What
# they send each other: within a fifth.  `make test-all` has the short form where mpirun is,
# `make test-mpi` the long one.  Prints a line a build.
set -eu
. "$(dirname "$0")/mpi_here.sh"
[ -x /usr/bin/time ] || { echo 'not tried: no /usr/bin/time (time)' && exit 77; }
failed=0

sent_by() { # JSON of a plan or a build: what is sent for all its tables
    grep -o '"all":[0-9]*' | awk -F: '{ sum += $2 } END { printf "%d", sum }'
}

# What is foretold is the most that a build may take; on a busy machine processes are not at their worst
# together: of up to three builds the largest counts, as in memory.sh.
foretold() { # percent above, processes, build's arguments...
    above=$1 n=$2 took=0
    shift 2
    rm -rf "$dir/out"
    "$bin" plan "$@" --dir "$dir/out" --ranks "$n" --threads 1 --json >"$dir/plan"
    memory=$(sed 's/.*"total"//; s/.*"memory_bytes":\([0-9]*\).*/\1/' "$dir/plan")
    for _ in 1 2 3; do
        rm -rf "$dir/out" "$dir"/peak.*
        # the rank is each process' own
        # shellcheck disable=SC2016
        mpirun -n "$n" sh -c 'exec /usr/bin/time -f %M -o "$0/peak.$OMPI_COMM_WORLD_RANK" "$@"' "$dir" \
            "$mpi" build "$@" --dir "$dir/out" --threads 1 --json </dev/null >"$dir/built" || failed=1
        now=$(cat "$dir"/peak.* | sort -n | tail -n 1)
        [ "$now" -lt "$took" ] || took=$now
        [ $((memory / 1024)) -gt $((took * (100 + above) / 100)) ] || break
    done
    sent=$(sent_by <"$dir/plan")
    really=$(sent_by <"$dir/built")
    echo "$n processes: $* $memory $took $sent $really" | awk -v above="$above" '{
        really = $NF; sent = $(NF - 1); took = 1024 * $(NF - 2); memory = $(NF - 3)
        NF -= 4
        bad = memory < took || memory > took * (100 + above) / 100 || sent > 1.2 * really || sent < 0.8 * really
        printf "%s: memory %.1f MiB, took %.1f (%.2f); sent %.2f MB, really %.2f (%.2f)%s\n", $0, memory / 1048576,
               took / 1048576, memory / took, sent / 1e6, really / 1e6, sent / really, (bad ? "  WRONG" : "")
        exit bad
    }' || failed=1
}

foretold 10 2 shatranj KRvKN
foretold 10 4 shatranj KRvKN --wdl
if [ -n "$long" ]; then
    foretold 10 3 puzzle KRvKN --wdl
    for n in 2 4; do
        foretold 10 "$n" shatranj KRNvKR --wdl
        foretold 10 "$n" "$six" KRPvKN
        foretold 10 "$n" "$six" KPPvKP
        foretold 10 "$n" chess KRBvKN --wdl
        foretold 10 "$n" grand-shatranj KMvKN
        foretold 10 "$n" shatranj KPvKP
        foretold 10 "$n" puzzle KRvKN
        foretold 10 "$n" sultan KRvKR+K
        foretold 10 "$n" shatranj KRNvKR
        foretold 10 "$n" darwinian KWvKF
    done
    # more than any machine has is foretold, too: more processes send each other more
    sed 's/^board.*/board = 14x14/' "$six" >"$dir/large.ini"
    sent=0
    for n in 32 64; do
        before=$sent
        sent=$("$bin" plan "$dir/large.ini" KQRNvKRN --wdl --ranks "$n" --dir "$dir/none" --json |
            sed 's/.*"KQRNvKRN"[^{]*"sent_bytes":{[^}]*"all":\([0-9]*\).*/\1/')
        [ "$sent" -gt "$before" ] || { echo "mpi_plan: $n processes send $sent, half of them $before"; failed=1; }
    done
fi
[ $failed -eq 0 ] || echo "mpi_plan: FAILED"
[ $failed -eq 0 ] && echo "mpi_plan: memory and traffic of several processes as foretold"
