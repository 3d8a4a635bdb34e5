/*
 * foretell.c - see foretell.h.
 */
#include "tb/encode/foretell.h"

#include <stdlib.h>
#include <string.h>

#include "core/move.h"
#include "core/rules.h"

/*
 * Of 100 positions those with a value to be told: legal, and not told by their exits.  How many are
 * legal and how many have exits is found out by drawing some: 60 are legal where a queen of chess
 * goes before a king, 90 with pawns.  Of the side that wins more (White, by the names of materials)
 * exits tell most that have any; of the other a tenth or more where baring wins, elsewhere perhaps
 * none.  Distances: of the side that wins more, and the other.  All measured.
 */
enum {
    DRAWN = 512,
    NOT_TOLD = 90,
    EXITS_TELL = 75,
    TOLD_MOST = 40,
    CARE_MORE = 60,
    CARE_LESS = 10
};

struct drawn {
    unsigned legal, exits; /* of DRAWN positions */
};

static struct drawn draw_positions(const struct bk_index *ix, const struct bk_unit_place *place)
{
    uint64_t numbers = place->end - place->first;
    struct drawn d = { 0 };

    for (uint64_t i = 0; numbers && i < DRAWN; i++) { /* spread by the golden ratio */
        uint64_t part = (i * UINT64_C(0x9e3779b97f4a7c15)) >> 32;
        uint64_t number =
            place->first + (numbers >> 32) * part + ((numbers & 0xffffffff) * part >> 32);
        struct bk_move exit[BK_MOVES_MAX];
        struct bk_placement at;
        struct bk_pos p;

        bk_index_unrank(ix, number, &at);
        if (!bk_index_position(ix, &at, place->side, &p) || !bk_pos_legal(ix->v, &p))
            continue;
        d.legal++;
        d.exits += bk_exits_may_be(ix->v, &p) && bk_moves_exits(ix->v, &p, exit);
    }
    return d;
}

static unsigned smaller(unsigned a, unsigned b) { return a < b ? a : b; }

static unsigned care_of(const struct bk_index *ix, const struct bk_unit_place *place, unsigned kind)
{
    struct drawn d;
    unsigned care;

    if (kind && place->side)
        return CARE_LESS;
    d = draw_positions(ix, place);
    care = 100 * d.legal;
    if (kind)
        return smaller(CARE_MORE, (care - 25 * d.exits + DRAWN - 1) / DRAWN);
    if (place->side || bk_table_one_side(&ix->m, ix->v))
        care = (bk_rules_bare_loses(ix->v) ? NOT_TOLD : 100) * d.legal;
    else
        care -= smaller(EXITS_TELL * d.exits, TOLD_MOST * d.legal);
    return (care + DRAWN - 1) / DRAWN;
}

/* Large units of the same numbers, in the order in which they are encoded: the columns of those
   that are still to come lie beside whatever one takes. */
struct large {
    struct bk_unit_memory of[BK_SAMPLES_MAX];
    uint64_t rows[BK_SAMPLES_MAX];    /* bytes of those that others have, and send */
    uint64_t fetched[BK_SAMPLES_MAX]; /* and of how they are found again */
    unsigned n;
};

/* The units of a table, for an estimate. */
struct units {
    struct bk_unit_place *place;
    struct large *large;    /* by place of the first side */
    unsigned nplaces, each; /* of both sides, of one */
    struct bk_rows *rows;
    struct bk_facts *facts;
};

static struct bk_unit_size size_of(const struct units *u, const struct bk_encode_question *q,
                                   const struct bk_unit_place *place, unsigned kind)
{
    return (struct bk_unit_size){ .rows = bk_rows_before(u->rows, place->block + place->nblocks) -
                                          bk_rows_before(u->rows, place->block),
                                  .numbers = place->end - place->first,
                                  .facts = bk_facts_count(u->facts),
                                  .words = bk_facts_words(u->facts),
                                  .bits = kind ? 6 : 2,
                                  .care = care_of(q->ix, place, kind),
                                  .here = place->end - place->first };
}

/* The largest `n` of what threads take by themselves at once, sorted as they come. */
static void insert(uint64_t *most, unsigned n, uint64_t bytes)
{
    for (unsigned i = 0; i < n; i++)
        if (bytes > most[i]) {
            uint64_t t = most[i];

            most[i] = bytes;
            bytes = t;
        }
}

enum { TOGETHER_MAX = 256 };

static uint64_t add_up(const uint64_t *most, unsigned n)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < n; i++)
        sum += most[i];
    return sum;
}

static uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

static uint64_t large_peak(const struct large *l, const struct bk_encode_options *o)
{
    uint64_t most = bk_columns_together(o), later = 0, peak = 0;

    for (unsigned i = l->n; i-- > 0;) {
        const struct bk_unit_memory *m = &l->of[i];
        bool together = later + m->columns <= most;

        peak = larger(peak, (together ? later : 0) + m->columns + m->sampling);
        peak = larger(peak, (together ? later : 0) + m->writing);
        later = together ? later + m->columns : larger(most, m->columns);
    }
    return peak;
}

static enum bk_err units_init(struct units *u, const struct bk_index *ix, struct bk_report *why)
{
    struct bk_fact_men men = bk_table_men(ix);
    bool one_side = bk_table_one_side(&ix->m, ix->v);
    enum bk_err err;

    *u = (struct units){ .nplaces = bk_units_of(ix, one_side, NULL, 0) };
    u->each = one_side ? u->nplaces : u->nplaces / 2;
    u->place = calloc(u->nplaces + 1u, sizeof *u->place);
    u->large = calloc(u->each + 1u, sizeof *u->large);
    if (!u->place || !u->large)
        return bk_no_memory(why);
    bk_units_of(ix, one_side, u->place, u->nplaces);
    err = bk_rows_new(&u->rows, ix, why);
    return err ? err : bk_facts_new(&u->facts, ix->v, &men, why);
}

static void units_release(struct units *u)
{
    bk_rows_free(u->rows);
    bk_facts_free(u->facts);
    free(u->place);
    free(u->large);
}

/* Of the files the shards of so many numbers of a unit. */
static uint64_t shard_bytes(const struct bk_encode_question *q, uint64_t numbers, unsigned kind)
{
    unsigned sides = bk_table_one_side(&q->ix->m, q->ix->v) ? 1 : 2;

    return (uint64_t)((double)numbers / (double)q->ix->positions / sides *
                      (double)q->file_bytes[kind]);
}

/* A unit that all processes encode. */
static void measure_large(struct large *l, struct bk_unit_size *n, unsigned kind,
                          const struct bk_encode_question *q, uint64_t *own)
{
    const struct bk_encode_options *o = q->options;
    struct bk_unit_options options = { .effort = o->effort,
                                       .memory_bytes = o->memory_bytes / q->some.ranks };
    uint64_t drawn = bk_sample_rows_drawn(n, o->effort);
    struct bk_unit_memory *m = &l->of[l->n];
    uint64_t sent, rows = drawn * bk_row_words_sent(n->words, n->bits) * sizeof(uint64_t);

    n->here = bk_unit_most(n->numbers, q->some);
    n->taught = q->some.from > 0;
    *m = bk_unit_memory(n, &options, q->threads);
    *own = larger(*own, m->own);
    if (q->some.ranks > 1) {
        /* shards that were made here, or come here, when the unit is done */
        sent = n->taught ? n->here : n->numbers - n->here;
        m->writing += shard_bytes(q, sent, kind);
        if (n->taught) /* it answers, and has heard which are wanted */
            rows = (uint64_t)((double)rows / (double)n->numbers * (double)n->here) + 8 * drawn;
        l->rows[l->n] = rows;
        l->fetched[l->n] = rows + (sizeof(uint32_t) << bk_fetched_bits(drawn));
    }
    l->n++;
}

/* With what is fetched by who learns for all: for units that are sampled together it is there until
   they are, and when it comes, what came last is there twice.  The others have what they send. */
static uint64_t large_peak_of(const struct large *l, const struct bk_encode_question *q)
{
    uint64_t peak = large_peak(l, q->options), list = 0, rows = 0, together = 0, fetched = 0;

    if (q->some.ranks < 2)
        return peak;
    for (unsigned i = 0; i < l->n; i++) {
        const struct bk_unit_memory *m = &l->of[i];

        rows = larger(rows, l->rows[i]);
        list = larger(list, m->sampling);
        fetched += l->fetched[i];
        if (!i || together + m->columns <= bk_columns_together(q->options))
            together += m->columns;
        else
            peak = larger(peak, m->columns + m->sampling + l->fetched[i]);
    }
    if (q->some.from)
        return larger(peak, rows);
    return larger(peak, fetched + list + larger(rows, together));
}

/* What the processes take that have small units, by themselves. */
struct small {
    uint64_t most[TOGETHER_MAX], own[TOGETHER_MAX];
};

enum bk_err bk_encode_estimate(uint64_t *peak, uint64_t *own, const struct bk_encode_question *q,
                               struct bk_report *why)
{
    const struct bk_encode_options *o = q->options;
    unsigned together = q->threads < TOGETHER_MAX ? q->threads : TOGETHER_MAX;
    const struct bk_unit_options alone = { .effort = o->effort, .memory_bytes = o->memory_bytes };
    struct small *small = calloc(q->some.ranks, sizeof *small);
    struct units u;
    enum bk_err err = units_init(&u, q->ix, why);

    if (!err && !small)
        err = bk_no_memory(why);
    *peak = *own = 0;
    for (unsigned i = 0; !err && i < (o->distances ? 2 : 1) * u.nplaces; i++) {
        const struct bk_unit_place *p = &u.place[i % u.nplaces];
        struct bk_unit_size n = size_of(&u, q, p, i / u.nplaces);
        struct small *s = &small[i % u.nplaces % q->some.ranks];
        struct bk_unit_memory m;

        if (n.numbers >= BK_LARGE_UNIT) {
            measure_large(&u.large[i % u.nplaces % u.each], &n, i / u.nplaces, q, own);
            continue;
        }
        m = bk_unit_memory(&n, &alone, 1);
        insert(s->most, together, larger(m.columns + m.sampling, m.writing));
        insert(s->own, together, m.own);
    }
    for (unsigned i = 0; !err && i < u.each; i++)
        *peak = larger(*peak, large_peak_of(&u.large[i], q));
    for (unsigned r = q->some.from; !err && r < q->some.end; r++) {
        *peak = larger(*peak, add_up(small[r].most, together));
        *own = larger(*own, add_up(small[r].own, together));
    }
    free(small);
    units_release(&u);
    return err;
}

/* Bytes that all processes send in turn for a sampled position: the tree, counts by leaf and by
   question, packed.  Most tables have few leaves; measured, 0.3 to 3. */
#define LEARNED_BYTES 1.0

static void add_traffic(uint64_t *rows, uint64_t *shards, const struct bk_unit_size *n,
                        const struct bk_encode_question *q, unsigned kind, unsigned place)
{
    const struct bk_some_ranks first = { q->some.ranks, 0, 1 };
    uint64_t numbers = n->numbers, drawn = bk_sample_rows_drawn(n, q->options->effort);
    unsigned others = q->some.ranks - 1;
    uint64_t away = numbers - bk_unit_most(numbers, first);
    double share;

    if (numbers < BK_LARGE_UNIT)
        away = place % q->some.ranks ? numbers : 0;
    share = (double)away / (double)numbers;
    *shards += shard_bytes(q, away, kind);
    if (numbers < BK_LARGE_UNIT)
        return;
    *rows += others * drawn * sizeof(uint64_t); /* which are wanted */
    *rows += (uint64_t)(share *
                        (double)(drawn * bk_row_words_sent(n->words, n->bits) * sizeof(uint64_t)));
    *rows += (uint64_t)(LEARNED_BYTES * others * (double)drawn);
}

enum bk_err bk_encode_traffic(uint64_t *rows, uint64_t *shards, const struct bk_encode_question *q,
                              struct bk_report *why)
{
    struct units u;
    enum bk_err err = units_init(&u, q->ix, why);

    *rows = *shards = 0;
    for (unsigned i = 0; !err && i < (q->options->distances ? 2 : 1) * u.nplaces; i++) {
        unsigned kind = i / u.nplaces, place = i % u.nplaces;
        struct bk_unit_size n = size_of(&u, q, &u.place[place], kind);

        if (n.numbers)
            add_traffic(rows, shards, &n, q, kind, place);
    }
    units_release(&u);
    return err;
}

/* == Of several processes == */

/* The sides to move of a small unit that a process encodes, of two. */
static unsigned small_sides(const struct bk_index *ix, unsigned nth, unsigned rank, unsigned ranks)
{
    unsigned other = nth + bk_units_of(ix, true, NULL, 0);

    if (bk_table_one_side(&ix->m, ix->v))
        other = nth;
    return (nth % ranks == rank ? 1u : 0) + (other % ranks == rank ? 1u : 0);
}

double bk_encode_share(const struct bk_index *ix, unsigned nth, const struct bk_unit_place *p,
                       struct bk_some_ranks some)
{
    uint64_t numbers = p->end - p->first, most;
    unsigned sides = 0;

    for (unsigned r = some.from; numbers < BK_LARGE_UNIT && r < some.end; r++) {
        unsigned here = small_sides(ix, nth, r, some.ranks);

        sides = here > sides ? here : sides;
    }
    if (numbers < BK_LARGE_UNIT)
        return sides / 2.0;
    if (some.ranks < 2 || ix->order[0] != BK_KINGS_SLOT)
        return 1;
    most = bk_unit_most(numbers, some);
    most += most ? 2 * ix->block[0].slice_weight : 0; /* slices are whole */
    return most < numbers ? (double)most / (double)numbers : 1;
}

/* The unit that a block is part of, with this side to move; the same for both where one is told. */
static const struct bk_unit_place *place_of(const struct bk_encode_places *e, uint32_t block,
                                            unsigned side)
{
    const struct bk_unit_place *p = e->place;

    while (block < p->block || block >= p->block + p->nblocks || (!e->one_side && p->side != side))
        p++;
    return p;
}

uint64_t bk_encode_readers(const struct bk_encode_places *e, uint32_t block, uint32_t slice,
                           unsigned side)
{
    const struct bk_block *b = &e->ix->block[block];
    const struct bk_unit_place *p = place_of(e, block, side);
    uint64_t first = b->first + slice * b->slice_weight, end = first + b->slice_weight;
    uint64_t readers = 0;

    if (p->end - p->first < BK_LARGE_UNIT)
        return UINT64_C(1) << (unsigned)(p - e->place) % e->ranks;
    if (e->ix->order[0] != BK_KINGS_SLOT)
        return ~UINT64_C(0);
    for (unsigned r = bk_unit_rank(p->first, p->end, first, e->ranks);
         r <= bk_unit_rank(p->first, p->end, end - 1, e->ranks); r++)
        readers |= UINT64_C(1) << r;
    return readers;
}
