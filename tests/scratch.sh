# scratch.sh - sourced: a folder of the script's own, $tmp, which goes when the script ends, however that is;
# and fail().  What stands in $at_end is done before.
#
# What a script cannot do here it says: not_tried() where that is all of it, with the status that job.sh knows; else
# leave_out() notes it in $without, which ends its last line: `...${without:+; left out: $without}`.
tmp=$(mktemp -d)
export BAREKING_PACE=1 # `plan` finds out nothing about this machine
at_end=
trap '$at_end || true; rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM
fail() {
    echo "FAILED: $*"
    exit 1
}
not_tried() { # why
    echo "not tried: $*"
    exit 77
}
without=
leave_out() { # what, and what it needs
    case ", $without, " in *", $*, "*) ;; *) without="$without${without:+, }$*" ;; esac
}
# The server of `bareking explore`: itself in $server, its port in $port, empty if there is none after ten seconds.
explorer() { # BAREKING DIRS OPTION...
    explored=$1 folders=$2
    shift 2
    rm -f where
    "$explored" explore --port 0 --json "$@" --dir "$folders" >where 2>err &
    server=$!
    i=0
    until [ -s where ] || [ $i -ge 100 ]; do
        i=$((i + 1))
        sleep 0.1
    done
    port=$(sed -n 's/.*"port":\([0-9]*\).*/\1/p' where)
}
