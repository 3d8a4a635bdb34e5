#!/bin/sh
# windows.sh BUILD ZSTD - bareking-engine for Windows, by mingw-w64, into BUILD/windows
#
# ZSTD: a folder with zstd.h and libzstd.a made for Windows, which Debian does not have.  $ENGINE and $UNITS are
# the Makefile's lists.  The program needs no other file: XBoard's cousin WinBoard and UCI programs start it.
set -eu
build=$1 zstd=${2:?make windows ZSTD_WINDOWS=DIR: a folder with zstd.h and libzstd.a for Windows}
cc=${WINDOWS_CC:-x86_64-w64-mingw32-gcc-posix} ar=${WINDOWS_AR:-x86_64-w64-mingw32-ar}
[ -f "$zstd/zstd.h" ] && [ -f "$zstd/libzstd.a" ] || { echo "$zstd: no zstd.h and libzstd.a" >&2; exit 1; }
command -v "$cc" >/dev/null || { echo "no $cc: apt-get install gcc-mingw-w64-x86-64-posix" >&2; exit 1; }
out=$build/windows
mkdir -p "$out/include"
cp "$zstd"/zstd*.h "$out/include"
cp "$(dirname "$XXHASH_H")"/xxh*.h "$out/include"

compile() { # file, object, macros
    file=$1 object=$2
    shift 2
    echo "  CC $object"
    "$cc" -std=c11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -DXXH_INLINE_ALL= -include core/windows.h -O2 -Wall -Wextra \
        -Wno-psabi -Isrc -I. -idirafter "$out/include" "$@" -c "$file" -o "$object"
}
# Files that only make tables, or explain games, are not of the library that programs link.
library=
for unit in $UNITS; do
    file=${unit%%:*} object=$out/$(echo "${unit%%:*}" | tr / _).o macros=
    case $file in */write.c | */explain.c) continue ;; esac
    case $unit in *:*)
        macros=$(echo "-D${unit##*:}" | sed 's/,/ -D/g')
        object=${object%.o}_$(echo "$unit" | cut -d: -f2).o
        ;;
    esac
    # shellcheck disable=SC2086
    compile "$file" "$object" $macros
    library="$library $object"
done
rm -f "$out/libbareking.a"
# shellcheck disable=SC2086
"$ar" rcs "$out/libbareking.a" $library
engine=
for name in $ENGINE; do
    compile "src/engine/$name.c" "$out/engine_$name.o"
    engine="$engine $out/engine_$name.o"
done
echo "  CC $out/bareking-engine.exe"
# shellcheck disable=SC2086
"$cc" -static -s $engine "$out/libbareking.a" "$zstd/libzstd.a" -lpthread -o "$out/bareking-engine.exe"
