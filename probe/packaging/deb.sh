#!/bin/sh
# deb.sh BUILD VERSION EPOCH - builds the Debian packages from a copy of the tree in BUILD/deb and looks at
# them with lintian, if that is there.  Called by `make deb`.
#
# MAINTAINER="Name <address>" is who signs; what changed is CHANGELOG.md down to the end of the version's part.
#
# After a release its file of symbols, BUILD/deb/libbarekingN.symbols, becomes
# probe/packaging/debian/libbarekingN.symbols.in: from then on a symbol that disappears stops the build,
# and new ones get the version that has them first.
set -eu
build=$1 version=$2 epoch=$3
packaging=$(dirname "$0")
major=${version%%.*}
: "${MAINTAINER:=$(git log -1 --format='%an <%ae>' 2>/dev/null || echo 'bareking <root@localhost>')}"

missing=
for tool in dpkg-buildpackage dh; do command -v $tool >/dev/null || missing="$missing $tool"; done
if [ -n "$missing" ]; then
    echo "make deb needs$missing: apt-get install dpkg-dev debhelper" >&2
    exit 1
fi

rm -rf "$build/deb"
tree=$build/deb/bareking-$version
mkdir -p "$tree"
cp -a Makefile README.md CHANGELOG.md LICENSE src tb probe tests docs "$tree"
cp -a "$packaging/debian" "$tree/debian"

debian=$tree/debian
fill() { # stdin to stdout
    awk -v major="$major" -v maintainer="$MAINTAINER" '
        /^@COPYRIGHT@$/ {
            while ((getline line < "LICENSE") > 0)
                if (sub(/^Copyright \(c\) /, "Copyright: ", line)) print line
            close("LICENSE")
            next
        }
        /^@LICENSE@$/ {
            while ((getline line < "LICENSE") > 0)
                if (line ~ /^Permission/ || begun) {
                    begun = 1
                    print " " (line == "" ? "." : line)
                }
            next
        }
        { gsub(/@MAJOR@/, major); gsub(/@MAINTAINER@/, maintainer); print }'
}
for file in "$debian"/*.in; do
    fill <"$file" >"${file%.in}"
    rm "$file"
done
for file in "$debian"/libbarekingN.*; do
    mv "$file" "$debian/libbareking$major.${file##*/libbarekingN.}"
done

# the entries of CHANGELOG.md, what is not released among them, down to the version before
{
    printf 'bareking (%s) unstable; urgency=medium\n\n' "$version"
    awk -v version="$version" '
        function put(    n, i, word, line) {
            n = split(entry, word, " ")
            line = "  *"
            for (i = 1; i <= n; i++) {
                if (length(line) + length(word[i]) > 76) {
                    print line
                    line = "   "
                }
                line = line " " word[i]
            }
            if (n)
                print line
            entry = ""
        }
        /^## / { if (begun == 2) exit; begun = 1 + ($2 == version); next }
        /^### / { put(); next }
        /^- / { put(); entry = substr($0, 3); next }
        begun { entry = entry " " $0 }
        END { put() }' CHANGELOG.md
    printf '\n -- %s  %s\n' "$MAINTAINER" "$(LC_ALL=C date -u -R -d "@$epoch")"
} >"$debian/changelog"

(cd "$tree" && SOURCE_DATE_EPOCH=$epoch dpkg-buildpackage -us -uc --build=binary) >"$build/deb/log" 2>&1 || {
    tail -n 40 "$build/deb/log"
    exit 1
}
cp "$tree/debian/libbareking$major/DEBIAN/symbols" "$build/deb/libbarekingN.symbols"
(cd "$build/deb" && ls -l ./*.deb)
if command -v lintian >/dev/null; then
    lintian --fail-on warning --tag-display-limit 0 "$build"/deb/*.changes && echo "lintian has nothing to say"
else
    echo "lintian is not there: not looked at"
fi
