#!/bin/sh
# bench_files.sh BUILD [DIR] - bytes of the files of a list of tables beside another generator's.
#
# Builds every table of peer_sizes.tsv with distances (in DIR, kept, or in a folder that goes) and
# prints a line each, then sums.  Ratios are ours / the peer's: wdl against its wdl, and wdl and
# exact distances together against its wdl and rounded dtz.  EFFORT=fast, normal or best;
# GAMES="shatranj chess"; ONLY=a pattern of materials (grep -E).  Bytes are exact; CPU seconds are
# of the whole build of a game, sub-tables that the list does not name included.
set -eu
build=${1:?usage: bench_files.sh BUILD [DIR]}
list=$(dirname "$0")/peer_sizes.tsv
effort=${EFFORT:-normal}
. "$(dirname "$0")/scratch.sh"
dir=${2:-$tmp}

for game in ${GAMES:-shatranj chess}; do
    tables=$(awk -F'\t' -v g="$game" '$1 == g { print $2 }' "$list" | grep -E "${ONLY:-.}")
    # shellcheck disable=SC2086
    /usr/bin/time -f '%U %S %M' -o "$dir.time" \
        "$build/bareking" build "$game" $tables --effort "$effort" --dir "$dir" --quiet \
        ${THREADS:+--threads "$THREADS"}
    awk -v g="$game" '{ printf "%s: %.1f CPU s, %d MB\n", g, $1 + $2, $3 / 1024 }' "$dir.time"
    rm -f "$dir.time"
    for t in $tables; do
        for kind in bkw bkd; do
            if [ -f "$dir/$game/$t.$kind" ]; then
                stat -c %s "$dir/$game/$t.$kind"
            else
                echo 0 # decided by rule, or one of two kinds
            fi
        done | paste - - | sed "s/^/$game	$t	/"
    done
done >"$dir.ours"

grep 'CPU s' "$dir.ours"
awk -F'\t' '
    function ratio(a, b) { return b > 0 ? sprintf("%.3f", a / b) : "-" }
    function add(group, w, d, pw, pd) {
        n[group]++; all[group] += w + d
        if (pw > 0) { nw[group]++; ours[group] += w; peer[group] += pw }
        if (pw > 0 && pd > 0) { nb[group]++; both[group] += w + d; pboth[group] += pw + pd }
    }
    FNR == NR { if ($3 ~ /^(full|w|g)$/) { pw[$1, $2] = $4; pd[$1, $2] = $5 } next }
    NF < 4 { next }
    !header++ { printf "%-9s %-8s %11s %11s %7s %12s %12s %7s\n", "game", "table", "wdl", "peer wdl", "ratio",
                       "wdl + dtw", "peer + dtz", "ratio" }
    {
        p = pw[$1, $2]; q = pd[$1, $2]
        printf("%-9s %-8s %11d %11s %7s %12d %12s %7s\n", $1, $2, $3, (p > 0 ? p : "-"), ratio($3, p),
               $3 + $4, (p > 0 && q > 0 ? p + q : "-"), ratio($3 + $4, (p > 0 && q > 0 ? p + q : 0)))
        men = length($2) - 1
        add($1 " " men " men", $3, $4, p, q)
        add($1 " all", $3, $4, p, q)
        if ($1 == "chess" || men == 5)
            add("chess, shatranj 5", $3, $4, p, q)
    }
    END {
        printf "\n%-17s %7s %13s %13s %7s   %7s %13s %13s %7s   %13s\n", "sums", "tables", "wdl", "peer wdl",
               "ratio", "tables", "wdl + dtw", "peer + dtz", "ratio", "all bytes"
        for (g in n)
            printf "%-17s %7d %13.0f %13.0f %7s   %7d %13.0f %13.0f %7s   %13.0f\n", g, nw[g], ours[g], peer[g],
                   ratio(ours[g], peer[g]), nb[g], both[g], pboth[g], ratio(both[g], pboth[g]), all[g] | "sort"
    }' "$list" "$dir.ours"
rm -f "$dir.ours"
