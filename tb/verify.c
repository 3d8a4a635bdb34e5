/*
 * verify.c - see verify.h.
 *
 * A position is worth what the best of its moves brings.  The moves are made
 * one position at a time by the plain generator.  What they lead to is asked
 * of the files, and that is the cost: of a huge table nearly every question
 * falls into a chunk of its own, and to decode one takes as long as the moves
 * of dozens of positions.  So questions are not asked one by one:
 *
 *   gather   look at some ten thousand positions in the order of their
 *            numbers; write down each question and whose it is;
 *   sort     by place in the files;
 *   answer   from the first place to the last: a chunk is decoded once,
 *            however many ask it;
 *   compare  the best answer of each position with what its file says.
 *
 * Each thread does so with rounds of its own and reads through handles of its
 * own: in a shared one, two threads would put out each other's chunks.
 *
 * Rejected: loading the tables into memory first.  It took a fifth off a whole
 * table, but made a sample as dear as its tables, in time and in memory.
 */
#include "tb/verify.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/move.h"
#include "core/rules.h"

#define NEXT_MAX 1024

/* A win is WON less its plies, a loss -WON and its plies, a draw 0. */
#define WON         (1 << 20)
#define NOTHING_YET (-WON - 1)

/* Numbers a piece of work at most, and questions that all threads gather in a round. */
#define PIECE     (UINT64_C(1) << 15)
#define QUESTIONS ((size_t)1 << 22)

/* Values stand in pages on one long shelf: a table's with White to move, its with Black to move,
   the next table's.  Each begins a page.  A chunk has several pages, and is decoded for one. */
#define PAGE_BITS 16

struct table {
    struct bk_material m;
    const struct bk_index *ix;
};

/* A material met after a move, and where its values are. */
struct known {
    struct bk_material m;
    unsigned table;
    bool exchanged;
    uint8_t swap[BK_SQ_MAX];
};

struct files {
    struct bk_file *wdl, *dtw;
};

/* A position under way: one to be compared, or one that such a position asks about. */
struct node {
    uint64_t number;
    uint32_t asker; /* node; itself: to be compared */
    uint8_t side;
    bool missing; /* a move leads to no table */
    int stored;   /* what the file says */
    int best;     /* what the moves bring */
};

struct question {
    uint64_t place; /* on the shelf */
    uint32_t node;
    bool own; /* asks for `stored`, not about a move */
};

/* What a thread works with. */
struct desk {
    struct files *file; /* by table; NULL: not opened yet */
    struct question *question, *sorted;
    size_t nquestions, room;
    struct node *node;
    uint32_t nnodes, node_room;
    struct bk_verify_result result;
    enum bk_err err;
    struct bk_report why;
};

struct verifier {
    const struct bk_variant *v;
    const char *dir;
    const struct bk_verify_options *o;
    struct table *table; /* the one to be verified first */
    unsigned ntables;
    uint64_t *begin;     /* places where 2 * table + side begin, and the end */
    struct known *known; /* as the tables */
    unsigned nknown;
    bool distances;
    uint64_t all, piece; /* numbers to look at; of them, in a piece of work */
    size_t round;        /* questions */
    uint64_t done;
    struct desk *desk;        /* by thread */
    uint64_t first_different; /* number * 2 + side of the first wrong one; under lock */
    int lock;
    struct bk_verify_result *out;
};

static bool stopped(const struct verifier *vf) { return vf->o->stop && *vf->o->stop; }

static enum bk_err no_memory(struct bk_report *why) { return bk_no_memory(why); }

/* == Files == */

static enum bk_err open_file(struct bk_file **out, const struct verifier *vf,
                             const struct bk_material *m, enum bk_kind kind, struct bk_report *why)
{
    char path[PATH_MAX];
    enum bk_err err = bk_file_open(out, bk_table_path(path, vf->dir, vf->v, m, kind), vf->v, why);

    if (err)
        return err;
    if (bk_file_info(*out)->kind != kind)
        return bk_fail(why, BK_E_CORRUPT, "%s: damaged: not the kind its name says", path);
    if (!bk_material_equal(&bk_file_index(*out)->m, m))
        return bk_fail(why, BK_E_CORRUPT, "%s: holds another material (%s)", path,
                       bk_file_info(*out)->material);
    return BK_OK;
}

/* The files of one more table, for the thread that sets up. */
static enum bk_err add_table(struct verifier *vf, const struct bk_material *m,
                             struct bk_report *why)
{
    unsigned nth = vf->ntables++;
    struct table *t = &vf->table[nth];
    struct files *f = &vf->desk[0].file[nth];
    enum bk_err err = open_file(&f->wdl, vf, m, BK_KIND_WDL, why);

    if (err)
        return err;
    t->m = *m;
    t->ix = bk_file_index(f->wdl);
    for (unsigned i = 2 * nth; i < 2 * nth + 2; i++)
        vf->begin[i + 1] = vf->begin[i] + (((t->ix->positions >> PAGE_BITS) + 1) << PAGE_BITS);
    if (nth == 0)
        vf->distances = bk_file_info(f->wdl)->distances;
    return vf->distances ? open_file(&f->dtw, vf, m, BK_KIND_DTW, why) : BK_OK;
}

/* The same files once more, for another thread. */
static enum bk_err open_files(const struct verifier *vf, struct desk *d, struct bk_report *why)
{
    enum bk_err err = BK_OK;

    d->file = calloc(vf->ntables, sizeof *d->file);
    if (!d->file)
        return no_memory(why);
    for (unsigned i = 0; !err && i < vf->ntables; i++) {
        err = open_file(&d->file[i].wdl, vf, &vf->table[i].m, BK_KIND_WDL, why);
        if (!err && vf->distances)
            err = open_file(&d->file[i].dtw, vf, &vf->table[i].m, BK_KIND_DTW, why);
    }
    return err;
}

static enum bk_err read_score(const struct files *f, unsigned side, uint64_t number, int *score,
                              struct bk_report *why)
{
    unsigned wdl = 0, half = 0; /* half: of the plies */
    enum bk_err err = bk_file_value(f->wdl, side, number, &wdl, why);

    if (!err && f->dtw && wdl != BK_WDL_DRAW)
        err = bk_file_value(f->dtw, side, number, &half, why);
    *score = wdl == BK_WDL_DRAW   ? 0
             : wdl == BK_WDL_LOSS ? -WON + (int)(2 * half)
                                  : WON - (int)(2 * half + 1);
    return err;
}

/* == Materials after a move == */

static const struct known *known_for(const struct verifier *vf, const struct bk_pos *p)
{
    struct bk_material m;

    bk_material_of(&m, vf->v, p);
    for (unsigned i = 0; i < vf->nknown; i++)
        if (bk_material_equal(&vf->known[i].m, &m))
            return &vf->known[i];
    return NULL;
}

/* The men of a position as a table sees them. */
static void place(const struct known *k, const struct bk_index *ix, const struct bk_pos *p,
                  struct bk_placement *at)
{
    unsigned filled[BK_SLOTS_MAX] = { 0 };

    for (unsigned colour = 0; colour < 2; colour++) {
        struct bk_bits men = p->by[colour];
        unsigned as = k->exchanged ? !colour : colour;

        for (unsigned sq; (sq = bk_bits_pop(&men)) != BK_SQ_NONE;) {
            unsigned type = bk_man_type(p->at[sq]);
            uint8_t to = k->exchanged ? k->swap[sq] : (uint8_t)sq;
            int s;

            if (type == ix->v->royal) {
                at->king[as] = to;
                continue;
            }
            s = bk_index_slot(ix, type, as, to);
            at->sq[(unsigned)s + filled[s]++] = to;
        }
    }
}

/* == Gathering == */

static int score_of_end(int wdl) { return wdl * WON; }

/* What a move brings that leads to such a position: one ply further away. */
static int for_the_mover(int score) { return -score + (score > 0) - (score < 0); }

static void bring(struct node *n, int score)
{
    if (score > n->best)
        n->best = score;
}

static bool new_node(struct desk *d, uint64_t number, unsigned side, uint32_t *out)
{
    if (d->nnodes == d->node_room) {
        uint32_t room = d->node_room ? 2 * d->node_room : 1024;
        struct node *node = realloc(d->node, room * sizeof *node);

        if (!node) {
            d->err = no_memory(&d->why);
            return false;
        }
        d->node = node;
        d->node_room = room;
    }
    *out = d->nnodes++;
    d->node[*out] = (struct node){
        .number = number, .asker = *out, .side = (uint8_t)side, .best = NOTHING_YET
    };
    return true;
}

static void ask(struct desk *d, uint64_t at, uint32_t node, bool own)
{
    if (d->nquestions == d->room) {
        size_t room = d->room ? 2 * d->room : 4096;
        struct question *q = realloc(d->question, room * sizeof *q);

        if (q)
            d->question = q;
        free(d->sorted);
        d->sorted = malloc(room * sizeof *d->sorted);
        if (!q || !d->sorted) {
            d->err = no_memory(&d->why);
            return;
        }
        d->room = room;
    }
    d->question[d->nquestions++] = (struct question){ .place = at, .node = node, .own = own };
}

static void ask_about(const struct verifier *vf, struct desk *d, const struct known *k,
                      const struct bk_pos *p, uint32_t node)
{
    const struct table *t = &vf->table[k->table];
    struct bk_placement at;
    uint64_t number;

    place(k, t->ix, p, &at);
    number = bk_index_rank(t->ix, &at);
    if (number == UINT64_MAX)
        d->node[node].missing = true;
    else
        ask(d, vf->begin[2 * k->table + (p->stm ^ k->exchanged)] + number, node, false);
}

static bool can_take_in_passing(const struct bk_variant *v, const struct bk_pos *p)
{
    struct bk_move move[BK_MOVES_MAX];
    unsigned n = bk_moves_legal(v, p, move);

    for (unsigned i = 0; i < n; i++)
        if (move[i].takes != BK_SQ_NONE && move[i].takes != move[i].to &&
            move[i].also == BK_SQ_NONE && move[i].to == p->ep)
            return true;
    return false;
}

static void examine(const struct verifier *vf, struct desk *d, const struct bk_pos *p,
                    uint32_t node);

/* After a double step that can be answered by taking in passing, files do not tell. */
static void examine_passing(const struct verifier *vf, struct desk *d, const struct bk_pos *p,
                            uint32_t asker)
{
    uint32_t node;

    if (!new_node(d, 0, p->stm, &node))
        return;
    d->node[node].asker = asker;
    examine(vf, d, p, node);
}

/* The node has a move to p, whose values are those of k; NULL: look for it. */
static void examine_next(const struct verifier *vf, struct desk *d, struct bk_pos *p,
                         const struct known *k, uint32_t node)
{
    int wdl;

    if (p->ep != BK_SQ_NONE) {
        if (can_take_in_passing(vf->v, p)) {
            examine_passing(vf, d, p, node);
            return;
        }
        p->ep = BK_SQ_NONE;
    }
    if (!k && bk_pos_bare(vf->v, p, &wdl) != BK_END_NONE)
        bring(&d->node[node], for_the_mover(score_of_end(wdl)));
    else if (k || (k = known_for(vf, p)))
        ask_about(vf, d, k, p, node);
    else
        d->node[node].missing = true;
}

/* Every move of p, whose node is given; or what the end of the game is worth. */
static void examine(const struct verifier *vf, struct desk *d, const struct bk_pos *p,
                    uint32_t node)
{
    struct bk_move move[BK_MOVES_MAX];
    unsigned n = 0;
    int wdl = 0;

    if (bk_pos_bare(vf->v, p, &wdl) == BK_END_NONE) {
        n = bk_moves_legal(vf->v, p, move);
        if (!n && bk_pos_end(vf->v, p, &wdl) == BK_END_NONE)
            wdl = 0;
    }
    if (!n)
        d->node[node].best = score_of_end(wdl);
    for (unsigned i = 0; i < n; i++) {
        struct bk_pos next = *p;
        bool quiet =
            move[i].takes == BK_SQ_NONE && move[i].becomes == BK_STAYS && p->ep == BK_SQ_NONE;

        bk_pos_play(&next, vf->v, &move[i]);
        quiet = quiet && next.rights == p->rights;
        examine_next(vf, d, &next, quiet ? vf->known : NULL, node);
    }
}

static void examine_number(const struct verifier *vf, struct desk *d, uint64_t number)
{
    const struct table *t = &vf->table[0];
    struct bk_placement at;
    struct bk_pos p;

    bk_index_unrank(t->ix, number, &at);
    if (!bk_index_position(t->ix, &at, BK_WHITE, &p))
        return;
    for (unsigned side = 0; side < 2; side++) {
        uint32_t node;

        p.stm = (uint8_t)side;
        if (!bk_pos_legal(vf->v, &p) || !new_node(d, number, side, &node))
            continue;
        ask(d, vf->begin[side] + number, node, true);
        examine(vf, d, &p, node);
    }
}

/* == Answering == */

#define DIGIT_BITS 11
#define DIGITS     (1u << DIGIT_BITS)

/* One pass of a radix sort: by the digit of the page that begins at bit `shift` of the place. */
static void sort_by_digit(const struct question *from, struct question *to, size_t n,
                          unsigned shift)
{
    size_t next[DIGITS + 1] = { 0 };

    for (size_t i = 0; i < n; i++)
        next[(from[i].place >> shift) % DIGITS + 1]++;
    for (unsigned x = 1; x < DIGITS; x++)
        next[x] += next[x - 1];
    for (size_t i = 0; i < n; i++)
        to[next[(from[i].place >> shift) % DIGITS]++] = from[i];
}

static void sort_by_page(const struct verifier *vf, struct desk *d)
{
    uint64_t end = vf->begin[2 * vf->ntables];

    for (unsigned shift = PAGE_BITS; shift < 64 && end >> shift; shift += DIGIT_BITS) {
        struct question *swap = d->question;

        sort_by_digit(d->question, d->sorted, d->nquestions, shift);
        d->question = d->sorted;
        d->sorted = swap;
    }
}

static void answer(const struct verifier *vf, struct desk *d)
{
    unsigned at = 0; /* 2 * table + side */

    for (size_t i = 0; i < d->nquestions && !d->err && !stopped(vf); i++) {
        const struct question *q = &d->question[i];
        struct node *n = &d->node[q->node];
        int score;

        while (q->place >= vf->begin[at + 1])
            at++;
        d->err = read_score(&d->file[at / 2], at & 1, q->place - vf->begin[at], &score, &d->why);
        if (q->own)
            n->stored = score;
        else
            bring(n, for_the_mover(score));
    }
}

/* == Comparing == */

static int sign(int x) { return (x > 0) - (x < 0); }

static void describe(const struct verifier *vf, int stored, int found, char out[160])
{
    static const char *const word[3] = { "loss", "draw", "win" };
    int plies[2] = { WON - abs(stored), WON - abs(found) };

    if (vf->distances)
        snprintf(out, 160, "file: %s in %d plies; by its moves: %s in %d plies",
                 word[sign(stored) + 1], stored ? plies[0] : 0, word[sign(found) + 1],
                 found ? plies[1] : 0);
    else
        snprintf(out, 160, "file: %s; by its moves: %s", word[sign(stored) + 1],
                 word[sign(found) + 1]);
}

static void note_difference(struct verifier *vf, const struct node *n, int stored, int found)
{
    struct bk_placement at;
    struct bk_pos p;

    while (__atomic_exchange_n(&vf->lock, 1, __ATOMIC_ACQUIRE))
        ;
    if (2 * n->number + n->side < vf->first_different) {
        vf->first_different = 2 * n->number + n->side;
        bk_index_unrank(vf->table[0].ix, n->number, &at);
        bk_index_position(vf->table[0].ix, &at, n->side, &p);
        bk_pos_to_fen(&p, vf->v, vf->out->first_fen);
        describe(vf, stored, found, vf->out->first_why);
    }
    __atomic_store_n(&vf->lock, 0, __ATOMIC_RELEASE);
}

static void count(const struct verifier *vf, struct bk_summary *s, const struct node *n)
{
    const struct bk_index *ix = vf->table[0].ix;
    const struct bk_pairs *pairs = ix->block[bk_index_block_with(ix, n->number)].pairs;
    struct bk_placement at;
    uint64_t images, first;
    int32_t slice;

    bk_index_unrank(ix, n->number, &at);
    first = bk_index_is_first(ix, n->number, &at);
    slice = pairs->slice[(size_t)at.king[0] * vf->v->nsq + at.king[1]];
    images = (unsigned)__builtin_popcount(ix->group) /
             (unsigned)__builtin_popcount(pairs->stabilizer[slice]);
    if (n->stored > 0) {
        s->win[n->side] += first;
        s->all_win[n->side] += images;
    } else if (n->stored < 0) {
        s->loss[n->side] += first;
        s->all_loss[n->side] += images;
    } else {
        s->draw[n->side] += first;
        s->all_draw[n->side] += images;
    }
}

static void compare(struct verifier *vf, struct bk_verify_result *r, const struct node *n)
{
    int stored = n->stored, found = n->best;

    if (!vf->distances) {
        stored = sign(stored) * WON;
        found = sign(found) * WON;
    }
    r->positions++;
    if (stored != found || n->missing) {
        r->different++;
        note_difference(vf, n, stored, found);
    }
    if (vf->all == vf->table[0].ix->positions)
        count(vf, &r->counted, n);
}

/* Those that were asked about come after those that ask. */
static void compare_all(struct verifier *vf, struct desk *d)
{
    for (uint32_t i = d->nnodes; i-- > 0;) {
        const struct node *n = &d->node[i];
        struct node *asker = &d->node[n->asker];

        if (n == asker) {
            compare(vf, &d->result, n);
            continue;
        }
        asker->missing |= n->missing;
        bring(asker, for_the_mover(n->best));
    }
}

static void end_round(struct verifier *vf, struct desk *d)
{
    if (!d->err && !stopped(vf)) {
        sort_by_page(vf, d);
        answer(vf, d);
    }
    if (!d->err && !stopped(vf))
        compare_all(vf, d);
    d->nquestions = 0;
    d->nnodes = 0;
}

/* == Which positions == */

static uint64_t mixed(uint64_t x) /* splitmix64 */
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Where the i-th of `all` parts of the table, as equal as can be, begins. */
static uint64_t part(const struct verifier *vf, uint64_t i)
{
    __extension__ typedef unsigned __int128 wide; /* the product of two numbers of 64 bits */

    return (uint64_t)((wide)i * vf->table[0].ix->positions / vf->all);
}

/*
 * A sample takes one number out of each part: none is left out, and numbers
 * ascend, so that the questions of a round lie near each other.
 */
static uint64_t choose(const struct verifier *vf, uint64_t i)
{
    uint64_t first = part(vf, i), n = part(vf, i + 1) - first;

    return n == 1 ? first : first + mixed(mixed(vf->o->seed) + i) % n;
}

static void verify_piece(void *context, uint64_t item, unsigned thread)
{
    struct verifier *vf = context;
    struct desk *d = &vf->desk[thread];
    uint64_t first = item * vf->piece;
    uint64_t end = vf->all - first < vf->piece ? vf->all : first + vf->piece, done;

    if (!d->err && !d->file)
        d->err = open_files(vf, d, &d->why);
    for (uint64_t i = first; i < end && !d->err && !stopped(vf); i++) {
        examine_number(vf, d, choose(vf, i));
        if (d->nquestions >= vf->round)
            end_round(vf, d);
    }
    end_round(vf, d);
    done = __atomic_add_fetch(&vf->done, end - first, __ATOMIC_RELAXED);
    if (thread == 0 && vf->o->progress)
        vf->o->progress(vf->o->context, done, vf->all);
}

/* == Setting up == */

static enum bk_err learn(struct verifier *vf, const struct bk_material *m, struct bk_report *why)
{
    struct known *k = &vf->known[vf->nknown];
    struct bk_material own = *m;
    enum bk_err err = BK_OK;
    int swap;

    for (unsigned i = 0; i < vf->nknown; i++)
        if (bk_material_equal(&vf->known[i].m, m))
            return BK_OK;
    if (bk_material_by_rule(m, vf->v))
        return BK_OK;
    k->m = *m;
    k->exchanged = bk_material_canonical(&own, vf->v);
    swap = bk_material_swap(&own, vf->v);
    bk_symmetry_map(vf->v, swap > 0 ? (unsigned)swap : 0, k->swap);
    while (k->table < vf->ntables && !bk_material_equal(&vf->table[k->table].m, &own))
        k->table++;
    if (k->table == vf->ntables)
        err = add_table(vf, &own, why);
    vf->nknown++;
    return err;
}

/* Replies to a double step reach two moves away: en passant. */
static enum bk_err learn_all(struct verifier *vf, const struct bk_material *m,
                             struct bk_report *why)
{
    struct bk_material *next = malloc(NEXT_MAX * sizeof *next);
    enum bk_err err;
    unsigned n;

    if (!next)
        return no_memory(why);
    n = bk_material_next(m, vf->v, next, NEXT_MAX);
    vf->known = calloc(n + 1, sizeof *vf->known);
    vf->table = calloc(n + 1, sizeof *vf->table);
    vf->begin = calloc(2 * n + 3, sizeof *vf->begin);
    vf->desk[0].file = calloc(n + 1, sizeof *vf->desk[0].file);
    err = vf->known && vf->table && vf->begin && vf->desk[0].file ? learn(vf, m, why)
                                                                  : no_memory(why);
    for (unsigned i = 0; !err && i < n && !stopped(vf); i++)
        err = learn(vf, &next[i], why);
    free(next);
    return err;
}

/* How much to look at, and in which pieces: four a thread, unless that makes large ones. */
static void share_out(struct verifier *vf)
{
    uint64_t positions = vf->table[0].ix->positions;
    unsigned threads = bk_pool_threads(vf->o->pool);

    vf->all = vf->o->sample && vf->o->sample < positions ? vf->o->sample : positions;
    vf->piece = vf->all / (4 * threads) + 1;
    if (vf->piece > PIECE)
        vf->piece = PIECE;
    vf->round = QUESTIONS / threads;
}

static bool same_counts(const struct bk_summary *a, const struct bk_summary *b)
{
    return !memcmp(a->win, b->win, sizeof a->win) && !memcmp(a->draw, b->draw, sizeof a->draw) &&
           !memcmp(a->loss, b->loss, sizeof a->loss) &&
           !memcmp(a->all_win, b->all_win, sizeof a->all_win) &&
           !memcmp(a->all_draw, b->all_draw, sizeof a->all_draw) &&
           !memcmp(a->all_loss, b->all_loss, sizeof a->all_loss);
}

static void add_up(struct bk_verify_result *out, const struct bk_verify_result *r)
{
    struct bk_summary *a = &out->counted;
    const struct bk_summary *b = &r->counted;

    out->positions += r->positions;
    out->different += r->different;
    for (unsigned side = 0; side < 2; side++) {
        a->win[side] += b->win[side];
        a->draw[side] += b->draw[side];
        a->loss[side] += b->loss[side];
        a->all_win[side] += b->all_win[side];
        a->all_draw[side] += b->all_draw[side];
        a->all_loss[side] += b->all_loss[side];
    }
}

/* What all threads have found. */
static enum bk_err sum_up(struct verifier *vf, struct bk_report *why)
{
    const struct bk_file *f = vf->desk[0].file[0].wdl;
    struct bk_verify_result *out = vf->out;

    if (stopped(vf))
        return bk_pool_interrupted(why);
    for (unsigned i = 0; i < bk_pool_threads(vf->o->pool); i++) {
        if (vf->desk[i].err)
            return bk_fail(why, vf->desk[i].err, "%s", vf->desk[i].why.text);
        add_up(out, &vf->desk[i].result);
    }
    out->counts_agree = vf->all < vf->table[0].ix->positions ||
                        same_counts(&out->counted, &bk_file_info(f)->summary);
    if (out->different)
        return bk_fail(why, BK_E_DIFFERS, "%s: %llu of %llu positions are wrong; first: %s (%s)",
                       bk_file_path(f), (unsigned long long)out->different,
                       (unsigned long long)out->positions, out->first_fen, out->first_why);
    if (!out->counts_agree)
        return bk_fail(why, BK_E_DIFFERS, "%s: the counts of the header are wrong",
                       bk_file_path(f));
    return BK_OK;
}

static void leave_desk(struct desk *d, unsigned ntables)
{
    for (unsigned i = 0; d->file && i < ntables; i++) {
        bk_file_close(d->file[i].wdl);
        bk_file_close(d->file[i].dtw);
    }
    free(d->file);
    free(d->question);
    free(d->sorted);
    free(d->node);
}

enum bk_err bk_verify(const struct bk_variant *v, const char *dir, const struct bk_material *m,
                      const struct bk_verify_options *o, struct bk_verify_result *out,
                      struct bk_report *why)
{
    struct verifier vf = { .v = v, .dir = dir, .o = o, .out = out, .first_different = UINT64_MAX };
    unsigned threads = bk_pool_threads(o->pool);
    enum bk_err err;

    memset(out, 0, sizeof *out);
    vf.desk = calloc(threads, sizeof *vf.desk);
    if (!vf.desk)
        return no_memory(why);
    err = learn_all(&vf, m, why);
    if (!err) {
        share_out(&vf);
        bk_pool_run(o->pool, (vf.all + vf.piece - 1) / vf.piece, verify_piece, &vf);
        err = sum_up(&vf, why);
    }
    for (unsigned i = 0; i < threads; i++)
        leave_desk(&vf.desk[i], vf.ntables);
    free(vf.desk);
    free(vf.table);
    free(vf.begin);
    free(vf.known);
    return err;
}
