/*
 * setup.h - a block, or a group of them, as plain arrays: all that is fixed once it is prepared.
 *
 * Made by solve/prepare.c, read by the passes, which never write to it.  A
 * position of the block is a slice (kings), a configuration (the outer men) and
 * the inner man's square; one machine word, a set, holds all squares of the inner
 * man.  Sets are `void` here: their width is the kernel's.
 */
#ifndef BK_SETUP_H
#define BK_SETUP_H

#include "core/rules.h"
#include "table/index.h"
#include "tb/memory/view.h"

#define BK_OUTERS_MAX (BK_SLOTS_MAX)
#define BK_LANES_MAX  8 /* sets in a vector */

/* One quiet move of an outer man, as seen from a digit of its. */
struct bk_kmove {
    int32_t delta; /* what it adds to the configuration's number */
    uint8_t from, to;
    bool hops;
    uint16_t npaths; /* 0: nothing can stand in the way */
    uint32_t path;   /* first of them in the variant's geometry */
};

struct bk_klist {
    uint32_t first;
    uint16_t n;
};

/*
 * The same move from a vector of configurations to another one: those that go
 * as many vectors and words on.
 */
struct bk_vmove {
    int16_t vectors;
    uint8_t turn;  /* word w goes to word (w + turn) % 8 */
    uint8_t words; /* from which there is such a move */
    bool free;     /* nothing can stand in the way; else: */
    uint32_t path; /* in vpath: what must be empty, by lane */
};

/* How an outer man's moves are looked up. */
enum bk_lookup {
    BK_BY_LANE,   /* one configuration after the other */
    BK_BY_DIGIT,  /* it stands on one square in a whole vector */
    BK_BY_VECTOR, /* its squares follow each other in a vector */
};

/* An outer man: its square is a digit of the configuration's number. */
struct bk_outer {
    enum bk_lookup lookup;
    uint8_t slot, type, colour;
    uint16_t n;                           /* digits */
    uint16_t nsq;                         /* of them squares; the rest fill up a vector */
    bool several;                         /* its squares are of several cells: a group */
    uint8_t sq[BK_SQ_MAX + BK_LANES_MAX]; /* by digit */
    uint8_t digit[BK_SQ_MAX];             /* BK_SQ_NONE: on no square of its here */
    uint32_t stride;
    struct bk_klist into[BK_SQ_MAX], from[BK_SQ_MAX];   /* by digit */
    struct bk_klist vinto[BK_SQ_MAX], vfrom[BK_SQ_MAX]; /* vmoves by vector of digits */
    bool stay[BK_SQ_MAX];                               /* by square: may end there unchanged */
};

/* A step of the inner man, ready for whole-set shifts. */
struct bk_kstep {
    int16_t delta; /* square numbers */
    uint8_t range; /* 0: unlimited */
    uint8_t how;
    int8_t df, dr;
    int16_t opposite; /* step that undoes it, or -1 */
};

struct bk_inner {
    int slot; /* -1: no man to vary; the word's bit 0 stands for the position */
    uint8_t type, colour;
    uint8_t nsteps;
    struct bk_kstep step[BK_STEPS_MAX];
    bool two_steps, bend;
    bool twice; /* may take on the square between, and go on */
};

/* An exit of the block: a capture, a change, a fixed man's move, or one that ends
   castling rights. */
struct bk_exit {
    uint8_t mover; /* slot, or BK_KINGS_SLOT */
    uint8_t colour;
    int8_t taken;    /* slot or -1 */
    int8_t also;     /* a second one, by a man that takes twice, or -1 */
    uint8_t becomes; /* type or BK_STAYS */
    bool counted;
    int8_t castles; /* by this right (of bk_pos.rights), or -1; the mover is the king */
    bool in_block;  /* stays in this table (a fixed man's quiet move) */
    struct bk_view_plan plan;
    struct bk_view_cache *cache; /* owned; NULL: a block by itself */
};

/* A king's move from one slice to another. */
struct bk_king_move {
    uint32_t slice;
    uint8_t sym; /* brings this slice's frame to that one's; 0 identity */
};

/* The kings' moves, by side.  A slice's are move[first[slice] .. first[slice + 1]); from where a
   king comes into it, back[back_first[slice] ..]. */
struct bk_king_moves {
    struct bk_king_move *move[2];
    uint32_t *first[2];
    uint32_t *back[2], *back_first[2]; /* slices */
};

/* Men that stand on one square in the whole block. */
struct bk_fixed {
    unsigned n;
    uint8_t slot[BK_SLOTS_MAX], sq[BK_SLOTS_MAX];
};

/* Quiet moves of outer men, as lists of struct bk_klist point into them. */
struct bk_moves {
    struct bk_kmove *one;
    uint32_t n;
    struct bk_vmove *vector;
    uint32_t nvector;
    void *path; /* vectors of sets: what must be empty */
    uint32_t npath;
};

/* Of every configuration. */
struct bk_configurations {
    uint8_t (*sq)[BK_OUTERS_MAX];    /* squares of the outers */
    uint8_t *clash;                  /* two outers (or an outer and a fixed man) share a square, or
                                        one is on none */
    void *occ;                       /* squares of the outers as a set */
    void *count;                     /* inner squares counted: equal men once */
    uint32_t *turned[BK_SYMMETRIES]; /* configuration after a symmetry of the block; sorted */
    /* Of equal men that may change places only the order by squares is solved.  NULL: none may. */
    uint32_t *sorted; /* the configuration with them in order: itself, or an earlier one */
    uint32_t *twin;   /* the next one that differs by their order alone, behind the sorted one;
                         nconf: no more */
    uint8_t *spare;   /* by vector: lanes, as lanes_words() has them, that are not sorted */
};

struct bk_setup {
    const struct bk_variant *v; /* borrowed, as index, block and pairs */
    const struct bk_index *ix;
    const struct bk_block *b;     /* the one, or the first of a group */
    const struct bk_pairs *pairs; /* the kings' squares */
    struct bk_king_moves *kings;  /* owned; NULL if by_kings */

    /* sizes */
    uint32_t nslices;
    uint32_t nconf;  /* less than 2^31 */
    bool too_many;   /* there are more: it cannot be solved, and nconf is 0 */
    uint32_t pitch;  /* sets a slice takes: nconf, filled up to whole vectors */
    uint32_t nvec;   /* vectors of sets in it */
    uint32_t nmarks; /* words of 64 marks, one a vector */
    uint32_t width;  /* squares of the inner man: nsq, or 1 without one */

    /* results */
    bool distances;
    bool attains;       /* when solved, tells what exits attain: attain.h */
    bool exits_once;    /* what they attain is noted while it is solved: exits need not be valued
                           again */
    bool compact;       /* no BK_OPEN: what is won and undecided at once is saved by an exit */
    bool ledger;        /* no BK_DTW: distances are noted as they are found, elsewhere
                           (solve/ledger.h) */
    unsigned k_limit;   /* largest plies / 2 that dtw_bytes can hold */
    unsigned dtw_bytes; /* 1 or 2; 0 without distances */

    /* men */
    unsigned nouter;
    struct bk_outer outer[BK_OUTERS_MAX];
    struct bk_inner inner;
    struct bk_fixed fixed;
    bool grouped;              /* blocks of a group; else one block */
    bool equal_men;            /* some mobile men are alike */
    bool twins;                /* some outer men are, and may change places */
    bool by_kings;             /* solved by kings.c */
    uint8_t all_sq[BK_SQ_MAX]; /* 0, 1, 2, ... */

    /* moves */
    struct bk_moves moves;
    struct bk_configurations conf;
    uint32_t *link[BK_SLOTS_MAX]; /* by slot: from * nsq + to -> 1 + first reach, 0 none */
    /* in what ways a man may become .. on ..: 1 for nothing, 2 for an allowance.  [BK_STAYS]: may
       it stay as it is */
    uint8_t change_ok[BK_SLOTS_MAX][BK_TYPES_MAX + 1][BK_SQ_MAX];
    uint8_t change_here[BK_SLOTS_MAX][BK_TYPES_MAX][BK_SQ_MAX]; /* the same, in place */
    void *turn_tab[BK_SYMMETRIES]; /* by byte and value: the set after the symmetry */
    void *inner_sets;              /* cell, where it may stay, where each step begins */
    void *inner_twice; /* of an inner man that takes twice: where it may go on to, by the
                          square between; then from where it comes, by that and the end */
    struct bk_exit *exit;
    uint32_t nexit;
};

/* How a change of bk_setup.change_ok is made, `counted` or free. */
static inline uint8_t bk_change_way(bool counted) { return (uint8_t)(1u << counted); }

/* May the mover of an exit become on this square, where he arrives, what the exit makes of him? */
static inline bool bk_exit_may_end(const struct bk_setup *s, const struct bk_exit *e, unsigned sq)
{
    return s->change_ok[e->mover][e->becomes][sq] & bk_change_way(e->counted);
}

/* The same where he stands, as his whole turn. */
static inline bool bk_exit_in_place(const struct bk_setup *s, const struct bk_exit *e, unsigned sq)
{
    return e->taken < 0 && e->becomes != BK_STAYS &&
           s->change_here[e->mover][e->becomes][sq] & bk_change_way(e->counted);
}

/* The sets of bk_setup.inner_twice. */
static inline size_t bk_twice_sets(const struct bk_variant *v)
{
    return v->nsq + (size_t)v->nsq * v->nsq;
}

#endif
