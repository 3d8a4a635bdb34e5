#!/bin/sh
# pages.sh BAREKING OUT - makes the man pages into the folder OUT, from what the command and its sources
# say.  VERSION and EPOCH (seconds) stand in each page's footer.
set -eu
bareking=$1 out=$2
man=$(dirname "$0")
date=$(date -u -d "@$EPOCH" +%F)
rm -rf "$out"
mkdir -p "$out"

commands() { "$bareking" help | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p' | grep -vx help; }
what() { "$bareking" help | sed -n "s/^  $1  *//p"; } # of a command
linked="variant-files.md=bareking-variant(5) format.md=bareking-table(5) study.md=bareking-study(7) bareking.h=libbareking(3)"
page() { # name section: Markdown to the page
    awk -f "$man/to_man.awk" -v page="$1" -v section="$2" -v date="$date" -v version="$VERSION" \
        -v pages="$linked" >"$out/$1.$2"
}
see() { # pages
    printf '\n# See also\n\n'
    for other; do
        printf '%s\n' "**${other%(*}**(${other#*(}"
    done | sed '$!s/$/,/'
}

for command in $(commands); do
    name=bareking-$command
    {
        "$bareking" "$command" --help | awk -f "$man/help.awk" -v page="$name" -v what="$(what "$command")"
        see "bareking(1)" "bareking-variant(5)" "bareking-table(5)"
    } | page "$name" 1
done
{
    "$bareking-engine" --help | awk -f "$man/help.awk" -v page=bareking-engine -v what="plays from endgame tables, by UCI or CECP"
    see "bareking(1)" "bareking-variant(5)"
} | page bareking-engine 1
{
    "$bareking" help | awk -f "$man/help.awk" -v page=bareking \
        -v what="$("$bareking" help | sed -n '1s/^bareking - //p')"
    printf '\n# Games\n\n'
    "$bareking" variants | awk '{ name = $1; sub(/^[^ ]+ +/, ""); print "**" name "**\n: " $0 "\n" }'
    see "bareking-engine(1)" "libbareking(3)" "bareking-variant(5)" "bareking-table(5)" "bareking-study(7)"
} | page bareking 1

{
    awk -f "$man/header.awk" -v what="$(sed -n '2s/.*libbareking: //p' probe/bareking.h | sed 's/\.$//')" \
        probe/bareking.h
    printf '\n# Example\n\n```\n'
    cat probe/example.c
    printf '```\n'
    see "bareking(1)" "bareking-variant(5)"
} | page libbareking 3

# each function by its name
tr '\n' ' ' <probe/bareking.h | grep -o 'BK_API [^;()]*bk_[a-z0-9_]*(' | sed 's/.*[ *]\(bk_[a-z0-9_]*\)($/\1/' | sort -u |
    while read -r function; do echo '.so man3/libbareking.3' >"$out/$function.3"; done

document() { # name, section, what, file: its first heading gives way to ours
    {
        printf '# Name\n\n%s - %s\n\n# Description\n\n' "$1" "$3"
        sed 1d "$4"
        see "bareking(1)" "libbareking(3)"
    } | page "$1" "$2"
}
document bareking-variant 5 "a game of bareking as a file" docs/variant-files.md
document bareking-table 5 "a file of an endgame table" docs/format.md
document bareking-study 7 "what its searches, maps and reports mean" docs/study.md
