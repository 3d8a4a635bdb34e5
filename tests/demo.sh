#!/bin/sh
# demo.sh BAREKING DIR - a first walk: builds small tables and asks them.
set -eu
bin=${1:?usage: demo.sh BAREKING DIR}
dir=${2:?usage: demo.sh BAREKING DIR}
diamond='8/8/8/3k4/8/1KQ5/8/q7 w - - 0 1'

say() { printf '\n== %s\n\n' "$1"; }

say 'Every Shatranj table of 3 and 4 men (against a bare king the rules decide)'
"$bin" build shatranj --men 4 --dir "$dir"

say 'Two on 10x10: Grand Shatranj and Atlantean Barroom Shatranj'
"$bin" build grand-shatranj KMvKH --dir "$dir"
"$bin" build atlantean KXvKM --dir "$dir"

say "al-Suli's Diamond: unsolved for a thousand years, it is said"
"$bin" probe shatranj "$diamond" --dir "$dir"

say 'The best play, to the capture that bares the king'
"$bin" line shatranj "$diamond" --dir "$dir"

"$bin" probe shatranj "$diamond" --dir "$dir" --json | grep -qF '"wdl":1,"dtw":39' || {
    echo "demo: the Diamond should be a win in 39 plies" >&2
    exit 1
}
say 'White wins in 39 plies.  The tables stay; go on with'
printf '   %s stats shatranj KRvKN --dir %s\n' "$bin" "$dir"
printf '   %s help\n' "$bin"
printf '   %s explore --dir %s      # a page to look at them with: open the address that it prints\n\n' "$bin" "$dir"
