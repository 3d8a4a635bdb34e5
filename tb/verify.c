/*
 * verify.c - see verify.h.
 *
 * A position is worth what the best of its moves brings.  The moves are made
 * one position at a time by the plain generator.  What they lead to is looked
 * up in memory (settled.h) where the values of all tables fit; a sample, and a
 * table too large for that, is asked as the library asks: files and exits, one
 * position after the other, by all threads of the same files.
 *
 *      won     in d plies: some move leads to a loss in d - 1, none to a sooner one
 *      drawn   some move leads to a draw, none to a loss
 *      lost    all moves lead to wins.  Its distance follows from theirs, so there
 *              is nothing to compare, unless the file has one of its own
 *
 * Distances after a move are asked with bounds: to know that a loss takes d - 1
 * plies or more, one reply is often enough.
 *
 * Where there are files by the n-move rule, a second walk compares these: results are five, and the
 * distance of a move is that of docs/rules.md.  Without distances a quiet move brings no result for
 * certain, since it may be late by one ply; the file's must lie between the two.
 */
#include "tb/verify.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/attack.h"
#include "core/chance.h"
#include "core/end.h"
#include "core/move.h"
#include "core/rules.h"
#include "tb/settled.h"

/* Numbers a piece of work at most. */
#define PIECE   (UINT64_C(1) << 15)
#define ENDLESS (1 << 20) /* more than any number of plies */

/* What a thread has found. */
struct found {
    struct bk_verify_result result;
    int64_t longest[2][2]; /* by side, won: plies + 1; 0: none */
    bool named[2][2];      /* the position that the header names has the distance that it says */
    enum bk_err err;
    struct bk_report why;
};

struct verifier {
    const struct bk_variant *v;
    const struct bk_verify_options *o;
    struct bk_catalog *catalog;
    struct bk_tables tables;
    const struct bk_table *table;  /* the one that is verified */
    const struct bk_index *ix;     /* of its wdl file */
    const struct bk_file *results; /* whose summary is compared */
    bool distances;
    bool five;           /* the second walk: by the n-move rule */
    uint64_t all, piece; /* numbers to look at; of them, in a piece of work */
    uint64_t done;
    struct found *found; /* by thread */
    pthread_mutex_t lock;
    uint64_t first_different; /* number * 2 + side of the first wrong one; under lock */
    struct bk_verify_result *out;
};

static bool stopped(const struct verifier *vf) { return vf->o->stop && *vf->o->stop; }

/* == What the moves bring == */

/* Raises the best by a move to a lost position; a claimed distance bounds what is asked. */
static enum bk_err by_loss(const struct verifier *vf, const struct bk_pos *after, int claimed,
                           struct bk_worth *best, struct bk_report *why)
{
    int known = best->wdl > 0 ? best->plies : ENDLESS, plies = 0;
    struct bk_window window = { -1, known - 1 };
    enum bk_err err;

    best->wdl = 1;
    if (!vf->distances)
        return BK_OK;
    if (claimed >= 0)
        window = (struct bk_window){ claimed - 2, known <= claimed ? claimed - 1 : claimed };
    err = bk_settle_plies(&vf->tables, after, -1, window, &plies, why);
    best->plies = plies + 1 < known ? plies + 1 : known;
    return err;
}

/* Raises the best by a move to a won position; with distances if the file has those of losses. */
static enum bk_err by_win(const struct verifier *vf, const struct bk_pos *after,
                          struct bk_worth *best, struct bk_report *why)
{
    struct bk_window window = { best->plies - 1, ENDLESS };
    int plies = 0;
    enum bk_err err = BK_OK;

    if (vf->distances && bk_file_info(vf->table->dtw)->standalone)
        err = bk_settle_plies(&vf->tables, after, 1, window, &plies, why);
    best->wdl = -1;
    if (plies + 1 > best->plies)
        best->plies = plies + 1;
    return err;
}

/*
 * Sets `best` to what the best move of p brings, or, without moves, to what the rules say.
 * claimed: the plies that its win is said to take, or -1.
 */
static enum bk_err by_moves(const struct verifier *vf, const struct bk_pos *p, int claimed,
                            struct bk_worth *best, struct bk_report *why)
{
    struct bk_move move[BK_MOVES_MAX];
    unsigned n = bk_moves_legal(vf->v, p, move);
    enum bk_err err = BK_OK;

    *best = (struct bk_worth){ BK_WORTH_NONE, 0 };
    for (unsigned i = 0; i < n && !err; i++) {
        struct bk_pos after = *p;
        int wdl;

        bk_pos_play(&after, vf->v, &move[i]);
        /* what is no better than a draw is no gain once there is one */
        err = bk_settle_least(&vf->tables, &after, best->wdl >= 0 ? 0 : 1, &wdl, why);
        if (err || -wdl < best->wdl)
            continue;
        if (wdl < 0)
            err = by_loss(vf, &after, claimed, best, why);
        else if (wdl > 0)
            err = by_win(vf, &after, best, why);
        else
            best->wdl = 0;
    }
    if (!n && bk_pos_end(vf->v, p, &best->wdl) == BK_END_NONE)
        best->wdl = BK_WORTH_NONE;
    return err;
}

/* == What the moves bring by the n-move rule == */

/* The least and the best that a position may be worth: five results, 2 to -2, and plies. */
struct between {
    int least, best, plies;
    bool any;
};

/* Sets `x` to what a move brings that leads to `after`, of result -five for who made it.  high: as
   of bk_settle_zeroing(). */
static enum bk_err by_rule(const struct verifier *vf, const struct bk_pos *after, int five,
                           bool zeroes, int high, struct between *x, struct bk_report *why)
{
    int n = (int)bk_rules_nmove(vf->v), sign = (five > 0) - (five < 0);
    enum bk_err err = BK_OK;

    *x = (struct between){ five, five, five == 0 ? 0 : sign * five == 2 ? 1 : n + 1, true };
    if (zeroes || !five)
        return BK_OK;
    if (!vf->distances) { /* maybe one ply too late */
        x->least = five == 2 ? 1 : five;
        x->best = five == -2 ? -1 : five;
        return BK_OK;
    }
    err = bk_settle_zeroing(&vf->tables, after, -five, high - 1, &x->plies, why);
    x->plies++;
    x->least = x->best = x->plies <= n ? 2 * sign : sign;
    return err;
}

/* Is x better than y for the mover?  The result first, then the fewest plies of a win, the most of
   a loss. */
static bool is_better(const struct between *x, const struct between *y)
{
    int sign = (x->best > 0) - (x->best < 0), other = (y->best > 0) - (y->best < 0);

    if (sign != other)
        return sign > other;
    return sign > 0 ? x->plies < y->plies : sign < 0 && x->plies > y->plies;
}

/* by_moves() by the n-move rule. */
static enum bk_err five_by_moves(const struct verifier *vf, const struct bk_pos *p, int claimed,
                                 struct between *best, struct bk_report *why)
{
    struct bk_move move[BK_MOVES_MAX];
    unsigned n = bk_moves_legal(vf->v, p, move);
    enum bk_err err = BK_OK;
    int wdl = 0;

    *best = (struct between){ .any = false };
    for (unsigned i = 0; i < n && !err; i++) {
        struct bk_pos after = *p;
        struct between x;
        int five;

        bk_pos_play(&after, vf->v, &move[i]);
        err = bk_settle_five(&vf->tables, &after, &five, NULL, why);
        if (!err)
            err = by_rule(vf, &after, -five, bk_move_zeroes(vf->v, p, &move[i]), claimed, &x, why);
        if (err)
            return err;
        if (!vf->distances && best->any) {
            best->least = x.least > best->least ? x.least : best->least;
            best->best = x.best > best->best ? x.best : best->best;
        } else if (!best->any || is_better(&x, best)) {
            *best = x;
        }
    }
    if (!n && bk_pos_end(vf->v, p, &wdl) != BK_END_NONE)
        *best = (struct between){ 2 * wdl, 2 * wdl, 0, true };
    return err;
}

/* == Comparing == */

static bool same(const struct verifier *vf, const struct bk_worth *stored,
                 const struct bk_worth *found)
{
    if (stored->wdl != found->wdl)
        return false;
    if (!vf->distances || stored->wdl == 0)
        return true;
    if (stored->wdl < 0 && !bk_file_info(vf->table->dtw)->standalone)
        return true;
    return stored->plies == found->plies;
}

static void describe(const struct verifier *vf, const struct bk_worth *stored,
                     const struct bk_worth *found, char out[160])
{
    static const char *const word[3] = { "loss", "draw", "win" };
    const char *a = word[stored->wdl + 1];
    const char *b = found->wdl == BK_WORTH_NONE ? "nothing" : word[found->wdl + 1];

    if (vf->distances)
        snprintf(out, 160, "file: %s in %d plies; by its moves: %s in %d plies", a,
                 stored->wdl ? stored->plies : 0, b, found->wdl ? found->plies : 0);
    else
        snprintf(out, 160, "file: %s; by its moves: %s", a, b);
}

static void note_difference(struct verifier *vf, uint64_t number, const struct bk_pos *p,
                            const struct bk_worth *stored, const struct bk_worth *found)
{
    pthread_mutex_lock(&vf->lock);
    if (2 * number + p->stm < vf->first_different) {
        vf->first_different = 2 * number + p->stm;
        bk_pos_to_fen(p, vf->v, vf->out->first_fen);
        describe(vf, stored, found, vf->out->first_why);
    }
    pthread_mutex_unlock(&vf->lock);
}

static void note_longest(const struct verifier *vf, struct found *f, uint64_t number, unsigned side,
                         const struct bk_worth *worth)
{
    const struct bk_summary *said = &bk_file_info(vf->results)->summary;
    bool won = worth->wdl > 0;
    int64_t *longest = &f->longest[side][won];

    if (worth->plies >= *longest)
        *longest = worth->plies + 1;
    if (won ? number == said->win_number[side] && worth->plies == said->win_plies[side]
            : number == said->loss_number[side] && worth->plies == said->loss_plies[side])
        f->named[side][won] = true;
}

static void count(const struct verifier *vf, struct found *f, uint64_t number, uint32_t block,
                  const struct bk_placement *at, unsigned side, const struct bk_worth *worth,
                  bool late)
{
    struct bk_summary *s = &f->result.counted;
    int wdl = worth->wdl;
    uint64_t *one = wdl > 0 ? s->win : wdl < 0 ? s->loss : s->draw;
    uint64_t *all = wdl > 0 ? s->all_win : wdl < 0 ? s->all_loss : s->all_draw;

    one[side] += bk_index_is_first(vf->ix, number, at);
    all[side] += bk_index_images(vf->ix, block, at);
    if (vf->distances && wdl)
        note_longest(vf, f, number, side, worth);
    if (late) {
        one = wdl > 0 ? s->cursed : s->blessed;
        all = wdl > 0 ? s->all_cursed : s->all_blessed;
        one[side] += bk_index_is_first(vf->ix, number, at);
        all[side] += bk_index_images(vf->ix, block, at);
    }
}

static void compare(struct verifier *vf, struct bk_verify_result *r, uint64_t number,
                    const struct bk_pos *p, const struct bk_worth *stored,
                    const struct bk_worth *found)
{
    r->positions++;
    if (!same(vf, stored, found)) {
        r->different++;
        note_difference(vf, number, p, stored, found);
    }
}

/* Compares and counts a position whose values lie in memory. */
static void verify_seen(void *context, unsigned thread, const struct bk_seen *seen)
{
    struct verifier *vf = context;
    struct found *f = &vf->found[thread];

    compare(vf, &f->result, seen->number, seen->p, &seen->stored, &seen->found);
    count(vf, f, seen->number, seen->block, seen->at, seen->p->stm, &seen->stored, false);
}

static const char *word_of_five(int five)
{
    static const char *const word[5] = { "loss", "blessed loss", "draw", "cursed win", "win" };

    return word[five + 2];
}

/* verify_position() by the n-move rule; `stored` has what is counted. */
static enum bk_err verify_five(struct verifier *vf, struct bk_verify_result *r, uint64_t number,
                               const struct bk_pos *p, struct bk_worth *stored, bool *late,
                               struct bk_report *why)
{
    struct between found;
    int five, d = -1;
    enum bk_err err = bk_settle_five(&vf->tables, p, &five, vf->distances ? &d : NULL, why);

    if (!err)
        err = five_by_moves(vf, p, vf->distances && five > 0 ? d : ENDLESS, &found, why);
    if (err)
        return err;
    *stored = (struct bk_worth){ (five > 0) - (five < 0), d };
    *late = five == 1 || five == -1;
    r->positions++;
    if (found.any && five >= found.least && five <= found.best &&
        (!vf->distances || !five || d == found.plies))
        return BK_OK;
    r->different++;
    pthread_mutex_lock(&vf->lock);
    if (2 * number + p->stm < vf->first_different) {
        vf->first_different = 2 * number + p->stm;
        bk_pos_to_fen(p, vf->v, vf->out->first_fen);
        snprintf(vf->out->first_why, sizeof vf->out->first_why,
                 "file: %s, %d plies to zeroing; by its moves: %s, %d plies", word_of_five(five), d,
                 found.any ? word_of_five(found.best) : "nothing", found.plies);
    }
    pthread_mutex_unlock(&vf->lock);
    return BK_OK;
}

static enum bk_err verify_position(struct verifier *vf, struct bk_verify_result *r, uint64_t number,
                                   const struct bk_pos *p, struct bk_worth *stored,
                                   struct bk_report *why)
{
    struct bk_worth found;
    enum bk_err err = vf->distances ? bk_settle(&vf->tables, p, &stored->wdl, &stored->plies, why)
                                    : bk_settle_wdl(&vf->tables, p, &stored->wdl, why);

    if (!err)
        err = by_moves(vf, p, stored->wdl > 0 ? stored->plies : -1, &found, why);
    if (!err)
        compare(vf, r, number, p, stored, &found);
    return err;
}

static enum bk_err verify_number(struct verifier *vf, struct found *f, uint64_t number,
                                 struct bk_report *why)
{
    unsigned sides = bk_file_info(vf->table->wdl)->one_side ? 1 : 2;
    struct bk_placement at;
    struct bk_pos p;
    enum bk_err err = BK_OK;

    bk_index_unrank(vf->ix, number, &at);
    if (!bk_index_position(vf->ix, &at, BK_WHITE, &p))
        return BK_OK;
    for (unsigned side = 0; !err && side < sides; side++) {
        struct bk_worth stored = { 0, -1 };
        bool late = false;

        p.stm = (uint8_t)side;
        if (!bk_pos_legal(vf->v, &p))
            continue;
        err = vf->five ? verify_five(vf, &f->result, number, &p, &stored, &late, why)
                       : verify_position(vf, &f->result, number, &p, &stored, why);
        if (err == BK_E_NO_TABLE)
            err = bk_catalog_missing(vf->catalog, &p, why);
        if (!err && vf->all == vf->ix->positions)
            count(vf, f, number, bk_index_block_with(vf->ix, number), &at, side, &stored, late);
    }
    return err;
}

/* == Which positions == */

__extension__ typedef unsigned __int128 wide;

/* Returns where the i-th of `all` parts of the table, as equal as can be, begins. */
static uint64_t part(const struct verifier *vf, uint64_t i)
{
    return (uint64_t)((wide)i * vf->ix->positions / vf->all);
}

/*
 * Returns the number to look at in the i-th part: a sample takes one of each, so that no part is
 * left out.
 */
static uint64_t choose(const struct verifier *vf, uint64_t i)
{
    uint64_t first = part(vf, i), n = part(vf, i + 1) - first;

    return n == 1 ? first : first + bk_chance_of(bk_chance_of(vf->o->seed) + i) % n;
}

static void verify_piece(void *context, uint64_t item, unsigned thread)
{
    struct verifier *vf = context;
    struct found *f = &vf->found[thread];
    uint64_t first = item * vf->piece;
    uint64_t end = vf->all - first < vf->piece ? vf->all : first + vf->piece, done;

    for (uint64_t i = first; i < end && !f->err && !stopped(vf); i++)
        f->err = verify_number(vf, f, choose(vf, i), &f->why);
    done = __atomic_add_fetch(&vf->done, end - first, __ATOMIC_RELAXED);
    if (thread == 0 && vf->o->progress)
        vf->o->progress(vf->o->context, done, vf->all);
}

/* == Setting up == */

/* Verifies all positions by values in memory; *done: they fit. */
static enum bk_err verify_settled(struct verifier *vf, const struct bk_material *m, bool *done,
                                  struct bk_report *why)
{
    const struct bk_settled_options o = { .v = vf->v,
                                          .catalog = vf->catalog,
                                          .pool = vf->o->pool,
                                          .stop = vf->o->stop,
                                          .memory =
                                              vf->o->memory ? vf->o->memory : BK_VERIFY_MEMORY,
                                          .context = vf->o->context,
                                          .progress = vf->o->progress };
    struct bk_settled *s;
    enum bk_err err = bk_settled_new(&s, &o, m, why);

    *done = s;
    if (s)
        err = bk_settled_each(s, verify_seen, vf, why);
    bk_settled_free(s);
    return err;
}

static void verify_one_by_one(struct verifier *vf)
{
    bk_pool_run(vf->o->pool, (vf->all + vf->piece - 1) / vf->piece, verify_piece, vf);
}

/* Sets how much to look at, and in which pieces: four a thread, unless that makes large ones. */
static void share_out(struct verifier *vf)
{
    uint64_t positions = vf->ix->positions;
    unsigned threads = bk_pool_threads(vf->o->pool);

    vf->all = vf->o->sample && vf->o->sample < positions ? vf->o->sample : positions;
    vf->piece = vf->all / (4 * threads) + 1;
    if (vf->piece > PIECE)
        vf->piece = PIECE;
}

static bool same_counts(const struct bk_summary *a, const struct bk_summary *b)
{
    return !memcmp(a->win, b->win, sizeof a->win) && !memcmp(a->draw, b->draw, sizeof a->draw) &&
           !memcmp(a->loss, b->loss, sizeof a->loss) &&
           !memcmp(a->all_win, b->all_win, sizeof a->all_win) &&
           !memcmp(a->all_draw, b->all_draw, sizeof a->all_draw) &&
           !memcmp(a->all_loss, b->all_loss, sizeof a->all_loss);
}

static bool same_late(const struct bk_summary *a, const struct bk_summary *b)
{
    return !memcmp(a->cursed, b->cursed, sizeof a->cursed) &&
           !memcmp(a->blessed, b->blessed, sizeof a->blessed) &&
           !memcmp(a->all_cursed, b->all_cursed, sizeof a->all_cursed) &&
           !memcmp(a->all_blessed, b->all_blessed, sizeof a->all_blessed);
}

static void add_up(struct bk_verify_result *out, const struct bk_verify_result *r)
{
    struct bk_summary *a = &out->counted;
    const struct bk_summary *b = &r->counted;

    out->positions += r->positions;
    out->different += r->different;
    for (unsigned side = 0; side < 2; side++) {
        a->win[side] += b->win[side];
        a->draw[side] += b->draw[side];
        a->loss[side] += b->loss[side];
        a->all_win[side] += b->all_win[side];
        a->all_draw[side] += b->all_draw[side];
        a->all_loss[side] += b->all_loss[side];
        a->cursed[side] += b->cursed[side];
        a->blessed[side] += b->blessed[side];
        a->all_cursed[side] += b->all_cursed[side];
        a->all_blessed[side] += b->all_blessed[side];
    }
}

/* Is the longest win, or loss, of a side what the header says? */
static bool same_longest(const struct verifier *vf, int64_t plies, unsigned side, bool won)
{
    int64_t longest = 0;
    bool named = false;

    for (unsigned i = 0; i < bk_pool_threads(vf->o->pool); i++) {
        const struct found *f = &vf->found[i];

        if (f->longest[side][won] > longest)
            longest = f->longest[side][won];
        named |= f->named[side][won];
    }
    return longest == plies + 1 && (named || !longest);
}

/* Are all longest wins and losses what the header says?  If one side is kept it speaks of both. */
static bool all_longest(const struct verifier *vf)
{
    const struct bk_file_info *i = bk_file_info(vf->results);
    bool same = true;

    for (unsigned side = 0; side < (i->one_side ? 1 : 2) && vf->distances; side++)
        same = same && same_longest(vf, i->summary.win_plies[side], side, true) &&
               same_longest(vf, i->summary.loss_plies[side], side, false);
    return same;
}

/* Copies the counts of White to move to Black to move, where these are the same. */
static void mirror(struct bk_summary *s)
{
    s->win[1] = s->win[0];
    s->draw[1] = s->draw[0];
    s->loss[1] = s->loss[0];
    s->all_win[1] = s->all_win[0];
    s->all_draw[1] = s->all_draw[0];
    s->all_loss[1] = s->all_loss[0];
    s->cursed[1] = s->cursed[0];
    s->blessed[1] = s->blessed[0];
    s->all_cursed[1] = s->all_cursed[0];
    s->all_blessed[1] = s->all_blessed[0];
}

/* Adds up what all threads have found, and judges it. */
static enum bk_err sum_up(struct verifier *vf, struct bk_report *why)
{
    const struct bk_file *f = vf->results;
    struct bk_verify_result *out = vf->out;

    if (stopped(vf))
        return bk_interrupted(why);
    for (unsigned i = 0; i < bk_pool_threads(vf->o->pool); i++) {
        if (vf->found[i].err)
            return bk_fail(why, vf->found[i].err, "%s", vf->found[i].why.text);
        add_up(out, &vf->found[i].result);
    }
    if (bk_file_info(f)->one_side) /* the summary says it of both */
        mirror(&out->counted);
    out->counts_agree = vf->all < vf->ix->positions ||
                        (same_counts(&out->counted, &bk_file_info(f)->summary) && all_longest(vf) &&
                         (!vf->five || same_late(&out->counted, &bk_file_info(f)->summary)));
    if (out->different)
        return bk_fail(why, BK_E_DIFFERS, "%s: %llu of %llu positions are wrong; first: %s (%s)",
                       bk_file_path(f), (unsigned long long)out->different,
                       (unsigned long long)out->positions, out->first_fen, out->first_why);
    if (!out->counts_agree)
        return bk_fail(why, BK_E_DIFFERS, "%s: the counts of the header, or its longest, are wrong",
                       bk_file_path(f));
    return BK_OK;
}

static enum bk_err open_table(struct verifier *vf, const struct bk_material *m,
                              struct bk_report *why)
{
    enum bk_err err = bk_catalog_open(vf->catalog, m, &vf->table, why);
    char name[BK_MATERIAL_NAME_MAX];

    if (err == BK_E_NO_TABLE)
        return bk_fail(why, err, "no table %s of %s", bk_material_name(m, vf->v, name),
                       vf->v->name);
    if (err)
        return err;
    vf->ix = bk_file_index(vf->table->wdl);
    vf->distances = bk_table_promises_distances(vf->table);
    vf->results = bk_table_summed(vf->table);
    if (vf->distances && !vf->table->dtw)
        return bk_fail(why, BK_E_NO_TABLE, "%s: its distances are not there",
                       bk_file_path(vf->table->wdl));
    return BK_OK;
}

/* Forgets what the first walk has found, and makes the second one, of the files by the n-move rule;
   the positions that were looked at count once. */
static enum bk_err walk_again(struct verifier *vf, struct bk_report *why)
{
    uint64_t positions = vf->out->positions;
    enum bk_err err;

    memset(vf->found, 0, bk_pool_threads(vf->o->pool) * sizeof *vf->found);
    memset(&vf->out->counted, 0, sizeof vf->out->counted);
    vf->five = true;
    vf->results = vf->table->five;
    vf->distances = bk_file_info(vf->results)->distances;
    vf->done = 0;
    if (vf->distances && !vf->table->dtz)
        return bk_table_no_five(vf->table, why);
    verify_one_by_one(vf);
    err = sum_up(vf, why);
    vf->out->positions = positions;
    return err;
}

enum bk_err bk_verify(const struct bk_variant *v, const char *dir, const struct bk_material *m,
                      const struct bk_verify_options *o, struct bk_verify_result *out,
                      struct bk_report *why)
{
    struct verifier vf = { .v = v, .o = o, .out = out, .first_different = UINT64_MAX };
    bool done = false;
    enum bk_err err;

    memset(out, 0, sizeof *out);
    vf.found = calloc(bk_pool_threads(o->pool), sizeof *vf.found);
    if (!vf.found || pthread_mutex_init(&vf.lock, NULL)) {
        free(vf.found);
        return bk_fail(why, BK_E_SYSTEM, "out of memory");
    }
    err = bk_catalog_new(&vf.catalog, v, dir, why);
    if (!err) {
        vf.tables = (struct bk_tables){ .v = v,
                                        .find = bk_catalog_table,
                                        .open = bk_catalog_reopen,
                                        .context = vf.catalog,
                                        .cache = bk_catalog_cache(vf.catalog) };
        err = open_table(&vf, m, why);
    }
    if (!err) {
        share_out(&vf);
        if (vf.all == vf.ix->positions)
            err = verify_settled(&vf, m, &done, why);
        if (!err && !done)
            verify_one_by_one(&vf);
    }
    if (!err)
        err = sum_up(&vf, why);
    if (!err && vf.table->five)
        err = walk_again(&vf, why);
    bk_catalog_free(vf.catalog);
    pthread_mutex_destroy(&vf.lock);
    free(vf.found);
    return err;
}
