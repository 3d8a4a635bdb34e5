/*
 * unit.c - from values to model, directory and shards.
 *
 *   learn    a tree, from a sample of rows (sample.c, learn.c)
 *   count    every row down the tree: how often each value comes in each leaf
 *   code     the questions of each leaf (codes.c)
 *   meet     in how many cells each question meets exceptions; its rates
 *   write    window after window: once more what its cells are asked, which is noted;
 *            where to cut; then shard by shard the keys of ribbon A, which is
 *            solved and asked who passes, and of ribbon B
 *
 * A *cell* is the squares of a row that reach one leaf.  Cells are what all
 * passes but the first work on, and a way down the tree costs ten times what
 * reading a cell does, so they are remembered while memory lasts (cells.h); else
 * the tree is descended again.  Either way the bytes are the same.
 *
 * The sample tells which value is a leaf's likeliest: the *guess*.  A cell is
 * *odd* if some of its positions have another.  Of the others the values need
 * not be read again, unless the guess was wrong.
 *
 * Work is shared out by *piece*, the rows that begin in a stretch of numbers.
 * Shards are cut row by row through a *window*, a run of pieces, whatever the
 * pieces; a shard ends with its window.  Of a window a few pieces for each thread
 * are asked at a time, and forgotten as soon as their rows are in shards: so much
 * is in memory at once, whatever the table.
 *
 * Several processes share a unit by windows, a run of them each.  The first one
 * learns; all count and meet their own pieces, the sums are everybody's, and so
 * each makes the same codes; shards come to the first in the order of windows.
 */
#include "tb/encode/unit.h"

#include <stdlib.h>
#include <string.h>

#include "tb/encode/cells.h"
#include "tb/encode/codes.h"
#include "tb/encode/learn.h"
#include "tb/encode/ribbons.h"
#include "tb/memory/ranks.h"

#define PIECE_NUMBERS (UINT64_C(1) << 17)
#define WINDOW_PIECES 512
#define BATCH_PIECES  4                     /* a thread */
#define COUNTS_APART  (UINT64_C(512) << 10) /* larger tables of counts are shared by the threads */
#define SHARD_KEYS    14000
#define WORDS_MAX     BK_CELL_WORDS_MAX
#define PARTS         10 /* bits of a fraction of a key, in estimates */

/* Questions that positions of cells are asked: a word with the question and, once they are chosen,
   its rates; then those who are asked; with SOME, then those of them that are exceptions. */
#define SOME     (UINT64_C(1) << 32)
#define RC_SHIFT 40
#define RP_SHIFT 48
struct asked {
    uint64_t *word;
    size_t n, room;
};

/* A row of the window under way. */
struct row_note {
    uint64_t first;
    uint32_t n;
    uint32_t keys[2]; /* of ribbons A, B, estimated, in units of 2^-PARTS */
    size_t end;       /* of the piece's `asked`: behind the row's */
};

struct piece {
    bool remembered;           /* its cells are */
    struct bk_cell_list cells; /* borrowed from the unit's */
    struct row_note *row;      /* within the window */
    uint32_t rows, row_room;
    struct asked asked; /* within the window */
};

/* The shard that is being cut: rows from `row` of `piece` on, `rows` of them. */
struct cut {
    uint64_t first, numbers;
    uint32_t piece, row, rows;
};

struct shard {
    struct bk_shard entry;
    uint8_t *bytes; /* owned */
};

struct key_list {
    struct bk_ribbon_key *key;
    size_t n, room;
};

/* What one thread works with. */
struct desk {
    struct bk_fact_row *row;
    struct bk_met *met;        /* by question */
    unsigned bits;             /* of the values seen, beyond BK_BITS_AS_TOLD */
    uint64_t *count;           /* as bk_counts.n */
    struct bk_cell_list cells; /* of the piece that is being counted */
    struct asked asked;        /* of one cell */
    struct key_list keys[2];
    struct bk_ribbon_room ribbon;
};

/* What has become of a leaf's guess.  SURE: its positions are asked nothing. */
enum verdict { LIKELY, WRONG, SURE };

struct unit {
    const struct bk_unit_source *src;
    struct bk_unit_source own; /* src, but of no more bits than its values need */
    struct bk_pool *pool;
    unsigned words, threads;
    struct bk_logs logs;
    uint64_t sampled_bytes; /* what was learned from took so many */
    struct bk_learned learned;
    struct bk_counts counts;
    struct bk_codes codes;
    bool shared;
    uint32_t pieces, from, to; /* all; those from `from` to `to` - 1 are worked on here */
    struct piece *piece;
    struct bk_box *box; /* by process; shared: the shards that are made here, for the first */
    uint8_t *cells;     /* remembered, of all pieces; NULL: none */
    uint64_t cells_taken, cells_room;
    uint8_t *verdict; /* by leaf */
    struct desk *desk;
    struct bk_spill *spill;
    uint64_t memory;    /* as bk_unit_options.memory_bytes */
    bool counts_shared; /* by the threads */
    struct cut *cut;    /* of the batch */
    uint32_t cuts, cut_room;
    struct cut now; /* the shard that is not whole yet */
    uint64_t now_keys[2];
    uint32_t asked, forgotten, reused; /* pieces of the unit, so far */
    struct shard *shard;
    uint8_t *directory;
    size_t directory_room;
    volatile bool failed; /* no memory */
};

#define INLINE static inline __attribute__((always_inline)) /* for sets of one word, most often */

static bool grow_list(void **list, size_t *room, size_t need, size_t item)
{
    size_t more = *room ? 2 * *room : 1024;
    void *p;

    if (need <= *room)
        return true;
    if (more < need)
        more = need;
    p = realloc(*list, more * item);
    if (!p)
        return false;
    *list = p;
    *room = more;
    return true;
}

/* == Cells == */

struct cell_reader;
typedef void on_row(struct cell_reader *r);
typedef void on_cell(struct cell_reader *r, uint32_t leaf, const uint64_t *squares);

/* Goes through the rows and cells of a piece. */
struct cell_reader {
    struct unit *u;
    struct piece *piece;
    struct desk *desk;
    on_row *begin; /* NULL: not told */
    on_cell *cell;
    bool recalls; /* cells are remembered, and values read when they are wanted */
    bool records; /* they are taken down on the desk */
    bool odd;     /* of a cell */
    struct bk_row row;
    uint32_t nth; /* of the row in the piece */
    bool seen;    /* its values have been read */
    struct bk_row_values values;
    uint64_t agree[1u << BK_RESULT_BITS][WORDS_MAX]; /* who may have this value */
    struct bk_cell_in in;                            /* what is remembered */
};

/* Positions that are at least 0 are free. */
static void drop_least_zero(struct cell_reader *r)
{
    struct bk_row_values *v = &r->values;

    for (unsigned i = 0; i < r->u->words; i++) {
        uint64_t some = 0;

        for (unsigned b = 0; b < r->u->src->bits; b++)
            some |= v->plane[b][i];
        v->care[i] &= ~v->least[i] | some;
        v->least[i] &= v->care[i];
    }
}

/* Those of a word that have a value, or may have it. */
INLINE uint64_t agreeing(const struct bk_row_values *v, unsigned bits, unsigned word,
                         uint32_t value)
{
    uint64_t equal = ~UINT64_C(0), less = 0;

    for (unsigned b = bits; b-- > 0;) {
        uint64_t plane = v->plane[b][word], set = -(uint64_t)(value >> b & 1);

        less |= equal & ~plane & set;
        equal &= ~(plane ^ set);
    }
    return equal | (less & v->least[word]);
}

static void read_values(struct cell_reader *r)
{
    const struct bk_unit_source *s = r->u->src;

    s->row(s->context, r->row.first, &r->row, &r->values);
    drop_least_zero(r);
    r->seen = true;
}

static void note_agreeing(struct cell_reader *r)
{
    for (uint32_t value = 0; value < 1u << BK_RESULT_BITS; value++)
        for (unsigned i = 0; i < r->u->words; i++)
            r->agree[value][i] = agreeing(&r->values, BK_RESULT_BITS, i, value);
}

/* Has some position of a cell another value than its leaf's guess? */
INLINE bool is_odd_of(const struct cell_reader *r, uint32_t leaf, const uint64_t *squares,
                      unsigned words, bool small)
{
    uint16_t guess = r->u->learned.guess[leaf];
    uint64_t other = 0;

    for (unsigned i = 0; i < words; i++)
        other |= squares[i] &
                 ~(small ? r->agree[guess][i] : agreeing(&r->values, r->u->src->bits, i, guess));
    return other;
}

static bool is_small(const struct unit *u) { return u->src->bits == BK_RESULT_BITS; }

static bool is_odd(const struct cell_reader *r, uint32_t leaf, const uint64_t *squares)
{
    unsigned words = r->u->words;

    if (words == 1)
        return is_odd_of(r, leaf, squares, 1, is_small(r->u));
    return is_odd_of(r, leaf, squares, words, is_small(r->u));
}

/* Takes a cell down.  Without memory for it none are. */
static void record_cell(struct cell_reader *r, uint32_t leaf, const uint64_t *squares)
{
    unsigned words = r->u->words;

    r->records = bk_cells_room(&r->desk->cells);
    if (!r->records)
        return;
    if (words == 1)
        bk_cells_put(&r->desk->cells, r->nth, leaf, r->odd, squares, 1);
    else
        bk_cells_put(&r->desk->cells, r->nth, leaf, r->odd, squares, words);
}

static void visit_leaf(void *context, uint32_t leaf, const uint64_t *squares)
{
    struct cell_reader *r = context;

    r->odd = is_odd(r, leaf, squares);
    if (r->records)
        record_cell(r, leaf, squares);
    r->cell(r, leaf, squares);
}

static bool any_square(const uint64_t *squares, unsigned words)
{
    uint64_t any = 0;

    for (unsigned i = 0; i < words; i++)
        any |= squares[i];
    return any;
}

static void descend_row(struct cell_reader *r)
{
    read_values(r);
    if (!any_square(r->values.care, r->u->words))
        return;
    if (is_small(r->u))
        note_agreeing(r);
    bk_fact_row_set(r->desk->row, r->row.sq);
    bk_fact_row_descend(r->desk->row, r->u->learned.tree, r->values.care, visit_leaf, r);
    if (r->records)
        bk_cells_end_row(&r->desk->cells, r->nth);
}

/* The cells of a row that were remembered. */
INLINE void recall_row_of(struct cell_reader *r, unsigned words)
{
    unsigned control = 0;

    r->seen = false;
    if (r->in.row != r->nth)
        return;
    while (!(control & BK_CELL_LAST)) {
        uint64_t squares[WORDS_MAX];
        uint32_t leaf;

        control = bk_cells_take(&r->in, &leaf, squares, words);
        r->odd = control & BK_CELL_ODD;
        r->cell(r, leaf, squares);
    }
}

static void recall_row(struct cell_reader *r)
{
    if (r->u->words == 1)
        recall_row_of(r, 1);
    else
        recall_row_of(r, r->u->words);
}

/* Goes to the row that holds a number; its values are not read. */
static void find_row(struct cell_reader *r, uint64_t number)
{
    const struct bk_unit_source *s = r->u->src;

    s->row(s->context, number, &r->row, NULL);
}

/* All rows of a piece. */
static void read_piece(struct cell_reader *r)
{
    const struct unit *u = r->u;
    uint64_t p = (uint64_t)(r->piece - u->piece);
    uint64_t at = u->src->first + p * PIECE_NUMBERS, end = at + PIECE_NUMBERS;

    if (end > u->src->end)
        end = u->src->end;
    if (r->recalls)
        r->in = bk_cells_read(&r->piece->cells);
    find_row(r, at);
    if (r->row.first < at && r->row.first + r->row.n < end)
        find_row(r, r->row.first + r->row.n);
    while (r->row.first >= at && r->row.first < end) {
        if (r->begin)
            r->begin(r);
        if (r->recalls)
            recall_row(r);
        else
            descend_row(r);
        r->nth++;
        if (r->row.first + r->row.n >= end)
            break;
        find_row(r, r->row.first + r->row.n);
    }
}

static struct cell_reader reader_of(struct unit *u, struct piece *p, unsigned thread, on_cell *cell)
{
    return (struct cell_reader){ .u = u, .piece = p, .desk = &u->desk[thread], .cell = cell };
}

/* Nothing of the cell's values has to be known: all its positions have its leaf's likeliest. */
INLINE bool is_likely(const struct cell_reader *r, uint32_t leaf)
{
    return !r->odd && r->u->verdict[leaf] == LIKELY;
}

/* == Bits of values == */

static void widest_piece(void *context, uint64_t nth, unsigned thread)
{
    struct unit *u = context;
    uint64_t piece = u->from + nth;
    struct cell_reader r = reader_of(u, &u->piece[piece], thread, NULL);
    uint64_t at = u->src->first + piece * PIECE_NUMBERS, end = at + PIECE_NUMBERS;
    unsigned bits = u->desk[thread].bits;

    while (at < end && at < u->src->end) {
        find_row(&r, at);
        read_values(&r);
        for (unsigned b = u->src->bits; b > bits; b--)
            for (unsigned i = 0; i < u->words; i++)
                if (r.values.plane[b - 1][i] & r.values.care[i])
                    bits = b;
        at = r.row.first + r.row.n;
    }
    u->desk[thread].bits = bits;
}

/* A step has ended here; of a shared unit all processes fail alike. */
static enum bk_err ended(const struct unit *u, enum bk_err err, struct bk_report *why)
{
    return u->shared ? bk_ranks_agree(err, why) : err;
}

/* A source says how many bits its values might have; counting is by value, so it is worth while
   to know how many they do have. */
static enum bk_err narrow(struct unit *u, struct bk_report *why)
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
        if (u->desk[t].bits > bits)
            bits = u->desk[t].bits;
    if (u->shared)
        bk_transport_max(&bits, 1);
    u->own.bits = (unsigned)bits;
    return BK_OK;
}

/* == Memory == */

/*
 * Learning takes the most, so that is what the rest may take, too, or more if the caller has more;
 * remembered cells fill what is left of it beside counts, codes and questions.  All of them take
 * a third of a byte to one byte a number, measured.
 */

/* What is asked at a time, and the codes: most tables have half as much, few three
   times: where memory is short, that counts, and while a model is written, so many bytes a
   sampled position for the codes of distances.  Distances of many leaves, measured: of them nearly
   all numbers are asked, and while that is so there are the tree and the codes. */
enum { ASKED_NUMBER = 8, ASKED_MORE = 5, CODES = 4 << 20, CODES_LONG = 20, CODES_KEPT = 9 };

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

static uint64_t writing_bytes(uint64_t numbers, unsigned words, unsigned threads, bool spill)
{
    uint64_t batch = ((spill ? 1 : BATCH_PIECES) * (uint64_t)threads + 1) * PIECE_NUMBERS;

    return least(numbers, batch) * (spill ? 3 : 1) * ASKED_NUMBER * words + least(CODES, numbers) +
           numbers / PIECE_NUMBERS * sizeof(struct piece);
}

struct bk_unit_memory bk_unit_memory(const struct bk_unit_size *n,
                                     const struct bk_unit_options *options, unsigned threads)
{
    uint64_t sample = bk_sample_rows(n, options->effort);
    uint64_t positions = n->rows ? n->numbers * sample / n->rows * n->care / 100 : 0;
    uint64_t list = bk_sample_list_bytes(n, options->effort);
    uint64_t columns = n->taught ? 0 : bk_sample_bytes(n->facts, n->bits, positions);
    uint64_t cells =
        least(n->here, columns > options->memory_bytes ? columns : options->memory_bytes);
    uint64_t writing = cells + writing_bytes(n->here, n->words, threads, false);

    if (n->bits > BK_RESULT_BITS) {
        writing += writing_bytes(n->numbers, n->words, threads, false) * ASKED_MORE / ASKED_NUMBER;
        writing += positions * CODES_KEPT;
    }
    return (struct bk_unit_memory){
        columns,
        n->taught ? 0 : list,
        writing,
        writing_bytes(n->numbers, n->words, threads, true) + list +
            positions * CODES_LONG * (n->bits > 2),
    };
}

/* What cells may take beside tables of so many bytes, and what questions meet, which is there
   before these are let go: of distances a third of that, measured.  Nothing where memory is short.
 */
static size_t room_for_cells(const struct unit *u, uint64_t counts)
{
    uint64_t room = u->sampled_bytes, met = u->src->bits > BK_RESULT_BITS ? counts / 3 : 0;
    uint64_t own = counts + writing_bytes(u->src->end - u->src->first, u->words, u->threads, false);

    if (u->spill)
        return 0;
    room = room > own ? room - own : 0;
    room = room > u->memory ? room : u->memory;
    return room > met ? room - met : 0;
}

/* == Counting == */

/* Squares that have the value of the first of `left`, and like it are bounds or exact. */
INLINE uint64_t like_first(const struct bk_row_values *v, unsigned bits, unsigned word,
                           uint64_t left, bool *bound, uint32_t *value)
{
    unsigned s = (unsigned)__builtin_ctzll(left);
    uint64_t least = v->least[word], same = left;

    *bound = least >> s & 1;
    *value = 0;
    same &= *bound ? least : ~least;
    for (unsigned b = 0; b < bits; b++) {
        uint64_t plane = v->plane[b][word], set = plane >> s & 1;

        *value |= (uint32_t)set << b;
        same &= plane ^ (set - 1);
    }
    return same;
}

INLINE void add_count(const struct cell_reader *r, uint64_t *n, unsigned more)
{
    if (r->u->counts_shared)
        __atomic_fetch_add(n, more, __ATOMIC_RELAXED);
    else
        *n += more;
}

INLINE void count_cell_of(const struct cell_reader *r, uint32_t leaf, const uint64_t *squares,
                          unsigned words, unsigned bits)
{
    uint64_t *n = r->desk->count + ((size_t)leaf * 2 << bits);
    uint16_t guess = r->u->learned.guess[leaf];

    for (unsigned i = 0; i < words; i++) {
        uint64_t left = squares[i], guessed = r->odd ? 0 : left & ~r->values.least[i];

        if (guessed) {
            add_count(r, &n[guess], bk_count_bits(guessed));
            left &= ~guessed;
        }
        while (left) {
            bool bound;
            uint32_t v;
            uint64_t same = like_first(&r->values, bits, i, left, &bound, &v);

            add_count(r, &n[((size_t)bound << bits) + v], bk_count_bits(same));
            left &= ~same;
        }
    }
}

static void count_cell(struct cell_reader *r, uint32_t leaf, const uint64_t *squares)
{
    unsigned words = r->u->words, bits = r->u->src->bits;

    if (words == 1 && bits == 2)
        count_cell_of(r, leaf, squares, 1, 2);
    else
        count_cell_of(r, leaf, squares, words, bits);
}

/* So many bytes of those that cells may take, or NULL. */
static uint8_t *take_cell_bytes(struct unit *u, uint64_t n)
{
    uint64_t taken = __atomic_load_n(&u->cells_taken, __ATOMIC_RELAXED);

    while (n <= u->cells_room - taken)
        if (__atomic_compare_exchange_n(&u->cells_taken, &taken, taken + n, true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
            return u->cells + taken;
    return NULL;
}

static void remember_cells(struct unit *u, struct piece *p, const struct bk_cell_list *cells)
{
    p->cells = *cells;
    p->cells.byte = take_cell_bytes(u, cells->n);
    p->remembered = p->cells.byte;
    if (p->remembered && cells->n)
        memcpy(p->cells.byte, cells->byte, cells->n);
}

static void count_piece(void *context, uint64_t nth, unsigned thread)
{
    struct unit *u = context;
    struct cell_reader r = reader_of(u, &u->piece[u->from + nth], thread, count_cell);

    bk_cells_init(&r.desk->cells, u->words, u->learned.leaves);
    r.records = u->cells && u->learned.leaves < BK_CELL_LEAVES_MAX &&
                __atomic_load_n(&u->cells_taken, __ATOMIC_RELAXED) < u->cells_room;
    read_piece(&r);
    if (r.records)
        remember_cells(u, r.piece, &r.desk->cells);
}

static enum bk_err count_here(struct unit *u, struct bk_report *why)
{
    struct bk_counts *c = &u->counts;
    size_t n = (size_t)2 * u->learned.leaves << u->src->bits;

    c->leaves = u->learned.leaves;
    c->bits = u->src->bits;
    u->cells_room = room_for_cells(u, n * sizeof(*c->n));
    u->cells = u->cells_room ? bk_spill_new(NULL, u->cells_room) : NULL;
    u->counts_shared = u->threads > 1 && n * sizeof(*c->n) > COUNTS_APART;
    c->n = bk_spill_new(u->spill, n * sizeof(*c->n));
    for (unsigned t = 0; t < u->threads; t++) {
        bool own = t && !u->counts_shared;

        u->desk[t].count = own ? calloc(n, sizeof(*c->n)) : c->n;
        if (!u->desk[t].count)
            return bk_fail(why, BK_E_SYSTEM, "no memory to count the values of %u leaves",
                           c->leaves);
    }
    if (!bk_pool_try(u->pool, u->to - u->from, count_piece, u))
        return bk_fail(why, BK_E_SYSTEM, "stopped");
    for (unsigned t = 1; t < u->threads && !u->counts_shared; t++) {
        for (size_t i = 0; i < n; i++)
            c->n[i] += u->desk[t].count[i];
        free(u->desk[t].count);
        u->desk[t].count = NULL;
    }
    return BK_OK;
}

/* Of a shared unit everyone has the counts of all. */
static enum bk_err count_all(struct unit *u, struct bk_report *why)
{
    enum bk_err err = ended(u, count_here(u, why), why);

    if (!err && u->shared)
        err = bk_ranks_sum(u->counts.n, (size_t)2 * u->learned.leaves << u->src->bits, why);
    return err;
}

/* == Questions of a cell == */

/* Positions of a cell that have one value. */
struct part {
    uint32_t place; /* of the value in the leaf's code */
    uint64_t squares[WORDS_MAX];
};

struct cell_parts {
    struct part part[BK_SQ_MAX];
    unsigned n;
};

INLINE void add_part(struct cell_parts *p, uint32_t place, unsigned word, uint64_t squares,
                     unsigned words)
{
    unsigned i = p->n;

    while (i && p->part[i - 1].place >= place)
        i--;
    if (i < p->n && p->part[i].place == place) {
        p->part[i].squares[word] |= squares;
        return;
    }
    for (unsigned k = p->n++; k > i; k--)
        p->part[k] = p->part[k - 1];
    p->part[i].place = place;
    for (unsigned k = 0; k < words; k++)
        p->part[i].squares[k] = k == word ? squares : 0;
}

/* Sorts the squares of a cell by where their values come in the code. */
INLINE void part_cell(const struct cell_reader *r, uint32_t leaf, const uint64_t *squares,
                      struct cell_parts *parts, unsigned words, unsigned bits)
{
    const struct bk_codes *codes = &r->u->codes;

    parts->n = 0;
    for (unsigned i = 0; i < words; i++)
        for (uint64_t left = squares[i]; left;) {
            bool bound;
            uint32_t v;
            uint64_t same = like_first(&r->values, bits, i, left, &bound, &v);

            if (bound)
                v = bk_code_at_least(codes, leaf, v);
            add_part(parts, bk_code_place(codes, leaf, v), i, same, words);
            left &= ~same;
        }
}

/* Room for one question more.  False: no memory. */
INLINE bool room_for_question(struct asked *a, unsigned words)
{
    size_t need = a->n + 1 + 2 * words;

    return need <= a->room || grow_list((void **)&a->word, &a->room, need, sizeof(*a->word));
}

INLINE void put_question(struct asked *out, bk_code code, const struct bk_question *rates,
                         const uint64_t *all, const uint64_t *exceptions, unsigned words)
{
    uint64_t *to = out->word + out->n;

    *to++ = (uint64_t)code | (exceptions ? SOME : 0) | (uint64_t)rates->rc << RC_SHIFT |
            (uint64_t)rates->rp << RP_SHIFT;
    for (unsigned i = 0; i < words; i++)
        *to++ = all[i];
    for (unsigned i = 0; exceptions && i < words; i++)
        *to++ = exceptions[i];
    out->n += 1 + words + (exceptions ? words : 0);
}

/* Parts of a cell that are asked the same. */
struct askers {
    bk_code code;
    unsigned from, end;
    uint64_t all[WORDS_MAX];
};

/* Appends the questions that these parts are asked.  False: no memory. */
INLINE bool ask_parts(const struct bk_codes *codes, const struct cell_parts *parts,
                      struct askers now, struct asked *out, unsigned words)
{
    struct askers later[BK_SQ_MAX]; /* each with parts of its own */
    unsigned waiting = 0;

    for (;;) {
        uint64_t exceptions[WORDS_MAX];
        unsigned other = now.end;
        const struct bk_question *q;
        const bk_code *next;

        if (now.code < 0) {
            if (!waiting)
                return true;
            now = later[--waiting];
            continue;
        }
        if (!room_for_question(out, words))
            return false;
        q = &codes->model.question[now.code];
        next = q->next;
        while (other > now.from && parts->part[other - 1].place >= codes->asked[now.code].split)
            other--;
        if (other == now.from || other == now.end) {
            put_question(out, now.code, q, now.all, other == now.from ? now.all : NULL, words);
            now.code = next[other == now.from];
            continue;
        }
        for (unsigned i = 0; i < words; i++) {
            exceptions[i] = 0;
            for (unsigned k = other; k < now.end; k++)
                exceptions[i] |= parts->part[k].squares[i];
            later[waiting].all[i] = exceptions[i];
        }
        put_question(out, now.code, q, now.all, exceptions, words);
        later[waiting].code = next[1];
        later[waiting].from = other;
        later[waiting++].end = now.end;
        for (unsigned i = 0; i < words; i++)
            now.all[i] &= ~exceptions[i];
        now.code = next[0];
        now.end = other;
    }
}

/* Appends the questions of a cell all of whose positions have the likeliest value. */
INLINE bool ask_likely(const struct bk_codes *codes, bk_code code, const uint64_t *squares,
                       struct asked *out, unsigned words)
{
    while (code >= 0) {
        const struct bk_question *q = &codes->model.question[code];

        if (!room_for_question(out, words))
            return false;
        put_question(out, code, q, squares, NULL, words);
        code = q->next[0];
    }
    return true;
}

/* Appends the questions of a cell.  False: no memory. */
INLINE bool ask_cell_of(const struct cell_reader *r, uint32_t leaf, const uint64_t *squares,
                        struct asked *out, unsigned words, unsigned bits)
{
    const struct bk_codes *codes = &r->u->codes;
    struct askers all = { .code = codes->model.leaf[leaf] };
    struct cell_parts parts;

    part_cell(r, leaf, squares, &parts, words, bits);
    all.end = parts.n;
    for (unsigned i = 0; i < words; i++)
        all.all[i] = squares[i];
    if (parts.n == 1 && !parts.part[0].place)
        return ask_likely(codes, all.code, squares, out, words);
    return ask_parts(codes, &parts, all, out, words);
}

/* The same of any cell whose leaf asks something. */
static void ask_cell(struct cell_reader *r, uint32_t leaf, const uint64_t *squares,
                     struct asked *out)
{
    const struct bk_codes *codes = &r->u->codes;
    unsigned words = r->u->words, bits = r->u->src->bits;
    bool good;

    if (is_likely(r, leaf)) {
        if (!ask_likely(codes, codes->model.leaf[leaf], squares, out, words))
            r->u->failed = true;
        return;
    }
    if (!r->seen)
        read_values(r);
    if (words == 1 && bits == 2)
        good = ask_cell_of(r, leaf, squares, out, 1, 2);
    else if (words == 1)
        good = ask_cell_of(r, leaf, squares, out, 1, bits);
    else
        good = ask_cell_of(r, leaf, squares, out, words, bits);
    if (!good)
        r->u->failed = true;
}

/* A question as it was appended. */
struct question {
    uint32_t question;
    unsigned rc, rp;
    const uint64_t *all, *other; /* other: NULL, or those that are exceptions */
};

/* The question at place *at of a list, which becomes that of the next. */
INLINE struct question read_question(const struct asked *asked, size_t *at, unsigned words)
{
    const uint64_t *word = asked->word + *at;
    bool some = word[0] & SOME;

    *at += 1 + words + (some ? words : 0);
    return (struct question){ .question = (uint32_t)word[0],
                              .rc = word[0] >> RC_SHIFT & 0xff,
                              .rp = word[0] >> RP_SHIFT & 0xff,
                              .all = word + 1,
                              .other = some ? word + 1 + words : NULL };
}

INLINE unsigned count_set(const uint64_t *set, unsigned words)
{
    unsigned n = 0;

    for (unsigned i = 0; i < words; i++)
        n += bk_count_bits(set[i]);
    return n;
}

/* == Rates == */

/* Cells without exceptions are met by no question. */
static void meet_cell(struct cell_reader *r, uint32_t leaf, const uint64_t *squares)
{
    struct asked *asked = &r->desk->asked;
    unsigned words = r->u->words;
    size_t at = 0;

    if (r->u->verdict[leaf] == SURE || is_likely(r, leaf))
        return;
    asked->n = 0;
    ask_cell(r, leaf, squares, asked);
    while (at < asked->n) {
        struct question q = read_question(asked, &at, words);
        struct bk_met *m = &r->desk->met[q.question];

        if (!q.other)
            continue;
        m->cells++;
        m->in_cells += count_set(q.all, words);
    }
}

static void meet_piece(void *context, uint64_t nth, unsigned thread)
{
    struct unit *u = context;
    struct cell_reader r = reader_of(u, &u->piece[u->from + nth], thread, meet_cell);

    r.recalls = r.piece->remembered;
    read_piece(&r);
}

/* What has become of the guesses, now that all is counted. */
static enum bk_err judge_guesses(struct unit *u, struct bk_report *why)
{
    const struct bk_model *m = &u->codes.model;

    u->verdict = malloc(m->leaves + (size_t)1);
    if (!u->verdict)
        return bk_fail(why, BK_E_SYSTEM, "no memory for %u leaves", m->leaves);
    for (uint32_t leaf = 0; leaf < m->leaves; leaf++) {
        uint16_t guess = u->learned.guess[leaf];
        bk_code likely = m->leaf[leaf];

        while (likely >= 0)
            likely = m->question[likely].next[0];
        if (m->leaf[leaf] < 0)
            u->verdict[leaf] = SURE;
        else
            u->verdict[leaf] = guess == ~likely ? LIKELY : WRONG;
    }
    return BK_OK;
}

/* What questions meet in the pieces of this process, in the first thread's. */
static enum bk_err meet_here(struct unit *u, struct bk_report *why)
{
    uint32_t questions = u->codes.model.questions;

    for (unsigned t = 0; t < u->threads; t++) {
        u->desk[t].met = bk_spill_new(u->spill, ((size_t)questions + 1) * sizeof(*u->desk[t].met));
        if (!u->desk[t].met)
            return bk_fail(why, BK_E_SYSTEM, "no memory for %u questions", questions);
    }
    bk_codes_meet(&u->codes, &u->counts, u->desk[0].met, u->spill);
    bk_spill_free(u->counts.n);
    u->counts.n = NULL;
    if (!bk_pool_try(u->pool, u->to - u->from, meet_piece, u))
        return bk_fail(why, BK_E_SYSTEM, "stopped");
    for (unsigned t = 1; t < u->threads; t++)
        for (uint32_t q = 0; q < questions; q++) {
            u->desk[0].met[q].cells += u->desk[t].met[q].cells;
            u->desk[0].met[q].in_cells += u->desk[t].met[q].in_cells;
        }
    return BK_OK;
}

/* Cells are of this process so far; positions and exceptions follow from the counts of all. */
static enum bk_err add_up_met(struct unit *u, struct bk_report *why)
{
    uint32_t questions = u->codes.model.questions;
    struct bk_met *met = u->desk[0].met;
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

static enum bk_err choose_rates(struct unit *u, struct bk_report *why)
{
    struct bk_model *m = &u->codes.model;
    enum bk_err err = ended(u, meet_here(u, why), why);

    if (!err && u->shared)
        err = add_up_met(u, why);
    for (uint32_t q = 0; !err && q < m->questions; q++)
        bk_rates_choose(&m->question[q], &u->desk[0].met[q]);
    for (unsigned t = 0; t < u->threads; t++) { /* each as large as half the counts */
        bk_spill_free(u->desk[t].met);
        u->desk[t].met = NULL;
    }
    return err;
}

/* == Cutting == */

static void note_row(struct cell_reader *r)
{
    struct piece *p = r->piece;
    size_t room = p->row_room;

    if (!grow_list((void **)&p->row, &room, (size_t)p->rows + 1, sizeof(*p->row))) {
        r->u->failed = true;
        return;
    }
    p->row_room = (uint32_t)room;
    p->row[p->rows++] =
        (struct row_note){ .first = r->row.first, .n = r->row.n, .end = p->asked.n };
}

/* How many keys a question brings. */
INLINE void estimate(struct row_note *row, const struct question *q, unsigned words)
{
    uint32_t n = count_set(q->all, words), e;

    if (!q->rc && !q->rp) {
        row->keys[1] += n << PARTS;
    } else if (q->other) {
        e = count_set(q->other, words);
        row->keys[0] += (q->rc + e * q->rp) << PARTS;
        row->keys[1] += (e << PARTS) + ((n - e) << PARTS >> q->rp);
    } else {
        row->keys[1] += n << PARTS >> (q->rc + q->rp);
    }
}

static void note_cell(struct cell_reader *r, uint32_t leaf, const uint64_t *squares)
{
    struct piece *p = r->piece;
    struct row_note *row;

    if (r->u->failed || r->u->verdict[leaf] == SURE)
        return;
    row = &p->row[p->rows - 1];
    ask_cell(r, leaf, squares, &p->asked);
    while (row->end < p->asked.n) {
        struct question q = read_question(&p->asked, &row->end, r->u->words);

        estimate(row, &q, r->u->words);
    }
}

/* Asks the cells of a piece, and forgets them. */
static void ask_piece(void *context, uint64_t nth, unsigned thread)
{
    struct unit *u = context;
    struct piece *p = &u->piece[u->asked + nth];
    struct cell_reader r = reader_of(u, p, thread, note_cell);

    r.begin = note_row;
    r.recalls = p->remembered;
    read_piece(&r);
}

static bool close_cut(struct unit *u)
{
    size_t room = u->cut_room;

    if (!u->now.rows)
        return true;
    if (!grow_list((void **)&u->cut, &room, (size_t)u->cuts + 1, sizeof(*u->cut)))
        return false;
    u->cut_room = (uint32_t)room;
    u->cut[u->cuts++] = u->now;
    u->now = (struct cut){ 0 };
    return true;
}

/* Cuts the rows of these pieces into shards; last: of the window. */
static bool cut_pieces(struct unit *u, uint32_t pieces, bool last)
{
    u->cuts = 0;
    for (uint32_t p = u->asked; p < u->asked + pieces; p++)
        for (uint32_t i = 0; i < u->piece[p].rows; i++) {
            const struct row_note *row = &u->piece[p].row[i];

            if (!u->now.rows) {
                u->now = (struct cut){ .first = row->first, .piece = p, .row = i };
                u->now_keys[0] = u->now_keys[1] = 0;
            }
            u->now.rows++;
            u->now.numbers += row->n;
            u->now_keys[0] += row->keys[0];
            u->now_keys[1] += row->keys[1];
            if (u->now_keys[0] < SHARD_KEYS << PARTS && u->now_keys[1] < SHARD_KEYS << PARTS)
                continue;
            if (!close_cut(u))
                return false;
        }
    return !last || close_cut(u);
}

/* == Shards == */

/* Goes through the questions of a shard, whose rows may lie in several pieces. */
struct shard_reader {
    const struct unit *u;
    const struct piece *piece;
    uint32_t row, rows; /* the next row, of this piece; to come with it */
    size_t at;          /* in piece->asked */
    uint64_t hash;      /* of the present row */
};

static struct shard_reader questions_of(const struct unit *u, const struct cut *cut)
{
    const struct piece *p = &u->piece[cut->piece];

    return (struct shard_reader){ .u = u,
                                  .piece = p,
                                  .row = cut->row,
                                  .rows = cut->rows,
                                  .at = cut->row ? p->row[cut->row - 1].end : 0 };
}

/* The next question; false: there is none. */
INLINE bool next_question(struct shard_reader *r, struct question *q, unsigned words)
{
    bool moved = false;

    for (; r->rows; r->row++, r->rows--, moved = true) {
        while (r->row == r->piece->rows) {
            r->piece++;
            r->row = 0;
            r->at = 0;
        }
        if (r->at < r->piece->row[r->row].end) {
            if (moved || !r->hash)
                r->hash = bk_row_hash(r->piece->row[r->row].first);
            *q = read_question(&r->piece->asked, &r->at, words);
            return true;
        }
    }
    return false;
}

static bool room_for_keys(struct key_list *l, size_t n)
{
    return l->n + n <= l->room || grow_list((void **)&l->key, &l->room, l->n + n, sizeof(*l->key));
}

static void add_filter(struct key_list *l, uint64_t key, unsigned bits)
{
    uint64_t print = key;

    for (unsigned j = 0; j < bits; j++, key = bk_next_filter_key(key))
        l->key[l->n++] = (struct bk_ribbon_key){ key, print >> j & 1 };
}

/* The filter keys of the exceptions of a shard.  False: no memory. */
INLINE bool list_filters(struct shard_reader r, struct key_list *l, unsigned words)
{
    struct question q;

    l->n = 0;
    while (next_question(&r, &q, words)) {
        if (!q.other)
            continue;
        if (!room_for_keys(l, q.rc + (size_t)q.rp * count_set(q.other, words)))
            return false;
        add_filter(l, bk_question_key(r.hash, q.question, BK_CELL_SQUARE), q.rc);
        for (unsigned i = 0; q.rp && i < words; i++)
            for (uint64_t left = q.other[i]; left; left &= left - 1)
                add_filter(
                    l,
                    bk_question_key(r.hash, q.question, 64 * i + (unsigned)__builtin_ctzll(left)),
                    q.rp);
    }
    return true;
}

/* The keys of ribbon B: positions that pass the filters.  False: no memory. */
INLINE bool list_bits(struct shard_reader r, const struct bk_ribbon *filters, struct key_list *l,
                      unsigned words)
{
    struct question q;

    l->n = 0;
    while (next_question(&r, &q, words)) {
        if (!q.other &&
            !bk_filter_passes(filters, bk_question_key(r.hash, q.question, BK_CELL_SQUARE), q.rc))
            continue;
        if (!room_for_keys(l, count_set(q.all, words)))
            return false;
        for (unsigned i = 0; i < words; i++)
            for (uint64_t left = q.all[i]; left; left &= left - 1) {
                unsigned s = (unsigned)__builtin_ctzll(left);
                bool exception = q.other && q.other[i] >> s & 1;
                uint64_t key = bk_question_key(r.hash, q.question, 64 * i + s);

                if (exception || bk_filter_passes(filters, key, q.rp))
                    l->key[l->n++] = (struct bk_ribbon_key){ bk_bit_key(key), exception };
            }
    }
    return true;
}

/* Solves ribbon `which` of a shard and appends its words to the shard's bytes. */
static enum bk_err add_ribbon(struct shard *s, struct desk *d, unsigned which,
                              struct bk_report *why)
{
    uint32_t words, seed;
    size_t at = which ? 8 * (size_t)s->entry.words[0] : 0;
    enum bk_err err =
        bk_ribbon_solve(&d->ribbon, d->keys[which].key, d->keys[which].n, &words, &seed, why);
    uint8_t *bytes;

    if (err)
        return err;
    bytes = realloc(s->bytes, at + 8 * (size_t)words + 1);
    if (!bytes)
        return bk_fail(why, BK_E_SYSTEM, "no memory for a shard");
    s->bytes = bytes;
    for (uint32_t i = 0; i < words; i++)
        for (unsigned b = 0; b < 8; b++)
            bytes[at + 8 * (size_t)i + b] = (uint8_t)(d->ribbon.words[i] >> 8 * b);
    s->entry.words[which] = (uint16_t)words;
    s->entry.seed[which] = (uint8_t)seed;
    return BK_OK;
}

INLINE bool make_shard_of(const struct unit *u, const struct cut *cut, struct shard *s,
                          struct desk *d, unsigned words)
{
    struct shard_reader r = questions_of(u, cut);
    struct bk_ribbon filters;

    if (!list_filters(r, &d->keys[0], words) || add_ribbon(s, d, 0, NULL))
        return false;
    filters = (struct bk_ribbon){ s->bytes, s->entry.words[0], bk_ribbon_factor(s->entry.seed[0]) };
    return list_bits(r, &filters, &d->keys[1], words) && !add_ribbon(s, d, 1, NULL);
}

static void make_shard(void *context, uint64_t nth, unsigned thread)
{
    struct unit *u = context;
    const struct cut *cut = &u->cut[nth];
    struct shard *s = &u->shard[nth];
    struct desk *d = &u->desk[thread];

    bk_spill_ease(u->spill);
    if (u->failed)
        return;
    if (u->words == 1 ? !make_shard_of(u, cut, s, d, 1) : !make_shard_of(u, cut, s, d, u->words))
        u->failed = true;
}

/* == Writing == */

/* The unit's next shard. */
static enum bk_err give_shard(struct unit *u, struct bk_unit *out, struct bk_shard *entry,
                              uint32_t numbers, const void *bytes, bk_shard_sink *sink,
                              void *context, struct bk_report *why)
{
    size_t n = bk_shard_bytes(entry);

    if (!grow_list((void **)&u->directory, &u->directory_room,
                   out->directory_bytes + BK_SHARD_ENTRY_BYTES, 1))
        return bk_fail(why, BK_E_SYSTEM, "no memory for a directory");
    entry->sum = bk_shard_sum(bytes, n, out->shards++);
    bk_shard_entry_write(u->directory + out->directory_bytes, entry, numbers);
    out->directory_bytes += BK_SHARD_ENTRY_BYTES;
    out->shard_bytes += n;
    return n ? sink(context, bytes, n, why) : BK_OK;
}

/* A shard for the first process, and what comes before its bytes. */
struct sent_shard {
    struct bk_shard entry;
    uint32_t numbers;
};

static void send_shard(const struct unit *u, const struct shard *s, uint32_t numbers)
{
    const struct sent_shard head = { s->entry, numbers };

    bk_box_put(&u->box[0], &head, sizeof head);
    bk_box_put(&u->box[0], s->bytes, bk_shard_bytes(&s->entry));
}

static enum bk_err give_shards(struct unit *u, struct bk_unit *out, bk_shard_sink *sink,
                               void *context, struct bk_report *why)
{
    enum bk_err err = BK_OK;

    for (uint32_t i = 0; i < u->cuts && !err; i++) {
        struct shard *s = &u->shard[i];
        uint32_t numbers = (uint32_t)u->cut[i].numbers;

        if (u->shared && !bk_ranks_is_first())
            send_shard(u, s, numbers);
        else
            err = give_shard(u, out, &s->entry, numbers, s->bytes, sink, context, why);
    }
    return err;
}

/* The shards of other processes, whose windows come after those of the first in their order. */
static enum bk_err receive_shards(struct unit *u, struct bk_unit *out, bk_shard_sink *sink,
                                  void *context, struct bk_report *why)
{
    struct bk_box *in = bk_boxes_new();
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
    bk_boxes_free(in);
    return ended(u, err, why);
}

static void release_lists(struct piece *p)
{
    free(p->row);
    free(p->asked.word);
    *p = (struct piece){ 0 };
}

/* Forgets the shards, and the pieces all of whose rows are in shards: their lists are for later
   ones, unless memory is short. */
static void forget_batch(struct unit *u)
{
    uint32_t end = u->now.rows ? u->now.piece : u->asked;

    for (uint32_t i = 0; u->shard && i < u->cuts; i++)
        free(u->shard[i].bytes);
    free(u->shard);
    u->shard = NULL;
    for (; u->forgotten < end; u->forgotten++) {
        struct piece *p = &u->piece[u->forgotten];

        p->rows = 0;
        p->asked.n = 0;
        if (u->spill)
            release_lists(p);
    }
}

/* The lists of forgotten pieces go to the next ones: fresh memory costs as much as writing it. */
static void reuse_lists(struct unit *u, uint32_t pieces)
{
    for (uint32_t i = 0; i < pieces && u->reused < u->forgotten; i++, u->reused++) {
        struct piece *from = &u->piece[u->reused], *to = &u->piece[u->asked + i];

        to->row = from->row;
        to->row_room = from->row_room;
        to->asked = from->asked;
        *from = (struct piece){ 0 };
    }
}

static enum bk_err write_batch(struct unit *u, uint32_t pieces, bool last, struct bk_unit *out,
                               bk_shard_sink *sink, void *context, struct bk_report *why)
{
    enum bk_err err = BK_OK;
    bool going;

    reuse_lists(u, pieces);
    going = bk_pool_try(u->pool, pieces, ask_piece, u);

    u->cuts = 0;
    if (going && !u->failed && cut_pieces(u, pieces, last))
        u->shard = calloc((size_t)u->cuts + 1, sizeof(*u->shard));
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

static enum bk_err write_shards(struct unit *u, struct bk_unit *out, bk_shard_sink *sink,
                                void *context, struct bk_report *why)
{
    enum bk_err err = BK_OK;

    while (u->asked < u->to && !err) {
        uint32_t pieces = (u->spill ? 1 : BATCH_PIECES) * u->threads,
                 left = WINDOW_PIECES - u->asked % WINDOW_PIECES;

        if (left > u->to - u->asked)
            left = u->to - u->asked;
        if (pieces > left)
            pieces = left;
        err = write_batch(u, pieces, pieces == left, out, sink, context, why);
    }
    err = ended(u, err, why);
    return !err && u->shared ? receive_shards(u, out, sink, context, why) : err;
}

/* == All of it == */

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
    return least(most * WINDOW_NUMBERS, numbers);
}

/* The pieces of this process. */
static void take_share(struct unit *u)
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

static enum bk_err unit_init(struct unit *u, const struct bk_unit_source *src,
                             const struct bk_unit_options *options, struct bk_pool *pool,
                             struct bk_report *why)
{
    u->own = *src;
    u->src = &u->own;
    u->pool = pool;
    u->spill = options->spill;
    u->words = bk_facts_words(src->facts);
    u->threads = bk_pool_threads(pool);
    u->pieces = (uint32_t)((src->end - src->first + PIECE_NUMBERS - 1) / PIECE_NUMBERS);
    u->shared = options->shared;
    take_share(u);
    u->memory = options->memory_bytes / (u->shared ? bk_ranks() : 1);
    u->box = u->shared ? bk_boxes_new() : NULL;
    u->piece = calloc((size_t)u->pieces + 1, sizeof(*u->piece));
    u->desk = calloc(u->threads, sizeof(*u->desk));
    if (!u->piece || !u->desk || (u->shared && !u->box))
        return bk_fail(why, BK_E_SYSTEM, "no memory to encode");
    for (unsigned t = 0; t < u->threads; t++) {
        enum bk_err err = bk_fact_row_new(&u->desk[t].row, src->facts, src->inner, why);

        if (err)
            return err;
    }
    bk_logs_init(&u->logs);
    return BK_OK;
}

static void unit_release(struct unit *u)
{
    for (unsigned t = 0; u->desk && t < u->threads; t++) {
        struct desk *d = &u->desk[t];

        bk_fact_row_free(d->row);
        bk_spill_free(d->met);
        if (t && !u->counts_shared)
            free(d->count);
        free(d->keys[0].key);
        free(d->keys[1].key);
        free(d->asked.word);
        free(d->cells.byte);
        bk_ribbon_room_release(&d->ribbon);
    }
    for (uint32_t p = 0; u->piece && p < u->pieces; p++)
        release_lists(&u->piece[p]);
    free(u->desk);
    free(u->piece);
    free(u->cut);
    free(u->verdict);
    bk_spill_free(u->cells);
    bk_spill_free(u->counts.n);
    bk_boxes_free(u->box);
    free(u->directory);
    bk_codes_release(&u->codes);
    bk_learned_release(&u->learned);
    free(u);
}

static enum bk_err learn_here(struct unit *u, const struct bk_unit_options *options,
                              struct bk_report *why)
{
    struct bk_sample own = { 0 },
                     *sample = options->sample && options->sample->bits ? options->sample : &own;
    const struct bk_unit_source *src = u->src;
    enum bk_err err = BK_OK;

    if (sample == &own)
        err = bk_samples_take(&own, &src, 1, options->effort, 0, u->pool, options->spill, why);
    u->sampled_bytes = sample->first_bytes;
    if (!err)
        err = bk_learn(&u->learned, u->src, sample, &u->logs, u->pool, options->spill, why);
    bk_sample_release(sample);
    return err;
}

/* What the first process has learned goes to all. */
static enum bk_err tell_learned(struct unit *u, struct bk_report *why)
{
    struct bk_learned *l = &u->learned;
    struct bk_learned first = *l;
    enum bk_err err = BK_OK;

    bk_ranks_first_says(&first, sizeof first);
    if (!bk_ranks_is_first()) {
        *l = (struct bk_learned){ malloc((first.nodes + 1u) * sizeof *l->tree), first.nodes,
                                  first.leaves, malloc((first.leaves + 1u) * sizeof *l->guess) };
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

static enum bk_err learn(struct unit *u, const struct bk_unit_options *options,
                         struct bk_report *why)
{
    enum bk_err err = narrow(u, why);

    if (err)
        return err;
    if (!u->shared)
        return learn_here(u, options, why);
    if (bk_ranks_is_first()) {
        enum bk_err told;

        err = learn_here(u, options, why);
        told = u->src->fetch(u->src->context, NULL, 0, why);
        err = err ? err : told;
    } else {
        err = u->src->serve(u->src->context, why);
    }
    err = bk_ranks_agree(err, why);
    return err ? err : tell_learned(u, why);
}

static enum bk_err encode(struct unit *u, struct bk_unit *out,
                          const struct bk_unit_options *options, bk_shard_sink *sink, void *context,
                          struct bk_report *why)
{
    enum bk_err err = learn(u, options, why);

    if (!err)
        err = count_all(u, why);
    if (err)
        return err;
    err = bk_codes_new(&u->codes, &u->counts, u->learned.tree, u->learned.nodes, &u->logs, u->spill,
                       why);
    if (!err)
        err = judge_guesses(u, why);
    err = ended(u, err, why);
    if (!err)
        err = choose_rates(u, why);
    bk_spill_ease(u->spill);
    if (err)
        return err;
    err = ended(u, bk_model_write(&out->model, &out->model_bytes, &u->codes.model, why), why);
    if (!err)
        err = write_shards(u, out, sink, context, why);
    out->leaves = u->learned.leaves;
    out->directory = u->directory;
    u->directory = NULL;
    return err;
}

enum bk_err bk_unit_encode(struct bk_unit *out, const struct bk_unit_source *src,
                           const struct bk_unit_options *options, struct bk_pool *pool,
                           bk_shard_sink *sink, void *context, struct bk_report *why)
{
    struct unit *u = calloc(1, sizeof(*u));
    enum bk_err err;

    *out = (struct bk_unit){ 0 };
    err = u ? unit_init(u, src, options, pool, why)
            : bk_fail(why, BK_E_SYSTEM, "no memory to encode");
    if (options->shared)
        err = bk_ranks_agree(err, why);
    if (!err)
        err = encode(u, out, options, sink, context, why);
    if (u)
        unit_release(u);
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
