/*
 * whole.c - one array, all states of an army, ply after ply.
 *
 * Idea: docs/whole.md 5.  A score is what a state is worth to its side to
 * move, so that more is better: WIN - plies, 0 for draws and for what is not
 * known yet, plies - WIN.
 *
 * Threads: a pass hands out slots.  Scores are read and written whole, and a
 * score written in pass d is taken for unknown by all threads until pass d + 1;
 * so it does not matter which thread comes first.
 *
 * Bonus turns (docs/whole.md 7): turns left and men released are parts of a slot, up to a cap. What
 * lies beyond it is bounded by two games that are solved one after the other: in one White counts
 * no further and Black holds men for ever, in the other it is the other way round.
 *
 * Rejected: undoing turns of Puzzle Shatranj.  A drop before, a move and two drops after make
 * backward turns a second rulebook that would have to agree with the first.
 *
 * Where a drop is a turn of its own (docs/whole.md 10) positions before a turn are found, and a
 * pass looks at these alone.  They may be too many, for each is then decided by its own turns.
 */
#include "tb/whole.h"

#include "core/exchange.h"
#include "core/rules.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { WIN = 30000, ILLEGAL = -32768, NOT_YET = 32767 };

#define PIECE_SLOTS 4096 /* of work for a thread */
#define ALL_PLIES   UINT16_MAX
#define MIB         (UINT64_C(1) << 20)

/* A game that is solved: with bonus turns one of two, by whose rules `ever` holds a man for ever
   where the cap is reached. */
struct solved {
    const struct bk_variant *v;
    struct bk_hands_pos army; /* no man is on the board */
    unsigned nsq;             /* squares that exist */
    uint8_t sq_of[BK_SQ_MAX], nth_of[BK_SQ_MAX];
    unsigned cap;     /* releases that are counted; 0 without bonus turns */
    unsigned ever;    /* the side that holds men for ever */
    unsigned ncounts; /* numbers of men released, by who releases them and their type */
    struct {
        uint8_t side, type;
    } count[BK_HANDS_MEN_MAX];
    bool exchange; /* a drop is a turn of its own; then: */
    uint8_t ntypes[BK_HANDS_MEN_MAX], type[BK_HANDS_MEN_MAX][BK_TYPES_MAX]; /* what a man may be */
    unsigned reach; /* plies before a state that may depend on it: 1, and the double steps */
    _Atomic uint64_t *mark;  /* a bit a score: look at it in this pass */
    uint64_t slots;          /* of one side to move */
    unsigned nlayers;        /* layer[q]: q turns without checks are left */
    _Atomic int16_t **layer; /* slots * 2, [slot * 2 + stm]; the opening is in the highest */
    unsigned plies;          /* passes */
};

struct bk_whole {
    struct solved *game[2]; /* owned; [c]: the one that is best for the other side of c; the second
                               with bonus turns only */
};

/* == Slots =============================================================== */

static bool is_king(const struct solved *w, unsigned i)
{
    return bk_man_type(w->army.man[i]) == w->v->royal;
}

/* Squares and the hand for each owner and each type that he may be; hostages: the squares, the
   prison, the airfield. */
static unsigned exchange_places_of(const struct solved *w, unsigned i)
{
    if (is_king(w, i))
        return w->nsq;
    return bk_rules_turned(w->v) ? 2u * (1 + w->ntypes[i] * w->nsq) : w->nsq + 2;
}

/* Returns the places of man i: the squares, and one for each number of turns that he may be held.
 */
static unsigned places_of(const struct solved *w, unsigned i)
{
    if (w->exchange)
        return exchange_places_of(w, i);
    return w->nsq + 1 + (is_king(w, i) ? 0 : w->cap);
}

static unsigned exchange_digit_of(const struct solved *w, const struct bk_hands_pos *p, unsigned i)
{
    bool on = p->sq[i] != BK_SQ_NONE;
    unsigned nth = on ? w->nth_of[p->sq[i]] : w->nsq + p->freed[i], t = 0;

    if (is_king(w, i) || !bk_rules_turned(w->v))
        return nth;
    while (w->type[i][t] != bk_man_type(p->man[i]))
        t++;
    return bk_man_colour(p->man[i]) * (1 + w->ntypes[i] * w->nsq) + (on ? 1 + t * w->nsq + nth : 0);
}

static unsigned digit_of(const struct solved *w, const struct bk_hands_pos *p, unsigned i)
{
    if (w->exchange)
        return exchange_digit_of(w, p, i);
    if (p->sq[i] != BK_SQ_NONE)
        return w->nth_of[p->sq[i]];
    return w->nsq + (p->turns[i] == BK_TURNS_EVER ? w->cap : p->turns[i] - 1u);
}

/* Are man i and the one before him in the list interchangeable? */
static bool is_like_last(const struct solved *w, unsigned i)
{
    if (!i || is_king(w, i))
        return false;
    return w->exchange && bk_rules_turned(w->v) ? w->army.born[i - 1] == w->army.born[i]
                                                : w->army.man[i - 1] == w->army.man[i];
}

/* Returns a state's slot.  Interchangeable men are neighbours in the list; their digits ascend. */
static uint64_t slot_of(const struct solved *w, const struct bk_hands_pos *p)
{
    unsigned digit[BK_HANDS_MEN_MAX];
    uint64_t slot = 0;

    for (unsigned i = 0; i < p->n; i++) {
        unsigned d = digit_of(w, p, i), j = i;

        for (; is_like_last(w, j) && digit[j - 1] > d; j--)
            digit[j] = digit[j - 1];
        digit[j] = d;
    }
    for (unsigned i = 0; i < p->n; i++)
        slot = slot * places_of(w, i) + digit[i];
    for (unsigned k = 0; k < w->ncounts; k++)
        slot = slot * (w->cap + 1) + p->released[w->count[k].side][w->count[k].type];
    return slot;
}

static void hold(const struct solved *w, struct bk_hands_pos *p, unsigned i, unsigned turns)
{
    bool for_ever = w->ncounts && turns > w->cap && w->ever == !bk_man_colour(p->man[i]);

    p->turns[i] = for_ever ? BK_TURNS_EVER : (uint8_t)turns;
}

/* Can a man be held so long where so many have been released? */
static bool counts_fit(const struct solved *w, const struct bk_hands_pos *p)
{
    bool opening = bk_hands_opening(p, w->v), none = true;

    for (unsigned i = 0; i < p->n; i++) {
        unsigned n = p->released[!bk_man_colour(p->man[i])][bk_man_type(p->man[i])];

        if (p->sq[i] == BK_SQ_NONE && digit_of(w, p, i) - w->nsq > n)
            return false;
        none &= !n;
    }
    return none || !opening;
}

/* Puts man i where a digit has him; false: on an occupied square. */
static bool exchange_put(const struct solved *w, struct bk_hands_pos *p, unsigned i, unsigned digit)
{
    unsigned each = 1 + w->ntypes[i] * w->nsq, type = w->army.born[i];
    bool turned = bk_rules_turned(w->v) && !is_king(w, i);

    if (turned) {
        unsigned owner = digit / each, at = digit % each;

        digit = at ? (at - 1) % w->nsq : w->nsq;
        p->man[i] = bk_man(at ? w->type[i][(at - 1) / w->nsq] : type, owner);
    }
    if (digit >= w->nsq) {
        p->freed[i] = digit > w->nsq;
        return true;
    }
    if (p->at[w->sq_of[digit]])
        return false;
    bk_hands_put(p, i, w->sq_of[digit]);
    return true;
}

/* Sets `p` to a slot's state.  False: two men on a square, or interchangeable men out of order, or
   men held longer than they may be. */
static bool place(const struct solved *w, uint64_t slot, struct bk_hands_pos *p)
{
    *p = w->army;
    for (unsigned k = w->ncounts; k--; slot /= w->cap + 1)
        p->released[w->count[k].side][w->count[k].type] = (uint8_t)(slot % (w->cap + 1));
    for (unsigned i = p->n; i--; slot /= places_of(w, i)) {
        unsigned digit = (unsigned)(slot % places_of(w, i));

        if (i + 1 < p->n && is_like_last(w, i + 1) && digit > digit_of(w, p, i + 1))
            return false;
        if (w->exchange) {
            if (!exchange_put(w, p, i, digit))
                return false;
            continue;
        }
        if (digit >= w->nsq) {
            hold(w, p, i, digit - w->nsq + 1);
            continue;
        }
        if (p->at[w->sq_of[digit]])
            return false;
        bk_hands_put(p, i, w->sq_of[digit]);
    }
    return !w->ncounts || counts_fit(w, p);
}

/* Makes of a state that may come up in the game one that has a slot: what is counted ends with the
   cap. */
static void bound(const struct solved *w, struct bk_hands_pos *p)
{
    for (unsigned i = 0; w->ncounts && i < p->n; i++) {
        uint8_t *n = &p->released[!bk_man_colour(p->man[i])][bk_man_type(p->man[i])];

        if (*n > w->cap)
            *n = (uint8_t)w->cap;
        if (p->sq[i] == BK_SQ_NONE)
            hold(w, p, i, p->turns[i] > w->cap ? w->cap + 1 : p->turns[i]);
    }
}

/* == Scores ============================================================== */

static int16_t read_score(const _Atomic int16_t *at)
{
    return atomic_load_explicit(at, memory_order_relaxed);
}

static void write_score(_Atomic int16_t *at, int score)
{
    atomic_store_explicit(at, (int16_t)score, memory_order_relaxed);
}

static unsigned plies_of(int score) { return (unsigned)(WIN - abs(score)); }

static int ended(int wdl) { return wdl * WIN; }

/* Returns the score of a side that can move into `score`. */
static int one_ply_back(int score) { return score > 0 ? 1 - score : score < 0 ? -1 - score : 0; }

static _Atomic int16_t *score_at(const struct solved *w, const struct bk_hands_pos *p)
{
    bool opening = bk_hands_opening(p, w->v);
    unsigned layer = opening ? w->nlayers - 1 : p->quiet;

    return &w->layer[layer][slot_of(w, p) * 2 + p->stm];
}

/* As score_at(), of a state that may be beyond the cap. */
static _Atomic int16_t *score_of(const struct solved *w, const struct bk_hands_pos *p)
{
    struct bk_hands_pos bounded;

    if (!w->ncounts)
        return score_at(w, p);
    bounded = *p;
    bound(w, &bounded);
    return score_at(w, &bounded);
}

/* == Passes ============================================================== */

struct weighing {
    const struct solved *w;
    unsigned ply; /* scores of fewer plies are known */
    bool all;     /* see every turn; else enough to decide the state in pass `ply` */
    int best;
    unsigned turns;
};

static int passed_score(const struct solved *w, const struct bk_hands_pos *p, unsigned ply);

/* Does nothing more need to be known for pass g->ply, in which every win is one in so many plies?
   Where a drop is a turn every end is a loss, so that losses take an even number of plies. */
static bool is_settled(const struct weighing *g)
{
    if (g->all)
        return false;
    return g->best > 0 || (g->w->exchange && g->ply % 2 == 0 && g->best == 0);
}

static bool weigh(void *context, const struct bk_turn *turn, const struct bk_hands_pos *after)
{
    struct weighing *g = context;
    int wdl, score;

    (void)turn;
    g->turns++;
    if (bk_hands_over(after, g->w->v, &wdl))
        score = ended(wdl);
    else if (after->ep != BK_SQ_NONE)
        score = passed_score(g->w, after, g->ply);
    else
        score = read_score(score_of(g->w, after));
    if (score && plies_of(score) >= g->ply)
        score = 0;
    score = one_ply_back(score);
    if (score > g->best)
        g->best = score;
    return !is_settled(g);
}

/* Returns the best of all turns whose scores are of fewer than `ply` plies. */
static int best_of(const struct solved *w, const struct bk_hands_pos *p, unsigned ply)
{
    struct weighing g = { .w = w, .ply = ply, .all = ply == ALL_PLIES, .best = -WIN - 1 };

    bk_hands_turns(p, w->v, weigh, &g);
    return g.turns ? g.best : ended(bk_hands_stuck_wdl(p, w->v));
}

/* Returns the score of a state in which somebody may be taken in passing, if it is of fewer than
   `ply` plies.  It has no slot: its turns tell. */
static int passed_score(const struct solved *w, const struct bk_hands_pos *p, unsigned ply)
{
    struct weighing g = { .w = w, .ply = ply - 1, .all = true, .best = -WIN - 1 };

    bk_hands_turns(p, w->v, weigh, &g);
    return g.turns ? g.best : ended(bk_hands_stuck_wdl(p, w->v));
}

struct pass {
    struct solved *w;
    unsigned layer, ply;
    unsigned passed; /* of the positions that are marked: bk_exchange_meet */
    atomic_bool changed;
    const volatile int *stop;
};

static bool any_turn(void *context, const struct bk_turn *turn, const struct bk_hands_pos *after)
{
    (void)turn;
    (void)after;
    *(bool *)context = true;
    return false;
}

/* What a state is worth before anything is known of others. */
static int first_score(const struct solved *w, const struct bk_hands_pos *p)
{
    bool moves = false;
    int wdl;

    if (!bk_hands_legal(p, w->v))
        return ILLEGAL;
    if (bk_hands_opening(p, w->v))
        return NOT_YET;
    if (bk_hands_over(p, w->v, &wdl))
        return ended(wdl);
    bk_hands_turns(p, w->v, any_turn, &moves);
    return moves ? 0 : ended(bk_hands_stuck_wdl(p, w->v));
}

/* Calls each() with every state among some slots. */
static void visit(struct pass *g, uint64_t item,
                  void (*each)(struct pass *, const struct bk_hands_pos *, _Atomic int16_t *))
{
    struct solved *w = g->w;
    uint64_t end = (item + 1) * PIECE_SLOTS;
    struct bk_hands_pos p;

    for (uint64_t slot = item * PIECE_SLOTS; slot < w->slots && slot < end && !*g->stop; slot++) {
        _Atomic int16_t *score = &w->layer[g->layer][slot * 2];
        bool placed = false;

        for (unsigned stm = 0; stm < 2; stm++) {
            if (g->ply && score[stm])
                continue; /* decided, or nothing that exists */
            if (!placed && !place(w, slot, &p)) {
                write_score(&score[0], ILLEGAL);
                write_score(&score[1], ILLEGAL);
                break;
            }
            placed = true;
            p.stm = (uint8_t)stm;
            p.quiet = (uint8_t)g->layer;
            each(g, &p, &score[stm]);
        }
    }
}

static void start_one(struct pass *g, const struct bk_hands_pos *p, _Atomic int16_t *score)
{
    write_score(score, first_score(g->w, p));
}

static void start_some(void *context, uint64_t item, unsigned thread)
{
    (void)thread;
    visit(context, item, start_one);
}

/* A pass decides what takes exactly its ply: a shorter one would have been found before. */
static void decide_one(struct pass *g, const struct bk_hands_pos *p, _Atomic int16_t *score)
{
    int best = best_of(g->w, p, g->ply);

    if (best) {
        write_score(score, best);
        atomic_store_explicit(&g->changed, true, memory_order_relaxed);
    }
}

static void decide_some(void *context, uint64_t item, unsigned thread)
{
    (void)thread;
    visit(context, item, decide_one);
}

static uint64_t pieces_of(const struct solved *w)
{
    return (w->slots + PIECE_SLOTS - 1) / PIECE_SLOTS;
}

static bool stopped(const struct pass *g) { return *g->stop; }

/* Turns of the free game lead to the free game: pass after pass. */
static void solve_free(struct solved *w, const struct bk_whole_options *o, struct pass *g)
{
    g->changed = true;
    for (g->ply = 1; g->changed && !stopped(g); g->ply++) {
        g->changed = false;
        if (o->progress)
            o->progress(o->context, g->ply);
        bk_pool_run(o->pool, pieces_of(w), decide_some, g);
    }
    w->plies = g->ply;
}

/* == Passes where a drop is a turn == */

static void mark_one(void *context, const struct bk_hands_pos *before, unsigned passed)
{
    const struct pass *g = context;
    uint64_t at;

    if (passed != g->passed)
        return;
    at = slot_of(g->w, before) * 2 + before->stm;
    if (!read_score(&g->w->layer[0][at]))
        atomic_fetch_or_explicit(&g->w->mark[at / 64], UINT64_C(1) << at % 64,
                                 memory_order_relaxed);
}

/* Marks what comes before the states that have just been decided. */
static void mark_some(void *context, uint64_t item, unsigned thread)
{
    struct pass g = *(struct pass *)context;
    struct solved *w = g.w;
    uint64_t end = 2 * (item + 1) * PIECE_SLOTS;
    struct bk_hands_pos p;

    (void)thread;
    for (uint64_t at = 2 * item * PIECE_SLOTS; at < 2 * w->slots && at < end && !*g.stop; at++) {
        int score = read_score(&w->layer[0][at]);

        if (!score || score == ILLEGAL || plies_of(score) >= g.ply ||
            (g.passed = g.ply - 1 - plies_of(score)) >= w->reach)
            continue;
        place(w, at / 2, &p);
        p.stm = at % 2;
        bk_exchange_before(&p, w->v, mark_one, &g);
    }
}

static void decide_marked(void *context, uint64_t item, unsigned thread)
{
    struct pass *g = context;
    struct solved *w = g->w;
    uint64_t words = (2 * w->slots + 63) / 64, end = (item + 1) * (2 * PIECE_SLOTS / 64);
    struct bk_hands_pos p;

    (void)thread;
    for (uint64_t i = item * (2 * PIECE_SLOTS / 64); i < words && i < end && !*g->stop; i++)
        for (uint64_t bits = atomic_exchange_explicit(&w->mark[i], 0, memory_order_relaxed); bits;
             bits &= bits - 1) {
            uint64_t at = 64 * i + (unsigned)__builtin_ctzll(bits);

            place(w, at / 2, &p);
            p.stm = at % 2;
            decide_one(g, &p, &w->layer[0][at]);
        }
}

/* As solve_free(), looking at those states alone whose turns lead to one just decided. */
static void solve_exchange(struct solved *w, const struct bk_whole_options *o, struct pass *g)
{
    unsigned idle = 0;

    for (g->ply = 1; idle < w->reach && !stopped(g); g->ply++) {
        g->changed = false;
        if (o->progress)
            o->progress(o->context, g->ply);
        bk_pool_run(o->pool, pieces_of(w), mark_some, g);
        bk_pool_run(o->pool, pieces_of(w), decide_marked, g);
        idle = g->changed ? 0 : idle + 1;
    }
    w->plies = g->ply;
}

/* == The opening ========================================================= */

static int opening_score(struct solved *w, const struct bk_hands_pos *p);

struct opening {
    struct solved *w;
    int best;
    unsigned turns;
};

static bool weigh_opening(void *context, const struct bk_turn *turn,
                          const struct bk_hands_pos *after)
{
    struct opening *g = context;
    int wdl, score;

    (void)turn;
    g->turns++;
    if (bk_hands_over(after, g->w->v, &wdl))
        score = ended(wdl);
    else
        score = opening_score(g->w, after);
    score = one_ply_back(score);
    if (score > g->best)
        g->best = score;
    return true;
}

/* The opening is as many turns deep as there are men to drop: plain recursion, remembered. */
static int opening_score(struct solved *w, const struct bk_hands_pos *p)
{
    _Atomic int16_t *at = score_of(w, p);
    struct opening g = { w, -WIN - 1, 0 };

    if (*at != NOT_YET)
        return *at;
    bk_hands_turns(p, w->v, weigh_opening, &g);
    *at = (int16_t)(g.turns ? g.best : ended(bk_hands_stuck_wdl(p, w->v)));
    return *at;
}

/* == The whole =========================================================== */

static void list_counts(struct solved *w)
{
    for (unsigned i = 0; bk_rules_hand_bonus(w->v) && i < w->army.n; i++)
        if (!is_king(w, i) && !(i && w->army.man[i] == w->army.man[i - 1])) {
            w->count[w->ncounts].side = (uint8_t)!bk_man_colour(w->army.man[i]);
            w->count[w->ncounts++].type = (uint8_t)bk_man_type(w->army.man[i]);
        }
}

/* Sets w->slots; false: more than can be counted. */
static bool count_slots(struct solved *w)
{
    w->slots = 1;
    for (unsigned i = 0; i < w->army.n + w->ncounts; i++) {
        unsigned times = i < w->army.n ? places_of(w, i) : w->cap + 1;

        if (w->slots > UINT64_MAX / 64 / times)
            return false;
        w->slots *= times;
    }
    return true;
}

/* Bytes of one layer, its marks included. */
static uint64_t bytes_of(const struct solved *w)
{
    return w->slots * 2 * sizeof(int16_t) + (w->exchange ? w->slots / 4 + 8 : 0);
}

static enum bk_err allocate(struct solved *w, const struct bk_whole_options *o,
                            struct bk_report *why)
{
    unsigned games = w->ncounts ? 2 : 1;
    uint64_t bytes;

    if (!count_slots(w))
        return bk_fail(why, BK_E_USAGE, "too many men for %u squares", w->nsq);
    w->nlayers = o->opening ? 2u * bk_rules_quiet_turns(w->v) + 1 : 1;
    bytes = bytes_of(w) * games;
    if (bytes > UINT64_MAX / w->nlayers || bytes > SIZE_MAX / w->nlayers ||
        (o->memory_limit && bytes * w->nlayers > o->memory_limit))
        return bk_fail(why, BK_E_USAGE, "%llu MiB are needed; --memory allows less",
                       (unsigned long long)(bytes / MIB * w->nlayers +
                                            (bytes % MIB * w->nlayers + MIB - 1) / MIB));
    w->layer = calloc(w->nlayers, sizeof *w->layer);
    if (w->exchange && !(w->mark = calloc(w->slots / 32 + 1, sizeof *w->mark)))
        return bk_no_memory(why);
    for (unsigned i = 0; w->layer && i < w->nlayers; i++) {
        w->layer[i] = calloc(w->slots * 2, sizeof *w->layer[i]);
        if (!w->layer[i])
            break;
        if (i + 1 == w->nlayers)
            return BK_OK;
    }
    return bk_fail(why, BK_E_SYSTEM, "no memory for %llu states",
                   (unsigned long long)w->slots * 2 * w->nlayers);
}

static void number_squares(struct solved *w)
{
    for (unsigned sq = 0; sq < w->v->nsq; sq++)
        if (bk_bits_has(&w->v->board, sq)) {
            w->nth_of[sq] = (uint8_t)w->nsq;
            w->sq_of[w->nsq++] = (uint8_t)sq;
        }
}

static void solve(struct solved *w, const struct bk_whole_options *o)
{
    static const volatile int never = 0;
    struct pass g = { .w = w, .stop = o->stop ? o->stop : &never };

    for (g.layer = 0; g.layer < w->nlayers; g.layer++) {
        g.ply = 0;
        bk_pool_run(o->pool, pieces_of(w), start_some, &g);
        if (w->exchange) {
            solve_exchange(w, o, &g);
        } else if (g.layer == 0) {
            solve_free(w, o, &g);
        } else if (!stopped(&g)) { /* all its turns lead to the layer below, which is done */
            g.ply = ALL_PLIES;
            bk_pool_run(o->pool, pieces_of(w), decide_some, &g);
        }
    }
    if (o->opening && !w->exchange && !stopped(&g)) {
        struct bk_hands_pos start = w->army;

        opening_score(w, &start);
    }
}

static void free_solved(struct solved *w)
{
    if (w) {
        for (unsigned i = 0; w->layer && i < w->nlayers; i++)
            free(w->layer[i]);
        free(w->layer);
        free(w->mark);
        free(w);
    }
}

/* Lists what each man may be, and how many double steps may follow each other. */
static void list_types(struct solved *w)
{
    w->exchange = bk_rules_drops_are_turns(w->v);
    w->reach = 1;
    for (unsigned i = 0; w->exchange && i < w->army.n; i++) {
        uint32_t types = UINT32_C(1) << w->army.born[i];

        for (types = bk_rules_may_become(w->v, types); types; types &= types - 1)
            w->type[i][w->ntypes[i]++] = (uint8_t)__builtin_ctz(types);
        w->reach += bk_rules_passes(w->v, w->army.born[i]);
    }
}

/* Solves the game in which `ever` holds men for ever behind the cap.  *out owned, on failure, too.
 */
static enum bk_err solve_game(struct solved **out, const struct bk_variant *v,
                              const struct bk_hands_pos *army, unsigned ever,
                              const struct bk_whole_options *o, struct bk_report *why)
{
    struct solved *w = *out = calloc(1, sizeof *w);
    enum bk_err err;

    if (!w)
        return bk_no_memory(why);
    w->v = v;
    w->army = *army;
    for (unsigned i = 0; i < army->n; i++) {
        if (w->army.sq[i] != BK_SQ_NONE)
            bk_hands_lift(&w->army, i);
        w->army.turns[i] = 1;
        w->army.freed[i] = false;
    }
    w->army.ep = BK_SQ_NONE;
    list_types(w);
    memset(w->army.released, 0, sizeof w->army.released);
    w->army.stm = BK_WHITE;
    w->army.quiet = 0;
    w->ever = ever;
    list_counts(w);
    w->cap = w->ncounts ? o->bonus_cap : 0;
    number_squares(w);
    if ((err = allocate(w, o, why)) != BK_OK)
        return err;
    solve(w, o);
    return o->stop && *o->stop ? bk_interrupted(why) : BK_OK;
}

enum bk_err bk_whole_new(struct bk_whole **out, const struct bk_variant *v,
                         const struct bk_hands_pos *army, const struct bk_whole_options *o,
                         struct bk_report *why)
{
    struct bk_whole *w = calloc(1, sizeof *w);
    unsigned games = bk_rules_hand_bonus(v) ? 2 : 1;
    enum bk_err err = w ? BK_OK : bk_no_memory(why);

    if (!err && o->bonus_cap > BK_WHOLE_CAP_MAX)
        err = bk_fail(why, BK_E_USAGE, "releases are counted up to %d", BK_WHOLE_CAP_MAX);
    if (!err && army->rights)
        err =
            bk_fail(why, BK_E_USAGE, "castling rights are no part of a state: give a FEN without");
    for (unsigned side = 0; side < games && !err; side++)
        err = solve_game(&w->game[side], v, army, !side, o, why);
    if (err)
        bk_whole_free(w);
    else
        *out = w;
    return err;
}

void bk_whole_free(struct bk_whole *w)
{
    if (w) {
        free_solved(w->game[0]);
        free_solved(w->game[1]);
        free(w);
    }
}

uint64_t bk_whole_bytes(const struct bk_whole *w)
{
    const struct solved *one = w->game[0];

    return bytes_of(one) * one->nlayers * (w->game[1] ? 2 : 1);
}

static struct bk_whole_value value_in(struct solved *w, const struct bk_hands_pos *p)
{
    struct bk_whole_value value = { 0, 0 };
    int score;

    if (bk_hands_over(p, w->v, &value.wdl)) /* baring may leave more men off than a state has */
        return value;
    if (p->ep != BK_SQ_NONE)
        score = passed_score(w, p, ALL_PLIES);
    else
        score = opening_score(w, p); /* some stages are not met from the empty board */
    value.wdl = (score > 0) - (score < 0);
    value.plies = score ? plies_of(score) : 0;
    return value;
}

bool bk_whole_value(struct bk_whole *w, const struct bk_hands_pos *p,
                    struct bk_whole_value *at_least, struct bk_whole_value *at_most)
{
    *at_least = *at_most = value_in(w->game[0], p);
    if (w->game[1])
        *(p->stm == BK_WHITE ? at_most : at_least) = value_in(w->game[1], p);
    return at_least->wdl == at_most->wdl && at_least->plies == at_most->plies;
}

/* Is it a state that bk_whole_summary() counts?  States of the opening lie in the last layer, too.
 */
static bool is_counted(const struct solved *w, uint64_t slot)
{
    struct bk_hands_pos p;
    unsigned held[2] = { 0, 0 };

    if (w->nlayers > 1 && !w->ncounts)
        return true;
    if (w->exchange)
        return true;
    if (!place(w, slot, &p) || bk_hands_opening(&p, w->v))
        return false;
    for (unsigned k = 0; k < w->ncounts; k++)
        if (p.released[w->count[k].side][w->count[k].type])
            return false;
    for (unsigned i = 0; i < p.n; i++)
        held[bk_man_colour(p.man[i])] += p.sq[i] == BK_SQ_NONE;
    return held[0] <= 1 && held[1] <= 1;
}

void bk_whole_summary(const struct bk_whole *w, struct bk_whole_summary *s)
{
    const struct solved *least = w->game[0], *most = w->game[1] ? w->game[1] : least;

    memset(s, 0, sizeof *s);
    s->slots = 2 * least->slots;
    for (uint64_t i = 0; i < 2 * least->slots; i++) {
        int score = least->layer[0][i], other = most->layer[0][i];

        if (score == ILLEGAL || score == NOT_YET || !is_counted(least, i / 2))
            continue;
        s->states++;
        if (score != other) {
            s->open++;
            continue;
        }
        s->wins += score > 0;
        s->losses += score < 0;
        s->draws += score == 0;
        if (score && plies_of(score) > s->longest)
            s->longest = plies_of(score);
    }
}
