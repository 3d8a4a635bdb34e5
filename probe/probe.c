/*
 * probe.c - values: check what comes in, ask, translate what goes out.
 *
 * The work is in position.c (which position), value.c (what it is worth).
 */
#include <stdlib.h>
#include <string.h>

#include "core/rules.h"
#include "probe/handle.h"
#include "probe/position.h"
#include "probe/answer.h"

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
        err = bk_answer_to(&call, &pos, flags, out);
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
        err = bk_answer_to(&call, &pos, 0, out);
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
        err = bk_answer_to(&call, &pos, 0, out);
    return bk_call_end(&call, err);
}

static enum bk_err wdl_of(struct bk_call *call, const struct bk_pos *p, int *wdl)
{
    return bk_unanswered(call, p, bk_wdl_of(wdl, call->on->catalog, call->on->v, p, call->why));
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
        err = bk_answer_to(&call, &p, flags, &b->out[nth]);
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
