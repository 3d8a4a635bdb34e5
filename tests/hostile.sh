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
. "$(dirname "$0")/scratch.sh"
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

here=$(cd "$(dirname "$script")" && pwd)

# Plans as Makefiles and jobs: whatever is in the paths of the game, the program, the tables and the
# folder that one works in, it is one word of the shell's, and runs nothing
each="a \"b' \\# # \\\\# c\\ \$(touch $$) \${x} \`touch $$\` ;touch $$; % ~ } { * & | < > -$(printf '\t\r\033')z"
tried_plan() { # FOLDER: of all these
    rm -rf work
    mkdir work
    (
        cd work && mkdir -- "$1" && cd -- "$1" && ln "$bin" bareking 2>/dev/null || cp "$bin" bareking
        cp "$here/six.ini" six.ini
        ./bareking plan six.ini KQvKN --dir t --make >"$tmp/out.mk" && ./bareking plan six.ini KQvKN --dir s --slurm jobs
    ) >out 2>err || die "no plan in a folder '$1'"
    (cd / && make -s -f "$tmp/out.mk") >out 2>err || die "plan --make does not work in a folder '$1'"
    (cd -- "work/$1/jobs" && sh build.sh KQvKN) >out 2>err || die "plan --slurm does not work in a folder '$1'"
    [ -s "work/$1/t/six/KQvKN.bkd" ] && [ -s "work/$1/s/six/KQvKN.bkd" ] || die "tables elsewhere than in '$1'"
    [ -z "$(find / . work "work/$1/jobs" -maxdepth 1 -name $$)" ] || die "plan: a folder '$1' runs a command"
    looked=$((looked + 2))
}
for folder in "$(printf %s "$each" | tr / .)" '\#' "\\\\#';touch $$;'" '-x' '~' '}' '$$'; do
    tried_plan "$folder"
done
# A line break is refused, wherever it is; before anything is written
broken=$(printf 'a\nb')
mkdir "$broken" && cp "$bin" "$broken/bareking" && cp "$here/six.ini" "$broken"
for how in --make '--slurm jobs'; do
    # shellcheck disable=SC2086
    ends 2 'line break' "$bin" plan "$broken/six.ini" KQvKN --dir t $how
    # shellcheck disable=SC2086
    ends 2 'line break' "$broken/bareking" plan shatranj KRvK --dir t $how
    # shellcheck disable=SC2086
    ends 2 'line break' "$bin" plan shatranj KRvK --dir "$broken" $how
    # shellcheck disable=SC2086
    ends 2 'line break' sh -c 'cd "$1" && shift && "$@"' sh "$broken" "$bin" plan six.ini KQvKN --dir /t $how
done
ends 2 'line break' "$bin" plan shatranj KRvK --dir t --slurm "$broken"
ends 2 '' "$bin" plan shatranj KRvK --dir t --for "$(printf '8/8/8/8/8/8/8/8 w\n\ttouch ran')" --make
[ ! -s out ] && [ ! -e jobs ] && [ ! -e "$broken/build.sh" ] || die 'something is written before a line break is refused'

# What a terminal would obey is shown as `?`, or refused: escapes, eight-bit controls in UTF-8 or alone,
# marks that turn the order of letters
cp "$here/six.ini" six.ini
for mark in '\033[31m' '\302\233' '\233' '\177' '\342\200\256' '\342\201\246' '\342\200\250' '\r' '\a'; do
    bad=$(printf "${mark}x")
    shown() { # nothing of it is in the answers of the last command; to a terminal DEL, which JSON may have, is nothing
        case "$mark $*" in '\177 '*--json) return ;; esac
        ! LC_ALL=C grep -qaF -e "$(printf "$mark")" out err || die "a terminal would obey $mark: $*"
    }
    tries() { # STATUS COMMAND...
        wanted_then=$1
        shift
        ends "$wanted_then" '' "$@"
        shown "$@"
    }
    sed "s/^title.*/title = a $bad title/" six.ini >titled.ini
    sed "s/^\[piece rook\]/[piece rook$bad]/" six.ini >named.ini
    printf '[%s:chess]\nstartFen = 4k3/8/8/8/8/8/8/4K3 w - - 0 1 %s\n' game "$bad" >fairy.ini
    printf '# %s\n[x%s:chess]\n' "$bad" "$bad" >fairy2.ini
    cp "$here/six.ini" "good$bad.ini"
    for file in titled.ini named.ini fairy.ini fairy2.ini; do
        tries 2 "$bin" check-variant $file
        tries 2 "$bin" check-variant $file --json
        tries 2 "$bin" variants --explain ./$file
        [ $file = fairy2.ini ] || grep -q -e 'a control character' -e 'not UTF-8' err || die "$file is refused for another reason"
    done
    tries 0 "$bin" check-variant "good$bad.ini"
    tries 0 "$bin" check-variant "good$bad.ini" --json
    tries 0 "$bin" plan six.ini KQvKN --dir "none$bad"
    tries 0 "$bin" plan six.ini KQvKN --dir "none$bad" --json
    tries 2 "$bin" probe shatranj "8/8/8/8/8/8/8/8$bad w"
    tries 2 "$bin" build shatranj "KRvK$bad"
    tries 2 "$bin" "$bad"
    tries 2 "$bin" build "--$bad"
    tries 1 env BAREKING_DIR="none$bad" "$bin" check shatranj
    tries 2 env BAREKING_DIR="none$bad" "$bin" probe shatranj '8/8/8/3k4/2n5/1KR5/8/8 w' "$bad"
    mkdir -p listed/shatranj && echo no table >listed/shatranj/KRvKN.bkw && echo no table >"listed/shatranj/KR$bad.bkw"
    mkdir -p "listed/a$bad" && echo no table >"listed/a$bad/KRvKN.bkw"
    printf '%064d  shatranj/%s.bkw\n' 0 "$bad" >list
    tries 1 "$bin" manifest listed list
    [ "$mark" = '\r' ] || grep -q 'missing *shatranj/?' out || die "a manifest's line is not shown: $mark"
    tries 0 "$bin" manifest listed
    tries 3 "$bin" check shatranj --dir listed
    tries 3 "$bin" doctor listed
    "$bin" manifest listed >list && ends 0 '' "$bin" manifest listed list
    printf '[Event "%s"]\n[FEN "8/8/8/%s w"]\n\n1. e4%s *\n' "$bad" "$bad" "$bad" >strange.pgn
    "$bin" annotate shatranj strange.pgn --dir few >out.pgn 2>err
    cp err out && shown annotate
    printf 'xboard%s\n%s\nposition fen %s\nsetoption name %s value 1\nquit\n' "$bad" "$bad" "$bad" "$bad" |
        timeout 20 "${bin%/*}/bareking-engine" >out 2>err
    shown bareking-engine
    rm -rf listed "good$bad.ini"
done

# Links under names that can be foretold, in folders that are others', too: nothing is written through them
echo untouched >victim
planted() { # NAME...: links to the victim
    mkdir -p "$(dirname "$1")"
    for name in "$@"; do ln -s "$tmp/victim" "$name"; done
}
spared() { [ "$(cat victim)" = untouched ] || die "$1 writes through a link"; }
planted jobs/build.sh jobs/submit.sh jobs/job1.sh jobs/build.sh.part
ends 0 '' "$bin" plan shatranj KQvKQ --dir none --slurm jobs
spared 'plan --slurm'
[ -f jobs/job1.sh ] && [ -x jobs/submit.sh ] && [ -z "$(find jobs -type l ! -name '*.part')" ] || die 'jobs are no files of their own'
mkfifo jobs/job2.sh # an older plan's, perhaps
ends 0 '' "$bin" plan shatranj KQvKQ --dir none --slurm jobs
"$bin" build shatranj KQvKQ --dir few --quiet || die 'no table'
if "$bin" site few shatranj -o s0 --quiet 2>err; then
    planted s/index.html.part s/index.html s/style.css
    mkdir -p s/data s/tables/shatranj/KQvKQ.bkw.part s/tables/shatranj/KQvKQ.bkd.part
    planted s/data/variants.json.part s/data/variants.json
    ends 0 '' "$bin" site few shatranj -o s
    spared site
    rmdir s/tables/shatranj/*.part && rm s/*.part s/data/*.part && (cd s0 && find . | sort) >names.then && (cd s && find . | sort) >names.now
    cmp -s names.then names.now && [ -z "$(find s -type l)" ] || die 'a site lacks something, or has too much'
    if [ "$(id -u)" -eq 0 ]; then # of another user's links those to folders count, too
        rm -rf s && mkdir s elsewhere && ln -s "$tmp/elsewhere" s/data && chown -h 65534 s/data
        ends 4 'a link that another user has put there' "$bin" site few shatranj -o s
        [ -z "$(ls elsewhere)" ] || die 'a site goes where another user says'
        chown -h 0 s/data
        ends 0 '' "$bin" site few shatranj -o s
    else
        leave_out 'folders of a site that another user has linked, which needs root'
    fi
else
    grep -q 'make wasm' err || die 'no site'
    leave_out 'sites, which need make wasm'
fi
planted one.svg.part d.svg.part
ends 0 '' "$bin" diagram shatranj '8/8/8/8/8/8/8/K1k5 w' -o d.svg
# a name that somebody else has taken does not lead to writing in place: the file is whole or the old one
echo old >d.svg
before=$(stat -c %i d.svg)
# shellcheck disable=SC2016
ends 0 '' sh -c 'ln -s "$2/victim" d.svg.$$.part; exec "$1" diagram shatranj "8/8/8/8/8/8/8/K1k5 w" -o d.svg' sh "$bin" "$tmp"
spared diagram
[ "$before" != "$(stat -c %i d.svg)" ] || die 'a file is written in place'

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

# of either colour alone, where the other's squares are not there
for holes in 'a2 b2' 'a5 b5'; do
    cat >oneside.ini <<INI
[variant]
name = oneside
board = 2x6
holes = $holes
bare-king = wins
stalemate = loss
en-passant = yes
[piece king]
letter = K
royal = yes
move = K
[piece pawn]
letter = P
move = mfWcfF
double-step = 2
zone-ranks = 4
zone-move = bD
INI
    ends 2 'come back' "$bin" check-variant oneside.ini
    ends 2 'come back' "$bin" plan ./oneside.ini KPvKP
done

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

# Men of Black's without a square, beside pawns of White's and his, which have many cells
for holes in 'a6 b6 c6 d6' 'a1 b1 c1 d1'; do
    cat >post.ini <<INI
[variant]
name = post
board = 4x6
holes = $holes
bare-king = wins
stalemate = loss
[piece king]
letter = K
royal = yes
move = K
[piece pawn]
letter = P
move = mfWcfF
[piece rook]
letter = R
move = R
ranks = 1
INI
    for material in KPvKR KRvKP KPvKRR; do
        ends 0 '' "$bin" build ./post.ini "$material" --any --dir "sided$holes"
        ends 0 '' "$bin" verify ./post.ini "$material" --dir "sided$holes"
    done
    ends 0 '' "$bin" check ./post.ini --dir "sided$holes"
done

# Answers that nobody can write or read
[ -c /dev/full ] || leave_out 'a full disk (/dev/full)'
for command in 'variants' 'variants --json' 'perft shatranj startpos 2' 'help' 'build -h'; do
    [ -c /dev/full ] || continue
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
    : >err # not what was said before
    "$@" >out 2>err 9>&- &
    waiter=$!
    i=0
    until grep -q 'is being made by .*; waiting' err || [ $i -ge 600 ]; do
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
else
    leave_out 'two builders in turn (flock)'
fi

# Closed descriptors: no table gets what is meant for people
rm -rf m
"$bin" build six.ini KNvKP --threads 1 --dir m <&- >&- 2>&-
[ $? -eq 4 ] || die 'an answer that nobody can read is an error'
mended 'closed descriptors'

# What one user has left in a folder that others share stops nobody: where all may replace files, and in
# a folder like /tmp.  The tables are the same, and nothing that may go stays
other='setpriv --reuid=65533 --regid=65533 --clear-groups' nobody='setpriv --reuid=65534 --regid=65534 --clear-groups'
if [ "$(id -u)" -eq 0 ] && $nobody true 2>/dev/null; then
    chmod 755 "$tmp"
    cp "$bin" their && cp "$here/six.ini" six.ini && chmod 755 their && chmod 644 six.ini
    leftovers='.KNvKP.lock .KNvKP.ckpt .KNvKP.ckpt.part .KNvKP.ckpt.0000001f.1 KNvKP.bkw.part KNvKP.bkd.part'
    for rights in 777 1777; do
        for mode in 644 600; do
            rm -rf m && mkdir -p m/six && chmod $rights m m/six && rm -f leftover
            (cd m/six && for file in $leftovers; do echo "localhost 1 77" | $other sh -c "cat >$file; chmod $mode $file"; done)
            ends 0 '' $nobody ./their build six.ini KNvKP --threads 1 --dir m
            [ $mode -eq 644 ] || said 'not waited for'
            ends 0 '' $nobody ./their build six.ini KNvKP --threads 1 --dir m # once more: all is there
            (cd m && find . -type f ! -user 65533 | sort | xargs sha256sum) >sums.now
            cmp -s sums.then sums.now || die "not as before, beside what another user left ($mode in $rights)"
            [ $mode$rights != 644777 ] || [ -z "$(find m -user 65533)" ] || die 'leftovers that may go stay'
        done
    done
    # a checkpoint of his own, beside the other's, is gone on from
    rm -rf m && mkdir -p m/six && chmod 1777 m m/six
    echo no checkpoint | $other sh -c 'cat >m/six/.KNvKP.ckpt'
    BAREKING_CHECKPOINT=0.01 $nobody ./their build six.ini KNvKP --threads 1 --dir m >out 2>err &
    pid=$!
    i=0
    until [ -e m/six/.KNvKP.65534.ckpt ] || [ $i -ge 200 ]; do i=$((i + 1)) && sleep 0.05; done
    kill -9 $pid && wait $pid 2>/dev/null
    [ -e m/six/.KNvKP.65534.ckpt ] || die 'no checkpoint beside that of another user'
    said "is another user's; going on without it"
    ends 0 '' $nobody ./their build six.ini KNvKP --threads 1 --dir m
    [ -z "$(find m -user 65534 -name '.*')" ] || die 'a checkpoint of his own stays'
else
    leave_out 'folders that several users share, which needs root'
fi

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

echo "hostile: $looked looked at, all well${without:+; left out: $without}"
