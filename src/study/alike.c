/*
 * alike.c - see alike.h.
 *
 * Positions or lines that symmetries make one have one form here: the least of all their images,
 * byte by byte.  Forms of positions stand in a hash, those of lines in a list that is searched from
 * its beginning: most differ in their first byte.
 */
#include "study/alike.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "core/array.h"

/* A position: its men by square, ascending.  Without padding, as it is compared by its bytes. */
struct place {
    uint8_t sq[BK_MEN_MAX], man[BK_MEN_MAX];
    uint8_t left[2][BK_TYPES_MAX];
    uint8_t rights, stm, ep;
};
static_assert(sizeof(struct place) == 2 * BK_MEN_MAX + 2 * BK_TYPES_MAX + 3, "compared as bytes");

/* A move, with the man that moves and the men that are taken. */
struct step {
    uint8_t from, to, becomes, takes, also;
    uint8_t man, taken, also_taken;
};

struct line {
    struct step *step; /* owned */
    unsigned n;
};

struct study_alike {
    const struct bk_index *ix;
    uint8_t map[BK_SYMMETRIES][BK_SQ_MAX]; /* squares by the board's symmetries */
    struct bk_material m;                  /* the material that was met last */
    unsigned group;
    struct place *place;
    size_t n, room;
    uint32_t *spot; /* a hash: 1 + nth place, or 0 */
    size_t spots;   /* a power of two, more than twice n */
    struct line *line;
    size_t nlines, line_room;
};

struct study_alike *study_alike_new(const struct bk_index *ix)
{
    struct study_alike *a = calloc(1, sizeof *a);

    if (!a)
        return NULL;
    a->ix = ix;
    a->m = ix->m;
    a->group = ix->group;
    for (unsigned sym = 0; sym < BK_SYMMETRIES; sym++)
        bk_symmetry_map(ix->v, sym, a->map[sym]);
    return a;
}

void study_alike_free(struct study_alike *a)
{
    if (!a)
        return;
    for (size_t i = 0; i < a->nlines; i++)
        free(a->line[i].step);
    free(a->line);
    free(a->place);
    free(a->spot);
    free(a);
}

static uint8_t turned(const uint8_t map[BK_SQ_MAX], uint8_t sq)
{
    return sq == BK_SQ_NONE ? sq : map[sq];
}

/* == Positions == */

/* Inserts a man into the n men of a place, in the order of squares. */
static void place_put(struct place *x, unsigned n, uint8_t sq, uint8_t man)
{
    for (; n && x->sq[n - 1] > sq; n--) {
        x->sq[n] = x->sq[n - 1];
        x->man[n] = x->man[n - 1];
    }
    x->sq[n] = sq;
    x->man[n] = man;
}

static struct place image_of(const struct study_alike *a, const struct bk_pos *p,
                             const uint8_t map[BK_SQ_MAX])
{
    struct place x = { .rights = a->m.rights, .stm = p->stm, .ep = turned(map, p->ep) };
    unsigned n = 0;

    memcpy(x.left, a->m.left, sizeof x.left);
    memset(x.sq, BK_SQ_NONE, sizeof x.sq);
    for (unsigned sq = 0; sq < a->ix->v->nsq; sq++)
        if (p->at[sq])
            place_put(&x, n++, map[sq], p->at[sq]);
    return x;
}

static struct place place_of(struct study_alike *a, const struct bk_pos *p)
{
    struct bk_material m;
    struct place least;

    bk_material_of(&m, a->ix->v, p);
    if (!bk_material_equal(&m, &a->m)) {
        a->m = m;
        a->group = bk_material_symmetries(&m, a->ix->v);
    }
    least = image_of(a, p, a->map[0]);
    for (unsigned sym = 1; a->group >> sym; sym++) {
        struct place x;

        if (!(a->group >> sym & 1))
            continue;
        x = image_of(a, p, a->map[sym]);
        if (memcmp(&x, &least, sizeof x) < 0)
            least = x;
    }
    return least;
}

/* == The hash == */

static size_t hash_of(const struct place *x) { return (size_t)XXH64(x, sizeof *x, 0); }

/* Returns the spot of a place in the hash, or the free one where it would be. */
static uint32_t *find(const struct study_alike *a, const struct place *x)
{
    size_t at = hash_of(x) & (a->spots - 1);

    while (a->spot[at] && memcmp(&a->place[a->spot[at] - 1], x, sizeof *x) != 0)
        at = (at + 1) & (a->spots - 1);
    return &a->spot[at];
}

/* Makes room for n places more. */
static bool make_room(struct study_alike *a, size_t n)
{
    size_t room = a->room ? a->room : 256;
    struct place *place;
    uint32_t *spot;

    if (a->n + n <= a->room)
        return true;
    while (room < a->n + n)
        room *= 2;
    place = realloc(a->place, room * sizeof *place);
    if (!place)
        return false;
    a->place = place;
    spot = calloc(4 * room, sizeof *spot);
    if (!spot)
        return false;
    free(a->spot);
    a->spot = spot;
    a->spots = 4 * room;
    a->room = room;
    for (size_t i = 0; i < a->n; i++)
        *find(a, &a->place[i]) = (uint32_t)i + 1;
    return true;
}

/* Adds the positions of a line; false: it meets one that is kept, and none is added. */
static bool add_places(struct study_alike *a, const struct bk_pos *p, const struct bk_move *move,
                       unsigned n)
{
    struct bk_pos at = *p;
    size_t own = a->n;

    for (unsigned i = 0; i < n; i++) {
        a->place[own + i] = place_of(a, &at);
        if (*find(a, &a->place[own + i]))
            return false;
        bk_pos_play(&at, a->ix->v, &move[i]);
    }
    for (; a->n < own + n; a->n++)
        *find(a, &a->place[a->n]) = (uint32_t)a->n + 1;
    return true;
}

/* == Lines == */

static struct step step_of(const struct bk_pos *p, const struct bk_move *m)
{
    return (struct step){ .from = m->from,
                          .to = m->to,
                          .becomes = m->becomes,
                          .takes = m->takes,
                          .also = m->also,
                          .man = p->at[m->from],
                          .taken = m->takes == BK_SQ_NONE ? 0 : p->at[m->takes],
                          .also_taken = m->also == BK_SQ_NONE ? 0 : p->at[m->also] };
}

static void turn(struct step *out, const struct step *step, unsigned n,
                 const uint8_t map[BK_SQ_MAX])
{
    for (unsigned i = 0; i < n; i++) {
        out[i] = step[i];
        out[i].from = map[step[i].from];
        out[i].to = map[step[i].to];
        out[i].takes = turned(map, step[i].takes);
        out[i].also = turned(map, step[i].also);
    }
}

/* Returns the least image of a line, n steps; owned, or NULL. */
static struct step *least_line(const struct study_alike *a, const struct bk_pos *p,
                               const struct bk_move *move, unsigned n)
{
    struct step *room = malloc(3 * n * sizeof *room), *step = room, *image, *least;
    struct bk_pos at = *p;

    if (!room)
        return NULL;
    least = room + n;
    image = room + 2 * n;
    for (unsigned i = 0; i < n; i++) {
        step[i] = step_of(&at, &move[i]);
        bk_pos_play(&at, a->ix->v, &move[i]);
    }
    memcpy(least, step, n * sizeof *step);
    for (unsigned sym = 1; a->ix->group >> sym; sym++) {
        if (!(a->ix->group >> sym & 1))
            continue;
        turn(image, step, n, a->ix->map[sym]);
        if (memcmp(image, least, n * sizeof *step) < 0)
            memcpy(least, image, n * sizeof *step);
    }
    memcpy(room, least, n * sizeof *step);
    return room;
}

static bool has_line(const struct study_alike *a, const struct line *l)
{
    for (size_t i = 0; i < a->nlines; i++)
        if (a->line[i].n == l->n && !memcmp(a->line[i].step, l->step, l->n * sizeof *l->step))
            return true;
    return false;
}

bool study_alike_add(struct study_alike *a, const struct bk_pos *p, const struct bk_move *move,
                     unsigned n, bool *fresh)
{
    struct line l = { least_line(a, p, move, n), n };

    *fresh = false;
    if (!l.step || !make_room(a, n) || !BK_ARRAY_ROOM(a->line, a->line_room, a->nlines + 1)) {
        free(l.step);
        return false;
    }
    *fresh = !has_line(a, &l) && add_places(a, p, move, n);
    if (*fresh)
        a->line[a->nlines++] = l;
    else
        free(l.step);
    return true;
}
