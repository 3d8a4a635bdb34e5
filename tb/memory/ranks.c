/*
 * ranks.c - see ranks.h.
 */
#include "tb/memory/ranks.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

enum { PACKED_FROM = 512, LEVEL = 1 };

static struct bk_ranks_traffic sent;
static enum bk_traffic sends;
static uint64_t counted; /* of what the transport has sent, so much is in `sent` */

void bk_ranks_sends(enum bk_traffic what)
{
    uint64_t now = bk_transport_sent();

    sent.bytes[sends] += now - counted;
    counted = now;
    sends = what;
}

struct bk_ranks_traffic bk_ranks_sent(void)
{
    bk_ranks_sends(sends);
    return sent;
}

/* == Beginning and ending == */

static bool begun, dismissed; /* this process has */

unsigned bk_ranks(void) { return begun ? bk_transport_ranks() : 1; }
unsigned bk_rank(void) { return begun ? bk_transport_rank() : 0; }

/* The message of the first process to those that wait: it begins, or has ended. */
struct call {
    int32_t begins, status;
};

bool bk_ranks_wait(int *status)
{
    struct call call;

    if (!bk_transport_rank())
        return true;
    bk_transport_tell(&call, sizeof call, 0);
    *status = call.status;
    dismissed = !call.begins;
    return call.begins;
}

void bk_ranks_begin(void)
{
    struct call call = { .begins = true };

    if (!begun && !bk_transport_rank())
        bk_transport_tell(&call, sizeof call, 0);
    begun = true;
}

void bk_ranks_end(int status)
{
    struct call call = { .status = status };

    if (begun || dismissed)
        return;
    if (!bk_transport_rank())
        bk_transport_tell(&call, sizeof call, 0);
    else
        bk_transport_abandon(status);
}

/* == Agreeing == */

/* Puts this rank's number and host in front of its report. */
static void name_rank(struct bk_report *why, enum bk_err err)
{
    char host[64] = "?";
    struct bk_report text = *why;

    gethostname(host, sizeof host - 1);
    bk_report_write(why, "rank %u on %s: %.400s", bk_rank(), host,
                    *text.text ? text.text : bk_strerror(err));
}

enum bk_err bk_ranks_agree(enum bk_err err, struct bk_report *why)
{
    struct bk_report text = { "" };
    int64_t lowest = err ? -(int64_t)bk_rank() : INT64_MIN;
    int32_t agreed = (int32_t)err;

    if (!bk_ranks_several())
        return err;
    bk_transport_max(&lowest, 1);
    if (lowest == INT64_MIN)
        return BK_OK;
    if (why)
        text = *why;
    if (bk_rank() == (unsigned)-lowest && lowest)
        name_rank(&text, err);
    bk_transport_tell(&agreed, sizeof agreed, (unsigned)-lowest);
    bk_transport_tell(&text, sizeof text, (unsigned)-lowest);
    if (why)
        *why = text;
    return (enum bk_err)agreed;
}

void bk_ranks_first_says(void *x, size_t bytes)
{
    if (bk_ranks_several())
        bk_transport_tell(x, bytes, 0);
}

enum bk_err bk_ranks_same(uint64_t number, const char *what, struct bk_report *why)
{
    uint64_t first = number;

    bk_ranks_first_says(&first, sizeof first);
    return bk_ranks_agree(first == number
                              ? BK_OK
                              : bk_fail(why, BK_E_USAGE, "%s differs from the first rank's", what),
                          why);
}

/* == Boxes == */

void *bk_box_room(struct bk_box *box, size_t bytes)
{
    void *here;

    if (box->n + bytes > box->room) {
        size_t room = 2 * (box->n + bytes) + 4096;
        char *more = box->failed ? NULL : realloc(box->at, room);

        if (!more) {
            box->failed = true;
            return NULL;
        }
        box->at = more;
        box->room = room;
    }
    here = box->at + box->n;
    box->n += bytes;
    return here;
}

void bk_box_put(struct bk_box *box, const void *from, size_t bytes)
{
    void *to = bk_box_room(box, bytes);

    if (to && bytes)
        memcpy(to, from, bytes);
}

struct bk_box *bk_boxes_new(unsigned ranks) { return calloc(ranks, sizeof(struct bk_box)); }

static void empty(struct bk_box *box)
{
    free(box->at);
    *box = (struct bk_box){ 0 };
}

void bk_boxes_free(struct bk_box *boxes, unsigned ranks)
{
    for (unsigned r = 0; boxes && r < ranks; r++)
        empty(&boxes[r]);
    free(boxes);
}

/* == Exchanging == */

bool bk_box_pack(struct bk_box *box)
{
    size_t room = ZSTD_compressBound(box->n), n;
    char *packed;

    if (box->n < PACKED_FROM)
        return true;
    packed = malloc(room);
    if (!packed)
        return false;
    n = ZSTD_compress(packed, room, box->at, box->n, LEVEL);
    if (ZSTD_isError(n) || n >= box->n) {
        free(packed);
        return true;
    }
    free(box->at);
    *box = (struct bk_box){ .at = packed, .n = n, .room = room };
    return true;
}

static bool unpack(struct bk_box *box, size_t bytes)
{
    char *whole;
    size_t n;

    if (box->n == bytes)
        return true;
    whole = malloc(bytes);
    if (!whole)
        return false;
    n = ZSTD_decompress(whole, bytes, box->at, box->n);
    free(box->at);
    *box = (struct bk_box){ .at = whole, .n = bytes, .room = bytes };
    return n == bytes;
}

/* Bytes of a box, and as they are sent. */
struct sizes {
    uint64_t bytes, sent;
};

/* Everything as the calls of the transport want it. */
struct exchange {
    struct sizes out[BK_PROCESSES_MAX], in[BK_PROCESSES_MAX];
    struct bk_parcel from[BK_PROCESSES_MAX], to[BK_PROCESSES_MAX];
};

/* Packs what goes out and makes room for what comes. */
static bool prepare(struct exchange *x, struct bk_box *out, bool packs, struct bk_box *in)
{
    bool ok = true;

    for (unsigned r = 0; r < bk_ranks(); r++) {
        if (r == bk_rank())
            continue;
        ok = ok && !out[r].failed;
        x->out[r].bytes = out[r].n;
        ok = ok && (!packs || bk_box_pack(&out[r]));
        x->from[r] = (struct bk_parcel){ out[r].at, out[r].n };
        x->out[r].sent = x->from[r].bytes;
    }
    _Static_assert(sizeof(struct sizes) == 2 * sizeof(uint64_t), "two numbers a rank");
    bk_transport_numbers((const uint64_t *)x->out, (uint64_t *)x->in, 2);
    for (unsigned r = 0; r < bk_ranks(); r++) {
        if (r == bk_rank())
            continue;
        empty(&in[r]);
        ok = ok && (!x->in[r].sent || bk_box_room(&in[r], x->in[r].sent));
        x->to[r] = (struct bk_parcel){ in[r].at, x->in[r].sent };
    }
    return ok;
}

/* Two sizes to each rank, and whether any has failed. */
uint64_t bk_ranks_exchange_words(unsigned ranks)
{
    return sizeof(struct sizes) * (ranks - 1) + bk_transport_reduced(sizeof(int64_t), ranks);
}

enum bk_err bk_ranks_exchange(struct bk_box *out, struct bk_box *in, bool packed,
                              struct bk_report *why)
{
    struct exchange x = { 0 };
    int64_t failed;
    bool ok;

    if (!bk_ranks_several())
        return BK_OK;
    ok = prepare(&x, out, packed, in);
    failed = !ok;
    bk_transport_max(&failed, 1);
    if (!failed)
        bk_transport_swap(x.from, x.to);
    for (unsigned r = 0; r < bk_ranks(); r++)
        if (r != bk_rank()) {
            ok = ok && (failed || unpack(&in[r], x.in[r].bytes));
            empty(&out[r]);
        }
    return failed || !ok ? bk_no_memory(why) : BK_OK;
}

/* == Adding up == */

/* Numbers as their lowest bytes, then the next, ...: of small numbers most are zero, side by side.
 */
static void put_numbers(struct bk_box *box, const uint64_t *x, size_t n)
{
    uint8_t *to = bk_box_room(box, n * sizeof *x);

    for (unsigned byte = 0; to && byte < sizeof *x; byte++)
        for (size_t i = 0; i < n; i++)
            *to++ = (uint8_t)(x[i] >> 8 * byte);
}

static void add_numbers(uint64_t *x, const char *from, size_t n)
{
    for (unsigned byte = 0; byte < sizeof *x; byte++)
        for (size_t i = 0; i < n; i++)
            x[i] += (uint64_t)(uint8_t)*from++ << 8 * byte;
}

/* Returns where the part of the n numbers begins that a rank adds up. */
static size_t part_of(size_t n, unsigned rank) { return n / bk_ranks() * rank; }

static size_t part_end(size_t n, unsigned rank)
{
    return rank + 1 < bk_ranks() ? part_of(n, rank + 1) : n;
}

static enum bk_err sum_in(struct bk_box *out, struct bk_box *in, uint64_t *x, size_t n,
                          struct bk_report *why)
{
    size_t here = part_of(n, bk_rank()), own = part_end(n, bk_rank()) - here;
    enum bk_err err;

    for (unsigned r = 0; r < bk_ranks(); r++)
        if (r != bk_rank())
            put_numbers(&out[r], x + part_of(n, r), part_end(n, r) - part_of(n, r));
    err = bk_ranks_agree(bk_ranks_exchange(out, in, true, why), why);
    for (unsigned r = 0; !err && r < bk_ranks(); r++)
        if (r != bk_rank()) {
            add_numbers(x + here, in[r].at, own);
            memset(x + part_of(n, r), 0, (part_end(n, r) - part_of(n, r)) * sizeof *x);
        }
    for (unsigned r = 0; !err && r < bk_ranks(); r++)
        if (r != bk_rank())
            put_numbers(&out[r], x + here, own);
    if (!err)
        err = bk_ranks_agree(bk_ranks_exchange(out, in, true, why), why);
    for (unsigned r = 0; !err && r < bk_ranks(); r++)
        if (r != bk_rank())
            add_numbers(x + part_of(n, r), in[r].at, part_end(n, r) - part_of(n, r));
    return err;
}

enum bk_err bk_ranks_sum(uint64_t *x, size_t n, struct bk_report *why)
{
    struct bk_box *out = bk_boxes_new(bk_ranks()), *in = bk_boxes_new(bk_ranks());
    enum bk_err err = bk_ranks_agree(out && in ? BK_OK : bk_no_memory(why), why);

    if (!err && bk_ranks_several())
        err = sum_in(out, in, x, n, why);
    bk_boxes_free(out, bk_ranks());
    bk_boxes_free(in, bk_ranks());
    return err;
}
