/*
 * list.h - which facts there are of a list of men, and their numbers.
 *
 * Facts come in groups, each of one kind about one or two men (or one side); a group's facts are
 * numbered in a row, and so are the groups.
 *
 * A fact of place compares a *metric*, a byte that depends on the squares of one or two men, with
 * a constant: "the kings are at most 3 apart".  A metric is an array of bytes, kept with the game.
 *
 * For src/core/facts and for tests.
 */
#ifndef BK_FACTS_LIST_H
#define BK_FACTS_LIST_H

#include <stdatomic.h>

#include "core/facts.h"
#include "core/geometry.h"

/* == Metrics, and what a game keeps == */

enum fact_metric {
    METRIC_DISTANCE,    /* the larger of files and ranks apart  */
    METRIC_AXIS,        /* the smaller of files and ranks apart */
    METRIC_EDGE,        /* to the nearest edge                  */
    METRIC_CORNER,      /* to the nearest corner                */
    METRIC_COLOUR,      /* 0: squares of one colour             */
    METRIC_RANK,        /* from 0, as White counts              */
    METRIC_FILES_APART, /* files between i and j                */
    METRIC_RANK_AHEAD,  /* METRIC_ZERO + rank of j - rank of i  */
    METRIC_FILE,
    METRIC_RANKS_APART,
    METRIC_FILE_AHEAD,
    METRIC_ORBIT, /* 0: i can come to the square of j, on an empty board; one metric a kind */
    METRICS = METRIC_ORBIT + BK_MEN_MAX
};
#define METRIC_ZERO 16

/* An orbit: the squares that a man can come to in any number of moves on an empty board. */
struct fact_orbit {
    bool bound;     /* some square cannot be reached from some other */
    uint8_t away[]; /* [from * nsq + to]: 0 if `to` can be reached */
};

#define FACT_WIDTHS 3

/*
 * What the facts of all lists of men of one game have in common.  A prober opens hundreds of
 * materials of a game; what depends on the board, or on one kind of man, is kept here once for all
 * of them.  It is made when it is first wanted, belongs to the geometry of the game, and is freed
 * with it.
 *
 * Threads: any.  Two that want the same thing at once may both make it; one copy is kept.
 */
struct bk_fact_game {
    struct bk_derived derived;            /* from the geometry */
    const struct bk_variant *v;           /* borrowed */
    unsigned left, width, bottom, height; /* the smallest rectangle around the board */
    uint8_t *metric[METRIC_ORBIT];        /* [a * nsq + b], or [b]; [0] owns all */
    /*
     * The same metrics for looks, in fewer cache lines.  A metric of two squares depends only on
     * how many files and ranks they are apart: it is step_metric[m][wide[b] - wide[a]]; a metric of
     * one square is step_metric[m][wide[b]].  wide[] numbers squares as on a board so wide that no
     * two different steps have the same difference.
     */
    uint16_t wide[BK_SQ_MAX];
    uint8_t *by_step; /* owned */
    const uint8_t *step_metric[METRIC_ORBIT];
    _Atomic(struct fact_orbit *) orbit[BK_TYPES_MAX][2];
    _Atomic(void *) reach[FACT_WIDTHS][BK_TYPES_MAX][2]; /* struct kind_reach of a width */
};

static inline bool fact_metric_pairs(unsigned metric)
{
    return metric != METRIC_EDGE && metric != METRIC_CORNER && metric != METRIC_RANK &&
           metric != METRIC_FILE;
}

/* == Facts == */

enum fact_kind {
    FACT_PLACE,     /* metric(i, j) <= least + q                                             */
    FACT_KING_DIFF, /* distance(white king, i) - distance(black king, i) <= q - 2            */
    FACT_ATTACKS,   /* i attacks j                                                           */
    FACT_COUNTS,    /* at least q + 1 men of side j attack i                                 */
    FACT_HANGING,   /* side i attacks at least q + 1 men, not kings, that are not defended   */
    FACT_KING_SAFE, /* king i has at least q + 1 safe squares; from q 4 on: q - 3 empty ones */
    FACT_MAN_SAFE,  /* man i attacks at least q + 1 safe squares that no own man holds       */
    FACT_FORK,      /* man i attacks a square from which ...: struct fact_fork               */
};

#define FACT_NO_GROUP 0xffff
#define FACT_NONE     0xffff

/*
 * The most groups of a list of men: of 8 men on 14x14, whatever its holes are.  Bounds of a metric
 * that tell something form runs, a group each; between two runs is at least one bound that tells
 * nothing, so n bounds make at most (n + 1) / 2 groups.  Found so far: 996.
 */
#define FACT_RUNS(bounds) (((bounds) + 1) / 2)
#define FACT_OF_PAIRS     /* DISTANCE, AXIS; files, ranks apart; ahead; COLOUR; ORBIT both ways */ \
    (FACT_RUNS(BK_FILES_MAX - 2) + FACT_RUNS(BK_FILES_MAX - 3) + 2 * FACT_RUNS(3) +                \
     2 * FACT_RUNS(5) + 1 + 2)
#define FACT_OF_MEN /* EDGE, CORNER; RANK, FILE */                                                 \
    (2 * FACT_RUNS((BK_FILES_MAX - 1) / 2) + 2 * FACT_RUNS(BK_FILES_MAX - 1))
#define FACT_OF_FORKS 156 /* 3 men against 3: 24 each, and 6 of each king; others have fewer */
#define FACT_OF_REST      /* ATTACKS, COUNTS, safe squares; KING_DIFF; HANGING */                  \
    (BK_MEN_MAX * (BK_MEN_MAX - 1) + 3 * BK_MEN_MAX + BK_MEN_MAX - 2 + 2)
#define FACT_GROUPS_MAX 1152 /* a multiple of 64 */
_Static_assert(BK_FILES_MAX == BK_RANKS_MAX && BK_MEN_MAX == 8 && FACT_GROUPS_MAX % 64 == 0 &&
                   BK_MEN_MAX * (BK_MEN_MAX - 1) / 2 * FACT_OF_PAIRS + BK_MEN_MAX * FACT_OF_MEN +
                           FACT_OF_FORKS + FACT_OF_REST <=
                       FACT_GROUPS_MAX,
               "all groups have room");

/* What a fact of FACT_FORK says of the square that i attacks and that no own man holds. */
struct fact_fork {
    uint8_t a, b; /* men attacked from there; equal: one man */
    bool covered; /* the square is safe, or defended and attacked by the king at most */
    bool skewer;  /* a is the king; b is attacked only when the king is not in the way */
};

struct fact_group {
    uint8_t kind, i, j;
    uint8_t metric, least; /* FACT_PLACE */
    struct fact_fork fork; /* FACT_FORK */
    uint16_t first, n;     /* number of the first, how many */
};

/* One fact, as the evaluators read it. */
struct fact_item {
    const uint8_t *metric; /* FACT_PLACE: metric[stride * sq[i] + sq[j]] <= least; borrowed */
    uint16_t stride;
    uint8_t kind, i, j, least;
    uint8_t q; /* place in its group */
    struct fact_fork fork;
    uint16_t group;
};

struct bk_facts {
    const struct bk_variant *v; /* borrowed */
    struct bk_fact_game *game;  /* borrowed */
    struct bk_fact_men men;
    unsigned nkinds;                       /* men of one type and colour are of a kind */
    uint8_t kind[BK_MEN_MAX];              /* by man */
    uint8_t first_of[BK_MEN_MAX];          /* by kind: the first such man */
    bool bound[BK_MEN_MAX];                /* by kind: some squares cannot be reached */
    bool rides[BK_MEN_MAX];                /* by kind: can be blocked */
    uint8_t nenemies[BK_MEN_MAX];          /* by man: how many are in enemy[] */
    uint8_t enemy[BK_MEN_MAX][BK_MEN_MAX]; /* by man: the enemies that it may attack; for a king
                                              without the other king */

    unsigned ngroups, nfacts;
    struct fact_group *group;
    struct fact_item *item;
    const uint8_t *metric[METRICS];         /* borrowed */
    uint8_t least[METRICS], steps[METRICS]; /* bounds are least, least + 1, ...; steps 0: none */
    uint16_t attack_group[BK_MEN_MAX][BK_MEN_MAX]; /* [i][j]: "i attacks j", or FACT_NO_GROUP */

    unsigned first_fork; /* the facts of FACT_FORK: from here to the last */
    /* [i][a][b][covered]: number of the fork fact, or FACT_NONE */
    uint16_t fork_fact[BK_MEN_MAX][BK_MEN_MAX][BK_MEN_MAX][2];
    uint16_t skewer_fact[BK_MEN_MAX][BK_MEN_MAX]; /* [attacker][man behind the king] */

    const struct fact_width *width_ops;
    void *reach; /* made by width_ops */
};

static inline unsigned fact_metric_of(const struct bk_facts *f, unsigned metric, unsigned a,
                                      unsigned b)
{
    return f->metric[metric][(fact_metric_pairs(metric) ? a * f->v->nsq : 0) + b];
}

/* Fills all but width_ops and reach.  On failure nothing is left allocated. */
enum bk_err bk_fact_list_init(struct bk_facts *f, const struct bk_variant *v,
                              const struct bk_fact_men *men, struct bk_report *why);
void bk_fact_list_release(struct bk_facts *f);

/* == Evaluators == */

/* The evaluators of one width of sets, from width.c. */
struct fact_width {
    unsigned words;
    void (*kind_free)(void *kind_reach);
    void *(*reach_new)(const struct bk_facts *f); /* NULL: no memory */
    void (*reach_free)(void *reach);
    void (*look)(struct bk_fact_look *look, const struct bk_facts *f, const uint8_t *sq);
    int32_t (*look_leaf)(struct bk_fact_look *look, const struct bk_fact_tree *tree);
    uint64_t (*look_takes)(const struct bk_fact_look *look, unsigned colour);
    bool (*look_exposes)(const struct bk_fact_look *look, unsigned by, unsigned to, unsigned taken);
    void (*look_quiet)(struct bk_fact_look *look, unsigned by, struct bk_bits *out);
    bool (*look_bares_back)(const struct bk_fact_look *look, struct bk_fact_take take);
    struct bk_fact_row *(*row_new)(const struct bk_facts *f, unsigned inner);
    void (*row_set)(struct bk_fact_row *row, const uint8_t *sq);
    void (*row_descend)(struct bk_fact_row *row, const struct bk_fact_node *tree,
                        const uint64_t *care, bk_leaf_visit *visit, void *context);
    void (*row_all)(struct bk_fact_row *row, const uint64_t *care, uint64_t *out);
};

/* The part of a row's scratch that every width begins with. */
struct bk_fact_row {
    const struct bk_facts *f;
    unsigned inner;
};

/* The part of a look that every width begins with. */
struct look_head {
    const struct bk_facts *f;
};

extern const struct fact_width bk_fact_width_64, bk_fact_width_128, bk_fact_width_256;

#endif
