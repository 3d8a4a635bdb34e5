/*
 * test_resume.c - going on from a checkpoint (tb/solve/resume.h) where there is no room for what is
 * in it, or nothing in it.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/load.h"
#include "table/rows.h"
#include "tb/encode/encode.h"
#include "tb/kernel/dispatch.h"
#include "tests/proof.h"
#include "tests/solved.h"

/* What is solved and told; the job ends after a ply, with a checkpoint. */
struct told {
    volatile int finish;
    int to;         /* where its units go when they are read */
    unsigned notes; /* so many */
    unsigned plies; /* the last one */
};

static const struct bk_memtable *find(void *context, const struct bk_material *m)
{
    return solved_table(context, m);
}

static void save(void *context, struct bk_writer *w)
{
    (void)context;
    bk_write(w, "units", 5);
}

static bool load(void *context, struct bk_reader *r)
{
    return bk_read_file(r, ((struct told *)context)->to, 5);
}

static void finish_soon(void *context, const struct bk_progress *p)
{
    struct told *told = context;

    told->finish = told->to < 0 && p->ply >= 3;
    told->plies = p->ply;
}

static void count_note(void *context, const char *text)
{
    (void)text;
    ((struct told *)context)->notes++;
}

static enum bk_err solve(struct solved *s, const struct bk_variant *v, const char *path,
                         struct told *told, struct bk_report *why)
{
    const struct bk_sink sink = {
        .context = told, .save = save, .load = load, .progress = finish_soon, .note = count_note
    };
    const struct bk_checkpoint checkpoint = { .path = path, .seconds = 1000, .fingerprint = 1 };
    struct bk_solve_job job = { .kernel = bk_kernel_for(v->nsq),
                                .distances = true,
                                .strategy = BK_APART,
                                .sink = &sink,
                                .checkpoint = &checkpoint,
                                .finish = &told->finish };
    struct bk_material m;
    struct bk_tally tally;
    enum bk_err err;

    assert_int_equal(bk_material_parse(&m, v, "KRvKN", why), BK_OK);
    assert_int_equal(bk_memtable_new(&job.t, v, &m, why), BK_OK);
    job.tables = (struct bk_exit_tables){ job.t, find, s };
    err = bk_solve_table(&job, &tally, why);
    bk_memtable_free(job.t);
    return err;
}

/* Begun anew it would be written over, some minutes later. */
static void resume__a_full_disk_leaves_the_checkpoint_alone(void **unused)
{
    char folder[PROOF_DIR_MAX], path[PROOF_DIR_MAX + 16], notes[PROOF_DIR_MAX + 16];
    int full = open("/dev/full", O_WRONLY), fd;
    struct told first = { .to = -1 }, refused = { .to = full }, last;
    const struct solved_options o = { .distances = true };
    struct bk_report why = { "" };
    struct bk_variant *v;
    struct solved *s;

    (void)unused;
    snprintf(path, sizeof path, "%s/checkpoint", proof_folder(folder));
    snprintf(notes, sizeof notes, "%s/notes", folder);
    fd = open(notes, O_RDWR | O_CREAT, 0600);
    assert_true(fd >= 0 && full >= 0);
    last = (struct told){ .to = fd };
    assert_int_equal(bk_variant_load(&v, "shatranj", &why), BK_OK);
    s = solved_new(v, &o);
    assert_int_equal(solve(s, v, path, &first, &why), BK_E_SYSTEM);
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(solve(s, v, path, &refused, &why), BK_E_SYSTEM);
    assert_non_null(strstr(why.text, "No space left"));
    assert_int_equal(refused.notes, 0);
    assert_int_equal(refused.plies, 0);
    assert_int_equal(solve(s, v, path, &last, &why), BK_OK);
    assert_int_equal(last.notes, 0);
    assert_true(last.plies > 3);
    close(full);
    close(fd);
    solved_free(s);
    bk_variant_free(v);
}

/* Men that find no room: their units have no shards, and are done. */
static const char no_room[] = "[variant]\nname = post\nboard = 4x4\nholes = a1 b1 c1\n"
                              "[piece king]\nletter = K\nroyal = yes\nmove = K\n"
                              "[piece post]\nletter = P\nmove = W\nranks = 1\n";

static void resume__goes_on_where_there_are_no_positions(void **unused)
{
    char dir[PROOF_DIR_MAX], ini[PROOF_DIR_MAX + 16], path[PROOF_DIR_MAX + 16];
    char scratch[PROOF_DIR_MAX + 16];
    const struct bk_encode_options options = { .distances = true };
    struct bk_checkpoint c = { .path = path, .seconds = 1000, .fingerprint = 1 };
    struct bk_report why = { "" };
    struct bk_encoder *e;
    struct bk_memtable *t;
    struct bk_variant *v;
    struct bk_material m;
    struct bk_writer *w;
    struct bk_reader *r;
    FILE *f;

    (void)unused;
    proof_folder(dir);
    snprintf(ini, sizeof ini, "%s/post.ini", dir);
    snprintf(path, sizeof path, "%s/checkpoint", dir);
    snprintf(scratch, sizeof scratch, "%s/post", dir);
    assert_non_null(f = fopen(ini, "w"));
    fputs(no_room, f);
    fclose(f);
    assert_int_equal(bk_variant_load(&v, ini, &why), BK_OK);
    assert_int_equal(bk_material_parse(&m, v, "KPPvK", &why), BK_OK);
    assert_int_equal(bk_memtable_new(&t, v, &m, &why), BK_OK);
    bk_rows_reorder(t->ix);
    t->code_bytes = 1;
    t->block[0].solved = true;

    assert_int_equal(bk_encoder_open(&e, t, dir, &options, NULL, &why), BK_OK);
    assert_int_equal(bk_encoder_blocks(e, &(uint32_t){ 0 }, 1, &why), BK_OK);
    assert_int_equal(bk_writer_open(&w, &c, &why), BK_OK);
    bk_encoder_save(e, w);
    assert_int_equal(bk_writer_commit(w, &why), BK_OK);
    bk_encoder_close(e);

    assert_int_equal(bk_encoder_open(&e, t, dir, &options, NULL, &why), BK_OK);
    assert_int_equal(bk_reader_open(&r, &c, &why), BK_OK);
    assert_true(bk_encoder_load(e, r));
    bk_reader_close(r);
    bk_encoder_close(e);
    bk_memtable_free(t);
    bk_variant_free(v);
    unlink(path);
    unlink(ini);
    assert_int_equal(rmdir(scratch) | rmdir(dir), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resume__a_full_disk_leaves_the_checkpoint_alone),
        cmocka_unit_test(resume__goes_on_where_there_are_no_positions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
