#!/bin/sh
# clients.sh BUILD [N] - bareking-engine in a real XBoard, on a screen that nobody sees:
#
#   - it wins N (20) random positions of Shatranj with four men against ShaMax, each within the tables'
#     distance; and again as a UCI engine, through uci2wb
#   - on every board that the engine has to tell XBoard of, it plays itself, one of the two seeing but one
#     ply: from the array to the end, no move refused, and no claim
#
# SHOTS=DIR keeps a picture of each of these boards.  Takes some minutes; says so where XBoard,
# Fairy-Max, uci2wb or Xvfb are not there.
set -eu
build=$(realpath "${1:?usage: clients.sh BUILD [N]}") wanted=${2:-20}
here=$(dirname "$0")
PATH=$PATH:/usr/games
for tool in xboard shamax uci2wb Xvfb; do
    if ! command -v $tool >/dev/null; then
        echo "not tried: no $tool (xboard, fairymax, uci2wb, xvfb)"
        exit 77
    fi
done
. "$here/scratch.sh"
screen=$((80 + $$ % 100))
Xvfb :$screen -screen 0 1280x1024x24 >"$tmp/xvfb" 2>&1 &
at_end="kill $!"
passed=0
export DISPLAY=:$screen
sleep 1

# == Matches ==
engine="$build/bareking-engine --dir $tmp/tables"
# ShaMax 5.0b crashes in every other game on some kernels, and XBoard waits for it for ever; at addresses
# that are the same in each run it does not
shamax=$(command -v shamax)
if setarch -R true 2>/dev/null; then
    printf '#!/bin/sh\nexec setarch -R %s\n' "$shamax" >"$tmp/shamax"
    chmod +x "$tmp/shamax"
    shamax=$tmp/shamax
fi
# XBoard's options are few: no window to click away, every line of the engines in $tmp/debug
match() { # seconds at most, game, first, second, more...
    limit=$1 game=$2 first=$3 second=$4
    shift 4
    rm -f "$tmp/game.pgn"
    timeout "$limit" xboard -variant "$game" -fcp "$first" -scp "$second" -mg 1 -td 0 \
        -popupExitMessage false -saveGameFile "$tmp/game.pgn" -debug -nameOfDebugFile "$tmp/debug" \
        "$@" >"$tmp/log" 2>&1 || true
    if grep -i 'invalid move\|illegal move\|illegal position\|false' "$tmp/debug"; then fail "$game"; fi
    moves=$(grep -c '<.*: move ' "$tmp/debug" || true)
}
# == Against ShaMax ==
"$build/bareking" build shatranj KQvKQ KRvKB KRvKN KNvKQ KNvKP KRvKP --dir "$tmp/tables" >"$tmp/log" 2>&1 ||
    fail "$(cat "$tmp/log")"
# won for White, who is ours, whoever is to move: FEN, plies
awk -v seed=5 -v armies="KQkq KRkb KNkp KRkn KNkq KRkp" -v n=1000 -f "$here/throw.awk" |
    "$build/bareking" probe shatranj - --dir "$tmp/tables" 2>/dev/null |
    awk -F'\t' '$3 > 6 && ($2 == 1 && $1 ~ / w$/ || $2 == -1 && $1 ~ / b$/) { print $3, $1 }' |
    head -n "$wanted" >"$tmp/won"
[ "$(wc -l <"$tmp/won")" = "$wanted" ] || fail "only $(wc -l <"$tmp/won") won positions"
# uci2wb 4.1 on a busy machine now and then sends a move twice, "moves g1e3 g1e3", which no game has:
# such a game says nothing of us, and is played again
twice() { [ -f "$tmp/sent" ] && grep -Eq ' ([a-h][1-8][a-h][1-8]q?) \1( |$)' "$tmp/sent"; }
win_all() { # our engine, its name
    most=0 all=0 again=0
    while read -r plies fen; do
        echo "$fen - - 0 1" >"$tmp/position"
        for try in 1 2 3; do
            rm -f "$tmp/sent"
            match 120 shatranj "$1" "$shamax" -lpf "$tmp/position" -depth 6 </dev/null
            if ! twice; then break; fi
            again=$((again + 1))
        done
        grep -q '^\[Result "1-0"\]' "$tmp/game.pgn" || fail "$2: $fen: $(cat "$tmp/game.pgn")"
        # and the reply to a bare king, which XBoard waits for
        [ "$moves" -le $((plies + 1)) ] || fail "$2: $fen: $moves plies, $plies by the tables"
        all=$((all + moves))
        [ "$moves" -le $most ] || most=$moves
        passed=$((passed + 1))
    done <"$tmp/won"
    echo "$2: $wanted games won in $all plies, the longest in $most; none took longer than the tables say"
    [ $again = 0 ] || echo "$2: $again games were played again, as $1 sent a move twice"
}
win_all "$engine" XBoard
# uci2wb starts a program without arguments, and cannot hold the names of all our games
printf '#!/bin/sh\ntee -a "%s" | %s --game shatranj\n' "$tmp/sent" "$engine" >"$tmp/engine"
chmod +x "$tmp/engine"
win_all "uci2wb -var shatranj $tmp/engine" UCI

# == Boards that XBoard is told of ==
[ -z "${SHOTS-}" ] || mkdir -p "$SHOTS"
printf '#!/bin/sh\nsed -u "s/^sd .*/sd 1/" | exec %s\n' "$engine" >"$tmp/weak"
chmod +x "$tmp/weak"
plays() { # game: the one who sees further wins, or the game's own end comes, by XBoard's book, too
    options=
    # a change before the last rank is refused by XBoard: there it tests nothing
    case $1 in darwinian) options='-testLegality false' ;; esac
    [ -z "${SHOTS-}" ] || (sleep 5 && import -window root "$SHOTS/$1.png") &
    # options are words
    # shellcheck disable=SC2086
    match 120 "$1" "$engine" "$tmp/weak" -depth 3 $options
    [ -f "$tmp/game.pgn" ] || fail "$1: no end after $moves plies: $(tail -n 3 "$tmp/debug")"
    result=$(sed -n 's/^\[Result "\(.*\)"\]/\1/p' "$tmp/game.pgn")
    case $result in 1-0 | 0-1 | 1/2-1/2) ;; *) fail "$1: '$result'" ;; esac
    echo "$1: $result after $moves plies: $(tr '\n' ' ' <"$tmp/game.pgn" | sed 's/.*{\([^{]*\)}.*/\1/')"
    passed=$((passed + 1))
}
for game in $(printf 'xboard\nprotover 2\n' | "$build/bareking-engine" |
    sed -n 's/feature variants="\(.*\)"/\1/p' | tr , ' '); do
    case $game in normal | shatranj) ;; *) plays "$game" ;; esac
done
echo "$passed passed, 0 failed"
