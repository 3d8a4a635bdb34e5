/*
 * test_hostile.c - games, positions and names made to do harm.
 *
 * Each input was written, or found by fuzzing, to make the program write past an array,
 * go on for ever, or count wrongly in silence.  docs/security.md says what is promised;
 * tests/fuzz looks for more such inputs.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <xxhash.h>

#include "core/fairy.h"
#include "core/hands.h"
#include "core/load.h"
#include "core/move.h"
#include "core/read.h"
#include "table/head.h"
#include "table/index.h"
#include "table/index_new.h"
#include "table/write.h"
#include "tb/make/plan.h"
#include "tb/memory/spill.h"
#include "tests/files.h"
#include "tests/given.h"
#include "tests/proof.h"

#define LETTERS "ABCDEFGHIJLMNOQRSTUVWXYZ" /* all but K and P */
#define HEAD(board)                                                                                \
    "[variant]\nname = hostile\nboard = " board "\nbare-king = wins\nstalemate = loss\n"
#define KING "[piece king]\nletter = K\nroyal = yes\nmove = K\n"

/* A text that add() appends to. */
struct text {
    char at[65536];
    size_t n;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *t, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    t->n += (size_t)vsnprintf(t->at + t->n, sizeof t->at - t->n, fmt, ap);
    va_end(ap);
    assert_true(t->n < sizeof t->at);
}

/* == Names and limits == */

/* Appends a game whose pawn becomes any of `kinds` kinds, each at most `each` times a side. */
static void many_limits(struct text *t, unsigned each, unsigned kinds)
{
    add(t, HEAD("6x6") "limits =");
    for (unsigned i = 0; i < kinds; i++)
        add(t, " %c%u", LETTERS[i], each);
    add(t, "\n" KING);
    for (unsigned i = 0; i < kinds; i++)
        add(t, "[piece p%c]\nletter = %c\nmove = F\n", 'a' + (int)i, LETTERS[i]);
    add(t, "[piece pawn]\nletter = P\nmove = mfWcfF\nranks = 2-6\nbecomes = 6 may counted");
    for (unsigned i = 0; i < kinds; i++)
        add(t, " %c", LETTERS[i]);
    add(t, "\n");
}

static void limits__beyond_what_a_name_can_say_are_refused(void **state)
{
    struct text t = { .n = 0 };
    struct bk_report why = { "" };
    struct bk_variant *v = NULL;

    (void)state;
    many_limits(&t, 4, 24);
    assert_int_equal(bk_variant_parse(&v, "over.ini", t.at, &why), BK_E_USAGE);
    assert_string_equal(why.text, "over.ini:6:10: at most 32 evolutions a side");
}

/* Room for a name, and behind it bytes that must keep their value. */
struct fenced {
    char name[BK_MATERIAL_NAME_MAX], fence[1024];
};

static void assert_fenced(const struct fenced *f)
{
    for (size_t i = 0; i < sizeof f->fence; i++)
        assert_int_equal(f->fence[i], '#');
    assert_non_null(memchr(f->name, 0, sizeof f->name));
}

static void material_name__of_many_allowances_stays_within_its_room(void **state)
{
    struct text t = { .n = 0 };
    struct fenced f;
    struct bk_variant *v;
    struct bk_material m, again;
    struct bk_pos p;

    (void)state;
    many_limits(&t, 1, 24);
    v = parse(t.at);
    p = read_fen(v, "k5/1ppp2/6/6/1PPP2/K5"
                    "[ABCDEFGHIJLMNOQRSTUVWXYabcdefghijlmnoqrstuvwxy] w - - 0 1");
    bk_material_of(&m, v, &p);
    memset(&f, '#', sizeof f);
    bk_material_name(&m, v, f.name);
    assert_fenced(&f);
    assert_string_equal(f.name, "KPPPvKPPP[ABCDEFGHIJLMNOQRSTUVWXYabcdefghijlmnoqrstuvwxy]");
    assert_int_equal(bk_material_parse(&again, v, f.name, NULL), BK_OK);
    assert_true(bk_material_equal(&m, &again));
    bk_variant_free(v);
}

static void material_name__of_a_crowd_says_that_it_is_cut(void **state)
{
    struct bk_variant *v = parse(HEAD("14x14") KING "[piece man]\nletter = M\nmove = F\n");
    struct fenced f;
    struct bk_material m;
    struct bk_pos p;

    (void)state;
    p = read_fen(v, "KMMMMMMMMMMMMM/MMMMMMMMMMMMMM/MMMMMMMMMMMMMM/MMMMMMMMMMMMMM/14/14/14/14/"
                    "14/14/mmmmmmmmmmmmmm/mmmmmmmmmmmmmm/mmmmmmmmmmmmmm/kmmmmmmmmmmmmm w");
    bk_material_of(&m, v, &p);
    memset(&f, '#', sizeof f);
    bk_material_name(&m, v, f.name);
    assert_fenced(&f);
    assert_int_equal(strlen(f.name), BK_MATERIAL_NAME_MAX - 1);
    assert_string_equal(f.name + BK_MATERIAL_NAME_MAX - 4, "...");
    bk_variant_free(v);
}

/* == Graphs == */

/* 20 kinds, each of which becomes any later kind by four rules: too many paths to walk them all. */
static void promotion__with_endlessly_many_ways_is_soon_known(void **state)
{
    static const char kinds[] = "ABCDEFGHIJLMNOQRSTUV";
    struct text t = { .n = 0 };
    struct bk_variant *v;
    struct bk_pos p;
    struct bk_material m;
    char name[BK_MATERIAL_NAME_MAX];

    (void)state;
    alarm(20);
    add(&t, HEAD("6x6") "limits = Z2\n" KING);
    for (unsigned i = 0; kinds[i]; i++) {
        add(&t, "[piece p%u]\nletter = %c\nmove = F\n", i, kinds[i]);
        for (unsigned rank = 6; rank > 2 && kinds[i + 1]; rank--) {
            add(&t, "becomes = %u may", rank);
            for (unsigned j = i + 1; kinds[j]; j++)
                add(&t, " %c", kinds[j]);
            add(&t, "\n");
        }
    }
    add(&t, "[piece y]\nletter = Y\nmove = W\nbecomes = 6 may counted Z\n"
            "[piece z]\nletter = Z\nmove = W\n");
    v = parse(t.at);
    p = read_fen(v, "5k/1a4/6/6/1A4/K5 w");
    bk_material_of(&m, v, &p);
    assert_string_equal(bk_material_name(&m, v, name), "KAvKA");
    assert_int_equal(bk_material_parse(&m, v, "KYvKA", NULL), BK_OK);
    assert_int_equal(m.left[BK_WHITE][bk_variant_type(v, 'Z')], 1);
    assert_int_equal(m.left[BK_BLACK][bk_variant_type(v, 'Z')], 0);
    bk_variant_free(v);
    alarm(0);
}

/* == Numbers of moves == */

/* Returns a game whose men move as wazirs and, on every square, may become any of 24 kinds. */
static struct bk_variant *changelings(void)
{
    struct text t = { .n = 0 };

    add(&t, HEAD("14x14") KING "[piece man]\nletter = P\nmove = W\nbecomes = 1-14 may %s\n",
        "A B C D E F G H I J L M N O Q R S T U V W X Y Z");
    for (unsigned i = 0; LETTERS[i]; i++)
        add(&t, "[piece p%u]\nletter = %c\nmove = W\n", i, LETTERS[i]);
    return parse(t.at);
}

#define CROWD                                                                                      \
    "k13/14/1P1P1P1P1P1P2/14/1P1P1P1P1P1P2/14/1P1P1P1P1P1P2/14/1P1P1P1P1P1P2/14/"                  \
    "1P1P1P1P1P1P2/14/14/13K w - - 0 1"

static void perft__counts_more_moves_than_a_list_holds(void **state)
{
    struct bk_variant *v = changelings();
    struct bk_pos p = read_fen(v, CROWD);
    static struct bk_move move[BK_MOVES_MAX];
    unsigned all = 0, pieces = 0;

    (void)state;
    /* 30 men with 4 squares each, on each 25 types (24 and their own); and 3 moves of the king */
    assert_int_equal(bk_perft(v, &p, 1), 30 * 4 * 25 + 3);
    for (unsigned first = 0; first != BK_MOVES_END; pieces++)
        all += bk_moves_portion(v, &p, &first, move);
    assert_int_equal(all, 30 * 4 * 25 + 3);
    assert_int_equal(pieces, 2);
    assert_int_equal(bk_moves_pseudo(v, &p, move), BK_MOVES_MAX);
    bk_variant_free(v);
}

static void index__refuses_men_with_more_moves_than_a_list_holds(void **state)
{
    struct bk_variant *v = parse(
        HEAD("14x14") KING "[piece queen]\nletter = Q\nmove = Q\n"
                           "becomes = 1-14 may A B C D E F G H I J L M N O R S T U\n"
                           "[piece a]\nletter = A\nmove = W\n[piece b]\nletter = B\nmove = W\n"
                           "[piece c]\nletter = C\nmove = W\n[piece d]\nletter = D\nmove = W\n"
                           "[piece e]\nletter = E\nmove = W\n[piece f]\nletter = F\nmove = W\n"
                           "[piece g]\nletter = G\nmove = W\n[piece h]\nletter = H\nmove = W\n"
                           "[piece i]\nletter = I\nmove = W\n[piece j]\nletter = J\nmove = W\n"
                           "[piece l]\nletter = L\nmove = W\n[piece m]\nletter = M\nmove = W\n"
                           "[piece n]\nletter = N\nmove = W\n[piece o]\nletter = O\nmove = W\n"
                           "[piece r]\nletter = R\nmove = W\n[piece s]\nletter = S\nmove = W\n"
                           "[piece t]\nletter = T\nmove = W\n[piece u]\nletter = U\nmove = W\n");
    struct bk_report why = { "" };
    struct bk_material m;
    struct bk_index *ix;

    (void)state;
    assert_int_equal(bk_material_parse(&m, v, "KQvKA", NULL), BK_OK);
    assert_int_equal(bk_index_new(&ix, v, &m, NULL, &why), BK_OK);
    bk_index_free(ix);
    assert_int_equal(bk_material_parse(&m, v, "KQQQvKA", NULL), BK_OK);
    assert_int_equal(bk_index_new(&ix, v, &m, NULL, &why), BK_E_USAGE);
    assert_non_null(strstr(why.text, "more than 2048 moves"));
    bk_variant_free(v);
}

/* Two men who may stand on one square alone, then on none. */
static void index__of_men_without_room_has_a_block_and_no_number(void **state)
{
    static const char *const holes[] = { "a1 b1 c1", "a1 b1 c1 d1" };

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct bk_placement at = { { 5, 15 }, { 3, 3 } };
        struct bk_variant *v;
        struct bk_material m;
        struct bk_index *ix;
        char text[400];

        snprintf(text, sizeof text,
                 HEAD("4x4") "holes = %s\n" KING "[piece post]\nletter = P\nmove = W\nranks = 1\n",
                 holes[i]);
        v = parse(text);
        assert_int_equal(bk_material_parse(&m, v, "KPPvK", NULL), BK_OK);
        assert_int_equal(bk_index_new(&ix, v, &m, NULL, NULL), BK_OK);
        assert_int_equal(ix->nblocks, 1);
        assert_true(ix->positions == 0 && bk_index_rank(ix, &at) == UINT64_MAX);
        bk_index_free(ix);
        bk_variant_free(v);
    }
}

/* The limit on the moves of a table's men refuses no table of a shipped game. */
static void index__takes_the_crowdiest_tables_of_every_game(void **state)
{
    (void)state;
    for (const struct bk_embedded *e = bk_embedded_variants; e->name; e++) {
        struct bk_report why = { "" };
        struct bk_variant *v;

        if (bk_variant_load(&v, e->name, &why))
            fail_msg("%s", why.text);
        for (unsigned type = 0; type < v->ntypes; type++) {
            uint8_t count[2][BK_TYPES_MAX] = { { 0 } };

            count[0][v->royal] = count[1][v->royal] = 1;
            count[0][type] = BK_MEN_MAX - 2;
            if (type != v->royal && !bk_moves_fit(v, (const uint8_t(*)[BK_TYPES_MAX])count))
                fail_msg("%s: six of %c", e->name, v->piece[type].letter);
        }
        bk_variant_free(v);
    }
}

/* == Corners of the rules == */

/* Two boxes of 2x2: White's rook, which has just taken on c1, is his one man in the right box, his
   king in the left. */
static void configuration__completed_by_a_baring_capture_has_won(void **state)
{
    struct bk_variant *v = parse("[variant]\nname = two-boxes\nboard = 4x2\nstalemate = loss\n"
                                 "bare-king = wins-unless-bared-back\nhand = captured\n"
                                 "hand-bonus = none\nconfiguration = 2x2\n" KING
                                 "[piece rook]\nletter = R\nmove = R\narmy = 1\n");
    struct bk_report why = { "" };
    struct bk_hands_pos p;
    int wdl = 9;

    (void)state;
    /* Black's king could take the rook, but the turn that bared him has ended the game. */
    if (bk_hands_from_fen(&p, v, "3k/K1R1[r] b", &why))
        fail_msg("%s", why.text);
    assert_int_equal(bk_hands_over(&p, v, &wdl), BK_HANDS_CONFIGURATION);
    assert_int_equal(wdl, -1);
    bk_variant_free(v);
}

#define PASSING(keys)                                                                              \
    "[variant]\nname = passing\nboard = 6x6\nbare-king = wins\nstalemate = draw\n"                 \
    "en-passant = yes\n" KING "[piece pawn]\nletter = P\nmove = mfWcfF\n" keys

static unsigned moves_to(const struct bk_variant *v, const struct bk_pos *p, const char *name)
{
    static struct bk_move move[BK_MOVES_MAX];
    unsigned n = bk_moves_legal(v, p, move), same = 0;
    char each[16];

    for (unsigned i = 0; i < n; i++)
        same += !strcmp(bk_move_name(v, &move[i], each), name);
    return same;
}

/* Of two moves with the same ends, one is named with the square where it takes, or by the rook's
   home. */
static void names__tell_apart_what_has_the_same_ends(void **state)
{
    struct bk_variant *twice = parse(
        PASSING("double-step = 2\nranks = 2-6\n[piece zig]\nletter = Z\nmove = WF\nsteps = 2\n"
                "bend = free\ntakes-twice = yes\n"));
    struct bk_variant *forward =
        parse("[variant]\nname = forward\nboard = 6x6\nbare-king = wins\nstalemate = draw\n"
              "en-passant = yes\n" KING "[piece pawn]\nletter = P\nmove = mfWfF\n"
              "double-step = 2\nranks = 2-6\n");
    struct bk_variant *leaps = parse(
        "[variant]\nname = leaps\nboard = 8x8\nbare-king = wins\nstalemate = draw\n"
        "castling-rook = R\ncastling-king-file = e\ncastling-rook-files = a h\n"
        "castling-king-to = c g\ncastling-rook-to = d f\n[piece king]\nletter = K\nroyal = yes\n"
        "move = KD\n[piece rook]\nletter = R\nmove = R\narmy = 2\n");
    struct bk_pos p = read_fen(twice, "k5/6/3z2/3Z2/6/K5 w - - 0 1");

    (void)state;
    assert_int_equal(moves_to(twice, &p, "d3e4"), 1); /* by e3 */
    assert_int_equal(moves_to(twice, &p, "d3d4e4"), 1);
    p = read_fen(forward, "k5/6/6/1pP3/6/5K w - b4 0 1");
    assert_int_equal(moves_to(forward, &p, "c3b4"), 1); /* quietly */
    assert_int_equal(moves_to(forward, &p, "c3b3b4"), 1);
    p = read_fen(leaps, "4k3/8/8/8/8/8/8/4K2R w K - 0 1");
    assert_int_equal(moves_to(leaps, &p, "e1g1"), 1); /* a leap */
    assert_int_equal(moves_to(leaps, &p, "e1h1"), 1);
    bk_variant_free(twice);
    bk_variant_free(forward);
    bk_variant_free(leaps);
}

static void en_passant__is_not_for_men_that_move_by_a_zone(void **state)
{
    struct bk_variant *zone = parse(PASSING("double-step = 2\nranks = 2-6\n"
                                            "zone-ranks = 3\nzone-move = K\n"));
    struct bk_variant *none = parse(PASSING("double-step = 2\nranks = 2-6\n"));
    /* Black has just gone b5b3; White's pawn stands on c3 or a3, and may take on b4 */
    struct bk_pos p = read_fen(zone, "k5/6/6/1pP3/6/5K w - b4 0 1");

    (void)state;
    assert_int_equal(moves_to(zone, &p, "c3b4"), 1); /* quietly */
    p = read_fen(none, "k5/6/6/1pP3/6/5K w - b4 0 1");
    assert_int_equal(moves_to(none, &p, "c3b4"), 1); /* in passing */
    bk_variant_free(zone);
    bk_variant_free(none);
}

static void en_passant__is_a_forward_capture(void **state)
{
    struct bk_variant *v = parse("[variant]\nname = passing\nboard = 6x6\nbare-king = wins\n"
                                 "stalemate = draw\nen-passant = yes\n" KING
                                 "[piece pawn]\nletter = P\nmove = mfWcF\ndouble-step = 2\n");
    struct bk_pos p;

    (void)state;
    /* a pawn that also takes backwards has passed the square: c5 does not take on b4 */
    p = read_fen(v, "k5/2P3/6/1p4/6/5K w - b4 0 1");
    assert_int_equal(moves_to(v, &p, "c5b4"), 0);
    p = read_fen(v, "k5/6/6/1pP3/6/5K w - b4 0 1");
    assert_int_equal(moves_to(v, &p, "c3b4"), 1);
    bk_variant_free(v);
}

static void plan__refuses_en_passant_for_men_that_come_back(void **state)
{
    struct bk_variant *v = parse(PASSING("double-step = 2\nzone-ranks = 5-6\nzone-move = R\n"));
    struct bk_report why = { "" };
    struct bk_plan *plan;
    struct bk_material m;

    (void)state;
    assert_int_equal(bk_material_parse(&m, v, "KPvKP", NULL), BK_OK);
    assert_int_equal(bk_plan_new(&plan, v, "/nonexistent", &m, 1, 0, true, &why), BK_E_USAGE);
    assert_non_null(strstr(why.text, "come back"));
    bk_variant_free(v);
}

/* `flagPiece = -` is every piece to newer versions of Fairy-Stockfish, and none to older ones. */
static void fairy__squares_to_be_reached_are_refused(void **state)
{
    static const char *const ends[] = { "flagRegion", "flagRegionWhite", "flagRegionBlack",
                                        "whiteFlag", "blackFlag" };
    char text[256];

    (void)state;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct bk_report why = { "" };
        struct bk_variant *v;

        snprintf(text, sizeof text, "[rooksquare:chess]\n%s = d4\nflagPiece = -\n", ends[i]);
        assert_int_equal(bk_fairy_parse(&v, "variants.ini", text, NULL, &why), BK_E_USAGE);
        assert_non_null(strstr(why.text, "reaching a square ends the game"));
        snprintf(text, sizeof text, "[no-flag:chess]\n%s = -\nflagPiece = r\n", ends[i]);
        if (bk_fairy_parse(&v, "variants.ini", text, NULL, &why))
            fail_msg("%s", why.text);
        bk_variant_free(v);
    }
}

/* == What is no file == */

static void load__refuses_what_is_no_file_at_once(void **state)
{
    static const char *const none[] = { "/dev/zero", "/dev/tty", "/tmp/", NULL };
    char folder[PROOF_DIR_MAX], path[PROOF_DIR_MAX + 16], name[PROOF_DIR_MAX + 32];
    struct bk_report why = { "" };
    struct bk_variant *v;

    (void)state;
    alarm(20);
    snprintf(path, sizeof path, "%s/pipe.ini", proof_folder(folder));
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(bk_variant_load(&v, path, &why), BK_E_USAGE);
    assert_non_null(strstr(why.text, "a pipe or device, not a file"));
    snprintf(name, sizeof name, "%s#a", path);
    assert_int_equal(bk_variant_load(&v, name, &why), BK_E_USAGE);
    for (unsigned i = 0; none[i]; i++) {
        enum bk_err err = bk_variant_load(&v, none[i], &why);

        if (err != BK_E_USAGE && err != BK_E_SYSTEM)
            fail_msg("%s was taken for a game", none[i]);
    }
    alarm(0);
}

/* == Heads of files == */

static const struct head_row {
    const char *material;
    unsigned variant, units, model; /* bytes of the game's name; units; bytes of each model */
    unsigned behind;                /* bytes after the last section */
    unsigned order, blocks;         /* digits of the index; blocks of each unit */
    enum bk_err err;
} head_rows[] = {
    { "KvK", 4, 1, 5, 0, 1, 1, BK_OK },
    { "KvK", 63, 2, 5, 0, 1, 1, BK_OK },
    { "KvK", 64, 1, 5, 0, 1, 1, BK_E_CORRUPT }, /* the name's NUL has no room */
    { "KvK", 255, 1, 5, 0, 1, 1, BK_E_CORRUPT },
    { "K\033K", 4, 1, 5, 0, 1, 1, BK_E_CORRUPT }, /* the escape would reach a terminal */
    { "K K", 4, 1, 5, 0, 1, 1, BK_E_CORRUPT },
    { "K\377K", 4, 1, 5, 0, 1, 1, BK_E_CORRUPT },
    { "KvK", 4, 0, 5, 0, 1, 1, BK_E_CORRUPT },
    { "KvK", 4, 1, 0, 0, 1, 1, BK_E_CORRUPT },
    { "KvK", 4, 1, 5, 1, 1, 1, BK_E_CORRUPT },
    { "KvK", 4, 1, 5, 0, BK_SLOTS_MAX + 1, 1, BK_OK },
    { "KvK", 4, 1, 5, 0, BK_SLOTS_MAX + 2, 1, BK_E_CORRUPT },
    { "KvK", 4, 1, 5, 0, 0, 1, BK_E_CORRUPT },
    { "KvK", 4, 1, 5, 0, 1, 0, BK_E_CORRUPT },
};

static void head__that_says_what_cannot_be_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof head_rows / sizeof *head_rows; i++) {
        const struct head_row *row = &head_rows[i];
        struct bk_head begin = { .info = { .norder = 1 } }, got;
        uint8_t *first = bk_head_write(&begin), h[512], *at = h + 24;
        struct bk_report why = { "" };
        uint64_t sum;
        uint32_t n;

        assert_non_null(first);
        memcpy(h, first, 24);
        free(first);
        at[0] = 1; /* positions */
        at[1] = (uint8_t)row->order;
        memset(at + 2, 0, row->order);
        at += 2 + row->order;
        at[0] = 3;
        memcpy(at + 1, row->material, 3);
        at[4] = (uint8_t)row->variant;
        memset(at + 5, 'v', row->variant);
        at += 5 + row->variant;
        memset(at, 0, 20); /* the summary */
        at[20] = (uint8_t)row->units;
        at += 21;
        for (unsigned u = 0; u < row->units; u++, at += 8) {
            memset(at, 0, 8);
            at[0] = (uint8_t)row->blocks;
            at[1] = (uint8_t)row->model;
        }
        memset(at, 0, 1 + row->behind);
        at += 1 + row->behind;
        n = (uint32_t)(at - h) + 8;
        memcpy(h + 12, &n, 4);
        sum = XXH3_64bits(h, n - 8);
        memcpy(at, &sum, 8);
        if (bk_head_parse(&got, h, n, "file", &why) != row->err)
            fail_msg("head %zu: %s", i, why.text);
        free(got.unit);
    }
}

static void head__of_another_size_than_it_can_have_is_refused(void **state)
{
    static const struct {
        uint32_t says;
        uint64_t file;
        enum bk_err err;
    } row[] = {
        { BK_HEAD_LEAST, BK_HEAD_LEAST, BK_OK },
        { BK_HEAD_LEAST - 1, 1000, BK_E_CORRUPT },
        { 101, 100, BK_E_CORRUPT },
        { BK_HEAD_MOST, 2 * BK_HEAD_MOST, BK_OK },
        { BK_HEAD_MOST + 1, 2 * BK_HEAD_MOST, BK_E_CORRUPT },
    };
    struct bk_head begin = { .info = { .norder = 1 } };
    uint8_t *first = bk_head_write(&begin);

    (void)state;
    assert_non_null(first);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        uint32_t n;

        memcpy(first + 12, &row[i].says, 4);
        assert_int_equal(bk_head_bytes(&n, first, row[i].file, "file", NULL), row[i].err);
    }
    free(first);
}

/* == A disk without room == */

static void spill__says_that_the_disk_is_full(void **state)
{
    struct bk_report why = { "out of memory" };
    struct bk_spill *st;
    void *array, *whole;

    (void)state;
    assert_int_equal(bk_spill_open(&st, "/tmp", 1 << 20, 0, NULL), BK_OK);
    assert_non_null(whole = bk_spill_new(st, 2 << 20));
    bk_spill_explain(st, &why);
    assert_string_equal(why.text, "out of memory"); /* kept: the disk refused nothing */
    limit_files(1 << 20);
    array = bk_spill_new(st, 8 << 20);
    limit_files(RLIM_INFINITY);
    assert_null(array);
    bk_spill_explain(st, &why);
    assert_string_equal(why.text, "scratch in /tmp: File too large");
    bk_spill_explain(NULL, &why);
    bk_spill_refused(st, ENOSPC);
    limit_files(1 << 20);
    assert_true(bk_spill_put(whole, 1 << 19, "there", 5));
    assert_false(bk_spill_put(whole, 3 << 19, "not there", 9));
    limit_files(RLIM_INFINITY);
    bk_spill_explain(st, &why);
    assert_string_equal(why.text, "scratch in /tmp: File too large");
    bk_spill_free(whole);
    bk_spill_close(st);
}

/* What fsync(), rename(), write() and pwrite() below record and do; the library calls them. */
static struct {
    char asked[32]; /* the calls: s: a file is synced; S: a folder is; r: a file is renamed */
    size_t n;
    bool slow;       /* writes take half of their bytes or fail with EINTR, in turn */
    unsigned writes; /* while `slow` */
    int refuses;     /* the errno with which a file's fsync() fails; or 0 */
} disk;

static void note(char what)
{
    if (disk.n + 1 < sizeof disk.asked)
        disk.asked[disk.n++] = what;
}

int fsync(int fd)
{
    struct stat st;
    bool folder = !fstat(fd, &st) && S_ISDIR(st.st_mode);

    note(folder ? 'S' : 's');
    errno = disk.refuses;
    return disk.refuses && !folder ? -1 : (int)syscall(SYS_fsync, fd);
}

int rename(const char *from, const char *to)
{
    note('r');
    return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

ssize_t write(int fd, const void *from, size_t bytes)
{
    if (disk.slow && disk.writes++ % 2) {
        errno = EINTR;
        return -1;
    }
    return syscall(SYS_write, fd, from, disk.slow ? (bytes + 1) / 2 : bytes);
}

ssize_t pwrite(int fd, const void *from, size_t bytes, off_t at)
{
    if (disk.slow && disk.writes++ % 2) {
        errno = EINTR;
        return -1;
    }
    return syscall(SYS_pwrite64, fd, from, disk.slow ? (bytes + 1) / 2 : bytes, at);
}

static void scratch__takes_every_byte_of_a_slow_disk(void **state)
{
    static const char text[] = "of these bytes the disk takes half at once, and half of the rest";
    int fd = bk_file_nameless("/tmp");
    char got[sizeof text];

    (void)state;
    assert_true(fd >= 0);
    disk.slow = true;
    assert_int_equal(bk_write_at(fd, text, sizeof text, 1000), 0);
    disk.slow = false;
    assert_int_equal(pread(fd, got, sizeof got, 1000), sizeof got);
    assert_string_equal(got, text);
    close(fd);
}

/* A table's file to be written, of two units with their shards in a scratch file.  At first an
   older file has its name, and its .part file is what a killed program left. */
enum { UNIT_BYTES = 3 << 19, FRONT_BYTES = 5 }; /* a unit is more than is copied at once */

struct written {
    char dir[PROOF_DIR_MAX], path[PROOF_DIR_MAX + 16], part[PROOF_DIR_MAX + 32];
    int scratch;
};

static uint8_t scratch_byte(size_t i) { return (uint8_t)(i * 7 + (i >> 9)); }

static void written_open(struct written *w)
{
    uint8_t *bytes = malloc(2 * UNIT_BYTES);

    assert_non_null(bytes);
    for (size_t i = 0; i < 2 * UNIT_BYTES; i++)
        bytes[i] = scratch_byte(i);
    memset(&disk, 0, sizeof disk);
    snprintf(w->path, sizeof w->path, "%s/game/KvK.bkw", proof_folder(w->dir));
    snprintf(w->part, sizeof w->part, "%s.part", w->path);
    assert_true((w->scratch = bk_file_scratch(w->path)) >= 0);
    assert_int_equal(pwrite(w->scratch, bytes, 2 * UNIT_BYTES, 0), 2 * UNIT_BYTES);
    spill(w->path, "old", 3);
    spill(w->part, "killed", 6);
    free(bytes);
}

static void written_close(struct written *w)
{
    close(w->scratch);
    proof_remove(w->dir);
}

static enum bk_err write_it(const struct written *w, struct bk_report *why)
{
    static const uint8_t model[FRONT_BYTES] = "model";
    const struct bk_file_info info = {
        .positions = 1, .norder = 1, .variant = "game", .material = "KvK", .nunits = 2
    };
    struct bk_unit_bytes unit[2];

    for (unsigned i = 0; i < 2; i++) /* the second comes first in the scratch file */
        unit[i] = (struct bk_unit_bytes){ .nblocks = 1,
                                          .model = model,
                                          .model_bytes = FRONT_BYTES,
                                          .shard_bytes = UNIT_BYTES,
                                          .at = i ? 0 : UNIT_BYTES };
    return bk_file_write(w->path, &info, unit, w->scratch, why);
}

static bool is_old(const struct written *w)
{
    char text[8] = "";
    FILE *f = fopen(w->path, "r");
    size_t n = f ? fread(text, 1, sizeof text, f) : 0;

    if (f)
        fclose(f);
    return n == 3 && !memcmp(text, "old", 3);
}

/* Fails unless the file at w->path has the new models and shards behind its head. */
static void is_new(const struct written *w)
{
    enum { BEHIND = 2 * (FRONT_BYTES + UNIT_BYTES) };
    uint8_t *bytes = malloc(BEHIND);
    FILE *f = fopen(w->path, "r");

    assert_true(bytes && f);
    assert_int_equal(fseek(f, -(long)BEHIND, SEEK_END), 0);
    assert_in_range(ftell(f), 32, 200);
    assert_int_equal(fread(bytes, 1, BEHIND, f), BEHIND);
    assert_memory_equal(bytes, "modelmodel", 2 * FRONT_BYTES);
    for (size_t i = 0; i < 2 * UNIT_BYTES; i++)
        if (bytes[2 * FRONT_BYTES + i] != scratch_byte((i + UNIT_BYTES) % (2 * UNIT_BYTES)))
            fail_msg("byte %zu of the shards", i);
    fclose(f);
    free(bytes);
}

/* Without fsync() before rename() a crash of the machine could leave a name without its bytes. */
static void file__is_on_the_disk_before_it_has_its_name(void **state)
{
    (void)state;
    for (unsigned slow = 0; slow < 2; slow++) {
        struct bk_report why = { "" };
        struct written w;

        written_open(&w);
        disk.slow = slow;
        assert_int_equal(write_it(&w, &why), BK_OK);
        assert_string_equal(disk.asked, "s");
        assert_true(is_old(&w));
        assert_int_equal(bk_file_publish(w.path, &why), BK_OK);
        assert_string_equal(disk.asked, "srS");
        is_new(&w);
        assert_int_equal(access(w.part, F_OK), -1);
        assert_int_equal(bk_file_publish(w.path, &why), BK_E_SYSTEM); /* no .part file is left */
        written_close(&w);
    }
}

static void file__that_cannot_be_written_leaves_the_one_before(void **state)
{
    static const struct {
        rlim_t most; /* bytes of a file */
        int refuses;
        off_t scratch;
        const char *says;
    } row[] = {
        { RLIM_INFINITY, EIO, 2 * UNIT_BYTES, "Input/output error" },
        { 1, 0, 2 * UNIT_BYTES, "File too large" },
        { UNIT_BYTES + 4096, 0, 2 * UNIT_BYTES, "File too large" },
        { RLIM_INFINITY, 0, 2 * UNIT_BYTES - 1, "Input/output error" },
        { RLIM_INFINITY, 0, 2 * UNIT_BYTES, NULL }, /* written, then withdrawn */
    };

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct bk_report why = { "" };
        struct written w;
        enum bk_err err;

        written_open(&w);
        assert_int_equal(ftruncate(w.scratch, row[i].scratch), 0);
        disk.refuses = row[i].refuses;
        limit_files(row[i].most);
        errno = 0;
        err = write_it(&w, &why);
        limit_files(RLIM_INFINITY);
        assert_int_equal(err, row[i].says ? BK_E_SYSTEM : BK_OK);
        if (row[i].says && !strstr(why.text, row[i].says))
            fail_msg("'%s' does not say '%s'", why.text, row[i].says);
        if (!err)
            bk_file_withdraw(w.path);
        assert_int_equal(access(w.part, F_OK), -1);
        assert_true(is_old(&w));
        written_close(&w);
    }
    memset(&disk, 0, sizeof disk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits__beyond_what_a_name_can_say_are_refused),
        cmocka_unit_test(material_name__of_many_allowances_stays_within_its_room),
        cmocka_unit_test(material_name__of_a_crowd_says_that_it_is_cut),
        cmocka_unit_test(promotion__with_endlessly_many_ways_is_soon_known),
        cmocka_unit_test(perft__counts_more_moves_than_a_list_holds),
        cmocka_unit_test(index__refuses_men_with_more_moves_than_a_list_holds),
        cmocka_unit_test(index__of_men_without_room_has_a_block_and_no_number),
        cmocka_unit_test(index__takes_the_crowdiest_tables_of_every_game),
        cmocka_unit_test(configuration__completed_by_a_baring_capture_has_won),
        cmocka_unit_test(names__tell_apart_what_has_the_same_ends),
        cmocka_unit_test(en_passant__is_not_for_men_that_move_by_a_zone),
        cmocka_unit_test(en_passant__is_a_forward_capture),
        cmocka_unit_test(plan__refuses_en_passant_for_men_that_come_back),
        cmocka_unit_test(fairy__squares_to_be_reached_are_refused),
        cmocka_unit_test(load__refuses_what_is_no_file_at_once),
        cmocka_unit_test(head__that_says_what_cannot_be_is_refused),
        cmocka_unit_test(head__of_another_size_than_it_can_have_is_refused),
        cmocka_unit_test(spill__says_that_the_disk_is_full),
        cmocka_unit_test(scratch__takes_every_byte_of_a_slow_disk),
        cmocka_unit_test(file__is_on_the_disk_before_it_has_its_name),
        cmocka_unit_test(file__that_cannot_be_written_leaves_the_one_before),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
