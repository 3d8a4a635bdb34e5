/*
 * values.c - see values.h.
 */
#include "study/values.h"

#include <stdlib.h>
#include <string.h>

static enum bk_err open_settled(struct study_values *x, const struct study_values_options *o,
                                struct bk_report *why)
{
    const struct bk_settled_options s = { .v = o->v,
                                          .catalog = x->catalog,
                                          .pool = o->pool,
                                          .stop = o->stop,
                                          .memory = o->memory,
                                          .context = o->context,
                                          .progress = o->progress };
    const struct bk_table *table;
    char name[BK_MATERIAL_NAME_MAX];
    enum bk_err err = bk_catalog_open(x->catalog, &x->m, &table, why);

    bk_material_name(&x->m, x->v, name);
    if (err == BK_E_NO_TABLE)
        return bk_fail(why, err, "no table %s of %s in %s", name, x->v->name, o->dir);
    if (err)
        return err;
    x->distances = table->dtw;
    x->five = table->five;
    err = bk_settled_new(&x->settled, &s, &x->m, why);
    if (!err && !x->settled)
        return bk_fail(why, BK_E_USAGE,
                       "the values of %s and of the tables that it leads to need more than "
                       "--memory %llu",
                       name, (unsigned long long)o->memory);
    return err ? err : bk_settled_losses(x->settled, why);
}

enum bk_err study_values_open(struct study_values *out, const struct study_values_options *o,
                              const struct bk_material *m, struct bk_report *why)
{
    enum bk_err err;

    *out = (struct study_values){ .v = o->v, .pool = o->pool, .m = *m };
    err = bk_catalog_new(&out->catalog, o->v, o->dir, why);
    if (!err)
        err = open_settled(out, o, why);
    if (err) {
        study_values_close(out);
        return err;
    }
    out->index = bk_settled_index(out->settled);
    out->one_sided = bk_settled_one_sided(out->settled);
    return BK_OK;
}

void study_values_close(struct study_values *x)
{
    bk_settled_free(x->settled);
    bk_catalog_free(x->catalog);
    x->settled = NULL;
    x->catalog = NULL;
}

/* == Counting == */

struct counting {
    const struct bk_index *index;
    struct study_tally *by_thread;
};

static void count(void *context, unsigned thread, const struct bk_seen *seen)
{
    const struct counting *c = context;
    struct study_tally *t = &c->by_thread[thread];
    unsigned side = seen->p->stm, plies = (unsigned)seen->stored.plies;

    if (!bk_index_is_first(c->index, seen->number, seen->at))
        return;
    if (!seen->stored.wdl) {
        t->draw[side]++;
        return;
    }
    (seen->stored.wdl > 0 ? t->win : t->loss)[side]++;
    if (seen->stored.plies < 0)
        return;
    if (plies > t->longest)
        t->longest = plies;
    if (plies >= STUDY_PLIES_MAX)
        plies = STUDY_PLIES_MAX - 2 + (plies & 1);
    t->plies[side][plies]++;
}

static void add_up(struct study_tally *sum, const struct study_tally *t)
{
    for (unsigned side = 0; side < 2; side++) {
        sum->win[side] += t->win[side];
        sum->draw[side] += t->draw[side];
        sum->loss[side] += t->loss[side];
        for (unsigned i = 0; i < STUDY_PLIES_MAX; i++)
            sum->plies[side][i] += t->plies[side][i];
    }
    if (t->longest > sum->longest)
        sum->longest = t->longest;
}

enum bk_err study_tally(struct study_tally *out, struct study_values *x, struct bk_report *why)
{
    unsigned threads = bk_pool_threads(x->pool);
    struct counting c = { .index = x->index };
    enum bk_err err;

    memset(out, 0, sizeof *out);
    c.by_thread = calloc(threads, sizeof *c.by_thread);
    if (!c.by_thread)
        return bk_no_memory(why);
    err = bk_settled_scan(x->settled, 0, bk_settled_rows(x->settled), count, &c, why);
    for (unsigned i = 0; i < threads; i++)
        add_up(out, &c.by_thread[i]);
    free(c.by_thread);
    return err;
}
