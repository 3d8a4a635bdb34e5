#!/bin/sh
# deb.sh BUILD [ROOT] - installs the packages of `make deb` in a Debian that has nothing else, uses them, and
# purges them: nothing may be left.  ROOT is such a Debian, which it changes; else debootstrap makes one.
# Needs root, debootstrap and the net.
set -eu
build=${1:?usage: deb.sh BUILD [ROOT]}
for tool in debootstrap chroot; do
    command -v $tool >/dev/null || { echo "not tried: no $tool"; exit 77; }
done
[ "$(id -u)" = 0 ] || { echo "not tried: only root can"; exit 77; }
. "$(dirname "$0")/scratch.sh"
root=${2:-$tmp/root}
[ -d "$root" ] || debootstrap --variant=minbase "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$root" >"$tmp/log" 2>&1 ||
    fail "$(tail -n 5 "$tmp/log")"
inside() { chroot "$root" "$@" </dev/null >"$tmp/said" 2>&1 || fail "$*: $(tail -n 20 "$tmp/said")"; }
install() { inside env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@"; }
files() { (cd "$root" && find . -xdev ! -path './var/*' ! -path './tmp/*' ! -path './proc/*' ! -path './sys/*' | sort); }

# what our packages need, and what programs are made with; then ours, by dpkg itself
inside apt-get update -q
install libjansson4 libmicrohttpd12 libnettle8 libxxhash-dev libzstd-dev gcc libc6-dev pkg-config cmake make python3
files >"$tmp/before"
cp "$build"/deb/*.deb "$root/tmp"
inside sh -c 'dpkg -i $(ls /tmp/*.deb | grep -v dbgsym)'

inside bareking build shatranj KQvKQ --dir /tmp/tables --quiet
cat >"$root/tmp/try.sh" <<'END'
set -e
cd /tmp
fen='8/8/8/3k4/8/1KQ5/8/q7 w - - 0 1'
gunzip -c /usr/share/doc/libbareking-dev/examples/example.c.gz >example.c 2>/dev/null ||
    cp /usr/share/doc/libbareking-dev/examples/example.c example.c
cc example.c $(pkg-config --cflags --libs bareking) -o example
./example shatranj tables "$fen" | grep -q 'White wins in 39 plies'
cc -static-pie example.c $(pkg-config --static --cflags --libs bareking) -o static
./static shatranj tables "$fen" | grep -q 'White wins in 39 plies'
printf '%s\n' 'cmake_minimum_required(VERSION 3.13)' 'project(x C)' 'find_package(bareking REQUIRED)' \
    'add_executable(x example.c)' 'target_link_libraries(x bareking::bareking)' >CMakeLists.txt
cmake -S . -B out && cmake --build out
out/x shatranj tables "$fen" | grep -q 'White wins in 39 plies'
# by the library, and by Python alone, which says so
asked='import bareking; print(bareking.open_tablebase("tables", "shatranj").probe_dtw("8/8/8/3k4/8/1KQ5/8/q7 w"))'
[ "$(python3 -W error -c "$asked")" = 39 ]
[ "$(BAREKING_LIBRARY=none python3 -c "$asked" 2>said)" = 39 ] && grep -q 'UserWarning: libbareking is not loaded' said
test -f /usr/share/applications/bareking.desktop && grep -q shatranj /usr/share/games/plugins/xboard/bareking.eng
dpkg -L bareking libbareking-dev | grep -q man1/bareking-build.1 && test -f /usr/share/bash-completion/completions/bareking
END
inside sh /tmp/try.sh
inside dpkg --purge bareking python3-bareking libbareking-dev "$(cd "$build/deb" && ls libbareking[0-9]*.deb | grep -v dbgsym | sed 's/_.*//')"
files >"$tmp/after"
cmp -s "$tmp/before" "$tmp/after" || fail "left: $(diff "$tmp/before" "$tmp/after")"
inside dpkg --audit
echo "the packages install, are used, and leave nothing"
