/*
 * scan.c - see scan.h.
 *
 * Idea: rows are mostly asked in order, so the unit and the shard of the row before are tried
 * first.
 */
#include "table/scan.h"

#include <stdlib.h>
#include <string.h>

#include "table/units.h"

struct bk_scan {
    struct bk_file *f;
    struct bk_brain *brain; /* pinned */
    struct bk_fact_row *row;
    unsigned words;
    /* where the last row was */
    struct bk_open_unit *unit;
    const struct bk_loaded_unit *loaded;
    uint32_t local;
};

enum bk_err bk_scan_new(struct bk_scan **out, struct bk_file *f, struct bk_report *why)
{
    struct bk_scan *s = calloc(1, sizeof *s);
    enum bk_err err;

    if (!s)
        return bk_file_no_memory(f, why);
    s->f = f;
    err = bk_brain_pinned(f, &s->brain, why);
    if (!err) {
        s->words = bk_facts_words(s->brain->facts);
        err = bk_fact_row_new(&s->row, s->brain->facts, f->inner, why);
    }
    if (err)
        bk_scan_free(s);
    else
        *out = s;
    return err;
}

void bk_scan_free(struct bk_scan *s)
{
    if (s) {
        bk_fact_row_free(s->row);
        free(s);
    }
}

bool bk_row_care(const struct bk_row *row, unsigned men, uint64_t care[4])
{
    uint64_t taken[4] = { 0 };

    memset(care, 0, 4 * sizeof *care);
    for (unsigned i = 0; i < men; i++) {
        uint64_t bit = UINT64_C(1) << (row->sq[i] & 63);

        if (i == row->inner)
            continue;
        if (taken[row->sq[i] >> 6] & bit)
            return false;
        taken[row->sq[i] >> 6] |= bit;
    }
    for (uint32_t i = 0; i < row->n; i++)
        care[row->inner_sq[i] >> 6] |= UINT64_C(1) << (row->inner_sq[i] & 63);
    for (unsigned w = 0; w < 4; w++)
        care[w] &= ~taken[w];
    return true;
}

/* Finds the unit and shard of a row; those of the row before are tried first. */
static enum bk_err go_to(struct bk_scan *s, unsigned side, uint64_t first, struct bk_report *why)
{
    struct bk_open_unit *u = s->unit;
    const struct bk_directory *d;
    enum bk_err err;

    if (!u || u->place.side != side || first < u->place.first || first >= u->place.end) {
        if (!(u = bk_unit_with(s->f, side, first)))
            return bk_file_no_number(s->f, first, why);
        s->unit = NULL;
        if ((err = bk_brain_unit(s->f, s->brain, u, &s->loaded, why)) != BK_OK)
            return err;
        s->unit = u;
        s->local = 0;
    }
    d = &s->loaded->directory;
    if (first < d->shard[s->local].first ||
        (s->local + 1 < d->n && first >= d->shard[s->local + 1].first))
        s->local = bk_directory_find(d, first);
    return BK_OK;
}

enum bk_err bk_scan_row(struct bk_scan *s, unsigned side, const struct bk_row *row,
                        const uint64_t *care, struct bk_row_values *out, struct bk_report *why)
{
    struct bk_shard_place place;
    const uint8_t *bytes;
    unsigned visit;
    enum bk_err err = go_to(s, side, row->first, why);

    if (err)
        return err;
    place = bk_shard_place_of(s->unit, s->loaded, s->local);
    visit = bk_visit_begin(s->f->cache);
    if ((err = bk_file_shard(s->f, &place, &bytes, why)) == BK_OK) {
        bk_fact_row_set(s->row, row->sq);
        bk_model_row(s->loaded->model, &s->loaded->directory.shard[s->local], bytes, row->first,
                     s->row, care, s->words, bk_kind_bits(s->f->head.info.kind), out);
    }
    bk_visit_end(s->f->cache, visit);
    return err;
}
