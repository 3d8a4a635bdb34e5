#!/bin/sh
# packages.sh [-o] PACKAGE... - installs the Debian packages that are missing, when run as root; else
# names them; not what these recommend.  Elsewhere than on Debian it has nothing to say.  -o: it can be done
# without; what needs them says so.
set -eu
command -v dpkg-query >/dev/null || exit 0 # no Debian: the compiler will say what is missing
optional=
if [ "${1-}" = -o ]; then
    optional=yes
    shift
fi
missing=
for p in "$@"; do
    dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing="$missing $p"
done
[ -z "$missing" ] && exit 0
if [ "$(id -u)" -ne 0 ]; then
    echo "missing packages; run: sudo apt-get install --no-install-recommends$missing" >&2
    [ -n "$optional" ]
    exit
fi
echo "installing:$missing"
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086
if apt-get update -qq && apt-get install -y -qq --no-install-recommends $missing >/dev/null; then
    exit 0
fi
[ -n "$optional" ]
