/*
 * settled.c - see settled.h.
 *
 * The tables are listed, those that others lead to first.  Each is gone through in passes: pieces
 * of rows, shared out over a pool.  Pass 1 reads files and exits, 2 and 3 look at moves, SEARCH
 * shows what is known.
 *
 * A quiet move changes one square of a placement; its number is all that is needed.  Other moves
 * are played on a copy of the position.
 *
 * Threads read and write codes at the same time.  In pass 2 they write the codes of lost positions
 * and read those of won ones.  The two would meet only if a lost position had a lost successor,
 * which no sound table has; then either of two codes is read.
 */
#include "tb/settled.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/attack.h"
#include "core/end.h"
#include "core/move.h"
#include "core/rules.h"
#include "table/format.h"
#include "table/material.h"

#define ROWS      256 /* a piece of work at most */
#define PASSES    3   /* of a table that is verified */
#define SEARCH    4   /* a pass of its own */
#define SHORT_MAX 200 /* the longest distance of a header that gives codes of a byte */

/* == Values as codes == */

/*
 * Code of a value: NOTHING if no legal position has the number; DRAWN; else LOST plus the plies, of
 * which a win has an odd number and a loss an even one (without distances: 1 and 0).  The code ASK
 * of a table stands for what could not be settled: a table is missing, or a distance is longer than
 * there is room for.  A caller that needs it asks the files (table/settle.h), which say why.
 */
enum { NOTHING, DRAWN, LOST };

/* A table. */
struct table_values {
    const struct bk_table *table;
    const struct bk_index *ix;
    const struct bk_rows *rows;
    unsigned sides;
    bool distances, alone, wide;
    unsigned ask;                 /* the code ASK */
    uint8_t mirror[BK_SLOTS_MAX]; /* by slot: the one whose square it has, colours exchanged */
    void *code[2];                /* by side; each by number */
    struct bk_scan *(*scan)[2];   /* by thread: of the results, the distances; NULL: not yet */
};

/* The tables, and the pass that goes through one of them. */
struct bk_settled {
    struct bk_settled_options o;
    struct bk_tables tables;
    bool distances;
    unsigned threads;
    struct table_values *values; /* by nearness to the end: the table itself is the last */
    size_t n;
    struct table_values **by_file; /* a hash of the results' files */
    size_t buckets;                /* a power of two */
    /* the pass that runs */
    struct table_values *now;
    int pass;
    uint64_t first, all, piece; /* of rows: the first, how many, how many at a time */
    uint64_t done;
    bk_settled_visit *visit;
    void *context;
    /* under the mutex */
    pthread_mutex_t lock;
    enum bk_err err;
    struct bk_report why;
    bool failed; /* read without it */
};

/* Returns the code of a number. */
static inline unsigned load_code(const struct table_values *t, unsigned side, uint64_t number)
{
    if (t->wide)
        return __atomic_load_n((const uint16_t *)t->code[side] + number, __ATOMIC_RELAXED);
    return __atomic_load_n((const uint8_t *)t->code[side] + number, __ATOMIC_RELAXED);
}

/* Sets the code of a number. */
static inline void store_code(const struct table_values *t, unsigned side, uint64_t number,
                              unsigned code)
{
    if (t->wide)
        __atomic_store_n((uint16_t *)t->code[side] + number, (uint16_t)code, __ATOMIC_RELAXED);
    else
        __atomic_store_n((uint8_t *)t->code[side] + number, (uint8_t)code, __ATOMIC_RELAXED);
}

/* Returns the code of a value; plies of a win or a loss. */
static inline unsigned code_of(const struct table_values *t, int wdl, int plies)
{
    unsigned code;

    if (!wdl)
        return DRAWN;
    code = LOST + (t->distances ? (unsigned)plies : wdl > 0);
    return code < t->ask ? code : t->ask;
}

/* Returns what a code says: not NOTHING, nor ASK. */
static inline struct bk_worth worth_of(const struct table_values *t, unsigned code)
{
    if (code == DRAWN)
        return (struct bk_worth){ 0, -1 };
    return (struct bk_worth){ (code - LOST) & 1 ? 1 : -1, t->distances ? (int)(code - LOST) : -1 };
}

/* == Asking == */

static size_t bucket_of(const struct bk_settled *s, const struct bk_file *f)
{
    return (size_t)((uintptr_t)f / 64 * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (s->buckets - 1);
}

/* Makes tables found by their files.  s->values is set, s->by_file has room and is empty. */
static void hash_by_file(struct bk_settled *s)
{
    for (size_t i = 0; i < s->n; i++) {
        size_t at = bucket_of(s, s->values[i].table->wdl);

        while (s->by_file[at])
            at = (at + 1) & (s->buckets - 1);
        s->by_file[at] = &s->values[i];
    }
}

static const struct table_values *values_of(const struct bk_settled *s, const struct bk_file *f)
{
    for (size_t i = bucket_of(s, f); s->by_file[i]; i = (i + 1) & (s->buckets - 1))
        if (s->by_file[i]->table->wdl == f)
            return s->by_file[i];
    return NULL;
}

/* Asks the files what a position is worth; plies only if `distances`. */
static enum bk_err ask_files(const struct bk_settled *s, const struct bk_pos *p, bool distances,
                             struct bk_worth *out, struct bk_report *why)
{
    struct bk_window all = { -1, 1 << 20 };
    enum bk_err err = bk_settle_wdl(&s->tables, p, &out->wdl, why);

    out->plies = -1;
    if (!err && distances && out->wdl)
        err = bk_settle_plies(&s->tables, p, out->wdl, all, &out->plies, why);
    return err;
}

/* Sets `out` to what a position is worth that a move led to, and *number, unless NULL, to its
   number, where it is looked up. */
static enum bk_err worth_after(const struct bk_settled *s, const struct bk_pos *p, bool distances,
                               struct bk_worth *out, uint64_t *number, struct bk_report *why)
{
    const struct bk_table *table;
    const struct table_values *t = NULL;
    struct bk_spot spot;
    unsigned code = NOTHING;

    if (bk_pos_bare(s->o.v, p, &out->wdl) != BK_END_NONE) {
        out->plies = 0;
        return BK_OK;
    }
    if (p->ep == BK_SQ_NONE && !bk_catalog_table(s->o.catalog, p, &table, why))
        t = values_of(s, table->wdl);
    if (!t || (distances && !t->distances) || bk_spot_of(&spot, table, table->wdl, p, why))
        return ask_files(s, p, distances, out, why);
    if (number)
        *number = spot.number;
    code = load_code(t, spot.side, spot.number);
    if (code == NOTHING || code == t->ask)
        return ask_files(s, p, distances, out, why);
    *out = worth_of(t, code);
    return BK_OK;
}

/* == A position of a row == */

struct here {
    const struct table_values *t;
    const struct bk_row *row;
    struct bk_pos p;
    struct bk_placement at;
    uint8_t man_at[BK_SQ_MAX]; /* by square that a man stands on */
    uint64_t number;
    unsigned inner_sq;
};

static uint8_t *squares(struct bk_placement *at) { return at->king; }

static unsigned type_of(const struct bk_index *ix, unsigned man)
{
    return man < 2 ? ix->v->royal : ix->type[man - 2];
}

static unsigned colour_of(const struct bk_index *ix, unsigned man)
{
    return man < 2 ? man : ix->colour[man - 2];
}

static void put(struct here *h, unsigned man, unsigned sq)
{
    const struct bk_index *ix = h->t->ix;

    squares(&h->at)[man] = (uint8_t)sq;
    h->man_at[sq] = (uint8_t)man;
    bk_pos_put(&h->p, ix->v, type_of(ix, man), colour_of(ix, man), sq);
}

/* Puts all men of a row but the inner one on the board.  Their squares differ. */
static void here_row(struct here *h, const struct table_values *t, const struct bk_row *row)
{
    h->t = t;
    h->row = row;
    h->inner_sq = BK_SQ_NONE;
    bk_pos_init(&h->p, t->ix->v);
    memcpy(h->p.left, t->ix->m.left, sizeof h->p.left);
    h->p.rights = t->ix->m.rights;
    for (unsigned man = 0; man < 2 + t->ix->nslots; man++)
        if (man != row->inner)
            put(h, man, row->sq[man]);
}

static void here_inner(struct here *h, unsigned nth)
{
    if (h->inner_sq != BK_SQ_NONE)
        bk_pos_lift(&h->p, h->t->ix->v, h->inner_sq);
    h->inner_sq = h->row->inner_sq[nth];
    h->number = h->row->first + nth;
    put(h, h->row->inner, h->inner_sq);
}

/* == Pass 1: files and exits == */

/* What the files say of a row, of one side. */
struct said {
    struct bk_row_values wdl, k;
    unsigned planes; /* of k, up to the last that has a bit */
};

static unsigned value_at(const struct bk_row_values *x, unsigned planes, unsigned sq)
{
    unsigned value = 0;

    for (unsigned b = 0; b < planes; b++)
        value |= (unsigned)(x->plane[b][sq >> 6] >> (sq & 63) & 1) << b;
    return value;
}

static enum bk_err scan_of(struct table_values *t, unsigned thread, unsigned which,
                           struct bk_report *why)
{
    struct bk_file *f = which ? t->table->dtw : t->table->wdl;

    return t->scan[thread][which] ? BK_OK : bk_scan_new(&t->scan[thread][which], f, why);
}

static enum bk_err read_row(struct table_values *t, unsigned thread, unsigned side,
                            const struct bk_row *row, const uint64_t care[4], struct said *out,
                            struct bk_report *why)
{
    unsigned bits = bk_kind_bits(BK_KIND_DTW);
    enum bk_err err = scan_of(t, thread, 0, why);

    memset(out, 0, sizeof *out);
    if (!err)
        err = bk_scan_row(t->scan[thread][0], side, row, care, &out->wdl, why);
    if (!err && t->distances)
        err = scan_of(t, thread, 1, why);
    if (!err && t->distances)
        err = bk_scan_row(t->scan[thread][1], side, row, care, &out->k, why);
    for (unsigned b = 0; !err && b < bits; b++)
        for (unsigned w = 0; w < 4; w++)
            if (out->k.plane[b][w])
                out->planes = b + 1;
    return err;
}

/* Raises what the files say by what exits bring. */
static enum bk_err raise(const struct bk_settled *s, const struct here *h, struct bk_worth *best,
                         struct bk_report *why)
{
    struct bk_move move[BK_MOVES_MAX];
    unsigned n;

    if (!bk_exits_may_be(s->o.v, &h->p))
        return BK_OK;
    n = bk_moves_exits(s->o.v, &h->p, move);
    for (unsigned i = 0; i < n && (best->wdl <= 0 || best->plies > 1); i++) {
        struct bk_pos after = h->p;
        struct bk_worth w;
        enum bk_err err;

        bk_pos_play(&after, s->o.v, &move[i]);
        if (!bk_pos_legal(s->o.v, &after))
            continue;
        if ((err = worth_after(s, &after, h->t->distances, &w, NULL, why)) != BK_OK)
            return err;
        if (-w.wdl > best->wdl)
            best->wdl = -w.wdl;
        if (w.wdl < 0 && w.plies + 1 < best->plies)
            best->plies = w.plies + 1;
    }
    return BK_OK;
}

/* Sets *code for a legal position; of a lost one without its distance, unless the files have it. */
static enum bk_err settle(const struct bk_settled *s, const struct here *h, const struct said *said,
                          unsigned *code, struct bk_report *why)
{
    const struct table_values *t = h->t;
    int k = 0, bits = t->table->wdl_is_five ? 3 : 2;
    struct bk_worth best = {
        bk_table_result(t->table, value_at(&said->wdl, (unsigned)bits, h->inner_sq)), 0
    };
    enum bk_err err = BK_OK;

    *code = t->ask;
    if (best.wdl < -1) /* damaged: that will be said when it is asked */
        return BK_OK;
    if (t->distances)
        k = (int)value_at(&said->k, said->planes, h->inner_sq);
    if (t->alone) {
        *code = code_of(t, best.wdl, 2 * k + (best.wdl > 0));
        return BK_OK;
    }
    best.plies = t->distances ? 2 * k + 1 : 1;
    err = raise(s, h, &best, why);
    if (!err)
        *code = code_of(t, best.wdl, best.wdl > 0 ? best.plies : 0);
    return err == BK_E_NO_TABLE ? BK_OK : err;
}

/* Pass 1: stores the codes of a row of s->now.  care: a bit for each square of the inner man that
   is wanted.  Returns BK_OK; BK_E_CORRUPT; BK_E_SYSTEM. */
static enum bk_err settle_row(struct bk_settled *s, unsigned thread, const struct bk_row *row,
                              const uint64_t care[4], struct bk_report *why)
{
    struct table_values *t = s->now;
    struct here h;
    enum bk_err err = BK_OK;

    here_row(&h, t, row);
    for (unsigned side = 0; side < t->sides && !err; side++) {
        struct said said;

        h.p.stm = (uint8_t)side;
        err = read_row(t, thread, side, row, care, &said, why);
        for (unsigned i = 0; i < row->n && !err; i++) {
            unsigned code, sq = row->inner_sq[i];

            if (!(care[sq >> 6] >> (sq & 63) & 1))
                continue;
            here_inner(&h, i);
            if (!bk_pos_legal(s->o.v, &h.p))
                continue;
            err = settle(s, &h, &said, &code, why);
            if (!err)
                store_code(t, side, h.number, code);
        }
    }
    return err;
}

/* == Passes 2 and 3: moves == */

/* Does the move leave the material, and tables' notion of the position, as they are? */
static bool is_quiet(const struct bk_variant *v, const struct bk_pos *p, const struct bk_move *m)
{
    return m->takes == BK_SQ_NONE && m->becomes == BK_STAYS && !p->rights &&
           !(m->doubles && bk_rules_en_passant(v));
}

/* Returns the code after a quiet move. */
static unsigned code_after(const struct here *h, const struct bk_move *m)
{
    const struct table_values *t = h->t;
    struct bk_placement at = h->at, seen;
    unsigned side = !h->p.stm;
    uint64_t number;

    squares(&at)[h->man_at[m->from]] = m->to;
    if (t->sides == 1) { /* the other side's move: exchanged, it is White's again */
        const uint8_t *swap = t->table->swap;

        seen.king[0] = swap[at.king[1]];
        seen.king[1] = swap[at.king[0]];
        for (unsigned i = 0; i < t->ix->nslots; i++)
            seen.sq[i] = swap[at.sq[t->mirror[i]]];
        at = seen;
        side = 0;
    }
    number = bk_index_rank_turned(t->ix, &at, NULL);
    return number == UINT64_MAX ? NOTHING : load_code(t, side, number);
}

static enum bk_err worth_moved(const struct bk_settled *s, const struct here *h,
                               const struct bk_move *m, struct bk_worth *out, struct bk_report *why)
{
    unsigned code = is_quiet(s->o.v, &h->p, m) ? code_after(h, m) : NOTHING;
    struct bk_pos after;

    if (code != NOTHING && code != h->t->ask) {
        *out = worth_of(h->t, code);
        return BK_OK;
    }
    after = h->p;
    bk_pos_play(&after, s->o.v, m);
    return worth_after(s, &after, h->t->distances, out, NULL, why);
}

/* Sets *best to what the best move brings, or, without moves, to what the rules say; *longest to
   one ply more than the longest of the won positions that moves lead to. */
static enum bk_err by_moves(const struct bk_settled *s, const struct here *h, struct bk_worth *best,
                            int *longest, struct bk_report *why)
{
    struct bk_move move[BK_MOVES_MAX];
    unsigned n = bk_moves_legal(s->o.v, &h->p, move);
    int shortest = -1;
    enum bk_err err = BK_OK;

    *best = (struct bk_worth){ BK_WORTH_NONE, -1 };
    *longest = 0;
    for (unsigned i = 0; i < n && !err; i++) {
        struct bk_worth w;

        err = worth_moved(s, h, &move[i], &w, why);
        if (err)
            return err;
        if (-w.wdl > best->wdl)
            best->wdl = -w.wdl;
        if (w.wdl < 0 && (shortest < 0 || w.plies + 1 < shortest))
            shortest = w.plies + 1;
        if (w.wdl > 0 && w.plies + 1 > *longest)
            *longest = w.plies + 1;
    }
    if (!n && bk_pos_end(s->o.v, &h->p, &best->wdl) == BK_END_NONE)
        best->wdl = BK_WORTH_NONE;
    if (h->t->distances && best->wdl)
        best->plies = best->wdl > 0 ? shortest : *longest;
    return BK_OK;
}

/* Sets and stores the distance of a lost position, unless its file tells that. */
static void note_loss(const struct here *h, struct bk_worth *stored, int longest)
{
    if (stored->wdl >= 0 || !h->t->distances || h->t->alone)
        return;
    stored->plies = longest;
    store_code(h->t, h->p.stm, h->number, code_of(h->t, -1, longest));
}

static enum bk_err look(struct bk_settled *s, unsigned thread, const struct here *h, unsigned code,
                        struct bk_report *why)
{
    const struct table_values *t = h->t;
    struct bk_seen seen = { .number = h->number, .block = h->row->block, .at = &h->at, .p = &h->p };
    int longest;
    enum bk_err err = BK_OK;

    if (code == t->ask)
        err = ask_files(s, &h->p, t->distances, &seen.stored, why);
    else
        seen.stored = worth_of(t, code);
    if (!err)
        err = by_moves(s, h, &seen.found, &longest, why);
    if (err == BK_E_NO_TABLE && s->visit)
        return bk_catalog_missing(s->o.catalog, &h->p, why);
    if (err == BK_E_NO_TABLE) { /* of a table that this one leads to: it may not matter */
        store_code(t, h->p.stm, h->number, t->ask);
        return BK_OK;
    }
    if (err)
        return err;
    if (code != t->ask)
        note_loss(h, &seen.stored, longest);
    if (s->visit)
        s->visit(s->context, thread, &seen);
    return BK_OK;
}

/* Shows a position, with what is known of it, to the visitor of a search. */
static enum bk_err show(struct bk_settled *s, unsigned thread, const struct here *h, unsigned code,
                        struct bk_report *why)
{
    const struct table_values *t = h->t;
    struct bk_seen seen = { .number = h->number,
                            .block = h->row->block,
                            .at = &h->at,
                            .p = &h->p,
                            .found = { BK_WORTH_NONE, -1 } };
    enum bk_err err = BK_OK;

    if (code == t->ask)
        err = ask_files(s, &h->p, t->distances, &seen.stored, why);
    else
        seen.stored = worth_of(t, code);
    if (err == BK_E_NO_TABLE)
        return bk_catalog_missing(s->o.catalog, &h->p, why);
    if (!err)
        s->visit(s->context, thread, &seen);
    return err;
}

/* Pass 2 looks at lost positions, 3 at the others, a search at all. */
static bool is_due(const struct table_values *t, unsigned code, int pass)
{
    bool lost = code != t->ask && code >= LOST && !((code - LOST) & 1);

    return code != NOTHING && (pass == SEARCH || lost == (pass == 2));
}

/* Another pass: looks at the positions of a row of s->now that are due in it, and shows them to
   s->visit.  Returns as bk_settled_each(). */
static enum bk_err look_row(struct bk_settled *s, unsigned thread, const struct bk_row *row,
                            const uint64_t care[4], struct bk_report *why)
{
    struct table_values *t = s->now;
    struct here h;
    bool begun = false;
    enum bk_err err = BK_OK;

    for (unsigned i = 0; i < row->n && !err; i++)
        for (unsigned side = 0; side < t->sides && !err; side++) {
            unsigned sq = row->inner_sq[i], code = load_code(t, side, row->first + i);

            if (!(care[sq >> 6] >> (sq & 63) & 1) || !is_due(t, code, s->pass))
                continue;
            if (!begun)
                here_row(&h, t, row);
            begun = true;
            here_inner(&h, i);
            h.p.stm = (uint8_t)side;
            err =
                s->pass == SEARCH ? show(s, thread, &h, code, why) : look(s, thread, &h, code, why);
        }
    return err;
}

/* == Passes, shared out over threads == */

static void fail(struct bk_settled *s, enum bk_err err, const struct bk_report *why)
{
    pthread_mutex_lock(&s->lock);
    if (!s->err) {
        s->err = err;
        s->why = *why;
    }
    pthread_mutex_unlock(&s->lock);
    __atomic_store_n(&s->failed, true, __ATOMIC_RELAXED);
}

static bool goes_on(const struct bk_settled *s)
{
    return !(s->o.stop && *s->o.stop) && !__atomic_load_n(&s->failed, __ATOMIC_RELAXED);
}

static void tell(struct bk_settled *s, uint64_t rows, unsigned thread)
{
    uint64_t done = __atomic_add_fetch(&s->done, rows, __ATOMIC_RELAXED);

    if (thread == 0 && s->o.progress && s->pass != SEARCH && s->now == &s->values[s->n - 1])
        s->o.progress(s->o.context, done, PASSES * bk_rows_count(s->now->rows));
}

static void piece(void *context, uint64_t item, unsigned thread)
{
    struct bk_settled *s = context;
    struct table_values *t = s->now;
    struct bk_report why = { "" };
    uint64_t before = item * s->piece;
    uint64_t n = s->all - before < s->piece ? s->all - before : s->piece;
    struct bk_row row;
    enum bk_err err = BK_OK;

    bk_row_nth(t->rows, s->first + before, &row);
    for (uint64_t i = 0; i < n && !err && goes_on(s); i++) {
        uint64_t care[4];

        if (i)
            bk_row_next(t->rows, &row);
        if (bk_row_care(&row, 2 + t->ix->nslots, care))
            err = s->pass == 1 ? settle_row(s, thread, &row, care, &why)
                               : look_row(s, thread, &row, care, &why);
    }
    if (err)
        fail(s, err, &why);
    tell(s, n, thread);
}

static enum bk_err run_rows(struct bk_settled *s, struct table_values *t, int pass, uint64_t first,
                            uint64_t rows, struct bk_report *why)
{
    s->now = t;
    s->pass = pass;
    s->first = first;
    s->all = rows;
    s->piece = rows / (8 * s->threads) + 1;
    if (s->piece > ROWS)
        s->piece = ROWS;
    bk_pool_run(s->o.pool, (rows + s->piece - 1) / s->piece, piece, s);
    if (s->o.stop && *s->o.stop)
        return bk_interrupted(why);
    return s->err ? bk_fail(why, s->err, "%s", s->why.text) : BK_OK;
}

static enum bk_err run_pass(struct bk_settled *s, struct table_values *t, int pass,
                            struct bk_report *why)
{
    return run_rows(s, t, pass, 0, bk_rows_count(t->rows), why);
}

enum bk_err bk_settled_each(struct bk_settled *s, bk_settled_visit *visit, void *context,
                            struct bk_report *why)
{
    struct table_values *own = &s->values[s->n - 1];
    enum bk_err err;

    s->visit = visit;
    s->context = context;
    err = run_pass(s, own, 2, why);
    return err ? err : run_pass(s, own, 3, why);
}

/* == Searching == */

static struct table_values *own_values(const struct bk_settled *s) { return &s->values[s->n - 1]; }

enum bk_err bk_settled_losses(struct bk_settled *s, struct bk_report *why)
{
    struct table_values *own = own_values(s);

    s->visit = NULL;
    return own->distances && !own->alone ? run_pass(s, own, 2, why) : BK_OK;
}

const struct bk_index *bk_settled_index(const struct bk_settled *s) { return own_values(s)->ix; }

uint64_t bk_settled_rows(const struct bk_settled *s) { return bk_rows_count(own_values(s)->rows); }

bool bk_settled_one_sided(const struct bk_settled *s) { return own_values(s)->sides == 1; }

enum bk_err bk_settled_scan(struct bk_settled *s, uint64_t first, uint64_t n,
                            bk_settled_visit *visit, void *context, struct bk_report *why)
{
    s->visit = visit;
    s->context = context;
    return run_rows(s, own_values(s), SEARCH, first, n, why);
}

enum bk_err bk_settled_ask(const struct bk_settled *s, const struct bk_pos *p, struct bk_worth *out,
                           uint64_t *number, struct bk_report *why)
{
    if (number)
        *number = UINT64_MAX;
    return worth_after(s, p, s->distances, out, number, why);
}

/* == Making == */

/* Sets t->mirror. */
static void mirror_set(struct table_values *t)
{
    const struct bk_index *ix = t->ix;

    for (unsigned i = 0; t->sides == 1 && i < ix->nslots; i++)
        for (unsigned j = 0; j < ix->nslots; j++)
            if (ix->type[j] == ix->type[i] && ix->colour[j] != ix->colour[i] &&
                j - ix->like[j] == i - ix->like[i])
                t->mirror[i] = (uint8_t)j;
}

/* Do the results and the distances go row by row, so that they can be read together? */
static bool go_together(const struct bk_table *t, bool distances)
{
    return !distances || (t->same_numbers &&
                          bk_file_info(t->wdl)->standalone == bk_file_info(t->dtw)->standalone);
}

static bool is_long(const struct bk_file_info *info)
{
    for (unsigned side = 0; side < 2; side++)
        if (info->summary.win_plies[side] > SHORT_MAX || info->summary.loss_plies[side] > SHORT_MAX)
            return true;
    return false;
}

/* Sets what is known of a table before its values are read. */
static void values_init(struct table_values *t, const struct bk_table *table, bool distances)
{
    const struct bk_file_info *info = bk_file_info(bk_table_summed(table));

    t->table = table;
    t->ix = bk_file_index(table->wdl);
    t->rows = bk_file_rows(table->wdl);
    t->sides = bk_file_info(table->wdl)->one_side ? 1 : 2;
    t->distances = distances;
    t->alone = bk_file_info(table->wdl)->standalone;
    t->wide = distances && is_long(info);
    t->ask = t->wide ? UINT16_MAX : UINT8_MAX;
    mirror_set(t);
}

static uint64_t bytes_of(const struct table_values *t)
{
    return t->ix->positions * t->sides * (t->wide ? 2 : 1);
}

static bool values_room(struct table_values *t, unsigned threads)
{
    t->scan = calloc(threads, sizeof *t->scan);
    for (unsigned side = 0; t->scan && side < t->sides; side++)
        if (!(t->code[side] = calloc(t->ix->positions, t->wide ? 2 : 1)))
            return false;
    return t->scan;
}

static void scans_free(struct table_values *t, unsigned threads)
{
    for (unsigned i = 0; t->scan && i < threads; i++) {
        bk_scan_free(t->scan[i][0]);
        bk_scan_free(t->scan[i][1]);
    }
    free(t->scan);
    t->scan = NULL;
}

/* The materials that one leads to, being sorted. */
struct sorting {
    const struct bk_variant *v;
    const struct bk_material *m;
    size_t n, done;
    bool *begun;
    size_t *order; /* those that others lead to come first */
    struct bk_material *next;
};

static void sort_from(struct sorting *x, size_t i);

static void sort_before(struct sorting *x, struct bk_material next)
{
    bk_material_normalise(&next, x->v);
    bk_material_canonical(&next, x->v);
    for (size_t k = 0; k < x->n; k++)
        if (bk_material_equal(&x->m[k], &next)) {
            sort_from(x, k);
            return;
        }
}

static void sort_from(struct sorting *x, size_t i)
{
    struct bk_material *next = x->next;
    unsigned found;

    if (x->begun[i])
        return;
    x->begun[i] = true;
    found = bk_material_next(&x->m[i], x->v, next, BK_NEXT_MAX);
    if (found > BK_NEXT_MAX)
        found = BK_NEXT_MAX; /* others are asked one by one until they are settled */
    x->next += found;
    for (unsigned k = 0; k < found; k++)
        sort_before(x, next[k]);
    x->next = next;
    x->order[x->done++] = i;
}

/* Sets *order, owned, to the numbers of m[], those that others lead to first. */
static enum bk_err sort(size_t **order, const struct bk_variant *v, const struct bk_material *m,
                        size_t n, struct bk_report *why)
{
    struct sorting x = { .v = v, .m = m, .n = n };

    x.begun = calloc(n, sizeof *x.begun);
    x.order = calloc(n, sizeof *x.order);
    x.next = malloc((n + 1) * BK_NEXT_MAX * sizeof *x.next);
    *order = x.order;
    if (x.begun && x.order && x.next)
        sort_from(&x, 0);
    else
        *order = NULL;
    free(x.begun);
    free(x.next);
    if (!*order)
        free(x.order);
    return *order ? BK_OK : bk_fail(why, BK_E_SYSTEM, "out of memory");
}

/* Lists the tables that are there; *fits: they go together, and into memory. */
static enum bk_err list_tables(struct bk_settled *s, const struct bk_material *m,
                               const size_t *order, size_t n, bool *fits, struct bk_report *why)
{
    uint64_t bytes = 0;

    *fits = true;
    for (size_t i = 0; i < n && *fits; i++) {
        struct table_values *t = &s->values[s->n];
        const struct bk_table *table;
        enum bk_err err = bk_catalog_open(s->o.catalog, &m[order[i]], &table, why);

        if (err && err != BK_E_NO_TABLE)
            return err;
        if (err || (s->distances && !table->dtw)) { /* a position that needs it will miss it */
            if (i + 1 < n)
                continue;
            return err ? err
                       : bk_fail(why, BK_E_NO_TABLE,
                                 "no distances of %s, which its results promise",
                                 bk_file_info(table->wdl)->material);
        }
        values_init(t, table, s->distances);
        bytes += bytes_of(t);
        *fits = go_together(table, s->distances) && bytes <= s->o.memory;
        s->n++;
    }
    return BK_OK;
}

/* Tables that a table leads to are settled before it. */
static enum bk_err settle_tables(struct bk_settled *s, struct bk_report *why)
{
    enum bk_err err = BK_OK;

    for (size_t i = 0; i < s->n && !err; i++) {
        struct table_values *t = &s->values[i];
        bool own = i + 1 == s->n;

        if (!values_room(t, s->threads))
            return bk_fail(why, BK_E_SYSTEM, "no memory for the values of %s",
                           bk_file_info(t->table->wdl)->material);
        s->done = 0;
        err = run_pass(s, t, 1, why);
        scans_free(t, s->threads);
        if (!err && !own && t->distances && !t->alone)
            err = run_pass(s, t, 2, why);
    }
    return err;
}

static enum bk_err settled_begin(struct bk_settled *s, size_t n, struct bk_report *why)
{
    for (s->buckets = 2; s->buckets < 2 * n;)
        s->buckets *= 2;
    s->values = calloc(n, sizeof *s->values);
    s->by_file = calloc(s->buckets, sizeof *s->by_file);
    if (s->values && s->by_file)
        return BK_OK;
    return bk_fail(why, BK_E_SYSTEM, "out of memory");
}

enum bk_err bk_settled_new(struct bk_settled **out, const struct bk_settled_options *o,
                           const struct bk_material *m, struct bk_report *why)
{
    struct bk_settled *s = calloc(1, sizeof *s);
    const struct bk_table *own;
    struct bk_material *needed = NULL;
    size_t *order = NULL, n = 0;
    bool fits = false;
    enum bk_err err;

    *out = NULL;
    if (!s || pthread_mutex_init(&s->lock, NULL)) {
        free(s);
        return bk_fail(why, BK_E_SYSTEM, "out of memory");
    }
    s->o = *o;
    s->tables = (struct bk_tables){ .v = o->v,
                                    .find = bk_catalog_table,
                                    .open = bk_catalog_reopen,
                                    .context = o->catalog,
                                    .cache = bk_catalog_cache(o->catalog) };
    s->threads = bk_pool_threads(o->pool);
    err = bk_catalog_open(o->catalog, m, &own, why);
    if (!err)
        err = bk_materials_needed(&needed, &n, m, o->v, why);
    if (!err)
        err = sort(&order, o->v, needed, n, why);
    if (!err)
        err = settled_begin(s, n, why);
    if (!err) {
        s->distances = bk_table_promises_distances(own);
        err = list_tables(s, needed, order, n, &fits, why);
    }
    if (!err && fits) {
        hash_by_file(s);
        err = settle_tables(s, why);
    }
    free(order);
    free(needed);
    if (err || !fits)
        bk_settled_free(s);
    else
        *out = s;
    return err;
}

void bk_settled_free(struct bk_settled *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->n; i++) {
        scans_free(&s->values[i], s->threads);
        free(s->values[i].code[0]);
        free(s->values[i].code[1]);
    }
    free(s->values);
    free(s->by_file);
    pthread_mutex_destroy(&s->lock);
    free(s);
}
