/*
 * verify.c - see verify.h.  One position at a time with the plain generator.
 */
#include "tb/verify.h"

#include <stdlib.h>
#include <string.h>

#include "core/move.h"
#include "core/rules.h"
#include "tb/build.h"

#define NEXT_MAX 1024
#define BATCH 4096

/* A material met after a move, and where its values are. */
struct known {
    struct bk_material m;
    const struct bk_memtable *t;
    bool exchanged;
    uint8_t swap[BK_SQ_MAX];
};

struct verifier {
    const struct bk_variant *v;
    const struct bk_verify_options *o;
    struct bk_memtable **table;
    unsigned ntables;
    const struct bk_memtable *main;
    bool distances;
    struct known *known; /* the main table first */
    unsigned nknown;
    uint64_t done;
    struct bk_verify_result *by_thread;
    uint64_t first_different; /* number * 2 + side of the first wrong one; under lock */
    int lock;
    struct bk_verify_result *out;
};

/* == Values of positions == */

static const struct known *known_for(const struct verifier *vf, const struct bk_pos *p)
{
    struct bk_material m;

    bk_material_of(&m, vf->v, p);
    for (unsigned i = 0; i < vf->nknown; i++)
        if (bk_material_equal(&vf->known[i].m, &m))
            return &vf->known[i];
    return NULL;
}

/* The men of a position as a table sees them. */
static void place(const struct known *k, const struct bk_pos *p, struct bk_placement *at)
{
    const struct bk_index *ix = k->t->ix;
    unsigned filled[BK_SLOTS_MAX] = { 0 };

    for (unsigned colour = 0; colour < 2; colour++) {
        struct bk_bits men = p->by[colour];
        unsigned as = k->exchanged ? !colour : colour;

        for (unsigned sq; (sq = bk_bits_pop(&men)) != BK_SQ_NONE;) {
            unsigned type = bk_man_type(p->at[sq]);
            uint8_t to = k->exchanged ? k->swap[sq] : (uint8_t)sq;
            int s;

            if (type == ix->v->royal) {
                at->king[as] = to;
                continue;
            }
            s = bk_index_slot(ix, type, as, to);
            at->sq[(unsigned)s + filled[s]++] = to;
        }
    }
}

static int table_score(const struct verifier *vf, const struct known *k, const struct bk_pos *p)
{
    struct bk_placement at;

    (void)vf;
    place(k, p, &at);
    return bk_code_score(bk_memtable_code(k->t, k->exchanged ? !p->stm : p->stm, at),
                         k->t->code_bytes);
}

static int score_of_end(int wdl) { return wdl * BK_SCORE_WIN; }

static int search(const struct verifier *vf, const struct bk_pos *p, bool *missing);

static bool can_take_in_passing(const struct bk_variant *v, const struct bk_pos *p)
{
    struct bk_move move[BK_MOVES_MAX];
    unsigned n = bk_moves_legal(v, p, move);

    for (unsigned i = 0; i < n; i++)
        if (move[i].takes != BK_SQ_NONE && move[i].takes != move[i].to &&
            move[i].also == BK_SQ_NONE && move[i].to == p->ep)
            return true;
    return false;
}

static int value(const struct verifier *vf, struct bk_pos *p, const struct known *k, bool *missing)
{
    int wdl;

    if (p->ep != BK_SQ_NONE) {
        if (can_take_in_passing(vf->v, p))
            return search(vf, p, missing);
        p->ep = BK_SQ_NONE;
    }
    if (!k) {
        if (bk_pos_bare(vf->v, p, &wdl) != BK_END_NONE)
            return score_of_end(wdl);
        k = known_for(vf, p);
        if (!k) {
            *missing = true;
            return 0;
        }
    }
    return table_score(vf, k, p);
}

/* What the best move brings, or what the end of the game is worth. */
static int search(const struct verifier *vf, const struct bk_pos *p, bool *missing)
{
    struct bk_move move[BK_MOVES_MAX];
    int best = -BK_SCORE_WIN - 1, wdl;
    unsigned n;

    if (bk_pos_bare(vf->v, p, &wdl) != BK_END_NONE)
        return score_of_end(wdl);
    n = bk_moves_legal(vf->v, p, move);
    if (!n)
        return bk_pos_end(vf->v, p, &wdl) == BK_END_NONE ? 0 : score_of_end(wdl);
    for (unsigned i = 0; i < n; i++) {
        struct bk_pos next = *p;
        bool quiet = move[i].takes == BK_SQ_NONE && move[i].becomes == BK_STAYS &&
                     p->ep == BK_SQ_NONE;
        int score;

        bk_pos_play(&next, vf->v, &move[i]);
        quiet = quiet && next.rights == p->rights;
        score = -value(vf, &next, quiet ? vf->known : NULL, missing);
        score -= (score > 0) - (score < 0); /* one ply further away */
        if (score > best)
            best = score;
    }
    return best;
}

/* == Comparing == */

static int sign(int x) { return (x > 0) - (x < 0); }

static void describe(const struct verifier *vf, int stored, int found, char out[160])
{
    static const char *const word[3] = { "loss", "draw", "win" };
    int plies[2] = { BK_SCORE_WIN - abs(stored), BK_SCORE_WIN - abs(found) };

    if (vf->distances)
        snprintf(out, 160, "file: %s in %d plies; by its moves: %s in %d plies",
                 word[sign(stored) + 1], stored ? plies[0] : 0, word[sign(found) + 1],
                 found ? plies[1] : 0);
    else
        snprintf(out, 160, "file: %s; by its moves: %s", word[sign(stored) + 1],
                 word[sign(found) + 1]);
}

static void note_difference(struct verifier *vf, uint64_t number, unsigned side,
                            const struct bk_pos *p, int stored, int found)
{
    while (__atomic_exchange_n(&vf->lock, 1, __ATOMIC_ACQUIRE))
        ;
    if (2 * number + side < vf->first_different) {
        vf->first_different = 2 * number + side;
        bk_pos_to_fen(p, vf->v, vf->out->first_fen);
        describe(vf, stored, found, vf->out->first_why);
    }
    __atomic_store_n(&vf->lock, 0, __ATOMIC_RELEASE);
}

static void count(const struct verifier *vf, struct bk_summary *s, unsigned side, uint64_t number,
                  const struct bk_placement *at, int score)
{
    const struct bk_index *ix = vf->main->ix;
    struct bk_placement turned = *at;
    int32_t block = bk_index_block(ix, &turned);
    const struct bk_pairs *pairs = ix->block[block].pairs;
    int32_t slice = pairs->slice[(size_t)at->king[0] * vf->v->nsq + at->king[1]];
    uint64_t images = (unsigned)__builtin_popcount(ix->group) /
                      (unsigned)__builtin_popcount(pairs->stabilizer[slice]);
    uint64_t first = bk_index_is_first(ix, number, at);

    if (score > 0) {
        s->win[side] += first;
        s->all_win[side] += images;
    } else if (score < 0) {
        s->loss[side] += first;
        s->all_loss[side] += images;
    } else {
        s->draw[side] += first;
        s->all_draw[side] += images;
    }
}

static void verify_number(struct verifier *vf, uint64_t number, struct bk_verify_result *r)
{
    struct bk_placement at;
    struct bk_pos p;

    bk_index_unrank(vf->main->ix, number, &at);
    if (!bk_index_position(vf->main->ix, &at, BK_WHITE, &p))
        return;
    for (unsigned side = 0; side < 2; side++) {
        int stored, found;
        bool missing = false;

        p.stm = (uint8_t)side;
        if (!bk_pos_legal(vf->v, &p))
            continue;
        r->positions++;
        stored = table_score(vf, vf->known, &p);
        found = search(vf, &p, &missing);
        if (!vf->distances) {
            stored = sign(stored) * (BK_SCORE_WIN - 1);
            found = sign(found) * (BK_SCORE_WIN - 1);
        }
        if (stored != found || missing) {
            r->different++;
            note_difference(vf, number, side, &p, stored, found);
        }
        if (!vf->o->sample)
            count(vf, &r->counted, side, number, &at, stored);
    }
}

static uint64_t mixed(uint64_t x) /* splitmix64 */
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static void verify_batch(void *context, uint64_t item, unsigned thread)
{
    struct verifier *vf = context;
    uint64_t positions = vf->main->ix->positions, all = vf->o->sample ? vf->o->sample : positions;
    uint64_t first = item * BATCH, n = all - first < BATCH ? all - first : BATCH, done;

    if (vf->o->stop && *vf->o->stop)
        return;
    for (uint64_t i = first; i < first + n; i++)
        verify_number(vf, vf->o->sample ? mixed(mixed(vf->o->seed) + i) % positions : i,
                      &vf->by_thread[thread]);
    done = __atomic_add_fetch(&vf->done, n, __ATOMIC_RELAXED);
    if (thread == 0 && vf->o->progress)
        vf->o->progress(vf->o->context, done, all);
}

/* == Setting up == */

static enum bk_err learn(struct verifier *vf, const char *dir, const struct bk_material *m,
                         struct bk_report *why)
{
    struct known *k = &vf->known[vf->nknown];
    struct bk_material own = *m;
    int swap;

    for (unsigned i = 0; i < vf->nknown; i++)
        if (bk_material_equal(&vf->known[i].m, m))
            return BK_OK;
    if (bk_material_by_rule(m, vf->v))
        return BK_OK;
    k->m = *m;
    k->exchanged = bk_material_canonical(&own, vf->v);
    swap = bk_material_swap(&own, vf->v);
    bk_symmetry_map(vf->v, swap > 0 ? (unsigned)swap : 0, k->swap);
    for (unsigned i = 0; i < vf->ntables; i++)
        if (bk_material_equal(&vf->table[i]->ix->m, &own))
            k->t = vf->table[i];
    if (!k->t) {
        enum bk_err err = bk_load(&vf->table[vf->ntables], vf->v, dir, &own, vf->distances, false,
                                  NULL, vf->o->pool, why);

        if (err)
            return err;
        k->t = vf->table[vf->ntables++];
    }
    vf->nknown++;
    return BK_OK;
}

/* Replies to a double step reach two moves away: en passant. */
static enum bk_err learn_all(struct verifier *vf, const char *dir, const struct bk_material *m,
                             struct bk_report *why)
{
    struct bk_material *next = malloc(NEXT_MAX * sizeof *next);
    enum bk_err err;
    unsigned n;

    if (!next)
        return bk_fail(why, BK_E_SYSTEM, "out of memory");
    n = bk_material_next(m, vf->v, next, NEXT_MAX);
    vf->known = calloc(n + 1, sizeof *vf->known);
    vf->table = calloc(n + 1, sizeof *vf->table);
    err = vf->known && vf->table ? learn(vf, dir, m, why)
                                 : bk_fail(why, BK_E_SYSTEM, "out of memory");
    for (unsigned i = 0; !err && i < n; i++)
        err = learn(vf, dir, &next[i], why);
    free(next);
    return err;
}

static bool same_counts(const struct bk_summary *a, const struct bk_summary *b)
{
    return !memcmp(a->win, b->win, sizeof a->win) && !memcmp(a->draw, b->draw, sizeof a->draw) &&
           !memcmp(a->loss, b->loss, sizeof a->loss) &&
           !memcmp(a->all_win, b->all_win, sizeof a->all_win) &&
           !memcmp(a->all_draw, b->all_draw, sizeof a->all_draw) &&
           !memcmp(a->all_loss, b->all_loss, sizeof a->all_loss);
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
    }
}

enum bk_err bk_verify(const struct bk_variant *v, const char *dir, const struct bk_material *m,
                      const struct bk_verify_options *o, struct bk_verify_result *out,
                      struct bk_report *why)
{
    struct verifier vf = { .v = v, .o = o, .out = out, .first_different = UINT64_MAX };
    unsigned threads = bk_pool_threads(o->pool);
    struct bk_summary said;
    struct bk_file *f;
    char path[4096];
    uint64_t all;
    enum bk_err err = bk_file_open(&f, bk_table_path(path, dir, v, m, BK_KIND_WDL), v, why);

    memset(out, 0, sizeof *out);
    if (err)
        return err;
    vf.distances = bk_file_info(f)->distances;
    said = bk_file_info(f)->summary;
    bk_file_close(f);
    err = learn_all(&vf, dir, m, why);
    if (!err && !(vf.by_thread = calloc(threads, sizeof *vf.by_thread)))
        err = bk_fail(why, BK_E_SYSTEM, "out of memory");
    if (!err) {
        vf.main = vf.known[0].t;
        all = o->sample ? o->sample : vf.main->ix->positions;
        bk_pool_run(o->pool, (all + BATCH - 1) / BATCH, verify_batch, &vf);
        for (unsigned i = 0; i < threads; i++)
            add_up(out, &vf.by_thread[i]);
        out->counts_agree = o->sample || same_counts(&out->counted, &said);
        if (o->stop && *o->stop)
            err = bk_fail(why, BK_E_SYSTEM, "interrupted");
        else if (out->different)
            err = bk_fail(why, BK_E_DIFFERS, "%s: %llu of %llu positions are wrong; first: %s (%s)",
                          path, (unsigned long long)out->different,
                          (unsigned long long)out->positions, out->first_fen, out->first_why);
        else if (!out->counts_agree)
            err = bk_fail(why, BK_E_DIFFERS, "%s: the counts of the header are wrong", path);
    }
    for (unsigned i = 0; i < vf.ntables; i++)
        bk_memtable_free(vf.table[i]);
    free(vf.table);
    free(vf.known);
    free(vf.by_thread);
    return err;
}
