/*
 * ledger.c - see ledger.h.
 */
#include "tb/solve/ledger.h"

#include <stdlib.h>
#include <string.h>

#include "tb/memory/log.h"
#include "tb/memory/notes.h"

#define VECTOR_BYTES 64

/* A record of the log, or a link to it.  In the log a record is a head, which is the link to the
   next or the previous record, and the packed sets (notes). */
struct place {
    uint64_t at;
    uint32_t bytes; /* with the head; 0: there is no record */
    uint32_t k;     /* as in state.h; 0: its positions need no number */
};

/* A record being packed. */
struct notes {
    uint8_t *at; /* owned; the head comes first */
    size_t n, room;
    uint32_t next;               /* as bk_note_put() has it */
    uint64_t word[BK_LANES_MAX]; /* of the vector under way */
};

/* A thread's scratch. */
struct scratch {
    char *codes[2];      /* of the slice under way, by side */
    struct notes *exits; /* by k: losses, then wins */
    struct notes found;  /* of the last frontier of a slice */
    uint32_t *k;         /* kinds: indices of `exits` for which the vector under way has
                            something */
    uint8_t *in;         /* a record that was read */
    size_t in_room;
};

struct bk_ledger {
    const struct bk_setup *s;
    struct bk_log *log;
    size_t slice_bytes;        /* bytes of a slice's codes */
    unsigned kinds;            /* values of k: 0 .. k_limit */
    struct place *exits[2][2]; /* [losses][side], by slice: the record that is due next */
    struct place *found[2][2]; /* [losses][side], by slice: the record written last */
    uint16_t *delay[2];        /* [side], by slice: k of the last losing exit */
    struct scratch *scratch;   /* by thread */
    unsigned threads;
    atomic_bool no_memory;
};

static size_t codes_bytes(const struct bk_setup *s)
{
    return (size_t)s->nconf * s->width * s->dtw_bytes;
}

/* Notes take less than a byte a position, but where a byte of them holds a single position. */
uint64_t bk_ledger_bytes(const struct bk_setup *s)
{
    return 4 * (uint64_t)codes_bytes(s) + 2 * (s->k_limit + UINT64_C(1)) * sizeof(struct notes);
}

static bool scratch_new(struct scratch *w, const struct bk_ledger *h)
{
    size_t bytes = bk_arena_is_dry() ? bk_ledger_bytes(h->s) / 2 : h->slice_bytes; /* and notes */

    w->codes[0] = bk_spill_new(NULL, bytes);
    w->codes[1] = bk_spill_new(NULL, bytes);
    w->exits = calloc(2 * (size_t)h->kinds, sizeof *w->exits);
    w->k = calloc(2 * (size_t)h->kinds, sizeof *w->k);
    return w->codes[0] && w->codes[1] && w->exits && w->k;
}

static void scratch_free(struct scratch *w, const struct bk_ledger *h)
{
    bk_spill_free(w->codes[0]);
    bk_spill_free(w->codes[1]);
    for (unsigned i = 0; w->exits && i < 2 * h->kinds; i++)
        free(w->exits[i].at);
    free(w->exits);
    free(w->k);
    free(w->found.at);
    free(w->in);
}

static bool allocate(struct bk_ledger *h)
{
    size_t n = h->s->nslices + (size_t)1;
    bool ok = true;

    h->scratch = calloc(h->threads, sizeof *h->scratch);
    for (unsigned i = 0; h->scratch && i < h->threads; i++)
        ok = ok && scratch_new(&h->scratch[i], h);
    for (unsigned side = 0; side < 2; side++) {
        ok = (h->delay[side] = calloc(n, sizeof *h->delay[side])) && ok;
        ok = (h->found[0][side] = calloc(n, sizeof(struct place))) && ok;
        ok = (h->found[1][side] = calloc(n, sizeof(struct place))) && ok;
        ok = (h->exits[0][side] = calloc(n, sizeof(struct place))) && ok;
        ok = (h->exits[1][side] = calloc(n, sizeof(struct place))) && ok;
    }
    return ok && h->scratch;
}

enum bk_err bk_ledger_new(struct bk_ledger **out, const struct bk_setup *s, struct bk_spill *spill,
                          unsigned threads, struct bk_report *why)
{
    struct bk_ledger *h = calloc(1, sizeof *h);
    enum bk_err err = BK_OK;

    if (!h)
        return bk_no_memory(why);
    h->s = s;
    h->threads = threads;
    h->slice_bytes = codes_bytes(s);
    h->kinds = s->k_limit + 1;
    err = allocate(h) ? BK_OK : bk_no_memory(why);
    if (!err && !bk_arena_is_dry())
        err = bk_log_open(&h->log, spill, why);
    if (err)
        bk_ledger_free(h);
    else
        *out = h;
    return err;
}

void bk_ledger_free(struct bk_ledger *h)
{
    if (!h)
        return;
    for (unsigned i = 0; h->scratch && i < h->threads; i++)
        scratch_free(&h->scratch[i], h);
    free(h->scratch);
    for (unsigned side = 0; side < 2; side++) {
        free(h->delay[side]);
        free(h->found[0][side]);
        free(h->found[1][side]);
        free(h->exits[0][side]);
        free(h->exits[1][side]);
    }
    bk_log_close(h->log);
    free(h);
}

bool bk_ledger_delays(const struct bk_ledger *h, const struct bk_state *st, unsigned side,
                      uint32_t slice)
{
    return h->delay[side][slice] >= bk_state_k(st) && h->delay[side][slice];
}

bool bk_ledger_failed(const struct bk_ledger *h)
{
    return atomic_load(&h->no_memory) || (h->log && bk_log_failed(h->log));
}

/* == Notes == */

/* Makes room for `bytes` in all at `*at`.  False: no memory; the ledger has failed. */
static bool make_room(struct bk_ledger *h, uint8_t **at, size_t *room, size_t bytes)
{
    size_t more = *room;
    uint8_t *new;

    if (bytes <= *room)
        return true;
    while (more < bytes)
        more = more ? more + more / 2 : 256;
    new = realloc(*at, more);
    if (!new) {
        atomic_store(&h->no_memory, true);
        return false;
    }
    *at = new;
    *room = more;
    return true;
}

/* Empties the notes, but for the room of a head. */
static void begin_notes(struct notes *x)
{
    x->n = sizeof(struct place);
    x->next = 0;
}

static void put_vector(struct bk_ledger *h, struct notes *x, uint32_t vector,
                       const uint64_t word[BK_LANES_MAX])
{
    if (make_room(h, &x->at, &x->room, x->n + BK_NOTE_MAX))
        x->n = (size_t)(bk_note_put(x->at + x->n, &x->next, vector, word) - x->at);
}

/* Appends a record with the head `link` (bytes 0: no other record); returns the link to it. */
static struct place write_notes(struct bk_ledger *h, struct notes *x, unsigned k, uint64_t at,
                                const struct place *link)
{
    memcpy(x->at, link, sizeof *link);
    bk_log_write(h->log, at, x->at, x->n);
    return (struct place){ .at = at, .bytes = (uint32_t)x->n, .k = k };
}

/* Reads the record `p`, and its head to `link`.  Its packed sets are [*notes, *end).  False: `p` is
   no record, or the ledger has failed. */
static bool read_notes(struct bk_ledger *h, struct scratch *w, struct place p, struct place *link,
                       const uint8_t **notes, const uint8_t **end)
{
    if (p.bytes < sizeof *link || !make_room(h, &w->in, &w->in_room, p.bytes) ||
        !bk_log_read(h->log, p.at, w->in, p.bytes))
        return false;
    memcpy(link, w->in, sizeof *link);
    *notes = w->in + sizeof *link;
    *end = w->in + p.bytes;
    return true;
}

/* == Exits == */

/* Adds the position `bit` of the vector under way to w->exits[kind]; *n counts the kinds in
   w->k. */
static inline void note_exit(struct scratch *w, unsigned *n, unsigned kind, unsigned bit)
{
    struct notes *x = &w->exits[kind];
    uint64_t some = 0;

    for (unsigned i = 0; i < BK_LANES_MAX; i++)
        some |= x->word[i];
    if (!some)
        w->k[(*n)++] = kind;
    x->word[bit / 64] |= UINT64_C(1) << bit % 64;
}

static unsigned number_at(const char *at, unsigned bytes)
{
    uint16_t two;

    if (bytes == 1)
        return (unsigned char)*at;
    memcpy(&two, at, sizeof two);
    return two;
}

/* Adds a configuration's numbers that are not 0 to the exits, and clears them.  first: bit of its
   first square. */
static void note_row(struct bk_ledger *h, struct scratch *w, char *row, const uint64_t *later,
                     unsigned first, unsigned *n)
{
    const struct bk_setup *s = h->s;
    size_t bytes = (size_t)s->width * s->dtw_bytes;

    for (size_t i = 0; i < bytes; i += 8) {
        size_t some = bytes - i < 8 ? bytes - i : 8;
        uint64_t eight = 0;

        memcpy(&eight, row + i, some);
        if (!eight)
            continue;
        for (size_t j = 0; j < some; j += s->dtw_bytes) {
            unsigned sq = (unsigned)((i + j) / s->dtw_bytes),
                     k = number_at(row + i + j, s->dtw_bytes);

            if (k)
                note_exit(w, n, k + (later[sq / 64] >> sq % 64 & 1 ? 0 : h->kinds), first + sq);
        }
        memset(row + i, 0, some);
    }
}

/* Notes the exits of one side of a slice, which the kernel has left in `codes`. */
static void collect_exits(struct bk_ledger *h, struct scratch *w, const uint64_t *later,
                          char *codes, size_t set_bytes)
{
    const struct bk_setup *s = h->s;
    unsigned lanes = (unsigned)(VECTOR_BYTES / set_bytes), words = (unsigned)(set_bytes / 8);
    size_t row = (size_t)s->width * s->dtw_bytes;

    for (uint32_t vector = 0; vector < s->nvec; vector++) {
        unsigned n = 0;

        for (unsigned i = 0; i < lanes && vector * lanes + i < s->nconf; i++) {
            uint32_t conf = vector * lanes + i;

            note_row(h, w, codes + conf * row, later + (size_t)conf * words, i * 64 * words, &n);
        }
        for (unsigned i = 0; i < n; i++) {
            struct notes *x = &w->exits[w->k[i]];

            put_vector(h, x, vector, x->word);
            memset(x->word, 0, sizeof x->word);
        }
    }
}

/* Notes the wins at ply 1, which the kernel leaves as a frontier, and clears its marks. */
static void collect_soon(struct bk_ledger *h, struct scratch *w, const struct bk_state *st,
                         unsigned side, uint32_t slice)
{
    uint64_t *marks = bk_state_slice(st, BK_WIN_MARKS, side, slice);
    const uint64_t *sets = bk_state_slice(st, BK_WINS, side, slice);

    for (uint32_t m = 0; m < h->s->nmarks; m++)
        for (; marks[m]; marks[m] &= marks[m] - 1) {
            uint32_t vector = 64 * m + (unsigned)__builtin_ctzll(marks[m]);

            put_vector(h, &w->exits[h->kinds + (1u >> st->shift)], vector,
                       sets + (size_t)vector * BK_LANES_MAX);
        }
    *(uint8_t *)bk_state_slice(st, BK_ANY_WIN, side, slice) = 0;
}

/* Writes the exits `x` (all losses, or all wins) by rising k.  Returns the place of the first. */
static struct place write_exits(struct bk_ledger *h, struct notes *x)
{
    struct place next = { 0 };
    uint64_t all = 0, at;

    for (unsigned k = 0; k < h->kinds; k++)
        all += x[k].n > sizeof next ? x[k].n : 0;
    at = bk_log_room(h->log, all) + all;
    for (unsigned k = h->kinds; k-- > 0;)
        if (x[k].n > sizeof next)
            next = write_notes(h, &x[k], k, at -= x[k].n, &next);
    return next;
}

/* Sets `own` to the solver, but with numbers of one slice alone: those in the thread's scratch. */
static void solver_at(struct bk_solver *own, const struct bk_solver *b, const struct scratch *w)
{
    const struct bk_state *st = &b->state;

    *own = (struct bk_solver){ .setup = b->setup, .kernel = b->kernel };
    memcpy(own->state.array, st->array, sizeof st->array);
    memcpy(own->state.slice_bytes, st->slice_bytes, sizeof st->slice_bytes);
    own->state.nslices = st->nslices;
    own->state.ply = st->ply;
    own->state.losing = st->losing;
    own->state.shift = st->shift;
    for (unsigned side = 0; side < 2; side++) {
        own->state.last_win[side] = atomic_load(&st->last_win[side]);
        own->state.last_loss[side] = atomic_load(&st->last_loss[side]);
        own->state.array[BK_DTW][side] = w->codes[side]; /* slice_bytes[BK_DTW] is 0 */
    }
}

void bk_ledger_init(struct bk_ledger *h, struct bk_solver *b, uint32_t slice, void *scratch,
                    unsigned thread)
{
    struct scratch *w = &h->scratch[thread];
    struct bk_solver own;

    solver_at(&own, b, w);
    b->kernel->init(&own, slice, scratch);
    bk_raise_to(&b->state.last_wait, own.state.last_wait);
    for (unsigned side = 0; side < 2; side++) {
        for (unsigned i = 0; i < 2 * h->kinds; i++)
            begin_notes(&w->exits[i]);
        collect_exits(h, w, bk_state_slice(&b->state, BK_LATER, side, slice), w->codes[side],
                      b->kernel->set_bytes);
        collect_soon(h, w, &b->state, side, slice);
        for (unsigned k = 0; k < h->kinds; k++)
            if (w->exits[k].n > sizeof(struct place))
                h->delay[side][slice] = (uint16_t)k;
        h->exits[true][side][slice] = write_exits(h, w->exits);
        h->exits[false][side][slice] = write_exits(h, w->exits + h->kinds);
    }
}

bool bk_ledger_is_due(const struct bk_ledger *h, const struct bk_state *st, uint32_t slice,
                      unsigned side)
{
    const struct place *p = &h->exits[st->losing][side][slice];

    return st->ply && p->bytes && p->k == bk_state_k(st);
}

void bk_ledger_ripen(struct bk_ledger *h, struct bk_solver *b, uint32_t slice, unsigned side,
                     void *scratch, unsigned thread)
{
    bool losses = b->state.losing;
    struct place *p = &h->exits[losses][side][slice], next;
    const uint8_t *notes, *end;

    if (!bk_ledger_is_due(h, &b->state, slice, side) ||
        !read_notes(h, &h->scratch[thread], *p, &next, &notes, &end))
        return;
    b->kernel->ripen(b, slice, side, losses, notes, (size_t)(end - notes), scratch);
    *p = next;
}

/* == What was found == */

void bk_ledger_found(struct bk_ledger *h, const struct bk_solver *b, uint32_t slice, unsigned side,
                     unsigned thread)
{
    const struct bk_state *st = &b->state;
    bool losses = st->losing;
    const uint64_t *marks =
        bk_state_slice(st, losses ? bk_loss_marks_of(st->ply) : BK_WIN_MARKS, side, slice);
    const uint64_t *sets =
        bk_state_slice(st, losses ? bk_losses_of(st->ply) : BK_WINS, side, slice);
    struct notes *x = &h->scratch[thread].found;
    struct place *last = &h->found[losses][side][slice];

    begin_notes(x);
    for (uint32_t m = 0; m < h->s->nmarks; m++)
        for (uint64_t left = marks[m]; left; left &= left - 1) {
            uint32_t vector = 64 * m + (unsigned)__builtin_ctzll(left);

            put_vector(h, x, vector, sets + (size_t)vector * BK_LANES_MAX);
        }
    if (x->n > sizeof *last && x->at)
        *last = write_notes(h, x, bk_state_k(st), bk_log_room(h->log, x->n), last);
}

/* Stores k for all positions that one piece notes. */
static void fill_in(const struct bk_ledger *h, char *codes, unsigned k, size_t set_bytes,
                    const uint8_t *notes, const uint8_t *end)
{
    const struct bk_setup *s = h->s;
    unsigned lanes = (unsigned)(VECTOR_BYTES / set_bytes), words = (unsigned)(set_bytes / 8);
    uint32_t vector, next = 0;
    uint64_t word[BK_LANES_MAX];

    while (bk_note_take(&notes, end, &next, &vector, word) && vector < s->nvec)
        for (unsigned i = 0; i < BK_LANES_MAX; i++)
            for (uint64_t left = word[i]; left; left &= left - 1) {
                size_t conf = (size_t)vector * lanes + i / words;
                size_t at = conf * s->width + i % words * 64 + (unsigned)__builtin_ctzll(left);

                if (conf >= s->nconf)
                    continue;
                if (s->dtw_bytes == 1)
                    ((uint8_t *)codes)[at] = (uint8_t)k;
                else
                    ((uint16_t *)(void *)codes)[at] = (uint16_t)k;
            }
}

/* Fills w->codes[side] with k of each position of a slice that was found. */
static void gather_found(struct bk_ledger *h, struct scratch *w, uint32_t slice, unsigned side,
                         size_t set_bytes)
{
    memset(w->codes[side], 0, h->slice_bytes);
    for (unsigned losses = 0; losses < 2; losses++) {
        struct place p = h->found[losses][side][slice], before;
        const uint8_t *notes, *end;

        for (; p.k && read_notes(h, w, p, &before, &notes, &end); p = before) {
            fill_in(h, w->codes[side], p.k, set_bytes, notes, end);
            if (before.at >= p.at)
                break; /* damaged: a piece may only name an earlier one */
        }
    }
}

/* Returns the array that says whether a frontier has anything. */
static enum bk_array any_of(enum bk_array frontier)
{
    return frontier == BK_WINS ? BK_ANY_WIN : bk_any_loss_of(frontier == BK_LOSSES_ODD);
}

void bk_ledger_frontier(struct bk_ledger *h, const struct bk_solver *b, uint32_t slice,
                        unsigned side, enum bk_array frontier, unsigned thread)
{
    const struct bk_state *st = &b->state;
    uint64_t *sets = bk_state_slice(st, frontier, side, slice);
    struct place p = h->found[frontier != BK_WINS][side][slice], before;
    const uint8_t *notes, *end;
    uint64_t word[BK_LANES_MAX];
    uint32_t vector, next = 0;

    if (!*(const uint8_t *)bk_state_slice(st, any_of(frontier), side, slice) ||
        !read_notes(h, &h->scratch[thread], p, &before, &notes, &end))
        return;
    /* of two frontiers of losses the older one is in the record before */
    if (!st->shift && frontier != BK_WINS && bk_losses_of(p.k) != frontier &&
        !read_notes(h, &h->scratch[thread], before, &p, &notes, &end))
        return;
    while (bk_note_take(&notes, end, &next, &vector, word) && vector < h->s->nvec)
        memcpy(sets + (size_t)vector * BK_LANES_MAX, word, sizeof word);
}

void bk_ledger_finish(struct bk_ledger *h, struct bk_solver *b, struct bk_memblock *mb,
                      uint32_t slice, struct bk_tally *tally, void *scratch, unsigned thread)
{
    const struct bk_state *st = &b->state;
    struct scratch *w = &h->scratch[thread];
    size_t sets = st->slice_bytes[BK_WINS];
    struct bk_solver own;
    bool ok = true;

    for (unsigned side = 0; side < 2; side++)
        gather_found(h, w, slice, side, b->kernel->set_bytes);
    solver_at(&own, b, w);
    b->kernel->finish(&own, slice, tally, scratch);
    if (h->s->attains)
        b->kernel->attain(&own, slice, scratch);
    for (unsigned side = 0; side < 2; side++) {
        ok = ok &&
             bk_spill_put(mb->code[side], slice * h->slice_bytes, w->codes[side], h->slice_bytes);
        for (unsigned told = 0; h->s->attains && told < 2; told++)
            ok = ok &&
                 bk_spill_put(mb->attained[told][side], slice * sets,
                              bk_state_slice(st, told == BK_WDL ? BK_LOSSES : BK_WINS, side, slice),
                              sets);
    }
    if (!ok)
        atomic_store(&h->no_memory, true);
}

/* == Checkpoints == */

static bool is_within(const struct bk_ledger *h, const struct place *p)
{
    uint64_t all = bk_log_bytes(h->log);

    return p->bytes <= all && p->at <= all - p->bytes;
}

void bk_ledger_save(const struct bk_ledger *h, struct bk_writer *w)
{
    size_t bytes = h->s->nslices * sizeof(struct place);

    for (unsigned side = 0; side < 2; side++) {
        bk_write_array(w, h->delay[side], h->s->nslices * sizeof *h->delay[side]);
        bk_write_array(w, h->found[0][side], bytes);
        bk_write_array(w, h->found[1][side], bytes);
        bk_write_array(w, h->exits[0][side], bytes);
        bk_write_array(w, h->exits[1][side], bytes);
    }
    bk_log_save(h->log, w);
}

bool bk_ledger_load(struct bk_ledger *h, struct bk_reader *r)
{
    size_t bytes = h->s->nslices * sizeof(struct place);
    bool ok = true;

    for (unsigned side = 0; ok && side < 2; side++)
        ok = bk_read_array(r, h->delay[side], h->s->nslices * sizeof *h->delay[side]) &&
             bk_read_array(r, h->found[0][side], bytes) &&
             bk_read_array(r, h->found[1][side], bytes) &&
             bk_read_array(r, h->exits[0][side], bytes) &&
             bk_read_array(r, h->exits[1][side], bytes);
    ok = ok && bk_log_load(h->log, r);
    for (uint32_t i = 0; ok && i < h->s->nslices; i++)
        for (unsigned side = 0; side < 2; side++)
            ok = ok && is_within(h, &h->found[0][side][i]) && is_within(h, &h->found[1][side][i]) &&
                 is_within(h, &h->exits[0][side][i]) && is_within(h, &h->exits[1][side][i]);
    return ok;
}
