#!/bin/sh
# examples.sh BUILD - the programs in README.md, docs/engines.md and the Python package's page are compiled
# and run as they stand, where `tables` has the Diamond's table, and must say what the page says.  What asks for
# Fairy-Stockfish's board gets one of its form, with boards of three sizes (tests/fairy_stub).
#
# A program is a block ```c, ```cpp or ```python; a block ```text after it is what it prints, to the byte.
# A language whose compiler is missing is left out, by name.
set -eu
build=$(realpath "${1:?usage: examples.sh BUILD}")
sources=$(realpath "$(dirname "$0")/..")
. "$sources/tests/scratch.sh"
cd "$tmp"
export LD_LIBRARY_PATH="$build" BAREKING_LIBRARY="$build/libbareking.so" PYTHONPATH="$sources/probe/python" \
    PYTHONDONTWRITEBYTECODE=1
"$build/bareking" build shatranj KQvKQ --dir tables --quiet

stub=$sources/tests/fairy_stub
# A program for Fairy-Stockfish's board, on boards from 8x8 to 12x10.
on_boards() {
    sed -e 's/^name .*/name = wide/' -e 's/^board .*/board = 12x10/' -e '/^start/d; /^castling/d' \
        "$sources/src/variants/sultan.ini" >wide.ini
    for board in shatranj:8:8:KQkq sultan:10:8:KQk wide.ini:12:10:KRkc; do
        game=${board%%:*} rest=${board#*:}
        material=$(echo "${board##*:}" | sed 's/k/vk/' | tr a-z A-Z | tr V v)
        "$build/bareking" build "$game" "$material" --wdl --dir tables --quiet || return 1
        ./stubbed "$game" "${rest%%:*}" "$(echo "$rest" | cut -d: -f2)" "${board##*:}" || return 1
    done
}
extract() { # page: its programs as N.c, N.cpp, N.py, what they print as N.text
    awk -v page="$1" '
        /^```[a-z]/ && !inside {
            inside = 1
            kind = substr($0, 4)
            if (kind == "text") out = n ? sprintf("%02d.text", n) : ""
            else out = sprintf("%02d.%s", ++n, kind == "python" ? "py" : kind)
            if (kind != "text" && kind != "c" && kind != "cpp" && kind != "python") {
                print "FAILED: " page ": a block of " kind > "/dev/stderr"
                exit 1
            }
            next
        }
        /^```$/ { inside = 0; next }
        inside && out { print > out }' "$1"
}
# the name of the program that runs N.c ..., made if need be; nothing where its language is not there
compiled() {
    case $1 in
    *.c) ${CC:-cc} -std=c11 -O1 -Wall -Wextra -Wpedantic -Wshadow -Werror -I"$sources/probe" "$1" -L"$build" -lbareking -o ./program && echo ./program ;;
    *.cpp)
        command -v g++ >/dev/null || return 0
        if grep -q '"position.h"' "$1"; then
            g++ -std=c++17 -O1 -Wall -Wextra -Werror -I"$stub" -I"$sources/probe" "$1" "$stub/main.cpp" -L"$build" -lbareking \
                -o ./stubbed && echo on_boards
            return
        fi
        g++ -std=c++17 -O1 -Wall -Wextra -Wpedantic -Wshadow -Werror -I"$sources/probe" "$1" -L"$build" -lbareking -o ./program && echo ./program
        ;;
    *.py)
        for python in "${PYTHON:-python3}" /usr/bin/python3; do
            command -v "$python" >/dev/null || continue
            if ! grep -q '^import numpy' "$1" || "$python" -c 'import numpy' 2>/dev/null; then
                echo "$python $1"
                return
            fi
        done
        ;;
    esac
}

ran=0
for page in README.md docs/engines.md probe/python/README.md; do
    rm -f ./*.c ./*.cpp ./*.py ./*.text
    extract "$sources/$page"
    found=0
    for program in *.c *.cpp *.py; do
        [ -f "$program" ] || continue
        found=1
        command=$(compiled "$program") || fail "$page: $program does not compile"
        if [ -z "$command" ]; then
            leave_out "${program#*.} of $page"
            continue
        fi
        # shellcheck disable=SC2086
        $command >said 2>&1 || fail "$page: $program: status $?: $(cat said)"
        expected=${program%.*}.text
        [ -s said ] || fail "$page: $program says nothing"
        if [ -f "$expected" ]; then
            cmp -s said "$expected" || fail "$page: $program: $(diff "$expected" said)"
        fi
        ran=$((ran + 1))
    done
    [ $found = 1 ] || fail "$page has no program"
done
# the commands of docs/study.md find what they look for
mkdir bin && ln -s "$build/bareking" bin
PATH=$PWD/bin:$PATH
bareking build shatranj KRvKN KQvKN --dir tables --quiet
command -v rsvg-convert >/dev/null || { drawn='/\.png/d'; leave_out 'pictures (librsvg2-bin)'; }
sed -n 's/^    \(bareking [md]\)/\1/; T; :more; /\\$/ { N; b more }; p' "$sources/docs/study.md" | sed "${drawn:-}" >commands
awk '/\\$/ { printf "%s", substr($0, 1, length($0) - 1); next } 1' commands >lines
[ "$(grep -c . lines)" -ge 3 ] || fail 'docs/study.md has no commands'
while IFS= read -r command; do
    sh -c "$command" >said 2>&1 </dev/null && { [ -s said ] || [ -s diamond.png ]; } ||
        fail "docs/study.md: $command: $(cat said)"
done <lines

echo "$ran programs of the documentation run and say what they should${without:+; left out: $without}"
