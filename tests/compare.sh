#!/bin/sh
# compare.sh BUILD [DIR] - builds tables and compares every position of their files with the
# solver's own arrays (tests/compare.c).  One line a table; status 1 if any differs.
#
# All tables of four men of Shatranj and chess, four of five men, and of each other game tables
# with and without pawns, evolving men, castling rights, holes, double captures.  Tables in DIR (default: a
# folder that goes away) are not built again.  LIST="GAME MATERIAL..." compares these instead.
set -u
build=${1:?usage: compare.sh BUILD [DIR]}
. "$(dirname "$0")/scratch.sh"
dir=${2-$tmp}
failed=0

compare() { # game material...
    "$build/bareking" build "$@" --dir "$dir" --quiet && "$build/compare" "$dir" "$@" ||
        failed=$((failed + 1))
}

compare_four() { # game
    # shellcheck disable=SC2046
    compare "$1" $("$build/bareking" plan "$1" --men 4 --dir "$dir/none" --json |
        grep -o '"material":"[^"]*"' | sed 's/.*:"//; s/"//')
}

if [ -n "${LIST:-}" ]; then
    # shellcheck disable=SC2086
    compare $LIST
else
    compare_four shatranj
    compare_four chess
    compare grand-shatranj KMvKN KPvKP
    for game in atlantean atlantean-commoner atlantean-jumper atlantean-double; do
        compare "$game" KZvKX KZvKP
    done
    compare darwinian 'KWvKF[RCec]' 'KFvKP'
    compare sultan KPvKP KQvKC KRRvK+KQ KRvKR+Kk
    compare puzzle KRvKN
    compare puzzle-hands KRvKA
    compare "$(dirname "$0")/six.ini" KRPvKN
    for material in KRNvKR KQRvKN KRPvKN; do
        compare shatranj "$material"
    done
    compare chess KRBvKN
fi
[ "$failed" -eq 0 ] && echo "all the same" || echo "$failed differ, or could not be compared"
[ "$failed" -eq 0 ]
