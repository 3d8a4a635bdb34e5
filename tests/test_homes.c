/*
 * test_homes.c - games whose castling homes are those of the FEN.
 *
 * Oracles: numbers published for Chess960; and the slow solver of ref.c, which
 * reads a FEN's homes by itself, over all positions of a small board, against
 * files built for those FENs and asked through the game's one handle.
 *
 *      HOMES_ALL=1 build/tests/test_homes      all homes of that board, a minute or two
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unistd.h>

#include "core/derive.h"
#include "core/load.h"
#include "core/move.h"
#include "core/read.h"
#include "probe/bareking.h"
#include "tb/make/build.h"
#include "tb/verify.h"
#include "tests/given.h"
#include "tests/proof.h"
#include "tests/ref.h"

/* A board of six files: kings castle from any home to b or e, rooks to c or d. */
static const char mini[] = "[variant]\nname = mini-random\nboard = 6x4\n"
                           "castling-rook = R\ncastling-homes = shuffled\n"
                           "castling-king-to = b e\ncastling-rook-to = c d\n"
                           "[piece king]\nletter = K\nroyal = yes\nmove = K\n"
                           "[piece rook]\nletter = R\nmove = R\narmy = 2\n"
                           "[piece knight]\nletter = N\nmove = N\narmy = 2\n";

static char dir[PROOF_DIR_MAX], mini_path[PROOF_DIR_MAX + 16];

static int set_up(void **state)
{
    FILE *out;

    (void)state;
    snprintf(mini_path, sizeof mini_path, "%s/mini-random.ini", proof_folder(dir));
    out = fopen(mini_path, "w");
    return out && fputs(mini, out) >= 0 && !fclose(out) ? 0 : -1;
}

/* Returns the shipped chess with shuffled homes. */
static struct bk_variant *chess_random(void)
{
    const struct bk_embedded *e = bk_embedded_variants;
    char text[8192] = "";

    while (strcmp(e->name, "chess"))
        e++;
    for (const char *line = e->text; *line; line += strcspn(line, "\n") + 1) {
        int n = (int)strcspn(line, "\n") + 1;

        if (!strncmp(line, "castling-rook-files", 19))
            strcat(text, "castling-homes = shuffled\n");
        else if (strncmp(line, "castling-king-file", 18) && strncmp(line, "start", 5))
            snprintf(text + strlen(text), sizeof text - strlen(text), "%.*s", n, line);
    }
    return parse(text);
}

/* Returns the game, derived from `base`, in which a FEN is read; NULL: `base` itself. */
static struct bk_variant *for_fen(const struct bk_variant *base, const char *fen)
{
    struct bk_report why;
    struct bk_variant *v;

    if (bk_variant_for_fen(&v, base, fen, &why))
        fail_msg("%s: %s", fen, why.text);
    return v;
}

/* Returns the game in which a FEN that must have rights is read. */
static struct bk_variant *for_rights(const struct bk_variant *base, const char *fen)
{
    struct bk_variant *v = for_fen(base, fen);

    if (!v)
        fail_msg("%s is no position with rights", fen);
    return v;
}

/* == Homes from a FEN == */

#define EMPTY "/10/10/10/10/10/10/"

static void homes__are_those_of_the_rights(void **state)
{
    static const struct {
        const char *fen, *name;
    } cases[] = {
        { "r4k3r" EMPTY "R4K3R w KQkq - 0 1", "sultan-random@f-aj" },
        { "r4k3r" EMPTY "R4K3R w JAja - 0 1", "sultan-random@f-aj" },
        { "r4k3r" EMPTY "R4K3R b j", "sultan-random@f-j" },
        { "r4k3r" EMPTY "R4K3R w Aj", "sultan-random@f-aj" },
        { "r4k3r" EMPTY "R4K3R w - - 0 1", NULL },
        { "r4k3r" EMPTY "R4K3R", NULL },
        { "4k5" EMPTY "1RKR6 w K", "sultan-random@c-d" },
        { "4k5" EMPTY "RRK1R1R3 w KQ", "sultan-random@c-ag" }, /* the outermost rooks */
        { "4k5" EMPTY "RRK1R1R3 w EB", "sultan-random@c-be" },
        /* rights without a rook, or a king who could castle, are none */
        { "4k5" EMPTY "R4K3R w HJ", "sultan-random@f-j" },
        { "4k5" EMPTY "R4K3R w H", NULL },
        { "4k5" EMPTY "R4K4 w KQ", "sultan-random@f-a" },
        { "4k4r" EMPTY "R4K4 w q", NULL },
        { "r9/4k5/10/10/10/10/10/R4K3R w aA", "sultan-random@f-a" },
        { "RRK1R1R3" EMPTY "4k5 w EB", NULL },
        { "4k5" EMPTY "K3R5 w E", NULL },
        { "k9" EMPTY "1R7K w B", NULL },
        { "r3k5" EMPTY "R4K4 w Ah", "sultan-random@f-a" },
    };
    struct bk_variant *base = load("sultan-random");

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bk_variant *v = for_fen(base, cases[i].fen);

        if ((v ? 1 : 0) != (cases[i].name ? 1 : 0) || (v && strcmp(v->name, cases[i].name)))
            fail_msg("%s: %s", cases[i].fen, v ? v->name : base->name);
        bk_variant_free(v);
    }
    bk_variant_free(base);
}

static void homes__that_make_no_sense_are_refused(void **state)
{
    static const struct {
        const char *fen, *want;
    } cases[] = {
        { "r9" EMPTY "R4K3R w j", "no black king" },
        { "4k5" EMPTY "RR3K4 w AB", "two homes for a rook left of the king, a and b" },
        { "r4k4" EMPTY "1R3K4 w Ba", "two homes for a rook left of the king, b and a" },
        { "r3k5" EMPTY "R4K4 w Aa", "the kings' homes differ, f and e" },
        { "4k5" EMPTY "R4K3R w JX", "unknown right 'X' at column 32" },
        { "4k5" EMPTY "R4K3R w -J", "unknown right '-' at column 31" },
        { "4k5" EMPTY "R4K3R w JJ", "'J' at column 32 says a right twice" },
        { "4k5" EMPTY "R4K3R w JK", "'K' at column 32 says a right twice" },
        { "4k5" EMPTY "R4F3R w J", "unknown piece letter 'F'" },
    };
    struct bk_lib *lib;

    (void)state;
    assert_int_equal(bk_open(&lib, "sultan-random", dir), BK_LIB_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bk_answer a;

        assert_int_equal(bk_probe_fen(lib, cases[i].fen, &a),
                         strstr(cases[i].want, "piece") ? BK_LIB_PIECE : BK_LIB_FEN);
        if (!strstr(bk_error(lib), cases[i].want))
            fail_msg("%s: %s", cases[i].fen, bk_error(lib));
    }
    bk_close(lib);
}

/* Whatever a FEN becomes by a slip of the pen is answered or refused, and printed as it is read. */
static void homes__of_mangled_fens_do_no_harm(void **state)
{
    static const char fen[] = "r3k2r2" EMPTY "R3K2R2 w HAha - 0 1", letters[] = "RKrkAHahQqJj1 -/9";
    struct bk_variant *base = load("sultan-random");
    uint32_t seed = 1;
    unsigned good = 0;

    (void)state;
    for (unsigned i = 0; i < 20000; i++) {
        char text[sizeof fen], once[BK_FEN_MAX], twice[BK_FEN_MAX];
        struct bk_variant *v;
        struct bk_report why;
        struct bk_pos p;

        memcpy(text, fen, sizeof fen);
        for (unsigned n = 0; n < 1 + i % 3; n++) { /* mostly in the first rank and the rights */
            seed = seed * 1664525 + 1013904223;
            text[i % 2 ? (seed >> 8) % (sizeof fen - 1) : 27 + (seed >> 8) % 17] =
                letters[(seed >> 20) % (sizeof letters - 1)];
        }
        if (bk_variant_for_fen(&v, base, text, &why))
            continue;
        if (!bk_pos_from_fen(&p, v ? v : base, text, &why)) {
            bk_pos_to_fen(&p, v ? v : base, once);
            assert_int_equal(bk_pos_from_fen(&p, v ? v : base, once, &why), BK_OK);
            assert_string_equal(bk_pos_to_fen(&p, v ? v : base, twice), once);
            good++;
        }
        bk_variant_free(v);
    }
    if (good < 300)
        fail_msg("only %u can be read", good);
    bk_variant_free(base);
}

static void homes__are_written_as_files(void **state)
{
    static const char *const cases[] = {
        "r4k3r" EMPTY "R4K3R w JAja - 0 1",
        "rrk1r1r3" EMPTY "RRK1R1R3 b EBb - 0 7",
    };
    struct bk_variant *base = load("sultan-random");

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bk_variant *v = for_rights(base, cases[i]);
        struct bk_report why = { "" };
        char fen[BK_FEN_MAX];
        struct bk_pos p;

        assert_int_equal(bk_pos_from_fen(&p, v, cases[i], &why), BK_OK);
        assert_string_equal(bk_pos_to_fen(&p, v, fen), cases[i]);
        bk_variant_free(v);
    }
    bk_variant_free(base);
}

/* == Names and numbers == */

static void homes__that_rights_no_longer_speak_of_do_not_matter(void **state)
{
    struct bk_variant *base = load("sultan-random"), *sultan = load("sultan");
    struct bk_variant *both = for_rights(base, "4k5" EMPTY "R4K3R w JA");
    struct bk_variant *left = for_rights(base, "4k5" EMPTY "R4K3R w A");
    struct bk_variant *right = for_rights(base, "4k5" EMPTY "5K3R w J");
    char name[64];

    (void)state;
    assert_true(both->rules_id == sultan->rules_id); /* its homes are Sultan's own */
    assert_true(both->wings_id[3] == both->rules_id);
    assert_true(both->wings_id[2] == right->rules_id);
    assert_true(both->wings_id[1] == left->rules_id);
    assert_true(both->wings_id[0] == base->rules_id);
    assert_true(left->rules_id != right->rules_id && left->rules_id != base->rules_id);
    assert_string_equal(bk_homes_name(both, 3, name), "sultan-random@f-aj");
    assert_string_equal(bk_homes_name(both, 2, name), "sultan-random@f-j");
    assert_string_equal(bk_homes_name(both, 1, name), "sultan-random@f-a");
    assert_string_equal(bk_homes_name(both, 0, name), "sultan-random");
    assert_string_equal(bk_homes_name(base, 0, name), "sultan-random");
    assert_string_equal(bk_homes_name(sultan, 0, name), "sultan");
    for (unsigned wings = 0; wings < 4; wings++)
        assert_true(sultan->wings_id[wings] == sultan->rules_id);
    bk_variant_free(right);
    bk_variant_free(left);
    bk_variant_free(both);
    bk_variant_free(sultan);
    bk_variant_free(base);
}

static void homes__are_no_materials_without_a_fen(void **state)
{
    static const struct {
        const char *fen, *want;
    } cases[] = {
        { "4k5" EMPTY "R4K3R w -", "a FEN must tell where king and rooks of sultan-random castle" },
        { "4k5" EMPTY "R4K3R w J",
          "castling right 'Q', but the FEN of sultan-random@f-j has none" },
    };
    struct bk_variant *base = load("sultan-random");

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bk_variant *v = for_fen(base, cases[i].fen);
        struct bk_report why = { "" };
        struct bk_material m;

        assert_int_equal(bk_material_parse(&m, v ? v : base, "KRvK+Q", &why), BK_E_USAGE);
        if (!strstr(why.text, cases[i].want))
            fail_msg("%s", why.text);
        bk_variant_free(v);
    }
    bk_variant_free(base);
}

/* == Castling == */

static void assert_play(struct bk_lib *lib, const char *fen, const char *move, const char *want)
{
    char after[BK_LIB_FEN_MAX];

    if (bk_play(lib, fen, move, after))
        fail_msg("%s %s: %s", fen, move, bk_error(lib));
    assert_string_equal(after, want);
}

static void castling__goes_where_the_unshuffled_king_goes(void **state)
{
    struct bk_lib *lib;

    (void)state;
    assert_int_equal(bk_open(&lib, "sultan-random", NULL), BK_LIB_OK);
    assert_play(lib, "4k5" EMPTY "R4K3R w JA", "f1i1", "4k5" EMPTY "R6RK1 b - - 0 1");
    assert_play(lib, "4k5" EMPTY "R4K3R w JA", "f1c1", "4k5" EMPTY "2KR5R b - - 0 1");
    assert_play(lib, "1r1k4r1" EMPTY "4K5 b ib", "d8i8", "1r5rk1" EMPTY "4K5 w - - 0 2");
    /* where the king's target would name an ordinary move, or none, the rook's square names it */
    assert_play(lib, "4k5" EMPTY "1R6KR w J", "i1j1", "4k5" EMPTY "1R5RK1 b - - 0 1");
    assert_play(lib, "4k5" EMPTY "RK8 w A", "b1a1", "4k5" EMPTY "2KR6 b - - 0 1");
    assert_play(lib, "4k5" EMPTY "RKR7 w CA", "b1i1", "4k5" EMPTY "R6RK1 b - - 0 1");
    assert_play(lib, "4k5" EMPTY "1RK7 w B", "c1b1", "4k5" EMPTY "2KR6 b - - 0 1");
    assert_play(lib, "4k5" EMPTY "3RK5 w D", "e1c1", "4k5" EMPTY "2KR6 b - - 0 1");
    /* one rook's capture by the other ends both their rights */
    assert_play(lib, "r2k6" EMPTY "R2K6 w Aa", "a1a8", "R2k6" EMPTY "3K6 b - - 0 1");
    bk_close(lib);
}

static void castling__needs_a_free_and_safe_way(void **state)
{
    static const struct {
        const char *fen, *move;
        bool may;
    } cases[] = {
        { "4k5" EMPTY "RN3K4 w A", "f1c1", false },  /* a man in the rook's way only */
        { "4k5" EMPTY "2NRK5 w D", "e1c1", false },  /* a man on the king's target */
        { "4k5" EMPTY "N1RK6 w C", "d1c1", true },   /* a man in nobody's way */
        { "2r1k5" EMPTY "R4K4 w A", "f1c1", false }, /* an attack on the king's target */
        { "r3k5" EMPTY "1RK7 w B", "c1b1", true },   /* an attack on the rook's way only */
        { "4k5" EMPTY "rRK7 w B", "c1b1", false },   /* the rook uncovers an attack */
        { "1r2k5" EMPTY "2K5R1 w I", "c1i1", true },
        { "7r2/4k5/10/10/10/10/10/2K5R1 w I", "c1i1", false }, /* an attack between */
    };
    struct bk_lib *lib;

    (void)state;
    assert_int_equal(bk_open(&lib, "sultan-random", NULL), BK_LIB_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char after[BK_LIB_FEN_MAX];
        enum bk_lib_err err = bk_play(lib, cases[i].fen, cases[i].move, after);

        if ((err == BK_LIB_OK) != cases[i].may)
            fail_msg("%s: %s", cases[i].fen, err ? bk_error(lib) : after);
    }
    bk_close(lib);
}

/* Counted by many programs; the list is Ethereal's fischer.epd. */
static void perft__counts_what_others_count_in_chess960(void **state)
{
    static const struct {
        const char *fen;
        uint64_t nodes[4];
    } cases[] = {
        { "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", { 20, 400, 8902, 197281 } },
        { "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w HAha - 0 1",
          { 48, 2039, 97862 } },
        { "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
          { 21, 528, 12189, 326672 } },
        { "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9", { 21, 807, 18002 } },
        { "b1q1rrkb/pppppppp/3nn3/8/P7/1PPP4/4PPPP/BQNNRKRB w GE - 1 9", { 20, 479, 10471 } },
        { "qbbnnrkr/2pp2pp/p7/1p2pp2/8/P3PP2/1PPP1KPP/QBBNNR1R w hf - 0 9",
          { 22, 593, 13440, 382958 } },
        { "1nbbnrkr/p1p1ppp1/3p4/1p3P1p/3Pq2P/8/PPP1P1P1/QNBBNRKR w HFhf - 0 9",
          { 28, 1120, 31058 } },
        { "qnbnr1kr/ppp1b1pp/4p3/3p1p2/8/2NPP3/PPP1BPPP/QNB1R1KR w HEhe - 1 9",
          { 29, 899, 26578 } },
        { "r1kbbqrn/ppp3pp/2np1p2/1P2p3/3P1P2/8/P1P1P1PP/RNKBBQRN w GAga - 0 9",
          { 32, 920, 28916 } },
        { "rk1qbbrn/p2npppp/1p6/2p4Q/8/4P3/PPPP1PPP/RNK1B1RN w GA - 2 9", { 35, 657, 22359 } },
    };
    struct bk_variant *base = chess_random();

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bk_variant *v = for_rights(base, cases[i].fen);
        struct bk_report why = { "" };
        struct bk_pos p;

        if (bk_pos_from_fen(&p, v, cases[i].fen, &why))
            fail_msg("%s: %s", cases[i].fen, why.text);
        for (unsigned depth = 1; depth <= 4 && cases[i].nodes[depth - 1]; depth++)
            assert_int_equal(bk_perft(v, &p, depth), cases[i].nodes[depth - 1]);
        bk_variant_free(v);
    }
    bk_variant_free(base);
}

static void perft__equals_the_slow_generator_from_any_homes(void **state)
{
    static const char *const fens[] = {
        "rkr3ccn1/pppppppppp/10/10/10/10/PPPPPPPPPP/RKR3CCN1 w CAca - 0 1",
        "2q1b1nrkr/pppppp1ppp/10/10/4C5/10/PPPPPP1PPP/4B2RKR w KQkq - 0 1",
        "1r6kr/10/4N5/10/2q7/10/10/1R6KR b JBjb - 0 1",
        "2rkr5/3c6/10/2N7/10/10/2P7/2RKR5 w ECec - 0 1",
        "r1k3r3/10/1n1Q6/10/10/3c6/10/RRK3RR2 w GBg - 0 1",
    };
    struct bk_variant *base = load("sultan-random");

    (void)state;
    for (size_t i = 0; i < sizeof fens / sizeof *fens; i++) {
        struct bk_variant *v = for_rights(base, fens[i]), slow = *base;
        struct bk_report why = { "" };
        struct ref_pos r;
        struct bk_pos p;

        if (bk_pos_from_fen(&p, v, fens[i], &why))
            fail_msg("%s: %s", fens[i], why.text);
        assert_true(ref_take_homes(&slow, fens[i]));
        assert_true(ref_from_fen(&slow, fens[i], &r));
        assert_int_equal(r.rights, p.rights);
        for (unsigned depth = 1; depth <= 3; depth++)
            if (bk_perft(v, &p, depth) != ref_perft(&slow, &r, depth))
                fail_msg("%s: depth %u differs from the slow generator", fens[i], depth);
        bk_variant_free(v);
    }
    bk_variant_free(base);
}

/* == Values == */

/* Home files of the left rook, the king and the right rook. */
struct home {
    unsigned left, king, right;
};

/* A material with rights whose men are put on the mini board in every way. */
struct placing {
    struct home home;
    struct bk_lib *lib;
    struct ref_table *ref;
    const struct bk_variant *slow; /* the game with `home` as its homes */
    const char *rights;            /* as KQkq */
    char free[8];                  /* men that stand anywhere, as in a FEN */
    char cell[24];                 /* a man or 0 */
    uint64_t compared, illegal;
};

static void write_fen(const struct placing *p, char *fen, char stm)
{
    for (int rank = 3; rank >= 0; rank--) {
        unsigned gap = 0;

        for (int file = 0; file < 6; file++) {
            char man = p->cell[6 * rank + file];

            gap += !man;
            if (gap && (man || file == 5))
                fen += sprintf(fen, "%u", gap);
            if (man)
                *fen++ = man;
            if (man)
                gap = 0;
        }
        *fen++ = rank ? '/' : ' ';
    }
    fen += sprintf(fen, "%c ", stm);
    for (const char *s = p->rights; *s; s++) {
        unsigned rook = *s == 'K' || *s == 'k' ? p->home.right : p->home.left;

        fen += sprintf(fen, "%c", (*s < 'a' ? 'A' : 'a') + (int)rook);
    }
    sprintf(fen, " - 0 1");
}

static void compare(struct placing *p, char stm)
{
    struct ref_value value;
    struct bk_answer a;
    enum bk_lib_err err;
    struct ref_pos r;
    char fen[64];

    write_fen(p, fen, stm);
    err = bk_probe_fen(p->lib, fen, &a);
    if (!ref_from_fen(p->slow, fen, &r))
        fail_msg("the slow reader refuses %s", fen);
    if (!ref_value(p->ref, &r, &value)) {
        p->illegal++;
        if (err != BK_LIB_ILLEGAL)
            fail_msg("%s is illegal", fen);
        return;
    }
    p->compared++;
    if (err)
        fail_msg("%s: %s", fen, bk_error(p->lib));
    if (a.wdl != value.wdl || (a.wdl && a.dtw != value.dtw))
        fail_msg("%s: %+d in %d, the slow solver says %+d in %d", fen, a.wdl, a.dtw, value.wdl,
                 value.dtw);
}

static void place_free(struct placing *p, unsigned nth)
{
    if (!p->free[nth]) {
        compare(p, 'w');
        compare(p, 'b');
        return;
    }
    for (unsigned sq = 0; sq < 24; sq++)
        if (!p->cell[sq]) {
            p->cell[sq] = p->free[nth];
            place_free(p, nth + 1);
            p->cell[sq] = 0;
        }
}

/* Puts the men with rights on their homes; p->free gets the other men of the material ("KRvKR"). */
static void place_home(struct placing *p, const char *material)
{
    unsigned n = 0, at_home[128] = { 0 };

    memset(p->cell, 0, sizeof p->cell);
    for (const char *s = p->rights; *s; s++) {
        bool white = *s < 'a';
        unsigned first = white ? 0 : 18;

        p->cell[first + p->home.king] = white ? 'K' : 'k';
        p->cell[first + (*s == 'K' || *s == 'k' ? p->home.right : p->home.left)] =
            white ? 'R' : 'r';
    }
    for (unsigned sq = 0; sq < 24; sq++)
        at_home[(unsigned)p->cell[sq]]++;
    for (bool black = false; *material && *material != '+'; material++) {
        char man = (char)(*material + (black ? 'a' - 'A' : 0));

        if (*material == 'v')
            black = true;
        else if (at_home[(unsigned)man])
            at_home[(unsigned)man]--;
        else
            p->free[n++] = man;
    }
    p->free[n] = 0;
}

static void build(const struct bk_variant *v, const char *name)
{
    struct bk_build_options o = { .pool = NULL };
    struct bk_verify_options check = { .pool = NULL };
    struct bk_verify_result result;
    struct bk_report why;
    struct bk_plan *plan = NULL;
    struct bk_material m;

    if (bk_material_parse(&m, v, name, &why) || bk_plan_new(&plan, v, dir, &m, 1, 0, true, &why) ||
        bk_build(plan, &o, &why))
        fail_msg("%s: %s", name, why.text);
    for (unsigned i = 0; i < plan->n; i++)
        if (plan->table[i].m.rights && bk_verify(v, dir, &plan->table[i].m, &check, &result, &why))
            fail_msg("%s: %s", plan->table[i].name, why.text);
    bk_plan_free(plan);
}

/* Builds for a FEN of the material, then compares every position that has these rights. */
static void assert_all_positions(const struct bk_variant *base, struct home home,
                                 struct ref_table *ref, const struct bk_variant *slow,
                                 const char *material)
{
    struct placing p = {
        .home = home, .ref = ref, .slow = slow, .rights = strchr(material, '+') + 1
    };
    struct bk_variant *v;
    char fen[64];

    place_home(&p, material);
    write_fen(&p, fen, 'w');
    for (unsigned i = 0, sq = 6; p.free[i]; i++) /* somewhere, so that there are two kings */
        p.cell[sq++] = p.free[i];
    write_fen(&p, fen, 'w');
    v = for_rights(base, fen);
    build(v, material);
    place_home(&p, material);
    assert_int_equal(bk_open(&p.lib, mini_path, dir), BK_LIB_OK);
    place_free(&p, 0);
    assert_true(p.compared > 0);
    bk_close(p.lib);
    bk_variant_free(v);
}

static void assert_all_materials(const struct bk_variant *base, struct home home)
{
    static const struct {
        const char *men, *with_rights[8];
    } cases[] = {
        { "KRRvK", { "KRRvK+KQ", "KRRvK+K", "KRRvK+Q" } },
        { "KRvKR", { "KRvKR+Kk", "KRvKR+Kq", "KRvKR+Qk", "KRvKR+Qq", "KRvKR+k", "KRvKR+q" } },
        { "KRvKN", { "KRvKN+K", "KRvKN+Q" } },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bk_variant slow = *base;
        struct ref_table *ref;
        struct bk_report why;
        struct bk_material m;

        slow.castling.allowed = true; /* its homes by hand, not from a FEN */
        slow.castling.king_file = (uint8_t)home.king;
        slow.castling.rook_file[0] = (uint8_t)home.left;
        slow.castling.rook_file[1] = (uint8_t)home.right;
        assert_int_equal(bk_material_parse(&m, base, cases[i].men, &why), BK_OK);
        ref = ref_solve(&slow, (const uint8_t(*)[BK_TYPES_MAX])m.count, NULL, 0);
        assert_non_null(ref);
        for (unsigned j = 0; cases[i].with_rights[j]; j++)
            assert_all_positions(base, home, ref, &slow, cases[i].with_rights[j]);
        ref_free(ref);
    }
}

static void homes__every_position_with_rights_on_a_small_board(void **state)
{
    static const struct home some[] = {
        { 0, 1, 2 }, /* the king on a target of his, between two rooks side by side */
        { 0, 4, 5 }, /* the king on his other target */
        { 1, 2, 4 }, /* rooks on both his targets, he on a rook's */
    };
    struct bk_variant *base = load(mini_path);

    (void)state;
    if (getenv("HOMES_ALL")) {
        for (unsigned left = 0; left < 4; left++)
            for (unsigned king = left + 1; king < 5; king++)
                for (unsigned right = king + 1; right < 6; right++)
                    assert_all_materials(base, (struct home){ left, king, right });
    } else {
        for (size_t i = 0; i < sizeof some / sizeof *some; i++)
            assert_all_materials(base, some[i]);
    }
    bk_variant_free(base);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(homes__are_those_of_the_rights),
        cmocka_unit_test(homes__that_make_no_sense_are_refused),
        cmocka_unit_test(homes__of_mangled_fens_do_no_harm),
        cmocka_unit_test(homes__are_written_as_files),
        cmocka_unit_test(homes__that_rights_no_longer_speak_of_do_not_matter),
        cmocka_unit_test(homes__are_no_materials_without_a_fen),
        cmocka_unit_test(castling__goes_where_the_unshuffled_king_goes),
        cmocka_unit_test(castling__needs_a_free_and_safe_way),
        cmocka_unit_test(perft__counts_what_others_count_in_chess960),
        cmocka_unit_test(perft__equals_the_slow_generator_from_any_homes),
        cmocka_unit_test(homes__every_position_with_rights_on_a_small_board),
    };

    return cmocka_run_group_tests_name("homes", tests, set_up, NULL);
}
