/*
 * mpi_wire.c - notes the bytes a network interface has sent, at each join of processes after a ply.
 *
 * Preloaded into bareking-mpi (tests/mpi_tcp.sh): MPI's profiling interface lets it see each
 * reduction begin; those of JOINED numbers are the joins of bk_share_join().  Each writes a line to
 * WIRE_OUT.RANK: the bytes that the interface WIRE_IF has sent since it came up.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { JOINED = 8 };

static unsigned long long sent(void)
{
    unsigned long long bytes = 0;
    char path[256];
    FILE *f;

    snprintf(path, sizeof path, "/sys/class/net/%s/statistics/tx_bytes", getenv("WIRE_IF"));
    f = fopen(path, "r");
    if (!f || fscanf(f, "%llu", &bytes) != 1) {
        perror(path);
        abort();
    }
    fclose(f);
    return bytes;
}

static FILE *open_out(MPI_Comm all)
{
    char path[256];
    FILE *out;
    int rank;

    PMPI_Comm_rank(all, &rank);
    snprintf(path, sizeof path, "%s.%d", getenv("WIRE_OUT"), rank);
    out = fopen(path, "w");
    if (!out) {
        perror(path);
        abort();
    }
    return out;
}

int MPI_Iallreduce(const void *from, void *to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm all,
                   MPI_Request *request)
{
    static FILE *out;

    if (!out)
        out = open_out(all);
    if (n == JOINED) {
        fprintf(out, "%llu\n", sent());
        fflush(out);
    }
    return PMPI_Iallreduce(from, to, n, type, op, all, request);
}
