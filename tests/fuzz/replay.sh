#!/bin/sh
# replay.sh BUILD - the corpora of the fuzz targets, and changes of them that are always the same.
# Games of src/variants belong to the corpus of variant files.  Last line: how many inputs.
set -eu
build=${1:?usage: replay.sh BUILD}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../scratch.sh"
log=$tmp/log
TMPDIR=$tmp # what a target that is ended leaves goes with it
export TMPDIR
all=0
for target in "$build"/fuzz/replay_*; do
    case $target in *.d | *.o) continue ;; esac
    name=${target##*replay_}
    changes=200
    set -- "$here/corpus/$name"/*
    case $name in
    variant) changes=40; set -- "$@" "$here"/../../src/variants/*.ini "$here"/../../src/variants/counted/*.ini ;;
    checkpoint) changes=20 ;;
    esac
    if ! timeout 120 "$target" "$changes" "$@" 2>"$log" >/dev/null; then
        echo "inputs: $name failed"
        tail -n 20 "$log"
        exit 1
    fi
    all=$((all + $(sed -n '$s/ inputs$//p' "$log")))
done
echo "inputs: $all, nothing found"
