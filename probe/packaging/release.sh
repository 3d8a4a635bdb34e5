#!/bin/sh
# release.sh - of what lies in $BUILD/stage makes two archives in $BUILD: bareking-VERSION-ARCH.tar.xz, stripped,
# and bareking-VERSION-ARCH-debug.tar.xz with the symbols and lines.  The same sources give the same bytes:
# names in order, one date ($EPOCH), no owner.  Called by `make release`.
set -eu
name=bareking-$VERSION-$ARCH
stage=$(realpath "$BUILD/stage")
debug=$(realpath "$BUILD")/debug
rm -rf "$debug"

# Splits a file of the stage: what is for the debugger goes under $debug by its build-id.
split() { # path, options of strip
    path=$1
    shift
    id=$(readelf -n "$stage$path" | sed -n 's/.*Build ID: //p')
    to=$debug/lib/debug/.build-id/$(echo "$id" | cut -c 1-2)/$(echo "$id" | cut -c 3-).debug
    mkdir -p "$(dirname "$to")"
    objcopy --only-keep-debug --compress-debug-sections "$stage$path" "$to"
    chmod 644 "$to"
    was=$(stat -c %s "$stage$path")
    $STRIP "$@" "$stage$path"
    # how the debugger finds it in a folder of its own choice
    (cd "$(dirname "$to")" && objcopy --add-gnu-debuglink="$(basename "$to")" "$stage$path")
    echo "$path: $was bytes, $(stat -c %s "$stage$path") stripped, $(stat -c %s "$to") for the debugger"
}
(cd "$stage" && find . -type f \( -path '*/bin/*' -o -name 'lib*.so.*' \) | sed 's/^\.//' | sort) | while read -r path; do
    case $path in
    *.so.*) split "$path" --strip-unneeded ;;
    *) split "$path" ;;
    esac
done
find "$stage" -name '*.a' -exec $STRIP --strip-debug --enable-deterministic-archives {} \;

pack() { # folder, archive
    find "$1" -exec chmod u=rwX,go=rX {} + # whatever the umask was
    tar --sort=name --mtime="@$EPOCH" --owner=0 --group=0 --numeric-owner --transform "s|^\.|$3|" \
        -C "$1" -cf - . | xz -T1 -9 >"$2"
    ls -l "$2"
}
pack "$stage$PREFIX" "$BUILD/$name.tar.xz" "$name"
pack "$debug" "$BUILD/$name-debug.tar.xz" "$name-debug"
(cd "$BUILD" && sha256sum "$name.tar.xz" "$name-debug.tar.xz")
