#!/bin/sh
# abi.sh BUILD [LIBRARY] - compares the binary interface of libbareking.so with that of the last release, with
# abidiff (abigail-tools).  LIBRARY is that release's libbareking.so, not stripped; else the last tag vX.Y.Z of
# git before this version is built.  Additions are fine; anything else fails unless the SONAME is another.
set -eu
build=$(realpath "${1:?usage: abi.sh BUILD [LIBRARY]}")
old=${2-}
version() { sed -n 's/^#define BK_LIB_VERSION \(0x[0-9a-f]*\).*/\1/p' "$1/probe/bareking.h"; }
command -v abidiff >/dev/null || { echo "not tried: abidiff is not there (apt-get install abigail-tools)"; exit 0; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM
if [ -z "$old" ]; then
    tag=$(git tag --list 'v[0-9]*' --sort=-version:refname --merged HEAD^ 2>/dev/null | head -n 1)
    if [ -z "$tag" ]; then
        echo "no release yet: no tag v* of git to compare with"
        exit 0
    fi
    mkdir "$tmp/tree"
    git archive "$tag" | tar -C "$tmp/tree" -xf -
    (cd "$tmp/tree" && env -u MAKEFLAGS make -s BUILD=build build/libbareking.so) >"$tmp/log" 2>&1 ||
        { tail -n 20 "$tmp/log"; echo "FAILED: $tag does not build"; exit 1; }
    old=$tmp/tree/build/libbareking.so
    [ "$(version "$tmp/tree")" != "$(version .)" ] || echo "note: this is version $tag still"
else
    tag=$old
fi
status=0
abidiff --no-added-syms --headers-dir2 probe "$old" "$build/libbareking.so" || status=$?
# bit 0, 1: abidiff failed; 2: something changed, and additions are left out; 3: surely breaks
if [ $((status & 3)) -ne 0 ]; then
    echo "FAILED: abidiff"
    exit 1
fi
soname() { objdump -p "$1" | awk '/SONAME/ { print $2 }'; }
if [ $((status & 12)) -ne 0 ] && [ "$(soname "$old")" = "$(soname "$build/libbareking.so")" ]; then
    echo "FAILED: programs made with $tag would break; this needs another SONAME (a new major version)"
    exit 1
fi
echo "programs made with $tag run with this library"
