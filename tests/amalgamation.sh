#!/bin/sh
# amalgamation.sh BUILD - the library in one file, as somebody would use it who has only that: compiled
# without a word, in a folder of its own; its example says what the library's says; it defines what
# bareking.h declares alone.
# Then a test of the library, linked with it.  FULL=1: more compilers, each for half a minute, and tests.
set -eu
build=$(realpath "${1:?usage: amalgamation.sh BUILD}")
. "$(dirname "$0")/scratch.sh"

cp "$build/amalgamation/bareking.c" "$build/amalgamation/bareking.h" "$build/amalgamation/example.c" "$tmp"
compile() { # compiler and options
    (cd "$tmp" && "$@" example.c bareking.c -lzstd -lpthread -o example) >"$tmp/said" 2>&1 ||
        fail "$* does not compile: $(cat "$tmp/said")"
    [ ! -s "$tmp/said" ] || fail "$* has something to say: $(head -n 5 "$tmp/said")"
}
if [ -n "${FULL-}" ]; then
    for compiler in gcc clang; do
        command -v "$compiler" >/dev/null || { leave_out "$compiler"; continue; }
        compile "$compiler" -O2 -Wall -Wextra -Wpedantic -Wshadow -std=c11
        for level in 0 1 3 s g; do compile "$compiler" "-O$level" -Wall -Wextra; done
    done
    if command -v g++ >/dev/null; then # the header in C++
        echo '#include "bareking.h"' >"$tmp/header.cc"
        g++ -Wall -Wextra -Wpedantic -c "$tmp/header.cc" -o "$tmp/header.o" || fail "bareking.h in C++"
    else
        leave_out 'C++ (g++)'
    fi
    compile cc -O2
else # as make compiled it, and with -O1, at which gcc sees less and warns of more
    said=$(cat "$build/amalgamation/bareking.said")
    [ -z "$said" ] || fail "$said"
    compile cc -O1 -Wall -Wextra
    (cd "$tmp" && cc -O2 example.c "$build/amalgamation/bareking.o" -lzstd -lpthread -o example)
fi

# game, folders, FEN: with castling rights, terrain, a missing table, a bad FEN
golden=$(dirname "$0")/golden
while IFS='|' read -r game dir fen; do
    "$build/example" "$game" "$golden/$dir" "$fen" >"$tmp/library" 2>&1 && status=0 || status=$?
    "$tmp/example" "$game" "$golden/$dir" "$fen" >"$tmp/one" 2>&1 && one=0 || one=$?
    [ "$status" = "$one" ] && cmp -s "$tmp/library" "$tmp/one" || fail "$game $fen: $(diff "$tmp/library" "$tmp/one")"
done <<'END'
chess|normal|8/8/8/3k4/8/8/4P3/4K3 w - - 0 1
chess|normal|r3k3/8/8/8/8/8/8/4K2R w Kq - 0 1
chess|normal|8/8/8/3k4/8/8/4Q3/4K3 b - - 0 1
chess|normal|8/8/8/3k4/8/8/4QQ2/4K3 w - - 0 1
shatranj|normal|3*/*p2/k2K/*P2/*3 w
shatranj|best|3*/*p2/k2K/*P2/*3 w
grand-shatranj|normal|nonsense
sultan-random|wdl|1k8/10/10/10/10/10/10/5K1R2 w H
nothing|normal|8/8/8/3k4/8/8/4P3/4K3 w - - 0 1
END

# what belongs to others says so
grep -q 'BSD 2-Clause License' "$tmp/bareking.c" && grep -q 'MIT License' "$tmp/bareking.c" || fail "a licence is missing"
# all else is the file's own: a program may have any other name
nm --defined-only -g "$build/amalgamation/bareking.o" | awk 'NF == 3 { print $3 }' | sort >"$tmp/global"
tr '\n' ' ' <"$tmp/bareking.h" | grep -o 'BK_API [^;()]*bk_[a-z0-9_]*(' | sed 's/.*[ *]\(bk_[a-z0-9_]*\)($/\1/' | sort -u >"$tmp/public"
diff "$tmp/public" "$tmp/global" >"$tmp/differ" || fail "names of bareking.h, and global ones: $(cat "$tmp/differ")"

for test in "$build/amalgamation/test_golden" ${FULL:+"$build/amalgamation/test_probe"}; do
    CMOCKA_MESSAGE_OUTPUT=STDOUT "$test" >"$tmp/log" 2>&1 || fail "$(tail -n 20 "$tmp/log")"
done
echo "one file of $(wc -l <"$tmp/bareking.c") lines compiles silently and answers like the library${without:+; left out: $without}"
