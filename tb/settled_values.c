/*
 * settled_values.c - see settled_values.h.
 */
#include "tb/settled_values.h"

#include "core/end.h"

static size_t bucket_of(const struct bk_settled *s, const struct bk_file *f)
{
    return (size_t)((uintptr_t)f / 64 * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (s->buckets - 1);
}

void bk_settled_values_hash(struct bk_settled *s)
{
    for (size_t i = 0; i < s->n; i++) {
        size_t at = bucket_of(s, s->values[i].table->wdl);

        while (s->by_file[at])
            at = (at + 1) & (s->buckets - 1);
        s->by_file[at] = &s->values[i];
    }
}

static const struct bk_settled_values *values_of(const struct bk_settled *s,
                                                 const struct bk_file *f)
{
    for (size_t i = bucket_of(s, f); s->by_file[i]; i = (i + 1) & (s->buckets - 1))
        if (s->by_file[i]->table->wdl == f)
            return s->by_file[i];
    return NULL;
}

enum bk_err bk_settled_ask_files(const struct bk_settled *s, const struct bk_pos *p, bool distances,
                                 struct bk_worth *out, struct bk_report *why)
{
    struct bk_window all = { -1, 1 << 20 };
    enum bk_err err = bk_settle_wdl(&s->tables, p, &out->wdl, why);

    out->plies = -1;
    if (!err && distances && out->wdl)
        err = bk_settle_plies(&s->tables, p, out->wdl, all, &out->plies, why);
    return err;
}

enum bk_err bk_settled_worth_after(const struct bk_settled *s, const struct bk_pos *p,
                                   bool distances, struct bk_worth *out, uint64_t *number,
                                   struct bk_report *why)
{
    const struct bk_table *table;
    const struct bk_settled_values *t = NULL;
    struct bk_spot spot;
    unsigned code = BK_SETTLED_NOTHING;

    if (bk_pos_bare(s->o.v, p, &out->wdl) != BK_END_NONE) {
        out->plies = 0;
        return BK_OK;
    }
    if (p->ep == BK_SQ_NONE && !bk_catalog_table(s->o.catalog, p, &table, why))
        t = values_of(s, table->wdl);
    if (!t || (distances && !t->distances) || bk_spot_of(&spot, table, table->wdl, p, why))
        return bk_settled_ask_files(s, p, distances, out, why);
    if (number)
        *number = spot.number;
    code = bk_settled_load(t, spot.side, spot.number);
    if (code == BK_SETTLED_NOTHING || code == t->ask)
        return bk_settled_ask_files(s, p, distances, out, why);
    *out = bk_settled_worth_of(t, code);
    return BK_OK;
}
