#!/bin/sh
# doors.sh BUILD - one position, one move, one answer, through every door: the command, the library in C and in
# Python, the engine by both protocols, the server.  FENs and moves are written as other programs write
# them (docs/rules.md, "How positions are written"), each beside what it means; results lie in one folder,
# distances in another.
set -eu
build=$(realpath "${1:?usage: doors.sh BUILD}")
here=$(realpath "$(dirname "$0")")
. "$here/scratch.sh"
cd "$tmp"
bin=$build/bareking
mark=$(printf '\357\273\277')
tab=$(printf '\t')
passed=0
same() { # door, answers: as those to the positions that are meant
    cmp -s wanted "$2" || fail "$1: $(diff wanted "$2" | head -n 6)"
    passed=$((passed + 1))
}

mkdir -p results/chess distances/chess
cp "$here"/golden/normal/chess/*.bkw results/chess
cp "$here"/golden/normal/chess/*.bkd distances/chess
dirs=distances:results

# == Positions == as they are written | as they are meant
cat >positions <<END
6k1/8/8/8/8/8/R7/4K3 w - - 0 0|6k1/8/8/8/8/8/R7/4K3 w - - 0 1
6k1/8/8/8/8/8/R7/4K3 w - - 4 9 ;D1 16 ;D2 66|6k1/8/8/8/8/8/R7/4K3 w - - 4 9
6k1/8/8/8/8/8/R7/4K3 b - - 0 1;D1 5|6k1/8/8/8/8/8/R7/4K3 b - - 0 1
3k4/8/3K4/3P4/8/8/8/8 w - - dm 12; id "a;b [c] 3";|3k4/8/3K4/3P4/8/8/8/8 w - - 0 1
3k4/8/3K4/3P4/8/8/8/8 b - - fmvn 31; bm Ke8;|3k4/8/3K4/3P4/8/8/8/8 b - - 0 31
3k4/8/3K4/3P4/8/8/8/8 b - - id "fmvn 31 in quotes"|3k4/8/3K4/3P4/8/8/8/8 b - - 0 1
7k/8/8/8/8/8/8/K2Q~4 w - - 1 2|7k/8/8/8/8/8/8/K2Q4 w - - 1 2
7k/8/8/8/8/8/8/K2Q4[] b - - 1 2|7k/8/8/8/8/8/8/K2Q4 b - - 1 2
4k2r/8/8/8/8/8/8/4K3 b KQkq - 0 1|4k2r/8/8/8/8/8/8/4K3 b k - 0 1
4k3/8/8/8/8/8/8/4K2R w Hbk - 0 1|4k3/8/8/8/8/8/8/4K2R w K - 0 1
4k3/8/8/8/8/8/8/1R2K3 w KQ e6 0 1|4k3/8/8/8/8/8/8/1R2K3 w - - 0 1
k7/8/8/8/4P3/8/8/4K3 b - e3 0 1|k7/8/8/8/4P3/8/8/4K3 b - e3 0 1
k7/8/8/8/4P3/8/8/4K3 b e3 0 7|k7/8/8/8/4P3/8/8/4K3 b - e3 0 7
k7/8/8/8/4P3/8/8/4K3 b 12 7|k7/8/8/8/4P3/8/8/4K3 b - - 12 7
k7/8/8/8/4P3/8/8/4K3 b - - - -|k7/8/8/8/4P3/8/8/4K3 b - - 0 1
k7/8/8/8/4P3/8/8/4K3|k7/8/8/8/4P3/8/8/4K3 w - - 0 1
 k7/8/8/8/4P3/8/8/4K3${tab}w  -${tab} -   3 5  |k7/8/8/8/4P3/8/8/4K3 w - - 3 5
k7/8/8/8/4P3/8/8/4K3_w_-_-_3_5|k7/8/8/8/4P3/8/8/4K3 w - - 3 5
k7/8/8/8/4P3/8/8/4K3 w - - 3 5 +0+2|k7/8/8/8/4P3/8/8/4K3 w - - 3 5
${mark}k7/8/8/8/4P3/8/8/4K3 w - - 3 5|k7/8/8/8/4P3/8/8/4K3 w - - 3 5
END
cut -d '|' -f 1 positions >written
cut -d '|' -f 2 positions >meant
n=$(wc -l <written)

# == Refused by all == nothing is forgiven that might mean something
cat >refused <<END
hello
6k1/8/8/8/8/8/R7/4K3 w - - 0 1 moves a2a3
6k1/8/8/8/8/8/R7/4K3 w - - moves a2a3
6k1/8/8/8/8/8/R7/4K3 w KX - 0 1
6k1/8/8/8/8/8/R7/4K3 w - e9 0 1
6k1/8/8/8/8/8/R7/4K3 white - - 0 1
6k1/8/8/8/8/8/R7/4K3[Q] w - - 0 1
6k1/8/8/8/8/8/R7/~4K3 w - - 0 1
END

# == Moves == FEN | as it is written | its name
cat >moves <<END
8/P6k/8/8/8/8/8/K7 w - - 0 1|a7a8q|a7a8=Q
8/P6k/8/8/8/8/8/K7 w - - 0 1|a7-a8=r+|a7a8=R
8/P6k/8/8/8/8/8/K7 w - - 0 1|A7A8N|a7a8=N
4k3/8/8/8/8/8/8/R3K3 w Q - 0 1|e1a1|e1c1
4k3/8/8/8/8/8/8/R3K3 w Q - 0 1|O-O-O|e1c1
4k3/8/8/8/8/8/8/R3K3 w Q - 0 1|0-0-0|e1c1
4k3/8/8/8/8/8/8/4K2R w K - 0 1|oo|e1g1
4k3/8/8/8/8/8/8/4K2R w K - 0 1|e1h1|e1g1
8/8/8/8/8/6k1/1r6/K7 w - - 0 1|a1xb2|a1b2
END

# == The command ==
"$bin" probe chess - --dir "$dirs" <meant | cut -f 2-3 >wanted
! grep -q error wanted || fail "what is meant has no answer: $(cat wanted)"
! grep -q "${tab}-" wanted || grep -q "^0${tab}-" wanted || fail "no distances: $(cat wanted)"
"$bin" probe chess - --dir "$dirs" <written | cut -f 2-3 >command
same probe command
"$bin" line chess - --dir "$dirs" <written | cut -f 2-3 >command
same line command
for order in results:distances nothing:results:distances results:nothing:distances; do
    "$bin" probe chess - --dir $order <written | cut -f 2-3 >command
    same "probe --dir $order" command
done
while IFS='|' read -r fen means; do
    [ "$("$bin" perft chess "$fen" 2)" = "$("$bin" perft chess "$means" 2)" ] || fail "perft: $fen"
    "$bin" diagram chess "$fen" --text >one && "$bin" diagram chess "$means" --text >other
    cmp -s one other || fail "diagram: $fen"
done <positions
while read -r fen; do
    status=0
    "$bin" probe chess "$fen" --dir "$dirs" >out 2>&1 || status=$?
    [ $status -eq 2 ] || fail "status $status: probe $fen"
done <refused
while IFS='|' read -r fen move name; do
    for each in "$move" "$name"; do
        printf '[FEN "%s"]\n\n%s *\n' "$fen" "$each" | "$bin" annotate chess - --dir "$dirs" >out 2>err ||
            fail "annotate: $each: $(cat err)"
        sed -n 's/.*{\(.*\)}.*/\1/p' out >"annotated-$each"
    done
    cmp -s "annotated-$move" "annotated-$name" || fail "annotate: $move of $fen"
done <moves
passed=$((passed + 2 * n))

# == C ==
while read -r fen; do
    "$build/example" chess "$dirs" "$fen" | head -n 1
done <written | sed "s/^[A-Za-z :]*\(wins\|loses\|draws\)/\1/; s/wins in/1/; s/loses in/-1/; s/draws/0 -/; s/ pl.*//; s/ /$tab/" >library
same C library
while read -r fen; do
    if "$build/example" chess "$dirs" "$fen" >out 2>&1; then fail "C: $fen is read"; fi
done <refused

# == Python ==
if [ -n "${SAN-}" ]; then
    : # a library with a sanitizer is not for a Python without
elif python3 -c 'import ctypes' 2>/dev/null; then
    PYTHONPATH=$here/../probe/python BAREKING_LIBRARY=$build/libbareking.so PYTHONDONTWRITEBYTECODE=1 python3 - "$dirs" >python <<'END'
import sys
import bareking

lines = open("written", encoding="utf-8").read().split("\n")[:-1]
game = bareking.Game("chess")
with bareking.Tablebase("chess", *sys.argv[1].split(":")) as tb:
    for a in tb.probe_many(lines):
        print(a.wdl, "-" if a.dtw is None else a.dtw, sep="\t")
for line, means in zip(lines, open("meant", encoding="utf-8").read().split("\n")):
    assert game.position(line).fen == game.position(means).fen, line
for line in open("refused", encoding="utf-8").read().split("\n")[:-1]:
    try:
        game.position(line)
    except bareking.FenError:
        continue
    sys.exit("is read: " + line)
for line in open("moves", encoding="utf-8").read().split("\n")[:-1]:
    fen, move, name = line.split("|")
    assert game.position(fen).play(move).fen == game.position(fen).play(name).fen, line
END
    same Python python
else
    leave_out Python
fi

# == The engine ==
"$build/bareking-engine" --help >/dev/null || fail 'no engine'
fens() { sed -n 's/.*Fen: //p'; }
{
    echo uci
    echo 'setoption name UCI_Variant value chess'
    while read -r fen; do printf 'position fen %s\nd\n' "$fen"; done <written
} | "$build/bareking-engine" --dir "$dirs" | fens >engine
cmp -s meant engine || fail "UCI: $(diff meant engine | head -n 6)"
xboard() { # positions, and after each its move: how many the engine refuses
    {
        printf 'xboard\nprotover 2\nvariant normal\nforce\n'
        while IFS='|' read -r fen move name; do
            printf 'setboard %s\n' "$fen"
            [ -z "$move" ] || printf 'usermove %s\n' "$move"
        done <"$1"
    } | "$build/bareking-engine" --dir "$dirs" | grep -ic 'illegal' || :
}
[ "$(xboard written)" -eq 0 ] || fail 'XBoard: a position is refused'
[ "$(xboard moves)" -eq 0 ] || fail 'XBoard: a move is refused'
[ "$(xboard refused)" -eq "$(wc -l <refused)" ] || fail "XBoard refuses $(xboard refused)"
{
    echo uci
    echo 'setoption name UCI_Variant value chess'
    while read -r fen; do printf 'position fen %s\n' "$fen"; done <refused
} | "$build/bareking-engine" --dir "$dirs" | grep -c 'error:' >engine || :
# `moves` belongs to the command there
[ "$(cat engine)" -eq "$(grep -vc moves refused)" ] || fail "UCI refuses $(cat engine)"
for column in 2 3; do
    {
        echo uci
        echo 'setoption name UCI_Variant value chess'
        while IFS='|' read -r fen move name; do
            [ $column = 2 ] || move=$name
            printf 'position fen %s moves %s\nd\n' "$fen" "$move"
        done <moves
    } | "$build/bareking-engine" --dir "$dirs" >out
    ! grep error: out || fail "UCI: a move is refused"
    fens <out >engine$column
done
cmp -s engine2 engine3 || fail "UCI: $(diff engine2 engine3 | head -n 6)"
passed=$((passed + 7))

# == The server ==
explorer "$bin" "$dirs"
at_end="kill $server"
[ -n "$port" ] || fail "no server: $(cat err)"
answers() { # fens: of the batch, a line each
    sed 's/\\/\\\\/g; s/"/\\"/g; s/	/\\t/g; s/.*/"&"/' "$1" | paste -s -d , >list
    "$build/explore_client" "$port" get /api/v1/chess/batch POST "{\"fens\":[$(cat list)]}" | sed 's/},{/}\
{/g'
}
if [ -n "$port" ]; then
    answers written | sed -n 's/.*"mover":{"category":"\([a-z]*\)","plies":\([0-9nul]*\).*/\1 \2/p' |
        sed "s/^win/1/; s/^loss/-1/; s/^draw/0/; s/null/-/; s/ /$tab/" >server
    same API server
    [ "$(answers refused | grep -c '"code":"fen"\|"code":"piece"')" -eq "$(wc -l <refused)" ] || fail "API: $(answers refused)"
else
    grep -q libmicrohttpd err || fail "no server: $(cat err)"
    leave_out API
fi

echo "doors: $n positions, $(wc -l <moves) moves, $(wc -l <refused) that are none: alike through all${without:+; left out: $without}"
