#!/bin/sh
# windows.sh BUILD - bareking-engine for Windows, as `make windows` made it, by wine: the sessions of engine.sh, but
# for what is Linux's own; and folders as they are named there.
set -eu
build=$(realpath "${1:?usage: windows.sh BUILD}")
. "$(dirname "$0")/scratch.sh"
command -v wine >/dev/null || not_tried 'no wine'
export WINEPREFIX="$tmp/wine" WINEDEBUG=-all
at_end='wineserver -k -w'
mkdir "$tmp/wine" && wineserver -p # it stays: who comes while one goes finds nobody
wine cmd /c exit >/dev/null 2>&1 || fail 'wine does not run'

# lines end there with two letters; what it says on stderr has been said when it ends
cat >"$tmp/engine" <<END
#!/bin/bash
set -o pipefail
{ wine "$build/windows/bareking-engine.exe" "\$@" 2>&1 >&3 3>&- | tr -d '\\r' >&2 3>&-; } 3>&1 | stdbuf -o0 tr -d '\\r'
END
chmod +x "$tmp/engine"
ENGINE="$tmp/engine" sh "$(dirname "$0")/engine.sh" "$build" >"$tmp/log" || fail "$(tail -n 3 "$tmp/log")"
tail -n 1 "$tmp/log"

# a drive, `;`, a space, and letters beyond the code page
"$build/bareking" build shatranj KRvKB --dir "$tmp/déjà א" --quiet 2>/dev/null
printf 'uci\nsetoption name UCI_Variant value shatranj\nsetoption name TablePath value Z:\\none;Z:%s/déjà א\nposition fen 8/8/8/3k4/8/1KR5/8/b7 w - - 0 1\ngo depth 1\nquit\n' \
    "$(echo "$tmp" | tr / '\\')" | timeout 60 "$tmp/engine" >"$tmp/said"
grep -q '(tables)' "$tmp/said" || fail "a folder of another name: $(tail -n 3 "$tmp/said")"
echo "folders as they are named there: yes"
