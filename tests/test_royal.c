/*
 * test_royal.c - games without a royal man, which end when a side is out of men, or of a kind; and
 * games in which who can capture must.
 *
 * Counts of moves are those of Fairy-Stockfish (its tests/perft.sh), results of suicide those of
 * Syzygy's generator (tests/suicide.tsv); all else is compared with the slow solver.
 */
#include "tests/given.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/attack.h"
#include "core/end.h"
#include "core/explain.h"
#include "core/finish.h"
#include "core/geometry.h"
#include "core/move.h"
#include "core/rules.h"
#include "table/index_new.h"
#include "tests/left_out.h"
#include "tests/proof.h"
#include "tests/random_variant.h"
#include "tests/ref.h"
#include "tests/solved.h"

#define SUICIDE "suicide"

/* A game of 8x8 with these lines in [variant], and without a royal: K, Q, R and N. */
#define FREE(lines)                                                                                \
    "[variant]\nname = free\nboard = 8x8\n" lines "[piece king]\nletter = K\nmove = K\n"           \
    "[piece queen]\nletter = Q\nmove = Q\n[piece rook]\nletter = R\nmove = R\n"                    \
    "[piece knight]\nletter = N\nmove = N\n"

/* == Moves ================================================================ */

static void assert_perft(const struct bk_variant *v, const char *fen, unsigned depth, uint64_t want)
{
    struct bk_pos p = read_fen(v, fen);
    struct ref_pos r;

    assert_int_equal(bk_perft(v, &p, depth), want);
    assert_true(ref_from_fen(v, fen, &r));
    if (want < 10000)
        assert_int_equal(ref_perft(v, &r, depth), want);
}

static void perft__of_suicide_is_what_others_count(void **state)
{
    struct bk_variant *v = load(SUICIDE);

    (void)state;
    assert_perft(v, v->start, 1, 20);
    assert_perft(v, v->start, 2, 400);
    assert_perft(v, v->start, 3, 8067);
    assert_perft(v, v->start, 4, 153299);
    assert_perft(v, "8/1p6/8/8/8/8/P7/8 w - - 0 1", 4, 3);
    bk_variant_free(v);
}

static void perft__of_all_counted_games_is_the_slow_generators(void **state)
{
    (void)state;
    for (const struct bk_embedded *e = bk_embedded_counted; e->name; e++) {
        struct bk_variant *v = load(e->name);
        struct bk_pos p = read_fen(v, v->start);
        struct ref_pos r;

        assert_non_null(bk_rules_without_tables(v));
        assert_true(ref_from_fen(v, v->start, &r));
        for (unsigned depth = 1; depth <= 3; depth++)
            assert_int_equal(bk_perft(v, &p, depth), ref_perft(v, &r, depth));
        bk_variant_free(v);
    }
}

static void perft__of_chess_with_captures_forced_is_what_others_count(void **state)
{
    struct bk_variant *chess = load("chess");
    struct bk_variant v = *chess;

    (void)state;
    v.must_capture = true; /* Fairy-Stockfish's `losers` */
    assert_perft(&v, v.start, 4, 152955);
    bk_variant_free(chess);
}

/* Takes the royal from a drawn game, and draws what ends it instead. */
static void make_free(struct bk_variant *v, uint64_t *seed)
{
    v->piece[v->royal].royal = false;
    v->royal = BK_NO_ROYAL;
    v->castling = (struct bk_castling){ 0 };
    v->bare = BK_BARE_NOTHING;
    v->out_of.told = true;
    v->out_of.wins = random_once_in(seed, 2);
    for (unsigned t = 0; t < v->ntypes && random_once_in(seed, 2); t++)
        if (random_once_in(seed, 3)) {
            v->out_of.kinds |= UINT32_C(1) << t;
            v->out_of.most[t] = (uint8_t)random_once_in(seed, 3);
        }
}

/* Draws a game: three in four without a royal, half with captures forced.  False: it is none. */
static bool draw_game(struct bk_variant *v, uint64_t *seed)
{
    struct bk_report why = { "" };

    random_variant(v, seed, NULL);
    if (!random_once_in(seed, 4))
        make_free(v, seed);
    v->must_capture = random_once_in(seed, 2);
    v->stalemate = (enum bk_stalemate)random_below(seed, 4);
    return bk_variant_finish(v, &why) == BK_OK;
}

/* Writes a random position as a FEN: at most eight men, none where it may not stand; kings if there
   are royals. */
static bool draw_position(struct bk_pos *p, const struct bk_variant *v, uint64_t *seed)
{
    bk_pos_init(p, v);
    p->stm = (uint8_t)random_below(seed, 2);
    for (unsigned i = 0; i < 8; i++) {
        unsigned type = bk_rules_royal(v) && i < 2 ? v->royal : random_below(seed, v->ntypes);
        unsigned colour = i % 2, sq = random_below(seed, v->nsq);

        if (!p->at[sq] && bk_rules_may_stand(v, type, colour, sq) && (i < 2 || type != v->royal))
            bk_pos_put(p, v, type, colour, sq);
        else if (i < 2 && bk_rules_royal(v))
            return false;
    }
    return bk_pos_legal(v, p);
}

static void moves__are_those_of_the_slow_generator_in_random_games(void **state)
{
    unsigned games = 0, forced = 0;

    (void)state;
    for (uint64_t first = 1; first <= 400; first++) {
        uint64_t seed = first;
        struct bk_variant v;

        if (!draw_game(&v, &seed))
            continue;
        games++;
        for (unsigned i = 0; i < 20; i++) {
            struct bk_pos p;
            struct ref_pos r;
            char fen[BK_FEN_MAX];

            if (!draw_position(&p, &v, &seed))
                continue;
            bk_pos_to_fen(&p, &v, fen);
            assert_true(ref_from_fen(&v, fen, &r));
            for (unsigned depth = 1; depth <= 2; depth++)
                if (bk_perft(&v, &p, depth) != ref_perft(&v, &r, depth))
                    fail_msg("seed %d: %s", (int)first, fen);
            forced += v.must_capture;
        }
        bk_geometry_free(v.geometry);
    }
    assert_true(games > 300);
    assert_true(forced > 1000);
}

/* == Ends ================================================================= */

static void assert_over(const struct bk_variant *v, const char *fen, enum bk_end end, int wdl)
{
    struct bk_pos p = read_fen(v, fen);
    int got = 99;

    assert_int_equal(bk_pos_end(v, &p, &got), end);
    assert_int_equal(got, end == BK_END_NONE ? 99 : wdl);
}

static void end__who_is_out_of_men_has_won_or_lost_as_the_game_says(void **state)
{
    struct bk_variant *wins = parse(FREE("out-of-men = wins\n"));
    struct bk_variant *loses = parse(FREE("out-of-men = loses\n"));

    (void)state;
    assert_over(wins, "8/8/8/8/8/8/8/R7 b", BK_END_OUT, 1);
    assert_over(loses, "8/8/8/8/8/8/8/R7 b", BK_END_OUT, -1);
    assert_over(loses, "8/8/8/8/8/8/8/R7 w", BK_END_OUT, 1);
    assert_over(loses, "8/8/8/8/8/8/8/R6r w", BK_END_NONE, 0);
    assert_over(loses, "k7/8/8/8/8/8/8/R7 b", BK_END_NONE, 0); /* no check */
    bk_variant_free(wins);
    bk_variant_free(loses);
}

static void end__a_side_may_be_out_of_one_kind_alone(void **state)
{
    struct bk_variant *v = parse(FREE("out-of-kind = loses K R1\n"));

    (void)state;
    assert_over(v, "kkrr4/8/8/8/8/8/8/KRRQ4 b", BK_END_NONE, 0);
    assert_over(v, "1nrr4/8/8/8/8/8/8/KRRQ4 b", BK_END_OUT, -1);
    assert_over(v, "kqr5/8/8/8/8/8/8/KRRQ4 b", BK_END_OUT, -1);
    assert_over(v, "kqr5/8/8/8/8/8/8/KRQ5 b", BK_END_OUT, 1); /* both: who has just moved */
    bk_variant_free(v);
}

static void end__stalemate_is_worth_what_a_game_without_a_royal_says(void **state)
{
    static const char blocked[] = "8/8/8/8/p7/P7/8/8 w", more[] = "8/8/8/8/p1p5/P7/2P5/8 w";
    struct bk_variant *suicide = load(SUICIDE);
    struct bk_variant v = *suicide;

    (void)state;
    assert_over(&v, blocked, BK_END_STALEMATE, 0);
    assert_over(&v, "7r/8/8/8/p7/P7/8/8 w", BK_END_STALEMATE, 1);
    assert_over(&v, "7R/8/8/8/p7/P7/8/8 b", BK_END_STALEMATE, 1);
    assert_over(&v, more, BK_END_NONE, 0);
    v.stalemate = BK_STALEMATE_WIN;
    assert_over(&v, blocked, BK_END_STALEMATE, 1);
    v.stalemate = BK_STALEMATE_LOSS;
    assert_over(&v, blocked, BK_END_STALEMATE, -1);
    bk_variant_free(suicide);
}

/* == Tables =============================================================== */

/* What the solvers say of all games drawn. */
struct drawn {
    unsigned games, anchors[3], large, forced, claimed;
    uint64_t positions;
};

/* Without a royal a side need not have its king. */
static void maybe_drop_kings(const struct bk_variant *v, uint8_t count[2][BK_TYPES_MAX],
                             unsigned king, uint64_t *seed)
{
    for (unsigned c = 0; c < 2; c++) {
        unsigned men = 0;

        for (unsigned t = 0; t < v->ntypes; t++)
            men += count[c][t];
        if (men > 1 && random_once_in(seed, 2))
            count[c][king] = 0;
    }
}

/* Compares all positions of a material; those of the slow solver have their plies. */
static void compare(const struct ref_table *ref, struct solved *fast, const struct bk_variant *v,
                    bool distances, int seed, struct drawn *all)
{
    for (uint64_t i = 0; i < ref_size(ref); i++) {
        struct ref_pos r;
        struct ref_value want;
        bool legal = ref_at(ref, i, &r, &want), same;
        struct solved_value got;
        struct bk_pos p;
        char fen[BK_FEN_MAX];
        int end;

        if (!legal)
            continue;
        p = proof_pos(v, &r);
        if (bk_pos_bare(v, &p, &end) != BK_END_NONE)
            continue;
        got = solved_value_of(fast, &p);
        same = got.legal && got.wdl == want.wdl &&
               (!distances || !want.wdl || want.dtw == 2 * got.k + (want.wdl > 0));
        if (!same)
            fail_msg("seed %d: %s: %d in %u, fast %d in %u", seed, bk_pos_to_fen(&p, v, fen),
                     want.wdl, want.dtw, got.wdl, 2 * got.k + (got.wdl > 0));
        all->positions++;
        all->claimed += want.wdl > 0 && bk_pos_end(v, &p, &end) == BK_END_STALEMATE;
    }
}

/* Notes how many anchors the table of a material has. */
static void note_anchors(const struct bk_variant *v, const struct bk_material *m, struct drawn *all)
{
    struct bk_index *ix;

    if (bk_index_new(&ix, v, m, NULL, NULL))
        return;
    all->anchors[ix->anchored ? (ix->anchor[0] >= 0) + (ix->anchor[1] >= 0) : 0]++;
    bk_index_free(ix);
}

/* Chooses how the fast solver runs: instruction set, width of a set. */
static void draw_kernel(uint64_t nth)
{
    static const char *const kernels[] = { "portable", "avx2", "avx512" };
    static const char *const bits[] = { "64", "128", "256" };

    setenv("BAREKING_KERNEL", kernels[nth % 3], 1);
    setenv("BAREKING_SET_BITS", bits[nth / 3 % 3], 1);
}

static void solve_drawn(uint64_t first, struct drawn *all)
{
    struct solved_options o = { .distances = first % 3, .compact = first % 2 };
    struct bk_variant v;
    uint64_t seed = first;
    struct bk_material m = { 0 };
    struct ref_table *ref;
    struct solved *fast;
    unsigned king;

    random_variant(&v, &seed, &(struct random_opts){ RANDOM_RAREST, 20 });
    king = v.royal;
    if (!random_material(&v, &seed, 4, 6000, m.count))
        return;
    if (!random_once_in(&seed, 4)) {
        make_free(&v, &seed);
        maybe_drop_kings(&v, m.count, king, &seed);
    }
    v.must_capture = random_once_in(&seed, 2);
    v.stalemate = (enum bk_stalemate)random_below(&seed, 4);
    if (bk_variant_finish(&v, NULL))
        return;
    bk_rules_allowances(&v, m.left);
    bk_material_normalise(&m, &v);
    ref = ref_solve(&v, (const uint8_t(*)[BK_TYPES_MAX])m.count,
                    (const uint8_t(*)[BK_TYPES_MAX])m.left, 300000);
    fast = solved_new(&v, &o);
    bk_material_canonical(&m, &v);
    if (ref && !bk_material_by_rule(&m, &v) && solved_table(fast, &m)) {
        compare(ref, fast, &v, o.distances, (int)first, all);
        note_anchors(&v, &m, all);
        all->games++;
        all->large += v.nsq > 64;
        all->forced += v.must_capture;
    }
    solved_free(fast);
    ref_free(ref);
    bk_geometry_free(v.geometry);
}

static void tables__of_random_games_are_those_of_the_slow_solver(void **state)
{
    struct drawn all = { 0 };
    unsigned last = tries_all() ? 1500 : 300;

    (void)state;
    for (uint64_t first = 1; first <= last; first++) {
        draw_kernel(first / 2);
        solve_drawn(first, &all);
    }
    unsetenv("BAREKING_KERNEL");
    unsetenv("BAREKING_SET_BITS");
    printf("%u games, %u %u %u by anchors, %u large, %u forced; %llu positions, %u claimed\n",
           all.games, all.anchors[0], all.anchors[1], all.anchors[2], all.large, all.forced,
           (unsigned long long)all.positions, all.claimed);
    assert_true(all.games > last / 4);
    assert_true(all.anchors[1] > last / 50);
    assert_true(all.anchors[2] > last / 10);
    assert_true(all.large > last / 50);
    assert_true(all.forced > last / 10);
    assert_true(all.claimed > 0);
}

/* == Suicide ============================================================== */

/* Do all men stand on one diagonal of the board? */
static bool on_a_diagonal(const struct bk_index *ix, const struct bk_placement *at)
{
    bool rising = true, falling = true;

    for (unsigned s = 0; s < ix->nslots; s++) {
        unsigned file = at->sq[s] % 8, rank = at->sq[s] / 8;

        rising &= file == rank;
        falling &= file + rank == 7;
    }
    return rising || falling;
}

/* Returns in how many ways equal men can be told apart. */
static unsigned orders_of(const struct bk_material *m)
{
    unsigned n = 1;

    for (unsigned c = 0; c < 2; c++)
        for (unsigned t = 0; t < BK_TYPES_MAX; t++)
            for (unsigned k = 2; k <= m->count[c][t]; k++)
                n *= k;
    return n;
}

/* Counts a table as tests/suicide.tsv does: out[side to move][1 - wdl]. */
static void count_as_syzygy(struct solved *s, const struct bk_material *m, uint64_t out[2][3])
{
    const struct bk_index *ix = solved_table(s, m)->ix;
    bool pawns = ix->group != 0xff;
    unsigned orders = orders_of(m), choices = bk_index_choices(ix);

    memset(out, 0, 6 * sizeof **out);
    for (uint64_t n = 0; n < ix->positions; n++) {
        struct bk_placement at;
        struct bk_pos p;
        unsigned weight;

        bk_index_unrank(ix, n, &at);
        if (!bk_index_position(ix, &at, BK_WHITE, &p))
            continue;
        weight = bk_index_images(ix, bk_index_block_with(ix, n), &at) * orders;
        weight *= !pawns && on_a_diagonal(ix, &at) ? 2 : 1;
        for (p.stm = 0; p.stm < 2; p.stm++)
            out[p.stm][1 - solved_value_of(s, &p).wdl] += weight;
    }
    for (unsigned side = 0; side < 2; side++)
        for (unsigned r = 0; r < 3; r++)
            out[side][r] /= (pawns ? 2 : 8) * choices;
}

/* Fails unless the table of a line of tests/suicide.tsv has its counts. */
static void assert_counted(struct solved *s, const struct bk_variant *v, const char *name,
                           const unsigned long long want[2][3])
{
    struct bk_material m = material(v, name);
    uint64_t got[2][3];
    bool exchanged = bk_material_canonical(&m, v);

    count_as_syzygy(s, &m, got);
    for (unsigned side = 0; side < 2; side++)
        for (unsigned r = 0; r < 3; r++)
            if (got[side ^ exchanged][r] != want[side][r])
                fail_msg("%s, %s to move: %llu, not %llu", name, bk_colour_name(side),
                         (unsigned long long)got[side ^ exchanged][r], want[side][r]);
}

/* Compares with all lines that `wanted` takes.  Returns how many. */
static unsigned compare_counts(const struct bk_variant *v, bool distances,
                               bool (*wanted)(const char *name))
{
    struct solved *s = solved_new(v, &(struct solved_options){ .distances = distances });
    FILE *in = fopen("tests/suicide.tsv", "r");
    unsigned long long n[2][3];
    char line[256], name[16];
    unsigned compared = 0;

    assert_non_null(in);
    while (fgets(line, sizeof line, in))
        if (*line != '#' &&
            sscanf(line, "%15s %llu %llu %llu %llu %llu %llu", name, &n[0][0], &n[0][1], &n[0][2],
                   &n[1][0], &n[1][1], &n[1][2]) == 7 &&
            wanted(name)) {
            assert_counted(s, v, name, (const unsigned long long(*)[3])n);
            compared++;
        }
    fclose(in);
    solved_free(s);
    return compared;
}

/* Takes lines of two and three men; of four, which take seconds each, every tenth. */
static bool is_wanted(const char *name)
{
    static unsigned nth;

    if (!tries_all())
        return strlen(name) == 3 || (strlen(name) == 4 && !strchr(name, 'P')) ||
               !strcmp(name, "NPvP") || !strcmp(name, "KQvRB");
    return strlen(name) < 5 || (!strchr(name, 'P') && ++nth % 10 == 0);
}

static void suicide__has_the_results_of_syzygys_tables(void **state)
{
    struct bk_variant *v = load(SUICIDE);

    (void)state;
    assert_true(compare_counts(v, true, is_wanted) > (tries_all() ? 80 : 40));
    bk_variant_free(v);
}

/* BNvNN has two equal men beside the inner man. */
static bool is_for_one_slice(const char *name)
{
    return strlen(name) == 3 || !strcmp(name, "KQvRB") || !strcmp(name, "RRvK") ||
           !strcmp(name, "BBvN") || !strcmp(name, "BNvNN") ||
           (tries_all() && !strchr(name, 'P') && strlen(name) == 4);
}

/*
 * Each kind gets a change that it can never make, into a man that nobody has lost: so nobody can be
 * an anchor, and a table is one slice.  With four men it has 262,144 configurations, and more
 * positions wait for a ply at once than a list of those due holds.
 */
static void suicide__has_the_same_results_in_one_slice(void **state)
{
    struct bk_variant *suicide = load(SUICIDE);
    struct bk_variant v = *suicide;
    struct bk_report why = { "" };
    unsigned ghost = v.ntypes++;

    (void)state;
    v.geometry = NULL;
    v.piece[ghost] = v.piece[0];
    v.piece[ghost].letter = 'X';
    for (unsigned t = 0; t < ghost; t++)
        v.piece[t].become[v.piece[t].nbecomes++] = (struct bk_become){
            .ranks = bk_all_ranks(&v), .to = { (uint8_t)ghost }, .nto = 1, .lost_only = true
        };
    assert_int_equal(bk_variant_finish(&v, &why), BK_OK);
    assert_true(compare_counts(&v, true, is_for_one_slice) > 10);
    bk_geometry_free(v.geometry);
    bk_variant_free(suicide);
}

/* == Files of games ======================================================= */

static void explain__says_how_a_game_without_a_royal_ends(void **state)
{
    static const struct {
        const char *text, *said;
    } claim[] = {
        { FREE("out-of-men = wins\ncaptures = must\n"), "A side without men has won.\n" },
        { FREE("out-of-men = wins\ncaptures = must\n"), "A side that can capture must.\n" },
        { FREE("out-of-kind = loses K R2\n"),
          "A side without K, or with 2 R or fewer has lost.\n" },
        { FREE("out-of-men = loses\nstalemate = fewer-men-win\n"),
          "Stalemate is a win for the side with fewer men.\n" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof claim / sizeof *claim; i++) {
        struct bk_variant *v = parse(claim[i].text);
        char *text = bk_variant_explain(v);

        if (!text || !strstr(text, claim[i].said) || strstr(text, "Mate wins"))
            fail_msg("%s: %s", claim[i].said, text);
        free(text);
        bk_variant_free(v);
    }
}

static void rules_id__tells_how_a_game_without_a_royal_ends(void **state)
{
    static const char *const text[] = {
        FREE("out-of-men = wins\n"),
        FREE("out-of-men = loses\n"),
        FREE("out-of-kind = loses K\n"),
        FREE("out-of-kind = loses K1\n"),
        FREE("out-of-kind = loses K R\n"),
        FREE("out-of-men = wins\ncaptures = must\n"),
        FREE("out-of-men = wins\nstalemate = win\n"),
        FREE("out-of-men = wins\nstalemate = fewer-men-win\n"),
    };
    uint64_t id[sizeof text / sizeof *text];

    (void)state;
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        struct bk_variant *v = parse(text[i]);

        id[i] = v->rules_id;
        for (size_t j = 0; j < i; j++)
            assert_int_not_equal(id[i], id[j]);
        bk_variant_free(v);
    }
}

static void load__refuses_what_has_no_tables_in_the_name_of_its_rule(void **state)
{
    struct bk_report why = { "" };
    struct bk_variant *v = NULL;

    (void)state;
    assert_int_equal(bk_variant_load(&v, SUICIDE, &why), BK_E_USAGE);
    assert_string_equal(why.text,
                        SUICIDE ": no tables are made yet of games like this: no piece is royal");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(perft__of_suicide_is_what_others_count),
        cmocka_unit_test(perft__of_all_counted_games_is_the_slow_generators),
        cmocka_unit_test(perft__of_chess_with_captures_forced_is_what_others_count),
        cmocka_unit_test(moves__are_those_of_the_slow_generator_in_random_games),
        cmocka_unit_test(end__who_is_out_of_men_has_won_or_lost_as_the_game_says),
        cmocka_unit_test(end__a_side_may_be_out_of_one_kind_alone),
        cmocka_unit_test(end__stalemate_is_worth_what_a_game_without_a_royal_says),
        cmocka_unit_test(tables__of_random_games_are_those_of_the_slow_solver),
        cmocka_unit_test(suicide__has_the_results_of_syzygys_tables),
        cmocka_unit_test(suicide__has_the_same_results_in_one_slice),
        cmocka_unit_test(explain__says_how_a_game_without_a_royal_ends),
        cmocka_unit_test(rules_id__tells_how_a_game_without_a_royal_ends),
        cmocka_unit_test(load__refuses_what_has_no_tables_in_the_name_of_its_rule),
    };

    return cmocka_run_group_tests_name("royal", tests, NULL, NULL);
}
