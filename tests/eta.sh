#!/bin/sh
# eta.sh BUILD - what the bar of some builds said was left, beside what was, in CPU time: tests/eta.py.
set -eu
build=$(realpath "${1:?usage: eta.sh BUILD}")
bin=$build/bareking
here=$(cd "$(dirname "$0")" && pwd)
. "$here/scratch.sh"
export CPUTIME="$build/cputime.so"
unset BAREKING_PACE
status=0
each() {
    rm -rf "$tmp/tables"
    mkdir "$tmp/tables"
    printf '%s, ' "$(LD_PRELOAD=$CPUTIME "$bin" plan "$@" --threads 1 --dir "$tmp/tables" | sed -n 's/.* and \([0-9:]*\) of time$/plan \1/p')"
    python3 "$here/eta.py" "$bin" build "$@" --threads 1 --dir "$tmp/tables" || status=1
}
each chess KQvKR
each shatranj --men 4
each shatranj --men 4 --effort fast
each shatranj KRNvKR
each shatranj KRNvKR --effort fast
each shatranj KQRvKN
each chess KRvKP
each chess KNPvK
each shatranj KNvKP
each grand-shatranj KJvKN
exit $status
