#!/bin/sh
# portable.sh - compiles the library for musl and for Windows (mingw-w64), where their compilers are, with
# our warnings as errors, and links the example with the one file; that for ARM and s390x, too.
# `make test-portable` says where things are, and with FULL=1 compiles the library's own files, too.
#
# zstd is there for glibc alone, so a stub stands for each of its functions: what is missing else would not
# link.  The program for musl is run as far as it goes without: a table that is not there.
# ZSTD_MUSL=DIR, ZSTD_WINDOWS=DIR: folders with zstd.h and libzstd.a for these; the example is then linked
# with them and run, the latter by wine if it is there, and must say of golden tables what it says here.
set -eu
. "$(dirname "$0")/scratch.sh"
# the two headers that are the same everywhere
mkdir "$tmp/include"
cp /usr/include/zstd*.h /usr/include/xxhash.h /usr/include/xxh3.h "$tmp/include" 2>/dev/null || true
strict='-Wall -Wextra -Werror'
ours='-std=c11 -D_GNU_SOURCE -Wpedantic -Wshadow -Wconversion -Wno-psabi -fsyntax-only -Isrc -I.'

# The library's own file or files; of FILE:NAME:X=Y,... with those macros.
compile_units() { # compiler and options
    for unit in $UNITS; do
        file=${unit%%:*} macros=
        case $unit in *:*) macros=$(echo "-D${unit##*:}" | sed 's/,/ -D/g') ;; esac
        # who links the library does not get these two: they make tables, and explain games
        case $windows$file in yes*/write.c | yes*/explain.c) continue ;; esac
        # shellcheck disable=SC2086
        "$@" $strict $ours $macros "$file" || fail "$1 $file"
    done
}
link() { # compiler, nm
    # shellcheck disable=SC2086
    "$1" "-O${FULL:-0}" $strict -idirafter "$tmp/include" -c "$AMALGAM/bareking.c" -o "$tmp/bareking.o" || fail "$1 bareking.c"
    "$2" -u "$tmp/bareking.o" | sed -n 's/.* U \(ZSTD_.*\)/int \1(void);\nint \1(void) { return 0; }/p' >"$tmp/zstd.c"
    "$1" "$AMALGAM/example.c" "$tmp/bareking.o" "$tmp/zstd.c" -lpthread -o "$tmp/example" || fail "$1 example.c"
}
# The linked example, with zstd itself, says what ours says.
answers() { # compiler, folder of zstd, folder of tables, what runs it
    compiler=$1 zstd=$2 there=$3
    shift 3
    [ -f "$zstd/zstd.h" ] && [ -f "$zstd/libzstd.a" ] || fail "$zstd: no zstd.h and libzstd.a"
    # shellcheck disable=SC2086
    "$compiler" "-O${FULL:-0}" $strict -I"$zstd" "$AMALGAM/example.c" "$AMALGAM/bareking.c" "$zstd/libzstd.a" \
        -lpthread -static -o "$tmp/linked.exe" || fail "$compiler, with zstd"
    while IFS='|' read -r game set fen; do
        "$BUILD/example" "$game" "$tmp/none:$golden/$set" "$fen" >"$tmp/here" 2>&1 && here=0 || here=$?
        "$@" "$tmp/linked.exe" "$game" "$there/$set" "$fen" >"$tmp/said" 2>/dev/null </dev/null && status=0 || status=$?
        [ "$status" = "$here" ] || fail "$compiler: $game $fen: status $status, not $here: $(cat "$tmp/said")"
        [ "$here" != 0 ] || tr -d '\r' <"$tmp/said" | cmp -s - "$tmp/here" || fail "$compiler: $game $fen: $(cat "$tmp/said")"
    done <<'END'
chess|normal|8/8/8/3k4/8/8/4P3/4K3 w - - 0 1
chess|normal|r3k3/8/8/8/8/8/8/4K2R w Kq - 0 1
chess|normal|4k2r/8/8/8/8/8/8/4K2R w Kk - 0 1
chess|normal|8/8/8/3k4/8/8/4QQ2/4K3 w - - 0 1
shatranj|best|3*/*p2/k2K/*P2/*3 w
grand-shatranj|normal|nonsense
sultan-random|wdl|1k8/10/10/10/10/10/10/5K1R2 w H
END
}
golden=$(realpath "$(dirname "$0")/golden")
done=
try() { # what it is for, package, compiler, nm, options for our files
    command -v "$3" >/dev/null || { leave_out "$1 ($2)"; return 0; }
    link "$3" "$4"
    extra=${5-}
    # shellcheck disable=SC2086
    [ -z "${FULL-}" ] || compile_units "$3" -idirafter "$tmp/include" $extra
    done="$done${done:+; }$1: yes"
}
windows=
# as one file alone
foreign() { # what it is for, compiler's name without -gcc
    command -v "$2-gcc" >/dev/null || { leave_out "$1 (gcc-$2)"; return 0; }
    echo '#include <stdint.h>' | "$2-gcc" -E - >/dev/null 2>&1 || { leave_out "$1 (its C library)"; return 0; }
    link "$2-gcc" "$2-nm"
    done="$done${done:+; }$1: yes"
}
foreign ARM aarch64-linux-gnu
foreign 'ARM of 32 bits' arm-linux-gnueabihf
foreign 'x86 of 32 bits' i686-linux-gnu
foreign s390x s390x-linux-gnu
rm -f "$tmp/example"
try musl musl-tools musl-gcc nm
if [ -x "$tmp/example" ]; then
    "$tmp/example" shatranj "$tmp" "8/8/8/3k4/8/1KQ5/8/q7 w - - 0 1" >"$tmp/said" 2>&1 && fail "musl: no error"
    grep -q 'no table KQvKQ of shatranj' "$tmp/said" || fail "musl: $(cat "$tmp/said")"
    rm "$tmp/example"
fi
if [ -n "${ZSTD_MUSL-}" ] && command -v musl-gcc >/dev/null; then
    answers musl-gcc "$ZSTD_MUSL" "$tmp/none:$golden" env
    done="$done, and answers"
fi
windows=yes
try Windows gcc-mingw-w64-x86-64-posix x86_64-w64-mingw32-gcc-posix x86_64-w64-mingw32-nm \
    "-D_FILE_OFFSET_BITS=64 -include core/windows.h"
if [ -n "${ZSTD_WINDOWS-}" ] && command -v x86_64-w64-mingw32-gcc-posix >/dev/null && command -v wine >/dev/null; then
    # a list as it is written there, of folders in whose name is a space
    ln -s "$golden" "$tmp/golden tables"
    export WINEPREFIX="$tmp/wine" WINEDEBUG=-all
    at_end='wineserver -k -w' # which writes into the folder that is to go
    answers x86_64-w64-mingw32-gcc-posix "$ZSTD_WINDOWS" "Z:$tmp/none;Z:$tmp/golden tables" wine
    done="$done, and answers"
fi
[ -n "$done" ] || not_tried "no compiler for any of $without"
echo "$done${without:+; left out: $without}"
