#!/bin/sh
# faults.sh BUILD [PAIRS] - builders among faults.
#
# A small build is made once undisturbed; then again and again while something goes wrong: calls that
# fail or are cut short, full disks, limits, signals, kills at every step, closed descriptors, clocks
# that jump, and PAIRS times two or three builders at once in one folder, some of them killed.
# After each:
#
#   - every file under a table's name has the bytes of the undisturbed build, and `check` is content
#   - the exit status is the right one, and if it is not 0 there is one line that says why
#   - a clean build in the folder makes the same files, and leaves nothing else
#
# ONLY=part runs one part.  Some need root, to mount a small disk and to be nobody: without it they
# are named at the end as left out, and the status is 1.
set -u
LC_ALL=C
export LC_ALL
unset BAREKING_DIR
build=$(cd "${1:?usage: faults.sh BUILD [PAIRS]}" && pwd)
pairs=${2:-200}
here=$(cd "$(dirname "$0")" && pwd)
bin=$build/bareking
inject=$build/inject
tmp=$(mktemp -d)
mounted=
tidy() {
    [ -z "$mounted" ] || umount "$mounted"
    rm -rf "$tmp"
}
trap tidy EXIT
trap 'exit 1' INT TERM
chmod 755 "$tmp"
cd "$tmp" || exit 1
cp "$here/six.ini" six.ini
tables='KNvKP KRvKN'
all=0 part=0 left_out=

die() {
    echo "faults: $1"
    echo "-- out:"; head -n 5 out 2>/dev/null
    echo "-- err:"; head -n 5 err 2>/dev/null
    find "${f:-.}" -type f | head -n 20
    exit 1
}

# the build that all of this is about, into folder $1
command_line() { echo "$bin build $tmp/six.ini $tables --dir $1 --threads 2 --quiet"; }

sums() { (cd "$1" && find . -type f | sort | xargs -r sha256sum); }

BAREKING_CHECKPOINT=0.01
export BAREKING_CHECKPOINT

# `check` finds fault with distances alone, as who is killed between two names may leave them, the first
# step of a pair; nothing else leaves them.
only_half() { [ "${status:-0}" -ge 128 ] && ! grep -vE ': distances, and no [A-Za-z]+\.bkw is there$' err2; }

# What is there under final names is whole and right.
whole_and_right() { # folder
    for file in "$1"/six/*.bk[wd]; do
        [ -e "$file" ] || continue
        cmp -s "$file" "clean/six/${file##*/}" || die "$what: ${file##*/} is not as it should be"
    done
    if ls "$1"/six/*.bkw >/dev/null 2>&1; then
        "$bin" check six.ini --dir "$1" --quiet >out2 2>err2 || only_half || { cat err2; die "$what: check fails"; }
    fi
}

# A clean build goes on, makes the same files and leaves nothing else.
clean_build() { # folder
    # shellcheck disable=SC2046
    timeout 60 $(command_line "$1") >out2 2>err2 || { cat err2; die "$what: a clean build fails"; }
    sums "$1" >got
    cmp -s want got || { diff want got; die "$what: not the same after a clean build"; }
}

# STATUSES TEXT COMMAND...: into folder $f.  One of these statuses; text on stderr unless it is 0.
during() {
    wanted=$1 text=$2
    shift 2
    timeout -k 1 60 "$@" >out 2>err </dev/null
    status=$?
    case " $wanted " in *" $status "*) ;; *) die "$what: status $status, not $wanted" ;; esac
    if [ "$status" -ne 0 ] && [ "$status" -le 4 ]; then
        grep -v 'going on without it$' err >why # of checkpoints: no error
        grep -q '^bareking: ' why || die "$what: no line says why"
        [ -z "$text" ] || grep -qE "$text" why || die "$what: no '$text'"
        [ "$(wc -l <why)" -eq 1 ] || die "$what: more than a line"
    fi
}

after() {
    whole_and_right "$f"
    clean_build "$f"
    rm -rf "$f"
    all=$((all + 1)) part=$((part + 1))
}

begin() { # name: true if this part is wanted
    [ -z "${ONLY:-}" ] || [ "$ONLY" = "$1" ] || return 1
    part=0 name=$1
}
end() { echo "faults: $name: $part"; }

random() { od -An -N4 -tu4 /dev/urandom | awk -v n="$1" '{ print $1 % n }'; }

f=clean what='the undisturbed build'
began=$(date +%s%N)
# shellcheck disable=SC2046
$(command_line clean) >out 2>err || die 'the undisturbed build fails'
took=$((($(date +%s%N) - began) / 1000000)) # milliseconds
sums clean >want
f=folder

# how many times the build makes these calls
count() {
    # shellcheck disable=SC2046
    INJECT_COUNT=$tmp/count "$inject" "$1:count" -- $(command_line counted) >out 2>err
    rm -rf counted
    cat count
}

# == Calls that fail, one after the other ==
# Not everything that fails is a failure: a checkpoint that cannot be written is gone on without.
if begin calls; then
    for calls in openat write,pwrite fsync rename mkdir flock unlink; do
        n=$(count $calls)
        step=$((n / 25 + 1))
        for error in ENOSPC EIO; do
            nth=1
            while [ $nth -le "$n" ]; do
                for on in '' +; do
                    what="$calls fails with $error, number $nth$on"
                    # shellcheck disable=SC2046
                    during '0 1 2 4 127' '' "$inject" "$calls:error=$error:$nth$on" -- \
                        $(command_line $f)
                    after
                done
                nth=$((nth + step))
            done
        done
    done
    end
fi

# == What the machine says is said ==
if begin messages; then
    for pair in 'ENOSPC=No space left on device' 'EDQUOT=Disk quota exceeded' \
        'EIO=Input/output error' 'EROFS=Read-only file system'; do
        for calls in write fsync rename; do
            what="$calls with $pair"
            # shellcheck disable=SC2046
            during 4 "${pair#*=}" "$inject" "$calls:error=${pair%%=*}:1+" -- $(command_line $f)
            after
        done
    done
    what='a folder that cannot be made'
    # shellcheck disable=SC2046
    during 4 'Disk quota exceeded' "$inject" mkdir:error=EDQUOT -- $(command_line $f)
    after
    end
fi

# == Calls that are cut short, interrupted, slow ==
if begin short; then
    for rule in write,pwrite:short write,pwrite:short:1+2 write,pwrite:error=EINTR:1+2 fsync:error=EINTR:1+2 \
        pread,read:error=EINTR:12+2 flock:error=EINTR:1+2 fsync:delay=100 rename:delay=100 \
        fsync:delay=300:2+3 openat:delay=5; do
        what=$rule
        # shellcheck disable=SC2046
        during 0 '' "$inject" "$rule" -- $(command_line $f)
        [ ! -s err ] || die "$what: a checkpoint is missing"
        after
    done
    what='interrupted where it works on disk'
    during 0 '' "$inject" fallocate,pwrite:error=EINTR:1+2 -- "$bin" build "$tmp/six.ini" KQRvKN --wdl --dir $f \
        --memory 50M --threads 1 --quiet
    rm -rf $f
    what='short writes on a disk that gets full'
    # shellcheck disable=SC2046
    during 4 'No space' "$inject" write:short write:error=ENOSPC:40+ -- $(command_line $f)
    after
    end
fi

# == Killed at each of its steps ==
if begin steps; then
    for calls in openat write,pwrite fsync rename unlink close flock; do
        n=$(count $calls)
        step=$((n / 40 + 1)) nth=1
        while [ $nth -le "$n" ]; do
            what="killed before $calls, number $nth"
            # shellcheck disable=SC2046
            during '0 137' '' "$inject" "$calls:signal=9:$nth" -- $(command_line $f)
            after
            nth=$((nth + step))
        done
    done
    end
fi

# == Signals ==
if begin signals; then
    for i in $(seq 30); do
        for signal in TERM INT; do
            what="SIG$signal"
            # shellcheck disable=SC2046
            $(command_line $f) >out 2>err </dev/null &
            pid=$!
            sleep "$(awk -v t="$took" -v r="$(random 1000)" 'BEGIN { print t * r / 1000000 }')"
            # a shell has its background children ignore SIGINT: TERM tells the same
            kill -s $signal $pid 2>/dev/null
            [ $signal = TERM ] || { sleep 0.01; kill -s TERM $pid 2>/dev/null; }
            wait $pid
            status=$?
            case $status in
            0) ;;
            4) grep -q 'interrupted' err || die "$what: no word of it" ;;
            143) [ ! -s out ] || die "$what: ended while it ran" ;; # before it could catch it
            *) die "$what: status $status" ;;
            esac
            after
        done
    done
    what='a reader that goes'
    # shellcheck disable=SC2046
    $(command_line $f | sed 's/ --quiet//') 2>err | true
    after
    end
fi

# == Limits ==
if begin limits; then
    for kib in 1 2 8 16 32 64 100; do
        what="RLIMIT_FSIZE of $kib KiB"
        # ulimit -f counts 512 bytes in dash
        # shellcheck disable=SC2046
        during '0 4' 'File too large|cannot' sh -c "ulimit -f $((2 * kib)); exec \"\$@\"" sh $(command_line $f)
        after
    done
    for n in 3 4 5 6 7 8 9 10 12 16; do
        what="RLIMIT_NOFILE of $n"
        # shellcheck disable=SC2046
        during '0 2 4 127' 'Too many open files' sh -c "ulimit -n $n; exec \"\$@\"" sh $(command_line $f)
        after
    done
    for mib in 8 12 16 20 24 32 40 48 64 80 96 128 192 256; do
        what="RLIMIT_AS of $mib MiB"
        # shellcheck disable=SC2046
        during '0 4 127' 'memory|resource|Cannot' sh -c "ulimit -v $((mib * 1024)); exec \"\$@\"" sh \
            $(command_line $f)
        after
    done
    for thread in 1 2; do
        what='no thread to be had'
        # shellcheck disable=SC2046
        during '0 4' '' "$inject" clone:error=EAGAIN:$thread+ -- $(command_line $f)
        after
    done
    for nth in $(seq 1 4 60); do
        what="mmap without memory, number $nth"
        # shellcheck disable=SC2046
        during '0 4 127' '' "$inject" "mmap:error=ENOMEM:$((20 + nth))" -- $(command_line $f)
        after
    done
    end
fi

# == Descriptors ==
if begin descriptors; then
    for closed in '<&-' '>&-' '2>&-' '<&- >&-' '>&- 2>&-' '<&- 2>&-' '<&- >&- 2>&-'; do
        what="closed: $closed"
        for quiet in '' --quiet; do
            line=$(command_line $f | sed 's/ --quiet//')
            eval "timeout 60 $line $quiet $closed" >out 2>err
            status=$?
            case $closed$quiet in
            *--quiet | '<&-' | '2>&-' | '<&- 2>&-') wanted=0 ;;
            *) wanted=4 ;; # an answer that nobody can read is an error
            esac
            [ $status -eq $wanted ] || die "$what $quiet: status $status, not $wanted"
            after
        done
    done
    what='/dev/full'
    # shellcheck disable=SC2046
    $(command_line $f | sed 's/ --quiet//') >/dev/full 2>err
    [ $? -eq 4 ] && grep -q 'cannot write the answer' err || die "$what"
    after
    # shellcheck disable=SC2046
    $(command_line $f | sed 's/ --quiet//') >out 2>/dev/full || die "$what as stderr"
    after
    end
fi

# == Clocks ==
if begin clocks; then
    for i in 1 2 3; do
        what='clocks that jump'
        # shellcheck disable=SC2046
        during 0 '' env LD_PRELOAD="$build/clock.so" $(command_line $f)
        after
    done
    end
fi

# == Disks ==
small_disk() { # size, options: at $f
    mkdir -p $f
    mount -t tmpfs -o "size=$1" bareking-faults $f 2>/dev/null || return 1
    mounted=$tmp/$f
}
no_disk() {
    umount "$mounted"
    mounted=
}
if begin disks; then
    if small_disk 64k; then
        no_disk
        for size in 4k 16k 32k 48k 64k 80k 96k 128k 160k 256k 1m; do
            what="a disk of $size"
            small_disk $size
            # shellcheck disable=SC2046
            during '0 4' 'No space left on device' $(command_line $f)
            whole_and_right $f
            mount -o remount,size=64m "$mounted" # room is made, and the build goes on
            clean_build $f
            no_disk
            rm -rf $f
            all=$((all + 1)) part=$((part + 1))
        done
        what='a disk that is read only'
        small_disk 1m
        mount -o remount,ro "$mounted"
        # shellcheck disable=SC2046
        during 4 'Read-only file system' $(command_line $f)
        mount -o remount,rw "$mounted"
        clean_build $f
        mount -o remount,ro "$mounted" # nothing is written where nothing is missing
        clean_build $f
        no_disk
        rm -rf $f
        all=$((all + 1)) part=$((part + 1))
        for size in 64k 1m 8m; do
            what="scratch on a disk of $size"
            small_disk $size
            during 4 'scratch in .*: No space left on device' "$bin" build "$tmp/six.ini" KQRvKN \
                --dir elsewhere --scratch $f --memory 60M --threads 1 --quiet
            no_disk
            rm -rf elsewhere $f
            all=$((all + 1)) part=$((part + 1))
        done
    else
        left_out="$left_out disks"
    fi
    end
fi

# == Permissions ==
nobody='setpriv --reuid=65534 --regid=65534 --clear-groups'
if begin permissions; then
    if $nobody true 2>/dev/null && $nobody test -x "$bin"; then
        what='a folder of others'
        mkdir $f
        # shellcheck disable=SC2046
        during 4 'Permission denied' $nobody $(command_line $f)
        after
        what='a folder of the game that is of others'
        mkdir -p $f/six
        chmod 777 $f
        # shellcheck disable=SC2046
        during 4 'Permission denied' $nobody $(command_line $f)
        after
        what='a table that may not be read'
        cp -r clean $f
        chmod 777 $f $f/six
        chmod 000 $f/six/KRvKN.bkw
        for command in 'check six.ini KRvKN' 'stats six.ini KRvKN' \
            'probe six.ini 6/6/2k3/6/3n2/KR4~w'; do
            # shellcheck disable=SC2046
            during 4 'Permission denied' $nobody "$bin" $(echo "$command --dir $f" | tr '~' ' ')
        done
        chmod 644 $f/six/KRvKN.bkw
        after
    else
        left_out="$left_out permissions"
    fi
    end
fi

# == Many builders, some of them killed ==
# race BUILDERS COMMAND...: so many at once in $f, as COMMAND runs them.  None, one or all are killed, at
# moments of the first one and a half builds.
race() {
    builders=$1
    shift
    pids=
    for b in $(seq "$builders"); do
        # shellcheck disable=SC2046
        "$@" $(command_line $f) >out.$b 2>err.$b </dev/null &
        pids="$pids $!"
    done
    kills=$(random $((builders + 1)))
    for pid in $pids; do
        [ "$kills" -gt 0 ] || break
        kills=$((kills - 1))
        sleep "$(awk -v t="$took" -v r="$(random 1000)" 'BEGIN { print t * r / 1000000 * 0.75 }')"
        kill -9 "$pid" 2>/dev/null
    done
    b=0
    for pid in $pids; do
        b=$((b + 1))
        wait "$pid" 2>/dev/null
        status=$?
        [ $status -eq 0 ] || [ $status -eq 137 ] || { cat "err.$b"; die "$what: status $status"; }
        [ $status -ne 137 ] || killed=$((killed + 1))
    done
    after
}
for kind in races without-flock; do
    begin $kind || continue
    i=0 killed=0 rounds=$pairs
    [ $kind = races ] || rounds=$((pairs / 10 + 1)) # a file system that knows no locks
    while [ $i -lt "$rounds" ]; do
        i=$((i + 1))
        builders=2
        [ $((i % 4)) -ne 0 ] || builders=3
        what="$kind, $i, of $builders"
        if [ $kind = races ]; then race $builders env; else
            race $builders "$inject" flock:error=ENOLCK --
        fi
        [ $((i % 50)) -ne 0 ] || echo "faults: $i $kind, $killed builders killed"
    done
    echo "faults: $killed builders killed"
    end
done

if [ -n "$left_out" ]; then
    echo "faults: $all, all well; left out:$left_out (not root)"
    exit 1
fi
echo "faults: $all, all well"
