/*
 * facts.c - the calls of facts.h: picks the width of sets that the board needs.
 *
 *   facts/list.c   which facts there are, and their numbers
 *   facts/text.c   facts in words
 *   facts/tree.c   trees laid out for looks
 *   facts/width.c  the evaluators, one position (one.h) or a row (row.h) at a time,
 *                  over tables of who attacks what (reach.h); compiled once for each width
 */
#include "core/facts.h"

#include <stdlib.h>

#include "core/facts/list.h"

static const struct fact_width *width_for(unsigned bits)
{
    return bits <= 64 ? &bk_fact_width_64 : bits <= 128 ? &bk_fact_width_128 : &bk_fact_width_256;
}

/* For tests, BAREKING_SET_BITS asks for wider sets than the board needs. */
static const struct fact_width *width_wished(unsigned nsq)
{
    const char *wish = getenv("BAREKING_SET_BITS");
    unsigned bits = wish ? (unsigned)atoi(wish) : 0;

    return width_for(bits < nsq ? nsq : bits);
}

enum bk_err bk_facts_new(struct bk_facts **out, const struct bk_variant *v,
                         const struct bk_fact_men *men, struct bk_report *why)
{
    struct bk_facts *f = malloc(sizeof *f);
    enum bk_err err;

    if (!f)
        return bk_fail(why, BK_E_SYSTEM, "out of memory");
    err = bk_fact_list_init(f, v, men, why);
    if (err) {
        free(f);
        return err;
    }
    f->width_ops = width_wished(v->nsq);
    f->reach = f->width_ops->reach_new(f);
    if (!f->reach) {
        bk_facts_free(f);
        return bk_fail(why, BK_E_SYSTEM, "out of memory");
    }
    *out = f;
    return BK_OK;
}

void bk_facts_free(struct bk_facts *f)
{
    if (f) {
        f->width_ops->reach_free(f->reach);
        bk_fact_list_release(f);
        free(f);
    }
}

size_t bk_facts_bytes(const struct bk_facts *f)
{
    return sizeof *f + f->ngroups * sizeof *f->group + f->nfacts * sizeof *f->item + 128;
}

unsigned bk_facts_count(const struct bk_facts *f) { return f->nfacts; }
unsigned bk_facts_words(const struct bk_facts *f) { return f->width_ops->words; }
unsigned bk_facts_board_words(const struct bk_facts *f) { return width_for(f->v->nsq)->words; }

unsigned bk_fact_cost(const struct bk_facts *f, unsigned fact)
{
    switch (f->item[fact].kind) {
    case FACT_KING_SAFE: return 2;
    case FACT_MAN_SAFE:
    case FACT_FORK: return 3;
    default: return 0;
    }
}

static const struct fact_width *width_of(const struct bk_fact_look *look)
{
    return ((const struct look_head *)(const void *)look)->f->width_ops;
}

void bk_fact_look(struct bk_fact_look *look, const struct bk_facts *f, const uint8_t sq[BK_MEN_MAX])
{
    f->width_ops->look(look, f, sq);
}

int32_t bk_fact_look_leaf(struct bk_fact_look *look, const struct bk_fact_tree *tree)
{
    return width_of(look)->look_leaf(look, tree);
}

uint64_t bk_fact_look_takes(const struct bk_fact_look *look, unsigned colour)
{
    return width_of(look)->look_takes(look, colour);
}

bool bk_fact_look_exposes(const struct bk_fact_look *look, unsigned by, unsigned to, unsigned taken)
{
    return width_of(look)->look_exposes(look, by, to, taken);
}

void bk_fact_look_quiet(struct bk_fact_look *look, unsigned by, struct bk_bits *out)
{
    width_of(look)->look_quiet(look, by, out);
}

bool bk_fact_look_bares_back(const struct bk_fact_look *look, struct bk_fact_take take)
{
    return width_of(look)->look_bares_back(look, take);
}

enum bk_err bk_fact_row_new(struct bk_fact_row **out, const struct bk_facts *f, unsigned inner,
                            struct bk_report *why)
{
    *out = f->width_ops->row_new(f, inner);
    return *out ? BK_OK : bk_fail(why, BK_E_SYSTEM, "out of memory");
}

void bk_fact_row_free(struct bk_fact_row *row) { free(row); }

void bk_fact_row_set(struct bk_fact_row *row, const uint8_t *sq)
{
    row->f->width_ops->row_set(row, sq);
}

void bk_fact_row_descend(struct bk_fact_row *row, const struct bk_fact_node *tree,
                         const uint64_t *care, bk_leaf_visit *visit, void *context)
{
    row->f->width_ops->row_descend(row, tree, care, visit, context);
}

void bk_fact_row_all(struct bk_fact_row *row, const uint64_t *care, uint64_t *out)
{
    row->f->width_ops->row_all(row, care, out);
}
