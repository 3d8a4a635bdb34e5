#!/bin/sh
# install.sh [-u] STAGE DESTDIR - copies the files of STAGE to the same paths under DESTDIR, or, with
# -u, removes from there what STAGE has, and folders of ours that are empty then.
set -eu
umask 022 # everybody may read what is installed
undo=
if [ "$1" = -u ]; then
    undo=yes
    shift
fi
stage=$1 dest=$2
[ -d "$stage" ] || exit 1 # it could not be laid out

each() { (cd "$stage" && find . "$@" | sed 's/^\.//' | sort); }
put() { # path
    mkdir -p "$dest$(dirname "$1")"
    # a new file beside the old one, then its name: a library in use stays whole
    cp -P "$stage$1" "$dest$1.new"
    mv -f "$dest$1.new" "$dest$1"
}

each -type f -o -type l | while read -r path; do
    if [ -n "$undo" ]; then rm -f "$dest$path"; else put "$path"; fi
done
if [ -n "$undo" ]; then
    each -type d -path '*/bareking*' | sort -r | while read -r path; do
        rmdir "$dest$path" 2>/dev/null || true
    done
fi
# so that programs find the library; a package does this itself
if [ -z "$dest" ] && [ "$(id -u)" = 0 ] && command -v ldconfig >/dev/null; then ldconfig; fi
where=$(dirname "$(dirname "$(each -type f -path '*/bin/bareking')")")
[ -n "$undo" ] && echo "removed from $dest$where" || echo "installed in $dest$where"
