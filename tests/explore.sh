#!/bin/sh
# explore.sh BUILD - `bareking explore` from outside, by the requests of clients and of nobody's friends.
# FULL=1: slow senders, too, and 1,000 mixed requests by 8 clients at once, which want p99 < 20 ms
# with tables in memory (P99: another bound, in ms).  Last line: what was looked at.
set -u
LC_ALL=C
export LC_ALL
unset BAREKING_DIR
case ${1:?usage: explore.sh BUILD} in
/*) build=$1 ;;
*) build=$PWD/$1 ;;
esac
bin=$build/bareking ask=$build/explore_client
. "$(dirname "$0")/scratch.sh"
server=
end_server() { [ -z "$server" ] || kill "$server" 2>/dev/null; }
at_end=end_server
tests=$(cd "$(dirname "$0")" && pwd)
twelve=$tests/twelve.ini
cd "$tmp" || exit 1
looked=0

die() { echo "explore: $1"; cat out 2>/dev/null | cut -c1-2000; exit 1; }

# STATUS TEXT TARGET [METHOD [BODY]]
wants() {
    "$ask" "$port" get "$3" "${4-GET}" "${5-}" >out 2>&1 || die "no answer: $3"
    case $(head -c 4 out) in "$1 ") ;; *) die "not $1: $3" ;; esac
    grep -qF -e "$2" out || die "no '$2': $3"
    looked=$((looked + 1))
}
# STATUS WHAT: of what stdin holds; several statuses with | between, 0: closed without a word
raw() {
    "$ask" "$port" raw >out 2>&1 || die "no answer to $2"
    grep -qE "^($1) " out || die "not $1: $2"
}
repeat() { # TEXT TIMES
    awk -v text="$1" -v n="$2" 'BEGIN { for (i = 0; i < n; i++) printf "%s", text }'
}

"$bin" build shatranj KQvKQ KRvKN --dir t --quiet || die 'no tables'
"$bin" build puzzle KAvKA --dir t --quiet || die 'no tables'
serve() { # options
    explorer "$bin" "${dir-t}" "$@"
    [ -n "$port" ] || die "no server: $(cat err)"
}

serve "$twelve"

# == Without libmicrohttpd only explore fails ==
mkdir none && : >none/libmicrohttpd.so.12
LD_LIBRARY_PATH=none "$bin" explore --port 0 --dir t >out 2>&1 && die 'served without libmicrohttpd'
grep -q 'explore needs libmicrohttpd: ' out || die 'what is missing is not said'
LD_LIBRARY_PATH=none "$bin" probe shatranj '8/8/8/3k4/8/1KQ5/8/q7 w' --dir t >out 2>&1 || die 'probe needs libmicrohttpd'

# == What clients ask ==
api=/api/v1/shatranj
diamond=8/8/8/3k4/8/1KQ5/8/q7_w_-_-_0_1
wants 200 '"category":"win","dtm":39,"dtz":null' "$api/probe?fen=$diamond"
wants 200 '"moves":[{"uci":"b3b4","san":"Kb4","name":"b3b4","category":"loss","dtm":-38' "$api/probe?fen=$diamond"
wants 200 '"tables_used":["KQvKQ"],"missing":[]' "$api/probe?fen=$diamond"
wants 200 '"category":"loss","dtm":-40' "$api/probe?fen=8/8/8/3k4/8/2Q5/2K5/q7_b_-_-_1_1"
wants 200 '"variant_loss":true' "$api/probe?fen=8/8/8/3k4/8/1KQ5/8/8_b"
wants 200 '"end_fen":"8/8/8/8/8/3k4/1K6/2Q5 b' "$api/line?fen=$diamond"
wants 200 '{"square":"c3","category":"win","plies":39,"turns":20,"over":false}' "$api/map?fen=$diamond&square=c3"
wants 200 '"longest_win":{"plies":53,"turns":27' "$api/stats?material=KRvKN"
wants 200 '"longest_win":{"plies":5,"turns":3' "$api/stats?material=KNvKR"
# counted whole, the histogram adds up to what the head of the file says
i=0
while "$ask" "$port" get "$api/stats?material=KNvKR&exact=1" >out; grep -q '"counting":true' out; do
    i=$((i + 1))
    [ $i -lt 100 ] || die 'counting without end'
    sleep 0.2
done
wants 200 '"exact":true,"white":{"positions":1567222,"draw":1127202,"win":[[1,242862],[3,26457],[5,10]]' "$api/stats?material=KNvKR&exact=1"
# so are positions to look at
i=0
while wants 200 '"material":"KRvKN"' "$api/examples?material=KRvKN"; grep -q '"counting":true' out; do
    i=$((i + 1))
    [ $i -lt 300 ] || die 'looking without end'
    sleep 0.2
done
for kind in zugzwangs only_moves holds problems; do
    grep -q "\"$kind\":\[{\"fen\":\"" out || die "no $kind of KRvKN"
done
wants 404 'no table KRvKR of shatranj' "$api/examples?material=KRvKR"
wants 404 'by-rule' "$api/examples?material=KRvK"
wants 400 'lacks a material=' "$api/examples"
wants 400 'exact= is 1 or 0' "$api/stats?material=KNvKR&exact=x"
wants 200 '{"material":"KQvKQ","winner":"white","plies":63,"turns":32' "$api/longest"
wants 200 '"leads_to":[{"material":"KRvK","by_rule":true' "$api/tables?material=KRvKN"
wants 200 '{"material":"KRvKN","men":4,"distances":true' "$api/tables"
wants 200 '"tables_used":[],"missing":[],"moves":[{"uci":"b3a2"' "$api/moves?fen=$diamond" # nothing was asked
wants 200 '"fen":"rnbqkbnr/pppppppp/' "$api/moves?fen=startpos"
wants 200 '{"variant":"shatranj","fen":"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w' "$api/board?fen=startpos"
wants 200 '"fen":"8/8/8/3k4/8/8/8/8 w"' "$api/board?fen=8/8/8/3k4/8/8/8/8_w" # while it is set up
wants 200 '"fen":"8/8/8/3k4/8/1K6/8/8 b - - 0 1"' "$api/board?fen=8/8/8/3k4/8/1K6/8/8_b"
wants 200 '"fen":"2**/2**/4/4[KkAAaa] w' /api/v1/puzzle-mini/board?fen=startpos
wants 200 '[r] w' '/api/v1/puzzle-hands/board?fen=5k**/6**/8/8/8/8/5K2/1N1A2n1[r]_w'
wants 200 '"fen":"8/*7/8/3k4/8/1K6/8/8 w' "$api/board?fen=8/*7/8/3k4/8/1K6/8/8_w" # on another terrain
for board in hello startpo STARTPOS 8/8 8/8/8/8/8/8/8/8/8 9/8/8/8/8/8/8/8 k/8/8/8/8/8/8/K k7/8/8/3e4/8/8/8/K7 10/10/10/10/10/10/10/10/10/X8k '' %20 \
    '%D0%9A7/8/8/8/8/8/8/k7' 8/8/8/8/8/8/8/8%00 "$(repeat 8/ 300)" %3Cscript%3E; do
    wants 400 '"error":"' "$api/board?fen=$board"
done
wants 400 '"code":"fen"' '/api/v1/puzzle-hands/board?fen=5k**/6**/8/8/8/8/5K2/1N1A2n1[x]_w'
wants 400 'lacks a fen=' "$api/board"
wants 400 'sultan-random has no starting position' "/api/v1/sultan-random/moves?fen=startpos"
wants 200 '"start":"2**/2**/4/4[KkAAaa] w' /api/v1/variants # all men to be dropped
wants 200 '"holes":["g7","h7","g8","h8"]' /api/v1/variants
wants 200 '<svg' "$api/svg?fen=$diamond&arrows=b3b4&flip=1"
wants 200 '"category":"win","dtm":39' "$api/batch" POST '{"fens":["8/8/8/3k4/8/1KQ5/8/q7 w"]}'
wants 200 '"material":"KAvKA"' "/api/v1/puzzle/probe?fen=5k**/6**/3a4/8/8/8/5K2/1A6_w"
wants 200 '<!doctype html>' /
wants 200 'uPlot' /uPlot.iife.min.js

# == As docs/openapi.yaml says ==
if python3 -c 'import yaml, jsonschema' 2>/dev/null; then
    PYTHONDONTWRITEBYTECODE=1 python3 "$tests/openapi.py" "$tests/../docs/openapi.yaml" "http://localhost:$port/api/v1" >out 2>&1 ||
        die 'not as docs/openapi.yaml says'
    looked=$((looked + 1))
else
    leave_out 'docs/openapi.yaml (python3-yaml, python3-jsonschema)'
fi

# == What is not known, or makes no sense ==
wants 404 '"missing":["KRvKR"]' "$api/probe?fen=8/8/8/3k4/8/1KR5/8/r7_w"
wants 404 '"missing":["KPvKP",' /api/v1/twelve/probe?fen=4k3/P7/8/8/8/8/p7/4K3_w
grep -q more_missing out && die 'more than all is missing'
wants 404 '"more_missing":true' /api/v1/twelve/probe?fen=4k3/PPP5/8/8/8/8/ppp5/4K3_w
[ "$(sed 's/.*"missing":\[\([^]]*\).*/\1/' out | tr ',' '\n' | grep -c '"K')" = 1000 ] || die 'not the nearest 1,000'
wants 404 'no table' "$api/line?fen=8/8/8/3k4/8/1KR5/8/r7_w"
wants 404 'did you mean' /api/v1/shatran/probe?fen=8
wants 404 'no question' "$api/prob?fen=8"
wants 404 'by-rule' "$api/stats?material=KRvK"
wants 200 '"status":404' "$api/probe?fen=8/8/8/3k4/8/1KR5/8/r7_w&errors=body"
wants 400 'lacks a fen=' "$api/probe"
wants 400 'ranks' "$api/probe?fen=8/8"
wants 400 'could take the king' "$api/probe?fen=8/8/8/3kR3/8/1K6/8/8_w"
wants 400 'given twice' "$api/probe?fen=a&fen=b"
wants 405 'GET' "$api/probe?fen=$diamond" PUT
wants 405 'body' "$api/probe?fen=$diamond" POST '{}'

# == Tables that come while it runs ==
wants 404 '"missing":["KBvKB"]' "$api/probe?fen=8/8/8/3k4/8/1KB5/8/b7_w"
"$bin" build shatranj KBvKB --dir t --quiet || die 'no table'
wants 200 '"tables_used":["KBvKB"],"missing":[]' "$api/probe?fen=8/8/8/3k4/8/1KB5/8/b7_w"

wants 200 '{"material":"KBvKB","winner":"white"' "$api/longest" # kept since the beginning, and no longer
rm t/shatranj/KBvKB.*
wants 200 '"longest":' "$api/longest"
if grep -q KBvKB out; then die 'a table that has gone is among the longest'; fi

# == What nobody's friend sends ==
wants 400 'no such path' /../../../../etc/passwd
wants 400 'no such path' /%2e%2e/%2e%2e/etc/passwd
wants 400 'no such path' /..%2f..%2fetc%2fpasswd
wants 400 'bad escape' '/api/v1/%00/probe'
wants 400 'no such path' //etc/passwd
wants 400 'FEN' "$api/probe?fen=$(repeat '8/' 300)_w"
wants 414 'too long' "$api/probe?fen=$(repeat 8 5000)"
wants 400 'FEN' "$api/probe?fen=%22%3Cscript%3E"
wants 400 'the body must be' "$api/batch" POST "$(repeat '[' 100000)"
wants 400 '1 to 500' "$api/batch" POST "{\"fens\":[$(repeat '"x",' 500)\"x\"]}"
printf 'GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n' | raw 421 'a name that leads here' || exit 1
for host in localhost.evil.example 127.0.0.1.evil.example:80 '[::1].evil.example' xlocalhost; do
    printf 'GET / HTTP/1.1\r\nHost: %s\r\n\r\n' $host | raw 421 "$host, a name that begins as ours" || exit 1
done
for host in localhost LOCALHOST:80 127.0.0.1 '[::1]:8643'; do
    printf 'GET / HTTP/1.1\r\nHost: %s\r\n\r\n' $host | raw 200 "$host, which we are" || exit 1
done
for host in localhost:x localhost:80/ 'localhost, evil.example' x@localhost ''; do
    printf 'GET / HTTP/1.1\r\nHost: %s\r\n\r\n' "$host" | raw 421 "'$host', which is no name" || exit 1
done
# a proxy before it, or another program, may read these otherwise (RFC 9112); nothing after them is read
doubtful() { # WHAT HEADERS [METHOD [TARGET [VERSION]]]: with as many bytes of body as 18
    printf "${3-POST} ${4-/api/v1/shatranj/batch} HTTP/${5-1.1}\\r\\n$2\\r\\n12\\r\\n{\"fens\":[\"8/8\"]}\\r\\n0\\r\\n\\r\\n" |
        raw 400 "$1" || exit 1
    grep -q '"code":"usage"' out || die "$1 is refused by chance"
    looked=$((looked + 1))
}
ours='Host: localhost\r\n' length='Content-Length: 18\r\n' pieces='Transfer-Encoding: chunked\r\n'
doubtful 'no Host' '' GET /
doubtful 'two Hosts' "$ours$ours" GET /
doubtful 'two Hosts, the second evil' "${ours}Host: evil.example\r\n" GET /
doubtful 'two lengths' "$ours$length$length"
doubtful 'two lengths, the second another' "$ours${length}Content-Length: 3\r\n"
doubtful 'a length of 0, and another' "${ours}Content-Length: 0\r\n$length"
doubtful 'a length beside pieces' "$ours$length$pieces"
doubtful 'pieces beside a length' "$ours$pieces$length"
doubtful 'pieces twice' "$ours$pieces$pieces"
doubtful 'another coding' "${ours}Transfer-Encoding: gzip, chunked\r\n"
doubtful 'no coding' "${ours}Transfer-Encoding: identity\r\n"
doubtful 'pieces, which HTTP/1.0 has not' "$ours$pieces" POST /api/v1/shatranj/batch 1.0
doubtful 'a blank before the colon' "${ours}Content-Length : 18\r\n"
doubtful 'a field that is folded before the first' " $ours" GET /
doubtful 'the middle of a line as its end' "${ours}X: a\rContent-Length: 18\r\n" GET /
printf 'GET / HTTP/1.0\r\n\r\n' | raw 200 'HTTP/1.0, which needs no Host' || exit 1
printf "POST /api/v1/shatranj/batch HTTP/1.1\r\n$ours$pieces\r\n12\r\n{\"fens\":[\"8/8 w\"]}\r\n0\r\n\r\n" | raw 200 'a body in pieces' || exit 1
# an address with its host, as proxies send it
printf "GET http://localhost:$port$api/tables HTTP/1.1\r\n$ours\r\n" | raw 200 'an address with its host' || exit 1
printf "GET http://LOCALHOST?game=shatranj HTTP/1.1\r\n$ours\r\n" | raw 200 'a host without a path' || exit 1
printf "GET http://evil.example/ HTTP/1.1\r\n$ours\r\n" | raw 421 'an address elsewhere, whatever Host says' || exit 1
printf "GET http:///etc/passwd HTTP/1.1\r\n$ours\r\n" | raw 421 'an address without its host' || exit 1
# pages of other sites have the browser ask: it says so
from() { # STATUS TARGET HEADERS
    printf "GET $2 HTTP/1.1\r\nHost: localhost:$port\r\n$3\r\n\r\n" | raw "$1" "$2, $3" || exit 1
    looked=$((looked + 1))
}
army='/api/v1/puzzle-mini/moves?fen=1k**/f1**/K2N/4_w'
for elsewhere in 'Sec-Fetch-Site: cross-site' 'Sec-Fetch-Site: same-site' 'Origin: http://evil.example' 'Origin: null' \
    "Origin: http://localhost:1$port" "Sec-Fetch-Site: cross-site\r\nOrigin: http://localhost:$port"; do
    from 403 "$army" "$elsewhere"
    from 403 '/%%61pi/v1/shatranj/longest' "$elsewhere"
    from 403 "$api/stats?material=KRvKN&exact=1" "$elsewhere"
    from 200 '/?game=shatranj' "$elsewhere" # a link
    from 200 "$api/svg?fen=8/8/8/3k4/8/1KQ5/8/q7_w" "$elsewhere" # a picture
done
for here in 'Sec-Fetch-Site: same-origin' 'Sec-Fetch-Site: none' "Origin: http://localhost:$port" 'Accept: */*'; do
    from 200 "$api/stats?material=KRvKN" "$here"
done
looked=$((looked + 11))
printf 'GARBAGE\r\n\r\n' | raw '0|400' garbage || exit 1
printf 'GET / HTTP/1.1\r\nHost: localhost\r\nX: %s\r\n\r\n' "$(repeat a 60000)" | raw 431 'headers without end' || exit 1
printf 'POST /api/v1/shatranj/batch HTTP/1.1\r\nHost: localhost\r\nContent-Length: 280000\r\n\r\n%s' "$(repeat '[' 280000)" |
    raw 413 'a body that is too long' || exit 1
printf 'POST /api/v1/shatranj/batch HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n' |
    raw 413 'a body that is told to be endless' || exit 1
{
    printf 'POST /api/v1/shatranj/batch HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n'
    for i in 1 2 3 4 5; do
        printf '10000\r\n%s\r\n' "$(repeat x 65536)"
    done
    printf '0\r\n\r\n'
} | raw 413 'a body in pieces without end' || exit 1
# what browsers are forbidden, with every answer
for target in / "$api/probe?fen=$diamond" /nothing; do
    printf 'GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' "$target" | "$ask" "$port" head >out ||
        die "no headers: $target"
    for header in "Content-Security-Policy: default-src 'self'; " "frame-ancestors 'none'" 'X-Content-Type-Options: nosniff' \
        'Referrer-Policy: no-referrer' 'Cache-Control: no-cache'; do
        grep -qF "$header" out || die "$target: no $header"
    done
done
printf 'PUT / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' | "$ask" "$port" head >out &&
    grep -q '^Allow: GET, HEAD, POST' out || die 'a method is refused, and not said which are not'
looked=$((looked + 18))
for holes in 7\* 6\*1 6\*\* 5\*2 5\*1\* 5\*\*1 5\*\*\*; do # boards without end
    wants 200 '"category":"draw"' "$api/probe?fen=$holes/8/8/3k4/8/1K6/8/8_w"
done

# == Load, and senders without haste ==
if [ -n "${FULL-}" ]; then
    "$ask" "$port" slow 30 >slow 2>&1 &
    slow=$!
    # what a page would ask: along the best line of each of two positions
    for fen in $diamond 5R2/8/8/8/8/k7/4n3/2K5_w_-_-_0_1; do
        "$ask" "$port" get "$api/line?fen=$fen" | grep -o '"fen":"[^"]*"' |
            sed 's/"fen":"//; s/"$//; s/ /_/g'
    done >fens
    awk -v api="$api" '
        function square_of(fen, man,    rank, file, i, c) { # where a man stands
            rank = 8
            for (i = 1; (c = substr(fen, i, 1)) != man; i++)
                if (c == "/") { rank--; file = 0 } else file += c ~ /[1-8]/ ? c : 1
            return substr("abcdefgh", file + 1, 1) rank
        }
        {
            print api "/probe?fen=" $0
            print api "/probe?fen=" $0
            print api "/line?fen=" $0
            print api "/moves?fen=" $0
            print api "/map?fen=" $0 "&square=" square_of($0, "K")
            print api "/svg?fen=" $0
            if (NR % 5 == 0)
                print api "/stats?material=KRvKN\n" api "/longest\n" api "/tables\n/api/v1/variants\n/main.js"
        }' fens >mixed
    # the first reads what must be read; others' work on the machine may spoil one, not five
    for i in 0 1 2 3 4 5; do
        "$ask" "$port" load 8 1000 <mixed >out 2>&1 || die 'errors under load'
        cat out
        p99=$(sed -n 's/.*p99 \([0-9]*\).*/\1/p' out)
        [ $i -eq 0 ] || [ "$p99" -ge "${P99:-20}" ] || break
    done
    [ "$p99" -lt "${P99:-20}" ] || die 'slow under load'
    wait $slow
    cat slow
    grep -q '^408 after 1[01] s' slow || die 'a slow sender was not cut off'
    looked=$((looked + 3))
fi

wants 200 '<use href="#bk-rook"' "/api/v1/puzzle-hands/svg?fen=5k**/6**/8/8/8/8/5K2/1N1A2n1[r]_w"
wants 400 '"code":"fen"' "/api/v1/puzzle-hands/svg?fen=5k**/6**/8/8/8/8/5K2/1N1A2n1[x]_w"

# == It is still there, keeps to its size, and ends when it is asked to ==
wants 200 '"category":"win","dtm":39' "$api/probe?fen=$diamond"
rss=$(sed -n 's/VmRSS:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$server/status" 2>/dev/null)
[ -n "$rss" ] || leave_out 'what memory it takes (/proc)'
[ -n "${SAN-}" ] || [ "${rss:-0}" -lt 400000 ] || die "it has taken $rss KB"
kill "$server"
wait "$server"
status=$?
server=
[ $status -eq 0 ] || die "it ended with status $status"
[ ! -s err ] || { cat err; die 'words on stderr'; }

# == Tables that come and go while it runs, in a folder whose name is no UTF-8 ==
dir=$(printf 'd\351')
"$bin" build shatranj KQvKQ --wdl --dir "$dir" --quiet || die 'no tables'
serve
kn='k7/8/8/8/8/5n2/8/2K4R_w'
wants 200 '"dir":"d?"' /api/v1/variants
wants 200 '"dtm":null' "$api/probe?fen=$diamond"
wants 404 'no-distances' "$api/line?fen=$diamond"
wants 200 '"longest_win":null' "$api/stats?material=KQvKQ"
wants 404 'no table KRvKN of shatranj' "$api/map?fen=$kn&square=h1"
"$bin" build shatranj KQvKQ --dir "$dir" --quiet || die 'no distances'
wants 200 '"longest_win":{"plies":63,' "$api/stats?material=KQvKQ"
wants 200 '"dtm":39' "$api/line?fen=$diamond"
cp t/shatranj/KRvKN.bk? "$dir/shatranj"
printf '\377' | dd of="$dir/shatranj/KRvKN.bkw" bs=1 seek=20000 conv=notrunc 2>/dev/null
wants 500 'damaged: checksum of shard' "$api/stats?material=KRvKN"
wants 400 '8 to 512' "$api/svg?fen=$diamond&size=9x"
kill "$server"
server=
unset dir

# == A folder that cannot be read ==
mkdir round && ln -s shatranj round/shatranj && ln -s "$tmp/t/puzzle" round/puzzle
dir=round
serve
grep -q '^bareking: round/shatranj: Too many levels' err || die "no word of a folder that cannot be read: $(cat err)"
[ "$(wc -l <err)" = 1 ] || die "more than a line: $(cat err)"
grep -q '"games":1[,}]' where || die 'not the games that can be read'
wants 200 '"tables":null' /api/v1/variants
wants 200 '"tables":1' /api/v1/variants
wants 200 '"material":"KAvKA"' "/api/v1/puzzle/probe?fen=5k**/6**/3a4/8/8/8/5K2/1A6_w"
wants 503 'Too many levels' /api/v1/shatranj/tables
"$bin" site round shatranj -o s1 2>err && die 'a site of a folder that cannot be read'
grep -q 'WebAssembly\|Too many levels' err || die "no word of it: $(cat err)"
kill "$server"
server=
unset dir

# == Bad beginnings ==
"$bin" explore --port 99999 2>err && die 'a port that is none'
"$bin" explore --listen nowhere.example 2>err && die 'a name to listen at'
grep -q 'no address' err || die 'no word of a name to listen at'
serve --listen 127.0.0.2 # this machine by another number
HOST=127.0.0.2 "$ask" "$port" get / GET '' >out 2>&1
grep -q '^200 ' out || die 'it refuses the address that it prints'
kill "$server"
server=
serve --listen 0.0.0.0 # whoever serves others is called by what names they have for him
printf 'GET / HTTP/1.1\r\nHost: tables.example\r\n\r\n' | raw 200 'a name of ours that others know' || exit 1
kill "$server"
server=
"$bin" explore --port 0 --listen 203.0.113.1 2>err && die 'listens at an address of nobody'
grep -q '203.0.113.1, port 0: Cannot assign' err || die "no reason: $(cat err)"
"$bin" explore ./none.ini 2>err && die 'a game that is not there'
looked=$((looked + 5))

# == Without a server: what `make wasm` made is in the command, or it says so ==
"$bin" site t 2>err && die 'a site nowhere'
grep -q 'say where with -o' err || die 'no word of -o'
if "$bin" site t -o s --json >out 2>err; then
    grep -q '"games":2,"tables":[0-9]*,' out || die 'not all tables are in the site'
    for file in index.html bareking.wasm data/variants.json data/shatranj/files.json \
        data/shatranj/longest.json data/shatranj/KRvKN.json; do
        [ -s "s/$file" ] || die "the site lacks $file"
    done
    grep -q 'far.js' s/place.js || die 'the site asks a server'
    cmp -s t/shatranj/KRvKN.bkd s/tables/shatranj/KRvKN.bkd || die 'not the table'
    grep -q '\["shatranj/KRvKN.bkd",[0-9]*,"iUJLRQ0KGgo' s/data/shatranj/files.json || die 'no head of a table'
    "$bin" site t shatranj -o s --quiet || die 'a site is not brought up to date'
    grep -q '"name":"puzzle"' s/data/variants.json && die 'a game that was not asked for'
    find s -name '*.part' | grep -q . && die 'a file that is not whole'
    "$bin" site t -o ./t/ 2>err && die 'a site among the tables'
    [ "$(ls t)" = "$(ls t | grep -v -e index -e data)" ] || die 'something lies among the tables'
    "$bin" site t nogame -o s2 2>err && die 'a game that is none'
    [ ! -d s2 ] || die 'a folder for nothing'
    mkdir -p none
    "$bin" site none -o s2 2>err && die 'a site without tables'
    grep -q 'no tables' err || die 'no word of the lack of tables'
    mkdir -p linked/shatranj
    for file in t/shatranj/KRvKN.*; do ln -s "../../$file" linked/shatranj; done
    "$bin" site linked -o s3 --quiet && cmp -s t/shatranj/KRvKN.bkd s3/tables/shatranj/KRvKN.bkd ||
        die 'links to tables lead nowhere in the site'
    ln -s nowhere linked/shatranj/KRvKB.bkw
    "$bin" site linked -o s3 --quiet 2>err && die 'a site with a link to nowhere'
    grep -q 'KRvKB.bkw: No such file' err || die "no word of the link: $(cat err)"
    looked=$((looked + 11))
else
    grep -q 'make wasm' err || die "no site: $(cat err)"
fi

echo "explore: $looked looked at, all well${without:+; left out: $without}"
