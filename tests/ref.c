/*
 * ref.c - the slow solver; see ref.h.
 *
 * Moves are those of ref_moves.c.  Read it in this order: what ends a game (settled), then one
 * material as an explicit graph that is evaluated over and over until nothing changes.
 *
 * Nothing here is clever on purpose.
 */
#include "tests/ref.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/ref_board.h"

/* == What ends a game == */

/*
 * Scores, from the mover's side: a win in d plies is BIG - d, a loss -BIG + d,
 * a draw (and: not known yet) 0.  So "better" is simply "greater".
 */
enum { BIG = 30000, ILLEGAL = -32000, NOTHING_YET = -31000 };

/* Returns the mover's score of a move to a position where the opponent's score is `score`. */
static int one_ply_back(int score)
{
    score = -score;
    return score > 0 ? score - 1 : score < 0 ? score + 1 : 0;
}

/*
 * The mover's score of a move of a game with an n-move rule: once the counter is at zero, all that
 * counts of a position is whether it is decided within the rule.
 */
static int score_of_zeroing(const struct bk_variant *v, int score)
{
    int n = v->nmove.plies, plies = BIG - (score < 0 ? -score : score);
    int worth = plies <= n ? BIG - 1 : BIG - (n + 1);

    if (score == ILLEGAL)
        return one_ply_back(score);
    return score < 0 ? worth : score > 0 ? -worth : 0;
}

static bool can_bare_back(const struct bk_variant *v, const struct ref_pos *pos,
                          const struct ref_moves *moves)
{
    for (unsigned i = 0; i < moves->n; i++) {
        struct ref_pos after = *pos;

        ref_apply(v, &after, &moves->move[i]);
        if (!count_others(v, &after, !pos->stm))
            return true;
    }
    return false;
}

/* Is a side out of men, or of a kind that it may not be out of? */
static bool is_out(const struct bk_variant *v, const struct ref_pos *pos, unsigned colour)
{
    unsigned men = 0;

    for (unsigned type = 0; type < v->ntypes; type++) {
        unsigned n = count_men(v, pos, code_of(colour, type));

        if ((v->out_of.kinds & (UINT32_C(1) << type)) && n <= v->out_of.most[type])
            return true;
        men += n;
    }
    return !men;
}

/* The mover's score of an end that he wins: he claims it, which takes him a ply. */
static int ended(bool won) { return won ? BIG - 1 : -BIG; }

/* settled() of a game without a king, but for stalemate. */
static bool settled_by_men(const struct bk_variant *v, const struct ref_pos *pos, int *score)
{
    bool ours = is_out(v, pos, pos->stm), theirs = is_out(v, pos, !pos->stm);

    if (theirs) /* who has just moved comes first */
        *score = ended(!v->out_of.wins);
    else if (ours)
        *score = ended(v->out_of.wins);
    return ours || theirs;
}

static int stalemated(const struct bk_variant *v, const struct ref_pos *pos)
{
    unsigned ours = count_others(v, pos, pos->stm), theirs = count_others(v, pos, !pos->stm);

    switch (v->stalemate) {
    case BK_STALEMATE_DRAW: return 0;
    case BK_STALEMATE_LOSS: return ended(false);
    case BK_STALEMATE_WIN: return ended(true);
    case BK_STALEMATE_FEWER: return ours == theirs ? 0 : ended(ours < theirs);
    }
    return 0;
}

/* Is the game over?  Then *score says how.  `moves` are the legal moves of pos. */
static bool settled(const struct bk_variant *v, const struct ref_pos *pos,
                    const struct ref_moves *moves, int *score)
{
    bool bare = !count_others(v, pos, pos->stm);
    bool opponent_bare = !count_others(v, pos, !pos->stm);

    if (v->royal == BK_NO_ROYAL) {
        if (settled_by_men(v, pos, score))
            return true;
        bare = opponent_bare = false;
    }
    if (bare && opponent_bare) {
        *score = 0;
        return true;
    }
    if (v->bare != BK_BARE_NOTHING && opponent_bare) {
        *score = BIG;
        return true;
    }
    if (v->bare != BK_BARE_NOTHING && bare) {
        *score = v->bare == BK_BARE_BACK && can_bare_back(v, pos, moves) ? 0 : -BIG;
        return true;
    }
    if (moves->n)
        return false;
    *score = ref_in_check(v, pos, pos->stm) ? -BIG : stalemated(v, pos);
    return true;
}

/* == One material == */

/* What all positions of a table share: the men, the evolutions left, the castling rights. */
struct key {
    uint8_t count[2][BK_TYPES_MAX];
    uint8_t left[2][BK_TYPES_MAX];
    uint8_t rights;
};

/* k equal men on n squares; a set of squares has the rank sum C(square_i, i + 1). */
struct group {
    unsigned colour, type, k, n;
    uint8_t sq[BK_SQ_MAX];    /* squares the men may stand on, ascending */
    uint8_t index[BK_SQ_MAX]; /* its inverse; BK_SQ_NONE elsewhere       */
    uint64_t sets;            /* C(n, k)                                 */
    uint8_t *set;             /* all sets, k squares each, by rank       */
};

struct material {
    struct key key;
    struct group group[2 * BK_TYPES_MAX];
    unsigned ngroups;
    uint8_t group_of[2 * BK_TYPES_MAX + 1]; /* by code + BK_TYPES_MAX */
    int8_t home[BK_SQ_MAX];                 /* men that castling rights hold in place */
    uint64_t size;                          /* nodes: sets of all groups, times two   */
    int16_t *score;
    enum { BUILDING, SOLVED, TOO_BIG } state;
};

struct ref_table {
    const struct bk_variant *v;
    struct material **material; /* [0] is the one asked for */
    unsigned n;
    uint64_t nodes, nodes_max;
    bool too_big;
    bool nmove; /* distances are to zeroing */
};

/* C(n, k) in doubles: exact where it matters, and it cannot wrap round. */
static double choose(unsigned n, unsigned k)
{
    double c = 1;

    for (unsigned i = 1; i <= k; i++)
        c = c * (n + 1.0 - i) / i;
    return n < k ? 0 : c;
}

static uint64_t choose_int(unsigned n, unsigned k)
{
    uint64_t c = 1;

    if (n < k)
        return 0;
    for (unsigned i = 1; i <= k; i++)
        c = c * (n + 1 - i) / i;
    return c;
}

/* Writes out all k-sets of 0..n-1 as squares, in the order of their rank. */
static void list_sets(struct group *g)
{
    unsigned c[BK_SQ_MAX + 1];

    g->set = grow(NULL, g->sets * g->k + 1, 1);
    for (unsigned i = 0; i < g->k; i++)
        c[i] = i;
    for (uint64_t s = 0; s < g->sets; s++) {
        unsigned i = 0;

        for (unsigned j = 0; j < g->k; j++)
            g->set[s * g->k + j] = g->sq[c[j]];
        while (i + 1 < g->k && c[i] + 1 == c[i + 1]) {
            c[i] = i;
            i++;
        }
        c[i]++;
    }
}

static void make_group(const struct bk_variant *v, struct material *m, unsigned colour,
                       unsigned type, unsigned k)
{
    struct group *g = &m->group[m->ngroups];

    m->group_of[code_of(colour, type) + BK_TYPES_MAX] = (uint8_t)m->ngroups++;
    g->colour = colour;
    g->type = type;
    g->k = k;
    memset(g->index, BK_SQ_NONE, sizeof g->index);
    for (unsigned sq = 0; sq < v->nsq; sq++) {
        if (!bk_bits_has(&v->board, sq) || m->home[sq] ||
            !on_ranks(v, v->piece[type].ranks, sq, colour))
            continue;
        g->index[sq] = (uint8_t)g->n;
        g->sq[g->n++] = (uint8_t)sq;
    }
    g->sets = choose_int(g->n, k);
}

/* Puts the men of castling rights on m->home; makes groups of the others by colour and type. */
static void make_groups(const struct bk_variant *v, struct material *m)
{
    for (unsigned colour = 0; colour < 2; colour++)
        for (unsigned wing = 0; wing < 2; wing++)
            if (m->key.rights & REF_RIGHT(colour, wing)) {
                struct castle c = castle_squares(v, colour, wing);

                m->home[c.king] = (int8_t)code_of(colour, v->royal);
                m->home[c.rook] = (int8_t)code_of(colour, v->castling.rook);
            }
    for (unsigned colour = 0; colour < 2; colour++)
        for (unsigned type = 0; type < v->ntypes; type++) {
            unsigned k = m->key.count[colour][type];

            for (unsigned sq = 0; sq < v->nsq; sq++)
                k -= m->home[sq] == code_of(colour, type);
            if (k)
                make_group(v, m, colour, type, k);
        }
}

static bool fits(const struct ref_table *t, const struct material *m)
{
    double size = 2;

    for (unsigned i = 0; i < m->ngroups; i++)
        size *= choose(m->group[i].n, m->group[i].k);
    if (t->nodes_max && (double)t->nodes + size > (double)t->nodes_max)
        return false;
    return size < 1e9; /* successors are numbered in 31 bits */
}

static void free_material(struct material *m)
{
    for (unsigned i = 0; i < m->ngroups; i++)
        free(m->group[i].set);
    free(m->score);
    free(m);
}

/* Sets `pos` to the position of node i; false if two men share a square. */
static bool place(const struct material *m, uint64_t i, struct ref_pos *pos)
{
    memset(pos, 0, sizeof *pos);
    memcpy(pos->at, m->home, sizeof pos->at);
    memcpy(pos->left, m->key.left, sizeof pos->left);
    pos->rights = m->key.rights;
    pos->ep = BK_SQ_NONE;
    pos->stm = i & 1;
    i >>= 1;
    for (unsigned g = 0; g < m->ngroups; g++) {
        const struct group *group = &m->group[g];
        const uint8_t *set = &group->set[i % group->sets * group->k];

        i /= group->sets;
        for (unsigned j = 0; j < group->k; j++) {
            if (pos->at[set[j]])
                return false;
            pos->at[set[j]] = (int8_t)code_of(group->colour, group->type);
        }
    }
    return true;
}

/* Sets `node` to the node of a position of `m`; false if a man stands where it may not. */
static bool node_of(const struct ref_table *t, const struct material *m, const struct ref_pos *pos,
                    uint64_t *node)
{
    uint64_t rank[2 * BK_TYPES_MAX] = { 0 }, i = 0;
    unsigned seen[2 * BK_TYPES_MAX] = { 0 };

    for (unsigned sq = 0; sq < t->v->nsq; sq++) {
        unsigned g;

        if (!pos->at[sq] || m->home[sq])
            continue;
        g = m->group_of[pos->at[sq] + BK_TYPES_MAX];
        if (m->group[g].index[sq] == BK_SQ_NONE)
            return false;
        rank[g] += choose_int(m->group[g].index[sq], ++seen[g]);
    }
    for (unsigned g = m->ngroups; g-- > 0;)
        i = i * m->group[g].sets + rank[g];
    *node = i * 2 + pos->stm;
    return true;
}

/* == The graph of one material == */

/*
 * Nodes 0 .. size - 1 are the placements; after them, one node for each double
 * step that can be answered en passant.  Edges stay inside the material; the
 * best of all moves that leave it is the number `outside`.
 */
struct graph {
    struct material *m;
    uint64_t nodes, nodes_room;
    uint64_t *first;  /* edges of node i: first[i] .. first[i + 1] - 1 */
    int16_t *outside; /* of a node without edges its own score */
    uint32_t *edge;
    uint64_t edges, edges_room;
    struct ref_pos *passing; /* positions of the nodes from `size` on  */
    uint64_t npassing, passing_room;
};

/* `zero`: the move zeroes, and distances are to zeroing. */
static void add_edge(struct graph *g, uint64_t node, bool zero)
{
    if (g->edges == g->edges_room) {
        g->edges_room = g->edges_room ? g->edges_room * 2 : 1024;
        g->edge = grow(g->edge, g->edges_room, sizeof *g->edge);
    }
    g->edge[g->edges++] = (uint32_t)node << 1 | zero;
}

static uint64_t add_passing(struct graph *g, const struct ref_pos *pos)
{
    if (g->npassing == g->passing_room) {
        g->passing_room = g->passing_room ? g->passing_room * 2 : 64;
        g->passing = grow(g->passing, g->passing_room, sizeof *g->passing);
    }
    g->passing[g->npassing] = *pos;
    return g->m->size + g->npassing++;
}

static struct material *material_of(struct ref_table *t, const struct ref_pos *pos);

/* Forgets an en passant square nobody can use: then the table knows the position. */
static void drop_idle_ep(const struct bk_variant *v, struct ref_pos *pos)
{
    struct ref_moves moves = { 0 };
    bool used = false;

    if (pos->ep == BK_SQ_NONE)
        return;
    ref_moves(v, pos, &moves);
    for (unsigned i = 0; i < moves.n; i++)
        used |= moves.move[i].to == pos->ep && moves.move[i].taken != BK_SQ_NONE;
    ref_moves_free(&moves);
    if (!used)
        pos->ep = BK_SQ_NONE;
}

/* Does this move zero a counter that distances depend on? */
static bool counts_anew(const struct ref_table *t, const struct ref_pos *pos,
                        const struct ref_move *move)
{
    return t->nmove && ref_zeroes(t->v, pos, move);
}

/* The mover's score of a move to a position where the opponent's score is `score`. */
static int moved(const struct ref_table *t, int score, bool zero)
{
    return zero ? score_of_zeroing(t->v, score) : one_ply_back(score);
}

/* Returns the score of a legal position, solving its material first; ILLEGAL if that is too big. */
static int score_of(struct ref_table *t, struct ref_pos *pos)
{
    struct ref_moves moves = { 0 };
    int best = NOTHING_YET;

    drop_idle_ep(t->v, pos);
    if (pos->ep == BK_SQ_NONE) {
        struct material *m = material_of(t, pos);
        uint64_t node;

        if (!m || !node_of(t, m, pos, &node))
            return ILLEGAL;
        return m->score[node];
    }
    ref_moves(t->v, pos, &moves);
    if (!settled(t->v, pos, &moves, &best)) {
        for (unsigned i = 0; i < moves.n; i++) {
            struct ref_pos after = *pos;
            int score;

            ref_apply(t->v, &after, &moves.move[i]);
            score = moved(t, score_of(t, &after), counts_anew(t, pos, &moves.move[i]));
            best = score > best ? score : best;
        }
    }
    ref_moves_free(&moves);
    return best;
}

static bool same_material(const struct bk_variant *v, const struct key *k,
                          const struct ref_pos *pos)
{
    uint8_t count[2][BK_TYPES_MAX] = { { 0 } };

    if (k->rights != pos->rights || memcmp(k->left, pos->left, sizeof k->left))
        return false;
    for (unsigned sq = 0; sq < v->nsq; sq++)
        if (pos->at[sq])
            count[colour_of(pos->at[sq])][type_of(pos->at[sq])]++;
    return !memcmp(count, k->count, sizeof count);
}

/* Adds one move of the node being built: an edge, or a part of `outside`. */
static void add_child(struct ref_table *t, struct graph *g, struct ref_pos *child, bool zero,
                      int *outside)
{
    int score;

    drop_idle_ep(t->v, child);
    if (!same_material(t->v, &g->m->key, child)) {
        score = moved(t, score_of(t, child), zero);
        *outside = score > *outside ? score : *outside;
    } else if (child->ep != BK_SQ_NONE) {
        add_edge(g, add_passing(g, child), zero);
    } else {
        uint64_t node;

        if (!node_of(t, g->m, child, &node))
            abort(); /* a move to where a man may not stand */
        add_edge(g, node, zero);
    }
}

/* Appends the next node with its moves, or with its score if the game is over or `pos` illegal. */
static void add_node(struct ref_table *t, struct graph *g, bool exists, const struct ref_pos *pos,
                     struct ref_moves *moves)
{
    int outside = NOTHING_YET;

    if (g->nodes + 1 >= g->nodes_room) {
        g->nodes_room = g->nodes_room ? g->nodes_room * 2 : g->m->size + 2;
        g->first = grow(g->first, g->nodes_room, sizeof *g->first);
        g->outside = grow(g->outside, g->nodes_room, sizeof *g->outside);
    }
    if (!exists || ref_in_check(t->v, pos, !pos->stm)) {
        outside = ILLEGAL;
    } else {
        ref_moves(t->v, pos, moves);
        if (!settled(t->v, pos, moves, &outside))
            for (unsigned i = 0; i < moves->n; i++) {
                struct ref_pos child = *pos;

                ref_apply(t->v, &child, &moves->move[i]);
                add_child(t, g, &child, counts_anew(t, pos, &moves->move[i]), &outside);
            }
    }
    g->outside[g->nodes++] = (int16_t)outside;
    g->first[g->nodes] = g->edges;
}

static void build_graph(struct ref_table *t, struct graph *g)
{
    struct ref_moves moves = { 0 };
    struct ref_pos pos;

    g->nodes_room = g->m->size + 2;
    g->first = grow(NULL, g->nodes_room, sizeof *g->first);
    g->outside = grow(NULL, g->nodes_room, sizeof *g->outside);
    g->first[0] = 0;
    for (uint64_t i = 0; i < g->m->size && !t->too_big; i++) {
        bool exists = place(g->m, i, &pos);

        add_node(t, g, exists, &pos, &moves);
    }
    for (uint64_t i = 0; i < g->npassing && !t->too_big; i++) {
        pos = g->passing[i];
        add_node(t, g, true, &pos, &moves);
    }
    ref_moves_free(&moves);
}

/*
 * Value iteration: every node again and again, from the values as they stand,
 * until a whole pass changes nothing.
 *
 * Starts from "nothing is known" (0).  A win or loss, once found, rests on a
 * line that really ends, so it stays one; only its length can still shrink.
 * When nothing changes the lengths obey win = 1 + min and loss = 1 + max, which
 * has one solution only (induction over the length).
 */
static void iterate(const struct ref_table *t, const struct graph *g, int16_t *score)
{
    bool changed = true;

    for (uint64_t i = 0; i < g->nodes; i++)
        score[i] = 0;
    while (changed) {
        changed = false;
        for (uint64_t i = 0; i < g->nodes; i++) {
            int best = g->outside[i];

            for (uint64_t e = g->first[i]; e < g->first[i + 1]; e++) {
                int s = moved(t, score[g->edge[e] >> 1], g->edge[e] & 1);

                best = s > best ? s : best;
            }
            changed |= score[i] != best;
            score[i] = (int16_t)best;
        }
    }
}

static void solve(struct ref_table *t, struct material *m)
{
    struct graph g = { .m = m };

    build_graph(t, &g);
    if (!t->too_big) {
        m->score = grow(NULL, g.nodes + 1, sizeof *m->score);
        iterate(t, &g, m->score);
        m->state = SOLVED;
    } else {
        m->state = TOO_BIG;
    }
    free(g.first);
    free(g.outside);
    free(g.edge);
    free(g.passing);
}

/* == All materials == */

static struct material *find(struct ref_table *t, const struct key *key)
{
    for (unsigned i = 0; i < t->n; i++)
        if (!memcmp(&t->material[i]->key, key, sizeof *key))
            return t->material[i];
    return NULL;
}

static struct material *start(struct ref_table *t, const struct key *key)
{
    struct material *m = grow(NULL, 1, sizeof *m);

    memset(m, 0, sizeof *m);
    m->key = *key;
    make_groups(t->v, m);
    t->material = grow(t->material, t->n + 1, sizeof(struct material *));
    t->material[t->n++] = m;
    return m;
}

/* The solved table of a key; solves it first if need be.  NULL: too big. */
static struct material *get(struct ref_table *t, const struct key *key)
{
    struct material *m = find(t, key);

    if (!m) {
        m = start(t, key);
        if (t->too_big || !fits(t, m)) {
            m->state = TOO_BIG;
        } else {
            m->size = 2;
            for (unsigned i = 0; i < m->ngroups; i++) {
                list_sets(&m->group[i]);
                m->size *= m->group[i].sets;
            }
            t->nodes += m->size;
            solve(t, m);
        }
    } else if (m->state == BUILDING && !t->too_big) {
        fprintf(stderr, "ref: men turn into each other in a circle\n");
        abort();
    }
    t->too_big |= m->state == TOO_BIG;
    return m->state == SOLVED ? m : NULL;
}

static struct material *material_of(struct ref_table *t, const struct ref_pos *pos)
{
    struct key key;

    memset(&key, 0, sizeof key);
    for (unsigned sq = 0; sq < t->v->nsq; sq++)
        if (pos->at[sq])
            key.count[colour_of(pos->at[sq])][type_of(pos->at[sq])]++;
    memcpy(key.left, pos->left, sizeof key.left);
    key.rights = pos->rights;
    return get(t, &key);
}

static struct ref_table *solve_from(struct ref_table as, const uint8_t count[2][BK_TYPES_MAX],
                                    const uint8_t left[2][BK_TYPES_MAX])
{
    const struct bk_variant *v = as.v;
    struct ref_table *t = grow(NULL, 1, sizeof *t);
    struct key key;

    *t = as;
    memset(&key, 0, sizeof key);
    memcpy(key.count, count, sizeof key.count);
    for (unsigned c = 0; c < 2; c++)
        memcpy(key.left[c], left ? left[c] : v->limit, sizeof key.left[c]);
    if (get(t, &key))
        return t;
    ref_free(t);
    return NULL;
}

struct ref_table *ref_solve(const struct bk_variant *v, const uint8_t count[2][BK_TYPES_MAX],
                            const uint8_t left[2][BK_TYPES_MAX], uint64_t nodes_max)
{
    return solve_from((struct ref_table){ .v = v, .nodes_max = nodes_max }, count, left);
}

struct ref_table *ref_solve_nmove(const struct bk_variant *v, const uint8_t count[2][BK_TYPES_MAX],
                                  uint64_t nodes_max)
{
    return solve_from((struct ref_table){ .v = v, .nodes_max = nodes_max, .nmove = true }, count,
                      NULL);
}

void ref_free(struct ref_table *table)
{
    if (!table)
        return;
    for (unsigned i = 0; i < table->n; i++)
        free_material(table->material[i]);
    free(table->material);
    free(table);
}

/* == Asking == */

static bool score_value(int score, struct ref_value *value)
{
    if (score == ILLEGAL)
        return false;
    value->wdl = (int8_t)sign(score);
    value->dtw = score > 0 ? (uint16_t)(BIG - score) : score < 0 ? (uint16_t)(BIG + score) : 0;
    return true;
}

uint64_t ref_size(const struct ref_table *table) { return table->material[0]->size; }

bool ref_at(const struct ref_table *table, uint64_t i, struct ref_pos *pos, struct ref_value *value)
{
    const struct material *m = table->material[0];

    return place(m, i, pos) && score_value(m->score[i], value);
}

/* Is pos->ep none, or has a pawn just doubled over it, from an empty square over an empty one? */
static bool ep_is_sound(const struct bk_variant *v, const struct ref_pos *pos)
{
    int back = pos->stm == BK_WHITE ? 1 : -1;
    unsigned pawn, from;

    if (pos->ep == BK_SQ_NONE)
        return true;
    pawn = away(v, pos->ep, 0, -back);
    from = away(v, pos->ep, 0, back);
    if (!v->en_passant || pawn == BK_SQ_NONE || from == BK_SQ_NONE || pos->at[from] ||
        pos->at[pos->ep] || !pos->at[pawn] || colour_of(pos->at[pawn]) == pos->stm)
        return false;
    return on_ranks(v, v->piece[type_of(pos->at[pawn])].double_ranks, from, !pos->stm);
}

static bool is_sound(const struct bk_variant *v, const struct ref_pos *pos)
{
    if (v->royal != BK_NO_ROYAL && (count_men(v, pos, code_of(BK_WHITE, v->royal)) != 1 ||
                                    count_men(v, pos, code_of(BK_BLACK, v->royal)) != 1))
        return false;
    for (unsigned sq = 0; sq < v->nsq; sq++)
        if (pos->at[sq] &&
            (!bk_bits_has(&v->board, sq) ||
             !on_ranks(v, v->piece[type_of(pos->at[sq])].ranks, sq, colour_of(pos->at[sq]))))
            return false;
    for (unsigned right = 0; right < 4; right++)
        if ((pos->rights >> right & 1) &&
            (!v->castling.allowed || !at_home(v, pos, right / 2, right % 2)))
            return false;
    return ep_is_sound(v, pos) && !ref_in_check(v, pos, !pos->stm);
}

bool ref_value(struct ref_table *table, const struct ref_pos *pos, struct ref_value *value)
{
    struct ref_pos copy = *pos;

    if (!is_sound(table->v, pos))
        return false;
    table->too_big = false;
    return score_value(score_of(table, &copy), value);
}

uint64_t ref_nodes(const struct ref_table *table, unsigned *materials)
{
    if (materials)
        *materials = table->n;
    return table->nodes;
}
