/*
 * rank.c - the moves of a position, and what each of them brings.
 *
 * A move whose value cannot be had stays in the list, unknown; what is missing is named for the
 * material as a whole, since what one move lacks most others lack, too.
 */
#include <stdlib.h>
#include <string.h>

#include "core/rules.h"
#include "probe/answer.h"
#include "probe/position.h"

#define RANK_KNOWN (BK_LIB_CACHE_ONLY | BK_LIB_WDL_ONLY)

/* A list under way. */
struct ranking {
    struct bk_call call;
    struct bk_pos p;
    unsigned flags;
    int within;
    bool tables; /* else the rules alone */
    struct bk_move *move;
    struct bk_lib_ranked *list;
    size_t n;
    enum bk_err err; /* of the first move that is not known, damage before all else */
    struct bk_report why;
};

/* == Moves == */

/* All legal moves; r->move owned.  Its array is off the stack before a table is asked. */
static __attribute__((noinline)) enum bk_err list_moves(struct ranking *r)
{
    struct bk_move move[BK_MOVES_MAX];

    for (unsigned first = 0; first != BK_MOVES_END;) {
        unsigned more = bk_moves_portion(r->call.on->v, &r->p, &first, move);
        struct bk_move *longer = realloc(r->move, (r->n + more + 1) * sizeof *longer);

        if (!longer)
            return bk_fail(r->call.why, BK_E_SYSTEM, "no memory for %zu moves", r->n + more);
        memcpy(longer + r->n, move, more * sizeof *longer);
        r->move = longer;
        r->n += more;
    }
    return BK_OK;
}

static uint16_t public_square(unsigned sq)
{
    return sq == BK_SQ_NONE ? BK_LIB_NO_SQUARE : (uint16_t)sq;
}

/* All of a move that needs no table; it is not known yet. */
static void describe(struct bk_lib_ranked *out, const struct bk_variant *v, const struct bk_move *m)
{
    *out = (struct bk_lib_ranked){
        .from = m->from,
        .to = m->to,
        .takes = public_square(m->takes),
        .also_taken = public_square(m->castles ? BK_SQ_NONE : m->also),
        .rook = public_square(m->castles ? m->also : BK_SQ_NONE),
        .becomes = m->becomes == BK_STAYS ? BK_LIB_STAYS : (uint8_t)v->piece[m->becomes].letter,
        .castles = m->castles,
        .err = BK_LIB_NO_TABLE,
        .dtw = -1,
    };
    bk_move_name(v, m, out->name);
}

/* == Values == */

static void note_value(struct ranking *r, struct bk_lib_ranked *out, const struct bk_value *after)
{
    struct bk_value value = bk_value_moved(after);
    bool known;

    out->err = BK_LIB_OK;
    out->end = (enum bk_lib_end)after->end;
    out->wdl = value.wdl;
    out->dtw = value.dtw;
    out->clocked_wdl =
        bk_clocked(value.wdl, value.dtw, bk_plies_left(r->call.on->v, &r->p), &known);
    out->clocked_known = known;
}

static void note_error(struct ranking *r, struct bk_lib_ranked *out, enum bk_err err)
{
    out->err = bk_call_code(&r->call, err);
    if (!r->err || (r->err != BK_E_CORRUPT && err == BK_E_CORRUPT)) {
        r->err = err;
        r->why = *r->call.why;
    }
}

static void value_move(struct ranking *r, size_t i)
{
    const struct bk_variant *v = r->call.on->v;
    struct bk_pos after = r->p;
    struct bk_value value = { .end = BK_END_NONE };
    enum bk_err err;

    describe(&r->list[i], v, &r->move[i]);
    bk_pos_play(&after, v, &r->move[i]);
    if (!r->tables) {
        value.end = bk_pos_end(v, &after, &value.wdl);
        value.dtw = value.wdl ? 0 : -1;
        if (value.end != BK_END_NONE)
            note_value(r, &r->list[i], &value);
        return;
    }
    err = bk_value_for(&r->call, &after, r->flags, &value);
    if (err)
        note_error(r, &r->list[i], err);
    else
        note_value(r, &r->list[i], &value);
}

/* == Order == */

/* The better, the larger. */
static int score(const struct bk_lib_ranked *m)
{
    if (m->err)
        return INT32_MIN;
    return bk_value_score(&(struct bk_value){ .wdl = m->wdl, .dtw = m->dtw });
}

static int best_first(const void *a, const void *b)
{
    const struct bk_lib_ranked *x = a, *y = b;
    int sx = score(x), sy = score(y);

    return sx != sy ? (sx < sy ? 1 : -1) : strcmp(x->name, y->name);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct bk_lib_ranked *)a)->name, ((const struct bk_lib_ranked *)b)->name);
}

/* What a move is worth if the game is drawn after so many plies. */
static int worth_within(const struct bk_lib_ranked *m, int plies)
{
    return m->wdl && m->dtw >= 0 && plies >= 0 && m->dtw > plies ? 0 : m->wdl;
}

static void mark_keepers(struct ranking *r)
{
    int left = bk_plies_left(r->call.on->v, &r->p), best = -1;
    int plies = r->within && (left < 0 || r->within < left) ? r->within : left;

    for (size_t i = 0; i < r->n; i++)
        if (!r->list[i].err && worth_within(&r->list[i], plies) > best)
            best = worth_within(&r->list[i], plies);
    for (size_t i = 0; i < r->n; i++)
        r->list[i].keeps = !r->list[i].err && worth_within(&r->list[i], plies) == best;
}

/* == The list == */

/* Lists and values the moves of r->p. */
static enum bk_err rank(struct ranking *r)
{
    int wdl;
    enum bk_err err;

    if (bk_pos_end(r->call.on->v, &r->p, &wdl) != BK_END_NONE)
        return BK_OK;
    if ((err = list_moves(r)) != BK_OK)
        return err;
    if (!(r->list = malloc((r->n + 1) * sizeof *r->list)))
        return bk_fail(r->call.why, BK_E_SYSTEM, "no memory for %zu moves", r->n);
    for (size_t i = 0; i < r->n; i++)
        value_move(r, i);
    qsort(r->list, r->n, sizeof *r->list, r->tables ? best_first : by_name);
    if (r->tables)
        mark_keepers(r);
    return BK_OK;
}

/* What some moves lack: everything that this material does. */
static enum bk_err partly(struct ranking *r)
{
    if (r->err == BK_E_NO_TABLE)
        bk_catalog_missing(r->call.on->catalog, &r->p, r->call.why);
    else if (r->err)
        *r->call.why = r->why;
    return r->err;
}

static void hand_out(const struct ranking *r, struct bk_lib_ranked *out, size_t room, size_t *n)
{
    *n = r->n;
    if (room && r->n)
        memcpy(out, r->list, (r->n < room ? r->n : room) * sizeof *out);
}

static void ranking_release(struct ranking *r)
{
    free(r->move);
    free(r->list);
}

/* By position, or by FEN. */
static enum bk_lib_err rank_for(struct ranking *r, struct bk_lib *lib, const struct bk_lib_pos *p,
                                const char *fen, struct bk_lib_ranked *out, size_t room, size_t *n)
{
    enum bk_err err =
        bk_call_begin(&r->call, lib, (p || fen) && n && (out || !room), r->flags, RANK_KNOWN);

    if (n)
        *n = 0;
    if (!err && r->within < 0)
        err = bk_fail(r->call.why, BK_E_USAGE, "within %d plies", r->within);
    if (!err)
        err = p ? bk_place_pos(&r->call, &r->p, p, true) : bk_place_fen(&r->call, &r->p, fen, true);
    if (!err)
        err = rank(r);
    if (!err) {
        hand_out(r, out, room, n);
        err = partly(r);
    }
    ranking_release(r);
    return bk_call_end(&r->call, err);
}

enum bk_lib_err bk_rank_moves(struct bk_lib *lib, const struct bk_lib_pos *p, int within,
                              unsigned flags, struct bk_lib_ranked *out, size_t room, size_t *n)
{
    struct ranking r = { .flags = flags, .within = within, .tables = true };

    return rank_for(&r, lib, p, NULL, out, room, n);
}

enum bk_lib_err bk_rank_moves_fen(struct bk_lib *lib, const char *fen, int within, unsigned flags,
                                  struct bk_lib_ranked *out, size_t room, size_t *n)
{
    struct ranking r = { .flags = flags, .within = within, .tables = true };

    return rank_for(&r, lib, NULL, fen, out, room, n);
}

enum bk_lib_err bk_legal_moves(struct bk_lib *lib, const struct bk_lib_pos *p,
                               struct bk_lib_ranked *out, size_t room, size_t *n)
{
    struct ranking r = { .tables = false };

    return rank_for(&r, lib, p, NULL, out, room, n);
}

enum bk_lib_err bk_legal_moves_fen(struct bk_lib *lib, const char *fen, struct bk_lib_ranked *out,
                                   size_t room, size_t *n)
{
    struct ranking r = { .tables = false };

    return rank_for(&r, lib, NULL, fen, out, room, n);
}

enum bk_lib_err bk_probe_moves(struct bk_lib *lib, const char *fen, struct bk_lib_move *out,
                               size_t room, size_t *n)
{
    struct ranking r = { .tables = true };
    enum bk_err err = bk_call_begin(&r.call, lib, fen && n && (out || !room), 0, 0);

    if (!err)
        err = bk_place_fen(&r.call, &r.p, fen, true);
    if (!err)
        err = rank(&r);
    if (!err && r.err) {
        *r.call.why = r.why;
        err = r.err;
    }
    for (size_t i = 0; !err && i < r.n && i < room; i++) {
        memcpy(out[i].name, r.list[i].name, sizeof out[i].name);
        out[i].wdl = r.list[i].wdl;
        out[i].dtw = r.list[i].dtw;
    }
    if (!err)
        *n = r.n;
    ranking_release(&r);
    return bk_call_end(&r.call, err);
}

/* == Without tables == */

/* By position, or by FEN. */
static enum bk_lib_err over_for(struct bk_lib *lib, const struct bk_lib_pos *p, const char *fen,
                                enum bk_lib_end *end, int *wdl)
{
    struct bk_call call;
    struct bk_pos pos;
    enum bk_err err = bk_call_begin(&call, lib, (p || fen) && end && wdl, 0, 0);

    if (!err)
        err = p ? bk_place_pos(&call, &pos, p, true) : bk_place_fen(&call, &pos, fen, true);
    if (!err)
        *end = (enum bk_lib_end)bk_pos_end(call.on->v, &pos, wdl);
    return bk_call_end(&call, err);
}

enum bk_lib_err bk_is_over(struct bk_lib *lib, const struct bk_lib_pos *p, enum bk_lib_end *end,
                           int *wdl)
{
    return over_for(lib, p, NULL, end, wdl);
}

enum bk_lib_err bk_is_over_fen(struct bk_lib *lib, const char *fen, enum bk_lib_end *end, int *wdl)
{
    return over_for(lib, NULL, fen, end, wdl);
}

static enum bk_err play(struct bk_call *call, struct bk_pos *p, const char *name)
{
    const struct bk_variant *v = call->on->v;
    struct bk_move move[BK_MOVES_MAX];
    char each[16];

    for (unsigned first = 0; first != BK_MOVES_END;) {
        unsigned n = bk_moves_portion(v, p, &first, move);

        for (unsigned i = 0; i < n; i++)
            if (!strcmp(bk_move_name(v, &move[i], each), name)) {
                bk_pos_play(p, v, &move[i]);
                return BK_OK;
            }
    }
    return bk_fail(call->why, BK_E_USAGE, "'%.16s' is no legal move here", name);
}

enum bk_lib_err bk_play(struct bk_lib *lib, const char *fen, const char *move, char *out)
{
    struct bk_call call;
    struct bk_pos p;
    enum bk_err err = bk_call_begin(&call, lib, fen && move && out, 0, 0);

    if (!err)
        err = bk_place_fen(&call, &p, fen, true);
    if (!err)
        err = play(&call, &p, move);
    if (!err)
        bk_pos_to_fen(&p, call.on->v, out);
    return bk_call_end(&call, err);
}
