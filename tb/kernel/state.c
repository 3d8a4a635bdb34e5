/*
 * state.c - see state.h.
 */
#include "tb/kernel/state.h"

#include <string.h>

void bk_state_measure(struct bk_state *st, const struct bk_setup *s, size_t set_bytes)
{
    size_t sets = s->pitch * set_bytes, marks = s->nmarks * sizeof(uint64_t);
    size_t dtw = (size_t)s->nconf * s->width * s->dtw_bytes;

    memset(st->slice_bytes, 0, sizeof st->slice_bytes);
    st->nslices = s->nslices;
    st->attains = s->attains;
    st->grouped = s->grouped;
    st->ledger = s->ledger;
    st->shift = s->shift;
    for (enum bk_array a = BK_WON; a <= BK_LOSSES; a++)
        st->slice_bytes[a] = sets;
    if (s->compact)
        st->slice_bytes[BK_OPEN] = 0;
    if (!s->must_capture)
        st->slice_bytes[BK_FORCED] = 0;
    st->slice_bytes[BK_LOSSES_ODD] = s->nmove ? sets : 0;
    st->slice_bytes[BK_EXIT_WINS] = s->exits_once ? sets : 0;
    st->slice_bytes[BK_WIN_MARKS] = st->slice_bytes[BK_LOSS_MARKS] = marks;
    for (enum bk_array a = BK_ANY_WIN; a <= BK_TODO_LOSE; a++)
        st->slice_bytes[a] = 1;
    st->slice_bytes[BK_LOSS_MARKS_ODD] = s->nmove ? marks : 0;
    st->slice_bytes[BK_ANY_LOSS_ODD] = st->slice_bytes[BK_TODO_WIN_ODD] = s->nmove;
    if (!s->distances)
        return;
    st->slice_bytes[BK_DELAYS] = s->nvec * sizeof(uint16_t);
    if (s->ledger) {
        st->slice_bytes[BK_LATER] = sets;
        return;
    }
    st->slice_bytes[BK_WAITS] = s->pitch * sizeof(uint64_t);
    st->slice_bytes[BK_VECTOR_WAITS] = 2 * s->nvec * sizeof(uint64_t);
    st->slice_bytes[BK_SLICE_WAITS] = 2 * sizeof(uint64_t);
    st->slice_bytes[BK_DTW] = dtw;
}

uint64_t bk_state_bytes(const struct bk_state *st)
{
    uint64_t bytes = 0;

    for (enum bk_array a = 0; a < BK_ARRAYS; a++)
        bytes += st->slice_bytes[a];
    return 2 * bytes * st->nslices;
}

bool bk_state_stays(const struct bk_state *st, enum bk_array a)
{
    bool distances = st->slice_bytes[BK_DTW];

    if (st->grouped || st->ledger)
        return false; /* what is to stay is copied out of it */
    if (st->attains && (a == BK_LOSSES || (a == BK_WINS && distances)))
        return true;
    return distances ? a == BK_DTW : a == BK_WON || a == BK_UNDECIDED;
}

/* Does the kernel's init() write all of it? */
static bool is_written(enum bk_array a) { return a <= BK_EXIT_WINS; }

/* Bytes of an array, in whole vectors; in large pages if sparse: most of them have no memory
   then. */
static size_t array_bytes(const struct bk_state *st, enum bk_array a)
{
    size_t whole = st->sparse ? BK_SPILL_LARGE : 64;

    return (st->slice_bytes[a] * st->nslices + whole - 1) & ~(whole - 1);
}

static size_t piece_bytes(const struct bk_state *st)
{
    size_t bytes = 0;

    for (enum bk_array a = 0; a < BK_ARRAYS; a++)
        if (!bk_state_stays(st, a))
            bytes += 2 * array_bytes(st, a);
    return bytes;
}

static void *array_new(const struct bk_state *st, struct bk_spill *spill, size_t bytes)
{
    return st->sparse ? bk_spill_new_sparse(bytes) : bk_spill_new(spill, bytes);
}

bool bk_state_new(struct bk_state *st, struct bk_spill *spill, struct bk_spares *spares)
{
    size_t bytes = piece_bytes(st);
    bool used = spares && spares->n && spares->bytes == bytes;
    char *at;

    if (spares && spares->bytes != bytes) /* no room for what cannot be used */
        bk_spares_free(spares);
    at = st->piece = used ? spares->piece[--spares->n] : array_new(st, spill, bytes);
    if (!at)
        return false;
    for (unsigned side = 0; side < 2; side++)
        for (enum bk_array a = 0; a < BK_ARRAYS; a++) {
            size_t own = array_bytes(st, a);

            if (!own)
                continue;
            if (bk_state_stays(st, a)) {
                st->array[a][side] = array_new(st, spill, own);
                if (!st->array[a][side])
                    return false;
                continue;
            }
            st->array[a][side] = at;
            at += own;
            if (used && !is_written(a) && !bk_arena_is_dry())
                memset(st->array[a][side], 0, own);
        }
    return true;
}

bool bk_state_widen(struct bk_state *st, bool marked, struct bk_spill *spill)
{
    size_t n = st->slice_bytes[BK_DTW] * st->nslices;
    unsigned mark = marked ? 128 : 0;

    st->slice_bytes[BK_DTW] *= 2;
    for (unsigned side = 0; side < 2; side++) {
        const uint8_t *from = st->array[BK_DTW][side];
        uint16_t *to = array_new(st, spill, array_bytes(st, BK_DTW));

        if (!to)
            return false;
        for (size_t i = 0; i < n; i++)
            to[i] = (uint16_t)((from[i] & ~mark) | (from[i] & mark) << 8);
        bk_spill_free(st->array[BK_DTW][side]);
        st->array[BK_DTW][side] = to;
    }
    return true;
}

/* Keeps a piece as a spare.  Spares are all of one size: those of another are freed. */
static void keep(struct bk_spares *spares, void *piece, size_t bytes)
{
    if (spares->bytes != bytes)
        bk_spares_free(spares);
    spares->bytes = bytes;
    if (spares->n == BK_SPARES_MAX)
        bk_spill_free(piece);
    else if (piece)
        spares->piece[spares->n++] = piece;
}

void bk_state_free(struct bk_state *st, struct bk_spares *spares)
{
    for (unsigned side = 0; side < 2; side++)
        for (enum bk_array a = 0; a < BK_ARRAYS; a++) {
            if (bk_state_stays(st, a))
                bk_spill_free(st->array[a][side]);
            st->array[a][side] = NULL;
        }
    if (spares)
        keep(spares, st->piece, piece_bytes(st));
    else
        bk_spill_free(st->piece);
    st->piece = NULL;
}

void bk_state_free_piece(struct bk_state *st)
{
    for (unsigned side = 0; side < 2; side++)
        for (enum bk_array a = 0; a < BK_ARRAYS; a++)
            if (!bk_state_stays(st, a))
                st->array[a][side] = NULL;
    bk_spill_free(st->piece);
    st->piece = NULL;
}

void *bk_state_take(struct bk_state *st, enum bk_array array, unsigned side)
{
    void *taken = st->array[array][side];

    st->array[array][side] = NULL;
    return taken;
}

void bk_spares_free(struct bk_spares *spares)
{
    while (spares->n)
        bk_spill_free(spares->piece[--spares->n]);
}
