/*
 * questions.c - see questions.h.
 *
 * Codes: Huffman's code is the best order of questions if a question's price is its entropy, and
 * filters and bits together come to that within a few per cent.
 */
#include "tb/encode/questions.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"

/* == Codes == */

/* A value, or a question under construction. */
struct weighed {
    uint64_t weight;
    uint32_t value; /* the value; of a question the least below it: breaks ties */
    uint32_t inner; /* number of the question in `made`, from 1; 0: a value */
};

struct coder {
    const struct bk_leaf_counts *counts;
    const struct bk_logs *logs;
    struct bk_codes *out;
    struct weighed *item;    /* the values of a leaf, then the heap of Huffman */
    struct weighed *other;   /* as `item`, with bounds joined another way */
    struct weighed *made;    /* by question under construction: the likely answer, the other */
    size_t questions, coded; /* so far */
};

/* Sets c->item to the values of a leaf, ascending, and returns how many.  If its highest bound is
   above all values that positions have exactly, that bound is one more value, with weight 0. */
static uint32_t list_values(const struct coder *c, uint32_t leaf)
{
    const uint64_t *n = bk_leaf_counts_of(c->counts, leaf, false);
    const uint64_t *bound = bk_leaf_counts_of(c->counts, leaf, true);
    uint32_t values = 1u << c->counts->bits, listed = 0, beyond = 0;

    for (uint32_t v = 0; v < values; v++) {
        if (n[v])
            c->item[listed++] = (struct weighed){ n[v], v, 0 };
        if (bound[v])
            beyond = v;
    }
    if (!listed || c->item[listed - 1].value < beyond)
        c->item[listed++] = (struct weighed){ 0, beyond, 0 };
    return listed;
}

/* Adds the positions of each bound to the weight of the value that is the heaviest so far of
   those they may have, the highest bounds first. */
static void join_heaviest(const struct coder *c, uint32_t leaf, struct weighed *item, uint32_t n)
{
    const uint64_t *bound = bk_leaf_counts_of(c->counts, leaf, true);
    uint32_t heaviest = n - 1, next = n - 1; /* values from `next` on have been looked at */

    for (uint32_t v = 1u << c->counts->bits; v-- > 0;) {
        while (next && item[next - 1].value >= v)
            if (item[--next].weight > item[heaviest].weight)
                heaviest = next;
        item[heaviest].weight += bound[v];
    }
}

/* Adds the positions of all bounds to the largest value. */
static void join_largest(const struct coder *c, uint32_t leaf, struct weighed *item, uint32_t n)
{
    const uint64_t *bound = bk_leaf_counts_of(c->counts, leaf, true);

    for (uint32_t v = 0; v < 1u << c->counts->bits; v++)
        item[n - 1].weight += bound[v];
}

static int64_t bits_of(const struct coder *c, const struct weighed *item, uint32_t n)
{
    uint64_t all = 0;
    int64_t bits = 0;

    for (uint32_t i = 0; i < n; i++) {
        all += item[i].weight;
        bits -= bk_n_log_n(c->logs, item[i].weight);
    }
    return bits + bk_n_log_n(c->logs, all);
}

/* Sets c->item to a leaf's values with their weights, bounds added in the cheaper of two ways. */
static uint32_t weigh_values(struct coder *c, uint32_t leaf)
{
    uint32_t n = list_values(c, leaf);

    memcpy(c->other, c->item, n * sizeof(*c->item));
    join_heaviest(c, leaf, c->item, n);
    join_largest(c, leaf, c->other, n);
    if (bits_of(c, c->other, n) < bits_of(c, c->item, n))
        memcpy(c->item, c->other, n * sizeof(*c->item));
    return n;
}

static bool lighter(const struct weighed *a, const struct weighed *b)
{
    return a->weight != b->weight ? a->weight < b->weight : a->value > b->value;
}

static void sink(struct weighed *heap, uint32_t n, uint32_t i)
{
    for (;;) {
        uint32_t least = i;
        struct weighed t;

        for (uint32_t child = 2 * i + 1; child <= 2 * i + 2 && child < n; child++)
            if (lighter(&heap[child], &heap[least]))
                least = child;
        if (least == i)
            return;
        t = heap[i];
        heap[i] = heap[least];
        heap[least] = t;
        i = least;
    }
}

static struct weighed pop(struct weighed *heap, uint32_t *n)
{
    struct weighed top = heap[0];

    heap[0] = heap[--*n];
    sink(heap, *n, 0);
    return top;
}

/* Huffman's tree over the n items; returns its root. */
static struct weighed join_values(struct coder *c, uint32_t n)
{
    uint32_t made = 0;

    for (uint32_t i = n / 2; i-- > 0;)
        sink(c->item, n, i);
    while (n > 1) {
        struct weighed light = pop(c->item, &n), heavy = pop(c->item, &n), both;

        c->made[2 * made] = heavy;
        c->made[2 * made + 1] = light;
        both.weight = light.weight + heavy.weight;
        both.value = light.value < heavy.value ? light.value : heavy.value;
        both.inner = ++made;
        c->item[n] = both;
        for (uint32_t i = n++; i && lighter(&c->item[i], &c->item[(i - 1) / 2]); i = (i - 1) / 2) {
            struct weighed t = c->item[i];

            c->item[i] = c->item[(i - 1) / 2];
            c->item[(i - 1) / 2] = t;
        }
    }
    return c->item[0];
}

/* Writes the code below an item in preorder.  asked: questions above it; *place: the next place in
   the leaf's code; *most: set to the largest value below. */
static bk_code put_code(struct coder *c, const struct weighed *w, unsigned asked, uint32_t *place,
                        uint32_t *most)
{
    struct bk_question *q;
    uint32_t below[2];
    bk_code code;

    if (!w->inner) {
        c->out->coded[c->coded++] = (struct bk_coded){ (uint16_t)w->value, (uint16_t)(*place)++ };
        *most = w->value;
        if (asked > c->out->longest)
            c->out->longest = asked;
        return ~(bk_code)w->value;
    }
    code = (bk_code)c->questions++;
    q = &c->out->model.question[code];
    for (unsigned i = 0; i < 2; i++) {
        q->split = (uint16_t)*place; /* in the end the other answer's */
        q->next[i] = put_code(c, &c->made[2 * (w->inner - 1) + i], asked + 1, place, &below[i]);
    }
    c->out->most[code] = (uint16_t)below[0];
    *most = below[0] > below[1] ? below[0] : below[1];
    return code;
}

static int by_value(const void *a, const void *b)
{
    const struct bk_coded *x = a, *y = b;

    return (x->value > y->value) - (x->value < y->value);
}

/* Returns how many values the codes of all leaves have at most: those seen, and one more a leaf. */
static size_t count_values(const struct bk_leaf_counts *counts)
{
    size_t n = 0;

    for (size_t i = 0; i < (size_t)counts->leaves << (counts->bits + 1); i++)
        n += counts->n[i] != 0;
    return n + counts->leaves;
}

enum bk_err bk_codes_new(struct bk_codes *out, const struct bk_leaf_counts *counts,
                         struct bk_fact_node *tree, uint32_t nodes, const struct bk_logs *logs,
                         struct bk_spill *spill, struct bk_report *why)
{
    size_t values = count_values(counts), each = ((size_t)1 << counts->bits) + 1;
    struct coder c = { .counts = counts, .logs = logs, .out = out };

    *out = (struct bk_codes){ 0 };
    out->model.tree = tree;
    out->model.nodes = nodes;
    out->model.leaves = counts->leaves;
    out->model.leaf = bk_spill_resize(NULL, counts->leaves * sizeof(*out->model.leaf));
    out->model.question = bk_spill_new_brief(spill, values * sizeof(*out->model.question));
    out->first = bk_spill_resize(NULL, (counts->leaves + (size_t)1) * sizeof(*out->first));
    out->coded = bk_spill_new_brief(spill, values * sizeof(*out->coded));
    out->most = bk_spill_new_brief(spill, values * sizeof(*out->most));
    c.item = malloc(2 * each * sizeof(*c.item));
    c.made = malloc(2 * each * sizeof(*c.made));
    if (!out->model.leaf || !out->model.question || !out->first || !out->coded || !out->most ||
        !c.item || !c.made) {
        free(c.item);
        free(c.made);
        bk_codes_release(out);
        return bk_fail(why, BK_E_SYSTEM, "no memory for the codes of %u leaves", counts->leaves);
    }
    c.other = c.item + each;
    for (uint32_t leaf = 0; leaf < counts->leaves; leaf++) {
        uint32_t n = weigh_values(&c, leaf), place = 0, most;
        struct weighed root = join_values(&c, n);

        if (leaf % 1024 == 0)
            bk_spill_ease(spill);
        out->first[leaf] = (uint32_t)c.coded;
        out->model.leaf[leaf] = put_code(&c, &root, 0, &place, &most);
        qsort(out->coded + out->first[leaf], n, sizeof(*out->coded), by_value);
    }
    out->first[counts->leaves] = (uint32_t)c.coded;
    out->model.questions = (uint32_t)c.questions;
    free(c.item);
    free(c.made);
    return BK_OK;
}

/* Sets `place` for one leaf: the places of its values, then those of bounds.  All bounds between
   two of its values get the same place. */
static void places_of_leaf(const struct bk_codes *c, uint32_t leaf, uint16_t *place)
{
    uint32_t v = 0;

    for (uint32_t i = c->first[leaf]; i < c->first[leaf + 1]; i++) {
        const struct bk_coded *coded = &c->coded[i];
        uint32_t least = bk_code_at_least(c, leaf, coded->value);
        uint16_t bound = (uint16_t)bk_code_place(c, leaf, least);

        place[coded->value] = coded->place;
        for (; v <= coded->value; v++)
            place[((size_t)1 << c->bits) + v] = bound;
    }
}

void bk_codes_places(struct bk_codes *c, unsigned bits)
{
    size_t each = (size_t)2 << bits;

    c->bits = bits;
    c->place = bk_spill_new(NULL, c->model.leaves * each * sizeof *c->place);
    for (uint32_t leaf = 0; c->place && leaf < c->model.leaves; leaf++)
        places_of_leaf(c, leaf, c->place + leaf * each);
}

void bk_codes_release(struct bk_codes *c)
{
    bk_spill_free(c->model.leaf);
    bk_spill_free(c->model.question);
    bk_spill_free(c->first);
    bk_spill_free(c->coded);
    bk_spill_free(c->most);
    bk_spill_free(c->place);
    *c = (struct bk_codes){ 0 };
}

/* == Rates == */

/* Counts the questions that `n` positions with the value at `place` of a leaf's code are asked. */
static void ask(const struct bk_codes *c, uint32_t leaf, uint32_t place, uint64_t n,
                struct bk_askers *askers)
{
    for (bk_code code = c->model.leaf[leaf]; code >= 0;) {
        bool other = place >= c->model.question[code].split;

        askers[code].positions += n;
        askers[code].exceptions += other ? n : 0;
        code = c->model.question[code].next[other];
    }
}

void bk_codes_ask(const struct bk_codes *c, const struct bk_leaf_counts *counts,
                  struct bk_askers *askers, struct bk_spill *spill)
{
    for (uint32_t leaf = 0; leaf < counts->leaves; leaf++) {
        if (leaf % 1024 == 0)
            bk_spill_ease(spill);
        for (unsigned bound = 0; bound < 2; bound++) {
            const uint64_t *n = bk_leaf_counts_of(counts, leaf, bound);

            for (uint32_t v = 0; v < 1u << counts->bits; v++)
                if (n[v])
                    ask(c, leaf, bk_code_place(c, leaf, bound ? bk_code_at_least(c, leaf, v) : v),
                        n[v], askers);
        }
    }
}

#define RATIO_BITS  16 /* of a fraction */
#define LIKE_OTHERS 4  /* so many cells seen weigh as much as the average of all questions */
#define ENOUGH      64 /* cells seen: then a question's own counts are used alone */

/* Returns of * sum / whole, or nearly; whole is not smaller than sum. */
static uint64_t in_proportion(uint64_t of, uint64_t sum, uint64_t whole)
{
    return (of * ((sum << RATIO_BITS) / (whole + 1))) >> RATIO_BITS;
}

static uint64_t between(uint64_t least, uint64_t n, uint64_t most)
{
    return n < least ? least : n > most ? most : n;
}

/* Averages `found`, a question's own number from `seen` cells, with `others`, what it would be if
   the question were like the others. */
static uint64_t weighed(uint64_t found, uint64_t others, uint64_t seen)
{
    return seen < ENOUGH ? (found * seen + others * LIKE_OTHERS) / (seen + LIKE_OTHERS) : found;
}

void bk_met_guess(struct bk_met *met, const struct bk_askers *askers, uint32_t questions,
                  uint32_t some, uint32_t all)
{
    uint64_t cells = 0, in_cells = 0, exceptions = 0;

    for (uint32_t q = 0; q < questions; q++) {
        cells += met[q].cells * all / some;
        in_cells += met[q].in_cells * all / some;
        exceptions += askers[q].exceptions;
    }
    for (uint32_t q = 0; q < questions; q++) {
        const struct bk_askers *a = &askers[q];
        uint64_t seen = met[q].cells, found = met[q].in_cells * all / some, each;

        each = in_proportion(a->exceptions, cells, exceptions);
        met[q].cells = between(1, weighed(seen * all / some, each, seen), a->exceptions);
        each = met[q].cells * (in_cells / (cells + 1));
        met[q].in_cells = between(a->exceptions, weighed(found, each, seen), a->positions);
    }
}

#define PARTS 8 /* bits of a fraction of a key */

/* Keys of both ribbons, in units of 2^-PARTS. */
static uint64_t keys(const struct bk_askers *a, const struct bk_met *m, unsigned rc, unsigned rp)
{
    uint64_t inside = m->in_cells - a->exceptions, outside = a->positions - m->in_cells;

    return ((m->cells * rc + a->exceptions * (rp + 1)) << PARTS) + (inside << PARTS >> rp) +
           (outside << PARTS >> (rc + rp));
}

void bk_rates_choose(struct bk_question *q, const struct bk_askers *askers,
                     const struct bk_met *met)
{
    uint64_t best = UINT64_MAX;

    for (unsigned rc = 0; rc <= BK_RC_MAX; rc++)
        for (unsigned rp = 0; rp <= BK_RP_MAX; rp++) {
            uint64_t n = keys(askers, met, rc, rp);

            if (n < best) {
                best = n;
                q->rc = (uint8_t)rc;
                q->rp = (uint8_t)rp;
            }
        }
}

/* == Questions of cells == */

void bk_asked_release(struct bk_asked *asked)
{
    for (unsigned i = 0; i < BK_ASKED_LISTS; i++)
        bk_spill_free(asked->of[i].word);
    *asked = (struct bk_asked){ 0 };
}

/* The positions of a cell, a part for each value, in the order of the code. */
struct cell_parts {
    unsigned n;
    uint32_t place[BK_SQ_MAX];                       /* of the value in the leaf's code */
    uint64_t squares[BK_SQ_MAX * BK_CELL_WORDS_MAX]; /* `words` of each */
};

INLINE void add_part(struct cell_parts *p, uint32_t place, unsigned word, uint64_t squares,
                     unsigned words)
{
    unsigned i = p->n;

    while (i && p->place[i - 1] >= place)
        i--;
    if (i < p->n && p->place[i] == place) {
        p->squares[i * words + word] |= squares;
        return;
    }
    for (unsigned k = p->n++; k > i; k--) {
        p->place[k] = p->place[k - 1];
        for (unsigned w = 0; w < words; w++)
            p->squares[k * words + w] = p->squares[(k - 1) * words + w];
    }
    p->place[i] = place;
    for (unsigned w = 0; w < words; w++)
        p->squares[i * words + w] = w == word ? squares : 0;
}

/* Sorts the squares of a cell by where their values come in the code. */
INLINE void part_cell(struct cell_parts *parts, const struct bk_codes *codes, uint32_t leaf,
                      const uint64_t *squares, const struct bk_row_values *values, unsigned words,
                      unsigned bits)
{
    parts->n = 0;
    for (unsigned i = 0; i < words; i++)
        for (uint64_t left = squares[i]; left;) {
            bool bound;
            uint32_t v;
            uint64_t same = bk_like_first(values, bits, i, left, &bound, &v);

            add_part(parts, bk_code_place_of(codes, leaf, bound, v), i, same, words);
            left &= ~same;
        }
}

/* Appends questions to `out`, or counts what they meet; the compiler makes a version for each. */
struct teller {
    struct bk_asked *out;
    struct bk_met *met; /* NULL: append to `out` */
};

/* Makes room for the questions of a cell of `parts` parts.  False: no memory. */
INLINE bool room_for_parts(struct bk_asked *a, const struct bk_codes *codes, unsigned parts,
                           unsigned words)
{
    size_t most = (size_t)parts * codes->longest * (1 + 2 * words) + 2 * words;

    for (unsigned i = 0; i < BK_ASKED_LISTS; i++) {
        struct bk_asked_list *l = &a->of[i];

        if (l->n + most > l->room && !BK_SPILL_ROOM(l->word, l->room, l->n + most))
            return false;
    }
    return true;
}

/* Adds the keys of a question that `n` positions are asked, `exceptions` of them exceptions. */
INLINE void estimate(struct bk_asked *out, const struct bk_question *q, unsigned n,
                     unsigned exceptions)
{
    bool some = exceptions;
    unsigned rates = q->rp + (some ? 0u : q->rc);

    out->keys[0] += (some ? q->rc + exceptions * q->rp : 0) << BK_KEY_PARTS;
    out->keys[1] += (exceptions << BK_KEY_PARTS) + ((n - exceptions) << BK_KEY_PARTS >> rates);
}

/* Adds a question: `all`, n positions, are asked; `other`, `exceptions` of them, are exceptions.
   No branch on whether there are exceptions: it could not be predicted. */
INLINE void tell_question(struct teller t, bk_code code, const struct bk_question *q,
                          const uint64_t *all, unsigned n, const uint64_t *other,
                          unsigned exceptions, unsigned words)
{
    unsigned list = exceptions ? BK_ASKED_SOME : BK_ASKED_SURE;
    struct bk_asked_list *l;
    uint64_t *to;

    if (t.met) {
        t.met[code].cells += list;
        t.met[code].in_cells += exceptions ? n : 0;
        return;
    }
    l = &t.out->of[list];
    to = l->word + l->n;
    *to++ = (uint64_t)code | (uint64_t)q->rc << BK_ASKED_RC_SHIFT |
            (uint64_t)q->rp << BK_ASKED_RP_SHIFT;
    for (unsigned i = 0; i < words; i++) {
        to[i] = all[i];
        to[words + i] = other[i]; /* without exceptions, the next one is written over it */
    }
    l->n += bk_asked_step(list, words);
    estimate(t.out, q, n, exceptions);
}

/* Adds the questions of a cell whose positions all have the value at `place` of the code. */
INLINE void ask_alike(struct teller t, const struct bk_codes *codes, bk_code code,
                      const uint64_t *squares, uint32_t place, unsigned words)
{
    unsigned n = bk_count_set(squares, words);

    while (code >= 0) {
        const struct bk_question *q = &codes->model.question[code];
        bool other = place >= q->split;

        tell_question(t, code, q, squares, n, squares, other ? n : 0, words);
        code = q->next[other];
    }
}

/* Parts [from, end) of a cell, which are all asked the question `code`. */
struct askers {
    bk_code code;
    unsigned from, end;
};

/* Sets `exceptions` to the positions of the parts to which a question gives its other answer;
   returns how many parts these are. */
INLINE unsigned other_parts(uint64_t *exceptions, const struct cell_parts *parts,
                            const struct askers *now, const struct bk_question *q, unsigned words)
{
    unsigned n = 0;

    for (unsigned i = 0; i < words; i++)
        exceptions[i] = 0;
    for (unsigned k = now->from; k < now->end; k++) {
        bool other = parts->place[k] >= q->split;

        n += other;
        for (unsigned i = 0; i < words; i++)
            exceptions[i] |= parts->squares[k * words + i] & -(uint64_t)other;
    }
    return n;
}

/* Adds the questions that the parts of a cell are asked. */
INLINE void ask_parts(struct teller t, const struct bk_codes *codes, bk_code code,
                      const struct cell_parts *parts, unsigned words)
{
    struct askers later[BK_SQ_MAX]; /* each with parts of its own */
    unsigned waiting = 0;

    later[waiting++] = (struct askers){ code, 0, parts->n };
    while (waiting) {
        struct askers now = later[--waiting];
        uint64_t all[BK_CELL_WORDS_MAX] = { 0 }, exceptions[BK_CELL_WORDS_MAX];
        unsigned n;

        for (unsigned k = now.from; k < now.end; k++)
            for (unsigned i = 0; i < words; i++)
                all[i] |= parts->squares[k * words + i];
        n = bk_count_set(all, words);
        while (now.end - now.from > 1) {
            const struct bk_question *q = &codes->model.question[now.code];
            unsigned other = other_parts(exceptions, parts, &now, q, words);
            unsigned e = bk_count_set(exceptions, words);

            tell_question(t, now.code, q, all, n, exceptions, e, words);
            if (!other || other == now.end - now.from) {
                now.code = q->next[other != 0];
                continue;
            }
            later[waiting++] = (struct askers){ q->next[1], now.end - other, now.end };
            for (unsigned i = 0; i < words; i++)
                all[i] &= ~exceptions[i];
            n -= e;
            now.end -= other;
            now.code = q->next[0];
        }
        ask_alike(t, codes, now.code, all, parts->place[now.from], words);
    }
}

INLINE bool ask_of(struct teller t, const struct bk_codes *codes, uint32_t leaf,
                   const uint64_t *squares, const struct bk_row_values *values, unsigned words,
                   unsigned bits)
{
    bk_code code = codes->model.leaf[leaf];
    struct cell_parts parts;

    part_cell(&parts, codes, leaf, squares, values, words, bits);
    if (!t.met && !room_for_parts(t.out, codes, parts.n, words))
        return false;
    if (parts.n == 1)
        ask_alike(t, codes, code, squares, parts.place[0], words);
    else
        ask_parts(t, codes, code, &parts, words);
    return true;
}

/* Calls ask_of() with constants for sets of one word, and for those of results. */
INLINE bool ask_as(struct teller t, const struct bk_codes *codes, uint32_t leaf,
                   const uint64_t *squares, const struct bk_row_values *values, unsigned words,
                   unsigned bits)
{
    if (words == 1 && bits == BK_RESULT_BITS)
        return ask_of(t, codes, leaf, squares, values, 1, BK_RESULT_BITS);
    if (words == 1 && bits == BK_FIVE_BITS)
        return ask_of(t, codes, leaf, squares, values, 1, BK_FIVE_BITS);
    if (words == 1)
        return ask_of(t, codes, leaf, squares, values, 1, bits);
    return ask_of(t, codes, leaf, squares, values, words, bits);
}

bool bk_ask(struct bk_asked *out, const struct bk_codes *codes, uint32_t leaf,
            const uint64_t *squares, const struct bk_row_values *values, unsigned words,
            unsigned bits)
{
    return ask_as((struct teller){ out, NULL }, codes, leaf, squares, values, words, bits);
}

void bk_ask_met(struct bk_met *met, const struct bk_codes *codes, uint32_t leaf,
                const uint64_t *squares, const struct bk_row_values *values, unsigned words,
                unsigned bits)
{
    ask_as((struct teller){ NULL, met }, codes, leaf, squares, values, words, bits);
}

INLINE void ask_likely_of(struct bk_asked *out, const struct bk_codes *codes,
                          const struct bk_asked_first *first, const uint64_t *squares,
                          unsigned words)
{
    const struct bk_question q = { .rc = first->rc, .rp = first->rp };
    struct teller t = { out, NULL };

    tell_question(t, first->code, &q, squares, bk_count_set(squares, words), squares, 0, words);
    if (first->more)
        ask_alike(t, codes, codes->model.question[first->code].next[0], squares, 0, words);
}

bool bk_ask_likely(struct bk_asked *out, const struct bk_codes *codes,
                   const struct bk_asked_first *first, const uint64_t *squares, unsigned words)
{
    if (!room_for_parts(out, codes, 1, words))
        return false;
    if (words == 1)
        ask_likely_of(out, codes, first, squares, 1);
    else
        ask_likely_of(out, codes, first, squares, words);
    return true;
}
