/*
 * test_move.c - moves, changes, attacks and the ends of games.
 *
 * Oracles: perft counts that are public (chess) or that Fairy-Stockfish and
 * ChessV agree on (the Shatranj family); for the rest, positions small enough
 * to be checked against docs/rules.md by eye.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/attack.h"
#include "core/end.h"
#include "core/load.h"
#include "core/move.h"
#include "core/read.h"
#include "core/rules.h"
#include "tests/given.h"

/* Returns a copy of `of` whose armies are king, knight and two pawns, so that few can be lost. */
static struct bk_variant few_men(const struct bk_variant *of)
{
    struct bk_variant v = *of;

    for (unsigned type = 0; type < v.ntypes; type++)
        v.piece[type].army = v.piece[type].letter == 'K' || v.piece[type].letter == 'N';
    v.piece[bk_variant_type(&v, 'P')].army = 2;
    return v;
}

static int by_name(const void *a, const void *b) { return strcmp(a, b); }

/* Fails unless the legal moves whose names begin with `prefix` are `expected`: names in order, one
   space between. */
static void assert_moves(const struct bk_variant *v, const char *fen, const char *prefix,
                         const char *expected)
{
    struct bk_pos p = read_fen(v, fen);
    static struct bk_move move[BK_MOVES_MAX];
    static char name[BK_MOVES_MAX][16], list[BK_MOVES_MAX * 17];
    unsigned n = bk_moves_legal(v, &p, move), kept = 0;
    size_t at = 0;

    for (unsigned i = 0; i < n; i++) {
        bk_move_name(v, &move[i], name[kept]);
        kept += !strncmp(name[kept], prefix, strlen(prefix));
    }
    qsort(name, kept, sizeof name[0], by_name);
    list[0] = 0;
    for (unsigned i = 0; i < kept; i++)
        at += (size_t)sprintf(list + at, "%s%s", i ? " " : "", name[i]);
    assert_string_equal(list, expected);
}

/* Fails unless playing the legal move `name` leads to the FEN `after`. */
static void assert_play(const struct bk_variant *v, const char *fen, const char *name,
                        const char *after)
{
    struct bk_pos p = read_fen(v, fen);
    struct bk_move move[BK_MOVES_MAX];
    unsigned n = bk_moves_legal(v, &p, move);
    char text[BK_FEN_MAX];

    for (unsigned i = 0; i < n; i++)
        if (!strcmp(bk_move_name(v, &move[i], text), name)) {
            bk_pos_play(&p, v, &move[i]);
            assert_string_equal(bk_pos_to_fen(&p, v, text), after);
            return;
        }
    fail_msg("%s: no move %s", fen, name);
}

static void assert_end(const struct bk_variant *v, const char *fen, enum bk_end end, int wdl)
{
    struct bk_pos p = read_fen(v, fen);
    int got = 99;

    assert_int_equal(bk_pos_end(v, &p, &got), end);
    assert_int_equal(got, end == BK_END_NONE ? 99 : wdl);
}

/* == Counts ============================================================== */

static void perft__counts_what_others_count(void **state)
{
    static const struct {
        const char *variant, *fen; /* NULL: the start */
        uint64_t leaves[4];
    } row[] = {
        { "chess", NULL, { 20, 400, 8902, 197281 } },
        { "chess",
          "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
          { 48, 2039, 97862 } },
        { "chess", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", { 14, 191, 2812, 43238 } },
        { "chess",
          "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
          { 6, 264, 9467, 422333 } },
        { "chess",
          "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
          { 44, 1486, 62379 } },
        { "sultan", NULL, { 30, 900, 28648 } },
        { "grand-shatranj", NULL, { 63, 3969, 245735 } },
        { "grand-shatranj-rook", NULL, { 69, 4761 } },
        { "grand-shatranj-gilded22", NULL, { 50, 2500 } },
        { "grand-shatranj-commoner", NULL, { 63, 3969 } },
        { "grand-shatranj-rook-commoner", NULL, { 69, 4761 } },
        { "grand-shatranj-gilded-commoner", NULL, { 66, 4356 } },
        { "atlantean", NULL, { 93, 7571 } },
        { "destruction-of-atlantis", NULL, { 93, 56562 } },
        { "atlantean-double-jumper", NULL, { 93, 7543 } },
        { "atlantean-double-commoner", NULL, { 93, 7543 } },
        { "darwinian", NULL, { 26, 676 } },
        { "shatranj", NULL, { 16, 256 } },
    };

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct bk_variant *v = load(row[i].variant);
        struct bk_pos p = read_fen(v, row[i].fen ? row[i].fen : v->start);

        for (unsigned depth = 1; depth <= 4 && row[i].leaves[depth - 1]; depth++)
            if (bk_perft(v, &p, depth) != row[i].leaves[depth - 1])
                fail_msg("%s %s: %llu at depth %u", row[i].variant, row[i].fen ? row[i].fen : "",
                         (unsigned long long)bk_perft(v, &p, depth), depth);
        bk_variant_free(v);
    }
}

static void perft__is_the_same_for_the_mirrored_side(void **state)
{
    static const struct {
        const char *variant, *white, *black;
    } row[] = {
        { "darwinian", "4k4/9/3r1c3/2W1F1Y2/9/1D1E5/6P2/U8/4K4 w",
          "4k4/u8/6p2/1d1e5/9/2w1f1y2/3R1C3/9/4K4 b" },
        { "grand-shatranj", "P7k1/2P7/2o4l2/10/4L5/10/2O7/5n4/10/K9 w",
          "k9/10/5N4/2o7/10/4l5/10/2O4L2/2p7/p7K1 b" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct bk_variant *v = load(row[i].variant);
        struct bk_pos a = read_fen(v, row[i].white), b = read_fen(v, row[i].black);

        for (unsigned depth = 1; depth <= 3; depth++)
            assert_int_equal(bk_perft(v, &a, depth), bk_perft(v, &b, depth));
        bk_variant_free(v);
    }
}

/* == Moves that are read: docs/rules.md, "How positions are written" ===== */

static void move__is_read_as_clients_write_it(void **state)
{
    static const char promotes[] = "8/P6k/8/8/8/8/8/K7 w", castles[] = "4k3/8/8/8/8/8/8/R3K2R w KQ";
    static const char bends[] = "7k/8/8/8/8/8/8/K7 w",
                      knight[] = "10/1P8/5k4/10/10/10/10/10/3K6/8n1 w";
    static const struct {
        const char *game, *fen, *word, *name; /* NULL: it is refused */
    } row[] = {
        { "chess", promotes, "a7a8q", "a7a8=Q" },
        { "chess", promotes, "a7a8N", "a7a8=N" },
        { "chess", promotes, "A7A8=R", "a7a8=R" },
        { "chess", promotes, "a7-a8=b+", "a7a8=B" },
        { "chess", promotes, "a7a8", NULL }, /* into whom? */
        { "chess", promotes, "a7a8k", NULL },
        { "chess", promotes, "a7a8qq", NULL },
        { "chess", promotes, "a1a2q", NULL },
        { "chess", promotes, "a1:a2", "a1a2" },
        { "chess", promotes, "a1a9", NULL },
        { "chess", promotes, "a1", NULL },
        { "chess", promotes, "", NULL },
        { "chess", promotes, "0000", NULL },
        { "chess", castles, "e1h1", "e1g1" },
        { "chess", castles, "e1a1", "e1c1" },
        { "chess", castles, "O-O", "e1g1" },
        { "chess", castles, "0-0-0", "e1c1" },
        { "chess", castles, "ooo", "e1c1" },
        { "chess", castles, "O-O-O-O", NULL },
        { "chess", castles, "O-", NULL },
        { "chess", "4k3/8/8/8/8/8/8/4K2R w", "e1h1", NULL },
        { "shatranj", "7k/P7/8/8/8/8/8/K7 w", "a7a8", "a7a8=Q" }, /* nothing else can come to be */
        { "atlantean", knight, "b9b10x", "b9b10=X" },
        { "atlantean", knight, "b9xb10x", "b9b10=X" },
        { "chess", bends, "A1b2", NULL }, /* neither form */
    };

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct bk_variant *v = load(row[i].game);
        struct bk_pos p = read_fen(v, row[i].fen);
        struct bk_move m;
        char name[16];
        enum bk_err err = bk_move_read(&m, v, &p, row[i].word, strlen(row[i].word), 1, NULL);

        if ((err == BK_OK) != (row[i].name != NULL) ||
            (!err && strcmp(bk_move_name(v, &m, name), row[i].name)))
            fail_msg("%s: %s", row[i].word, err ? "refused" : name);
        bk_variant_free(v);
    }
}

/* Fails unless a word of n letters means this move. */
static void assert_means(const struct bk_variant *v, const struct bk_pos *p, const char *word,
                         unsigned first_rank, const struct bk_move *m)
{
    struct bk_move read;
    char name[16];

    if (bk_move_read(&read, v, p, word, strlen(word), first_rank, NULL))
        fail_msg("%s: %s is refused", v->name, word);
    if (strcmp(bk_move_name(v, &read, name), word) && first_rank && strchr(word, '='))
        fail_msg("%s: %s is read as %s", v->name, word, name);
    assert_int_equal(read.from, m->from);
    assert_int_equal(read.to, m->to);
    assert_int_equal(read.becomes, m->becomes);
    assert_int_equal(read.also, m->also);
    assert_int_equal(read.castles, m->castles);
}

/* The name with ranks from 0, as XBoard numbers ten of them. */
static void rank_zero(const char *name, char out[32])
{
    size_t n = 0;

    while (*name) {
        char *end;

        if (*name >= '0' && *name <= '9') {
            n += (size_t)sprintf(out + n, "%ld", strtol(name, &end, 10) - 1);
            name = end;
        } else {
            out[n++] = *name++;
        }
    }
    out[n] = 0;
}

/* Each move of random games is read by its name, and as engines and XBoard write it. */
static void move__is_read_by_the_name_that_it_is_given(void **state)
{
    struct bk_move move[BK_MOVES_MAX];
    unsigned seed = 1;

    (void)state;
    for (const struct bk_embedded *e = bk_embedded_variants; e->name; e++) {
        struct bk_variant *v = load(e->name);
        struct bk_pos p;

        if (*v->start && !bk_rules_homes_told(v))
            p = read_fen(v, v->start);
        for (unsigned ply = 0; ply < 40 && *v->start && !bk_rules_homes_told(v); ply++) {
            unsigned n = bk_moves_legal(v, &p, move);

            for (unsigned i = 0; i < n; i++) {
                char name[16], other[32], *becomes;

                assert_means(v, &p, bk_move_name(v, &move[i], name), 1, &move[i]);
                rank_zero(name, other);
                assert_means(v, &p, other, 0, &move[i]);
                if ((becomes = strchr(name, '=')) != NULL) {
                    becomes[0] = (char)(becomes[1] + 32);
                    becomes[1] = 0;
                    assert_means(v, &p, name, 1, &move[i]);
                }
            }
            if (!n)
                break;
            seed = seed * 1664525 + 1013904223;
            bk_pos_play(&p, v, &move[(seed >> 8) % n]);
        }
        bk_variant_free(v);
    }
}

/* == Castling ============================================================ */

static void castling__moves_king_and_rook(void **state)
{
    struct bk_variant *chess = load("chess"), *sultan = load("sultan");

    (void)state;
    assert_play(chess, "r3k2r/8/8/8/8/8/8/R3K2R w KQkq", "e1g1",
                "r3k2r/8/8/8/8/8/8/R4RK1 b kq - 0 1");
    assert_play(chess, "r3k2r/8/8/8/8/8/8/R3K2R b KQkq", "e8c8",
                "2kr3r/8/8/8/8/8/8/R3K2R w KQ - 0 2");
    assert_play(sultan, "r4k3r/10/10/10/10/10/10/R4K3R w KQkq", "f1i1",
                "r4k3r/10/10/10/10/10/10/R6RK1 b kq - 0 1");
    assert_play(sultan, "r4k3r/10/10/10/10/10/10/R4K3R b KQkq", "f8c8",
                "2kr5r/10/10/10/10/10/10/R4K3R w KQ - 0 2");
    bk_variant_free(chess);
    bk_variant_free(sultan);
}

static void castling__needs_free_and_safe_squares(void **state)
{
    struct bk_variant *v = load("chess");

    (void)state;
    assert_moves(v, "4k3/8/8/8/8/8/8/R3K2R w KQ", "e1", "e1c1 e1d1 e1d2 e1e2 e1f1 e1f2 e1g1");
    assert_moves(v, "4k3/8/8/8/8/8/8/R3K2R w Q", "e1", "e1c1 e1d1 e1d2 e1e2 e1f1 e1f2");
    /* the king in check; over an attacked square; onto one; only the rook crosses one */
    assert_moves(v, "4k3/4r3/8/8/8/8/8/R3K2R w KQ", "e1", "e1d1 e1d2 e1f1 e1f2");
    assert_moves(v, "3rk3/8/8/8/8/8/8/R3K3 w Q", "e1", "e1e2 e1f1 e1f2");
    assert_moves(v, "2r1k3/8/8/8/8/8/8/R3K3 w Q", "e1", "e1d1 e1d2 e1e2 e1f1 e1f2");
    assert_moves(v, "1r2k3/8/8/8/8/8/8/R3K3 w Q", "e1", "e1c1 e1d1 e1d2 e1e2 e1f1 e1f2");
    /* a man next to the rook is in its way */
    assert_moves(v, "4k3/8/8/8/8/8/8/RN2K3 w Q", "e1", "e1d1 e1d2 e1e2 e1f1 e1f2");
    bk_variant_free(v);
}

/* A game of a king and two rooks that castle to the files `to`; other pieces may be appended. */
#define KING_AND_ROOKS(to)                                                                         \
    "[variant]\nname = c\ntitle = c\nsource = c\nboard = 8x8\n"                                    \
    "bare-king = nothing\nstalemate = draw\n"                                                      \
    "castling-rook = R\ncastling-king-file = e\n"                                                  \
    "castling-rook-files = a h\ncastling-king-to = c g\ncastling-rook-to = " to "\n"               \
    "[piece king]\nletter = K\nroyal = yes\nmove = K\narmy = 1\n"                                  \
    "[piece rook]\nletter = R\nmove = R\narmy = 2\n"

/* A castling king that has left home is no screen for a cannon. */
static void castling__king_under_way_is_no_screen(void **state)
{
    static const char text[] =
        KING_AND_ROOKS("a h") "[piece cannon]\nletter = C\nmove = mRcpR\narmy = 2\n";
    struct bk_variant *v = parse(text);

    (void)state;
    assert_moves(v, "k7/8/8/8/8/8/8/c3K2R w K", "e1", "e1d1 e1d2 e1e2 e1f1 e1f2 e1g1");
    bk_variant_free(v);
}

static void castling__rights_go_with_king_and_rook(void **state)
{
    struct bk_variant *v = load("chess");

    (void)state;
    assert_play(v, "r3k2r/8/8/8/8/8/8/R3K2R w KQkq", "e1e2", "r3k2r/8/8/8/8/8/4K3/R6R b kq - 0 1");
    assert_play(v, "r3k2r/8/8/8/8/8/8/R3K2R w KQkq", "a1b1",
                "r3k2r/8/8/8/8/8/8/1R2K2R b Kkq - 0 1");
    assert_play(v, "r3k2r/8/8/8/8/8/8/R3K2R w KQkq", "h1h8", "r3k2R/8/8/8/8/8/8/R3K3 b Qq - 0 1");
    bk_variant_free(v);
}

/* A man of two steps may take a rook at home with the first. */
static void castling__right_goes_with_a_rook_that_is_passed(void **state)
{
    static const char text[] =
        KING_AND_ROOKS("d f") "[piece lion]\nletter = L\nmove = K\nsteps = 2\nbend = free\n"
                              "takes-twice = yes\narmy = 1\n";
    struct bk_variant *v = parse(text);

    (void)state;
    assert_play(v, "4k3/8/8/8/8/8/1l6/R3K2R b KQ", "b2a1b1", "4k3/8/8/8/8/8/8/1l2K2R w K - 0 2");
    assert_play(v, "4k3/8/8/8/8/8/1l6/RL2K2R b KQ", "b2a1b1", "4k3/8/8/8/8/8/8/1l2K2R w K - 0 2");
    bk_variant_free(v);
}

/* == Double steps and en passant ========================================= */

static void double_step__leaves_its_square_behind(void **state)
{
    struct bk_variant *v = load("grand-shatranj-double");

    (void)state;
    assert_play(v, "k9/10/10/10/10/10/10/P9/10/K9 w", "a3a5",
                "k9/10/10/10/10/P9/10/10/10/K9 b - a4 0 1");
    assert_play(v, "k9/10/10/10/10/10/10/P9/10/K9 w", "a3a4",
                "k9/10/10/10/10/10/P9/10/10/K9 b - - 0 1");
    assert_moves(v, "k9/10/10/10/10/10/n9/P9/10/K9 w", "a3", "");
    assert_moves(v, "k9/10/10/10/10/n9/10/P9/10/K9 w", "a3", "a3a4");
    bk_variant_free(v);
}

/* A double step that promoted left an en passant square once: files and move lists disagreed. */
static void double_step__that_changes_the_man_leaves_no_square(void **state)
{
    struct bk_variant *v = parse("[variant]\nname = short\nboard = 4x5\nen-passant = yes\n"
                                 "[piece king]\nletter = K\nroyal = yes\nmove = K\n"
                                 "[piece pawn]\nletter = P\nmove = mfWcfF\ndouble-step = 2\n"
                                 "becomes = 4 may R\n[piece rook]\nletter = R\nmove = R\n");

    (void)state;
    assert_play(v, "k3/1p2/4/P3/3K w", "a2a4", "k3/Pp2/4/4/3K b - a3 0 1");
    assert_play(v, "k3/1p2/4/P3/3K w", "a2a4=R", "k3/Rp2/4/4/3K b - - 0 1");
    bk_variant_free(v);
}

/* A rider goes two squares ahead anyway: even from his first rank he is not taken in passing. */
static void double_step__of_a_rider_is_none(void **state)
{
    struct bk_variant *v = parse("[variant]\nname = short\nboard = 4x5\nen-passant = yes\n"
                                 "[piece king]\nletter = K\nroyal = yes\nmove = K\n"
                                 "[piece rook]\nletter = R\nmove = R\ndouble-step = 2\n"
                                 "[piece pawn]\nletter = P\nmove = mfWcfF\ndouble-step = 2\n");

    (void)state;
    assert_play(v, "k3/1p2/4/R3/3K w", "a2a4", "k3/Rp2/4/4/3K b - - 0 1");
    assert_play(v, "k3/1p2/4/P3/3K w", "a2a4", "k3/Pp2/4/4/3K b - a3 0 1");
    bk_variant_free(v);
}

static void turn__stays_at_the_last_that_a_fen_can_tell(void **state)
{
    struct bk_variant *v = load("chess");

    (void)state;
    assert_play(v, "4k3/8/8/8/8/8/8/4K3 b - - 0 65534", "e8e7",
                "8/4k3/8/8/8/8/8/4K3 w - - 0 65535");
    assert_play(v, "4k3/8/8/8/8/8/8/4K3 b - - 0 65535", "e8e7",
                "8/4k3/8/8/8/8/8/4K3 w - - 0 65535");
    bk_variant_free(v);
}

static void en_passant__takes_the_man_that_passed(void **state)
{
    struct bk_variant *v = load("grand-shatranj-double");

    (void)state;
    assert_moves(v, "k9/10/10/10/10/Pp8/10/10/10/K9 b - a4", "b5", "b5a4 b5b4");
    assert_play(v, "k9/10/10/10/10/Pp8/10/10/10/K9 b - a4", "b5a4",
                "k9/10/10/10/10/10/p9/10/10/K9 w - - 0 2");
    assert_play(v, "k9/10/10/10/10/Pp8/10/10/10/K9 b - a4", "b5b4",
                "k9/10/10/10/10/P9/1p8/10/10/K9 w - - 0 2");
    /* pieces other than pawns do not take in passing */
    assert_play(v, "k9/10/10/10/10/P9/10/1n8/10/9K b - a4", "b3a5",
                "k9/10/10/10/10/n9/10/10/10/9K w - - 0 2");
    assert_play(v, "k9/10/10/10/10/Pl8/1l8/10/10/9K b - a4", "b4a4",
                "k9/10/10/10/10/Pl8/l9/10/10/9K w - - 0 2");
    bk_variant_free(v);
}

/* A capture in passing is listed once, however many paths one man has to the square: hopping over
   the passer or leaping, straight or taking the passer on the way. */
static void en_passant__is_one_move(void **state)
{
    static const char game[] = "[variant]\nname = passing\nboard = 4x5\nen-passant = yes\n"
                               "[piece king]\nletter = K\nroyal = yes\nmove = K\n"
                               "[piece pawn]\nletter = P\nmove = mfWcfDcpfW2\ndouble-step = 1-2\n"
                               "[piece lion]\nletter = S\nmove = fWfF\nsteps = 2\nbend = free\n"
                               "takes-twice = yes\ndouble-step = 1\n";
    struct bk_variant *v = parse(game);

    (void)state;
    assert_moves(v, "K2k/4/4/2p1/2P1 w - c3", "c1", "c1c2c3");
    assert_play(v, "K2k/4/4/2p1/2P1 w - c3", "c1c2c3", "K2k/4/2P1/4/4 b - - 0 1");
    assert_moves(v, "K2k/4/4/2p1/1S2 w - c3", "b1",
                 "b1a2 b1a3 b1b2 b1b3 b1c2 b1c2b3 b1c2c3 b1c2d3 b1c3");
    assert_moves(v, "K2k/4/4/2p1/1S2 w", "b1",
                 "b1a2 b1a3 b1b2 b1b3 b1c2 b1c2b3 b1c2c3 b1c2d3 b1c3");
    bk_variant_free(v);
}

static void en_passant__may_not_uncover_the_king(void **state)
{
    struct bk_variant *v = load("chess");

    (void)state;
    assert_moves(v, "8/8/8/8/k2Pp2R/8/8/4K3 b - d3", "e4", "e4e3");
    assert_moves(v, "8/8/8/8/k2Pp3/8/8/4K3 b - d3", "e4", "e4d3 e4e3");
    bk_variant_free(v);
}

/* == Pawns of the Joyce games ============================================ */

static void joyce_pawn__changes_only_into_what_is_lost(void **state)
{
    struct bk_variant *grand = load("grand-shatranj");
    struct bk_variant v = few_men(grand);

    (void)state;
    /* on the ninth rank a pawn may change */
    assert_moves(&v, "9k/10/4P5/10/10/10/10/10/10/KN8 w", "e8", "e8e9");
    assert_moves(&v, "9k/10/4P5/10/10/10/10/10/10/K9 w", "e8", "e8e9 e8e9=N");
    /* on the tenth it must */
    assert_moves(&v, "9k/4P5/10/10/10/10/10/10/10/KN8 w", "e9", "e9e10");
    assert_moves(&v, "9k/4P5/10/10/10/10/10/10/10/K9 w", "e9", "e9e10=N");
    /* neither the other side's losses nor its men matter */
    assert_moves(&v, "8nk/4P5/10/10/10/10/10/10/10/K9 w", "e9", "e9e10=N");
    assert_moves(&v, "9k/10/10/10/10/10/10/10/4p5/KN8 b", "e2", "e2e1=N");
    /* a whole army: every type short of its number is offered */
    assert_moves(grand, "9k/4P5/10/10/10/10/10/10/10/KNNJMHOL2 w", "e9", "e9e10=L e9e10=O");
    bk_variant_free(grand);
}

static void joyce_pawn__sits_on_the_last_rank(void **state)
{
    struct bk_variant *grand = load("grand-shatranj");
    struct bk_variant v = few_men(grand);

    (void)state;
    assert_moves(&v, "4P4k/10/10/10/10/10/10/10/10/KN8 w", "e10", "e10d10 e10f10");
    assert_moves(&v, "3nPP3k/10/10/10/10/10/10/10/10/KN8 w", "e10", "e10d10");
    assert_moves(&v, "4P4k/10/10/10/10/10/10/10/10/K9 w", "e10", "e10d10=N e10e10=N e10f10=N");
    assert_moves(&v, "9k/10/10/10/10/10/10/10/10/K3p5 b", "e1", "e1d1=N e1e1=N e1f1=N");
    assert_play(&v, "4P4k/10/10/10/10/10/10/10/10/K9 w", "e10e10=N",
                "4N4k/10/10/10/10/10/10/10/10/K9 b - - 0 1");
    bk_variant_free(grand);
}

static void joyce_pawn__gives_check_sideways_from_the_last_rank(void **state)
{
    struct bk_variant *v = load("grand-shatranj");
    struct bk_pos p = read_fen(v, "4Pk4/10/10/10/10/10/10/10/10/K9 b");

    (void)state;
    assert_true(bk_in_check(v, &p, BK_BLACK));
    p = read_fen(v, "10/4Pk4/10/10/10/10/10/10/10/K9 b");
    assert_false(bk_in_check(v, &p, BK_BLACK));
    bk_variant_free(v);
}

static void commoner__moves_as_a_king_in_the_zone_only(void **state)
{
    struct bk_variant *atlantean = load("atlantean-commoner");
    struct bk_variant v = few_men(atlantean);

    (void)state;
    assert_moves(&v, "9k/4P5/10/10/10/10/10/10/10/KN8 w", "e9",
                 "e9d10 e9d8 e9d9 e9e10 e9e8 e9f10 e9f8 e9f9");
    assert_moves(&v, "4P4k/10/10/10/10/10/10/10/10/K9 w", "e10",
                 "e10d10 e10d10=N e10d9 e10d9=N e10e9 e10e9=N e10f10 e10f10=N e10f9 e10f9=N");
    assert_moves(&v, "9k/10/4P5/10/10/10/10/10/10/K9 w", "e8", "e8e9 e8e9=N");
    bk_variant_free(atlantean);
}

/* == Evolution =========================================================== */

static void evolution__is_offered_where_the_move_ends(void **state)
{
    struct bk_variant *v = load("darwinian");

    (void)state;
    assert_moves(v, "8k/9/9/9/9/9/9/2W6/K8 w", "c2", "c2b2 c2c1 c2c3 c2c3=D c2d2");
    assert_moves(v, "8k/9/9/9/9/2W6/9/9/K8 w", "c4c5", "c4c5 c4c5=C c4c5=D c4c5=R");
    assert_moves(v, "8k/9/9/9/9/2W6/9/9/K8[C] w", "c4c5", "c4c5 c4c5=C c4c5=D");
    assert_moves(v, "8k/9/9/9/9/2W6/9/9/K8[rc] w", "c4c5", "c4c5 c4c5=D");
    assert_moves(v, "8k/9/9/9/9/2F6/9/9/K8 w", "c4d5", "c4d5 c4d5=E");
    assert_moves(v, "8k/9/2E6/9/9/9/9/9/K8 w", "c7e5", "c7e5 c7e5=B");
    /* a nymph must change on the last rank; its diagonal steps go to one side alone */
    assert_moves(v, "8k/Y8/9/9/9/9/9/9/K8 w", "a8", "a8a9=N a8b9=N");
    assert_moves(v, "8k/2Y6/9/9/9/9/9/9/K8 w", "c8", "c8c9=N c8d9=N");
    assert_moves(v, "8k/9/9/9/9/9/9/2u6/K8 b", "c2", "c2b1=N c2c1=N");
    bk_variant_free(v);
}

static void evolution__uses_up_allowances_and_promotion_does_not(void **state)
{
    struct bk_variant *v = load("darwinian");

    (void)state;
    assert_play(v, "8k/9/9/9/9/2W6/9/9/K8 w", "c4c5=R",
                "8k/9/9/9/2R6/9/9/9/K8[RCCEErrccee] b - - 0 1");
    assert_play(v, "8k/9/9/9/2w6/9/9/9/K8[rcR] b", "c5b5=C", "8k/9/9/9/1c7/9/9/9/K8[Rr] w - - 0 2");
    assert_play(v, "8k/9/9/9/9/2W6/9/9/K8 w", "c4c5=D", "8k/9/9/9/2D6/9/9/9/K8 b - - 0 1");
    assert_play(v, "8k/2P6/9/9/9/9/9/9/K8 w", "c8c9=R", "2R5k/9/9/9/9/9/9/9/K8 b - - 0 1");
    assert_moves(v, "8k/2P6/9/9/9/9/9/9/K8[-] w", "c8", "c8c9=B c8c9=N c8c9=Q c8c9=R");
    bk_variant_free(v);
}

static void changes__offer_a_type_once_and_free_if_any_rule_does(void **state)
{
    struct bk_variant *darwinian = load("darwinian");
    struct bk_variant v = *darwinian;
    unsigned wazir = (unsigned)bk_variant_type(&v, 'W'), rook = (unsigned)bk_variant_type(&v, 'R');
    unsigned cannon = (unsigned)bk_variant_type(&v, 'C');
    struct bk_piece *piece = &v.piece[wazir];
    uint8_t count[BK_TYPES_MAX] = { 0 };
    struct bk_change change[BK_TYPES_MAX + 1];
    unsigned n, rooks = 0;

    (void)state;
    piece->become[piece->nbecomes++] =
        (struct bk_become){ .ranks = 1 << 8, .to = { (uint8_t)rook }, .nto = 1 };
    n = bk_rules_changes(&v, count, v.limit, wazir, BK_WHITE, 80, false, change);
    assert_int_equal(n, 4);
    assert_int_equal(change[0].type, BK_STAYS);
    for (unsigned i = 0; i < n; i++)
        if (change[i].type == rook) {
            rooks++;
            assert_false(change[i].counted);
        } else {
            assert_int_equal(change[i].counted, change[i].type == cannon);
        }
    assert_int_equal(rooks, 1);
    /* one rank below only the counted rule applies */
    n = bk_rules_changes(&v, count, v.limit, wazir, BK_WHITE, 71, false, change);
    for (unsigned i = 0; i < n; i++)
        if (change[i].type == rook)
            assert_true(change[i].counted);
    bk_variant_free(darwinian);
}

static void changes__may_leave_no_move_at_all(void **state)
{
    struct bk_variant *darwinian = load("darwinian");
    struct bk_variant v = *darwinian;
    unsigned nymph = (unsigned)bk_variant_type(&v, 'Y');
    uint8_t count[BK_TYPES_MAX] = { 0 };
    struct bk_change change[BK_TYPES_MAX + 1];

    (void)state;
    v.piece[nymph].nbecomes = 0;
    assert_int_equal(bk_rules_changes(&v, count, v.limit, nymph, BK_WHITE, 72, false, change), 0);
    assert_int_equal(bk_rules_changes(&v, count, v.limit, nymph, BK_BLACK, 72, false, change), 1);
    assert_int_equal(bk_rules_changes(&v, count, v.limit, nymph, BK_WHITE, 62, true, change), 0);
    bk_variant_free(darwinian);
}

/* == Attacks ============================================================= */

static void cannon__attacks_over_exactly_one_man(void **state)
{
    struct bk_variant *v = load("darwinian");
    struct bk_pos p;

    (void)state;
    p = read_fen(v, "4k4/9/9/9/9/9/9/4C4/K8 b");
    assert_false(bk_in_check(v, &p, BK_BLACK));
    p = read_fen(v, "4k4/9/9/4p4/9/9/9/4C4/K8 b");
    assert_true(bk_in_check(v, &p, BK_BLACK));
    p = read_fen(v, "4k4/9/9/4p4/4N4/9/9/4C4/K8 b");
    assert_false(bk_in_check(v, &p, BK_BLACK));
    /* of two men between cannon and king neither may leave: the other would be a screen */
    assert_moves(v, "4k4/9/9/4n4/4b4/9/9/4C4/K8 b", "e6", "");
    assert_moves(v, "4k4/9/9/4n4/4b4/9/9/4C4/K8 b", "e5", "");
    bk_variant_free(v);
}

static void double_capture__names_and_takes_both(void **state)
{
    struct bk_variant *v = load("atlantean-double");

    (void)state;
    assert_moves(v, "9k/10/10/10/10/10/3p6/2T7/10/K9 w", "c3d4",
                 "c3d4 c3d4b2 c3d4b6 c3d4c5 c3d4e3 c3d4e5 c3d4f2 c3d4f6");
    assert_play(v, "9k/10/10/10/10/4p5/3p6/2T7/10/K9 w", "c3d4e5",
                "9k/10/10/10/10/4T5/10/10/10/K9 b - - 0 1");
    assert_play(v, "9k/10/10/10/10/4p5/3p6/2T7/10/K9 w", "c3e5",
                "9k/10/10/10/10/4T5/3p6/10/10/K9 b - - 0 1");
    assert_play(v, "9k/10/10/10/10/10/3p6/2T7/10/K9 w", "c3d4e5",
                "9k/10/10/10/10/4T5/10/10/10/K9 b - - 0 1");
    bk_variant_free(v);
}

static void double_capture__gives_check_through_a_man(void **state)
{
    struct bk_variant *single = load("atlantean"), *twice = load("atlantean-double");
    static const char fen[] = "10/10/10/10/5k4/4n5/3p6/2T7/10/K9 b";
    struct bk_pos p;

    (void)state;
    p = read_fen(single, fen);
    assert_false(bk_in_check(single, &p, BK_BLACK));
    p = read_fen(twice, fen);
    assert_true(bk_in_check(twice, &p, BK_BLACK));
    /* an own man on the way is no bridge */
    p = read_fen(twice, "10/10/10/10/5k4/4N5/3P6/2T7/10/K9 b");
    assert_false(bk_in_check(twice, &p, BK_BLACK));
    bk_variant_free(single);
    bk_variant_free(twice);
}

static void attack__is_what_a_capture_shows(void **state)
{
    static const char *const game[] = { "chess",     "grand-shatranj",   "atlantean",
                                        "darwinian", "atlantean-double", "puzzle" };

    (void)state;
    srand(7);
    for (size_t g = 0; g < sizeof game / sizeof *game; g++) {
        struct bk_variant *v = load(game[g]);

        for (unsigned round = 0; round < 300; round++) {
            struct bk_pos p;
            struct bk_move move[BK_MOVES_MAX];
            struct bk_bits shown = { { 0 } };
            unsigned n, sq;

            /* up to 28 men on random squares; the kings stand in a corner */
            bk_pos_init(&p, v);
            bk_pos_put(&p, v, v->royal, BK_WHITE, 0);
            bk_pos_put(&p, v, v->royal, BK_BLACK, 1);
            for (unsigned i = 0; i < 28; i++) {
                unsigned type = (unsigned)rand() % v->ntypes, colour = (unsigned)rand() & 1;

                sq = (unsigned)rand() % v->nsq;
                if (type != v->royal && !p.at[sq] && bk_rules_may_stand(v, type, colour, sq))
                    bk_pos_put(&p, v, type, colour, sq);
            }
            n = bk_moves_pseudo(v, &p, move);
            for (unsigned i = 0; i < n; i++) {
                if (move[i].takes != BK_SQ_NONE)
                    bk_bits_set(&shown, move[i].takes);
                if (move[i].also != BK_SQ_NONE)
                    bk_bits_set(&shown, move[i].also);
            }
            for (sq = 2; sq < v->nsq; sq++)
                if (bk_bits_has(&p.by[BK_BLACK], sq))
                    assert_int_equal(bk_attacked(v, &p, sq, BK_WHITE), bk_bits_has(&shown, sq));
        }
        bk_variant_free(v);
    }
}

static void legal__is_what_does_not_leave_the_king_attacked(void **state)
{
    static const struct {
        const char *variant, *men;
    } row[] = {
        { "chess", "KRPPkqbnr" },
        { "sultan", "KNPCkqrcp" },
        { "grand-shatranj", "KNOPkojl" },
        { "atlantean", "KPXMkztx" },
        { "atlantean-double", "KPXNkztx" },
        { "darwinian", "KWNPkcrb" },
        { "atlantean-commoner", "KPPTkpzx" },
        { "puzzle", "KRAFkrrn" },
    };

    (void)state;
    srand(11);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct bk_variant *v = load(row[i].variant);

        for (unsigned round = 0; round < 20000; round++) {
            static struct bk_move pseudo[BK_MOVES_MAX], legal[BK_MOVES_MAX];
            struct bk_pos p;
            unsigned n, m, kept = 0;

            bk_pos_init(&p, v);
            for (const char *man = row[i].men; *man; man++) {
                unsigned type = (unsigned)bk_variant_type(v, *man), colour = *man >= 'a', sq;

                do /* near each other, so that there are pins */
                    sq = bk_sq(v, (unsigned)rand() % 7, (unsigned)rand() % 7 + v->ranks - 8u);
                while (p.at[sq] || !bk_rules_may_stand(v, type, colour, sq));
                bk_pos_put(&p, v, type, colour, sq);
            }
            n = bk_moves_pseudo(v, &p, pseudo);
            m = bk_moves_legal(v, &p, legal);
            for (unsigned j = 0; j < n; j++) {
                struct bk_pos after = p;

                bk_pos_play(&after, v, &pseudo[j]);
                if (bk_pos_legal(v, &after))
                    assert_memory_equal(&legal[kept++], &pseudo[j], sizeof pseudo[j]);
            }
            assert_int_equal(kept, m);
        }
        bk_variant_free(v);
    }
}

/* == The end ============================================================= */

static void end__two_kings_draw_everywhere(void **state)
{
    struct bk_variant *chess = load("chess"), *shatranj = load("shatranj");

    (void)state;
    assert_end(chess, "k7/8/8/8/8/8/8/7K w", BK_END_BARE_DRAW, 0);
    assert_end(shatranj, "k7/8/8/8/8/8/8/7K b", BK_END_BARE_DRAW, 0);
    bk_variant_free(chess);
    bk_variant_free(shatranj);
}

static void end__a_bare_king_has_lost(void **state)
{
    struct bk_variant *chess = load("chess"), *v = load("shatranj");

    (void)state;
    assert_end(v, "k7/8/8/8/8/8/8/R6K b", BK_END_BARE, -1);
    assert_end(v, "k7/8/8/8/8/8/8/1R5K w", BK_END_BARE, 1);
    assert_end(v, "k7/8/8/8/8/8/P7/7K b", BK_END_BARE, -1); /* a pawn is a man */
    assert_end(chess, "k7/8/8/8/8/8/8/R6K b", BK_END_NONE, 0);
    assert_end(chess, "k7/8/8/8/8/8/8/1R5K w", BK_END_NONE, 0);
    bk_variant_free(chess);
    bk_variant_free(v);
}

static void end__baring_back_saves_the_draw(void **state)
{
    struct bk_variant *v = load("shatranj");

    (void)state;
    assert_end(v, "kR6/8/8/8/8/8/8/7K b", BK_END_BARE_DRAW, 0);
    assert_end(v, "kR6/2K5/8/8/8/8/8/8 b", BK_END_BARE, -1); /* protected */
    assert_end(v, "k1R5/8/8/8/8/8/8/7K b", BK_END_BARE, -1); /* out of reach */
    assert_end(v, "kR6/8/8/8/8/8/7P/7K b", BK_END_BARE, -1); /* not the last man */
    bk_variant_free(v);
}

static void end__baring_comes_before_stalemate_and_mate(void **state)
{
    struct bk_variant *v = load("shatranj");

    (void)state;
    assert_end(v, "k7/7R/1K6/8/8/8/8/8 b", BK_END_BARE, -1);
    assert_end(v, "k6R/8/1K6/8/8/8/8/8 b", BK_END_BARE, -1);
    bk_variant_free(v);
}

static void end__baring_back_can_be_turned_off(void **state)
{
    struct bk_variant *shatranj = load("shatranj");
    struct bk_variant v = *shatranj;

    (void)state;
    v.bare = BK_BARE_WINS;
    assert_end(&v, "kR6/8/8/8/8/8/8/7K b", BK_END_BARE, -1);
    bk_variant_free(shatranj);
}

static void end__stalemate_is_worth_what_the_game_says(void **state)
{
    struct bk_variant *chess = load("chess"), *shatranj = load("shatranj");
    static const char fen[] = "7k/R7/8/p7/K7/8/8/6R1 b";

    (void)state;
    assert_end(chess, fen, BK_END_STALEMATE, 0);
    assert_end(shatranj, fen, BK_END_STALEMATE, -1);
    bk_variant_free(chess);
    bk_variant_free(shatranj);
}

static void end__checkmate_loses(void **state)
{
    struct bk_variant *v = load("shatranj");

    (void)state;
    assert_end(v, "R6k/1R6/8/p7/K7/8/8/8 b", BK_END_CHECKMATE, -1);
    assert_end(v, "6k1/R7/8/p7/K7/8/8/8 b", BK_END_NONE, 0);
    bk_variant_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(perft__counts_what_others_count),
        cmocka_unit_test(perft__is_the_same_for_the_mirrored_side),
        cmocka_unit_test(move__is_read_as_clients_write_it),
        cmocka_unit_test(move__is_read_by_the_name_that_it_is_given),
        cmocka_unit_test(castling__moves_king_and_rook),
        cmocka_unit_test(castling__needs_free_and_safe_squares),
        cmocka_unit_test(castling__king_under_way_is_no_screen),
        cmocka_unit_test(castling__rights_go_with_king_and_rook),
        cmocka_unit_test(castling__right_goes_with_a_rook_that_is_passed),
        cmocka_unit_test(double_step__leaves_its_square_behind),
        cmocka_unit_test(double_step__that_changes_the_man_leaves_no_square),
        cmocka_unit_test(double_step__of_a_rider_is_none),
        cmocka_unit_test(turn__stays_at_the_last_that_a_fen_can_tell),
        cmocka_unit_test(en_passant__takes_the_man_that_passed),
        cmocka_unit_test(en_passant__is_one_move),
        cmocka_unit_test(en_passant__may_not_uncover_the_king),
        cmocka_unit_test(joyce_pawn__changes_only_into_what_is_lost),
        cmocka_unit_test(joyce_pawn__sits_on_the_last_rank),
        cmocka_unit_test(joyce_pawn__gives_check_sideways_from_the_last_rank),
        cmocka_unit_test(commoner__moves_as_a_king_in_the_zone_only),
        cmocka_unit_test(evolution__is_offered_where_the_move_ends),
        cmocka_unit_test(evolution__uses_up_allowances_and_promotion_does_not),
        cmocka_unit_test(changes__offer_a_type_once_and_free_if_any_rule_does),
        cmocka_unit_test(changes__may_leave_no_move_at_all),
        cmocka_unit_test(cannon__attacks_over_exactly_one_man),
        cmocka_unit_test(double_capture__names_and_takes_both),
        cmocka_unit_test(double_capture__gives_check_through_a_man),
        cmocka_unit_test(attack__is_what_a_capture_shows),
        cmocka_unit_test(legal__is_what_does_not_leave_the_king_attacked),
        cmocka_unit_test(end__two_kings_draw_everywhere),
        cmocka_unit_test(end__a_bare_king_has_lost),
        cmocka_unit_test(end__baring_back_saves_the_draw),
        cmocka_unit_test(end__baring_comes_before_stalemate_and_mate),
        cmocka_unit_test(end__baring_back_can_be_turned_off),
        cmocka_unit_test(end__stalemate_is_worth_what_the_game_says),
        cmocka_unit_test(end__checkmate_loses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
