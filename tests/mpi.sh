#!/bin/sh
# mpi.sh BUILD [long|faults] - several processes make the same bytes as one.
#
# Tables of every kind are made by BUILD/bareking and by BUILD/bareking-mpi with two, three and four
# processes on this machine, and compared byte for byte.  Then a process is killed, all of them are,
# they are told to stop, and one of them differs from the rest: nothing half done may stay, and what
# is wrong is said once.  `make test-all` has the short form where mpirun is, `make test-mpi` the long one;
# `faults` is the second half of that.
set -eu
. "$(dirname "$0")/mpi_here.sh"
compared=0

die() {
    echo "mpi: FAILED: $*"
    [ ! -s "$dir/err" ] || tail -n 20 "$dir/err"
    exit 1
}

ranks() { # processes build's-arguments...
    n=$1
    shift
    mpirun -n "$n" "$mpi" "$@"
}

same() { # list of numbers of processes, threads, build's arguments
    list=$1 threads=$2
    shift 2
    rm -rf "$dir/one"
    "$bin" build "$@" --dir "$dir/one" --quiet
    for n in $list; do
        ranks "$n" build "$@" --dir "$dir/several" --threads "$threads" --quiet 2>"$dir/err" ||
            die "$n processes: $*"
        diff -r "$dir/one" "$dir/several" >"$dir/err" || die "$n processes: other bytes: $*"
        rm -rf "$dir/several"
        compared=$((compared + 1))
        [ -z "$long" ] || echo "same: $n processes with $threads threads: $*"
    done
}

# == The same bytes ==
same "2 3" 1 shatranj KRvKN KvKPP
same 4 1 "$six" KNvKP
if [ -z "$long" ]; then
    same 2 2 "$six" KNvKP --wdl
    same 3 1 sultan KRvK+K
elif [ "$long" != faults ]; then
    same "1 2 3 4" 1 shatranj KRNvKR
    same "2 3" 2 shatranj KRNvKR --wdl
    same "2 4" 1 shatranj KRPvKN
    same "3" 2 shatranj KPvKP
    same "2 3" 1 "$six" KPPvKP KPPvKQ
    same "2 4" 1 chess KRBvKN
    same "2" 1 grand-shatranj KJMvKN --wdl
    same "2 3 4" 1 sultan KRvKR+K
    same "3 4" 1 darwinian KWvKF
    same "2 3" 1 puzzle KRvKN
    same "3" 1 "$six" --men 4 --standalone
fi

# machines with more and with fewer cores: what one thread solves by itself is the same for all
rm -rf "$dir/one"
"$bin" build "$six" KPvKP --dir "$dir/one" --quiet
timeout -k 1 60 mpirun -n 1 "$mpi" build "$six" KPvKP --dir "$dir/several" --threads 1 --quiet : \
    -n 1 "$mpi" build "$six" KPvKP --dir "$dir/several" --threads 9 --quiet 2>"$dir/err" ||
    die "one process of one thread, one of nine"
diff -r "$dir/one" "$dir/several" >"$dir/err" || die "one thread and nine: other bytes"
rm -rf "$dir/several"

# == Drawn games ==
if [ -x "$build/tests/test_fuzz" ] && [ "$long" != faults ]; then
    n=$([ -n "$long" ] && echo 500 || echo 8)
    BAREKING_FUZZ_MPI=$mpi "$build/tests/test_fuzz" "$n" 7 >"$dir/fuzz" 2>"$dir/err" || {
        tail -n 20 "$dir/fuzz"
        die "drawn games: other bytes"
    }
    grep -q 'cases by several processes' "$dir/fuzz" || die "drawn games: none by several processes"
fi

# == Faults ==
game=$six tables='KRvKN KNvKP' longest=1
if [ -n "$long" ]; then game=shatranj tables=KRNvKN longest=4; fi
# shellcheck disable=SC2086
"$bin" build "$game" $tables --dir "$dir/whole" --quiet
folder=$(ls "$dir/whole")
BAREKING_CHECKPOINT=0.05
export BAREKING_CHECKPOINT

go_on() { # processes: one is the ordinary program
    if [ "$1" -eq 1 ]; then
        # shellcheck disable=SC2086
        "$bin" build "$game" $tables --dir "$dir/killed" --threads 1 --quiet 2>"$dir/err"
    else
        # shellcheck disable=SC2086
        ranks "$1" build "$game" $tables --dir "$dir/killed" --threads 1 --quiet 2>"$dir/err"
    fi
}

children() { # processes of the job that are there by now
    for child in $(cat /proc/"$pid"/task/*/children 2>/dev/null); do
        if grep -q bareking-mpi "/proc/$child/comm" 2>/dev/null; then echo "$child"; fi
    done
}

# waits for the job; a minute at most, as Open MPI's mpirun, told to end while it starts, may hang for ever
ended() {
    for _ in $(seq 60); do sleep 1; done >/dev/null 2>&1 && kill -9 $(children) "$pid" 2>/dev/null &
    watch=$! status=0
    wait "$pid" 2>/dev/null || status=$?
    kill "$watch" 2>/dev/null || true
    wait "$watch" 2>/dev/null || true
    return $status
}

# killed again and again, each time going on with another number of processes
times=$([ -n "$long" ] && echo 25 || echo 4) broken=0
for i in $(seq "$times"); do
    n=$((i % 3 + 2))
    # shellcheck disable=SC2086
    mpirun -n $n "$mpi" build "$game" $tables --dir "$dir/killed" --threads 1 --quiet 2>"$dir/err" &
    pid=$!
    sleep "$(od -An -N2 -tu2 /dev/urandom | awk -v t=$longest '{ printf "%.3f", 0.4 + t * $1 / 65536 }')"
    case $((i % 4)) in
    0) children | tail -n 1 | xargs -r kill -9 2>/dev/null || true ;;
    1) kill -9 $(children) "$pid" 2>/dev/null || true ;;
    2) kill -TERM "$pid" 2>/dev/null || true ;;
    3) kill -USR1 "$pid" 2>/dev/null || true ;; # handed on: they end with a checkpoint
    esac
    ended || broken=$((broken + 1)) # else it was done before
    for file in "$dir/killed/$folder"/*.bk[wd]; do
        [ ! -e "$file" ] || cmp -s "$file" "$dir/whole/$folder/${file##*/}" ||
            die "after a kill: $file is not whole"
    done
    if [ $((i % 5)) -eq 4 ]; then
        go_on $((i % 4 + 1)) || die "after kills it does not go on"
        diff -r "$dir/whole" "$dir/killed" >"$dir/err" || die "after kills: other bytes, or files left"
        rm -rf "$dir/killed"
    fi
done

[ -z "$long" ] || [ $broken -gt 5 ] || die "only $broken of $times builds were there to be ended"

# a process whose disk is full: what the others have written of a checkpoint goes, the build goes on
if [ -n "$long" ] && [ -x "$build/inject" ]; then
    : >"$dir/err"
    mpirun -n 1 "$mpi" build shatranj KRNvKN --wdl --dir "$dir/full" --threads 1 --quiet : \
        -n 1 "$build/inject" fsync:error=ENOSPC:1+ -- \
        "$mpi" build shatranj KRNvKN --wdl --dir "$dir/full" --threads 1 --quiet 2>"$dir/err" &
    pid=$!
    until grep -q 'KRNvKN.ckpt.*No space left' "$dir/err"; do
        kill -0 $pid 2>/dev/null || die "no checkpoint of a full disk"
        sleep 0.05
    done
    sleep 0.1
    kill -TERM $pid
    ended || true
    ! ls -d "$dir/full/shatranj/".KRNvKN.ckpt* 2>/dev/null || die "parts of a checkpoint that was not to be"
fi
unset BAREKING_CHECKPOINT

# what is wrong is said once, with the status that one process ends with
says() { # status pattern command...
    want=$1 pattern=$2 status=0
    shift 2
    "$@" >/dev/null 2>"$dir/err" || status=$?
    [ $status -eq "$want" ] || die "status $status, not $want: $*"
    [ "$(grep -c '^bareking: ' "$dir/err")" -eq 1 ] || die "not said once: $*"
    grep -q "^bareking: .*$pattern" "$dir/err" || die "no '$pattern': $*"
}
says 2 'no piece of shatranj' ranks 3 build shatranj KXvK --dir "$dir/said"
says 4 'memory limit' ranks 2 build shatranj KRvKN --dir "$dir/said" --memory 5M
says 2 "rank 1 on .* differs from the first rank's" \
    mpirun -n 1 "$mpi" build "$six" KNvKP --dir "$dir/said" : \
    -n 1 env BAREKING_SET_BITS=128 "$mpi" build "$six" KNvKP --dir "$dir/said"
for other in 'KNvKP --wdl' 'KNvKP --effort fast' 'KRvKN KQvKN'; do
    # shellcheck disable=SC2086
    says 2 "rank 1 on .* differs from the first rank's" timeout -k 1 60 \
        mpirun -n 1 "$mpi" build "$six" KNvKP --dir "$dir/said" : \
        -n 1 "$mpi" build "$six" $other --dir "$dir/said"
done
says 2 "rank 1 on .* is not the folder that the first process has" timeout -k 1 60 \
    mpirun -n 1 "$mpi" build "$six" KNvKP --dir "$dir/said" : -n 1 "$mpi" build "$six" KNvKP --dir "$dir/unsaid"
[ -z "$(ls -A "$dir/said" 2>/dev/null)" ] || die "left in a folder: $(ls -A "$dir/said")"
echo "mpi: $compared builds by several processes as one makes them; ended $broken of $times times in the middle"
