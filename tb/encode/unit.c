/*
 * unit.c - see unit.h.
 *
 *   learn    a tree, from a sample of rows (sample.c, learn.c)
 *   count    every row down the tree: how often each value comes in each leaf
 *   code     the questions of each leaf (questions.c)
 *   rate     in how many cells each question meets exceptions; its rates
 *   write    window after window, shard by shard (shard.c)
 *
 * All passes but the first work on cells (walk.h); these are remembered while memory lasts, else
 * the tree is descended again.  Either way the bytes are the same.
 *
 * Work is shared out by *piece*, the rows that begin in a stretch of numbers.  Shards are cut row
 * by row through a *window*, a run of pieces, whatever the pieces; a shard ends with its window.
 *
 * Several processes share a unit by windows, a run of them each.  The first one learns; all count
 * and rate their own pieces, the sums are everybody's, and so each makes the same codes; shards
 * come to the first in the order of windows.
 */
#include "tb/encode/unit.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "tb/encode/learn.h"
#include "tb/encode/questions.h"
#include "tb/encode/shard.h"
#include "tb/encode/source.h"
#include "tb/encode/walk.h"
#include "tb/encode/worth.h"
#include "tb/memory/stock.h"

/* == What the passes share == */

#define PIECE_NUMBERS (UINT64_C(1) << 17)
#define WINDOW_PIECES 512

struct unit_piece {
    bool remembered;           /* `cells` has its cells */
    struct bk_cell_list cells; /* bytes borrowed from a chunk */
};

/* Cells are remembered in chunks, which are allocated as they are needed: how many there are
   depends on values.  A chunk of a large unit is a large page, with what stands in front. */
struct cell_chunk {
    struct cell_chunk *next;
    uint8_t byte[]; /* BK_CELL_FEW more than are taken */
};
enum { CHUNK_SMALL = 256 << 10, CHUNK_LARGE = BK_SPILL_LARGE - 64 };

/* The shard that is being cut: rows from `row` of `piece` on, `rows` of them. */
struct shard_cut {
    uint64_t first, numbers;
    uint32_t piece;
    size_t row, rows;
};

/* An addition to a count that waits until its cache line is there. */
struct rise {
    uint64_t *count; /* NULL: nothing */
    unsigned by;
};
#define RISES 8

/* One thread's scratch. */
struct unit_scratch {
    struct bk_fact_row *row;
    struct bk_turned turned;
    struct bk_met *met;      /* by question */
    unsigned bits;           /* of the values seen, beyond BK_BITS_AS_TOLD */
    uint64_t *count;         /* as bk_leaf_counts.n */
    struct rise rise[RISES]; /* waiting, the oldest at rises % RISES */
    unsigned rises;
    struct bk_cell_list cells;      /* of the piece that is being counted */
    struct cell_chunk *chunk;       /* owned, the newest first */
    uint64_t chunk_at, chunk_bytes; /* of the newest: taken, all */
    struct bk_shard_room shard;
};

/* Is a leaf's guess its likeliest value by all counts?  GUESS_SURE: its positions are asked
   nothing. */
enum verdict { GUESS_LIKELY, GUESS_WRONG, GUESS_SURE };

/* A unit under way. */
struct unit_run {
    const struct bk_unit_source *src;
    struct bk_unit_source own; /* src, but of no more bits than its values need */
    struct bk_pool *pool;
    struct bk_spill *spill;
    unsigned words, threads;
    const struct bk_effort_means *effort;
    uint64_t memory, most; /* as bk_unit_options.memory_bytes and room_bytes */
    struct bk_logs logs;
    struct unit_scratch *scratch; /* by thread */
    struct bk_meter *meter;
    bool beside;
    struct bk_unit_known known;
    struct bk_unit_work part; /* of the table's encoding, by what is known */
    double work, under_way;   /* the part that is under way, of a unit beside others */
    bool shared;
    struct bk_box *box;  /* if shared, by process: [0] has shards for the first */
    _Atomic bool failed; /* no memory */
    /* Pieces. */
    uint32_t pieces, from, to; /* all; this process's: [from, to) */
    struct unit_piece *piece;
    struct bk_asked_rows *lists; /* by piece; within the window */
    /* What is learned, and counted. */
    uint64_t sampled_bytes; /* of the sample's columns */
    struct bk_learned learned;
    struct bk_leaf_counts counts;
    bool counts_shared;               /* by the threads */
    uint64_t chunk_bytes;             /* of a chunk, if it is enough */
    uint64_t cells_taken, cells_room; /* bytes of chunks, of all threads: now, at most */
    /* Codes and their rates. */
    struct bk_codes codes;
    struct bk_askers *askers;    /* by question, until its rates are chosen */
    struct bk_asked_first *leaf; /* by leaf; its mark is a verdict */
    bool *met_by_odd;            /* by leaf: only its odd cells meet its questions */
    /* Shards. */
    uint32_t asked, forgotten, reused; /* pieces of the unit, so far */
    uint64_t piece_bytes;              /* most that the questions of a piece took */
    struct shard_cut *cut;             /* of the batch */
    size_t cuts, cut_room;
    struct shard_cut now;            /* the shard that is not whole yet */
    uint64_t now_keys[2], most_keys; /* in units of 2^-BK_KEY_PARTS */
    struct bk_made_shard *shard;     /* of the batch */
    uint8_t *directory;
    size_t directory_room;
};

/* Returns the less of two numbers. */
static inline uint64_t lesser(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* == Walks == */

/* A thread's walk through the rows of a piece. */
struct unit_walk {
    struct bk_walk walk; /* first: callbacks cast it to struct unit_walk */
    struct unit_run *u;
    struct unit_scratch *scratch;
    struct bk_asked_rows *list; /* the piece's */
};

/* Do all positions of the cell have its leaf's likeliest value?  Then values need not be read. */
static inline bool is_likely(const struct unit_walk *k, uint32_t leaf)
{
    return !k->walk.odd && k->u->leaf[leaf].mark == GUESS_LIKELY;
}

/* Prefetches for an odd cell its leaf's first questions, and the places of its likely values. */
static inline void fetch_code(const struct bk_walk *w, const struct bk_walk_ahead *cell)
{
    const struct unit_run *u = ((const struct unit_walk *)w)->u;
    bk_code code = u->leaf[cell->leaf].code;
    const char *questions = (const char *)(u->codes.model.question + (code < 0 ? 0 : code));

    __builtin_prefetch(bk_code_place_at(&u->codes, cell->leaf, u->learned.guess[cell->leaf]));
    for (unsigned i = 0; i < 3; i++)
        __builtin_prefetch(questions + 64 * (size_t)i);
}

/* Ends a step, which has failed if `err` says so: returns `err`, but with a shared unit all
   processes fail alike, and so call it together. */
static enum bk_err ended(const struct unit_run *u, enum bk_err err, struct bk_report *why)
{
    return u->shared ? bk_ranks_agree(err, why) : err;
}

/* Returns a walk that goes down the tree and calls `cell`; its other callbacks, what it recalls and
   its list are the caller's to set. */
static struct unit_walk walk_of(struct unit_run *u, unsigned thread, bk_walk_cell *cell)
{
    return (struct unit_walk){ .walk = { .src = u->src,
                                         .learned = &u->learned,
                                         .facts = u->scratch[thread].row,
                                         .turned = &u->scratch[thread].turned,
                                         .words = u->words,
                                         .cell = cell },
                               .u = u,
                               .scratch = &u->scratch[thread] };
}

/* Goes through the rows of a piece. */
static void walk_piece(struct unit_walk *k, uint64_t piece)
{
    uint64_t at = k->u->src->first + piece * PIECE_NUMBERS, end = at + PIECE_NUMBERS;

    bk_walk(&k->walk, at, lesser(end, k->u->src->end));
}

/* == How far it is == */

static struct bk_unit_work part_of(const struct unit_run *u)
{
    struct bk_unit_work part = bk_unit_work_of(&u->known);

    for (unsigned i = 0; u->meter && i < BK_UNIT_PASSES; i++)
        part.pass[i] /= u->work;
    return part;
}

/* A share of a pass begins. */
static void begin(struct unit_run *u, enum bk_unit_pass pass, double share)
{
    double part = u->part.pass[pass] * share;

    if (!u->meter)
        return;
    if (u->beside)
        bk_meter_done(u->meter, BK_ENCODING, u->under_way);
    else
        bk_meter_step(u->meter, BK_ENCODING, part);
    u->under_way = part;
}

/* More is known of the unit, now that the passes before `next` are done. */
static void reckon(struct unit_run *u, enum bk_unit_pass next)
{
    struct bk_unit_work now = part_of(u);
    double done = 0, left = 0;

    if (!u->meter)
        return;
    for (unsigned i = 0; i < BK_UNIT_PASSES; i++)
        *(i < next ? &done : &left) += u->part.pass[i] - now.pass[i];
    bk_meter_was_less(u->meter, BK_ENCODING, done);
    if (u->beside)
        bk_meter_skip_now(u->meter, BK_ENCODING, left);
    else
        bk_meter_skip(u->meter, BK_ENCODING, left);
    u->part = now;
}

/* What the sample tells, before there is a tree. */
static void know_sample(struct unit_run *u, const struct bk_sample *s)
{
    bk_unit_know_sample(&u->known, s);
    reckon(u, BK_PASS_LEARN);
}

void bk_unit_know_sample(struct bk_unit_known *known, const struct bk_sample *s)
{
    if (s->bits && s->covered)
        known->care = (double)(s->positions + 1) / (double)(s->covered + 1);
    if (s->bytes > 0)
        known->bytes = s->bytes;
    else
        known->bytes = bk_unit_bytes_likely(known);
}

/* What the tree tells.  Its leaves are those that it will have; what they leave open is known of
   the sample. */
static void know_tree(struct unit_run *u, const struct bk_sample *s)
{
    double left = (double)u->learned.left / (8 * (double)BK_ONE_BIT);

    u->known.leaves = u->learned.leaves;
    if (s->covered)
        u->known.bytes = bk_unit_bytes_of(left * (double)u->known.numbers / (double)s->covered,
                                          u->learned.leaves);
    reckon(u, BK_PASS_COUNT);
}

/* What the count of all rows tells. */
static void know_cells(struct unit_run *u)
{
    uint32_t remembered = 0;
    uint64_t bytes = 0;

    for (uint32_t p = u->from; p < u->to; p++) {
        remembered += u->piece[p].remembered;
        bytes += u->piece[p].remembered ? u->piece[p].cells.n : 0;
    }
    if (remembered)
        u->known.cells = (double)(bytes + 1) * u->pieces / remembered;
    u->known.forgotten = u->to > u->from ? 1 - (double)remembered / (u->to - u->from) : 0;
    reckon(u, BK_PASS_RATES);
}

/* All is known. */
static void know_bytes(struct unit_run *u, const struct bk_unit *out)
{
    u->known.bytes = (double)(out->model_bytes + out->shard_bytes);
    reckon(u, BK_UNIT_PASSES);
    if (u->beside)
        bk_meter_done(u->meter, BK_ENCODING, u->under_way);
}

/* == Windows and processes == */

#define WINDOW_NUMBERS (WINDOW_PIECES * PIECE_NUMBERS)

static uint64_t windows_of(uint64_t first, uint64_t end)
{
    return (end - first + WINDOW_NUMBERS - 1) / WINDOW_NUMBERS;
}

/* Process r has the windows from windows * r / ranks on. */
unsigned bk_unit_rank(uint64_t first, uint64_t end, uint64_t number, unsigned ranks)
{
    uint64_t window = (number - first) / WINDOW_NUMBERS;

    return (unsigned)(((window + 1) * ranks - 1) / windows_of(first, end));
}

uint64_t bk_unit_most(uint64_t numbers, struct bk_some_ranks some)
{
    uint64_t windows = windows_of(0, numbers), most = 0;

    for (uint64_t r = some.from; r < some.end; r++) {
        uint64_t here = windows * (r + 1) / some.ranks - windows * r / some.ranks;

        most = here > most ? here : most;
    }
    return lesser(most * WINDOW_NUMBERS, numbers);
}

/* Sets `from` and `to` to the pieces of this process. */
static void take_share(struct unit_run *u)
{
    uint64_t windows = windows_of(u->src->first, u->src->end), ranks = bk_ranks(), r = bk_rank();

    u->to = u->pieces;
    if (!u->shared)
        return;
    u->from = (uint32_t)(windows * r / ranks) * WINDOW_PIECES;
    if (windows * (r + 1) / ranks < windows)
        u->to = (uint32_t)(windows * (r + 1) / ranks) * WINDOW_PIECES;
    u->asked = u->forgotten = u->reused = u->from;
}

/* == A unit under way == */

/*
 * Keys of a ribbon with which a shard is whole.  A probe asks one shard for the result; for the
 * distance of a lost position it asks one for each reply, nearly always another, so these are
 * smaller (docs/codec.md 6).
 */
enum { RESULT_SHARD_KEYS = 14000, DISTANCE_SHARD_KEYS = 9000 };

static enum bk_err unit_run_init(struct unit_run *u, const struct bk_unit_source *src,
                                 const struct bk_unit_options *options, struct bk_pool *pool,
                                 struct bk_report *why)
{
    u->own = *src;
    u->src = &u->own;
    u->pool = pool;
    u->spill = options->spill;
    u->meter = options->meter;
    u->beside = options->beside;
    u->known = options->known;
    u->work = options->work;
    u->part = part_of(u);
    u->under_way = u->part.pass[BK_PASS_SAMPLE];
    u->words = bk_facts_words(src->facts);
    u->threads = bk_pool_threads(pool);
    u->pieces = (uint32_t)((src->end - src->first + PIECE_NUMBERS - 1) / PIECE_NUMBERS);
    u->shared = options->shared;
    u->effort = bk_effort_means(options->effort);
    u->most_keys = (uint64_t)(options->distances ? DISTANCE_SHARD_KEYS : RESULT_SHARD_KEYS)
                   << BK_KEY_PARTS;
    take_share(u);
    u->memory = options->memory_bytes / (u->shared ? bk_ranks() : 1);
    u->most = options->room_bytes;
    u->box = u->shared ? bk_boxes_new(bk_ranks()) : NULL;
    u->piece = calloc((size_t)u->pieces + 1, sizeof(*u->piece));
    u->lists = calloc((size_t)u->pieces + 1, sizeof(*u->lists));
    u->scratch = calloc(u->threads, sizeof(*u->scratch));
    if (!u->piece || !u->lists || !u->scratch || (u->shared && !u->box))
        return bk_fail(why, BK_E_SYSTEM, "no memory to encode");
    for (unsigned t = 0; t < u->threads; t++) {
        enum bk_err err = bk_fact_row_new(&u->scratch[t].row, src->facts, src->inner, why);

        if (err)
            return err;
    }
    bk_logs_init(&u->logs);
    return BK_OK;
}

static void forget_cells(struct unit_scratch *w)
{
    for (struct cell_chunk *c = w->chunk, *next; c; c = next) {
        next = c->next;
        bk_spill_free(c);
    }
    w->chunk = NULL;
    w->chunk_at = w->chunk_bytes = 0;
}

static void unit_run_release(struct unit_run *u)
{
    for (unsigned t = 0; u->scratch && t < u->threads; t++) {
        struct unit_scratch *w = &u->scratch[t];

        bk_fact_row_free(w->row);
        bk_turned_release(&w->turned);
        bk_spill_free(w->met);
        if (t && !u->counts_shared)
            bk_spill_free(w->count);
        bk_spill_free(w->cells.byte);
        forget_cells(w);
        bk_shard_room_release(&w->shard);
    }
    for (uint32_t p = 0; u->lists && p < u->pieces; p++)
        bk_asked_rows_release(&u->lists[p]);
    free(u->scratch);
    free(u->lists);
    free(u->piece);
    free(u->cut);
    bk_spill_free(u->leaf);
    bk_spill_free(u->met_by_odd);
    bk_spill_free(u->askers);
    bk_spill_free(u->counts.n);
    bk_boxes_free(u->box, bk_ranks());
    free(u->directory);
    bk_codes_release(&u->codes);
    bk_learned_release(&u->learned);
    free(u);
}

/* == Learning == */

static void widest_piece(void *context, uint64_t nth, unsigned thread)
{
    struct unit_run *u = context;
    uint64_t piece = u->from + nth;
    struct unit_walk k = walk_of(u, thread, NULL);
    uint64_t at = u->src->first + piece * PIECE_NUMBERS, end = at + PIECE_NUMBERS;
    unsigned bits = u->scratch[thread].bits;

    while (at < end && at < u->src->end) {
        bk_walk_read_at(&k.walk, at);
        for (unsigned b = u->src->bits; b > bits; b--)
            for (unsigned i = 0; i < u->words; i++)
                if (k.walk.values.plane[b - 1][i] & k.walk.values.care[i])
                    bits = b;
        at = k.walk.row.first + k.walk.row.n;
    }
    u->scratch[thread].bits = bits;
}

/* Sets the unit's bits to those that its values use, if they may have more than BK_BITS_AS_TOLD:
   counts are by value. */
static enum bk_err narrow(struct unit_run *u, struct bk_report *why)
{
    int64_t bits = BK_BITS_AS_TOLD;
    enum bk_err err = BK_OK;

    if (u->src->bits <= BK_BITS_AS_TOLD)
        return BK_OK;
    if (!bk_pool_try(u->pool, u->to - u->from, widest_piece, u))
        err = bk_fail(why, BK_E_SYSTEM, "stopped");
    err = ended(u, err, why);
    if (err)
        return err;
    for (unsigned t = 0; t < u->threads; t++)
        if (u->scratch[t].bits > bits)
            bits = u->scratch[t].bits;
    if (u->shared)
        bk_transport_max(&bits, 1);
    u->own.bits = (unsigned)bits;
    return BK_OK;
}

static enum bk_err learn_here(struct unit_run *u, const struct bk_unit_options *options,
                              unsigned dear, struct bk_report *why)
{
    struct bk_sample own = { 0 }, *sample = options->sample ? options->sample : &own;
    const struct bk_unit_source *src = u->src;
    bool taken = sample->bits;
    enum bk_err err = BK_OK;

    if (!taken && !sample->rows)
        err = bk_rows_worth(sample, &src, 1, options->effort, &u->logs, u->pool, u->spill, why);
    if (!taken && !err)
        err = bk_samples_take(sample, &src, 1, options->effort, 0, u->pool, u->spill, why);
    u->sampled_bytes = sample->first_bytes;
    if (!err)
        know_sample(u, sample);
    begin(u, BK_PASS_LEARN, 1);
    if (!err)
        err = bk_learn(&u->learned, u->src, sample, dear, &u->logs, u->pool, u->spill, why);
    if (!err)
        know_tree(u, sample);
    bk_sample_release(sample);
    return err;
}

/* Sends what the first process has learned to all. */
static enum bk_err tell_learned(struct unit_run *u, struct bk_report *why)
{
    struct bk_learned *l = &u->learned;
    struct bk_learned first = *l;
    enum bk_err err = BK_OK;

    bk_ranks_first_says(&first, sizeof first);
    if (!bk_ranks_is_first()) {
        *l = first;
        l->tree = malloc((first.nodes + 1u) * sizeof *l->tree);
        l->guess = malloc((first.leaves + 1u) * sizeof *l->guess);
        if (!l->tree || !l->guess)
            err = bk_no_memory(why);
    }
    err = bk_ranks_agree(err, why);
    if (err)
        return err;
    bk_ranks_first_says(l->tree, l->nodes * sizeof *l->tree);
    bk_ranks_first_says(l->guess, l->leaves * sizeof *l->guess);
    return BK_OK;
}

static enum bk_err learn(struct unit_run *u, const struct bk_unit_options *options, unsigned dear,
                         struct bk_report *why)
{
    enum bk_err err = narrow(u, why);

    if (err)
        return err;
    if (!u->shared)
        return learn_here(u, options, dear, why);
    if (bk_ranks_is_first()) {
        enum bk_err told;

        err = learn_here(u, options, dear, why);
        told = u->src->fetch(u->src->context, NULL, 0, why);
        err = err ? err : told;
    } else {
        err = u->src->serve(u->src->context, why);
    }
    err = bk_ranks_agree(err, why);
    return err ? err : tell_learned(u, why);
}

/* == Memory ==
 *
 * All cells take a third of a byte to one byte a number, measured.
 */

#define BATCH_PIECES 4 /* asked at a time, for each thread */

/* Bytes of the questions asked at a time, for each number (questions.h: a word, and one set or
   two), and of the codes: most tables have half as much, few three times, which counts where memory
   is short.  For distances, measured with many leaves: nearly all numbers are asked, which is
   ASKED_MORE, while tree and codes take CODES_KEPT bytes a sampled position; with a spill the codes
   take CODES_LONG while the model is written. */
enum { ASKED_NUMBER = 8, ASKED_MORE = 5, CODES = 4 << 20, CODES_LONG = 20, CODES_KEPT = 9 };

static uint64_t asked_number(unsigned words) { return ASKED_NUMBER * (1 + 2 * words) / 3; }

static uint64_t writing_bytes(uint64_t numbers, unsigned words, unsigned threads, bool spill)
{
    uint64_t batch = ((spill ? 1 : BATCH_PIECES) * (uint64_t)threads + 1) * PIECE_NUMBERS;
    uint64_t asked = spill ? 3 * ASKED_NUMBER * words : asked_number(words);

    return lesser(numbers, batch) * asked + lesser(CODES, numbers) +
           numbers / PIECE_NUMBERS * (sizeof(struct unit_piece) + sizeof(struct bk_asked_rows));
}

struct bk_unit_memory bk_unit_memory(const struct bk_unit_size *n,
                                     const struct bk_unit_options *options, unsigned threads)
{
    uint64_t sample = bk_sample_rows(n, options->effort);
    uint64_t positions = n->rows ? n->numbers * sample / n->rows * n->care / 100 : 0;
    uint64_t list = bk_sample_list_bytes(n, options->effort) + positions / 8;
    uint64_t learning = bk_learn_bytes(positions);
    uint64_t columns = n->taught ? 0 : bk_sample_bytes(n->facts, n->bits, positions);
    uint64_t cells =
        lesser(n->here, columns > options->memory_bytes ? columns : options->memory_bytes);
    uint64_t writing = cells + writing_bytes(n->here, n->words, threads, false);

    if (!bk_bits_of_results(n->bits, n->five)) {
        writing += writing_bytes(n->numbers, n->words, threads, false) * ASKED_MORE / ASKED_NUMBER;
        writing += positions * CODES_KEPT;
    }
    return (struct bk_unit_memory){
        columns,
        n->taught ? 0 : (list > learning ? list : learning),
        writing,
        writing_bytes(n->numbers, n->words, threads, true) + list +
            positions * CODES_LONG * !bk_bits_of_results(n->bits, n->five),
    };
}

/* Returns the bytes that remembered cells may take beside `counts` bytes of counts and what
   questions meet, which is there before the counts are freed: for distances a third of these,
   measured.  0 if memory is short. */
static size_t room_for_cells(const struct unit_run *u, uint64_t counts)
{
    uint64_t room = u->sampled_bytes,
             met = bk_bits_of_results(u->src->bits, u->src->five) ? 0 : counts / 3;
    uint64_t own = counts + writing_bytes(u->src->end - u->src->first, u->words, u->threads, false);

    if (u->spill)
        return 0;
    room = room > own ? room - own : 0;
    room = room > u->memory ? room : u->memory;
    if (u->most)
        room = lesser(room, u->most > own ? u->most - own : 0);
    return room > met ? room - met : 0;
}

/* Returns how many pieces are asked next: one a thread, or as many more as fit what
   bk_unit_memory() estimates.  For few tables that is not four a thread: Grand KMvKN's took 1.5
   times the estimate. */
static uint32_t pieces_at_once(const struct unit_run *u)
{
    uint64_t number = asked_number(u->words), most = BATCH_PIECES * u->threads, room;

    if (u->spill || u->asked == u->from) /* piece_bytes is not known yet */
        return u->threads;
    if (!bk_bits_of_results(u->src->bits, u->src->five))
        number += number * ASKED_MORE / ASKED_NUMBER;
    room = most * PIECE_NUMBERS * number / (u->piece_bytes + 1);
    return (uint32_t)(room < u->threads ? u->threads : lesser(room, most));
}

/* == Counting ==
 *
 * Every row goes down the tree: how often does each value come in each leaf?  This pass goes over
 * all values, and so it is the one that remembers cells for those after it.
 *
 * HOT: counts of many leaves are in no cache, so an addition waits until its cache line is there.
 */

#define COUNTS_APART (UINT64_C(512) << 10) /* larger tables of counts are shared by the threads */

INLINE void raise_count(struct rise r, bool shared)
{
    if (!r.count)
        return;
    if (shared)
        __atomic_fetch_add(r.count, r.by, __ATOMIC_RELAXED);
    else
        *r.count += r.by;
}

/* Adds to a count: the addition waits until RISES later ones have come. */
INLINE void add_count(const struct unit_walk *k, uint64_t *n, unsigned more)
{
    struct rise *r = &k->scratch->rise[k->scratch->rises++ % RISES], now = *r;

    __builtin_prefetch(n, 1);
    *r = (struct rise){ n, more };
    raise_count(now, k->u->counts_shared);
}

/* Makes the additions that wait. */
static void end_counts(struct unit_scratch *w, bool shared)
{
    for (unsigned i = 0; i < RISES; i++) {
        raise_count(w->rise[i], shared);
        w->rise[i].count = NULL;
    }
}

INLINE void count_cell_of(const struct unit_walk *k, uint32_t leaf, const uint64_t *squares,
                          unsigned words, unsigned bits)
{
    const struct bk_row_values *values = &k->walk.values;
    uint64_t *n = k->scratch->count + ((size_t)leaf * 2 << bits);
    uint16_t guess = k->u->learned.guess[leaf];

    for (unsigned i = 0; i < words; i++) {
        uint64_t left = squares[i], guessed = k->walk.odd ? 0 : left & ~values->least[i];

        if (guessed) {
            add_count(k, &n[guess], bk_count_bits(guessed));
            left &= ~guessed;
        }
        while (left) {
            bool bound;
            uint32_t v;
            uint64_t same = bk_like_first(values, bits, i, left, &bound, &v);

            add_count(k, &n[((size_t)bound << bits) + v], bk_count_bits(same));
            left &= ~same;
        }
    }
}

static void count_cell(struct bk_walk *w, uint32_t leaf, const uint64_t *squares)
{
    const struct unit_walk *k = (const struct unit_walk *)w;
    unsigned words = w->words, bits = w->src->bits;

    if (words == 1 && bits == 2)
        count_cell_of(k, leaf, squares, 1, 2);
    else if (words == 1 && bits == BK_FIVE_BITS)
        count_cell_of(k, leaf, squares, 1, BK_FIVE_BITS);
    else
        count_cell_of(k, leaf, squares, words, bits);
}

/* Takes bytes of u->cells_room for a chunk: `wanted`, or what is left, but `least`.  0: that is not
   left. */
static uint64_t take_cells_room(struct unit_run *u, uint64_t wanted, uint64_t least)
{
    uint64_t taken = __atomic_load_n(&u->cells_taken, __ATOMIC_RELAXED), n;

    do {
        n = lesser(wanted, u->cells_room - taken);
        if (n < least)
            return 0;
    } while (!__atomic_compare_exchange_n(&u->cells_taken, &taken, taken + n, true,
                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return n;
}

/* Makes a thread's next chunk, of n bytes at least.  False: there is no room, or no memory. */
static bool add_chunk(struct unit_run *u, struct unit_scratch *w, uint64_t n)
{
    const uint64_t own = sizeof(struct cell_chunk) + BK_CELL_FEW;
    uint64_t least = n + own, bytes = u->chunk_bytes > least ? u->chunk_bytes : least;
    struct cell_chunk *c;

    bytes = take_cells_room(u, bytes, least);
    c = bytes ? bk_spill_new(NULL, bytes) : NULL;
    if (!c)
        return false;
    c->next = w->chunk;
    w->chunk = c;
    w->chunk_at = 0;
    w->chunk_bytes = bytes - own;
    return true;
}

static void remember_cells(struct unit_run *u, struct unit_scratch *w, struct unit_piece *p,
                           const struct bk_cell_list *cells)
{
    bool room = (w->chunk && cells->n <= w->chunk_bytes - w->chunk_at) || add_chunk(u, w, cells->n);

    p->cells = *cells;
    p->cells.byte = room ? w->chunk->byte + w->chunk_at : NULL;
    w->chunk_at += room ? cells->n : 0;
    p->remembered = p->cells.byte;
    if (p->remembered && cells->n)
        memcpy(p->cells.byte, cells->byte, cells->n);
}

static void count_piece(void *context, uint64_t nth, unsigned thread)
{
    struct unit_run *u = context;
    struct unit_walk k = walk_of(u, thread, count_cell);
    struct bk_cell_list *cells = &k.scratch->cells;

    bk_cells_init(cells, u->words, u->learned.leaves);
    if (u->learned.leaves < BK_CELL_LEAVES_MAX &&
        (k.scratch->chunk_at < k.scratch->chunk_bytes ||
         __atomic_load_n(&u->cells_taken, __ATOMIC_RELAXED) < u->cells_room))
        k.walk.record = cells;
    walk_piece(&k, u->from + nth);
    end_counts(k.scratch, u->counts_shared);
    if (k.walk.record)
        remember_cells(u, k.scratch, &u->piece[u->from + nth], cells);
}

static enum bk_err count_here(struct unit_run *u, struct bk_report *why)
{
    struct bk_leaf_counts *c = &u->counts;
    size_t n = (size_t)2 * u->learned.leaves << u->src->bits;

    c->leaves = u->learned.leaves;
    c->bits = u->src->bits;
    u->cells_room = room_for_cells(u, n * sizeof(*c->n));
    u->chunk_bytes = u->pool ? CHUNK_LARGE : CHUNK_SMALL;
    u->counts_shared = u->threads > 1 && n * sizeof(*c->n) > COUNTS_APART;
    c->n = bk_spill_new_brief(u->spill, n * sizeof(*c->n));
    for (unsigned t = 0; t < u->threads; t++) {
        bool own = t && !u->counts_shared;

        u->scratch[t].count = own ? bk_spill_new(NULL, n * sizeof(*c->n)) : c->n;
        if (!u->scratch[t].count)
            return bk_fail(why, BK_E_SYSTEM, "no memory to count the values of %u leaves",
                           c->leaves);
    }
    if (!bk_pool_try(u->pool, u->to - u->from, count_piece, u))
        return bk_fail(why, BK_E_SYSTEM, "stopped");
    for (unsigned t = 1; t < u->threads && !u->counts_shared; t++) {
        for (size_t i = 0; i < n; i++)
            c->n[i] += u->scratch[t].count[i];
        bk_spill_free(u->scratch[t].count);
        u->scratch[t].count = NULL;
    }
    return BK_OK;
}

/* Sets u->counts, and remembers what cells there is room for; if the unit is shared, every process
   gets the counts of all.  Fails with BK_E_SYSTEM. */
static enum bk_err count_values(struct unit_run *u, struct bk_report *why)
{
    enum bk_err err = ended(u, count_here(u, why), why);

    if (!err && u->shared)
        err = bk_ranks_sum(u->counts.n, (size_t)2 * u->learned.leaves << u->src->bits, why);
    return err;
}

/* == Codes == */

/* Forgets a tree, and all that has followed from it. */
static void unlearn(struct unit_run *u)
{
    bk_learned_release(&u->learned);
    bk_codes_release(&u->codes);
    bk_spill_free(u->counts.n);
    u->counts.n = NULL;
    for (unsigned t = 0; t < u->threads; t++) {
        u->scratch[t].count = NULL;
        forget_cells(&u->scratch[t]);
    }
    u->cells_taken = 0;
    for (uint32_t p = u->from; p < u->to; p++)
        u->piece[p].remembered = false;
}

/*
 * Makes the tree and its codes.  A file may have only so many leaves and questions (docs/format.md
 * 6), twenty times as many as the tables that were looked at; where values are so wild that there
 * are more, leaves must gain four times as much.  A tree of one leaf is always allowed.
 */
static enum bk_err learn_codes(struct unit_run *u, const struct bk_unit_options *options,
                               struct bk_report *why)
{
    for (unsigned dear = u->effort->dear;; dear += 2) {
        enum bk_err err = learn(u, options, dear, why);

        begin(u, BK_PASS_COUNT, 1);
        if (!err)
            err = count_values(u, why);
        if (err)
            return err;
        know_cells(u);
        err = bk_codes_new(&u->codes, &u->counts, u->learned.tree, u->learned.nodes, &u->logs,
                           u->spill, why);
        err = ended(u, err, why);
        if (err || bk_model_may_have(u->src->end - u->src->first, u->codes.model.leaves,
                                     u->codes.model.questions))
            return err;
        unlearn(u);
    }
}

/* == Rates ==
 *
 * What questions meet is counted in all pieces of a small unit; in some of a large one, if the
 * effort says so, and then estimated for all (work.h).
 */

#define MEET_ALL 64 /* of fewer pieces all are met */

/* Sets u->leaf and u->met_by_odd, by comparing the guesses with the counts, once there are codes.
 */
static enum bk_err judge_guesses(struct unit_run *u, struct bk_report *why)
{
    const struct bk_model *m = &u->codes.model;

    u->leaf = bk_spill_resize(NULL, (m->leaves + (size_t)1) * sizeof *u->leaf);
    u->met_by_odd = bk_spill_resize(NULL, m->leaves + (size_t)1);
    if (!u->leaf || !u->met_by_odd)
        return bk_fail(why, BK_E_SYSTEM, "no memory for %u leaves", m->leaves);
    for (uint32_t leaf = 0; leaf < m->leaves; leaf++) {
        uint16_t guess = u->learned.guess[leaf];
        bk_code likely = m->leaf[leaf];

        while (likely >= 0)
            likely = m->question[likely].next[0];
        u->leaf[leaf] = (struct bk_asked_first){ .code = m->leaf[leaf], .mark = GUESS_WRONG };
        if (m->leaf[leaf] < 0)
            u->leaf[leaf].mark = GUESS_SURE;
        else if (guess == ~likely)
            u->leaf[leaf].mark = GUESS_LIKELY;
        u->met_by_odd[leaf] = u->leaf[leaf].mark != GUESS_WRONG;
    }
    return BK_OK;
}

/* Prefetches what fetch_code() does, and the counts of these questions. */
static void fetch_met(const struct bk_walk *w, const struct bk_walk_ahead *cell)
{
    const struct unit_walk *k = (const struct unit_walk *)w;
    bk_code code = k->u->leaf[cell->leaf].code;
    const char *met = (const char *)(k->scratch->met + (code < 0 ? 0 : code));

    fetch_code(w, cell);
    for (unsigned i = 0; i < 3; i++)
        __builtin_prefetch(met + 64 * (size_t)i, 1);
}

/* Counts a cell for the questions that have exceptions in it. */
static void meet_cell(struct bk_walk *w, uint32_t leaf, const uint64_t *squares)
{
    struct unit_walk *k = (struct unit_walk *)w;

    if (k->u->leaf[leaf].mark == GUESS_SURE || is_likely(k, leaf))
        return;
    if (!w->seen)
        bk_walk_read(w);
    bk_ask_met(k->scratch->met, &k->u->codes, leaf, squares, &w->values, w->words, w->src->bits);
}

/* Are a piece's cells counted for bk_met?  In all of a few pieces, or in some of many, anywhere. */
static bool is_met(const struct unit_run *u, uint64_t piece)
{
    return u->effort->met == 1 || u->pieces < MEET_ALL || bk_mix(piece) % u->effort->met == 0;
}

static void meet_piece(void *context, uint64_t nth, unsigned thread)
{
    struct unit_run *u = context;
    const struct unit_piece *p = &u->piece[u->from + nth];
    struct unit_walk k = walk_of(u, thread, meet_cell);

    if (!is_met(u, u->from + nth))
        return;
    k.walk.recall = p->remembered ? &p->cells : NULL;
    k.walk.kept = u->leaf;
    k.walk.kept_bytes = sizeof *u->leaf;
    k.walk.passed = u->met_by_odd;
    k.walk.soon = fetch_met;
    walk_piece(&k, u->from + nth);
}

/* Counts what questions meet in the pieces of this process, in the first thread's `met`. */
static enum bk_err meet_here(struct unit_run *u, struct bk_report *why)
{
    uint32_t questions = u->codes.model.questions;

    for (unsigned t = 0; t < u->threads; t++) {
        u->scratch[t].met =
            bk_spill_new_brief(u->spill, ((size_t)questions + 1) * sizeof(*u->scratch[t].met));
        if (!u->scratch[t].met)
            return bk_fail(why, BK_E_SYSTEM, "no memory for %u questions", questions);
    }
    u->askers = bk_spill_new_brief(u->spill, ((size_t)questions + 1) * sizeof *u->askers);
    if (!u->askers)
        return bk_fail(why, BK_E_SYSTEM, "no memory for %u questions", questions);
    bk_codes_ask(&u->codes, &u->counts, u->askers, u->spill);
    bk_spill_free(u->counts.n);
    u->counts.n = NULL;
    if (!u->spill)
        bk_codes_places(&u->codes, u->src->bits);
    if (!bk_pool_try(u->pool, u->to - u->from, meet_piece, u))
        return bk_fail(why, BK_E_SYSTEM, "stopped");
    for (unsigned t = 1; t < u->threads; t++)
        for (uint32_t q = 0; q < questions; q++) {
            u->scratch[0].met[q].cells += u->scratch[t].met[q].cells;
            u->scratch[0].met[q].in_cells += u->scratch[t].met[q].in_cells;
        }
    return BK_OK;
}

/* Adds up what questions meet over all processes; u->askers follow from the counts of all. */
static enum bk_err add_up_met(struct unit_run *u, struct bk_report *why)
{
    uint32_t questions = u->codes.model.questions;
    struct bk_met *met = u->scratch[0].met;
    uint64_t *sum = malloc(((size_t)questions + 1) * 2 * sizeof *sum);
    enum bk_err err = ended(u, sum ? BK_OK : bk_no_memory(why), why);

    for (uint32_t q = 0; !err && q < questions; q++) {
        sum[2 * (size_t)q] = met[q].cells;
        sum[2 * (size_t)q + 1] = met[q].in_cells;
    }
    if (!err)
        err = bk_ranks_sum(sum, (size_t)questions * 2, why);
    for (uint32_t q = 0; !err && q < questions; q++) {
        met[q].cells = sum[2 * (size_t)q];
        met[q].in_cells = sum[2 * (size_t)q + 1];
    }
    free(sum);
    return err;
}

/* Estimates what questions meet in all pieces from what they meet in some. */
static void guess_met(struct unit_run *u)
{
    uint32_t some = 0;

    for (uint32_t p = 0; p < u->pieces; p++)
        some += is_met(u, p);
    if (some < u->pieces)
        bk_met_guess(u->scratch[0].met, u->askers, u->codes.model.questions, some, u->pieces);
}

/* Copies the rates of a leaf's first question, now that they are chosen. */
static void note_first(struct bk_asked_first *first, const struct bk_model *m)
{
    const struct bk_question *q;

    if (first->code < 0)
        return;
    q = &m->question[first->code];
    first->rc = q->rc;
    first->rp = q->rp;
    first->more = q->next[0] >= 0;
}

/* Chooses the rates of all questions, after judge_guesses(), and copies those of first
   questions to u->leaf.  Frees the counts.  Fails with BK_E_SYSTEM. */
static enum bk_err choose_rates(struct unit_run *u, struct bk_report *why)
{
    struct bk_model *m = &u->codes.model;
    enum bk_err err = ended(u, meet_here(u, why), why);

    if (!err && u->shared)
        err = add_up_met(u, why);
    if (!err)
        guess_met(u);
    for (uint32_t q = 0; !err && q < m->questions; q++)
        bk_rates_choose(&m->question[q], &u->askers[q], &u->scratch[0].met[q]);
    for (uint32_t leaf = 0; !err && leaf < m->leaves; leaf++)
        note_first(&u->leaf[leaf], m);
    bk_spill_free(u->askers);
    u->askers = NULL;
    for (unsigned t = 0; t < u->threads; t++) { /* each as large as a quarter of the counts */
        bk_spill_free(u->scratch[t].met);
        u->scratch[t].met = NULL;
    }
    return err;
}

/* == Shards ==
 *
 * Window after window: list what its cells are asked (questions.h); cut it; then make the ribbons
 * shard by shard (shard.h).
 *
 * Of a window up to four pieces for each thread are asked at a time, as memory bears, and forgotten
 * as soon as their rows are in shards: seldom is more in memory at once, whatever the table.  But
 * with hardly an exception a shard is a window: all its questions wait, some 50 MB, on disk if
 * memory is short.
 */

static void note_row(struct bk_walk *w)
{
    struct unit_walk *k = (struct unit_walk *)w;

    if (!bk_asked_add_row(k->list, w->row.first, w->row.n))
        k->u->failed = true;
}

/* Appends the questions of a cell. */
static void note_cell(struct bk_walk *w, uint32_t leaf, const uint64_t *squares)
{
    struct unit_walk *k = (struct unit_walk *)w;
    const struct bk_codes *codes = &k->u->codes;
    struct bk_asked *asked = &k->list->asked;
    bool good;

    if (k->u->failed || k->u->leaf[leaf].mark == GUESS_SURE)
        return;
    if (is_likely(k, leaf)) {
        good = bk_ask_likely(asked, codes, &k->u->leaf[leaf], squares, w->words);
    } else {
        if (!w->seen)
            bk_walk_read(w);
        good = bk_ask(asked, codes, leaf, squares, &w->values, w->words, w->src->bits);
    }
    if (!good)
        k->u->failed = true;
    bk_asked_by_row(k->list);
}

/* Lists the questions of a piece's cells. */
static void ask_piece(void *context, uint64_t nth, unsigned thread)
{
    struct unit_run *u = context;
    const struct unit_piece *p = &u->piece[u->asked + nth];
    struct unit_walk k = walk_of(u, thread, note_cell);

    k.walk.begin = note_row;
    k.walk.recall = p->remembered ? &p->cells : NULL;
    k.walk.kept = u->leaf;
    k.walk.kept_bytes = sizeof *u->leaf;
    k.walk.soon = fetch_code;
    k.list = &u->lists[u->asked + nth];
    walk_piece(&k, u->asked + nth);
}

static bool close_cut(struct unit_run *u)
{
    if (!u->now.rows)
        return true;
    if (!BK_ARRAY_ROOM(u->cut, u->cut_room, u->cuts + 1))
        return false;
    u->cut[u->cuts++] = u->now;
    u->now = (struct shard_cut){ 0 };
    return true;
}

/* Cuts the rows of the next pieces into shards.  last: they end the window. */
static bool cut_pieces(struct unit_run *u, uint32_t pieces, bool last)
{
    u->cuts = 0;
    for (uint32_t p = u->asked; p < u->asked + pieces; p++)
        for (size_t i = 0; i < u->lists[p].rows; i++) {
            const struct bk_asked_row *row = &u->lists[p].row[i];

            if (!u->now.rows) {
                u->now = (struct shard_cut){ .first = row->first, .piece = p, .row = i };
                u->now_keys[0] = u->now_keys[1] = 0;
            }
            u->now.rows++;
            u->now.numbers += row->n;
            u->now_keys[0] += row->keys[0];
            u->now_keys[1] += row->keys[1];
            if (u->now_keys[0] < u->most_keys && u->now_keys[1] < u->most_keys)
                continue;
            if (!close_cut(u))
                return false;
        }
    return !last || close_cut(u);
}

static void make_shard(void *context, uint64_t nth, unsigned thread)
{
    struct unit_run *u = context;
    const struct shard_cut *c = &u->cut[nth];

    bk_spill_ease(u->spill);
    if (!u->failed && !bk_shard_make(&u->shard[nth], &u->lists[c->piece], c->row, c->rows, u->words,
                                     u->effort->spare, &u->scratch[thread].shard))
        u->failed = true;
}

/* Gives the unit's next shard to the sink, and its entry to the directory. */
static enum bk_err give_shard(struct unit_run *u, struct bk_unit *out, struct bk_shard *entry,
                              uint32_t numbers, const void *bytes, bk_shard_sink *sink,
                              void *context, struct bk_report *why)
{
    size_t n = bk_shard_bytes(entry);

    if (!BK_ARRAY_ROOM(u->directory, u->directory_room,
                       out->directory_bytes + BK_SHARD_ENTRY_BYTES))
        return bk_fail(why, BK_E_SYSTEM, "no memory for a directory");
    entry->sum = bk_shard_sum(bytes, n, out->shards++);
    bk_shard_entry_write(u->directory + out->directory_bytes, entry, numbers);
    out->directory_bytes += BK_SHARD_ENTRY_BYTES;
    out->shard_bytes += n;
    return n ? sink(context, bytes, n, why) : BK_OK;
}

/* What comes before the bytes of a shard that is sent to the first process. */
struct sent_shard {
    struct bk_shard entry;
    uint32_t numbers;
};

static void send_shard(const struct unit_run *u, const struct bk_made_shard *s, uint32_t numbers)
{
    const struct sent_shard head = { s->entry, numbers };

    bk_box_put(&u->box[0], &head, sizeof head);
    bk_box_put(&u->box[0], s->bytes, bk_shard_bytes(&s->entry));
}

static enum bk_err give_shards(struct unit_run *u, struct bk_unit *out, bk_shard_sink *sink,
                               void *context, struct bk_report *why)
{
    enum bk_err err = BK_OK;

    for (size_t i = 0; i < u->cuts && !err; i++) {
        struct bk_made_shard *s = &u->shard[i];
        uint32_t numbers = (uint32_t)u->cut[i].numbers;

        if (u->shared && !bk_ranks_is_first())
            send_shard(u, s, numbers);
        else
            err = give_shard(u, out, &s->entry, numbers, s->bytes, sink, context, why);
    }
    return err;
}

/* Receives the shards of the other processes, whose windows follow those of the first in order. */
static enum bk_err receive_shards(struct unit_run *u, struct bk_unit *out, bk_shard_sink *sink,
                                  void *context, struct bk_report *why)
{
    struct bk_box *in = bk_boxes_new(bk_ranks());
    enum bk_err err = ended(u, in ? BK_OK : bk_no_memory(why), why);

    bk_ranks_sends(BK_SENDS_SHARDS);
    if (!err)
        err = bk_ranks_exchange(u->box, in, false, why);
    for (unsigned r = 1; !err && bk_ranks_is_first() && r < bk_ranks(); r++)
        for (const char *at = in[r].at, *end = at + in[r].n; !err && at < end;) {
            struct sent_shard s;

            memcpy(&s, at, sizeof s);
            at += sizeof s;
            err = give_shard(u, out, &s.entry, s.numbers, at, sink, context, why);
            at += bk_shard_bytes(&s.entry);
        }
    bk_boxes_free(in, bk_ranks());
    return ended(u, err, why);
}

/* Frees the shards, and empties the lists of pieces all of whose rows are in shards, for later
   pieces.  If memory is short these lists are freed, and those of pieces whose shard is not whole
   yet go to disk, but for the last: with few exceptions a whole window may wait for one shard. */
static void forget_batch(struct unit_run *u)
{
    uint32_t end = u->now.rows ? u->now.piece : u->asked;

    for (size_t i = 0; u->shard && i < u->cuts; i++)
        free(u->shard[i].bytes);
    free(u->shard);
    u->shard = NULL;
    for (; u->forgotten < end; u->forgotten++) {
        struct bk_asked_rows *l = &u->lists[u->forgotten];

        bk_asked_rows_clear(l);
        if (u->spill)
            bk_asked_rows_release(l);
    }
    for (uint32_t p = end; u->spill && p + 1 < u->asked; p++)
        bk_asked_put_away(&u->lists[p], u->spill);
}

/* The lists of forgotten pieces go to the next ones: fresh memory costs as much as writing it. */
static void reuse_lists(struct unit_run *u, uint32_t pieces)
{
    for (uint32_t i = 0; i < pieces && u->reused < u->forgotten; i++, u->reused++) {
        u->lists[u->asked + i] = u->lists[u->reused];
        u->lists[u->reused] = (struct bk_asked_rows){ 0 };
    }
}

/* Raises u->piece_bytes to what the questions of a batch's pieces took. */
static void note_bytes(struct unit_run *u, uint32_t pieces)
{
    for (uint32_t p = u->asked; p < u->asked + pieces; p++) {
        const struct bk_asked_rows *l = &u->lists[p];
        uint64_t bytes = l->rows * sizeof *l->row;

        for (unsigned i = 0; i < BK_ASKED_LISTS; i++)
            bytes += l->asked.of[i].n * sizeof *l->asked.of[i].word;
        u->piece_bytes = bytes > u->piece_bytes ? bytes : u->piece_bytes;
    }
}

static enum bk_err write_batch(struct unit_run *u, uint32_t pieces, bool last, struct bk_unit *out,
                               bk_shard_sink *sink, void *context, struct bk_report *why)
{
    enum bk_err err = BK_OK;
    bool going;

    reuse_lists(u, pieces);
    going = bk_pool_try(u->pool, pieces, ask_piece, u);
    note_bytes(u, pieces);
    bk_stock_ease();

    u->cuts = 0;
    if (going && !u->failed && cut_pieces(u, pieces, last))
        u->shard = calloc(u->cuts + 1, sizeof(*u->shard));
    if (!u->shard)
        err = bk_fail(why, BK_E_SYSTEM, going ? "no memory to encode" : "stopped");
    else if (!bk_pool_try(u->pool, u->cuts, make_shard, u))
        err = bk_fail(why, BK_E_SYSTEM, "stopped");
    else if (u->failed)
        err = bk_fail(why, BK_E_SYSTEM, "no memory for a shard, or no ribbon holds its keys");
    if (!err)
        err = give_shards(u, out, sink, context, why);
    u->asked += pieces;
    forget_batch(u);
    return err;
}

/* Makes all shards of the unit, when rates are chosen: their bytes go to the sink, in order, their
   entries to u->directory, and `out` counts both.  If the unit is shared they come to the sink of
   the first process.  Fails with BK_E_SYSTEM, or what the sink said. */
static enum bk_err write_shards(struct unit_run *u, struct bk_unit *out, bk_shard_sink *sink,
                                void *context, struct bk_report *why)
{
    enum bk_err err = BK_OK;

    while (u->asked < u->to && !err) {
        uint32_t left = WINDOW_PIECES - u->asked % WINDOW_PIECES;
        uint32_t pieces = pieces_at_once(u);

        if (left > u->to - u->asked)
            left = u->to - u->asked;
        if (pieces > left)
            pieces = left;
        begin(u, BK_PASS_SHARDS, pieces / (double)(u->to - u->from));
        err = write_batch(u, pieces, pieces == left, out, sink, context, why);
    }
    err = ended(u, err, why);
    return !err && u->shared ? receive_shards(u, out, sink, context, why) : err;
}

/* == All of it == */

static enum bk_err encode(struct unit_run *u, struct bk_unit *out,
                          const struct bk_unit_options *options, bk_shard_sink *sink, void *context,
                          struct bk_report *why)
{
    enum bk_err err = learn_codes(u, options, why);

    if (err)
        return err;
    begin(u, BK_PASS_RATES, 1);
    err = ended(u, judge_guesses(u, why), why);
    if (!err)
        err = choose_rates(u, why);
    bk_spill_ease(u->spill);
    if (err)
        return err;
    err = bk_model_write(&out->model, &out->model_bytes, &u->codes.model, why);
    err = ended(u, err, why);
    if (!err)
        err = write_shards(u, out, sink, context, why);
    know_bytes(u, out);
    out->leaves = u->learned.leaves;
    out->directory = u->directory;
    u->directory = NULL;
    return err;
}

enum bk_err bk_unit_encode(struct bk_unit *out, const struct bk_unit_source *src,
                           const struct bk_unit_options *options, struct bk_pool *pool,
                           bk_shard_sink *sink, void *context, struct bk_report *why)
{
    struct unit_run *u = calloc(1, sizeof(*u));
    enum bk_err err;

    *out = (struct bk_unit){ 0 };
    err = u ? unit_run_init(u, src, options, pool, why)
            : bk_fail(why, BK_E_SYSTEM, "no memory to encode");
    if (options->shared)
        err = bk_ranks_agree(err, why);
    if (!err)
        err = encode(u, out, options, sink, context, why);
    if (u)
        unit_run_release(u);
    if (err)
        bk_unit_release(out);
    return err;
}

void bk_unit_release(struct bk_unit *u)
{
    free(u->model);
    free(u->directory);
    *u = (struct bk_unit){ 0 };
}
