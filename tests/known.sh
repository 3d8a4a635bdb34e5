#!/bin/sh
# known.sh NORMAL FAST - writes the numbers of tb/make/known.h anew, from two folders of tables: with normal effort and fast.
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
out=$(dirname "$0")/../tb/make/known.h

size() { wc -c <"$1" | tr -d ' '; }

games=$(cd "$normal" && ls)
{
    sed '/clang-format off/q' "$out" # what the numbers are
    for game in $games; do
        echo
        echo "static const struct known_table known_$(echo "$game" | tr - _)[] = {"
        for file in "$normal/$game"/*.bkw; do
            name=$(basename "$file" .bkw)
            at=$game/$name
            printf '    { "%s", { %s, %s }, { %s, %s } },\n' "$name" "$(size "$file")" "$(size "$normal/$at.bkd")" \
                "$(size "$fast/$at.bkw")" "$(size "$fast/$at.bkd")"
        done
        echo '};'
    done
    echo
    echo 'static const struct known_game known_games[] = {'
    for game in $games; do
        set -- "$normal/$game"/*.bkw
        printf '    { UINT64_C(0x%s), %d, known_%s },\n' "$(od -An -tx8 -j16 -N8 "$1" | tr -d ' ')" $# \
            "$(echo "$game" | tr - _)"
    done
    echo '};'
    echo '/* clang-format on */'
    echo
    echo '#endif'
} >"$out.new"
mv "$out.new" "$out"
