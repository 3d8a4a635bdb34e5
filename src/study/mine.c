/*
 * mine.c - see mine.h, and docs/study.md for what the kinds mean.
 *
 * A position is looked at in three steps, the cheapest first: by its value (or
 * values, with either side to move), by the expression, by its moves.
 *
 * Rows go by in portions of PORTION numbers or less, whatever the board: room for all finds of one
 * portion is made once (13 MB), so memory does not grow with the table.  A find is kept by its
 * number; its board, and a problem's line, are made again from that when it is shown.
 *
 * Kinds that rank keep a list of the best so far, a few times as long as what
 * is asked; a position that is shorter than the last of a full list is dropped at once.
 *
 * Rejected: a list for each thread.  Each may become as long as the portion.
 */
#include "study/mine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/attack.h"
#include "core/end.h"
#include "core/move.h"
#include "study/alike.h"

/* Numbers, about, in a portion.  Half of it costs as much time; a core that shares it with a
   hundred others still has 100 us. */
#define PORTION   (UINT64_C(1) << 17)
#define DOMINATED 3 /* squares that a man must have to be dominated */
#define PLIES_MAX 1024

const char *const study_kind_names[STUDY_KINDS] = {
    [STUDY_ANY] = "any",
    [STUDY_ZUGZWANG] = "zugzwang",
    [STUDY_FULL_ZUGZWANG] = "full-zugzwang",
    [STUDY_LONGEST] = "longest",
    [STUDY_ONLY_MOVE] = "only-move",
    [STUDY_BARE_RACE] = "bare-race",
    [STUDY_DOMINATION] = "domination",
    [STUDY_CURSED] = "cursed",
    [STUDY_COMPOSE] = "compose",
};

bool study_kind_of(const char *name, enum study_kind *kind)
{
    for (unsigned k = 0; k < STUDY_KINDS; k++)
        if (!strcmp(name, study_kind_names[k])) {
            *kind = (enum study_kind)k;
            return true;
        }
    return false;
}

bool study_kind_ranks(enum study_kind kind)
{
    return kind == STUDY_LONGEST || kind == STUDY_COMPOSE;
}

/* What is kept of a find; the rest follows from its number. */
struct kept {
    uint64_t number;
    struct bk_worth worth, other;
    uint16_t squares, idle;
    uint8_t stm, man;
    char move[16];
};

struct finds {
    struct kept *f;
    size_t n, room;
};

/* Positions of lines. */
struct board {
    struct bk_pos p;
    int plies; /* to the end */
};
struct boards {
    struct board *b;
    size_t n, room;
};

struct miner {
    const struct study_mine *o;
    const struct study_values *x;
    const struct bk_variant *v;
    struct bk_settled *s;
    const struct bk_index *ix;
    struct finds portion;         /* its finds: room for all; n is added to by all threads */
    uint64_t rows;                /* rows in a portion */
    struct study_counts *counted; /* by thread, if finds are counted; else NULL */
    struct finds best;            /* the best finds so far, of kinds that rank */
    size_t keep;
    bool more; /* some finds were not kept */
    int least; /* plies that a position of a full list has to have */
    uint64_t shown;
    struct bk_first_error error;
};

/* == Lists == */

static bool boards_add(struct boards *list, const struct board *b)
{
    bool room = BK_ARRAY_ROOM(list->b, list->room, list->n + 1);

    if (room)
        list->b[list->n++] = *b;
    return room;
}

static bool finds_add(struct finds *list, const struct kept *f)
{
    bool room = BK_ARRAY_ROOM(list->f, list->room, list->n + 1);

    if (room)
        list->f[list->n++] = *f;
    return room;
}

static int by_number(const void *x, const void *y)
{
    const struct kept *a = x, *b = y;

    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    return (int)a->stm - (int)b->stm;
}

/* Longest first; then with fewest idle men. */
static int by_rank(const void *x, const void *y)
{
    const struct kept *a = x, *b = y;

    if (a->worth.plies != b->worth.plies)
        return b->worth.plies - a->worth.plies;
    if (a->idle != b->idle)
        return (int)a->idle - (int)b->idle;
    return by_number(x, y);
}

/* == One position == */

static void keep_error(struct miner *k, enum bk_err err, const struct bk_report *why)
{
    bk_first_error_keep(&k->error, err, why);
}

/* Sets *out to what a position is worth.  False: that failed, and the error is kept. */
static bool ask(struct miner *k, const struct bk_pos *p, struct bk_worth *out, uint64_t *number)
{
    struct bk_report why = { "" };
    enum bk_err err = bk_settled_ask(k->s, p, out, number, &why);

    if (err)
        keep_error(k, err, &why);
    return !err;
}

/* Is the game over?  Then who is to move makes no difference. */
static bool is_over(const struct miner *k, const struct bk_pos *p)
{
    int wdl;

    return bk_pos_end(k->v, p, &wdl) != BK_END_NONE;
}

/* Sets f->other to the worth with the other side to move.  False: not legal, or it failed. */
static bool look_other(struct miner *k, struct study_find *f, uint64_t *number)
{
    struct bk_pos other = f->p;

    f->other = (struct bk_worth){ BK_WORTH_NONE, -1 };
    other.stm = !other.stm;
    return bk_pos_legal(k->v, &other) && ask(k, &other, &f->other, number);
}

/* == By values == */

/* Do the values with White and with Black to move, each for the mover, make a pair of this kind? */
static bool is_pair(enum study_kind kind, int white, int black)
{
    switch (kind) {
    case STUDY_FULL_ZUGZWANG: return white < 0 && black < 0;
    case STUDY_BARE_RACE: return white > 0 && black > 0;
    default: return white + black < 0; /* zugzwang */
    }
}

/* Is the first of the class of `twin` (UINT64_MAX: none) before `own`, the first of its class? */
static bool comes_before(const struct miner *k, uint64_t twin, uint64_t own)
{
    struct bk_placement at;

    if (twin == UINT64_MAX)
        return false;
    bk_index_unrank(k->ix, twin, &at);
    return bk_index_first(k->ix, twin, &at) < own;
}

/*
 * For kinds that look at a placement with either side to move: is it such a pair?  Each placement
 * counts once: with White to move; in a table with one side, of a placement and its mirror image
 * with colours exchanged, the one with the smaller number.
 */
static bool is_found_pair(struct miner *k, struct study_find *f)
{
    struct bk_pos other = f->p;
    uint64_t number = UINT64_MAX;

    if (f->p.stm != BK_WHITE || (k->o->kind == STUDY_BARE_RACE) != (f->worth.wdl > 0) ||
        !look_other(k, f, &number) || !is_pair(k->o->kind, f->worth.wdl, f->other.wdl))
        return false;
    if (k->x->one_sided && comes_before(k, number, f->number))
        return false;
    other.stm = BK_BLACK;
    return !is_over(k, &f->p) && !is_over(k, &other);
}

/* May a position be what is looked for, by its values alone? */
static bool may_be(struct miner *k, struct study_find *f)
{
    switch (k->o->kind) {
    case STUDY_ANY: return true;
    case STUDY_ZUGZWANG:
    case STUDY_FULL_ZUGZWANG:
    case STUDY_BARE_RACE: return is_found_pair(k, f);
    case STUDY_LONGEST: return f->worth.wdl > 0 && f->worth.plies > 0 && f->worth.plies >= k->least;
    case STUDY_COMPOSE: /* one move is no problem */
        return f->worth.wdl > 0 && f->worth.plies > 1 && f->worth.plies >= k->least;
    case STUDY_ONLY_MOVE: return f->worth.wdl >= 0;
    case STUDY_DOMINATION: return f->worth.wdl < 0;
    case STUDY_CURSED: return f->worth.wdl;
    case STUDY_KINDS: break;
    }
    return false;
}

static bool is_wanted(struct miner *k, struct study_find *f)
{
    const struct study_where *w = k->o->where;

    if (!w)
        return true;
    if (study_where_asks_other(w) && f->other.wdl == BK_WORTH_NONE)
        look_other(k, f, NULL);
    return study_where_true(w, &(struct study_facts){ .p = &f->p,
                                                      .wdl = f->worth.wdl,
                                                      .plies = f->worth.plies,
                                                      .other_wdl = f->other.wdl,
                                                      .other_plies = f->other.plies });
}

/* == By moves == */

/* Returns how many moves keep the value `wdl`, two at most; the first of them goes to *only. */
static unsigned keepers(struct miner *k, const struct bk_pos *p, int wdl,
                        const struct bk_move *move, unsigned n, struct bk_move *only)
{
    unsigned found = 0;

    for (unsigned i = 0; i < n && found < 2; i++) {
        struct bk_pos after = *p;
        struct bk_worth w;

        bk_pos_play(&after, k->v, &move[i]);
        if (!ask(k, &after, &w, NULL))
            return 0;
        if (-w.wdl >= wdl && !found++)
            *only = move[i];
    }
    return found;
}

static bool is_only_move(struct miner *k, struct study_find *f)
{
    struct bk_move move[BK_MOVES_MAX], only;
    unsigned n = bk_moves_legal(k->v, &f->p, move);

    if (n < 2 || keepers(k, &f->p, f->worth.wdl, move, n, &only) != 1)
        return false;
    bk_move_name(k->v, &only, f->move);
    return true;
}

/* Can the man on `sq` be taken at once, and the game stays won for who takes him? */
static bool is_lost_man(struct miner *k, const struct bk_pos *p, unsigned sq)
{
    struct bk_move move[BK_MOVES_MAX];
    unsigned n = bk_moves_legal(k->v, p, move);

    for (unsigned i = 0; i < n; i++) {
        struct bk_pos after = *p;
        struct bk_worth w;

        if (move[i].takes != sq && move[i].also != sq)
            continue;
        bk_pos_play(&after, k->v, &move[i]);
        if (!ask(k, &after, &w, NULL))
            return false;
        if (w.wdl < 0)
            return true;
    }
    return false;
}

/* How many squares a man can go to, if he is lost on each of them; else 0. */
static unsigned dominated(struct miner *k, const struct bk_pos *p, unsigned from,
                          const struct bk_move *move, unsigned n)
{
    struct bk_bits squares = { { 0 } }; /* several changes on one square count once */

    for (unsigned i = 0; i < n; i++) {
        struct bk_pos after = *p;

        if (move[i].from != from)
            continue;
        bk_pos_play(&after, k->v, &move[i]);
        if (!is_lost_man(k, &after, move[i].to))
            return 0;
        bk_bits_set(&squares, move[i].to);
    }
    return bk_bits_count(&squares);
}

static bool is_domination(struct miner *k, struct study_find *f)
{
    struct bk_move move[BK_MOVES_MAX];
    unsigned n, stm = f->p.stm;

    if (bk_in_check(k->v, &f->p, stm))
        return false;
    n = bk_moves_legal(k->v, &f->p, move);
    for (unsigned sq = 0; sq < k->v->nsq; sq++) {
        unsigned squares;

        if (!bk_bits_has(&f->p.by[stm], sq) || sq == f->p.king[stm] ||
            bk_attacked(k->v, &f->p, sq, !stm))
            continue;
        squares = dominated(k, &f->p, sq, move, n);
        if (squares >= DOMINATED && squares > f->squares) {
            f->man = (uint8_t)sq;
            f->squares = (uint16_t)squares;
        }
    }
    return f->squares;
}

/* Is it decided, and drawn by the n-move rule although no ply has been counted? */
static bool is_cursed(struct miner *k, const struct study_find *f)
{
    struct bk_catalog *c = k->x->catalog;
    const struct bk_tables t = { .v = k->v,
                                 .find = bk_catalog_table,
                                 .open = bk_catalog_reopen,
                                 .context = c,
                                 .cache = bk_catalog_cache(c) };
    struct bk_report why = { "" };
    int five = 0;
    enum bk_err err = bk_settle_five(&t, &f->p, &five, NULL, &why);

    bk_first_error_keep(&k->error, err, &why);
    return five == 1 || five == -1;
}

/* == Problems == */

/* A line under way. */
struct line {
    struct bk_pos p;
    struct bk_move move[PLIES_MAX];
    unsigned n;
    struct bk_bits idle; /* squares of men who have neither moved nor been taken */
};

static void line_play(struct miner *k, struct line *l, const struct bk_move *m)
{
    l->move[l->n++] = *m;
    bk_bits_clear(&l->idle, m->from);
    if (m->takes != BK_SQ_NONE)
        bk_bits_clear(&l->idle, m->takes);
    if (m->also != BK_SQ_NONE)
        bk_bits_clear(&l->idle, m->also);
    bk_pos_play(&l->p, k->v, m);
}

/* Plays the only move that wins; false: there is not just one. */
static bool play_only(struct miner *k, struct line *l)
{
    struct bk_move move[BK_MOVES_MAX], only;
    unsigned n = bk_moves_legal(k->v, &l->p, move);

    if (keepers(k, &l->p, 1, move, n, &only) != 1)
        return false;
    line_play(k, l, &only);
    return true;
}

/* Plays the move that holds out longest; of several the first by name. */
static bool play_longest(struct miner *k, struct line *l)
{
    struct bk_move move[BK_MOVES_MAX];
    unsigned n = bk_moves_legal(k->v, &l->p, move), best = 0;
    char best_name[16] = "", name[16];
    int longest = -1;

    for (unsigned i = 0; i < n; i++) {
        struct bk_pos after = l->p;
        struct bk_worth w;

        bk_pos_play(&after, k->v, &move[i]);
        if (!ask(k, &after, &w, NULL) || w.wdl <= 0)
            return false;
        bk_move_name(k->v, &move[i], name);
        if (w.plies > longest || (w.plies == longest && strcmp(name, best_name) < 0)) {
            longest = w.plies;
            best = i;
            strcpy(best_name, name);
        }
    }
    if (n)
        line_play(k, l, &move[best]);
    return n;
}

static char *joined(const struct miner *k, const struct line *l)
{
    char name[16], *text = malloc((size_t)l->n * sizeof name + 1), *at = text;

    for (unsigned i = 0; text && i < l->n; i++)
        at += sprintf(at, "%s%s", i ? " " : "", bk_move_name(k->v, &l->move[i], name));
    return text;
}

static void line_begin(struct line *l, const struct bk_pos *p)
{
    l->p = *p;
    l->n = 0;
    l->idle = p->by[0];
    for (unsigned i = 0; i < 4; i++)
        l->idle.w[i] |= p->by[1].w[i];
}

/* Follows the only way to win; true: it is that to the end, and `l` has all of it. */
static bool follow(struct miner *k, struct line *l, const struct bk_pos *p, int plies)
{
    line_begin(l, p);
    if (plies > PLIES_MAX)
        return false;
    while ((int)l->n < plies)
        if (!(l->n & 1 ? play_longest(k, l) : play_only(k, l)))
            return false;
    return is_over(k, &l->p);
}

/* Are two positions the same but for the number of the turn? */
static bool same_position(const struct bk_pos *a, const struct bk_pos *b)
{
    return a->stm == b->stm && a->ep == b->ep && a->rights == b->rights &&
           !memcmp(a->at, b->at, sizeof a->at) && !memcmp(a->left, b->left, sizeof a->left);
}

/* Adds a position whose only way to win has to be found, once.  False: no memory. */
static bool note(struct miner *k, struct boards *list, const struct bk_pos *p, int plies)
{
    struct board b = { .p = *p, .plies = plies };
    struct bk_report why = { "" };

    for (size_t i = 0; i < list->n; i++)
        if (list->b[i].plies == plies && same_position(&list->b[i].p, p))
            return true;
    if (boards_add(list, &b))
        return true;
    keep_error(k, bk_no_memory(&why), &why);
    return false;
}

/* Adds what all longest defences lead to.  after: lost in `plies` for the side to move. */
static bool note_defences(struct miner *k, struct boards *list, const struct bk_pos *after,
                          int plies)
{
    struct bk_move move[BK_MOVES_MAX];
    unsigned n = bk_moves_legal(k->v, after, move);

    for (unsigned i = 0; i < n; i++) {
        struct bk_pos next = *after;
        struct bk_worth w;

        bk_pos_play(&next, k->v, &move[i]);
        if (!ask(k, &next, &w, NULL) || w.wdl <= 0)
            return false;
        if (w.plies == plies - 1 && !note(k, list, &next, w.plies))
            return false;
    }
    return true;
}

/*
 * Is there one way to win, to the end, against every defence that holds out longest?  Positions to
 * look at form a list that grows at its end; most candidates fail at its first.
 */
static bool has_one_solution(struct miner *k, const struct bk_pos *p, int plies)
{
    struct boards list = { 0 };
    bool one = note(k, &list, p, plies);

    for (size_t i = 0; one && i < list.n; i++) {
        struct bk_move move[BK_MOVES_MAX], only;
        struct bk_pos after = list.b[i].p;
        unsigned n = bk_moves_legal(k->v, &after, move);

        plies = list.b[i].plies;
        one = keepers(k, &after, 1, move, n, &only) == 1;
        if (!one)
            break;
        bk_pos_play(&after, k->v, &only);
        if (plies > 1)
            one = note_defences(k, &list, &after, plies - 1);
    }
    free(list.b);
    return one;
}

static bool is_problem(struct miner *k, struct study_find *f)
{
    struct line l;

    if (!has_one_solution(k, &f->p, f->worth.plies) || !follow(k, &l, &f->p, f->worth.plies))
        return false;
    f->idle = (uint16_t)bk_bits_count(&l.idle);
    bk_move_name(k->v, &l.move[0], f->move);
    return true;
}

/* Is a position that may be what is looked for, by its moves? */
static bool is_one(struct miner *k, struct study_find *f)
{
    switch (k->o->kind) {
    case STUDY_ONLY_MOVE: return is_only_move(k, f);
    case STUDY_DOMINATION: return is_domination(k, f);
    case STUDY_CURSED: return is_cursed(k, f);
    case STUDY_COMPOSE: return is_problem(k, f);
    default: return true;
    }
}

/* == All positions == */

/* Keeps a find; there is room.  Threads write to places of their own. */
static void keep(struct miner *k, const struct study_find *f)
{
    size_t nth = __atomic_fetch_add(&k->portion.n, 1, __ATOMIC_RELAXED);
    struct kept *to = &k->portion.f[nth];

    *to = (struct kept){ .number = f->number,
                         .worth = f->worth,
                         .other = f->other,
                         .squares = f->squares,
                         .idle = f->idle,
                         .stm = f->p.stm,
                         .man = f->man };
    memcpy(to->move, f->move, sizeof to->move);
}

static void look(void *context, unsigned thread, const struct bk_seen *seen)
{
    struct miner *k = context;
    struct study_find f = { .p = *seen->p,
                            .number = seen->number,
                            .worth = seen->stored,
                            .other = { BK_WORTH_NONE, -1 },
                            .man = BK_SQ_NONE };

    if (bk_first_error_any(&k->error) || !may_be(k, &f) ||
        !bk_index_is_first(k->ix, seen->number, seen->at) || !is_wanted(k, &f) || !is_one(k, &f))
        return;
    if (k->counted)
        k->counted[thread].n[f.p.stm][f.worth.wdl + 1]++;
    else
        keep(k, &f);
}

/* Makes a find of what was kept of it, with its board. */
static struct study_find find_of(const struct miner *k, const struct kept *from)
{
    struct study_find f = { .number = from->number,
                            .worth = from->worth,
                            .other = from->other,
                            .man = from->man,
                            .squares = from->squares,
                            .idle = from->idle };
    struct bk_placement at;

    memcpy(f.move, from->move, sizeof f.move);
    bk_index_unrank(k->ix, from->number, &at);
    bk_index_position(k->ix, &at, from->stm, &f.p);
    return f;
}

static bool is_full(const struct miner *k) { return k->o->limit && k->shown == k->o->limit; }

static void show(struct miner *k, const struct study_find *f)
{
    k->o->found(k->o->context, f);
    k->shown++;
}

static void sort(struct finds *list, int (*by)(const void *, const void *))
{
    if (list->n)
        qsort(list->f, list->n, sizeof *list->f, by);
}

static void show_portion(struct miner *k)
{
    sort(&k->portion, by_number);
    for (size_t i = 0; i < k->portion.n && !is_full(k); i++) {
        struct study_find f = find_of(k, &k->portion.f[i]);

        show(k, &f);
    }
}

/*
 * Cuts the list to the best `keep` finds; a full list sets `least`, a bar for later ones.  These
 * have larger numbers, so none that is just as long gets into a list of the longest.
 */
static void trim(struct miner *k)
{
    sort(&k->best, by_rank);
    if (k->best.n < k->keep)
        return;
    k->more |= k->best.n > k->keep;
    k->best.n = k->keep;
    k->least = k->best.f[k->keep - 1].worth.plies + (k->o->kind == STUDY_LONGEST);
}

/* Adds the portion's finds to the best; trims these if a quarter too many.  False: no memory. */
static bool keep_best(struct miner *k)
{
    for (size_t i = 0; i < k->portion.n; i++)
        if (!finds_add(&k->best, &k->portion.f[i]))
            return false;
    if (k->best.n > k->keep + k->keep / 4)
        trim(k);
    return true;
}

static enum bk_err scan_portion(struct miner *k, uint64_t at, uint64_t n, struct bk_report *why)
{
    enum bk_err err = bk_settled_scan(k->s, at, n, look, k, why);

    if (!err)
        err = bk_first_error_of(&k->error, why);
    if (!err && study_kind_ranks(k->o->kind))
        err = keep_best(k) ? BK_OK : bk_no_memory(why);
    else if (!err)
        show_portion(k);
    k->portion.n = 0;
    return err;
}

static enum bk_err scan(struct miner *k, struct bk_report *why)
{
    uint64_t rows = bk_settled_rows(k->s);
    enum bk_err err = BK_OK;

    for (uint64_t at = 0; at < rows && !err && !is_full(k); at += k->rows) {
        uint64_t n = rows - at < k->rows ? rows - at : k->rows;

        err = scan_portion(k, at, n, why);
        if (k->o->progress)
            k->o->progress(k->o->context, at + n, rows);
    }
    if (study_kind_ranks(k->o->kind))
        trim(k);
    return err;
}

/* == The best == */

/* Shows a problem with its line, unless it is like one that was shown.  False: no memory. */
static bool show_problem(struct miner *k, struct study_find *f, struct study_alike *shown)
{
    struct line l;
    char *text;
    bool fresh;

    if (!follow(k, &l, &f->p, f->worth.plies)) /* an error, which is kept */
        return true;
    if (!study_alike_add(shown, &f->p, l.move, l.n, &fresh))
        return false;
    if (!fresh)
        return true;
    f->line = text = joined(k, &l);
    if (text)
        show(k, f);
    free(text);
    return text;
}

static enum bk_err show_problems(struct miner *k, struct bk_report *why)
{
    struct study_alike *shown = study_alike_new(k->ix);
    bool all = shown;

    for (size_t i = 0; i < k->best.n && all && !is_full(k) && !bk_first_error_any(&k->error); i++) {
        struct study_find f = find_of(k, &k->best.f[i]);

        all = show_problem(k, &f, shown);
    }
    study_alike_free(shown);
    return all ? bk_first_error_of(&k->error, why) : bk_no_memory(why);
}

static enum bk_err show_best(struct miner *k, struct bk_report *why)
{
    if (k->o->kind == STUDY_COMPOSE)
        return show_problems(k, why);
    for (size_t i = 0; i < k->best.n && !is_full(k); i++) {
        struct study_find f = find_of(k, &k->best.f[i]);

        show(k, &f);
    }
    return BK_OK;
}

/* == All of it == */

static void add_up(struct study_counts *sum, const struct study_counts *by_thread, unsigned threads)
{
    *sum = (struct study_counts){ { { 0 } } };
    for (unsigned i = 0; i < threads; i++)
        for (unsigned side = 0; side < 2; side++)
            for (unsigned wdl = 0; wdl < 3; wdl++)
                sum->n[side][wdl] += by_thread[i].n[side][wdl];
}

enum bk_err study_mine_run(struct study_values *x, const struct study_mine *o,
                           struct bk_report *why)
{
    struct miner k = { .o = o, .x = x, .v = x->v, .s = x->settled, .ix = x->index };
    unsigned threads = bk_pool_threads(x->pool);
    char name[BK_MATERIAL_NAME_MAX];
    enum bk_err err;

    if (!x->distances && study_kind_ranks(o->kind))
        return bk_fail(why, BK_E_USAGE, "%s has no distances, without which nothing is long",
                       bk_material_name(&x->m, x->v, name));
    if (o->kind == STUDY_CURSED && !x->five)
        return bk_fail(why, BK_E_USAGE, "%s has no results by the n-move rule: `build --dtz`",
                       bk_material_name(&x->m, x->v, name));
    if (!o->limit && study_kind_ranks(o->kind))
        return bk_fail(why, BK_E_USAGE, "how many of the longest?");
    k.keep = (size_t)(o->kind == STUDY_COMPOSE ? o->limit * STUDY_PROBLEMS : o->limit);
    k.rows = PORTION / x->v->nsq; /* no row is longer */
    k.counted = o->counts ? calloc(threads, sizeof *k.counted) : NULL;
    k.portion.room = o->counts ? 0 : (size_t)k.rows * x->v->nsq * (x->one_sided ? 1 : 2);
    k.portion.f = o->counts ? NULL : malloc(k.portion.room * sizeof *k.portion.f);
    err = k.counted || k.portion.f ? scan(&k, why) : bk_no_memory(why);
    if (!err)
        err = show_best(&k, why);
    if (!err && k.counted)
        add_up(o->counts, k.counted, threads);
    if (o->more)
        *o->more = k.more;
    free(k.counted);
    free(k.portion.f);
    free(k.best.f);
    return err;
}
