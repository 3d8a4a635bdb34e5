/*
 * shard.c - rows with their questions, and the ribbons that answer them.
 */
#include "tb/encode/shard.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"

/* == Rows == */

bool bk_asked_add_row(struct bk_asked_rows *l, uint64_t first, uint32_t n)
{
    if (!BK_ARRAY_ROOM(l->row, l->room, l->rows + 1))
        return false;
    l->row[l->rows++] = (struct bk_asked_row){ .first = first, .n = n, .end = l->asked.n };
    return true;
}

/* How many keys a question brings. */
INLINE void estimate(struct bk_asked_row *row, const struct bk_asked_question *q, unsigned words)
{
    uint32_t n = bk_count_set(q->all, words), e;

    if (!q->rc && !q->rp) {
        row->keys[1] += n << BK_KEY_PARTS;
    } else if (q->other) {
        e = bk_count_set(q->other, words);
        row->keys[0] += (q->rc + e * q->rp) << BK_KEY_PARTS;
        row->keys[1] += (e << BK_KEY_PARTS) + ((n - e) << BK_KEY_PARTS >> q->rp);
    } else {
        row->keys[1] += n << BK_KEY_PARTS >> (q->rc + q->rp);
    }
}

void bk_asked_by_row(struct bk_asked_rows *l, unsigned words)
{
    struct bk_asked_row *row = &l->row[l->rows - 1];

    while (row->end < l->asked.n) {
        struct bk_asked_question q = bk_asked_read(&l->asked, &row->end, words);

        estimate(row, &q, words);
    }
}

void bk_asked_put_away(struct bk_asked_rows *l, struct bk_spill *spill)
{
    size_t rows = l->rows * sizeof *l->row, words = l->asked.n * sizeof *l->asked.word;
    struct bk_asked_rows there = { .rows = l->rows, .asked.n = l->asked.n, .spill = spill };

    if (l->spill || !rows || !(there.row = bk_spill_new(spill, rows + words)))
        return;
    there.asked.word = (uint64_t *)(void *)(there.row + l->rows);
    memcpy(there.row, l->row, rows);
    if (words)
        memcpy(there.asked.word, l->asked.word, words);
    bk_asked_rows_release(l);
    *l = there;
}

void bk_asked_rows_release(struct bk_asked_rows *l)
{
    if (l->spill) {
        bk_spill_free(l->row);
    } else {
        free(l->row);
        free(l->asked.word);
    }
    *l = (struct bk_asked_rows){ 0 };
}

/* == Keys == */

/* Goes through the questions of a shard, whose rows may lie in several lists. */
struct shard_reader {
    const struct bk_asked_rows *list;
    size_t row, rows; /* the next row, of this list; to come with it */
    size_t at;        /* in list->asked */
    uint64_t hash;    /* of the present row */
};

/* The next question; false: there is none. */
INLINE bool next_question(struct shard_reader *r, struct bk_asked_question *q, unsigned words)
{
    bool moved = false;

    for (; r->rows; r->row++, r->rows--, moved = true) {
        while (r->row == r->list->rows) {
            bk_spill_ease(r->list->spill);
            r->list++;
            r->row = 0;
            r->at = 0;
        }
        if (r->at < r->list->row[r->row].end) {
            if (moved || !r->hash)
                r->hash = bk_row_hash(r->list->row[r->row].first);
            *q = bk_asked_read(&r->list->asked, &r->at, words);
            return true;
        }
    }
    return false;
}

static bool room_for_keys(struct bk_key_list *l, size_t n)
{
    return l->n + n <= l->room || BK_ARRAY_ROOM(l->key, l->room, l->n + n);
}

static void add_filter(struct bk_key_list *l, uint64_t key, unsigned bits)
{
    uint64_t print = key;

    for (unsigned j = 0; j < bits; j++, key = bk_next_filter_key(key))
        l->key[l->n++] = (struct bk_ribbon_key){ key, print >> j & 1 };
}

/* The filter keys of the exceptions of a shard.  False: no memory. */
INLINE bool list_filters(struct shard_reader r, struct bk_key_list *l, unsigned words)
{
    struct bk_asked_question q;

    l->n = 0;
    while (next_question(&r, &q, words)) {
        if (!q.other)
            continue;
        if (!room_for_keys(l, q.rc + (size_t)q.rp * bk_count_set(q.other, words)))
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

/* Those who pass are put at `to`; returns where the next one goes.  No jump: who passes cannot be
   foreseen. */
INLINE struct bk_ribbon_key *list_passing(const struct bk_ribbon *filters, uint64_t hash,
                                          const struct bk_asked_question *q, unsigned word,
                                          struct bk_ribbon_key *to)
{
    uint64_t other = q->other ? q->other[word] : 0;

    for (uint64_t left = q->all[word]; left; left &= left - 1) {
        unsigned s = (unsigned)__builtin_ctzll(left);
        bool exception = other >> s & 1;
        uint64_t key = bk_question_key(hash, q->question, 64 * word + s);

        *to = (struct bk_ribbon_key){ bk_bit_key(key), exception };
        to += exception | bk_filter_passes(filters, key, q->rp);
    }
    return to;
}

/* The keys of ribbon B: positions that pass the filters.  False: no memory. */
INLINE bool list_bits(struct shard_reader r, const struct bk_ribbon *filters, struct bk_key_list *l,
                      unsigned words)
{
    struct bk_asked_question q;

    l->n = 0;
    while (next_question(&r, &q, words)) {
        struct bk_ribbon_key *to;

        if (!q.other &&
            !bk_filter_passes(filters, bk_question_key(r.hash, q.question, BK_CELL_SQUARE), q.rc))
            continue;
        if (!room_for_keys(l, bk_count_set(q.all, words)))
            return false;
        to = l->key + l->n;
        for (unsigned i = 0; i < words; i++)
            to = list_passing(filters, r.hash, &q, i, to);
        l->n = (size_t)(to - l->key);
    }
    return true;
}

/* Solves ribbon `which` of a shard and appends its words to the shard's bytes. */
static bool add_ribbon(struct bk_made_shard *s, struct bk_shard_room *room, unsigned which)
{
    const struct bk_key_list *keys = &room->keys[which];
    uint32_t words, seed;
    size_t at = which ? 8 * (size_t)s->entry.words[0] : 0;
    uint8_t *bytes;

    if (bk_ribbon_solve(&room->ribbon, keys->key, keys->n, &words, &seed, NULL))
        return false;
    bytes = realloc(s->bytes, at + 8 * (size_t)words + 1);
    if (!bytes)
        return false;
    s->bytes = bytes;
    for (uint32_t i = 0; i < words; i++)
        for (unsigned b = 0; b < 8; b++)
            bytes[at + 8 * (size_t)i + b] = (uint8_t)(room->ribbon.words[i] >> 8 * b);
    s->entry.words[which] = (uint16_t)words;
    s->entry.seed[which] = (uint8_t)seed;
    return true;
}

INLINE bool make_of(struct bk_made_shard *s, struct shard_reader r, unsigned words,
                    struct bk_shard_room *room)
{
    struct bk_ribbon filters;

    if (!list_filters(r, &room->keys[0], words) || !add_ribbon(s, room, 0))
        return false;
    filters = (struct bk_ribbon){ s->bytes, s->entry.words[0], bk_ribbon_factor(s->entry.seed[0]) };
    return list_bits(r, &filters, &room->keys[1], words) && add_ribbon(s, room, 1);
}

bool bk_shard_make(struct bk_made_shard *out, const struct bk_asked_rows *list, size_t row,
                   size_t rows, unsigned words, struct bk_shard_room *room)
{
    const struct shard_reader r = {
        .list = list, .row = row, .rows = rows, .at = row ? list->row[row - 1].end : 0
    };

    return words == 1 ? make_of(out, r, 1, room) : make_of(out, r, words, room);
}

void bk_shard_room_release(struct bk_shard_room *room)
{
    free(room->keys[0].key);
    free(room->keys[1].key);
    bk_ribbon_room_release(&room->ribbon);
}
