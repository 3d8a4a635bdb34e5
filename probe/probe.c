/*
 * probe.c - values: check what comes in, ask, translate what goes out.
 *
 * Idea: table/settle.h says what a position is worth.  Mate and stalemate are in the tables like
 * everything else; but the answer tells them apart.  So if the value leaves them possible the rules
 * are asked, and the rules have the last word, without a table, too.
 *
 * position.c reads the caller's position; every call begins and ends in handle.c.
 */
#include "probe/probe.h"

#include <stdlib.h>
#include <string.h>

#include "core/rules.h"
#include "probe/position.h"
#include "table/foresee.h"

/* == Values == */

/* Returns BK_E_CORRUPT if tables say a loss in 0 plies: no rule says that the game is over. */
static enum bk_err check_goes_on(const struct bk_value *value, const struct bk_variant *v,
                                 struct bk_report *why)
{
    if (value->wdl >= 0 || value->dtw)
        return BK_OK;
    return bk_fail(why, BK_E_CORRUPT, "a table of %s holds a loss where the game goes on", v->name);
}

/* Might it be mate or stalemate?  Spares most positions the search for a move. */
static bool may_be_over(const struct bk_value *value, const struct bk_variant *v)
{
    if (value->wdl > 0 || (value->wdl < 0 && value->dtw > 0))
        return false;
    return value->wdl < 0 || !bk_rules_stalemate_loses(v);
}

/* Returns a catalogue as tables, without its cache: the caller is in a read section already. */
static struct bk_tables tables_of(struct bk_catalog *c, const struct bk_variant *v)
{
    return (struct bk_tables){
        .v = v, .find = bk_catalog_table, .open = bk_catalog_reopen, .context = c
    };
}

/* Notes whatever else the answer may need from the host.  Returns BK_E_NEEDS_BYTES. */
static enum bk_err needs_bytes(const struct bk_tables *t, const struct bk_pos *p, bool distances)
{
    bk_foresee(t, p, distances);
    return BK_E_NEEDS_BYTES;
}

enum bk_err bk_wdl_of(int *wdl, bool *five, struct bk_catalog *c, const struct bk_variant *v,
                      const struct bk_pos *p, struct bk_report *why)
{
    struct bk_tables t = tables_of(c, v);
    int settled = 0;
    enum bk_err err =
        bk_rules_land_lives(v) ? BK_E_NO_TABLE : bk_settle_wdl_noting(&t, p, &settled, five, why);

    if (err == BK_E_NEEDS_BYTES)
        return needs_bytes(&t, p, false);
    if (err && bk_pos_end(v, p, &settled) != BK_END_NONE)
        err = BK_OK; /* mate needs no table */
    if (!err)
        *wdl = settled;
    return err;
}

enum bk_err bk_value_of(struct bk_value *out, struct bk_catalog *c, const struct bk_variant *v,
                        const struct bk_pos *p, struct bk_report *why)
{
    struct bk_tables t = tables_of(c, v);
    struct bk_value value = { .end = BK_END_NONE };
    int wdl;
    enum bk_end end = bk_pos_bare(v, p, &wdl);
    enum bk_err err = BK_OK;

    if (end == BK_END_NONE) {
        err = bk_rules_land_lives(v)
                  ? BK_E_NO_TABLE
                  : bk_settle_noting(&t, p, &value.wdl, &value.dtw, &value.five, why);
        if (err == BK_E_NO_TABLE && !bk_rules_land_lives(v) && bk_catalog_lacks_distances(c, p) &&
            !bk_settle_wdl(&t, p, &value.wdl, NULL)) {
            value.dtw = -1; /* a table that it leads to has lost its distances */
            err = BK_OK;
        }
        if (!err && !may_be_over(&value, v)) {
            *out = value;
            return BK_OK;
        }
        if (err == BK_E_NEEDS_BYTES)
            return needs_bytes(&t, p, true);
        end = bk_pos_end(v, p, &wdl); /* mate needs no table */
    }
    if (end != BK_END_NONE) {
        *out = (struct bk_value){ .wdl = wdl, .dtw = wdl ? 0 : -1, .end = end, .five = value.five };
        return BK_OK;
    }
    if (!err)
        err = check_goes_on(&value, v, why);
    if (!err)
        *out = value;
    return err;
}

bool bk_values_after(struct bk_catalog *c, const struct bk_variant *v, const struct bk_pos *p,
                     bool distances, bk_move_visit *visit, void *context)
{
    struct bk_tables t = tables_of(c, v);

    return !bk_rules_land_lives(v) && bk_settle_moves(&t, p, distances, visit, context);
}

/* == Answers == */

_Static_assert((int)BK_LIB_GOES_ON == (int)BK_END_NONE &&
                   (int)BK_LIB_CHECKMATE == (int)BK_END_CHECKMATE &&
                   (int)BK_LIB_STALEMATE == (int)BK_END_STALEMATE &&
                   (int)BK_LIB_BARE == (int)BK_END_BARE &&
                   (int)BK_LIB_BARE_DRAW == (int)BK_END_BARE_DRAW,
               "the same ends");

/* A distance that is not known is 1 at least: the rules know what is over. */
int bk_clocked(int wdl, int dtw, int left, bool *known)
{
    *known = true;
    if (left == BK_UNLIMITED || !wdl)
        return wdl;
    if (dtw < 0 && left > 0)
        *known = false;
    else if (dtw < 0 || dtw > left)
        return 0;
    return wdl;
}

/* Returns the plies left as callers have them: 0 or more; -1: no limit. */
static int public_left(int left) { return left == BK_UNLIMITED ? -1 : left > 0 ? left : 0; }

enum bk_err bk_value_for(struct bk_call *call, const struct bk_pos *p, unsigned flags,
                         struct bk_value *out)
{
    const struct bk_variant *v = call->on->v;
    int wdl;
    enum bk_err err;

    if (!(flags & BK_LIB_WDL_ONLY))
        return bk_value_of(out, call->on->catalog, v, p, call->why);
    out->dtw = -1;
    out->five = false;
    if ((out->end = bk_pos_bare(v, p, &wdl)) == BK_END_NONE) {
        err = bk_wdl_of(&out->wdl, &out->five, call->on->catalog, v, p, call->why);
        if (err || out->wdl > 0) /* a win for the side to move: the game goes on */
            return err;
        out->end = bk_pos_end(v, p, &wdl);
    }
    if (out->end != BK_END_NONE) {
        out->wdl = wdl;
        out->dtw = wdl ? 0 : -1;
    }
    return BK_OK;
}

/* Sets what a decided position is at its counter. */
static void count_plies(struct bk_ruled *r, int wdl, unsigned n, unsigned counter)
{
    bool late = r->five == 1 || r->five == -1;

    r->clocked = wdl;
    r->known = true;
    if (r->d >= 0 && (unsigned)r->d + counter > n)
        r->clocked = 0;
    else if (r->d < 0 && (late || counter >= n))
        r->clocked = 0;
    else if (r->d < 0 && wdl)
        r->known = !counter;
}

enum bk_err bk_five_for(struct bk_call *call, const struct bk_pos *p, unsigned flags,
                        const struct bk_value *value, unsigned counter, struct bk_ruled *out)
{
    const struct bk_variant *v = call->on->v;
    struct bk_tables t = tables_of(call->on->catalog, v);
    unsigned n = bk_rules_nmove(v);
    const struct bk_table *table;
    enum bk_err err = BK_OK;
    bool distances = !(flags & BK_LIB_WDL_ONLY);

    *out = (struct bk_ruled){ .d = -1, .left = n > counter ? (int)(n - counter) : 0 };
    if (!n || (!value->five && value->end == BK_END_NONE))
        return BK_OK;
    if (value->end != BK_END_NONE) { /* the end comes before the rule */
        *out = (struct bk_ruled){ true,      2 * value->wdl, value->wdl ? 0 : -1,
                                  out->left, value->wdl,     true };
        return BK_OK;
    }
    if (distances && !bk_catalog_table(call->on->catalog, p, &table, NULL))
        distances = table->dtz || table->damaged_five;
    err = bk_settle_five(&t, p, &out->five, distances ? &out->d : NULL, call->why);
    if (err)
        return err == BK_E_NO_TABLE ? BK_OK : err; /* one that it leads to does not know of it */
    out->there = true;
    count_plies(out, value->wdl, n, counter);
    return BK_OK;
}

enum bk_err bk_unanswered(struct bk_call *call, const struct bk_pos *p, enum bk_err err)
{
    if (err == BK_E_NO_TABLE && bk_rules_land_lives(call->on->v))
        return bk_fail(call->why, err,
                       "no table of %s knows of land that changes: ask `bareking whole`",
                       call->on->v->name);
    return err == BK_E_NO_TABLE ? bk_catalog_missing(call->on->catalog, p, call->why) : err;
}

/* Sets *out to what a legal position is worth.  The errors of bk_value_of(), with what is missing
   by name. */
static enum bk_err answer_to(struct bk_call *call, const struct bk_pos *p, unsigned flags,
                             struct bk_answer *out)
{
    struct bk_value value;
    struct bk_ruled ruled = { .there = false };
    int left = bk_rules_plies_left(call->on->v, p->turn, p->stm);
    bool known;
    enum bk_err err = bk_value_for(call, p, flags, &value);

    if (err)
        return bk_unanswered(call, p, err);
    if (value.five && (err = bk_five_for(call, p, flags, &value, p->clock, &ruled)) != BK_OK)
        return err;
    *out = (struct bk_answer){ .wdl = value.wdl,
                               .dtw = value.dtw,
                               .end = (enum bk_lib_end)value.end,
                               .plies_left = public_left(left),
                               .dtz = -1 };
    out->clocked_wdl = bk_clocked(value.wdl, value.dtw, left, &known);
    out->clocked_known = known;
    if (ruled.there) {
        out->wdl5 = ruled.five;
        out->dtz = ruled.d;
        out->plies_left = ruled.left;
        out->clocked_wdl = ruled.clocked;
        out->clocked_known = ruled.known;
    }
    return BK_OK;
}

#define KNOWN (BK_LIB_CACHE_ONLY | BK_LIB_WDL_ONLY)

/* == One == */

enum bk_lib_err bk_probe(struct bk_lib *lib, const struct bk_lib_pos *p, unsigned flags,
                         struct bk_answer *out)
{
    struct bk_call call;
    struct bk_pos pos;
    enum bk_err err = bk_call_begin(&call, lib, p && out, flags, KNOWN);

    if (!err)
        err = bk_place_pos(&call, &pos, p, true);
    if (!err)
        err = answer_to(&call, &pos, flags, out);
    return bk_call_end(&call, err);
}

enum bk_lib_err bk_probe_fen(struct bk_lib *lib, const char *fen, struct bk_answer *out)
{
    struct bk_call call;
    struct bk_pos pos;
    enum bk_err err = bk_call_begin(&call, lib, fen && out, 0, 0);

    if (!err)
        err = bk_place_fen(&call, &pos, fen, true);
    if (!err)
        err = answer_to(&call, &pos, 0, out);
    return bk_call_end(&call, err);
}

enum bk_lib_err bk_probe_men(struct bk_lib *lib, const struct bk_lib_man *men, size_t n,
                             int black_to_move, struct bk_answer *out)
{
    struct bk_call call;
    struct bk_pos pos;
    enum bk_err err = bk_call_begin(&call, lib, men && out, 0, 0);

    if (!err)
        err = bk_place_men(&call, &pos, men, n, black_to_move);
    if (!err)
        err = answer_to(&call, &pos, 0, out);
    return bk_call_end(&call, err);
}

static enum bk_err wdl_of(struct bk_call *call, const struct bk_pos *p, int *wdl)
{
    bool five;

    return bk_unanswered(call, p,
                         bk_wdl_of(wdl, &five, call->on->catalog, call->on->v, p, call->why));
}

enum bk_lib_err bk_probe_wdl(struct bk_lib *lib, const struct bk_lib_pos *p, unsigned flags,
                             int *wdl)
{
    struct bk_call call;
    struct bk_pos pos;
    enum bk_err err = bk_call_begin(&call, lib, p && wdl, flags, KNOWN);

    if (!err)
        err = bk_place_pos(&call, &pos, p, true);
    if (!err)
        err = wdl_of(&call, &pos, wdl);
    return bk_call_end(&call, err);
}

enum bk_lib_err bk_probe_fen_wdl(struct bk_lib *lib, const char *fen, unsigned flags, int *wdl)
{
    struct bk_call call;
    struct bk_pos pos;
    enum bk_err err = bk_call_begin(&call, lib, fen && wdl, flags, KNOWN);

    if (!err)
        err = bk_place_fen(&call, &pos, fen, true);
    if (!err)
        err = wdl_of(&call, &pos, wdl);
    return bk_call_end(&call, err);
}

/* == Many at once ==
 * What is in memory is answered in the order in which it is asked.  The rest waits, and is then
 * asked in the order of the files, so that what is read for one serves its neighbours. */

/* Questions, FENs or positions, and where the answers go. */
struct batch {
    struct bk_lib *lib;
    const char *const *fen;
    const struct bk_lib_pos *pos;
    unsigned flags;
    struct bk_answer *out;
    enum bk_lib_err *errs; /* or NULL */
    size_t first_error;    /* the least that failed; SIZE_MAX: none */
};

/* A question that waits, and where its answer lies; zeros where no table is asked, or none is
   found. */
struct asked {
    size_t nth;
    const void *table;
    uint64_t number;
    unsigned side;
};

static int by_place(const void *a, const void *b)
{
    const struct asked *x = a, *y = b;

    if (x->table != y->table)
        return (uintptr_t)x->table < (uintptr_t)y->table ? -1 : 1;
    if (x->side != y->side)
        return x->side < y->side ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static enum bk_err place_nth(struct bk_call *call, const struct batch *b, size_t nth, bool legal,
                             struct bk_pos *out)
{
    if (b->pos)
        return bk_place_pos(call, out, &b->pos[nth], legal);
    if (!b->fen[nth])
        return bk_fail(call->why, BK_E_USAGE, "an argument is NULL");
    return bk_place_fen(call, out, b->fen[nth], legal);
}

static void find_place(struct asked *a, const struct batch *b)
{
    struct bk_call call;
    struct bk_pos p;
    const struct bk_table *table;
    struct bk_spot spot;

    if (!bk_call_begin(&call, b->lib, true, b->flags, KNOWN) &&
        !place_nth(&call, b, a->nth, false, &p) &&
        !bk_catalog_find(call.on->catalog, &p, &table, &spot, NULL)) {
        a->table = table->wdl;
        a->number = spot.number;
        a->side = spot.side;
    }
    bk_call_end(&call, BK_OK);
}

static enum bk_lib_err answer_nth(const struct batch *b, size_t nth, unsigned flags)
{
    struct bk_call call;
    struct bk_pos p;
    enum bk_err err = bk_call_begin(&call, b->lib, true, flags, KNOWN);

    if (!err)
        err = place_nth(&call, b, nth, true, &p);
    if (!err)
        err = answer_to(&call, &p, flags, &b->out[nth]);
    return bk_call_end(&call, err);
}

static void note(struct batch *b, size_t nth, enum bk_lib_err err)
{
    if (b->errs)
        b->errs[nth] = err;
    if (err && nth < b->first_error)
        b->first_error = nth;
}

/* Answers what is in memory.  Returns how many wait, which are then listed. */
static size_t answer_at_once(struct batch *b, size_t n, struct asked *waiting)
{
    size_t wait = 0;

    for (size_t i = 0; i < n; i++) {
        enum bk_lib_err err = answer_nth(b, i, b->flags | BK_LIB_CACHE_ONLY);

        if (err == BK_LIB_NOT_IN_MEMORY && !(b->flags & BK_LIB_CACHE_ONLY)) {
            waiting[wait].nth = i;
            find_place(&waiting[wait++], b);
        } else {
            note(b, i, err);
        }
    }
    return wait;
}

/* Asks the first that failed once more, for its text, and returns what it says now.  Where a table
   that came meanwhile answers it, goes on to the next that failed. */
static enum bk_lib_err ask_failed(struct batch *b, size_t n)
{
    for (size_t i = b->first_error; i < n; i++) {
        enum bk_lib_err err = b->errs && !b->errs[i] ? BK_LIB_OK : answer_nth(b, i, b->flags);

        if (b->errs)
            b->errs[i] = err;
        if (err)
            return err;
    }
    return BK_LIB_OK;
}

static enum bk_lib_err ask_batch(struct batch *b, size_t n, bool given)
{
    struct bk_call call;
    struct bk_last failed;
    struct asked *waiting = NULL;
    size_t wait;
    enum bk_lib_err result;
    enum bk_err err = bk_call_begin(&call, b->lib, n == 0 || (given && b->out), b->flags, KNOWN);

    if (!err && n && !(waiting = calloc(n, sizeof *waiting)))
        err = bk_fail(call.why, BK_E_SYSTEM, "no memory for %zu positions", n);
    result =
        bk_call_end(&call, err); /* each position is a call of its own: they hold nothing long */
    if (err || !n)
        return result;
    bk_last_get(&failed);
    wait = answer_at_once(b, n, waiting);
    qsort(waiting, wait, sizeof *waiting, by_place);
    for (size_t i = 0; i < wait; i++)
        note(b, waiting[i].nth, answer_nth(b, waiting[i].nth, b->flags));
    free(waiting);
    result = ask_failed(b, n);
    if (!result)
        bk_last_set(&failed);
    return result;
}

enum bk_lib_err bk_probe_many_fen(struct bk_lib *lib, const char *const *fens, size_t n,
                                  unsigned flags, struct bk_answer *out, enum bk_lib_err *errs)
{
    struct batch b = {
        .lib = lib, .fen = fens, .flags = flags, .out = out, .errs = errs, .first_error = SIZE_MAX
    };

    return ask_batch(&b, n, fens);
}

enum bk_lib_err bk_probe_batch(struct bk_lib *lib, const char *const *fens, size_t n,
                               struct bk_answer *out, enum bk_lib_err *errs)
{
    return bk_probe_many_fen(lib, fens, n, 0, out, errs);
}

enum bk_lib_err bk_probe_many(struct bk_lib *lib, const struct bk_lib_pos *p, size_t n,
                              unsigned flags, struct bk_answer *out, enum bk_lib_err *errs)
{
    struct batch b = {
        .lib = lib, .pos = p, .flags = flags, .out = out, .errs = errs, .first_error = SIZE_MAX
    };

    return ask_batch(&b, n, p);
}
