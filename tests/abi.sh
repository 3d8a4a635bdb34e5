#!/bin/sh
# abi.sh BUILD [LIBRARY|record] - compares the binary interface of libbareking.so with what was promised: with
# tests/libbareking-VERSION.abi, as abidw (abigail-tools) wrote it down for that version, or with another LIBRARY, not
# stripped.  Additions are fine, of members at the end of what begins with struct_size, too; anything else fails
# unless the SONAME is another.
#
# `record` writes the interface down for the present version, in place of the old one: with each release, and where
# members that were reserved, which no older program sets or reads, get a name and a meaning.
set -eu
build=$(realpath "${1:?usage: abi.sh BUILD [LIBRARY|record]}")
tests=$(cd "$(dirname "$0")" && pwd)
. "$tests/scratch.sh"
command -v abidiff >/dev/null || not_tried 'no abidiff (abigail-tools)'

write_down() { # library, file: what bareking.h shows of it
    abidw --headers-dir "$tests/../probe" --drop-private-types --exported-interfaces-only --no-show-locs \
        --no-corpus-path --no-comp-dir-path --no-elf-needed --out-file "$2" "$1"
}
said() { sed -n "s/^<abi-corpus .* $1='\([^']*\)'.*/\1/p" "$2"; }

if [ "${2-}" = record ]; then
    rm -f "$tests"/libbareking-*.abi
    new=$tests/libbareking-$("$build/bareking" --version | awk 'NR == 1 { print $2 }').abi
    write_down "$build/libbareking.so" "$new"
    echo "$new"
    exit
fi

cat >"$tmp/allowed" <<'END'
[suppress_type]
  name_regexp = ^(bk_options|bk_host|bk_lib_game)$
  has_data_member_inserted_at = end
END
differs() { # old, new, file for what differs
    status=0
    abidiff --no-added-syms --suppressions "$tmp/allowed" "$1" "$2" >"$3" 2>&1 || status=$?
    # bit 0, 1: abidiff failed; 2: something changed, and additions are left out; 3: surely breaks
    [ $((status & 3)) -eq 0 ] || fail "abidiff: $(cat "$3")"
    [ $((status & 12)) -ne 0 ]
}

write_down "$build/libbareking.so" "$tmp/new.abi"
if [ -n "${2-}" ]; then
    name=$(basename "$2")
    write_down "$2" "$tmp/old.abi"
else
    name=$(basename "$tests"/libbareking-*.abi)
    cp "$tests/$name" "$tmp/old.abi"
fi
if [ "$(said architecture "$tmp/old.abi")" != "$(said architecture "$tmp/new.abi")" ]; then
    not_tried "$name is of another machine"
fi
# a comparison that finds nothing must be one that would: wdl and dtw change places
sed "s/'wdl'/'x'/; s/'dtw'/'wdl'/; s/'x'/'dtw'/" "$tmp/old.abi" >"$tmp/swapped.abi"
differs "$tmp/swapped.abi" "$tmp/new.abi" "$tmp/log" || fail 'abidiff sees nothing'
if differs "$tmp/old.abi" "$tmp/new.abi" "$tmp/log"; then
    cat "$tmp/log"
    if [ "$(said soname "$tmp/old.abi")" = "$(said soname "$tmp/new.abi")" ]; then
        echo "FAILED: programs made with $name would break; this needs another SONAME (a new major version)"
        exit 1
    fi
fi
echo "programs made with $name run with this library"
