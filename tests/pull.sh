#!/bin/sh
# pull.sh BUILD [N] - tables fetched: `needs`, `pull` and `push`, from folders, from a server that errs on purpose
# (pull_server.py), from nginx where it is; and N pulls among faults and kills (pull_soak.py; 30).
#
# After each, what is under a final name has the source's bytes; a failure is one line and its status.
set -u
LC_ALL=C
export LC_ALL
unset BAREKING_DIR
export no_proxy='*' BAREKING_PATIENCE=0.1
build=$(cd "${1:?usage: pull.sh BUILD [N]}" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
n=${2:-30}
bin=$build/bareking
python=${PYTHON:-python3}
. "$here/scratch.sh"
cd "$tmp" || exit 1
server= nginx=
end_servers() {
    exec 9>&- 2>/dev/null
    [ -z "$server" ] || kill "$server" 2>/dev/null
    [ -z "$nginx" ] || kill "$nginx" 2>/dev/null
}
at_end=end_servers
die() {
    echo "FAILED: $*"
    head -n 8 out err 2>/dev/null
    exit 1
}
# STATUS TEXT ARGUMENT...: the command ends so; TEXT in its answer, or in its one line on stderr
ends() {
    expected=$1 text=$2
    shift 2
    timeout 60 "$bin" "$@" >out 2>err </dev/null
    status=$?
    [ $status -eq "$expected" ] || die "status $status, not $expected: bareking $*"
    if [ "$expected" -eq 0 ]; then
        [ ! -s err ] && grep -qF -e "$text" out || die "no '$text' in the answer: bareking $*"
    else
        [ "$(grep -c '^bareking: ' err)" -eq 1 ] && [ "$(wc -l <err)" -eq 1 ] || die "not one line on stderr: bareking $*"
        grep -qF -e "$text" err || die "no '$text' in the error: bareking $*"
    fi
}
# FOLDER: all of its files under final names are the source's
right() {
    for file in "$1"/*/*.bk?; do
        [ -e "$file" ] || continue
        cmp -s "$file" "src/${file#"$1"/}" || die "$file is not as it should be"
    done
}
# FOLDER: it has all, and nothing else
whole() {
    (cd "$1" && find . -type f ! -name manifest.txt | sort) >got
    cmp -s all got || die "$1 has $(diff all got)"
    right "$1"
}
wanted='shatranj KPvKP KRvKN'
"$bin" build $wanted --dir src --quiet || die 'no tables'
(cd src && find . -type f | sort) >all

# == needs: the names of files ==
ends 0 shatranj/KQvKP.bkd needs $wanted
sort out | sed 's|^|./|' | cmp -s - all || die 'needs names other files than build makes'
ends 0 '["shatranj/KRvKN.bkw"]' needs shatranj KNvKR --wdl --json # colours exchanged
[ "$("$bin" needs shatranj --men 4 --wdl | wc -l)" -eq "$("$bin" plan shatranj --men 4 --dir none --json | tr '{' '\n' | grep -c '"material"')" ] ||
    die 'needs --men has other tables than plan'
"$bin" needs shatranj KvK >out 2>err && [ ! -s out ] && grep -q 'decided by rule' err || die 'files of two kings'
ends 2 'materials, --men N or --for FEN' needs shatranj

# == A folder: read as it is, or as its list says ==
ends 0 'a: 8 files came' pull src $wanted --dir a
whole a
ends 0 'a: 0 files came, 0 B, in 0:00; 8 there already' pull src $wanted --dir a
ends 0 '"files":["shatranj/KRvKN.bkw"],"bytes":45266,"already_there":0' pull src shatranj KRvKN --dir w --wdl --json
ends 0 'w: 1 file came' pull src shatranj KRvKN --dir w # the distances alone
ends 1 'src has 0 of 2 files; shatranj/KNvKN.bkw is not there' pull src shatranj KNvKN --dir w
ends 2 'the same folder' pull src $wanted --dir ./src
ends 1 'nowhere: No such' pull nowhere $wanted --dir b
ends 2 'all: no folder' pull all $wanted --dir b
rm -rf half && mkdir -p half/shatranj && cp src/shatranj/KRvKN.bkw half/shatranj
ends 1 'half has 1 of 2 files; shatranj/KRvKN.bkd is not there; --wdl takes results alone' pull half shatranj KRvKN --dir b
"$bin" manifest src >list && cp list src/manifest.txt
rm -rf a && ends 0 'a: 8 files came' pull src $wanted --dir a

# == What is there stays, if it is whole ==
"$bin" build shatranj KRvKN --dir best --standalone --quiet
ends 0 '0 files came, 0 B, in 0:00; 0 there already, 2 whole and of another build' pull src shatranj KRvKN --dir best
ends 0 '2 files came' pull src shatranj KRvKN --dir best --force
right best
"$bin" build shatranj KRvKN --dir results --wdl --quiet # these know of no distances
ends 0 '2 files came' pull src shatranj KRvKN --dir results
right results
for file in a/shatranj/KRvKN.bkw a/shatranj/KQvKQ.bkd; do # damaged
    chmod u+w $file
    printf x | dd of=$file bs=1 seek=200 conv=notrunc 2>/dev/null
done
"$bin" pull src $wanted --dir a >out 2>err || die 'a damaged table'
[ "$(grep -c '; fetching it again$' err)" -eq 2 ] && grep -q '2 files came' out || die 'a damaged table is not told'
whole a
sed 's/^name  *= .*/name = shatranj/; s/^stalemate *=.*/stalemate = draw/' "$here/../src/variants/shatranj.ini" >other.ini
"$bin" build other.ini KRvKN --dir foreign --quiet || die 'no tables of other rules'
ends 2 'made by other rules than those of this shatranj; --force replaces it' pull src shatranj KRvKN --dir foreign
"$bin" manifest foreign >foreign/manifest.txt
rm -rf f && ends 3 'is as the list has it, and no table of use here' pull foreign shatranj KRvKN --dir f --wdl
[ -z "$(find f -name '*.bk?')" ] || die 'a table of other rules has a name'

# == Hostile lists: one line, and no file ==
hostile() { # STATUS TEXT: of the list in `lies`
    rm -rf bad && mkdir bad && cp lies bad/manifest.txt && cp -R src/shatranj bad
    ends "$1" "$2" pull bad shatranj KRvKN --dir h/in
    [ -z "$(find h -type f 2>/dev/null)" ] || die "files, of a list with $2"
}
line=$(sha256sum <src/shatranj/KRvKN.bkw | cut -d ' ' -f 1)
for path in ../x.bkw shatranj/../../x.bkw .. shatranj/.. /etc/passwd ''; do
    { cat list && printf '%s  %s\n' "$line" "$path"; } >lies
    hostile 2 'bad/manifest.txt:18: not a line of a manifest'
done
{ cat list && printf '%s  shatranj/\033[2J.bkw\n' "$line"; } >lies
hostile 2 'bad/manifest.txt:18: a control character in a name'
{ cat list && printf 'x\0y\n'; } >lies
hostile 2 'is no text'
{ cat list && head -c 20000 /dev/zero | tr '\0' x && echo; } >lies
hostile 2 'bad/manifest.txt:18: not a line of a manifest: 20000 bytes'
{ cat list && printf '%064d  shatranj/KRvKN.bkw\n' 0; } | sed 1d >lies
hostile 2 'names shatranj/KRvKN.bkw twice, and not as the same file'
printf %s "$(cat list)" >lies
hostile 2 'does not end with a line'
head -n 7 list >lies
hostile 2 'it has been cut'
: >lies
hostile 2 'no file is named'
head -c 66 /dev/zero | tr '\0' '\n' >lies
hostile 2 'no file is named'
sed '/^# .*KRvKN.bkw/d' list >lies
hostile 2 'tells no size of shatranj/KRvKN.bkw'
sed 's/^# [0-9]* \(.*KRvKN.bkw\)/# 99999999999999999999 \1/' list >lies
hostile 2 'tells no size of shatranj/KRvKN.bkw'
sed 's/^# [0-9]* \(.*KRvKN.bkw\)/# 99999999999999999 \1/' list >lies
hostile 4 '--force tries it'
for size in 1 45265 45267; do
    sed "s/^# [0-9]* \(.*KRvKN.bkw\)/# $size \1/" list >lies
    rm -rf bad h && mkdir bad && cp lies bad/manifest.txt && cp -R src/shatranj bad
    ends 3 'KRvKN.bkw has ' pull bad shatranj KRvKN --dir h
    [ -z "$(find h -name '*.bkw')" ] || die "a file of another size than $size"
done
sed "s/^$line/$(echo "$line" | tr 0-9a-f 1-9a-f0)/" list >lies
rm -rf bad h && mkdir bad && cp lies bad/manifest.txt && cp -R src/shatranj bad
ends 3 'bad: shatranj/KRvKN.bkw has other bytes than those of the list' pull bad shatranj KRvKN --dir h
[ -z "$(find h -type f -name '*.bkw*')" ] || die 'a file with another hash'
head -c 68000000 /dev/zero | tr '\0' '\n' >bad/manifest.txt
ends 2 'a list of more than 64 MiB' pull bad shatranj KRvKN --dir h
rm -rf bad && mkdir bad && mkfifo bad/manifest.txt
ends 4 'manifest.txt: no file' pull bad shatranj KRvKN --dir h
rm bad/manifest.txt && mkdir bad/shatranj && cp list bad/manifest.txt
for file in bkw bkd; do mkfifo bad/shatranj/KRvKN.$file; done
ends 4 'no file' pull bad shatranj KRvKN --dir h
# links where a file is to come: nothing is written through them
echo mine >mine && mkdir -p l/shatranj
ln -s ../../mine l/shatranj/KRvKN.bkw.part && ln mine l/shatranj/KRvKN.bkd.part
ends 0 '2 files came' pull src shatranj KRvKN --dir l
right l
[ "$(cat mine)" = mine ] || die 'written through a link'

# == Parts: a pull goes on where it was cut ==
mkdir -p go/shatranj && head -c 20000 src/shatranj/KRvKN.bkw >go/shatranj/KRvKN.bkw.part
head -c 62043 /dev/zero >go/shatranj/KRvKN.bkd.part # of another file, and as long
ends 0 '2 files came' pull src shatranj KRvKN --dir go
right go
[ -z "$(find go -name '*.part')" ] || die 'a part is left'

# == A server that errs ==
if ! command -v "$python" >/dev/null; then
    leave_out 'servers (python3)'
else
    mkfifo words
    "$python" "$here/pull_server.py" . 7 <words >port &
    server=$!
    exec 9>words
    i=0
    until [ -s port ] || [ $i -ge 100 ]; do i=$((i + 1)); sleep 0.1; done
    url=http://127.0.0.1:$(cat port)
    rm -rf s && ends 0 's: 8 files came' pull "$url/good/src/" $wanted --dir s
    whole s
    mkdir -p site/tables && cp -R src/shatranj src/manifest.txt site/tables # as `bareking site` has it
    rm -rf s && ends 0 's: 8 files came' pull "$url/good/site" $wanted --dir s
    for fault in cut reset empty garbage wrong short long more nolength lied gzip nothing unplaced 500 503 stall there; do
        rm -rf s
        ends 0 's: 2 files came' pull "$url/$fault:1/src" shatranj KRvKN --dir s
        right s
    done
    for fault in full shifted norange lied nothing unplaced 416 wrong; do # of the rest of a file
        rm -rf s && mkdir -p s/shatranj && head -c 20000 src/shatranj/KRvKN.bkw >s/shatranj/KRvKN.bkw.part
        ends 0 's: 1 file came' pull "$url/$fault:1/src" shatranj KRvKN --wdl --dir s
        right s
    done
    always() { # STATUS FAULT TEXT
        rm -rf s
        ends "$1" "$3" pull "$url/$2:0/src" shatranj KRvKN --wdl --dir s
        [ -z "$(find s -name '*.bkw')" ] || die "a table, of a server that always does $2"
    }
    always 4 empty 'the same command goes on'
    always 4 garbage 'the same command goes on'
    always 3 wrong 'other bytes than those of the list'
    always 3 more 'more than the 45266 bytes of the list'
    always 1 404 'the server says 404'
    always 3 416 'bytes, not the 45266 of the list'
    always 4 500 'the server says 500'
    always 3 unplaced 'bytes, not the 45266 of the list'
    always 4 nothing 'ends too early'
    always 4 loop 'redirects'
    always 4 elsewhere 'Protocol "file" not supported'
    BAREKING_PATIENCE=1 always 4 stall 'the same command goes on'
    for fault in cut:2 500:2 empty:1 stall:1; do
        rm -rf s && ends 0 's: 1 file came' pull "$url/list-$fault/src" shatranj KRvKN --wdl --dir s
    done
    for fault in wrong short more gzip; do # each is no list, but by chance
        rm -rf s && timeout 60 "$bin" pull "$url/list-$fault:0/src" shatranj KRvKN --wdl --dir s >out 2>err
        right s
    done
    ends 4 'file' pull "$url/list-elsewhere:0/src" shatranj KRvKN --dir s
    ends 1 'no manifest.txt there, nor in tables' pull "$url/good/none" shatranj KRvKN --dir s
    # one file that cannot be had is no reason to leave out the others
    rm -rf gap && mkdir gap && cp -R src/shatranj gap && cp list gap/manifest.txt && rm gap/shatranj/KQvKQ.bkw
    rm -rf s && ends 1 'KQvKQ.bkw: the server says 404' pull "$url/good/gap" $wanted --dir s
    right s
    [ "$(find s -name '*.bk?' | wc -l)" -eq 6 ] || die 'the others have not come'
    "$python" "$here/pull_soak.py" "$bin" src "$n" "${SEED:-1}" >soak 2>&1 || { cat soak; die 'the soak'; }
    exec 9>&-
    kill $server
    server=
fi
ends 4 'connect' pull http://127.0.0.1:1 shatranj KRvKN --dir s
for source in file:///etc ftp://127.0.0.1/x HTTPX://x; do ends 2 'neither http:// nor https://' pull $source shatranj KRvKN --dir s; done
ends 2 'without `?`' pull 'http://127.0.0.1:1/x?y' shatranj KRvKN --dir s

# == Without libcurl only servers fail ==
mkdir none && : >none/libcurl.so.4 && : >none/libcurl-gnutls.so.4
LD_LIBRARY_PATH=none "$bin" pull http://127.0.0.1:1 shatranj KRvKN >out 2>err && die 'pulled without libcurl'
grep -q 'pull needs libcurl: ' err || die 'what is missing is not said'
rm -rf s && LD_LIBRARY_PATH=none "$bin" pull src shatranj KRvKN --dir s --quiet || die 'folders need libcurl'

# == Several at once ==
rm -rf s
for i in 1 2 3; do "$bin" pull src $wanted --dir s --quiet 2>err$i & eval "pull$i=\$!"; done
"$bin" build $wanted --dir s --quiet >out 2>err || die 'a build beside pulls'
for i in 1 2 3; do eval "wait \$pull$i" || die "pull $i of three, beside a build: $(cat err$i)"; done
[ -z "$(find s -name '.*' -type f -o -name '*.part')" ] || die "left: $(find s -type f)"
"$bin" check shatranj --dir s --quiet || die 'a build and pulls in one folder'

# == push: a subset, and its list ==
ends 0 'p: 2 files came' push p shatranj KRvKN --dir src
"$bin" push p shatranj KQvKQ --dir src --wdl --quiet || die 'push --wdl'
ends 0 '3 good, 0 missing, 0 differ, 0 not in the list' manifest p p/manifest.txt
"$bin" push p $wanted --dir src --quiet & other=$!
"$bin" push p shatranj KQvKP --dir src --quiet || die 'push'
wait $other || die 'two pushes'
ends 0 '8 good, 0 missing, 0 differ, 0 not in the list' manifest p p/manifest.txt
whole p
ends 0 '0 files came' pull p $wanted --dir s
ends 2 'a folder is wanted' push http://127.0.0.1:1 shatranj KRvKN --dir src
ends 2 'the same folder' push src shatranj KRvKN --dir src
cp -R src q && rm q/manifest.txt && printf x | dd of=q/shatranj/KRvKN.bkw bs=1 seek=200 conv=notrunc 2>/dev/null
ends 3 'no table of use here' push r shatranj KRvKN --wdl --dir q
echo '0 shatranj/x' >p/manifest.txt
ends 2 'p/manifest.txt:1: not a line' push p shatranj KRvKN --dir src

# == A site, where this bareking can make one ==
if "$bin" site src -o st --quiet 2>err; then
    ends 0 '8 good, 0 missing, 0 differ, 0 not in the list' manifest st/tables st/tables/manifest.txt
    rm -rf s && ends 0 's: 8 files came' pull st $wanted --dir s
    whole s
else
    grep -q WebAssembly err || die 'no site'
    leave_out 'a site (make wasm)'
fi

# == nginx ==
if ! command -v nginx >/dev/null; then
    leave_out 'nginx'
else
    port=$((20000 + $$ % 20000))
    mkdir -p www/tables ngx && cp -R src/shatranj src/manifest.txt www/tables && chmod -R a+rX "$tmp"
    cat >nginx.conf <<END
daemon off; pid $tmp/ngx/pid; error_log $tmp/ngx/error;
events {}
http {
    access_log $tmp/ngx/access; default_type application/octet-stream; gzip on; gzip_types *;
    client_body_temp_path $tmp/ngx/a; proxy_temp_path $tmp/ngx/b; fastcgi_temp_path $tmp/ngx/c;
    uwsgi_temp_path $tmp/ngx/d; scgi_temp_path $tmp/ngx/e;
    server {
        listen 127.0.0.1:$port; root $tmp/www;
        location /moved/ { rewrite ^/moved/(.*)$ /\$1 redirect; }
        @TLS@
        location /slow/ { alias $tmp/www/tables/; limit_rate 60k; }
    }
}
END
    if command -v openssl >/dev/null && openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=127.0.0.1 -days 9 \
        -keyout ngx/key -out ngx/cert >out 2>&1; then
        sed -i "s|@TLS@|listen 127.0.0.1:$((port + 1)) ssl; ssl_certificate $tmp/ngx/cert; ssl_certificate_key $tmp/ngx/key;|" nginx.conf
        tls=$((port + 1))
    else
        sed -i '/@TLS@/d' nginx.conf
        tls=
        leave_out 'certificates (openssl)'
    fi
    start_nginx() {
        nginx -e "$tmp/ngx/error" -c "$tmp/nginx.conf" 2>/dev/null &
        nginx=$!
        for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
            [ -s ngx/pid ] && [ -e ngx/access ] && break
            sleep 0.1
        done
    }
    start_nginx
    rm -rf s && ends 0 's: 8 files came' pull "http://127.0.0.1:$port" $wanted --dir s
    whole s
    rm -rf s && ends 0 's: 8 files came' pull "http://127.0.0.1:$port/moved" $wanted --dir s
    rm -rf s && mkdir -p s/shatranj && head -c 20000 src/shatranj/KRvKN.bkw >s/shatranj/KRvKN.bkw.part
    ends 0 's: 1 file came' pull "http://127.0.0.1:$port/tables" shatranj KRvKN --wdl --dir s
    right s
    grep -q '"GET /tables/shatranj/KRvKN.bkw HTTP/1.1" 206 25266 ' ngx/access || die 'nginx was not asked for the rest'
    if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
        rm -rf s && script -qec "$bin pull http://127.0.0.1:$port/slow shatranj KRvKN --dir s" /dev/null </dev/null >out 2>&1
        grep -q '%  KRvKN.bkd 1/1  [0-9.]* KiB/s  0:0[0-9] left' out || die 'no bar on a terminal'
        tail -n 1 out | grep -q 's: 2 files came' || die 'no last line behind the bar'
    else
        leave_out 'the bar (script)'
    fi
    [ -z "$tls" ] || ends 4 'certificate' pull "https://127.0.0.1:$tls" shatranj KRvKN --dir s2
    # interrupted; and a file that may not grow
    rm -rf s
    "$bin" pull "http://127.0.0.1:$port/slow" shatranj KRvKN --dir s >out 2>err & pull=$!
    sleep 0.5
    kill -INT $pull
    wait $pull
    [ $? -eq 4 ] && grep -qx 'bareking: interrupted; the same command goes on' err || die 'interrupted'
    [ -s s/shatranj/KRvKN.bkd.part ] && [ "$(find s -type f | wc -l)" -eq 1 ] || die "interrupted, it leaves $(find s -type f)"
    ends 0 's: 2 files came' pull "http://127.0.0.1:$port" shatranj KRvKN --dir s
    right s
    rm -rf s
    (ulimit -f 30 && ends 4 'File too large' pull "http://127.0.0.1:$port" shatranj KRvKN --dir s) || die 'files that may not grow'
    [ -z "$(find s -type f)" ] || die 'what does not fit stays'
    # killed, and started anew, while a pull is under way
    rm -rf s
    BAREKING_PATIENCE=20 "$bin" pull "http://127.0.0.1:$port/slow" shatranj KQvKP --dir s --quiet >out 2>err & pull=$!
    sleep 1
    kill $nginx && wait $nginx
    start_nginx
    wait $pull || die 'nginx started anew'
    right s
    [ "$(find s -name '*.bk?' | wc -l)" -eq 4 ] || die 'not all have come'
    grep -q ' 206 ' ngx/access || die 'the pull did not go on'
    kill $nginx && wait $nginx 2>/dev/null
    nginx=
fi
soak=$(cat soak 2>/dev/null || :)
echo "tables are fetched, and nothing else${soak:+: $soak}${without:+; left out: $without}"
