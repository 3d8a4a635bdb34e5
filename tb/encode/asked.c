/*
 * asked.c - the questions of a cell, from its values.
 */
#include "tb/encode/asked.h"

#include <stdlib.h>

#include "core/array.h"

void bk_asked_release(struct bk_asked *asked)
{
    for (unsigned i = 0; i < BK_ASKED_LISTS; i++)
        free(asked->of[i].word);
    *asked = (struct bk_asked){ 0 };
}

/* == Parts of a cell == */

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

/* == Where questions go == */

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

        if (l->n + most > l->room && !BK_ARRAY_ROOM(l->word, l->room, l->n + most))
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

/* == Down the code == */

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
