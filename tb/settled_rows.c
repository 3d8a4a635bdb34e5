/*
 * settled_rows.c - see settled_rows.h.
 *
 * A quiet move changes one square of a placement; its number is all that is
 * needed.  Other moves are played on a copy of the position.
 *
 * In pass 2 threads write the codes of lost positions and read those of won
 * ones.  The two would meet where a lost position has a lost successor, which
 * no sound table has; then either of two codes is read.
 */
#include "tb/settled_rows.h"

#include <string.h>

#include "core/attack.h"
#include "core/end.h"
#include "core/move.h"
#include "core/rules.h"
#include "table/format.h"

/* == A position of a row == */

struct here {
    const struct bk_settled_values *t;
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
static void here_row(struct here *h, const struct bk_settled_values *t, const struct bk_row *row)
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

static enum bk_err scan_of(struct bk_settled_values *t, unsigned thread, unsigned which,
                           struct bk_report *why)
{
    struct bk_file *f = which ? t->table->dtw : t->table->wdl;

    return t->scan[thread][which] ? BK_OK : bk_scan_new(&t->scan[thread][which], f, why);
}

static enum bk_err read_row(struct bk_settled_values *t, unsigned thread, unsigned side,
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
        if ((err = bk_settled_worth_after(s, &after, h->t->distances, &w, NULL, why)) != BK_OK)
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
    const struct bk_settled_values *t = h->t;
    int stored = (int)value_at(&said->wdl, 2, h->inner_sq), k = 0;
    struct bk_worth best = { BK_WDL_DRAW - stored, 0 };
    enum bk_err err = BK_OK;

    *code = t->ask;
    if (stored > BK_WDL_LOSS) /* damaged: that will be said when it is asked */
        return BK_OK;
    if (t->distances)
        k = (int)value_at(&said->k, said->planes, h->inner_sq);
    if (t->alone) {
        *code = bk_settled_code(t, best.wdl, 2 * k + (best.wdl > 0));
        return BK_OK;
    }
    best.plies = t->distances ? 2 * k + 1 : 1;
    err = raise(s, h, &best, why);
    if (!err)
        *code = bk_settled_code(t, best.wdl, best.wdl > 0 ? best.plies : 0);
    return err == BK_E_NO_TABLE ? BK_OK : err;
}

enum bk_err bk_settled_row_settle(struct bk_settled *s, unsigned thread, const struct bk_row *row,
                                  const uint64_t care[4], struct bk_report *why)
{
    struct bk_settled_values *t = s->now;
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
                bk_settled_store(t, side, h.number, code);
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
    const struct bk_settled_values *t = h->t;
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
    return number == UINT64_MAX ? BK_SETTLED_NOTHING : bk_settled_load(t, side, number);
}

static enum bk_err worth_moved(const struct bk_settled *s, const struct here *h,
                               const struct bk_move *m, struct bk_worth *out, struct bk_report *why)
{
    unsigned code = is_quiet(s->o.v, &h->p, m) ? code_after(h, m) : BK_SETTLED_NOTHING;
    struct bk_pos after;

    if (code != BK_SETTLED_NOTHING && code != h->t->ask) {
        *out = bk_settled_worth_of(h->t, code);
        return BK_OK;
    }
    after = h->p;
    bk_pos_play(&after, s->o.v, m);
    return bk_settled_worth_after(s, &after, h->t->distances, out, NULL, why);
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
    bk_settled_store(h->t, h->p.stm, h->number, bk_settled_code(h->t, -1, longest));
}

static enum bk_err look(struct bk_settled *s, unsigned thread, const struct here *h, unsigned code,
                        struct bk_report *why)
{
    const struct bk_settled_values *t = h->t;
    struct bk_seen seen = { .number = h->number, .block = h->row->block, .at = &h->at, .p = &h->p };
    int longest;
    enum bk_err err = BK_OK;

    if (code == t->ask)
        err = bk_settled_ask_files(s, &h->p, t->distances, &seen.stored, why);
    else
        seen.stored = bk_settled_worth_of(t, code);
    if (!err)
        err = by_moves(s, h, &seen.found, &longest, why);
    if (err == BK_E_NO_TABLE && s->visit)
        return bk_catalog_missing(s->o.catalog, &h->p, why);
    if (err == BK_E_NO_TABLE) { /* of a table that this one leads to: it may not matter */
        bk_settled_store(t, h->p.stm, h->number, t->ask);
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
    const struct bk_settled_values *t = h->t;
    struct bk_seen seen = { .number = h->number,
                            .block = h->row->block,
                            .at = &h->at,
                            .p = &h->p,
                            .found = { BK_WORTH_NONE, -1 } };
    enum bk_err err = BK_OK;

    if (code == t->ask)
        err = bk_settled_ask_files(s, &h->p, t->distances, &seen.stored, why);
    else
        seen.stored = bk_settled_worth_of(t, code);
    if (err == BK_E_NO_TABLE)
        return bk_catalog_missing(s->o.catalog, &h->p, why);
    if (!err)
        s->visit(s->context, thread, &seen);
    return err;
}

/* Pass 2 looks at lost positions, 3 at the others, a search at all. */
static bool is_due(const struct bk_settled_values *t, unsigned code, int pass)
{
    bool lost = code != t->ask && code >= BK_SETTLED_LOST && !((code - BK_SETTLED_LOST) & 1);

    return code != BK_SETTLED_NOTHING && (pass == BK_SETTLED_SEARCH || lost == (pass == 2));
}

enum bk_err bk_settled_row_look(struct bk_settled *s, unsigned thread, const struct bk_row *row,
                                const uint64_t care[4], struct bk_report *why)
{
    struct bk_settled_values *t = s->now;
    struct here h;
    bool begun = false;
    enum bk_err err = BK_OK;

    for (unsigned i = 0; i < row->n && !err; i++)
        for (unsigned side = 0; side < t->sides && !err; side++) {
            unsigned sq = row->inner_sq[i], code = bk_settled_load(t, side, row->first + i);

            if (!(care[sq >> 6] >> (sq & 63) & 1) || !is_due(t, code, s->pass))
                continue;
            if (!begun)
                here_row(&h, t, row);
            begun = true;
            here_inner(&h, i);
            h.p.stm = (uint8_t)side;
            err = s->pass == BK_SETTLED_SEARCH ? show(s, thread, &h, code, why)
                                               : look(s, thread, &h, code, why);
        }
    return err;
}
