/*
 * foretell.c - see foretell.h.
 *
 * A random sample of positions says for how many a value must be stored; that, the sizes of the
 * units and measured constants say what encoding takes.
 */
#include "tb/encode/foretell.h"

#include <stdlib.h>
#include <string.h>

#include "core/attack.h"
#include "core/end.h"
#include "core/move.h"
#include "core/rules.h"

/* == A random sample of positions ==
 *
 * An exit wins for certain if it bares the other king, and that ends the game; or if what is left
 * gives mate to a king alone, who has nothing to take.  If each side has one man, there are no
 * other winning exits.  Of other exits nothing is known but what was measured.
 */

/* Can a man of `type` and a king of `colour` near by mate the other king on `sq`? */
static bool mates_on(const struct bk_variant *v, unsigned type, unsigned colour, unsigned sq)
{
    for (unsigned king = 0; king < v->nsq; king++) {
        int files = (int)(king % v->files) - (int)(sq % v->files);
        int ranks = (int)(king / v->files) - (int)(sq / v->files);

        if (king == sq || files * files > 9 || ranks * ranks > 9 || !bk_bits_has(&v->board, king))
            continue;
        for (unsigned man = 0; man < v->nsq; man++) {
            struct bk_pos p;
            int wdl;

            if (man == sq || man == king || !bk_bits_has(&v->board, man))
                continue;
            bk_pos_init(&p, v);
            p.stm = !colour;
            bk_pos_put(&p, v, v->royal, !colour, sq);
            bk_pos_put(&p, v, v->royal, colour, king);
            bk_pos_put(&p, v, type, colour, man);
            if (bk_in_check(v, &p, !colour) && bk_pos_legal(v, &p) &&
                bk_pos_end(v, &p, &wdl) == BK_END_CHECKMATE)
                return true;
        }
    }
    return false;
}

/* The square where a king alone has the fewest moves. */
static unsigned corner_of(const struct bk_variant *v, unsigned colour)
{
    unsigned corner = 0, fewest = BK_MOVES_MAX;

    for (unsigned sq = 0; sq < v->nsq; sq++) {
        struct bk_move move[BK_MOVES_MAX];
        struct bk_pos p;
        unsigned n;

        if (!bk_bits_has(&v->board, sq))
            continue;
        bk_pos_init(&p, v);
        p.stm = (uint8_t)colour;
        bk_pos_put(&p, v, v->royal, colour, sq);
        n = bk_moves_pseudo(v, &p, move);
        if (n < fewest) {
            fewest = n;
            corner = sq;
        }
    }
    return corner;
}

struct drawing {
    const struct bk_variant *v;
    bool known[2][BK_TYPES_MAX], mates[2][BK_TYPES_MAX]; /* by colour, type: mates a king alone? */
};

/* Can one of the men of a side, with its king, mate a king alone? */
static bool mates_alone(struct drawing *g, const struct bk_pos *p, unsigned colour)
{
    for (unsigned type = 0; type < BK_TYPES_MAX; type++) {
        if (!p->count[colour][type] || type == g->v->royal)
            continue;
        if (!g->known[colour][type])
            g->mates[colour][type] = mates_on(g->v, type, colour, corner_of(g->v, !colour));
        g->known[colour][type] = true;
        if (g->mates[colour][type])
            return true;
    }
    return false;
}

/* Has the side to move lost because it is bare? */
static bool is_over(const struct drawing *g, const struct bk_pos *p)
{
    int wdl;

    return bk_pos_bare(g->v, p, &wdl) == BK_END_BARE && wdl < 0;
}

/* Is the side to move a king alone, with nothing to take, that will be mated? */
static bool will_be_mated(struct drawing *g, const struct bk_pos *p)
{
    struct bk_move move[BK_MOVES_MAX];

    return !bk_rules_bare_loses(g->v) && bk_bits_single(&p->by[p->stm]) &&
           !bk_moves_exits(g->v, p, move) && mates_alone(g, p, !p->stm);
}

/* Counts a position by its exits. */
static void count_exits(struct bk_drawn *out, struct drawing *g, const struct bk_pos *p,
                        const struct bk_move *exit, unsigned n)
{
    bool wins = false, ends = false;

    out->exits += n > 0;
    if (bk_bits_count(&p->by[!p->stm]) > 3) /* a move takes two at most */
        return;
    for (unsigned i = 0; i < n && !ends; i++) {
        struct bk_pos next = *p;

        bk_pos_play(&next, g->v, &exit[i]);
        if (!bk_pos_legal(g->v, &next))
            continue;
        ends = is_over(g, &next);
        wins = wins || ends || will_be_mated(g, &next);
    }
    out->wins += wins;
    out->ends += ends;
}

void bk_draw_positions(struct bk_drawn *out, const struct bk_index *ix,
                       const struct bk_unit_place *place, unsigned n)
{
    uint64_t numbers = place->end - place->first;
    struct drawing g = { .v = ix->v };

    *out = (struct bk_drawn){ .n = n };
    for (uint64_t i = 0; numbers && i < n; i++) { /* spread by the golden ratio */
        uint64_t part = (i * UINT64_C(0x9e3779b97f4a7c15)) >> 32;
        uint64_t number =
            place->first + (numbers >> 32) * part + ((numbers & 0xffffffff) * part >> 32);
        struct bk_move exit[BK_MOVES_MAX];
        struct bk_placement at;
        struct bk_pos p;
        unsigned exits;

        bk_index_unrank(ix, number, &at);
        if (!bk_index_position(ix, &at, place->side, &p) || !bk_pos_legal(ix->v, &p))
            continue;
        exits = bk_exits_may_be(ix->v, &p) ? bk_moves_exits(ix->v, &p, exit) : 0;
        out->legal++;
        count_exits(out, &g, &p, exit, exits);
    }
}

/*
 * Measured.  60 of 100 positions are legal where the side to move has a queen of chess, 90 with
 * pawns.  For the side that wins more, most exits win, also those of which nothing is known; for
 * the other side perhaps none.
 *
 * Distances are stored for positions that are won, but not at once.  Their number is not known
 * before: of the side that wins more all or hardly any, of the other few; where both have the same
 * men 40 at the most, and 20 as a rule.
 */
enum { EXITS_WIN = 75, TOLD_MOST = 40 };
static const unsigned won_of[] = {
    [BK_WINS_MORE] = 70,
    [BK_WINS_LESS] = 10,
    [BK_WINS_EVEN] = 40,
};

static unsigned smaller(unsigned a, unsigned b) { return a < b ? a : b; }

/* Returns `positions` for each drawn one, 100 at most; and one more, as the sample is random. */
static unsigned share_of(const struct bk_drawn *d, unsigned positions)
{
    return smaller(100, (positions + d->n - 1) / d->n + 1);
}

unsigned bk_drawn_results(const struct bk_drawn *d, enum bk_mover mover)
{
    unsigned told = 100 * d->wins, others = EXITS_WIN * (d->exits - d->wins);

    if (mover == BK_WINS_MORE && told < TOLD_MOST * d->legal)
        told = smaller(told + others, TOLD_MOST * d->legal);
    return share_of(d, 100 * d->legal - told);
}

unsigned bk_drawn_results_alone(const struct bk_drawn *d) { return share_of(d, 100 * d->legal); }

unsigned bk_drawn_distances(const struct bk_drawn *d, enum bk_mover mover)
{
    return smaller(won_of[mover], share_of(d, 100 * (d->legal - d->ends)));
}

/* Positions that are drawn of a unit: a share is right within one or two of 100. */
#define DRAWN 2048

struct bk_drawn *bk_encode_draw(const struct bk_index *ix)
{
    bool one_side = bk_table_one_side(&ix->m, ix->v);
    unsigned n = bk_units_of(ix, one_side, NULL, 0);
    struct bk_unit_place *place = calloc(n + 1u, sizeof *place);
    struct bk_drawn *drawn = calloc(n + 1u, sizeof *drawn);

    if (place)
        bk_units_of(ix, one_side, place, n);
    for (unsigned i = 0; place && drawn && i < n; i++)
        bk_draw_positions(&drawn[i], ix, &place[i], DRAWN);
    if (!place) {
        free(drawn);
        drawn = NULL;
    }
    free(place);
    return drawn;
}

/* == Memory == */

/* Large units of the same numbers, in the order in which they are encoded: the columns of those
   that are still to come lie beside whatever one takes. */
struct large {
    struct bk_unit_memory of[BK_SAMPLES_MAX];
    uint64_t rows[BK_SAMPLES_MAX];    /* bytes of the rows that others have, and send */
    uint64_t fetched[BK_SAMPLES_MAX]; /* bytes of these and of their hash table */
    unsigned n, results;              /* units; the first of them are of results */
};

/* The units of a table, for an estimate. */
struct units {
    struct bk_unit_place *place;
    struct large *large;    /* by place of the first side */
    unsigned nplaces, each; /* of both sides, of one */
    bool counts;            /* struct bk_encode_options */
    struct bk_rows *rows;
    struct bk_facts *facts;
};

/* Returns how many of 100 positions of a unit will have a stored value. */
static unsigned care_of(const struct units *u, unsigned nth, unsigned kind,
                        const struct bk_encode_question *q)
{
    const struct bk_drawn *d = &q->drawn[nth];
    enum bk_mover mover = u->each == u->nplaces ? BK_WINS_EVEN
                          : u->place[nth].side  ? BK_WINS_LESS
                                                : BK_WINS_MORE;

    if (!kind && q->options->standalone)
        return bk_drawn_results_alone(d);
    return kind ? bk_drawn_distances(d, mover) : bk_drawn_results(d, mover);
}

/* Returns the size of a unit, all but `care`. */
static struct bk_unit_size size_of(const struct units *u, unsigned nth, unsigned kind)
{
    const struct bk_unit_place *place = &u->place[nth];

    return (struct bk_unit_size){ .rows = bk_rows_before(u->rows, place->block + place->nblocks) -
                                          bk_rows_before(u->rows, place->block),
                                  .numbers = place->end - place->first,
                                  .facts = bk_facts_count(u->facts),
                                  .words = bk_facts_words(u->facts),
                                  .board_words = bk_facts_board_words(u->facts),
                                  .bits = kind        ? 6
                                          : u->counts ? BK_FIVE_BITS
                                                      : BK_RESULT_BITS,
                                  .five = !kind && u->counts,
                                  .here = place->end - place->first };
}

/* Puts `bytes` among `most`, the n largest so far, in descending order. */
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
static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* Bytes of the columns of units [from, end). */
static uint64_t columns_of(const struct large *l, unsigned from, unsigned end)
{
    uint64_t sum = 0;

    for (unsigned i = from; i < end; i++)
        sum += l->of[i].columns;
    return sum;
}

/* Results whose columns take more are sampled one side after the other: their facts are worked out
   twice, in half the memory. */
#define RESULTS_MOST (UINT64_C(3) << 30)

/* Bytes of the columns of results that are sampled together. */
static uint64_t results_together(const struct large *l)
{
    uint64_t all = columns_of(l, 0, l->results), most = 0;

    if (all <= RESULTS_MOST)
        return all;
    for (unsigned i = 0; i < l->results; i++)
        most = larger(most, l->of[i].columns);
    return most;
}

/* Bytes that solving has taken and encoding may take now. */
static uint64_t solving_room(const struct bk_encode_question *q)
{
    return q->solving_bytes > q->beside_bytes ? q->solving_bytes - q->beside_bytes : 0;
}

/* Distances may add 1 / DISTANCES_PART to all that is there while results are sampled.  Results may
   take 1 / CHANCE_PART more than estimated, because the positions were drawn at random. */
enum { DISTANCES_PART = 20, CHANCE_PART = 32 };

/*
 * Returns the bytes that columns may take together: as much as solving has taken, or results with
 * distances, but of these no more than 1 / DISTANCES_PART of all that is there.  If there are more
 * distances they are sampled later, where results have been.  So the estimate is at most that part
 * above what is taken, whether there are no distances or many.
 */
static uint64_t columns_together(const struct large *l, const struct bk_encode_question *q)
{
    uint64_t results = results_together(l), distances = columns_of(l, l->results, l->n);
    uint64_t besides = l->n ? l->of[0].sampling : 0, room = solving_room(q), part;

    for (unsigned i = 0; i < l->n; i++)
        besides += l->fetched[i];
    room = room > besides ? room - besides : 0;
    part = (q->beside_bytes + besides + results) / DISTANCES_PART;
    return larger(room, results + larger(results / CHANCE_PART, least(distances, part)));
}

/* Returns the bytes of columns that are there when unit i is encoded: its own and those after it.
   If all results were sampled together, distances could take only what these left of `most`. */
static uint64_t columns_from(const struct large *l, unsigned i, uint64_t most)
{
    uint64_t results = columns_of(l, 0, l->results), others = columns_of(l, l->results, l->n);

    if (i < l->results && results <= most)
        return columns_of(l, i, l->results) + least(others + results / CHANCE_PART, most - results);
    return larger(l->of[i].columns, least(columns_of(l, i, l->n), most));
}

static uint64_t large_peak(const struct large *l, uint64_t most)
{
    uint64_t peak = 0;

    for (unsigned i = 0; i < l->n; i++) {
        const struct bk_unit_memory *m = &l->of[i];
        uint64_t columns = columns_from(l, i, most);

        peak = larger(peak, columns + m->sampling);
        peak = larger(peak, columns - m->columns + m->writing);
    }
    return peak;
}

static enum bk_err units_init(struct units *u, const struct bk_encode_question *q,
                              struct bk_report *why)
{
    const struct bk_index *ix = q->ix;
    struct bk_fact_men men = bk_table_men(ix);
    bool one_side = bk_table_one_side(&ix->m, ix->v);
    enum bk_err err;

    *u = (struct units){ .nplaces = bk_units_of(ix, one_side, NULL, 0),
                         .counts = q->options->counts };
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

/* Estimates the bytes of shards for so many numbers of a unit. */
static uint64_t shard_bytes(const struct bk_encode_question *q, uint64_t numbers, unsigned kind)
{
    unsigned sides = bk_table_one_side(&q->ix->m, q->ix->v) ? 1 : 2;

    return (uint64_t)((double)numbers / (double)q->ix->positions / sides *
                      (double)q->file_bytes[kind]);
}

/* Adds a unit that all processes encode to `l`. */
static void measure_large(struct large *l, struct bk_unit_size *n, unsigned kind,
                          const struct bk_encode_question *q, uint64_t *own)
{
    const struct bk_encode_options *o = q->options;
    struct bk_unit_options options = { .effort = o->effort };
    uint64_t drawn = bk_sample_rows_drawn(n, o->effort);
    struct bk_unit_memory *m = &l->of[l->n];
    uint64_t sent, rows = drawn * bk_row_words_sent(n->words, n->bits) * sizeof(uint64_t);

    n->here = bk_unit_most(n->numbers, q->some);
    n->taught = q->some.from > 0;
    if (n->taught) /* the first process has the memory of its sample instead */
        options.memory_bytes = o->memory_bytes / q->some.ranks;
    *m = bk_unit_memory(n, &options, q->threads);
    *own = larger(*own, m->own);
    if (q->some.ranks > 1) {
        /* shards that were made here, or come here, when the unit is done */
        sent = n->taught ? n->here : n->numbers - n->here;
        m->writing += shard_bytes(q, sent, kind);
        if (n->taught) /* what it sends, and the numbers of all rows that are wanted */
            rows = (uint64_t)((double)rows / (double)n->numbers * (double)n->here) + 8 * drawn;
        l->rows[l->n] = rows;
        l->fetched[l->n] = rows + (sizeof(uint32_t) << bk_fetched_bits(drawn));
    }
    l->n++;
    l->results += !kind;
}

/* The peak with fetched rows.  The process that learns for all has those of units that are sampled
   together until they are sampled, and the rows that came last are there twice while they come.
   The others have what they send. */
static uint64_t large_peak_of(const struct large *l, const struct bk_encode_question *q,
                              uint64_t most)
{
    uint64_t peak = large_peak(l, most), list = 0, rows = 0, together, fetched = 0;

    if (q->some.ranks < 2)
        return peak;
    for (unsigned i = 0; i < l->n; i++) {
        const struct bk_unit_memory *m = &l->of[i];

        rows = larger(rows, l->rows[i]);
        list = larger(list, m->sampling);
        fetched += l->fetched[i];
    }
    if (q->some.from)
        return larger(peak, rows);
    together = l->n ? columns_from(l, 0, most) : 0;
    return larger(peak, fetched + list + larger(rows, together));
}

/* A process's largest small units, encoded by its threads at once: bytes, and those in no spill. */
struct small {
    uint64_t most[TOGETHER_MAX], own[TOGETHER_MAX];
};

/* Raises the needs to those of the worst large units, and sets the limits. */
static void add_large(struct bk_encode_needs *out, const struct units *u,
                      const struct bk_encode_question *q)
{
    uint64_t most = 0;

    for (unsigned i = 0; i < u->each; i++)
        most = larger(most, columns_together(&u->large[i], q));
    most = least(most, bk_columns_together(q->options));
    for (unsigned i = 0; i < u->each; i++)
        out->peak = larger(out->peak, large_peak_of(&u->large[i], q, most));
    out->together = most;
    out->room = larger(out->peak, solving_room(q));
}

enum bk_err bk_encode_estimate(struct bk_encode_needs *out, const struct bk_encode_question *q,
                               struct bk_report *why)
{
    const struct bk_encode_options *o = q->options;
    unsigned together = q->threads < TOGETHER_MAX ? q->threads : TOGETHER_MAX;
    const struct bk_unit_options alone = { .effort = o->effort, .memory_bytes = o->memory_bytes };
    struct small *small = calloc(q->some.ranks, sizeof *small);
    struct units u;
    enum bk_err err = units_init(&u, q, why);

    if (!err && !small)
        err = bk_no_memory(why);
    *out = (struct bk_encode_needs){ 0 };
    for (unsigned i = 0; !err && i < (o->distances ? 2 : 1) * u.nplaces; i++) {
        struct bk_unit_size n = size_of(&u, i % u.nplaces, i / u.nplaces);
        struct small *s = &small[i % u.nplaces % q->some.ranks];
        struct bk_unit_memory m;

        n.care = care_of(&u, i % u.nplaces, i / u.nplaces, q);
        if (n.numbers >= BK_LARGE_UNIT) {
            measure_large(&u.large[i % u.nplaces % u.each], &n, i / u.nplaces, q, &out->own);
            continue;
        }
        m = bk_unit_memory(&n, &alone, 1);
        insert(s->most, together, larger(m.columns + m.sampling, m.writing));
        insert(s->own, together, m.own);
    }
    if (!err)
        add_large(out, &u, q);
    for (unsigned r = q->some.from; !err && r < q->some.end; r++) {
        out->peak = larger(out->peak, add_up(small[r].most, together));
        out->own = larger(out->own, add_up(small[r].own, together));
    }
    free(small);
    units_release(&u);
    return err;
}

/* == Bytes that are sent == */

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
    *rows += others * drawn * sizeof(uint64_t); /* the numbers of those wanted */
    *rows += (uint64_t)(share *
                        (double)(drawn * bk_row_words_sent(n->words, n->bits) * sizeof(uint64_t)));
    *rows += (uint64_t)(LEARNED_BYTES * others * (double)drawn);
}

enum bk_err bk_encode_traffic(uint64_t *rows, uint64_t *shards, const struct bk_encode_question *q,
                              struct bk_report *why)
{
    struct units u;
    enum bk_err err = units_init(&u, q, why);

    *rows = *shards = 0;
    for (unsigned i = 0; !err && i < (q->options->distances ? 2 : 1) * u.nplaces; i++) {
        unsigned kind = i / u.nplaces, place = i % u.nplaces;
        struct bk_unit_size n = size_of(&u, place, kind);

        if (n.numbers)
            add_traffic(rows, shards, &n, q, kind, place);
    }
    units_release(&u);
    return err;
}

/* == Of several processes == */

/* Returns for how many of two sides to move a process encodes a small unit. */
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
    most += most ? 2 * bk_index_digits(ix, &ix->block[0])->slice_weight : 0; /* slices are whole */
    return most < numbers ? (double)most / (double)numbers : 1;
}

/* Returns the unit of a block with this side to move; both have the same where one is stored. */
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
    uint64_t weight = bk_index_digits(e->ix, b)->slice_weight;
    uint64_t first = b->first + slice * weight, end = first + weight;
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

/* == Time == */

struct bk_unit_known bk_encode_known_of(const struct bk_index *ix, const struct bk_unit_place *p,
                                        bool distances, const struct bk_encode_options *o)
{
    uint64_t numbers = p->end - p->first;
    double share =
        (double)numbers / (double)ix->positions / (bk_table_one_side(&ix->m, ix->v) ? 1 : 2);

    return (struct bk_unit_known){ .numbers = numbers,
                                   .squares = bk_bits_count(&ix->v->board),
                                   .pawns = ix->nblocks > 1,
                                   .distances = distances,
                                   .effort = o->effort,
                                   .bytes = share * (double)o->file_bytes[distances] };
}

double bk_encode_work(const struct bk_index *ix, const struct bk_encode_options *o)
{
    bool one_side = bk_table_one_side(&ix->m, ix->v);
    unsigned n = bk_units_of(ix, one_side, NULL, 0);
    struct bk_unit_place *place = calloc(n + 1u, sizeof *place);
    double all = 0;

    if (place)
        bk_units_of(ix, one_side, place, n);
    for (unsigned i = 0; place && i < n; i++)
        for (unsigned kind = 0; kind < (o->distances ? 2 : 1); kind++) {
            struct bk_unit_known u = bk_encode_known_of(ix, &place[i], kind, o);

            all += bk_unit_work_of(&u).all;
        }
    free(place);
    return all;
}
