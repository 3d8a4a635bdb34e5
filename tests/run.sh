#!/bin/sh
# run.sh BUILD [all] - runs the test programs, side by side, and adds up: `N passed, N failed` is the last line.
# Before it stand what took longest, what was left out and why (that has not passed), and what failed.
#
# `script NAME COMMAND...` registers a program that is one test (job.sh says how it is judged), `counted` one that
# counts tests itself.  `alone` before it: nothing else runs meanwhile.  `in_all` before it: part of `make test-all` only.
#
# JOBS: how many at once (as many as there are cores); LIMIT: seconds for each (1800); ONLY='NAME...': these alone.
set -u
build=${1:?usage: run.sh BUILD [all]} all=${2-}
tests=$(dirname "$0")
. "$tests/scratch.sh"
jobs=${JOBS:-$(nproc 2>/dev/null || echo 1)}
# what test programs leave out else (docs/testing.md, Variables)
[ -z "$all" ] || export TEST_ALL=1 REF_SLOW=1 WHOLE_MINI=1 DAMAGE_ALL=1
mkdir "$tmp/job"
: >"$tmp/together"
: >"$tmp/alone"
# who is ended ends what runs
end_groups() {
    for group in "$tmp"/job/*/group; do
        [ ! -f "$group" ] || kill -TERM "-$(cat "$group")" 2>/dev/null
    done
}
at_end=end_groups

# == Registering ==
list=together
alone() {
    list=alone
    "$@"
    list=together
}
in_all() { [ -z "$all" ] || "$@"; }
program() { # kind, name, command...
    kind=$1 name=$2
    shift 2
    case " ${ONLY:-$name} " in *" $name "*) ;; *) return ;; esac
    mkdir "$tmp/job/$name" || exit 1 # no name twice
    echo "$kind" >"$tmp/job/$name/kind"
    for word; do printf "'%s' " "$(printf '%s\n' "$word" | sed "s/'/'\\\\''/g")"; done >"$tmp/job/$name/command"
    echo "$name" >>"$tmp/$list"
}
script() { program said "$@"; }
counted() { program counted "$@"; }

# == What is run == those first that take long: what is last runs by itself
counted cli sh "$tests/cli.sh" "$build/bareking"
for test in "$build"/tests/test_rules "$build"/tests/test_*; do
    [ -x "$test" ] && [ ! -d "$test" ] || continue
    name=${test##*/}
    case $name in *.o | *.d | *_fuzz) continue ;; esac
    [ -d "$tmp/job/$name" ] || program cmocka "$name" env CMOCKA_MESSAGE_OUTPUT=STDOUT "$test"
done
counted engine sh "$tests/engine.sh" "$build"
counted behind sh "$tests/behind.sh" "$build"
script inputs sh "$tests/fuzz/replay.sh" "$build"
script annotate sh "$tests/annotate.sh" "$build/bareking"
# and a game in which what did best before was a man's whose change is counted
script fuzz sh -c '"$0" 1 509403 && "$0" "$1"' "$build/tests/test_fuzz" $([ -n "$all" ] && echo 100 || echo 50)
script hostile sh "$tests/hostile.sh" "$build/bareking"
script soak "$build/soak" 50000
script explore sh "$tests/explore.sh" "$build"
script pull sh "$tests/pull.sh" "$build" $([ -n "$all" ] && echo 100 || echo 30)
script doors sh "$tests/doors.sh" "$build"
in_all alone script memory sh "$tests/memory.sh" "$build/bareking"
in_all script kill env CHECKPOINT=0.05 "GAME=$tests/six.ini" TABLE=KRPvKN OPTIONS="--threads 2" \
    sh "$tests/kill.sh" "$build/bareking" 10
if [ -z "${SAN-}" ]; then script starve sh "$tests/starve.sh" "$build" $([ -n "$all" ] && echo 5 || echo 25); fi
if [ -z "${SAN-}" ]; then in_all script mpi sh "$tests/mpi.sh" "$build"; fi
if [ -z "${SAN-}" ]; then in_all alone script mpi_plan sh "$tests/mpi_plan.sh" "$build"; fi
if [ -z "${SAN-}" ]; then in_all alone script mpi_tcp sh "$tests/mpi_tcp.sh" "$build"; fi
# documentation and packaging, in short: `make test-amalgamation`, `test-portable`, `test-python` with FULL=1 do more
if [ -z "${SAN-}" ]; then
    in_all script amalgamation sh "$tests/amalgamation.sh" "$build"
    in_all script portable env BUILD="$build" sh "$tests/portable.sh"
    script abi sh "$tests/abi.sh" "$build"
    script install sh "$tests/install.sh" "$build"
    script desktop sh "$tests/desktop.sh" "$build"
    script docs sh "$tests/docs.sh" "$build"
    in_all script reach sh "$tests/reach.sh" "$build"
    script makefile sh "$tests/makefile.sh"
    script runner sh "$tests/runner.sh"
    script examples sh "$tests/examples.sh" "$build"
    script python sh "$tests/python.sh" "$build"
fi

# == Running ==
# one line when a program ends, and the end of what a failed one said
report() { # name
    job=$tmp/job/$1
    read -r good bad took cpu <"$job/result"
    printf '%-20s%5d s  %s\n' "$1" "$took" "$(cat "$job/line")"
    [ "$bad" -eq 0 ] || { grep -A 5 FAILED "$job/log" | head -n 20; tail -n 40 "$job/log"; } | sed 's/^/    /'
}
run_jobs() { # list, how many at once
    [ -s "$tmp/$1" ] || return 0
    xargs -P "$2" -n 1 sh "$tests/job.sh" "${LIMIT:-1800}" "$tmp/job" <"$tmp/$1" | while read -r name; do report "$name"; done
}
run_jobs together "$jobs"
run_jobs alone 1

# == Adding up ==
passed=0 failed=0 failures=
for job in "$tmp"/job/*; do
    name=${job##*/}
    good=0 bad=1 took=0 cpu=0 # of one that has left no result
    [ ! -f "$job/result" ] || read -r good bad took cpu <"$job/result"
    passed=$((passed + good)) failed=$((failed + bad))
    [ "$bad" -eq 0 ] || failures="$failures $name"
    echo "$cpu $name $took" >>"$tmp/times"
    [ ! -s "$job/left" ] || sed "s|^|    $name: |" "$job/left" >>"$tmp/left"
done
echo 'seconds of CPU by program:'
LC_ALL=C sort -rn "$tmp/times" | head -n 80 | awk '{ printf "    %-20s%7.1f, %d s by the clock\n", $2, $1, $3 }'
[ ! -s "$tmp/left" ] || { echo 'left out, and not passed:' && cat "$tmp/left"; }
[ -z "$failures" ] || echo "failed:$failures"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
