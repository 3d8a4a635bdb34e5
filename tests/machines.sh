#!/bin/sh
# machines.sh BUILD [N] - what other machines make and read: cross compilers' programs under qemu, for 64-bit
# ARM (aarch64) and for one whose highest byte comes first (s390x).
#
#   - the golden files are read, codes and facts come back, N (30) drawn games agree with the slow solver
#   - tables of four games, one on more than 64 squares, are built, and are this machine's byte for byte
#
# Debian: gcc-aarch64-linux-gnu gcc-s390x-linux-gnu qemu-user-static, and of each machine libzstd-dev
# libxxhash-dev libjansson-dev nettle-dev libcurl4-openssl-dev libcmocka-dev (dpkg --add-architecture).  Takes some ten minutes;
# skips the machines whose compiler, libraries or emulator are not there.
set -eu
build=$(realpath "${1:?usage: machines.sh BUILD [N]}") cases=${2:-30}
. "$(dirname "$0")/scratch.sh"
tables='shatranj/KPvKP puzzle-mini/KRvKN sultan/KCvKP chess/KRvK+K'

make_all() { # a machine's emulator, or nothing; bareking; folder
    for t in $tables; do
        $1 "$2" build "${t%/*}" "${t#*/}" --dir "$3" --threads 2 >"$tmp/said" 2>&1 || fail "$1 $t: $(tail -n 1 "$tmp/said")"
    done
}
tried=
for machine in aarch64 s390x; do
    cc=$machine-linux-gnu-gcc run=qemu-$machine-static own=$build/machines/$machine
    if ! command -v "$cc" >/dev/null || ! command -v "$run" >/dev/null ||
        ! printf '#include <%s.h>\n' cmocka curl/curl | $cc -include stdarg.h -include stddef.h -include setjmp.h -include stdint.h \
            -x c - -shared -o /dev/null -lcmocka -lzstd -lxxhash -ljansson -lnettle 2>/dev/null; then
        leave_out "$machine (its compiler, libraries or emulator)"
        continue
    fi
    [ -d "$tmp/here" ] || make_all '' "$build/bareking" "$tmp/here"
    "${MAKE:-make}" -s BUILD="$own" CC="${CCACHE-} $cc" "$own/bareking" \
        $(for t in golden numbers codec facts fuzz; do echo "$own/tests/test_$t"; done) >"$tmp/log" 2>&1 ||
        { tail -n 20 "$tmp/log"; fail "$machine: does not build"; }
    for t in golden numbers codec facts; do
        $run "$own/tests/test_$t" >"$tmp/log" 2>&1 || { tail -n 20 "$tmp/log"; fail "$machine: test_$t"; }
    done
    $run "$own/tests/test_fuzz" "$cases" >"$tmp/log" 2>&1 || { tail -n 20 "$tmp/log"; fail "$machine: test_fuzz"; }
    make_all "$run" "$own/bareking" "$tmp/$machine"
    diff -r "$tmp/here" "$tmp/$machine" >"$tmp/log" || fail "$machine: $(head -n 1 "$tmp/log")"
    echo "$machine: $cases games, $(find "$tmp/$machine" -name '*.bk?' | wc -l) files, the same as here"
    tried="$tried $machine"
done
[ -n "$tried" ] || not_tried "nothing of $without"
echo "machines:$tried${without:+; left out: $without}"
