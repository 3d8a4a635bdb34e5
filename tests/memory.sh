#!/bin/sh
# memory.sh BAREKING - does `plan` foretell the memory of a build, and does a
# build keep to `--memory`?  Is that of a search small, however much it finds?
#
# Predictions must be within 10 percent of what the whole process had resident
# at its worst, of several threads no more than 20 above: on a busy machine they
# are not at their worst together.  Builds that are told to take less must, and make the same
# bytes, whatever the threads and the instruction set.
set -eu
bin=${1:?usage: memory.sh BAREKING}
if nm "$bin" 2>/dev/null | grep -q __asan_init; then
    echo "not tried: a sanitizer's memory is its own"
    exit 77
fi
[ -x /usr/bin/time ] || { echo 'not tried: no /usr/bin/time (time)' && exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM
failed=0
tests=$(dirname "$0")

peak_kib() { # command...: what it had resident at its worst; its answer is $dir/said
    /usr/bin/time -f %M -o "$dir/time" "$@" >"$dir/said"
    tail -n 1 "$dir/time"
}

predicted_kib() {
    "$bin" plan "$@" --json | sed 's/.*"total"//; s/.*"memory_bytes":\([0-9]*\).*/\1/' |
        awk '{ printf "%d", $1 / 1024 }'
}

counted_kib() { # what a build's arena counted at most (docs/memory.md), as it says in $dir/said
    grep -o '"memory_bytes":[0-9]*' "$dir/said" | awk -F: '$2 > n { n = $2 + 0 } END { printf "%d", n / 1024 }'
}

# What is foretold is the most that a build may take; what it does take depends on what its threads
# are at together, by a few hundredths: of up to three builds the largest counts.
foretold() { # game table options...
    game=$1 table=$2 got=0 uncounted=
    shift 2
    rm -rf "$dir/out"
    want=$(predicted_kib "$game" "$table" --dir "$dir/out" "$@")
    for _ in 1 2 3; do
        rm -rf "$dir/out"
        took=$(peak_kib "$bin" build "$game" "$table" --dir "$dir/out" --json "$@")
        counted=$(counted_kib)
        [ "$took" -lt "$got" ] || got=$took
        [ "$took" -le $((counted * 102 / 100)) ] || uncounted="$uncounted $took KiB of $counted;"
        [ $((want * 10)) -ge $((got * 11)) ] || break
    done
    echo "$game $table $*: predicted $want KiB, took $got, counted $counted"
    if [ -n "$uncounted" ]; then
        echo "memory: FAILED: $game $table $*: took more than was counted:$uncounted"
        failed=1
    fi
    case "$*" in *'--threads 1'*) most=1.1 ;; *) most=1.2 ;; esac
    if ! awk -v w="$want" -v g="$got" -v m="$most" 'BEGIN { exit !(w < m * g && w > 0.9 * g) }'; then
        echo "memory: FAILED: $game $table $*: predicted $want KiB, took $got"
        failed=1
    fi
}

kept_to() { # MiB game table options...: in $dir/less, compared with $dir/whole
    limit=$1 game=$2 table=$3
    shift 3
    got=$(peak_kib "$bin" build "$game" "$table" --dir "$dir/less" --memory "${limit}M" --quiet "$@")
    echo "$game $table --memory ${limit}M $*: took $got KiB"
    if [ "$got" -gt $((limit * 1024)) ] || ! diff -r "$dir/whole" "$dir/less"; then
        echo "memory: FAILED: $game $table --memory ${limit}M $*: took $got KiB, or other bytes"
        failed=1
    fi
}

obeyed() { # MiB game table options...: with the tables that it needs
    rm -rf "$dir/less"
    kept_to "$@"
}

obeyed_alone() { # MiB game table options...: those are there
    rm -rf "$dir/less"
    cp -r "$dir/whole" "$dir/less"
    rm "$dir/less/$2/$3".bk?
    kept_to "$@"
}

searched() { # command...: whatever is found, beside the values little
    got=$(peak_kib "$bin" "$@" --dir "$dir/table")
    echo "$*: took $got KiB"
    if [ "$got" -gt 61440 ] || [ ! -s "$dir/said" ]; then
        echo "memory: FAILED: $*: took $got KiB"
        failed=1
    fi
}

foretold grand-shatranj KMvKN --threads 1
foretold grand-shatranj KMvKN --threads 2
mv "$dir/out" "$dir/whole"
foretold grand-shatranj KMvKN --threads 2 --wdl
foretold sultan KQvKR --threads 1
foretold sultan KRvKR+K --threads 1
foretold darwinian KRvKB --threads 1
foretold shatranj KPvKP --threads 1
foretold darwinian KFvKP --threads 2 --wdl # tables of which parts stay, for several men
foretold shatranj KNvKP --threads 2
foretold "$tests/six.ini" KRPvKN --threads 2

# Values of 4 MB, three million positions; of all that are long the list is as long as they are many.
"$bin" build shatranj KRvKN --dir "$dir/table" --threads 2 --effort fast --quiet
searched mine shatranj KRvKN --what any --threads 2
searched mine shatranj KRvKN --what any --limit 5 --memory 64M --threads 1
searched mine shatranj KRvKN --what longest --limit 1 --threads 3
searched report shatranj KRvKN --threads 2

# Below what it takes without a limit, some 200 MiB.  Less than 71 is refused: its distances have 30000
# leaves, and their codes must be in memory while they are written.
obeyed 80 grand-shatranj KMvKN --threads 1
obeyed 104 grand-shatranj KMvKN --threads 2 --scratch "$dir"
BAREKING_KERNEL=portable obeyed 240 grand-shatranj KMvKN --threads 7

# A seventh of what it takes: its sets move, and rows that are sampled lie far apart.
rm -rf "$dir/whole"
"$bin" build shatranj KRNvKR --dir "$dir/whole" --threads 2 --effort fast --quiet
obeyed 96 shatranj KRNvKR --threads 2 --effort fast

# The columns of facts that it learns from are more than that leaves: 40 MB.
rm -rf "$dir/whole"
"$bin" build shatranj KPvKP --dir "$dir/whole" --threads 2 --quiet
obeyed_alone 66 shatranj KPvKP --threads 1

[ $failed -eq 0 ] && echo "memory: as foretold within 10 percent, and within the limit with the same bytes; searches in 60 MiB"
