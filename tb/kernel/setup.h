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

/* One quiet move of an outer man into or from one of its digits. */
struct bk_kmove {
    int32_t delta; /* added to the configuration's number: that of the move's other end */
    uint8_t from, to;
    bool hops;
    uint16_t npaths; /* 0: nothing can stand in the way */
    uint32_t path;   /* first of the paths in the variant's geometry */
};

struct bk_klist {
    uint32_t first;
    uint16_t n;
};

/*
 * Quiet moves from the configurations of one vector to those of another, made
 * at once: moves that go equally many vectors and words on.
 */
struct bk_vmove {
    int16_t vectors;
    uint8_t turn;  /* word w goes to word (w + turn) % 8 */
    uint8_t words; /* bits: words from which there is such a move */
    bool free;     /* nothing can stand in the way; else: */
    uint32_t path; /* in bk_moves.path: squares that must be empty, by lane */
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
    uint16_t nsq;                         /* digits that are squares; the rest fill up a vector */
    bool several;                         /* its squares are of several cells: a group */
    uint8_t sq[BK_SQ_MAX + BK_LANES_MAX]; /* by digit */
    uint8_t digit[BK_SQ_MAX];             /* by square; BK_SQ_NONE: not one of the man's squares */
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
    int8_t also;     /* slot of a second man taken, by one that takes twice, or -1 */
    uint8_t becomes; /* type or BK_STAYS */
    bool counted;
    int8_t castles; /* right by which the mover, the king, castles (of bk_pos.rights), or -1 */
    bool in_block;  /* leads to another block of this table (a quiet move without a way back) */
    bool zeroes;    /* zeroes the counter of the n-move rule; false if distances are to the end */
    struct bk_view_plan plan;
    struct bk_view_cache *cache; /* owned, for a group; NULL: a block by itself */
};

/* A king's move from one slice to another. */
struct bk_king_move {
    uint32_t slice;
    uint8_t sym; /* brings this slice's frame to that one's; 0 identity */
};

#define BK_NO_PATH UINT32_MAX

/* The kings' moves, by side; in a game without royals the anchors'.  Those out of a slice are
   move[first[slice] .. first[slice + 1]); the slices from which a king comes into it are
   back[back_first[slice] ..]. */
struct bk_king_moves {
    struct bk_king_move *move[2];
    uint32_t *path[2]; /* of an anchor who rides, by move: what must be empty, or BK_NO_PATH */
    uint32_t *first[2];
    uint32_t *back[2], *back_first[2]; /* slices */
};

/* Men that stand on one square in the whole block. */
struct bk_fixed {
    unsigned n;
    uint8_t slot[BK_SLOTS_MAX], sq[BK_SLOTS_MAX];
};

/* Quiet moves of outer men: struct bk_klist is a range of `one`, or of `vector`. */
struct bk_moves {
    struct bk_kmove *one;
    uint32_t n;
    struct bk_vmove *vector;
    uint32_t nvector;
    void *path; /* vectors of sets: what must be empty */
    uint32_t npath;
};

/* Arrays by configuration (`spare` by vector). */
struct bk_configurations {
    uint8_t (*sq)[BK_OUTERS_MAX];    /* squares of the outers */
    uint8_t *clash;                  /* not 0: two outers (or an outer and a fixed man) share a
                                        square, or an outer is on none */
    void *occ;                       /* squares of the outers as a set */
    void *count;                     /* sets of the inner squares counted: equal men once */
    uint32_t *turned[BK_SYMMETRIES]; /* by symmetry of the block: the configuration after it, with
                                        equal men in order */
    /* Of equal men that may change places only the order by squares is solved.  NULL: none may. */
    uint32_t *sorted; /* the configuration with equal men in order: itself, or an earlier one */
    uint32_t *twin;   /* the next configuration that differs in the order of equal men alone; the
                         list begins at the sorted one; nconf: end */
    uint8_t *spare;   /* by vector: bits, as lanes_words() has them, of the lanes not sorted */
};

struct bk_setup {
    const struct bk_variant *v; /* borrowed, as index, block and pairs */
    const struct bk_index *ix;
    const struct bk_block *b;     /* the block, or the first one of a group */
    const struct bk_pairs *pairs; /* the kings' squares */
    struct bk_king_moves *kings;  /* owned; NULL if by_kings */

    /* sizes */
    uint32_t nslices;
    uint32_t nconf;  /* less than 2^31 */
    bool too_many;   /* there are more configurations: the block cannot be solved, and nconf is 0 */
    uint32_t pitch;  /* sets a slice takes: nconf, filled up to whole vectors */
    uint32_t nvec;   /* vectors of sets in it */
    uint32_t nmarks; /* words of 64 marks, one a vector */
    uint32_t width;  /* squares of the inner man: nsq, or 1 without one */

    /* results */
    bool distances;
    bool attains;       /* when solved, tells what exits attain: attain.h */
    bool exits_once;    /* what exits attain is noted while the block is solved: they need not be
                           valued again */
    bool compact;       /* no BK_OPEN: what is won and undecided at once is saved by an exit */
    bool ledger;        /* no BK_DTW: distances are noted as they are found, elsewhere
                           (solve/ledger.h) */
    unsigned nmove;     /* distances are to zeroing: plies of the n-move rule; 0: to the end */
    unsigned shift;     /* of plies to become k (state.h): 1; to zeroing 0 */
    unsigned k_limit;   /* largest k that dtw_bytes can hold */
    unsigned dtw_bytes; /* 1 or 2; 0 without distances */

    /* men */
    unsigned nouter;
    struct bk_outer outer[BK_OUTERS_MAX];
    struct bk_inner inner;
    struct bk_fixed fixed;
    bool grouped;              /* blocks of a group; else one block */
    bool equal_men;            /* some mobile men are alike */
    bool twins;                /* some outer men are alike, and may change places */
    bool by_kings;             /* solved by kings.c */
    bool anchored;             /* nobody is royal: the slice's squares are those of anchors */
    bool choices;              /* another man than the anchor could be it */
    bool must_capture;         /* captures are forced: there is BK_FORCED */
    int8_t stalemate[2];       /* its worth to the side that cannot move, by that side */
    uint8_t all_sq[BK_SQ_MAX]; /* 0, 1, 2, ... */

    /* moves */
    struct bk_moves moves;
    struct bk_configurations conf;
    uint32_t *link[BK_SLOTS_MAX]; /* by slot: from * nsq + to -> 1 + first reach, 0 none */
    /* [slot][type][square]: ways in which the man, arriving there, may become that type: 1 for
       nothing, 2 for an allowance.  [BK_STAYS]: may it stay as it is */
    uint8_t change_ok[BK_SLOTS_MAX][BK_TYPES_MAX + 1][BK_SQ_MAX];
    uint8_t change_here[BK_SLOTS_MAX][BK_TYPES_MAX][BK_SQ_MAX]; /* the same, in place */
    void *turn_tab[BK_SYMMETRIES]; /* by byte of a set and its value: the set after the symmetry */
    void *inner_sets;              /* vectors: the inner man's cell, where it may end unchanged,
                                      where each step may begin */
    void *inner_twice; /* sets, if the inner man takes twice: ends by the square between; then
                          beginnings by the square between and the end */
    struct bk_exit *exit;
    uint32_t nexit;
    void *own; /* in a dry run (memory/spill.h): counts this struct's bytes; else NULL */
};

/* Returns whether a file may leave values to this exit (attain.h). */
static inline bool bk_exit_attains(const struct bk_setup *s, const struct bk_exit *e)
{
    return !e->in_block && (e->zeroes || !s->nmove);
}

/* Returns the bit of bk_setup.change_ok for a change that is free, or `counted` (by an
   allowance). */
static inline uint8_t bk_change_way(bool counted) { return (uint8_t)(1u << counted); }

/* Returns whether the mover of an exit, arriving on `sq`, may become what the exit makes of it. */
static inline bool bk_exit_may_end(const struct bk_setup *s, const struct bk_exit *e, unsigned sq)
{
    return s->change_ok[e->mover][e->becomes][sq] & bk_change_way(e->counted);
}

/* Returns the same for a change in place, on `sq`, that is the mover's whole turn. */
static inline bool bk_exit_in_place(const struct bk_setup *s, const struct bk_exit *e, unsigned sq)
{
    return e->taken < 0 && e->becomes != BK_STAYS &&
           s->change_here[e->mover][e->becomes][sq] & bk_change_way(e->counted);
}

/* Returns the number of sets in bk_setup.inner_twice. */
static inline size_t bk_twice_sets(const struct bk_variant *v)
{
    return v->nsq + (size_t)v->nsq * v->nsq;
}

/* Returns the number of a man among the outers; s->nouter if it is none of them. */
static inline unsigned bk_setup_outer(const struct bk_setup *s, int slot)
{
    unsigned o = 0;

    while (o < s->nouter && (int)s->outer[o].slot != slot)
        o++;
    return o;
}

#endif
