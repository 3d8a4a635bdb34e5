#!/bin/sh
# kill.sh BAREKING [TIMES] - kill -9 at random moments, then go on.
#
# Builds a table once undisturbed, then TIMES times with a kill -9 at some
# moment, asks for it again, and compares every byte.  No file may be left
# over.  GAME and TABLE choose another table, OPTIONS goes to every build.
#
# CHECKPOINT=SECONDS: one build is killed TIMES times instead, going on each
# time from the last checkpoint, which are so many seconds apart; and one is asked to end
# (SIGTERM), which leaves a checkpoint though none is due.
set -eu
bin=${1:?usage: kill.sh BAREKING [TIMES]}
times=${2:-50}
game=${GAME:-shatranj}
table=${TABLE:-KRNvKR}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM

build() { # folder
    # shellcheck disable=SC2086
    "$bin" build "$game" $table --dir "$1" --quiet ${OPTIONS:-}
}

start() { # folder: in the background, as $!, the program itself and no shell around it
    # shellcheck disable=SC2086
    "$bin" build "$game" $table --dir "$1" --quiet ${OPTIONS:-} &
}

sums() { # folder
    (cd "$1" && find . -type f | sort | xargs sha256sum)
}

# a moment from 0 to so many milliseconds, from the kernel's own random numbers
moment() {
    od -An -N4 -tu4 /dev/urandom | awk -v t="$1" '{ printf "%.3f", $1 / 4294967296 * t / 1000 }'
}

killed_after() { # seconds: true if it was still at work
    start "$dir/killed"
    pid=$!
    sleep "$1"
    kill -9 $pid 2>/dev/null || true
    ! wait $pid 2>/dev/null
}

compare() {
    sums "$dir/killed" >"$dir/got"
    if ! cmp -s "$dir/want" "$dir/got"; then
        echo "kill: $1 the files differ:"
        diff "$dir/want" "$dir/got" | head
        exit 1
    fi
}

begin=$(date +%s%N)
BAREKING_CHECKPOINT=0 build "$dir/whole"
took=$((($(date +%s%N) - begin) / 1000000))
sums "$dir/whole" >"$dir/want"

n=0
if [ -n "${CHECKPOINT:-}" ]; then
    export BAREKING_CHECKPOINT="$CHECKPOINT"
    whole=0
    while [ "$n" -lt "$times" ]; do
        # sooner than the whole takes, or there would be nothing to go on with
        if killed_after "$(moment $((took / 3)))"; then n=$((n + 1)); else
            compare "a build that was killed now and then:"
            rm -rf "$dir/killed"
            whole=$((whole + 1))
        fi
    done
    build "$dir/killed"
    compare "after $times kills"

    # no checkpoint is due for an hour: what is there comes of being asked to end
    asked=
    try=0 # solving, which leaves one, takes less than encoding
    while [ "$try" -lt 40 ]; do
        try=$((try + 1))
        rm -rf "$dir/killed"
        BAREKING_CHECKPOINT=3600
        start "$dir/killed" 2>"$dir/said"
        pid=$!
        sleep "$(moment $((took / 2)))"
        kill -TERM $pid 2>/dev/null || true
        status=0
        wait $pid || status=$?
        if [ -n "$(find "$dir/killed" -name '.*.ckpt' 2>/dev/null)" ]; then asked=yes; break; fi
    done
    if [ -z "$asked" ] || [ "$status" -ne 4 ] || ! grep -q 'run the same command to go on' "$dir/said"; then
        echo "kill: asked to end $try times, status $status: no checkpoint, or not said"
        exit 1
    fi
    build "$dir/killed"
    compare "asked to end, and gone on:"

    # a job's signal may come twice, to all of its processes and by mpirun: they end once, as asked
    rm -rf "$dir/killed"
    start "$dir/killed" 2>"$dir/said"
    pid=$!
    until [ -n "$(find "$dir/killed" -name '.*.lock' 2>/dev/null)" ]; do sleep 0.01; done
    kill -USR1 $pid
    sleep 0.002
    kill -USR1 $pid 2>/dev/null || true
    status=0
    wait $pid || status=$?
    [ "$status" -eq 4 ] || { echo "kill: told twice by SIGUSR1: status $status"; exit 1; }
    build "$dir/killed"
    compare "told twice, and gone on:"

    # asked to end while it encodes, as it mostly does by then: what is solved stays, though no
    # checkpoint was due
    export BAREKING_CHECKPOINT=240
    cp -r "$dir/whole" "$dir/others" # all but the table: it alone is made
    find "$dir/others" -name "$table.bk?" -delete
    rm -rf "$dir/killed"
    cp -r "$dir/others" "$dir/killed"
    begin=$(date +%s%N)
    build "$dir/killed"
    took=$((($(date +%s%N) - begin) / 1000000))
    for share in 500 600 700 800; do
        rm -rf "$dir/killed"
        cp -r "$dir/others" "$dir/killed"
        start "$dir/killed" 2>"$dir/said"
        pid=$!
        sleep "$(awk -v t="$took" -v s="$share" 'BEGIN { printf "%.3f", t * s / 1000000 }')"
        kill -TERM $pid 2>/dev/null || true
        status=0
        wait $pid || status=$?
        [ "$status" -eq 0 ] || [ -n "$(find "$dir/killed" -name ".$table.ckpt")" ] ||
            { echo "kill: asked to end after $share thousandths: no checkpoint"; exit 1; }
        build "$dir/killed"
        compare "asked to end after $share thousandths, and gone on:"
    done
    echo "kill: $game $table killed $times times on its way to $((whole + 1)) whole tables," \
        "going on from checkpoints, every byte the same, no file left over"
    exit
fi

while [ "$n" -lt "$times" ]; do
    n=$((n + 1))
    rm -rf "$dir/killed"
    after=$(moment "$took")
    killed_after "$after" || true
    build "$dir/killed"
    compare "after a kill at $after s"
done
echo "kill: $times builds of $game $table killed and resumed, every byte the same, no file left over"
