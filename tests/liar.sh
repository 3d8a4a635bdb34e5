#!/bin/sh
# liar.sh HOW MOVES - a UCI engine for tests, which knows the moves of one position, those in the file MOVES; and what it
# does HOW, else right: mute, deaf, hangs, late, dies, dies-asked, illegal, none, given, lies, fewer, cut, no-perft, odd;
# near: it plays what a file says, and knows all moves but the first, and one more.
how=$1 moves=$2
position='' told=''
while read -r line; do
    case $line in
    uci)
        [ "$how" = mute ] && sleep 60
        [ "$how" = odd ] && printf 'nonsense\noption\ninfo depth\nbestmove\n\001\377\n'
        echo "option name UCI_Variant type combo default chess var chess var shatranj${told:+ var $told}"
        [ "$how" != near ] || echo 'option name VariantPath type string default <empty>'
        echo 'option name MultiPV type spin default 1 min 1 max 500'
        echo 'option name Threads type spin default 1 min 1 max 8'
        echo 'option name Skill Level type spin default 20 min 0 max 20'
        echo uciok
        ;;
    isready) echo readyok ;;
    position*)
        echo "$line" >>"$moves.positions"
        position=${line#position fen }
        [ "$how" = cut ] || position=${position%% moves*}
        ;;
    'setoption name VariantPath value '*)
        echo "$line" >>"$moves.options"
        cp "${line#*value }" "$moves.told"
        told=$(sed -n 's/^\[\(.*\)\]$/\1/p' "$moves.told")
        ;;
    setoption*) echo "$line" >>"$moves.options" ;;
    d) case $how:$position in cut:*moves*) echo 'Fen: 8/8/8/8/8/8/8/8 b - - 0 1' ;; *) echo "Fen: $position" ;; esac ;;
    'go perft 1')
        case $how in
        dies-asked) exit 1 ;;
        no-perft) continue ;;
        lies | near) echo 'a1a8: 1' ;;
        esac
        [ "$how" = fewer ] || [ "$how" = near ] && sed 's/$/: 1/; 1d' "$moves" || sed 's/$/: 1/' "$moves"
        echo 'Nodes searched: 1'
        ;;
    go*)
        echo "$line" >"$moves.go"
        asked=${line#*searchmoves }
        [ "$asked" != "$line" ] || asked=$(cat "$moves")
        # shellcheck disable=SC2086
        first=$(printf '%s\n' $asked | tail -n 1)
        case $how in
        hangs) sleep 60 ;;
        dies) kill -9 $$ ;;
        late) sleep 4 ;;
        illegal) first=a1a9 ;;
        none) first='(none)' ;;
        given) first=$(grep -vxF "$(printf '%s\n' $asked)" "$moves" | head -n 1) ;;
        odd) printf 'info depth -4 seldepth x multipv 9999 score mate 9223372036854775807 pv %s\ninfo depth 3 score cp 5 lowerbound nodes 4 pv %s\ninfo score cp 5 pv a1a1 a1a1\ninfo pv\n' "$first" "$first" ;;
        esac
        case $line in
        *infinite* | *ponder*) waits=yes ;;
        *) waits= ;;
        esac
        echo "info depth 7 seldepth 9 multipv 1 score cp 33 nodes 1234 time 5 pv $first"
        [ -n "$waits" ] || echo "bestmove $first"
        ;;
    ponderhit | stop)
        [ -z "$waits" ] || echo "bestmove $first"
        waits=
        ;;
    quit) exit ;;
    esac
done
