#!/bin/sh
# known.sh NORMAL FAST - writes src/variants/sizes.tsv anew, from two folders of tables: with normal effort and fast.
#
# Both have all tables with distances, not standalone, and of the rules that the games have now:
#
#   for game in $(bareking variants | awk '!NF { exit } { print $1 }'); do
#       bareking build $game --men 4 --dir NORMAL && bareking build $game --men 4 --dir FAST --effort fast
#   done
#   bareking build shatranj --men 5 --dir NORMAL && bareking build shatranj --men 5 --dir FAST --effort fast
#
# More than these, here seven of chess of five men (those of peer_sizes.tsv), is as good.
set -eu
normal=${1:?usage: known.sh NORMAL FAST}
fast=${2:?usage: known.sh NORMAL FAST}
out=$(dirname "$0")/../src/variants/sizes.tsv

size() { wc -c <"$1" | tr -d ' '; }

{
    grep '^#' "$out" # what the numbers are
    for game in $(cd "$normal" && ls); do
        set -- "$normal/$game"/*.bkw
        printf 'game\t%s\t0x%s\n' "$game" "$(od -An -tx8 -j16 -N8 "$1" | tr -d ' ')"
        for file; do
            at=$game/$(basename "$file" .bkw)
            printf '%s\t%s\t%s\t%s\t%s\n' "$(basename "$file" .bkw)" "$(size "$file")" "$(size "$normal/$at.bkd")" \
                "$(size "$fast/$at.bkw")" "$(size "$fast/$at.bkd")"
        done
    done
} >"$out.new"
mv "$out.new" "$out"
