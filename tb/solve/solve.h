/*
 * solve.h - solving one table by retrograde analysis.
 *
 * The algorithm is told in docs/solving.md.  The pieces here:
 *   bk_solve_table()   all blocks of a table, most advanced first
 *   struct bk_solver   one block being solved: plain arrays by slice and
 *                      configuration, one machine word ("set") for all squares
 *                      of the inner man
 *   struct bk_kernel   the five passes over a slice; kernel.c is compiled once
 *                      for each width of the word and each instruction set
 */
#ifndef BK_SOLVE_H
#define BK_SOLVE_H

#include "tb/memory/checkpoint.h"
#include "tb/memory/memtable.h"
#include "tb/solve/order.h"
#include "tb/memory/pool.h"

#define BK_OUTERS_MAX (BK_SLOTS_MAX)

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
    uint16_t n;               /* digits */
    const uint8_t *sq;        /* by digit */
    uint8_t digit[BK_SQ_MAX]; /* BK_SQ_NONE outside its cell */
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
};

/* A way out of the block: a capture, a change, a fixed man's move, or one that ends
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
};

/* A king's move from one slice to another. */
struct bk_king_move {
    uint32_t slice;
    uint8_t sym; /* brings this slice's frame to that one's; 0 identity */
};

/*
 * A fixed man's step into the same slice of another block that is being solved
 * at the same time (order.h): like a king's move, but for what may stand in
 * its way.
 */
struct bk_fixed_step {
    struct bk_solver *other;
    uint8_t slot, to, colour;
    bool hops;
    uint16_t npaths; /* 0: nothing can stand in the way */
    uint32_t path;
};

/* Where a side's longest result is, to be reported by the table. */
struct bk_longest {
    int plies; /* -1: none */
    struct bk_placement at;
    uint64_t number;
};

/* What a finished block adds up to; [side to move]. */
struct bk_tally {
    uint64_t win[2], draw[2], loss[2];             /* one a symmetry class */
    uint64_t all_win[2], all_draw[2], all_loss[2]; /* all placements */
    struct bk_longest longest_win[2], longest_loss[2];
};

struct bk_solver {
    const struct bk_variant *v;
    const struct bk_index *ix;
    const struct bk_block *b;
    struct bk_spill *store; /* of the state; borrowed, may be NULL */
    unsigned nouter;
    struct bk_outer outer[BK_OUTERS_MAX];
    struct bk_inner inner;
    unsigned nfixed;
    uint8_t fixed_slot[BK_SLOTS_MAX], fixed_sq[BK_SLOTS_MAX];
    uint32_t nconf;
    uint32_t pitch;  /* sets a slice takes: nconf, filled up to whole vectors */
    uint32_t nvec;   /* vectors of sets in it */
    uint32_t nmarks; /* words of 64 marks, one a vector */
    uint32_t width;  /* squares of the inner man: nsq, or 1 without one */
    uint32_t nslices;
    bool distances;
    bool attains;       /* when solved, tells what exits attain: kernel/attain.h */
    bool compact;       /* no `open`: what is won and undecided at once is saved by a way out */
    unsigned k_limit;   /* largest plies / 2 that dtw_bytes can hold */
    unsigned dtw_bytes; /* 1 or 2; 0 without distances */

    /* compiled moves */
    struct bk_kmove *move;
    uint32_t nmove;
    struct bk_vmove *vmove;
    uint32_t nvmove;
    void *vpath; /* vectors of sets */
    uint32_t nvpath;
    uint32_t *link[BK_SLOTS_MAX]; /* by slot: from * nsq + to -> 1 + first reach, 0 none */
    bool change_ok[BK_SLOTS_MAX][BK_TYPES_MAX + 1][BK_SQ_MAX]; /* may become .. on ..;
                                                    [BK_TYPES_MAX]: may stay as it is */
    bool change_here[BK_SLOTS_MAX][BK_TYPES_MAX][BK_SQ_MAX];   /* the same, in place */
    uint8_t all_sq[BK_SQ_MAX];                                 /* 0, 1, 2, ... */
    uint8_t (*conf_sq)[BK_OUTERS_MAX]; /* squares of the outers, by configuration */
    void *conf_occ;                    /* the same as a set */
    void *conf_count;                  /* inner squares counted: equal men once */
    uint8_t *conf_clash;               /* two outers (or an outer and a fixed man) share a square */
    bool equal_men;                    /* some mobile men are alike */
    bool kings_only;                   /* nothing else moves: kings.c; no moves are compiled */
    uint32_t *conf_turned[BK_SYMMETRIES]; /* configuration after a symmetry of the block */
    void *turn_tab[BK_SYMMETRIES];        /* by byte and value: the set after the symmetry */
    void *inner_sets;                     /* cell, where it may stay, where each step begins */
    struct bk_king_move *king_move[2];    /* by side; a slice's are [king_first[slice] .. + 1]) */
    uint32_t *king_first[2];
    uint32_t *king_back[2], *king_back_first[2]; /* slices from which a king comes */
    struct bk_exit *exit;
    uint32_t nexit;
    struct bk_fixed_step step[BK_LINKS_MAX], unstep[BK_LINKS_MAX]; /* to and from other blocks */
    unsigned nstep, nunstep;
    bool borrows; /* king tables and scratch are another solver's of the chain */

    /* state (state.h lists it); [side to move][slice * pitch + configuration] */
    void *won[2];       /* won by now, or illegal, or two men on one square */
    void *und[2];       /* legal and not decided */
    void *open[2];      /* undecided, and no way out that saves the mover; NULL if compact */
    void *fwin[2];      /* wins found in the last odd ply */
    void *floss[2];     /* losses found in the last even ply */
    void *dtw[2];       /* plies / 2, by square of the inner man: width a configuration; NULL
                           without distances */
    uint64_t *waits[2]; /* mask of plies / 2 (the last bit: or more) at which a position
                           is to be looked at, whatever moved */
    uint64_t *vector_waits[2], *slice_waits[2]; /* the same of a whole vector, of a slice */
    uint8_t *delay[2]; /* by vector: plies / 2 of its latest losing way out */
    uint64_t *fwin_marks[2], *floss_marks[2]; /* vectors with anything: [slice * nmarks + ..] */
    uint8_t *fwin_any[2], *floss_any[2];      /* any in this slice? */
    uint8_t *todo_win[2], *todo_lose[2];      /* the next such pass has something to do here */
    unsigned k_wait_max;
    int last_win[2], last_loss[2]; /* plies of the last ones found; -1: none */
    uint32_t ply;
    void *piece; /* in which those lie that do not stay: state.h */
    void **work; /* by thread: scratch */
};

struct bk_kernel {
    const char *name;
    unsigned set_bits;
    /* sizes */
    size_t set_bytes;
    unsigned lanes; /* sets in a vector */
    size_t (*work_bytes)(const struct bk_solver *s);
    size_t turn_bytes; /* of one bk_solver.turn_tab */
    /* conf_occ, conf_count, turn_tab, moves by vectors; false: no memory */
    bool (*compile_tables)(struct bk_solver *s);
    /* passes over one slice by one thread; return whether anything was new */
    void (*init)(struct bk_solver *s, uint32_t slice, void *work);
    bool (*mated)(struct bk_solver *s, uint32_t slice, unsigned side, void *work);
    bool (*win)(struct bk_solver *s, uint32_t slice, unsigned side, void *work);
    bool (*lose)(struct bk_solver *s, uint32_t slice, unsigned side, void *work);
    /* turns dtw into codes in place, won and und into the two bitmaps of memtable.h, adds up;
       `tally` is the thread's own */
    void (*finish)(struct bk_solver *s, uint32_t slice, struct bk_tally *tally, void *work);
    /* after finish(): what exits attain, to floss (wdl) and fwin (distances) */
    void (*attain)(struct bk_solver *s, uint32_t slice, void *work);
    /* marks illegal positions in codes that were read from a file */
    void (*mark_illegal)(struct bk_solver *s, uint32_t slice, struct bk_memblock *mb,
                         unsigned code_bytes, void *work);
};

/*
 * Solves a block in which only the kings can move (all other men are pawns,
 * say): kings.c.  s: prepared, with its ways out.  Writes mb's codes and the
 * tally; distances as for the kernels.  False: no memory.  *too_far: distances
 * do not fit.
 */
typedef bool bk_kings_solver(struct bk_solver *s, struct bk_memblock *mb, struct bk_tally *tally,
                             bool *too_far);
bk_kings_solver *bk_kings_for(unsigned nsq);

/* The best kernel this machine runs for a board of nsq squares. */
const struct bk_kernel *bk_kernel_for(unsigned nsq);

/* Finds the table in memory for a material in canonical colours; NULL if not loaded. */
typedef const struct bk_memtable *bk_find_table(void *context, const struct bk_material *m);

struct bk_progress {
    const char *table;
    uint32_t block, nblocks;
    uint32_t ply;
    uint64_t positions; /* solved so far, both sides */
    uint64_t positions_all;
};

struct bk_solve_job {
    struct bk_memtable *t; /* filled: codes of every block that was not let go */
    bool distances;
    unsigned k_max; /* plies / 2 that one byte may hold, for tests; 0: as many as it can */
    bk_find_table *find;
    void *find_context;
    struct bk_pool *pool;
    /*
     * Told by the caller's thread; NULL is fine.  begin: t's order of digits and
     * code_bytes are set; once more if distances turn out to be longer than one
     * byte holds, and then nothing of what was solved counts.  solved: these
     * blocks are done.
     */
    enum bk_err (*begin)(void *context, struct bk_report *why);
    enum bk_err (*solved)(void *context, const uint32_t *block, uint32_t n, struct bk_report *why);
    void *sink_context;
    /* save: what the sink has so far, in order to go on from there; load: after begin(), the
       same back, false when it cannot */
    void (*save)(void *context, struct bk_writer *w);
    bool (*load)(void *context, struct bk_reader *r);
    struct bk_checkpoint *checkpoint;              /* NULL: none; all set but for `next` */
    void (*note)(void *context, const char *text); /* to sink_context: what is no error */
    struct bk_solving *solving;                    /* solve.c's own */
    enum bk_manner manner;
    bool attain; /* fill bk_memblock.attained of every block */
    bool let_go; /* free a block once it is `encoded` and nothing to be solved leads to it */
    void (*progress)(void *context, const struct bk_progress *p); /* NULL is fine */
    void *progress_context;
    const volatile int *stop; /* set by a signal: give up with BK_E_SYSTEM */
};

/*
 * Solves t->ix's material.  Every table it can move into must be found.
 * Threads: those of the pool.  Cost: docs/performance.md.
 */
enum bk_err bk_solve_table(struct bk_solve_job *job, struct bk_tally *tally, struct bk_report *why);

/* Blocks that are encoded at a time: how each lies in its file has to be known, 8 bytes a slice,
   and that of many small blocks adds up. */
#define BK_WALKS 64

/* What solving a table takes, in bytes; codes of one byte where there are distances. */
struct bk_solve_needs {
    uint64_t codes; /* of all blocks, once they are solved */
    uint64_t peak;  /* at the worst moment, without the encoder's buffers and other tables */
    uint64_t fixed; /* of that, what no store holds: the threads' scratch, tables of moves */
    uint64_t room;  /* what one piece of work of each thread touches of the rest */
    bool chains;    /* there are any, and they are solved together */
};

/* manner, let_go: as in bk_solve_job, if blocks are encoded by chunks of so many positions. */
enum bk_err bk_solve_needs(struct bk_solve_needs *out, const struct bk_index *ix, bool distances,
                           enum bk_manner manner, bool let_go, uint32_t chunk_positions,
                           unsigned threads, struct bk_report *why);

/* Lays a table's codes out as the solver would and marks illegal positions (zero = illegal)
   in codes already there; for tables read from files. */
enum bk_err bk_solve_layout(struct bk_memtable *t, uint32_t block, struct bk_report *why);
enum bk_err bk_solve_mark_illegal(struct bk_memtable *t, struct bk_pool *pool,
                                  struct bk_report *why);

#endif
