#!/bin/sh
# desktop.sh BUILD [ROOT] - what a desktop finds of an installation in /usr, or in ROOT/usr, where packages were unpacked: the entry of its menu is sound, and opens the
# explorer's page; the data for software centres are sound; XBoard's list has the engine, which plays.
#
# XBoard runs under Xvfb, in a name space where its folder of plugins is ours (root, unshare).  What is
# missing is named, and what needs it is left out.
set -eu
build=$(realpath "${1:?usage: desktop.sh BUILD [ROOT]}")
root=${2:+$(realpath "$2")}
tests=$(dirname "$(realpath "$0")")
. "$tests/scratch.sh"
PATH=$PATH:/usr/games
has() { # tool...: or a word that one is missing
    for tool; do
        command -v "$tool" >/dev/null || { leave_out "$tool"; return 1; }
    done
}
if [ -z "$root" ]; then
    root=$tmp/stage
    env -u MAKEFLAGS make -s -C "$tests/.." BUILD="$build" PREFIX=/usr STAGE="$root" stage >"$tmp/log" 2>&1 || fail "$(cat "$tmp/log")"
fi
share=$root/usr/share
entry=$share/applications/bareking.desktop
export PATH="$root/usr/bin:$PATH"

# == The menu ==
[ -s "$share/icons/hicolor/scalable/apps/$(sed -n 's/^Icon=//p' "$entry").svg" ] || fail "the entry's icon is not there"
if has desktop-file-validate; then
    desktop-file-validate "$entry" >"$tmp/said" 2>&1 && [ ! -s "$tmp/said" ] || fail "$(cat "$tmp/said")"
fi
if has appstreamcli; then
    appstreamcli validate-tree --no-net "$root" >"$tmp/said" 2>&1 || fail "$(cat "$tmp/said")"
fi
if has rsvg-convert; then
    rsvg-convert -w 64 "$share/icons/hicolor/scalable/apps/bareking.svg" -o "$tmp/icon.png" || fail "the icon is no picture"
fi

# == The entry opens the page == a browser that says what it is shown
mkdir "$tmp/bin"
printf '#!/bin/sh\necho "$1" >"%s/shown.new"\nmv "%s/shown.new" "%s/shown"\n' "$tmp" "$tmp" "$tmp" >"$tmp/bin/xdg-open"
chmod +x "$tmp/bin/xdg-open"
cd "$tmp"
serve() { # PATH, condition, command...: which runs in the background until the condition holds
    path=$1 until=$2
    shift 2
    env PATH="$path" "$@" >"$tmp/where" 2>&1 </dev/null &
    server=$!
    at_end="kill $server"
    i=0
    until eval "$until"; do
        i=$((i + 1))
        [ $i -lt 300 ] || fail "$* shows no page: $(cat "$tmp/where")"
        sleep 0.1
    done
    kill $server
    wait $server 2>/dev/null || true
    at_end=
}
shows_page() {
    [ -s "$tmp/shown" ] && url=$(cat "$tmp/shown") && grep -qF "$url" "$tmp/where" || return 1
    ! has curl || curl -sf "$url" | grep -q '<!doctype html>' || fail "$url is no page"
}
# shellcheck disable=SC2046
serve "$tmp/bin:$PATH" shows_page $(sed -n 's/^Exec=//p' "$entry")
# without a browser the address is said all the same
serve "$root/usr/bin" "grep -q 'xdg-open: .*; open http://127.0.0.1:[0-9]*/ in a browser' '$tmp/where'" bareking explore --port 0 --open

# == XBoard ==
plugins=/usr/share/games/plugins/xboard
if ! has xboard Xvfb unshare; then
    :
elif ! unshare -m true 2>/dev/null || [ ! -d $plugins ]; then
    leave_out "XBoard's folder of plugins (root)"
else
    screen=$((80 + $$ % 100))
    Xvfb :$screen -screen 0 1280x1024x24 >"$tmp/xvfb" 2>&1 &
    at_end="kill $!"
    i=0
    until [ -e /tmp/.X11-unix/X$screen ] || [ $i -ge 100 ]; do
        i=$((i + 1))
        sleep 0.1
    done
    echo "k7/7R/1K6/8/8/8/8/7b w - - 0 1" >"$tmp/position"
    # a man is taken, and the game is over; then XBoard saves what it has found, and what it was told to use:
    # that has another name here
    ln -s "$root/usr/bin/bareking-engine" "$tmp/bin/another"
    # what somebody's XBoard has saved before, for which it asks the system, not HOME, is out of the way
    rc=$(getent passwd "$(id -u)" | cut -d: -f6)/.xboardrc
    touch "$tmp/empty"
    DISPLAY=:$screen timeout 120 unshare -m sh -c "mount --bind '$share/games/plugins/xboard' $plugins &&
        { [ ! -e '$rc' ] || mount --bind '$tmp/empty' '$rc'; } && exec xboard -autoInstall ALL -fcp '$tmp/bin/another' -scp '$tmp/bin/another' -variant shatranj -mg 1 -td 0 -depth 2 \
            -lpf '$tmp/position' -saveGameFile '$tmp/game.pgn' -saveSettingsFile '$tmp/settings' -saveSettingsOnExit true \
            -popupExitMessage false" >"$tmp/said" 2>&1 || fail "XBoard: $(cat "$tmp/said")"
    sed -n '/^-firstChessProgramNames/,/^}/p' "$tmp/settings" | grep -qx 'bareking-engine' ||
        fail "XBoard's list of engines lacks ours: $(sed -n '/^-firstChessProgramNames/,/^}/p' "$tmp/settings")"
    grep -q '^\[White "bareking-engine' "$tmp/game.pgn" && grep -q '^1\. ' "$tmp/game.pgn" ||
        fail "it does not play: $(cat "$tmp/game.pgn")"
fi
echo "the menu opens the page, and XBoard finds the engine${without:+; left out: $without}"
