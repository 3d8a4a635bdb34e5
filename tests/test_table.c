/*
 * test_table.c - whole tables, built into files, against outside results.
 *
 * Chess: brute force of our own, unrelated to this program, which agrees with
 * published distances.  Shatranj: counts of Syzygy's generator built for
 * Shatranj, which counts the same symmetry classes.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/load.h"
#include "core/read.h"
#include "table/index_new.h"
#include "tb/encode/encode.h"
#include "tb/make/build.h"
#include "tb/solve/order.h"
#include "tb/verify.h"
#include "tests/files.h"
#include "tests/given.h"
#include "tests/left_out.h"
#include "tests/proof.h"
#include "tests/solved.h"

static char folder[PROOF_DIR_MAX];
static struct bk_pool *pool;

static void build_in(const char *dir, const struct bk_variant *v, const char *name, bool distances,
                     struct bk_pool *with)
{
    struct bk_build_options o = { .pool = with,
                                  .effort = tries_all() ? BK_EFFORT_NORMAL : BK_EFFORT_FAST };
    struct bk_report why = { "" };
    struct bk_material m;
    struct bk_plan *p;

    assert_int_equal(bk_material_parse(&m, v, name, &why), BK_OK);
    assert_int_equal(bk_plan_new(&p, v, dir, &m, 1, 0, distances, &why), BK_OK);
    if (bk_build(p, &o, &why))
        fail_msg("%s", why.text);
    bk_plan_free(p);
}

static void verify_in(const char *dir, const struct bk_variant *v, const char *name,
                      uint64_t sample)
{
    struct bk_verify_options o = { .pool = pool, .sample = sample, .seed = 1 };
    struct bk_verify_result r;
    struct bk_report why = { "" };
    struct bk_material m;

    assert_int_equal(bk_material_parse(&m, v, name, &why), BK_OK);
    bk_material_canonical(&m, v);
    if (bk_verify(v, dir, &m, &o, &r, &why))
        fail_msg("%s", why.text);
    assert_true(r.positions > 0);
}

static struct bk_summary summary_of(const struct bk_variant *v, const char *name)
{
    char path[4096];
    struct bk_material m;
    struct bk_summary s;
    struct bk_file *f;
    bool exchanged;

    assert_int_equal(bk_material_parse(&m, v, name, NULL), BK_OK);
    exchanged = bk_material_canonical(&m, v);
    assert_int_equal(bk_file_open(&f, bk_table_path(path, folder, v, &m, BK_KIND_WDL), v, NULL),
                     BK_OK);
    s = bk_file_info(f)->summary;
    bk_file_close(f);
    assert_false(exchanged);
    return s;
}

struct counts {
    const char *name;
    uint64_t white[3], black[3];            /* win, draw, loss for the mover */
    int64_t white_plies[2], black_plies[2]; /* longest win, loss; -2: not asked */
};

static void check_counts(const char *game, const struct counts *claim, unsigned n)
{
    struct bk_variant *v = load(game);

    for (unsigned i = 0; i < n; i++) {
        const struct counts *c = &claim[i];
        struct bk_summary s;

        build_in(folder, v, c->name, true, pool);
        s = summary_of(v, c->name);
        print_message("%s %s\n", game, c->name);
        assert_int_equal(s.win[0], c->white[0]);
        assert_int_equal(s.draw[0], c->white[1]);
        assert_int_equal(s.loss[0], c->white[2]);
        assert_int_equal(s.win[1], c->black[0]);
        assert_int_equal(s.draw[1], c->black[1]);
        assert_int_equal(s.loss[1], c->black[2]);
        for (unsigned k = 0; k < 2; k++) {
            if (c->white_plies[k] != -2)
                assert_int_equal(k ? s.loss_plies[0] : s.win_plies[0], c->white_plies[k]);
            if (c->black_plies[k] != -2)
                assert_int_equal(k ? s.loss_plies[1] : s.win_plies[1], c->black_plies[k]);
        }
    }
    bk_variant_free(v);
}

static void table__chess_counts_and_distances_are_the_known_ones(void **state)
{
    static const struct counts claim[] = {
        { "KQvK", { 18081, 0, 0 }, { 0, 2896, 25160 }, { 19, -1 }, { -1, 20 } },
        { "KRvK", { 21959, 0, 0 }, { 0, 2796, 25260 }, { 31, -1 }, { -1, 32 } },
        { "KPvK", { 62480, 19184, 0 }, { 0, 35210, 48802 }, { 55, -1 }, { -1, 56 } },
        { "KBBvK", { 312951, 322599, 0 }, { 0, 502483, 351755 }, { 37, -1 }, { -1, 38 } },
        { "KBNvK", { 1352913, 6665, 0 }, { 0, 309147, 1398741 }, { 65, -1 }, { -1, 66 } },
        { "KQvKR", { 1108111, 8963, 2142 }, { 386313, 78518, 883075 }, { 69, 36 }, { 37, 70 } },
        { "KRvKB", { 473447, 874459, 0 }, { 0, 1431462, 47736 }, { 57, -1 }, { -1, 58 } },
        { "KRvKN", { 651492, 696413, 1 }, { 4, 1396546, 170672 }, { 79, 0 }, { 1, 80 } },
        { "KBPvK", { 4141811, 174804, 0 }, { 0, 859923, 4264809 }, { 61, -1 }, { -1, 62 } },
        { "KQvKP", { 3349631, 21317, 20 }, { 385976, 601733, 3993795 }, { 55, 20 }, { 57, 56 } },
    };

    (void)state;
    check_counts("chess", claim, sizeof claim / sizeof *claim);
}

static void table__shatranj_counts_are_syzygys(void **state)
{
    static const struct counts claim[] = {
        { "KRvKR", { 392558, 946290, 9058 }, { 392558, 946290, 9058 }, { 7, 6 }, { 7, 6 } },
        { "KNvKN", { 262743, 1298933, 5546 }, { 262743, 1298933, 5546 }, { 21, 20 }, { 21, 20 } },
        { "KQvKQ",
          { 469711, 1003268, 151371 },
          { 469711, 1003268, 151371 },
          { 63, -2 },
          { 63, -2 } },
        { "KBvKN", { 208293, 1252372, 186801 }, { 602751, 959403, 5068 }, { -2, -2 }, { 55, -2 } },
        { "KRvKN", { 651505, 690346, 6055 }, { 269329, 1127202, 170691 }, { 53, -2 }, { -2, -2 } },
        { "KRvKP", { 4045500, 4520, 0 }, { 562934, 55941, 4362629 }, { -2, -1 }, { 1, -2 } },
    };

    (void)state;
    check_counts("shatranj", claim, sizeof claim / sizeof *claim);
}

static void table__five_men_shatranj_KRNvKR(void **state)
{
    static const struct counts claim[] = {
        { "KRNvKR",
          { 33220691, 41643597, 55444 },
          { 2579636, 73930548, 5033110 },
          { 77, -2 },
          { -2, 78 } },
    };
    struct bk_variant *v;

    (void)state;
    if (!tries_all())
        leave_out("ten seconds, with TEST_ALL=1");
    v = load("shatranj");
    check_counts("shatranj", claim, 1);
    verify_in(folder, v, "KRNvKR", 200000);
    bk_variant_free(v);
}

/* Verifies every position of a file, or a sample of a large one (a tenth of that in `make test`),
   with the plain move generator. */
static void table__files_verify(void **state)
{
    static const struct {
        const char *game, *name;
        uint64_t sample;
    } claim[] = {
        { "chess", "KRvK", 0 },           { "chess", "KPvK", 0 },
        { "chess", "KPvKP", 300000 },     { "chess", "KRvKP", 300000 },
        { "shatranj", "KQvKP", 300000 },  { "shatranj", "KPvKP", 300000 },
        { "sultan", "KRvK", 0 },          { "sultan", "KCvK", 0 },
        { "sultan", "KRvKC", 300000 },    { "grand-shatranj", "KMvKH", 200000 },
        { "atlantean", "KXvKM", 200000 }, { "darwinian", "KCvKE", 200000 },
        { "puzzle", "KRvKA", 200000 },
    };

    (void)state;
    for (unsigned i = 0; i < sizeof claim / sizeof *claim; i++) {
        struct bk_variant *v = load(claim[i].game);

        print_message("%s %s\n", claim[i].game, claim[i].name);
        build_in(folder, v, claim[i].name, true, pool);
        verify_in(folder, v, claim[i].name, tries_all() ? claim[i].sample : claim[i].sample / 10);
        bk_variant_free(v);
    }
}

static void table__castling_rights_make_tables_that_verify(void **state)
{
    static const struct {
        const char *game, *name;
    } claim[] = {
        { "sultan", "KRvK+K" },  { "sultan", "KRvK+Q" },  { "sultan", "KRvKR+Kq" },
        { "chess", "KRvKR+Kk" }, { "chess", "KRRvK+KQ" }, { "chess", "KRRvK+Q" },
        { "chess", "KQvKR+q" },  { "chess", "KRvKP+Q" },  { "chess", "KPvKR+k" },
    };

    (void)state;
    for (unsigned i = 0; i < sizeof claim / sizeof *claim; i++) {
        struct bk_variant *v = load(claim[i].game);

        print_message("%s %s\n", claim[i].game, claim[i].name);
        build_in(folder, v, claim[i].name, true, pool);
        verify_in(folder, v, claim[i].name, tries_all() ? 0 : 20000);
        bk_variant_free(v);
    }
}

/* One rook is at home and has the right, the other stands anywhere else: all these are counted. */
static void table__castling_rook_is_told_from_its_equals(void **state)
{
    struct bk_variant *v = load("chess");
    struct bk_summary s;

    (void)state;
    build_in(folder, v, "KRRvK+K", true, pool);
    s = summary_of(v, "KRRvK+K");
    /* Black to move is always legal: his king is off the home squares, off the five around
       White's king, and not on the other rook */
    assert_int_equal(s.all_win[1] + s.all_draw[1] + s.all_loss[1], (64 - 7) * (64 - 3));
    assert_int_equal(s.loss[1] + s.draw[1] + s.win[1], (64 - 7) * (64 - 3));
    bk_variant_free(v);
}

static void table__without_distances_has_the_same_results(void **state)
{
    struct bk_variant *v = load("shatranj");
    struct bk_summary with, without;
    char dir[PROOF_DIR_MAX + 16];

    (void)state;
    build_in(folder, v, "KQvKN", true, pool);
    with = summary_of(v, "KQvKN");
    snprintf(dir, sizeof dir, "%s/wdl", folder);
    build_in(dir, v, "KQvKN", false, pool);
    verify_in(dir, v, "KQvKN", 100000);
    {
        char path[4096];
        struct bk_material m;
        struct bk_file *f;

        bk_material_parse(&m, v, "KQvKN", NULL);
        assert_int_equal(bk_file_open(&f, bk_table_path(path, dir, v, &m, BK_KIND_WDL), v, NULL),
                         BK_OK);
        without = bk_file_info(f)->summary;
        assert_false(bk_file_info(f)->distances);
        bk_file_close(f);
        assert_int_not_equal(access(bk_table_path(path, dir, v, &m, BK_KIND_DTW), F_OK), 0);
    }
    assert_memory_equal(with.win, without.win, sizeof with.win);
    assert_memory_equal(with.draw, without.draw, sizeof with.draw);
    assert_memory_equal(with.loss, without.loss, sizeof with.loss);
    bk_variant_free(v);
}

static void same_file(const struct bk_variant *v, const char *name, const char *a, const char *b)
{
    struct bk_material m;

    bk_material_parse(&m, v, name, NULL);
    bk_material_canonical(&m, v);
    for (int kind = 0; kind < 2; kind++) {
        char x[4096], y[4096];

        same_bytes(bk_table_path(x, a, v, &m, (enum bk_kind)kind),
                   bk_table_path(y, b, v, &m, (enum bk_kind)kind));
    }
}

/* Threads and instruction sets change the time it takes and nothing else; the last of the materials
   in `make test-all` alone. */
static void table__same_bytes_for_any_threads_and_kernel(void **state)
{
    static const char *const kernel[] = { "portable", "avx2", "avx512" };
    static const unsigned threads[] = { 1, 2, 7 };
    static const char *const claim[][2] = { { "shatranj", "KBvKP" },
                                            { "sultan", "KRvKC" },
                                            { "shatranj", "KQvKN" } };

    (void)state;
    for (unsigned i = 0; i < sizeof claim / sizeof *claim - !tries_all(); i++) {
        struct bk_variant *v = load(claim[i][0]);

        build_in(folder, v, claim[i][1], true, pool);
        for (unsigned k = 0; k < 3; k++) {
            struct bk_pool *other;
            char dir[PROOF_DIR_MAX + 16];

            snprintf(dir, sizeof dir, "%s/other%u", folder, k);
            assert_int_equal(bk_pool_open(&other, threads[k], NULL), BK_OK);
            setenv("BAREKING_KERNEL", kernel[k], 1);
            build_in(dir, v, claim[i][1], true, other);
            unsetenv("BAREKING_KERNEL");
            bk_pool_close(other);
            same_file(v, claim[i][1], folder, dir);
        }
        bk_variant_free(v);
    }
}

static void table__verify_finds_a_planted_error(void **state)
{
    struct bk_variant *v = load("chess");
    struct bk_verify_options o = { .pool = pool };
    struct bk_verify_result r;
    struct bk_summary sum = { .win_plies = { -1, -1 }, .loss_plies = { -1, -1 } };
    const struct bk_encode_options how = { .distances = true };
    const uint32_t only = 0; /* block */
    struct solved *tables;
    struct bk_encoder *e;
    struct bk_memtable *t;
    struct bk_material m;
    uint64_t bytes[2];
    char dir[PROOF_DIR_MAX + 16];

    (void)state;
    snprintf(dir, sizeof dir, "%s/planted", folder);
    build_in(dir, v, "KRvK", true, pool);
    assert_int_equal(bk_material_parse(&m, v, "KRvK", NULL), BK_OK);
    tables = solved_new(v, &(struct solved_options){ .distances = true });
    t = (struct bk_memtable *)(uintptr_t)solved_table(tables, &m);
    for (size_t i = 100;; i++) { /* one legal value, two plies off */
        uint8_t *code = t->block[0].code[0];

        if (code[i] == BK_CODE_WIN + 5) {
            code[i]++;
            break;
        }
    }
    assert_int_equal(bk_encoder_open(&e, t, dir, &how, pool, NULL), BK_OK);
    assert_int_equal(bk_encoder_blocks(e, &only, 1, NULL), BK_OK);
    assert_int_equal(bk_encoder_finish(e, &sum, bytes, NULL), BK_OK);
    bk_encoder_close(e);
    solved_free(tables);
    assert_int_equal(bk_verify(v, dir, &m, &o, &r, NULL), BK_E_DIFFERS);
    assert_true(r.different >= 1);
    assert_true(strlen(r.first_fen) > 0);
    bk_variant_free(v);
}

/* Sets `groups` to the number of levels that are groups, `largest` to the blocks of the largest. */
static void count_groups(const struct bk_variant *v, const char *name, enum bk_strategy strategy,
                         uint32_t *groups, uint32_t *largest)
{
    struct bk_material m;
    struct bk_index *ix;
    struct bk_order o;

    assert_int_equal(bk_material_parse(&m, v, name, NULL), BK_OK);
    bk_material_canonical(&m, v);
    assert_int_equal(bk_index_new(&ix, v, &m, NULL, NULL), BK_OK);
    assert_true(bk_order_new(&o, ix, strategy, BK_TO_THE_END));
    *groups = *largest = 0;
    for (uint32_t l = 0; l < o.nlevels; l++) {
        uint32_t n = o.first[l + 1] - o.first[l];

        *groups += o.group[l];
        *largest = o.group[l] && n > *largest ? n : *largest;
    }
    bk_order_free(&o);
    bk_index_free(ix);
}

static void table__blocks_that_steps_connect_make_a_group(void **state)
{
    const struct {
        const char *game, *name;
        enum bk_strategy strategy;
        uint32_t groups, largest;
    } known[] = {
        { "shatranj", "KRPvKN", BK_GROUPS, 4, 6 }, /* a file */
        { "shatranj", "KRPvKN", BK_WIDE, 4, 6 },
        { "shatranj", "KNvKP", BK_GROUPS, 4, 6 },
        { "shatranj", "KNvKP", BK_WIDE, 1, 24 }, /* nobody else beside the inner man: all files */
        { "shatranj", "KRPvKP", BK_GROUPS, 32, 36 }, /* two files */
        { "shatranj", "KRPvKP", BK_WIDE, 4, 288 },   /* a file and the board */
        { "shatranj", "KPPvKQ", BK_GROUPS, 20, 36 }, /* pairs of files, up to the mirror */
        { "shatranj", "KPPvKQ", BK_WIDE, 4, 252 },
        { "shatranj", "KPvKP", BK_WIDE, 0, 0 },
        { "shatranj", "KRNvKR", BK_WIDE, 0, 0 },
        { "shatranj", "KRPvKN", BK_APART, 0, 0 },
        { "chess", "KRPvKN", BK_GROUPS, 4, 6 },
        { "chess", "KRPvKP", BK_GROUPS, 128, 16 }, /* on its first two ranks, or beyond */
        { "chess", "KRPvKP", BK_WIDE, 16, 128 },
    };

    (void)state;
    for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct bk_variant *v = load(known[i].game);
        uint32_t groups, largest;

        count_groups(v, known[i].name, known[i].strategy, &groups, &largest);
        assert_int_equal(groups, known[i].groups);
        assert_int_equal(largest, known[i].largest);
        bk_variant_free(v);
    }
}

/* In each group one of two equal pawns has the 6 squares of a file; the other has all 48 squares in
   the outermost file's group and 24 in the others, so that they fill whole vectors. */
static void table__files_of_two_pawns_are_dealt_out_evenly(void **state)
{
    struct bk_variant *v = load("shatranj");
    struct bk_material m;
    struct bk_index *ix;
    struct bk_order o;

    (void)state;
    assert_int_equal(bk_material_parse(&m, v, "KPPvKQ", NULL), BK_OK);
    bk_material_canonical(&m, v);
    assert_int_equal(bk_index_new(&ix, v, &m, NULL, NULL), BK_OK);
    assert_true(bk_order_new(&o, ix, BK_WIDE, BK_TO_THE_END));
    assert_int_equal(o.nlevels, 4);
    for (uint32_t l = 0, whole = 0; l < 4; l++) {
        struct bk_group g;
        unsigned pawn;

        bk_order_group(&o, ix, l, &g);
        for (pawn = 0; !g.n[pawn];)
            pawn++;
        assert_int_equal(g.n[pawn], 6);
        whole += g.n[pawn + 1] == 48;
        assert_true(g.n[pawn + 1] == 48 || g.n[pawn + 1] == 24);
        assert_true(whole == 1 || l < 3);
    }
    bk_order_free(&o);
    bk_index_free(ix);
    bk_variant_free(v);
}

/* Fails unless two tables have the same codes for every position, both sides to move. */
static void compare_tables(const struct bk_memtable *a, const struct bk_memtable *b)
{
    for (uint64_t number = 0; number < a->ix->positions; number++) {
        struct bk_placement at;

        bk_index_unrank(a->ix, number, &at);
        for (unsigned side = 0; side < 2; side++)
            assert_int_equal(bk_memtable_code(a, side, at), bk_memtable_code(b, side, at));
    }
}

static void table__is_the_same_with_a_pawn_that_sits(void **state)
{
    /* no man's squares can be the bits of a word, and those of the piece are farther apart where
       the pawn sits */
    static const char sits[] =
        "[variant]\nname = sits\nboard = 3x4\nbare-king = wins\nstalemate = draw\n"
        "[piece king]\nletter = K\nroyal = yes\nmove = (0,1)\n"
        "[piece pawn]\nletter = P\nranks = 2-4\nmove = mf(0,1)cflfr(1,1)\nzone-ranks = 4\n"
        "zone-move = lr(0,1)\nbecomes = 4 may lost in-place B\nbecomes = 3 may lost B\n"
        "[piece piece-a]\nletter = A\narmy = 2\nmove = (0,1)(2,2)\nsteps = 2\nbend = free\n"
        "zone-ranks = 2-4\nzone-move = p(1,1)0m(0,1)\n"
        "[piece piece-b]\nletter = B\narmy = 2\nmove = mflfrbr(1,1)0cpflbr(1,1)0\n";
    const struct solved_options way[] = { { .distances = true },
                                          { .distances = true, .groups = BK_GROUPS } };
    struct bk_material m;
    struct bk_variant *v;
    struct solved *s[2];

    (void)state;
    v = parse(sits);
    assert_int_equal(bk_material_parse(&m, v, "KAvKP", NULL), BK_OK);
    bk_material_canonical(&m, v);
    for (unsigned i = 0; i < 2; i++)
        s[i] = solved_new(v, &way[i]);
    compare_tables(solved_table(s[0], &m), solved_table(s[1], &m));
    for (unsigned i = 0; i < 2; i++)
        solved_free(s[i]);
    bk_variant_free(v);
}

/* Three files: the middle one is its own mirror image.  Double steps are answered in passing, the
   lance's steps connect files, and some squares of the stone are connected to no other. */
static void table__is_the_same_however_blocks_are_solved(void **state)
{
    static const char small[] =
        "[variant]\nname = small\nboard = 3x6\nbare-king = nothing\nstalemate = draw\n"
        "en-passant = yes\n"
        "[piece king]\nletter = K\nroyal = yes\nmove = K\n"
        "[piece rook]\nletter = R\nmove = R\n"
        "[piece pawn]\nletter = P\nranks = 2-5\nmove = mfWcfF\ndouble-step = 2\n"
        "becomes = 6 must R\n"
        "[piece lance]\nletter = L\nranks = 1-5\nmove = fWflF\n"
        "[piece stone]\nletter = S\nmove = mb(0,4)cW\n";
    static const char *const name[] = { "KRPvKP", "KPPvKR", "KRPvKL", "KRLvKP", "KRvKP", "KSSvKR" };

    (void)state;
    for (unsigned distances = 0; distances < 2; distances++) {
        const enum bk_strategy way[] = { BK_APART, BK_GROUPS, BK_WIDE };
        struct bk_variant *v;
        struct solved *s[3];

        v = parse(small);
        for (unsigned i = 0; i < 3; i++)
            s[i] =
                solved_new(v, &(struct solved_options){ .distances = distances, .groups = way[i] });
        for (unsigned j = 0; j < sizeof name / sizeof *name; j++) {
            struct bk_material m;
            const struct bk_memtable *apart;
            uint32_t groups, largest;

            count_groups(v, name[j], BK_WIDE, &groups, &largest);
            assert_true(groups > 0);
            assert_int_equal(bk_material_parse(&m, v, name[j], NULL), BK_OK);
            bk_material_canonical(&m, v);
            apart = solved_table(s[0], &m);
            compare_tables(apart, solved_table(s[1], &m));
            compare_tables(apart, solved_table(s[2], &m));
        }
        for (unsigned i = 0; i < 3; i++)
            solved_free(s[i]);
        bk_variant_free(v);
    }
}

static int begin(void **state)
{
    (void)state;
    proof_folder(folder);
    return bk_pool_open(&pool, 0, NULL) == BK_OK ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    bk_pool_close(pool);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table__chess_counts_and_distances_are_the_known_ones),
        cmocka_unit_test(table__shatranj_counts_are_syzygys),
        cmocka_unit_test(table__five_men_shatranj_KRNvKR),
        cmocka_unit_test(table__files_verify),
        cmocka_unit_test(table__castling_rights_make_tables_that_verify),
        cmocka_unit_test(table__castling_rook_is_told_from_its_equals),
        cmocka_unit_test(table__without_distances_has_the_same_results),
        cmocka_unit_test(table__same_bytes_for_any_threads_and_kernel),
        cmocka_unit_test(table__blocks_that_steps_connect_make_a_group),
        cmocka_unit_test(table__files_of_two_pawns_are_dealt_out_evenly),
        cmocka_unit_test(table__is_the_same_however_blocks_are_solved),
        cmocka_unit_test(table__is_the_same_with_a_pawn_that_sits),
        cmocka_unit_test(table__verify_finds_a_planted_error),
    };

    return cmocka_run_group_tests_name("table", tests, begin, end);
}
