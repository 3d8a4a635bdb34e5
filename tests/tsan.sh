#!/bin/sh
# tsan.sh BAREKING - builds with four threads, by a program made with -fsanitize=thread.
set -eu
bin=${1:?usage: tsan.sh BAREKING}
here=$(dirname "$0")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM
export TSAN_OPTIONS="halt_on_error=0 exitcode=66 log_path=$dir/race"
status=0
build() { # arguments of build
    BAREKING_CHECKPOINT=0.2 "$bin" build "$@" --threads 4 --dir "$dir" --quiet || status=1
}
build shatranj KRvKN KQvKQ
build shatranj KRvKB --wdl
build "$here/six.ini" KRPvK
build darwinian KWvK
"$bin" verify shatranj KRvKN --sample 3000 --threads 4 --dir "$dir" --quiet || status=1
cat "$dir"/race.* 2>/dev/null | grep -A 12 'WARNING: ThreadSanitizer' | head -n 60
races=$(cat "$dir"/race.* 2>/dev/null | grep -c 'WARNING: ThreadSanitizer' || true)
echo "tsan: $races reports"
[ "$status" -eq 0 ] && [ "$races" -eq 0 ]
