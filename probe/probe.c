/*
 * probe.c - the public functions: check what comes in, ask, translate what
 * goes out.  The work is in catalog.c (which table) and value.c (what it means).
 *
 * The one variable outside a handle is the text of a thread's last error.  It
 * is the thread's own, so no call of another thread can change it while it is
 * read, and a handle need not know its threads.
 */
#include "probe/bareking.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/derive.h"
#include "core/load.h"
#include "core/rules.h"
#include "probe/value.h"

/*
 * FENs of a derived game (core/derive.h) have handles of their own inside the
 * one the user has: made when first asked for, complete before they are linked
 * in, and there until the list of folders changes.
 */
struct bk_lib {
    struct bk_variant *v;
    struct bk_catalog *catalog;
    char *paths;
    struct bk_derivation from;        /* of a derived handle */
    _Atomic(struct bk_lib *) derived; /* the first; of a derived one, the next */
    pthread_mutex_t adding;
};

/* == Errors ============================================================== */

static _Thread_local struct {
    const struct bk_lib *lib; /* whose call failed */
    struct bk_report why;
} last;

static enum bk_lib_err public_err(enum bk_err err)
{
    switch (err) {
    case BK_OK: return BK_LIB_OK;
    case BK_E_NO_TABLE: return BK_LIB_NO_TABLE;
    case BK_E_ILLEGAL: return BK_LIB_ILLEGAL;
    case BK_E_DIFFERS: return BK_LIB_CORRUPT;
    case BK_E_USAGE: return BK_LIB_USAGE;
    case BK_E_CORRUPT: return BK_LIB_CORRUPT;
    case BK_E_SYSTEM: return BK_LIB_SYSTEM;
    }
    return BK_LIB_SYSTEM;
}

/* Ends every public call: the last error is this handle's, if it is one. */
static enum bk_lib_err done(const struct bk_lib *lib, enum bk_err err)
{
    if (err)
        last.lib = lib;
    return public_err(err);
}

/* Is there a game to ask about, and are all pointers given? */
static enum bk_err usable(const struct bk_lib *lib, bool given)
{
    if (!lib || !given)
        return bk_fail(&last.why, BK_E_USAGE, "%s is NULL", lib ? "an argument" : "the handle");
    if (!lib->catalog)
        return bk_fail(&last.why, BK_E_USAGE, "the handle was not opened: its game is unknown");
    return BK_OK;
}

unsigned bk_lib_version(void) { return BK_LIB_VERSION; }

const char *bk_lib_strerror(enum bk_lib_err err)
{
    switch (err) { /* no default: -Wswitch names the one you forgot */
    case BK_LIB_OK: return "success";
    case BK_LIB_NO_TABLE: return "no table for this material";
    case BK_LIB_ILLEGAL: return "illegal position";
    case BK_LIB_USAGE: return "bad input";
    case BK_LIB_CORRUPT: return "table file is damaged";
    case BK_LIB_SYSTEM: return "system error";
    }
    return "unknown error";
}

const char *bk_error(const struct bk_lib *lib) { return last.lib == lib ? last.why.text : ""; }

/* == Handles ============================================================= */

enum bk_lib_err bk_open(struct bk_lib **out, const char *variant, const char *paths)
{
    struct bk_lib *lib;
    enum bk_err err;

    if (!out)
        return done(NULL, usable(NULL, false));
    *out = lib = calloc(1, sizeof *lib);
    if (!lib || pthread_mutex_init(&lib->adding, NULL)) {
        free(lib);
        *out = NULL;
        return done(NULL, bk_fail(&last.why, BK_E_SYSTEM, "no memory for a handle"));
    }
    if (!variant)
        return done(lib, bk_fail(&last.why, BK_E_USAGE, "no variant given"));
    err = bk_variant_load(&lib->v, variant, &last.why);
    if (err)
        lib->v = NULL;
    else if (!(lib->paths = strdup(paths ? paths : "")))
        err = bk_fail(&last.why, BK_E_SYSTEM, "no memory for a handle");
    else
        err = bk_catalog_new(&lib->catalog, lib->v, paths, &last.why);
    return done(lib, err);
}

static void derived_close(struct bk_lib *lib)
{
    struct bk_lib *next;

    for (struct bk_lib *d = atomic_exchange(&lib->derived, NULL); d; d = next) {
        next = atomic_load(&d->derived);
        bk_catalog_free(d->catalog);
        bk_variant_free(d->v);
        free(d);
    }
}

void bk_close(struct bk_lib *lib)
{
    if (!lib)
        return;
    derived_close(lib);
    bk_catalog_free(lib->catalog);
    bk_variant_free(lib->v);
    pthread_mutex_destroy(&lib->adding);
    free(lib->paths);
    free(lib);
}

enum bk_lib_err bk_set_paths(struct bk_lib *lib, const char *paths)
{
    struct bk_catalog *fresh;
    enum bk_err err = usable(lib, true);
    char *copy = err ? NULL : strdup(paths ? paths : "");

    if (!err && !copy)
        err = bk_fail(&last.why, BK_E_SYSTEM, "no memory for the list of folders");
    if (!err)
        err = bk_catalog_new(&fresh, lib->v, paths, &last.why);
    if (!err) {
        derived_close(lib);
        bk_catalog_free(lib->catalog);
        free(lib->paths);
        lib->catalog = fresh;
        lib->paths = copy;
    } else {
        free(copy);
    }
    return done(lib, err);
}

/* == Derived games ======================================================= */

static struct bk_lib *derived_find(struct bk_lib *lib, const struct bk_derivation *from)
{
    struct bk_lib *d = atomic_load_explicit(&lib->derived, memory_order_acquire);

    /* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): no byte of it is unset */
    while (d && memcmp(&d->from, from, sizeof *from))
        d = atomic_load_explicit(&d->derived, memory_order_acquire);
    return d;
}

/* With the mutex held. */
static enum bk_err derived_add(struct bk_lib *lib, const struct bk_derivation *from,
                               struct bk_lib **out)
{
    struct bk_lib *d;
    enum bk_err err;

    if ((*out = derived_find(lib, from)) != NULL) /* by another thread, in the meantime */
        return BK_OK;
    if (!(d = calloc(1, sizeof *d)))
        return bk_fail(&last.why, BK_E_SYSTEM, "no memory for a derived game");
    d->from = *from;
    err = bk_variant_derived(&d->v, lib->v, from, &last.why);
    if (!err && (err = bk_catalog_new(&d->catalog, d->v, lib->paths, &last.why)) != BK_OK)
        bk_variant_free(d->v);
    if (err) {
        free(d);
        return err;
    }
    atomic_store(&d->derived, atomic_load(&lib->derived));
    atomic_store_explicit(&lib->derived, d, memory_order_release);
    *out = d;
    return BK_OK;
}

/* The handle for the game that a FEN is asked in: this one, or a derived one. */
static enum bk_err for_fen(struct bk_lib *lib, const char *fen, struct bk_lib **out)
{
    struct bk_derivation from;
    enum bk_err err = bk_derivation_of(&from, lib->v, fen, &last.why);

    *out = lib;
    if (err || from.how == BK_ITSELF || (*out = derived_find(lib, &from)) != NULL)
        return err;
    pthread_mutex_lock(&lib->adding);
    err = derived_add(lib, &from, out);
    pthread_mutex_unlock(&lib->adding);
    return err;
}

/* == Positions =========================================================== */

static enum bk_err check_legal(const struct bk_lib *lib, const struct bk_pos *p)
{
    if (bk_pos_legal(lib->v, p))
        return BK_OK;
    return bk_fail(&last.why, BK_E_ILLEGAL, "illegal position: %s is in check, %s to move",
                   p->stm == BK_WHITE ? "Black" : "White", p->stm == BK_WHITE ? "White" : "Black");
}

/* Also sets *on to the handle for the FEN's game. */
static enum bk_err read_fen(struct bk_pos *p, struct bk_lib *lib, const char *fen,
                            struct bk_lib **on)
{
    enum bk_err err = for_fen(lib, fen, on);

    if (!err)
        err = bk_pos_from_fen(p, (*on)->v, fen, &last.why);
    return err ? err : check_legal(*on, p);
}

static enum bk_err put_man(struct bk_pos *p, const struct bk_lib *lib, const struct bk_lib_man *man,
                           size_t nth)
{
    const struct bk_variant *v = lib->v;
    int type = bk_variant_type(v, man->letter);
    unsigned colour = man->letter >= 'a' ? BK_BLACK : BK_WHITE, sq;

    if (type < 0)
        return bk_fail(&last.why, BK_E_USAGE, "man %zu: its letter (code %d) is no piece of %s",
                       nth + 1, man->letter, v->name);
    if (man->file >= v->files || man->rank >= v->ranks)
        return bk_fail(&last.why, BK_E_USAGE, "man %zu: file %d, rank %d is off the board", nth + 1,
                       man->file, man->rank);
    sq = bk_sq(v, man->file, man->rank);
    if (!bk_rules_may_stand(v, (unsigned)type, colour, sq))
        return bk_fail(&last.why, BK_E_USAGE, "man %zu: '%c' may not stand there", nth + 1,
                       man->letter);
    if (p->at[sq])
        return bk_fail(&last.why, BK_E_USAGE, "man %zu: another man stands there", nth + 1);
    if (type == v->royal && p->count[colour][type])
        return bk_fail(&last.why, BK_E_USAGE, "man %zu: a second '%c'", nth + 1, man->letter);
    bk_pos_put(p, v, (unsigned)type, colour, sq);
    return BK_OK;
}

static enum bk_err read_men(struct bk_pos *p, const struct bk_lib *lib,
                            const struct bk_lib_man *men, size_t n, int black_to_move)
{
    bk_pos_init(p, lib->v);
    p->stm = black_to_move ? BK_BLACK : BK_WHITE;
    for (size_t i = 0; i < n; i++) {
        enum bk_err err = put_man(p, lib, &men[i], i);

        if (err)
            return err;
    }
    for (unsigned colour = 0; colour < 2; colour++)
        if (!p->count[colour][lib->v->royal])
            return bk_fail(&last.why, BK_E_USAGE, "no %s %s", bk_colour_name(colour),
                           lib->v->piece[lib->v->royal].name);
    return check_legal(lib, p);
}

/* == Answers ============================================================= */

_Static_assert((int)BK_LIB_GOES_ON == (int)BK_END_NONE &&
                   (int)BK_LIB_CHECKMATE == (int)BK_END_CHECKMATE &&
                   (int)BK_LIB_STALEMATE == (int)BK_END_STALEMATE &&
                   (int)BK_LIB_BARE == (int)BK_END_BARE &&
                   (int)BK_LIB_BARE_DRAW == (int)BK_END_BARE_DRAW,
               "the same ends");

/* Plies until the game's length makes it a draw: each side has `game_turns` turns. */
static int plies_left(const struct bk_variant *v, const struct bk_pos *p)
{
    int left = 2 * ((int)bk_rules_turns_max(v) + 1 - p->turn) - (p->stm == BK_BLACK);

    if (!bk_rules_turns_max(v))
        return -1;
    return left > 0 ? left : 0;
}

static struct bk_answer answer_of(const struct bk_variant *v, const struct bk_pos *p,
                                  const struct bk_value *value)
{
    struct bk_answer a = { .wdl = value->wdl,
                           .dtw = value->dtw,
                           .end = (enum bk_lib_end)value->end,
                           .clocked_wdl = value->wdl,
                           .plies_left = plies_left(v, p),
                           .clocked_known = 1 };

    if (a.plies_left < 0 || !a.wdl)
        return a;
    if (a.dtw < 0 && a.plies_left > 0)
        a.clocked_known = 0;
    else if (a.dtw < 0 || a.dtw > a.plies_left)
        a.clocked_wdl = 0;
    return a;
}

static enum bk_err answer(struct bk_answer *out, struct bk_lib *lib, const struct bk_pos *p)
{
    struct bk_value value;
    enum bk_err err = bk_value_of(&value, lib->catalog, lib->v, p, &last.why);

    if (!err)
        *out = answer_of(lib->v, p, &value);
    return err;
}

static enum bk_err answer_fen(struct bk_answer *out, struct bk_lib *lib, const char *fen)
{
    struct bk_pos p;
    enum bk_err err = usable(lib, fen);

    if (!err)
        err = read_fen(&p, lib, fen, &lib);
    return err ? err : answer(out, lib, &p);
}

enum bk_lib_err bk_probe_fen(struct bk_lib *lib, const char *fen, struct bk_answer *out)
{
    enum bk_err err = usable(lib, fen && out);

    return done(lib, err ? err : answer_fen(out, lib, fen));
}

enum bk_lib_err bk_probe_men(struct bk_lib *lib, const struct bk_lib_man *men, size_t n,
                             int black_to_move, struct bk_answer *out)
{
    struct bk_pos p;
    enum bk_err err = usable(lib, men && out);

    if (!err)
        err = read_men(&p, lib, men, n, black_to_move);
    return done(lib, err ? err : answer(out, lib, &p));
}

/* == Many at once ======================================================== */

/* Where the answer to a FEN lies; all zero where no table is asked, or in vain. */
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

static void find_place(struct asked *a, struct bk_lib *lib, const char *fen)
{
    struct bk_pos p;
    const struct bk_table *table;
    struct bk_spot spot;

    if (!fen || for_fen(lib, fen, &lib) || bk_pos_from_fen(&p, lib->v, fen, &last.why) ||
        bk_catalog_find(lib->catalog, &p, &table, &spot, &last.why))
        return;
    a->table = table->wdl;
    a->number = spot.number;
    a->side = spot.side;
}

static enum bk_err answer_all(struct bk_lib *lib, const char *const *fens, size_t n,
                              const struct asked *order, struct bk_answer *out,
                              enum bk_lib_err *errs)
{
    size_t first = n;
    enum bk_err first_err = BK_OK;

    for (size_t i = 0; i < n; i++) {
        size_t nth = order[i].nth;
        enum bk_err err = answer_fen(&out[nth], lib, fens[nth]);

        if (errs)
            errs[nth] = public_err(err);
        if (err && nth < first) {
            first = nth;
            first_err = err;
        }
    }
    if (first < n) { /* once more, for its text */
        struct bk_answer again;

        answer_fen(&again, lib, fens[first]);
    }
    return first_err;
}

enum bk_lib_err bk_probe_batch(struct bk_lib *lib, const char *const *fens, size_t n,
                               struct bk_answer *out, enum bk_lib_err *errs)
{
    enum bk_err err = usable(lib, n == 0 || (fens && out));
    struct asked *order;

    if (err || n == 0)
        return done(lib, err);
    order = calloc(n, sizeof *order);
    if (!order)
        return done(lib, bk_fail(&last.why, BK_E_SYSTEM, "no memory for %zu positions", n));
    for (size_t i = 0; i < n; i++) {
        order[i].nth = i;
        find_place(&order[i], lib, fens[i]);
    }
    qsort(order, n, sizeof *order, by_place);
    err = answer_all(lib, fens, n, order, out, errs);
    free(order);
    return done(lib, err);
}

/* == Moves =============================================================== */

static int best_first(const void *a, const void *b)
{
    const struct bk_lib_move *x = a, *y = b;
    int sx = bk_value_score(&(struct bk_value){ .wdl = x->wdl, .dtw = x->dtw });
    int sy = bk_value_score(&(struct bk_value){ .wdl = y->wdl, .dtw = y->dtw });

    return sx != sy ? (sx < sy ? 1 : -1) : strcmp(x->name, y->name);
}

static enum bk_err value_move(struct bk_lib_move *out, struct bk_lib *lib, const struct bk_pos *p,
                              const struct bk_move *move)
{
    struct bk_pos after = *p;
    struct bk_value value;
    enum bk_err err;

    bk_pos_play(&after, lib->v, move);
    if ((err = bk_value_of(&value, lib->catalog, lib->v, &after, &last.why)) != BK_OK)
        return err;
    value = bk_value_moved(&value);
    bk_move_name(lib->v, move, out->name);
    out->wdl = value.wdl;
    out->dtw = value.dtw;
    return BK_OK;
}

/* Values n moves, sorts them, hands out as many as there is room for. */
static enum bk_err value_moves(struct bk_lib *lib, const struct bk_pos *p,
                               const struct bk_move *move, size_t n, struct bk_lib_move *out,
                               size_t room)
{
    struct bk_lib_move *list = calloc(n + 1, sizeof *list);
    enum bk_err err = BK_OK;

    if (!list)
        return bk_fail(&last.why, BK_E_SYSTEM, "no memory for %zu moves", n);
    for (size_t i = 0; i < n && !err; i++)
        err = value_move(&list[i], lib, p, &move[i]);
    if (!err) {
        qsort(list, n, sizeof *list, best_first);
        if (room && n)
            memcpy(out, list, (n < room ? n : room) * sizeof *list);
    }
    free(list);
    return err;
}

/* All legal moves; *list owned.  Portions go straight into it: a list takes 16 KB of stack. */
static enum bk_err list_moves(struct bk_move **list, size_t *n, const struct bk_variant *v,
                              const struct bk_pos *p)
{
    *list = NULL;
    *n = 0;
    for (unsigned first = 0; first != BK_MOVES_END;) {
        struct bk_move *longer = realloc(*list, (*n + BK_MOVES_MAX) * sizeof *longer);

        if (!longer) {
            free(*list);
            *list = NULL;
            return bk_fail(&last.why, BK_E_SYSTEM, "no memory for %zu moves", *n + BK_MOVES_MAX);
        }
        *list = longer;
        *n += bk_moves_portion(v, p, &first, longer + *n);
    }
    return BK_OK;
}

enum bk_lib_err bk_probe_moves(struct bk_lib *lib, const char *fen, struct bk_lib_move *out,
                               size_t room, size_t *n)
{
    struct bk_move *move = NULL;
    struct bk_pos p;
    size_t count = 0;
    int wdl;
    struct bk_lib *on = NULL;
    enum bk_err err = usable(lib, fen && n && (out || !room));

    if (!err)
        err = read_fen(&p, lib, fen, &on);
    if (!err && bk_pos_end(on->v, &p, &wdl) == BK_END_NONE)
        err = list_moves(&move, &count, on->v, &p);
    if (!err)
        err = value_moves(on, &p, move, count, out, room);
    if (!err)
        *n = count;
    free(move);
    return done(lib, err);
}

static enum bk_err play(struct bk_pos *p, const struct bk_lib *lib, const char *name)
{
    struct bk_move move[BK_MOVES_MAX];
    char each[16];

    for (unsigned first = 0; first != BK_MOVES_END;) {
        unsigned n = bk_moves_portion(lib->v, p, &first, move);

        for (unsigned i = 0; i < n; i++)
            if (!strcmp(bk_move_name(lib->v, &move[i], each), name)) {
                bk_pos_play(p, lib->v, &move[i]);
                return BK_OK;
            }
    }
    return bk_fail(&last.why, BK_E_USAGE, "'%.16s' is no legal move here", name);
}

enum bk_lib_err bk_play(struct bk_lib *lib, const char *fen, const char *move, char *out)
{
    struct bk_pos p;
    struct bk_lib *on = NULL;
    enum bk_err err = usable(lib, fen && move && out);

    _Static_assert(BK_LIB_FEN_MAX == BK_FEN_MAX, "room for any FEN");
    if (!err)
        err = read_fen(&p, lib, fen, &on);
    if (!err)
        err = play(&p, on, move);
    if (!err)
        bk_pos_to_fen(&p, on->v, out);
    return done(lib, err);
}
