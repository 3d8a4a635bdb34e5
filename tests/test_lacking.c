/*
 * test_lacking.c - the library where tables are missing, damaged, forged, renamed, or number
 * positions otherwise than their pair.
 *
 * Oracle: the library with all tables, and these sound (built.h).
 */
#include <dirent.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include <xxhash.h>

#include "probe/bareking.h"
#include "table/format.h"
#include "table/index_new.h"
#include "tb/encode/encode.h"
#include "tests/built.h"
#include "tests/files.h"
#include "tests/given.h"
#include "tests/handle.h"
#include "tests/proof.h"
#include "tests/random_variant.h"
#include "tests/solved.h"

/* == Folders == */

/* Makes an empty folder DIR/name/GAME for table files; sets `path` to DIR/name. */
static void make_folder(char *path, const char *name, const char *game)
{
    char inner[PATH_MAX];

    snprintf(path, PATH_MAX, "%s/%s", built.dir, name);
    proof_remove(path);
    assert_int_equal(mkdir(path, 0777), 0);
    snprintf(inner, sizeof inner, "%s/%s", path, game);
    assert_int_equal(mkdir(inner, 0777), 0);
}

/* Sets `out` to the path of a table's file; the file's colours may be those of `name` exchanged. */
static char *table_path(char *out, const char *in, const struct bk_variant *v, const char *name,
                        enum bk_kind kind)
{
    struct bk_material m = material(v, name);

    bk_material_canonical(&m, v);
    return bk_table_path(out, in, v, &m, kind);
}

enum lack { NOT_THERE, DAMAGED, NO_DISTANCES, LACKS };

/* Links in `to` all tables of `from`; `lack`: `name` is absent, damaged or without distances. */
static void link_all_but(const char *to, const char *from, const char *name, enum lack lack)
{
    DIR *d = opendir(from);
    struct dirent *e;

    assert_non_null(d);
    while ((e = readdir(d))) {
        char one[2 * PATH_MAX], other[2 * PATH_MAX], real[PATH_MAX];
        size_t n = strcspn(e->d_name, ".");

        bool it = n == strlen(name) && !strncmp(e->d_name, name, n);

        if (!n ||
            (it && (lack == NOT_THERE || (lack == NO_DISTANCES && !strcmp(e->d_name + n, ".bkd")))))
            continue;
        snprintf(one, sizeof one, "%s/%s", from, e->d_name);
        snprintf(other, sizeof other, "%s/%s", to, e->d_name);
        if (it && lack == DAMAGED) {
            unsigned char *data = slurp(one, &n);

            for (size_t i = n / 2; i < n; i++)
                data[i] ^= 0x55;
            spill(other, data, n);
            free(data);
            continue;
        }
        assert_non_null(realpath(one, real));
        assert_int_equal(symlink(real, other), 0);
    }
    closedir(d);
}

/* == Missing tables == */

static void probe__without_distances_there_is_still_a_verdict(void **state)
{
    char alone[PATH_MAX], path[PATH_MAX], fen[BK_FEN_MAX];
    struct bk_lib *lib = lib_of(built.mini_path, built.dir), *wdl;
    unsigned char *data;
    uint64_t seed = 4;
    size_t n;

    (void)state;
    make_folder(alone, "alone", "mini");
    data = slurp(table_path(path, built.dir, built.mini, "KRvK", BK_KIND_WDL), &n);
    spill(table_path(path, alone, built.mini, "KRvK", BK_KIND_WDL), data, n);
    free(data);
    wdl = lib_of(built.mini_path, alone);
    for (unsigned i = 0; i < 300; i++) {
        struct bk_answer a = answer_to(lib, built_fen(fen, built.mini, "KRvK", &seed)),
                         b = answer_to(wdl, fen);

        assert_int_equal(a.wdl, b.wdl);
        assert_int_equal(b.dtw, b.end && b.wdl ? 0 : -1);
        assert_int_equal(b.clocked_known, !b.wdl || b.end != BK_LIB_GOES_ON);
    }
    bk_close(wdl);
    bk_close(lib);
}

static void probe__a_missing_table_is_named(void **state)
{
    struct bk_lib *lib = lib_of("shatranj", "/nowhere:/there");
    struct bk_answer a;

    (void)state;
    assert_int_equal(bk_probe_fen(lib, "8/8/8/3k3n/8/1K6/8/R7 w", &a), BK_LIB_NO_TABLE);
    assert_string_equal(bk_error(lib),
                        "no table KRvKN of shatranj in /nowhere:/there (/nowhere: no such folder; "
                        "/there: no such folder)");
    assert_int_equal(bk_probe_fen(lib, "8/8/8/3k3N/8/1K6/8/r7 w", &a), BK_LIB_NO_TABLE);
    assert_string_equal(bk_error(lib),
                        "no table KRvKN of shatranj in /nowhere:/there (/nowhere: no such folder; "
                        "/there: no such folder)");
    assert_int_equal(bk_set_paths(lib, NULL), BK_LIB_OK);
    assert_int_equal(bk_probe_fen(lib, DIAMOND, &a), BK_LIB_NO_TABLE);
    assert_string_equal(bk_error(lib), "no table KQvKQ of shatranj: no folder given");
    assert_int_equal(bk_probe_fen(lib, "rnbqkbnr/8/8/8/8/8/8/RNBQKBNR w", &a), BK_LIB_NO_TABLE);
    assert_int_equal(bk_set_paths(lib, built.dir), BK_LIB_OK);
    assert_int_equal(answer_to(lib, DIAMOND).dtw, 39);
    bk_close(lib);
}

/* Writes the ranks of `board` at `fen`, top first, and a space; returns the end of the text. */
static char *put_rows(char *fen, const char *board, unsigned files, unsigned ranks)
{
    for (unsigned rank = ranks; rank-- > 0; *fen++ = rank ? '/' : ' ')
        for (unsigned file = 0, empty = 1; file < files; file++, empty++) {
            char man = board[rank * files + file];

            if (!man && file + 1 < files && !board[rank * files + file + 1])
                continue;
            *fen++ = man ? man : (char)('0' + empty);
            empty = 0;
        }
    return fen;
}

static void put_man(char *board, unsigned first, unsigned n, char man, uint64_t *seed)
{
    unsigned sq;

    do
        sq = first + random_below(seed, n);
    while (board[sq]);
    board[sq] = man;
}

/* Draws a position with a castling right; moves of its king and rook lead to another table. */
static void draw_castling(char *fen, uint64_t *seed)
{
    char board[64] = { [4] = 'K', [7] = 'R' };

    put_man(board, 0, 64, 'k', seed);
    put_man(board, 0, 64, 'r', seed);
    strcpy(put_rows(fen, board, 8, 8), random_once_in(seed, 2) ? "w K -" : "b K -");
}

/* Draws a position, with an en passant square if a pawn can just have made a double step. */
static void draw_passing(char *fen, uint64_t *seed)
{
    char board[18] = { 0 }, ep[] = "-\0";
    bool black = random_once_in(seed, 2);

    put_man(board, 0, 18, 'K', seed);
    put_man(board, 0, 18, 'k', seed);
    put_man(board, 3, 12, 'P', seed);
    put_man(board, 3, 12, 'p', seed);
    for (unsigned file = 0; file < 3; file++)
        if (board[(black ? 9 : 6) + file] == (black ? 'P' : 'p') &&
            !board[(black ? 6 : 9) + file] && !board[(black ? 3 : 12) + file]) {
            ep[0] = (char)('a' + file);
            ep[1] = black ? '3' : '4';
        }
    sprintf(put_rows(fen, board, 3, 6), "%c - %s", black ? 'b' : 'w', ep);
}

/* Fails unless, with the table `missing` absent or damaged, each answer is the same as with all
   tables, or an error; where its distances alone are absent, the same answer or one without dtw. */
static void same_or_none(const char *game, const char *name, const char *from, const char *missing,
                         enum lack lack, void (*draw)(char *fen, uint64_t *seed))
{
    enum bk_lib_err none = lack == DAMAGED ? BK_LIB_CORRUPT : BK_LIB_NO_TABLE;
    char path[PATH_MAX], inner[PATH_MAX + 20], all[PATH_MAX];
    unsigned answered = 0, refused = 0, vague = 0;
    struct bk_lib *whole, *part;
    uint64_t seed = 1;

    make_folder(path, "part", name);
    snprintf(inner, sizeof inner, "%s/%s", path, name);
    snprintf(all, sizeof all, "%s/%s", from, name);
    link_all_but(inner, all, missing, lack);
    whole = lib_of(game, from);
    part = lib_of(game, path);
    for (unsigned i = 0; i < 1500; i++) {
        struct bk_answer a, b;
        char fen[100];
        enum bk_lib_err err;

        draw(fen, &seed);
        if (bk_probe_fen(whole, fen, &a))
            continue;
        err = bk_probe_fen(part, fen, &b);
        if (err != none &&
            (err || a.wdl != b.wdl || (a.dtw != b.dtw && (lack != NO_DISTANCES || b.dtw != -1))))
            fail_msg("without %s: %s: %+d in %d, not %+d in %d", missing, fen, b.wdl, b.dtw, a.wdl,
                     a.dtw);
        refused += err == none;
        answered += !err;
        vague += !err && a.dtw != b.dtw;
    }
    assert_true(answered > 100);
    assert_true(lack == NO_DISTANCES ? !refused && vague > 5 : refused > 10);
    bk_close(part);
    bk_close(whole);
}

static void probe__without_a_table_the_answer_is_the_same_or_none(void **state)
{
    static const char *const of_chess[] = { "KRvKR", "KRvK" };
    static const char *const of_mini[] = { "KPvK", "KRvKP", "KRvKR", "KRvK" };

    (void)state;
    for (enum lack lack = 0; lack < LACKS; lack++) {
        for (unsigned i = 0; i < 2; i++)
            same_or_none("chess", "chess", "tests/golden/normal", of_chess[i], lack, draw_castling);
        for (unsigned i = 0; i < 4; i++)
            same_or_none(built.mini_path, "mini", built.dir, of_mini[i], lack, draw_passing);
    }
}

/* Moves that end a castling right lead to other tables, and so do captures in passing.  In a lost
   position some moves of either kind are worth less than the position's own table says. */
static void probe__with_rights_or_in_passing_the_best_move_tells(void **state)
{
    struct bk_lib *lib[2] = { lib_of("chess", "tests/golden/normal"),
                              lib_of(built.mini_path, built.dir) };
    unsigned lost[2] = { 0 };
    uint64_t seed = 3;

    (void)state;
    for (unsigned i = 0; i < 6000; i++) {
        struct bk_lib_move move[64];
        struct bk_answer a;
        char fen[100];
        size_t n;

        (i & 1 ? draw_passing : draw_castling)(fen, &seed);
        if (bk_probe_fen(lib[i & 1], fen, &a))
            continue;
        assert_int_equal(bk_probe_moves(lib[i & 1], fen, move, 64, &n), BK_LIB_OK);
        assert_best_move(&a, move, n, fen);
        if (a.wdl < 0)
            assert_moves_true(lib[i & 1], fen, move, n);
        lost[i & 1] += a.wdl < 0;
    }
    assert_true(lost[0] > 50 && lost[1] > 50);
    bk_close(lib[0]);
    bk_close(lib[1]);
}

/* White wins by taking the rook; the tables of his other moves are missing. */
static void probe__a_win_is_one_whatever_other_tables_are_missing(void **state)
{
    static const char *const names[] = { "KRvKR+K", "KRvK" };
    char path[PATH_MAX];
    unsigned wins = 0, legal = 0;
    struct bk_lib *lib;
    struct bk_answer a;

    (void)state;
    make_folder(path, "win", "chess");
    for (unsigned i = 0; i < 2; i++) {
        char from[100], to[PATH_MAX + 40];
        unsigned char *data;
        size_t n;

        snprintf(from, sizeof from, "tests/golden/normal/chess/%s.bkw", names[i]);
        snprintf(to, sizeof to, "%s/chess/%s.bkw", path, names[i]);
        data = slurp(from, &n);
        spill(to, data, n);
        free(data);
    }
    lib = lib_of("chess", path);
    for (unsigned king = 0; king < 64; king++) /* whatever the table of KRvKR+K says */
        for (unsigned rank = 2; rank < 8; rank++) {
            char board[64] = { [4] = 'K', [7] = 'R' }, fen[100];

            if (king % 8 > 5 || board[king])
                continue;
            board[8 * rank + 7] = 'r';
            board[king] = 'k';
            strcpy(put_rows(fen, board, 8, 8), "w K -");
            wins += !bk_probe_fen(lib, fen, &a) && a.wdl == 1;
            legal += bk_probe_fen(lib, fen, &a) != BK_LIB_ILLEGAL;
        }
    assert_int_equal(wins, legal);
    assert_in_range(wins, 200, 300);
    assert_int_equal(bk_probe_fen(lib, "k5r1/8/8/8/8/8/8/4K2R w K -", &a), BK_LIB_NO_TABLE);
    bk_close(lib);
}

static void probe__castling_rights_have_tables_of_their_own(void **state)
{
    struct bk_lib *lib = lib_of("chess", built.dir);
    struct bk_answer a;

    (void)state;
    assert_int_equal(bk_probe_fen(lib, "8/8/8/3k4/8/8/8/R3K3 w Q -", &a), BK_LIB_NO_TABLE);
    assert_non_null(strstr(bk_error(lib), "KRvK+Q of chess"));
    assert_int_equal(bk_probe_fen(lib, "8/8/8/3k4/8/8/8/R3K3 w - -", &a), BK_LIB_NO_TABLE);
    assert_non_null(strstr(bk_error(lib), "KRvK of chess"));
    a = answer_to(lib, "k3r3/8/8/8/8/8/4q3/4K2R w K -"); /* mate needs no table */
    assert_int_equal(a.end, BK_LIB_CHECKMATE);
    assert_int_equal(a.wdl, -1);
    assert_int_equal(a.dtw, 0);
    bk_close(lib);
}

/* == Files that number positions otherwise == */

/* Writes the files of table `name` into `to`, the two outermost digits of its index exchanged. */
static void write_reordered(const char *to, const char *name)
{
    const struct bk_encode_options how = { .distances = true };
    struct solved *tables = solved_new(built.mini, &(struct solved_options){ .distances = true });
    struct bk_material m = material(built.mini, name);
    struct bk_summary sum = { .win_plies = { -1, -1 }, .loss_plies = { -1, -1 } };
    uint8_t order[BK_SLOTS_MAX + 1];
    struct bk_encoder *e;
    struct bk_memtable *t;
    struct bk_pool *pool;
    uint64_t bytes[2];

    bk_material_canonical(&m, built.mini);
    t = (struct bk_memtable *)(uintptr_t)solved_table(tables, &m);
    memcpy(order, t->ix->order, sizeof order);
    order[0] = t->ix->order[1];
    order[1] = t->ix->order[0];
    bk_index_reorder(t->ix, order);
    assert_int_equal(bk_pool_open(&pool, 1, NULL), BK_OK);
    assert_int_equal(bk_encoder_open(&e, t, to, &how, pool, NULL), BK_OK);
    for (uint32_t block = 0; block < t->ix->nblocks; block++)
        assert_int_equal(bk_encoder_blocks(e, &block, 1, NULL), BK_OK);
    assert_int_equal(bk_encoder_finish(e, &sum, bytes, NULL), BK_OK);
    bk_encoder_close(e);
    bk_pool_close(pool);
    solved_free(tables);
}

/* The results file and the distances file of one table may number positions differently. */
static void probe__a_pair_may_number_positions_in_two_ways(void **state)
{
    static const char *const names[] = { "KRvKR", "KRvKP", "KPvKR" };
    char path[PATH_MAX], inner[PATH_MAX + 8], other[PATH_MAX], from[PATH_MAX], to[PATH_MAX];
    char fen[BK_FEN_MAX];
    struct bk_lib *lib = lib_of(built.mini_path, built.dir), *mixed;
    unsigned asked = 0;
    uint64_t seed = 11;

    (void)state;
    make_folder(other, "reordered", "mini");
    write_reordered(other, "KRvKR");
    for (enum bk_kind kind = BK_KIND_WDL; kind <= BK_KIND_DTW; kind++) {
        make_folder(path, "mixed", "mini");
        snprintf(inner, sizeof inner, "%s/mini", path);
        snprintf(from, sizeof from, "%s/mini", built.dir);
        link_all_but(inner, from, "", NOT_THERE);
        table_path(from, other, built.mini, "KRvKR", kind);
        table_path(to, path, built.mini, "KRvKR", kind);
        assert_int_equal(unlink(to) | symlink(from, to), 0);
        mixed = lib_of(built.mini_path, path);
        for (unsigned i = 0; i < 1500; i++) {
            struct bk_answer a, b;

            if (bk_probe_fen(lib, built_fen(fen, built.mini, names[i % 3], &seed), &a))
                continue; /* a pawn stands where it may not */
            b = answer_to(mixed, fen);
            assert_same(&a, &b, fen);
            asked++;
        }
        bk_close(mixed);
    }
    assert_true(asked > 1000);
    bk_close(lib);
}

/* == Damaged files == */

/* A table's two sound files in memory, a folder for damaged copies, and the right answers. */
struct patient {
    char folder[PATH_MAX], path[2][PATH_MAX];
    unsigned char *data[2];
    size_t n[2];
    struct bk_lib *lib;
    struct bk_pos *at;
    struct bk_answer *value;
    unsigned npos;
};

static void patient_values(struct patient *p, const char *name, unsigned n)
{
    struct bk_lib *sound = lib_of(built.mini_path, built.dir);
    char fen[BK_FEN_MAX];
    uint64_t seed = 7;

    p->npos = n;
    p->at = malloc(n * sizeof *p->at);
    p->value = malloc(n * sizeof *p->value);
    for (unsigned i = 0; i < n; i++) {
        p->at[i] = built_position(built.mini, name, &seed);
        p->value[i] = answer_to(sound, bk_pos_to_fen(&p->at[i], built.mini, fen));
    }
    bk_close(sound);
}

static struct patient *patient_new(const char *name)
{
    struct patient *p = calloc(1, sizeof *p);
    char from[PATH_MAX];

    make_folder(p->folder, "damaged", "mini");
    for (int kind = 0; kind < 2; kind++) {
        enum bk_kind k = kind ? BK_KIND_DTW : BK_KIND_WDL;

        p->data[kind] = slurp(table_path(from, built.dir, built.mini, name, k), &p->n[kind]);
        table_path(p->path[kind], p->folder, built.mini, name, k);
    }
    p->lib = lib_of(built.mini_path, p->folder);
    patient_values(p, name, 400);
    return p;
}

static void patient_free(struct patient *p)
{
    bk_close(p->lib);
    free(p->data[0]);
    free(p->data[1]);
    free(p->at);
    free(p->value);
    free(p);
}

/* Opens the files anew and asks all positions; returns the number of errors.  may_lie: any answer
   is allowed. */
static unsigned patient_ask(struct patient *p, bool may_lie)
{
    unsigned errors = 0;
    char fen[BK_FEN_MAX];

    assert_int_equal(bk_set_paths(p->lib, p->folder), BK_LIB_OK);
    for (unsigned i = 0; i < p->npos; i++) {
        struct bk_answer a;
        enum bk_lib_err err = bk_probe_fen(p->lib, bk_pos_to_fen(&p->at[i], built.mini, fen), &a);

        errors += err != BK_LIB_OK;
        if (may_lie)
            continue;
        if (err)
            assert_int_equal(err, BK_LIB_CORRUPT);
        else
            assert_same(&a, &p->value[i], fen);
    }
    return errors;
}

/* Writes both files, that of `kind` with bits `flip` of byte `at` flipped, or cut there if 0. */
static void mutate(struct patient *p, int kind, size_t at, unsigned flip)
{
    for (int k = 0; k < 2; k++)
        spill(p->path[k], p->data[k], k == kind && !flip ? at : p->n[k]);
    if (flip) {
        p->data[kind][at] ^= (unsigned char)flip;
        spill(p->path[kind], p->data[kind], p->n[kind]);
        p->data[kind][at] ^= (unsigned char)flip;
    }
}

/* Does a full check, of the parts too that no position needs, find one of the files damaged? */
static bool patient_check(const struct patient *p)
{
    bool damaged = false;

    for (int kind = 0; kind < 2; kind++) {
        struct bk_file *f;
        enum bk_err err = bk_file_open(&f, p->path[kind], built.mini, NULL);

        if (!err) {
            err = bk_file_check(f, NULL);
            bk_file_close(f);
        }
        damaged |= err == BK_E_CORRUPT;
    }
    return damaged;
}

static void probe__a_damaged_file_never_lies(void **state)
{
    struct patient *p = patient_new("KRvK");
    unsigned noticed = 0;
    uint64_t seed = 8;

    (void)state;
    mutate(p, 0, p->n[0], 0); /* nothing cut: sound */
    assert_int_equal(patient_ask(p, false), 0);
    assert_false(patient_check(p));
    for (unsigned i = 0; i < 600; i++) {
        int kind = (int)(i & 1);
        size_t at = random_below(&seed, (unsigned)p->n[kind]);

        mutate(p, kind, at, i % 3 ? 1 + random_below(&seed, 255) : 0);
        noticed += patient_ask(p, false) > 0;
        assert_true(patient_check(p));
    }
    assert_true(noticed > 300); /* the other damage lies in parts that no position needed */
    patient_free(p);
}

/* A header with a wrong byte and a checksum that matches it may give any answer, but no crash. */
static void probe__a_forged_header_does_no_harm(void **state)
{
    struct patient *p = patient_new("KRvK");
    unsigned passed = 0;
    uint64_t seed = 9;

    (void)state;
    for (unsigned i = 0; i < 600; i++) {
        int kind = (int)(i & 1);
        unsigned char *h = p->data[kind], old[512];
        size_t bytes = h[12] | (size_t)h[13] << 8, at = random_below(&seed, (unsigned)bytes - 8);
        uint64_t sum;

        assert_true(bytes <= sizeof old);
        memcpy(old, h, bytes);
        h[at] ^= (unsigned char)(1 + random_below(&seed, 255));
        sum = XXH3_64bits(h, bytes - 8);
        for (unsigned b = 0; b < 8; b++)
            h[bytes - 8 + b] = (unsigned char)(sum >> 8 * b);
        mutate(p, kind, p->n[kind], 0);
        memcpy(h, old, bytes);
        passed += !patient_ask(p, true);
    }
    assert_true(passed > 20); /* else the test would have shown checksum errors alone */
    patient_free(p);
}

static void probe__a_renamed_table_is_refused(void **state)
{
    struct patient *p = patient_new("KRvK");
    char from[PATH_MAX];
    unsigned char *other;
    size_t n;

    (void)state;
    other = slurp(table_path(from, built.dir, built.mini, "KPvK", BK_KIND_WDL), &n);
    spill(p->path[0], other, n);
    free(other);
    assert_int_equal(patient_ask(p, true) > 0, true);
    assert_non_null(strstr(bk_error(p->lib), "holds another table than KRvK"));
    spill(p->path[0], p->data[1], p->n[1]); /* distances as verdicts */
    assert_int_equal(patient_ask(p, true) > 0, true);
    assert_non_null(strstr(bk_error(p->lib), "holds another table than KRvK"));
    patient_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(probe__without_distances_there_is_still_a_verdict),
        cmocka_unit_test(probe__a_missing_table_is_named),
        cmocka_unit_test(probe__without_a_table_the_answer_is_the_same_or_none),
        cmocka_unit_test(probe__with_rights_or_in_passing_the_best_move_tells),
        cmocka_unit_test(probe__a_win_is_one_whatever_other_tables_are_missing),
        cmocka_unit_test(probe__castling_rights_have_tables_of_their_own),
        cmocka_unit_test(probe__a_pair_may_number_positions_in_two_ways),
        cmocka_unit_test(probe__a_damaged_file_never_lies),
        cmocka_unit_test(probe__a_forged_header_does_no_harm),
        cmocka_unit_test(probe__a_renamed_table_is_refused),
    };

    return cmocka_run_group_tests_name("lacking", tests, built_set_up, built_tear_down);
}
