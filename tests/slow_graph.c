/*
 * slow_graph.c - nodes in an array, found by open addressing; see slow_graph.h.
 */
#include "tests/slow_graph.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

void *slow_grow(void *old, size_t n, size_t size)
{
    void *p = realloc(old, n * size);

    if (!p)
        abort();
    return p;
}

const struct bk_piece *slow_piece(const struct bk_variant *v, char c)
{
    for (int i = 0; i < v->ntypes; i++)
        if (v->piece[i].letter == toupper((unsigned char)c))
            return &v->piece[i];
    abort();
}

static size_t *slot(const struct slow_graph *g, const char *text)
{
    uint64_t h = 1469598103934665603u;
    size_t i;

    for (const char *c = text; *c; c++)
        h = (h ^ (unsigned char)*c) * 1099511628211u;
    for (i = h & (g->hash_room - 1); g->hash[i]; i = (i + 1) & (g->hash_room - 1))
        if (!strcmp(g->node[g->hash[i] - 1].text, text))
            break;
    return &g->hash[i];
}

static void rehash(struct slow_graph *g)
{
    free(g->hash);
    g->hash_room = g->hash_room ? 2 * g->hash_room : 1 << 14;
    g->hash = calloc(g->hash_room, sizeof *g->hash);
    if (!g->hash)
        abort();
    for (size_t i = 0; i < g->n; i++)
        *slot(g, g->node[i].text) = i + 1;
}

size_t slow_node_add(struct slow_graph *g, const char *text, const void *state)
{
    size_t *at;

    if (strlen(text) >= SLOW_TEXT)
        abort();
    if (2 * g->n >= g->hash_room)
        rehash(g);
    at = slot(g, text);
    if (*at)
        return *at - 1;
    if (g->n == g->room) {
        g->room = g->room ? 2 * g->room : 1 << 12;
        g->node = slow_grow(g->node, g->room, sizeof *g->node);
        g->state = slow_grow(g->state, g->room, g->bytes);
    }
    g->node[g->n] = (struct slow_node){ .outside = SLOW_WORST };
    strcpy(g->node[g->n].text, text);
    memcpy(g->state + g->n * g->bytes, state, g->bytes);
    *at = ++g->n;
    return g->n - 1;
}

size_t slow_node_find(const struct slow_graph *g, const char *text)
{
    return g->n ? *slot(g, text) - 1 : SIZE_MAX; /* 0 - 1: there is none */
}

const void *slow_state(const struct slow_graph *g, size_t node)
{
    return g->state + node * g->bytes;
}

void slow_edge_add(struct slow_graph *g, size_t to)
{
    if (g->nedges == g->edge_room) {
        g->edge_room = g->edge_room ? 2 * g->edge_room : 1 << 14;
        g->edge = slow_grow(g->edge, g->edge_room, sizeof *g->edge);
    }
    g->edge[g->nedges++] = to;
}

int slow_back(int score) { return score > 0 ? 1 - score : score < 0 ? -1 - score : 0; }

void slow_repeat(struct slow_graph *g)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < g->n; i++) {
            struct slow_node *n = &g->node[i];
            int best = n->outside;

            for (size_t e = n->first; e < n->end; e++) {
                int score = slow_back(g->node[g->edge[e]].score);

                best = score > best ? score : best;
            }
            changed |= best != n->score;
            n->score = best;
        }
    }
}

void slow_graph_free(struct slow_graph *g)
{
    free(g->node);
    free(g->state);
    free(g->edge);
    free(g->hash);
}
