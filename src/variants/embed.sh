#!/bin/sh
# embed.sh OUT FILE.ini... - writes the games into a C file, as
# bk_embedded_variants[] of core/load.h.  The name of a game is the name of
# its file.  OUT appears only when it is whole.
set -eu

if [ $# -lt 2 ]; then
    echo "usage: embed.sh OUT FILE.ini..." >&2
    exit 2
fi
out=$1
shift

trap 'rm -f "$out.tmp"' EXIT
awk '
BEGIN {
    print "/* Written by src/variants/embed.sh; do not edit. */"
    print "#include \"core/load.h\"\n"
    print "const struct bk_embedded bk_embedded_variants[] = {"
}
FNR == 1 {
    if (NR > 1)
        print "    },"
    name = FILENAME
    sub(/^.*\//, "", name)
    sub(/\.ini$/, "", name)
    print "    {\n        \"" name "\","
}
{
    gsub(/\\/, "&&")
    gsub(/"/, "\\\\&")
    print "        \"" $0 "\\n\""
}
END {
    print "    },"
    print "    { NULL, NULL },\n};"
}' "$@" > "$out.tmp"
mv "$out.tmp" "$out"
