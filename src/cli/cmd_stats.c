/*
 * cmd_stats.c - what a table adds up to.
 *
 * The counts of a table are in the header of its file.  A material decided by
 * rule has no file: its positions are enumerated and the rule is asked.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report.h"
#include "table/format.h"
#include "tb/memory/pool.h"

/* One side to move, counted. */
struct side_counts {
    uint64_t win, draw, loss;             /* once a symmetry class */
    uint64_t all_win, all_draw, all_loss; /* all placements */
    int64_t win_plies, loss_plies;        /* longest; -1: none */
    char win_fen[BK_FEN_MAX], loss_fen[BK_FEN_MAX];
};

/* == From a file == */

/* The position with the colours exchanged, as the other name of its table sees it. */
static void exchange(struct bk_pos *p, const struct bk_variant *v, const struct bk_material *m)
{
    int swap = bk_material_swap(m, v);
    uint8_t map[BK_SQ_MAX];
    struct bk_pos q;

    bk_symmetry_map(v, swap > 0 ? (unsigned)swap : 0, map);
    bk_pos_init(&q, v);
    q.stm = !p->stm;
    q.rights = (uint8_t)((p->rights & 3) << 2 | p->rights >> 2);
    for (unsigned colour = 0; colour < 2; colour++)
        memcpy(q.left[colour], p->left[!colour], sizeof q.left[colour]);
    for (unsigned sq = 0; sq < v->nsq; sq++)
        if (p->at[sq])
            bk_pos_put(&q, v, bk_man_type(p->at[sq]), !bk_man_colour(p->at[sq]), map[sq]);
    *p = q;
}

/* False: two men on one square. */
static bool write_fen(const struct bk_index *ix, uint64_t number, unsigned side, bool exchanged,
                      char out[BK_FEN_MAX])
{
    struct bk_placement at;
    struct bk_pos p;

    bk_index_unrank(ix, number, &at);
    if (!bk_index_position(ix, &at, side, &p))
        return false;
    if (exchanged)
        exchange(&p, ix->v, &ix->m);
    bk_pos_to_fen(&p, ix->v, out);
    return true;
}

static bool take_side(struct side_counts *out, const struct bk_file *f, unsigned side,
                      bool exchanged)
{
    const struct bk_summary *s = &bk_file_info(f)->summary;
    const struct bk_index *ix = bk_file_index(f);

    *out = (struct side_counts){ .win = s->win[side],
                                 .draw = s->draw[side],
                                 .loss = s->loss[side],
                                 .all_win = s->all_win[side],
                                 .all_draw = s->all_draw[side],
                                 .all_loss = s->all_loss[side],
                                 .win_plies = s->win_plies[side],
                                 .loss_plies = s->loss_plies[side] };
    if (bk_file_info(f)->one_side && side == BK_BLACK) { /* what White has, turned round */
        side = BK_WHITE;
        exchanged = !exchanged;
    }
    return (out->win_plies < 0 ||
            write_fen(ix, s->win_number[side], side, exchanged, out->win_fen)) &&
           (out->loss_plies < 0 ||
            write_fen(ix, s->loss_number[side], side, exchanged, out->loss_fen));
}

static int read_counts(const struct cli *c, const struct bk_variant *v, const struct bk_material *m,
                       struct side_counts out[2])
{
    struct bk_material kept = *m;
    bool exchanged = bk_material_canonical(&kept, v);
    struct bk_report why = { "" };
    char path[PATH_MAX];
    struct bk_file *f;
    enum bk_err err = bk_file_open_as(&f, bk_table_path(path, c->dir, v, &kept, BK_KIND_WDL), v,
                                      &kept, BK_KIND_WDL, &why);
    int status = CLI_OK;

    if (err == BK_E_NO_TABLE)
        return cli_fail_no_table(c, v, m);
    if (err)
        return cli_fail_report(err, &why);
    for (unsigned side = 0; !status && side < 2; side++)
        if (!take_side(&out[side], f, exchanged ? !side : side, exchanged))
            status = cli_fail(CLI_DAMAGED, "%s: damaged: its longest game begins nowhere", path);
    bk_file_close(f);
    return status;
}

/* == By rule == */

#define BATCH 65536 /* numbers a thread takes at once */

struct tally {
    uint64_t wdl[2][3], all[2][3]; /* by side to move and wdl + 1 */
    uint64_t first[2][3];          /* least number with that result; UINT64_MAX: none */
};

struct count_job {
    const struct bk_index *ix;
    struct tally *by_thread;
};

/* How many placements the symmetries make of this one's number: see docs/index.md. */
static unsigned images(const struct bk_index *ix, const struct bk_placement *at)
{
    struct bk_placement turned = *at;
    const struct bk_pairs *pairs = ix->block[bk_index_block(ix, &turned)].pairs;
    int32_t slice = pairs->slice[(size_t)at->king[0] * ix->v->nsq + at->king[1]];

    return (unsigned)__builtin_popcount(ix->group) /
           (unsigned)__builtin_popcount(pairs->stabilizer[slice]);
}

static void count_number(const struct bk_index *ix, uint64_t number, struct tally *t)
{
    struct bk_placement at;
    struct bk_pos p;
    unsigned weight, once;

    bk_index_unrank(ix, number, &at);
    if (!bk_index_position(ix, &at, BK_WHITE, &p))
        return;
    weight = images(ix, &at);
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
static void tally_side(struct side_counts *out, const struct bk_index *ix, const struct tally *t,
                       unsigned side)
{
    *out = (struct side_counts){ .win = t->wdl[side][2],
                                 .draw = t->wdl[side][1],
                                 .loss = t->wdl[side][0],
                                 .all_win = t->all[side][2],
                                 .all_draw = t->all[side][1],
                                 .all_loss = t->all[side][0],
                                 .win_plies = t->wdl[side][2] ? 0 : -1,
                                 .loss_plies = t->wdl[side][0] ? 0 : -1 };
    if (out->win)
        write_fen(ix, t->first[side][2], side, false, out->win_fen);
    if (out->loss)
        write_fen(ix, t->first[side][0], side, false, out->loss_fen);
}

static int count_by_rule(const struct cli *c, const struct bk_variant *v,
                         const struct bk_material *m, struct side_counts out[2])
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

/* == Telling == */

static json_t *longest_json(int64_t plies, const char *fen)
{
    return plies < 0 ? json_null() : json_pack("{sI ss}", "plies", (json_int_t)plies, "fen", fen);
}

static json_t *side_json(const struct side_counts *s)
{
    return json_pack("{sI sI sI so so s{sI sI sI}}", "win", (json_int_t)s->win, "draw",
                     (json_int_t)s->draw, "loss", (json_int_t)s->loss, "longest_win",
                     longest_json(s->win_plies, s->win_fen), "longest_loss",
                     longest_json(s->loss_plies, s->loss_fen), "all", "win", (json_int_t)s->all_win,
                     "draw", (json_int_t)s->all_draw, "loss", (json_int_t)s->all_loss);
}

static void print_longest(const char *what, int64_t plies, const char *fen)
{
    char text[CLI_TEXT_MAX];

    if (plies >= 0)
        printf("  longest %-5s %s: %s\n", what, cli_plies(text, plies), fen);
}

static void print_side(unsigned side, const struct side_counts *s)
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

int cmd_stats(struct cli *c)
{
    char name[BK_MATERIAL_NAME_MAX];
    struct side_counts side[2] = { { .win = 0 } };
    struct bk_material *m = NULL;
    struct bk_variant *v;
    unsigned n;
    bool by_rule;
    int status;

    if (c->nargs < 2 && !c->terrain)
        return cli_fail(CLI_USAGE, "stats: give a material or --for FEN; see bareking stats -h");
    status = cli_variant(c, &v);

    if (status)
        return status;
    status = cli_wanted(c, v, &m, &n);
    if (!status) {
        by_rule = bk_material_by_rule(m, v);
        status = by_rule ? count_by_rule(c, v, m, side) : read_counts(c, v, m, side);
        bk_material_name(m, v, name);
        if (!status && c->json)
            status = cli_print_json(json_pack("{ss ss so so}", "variant", v->name, "material", name,
                                              "white", side_json(&side[0]), "black",
                                              side_json(&side[1])));
        else if (!status) {
            printf("%s of %s%s; results are the mover's\n", name, v->name,
                   by_rule ? ", decided by rule" : "");
            print_side(BK_WHITE, &side[0]);
            print_side(BK_BLACK, &side[1]);
        }
    }
    free(m);
    bk_variant_free(v);
    return status;
}
