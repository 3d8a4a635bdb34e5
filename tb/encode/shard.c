/*
 * shard.c - rows with their questions, and the ribbons that answer them.
 */
#include "tb/encode/shard.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "tb/memory/cpu.h"

/* == Rows == */

bool bk_asked_add_row(struct bk_asked_rows *l, uint64_t first, uint32_t n)
{
    if (!BK_SPILL_ROOM(l->row, l->room, l->rows + 1))
        return false;
    l->row[l->rows++] = (struct bk_asked_row){ .first = first, .n = n };
    bk_asked_by_row(l);
    return true;
}

void bk_asked_by_row(struct bk_asked_rows *l)
{
    struct bk_asked_row *row = &l->row[l->rows - 1];

    for (unsigned i = 0; i < 2; i++) {
        row->keys[i] += l->asked.keys[i];
        l->asked.keys[i] = 0;
    }
    for (unsigned i = 0; i < BK_ASKED_LISTS; i++)
        row->end[i] = l->asked.of[i].n;
}

void bk_asked_put_away(struct bk_asked_rows *l, struct bk_spill *spill)
{
    const struct bk_asked_list *of = l->asked.of;
    size_t rows = l->rows * sizeof *l->row, words = of[0].n + of[1].n;
    struct bk_asked_rows there = { .rows = l->rows, .spill = spill };
    uint64_t *to;

    if (l->spill || !rows || !(there.row = bk_spill_new_brief(spill, rows + words * sizeof *to)))
        return;
    memcpy(there.row, l->row, rows);
    to = (uint64_t *)(void *)(there.row + l->rows);
    for (unsigned i = 0; i < BK_ASKED_LISTS; i++) {
        there.asked.of[i].word = to;
        there.asked.of[i].n = of[i].n;
        if (of[i].n)
            memcpy(to, of[i].word, of[i].n * sizeof *to);
        to += of[i].n;
    }
    bk_asked_rows_release(l);
    *l = there;
}

void bk_asked_rows_clear(struct bk_asked_rows *l)
{
    l->rows = 0;
    for (unsigned i = 0; i < BK_ASKED_LISTS; i++)
        l->asked.of[i].n = 0;
}

void bk_asked_rows_release(struct bk_asked_rows *l)
{
    bk_spill_free(l->row);
    if (!l->spill)
        bk_asked_release(&l->asked);
    *l = (struct bk_asked_rows){ 0 };
}

/* == Keys == */

static bk_filter *filter_for(void)
{
#ifdef __x86_64__
    if (bk_cpu() >= BK_CPU_AVX512 && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vpopcntdq"))
        return bk_filter_avx512;
#endif
    return bk_filter_portable;
}

/* Goes through the rows of a shard, which may lie in several lists. */
struct shard_reader {
    const struct bk_asked_rows *list;
    size_t row, rows; /* the next row of this list; how many are left in all */
};

/* The questions of a row. */
struct row_questions {
    uint64_t hash; /* of the row */
    struct {
        const uint64_t *at, *end;
    } of[BK_ASKED_LISTS];
};

/* Sets `q` to the questions of the next row; false: there is none. */
INLINE bool next_row(struct shard_reader *r, struct row_questions *q)
{
    const struct bk_asked_row *row;

    if (!r->rows)
        return false;
    while (r->row == r->list->rows) {
        bk_spill_ease(r->list->spill);
        r->list++;
        r->row = 0;
    }
    row = &r->list->row[r->row];
    q->hash = bk_row_hash(row->first);
    for (unsigned i = 0; i < BK_ASKED_LISTS; i++) {
        const uint64_t *word = r->list->asked.of[i].word; /* NULL: there is none */

        q->of[i].at = word ? word + (r->row ? row[-1].end[i] : 0) : NULL;
        q->of[i].end = word ? word + row->end[i] : NULL;
    }
    r->row++;
    r->rows--;
    return true;
}

static bool room_for_keys(struct bk_key_list *l, size_t n)
{
    return l->n + n <= l->room || BK_SPILL_ROOM(l->key, l->room, l->n + n);
}

INLINE void add_filter(struct bk_key_list *l, uint64_t key, unsigned bits)
{
    uint64_t print = key;

    for (unsigned j = 0; j < bits; j++, key = bk_next_filter_key(key))
        l->key[l->n++] = (struct bk_ribbon_key){ key, print >> j & 1 };
}

/* Lists the filter keys of a question's exceptions.  False: no memory. */
INLINE bool list_filters_of(const struct bk_asked_question *q, uint64_t hash, struct bk_key_list *l,
                            unsigned words)
{
    if (!q->rc && !q->rp)
        return true;
    if (!room_for_keys(l, BK_RC_MAX + (size_t)BK_RP_MAX * 64 * words))
        return false;
    add_filter(l, bk_question_key(hash, q->question, BK_CELL_SQUARE), q->rc);
    for (unsigned i = 0; q->rp && i < words; i++)
        for (uint64_t left = q->other[i]; left; left &= left - 1)
            add_filter(l,
                       bk_question_key(hash, q->question, 64 * i + (unsigned)__builtin_ctzll(left)),
                       q->rp);
    return true;
}

/* Lists the filter keys of the exceptions of a shard.  False: no memory. */
INLINE bool list_filters(struct shard_reader r, struct bk_key_list *l, unsigned words)
{
    struct row_questions row;

    l->n = 0;
    while (next_row(&r, &row)) {
        const uint64_t *end = row.of[BK_ASKED_SOME].end;

        for (const uint64_t *at = row.of[BK_ASKED_SOME].at; at < end;
             at += bk_asked_step(BK_ASKED_SOME, words)) {
            struct bk_asked_question q = bk_asked_read(at, words);

            if (!list_filters_of(&q, row.hash, l, words))
                return false;
        }
    }
    return true;
}

/* What listing the keys of ribbon B needs. */
struct bit_lister {
    const struct bk_ribbon *filters;
    bk_filter *filter;
    struct bk_shard_room *room;
    struct bk_key_list *l;
};

/* Adds keys for all positions of `set`, bit 1 for those in `other`, without asking the filters.
   Two at a time, since most sets have one or two, and their number cannot be predicted. */
INLINE void add_bits(struct bk_key_list *l, uint64_t hash, uint32_t question, uint64_t set,
                     uint64_t other, unsigned word)
{
    struct bk_ribbon_key *to = l->key + l->n;

    while (set) {
        unsigned s[2] = { (unsigned)__builtin_ctzll(set), 0 };

        set &= set - 1;
        s[1] = (unsigned)__builtin_ctzll(set | UINT64_C(1) << 63);
        for (unsigned i = 0; i < 2; i++)
            to[i] = (struct bk_ribbon_key){
                bk_bit_key(bk_question_key(hash, question, 64 * word + s[i])), other >> s[i] & 1
            };
        to += 1 + (set != 0);
        set &= set - 1;
    }
    l->n = (size_t)(to - l->key);
}

/* Makes room for one more set, and what add_bits() writes beyond it. */
static bool room_for_set(struct bk_key_list *l) { return room_for_keys(l, 64 + 1); }

/* Tests the queued positions, and adds keys for those that pass the filters.  False: no memory. */
static bool end_positions(const struct bit_lister *b)
{
    struct bk_negatives *p = &b->room->positions;
    uint16_t passed[BK_NEGATIVES + 64 + BK_FILTER_PAST];
    size_t n = b->filter(b->filters, p->key, p->bits, p->n, passed);

    if (!room_for_keys(b->l, n))
        return false;
    for (size_t i = 0; i < n; i++)
        b->l->key[b->l->n++] = (struct bk_ribbon_key){ bk_bit_key(p->key[passed[i]]), false };
    p->n = 0;
    return true;
}

/* Queues the positions of a set without exceptions, for a question with filters by position. False:
   no memory. */
INLINE bool add_negatives(const struct bit_lister *b, uint64_t hash,
                          const struct bk_asked_question *q, uint64_t set, unsigned word)
{
    struct bk_negatives *p = &b->room->positions;

    for (; set; set &= set - 1) {
        unsigned s = (unsigned)__builtin_ctzll(set);

        p->key[p->n] = bk_question_key(hash, q->question, 64 * word + s);
        p->bits[p->n++] = (uint8_t)q->rp;
    }
    return p->n < BK_NEGATIVES || end_positions(b);
}

/* Lists the positions of a question whose cell passes the filters.  False: no memory. */
INLINE bool list_positions(const struct bit_lister *b, uint64_t hash,
                           const struct bk_asked_question *q, bool some, unsigned words)
{
    for (unsigned i = 0; i < words; i++) {
        uint64_t other = some ? q->other[i] : 0, negatives = q->rp ? q->all[i] & ~other : 0;

        if (!room_for_set(b->l))
            return false;
        add_bits(b->l, hash, q->question, q->all[i] & ~negatives, other, i);
        if (negatives && !add_negatives(b, hash, q, negatives, i))
            return false;
    }
    return true;
}

/* Tests the queued cells, and lists the positions of those that pass.  False: no memory. */
INLINE bool end_cells(const struct bit_lister *b, unsigned words)
{
    struct bk_negative_cells *c = &b->room->cells;
    uint16_t passed[BK_NEGATIVES + BK_FILTER_PAST];
    size_t n = b->filter(b->filters, c->key, c->bits, c->n, passed);

    for (size_t i = 0; i < n; i++) {
        struct bk_asked_question q = bk_asked_read(c->asked[passed[i]], words);

        if (!list_positions(b, c->hash[passed[i]], &q, false, words))
            return false;
    }
    c->n = 0;
    return true;
}

/* Lists a row's questions without exceptions; cells of questions with filters by cell are queued.
 */
INLINE bool list_sure(const struct bit_lister *b, const struct row_questions *row, unsigned words)
{
    struct bk_negative_cells *c = &b->room->cells;

    for (const uint64_t *at = row->of[BK_ASKED_SURE].at; at < row->of[BK_ASKED_SURE].end;
         at += bk_asked_step(BK_ASKED_SURE, words)) {
        struct bk_asked_question q = bk_asked_read(at, words);

        if (!q.rc) {
            if (!list_positions(b, row->hash, &q, false, words))
                return false;
            continue;
        }
        c->key[c->n] = bk_question_key(row->hash, q.question, BK_CELL_SQUARE);
        c->bits[c->n] = (uint8_t)q.rc;
        c->hash[c->n] = row->hash;
        c->asked[c->n++] = at;
        if (c->n == BK_NEGATIVES && !end_cells(b, words))
            return false;
    }
    return true;
}

INLINE bool list_some(const struct bit_lister *b, const struct row_questions *row, unsigned words)
{
    for (const uint64_t *at = row->of[BK_ASKED_SOME].at; at < row->of[BK_ASKED_SOME].end;
         at += bk_asked_step(BK_ASKED_SOME, words)) {
        struct bk_asked_question q = bk_asked_read(at, words);

        if (!list_positions(b, row->hash, &q, true, words))
            return false;
    }
    return true;
}

/* Lists the keys of ribbon B: positions that pass the filters.  False: no memory. */
INLINE bool list_bits(struct shard_reader r, const struct bk_ribbon *filters,
                      struct bk_shard_room *room, unsigned words)
{
    const struct bit_lister b = { filters, filter_for(), room, &room->keys[1] };
    struct row_questions row;

    b.l->n = room->cells.n = room->positions.n = 0;
    while (next_row(&r, &row))
        if (!list_sure(&b, &row, words) || !list_some(&b, &row, words))
            return false;
    return end_cells(&b, words) && end_positions(&b);
}

/* Solves ribbon `which` of a shard and appends its words to the shard's bytes. */
static bool add_ribbon(struct bk_made_shard *s, struct bk_shard_room *room, unsigned which,
                       unsigned spare)
{
    const struct bk_key_list *keys = &room->keys[which];
    uint32_t words, seed;
    size_t at = which ? 8 * (size_t)s->entry.words[0] : 0;
    uint8_t *bytes;

    if (bk_ribbon_solve(&room->ribbon, keys->key, keys->n, spare, &words, &seed, NULL))
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

INLINE bool make_of(struct bk_made_shard *s, struct shard_reader r, unsigned words, unsigned spare,
                    struct bk_shard_room *room)
{
    struct bk_ribbon filters;

    if (!list_filters(r, &room->keys[0], words) || !add_ribbon(s, room, 0, spare))
        return false;
    filters = (struct bk_ribbon){ s->bytes, s->entry.words[0], bk_ribbon_factor(s->entry.seed[0]) };
    return list_bits(r, &filters, room, words) && add_ribbon(s, room, 1, spare);
}

bool bk_shard_make(struct bk_made_shard *out, const struct bk_asked_rows *list, size_t row,
                   size_t rows, unsigned words, unsigned spare, struct bk_shard_room *room)
{
    const struct shard_reader r = { .list = list, .row = row, .rows = rows };

    return words == 1 ? make_of(out, r, 1, spare, room) : make_of(out, r, words, spare, room);
}

void bk_shard_room_release(struct bk_shard_room *room)
{
    bk_spill_free(room->keys[0].key);
    bk_spill_free(room->keys[1].key);
    bk_ribbon_room_release(&room->ribbon);
}
