#!/bin/sh
# stage.sh - lays out in $STAGE what an installation has, at its final paths.  Called by `make install`,
# which sets all that is used here.
set -eu
umask 022 # everybody may read what is installed
for folder in "$PREFIX" "$BINDIR" "$LIBDIR" "$INCLUDEDIR" "$DATADIR" "$MANDIR" "$DOCDIR" "$BASHDIR" "$ZSHDIR"; do
    case $folder in
    *'&'* | *'|'* | *"'"* | *'"'* | *\\* | *'#'* | *'$'*) wrong='a sign that bareking.pc cannot have' ;;
    /* | '') continue ;;
    *) wrong='not a whole path, from / on' ;;
    esac
    echo "PREFIX, LIBDIR or the like, '$folder': $wrong" >&2
    exit 1
done
rm -rf "$STAGE"
packaging=$(dirname "$0")

put() { # mode, folder, files...
    mode=$1 to=$STAGE$2
    shift 2
    mkdir -p "$to"
    install -m "$mode" "$@" "$to"
}
# A path as a line of bareking.pc, and through sed: a blank would end it.
quoted() { printf '%s\n' "$1" | sed 's/ /\\\\ /g'; }
# A folder in terms of the prefix, so that pkg-config --define-prefix may move it.
in_prefix() {
    case $1 in
    "$PREFIX"/*) quoted "\${prefix}/${1#"$PREFIX"/}" ;;
    *) quoted "$1" ;;
    esac
}
# A template with @NAME@s filled in.
fill() { # template, folder
    mkdir -p "$STAGE$2"
    sed -e "s|@VERSION@|$VERSION|g" -e "s|@DATE@|$(date -u -d "@$EPOCH" +%F)|g" -e "s|@XBOARD_GAMES@|$xboard_games|g" -e "s|@SONAME@|$SONAME|g" -e "s|@PREFIX@|$(quoted "$PREFIX")|g" \
        -e "s|@LIBDIR@|$(in_prefix "$LIBDIR")|g" \
        -e "s|@INCLUDEDIR@|$(in_prefix "$INCLUDEDIR")|g" \
        -e "s|@LIBS_PRIVATE@|$LIBS_PRIVATE|g" \
        -e "s|@LIBS_PRIVATE_LIST@|$(echo "$LIBS_PRIVATE" | sed 's/-l//g; s/ /;/g')|g" \
        -e "s|@INCLUDEDIR_FROM_CMAKE@|$(realpath -ms --relative-to="$LIBDIR/cmake/bareking" "$INCLUDEDIR")|g" \
        "$1" >"$STAGE$2/$(basename "$1" .in)"
}

# the games that the engine tells XBoard of; "normal" is chess in lists
xboard_games=$(printf 'xboard\nprotover 2\nquit\n' | "$BUILD/bareking-engine" |
    sed -n 's/.*feature variants="normal,\(.*\)"/chess,\1/p; s/.*feature variants="\(.*\),normal\(.*\)"/chess,\1\2/p')
[ -n "$xboard_games" ]

real=libbareking.so.$VERSION
put 755 "$BINDIR" "$BUILD/bareking" "$BUILD/bareking-engine"
put 644 "$LIBDIR" "$BUILD/libbareking.a"
install -m 644 "$BUILD/$SONAME" "$STAGE$LIBDIR/$real"
ln -s "$real" "$STAGE$LIBDIR/$SONAME"
ln -s "$SONAME" "$STAGE$LIBDIR/libbareking.so"
if [ -n "$STRIP" ]; then
    $STRIP "$STAGE$BINDIR/bareking" "$STAGE$BINDIR/bareking-engine"
    $STRIP --strip-unneeded "$STAGE$LIBDIR/$real"
    $STRIP --strip-debug --enable-deterministic-archives "$STAGE$LIBDIR/libbareking.a"
fi
put 644 "$INCLUDEDIR" probe/bareking.h
fill "$packaging/bareking.pc.in" "$LIBDIR/pkgconfig"
fill "$packaging/bareking-config.cmake.in" "$LIBDIR/cmake/bareking"
fill "$packaging/bareking-config-version.cmake.in" "$LIBDIR/cmake/bareking"

# == The desktop ==
# XBoard looks for engines in the folder of plugins; the menu's entry opens the explorer's page
fill "$packaging/desktop/bareking.eng.in" "$DATADIR/games/plugins/xboard"
put 644 "$DATADIR/applications" "$packaging/desktop/bareking.desktop"
fill "$packaging/desktop/org.bareking.bareking.metainfo.xml.in" "$DATADIR/metainfo"
mkdir -p "$STAGE$DATADIR/icons/hicolor/scalable/apps"
install -m 644 src/explore/page/icon.svg "$STAGE$DATADIR/icons/hicolor/scalable/apps/bareking.svg"

for page in "$BUILD"/man/*.[1-8]; do
    put 644 "$MANDIR/man${page##*.}" "$page"
done
put 644 "$BASHDIR" "$BUILD/completions/bareking"
put 644 "$ZSHDIR" "$BUILD/completions/_bareking"
put 644 "$DOCDIR" LICENSE README.md CHANGELOG.md
put 644 "$DOCDIR/docs" docs/*.md
put 644 "$DOCDIR/docs/gallery" docs/gallery/*
put 644 "$DOCDIR/probe" probe/bareking.h probe/example.c # where the pages link to them
put 644 "$DOCDIR/probe/python" probe/python/README.md
put 644 "$DOCDIR/variants" src/variants/*.ini
put 644 "$DOCDIR/variants/counted" src/variants/counted/*.ini
put 644 "$DOCDIR/variants/fairy" src/variants/fairy/*.ini
put 644 "$DOCDIR/examples" probe/example*.c
