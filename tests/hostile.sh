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
case $0 in
/*) script=$0 ;;
*) script=$PWD/$0 ;;
esac
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
ends 2 'Is a directory' "$bin" check-variant folder.ini

# Lists of folders, where one is wanted
ends 2 'list of folders' "$bin" build shatranj KQvKQ --dir a:b
ends 2 'list of folders' env BAREKING_DIR=a:b "$bin" build shatranj KQvKQ
ends 2 'list of folders' "$bin" plan shatranj KQvKQ --dir a:b
ends 2 'list of folders' "$bin" repack shatranj KQvKQ --dir a:b
ends 1 'no tables of shatranj in a:b' "$bin" check shatranj --dir a:b
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

# More tables than can be planned: known by the first of them, not by the last of some million
cat >many.ini <<INI
[variant]
name = many
board = 8x8
[piece king]
letter = K
royal = yes
move = K
INI
for i in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
    letters=ABCDEFGHIJLMNOPQRST
    at() { echo "$letters" | cut -c$(($1 + 1)); }
    printf '[piece %s]\nletter = %s\nmove = W\n' "$(at $i | tr A-Z a-z)" "$(at $i)"
    printf 'becomes = 2 may %s\nbecomes = 3 may %s\nbecomes = 4 may %s\n' "$(at $((i + 1)))" "$(at $((i + 2)))" \
        "$(at $((i + 3)))"
done >>many.ini
for last in R S T; do
    printf '[piece %s]\nletter = %s\nmove = W\n' "$(echo $last | tr A-Z a-z)" $last
done >>many.ini
for wanted in '--men 8' KAAAvKAAA; do
    # shellcheck disable=SC2086
    ends 2 'more than 1500 tables' sh -c 'ulimit -v 500000; exec "$@"' sh "$bin" plan ./many.ini $wanted
done

# Men that find no room: two on one square; any on none.  Builders once ended by a signal, and the
# file of what they had was refused.
for holes in 'a1 b1 c1' 'a1 b1 c1 d1'; do
    cat >post.ini <<INI
[variant]
name = post
board = 4x4
holes = $holes
[piece king]
letter = K
royal = yes
move = K
[piece post]
letter = P
move = W
ranks = 1
[piece rook]
letter = R
move = R
INI
    for material in KPPvK KPPvKR KPRvKR; do
        ends 0 '' "$bin" build ./post.ini "$material" --any --dir "posts$holes"
        ends 0 '' "$bin" verify ./post.ini "$material" --dir "posts$holes"
    done
    ends 0 '' "$bin" check ./post.ini --dir "posts$holes"
done

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

# What check finds damaged, build makes again, byte by byte
here=$(cd "$(dirname "$script")" && pwd)
cp "$here/six.ini" six.ini
six() { # COMMAND ARGUMENTS...: on the small tables
    command=$1
    shift
    "$bin" "$command" six.ini "$@" --dir m >out 2>err
    status=$?
    looked=$((looked + 1))
}
is() { [ $status -eq "$1" ] || die "status $status, not $1: $2"; }
said() { grep -qF -e "$1" out err || die "no '$1'"; }
bytes() { (cd m && find . -type f | sort | xargs sha256sum); }
mended() { # a build puts everything right again
    six build KNvKP --threads 1
    is 0 "build $1"
    bytes >sums.now
    cmp -s sums.then sums.now || die "not as before: $1"
    six check --deep KNvKP
    is 0 "check after $1"
}
hurt() { printf 'hurt' | dd of="m/six/$1" bs=1 seek="$2" conv=notrunc 2>/dev/null; }

six build KNvKP --threads 1
is 0 build
bytes >sums.then
for file in KNvKP.bkw KNvKP.bkd KQvKN.bkw KQvKN.bkd; do
    for at in 60 $(($(stat -c %s m/six/$file) - 9)); do
        hurt $file "$at"
        six check
        is 3 "check with $file hurt at $at"
        said $file
        six build KNvKP --threads 1
        is 0 "build with $file hurt at $at"
        said "making it again"
        mended "$file hurt at $at"
    done
done
rm m/six/KQvKN.bkd
for materials in '' KQvKN; do
    # shellcheck disable=SC2086
    six check $materials
    is 3 'distances promised and missing'
    said 'KQvKN.bkd: not there, but KQvKN.bkw says it should be'
done
mended 'distances missing'
# without the distances that a damaged table had
hurt KQvKN.bkd 400
six build KQvKN --wdl --threads 1
is 3 'build --wdl of hurt distances'
said 'has distances, which --wdl would take away'
[ -e m/six/KQvKN.bkd ] || die 'hurt distances are gone'
six build KQvKN --wdl --threads 1 --force
is 0 'build --wdl --force of hurt distances'
[ ! -e m/six/KQvKN.bkd ] || die 'hurt distances stay beside a table that has none'
six check
is 0 'check after build --wdl'
mended 'a table without distances'

# --deep sees what others need
hurt KQvKN.bkw 400
six check KNvKP
is 0 'check of one table'
six check --deep KNvKP
is 3 'check --deep with a smaller table hurt'
said KQvKN.bkw
rm m/six/KQvKN.bk?
for materials in '' KNvKP; do
    # shellcheck disable=SC2086
    six check --deep $materials
    is 1 'check --deep with a smaller table missing'
    said 'no table KQvKN of six in m, which KNvKP needs'
done
six check
is 0 'check without a smaller table'
six build KQvKN --wdl --threads 1
six check --deep KNvKP
is 1 'check --deep with distances of a smaller table missing'
said 'no distances of KQvKN'
mended 'a smaller table missing'

# What killed builders leave beside whole tables goes; what another is at work on stays, as a
# checkpoint that is younger than its table (cli.sh)
touch m/six/.KQvKN.lock m/six/.KQvKN.ckpt.part m/six/KQvKN.bkd.part m/six/KNvKP.bkw.part
touch m/six/.KNvKP.ckpt.0000001f.1 # a part alone
touch -d '1 hour ago' m/six/.KQvKN.ckpt
mended 'leftovers'
touch m/six/.KNvKP.ckpt.0000001f.1 && rm m/six/KNvKP.bk?
mended 'a part beside a table that is made'
ln -s nowhere m/six/.KNvKP.ckpt && rm m/six/KNvKP.bk? # what stands there is no checkpoint
mended 'a link in the place of a checkpoint'
# distances that were under way beside a table that gets none
rm m/six/KNvKP.bk? && touch m/six/KNvKP.bkd.part
six build KNvKP --wdl --threads 1
is 0 'build --wdl beside distances under way'
[ ! -e m/six/KNvKP.bkd.part ] || die 'distances under way stay beside a table that has none'
mended 'distances again'

# Somebody else makes the table: he is waited for; who is asked to end meanwhile ends, and who is not
# finds it there and makes none
waits() { # COMMAND...: in the background, until it says so
    exec 9>m/six/.KNvKP.lock
    flock 9 || die 'no flock'
    "$@" >out 2>err 9>&- &
    waiter=$!
    i=0
    until grep -q 'is being made by .*; waiting' err || [ $i -ge 100 ]; do
        i=$((i + 1))
        sleep 0.05
    done
    said 'waiting (lock: m/six/.KNvKP.lock)'
}
if command -v flock >/dev/null; then
    mkdir kept && mv m/six/KNvKP.bk? kept
    waits timeout -k 1 20 "$bin" build six.ini KNvKP --threads 1 --dir m
    kill -TERM $waiter
    wait $waiter
    status=$?
    is 4 'asked to end while it waits'
    waits "$bin" build six.ini KNvKP --threads 1 --dir m
    cp kept/* m/six
    stat -c '%i %Y %n' m/six/KNvKP.* >made.then
    exec 9>&-
    wait $waiter
    status=$?
    is 0 'build of what another made'
    stat -c '%i %Y %n' m/six/KNvKP.* >made.now
    cmp -s made.then made.now || die 'what another has made meanwhile is made once more'
    mended 'another made it'
fi

# Closed descriptors: no table gets what is meant for people
rm -rf m
"$bin" build six.ini KNvKP --threads 1 --dir m <&- >&- 2>&-
[ $? -eq 4 ] || die 'an answer that nobody can read is an error'
mended 'closed descriptors'

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
