#!/bin/sh
# mpi_tcp.sh BUILD [long] - what several processes send each other, ply by ply, over TCP.
#
# `count --ranks` says, from one process, what so many would send after each ply.  Here they do, each in a network
# namespace of its own, and what their interfaces have sent is read after each ply (mpi_wire.c): each ply, the
# smallest ones included, is within a fifth of what is foretold and what messages cost besides.  How many frames carry
# nothing is the clock's, and they are most of a ply of few bytes: of up to three builds a ply's least bytes count, and
# then half of what messages cost may be missing or too much.
# Wants to be root, for the namespaces.  `make test-all` has the short form, `make test-mpi` the long one.
set -eu
export OMPI_MCA_btl=self,tcp
. "$(dirname "$0")/mpi_here.sh"
spaces=
tidy() {
    for space in $spaces; do ip netns del "$space"; done
    rm -rf "$dir" "$shared"
}
trap tidy EXIT

space() { # number: a network of its own, where nothing speaks unasked
    ip netns add "bk-$$-$1" || return
    spaces="$spaces bk-$$-$1"
    ip netns exec "bk-$$-$1" sh -c 'echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6' || true
}
link() { # name, host, address: to the switch of that name
    ip link add "$1" netns "bk-$$-$2" type veth peer name "$1$2" netns "bk-$$-0" &&
        ip -n "bk-$$-0" link set "$1$2" master "$1" up &&
        ip -n "bk-$$-$2" addr add "$3/24" dev "$1" &&
        ip -n "bk-$$-$2" link set "$1" up
}
# Two switches in the first space, and in each of the others a host with a link to both: what processes send each
# other goes by `wire`, 10.77.0.1, ..., and what mpirun itself has to say by `talk`, 10.78.0.1, ...
network() {
    space 0 || return
    for switch in wire talk; do
        ip -n "bk-$$-0" link add $switch type bridge && ip -n "bk-$$-0" link set $switch up || return
    done
    for host in 1 2 3; do
        space $host && ip -n "bk-$$-$host" link set lo up && link wire $host 10.77.0.$host &&
            link talk $host 10.78.0.$host || return
    done
}
if [ "$(id -u)" -ne 0 ] || ! command -v ip >/dev/null || ! network 2>/dev/null; then
    echo 'not tried: no network namespaces here (root, iproute2)'
    exit 77
fi
export OMPI_MCA_btl_tcp_if_include=10.77.0.0/24 OMPI_MCA_oob_tcp_if_include=10.78.0.0/24
failed=0
tables=0

# How mpirun starts something on another host: HOST COMMAND...
cat >"$dir/agent" <<END
#!/bin/sh
host=\${1##*.}
shift
exec ip netns exec bk-$$-\$host unshare -u sh -c "hostname host\$host; \$*"
END
chmod +x "$dir/agent"

run() { # processes, command...
    hosts=$(seq -s , -f 10.78.0.%g "$1")
    n=$1
    shift
    ip netns exec "bk-$$-1" unshare -u sh -c 'hostname host1; exec "$@"' sh \
        mpirun -n "$n" --host "$hosts" --mca plm_rsh_agent "$dir/agent" "$@"
}

# What messages of a ply cost besides: a dozen frames for each process but one, of 66 bytes and what MPI puts before
# what it sends.
besides() { # processes
    case $1 in 2) echo 900 ;; 3) echo 2000 ;; esac
}

compare() { # processes, what: each ply as foretold?
    awk -v what="$1 processes: $2" -v besides="$(besides "$1")" '
        FILENAME ~ /plies$/ { block[++plies] = $1; bytes[plies] = $3; next }
        { split(FILENAME, part, "[.]"); try = part[length(part) - 1]; sent[try, FNR] += $1; joins = FNR }
        END {
            before = joins - plies # of what it leads to, if anything is solved anew
            for (i = 1; i < plies; i++) {
                if (block[i + 1] != block[i]) continue # after the last one of a block other things follow
                wire = sent[1, before + i + 1] - sent[1, before + i]
                for (k = 2; k <= try; k++) {
                    again = sent[k, before + i + 1] - sent[k, before + i]
                    if (again < wire) wire = again
                }
                model = bytes[i] + besides
                off = wire > model ? wire - model : model - wire
                within += off <= model / 5
                bad = bad || (off > model / 5 && off > besides / 2)
                ratio = wire / model
                if (!seen++ || ratio < least) least = ratio
                if (seen == 1 || ratio > most) most = ratio
                all += wire
                foretold += bytes[i]
            }
            bad = bad || !seen || before < 0
            printf "%s: %d plies, %d within a fifth, all %.2f to %.2f of the model; %.2f MB on the wire, foretold %.2f and %.2f for messages%s\n",
                   what, seen, within, least, most, all / 1e6, foretold / 1e6, seen * besides / 1e6, (bad ? "  OFF" : "")
            exit bad
        }' "$dir/plies" "$dir"/out.*
}

foretold() { # processes, build's arguments...
    n=$1
    shift
    tables=$((tables + 1))
    rm -rf "$dir/t"
    # what it leads to is there, so that nothing is solved anew for it
    "$bin" build "$@" --dir "$dir/t" --effort fast --quiet
    "$bin" count "$@" --dir "$dir/none" --ranks "$n" --json | tail -n 1 | sed 's/.*"news"//; s/.*"plies":\[//' |
        grep -o '"block":[0-9]*,"ply":[0-9]*,"bytes":[0-9]*' | tr -cs '0-9\n' ' ' >"$dir/plies"
    rm -f "$dir"/out.*
    for try in 1 2 3; do
        rm -f "$dir"/t/*/"$2".bk?
        run "$n" env LD_PRELOAD="$build/tests/mpi_wire.so" WIRE_IF=wire WIRE_OUT="$dir/out.$try" \
            "$mpi" build "$@" --dir "$dir/t" --threads 1 --effort fast --quiet </dev/null
        compare "$n" "$*" && return
    done
    failed=1
}

foretold 2 shatranj KRvKN
if [ -n "$long" ]; then
    foretold 3 shatranj KRvKN --wdl
    for n in 2 3; do
        foretold "$n" shatranj KRNvKR
        foretold "$n" shatranj KQRvKN --wdl
        foretold "$n" grand-shatranj KMvKN
        foretold "$n" "$six" KRPvKN
        foretold "$n" puzzle KRvKN
        foretold "$n" darwinian KWvKF
        foretold "$n" sultan KRvKR
    done
    foretold 2 chess KRBvKN --wdl
    foretold 2 shatranj KRPvKN
fi
[ $failed -eq 0 ] || echo "mpi_tcp: FAILED"
[ $failed -eq 0 ] && echo "mpi_tcp: after each ply of $tables table(s) what was foretold went over TCP"
