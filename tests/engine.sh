#!/bin/sh
# engine.sh BUILD [N] - sessions with bareking-engine, by both protocols: every game, positions won by
# the tables, games against itself to their end, and what no client should say.  N: how
# many decided positions (8).  $ENGINE: another one than BUILD's (tests/windows.sh).
set -eu
build=$(realpath "${1:?usage: engine.sh BUILD [N]}")
engine=${ENGINE:-$build/bareking-engine} bareking=$build/bareking
here=$(dirname "$0")
. "$here/scratch.sh"
passed=0
pass() { passed=$((passed + 1)); }
native() { [ -z "${ENGINE-}" ]; } # not on an emulated system: its links, signals and devices are others

# == A session == lines go to 3, and come from 4; an engine that hangs is ended
limit=600 # seconds of a session: under wine, on a busy machine, the longest takes minutes
open_session() { # first line
    rm -f "$tmp/in" "$tmp/out"
    mkfifo "$tmp/in" "$tmp/out"
    trap 'fail_gone "it was spoken to"' PIPE
    timeout $limit "$engine" --dir "$tmp/tables" <"$tmp/in" >"$tmp/out" 2>"$tmp/said" &
    pid=$!
    exec 3>"$tmp/in" 4<"$tmp/out"
    say "$1"
}
close_session() {
    say quit
    exec 3>&-
    cat <&4 >/dev/null
    exec 4<&-
    trap - PIPE
    wait $pid || fail "the engine ended with status $?"
    [ ! -s "$tmp/said" ] || fail "stderr: $(cat "$tmp/said")"
}
# What is said of an engine that goes before `quit`
fail_gone() { # when
    trap - PIPE
    wait $pid && status=0 || status=$?
    [ $status -ne 124 ] || fail "the engine was ended after $limit s; $*"
    fail "the engine ended with status $status; $*"
}
say() { printf '%s\n' "$*" >&3; }
# Reads lines up to one that matches, which is left in $line; those before it in $tmp/before.
expect() { # pattern of `case`
    : >"$tmp/before"
    while read -r line <&4; do
        # shellcheck disable=SC2254
        case $line in $1) return 0 ;; esac
        printf '%s\n' "$line" >>"$tmp/before"
    done
    fail_gone "expected '$1' after: $(tail -n 5 "$tmp/before")"
}
no_errors() { # all that came before the next readyok
    say isready
    expect readyok
    if grep 'error:' "$tmp/before"; then fail "$*"; fi
}
best() { # words of go: the move is left in $move, what was told in $tmp/before
    say "go $*"
    expect 'bestmove *'
    move=${line#bestmove }
    move=${move%% *}
}
fen_now() {
    say d
    expect 'Fen: *'
    fen=${line#Fen: }
    expect 'Game: *'
    game_is=${line#Game: }
}

games=$("$bareking" variants | awk '!NF { exit } { print $1 }') # ours

# == UCI, every game ==
open_session uci
expect uciok
for game in $games; do
    grep -q "var $game\( \|$\)" "$tmp/before" || fail "uci does not list $game"
done
# each option has its word in the man page, which is made from the help, and in docs/engines.md, which has no others
sed -n 's/^option name \(.*\) type .*/\1/p' "$tmp/before" | sort >"$tmp/options"
"$engine" --help | tr '\n' ' ' >"$tmp/help"
while read -r option; do
    grep -q "[ (]$option[ ,.]" "$tmp/help" || fail "--help has no option $option"
done <"$tmp/options"
# shellcheck disable=SC2016
sed -n '/^## UCI/,/^## Arrays/s/^| `\(.*\)` | .*/\1/p' "$here/../docs/engines.md" | sort >"$tmp/told"
diff "$tmp/told" "$tmp/options" || fail "docs/engines.md has other options than uci"
pass
say setoption name Hash value 8 # in any order
for game in $games; do
    say "setoption name UCI_Variant value $game"
    say position startpos
    no_errors "$game: startpos"
    best nodes 500
    fen_now
    say "position fen $fen moves $move"
    no_errors "$game: $move after $fen"
    say go infinite
    sleep 0.05
    before=$(date +%s%N)
    say stop
    expect 'bestmove *'
    [ $((($(date +%s%N) - before) / 1000000)) -lt 1000 ] || fail "$game: stop took more than a second"
    pass
done
# what an adapter tells XBoard; not of a game that it knows
for game in sultan shatranj; do
    say "setoption name UCI_Variant value $game"
    say ucinewgame
    no_errors "$game: ucinewgame"
    case $game:$(grep -c "info string variant $game files 10" "$tmp/before") in sultan:2 | shatranj:0) pass ;; *) fail "$game: $(cat "$tmp/before")" ;; esac
done
say "setoption name MultiPV value 3"
say position startpos
best depth 3
[ "$(grep -c '^info depth 3 seldepth [0-9]* multipv [123] ' "$tmp/before")" = 3 ] || fail "three lines are wanted"
grep -q ' hashfull [0-9]' "$tmp/before" && pass || fail "how full is the hash table? $(tail -n 1 "$tmp/before")"
say "setoption name MultiPV value 1"
best depth 3 searchmoves a2a3 h2h3
case $move in a2a3 | h2h3) pass ;; *) fail "searchmoves: $move" ;; esac
began=$(date +%s%N)
best btime 60000 # a clock, and not ours: no reason to think for ever
[ $((($(date +%s%N) - began) / 1000000)) -lt 1000 ] || fail 'without time of its own it thinks on'
say go ponder wtime 100 btime 100
sleep 0.3
say ponderhit
expect 'bestmove *' && pass
say position startpos
say go ponder depth 2 # deep in another iteration, which is not finished
sleep 3
before=$(date +%s%N)
say ponderhit
expect 'bestmove *'
[ $((($(date +%s%N) - before) / 1000000)) -lt 1000 ] || fail 'after ponderhit it thinks on, though it has searched to its depth'
say go ponder movetime 2500
sleep 1
say ponderhit
expect 'bestmove *'
sed -n 's/^info depth .* time \([0-9]*\) .*/\1/p' "$tmp/before" >"$tmp/times"
sort -n "$tmp/times" | cmp -s - "$tmp/times" || fail "time of a search begins again: $(cat "$tmp/times")"
pass
for ends in 'setoption name Hash value 9' 'position startpos' ucinewgame 'go infinite'; do # each go has its bestmove
    say go infinite
    sleep 0.05
    say "$ends"
    expect 'bestmove *'
done
say stop
expect 'bestmove [a-z]*'
say go movetime 500
began=$(date +%s%N)
sleep 0.4
say ponderhit # it does not ponder, and its time is what it was
expect 'bestmove *'
[ $((($(date +%s%N) - began) / 1000000)) -lt 800 ] || fail 'ponderhit gives time that is not there'
pass

# == FENs of GUIs ==
dialect() { # game, what a GUI writes, what we make of it
    say "setoption name UCI_Variant value $1"
    say "position fen $2"
    no_errors "$1: $2"
    fen_now
    [ "$fen" = "$3" ] || fail "$1: '$2' was read as '$fen'"
    pass
}
dialect shatranj '2k5/8/8/8/8/8/5R2/2K5 w 0 1' '2k5/8/8/8/8/8/5R2/2K5 w - - 0 1'
dialect shatranj '2k5/8/8/8/8/8/5R2/2K5 b' '2k5/8/8/8/8/8/5R2/2K5 b - - 0 1'
dialect shatranj '2k5/8/8/8/8/8/5R2/2K5[] w KQkq e3 3 0' '2k5/8/8/8/8/8/5R2/2K5 w - - 3 1'
dialect chess 'r3k2r/8/8/8/8/8/8/4K2R b KQkq - 0 7' 'r3k2r/8/8/8/8/8/8/4K2R b Kkq - 0 7'
dialect chess '4k3/8/8/8/4P3/8/8/4K2Q~ b e3 0 1' '4k3/8/8/8/4P3/8/8/4K2Q b - e3 0 1'
dialect sultan 'rnbcqkcbnr/pppppppppp/10/10/10/10/PPPPPPPPPP/RNBCQKCBNR w KQkq - 0 1 +3+3' \
    'rnbcqkcbnr/pppppppppp/10/10/10/10/PPPPPPPPPP/RNBCQKCBNR w KQkq - 0 1'

# == What is written can be read: an x at the end is what a man becomes ==
for name in b9b10x b9xb10x b9b10=X b9b10X; do
    say 'setoption name UCI_Variant value atlantean'
    say "position fen 10/1P8/5k4/10/10/10/10/10/3K6/8n1 w - - 0 1 moves $name"
    no_errors "$name"
    fen_now
    [ "$fen" = '1X8/10/5k4/10/10/10/10/10/3K6/8n1 b - - 0 1' ] || fail "$name was read as $fen"
done
pass

# == A game with homes of its own stays what it is, and what is known of it ==
nodes_of() {
    say 'position fen rnbqkcbcnr/pppppppppp/10/10/10/10/PPPPPPPPPP/RNBQKCBCNR w KQkq - 0 1'
    best depth 4
    nodes=$(sed -n 's/^info depth 4 .* nodes \([0-9]*\) .*/\1/p' "$tmp/before" | tail -n 1)
}
say 'setoption name UCI_Variant value sultan-random'
nodes_of
first=$nodes
nodes_of
[ "$nodes" -lt "$((first / 2))" ] || fail "$nodes nodes again, $first at first"
pass

# a drop is a turn of its own, written as clients write it
say 'setoption name UCI_Variant value sultan-zh'
say 'position fen 4k5/10/4K5/10/10/10/10/10[R] w - - 0 1'
say go depth 2
expect 'bestmove [QR]@?8' && pass
say 'position fen 5k4/P9/10/3q6/10/10/10/3R1K4[] w - - 0 1 moves d1d5 f8e7 a7a8q e7f7 q@e5'
no_errors 'a drop'
say 'setoption name UCI_Variant value sultan-hostage'
say 'position fen 5k4/10/10/10/10/10/10/5K4[Rq]{} w - - 0 1 moves q-R@a1 Q@e6'
no_errors 'an exchange'
say 'setoption name UCI_Variant value sultan-random'

# an array that is dealt is one to begin from
say "position fen $("$bareking" deal sultan-random --seed 9)"
no_errors 'a dealt array'
best nodes 500
[ -n "$move" ] && pass || fail 'no move from a dealt array'

# == What it sees without tables ==
sees() { # game, fen, go, what is told, move
    say "setoption name UCI_Variant value $1"
    say "position fen $2"
    best $3
    grep -q "score $4 " "$tmp/before" || fail "$2: $(tail -n 1 "$tmp/before")"
    [ -z "$5" ] || [ "$move" = "$5" ] || fail "$2: $move"
    pass
}
sees chess '6k1/5ppp/8/8/8/8/8/4R1K1 w - - 0 1' 'depth 3' 'mate 1' e1e8
sees chess '7k/8/5K2/8/8/8/8/6Q1 w - - 0 1' 'mate 2' 'mate [12]' ''
sees chess 'qqqqqq2/qqqqqq2/qqqqqq2/qqqqqq2/qqqqqq2/qqqqqq2/6PP/k5BK w - - 0 1' 'depth 1' 'cp -19000' '' # much, and no mate
sees sultan '10/3R6/10/10/6K3/10/10/7k2 w - - 0 1' 'depth 6' 'mate 4' '' # late moves are searched to less depth
sees sultan '10/3R6/10/10/6K3/10/10/7k2 w - - 0 1' 'mate 3' 'mate 3' ''  # but here, whatever is known from before
sees shatranj '8/8/4k3/4r3/3R4/8/8/K7 w - - 0 1' 'depth 5' 'cp -*[0-9]*' ''
sees shatranj 'k7/8/8/8/8/8/1q6/K7 w - - 0 1' 'depth 4' 'cp 0' a1b2   # bares back
sees shatranj 'k7/8/8/8/8/2R5/1q6/K7 w - - 0 1' 'depth 4' 'mate 2' '' # takes; and the bare king replies
sees shatranj 'k7/8/1K6/8/8/8/p7/7R w - - 0 1' 'depth 4' 'mate 1' h1h8
sees sultan '5k4/4ppp3/10/10/10/10/10/R4K4 w - - 0 1' 'depth 4' 'mate 1' a1a8

# many men en prise: exchanges end (18 million positions, once)
say setoption name MultiPV value 64
sees sultan-random '3rqk3r/5p2pp/npp2cpp2/p2p3PP1/1b1PP1b2P/B5P2B/P1c2NP3/RNQC1K3R b - - 0 32' 'depth 1' 'cp [0-9]*' ''
nodes=$(sed -n 's/.* nodes \([0-9]*\) .*/\1/p' "$tmp/before" | tail -n 1)
[ "$nodes" -lt 1000000 ] && pass || fail "$nodes positions for one ply"
say setoption name MultiPV value 1

# stopped in the middle: no score is told but one that was found
say 'setoption name UCI_Variant value sultan-random'
say 'position fen 3rqk3r/5p2pp/npp2cpp2/p2p3PP1/1b1PP1b2P/B5P2B/P1c2NP3/RNQC1K3R b - - 0 32'
best nodes 1
if grep ' score ' "$tmp/before"; then fail 'a score of a move that was not searched'; fi
case $move in [a-j]*) pass ;; *) fail "stopped at once: '$move'" ;; esac
say 'setoption name UCI_Variant value chess'
say setoption name MultiPV value 64
say 'position fen r2qkbnr/pp2p3/n1p1b2p/5pp1/QPp4P/N7/P2PPPP1/R1B1KBNR w KQkq - 0 9'
scores() { sed -n 's/.* score \(cp -*[0-9]*\) .* pv \([^ ]*\).*/\1 \2/p' "$tmp/before"; }
best depth 1
scores >"$tmp/scores"
for nodes in 256 512 768 1024; do
    say setoption name Clear Hash
    best nodes $nodes
    scores | grep -vxFf "$tmp/scores" && fail "after $nodes nodes"
done
pass
say setoption name MultiPV value 1

# lines are of different moves, also where the search is stopped; those of one depth are sorted, and the best is played
lines_agree() { # game, fen, go
    say "setoption name UCI_Variant value $1"
    say "position fen $2"
    best $3
    awk -v best="$move" '
        $2 == "depth" {
            for (i = 2; i < NF; i++) word[$i] = $(i + 1)
            n = word["multipv"]; depth[n] = word["depth"]; first[n] = word["pv"]
            score[n] = "mate" in word ? (word["mate"] > 0 ? 100000 : -100000) - word["mate"] : word["cp"]
            delete word
        }
        END {
            if (first[1] != best) print "line 1 is not played"
            for (n = 1; n in first; n++) {
                if (seen[first[n]]++) print first[n] " is told twice"
                if (n > 1 && depth[n] == depth[n - 1] && score[n] > score[n - 1]) print "line " n " is better than the one above"
                if (n > 1 && depth[n] > depth[n - 1]) print "line " n " is deeper than the one above"
            }
            if (n < 5) print "lines are missing"
        }' "$tmp/before" >"$tmp/wrong"
    [ ! -s "$tmp/wrong" ] && pass || fail "$1 $3: $(cat "$tmp/wrong" "$tmp/before")"
}
say setoption name MultiPV value 4
lines_agree darwinian '1K7/9/9/w8/2W6/7k1/9/9/9 w - - 0 1' 'depth 6'
for nodes in 1000 2000 5000 10000 20000; do
    lines_agree grand-shatranj '7k2/10/10/10/10/10/6J3/10/10/1n3K4 w - - 0 1' "nodes $nodes"
done
say setoption name MultiPV value 1

# == Where the game has a length == what ends it with the last ply has ended it; a move later it was a draw before
sed -e '/^n-move/d; /^zeroing/d' -e 's/^name .*/name = short/' -e 's/^stalemate .*/&\ngame-length-turns = 10/' "$here/../src/variants/chess.ini" >"$tmp/short.ini"
sees "$tmp/short.ini" '8/8/8/8/8/2k5/5r2/K7 b - - 0 9' 'depth 5' 'mate 2' c3b3
sees "$tmp/short.ini" '8/8/8/8/8/2k5/5r2/K7 w - - 0 10' 'depth 5' 'cp 0' ''
say 'position fen 8/8/8/8/3k4/8/5r2/K7 b - - 0 8' # drawn; the same position in turn 1 is not
best depth 12
say 'position fen 8/8/8/8/3k4/8/5r2/K7 b - - 0 1'
best depth 9
grep -q 'score mate 4 ' "$tmp/before" || fail "a mate in 4 was drawn in another turn: $(tail -n 1 "$tmp/before")"
for mated in '8/8/8/8/8/1k6/8/K4r2 w - - 0 11:checkmate' '7k/6Q1/5K2/8/8/8/8/8 b - - 0 11:length of the game'; do
    say "position fen ${mated%:*}"
    fen_now
    [ "$game_is" = "${mated#*:}" ] || fail "${mated%:*}: $game_is"
done
pass

# == From the tables ==
# Both sides: the engine against the best that the command finds.
"$bareking" build shatranj KQvKQ KRvKB KNvKQ --dir "$tmp/tables" >"$tmp/log" 2>&1 || fail "$(cat "$tmp/log")"
say "setoption name TablePath value $tmp/tables"
say "setoption name UCI_Variant value shatranj"
# The best move by the tables, as the command says it.
answer() { "$bareking" probe shatranj "$1" --dir "$tmp/tables" | sed -n 's/^  *\([a-h][1-8][a-h][1-8]\)[=A-Z]*  *[wdl].*/\1/p' | head -n 1; }
plies_of() { "$bareking" probe shatranj "$1" --dir "$tmp/tables" | sed -n 's/^\(White\|Black\) wins in \([0-9]*\) pl.*/\2/p' | head -n 1; }
plays_out() { # fen, who is the engine: 0 the side to move, 1 the other; ends in as many plies as the table says
    plies=$(plies_of "$1")
    moves= n=0
    while [ $n -le "$plies" ]; do
        say "position fen $1 moves $moves"
        fen_now
        [ "$game_is" = "goes on" ] || break
        if [ $((n % 2)) = "$2" ]; then
            best movetime 1000
            grep -q '(tables)' "$tmp/before" || fail "$fen: not by the tables"
        else
            move=$(answer "$fen")
        fi
        moves="$moves $move" n=$((n + 1))
    done
    [ $n = "$plies" ] || fail "$1 took $n plies, not $plies:$moves"
    pass
}
awk -v seed=5 -v armies="KQkq KRkb KNkq" -v n=400 -f "$here/throw.awk" | while read -r at; do
    plies=$(plies_of "$at" 2>/dev/null)
    if [ "${plies:-0}" -gt 6 ]; then echo "$at"; fi
done >"$tmp/decided"
head -n "${2:-8}" "$tmp/decided" >"$tmp/won"
[ "$(wc -l <"$tmp/won")" = "${2:-8}" ] || fail "only $(wc -l <"$tmp/won") decided positions"
while read -r at; do
    plays_out "$at" 0
    plays_out "$at" 1
done <"$tmp/won"
# by tables without distances wins are found, too, and not only kept
"$bareking" build shatranj KRvKB --wdl --dir "$tmp/results" >"$tmp/log" 2>&1 || fail "$(cat "$tmp/log")"
at=$("$bareking" mine shatranj KRvKB --what any --where 'wdl = 1 and stm = white and plies > 18' --limit 1 --dir "$tmp/tables" --quiet)
say "setoption name TablePath value $tmp/results"
moves= n=0
while [ $n -lt 80 ]; do
    say "position fen $at moves $moves"
    fen_now
    [ "$game_is" = "goes on" ] || break
    if [ $((n % 2)) = 0 ]; then best nodes 20000; else move=$(answer "$fen"); fi
    moves="$moves $move" n=$((n + 1))
done
[ "$game_is" = 'bare king' ] || [ "$game_is" = checkmate ] || fail "$at is not won without distances:$moves"
[ $((n % 2)) = 1 ] || fail "$at was lost:$moves"
say "setoption name TablePath value $tmp/tables"
pass
# a third time is a draw by most rules: a win goes another way, a longer one as well, and a loss that way
again() { # moves, words of go, move, its score
    say "position fen 8/1q2K3/8/3Q4/8/7k/8/8 w - - 0 1 moves $1"
    best depth 1 $2
    grep -q " multipv 1 score $4 " "$tmp/before" && [ "$move" = "$3" ] && pass || fail "$1: $(tail -n 2 "$tmp/before") $move"
}
around='e7d6 b7a6 d6e7 a6b7'
again '' '' e7d6 'mate 4'
again "$around" '' e7d7 'mate 4' # as soon, and new
again "$around $around" 'searchmoves e7d6 d5c4' d5c4 'mate 5'
again "$around e7d6 b7a6" 'searchmoves d6e7 d6c5' d6c5 'mate 4' # a6b7 would be the third
again "$around $around" 'searchmoves e7d6' e7d6 'mate 4'        # there is no other way
again "$around $around e7d6" '' b7a6 'mate -3'

# of drawn moves one that leaves a chance: it draws, and does not lose
say "position fen 8/8/8/8/4k3/2n5/8/K6Q w"
best movetime 100
pass

# == A table is missing that a capture leads into == where its own is sure of more than other moves bring, it captures
"$bareking" build chess KQvKR --dir "$tmp/tables" >"$tmp/log" 2>&1 || fail "$(cat "$tmp/log")"
mkdir -p "$tmp/some/chess"
cp "$tmp"/tables/chess/KQvKR.* "$tmp"/tables/chess/KRvK.* "$tmp/some/chess"
say "setoption name TablePath value $tmp/some"
say 'setoption name UCI_Variant value chess'
captures() { # fen, move, score
    say "position fen $1"
    best depth 4
    grep -q "score $3 " "$tmp/before" && [ "$move" = "$2" ] && pass || fail "$1: $(tail -n 1 "$tmp/before") $move"
}
captures '4k3/8/8/8/8/8/r7/Q3K3 w - - 0 1' a1a2 'mate 10' # 25 plies by others
captures '1r6/1K5Q/8/8/8/8/8/k7 w - - 0 1' b7b8 'mate 15'
say 'position fen 4k3/8/8/8/8/8/r7/Q3K3 w - - 0 1'
best depth 4 searchmoves a1e5 a1f6
grep -q 'score mate 13 ' "$tmp/before" && pass || fail "told of moves that are not the best: $(cat "$tmp/before")"
# == No time for all that the tables know == it plays, from what it knows, and tells less
say "setoption name TablePath value $tmp/tables"
say 'setoption name MultiPV value 64'
say 'position fen 8/8/8/8/7k/7r/5K2/7Q w - - 0 1'
best movetime 1
hurried=$(wc -w <"$tmp/before")
grep -q ' multipv 1 score mate [0-9]' "$tmp/before" || fail "a win is thrown away: $(cat "$tmp/before")"
best depth 1
[ "$hurried" -lt "$(wc -w <"$tmp/before")" ] && pass || fail "$hurried words in a millisecond, as many as without a limit"
say 'setoption name MultiPV value 1'
say 'setoption name UCI_Variant value shatranj'

# == Told to stop at once == nothing that the tables know is given away, by whatever ends the search: in
# won and drawn positions, by distances or results alone, also where a table that captures lead into is missing
results() { # game, fen: "MOVE RESULT" of each move, the best first
    "$bareking" probe "$1" "$2" --json --dir "$tmp/tables" | grep -o '"move":"[a-h0-9]*","wdl":-*[01]' |
        sed 's/"move":"//; s/","wdl":/ /'
}
at_once() { # game, fen, how: $move is among those of the best result
    awk 'NR == 1 { best = $2 } $2 != best { exit } { print $1 }' "$tmp/ranked" >"$tmp/keep"
    grep -qx "$move" "$tmp/keep" && hurries=$((hurries + 1)) || fail "$1, $3: $move in $2 gives away what $(head -n 1 "$tmp/keep") keeps"
}
quiet_best() { # commands, with \n between: one bestmove
    printf '%b\n' "$*" >&3
    expect 'bestmove *'
    move=${line#bestmove }
    move=${move%% *}
}
hurry() { # game, fen
    results "$1" "$2" >"$tmp/ranked" 2>"$tmp/log" || return 0 # illegal
    awk '{ seen[$2] } END { n = 0; for (r in seen) n++; exit n < 2 }' "$tmp/ranked" || return 0 # no move gives anything away
    for ends in 'infinite\nstop' '\nstop' 'infinite\nsetoption name Clear Hash' 'ponder wtime 1\nponderhit' 'ponder\nstop' \
        'movetime 1' 'wtime 1 btime 1' 'nodes 1'; do
        quiet_best "setoption name UCI_Variant value $1\nposition fen $2\ngo $ends"
        at_once "$1" "$2" "go $ends"
    done
    for ends in 'go infinite' 'go infinite\nquit'; do # or the input ends
        printf 'setoption name UCI_Variant value %s\nposition fen %s\n%b\n' "$1" "$2" "$ends" |
            "$engine" --dir "$dir" >"$tmp/log"
        move=$(sed -n 's/^bestmove \([^ ]*\).*/\1/p' "$tmp/log")
        at_once "$1" "$2" "$ends, the end"
    done
    for ends in 'st 60\ngo\n?' 'st 0\ngo' 'time 0\ngo' 'go'; do
        printf 'xboard\nnew\nvariant %s\nforce\nsetboard %s\n%b\n' "$1" "$2" "$ends" |
            sed 's/variant chess/variant normal/' | "$engine" --dir "$dir" >"$tmp/log"
        move=$(sed -n 's/^move //p' "$tmp/log")
        at_once "$1" "$2" "XBoard, $ends"
    done
}
# random positions, and some that are known to go wrong easily
thrown() { awk -v seed=3 -v armies="$1" -v n=$2 -f "$here/throw.awk"; }
{
    thrown KQkq 20 | sed 's/^/tables shatranj /'
    thrown KRkb 20 | sed 's/^/results shatranj /'
    thrown KQkr 20 | sed 's/^/some chess /'
    echo 'tables shatranj 8/8/8/3k4/8/1KQ5/8/q7 w - - 0 1'
    echo 'some chess 6Q1/6K1/8/4r3/8/8/1k6/8 b - - 0 1'
    echo 'some chess 8/8/3Q4/3k3K/8/8/2r5/8 b - - 0 1'
} >"$tmp/thrown"
hurries=0
while read -r folder game given; do
    dir=$tmp/$folder
    say "setoption name TablePath value $dir"
    hurry "$game" "$given"
done <"$tmp/thrown"
[ "$hurries" -ge 200 ] && pass || fail "only $hurries searches were stopped"
# a third time draws: a win that is wanted at once goes another way
say "setoption name TablePath value $tmp/tables"
say 'setoption name UCI_Variant value shatranj'
quiet_best "position fen 8/1q2K3/8/3Q4/8/7k/8/8 w - - 0 1 moves $around $around\ngo infinite searchmoves e7d6 d5c4\nstop"
[ "$move" = d5c4 ] && pass || fail "$move, for the third time"

# == A table that is damaged is named, once; and the engine plays on ==
mkdir -p "$tmp/damaged/shatranj"
head -c 20000 "$tmp/tables/shatranj/KQvKQ.bkw" >"$tmp/damaged/shatranj/KQvKQ.bkw"
say "setoption name TablePath value $tmp/damaged"
say 'position fen 8/8/8/3k4/8/1KQ5/8/q7 w'
best depth 2
grep -q 'info string error: .*/damaged/shatranj/KQvKQ.bkw: ' "$tmp/before" || fail 'no word of a damaged table'
best depth 2
if grep -q 'error:' "$tmp/before"; then fail 'a damaged table is named twice'; fi
say 'setoption name UCI_Variant value darwinian'
expect "info string no tables of darwinian in $tmp/damaged"
say 'setoption name UCI_Variant value shatranj'
say "setoption name TablePath value $tmp/nowhere"
expect "info string no tables of shatranj in $tmp/nowhere; $tmp/nowhere: no such folder"
say "setoption name TablePath value $tmp/tables:$tmp/nowhere"
expect "info string $tmp/nowhere: no such folder"
say "setoption name TablePath value $tmp/tables/shatranj"
expect "info string no tables of shatranj in *; * is a game's own folder: say the one above it"
if native; then
    mkdir "$tmp/closed" && ln -s shatranj "$tmp/closed/shatranj" # a link to itself: there, and not to be read
    say "setoption name TablePath value $tmp/closed"
    expect "info string error: $tmp/closed/shatranj: *"
fi
say 'position fen 8/8/8/3k4/8/1KQ5/8/q7 w'
say "setoption name TablePath value $tmp/tables"
best depth 2
grep -q '(tables)' "$tmp/before" || fail 'not by the tables, once they are whole'
pass

# == Distances that are lost are named, once; it plays from the rest ==
mkdir -p "$tmp/lost/shatranj"
cp "$tmp/tables/shatranj/KRvKB.bkw" "$tmp/lost/shatranj"
say "setoption name TablePath value $tmp/lost"
say "position fen $at"
best depth 2
grep -q "^info string $tmp/lost/shatranj/KRvKB.bkd: not there, but KRvKB.bkw says it should be" "$tmp/before" ||
    fail "no word of lost distances: $(cat "$tmp/before")"
best depth 2
if grep 'not there' "$tmp/before"; then fail 'lost distances are named twice'; fi
# those that are damaged, too
head -c 500 "$tmp/tables/shatranj/KRvKB.bkd" >"$tmp/lost/shatranj/KRvKB.bkd"
say "setoption name TablePath value $tmp/lost"
best depth 2
grep -q "^info string error: $tmp/lost/shatranj/KRvKB.bkd: damaged" "$tmp/before" || fail "no word of damaged distances: $(cat "$tmp/before")"
grep -q 'not there' "$tmp/before" && fail 'damaged distances are told as lost'
grep -q ' score cp 2[0-9]* .* tbhits [1-9]' "$tmp/before" || fail "not by the results: $(cat "$tmp/before")"
say "setoption name TablePath value $tmp/results" # never made
best depth 2
if grep 'not there' "$tmp/before"; then fail 'distances are not lost that were never made'; fi
# a folder that cannot be read is named, also behind one that answers
if native; then
    say "setoption name TablePath value $tmp/tables:$tmp/closed"
    best depth 2
    grep -q '(tables)' "$tmp/before" || fail 'an unreadable folder hides another'
    grep -q "error: $tmp/closed/shatranj: " "$tmp/before" || fail 'no word of an unreadable folder'
fi
pass

# == Distances are lost of a table that others lead to: results answer, as they do in the library ==
mkdir -p "$tmp/further/chess"
cp "$here"/golden/normal/chess/KRvKR.bk? "$here/golden/normal/chess/KRvK.bkw" "$tmp/further/chess"
say "setoption name UCI_Variant value chess"
say "setoption name TablePath value $tmp/further"
say 'position fen 3k4/8/8/8/r7/8/4K3/7R w' # h1h4 loses the rook, in nobody knows how many plies
best depth 2
grep -q 'draws (tables)' "$tmp/before" || fail "not all moves are known: $(cat "$tmp/before")"
say "setoption name UCI_Variant value shatranj"
pass

# == Memory == a large hash table takes none before it is used, and gives it back
kib() { sed -n 's/^VmRSS:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$(cut -d' ' -f1 "/proc/$pid/task/$pid/children")/status"; }
[ -r "/proc/$pid/task/$pid/children" ] || leave_out "what memory it takes (/proc)"
if native && [ -r "/proc/$pid/task/$pid/children" ]; then
    say setoption name Hash value 1024
    for clears in ucinewgame 'setoption name UCI_Variant value shatranj' "setoption name TablePath value $tmp/tables" \
        'setoption name Clear Hash'; do
        say "$clears"
        no_errors "$clears"
        [ "$(kib)" -lt 400000 ] || fail "$(kib) KiB after $clears, unused"
    done
    say position startpos
    best nodes 200000 # random places: some 120 MB of pages
    used=$(kib)
    say setoption name Clear Hash
    no_errors 'Clear Hash'
    [ "$(kib)" -lt $((used - 50000)) ] || fail "$(kib) KiB after Clear Hash, $used before"
    say setoption name Hash value 8
    pass
fi

# == Bad input ==
for bad in 'position fen' 'position fen x' 'position' 'position fen 8/8/8/8/8/8/8/8 w - - 0 1' \
    'position startpos moves e2e9' 'go banana' 'go depth' 'go movetime x' 'setoption' 'setoption name Nonsense value 3' \
    'setoption name Hash value -1' 'setoption name UCI_Variant value nogame' 'nonsense'; do
    say "$bad"
done
say isready
expect readyok
[ "$(grep -c 'info string error' "$tmp/before")" -ge 13 ] || fail "errors are not said: $(cat "$tmp/before")"
pass
# nothing is played from a position that is not the client's
for bad in 'fen 8/8/8/8/8/8/8/8 w - - 0 1' 'startpos moves e2e4 e7e2'; do
    say ucinewgame
    say "position $bad"
    best depth 1
    [ "$move" = '(none)' ] || fail "$move in no position"
    say position startpos
    best depth 1
    [ "$move" != '(none)' ] || fail 'no move after a position that cannot be read'
done
pass
# a game whose array is no position: it stays with the one that there is
sed -e 's/^name .*/name = lost/' -e 's#^start .*#start = 4k3/8/8/8/8/8/4Q3/4K3 w - - 0 1#' \
    "$here/../src/variants/chess.ini" >"$tmp/lost.ini"
say 'setoption name UCI_Variant value chess'
say 'position startpos moves e2e4'
say "setoption name UCI_Variant value $tmp/lost.ini"
expect 'info string error: *in check'
best depth 1
case $move in [a-h][78]*) pass ;; *) fail "a game that cannot be begun took the place of chess: $move" ;; esac
# a line that is too long is dropped as it comes
say isready
expect readyok
[ ! -r "/proc/$pid/task/$pid/children" ] || used=$(kib)
head -c 32000000 /dev/zero | tr '\0' x >&3
[ ! -r "/proc/$pid/task/$pid/children" ] || [ "$(kib)" -lt $((used + 10000)) ] || fail "$(kib) KiB for a line, $used before"
say
best depth 1
pass
close_session

# == CECP, every game that it lists ==
open_session xboard
say protover 2
expect 'feature variants=*'
listed=$(echo "$line" | sed 's/.*"\(.*\)"/\1/' | tr , ' ')
expect 'feature done=1'
for game in $listed; do
    case $game in
    chess | *shatranj-*) fail "XBoard would take $game for another game" ;;
    esac
    say new
    say "variant $game"
    say force
    say sd 2
    say go
    expect 'move *'
    move=${line#move }
    case $game in
    normal | shatranj) ;;
    *) grep -q '^setup (' "$tmp/before" || fail "$game: no setup" ;;
    esac
    say force
    say undo
    say "lift $(echo "$move" | cut -c1-2)"
    expect 'highlight *[YR]*'
    say "usermove $move"
    say "usermove $move" # not twice
    expect 'Illegal move*'
    say hint
    expect 'Hint: *'
    say ping 7
    expect 'pong 7'
    pass
done
say new
say variant gs10
say force
say setboard 10/10/4k3n1/10/10/10/10/3J6/10/4K5 w - - 0 1
say usermove d2d3 # ranks from 0
say ping 8
expect 'pong 8'
if grep -q Illegal "$tmp/before"; then fail "ranks of ten are numbered from 0"; fi
pass
# other tables while it thinks: it thinks again
say new
say st 1
say go
say "option TablePath=$tmp/tables"
expect 'move *'
# what ends no search of a move: a game that is not known, the end of an analysis that is none
for idle in 'variant nogame' exit; do
    say new
    say st 1
    say go
    say "$idle"
    say ping 1
    say ping 2
    expect 'move *'
    expect 'pong 1'
    expect 'pong 2'
done
# after a result nothing is played unasked; moves may be entered, and an analysis begun; one ply deep
# the reply to e2e4 is always the same, and takes none of them away
say new
say sd 1
say usermove e2e4
expect 'move *'
say 'result 1-0 {Black resigns}'
say usermove d2d4
say ping 2
expect 'pong 2'
if grep 'move' "$tmp/before"; then fail "a move after a result"; fi
say force
say usermove g8f6
say usermove b1c3
say analyze
say usermove h7h6
say exit
say ping 3
expect 'pong 3'
if grep Illegal "$tmp/before"; then fail "no move after a result"; fi
say go
expect 'move *'
pass
# an analysis goes on with a new game, and no move is made in it
say force
say post
say analyze
expect '[1-9]* *'
say new
expect '[1-9]* *'
say usermove e2e4
say ping 4
expect 'pong 4'
if grep '^move' "$tmp/before"; then fail "a move in an analysis"; fi
say sd 1
say go # which ends it
expect 'move *'
say nopost
pass
# a position that cannot be read: no move is legal, and none is made, until there is one
say new
say force
say setboard 8/8/8/8/8/8/8/8 w - - 0 1
expect 'tellusererror *'
say usermove e2e4
expect 'Illegal move: e2e4'
say sd 1
say go
say ping 5
expect 'pong 5'
if grep '^move' "$tmp/before"; then fail "a move in no position"; fi
say setboard 4k3/8/8/8/8/8/8/R3K3 w - - 0 1
say go
expect 'move *'
pass
# numbers that are too large, or none
say level -2147483648 5:99999999 99999999999999999999
say st nothing
say time 99999999999999999999
say ping 9
expect 'pong 9'
pass
say force
say analyze
say post
expect '[1-9]* *'
say .
expect 'stat01: *'
say exit
say new
say variant shatranj
say force
say setboard 'k7/8/8/8/8/2R5/1q6/K7 w - - 0 1'
say go
expect 'move a1b2' # XBoard has the bared side reply first, and calls an earlier claim false
say ping 9
expect 'pong 9'
if grep 1-0 "$tmp/before"; then fail "claimed too early"; fi
say usermove a8a7
expect '1-0 {bare king}'
pass
say new
say variant shatranj # the bare king has no reply
say force
say setboard 'k7/2K5/8/p6R/8/8/8/8 w - - 0 1'
say sd 2
say go
expect '1-0 {bare king}'
pass
say new
say variant gs10-rook # here it waits for the claim
say force
say setboard 'k9/10/10/10/10/10/10/2R7/1n8/K9 w - - 0 1'
say go
expect '1-0 {bare king}'
pass
# against another program XBoard takes a win that it does not see for a false claim: the loser tells
against_program() { # FEN
    say new
    say variant gs10-rook
    say computer
    say force
    say "setboard $1"
    say sd 2
}
against_program 'k9/10/10/10/10/10/10/2R7/1n8/K9 w - - 0 1'
say go
expect 'move a0b1'
say ping 10
expect 'pong 10'
if grep '{' "$tmp/before"; then fail "a claim that XBoard takes for false"; fi
against_program 'k9/10/10/10/10/10/10/2R7/1n8/K9 w - - 0 1'
say playother
say usermove a0b1
expect '1-0 {bare king}'
pass
# a king for whom XBoard would see checks that are none does not stand in its king's place
for game in sultan puzzle gs10 darwinian; do
    say new
    say "variant $game"
    expect 'setup (*'
    case $game:$(echo "$line" | cut -c 8-29) in
    sultan:*K | puzzle:*K) pass ;;
    gs10:*K*. | darwinian:*K*.) pass ;;
    *) fail "$line" ;;
    esac
done
say setboard nonsense
expect 'tellusererror *'
say nonsense
expect 'Error (unknown command)*'
pass

# == Games against itself, to their end ==
self_play() { # game, limit of plies, board: each side in turn
    say new
    say "variant $1"
    say force
    [ -z "$3" ] || say "setboard $3"
    say ping 0
    expect 'pong 0'
    if grep Illegal "$tmp/before"; then fail "$1: $3"; fi
    say sd "${5-2}"
    n=0
    while [ $n -lt "$2" ]; do
        say go
        expect 'move *'
        n=$((n + 1))
        say force
        say ping $n
        expect "pong $n"
        if grep -q '^\(1-0\|0-1\|1/2-1/2\) {' "$tmp/before"; then
            pass
            return
        fi
    done
    [ "$4" ] || fail "$1: no end after $n plies"
}
self_play destruction-of-atlantis 60 'k2h/4/4/K2M w + - 0 40' ''
self_play atlantean 120 'x8x/2t1k3z1/10/10/10/10/10/10/1NTZKM4/10 w - - 0 40' ''
self_play gs10-rook 300 '3jk5/10/10/10/10/10/10/10/5R4/R2K6 b - - 0 1' '' 3
self_play puzzle-mini 400 '' may
self_play sultan-zh 200 '4k5/10/4K5/10/10/10/10/10[R] w - - 0 1' ''
self_play sultan-hostage 400 '5k4/10/10/10/10/10/10/5K4[Rq]{} w - - 0 1' ''
self_play normal 200 '4k3/8/8/8/8/8/5R2/R3K3 b - - 0 1' '' 4
close_session

printf 'uci\n' | "$engine" --game "$tmp/lost.ini" 2>&1 | grep -q 'lost.ini:[0-9:]* .* in check' || fail 'why a game cannot be begun is not said'
pass

# == The input ends while it thinks == what has an end is searched to it, all else stops; each go has its bestmove
to_end() { # what is written to it, a pattern of what it says last, of the last info
    printf "$1" | timeout 60 "$engine" --dir "$tmp/tables" >"$tmp/log" || fail "'$1': status $?"
    [ "$(grep -c '^bestmove \|^move ' "$tmp/log")" = 1 ] || fail "'$1': $(tail -n 3 "$tmp/log")"
    tail -n 1 "$tmp/log" | grep -q "$2" || fail "'$1': $(tail -n 1 "$tmp/log")"
    [ -z "${3-}" ] || grep '^info depth' "$tmp/log" | tail -n 1 | grep -q "$3" || fail "'$1': $(tail -n 2 "$tmp/log")"
    pass
}
to_end 'position startpos\ngo depth 5\n' '^bestmove [a-h]' '^info depth 5 '
to_end 'position startpos\ngo depth 5' '^bestmove [a-h]' '^info depth 5 '
to_end 'position fen 7k/8/5K2/8/8/8/8/6Q1 w - - 0 1\ngo mate 1\n' '^bestmove g1g7' 'mate 1'
to_end 'position startpos\ngo wtime 1000 btime 1000\n' '^bestmove [a-h]'
# no mate in one: all that is within is searched, and that was it
to_end 'position startpos\ngo mate 1\n' '^bestmove [a-h]' '^info depth [1-3] '
# by the rules alone, and a loss in one ply: the bare king does not take back
printf 'setoption name UCI_Variant value atlantean\nsetoption name MultiPV value 3\nposition fen 10/10/1K8/10/10/10/10/2M7/3k6/10 b - - 0 1\ngo depth 1\n' |
    "$engine" --dir "$tmp/nothing" >"$tmp/log"
grep -q 'score mate -1 ' "$tmp/log" && ! grep -q 'tbhits [1-9]\|(tables)' "$tmp/log" && pass || fail "$(cat "$tmp/log")"
for endless in infinite 'ponder depth 5' '' 'depth 60\nquit'; do
    to_end "position startpos\\ngo $endless\\n" '^bestmove [a-h]'
done
to_end 'xboard\nprotover 2\nnew\nst 1\nusermove e2e4\n' '^move [a-h]'
to_end 'xboard\nvariant gs10-rook\nforce\nsetboard k9/10/10/10/10/10/10/2R7/1n8/K9 w - - 0 1\nsd 2\ngo\n' '^1-0 {bare king}'
printf 'xboard\nnew\nanalyze\n' | timeout 10 "$engine" >"$tmp/log" || fail "analysis does not end with the input: $?"
pass

# == Its own options ==
for wrong in --dir --game --dir= --game=; do
    "$engine" "$wrong" </dev/null >"$tmp/log" 2>&1 && status=0 || status=$?
    [ $status = 2 ] && grep -q "'${wrong%=}' needs a value; see --help" "$tmp/log" || fail "$wrong: status $status, $(cat "$tmp/log")"
done
"$engine" --dirs </dev/null >"$tmp/log" 2>&1 && status=0 || status=$?
[ $status = 2 ] && grep -q "'--dirs' is not understood" "$tmp/log" || fail "--dirs: status $status"
printf 'uci\nquit\n' | "$engine" --game=shatranj --dir="$tmp/tables" | grep -q 'UCI_Variant .*default shatranj' || fail '--game=shatranj'
pass

# == The other end goes away ==
printf 'xboard\nprotover 2\nvariant shatranj\nlevel 40 0:30 0\ngo\n' | timeout 10 "$engine" >/dev/null || fail "end of input: $?"
pass
if native; then
    (printf 'uci\ngo infinite\n'; sleep 5) | { timeout 4 "$engine" && status=0 || status=$?; echo $status >"$tmp/status"; } | head -n 1 >/dev/null
    [ "$(cat "$tmp/status")" = 0 ] || fail "nobody reads it any more: status $(cat "$tmp/status")"
    pass
fi
: | timeout 10 "$engine" || fail "no input: $?"
[ -c /dev/full ] || leave_out 'a full disk (/dev/full)'
if native && [ -c /dev/full ]; then
    for lines in 'uci' 'go depth 60' 'xboard\nprotover 2' 'xboard\nnew\npost\nsd 60\ngo'; do
        printf "$lines\\n" | timeout 10 "$engine" >/dev/full 2>"$tmp/log" && status=0 || status=$?
        [ $status = 4 ] && grep -q 'cannot write: ' "$tmp/log" || fail "'$lines': status $status where nothing can be written"
    done
    pass
fi
# the first line may be as long as any other
{ printf 'position startpos moves' && for _ in $(seq 400); do printf ' g1f3 g8f6 f3g1 f6g8'; done && printf '\nd\nquit\n'; } |
    timeout 10 "$engine" >"$tmp/log"
grep -q '^Fen: .* 0 801$' "$tmp/log" || fail "a long first line: $(cat "$tmp/log")"
{ head -c 1048576 /dev/zero | tr '\0' x && printf '\nisready\nquit\n'; } | timeout 20 "$engine" | grep -qx readyok || fail 'a first line that is too long'
pass
printf 'isready' | timeout 10 "$engine" | grep -q readyok || fail "a last line without an end"
pass
# == Users' games: where they begin == their own array, also of a game named as one of ours; else two kings
# where they may stand
begins() { # fen, file
    printf 'position startpos\nd\nquit\n' | "$engine" --game "$2" >"$tmp/began" 2>&1 || true
    if grep -q "^Fen: $1" "$tmp/began"; then pass; else fail "$2 begins otherwise: $(cat "$tmp/began")"; fi
}
sed 's|^start .*|start = 4k3/8/8/8/8/8/8/4K2R w|' "$here/../src/variants/shatranj.ini" >"$tmp/own.ini"
grep -q '^start' "$tmp/own.ini" || sed -i 's|^board .*|&\nstart = 4k3/8/8/8/8/8/8/4K2R w|' "$tmp/own.ini"
begins 4k3/8/8/8/8/8/8/4K2R "$tmp/own.ini"
cat >"$tmp/palace.ini" <<END
[variant]
name  = shatranj
board = 4x4
[piece king]
letter = K
royal  = yes
move   = K
ranks  = 2
END
begins 4/3k/K3/4 "$tmp/palace.ini"

# XBoard's `new` is chess as it is shipped, whatever a file calls itself
sed 's/^stalemate.*/stalemate = loss/' "$here/../src/variants/chess.ini" >"$tmp/chess.ini"
printf 'xboard\nvariant %s\nnew\nforce\nsetboard k7/2K5/8/8/8/8/8/1Q6 w - - 0 1\nusermove b1b6\nquit\n' "$tmp/chess.ini" |
    "$engine" >"$tmp/began" 2>&1 || true
grep -q '^1/2-1/2 {' "$tmp/began" || fail "new after a chess of one's own: $(cat "$tmp/began")"
pass

echo "$passed passed, 0 failed${without:+; left out: $without}"
