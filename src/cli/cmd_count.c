/*
 * cmd_count.c - what materials add up to: stats, count.
 *
 * The counts of a table are in the header of its file.  A material decided by rule has no file: its
 * positions are enumerated and the rule is asked.
 *
 * `count` tells the same without making tables: those that are not there are solved in memory,
 * counted and freed.  Encoding is most of what a table with distances costs, so this takes a fifth
 * to a tenth of building it.  With --ranks it solves all, and adds up what so many processes would
 * send each other after each ply (docs/distributed.md 8).
 */
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bar.h"
#include "cli/machine.h"
#include "cli/plans.h"
#include "cli/report.h"
#include "core/attack.h"
#include "core/end.h"
#include "core/rules.h"
#include "table/counts.h"
#include "table/head.h"
#include "table/index_new.h"
#include "tb/memory/pool.h"

/* == Counts of a material decided by rule == */

#define BATCH 65536 /* numbers a thread takes at once */

struct tally {
    uint64_t wdl[2][3], all[2][3]; /* by side to move and wdl + 1 */
    uint64_t first[2][3];          /* least number with that result; UINT64_MAX: none */
};

struct count_job {
    const struct bk_index *ix;
    struct tally *by_thread;
};

static void count_number(const struct bk_index *ix, uint64_t number, struct tally *t)
{
    struct bk_placement at;
    struct bk_pos p;
    unsigned weight, once;

    bk_index_unrank(ix, number, &at);
    if (!bk_index_position(ix, &at, BK_WHITE, &p))
        return;
    weight = bk_index_images(ix, bk_index_block_with(ix, number), &at);
    once = bk_index_is_first(ix, number, &at);
    for (unsigned side = 0; side < 2; side++) {
        int wdl = 0;

        p.stm = (uint8_t)side;
        if (!bk_pos_legal(ix->v, &p) || bk_pos_end(ix->v, &p, &wdl) == BK_END_NONE)
            continue;
        t->wdl[side][wdl + 1] += once;
        t->all[side][wdl + 1] += weight;
        if (once && number < t->first[side][wdl + 1])
            t->first[side][wdl + 1] = number;
    }
}

static void count_batch(void *context, uint64_t item, unsigned thread)
{
    struct count_job *job = context;
    uint64_t end = (item + 1) * BATCH;

    for (uint64_t n = item * BATCH; n < end && n < job->ix->positions; n++)
        count_number(job->ix, n, &job->by_thread[thread]);
}

static void add_tally(struct tally *sum, const struct tally *t)
{
    for (unsigned side = 0; side < 2; side++)
        for (unsigned r = 0; r < 3; r++) {
            sum->wdl[side][r] += t->wdl[side][r];
            sum->all[side][r] += t->all[side][r];
            if (t->first[side][r] < sum->first[side][r])
                sum->first[side][r] = t->first[side][r];
        }
}

/* A game decided by rule is over where it stands: every result is 0 plies away. */
static void tally_side(struct bk_counts *out, const struct bk_index *ix, const struct tally *t,
                       unsigned side)
{
    unsigned choices = bk_index_choices(ix); /* a placement is counted as often */

    *out = (struct bk_counts){ .win = t->wdl[side][2],
                               .draw = t->wdl[side][1],
                               .loss = t->wdl[side][0],
                               .all_win = t->all[side][2] / choices,
                               .all_draw = t->all[side][1] / choices,
                               .all_loss = t->all[side][0] / choices,
                               .win_plies = t->wdl[side][2] ? 0 : -1,
                               .loss_plies = t->wdl[side][0] ? 0 : -1 };
    if (out->win)
        bk_counts_fen(ix, t->first[side][2], side, false, out->win_fen);
    if (out->loss)
        bk_counts_fen(ix, t->first[side][0], side, false, out->loss_fen);
}

/* Counts a material that is decided by rule; out[0]: White to move.  Returns an exit status.  Cost:
   each of its placements. */
static int counts_by_rule(const struct cli *c, const struct bk_variant *v,
                          const struct bk_material *m, struct bk_counts out[2])
{
    struct count_job job = { 0 };
    struct bk_index *ix = NULL;
    struct bk_pool *pool = NULL;
    struct bk_report why = { "" };
    enum bk_err err = bk_index_new(&ix, v, m, NULL, &why);
    unsigned threads = 0;

    if (!err)
        err = bk_pool_open(&pool, c->threads, &why);
    if (!err) {
        threads = bk_pool_threads(pool);
        job.ix = ix;
        job.by_thread = calloc(threads, sizeof *job.by_thread);
        if (!job.by_thread)
            err = bk_no_memory(&why);
    }
    if (!err) {
        for (unsigned i = 0; i < threads; i++)
            memset(job.by_thread[i].first, 0xff, sizeof job.by_thread[i].first);
        bk_pool_run(pool, (ix->positions + BATCH - 1) / BATCH, count_batch, &job);
        for (unsigned i = 1; i < threads; i++)
            add_tally(&job.by_thread[0], &job.by_thread[i]);
        for (unsigned side = 0; side < 2; side++)
            tally_side(&out[side], ix, &job.by_thread[0], side);
    }
    free(job.by_thread);
    if (pool)
        bk_pool_close(pool);
    bk_index_free(ix);
    return err ? cli_fail_report(err, &why) : CLI_OK;
}

/* == Counts as JSON == */

static json_t *longest_json(int64_t plies, const char *fen)
{
    return plies < 0 ? json_null() : json_pack("{sI ss}", "plies", (json_int_t)plies, "fen", fen);
}

/* Adds to counts what an n-move rule makes of them: five results. */
static void tell_five(json_t *counts, uint64_t win, uint64_t cursed, uint64_t blessed,
                      uint64_t loss)
{
    json_object_set_new(counts, "win", json_integer((json_int_t)(win - cursed)));
    json_object_set_new(counts, "cursed_win", json_integer((json_int_t)cursed));
    json_object_set_new(counts, "blessed_loss", json_integer((json_int_t)blessed));
    json_object_set_new(counts, "loss", json_integer((json_int_t)(loss - blessed)));
}

/* {"win", "draw", "loss", "longest_win", "longest_loss", "all"}; five: "cursed_win" and
   "blessed_loss", too, which the others do not count.  NULL: no memory. */
static json_t *counts_json(const struct bk_counts *s, bool five)
{
    json_t *counts = json_pack(
        "{sI sI sI so so s{sI sI sI}}", "win", (json_int_t)s->win, "draw", (json_int_t)s->draw,
        "loss", (json_int_t)s->loss, "longest_win", longest_json(s->win_plies, s->win_fen),
        "longest_loss", longest_json(s->loss_plies, s->loss_fen), "all", "win",
        (json_int_t)s->all_win, "draw", (json_int_t)s->all_draw, "loss", (json_int_t)s->all_loss);

    if (five && counts) {
        tell_five(counts, s->win, s->cursed, s->blessed, s->loss);
        tell_five(json_object_get(counts, "all"), s->all_win, s->all_cursed, s->all_blessed,
                  s->all_loss);
    }
    return counts;
}

/* == stats == */

/* Reads counts into `out`, and, of a table by the n-move rule, into `zeroing`; *five: it is one. */
static int read_counts(const struct cli *c, const struct bk_variant *v, const struct bk_material *m,
                       struct bk_counts out[2], struct bk_counts zeroing[2], bool *five)
{
    struct bk_report why = { "" };
    enum bk_err err = bk_counts_read(out, c->dir, v, m, &why);

    if (!err) {
        err = bk_counts_read_five(zeroing, c->dir, v, m, &why);
        *five = !err;
        err = err == BK_E_NO_TABLE ? BK_OK : err;
    }
    if (err == BK_E_NO_TABLE)
        return cli_fail_no_table(c, v, m);
    return err ? cli_fail_report(err, &why) : CLI_OK;
}

static void print_longest(const char *what, int64_t plies, const char *fen)
{
    char text[CLI_TEXT_MAX];

    if (plies >= 0)
        printf("  longest %-5s %s: %s\n", what, cli_plies(text, plies), fen);
}

static void print_side(unsigned side, const struct bk_counts *s)
{
    char win[CLI_TEXT_MAX], draw[CLI_TEXT_MAX], loss[CLI_TEXT_MAX];

    printf("\n%s to move\n  %-14s %16s %16s %16s\n", cli_colour(side), "", "wins", "draws",
           "losses");
    printf("  %-14s %16s %16s %16s\n", "classes", cli_count(win, s->win), cli_count(draw, s->draw),
           cli_count(loss, s->loss));
    printf("  %-14s %16s %16s %16s\n", "all placements", cli_count(win, s->all_win),
           cli_count(draw, s->all_draw), cli_count(loss, s->all_loss));
    print_longest("win", s->win_plies, s->win_fen);
    print_longest("loss", s->loss_plies, s->loss_fen);
}

/* Prints what the n-move rule makes of a side's results. */
static void print_zeroing(const struct bk_variant *v, const struct bk_counts *s)
{
    char cursed[CLI_TEXT_MAX], blessed[CLI_TEXT_MAX];

    printf("  by the rule of %u moves, with no ply counted yet, of these are draws:\n",
           bk_rules_nmove(v) / 2);
    printf("  %-14s %16s %16s %16s\n", "classes", cli_count(cursed, s->cursed), "",
           cli_count(blessed, s->blessed));
    printf("  %-14s %16s %16s %16s\n", "all placements", cli_count(cursed, s->all_cursed), "",
           cli_count(blessed, s->all_blessed));
    print_longest("win, to zeroing", s->win_plies, s->win_fen);
    print_longest("loss, to zeroing", s->loss_plies, s->loss_fen);
}

/* counts_json(), and of a table by the n-move rule five results and the longest to zeroing. */
static json_t *stats_json(const struct bk_counts *s, const struct bk_counts *zeroing)
{
    struct bk_counts all = *s;
    json_t *o;

    if (!zeroing)
        return counts_json(s, false);
    all.cursed = zeroing->cursed;
    all.blessed = zeroing->blessed;
    all.all_cursed = zeroing->all_cursed;
    all.all_blessed = zeroing->all_blessed;
    o = counts_json(&all, true);
    if (o) {
        json_object_set_new(o, "longest_win_to_zeroing",
                            longest_json(zeroing->win_plies, zeroing->win_fen));
        json_object_set_new(o, "longest_loss_to_zeroing",
                            longest_json(zeroing->loss_plies, zeroing->loss_fen));
    }
    return o;
}

int cmd_stats(struct cli *c)
{
    char name[BK_MATERIAL_NAME_MAX];
    struct bk_counts side[2] = { { .win = 0 } }, zeroing[2];
    struct bk_material *m = NULL;
    struct bk_variant *v;
    unsigned n;
    bool by_rule, five = false;
    int status;

    if (c->nargs < 2 && !c->terrain)
        return cli_fail(CLI_USAGE, "stats: give a material or --for FEN; see bareking stats -h");
    status = cli_variant(c, &v);
    if (status)
        return status;
    status = cli_wanted(c, v, &m, &n);
    if (!status) {
        by_rule = bk_material_by_rule(m, v);
        status =
            by_rule ? counts_by_rule(c, v, m, side) : read_counts(c, v, m, side, zeroing, &five);
        bk_material_name(m, v, name);
        if (!status && c->json)
            status =
                cli_print_json(json_pack("{ss ss so so}", "variant", v->name, "material", name,
                                         "white", stats_json(&side[0], five ? &zeroing[0] : NULL),
                                         "black", stats_json(&side[1], five ? &zeroing[1] : NULL)));
        else if (!status) {
            printf("%s of %s%s; results are the mover's\n", name, v->name,
                   by_rule ? ", decided by rule" : "");
            for (unsigned i = 0; i < 2; i++) {
                print_side(i, &side[i]);
                if (five)
                    print_zeroing(v, &zeroing[i]);
            }
        }
    }
    free(m);
    bk_variant_free(v);
    return status;
}

/* == count: telling == */

struct counting {
    const struct cli *c;
    const struct bk_variant *v;
    struct bk_plan *p;
    struct bk_material *m; /* as they were named; NULL: all of the plan */
    unsigned n;
    struct cli_bar bar;
    unsigned ranks; /* --ranks, if they are several; 0: none */
    struct news {   /* of the table that is being solved */
        uint64_t bytes, most;
        unsigned plies;
        uint32_t first; /* block */
        json_t *list;   /* news by block and ply; NULL: no JSON */
    } news;
    unsigned lines;
    int status;
};

static double per_cent(uint64_t part, const struct bk_counts *of)
{
    uint64_t all = of->all_win + of->all_draw + of->all_loss;

    return all ? 100 * (double)part / (double)all : 0;
}

/* Prints the names of the columns: those of each side, then the longest. */
static void print_head(bool five)
{
    int width = five ? 44 : 26;

    printf("%-14s %*s   %*s   %s\n", "", width, "White to move, per cent", width,
           "Black to move, per cent", "longest, plies");
    printf("%-14s", "");
    for (unsigned i = 0; i < 2; i++)
        if (five)
            printf(" %8s %8s %8s %8s %8s  ", "wins", "cursed", "draws", "blessed", "losses");
        else
            printf(" %8s %8s %8s  ", "wins", "draws", "losses");
    printf(" %6s %6s\n", "win", "loss");
}

static void print_line(struct counting *k, const char *name, const struct bk_counts side[2])
{
    int64_t win = side[side[1].win_plies > side[0].win_plies].win_plies;
    int64_t loss = side[side[1].loss_plies > side[0].loss_plies].loss_plies;

    if (!k->lines++)
        print_head(k->c->dtz);
    printf("%-14s", name);
    for (unsigned i = 0; i < 2; i++) {
        const struct bk_counts *s = &side[i];

        printf(" %8.3f", per_cent(s->all_win - s->all_cursed, s));
        if (k->c->dtz)
            printf(" %8.3f", per_cent(s->all_cursed, s));
        printf(" %8.3f", per_cent(s->all_draw, s));
        if (k->c->dtz)
            printf(" %8.3f", per_cent(s->all_blessed, s));
        printf(" %8.3f  ", per_cent(s->all_loss - s->all_blessed, s));
    }
    for (unsigned i = 0; i < 2; i++)
        if ((i ? loss : win) < 0)
            printf(" %6s", "-");
        else
            printf(" %6lld", (long long)(i ? loss : win));
    printf("\n");
    fflush(stdout);
}

static void print_news(const struct counting *k)
{
    char all[CLI_TEXT_MAX], most[CLI_TEXT_MAX];

    printf("%-14s %u processes would send each other %s of news in %u %s, at most %s in one\n", "",
           k->ranks, cli_bytes(all, k->news.bytes), k->news.plies,
           k->news.plies == 1 ? "ply" : "plies", cli_bytes(most, k->news.most));
    fflush(stdout);
}

static void tell(struct counting *k, const struct bk_material *m, const struct bk_counts side[2])
{
    char name[BK_MATERIAL_NAME_MAX];
    bool solved = k->news.plies;

    bk_material_name(m, k->v, name);
    if (k->c->json) {
        json_t *line =
            json_pack("{ss ss so so}", "variant", k->v->name, "material", name, "white",
                      counts_json(&side[0], k->c->dtz), "black", counts_json(&side[1], k->c->dtz));

        if (solved)
            json_object_set_new(line, "news",
                                json_pack("{si sI sO}", "ranks", (int)k->ranks, "bytes",
                                          (json_int_t)k->news.bytes, "plies", k->news.list));
        k->status = cli_print_json_line(line);
        fflush(stdout); /* what has been counted stays counted if this is stopped */
        return;
    }
    print_line(k, name, side);
    if (solved)
        print_news(k);
}

/* == count: solving == */

/* Has the material files, with distances if they are asked for? */
static bool has_files(const struct counting *k, const struct bk_material *m)
{
    struct bk_material canonical = *m;

    bk_material_canonical(&canonical, k->v);
    for (unsigned i = 0; i < k->p->n; i++)
        if (bk_material_equal(&k->p->table[i].m, &canonical))
            return k->p->table[i].present;
    return false;
}

/* Tells the counts of the materials asked for that are decided by rule or have files. */
static int tell_known(struct counting *k)
{
    for (unsigned i = 0; !k->status && i < (k->m ? k->n : k->p->n); i++) {
        const struct bk_material *m = k->m ? &k->m[i] : &k->p->table[i].m;
        struct bk_counts side[2] = { { .win = 0 } };
        struct bk_report why = { "" };
        enum bk_err err;

        if (bk_material_by_rule(m, k->v)) {
            k->status = counts_by_rule(k->c, k->v, m, side);
            if (!k->status)
                tell(k, m, side);
            continue;
        }
        if (!has_files(k, m))
            continue;
        err = k->c->dtz ? bk_counts_read_five(side, k->c->dir, k->v, m, &why)
                        : bk_counts_read(side, k->c->dir, k->v, m, &why);
        if (err)
            k->status = cli_fail_report(err, &why);
        else
            tell(k, m, side);
    }
    return k->status;
}

static void tell_planned(void *context, const struct bk_plan *p)
{
    cli_bar_planned(&((struct counting *)context)->bar, p, true);
}

static void forget_news(struct counting *k)
{
    json_decref(k->news.list);
    k->news = (struct news){ .plies = 0 };
}

static void add_news(void *context, const struct bk_news *n)
{
    struct counting *k = context;
    struct news *x = &k->news;

    if (x->plies && !n->ply && n->block == x->first) /* solved anew, with wider distances */
        forget_news(k);
    if (!x->plies)
        x->first = n->block;
    x->bytes += n->bytes;
    x->most = n->bytes > x->most ? n->bytes : x->most;
    x->plies++;
    if (k->c->json && !x->list)
        x->list = json_array();
    if (k->c->json)
        json_array_append_new(x->list,
                              json_pack("{sI sI sI}", "block", (json_int_t)n->block, "ply",
                                        (json_int_t)n->ply, "bytes", (json_int_t)n->bytes));
}

/* Tells the counts of a table that has been solved, under each name that was asked for. */
static void tell_solved(void *context, const struct bk_built *b)
{
    struct counting *k = context;
    bool one_side = bk_table_one_side(&b->table->m, k->v);

    cli_bar_made(&k->bar);
    cli_bar_hold(&k->bar);
    for (unsigned i = 0; i < (k->m ? k->n : 1); i++) {
        struct bk_material canonical = k->m ? k->m[i] : b->table->m;
        bool exchanged = bk_material_canonical(&canonical, k->v);
        struct bk_counts side[2];

        if (bk_material_equal(&canonical, &b->table->m) &&
            bk_counts_of(side, &b->summary, b->ix, one_side, exchanged))
            tell(k, k->m ? &k->m[i] : &b->table->m, side);
    }
    cli_bar_go(&k->bar);
    forget_news(k);
}

static int count_others(struct counting *k)
{
    const char *dirs = k->c->dir + strspn(k->c->dir, ":");
    struct bk_report why = { "" };
    char first[PATH_MAX]; /* of a list of folders */
    struct bk_pool *pool;
    double per[BK_WORKS];
    enum bk_err err = bk_pool_open(&pool, k->c->threads, &why);
    struct bk_build_options o = { .memory_limit = k->c->memory,
                                  .scratch = k->c->scratch ? k->c->scratch : first,
                                  .counts_alone = true,
                                  .context = k,
                                  .planned = tell_planned,
                                  .built = tell_solved,
                                  .as_ranks = k->ranks,
                                  .news = add_news,
                                  .stop = &cli_stop };

    snprintf(first, sizeof first, "%.*s", (int)strcspn(dirs, ":"), dirs);
    if (!err) {
        o.pool = pool;
        cli_give_memory_back();
        cli_catch_signals();
        cli_bar_add(&k->bar, k->p);
        cli_pace_of(per, k->c, bk_pool_threads(pool));
        if (cli_bar_start(&k->bar, per))
            o.meter = k->bar.meter;
        err = bk_build(k->p, &o, &why);
        cli_bar_stop(&k->bar);
        bk_pool_close(pool);
    }
    return err ? cli_fail_report(err, &why) : k->status;
}

/* Marks all tables as missing, so that all are solved: files do not tell of plies. */
static int forget_files(struct counting *k)
{
    struct bk_report why = { "" };
    enum bk_err err;

    for (unsigned i = 0; i < k->p->n; i++)
        k->p->table[i].present = false;
    err = bk_plan_memory(k->p, k->c->threads, 0, &why);
    return err ? cli_fail_report(err, &why) : CLI_OK;
}

int cmd_count(struct cli *c)
{
    struct counting k = { .c = c,
                          .bar = cli_bar_of(c->quiet),
                          .ranks = c->ranks > 1 ? c->ranks : 0 };
    struct bk_variant *v;
    int status;

    if (c->ranks && c->memory)
        return cli_fail(CLI_USAGE, "count: --ranks and --memory do not go together: "
                                   "what is on disk is not looked at after each ply");
    if (c->dtz && c->wdl)
        return cli_fail(CLI_USAGE, "count: --dtz counts distances, --wdl none");
    c->ranks = 0; /* this is one process, whose memory is planned */
    c->any_game = true;
    cli_end_on_signals(); /* while it plans */
    status = cli_plan_read(c, &v, &k.p);
    if (status)
        return status;
    k.v = v;
    if ((k.ranks || c->dtz) && bk_rules_without_tables(v)) {
        status = cli_fail(CLI_USAGE, "count: %s is not for games like %s: %s",
                          k.ranks ? "--ranks" : "--dtz", v->name, bk_rules_without_tables(v));
        bk_plan_free(k.p);
        bk_variant_free(v);
        return status;
    }
    if (k.ranks)
        status = forget_files(&k);
    if (!status && !c->men)
        status = cli_wanted(c, v, &k.m, &k.n);
    if (!status && c->men && !k.p->n && !c->quiet)
        fprintf(stderr, "bareking: nothing to count: decided by rule\n");
    if (!status)
        status = tell_known(&k);
    if (!status)
        status = cli_plan_fits(c, k.p);
    if (!status)
        status = count_others(&k);
    forget_news(&k); /* a table may not have been solved to its end */
    free(k.m);
    bk_plan_free(k.p);
    bk_variant_free(v);
    return status;
}
