/*
 * test_resume.c - resuming from a checkpoint (tb/solve/resume.h): on a full disk, without any
 * position, every few plies; and beginning anew where its options differ or it is forged.
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
#include <xxhash.h>

#include "core/finish.h"
#include "core/load.h"
#include "table/rows.h"
#include "tb/make/build.h"
#include "tb/encode/encode.h"
#include "tb/kernel/kernel.h"
#include "tests/files.h"
#include "tests/proof.h"
#include "tests/solved.h"

/* A job, and what its sink is told. */
struct told {
    volatile int finish;
    int to;         /* file for the checkpoint's units; below 0: the job ends at ply 3 */
    unsigned notes; /* their number */
    char said[256]; /* the last note */
    unsigned first; /* the first ply of which progress was told; 0: none */
    unsigned plies; /* the last such ply */
    uint64_t fingerprint;
    enum bk_strategy more; /* the strategy; 0: BK_APART */
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
    told->first = told->first ? told->first : p->ply;
    told->plies = p->ply;
}

static void count_note(void *context, const char *text)
{
    struct told *told = context;

    snprintf(told->said, sizeof told->said, "%s", text);
    told->notes++;
}

static enum bk_err solve(struct solved *s, const struct bk_variant *v, const char *path,
                         struct told *told, struct bk_report *why)
{
    const struct bk_sink sink = {
        .context = told, .save = save, .load = load, .progress = finish_soon, .note = count_note
    };
    const struct bk_checkpoint checkpoint = { .path = path,
                                              .seconds = 1000,
                                              .fingerprint = told->fingerprint };
    struct bk_solve_job job = { .kernel = bk_kernel_for(v->nsq),
                                .distances = true,
                                .strategy = told->more ? told->more : BK_APART,
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

/* A job that began anew, instead of failing, would overwrite the checkpoint minutes later. */
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

/* A checkpoint of other options holds other codes; one of a larger strategy needs memory that is
   not there.  The job begins anew, and one note says why. */
static void resume__of_what_was_made_otherwise_begins_anew(void **unused)
{
    static const struct {
        struct told made, now;
        const char *why;
    } row[] = {
        { { .fingerprint = 1 }, { .fingerprint = 2 }, "of another version, or for other rules" },
        { { .more = BK_GROUPS }, { .more = 0 }, "was made with more memory; not used" },
        { { .more = 0 }, { .more = BK_GROUPS }, NULL }, /* needs less memory: resumed */
    };
    const struct solved_options o = { .distances = true };
    char folder[PROOF_DIR_MAX], path[PROOF_DIR_MAX + 16];
    struct bk_report why = { "" };
    struct bk_variant *v;
    struct solved *s;
    int units;

    (void)unused;
    snprintf(path, sizeof path, "%s/checkpoint", proof_folder(folder));
    assert_int_equal(bk_variant_load(&v, "shatranj", &why), BK_OK);
    s = solved_new(v, &o);
    assert_true((units = open("/dev/null", O_WRONLY)) >= 0);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct told made = row[i].made, now = row[i].now;

        made.to = -1;
        now.to = units;
        assert_int_equal(solve(s, v, path, &made, &why), BK_E_SYSTEM);
        assert_int_equal(solve(s, v, path, &now, &why), BK_OK);
        assert_int_equal(now.notes, row[i].why != NULL);
        assert_true(!row[i].why || strstr(now.said, row[i].why));
        assert_true(row[i].why ? now.first == 1 : now.first > 3);
        unlink(path);
    }
    close(units);
    solved_free(s);
    bk_variant_free(v);
    assert_int_equal(rmdir(folder), 0);
}

/* == Tables == */

/* The solving of a table that ends every few plies and is resumed. */
struct walk {
    volatile int finish;
    unsigned told, every; /* calls of progress; calls after which it ends; 0: never */
    uint64_t positions;   /* solved so far */
    unsigned notes;
    char said[256]; /* the last note */
};

static void end_soon(void *context, const struct bk_progress *p)
{
    struct walk *w = context;

    w->finish = w->every && ++w->told % w->every == 0;
    assert_true(p->positions >= w->positions); /* earlier runs count */
    w->positions = p->positions;
}

static void count_walk(void *context, const char *text)
{
    struct walk *w = context;

    snprintf(w->said, sizeof w->said, "%s", text);
    w->notes++;
}

struct way {
    const char *material;
    bool distances;
    enum bk_strategy strategy;
    uint64_t sets_bytes; /* of a ledger's sets in memory; 0: all are */
    unsigned k_max, every;
    bool attains_nothing, zeroing;
};

static const struct way ways[] = {
    { "KRvKN", true, BK_APART, 0, 0, 3, false, false },
    { "KRvKN", true, BK_APART, 0, 5, 3, false, false },
    { "KRvKN", true, BK_COMPACT, 0, 0, 3, false, false },
    { "KRvKN", true, BK_COMPACT, 1, 0, 3, false, false },
    { "KRvKN", false, BK_APART, 0, 0, 3, false, false },
    { "KRvKN", false, BK_COMPACT, 0, 0, 3, false, false },
    { "KNvKP", true, BK_GROUPS, 0, 0, 40, false, false },
    { "KNvKP", true, BK_COMPACT, 1, 0, 40, false, false },
    { "KRvKN", true, BK_APART, 0, 0, 3, false, true },
    { "KRvKN", true, BK_COMPACT, 0, 0, 3, false, true },
    { "KRvKN", true, BK_COMPACT, 1, 0, 3, false, true },
    { "KNvKP", true, BK_WIDE, 0, 0, 20, false, true },
};

static enum bk_err solve_way(struct solved *s, const struct bk_variant *v, const struct way *way,
                             const struct bk_checkpoint *checkpoint, struct walk *w,
                             struct bk_memtable **out, struct bk_tally *tally,
                             struct bk_report *why)
{
    const struct bk_sink sink = { .context = w, .progress = end_soon, .note = count_walk };
    struct bk_solve_job job = { .kernel = bk_kernel_for(v->nsq),
                                .distances = way->distances,
                                .attain = !way->attains_nothing,
                                .strategy = way->strategy,
                                .k_max = way->k_max,
                                .sets_bytes = way->sets_bytes,
                                .sink = &sink,
                                .checkpoint = checkpoint,
                                .finish = &w->finish };
    struct bk_material m;
    enum bk_err err;

    assert_int_equal(bk_material_parse(&m, v, way->material, why), BK_OK);
    assert_int_equal(bk_memtable_new(&job.t, v, &m, why), BK_OK);
    if (way->zeroing)
        bk_memtable_count_to_zeroing(job.t);
    job.tables = (struct bk_exit_tables){ job.t, find, s };
    w->finish = 0;
    err = bk_solve_table(&job, tally, why);
    *out = job.t;
    if (err)
        bk_memtable_free(job.t);
    return err;
}

/* Solves a table at once or, with `checkpoint`, in as many runs as it takes; returns their number.
 */
static unsigned walk(struct solved *s, const struct bk_variant *v, const struct way *way,
                     const struct bk_checkpoint *checkpoint, struct bk_memtable **out,
                     struct bk_tally *tally)
{
    struct walk w = { .every = checkpoint ? way->every : 0 };
    struct bk_report why = { "" };
    enum bk_err err;
    unsigned n = 0;

    do {
        err = solve_way(s, v, way, checkpoint, &w, out, tally, &why);
        n++;
    } while (err && !w.notes && n < 500);
    if (err || w.notes)
        fail_msg("%s: %s", way->material, why.text);
    return n;
}

static void same_tallies(const struct bk_tally *x, const struct bk_tally *y)
{
    for (unsigned side = 0; side < 2; side++) {
        assert_int_equal(x->win[side], y->win[side]);
        assert_int_equal(x->draw[side], y->draw[side]);
        assert_int_equal(x->all_loss[side], y->all_loss[side]);
        assert_int_equal(x->cursed[side], y->cursed[side]);
        assert_int_equal(x->all_blessed[side], y->all_blessed[side]);
        assert_int_equal(x->longest_win[side].plies, y->longest_win[side].plies);
        assert_int_equal(x->longest_loss[side].number, y->longest_loss[side].number);
    }
}

/* In every way of solving, a checkpoint must hold all that the next plies need. */
static void resume__every_few_plies_makes_the_same_tables(void **unused)
{
    char folder[PROOF_DIR_MAX], path[PROOF_DIR_MAX + 16];
    struct bk_checkpoint checkpoint = { .path = path, .seconds = 1000, .fingerprint = 1 };
    struct solved *tables[3];
    struct bk_variant *v;
    uint64_t late = 0;

    (void)unused;
    snprintf(path, sizeof path, "%s/checkpoint", proof_folder(folder));
    assert_int_equal(bk_variant_load(&v, "tests/six.ini", NULL), BK_OK);
    for (unsigned i = 0; i < 3; i++)
        tables[i] = solved_new(v, &(struct solved_options){ .distances = i, .zeroing = i == 2 });
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct solved *s = tables[ways[i].distances + ways[i].zeroing];
        struct bk_memtable *whole, *parts;
        struct bk_tally all, sum;
        struct bk_material m;

        assert_int_equal(bk_material_parse(&m, v, ways[i].material, NULL), BK_OK);
        assert_non_null(solved_table(s, &m)); /* and all tables that it leads to */
        assert_int_equal(walk(s, v, &ways[i], NULL, &whole, &all), 1);
        assert_true(walk(s, v, &ways[i], &checkpoint, &parts, &sum) > 2);
        assert_int_equal(whole->code_bytes, ways[i].k_max ? 2 : ways[i].distances);
        assert_true(solved_same(whole, parts));
        same_tallies(&all, &sum);
        late += all.cursed[0];
        bk_memtable_free(whole);
        bk_memtable_free(parts);
        unlink(path);
    }
    assert_true(late);
    for (unsigned i = 0; i < 3; i++)
        solved_free(tables[i]);
    bk_variant_free(v);
    assert_int_equal(rmdir(folder), 0);
}

/* == Begun anew == */

struct tries {
    unsigned begun, plies; /* plies of the first */
};

static enum bk_err begin_try(void *context, struct bk_report *why)
{
    (void)why;
    ((struct tries *)context)->begun++;
    return BK_OK;
}

static void count_ply(void *context, const struct bk_progress *p)
{
    struct tries *t = context;

    (void)p;
    t->plies += t->begun == 1;
}

/* A rook takes its knight, and wins in more plies than codes of one byte may hold here: that is
   known before the first ply. */
static void solve__is_begun_anew_at_once_where_an_exit_is_too_far(void **unused)
{
    struct tries t = { 0 };
    const struct bk_sink sink = { .context = &t, .begin = begin_try, .progress = count_ply };
    struct bk_report why = { "" };
    struct bk_material m;
    struct bk_variant *v;
    struct bk_tally tally;
    struct solved *s;
    struct bk_solve_job job = {
        .distances = true, .strategy = BK_APART, .k_max = 5, .sink = &sink
    };

    (void)unused;
    assert_int_equal(bk_variant_load(&v, "tests/six.ini", &why), BK_OK);
    s = solved_new(v, &(struct solved_options){ .distances = true });
    assert_int_equal(bk_material_parse(&m, v, "KRNvKN", &why), BK_OK);
    assert_non_null(solved_table(s, &m));
    assert_int_equal(bk_memtable_new(&job.t, v, &m, &why), BK_OK);
    job.kernel = bk_kernel_for(v->nsq);
    job.tables = (struct bk_exit_tables){ job.t, find, s };
    assert_int_equal(bk_solve_table(&job, &tally, &why), BK_OK);
    assert_int_equal(job.t->code_bytes, 2);
    assert_int_equal(t.begun, 2);
    assert_int_equal(t.plies, 0);
    bk_memtable_free(job.t);
    solved_free(s);
    bk_variant_free(v);
}

/* Ply after ply, without a second beginning. */
static void never_back(void *context, const struct bk_progress *p)
{
    struct tries *t = context;

    assert_true(p->ply > t->plies);
    t->plies = p->ply;
}

/* A table of one block whose distances turn out to need two bytes goes on as it is. */
static void solve__widens_numbers_of_one_byte(void **unused)
{
    static const struct {
        const char *ini, *material;
        bool zeroing;
        unsigned k_max, plies;
    } row[] = {
        { "tests/six.ini", "KRvKN", false, 4, 20 },
        { "tests/six.ini", "KRvKN", true, 4, 20 },
        { "tests/long.ini", "KGAvKX", true, 0, 500 }, /* numbers up to 254, then larger */
    };

    (void)unused;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct solved_options o = { .distances = true, .zeroing = row[i].zeroing };
        struct tries t = { 0 };
        const struct bk_sink sink = { .context = &t, .begin = begin_try, .progress = never_back };
        struct bk_solve_job job = { .distances = true,
                                    .strategy = BK_APART,
                                    .attain = true,
                                    .k_max = row[i].k_max,
                                    .sink = &sink };
        const struct bk_memtable *other;
        struct bk_report why = { "" };
        struct bk_material m;
        struct bk_variant *v;
        struct bk_tally tally;
        struct solved *s;

        assert_int_equal(bk_variant_load(&v, row[i].ini, &why), BK_OK);
        v->nmove.plies = 1000;
        assert_int_equal(bk_variant_finish(v, &why), BK_OK);
        o.k_max = 2;
        s = solved_new(v, &o);
        assert_int_equal(bk_material_parse(&m, v, row[i].material, &why), BK_OK);
        other = solved_table(s, &m);
        assert_int_equal(bk_memtable_new(&job.t, v, &m, &why), BK_OK);
        if (row[i].zeroing)
            bk_memtable_count_to_zeroing(job.t);
        job.kernel = bk_kernel_for(v->nsq);
        job.tables = (struct bk_exit_tables){ job.t, find, s };
        if (bk_solve_table(&job, &tally, &why))
            fail_msg("%s", why.text);
        assert_int_equal(job.t->code_bytes, 2);
        assert_int_equal(t.begun, 2); /* the sink is told of the width */
        assert_true(t.plies > row[i].plies);
        assert_true(solved_same(job.t, other));
        bk_memtable_free(job.t);
        solved_free(s);
        bk_variant_free(v);
    }
}

/* What waits for an exit, and until when, is known to a checkpoint of a ledger: a king that takes
   one of three centaurs is lost in 600 plies and more, and all else in twelve. */
static void resume__of_a_ledger_knows_what_waits(void **unused)
{
    static const struct way ways_late[] = {
        { "KCCCvK", true, BK_APART, 0, 1, 0, false, false },
        { "KCCCvK", true, BK_COMPACT, 0, 1, 200, false, false },
        { "KCCCvK", true, BK_COMPACT, 1, 1, 200, false, false },
    };
    char folder[PROOF_DIR_MAX], path[PROOF_DIR_MAX + 16];
    struct bk_checkpoint checkpoint = { .path = path, .seconds = 1000, .fingerprint = 1 };
    struct bk_memtable *whole, *parts;
    struct bk_tally all, sum;
    struct bk_material late;
    struct bk_variant *v;
    struct solved *s;

    (void)unused;
    snprintf(path, sizeof path, "%s/checkpoint", proof_folder(folder));
    assert_int_equal(bk_variant_load(&v, "tests/late.ini", NULL), BK_OK);
    assert_int_equal(bk_material_parse(&late, v, "KCCvK", NULL), BK_OK);
    s = solved_new(v, &(struct solved_options){ .distances = true, .k_max = 1 });
    solved_delay(s, &late, 300);
    assert_int_equal(walk(s, v, &ways_late[0], NULL, &whole, &all), 1);
    assert_true(all.longest_loss[1].plies > 600);
    for (size_t i = 1; i < sizeof ways_late / sizeof *ways_late; i++) {
        struct walk soon = { .every = 5 };

        assert_int_equal(solve_way(s, v, &ways_late[i], &checkpoint, &soon, &parts, &sum, NULL),
                         BK_E_SYSTEM);
        assert_true(walk(s, v, &ways_late[i], &checkpoint, &parts, &sum) > 2);
        assert_true(solved_same(whole, parts));
        same_tallies(&all, &sum);
        bk_memtable_free(parts);
        unlink(path);
    }
    bk_memtable_free(whole);
    solved_free(s);
    bk_variant_free(v);
    assert_int_equal(rmdir(folder), 0);
}

/* Losses that an exit delays for more plies / 2 than a byte holds; the oracle is each position's
   own moves. */
static void resume__knows_of_delays_beyond_a_byte(void **unused)
{
    static const struct way ways_delayed[] = {
        { "KNPvK", true, BK_APART, 0, 1, 130, false, false },
        { "KNPvK", true, BK_WIDE, 0, 1, 130, false, false },
        { "KNPvK", true, BK_COMPACT, 0, 1, 130, false, false },
        { "KNPvK", true, BK_COMPACT, 1, 1, 130, false, false },
    };
    char folder[PROOF_DIR_MAX], path[PROOF_DIR_MAX + 16];
    struct bk_checkpoint checkpoint = { .path = path, .seconds = 1000, .fingerprint = 1 };
    struct bk_material won_later, lost_later;
    struct bk_memtable *parts;
    struct bk_tally sum;
    struct bk_variant *v;
    struct solved *s;

    (void)unused;
    snprintf(path, sizeof path, "%s/checkpoint", proof_folder(folder));
    assert_int_equal(bk_variant_load(&v, "tests/small-chess.ini", NULL), BK_OK);
    assert_int_equal(bk_material_parse(&won_later, v, "KQNvK", NULL), BK_OK);
    assert_int_equal(bk_material_parse(&lost_later, v, "KPvK", NULL), BK_OK);
    s = solved_new(v, &(struct solved_options){ .distances = true, .k_max = 1 });
    solved_delay(s, &won_later, 260);
    solved_delay(s, &lost_later, 300);
    for (size_t i = 0; i < sizeof ways_delayed / sizeof *ways_delayed; i++) {
        assert_true(walk(s, v, &ways_delayed[i], &checkpoint, &parts, &sum) > 2);
        assert_true(sum.longest_loss[1].plies > 600);
        assert_false(solved_contradicted(s, parts));
        bk_memtable_free(parts);
        unlink(path);
    }
    solved_free(s);
    bk_variant_free(v);
    assert_int_equal(rmdir(folder), 0);
}

/* == Forged == */

/* Offsets in a checkpoint of one process.  The blocks, of which none is solved, have a byte each;
   the rest follows them. */
enum {
    AT_CODE_BYTES = 16,
    AT_LEVEL = AT_CODE_BYTES + 1 + sizeof(enum bk_strategy),
    AT_TALLY = AT_LEVEL + 4,
    AT_BLOCKS = AT_TALLY + sizeof(struct bk_tally),
};
#define AT_WIN(what)                                                                               \
    (AT_TALLY + offsetof(struct bk_tally, longest_win) + offsetof(struct bk_longest, what))
#define AT_LOSS(what)                                                                              \
    (AT_TALLY + offsetof(struct bk_tally, longest_loss) + offsetof(struct bk_longest, what))

struct change {
    size_t at;
    uint32_t value;
    unsigned bytes;
};

static void forge(const char *path, const unsigned char *sound, size_t n, const struct change *c,
                  unsigned changes)
{
    unsigned char *bytes = malloc(n);
    uint64_t sum;
    FILE *f = fopen(path, "wb");

    assert_true(bytes && f);
    memcpy(bytes, sound, n - 8);
    for (unsigned i = 0; i < changes; i++)
        memcpy(bytes + c[i].at, &c[i].value, c[i].bytes); /* little-endian, as in the file */
    sum = XXH64(bytes, n - 8, 0);
    memcpy(bytes + n - 8, &sum, 8);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    fclose(f);
    free(bytes);
}

static const struct forged {
    const char *what, *says; /* says: a part of the note; NULL: the checkpoint is resumed */
    struct change change[2];
} forged[] = {
    { "nothing", NULL, { { 0 } } },
    { "codes of three bytes", "cannot be read", { { AT_CODE_BYTES, 3, 1 } } },
    { "codes of no bytes", "cannot be read", { { AT_CODE_BYTES, 0, 1 } } },
    { "a level behind the end", "cannot be read", { { AT_LEVEL, 2, 4 } } },
    { "the end, and nothing solved",
      "cannot be read",
      { { AT_LEVEL, 1, 4 }, { AT_BLOCKS + 13, 0, 1 } } },
    { "solved without values", "cannot be read", { { AT_LEVEL, 1, 4 }, { AT_BLOCKS, 1, 1 } } },
    { "encoded before it is solved", "cannot be read", { { AT_BLOCKS, 2, 1 } } },
    { "let go, but for what exits attain",
      "cannot be read",
      { { AT_LEVEL, 1, 4 }, { AT_BLOCKS, 1 | 2 | 8, 1 } } },
    { "a longest win", NULL, { { AT_WIN(plies), 3, 4 }, { AT_WIN(at), 0x01061f00, 4 } } },
    { "a king beyond the board",
      "cannot be read",
      { { AT_WIN(plies), 3, 4 }, { AT_WIN(at), 0x0106c800, 4 } } },
    { "a man beyond the board",
      "cannot be read",
      { { AT_WIN(plies), 3, 4 }, { AT_WIN(at), 0xc8061f00, 4 } } },
    { "kings that stand on one square",
      "cannot be read",
      { { AT_WIN(plies), 3, 4 }, { AT_WIN(at), 0x01061f1f, 4 } } },
    { "a win without end",
      "cannot be read",
      { { AT_WIN(plies), 1 << 20, 4 }, { AT_WIN(at), 0x01061f00, 4 } } },
    { "a loss beyond the board",
      "cannot be read",
      { { AT_LOSS(plies), 3, 4 }, { AT_LOSS(at), 0x0106c800, 4 } } },
    { "a part that is not there", "is missing", { { AT_BLOCKS + 17, 1, 4 } } },
    { "more parts than processes", "cannot be read", { { AT_BLOCKS + 17, 1 << 20, 4 } } },
    { "as many of solved blocks", "cannot be read", { { AT_BLOCKS + 21, 1 << 20, 4 } } },
};

/* A checkpoint with a right checksum and impossible contents is not used: solving begins anew. */
static void resume__of_what_cannot_be_begins_anew(void **unused)
{
    static const struct way way = { "KRvKN", true, BK_APART, 0, 0, 1, false, false };
    char folder[PROOF_DIR_MAX], path[PROOF_DIR_MAX + 16];
    struct bk_checkpoint checkpoint = { .path = path, .seconds = 1000, .fingerprint = 1 };
    struct walk first = { .every = 1 };
    struct bk_report why = { "" };
    struct bk_memtable *whole, *t;
    struct bk_tally all, tally;
    unsigned char *sound;
    struct bk_variant *v;
    struct solved *s;
    size_t n;

    (void)unused;
    snprintf(path, sizeof path, "%s/checkpoint", proof_folder(folder));
    assert_int_equal(bk_variant_load(&v, "tests/six.ini", &why), BK_OK);
    s = solved_new(v, &(struct solved_options){ .distances = true });
    assert_int_equal(walk(s, v, &way, NULL, &whole, &all), 1);
    assert_int_equal(whole->ix->nblocks, 1);
    assert_int_equal(solve_way(s, v, &way, &checkpoint, &first, &t, &tally, &why), BK_E_SYSTEM);
    sound = slurp(path, &n);
    for (size_t i = 0; i < sizeof forged / sizeof *forged; i++) {
        struct walk now = { 0 };

        forge(path, sound, n, forged[i].change, 2);
        if (solve_way(s, v, &way, &checkpoint, &now, &t, &tally, &why))
            fail_msg("%s: %s", forged[i].what, why.text);
        if (now.notes != (forged[i].says != NULL) ||
            (forged[i].says && !strstr(now.said, forged[i].says)))
            fail_msg("%s: '%s'", forged[i].what, now.said);
        assert_true(solved_same(whole, t));
        if (forged[i].says)
            same_tallies(&all, &tally);
        bk_memtable_free(t);
    }
    for (unsigned i = 0; i < 2; i++) { /* cut where the head ends, and in the last array */
        struct walk now = { 0 };

        forge(path, sound, i ? n - 5 : AT_BLOCKS + 37, NULL, 0);
        assert_int_equal(solve_way(s, v, &way, &checkpoint, &now, &t, &tally, &why), BK_E_CORRUPT);
    }
    free(sound);
    bk_memtable_free(whole);
    solved_free(s);
    bk_variant_free(v);
    unlink(path);
    assert_int_equal(rmdir(folder), 0);
}

/* A checkpoint that cannot be used was made with less memory than there is now: what begins anew
   uses all that there is, so that its own checkpoint is none for less memory again. */
static void resume__of_what_cannot_be_uses_the_memory_of_now(void **unused)
{
    static const struct way little = { "KNvKP", true, BK_COMPACT, 0, 0, 40, false, false };
    static const struct way much = { "KNvKP", true, BK_GROUPS, 0, 0, 3, false, false };
    char folder[PROOF_DIR_MAX], path[PROOF_DIR_MAX + 16];
    struct bk_checkpoint checkpoint = { .path = path, .seconds = 1000, .fingerprint = 1 };
    struct walk first = { .every = 40 }, second = { .every = 3 }, third = { .every = 0 };
    struct bk_report why = { "" };
    struct bk_memtable *whole, *t;
    struct bk_tally all, tally;
    struct bk_variant *v;
    struct solved *s;
    uint8_t *sound;
    size_t n;

    (void)unused;
    snprintf(path, sizeof path, "%s/checkpoint", proof_folder(folder));
    assert_int_equal(bk_variant_load(&v, "tests/six.ini", &why), BK_OK);
    s = solved_new(v, &(struct solved_options){ .distances = true });
    assert_int_equal(walk(s, v, &little, NULL, &whole, &all), 1);
    assert_int_equal(solve_way(s, v, &little, &checkpoint, &first, &t, &tally, &why), BK_E_SYSTEM);
    sound = slurp(path, &n);
    forge(path, sound, n, &(struct change){ AT_LEVEL, 1 << 20, 4 }, 1);
    assert_int_equal(solve_way(s, v, &much, &checkpoint, &second, &t, &tally, &why), BK_E_SYSTEM);
    assert_int_equal(second.notes, 1);
    assert_non_null(strstr(second.said, "cannot be read"));
    assert_int_equal(solve_way(s, v, &little, &checkpoint, &third, &t, &tally, &why), BK_OK);
    assert_int_equal(third.notes, 1);
    assert_non_null(strstr(third.said, "was made with more memory; not used"));
    assert_true(solved_same(whole, t));
    same_tallies(&all, &tally);
    free(sound);
    bk_memtable_free(whole);
    bk_memtable_free(t);
    solved_free(s);
    bk_variant_free(v);
    unlink(path);
    assert_int_equal(rmdir(folder), 0);
}

/* Offsets in an encoder's checkpoint, for the first unit of a table of one block. */
enum {
    AT_SOLVED = AT_CODE_BYTES,
    AT_SCRATCH = AT_SOLVED + 1,
    AT_DONE = AT_SCRATCH + 8,
    AT_UNIT = AT_DONE + 1,
    AT_MODEL_BYTES = AT_UNIT + 8,
    AT_SHARD_BYTES = AT_MODEL_BYTES + 8,
    AT_SHARDS = AT_SHARD_BYTES + 12,
};

static const struct {
    const char *what;
    struct change change;
} forged_unit[] = {
    { NULL, { 0 } },
    { "neither solved nor not", { AT_SOLVED, 2, 1 } },
    { "a unit of a block that is not solved", { AT_SOLVED, 0, 1 } },
    { "more shards than are in the file", { AT_SCRATCH, 1 << 30, 4 } },
    { "a unit that is not done of a block that is encoded", { AT_DONE, 0, 1 } },
    { "shards behind the end", { AT_UNIT, 1 << 20, 4 } },
    { "shards that end there", { AT_SHARD_BYTES, 1 << 20, 4 } },
    { "no model", { AT_MODEL_BYTES, 0, 4 } },
    { "a model without end", { AT_MODEL_BYTES, (1 << 26) + 1, 4 } },
    { "no shards", { AT_SHARDS, 0, 4 } },
    { "more shards than numbers", { AT_SHARDS, 1 << 20, 4 } },
};

static bool load_units(struct bk_memtable *t, const char *folder, struct bk_checkpoint *c)
{
    const struct bk_encode_options options = { .distances = true, .effort = BK_EFFORT_FAST };
    struct bk_report why = { "" };
    struct bk_encoder *e;
    struct bk_reader *r;
    bool good;

    assert_int_equal(bk_encoder_open(&e, t, folder, &options, NULL, &why), BK_OK);
    assert_int_equal(bk_reader_open(&r, c, &why), BK_OK);
    good = bk_encoder_load(e, r);
    bk_reader_close(r);
    bk_encoder_close(e);
    return good;
}

static void resume__of_units_that_cannot_be_is_refused(void **unused)
{
    const struct bk_encode_options options = { .distances = true, .effort = BK_EFFORT_FAST };
    const struct solved_options how = { .distances = true, .groups = BK_WIDE };
    char folder[PROOF_DIR_MAX], path[PROOF_DIR_MAX + 16];
    struct bk_checkpoint checkpoint = { .path = path, .seconds = 1000, .fingerprint = 1 };
    struct bk_report why = { "" };
    unsigned char *sound;
    struct bk_memtable *t;
    struct bk_material m;
    struct bk_encoder *e;
    struct bk_variant *v;
    struct bk_writer *w;
    struct solved *s;
    size_t n;

    (void)unused;
    snprintf(path, sizeof path, "%s/checkpoint", proof_folder(folder));
    assert_int_equal(bk_variant_load(&v, "puzzle-mini", &why), BK_OK);
    assert_int_equal(bk_material_parse(&m, v, "KRvKN", &why), BK_OK);
    s = solved_new(v, &how);
    t = (struct bk_memtable *)(uintptr_t)solved_table(s, &m);
    assert_int_equal(t->ix->nblocks, 1);
    t->block[0].solved = true;
    assert_int_equal(bk_encoder_open(&e, t, folder, &options, NULL, &why), BK_OK);
    assert_int_equal(bk_encoder_blocks(e, &(uint32_t){ 0 }, 1, &why), BK_OK);
    assert_int_equal(bk_writer_open(&w, &checkpoint, &why), BK_OK);
    bk_encoder_save(e, w);
    assert_int_equal(bk_writer_commit(w, &why), BK_OK);
    bk_encoder_close(e);
    sound = slurp(path, &n);
    for (size_t i = 0; i < sizeof forged_unit / sizeof *forged_unit; i++) {
        forge(path, sound, n, &forged_unit[i].change, 1);
        if (load_units(t, folder, &checkpoint) != !forged_unit[i].what)
            fail_msg("%s", forged_unit[i].what ? forged_unit[i].what : "a sound one is refused");
    }
    free(sound);
    solved_free(s);
    bk_variant_free(v);
    proof_remove(folder);
}

/* A checkpoint that lacks what exits attain is not used: of solved blocks it cannot be found. */
static void resume__of_blocks_without_what_exits_attain_begins_anew(void **unused)
{
    struct way way = { "KNvKP", true, BK_APART, 0, 0, 40, true, false };
    char folder[PROOF_DIR_MAX], path[PROOF_DIR_MAX + 16];
    struct bk_checkpoint checkpoint = { .path = path, .seconds = 1000, .fingerprint = 1 };
    struct walk first = { .every = 40 }, now = { 0 };
    struct bk_report why = { "" };
    struct bk_memtable *whole, *t;
    struct bk_tally tally;
    struct bk_variant *v;
    struct solved *s;

    (void)unused;
    snprintf(path, sizeof path, "%s/checkpoint", proof_folder(folder));
    assert_int_equal(bk_variant_load(&v, "tests/six.ini", &why), BK_OK);
    s = solved_new(v, &(struct solved_options){ .distances = true });
    assert_int_equal(solve_way(s, v, &way, &checkpoint, &first, &t, &tally, &why), BK_E_SYSTEM);
    way.attains_nothing = false;
    assert_int_equal(solve_way(s, v, &way, &checkpoint, &now, &t, &tally, &why), BK_OK);
    assert_int_equal(now.notes, 1);
    assert_int_equal(walk(s, v, &way, NULL, &whole, &tally), 1);
    assert_true(solved_same(whole, t));
    bk_memtable_free(whole);
    bk_memtable_free(t);
    solved_free(s);
    bk_variant_free(v);
    unlink(path);
    assert_int_equal(rmdir(folder), 0);
}

/* == Files == */

/* The context of a build; `ends`: it stops in the table KRvKN at ply 3. */
struct building {
    volatile int finish;
    bool ends;
    unsigned notes;
};

static void finish_building(void *context, const struct bk_plan_table *t,
                            const struct bk_progress *p)
{
    struct building *b = context;

    b->finish = b->ends && !strcmp(t->name, "KRvKN") && p->ply >= 3;
}

static void count_building(void *context, const char *text)
{
    (void)text;
    ((struct building *)context)->notes++;
}

static enum bk_err build(const char *dir, struct bk_build_options o, struct building *b)
{
    struct bk_report why = { "" };
    struct bk_variant *v;
    struct bk_material m;
    struct bk_plan *plan;
    enum bk_err err;

    assert_int_equal(bk_variant_load(&v, "tests/six.ini", &why), BK_OK);
    assert_int_equal(bk_material_parse(&m, v, "KRvKN", &why), BK_OK);
    assert_int_equal(bk_plan_new(&plan, v, dir, &m, 1, 0, true, &why), BK_OK);
    o.context = b;
    o.progress = finish_building;
    o.note = count_building;
    o.finish = &b->finish;
    o.checkpoint_seconds = 1000;
    err = bk_build(plan, &o, &why);
    bk_plan_free(plan);
    bk_variant_free(v);
    return err;
}

static void same_files(const char *one, const char *other)
{
    static const char *const names[] = { "KRvKN.bkw", "KRvKN.bkd" };

    for (unsigned i = 0; i < 2; i++) {
        char a[PROOF_DIR_MAX + 64], b[PROOF_DIR_MAX + 64];

        snprintf(a, sizeof a, "%s/six/%s", one, names[i]);
        snprintf(b, sizeof b, "%s/six/%s", other, names[i]);
        same_bytes(a, b);
    }
}

/* Effort and `standalone` decide what is encoded, and what exits attain: units made with different
   options must not share a file. */
static void resume__of_other_options_makes_the_files_that_are_asked_for(void **unused)
{
    static const struct {
        struct bk_build_options made, now;
        unsigned notes;
    } row[] = {
        { { .effort = BK_EFFORT_FAST }, { .effort = BK_EFFORT_BEST }, 1 },
        { { .standalone = false }, { .standalone = true }, 1 },
        { { .standalone = true }, { .standalone = true }, 0 },
    };

    (void)unused;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char whole[PROOF_DIR_MAX], killed[PROOF_DIR_MAX];
        struct building b = { .ends = true }, undisturbed = { 0 };

        assert_int_equal(build(proof_folder(killed), row[i].made, &b), BK_E_SYSTEM);
        b = (struct building){ 0 };
        assert_int_equal(build(killed, row[i].now, &b), BK_OK);
        assert_int_equal(b.notes, row[i].notes);
        assert_int_equal(build(proof_folder(whole), row[i].now, &undisturbed), BK_OK);
        same_files(killed, whole);
        proof_remove(killed);
        proof_remove(whole);
    }
}

/* Two posts share one square, so there are no positions: the units have no shards, and are done. */
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
        cmocka_unit_test(resume__of_what_was_made_otherwise_begins_anew),
        cmocka_unit_test(solve__widens_numbers_of_one_byte),
        cmocka_unit_test(solve__is_begun_anew_at_once_where_an_exit_is_too_far),
        cmocka_unit_test(resume__every_few_plies_makes_the_same_tables),
        cmocka_unit_test(resume__of_a_ledger_knows_what_waits),
        cmocka_unit_test(resume__knows_of_delays_beyond_a_byte),
        cmocka_unit_test(resume__of_what_cannot_be_begins_anew),
        cmocka_unit_test(resume__of_what_cannot_be_uses_the_memory_of_now),
        cmocka_unit_test(resume__of_units_that_cannot_be_is_refused),
        cmocka_unit_test(resume__of_blocks_without_what_exits_attain_begins_anew),
        cmocka_unit_test(resume__of_other_options_makes_the_files_that_are_asked_for),
        cmocka_unit_test(resume__goes_on_where_there_are_no_positions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
