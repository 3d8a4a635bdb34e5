/*
 * test_nmove.c - the n-move rule: which moves zero the counter, and that one number, the distance
 * to zeroing, decides a position at every counter.
 */
#include <stdlib.h>
#include <string.h>

#include "core/attack.h"
#include "core/check.h"
#include "core/finish.h"
#include "core/geometry.h"
#include "core/move.h"
#include "table/catalog.h"
#include "table/index_new.h"
#include "tb/make/build.h"
#include "tests/given.h"
#include "tests/proof.h"
#include "tests/random_variant.h"
#include "tests/ref.h"
#include "tests/ref_board.h"
#include "tests/solved.h"
#include "tests/variant_ini.h"

/* == Zeroing moves == */

/* Does the move of this name zero, by the plain generator and by the slow solver? */
static bool zeroes(const struct bk_variant *v, const char *fen, const char *name)
{
    struct bk_report why = { "" };
    struct bk_pos p;
    struct bk_move m;
    struct ref_pos slow;
    struct ref_moves moves = { 0 };
    bool found = false, by_ref = false;

    if (bk_pos_from_fen(&p, v, fen, &why) || bk_move_read(&m, v, &p, name, strlen(name), 1, &why))
        fail_msg("%s: %s: %s", fen, name, why.text);
    assert_true(ref_from_fen(v, fen, &slow));
    ref_moves(v, &slow, &moves);
    for (unsigned i = 0; i < moves.n; i++) {
        char text[16];

        ref_move_text(v, &moves.move[i], text);
        if (strcmp(text, name))
            continue;
        found = true;
        by_ref = ref_zeroes(v, &slow, &moves.move[i]);
    }
    ref_moves_free(&moves);
    assert_true(found);
    assert_int_equal(bk_move_zeroes(v, &p, &m), by_ref);
    return by_ref;
}

static void nmove__captures_and_pawn_moves_zero(void **state)
{
    struct bk_variant *v = load("chess");

    (void)state;
    assert_int_equal(bk_rules_nmove(v), 100);
    assert_true(zeroes(v, "4k3/8/8/3p4/4P3/8/8/R3K2R w KQ - 0 1", "e4e5"));
    assert_true(zeroes(v, "4k3/8/8/3p4/4P3/8/8/R3K2R w KQ - 0 1", "e4d5"));
    assert_true(zeroes(v, "4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8=Q"));
    assert_true(zeroes(v, "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6"));
    assert_false(zeroes(v, "4k3/8/8/3p4/4P3/8/8/R3K2R w KQ - 0 1", "e1g1"));
    assert_false(zeroes(v, "4k3/8/8/3p4/4P3/8/8/R3K2R w KQ - 0 1", "a1a2"));
    bk_variant_free(v);
}

static const char sitting[] = "[variant]\nname = small\nboard = 4x5\nbare-king = wins\nn-move = 5\n"
                              "zeroing = captures + irreversible\n"
                              "[piece king]\nletter = K\nroyal = yes\nmove = K\n"
                              "[piece rook]\nletter = R\nmove = R\narmy = 1\n"
                              "[piece pawn]\nletter = P\nmove = mfWcfF\nranks = 2-5\nzone-ranks = "
                              "5\nzone-move = sW\narmy = 2\n"
                              "becomes = 5 may lost in-place R\n";

/* A pawn that sits steps to and fro: that zeroes nothing, all else it does zeroes. */
static void nmove__shuffling_zeroes_nothing(void **state)
{
    struct bk_variant *v = parse(sitting);

    (void)state;
    assert_true(zeroes(v, "P2k/4/P3/4/3K w", "a3a4"));
    assert_false(zeroes(v, "P2k/4/P3/4/3K w", "a5b5"));
    assert_true(zeroes(v, "P2k/4/P3/4/3K w", "a5a5=R"));
    assert_true(zeroes(v, "P2k/4/P3/4/3K w", "a5b5=R"));
    assert_false(zeroes(v, "3k/4/4/4/R2K w", "a1a2"));
    bk_variant_free(v);
}

/* == The law of the counter == */

/*
 * A game of positions and moves between them, found from a material, each with its slow value.
 * The law: won at counter c if and only if won at all, and d + c <= N.
 */
enum { POSITIONS_MAX = 30000, MOVES_ALL_MAX = 1000000, HASH = 1 << 17, PLIES_MAX = 12 };

struct game {
    const struct bk_variant *v;
    struct ref_table *slow;
    struct ref_pos pos[POSITIONS_MAX];
    unsigned nknown;                      /* of n, when it was solved */
    unsigned n, first[POSITIONS_MAX + 1]; /* moves of position i: first[i] .. first[i + 1] - 1 */
    unsigned to[MOVES_ALL_MAX], nmoves;
    bool zero[MOVES_ALL_MAX], over[POSITIONS_MAX];
    struct ref_value value[POSITIONS_MAX];
    int8_t at[POSITIONS_MAX][PLIES_MAX + 1]; /* result by counter, solved state by state */
    unsigned hash[HASH];                     /* number + 1 */
    uint64_t states, drawn_by_rule;
};

static unsigned hash_of(const struct ref_pos *p)
{
    const unsigned char *b = (const unsigned char *)p;
    unsigned x = 2166136261u;

    for (size_t i = 0; i < sizeof *p; i++)
        x = (x ^ b[i]) * 16777619u;
    return x >> 15;
}

/* Returns the number of a position, new or not; -1: there are too many. */
static int number_of(struct game *g, const struct ref_pos *p)
{
    unsigned k = hash_of(p);

    for (; g->hash[k]; k = (k + 1) % HASH)
        if (!memcmp(&g->pos[g->hash[k] - 1], p, sizeof *p))
            return (int)g->hash[k] - 1;
    if (g->n == POSITIONS_MAX)
        return -1;
    g->pos[g->n] = *p;
    g->hash[k] = ++g->n;
    return (int)g->n - 1;
}

static bool add_moves(struct game *g, unsigned i, const struct ref_moves *moves)
{
    for (unsigned j = 0; j < moves->n; j++) {
        struct ref_pos after = g->pos[i];
        int to;

        ref_apply(g->v, &after, &moves->move[j]);
        to = number_of(g, &after);
        if (to < 0 || g->nmoves == MOVES_ALL_MAX)
            return false;
        g->zero[g->nmoves] = ref_zeroes(g->v, &g->pos[i], &moves->move[j]);
        g->to[g->nmoves++] = (unsigned)to;
    }
    return true;
}

/* Lists position i's value and moves.  False: too many. */
static bool add_position(struct game *g, unsigned i)
{
    struct ref_moves moves = { 0 };
    bool ok = true;

    g->first[i] = g->nmoves;
    if (!ref_value(g->slow, &g->pos[i], &g->value[i]))
        return false;
    ref_moves(g->v, &g->pos[i], &moves);
    g->over[i] = !moves.n || (g->value[i].wdl && !g->value[i].dtw) ||
                 (!count_others(g->v, &g->pos[i], 0) && !count_others(g->v, &g->pos[i], 1)) ||
                 (g->v->bare != BK_BARE_NOTHING &&
                  (!count_others(g->v, &g->pos[i], 0) || !count_others(g->v, &g->pos[i], 1)));
    if (!g->over[i])
        ok = add_moves(g, i, &moves);
    ref_moves_free(&moves);
    g->first[i + 1] = g->nmoves;
    return ok;
}

static bool list_game(struct game *g)
{
    struct ref_value value;
    struct ref_pos p;

    g->n = g->nmoves = 0;
    memset(g->hash, 0, sizeof g->hash);
    for (uint64_t i = 0; i < ref_size(g->slow); i++) {
        memset(&p, 0, sizeof p);
        if (ref_at(g->slow, i, &p, &value) && number_of(g, &p) < 0)
            return false;
    }
    for (unsigned i = 0; i < g->n; i++)
        if (!add_position(g, i))
            return false;
    return true;
}

/* Solves position and counter together, until nothing changes. */
static void solve_states(struct game *g)
{
    unsigned n = g->v->nmove.plies;
    bool changed = true;

    for (unsigned i = 0; i < g->n; i++)
        for (unsigned c = 0; c <= n; c++)
            g->at[i][c] = g->over[i] ? g->value[i].wdl : 0;
    while (changed) {
        changed = false;
        for (unsigned i = 0; i < g->n; i++)
            for (unsigned c = 0; c < n && !g->over[i]; c++) {
                int best = -1;

                for (unsigned m = g->first[i]; m < g->first[i + 1]; m++) {
                    int result = -g->at[g->to[m]][g->zero[m] ? 0 : c + 1];

                    best = result > best ? result : best;
                }
                changed |= best != g->at[i][c];
                g->at[i][c] = (int8_t)best;
            }
    }
}

static void check_law(struct game *g, unsigned long long seed)
{
    unsigned n = g->v->nmove.plies;

    for (unsigned i = 0; i < g->n; i++)
        for (unsigned c = 0; c <= n; c++) {
            const struct ref_value *x = &g->value[i];
            int law = g->over[i] || x->dtw + c <= n ? x->wdl : 0;

            g->states++;
            g->drawn_by_rule += x->wdl && !law;
            if (law != g->at[i][c])
                fail_msg("game %llu: wdl %d d %u at counter %u of %u: %d", seed, x->wdl, x->dtw, c,
                         n, g->at[i][c]);
        }
}

/* == Solved == */

/* The fast solver's options, drawn for a game. */
static struct solved_options draw_options(uint64_t *state)
{
    static const char *const kernels[] = { "portable", "avx2", "avx512" };
    static const char *const bits[] = { "64", "128", "256" };
    struct solved_options o = { .distances = true, .zeroing = true };

    o.k_max = random_once_in(state, 3) ? 1 + random_below(state, 8) : 0;
    o.groups = (const enum bk_strategy[]){ 0, BK_GROUPS, BK_WIDE }[random_below(state, 3)];
    o.ledger = !o.groups && random_once_in(state, 2);
    o.sets_bytes = o.ledger && random_once_in(state, 2) ? 1 : 0;
    setenv("BAREKING_KERNEL", kernels[random_below(state, 3)], 1);
    setenv("BAREKING_SET_BITS", bits[random_below(state, 3)], 1);
    return o;
}

/* A game solved twice, and what was compared. */
struct twice {
    struct bk_variant v;
    struct solved *fast;
    struct ref_table *slow;
    unsigned long long seed, tables, with_rights, positions, decided, late, odd;
    struct bk_material seen[512];
    unsigned nseen;
};

/* Do the plain generator and the slow solver say of every move alike whether it zeroes? */
static void compare_zeroing(const struct twice *x, const struct bk_pos *p, const struct ref_pos *r)
{
    static struct bk_move move[BK_MOVES_MAX];
    struct ref_moves slow = { 0 };
    unsigned n = bk_moves_legal(&x->v, p, move);

    ref_moves(&x->v, r, &slow);
    for (unsigned i = 0; i < slow.n; i++) {
        const struct ref_move *m = &slow.move[i];

        for (unsigned j = 0; j < n; j++)
            if (move[j].from == m->from && move[j].to == m->to &&
                move[j].castles == (m->wing >= 0) &&
                (move[j].becomes == BK_STAYS ? !m->changed
                                             : m->changed && move[j].becomes == m->type) &&
                (move[j].takes == BK_SQ_NONE) == (m->taken == BK_SQ_NONE && m->mid == BK_SQ_NONE) &&
                bk_move_zeroes(&x->v, p, &move[j]) != ref_zeroes(&x->v, r, m))
                fail_msg("test_nmove 1 %llu: does the move from %u to %u zero?", x->seed, m->from,
                         m->to);
    }
    ref_moves_free(&slow);
}

static void compare_position(struct twice *x, const struct bk_memtable *t, uint64_t number,
                             unsigned stm)
{
    struct solved_value fast;
    struct bk_placement at;
    struct ref_value slow;
    char fen[BK_FEN_MAX];
    struct ref_pos r;
    struct bk_pos p;

    bk_index_unrank(t->ix, number, &at);
    if (!bk_index_position(t->ix, &at, stm, &p) || !bk_pos_legal(&x->v, &p))
        return;
    bk_pos_to_fen(&p, &x->v, fen);
    if (!ref_from_fen(&x->v, fen, &r))
        fail_msg("%s: not read", fen);
    if (!ref_value(x->slow, &r, &slow))
        return; /* too big for it */
    fast = solved_value_of_code(t, bk_memtable_code(t, stm, at));
    if (x->positions++ % 64 == 0)
        compare_zeroing(x, &p, &r);
    x->decided += slow.wdl != 0;
    x->late += slow.wdl && slow.dtw > x->v.nmove.plies;
    x->odd += slow.wdl && (slow.dtw & 1) != (slow.wdl > 0);
    if (!fast.legal || fast.wdl != slow.wdl || (fast.wdl && fast.k != slow.dtw))
        fail_msg("test_nmove 1 %llu: n-move of %u plies: %s: wdl %d d %u, slow %d %u", x->seed,
                 x->v.nmove.plies, fen, fast.wdl, fast.k, slow.wdl, slow.dtw);
}

/* Compares all positions of a material and of those that it leads to. */
static void compare_all(struct twice *x, const struct bk_material *m)
{
    static struct bk_material room[8][512];
    static unsigned depth;
    struct bk_material *next = room[depth];
    const struct bk_memtable *t;
    unsigned n;

    for (unsigned i = 0; i < x->nseen; i++)
        if (bk_material_equal(&x->seen[i], m))
            return;
    if (x->nseen == 512 || depth == 8 || bk_material_by_rule(m, &x->v))
        return;
    x->seen[x->nseen++] = *m;
    t = solved_table(x->fast, m);
    if (!t)
        return; /* en passant by men that come back */
    x->tables++;
    x->with_rights += m->rights != 0;
    for (uint64_t i = 0; i < t->ix->positions; i++)
        for (unsigned stm = 0; stm < 2; stm++)
            compare_position(x, t, i, stm);
    n = bk_material_next(m, &x->v, next, 512);
    depth++;
    for (unsigned i = 0; i < n; i++) {
        bk_material_canonical(&next[i], &x->v);
        compare_all(x, &next[i]);
    }
    depth--;
}

/* Gives the material as many castling rights as its men allow. */
static void give_rights(const struct bk_variant *v, struct bk_material *m)
{
    for (unsigned rights = 15; rights && v->castling.allowed; rights--) {
        struct bk_material with = *m, read;
        char name[BK_MATERIAL_NAME_MAX];
        struct bk_report why;

        with.rights = (uint8_t)rights;
        bk_material_name(&with, v, name);
        if (!bk_material_parse(&read, v, name, &why) && read.rights == rights) {
            *m = with;
            return;
        }
    }
}

/* Draws a game with a rule and a material, and solves them slowly.  False: it will not do. */
static bool draw_slow(struct twice *x, uint64_t seed, uint64_t *state, struct bk_material *m)
{
    struct random_opts opts = { RANDOM_ALL & ~(unsigned)RANDOM_CLOCK,
                                12 + 2 * random_below(state, 5) };
    uint8_t count[2][BK_TYPES_MAX];
    struct bk_report why;

    *m = (struct bk_material){ 0 };
    if (random_once_in(state, 3))
        opts.features |= RANDOM_ODD;
    random_variant(&x->v, state, &opts);
    if (!random_material(&x->v, state, 3 + random_below(state, 3), 20000, count) ||
        bk_variant_finish(&x->v, &why))
        return false;
    random_nmove(&x->v, state);
    if (bk_variant_finish(&x->v, &why))
        fail_msg("%s", why.text);
    memcpy(m->count, count, sizeof m->count);
    memcpy(m->left[0], x->v.limit, sizeof m->left[0]);
    memcpy(m->left[1], x->v.limit, sizeof m->left[1]);
    bk_material_normalise(m, &x->v);
    give_rights(&x->v, m);
    x->seed = seed;
    x->nseen = 0;
    x->slow = ref_solve_nmove(&x->v, (const uint8_t(*)[BK_TYPES_MAX])count, 1000000);
    bk_material_canonical(m, &x->v);
    return x->slow;
}

/* Solves a random game by both solvers, and compares.  False: it will not do. */
static bool solve_twice(struct twice *x, uint64_t seed)
{
    uint64_t state = seed;
    struct bk_material m;
    struct solved_options o;

    if (!draw_slow(x, seed, &state, &m))
        return false;
    o = draw_options(&state);
    x->fast = solved_new(&x->v, &o);
    compare_all(x, &m);
    solved_free(x->fast);
    ref_free(x->slow);
    return true;
}

static unsigned long cases = 60, first_case = 1;

static void nmove__both_solvers_agree_on_random_games(void **state)
{
    struct twice *x = calloc(1, sizeof *x);
    unsigned games = 0;

    (void)state;
    assert_non_null(x);
    for (unsigned long i = 0; i < cases; i++) {
        games += solve_twice(x, first_case + i);
        bk_geometry_free(x->v.geometry);
        x->v.geometry = NULL;
    }
    unsetenv("BAREKING_KERNEL");
    unsetenv("BAREKING_SET_BITS");
    print_message(
        "%u games, %llu tables, %llu with rights, %llu positions, %llu decided, %llu by the "
        "rule alone, %llu of odd parity\n",
        games, x->tables, x->with_rights, x->positions, x->decided, x->late, x->odd);
    assert_true(cases < 60 || (x->late && x->odd && x->with_rights));
    free(x);
}

/* == Files == */

/* Files of a game, and what was compared. */
struct filed {
    struct twice x;
    char dir[PROOF_DIR_MAX];
    struct bk_plan *plan;
    struct bk_catalog *catalog;
    struct bk_tables t;
    bool distances; /* there are .bkz */
    unsigned long long positions, passing, cursed, alone;
};

/* Compares what files say of a position with the slow solver, if that knows of it. */
static void compare_filed(struct filed *f, const struct bk_pos *p)
{
    struct bk_report why = { "" };
    unsigned n = f->x.v.nmove.plies;
    int five = 0, d = 0, wdl = 0, true_five;
    struct ref_value slow;
    char fen[BK_FEN_MAX];
    struct ref_pos r;

    bk_pos_to_fen(p, &f->x.v, fen);
    if (!ref_from_fen(&f->x.v, fen, &r) || !ref_value(f->x.slow, &r, &slow))
        return;
    true_five = slow.wdl * (slow.dtw <= n ? 2 : 1);
    if (bk_settle_five(&f->t, p, &five, f->distances ? &d : NULL, &why) ||
        bk_settle_wdl(&f->t, p, &wdl, &why))
        fail_msg("test_nmove 1 %llu: %s: %s", f->x.seed, fen, why.text);
    if (five != true_five || wdl != slow.wdl || (f->distances && wdl && d != slow.dtw))
        fail_msg("test_nmove 1 %llu: n-move of %u plies: %s: files %d %d d %d, slow %d d %u",
                 f->x.seed, n, fen, five, wdl, d, slow.wdl, slow.dtw);
    f->positions++;
    f->cursed += five == 1 || five == -1;
}

/* Compares a position, and those that its double steps lead to. */
static void compare_both(struct filed *f, const struct bk_pos *p)
{
    static struct bk_move move[BK_MOVES_MAX];
    unsigned n;

    compare_filed(f, p);
    if (!bk_rules_en_passant(&f->x.v))
        return;
    n = bk_moves_legal(&f->x.v, p, move);
    for (unsigned i = 0; i < n; i++) {
        struct bk_pos after = *p;

        bk_pos_play(&after, &f->x.v, &move[i]);
        if (after.ep == BK_SQ_NONE)
            continue;
        compare_filed(f, &after);
        f->passing++;
    }
}

static void compare_file(struct filed *f, const struct bk_material *m)
{
    struct bk_report why;
    struct bk_index *ix;
    struct bk_pos p;

    assert_int_equal(bk_index_new(&ix, &f->x.v, m, NULL, &why), BK_OK);
    for (uint64_t i = 0; i < ix->positions; i++)
        for (unsigned stm = 0; stm < 2; stm++) {
            struct bk_placement at;

            bk_index_unrank(ix, i, &at);
            if (bk_index_position(ix, &at, stm, &p) && bk_pos_legal(&f->x.v, &p))
                compare_both(f, &p);
        }
    bk_index_free(ix);
}

/* Makes the plan's tables in f->dir, in a way that is drawn.  False: they cannot be. */
static bool make_files(struct filed *f, const struct bk_material *m, uint64_t *state)
{
    struct bk_report why = { "" };
    struct solved_options how = draw_options(state);
    struct bk_build_options o = { .effort = (enum bk_effort)random_below(state, 3),
                                  .standalone = random_once_in(state, 5),
                                  .k_max = how.k_max,
                                  .largest = how.groups,
                                  .frugal = random_once_in(state, 4) };
    enum bk_err err;

    f->distances = !random_once_in(state, 5);
    if (bk_plan_new(&f->plan, &f->x.v, f->dir, m, 1, 0, true, &why))
        return false; /* en passant by men that come back */
    err = bk_plan_to_zeroing(f->plan, !f->distances, &why);
    if (!err)
        err = bk_pool_open(&o.pool, 1 + random_below(state, 2), &why);
    if (!err)
        err = bk_build(f->plan, &o, &why);
    if (err)
        fail_msg("test_nmove 1 %llu: %s", f->x.seed, why.text);
    bk_pool_close(o.pool);
    f->alone += o.standalone;
    return true;
}

/* Makes the files of a random game, and compares what they say with the slow solver. */
static bool file_game(struct filed *f, uint64_t seed)
{
    uint64_t state = seed;
    struct bk_report why = { "" };
    struct bk_material m;

    if (!draw_slow(&f->x, seed, &state, &m))
        return false;
    proof_folder(f->dir);
    f->plan = NULL;
    if (make_files(f, &m, &state)) {
        assert_int_equal(bk_catalog_new(&f->catalog, &f->x.v, f->dir, &why), BK_OK);
        f->t = (struct bk_tables){ .v = &f->x.v,
                                   .find = bk_catalog_table,
                                   .open = bk_catalog_reopen,
                                   .context = f->catalog,
                                   .cache = bk_catalog_cache(f->catalog) };
        for (unsigned i = 0; i < f->plan->n; i++)
            compare_file(f, &f->plan->table[i].m);
        bk_catalog_free(f->catalog);
    }
    bk_plan_free(f->plan);
    proof_remove(f->dir);
    ref_free(f->x.slow);
    return true;
}

static void nmove__files_say_what_the_slow_solver_says(void **state)
{
    struct filed *f = calloc(1, sizeof *f);
    unsigned games = 0;

    (void)state;
    assert_non_null(f);
    for (unsigned long i = 0; i < cases; i++) {
        games += file_game(f, first_case + i);
        bk_geometry_free(f->x.v.geometry);
        f->x.v.geometry = NULL;
    }
    unsetenv("BAREKING_KERNEL");
    unsetenv("BAREKING_SET_BITS");
    print_message("%u games, %llu that answer alone, %llu positions, %llu cursed or blessed, %llu "
                  "after a double step\n",
                  games, f->alone, f->positions, f->cursed, f->passing);
    assert_true(cases < 60 || (f->cursed && f->alone));
    assert_true(cases < 1000 || f->passing);
    free(f);
}

/* == As others count == */

/* Adds the positions of a table, one of each symmetry class, by result (sure and late losses,
   draws, late and sure wins) and plies. */
static void count_plies(const struct bk_memtable *t, unsigned n[2][5][64])
{
    memset(n, 0, 2 * sizeof *n);
    for (uint64_t i = 0; i < t->ix->positions; i++) {
        struct bk_placement at;

        bk_index_unrank(t->ix, i, &at);
        for (unsigned side = 0; side < 2 && bk_index_is_first(t->ix, i, &at); side++) {
            struct solved_value x = solved_value_of_code(t, bk_memtable_code(t, side, at));
            unsigned late = x.k > t->nmove;

            assert_true(x.k < 64);
            if (x.legal)
                n[side][x.wdl < 0 ? late : x.wdl > 0 ? 4 - late : 2][x.k]++;
        }
    }
}

static unsigned sum_of(const unsigned n[64])
{
    unsigned sum = 0;

    for (unsigned i = 0; i < 64; i++)
        sum += n[i];
    return sum;
}

/* KNvKP with a rule of six moves, by Syzygy's generator changed to that. */
static void nmove__knight_against_pawn_under_six_moves(void **state)
{
    static unsigned n[2][5][64];
    struct bk_variant *v = load("chess");
    struct bk_material m = material(v, "KNvKP");
    struct bk_report why = { "" };
    struct solved *s;

    (void)state;
    v->nmove.plies = 12;
    assert_int_equal(bk_variant_finish(v, &why), BK_OK);
    s = solved_new(
        v, &(struct solved_options){ .distances = true, .zeroing = true, .groups = BK_WIDE });
    count_plies(solved_table(s, &m), n);
    assert_int_equal(sum_of(n[0][4]), 208);
    assert_int_equal(sum_of(n[0][3]), 0);
    assert_int_equal(sum_of(n[0][2]), 4095612);
    assert_int_equal(sum_of(n[0][1]), 568066);
    assert_int_equal(sum_of(n[0][0]), 40380);
    assert_int_equal(n[0][4][10], 17);
    assert_int_equal(n[0][4][12], 23);
    assert_int_equal(n[0][1][26], 183);
    assert_int_equal(n[0][1][28], 6);
    assert_int_equal(sum_of(n[1][4]), 420119);
    assert_int_equal(sum_of(n[1][3]), 1202021);
    assert_int_equal(sum_of(n[1][2]), 3359329);
    assert_int_equal(sum_of(n[1][1]), 0);
    assert_int_equal(sum_of(n[1][0]), 35);
    assert_int_equal(n[1][3][25], 66);
    assert_int_equal(n[1][3][27], 2);
    assert_int_equal(n[1][0][9], 4);
    assert_int_equal(n[1][0][11], 6);
    solved_free(s);
    bk_variant_free(v);
}

/* == By their own moves == */

/* The value of a move to the one who makes it, by docs/rules.md: x is that of what it leads to. */
static struct solved_value moved(const struct bk_variant *v, struct solved_value x, bool zeroes)
{
    unsigned n = bk_rules_nmove(v);

    x.wdl = -x.wdl;
    x.k = !x.wdl ? 0 : !zeroes ? x.k + 1 : x.k <= n ? 1 : n + 1;
    return x;
}

static bool is_better(struct solved_value x, struct solved_value y)
{
    return x.wdl != y.wdl ? x.wdl > y.wdl : x.wdl > 0 ? x.k < y.k : x.wdl < 0 && x.k > y.k;
}

/* Fails unless a position is worth the best of its moves.  Positions without a move, and in which a
   move may be answered in passing, are left out. */
static bool follows(struct solved *s, const struct bk_variant *v, const struct bk_memtable *t,
                    uint64_t number, unsigned side)
{
    static struct bk_move move[BK_MOVES_MAX];
    struct solved_value own, best = { 0 };
    struct bk_placement at;
    char fen[BK_FEN_MAX];
    struct bk_pos p;
    unsigned n;

    bk_index_unrank(t->ix, number, &at);
    if (!bk_index_position(t->ix, &at, side, &p) || !bk_pos_legal(v, &p))
        return false;
    n = bk_moves_legal(v, &p, move);
    for (unsigned i = 0; i < n; i++) {
        struct bk_pos next = p;
        struct solved_value x;

        bk_pos_play(&next, v, &move[i]);
        if (next.ep != BK_SQ_NONE)
            return false;
        x = moved(v, solved_value_of(s, &next), bk_move_zeroes(v, &p, &move[i]));
        best = !i || is_better(x, best) ? x : best;
    }
    own = solved_value_of_code(t, bk_memtable_code(t, side, at));
    if (n && (own.wdl != best.wdl || own.k != best.k))
        fail_msg("%s: %d %u, by its moves %d %u", bk_pos_to_fen(&p, v, fen), own.wdl, own.k,
                 best.wdl, best.k);
    return n;
}

static void nmove__distances_follow_from_the_moves(void **state)
{
    static const struct {
        const char *game, *material;
        unsigned plies, step; /* one number in so many is looked at */
    } row[] = {
        { "chess", "KRvKP", 100, 211 },  { "chess", "KRvKP", 16, 211 },
        { "chess", "KRvK+Q", 12, 1 },    { "chess", "KPvKP", 20, 97 },
        { "chess", "KRNvKR+Q", 14, 7 },  { "shatranj", "KRvKP", 8, 211 },
        { "sultan", "KCvKP", 100, 997 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct bk_variant *v = load(row[i].game);
        struct bk_material m = material(v, row[i].material);
        const struct bk_memtable *t;
        struct bk_report why;
        unsigned looked = 0;
        struct solved *s;

        v->nmove.plies = (uint16_t)row[i].plies;
        assert_int_equal(bk_variant_finish(v, &why), BK_OK);
        s = solved_new(
            v, &(struct solved_options){ .distances = true, .zeroing = true, .groups = BK_WIDE });
        bk_material_canonical(&m, v);
        t = solved_table(s, &m);
        for (uint64_t number = 0; number < t->ix->positions; number += row[i].step)
            for (unsigned side = 0; side < 2; side++)
                looked += follows(s, v, t, number, side);
        assert_true(looked > 50);
        solved_free(s);
        bk_variant_free(v);
    }
}

/* == The law of the counter: drawn == */

/* Draws a game with an n-move rule; which kinds zero is drawn, too, also kinds that come back: the
   law holds for these as well.  False: none that will do. */
static bool draw_game(struct game *g, struct bk_variant *v, uint64_t seed,
                      uint8_t count[2][BK_TYPES_MAX])
{
    uint64_t state = seed;
    struct random_opts opts = { RANDOM_ALL & ~(unsigned)RANDOM_CLOCK, 12 };
    struct bk_report why;

    if (random_once_in(&state, 3))
        opts.features |= RANDOM_ODD;
    random_variant(v, &state, &opts);
    v->nmove.plies = (uint16_t)(2 + random_below(&state, PLIES_MAX - 1));
    v->nmove.irreversible = random_once_in(&state, 3);
    if (!v->nmove.irreversible)
        v->nmove.kinds =
            (uint32_t)bk_chance_next(&state) & ((1u << v->ntypes) - 1) & ~(UINT32_C(1) << v->royal);
    if (!random_material(v, &state, 3 + random_below(&state, 2), 1500, count) ||
        bk_variant_finish(v, &why))
        return false;
    g->v = v;
    g->slow = ref_solve_nmove(v, (const uint8_t(*)[BK_TYPES_MAX])count, 200000);
    return g->slow;
}

static void nmove__the_distance_decides_at_every_counter(void **state)
{
    struct game *g = malloc(sizeof *g);
    static struct bk_variant v;
    unsigned games = 0;

    (void)state;
    assert_non_null(g);
    g->states = g->drawn_by_rule = 0;
    for (uint64_t seed = 1; seed <= 120; seed++) {
        uint8_t count[2][BK_TYPES_MAX];

        g->slow = NULL;
        if (draw_game(g, &v, seed, count) && list_game(g)) {
            solve_states(g);
            check_law(g, seed);
            games++;
        }
        ref_free(g->slow);
        bk_geometry_free(v.geometry);
        v.geometry = NULL;
    }
    print_message("%u games, %llu states, %llu drawn by the rule alone\n", games,
                  (unsigned long long)g->states, (unsigned long long)g->drawn_by_rule);
    assert_true(games > 60 && g->drawn_by_rule > 20000);
    free(g);
}

/* == The library at every counter == */

/* A game whose states were solved one by one, and the library on its files. */
struct asked {
    struct filed f;
    struct game g;
    struct bk_lib *lib;
    unsigned long long states, by_rule, kept;
};

/* Returns the number of the position after the move of this name. */
static unsigned after_move(const struct game *g, unsigned i, const struct ref_moves *moves,
                           const char *name)
{
    for (unsigned j = 0; j < moves->n; j++) {
        char text[16];

        ref_move_text(g->v, &moves->move[j], text);
        if (!strcmp(text, name))
            return g->first[i] + j;
    }
    fail_msg("no move %s", name);
    return 0;
}

/* Asks for the moves of a state: those that keep its result, and no others, must be told. */
static void ask_moves(struct asked *a, unsigned i, unsigned c, const char *fen)
{
    static struct bk_lib_ranked move[BK_MOVES_MAX];
    const struct game *g = &a->g;
    struct ref_moves moves = { 0 };
    size_t n;
    int last = 1;

    if (bk_rank_moves_fen(a->lib, fen, 0, 0, move, BK_MOVES_MAX, &n))
        fail_msg("test_nmove 1 %llu: %s: %s", a->f.x.seed, fen, bk_error(a->lib));
    ref_moves(g->v, &g->pos[i], &moves);
    for (size_t k = 0; k < n; k++) {
        unsigned m = after_move(g, i, &moves, move[k].name);
        int truth = -g->at[g->to[m]][g->zero[m] ? 0 : c + 1];

        if (move[k].clocked_wdl != truth || move[k].keeps != (truth == g->at[i][c]) ||
            move[k].zeroes != g->zero[m] || truth > last)
            fail_msg("test_nmove 1 %llu: %s: %s brings %d, keeps %d, zeroes %d; it is %d after %d",
                     a->f.x.seed, fen, move[k].name, move[k].clocked_wdl, move[k].keeps,
                     move[k].zeroes, truth, last);
        last = truth;
        a->kept += move[k].keeps == 1;
    }
    ref_moves_free(&moves);
}

static void ask_state(struct asked *a, unsigned i, const struct bk_pos *p)
{
    const struct game *g = &a->g;
    unsigned n = g->v->nmove.plies, c = (unsigned)(a->states % n);
    struct bk_pos counted = *p;
    struct bk_answer x;
    char fen[BK_FEN_MAX];

    counted.clock = (uint16_t)c;
    bk_pos_to_fen(&counted, g->v, fen);
    if (bk_probe_fen(a->lib, fen, &x))
        fail_msg("test_nmove 1 %llu: %s: %s", a->f.x.seed, fen, bk_error(a->lib));
    if (!x.clocked_known || x.clocked_wdl != g->at[i][c] || x.wdl != g->value[i].wdl ||
        (x.end == BK_LIB_GOES_ON && x.plies_left != (int)(n - c)))
        fail_msg("test_nmove 1 %llu: %s: %d, known %d; at this counter %d", a->f.x.seed, fen,
                 x.clocked_wdl, x.clocked_known, g->at[i][c]);
    a->by_rule += x.wdl && !x.clocked_wdl;
    if (a->states++ % 3 == 0 && !g->over[i])
        ask_moves(a, i, c, fen);
}

/* Asks about all positions of the table of `m`, each at one counter. */
static void ask_table(struct asked *a, const struct bk_material *m)
{
    struct bk_report why;
    struct bk_index *ix;
    struct bk_pos p;

    assert_int_equal(bk_index_new(&ix, a->g.v, m, NULL, &why), BK_OK);
    for (uint64_t i = 0; i < ix->positions; i++)
        for (unsigned stm = 0; stm < 2; stm++) {
            struct bk_placement at;
            struct ref_pos r;
            char fen[BK_FEN_MAX];
            int number;

            bk_index_unrank(ix, i, &at);
            if (!bk_index_position(ix, &at, stm, &p) || !bk_pos_legal(a->g.v, &p))
                continue;
            memset(&r, 0, sizeof r);
            assert_true(ref_from_fen(a->g.v, bk_pos_to_fen(&p, a->g.v, fen), &r));
            number = number_of(&a->g, &r);
            if (number >= 0 && (unsigned)number < a->g.nknown)
                ask_state(a, (unsigned)number, &p);
        }
    bk_index_free(ix);
}

static void ask_game(struct asked *a, const struct bk_material *m, uint64_t *state)
{
    char path[PROOF_DIR_MAX + 16];
    FILE *ini;

    proof_folder(a->f.dir);
    snprintf(path, sizeof path, "%s/game.ini", a->f.dir);
    assert_non_null(ini = fopen(path, "w"));
    variant_print_ini(ini, &a->f.x.v, NULL);
    fclose(ini);
    a->f.plan = NULL;
    if (make_files(&a->f, m, state)) {
        if (bk_open(&a->lib, path, a->f.dir))
            fail_msg("test_nmove 1 %llu: %s", a->f.x.seed, path);
        for (unsigned i = 0; i < a->f.plan->n && a->f.distances; i++)
            ask_table(a, &a->f.plan->table[i].m);
        bk_close(a->lib);
    }
    bk_plan_free(a->f.plan);
    proof_remove(a->f.dir);
}

static void nmove__the_library_answers_at_every_counter(void **state)
{
    struct asked *a = calloc(1, sizeof *a);
    unsigned games = 0;

    (void)state;
    assert_non_null(a);
    for (unsigned long i = 0; i < 2 * cases; i++) {
        struct twice *x = &a->f.x;
        uint64_t seed = first_case + i;
        struct bk_material m;

        if (draw_slow(x, first_case + i, &seed, &m)) {
            a->g.v = &x->v;
            a->g.slow = x->slow;
            if (x->v.nmove.plies <= PLIES_MAX && ref_size(x->slow) < 12000 && list_game(&a->g)) {
                solve_states(&a->g);
                a->g.nknown = a->g.n;
                ask_game(a, &m, &seed);
                games++;
            }
            ref_free(x->slow);
        }
        bk_geometry_free(x->v.geometry);
        x->v.geometry = NULL;
    }
    unsetenv("BAREKING_KERNEL");
    unsetenv("BAREKING_SET_BITS");
    print_message("%u games, %llu states, %llu drawn by the rule alone, %llu moves that keep\n",
                  games, a->states, a->by_rule, a->kept);
    assert_true(cases < 60 || (games > 10 && a->by_rule > 100));
    free(a);
}

/* usage: test_nmove [CASES [FIRST]]: of random games, solved by both solvers */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nmove__captures_and_pawn_moves_zero),
        cmocka_unit_test(nmove__shuffling_zeroes_nothing),
        cmocka_unit_test(nmove__the_distance_decides_at_every_counter),
        cmocka_unit_test(nmove__knight_against_pawn_under_six_moves),
        cmocka_unit_test(nmove__distances_follow_from_the_moves),
        cmocka_unit_test(nmove__both_solvers_agree_on_random_games),
        cmocka_unit_test(nmove__files_say_what_the_slow_solver_says),
        cmocka_unit_test(nmove__the_library_answers_at_every_counter),
    };

    cases = argc > 1 ? strtoul(argv[1], NULL, 10) : cases;
    first_case = argc > 2 ? strtoul(argv[2], NULL, 10) : first_case;

    return cmocka_run_group_tests(tests, NULL, NULL);
}
