#!/bin/sh
# run.sh BUILD - runs every test program, then adds up: `N passed, N failed`.
set -u
build=${1:?usage: run.sh BUILD}
tests=$(dirname "$0")
. "$tests/scratch.sh"
log=$tmp/log
passed=0
failed=0
left_out=

add() { # passed failed
    passed=$((passed + $1))
    failed=$((failed + $2))
}

for test in "$build"/tests/test_*; do
    [ -x "$test" ] && [ ! -d "$test" ] || continue
    case $test in *.o | *.d | *_fuzz) continue ;; esac
    printf '%-24s' "$(basename "$test")"
    CMOCKA_MESSAGE_OUTPUT=STDOUT "$test" >"$log" 2>&1
    status=$?
    good=$(grep -c '^\[       OK \]' "$log")
    bad=$(grep -c '^\[  FAILED  \] [^0-9]*[a-z_]' "$log")
    # a program that ends well and tests nothing has not been a test
    if [ "$good" -eq 0 ]; then status=1; fi
    if [ $status -ne 0 ] && [ "$bad" -eq 0 ]; then bad=1; fi
    if [ $status -eq 0 ]; then bad=0; fi
    echo "$good passed, $bad failed"
    [ $status -eq 0 ] || tail -n 40 "$log"
    add "$good" "$bad"
done

printf '%-24s' fuzz
# and a game in which what did best before was a man's whose change is counted
if "$build/tests/test_fuzz" 1 509403 >"$log" 2>&1 && "$build/tests/test_fuzz" 100 >"$log" 2>&1; then
    tail -n 1 "$log"
    add 1 0
else
    echo failed
    tail -n 40 "$log"
    add 0 1
fi

printf '%-24s' cli
sh "$tests/cli.sh" "$build/bareking" >"$log" 2>&1
status=$?
tail -n 1 "$log"
counts=$(tail -n 1 "$log" | sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p')
[ -n "$counts" ] || counts="0 1"
# shellcheck disable=SC2086
add $counts
[ $status -eq 0 ] || grep -A 5 FAILED "$log" | head -n 40

script() { # name command...: one more test, whose last line says how it went
    name=$1
    shift
    printf '%-24s' "$name"
    if "$@" >"$log" 2>&1; then
        tail -n 1 "$log"
        # what could not be tried has not passed
        case $(tail -n 1 "$log") in
        'not tried:'* | 'left out:'* | *'; left out' | *'; nothing compared') left_out="$left_out $name" ;;
        *) add 1 0 ;;
        esac
    else
        echo failed
        tail -n 40 "$log"
        add 0 1
    fi
}

script inputs sh "$tests/fuzz/replay.sh" "$build"
script hostile sh "$tests/hostile.sh" "$build/bareking"
script memory sh "$tests/memory.sh" "$build/bareking"
script kill env CHECKPOINT=0.05 "GAME=$tests/six.ini" TABLE=KRPvKN OPTIONS="--threads 2" \
    sh "$tests/kill.sh" "$build/bareking" 10
if [ -z "${SAN-}" ]; then script starve sh "$tests/starve.sh" "$build" 5; fi
if [ -z "${SAN-}" ]; then script mpi sh "$tests/mpi.sh" "$build"; fi
if [ -z "${SAN-}" ]; then script mpi_plan sh "$tests/mpi_plan.sh" "$build"; fi
if [ -z "${SAN-}" ]; then script mpi_tcp sh "$tests/mpi_tcp.sh" "$build"; fi
script soak "$build/soak" 50000
script engine sh "$tests/engine.sh" "$build"
script explore sh "$tests/explore.sh" "$build"
script doors sh "$tests/doors.sh" "$build"
# documentation and packaging, in short: `make test-amalgamation`, `test-portable`, `test-python` with FULL=1 do more
if [ -z "${SAN-}" ]; then
    script amalgamation sh "$tests/amalgamation.sh" "$build"
    script portable "${MAKE:-make}" -s BUILD="$build" test-portable
    script abi sh "$tests/abi.sh" "$build"
    script install sh "$tests/install.sh" "$build"
    script docs sh "$tests/docs.sh" "$build"
    script makefile sh "$tests/makefile.sh"
    script examples sh "$tests/examples.sh" "$build"
    script python sh "$tests/python.sh" "$build"
fi

[ -z "$left_out" ] || echo "left out:$left_out"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
