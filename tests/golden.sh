#!/bin/sh
# golden.sh BAREKING [DIR] - writes the golden files anew: DIR (default: tests/golden) has a list of
# them and a folder for each set.  All are verified first, the large ones in part.
#
# These files prove that what was once written can still be read.  Writing them anew gives that up,
# so it is right before a version of the format is frozen, or to add a table; never to please a test.
set -eu
LC_ALL=C
export LC_ALL
bin=${1:?usage: golden.sh BAREKING [DIR]}
golden=${2:-$(dirname "$0")/golden}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM

make() { # set game {material | --for FEN}
    set=$1
    shift
    case $set in
    normal) how= ;;
    wdl) how=--wdl ;;
    best) how='--effort best' ;;
    alone) how=--standalone ;;
    dtz) how=--dtz ;;
    dtz-alone) how='--dtz --standalone' ;;
    *) echo "golden.sh: no set '$set'" >&2; exit 2 ;;
    esac
    # shellcheck disable=SC2086
    "$bin" build "$@" $how --dir "$tmp/$set" --quiet
    "$bin" verify "$@" --dir "$tmp/$set" --sample 100000 --quiet
    case $set in *alone) ;; *) return 0 ;; esac
    # of all that were made the table that is meant, which a plan names last
    table=$("$bin" plan "$@" --dir "$tmp/none" | awk '{ name = last; last = $1 } END { print name }')
    mkdir -p "$tmp/kept-$set"
    (cd "$tmp/$set" && find . -name "$table.bk?" -exec cp --parents {} "$tmp/kept-$set" \;)
    rm -r "${tmp:?}/$set"
}

while read -r set game what; do
    case $set in '' | '#'*) continue ;; esac
    case $what in
    */*) make "$set" "$game" --for "$what" ;;
    *) make "$set" "$game" "$what" ;;
    esac
done <"$golden/list"
for set in alone dtz-alone; do
    mv "$tmp/kept-$set" "$tmp/$set"
done
for set in normal wdl best alone dtz dtz-alone; do
    rm -rf "${golden:?}/$set"
    cp -r "$tmp/$set" "$golden"
done
echo "$(find "$golden" -name '*.bk?' | wc -l) files, $(find "$golden" -name '*.bk?' -exec cat {} + | wc -c) bytes"
