#!/bin/sh
# floors.sh - includes point down: core <- table <- {tb, probe} <- cli; tb and probe never meet.
# `make floors` calls it with the lists of files, lowest first, as CORE, TABLE and PROBE.
set -eu
cd "$(dirname "$0")/.."
fail=0
forbid() { # folder pattern
    if grep -nE "#include \"($2)/" -r "$1" --include='*.c' --include='*.h'; then
        echo "floors: $1 must not include $2" >&2
        fail=1
    fi
}
forbid src/core  'table|tb|probe|cli|tests'
forbid src/table 'tb|probe|cli|tests'
forbid tb        'probe|cli|tests'
forbid probe     'tb|cli|tests'
forbid src/cli   'tests'
# Within a folder, too: a file includes only those that stand before it in the Makefile.
in_order() { # folder, prefix of its includes, files from the lowest up
    folder=$1 prefix=$2 below=' '
    shift 2
    for file; do
        for parts in "$folder/$file".[ch]; do
            for include in $(sed -n "s|^#include \"$prefix/\([a-z_]*\)\.h\".*|\1|p" "$parts"); do
                case "$below$file " in *" $include "*) continue ;; esac
                echo "floors: $parts includes $include.h, which stands above it" >&2
                fail=1
            done
        done
        below="$below$file "
    done
}
in_order src/core core bits ${CORE:?run make floors}
in_order src/table table $TABLE
in_order probe probe bareking $PROBE
flags=$(grep -rlE --include='*.c' -e '->(bare|stalemate|become)\b' -e '\.(bare|stalemate|become)\b' \
    src tb probe | grep -vE 'src/core/(rules|check|number|keys|read|explain|fairy|terrain)\.c|src/table/material\.c' || true)
if [ -n "$flags" ]; then
    echo "floors: only src/core/rules.c asks what a rule flag means; see $flags" >&2
    fail=1
fi
[ $fail -eq 0 ] && echo "floors: includes point down"
exit $fail
