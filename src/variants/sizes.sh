#!/bin/sh
# sizes.sh OUT FILE.tsv - writes the sizes of files that are known into a C file, as bk_known_games[] of
# tb/make/known.h.  OUT appears only when it is whole.
set -eu

if [ $# -ne 2 ]; then
    echo "usage: sizes.sh OUT FILE.tsv" >&2
    exit 2
fi
out=$1

trap 'rm -f "$out.tmp"' EXIT
awk -F '\t' '
BEGIN {
    print "/* Written by src/variants/sizes.sh; do not edit. */"
    print "#include \"tb/make/known.h\"\n"
    print "static const struct bk_known_table tables[] = {"
}
/^#/ { next }
$1 == "game" {
    id[++games] = $3
    first[games] = n + 0
    next
}
{
    printf "    { \"%s\", { %s, %s }, { %s, %s } },\n", $1, $2, $3, $4, $5
    n++
}
END {
    print "};\n\nconst struct bk_known_game bk_known_games[] = {"
    first[games + 1] = n + 0
    for (i = 1; i <= games; i++)
        printf "    { UINT64_C(%s), tables + %d, %d },\n", id[i], first[i], first[i + 1] - first[i]
    print "    { 0, 0, 0 },\n};"
}' "$2" > "$out.tmp"
mv "$out.tmp" "$out"
