#!/bin/sh
# disk.sh BAREKING DIR [GAME...] - what `plan` would have guessed of the files under DIR, and the truth.
#
# By class, as in tb/make/disk.c: game, kind, men, how many of them are pawns (the game's letter P).
# The last column is truth by guess: what the class' constant in disk.c would have to be multiplied
# by to be right for this folder.  The last lines have the sums of each game: those that count.
set -eu
bin=${1:?usage: disk.sh BAREKING DIR [GAME...]}
dir=${2:?usage: disk.sh BAREKING DIR [GAME...]}
shift 2
[ $# -gt 0 ] || set -- $(cd "$dir" && ls)
for game; do
    names=$(cd "$dir/$game" && ls | sed -n 's/\.bkw$//p')
    # names are words
    # shellcheck disable=SC2086
    "$bin" plan "$game" $names --dir "$dir" --json | tr '{' '\n' |
        sed -n 's/^"material":"\([^"]*\)".*"guess_wdl_bytes":\([0-9]*\),"guess_dtw_bytes":\([0-9]*\).*/\1 \2 \3/p' |
        while read -r name wdl dtw; do
            for kind in w:$wdl d:$dtw; do
                file=$dir/$game/$name.bk${kind%%:*}
                [ ! -f "$file" ] || echo "$game ${kind%%:*} $name ${kind#*:} $(wc -c <"$file")"
            done
        done
done | awk '
    {
        name = $3
        sub(/\+.*/, "", name)
        sub(/\[.*/, "", name)
        men = length(name) - 1
        pawns = gsub(/P/, "P", name)
        class = $1 " " ($2 == "w" ? "results  " : "distances") " " men " men " (pawns > 2 ? 2 : pawns) " pawns"
        n[class]++; guess[class] += $4; truth[class] += $5
        class = "~" $1 " in all"
        n[class] += $2 == "w"; guess[class] += $4; truth[class] += $5
    }
    END {
        for (class in n)
            printf "%-44s %4d %14.0f guessed %14.0f true %+7.1f %%  x %.3f\n", class, n[class], guess[class],
                   truth[class], 100 * (guess[class] / truth[class] - 1), truth[class] / guess[class]
    }' | sort | sed 's/^~/ /'
