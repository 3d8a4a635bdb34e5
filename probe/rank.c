/*
 * rank.c - the moves of a position, and what each of them brings.
 *
 * The tables are asked for all moves at once (table/settle.h): they know where the men stand, so
 * no position is set up for any of them.  What squares alone do not settle is asked move by move.
 *
 * A move whose value cannot be had stays in the list, unknown; what is missing is named for the
 * material as a whole, since what one move lacks most others lack, too.
 */
#include <stdlib.h>
#include <string.h>

#include "core/end.h"
#include "core/letter.h"
#include "core/rules.h"
#include "core/san.h"
#include "probe/position.h"
#include "probe/probe.h"

#define RANK_KNOWN (BK_LIB_CACHE_ONLY | BK_LIB_WDL_ONLY)

/* A move, and what it brings the side that plays it. */
struct listed {
    struct bk_move move;
    enum bk_lib_err err; /* BK_LIB_OK: the value is known */
    struct bk_value value;
    struct bk_ruled ruled; /* by the n-move rule, for who moves; not `there`: nothing */
    char name[16];         /* set by sort_moves() */
};

/* A move's place in the order: key is larger the worse it is; then by its first four letters. */
struct order {
    uint64_t key;
    uint32_t nth;
};

#define FEW 48 /* moves that most positions have at most: they fit the stack */

/* A list under way. */
struct ranking {
    struct bk_call call;
    struct bk_pos p;
    unsigned flags;
    int within;
    bool tables; /* else the rules alone */
    bool plain;  /* without the n-move rule */
    bool five;   /* the position's table knows of that rule, and it is asked */
    struct listed *list;
    struct order *order;
    void *own; /* memory of both, if not on the stack; else NULL */
    size_t n, room;
    enum bk_err full; /* no memory for a move */
    enum bk_err err;  /* the gravest of moves that are not known: weight() */
    struct bk_report why;
};

/* The room on the stack that a list begins with. */
struct few {
    struct listed list[FEW];
    struct order order[FEW];
};

/* Gives an empty list its first room.  The rest of r begins as 0. */
static void ranking_begin(struct ranking *r, struct few *few)
{
    r->list = few->list;
    r->order = few->order;
    r->room = FEW;
}

static void ranking_release(struct ranking *r) { free(r->own); }

/* Doubles the room of a list; false: no memory. */
static bool more_room(struct ranking *r)
{
    size_t room = 2 * r->room;
    struct listed *list = malloc(room * (sizeof *r->list + sizeof *r->order));

    if (!list)
        return false;
    memcpy(list, r->list, r->n * sizeof *list);
    free(r->own);
    r->own = r->list = list;
    r->order = (struct order *)(void *)(list + room);
    r->room = room;
    return true;
}

/* == Moves and values == */

static struct bk_value value_before(const struct bk_value *after)
{
    struct bk_value value = bk_value_moved(after);

    value.end = after->end;
    return value;
}

/* Appends a move to the list.  brought: what it brings; NULL: nothing is known yet. */
static void add_move(void *ranking, const struct bk_move *move, const struct bk_brought *brought)
{
    struct ranking *r = ranking;
    struct listed *m;

    if (r->full || (r->n == r->room && !more_room(r))) {
        r->full = bk_fail(r->call.why, BK_E_SYSTEM, "no memory for %zu moves", r->n + 1);
        return;
    }
    m = &r->list[r->n++];
    m->move = *move;
    m->err = brought && brought->known ? BK_LIB_OK : BK_LIB_NO_TABLE;
    m->ruled.there = false;
    m->value = m->err ? (struct bk_value){ .dtw = -1 }
                      : value_before(&(struct bk_value){
                            .wdl = brought->wdl, .dtw = brought->plies, .end = brought->end });
}

/* Lists all legal moves.  Not inline: their array is off the stack before a table is asked. */
static __attribute__((noinline)) void list_moves(struct ranking *r)
{
    struct bk_move move[BK_MOVES_MAX];

    for (unsigned first = 0; first != BK_MOVES_END;) {
        unsigned n = bk_moves_portion(r->call.on->v, &r->p, &first, move);

        for (unsigned i = 0; i < n; i++)
            add_move(r, &move[i], NULL);
    }
}

static bool ask_together(struct ranking *r)
{
    const struct bk_found *on = r->call.on;

    return r->tables && !r->five &&
           bk_values_after(on->catalog, on->v, &r->p, !(r->flags & BK_LIB_WDL_ONLY), add_move, r);
}

/* Returns the weight of an error: of several moves the heaviest is told.  Damage, then bytes that a
   host must bring, then what the machine does not let us read; a missing table is expected. */
static unsigned weight(enum bk_err err)
{
    switch (err) {
    case BK_E_NEWER:
    case BK_E_CORRUPT: return 3;
    case BK_E_NEEDS_BYTES: return 2;
    case BK_E_NO_TABLE: return 0;
    default: return 1;
    }
}

static void note_error(struct ranking *r, struct listed *m, enum bk_err err)
{
    m->err = bk_call_code(&r->call, err);
    if (!r->err || weight(err) > weight(r->err)) {
        r->err = err;
        r->why = *r->call.why;
    }
}

/* Sets *value to that of a position that is over, by rule alone; false: it is not over. */
static bool value_by_rule(const struct ranking *r, const struct bk_pos *after,
                          struct bk_value *value)
{
    value->end = bk_pos_end(r->call.on->v, after, &value->wdl);
    value->dtw = value->wdl ? 0 : -1;
    return value->end != BK_END_NONE;
}

/* Sets what the n-move rule makes of a move that leads to `after`, worth `value` there. */
static void rule_move(struct ranking *r, struct listed *m, const struct bk_pos *after,
                      const struct bk_value *value)
{
    int n = (int)bk_rules_nmove(r->call.on->v);
    bool zeroes = bk_move_zeroes(r->call.on->v, &r->p, &m->move);
    struct bk_ruled *x = &m->ruled;
    enum bk_err err =
        bk_five_for(&r->call, after, r->flags, value, zeroes ? 0 : r->p.clock + 1u, x);

    if (err)
        note_error(r, m, err);
    if (err || !x->there)
        return;
    x->clocked = -x->clocked;
    x->five = -x->five;
    if (zeroes)
        x->d = !x->five ? -1 : x->five == 2 || x->five == -2 ? 1 : n + 1;
    else if (x->d >= 0 && ++x->d > n)
        x->five = x->five < 0 ? -1 : 1;
}

/* Asks for the value of the position after a move. */
static void ask_after(struct ranking *r, struct listed *m)
{
    struct bk_pos after = r->p;
    struct bk_value value = { .end = BK_END_NONE };
    enum bk_err err = BK_OK;

    bk_pos_play(&after, r->call.on->v, &m->move);
    if (r->tables)
        err = bk_value_for(&r->call, &after, r->flags, &value);
    else if (!value_by_rule(r, &after, &value))
        return;
    if (err) {
        note_error(r, m, err);
        return;
    }
    m->err = BK_LIB_OK;
    m->value = value_before(&value);
    if (r->five)
        rule_move(r, m, &after, &value);
}

/* == Order == */

/* The first four letters, as a number that sorts like them. */
static uint32_t name_number(const char *name)
{
    const unsigned char *c = (const unsigned char *)name;

    return (uint32_t)c[0] << 24 | (uint32_t)c[1] << 16 | (uint32_t)c[2] << 8 | c[3];
}

static bool comes_before(const struct ranking *r, struct order a, struct order b)
{
    if (a.key != b.key)
        return a.key < b.key;
    return strcmp(r->list[a.nth].name, r->list[b.nth].name) < 0;
}

/* Returns a score as bk_value_score(), by the n-move rule: wins that stand first, by the plies to
   the end or else to zeroing; then draws, cursed wins before others and blessed losses last; then
   losses. */
static int ruled_score(const struct listed *m)
{
    const struct bk_value *v = &m->value;
    int plies = v->dtw >= 0 ? v->dtw : m->ruled.d;

    return m->ruled.clocked ? m->ruled.clocked * (plies < 0 ? 2 : BK_VALUE_FAR - plies) : v->wdl;
}

static struct order order_of(const struct ranking *r, size_t nth)
{
    struct listed *m = &r->list[nth];
    int score = !r->tables       ? 0
                : m->err         ? -INT32_MAX
                : m->ruled.there ? ruled_score(m)
                                 : bk_value_score(&m->value);

    memset(m->name, 0, sizeof m->name);
    bk_move_name(r->call.on->v, &m->move, m->name);
    return (struct order){ (uint64_t)((int64_t)INT32_MAX - score) << 32 | name_number(m->name),
                           (uint32_t)nth };
}

/* Sorts moves: best first, then by name; without tables by name.  By insertion: of some twenty
   moves a quarter of what qsort() takes. */
static void sort_moves(struct ranking *r)
{
    for (size_t i = 0; i < r->n; i++) {
        const struct order o = order_of(r, i);
        size_t at = i;

        for (; at && comes_before(r, o, r->order[at - 1]); at--)
            r->order[at] = r->order[at - 1];
        r->order[at] = o;
    }
}

/* == The list == */

/* Lists and values the moves of r->p. */
static enum bk_err rank(struct ranking *r)
{
    const struct bk_table *table;
    int wdl;

    if (bk_pos_bare(r->call.on->v, &r->p, &wdl) != BK_END_NONE)
        return BK_OK;
    r->five = r->tables && !r->plain && bk_rules_nmove(r->call.on->v) &&
              !bk_catalog_table(r->call.on->catalog, &r->p, &table, NULL) && table->five;
    if (!ask_together(r))
        list_moves(r);
    if (r->full)
        return r->full;
    for (size_t i = 0; i < r->n; i++)
        if (r->list[i].err)
            ask_after(r, &r->list[i]);
    sort_moves(r);
    return BK_OK;
}

/* Returns the error of moves whose value is not known; names all tables that the material lacks. */
static enum bk_err partly(struct ranking *r)
{
    if (r->err)
        *r->call.why = r->why;
    return bk_unanswered(&r->call, &r->p, r->err);
}

/* Returns the wdl of a move if the game is drawn after so many plies. */
static int worth_within(const struct listed *m, int plies)
{
    bool known;

    if (m->ruled.there && !m->ruled.clocked)
        return 0;
    return bk_clocked(m->value.wdl, m->value.dtw, plies, &known);
}

static int best_within(const struct ranking *r, int plies)
{
    int best = -1;

    for (size_t i = 0; i < r->n; i++)
        if (!r->list[i].err && worth_within(&r->list[i], plies) > best)
            best = worth_within(&r->list[i], plies);
    return best;
}

static uint16_t public_square(unsigned sq)
{
    return sq == BK_SQ_NONE ? BK_LIB_NO_SQUARE : (uint16_t)sq;
}

/* Describes a move for the caller; left: bk_rules_plies_left() before it. */
static void describe(struct bk_lib_ranked *out, const struct ranking *r, const struct listed *l,
                     int left)
{
    const struct bk_variant *v = r->call.on->v;
    const struct bk_move *m = &l->move;
    bool known = false;

    *out = (struct bk_lib_ranked){
        .from = m->from,
        .to = m->to,
        .takes = public_square(m->takes),
        .also_taken = public_square(m->castles ? BK_SQ_NONE : m->also),
        .rook = public_square(m->castles ? m->also : BK_SQ_NONE),
        .becomes = m->becomes == BK_STAYS ? BK_LIB_STAYS : (uint8_t)v->piece[m->becomes].letter,
        .castles = m->castles,
        .err = l->err,
        .end = (enum bk_lib_end)l->value.end,
        .wdl = l->value.wdl,
        .dtw = l->value.dtw,
        .dtz = -1,
        .zeroes = bk_rules_nmove(v) && bk_move_zeroes(v, &r->p, m),
    };
    if (!l->err)
        out->clocked_wdl = bk_clocked(out->wdl, out->dtw, left, &known);
    out->clocked_known = known;
    if (!l->err && l->ruled.there) {
        out->wdl5 = l->ruled.five;
        out->dtz = l->ruled.d;
        out->clocked_wdl = l->ruled.clocked;
        out->clocked_known = l->ruled.known;
    }
    memcpy(out->name, l->name, sizeof out->name);
}

static void hand_out(const struct ranking *r, struct bk_lib_ranked *out, size_t room, size_t *n)
{
    int left = bk_rules_plies_left(r->call.on->v, r->p.turn, r->p.stm);
    int plies = r->within && r->within < left ? r->within : left;
    int best = best_within(r, plies);

    *n = r->n;
    for (size_t i = 0; i < r->n && i < room; i++) {
        const struct listed *m = &r->list[r->order[i].nth];

        describe(&out[i], r, m, left);
        out[i].keeps = r->tables && !m->err && worth_within(m, plies) == best;
    }
}

/* Lists and hands out the moves of `p`, or, if that is NULL, of `fen`. */
static enum bk_lib_err rank_for(struct ranking *r, struct bk_lib *lib, const struct bk_lib_pos *p,
                                const char *fen, struct bk_lib_ranked *out, size_t room, size_t *n)
{
    struct few few;
    enum bk_err err =
        bk_call_begin(&r->call, lib, (p || fen) && n && (out || !room), r->flags, RANK_KNOWN);

    ranking_begin(r, &few);
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
    struct ranking r = { .tables = true, .plain = true };
    struct few few;
    enum bk_err err = bk_call_begin(&r.call, lib, fen && n && (out || !room), 0, 0);

    ranking_begin(&r, &few);
    if (!err)
        err = bk_place_fen(&r.call, &r.p, fen, true);
    if (!err)
        err = rank(&r);
    if (!err)
        err = partly(&r);
    for (size_t i = 0; !err && i < r.n && i < room; i++) {
        const struct listed *m = &r.list[r.order[i].nth];

        memcpy(out[i].name, m->name, sizeof out[i].name);
        out[i].wdl = m->value.wdl;
        out[i].dtw = m->value.dtw;
    }
    if (!err)
        *n = r.n;
    ranking_release(&r);
    return bk_call_end(&r.call, err);
}

/* == Texts == */

/* Returns the move of that name in a list without tables, which is sorted by name; NULL: none. */
static const struct bk_move *find_named(const struct ranking *r, const char *name)
{
    size_t from = 0, end = r->n;

    while (from < end) {
        size_t middle = from + (end - from) / 2;
        const struct listed *m = &r->list[r->order[middle].nth];
        int order = strncmp(m->name, name, sizeof m->name);

        if (!order)
            return &m->move;
        if (order < 0)
            from = middle + 1;
        else
            end = middle;
    }
    return NULL;
}

/* "b9b10=M" as "b9b10m", "b9b10=M,-c3" as "b9b10m,-c3". */
static void write_uci(char *to, const char *name)
{
    const char *equals = strchr(name, '=');

    for (; *name && name != equals; name++)
        *to++ = *name;
    if (equals) {
        *to++ = bk_lower(equals[1]);
        for (name = equals + 2; *name; name++) /* a square that is destroyed */
            *to++ = *name;
    }
    *to = '\0';
}

/* Writes n moves; r: all moves by name, which are in `all` as well. */
static enum bk_err write_texts(const struct ranking *r, const struct bk_move *all,
                               const struct bk_lib_ranked *move, size_t n,
                               struct bk_lib_move_text *out)
{
    const struct bk_variant *v = r->call.on->v;

    _Static_assert(sizeof out->san == BK_SAN_MAX && sizeof out->fen == BK_FEN_MAX, "room for any");
    for (size_t i = 0; i < n; i++) {
        const struct bk_move *m = find_named(r, move[i].name);
        struct bk_pos after = r->p;
        char name[16];

        if (!m)
            return bk_fail(r->call.why, BK_E_USAGE, "move %zu: '%.*s' is no legal move here", i + 1,
                           (int)sizeof move->name, move[i].name);
        memset(&out[i], 0, sizeof out[i]);
        bk_san(v, &r->p, m, all, r->n, out[i].san);
        write_uci(out[i].uci, bk_move_name(v, m, name));
        bk_pos_play(&after, v, m);
        bk_pos_to_fen(&after, v, out[i].fen);
    }
    return BK_OK;
}

/* Lists the moves of r->p, and writes n of them. */
static enum bk_err write_moves(struct ranking *r, const struct bk_lib_ranked *move, size_t n,
                               struct bk_lib_move_text *out)
{
    struct bk_move *all;
    enum bk_err err;

    list_moves(r);
    if (r->full)
        return r->full;
    sort_moves(r);
    all = malloc((r->n + 1) * sizeof *all);
    if (!all)
        return bk_fail(r->call.why, BK_E_SYSTEM, "no memory for %zu moves", r->n);
    for (size_t i = 0; i < r->n; i++)
        all[i] = r->list[i].move;
    err = write_texts(r, all, move, n, out);
    free(all);
    return err;
}

/* As bk_write_moves(), of `p`, or, if that is NULL, of `fen`. */
static enum bk_lib_err write_for(struct bk_lib *lib, const struct bk_lib_pos *p, const char *fen,
                                 const struct bk_lib_ranked *move, size_t n,
                                 struct bk_lib_move_text *out)
{
    struct ranking r = { .tables = false };
    struct few few;
    enum bk_err err = bk_call_begin(&r.call, lib, (p || fen) && ((move && out) || !n), 0, 0);

    ranking_begin(&r, &few);
    if (!err)
        err = p ? bk_place_pos(&r.call, &r.p, p, true) : bk_place_fen(&r.call, &r.p, fen, true);
    if (!err)
        err = write_moves(&r, move, n, out);
    ranking_release(&r);
    return bk_call_end(&r.call, err);
}

enum bk_lib_err bk_write_moves(struct bk_lib *lib, const struct bk_lib_pos *p,
                               const struct bk_lib_ranked *move, size_t n,
                               struct bk_lib_move_text *out)
{
    return write_for(lib, p, NULL, move, n, out);
}

enum bk_lib_err bk_write_moves_fen(struct bk_lib *lib, const char *fen,
                                   const struct bk_lib_ranked *move, size_t n,
                                   struct bk_lib_move_text *out)
{
    return write_for(lib, NULL, fen, move, n, out);
}

/* == Without tables == */

/* As bk_is_over(), of `p`, or, if that is NULL, of `fen`. */
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
    struct bk_move move;
    enum bk_err err = bk_move_read(&move, v, p, name, strlen(name), 1, call->why);

    if (!err)
        bk_pos_play(p, v, &move);
    return err;
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
