#!/bin/sh
# gallery.sh BAREKING DIR OUT [GAME...] - writes OUT/gallery.md, and in OUT/gallery its pictures, and the tables that
# it shows a part of, as tab-separated values: longest.tsv, zugzwangs.tsv, four-men.tsv, two-against-one.tsv.
# Most of it is counted without tables, and kept in DIR/counted, so that what was stopped goes on: some six hours
# of one core and 17 GiB, all but an hour of it for two men against one on boards of a hundred squares; FIVE="shatranj
# puzzle sultan chess" counts these of as many games and leaves the others out (darwinian must be named).  The tables that it needs it
# builds in DIR where they are missing.
# Every figure there is an answer of the command; the games are those that are named.
set -eu
LC_ALL=C
export LC_ALL
bin=${1:?usage: gallery.sh BAREKING DIR OUT [GAME...]}
dir=${2:?usage: gallery.sh BAREKING DIR OUT [GAME...]}
out=${3:?usage: gallery.sh BAREKING DIR OUT [GAME...]}
shift 3
all='shatranj puzzle sultan chess darwinian grand-shatranj atlantean'
five=${FIVE-shatranj puzzle sultan chess grand-shatranj atlantean}
games=${*:-$all}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM
mkdir -p "$out/gallery"

ask() { # command, arguments: its answer
    command=$1
    shift
    "$bin" "$command" "$@" --dir "$dir"
}
picture() { # name, caption, game, FEN, options: an SVG, and the line that shows it
    name=$1 caption=$2 game=$3 fen=$4
    shift 4
    ask diagram "$game" "$fen" "$@" -o "$out/gallery/$name.svg"
    printf '\n![%s](gallery/%s.svg)\n' "$caption" "$name"
}
told() { # a command for people, and what it says
    printf '\n    $ bareking %s\n' "$1"
    sed 's/^/    /'
}

sister() { # game: one that differs in how it begins, or in men who come back
    case $1 in sultan) echo sultan-random ;; puzzle) echo puzzle-hands ;; esac
}

# == Counting ==
# DIR/counted/GAME.four, GAME.two: what `bareking count` says of four men, and of two men against one
names() { # game, four or two: the materials
    case $2 in
    four) men=4 wanted='K.vK.|K..vK' ;;
    two) men=5 wanted='K..vK.' ;;
    esac
    case $1.$2 in darwinian.two) wanted='K[NRBQPC][NRBQPC]vK.' ;; esac # with the others it is 3,167 billion positions
    ask plan "$1" --men $men --wdl --json | grep -o '"material":"[^"]*"' | cut -d '"' -f 4 | grep -Ex "$wanted"
}
counted() { # game, four or two: counts what is not there yet
    kept=$dir/counted/$1.$2
    touch "$kept"
    left=$(names "$1" "$2" | while read -r name; do grep -q "\"material\":\"$name\"" "$kept" || echo "$name"; done)
    # shellcheck disable=SC2046,SC2086
    [ -z "$left" ] || ask count "$1" $left $([ "$2" = four ] || echo --wdl) --json >>"$kept"
}
mkdir -p "$dir/counted"
two=
for game in $games; do
    for each in "$game" $(sister "$game"); do counted "$each" four; done
    case " $five " in *" $game "*) two="$two $game" ;; *) continue ;; esac
    counted "$game" two
done
tables() { # game: its materials of four men
    sed 's/.*"material":"\([^"]*\)".*/\1/' "$dir/counted/$1.four" | sort
}
totals() { # game, four or two: material; wins, draws and losses of all placements, White to move, then Black
    sed 's/.*"material":"\([^"]*\)".*"all":{\([^}]*\)}}.*"all":{\([^}]*\)}}}$/\1 \2 \3/' "$dir/counted/$1.$2" |
        sed 's/[^ ,]*://g; s/,/ /g' | sort
}
longest() { # game: plies; material; the position in which its longest win begins
    sed 's/.*"material":"\([^"]*\)","white".*"longest_win":\(.*\),"longest_loss".*"black".*"longest_win":\(.*\),"longest_loss".*/\1\t\2\t\3/' \
        "$dir/counted/$1.four" | awk -F '\t' '
        function plies(win) { return match(win, /"plies":[0-9]+/) ? substr(win, RSTART + 8, RLENGTH - 8) + 0 : 0 }
        {
            win = plies($3) > plies($2) ? $3 : $2
            fen = win; sub(/.*"fen":"/, "", fen); sub(/".*/, "", fen)
            if (plies(win)) printf "%d\t%s\t%s\n", plies(win), $1, fen
        }'
}
rates() { # from totals: the men of either side; how many per cent of all positions the first wins, and loses
    awk '{
        all = $2 + $3 + $4 + $5 + $6 + $7
        split($1, part, "v")
        print substr(part[1], 2), substr(part[2], 2), 100 * ($2 + $7) / all, 100 * ($4 + $5) / all
    }'
}
ask build shatranj --men 4 --quiet --effort fast
ask build shatranj KRNvKR --quiet --effort fast

# == Beginning ==
{
cat <<'TEXT'
# Gallery

What the tables say about old questions, and about games that nobody has studied yet. This page is made by
`make gallery` (`tests/gallery.sh`) from commands; every figure is an answer of theirs. `make gallery
GAMES="shatranj puzzle-hands"` asks about others. Distances are in plies; letters are those of each game
([rules.md](rules.md)), and what searches mean is said in [study.md](study.md). Longer tables than the page shows lie beside it:
[longest.tsv](gallery/longest.tsv), the sixteen longest wins of each game; [four-men.tsv](gallery/four-men.tsv) and
[two-against-one.tsv](gallery/two-against-one.tsv), per cent of placements that the men in the second column win and lose against the third.

## Al-Suli's Diamond
TEXT
diamond='8/8/8/3k4/8/1KQ5/8/q7 w - - 0 1'
picture diamond "al-Suli's Diamond" shatranj "$diamond" --arrow b3b4 --size 40
printf '\nWhite to move. Four first moves win:\n'
ask probe shatranj "$diamond" | sed -n '/^White wins/,$p' | sed '/^ *$/d' | head -n 9 |
    told "probe shatranj \"$diamond\""
cat <<'TEXT'

The same with White's ferz lifted: where he would have to stand, and in how many plies he then wins.
TEXT
picture diamond-map 'where the white ferz wins' shatranj "$diamond" --map c3 --size 40
cat <<'TEXT'

Murray (*A History of Chess*, 1913, no. 122) has the position one turn earlier, whose black ferz we have put
on a1. With White to move it is won "after three moves":
TEXT
earlier='8/8/8/8/4k3/1KQ5/8/q7'
ask probe shatranj "$earlier w" | sed -n '/^White wins/p' | told "probe shatranj \"$earlier w\""
printf '\nWith Black to move "nothing except" Kd5 holds out:\n'
ask probe shatranj "$earlier b" | sed -n "/^Black's moves/,\$p" | told "probe shatranj \"$earlier b\""
printf '\nThe Diamond is not the longest of its kind:\n'
ask mine shatranj KQvKQ --what longest --limit 1 --format epd |
    told 'mine shatranj KQvKQ --what longest --limit 1 --format epd'
printf '\nWhere both ferzes go on squares of one colour, and so can meet, the longest takes 53:\n'
one_colour="mine shatranj KQvKQ --what longest --where 'light(Q) = light(q)' --limit 1 --format epd"
ask mine shatranj KQvKQ --what longest --where 'light(Q) = light(q)' --limit 1 --format epd | told "$one_colour"

# == The rook trap ==
trap_fen='2r2k2/4R3/4Q1K1/8/8/8/8/8 w - - 0 1'
printf '\n## The rook trap\n'
ask build shatranj KRQvKR --quiet --effort fast
picture rook-trap 'the rook trap' shatranj "$trap_fen" --arrow e6d7 --size 40
printf '\nThe ferz steps back, and Black cannot save his rook. Two moves win:\n'
ask probe shatranj "$trap_fen" | sed -n '/^White wins/,$p' | sed '/^ *$/d' | head -n 5 |
    told "probe shatranj \"$trap_fen\""

ask line shatranj "$trap_fen" | told "line shatranj \"$trap_fen\""

# == The old masters' rules ==
cat <<'TEXT'

## The old masters' rules, tested

The masters of Baghdad left verdicts on endings, which Forbes (*The History of Chess*, 1860, p. 126 f.) and
Murray (1913) hand down. Here each is counted over all positions of its table in which nobody attacks
anybody, each class that symmetries make one once:

    bareking mine shatranj KRvKN --what any --count \
        --where 'not (attacked(K) or attacked(R) or attacked(k) or attacked(n))'

"First" is the side that is named first, or that the words name. Men: R rook, N knight, Q ferz, B alfil, P pawn.

| ending | the masters | first wins: to move | other to move | first loses: to move | other to move |
|---|---|---:|---:|---:|---:|
TEXT
rule() { # material, its men but kings, what the masters said, [condition, in words]
    quiet='not (attacked(K) or attacked(k)'
    for man in $2; do quiet="$quiet or attacked($man)"; done
    ask mine shatranj "$1" --what any --count --where "$quiet)${4:+ and $4}" >"$tmp/count"
    tr -d , <"$tmp/count" | awk -v name="$1${5:+, $5}" -v said="$3" -v swap="${6:-}" '
        { gsub(/:/, ""); all[NR] = $4; win[NR] = $5; loss[NR] = $9 }
        END {
            # line 1: White to move; White has the men named first, or (swap) Black
            if (swap)
                printf "| %s | %s | %.1f %% | %.1f %% | %.1f %% | %.1f %% |\n", name, said, 100 * win[2] / all[2],
                       100 * loss[1] / all[1], 100 * loss[2] / all[2], 100 * win[1] / all[1]
            else
                printf "| %s | %s | %.1f %% | %.1f %% | %.1f %% | %.1f %% |\n", name, said, 100 * win[1] / all[1],
                       100 * loss[2] / all[2], 100 * loss[1] / all[1], 100 * win[2] / all[2]
        }'
}
rule KQvKR 'Q r' 'the rook wins' '' 'of the rook' swap
rule KRvKB 'R b' 'the rook wins'
rule KRvKP 'R p' 'the rook wins'
rule KRvKN 'R n' 'drawn'
rule KQvKN 'Q n' 'drawn' '' 'of the knight' swap
rule KQvKN 'Q n' 'but won by the knight if the ferz is far from his king' 'edge(Q) = 0 and dist(K,Q) >= 4' \
    'of the knight, ferz on the rim and four or more from his king' swap
rule KQvKN 'Q n' '' 'dist(K,Q) <= 2' 'of the knight, ferz within two of his king' swap
rule KBvKN 'B n' 'the knight wins' '' 'of the knight' swap
rule KNvKP 'N p' 'the knight wins'
rule KQvKB 'Q b' 'drawn'
rule KBvKP 'B p' 'drawn'
rule KRNvKR 'R N r' 'drawn'
cat <<'TEXT'

So most verdicts stand. That the knight beats the alfil does not; and the exception for the ferz that is
far from his king is strikingly true.
TEXT

# == Longest wins ==
cat <<'TEXT'

## The longest wins of four men

Of each game the five tables with the longest wins of either side, with the position in which it begins. Materials of which one
side has a king alone are decided by rule in games where baring wins.

| game | material | plies | from |
|---|---|---:|---|
TEXT
alike() { # game, another: do all tables of the other tell the same?
    n=0 others=
    for name in $(tables "$1"); do
        n=$((n + 1))
        for each in "$1" "$2"; do
            grep "\"material\":\"$name\"" "$dir/counted/$each.four" | cut -d , -f 2- >"$tmp/$each"
        done
        cmp -s "$tmp/$1" "$tmp/$2" || others="$others $name"
    done
    [ -n "$others" ] && printf '\nTables of `%s` that tell something else:%s.\n' "$2" "$others" ||
        printf '\nThe %d tables of `%s` tell what those of `%s` do, counts and all.\n' $n "$2" "$1"
}
printf 'game\tmaterial\tplies\tfen\n' >"$out/gallery/longest.tsv"
for game in $games; do
    longest "$game" | sort -k 1,1nr -k 2,2r | head -n 16 | awk -F '\t' -v game="$game" '{ printf "%s\t%s\t%d\t%s\n", game, $2, $1, $3 }' >"$tmp/longest"
    cat "$tmp/longest" >>"$out/gallery/longest.tsv"
    head -n 5 "$tmp/longest" | awk -F '\t' '{ printf "| %s | %s | %d | `%s` |\n", NR == 1 ? "`" $1 "`" : "", $2, $3, $4 }'
done
for game in $games; do
    for other in $(sister "$game"); do alike "$game" "$other"; done
done

# == Zugzwangs ==
case " $games " in
*' grand-shatranj '*)
    cat <<'TEXT'

## Zugzwangs of Grand Shatranj

Of the tables of four men without pawns those with most placements in which it would be better not to move, and the
first of them. "Full": whoever moves loses. All are in [zugzwangs.tsv](gallery/zugzwangs.tsv).

| material | placements | full | one |
|---|---:|---:|---|
TEXT
    # shellcheck disable=SC2046
    ask build grand-shatranj $(tables grand-shatranj | grep -v P) --wdl --quiet --effort fast
    for name in $(tables grand-shatranj | grep -v P); do
        ask mine grand-shatranj "$name" --what zugzwang --format csv >"$tmp/zugzwang"
        awk -F, -v name="$name" '
            NR == 1 { next }
            { n++; one = one == "" ? $1 : one }
            $2 < 0 && $4 < 0 { full++; if (!whole++) one = $1 }
            END { printf "%s\t%d\t%d\t%s\n", name, n, full, one }' "$tmp/zugzwang"
    done >"$tmp/zugzwangs"
    { printf 'material\tplacements\tfull\tfen\n'; cat "$tmp/zugzwangs"; } >"$out/gallery/zugzwangs.tsv"
    sort -k 2,2nr -k 1,1 "$tmp/zugzwangs" | head -n 5 | awk -F '\t' '{ printf "| %s | %d | %d | `%s` |\n", $1, $2, $3, $4 }'
    ;;
esac

# == What men are worth ==
cat <<'TEXT'

## What men are worth against each other

King and the man of the row against king and the man of the column: of all placements, with either side to
move, how many per cent the side of the row wins / loses. Many of these are decided by a man that can be
taken at once; the difference is what tells. The other games are in [four-men.tsv](gallery/four-men.tsv).
TEXT
printf 'game\tmen\tagainst\twin\tloss\n' | tee "$out/gallery/four-men.tsv" >"$out/gallery/two-against-one.tsv"
listed() { # from rates: rows of a game
    awk -v game="$1" '{ printf "%s\t%s\t%s\t%.1f\t%.1f\n", game, $1, $2, $3, $4 }'
}
for game in $games; do
    totals "$game" four | rates >"$tmp/rates"
    listed "$game" <"$tmp/rates" >>"$out/gallery/four-men.tsv"
    case $game in puzzle | sultan | chess | darwinian) continue ;; esac # near one that is shown, or wide
    printf '\n### %s\n\n' "$game"
    awk '
        length($1) != 1 || length($2) != 1 { next }
        {
            win[$1 $2] = $3; loss[$1 $2] = $4
            win[$2 $1] = $4; loss[$2 $1] = $3
            if ($1 == $2) win[$1 $2] = loss[$1 $2] = ($3 + $4) / 2
            men[$1]; men[$2]
            value[$1] += $3 - $4; value[$2] += $4 - $3
        }
        END {
            for (m in men) order[++n] = m
            for (i = 1; i <= n; i++)
                for (j = i + 1; j <= n; j++)
                    if (value[order[j]] > value[order[i]]) { t = order[i]; order[i] = order[j]; order[j] = t }
            line = "| |"; rule = "|---|"
            for (i = 1; i <= n; i++) { line = line " " order[i] " |"; rule = rule "---:|" }
            print line; print rule
            for (i = 1; i <= n; i++) {
                line = "| **" order[i] "** |"
                for (j = 1; j <= n; j++)
                    line = line (j >= i && (order[i] order[j]) in win ? sprintf(" %.1f / %.1f |", win[order[i] order[j]], loss[order[i] order[j]]) : " |")
                print line
            }
        }' "$tmp/rates"
done

# == What two men are worth ==
if [ -n "$two" ]; then
    cat <<'TEXT'

## Two men against one

King and the two men of the row against king and the man of the column, counted likewise: how many per cent of all
placements the two win / lose. Nothing of it needs a table: `bareking count` solves what it is asked for in memory. The
other games are in [two-against-one.tsv](gallery/two-against-one.tsv).
TEXT
fi
for game in $two; do # of darwinian, two men who do not evolve, or pawns, against each man
    totals "$game" two | rates | awk 'length($2) == 1' | listed "$game" >>"$out/gallery/two-against-one.tsv"
    [ "$game" = shatranj ] || continue
    printf '\n### %s, two against one\n\n' "$game"
    { totals "$game" two; totals "$game" four; } | rates | awk '
        length($2) != 1 { next }
        length($1) == 1 { # of one man: what men are worth orders the columns
            if ($1 == $2) $3 = $4 = ($3 + $4) / 2
            if (!($1 in worth)) men[++nmen] = $1
            worth[$1] += $3 - $4
            if (!($2 in worth)) men[++nmen] = $2
            worth[$2] += $4 - $3
            next
        }
        {
            win[$1 $2] = $3; loss[$1 $2] = $4
            if (!seen[$1]++) rows[++nrows] = $1
            columns[$2]++
        }
        function sort(list, n, value,   i, j, t) {
            for (i = 1; i <= n; i++)
                for (j = i + 1; j <= n; j++)
                    if (value[list[j]] > value[list[i]]) { t = list[i]; list[i] = list[j]; list[j] = t }
        }
        function cell(two, man) {
            return (two man) in win ? sprintf(" %.1f / %.1f |", win[two man], loss[two man]) : " |"
        }
        function show(   line, rule, i, j) {
            line = "| |"; rule = "|---|"
            for (i = 1; i <= nmen; i++)
                if (columns[men[i]]) { line = line " " men[i] " |"; rule = rule "---:|" }
            print line; print rule
            for (i = 1; i <= nrows; i++) {
                line = "| **" rows[i] "** |"
                for (j = 1; j <= nmen; j++)
                    if (columns[men[j]]) line = line cell(rows[i], men[j])
                print line
            }
        }
        END {
            sort(men, nmen, worth)
            for (i = 1; i <= nrows; i++)
                for (j = 1; j <= nmen; j++)
                    if (columns[men[j]] == nrows) sum[rows[i]] += win[rows[i] men[j]] - loss[rows[i] men[j]]
            sort(rows, nrows, sum)
            show()
        }'
done

# == What a corner is worth ==
case " $two " in
*' puzzle '*)
    cat <<'TEXT'

## What a corner is worth

The masters call rook and knight against rook drawn, and so it mostly is. On John Smith's board of Puzzle Shatranj,
which lacks the four squares of a corner, rook and knight win. King, rook and knight go as in Shatranj, and the bare
king and stalemate lose there, too: without drops (`puzzle` is the reduced game) nothing else differs.
TEXT
    for game in shatranj puzzle; do
        ask build "$game" KRNvKR --quiet --effort fast
        ask stats "$game" KRNvKR | sed -n '/^White to move/,/longest win/p' | told "stats $game KRNvKR"
    done
    longest=$(ask stats puzzle KRNvKR | sed -n 's/.*longest win.*: //p' | head -n 1)
    picture corner 'the longest win of rook and knight against rook' puzzle "$longest" --size 40
    ;;
esac
} >"$tmp/gallery.md"
cp "$tmp/gallery.md" "$out/gallery.md"
