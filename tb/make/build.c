/*
 * build.c - makes the tables of a plan that are not there yet.
 *
 * Tables already made stay in memory while later ones need them and the limit
 * allows; otherwise they are solved anew (resident.h).
 */
#include "tb/make/build.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#include "core/clock.h"
#include "table/write.h"
#include "tb/make/lock.h"
#include "tb/make/resident.h"
#include "tb/memory/ranks.h"
#include "tb/solve/resume.h"
#include "tb/solve/share.h"

/* Is the build to end, at once or soon? */
static bool is_to_end(const struct bk_build_options *o)
{
    return (o->stop && *o->stop) || (o->finish && *o->finish);
}

struct builder {
    struct bk_plan *p;
    const struct bk_build_options *o;
    struct bk_resident resident;
    const struct bk_owners *owners; /* of several processes; NULL: there is one */
    struct bk_owners as;            /* of as_ranks; owned */
    struct bk_spill *spill;         /* of the present table, if it works on disk */
    struct bk_ranks_traffic sent;   /* by this process, when the last table was told */
    const struct bk_lock *lock;     /* of the present table; NULL: another process has it */
    struct bk_left left;            /* what the first process found, before all tables */
    unsigned nth;
};

/* == The tables that one leads to == */

struct neighbours {
    const struct builder *b;
    const struct bk_plan_table *of;
    struct bk_memtable **by_rule; /* tables decided by rule, without a file */
    unsigned nby_rule;
};

static const struct bk_memtable *find_table(void *context, const struct bk_material *m)
{
    const struct neighbours *n = context;
    const struct bk_plan *p = n->b->p;

    for (unsigned i = 0; i < n->of->nnext; i++)
        if (bk_material_equal(&p->table[n->of->next[i]].m, m)) {
            const struct bk_kept *x = bk_resident_find(&n->b->resident, n->of->next[i]);

            return x ? x->t : NULL;
        }
    /* not in the plan: */
    for (unsigned i = 0; i < n->nby_rule; i++)
        if (bk_material_equal(&n->by_rule[i]->ix->m, m))
            return n->by_rule[i];
    return NULL;
}

static void forget_neighbours(struct neighbours *n)
{
    for (unsigned i = 0; i < n->nby_rule; i++)
        bk_memtable_free(n->by_rule[i]);
    free(n->by_rule);
}

/* Returns a table to be solved, or one decided by rule, in the plan's metric. */
static enum bk_err new_table(struct bk_memtable **out, const struct bk_plan *p,
                             const struct bk_material *m, struct bk_report *why)
{
    enum bk_err err = bk_memtable_new(out, p->v, m, why);

    if (!err && p->nmove)
        bk_memtable_count_to_zeroing(*out);
    return err;
}

/* Sets up `n`.  Tables that are decided by rule have no values, but an index. */
static enum bk_err find_neighbours(struct neighbours *n, const struct builder *b, unsigned of,
                                   struct bk_report *why)
{
    const struct bk_variant *v = b->p->v;
    struct bk_material *next = malloc(BK_NEXT_MAX * sizeof *next);
    unsigned all = next ? bk_material_next(&b->p->table[of].m, v, next, BK_NEXT_MAX) : 0;
    enum bk_err err = BK_OK;

    *n = (struct neighbours){ b, &b->p->table[of],
                              calloc(BK_NEXT_MAX, sizeof(struct bk_memtable *)), 0 };
    if (!next || !n->by_rule)
        err = bk_no_memory(why);
    for (unsigned i = 0; !err && i < all && i < BK_NEXT_MAX; i++) {
        bk_material_canonical(&next[i], v);
        if (bk_material_by_rule(&next[i], v) && !find_table(n, &next[i])) {
            err = new_table(&n->by_rule[n->nby_rule], b->p, &next[i], why);
            n->nby_rule += !err;
        }
    }
    free(next);
    return err;
}

/* Returns what processes keep of a table, in `out`; NULL: all of it. */
static const struct bk_reading *find_reading(struct bk_reading *out, const struct builder *b,
                                             uint32_t table, bool keep)
{
    return b->owners && bk_plan_reading(out, b->p, table, keep) ? out : NULL;
}

/* Returns the bytes of a held table; of several processes, those of the one that holds most. */
static uint64_t bytes_held(const struct builder *b, const struct bk_memtable *t,
                           const struct bk_reading *reading)
{
    const struct bk_some_ranks all = { bk_ranks(), 0, bk_ranks() };

    return (uint64_t)((double)bk_memtable_bytes(t) *
                      bk_share_kept(t->ix, b->owners, reading, b->p->distances, all));
}

/* Frees what no other table reads of a solved one.  Returns the bytes that stay. */
static uint64_t narrow(const struct builder *b, uint32_t table, struct bk_memtable *t,
                       const struct bk_reading *reading)
{
    if (!bk_ranks_several())
        bk_narrow(t, &b->p->table[table].part, b->o->pool);
    return bytes_held(b, t, reading);
}

/* Solves a table in memory, whose neighbours are held, without a file.  *out owned. */
static enum bk_err solve_alone(struct builder *b, uint32_t table, enum bk_strategy strategy,
                               const struct bk_sink *sink, struct bk_memtable **out,
                               uint64_t *bytes, struct bk_tally *tally, struct bk_report *why)
{
    struct bk_solve_job job = { .kernel = b->p->kernel,
                                .distances = b->p->distances,
                                .strategy = b->spill ? BK_COMPACT : strategy,
                                .k_max = b->o->k_max,
                                .sink = sink,
                                .meter = sink->progress ? b->o->meter : NULL,
                                .pool = b->o->pool,
                                .owners = b->owners,
                                .as = sink->news ? &b->as : NULL,
                                .stop = b->o->stop,
                                .finish = b->o->finish };
    struct neighbours n;
    struct bk_reading reading;
    enum bk_err err = find_neighbours(&n, b, table, why);

    job.reading = find_reading(&reading, b, table, true);
    if (!err)
        err = new_table(&job.t, b->p, &b->p->table[table].m, why);
    err = bk_ranks_agree(err, why);
    if (!err) {
        job.t->spill = b->spill;
        job.tables = (struct bk_exit_tables){ job.t, find_table, &n };
        err = bk_solve_table(&job, tally, why);
    }
    forget_neighbours(&n);
    if (err) {
        bk_memtable_free(job.t);
        return err;
    }
    *out = job.t;
    *bytes = narrow(b, table, job.t, job.reading);
    return BK_OK;
}

/* Solves a table whose files are there, for tables that move into it; what it leads to is held. */
static enum bk_err solve_anew(void *context, uint32_t table, struct bk_memtable **t,
                              uint64_t *bytes, struct bk_report *why)
{
    struct builder *b = context;
    static const struct bk_sink nobody;
    struct bk_tally tally;

    return solve_alone(b, table, b->p->table[table].anew_apart ? BK_APART : BK_GROUPS, &nobody, t,
                       bytes, &tally, why);
}

/* Begins to work on disk: nothing stays in memory between tables. */
static enum bk_err go_to_disk(struct builder *b, struct bk_report *why)
{
    const struct bk_plan_table *pt = &b->p->table[b->nth];

    bk_resident_clear(&b->resident);
    return bk_spill_open(&b->spill, b->o->scratch ? b->o->scratch : b->p->dir, b->o->memory_limit,
                         pt->spill_room, why);
}

static void leave_disk(struct builder *b)
{
    if (!b->spill)
        return;
    bk_resident_clear(&b->resident);
    bk_spill_close(b->spill);
    b->spill = NULL;
}

/* == One table == */

static void summarise(const struct bk_memtable *t, const struct bk_tally *y, bool distances,
                      struct bk_summary *s)
{
    unsigned choices = bk_index_choices(t->ix); /* a placement is counted as often */

    for (unsigned side = 0; side < 2; side++) {
        const struct bk_longest *w = &y->longest_win[side], *l = &y->longest_loss[side];

        s->win[side] = y->win[side];
        s->draw[side] = y->draw[side];
        s->loss[side] = y->loss[side];
        s->all_win[side] = y->all_win[side] / choices;
        s->all_draw[side] = y->all_draw[side] / choices;
        s->all_loss[side] = y->all_loss[side] / choices;
        s->cursed[side] = y->cursed[side];
        s->blessed[side] = y->blessed[side];
        s->all_cursed[side] = y->all_cursed[side] / choices;
        s->all_blessed[side] = y->all_blessed[side] / choices;
        s->win_plies[side] = distances ? w->plies : -1;
        s->loss_plies[side] = distances ? l->plies : -1;
        s->win_number[side] = s->win_plies[side] >= 0 ? bk_index_rank(t->ix, &w->at) : 0;
        s->loss_number[side] = s->loss_plies[side] >= 0 ? bk_index_rank(t->ix, &l->at) : 0;
    }
}

/* The table under way. */
struct making {
    struct builder *b;
    struct bk_memtable *t;
    struct neighbours neighbours;
    struct bk_encoder *encoder; /* of units whose blocks are solved */
    double cpu;                 /* spent on encoding */
    bool let_go;                /* its blocks do not stay */
    struct bk_reading reading;
    const struct bk_reading *wanted; /* what several processes keep of it: find_reading() */
    struct bk_built built;
};

static enum bk_err begin_encoding(void *context, struct bk_report *why)
{
    struct making *m = context;
    const struct bk_build_options *o = m->b->o;
    const struct bk_plan_table *t = &m->b->p->table[m->b->nth];
    const struct bk_encode_options options = {
        .distances = bk_plan_keeps_distances(m->b->p),
        .counts = m->b->p->nmove,
        .no_results = t->results_there,
        .standalone = o->standalone,
        .effort = o->effort,
        .memory_bytes = t->encode_bytes,
        .together_bytes = t->together_bytes,
        .room_bytes = t->room_bytes,
        .file_bytes = { bk_plan_file_bytes(m->b->p, t, BK_KIND_WDL),
                        bk_plan_file_bytes(m->b->p, t, BK_KIND_DTW) },
        .meter = o->meter
    };

    bk_encoder_close(m->encoder);
    m->encoder = NULL;
    return bk_encoder_open(&m->encoder, m->t, m->b->p->dir, &options, o->pool, why);
}

static enum bk_err encode_blocks(void *context, const uint32_t *block, uint32_t n,
                                 struct bk_report *why)
{
    struct making *m = context;
    double cpu = bk_clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
    enum bk_err err = bk_encoder_blocks(m->encoder, block, n, why);

    m->cpu += bk_clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    return err;
}

static void save_units(void *context, struct bk_writer *w)
{
    bk_encoder_save(((struct making *)context)->encoder, w);
}

static bool load_units(void *context, struct bk_reader *r)
{
    return bk_encoder_load(((struct making *)context)->encoder, r);
}

static uint64_t slice_readers(void *context, uint32_t block, uint32_t slice, unsigned side)
{
    return bk_encoder_readers(((struct making *)context)->encoder, block, slice, side);
}

static void pass_progress(void *context, const struct bk_progress *p)
{
    struct making *m = context;
    const struct builder *b = m->b;

    m->built.plies += p->ply > 0;
    if (b->o->progress)
        b->o->progress(b->o->context, &b->p->table[b->nth], p);
}

static void pass_note(void *context, const char *text)
{
    const struct bk_build_options *o = ((struct making *)context)->b->o;

    if (o->note)
        o->note(o->context, text);
}

static void pass_news(void *context, const struct bk_news *n)
{
    const struct bk_build_options *o = ((struct making *)context)->b->o;

    o->news(o->context, n);
}

/* DIR/VARIANT/.MATERIAL.ckpt: beside the table that it will be. */
static void checkpoint_path(const struct builder *b, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s/%s/.%s.ckpt", b->p->dir, b->p->v->name, b->p->table[b->nth].name);
}

/* Can a file of another user's be neither read nor, in a folder like /tmp, replaced? */
static bool is_barred(const char *path)
{
    char folder[PATH_MAX];
    struct stat st;

    if (!bk_file_is_others(path))
        return false;
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
    return access(path, R_OK) ||
           (!stat(folder, &st) && st.st_mode & S_ISVTX && st.st_uid != geteuid());
}

/* The same, for this user: .MATERIAL.UID.ckpt if another's is in the way, or was when an earlier
   build began.  In a folder where anybody may put files and nobody may replace them, another's
   checkpoint is not believed, either.  All processes take the first one's word. */
static void own_checkpoint_path(const struct builder *b, char path[PATH_MAX])
{
    char own[PATH_MAX];

    checkpoint_path(b, path);
    snprintf(own, sizeof own, "%s/%s/.%s.%lu.ckpt", b->p->dir, b->p->v->name,
             b->p->table[b->nth].name, (unsigned long)geteuid());
    if (is_barred(path) || !access(own, F_OK))
        memcpy(path, own, sizeof own);
}

/* Returns a hash of everything on which the state of a table, or the bytes of its units, depend. */
static uint64_t fingerprint(const struct builder *b)
{
    const struct bk_variant *v = b->p->v;
    const struct bk_plan_table *t = &b->p->table[b->nth];
    char text[256];

    snprintf(text, sizeof text, "%d %016llx %016llx %s %d %d %d %u %u %zu %u", BK_RESUME_VERSION,
             (unsigned long long)v->rules_id, (unsigned long long)(b->p->nmove ? v->nmove_id : 0),
             t->name, b->p->distances | b->p->five_alone << 1 | t->results_there << 2, b->o->effort,
             b->o->standalone, ZSTD_versionNumber(), BK_FORMAT_VERSION, b->p->kernel->set_bytes,
             b->p->kernel->lanes);
    return XXH64(text, strlen(text), 0);
}

/* Are all blocks in memory?  Some may have been let go before a checkpoint. */
static bool is_whole(const struct bk_memtable *t)
{
    for (uint32_t i = 0; i < t->ix->nblocks; i++)
        if (!t->block[i].code[0])
            return false;
    return true;
}

/* Sets `path` to the checkpoint of a table that is to be made, and tells if another's is left
   alone. */
static void choose_checkpoint(struct making *m, char path[PATH_MAX])
{
    char plain[PATH_MAX], text[PATH_MAX + 64];

    checkpoint_path(m->b, plain);
    own_checkpoint_path(m->b, path);
    bk_ranks_first_says(path, PATH_MAX);
    if (!bk_ranks_is_first() || !is_barred(plain))
        return;
    snprintf(text, sizeof text, "%s is another user's", plain);
    pass_note(m, text);
}

static enum bk_err solve(struct making *m, const char *checkpoint_file, struct bk_tally *tally,
                         struct bk_report *why)
{
    struct builder *b = m->b;
    const struct bk_sink sink = { .context = m,
                                  .begin = begin_encoding,
                                  .solved = encode_blocks,
                                  .save = save_units,
                                  .load = load_units,
                                  .readers = slice_readers,
                                  .progress = pass_progress,
                                  .note = pass_note };
    const struct bk_checkpoint checkpoint = { .path = checkpoint_file,
                                              .seconds = b->o->checkpoint_seconds,
                                              .fingerprint = fingerprint(b),
                                              .pool = b->o->pool,
                                              .spill = b->spill };
    const struct bk_solve_job job = { .t = m->t,
                                      .kernel = b->p->kernel,
                                      .tables = { m->t, find_table, &m->neighbours },
                                      .distances = b->p->distances,
                                      .attain = !b->o->standalone,
                                      .strategy = b->p->table[b->nth].strategy,
                                      .let_go = m->let_go,
                                      .k_max = b->o->k_max,
                                      .sets_bytes = b->o->frugal,
                                      .sink = &sink,
                                      .meter = b->o->meter,
                                      .checkpoint = &checkpoint,
                                      .pool = b->o->pool,
                                      .owners = b->owners,
                                      .reading = m->wanted,
                                      .stop = b->o->stop,
                                      .finish = b->o->finish };
    double cpu = bk_clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
    enum bk_err err = bk_solve_table(&job, tally, why);

    m->built.solve_cpu = bk_clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu - m->cpu;
    return err;
}

/* Writes the files of a solved table. */
static enum bk_err write_files(struct making *m, const struct bk_tally *tally,
                               struct bk_report *why)
{
    double cpu = bk_clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
    uint64_t bytes[2];
    enum bk_err err;

    summarise(m->t, tally, m->b->p->distances, &m->built.summary);
    err = bk_encoder_finish(m->encoder, &m->built.summary, bytes, why);
    m->built.encode_cpu = bk_clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu + m->cpu;
    m->built.wdl_bytes = bytes[0];
    m->built.dtw_bytes = bytes[1];
    return err;
}

/* Holds a table that is done for later ones if it may be, else frees it.  m->t is taken; bytes:
   those that stay, if the rest has been freed already, else 0. */
static enum bk_err keep_or_free(struct making *m, uint64_t bytes, struct bk_report *why)
{
    struct builder *b = m->b;
    uint64_t held = b->p->table[b->nth].held_bytes;

    bk_resident_done(&b->resident, b->nth);
    if (!m->let_go && (bytes || is_whole(m->t)) &&
        bk_resident_will_keep(&b->resident, b->nth, held)) {
        if (!bytes)
            bytes = narrow(b, b->nth, m->t, m->wanted);
        return bk_resident_add(&b->resident, b->nth, m->t, bytes, b->nth + 1, why);
    }
    bk_memtable_free(m->t);
    return BK_OK;
}

/* Returns what all processes have sent each other since the last call. */
static struct bk_ranks_traffic add_up_sent(struct builder *b)
{
    struct bk_ranks_traffic now = bk_ranks_sent(), sum = now;

    for (unsigned i = 0; i < BK_TRAFFICS; i++)
        sum.bytes[i] -= b->sent.bytes[i];
    b->sent = now;
    if (bk_ranks_several())
        bk_transport_sum(sum.bytes, BK_TRAFFICS);
    return sum;
}

/* Removes a checkpoint, and that of another user beside it: the table is made. */
static void remove_checkpoint(const struct builder *b, const char *path, bool parts)
{
    char plain[PATH_MAX];

    checkpoint_path(b, plain);
    bk_checkpoint_remove(path, parts);
    if (strcmp(path, plain) != 0 && !bk_lock_is_own(b->lock))
        bk_checkpoint_remove(plain, true);
}

/* Tells the meter of the table under way. */
static void begin_metering(const struct builder *b)
{
    const struct bk_plan_table *t = &b->p->table[b->nth];

    bk_meter_table(b->o->meter, b->nth,
                   (double)t->positions / (double)(t->positions + t->anew_positions));
}

static enum bk_err build_table(struct builder *b, struct bk_report *why)
{
    struct bk_plan_table *pt = &b->p->table[b->nth];
    struct making m = { .b = b, .built = { .table = pt } };
    double wall = bk_now_seconds();
    struct bk_tally tally;
    char path[PATH_MAX];
    enum bk_err err = bk_ranks_agree(new_table(&m.t, b->p, &pt->m, why), why);

    if (err)
        return err;
    m.t->spill = b->spill;
    choose_checkpoint(&m, path);
    begin_metering(b);
    err = bk_resident_gather(&b->resident, b->nth, b->nth, solve_anew, b, why);
    err = bk_ranks_agree(err, why);
    if (!err)
        err = bk_ranks_agree(find_neighbours(&m.neighbours, b, b->nth, why), why);
    m.let_go = b->spill || !bk_resident_will_keep(&b->resident, b->nth, pt->held_bytes);
    m.wanted = find_reading(&m.reading, b, b->nth, !m.let_go);
    if (!err)
        err = solve(&m, path, &tally, why);
    if (!err)
        err = write_files(&m, &tally, why);
    bk_encoder_close(m.encoder);
    bk_spill_trim(); /* the encoder's lists: solving the next table may need the memory */
    forget_neighbours(&m.neighbours);
    bk_resident_leave(&b->resident, b->nth);
    if (err) {
        bk_memtable_free(m.t);
        return err;
    }
    if (bk_ranks_is_first())
        remove_checkpoint(b, path, bk_left_has(&b->left, pt->name));
    pt->present = true;
    pt->disk_bytes = m.built.wdl_bytes + m.built.dtw_bytes;
    m.built.wall = bk_now_seconds() - wall;
    err = bk_ranks_agree(keep_or_free(&m, 0, why), why);
    bk_ranks_sends(BK_SENDS_WORDS);
    if (err)
        return err;
    m.built.sent = add_up_sent(b);
    m.built.memory_bytes = b->p->process_bytes + bk_arena().peak;
    if (b->o->built)
        b->o->built(b->o->context, &m.built);
    return err;
}

/* Solves and counts a table, without files. */
static enum bk_err count_table(struct builder *b, struct bk_report *why)
{
    struct bk_plan_table *pt = &b->p->table[b->nth];
    struct making m = { .b = b, .built = { .table = pt } };
    const struct bk_sink sink = { .context = &m,
                                  .progress = pass_progress,
                                  .note = pass_note,
                                  .news = b->o->as_ranks ? pass_news : NULL };
    double wall = bk_now_seconds(), cpu = bk_clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
    struct bk_tally tally;
    uint64_t bytes;
    enum bk_err err;

    begin_metering(b);
    err = bk_resident_gather(&b->resident, b->nth, b->nth, solve_anew, b, why);
    if (err)
        return err;
    m.let_go = b->spill;
    err = solve_alone(b, b->nth, pt->strategy, &sink, &m.t, &bytes, &tally, why);
    bk_resident_leave(&b->resident, b->nth);
    if (err)
        return err;
    pt->present = true; /* to those that move into it */
    summarise(m.t, &tally, b->p->distances, &m.built.summary);
    m.built.ix = m.t->ix;
    m.built.solve_cpu = bk_clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    m.built.wall = bk_now_seconds() - wall;
    if (b->o->built)
        b->o->built(b->o->context, &m.built);
    return keep_or_free(&m, bytes, why);
}

/* Makes a table in memory, or within the limit on disk. */
static enum bk_err build_within(struct builder *b, struct bk_report *why)
{
    const struct bk_plan_table *pt = &b->p->table[b->nth];
    uint64_t limit = b->o->memory_limit;
    uint64_t least = bk_plan_least(pt);
    enum bk_err err = BK_OK;

    if (limit && pt->memory_bytes > limit) {
        if (bk_ranks_several())
            return bk_fail(why, BK_E_SYSTEM,
                           "needs a memory limit of %llu MiB for each process, it is %llu MiB",
                           (unsigned long long)((pt->memory_bytes >> 20) + 1),
                           (unsigned long long)(limit >> 20));
        if (least > limit)
            return bk_fail(why, BK_E_SYSTEM, "needs a memory limit of %llu MiB, it is %llu MiB",
                           (unsigned long long)((least >> 20) + 1),
                           (unsigned long long)(limit >> 20));
        err = go_to_disk(b, why);
    }
    if (!err)
        err = b->o->counts_alone ? count_table(b, why) : build_table(b, why);
    if (err == BK_E_SYSTEM && !is_to_end(b->o))
        bk_spill_explain(b->spill, why);
    leave_disk(b);
    return err;
}

/* == What others left == */

/* Is a checkpoint younger than the table?  Then the table is being made anew (with distances, say),
   and the build that was stopped may be continued. */
static bool is_under_way(const struct builder *b, const char *checkpoint)
{
    char path[PATH_MAX];
    struct stat made, kept;

    bk_table_path(path, b->p->dir, b->p->v, &b->p->table[b->nth].m,
                  bk_plan_kind(b->p, b->p->table[b->nth].results_there));
    return !stat(path, &made) && !stat(checkpoint, &kept) &&
           (kept.st_mtim.tv_sec > made.st_mtim.tv_sec ||
            (kept.st_mtim.tv_sec == made.st_mtim.tv_sec &&
             kept.st_mtim.tv_nsec > made.st_mtim.tv_nsec));
}

/* Removes unfinished files that no process is at work on. */
static void remove_parts(const struct builder *b)
{
    char path[PATH_MAX];

    for (int kind = BK_KIND_WDL; kind < BK_KINDS; kind++)
        bk_file_withdraw(
            bk_table_path(path, b->p->dir, b->p->v, &b->p->table[b->nth].m, (enum bk_kind)kind));
}

/* Removes distances of a table that has none any longer: those of one that was damaged. */
static void remove_distances(const struct builder *b)
{
    char path[PATH_MAX];

    unlink(
        bk_table_path(path, b->p->dir, b->p->v, &b->p->table[b->nth].m, bk_plan_kind(b->p, true)));
}

/* Are a table's files there by now, as the first process sees it? */
static bool is_there(const struct bk_plan *p, struct bk_plan_table *t)
{
    bool there = bk_ranks_is_first() && bk_plan_look(p, t);

    bk_ranks_first_says(&there, sizeof there);
    t->present = there;
    return there;
}

/* Makes a table, unless another process makes it, or has made it since the plan: lock.h. */
static enum bk_err build_locked(struct builder *b, struct bk_report *why)
{
    struct bk_plan_table *t = &b->p->table[b->nth];
    const struct bk_lock_wish wish = { .dir = b->p->dir,
                                       .variant = b->p->v->name,
                                       .material = t->name,
                                       .stop = b->o->finish ? b->o->finish : b->o->stop,
                                       .context = b->o->context,
                                       .note = b->o->wait };
    struct bk_lock *lock = NULL;
    bool waited;
    enum bk_err err = BK_OK;

    if (b->o->counts_alone)
        return build_within(b, why);
    if (bk_ranks_is_first())
        err = bk_lock_take(&lock, &wish, &waited, why);
    err = bk_ranks_agree(err, why);
    if (err)
        return err;
    b->lock = lock;
    if (!is_there(b->p, t)) {
        err = build_within(b, why);
        if (!err && bk_ranks_is_first() && !bk_plan_keeps_distances(b->p))
            remove_distances(b);
        if (!err && bk_ranks_is_first() && !bk_lock_is_own(lock))
            remove_parts(b);
    }
    b->lock = NULL;
    bk_lock_free(lock);
    return err;
}

/* Removes what a killed builder left beside a table that is there.  If the table is locked, another
   process works with them, and they stay; a dead lock's file goes with whoever takes it next. */
static void sweep(const struct builder *b)
{
    static const volatile int at_once = 1;
    const struct bk_plan_table *t = &b->p->table[b->nth];
    const struct bk_lock_wish wish = {
        .dir = b->p->dir, .variant = b->p->v->name, .material = t->name, .stop = &at_once
    };
    struct bk_lock *lock;
    char path[PATH_MAX];
    bool waited;

    if (b->p->anew || !bk_left_has(&b->left, t->name) || bk_lock_take(&lock, &wish, &waited, NULL))
        return;
    remove_parts(b);
    own_checkpoint_path(b, path);
    if (!is_under_way(b, path))
        remove_checkpoint(b, path, true);
    bk_lock_free(lock);
}

/* == Several processes == */

/* Returns a hash of all that the bytes which processes exchange, and those of files, depend on. */
static uint64_t fingerprint_of_rank(const struct bk_plan *p, const struct bk_build_options *o)
{
    char text[256];
    uint64_t sum;

    snprintf(text, sizeof text, "%d %016llx %016llx %u %u %u %zu %u %d %d %d", BK_RESUME_VERSION,
             (unsigned long long)p->v->rules_id,
             (unsigned long long)(p->nmove ? p->v->nmove_id : 0), p->n, ZSTD_versionNumber(),
             BK_FORMAT_VERSION, p->kernel->set_bytes, p->kernel->lanes,
             p->distances | p->five_alone << 1, o->effort, o->standalone);
    sum = XXH64(text, strlen(text), 0);
    for (unsigned i = 0; i < p->n; i++)
        sum = XXH64(p->table[i].name, strlen(p->table[i].name), sum);
    return sum;
}

/* Takes over from the first process what depends on disks and memory. */
static enum bk_err agree_on_plan(struct builder *b, struct bk_report *why)
{
    struct bk_plan *p = b->p;
    enum bk_err err =
        bk_ranks_same(fingerprint_of_rank(p, b->o), "what this process would make", why);

    if (!err && !b->o->counts_alone)
        err = bk_mark_seen(p->dir, why);
    for (unsigned i = 0; !err && i < p->n; i++) {
        struct bk_plan_table first = p->table[i];

        bk_ranks_first_says(&first, sizeof first);
        first.next = p->table[i].next;
        p->table[i] = first;
    }
    bk_ranks_first_says(&b->resident.limit, sizeof b->resident.limit);
    return err;
}

/* == The whole == */

/* For tests: as if memory were short. */
static void make_do_with_less(struct builder *b)
{
    const struct bk_build_options *o = b->o;
    struct bk_plan *p = b->p;

    if (o->frugal) {
        b->resident.limit = b->resident.spare = 0;
        for (unsigned i = 0; i < p->n; i++)
            p->table[i].strategy = BK_COMPACT;
    }
    for (unsigned i = 0; o->largest && i < p->n; i++)
        if (p->table[i].strategy > o->largest)
            p->table[i].strategy = o->largest;
}

/* Plans how each table will be made, in how much memory; all processes have the same plan then. */
static enum bk_err plan_tables(struct builder *b, struct bk_report *why)
{
    const struct bk_build_options *o = b->o;
    struct bk_plan *p = b->p;
    enum bk_err err;

    p->stop = o->stop;
    bk_plan_encode(p, o->effort, o->standalone);
    p->processes = bk_ranks();
    err = bk_plan_owners(&b->owners, p, why);
    if (!err && o->as_ranks)
        err = bk_owners_new(&b->as, p->v, o->as_ranks, why);
    if (!err)
        err = bk_plan_memory(p, bk_pool_threads(o->pool), o->memory_limit, why);
    if (!bk_resident_init(&b->resident, p, o->memory_limit) && !err)
        err = bk_no_memory(why);
    b->resident.pool = o->pool;
    b->resident.packs_all = o->packs;
    err = bk_ranks_agree(err, why);
    make_do_with_less(b);
    if (!err && bk_ranks_several())
        err = agree_on_plan(b, why);
    p->foretold = 0; /* tests and the first process may have changed it */
    return err;
}

/* Makes the nth table, unless it is there. */
static enum bk_err build_nth(struct builder *b, struct bk_report *why)
{
    const struct bk_plan_table *t = &b->p->table[b->nth];
    struct bk_report inner = { "" };
    enum bk_err err = BK_OK;

    if (t->present) {
        sweep(b);
        return BK_OK;
    }
    bk_arena_again();
    if (is_to_end(b->o))
        err = bk_fail(why, BK_E_SYSTEM, "interrupted before %s", t->name);
    err = bk_ranks_agree(err, why);
    if (err)
        return err;
    err = build_locked(b, &inner);
    return err ? bk_fail(why, err, "%s: %s", t->name, inner.text) : BK_OK;
}

enum bk_err bk_build(struct bk_plan *p, const struct bk_build_options *o, struct bk_report *why)
{
    struct builder b = { .p = p, .o = o };
    enum bk_err err = plan_tables(&b, why);

    bk_pool_stop_when(o->pool, o->stop);
    if (!err && bk_ranks_is_first() && !o->counts_alone) {
        bk_mark_sweep(p->dir);
        bk_left_read(&b.left, p->dir, p->v->name);
    }
    if (o->memory_limit) /* all of it is for what is in use */
        bk_stock_bar();
    bk_stock_estimate(bk_plan_peak(p));
    if (!err && o->planned)
        o->planned(o->context, p);
    for (b.nth = 0; !err && b.nth < p->n; b.nth++)
        err = build_nth(&b, why);
    bk_pool_stop_when(o->pool, NULL);
    bk_resident_release(&b.resident);
    bk_left_free(&b.left);
    bk_owners_free(&b.as);
    if (o->memory_limit)
        bk_stock_unbar();
    bk_stock_estimate(0);
    bk_stock_drop();
    return err;
}
