#!/bin/sh
# embed.sh OUT FILE.ini... - writes the games into a C file, as the lists of
# core/embedded.h.  A game of ours has the name of its file; those in a folder
# `counted` come behind the others.  A file in a folder `fairy` has a game of
# Fairy-Stockfish in each section.  Those files come last.
# OUT appears only when it is whole.
set -eu

if [ $# -lt 2 ]; then
    echo "usage: embed.sh OUT FILE.ini..." >&2
    exit 2
fi
out=$1
shift

trap 'rm -f "$out.tmp"' EXIT
awk '
function end_game() {
    if (open)
        print "    },"
    open = 0
}
function end_list() {
    end_game()
    print "    " (fairy ? "{ NULL, NULL, NULL }" : "{ NULL, NULL }") ",\n};"
}
BEGIN {
    print "/* Written by src/variants/embed.sh; do not edit. */"
    print "#include \"core/embedded.h\"\n"
    print "const struct bk_embedded bk_embedded_variants[] = {"
}
FNR == 1 && FILENAME ~ /\/counted\// && !counted {
    end_list()
    counted = 1
    print "\nconst struct bk_embedded bk_embedded_counted[] = {"
}
FNR == 1 && FILENAME ~ /\/fairy\// && !fairy {
    end_list()
    fairy = 1
    print "\nconst struct bk_embedded_fairy bk_embedded_fairy[] = {"
}
FNR == 1 && !fairy {
    end_game()
    name = FILENAME
    sub(/^.*\//, "", name)
    sub(/\.ini$/, "", name)
    print "    {\n        \"" name "\","
    open = 1
}
fairy && /^\[/ {
    end_game()
    name = substr($0, 2, index($0, "]") - 2)
    base = "NULL"
    if (split(name, part, ":") == 2) {
        name = part[1]
        base = "\"" part[2] "\""
    }
    print "    {\n        \"" name "\",\n        " base ","
    open = 1
    next
}
open {
    gsub(/\\/, "&&")
    gsub(/"/, "\\\\&")
    print "        \"" $0 "\\n\""
}
END {
    end_list()
}' "$@" > "$out.tmp"
mv "$out.tmp" "$out"
