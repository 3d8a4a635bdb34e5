# scratch.sh - sourced: a folder of the script's own, $tmp, which goes when the script ends, however that is;
# and fail().  What stands in $at_end is done before.
tmp=$(mktemp -d)
export BAREKING_PACE=1 # `plan` finds out nothing about this machine
at_end=
trap '$at_end || true; rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM
fail() {
    echo "FAILED: $*"
    exit 1
}
