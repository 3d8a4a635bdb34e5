/*
 * test_nmove.c - the n-move rule: which moves zero the counter, and that one number, the distance to
 * zeroing, decides a position at every counter.
 */
#include <stdlib.h>
#include <string.h>

#include "core/check.h"
#include "core/finish.h"
#include "core/geometry.h"
#include "core/move.h"
#include "tests/given.h"
#include "tests/random_variant.h"
#include "tests/ref.h"
#include "tests/ref_board.h"

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

    if (bk_pos_from_fen(&p, v, fen, &why) ||
        bk_move_read(&m, v, &p, name, strlen(name), 1, &why))
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

static const char sitting[] =
    "[variant]\nname = small\nboard = 4x5\nbare-king = wins\nn-move = 5\n"
    "zeroing = captures + irreversible\n"
    "[piece king]\nletter = K\nroyal = yes\nmove = K\n"
    "[piece rook]\nletter = R\nmove = R\narmy = 1\n"
    "[piece pawn]\nletter = P\nmove = mfWcfF\nranks = 2-5\nzone-ranks = 5\nzone-move = sW\narmy = 2\n"
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
                 (g->v->bare != BK_BARE_NOTHING && (!count_others(g->v, &g->pos[i], 0) ||
                                                    !count_others(g->v, &g->pos[i], 1)));
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
        v->nmove.kinds = (uint32_t)bk_chance_next(&state) & ((1u << v->ntypes) - 1) &
                         ~(UINT32_C(1) << v->royal);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nmove__captures_and_pawn_moves_zero),
        cmocka_unit_test(nmove__shuffling_zeroes_nothing),
        cmocka_unit_test(nmove__the_distance_decides_at_every_counter),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
