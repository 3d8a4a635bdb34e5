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

# == The rooms of tb ==
# Each may include those before it in this list, and itself; verify and whole stand beside them
# and see `memory` alone.
above="memory kernel solve encode build"
for room in $above; do
    above=${above#"$room"}
    above=${above# }
    if [ -n "$above" ]; then
        forbid "tb/$room" "tb/($(echo "$above" | tr ' ' '|'))"
    fi
done
for beside in verify whole; do
    forbid "tb/$beside.c" 'tb/(kernel|solve|encode|build)'
    forbid "tb/$beside.h" 'tb/(kernel|solve|encode|build)'
done
for source in tb/*/*.c; do # every X.c has its X.h
    if [ ! -f "${source%.c}.h" ]; then
        echo "floors: $source has no header of its own" >&2
        fail=1
    fi
done

# == Rule flags ==
flags=$(grep -rlE --include='*.c' -e '->(bare|stalemate|become)\b' -e '\.(bare|stalemate|become)\b' \
    src tb probe | grep -vE 'src/core/(rules|variant|explain|betza|fairy|terrain)\.c|src/table/material\.c' || true)
if [ -n "$flags" ]; then
    echo "floors: only src/core/rules.c asks what a rule flag means; see $flags" >&2
    fail=1
fi
[ $fail -eq 0 ] && echo "floors: includes point down"
exit $fail
