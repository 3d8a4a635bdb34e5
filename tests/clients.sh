#!/bin/sh
# clients.sh BUILD [N] - bareking-engine in a real XBoard, on a screen that nobody sees: it wins N (3)
# positions of Shatranj against ShaMax within the tables' distance, and games of large boards against
# itself go on without a refused move.  Says so where XBoard, Fairy-Max or Xvfb are not there.
set -eu
build=$(realpath "${1:?usage: clients.sh BUILD [N]}") wanted=${2:-3}
PATH=$PATH:/usr/games
for tool in xboard shamax Xvfb; do
    if ! command -v $tool >/dev/null; then
        echo "skipped: no $tool (apt-get install xboard fairymax xvfb)"
        exit 0
    fi
done
tmp=$(mktemp -d)
screen=$((80 + $$ % 100))
Xvfb :$screen -screen 0 1280x1024x24 >"$tmp/xvfb" 2>&1 &
xvfb=$!
trap 'kill $xvfb; rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM
fail() {
    echo "FAILED: $*"
    exit 1
}
passed=0
export DISPLAY=:$screen
sleep 1

"$build/bareking" build shatranj KQvKQ KRvKB --dir "$tmp/tables" >"$tmp/log" 2>&1 || fail "$(cat "$tmp/log")"
engine="$build/bareking-engine --dir $tmp/tables"
match() { # seconds, game, opponent, more...: the debug file is left in $tmp/debug
    limit=$1 game=$2 other=$3
    shift 3
    rm -f "$tmp/game.pgn"
    timeout "$limit" xboard -variant "$game" -fcp "$engine" -scp "$other" -mg 1 -td 0 \
        -popupExitMessage false -saveGameFile "$tmp/game.pgn" -debug -nameOfDebugFile "$tmp/debug" \
        "$@" >"$tmp/log" 2>&1 || true
    if grep -i 'invalid move\|illegal move\|false' "$tmp/debug"; then fail "$game"; fi
}

# White to move and wins; the plies are counted by ours and his moves
for fen in '8/8/8/3k4/8/1KQ5/8/q7 w - - 0 1' '8/5k2/8/2b5/8/3K4/8/6R1 w - - 0 1' \
    '8/8/1k6/8/5Q2/3K4/6q1/8 w - - 0 1' 'b7/8/2k5/8/8/4K3/8/1R6 w - - 0 1' \
    '8/2k5/8/4b3/8/8/1K6/7R w - - 0 1'; do
    [ $passed -lt "$wanted" ] || break
    plies=$("$build/bareking" probe shatranj "$fen" --dir "$tmp/tables" | sed -n 's/^White wins in \([0-9]*\) pl.*/\1/p')
    [ "$plies" ] || continue
    echo "$fen" >"$tmp/position"
    match 90 shatranj "$(command -v shamax)" -lpf "$tmp/position" -depth 6
    moves=$(grep -c '<.*: move ' "$tmp/debug")
    grep -q '^\[Result "1-0"\]' "$tmp/game.pgn" || fail "$fen: $(cat "$tmp/game.pgn")"
    # and the reply to a bare king, which XBoard waits for
    [ "$moves" -le $((plies + 1)) ] || fail "$fen: $moves plies, $plies by the tables"
    passed=$((passed + 1))
done
[ $passed -gt 0 ] || fail "no position"
for game in sultan gs10 gs10-rook atlantean darwinian puzzle; do
    match 25 $game "$engine" -depth 1
    [ "$(grep -c '<.*: move ' "$tmp/debug")" -ge 40 ] || fail "$game: $(tail -n 3 "$tmp/debug")"
    passed=$((passed + 1))
done
echo "$passed passed, 0 failed"
