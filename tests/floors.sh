#!/bin/sh
# floors.sh - includes point down: core <- table <- {tb, probe} <- {study, explore, engine} <- cli; tb and probe
# never meet, nor do cli and engine; study knows nothing of probe, explore nothing of tb.  Within a folder they
# go round in no circle.  New files need no word here.
set -eu
cd "$(dirname "$0")/.."
fail=0
forbid() { # folder pattern
    if grep -nE "#include \"($2)/" -r "$1" --include='*.c' --include='*.h'; then
        echo "floors: $1 must not include $2" >&2
        fail=1
    fi
}
forbid src/core  'table|tb|probe|study|explore|cli|engine|tests'
forbid src/table 'tb|probe|study|explore|cli|engine|tests'
forbid tb        'probe|study|explore|cli|engine|tests'
forbid probe     'tb|study|explore|cli|engine|tests'
forbid src/study 'probe|explore|cli|engine|tests'
forbid src/cli   'engine|tests'
forbid src/explore 'tb|cli|engine|tests'
forbid src/engine 'tb|study|explore|cli|tests'

# The library reads the same in every program: letters are those of core/letter.h, not of a locale.
if grep -nE '#include <(ctype|wctype|locale)\.h>' -r src/core src/table probe --include='*.c' --include='*.h'; then
    echo "floors: letters and digits are asked of core/letter.h, whatever the locale is" >&2
    fail=1
fi

# Within a folder no file includes, by others, itself.  A file is X.c with its X.h.
in_no_circle() { # folder, prefix of its includes
    for file in "$1"/*.[ch]; do
        name=$(basename "${file%.[ch]}")
        sed -n "s|^#include \"$2/\([a-z_0-9]*\)\.h\".*|$name \1|p" "$file"
    done | tsort >/dev/null || {
        echo "floors: $1: includes go round in a circle" >&2
        fail=1
    }
}
in_no_circle src/core core
in_no_circle src/core/facts core/facts
in_no_circle src/table table
in_no_circle probe probe
in_no_circle src/study study
in_no_circle src/explore explore
in_no_circle src/engine engine
# Only rules.[ch] ask what a rule flag means.  Others that may touch the flags, by role:
# read and fairy read them, check checks, finish hashes, explain, fairy_write and cmd_info
# show them, derive adapts them to another board, symmetry turns them, and geometry and
# prepare write moves out.
rooms='rules|read|fairy|fairy_write|check|finish|explain|cmd_info|derive|symmetry|geometry|prepare'
game='bare|out_of|must_capture|stalemate|en_passant|limit|game_turns|nmove|hands|hand_kind|worth|no_recapture|hand_bonus|configuration|opening_drops|quiet_turns|quiet_moves|land'
piece='army|power|zone_ranks|zone|double_ranks|become|nbecomes|must|lost_only|in_place'
way='steps_max|bend|takes_twice'
castling='allowed|shuffled'
asked=$(grep -nrE --include='*.[ch]' \
    -e "\b(v|variant|base)(->|\.)($game)\b" \
    -e "\b(p|piece|piece\[[^;]*\])(->|\.)($piece|ranks)\b" \
    -e "\b(rule|b|become\[[^;]*\])(->|\.)($piece)\b" \
    -e "\b(m|move|movement|zone)(->|\.)($way)\b" \
    -e "(->|\.)($castling)\b" \
    src probe tb | grep -vE "^[^:]*/($rooms)\.[ch]:" || true)
if [ -n "$asked" ]; then
    echo "$asked" >&2
    echo "floors: only src/core/rules.c and rules.h ask what a rule flag means" >&2
    fail=1
fi

# == The rooms of tb ==
# Each may include those before it in this list, and itself; what lies beside them sees `memory` alone.
above="memory kernel solve encode make"
for room in $above; do
    above=${above#"$room"}
    above=${above# }
    if [ -n "$above" ]; then
        forbid "tb/$room" "tb/($(echo "$above" | tr ' ' '|'))"
    fi
    in_no_circle "tb/$room" "tb/$room"
done
for beside in tb/*.[ch]; do
    forbid "$beside" 'tb/(kernel|solve|encode|make)'
done
if grep -rlE 'include <mpi\.h>|\bMPI_[A-Z]' src tb probe | grep -v '^tb/transport_mpi\.c$'; then
    echo "floors: only tb/transport_mpi.c knows of MPI" >&2
    fail=1
fi
[ $fail -eq 0 ] && echo "floors: includes point down"
exit $fail
