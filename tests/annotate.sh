#!/bin/sh
# annotate.sh BAREKING - games as other programs write them: `annotate` reads what they mean, or says why not.
#
# Games of tests/games: one as XBoard saves Shatranj (moves drawn and written by Fairy-Stockfish's ffish), one as a
# chess site does (by python-chess), one as XBoard saves ten ranks; NAME.moves has their moves as those programs
# list them.
set -u
LC_ALL=C
export LC_ALL
case ${1:?usage: annotate.sh BAREKING} in
/*) bin=$1 ;;
*) bin=$PWD/$1 ;;
esac
here=$(cd "$(dirname "$0")" && pwd)
. "$here/scratch.sh"
cd "$tmp" || exit 1
claims=0

ok() { claims=$((claims + 1)); }
no() { # what is not so
    sed 's/^/    /' out err | head -n 30
    fail "$1"
}
run() { # status, game, file, options...: leaves out, err
    wanted=$1
    shift
    "$bin" annotate "$@" --dir tables >out 2>err </dev/null
    status=$?
    [ $status -eq "$wanted" ] || no "status $status, not $wanted: annotate $*"
}
moves() { # the moves of an answer in JSON, one a line
    grep -o '"move":"[^"]*"' out | cut -d '"' -f 4
}
silent() { [ ! -s err ] || no "text on stderr: $1"; }
reads() { # game, file, the claim: whole and without a word, the moves of file.moves
    run 0 "$1" "$2.pgn" --json
    silent "$3"
    moves | cmp -s - "$here/games/${4:-$2}.moves" && ok || no "$3"
}
says() { # text that the only line on stderr has
    [ "$(wc -l <err)" -eq 1 ] && grep -qF -e "$1" err && ok || no "no '$1' on stderr"
}
shows() { grep -qF -e "$1" out && ok || no "no '$1' in the answer"; }
lacks() { ! grep -qF -e "$1" out && ok || no "'$1' in the answer"; }
game() { printf '%s\n' "$@" >game.pgn; } # lines

for build in 'chess KPvK' 'shatranj KQvKQ' 'grand-shatranj KJvKN'; do
    "$bin" build $build --wdl --dir tables --quiet || fail "no tables: $build"
done
cp "$here"/games/*.pgn .

# == Arrays ==
reads shatranj xboard-shatranj "XBoard's array of Shatranj has the kings on d1 and d8"
shows '"fen":"rnbkqbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKQBNR w - - 0 1"'
sed -e '/^\[/d' -e 's/{[^}]*}//g' xboard-shatranj.pgn >bare.pgn
reads shatranj bare 'where nobody tells who wrote a game, the array that makes all moves legal is meant' xboard-shatranj
theirs='"fen":"rnbkqbnr/' ours='"fen":"rnbqkbnr/'
game '1. f3 f6 2. Kf2 Kf7 *' # the king comes from e1
run 0 shatranj game.pgn --json && silent 'our array' && shows "$ours"
game '1. c3 c6 2. Kc2 Kc7 *' # from d1
run 0 shatranj game.pgn --json && silent 'their array' && shows "$theirs"
game '1. a3 a6 2. Nf3 *'
run 0 shatranj game.pgn && says 'line 1: all moves of this game are legal from our array and from that of XBoard'
cmp -s game.pgn out && ok || no 'an open game is passed on unchanged'
run 0 shatranj game.pgn --json && shows '"fen":null,"moves":[],"note":"all moves of this game are legal' && shows '"line":1}' && lacks '"errors"'
for tag in 'Site "https://www.pychess.org/AbC"' 'White "Fairy-Stockfish 14"' 'Event "cutechess-cli match"' 'Annotator "XBoard"' \
    'Annotator "1. +0.11   1... +0.26"' 'Event "Computer Chess Game"'; do
    game "[$tag]" '' '1. a3 a6 2. Nf3 *'
    run 0 shatranj game.pgn --json && silent "$tag" && shows "$theirs"
done
game '1. a3 {+0.11/6 0.1} a6 {+0.26/7} *'
run 0 shatranj game.pgn --json && silent 'scores' && shows "$theirs"
game '1. a3 a6 {xboard adjudication: long game} 1/2-1/2' '' '1. a3 a6 *'
run 0 shatranj game.pgn --json && shows "$theirs" && says 'line 3: all moves of this game'
game '[Annotator "bareking"]' '' '1. a3 a6 2. Nf3 *'
run 0 shatranj game.pgn --json && silent 'ours' && shows "$ours"
# a slip in a game that may be meant either way is told, and nothing is judged before it
game '1. a3 a6 2. Ra9 *'
run 2 shatranj game.pgn && says '`Ra9` is no legal move'

# == Ranks ==
reads grand-shatranj xboard-ten-ranks 'XBoard numbers ten ranks from 0'
sed -e '/^\[FEN/!{/^\[/d;}' -e '/^{--/,/--}/d' -e 's/{[^}]*}//g' xboard-ten-ranks.pgn >bare.pgn
reads grand-shatranj bare 'where nobody tells who wrote a game, the ranks that make all moves legal are meant' xboard-ten-ranks
fen='10/10/10/10/10/10/10/10/6J3/K1k1n5 b - - 0 1'
game '[Annotator "XBoard"]' "[FEN \"$fen\"]" '' '1... Nf2 *'
run 0 grand-shatranj game.pgn && shows 'with e0g1 Black wins'
run 0 grand-shatranj game.pgn --json && shows '"move":"e1f3"' && shows '"best":"e1g2"'
run 0 grand-shatranj game.pgn -o once.pgn && run 0 grand-shatranj once.pgn && cmp -s out once.pgn && ok || no 'what is annotated twice is told twice'
game "[FEN \"$fen\"]" '' '1... Nf3 *' # numbered from 1
run 0 grand-shatranj game.pgn && silent 'from 1' && shows 'with e1g2 Black wins'
game '[FEN "4k5/10/10/10/10/10/10/3N6/10/4K4n w - - 0 1"]' '' '1. Ke1 Nh1 *' # Ke1: from 0 alone
run 0 grand-shatranj game.pgn --json && silent 'from 0' && shows '"move":"e1e2"'
game '[FEN "4k5/10/10/4K5/10/10/10/3N6/10/9n w - - 0 1"]' '' '1. Kd6 Kd9 *' # d6 is beside e7 and e6
run 0 grand-shatranj game.pgn && says 'legal whether its ranks are numbered from 1 or, as XBoard does, from 0'
game '[FEN "4k5/10/10/4K5/10/10/10/3N6/10/9n w - - 0 1"]' '[Annotator "bareking"]' '' '1. Kd6 Kd9 *'
run 0 grand-shatranj game.pgn --json && silent 'ours' && shows '"move":"e7d6"'
game '[FEN "4k5/10/10/4K5/10/10/10/3N6/10/9n w - - 0 1"]' '[SetUp "1"]' '' '{--------------' '. k .' '--------------}' '1. Kd6 Kd9 *'
run 0 grand-shatranj game.pgn --json && silent 'a diagram' && shows '"move":"e7d7"'
game '[FEN "10/10/10/10/10/10/10/10/6J3/K1k1n5 b - - 0 1"]' '[Annotator "XBoard"]' '' '1... Nxd9 *'
run 2 grand-shatranj game.pgn && says '`Nxd9` is no legal move, its ranks numbered from 0'

# == Another game ==
kpk='8/8/8/8/8/k7/7P/K7 w - - 0 1'
for name in Atomic Crazyhouse 'Three-check' Chess960 Shatranj antichess horde 'King of the Hill'; do
    game "[Variant \"$name\"]" "[FEN \"$kpk\"]" '' '1. h4 Kb3 *'
    run 0 chess game.pgn && says "line 1: this is a game of \`$name\`, not of chess: it is passed on unchanged"
    cmp -s game.pgn out && ok || no "$name is not passed on unchanged"
done
run 0 chess game.pgn --json && shows '"fen":null,"moves":[],"note":"this is a game of `King of the Hill`, not of chess' && lacks '"errors"'
# its FEN and moves are not looked at, whatever stands first
game '[FEN "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[Pp] w KQkq - 0 1 +3+3"]' '[Variant "Crazyhouse"]' '' '1. P@e4 -- 2. N@f3 *' \
    '' "[FEN \"$kpk\"]" '' '1. h4 *'
run 0 chess game.pgn && says 'this is a game of `Crazyhouse`' && shows '1. h4 {White wins'
for name in Standard standard 'From Position' normal chess Chess Classical '' '?'; do
    game "[Variant \"$name\"]" "[FEN \"$kpk\"]" '' '1. h4 *'
    run 0 chess game.pgn && silent "$name" && shows '1. h4 {White wins'
done
for name in gs10 grand-shatranj Grand-Shatranj 'From Position'; do
    game '[Annotator "bareking"]' "[FEN \"$fen\"]" "[Variant \"$name\"]" '' '1... Nf3 *'
    run 0 grand-shatranj game.pgn && silent "$name" && shows '$4'
done
for name in gs10-rook Standard grand normal; do
    game "[FEN \"$fen\"]" "[Variant \"$name\"]" '' '1... Nf3 *'
    run 0 grand-shatranj game.pgn && says "this is a game of \`$name\`, not of grand-shatranj" && lacks '$'
done
# the tags of one game are not the next one's
game '[Event "a"]' '[Variant "Atomic"]' '' '[Event "b"]' "[FEN \"$kpk\"]" '' '1. h4 *' '' "[FEN \"$kpk\"]" '' \
    '[Variant "Atomic"]' "[FEN \"$kpk\"]" '' '1. h4 *'
run 0 chess game.pgn && [ "$(grep -c '1. h4 {White wins' out)" = 1 ] && says 'line 11: this is a game of `Atomic`'
printf '[Variant "At\033[31mom"]\n\n1. e4 *\n' >game.pgn
run 0 chess game.pgn && says 'a game of `At?[31mom`'

# == The bared king's reply ==
game '[FEN "8/8/8/8/3k4/8/1q6/1K4Q1 w - - 0 1"]' '' '1. Kxb2 Kd3 {Xboard adjudication: Bare king} 1-0'
run 0 shatranj game.pgn && silent 'a reply' && cmp -s game.pgn out && ok || no "a bared king's reply is told of"
run 0 shatranj game.pgn --json && shows '"move":"d4d3","before":{"wdl":-1,"dtw":0},"after":{"wdl":1,"dtw":0}}'
game '[FEN "8/8/8/8/3k4/8/1q6/1K4Q1 w - - 0 1"]' '' '1. Kxb2 Kd3 2. Kb3 *'
run 2 shatranj game.pgn && says '`Kb3` stands behind the end of the game'
game '[FEN "8/8/8/8/3k4/8/1q6/1K4Q1 w - - 0 1"]' '' '1. Kxb2 Kd1 *'
run 2 shatranj game.pgn && says '`Kd1` is no legal move'
# by Black; and in a game that is not XBoard's
game '[FEN "1k4q1/1Q6/8/3K4/8/8/8/8 b - - 0 1"]' '' '1... Kxb7 2. Kd6 0-1'
run 0 shatranj game.pgn && silent "White's reply" && lacks '{'

# == Null moves ==
for null in -- Z0 0000 @@@@ null pass '--?!' '––'; do
    game '[FEN "8/8/7k/8/1pP5/7K/8/8 b - c3 0 1"]' '' "1... Kg5 2. $null Kf4 3. Kh4 *" '' "[FEN \"$kpk\"]" '' '1. h4 *'
    run 0 chess game.pgn && says "line 3: \`$null\` is a null move: from here on the game is not judged"
    [ "$(grep -c White out)" = 1 ] && ok || no "judged behind $null"
done
run 0 chess game.pgn --json && shows '"note":"`––` is a null move' && shows '{"ply":2,"move":"--","before":null,"after":null},{"ply":3,"move":"g5f4","before":null,"after":null}'
# moves are read behind it all the same
game "[FEN \"$kpk\"]" '' '1. -- Kb3 2. h9 *'
run 2 chess game.pgn && grep -q 'is a null move' err && grep -q '`h9` is no legal move' err && ok || no 'a slip behind a null move'
game '[FEN "7k/8/8/8/8/8/P7/K6r w - - 0 1"]' '' '1. -- Kg7 *'
run 2 chess game.pgn && grep -q 'a null move, in check' err && ok || no 'a null move in check'
game "[FEN \"$kpk\"]" '' '1. h4 (1. -- Kb3) Kb3 (1... Z0) *'
run 0 chess game.pgn && silent 'a null move in a variation'

# == As sites and books write ==
reads chess site-chess 'a chess site writes clocks, evaluations, signs, openings'
run 0 chess site-chess.pgn -o once.pgn && run 0 chess once.pgn && cmp -s out once.pgn && ok || no 'a site, twice'
printf '\357\273\277[ FEN   "%s" ]\r\n[Event\r\n"x"]\r\n[Site "C:\\games\\"]\r\n[White "a "b" c"]\r\n[Black ""d"]\r\n\r\n' "$kpk" >game.pgn
printf '1.\302\240h4! +/- Kb3 !? 2\342\200\246 $3 2. ♔b1 ⩲ (2. h5 (2. Kb1?! ; x )\r\n%% ) )\r\n)) ± Kc3 ∞ {[%%clk 0:00:01]}; y\r\n%% z\r\n3.h5 = ½–½\r\n' >>game.pgn
run 0 chess game.pgn --json && silent 'signs' && [ "$(moves | tr '\n' ' ')" = 'h2h4 a3b3 a1b1 b3c3 h4h5 ' ] && ok || no 'signs'
run 0 chess game.pgn && shows 'h4! +/- {White wins}' && shows '= ½–½'
[ "$(sed -n '2,3p' out | tr -d '\r')" = '[Event
"x"]' ] && ok || no 'a tag of two lines'
game '[FEN "4k3/P7/8/3pP3/8/8/8/4K2R w K d6 0 1"]' '' '1.exd6 e.p. Ke7 ch 2. 0–0 *'
run 2 chess game.pgn && says '`Ke7` is no legal move'
game '[FEN "4k3/P7/8/3pP3/8/8/8/4K2R w K d6 0 1"]' '' '1.exd6 e.p. Kd7 N 2. 0–0 Kc6 3.a8(♕) ch ♚×d6 4.♕d8 dis ch 1/2'
run 0 chess game.pgn --json && silent 'old spellings' &&
    [ "$(moves | tr '\n' ' ')" = 'e5d6 e8d7 e1g1 d7c6 a7a8=Q c6d6 a8d8 ' ] && ok || no 'old spellings'
game '[FEN "4k3/P7/8/3pP3/8/8/8/4K2R w K - 0 1"]' '' 'e1e2 e8-e7 2. a7a8n Ke7–e6 3. Nb6!!+- e6:e5' '½-½'
run 0 chess game.pgn --json && silent 'both squares' &&
    [ "$(moves | tr '\n' ' ')" = 'e1e2 e8e7 a7a8=N e7e6 a8b6 e6e5 ' ] && ok || no 'both squares'

echo "annotate: $claims claims, all true"
