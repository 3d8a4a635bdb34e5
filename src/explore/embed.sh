#!/bin/sh
# embed.sh OUT FILE... - writes the files of the page into a C file, as ex_pages[] of
# explore/pages.h.  The name of a page is the name of its file.  OUT appears only when it is whole.
set -eu

if [ $# -lt 2 ]; then
    echo "usage: embed.sh OUT FILE..." >&2
    exit 2
fi
out=$1
shift

trap 'rm -f "$out.tmp"' EXIT
{
    echo '/* Written by src/explore/embed.sh; do not edit. */'
    echo '#include "explore/pages.h"'
    n=0
    for file; do
        n=$((n + 1))
        printf '\nstatic const unsigned char page%d[] = {\n' $n
        od -An -v -tu1 "$file" | sed 's/  *\([0-9][0-9]*\)/\1,/g'
        echo '};'
    done
    printf '\nconst struct ex_page ex_pages[] = {\n'
    n=0
    for file; do
        n=$((n + 1))
        printf '    { "%s", page%d, sizeof page%d },\n' "$(basename "$file")" $n $n
    done
    printf '    { NULL, NULL, 0 },\n};\n'
} >"$out.tmp"
mv "$out.tmp" "$out"
