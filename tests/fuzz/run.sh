#!/bin/sh
# run.sh BUILD MINUTES TARGET... - lets each fuzz target run, one after the other, from its corpus and
# what earlier runs kept in BUILD/corpus.  A failing input stays in BUILD/found.
set -eu
build=$(cd "${1:?usage: run.sh BUILD MINUTES TARGET...}" && pwd)
minutes=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../scratch.sh"
TMPDIR=$tmp # what a target that is ended leaves goes with it
# clang 14 with its address sanitizer makes wrong code of tb/encode/eliminate_gfni.c (clang without it, and
# gcc with it, do not): what reads is to be tried here, not the kernels
BAREKING_KERNEL=${BAREKING_KERNEL:-avx2}
export TMPDIR BAREKING_KERNEL
found=0
mkdir -p "$build/found"
for name in "$@"; do
    kept=$build/corpus/$name
    mkdir -p "$kept"
    set -- "$kept" "$here/corpus/$name"
    [ "$name" != variant ] || set -- "$@" "$here/../../src/variants"
    if "$build/fuzz/fuzz_$name" -max_total_time=$((60 * minutes)) -timeout=10 -rss_limit_mb=2048 \
        -max_len=16384 -close_fd_mask=3 -dict="$here/$name.dict" -artifact_prefix="$build/found/$name-" \
        -print_final_stats=1 "$@" >"$build/$name.log" 2>&1; then
        runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$name.log")
        echo "$name: $runs inputs, nothing found"
    else
        echo "$name: found something:"
        grep -E 'ERROR|SUMMARY|runtime error|not so|Test unit' "$build/$name.log" | head -n 5
        found=1
    fi
done
exit $found
