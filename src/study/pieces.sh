#!/bin/sh
# pieces.sh OUT PIECES.SVG - writes the symbols of pieces.svg into a C file, as study_pictures[] of
# study/diagram.h.  OUT appears only when it is whole.
set -eu

if [ $# -ne 2 ]; then
    echo "usage: pieces.sh OUT PIECES.SVG" >&2
    exit 2
fi
out=$1

trap 'rm -f "$out.tmp"' EXIT
awk '
BEGIN {
    print "/* Written by src/study/pieces.sh; do not edit. */"
    print "#include \"study/diagram.h\"\n"
    print "const struct study_picture study_pictures[] = {"
}
/^<symbol / {
    names = $0
    sub(/^.* class="/, "", names)
    sub(/".*$/, "", names)
    print "    {\n        \" " names " \","
    inside = 1
    next
}
/^<\/symbol>/ {
    print "    },"
    inside = 0
}
inside {
    gsub(/\\/, "&&")
    gsub(/"/, "\\\\&")
    print "        \"" $0 "\""
}
END {
    print "    { NULL, NULL },\n};"
}' "$2" > "$out.tmp"
mv "$out.tmp" "$out"
