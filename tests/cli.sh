#!/bin/sh
# cli.sh BAREKING - the command from outside: answers, errors, exit statuses.
#
# A bad input must give its exit status, nothing on stdout that looks like an
# answer, and exactly one line on stderr, `bareking: ...`, that names the fault.
#
# What is looked for are names, numbers, options and files, not sentences: `~` in a text stands for any
# words between (see held()).
set -u
export BAREKING_PACE=1 # `plan` finds out nothing about this machine
LC_ALL=C
export LC_ALL
unset BAREKING_DIR
case ${1:?usage: cli.sh BAREKING} in
/*) bin=$1 ;;
*) bin=$PWD/$1 ;;
esac
games=$(cd "$(dirname "$0")/../src/variants" && pwd)
newer=$(cd "$(dirname "$0")/newer/chess" && pwd)
. "$(dirname "$0")/scratch.sh"
cd "$tmp" || exit 1
passed=0
failed=0

pass() { passed=$((passed + 1)); }
fail() { # what happened
    failed=$((failed + 1))
    echo "FAILED: $1"
    sed 's/^/    /' out err | head -20
}

run() { # status, then the command's arguments; leaves out, err
    wanted=$1
    shift
    "$bin" "$@" >out 2>err </dev/null
    status=$?
    [ $status -eq "$wanted" ] || { fail "status $status, not $wanted: bareking $*"; return 1; }
}

# Does a line of the file hold the text?  `~`, with blanks before it, is anything.
held() { # text, file
    case $1 in
    *~*) grep -q -e "$(printf '%s\n' "$1" | sed 's/[][\.*^$]/\\&/g; s/ *~/.*/g')" "$2" ;;
    *) grep -qF -e "$1" "$2" ;;
    esac
}

good() { # text that stdout must hold, arguments
    text=$1
    shift
    run 0 "$@" || return 0
    if [ -s err ]; then
        fail "text on stderr: bareking $*"
    elif ! held "$text" out; then
        fail "no '$text' in the answer: bareking $*"
    else
        pass
    fi
}

bad() { # status, text that stderr must hold, arguments
    wanted=$1 text=$2
    shift 2
    run "$wanted" "$@" || return 0
    if [ "$(wc -l <err)" -ne 1 ] || ! grep -q '^bareking: ' err; then
        fail "not one line on stderr: bareking $*"
    elif ! held "$text" err; then
        fail "no '$text' in the error: bareking $*"
    else
        pass
    fi
}

# == Usage ==
bad 2 'no command'
bad 2 "'bild'" bild shatranj KQvKQ
bad 2 "'bild'" help bild
bad 2 "'--foo'" --foo
bad 2 'too few' build
bad 2 '--men N ~--for FEN' build shatranj
bad 2 'not both' build shatranj KQvKQ --men 3
bad 2 'verify: ~--men N~both' verify shatranj KQvKQ --men 3
bad 2 '--men' build shatranj --men two
bad 2 '--men' build shatranj --men 2
bad 2 '--men' build shatranj --men 9
bad 2 '--threads' build shatranj KQvKQ --threads 0
bad 2 '--memory' build shatranj KQvKQ --memory much
bad 2 '--memory' build shatranj KQvKQ --memory 99999999999999T
bad 2 '--effort' build shatranj KQvKQ --effort more
bad 2 "'--dir' ~value" build shatranj KQvKQ --dir
bad 2 "'--divide'" probe shatranj --divide 8/8/8/3k4/8/1KQ5/8/q7
bad 2 "'--json=1'" variants --json=1
bad 2 "'-z'" probe -z shatranj 8/8/8/3k4/8/1KQ5/8/q7
bad 2 'too few' probe shatranj
bad 2 'too many' stats shatranj KQvKQ KRvKR
bad 2 'usage: bareking variants' variants shatranj
grep -q 'variants$' err && pass || fail 'a blank behind the usage'
bad 2 '.: ~folder' info .
bad 2 '/dev/null: ~device' info /dev/null
# what is not there: of tables it is no (1), of what is read besides bad input (2)
bad 1 'nowhere.bkw: No such file' info nowhere.bkw
for command in doctor manifest; do bad 1 'nowhere: No such file' $command nowhere; done
for command in check stats; do bad 1 'no table KQvKQ' $command shatranj KQvKQ --dir nowhere; done
for command in check-variant 'annotate shatranj' 'manifest .' 'doctor .' 'check' 'variants --explain'; do
    bad 2 'nowhere.ini: No such file' $command nowhere.ini
done
bad 1 'bareking build shatranj KQvKQ --dir here' probe shatranj 8/8/8/3k4/8/1KQ5/8/q7 --dir :here
for command in mine report verify; do good '4G (default: 2G)' $command -h; done
good '4G (default: 256M)' explore -h
good '4G (default: no limit)' build -h
for command in plan count mine report whole; do good '--quiet ~answer' $command -h; done
for command in build verify check doctor manifest pull push; do good '--quiet ~fault' $command -h; done
bad 2 'depth' perft shatranj startpos x
bad 2 'depth' perft shatranj startpos 3.5
bad 2 'depth' perft shatranj startpos 1000
bad 2 'verify: ~--men N ~--for FEN' verify shatranj
bad 2 '--sample' verify shatranj KQvKQ --sample 0
bad 2 'checkers' probe checkers 8/8/8/3k4/8/1KQ5/8/q7
bad 2 'checkers' variants --explain checkers
bad 2 'checkers' build checkers KvK

# == What was meant, and what there is ==
bad 2 "'bild' ~\`build\`" bild
bad 2 "no command 'xyzzy'; see" xyzzy
bad 2 "\`shatrang\` ~\`shatranj\` ~atlantean ~sultan" stats shatrang KQvKQ
touch shatrang.ini
bad 2 "\`shatrang\` ~shatrang.ini" stats shatrang KQvKQ
rm shatrang.ini
bad 2 "'--treads' ~--threads" build shatranj --treads 3
bad 2 "cannot understand '--divde'; see" probe shatranj --divde 8/8
bad 2 "'X' ~2 ~shatranj ~KQRBNP" build shatranj KXvK
bad 2 "'x' ~15; ~shatranj ~KQRBNP" probe shatranj '8/8/8/3k4/8/1Kx5/8/q7 w - - 0 1'

# == Diagrams == that need no tables; of maps, below
svg='diagram shatranj 8/8/8/3k4/8/1KQ5/8/q7'
good '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 412 412" width="412"' $svg
good 'href="#bk-ferz"' $svg
good '   5 | . . . k . . . .' $svg --text
good '   1 | . . . . . . . q' $svg --text --flip
good ' .   .   . [.]   .' diagram shatranj 8/8/8/3k4/8/1KQ5/8/q7 --text --mark d4
good 'marker-end="url(#bk-head-c8503c)"' $svg --arrow b3b4,a1c3:red
good 'al-Suli&#39;s &lt;Diamond&gt;' $svg --caption "al-Suli's <Diamond>"
good '   8 | . . . . . k    ' diagram puzzle '5k**/6**/8/8/8/8/8/K7' --text
held='5k**/6**/8/8/8/8/5K2/1R1A2n1[r] w'
good '      off the board: r' diagram puzzle-hands "$held" --text
good 'off the board: K k R r N n' diagram puzzle-mini '2**/2**/4/4[KRNkrn] w' --text
bad 2 '--map' diagram puzzle-hands "$held" --map b1
bad 2 "'x' " diagram puzzle-hands '5k**/6**/8/8/8/8/5K2/8[x] w'
bad 2 "'z9z9' ~b1c3" $svg --arrow z9z9
bad 2 "'b3b4:pink' ~b1c3:red" $svg --arrow b3b4:pink
bad 2 "'d9' ~e4" $svg --mark e4,d9
bad 2 '--svg ~--png ~--text' $svg --svg --text
bad 2 'd.jpg: ~.svg ~.png ~.txt' $svg -o d.jpg
bad 2 '--size' $svg --size 3
bad 2 '--map e4' $svg --map e4
bad 2 '--map e9' $svg --map e9
bad 2 '--json ~--map' $svg --json
bad 1 'KQvKQ of shatranj in tables' $svg --map c3
bad 4 'nowhere/' $svg --output nowhere/d.svg
env PATH=/nowhere "$bin" $svg --png --output d.png >out 2>err
[ $? -eq 4 ] && grep -q '^bareking: .*librsvg2-bin' err && [ ! -e d.png ] && pass || fail 'a PNG by nothing'
# a file is there when it is whole: else what was there stays, be it a file or a device
ln -s /dev/full full
if [ -c /dev/full ]; then
    bad 4 ' full: ' $svg -o full
    [ -L full ] && [ -c /dev/full ] && pass || fail 'a device was taken away'
else
    leave_out 'a full disk (/dev/full)'
fi
echo old >old.svg
chmod 640 old.svg
ln -s old.svg link.svg
(ulimit -s 256 && "$bin" build shatranj KBvK KQvK --dir small --threads 3 --quiet) >out 2>err && pass || fail 'a small stack'
(ulimit -f 0 && "$bin" $svg -o old.svg) >out 2>err
[ $? -eq 4 ] && [ "$(cat old.svg)" = old ] && [ "$(echo old.svg.*)" = 'old.svg.*' ] && pass || fail 'the older file is gone'
run 0 $svg -o link.svg && [ -L link.svg ] && grep -q '^<svg' old.svg && [ "$(stat -c %a old.svg)" = 640 ] && pass ||
    fail 'not written through the link'
mkfifo told
cat told >got &
run 0 $svg -o told && wait $! && grep -q '^<svg' got && [ -p told ] && pass || fail 'no SVG through a pipe'
if command -v xmllint >/dev/null; then
    for game in shatranj grand-shatranj atlantean darwinian sultan; do
        "$bin" diagram "$game" "$(sed -n 's/^start *= *//p' "$games/$game.ini")" -o d.svg &&
            xmllint --noout d.svg >out 2>err && pass || fail "no XML: the array of $game"
    done
else
    leave_out 'XML (libxml2-utils)'
fi
if command -v rsvg-convert >/dev/null; then
    "$bin" $svg -o d.png >out 2>err && [ "$(head -c 4 d.png | tail -c 3)" = PNG ] && pass || fail 'no PNG'
else
    leave_out 'pictures (librsvg2-bin)'
fi

# == With --json errors are the answer, or part of it ==
answers() { # status, text that stdout must hold, arguments: one line of JSON, one on stderr
    wanted=$1 text=$2
    shift 2
    run "$wanted" "$@" || return 0
    if [ "$(wc -l <out)" -eq 1 ] && [ "$(wc -l <err)" -eq 1 ] && held "$text" out; then
        pass
    else
        fail "not a line with '$text': bareking $*"
    fi
}
answers 2 '{"errors":["material '"'KXvK'"': '"'X'"' at column 2 is no piece of shatranj; it has KQRBNP"],"status":2}' \
    build shatranj KXvK --json
answers 2 '"status":2}' probe shatranj --json '8/8/8/3k4/8/1Kx5/8/q7 w - - 0 1'
answers 2 '{"errors":["stats: ~--jsn' stats shatranj KRvKN --json --jsn
answers 2 '"status":2}' stats shatranj KXvK --jso
run 2 stats -- shatranj KXvK --json && [ ! -s out ] && pass || fail 'what stands behind -- is an option'
answers 2 '{"errors":["material '"'KXvK'"': ' verify shatranj KXvK --json
answers 1 '{"errors":["~KRvKN of shatranj in tables' stats shatranj KRvKN --json
answers 1 '"files":[],"errors":["~shatranj in tables"]}' check shatranj --json
answers 2 '`shatr?nj`' stats "$(printf 'shatr\377nj')" KvK --json

for command in build repack plan probe line stats count verify check doctor manifest needs pull push info facts perft whole variants check-variant; do
    good "usage: bareking $command" $command -h
    good 'Exit status: 0 ok' $command --help
    good "usage: bareking $command" help $command
done
for command in $("$bin" help | sed -n 's|^  \([a-z][a-z-]*\) .*|\1|p'); do
    [ $command = help ] || good '--json' $command -h
done
good 'check-variant' help
good 'check-variant' help --help
good 'check-variant' help help
bad 2 '`help`' hlep
good 'check-variant' help -h
good 'bareking ' --version

# == 20 FENs that are none ==
bad_fen() { bad 2 "$@"; }
bad_fen '' probe shatranj ''
# on terrain the letter is the fault, not the board
bad_fen "'R' ~22; ~grand-shatranj ~KJ" probe grand-shatranj '5***/4*k2/8/8/8/8/K7/R6n w'
bad_fen "'R' ~33; ~grand-shatranj ~KJ" probe grand-shatranj '8**/8**/10/10/10/10/4k5/10/10/K4R3n w'
bad_fen '' probe shatranj 'hello'
bad_fen '' probe shatranj '8/8/8/3k4/8/1KQ5/8 w - - 0 1'
bad_fen '' probe shatranj '8/8/8/3k4/8/1KQ5/8/q7/8 w - - 0 1'
bad_fen '' probe shatranj '8/8/8/3k4/8/1KQ6/8/q7 w - - 0 1'
bad_fen '' probe shatranj '8/8/8/3k3/8/1KQ5/8/q7 w - - 0 1'
bad_fen "'x'" probe shatranj '8/8/8/3k4/8/1Kx5/8/q7 w - - 0 1'
bad_fen '' probe shatranj '8/8/8/8/8/1KQ5/8/q7 w - - 0 1'
bad_fen '' probe shatranj '8/8/8/3k4/8/1KK5/8/q7 w - - 0 1'
bad_fen '' probe shatranj '8/8/8/3k4/8/1KQ5/8/q7 z - - 0 1'
bad_fen '' probe shatranj '8/8/8/3k4/8/1KQ5/8/q7 w K? - 0 1'
bad_fen '' probe shatranj '8/8/8/3k4/8/1KQ5/8/q7 w - e9 0 1'
bad_fen '' probe shatranj '8/8/8/3k4/8/1KQ5/8/q7 w - - x 1'
bad_fen '' probe shatranj '8/8/8/3k4/8/1KQ5/8/q7 w - - 0 y'
bad_fen '' probe shatranj '8/8/8/3k4/8/1KQ5/8/q7 w - - 0 1 more'
bad_fen '' probe shatranj '8/8/8/3k4/8/1KQ5/8/q*7 w - - 0 1'
bad_fen '' probe shatranj 'P7/8/8/3k4/8/1KQ5/8/q7 w - - 0 1'
bad_fen 'in check' probe shatranj '8/8/8/3k4/3R4/1K6/8/q7 w - - 0 1'
bad_fen 'in check' line shatranj '8/8/8/8/8/1Kk5/8/q7 w - - 0 1'
bad_fen '' probe shatranj '99999999999999999999/8/8/3k4/8/1KQ5/8/q7 w - - 0 1'
bad_fen '' probe grand-shatranj '10/10/10/3k7/10/1KM7/10/10/10/h9 w - - 0 1'
bad_fen '' probe chess '8/8/8/3k4/8/1KQ5/8/q7 w KX - 0 1'
bad_fen '' probe puzzle '8/8/8/3k4/8/1KR5/8/r7 w - - 0 1'
bad_fen '' probe darwinian '9/9/9/3k5/9/1KW6/9/9/f8[Z] w - - 0 1'
bad_fen '' perft shatranj '8/8/8/3k4/8/1KQ5/8 w - - 0 1' 2
bad_fen '' perft shatranj 2

# == Games with hands ==
good 'a draw' whole puzzle-mini '1k**/1f**/K3/3N[-] w'
good '"wdl":0' whole puzzle-mini '1k**/1f**/K3/3N[-] w' --json
good '"moves":[],"states":{"all":' whole puzzle-mini '1k**/1f**/K3/3N[-] w' --json
good ',"win":' whole puzzle-mini '1k**/1f**/K3/3N[-] w' --json
bad 2 'puzzle ~hands' whole puzzle '1k4**/6**/8/8/8/8/8/K7[-] w'
bad 2 ': 1k**/f1**/K1N1/4[nF] w' whole puzzle-mini '1k**/f1**/K1N1/4[nF] w'
bad 2 'shatranj ~hands' whole shatranj
bad 2 '203 MiB ~--memory' whole puzzle-mini --memory 198M
bad 2 ': 1 MiB ~--memory' whole puzzle-mini '1k**/1f**/K3/3N[-] w' --memory 1K # which will do:
good 'a draw' whole puzzle-mini '1k**/1f**/K3/3N[-] w' --memory 1M
bad 2 'bareking whole' build puzzle-hands KRNvKA
good 3 perft puzzle-mini '1k**/1f**/K3/3N[-] w' 1
good '"nodes":' perft puzzle-mini '1k**/1f**/K3/3N[-] w' 1 --divide --json
good 900 perft sultan-zh startpos 2
good 'N@a1: 82' perft sultan-hostage '5k4/10/10/10/10/10/10/5K4[]{Nc} w' 2 --divide
good 'White wins' whole sultan-zh '4k5/10/4K5/10/10/10/10/10[R] w'
good 'given back: N' whole sultan-hostage '5k4/10/10/10/10/10/10/5K4[]{N} w'
bad 2 'castling rights' whole sultan-zh '5k4/10/10/10/10/10/10/R4K4[] w Q'
bad 2 "'x'" whole sultan-hostage '5k4/10/10/10/10/10/10/5K4[]{x} w'
bad 2 "'{'" whole sultan-zh '5k4/10/10/10/10/10/10/5K4[]{N} w'
bad 2 'bareking whole' build sultan-zh KRvK
bad 2 'bareking whole' build sultan-hostage KRvKN

# == Live terrain ==
good 56562 perft destruction-of-atlantis startpos 2
good 'wins in' whole destruction-of-atlantis '1kh/*2/3/K1M w + - 0 1'
good '"white_odd":{"all":' whole destruction-of-atlantis '1kh/*2/3/K1M w + - 0 1' --json
good '"dtw":null' whole destruction-of-atlantis '1kh/*2/3/K1M w + - 0 1' --json --wdl
good 'nothing changes' probe destruction-of-atlantis 'k2K/4/4/4 w - - 0 1'
bad 2 'MiB ~--memory' whole destruction-of-atlantis 'k2h/4/4/K2M w + - 0 1' --memory 1M
bad 2 '40 men' whole destruction-of-atlantis startpos
bad 2 'land that changes' probe destruction-of-atlantis 'k2h/4/4/K2M w + - 0 1'
bad 2 'land changes' build destruction-of-atlantis KMvKH
good 'takes 853 MiB of memory, 171 MiB with --wdl' plan destruction-of-atlantis --for 'k2h/4/4/K2M w + - 0 1'
good '"whole_wdl_bytes":178913280' plan destruction-of-atlantis --for 'k2h/4/4/K2M w + - 0 1' --json

# == 10 materials that are none ==
bad 2 "'X'" build shatranj KXvKQ
bad 2 "no 'v'" build shatranj KRKN
bad 2 'king' build shatranj RvKN
bad 2 'king' build shatranj KKvKN
bad 2 'king' build shatranj KRv
bad 2 "'v'" stats shatranj KRvKvN
# cut off after PATH_MAX bytes it would name `tables`
long=tables$(awk 'BEGIN { for (i = 0; i < 2100; i++) printf "/." }')/none
bad 4 'File name too long' stats shatranj KRvKN --dir "$long"
bad 2 'men' stats shatranj KRRNNvKRRNN
bad 2 "''" stats shatranj ''
bad 2 "'-'" check shatranj 'KR-KN'
bad 2 "'2'" verify shatranj KR2vKN
bad 2 '[' plan shatranj 'KRvKN[RR]'
bad 2 'KR?vKN' stats shatranj 'KR
vKN'
bad 2 "']'" plan darwinian 'KWvKF[R'
bad 2 '1500 tables' plan chess --men 8 # 4031 tables: said at once

# == 20 variant files that are none ==
bad_file() { # text of the error, edit of shatranj.ini
    sed "$2" "$games/shatranj.ini" >bad.ini
    bad 2 "$1" check-variant bad.ini
}
# The kinds of mistakes, each with file, line, column and reason
bad_file 'bad.ini:10:1: ~`stalmate`' 's/^stalemate/stalmate/'
bad_file 'bad.ini:23:11: ~`X`' 's/^move   = F/move   = FX/'
bad_file 'bad.ini:46:18: ~`X`' 's/must Q/must X/'
bad_file 'bad.ini:8:13: ~2 ~14' 's/8x8/15x15/'
bad_file 'bad.ini:4:1: ~royal' '/royal/d'
bad_file 'bad.ini:47:11: ~Q > P > Q' 's/^letter = Q/letter = Q\nbecomes = 1 may P/'
bad_file 'bad.ini:4:1: ~royal' '/royal/d'
bad_file 'bad.ini:' '1,$d'
bad_file 'bad.ini:8' 's/8x8/8/'
bad_file 'bad.ini:8' 's/8x8/15x15/'
bad_file 'bad.ini:8' 's/8x8/0x0/'
bad_file 'bad.ini:9' 's/wins-unless-bared-back/loses/'
bad_file 'bad.ini:10' 's/= loss/= won/'
bad_file 'bad.ini:10' 's/^stalemate/stalmate/'
bad_file 'bad.ini:15' 's/^\[piece king\]/[piece king/'
bad_file 'bad.ini:16' 's/^letter = K/letter = KK/'
bad_file 'bad.ini' 's/^letter = Q/letter = K/'
bad_file 'bad.ini:23' 's/^move   = F/move   = Fx/'
bad_file 'bad.ini:23' 's/^move   = F/move   =/'
bad_file 'bad.ini:23' 's/^move   = F/move   = (9,9,9)/'
bad_file 'bad.ini:24' '24s/1/-1/'
bad_file 'bad.ini' 's/^ranks   = 2-7/ranks   = 2-9/'
bad_file 'bad.ini:46' 's/must Q/must X/'
bad_file 'bad.ini:46' 's/must Q/should Q/'
bad_file 'bad.ini:46' 's/8 must Q/8 must K/'
bad_file 'bad.ini' 's/^start     = rnb/start     = rnx/'
bad_file 'bad.ini:6' 's/^title .*/title/'
bad_file 'bad.ini:5' 's/^name .*/name = a b/'
bad 2 'nosuch.ini' check-variant nosuch.ini
bad 2 'nosuch.ini' probe ./nosuch.ini 8/8/8/3k4/8/1KQ5/8/q7
bad 2 'bad.ini:5' build bad.ini KQvKQ
bad 2 '' check-variant "$tmp"
bad_file 'bad.ini:4:1: ~section' '4s/^/ /'
bad_file 'bad.ini:6:13: not UTF-8' "$(printf 's/^title .*/title = Shat\356r/')"
bad_file 'bad.ini:15:8: not UTF-8' "$(printf 's/^.piece king./[piece \344]/')"
sed "$(printf '1s/$/\344/; s/^title .*/title = Shatr\303\242nj/')" "$games/shatranj.ini" >good.ini
good "\"title\":\"$(printf 'Shatr\303\242nj')\"" check-variant good.ini --json
grep -q '"warnings":\[\]}' out && pass || fail 'a warning of a game that has nothing strange'
sed 's/^becomes .*/becomes = 8 must lost Q R/; /^letter = R$/,/^army/{/^army/d}' "$games/shatranj.ini" >none.ini
good 'none.ini: warning: ~R ~`lost` ~[piece rook] ~`army`' check-variant none.ini
good '"warnings":["~R ~`lost` ~`army`' check-variant none.ini --json
printf 'bin\000ary' >bad.ini
bad 2 'bad.ini' check-variant bad.ini
# where a table that it leads to has lost its distances, a position has none, and its result
run 0 build "$games/../../tests/six.ini" KRNvKN --effort fast --dir d/lost --quiet
rm d/lost/six/KRvKN.bkd
good '"wdl":-1,"dtw":null' probe "$games/../../tests/six.ini" '5n/4kN/1K4/6/6/3R2 b' --dir d/lost --json
# a line that leads there ends, and no table is damaged: what stands first may not be best
mkdir -p d/partly/chess
for name in KPvK KQvK KRvK KBvK KNvK; do cp "$games/../../tests/golden/normal/chess/$name".bk? d/partly/chess; done
rm d/partly/chess/KQvK.bkd
bad 1 'distances ~8/KP6/2k5/8/8/8/8/8 b' line chess '8/8/1K1k4/8/1P6/8/8/8 w' --dir d/partly
echo '8/8/1K1k4/8/1P6/8/8/8 w' | "$bin" line chess - --dir d/partly >out 2>err
[ $? -eq 1 ] && grep -q 'no distances of a table that the line leads to' out && pass ||
    fail 'a list of lines into lost distances'
# a damaged table keeps its distances, and what is made again has to fit the machine
run 0 build puzzle-mini KRvKN --dir d/w --quiet
printf x | dd of=d/w/puzzle-mini/KRvKN.bkw bs=1 seek=200 conv=notrunc 2>/dev/null
run 3 build puzzle-mini KRvKN --wdl --dir d/w && grep -q 'has distances, which --wdl would take away' err && [ -s d/w/puzzle-mini/KRvKN.bkd ] && pass ||
    fail 'distances of a damaged table go'
status=0
BAREKING_MACHINE=9000000 "$bin" build puzzle-mini KRvKN --dir d/w >out 2>err || status=$?
[ $status -eq 4 ] && grep -q 'memory' err && pass || fail 'a damaged table is made on any machine'
run 0 build puzzle-mini KRvKN --dir d/w --quiet && good 'whole' doctor d/w
# what `check-variant` calls good has an array that can be read
small='[variant]
name = small
board = 4x4
bare-king = wins
%s
[piece king]
letter = K
royal = yes
move = K
[piece rook]
letter = R
army = 1
move = R
'
for start in 2kK/4/4/4 '3k/4/4/K1R1[K]' '4/4/4/4[KRkr]' 3k/4/4/KRR1; do
    # shellcheck disable=SC2059
    printf "$small" "hand = captured
start = $start w" >hands.ini
    bad 2 'hands.ini' check-variant hands.ini
done
# shellcheck disable=SC2059
printf "$small" 'hand = captured
game-length-turns = 9' >hands.ini
bad 2 'hands.ini:6:21: ~hand = captured' check-variant hands.ini
for start in k 4/4/4/4 'k3/4/4/KRR1 w - - 0 1 zzz' 4/4/4/Kk2; do
    sed "s|^start = .*|start = $start|" "$games/sultan-random.ini" >homes.ini
    grep -q '^start' homes.ini || sed "s|^board .*|&\nstart = $start|" "$games/sultan-random.ini" >homes.ini
    bad 2 'start' check-variant homes.ini
done
# the array of such a game is found by its homes
sed 's|^board .*|&\nstart = rnbcqkcbnr/pppppppppp/10/10/10/10/PPPPPPPPPP/RNBCQKCBNR w KQkq - 0 1|' "$games/sultan-random.ini" >homes.ini
good 'good' check-variant homes.ini
good '30' perft homes.ini startpos 1

# == Games without a royal: counted, and no tables ==
suicide=$games/counted/suicide.ini
none='no tables are made yet of games like this: no piece is royal'
good 'QvK ~63.889    0.000   36.111 ~76.687    0.000   23.313 ~11 ~12' count "$suicide" QvK --dir nowhere
good '"white":{"win":376,"draw":0,"loss":142 ~"all":{"win":2960,"draw":0,"loss":1072}' count "$suicide" RvB --json --dir nowhere
# 15,722 classes, whichever of the two kings is the anchor
good '"win":12209,"draw":142,"loss":3371' count suicide KKvQ --json --dir nowhere
good '8067' perft suicide startpos 3
good 'KvQ ' count giveaway KvQ --dir nowhere
good 'suicide ~8x8' variants
good "warning: $none" check-variant "$suicide"
good 'A side without men has won' variants --explain "$suicide"
good '<svg' diagram "$suicide" '8/8/3k4/8/8/3Q4/8/8 w'
for command in build plan stats verify; do bad 2 "$none" $command "$suicide" QvK; done
bad 2 "$none" probe "$suicide" '8/8/3k4/8/8/3Q4/8/8 w'
bad 2 "$none" explore "$suicide"
bad 2 "$none" variants --fairy "$suicide"
sed 's/^captures .*/&\nn-move = 50\nzeroing = captures/' "$suicide" >moves.ini
bad 2 '--dtz is not for games like suicide' count moves.ini QvK --dtz
bad 2 '--ranks is not for games like suicide' count "$suicide" QvK --ranks 2
bad 2 'more than 6 men' count "$suicide" KKKKvQQQ
sed 's/^move *= mfWcfF/move = W/' "$suicide" >back.ini
bad 2 'pawn: ~`en-passant` ~`double-step`' check-variant back.ini

# == Sections of variants.ini ==
cat >fairy.ini <<'END'
[plain:chess]
[old:shatranj]
nMoveRule = 0
[bad:chess]
mustCapture = true
END
good 'fairy.ini#old: good: old ~8x8 ~6 ' check-variant fairy.ini#old
good '8902' perft fairy.ini#plain startpos 3
good 'Capturing the last man' variants --explain fairy.ini#old
bad 2 "fairy.ini:5:15: ~'mustCapture' ~\`false\`" check-variant fairy.ini#bad
bad 2 'fairy.ini:1:1: 3 sections' perft fairy.ini startpos 1
bad 2 'fairy.ini:1:1: ~[new]' perft fairy.ini#new startpos 1

good 'not said: [piece oliphant]' variants --fairy grand-shatranj --nearly
good 'promotionRegionWhite = *9 *10' variants --fairy grand-shatranj --nearly
bad 2 'hands' variants --fairy puzzle-hands --nearly

# == Without tables ==
bad 1 'KRvKN of shatranj in tables; ~bareking build shatranj KRvKN --dir tables' \
    stats shatranj KRvKN
bad 1 'bareking build shatranj KQvKQ --dir tables' \
    probe shatranj '8/8/8/3k4/8/1KQ5/8/q7 w - - 0 1'
bad 1 'bareking build shatranj KQvKQ' line shatranj '8/8/8/3k4/8/1KQ5/8/q7 w'
bad 1 'bareking build shatranj KQvKQ' probe shatranj --json '8/8/8/3k4/8/1KQ5/8/q7 w'
bad 1 'bareking build shatranj KRvKN' verify shatranj KRvKN
bad 1 'bareking build shatranj KRvKN' check shatranj KRvKN
bad 1 "--dir 'my tables'" stats shatranj KRvKN --dir 'my tables'
bad 1 'KRPvKN of shatranj in tables; ~KQRvKN, KNvKP, KRvKN, KQvKN; ~bareking build shatranj KRPvKN' \
    probe shatranj '8/8/8/3k4/4n3/1K6/4P3/7R w'
bad 1 ', and more; ~KPPPvKPPP' stats chess KPPPvKPPP
bad 1 'shatranj in tables' check shatranj
bad 1 '32 men' probe shatranj rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1
good '"present":false' plan shatranj KRvKN --json
good '"sent_bytes":{"news":' plan shatranj KRvKN --ranks 2 --json
good 'sent       time' plan shatranj KRvKN --ranks 2
good '"wdl":1,"dtw":0,"end":"bare","moves":[]' \
    probe shatranj '8/8/8/3k4/8/8/R7/K7 w - - 0 1' --json
good '"wdl":0,"dtw":null,"end":"bare-draw"' \
    probe shatranj '8/8/8/3k4/4R3/8/8/K7 b - - 0 1' --json
good "Black's king is bare; White has won" probe shatranj 8/8/8/3k4/8/8/R7/K7 b - - 0 1
good 'last man ~draw' probe shatranj 8/8/8/3k4/4R3/8/8/K7 b
good 'both ~bare ~draw' probe chess 8/8/8/3k4/8/8/8/K7 b
good '"white":{"win":21959,"draw":0,"loss":0,"longest_win":{"plies":0,' \
    stats shatranj KRvK --json
good '"all":{"win":0,"draw":22176,"loss":201768}' stats shatranj KRvK --json
good '"white":{"win":0,"draw":2787,"loss":25269,"longest_win":null' stats shatranj KvKR --json
good 'nothing to build' build shatranj KRvK
good 'nothing ~rule' verify shatranj --men 3
good '197281' perft chess startpos 4
good '"divide":{"b1a3":20,' perft chess startpos 2 --json --divide
good 'Capturing the last man' variants --explain shatranj
good 'Capturing the last man' variants --explain "$games/shatranj.ini"
sed 's/^move  *= F$/move = fbrF/' "$games/shatranj.ini" >lopsided.ini
good 'After 70 moves of each side without a capture or a move of P the game is a draw' variants --explain shatranj
good '1 square diagonally forward to both sides or backward away from the a-file' variants --explain lopsided.ini
good '"name":"shatranj"' variants --json
good 'grand-shatranj' variants
good 'Built into Fairy-Stockfish:' variants
good '"start":"rnsmksnr/8/pppppppp/8/8/PPPPPPPP/8/RNSKMSNR w - - 0 1","of":"Fairy-Stockfish"' variants --json
bad 2 "Fairy-Stockfish's \`atomic\` has captures that explode (key 'blastOnCapture'), which cannot be expressed" \
    perft atomic startpos 1
good 'bcqnrbkncr/pppppppppp/10/10/10/10/PPPPPPPPPP/BCQNRBKNCR w JEje - 0 1' deal sultan-random --seed 1
good '"variant":"grand-shatranj-gilded","fen":"' deal grand-shatranj-gilded --json
bad 2 'chess: no arrays are dealt in this game, which begins from `startpos`' deal chess
if [ "$("$bin" deal sultan-random --json)" = "$("$bin" deal sultan-random --json)" ]; then
    fail 'the same seed, twice'
else
    pass
fi
good '"ok":true' check-variant "$games/atlantean.ini" --json

# == A small table ==
# KRvKP has few exceptions among 11 million results; judged by their first 262,144 positions alone,
# some nodes have none, and the file takes 304 bytes.
run 0 build shatranj KRvKP --wdl --dir rare --quiet
size=$(wc -c <rare/shatranj/KRvKP.bkw)
[ "$size" -lt 250 ] && pass || fail "results of KRvKP take $size bytes"
good 'longest win 63 plies' build shatranj KQvKQ
good 'nothing ~1 table' build shatranj KQvKQ
good 'longest loss 38 plies' build shatranj KRvKP --dir longest
rm -rf longest
good '"longest_win_plies":63,"longest_loss_plies":62' build shatranj KQvKQ --dir longest --json
good '"present":true' plan shatranj KQvKQ --json
# a sum of tables takes what was foretold, by half more or less: two small ones
good '15 tables' plan shatranj --men 4 --dir none --slurm jobs
good '3 jobs' plan shatranj --men 4 --dir none --slurm jobs
mkdir -p c:d
(cd c:d && "$bin" plan shatranj KRvKN --dir t --make >/dev/null 2>../err || [ $? -eq 2 ]) && grep -q 'has a `:`' err && pass ||
    fail 'jobs for a folder that is a list'
if sh -n jobs/submit.sh && sh -n jobs/build.sh && sh -n jobs/job2.sh && grep -q 'afterok:$j1' jobs/submit.sh; then
    pass
else
    fail 'jobs for Slurm that no shell reads'
fi
bad 4 'none/no' plan shatranj KRvKN --dir none --slurm none/no/jobs
echo mine >jobs/job4.sh
good '1 job for 1 table' plan shatranj KQvKQ --dir none --slurm jobs
[ ! -e jobs/job2.sh ] && [ ! -e jobs/job3.sh ] && [ "$(cat jobs/job4.sh)" = mine ] && ! grep -q job2 jobs/submit.sh && pass ||
    fail 'jobs of an earlier plan stay, or more than these go'
run 0 plan shatranj KRRRvKN --dir none --make --memory 3G && grep -q '3 R' err && grep -q -e ' --memory 3221225472 .*--any' out && pass ||
    fail 'plan --make does not say what build would refuse, or loses --memory'
bad 2 'ranks' plan shatranj KRvKN --ranks 65
good 'build ' plan shatranj KNvKP --dir "made's" --make --effort fast
# by its own Makefile, and as an ordinary build makes them
if make -s -f out THREADS=1 2>err && [ ! -s err ] && "$bin" build shatranj KNvKP --dir made2 --effort fast --quiet &&
    diff -r "made's" made2 >out; then
    pass
else
    fail 'plan --make does not make the tables'
fi
good 'all:' plan shatranj KNvKP --dir made2 --make
run 0 plan shatranj KNvKP --dir nothing --make && grep -qx 't0:' out && grep -qx 't1: t0' out && pass ||
    fail 'plan --make: a table need not wait for those that it moves into'
mkdir 'a folder' && cp "$bin" 'a folder/bareking' && 'a folder/bareking' plan shatranj KQvKQ --dir 'a folder' --make >out &&
    make -s -f out 2>err && [ -s 'a folder/shatranj/KQvKQ.bkd' ] && pass || fail 'plan --make of a command in a folder with a blank'
rm -rf 'a folder'
foretold() { # arguments of plan: the bytes of disk it tells
    "$bin" plan "$@" --dir none --json | sed 's/.*"total"//; s/.*"disk_bytes":\([0-9]*\).*/\1/'
}
# what was made before takes what it took
for how in fast normal; do
    good 'KRvKN' build shatranj KQvKQ KRvKN --dir made --effort $how
    took=$(cat made/shatranj/* | wc -c)
    known=$(foretold shatranj KQvKQ KRvKN --effort $how)
    [ "$known" -eq "$took" ] && pass || fail "src/variants/sizes.tsv is out of date: $known bytes, they are $took ($how)"
    rm -rf made
done
[ "$(foretold shatranj KQvKQ KRvKN --effort best)" -lt "$took" ] && pass || fail 'plan --effort best is not less'
# of other rules nothing is known: a guess, less or more as it is encoded
sed 's/^stalemate = .*/stalemate = draw/' "$games/shatranj.ini" >drawn.ini
good 'KRvKN' build drawn.ini KQvKQ KRvKN --dir made
took=$(cat made/*/* | wc -c)
usual=$(foretold drawn.ini KQvKQ KRvKN)
[ $((2 * usual)) -gt "$took" ] && [ "$usual" -lt $((2 * took)) ] && pass ||
    fail "plan guessed $usual bytes, they are $took"
for how in '-lt best' '-gt fast'; do
    guessed=$(foretold drawn.ini KQvKQ KRvKN --effort "${how#* }")
    [ "$guessed" "${how%% *}" "$usual" ] && pass || fail "plan --effort ${how#* } guessed $guessed, normal $usual"
done
good ' --wdl --standalone --effort best --any --quiet' \
    plan shatranj KRvKN --dir none --wdl --standalone --effort best --make
rm -rf made
good 'White wins in 39 plies (20 turns)' probe shatranj '8/8/8/3k4/8/1KQ5/8/q7 w - - 0 1'
good '"wdl":1,"dtw":39,"end":null,"moves":[{"move":"b3b4","wdl":1,"dtw":39,"san":"Kb4","fen":"8/8/8/3k4/1K6/2Q5/8/q7 b - - 0 1"}' \
    probe shatranj --json 8/8/8/3k4/8/1KQ5/8/q7 w - - 0 1
good '"wdl":1,"dtw":39' probe --dir nowhere:tables shatranj --json 8/8/8/3k4/8/1KQ5/8/q7 w
good 'Black wins in 39 plies' probe shatranj 'Q7/8/1kq5/8/3K4/8/8/8 b - - 0 1'
good ' 20. ' line shatranj 8/8/8/3k4/8/1KQ5/8/q7 w
# Black begins: the first move stands alone, the next turn is the next
run 0 line shatranj '8/8/8/3k4/8/1KQ5/8/q7 b - - 0 7' && [ "$(cat out)" = 'White wins in 10 plies (5 turns)

  7. ... d5c5
  8. b3c2     c5b5
  9. c2b1     b5c4
 10. c3d2     c4d3
 11. d2c1     a1b2
 12. b1b2

8/8/8/8/8/3k4/1K6/2Q5 b - - 0 12
The game is over: Black'"'"'s king is bare; White has won.' ] && pass || fail 'a line that Black begins'
good '"end":"bare"' line shatranj --json 8/8/8/3k4/8/1KQ5/8/q7 w
good '"material":"KQvKQ","white":{"win":469711,"draw":1003268,"loss":151371,' \
    stats shatranj KQvKQ --json
good '"longest_win":{"plies":63,' stats shatranj KQvKQ --json
diamond='8/8/8/3k4/8/1KQ5/8/q7 w - - 0 1'
good '   3 |   3   K  39   7  43   3   3   3' diagram shatranj "$diamond" --map c3 --text
good 'White wins (50), plies' diagram shatranj "$diamond" --map c3
good '"lifted":"c3","squares":[{"square":"b1","wdl":1,"dtw":3}' diagram shatranj "$diamond" --map c3 --json
good '{"square":"e1","wdl":-1,"dtw":50}' diagram shatranj '8/8/8/k7/8/1K1Q4/8/2q5 b - - 0 1' --map c1 --json
good '8/8/3Q4/8/8/k6q/8/1K6 w - - 0 1' mine shatranj KQvKQ --what longest --limit 1
good '8/8/3Q4/8/8/k6q/8/1K6 w - - c0 "wins in 63 plies (32 turns)";' \
    mine shatranj KQvKQ --what longest --format epd
[ "$(wc -l <out)" -eq 10 ] && pass || fail 'not ten longest'
good '{"fen":"q7/3Q4/8/8/8/8/8/K2k4 w - - 0 1","wdl":1,"dtw":35,"other_wdl":1,"other_dtw":17}]}' \
    mine shatranj KQvKQ --what bare-race --where 'plies > 20' --limit 1 --json
good ',-1,4,,,,e3,4,,' mine shatranj KQvKQ --what domination --limit 1 --format csv
good ' pv ' mine shatranj KQvKQ --compose --limit 2 --format epd
good '"moves":["' mine shatranj KQvKQ --compose --limit 1 --json
# after the key move two of these were the same, mirrored
run 0 mine shatranj KQvKQ --compose && [ "$(grep -c '1QqK4 w\|3K1q2 w' out)" -eq 1 ] && [ "$(wc -l <out)" -eq 7 ] && pass ||
    fail "problems that meet: $(cat out)"
# a short list says so, unless nothing but the answer is wanted
[ "$(cat err)" = 'bareking: problems: 7, there are no more' ] && pass || fail 'are these all?'
good 'w - - 0 1' mine shatranj KQvKQ --compose --quiet
good '"positions":[' mine shatranj KQvKQ --compose --json
good 'w - - 0 1' mine shatranj KQvKQ --compose --limit 7
good 'q7/3Q4/8/8/8/8/8/K2k4 w - - 0 1,1,35,1,17,,,,,' mine shatranj KQvKQ --what bare-race --where 'plies > 20' --limit 1 --format csv
good 'fen,wdl,dtw,other_wdl,other_dtw,move,man,squares,idle,moves' mine shatranj KQvKQ --what zugzwang --limit 1 --format csv
run 0 mine shatranj KQvKQ --what zugzwang && [ "$(wc -l <out)" -eq 179 ] && pass || fail 'zugzwangs'
run 0 report shatranj KQvKQ -o page.html && for text in '<td>469,711 (28.9 %)</td>' 'wins in 63 plies' \
    '<p>There is no position in which whoever moves loses.</p>' '<p>179 in all, ' '</details>'; do
    grep -qF "$text" page.html && pass || fail "no '$text' in the report"
done
# a page of two sides, part by part
"$bin" build puzzle-mini KRvKN --dir mini --quiet
run 0 report puzzle-mini KRvKN --dir mini -o mini.html && for text in \
    '<td>White</td><td>1,707 (80.5 %)</td><td>380 (17.9 %)</td><td>34 (1.6 %)</td><td>2,121</td>' \
    '<td>Black</td><td>955 (32.4 %)</td><td>883 (30.0 %)</td><td>1,105 (37.5 %)</td><td>2,943</td>' \
    '<h3>Black to move</h3>' '<code>n1**/2**/3R/1k1K w - - 0 1</code>' '>White to move wins in 17 plies (9 turns)<' \
    '<p>1.&#160;d2c2 a4b2 2.&#160;d1d2 ' '>after 3 plies, d1d2<' '>after 15 plies, b1b3<' '>after 17 plies, b3a3<' \
    '>Black&#39;s knight from a4, White to move<' '>Black wins (4), plies<' \
    '>White to move loses in 2 plies (1 turn); Black to move loses in 8 plies (4 turns)<' \
    '>White to move draws; Black to move loses in 10 plies (5 turns)<' \
    '<p>1 in all, in which whoever moves loses.<' '<p>11 in all, in which it would be better not to move.<' \
    '>White to move wins in 3 plies (2 turns)<' '</summary>d1c2 a1a2 c1b1<'; do
    grep -qF -e "$text" mini.html && pass || fail "no '$text' in the report of two sides"
done
for text in '24 <figure>' '6 marker-end' '0 There is no'; do # 1 + 6 along the line, 4 maps, 1 + 6 zugzwangs, 6 problems
    [ "$(grep -c -e "${text#* }" mini.html)" -eq "${text%% *}" ] && pass || fail "not $text in the report"
done
"$bin" build puzzle-mini KRvKN --dir short --wdl --quiet
run 0 report puzzle-mini KRvKN --dir short -o short.html && [ "$(grep -c '<h2>' short.html)" -eq 3 ] &&
    grep -qF '>White to move loses; Black to move loses<' short.html && pass || fail 'a report without distances'
rm -r mini short
good '{"variant":"shatranj","material":"KQvKQ","file":"page.html","bytes":'"$(wc -c <page.html)"'}' \
    report shatranj KQvKQ -o page.html --json
bad 2 'say where the page goes' report shatranj KQvKQ --json
if command -v xmllint >/dev/null; then
    xmllint --noout page.html >out 2>err && pass || fail 'the report is no XML'
fi
grep -q 'http' page.html && ! grep 'http' page.html | grep -qv 'xmlns="http://www.w3.org/2000/svg"' &&
    pass || fail 'the report needs something else'
run 0 report shatranj KQvKQ --threads 1 && cmp page.html out >err 2>&1 && pass || fail 'another report'
run 0 report shatranj KQvKQ -o - && cmp page.html out >err 2>&1 && [ ! -e - ] && pass || fail 'no report on stdout by -o -'
if [ -c /dev/full ]; then
    "$bin" report shatranj KQvKQ >/dev/full 2>err
    [ $? -eq 4 ] && [ "$(wc -l <err)" -eq 1 ] && grep -q 'cannot write the answer: No space' err && pass ||
        fail 'a report to a full disk'
fi
printf '[FEN "%s"]\n\n1. Kb4 {so far} Kd6 2. Kc4 Ke6 3. Qd4? (3. Kd4) Kf5 *\n' "$diamond" >game.pgn
good '1. Kb4 {White wins in 38 plies (19 turns)} {so far} Kd6 2. Kc4 Ke6 3. Qd4? $2' annotate shatranj game.pgn
"$bin" annotate shatranj game.pgn >once.pgn && "$bin" annotate shatranj once.pgn | cmp -s - once.pgn && pass ||
    fail 'what is annotated twice is told twice'
good '{a draw; with c4d4 White wins in 35 plies (18 turns)} (3. Kd4) Kf5 $2' annotate shatranj game.pgn
good '"mark":"?","best":"c4d4"}' annotate shatranj game.pgn --json
run 0 annotate shatranj game.pgn --json -o game.json && [ ! -s out ] && grep -q '"mark":"?","best":"c4d4"}' game.json &&
    pass || fail 'annotate --json does not write to its file'
printf '[FEN "%s"]\n\n1. Qd4 *\n' "$diamond" >blunder.pgn
good '1. Qd4 $4' annotate shatranj blunder.pgn
good '"before":{"wdl":1,"dtw":39},"after":{"wdl":1,"dtw":1},"mark":"??","best":"b3b4"}' annotate shatranj blunder.pgn --json
good '{"variant":"shatranj","games":[]}' annotate shatranj /dev/null --json
run 0 annotate shatranj game.pgn --dir nowhere && grep -q 'no tables of shatranj in nowhere' err &&
    pass || fail 'annotate without tables says nothing'
bad 2 'build: --scratch nowhere: No such file' build shatranj KRvKN --memory 1G --scratch nowhere --dir scratched
bad 4 'build: --scratch /dev/null: ' build shatranj KRvKN --memory 1G --scratch /dev/null --dir scratched
# results without distances beside a file of them, as a kill between two names leaves them: made again
for how in '--wdl' '--standalone'; do
    rm -rf pair && good '' build shatranj KQvKQ --dir pair $how
    cp pair/shatranj/KQvKQ.bkw old.bkw && rm pair/shatranj/* && good '' build shatranj KQvKQ --dir pair
    cp pair/shatranj/KQvKQ.bkw new.bkw && cp old.bkw pair/shatranj/KQvKQ.bkw
    case $how in
    --wdl) text='distances that the .bkw does not promise' ;;
    *) text='does not answer alone, as the .bkw does' ;;
    esac
    run 3 doctor pair && grep -q "^ *half  *KQvKQ.bkd: $text\$" out && pass || fail "doctor does not tell half a pair of $how"
    good '1 to build' plan shatranj KQvKQ --dir pair
    run 0 build shatranj KQvKQ --dir pair
    case $how in
    --wdl) [ ! -s err ] ;;
    *) grep -q '1 table answered alone, and made anew does not: ' err ;;
    esac && pass || fail "what is said when half a pair of $how is made again"
    cmp -s new.bkw pair/shatranj/KQvKQ.bkw && pass || fail "half a pair of $how is not made again"
    good 'whole' doctor pair
done
# a manifest that names a file twice, and one that is no table
(cd pair && sha256sum shatranj/* && sha256sum shatranj/KQvKQ.bkw && echo text >shatranj/read..me && sha256sum shatranj/read..me) >list.sha
good '4 good' manifest pair list.sha
rm pair/shatranj/read..me
# results of this game, distances of another with its name: refused
sed 's/^stalemate .*/stalemate = draw/' "$games/shatranj.ini" >shatranj.ini
rm -rf mixed && mkdir -p mixed/shatranj && cp pair/shatranj/KQvKQ.bkd mixed/shatranj
bad 2 'KQvKQ.bkd ~rules' build ./shatranj.ini KQvKQ --dir mixed
rm -rf mixed shatranj.ini
# a checkpoint that is younger than its table stays: who was stopped may go on
touch -d '1 hour ago' pair/shatranj/* && touch pair/shatranj/.KQvKQ.ckpt
good 'nothing to build' build shatranj KQvKQ --dir pair
[ -e pair/shatranj/.KQvKQ.ckpt ] && pass || fail 'a checkpoint of what is being made anew went'
touch pair/shatranj/KQvKQ.bkw && good 'nothing to build' build shatranj KQvKQ --dir pair
[ ! -e pair/shatranj/.KQvKQ.ckpt ] && pass || fail 'a checkpoint that was left stays'
# a table under a name that nobody looks for
mv pair/shatranj/KQvKQ.bkw pair/shatranj/kqvkq.bkw && mv pair/shatranj/KQvKQ.bkd pair/shatranj/kqvkq.bkd
run 1 doctor pair && grep -q 'kqvkq.bkw: the table is looked for as KQvKQ' out && pass || fail 'doctor takes a name that is none'
rm -rf pair
bad 2 "stats: ~'-d'" stats shatranj KRvKN -dq
# dots apart from their number, as `line` writes them; brackets in a comment of a variation
printf '[FEN "8/8/8/3k4/8/1KQ5/8/q7 b - - 0 1"]\n\n1. ... Kc5 2 .Kc2 (2. Ka4 ; smile :)\n) *\n' >dots.pgn
good '1. ... Kc5 {White wins in 9 plies (5 turns)} 2 . Kc2 (2. Ka4 ; smile :)' annotate shatranj dots.pgn
# signs that are there stand before what is said, ours is one of them or not; lines may end in CR alone
printf '[FEN "8/8/8/3k4/8/1KQ5/8/q7 w - - 0 1"]\r\r1. Ka2 ; c\r$22 $1 *\r' >signs.pgn
good '1. Ka2 $2' annotate shatranj signs.pgn
grep -qx '$22 $1 \*' out && pass || fail 'a comment goes on behind its line'
printf '[FEN "8/8/8/3k4/8/1KQ5/8/q7 w - - 0 1"]\r\n\r\n1. Ka2 ; c\r\n*\r\n' >signs.pgn
good ' ; c' annotate shatranj signs.pgn
! grep -q "$(printf '\r')" out && pass || fail 'a return is left at the end of a comment'
printf '[FEN "8/8/8/3k4/8/1KQ5/8/q7 w - - 0 1"]\n\n1. Ka2 $22 $1 *\n' >signs.pgn
good '1. Ka2 $22 $1 $2' annotate shatranj signs.pgn
printf '[FEN "8/8/8/3k4/8/1KQ5/8/q7 w - - 0 1"]\n\n1. Qd4 $4 *\n' >signs.pgn
"$bin" annotate shatranj signs.pgn >once.pgn && "$bin" annotate shatranj once.pgn | cmp -s - once.pgn &&
    [ "$(grep -c '\$4' once.pgn)" = 1 ] && pass || fail 'a sign is put twice'
printf '[FEN "8/8/8/3k4/8/1KQ5/8/q7 w - - 0 1"]\n\n%%1. Ka2\n1. Kb4 %% 1... Kd6 *\n' >signs.pgn
bad 2 '`%` ~move' annotate shatranj signs.pgn
printf '%s id "White wins in 39 plies (20 turns)";\n' "${diamond% 0 1}" >list.epd
good 'c0 "White wins in 39 plies' annotate shatranj list.epd
# in time or not: without distances nothing is held against a move
good '' build atlantean KZvKX --wdl --dir clock
printf '[FEN "10/9k/10/10/Z9/10/10/10/1x8/3K6 w - - 0 48"]\n\n48. d1f1 *\n' >clock.pgn
good '48. d1f1 {Black wins, in time or not} *' annotate atlantean clock.pgn --dir clock
good '"before":{"wdl":null,"dtw":null},"after":{"wdl":null,"dtw":null}}]' annotate atlantean clock.pgn --dir clock --json
rm -rf clock
run 0 annotate shatranj /dev/null -o none.pgn && [ -e none.pgn ] && [ ! -s none.pgn ] && pass || fail 'nothing was not written'
printf '8/8/8/3k4/8/1KQ5/8/q7 w - - bm b3a2;\n' >list.epd
good 'bm b3a2; c0 "White wins in 39 plies (20 turns)"; c1 "b3a2?: a draw; with b3b4 White' annotate shatranj list.epd
# as editors of other systems leave it: a mark of its encoding, lines with returns; and an escaped line
printf '\357\273\277[FEN "%s"]\r\n\r\n1. Kb4\r\n%% 2. Kc4\r\n*\r\n' "$diamond" >game.pgn
good '1. Kb4 {White wins in 38 plies' annotate shatranj game.pgn
"$bin" annotate shatranj list.epd >once.epd && "$bin" annotate shatranj once.epd | cmp -s - once.epd && pass ||
    fail 'a list that is annotated twice is told twice'
printf '\357\273\277%s bm b3a2;\r\n' "$diamond" >list.epd
good 'c1 "b3a2?: a draw; with b3b4 White' annotate shatranj list.epd
printf '[FEN "%s"]\n\n1 Kb4 Kd6 ; so far\n2 Qd4 {x}\n%% Kc4\n2... Kd5 *\n' "$diamond" >game.pgn # bare numbers, comments to the end of a line
run 0 annotate shatranj game.pgn && [ "$(sed -n '3,$p' out)" = '1 Kb4 {White wins in 38 plies (19 turns)} Kd6 ; so far
2 Qd4 $2 {a draw; with b4c4 White wins in 37 plies (19 turns)} {x}
% Kc4
2... Kd5 $2 {White wins in 39 plies (20 turns); with a1b2 a draw} *' ] && pass || fail 'moves are within a comment'
printf '%s id "the bm trap"; bm b3a2;\n' "$diamond" >list.epd # no operation stands in quotes
good 'c1 "b3a2?: a draw; with b3b4 White' annotate shatranj list.epd
printf '\357\273\277%s bm b3a2;\r\n' "$diamond" >list.epd
"$bin" probe shatranj - <list.epd >out 2>err
[ "$(cut -f 2,3 out)" = "$(printf '1\t39')" ] && pass || fail 'a list with a mark of its encoding'
# what it writes it reads: short lines are filled up, a comment that is there stays, a string must end
printf '%s\n' '8/8/8/3k4/8/1KQ5/8/q7' '8/8/8/3k4/8/1KQ5/8/q7 w -' "${diamond% 0 1} sm Kb4" "${diamond% 0 1} c0 \"mine\";" >list.epd
run 0 annotate shatranj list.epd && cp out once.epd && [ "$(cut -d ' ' -f 2-7 out)" = 'w - - c0 "White wins
w - - c0 "White wins
w - - sm Kb4; c0
w - - c0 "mine"; c1' ] && "$bin" annotate shatranj once.epd | cmp -s - once.epd && pass || fail 'an annotated list is not read again'
printf '%s id "open;\n' "${diamond% 0 1}" >list.epd
bad 2 'line 1: ~string' annotate shatranj list.epd
# ten comments are all that a line can have
printf '%s c0 "x"; c1 "x"; c2 "x"; c3 "x"; c4 "x"; c5 "x"; c6 "x"; c7 "x"; c8 "x"; c9 "x";\n' "${diamond% 0 1}" >list.epd
run 0 annotate shatranj list.epd && cmp -s out list.epd && pass || fail 'an eleventh comment'
# a bracket that is not closed costs its game alone
printf '[FEN "%s"]\n\n1. Kb4 (1. Kc2 *\n\n[White "a\n[FEN "%s"]\n\n1. Qd4 *\n\n[FEN "%s"]\n\n1. Qd4 e.p. *\n' "$diamond" "$diamond" "$diamond" >broken.pgn
run 2 annotate shatranj broken.pgn && [ "$(grep -c '1. Qd4 e.p. \$4' out)" = 1 ] && [ "$(grep -c 'is not closed' err)" = 2 ] &&
    pass || fail 'games behind a bracket that is not closed'
run 0 build shatranj KQvKB --dir colours --effort fast --quiet && run 0 mine shatranj KQvKB --what any --count --dir colours &&
    [ ! -s err ] && run 0 mine shatranj KBvKQ --what any --count --dir colours &&
    grep -q 'KBvKQ was looked at as KQvKB' err && pass || fail 'mine keeps quiet about colours'
for command in 'mine puzzle-hands KRNvKA --what any' 'plan puzzle-hands KRNvKA'; do
    bad 2 'KRNvKA: ~puzzle-hands ~`bareking whole`' $command
done
# on what turn it is depends whether a win comes in time, in lists as well
sed '/^n-move/d; /^zeroing/d; s/^name .*/name = short\ngame-length-turns = 20/' "$games/shatranj.ini" >short.ini
run 0 build ./short.ini KBvKB --dir . --quiet
printf '8/8/8/6k1/8/1K1b4/8/1B6 w - -%s\n' '' ' fmvn 21; id "late"' ' 0 21' ' 0 20 bm b1d3;' >list.epd
run 0 annotate ./short.ini list.epd --dir . && [ "$(sed 's/.* c0//' out)" = ' "White wins in 1 ply (1 turn)";
 "a draw";
 "a draw";
 "White wins in 1 ply (1 turn)"; c1 "b1d3 keeps it: White wins in 0 plies (0 turns)";' ] && pass || fail 'a list without turns'
# as annotate reads them, so does probe; all digits are the reader's of FENs
printf '%s w - - %s\n' 8/8/8/6k1/8/1K1b4/8/1B6 'id "fmvn 21 in quotes";' 8/8/8/6k1/8/1K1b4/8/1B6 'fmvn   21;' \
    8/8/8/6k1/8/1K1b4/8/1B6 'fmvn 99999;' | "$bin" probe ./short.ini - --dir . --json >out 2>err || :
[ "$(grep -o '"clocked":{"wdl":[01]\|is not 1 to 65535' out | tr '\n' ' ')" = \
    '"clocked":{"wdl":1 "clocked":{"wdl":0 is not 1 to 65535 ' ] && pass || fail "turns of a list: $(cat out)"
printf '[FEN 4k3/8/8/8/8/8/8/R3K3 w - - 0 1]\n\n1. e4 *\n' >game.pgn
bad 2 'line 1: ~FEN tag' annotate shatranj game.pgn
printf '[Annotator "bareking"]\n\n1. a3 a6 2. Ra2 *\n' >game.pgn # thirty-two men: out of reach
good '1. a3 a6 2. Ra2 *' annotate shatranj game.pgn
printf '1. a3\na6 2. Ra9 *\n' >game.pgn
bad 2 'line 2: ~`Ra9`' annotate shatranj game.pgn
printf '1. a3 {open' >game.pgn
bad 2 'line 1: ~bracket' annotate shatranj game.pgn
printf '1. Ka2' >game.pgn
bad 2 'line 1: ~puzzle' annotate puzzle game.pgn
bad 2 'nothing.pgn' annotate shatranj nothing.pgn
bad 2 ' .: Is a directory' annotate shatranj .
# a slip in one game or position does not lose the others
printf '[FEN "%s"]\n\n1. Kb4 Ka9 2. Qd4 {x} *\n\n[FEN "8/8 w"]\n\n1. Kb4 *\n\n[FEN "%s"]\n\n1. Kb4 Kd6 *\n' "$diamond" "$diamond" >game.pgn
run 2 annotate shatranj game.pgn && [ "$(cut -d : -f 2-3 err)" = ' game.pgn: line 3
 game.pgn: line 5' ] && [ "$(grep -v FEN out)" = '
1. Kb4 {White wins in 38 plies (19 turns)} Ka9 2. Qd4 {x} *


1. Kb4 *


1. Kb4 {White wins in 38 plies (19 turns)} Kd6 *' ] && pass || fail "a game after a bad one: $(cat out err)"
# nor does a game with two FENs, or one that goes on behind its end and a bared king's reply; a king that bares back
# ends it
printf '[FEN "%s"]\n[White "x"]\n[FEN "%s"]\n\n1. Kb4 *\n\n[FEN "%s"]\n\n[White "y"]\n[FEN "%s"]\n\n1. Kb4 *\n' \
    "$diamond" "$diamond" "$diamond" "$diamond" >twice.pgn
run 2 annotate shatranj twice.pgn && [ "$(cat err)" = 'bareking: twice.pgn: line 3: a second FEN tag of one game' ] &&
    [ "$(grep -n '1\. Kb4' out)" = '5:1. Kb4 *
12:1. Kb4 {White wins in 38 plies (19 turns)} *' ] && pass || fail "two FEN tags: $(cat out err)"
{
    printf '[FEN "8/8/8/8/3k4/8/1q6/1K4Q1 w - - 0 1"]\n\n1. Kxb2 Kd3 2. Kb3 *\n\n'
    printf '[FEN "8/8/8/8/8/2k5/1q6/2Q4K w - - 0 1"]\n\n1. Qxb2 Kxb2 2. Kg1 *\n\n[FEN "%s"]\n\n1. Kb4 *\n' "$diamond"
    printf '\n[FEN "8/8/8/8/8/2k5/1q6/2Q4K w - - 0 1"]\n\n1. Qxb2 Kd3 *\n'
} >behind.pgn
run 2 annotate shatranj behind.pgn && [ "$(cat err)" = \
    "bareking: behind.pgn: line 3: \`Kb3\` stands behind the end of the game: Black's king is bare; White has won
bareking: behind.pgn: line 7: \`Kg1\` stands behind the end of the game: both kings are bare; a draw
bareking: behind.pgn: line 15: \`Kd3\` stands behind the end of the game: Black's king is bare, but takes the last man at once; a draw" ] &&
    [ "$(grep '^1' out)" = '1. Kxb2 Kd3 2. Kb3 *
1. Qxb2 Kxb2 2. Kg1 *
1. Kb4 {White wins in 38 plies (19 turns)} *
1. Qxb2 Kd3 *' ] && pass || fail "moves behind the end: $(cat out err)"
printf '8/8/8/8/3k4/8/1K6/6Q1 b - - sm Kd3;\n%s bm b3b4;\n' "${diamond% 0 1}" >behind.epd
bad 2 'behind.epd: line 1: ~`Kd3`' annotate shatranj behind.epd
grep -q 'b3b4 keeps it' out && pass || fail 'a position behind one that is over'
run 2 annotate shatranj game.pgn --json && [ "$(grep -o '"move":"b3b4"\|"errors":\[' out | tr '\n' ' ')" = \
    '"move":"b3b4" "move":"b3b4" "errors":[ ' ] && pass || fail "a game after a bad one in JSON: $(cat out)"
# the nth of the answer is the nth of the file, whether it can begin, has moves, or not
fens_and_errors() { # of the games of an answer
    grep -o '"fen":"[^ ]*\|"fen":null\|"error":"[^"]*"\|"line":[0-9]*' out | tr '\n' ' '
}
printf '[White "a"]\n[White "b"]\n\n*\n\n[FEN "%s"]\n\n{open}\n\n[FEN 8/8]\n\n1. Kb4 {x} *\n{y}\n[FEN "Q7/8/8/8/8/8/8/k1K5 w"]\n\n*\n{end}\n' \
    "$diamond" >order.pgn
run 2 annotate shatranj order.pgn --json && [ "$(fens_and_errors)" = \
    '"fen":null "fen":"8/8/8/3k4/8/1KQ5/8/q7 "fen":null "error":"the FEN tag has no FEN in quotes, or one too long" "line":10 "fen":"Q7/8/8/8/8/8/8/k1K5 ' ] &&
    pass || fail "the order of games in JSON: $(cat out)"
run 2 annotate shatranj game.pgn --json && [ "$(fens_and_errors)" = \
    '"fen":"8/8/8/3k4/8/1KQ5/8/q7 "error":"`Ka9` is no legal move" "line":3 "fen":null "error":"FEN: 2 ranks, the board has 8" "line":5 "fen":"8/8/8/3k4/8/1KQ5/8/q7 ' ] &&
    pass || fail "a game that cannot begin in JSON: $(cat out)"
printf '%s bm b3a9;\n8/8 w - -\n# so\n%s bm b3b4;\n' "$diamond" "$diamond" >slips.epd
run 2 annotate shatranj slips.epd && [ "$(sed 's/.* 1 //' out)" = 'bm b3a9; c0 "White wins in 39 plies (20 turns)";
8/8 w - -
# so
bm b3b4; c0 "White wins in 39 plies (20 turns)"; c1 "b3b4 keeps it: White wins in 38 plies (19 turns)";' ] && pass ||
    fail "a position after a bad one: $(cat out err)"
run 2 annotate shatranj slips.epd --json && [ "$(fens_and_errors)" = \
    '"fen":"8/8/8/3k4/8/1KQ5/8/q7 "error":"`b3a9` is no legal move" "line":1 "fen":null "error":"FEN: 2 ranks, the board has 8" "line":2 "fen":"8/8/8/3k4/8/1KQ5/8/q7 ' ] &&
    pass || fail "a position after a bad one in JSON: $(cat out)"
bad 1 'decided by rule' report shatranj KQvK
bad 1 'bareking build shatranj KQvKR' report shatranj KRvKQ
bad 4 'nowhere/' report shatranj KQvKQ -o nowhere/page.html
good 'White to move      1,624,350:        469,711 wins      1,003,268 draws        151,371 losses' mine shatranj KQvKQ --what any --count
good '"what":"any","white":{"win":469711,"draw":1003268,"loss":151371},"black":{"win":0,' mine shatranj KQvKQ --what any --count --json
good '"what":"any","white":{"win":' mine shatranj KQvKQ --what any --count --json --where 'dist(K,k) = 2'
bad 2 '--count ~--what longest' mine shatranj KQvKQ --what longest --count
bad 2 '--count ~--compose' mine shatranj KQvKQ --compose --count --limit 3
bad 2 '--count ~--limit' mine shatranj KQvKQ --what any --count --limit 3
bad 2 '--count ~--format' mine shatranj KQvKQ --what any --count --format csv
# docs/gallery.md says what the command says
gallery=$games/../../docs/gallery.md
listed() { # a row of the gallery
    grep -qF -e "$1" "$gallery" && pass || fail "the gallery has no '$1'"
}
listed "| KQvKQ | 63 | \`$("$bin" mine shatranj KQvKQ --what longest --limit 1)\` |"
listed '      b3b4       wins in 39 plies (20 turns)'
bad 2 'say --what' mine shatranj KQvKQ
bad 2 'nothing to look for' mine shatranj KQvKQ --what gold
bad 2 'not both' mine shatranj KQvKQ --what longest --compose
good '{White wins in 39 plies (20 turns)} 1. Kb4 Kd6 2. Kc4 Ke6' line shatranj "$diamond" --format pgn
good 'Qb2 20. Kxb2# 1-0' line shatranj "$diamond" --format pgn
cp out line.pgn && good '19. Qc1 Qb2 20. Kxb2# 1-0' annotate shatranj line.pgn && ! grep -q '\$' out && pass || fail 'the best line has mistakes'
# lines are as full as 79 columns let them be; a comment that has lines goes on from its last
sed '1,/^$/d' out | awk 'length > 79 || (NR > 1 && last + 1 + length($1) <= 79) { bad = 1 } { last = length } END { exit bad }' &&
    pass || fail "lines that are too long, or not full: $(cat out)"
printf '[FEN "%s"]\n\n1. Kb4 {%070d\nx} Kd6 *\n' "$diamond" 0 >lines.pgn
good 'x} Kd6 *' annotate shatranj lines.pgn
# a game is told of where the tables' reach begins, each by its own plies, whatever ends the one before
{
    printf '1/2-1/2\n\n[FEN "8/8/8/3k4/8/1KQ5/8/q2N4 w - - 0 1"]\n\n1. Nb2 Qxb2\n'
    printf '[FEN "%s"]\n\n1. Kb4 *\n' "$diamond"
} >reach.pgn
run 0 annotate shatranj reach.pgn && grep -qx '1. Nb2 Qxb2 {White wins in .*}' out && [ "$(sed '1,/^1. Nb2/d' out | cut -c 1-4 | head -n 2 | tr '\n' '|')" = '|[FEN|' ] &&
    run 0 annotate shatranj reach.pgn --json && [ "$(grep -o '"ply":[0-9]*' out | tr '\n' ' ')" = '"ply":1 "ply":2 "ply":1 ' ] && pass ||
    fail "games that the tables reach: $(cat out)"
# positions that they do not reach have no remark; a list may begin with remarks, and end without a line's end
printf '# mine\n\n8/8/8/3k4/8/1KQ5/8/q2N4 w - - bm d1b2;\n%s bm b3b4;' "${diamond% 0 1}" >list.epd
run 0 annotate shatranj list.epd && [ "$(sed -n 1,3p out)" = "$(sed -n 1,3p list.epd)" ] && [ "$(wc -l <out)" -eq 4 ] &&
    grep -q 'c1 "b3b4 keeps it' out && pass || fail "a list that the tables do not reach: $(cat out)"
printf '1. Kb4 \0 *\n' >none.pgn
bad 2 'none.pgn ~text' annotate shatranj none.pgn
# what needs no table is known without any
printf '[FEN "8/8/8/8/3k4/8/1q6/1K4Q1 w - - 0 1"]\n\n1. Kxb2 *\n' >bare.pgn
good '1. Kxb2 *' annotate shatranj bare.pgn --dir nowhere
bad 2 "'epd' ~pgn" line shatranj "$diamond" --format epd
bad 2 'without --json' line shatranj "$diamond" --format pgn --json
bad 2 'goes with one FEN' line shatranj - --format pgn
run 0 mine shatranj KQvKQ --compose --limit 3 --format pgn && [ "$(grep -c '^\[FEN ' out)" -eq 3 ] &&
    [ "$(grep -c ' 1-0$' out)" -eq 3 ] && ! awk 'length > 79 { bad = 1 } END { exit !bad }' out && pass || fail 'problems as PGN'
good '8/8/3Q4/8/8/k6q/8/1K6 w - - 0 1"]' mine shatranj KQvKQ --what longest --limit 1 --format pgn
bad 2 'no format' mine shatranj KQvKQ --what longest --format xml
bad 2 'column 6: ~man' mine shatranj KQvKQ --what longest --where 'edge(R) = 0'
bad 2 'more than --memory' mine shatranj KQvKQ --what longest --memory 1000
bad 1 'decided by rule' mine shatranj KQvK --what longest
bad 1 'bareking build shatranj KQvKR' mine shatranj KRvKQ --what longest
good 'all good' check shatranj
good 'all good' check shatranj KQvKQ
good '"different":0,"counts_agree":true' verify shatranj KQvKQ --json
good '883 positions agree' verify shatranj KQvKQ --sample 1000 --seed 7
good '873 positions agree' verify shatranj KQvKQ --sample 1000 --seed 1
good 'KRvKN' build shatranj KNvKR --dir two --threads 1
BAREKING_DIR=two
export BAREKING_DIR
run 0 mine shatranj KRvKN --compose --limit 100 --format csv && [ "$(sed 's/.*,//' out | sort | uniq -d)" = '' ] &&
    [ "$(wc -l <out)" -eq 101 ] && pass || fail 'problems with the same solution'
good '"material":"KNvKR","white":{"win":269329,' stats shatranj KNvKR --json
good '"material":"KRvKN","white":{"win":651505,' stats shatranj KRvKN --json
unset BAREKING_DIR

# == Counted without tables: as from files ==
for material in KRvKN KNvKR KQvKQ KPvKP KRvK KNvK; do
    run 0 build shatranj $material --dir counted --effort fast
    run 0 stats shatranj $material --json --dir counted && cp out stats.json
    for dir in nowhere counted; do
        run 0 count shatranj $material --json --dir $dir && cmp -s out stats.json && pass || fail "$material counted in $dir"
    done
done
[ ! -e nowhere ] && pass || fail 'counting leaves nothing'
run 0 count shatranj --men 3 --dir nowhere && [ ! -s out ] && pass || fail 'counting up to three men: all by rule'
run 0 count chess --men 3 --json --dir nowhere && [ "$(wc -l <out)" -eq 5 ] && pass || fail 'counting up to three men'
run 0 count shatranj KQvKQ KRvKQ KQvKQ --wdl --dir nowhere
[ "$(grep -c '^KQvKQ .* 28.914   61.766    9.319 .* -      -$' out)" -eq 2 ] && pass || fail 'lines of counts'
bad 2 'count: ~--men N ~--for FEN' count shatranj
bad 2 'count: --ranks ~--memory' count shatranj KRvKQ --memory 1G --ranks 2
good '4 processes would send each other 343 KiB of news in 57 plies, at most 64.7 KiB in one' count shatranj KRvKN --ranks 4 --dir nowhere
run 0 count shatranj KRvKN KQvKQ --ranks 2 --wdl --json --dir counted && [ "$(grep -c '"news":{"ranks":2,"bytes":[1-9]' out)" -eq 2 ] &&
    pass || fail 'news of tables that have files'
bad 4 'needs a memory limit of' count shatranj KRvKQ --memory 1M --dir nowhere
# == By the n-move rule ==
bad 2 'grand-shatranj has no n-move rule' count grand-shatranj KMvKN --dtz
bad 2 'count: --dtz counts distances, --wdl none' count shatranj KRvKN --dtz --wdl
sed 's/^n-move .*/n-move = 6/; s/^name .*/name = sixmoves/' "$games/chess.ini" >sixmoves.ini
run 0 count ./sixmoves.ini KQvKP --dtz --json --dir nowhere # as Syzygy's generator, changed to six moves, counts
grep -q '"white":{"win":3116394,"draw":21317,"loss":18,.*"cursed_win":233237,"blessed_loss":2},"black":{"win":220855,"draw":601733,"loss":3491630,.*"cursed_win":165121,"blessed_loss":502165}' out && pass ||
    fail 'five results by six moves'
run 0 count ./sixmoves.ini KQvK --dtz --dir nowhere && grep -q 'cursed.*blessed' out && pass || fail 'columns of five results'
# files of it
good 'KPvK' build ./sixmoves.ini KPvK --dtz --dir zeroing
ls zeroing/sixmoves/*.bkw zeroing/sixmoves/*.bkd >/dev/null 2>&1 && fail 'plain results, unasked' || pass
good 'all good' check ./sixmoves.ini --dir zeroing
good '165,676 positions agree' verify ./sixmoves.ini KPvK --dir zeroing
good '"cursed_win":' stats ./sixmoves.ini KPvK --dir zeroing --json
run 0 count ./sixmoves.ini KPvK --dtz --json --dir zeroing && cp out counted.json
run 0 count ./sixmoves.ini KPvK --dtz --json --dir nowhere && cmp -s out counted.json && pass || fail 'a file and a count differ'
good '21,051 wins' mine ./sixmoves.ini KPvK --what cursed --count --dir zeroing
slow='8/8/8/6k1/8/8/1P4K1/8 w - -'
good '"category":"cursed-win"' probe ./sixmoves.ini "$slow 0 1" --dir zeroing --json
good 'By the rule of 6 moves, with 3 plies counted: ' probe ./sixmoves.ini "$slow 3 1" --dir zeroing
good 'KPvK ' build ./sixmoves.ini KPvK --dir zeroing # distances to the end beside these
[ -f zeroing/sixmoves/KPvK.bkd ] && [ ! -f zeroing/sixmoves/KPvK.bkw ] && pass || fail 'which files there are'
good 'wins in 55 plies' probe ./sixmoves.ini "$slow 0 1" --dir zeroing
good 'KPvK.bkz' needs ./sixmoves.ini KPvK --dtz
bad 2 'no n-move rule' needs grand-shatranj KMvKN --dtz
bad 2 '--dtz' build ./sixmoves.ini KPvK --dtw --dir zeroing
sed 's/^n-move .*/n-move = 7/' sixmoves.ini >seven.ini
run 3 check ./seven.ini KPvK --dir zeroing && [ "$(grep -c 'another n-move rule' err)" -eq 2 ] && pass || fail 'files of another n-move rule'
good 'KQvKQ' build shatranj KQvKQ --wdl --dir wdl --effort fast
run 0 count shatranj KQvKQ --dir wdl && grep -q '^KQvKQ .* 63     62$' out && pass || fail 'distances that the files lack are counted'
good 'White wins' probe shatranj --dir wdl 8/8/8/3k4/8/1KQ5/8/q7 w
good 'White wins in 39 plies' probe shatranj --dir wdl:tables 8/8/8/3k4/8/1KQ5/8/q7 w
bad 1 'no distances ~table' line shatranj --dir wdl 8/8/8/3k4/8/1KQ5/8/q7 w
good '"longest_win":null' stats shatranj KQvKQ --json --dir wdl
bad 2 'has no distances' mine shatranj KQvKQ --what longest --dir wdl
run 0 mine shatranj KQvKQ --what zugzwang --dir wdl && [ "$(wc -l <out)" -eq 179 ] && pass || fail 'without distances'

# == What cannot be, or does not fit, is refused before it begins ==
BAREKING_MACHINE=30000000
export BAREKING_MACHINE
bad 2 'KRRRvKN: ~White ~3 R ~shatranj ~2 ~--any' build shatranj KRRRvKN
bad 2 'Black has 3 R' build shatranj KRvKN KBvKRRR
bad 4 'KRvKN takes ' build shatranj KRvKN --dir fit # what a game can have goes on to the next question
bad 4 '28.6 MiB; ~--force' build shatranj KRvKN --dir fit
for reached in 'shatranj KQQQvKP' 'chess KRRRvKN' 'chess KBBBvKR' 'darwinian KRRRvKW' 'sultan KQQvKR'; do
    bad 4 '--force' build $reached --dir fit
done
bad 2 'White ~3 B ~shatranj ~2' build shatranj KBBBvKN
bad 2 'a side has' build grand-shatranj KJJJvKN
bad 2 'White ~3 E ~darwinian ~2' build darwinian KEEEvKW --dir fit
bad 4 'forc' build shatranj KRRRvKN --any --dir fit
[ ! -e fit ] && pass || fail 'something was begun'
BAREKING_MACHINE=40000000000 good 'KRvKN' build shatranj KRvKN --dir fit
rm -rf fit
good 'KRvKN' build shatranj KRvKN --dir fit --force
rm -rf fit
good 'KRvKN' build shatranj KRvKN --dir fit --memory 1G
rm -rf fit
unset BAREKING_MACHINE

# == The clock: what comes too late is a draw, and every move says so ==
sed '/^n-move/d; /^zeroing/d; s/^stalemate/game-length-turns = 20\n&/; s/^name .*/name = short/' "$games/shatranj.ini" >short.ini
good 'KQvKQ' build ./short.ini KQvKQ
suli='8/8/8/3k4/8/1KQ5/8/q7 w - - 0'
good '40 plies are left: White wins.' probe ./short.ini "$suli 1"
good 'b3c2       wins in 41 plies (21 turns), too late: a draw' probe ./short.ini "$suli 1"
grep -qx '  b3b4       wins in 39 plies (20 turns)' out && pass || fail 'a move in time'
good '{"move":"b3c2","wdl":1,"dtw":41,"clocked_wdl":0,"san":"Kc2"' probe ./short.ini "$suli 1" --json
good '{"move":"b3b4","wdl":1,"dtw":39,"clocked_wdl":1,"san":"Kb4"' probe ./short.ini "$suli 1" --json
good '38 plies are left: a draw.' line ./short.ini "$suli 2"
grep -qx 'That is too late: the limit of turns has made it a draw.' out && pass || fail 'an end too late'
good '"clocked":{"wdl":0,"plies_left":38}' line ./short.ini "$suli 2" --json
printf '[FEN "%s 1"]\n\n1. Kc2 *\n\n[FEN "%s 2"]\n\n1. Kc2 *\n' "$suli" "$suli" >late.pgn # gives a win away, where there is one
good '1. Kc2 $2 {a draw; with b3b4 White wins in 39 plies (20 turns)} *' annotate ./short.ini late.pgn
grep -qxF '1. Kc2 {a draw} *' out && pass || fail 'a win that comes too late is given away'
good '1 ply is left: a draw.' probe ./short.ini '8/8/8/3K4/8/1kq5/8/Q7 b - - 0 20'
good 'KQvKQ, short' info tables/short/KQvKQ.bkw ./short.ini
good ', 1 shard ' info "$games/../../tests/golden/normal/chess/KBvK.bkw"
bad 2 'KQvKQ.bkw: ~short ~.ini' info tables/short/KQvKQ.bkw
good 'KQvKQ' build ./short.ini KQvKQ --wdl --dir wdl
good 'no distance says' probe ./short.ini "$suli 1" --dir wdl
good '"clocked":{"wdl":null,"plies_left":40}' probe ./short.ini "$suli 1" --dir wdl --json

# == Many at once: a line of answer for each, in order, whatever the threads ==
{
    echo "$suli 1"
    printf '\n  # a word\n'
    printf '8/8/8/3k4/8/1KQ5/8/q7 w - - bm b3b4; fmvn 12; id "Suli";\r\n'
    echo '8/8/8/3k4/8/1Kx5/8/q7 w - - 0 1'
    echo '8/8/8/3k4/8/8/R7/K7 b - - 0 1'
    printf '8/8/8/3k4/8/1KR5/8/q7 w'
} >many
from() { # status, file, arguments
    wanted=$1 file=$2
    shift 2
    "$bin" "$@" <"$file" >out 2>err
    status=$?
    [ $status -eq "$wanted" ] || { fail "status $status, not $wanted: bareking $* <$file"; return 1; }
}
tab=$(printf '\t')
cat >wanted <<END
$suli 1${tab}1${tab}39${tab}1${tab}-
$suli 12${tab}1${tab}39${tab}1${tab}-
8/8/8/3k4/8/1Kx5/8/q7 w - - 0 1${tab}error${tab}FEN rank 3: unknown piece letter 'x' at column 15; shatranj has KQRBNP
8/8/8/3k4/8/8/R7/K7 b - - 0 1${tab}-1${tab}0${tab}-1${tab}bare
END
from 2 many probe shatranj - && {
    head -n 4 out | cmp wanted - && grep -q '^8/8/8/3k4/8/1KR5/8/q7 w	error	no table K' out &&
        [ "$(wc -l <out)" -eq 5 ] && pass || fail 'many positions'
    [ "$(wc -l <err)" -eq 1 ] && grep -q "2 of 5 positions without an answer; number 3: FEN rank 3" err &&
        pass || fail 'what is said of many'
}
from 2 many probe shatranj - --json && {
    [ "$(sed -n 1p out)" = '{"fen":"'"$suli"' 1","wdl":1,"dtw":39,"end":null}' ] && pass || fail 'JSON of many'
    grep -qF '"status":1}' out && grep -qF '"status":2}' out && [ "$(wc -l <out)" -eq 5 ] && pass ||
        fail 'JSON of errors among many'
}
head -n 1 many >one
from 0 one line shatranj - && grep -q "39	1	bare	b3b4 d5d6 .* b1b2	8/8/.* b - - 0 20$" out && pass ||
    fail 'many lines'
from 0 one line ./short.ini - --json &&
    grep -q '"clocked":{"wdl":1,"plies_left":40},"moves":\["b3b4",.*"end_fen":"8/8/' out && pass ||
    fail 'many lines as JSON'
awk -v fen="$(head -n 1 many)" 'BEGIN { for (i = 0; i < 30000; i++) {
    sub(/[0-9]+$/, i % 60 + 1, fen); print fen } }' >thousands
from 0 thousands probe ./short.ini - --threads 1 && mv out alone
from 0 thousands probe ./short.ini - --threads 3 && cmp alone out && [ "$(wc -l <out)" -eq 30000 ] &&
    [ "$(cut -f 4 out | sort | uniq -c | tr -s ' \n' ' ')" = ' 29500 0 500 1 ' ] && pass ||
    fail 'thousands of positions'
from 1 one probe shatranj - --dir nowhere && pass
from 2 one probe shatrang - && pass
from 0 /dev/null probe shatranj - && [ ! -s out ] && [ ! -s err ] && pass || fail 'no position at all'
from 4 . probe shatranj - && grep -q 'cannot read the positions' err && pass || fail 'a folder on stdin'
mkfifo ask say # who asks one and waits is answered before the next
timeout 20 "$bin" probe shatranj - <ask >say &
{ exec 8>ask 9<say; cat one >&8; read -r answer <&9; exec 8>&- 9<&-; }
[ "$answer" = "$(sed -n 1p wanted)" ] && pass || fail 'asked and waited'
wait
# a path need not be UTF-8, JSON must be: in it a byte that is none is a question mark
latin=$(printf 'd\344')
if mkdir "$latin" 2>/dev/null && cp -R tables/shatranj "$latin"; then
    good '"dir":"d?"' plan shatranj KQvKQ --dir "$latin" --json
    good '"dir":"d?"' build shatranj KQvKQ --dir "$latin" --json
    good '"path":"d?/shatranj/KQvKQ.bkw"' check shatranj --dir "$latin" --json
    good '"dir":"d?"' doctor "$latin" --json
    good '"dir":"d?"' manifest "$latin" --json
    good '"file":"d?/shatranj/KQvKQ.bkw"' info "$latin/shatranj/KQvKQ.bkw" --json
    cp tables/shatranj/KQvKQ.bkw "$latin/shatranj/$latin.bkw"
    answers 3 '"path":"d?/shatranj/d?.bkw","ok":false' check shatranj --dir "$latin" --json
    good '"path":"shatranj/d?.bkw"' manifest "$latin" --json
    run 1 doctor "$latin" --json && grep -qF '"file":"d?.bkw"' out && pass || fail 'doctor --json of a strange name'
fi
good '>d?</text>' diagram shatranj "$diamond" --caption "$latin"
same() { # table: are its files in `again` and in `tables` the same?
    cmp "again/$1.bkw" "tables/$1.bkw" >out 2>err && cmp "again/$1.bkd" "tables/$1.bkd" >out 2>err
}
good 'KBvKP' build shatranj KBvKP --effort fast
good 'KBvKN' build shatranj KBvKN
good 'KBvKN' build shatranj KBvKN --dir again --effort fast
same shatranj/KBvKN && fail 'effort makes no difference' || pass
good 'repacked 1 table' repack shatranj KBvKN --dir again --effort normal
same shatranj/KBvKN && pass || fail 'repacked is not as built'
good '"repacked":[{"material":"KQvKQ"' repack shatranj --men 4 --dir wdl --json
cmp wdl/shatranj/KQvKQ.bkw tables/shatranj/KQvKQ.bkw >out 2>err && fail 'has distances now' || pass
[ "$(ls wdl/shatranj)" = KQvKQ.bkw ] && pass || fail 'repacked with distances'
good 'KRvKR' build chess KRvKR --dir again --effort fast
mkdir rook && mv again/chess/KRvK.bk? rook
good 'repacked 1 table' repack chess KRvKR --dir again
[ "$(cd again/chess && echo *)" = 'KRvKR.bkd KRvKR.bkw' ] && pass || fail 'repacked what was not asked for'
mv rook/* again/chess
good 'agree' verify chess KRvKR --dir again
bad 1 'KRvKN of chess in again' repack chess KRvKN KRvKR --dir again
good 'nothing to repack' repack shatranj --men 3 --dir again
bad 1 'nowhere: No such file' repack shatranj --men 3 --dir nowhere
bad 2 '--men N ~--for FEN' repack shatranj
good '   16  the white king and the black king are at most 2 apart' facts shatranj KNvKR
good '142 facts of KRvKN, shatranj; version 1' facts shatranj KNvKR
good '"facts":["the white rook is defended by the white king"' facts shatranj KRvKN --json
bad 2 'give a material' facts shatranj
bad 2 "'X'" facts shatranj KXvK
run 0 build shatranj KQvKQ --dir quiet --quiet && { [ -s out ] || [ -s err ] && fail quiet || pass; }
: >file
bad 4 '' build shatranj KQvKQ --dir file
bad 4 'memory' build shatranj KRvKN --memory 1M
bad 2 'KJMHvKJMH: ~100' plan grand-shatranj KJMHvKJMH
good 'KQRNvKRBN' plan shatranj KQRNvKRBN --wdl --dir none
[ -c /dev/full ] && { "$bin" help >/dev/full 2>err; [ $? -eq 4 ] && pass || fail 'a full disk'; }

# == Terrain: the board that a FEN shows ==
ring='**************/**************/****4******/****1**1******/***2**2*****/***1****1*****/'
ring=$ring'***2**2*****/****1**1******/****4******/**************/**************/'
ring=$ring'**************/**************/**************'
at=$(echo "$ring" | sed 's|4|Ok2|; s|\(.*\)4|\1Kl2|')
bad 2 '--men N ~--for FEN' build grand-shatranj
bad 1 "KOvKL of grand-shatranj@14x14-" probe grand-shatranj "$at"
bad 1 "build grand-shatranj KOvKL --dir tables --for '" line grand-shatranj "$at w - - 0 1"
good 'KOvKL' plan grand-shatranj --for "$at"
good 'built 1 table' build grand-shatranj --for "$at"
good 'nothing to build' build grand-shatranj KLvKO --for "$ring"
good 'agree with their successors' verify grand-shatranj --for "$at"
good '2 files' check grand-shatranj --for "$ring"
good 'KOvKL of grand-shatranj@14x14-' stats grand-shatranj --for "$at"
good '"wdl":0' probe grand-shatranj "$at w - - 0 1" --json
good 'a draw' line grand-shatranj "$at w - - 0 1"
good '"variant":"grand-shatranj@14x14-' perft grand-shatranj "$at" 2 --json
file=$(echo tables/grand-shatranj@14x14-*/KOvKL.bkw)
bad 2 'KOvKL.bkw: ~--for' info "$file"
good 'wins, draws and losses of KOvKL, grand-shatranj@14x14-' info "$file" --for "$ring"
bad 3 'with other rules' info "$file" --for '10/10/10/3k6/10/1KM7/10/10/10/10'
bad 2 'is bound to its own board' probe puzzle-mini 'k2*/4/4/K3'
bad 2 'FEN: 7 ranks' build shatranj --for '8/8/8/3k4/8/1KQ5/8'
# a FEN that cannot be read is no board, also where a material is named; it need not have kings
for command in 'build shatranj KQvKQ' 'build shatranj --men 4' 'repack shatranj KQvKQ' 'plan shatranj KQvKQ' \
    'count shatranj KQvKQ' 'stats shatranj KQvKQ' 'verify shatranj KQvKQ' 'facts shatranj KQvKQ' 'check shatranj' \
    'info tables/shatranj/KQvKQ.bkw'; do
    bad 2 'FEN: rank 7 ~7 ~8' $command --for '8/7/8/8/8/8/8/8'
done
bad 2 "FEN rank 1: ~'x'" plan shatranj KQvKQ --for '8/8/8/8/8/8/8/7x'
bad 2 'FEN: 9 ~8' plan shatranj KQvKQ --for '8/8/8/8/8/8/8/8/8'
bad 2 "FEN ~'white'" plan grand-shatranj KOvKL --for "$ring white"
bad 2 'after the last field' plan grand-shatranj KOvKL --for "$ring w - - 0 1 so"
bad 2 'FEN: ~white king' plan shatranj --for '8/8/8/8/8/8/8/8'
good 'KQvKQ' plan shatranj KQvKQ --for '8/8/8/8/8/8/8/8 w - - 0 1'
bad 2 '' stats shatranj

# == Shuffled castling homes: the FEN tells them ==
homes='4k5/10/10/10/10/10/10/1R2K2R2 w KQ - 0 1'
bad 2 'FEN ~king ~rooks ~sultan-random' \
    build sultan-random KRvK+K
bad 1 "build sultan-random KRRvK+KQ --dir tables --for '" probe sultan-random "$homes"
good 'sultan-random@e-bh' plan sultan-random --for "$homes"
good 'built 3 tables' build sultan-random KRvK+K KRvK+Q --for "$homes"
good 'nothing to build' build sultan-random --for '4k5/10/10/10/10/10/10/4K2R2 w H'
good 'agree with their successors' verify sultan-random --for '4k5/10/10/10/10/10/10/4K2R2 w H'
good 'KRvK+K of sultan-random@e-h' stats sultan-random --for '4k5/10/10/10/10/10/10/4K2R2 w H'
good '2 files' check sultan-random
good 'e1i1' probe sultan-random '4k5/10/10/10/10/10/10/4K2R2 w K'
good 'White wins' line sultan-random '4k5/10/10/10/10/10/10/1R2K5 w Q'
good '"variant":"sultan-random@e-b"' probe sultan-random '4k5/10/10/10/10/10/10/1R2K5 w B' --json
good '"fen":"4k5/10/10/10/10/10/10/1R2K5 w B - 0 1"' \
    probe sultan-random '4k5/10/10/10/10/10/10/1R2K5 w Q' --json
good '"fen":"4k5/10/10/10/10/10/10/1R2K5 w - - 0 1"' probe sultan-random '4k5/10/10/10/10/10/10/1R2K5 w K' --json
bad 2 "kings ~e and f" \
    probe sultan-random '1r3k4/10/10/10/10/10/10/1R2K5 w Bb'
bad 2 "has no starting position" perft sultan-random startpos 2
bad 2 "sultan-random has no starting position" probe sultan-random startpos
bad 1 '32 men' probe shatranj startpos
good '8 | r n b q k b n r' diagram shatranj startpos --text
good '"nodes":28' perft sultan-random "$homes" 1 --json
good 'FEN tells their homes' variants --explain sultan-random

# == Damaged files: each is named, with status 3 ==
flip() { # file, offset (negative: from the end): flips the bits of one byte
    size=$(wc -c <"$1")
    at=$2
    [ "$at" -lt 0 ] && at=$((size + at))
    byte=$(od -An -tu1 -j "$at" -N 1 "$1" | tr -d ' ')
    printf "$(printf '\\%03o' $((255 - byte)))" | dd of="$1" bs=1 seek="$at" conv=notrunc 2>/dev/null
}
cut_to() { # file, bytes
    head -c "$2" "$1" >cut && mv cut "$1"
}
damaged() { # what to do to a fresh copy
    rm -rf hurt && cp -R tables hurt
    "$@"
    bad 3 'hurt/shatranj/KQvKQ.bk' check shatranj KQvKQ --dir hurt
}
w=hurt/shatranj/KQvKQ.bkw
d=hurt/shatranj/KQvKQ.bkd
half=$(($(wc -c <tables/shatranj/KQvKQ.bkw) / 2))
for at in 0 4 9 20 40 100 200 $half -1; do
    damaged flip $w $at
done
for at in 0 50 -1; do
    damaged flip $d $at
done
for n in 0 1 7 100 $half $(($(wc -c <tables/shatranj/KQvKQ.bkw) - 1)); do
    damaged cut_to $w "$n"
done
longer() { echo >>$w; }
damaged longer
swapped() { cp tables/shatranj/KQvKQ.bkd $w; }
damaged swapped
for command in 'stats shatranj KQvKQ' 'probe shatranj 8/8/8/3k4/8/1KQ5/8/q7' \
    'line shatranj 8/8/8/3k4/8/1KQ5/8/q7' 'verify shatranj KQvKQ' 'check shatranj'; do
    rm -rf hurt && cp -R tables hurt
    flip $w 30
    bad 3 $w $command --dir hurt
done
rm -rf hurt && cp -R tables hurt
mv $w hurt/shatranj/KRvKN.bkw
rm $d
bad 3 'KRvKN.bkw' check shatranj --dir hurt
bad 3 'KRvKN.bkw' stats shatranj KRvKN --dir hurt
# what cannot be repacked is named; the rest is, where all are asked for
rm -rf hurt && mkdir -p hurt/shatranj && cp tables/shatranj/KQvK[BQ].bk? hurt/shatranj
flip $w 30
bad 3 "$w: " repack shatranj KQvKB KQvKQ --dir hurt
cmp -s hurt/shatranj/KQvKB.bkw tables/shatranj/KQvKB.bkw && pass || fail 'repacked beside a damaged one that was named'
run 3 repack shatranj --men 4 --dir hurt --effort fast && [ "$(wc -l <err)" -eq 1 ] && grep -qF "$w: " err &&
    grep -q 'repacked 1 table' out && pass || fail 'repack --men with a damaged table'
run 3 repack shatranj --men 4 --dir hurt --effort fast --json && grep -qF '"repacked":[{"material":"KQvKB"' out &&
    grep -qF '"errors":["'"$w: " out && pass || fail 'repack --json with a damaged table'
cp tables/shatranj/KQvKQ.bkw $w && rm $d
bad 3 'KQvKQ: distances ~not repacked' repack shatranj KQvKQ --dir hurt
rm $w && ln -s KQvKQ.bkw $w # a link to itself
bad 4 "$w: Too many levels of symbolic links; not repacked" repack shatranj KQvKQ --dir hurt
bad 4 "$w: Too many levels of symbolic links; --force" build shatranj KQvKQ --dir hurt
rm $w && mkdir $w
bad 4 "$w: Is a directory" build shatranj KQvKQ --dir hurt
rmdir $w && ln -s KQvKQ.bkw $w
run 0 plan shatranj KQvKQ --dir hurt && grep -q 'would refuse: .*symbolic links' out && pass || fail 'plan with a table that cannot be read'

# == A folder: what is wrong with it ==
rm -rf ward && mkdir ward && cp -R tables/shatranj ward && cp -R tables/short ward
good 'short: 1 table, 2 files' doctor ward ./short.ini
run 1 doctor ward && grep -q 'unknown *short: no game of this name is built in' out && pass || fail 'an unknown game'
rm -r ward/short
good ': whole' doctor ward
run 0 doctor ward --quiet && [ ! -s out ] && pass || fail 'doctor --quiet of what is whole'
ill() { # status, line, what to do to ward/shatranj
    wanted=$1 text=$2
    shift 2
    rm -rf ward && mkdir ward && cp -R tables/shatranj ward
    (cd ward/shatranj && "$@")
    run "$wanted" doctor ward && grep -q "^  $text" out && ! grep -q whole out && pass ||
        fail "doctor: no '$text'"
    run "$wanted" doctor ward --json && [ "$(wc -l <out)" -eq 1 ] && pass || fail 'doctor --json'
    run "$wanted" doctor ward --quiet && grep -q "^  $text" out && grep -q '^shatranj: ' out && pass ||
        fail "doctor --quiet: no '$text'"
}
ill 1 'missing *KQvKB: for KBvKP$' rm KQvKB.bkw KQvKB.bkd
"$bin" build shatranj KQvKB --wdl --dir nodist --quiet
undistanced() { rm KQvKB.bkd && cp ../../nodist/shatranj/KQvKB.bkw .; }
ill 1 'missing *KQvKB: its distances, for KBvKP$' undistanced
ill 3 'half *KQvKQ.bkw: promises distances, and no .bkd is there$' rm KQvKQ.bkd
ill 3 'half *KQvKQ.bkd: distances, and no .bkw is there$' rm KQvKQ.bkw
ill 3 'damaged *KQvKQ.bkw: .*checksum' flip KQvKQ.bkw 3000
ill 3 'damaged *KQvKQ.bkd: ' cut_to KQvKQ.bkd 1000
ill 3 'damaged *KQvKR.bkw: ' mv KQvKQ.bkw KQvKR.bkw
ill 3 'other-rules *KQvKQ.bkw: made for short with other rules' cp ../../tables/short/KQvKQ.bkw .
ill 1 'unknown *KXvK.bkw: ' cp KQvKQ.bkw KXvK.bkw
ill 1 'unknown *KQvKQ.bkq: no kind of table that this version knows$' cp KQvKQ.bkw KQvKQ.bkq
ill 4 'unreadable *KQvKQ.bkd: No such file' ln -sf nothing KQvKQ.bkd
two_ills() { flip KQvKB.bkw 3000 && ln -sf nothing KQvKQ.bkd; }
ill 4 'damaged *KQvKB.bkw: ' two_ills
# of damaged results nobody knows what they promise: that is all that is said
ill 3 'damaged *KQvKB.bkw: ' flip KQvKB.bkw 20
grep -q 'half\|missing' out && fail 'doctor: what damaged results are not' || pass
mkdir -m 0 ward/lost+found # as a disk of its own has it
rm -rf ward/shatranj && cp -R tables/shatranj ward && good ': whole' doctor ward
rmdir ward/lost+found
# three of those that need a table are named; who answers alone needs none
printf '[variant]\nname = four\nboard = 4x4\n[piece king]\nletter = K\nroyal = yes\nmove = K\n' >four.ini
for man in R N A; do printf '[piece %s]\nletter = %s\nmove = %s\n' $man $man $man >>four.ini; done
rm -rf need && run 0 build ./four.ini KRvKR KRvKN KRvKA KRRvK --dir need --quiet && rm need/four/KRvK.*
run 1 doctor need ./four.ini && grep -q 'missing *KRvK: for KRRvK, KRvKA, KRvKN and 1 more$' out && pass || fail 'who needs it'
rm need/four/KRvKR.*
run 1 doctor need ./four.ini && grep -q 'missing *KRvK: for KRRvK, KRvKA, KRvKN$' out && pass || fail 'which three need it'
# a question names all that are missing, also those behind the tables that are there
rm -rf need && run 0 build ./four.ini KRRvKR --dir need --quiet && rm need/four/KRvK.*
bad 1 'KRvK of four in need; ~bareking build ./four.ini KRRvKR' verify ./four.ini KRRvKR --dir need
bad 1 'KRvK of four in need; ~bareking build' probe ./four.ini '3k/r3/R3/K2R b' --dir need
rm need/four/KRRvK.*
bad 1 'KRRvK of four in need; ~KRvK; ~bareking build' verify ./four.ini KRvKRR --dir need
# a move into a missing table is one that is not known, where the position is worth what it is without
run 0 probe ./four.ini 'k1K1/4/2R1/1R1r w' --dir need
grep -q '^White wins in 1 ply' out && grep -q '^  b1d1       not known: no table$' out &&
    grep -q 'not all moves are known: no table KRRvK of four' err && pass || fail 'a move that is not known'
run 0 probe ./four.ini 'k1K1/4/2R1/1R1r w' --dir need --json
grep -q '"move":"b1d1","wdl":null,"dtw":null,' out && pass || fail 'a move that is not known, in JSON'
run 0 build ./four.ini KRRvKR --dir need --quiet && rm need/four/KRvK.bkd need/four/KRRvK.bkd
bad 1 'distances ~KRRvK of four in need; ~KRvK; ~bareking build' verify ./four.ini KRRvKR --dir need
rm -rf need && run 0 build ./four.ini KRvKR --dir need --standalone --quiet && rm need/four/KRvK.*
good ': whole' doctor need ./four.ini
good '2 files' check ./four.ini KRvKR --deep --dir need
# where all moves take in passing they are played, though without the square it were stalemate
sed -e 's/^name .*/name = passing/' -e 's/^board .*/board = 3x5/' -e 's/^\[piece king/en-passant = yes\n&/' four.ini >passing.ini
printf '[piece pawn]\nletter = P\nmove = mfWcfF\ndouble-step = 1-2\nbecomes = 5 must R\n' >>passing.ini
run 0 build ./passing.ini KRPvKP --dir need --quiet
good 'White wins in 12 plies' probe ./passing.ini '2R/k2/Pp1/1K1/3 b - a2 0 1' --dir need
grep -q '  b3a2  ' out && [ "$(grep -c '  [a-c][1-5][a-c][1-5] ' out)" = 1 ] && pass || fail 'it must take in passing'
good '  a1a3       wins in 13 plies' probe ./passing.ini '2R/k2/1p1/1K1/P2 w - - 0 1' --dir need # to where it is taken so
for command in 'stats shatranj KQvKQ' 'check shatranj KQvKQ'; do
    bad 1 "shatranj in ward/shatranj; ward/shatranj ~own folder" $command --dir ward/shatranj
done
mkdir above && ln -s ../ward above/ward
# a folder that was meant otherwise is told whatever table is asked for
bad 1 "KRvKN of shatranj in ward/shatranj; ward/shatranj ~own folder" probe shatranj '8/8/8/3k3n/8/1K6/8/R7 w' --dir ward/shatranj
bad 1 "KQvKQ of shatranj in nowhere; nowhere: ~folder; ~bareking build" stats shatranj KQvKQ --dir nowhere
bad 1 "shatranj in nowhere; nowhere: ~folder" check shatranj --dir nowhere
bad 1 "; ~shatranj ~above/ward" stats shatranj KQvKQ --dir above
bad 1 "ward/shatranj; ~own folder" doctor ward/shatranj
bad 1 "ward/shatranj; ~own folder" manifest ward/shatranj
# root reads everything, so it asks as nobody
program=$bin
if [ "$(id -u)" -eq 0 ]; then
    printf '#!/bin/sh\nexec setpriv --reuid=65534 --regid=65534 --clear-groups "%s" "$@"\n' "$bin" >as_nobody
    chmod 755 as_nobody "$tmp"
    bin=$tmp/as_nobody
fi
if "$bin" --version >out 2>&1; then
    chmod 0 ward/shatranj
    bad 4 'ward/shatranj: Permission denied' check shatranj --dir ward
    run 4 check shatranj KQvKQ --dir ward && grep -q 'KQvKQ.bkw: Permission denied' err && pass || fail 'a hidden table'
    chmod 755 ward/shatranj
else
    leave_out 'what may not be read (setpriv, and a program that everybody may read)'
fi
bin=$program
bad 1 'nowhere' doctor nowhere
bad 1 'ward/shatranj/KQvKQ.bkw: Not a directory' doctor ward/shatranj/KQvKQ.bkw
bad 1 'ward/shatranj/KQvKQ.bkw: Not a directory' manifest ward/shatranj/KQvKQ.bkw
mkdir empty
bad 1 'no tables in empty' doctor empty
bad 2 'nosuch' doctor tables nosuch

# == A half pair, and what it says ==
rm -rf ward && mkdir ward && cp -R tables/shatranj ward && rm ward/shatranj/KQvKQ.bkd
for command in 'mine shatranj KQvKQ --what any --count' 'mine shatranj KQvKQ --what zugzwang' 'verify shatranj KQvKQ' \
    'report shatranj KQvKQ -o half.html'; do
    bad 1 'distances ~KQvKQ of shatranj in ward; ~bareking build' $command --dir ward
done
rm ward/shatranj/KQvKQ.bkw && cp tables/shatranj/KQvKQ.bkd ward/shatranj
bad 3 'KQvKQ.bkd: ~KQvKQ.bkw' check shatranj --dir ward
# a board that only a FEN shows is no fault
rm -rf ward && mkdir ward && cp -R tables/shatranj tables/grand-shatranj@14x14-* ward
good 'not-read     grand-shatranj@14x14-' doctor ward
touch ward/shatranj/.KRvKN.ckpt
good 'unfinished   .KRvKN.ckpt: ' doctor ward
run 0 doctor ward --quiet && [ ! -s out ] && pass || fail 'doctor --quiet of another board'
rm ward/shatranj/.KRvKN.ckpt
# == Other rules: another game of the same name ==
sed 's/^bare-king.*/bare-king = wins/' "$games/shatranj.ini" >same.ini
rm -rf ward && mkdir ward && cp -R tables/shatranj ward
bad 2 'rules ~shatranj' build ./same.ini KQvKQ --dir ward
cmp -s ward/shatranj/KQvKQ.bkw tables/shatranj/KQvKQ.bkw && pass || fail 'tables of another game were replaced'
run 0 build ./same.ini KQvKQ --dir ward --force --quiet && ! cmp -s ward/shatranj/KQvKQ.bkw tables/shatranj/KQvKQ.bkw &&
    pass || fail 'build --force over other rules'
# == What build would refuse ==
good 'would refuse: KRRRvKR: White has 3 R' plan shatranj KRRRvKR --dir nowhere
good 'would refuse: KRvKR needs a memory limit of' plan shatranj KRvKR --memory 1M --dir nowhere
good '"refused":"KRvKR needs a memory limit of' plan shatranj KRvKR --memory 1M --dir nowhere --json
good '"refused":"KRvKR needs a memory limit of' plan shatranj KRvKR --memory 1MiB --dir nowhere --json
bad 2 "'1MiBs' ~--memory" plan shatranj KRvKR --memory 1MiBs --dir nowhere
good '"refused":null' plan shatranj KRvKR --dir nowhere --json
bad 2 'plan: ~--json ~--make ~--slurm' plan shatranj KRvKR --make --slurm jobs --dir nowhere
bad 2 'too many arguments' help build probe
bad 2 'too many arguments' --version more
run 0 count shatranj --men 3 && grep -q 'nothing to count: decided by rule' err && pass || fail 'nothing to count'
bad 2 'hand ~17; ~puzzle-mini ~`bareking whole`' probe puzzle-mini \
    '1k**/f1**/K2N/4[nF] w'
bad 2 'knows of men who come back' probe puzzle-mini 'k1**/F1**/3r/K1N1 w'

# == A manifest: a copy is whole, or it is not ==
rm -rf ward && mkdir ward && cp -R tables/shatranj ward
good '  shatranj/KQvKQ.bkw' manifest ward
cp out list
(cd ward && sha256sum --quiet -c ../list) >out 2>err && pass || fail 'sha256sum reads the manifest'
good ' 0 missing, 0 differ, 0 not in the list' manifest ward list
good '"missing":0,"differ":0,"extra":0' manifest ward list --json
(cd ward && sha256sum shatranj/KQvKQ.*) >sums
good '2 good, 0 missing, 0 differ' manifest ward sums
(cd ward && find . -name '*.bk?' -exec sha256sum {} + | sort -k 2) >sums
{ printf '\357\273\277' && cat sums; } >marked
good ' 0 missing, 0 differ, 0 not in the list' manifest ward sums
good ' 0 missing, 0 differ, 0 not in the list' manifest ward marked
(cd ward && find .//shatranj -name '*.bk?' -exec sha256sum {} +) | sed 's/^[0-9a-f]*/\U&/' >sums # as others write them
good ' 0 missing, 0 differ, 0 not in the list' manifest ward sums
differs() { # status, line
    run "$1" manifest ward list && grep -qx "$2" out && pass || fail "manifest: no '$2'"
    run "$1" manifest ward list --quiet || return 0
    case $1 in
    0) [ ! -s out ] ;;
    *) grep -qx "$2" out && ! grep -q '^extra' out ;;
    esac && pass || fail "manifest --quiet: '$2'"
}
flip ward/shatranj/KQvKQ.bkw 50
differs 3 'differs  shatranj/KQvKQ.bkw'
cut_to ward/shatranj/KQvKQ.bkw 50
differs 3 'differs  shatranj/KQvKQ.bkw'
rm ward/shatranj/KQvKQ.bkw
differs 1 'missing  shatranj/KQvKQ.bkw'
flip ward/shatranj/KQvKQ.bkd 50
differs 3 'missing  shatranj/KQvKQ.bkw'
cp tables/shatranj/KQvKQ.bkd ward/shatranj
cp -R tables ward/tables && cp tables/shatranj/KQvKQ.bkw ward/shatranj
cp tables/shatranj/KQvKQ.bkw ward/shatranj/KQvKA.bkw
differs 0 'extra    shatranj/KQvKA.bkw'
rm ward/shatranj/KQvKA.bkw && ln -s nothing ward/shatranj/KQvKA.bkw # what is not in the list is not read
differs 0 'extra    shatranj/KQvKA.bkw'
bad 4 'ward/shatranj/KQvKA.bkw: No such file' manifest ward
rm ward/shatranj/KQvKA.bkw
# as other systems and programs write lists: each is the same list
{ yes '# so many words' | head -n 9000 && cat list; } >long # more than is read at once
sed 's/$/\r/' list >crlf
sed 's/^\([0-9a-f]*\)  /\1 */' list >starred
sed '2s/.*/# 2x the words/; 4,$ { /^#/d }' list >unsized
sed '4,$ { /^#/d }' list >sized # the size before one file is not that of the next
for sums in long crlf starred unsized sized; do
    good ' 0 missing, 0 differ, 0 not in the list' manifest ward $sums
done
sed 's/^# \([0-9]\)/# 9\1/' list >sums
run 3 manifest ward sums && grep -q '^0 good, 0 missing' out && pass || fail 'sizes of a manifest do not count'
{ head -n 3 list && printf '\0' && tail -n +4 list; } >sums # the files behind it would be none of the list's
bad 2 'sums is no text' manifest ward sums
printf '%064d  shatranj\n' 0 >sums
run 1 manifest ward sums && grep -q '^missing  shatranj$' out && pass || fail 'a folder in a manifest'
mkdir -p bare/shatranj && run 1 manifest bare list --quiet && grep -q '^0 good, [1-9][0-9]* missing, ' out && pass || fail 'a copy of nothing'
bytes=$(cat ward/shatranj/* | wc -c) && good '"bytes":'"$bytes"',"files"' manifest ward --json
echo hello >sums
bad 2 'sums:1: ' manifest ward sums
for path in ../list shatranj/../../list .. /etc/passwd ''; do # nowhere but down
    printf '%064d  %s\n' 0 "$path" >sums
    bad 2 'sums:1: ' manifest ward sums
done
: >sums
bad 2 'no file is named' manifest ward sums
head -n 5 list >sums
bad 2 'sums ~2 files' manifest ward sums
cat list list >sums # of several folders in one
run 0 manifest ward sums && pass || fail 'two lists in one'
bad 2 'nosuch' manifest ward nosuch
bad 2 ' .: Is a directory' manifest ward .

# == Interrupted ==
stop_after() { # seconds, arguments: out, err, status
    pause=$1
    shift
    "$bin" "$@" >out 2>err &
    pid=$!
    sleep "$pause"
    kill -TERM $pid 2>/dev/null
    wait $pid
    status=$?
}
stop_after 0.3 build shatranj KRRvKR --dir stopped
if [ $status -eq 4 ]; then
    grep -qF 'interrupted; run the same command to go on' err && pass || fail 'interrupted'
elif [ $status -ne 0 ]; then # 0: it was faster than the signal
    fail "interrupted build: status $status"
fi
for sample in '' '--sample 9999999'; do
    # two words, or none
    # shellcheck disable=SC2086
    stop_after 0.3 verify shatranj KQvKQ $sample
    if [ $status -eq 4 ]; then
        [ "$(cat out err)" = 'bareking: interrupted' ] && pass || fail "interrupted verify $sample"
    elif [ $status -ne 0 ]; then
        fail "interrupted verify $sample: status $status"
    fi
done

# == What a later version made stays ==
"$bin" build chess KBvK --dir later --quiet
for f in later/chess/KBvK.bkw later/chess/KBvK.bkd; do
    cp -R later late
    cp "$newer/${f##*/}" late/chess
    late=late${f#later}
    bad 3 "$late: ~newer ~2" check chess --dir late
    run 3 doctor late && grep -q "^  newer *${f##*/}: needs a newer bareking (format version 2)\$" out && pass ||
        fail "doctor: $late"
    bad 3 "$late: ~newer ~2~; not repacked" repack chess KBvK --dir late
    bad 3 "$late: ~newer ~2~; --force" build chess KBvK --dir late
    bad 3 "$late: ~newer ~2~; --force" build chess KBBvK --dir late --wdl
    cmp -s "$late" "$newer/${f##*/}" && pass || fail "build touched $late"
    run 0 build chess KBvK --dir late --force --quiet && cmp -s "$late" "$f" && pass || fail "build --force: $late"
    rm -r late
done

# == Beyond 510 plies ==
# Black's taker had better take the guard now, which delays the loss; the position's other moves lose sooner.
long=$newer/../../long.ini
late='k2*x1**/**2G***/*1******/*7/*******1/8/A*******/K******* b - - 0 1'
good 'longest loss 648 plies' build "$long" KGAvKX --dir late --effort fast
good 'longest loss 648 plies' build "$long" KGAvKX --dir lone --effort fast --standalone
for f in late lone; do
    good '2,808 positions agree with their successors' verify "$long" KGAvKX --dir $f
    good '"wdl":-1,"dtw":646,' probe "$long" "$late" --dir $f --json
    good 'longest loss  648 plies (324 turns)' stats "$long" KGAvKX --dir $f
    good '324. b5b6=V' line "$long" "$late" --dir $f
    good '26 losses' mine "$long" KGAvKX --what any --where 'plies > 645' --count --dir $f
done

# The same game with a corridor of 30 squares: more turns than the page of a table once counted apart.
squares() { for f in $1; do printf ' %s%s' "$f" "$2"; done; }
{
    sed '/^holes/d; s/^name .*/name = longer/; s/^board .*/board = 14x8/; /^stalemate/q' "$long"
    echo "holes =$(squares 'b c d e f g h i j k l m n' 1)$(squares 'b c d e f g h i j k l m n' 2)$(squares a 5)"
    echo "holes =$(squares 'a b c d e f g h i j k l m' 4)$(squares 'a c d e f g h i j k l m n' 6)"
    echo "holes =$(squares 'a b f g h i j k l m n' 7)$(squares 'd g h i j k l m n' 8)"
    sed -n '/^.piece king/,$p' "$long"
} >longer.ini
good 'longest loss 1104 plies' build longer.ini KGAvKX --dir late --effort fast
good '4 lost in 552 turns' report longer.ini KGAvKX --dir late
good 'agree with their successors' verify longer.ini KGAvKX --dir late

# == Time ==
BAREKING_PACE=2 "$bin" plan shatranj KQvKQ --dir paced --json >out 2>err
twice=$(sed -n 's/.*"total".*"seconds":\([0-9.]*\).*/\1/p' out)
run 0 plan shatranj KQvKQ --dir paced --json
once=$(sed -n 's/.*"total".*"seconds":\([0-9.]*\).*/\1/p' out)
awk "BEGIN { exit !($once > 0.05 && $once < 5 && $twice > 1.99 * $once && $twice < 2.01 * $once) }" && pass ||
    fail "plan: $once s, at half the pace $twice"
mkdir paced tried
measured() { TMPDIR=$PWD/tried env -u BAREKING_PACE "$bin" plan shatranj KRNvKR --threads 1 --dir paced >out 2>err; }
measured && grep -q 'of disk and [0-9:]* of time$' out && [ "$(wc -l <paced/.pace)" = 1 ] && [ -z "$(ls -A tried)" ] &&
    pass || fail 'a trial says how long a build takes, and leaves its pace alone'
cp out once && cp paced/.pace kept && measured && cmp -s out once && cmp -s paced/.pace kept && pass || fail 'a pace is kept'
grep -v total out | grep -q ' [0-9]*:[0-9][0-9]$' && pass || fail 'plan: the time of each table'
bad 1 'no tables in paced' doctor paced
{ echo rubbish; sed 's/^[^ ]* 1 /0123456789abcdef 1 /' kept; sed 's/ 1 .*/ 1 nan 1e99 1/' kept; } >paced/.pace # others', and a forged one
measured && [ "$(grep -c ' 1 ' paced/.pace)" = 2 ] && grep -q '^0123456789abcdef 1 ' paced/.pace && pass || fail 'a pace that is not kept'
rm -r paced tried kept once

# == On a terminal ==
if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    script -qec "$bin plan chess --men 5" /dev/null </dev/null >out 2>&1
    grep -qF 'planning K' out && pass || fail 'no planning on a terminal'
    script -qec "$bin count shatranj KQQvKR --threads 1" /dev/null </dev/null >out 2>&1 # some seconds
    grep -qF ' KQQvKR ' out && grep -qF '  ply ' out && pass || fail 'no bar on a terminal'
    script -qec "$bin build shatranj KNvKP --threads 1 --dir barred" /dev/null </dev/null >out 2>&1 # a few seconds
    grep -qF ' KNvKP 2/2  files  ' out && [ "$(tr '\r' '\n' <out | grep -c ' %  KNvKP 2/2  .*[0-9]:[0-9][0-9] left')" -ge 5 ] &&
        pass || fail 'no bar while files are made'
    script -qec "$bin build chess KRRvK --dir unseen --quiet" /dev/null </dev/null >out 2>&1
    [ -s out ] && fail 'a bar for --quiet' || pass
else
    leave_out 'a terminal (script, /dev/pts)'
fi

stop_after 0.1 mine shatranj KQvKQ --what zugzwang --threads 1 --json
if [ $status -eq 4 ]; then
    [ "$(cat out)" = '{"errors":["interrupted"],"status":4}' ] && pass || fail 'interrupted mine --json'
elif [ $status -ne 0 ] && [ $status -ne 143 ]; then # 143: it was slower than the signal
    fail "interrupted mine: status $status"
fi

echo "$passed passed, $failed failed${without:+; left out: $without}"
[ $failed -eq 0 ]
