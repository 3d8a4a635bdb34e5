#!/bin/sh
# kill.sh BAREKING [TIMES] - kill -9 at random moments, then go on.
#
# Builds a table once undisturbed, then TIMES times with a kill -9 at some
# moment, asks for it again, and compares every byte.  No file may be left over.
set -eu
bin=${1:?usage: kill.sh BAREKING [TIMES]}
times=${2:-50}
game=${GAME:-shatranj}
table=${TABLE:-KRNvKR}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

begin=$(date +%s%N)
"$bin" build "$game" "$table" --dir "$dir/whole" --quiet
took=$((($(date +%s%N) - begin) / 1000000))
(cd "$dir/whole" && find . -type f | sort | xargs sha256sum) >"$dir/want"

n=0
while [ "$n" -lt "$times" ]; do
    n=$((n + 1))
    rm -rf "$dir/killed"
    "$bin" build "$game" "$table" --dir "$dir/killed" --quiet &
    pid=$!
    # a moment from 0 to the whole time, from the kernel's own random numbers
    after=$(od -An -N4 -tu4 /dev/urandom | awk -v t="$took" '{ printf "%.3f", $1 / 4294967296 * t / 1000 }')
    sleep "$after"
    kill -9 $pid 2>/dev/null || true
    wait $pid 2>/dev/null || true
    "$bin" build "$game" "$table" --dir "$dir/killed" --quiet
    (cd "$dir/killed" && find . -type f | sort | xargs sha256sum) >"$dir/got"
    if ! cmp -s "$dir/want" "$dir/got"; then
        echo "kill: after a kill at $after s the files differ:"
        diff "$dir/want" "$dir/got" | head
        exit 1
    fi
done
echo "kill: $times builds of $game $table killed and resumed, every byte the same, no file left over"
