/*
 * material.c - see material.h.
 *
 * A material is what one table is for, so this file also answers which materials a table leads to:
 * those one move away, and from them, by a list that is its own queue, all that follow.
 *
 * Invariant: a material is normalised before it is compared; two that mean the same are the same
 * bytes.
 * Cost: some us to list the materials one move away; the rest are a few loops over the types.
 */
#include "table/material.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/letter.h"
#include "core/move.h"
#include "core/rules.h"

/* == Names == */

static enum bk_err read_allowances(struct bk_material *m, const struct bk_variant *v,
                                   const char *name, const char *at, struct bk_report *why)
{
    memset(m->left, 0, sizeof m->left);
    for (at++; *at != ']'; at++) {
        int type;

        if (*at == '-')
            continue;
        if (!*at)
            return bk_fail(why, BK_E_USAGE, "material '%s': '[' without ']'", name);
        type = bk_variant_type(v, *at);
        if (type < 0 || !bk_rules_allowance(v, (unsigned)type))
            return bk_fail(why, BK_E_USAGE,
                           "material '%s': '%c' at column %d is no evolution with a limit in %s",
                           name, *at, (int)(at - name) + 1, v->name);
        if (++m->left[bk_is_lower(*at) ? BK_BLACK : BK_WHITE][type] >
            bk_rules_allowance(v, (unsigned)type))
            return bk_fail(why, BK_E_USAGE, "material '%s': more than %d allowances of '%c'", name,
                           (int)bk_rules_allowance(v, (unsigned)type), *at);
    }
    if (at[1] && at[1] != '+')
        return bk_fail(why, BK_E_USAGE, "material '%s': '%s' after ']'", name, at + 1);
    return BK_OK;
}

static unsigned on_home_rank(const struct bk_variant *v, unsigned right, unsigned file)
{
    return bk_sq(v, file, bk_rules_home_rank(v, right / 2));
}

unsigned bk_right_home(const struct bk_variant *v, unsigned right)
{
    return on_home_rank(v, right, v->castling.rook_file[right & 1]);
}

unsigned bk_right_king(const struct bk_variant *v, unsigned right)
{
    return on_home_rank(v, right, v->castling.king_file);
}

static enum bk_err read_rights(struct bk_material *m, const struct bk_variant *v, const char *name,
                               const char *at, struct bk_report *why)
{
    if (!bk_rules_castles(v))
        return bk_fail(why, BK_E_USAGE,
                       bk_rules_homes_told(v)
                           ? "material '%s': a FEN must tell where king and rooks of %s castle from"
                           : "material '%s': there is no castling in %s",
                       name, v->name);
    if (!at[1])
        return bk_fail(why, BK_E_USAGE, "material '%s': '+' without castling rights", name);
    for (at++; *at; at++) {
        unsigned i = 0, colour;

        while (i < 4 && bk_rights_written[i].letter != *at)
            i++;
        if (i == 4)
            return bk_fail(why, BK_E_USAGE, "material '%s': '%c' at column %d is no castling right",
                           name, *at, (int)(at - name) + 1);
        if (m->rights >> bk_rights_written[i].bit & 1)
            return bk_fail(why, BK_E_USAGE, "material '%s': castling right '%c' twice", name, *at);
        m->rights |= (uint8_t)(1u << bk_rights_written[i].bit);
        colour = bk_rights_written[i].bit / 2;
        if (v->castling.rook_file[bk_rights_written[i].bit & 1] == BK_NO_HOME)
            return bk_fail(why, BK_E_USAGE,
                           "material '%s': castling right '%c', but %s%s "
                           "has none on this wing",
                           name, *at, bk_rules_homes_told(v) ? "the FEN of " : "", v->name);
        if (!bk_bits_has(&v->board, bk_right_king(v, bk_rights_written[i].bit)) ||
            !bk_bits_has(&v->board, bk_right_home(v, bk_rights_written[i].bit)))
            return bk_fail(why, BK_E_USAGE,
                           "material '%s': castling right '%c' with a hole for "
                           "a home",
                           name, *at);
        if (bk_material_rights_of(m, colour) > m->count[colour][v->castling.rook])
            return bk_fail(why, BK_E_USAGE, "material '%s': castling right '%c' without %s %s",
                           name, *at, colour ? "a black" : "a white",
                           v->piece[v->castling.rook].name);
    }
    return BK_OK;
}

/* Reads the men of both sides; *end: what follows them. */
static enum bk_err read_men(struct bk_material *m, const struct bk_variant *v, const char *name,
                            const char **end, struct bk_report *why)
{
    unsigned colour = BK_WHITE, men = 0;
    bool seen_v = false;
    const char *at;

    for (at = name; *at && *at != '[' && *at != '+'; at++) {
        char letters[BK_TYPES_MAX + 1];
        int type;

        if (*at == 'v' && !seen_v) {
            seen_v = true;
            colour = BK_BLACK;
            continue;
        }
        type = bk_variant_type(v, *at);
        if (type < 0)
            return bk_fail(why, BK_E_USAGE,
                           "material '%s': '%c' at column %d is no piece of %s; it has %s", name,
                           *at, (int)(at - name) + 1, v->name, bk_variant_letters(v, letters));
        m->count[colour][type]++;
        if (++men > BK_MEN_MAX)
            return bk_fail(why, BK_E_USAGE, "material '%s': more than %d men", name, BK_MEN_MAX);
    }
    if (!seen_v)
        return bk_fail(why, BK_E_USAGE, "material '%s': no 'v' between the two sides", name);
    for (colour = 0; colour < 2 && bk_rules_royal(v); colour++)
        if (m->count[colour][v->royal] != 1)
            return bk_fail(why, BK_E_USAGE, "material '%s': %s has %d kings, needs one", name,
                           bk_colour_name(colour), m->count[colour][v->royal]);
    *end = at;
    return BK_OK;
}

enum bk_err bk_material_parse(struct bk_material *m, const struct bk_variant *v, const char *name,
                              struct bk_report *why)
{
    const char *at;
    enum bk_err err;

    memset(m, 0, sizeof *m);
    bk_rules_allowances(v, m->left);
    err = read_men(m, v, name, &at, why);
    if (!err && *at == '[') {
        err = read_allowances(m, v, name, at, why);
        at = err ? at : strchr(at, ']') + 1;
    }
    if (!err && *at == '+')
        err = read_rights(m, v, name, at, why);
    if (!err)
        bk_material_normalise(m, v);
    return err;
}

/* A name being written; what does not fit is dropped and remembered. */
struct naming {
    char *out;
    size_t n;
    bool cut;
};

static void put_letters(struct naming *w, char letter, unsigned times)
{
    for (; times && w->n < BK_MATERIAL_NAME_MAX - 1; times--)
        w->out[w->n++] = letter;
    w->cut |= times > 0;
}

static void put_men(struct naming *w, const struct bk_material *m, const struct bk_variant *v)
{
    for (unsigned colour = 0; colour < 2; colour++) {
        if (colour)
            put_letters(w, 'v', 1);
        if (bk_rules_royal(v))
            put_letters(w, v->piece[v->royal].letter, 1);
        for (unsigned type = 0; type < v->ntypes; type++)
            if (type != v->royal)
                put_letters(w, v->piece[type].letter, m->count[colour][type]);
    }
}

/* Writes the allowances, only where they are fewer than the men could use. */
static void put_allowances(struct naming *w, const struct bk_material *m,
                           const struct bk_variant *v)
{
    struct bk_material full = *m;
    size_t open = w->n + 1;

    bk_rules_allowances(v, full.left);
    bk_material_normalise(&full, v);
    if (!memcmp(full.left, m->left, sizeof full.left))
        return;
    put_letters(w, '[', 1);
    for (unsigned colour = 0; colour < 2; colour++)
        for (unsigned type = 0; type < v->ntypes; type++)
            put_letters(w, bk_man_letter(v, bk_man(type, colour)), m->left[colour][type]);
    if (w->n == open)
        put_letters(w, '-', 1);
    put_letters(w, ']', 1);
}

static void put_rights(struct naming *w, const struct bk_material *m)
{
    if (m->rights)
        put_letters(w, '+', 1);
    for (unsigned i = 0; i < 4; i++)
        put_letters(w, bk_rights_written[i].letter, m->rights >> bk_rights_written[i].bit & 1);
}

char *bk_material_name(const struct bk_material *m, const struct bk_variant *v,
                       char out[BK_MATERIAL_NAME_MAX])
{
    struct naming w = { .out = out };

    static_assert(BK_MEN_MAX + sizeof "v[]+KQkq" + (size_t)2 * BK_LIMITS_MAX <=
                      BK_MATERIAL_NAME_MAX,
                  "the name of a table's material fits");
    put_men(&w, m, v);
    put_allowances(&w, m, v);
    put_rights(&w, m);
    if (w.cut)
        memcpy(out + BK_MATERIAL_NAME_MAX - 4, "...", 3);
    out[w.n] = 0;
    return out;
}

void bk_material_of(struct bk_material *m, const struct bk_variant *v, const struct bk_pos *p)
{
    memcpy(m->count, p->count, sizeof m->count);
    memcpy(m->left, p->left, sizeof m->left);
    m->rights = p->rights;
    bk_material_normalise(m, v);
}

/* == Allowances == */

/* Lowers each allowance to the number of men of `colour` that can use it. */
static void lower_allowances(struct bk_material *m, const struct bk_variant *v, unsigned colour)
{
    unsigned users[BK_TYPES_MAX] = { 0 };

    for (unsigned from = 0; from < v->ntypes; from++) {
        uint32_t used = m->count[colour][from] ? bk_rules_may_use(v, from) : 0;

        for (; used; used &= used - 1)
            users[__builtin_ctz(used)] += m->count[colour][from];
    }
    for (unsigned to = 0; to < v->ntypes; to++) {
        if (!bk_rules_allowance(v, to))
            m->left[colour][to] = 0;
        else if (m->left[colour][to] > users[to])
            m->left[colour][to] = (uint8_t)users[to];
    }
}

void bk_material_normalise(struct bk_material *m, const struct bk_variant *v)
{
    if (!bk_rules_castles(v))
        m->rights = 0;
    for (unsigned colour = 0; colour < 2 && m->rights; colour++)
        if (bk_material_rights_of(m, colour) > m->count[colour][v->castling.rook])
            m->rights &= (uint8_t) ~(3u << 2 * colour);
    for (unsigned colour = 0; colour < 2; colour++)
        lower_allowances(m, v, colour);
}

/* == Comparing == */

unsigned bk_material_men(const struct bk_material *m, const struct bk_variant *v)
{
    unsigned men = 0;

    for (unsigned type = 0; type < v->ntypes; type++)
        men += m->count[0][type] + m->count[1][type];
    return men;
}

bool bk_material_equal(const struct bk_material *a, const struct bk_material *b)
{
    return !memcmp(a, b, sizeof *a);
}

struct bk_material bk_material_exchanged(const struct bk_material *m)
{
    struct bk_material x;

    memcpy(x.count[0], m->count[1], sizeof x.count[0]);
    memcpy(x.count[1], m->count[0], sizeof x.count[1]);
    memcpy(x.left[0], m->left[1], sizeof x.left[0]);
    memcpy(x.left[1], m->left[0], sizeof x.left[1]);
    x.rights = (uint8_t)((m->rights & 3) << 2 | m->rights >> 2);
    return x;
}

bool bk_material_canonical(struct bk_material *m, const struct bk_variant *v)
{
    unsigned men[2] = { 0, 0 };
    int order;

    for (unsigned type = 0; type < v->ntypes; type++) {
        men[0] += m->count[0][type];
        men[1] += m->count[1][type];
    }
    order = men[0] != men[1] ? (men[0] > men[1] ? 1 : -1)
                             : memcmp(m->count[0], m->count[1], sizeof m->count[0]);
    if (!order)
        order = memcmp(m->left[0], m->left[1], sizeof m->left[0]);
    if (!order)
        order = (m->rights & 3) - (m->rights >> 2);
    if (order >= 0 || bk_material_swap(m, v) < 0)
        return false;
    *m = bk_material_exchanged(m);
    return true;
}

bool bk_material_by_rule(const struct bk_material *m, const struct bk_variant *v)
{
    return bk_rules_over(v, (const uint8_t(*)[BK_TYPES_MAX])m->count);
}

enum bk_err bk_material_check_hands(const struct bk_material *m, const struct bk_variant *v,
                                    struct bk_report *why)
{
    char name[BK_MATERIAL_NAME_MAX];

    if (bk_rules_plain_is_exact(v, (const uint8_t(*)[BK_TYPES_MAX])m->count))
        return BK_OK;
    if (bk_rules_land_lives(v))
        return bk_fail(
            why, BK_E_USAGE,
            "%s: land changes in %s, so it has no table; ask `bareking whole`, or, where "
            "land can never change again, name the position (--for FEN)",
            bk_material_name(m, v, name), v->name);
    return bk_fail(why, BK_E_USAGE,
                   "%s: captured men come back in %s, so it has no table; "
                   "ask `bareking whole`",
                   bk_material_name(m, v, name), v->name);
}

/* == One move away == */

struct bk_material bk_material_after(const struct bk_material *m, const struct bk_variant *v,
                                     unsigned colour, int taken, int from, int to, bool counted)
{
    struct bk_material next = *m;

    if (taken >= 0)
        next.count[!colour][taken]--;
    if (to >= 0) {
        next.count[colour][from]--;
        next.count[colour][to]++;
        if (counted && next.left[colour][to])
            next.left[colour][to]--;
    }
    bk_material_normalise(&next, v);
    return next;
}

static void add(const struct bk_material *next, struct bk_material *out, unsigned room, unsigned *n)
{
    for (unsigned i = 0; i < *n && i < room; i++)
        if (bk_material_equal(&out[i], next))
            return;
    if (*n < room)
        out[*n] = *next;
    (*n)++;
}

struct next_list {
    const struct bk_variant *v;
    struct bk_material *out;
    unsigned room, n;
    const struct bk_material *from; /* with its castling rights */
    unsigned colour;                /* of the mover */
};

/*
 * Adds `after` with each set of castling rights that may be left: any of the mover's own, whose
 * king or rook may have moved, and of the other side's but those of rooks just taken.
 */
static void add_rights(struct next_list *l, const struct bk_material *m,
                       const struct bk_material *after)
{
    unsigned them = !l->colour, rook = l->v->castling.rook;
    unsigned rights = l->from->rights;
    struct bk_material next = *after;

    for (unsigned sub = rights;; sub = (sub - 1) & rights) {
        unsigned lost = (rights & ~sub) >> 2 * them & 3;

        next.rights = (uint8_t)sub;
        bk_material_normalise(&next, l->v);
        if (next.rights == sub && !bk_material_equal(&next, l->from) &&
            (!lost || (unsigned)__builtin_popcount(lost) <=
                          m->count[them][rook] - (unsigned)next.count[them][rook]))
            add(&next, l->out, l->room, &l->n);
        if (!sub)
            return;
    }
}

/* Sets `out` to all changes of a man of type `from`, anywhere on the board; returns how many. */
static unsigned all_changes(const struct bk_material *m, const struct bk_variant *v,
                            unsigned colour, unsigned from, struct bk_change *out)
{
    unsigned n = 0;

    for (unsigned sq = 0; sq < v->nsq; sq++)
        for (int in_place = 0; in_place < 2; in_place++) {
            struct bk_change here[BK_TYPES_MAX + 1];
            unsigned k;

            if (!bk_bits_has(&v->board, sq))
                continue;
            k = bk_rules_changes(v, m->count[colour], m->left[colour], from, colour, sq, in_place,
                                 here);
            for (unsigned i = 0; i < k; i++) {
                unsigned j = 0;

                while (j < n && (out[j].type != here[i].type || out[j].counted != here[i].counted))
                    j++;
                if (j == n && here[i].type != BK_STAYS)
                    out[n++] = here[i];
            }
        }
    return n;
}

/*
 * Adds what changes of a man of type `from` make: `m` is what is on the board before, `left` after
 * what it takes is gone.
 */
static void add_changed(struct next_list *l, const struct bk_material *m,
                        const struct bk_material *left, unsigned colour, unsigned from)
{
    struct bk_change change[2 * BK_TYPES_MAX + 2];
    unsigned k = bk_rules_changes_ever(l->v, from) ? all_changes(m, l->v, colour, from, change) : 0;

    for (unsigned i = 0; i < k; i++) {
        struct bk_material next =
            bk_material_after(left, l->v, colour, -1, (int)from, change[i].type, change[i].counted);

        add_rights(l, m, &next);
    }
}

/* Adds what captures of a man of type `taken` make, alone or with a second man taken at once. */
static void add_captures(struct next_list *l, const struct bk_material *m, unsigned colour,
                         unsigned taken)
{
    struct bk_material one = bk_material_after(m, l->v, colour, (int)taken, -1, -1, false);

    add_rights(l, m, &one);
    for (unsigned from = 0; from < l->v->ntypes; from++) {
        if (!m->count[colour][from])
            continue;
        add_changed(l, m, &one, colour, from);
        if (!bk_rules_takes_twice(l->v, from))
            continue;
        for (unsigned also = taken; also < l->v->ntypes; also++) {
            struct bk_material two;

            if (also == l->v->royal || !one.count[!colour][also])
                continue;
            two = bk_material_after(&one, l->v, colour, (int)also, -1, -1, false);
            add_rights(l, m, &two);
            add_changed(l, m, &two, colour, from);
        }
    }
}

static void add_moves_of(struct next_list *l, unsigned colour)
{
    const struct bk_variant *v = l->v;
    struct bk_material men = *l->from;

    men.rights = 0; /* add_rights() puts back what may be left */
    l->colour = colour;
    if (l->from->rights >> 2 * colour & 3)
        add_rights(l, &men, &men);
    for (unsigned from = 0; from < v->ntypes; from++)
        if (men.count[colour][from])
            add_changed(l, &men, &men, colour, from);
    for (unsigned taken = 0; taken < v->ntypes; taken++)
        if (taken != v->royal && men.count[!colour][taken])
            add_captures(l, &men, colour, taken);
}

unsigned bk_material_next(const struct bk_material *m, const struct bk_variant *v,
                          struct bk_material *out, unsigned room)
{
    struct next_list l = { .v = v, .out = out, .room = room, .from = m };

    for (unsigned colour = 0; colour < 2; colour++)
        add_moves_of(&l, colour);
    return l.n;
}

unsigned bk_material_next_of(const struct bk_material *m, const struct bk_variant *v,
                             unsigned colour, struct bk_material *out, unsigned room)
{
    struct next_list l = { .v = v, .out = out, .room = room, .from = m };

    add_moves_of(&l, colour);
    return l.n;
}

/* == Symmetries == */

static uint32_t types_of(const struct bk_material *m, const struct bk_variant *v)
{
    uint32_t types = 0;

    for (unsigned t = 0; t < v->ntypes; t++)
        if (m->count[0][t] || m->count[1][t])
            types |= UINT32_C(1) << t;
    return bk_rules_may_become(v, types);
}

static bool all_invariant(const struct bk_variant *v, uint32_t types, unsigned sym)
{
    for (unsigned t = 0; t < v->ntypes; t++)
        if (types >> t & 1 && !bk_symmetry_keeps(v, t, sym))
            return false;
    return true;
}

unsigned bk_material_symmetries(const struct bk_material *m, const struct bk_variant *v)
{
    uint32_t types = types_of(m, v);
    uint8_t map[BK_SQ_MAX];
    unsigned mask = 0;

    if (m->rights)
        return 1; /* homes keep to their side of the board, and mostly off its middle */
    for (unsigned sym = 0; sym < BK_SYMMETRIES; sym++)
        if (bk_symmetry_map(v, sym, map) && all_invariant(v, types, sym))
            mask |= 1u << sym;
    return mask;
}

int bk_material_swap(const struct bk_material *m, const struct bk_variant *v)
{
    uint8_t map[BK_SQ_MAX];

    if (bk_symmetry_map(v, 2, map))
        return 2;
    if (m->rights)
        return -1; /* Black's homes are White's mirrored */
    return all_invariant(v, types_of(m, v), 2) ? 0 : -1;
}

/* == Lists: open addressing, the next free slot after that of the hash == */

#define SLOTS_LEAST 64

/* Returns the slot of a material, or the free one that it would take. */
static size_t slot_of(const struct bk_materials *l, const struct bk_material *m)
{
    size_t at = bk_material_hash(m) & (l->slots - 1);

    while (l->slot[at] && !bk_material_equal(&l->m[l->slot[at] - 1], m))
        at = (at + 1) & (l->slots - 1);
    return at;
}

int64_t bk_materials_find(const struct bk_materials *l, const struct bk_material *m)
{
    return l->n ? (int64_t)l->slot[slot_of(l, m)] - 1 : -1;
}

/* Makes room for one more; more than half of the slots stay free.  False: no memory. */
static bool make_room(struct bk_materials *l)
{
    size_t slots = l->slots ? 2 * l->slots : SLOTS_LEAST;
    uint32_t *slot;

    if (!BK_ARRAY_ROOM(l->m, l->room, l->n + 1))
        return false;
    if (2 * (l->n + 1) < l->slots)
        return true;
    slot = calloc(slots, sizeof *slot);
    if (!slot)
        return false;
    free(l->slot);
    l->slot = slot;
    l->slots = slots;
    for (size_t i = 0; i < l->n; i++)
        l->slot[slot_of(l, &l->m[i])] = (uint32_t)i + 1;
    return true;
}

bool bk_materials_add(struct bk_materials *l, const struct bk_material *m)
{
    if (!make_room(l))
        return false;
    l->m[l->n++] = *m;
    l->slot[slot_of(l, m)] = (uint32_t)l->n;
    return true;
}

void bk_materials_free(struct bk_materials *l)
{
    free(l->m);
    free(l->slot);
    *l = (struct bk_materials){ 0 };
}

/* == All that a material may lead to == */

/* Adds the canonical material, unless it is there or decided by rule.  False: no memory. */
static bool add_needed(struct bk_materials *l, struct bk_material m, const struct bk_variant *v)
{
    bk_material_normalise(&m, v);
    bk_material_canonical(&m, v);
    return bk_material_by_rule(&m, v) || bk_materials_find(l, &m) >= 0 || bk_materials_add(l, &m);
}

/* Adds the materials one move away from number i of the list, until there are `most`. */
static enum bk_err add_next(struct bk_materials *l, size_t i, const struct bk_variant *v,
                            struct bk_material next[BK_NEXT_MAX], size_t most,
                            struct bk_report *why)
{
    unsigned found = bk_material_next(&l->m[i], v, next, BK_NEXT_MAX);

    if (found > BK_NEXT_MAX)
        return bk_fail(why, BK_E_USAGE, "a table with moves into more than %d others", BK_NEXT_MAX);
    for (unsigned k = 0; k < found && l->n < most; k++)
        if (!add_needed(l, next[k], v))
            return bk_no_memory(why);
    return BK_OK;
}

enum bk_err bk_materials_near(struct bk_material **out, size_t *n, bool *more,
                              const struct bk_material *m, const struct bk_variant *v, size_t most,
                              struct bk_report *why)
{
    struct bk_material *next = malloc(BK_NEXT_MAX * sizeof *next);
    size_t stop = most < SIZE_MAX ? most + 1 : most; /* one more tells that there are others */
    struct bk_materials l = { 0 };
    enum bk_err err = next && add_needed(&l, *m, v) ? BK_OK : bk_no_memory(why);

    for (size_t i = 0; !err && i < l.n && l.n < stop; i++)
        err = add_next(&l, i, v, next, stop, why);
    free(next);
    free(l.slot);
    if (err) {
        free(l.m);
        return err;
    }
    *more = l.n > most;
    *out = l.m;
    *n = l.n > most ? most : l.n;
    return BK_OK;
}

enum bk_err bk_materials_needed(struct bk_material **out, size_t *n, const struct bk_material *m,
                                const struct bk_variant *v, struct bk_report *why)
{
    bool more;

    return bk_materials_near(out, n, &more, m, v, SIZE_MAX, why);
}
