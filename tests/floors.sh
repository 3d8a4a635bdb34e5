#!/bin/sh
# floors.sh - includes point down: core <- table <- {tb, probe} <- {study, explore, engine} <- cli; tb and probe
# never meet, nor do cli and engine; study knows nothing of probe, explore
# nothing of tb.
# `make floors` calls it with the lists of files, lowest first, as CORE, TABLE, PROBE, STUDY, EXPLORE
# and ENGINE.
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

# Within a folder, too: a file includes only those that stand before it in the Makefile.
in_order() { # folder, prefix of its includes, files from the lowest up
    folder=$1 prefix=$2 below=' '
    shift 2
    for file; do
        for parts in "$folder/$file".[ch]; do
            for include in $(sed -n "s|^#include \"$prefix/\([a-z_]*\)\.h\".*|\1|p" "$parts"); do
                case "$below$file " in *" $include "*) continue ;; esac
                echo "floors: $parts includes $include.h, which stands above it" >&2
                fail=1
            done
        done
        below="$below$file "
    done
}
in_order src/core core bits set letter ${CORE:?run make floors}
in_order src/table table varint ribbon combination $TABLE
in_order probe probe bareking $PROBE
in_order src/study study $STUDY
in_order src/explore explore pages $EXPLORE
in_order src/engine engine $ENGINE
# Only rules.[ch] ask what a rule flag means.  Others that may touch the flags, by role:
# keys, read and fairy with its parts read them, check checks, number hashes, explain and cmd_info
# show them, terrain and homes adapt them to another board, symmetry turns them, and geometry and
# prepare write moves out.
rooms='rules|keys|read|fairy|fairy_men|fairy_pawn|check|number|explain|cmd_info|terrain|homes|symmetry|geometry|prepare'
game='bare|stalemate|en_passant|limit|game_turns|hands|configuration|opening_drops|quiet_turns'
piece='army|zone_ranks|zone|double_ranks|become|nbecomes|must|lost_only|in_place'
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
# Each may include those before it in this list, and itself; settled with its parts, verify and whole stand beside them
# and see `memory` alone.
above="memory kernel solve encode build"
for room in $above; do
    above=${above#"$room"}
    above=${above# }
    if [ -n "$above" ]; then
        forbid "tb/$room" "tb/($(echo "$above" | tr ' ' '|'))"
    fi
done
for beside in settled_values.c settled_values.h settled_rows.c settled_rows.h settled.c settled.h \
    verify.c verify.h whole.c whole.h transport_mpi.c; do
    forbid "tb/$beside" 'tb/(kernel|solve|encode|build)'
done
if grep -rlE 'include <mpi\.h>|\bMPI_[A-Z]' src tb probe | grep -v '^tb/transport_mpi\.c$'; then
    echo "floors: only tb/transport_mpi.c knows of MPI" >&2
    fail=1
fi
# Within a room a file includes only those before it; its name is in the list, and every X.c has X.h.
room() { # name, files from the lowest up
    room=$1
    shift
    in_order "tb/$room" "tb/$room" "$@"
    for file in "tb/$room"/*.[ch]; do
        name=$(basename "${file%.[ch]}")
        case " $* " in *" $name "*) ;; *) name= ;; esac
        if [ -z "$name" ] || [ ! -f "${file%.[ch]}.h" ]; then
            echo "floors: $file: not in the list of its room, or without a header" >&2
            fail=1
        fi
    done
}
room memory bitmap notes group cpu meter pool transport ranks stock spill checkpoint log code scores memtable narrow pack view_plan view_where view_rows view view_kept
room kernel lanes squares tally setup men ways classes passing kings_block kings_exits kings_codes kings kernel state solver \
    slice compile inner legal moves waits exits init ply finish attain deliver passes dispatch
room solve order owners prepare exits job scratch layout share ledger paging estimate run resume \
    block_job block_work block_prepare block_plies block_group block_hand block solve
room encode bytes turned source columns columns_for pivots eliminate eliminate_avx2 eliminate_gfni filter ribbons entropy input effort work \
    values cells sample learner subset value_classes split parting learn worth codes walk asked shard \
    unit_job unit_run unit_memory unit_count unit_rates unit_shards unit drawn foretell unit_rows encode_work encode_saved encode
room build pace known disk plan parts resident budget lock left mark build
[ $fail -eq 0 ] && echo "floors: includes point down"
exit $fail
