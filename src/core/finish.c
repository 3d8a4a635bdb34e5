/*
 * finish.c - what follows from a variant's plain fields: squares, geometry, numbers.
 *
 * Every table carries the number of its rules: two games with the same number have the same
 * tables (docs/variant-files.md 4).
 *
 * Idea: what decides a result is serialised field by field, little-endian, in a
 * normal form: steps sorted; fields without effect left out.  Letters and their
 * order belong to it, since materials are spelled with them; names, titles,
 * sources and the initial array do not.  The hash of these bytes is the number.
 */
#include "core/finish.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "core/check.h"
#include "core/geometry.h"
#include "core/rules.h"
#include "core/symmetry.h"

/* == The number of the rules == */

struct bytes {
    unsigned char at[32768];
    size_t n;
};

static_assert(BK_TYPES_MAX * (16 + 2 * (4 + 4 * BK_STEPS_MAX) + BK_BECOMES_MAX * 10) + 512 <
                  sizeof((struct bytes *)0)->at,
              "every variant fits");

static void put(struct bytes *b, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        b->at[b->n++] = (unsigned char)(value >> 8 * i);
}

static int by_bytes(const void *a, const void *b) { return memcmp(a, b, sizeof(struct bk_step)); }

static void put_movement(struct bytes *b, const struct bk_movement *m)
{
    struct bk_step s[BK_STEPS_MAX];

    static_assert(sizeof *s == 4, "no padding, so memcmp orders steps");
    memcpy(s, m->step, m->nsteps * sizeof *s);
    qsort(s, m->nsteps, sizeof *s, by_bytes);
    put(b, m->nsteps, 1);
    put(b, m->steps_max, 1);
    put(b, m->steps_max == 2 && m->bend, 1);
    put(b, m->takes_twice, 1);
    for (unsigned i = 0; i < m->nsteps; i++) {
        put(b, (uint8_t)s[i].df, 1);
        put(b, (uint8_t)s[i].dr, 1);
        put(b, s[i].range, 1);
        put(b, s[i].how, 1);
    }
}

static void put_become(struct bytes *b, const struct bk_become *r)
{
    uint32_t to = 0;

    for (unsigned i = 0; i < r->nto; i++)
        to |= UINT32_C(1) << r->to[i];
    put(b, r->ranks, 2);
    put(b, to, 4);
    put(b, r->must, 1);
    put(b, r->lost_only, 1);
    put(b, r->counted, 1);
    put(b, r->in_place, 1);
}

static void put_piece(struct bytes *b, const struct bk_variant *v, unsigned type)
{
    const struct bk_piece *p = &v->piece[type];

    put(b, (uint8_t)p->letter, 1);
    put(b, bk_rules_offer(v, type, false, true) ? p->army : 0, 1);
    put(b, p->ranks, 2);
    put_movement(b, &p->move);
    put(b, p->zone_ranks, 2);
    if (p->zone_ranks)
        put_movement(b, &p->zone);
    put(b, p->double_ranks, 2);
    put(b, p->nbecomes, 1);
    for (unsigned i = 0; i < p->nbecomes; i++)
        put_become(b, &p->become[i]);
    put(b, v->limit[type], 1);
}

/* Nothing is added where the land is as it is. */
static void put_land(struct bytes *b, const struct bk_variant *v)
{
    put(b, 'T', 1);
    put(b, v->land.cancels, 1);
    put(b, v->land.one_each, 1);
    put(b, v->land.bridges, 1);
    for (unsigned i = 0; i < 4; i++)
        put(b, v->land.changes.w[i], 8);
    for (unsigned i = 0; i < v->ntypes; i++)
        put(b, v->piece[i].power, 1);
}

/* The castling rules as far as they matter with rights on `wings` only: shuffled homes of other
   wings do not; if no wing is left, castling does not. */
static struct bk_castling castling_on(const struct bk_variant *v, unsigned wings)
{
    struct bk_castling k = v->castling;

    for (unsigned side = 0; k.shuffled && side < 2; side++)
        if (!(wings >> side & 1))
            k.rook_file[side] = BK_NO_HOME;
    if (k.shuffled && k.rook_file[0] == k.rook_file[1])
        k.allowed = false;
    return k;
}

/*
 * The number of a checked variant if castling rights may be left on `wings` (bit 0: a-side) only;
 * 3: any.  Differs between wings in games with shuffled homes.
 */
static uint64_t rules_number(const struct bk_variant *v, unsigned wings)
{
    struct bytes b = { .n = 0 };
    const struct bk_castling on = castling_on(v, wings), *k = &on;
    unsigned doubles = 0;

    put(&b, v->files, 1);
    put(&b, v->ranks, 1);
    for (unsigned i = 0; i < 4; i++)
        put(&b, v->board.w[i], 8);
    put(&b, v->ntypes, 1);
    put(&b, v->royal, 1);
    for (unsigned i = 0; i < v->ntypes; i++) {
        put_piece(&b, v, i);
        doubles |= v->piece[i].double_ranks;
    }
    put(&b, v->bare, 1);
    put(&b, v->stalemate, 1);
    put(&b, doubles && v->en_passant, 1);
    put(&b, v->game_turns, 2);
    put(&b, k->allowed, 1);
    if (k->allowed) {
        put(&b, k->rook, 1);
        put(&b, k->king_file, 1);
        for (unsigned side = 0; side < 2; side++) {
            put(&b, k->rook_file[side], 1);
            put(&b, k->king_to[side], 1);
            put(&b, k->rook_to[side], 1);
        }
    }
    if (k->allowed && k->rank) { /* nothing is added where it is the first: numbers stay */
        put(&b, 'R', 1);
        put(&b, k->rank, 1);
    }
    if (v->hands) { /* nothing is added for games without hands: their numbers stay */
        put(&b, 'H', 1);
        put(&b, v->configuration, 1);
        put(&b, v->opening_drops, 1);
        put(&b, v->quiet_turns, 1);
        if (v->quiet_moves)
            put(&b, 'M', 1);
        if (v->hand_kind != BK_HAND_CAPTURED) {
            put(&b, 'K', 1);
            put(&b, v->hand_kind, 1);
        }
        for (unsigned i = 0; v->hand_kind == BK_HAND_HOSTAGE && i < v->ntypes; i++)
            put(&b, v->worth[i], 1);
    }
    if (v->land.live)
        put_land(&b, v);
    if (v->out_of.told) { /* likewise */
        put(&b, 'O', 1);
        put(&b, v->out_of.wins, 1);
        put(&b, v->out_of.kinds, 4);
        for (unsigned i = 0; i < v->ntypes; i++)
            put(&b, v->out_of.most[i], 1);
    }
    if (v->must_capture)
        put(&b, 'C', 1);
    return XXH64(b.at, b.n, 1); /* the seed is the version of this form */
}

/* The number of the n-move rule, for tables that know of it; 0: there is none. */
static uint64_t nmove_number(const struct bk_nmove *n)
{
    struct bytes b = { .n = 0 };

    put(&b, n->plies, 2);
    put(&b, n->irreversible, 1);
    put(&b, n->kinds, 4);
    return n->plies ? XXH64(b.at, b.n, 1) : 0;
}

/* == Finishing == */

static enum bk_err derive(struct bk_variant *v, struct bk_report *why)
{
    struct bk_geometry *geometry;
    uint8_t before = v->nsq;
    enum bk_err err;

    v->nsq = (uint8_t)(v->files * v->ranks);
    err = bk_geometry_new(&geometry, v, why);
    if (err) {
        v->nsq = before;
        return err;
    }
    bk_geometry_free(v->geometry);
    v->geometry = geometry;
    if (bk_rules_irreversible_zeroes(v) && !bk_geometry_keep_ways(geometry, v))
        return bk_no_memory(why);
    v->rules_id = rules_number(v, 3);
    v->nmove_id = nmove_number(&v->nmove);
    for (unsigned type = 0; type < v->ntypes; type++)
        v->keeps[type] = bk_symmetries_of(v, type);
    for (unsigned wings = 0; wings < 4; wings++)
        v->wings_id[wings] = rules_number(v, wings);
    return BK_OK;
}

enum bk_err bk_variant_finish(struct bk_variant *v, struct bk_report *why)
{
    struct bk_complaint c;

    if (bk_variant_check(v, &c))
        return derive(v, why);
    if (c.type < 0)
        return bk_fail(why, BK_E_USAGE, "variant %s: %s: %s", v->name, c.key, c.text);
    return bk_fail(why, BK_E_USAGE, "variant %s: piece %d %s: %s: %s", v->name, c.type,
                   v->piece[c.type].name, c.key, c.text);
}

void bk_variant_free(struct bk_variant *v)
{
    if (v) {
        bk_geometry_free(v->geometry);
        free(v);
    }
}
