/*
 * cmd_build.c - making tables: plan, build, repack.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/bar.h"
#include "cli/jobs.h"
#include "cli/machine.h"
#include "cli/plans.h"
#include "cli/report.h"
#include "core/clock.h"
#include "core/rules.h"
#include "tb/make/build.h"
#include "tb/masks.h"
#include "tb/memory/cpu.h"
#include "tb/memory/ranks.h"

/* == plan == */

struct totals {
    unsigned missing;
    uint64_t positions, anew, memory, disk; /* sums over missing tables; memory: the largest */
    double work[BK_WORKS], seconds;
};

static struct totals add_up(const struct bk_plan *p)
{
    struct totals sum = { .memory = bk_plan_peak(p) };

    for (unsigned i = 0; i < p->n; i++) {
        const struct bk_plan_table *t = &p->table[i];

        if (t->present)
            continue;
        sum.missing++;
        sum.positions += t->positions;
        sum.anew += t->anew_positions;
        sum.disk += t->disk_bytes;
        for (unsigned w = 0; w < BK_WORKS; w++)
            sum.work[w] += t->work[w];
    }
    return sum;
}

#define TRY_FROM 5 /* seconds of foretold work: the pace of less is not worth a trial */

/* Sets what each table of the plan takes on this machine, and all: of several processes, whose
   machines are not this one, as foretold.  tries: a trial may find out the pace. */
static void find_seconds(struct bk_plan *p, const struct cli *c, bool tries, struct totals *sum)
{
    unsigned threads = c->threads ? c->threads : bk_cores();
    double per[BK_WORKS];

    if (tries && p->processes <= 1 && sum->work[BK_SOLVING] + sum->work[BK_ENCODING] >= TRY_FROM)
        cli_pace_measured(per, c, threads);
    else
        cli_pace_of(per, c, threads);
    for (unsigned i = 0; i < p->n; i++) {
        struct bk_plan_table *t = &p->table[i];

        if (t->present)
            continue;
        if (p->processes <= 1)
            t->seconds =
                t->work[BK_SOLVING] * per[BK_SOLVING] + t->work[BK_ENCODING] * per[BK_ENCODING];
        sum->seconds += t->seconds;
    }
}

/* Returns the bytes sent of all kinds. */
static uint64_t sum_of(const uint64_t bytes[BK_TRAFFICS])
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < BK_TRAFFICS; i++)
        sum += bytes[i];
    return sum;
}

static json_t *sent_json(const uint64_t bytes[BK_TRAFFICS])
{
    return json_pack("{sI sI sI sI sI}", "news", (json_int_t)bytes[BK_SENDS_NEWS], "values",
                     (json_int_t)bytes[BK_SENDS_VALUES], "rows", (json_int_t)bytes[BK_SENDS_ROWS],
                     "shards", (json_int_t)bytes[BK_SENDS_SHARDS], "all",
                     (json_int_t)sum_of(bytes));
}

static json_t *plan_json(const struct bk_plan *p, const struct totals *sum, const char *refused)
{
    json_t *tables = json_array();

    for (unsigned i = 0; i < p->n; i++) {
        const struct bk_plan_table *t = &p->table[i];

        json_t *table =
            json_pack("{ss sI sI sI sI sI sI sI sb}", "material", t->name, "positions",
                      (json_int_t)t->positions, "anew_positions", (json_int_t)t->anew_positions,
                      "memory_bytes", (json_int_t)t->memory_bytes, "solving_bytes",
                      (json_int_t)t->solving_bytes, "disk_bytes", (json_int_t)t->disk_bytes,
                      p->nmove ? "guess_wdl5_bytes" : "guess_wdl_bytes",
                      (json_int_t)t->guess_bytes[BK_KIND_WDL],
                      p->nmove ? "guess_dtz_bytes" : "guess_dtw_bytes",
                      (json_int_t)t->guess_bytes[BK_KIND_DTW], "present", (int)t->present);

        if (table && p->processes > 1 && !t->present)
            json_object_set_new(table, "sent_bytes", sent_json(t->sent_bytes));
        if (table && !t->present)
            json_object_set_new(table, "seconds", json_real(t->seconds));
        json_array_append_new(tables, table);
    }
    return json_pack("{ss so ss? so s{si si sI sI sI sI sf}}", "variant", p->v->name, "dir",
                     ex_json_string(p->dir), "refused", refused, "tables", tables, "total",
                     "tables", (int)p->n, "missing", (int)sum->missing, "positions",
                     (json_int_t)sum->positions, "anew_positions", (json_int_t)sum->anew,
                     "memory_bytes", (json_int_t)sum->memory, "disk_bytes", (json_int_t)sum->disk,
                     "seconds", sum->seconds);
}

/* Prints how long a table takes, and what several processes send each other for it. */
static void print_time(const struct bk_plan *p, const struct bk_plan_table *t)
{
    char bytes[CLI_TEXT_MAX], time[CLI_TEXT_MAX];

    if (t->present)
        return;
    if (p->processes > 1)
        printf(" %10s", cli_bytes(bytes, sum_of(t->sent_bytes)));
    printf(" %10s", cli_seconds(time, t->seconds));
}

static void print_plan(const struct bk_plan *p, const struct totals *sum)
{
    char positions[CLI_TEXT_MAX], memory[CLI_TEXT_MAX], disk[CLI_TEXT_MAX], time[CLI_TEXT_MAX];
    char dir[CLI_SHOWN_MAX];

    printf("%-16s %16s %10s %10s", "table", "positions", "memory", "disk");
    if (p->processes > 1)
        printf(" %10s", "sent");
    printf(" %10s\n", "time");
    for (unsigned i = 0; i < p->n; i++) {
        const struct bk_plan_table *t = &p->table[i];

        printf("%-16s %16s %10s %10s", t->name, cli_count(positions, t->positions),
               t->present ? "" : cli_bytes(memory, t->memory_bytes),
               cli_bytes(disk, t->disk_bytes));
        print_time(p, t);
        printf("%s\n", t->present ? "  there" : "");
    }
    printf("%u table%s of %s in %s, %u to build: %s positions", p->n, p->n == 1 ? "" : "s",
           p->v->name, cli_shown(dir, p->dir), sum->missing, cli_count(positions, sum->positions));
    if (sum->anew)
        printf(" (and %s solved anew)", cli_count(positions, sum->anew));
    printf(", %s of memory, about %s of disk and %s of time\n", cli_bytes(memory, sum->memory),
           cli_bytes(disk, sum->disk), cli_seconds(time, sum->seconds));
}

/* Answers a plan as it is asked for.  then: the plan that is carried out after it, or NULL.
   refused: why `build` would refuse it; "": it would not. */
static int answer_plan(const struct cli *c, struct bk_plan *p, struct bk_plan *then,
                       const char *refused)
{
    struct totals sum = add_up(p);

    if (c->slurm)
        return cli_jobs_slurm(c, p);
    if (c->make)
        return cli_jobs_make(c, p);
    find_seconds(p, c, !*refused, &sum);
    if (cli_stop)
        return cli_fail(CLI_SYSTEM, "interrupted");
    if (c->json) {
        json_t *answer = plan_json(p, &sum, *refused ? refused : NULL);

        if (then) {
            struct totals more = add_up(then);

            find_seconds(then, c, false, &more);
            json_object_set_new(answer, "dtw", plan_json(then, &more, NULL));
        }
        return cli_print_json(answer);
    }
    print_plan(p, &sum);
    if (then) {
        sum = add_up(then);
        find_seconds(then, c, false, &sum);
        printf("then distances to the end:\n");
        print_plan(then, &sum);
    }
    return CLI_OK;
}

/* Tells what `whole` would take for the FEN of --for. */
static int plan_whole(const struct cli *c, const struct bk_variant *v)
{
    struct bk_masks_options o = { .results_alone = false };
    char text[2][CLI_TEXT_MAX];
    struct bk_report why = { "" };
    uint64_t all = 0, results = 0;
    struct bk_pos p;
    int status = cli_position(v, c->terrain, &p);
    enum bk_err err;

    if (status)
        return status;
    err = bk_masks_estimate(&all, v, &p, &o, &why);
    o.results_alone = true;
    if (!err)
        err = bk_masks_estimate(&results, v, &p, &o, &why);
    if (err)
        return cli_fail_report(err, &why);
    if (c->json)
        return cli_print_json(json_pack("{ss sI sI}", "variant", v->name, "whole_bytes",
                                        (json_int_t)all, "whole_wdl_bytes", (json_int_t)results));
    printf("its land changes, so it has no table; `bareking whole` takes %s of memory, %s with "
           "--wdl\n",
           cli_bytes(text[0], all), cli_bytes(text[1], results));
    return CLI_OK;
}

/* Is a game planned whose land changes?  Then *status is what became of it. */
static bool plans_land(const struct cli *c, int *status)
{
    struct bk_variant *v;
    bool lives;

    if (!c->terrain || c->nargs > 1)
        return false;
    if ((*status = cli_variant(c, &v)) != CLI_OK)
        return true;
    lives = bk_rules_land_lives(v);
    if (lives)
        *status = plan_whole(c, v);
    bk_variant_free(v);
    return lives;
}

int cmd_plan(struct cli *c)
{
    struct bk_variant *v;
    struct bk_plan *p, *then = NULL;
    struct bk_report why = { "" };
    int refused = CLI_OK, status;

    if (plans_land(c, &status))
        return status;
    status = c->json + c->make + (c->slurm != NULL) > 1
                 ? cli_fail(CLI_USAGE, "plan: one of --json, --make and --slurm, not several")
                 : cli_plan_read(c, &v, &p);

    if (status)
        return status;
    status = cli_plan_dtw(c, v, &then);
    if (!status)
        refused = cli_plan_refused(c, v, p, &why);
    if (!status && !refused && then)
        refused = cli_plan_refused(c, v, then, &why);
    /* if that could not be found out the error has been said */
    if (!status)
        status = refused && !*why.text ? refused : answer_plan(c, p, then, why.text);
    if (refused && !status && !c->json) /* a Makefile, or a job, may be for another machine */
        fprintf(c->slurm || c->make ? stderr : stdout, "`build` would refuse: %s\n", why.text);
    bk_plan_free(p);
    bk_plan_free(then);
    bk_variant_free(v);
    return status;
}

/* == build: what is told meanwhile == */

struct watch {
    const struct cli *c;
    struct bk_plan *p;
    struct cli_bar bar;
    uint64_t bytes; /* bytes of the files written */
    struct bk_ranks_traffic sent;
    unsigned other_form; /* tables that are there and do not answer alone, as was asked for */
    unsigned alone;      /* tables that answered alone, and are made anew without that */
    json_t *list;
};

static void tell_planned(void *context, const struct bk_plan *p)
{
    cli_bar_planned(&((struct watch *)context)->bar, p, false);
}

/* The longer of what the two sides to move have; -1: neither has any. */
static int64_t longer(const int64_t plies[2]) { return plies[plies[1] > plies[0]]; }

static json_t *longest_json(const int64_t plies[2])
{
    return longer(plies) < 0 ? json_null() : json_integer((json_int_t)longer(plies));
}

static void list_table(struct watch *w, const struct bk_built *b)
{
    const struct bk_summary *s = &b->summary;
    json_t *table = json_pack(
        "{ss sI so so sI sI sI sf sf sf}", "material", b->table->name, "positions",
        (json_int_t)b->table->positions, "longest_win_plies", longest_json(s->win_plies),
        "longest_loss_plies", longest_json(s->loss_plies), w->p->nmove ? "wdl5_bytes" : "wdl_bytes",
        (json_int_t)b->wdl_bytes, w->p->nmove ? "dtz_bytes" : "dtw_bytes", (json_int_t)b->dtw_bytes,
        "memory_bytes", (json_int_t)b->memory_bytes, "solve_cpu", b->solve_cpu, "encode_cpu",
        b->encode_cpu, "wall", b->wall);

    if (table && bk_ranks_several()) {
        json_object_set_new(table, "sent_bytes", sent_json(b->sent.bytes));
        json_object_set_new(table, "plies", json_integer(b->plies));
    }
    json_array_append_new(w->list, table);
}

/* Writes "  longest win 63 plies", or, if the loser holds out longer, "  longest loss 38 plies". */
static char *longest_text(char out[CLI_TEXT_MAX], const struct bk_summary *s)
{
    int64_t win = longer(s->win_plies), loss = longer(s->loss_plies);
    int64_t plies = loss > win ? loss : win;

    *out = 0;
    if (plies >= 0)
        snprintf(out, CLI_TEXT_MAX, "  longest %s %lld %s", loss > win ? "loss" : "win",
                 (long long)plies, plies == 1 ? "ply" : "plies");
    return out;
}

static void tell_built(void *context, const struct bk_built *b)
{
    struct watch *w = context;
    char positions[CLI_TEXT_MAX], bytes[CLI_TEXT_MAX], longest[CLI_TEXT_MAX];

    w->bytes += b->wdl_bytes + b->dtw_bytes;
    for (unsigned i = 0; i < BK_TRAFFICS; i++)
        w->sent.bytes[i] += b->sent.bytes[i];
    cli_bar_made(&w->bar);
    if (w->list)
        list_table(w, b);
    if (w->c->quiet || w->c->json)
        return;
    cli_bar_hold(&w->bar);
    printf("%-12s %u/%u  %s positions  %.1f s  %s%s\n", b->table->name, w->bar.made, w->bar.missing,
           cli_count(positions, b->table->positions), b->wall,
           cli_bytes(bytes, b->wdl_bytes + b->dtw_bytes), longest_text(longest, &b->summary));
    fflush(stdout);
    cli_bar_go(&w->bar);
}

static void print_sent(const struct bk_ranks_traffic *t)
{
    char all[CLI_TEXT_MAX], news[CLI_TEXT_MAX], values[CLI_TEXT_MAX], rows[CLI_TEXT_MAX],
        shards[CLI_TEXT_MAX];

    if (bk_ranks_several())
        printf(
            "%u processes have sent each other %s: %s of news, %s of values, %s to learn from, "
            "%s of files\n",
            bk_ranks(), cli_bytes(all, sum_of(t->bytes)), cli_bytes(news, t->bytes[BK_SENDS_NEWS]),
            cli_bytes(values, t->bytes[BK_SENDS_VALUES]), cli_bytes(rows, t->bytes[BK_SENDS_ROWS]),
            cli_bytes(shards, t->bytes[BK_SENDS_SHARDS]));
}

/* Tells of tables that were there and do not answer alone, as was asked for: they stay.  Also of
   those that did, and were made anew without that: with distances, or because they were damaged. */
static void tell_other_form(const struct watch *w)
{
    unsigned n = w->other_form, alone = w->alone;

    if (!bk_ranks_is_first())
        return;
    if (n)
        fprintf(
            stderr,
            "bareking: %u table%s there already do%s not answer alone: remove them to have them "
            "made so\n",
            n, n == 1 ? "" : "s", n == 1 ? "es" : "");
    if (alone)
        fprintf(
            stderr,
            "bareking: %u table%s answered alone, and made anew do%s not: remove them and build "
            "them with --standalone to have them so again\n",
            alone, alone == 1 ? "" : "s", alone == 1 ? "es" : "");
}

/* tables: of all plans. */
static int finish_build(const struct watch *w, unsigned tables)
{
    unsigned built = w->bar.made, there = tables - built; /* other builders may have made some */
    char time[CLI_TEXT_MAX];

    if (w->c->json) {
        json_t *answer =
            json_pack("{ss so sO si}", "variant", w->p->v->name, "dir", ex_json_string(w->p->dir),
                      "built", w->list, "already_there", (int)there);

        if (answer && bk_ranks_several())
            json_object_set_new(answer, "sent_bytes",
                                json_integer((json_int_t)sum_of(w->sent.bytes)));
        return cli_print_json(answer);
    }
    if (w->c->quiet)
        return CLI_OK;
    tell_other_form(w);
    if (!tables)
        printf("nothing to build: decided by rule\n");
    else if (!w->bar.missing)
        printf("nothing to build: %u table%s there already\n", there, there == 1 ? "" : "s");
    else
        printf("built %u table%s in %s (%u there already)\n", built, built == 1 ? "" : "s",
               cli_seconds(time, bk_now_seconds() - w->bar.start), there);
    print_sent(&w->sent);
    return CLI_OK;
}

/* == build == */

/* Writes a note to stderr, past a bar. */
static void tell_note(void *context, const char *text)
{
    struct watch *w = context;

    cli_bar_hold(&w->bar);
    cli_note("%s; going on without it", text);
    cli_bar_go(&w->bar);
}

/* Writes to stderr that a table that is there is damaged. */
static void tell_damaged(void *context, const char *text)
{
    if (!((const struct watch *)context)->c->quiet)
        cli_note("%s; making it again", text);
}

/* Writes to stderr, past a bar, that another builder has a table. */
static void tell_wait(void *context, const char *text)
{
    struct watch *w = context;

    cli_bar_hold(&w->bar);
    if (!w->c->quiet)
        cli_note("%s", text);
    cli_bar_go(&w->bar);
}

/* Returns the seconds between checkpoints: four minutes, so that at most five are lost;
   BAREKING_CHECKPOINT is for tests. */
static double checkpoint_seconds(void)
{
    const char *wish = getenv("BAREKING_CHECKPOINT");

    return wish ? atof(wish) : 240;
}

/* Makes the missing tables of w->p, and tells of them. */
static int run_build(struct watch *w, struct bk_pool *pool, bool standalone)
{
    const struct cli *c = w->c;
    struct bk_build_options o = { .pool = pool,
                                  .memory_limit = c->memory,
                                  .scratch = c->scratch,
                                  .effort = (enum bk_effort)c->effort,
                                  .standalone = standalone,
                                  .context = w,
                                  .planned = tell_planned,
                                  .built = tell_built,
                                  .note = tell_note,
                                  .wait = tell_wait,
                                  .checkpoint_seconds = checkpoint_seconds(),
                                  .stop = &cli_stop,
                                  .finish = &cli_finish };
    struct bk_report why = { "" };
    double per[BK_WORKS];
    enum bk_err err;

    w->p->foretells = cli_bar_plan;
    w->p->watcher = &w->bar;
    cli_pace_of(per, c, bk_pool_threads(pool));
    if (cli_bar_start(&w->bar, per))
        o.meter = w->bar.meter;
    err = bk_build(w->p, &o, &why);
    cli_bar_stop(&w->bar);
    if (err && !bk_ranks_is_first()) /* the first process says it */
        return cli_status(err);
    if (err && cli_finish)
        return cli_fail(CLI_SYSTEM, w->p->anew
                                        ? "interrupted; what is done stays, and the same command "
                                          "begins with the first table again"
                                        : "interrupted; run the same command to go on");
    return err ? cli_fail_report(err, &why) : CLI_OK;
}

static struct watch watch_of(const struct cli *c)
{
    return (struct watch){ .c = c, .bar = cli_bar_of(c->quiet), .list = json_incref(c->list) };
}

/* May the build begin?  Returns an exit status; what keeps it from that is said. */
static int refuse(const struct cli *c, const struct bk_variant *v, const struct bk_plan *p)
{
    struct bk_report why = { "" };
    int status = cli_plan_refused(c, v, p, &why);

    return *why.text ? cli_fail(status, "%s", why.text) : status;
}

/* Marks damaged tables as missing, to be made again, which is not known before all bytes are read;
   says what keeps the build from beginning then. */
static int look_for_damage(struct watch *w, const struct bk_variant *v)
{
    const struct cli *c = w->c;
    struct bk_report why = { "" };

    if (bk_plan_check(w->p, w, tell_damaged)) {
        enum bk_err err = bk_plan_memory(w->p, c->threads, c->memory, &why);
        int status = err ? cli_fail_report(err, &why) : refuse(c, v, w->p);

        if (status)
            return status;
    }
    for (unsigned i = 0; i < w->p->n && !w->p->distances && !c->force; i++) {
        const struct bk_plan_table *t = &w->p->table[i];

        if (!t->present && t->had_distances)
            return cli_fail(
                CLI_DAMAGED,
                "%s has distances, which --wdl would take away: build it without --wdl, or "
                "with --force",
                t->name);
    }
    return CLI_OK;
}

/* Tells how the tables that are there differ from what is asked for. */
static void count_other_forms(struct watch *w)
{
    for (unsigned i = 0; i < w->p->n; i++) {
        const struct bk_plan_table *t = &w->p->table[i];

        w->other_form += w->c->standalone && t->present && !t->standalone;
        w->alone += !w->c->standalone && !t->present && t->standalone;
    }
}

/* Checks what may keep a plan from being carried out, by one process of several. */
static int prepare(struct watch *w, const struct bk_variant *v)
{
    int status = refuse(w->c, v, w->p);

    if (!status && !bk_transport_rank())
        status = look_for_damage(w, v);
    if (!status)
        count_other_forms(w);
    return status;
}

/* Carries out n plans, one after the other, and tells of all. */
static int build_all(struct watch *w, struct bk_plan *const *plan, unsigned n)
{
    struct bk_report why = { "" };
    struct bk_pool *pool;
    unsigned tables = 0;
    int status = CLI_OK;

    bk_ranks_begin();
    w->bar.on &= bk_ranks_is_first();
    for (unsigned i = 0; i < n; i++) {
        cli_bar_add(&w->bar, plan[i]);
        tables += plan[i]->n;
    }
    cli_give_memory_back();
    cli_finish_on_signals(w->c->minutes);
    if (bk_pool_open(&pool, w->c->threads, &why))
        return cli_fail_report(BK_E_SYSTEM, &why);
    for (unsigned i = 0; !status && i < n; i++) {
        w->p = plan[i];
        status = run_build(w, pool, w->c->standalone);
    }
    if (!status)
        status = finish_build(w, tables);
    bk_pool_close(pool);
    return status;
}

int cmd_build(struct cli *c)
{
    struct bk_variant *v;
    struct watch w = watch_of(c);
    struct bk_plan *plan[2] = { NULL };
    int status;

    cli_end_on_signals(); /* while it plans */
    status = cli_plan_read(c, &v, &plan[0]);
    if (status) {
        json_decref(w.list);
        return status;
    }
    status = cli_plan_dtw(c, v, &plan[1]);
    if (!status && bk_transport_ranks() > BK_PROCESSES_MAX)
        status = cli_fail(CLI_USAGE, "%u processes, and %u can share a table", bk_transport_ranks(),
                          BK_PROCESSES_MAX);
    for (unsigned i = 0; !status && i < 2 && plan[i]; i++) {
        w.p = plan[i];
        status = prepare(&w, v);
    }
    if (!status)
        status = build_all(&w, plan, plan[1] ? 2 : 1);
    json_decref(w.list);
    for (unsigned i = 0; i < 2; i++)
        bk_plan_free(plan[i]);
    bk_variant_free(v);
    return status;
}

/* == repack == */

/* Tables that differ in what their files promise are made one kind after the other. */
struct repack {
    struct bk_material *m; /* named, canonical; NULL: all */
    unsigned n;
    /* bit 0 of the index: without distances; bit 1: standalone; bit 2: by the n-move rule, NULL if
       the game has none */
    struct bk_plan *p[8];
    uint64_t before; /* bytes of the files that will be replaced */
    int left_out;    /* the exit status for tables that cannot be repacked */
};

/* Will the material's table be made anew by one of the plans? */
static bool will_repack(const struct repack *r, const struct bk_material *m)
{
    for (unsigned k = 0; k < 8 && r->p[k]; k++)
        for (unsigned i = 0; i < r->p[k]->n; i++)
            if (!r->p[k]->table[i].present && bk_material_equal(&r->p[k]->table[i].m, m))
                return true;
    return false;
}

static bool is_wanted(const struct repack *r, const struct bk_material *m)
{
    for (unsigned i = 0; i < r->n; i++)
        if (bk_material_equal(&r->m[i], m))
            return true;
    return r->n == 0;
}

/*
 * Tells of tables that are wanted and cannot be repacked: their files are damaged, so that nobody
 * knows what they promise, or cannot be read; or there are none, where one was named.  One that was
 * named ends the command; else the rest is repacked.
 */
static int tell_left_out(const struct cli *c, const struct repack *r)
{
    const struct bk_plan *all = r->p[1]; /* the plan that asks for no more than files promise */
    int status = CLI_OK, one;

    for (unsigned i = 0; i < all->n && !(r->n && status); i++) {
        const struct bk_plan_table *t = &all->table[i];
        struct bk_report why = { "" };
        enum bk_err err;

        if (!is_wanted(r, &t->m) || will_repack(r, &t->m))
            continue;
        err = bk_plan_fault(all, t, &why);
        if (err == BK_E_NO_TABLE && !r->n)
            continue;
        if (err == BK_E_NO_TABLE)
            one = cli_fail(CLI_NO, "no table %s of %s in %s", t->name, all->v->name, c->dir);
        else if (!err)
            one = cli_fail(CLI_SYSTEM, "%s could not be read just now; not repacked", t->name);
        else
            one = cli_fail(cli_status(err), "%s; not repacked", why.text);
        status = one > status ? one : status;
    }
    return status;
}

static int plan_repack(const struct cli *c, const struct bk_variant *v, struct repack *r,
                       struct watch *w)
{
    struct bk_report why = { "" };
    int status = cli_wanted(c, v, &r->m, &r->n);

    if (status)
        return status;
    for (unsigned i = 0; i < r->n; i++)
        bk_material_canonical(&r->m[i], v);
    for (unsigned k = 0; k < (bk_rules_nmove(v) ? 8 : 4); k++) {
        bool zeroing = k & 4;
        enum bk_err err =
            bk_plan_new(&r->p[k], v, c->dir, r->m, r->n, c->men, !(k & 1) || zeroing, &why);

        if (!err && zeroing)
            err = bk_plan_to_zeroing(r->p[k], k & 1, &why);
        if (err)
            return cli_fail_report(err, &why);
        r->p[k]->machine_bytes = cli_machine_memory();
        bk_plan_anew(r->p[k], r->m, r->n, k & 2);
        r->before += add_up(r->p[k]).disk;
        cli_bar_add(&w->bar, r->p[k]);
    }
    r->left_out = tell_left_out(c, r);
    return r->n ? r->left_out : CLI_OK;
}

static int run_repack(const struct cli *c, struct repack *r, struct watch *w)
{
    struct bk_report why = { "" };
    struct bk_pool *pool;
    enum bk_err err = bk_pool_open(&pool, c->threads, &why);
    int status = CLI_OK;

    if (err)
        return cli_fail_report(err, &why);
    for (unsigned k = 0; !status && k < 8 && r->p[k]; k++) {
        w->p = r->p[k];
        if (add_up(w->p).missing)
            status = run_build(w, pool, k & 2);
    }
    bk_pool_close(pool);
    return status;
}

static int finish_repack(const struct watch *w, const struct repack *r)
{
    char time[CLI_TEXT_MAX], before[CLI_TEXT_MAX], after[CLI_TEXT_MAX];

    if (w->c->json)
        return cli_print_json(json_pack("{ss so sO sI sI}", "variant", r->p[0]->v->name, "dir",
                                        ex_json_string(r->p[0]->dir), "repacked", w->list,
                                        "bytes_before", (json_int_t)r->before, "bytes",
                                        (json_int_t)w->bytes));
    if (!w->bar.made && access(w->c->dir, F_OK))
        return cli_fail(CLI_NO, "%s: %s", w->c->dir, strerror(errno));
    if (!w->c->quiet && !w->bar.made)
        printf("nothing to repack\n");
    else if (!w->c->quiet)
        printf("repacked %u table%s in %s: %s, before %s\n", w->bar.made,
               w->bar.made == 1 ? "" : "s", cli_seconds(time, bk_now_seconds() - w->bar.start),
               cli_bytes(after, w->bytes), cli_bytes(before, r->before));
    return CLI_OK;
}

int cmd_repack(struct cli *c)
{
    struct watch w = watch_of(c);
    struct repack r = { .m = NULL };
    struct bk_variant *v;
    int status;

    cli_end_on_signals();
    status = cli_plan_wanted(c);
    if (!status)
        status = cli_variant(c, &v);
    if (!status) {
        cli_give_memory_back();
        status = plan_repack(c, v, &r, &w);
        cli_catch_signals();
        if (!status)
            status = run_repack(c, &r, &w);
        if (!status)
            status = finish_repack(&w, &r);
        if (!status)
            status = r.left_out;
        for (unsigned k = 0; k < 8; k++)
            bk_plan_free(r.p[k]);
        bk_variant_free(v);
    }
    free(r.m);
    json_decref(w.list);
    return status;
}
