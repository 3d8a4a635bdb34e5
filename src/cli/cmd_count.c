/*
 * cmd_count.c - what materials add up to, without making their tables.
 *
 * The counts of a table that is there come from its file; a material decided by rule is enumerated;
 * the others are solved in memory, counted and let go.  Encoding is most of what a table with
 * distances costs, so this takes a fifth to a tenth of building it.  With --ranks it solves all,
 * and adds up what so many processes would send each other after each ply (docs/distributed.md 8).
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bar.h"
#include "cli/counts.h"
#include "cli/machine.h"
#include "cli/pace.h"
#include "cli/plans.h"
#include "cli/report.h"
#include "table/info.h"

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

/* == Telling == */

static double per_cent(uint64_t part, const struct bk_counts *of)
{
    uint64_t all = of->all_win + of->all_draw + of->all_loss;

    return all ? 100 * (double)part / (double)all : 0;
}

static void print_line(struct counting *k, const char *name, const struct bk_counts side[2])
{
    int64_t win = side[side[1].win_plies > side[0].win_plies].win_plies;
    int64_t loss = side[side[1].loss_plies > side[0].loss_plies].loss_plies;

    if (!k->lines++) {
        printf("%-14s %26s   %26s   %s\n", "", "White to move, per cent", "Black to move, per cent",
               "longest, plies");
        printf("%-14s %8s %8s %8s   %8s %8s %8s   %6s %6s\n", "", "wins", "draws", "losses", "wins",
               "draws", "losses", "win", "loss");
    }
    printf("%-14s", name);
    for (unsigned i = 0; i < 2; i++)
        printf(" %8.3f %8.3f %8.3f  ", per_cent(side[i].all_win, &side[i]),
               per_cent(side[i].all_draw, &side[i]), per_cent(side[i].all_loss, &side[i]));
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
        json_t *line = json_pack("{ss ss so so}", "variant", k->v->name, "material", name, "white",
                                 cli_counts_json(&side[0]), "black", cli_counts_json(&side[1]));

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

/* == Counting == */

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
            k->status = cli_counts_by_rule(k->c, k->v, m, side);
            if (!k->status)
                tell(k, m, side);
            continue;
        }
        if (!has_files(k, m))
            continue;
        err = bk_counts_read(side, k->c->dir, k->v, m, &why);
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
    c->ranks = 0;         /* this is one process, whose memory is planned */
    cli_end_on_signals(); /* while it plans */
    status = cli_plan_read(c, &v, &k.p);
    if (status)
        return status;
    k.v = v;
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
