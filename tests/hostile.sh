#!/bin/sh
# hostile.sh BAREKING - the command among faults: full disks, small limits, readers that go, pipes
# for files, two builders at once.  Each must end soon, with one line and the right status, and
# leave nothing under a table's name that is not a whole table.  Last line: what was looked at.
set -u
LC_ALL=C
export LC_ALL
unset BAREKING_DIR
case ${1:?usage: hostile.sh BAREKING} in
/*) bin=$1 ;;
*) bin=$PWD/$1 ;;
esac
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM
cd "$tmp" || exit 1
looked=0

die() { echo "hostile: $1"; cat out err 2>/dev/null | head -n 20; exit 1; }

# STATUS TEXT COMMAND...: ends within 20 seconds with this status and this text on stderr
ends() {
    wanted=$1 text=$2
    shift 2
    timeout -k 1 20 "$@" >out 2>err </dev/null
    status=$?
    [ $status -eq "$wanted" ] || die "status $status, not $wanted: $*"
    [ -z "$text" ] || grep -qF -e "$text" err || die "no '$text': $*"
    looked=$((looked + 1))
}

# What is no file
mkfifo pipe.ini
ends 2 'a pipe or device, not a file' "$bin" check-variant pipe.ini
ends 2 'a pipe or device, not a file' "$bin" probe ./pipe.ini '8/8/8/8/8/8/8/8 w'
ends 2 'a pipe or device, not a file' "$bin" build pipe.ini KRvK
ends 2 'not a file' "$bin" check-variant /dev/zero
mkdir folder.ini
ends 4 'Is a directory' "$bin" check-variant folder.ini

# Lists of folders, where one is wanted
ends 2 'list of folders' "$bin" build shatranj KQvKQ --dir a:b
ends 2 'list of folders' env BAREKING_DIR=a:b "$bin" build shatranj KQvKQ
ends 2 'list of folders' "$bin" stats shatranj KQvKQ --dir a:b
ends 2 'list of folders' "$bin" check shatranj --dir a:b
ends 2 'list of folders' "$bin" verify shatranj KQvKQ --dir a:b
[ -e a:b ] && die 'a folder a:b was made'

# Men that come back
cat >back.ini <<'INI'
[variant]
name = back
board = 6x6
bare-king = wins
stalemate = draw
en-passant = yes
[piece king]
letter = K
royal = yes
move = K
[piece pawn]
letter = P
move = mfWcfF
double-step = 2
zone-ranks = 5-6
zone-move = R
INI
ends 2 'come back' "$bin" check-variant back.ini
ends 2 'come back' "$bin" plan ./back.ini KPvKP

# Answers that nobody can write or read
for command in 'variants' 'variants --json' 'perft shatranj startpos 2' 'help' 'build -h'; do
    # shellcheck disable=SC2086
    timeout 20 "$bin" $command >/dev/full 2>err
    status=$?
    [ $status -eq 4 ] || die "status $status: $command >/dev/full"
    [ "$(wc -l <err)" -eq 1 ] && grep -q 'cannot write the answer' err ||
        die "no word of it: $command >/dev/full"
    looked=$((looked + 1))
done
"$bin" build shatranj KRvKN --dir t --threads 2 2>/dev/null | true
"$bin" check shatranj --dir t >out 2>err || die 'a build whose reader went left damage'
"$bin" probe shatranj '8/8/8/3k4/2n5/1KR5/8/8 w' --dir t >out 2>err ||
    die 'a build whose reader went did not go on'
looked=$((looked + 1))

# A limit on the size of files: an error, no signal, and nothing under a final name
(
    ulimit -f 8
    exec timeout -k 1 60 "$bin" build shatranj KRNvKR --dir small --threads 2 >out 2>err
)
status=$?
[ $status -eq 4 ] || die "status $status with a small limit on files"
grep -q '^bareking: ' err || die 'no word of a small limit on files'
"$bin" check shatranj --dir small >out 2>err
[ $? -le 1 ] || die 'a small limit on files left damage'
looked=$((looked + 1))

# Two builders of the same tables, one of them killed, then both to the end
mkdir one
for i in 1 2 3; do
    "$bin" build shatranj KRvKN KRvKQ KRvKB --dir one --threads 1 >/dev/null 2>err1 &
    first=$!
    "$bin" build shatranj KRvKN KRvKQ KRvKB --dir one --threads 1 >/dev/null 2>err2 &
    second=$!
    sleep "0.$i"
    kill -9 $first 2>/dev/null
    wait $first 2>/dev/null
    wait $second || { cat err2; die 'the other builder failed'; }
    looked=$((looked + 1))
    "$bin" check shatranj --dir one >out 2>err || die 'two builders left damage'
    left=$(find one -name '.*' -type f ! -name '*.ckpt*' | wc -l)
    [ "$left" -eq 0 ] || { find one -name '.*'; die 'two builders left something over'; }
    [ "$i" -eq 3 ] || rm -rf one
done

echo "hostile: $looked looked at, all well"
