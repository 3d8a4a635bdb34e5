#!/bin/sh
# verify_list.sh BAREKING [DIR] - builds a list of tables and compares every position of each
# with its successors by the plain move generator.  One line a table; status 1 if any differs.
#
# The list has what is easiest to get wrong: pawns that promote or sit against each other, with and
# without en passant, castling rights, every set of allowances of an evolving man, every option of
# the Atlantean game.  Tables in DIR (default: a folder that goes away) are not built again.
#
# SAMPLE=N looks at N random positions of each instead; THREADS=N.
set -u
bin=${1:?usage: verify_list.sh BAREKING [DIR]}
threads=${THREADS:-2}
. "$(dirname "$0")/scratch.sh"
dir=${2-$tmp}
failed=0

verify() { # game material [--for FEN]
    began=$(date +%s)
    if text=$("$bin" build "$@" --dir "$dir" --threads "$threads" --quiet 2>&1) &&
        text=$("$bin" verify "$@" --dir "$dir" --threads "$threads" \
            ${SAMPLE:+--sample "$SAMPLE"} 2>&1); then
        verdict=ok
    else
        verdict=FAILED
        failed=$((failed + 1))
    fi
    printf '%-22s %-6s %5d s  %s\n' "$1" "$verdict" $(($(date +%s) - began)) "$text"
}

# All unordered pairs of what the sides may still evolve into: colours exchanged is the same table.
verify_allowances() { # game material SET...; `.` is the empty set
    game=$1 material=$2
    shift 2
    for white; do
        seen=
        for black; do
            [ "$black" = "$white" ] && seen=1
            [ -n "$seen" ] || continue
            left=$(printf '%s%s' "$white" "$(echo "$black" | tr 'A-Z' 'a-z')" | tr -d .)
            verify "$game" "$material[${left:--}]"
        done
    done
}

verify sultan KPvKP
verify sultan KCPvK
for material in KRvK+K KRvK+Q KRRvK+KQ KRvKR+Kk KRvKR+Kq; do
    verify sultan "$material"
done
for material in KRRvK+KQ KRRvK+K KRvKR+Kk; do # the king on a target, rooks on both sides of it
    verify sultan-random "$material" --for '1k8/10/10/10/10/10/10/1RKR6 w DB'
done
for game in atlantean atlantean-commoner atlantean-jumper atlantean-double; do
    verify "$game" KZvKX
done
verify_allowances darwinian KFvKF . E
verify_allowances darwinian KWvKW . R C RC
verify puzzle-hands KRvKA
verify grand-shatranj KPvKP
verify grand-shatranj-double KPvKP
verify "$(dirname "$0")/six.ini" KRPvKN # groups of blocks

[ "$failed" -eq 0 ] && echo "all agree" || echo "$failed failed"
[ "$failed" -eq 0 ]
