/*
 * head.c - see head.h.  Section numbers refer to docs/format.md.
 *
 * Idea: names, kinds and units follow from the material and the index; the rest is bytes.  A head
 * is short: 140 bytes of a four-man table.  So numbers that are small more often than not are
 * varints, and nothing is padded.
 */
#include "table/head.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "core/derive.h"
#include "table/varint.h"

/* == Names and kinds == */

const char *bk_kind_suffix(enum bk_kind kind)
{
    static const char *const suffix[BK_KINDS] = { "bkw", "bkd", "bk5", "bkz" };

    return suffix[kind];
}

bool bk_kind_of_name(enum bk_kind *out, const char *name)
{
    const char *dot = strrchr(name, '.');

    for (enum bk_kind kind = BK_KIND_WDL; dot && kind < BK_KINDS; kind++)
        if (!strcmp(dot + 1, bk_kind_suffix(kind))) {
            *out = kind;
            return true;
        }
    return false;
}

char *bk_table_path(char *out, const char *dir, const struct bk_variant *v,
                    const struct bk_material *m, enum bk_kind kind)
{
    char game[64], name[BK_MATERIAL_NAME_MAX];

    snprintf(out, PATH_MAX, "%s/%s/%s.%s", dir, bk_homes_name(v, bk_wings(m->rights), game),
             bk_material_name(m, v, name), bk_kind_suffix(kind));
    return out;
}

bool bk_table_one_side(const struct bk_material *m, const struct bk_variant *v)
{
    struct bk_material other = bk_material_exchanged(m);

    return bk_material_equal(&other, m) && bk_material_swap(m, v) >= 0;
}

unsigned bk_kind_bits(enum bk_kind kind)
{
    return kind == BK_KIND_WDL ? 2 : kind == BK_KIND_FIVE ? 3 : BK_VALUE_BITS_MAX;
}

struct bk_fact_men bk_table_men(const struct bk_index *ix)
{
    struct bk_fact_men men = { .n = 2 + ix->nslots };

    men.type[0] = men.type[1] = ix->v->royal;
    men.colour[0] = BK_WHITE;
    men.colour[1] = BK_BLACK;
    for (unsigned s = 0; s < ix->nslots; s++) {
        men.type[2 + s] = ix->type[s];
        men.colour[2 + s] = ix->colour[s];
    }
    return men;
}

/* == Units == */

#define UNIT_POSITIONS (UINT64_C(1) << 30) /* with so many, a unit ends with its block */

unsigned bk_units_of(const struct bk_index *ix, bool one_side, struct bk_unit_place *out,
                     unsigned room)
{
    unsigned n = 0;

    for (unsigned side = 0; side < (one_side ? 1 : 2); side++)
        for (uint32_t b = 0, first = 0; b < ix->nblocks; b++) {
            uint64_t begin = ix->block[first].first, end = ix->block[b].first + ix->block[b].size;

            if (end - begin < UNIT_POSITIONS && b + 1 < ix->nblocks)
                continue;
            if (n++ < room)
                out[n - 1] = (struct bk_unit_place){ side, first, b + 1 - first, begin, end };
            first = b + 1;
        }
    return n;
}

/* == Bytes == */

/* section 2 */
static const uint8_t magic[8] = { 0x89, 'B', 'K', 'E', '\r', '\n', 0x1a, '\n' };
static const uint8_t magic_before[8] = { 0x89, 'B', 'K', 'T', '\r', '\n', 0x1a, '\n' };
enum {
    AT_MAGIC = 0,
    AT_VERSION = 8,
    AT_KIND = 9,
    AT_FACTS = 10,
    AT_FLAGS = 11,
    AT_HEAD_BYTES = 12,
    AT_RULES_ID = 16,
    AT_FIELDS = 24,
};
enum { STANDALONE = 1, ONE_SIDE = 2, DISTANCES = 4, KNOWN_FLAGS = 7 };
#define TAIL 8u /* bytes of the checksum at the end */

static enum bk_err damaged(const char *path, const char *what, struct bk_report *why)
{
    return bk_fail(why, BK_E_CORRUPT, "%s: damaged: %s", path, what);
}

static enum bk_err newer(const char *path, const char *what, unsigned n, struct bk_report *why)
{
    return bk_fail(why, BK_E_NEWER, "%s: needs a newer bareking (%s %u)", path, what, n);
}

/* == Reading == */

enum bk_err bk_head_bytes(uint32_t *out, const uint8_t first[BK_HEAD_FIRST], uint64_t file_bytes,
                          const char *path, struct bk_report *why)
{
    if (!memcmp(first + AT_MAGIC, magic_before, sizeof magic_before))
        return bk_fail(why, BK_E_CORRUPT, "%s: made by an older bareking: build it again", path);
    if (memcmp(first + AT_MAGIC, magic, sizeof magic))
        return bk_fail(why, BK_E_CORRUPT, "%s: not a bareking table", path);
    *out = (uint32_t)bk_fixed_get(first + AT_HEAD_BYTES, 4);
    if (*out < BK_HEAD_LEAST || *out > BK_HEAD_MOST || *out > file_bytes)
        return damaged(path, "size of the head", why);
    return BK_OK;
}

/* Is a name plain ASCII without spaces?  It goes into messages. */
static bool is_plain(const uint8_t *text, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        if (text[i] <= ' ' || text[i] > '~')
            return false;
    return true;
}

/* Reads a name: its length, then its bytes. */
static void take_name(struct bk_bytes_in *in, char *out, size_t room)
{
    uint64_t n = bk_fixed_take(in, 1);
    const uint8_t *at = n < room ? bk_bytes_take(in, n) : NULL;

    memset(out, 0, room);
    if (!at || !is_plain(at, n))
        in->failed = true;
    else
        memcpy(out, at, n);
}

/* section 3 */
static void take_longest(struct bk_bytes_in *in, int64_t *plies, uint64_t *number)
{
    *plies = (int64_t)bk_varint_take(in, 1u << 20) - 1;
    *number = bk_varint_take(in, UINT64_MAX);
}

static void take_summary(struct bk_bytes_in *in, struct bk_summary *s, bool one_side, bool counts)
{
    for (unsigned side = 0; side < 2; side++) {
        struct bk_bytes_in again = *in;
        struct bk_bytes_in *from = one_side && side == 0 ? &again : in; /* read White's again */
        uint64_t *const count[6] = { &s->win[side],     &s->draw[side],     &s->loss[side],
                                     &s->all_win[side], &s->all_draw[side], &s->all_loss[side] };

        for (unsigned i = 0; i < 6; i++)
            *count[i] = bk_varint_take(from, UINT64_MAX);
        take_longest(from, &s->win_plies[side], &s->win_number[side]);
        take_longest(from, &s->loss_plies[side], &s->loss_number[side]);
        if (!counts)
            continue;
        s->cursed[side] = bk_varint_take(from, UINT64_MAX);
        s->blessed[side] = bk_varint_take(from, UINT64_MAX);
        s->all_cursed[side] = bk_varint_take(from, UINT64_MAX);
        s->all_blessed[side] = bk_varint_take(from, UINT64_MAX);
    }
}

/* section 4 */
static void take_unit(struct bk_bytes_in *in, struct bk_unit_head *u)
{
    u->nblocks = (uint32_t)bk_varint_take(in, UINT32_MAX);
    u->model_bytes = bk_varint_take(in, BK_MODEL_MOST);
    u->shards = (uint32_t)bk_varint_take(in, BK_UNIT_SHARD_MAX);
    u->shard_bytes = bk_varint_take(in, UINT64_MAX >> 8);
    u->sum = (uint32_t)bk_fixed_take(in, 4);
    if (!u->nblocks || !u->model_bytes)
        in->failed = true;
}

/* section 5: no tag is known yet.  Returns the last odd one, which a reader must know; 0: none. */
static unsigned take_sections(struct bk_bytes_in *in)
{
    unsigned odd = 0;

    for (uint64_t n = bk_varint_take(in, 255); n; n--) {
        unsigned tag = (unsigned)bk_fixed_take(in, 1);

        odd = tag & 1 ? tag : odd;
        bk_bytes_take(in, bk_varint_take(in, BK_HEAD_MOST));
    }
    return in->failed ? 0 : odd;
}

/* Checks what stands at fixed places and tells how to read the rest.  The checksum is right, so a
   value that is not known here is of a later version, and no damage. */
static enum bk_err check_fixed(const uint8_t *bytes, const char *path, struct bk_report *why)
{
    if (bytes[AT_VERSION] > BK_FORMAT_VERSION)
        return newer(path, "format version", bytes[AT_VERSION], why);
    if (bytes[AT_VERSION] != BK_FORMAT_VERSION)
        return damaged(path, "version", why);
    if (bytes[AT_KIND] >= BK_KINDS)
        return newer(path, "kind", bytes[AT_KIND], why);
    if (bytes[AT_FACTS] > BK_FACTS_VERSION)
        return newer(path, "facts of version", bytes[AT_FACTS], why);
    if (bytes[AT_FACTS] != BK_FACTS_VERSION)
        return damaged(path, "version of the facts", why);
    if (bytes[AT_FLAGS] & ~KNOWN_FLAGS)
        return newer(path, "flags", bytes[AT_FLAGS], why);
    return BK_OK;
}

static void take_fields(struct bk_bytes_in *in, struct bk_file_info *i)
{
    const uint8_t *order;

    if (bk_kind_counts(i->kind))
        i->nmove_id = bk_fixed_take(in, 8);
    i->positions = bk_varint_take(in, UINT64_MAX);
    i->norder = (unsigned)bk_fixed_take(in, 1);
    if (i->norder < 1 || i->norder > BK_SLOTS_MAX + 1)
        in->failed = true;
    if ((order = bk_bytes_take(in, i->norder)) != NULL)
        memcpy(i->order, order, i->norder);
    take_name(in, i->material, sizeof i->material);
    take_name(in, i->variant, sizeof i->variant);
    take_summary(in, &i->summary, i->one_side, bk_kind_counts(i->kind));
    i->nunits = (unsigned)bk_varint_take(in, BK_UNITS_MAX);
    if (!i->nunits)
        in->failed = true;
}

enum bk_err bk_head_parse(struct bk_head *out, const uint8_t *bytes, uint32_t n, const char *path,
                          struct bk_report *why)
{
    struct bk_bytes_in in = { bytes + AT_FIELDS, bytes + n - TAIL, false };
    struct bk_file_info *i = &out->info;
    unsigned odd;
    enum bk_err err;

    *out = (struct bk_head){ .bytes = n };
    if (bk_fixed_get(bytes + n - TAIL, TAIL) != XXH3_64bits(bytes, n - TAIL))
        return damaged(path, "checksum of the head", why);
    if ((err = check_fixed(bytes, path, why)) != BK_OK)
        return err;
    i->kind = (enum bk_kind)bytes[AT_KIND];
    i->standalone = bytes[AT_FLAGS] & STANDALONE;
    i->one_side = bytes[AT_FLAGS] & ONE_SIDE;
    i->distances = bytes[AT_FLAGS] & DISTANCES;
    i->rules_id = bk_fixed_get(bytes + AT_RULES_ID, 8);
    take_fields(&in, i);
    if (in.failed)
        return damaged(path, "the head", why);
    out->unit = calloc(i->nunits, sizeof *out->unit);
    if (!out->unit)
        return bk_fail(why, BK_E_SYSTEM, "%s: out of memory", path);
    for (unsigned u = 0; u < i->nunits; u++)
        take_unit(&in, &out->unit[u]);
    odd = take_sections(&in);
    if (!odd && !in.failed && in.at == in.end)
        return BK_OK;
    free(out->unit);
    out->unit = NULL;
    return odd ? newer(path, "section", odd, why) : damaged(path, "the head", why);
}

/* == Writing == */

static uint8_t *put_name(uint8_t *at, const char *name)
{
    size_t n = strlen(name);

    *at++ = (uint8_t)n;
    memcpy(at, name, n);
    return at + n;
}

static uint8_t *put_summary(uint8_t *at, const struct bk_summary *s, unsigned sides, bool counts)
{
    for (unsigned side = 0; side < sides; side++) {
        const uint64_t value[14] = {
            s->win[side],
            s->draw[side],
            s->loss[side],
            s->all_win[side],
            s->all_draw[side],
            s->all_loss[side],
            (uint64_t)(s->win_plies[side] + 1),
            s->win_plies[side] < 0 ? 0 : s->win_number[side],
            (uint64_t)(s->loss_plies[side] + 1),
            s->loss_plies[side] < 0 ? 0 : s->loss_number[side],
            s->cursed[side],
            s->blessed[side],
            s->all_cursed[side],
            s->all_blessed[side],
        };

        for (unsigned i = 0; i < (counts ? 14 : 10); i++)
            at += bk_varint_put(at, value[i]);
    }
    return at;
}

static uint8_t *put_unit(uint8_t *at, const struct bk_unit_head *u)
{
    at += bk_varint_put(at, u->nblocks);
    at += bk_varint_put(at, u->model_bytes);
    at += bk_varint_put(at, u->shards);
    at += bk_varint_put(at, u->shard_bytes);
    bk_fixed_put(at, u->sum, 4);
    return at + 4;
}

static size_t head_room(const struct bk_file_info *i)
{
    return AT_FIELDS + TAIL + sizeof i->order + sizeof i->material + sizeof i->variant +
           BK_VARINT_BYTES_MAX * (32 + 5 * (size_t)i->nunits);
}

static void put_fixed(uint8_t *h, const struct bk_file_info *i)
{
    memcpy(h + AT_MAGIC, magic, sizeof magic);
    h[AT_VERSION] = BK_FORMAT_VERSION;
    h[AT_KIND] = (uint8_t)i->kind;
    h[AT_FACTS] = BK_FACTS_VERSION;
    h[AT_FLAGS] = (uint8_t)((i->standalone ? STANDALONE : 0) | (i->one_side ? ONE_SIDE : 0) |
                            (i->distances ? DISTANCES : 0));
    bk_fixed_put(h + AT_RULES_ID, i->rules_id, 8);
}

uint8_t *bk_head_write(struct bk_head *head)
{
    const struct bk_file_info *i = &head->info;
    uint8_t *h = malloc(head_room(i)), *at = h ? h + AT_FIELDS : NULL;

    if (!h)
        return NULL;
    put_fixed(h, i);
    if (bk_kind_counts(i->kind)) {
        bk_fixed_put(at, i->nmove_id, 8);
        at += 8;
    }
    at += bk_varint_put(at, i->positions);
    *at++ = (uint8_t)i->norder;
    memcpy(at, i->order, i->norder);
    at = put_name(at + i->norder, i->material);
    at = put_name(at, i->variant);
    at = put_summary(at, &i->summary, i->one_side ? 1 : 2, bk_kind_counts(i->kind));
    at += bk_varint_put(at, i->nunits);
    for (unsigned u = 0; u < i->nunits; u++)
        at = put_unit(at, &head->unit[u]);
    *at++ = 0; /* optional sections: none */
    head->bytes = (uint32_t)(at - h) + TAIL;
    bk_fixed_put(h + AT_HEAD_BYTES, head->bytes, 4);
    bk_fixed_put(at, XXH3_64bits(h, head->bytes - TAIL), TAIL);
    return h;
}
