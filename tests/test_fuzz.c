/*
 * test_fuzz.c - games nobody has played, solved twice.
 *
 *   test_fuzz [N [SEED [FEN]]]   N random cases (100) from SEED (1) on; with a
 *                                FEN, what both solvers say of it in each
 *
 * A case is a random game and material.  The fast solver makes its table and
 * every table that one can lead to; the slow one of tests/ref.c solves the same;
 * then all positions of both sides are compared: legality, win, draw or loss,
 * and distance.  How the fast solver runs (instruction set, width of a set,
 * threads, with or without distances) is drawn too.
 *
 * The first difference ends the run with the game, the position, both values
 * and the line that replays the case: test_fuzz 1 SEED.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/geometry.h"
#include "core/move.h"
#include "tb/solve.h"
#include "tests/random_variant.h"
#include "tests/ref.h"

#define NODES_MAX 400000 /* of the slow solver, all materials of a case together */
#define SAMPLES 300      /* positions of each smaller material */

/* == One case == */

struct setting {
    const char *kernel;
    const char *set_bits;
    unsigned threads;
    bool distances;
    unsigned k_max; /* longer distances take two bytes */
};

struct fuzz {
    uint64_t seed; /* of the case: what replays it */
    uint64_t state;
    struct bk_variant v;
    uint8_t count[2][BK_TYPES_MAX];
    uint8_t rights; /* castling rights of the material being compared */
    struct setting how;
    struct bk_memtable **table;
    struct bk_tally *tally;
    unsigned ntables;
    struct bk_pool *pool;
    struct ref_table *ref;
    const char *fen;   /* asked for, or NULL */
    uint64_t compared; /* positions, over all cases */
    uint64_t castling; /* cases with castling rights compared */
};

static void *grow(void *old, size_t n, size_t size)
{
    void *p = realloc(old, n * size);

    if (!p) {
        fprintf(stderr, "test_fuzz: out of memory\n");
        exit(2);
    }
    return p;
}

static void describe(const struct fuzz *f)
{
    printf("replay: test_fuzz 1 %llu\n", (unsigned long long)f->seed);
    printf("kernel %s, sets of %s bits, %u threads, %s, one byte up to %u\n", f->how.kernel,
           f->how.set_bits, f->how.threads,
           f->how.distances ? "with distances" : "without distances", f->how.k_max);
    variant_print_ini(stdout, &f->v, (const uint8_t(*)[BK_TYPES_MAX])f->count);
}

/* == The fast solver: a material and all it can lead to, in memory == */

static const struct bk_memtable *find_table(void *context, const struct bk_material *m)
{
    struct fuzz *f = context;

    for (unsigned i = 0; i < f->ntables; i++)
        if (bk_material_equal(&f->table[i]->ix->m, m))
            return f->table[i];
    return NULL;
}

static bool solve_all(struct fuzz *f, struct bk_material m, struct bk_report *why);

static bool solve_next(struct fuzz *f, const struct bk_material *m, struct bk_report *why)
{
    unsigned n = bk_material_next(m, &f->v, NULL, 0);
    struct bk_material *next = grow(NULL, n + 1, sizeof *next);
    bool ok = true;

    n = bk_material_next(m, &f->v, next, n);
    for (unsigned i = 0; ok && i < n; i++)
        ok = solve_all(f, next[i], why);
    free(next);
    return ok;
}

/* Solves what `m` can lead to, then `m`. */
static bool solve_all(struct fuzz *f, struct bk_material m, struct bk_report *why)
{
    struct bk_solve_job job = { .distances = f->how.distances, .k_max = f->how.k_max,
                                .find = find_table, .find_context = f, .pool = f->pool };
    struct bk_tally tally;

    memset(&tally, 0, sizeof tally);
    bk_material_canonical(&m, &f->v);
    if (find_table(f, &m))
        return true;
    if (!bk_material_by_rule(&m, &f->v) && !solve_next(f, &m, why))
        return false;
    if (bk_memtable_new(&job.t, &f->v, &m, why))
        return false;
    if (!job.t->by_rule && bk_solve_table(&job, &tally, why)) {
        bk_memtable_free(job.t);
        return false;
    }
    f->table = grow(f->table, f->ntables + 1, sizeof(struct bk_memtable *));
    f->tally = grow(f->tally, f->ntables + 1, sizeof *f->tally);
    f->tally[f->ntables] = tally;
    f->table[f->ntables++] = job.t;
    return true;
}

/* == Asking the fast solver == */

/* The position with the colours exchanged and the board turned by `sym`. */
static struct bk_pos exchanged(const struct bk_variant *v, const struct bk_pos *p, int sym)
{
    uint8_t map[BK_SQ_MAX];
    struct bk_pos q;

    bk_symmetry_map(v, (unsigned)sym, map);
    bk_pos_init(&q, v);
    for (unsigned sq = 0; sq < v->nsq; sq++)
        if (p->at[sq])
            bk_pos_put(&q, v, bk_man_type(p->at[sq]), !bk_man_colour(p->at[sq]), map[sq]);
    q.stm = !p->stm;
    q.rights = (uint8_t)((p->rights & 3) << 2 | p->rights >> 2);
    return q;
}

/* BK_SCORE_NONE: illegal. */
static int fast_score(struct fuzz *f, const struct bk_pos *p)
{
    struct bk_material m;
    const struct bk_memtable *t;
    struct bk_pos q = *p;
    struct bk_placement at;
    int wdl;

    if (!bk_pos_legal(&f->v, p))
        return BK_SCORE_NONE;
    if (bk_pos_bare(&f->v, p, &wdl) != BK_END_NONE)
        return wdl * BK_SCORE_WIN;
    bk_material_of(&m, &f->v, p);
    if (bk_material_canonical(&m, &f->v))
        q = exchanged(&f->v, p, bk_material_swap(&m, &f->v));
    t = find_table(f, &m);
    if (!t || t->by_rule || !bk_index_place(t->ix, &q, &at)) {
        printf("no table for a position\n");
        return BK_SCORE_NONE - 1;
    }
    return bk_code_score(bk_memtable_code(t, q.stm, at), t->code_bytes);
}

/* == Comparing == */

/* The material asked for, with all its allowances, in its table's colours. */
static bool material_of(const struct fuzz *f, struct bk_material *m)
{
    memset(m, 0, sizeof *m);
    memcpy(m->count, f->count, sizeof m->count);
    memcpy(m->left[0], f->v.limit, sizeof m->left[0]);
    memcpy(m->left[1], f->v.limit, sizeof m->left[1]);
    m->rights = f->rights;
    bk_material_normalise(m, &f->v);
    return bk_material_canonical(m, &f->v);
}

static int slow_score(bool legal, const struct ref_value *value)
{
    if (!legal)
        return BK_SCORE_NONE;
    return value->wdl * (BK_SCORE_WIN - value->dtw);
}

static int without_distance(int score)
{
    return score < -BK_SCORE_WIN ? score : (score > 0) - (score < 0); /* illegal stays so */
}

static struct bk_pos from_ref(const struct bk_variant *v, const struct ref_pos *r)
{
    struct bk_pos p;

    bk_pos_init(&p, v);
    memcpy(p.left, r->left, sizeof p.left);
    p.stm = r->stm;
    p.rights = r->rights;
    for (unsigned sq = 0; sq < v->nsq; sq++)
        if (r->at[sq])
            bk_pos_put(&p, v, (unsigned)(abs(r->at[sq]) - 1), r->at[sq] < 0, sq);
    return p;
}

static struct ref_pos to_ref(const struct bk_variant *v, const struct bk_pos *p)
{
    struct ref_pos r;

    ref_pos_init(v, &r);
    memcpy(r.left, p->left, sizeof r.left);
    r.stm = p->stm;
    r.ep = p->ep;
    r.rights = p->rights;
    for (unsigned sq = 0; sq < v->nsq; sq++)
        if (p->at[sq]) {
            int code = (int)bk_man_type(p->at[sq]) + 1;

            r.at[sq] = (int8_t)(bk_man_colour(p->at[sq]) ? -code : code);
        }
    return r;
}

static void print_score(const char *who, int score)
{
    if (score == BK_SCORE_NONE)
        printf("  %s: illegal", who);
    else if (!score)
        printf("  %s: draw", who);
    else
        printf("  %s: %s in %d", who, score > 0 ? "win" : "loss", BK_SCORE_WIN - abs(score));
}

/* What both say of a position and of those one move on; tells where to look. */
static void print_both(struct fuzz *f, const struct bk_pos *p)
{
    struct ref_pos r = to_ref(&f->v, p);
    struct ref_value value = { 0, 0 };
    bool legal = ref_value(f->ref, &r, &value);
    struct bk_pos plain = *p;

    plain.ep = BK_SQ_NONE;
    print_score("fast", fast_score(f, &plain));
    print_score("slow", slow_score(legal, &value));
    printf("%s\n", p->ep != BK_SQ_NONE ? " (fast: not asked for en passant)" : "");
}

static void print_moves(struct fuzz *f, const struct bk_pos *p)
{
    struct bk_move move[BK_MOVES_MAX];
    unsigned n = bk_moves_legal(&f->v, p, move);

    for (unsigned i = 0; i < n; i++) {
        struct bk_pos after = *p;
        char name[16];

        bk_pos_play(&after, &f->v, &move[i]);
        printf("  %-10s", bk_move_name(&f->v, &move[i], name));
        print_both(f, &after);
    }
}

static bool same(struct fuzz *f, const struct bk_pos *p, int slow)
{
    int fast = fast_score(f, p);
    char fen[BK_FEN_MAX];

    f->compared++;
    if (!f->how.distances && without_distance(fast) == without_distance(slow))
        return true;
    if (f->how.distances && fast == slow)
        return true;
    printf("\nDIFFERENCE at %s\n", bk_pos_to_fen(p, &f->v, fen));
    print_score("fast", fast);
    print_score("slow", slow);
    printf("\n");
    print_moves(f, p);
    return false;
}

static void answer(struct fuzz *f)
{
    struct bk_report why = { "" };
    struct bk_pos p;

    if (bk_pos_from_fen(&p, &f->v, f->fen, &why)) {
        printf("%s\n", why.text);
        return;
    }
    printf("%s\n  itself    ", f->fen);
    print_both(f, &p);
    print_moves(f, &p);
}

/* Is every man at home whom the rights being compared keep there? */
static bool has_rights(const struct fuzz *f, const struct ref_pos *r)
{
    for (unsigned right = 0; right < 4; right++)
        for (unsigned rook = 0; rook < 2 && f->rights >> right & 1; rook++) {
            unsigned sq = rook ? bk_right_home(&f->v, right) : bk_right_king(&f->v, right);
            int code = (rook ? f->v.castling.rook : f->v.royal) + 1;

            if (r->at[sq] != (right / 2 ? -code : code))
                return false;
        }
    return true;
}

/* The slow solver's list holds each placement of the material once. */
static bool compare_all(struct fuzz *f, uint64_t sum[2][3])
{
    uint64_t n = ref_size(f->ref);

    for (uint64_t i = 0; i < n; i++) {
        struct ref_value value = { 0, 0 };
        struct ref_pos r;
        bool legal = ref_at(f->ref, i, &r, &value);
        struct bk_pos p;
        unsigned men = 0;

        if (f->rights) {
            if (!legal || !has_rights(f, &r))
                continue;
            r.rights = f->rights;
            if (!ref_value(f->ref, &r, &value)) {
                sum[0][0] = UINT64_MAX; /* more than the slow one may solve */
                return true;
            }
        }
        if (legal)
            sum[r.stm][value.wdl + 1]++;
        for (unsigned sq = 0; sq < f->v.nsq; sq++)
            men += r.at[sq] != 0;
        p = from_ref(&f->v, &r);
        for (unsigned c = 0; c < 2; c++)
            for (unsigned t = 0; t < f->v.ntypes; t++)
                men -= f->count[c][t];
        if (men == 0 && !same(f, &p, slow_score(legal, &value)))
            return false;
    }
    return true;
}

/* Some positions of every table, as the index numbers them. */
static bool compare_samples(struct fuzz *f, const struct bk_memtable *t)
{
    uint64_t n = t->ix->positions;

    for (unsigned i = 0; i < SAMPLES && n; i++) {
        uint64_t number = n <= SAMPLES / 2 ? i / 2 : random_next(&f->state) % n;
        struct ref_value value = { 0, 0 };
        struct bk_placement at;
        struct ref_pos r;
        struct bk_pos p;
        bool legal;

        if (number >= n)
            break;
        bk_index_unrank(t->ix, number, &at);
        if (!bk_index_position(t->ix, &at, i & 1, &p))
            continue;
        r = to_ref(&f->v, &p);
        legal = ref_value(f->ref, &r, &value);
        if (!legal && bk_pos_legal(&f->v, &p))
            continue; /* more than the slow one may solve */
        if (!same(f, &p, slow_score(legal, &value)))
            return false;
    }
    return true;
}

/* What the table counts: all placements, and one for each class of mirrored ones. */
static bool compare_counts(struct fuzz *f, uint64_t sum[2][3])
{
    struct bk_material m;
    const struct bk_memtable *t;
    const struct bk_tally *y = f->tally;
    uint64_t classes[2] = { 0, 0 };
    bool swap = material_of(f, &m), ok = true;

    t = find_table(f, &m);
    if (!t || t->by_rule)
        return t != NULL;
    while (f->table[y - f->tally] != t)
        y++;
    for (uint64_t i = 0; i < t->ix->positions; i++)
        for (unsigned stm = 0; stm < 2; stm++) {
            struct bk_placement at;
            struct bk_pos p;

            bk_index_unrank(t->ix, i, &at);
            classes[stm] += bk_index_is_first(t->ix, i, &at) &&
                            bk_index_position(t->ix, &at, stm, &p) && bk_pos_legal(&f->v, &p);
        }
    for (unsigned stm = 0; stm < 2; stm++) {
        ok = ok && y->all_loss[stm] == sum[stm ^ swap][0] &&
             y->all_draw[stm] == sum[stm ^ swap][1] && y->all_win[stm] == sum[stm ^ swap][2];
        ok = ok && y->win[stm] + y->draw[stm] + y->loss[stm] == classes[stm];
        if (!ok) {
            printf("\nDIFFERENCE in counts, %s to move (colours exchanged: %d)\n",
                   stm ? "black" : "white", swap);
            printf("fast, all: %llu %llu %llu, classes %llu %llu %llu\n",
                   (unsigned long long)y->all_win[stm], (unsigned long long)y->all_draw[stm],
                   (unsigned long long)y->all_loss[stm], (unsigned long long)y->win[stm],
                   (unsigned long long)y->draw[stm], (unsigned long long)y->loss[stm]);
            printf("slow, all: %llu %llu %llu, classes together %llu\n",
                   (unsigned long long)sum[stm ^ swap][2], (unsigned long long)sum[stm ^ swap][1],
                   (unsigned long long)sum[stm ^ swap][0], (unsigned long long)classes[stm]);
            return false;
        }
    }
    return true;
}

/* == Drawing == */

/* What is rare is looked for in part of the cases. */
enum focus { TAKES_TWICE, ALLOWANCES, PASSING, ZONES, IN_PLACE, CASTLING, FOCUSES };

static bool type_shows(const struct bk_variant *v, unsigned type, enum focus focus)
{
    const struct bk_piece *p = &v->piece[type];
    bool yes = false;

    switch (focus) {
    case TAKES_TWICE: return bk_rules_takes_twice(v, type);
    case PASSING:     return v->en_passant && p->double_ranks;
    case ZONES:       return p->zone_ranks;
    case CASTLING:    return v->castling.allowed && type == v->castling.rook;
    case ALLOWANCES:
        for (unsigned i = 0; i < p->nbecomes; i++)
            yes = yes || p->become[i].counted;
        return yes;
    case IN_PLACE:
        return bk_rules_changes_in_place(v, type);
    default:
        return true;
    }
}

/* Has a side, or have both for PASSING, such a man? */
static bool shows(const struct fuzz *f, enum focus focus)
{
    bool side[2] = { false, false };

    for (unsigned c = 0; c < 2; c++)
        for (unsigned t = 0; t < f->v.ntypes; t++)
            side[c] = side[c] || (f->count[c][t] && type_shows(&f->v, t, focus));
    return focus == PASSING ? side[0] && side[1] : side[0] || side[1];
}

static void draw_variant(struct fuzz *f)
{
    static const unsigned squares[] = { 12, 16, 20, 30 };
    struct random_opts opts = { RANDOM_ALL, squares[random_below(&f->state, 4)] };

    if (random_once_in(&f->state, 4))
        opts.features = (unsigned)random_next(&f->state) & RANDOM_ALL;
    random_variant(&f->v, &f->state, &opts);
}

static void finish_variant(struct fuzz *f)
{
    struct bk_report why = { "" };

    if (!bk_variant_finish(&f->v, &why))
        return;
    printf("refused: %s\n", why.text);
    describe(f);
    exit(1);
}

static bool draw_material(struct fuzz *f, enum focus focus)
{
    unsigned men = 3 + random_below(&f->state, 4);
    unsigned a = random_below(&f->state, 9), b = random_below(&f->state, 9);
    uint64_t room = UINT64_C(256) << (a < b ? a : b); /* small ones are as good, and more */
    struct bk_material m;

    if (!random_material(&f->v, &f->state, men, room, f->count))
        return false;
    material_of(f, &m);
    return shows(f, focus) &&
           (!bk_material_by_rule(&m, &f->v) || random_once_in(&f->state, 64));
}

/* A game and a material that the slow solver can manage. */
static void draw_game(struct fuzz *f)
{
    enum focus focus = random_below(&f->state, 2 * FOCUSES);

    for (unsigned games = 0;; games++) {
        draw_variant(f);
        for (unsigned tries = 0; tries < 4; tries++) {
            if (!draw_material(f, games < 1000 ? focus : FOCUSES))
                continue;
            f->ref = ref_solve(&f->v, (const uint8_t(*)[BK_TYPES_MAX])f->count, NULL, NODES_MAX);
            if (f->ref) {
                finish_variant(f);
                return;
            }
        }
    }
}

static void draw_setting(struct fuzz *f)
{
    static const char *const kernels[] = { "portable", "avx2", "avx512" };
    static const char *const bits[] = { "64", "128", "256" };

    f->how.kernel = kernels[random_below(&f->state, 3)];
    f->how.set_bits = bits[random_below(&f->state, 3)];
    f->how.threads = random_once_in(&f->state, 4) ? 2 : 1;
    f->how.distances = !random_once_in(&f->state, 5);
    f->how.k_max = random_once_in(&f->state, 4) ? 1 + random_below(&f->state, 8) : BK_CODE_K_MAX;
    setenv("BAREKING_KERNEL", f->how.kernel, 1);
    setenv("BAREKING_SET_BITS", f->how.set_bits, 1);
}

/* Draws castling rights that the men allow, rather many than few; none if they allow none. */
static void draw_rights(struct fuzz *f)
{
    struct bk_material m;

    for (unsigned tries = 0; tries < 32 && f->v.castling.allowed; tries++) {
        f->rights = (uint8_t)(random_next(&f->state) & 15);
        if (tries < 8)
            f->rights |= (uint8_t)(random_next(&f->state) & 15);
        material_of(f, &m);
        if (f->rights && __builtin_popcount(m.rights) == __builtin_popcount(f->rights))
            return;
    }
    f->rights = 0;
}

static bool solve_it(struct fuzz *f)
{
    struct bk_report why = { "" };
    struct bk_material m;

    material_of(f, &m);
    if (solve_all(f, m, &why))
        return true;
    printf("\nnot solved: %s\n", why.text);
    return false;
}

/* The same men with castling rights: a table of its own. */
static bool check_rights(struct fuzz *f, uint8_t rights)
{
    uint64_t sum[2][3] = { { 0 } };

    f->rights = rights;
    if (!rights)
        return true;
    if (!compare_all(f, sum) || (sum[0][0] != UINT64_MAX && !compare_counts(f, sum)))
        return false;
    f->castling += sum[0][0] != UINT64_MAX;
    return true;
}

static bool check(struct fuzz *f)
{
    uint64_t sum[2][3] = { { 0 } };
    uint8_t rights;

    draw_rights(f);
    rights = f->rights;
    if (!solve_it(f))
        return false;
    f->rights = 0;
    if (!solve_it(f))
        return false;
    if (f->fen)
        answer(f);
    if (!compare_all(f, sum) || !compare_counts(f, sum) || !check_rights(f, rights))
        return false;
    for (unsigned i = 0; i < f->ntables; i++)
        if (!compare_samples(f, f->table[i]))
            return false;
    return true;
}

static bool run_case(struct fuzz *f, uint64_t seed)
{
    struct bk_report why = { "" };
    bool ok;

    f->seed = f->state = seed;
    f->state = random_next(&f->state);
    f->ref = NULL;
    f->rights = 0;
    f->ntables = 0;
    draw_setting(f);
    if (bk_pool_open(&f->pool, f->how.threads, &why)) {
        fprintf(stderr, "test_fuzz: %s\n", why.text);
        exit(2);
    }
    draw_game(f);
    ok = check(f);
    if (!ok)
        describe(f);
    for (unsigned i = 0; i < f->ntables; i++)
        bk_memtable_free(f->table[i]);
    ref_free(f->ref);
    bk_pool_close(f->pool);
    bk_geometry_free(f->v.geometry);
    f->v.geometry = NULL;
    return ok;
}

int main(int argc, char **argv)
{
    unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 100;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    struct fuzz f = { .fen = argc > 3 ? argv[3] : NULL };
    time_t begin = time(NULL), told = begin;
    bool ok = true;

    printf("fuzz: %lu cases from seed %llu\n", n, (unsigned long long)seed);
    for (unsigned long i = 0; ok && i < n; i++) {
        ok = run_case(&f, seed + i);
        if (time(NULL) - told >= 10) {
            told = time(NULL);
            printf("fuzz: %lu of %lu, %llu positions, %ld s\n", i + 1, n,
                   (unsigned long long)f.compared, (long)(told - begin));
            fflush(stdout);
        }
    }
    free(f.table);
    free(f.tally);
    if (!ok)
        return 1;
    printf("fuzz: %lu cases (%llu with castling rights), no difference\n", n,
           (unsigned long long)f.castling);
    return 0;
}
