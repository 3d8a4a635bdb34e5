#!/bin/sh
# release.sh BUILD - makes the release twice, from two copies of the tree in folders of different names: the
# archives must be the same, and no path of this machine in the programs.
set -eu
build=${1:?usage: release.sh BUILD}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM
epoch=$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md)
for copy in one a_second_one; do
    mkdir "$tmp/$copy"
    cp -a Makefile README.md CHANGELOG.md LICENSE src tb probe tests docs "$tmp/$copy"
    # another day, another zone, another mask
    (cd "$tmp/$copy" && umask 0$((${#copy} % 2 ? 22 : 77)) && TZ=UTC-${#copy} SOURCE_DATE_EPOCH=$epoch \
        env -u MAKEFLAGS make release >"$tmp/$copy.log" 2>&1) || {
        tail -n 20 "$tmp/$copy.log"
        exit 1
    }
    (cd "$tmp/$copy/build/release" && sha256sum ./*.tar.xz) >"$tmp/$copy.sums"
done
cat "$tmp/one.sums"
if ! cmp "$tmp/one.sums" "$tmp/a_second_one.sums"; then
    for file in $(cd "$tmp/one/build/release/stage" && find . -type f); do
        cmp "$tmp/one/build/release/stage/$file" "$tmp/a_second_one/build/release/stage/$file" || true
    done
    echo "FAILED: not the same bytes twice"
    exit 1
fi
for file in $(find "$tmp/one/build/release/stage" -path '*/bin/*' -type f -o -name 'lib*' -type f); do
    if strings -a "$file" | grep -F "$tmp"; then
        echo "FAILED: $file knows where it was built"
        exit 1
    fi
done
mkdir -p "$build/release"
cp "$tmp"/one/build/release/*.tar.xz "$build/release"
grep 'stripped' "$tmp/one.log"
echo "the same bytes twice"
