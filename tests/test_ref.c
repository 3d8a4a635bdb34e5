/*
 * test_ref.c - is the oracle itself right?
 *
 * Three kinds of evidence: published counts (perft, chess distances to mate),
 * single positions a person can check, and laws that hold for every game:
 * a value follows from the values one ply on, and colours may be swapped.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/left_out.h"
#include "tests/random_variant.h"
#include "tests/ref.h"
#include "tests/variant_ini.h"

/* == Games by hand == */

enum { BOTH = BK_QUIET | BK_TAKES };

static void board(struct bk_variant *v, unsigned files, unsigned ranks)
{
    memset(v, 0, sizeof *v);
    v->files = (uint8_t)files;
    v->ranks = (uint8_t)ranks;
    v->nsq = (uint8_t)(files * ranks);
    for (unsigned sq = 0; sq < v->nsq; sq++)
        bk_bits_set(&v->board, sq);
}

static struct bk_piece *piece(struct bk_variant *v, char letter, unsigned army)
{
    struct bk_piece *p = &v->piece[v->ntypes++];

    p->letter = letter;
    p->army = (uint8_t)army;
    p->ranks = (uint16_t)((1u << v->ranks) - 1);
    p->move.steps_max = p->zone.steps_max = 1;
    return p;
}

static void king(struct bk_variant *v)
{
    struct bk_piece *k = piece(v, 'K', 1);

    v->royal = (uint8_t)(v->ntypes - 1);
    k->royal = true;
    movement_add(&k->move, 1, 0, 1, BOTH);
    movement_add(&k->move, 1, 1, 1, BOTH);
}

static struct bk_piece *leaper(struct bk_variant *v, char letter, unsigned army, int a, int b)
{
    struct bk_piece *p = piece(v, letter, army);

    movement_add(&p->move, a, b, 1, BOTH);
    return p;
}

static void rook(struct bk_variant *v) { movement_add(&piece(v, 'R', 2)->move, 1, 0, 0, BOTH); }

/* Adds a pawn that stands from the second rank on; the caller says what it turns into. */
static struct bk_piece *pawn(struct bk_variant *v, unsigned army)
{
    struct bk_piece *p = piece(v, 'P', army);

    movement_step(&p->move, 0, 1, 1, BK_QUIET);
    movement_step(&p->move, 1, 1, 1, BK_TAKES);
    movement_step(&p->move, -1, 1, 1, BK_TAKES);
    p->ranks &= (uint16_t)~1u;
    return p;
}

static unsigned type(const struct bk_variant *v, char letter)
{
    unsigned t = 0;

    while (v->piece[t].letter != letter)
        t++;
    return t;
}

static void turns_into(const struct bk_variant *v, struct bk_piece *p, unsigned ranks,
                       const char *letters, bool must, bool lost_only)
{
    struct bk_become *b = &p->become[p->nbecomes++];

    b->ranks = (uint16_t)ranks;
    b->must = must;
    b->lost_only = lost_only;
    for (; *letters; letters++)
        b->to[b->nto++] = (uint8_t)type(v, *letters);
}

static void chess(struct bk_variant *v)
{
    struct bk_piece *p;

    board(v, 8, 8);
    king(v);
    movement_add(&piece(v, 'Q', 1)->move, 1, 0, 0, BOTH);
    movement_add(&v->piece[1].move, 1, 1, 0, BOTH);
    rook(v);
    movement_add(&piece(v, 'B', 2)->move, 1, 1, 0, BOTH);
    leaper(v, 'N', 2, 2, 1);
    p = pawn(v, 8);
    p->ranks = 0x7e;
    p->double_ranks = 1 << 1;
    turns_into(v, p, 1 << 7, "QRBN", true, false);
    v->en_passant = true;
    v->castling = (struct bk_castling){ true, 2, 0, 4, { 0, 7 }, { 2, 6 }, { 3, 5 }, false };
}

static void shatranj(struct bk_variant *v, unsigned files, unsigned ranks)
{
    struct bk_piece *p;

    board(v, files, ranks);
    king(v);
    rook(v);
    leaper(v, 'N', 2, 2, 1);
    leaper(v, 'B', 2, 2, 2);
    leaper(v, 'Q', 1, 1, 1);
    p = pawn(v, 8);
    p->ranks &= (uint16_t) ~(1u << (ranks - 1));
    turns_into(v, p, 1u << (ranks - 1), "Q", true, false);
    v->bare = BK_BARE_BACK;
    v->stalemate = BK_STALEMATE_LOSS;
}

/* The pawns of Grand Shatranj on a small board with a small army: K N P2. */
static void sitting(struct bk_variant *v, unsigned files, unsigned ranks)
{
    struct bk_piece *p;

    board(v, files, ranks);
    king(v);
    leaper(v, 'N', 1, 2, 1);
    p = pawn(v, 2);
    turns_into(v, p, 1u << (ranks - 1), "N", true, true);
    p->become[0].in_place = true;
    turns_into(v, p, 1u << (ranks - 2), "N", false, true);
    p->zone_ranks = (uint16_t)(1u << (ranks - 1));
    movement_step(&p->zone, 1, 0, 1, BOTH);
    movement_step(&p->zone, -1, 0, 1, BOTH);
    v->bare = BK_BARE_BACK;
}

static struct ref_pos from_fen(const struct bk_variant *v, const char *fen)
{
    struct ref_pos pos;

    if (!ref_from_fen(v, fen, &pos))
        fail_msg("bad FEN: %s", fen);
    return pos;
}

/* Solves a material with a name like "KRvK". */
static struct ref_table *solve(const struct bk_variant *v, const char *material)
{
    uint8_t count[2][BK_TYPES_MAX] = { { 0 } };
    unsigned c = 0;
    struct ref_table *t;

    for (; *material; material++) {
        if (*material == 'v')
            c = 1;
        else
            count[c][type(v, *material)]++;
    }
    t = ref_solve(v, (const uint8_t(*)[BK_TYPES_MAX])count, NULL, 0);
    assert_non_null(t);
    return t;
}

/* == Published counts == */

static void check_perft(const struct bk_variant *v, const char *fen, const uint64_t *lines,
                        unsigned depths)
{
    struct ref_pos pos = from_fen(v, fen);

    for (unsigned d = 1; d <= depths; d++)
        assert_int_equal(ref_perft(v, &pos, d), lines[d - 1]);
}

/* https://www.chessprogramming.org/Perft_Results, positions 1 to 4. */
static void perft__chess_agrees_with_published_counts(void **state)
{
    struct bk_variant v;

    (void)state;
    chess(&v);
    check_perft(&v, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
                (uint64_t[]){ 20, 400, 8902 }, 3);
    check_perft(&v, "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
                (uint64_t[]){ 48, 2039, 97862 }, 3);
    check_perft(&v, "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
                (uint64_t[]){ 14, 191, 2812, 43238 }, 4);
    check_perft(&v, "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
                (uint64_t[]){ 6, 264, 9467 }, 3);
}

/* Fairy-Stockfish, tests/perft.sh. */
static void perft__shatranj_agrees_with_published_counts(void **state)
{
    struct bk_variant v;

    (void)state;
    shatranj(&v, 8, 8);
    check_perft(&v, "rnbkqbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKQBNR w - - 0 1",
                (uint64_t[]){ 16, 256, 4176, 68122 }, 4);
}

struct tally {
    unsigned n[3]; /* losses, draws, wins */
    unsigned dtw_max[3];
};

/* Returns `sq` turned by the s-th symmetry of an 8x8 board; 0 and 1 keep the ranks. */
static unsigned turn(unsigned sq, unsigned s)
{
    unsigned f = sq % 8, r = sq / 8, swap;

    if (s & 1)
        f = 7 - f;
    if (s & 2)
        r = 7 - r;
    if (s & 4) {
        swap = f;
        f = r;
        r = swap;
    }
    return r * 8 + f;
}

/* Is the position the least, by memcmp(), of all that the symmetries make of it? */
static bool is_first(const struct ref_pos *pos, unsigned symmetries)
{
    for (unsigned s = 1; s < symmetries; s++) {
        int8_t at[BK_SQ_MAX] = { 0 };

        for (unsigned sq = 0; sq < 64; sq++)
            at[turn(sq, s)] = pos->at[sq];
        if (memcmp(at, pos->at, sizeof at) < 0)
            return false;
    }
    return true;
}

/* Counts positions of chess tables up to symmetry, one tally a side to move. */
static void count_unique(const struct ref_table *t, unsigned symmetries, struct tally out[2])
{
    struct ref_pos pos;
    struct ref_value value;

    memset(out, 0, 2 * sizeof *out);
    for (uint64_t i = 0; i < ref_size(t); i++) {
        struct tally *side = &out[i & 1];

        if (!ref_at(t, i, &pos, &value) || !is_first(&pos, symmetries))
            continue;
        side->n[value.wdl + 1]++;
        if (value.dtw > side->dtw_max[value.wdl + 1])
            side->dtw_max[value.wdl + 1] = value.dtw;
    }
}

static void check_tally(const struct tally *t, unsigned wins, unsigned draws, unsigned losses,
                        unsigned dtw_max)
{
    assert_int_equal(t->n[2], wins);
    assert_int_equal(t->n[1], draws);
    assert_int_equal(t->n[0], losses);
    assert_int_equal(wins ? t->dtw_max[2] : t->dtw_max[0], dtw_max);
}

/* Unique legal positions and distances to mate, as every generator finds them. */
static void solve__chess_KQvK_and_KRvK_agree_with_known_counts(void **state)
{
    struct bk_variant v;
    struct tally tally[2];
    struct ref_table *t;

    (void)state;
    chess(&v);
    t = solve(&v, "KQvK");
    count_unique(t, 8, tally);
    check_tally(&tally[0], 18081, 0, 0, 19);
    check_tally(&tally[1], 0, 2896, 25160, 20);
    ref_free(t);
    t = solve(&v, "KRvK");
    count_unique(t, 8, tally);
    check_tally(&tally[0], 21959, 0, 0, 31);
    check_tally(&tally[1], 0, 2796, 25260, 32);
    ref_free(t);
}

/* Ten seconds, so only if REF_SLOW is in the environment. */
static void solve__chess_KPvK_agrees_with_known_counts(void **state)
{
    struct bk_variant v;
    struct tally tally[2];
    struct ref_table *t;
    unsigned materials;

    (void)state;
    if (!getenv("REF_SLOW"))
        leave_out("ten seconds, with REF_SLOW=1");
    chess(&v);
    t = solve(&v, "KPvK");
    count_unique(t, 2, tally);
    check_tally(&tally[0], 62480, 19184, 0, 55);
    check_tally(&tally[1], 0, 35210, 48802, 56);
    ref_nodes(t, &materials);
    assert_int_equal(materials, 6); /* K v K, and the pawn as Q, R, B, N or P */
    ref_free(t);
}

/* == Laws == */

static bool better(struct ref_value a, struct ref_value b)
{
    if (a.wdl != b.wdl)
        return a.wdl > b.wdl;
    return a.wdl > 0 ? a.dtw < b.dtw : a.dtw > b.dtw;
}

/* Sets `best` to what follows from the values one ply on; false if there are no moves. */
static bool value_by_moves(struct ref_table *t, const struct bk_variant *v,
                           const struct ref_pos *pos, struct ref_value *best)
{
    struct ref_moves moves = { 0 };
    bool any;

    ref_moves(v, pos, &moves);
    for (unsigned i = 0; i < moves.n; i++) {
        struct ref_pos after = *pos;
        struct ref_value value;

        ref_apply(v, &after, &moves.move[i]);
        assert_true(ref_value(t, &after, &value));
        value.wdl = (int8_t)-value.wdl;
        value.dtw = (uint16_t)(value.dtw + (value.wdl != 0));
        if (i == 0 || better(value, *best))
            *best = value;
    }
    any = moves.n > 0;
    ref_moves_free(&moves);
    return any;
}

/* Every value that is not the end of a game is the best of the values one ply on. */
static void check_one_ply_on(struct ref_table *t, const struct bk_variant *v)
{
    struct ref_pos pos;
    struct ref_value value, expected;

    for (uint64_t i = 0; i < ref_size(t); i++) {
        if (!ref_at(t, i, &pos, &value) || (value.wdl && !value.dtw))
            continue;
        if (value.wdl && value_by_moves(t, v, &pos, &expected)) {
            assert_int_equal(value.wdl, expected.wdl);
            assert_int_equal(value.dtw, expected.dtw);
        }
    }
}

/* The same position with colours swapped and ranks mirrored. */
static struct ref_pos swap_colours(const struct bk_variant *v, const struct ref_pos *pos)
{
    struct ref_pos out = *pos;

    for (unsigned sq = 0; sq < v->nsq; sq++)
        out.at[(v->ranks - 1 - sq / v->files) * v->files + sq % v->files] = (int8_t)-pos->at[sq];
    memcpy(out.left[0], pos->left[1], sizeof out.left[0]);
    memcpy(out.left[1], pos->left[0], sizeof out.left[1]);
    out.stm = !pos->stm;
    return out;
}

static void check_colours(struct ref_table *t, const struct bk_variant *v)
{
    struct ref_pos pos, swapped;
    struct ref_value a, b;

    for (uint64_t i = 0; i < ref_size(t); i++) {
        if (!ref_at(t, i, &pos, &a))
            continue;
        swapped = swap_colours(v, &pos);
        assert_true(ref_value(t, &swapped, &b));
        assert_int_equal(a.wdl, b.wdl);
        assert_int_equal(a.dtw, b.dtw);
    }
}

static bool mirrors(const struct bk_variant *v)
{
    for (unsigned sq = 0; sq < v->nsq; sq++) {
        unsigned other = (v->ranks - 1u - sq / v->files) * v->files + sq % v->files;

        if (bk_bits_has(&v->board, sq) != bk_bits_has(&v->board, other))
            return false;
    }
    return true;
}

/* Two hundred games; REF_SEED=n in the environment draws others. */
static void solve__random_games_obey_the_laws(void **state)
{
    const char *text = getenv("REF_SEED");
    uint64_t seed = text ? strtoull(text, NULL, 0) : 1;
    unsigned done = 0;

    (void)state;
    while (done < 200) {
        uint8_t count[2][BK_TYPES_MAX];
        struct bk_variant v;
        struct ref_table *t;

        random_variant(&v, &seed, NULL);
        if (!random_material(&v, &seed, 4, 4000, count))
            continue;
        t = ref_solve(&v, (const uint8_t(*)[BK_TYPES_MAX])count, NULL, 100000);
        if (!t)
            continue;
        ref_free(t); /* again without a bound: swapped colours come on top */
        t = ref_solve(&v, (const uint8_t(*)[BK_TYPES_MAX])count, NULL, 0);
        assert_non_null(t);
        if (getenv("REF_VERBOSE"))
            variant_print_ini(stdout, &v, (const uint8_t(*)[BK_TYPES_MAX])count);
        check_one_ply_on(t, &v);
        if (mirrors(&v))
            check_colours(t, &v);
        ref_free(t);
        done++;
    }
}

static void random__same_seed_draws_the_same_game(void **state)
{
    uint64_t a = 7, b = 7;
    struct bk_variant *v = malloc(2 * sizeof *v);

    (void)state;
    random_variant(&v[0], &a, NULL);
    random_variant(&v[1], &b, NULL);
    assert_memory_equal(&v[0], &v[1], sizeof v[0]);
    free(v);
}

/* == Positions == */

static void check_value(struct ref_table *t, const struct bk_variant *v, const char *fen, int wdl,
                        unsigned dtw)
{
    struct ref_pos pos = from_fen(v, fen);
    struct ref_value value;

    if (!ref_value(t, &pos, &value))
        fail_msg("illegal: %s", fen);
    if (value.wdl != wdl || value.dtw != dtw)
        fail_msg("%s: wdl %d dtw %u, expected %d %u", fen, value.wdl, value.dtw, wdl, dtw);
}

static void check_illegal(struct ref_table *t, const struct bk_variant *v, const char *fen)
{
    struct ref_pos pos = from_fen(v, fen);
    struct ref_value value;

    assert_false(ref_value(t, &pos, &value));
}

static void bare__decides_at_once_unless_bared_back(void **state)
{
    struct bk_variant v;
    struct ref_table *t;

    (void)state;
    shatranj(&v, 5, 5);
    t = solve(&v, "KRvKR");
    check_value(t, &v, "4k/5/5/5/R1K2 b", -1, 0);   /* out of reach            */
    check_value(t, &v, "4k/5/5/5/R1K2 w", 1, 0);    /* has happened            */
    check_value(t, &v, "5/5/5/1k3/R2K1 b", 0, 0);   /* takes it: king v king   */
    check_value(t, &v, "5/5/5/1k3/R2K1 w", 1, 0);   /* not his move            */
    check_value(t, &v, "5/2K2/2R2/2k2/5 b", -1, 0); /* guarded                 */
    check_value(t, &v, "4k/5/5/5/K4 b", 0, 0);      /* king against king       */
    check_value(t, &v, "r3k/5/5/5/R1K2 w", 1, 1);   /* takes, out of reach     */
    check_value(t, &v, "rk3/5/5/5/R1K2 w", 0, 0);   /* takes, is taken: draw   */
    check_illegal(t, &v, "R3k/5/5/5/2K2 w");        /* the king could be taken */
    check_illegal(t, &v, "5/5/5/5/1Kk2 w");
    ref_free(t);
    v.bare = BK_BARE_WINS;
    t = solve(&v, "KRvK");
    check_value(t, &v, "5/5/5/1k3/R2K1 b", -1, 0);
    check_value(t, &v, "5/5/5/1k3/R2K1 w", 1, 0);
    ref_free(t);
    v.bare = BK_BARE_NOTHING;
    t = solve(&v, "KRvK");
    check_value(t, &v, "5/5/5/1k3/R2K1 b", 0, 0);
    check_value(t, &v, "k4/5/1K3/5/3R1 w", 1, 1);
    ref_free(t);
}

/* A bare king has lost even when it is stalemated, and two men cannot be bared back. */
static void bare__two_men_left_is_a_win(void **state)
{
    struct bk_variant v;
    struct ref_table *t;

    (void)state;
    shatranj(&v, 4, 4);
    t = solve(&v, "KRQvK");
    check_value(t, &v, "4/4/1k2/RQ1K b", -1, 0);
    check_value(t, &v, "k3/4/1Q2/1R1K b", -1, 0);
    ref_free(t);
}

static void stalemate__is_worth_what_the_variant_says(void **state)
{
    struct bk_variant v;
    struct ref_table *t;

    (void)state;
    shatranj(&v, 5, 5);
    v.bare = BK_BARE_NOTHING;
    t = solve(&v, "KRvK");
    check_value(t, &v, "k1K2/1R3/5/5/5 b", -1, 0);
    check_value(t, &v, "k1K2/4R/5/5/5 w", 1, 1); /* Rb4 stalemates, and that wins */
    ref_free(t);
    v.stalemate = BK_STALEMATE_DRAW;
    t = solve(&v, "KRvK");
    check_value(t, &v, "k1K2/1R3/5/5/5 b", 0, 0);
    check_value(t, &v, "k1K2/5/5/5/R4 b", -1, 0); /* mate */
    ref_free(t);
}

/* Are the legal moves from the square `from`, in any order, exactly these? */
static void check_moves(const struct bk_variant *v, const char *fen, const char *from,
                        const char *expected)
{
    struct ref_pos pos = from_fen(v, fen);
    struct ref_moves moves = { 0 };
    unsigned n = 0, wanted = 0;
    char text[16];

    for (const char *s = expected; *s; s++)
        wanted += *s == ' ';
    ref_moves(v, &pos, &moves);
    for (unsigned i = 0; i < moves.n; i++) {
        char word[20];

        ref_move_text(v, &moves.move[i], text);
        if (strncmp(text, from, strlen(from)))
            continue;
        snprintf(word, sizeof word, "%s ", text);
        if (!strstr(expected, word))
            fail_msg("%s: unexpected %s", fen, text);
        n++;
    }
    assert_int_equal(n, wanted);
    ref_moves_free(&moves);
}

static void moves__sitting_pawn(void **state)
{
    struct bk_variant v;

    (void)state;
    sitting(&v, 5, 5);
    /* nothing lost: stays, steps and takes sideways */
    check_moves(&v, "1Pn2/5/k4/5/N3K w", "b5", "b5a5 b5c5 ");
    /* the knight is lost: where it stands, or on arrival and then it must */
    check_moves(&v, "1Pn2/5/k4/5/4K w", "b5", "b5b5=N b5a5=N b5c5=N ");
    /* arriving: must if anything is lost, stays otherwise */
    check_moves(&v, "5/1P3/4k/5/4K w", "b4", "b4b5=N ");
    check_moves(&v, "5/1P3/4k/5/N3K w", "b4", "b4b5 ");
    /* a rank before: may; and not in place */
    check_moves(&v, "5/5/1P2k/5/4K w", "b3", "b3b4 b3b4=N ");
    /* Black's last rank is the first */
    check_moves(&v, "4K/5/k4/5/1p3 b", "b1", "b1b1=N b1a1=N b1c1=N ");
    /* attacks sideways, not ahead */
    check_moves(&v, "kP3/5/4K/5/N4 b", "a5", "a5b5 a5a4 a5b4 ");
}

static void solve__sitting_pawn(void **state)
{
    struct bk_variant v;
    struct ref_table *t;

    (void)state;
    sitting(&v, 4, 4);
    t = solve(&v, "KPvKN");
    check_value(t, &v, "Pn2/4/3k/K3 w", 1, 1); /* takes sideways, and bares for good */
    check_one_ply_on(t, &v);
    ref_free(t);
    sitting(&v, 3, 4);
    t = solve(&v, "KPPvKN");
    check_one_ply_on(t, &v);
    ref_free(t);
}

static void moves__evolution_spends_allowances(void **state)
{
    struct bk_variant v;
    struct bk_piece *p;
    struct ref_pos pos;
    struct ref_moves moves = { 0 };

    (void)state;
    board(&v, 5, 5);
    king(&v);
    rook(&v);
    p = leaper(&v, 'W', 2, 1, 0);
    turns_into(&v, p, 0x1c, "R", false, false);
    p->become[0].counted = true;
    v.limit[1] = 2;
    check_moves(&v, "4k/5/5/W4/3K1 w", "a2", "a2a3 a2a3=R a2b2 a2a1 ");
    check_moves(&v, "4k/5/5/W4/3K1[R] w", "a2", "a2a3 a2a3=R a2b2 a2a1 ");
    check_moves(&v, "4k/5/5/W4/3K1[r] w", "a2", "a2a3 a2b2 a2a1 ");
    pos = from_fen(&v, "4k/5/5/W4/3K1[RRr] w");
    ref_moves(&v, &pos, &moves);
    for (unsigned i = 0; i < moves.n; i++) {
        struct ref_pos after = pos;

        ref_apply(&v, &after, &moves.move[i]);
        assert_int_equal(after.left[BK_WHITE][1], moves.move[i].changed ? 1 : 2);
        assert_int_equal(after.left[BK_BLACK][1], 1);
    }
    ref_moves_free(&moves);
}

static void moves__two_steps_straight_and_free(void **state)
{
    struct bk_variant v;
    struct bk_piece *p;

    (void)state;
    board(&v, 5, 5);
    king(&v);
    p = leaper(&v, 'L', 1, 1, 0);
    movement_add(&p->move, 2, 0, 1, BOTH);
    p->move.steps_max = 2;
    check_moves(&v, "k4/5/5/5/L3K w", "a1", "a1a2 a1a3 a1a4 a1a5 a1b1 a1c1 a1d1 ");
    /* distance 3 needs either middle empty, distance 4 the one in the middle */
    check_moves(&v, "4k/5/l4/5/LK3 w", "a1", "a1a2 a1a3 a1a4 a1c1 a1d1 a1e1 ");
    v.piece[1].move.bend = true;
    check_moves(&v, "4k/5/5/K4/L4 w", "a1",
                "a1a3 a1a4 a1a5 a1b1 a1b2 a1b3 a1c1 a1c2 a1c3 a1d1 a1e1 ");
}

static void moves__takes_twice(void **state)
{
    struct bk_variant v;
    struct bk_piece *p;

    (void)state;
    board(&v, 4, 4);
    king(&v);
    p = leaper(&v, 'W', 3, 1, 0);
    p->move.steps_max = 2;
    p->move.takes_twice = true;
    check_moves(&v, "3k/w3/w3/W2K w", "a1", "a1a2 a1a2a3 a1b1 a1c1 ");
    check_moves(&v, "3k/4/w3/W2K w", "a1", "a1a2 a1a2a3 a1b1 a1c1 ");
}

static void moves__cannon_hops_to_take(void **state)
{
    struct bk_variant v;
    struct bk_piece *p;

    (void)state;
    board(&v, 5, 5);
    king(&v);
    p = piece(&v, 'C', 2);
    movement_add(&p->move, 1, 0, 0, BK_QUIET);
    movement_add(&p->move, 1, 0, 0, BK_TAKES | BK_HOPS);
    check_moves(&v, "c2k1/5/c4/5/C1K1c w", "a1", "a1a2 a1a5 a1b1 a1e1 ");
    v.board.w[0] &= ~(UINT64_C(1) << 15); /* a hole on a4 stops it */
    check_moves(&v, "c2k1/*4/c4/5/C1K1c w", "a1", "a1a2 a1b1 a1e1 ");
}

/* Six ranks, rook promotion, double steps from the second. */
static void doubling(struct bk_variant *v, unsigned files)
{
    struct bk_piece *p;

    board(v, files, 6);
    king(v);
    rook(v);
    p = pawn(v, 2);
    p->ranks = 0x1e;
    p->double_ranks = 1 << 1;
    turns_into(v, p, 1 << 5, "R", true, false);
    v->en_passant = true;
}

static void moves__en_passant(void **state)
{
    struct bk_variant v;

    (void)state;
    doubling(&v, 4);
    check_moves(&v, "3k/4/4/Pp2/3K/4 w - b4", "a3", "a3a4 a3b4 ");
    check_moves(&v, "3k/4/4/Pp2/3K/4 w - -", "a3", "a3a4 ");
    check_moves(&v, "3k/4/Pp2/4/4/3K b - a3", "b4", "b4b3 b4a3 ");
    check_moves(&v, "3k/4/4/4/P3/3K w - -", "a2", "a2a3 a2a4 ");
    check_moves(&v, "3k/4/4/p3/P3/3K w - -", "a2", "");
}

static void solve__en_passant_follows_from_the_moves(void **state)
{
    struct bk_variant v;
    struct ref_table *t;
    struct ref_pos pos;
    struct ref_value with, by_moves;

    (void)state;
    doubling(&v, 3);
    t = solve(&v, "KPvKP");
    check_one_ply_on(t, &v);
    check_colours(t, &v);
    pos = from_fen(&v, "2k/3/3/pP1/2K/3 w - a4");
    assert_true(ref_value(t, &pos, &with));
    assert_true(value_by_moves(t, &v, &pos, &by_moves));
    assert_int_equal(with.wdl, by_moves.wdl);
    assert_int_equal(with.dtw, by_moves.dtw);
    check_illegal(t, &v, "2k/3/p2/1P1/2K/3 w - a4"); /* no pawn has passed there */
    ref_free(t);
}

static void solve__castling_rights_follow_from_the_moves(void **state)
{
    struct bk_variant v;
    struct ref_table *t;
    struct ref_pos pos;
    struct ref_value value, expected;

    (void)state;
    board(&v, 6, 4);
    king(&v);
    rook(&v);
    v.castling = (struct bk_castling){ true, 1, 0, 2, { 0, 5 }, { 1, 4 }, { 2, 3 }, false };
    check_moves(&v, "6/6/k5/R1K2R w KQ", "c1", "c1d1 c1c2 c1d2 c1e1 "); /* b1 is attacked, and b2 */
    t = solve(&v, "KRvK");
    pos = from_fen(&v, "k5/6/6/2K2R w K");
    assert_true(ref_value(t, &pos, &value));
    assert_true(value_by_moves(t, &v, &pos, &expected));
    assert_int_equal(value.wdl, expected.wdl);
    assert_int_equal(value.dtw, expected.dtw);
    assert_int_equal(value.wdl, 1);
    check_illegal(t, &v, "k5/6/6/1K3R w K");
    ref_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(perft__chess_agrees_with_published_counts),
        cmocka_unit_test(perft__shatranj_agrees_with_published_counts),
        cmocka_unit_test(bare__decides_at_once_unless_bared_back),
        cmocka_unit_test(bare__two_men_left_is_a_win),
        cmocka_unit_test(stalemate__is_worth_what_the_variant_says),
        cmocka_unit_test(moves__sitting_pawn),
        cmocka_unit_test(solve__sitting_pawn),
        cmocka_unit_test(moves__evolution_spends_allowances),
        cmocka_unit_test(moves__two_steps_straight_and_free),
        cmocka_unit_test(moves__takes_twice),
        cmocka_unit_test(moves__cannon_hops_to_take),
        cmocka_unit_test(moves__en_passant),
        cmocka_unit_test(solve__en_passant_follows_from_the_moves),
        cmocka_unit_test(solve__castling_rights_follow_from_the_moves),
        cmocka_unit_test(random__same_seed_draws_the_same_game),
        cmocka_unit_test(solve__random_games_obey_the_laws),
        cmocka_unit_test(solve__chess_KQvK_and_KRvK_agree_with_known_counts),
        cmocka_unit_test(solve__chess_KPvK_agrees_with_known_counts),
    };

    return cmocka_run_group_tests_name("ref", tests, NULL, NULL);
}
