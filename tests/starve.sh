#!/bin/sh
# starve.sh BUILD [STEP] - the command and the engine without memory.
#
# Of a list of commands each allocation, or every STEPth, is refused: it alone, then it with all
# after it.  A command then ends with status 4 and says that memory is what it lacks; or with the
# status and the answer that it has with memory.  A build that goes on from a checkpoint does not
# pass it over.  (The library: tests/test_memory.c.)
set -u
LC_ALL=C
export LC_ALL
unset BAREKING_DIR
build=$(cd "${1:?usage: starve.sh BUILD [STEP]}" && pwd)
step=${2:-1}
. "$(dirname "$0")/scratch.sh"
bin=$build/bareking
cd "$tmp" || exit 1
fen='8/8/8/3k4/8/8/1R6/K6n w - - 0 1'
refused=0 commands=0

die() {
    echo "starve: $1"
    head -n 5 out err
    exit 1
}

fresh() { rm -rf at; cp -r "$1" at; }

# Times and speeds are not the same twice.
plain() { sed -E 's/[0-9.]+ (ms|s)\b//g; s/ in [0-9]+(:[0-9]+)+//g; s/(nps|time|nodes|hashfull) [0-9]+//g; s/"[a-z_]*(cpu|wall|seconds)[a-z_]*":[0-9.e-]+//g' "$1"; }

begin() { # folder command...
    folder=$1
    shift
    commands=$((commands + 1))
    fresh "$folder"
    LD_PRELOAD=$build/starve.so STARVE_COUNT=$tmp/count "$@" <in >out 2>err || die "$*: status $?"
    plain out >want
    ! grep -qE 'by rule|nothing to' out err || die "$*: nothing was done"
    n=$(cat count)
    [ "$n" -gt 10 ] || die "$*: $n allocations"
}

# An engine does its best: it moves, or says what is wrong.  A plan tells what it could not read.
same() {
    plain out | cmp -s - want ||
        grep -qE '^bestmove [a-z]|^info string error|could not be read just now|"refused":"[^"]*memory' out
}

# The status is 4, and why is said; or all is as it should be.
judge() { # nth command...
    nth=$1
    shift
    refused=$((refused + 1))
    case $status in
    0) same || die "$*, allocation $nth: another answer" ;;
    4) cat out err | grep -qE 'memory|Cannot allocate|could not be read just now' || die "$*, allocation $nth: not said why" ;;
    *) die "$*, allocation $nth: status $status" ;;
    esac
}

each_refused() { # folder command...
    begin "$@"
    shift
    for all in '' STARVE_ALL=1; do
        i=$((commands % step))
        while [ "$i" -lt "$n" ]; do
            fresh "$folder"
            status=0
            # one word, or none
            # shellcheck disable=SC2086
            env LD_PRELOAD="$build/starve.so" STARVE_AT="$i" $all "$@" <in >out 2>err || status=$?
            judge "$i" "$@"
            i=$((i + step))
        done
    done
}

: >in
"$bin" build shatranj KRvKN --dir tables --quiet || die 'no tables'
"$bin" build puzzle-mini KRvKN --dir small --quiet || die 'no tables'
printf '[Variant "shatranj"]\n[FEN "%s"]\n\n1. Rb4 Ng3 2. Rb5+ *\n' "$fen" >game.pgn

each_refused tables "$bin" probe shatranj "$fen" --dir at
each_refused tables "$bin" probe shatranj "$fen" --dir at --json
each_refused tables "$bin" line shatranj "$fen" --dir at --json
each_refused small "$bin" stats puzzle-mini KRvKN --dir at --json
each_refused small "$bin" count puzzle-mini KRvKN --dir at --json
each_refused tables "$bin" annotate shatranj game.pgn --dir at
each_refused tables "$bin" check shatranj --dir at
each_refused tables "$bin" doctor at --json
each_refused tables "$bin" manifest at
each_refused tables "$bin" manifest at --json
"$bin" manifest tables >list
each_refused tables "$bin" manifest at list --json
mkdir bare
each_refused tables "$bin" needs shatranj KRvKN --json
each_refused bare "$bin" pull tables shatranj KRvKN --dir at --threads 1 --json
each_refused bare "$bin" push at shatranj KRvKN --dir tables --threads 1
each_refused small "$bin" mine puzzle-mini KRvKN --what longest --dir at --threads 1 --json
each_refused tables "$bin" info at/shatranj/KRvKN.bkw --json
each_refused small "$bin" verify puzzle-mini KRvKN --dir at --threads 1
each_refused tables "$bin" plan shatranj KRvKN --dir at --json
each_refused tables "$bin" plan shatranj KRvKN --dir nowhere
each_refused tables "$bin" diagram shatranj "$fen"
each_refused small "$bin" repack puzzle-mini KRvKN --effort fast --dir at --threads 1
each_refused small "$bin" build puzzle-mini KFvKN --dir at --threads 1
echo "$fen" >in
each_refused tables "$bin" probe shatranj - --dir at --json
cat >in <<END
uci
setoption name TablePath value at
setoption name UCI_Variant value shatranj
position fen $fen
go depth 2
quit
END
each_refused tables "$build/bareking-engine"
: >in

# a build that was killed, with a checkpoint of its work
try=0
until [ -s killed/shatranj/.KQvKN.ckpt ]; do
    try=$((try + 1))
    [ $try -lt 60 ] || die 'no checkpoint'
    rm -rf killed
    cp -r tables killed
    BAREKING_CHECKPOINT=0.01 timeout -s KILL "0.$((10 + try))" \
        "$bin" build shatranj KQvKN --dir killed --threads 1 --quiet 2>/dev/null
done
goes_on="$bin build shatranj KQvKN --dir at --threads 1 --quiet"
# until long after the last refusal that kept it from reading the checkpoint
i=0 kept=0 end=1500
while [ $i -lt $end ]; do
    fresh killed
    status=0
    # shellcheck disable=SC2086
    timeout -s KILL 5 env LD_PRELOAD="$build/starve.so" STARVE_AT=$i $goes_on >out 2>err || status=$?
    refused=$((refused + 1))
    if grep -q 'without it' err; then die "allocation $i: a good checkpoint is not used"; fi
    case $status in
    0) ;;
    4)
        grep -qE 'memory|Cannot allocate|could not be read just now' err || die "going on, allocation $i: not said why"
        [ -s at/shatranj/.KQvKN.ckpt ] || die "going on, allocation $i: the checkpoint is gone"
        if grep -q 'cannot go on' err; then kept=$((kept + 1)) end=$((i + 150)); fi
        ;;
    *) die "going on, allocation $i: status $status" ;;
    esac
    i=$((i + step))
done
[ $kept -gt 0 ] || die 'the checkpoint was never read'
echo "starve: $commands commands and a build that goes on from a checkpoint ($kept times it could not read it), $refused allocations refused"
