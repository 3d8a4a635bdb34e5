/*
 * learn.c - growing a tree from bit columns.
 *
 * A node begins as a set of positions (subset.h).  It is split by the fact that gains most
 * (split.h), its positions are parted (parting.h), and the smaller part is grown before the larger:
 * so few sets are there at a time, each at most half as large as the one that waits for it.  Where
 * no split gains enough the node is a leaf.
 *
 * Threads: sets above TASK_POSITIONS are split one after another, with the
 * columns shared out; smaller ones are tasks, each grown in one thread.  The
 * tree depends on neither.
 *
 * Rejected: learning a second tree for impure leaves from more rows (no gain
 * on the front of size and time).
 */
#include "tb/encode/learn.h"

#include <stdlib.h>

#include "tb/encode/columns_for.h"
#include "tb/encode/parting.h"
#include "tb/encode/split.h"
#include "tb/encode/value_classes.h"

#define TASK_POSITIONS 32768

/* What a split must gain: evidence in the sample, and the cost of a leaf, in bits, of all
   positions. */
#define GAIN_EVIDENCE      8
#define GAIN_EVIDENCE_LONG 10 /* distances: more classes, more chance */
#define GAIN_LEAF          22
#define GAIN_LEAF_LONG     80 /* a leaf has a long code */

#define DEAREST 36 /* no split gains 2^36 times as much: the largest sample has 2^45 in all */

/* A node while it grows.  task: 0, or number + 1 of the task whose node 0 stands in its place. */
struct node {
    uint16_t fact, guess; /* guess: of a leaf */
    uint32_t yes, no, task;
};

/* Nodes that are grown one after another: the top of the tree, or a task. */
struct growth {
    struct node *node;
    uint32_t n, room;
    int64_t left;         /* bits that the values of its leaves take */
    struct bk_subset set; /* of a task: the positions of its node 0 */
    bool failed;
};

/* A tree under way: its top, which all threads work at together, and tasks. */
struct grower {
    struct bk_learner l;
    struct bk_pool *pool;
    struct growth *task;
    uint32_t tasks, task_room;
};

static uint32_t new_node(struct growth *g)
{
    if (g->n == g->room) {
        uint32_t room = g->room ? 2 * g->room : 64;
        struct node *node = realloc(g->node, room * sizeof(*node));

        if (!node) {
            g->failed = true;
            return 0;
        }
        g->node = node;
        g->room = room;
    }
    g->node[g->n] = (struct node){ .fact = BK_FACT_LEAF };
    return g->n++;
}

/* Hands a set to a task of its own, with its columns. */
static void leave_to_task(struct grower *r, struct growth *g, uint32_t id, struct bk_subset *s)
{
    if (r->tasks == r->task_room) {
        uint32_t room = r->task_room ? 2 * r->task_room : 64;
        struct growth *task = realloc(r->task, room * sizeof(*task));

        if (!task) {
            r->l.failed = true;
            return;
        }
        r->task = task;
        r->task_room = room;
    }
    r->task[r->tasks] = (struct growth){ .set = *s };
    s->block = NULL;
    g->node[id].task = ++r->tasks;
}

/* Grows the tree of `s`, whose columns it uses up; returns its node.  top: smaller sets become
   tasks, and the columns of larger ones are shared out. */
static uint32_t grow(struct grower *r, struct growth *g, struct bk_subset *s, uint32_t *histogram,
                     bool top)
{
    struct bk_learner *l = &r->l;
    struct bk_pool *pool = top ? r->pool : NULL;
    uint32_t root = new_node(g), id = root;

    while (!g->failed && !l->failed) {
        struct bk_subset small;
        bool small_yes = false;
        uint32_t one, other;
        int column;

        if (top && s->n <= TASK_POSITIONS) {
            leave_to_task(r, g, id, s);
            break;
        }
        column = bk_find_split(l, pool, s, histogram);
        if (column < 0) {
            g->node[id].guess = bk_guess_value(l, s, histogram, &g->left);
            break;
        }
        g->node[id].fact = s->fact[column];
        if (!bk_subset_part(l, pool, s, column, &small, &small_yes, histogram, top)) {
            bk_subset_free(&small);
            l->failed = true;
            break;
        }
        one = grow(r, g, &small, histogram, top);
        bk_subset_free(&small);
        other = new_node(g);
        if (g->failed)
            break;
        g->node[id].yes = small_yes ? one : other;
        g->node[id].no = small_yes ? other : one;
        id = other;
    }
    return root;
}

static void grow_task(void *context, uint64_t task, unsigned thread)
{
    struct grower *r = context;
    struct growth *g = &r->task[task];
    uint32_t *histogram = calloc((size_t)1 << r->l.src->bits, sizeof(*histogram));

    (void)thread;
    bk_spill_ease(r->l.spill);
    if (histogram)
        grow(r, g, &g->set, histogram, false);
    else
        g->failed = true;
    bk_subset_free(&g->set);
    free(histogram);
}

/* Appends the tree below a node in preorder. */
static uint32_t put_in_order(const struct grower *r, const struct growth *g, uint32_t id,
                             struct bk_learned *out)
{
    const struct node *node = &g->node[id];
    uint32_t at, next;

    if (node->task)
        return put_in_order(r, &r->task[node->task - 1], 0, out);
    at = out->nodes++;
    out->tree[at] = (struct bk_fact_node){ .fact = node->fact };
    if (node->fact == BK_FACT_LEAF) {
        out->guess[out->leaves] = node->guess;
        out->tree[at].yes = out->leaves++;
        return at;
    }
    next = put_in_order(r, g, node->yes, out);
    out->tree[at].yes = next;
    next = put_in_order(r, g, node->no, out);
    out->tree[at].no = next;
    return at;
}

static enum bk_err grow_tree(struct grower *r, struct bk_subset *all, struct bk_learned *out,
                             struct bk_report *why)
{
    struct growth top = { 0 };
    uint32_t *histogram = calloc((size_t)1 << r->l.src->bits, sizeof(*histogram));
    uint64_t nodes;

    if (histogram)
        grow(r, &top, all, histogram, true);
    bk_subset_free(all);
    r->l.failed |= !histogram || top.failed;
    if (!r->l.failed)
        bk_pool_run(r->pool, r->tasks, grow_task, r);
    nodes = top.n;
    out->left = top.left;
    for (uint32_t i = 0; i < r->tasks; i++) {
        r->l.failed |= r->task[i].failed;
        nodes += r->task[i].n;
        out->left += r->task[i].left;
    }
    out->tree = r->l.failed ? NULL : malloc((nodes + 1) * sizeof(*out->tree));
    out->guess = out->tree ? malloc((nodes + 1) * sizeof(*out->guess)) : NULL;
    if (out->guess)
        put_in_order(r, &top, 0, out);
    for (uint32_t i = 0; i < r->tasks; i++) {
        bk_subset_free(&r->task[i].set);
        free(r->task[i].node);
    }
    free(r->task);
    free(top.node);
    free(histogram);
    return out->guess ? BK_OK : bk_fail(why, BK_E_SYSTEM, "no memory to learn a tree");
}

/* Returns what a split must gain in the sample: its share of a leaf's cost, or evidence. */
static int64_t gain_needed(const struct bk_learner *l, uint64_t covered)
{
    uint64_t span = l->src->end - l->src->first;
    uint64_t leaf = (uint64_t)(l->small ? GAIN_LEAF : GAIN_LEAF_LONG) * BK_ONE_BIT;
    uint64_t seen = covered < span ? covered : span;
    int64_t share = (int64_t)(leaf * (seen >> 8) / ((span >> 8) + 1));
    int64_t evidence = (l->small ? GAIN_EVIDENCE : GAIN_EVIDENCE_LONG) * BK_ONE_BIT;

    return share > evidence ? share : evidence;
}

enum bk_err bk_learn(struct bk_learned *out, const struct bk_unit_source *src,
                     const struct bk_sample *sample, unsigned dear, const struct bk_logs *logs,
                     struct bk_pool *pool, struct bk_spill *spill, struct bk_report *why)
{
    struct grower r = { .l = { .src = src,
                               .logs = logs,
                               .ops = bk_columns_for(),
                               .spill = spill,
                               .facts = sample->facts,
                               .planes = src->bits + 1,
                               .small = src->bits <= BK_RESULT_BITS,
                               .partly = sample->partly },
                        .pool = pool };
    struct bk_subset all;

    *out = (struct bk_learned){ 0 };
    r.l.min_gain = gain_needed(&r.l, sample->covered) << (dear < DEAREST ? dear : DEAREST);
    if (!bk_subset_of_sample(&r.l, &all, sample))
        return bk_fail(why, BK_E_SYSTEM, "no memory to learn a tree");
    return grow_tree(&r, &all, out, why);
}

void bk_learned_release(struct bk_learned *l)
{
    free(l->tree);
    free(l->guess);
    *l = (struct bk_learned){ 0 };
}
