#!/bin/sh
# behind.sh BUILD - an engine behind ours: one that is right, and ones that hang, die, lie, are late or answer what is
# no move, five times each (tests/liar.sh); then Fairy-Stockfish, where it is.
set -eu
build=$(realpath "${1:?usage: behind.sh BUILD}")
engine=$build/bareking-engine
here=$(realpath "$(dirname "$0")")
. "$here/scratch.sh"
passed=0
pass() { passed=$((passed + 1)); }
"$build/bareking" build shatranj KQvKN --dir "$tmp/tables" --quiet

# == Two positions == drawn, where the tables know all moves; and one that they do not know
drawn='8/8/8/6n1/8/4Q3/K7/5k2 w - - 0 1'
holds=' a2b2 a2b3 e3d2 e3d4 '
unknown='8/8/1p4r1/6n1/8/4Q3/K5R1/5k2 w - - 0 1'
won='8/8/8/8/5Q2/8/8/1k1K3n w - - 0 1'
for position in drawn unknown; do
    eval "fen=\$$position"
    "$build/bareking" perft shatranj "$fen" 1 --divide | sed -n 's/: 1$//p' >"$tmp/$position"
done
[ "$(wc -l <"$tmp/drawn")" = 9 ] || fail "the drawn position has $(wc -l <"$tmp/drawn") moves"

open_session() { # how the engine behind is, position that it knows, first line; EXTRA: words for ours
    rm -f "$tmp/in" "$tmp/out" "$tmp"/*.go "$tmp"/*.options "$tmp"/*.positions
    mkfifo "$tmp/in" "$tmp/out"
    timeout 120 "$engine" --dir "$tmp/tables" --game shatranj ${1:+--engine "sh '$here/liar.sh' $1 '$tmp/$2'"} \
        <"$tmp/in" >"$tmp/out" 2>"$tmp/said" &
    pid=$!
    exec 3>"$tmp/in" 4<"$tmp/out"
    say "$3"
}
close_session() {
    say quit
    exec 3>&-
    cat <&4 >/dev/null
    exec 4<&-
    wait $pid || fail "the engine ended with status $?"
}
say() { printf '%s\n' "$*" >&3; }
expect() { # pattern of `case`: the line is left in $line, those before it in $tmp/before
    : >"$tmp/before"
    while read -r line <&4; do
        # shellcheck disable=SC2254
        case $line in $1) return 0 ;; esac
        printf '%s\n' "$line" >>"$tmp/before"
    done
    fail "the engine ended; expected '$1' after: $(tail -n 5 "$tmp/before")"
}
best() { # words of go: the move is left in $move
    say "go $*"
    expect 'bestmove *'
    move=${line#bestmove }
    move=${move%% *}
}
keeps() { case $holds in *" $1 "*) return 0 ;; *) return 1 ;; esac }
ms() { echo $(($(date +%s%N) / 1000000)); }
faults() { grep -c '^info string engine behind: ' "$tmp/before" || true; }
chose() { # position, claim: what is played is the engine's, which takes the last move that it is given
    [ "$(faults)" = 0 ] && [ "$move" = "$(sed 's/.* //' "$tmp/$1.go")" ] && grep -q ' depth 7 seldepth 9 .* nodes 1234 ' "$tmp/before" && pass ||
        fail "$2: $move: $(cat "$tmp/before")"
}

# == One that is right ==
open_session right drawn uci
expect uciok
for option in Engine Threads 'Skill Level'; do
    [ "$(grep -c "^option name $option type" "$tmp/before")" = 1 ] || fail "options: $(cat "$tmp/before")"
done
say setoption name Skill Level value 3
say "position fen $drawn"
best nodes 1000
grep -qx 'setoption name Skill Level value 3' "$tmp/drawn.options" || fail 'an option is not passed on'
# shellcheck disable=SC2086
chosen=$(sed 's/.*searchmoves //' "$tmp/drawn.go")
[ " $(printf '%s\n' $chosen | sort | tr '\n' ' ')" = "$holds" ] || fail "it may choose among '$chosen', not '$holds'"
grep -q '^go nodes 1000 searchmoves ' "$tmp/drawn.go" || fail "moves are last: $(cat "$tmp/drawn.go")"
chose drawn 'a draw by tables'
grep -q 'score cp 0 ' "$tmp/before" && pass || fail "a draw's score: $(cat "$tmp/before")"
# it waits for stop, for ponderhit; and searchmoves are what the client wants of what holds
say go infinite searchmoves e3d4 a2b2 a2a3
expect 'info depth 7 *'
say stop
expect 'bestmove *'
case $line in 'bestmove e3d4'* | 'bestmove a2b2'*) pass ;; *) fail "searchmoves: $line" ;; esac
grep -q '^go infinite searchmoves' "$tmp/drawn.go" && ! grep -q a2a3 "$tmp/drawn.go" || fail "searchmoves: $(cat "$tmp/drawn.go")"
say go ponder wtime 60000 btime 60000 winc 100 binc 100
expect 'info depth 7 *'
say ponderhit
expect 'bestmove *'
grep -q '^go ponder wtime 59971 btime 59971 winc 100 binc 100 searchmoves' "$tmp/drawn.go" && pass || fail "ponder: $(cat "$tmp/drawn.go")"
for limit in 'depth 5' 'movetime 500:movetime 471' 'wtime 9000 btime 9000 movestogo 4:wtime 8971 btime 8971 winc 0 binc 0 movestogo 4' 'mate 3'; do
    best "${limit%:*}"
    grep -q "^go ${limit#*:} searchmoves" "$tmp/drawn.go" || fail "$limit: $(cat "$tmp/drawn.go")"
done
pass
# lines: those that hold are the engine's, the others the tables'
say setoption name MultiPV value 9
best nodes 1000
grep -q 'setoption name MultiPV value 4' "$tmp/drawn.options" || fail "lines are wanted: $(cat "$tmp/drawn.options")"
[ "$(grep -c ' multipv [5-9] score mate -' "$tmp/before")" = 5 ] && pass || fail "lines of what loses: $(cat "$tmp/before")"
say setoption name MultiPV value 1
# wins and losses by tables are played at once, and the engine is not asked
rm "$tmp/drawn.go"
say "position fen $won"
best nodes 1000
grep -q 'wins in [0-9]* plies (tables)' "$tmp/before" || fail "a win by tables: $(cat "$tmp/before")"
[ ! -e "$tmp/drawn.go" ] && pass || fail 'the engine is asked about a win by tables'
# no engine, and one again
say setoption name Engine value '<empty>'
say "position fen $drawn"
best nodes 100
[ ! -e "$tmp/drawn.go" ] || fail 'an engine that was dismissed is asked'
say setoption name Engine value "sh '$here/liar.sh' right '$tmp/drawn'"
best nodes 100
[ -e "$tmp/drawn.go" ] && pass || fail 'an engine that an option names is not asked'
close_session

# what tables do not know is the engine's, with all moves that we know
open_session right unknown uci
expect uciok
say "position fen $unknown"
best nodes 1000
chose unknown 'a position without tables'
grep -q 'score cp 33 ' "$tmp/before" && pass || fail "its score: $(cat "$tmp/before")"
close_session

# the past is told as far as the engine takes it in
for how in cut right; do
    open_session $how drawn uci
    expect uciok
    say "position fen $drawn moves e3d4 g5f3 d4e3 f3g5"
    best nodes 100
    chose drawn 'the same position again'
    told=$(sed -n 's/^position fen //p' "$tmp/drawn.positions" | tr '\n' ';')
    case $how:$told in
    "cut:$drawn moves e3d4 g5f3 d4e3 f3g5;${drawn%1}3;" | "right:$drawn moves e3d4 g5f3 d4e3 f3g5;") pass ;;
    *) fail "$how: it is told $told" ;;
    esac
    close_session
done

# == In XBoard's protocol ==
open_session right drawn xboard
say protover 2
expect 'feature option="Engine -string "'
say variant shatranj
say force
say post
say "setboard $drawn"
say st 1
say go
expect 'move *'
grep -q '^7 0 [0-9]* 1234 ' "$tmp/before" && pass || fail "XBoard: $(cat "$tmp/before")"
keeps "${line#move }" || fail "XBoard: $line"
say force
say undo
say analyze
expect '7 0 *'
say exit
say ping 3
expect 'pong 3'
pass
close_session
for how in dies illegal; do
    open_session $how drawn xboard
    say variant shatranj
    say force
    say "setboard $drawn"
    say st 1
    say go
    expect 'move *'
    grep -q '^# engine behind: ' "$tmp/before" && keeps "${line#move }" && pass || fail "XBoard: $how: $(cat "$tmp/before") $line"
    close_session
done

# == Those that are not right == each five times: our own move, one line about it, and in time; side by side
all=$tmp/all
mkdir "$all"
wrong() { # how, what is said, position, words of go, milliseconds
    tmp=$all/$1-$3
    mkdir "$tmp"
    cp -r "$all"/../tables "$all"/../drawn "$all"/../unknown "$tmp"
    open_session "$1" "$3" uci
    expect uciok
    for _ in 1 2 3 4 5; do
        say ucinewgame
        eval "say \"position fen \$$3\""
        began=$(ms)
        best "$4"
        took=$(($(ms) - began))
        grep -qx "$move" "$tmp/$3" || fail "$1: $move is no legal move"
        [ $3 = unknown ] || keeps "$move" || fail "$1: $move gives the draw away"
        [ "$(faults)" = 1 ] && grep -q "^info string engine behind: .*$2" "$tmp/before" || fail "$1: $(cat "$tmp/before")"
        [ $took -le "$5" ] || fail "$1: $took ms"
    done
    close_session
}
for position in drawn unknown; do
    while IFS=: read -r how said words limit; do
        if [ "$how:$position" = given:unknown ]; then continue; fi
        (wrong "$how" "$said" $position "$words" "$limit" && touch "$all/$how-$position/good") &
    done <<'END'
hangs:does not answer:movetime 200:3500
late:does not answer:movetime 200:3500
dies:has ended:movetime 200:3000
dies-asked:has ended:nodes 2000:3000
illegal:answers 'a1a9', which is no legal move:nodes 2000:3000
none:answers '(none)', which is no legal move:nodes 2000:3000
given:which gives something away:nodes 2000:3000
lies:has other moves here than the game has:nodes 2000:3000
fewer:has other moves here than the game has:nodes 2000:3000
no-perft:does not answer `go perft 1`:movetime 1000:3500
END
done
wait
for how in hangs late dies dies-asked illegal none given lies fewer no-perft; do
    for position in drawn unknown; do
        if [ "$how:$position" = given:unknown ]; then continue; fi
        [ -e "$all/$how-$position/good" ] && pass || fail "an engine that $how, in the $position position"
    done
done
# after three faults in a row it is let alone, until a new game
open_session illegal drawn uci
expect uciok
say "position fen $drawn"
for told in 1 1 1 0 0; do
    best nodes 100
    [ "$(faults)" = $told ] || fail "told $(faults) times, not $told"
done
say ucinewgame
say "position fen $drawn"
best nodes 100
[ "$(faults)" = 1 ] && pass || fail 'a new game does not try it again'
close_session
# nonsense between is passed over
open_session odd drawn uci
expect uciok
say "position fen $drawn"
best nodes 100
chose drawn 'nonsense between'
close_session
# a game that a file says nearly: it is asked about moves that both know, and told the game once
"$build/bareking" perft grand-shatranj startpos 1 --divide | sed -n 's/: 1$//p' >"$tmp/near"
open_session near near uci
expect uciok
say setoption name UCI_Variant value grand-shatranj
for _ in 1 2; do
    say ucinewgame
    say position startpos
    best nodes 100
    chose near 'a game that is told nearly'
    # shellcheck disable=SC2046
    [ "$(printf '%s\n' $(sed 's/.*searchmoves //' "$tmp/near.go") | sort)" = "$(sed 1d "$tmp/near" | sort)" ] &&
        pass || fail "it may choose among $(cat "$tmp/near.go")"
done
grep -q '^# not said: \[piece oliphant\] may go two steps' "$tmp/near.told" &&
    [ "$(grep -c VariantPath "$tmp/near.options")" = 1 ] && pass || fail "it is told $(cat "$tmp/near.options" "$tmp/near.told")"
close_session
# an engine that hangs does not keep ours from ending, nor stays behind
open_session hangs drawn uci
expect uciok
say "position fen $drawn"
say go infinite
sleep 0.3
began=$(ms)
close_session
[ $(($(ms) - began)) -lt 4000 ] || fail 'it waits for an engine that hangs'
! ps -eo args | grep -q "[l]iar.sh hangs $tmp/drawn" && pass || fail 'an engine stays behind'
# a command that is no engine
for command in true /nowhere/engine; do
    printf 'uci\nposition fen %s\ngo depth 2\n' "$drawn" | timeout 20 "$engine" --game shatranj --engine "$command" >"$tmp/log" 2>/dev/null
    grep -q 'info string error: engine behind: ' "$tmp/log" && grep -q '^bestmove [a-h]' "$tmp/log" && pass || fail "$command: $(cat "$tmp/log")"
done

# == Fairy-Stockfish == itself, in a game of both sides; what it cannot say is ours
fairy=$(PATH=$PATH:/usr/games command -v fairy-stockfish) || {
    leave_out 'Fairy-Stockfish (fairy-stockfish)'
    echo "$passed passed, 0 failed${without:+; left out: $without}"
    exit 0
}
plays_itself() { # game, plies
    printf 'uci\nsetoption name UCI_Variant value %s\n' "$1" >"$tmp/first"
    rm -f "$tmp/in" "$tmp/out"
    mkfifo "$tmp/in" "$tmp/out"
    timeout 120 "$engine" --dir "$tmp/tables" --engine "$fairy" <"$tmp/in" >"$tmp/out" 2>"$tmp/said" &
    pid=$!
    exec 3>"$tmp/in" 4<"$tmp/out"
    say uci
    say "setoption name UCI_Variant value $1"
    moves= n=0
    while [ $n -lt "$2" ]; do
        say "position startpos moves $moves"
        best nodes 200
        [ "$move" != '(none)' ] || break
        if grep 'error\|behind' "$tmp/before"; then fail "$1: $moves"; fi
        moves="$moves $move" n=$((n + 1))
    done
    close_session
    pass
}
plays_itself shatranj 120
plays_itself chess 60
# of games that it does not know it says so once, and ours plays
printf 'uci\nposition startpos\ngo depth 1\nposition startpos\ngo depth 1\n' | timeout 60 "$engine" --game sultan-random --engine "$fairy" >"$tmp/log"
[ "$(grep -c '^bestmove [a-j]' "$tmp/log")" = 2 ] && [ "$(grep -c 'engine behind: sultan-random: .*cannot say' "$tmp/log")" = 1 ] && pass ||
    fail "sultan-random: $(cat "$tmp/log")"

echo "$passed passed, 0 failed${without:+; left out: $without}"
