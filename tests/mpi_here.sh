# mpi_here.sh - read by `SCRIPT BUILD [HOW]` that starts several processes on this machine: more than it has cores,
# which give way to each other, as root if need be, by no network but this machine's unless OMPI_MCA_btl says so.
# Sets build, long, bin, mpi, tests, six and dir, a folder that goes with the script; without mpirun it is left out.
script=$(basename "$0" .sh)
build=$(cd "${1:?usage: $script.sh BUILD [HOW]}" && pwd)
long=${2:-}
bin=$build/bareking
mpi=$build/bareking-mpi
tests=$(cd "$(dirname "$0")" && pwd)
six=$tests/six.ini
if ! command -v mpirun >/dev/null || [ ! -x "$mpi" ]; then
    echo "not tried: no mpirun (openmpi-bin), or no $mpi (libopenmpi-dev)"
    exit 77
fi
dir=$(mktemp -d)
# what processes that are killed leave of the memory they share, and of their job, goes with it
shared=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d)
trap 'rm -rf "$dir" "$shared"' EXIT
trap 'exit 1' INT TERM
export OMPI_MCA_btl_vader_backing_directory="$shared" OMPI_MCA_orte_tmpdir_base="$shared"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_btl="${OMPI_MCA_btl:-self,vader}" OMPI_MCA_btl_vader_single_copy_mechanism=none
