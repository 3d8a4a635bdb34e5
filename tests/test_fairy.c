/*
 * test_fairy.c - sections of Fairy-Stockfish's variants.ini.
 *
 * Oracles: our own files of the same games (equal rules_id), and published
 * counts of moves.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unistd.h>

#include "core/fairy.h"
#include "core/fairy_file.h"
#include "core/fairy_write.h"
#include "core/load.h"
#include "core/move.h"
#include "tests/given.h"
#include "tests/proof.h"
#include "tests/refusal.h"

static struct bk_variant *read_section(const char *text, const char *section)
{
    struct bk_report why;
    struct bk_variant *v;

    if (bk_fairy_parse(&v, "variants.ini", text, section, &why))
        fail_msg("%s", why.text);
    return v;
}

static uint64_t perft_from_start(const struct bk_variant *v, unsigned depth)
{
    struct bk_report why;
    struct bk_pos p;

    if (bk_pos_from_fen(&p, v, v->start, &why))
        fail_msg("%s", why.text);
    return bk_perft(v, &p, depth);
}

static const struct bk_piece *piece(const struct bk_variant *v, char letter)
{
    int type = bk_variant_type(v, letter);

    assert_true(type >= 0);
    return &v->piece[type];
}

/* == What is read == */

static void assert_same_rules(const char *text, const char *game)
{
    struct bk_variant *fairy = read_section(text, NULL), *ours = load(game);

    assert_true(fairy->rules_id == ours->rules_id);
    if (strcmp(game, "shatranj")) /* its kings stand on another file in Fairy-Stockfish */
        assert_string_equal(fairy->start, ours->start);
    bk_variant_free(fairy);
    bk_variant_free(ours);
}

static void fairy__chess_and_shatranj_are_ours(void **state)
{
    (void)state;
    assert_same_rules("[my-chess:chess]\n", "chess");
    assert_same_rules("# said again\n[a:chess]\ndoubleStepRank = 2\nenPassantRegion = *3 *6\n"
                      "promotionRank=8\ncastlingKingsideFile = g\n",
                      "chess");
    assert_same_rules("[sh:shatranj]", "shatranj");
}

/* Sultan, spelt out: custom piece, ten files, castling three squares. */
static void fairy__sultan_is_ours(void **state)
{
    (void)state;
    assert_same_rules("[sultan-ours]\r\n"
                      "king = k\r\nqueen = q\r\nrook = r\r\nbishop = b\r\nknight = n\r\n"
                      "customPiece1 = c:AD\r\npawn = p\r\nmaxFile = 10\r\n"
                      "promotionPieceTypes = qrbnc\r\n"
                      "startFen = rnbcqkcbnr/pppppppppp/10/10/10/10/PPPPPPPPPP/RNBCQKCBNR w KQkq - "
                      "0 1\r\ncastlingKingsideFile = i\r\ncastlingQueensideFile = c\r\n"
                      "pieceToCharTable = -\r\nnMoveRule = 70\r\n",
                      "sultan");
}

static void fairy__capablanca_has_the_published_counts(void **state)
{
    struct bk_variant *v = read_section(
        "[capa:chess]\nmaxFile = j\narchbishop = a\nchancellor = c\n"
        "promotionPieceTypes = acqrbn\ncastlingKingsideFile = i\n"
        "startFen = rnabqkbcnr/pppppppppp/10/10/10/10/PPPPPPPPPP/RNABQKBCNR w KQkq - 0 1\n",
        NULL);

    (void)state;
    assert_int_equal(perft_from_start(v, 1), 28);
    assert_int_equal(perft_from_start(v, 2), 784);
    assert_int_equal(perft_from_start(v, 3), 25228);
    assert_int_equal(v->castling.king_to[1], 8);
    assert_int_equal(v->castling.rook_to[1], 7);
    bk_variant_free(v);
}

static void fairy__makruk_has_the_published_counts(void **state)
{
    struct bk_variant *v = read_section(
        "[makruk-like:chess]\nbishop = -\nqueen = -\nsilver = s\nfers = m\n"
        "startFen = rnsmksnr/8/pppppppp/8/8/PPPPPPPP/8/RNSKMSNR w - - 0 1\n"
        "promotionRank = 6\npromotionPieceTypes = m\ndoubleStep = false\ncastling = false\n"
        "countingRule = makruk\n",
        NULL);

    (void)state;
    assert_int_equal(perft_from_start(v, 1), 23);
    assert_int_equal(perft_from_start(v, 2), 529);
    assert_int_equal(perft_from_start(v, 3), 12012);
    assert_int_equal(piece(v, 'P')->ranks, 0x1c); /* 3 to 5: on the 6th it must promote */
    assert_int_equal(piece(v, 'P')->become[0].ranks, 0xe0);
    bk_variant_free(v);
}

static void fairy__inherits_from_earlier_sections(void **state)
{
    struct bk_variant *v = read_section("[a:chess]\nstalemateValue = loss\nrook = -\n"
                                        "castling = false\npromotionPieceTypes = q\n"
                                        "startFen = 4k3/8/8/8/8/8/P7/4K3 w - - 0 1\n"
                                        "; between\n"
                                        "[b:a]\nqueen = -\namazon = q\n"
                                        "promotionPieceTypes = q\n",
                                        "b");

    (void)state;
    assert_string_equal(v->name, "b");
    assert_int_equal(v->stalemate, BK_STALEMATE_LOSS);
    assert_int_equal(bk_variant_type(v, 'R'), -1);
    assert_int_equal(piece(v, 'Q')->move.nsteps, 16);
    assert_string_equal(v->start, "4k3/8/8/8/8/8/P7/4K3 w - - 0 1");
    bk_variant_free(v);
}

#define SMALL(keys)                                                                                \
    "[g]\nmaxFile = 5\nmaxRank = 6\nking = k\nrook = r\npawn = p\ncastling = false\n"              \
    "startFen = r3k/ppppp/5/*4/PPPPP/R3K[] w 0 1\n" keys
#define PAWNS "promotionRank = 6\npromotionPieceTypes = r\ndoubleStep = false\n"

/* The counts are of npm's ffish, as `make test-reach` finds them anew, with random positions. */
static void fairy__built_in_games_have_the_counts_of_others(void **state)
{
    static const struct {
        const char *name;
        uint64_t third; /* ply; 0: men in hand in the array */
    } games[] = {
        { "chess", 8902 },       { "normal", 8902 },       { "fischerandom", 8902 },
        { "nocastle", 8902 },    { "raazuvaa", 2124 },     { "fairy", 8902 },
        { "makruk", 12012 },     { "ai-wok", 18102 },      { "asean", 12012 },
        { "shatranj", 4176 },    { "chaturanga", 4176 },   { "courier", 18406 },
        { "amazon", 12483 },     { "georgian", 12483 },    { "nightrider", 15586 },
        { "knightmate", 6765 },  { "pocketknight", 0 },    { "dragon", 0 },
        { "seirawan", 0 },       { "hoppelpoppel", 9034 }, { "newzealand", 8976 },
        { "almost", 11895 },     { "losalamos", 1212 },    { "gardner", 506 },
        { "capablanca", 25228 }, { "caparandom", 25228 },  { "gothic", 25283 },
        { "embassy", 25281 },    { "janus", 24747 },       { "centaur", 24490 },
        { "gustav3", 12804 },    { "modern", 15831 },      { "chancellor", 15896 },
        { "tencubed", 68230 },   { "grand", 259514 },      { "opulent", 133829 },
        { "shako", 185938 },     { "omicron", 29540 },
    };
    size_t n = 0;

    (void)state;
    for (const struct bk_embedded_fairy *e = bk_embedded_fairy; e->name; e++, n++) {
        struct bk_variant *v, *heir;
        struct bk_report why = { "" };
        char text[80];

        assert_true(n < sizeof games / sizeof *games);
        assert_string_equal(e->name, games[n].name);
        assert_null(bk_fairy_refused(e->name));
        assert_int_equal(bk_fairy_built_in(&v, e, &why), BK_OK);
        assert_string_equal(v->name, e->name);
        assert_false(strchr(v->title, '#') || !*v->title);
        if (games[n].third)
            assert_int_equal(perft_from_start(v, 3), games[n].third);
        else
            assert_string_equal(v->start, "");
        snprintf(text, sizeof text, "[heir:%s]\n", e->name);
        heir = read_section(text, NULL);
        assert_true(heir->rules_id == v->rules_id);
        assert_string_equal(heir->start, v->start);
        bk_variant_free(heir);
        bk_variant_free(v);
    }
    assert_int_equal(n, sizeof games / sizeof *games);
}

/* They are found by name, behind ours. */
static void fairy__built_in_games_are_loaded_by_name(void **state)
{
    struct bk_variant *makruk = load("makruk"), *chess = load("chess"), *v = NULL;
    struct bk_report why = { "" };

    (void)state;
    assert_string_equal(makruk->title, "Makruk, chess of Thailand");
    assert_string_equal(chess->source, "docs/rules.md#chess");
    assert_int_equal(bk_variant_load(&v, "xiangqi", &why), BK_E_USAGE);
    assert_string_equal(why.text,
                        "Fairy-Stockfish's `xiangqi` has leapers that can be blocked, which "
                        "cannot be expressed");
    assert_null(v);
    bk_variant_free(makruk);
    bk_variant_free(chess);
}

/* A list of letters means who had them where it stands. */
static void fairy__lists_mean_the_men_of_their_section(void **state)
{
    struct bk_variant *gemini = read_section(
        "[gemini-like:janus]\narchbishop = a\n"
        "startFen = rnbaqkabnr/pppppppppp/10/10/10/10/PPPPPPPPPP/RNBAQKABNR w KQkq - 0 1\n",
        NULL);
    struct bk_variant *ferses = read_section("[a:chess]\nqueen = -\nfers = q\n", NULL);
    const struct bk_become *b = &piece(gemini, 'P')->become[0];

    (void)state;
    assert_int_equal(b->nto, 5);
    assert_true(memchr(b->to, bk_variant_type(gemini, 'A'), b->nto) != NULL);
    b = &piece(ferses, 'P')->become[0];
    assert_int_equal(b->nto, 3); /* the queen went, and the ferz has not been named */
    assert_null(memchr(b->to, bk_variant_type(ferses, 'Q'), b->nto));
    bk_variant_free(gemini);
    bk_variant_free(ferses);
}

/* A later section gives the rook's letter to another man, and so takes the rook away. */
static void fairy__a_letter_that_is_given_away_takes_its_man_along(void **state)
{
    struct bk_variant *v = read_section("[a:chess]\n[b:a]\ncustomPiece1 = r:RmF\n"
                                        "castlingRookPieces = r\npromotionPieceTypes = rq\n",
                                        "b");
    struct bk_variant *left =
        read_section("[a:chess]\ncastling = false\ncustomPiece1 = r:W\n", NULL);

    (void)state;
    assert_string_equal(piece(v, 'R')->name, "customPiece1");
    assert_int_equal(v->castling.rook, bk_variant_type(v, 'R'));
    assert_true(memchr(piece(v, 'P')->become[0].to, bk_variant_type(v, 'R'), 2) != NULL);
    assert_int_equal(piece(left, 'P')->become[0].nto, 3); /* q b n: r was the rook's letter */
    bk_variant_free(v);
    bk_variant_free(left);
}

/* Men who are only dropped from the array's hands: positions without hands are the game's. */
static void fairy__men_in_hand_leave_no_array(void **state)
{
    struct bk_variant *v = read_section(
        "[a:chess]\npieceDrops = true\nstartFen = 4k3/8/8/8/8/8/8/4K2R[Nn] w K - 0 1\n", NULL);
    struct bk_variant *gates = load("seirawan");

    (void)state;
    assert_string_equal(v->start, "");
    assert_int_equal(v->castling.rook_file[1], 7);
    assert_int_equal(piece(v, 'N')->army, 1);
    assert_int_equal(gates->castling.rook_file[0],
                     0); /* of the array's KQBCDFG, K and Q are rights */
    assert_int_equal(gates->castling.rook_file[1], 7);
    bk_variant_free(v);
    bk_variant_free(gates);
}

/* Pawns of Grand chess may stay pawns on the eighth and ninth; on the tenth they would be stuck. */
static void fairy__nobody_goes_where_he_is_stuck(void **state)
{
    struct bk_variant *grand = load("grand");

    (void)state;
    assert_int_equal(piece(grand, 'P')->ranks, 0x1fc);
    assert_int_equal(piece(grand, 'P')->become[0].ranks, 0x380);
    assert_int_equal(piece(grand, 'N')->ranks, 0x3ff);
    bk_variant_free(grand);
}

static void fairy__homes_are_a_fens_in_chess960(void **state)
{
    struct bk_variant *v = load("caparandom");

    (void)state;
    assert_true(v->castling.shuffled && !v->castling.allowed);
    assert_int_equal(v->castling.king_to[0], 2);
    assert_int_equal(v->castling.rook_to[1], 7);
    bk_variant_free(v);
}

static void fairy__the_last_of_two_lines_of_a_key_counts(void **state)
{
    struct bk_variant *v = read_section(
        "[a:chess]\npromotionPieceTypes = -\nstalemateValue = loss\npromotionPieceTypes = n\n",
        NULL);

    (void)state;
    assert_int_equal(piece(v, 'P')->become[0].nto, 1);
    assert_int_equal(v->stalemate, BK_STALEMATE_LOSS);
    bk_variant_free(v);
}

/* Black's region is the last rank, or his pawns' usual one, if only White's is said. */
static void fairy__half_a_region_is_completed_as_the_program_does(void **state)
{
    struct bk_variant *v = read_section("[a:chess]\nmaxRank = 6\nmaxFile = 5\n"
                                        "startFen = qkbnr/ppppp/5/5/PPPPP/QKBNR w - 0 1\n"
                                        "castling = false\ndoubleStep = false\n"
                                        "promotionRegionWhite = *6\n",
                                        NULL);

    (void)state;
    assert_int_equal(piece(v, 'P')->become[0].ranks, 0x20);
    assert_int_equal(perft_from_start(v, 1), 7);
    bk_variant_free(v);
}

static void fairy__board_holes_and_armies_come_from_the_array(void **state)
{
    struct bk_variant *v = read_section(SMALL(PAWNS), NULL);

    (void)state;
    assert_int_equal(v->files, 5);
    assert_int_equal(v->ranks, 6);
    assert_false(bk_bits_has(&v->board, bk_sq(v, 0, 2)));
    assert_int_equal(bk_bits_count(&v->board), 29);
    assert_int_equal(piece(v, 'P')->army, 5);
    assert_int_equal(piece(v, 'R')->army, 1);
    assert_string_equal(v->start, "r3k/ppppp/5/*4/PPPPP/R3K w - - 0 1");
    bk_variant_free(v);
}

static void fairy__a_promotion_limit_is_a_lost_rule(void **state)
{
    struct bk_variant *v = read_section(
        SMALL("promotionRank = 5\npromotionPieceTypes = rn\nknight = n\ndoubleStep = false\n"
              "promotionLimit = r:2\nmandatoryPawnPromotion = false\n"),
        NULL);
    const struct bk_piece *p = piece(v, 'P');

    (void)state;
    assert_int_equal(p->nbecomes, 2);
    assert_false(p->become[0].lost_only);
    assert_int_equal(p->become[0].to[0], bk_variant_type(v, 'N'));
    assert_true(p->become[1].lost_only);
    assert_int_equal(p->become[1].ranks, 0x30);
    assert_false(p->become[1].must);
    assert_int_equal(piece(v, 'R')->army, 2);
    assert_int_equal(p->ranks, 0x3e); /* it may stay in the zone */
    bk_variant_free(v);
}

static void fairy__regions_of_whole_ranks_are_ranks(void **state)
{
    struct bk_variant *v = read_section(
        SMALL("promotionRegionWhite = *6\npromotionRegionBlack = *1\npromotionPieceTypes = r\n"
              "doubleStepRegionWhite = *2\ndoubleStepRegionBlack = a5 b5 c5 d5 e5\n"
              "enPassantRegion = -\n"),
        NULL);

    (void)state;
    assert_int_equal(piece(v, 'P')->double_ranks, 2);
    assert_int_equal(piece(v, 'P')->become[0].ranks, 1 << 5);
    assert_false(v->en_passant);
    bk_variant_free(v);
}

static void fairy__extinction_of_all_but_one_is_a_bare_king(void **state)
{
#define EXTINCT "extinctionValue = loss\nextinctionPieceTypes = *\nextinctionPieceCount = 1\n"
    static const struct {
        const char *text;
        enum bk_bare bare;
    } cases[] = {
        { SMALL(PAWNS), BK_BARE_NOTHING },
        { SMALL(PAWNS "extinctionPieceTypes = *\n"), BK_BARE_NOTHING },
        { SMALL(PAWNS EXTINCT), BK_BARE_WINS },
        { SMALL(PAWNS EXTINCT "extinctionOpponentPieceCount = 2\n"), BK_BARE_WINS },
        { SMALL(PAWNS EXTINCT "extinctionClaim = true\n"), BK_BARE_WINS },
        { SMALL(PAWNS EXTINCT "extinctionClaim = true\nextinctionOpponentPieceCount = 2\n"
                              "stalemateValue = loss\n"),
          BK_BARE_BACK },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bk_variant *v = read_section(cases[i].text, NULL);

        assert_int_equal(v->bare, cases[i].bare);
        bk_variant_free(v);
    }
}

static void fairy__royal_men_need_not_be_kings(void **state)
{
    struct bk_variant *v = read_section(
        "[knights:chess]\nking = -\ncommoner = n\nknight = -\ncustomPiece1 = k:N\n"
        "extinctionValue = loss\nextinctionPieceTypes = k\nextinctionPseudoRoyal = true\n"
        "promotionPieceTypes = qrbn\ncastling = false\n",
        NULL);

    (void)state;
    assert_int_equal(v->piece[v->royal].letter, 'K');
    assert_int_equal(v->piece[v->royal].move.nsteps, 8);
    assert_int_equal(v->piece[v->royal].move.step[0].df * v->piece[v->royal].move.step[0].df, 1);
    bk_variant_free(v);
    v = read_section("[n:chess]\nking = k:KN\n", NULL);
    assert_int_equal(v->piece[v->royal].move.nsteps, 16);
    bk_variant_free(v);
    v = read_section("[n:chess]\nkingType = n\n", NULL);
    assert_int_equal(v->piece[v->royal].move.nsteps, 8);
    bk_variant_free(v);
}

static void fairy__soldiers_turn_sideways_where_they_are_told(void **state)
{
    struct bk_variant *v =
        read_section(SMALL(PAWNS "soldier = s\nsoldierPromotionRank = 4\n"), NULL);

    (void)state;
    assert_int_equal(piece(v, 'S')->move.nsteps, 1);
    assert_int_equal(piece(v, 'S')->zone.nsteps, 3);
    assert_int_equal(piece(v, 'S')->zone_ranks, 0x38);
    bk_variant_free(v);
}

static void fairy__files_are_told_from_ours_and_sections_by_name(void **state)
{
    char folder[PROOF_DIR_MAX], name[PROOF_DIR_MAX + 16];
    struct bk_variant *v = NULL;
    struct bk_report why;
    FILE *out;

    (void)state;
    assert_true(bk_fairy_is("# x\n[a]\n"));
    assert_false(bk_fairy_is("; x\n\n[variant]\nname = x\n"));
    assert_false(bk_fairy_is("[piece king]\n"));
    assert_false(bk_fairy_is("name = x\n"));
    snprintf(name, sizeof name, "%s/two.ini", proof_folder(folder));
    out = fopen(name, "w");
    assert_non_null(out);
    fputs("[one:chess]\n[two:shatranj]\n", out);
    fclose(out);
    assert_int_equal(bk_variant_load(&v, name, &why), BK_E_USAGE);
    assert_non_null(strstr(why.text, ".ini:1:1: 2 sections: say which, as in FILE.ini#one"));
    strcat(name, "#two");
    v = load(name);
    assert_string_equal(v->name, "two");
    bk_variant_free(v);
}

/* A doubled rider is one rider; hoppers beside riders of the same range are read as written. */
static void fairy__riders_and_hoppers_share_lines(void **state)
{
    struct bk_variant *v =
        read_section("[a:chess]\ncustomPiece1 = x:bRR\ncustomPiece2 = y:RcpR\n", NULL);
    const struct bk_movement *back = &piece(v, 'X')->move;

    (void)state;
    assert_int_equal(back->nsteps, 1);
    assert_int_equal(back->step[0].dr, -1);
    assert_int_equal(back->step[0].range, 0);
    assert_int_equal(piece(v, 'Y')->move.nsteps, 8);
    bk_variant_free(v);
}

/* Fifty moves and the pawn, if the file does not say; in Shatranj seventy. */
static void fairy__counts_moves_as_ours_do(void **state)
{
    static const struct {
        const char *text;
        unsigned plies;
        char letter; /* whose moves zero; 0: nobody's */
    } row[] = { { "[a:chess]\n", 100, 'P' },
                { "[a:shatranj]\n", 140, 'P' },
                { "[a:chess]\nnMoveRule = 0\n", 0, 0 },
                { "[a:chess]\nnMoveRule = 64\nnMoveRuleTypes = -\n", 128, 0 } };
    struct bk_variant *chess = load("chess"), *shatranj = load("shatranj");

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct bk_variant *v = read_section(row[i].text, NULL);

        assert_int_equal(v->nmove.plies, row[i].plies);
        assert_int_equal(v->nmove.kinds,
                         row[i].letter ? 1u << bk_variant_type(v, row[i].letter) : 0);
        if (i < 2)
            assert_true(v->nmove_id == (i ? shatranj : chess)->nmove_id);
        bk_variant_free(v);
    }
    bk_variant_free(chess);
    bk_variant_free(shatranj);
}

/* == What is refused == */

static const struct refusal refusals[] = {
    { "fairy__refuses_zeroing_men_that_go_to_and_fro", "[a:chess]\nnMoveRuleTypes = pr\n",
      "f.ini:2:18: key 'nMoveRuleTypes': R can go to and fro; with captures + irreversible "
      "moves zero from which a man can never come back" },
    { "fairy__refuses_unknown_key", "[a:chess]\n\nmustCaptures = true\n",
      "f.ini:3:1: key 'mustCaptures': unknown, or nothing that our rules have" },
    { "fairy__refuses_rule_we_lack", "[a:chess]\nmustCapture = true\n",
      "f.ini:2:15: key 'mustCapture': only `false` can be expressed" },
    { "fairy__refuses_drops_of_men_taken", "[a:chess]\npieceDrops=true\ncapturesToHand=true\n",
      "f.ini:3:16: key 'capturesToHand': only `false` can be expressed" },
    { "fairy__refuses_ranks_on_which_some_are_stuck",
      "[a:chess]\nmaxFile = 3\nmaxRank = 5\ncustomPiece1 = d:sD\nimmobilityIllegal = true\n"
      "castling = false\npawn = -\nstartFen = 1k1/3/3/3/1K1 w\n",
      "f.ini:5:21: key 'immobilityIllegal': customPiece1: only whole ranks without a way on can be "
      "expressed" },
    { "fairy__refuses_flags", "[a:chess]\nflagPiece = -\nflagRegion = *8\n",
      "f.ini:3:14: key 'flagRegion': reaching a square ends the game, which cannot be expressed; "
      "only `-`" },
    { "fairy__refuses_no_value", "[a:chess]\npromotionPieceTypes =  \n",
      "f.ini:2:1: key 'promotionPieceTypes': no value: the program passes the line over" },
    { "fairy__refuses_white_space_at_the_end", "[a:chess]\ncastling = true \n",
      "f.ini:2:16: key 'castling': white space at the end: part of the value to the program" },
    { "fairy__refuses_indented_keys", "[a:chess]\n  queen = -\n",
      "f.ini:2:1: white space before a key: part of the key's name to the program" },
    { "fairy__refuses_tabs_behind_keys", "[a:chess]\nqueen\t= -\n",
      "f.ini:2:1: a tab before `=`: part of the key's name to the program" },
    { "fairy__refuses_indented_sections", "[a:chess]\n [b:chess]\n",
      "f.ini:2:1: white space before `[`: no section to the program" },
    { "fairy__refuses_blanks_in_names", "[a: chess]\n",
      "f.ini:1:1: [a: chess]: neither an earlier section nor a game that is built in" },
    { "fairy__refuses_slots_that_there_are_not", "[a:chess]\ncustomPiece26 = e:N\n",
      "f.ini:2:1: key 'customPiece26': unknown, or nothing that our rules have" },
    { "fairy__refuses_slots_with_zeros", "[a:chess]\ncustomPiece01 = e:N\n",
      "f.ini:2:1: key 'customPiece01': unknown, or nothing that our rules have" },
    { "fairy__refuses_names_of_its_own_games", "[shatranj]\nking = k\n",
      "f.ini:1:2: the program has a game 'shatranj', and passes this one over" },
    { "fairy__refuses_regions_of_everything", "[a:chess]\nenPassantRegion = *\n",
      "f.ini:2:19: key 'enPassantRegion': expected squares of the board: d4, *4, d*" },
    { "fairy__refuses_files_in_capitals", "[a:chess]\ncastlingKingsideFile = F\n",
      "f.ini:2:24: key 'castlingKingsideFile': expected a file from a to h" },
    { "fairy__refuses_limits_below_the_array", "[a:chess]\npromotionLimit = q:1 r:1\n",
      "f.ini:2:22: key 'promotionLimit': there are 2 of them in startFen" },
    { "fairy__refuses_limits_above_the_board", "[a:chess]\npromotionLimit = q:99\n",
      "f.ini:2:18: key 'promotionLimit': 99 men on 64 squares" },
    { "fairy__says_where_the_king_rides", "[a:chess]\nking = k:R\n",
      "f.ini:2:8: key 'king': the royal piece leaps: riders are not for it" },
    { "fairy__refuses_decisive_repetition", "[a:chess]\nnFoldValue = loss\n",
      "f.ini:2:14: key 'nFoldValue': only `draw` can be expressed" },
    { "fairy__refuses_mobility_regions", "[a:chess]\nmobilityRegionWhiteKing = *1\n",
      "f.ini:2:1: key 'mobilityRegionWhiteKing': where men may go cannot be restricted" },
    { "fairy__refuses_lame_leapers", "[a:chess]\nhorse = h\n",
      "f.ini:2:9: key 'horse': a leaper that can be blocked" },
    { "fairy__refuses_bad_betza_with_its_column", "[a:chess]\ncustomPiece1 = x:WnN\n",
      "f.ini:2:19: key 'customPiece1': modifier `n` is not known here" },
    { "fairy__refuses_hops_of_leapers", "[a:chess]\ncustomPiece1 = x:pNN\n",
      "f.ini:2:18: key 'customPiece1': `p` is for R, B and Q only" },
    { "fairy__refuses_hops_of_nothing", "[a:chess]\ncustomPiece1 = x:Wp\n",
      "f.ini:2:19: key 'customPiece1': `p` is for R, B and Q only" },
    { "fairy__refuses_pairs_before_two_leaps", "[a:chess]\ncustomPiece1 = x:cNmlfK\n",
      "f.ini:2:21: key 'customPiece1': `lf` before K or Q is told in two ways" },
    { "fairy__refuses_left_unlike_right", "[a:chess]\ncustomPiece1 = x:WflF\n",
      "f.ini:2:18: key 'customPiece1': left and right must be alike: a Black man is turned there, "
      "and "
      "mirrored here" },
    { "fairy__refuses_a_least_rank_that_newer_versions_pass_over",
      "[a:chess]\ndoubleStepRank = 3\ndoubleStepRankMin = 3\n",
      "f.ini:3:21: key 'doubleStepRankMin': newer versions pass it over beside 'doubleStepRank'; "
      "say regions instead" },
    { "fairy__refuses_promotion_in_passing", "[a:chess]\npromotionRank = 6\n",
      "f.ini:1:1: [a]: key 'enPassantRegion': a man who takes in passing does not promote there; "
      "say `-`" },
    { "fairy__refuses_hops_over_holes",
      "[a:chess]\ncannon = c\nstartFen = k7/8/8/*7/8/8/8/K7 w - - 0 1\n",
      "f.ini:3:12: key 'startFen': there, men can hop over `*`, and not over our holes" },
    { "fairy__refuses_castling_by_whom",
      "[a:chess]\nking = -\ncommoner = k\nextinctionValue = loss\n"
      "extinctionPseudoRoyal = true\nextinctionPieceTypes = k\n",
      "f.ini:1:1: [a]: key 'castlingKingPiece' must say who castles" },
    { "fairy__refuses_riders_that_the_program_forgets", "[a:chess]\ncustomPiece1 = x:NNDD\n",
      "f.ini:2:18: key 'customPiece1': only W, F and N can ride" },
    { "fairy__refuses_threeleapers_that_ride", "[a:chess]\ncustomPiece1 = x:NH3\n",
      "f.ini:2:18: key 'customPiece1': only W, F and N can ride" },
    { "fairy__refuses_two_ranges_of_one_direction", "[a:chess]\ncustomPiece1 = x:RW2\n",
      "f.ini:2:18: key 'customPiece1': riders and hoppers of one line and purpose must go equally "
      "far, all ways" },
    { "fairy__refuses_a_rider_beside_a_hopper_that_goes_farther",
      "[a:chess]\ncustomPiece1 = x:cW2cpR\n",
      "f.ini:2:18: key 'customPiece1': riders and hoppers of one line and purpose must go equally "
      "far, all ways" },
    { "fairy__refuses_brackets", "[a:chess]\ncustomPiece1 = x:W(1,4)\n",
      "f.ini:2:19: key 'customPiece1': `(` is read otherwise, or not at all" },
    { "fairy__refuses_one_as_a_range", "[a:chess]\ncustomPiece1 = x:A1\n",
      "f.ini:2:19: key 'customPiece1': `1` is read otherwise, or not at all" },
    { "fairy__refuses_directions_apart", "[a:chess]\ncustomPiece1 = x:fmlF\n",
      "f.ini:2:20: key 'customPiece1': directions stand together: write fl" },
    { "fairy__refuses_custom_piece_without_move", "[a:chess]\ncustomPiece1 = x\n",
      "f.ini:2:17: key 'customPiece1': expected `:` and a move" },
    { "fairy__refuses_letter_taken", "[a:chess]\nwazir = w\nalfil = w\n",
      "f.ini:3:9: key 'alfil': letter W is taken by 'wazir'" },
    { "fairy__refuses_board_too_large", "[a:chess]\nmaxRank = 15\n",
      "f.ini:2:11: key 'maxRank': expected a number from 1 to 14" },
    { "fairy__refuses_file_too_far", "[a:chess]\nmaxFile = o\n",
      "f.ini:2:11: key 'maxFile': expected a file from a to n" },
    { "fairy__refuses_missing_king", "[a:chess]\nking = -\n", "f.ini:1:1: [a]: there is no king" },
    { "fairy__refuses_two_kings", "[a:chess]\nstartFen = kk6/8/8/8/8/8/8/K7 w - - 0 1\n",
      "f.ini:2:12: key 'startFen': a side has one royal piece" },
    { "fairy__refuses_hands", "[a:chess]\nstartFen = k7/8/8/8/8/8/8/K7[Qq] w - - 0 1\n",
      "f.ini:2:30: key 'startFen': men in hand, who never come onto the board" },
    { "fairy__refuses_unknown_men_in_hand",
      "[a:chess]\npieceDrops = true\nstartFen = k7/8/8/8/8/8/8/K7[Xq] w - - 0 1\n",
      "f.ini:3:30: key 'startFen': no piece has the letter `X`" },
    { "fairy__refuses_an_open_hand",
      "[a:chess]\npieceDrops = true\nstartFen = k7/8/8/8/8/8/8/K7[Q w - - 0 1\n",
      "f.ini:3:31: key 'startFen': expected `]`" },
    { "fairy__refuses_array_of_another_width", "[a:chess]\nstartFen = k7/9/8/8/8/8/8/K7 w\n",
      "f.ini:2:16: key 'startFen': rank 7 is not 8 squares of known men" },
    { "fairy__refuses_array_with_a_missing_man", "[a:chess]\nstartFen = kx6/8/8/8/8/8/8/K7 w\n",
      "f.ini:2:13: key 'startFen': rank 8 is not 8 squares of known men" },
    { "fairy__refuses_array_in_which_a_king_can_be_taken",
      "[a:chess]\nstartFen = 4k3/8/8/8/8/8/8/4R2K w - - 0 1\n",
      "f.ini:2:12: key 'startFen': the side that is not to move is in check" },
    { "fairy__refuses_usual_array_in_which_a_king_can_be_taken",
      "[a:chess]\npawn = -\ncustomPiece1 = p:NN\n",
      "f.ini:1:1: [a]: in the usual array the side that is not to move is in check" },
    { "fairy__refuses_two_kings_of_whom_one_may_lose",
      "[a:chess]\nking = k:W\ncastling = false\nstalemateValue = loss\n",
      "f.ini:4:18: key 'stalemateValue': two kings alone draw here, and there one of them may "
      "lose: "
      "on this board, as they move, he may be left without a move" },
    { "fairy__refuses_two_kings_of_whom_one_may_lose_after_baring_back",
      "[a:shatranj]\nstartFen = rnbqkbnr/pppppppp/8/8/8/8/*PPPPPPP/RNBQKBNR w - - 0 1\n",
      "f.ini:1:1: key 'stalemateValue' (inherited): two kings alone draw here, and there one of "
      "them may lose: on this board, as they move, he may be left without a move" },
    { "fairy__refuses_stalemate_that_wins", "[a:chess]\nstalemateValue = win\n",
      "f.ini:2:18: key 'stalemateValue': only draw or loss (of the side that cannot move) can be "
      "expressed" },
    { "fairy__refuses_extinction_that_wins",
      "[a:chess]\nextinctionValue = win\nextinctionPieceTypes = *\n",
      "f.ini:2:19: key 'extinctionValue': only loss or none can be expressed" },
    { "fairy__refuses_extinction_of_some",
      "[a:chess]\nextinctionValue = loss\nextinctionPieceTypes = qr\n",
      "f.ini:3:24: key 'extinctionPieceTypes': only * (all men, that is, a bare king) can be "
      "expressed" },
    { "fairy__refuses_extinction_at_another_count",
      "[a:chess]\nextinctionValue = loss\nextinctionPieceTypes = *\nextinctionPieceCount = 2\n",
      "f.ini:4:24: key 'extinctionPieceCount': only extinctionPieceCount = 1 (a bare king) can be "
      "expressed" },
    { "fairy__refuses_baring_back_where_stalemate_draws", "[a:shatranj]\nstalemateValue = draw\n",
      "f.ini:1:1: key 'extinctionClaim' (inherited): with stalemateValue = draw a bare king that "
      "is stalemated draws, which cannot be expressed" },
    { "fairy__refuses_promotion_to_a_missing_letter", "[a:chess]\npromotionPieceTypes = qx\n",
      "f.ini:2:24: key 'promotionPieceTypes': no piece has the letter `x`" },
    { "fairy__refuses_promotion_to_king", "[a:chess]\npromotionPieceTypes = qk\n",
      "f.ini:2:23: key 'promotionPieceTypes': nothing becomes the royal piece" },
    { "fairy__refuses_to_guess_promotions",
      "[a]\nking = k\npawn = p\nstartFen = k7/p7/8/8/8/8/P7/K7 w\n",
      "f.ini:1:1: [a]: key 'promotionPieceTypes' must be there" },
    { "fairy__refuses_to_guess_the_promotion_rank",
      "[a:chess]\nmaxRank = 4\nstartFen = k7/p7/P7/K7 w\n",
      "f.ini:1:1: [a]: on 4 ranks, key 'promotionRank' must be there" },
    { "fairy__refuses_to_guess_the_double_step",
      "[a:chess]\nmaxRank = 4\nstartFen = k7/p7/P7/K7 w\npromotionRank = 4\n",
      "f.ini:1:1: [a]: on 4 ranks, key 'doubleStepRank' must be there, or 'doubleStep = false'" },
    { "fairy__refuses_half_a_region", "[a:chess]\npromotionRegionBlack = *1\n",
      "f.ini:2:24: key 'promotionRegionBlack': needs 'promotionRegionWhite', too" },
    { "fairy__refuses_half_a_region_unlike_the_usual_one",
      "[a:chess]\npromotionRegionWhite = *7 *8\n",
      "f.ini:2:24: key 'promotionRegionWhite': 'promotionRegionBlack', `*1` without that key, must "
      "be its mirror image" },
    { "fairy__refuses_part_of_a_rank",
      "[a:chess]\npromotionRegionWhite = a8\npromotionRegionBlack = *1\n",
      "f.ini:2:24: key 'promotionRegionWhite': only whole ranks can be expressed" },
    { "fairy__refuses_regions_that_differ",
      "[a:chess]\npromotionRegionWhite = *8\npromotionRegionBlack = *2\n",
      "f.ini:3:24: key 'promotionRegionBlack': only the mirror image of 'promotionRegionWhite' "
      "can be expressed" },
    { "fairy__refuses_squares_off_the_board",
      "[a:chess]\npromotionRegionWhite = *8 i8\npromotionRegionBlack = *1\n",
      "f.ini:2:27: key 'promotionRegionWhite': expected squares of the board: d4, *4, d*" },
    { "fairy__refuses_en_passant_on_some_squares", "[a:chess]\nenPassantRegion = *3\n",
      "f.ini:2:19: key 'enPassantRegion': only all squares that a double step passes, or none, "
      "can be expressed" },
    { "fairy__refuses_castling_from_another_rank", "[a:chess]\ncastlingRank = 5\n",
      "f.ini:2:16: key 'castlingRank': expected a number from 1 to 4" },
    { "fairy__refuses_castling_where_nobody_stands", "[a:chess]\ncastlingRank = 2\n",
      "f.ini:1:1: [a]: key 'castling': king and rooks with rights must stand at home in startFen, "
      "on the same files for both sides" },
    { "fairy__refuses_castling_without_rooks",
      "[a:chess]\nstartFen = 4k3/8/8/8/8/8/8/4K2R w Q - 0 1\n",
      "f.ini:1:1: [a]: key 'castling': king and rooks with rights must stand at home in startFen, "
      "on the "
      "same files for both sides" },
    { "fairy__refuses_rights_that_a_fen_cannot_say",
      "[a:chess]\nstartFen = r3k2r/8/8/8/8/8/8/R3K2R w Xx - 0 1\n",
      "f.ini:2:12: key 'startFen': FEN castling: unknown right 'X' at column 27" },
    { "fairy__refuses_rooks_that_stand_elsewhere", "[a:chess]\ncastlingRookKingsideFile = g\n",
      "f.ini:2:28: key 'castlingRookKingsideFile': not where it stands in startFen" },
    { "fairy__refuses_circles", "[a:chess]\nstalemateValue = loss\nkingType = r\n",
      "f.ini:3:12: key 'kingType': the royal piece leaps: riders are not for it" },
    { "fairy__refuses_bad_bool", "[a:chess]\ndoubleStep = yes\n",
      "f.ini:2:14: key 'doubleStep': expected true or false" },
    { "fairy__refuses_bad_limit", "[a:chess]\npromotionLimit = q:1 r=2\n",
      "f.ini:2:22: key 'promotionLimit': expected a piece's letter, `:`, a number" },
    { "fairy__refuses_section_twice", "[a:chess]\n[a]\n",
      "f.ini:2:1: [a] stands twice (first on line 1)" },
    { "fairy__refuses_unknown_base", "[a:b]\n",
      "f.ini:1:1: [a:b]: neither an earlier section nor a game that is built in" },
    { "fairy__refuses_base_with_a_rule_we_lack", "[a:antichess]\n",
      "f.ini:1:1: [a:antichess]: 'antichess' has captures that must be made (key 'mustCapture'), "
      "which cannot be expressed" },
    { "fairy__refuses_names_of_games_it_has_and_we_lack", "[mini:chess]\n",
      "f.ini:1:2: the program has a game 'mini', and passes this one over" },
    { "fairy__refuses_line_without_equals", "[a:chess]\npawn\n",
      "f.ini:2:1: expected `key = value` or `[section]`" },
    { "fairy__refuses_key_before_sections", "pawn = p\n[a]\n",
      "f.ini:1:1: `pawn = p` stands before the first section" },
    { "fairy__refuses_open_section", "[a:chess\npawn = p\n",
      "f.ini:1:1: expected `[name]` or `[name:base]`" },
    { "fairy__refuses_names_that_files_cannot_have", "[A/b:chess]\n",
      "f.ini:1:2: a name has only a-z, 0-9 and -" },
    { "fairy__refuses_empty_file", "\n# nothing\n", "f.ini:1:1: there is no section" },
};

enum { NREFUSALS = sizeof refusals / sizeof *refusals };

static void is_refused(void **state)
{
    const struct refusal *r = *state;
    struct bk_variant *v = NULL;
    struct bk_report why = { "" };

    assert_int_equal(bk_fairy_parse(&v, "f.ini", r->text, NULL, &why), BK_E_USAGE);
    assert_string_equal(why.text, r->want);
    assert_null(v);
    assert_int_equal(bk_fairy_parse(&v, "f.ini", r->text, NULL, NULL), BK_E_USAGE);
}

static void fairy__has_no_base_that_the_program_has_itself(void **state)
{
    static const char text[] = "[a]\nking = k\n[shatranj:a]\nqueen = q\n[b:shatranj]\nrook = r\n";
    struct bk_variant *v;
    struct bk_report why;

    (void)state;
    assert_int_equal(bk_fairy_parse(&v, "f.ini", text, "b", &why), BK_E_USAGE);
    assert_string_equal(why.text,
                        "f.ini:3:2: the program has a game 'shatranj', and passes this one over");
}

static void fairy__begins_with_a_man_that_may_be_taken_in_passing(void **state)
{
    static const char text[] = "[a:chess]\nstartFen = "
                               "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3\n";
    struct bk_variant *v;
    struct bk_report why;

    (void)state;
    assert_int_equal(bk_fairy_parse(&v, "f.ini", text, NULL, &why), BK_OK);
    assert_non_null(strstr(v->start, " b KQkq e3 "));
    bk_variant_free(v);
}

static void fairy__castles_on_boards_of_twelve_files(void **state)
{
    static const char text[] = "[a]\nking = k\nrook = r\nmaxFile = l \t\ncastlingKingsideFile = j\n"
                               "startFen = r4k5r/12/12/12/12/12/12/R4K5R w Ll - 0 1\n";
    struct bk_variant *v;
    struct bk_report why;

    (void)state;
    assert_int_equal(bk_fairy_parse(&v, "f.ini", text, NULL, &why), BK_OK);
    assert_true(v->castling.allowed);
    assert_int_equal(v->castling.king_to[1], 'j' - 'a');
    bk_variant_free(v);
}

/* The published counts of a game in which king and a-rook alone castle, on six files: where the
   other wing would take the king is not on the board. */
static void fairy__castles_on_the_wing_of_its_rights_alone(void **state)
{
    static const uint64_t published[] = { 14, 186, 2840 };
    struct bk_variant *six = read_section(
        "[six:chess]\nmaxRank = 6\nmaxFile = 6\n"
        "startFen = rbqknr/pppppp/6/6/PPPPPP/RBQKNR w Qq - 0 1\ncastlingQueensideFile = b\n"
        "doubleStepRegionWhite = *2\ndoubleStepRegionBlack = *5\npromotionRegionWhite = *6\n"
        "promotionRegionBlack = *1\n",
        NULL);
    struct bk_variant *own = parse("[variant]\nname = own\nboard = 6x6\ncastling-rook = R\n"
                                   "castling-king-file = d\ncastling-rook-files = a -\n"
                                   "castling-king-to = b -\ncastling-rook-to = c -\n"
                                   "[piece king]\nletter = K\nroyal = yes\nmove = K\n"
                                   "[piece rook]\nletter = R\nmove = R\n");
    struct bk_pos p = read_fen(six, "r2k2/6/6/6/6/R2K2 w Qq");

    (void)state;
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(perft_from_start(six, i + 1), published[i]);
    assert_int_equal(bk_perft(six, &p, 3), 1704);
    p = read_fen(own, "r2k2/6/6/6/6/R2K2 w KQkq - 0 1"); /* K and k say nothing */
    assert_int_equal(bk_perft(own, &p, 3), 1704);
    bk_variant_free(six);
    bk_variant_free(own);
}

/* And of the right that one side alone has. */
static void fairy__castles_by_a_single_right(void **state)
{
    struct bk_variant *five = read_section(
        "[five:chess]\nmaxRank = 5\nmaxFile = 5\nstartFen = 1k2r/5/5/5/1K2R w Kk - 0 1\n"
        "castlingKingsideFile = d\ndoubleStep = false\npromotionRegionWhite = *5\n"
        "promotionRegionBlack = *1\n",
        NULL);
    struct bk_variant *white =
        read_section("[white:chess]\nstartFen = 4k3/8/8/8/8/8/8/4K2R w H - 0 1\n", NULL);

    (void)state;
    assert_int_equal(perft_from_start(five, 1), 5 + 6 + 1);
    assert_int_equal(perft_from_start(white, 1), 5 + 9 + 1);
    bk_variant_free(five);
    bk_variant_free(white);
}

/* As Notepad writes them: a byte order mark, and lines that end in CR LF. */
static void fairy__is_told_from_ours_behind_a_byte_order_mark(void **state)
{
    (void)state;
    assert_true(bk_fairy_is("\xEF\xBB\xBF[a:chess]\r\nstalemateValue = loss\r\n"));
    assert_true(bk_fairy_is("\xEF\xBB\xBF\r\n[a:chess]"));
    assert_false(bk_fairy_is("\xEF\xBB\xBF[variant]\r\nname = a\r\n"));
}

/* Keys that Fairy-Stockfish reads in the base section and then in the derived one, so that the
   second section alone does not say what holds. */
static void fairy__refuses_what_an_inherited_key_changes(void **state)
{
    static const char *const cases[][2] = {
        { "[a:chess]\npromotionLimit = r:1\n[b:a]\npromotionLimit = q:2\n",
          "f.ini:4:18: key 'promotionLimit': inherited limits stay beside these: say all in one "
          "section" },
        { "[a:chess]\npromotionRegionWhite = *7 *8\npromotionRegionBlack = *1 *2\n"
          "[b:a]\npromotionRank = 8\n",
          "f.ini:5:17: key 'promotionRank': takes the place of the inherited "
          "'promotionRegionWhite'; say that key instead" },
        { "[a:chess]\ndoubleStepRegionWhite = *2\ndoubleStepRegionBlack = *7\n"
          "[b:a]\ndoubleStepRank = 3\n",
          "f.ini:5:18: key 'doubleStepRank': takes the place of the inherited "
          "'doubleStepRegionWhite'; say that key instead" },
        { "[a:chess]\ndoubleStepRank = 3\n[b:a]\ndoubleStepRankMin = 2\n",
          "f.ini:4:21: key 'doubleStepRankMin': newer versions pass it over beside "
          "'doubleStepRank'; say regions instead" },
        { "[a:chess]\ncastlingRookPieces = r\n[b:a]\ncastlingRookPiece = n\n",
          "f.ini:4:21: key 'castlingRookPiece': takes the place of the inherited "
          "'castlingRookPieces'; say that key instead" },
        { "[a:chess]\ncastlingRookPieces = n\n[b:a]\nknight = -\ncentaur = n\n"
          "promotionPieceTypes = q\n",
          "f.ini:2:22: key 'castlingRookPieces': a later section takes this piece away" },
        { "[a:chess]\nstalemateValue = loss\n[c:a]\nknight = -\n[b:c]\nknight = n\n",
          "f.ini:5:1: key 'promotionPieceTypes' (inherited): later sections take `n` away and "
          "bring him back: say this key there, too" },
        { "[a:chess]\npromotionRank = 8\n[b:a]\nmaxRank = 9\nstartFen = "
          "4k3/8/8/8/8/8/8/8/4K3 w - - 0 1\n",
          "f.ini:2:17: key 'promotionRank': a later section has 'maxRank': say this key "
          "there, too" },
        { "[b:shatranj]\ndoubleStep = true\n",
          "f.ini:2:14: key 'doubleStep': say from which ranks in the same section, too" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bk_report why = { "" };
        struct bk_variant *v = NULL;

        assert_int_equal(bk_fairy_parse(&v, "f.ini", cases[i][0], "b", &why), BK_E_USAGE);
        assert_string_equal(why.text, cases[i][1]);
        assert_null(v);
    }
}

/* == What is written == */

static void fairy__writes_games_whole_or_names_the_rule(void **state)
{
    static const char *const of[][2] = {
        { "sultan", "customPiece1 = c:DA\n" },
        { "puzzle", "fers = f\nalfil = a\nstartFen = 5k**/6**/" },
        { "chess", "doubleStepRegionWhite = *2\n" },
        { "shatranj", "promotionPieceTypes = q\n" },
        { "puzzle-hands", "held and keep their colour (`hands`)" },
        { "atlantean", "drawn after 50 turns (`game-length-turns`)" },
        { "sultan-random", "each FEN has homes of its own" },
        { "grand-shatranj", "[piece oliphant] may go two steps in a move (`steps = 2`)" },
        { "darwinian", "[piece war-machine] evolves, a limited number of times" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        struct bk_variant *v = load(of[i][0]);
        char text[BK_FAIRY_TEXT_MAX];
        struct bk_report why = { "" };
        enum bk_err err;

        if (i == 2 || i == 3) /* these names are the program's own */
            strcpy(v->name, "own");
        err = bk_fairy_write(v, false, text, &why);
        assert_int_equal(err, i < 4 ? BK_OK : BK_E_USAGE);
        if (!strstr(err ? why.text : text, of[i][1]))
            fail_msg("%s: %s", of[i][0], err ? why.text : text);
        bk_variant_free(v);
    }
}

static void fairy__writes_nearly_what_has_no_key(void **state)
{
    static const char *const of[][3] = {
        { "grand-shatranj", "# not said: [piece oliphant] may go two steps", "= o:B4A\n" },
        { "grand-shatranj", "changes by several rules", "promotionRegionWhite = *9 *10\n" },
        { "atlantean", "it is drawn after 50 turns", "fersAlfil = t\n" },
        { "darwinian", "[piece war-machine] evolves", "alfil = e\n" },
        { "sultan", "[sultan]\n", "c:DA\n" }, /* whole, where it can be */
    };

    (void)state;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        struct bk_variant *v = load(of[i][0]);
        char text[BK_FAIRY_TEXT_MAX];
        struct bk_report why = { "" };

        if (bk_fairy_write(v, true, text, &why) || !strstr(text, of[i][1]) ||
            !strstr(text, of[i][2]))
            fail_msg("%s: %s%s", of[i][0], why.text, text);
        bk_variant_free(v);
    }
    for (size_t i = 0; i < 2; i++) {
        struct bk_variant *v = load(i ? "sultan-random" : "puzzle-hands");
        char text[BK_FAIRY_TEXT_MAX];
        struct bk_report why = { "" };

        assert_int_equal(bk_fairy_write(v, true, text, &why), BK_E_USAGE);
        bk_variant_free(v);
    }
}

static void fairy__writes_what_it_reads(void **state)
{
    static const char *const of[] = {
        "customPiece1 = a:mRcpRF\ncustomPiece2 = b:BcpBmW\nstartFen = k7/a7/b7/8/8/8/8/KAB5 w - - "
        "0 1\n",
        "customPiece1 = a:W3cF\ncustomPiece2 = b:NNmfAbD\nstartFen = k7/a7/b7/8/8/8/8/KAB5 w - - 0 "
        "1\n",
        "customPiece1 = a:ffNfsWmbF\nsilver = s\nstartFen = k7/a7/s7/8/8/8/8/KAS5 w - - 0 1\n",
        "archbishop = a\nextinctionValue = loss\nextinctionPieceTypes = *\nextinctionPieceCount = "
        "1\n"
        "startFen = k7/a7/8/8/8/8/8/KA6 w - - 0 1\n",
        "pawn = p\nqueen = q\npromotionPieceTypes = q\npromotionLimit = q:2\nenPassantRegion = -\n"
        "promotionRegionWhite = *7 *8\npromotionRegionBlack = *2 *1\nmandatoryPawnPromotion = "
        "false\n"
        "startFen = k7/pppp4/8/8/8/8/PPPP4/K2Q4 w - - 0 1\n",
        "rook = r\nmaxFile = 9\ncastlingKingsideFile = h\nstartFen = r3k3r/9/9/9/9/9/9/R3K3R w "
        "KQkq - 0 1\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        char text[BK_FAIRY_TEXT_MAX], section[1024];
        struct bk_variant *first, *again;
        struct bk_report why;

        snprintf(section, sizeof section, "[own]\nking = k\n%s", of[i]);
        first = read_section(section, NULL);
        if (bk_fairy_write(first, false, text, &why))
            fail_msg("%s%s", section, why.text);
        again = read_section(text, NULL);
        assert_true(first->rules_id == again->rules_id);
        assert_string_equal(first->start, again->start);
        bk_variant_free(first);
        bk_variant_free(again);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fairy__chess_and_shatranj_are_ours),
        cmocka_unit_test(fairy__sultan_is_ours),
        cmocka_unit_test(fairy__counts_moves_as_ours_do),
        cmocka_unit_test(fairy__capablanca_has_the_published_counts),
        cmocka_unit_test(fairy__makruk_has_the_published_counts),
        cmocka_unit_test(fairy__inherits_from_earlier_sections),
        cmocka_unit_test(fairy__built_in_games_have_the_counts_of_others),
        cmocka_unit_test(fairy__built_in_games_are_loaded_by_name),
        cmocka_unit_test(fairy__lists_mean_the_men_of_their_section),
        cmocka_unit_test(fairy__the_last_of_two_lines_of_a_key_counts),
        cmocka_unit_test(fairy__a_letter_that_is_given_away_takes_its_man_along),
        cmocka_unit_test(fairy__men_in_hand_leave_no_array),
        cmocka_unit_test(fairy__nobody_goes_where_he_is_stuck),
        cmocka_unit_test(fairy__homes_are_a_fens_in_chess960),
        cmocka_unit_test(fairy__half_a_region_is_completed_as_the_program_does),
        cmocka_unit_test(fairy__board_holes_and_armies_come_from_the_array),
        cmocka_unit_test(fairy__a_promotion_limit_is_a_lost_rule),
        cmocka_unit_test(fairy__regions_of_whole_ranks_are_ranks),
        cmocka_unit_test(fairy__extinction_of_all_but_one_is_a_bare_king),
        cmocka_unit_test(fairy__royal_men_need_not_be_kings),
        cmocka_unit_test(fairy__soldiers_turn_sideways_where_they_are_told),
        cmocka_unit_test(fairy__riders_and_hoppers_share_lines),
        cmocka_unit_test(fairy__castles_on_the_wing_of_its_rights_alone),
        cmocka_unit_test(fairy__castles_by_a_single_right),
        cmocka_unit_test(fairy__is_told_from_ours_behind_a_byte_order_mark),
        cmocka_unit_test(fairy__refuses_what_an_inherited_key_changes),
        cmocka_unit_test(fairy__files_are_told_from_ours_and_sections_by_name),
        cmocka_unit_test(fairy__has_no_base_that_the_program_has_itself),
        cmocka_unit_test(fairy__begins_with_a_man_that_may_be_taken_in_passing),
        cmocka_unit_test(fairy__castles_on_boards_of_twelve_files),
        cmocka_unit_test(fairy__writes_games_whole_or_names_the_rule),
        cmocka_unit_test(fairy__writes_nearly_what_has_no_key),
        cmocka_unit_test(fairy__writes_what_it_reads),
    };
    int failed = cmocka_run_group_tests_name("fairy", tests, NULL, NULL);

    return failed + refusals_run(refusals, NREFUSALS, is_refused) ? EXIT_FAILURE : EXIT_SUCCESS;
}
