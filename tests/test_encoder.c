/*
 * test_encoder.c - tables become files where room is short: what is said when a disk is full or
 * memory is lacking, and what a later call makes of it.
 */
#include <limits.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "table/format.h"
#include "tb/encode/encode.h"
#include "tests/files.h"
#include "tests/given.h"
#include "tests/made.h"
#include "tests/proof.h"
#include "tests/solved.h"

/* == Files == */

/* A table that is solved, but of which nothing has been encoded, and its encoder. */
struct encoding {
    struct solved *solved;
    struct bk_memtable *t;
    struct bk_encoder *e;
    uint32_t block[64];
};

static void encoding_open(struct encoding *x, const struct bk_variant *v, const char *name,
                          const char *dir, struct bk_pool *pool)
{
    const struct bk_encode_options options = { .distances = true, .effort = BK_EFFORT_FAST };
    const struct solved_options how = { .distances = true, .groups = BK_WIDE };
    struct bk_material m;
    struct bk_report why;

    assert_int_equal(bk_material_parse(&m, v, name, &why), BK_OK);
    x->solved = solved_new(v, &how);
    x->t = (struct bk_memtable *)(uintptr_t)solved_table(x->solved, &m);
    assert_true(x->t && x->t->ix->nblocks <= 64);
    for (uint32_t b = 0; b < x->t->ix->nblocks; b++)
        x->block[b] = b;
    if (bk_encoder_open(&x->e, x->t, dir, &options, pool, &why))
        fail_msg("%s", why.text);
}

static void encoding_close(struct encoding *x)
{
    bk_encoder_close(x->e);
    solved_free(x->solved);
}

static enum bk_err encode_blocks(struct encoding *x, struct bk_report *why)
{
    return bk_encoder_blocks(x->e, x->block, x->t->ix->nblocks, why);
}

/* Checks that a table's two files are the same in the folders `one` and `other`. */
static void same_files(const char *one, const char *other, const struct bk_variant *v,
                       const struct bk_material *m)
{
    for (unsigned kind = 0; kind < 2; kind++) {
        char a[PATH_MAX], b[PATH_MAX];

        same_bytes(bk_table_path(a, one, v, m, (enum bk_kind)kind),
                   bk_table_path(b, other, v, m, (enum bk_kind)kind));
    }
}

/* Three pawns make 28,631 blocks, of 5,806 units. */
static void encoder__refuses_more_units_than_a_file_has(void **state)
{
    const struct bk_encode_options options = { .distances = true };
    struct bk_memtable *t;
    struct bk_encoder *e;
    struct bk_variant *v;
    struct bk_material m;
    struct bk_report why;

    (void)state;
    assert_int_equal(bk_variant_load(&v, "grand-shatranj", &why), BK_OK);
    assert_int_equal(bk_material_parse(&m, v, "KJHPPPvK", &why), BK_OK);
    assert_int_equal(bk_memtable_new(&t, v, &m, &why), BK_OK);
    bk_rows_reorder(t->ix);
    assert_int_equal(bk_encoder_open(&e, t, "/nowhere", &options, NULL, &why), BK_E_USAGE);
    assert_non_null(strstr(why.text, "4096"));
    bk_memtable_free(t);
    bk_variant_free(v);
}

/* Spill files of 4096 bytes have no room for what any unit learns from. */
static void encoder__says_that_a_unit_was_not_encoded(void **state)
{
    struct bk_variant *v = load("puzzle-mini");
    struct bk_report why = { "" };
    struct bk_spill *spill;
    char dir[PROOF_DIR_MAX];
    struct encoding x;

    (void)state;
    encoding_open(&x, v, "KRvKN", proof_folder(dir), NULL);
    assert_int_equal(bk_spill_open(&spill, dir, 1, 0, &why), BK_OK);
    x.t->spill = spill;
    limit_files(4096);
    assert_int_equal(encode_blocks(&x, &why), BK_E_SYSTEM);
    limit_files(RLIM_INFINITY);
    assert_non_null(strstr(why.text, "no memory"));
    x.t->spill = NULL;
    bk_spill_close(spill);
    encoding_close(&x);
    proof_remove(dir);
    bk_variant_free(v);
}

/* Where the disk is full, or work is stopped, no file has a table's name; a later call does the
   rest. */
static void encoder__goes_on_where_the_disk_was_full(void **state)
{
    static const volatile int stop = 1;
    static const struct bk_summary sum = { .win_plies = { -1, -1 }, .loss_plies = { -1, -1 } };
    uint64_t whole[2], bytes[2];
    char one[PROOF_DIR_MAX], other[PROOF_DIR_MAX], folder[PROOF_DIR_MAX + 16];
    struct bk_report why = { "" };
    struct encoding x;
    struct bk_variant *v;
    struct bk_pool *pool;

    (void)state;
    assert_int_equal(bk_variant_load(&v, "puzzle-mini", &why), BK_OK);
    assert_int_equal(bk_pool_open(&pool, 2, &why), BK_OK);
    proof_folder(one);
    snprintf(folder, sizeof folder, "%s/puzzle-mini", proof_folder(other));
    encoding_open(&x, v, "KRvKN", one, pool);
    assert_int_equal(encode_blocks(&x, &why), BK_OK);
    assert_int_equal(bk_encoder_finish(x.e, &sum, whole, &why), BK_OK);
    encoding_close(&x);
    encoding_open(&x, v, "KRvKN", other, pool);
    bk_pool_stop_when(pool, &stop);
    assert_int_equal(encode_blocks(&x, &why), BK_E_SYSTEM);
    bk_pool_stop_when(pool, NULL);
    for (rlim_t most = 50; most < 400; most *= 6) {
        limit_files(most);
        assert_int_equal(encode_blocks(&x, &why), BK_E_SYSTEM);
        limit_files(RLIM_INFINITY);
        assert_non_null(strstr(why.text, "File too large"));
        why.text[0] = '\0';
    }
    assert_int_equal(encode_blocks(&x, &why), BK_OK);
    for (unsigned kind = 0; kind < 2; kind++) {
        limit_files(whole[kind] - 1);
        assert_int_equal(bk_encoder_finish(x.e, &sum, bytes, &why), BK_E_SYSTEM);
        limit_files(RLIM_INFINITY);
        assert_int_equal(rmdir(folder), 0);
        assert_int_equal(mkdir(folder, 0700), 0);
    }
    assert_int_equal(bk_encoder_finish(x.e, &sum, bytes, &why), BK_OK);
    assert_memory_equal(bytes, whole, sizeof bytes);
    same_files(one, other, v, &x.t->ix->m);
    encoding_close(&x);
    proof_remove(one);
    proof_remove(other);
    bk_pool_close(pool);
    bk_variant_free(v);
}

/* A table has one form: sets wider than the board needs, and other instructions, make the same
 * bytes. */
static void encoder__makes_the_same_bytes_whatever_the_sets(void **state)
{
    static const char *const ways[][2] = {
        { "64", "avx512" }, { "64", "portable" }, { "128", "avx2" }, { "256", "avx512" }
    };
    struct bk_variant *v = load("shatranj");
    struct bk_report why;
    struct bk_material m;
    char one[PROOF_DIR_MAX], other[PROOF_DIR_MAX];

    (void)state;
    assert_int_equal(bk_material_parse(&m, v, "KQvKB", &why), BK_OK);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        setenv("BAREKING_SET_BITS", ways[i][0], 1);
        setenv("BAREKING_KERNEL", ways[i][1], 1);
        proof_build(v, proof_folder(i ? other : one), "KQvKB");
        if (i) {
            same_files(one, other, v, &m);
            proof_remove(other);
        }
    }
    unsetenv("BAREKING_SET_BITS");
    unsetenv("BAREKING_KERNEL");
    proof_remove(one);
    bk_variant_free(v);
}

/* == Units == */

static enum bk_err refuse(void *context, const void *bytes, size_t n, struct bk_report *why)
{
    (void)context;
    (void)bytes;
    (void)n;
    return bk_fail(why, BK_E_SYSTEM, "the disk is full");
}

static void unit__says_what_the_sink_said(void **state)
{
    struct made_table t = made_table("shatranj", "KRvK");
    struct made m = { .bits = 2, .values = 3, .noise_in_256 = 256 };
    struct bk_unit_source src = made_source(&t, &m);
    struct bk_unit_options options = { .effort = BK_EFFORT_FAST };
    struct bk_report why;
    struct bk_unit u;

    (void)state;
    assert_int_equal(bk_unit_encode(&u, &src, &options, NULL, refuse, NULL, &why), BK_E_SYSTEM);
    assert_string_equal(why.text, "the disk is full");
    assert_null(u.model);
    made_table_free(&t);
}

/* Gives all positions one value, but the first position of one row in 4096 another. */
static void make_rare_row(void *context, uint64_t number, struct bk_row *row,
                          struct bk_turned *turned, struct bk_row_values *v)
{
    const struct made *m = context;

    (void)turned;
    if (!made_row(m, number, row, v))
        return;
    bk_row_care(row, 4, v->care);
    memcpy(v->plane[0], v->care, sizeof(v->care));
    if (bk_mix(row->first) % 4096 == 0)
        v->plane[0][row->inner_sq[0] / 64] &= ~(UINT64_C(1) << row->inner_sq[0] % 64);
}

static size_t heap_bytes(void)
{
    struct mallinfo2 all = mallinfo2();

    return all.uordblks + all.hblkhd;
}

/* Notes the heap's bytes when the only shard is complete; under sanitizers they say nothing. */
static enum bk_err note_heap(void *context, const void *bytes, size_t n, struct bk_report *why)
{
    size_t *heap = context;

    (void)bytes;
    (void)n;
    (void)why;
    *heap = heap_bytes();
    return BK_OK;
}

static void unit__rows_wait_for_their_shard_on_disk_where_memory_is_short(void **state)
{
    struct made_table t = made_table("grand-shatranj", "KJvKH");
    struct made m = { .bits = 2 };
    struct bk_unit_source src = made_source(&t, &m);
    struct bk_unit_options options = { .effort = BK_EFFORT_FAST };
    char dir[PROOF_DIR_MAX];
    size_t before, heap = 0;
    struct bk_report why;
    struct bk_unit u;

    (void)state;
    proof_folder(dir);
    assert_int_equal(bk_spill_open(&options.spill, dir, UINT64_C(1) << 20, 0, &why), BK_OK);
    src.row = make_rare_row;
    before = heap_bytes();
    assert_int_equal(bk_unit_encode(&u, &src, &options, NULL, note_heap, &heap, &why), BK_OK);
    assert_int_equal(u.shards, 1);
    assert_true(src.end > 11000000 && heap < before + (UINT64_C(3) << 20));
    bk_unit_release(&u);
    bk_spill_close(options.spill);
    assert_int_equal(rmdir(dir), 0);
    made_table_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(encoder__refuses_more_units_than_a_file_has),
        cmocka_unit_test(encoder__says_that_a_unit_was_not_encoded),
        cmocka_unit_test(encoder__goes_on_where_the_disk_was_full),
        cmocka_unit_test(encoder__makes_the_same_bytes_whatever_the_sets),
        cmocka_unit_test(unit__says_what_the_sink_said),
        cmocka_unit_test(unit__rows_wait_for_their_shard_on_disk_where_memory_is_short),
    };

    return cmocka_run_group_tests_name("encoder", tests, NULL, NULL);
}
