#!/bin/sh
# reach.sh BUILD [VARIANTS.INI [VARIANT.CPP]] - Fairy-Stockfish's games: those that it has built in and we take, and of
# VARIANTS.INI, its own file or another, the sections that we take.
#
# - Each built-in game has a table of three men, which verifies.
# - Each game has as many moves as npm's ffish finds in the array and in POSITIONS (20) random positions, three plies deep.
#   ffish comes by npm into BUILD/reach; without it that is left out.
# - With VARIANTS.INI it counts how many sections are taken, and by which rules the others are refused; with VARIANT.CPP,
#   Fairy-Stockfish's list of built-in games, how many of those, and that we know each by name.
#
# Neither file is ours: whoever runs this brings them.
set -eu
build=$(cd "${1:?usage: reach.sh BUILD [VARIANTS.INI [VARIANT.CPP]]}" && pwd)
ini=${2:+$(cd "$(dirname "$2")" && pwd)/$(basename "$2")}
cpp=${3:-}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/scratch.sh"
bin=$build/bareking dir=$build/reach
mkdir -p "$dir"

# == Built-in games ==
"$bin" variants --json | sed 's/{"name":"[^"]*","title"/\
&/g' | grep '"of":"Fairy-Stockfish"' >"$tmp/games"
sed 's/{"name":"\([^"]*\)".*/\1/' "$tmp/games" >"$tmp/built-in"
[ -s "$tmp/built-in" ] || fail 'no built-in games'
while read -r line; do
    game=$(expr "$line" : '{"name":"\([^"]*\)"')
    man=$(echo "$line" | grep -o '"letter":"[A-Z]","name":"[^"]*","army":[1-9]' | grep -v -e '"king"' -e '"pawn"' |
        sed -n '1s/"letter":"\(.\).*/\1/p')
    "$bin" build "$game" "K${man}vK" --dir "$tmp/tables" --quiet || fail "$game K${man}vK is not built"
    "$bin" verify "$game" "K${man}vK" --dir "$tmp/tables" --quiet || fail "$game K${man}vK is wrong"
done <"$tmp/games"
said="$(wc -l <"$tmp/built-in") built-in games"

# == What is taken ==
tell_refusals() { # file of reasons
    sed -n "s/.*\(key '[^']*'\).*/\1/p; t
        s/.*\(has [^(]*\), which cannot be expressed.*/\1/p; t
        s/.*: //p" "$1" | sort | uniq -c | sort -rn | sed 's/^/    /'
}
: >"$tmp/sections"
if [ -n "$ini" ]; then
    grep -o '^\[[^]:]*' "$ini" | tr -d '[' >"$tmp/all"
    while read -r section; do
        if "$bin" check-variant "$ini#$section" >/dev/null 2>"$tmp/why"; then
            echo "$section" >>"$tmp/sections"
        else
            head -n 1 "$tmp/why" >>"$tmp/refused"
        fi
    done <"$tmp/all"
    taken=$(wc -l <"$tmp/sections") all=$(wc -l <"$tmp/all")
    echo "sections: $taken of $all taken; the others by what refuses them first:"
    tell_refusals "$tmp/refused"
    said="$said, $taken of $all sections"
fi
if [ -n "$cpp" ]; then
    sed -n 's/^ *add("\([^"]*\)",.*/\1/p' "$cpp" >"$tmp/theirs"
    taken=0 all=$(wc -l <"$tmp/theirs")
    while read -r game; do
        if "$bin" variants --explain "$game" >/dev/null 2>"$tmp/why"; then
            taken=$((taken + 1))
        else
            grep -q '^bareking: Fairy-Stockfish' "$tmp/why" || fail "built in there, and unknown: $(cat "$tmp/why")"
            cat "$tmp/why" >>"$tmp/refused-built-in"
        fi
    done <"$tmp/theirs"
    echo "built in there: $taken of $all taken; the others by what refuses them:"
    tell_refusals "$tmp/refused-built-in"
    said="$said, $taken of $all that are built in there"
fi

# == Moves ==
compare() { # PREFIX of names; lines of reach.cjs
    while IFS='	' read -r game fen depth want; do
        got=$("$bin" perft "$1$game" "$fen" "$depth" 2>&1)
        [ "$got" = "$want" ] || fail "perft $game '$fen' $depth: $want by ffish, here $got"
    done
}
command -v npm >/dev/null && { [ -d "$dir/node_modules/ffish" ] ||
    (cd "$dir" && npm install --silent --no-fund --no-audit --prefix . ffish) >/dev/null 2>&1; } ||
    leave_out "moves (npm's ffish)"
if [ -d "$dir/node_modules/ffish" ]; then
    ask() { NODE_PATH=$dir/node_modules node "$here/reach.cjs" "$@"; }
    ask "$(paste -sd, "$tmp/built-in")" >"$tmp/asked" || fail 'ffish does not answer'
    compare '' <"$tmp/asked"
    if [ -s "$tmp/sections" ]; then
        ask "$(paste -sd, "$tmp/sections")" "$ini" >"$tmp/more" 2>/dev/null || fail 'ffish does not answer'
        compare "$ini#" <"$tmp/more"
        cat "$tmp/more" >>"$tmp/asked"
    fi
    said="$said, moves of $(wc -l <"$tmp/asked") positions"
fi
echo "$said${without:+; left out: $without}"
