/*
 * budget.c - see budget.h.
 */
#include "tb/make/budget.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "core/geometry.h"
#include "core/rules.h"
#include "table/index_new.h"
#include "tb/encode/foretell.h"
#include "tb/make/dry.h"
#include "tb/make/plan.h"
#include "tb/make/resident.h"
#include "tb/memory/cpu.h"
#include "tb/memory/transport.h"

/* Program, libraries, and what the allocator keeps of solving: measured. */
#define PROCESS_BYTES (UINT64_C(13) << 19)

/* What MPI takes in each of two processes, and besides where there are more.  Measured with Open
   MPI 4.1, by shared memory and by TCP, of 2 to 16. */
#define SEVERAL_BYTES       (UINT64_C(15693) << 10)
#define MORE_THAN_TWO_BYTES (UINT64_C(3277) << 10)

/* Where files answer alone each thread but the first takes so much more, for its lists of a unit's
   positions.  Measured: up to 3.8 MB. */
#define ALONE_THREAD_BYTES (UINT64_C(4) << 20)

/* What lies between the allocator's pieces: one process of one thread was measured to take up to
   0.7 per cent more than it asks for, and 1.8 where it held eight small tables (Sultan KRvKP and
   what it leads to, `fast`).  Of several processes the estimate is above that anyway. */
#define BETWEEN(bytes, held) ((bytes) / 100 + (held) / 24)

/* Of a process that encodes: small lists, models while they are packed. */
#define ENCODER_BYTES (UINT64_C(23) << 17)
/* Of each thread but the first: the allocator's arena.  Measured, with 2 to 7 threads. */
#define THREAD_BYTES (UINT64_C(5) << 19)

/* For the cells of a unit, if solving has not taken more. */
#define CELLS_BYTES (UINT64_C(1) << 29)

/* What is known of a table so far, whatever is held while it is made. */
struct known {
    struct bk_solving solving[BK_WIDE + 1][2]; /* by strategy; [1]: solved blocks are let go */
    bool solved[BK_WIDE + 1][2];               /* these are known */
    struct bk_drawn *drawn;                    /* owned; bk_encode_draw(); NULL: not yet */
};

static bool is_several(const struct bk_plan *p) { return p->processes > 1; }

/* Returns the set of all processes. */
static struct bk_some_ranks all_of(const struct bk_plan *p)
{
    unsigned ranks = is_several(p) ? p->processes : 1;

    return (struct bk_some_ranks){ ranks, 0, ranks };
}

/* Estimates what encoding a table takes.  n: what solving it takes; drawn: of its units; always:
   what else is there. */
static enum bk_err estimate_encoder(struct bk_encode_needs *out, const struct bk_plan *p,
                                    const struct bk_index *ix, const struct bk_plan_table *t,
                                    unsigned threads, struct bk_some_ranks some,
                                    const struct bk_solving *n, const struct bk_drawn *drawn,
                                    uint64_t always, struct bk_report *why)
{
    const struct bk_encode_options o = { .distances = bk_plan_keeps_distances(p),
                                         .counts = p->nmove,
                                         .effort = p->effort,
                                         .standalone = p->alone,
                                         .memory_bytes = t->encode_bytes };
    const struct bk_encode_question q = { .ix = ix,
                                          .options = &o,
                                          .threads = threads,
                                          .some = some,
                                          .file_bytes = { t->guess_bytes[BK_KIND_WDL],
                                                          t->guess_bytes[BK_KIND_DTW] },
                                          .drawn = drawn,
                                          .beside_bytes = always + n->encoding,
                                          .solving_bytes = always + n->peak };

    *out = (struct bk_encode_needs){ 0 };
    return bk_rules_without_tables(p->v) ? BK_OK : bk_encode_estimate(out, &q, why);
}

/* Adds what several processes send each other while they solve a table.  encode: which of them
   encode it, or NULL. */
static enum bk_err add_solving(uint64_t sent[BK_TRAFFICS], const struct bk_dry_run *r,
                               struct bk_encode_places *encode, struct bk_report *why)
{
    struct bk_share_traffic n;
    enum bk_err err = bk_dry_sent(&n, r, encode, why);

    sent[BK_SENDS_VALUES] += n.values;
    sent[BK_SENDS_NEWS] += n.news;
    return err;
}

/* Adds what several processes send each other while they solve and encode a table. */
static enum bk_err add_making(const struct bk_dry_run *r, struct bk_report *why)
{
    const struct bk_plan *p = r->p;
    const struct bk_index *ix = r->ix;
    struct bk_plan_table *t = &p->table[r->table];
    const struct bk_encode_options o = { .distances = bk_plan_keeps_distances(p),
                                         .counts = p->nmove,
                                         .standalone = p->alone,
                                         .effort = p->effort };
    const struct bk_encode_question q = { .ix = ix,
                                          .options = &o,
                                          .threads = r->threads,
                                          .some = all_of(p),
                                          .file_bytes = { t->guess_bytes[BK_KIND_WDL],
                                                          t->guess_bytes[BK_KIND_DTW] } };
    bool one_side = bk_table_one_side(&ix->m, ix->v);
    unsigned n = bk_units_of(ix, one_side, NULL, 0);
    struct bk_unit_place *place = calloc(n + 1u, sizeof *place);
    struct bk_encode_places encode = { ix, place, one_side, p->processes };
    enum bk_err err = place ? BK_OK : bk_no_memory(why);

    if (!err) {
        bk_units_of(ix, one_side, place, n);
        err = add_solving(t->sent_bytes, r, &encode, why);
    }
    if (!err)
        err = bk_encode_traffic(&t->sent_bytes[BK_SENDS_ROWS], &t->sent_bytes[BK_SENDS_SHARDS], &q,
                                why);
    free(place);
    return err;
}

/* CPU time that solving a position takes; times as much with pawns, and on more than 64 squares;
   bytes a second from one process to the others. */
#define SOLVE_NS      7
#define SOLVE_PAWNS   1.5
#define SOLVE_LARGE   1.8
#define NETWORK_BYTES 1.25e9 /* 10 Gbit/s */

/* Predicts the work of making a table, of one core. */
static void predict_work(const struct bk_plan *p, struct bk_plan_table *t,
                         const struct bk_index *ix)
{
    const struct bk_encode_options o = { .distances = bk_plan_keeps_distances(p),
                                         .counts = p->nmove,
                                         .standalone = p->alone,
                                         .effort = p->effort,
                                         .file_bytes = { bk_plan_file_bytes(p, t, BK_KIND_WDL),
                                                         bk_plan_file_bytes(p, t, BK_KIND_DTW) } };

    t->work[BK_SOLVING] = (double)(t->positions + t->anew_positions) * SOLVE_NS * 1e-9 *
                          (ix->nblocks > 1 ? SOLVE_PAWNS : 1) * (ix->v->nsq > 64 ? SOLVE_LARGE : 1);
    t->work[BK_ENCODING] = bk_encode_work(ix, &o);
}

static double seconds_of(const struct bk_plan *p, const struct bk_plan_table *t, unsigned threads)
{
    unsigned ranks = all_of(p).ranks;
    double seconds = (t->work[BK_SOLVING] + t->work[BK_ENCODING]) / ranks / threads;

    for (unsigned i = 0; i < BK_TRAFFICS; i++)
        seconds += (double)t->sent_bytes[i] / ranks / NETWORK_BYTES;
    return seconds;
}

/* The prediction of one table. */
struct prediction {
    struct bk_resident *h; /* what is held: changes */
    struct bk_plan *p;
    unsigned threads;
    uint64_t limit;                        /* of memory; 0: none */
    struct known *known;                   /* by table: changes */
    uint64_t always;                       /* taken by the process, whatever it makes */
    uint64_t peak, fixed, room;            /* of tables that are solved anew for it */
    uint64_t sent[BK_TRAFFICS], positions; /* of these tables, too */
};

/* What the process takes, whatever table it makes. */
static uint64_t always_of(const struct bk_plan *p, unsigned threads)
{
    uint64_t bytes = PROCESS_BYTES + bk_geometry_bytes(p->v->geometry, p->v) + ENCODER_BYTES +
                     (threads - 1) * THREAD_BYTES;

    bytes += p->alone ? (threads - 1) * ALONE_THREAD_BYTES : 0;
    if (is_several(p))
        return bytes + SEVERAL_BYTES + (p->processes > 2 ? MORE_THAN_TWO_BYTES : 0);
    return bytes + bk_transport_bytes();
}

/* What is there while a table is solved, besides: the process, and what is held. */
static uint64_t beside_of(const struct prediction *x, uint32_t table)
{
    return x->always + x->h->bytes + bk_resident_frames(x->h) + x->p->table[table].frame_bytes;
}

/* Returns what solving may take of `memory`, with what is held beside it. */
static uint64_t most_of(uint64_t memory) { return memory / 4 * 3; }

/* How a table is solved that does not fit into memory. */
static enum bk_strategy on_disk(const struct bk_plan *p)
{
    return is_several(p) ? BK_APART : BK_COMPACT;
}

/* Sets *ix to the index of a table, in the order in which it is solved, if it is NULL. */
static enum bk_err need_index(struct bk_index **ix, const struct prediction *x, uint32_t table,
                              struct bk_report *why)
{
    enum bk_err err;

    if (*ix)
        return BK_OK;
    err = bk_index_new(ix, x->p->v, &x->p->table[table].m, NULL, why);
    if (!err)
        bk_rows_reorder(*ix);
    return err;
}

static struct bk_dry_run run_of(const struct prediction *x, struct bk_index *ix, uint32_t table,
                                enum bk_strategy strategy, bool keep)
{
    return (struct bk_dry_run){ .p = x->p,
                                .ix = ix,
                                .table = table,
                                .strategy = strategy,
                                .keep = keep,
                                .threads = x->threads,
                                .some = all_of(x->p) };
}

/* Sets *out to what solving a table takes.  It is found out once, with the table's index. */
static enum bk_err solving(const struct bk_solving **out, const struct prediction *x,
                           struct bk_index **ix, uint32_t table, enum bk_strategy strategy,
                           bool let_go, struct bk_report *why)
{
    struct known *k = &x->known[table];
    struct bk_solving *n = &k->solving[strategy][let_go];
    enum bk_err err = BK_OK;

    *out = n;
    if (k->solved[strategy][let_go])
        return BK_OK;
    err = need_index(ix, x, table, why);
    if (!err) {
        const struct bk_dry_run r = run_of(x, *ix, table, strategy, !let_go);

        err = bk_dry_solving(n, &r, why);
    }
    k->solved[strategy][let_go] = !err;
    return err;
}

/* Predicts solving a table anew: nothing is encoded. */
static enum bk_err add_anew(struct prediction *x, struct bk_index **ix, uint32_t table,
                            uint64_t *bytes, struct bk_report *why)
{
    bool *apart = &x->p->table[table].anew_apart;
    const struct bk_solving *blocks, *groups, *disk, *n;
    enum bk_err err = solving(&blocks, x, ix, table, BK_APART, false, why);
    uint64_t most;

    if (!err)
        err = solving(&groups, x, ix, table, BK_GROUPS, false, why);
    if (!err)
        err = solving(&disk, x, ix, table, on_disk(x->p), true, why);
    if (err)
        return err;
    *apart = *apart || beside_of(x, table) + groups->peak > most_of(x->h->memory);
    n = *apart ? blocks : groups;
    *bytes = n->held;
    most = beside_of(x, table) + bk_resident_margin(x->h) + n->peak;
    x->peak = most > x->peak ? most : x->peak;
    x->fixed = disk->fixed > x->fixed ? disk->fixed : x->fixed;
    x->room = disk->room > x->room ? disk->room : x->room;
    x->positions += x->p->table[table].positions;
    if (!is_several(x->p))
        return BK_OK;
    err = need_index(ix, x, table, why);
    if (!err) {
        const struct bk_dry_run r = run_of(x, *ix, table, *apart ? BK_APART : BK_GROUPS, true);

        err = add_solving(x->sent, &r, NULL, why);
    }
    return err;
}

/* Predicts solving a table anew whose files are there: in groups, if there is memory each time. */
static enum bk_err predict_anew(void *context, uint32_t table, struct bk_memtable **t,
                                uint64_t *bytes, struct bk_report *why)
{
    struct bk_index *ix = NULL;
    enum bk_err err = add_anew(context, &ix, table, bytes, why);

    *t = NULL;
    bk_index_free(ix);
    return err;
}

/*
 * Chooses the largest groups that fit three quarters of the memory; else no groups, or, without
 * distances, fewer sets (BK_COMPACT).  n: set to what the strategy takes.
 */
static enum bk_err choose_strategy(const struct prediction *x, struct bk_index **ix, uint32_t table,
                                   bool keep, enum bk_strategy *strategy,
                                   const struct bk_solving **n, struct bk_report *why)
{
    uint64_t beside = beside_of(x, table);
    enum bk_strategy last = x->p->distances ? BK_APART : BK_COMPACT;

    for (*strategy = BK_WIDE; *strategy > last; (*strategy)--) {
        enum bk_err err = solving(n, x, ix, table, *strategy, !keep, why);

        if (err)
            return err;
        if (*strategy > BK_APART && !(*n)->groups)
            continue;
        if (beside + (*n)->peak <= most_of(x->h->memory))
            return BK_OK;
    }
    return solving(n, x, ix, table, last, !keep, why);
}

/* Returns what the encoder may take to remember cells: what solving has taken, or a byte a
   position.  Of large tables with pawns all cells take five; others are found again. */
static uint64_t bytes_for_cells(uint64_t positions, uint64_t solving)
{
    uint64_t enough = positions < CELLS_BYTES ? positions : CELLS_BYTES;

    return solving > enough ? solving : enough;
}

static void raise_to(uint64_t *most, uint64_t bytes) { *most = bytes > *most ? bytes : *most; }

/* Predicts solving and encoding: of one process, or of the first, which learns, and of others. */
static enum bk_err predict_each(const struct prediction *x, struct bk_index *ix, uint32_t table,
                                bool let_go, const struct bk_solving *chosen,
                                uint64_t *least_encoder, struct bk_report *why)
{
    const struct bk_some_ranks all = all_of(x->p);
    const struct bk_some_ranks part[2] = { { all.ranks, 0, 1 }, { all.ranks, 1, all.ranks } };
    const uint64_t always = beside_of(x, table) + bk_resident_margin(x->h);
    struct bk_plan_table *t = &x->p->table[table];
    enum bk_err err = BK_OK;

    *least_encoder = 0;
    for (unsigned i = 0; !err && i < (is_several(x->p) ? 2 : 1); i++) {
        struct bk_solving n = *chosen;
        struct bk_dry_run r = run_of(x, ix, table, t->strategy, !let_go);
        struct bk_encode_needs encoder;
        uint64_t most;

        r.some = part[i];
        if (is_several(x->p))
            err = bk_dry_solving(&n, &r, why);
        if (!err)
            err = estimate_encoder(&encoder, x->p, ix, t, x->threads,
                                   is_several(x->p) ? part[i] : all, &n, x->known[table].drawn,
                                   always, why);
        if (err)
            return err;
        *least_encoder = encoder.own > *least_encoder ? encoder.own : *least_encoder;
        if (!i) {
            t->together_bytes = encoder.together;
            t->room_bytes = encoder.room;
        }
        most = n.encoding + encoder.peak;
        raise_to(&t->solving_bytes, always + n.peak);
        most = always + (n.peak > most ? n.peak : most);
        raise_to(&t->memory_bytes, most + (is_several(x->p) ? 0 : BETWEEN(most, x->h->bytes)));
    }
    return err;
}

/* Returns the bytes that stay of a table once it is solved, if it is held. */
static uint64_t held_bytes_of(const struct prediction *x, uint32_t table)
{
    const struct bk_solving *kept = &x->known[table].solving[BK_APART][false];

    return beside_of(x, table) + kept->peak > most_of(x->h->memory)
               ? BK_NEVER_HELD /* until it is solved all of it would have to stay */
               : kept->held;
}

/* Returns the bytes that encoding may use to be quicker. */
static uint64_t encode_bytes_of(const struct prediction *x, const struct bk_plan_table *t,
                                const struct bk_solving *chosen)
{
    uint64_t solving = chosen->peak > chosen->encoding ? chosen->peak - chosen->encoding : 0;
    uint64_t bytes = bytes_for_cells(t->positions, solving);

    return bytes > x->h->memory / 8 ? x->h->memory / 8 : bytes;
}

/* Sets the least memory with which a table can be made, on disk.  encoder: least for encoding. */
static void predict_least(const struct prediction *x, uint32_t table, uint64_t encoder)
{
    const struct bk_solving *own = &x->known[table].solving[on_disk(x->p)][true];
    struct bk_plan_table *t = &x->p->table[table];
    uint64_t fixed = own->fixed > x->fixed ? own->fixed : x->fixed;
    uint64_t room = own->room > x->room ? own->room : x->room;

    t->spill_room = room + x->threads * (UINT64_C(8) << 20);
    t->least_bytes =
        beside_of(x, table) - x->h->bytes + (fixed > encoder ? fixed : encoder) + t->spill_room;
}

/* Brings what is held up to date for when a table is done. */
static enum bk_err predict_held(const struct prediction *x, uint32_t table, struct bk_report *why)
{
    struct bk_plan_table *t = &x->p->table[table];

    if (x->limit && t->memory_bytes > x->limit) { /* it will work on disk, with nothing held */
        t->strategy = x->p->distances ? on_disk(x->p) : BK_COMPACT;
        bk_resident_clear(x->h);
        return BK_OK;
    }
    bk_resident_done(x->h, table);
    if (!bk_resident_will_keep(x->h, table, t->held_bytes))
        return BK_OK;
    return bk_resident_add(x->h, table, NULL, t->held_bytes, table + 1, why);
}

/* Draws positions of a table's units, unless that has been done. */
static enum bk_err draw(struct known *k, const struct bk_index *ix, struct bk_report *why)
{
    if (bk_rules_without_tables(ix->v)) /* it is counted alone */
        return BK_OK;
    if (!k->drawn)
        k->drawn = bk_encode_draw(ix);
    return k->drawn ? BK_OK : bk_no_memory(why);
}

/* Predicts one table, as bk_build() would make it. */
static enum bk_err predict(struct prediction *x, struct bk_index **ix, uint32_t table,
                           struct bk_report *why)
{
    struct bk_plan_table *t = &x->p->table[table];
    const struct bk_solving *n;
    uint64_t least_encoder;
    bool keep;
    enum bk_err err = need_index(ix, x, table, why);

    if (!err)
        err = solving(&n, x, ix, table, BK_APART, false, why); /* for held_bytes_of() */
    if (!err)
        err = solving(&n, x, ix, table, on_disk(x->p), true, why); /* for predict_least() */
    if (!err)
        err = draw(&x->known[table], *ix, why);
    if (!err)
        err = bk_resident_gather(x->h, table, table, predict_anew, x, why);
    if (err)
        return err;
    bk_resident_leave(x->h, table);
    t->held_bytes = held_bytes_of(x, table);
    keep = bk_resident_will_keep(x->h, table, t->held_bytes);
    err = choose_strategy(x, ix, table, keep, &t->strategy, &n, why);
    if (err)
        return err;
    t->encode_bytes = encode_bytes_of(x, t, n);
    t->memory_bytes = t->solving_bytes = x->peak;
    err = predict_each(x, *ix, table, !keep, n, &least_encoder, why);
    memcpy(t->sent_bytes, x->sent, sizeof x->sent);
    if (!err && is_several(x->p)) {
        const struct bk_dry_run r = run_of(x, *ix, table, t->strategy, keep);

        err = add_making(&r, why);
    }
    if (err)
        return err;
    t->anew_positions = x->positions;
    predict_work(x->p, t, *ix);
    t->seconds = seconds_of(x->p, t, x->threads);
    predict_least(x, table, least_encoder);
    return predict_held(x, table, why);
}

/* Predicts the next table.  all: the fields that are the same for each. */
static enum bk_err predict_table(const struct prediction *all, uint32_t table,
                                 struct bk_report *why)
{
    struct prediction x = *all;
    struct bk_index *ix = NULL;
    enum bk_err err = predict(&x, &ix, table, why);

    bk_index_free(ix);
    return err;
}

uint64_t bk_plan_peak(const struct bk_plan *p)
{
    uint64_t most = 0;

    for (unsigned i = 0; i < p->n; i++)
        if (!p->table[i].present && p->table[i].memory_bytes > most)
            most = p->table[i].memory_bytes;
    return most;
}

/* Predicts all missing tables in turn.  known: of each, so far; *memory: set to what may
   be used. */
static enum bk_err predict_in_turn(struct bk_plan *p, unsigned threads, uint64_t memory_limit,
                                   struct known *known, uint64_t *memory, struct bk_report *why)
{
    enum bk_err err = BK_OK;
    struct bk_resident h;
    const struct prediction x = { .h = &h,
                                  .p = p,
                                  .threads = threads,
                                  .limit = memory_limit,
                                  .known = known,
                                  .always = always_of(p, threads) };

    p->process_bytes = x.always;
    if (!bk_resident_init(&h, p, memory_limit))
        err = bk_no_memory(why);
    *memory = h.memory;
    for (unsigned i = 0; !err && i < p->n; i++)
        p->table[i].anew_apart = false;
    for (unsigned i = 0; !err && i < p->n; i++) {
        const struct bk_plan_table *t = &p->table[i];

        if (p->foretells && !t->present)
            p->foretells(p->watcher, p, i);
        if (p->stop && *p->stop)
            err = bk_interrupted(why);
        else if (!t->present)
            err = predict_table(&x, i, why);
    }
    bk_resident_release(&h);
    return err;
}

/* Predicts all missing tables.  More is held where no limit is set, if all takes no more than three
   quarters of the machine's memory then. */
static enum bk_err predict_all(struct bk_plan *p, unsigned threads, uint64_t memory_limit,
                               struct known *known, struct bk_report *why)
{
    uint64_t memory;
    enum bk_err err;

    p->holds_more = !memory_limit && !is_several(p);
    err = predict_in_turn(p, threads, memory_limit, known, &memory, why);
    if (err || !p->holds_more || bk_plan_peak(p) <= most_of(memory))
        return err;
    p->holds_more = false;
    return predict_in_turn(p, threads, memory_limit, known, &memory, why);
}

static void known_free(struct known *known, unsigned n)
{
    for (unsigned i = 0; known && i < n; i++)
        free(known[i].drawn);
    free(known);
}

/* Returns a hash of all that a prediction rests on; never 0. */
static uint64_t fingerprint(const struct bk_plan *p, unsigned threads, uint64_t memory_limit)
{
    const uint64_t of_plan[] = { p->v->rules_id, p->n,      p->distances, p->machine_bytes,
                                 p->processes,   p->effort, p->alone,     threads,
                                 memory_limit,   p->nmove };
    uint64_t sum = XXH64(of_plan, sizeof of_plan, 0);

    for (unsigned i = 0; i < p->n; i++) {
        const struct bk_plan_table *t = &p->table[i];
        const uint64_t of_table[] = { t->present, t->guess_bytes[0], t->guess_bytes[1] };

        sum = XXH64(of_table, sizeof of_table, sum);
    }
    return sum | 1;
}

enum bk_err bk_plan_memory(struct bk_plan *p, unsigned threads, uint64_t memory_limit,
                           struct bk_report *why)
{
    struct known *known;
    uint64_t now;
    enum bk_err err;

    threads = threads ? threads : bk_cores();
    now = fingerprint(p, threads, memory_limit);
    if (p->foretold == now)
        return BK_OK;
    p->foretold = 0;
    known = calloc(p->n + 1u, sizeof *known);
    bk_plan_parts(p);
    err = known ? predict_all(p, threads, memory_limit, known, why) : bk_no_memory(why);
    known_free(known, p->n);
    p->foretold = err ? 0 : now;
    return err;
}

enum bk_err bk_plan_memory_alone(struct bk_plan *p, unsigned threads, struct bk_report *why)
{
    struct known *known = calloc(p->n + 1u, sizeof *known);
    bool *missing = calloc(p->n + 1u, sizeof *missing);
    enum bk_err err = known && missing ? BK_OK : bk_no_memory(why);

    p->foretold = 0;
    threads = threads ? threads : bk_cores();
    bk_plan_parts(p);
    for (unsigned i = 0; !err && i < p->n; i++) {
        missing[i] = !p->table[i].present;
        p->table[i].present = true;
    }
    for (unsigned i = 0; !err && i < p->n; i++) {
        p->table[i].present = !missing[i];
        err = predict_all(p, threads, 0, known, why);
        p->table[i].present = true;
    }
    for (unsigned i = 0; missing && i < p->n; i++)
        p->table[i].present = !missing[i];
    free(missing);
    known_free(known, p->n);
    return err;
}
