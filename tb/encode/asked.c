/*
 * asked.c - the questions of a cell, from its values.
 */
#include "tb/encode/asked.h"

#include <stdlib.h>

#include "core/array.h"

/* Positions of a cell that have one value. */
struct part {
    uint32_t place; /* of the value in the leaf's code */
    uint64_t squares[BK_CELL_WORDS_MAX];
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

            if (bound)
                v = bk_code_at_least(codes, leaf, v);
            add_part(parts, bk_code_place(codes, leaf, v), i, same, words);
            left &= ~same;
        }
}

/* Room for one question more.  False: no memory. */
INLINE bool room_for_question(struct bk_asked *a, unsigned words)
{
    size_t need = a->n + 1 + 2 * words;

    return need <= a->room || BK_ARRAY_ROOM(a->word, a->room, need);
}

INLINE void put_question(struct bk_asked *out, bk_code code, const struct bk_question *rates,
                         const uint64_t *all, const uint64_t *exceptions, unsigned words)
{
    uint64_t *to = out->word + out->n;

    *to++ = (uint64_t)code | (exceptions ? BK_ASKED_SOME : 0) |
            (uint64_t)rates->rc << BK_ASKED_RC_SHIFT | (uint64_t)rates->rp << BK_ASKED_RP_SHIFT;
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
    uint64_t all[BK_CELL_WORDS_MAX];
};

/* Appends the questions that these parts are asked.  False: no memory. */
INLINE bool ask_parts(const struct bk_codes *codes, const struct cell_parts *parts,
                      struct askers now, struct bk_asked *out, unsigned words)
{
    struct askers later[BK_SQ_MAX]; /* each with parts of its own */
    unsigned waiting = 0;

    for (;;) {
        uint64_t exceptions[BK_CELL_WORDS_MAX];
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
        while (other > now.from && parts->part[other - 1].place >= q->split)
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

INLINE bool ask_likely_of(struct bk_asked *out, const struct bk_codes *codes, uint32_t leaf,
                          const uint64_t *squares, unsigned words)
{
    for (bk_code code = codes->model.leaf[leaf]; code >= 0;) {
        const struct bk_question *q = &codes->model.question[code];

        if (!room_for_question(out, words))
            return false;
        put_question(out, code, q, squares, NULL, words);
        code = q->next[0];
    }
    return true;
}

INLINE bool ask_of(struct bk_asked *out, const struct bk_codes *codes, uint32_t leaf,
                   const uint64_t *squares, const struct bk_row_values *values, unsigned words,
                   unsigned bits)
{
    struct askers all = { .code = codes->model.leaf[leaf] };
    struct cell_parts parts;

    part_cell(&parts, codes, leaf, squares, values, words, bits);
    all.end = parts.n;
    for (unsigned i = 0; i < words; i++)
        all.all[i] = squares[i];
    if (parts.n == 1 && !parts.part[0].place)
        return ask_likely_of(out, codes, leaf, squares, words);
    return ask_parts(codes, &parts, all, out, words);
}

bool bk_ask_likely(struct bk_asked *out, const struct bk_codes *codes, uint32_t leaf,
                   const uint64_t *squares, unsigned words)
{
    if (words == 1)
        return ask_likely_of(out, codes, leaf, squares, 1);
    return ask_likely_of(out, codes, leaf, squares, words);
}

bool bk_ask(struct bk_asked *out, const struct bk_codes *codes, uint32_t leaf,
            const uint64_t *squares, const struct bk_row_values *values, unsigned words,
            unsigned bits)
{
    if (words == 1 && bits == BK_RESULT_BITS)
        return ask_of(out, codes, leaf, squares, values, 1, BK_RESULT_BITS);
    if (words == 1)
        return ask_of(out, codes, leaf, squares, values, 1, bits);
    return ask_of(out, codes, leaf, squares, values, words, bits);
}
