/*
 * unit_shards.c - see unit_shards.h.
 */
#include "tb/encode/unit_shards.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "tb/encode/unit_memory.h"
#include "tb/memory/stock.h"

/* == Questions of pieces == */

static void note_row(struct bk_walk *w)
{
    struct bk_unit_walk *k = (struct bk_unit_walk *)w;

    if (!bk_asked_add_row(k->list, w->row.first, w->row.n))
        k->u->failed = true;
}

/* Appends the questions of a cell. */
static void note_cell(struct bk_walk *w, uint32_t leaf, const uint64_t *squares)
{
    struct bk_unit_walk *k = (struct bk_unit_walk *)w;
    const struct bk_codes *codes = &k->u->codes;
    struct bk_asked *asked = &k->list->asked;
    bool good;

    if (k->u->failed || k->u->leaf[leaf].mark == BK_GUESS_SURE)
        return;
    if (bk_unit_is_likely(k, leaf)) {
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
    struct bk_unit_run *u = context;
    const struct bk_unit_piece *p = &u->piece[u->asked + nth];
    struct bk_unit_walk k = bk_unit_walk_of(u, thread, note_cell);

    k.walk.begin = note_row;
    k.walk.recall = p->remembered ? &p->cells : NULL;
    k.walk.kept = u->leaf;
    k.walk.kept_bytes = sizeof *u->leaf;
    k.walk.soon = bk_unit_fetch_code;
    k.list = &u->lists[u->asked + nth];
    bk_unit_walk_piece(&k, u->asked + nth);
}

/* == Cutting == */

static bool close_cut(struct bk_unit_run *u)
{
    if (!u->now.rows)
        return true;
    if (!BK_ARRAY_ROOM(u->cut, u->cut_room, u->cuts + 1))
        return false;
    u->cut[u->cuts++] = u->now;
    u->now = (struct bk_unit_cut){ 0 };
    return true;
}

/* Cuts the rows of the next pieces into shards.  last: they end the window. */
static bool cut_pieces(struct bk_unit_run *u, uint32_t pieces, bool last)
{
    u->cuts = 0;
    for (uint32_t p = u->asked; p < u->asked + pieces; p++)
        for (size_t i = 0; i < u->lists[p].rows; i++) {
            const struct bk_asked_row *row = &u->lists[p].row[i];

            if (!u->now.rows) {
                u->now = (struct bk_unit_cut){ .first = row->first, .piece = p, .row = i };
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
    struct bk_unit_run *u = context;
    const struct bk_unit_cut *c = &u->cut[nth];

    bk_spill_ease(u->spill);
    if (!u->failed && !bk_shard_make(&u->shard[nth], &u->lists[c->piece], c->row, c->rows, u->words,
                                     u->effort->spare, &u->scratch[thread].shard))
        u->failed = true;
}

/* == Writing == */

/* Gives the unit's next shard to the sink, and its entry to the directory. */
static enum bk_err give_shard(struct bk_unit_run *u, struct bk_unit *out, struct bk_shard *entry,
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

static void send_shard(const struct bk_unit_run *u, const struct bk_made_shard *s, uint32_t numbers)
{
    const struct sent_shard head = { s->entry, numbers };

    bk_box_put(&u->box[0], &head, sizeof head);
    bk_box_put(&u->box[0], s->bytes, bk_shard_bytes(&s->entry));
}

static enum bk_err give_shards(struct bk_unit_run *u, struct bk_unit *out, bk_shard_sink *sink,
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
static enum bk_err receive_shards(struct bk_unit_run *u, struct bk_unit *out, bk_shard_sink *sink,
                                  void *context, struct bk_report *why)
{
    struct bk_box *in = bk_boxes_new(bk_ranks());
    enum bk_err err = bk_unit_ended(u, in ? BK_OK : bk_no_memory(why), why);

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
    return bk_unit_ended(u, err, why);
}

/* == Batches of pieces == */

/* Frees the shards, and empties the lists of pieces all of whose rows are in shards, for later
   pieces.  If memory is short these lists are freed, and those of pieces whose shard is not whole
   yet go to disk, but for the last: with few exceptions a whole window may wait for one shard. */
static void forget_batch(struct bk_unit_run *u)
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
static void reuse_lists(struct bk_unit_run *u, uint32_t pieces)
{
    for (uint32_t i = 0; i < pieces && u->reused < u->forgotten; i++, u->reused++) {
        u->lists[u->asked + i] = u->lists[u->reused];
        u->lists[u->reused] = (struct bk_asked_rows){ 0 };
    }
}

/* Raises u->piece_bytes to what the questions of a batch's pieces took. */
static void note_bytes(struct bk_unit_run *u, uint32_t pieces)
{
    for (uint32_t p = u->asked; p < u->asked + pieces; p++) {
        const struct bk_asked_rows *l = &u->lists[p];
        uint64_t bytes = l->rows * sizeof *l->row;

        for (unsigned i = 0; i < BK_ASKED_LISTS; i++)
            bytes += l->asked.of[i].n * sizeof *l->asked.of[i].word;
        u->piece_bytes = bytes > u->piece_bytes ? bytes : u->piece_bytes;
    }
}

static enum bk_err write_batch(struct bk_unit_run *u, uint32_t pieces, bool last,
                               struct bk_unit *out, bk_shard_sink *sink, void *context,
                               struct bk_report *why)
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

enum bk_err bk_unit_write_shards(struct bk_unit_run *u, struct bk_unit *out, bk_shard_sink *sink,
                                 void *context, struct bk_report *why)
{
    enum bk_err err = BK_OK;

    while (u->asked < u->to && !err) {
        uint32_t left = BK_WINDOW_PIECES - u->asked % BK_WINDOW_PIECES;
        uint32_t pieces = bk_unit_pieces_at_once(u);

        if (left > u->to - u->asked)
            left = u->to - u->asked;
        if (pieces > left)
            pieces = left;
        bk_meter_step(u->meter, BK_ENCODING,
                      u->part[BK_PASS_SHARDS] * pieces / (double)(u->to - u->from));
        err = write_batch(u, pieces, pieces == left, out, sink, context, why);
    }
    err = bk_unit_ended(u, err, why);
    return !err && u->shared ? receive_shards(u, out, sink, context, why) : err;
}
