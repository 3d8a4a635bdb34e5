#!/bin/sh
# eta.sh BAREKING - what the bar of some builds said was left, beside what was: tests/eta.py.
set -eu
bin=$(realpath "${1:?usage: eta.sh BAREKING}")
here=$(cd "$(dirname "$0")" && pwd)
. "$here/scratch.sh"
unset BAREKING_PACE
status=0
each() {
    for threads in 1 2; do
        rm -rf "$tmp/tables"
        mkdir "$tmp/tables"
        printf '%s, ' "$("$bin" plan "$@" --threads $threads --dir "$tmp/tables" | sed -n 's/.* and \([0-9:]*\) of time$/plan \1/p')"
        python3 "$here/eta.py" "$bin" build "$@" --threads $threads --dir "$tmp/tables" || status=1
    done
}
each shatranj --men 4
each shatranj --men 4 --effort fast
each shatranj KRNvKR
each shatranj KPPvK
each chess KRvKP
each grand-shatranj KJvKN
exit $status
