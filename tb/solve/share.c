/*
 * share.c - see share.h.
 */
#include "tb/solve/share.h"

#include <stdlib.h>
#include <string.h>

#include "core/geometry.h"
#include "table/head.h"
#include "tb/solve/prepare.h"

enum { BLOCKS_IN_TURN = 64 }; /* at most so many are solved one after the other, without groups */

/* == Whose slices are which == */

static void find_readers(struct bk_share *h, const struct bk_king_moves *kings)
{
    for (unsigned side = 0; side < 2; side++) /* the side whose king goes there reads the other's */
        for (uint32_t slice = 0; slice < h->nslices; slice++) {
            uint64_t *readers = &h->readers[!side][slice];

            for (uint32_t i = kings->back_first[side][slice];
                 i < kings->back_first[side][slice + 1]; i++)
                *readers |= UINT64_C(1) << h->owner[kings->back[side][i]];
            *readers &= ~(UINT64_C(1) << h->owner[slice]);
        }
}

static void list_slices(struct bk_share *h)
{
    for (uint32_t slice = 0; slice < h->nslices; slice++)
        if (h->owner[slice] == bk_rank())
            h->own[h->nown++] = slice;
        else if ((h->readers[0][slice] | h->readers[1][slice]) >> bk_rank() & 1)
            h->halo[h->nhalo++] = slice;
}

static bool allocate(struct bk_share *h, const struct bk_setup *s, unsigned ranks)
{
    size_t n = s->nslices + 1u;

    h->nslices = s->nslices;
    h->ranks = ranks;
    h->owner = malloc(n);
    h->own = malloc(n * sizeof *h->own);
    h->halo = malloc(n * sizeof *h->halo);
    for (unsigned side = 0; side < 2; side++)
        h->readers[side] = calloc(n, sizeof *h->readers[side]);
    h->out = bk_boxes_new(ranks);
    h->in = bk_boxes_new(ranks);
    h->bare = malloc(sizeof *h->bare);
    return h->owner && h->own && h->halo && h->readers[0] && h->readers[1] && h->out && h->in &&
           h->bare;
}

enum bk_err bk_share_new(struct bk_share **out, const struct bk_setup *s,
                         const struct bk_owners *owners, struct bk_report *why)
{
    struct bk_share *h = calloc(1, sizeof *h);

    if (!h || !allocate(h, s, owners->ranks)) {
        bk_share_free(h);
        return bk_no_memory(why);
    }
    for (uint32_t slice = 0; slice < h->nslices; slice++) {
        const uint8_t *king = s->pairs->king[slice];

        h->owner[slice] = (uint8_t)bk_owner_of(owners, king[0], king[1]);
    }
    find_readers(h, s->kings);
    list_slices(h);
    *h->bare = *s;
    h->bare->nexit = 0;
    *out = h;
    return BK_OK;
}

void bk_share_free(struct bk_share *h)
{
    if (!h)
        return;
    free(h->owner);
    free(h->own);
    free(h->halo);
    free(h->readers[0]);
    free(h->readers[1]);
    bk_boxes_free(h->out, h->ranks);
    bk_boxes_free(h->in, h->ranks);
    free(h->bare);
    free(h);
}

/* Adds the owner of `slice` to the readers of other owners' slices to which the kings go from
   it. */
static void add_readers(const struct bk_variant *v, const struct bk_pairs *pairs,
                        const struct bk_owners *owners, uint32_t slice, uint64_t *readers)
{
    const uint8_t *at = pairs->king[slice];
    unsigned owner = bk_owner_of(owners, at[0], at[1]);

    for (unsigned side = 0; side < 2; side++) {
        unsigned n;
        const struct bk_reach *r = bk_reach_from(v, v->royal, side, at[side], &n);

        for (unsigned i = 0; i < n; i++) {
            unsigned king[2] = { at[0], at[1] };
            int32_t to;

            king[side] = r[i].to;
            to = pairs->slice[(size_t)king[0] * v->nsq + king[1]];
            if (r[i].how & BK_QUIET && to >= 0 && bk_owner_of(owners, king[0], king[1]) != owner)
                readers[2 * (size_t)to + !side] |= UINT64_C(1) << owner;
        }
    }
}

/* Returns, by slice and side, the ranks that read a slice and do not own it.  Owned; NULL: no
   memory. */
static uint64_t *readers_of_all(const struct bk_variant *v, const struct bk_pairs *pairs,
                                const struct bk_owners *owners)
{
    uint64_t *readers = calloc(2 * (pairs->nslices + (size_t)1), sizeof *readers);

    for (uint32_t slice = 0; readers && slice < pairs->nslices; slice++)
        add_readers(v, pairs, owners, slice, readers);
    return readers;
}

/* Slices that a rank touches: how many, and in how many runs, for memory is touched by the page. */
struct touched {
    uint64_t slices, runs;
    bool last; /* the last one seen was */
};

static void add_touched(struct touched *t, bool is)
{
    t->slices += is;
    t->runs += is && !t->last;
    t->last = is;
}

#define PAGE UINT64_C(4096)
static uint64_t bytes_touched(const struct touched *t, uint32_t nslices, uint64_t slice_bytes)
{
    uint64_t bytes = t->slices * slice_bytes + t->runs * PAGE, all = nslices * slice_bytes;

    return bytes < all ? bytes : all;
}

/* Returns whether an array is used in the halo: what is won, and a frontier (of wins as large as
   one of losses), or, to zeroing, two. */
static bool is_in_halo(enum bk_array a)
{
    return a == BK_WON || a == BK_WINS || a == BK_WIN_MARKS || a == BK_LOSS_MARKS ||
           a == BK_LOSSES_ODD || a == BK_LOSS_MARKS_ODD;
}

/* Bytes of news that go out, that come, and of the same packed, for each byte of the halo's sets,
   at the ply that has most.  Measured: 1.2 to 1.6. */
#define NEWS_SETS 1.6

uint64_t bk_share_bytes(const struct bk_setup *s, const struct bk_state *st,
                        const struct bk_owners *owners, struct bk_some_ranks some)
{
    uint64_t *readers = readers_of_all(s->v, s->pairs, owners), most = 0;

    for (unsigned rank = some.from; readers && rank < some.end; rank++) {
        struct touched own = { 0 }, with_halo[2] = { { 0 } };
        uint64_t halo, bytes = 0;

        for (uint32_t slice = 0; slice < s->nslices; slice++) {
            const uint8_t *at = s->pairs->king[slice];

            bool here = bk_owner_of(owners, at[0], at[1]) == rank;

            add_touched(&own, here);
            for (unsigned side = 0; side < 2; side++)
                add_touched(&with_halo[side],
                            here || readers[2 * (size_t)slice + side] >> rank & 1);
        }
        for (enum bk_array a = 0; a < BK_ARRAYS; a++)
            for (unsigned side = 0; side < 2; side++)
                bytes += bytes_touched(is_in_halo(a) ? &with_halo[side] : &own, s->nslices,
                                       st->slice_bytes[a]);
        halo = with_halo[0].slices + with_halo[1].slices - 2 * own.slices;
        bytes += (uint64_t)(NEWS_SETS * (double)(halo * st->slice_bytes[BK_WON]));
        most = bytes > most ? bytes : most;
    }
    free(readers);
    return most;
}

/* Returns how many slice frontiers are sent after a pass at most: one for each slice, side to move
   and process with the slice in its halo.  0: none, or no memory to find out. */
static uint64_t frontiers_sent(const struct bk_variant *v, const struct bk_pairs *pairs,
                               const struct bk_owners *owners)
{
    uint64_t *readers = readers_of_all(v, pairs, owners), told = 0;

    for (uint32_t i = 0; readers && i < 2 * pairs->nslices; i++)
        told += (unsigned)__builtin_popcountll(readers[i]);
    free(readers);
    return told;
}

/* == Between passes == */

/* Only BK_WON is kept: other sets are not looked at in the halo, or come with the news. */
void bk_share_init_halo(const struct bk_share *h, const struct bk_solver *b, uint32_t nth,
                        void *scratch)
{
    struct bk_solver bare = { .setup = h->bare, .kernel = b->kernel };
    uint32_t slice = h->halo[nth];

    memcpy(bare.state.array, b->state.array, sizeof bare.state.array);
    memcpy(bare.state.slice_bytes, b->state.slice_bytes, sizeof bare.state.slice_bytes);
    bare.state.nslices = b->state.nslices;
    b->kernel->init(&bare, slice, scratch);
    for (enum bk_array a = BK_UNDECIDED; a <= BK_EXIT_WINS; a++)
        for (unsigned side = 0; b->state.slice_bytes[a] && side < 2; side++)
            bk_spill_forget(bk_state_slice(&b->state, a, side, slice), b->state.slice_bytes[a]);
}

enum { JOINED = 8 }; /* numbers */

void bk_share_join(struct bk_state *st, struct bk_joined *x)
{
    int64_t most[JOINED] = { x->found, x->stopped, x->failed, st->last_wait };

    for (unsigned side = 0; side < 2; side++) {
        most[4 + side] = st->last_win[side];
        most[6 + side] = st->last_loss[side];
    }
    bk_transport_max(most, JOINED);
    *x = (struct bk_joined){ most[0], most[1], most[2] };
    st->last_wait = (unsigned)most[3];
    for (unsigned side = 0; side < 2; side++) {
        st->last_win[side] = (int)most[4 + side];
        st->last_loss[side] = (int)most[6 + side];
    }
}

/* == News == */

/* Wins, or losses of a ply: where their frontier lies, and what looks at them next. */
struct news_kind {
    struct bk_solver *b;
    enum bk_array sets, marks, any, todo;
    bool losses;
    uint32_t words, nmarks; /* 64-bit words of a vector; of the marks of a slice */
};

/* ply: of the losses */
static struct news_kind news_kind_of(struct bk_solver *b, bool losses, uint32_t ply)
{
    return (struct news_kind){ .b = b,
                               .sets = losses ? bk_losses_of(ply) : BK_WINS,
                               .marks = losses ? bk_loss_marks_of(ply) : BK_WIN_MARKS,
                               .any = losses ? bk_any_loss_of(ply) : BK_ANY_WIN,
                               .todo = losses ? bk_todo_win_of(ply) : BK_TODO_LOSE,
                               .losses = losses,
                               .words = (uint32_t)(b->kernel->set_bytes * b->kernel->lanes / 8),
                               .nmarks = b->setup->nmarks };
}

/* The head of a slice's news, before its marks. */
struct heading {
    uint32_t slice;
    uint32_t side;
};

/* Writes a vector: which of its words hold anything (a byte: there are at most eight), and these.
   Returns what is behind it. */
static char *put_vector(char *to, const uint64_t *word, uint32_t words)
{
    uint8_t some = 0;
    char *at = to + 1;

    for (uint32_t i = 0; i < words; i++) {
        some |= (uint8_t)((word[i] != 0) << i);
        memcpy(at, &word[i], sizeof *word);
        at += word[i] ? sizeof *word : 0;
    }
    memcpy(to, &some, 1);
    return at;
}

/* Puts a slice's frontier into the box of one rank.  Returns its bytes; 0: no memory. */
static size_t put_slice(const struct news_kind *f, uint32_t slice, unsigned side,
                        struct bk_box *box)
{
    const struct bk_state *st = &f->b->state;
    const uint64_t *marks = bk_state_slice(st, f->marks, side, slice);
    const uint64_t *sets = bk_state_slice(st, f->sets, side, slice);
    const struct heading head = { slice, side };
    size_t vectors = 0, most;
    char *begin, *at;

    for (uint32_t m = 0; m < f->nmarks; m++)
        vectors += (unsigned)__builtin_popcountll(marks[m]);
    most = sizeof head + f->nmarks * sizeof *marks + (vectors + 1) * (1 + 8 * (size_t)f->words);
    begin = at = bk_box_room(box, most);
    if (!at)
        return 0;
    memcpy(at, &head, sizeof head);
    at += sizeof head;
    memcpy(at, marks, f->nmarks * sizeof *marks);
    at += f->nmarks * sizeof *marks;
    for (uint32_t m = 0; m < f->nmarks; m++)
        for (uint64_t left = marks[m]; left; left &= left - 1) {
            size_t vector = 64 * (size_t)m + (unsigned)__builtin_ctzll(left);

            at = put_vector(at, sets + vector * f->words, f->words);
        }
    box->n -= most - (size_t)(at - begin);
    return (size_t)(at - begin);
}

/* Puts a slice's frontier into the boxes of the ranks `to`, a bit each. */
static void put_slice_to(const struct bk_share *h, const struct news_kind *f, uint32_t slice,
                         unsigned side, uint64_t to)
{
    struct bk_box *first = &h->out[__builtin_ctzll(to)];
    size_t bytes = put_slice(f, slice, side, first);

    for (to &= to - 1; to; to &= to - 1) {
        struct bk_box *box = &h->out[__builtin_ctzll(to)];

        if (bytes)
            bk_box_put(box, first->at + first->n - bytes, bytes);
        else
            box->failed = true;
    }
}

/* Puts the frontiers of an owner's slices into the boxes of all that read them. */
static void pack_news(const struct bk_share *h, const struct news_kind *f, unsigned owner)
{
    for (uint32_t slice = 0; slice < h->nslices; slice++)
        for (unsigned side = 0; h->owner[slice] == owner && side < 2; side++) {
            const uint8_t *any = bk_state_slice(&f->b->state, f->any, side, slice);
            uint64_t to = *any ? h->readers[side][slice] : 0;

            if (to)
                put_slice_to(h, f, slice, side, to);
        }
}

/* Drops the halo's last frontier of a kind. */
static void forget_news(const struct bk_share *h, const struct news_kind *f)
{
    const struct bk_state *st = &f->b->state;

    for (uint32_t i = 0; i < h->nhalo; i++)
        for (unsigned side = 0; side < 2; side++) {
            uint8_t *any = bk_state_slice(st, f->any, side, h->halo[i]);

            if (!*any)
                continue;
            *any = 0;
            memset(bk_state_slice(st, f->marks, side, h->halo[i]), 0, st->slice_bytes[f->marks]);
            bk_spill_forget(bk_state_slice(st, f->sets, side, h->halo[i]),
                            st->slice_bytes[f->sets]);
        }
}

/* Wakes the slices from which a king comes to this one, as the kernel's wake() does. */
static void wake(const struct news_kind *f, uint32_t slice, unsigned side)
{
    const struct bk_king_moves *kings = f->b->setup->kings;

    for (uint32_t i = kings->back_first[!side][slice]; i < kings->back_first[!side][slice + 1]; i++)
        *(uint8_t *)bk_state_slice(&f->b->state, f->todo, !side, kings->back[!side][i]) = 1;
}

/* Reads what put_vector() wrote. */
static const char *take_vector(const char *at, uint64_t *word, uint64_t *won, uint32_t words)
{
    uint8_t some = (uint8_t)*at++;

    for (uint32_t i = 0; i < words; i++) {
        word[i] = 0;
        if (!(some >> i & 1))
            continue;
        memcpy(&word[i], at, sizeof word[i]);
        at += sizeof word[i];
        if (won)
            won[i] |= word[i];
    }
    return at;
}

/* Takes in one slice; returns what follows it. */
static const char *take_slice(const struct news_kind *f, const char *at)
{
    const struct bk_state *st = &f->b->state;
    struct heading head;
    uint64_t *marks, *sets, *won;

    memcpy(&head, at, sizeof head);
    at += sizeof head;
    marks = bk_state_slice(st, f->marks, head.side, head.slice);
    sets = bk_state_slice(st, f->sets, head.side, head.slice);
    won = bk_state_slice(st, BK_WON, head.side, head.slice);
    memcpy(marks, at, f->nmarks * sizeof *marks);
    at += f->nmarks * sizeof *marks;
    *(uint8_t *)bk_state_slice(st, f->any, head.side, head.slice) = 1;
    for (uint32_t m = 0; m < f->nmarks; m++)
        for (uint64_t left = marks[m]; left; left &= left - 1) {
            size_t first = (64 * (size_t)m + (unsigned)__builtin_ctzll(left)) * f->words;

            at = take_vector(at, sets + first, f->losses ? NULL : won + first, f->words);
        }
    wake(f, head.slice, head.side);
    return at;
}

enum bk_err bk_share_news(const struct bk_share *h, struct bk_solver *b, struct bk_report *why)
{
    uint32_t ply = b->state.ply;
    struct news_kind f = news_kind_of(b, b->state.losing, ply);
    struct news_kind used = news_kind_of(b, !b->state.losing, ply - 1);
    enum bk_err err;

    pack_news(h, &f, bk_rank());
    err = bk_ranks_exchange(h->out, h->in, true, why);
    if (err)
        return err;
    forget_news(h, &f);
    forget_news(h, &used); /* the pass has used it: its memory is that of the new one */
    for (unsigned r = 0; r < bk_ranks(); r++)
        for (const char *at = h->in[r].at, *end = at + h->in[r].n; r != bk_rank() && at < end;)
            at = take_slice(&f, at);
    return BK_OK;
}

uint64_t bk_share_would_send(const struct bk_share *h, struct bk_solver *b)
{
    struct news_kind f = news_kind_of(b, b->state.losing, b->state.ply);
    uint64_t bytes = h->ranks * (bk_ranks_exchange_words(h->ranks) +
                                 bk_transport_reduced(JOINED * sizeof(int64_t), h->ranks));

    for (unsigned owner = 0; owner < h->ranks; owner++) {
        pack_news(h, &f, owner);
        for (unsigned r = 0; r < h->ranks; r++) {
            if (h->out[r].failed || !bk_box_pack(&h->out[r]))
                return 0;
            bytes += h->out[r].n;
            h->out[r].n = 0;
        }
    }
    return bytes;
}

/* == After a checkpoint == */

#define ROUND_BYTES ((size_t)32 << 20) /* of slices that are sent at a time */

static uint32_t slices_of_round(size_t bytes)
{
    return bytes < ROUND_BYTES ? (uint32_t)(ROUND_BYTES / bytes) : 1;
}

/* Puts what `side` has won in a slice into the boxes of its readers, without what an exit has
   saved. */
static void put_won(const struct bk_share *h, const struct bk_solver *b, uint32_t slice,
                    unsigned side)
{
    const struct bk_state *st = &b->state;
    const uint64_t *won = bk_state_slice(st, BK_WON, side, slice);
    const uint64_t *undecided = bk_state_slice(st, BK_UNDECIDED, side, slice);
    size_t words = st->slice_bytes[BK_WON] / sizeof *won;

    for (uint64_t to = h->readers[side][slice]; to; to &= to - 1) {
        uint64_t *out = bk_box_room(&h->out[__builtin_ctzll(to)], words * sizeof *won);

        for (size_t i = 0; out && i < words; i++)
            out[i] = b->setup->compact ? won[i] & ~undecided[i] : won[i];
    }
}

static void forget_others(const struct bk_share *h, const struct bk_state *st)
{
    for (uint32_t slice = 0; slice < h->nslices; slice++)
        for (enum bk_array a = 0; h->owner[slice] != bk_rank() && a < BK_ARRAYS; a++)
            for (unsigned side = 0; st->slice_bytes[a] && side < 2; side++)
                bk_spill_forget(bk_state_slice(st, a, side, slice), st->slice_bytes[a]);
}

/* Sends what is won in slices [from, to) to those that read them. */
static enum bk_err send_won(const struct bk_share *h, struct bk_solver *b, uint32_t from,
                            uint32_t to, struct bk_report *why)
{
    size_t bytes = b->state.slice_bytes[BK_WON], at[BK_PROCESSES_MAX] = { 0 };
    enum bk_err err;

    for (uint32_t slice = from; slice < to; slice++)
        for (unsigned side = 0; h->owner[slice] == bk_rank() && side < 2; side++)
            put_won(h, b, slice, side);
    err = bk_ranks_exchange(h->out, h->in, true, why);
    for (uint32_t slice = from; !err && slice < to; slice++)
        for (unsigned side = 0; side < 2; side++) {
            unsigned owner = h->owner[slice];

            if (owner == bk_rank() || !(h->readers[side][slice] >> bk_rank() & 1))
                continue;
            memcpy(bk_state_slice(&b->state, BK_WON, side, slice), h->in[owner].at + at[owner],
                   bytes);
            at[owner] += bytes;
        }
    return err;
}

/* Sends the frontiers that the next ply wants: those of the last pass, and, to zeroing, the losses
   of the pass before it. */
static enum bk_err send_frontiers(const struct bk_share *h, struct bk_solver *b,
                                  struct bk_report *why)
{
    bool both = b->setup->nmove && b->state.ply;
    enum bk_err err;

    b->state.losing = both || !(b->state.ply & 1);
    err = bk_share_news(h, b, why);
    if (err || !both)
        return err;
    err = bk_ranks_agree(err, why);
    b->state.losing = false;
    return err ? err : bk_share_news(h, b, why);
}

enum bk_err bk_share_restore(const struct bk_share *h, struct bk_solver *b, uint32_t ply,
                             struct bk_report *why)
{
    uint32_t step = slices_of_round(2 * b->state.slice_bytes[BK_WON]), to;
    enum bk_err err = BK_OK;

    forget_others(h, &b->state);
    for (uint32_t from = 0; from < h->nslices; from = to) {
        enum bk_err now;

        to = h->nslices - from < step ? h->nslices : from + step;
        now = send_won(h, b, from, to, why);
        err = err ? err : now;
    }
    err = bk_ranks_agree(err, why);
    b->state.ply = ply;
    return err ? err : send_frontiers(h, b, why);
}

/* == Values == */

/* Slices [from, to) of an array, which `buffer` takes in turn: those of one rank after those of
   another. */
struct spreading {
    const struct bk_share *h;
    const struct bk_state *st;
    enum bk_array array;
    unsigned side;
    uint32_t from, to;
    char *buffer;
};

/* Copies a rank's slices into the buffer (`in`) if they are this process's, or out of it if they
   are another's.  Returns their bytes. */
static size_t move_slices(const struct spreading *x, unsigned rank, bool in)
{
    size_t bytes = x->st->slice_bytes[x->array], n = 0;

    for (uint32_t slice = x->from; slice < x->to; slice++) {
        char *values = bk_state_slice(x->st, x->array, x->side, slice);

        if (x->h->owner[slice] != rank)
            continue;
        if (rank == bk_rank() && in)
            memcpy(x->buffer + n, values, bytes);
        if (rank != bk_rank() && !in)
            memcpy(values, x->buffer + n, bytes);
        n += bytes;
    }
    return n;
}

static void spread_array(struct spreading *x)
{
    uint32_t nslices = x->h->nslices, step = slices_of_round(x->st->slice_bytes[x->array]);

    for (x->from = 0; x->from < nslices; x->from = x->to) {
        x->to = nslices - x->from < step ? nslices : x->from + step;
        for (unsigned rank = 0; rank < bk_ranks(); rank++) {
            bk_transport_tell(x->buffer, move_slices(x, rank, true), rank);
            move_slices(x, rank, false);
        }
    }
}

enum bk_err bk_share_spread(const struct bk_share *h, struct bk_state *st, struct bk_report *why)
{
    struct spreading x = { .h = h, .st = st };
    size_t most = 0;
    enum bk_err err;

    bk_state_free_piece(st);
    for (enum bk_array a = 0; a < BK_ARRAYS; a++) {
        size_t bytes = bk_state_stays(st, a) ? st->slice_bytes[a] : 0;
        size_t round = bytes ? bytes * slices_of_round(bytes) : 0;

        most = round > most ? round : most;
    }
    x.buffer = malloc(most + 1);
    err = bk_ranks_agree(x.buffer ? BK_OK : bk_no_memory(why), why);
    for (x.array = 0; !err && x.array < BK_ARRAYS; x.array++)
        for (x.side = 0; bk_state_stays(st, x.array) && st->slice_bytes[x.array] && x.side < 2;
             x.side++)
            spread_array(&x);
    free(x.buffer);
    return err;
}

/* == Values, to those who read them == */

uint64_t bk_shared_from(void)
{
    const char *told = getenv("BAREKING_SHARED_FROM");

    return told ? strtoull(told, NULL, 10) : BK_SHARED_FROM;
}

static bool has_inner(const struct bk_index *ix)
{
    bool inner = false;

    for (unsigned s = 0; s < ix->nslots; s++)
        inner = inner || bk_setup_can_be_inner(ix, s);
    return inner;
}

bool bk_share_may(const struct bk_index *ix)
{
    return has_inner(ix) && ix->positions >= bk_shared_from() &&
           (!ix->m.rights || ix->nblocks <= BLOCKS_IN_TURN);
}

struct bk_values bk_share_values(const struct bk_value_readers *w, uint32_t block, unsigned nth)
{
    const struct bk_memtable *t = w->t;
    const struct bk_memblock *mb = &t->block[block];
    unsigned side = nth & 1;
    size_t bits = mb->bit_slice_stride / 8;
    size_t codes = t->code_bytes ? mb->slice_stride * t->code_bytes : mb->slice_stride / 8;

    if (nth < 4)
        return (struct bk_values){ nth < 2 ? mb->code[side] : mb->draw[side], codes };
    return (struct bk_values){ (char *)mb->attained[(nth - 4) >> 1][side], bits };
}

uint64_t bk_share_readers(const struct bk_value_readers *w, uint32_t block, unsigned nth,
                          uint32_t slice)
{
    const struct bk_memblock *mb = &w->t->block[block];
    const uint8_t *king = w->t->ix->block[block].pairs->king[slice];
    unsigned side = nth & 1;
    uint64_t ranks = 0;

    if (!w->owners)
        return 1;
    if (w->encoders && !mb->encoded)
        ranks = w->encoders(w->context, block, slice, side);
    if (nth < 4)
        ranks |= w->reading ? bk_owners_readers(w->owners, w->reading, side, king[0], king[1])
                            : ~UINT64_C(0);
    return ranks;
}

/* A place in a walk over some blocks, their arrays (`nth`), and the slices of these. */
struct cursor {
    uint32_t i, slice; /* the ith block */
    unsigned nth;
};

struct handing_out {
    const struct bk_value_readers *w;
    const uint32_t *block;
    uint32_t n;
    struct bk_box *out, *in; /* by rank */
};

static uint32_t slices_of(const struct handing_out *h, uint32_t i)
{
    return h->w->t->ix->block[h->block[i]].pairs->nslices;
}

/* Moves the cursor on to the next slice, itself included, of an array that exists.  False: there is
   none. */
static bool find_slice(const struct handing_out *h, struct cursor *c)
{
    for (; c->i < h->n; c->i++, c->nth = 0)
        for (; c->nth < BK_VALUES; c->nth++, c->slice = 0)
            if (c->slice < slices_of(h, c->i) && bk_share_values(h->w, h->block[c->i], c->nth).at)
                return true;
    return false;
}

/* Puts one slice into the boxes of those that read it or, with `taken`, takes it out of its
   owner's.  taken: bytes taken out of each box. */
static void move_slice(const struct handing_out *h, const struct cursor *c, size_t *taken)
{
    const uint32_t block = h->block[c->i];
    const uint8_t *king = h->w->t->ix->block[block].pairs->king[c->slice];
    struct bk_values piece = bk_share_values(h->w, block, c->nth);
    unsigned owner = bk_owner_of(h->w->owners, king[0], king[1]);
    uint64_t ranks = bk_share_readers(h->w, block, c->nth, c->slice);
    char *values = piece.at + c->slice * piece.slice_bytes;

    if (taken) {
        if (owner == bk_rank() || !(ranks >> bk_rank() & 1))
            return;
        memcpy(values, h->in[owner].at + taken[owner], piece.slice_bytes);
        taken[owner] += piece.slice_bytes;
        return;
    }
    if (owner != bk_rank())
        return;
    for (unsigned rank = 0; rank < bk_ranks(); rank++)
        if (rank != bk_rank() && ranks >> rank & 1)
            bk_box_put(&h->out[rank], values, piece.slice_bytes);
    if (!(ranks >> bk_rank() & 1))
        bk_spill_forget(values, piece.slice_bytes);
}

/* Moves slices from the cursor on, for one exchange; leaves it where the next begins. */
static void move_round(const struct handing_out *h, struct cursor *c, size_t *taken)
{
    size_t bytes = 0;

    for (; find_slice(h, c) && bytes < ROUND_BYTES; c->slice++) {
        bytes += bk_share_values(h->w, h->block[c->i], c->nth).slice_bytes;
        move_slice(h, c, taken);
    }
}

enum bk_err bk_share_hand_out(const struct bk_value_readers *w, const uint32_t *block, uint32_t n,
                              struct bk_report *why)
{
    struct handing_out h = { w, block, n, bk_boxes_new(bk_ranks()), bk_boxes_new(bk_ranks()) };
    enum bk_err err = bk_ranks_agree(h.out && h.in ? BK_OK : bk_no_memory(why), why);
    struct cursor c = { 0 };

    while (!err && find_slice(&h, &c)) {
        struct cursor same = c;
        size_t taken[BK_PROCESSES_MAX] = { 0 };

        move_round(&h, &c, NULL);
        err = bk_ranks_agree(bk_ranks_exchange(h.out, h.in, false, why), why);
        if (!err)
            move_round(&h, &same, taken);
    }
    bk_boxes_free(h.out, bk_ranks());
    bk_boxes_free(h.in, bk_ranks());
    for (uint32_t i = 0; !err && i < n; i++) /* pages that slices had together */
        bk_share_trim(w, block[i]);
    return err;
}

void bk_share_trim(const struct bk_value_readers *w, uint32_t block)
{
    uint32_t nslices = w->t->ix->block[block].pairs->nslices;

    for (unsigned nth = 0; nth < BK_VALUES; nth++) {
        struct bk_values piece = bk_share_values(w, block, nth);

        for (uint32_t slice = 0, end; piece.at && slice < nslices; slice = end + 1) {
            for (end = slice; end < nslices; end++) /* what lies side by side goes together */
                if (bk_share_readers(w, block, nth, end) >> bk_rank() & 1)
                    break;
            if (end > slice)
                bk_spill_forget(piece.at + slice * piece.slice_bytes,
                                (end - slice) * piece.slice_bytes);
        }
    }
}

void bk_share_resize(const struct bk_value_readers *w, uint32_t block, double codes,
                     double attained)
{
    struct bk_memblock *mb = &w->t->block[block];
    double nslices = w->t->ix->block[block].pairs->nslices;

    for (unsigned nth = 0; nth < BK_VALUES; nth++) {
        double bytes = nslices * (double)bk_share_values(w, block, nth).slice_bytes;
        unsigned side = nth & 1;

        if (nth < 2)
            mb->code[side] = bk_arena_resize(mb->code[side], (uint64_t)(bytes * codes));
        else if (nth < 4)
            mb->draw[side] = bk_arena_resize(mb->draw[side], (uint64_t)(bytes * codes));
        else
            mb->attained[(nth - 4) >> 1][side] =
                bk_arena_resize(mb->attained[(nth - 4) >> 1][side], (uint64_t)(bytes * attained));
    }
}

double bk_share_kept(const struct bk_index *ix, const struct bk_owners *owners,
                     const struct bk_reading *reading, bool distances, struct bk_some_ranks some)
{
    const struct bk_pairs *pairs = ix->block[0].pairs;
    uint64_t slice_bytes =
        bk_index_digits(ix, &ix->block[0])->slice_weight / (distances ? 1 : 8) + 1;
    uint64_t most = 0, all = 2 * pairs->nslices * slice_bytes;

    if (!owners || !reading || !bk_share_may(ix) || !pairs->nslices)
        return 1;
    for (unsigned rank = some.from; rank < some.end; rank++) {
        uint64_t bytes = 0;

        for (unsigned side = 0; side < 2; side++) {
            struct touched t = { 0 };

            for (uint32_t slice = 0; slice < pairs->nslices; slice++) {
                const uint8_t *king = pairs->king[slice];

                add_touched(&t,
                            bk_owners_readers(owners, reading, side, king[0], king[1]) >> rank & 1);
            }
            bytes += bytes_touched(&t, pairs->nslices, slice_bytes);
        }
        most = bytes > most ? bytes : most;
    }
    return (double)most / (double)all;
}

/* == What is sent while a table is solved == */

/* Bytes of news, packed, for each position that another process looks at.  Measured: 0.02 where
   most games are drawn to 0.5 where nearly all are decided, in many plies; a twentieth to a fifth
   of what is sent in all.  Where both sides have the same men most are drawn: 0.04 to 0.13. */
#define NEWS_BYTES      0.15
#define NEWS_BYTES_EVEN 0.05

/* Returns the bytes of the nth array of a slice, 0 if the block has no such array. */
static double slice_bytes_of(const struct bk_value_readers *w, uint32_t block, unsigned nth)
{
    bool codes = w->t->code_bytes;

    if ((nth >= 2 && nth < 4 && codes) || (nth >= 4 && !w->encoders) || (nth >= 6 && !codes))
        return 0;
    return (double)bk_share_values(w, block, nth).slice_bytes;
}

/* Returns the bytes of a block's slices that go from their owners to the processes that want
   them. */
static double values_sent(const struct bk_value_readers *w, uint32_t block)
{
    const struct bk_pairs *pairs = w->t->ix->block[block].pairs;
    uint64_t all = UINT64_MAX >> (64 - w->owners->ranks);
    double bytes = 0;

    for (unsigned nth = 0; nth < BK_VALUES; nth++) {
        double each = slice_bytes_of(w, block, nth);

        for (uint32_t slice = 0; each > 0 && slice < pairs->nslices; slice++) {
            const uint8_t *king = pairs->king[slice];
            uint64_t others = all & ~(UINT64_C(1) << bk_owner_of(w->owners, king[0], king[1]));

            bytes += each * __builtin_popcountll(bk_share_readers(w, block, nth, slice) & others);
        }
    }
    return bytes;
}

/* Returns the bytes sent for a level of a table whose blocks are not all shared: those that are
   dealt out whole go to every process, as larger ones do. */
static double values_spread(const struct bk_value_readers *w, const struct bk_order *o,
                            uint32_t level, unsigned threads)
{
    const struct bk_index *ix = w->t->ix;
    uint32_t first = o->first[level], end = o->first[level + 1];
    bool dealt = end - first >= 2 * threads * w->owners->ranks; /* as in solve_level() */
    bool inner = has_inner(ix), codes = w->t->code_bytes;
    double bytes = 0;

    for (uint32_t i = first; i < end; i++) {
        const struct bk_memblock *mb;
        uint32_t block = o->block[i];
        uint64_t nslices;

        if (!dealt && (o->group[level] || !inner || ix->block[block].size < bk_shared_from()))
            continue;
        mb = &w->t->block[block];
        nslices = ix->block[block].pairs->nslices;
        bytes += (double)bk_memblock_bytes(nslices * mb->slice_stride, w->t->code_bytes);
        if (w->encoders)
            bytes += (codes ? 4.0 : 2.0) *
                     (double)bk_memblock_array_bytes(nslices * mb->bit_slice_stride, 0);
    }
    return bytes * (w->owners->ranks - 1);
}

enum bk_err bk_share_traffic(struct bk_share_traffic *out, const struct bk_value_readers *w,
                             enum bk_strategy strategy, unsigned threads, struct bk_report *why)
{
    const struct bk_index *ix = w->t->ix;
    const struct bk_pairs *pairs = NULL;
    bool shared = bk_share_may(ix);
    double values = 0, looked_at = 0, frontiers = 0;
    struct bk_order o = { 0 };

    if (!bk_order_new(&o, ix, strategy, bk_memtable_metric(w->t)))
        return bk_no_memory(why);
    for (uint32_t l = 0; !shared && l < o.nlevels; l++)
        values += values_spread(w, &o, l, threads);
    for (uint32_t b = 0; shared && b < ix->nblocks; b++) {
        w->t->block[b].encoded = false; /* to those that encode it, too */
        values += values_sent(w, b);
        if (ix->block[b].pairs != pairs)
            frontiers = (double)frontiers_sent(ix->v, ix->block[b].pairs, w->owners);
        pairs = ix->block[b].pairs;
        if (pairs->nslices)
            looked_at += frontiers * (double)ix->block[b].size / pairs->nslices;
    }
    out->values = (uint64_t)values;
    out->news =
        (uint64_t)((bk_table_one_side(&ix->m, ix->v) ? NEWS_BYTES_EVEN : NEWS_BYTES) * looked_at);
    bk_order_free(&o);
    return BK_OK;
}
