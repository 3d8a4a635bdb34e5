#!/bin/sh
# Includes point down: core <- table <- {tb, probe} <- cli; tb and probe never meet.
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
flags=$(grep -rlE --include='*.c' -e '->(bare|stalemate|become)\b' -e '\.(bare|stalemate|become)\b' \
    src tb probe | grep -vE 'src/core/(rules|variant|explain|betza|fairy|terrain)\.c|src/table/material\.c' || true)
if [ -n "$flags" ]; then
    echo "floors: only src/core/rules.c asks what a rule flag means; see $flags" >&2
    fail=1
fi
[ $fail -eq 0 ] && echo "floors: includes point down"
exit $fail
