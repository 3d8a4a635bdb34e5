#!/bin/sh
# slurm.sh BUILD - the jobs of `plan --slurm` by a real Slurm, on this machine.
#
# Starts munged, slurmctld and one slurmd in a folder of its own, as root and without systemd, and ends
# them again.  Then: the 15 tables of `--men 4`, as arrays with dependencies; a table of five men by
# two processes; a job whose time runs out, which is requeued and finishes.  All tables are verified by a sample,
# and have the bytes of an ordinary build.  Debian: slurmctld slurmd slurm-client munge openmpi-bin.
set -eu
build=$(cd "${1:?usage: slurm.sh BUILD}" && pwd)
bin=$build/bareking
for program in slurmctld slurmd sbatch munged; do
    PATH=$PATH:/usr/sbin command -v $program >/dev/null || {
        echo "not tried: no $program (slurmctld, slurmd, slurm-client, munge)"
        exit 77
    }
done
if [ "$(id -u)" -ne 0 ]; then
    echo 'not tried: only root can start its servers'
    exit 77
fi
PATH=$PATH:/usr/sbin
dir=$(mktemp -d)
chmod 755 "$dir"
servers=
tidy() {
    # shellcheck disable=SC2086
    [ -z "$servers" ] || kill $servers 2>/dev/null || true
    sleep 1
    # shellcheck disable=SC2086
    [ -z "$servers" ] || kill -9 $servers 2>/dev/null || true
    rm -rf "$dir"
}
trap tidy EXIT
trap 'exit 1' INT TERM
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none

die() {
    echo "slurm: FAILED: $*"
    squeue 2>/dev/null || true
    tail -n 5 "$dir"/*.log "$dir"/*/*.out 2>/dev/null || true
    exit 1
}

# == The servers ==
host=$(hostname -s)
cores=$(nproc)
mkdir -p "$dir/spool" "$dir/state" "$dir/munge"
dd if=/dev/urandom of="$dir/munge/key" bs=128 count=1 2>/dev/null
# a job that is requeued waits until what it was begun with has expired: two minutes, unless cred_expire says less
chmod 700 "$dir/munge/key"
chmod 600 "$dir/munge/key"
cat >"$dir/slurm.conf" <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=16817
SlurmdPort=16818
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CryptoType=crypto/munge
AuthInfo=socket=$dir/munge/socket,cred_expire=10
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
SlurmdSpoolDir=$dir/spool
StateSaveLocation=$dir/state
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd.log
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=5,bf_interval=5
KillWait=5
NodeName=$host NodeAddr=127.0.0.1 CPUs=$cores RealMemory=6000 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF="$dir/slurm.conf"
munged --foreground --force --key-file="$dir/munge/key" --socket="$dir/munge/socket" \
    --pid-file="$dir/munge/pid" --log-file="$dir/munged.log" --seed-file="$dir/munge/seed" >/dev/null 2>&1 &
servers=$!
for i in 1 2 3 4 5 6 7 8 9 10; do [ -S "$dir/munge/socket" ] || sleep 0.5; done
slurmctld -D >/dev/null 2>&1 &
servers="$servers $!"
slurmd -D >/dev/null 2>&1 &
servers="$servers $!"
for i in $(seq 30); do
    sinfo -h -o %T 2>/dev/null | grep -qE 'idle|mixed|allocated' && break
    sleep 1
done
sinfo -h -o %T 2>/dev/null | grep -qE 'idle|mixed|allocated' || die "Slurm does not start"

finished() { # seconds: waits until no job is left
    for i in $(seq "$1"); do
        [ -n "$(squeue -h 2>/dev/null)" ] || return 0
        if squeue -h -o %r | grep -q DependencyNeverSatisfied; then return 1; fi
        sleep 1
    done
    return 1
}

as_ordinary() { # folder, option or "", what is built
    folder=$1 option=$2
    shift 2
    "$bin" build "$@" $option --dir "$dir/ordinary" --quiet
    diff -r "$dir/ordinary" "$folder" || die "other bytes: $*"
    "$bin" verify "$@" --dir "$folder" --sample 200000 --quiet || die "not verified: $*"
    rm -rf "$dir/ordinary"
}

# == All tables of four men ==
"$bin" plan shatranj --men 4 --dir "$dir/four" --slurm "$dir/jobs4" --quiet
"$dir/jobs4/submit.sh" >/dev/null || die "jobs of --men 4 are refused"
finished 600 || die "jobs of --men 4 do not end"
as_ordinary "$dir/four" "" shatranj --men 4

# == Two processes ==
"$bin" plan shatranj KRNvKR --wdl --ranks 2 --dir "$dir/five" --slurm "$dir/jobs5" --quiet
grep -q 'ntasks=2' "$dir"/jobs5/job*.sh || die "no job of two tasks"
"$dir/jobs5/submit.sh" >/dev/null || die "jobs of KRNvKR are refused"
finished 1200 || die "jobs of KRNvKR do not end"
as_ordinary "$dir/five" --wdl shatranj KRNvKR

# == A job whose time runs out ==
"$bin" plan shatranj KRNvKN --dir "$dir/late" --slurm "$dir/jobsl" --quiet
# the first time it is told at once that its time is over
sed -i 's/^pid=\$!/pid=$!; [ "${SLURM_RESTART_COUNT:-0}" -gt 0 ] || { sleep 2; kill -TERM $$; }/' "$dir/jobsl/build.sh"
"$dir/jobsl/submit.sh" >/dev/null || die "jobs of KRNvKN are refused"
finished 1800 || die "jobs of KRNvKN do not end"
grep -q 'run the same command to go on' "$dir"/jobsl/*.out || die "KRNvKN was never told to end"
as_ordinary "$dir/late" "" shatranj KRNvKN
echo "slurm: 15 tables of four men, one of five by two processes, one requeued: as ordinary builds make them, verified"
