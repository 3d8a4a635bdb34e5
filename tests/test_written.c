/*
 * test_written.c - what people who study endgames write and see: pictures and diagrams, games,
 * expressions.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/load.h"
#include "core/move.h"
#include "study/diagram.h"
#include "study/reading.h"
#include "study/where.h"
#include "tests/given.h"

/* == Pictures and diagrams == */

static void pictures__every_man_of_every_game_has_one(void **state)
{
    (void)state;
    for (const struct bk_embedded *game = bk_embedded_variants; game->name; game++) {
        struct bk_variant *v = load(game->name);

        for (unsigned t = 0; t < v->ntypes; t++) {
            const struct study_picture *p = study_picture(&v->piece[t]);

            if (!p || !strstr(p->body, "<path"))
                fail_msg("%s: no picture of %s", v->name, v->piece[t].name);
        }
        bk_variant_free(v);
    }
}

/* Two types of one game with the same picture could not be told apart. */
static void pictures__men_of_a_game_differ(void **state)
{
    (void)state;
    for (const struct bk_embedded *game = bk_embedded_variants; game->name; game++) {
        struct bk_variant *v = load(game->name);

        for (unsigned a = 0; a < v->ntypes; a++)
            for (unsigned b = 0; b < a; b++)
                assert_ptr_not_equal(study_picture(&v->piece[a]), study_picture(&v->piece[b]));
        bk_variant_free(v);
    }
}

static void pictures__an_unknown_man_has_none_but_a_king_is_a_king(void **state)
{
    struct bk_piece man = { .name = "griffin" };

    (void)state;
    assert_null(study_picture(&man));
    strcpy(man.name, "rook alfil"); /* parts of a name find no picture; no file has such a name */
    assert_null(study_picture(&man));
    strcpy(man.name, "emperor");
    man.royal = true;
    assert_non_null(study_picture(&man));
}

/* Each man of a start position refers to a symbol that the diagram contains. */
static void diagram__has_the_pictures_that_it_uses(void **state)
{
    (void)state;
    for (const struct bk_embedded *game = bk_embedded_variants; game->name; game++) {
        struct bk_variant *v = load(game->name);
        struct study_text out = { 0 };
        struct study_diagram *d = malloc(sizeof *d);
        struct bk_report why;
        struct bk_pos p;
        unsigned uses = 0;

        assert_non_null(d);
        if (*v->start && !bk_pos_from_fen(&p, v, v->start, &why)) {
            study_diagram_init(d, v, &p);
            study_diagram_svg(&out, d);
            for (const char *at = out.at; (at = strstr(at, "href=\"#")) != NULL; at++, uses++) {
                char id[64];

                snprintf(id, sizeof id, "id=\"%.*s\"", (int)strcspn(at + 7, "\""), at + 7);
                if (!strstr(out.at, id))
                    fail_msg("%s: no %s", v->name, id);
            }
            assert_int_equal(uses, bk_bits_count(&p.by[0]) + bk_bits_count(&p.by[1]));
        }
        study_text_free(&out);
        free(d);
        bk_variant_free(v);
    }
}

/* == Games == */

static void game__moves_are_read_as_they_are_written(void **state)
{
    (void)state;
    for (const struct bk_embedded *game = bk_embedded_variants; game->name; game++) {
        struct bk_variant *v = load(game->name);
        static struct bk_move move[BK_MOVES_MAX];
        struct bk_report why;
        struct bk_pos p;
        unsigned n = 0;

        if (*v->start && !bk_pos_from_fen(&p, v, v->start, &why))
            n = bk_moves_legal(v, &p, move);
        for (unsigned i = 0; i < n; i++) {
            struct bk_move again;
            char name[16], man[32];

            bk_move_name(v, &move[i], name);
            if (study_move_read(&again, v, &p, name, strlen(name), &why))
                fail_msg("%s: %s", v->name, why.text);
            assert_memory_equal(&again, &move[i], sizeof again);
            snprintf(man, sizeof man, "%c%s+!?", v->piece[bk_man_type(p.at[move[i].from])].letter,
                     name);
            if (study_move_read(&again, v, &p, man, strlen(man), &why))
                fail_msg("%s: %s", v->name, why.text);
            assert_memory_equal(&again, &move[i], sizeof again);
        }
        bk_variant_free(v);
    }
}

static void assert_move(const char *game, const char *fen, const char *text, const char *name)
{
    struct bk_variant *v = load(game);
    struct bk_report why = { "" };
    struct bk_move m;
    struct bk_pos p;
    char found[16];
    enum bk_err err;

    if (bk_pos_from_fen(&p, v, fen, &why))
        fail_msg("%s", why.text);
    err = study_move_read(&m, v, &p, text, strlen(text), &why);
    if (err)
        snprintf(found, sizeof found, "%s", strstr(why.text, "several") ? "several" : "none");
    else
        bk_move_name(v, &m, found);
    if (strcmp(found, name) != 0)
        fail_msg("%s: %s, not %s", text, found, name);
    bk_variant_free(v);
}

static void game__moves_in_pgn_mean_what_chess_players_mean(void **state)
{
    static const char chess[] = "r3k2r/1P6/8/8/2N3N1/8/P6P/R3K2R w KQkq - 0 1";
    static const char twice[] = "k9/10/10/10/3nn5/2Z7/10/10/10/K9 w - - 0 1";
    static const char grand[] = "4k5/10/10/10/10/10/10/4J5/10/4K4J w - - 0 1";

    (void)state;
    assert_move("chess", chess, "O-O", "e1g1");
    assert_move("chess", chess, "O-O-O+", "e1c1");
    assert_move("chess", chess, "a4", "a2a4");
    assert_move("chess", chess, "Nd6+", "c4d6");
    assert_move("chess", chess, "Ne5", "several");
    assert_move("chess", chess, "Nce5", "c4e5");
    assert_move("chess", chess, "Ng4e5!?", "g4e5");
    assert_move("chess", chess, "bxa8=Q", "b7a8=Q");
    assert_move("chess", chess, "b8=N", "b7b8=N");
    assert_move("chess", chess, "b8N+", "b7b8=N");
    assert_move("chess", chess, "b8X", "none");
    assert_move("chess", chess, "Q", "none");
    assert_move("chess", chess, "b8", "none");
    assert_move("chess", chess, "Kd1", "e1d1");
    assert_move("chess", chess, "Ke1", "none");
    assert_move("chess", chess, "Qd1", "none");
    assert_move("chess", chess, "", "none");
    assert_move("chess", chess, "x", "none");
    assert_move("chess", chess, "=Q", "none");
    assert_move("chess", chess, "O-O-O-O-O-O-O-O-O-O-O-O-O-O-O-O-O-O", "none");
    assert_move("atlantean-double", twice, "Zxd6", "c5d6");
    assert_move("atlantean-double", twice, "Ze5", "c5e5");
    assert_move("atlantean-double", twice, "Zxd6-e5", "c5d6e5");
    assert_move("atlantean-double", twice, "Zxe6+", "c5e6");
    assert_move("atlantean-double", twice, "Zxd6xe6#", "c5d6e6");
    assert_move("atlantean-double", twice, "Zxd6-c4", "none");
    assert_move("grand-shatranj", grand, "Jj3", "j1j3");
    assert_move("grand-shatranj", grand, "Je5", "e3e5");
    assert_move("grand-shatranj", "4k5/4J5/10/10/10/10/10/10/10/4K4J w - - 0 1", "Jxe10", "none");
    assert_move("grand-shatranj", "k9/10/4J5/10/10/10/10/10/10/4K4J w - - 0 1", "Je10", "e8e10");
}

static void game__moves_are_read_as_sites_books_and_programs_spell_them(void **state)
{
    static const char fen[] = "r3k2r/P7/3n4/1pP1R3/3N4/4R3/2n5/2K4R w kq b6 0 1";
    static const struct {
        const char *text, *name;
    } moves[] = {
        { "cxb6ep", "c5b6" },      { "cxb6e.p.", "c5b6" },       { "c5:b6", "c5b6" },
        { "cxb6 ep", "none" },     { "\u2654\u00D7c2", "c1c2" }, { "\u265Axc2", "c1c2" },
        { "K\u00D7c2!!", "c1c2" }, { "c1xc2", "c1c2" },          { "c1\u2013c2+-", "c1c2" },
    };
    static const char open[] = "r3k2r/1P6/3n4/8/3N4/4R3/8/R3K2R w KQkq - 0 1";

    (void)state;
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++)
        assert_move("chess", fen, moves[i].text, moves[i].name);
    assert_move("chess", open, "b8(Q)", "b7b8=Q");
    assert_move("chess", open, "b8=(N)+", "b7b8=N");
    assert_move("chess", open, "b8/R!?", "b7b8=R");
    assert_move("chess", open, "b8=\u2655", "b7b8=Q");
    assert_move("chess", open, "b8\u265E#", "b7b8=N");
    assert_move("chess", open, "bxa8q", "b7a8=Q");
    assert_move("chess", open, "b8=n", "b7b8=N");
    assert_move("chess", open, "b7b8q", "b7b8=Q");
    assert_move("chess", open, "b8(8)", "none");
    assert_move("chess", open, "0-0", "e1g1");
    assert_move("chess", open, "o-o-o!", "e1c1");
    assert_move("chess", open, "0\u20130\u20130", "e1c1");
    assert_move("chess", open, "d4-f5\u00B1", "d4f5");
    assert_move("chess", open, "Nf5ch.", "d4f5");
    assert_move("chess", open, "N4f5+!", "d4f5");
    assert_move("chess", open, "N3f5", "none");
    assert_move("chess", open, "Nd4f5+/=", "d4f5");
    assert_move("chess", open, "\u2658\uFE0Ef5", "d4f5");
    assert_move("chess", open, "Nf5\xB1", "d4f5"); /* Latin-1 */
    assert_move("chess", open, "N\u221Ef5", "none");
    assert_move("grand-shatranj", "4k5/P9/10/10/10/10/10/10/10/4K4J w - - 0 1", "a9a10h",
                "a9a10=H");
    assert_move("atlantean", "4k5/P9/10/10/10/10/10/10/10/4K4Z w - - 0 1", "a10x", "a9a10=X");
}

/* What a word is, and that it is a token by itself, whatever stands behind it. */
static void game__words_are_results_null_moves_signs_or_moves(void **state)
{
    static const struct {
        enum study_token_kind kind;
        const char *words;
    } lines[] = {
        { STUDY_RESULT, "1-0 0-1 1/2-1/2 * 1/2 1:0 1\u20130 0\u20141 \u00BD\u2013\u00BD \u00BD "
                        "1/2\u20121/2 \xBD-\xBD" },
        { STUDY_NULL, "-- Z0 0000 @@@@ null pass NULL --!? Z0? <> \u2013\u2013" },
        { STUDY_SIGN,
          "! ? !! ?? !? ?! +- -+ +/- -/+ +/= =/+ += =+ = == + ++ # \u00B1 \u2213 \u2A72 "
          "\u2A71 \u221E =/\u221E \u25A1 \u2299 N TN D ch ch. dis e.p. ep mate --- \xB1 $1 $139" },
        { STUDY_NUMBER, "1 1. 1... 1\u2026 12.. . ... \u2026" },
        { STUDY_MOVE, "e4 0-0 O-O-O Kxe4 \u2658f3 e8(Q) e8=(\u2655) resigns % e\u221E4" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct study_tokens t = { .at = lines[i].words, .line = 1 };
        const char *word = lines[i].words;

        for (struct study_token k; (k = study_token_next(&t)).kind != STUDY_END;) {
            if (k.kind != lines[i].kind || k.n != strcspn(word, " ") || k.text != word)
                fail_msg("`%.*s` of \"%s\" is no %u", (int)k.n, k.text, word, lines[i].kind);
            word += k.n + strspn(word + k.n, " ");
        }
        assert_string_equal(word, "");
    }
}

/* A tag's brackets may stand apart from it, its value may hold what it should not; other brackets
   are no tags. */
static void game__tags_may_be_careless(void **state)
{
    static const struct {
        enum study_token_kind kind;
        const char *text;
    } tokens[] = {
        { STUDY_TAG, "[ FEN  \"a\" ]" },        { STUDY_TAG, "[FEN\"a\"]" },
        { STUDY_TAG, "[fen\n\"a\"\n]" },        { STUDY_TAG, "[Site \"C:\\\"]" },
        { STUDY_TAG, "[Event \"a \"b\" c\"]" }, { STUDY_TAG, "[Event \"\"a\"]" },
        { STUDY_OTHER, "[%clk 0:01]" },         { STUDY_BROKEN, "[FEN \"a" },
        { STUDY_BROKEN, "[FEN \nKb4 \"a\"]" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++) {
        struct study_tokens t = { .at = tokens[i].text, .line = 1 };
        struct study_token k = study_token_next(&t);
        char value[8];

        if (k.kind != tokens[i].kind || k.n != strlen(tokens[i].text))
            fail_msg("%s: %u, %zu bytes", tokens[i].text, k.kind, k.n);
        if (i < 3)
            assert_true(study_tag_is(&k, "FEN") && study_tag_value(&k, value, sizeof value) &&
                        !strcmp(value, "a"));
    }
}

#define COPIES 200000

/* The CPU time of all tokens of `copies` of `game`, then `end`. */
static double token_time(const char *game, size_t copies, const char *end)
{
    size_t n = strlen(game), room = n * copies + strlen(end) + 1;
    char *text = malloc(room), *at = text;
    struct study_tokens t = { .at = text, .line = 1 };
    clock_t begun;

    assert_non_null(text);
    for (size_t i = 0; i < copies; i++)
        at = memcpy(at, game, n), at += n;
    strcpy(at, end);
    begun = clock();
    while (study_token_next(&t).kind != STUDY_END) {
    }
    begun = clock() - begun;
    assert_true(t.at == text + room - 1);
    free(text);
    return (double)begun / CLOCKS_PER_SEC;
}

/* Beside a file of the same length whose brackets are closed: were each of the games read to the
   end of the file, it would be a thousand times. */
static void game__time_grows_with_the_length_whatever_stays_open(void **state)
{
    static const char *const games[] = { "[E \"x\"]\n\n1. e4 {\n\n",   "[E \"x\"]\n\n1. e4 (\n\n",
                                         "[E \"x\"]\n\n1. e4 ( {\n\n", "[E \"x\"]\n\n1. e4 ( ;\n\n",
                                         "[E \"x\n\n1. e4 *\n\n",      "[E\n\n1. e4\n\n",
                                         "1. e4 (((((((((( ",          "{ { { { { { ( { ( { ( \n" };
    static const char *const ends[] = { "", "}", "} (", ") }" };
    double closed = 0;

    (void)state;
    for (unsigned i = 0; i < 3; i++)
        closed += token_time("[E \"x\"]\n\n1. e4 {}\n\n", COPIES, "");
    for (size_t i = 0; i < sizeof games / sizeof *games; i++)
        for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
            double time = token_time(games[i], COPIES, ends[k]);

            if (time > 2 * closed + 0.02)
                fail_msg("%s...%s: %g s, closed: %g s", games[i], ends[k], time, closed);
        }
}

static void game__tokens_are_what_stands_there(void **state)
{
    static const char text[] =
        "[FEN \"a]\\\"b\"] 12... Kb4!? {c (} $4 (d {)} (e)) ; rest\n1/2-1/2 13 0-0 ) {";
    static const struct {
        enum study_token_kind kind;
        const char *text;
    } wanted[] = { { STUDY_TAG, "[FEN \"a]\\\"b\"]" },
                   { STUDY_NUMBER, "12..." },
                   { STUDY_MOVE, "Kb4!?" },
                   { STUDY_COMMENT, "{c (}" },
                   { STUDY_SIGN, "$4" },
                   { STUDY_OTHER, "(d {)} (e))" },
                   { STUDY_COMMENT, "; rest" },
                   { STUDY_RESULT, "1/2-1/2" },
                   { STUDY_NUMBER, "13" },
                   { STUDY_MOVE, "0-0" },
                   { STUDY_MOVE, ")" },
                   { STUDY_BROKEN, "{" },
                   { STUDY_END, "" } };
    struct study_tokens t = { .at = text, .line = 1 };
    char value[16];

    (void)state;
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        struct study_token k = study_token_next(&t);

        assert_int_equal(k.kind, wanted[i].kind);
        assert_int_equal(k.n, strlen(wanted[i].text));
        assert_memory_equal(k.text, wanted[i].text, k.n);
        assert_int_equal(k.line, i < 7 ? 1 : 2);
        if (i)
            continue;
        assert_true(study_tag_is(&k, "FEN") && study_tag_value(&k, value, sizeof value));
        assert_string_equal(value, "a]\"b");
        assert_false(study_tag_is(&k, "FE"));
        assert_false(study_tag_value(&k, value, 4));
    }
}

/* On any text the tokenizer stays within it and comes to its end. */
static void game__any_text_has_an_end(void **state)
{
    static const char letters[] = "[](){};$1/2-0*\" \\\nKb4.=Qx";
    unsigned seed = 1;

    (void)state;
    for (unsigned i = 0; i < 20000; i++) {
        char text[40];
        struct study_tokens t = { .at = text, .line = 1 };
        struct study_token k;
        size_t n = 0, all = 0;

        while (n < sizeof text - 1) {
            seed = seed * 1103515245 + 12345;
            text[n++] = letters[(seed >> 16) % (sizeof letters - 1)];
        }
        text[n] = 0;
        while ((k = study_token_next(&t)).kind != STUDY_END) {
            assert_true(k.n > 0);
            all += k.n;
        }
        assert_true(all <= n && t.at == text + n);
    }
}

/* == Readings == */

static void reading__a_variant_tag_names_this_game_or_another(void **state)
{
    static const char *const chess[] = {
        "chess", "Chess", "Standard",      "normal", "From Position", "Classical", "",
        "?",     "-",     "from position", NULL
    };
    static const char *const grand[] = { "gs10",
                                         "grand-shatranj",
                                         "Grand Shatranj",
                                         "GRAND_SHATRANJ",
                                         "grand-shatranj@10x10-01234567",
                                         "Grand Shatranj (D)",
                                         "From Position",
                                         NULL };
    static const char *const others[] = { "Atomic",
                                          "Chess960",
                                          "Crazyhouse",
                                          "Three-check",
                                          "Shatranj Kamil",
                                          "chess variant",
                                          "gs10-rook",
                                          "grand",
                                          "8x8",
                                          "suicide",
                                          NULL };
    struct bk_variant *v = load("chess"), *g = load("grand-shatranj");

    (void)state;
    for (size_t i = 0; chess[i]; i++)
        if (!study_names_game(v, chess[i]))
            fail_msg("%s", chess[i]);
    for (size_t i = 0; grand[i]; i++)
        if (!study_names_game(g, grand[i]))
            fail_msg("%s", grand[i]);
    for (size_t i = 0; others[i]; i++)
        if (study_names_game(v, others[i]) || study_names_game(g, others[i]))
            fail_msg("%s", others[i]);
    assert_false(study_names_game(g, "Standard") || study_names_game(v, "gs10"));
    bk_variant_free(v);
    bk_variant_free(g);
}

static void reading__tags_and_comments_tell_who_wrote_a_game(void **state)
{
    static const struct {
        enum study_writer writer;
        const char *text;
    } tokens[] = {
        { STUDY_XBOARD, "[Event \"Computer Chess Game\"]" },
        { STUDY_XBOARD, "[Annotator \"1. +0.11   1... +0.26\"]" },
        { STUDY_XBOARD, "[Annotator \"42... -0.26\"]" },
        { STUDY_XBOARD, "[Site \"WinBoard\"]" },
        { STUDY_XBOARD, "[VariantMen \"N:N\"]" },
        { STUDY_XBOARD, "[Variant \"gs10-rook\"]" },
        { STUDY_XBOARD, "{--------------\nr . k\n--------------}" },
        { STUDY_XBOARD, "{Xboard adjudication: Bare king}" },
        { STUDY_XBOARD, "{+0.11/6}" },
        { STUDY_XBOARD, "{-1000.04/8 1:02}" },
        { STUDY_CLIENT, "{+0.11/6 0.10s}" },
        { STUDY_CLIENT, "{-M3/12 0.10s}" },
        { STUDY_CLIENT, "[Site \"https://www.pychess.org/x\"]" },
        { STUDY_CLIENT, "[White \"Fairy-Stockfish 14.0.1\"]" },
        { STUDY_CLIENT, "[Event \"Cute Chess match\"]" },
        { STUDY_CLIENT, "[Black \"bareking-engine 0.2.0\"]" },
        { STUDY_OURSELVES, "[Annotator \"bareking\"]" },
        { STUDY_ANYONE, "[White \"bareking\"]" },
        { STUDY_ANYONE, "[Annotator \"1. e4 is best\"]" },
        { STUDY_ANYONE, "[Variant \"shatranj\"]" },
        { STUDY_ANYONE, "{+0.11}" },
        { STUDY_ANYONE, "{+- / 6}" },
        { STUDY_ANYONE, "{White wins in 39 plies (20 turns)}" },
        { STUDY_ANYONE, "xboard" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++) {
        struct study_tokens t = { .at = tokens[i].text, .line = 1 };
        struct study_token k = study_token_next(&t);

        if (study_writer_of(&k) != tokens[i].writer)
            fail_msg("%s: %u", tokens[i].text, study_writer_of(&k));
    }
}

static void reading__the_one_that_makes_all_moves_legal_is_meant(void **state)
{
    static const struct {
        const char *moves;
        enum study_writer writer;
        enum study_doubt doubt;
        bool clients; /* their array */
    } games[] = {
        { "1. f3 f6 2. Kf2 Kf7 *", STUDY_ANYONE, STUDY_CERTAIN, false },
        { "1. f3 f6 2. Kf2 Kf7 *", STUDY_XBOARD, STUDY_CERTAIN,
          false }, /* against what its tags say */
        { "1. c3 c6 2. Kc2 Kc7 *", STUDY_ANYONE, STUDY_CERTAIN, true },
        { "1. c3 c6 2. Kc2 Kc7 *", STUDY_OURSELVES, STUDY_CERTAIN, true },
        { "1. a3 a6 *", STUDY_ANYONE, STUDY_OPEN, false },
        { "1. a3 a6 *", STUDY_XBOARD, STUDY_CERTAIN, true },
        { "1. a3 a6 *", STUDY_CLIENT, STUDY_CERTAIN, true },
        { "1. a3 a6 *", STUDY_OURSELVES, STUDY_CERTAIN, false },
        { "1. a3 a6 -- Kd4 *", STUDY_ANYONE, STUDY_OPEN, false },
        { "1. a3 {+0.11/6} a6 *", STUDY_ANYONE, STUDY_CERTAIN, true }, /* a comment tells */
        { "1. a3 a6 2. Ra9 *", STUDY_ANYONE, STUDY_NEITHER, false },
        { "1. a3 a6 2. Ra9 *", STUDY_CLIENT, STUDY_CERTAIN, true },
        { "1. a3 a6 2. Ra9 * {+0.11/6}", STUDY_ANYONE, STUDY_NEITHER,
          false }, /* of the next game */
        { "1. c3 c6 2. Kc2 Kc7 3. Ra9 *", STUDY_OURSELVES, STUDY_CERTAIN, true },
        { "1. a3 {", STUDY_ANYONE, STUDY_NEITHER, false },
    };
    struct bk_variant *v = load("shatranj");

    (void)state;
    for (size_t i = 0; i < sizeof games / sizeof *games; i++) {
        struct study_tokens t = { .at = games[i].moves, .line = 1 };
        struct study_reading r;
        enum study_doubt doubt = study_reading_choose(&r, v, NULL, &t, games[i].writer);

        if (doubt != games[i].doubt ||
            (doubt == STUDY_CERTAIN && !strcmp(r.array, v->start) == games[i].clients))
            fail_msg("%s: %u, %s", games[i].moves, doubt, r.array);
        assert_true(t.at == games[i].moves && !r.from_zero && r.bared_may_reply);
        /* with a FEN there is no choice */
        assert_int_equal(study_reading_choose(&r, v, v->start, &t, STUDY_ANYONE), STUDY_CERTAIN);
    }
    bk_variant_free(v);
}

/* == Expressions == */

static const uint8_t (*counts(const struct bk_variant *v, const char *name))[BK_TYPES_MAX]
{
    static struct bk_material m;
    struct bk_report why;

    if (bk_material_parse(&m, v, name, &why))
        fail_msg("%s", why.text);
    return (const uint8_t(*)[BK_TYPES_MAX])m.count;
}

static bool holds(const char *text, const char *fen, struct study_facts f)
{
    struct bk_variant *v = load("shatranj");
    struct study_where *w;
    struct bk_report why;
    struct bk_pos p;
    bool is;

    if (bk_pos_from_fen(&p, v, fen, &why))
        fail_msg("%s", why.text);
    if (study_where_new(&w, v, (const uint8_t(*)[BK_TYPES_MAX])p.count, text, &why))
        fail_msg("%s: %s", text, why.text);
    f.p = &p;
    is = study_where_true(w, &f);
    study_where_free(w);
    bk_variant_free(v);
    return is;
}

static void where__says_what_it_says(void **state)
{
    static const char fen[] = "8/8/8/3k4/8/1KQ5/8/q6R w - - 0 1";
    static const char *const yes[] = {
        "65536 * 65536 > 0",
        "-1000000 * 1000000 * 1000000 < 0",
        "1",
        "wdl = 1 and plies = 39",
        "wdl = win and not plies < 39",
        "dist(K, k) = 2 and dist(K, e4) = 3",
        "file(K) = 2 and rank(K) = 3",
        "edge(q) = 0 and edge(k) = 3 and edge(c3) = 2",
        "K = b3 and k != e5",
        "light(k) = light(d5) and not light(a1)",
        "attacked(q) and not attacked(K) and defended(Q)",
        "stm = white and other = loss and other_plies = 6",
        "2 + 3 * 4 - -1 = 15 and (2 + 3) * 4 = 20",
        "0 or 1 and not not 1",
        "not 1 = 2",
        "5 - 2 - 1 = 2",
        "1 == 1 and not 1 == 2",
        "check = 0 and moves > 10",
    };

    (void)state;
    for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++) {
        struct study_facts f = { .wdl = 1, .plies = 39, .other_wdl = -1, .other_plies = 6 };
        char no[128];

        if (!holds(yes[i], fen, f))
            fail_msg("%s", yes[i]);
        snprintf(no, sizeof no, "not (%s)", yes[i]);
        if (holds(no, fen, f))
            fail_msg("%s", no);
    }
}

static void where__says_what_is_wrong_and_where(void **state)
{
    static const char *const bad[][2] = {
        { "plis > 3", "column 1: no such word" },
        { "5 + not 1", "column 5: not, and, or stand between conditions" },
        { "wdl = ", "column 7: a number" },
        { "dist(K) = 2", "column 7: a comma" },
        { "dist(K, k = 2", "closing bracket" },
        { "edge K", "column 6: a bracket" },
        { "N = a1", "column 1: the material has no such man" },
        { "X = a1", "column 1: the game has no such man" },
        { "edge(R) = 0", "column 6: there are several" },
        { "edge(R#3) = 0", "column 8: there are not so many" },
        { "K = i9", "column 5: no square" },
        { "attacked(d4)", "column 1: this is asked of a man" },
        { "file(200) = 1", "column 1: this is asked of men and squares" },
        { "dist(K, 1 + 1) = 1", "column 1: this is asked of men and squares" },
        { "1 = 2 = 3", "column 7: this cannot stand here" },
        { "99999999", "too large" },
        { "((((((((((((((((((((((((((((((((((((1))))))))))))))))))))))))))))))))))))", "too many" },
        { "", "column 1: a number" },
        { "K & k", "column 3: this cannot" },
    };
    struct bk_variant *v = load("shatranj");

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct study_where *w;
        struct bk_report why = { "" };

        assert_int_equal(study_where_new(&w, v, counts(v, "KRRvKQ"), bad[i][0], &why), BK_E_USAGE);
        assert_null(w);
        if (!strstr(why.text, bad[i][1]))
            fail_msg("%s: %s", bad[i][0], why.text);
    }
    bk_variant_free(v);
}

/* Parses "1 + 1 + ..." with so many `numbers`: an expression of 2 * numbers - 1 nodes. */
static enum bk_err read_sum(unsigned numbers, struct bk_report *why)
{
    struct bk_variant *v = load("shatranj");
    struct study_where *w;
    char text[1024] = "1", *at = text + 1;
    enum bk_err err;

    for (unsigned i = 1; i < numbers; i++)
        at += sprintf(at, " + 1");
    err = study_where_new(&w, v, counts(v, "KRvKQ"), text, why);
    study_where_free(err ? NULL : w);
    bk_variant_free(v);
    return err;
}

static void where__is_as_long_as_it_may_be_and_no_longer(void **state)
{
    struct bk_report why = { "" };

    (void)state;
    assert_int_equal(read_sum(128, &why), BK_OK); /* 255 of 256 */
    assert_int_equal(read_sum(129, &why), BK_E_USAGE);
    assert_non_null(strstr(why.text, "the expression is too long"));
}

/* No text crashes the parser, and no expression that it accepts crashes the evaluation. */
static void where__any_text_is_refused_or_answered(void **state)
{
    static const char *const words[] = { "wdl",   "plies", "dist(", "edge(",  "attacked(", "(",
                                         ")",     ",",     "K",     "k",      "R#1",       "R#2",
                                         "e4",    "not",   "and",   "or",     "=",         "<",
                                         "-",     "*",     "1",     "999999", "#",         "other",
                                         "moves", "light(" };
    struct bk_variant *v = load("shatranj");
    struct study_facts f = { .wdl = 1, .plies = 3 };
    struct bk_report why;
    struct bk_pos p;
    unsigned seed = 7, read = 0;

    (void)state;
    assert_int_equal(bk_pos_from_fen(&p, v, "8/8/8/3k4/8/1KQ5/8/q6R w - - 0 1", &why), BK_OK);
    f.p = &p;
    for (unsigned i = 0; i < 20000; i++) {
        char text[256] = "";
        struct study_where *w;

        for (unsigned n = 0; n < 1 + i % 12; n++) {
            seed = seed * 1103515245 + 12345;
            strcat(text, words[(seed >> 16) % (sizeof words / sizeof words[0])]);
            strcat(text, " ");
        }
        why.text[0] = 0;
        if (study_where_new(&w, v, (const uint8_t(*)[BK_TYPES_MAX])p.count, text, &why)) {
            assert_true(why.text[0]);
            continue;
        }
        study_where_true(w, &f);
        study_where_free(w);
        read++;
    }
    assert_true(read > 100);
    bk_variant_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pictures__every_man_of_every_game_has_one),
        cmocka_unit_test(pictures__men_of_a_game_differ),
        cmocka_unit_test(pictures__an_unknown_man_has_none_but_a_king_is_a_king),
        cmocka_unit_test(diagram__has_the_pictures_that_it_uses),
        cmocka_unit_test(game__moves_are_read_as_they_are_written),
        cmocka_unit_test(game__moves_in_pgn_mean_what_chess_players_mean),
        cmocka_unit_test(game__moves_are_read_as_sites_books_and_programs_spell_them),
        cmocka_unit_test(game__words_are_results_null_moves_signs_or_moves),
        cmocka_unit_test(game__tags_may_be_careless),
        cmocka_unit_test(game__tokens_are_what_stands_there),
        cmocka_unit_test(game__time_grows_with_the_length_whatever_stays_open),
        cmocka_unit_test(reading__a_variant_tag_names_this_game_or_another),
        cmocka_unit_test(reading__tags_and_comments_tell_who_wrote_a_game),
        cmocka_unit_test(reading__the_one_that_makes_all_moves_legal_is_meant),
        cmocka_unit_test(game__any_text_has_an_end),
        cmocka_unit_test(where__says_what_it_says),
        cmocka_unit_test(where__says_what_is_wrong_and_where),
        cmocka_unit_test(where__is_as_long_as_it_may_be_and_no_longer),
        cmocka_unit_test(where__any_text_is_refused_or_answered),
    };

    return cmocka_run_group_tests_name("written", tests, NULL, NULL);
}
