#!/bin/sh
# python.sh BUILD [LIBRARY] - the Python package, as sdist and wheel, in BUILD/python; from a copy of
# probe/python, since setuptools writes where it builds.  With a LIBRARY a copy of it lies in the wheel,
# which is then for systems like this one; no sdist.  Called by `make python`, which says of what day all is
# (SOURCE_DATE_EPOCH): the same sources give the same bytes.
set -eu
umask 022
: "${SOURCE_DATE_EPOCH:=$(stat -c %Y CHANGELOG.md)}"
export SOURCE_DATE_EPOCH
build=$1 library=${2-}
for python in "${PYTHON:-python3}" /usr/bin/python3 ''; do
    if [ -z "$python" ]; then
        echo "make python needs: apt-get install python3-build python3-setuptools python3-wheel python3-venv" >&2
        exit 1
    fi
    # from elsewhere: a folder `build` would be taken for the module
    if (cd / && "$python" -c 'import build.__main__, setuptools, wheel') 2>/dev/null; then break; fi
done
tree=$build/python/tree
rm -rf "$tree"
mkdir -p "$tree"
cp -RL probe/python/. "$tree"
find "$tree" -name __pycache__ -exec rm -rf {} +
if [ -n "$library" ]; then
    cp -L "$library" "$tree/bareking/$(basename "$(realpath "$library")")"
    strip --strip-unneeded "$tree"/bareking/libbareking.*
fi
# `build` makes the wheel from the sdist, which shows that nothing is missing there
"$python" -m build --no-isolation ${library:+--wheel} --outdir "$build/python" "$tree" >"$build/python/log" 2>&1 || {
    cat "$build/python/log"
    exit 1
}
# setuptools knows no day for an sdist
if [ -z "$library" ]; then
    sdist=$(echo "$build"/python/bareking-*.tar.gz)
    rm -rf "$tree" && mkdir "$tree"
    tar -C "$tree" -xzf "$sdist"
    tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX \
        -C "$tree" -cf - "$(basename "$sdist" .tar.gz)" | gzip -9n >"$sdist.new"
    mv "$sdist.new" "$sdist"
fi
