# mpi_here.sh - read by scripts that start several processes on this machine: more than it has cores, which
# give way to each other, as root if need be, by no network but this machine's unless OMPI_MCA_btl says so.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_btl="${OMPI_MCA_btl:-self,vader}" OMPI_MCA_btl_vader_single_copy_mechanism=none
