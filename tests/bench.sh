#!/bin/sh
# bench.sh BUILD - builds a fixed list of tables and prints one line each.
#
# CPU seconds are of the whole process but for the sub-tables, which are made
# beforehand; compare lines of one run with each other, not with another day's.
set -eu
build=${1:?usage: bench.sh BUILD}
threads=${THREADS:-2}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM

"$build/bandwidth"
printf '%-16s %-8s %13s %8s %8s %9s %8s %12s %12s\n' game table positions solve_s encode_s \
    Mpos/s/cpu peak_MB wdl_bytes dtw_bytes

bench() { # game material
    sub=$("$build/bareking" plan "$1" "$2" --dir "$dir" --json |
        grep -o '"material":"[^"]*"' | sed 's/.*:"//; s/"//' | grep -vx "$2" || true)
    # shellcheck disable=SC2086
    [ -z "$sub" ] || "$build/bareking" build "$1" $sub --dir "$dir" --threads "$threads" --quiet
    /usr/bin/time -f '%M' -o "$dir/peak" \
        "$build/bareking" build "$1" "$2" --dir "$dir" --threads "$threads" --json >"$dir/out"
    field() { grep -o "\"$1\":[0-9.]*" "$dir/out" | head -1 | sed 's/.*://'; }
    awk -v g="$1" -v t="$2" -v p="$(field positions)" -v s="$(field solve_cpu)" \
        -v e="$(field encode_cpu)" -v m="$(tail -1 "$dir/peak")" -v w="$(field wdl_bytes)" \
        -v d="$(field dtw_bytes)" 'BEGIN { printf "%-16s %-8s %13.0f %8.2f %8.2f %9.1f %8d %12.0f %12.0f\n",
            g, t, p, s, e, p / (s + e) / 1e6, m / 1024, w, d }'
}

if [ $# -gt 1 ]; then
    bench "$2" "$3"
    exit
fi
bench shatranj KRvKN
bench shatranj KNvKP
bench shatranj KRNvKR
bench shatranj KQRvKN
bench shatranj KBPvKN
bench chess KRBvKN
bench grand-shatranj KMvKN
bench atlantean KZvKT
bench sultan KQvKR
if [ -z "${SHORT:-}" ]; then # five men on 10x10 and 10x8: some ten minutes more, 8 GiB
    bench grand-shatranj KJMvKN
    bench grand-shatranj KMPvKN
    bench atlantean KZXvKT
    bench sultan KRCvKQ
fi
