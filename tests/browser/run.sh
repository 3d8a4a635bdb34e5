#!/bin/sh
# run.sh BUILD - the page of `bareking explore` in Chromium, then, after `make wasm`, that of `bareking
# site`, which has no server.  Needs node, npm and chromium (Debian's); playwright-core and axe-core come by npm
# into BUILD/browser, browsers do not.  SHOTS=DIR: pictures to look at.  Last line: how it went.
set -eu
case ${1:?usage: run.sh BUILD} in
/*) build=$1 ;;
*) build=$PWD/$1 ;;
esac
here=$(cd "$(dirname "$0")" && pwd)
bin=$build/bareking dir=$build/browser
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
    { echo "not tried: no chromium (chromium nodejs npm)"; exit 77; }
command -v npm >/dev/null || { echo "not tried: no npm (chromium nodejs npm)"; exit 77; }

mkdir -p "$dir"
[ -d "$dir/node_modules/playwright-core" ] && [ -d "$dir/node_modules/axe-core" ] ||
    (cd "$dir" && npm install --silent --no-fund --no-audit playwright-core@1 axe-core@4) >&2
"$bin" build shatranj KQvKQ KRvKN --dir "$dir/tables" --quiet
"$bin" build puzzle KRvKN --dir "$dir/tables" --quiet
"$bin" build grand-shatranj KOvKO --dir "$dir/tables" --quiet
rm -f "$dir/where"
"$bin" explore --port 0 --json --dir "$dir/tables" >"$dir/where" &
server=$!
trap 'kill $server 2>/dev/null' EXIT
trap 'exit 1' INT TERM
i=0
until [ -s "$dir/where" ] || [ $i -ge 100 ]; do
    i=$((i + 1))
    sleep 0.1
done
cp "$here"/*.mjs "$dir/"
cd "$dir"
export CHROMIUM="$chromium" BIN="$bin" TABLES="$dir/tables"
API=$(sed -n 's/.*"url":"\([^"]*\)".*/\1/p' where)
export API
status=0
for tests in page stay; do
    URL=$API node $tests.mjs || status=1
done
rm -rf site far
if ! "$bin" site tables -o site --quiet 2>where; then
    grep -q 'make wasm' where || { cat where >&2; exit 1; }
    echo "browser: with a server; left out: without one (make wasm; Debian: emscripten)"
    exit $status
fi
newer=$(find "$here/../../src" "$here/../../probe" -name '*.[ch]' -newer "$build/wasm/bareking.wasm" 2>/dev/null | wc -l)
[ "$newer" -eq 0 ] || echo "browser: $newer sources are newer than the prober without a server; \`make wasm\` first"
node host.mjs site >far &
host=$!
trap 'kill $server $host 2>/dev/null' EXIT
trap 'exit 1' INT TERM
i=0
until [ -s far ] || [ $i -ge 100 ]; do
    i=$((i + 1))
    sleep 0.1
done
for tests in page stay; do
    URL=$(cat far) SHOTS=${SHOTS:+$SHOTS/far} node $tests.mjs || status=1
done
exit $status
