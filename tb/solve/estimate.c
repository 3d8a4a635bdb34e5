/*
 * needs.c - the memory that solving a table takes, without solving it: the
 * same sizes and the same order as in solve.c.
 */
#include <stdlib.h>
#include <string.h>

#include "tb/solve/prepare.h"

struct block_needs {
    uint64_t codes;  /* when solved */
    uint64_t state;  /* of which the codes become a part */
    uint64_t tables; /* of moves and configurations */
    uint64_t kings;  /* of kings' moves, once for a chain */
    uint64_t work;   /* a thread */
    uint64_t room;   /* of the state, touched by one pass over one slice */
    uint64_t walk;   /* while it is encoded */
};

static void block_needs(struct block_needs *n, const struct bk_index *ix, uint32_t block,
                        bool distances, bool compact)
{
    const struct bk_kernel *k = bk_kernel_for(ix->v->nsq);
    struct bk_solver s = { .v = ix->v,
                           .ix = ix,
                           .b = &ix->block[block],
                           .distances = distances,
                           .dtw_bytes = distances,
                           .compact = compact };
    uint64_t nsq = ix->v->nsq, symmetries;
    struct bk_memblock mb;

    s.nslices = s.b->pairs->nslices;
    bk_solver_sort_men(&s);
    bk_solver_lay_out_codes(&s, &mb, distances);
    memset(n, 0, sizeof *n);
    n->codes = bk_memblock_bytes(s.nslices * mb.slice_stride, distances);
    n->walk = 8 * s.nslices + 8 * nsq;
    if (s.kings_only) {
        n->state = n->codes;
        n->tables = 10 * nsq * nsq + sizeof s;
        return;
    }
    symmetries = (uint64_t)__builtin_popcount(s.b->group) - 1;
    n->state = bk_state_bytes(&s, k);
    n->tables = sizeof s + s.nouter * nsq * nsq * sizeof(uint32_t) +
                s.nconf * (sizeof *s.conf_sq + 1 + 2 * k->set_bytes) +
                symmetries * (s.nconf * sizeof(uint32_t) + k->turn_bytes);
    n->kings = 2 * s.nslices * (8 * (sizeof(struct bk_king_move) + 4) + 8); /* eight moves a king */
    n->work = k->work_bytes(&s);
    n->room = s.nslices ? n->state / s.nslices * 2 : 0; /* its own, and neighbours' frontiers */
}

/* The blocks of a level: those of a chain all at once, else as many as there are threads. */
static void level_needs(struct bk_solve_needs *out, const struct block_needs *n,
                        const uint32_t *block, uint32_t nblocks, bool chain, uint64_t live,
                        unsigned threads)
{
    bool apart = !chain && nblocks >= 2 * threads && threads > 1; /* as in solve_level() */
    uint64_t together = chain ? nblocks : apart ? threads : 1;
    uint64_t codes = 0, most = 0, fixed = 0, room = 0, walks = 0, shared;

    for (uint32_t i = 0; i < nblocks; i++) {
        const struct block_needs *x = &n[block[i]];
        uint64_t own = x->tables + (chain ? 0 : x->kings + x->work * (apart ? 1 : threads));

        codes += x->codes;
        if (x->state + own - x->codes > most)
            most = x->state + own - x->codes;
        fixed = own > fixed ? own : fixed;
        room = x->room > room ? x->room : room;
    }
    for (uint32_t i = 0; i < nblocks && i < 2 * BK_WALKS; i++)
        walks += n[block[i]].walk;
    shared = chain ? n[block[0]].kings + n[block[0]].work * threads : 0;
    most = most * together + shared;
    fixed = fixed * together + shared;
    most = most > walks ? most : walks;
    if (live + codes + most > out->peak)
        out->peak = live + codes + most;
    if (fixed > out->fixed)
        out->fixed = fixed;
    if (room * threads > out->room)
        out->room = room * threads;
}

/*
 * When is each block encoded?  Its place in `order`, or that of the last block
 * with which it shares a chunk.
 */
static void encoded_after(const struct bk_index *ix, const uint32_t *order,
                          uint32_t chunk_positions, uint32_t *solved, uint32_t *after)
{
    for (uint32_t i = 0; i < ix->nblocks; i++)
        solved[order[i]] = i;
    for (uint32_t i = 0; i < ix->nblocks; i++) {
        const struct bk_block *b = &ix->block[i];
        uint64_t first = b->first / chunk_positions * chunk_positions;
        uint64_t end =
            (b->first + b->size + chunk_positions - 1) / chunk_positions * chunk_positions;

        after[i] = solved[i];
        for (uint32_t x = i; x-- > 0 && ix->block[x].first + ix->block[x].size > first;)
            after[i] = solved[x] > after[i] ? solved[x] : after[i];
        for (uint32_t x = i + 1; x < ix->nblocks && ix->block[x].first < end; x++)
            after[i] = solved[x] > after[i] ? solved[x] : after[i];
    }
}

enum bk_err bk_solve_needs(struct bk_solve_needs *out, const struct bk_index *ix, bool distances,
                           enum bk_manner manner, bool let_go, uint32_t chunk_positions,
                           unsigned threads, struct bk_report *why)
{
    uint32_t *solved = calloc(ix->nblocks + 1u, 3 * sizeof *solved);
    uint32_t *after = solved + ix->nblocks, *readers = after + ix->nblocks;
    struct block_needs *n = calloc(ix->nblocks + 1u, sizeof *n);
    struct bk_order o = { 0 };
    uint64_t live = 0;

    memset(out, 0, sizeof *out);
    if (!solved || !n || !bk_order_new(&o, ix, manner == BK_CHAINS)) {
        free(solved);
        free(n);
        return bk_fail(why, BK_E_SYSTEM, "out of memory");
    }
    for (uint32_t i = 0; i < ix->nblocks; i++) {
        block_needs(&n[i], ix, i, distances, manner == BK_COMPACT);
        out->codes += n[i].codes;
        if (let_go)
            bk_order_read(ix, i, 1, readers);
    }
    encoded_after(ix, o.block, chunk_positions, solved, after);
    for (uint32_t l = 0; l < o.nlevels; l++) {
        uint32_t first = o.first[l], end = o.first[l + 1];

        out->chains = out->chains || o.chain[l];
        level_needs(out, n, o.block + first, end - first, o.chain[l], live, threads);
        for (uint32_t x = first; x < end; x++) {
            live += n[o.block[x]].codes;
            if (let_go)
                bk_order_read(ix, o.block[x], -1, readers);
        }
        for (uint32_t x = 0; let_go && x < ix->nblocks; x++)
            if (!readers[x] && after[x] < end) {
                live -= n[x].codes;
                after[x] = UINT32_MAX; /* it is gone */
            }
    }
    bk_order_free(&o);
    free(solved);
    free(n);
    return BK_OK;
}
