/*
 * tables.h - the files that answer a material, and the tables one move away from it.
 *
 * A file numbers positions of its canonical material; so the colours of a position may have to be
 * exchanged, and the board turned with them.  Then the squares of the men are all that is needed,
 * in the order of the file: the white king, the black one, the slots of its index.
 *
 * An exit (a conversion: a capture or a change of a man) leads to another file, which has its men
 * in another order.  A *link* maps the men of one file to those of the other, for all exits that
 * take and change the same men.  It is found once and kept with the table.
 */
#ifndef BK_TABLES_H
#define BK_TABLES_H

#include "core/move.h"
#include "table/decode.h"

struct bk_links; /* links from a table to others, by exit */

struct bk_origin; /* the permanent record of a table that may be evicted and opened again */

/* The files that answer a material, with its colours as a position has them. */
struct bk_table {
    struct bk_file *wdl, *dtw;  /* borrowed; dtw NULL: no distances */
    struct bk_file *five, *dtz; /* borrowed: by the n-move rule, or NULL.  Where there are no other
                                   results `wdl` is `five` */
    const char *damaged;        /* borrowed; the error of damaged distances, or NULL */
    const char *damaged_five;   /* likewise, of either file by the n-move rule */
    bool exchanged;             /* it is kept with the colours exchanged */
    const uint8_t *swap;        /* by square: its image if colours are exchanged; or NULL */
    struct bk_origin *origin;   /* borrowed; outlives the table */
    struct bk_cache *cache;     /* borrowed; counts its links */
    struct bk_held *held;       /* its cache entry */
    /* set by bk_table_finish() */
    bool wdl_is_five;
    bool same_numbers;              /* dtw and wdl number positions alike */
    bool same_five, same_dtz;       /* so do these and wdl */
    bool one_side;                  /* of the wdl file */
    const struct bk_index *ix;      /* the wdl file's */
    const struct bk_table_men *men; /* borrowed from links */
    struct bk_links *links;         /* owned */
};

/* Fills in the rest of a table whose files, swap and origin are set.  False: no memory. */
bool bk_table_finish(struct bk_table *t);
void bk_table_release(struct bk_table *t);
/* Has the table no distances to ask for?  Damaged ones may be asked for: that is an error. */
static inline bool bk_table_lacks_distances(const struct bk_table *t)
{
    return !t->dtw && !t->damaged;
}
/* Returns the error of asking for distances where dtw is NULL: BK_E_CORRUPT, or BK_E_NO_TABLE. */
enum bk_err bk_table_no_distances(const struct bk_table *t, struct bk_report *why);
/* Do its results promise distances to the end, or are some there?  Five results promise none. */
static inline bool bk_table_promises_distances(const struct bk_table *t)
{
    return t->wdl_is_five ? !bk_table_lacks_distances(t) : bk_file_info(t->wdl)->distances;
}
/* Returns the file of a kind, or NULL; of results, what answers for it. */
static inline struct bk_file *bk_table_file(const struct bk_table *t, enum bk_kind kind)
{
    struct bk_file *const file[BK_KINDS] = { t->wdl, t->dtw, t->five, t->dtz };

    return file[kind];
}
/* Returns the file whose summary counts plies to the end, where there are any. */
static inline const struct bk_file *bk_table_summed(const struct bk_table *t)
{
    return t->wdl_is_five && t->dtw ? t->dtw : t->wdl;
}
/* Returns the result that a value of `wdl` means: -1, 0, +1; below -1: none. */
static inline int bk_table_result(const struct bk_table *t, unsigned value)
{
    if (!t->wdl_is_five)
        return BK_WDL_DRAW - (int)value;
    if (value > BK_FIVE_LOSS)
        return BK_WDL_DRAW - (int)value;
    return (value < BK_FIVE_DRAW) - (value > BK_FIVE_DRAW);
}
/* Returns the error of asking for a file by the n-move rule that is not there. */
enum bk_err bk_table_no_five(const struct bk_table *t, struct bk_report *why);
uint64_t bk_table_memory(const struct bk_table *t); /* of the table, without files and links */

/*
 * An open table is an entry of a cache (cache.h), and may be evicted: a pointer to it is valid
 * until the read section ends.  Its origin is never evicted, and links point to that.
 */
struct bk_opened {
    struct bk_held held;
    char *damaged, *damaged_five; /* owned */
    struct bk_table table[2]; /* canonical; with the colours exchanged, if the board allows it */
};

struct bk_origin {
    bk_home opened; /* slot of a struct bk_opened */
};

/* Returns the open table of an origin; NULL: it is not open. */
static inline const struct bk_table *bk_origin_table(struct bk_origin *o, bool exchanged)
{
    struct bk_held *h = bk_held_at(&o->opened);

    return h ? &((struct bk_opened *)h)->table[exchanged] : NULL;
}

/* Where tables come from: two functions and their context, as of a catalogue. */
struct bk_tables {
    const struct bk_variant *v;
    /*
     * Finds the table of a position that no bare king decides; *out is valid until the read section
     * ends.  Looks at the counts, allowances and rights of p alone.
     * Returns BK_OK; BK_E_NO_TABLE; any other error.  why may be NULL.
     */
    enum bk_err (*find)(void *context, const struct bk_pos *p, const struct bk_table **out,
                        struct bk_report *why);
    /* Opens a table again that find() has found before and the cache has evicted. */
    enum bk_err (*open)(void *context, struct bk_origin *origin, bool exchanged,
                        const struct bk_table **out, struct bk_report *why);
    void *context;
    struct bk_cache *cache; /* of the files: each question is a read section of it; NULL: the caller
                               is in one already */
};

/* Finds the number of a position in file `f` of the table.  BK_E_ILLEGAL: it has none.  Cost: some
 * 60 ns. */
enum bk_err bk_spot_of(struct bk_spot *out, const struct bk_table *t, const struct bk_file *f,
                       const struct bk_pos *p, struct bk_report *why);

/* == Positions by squares alone == */

/* A position as a list of squares, in the order of a table's files. */
struct bk_men {
    const struct bk_table *table;
    struct bk_spot spot; /* number UINT64_MAX: not asked yet, and not turned */
};

/*
 * Facts about the men of a table, the same for all its positions.
 *
 * listed         moves are those of the plain generator (core/move.h): there are castling rights,
 *                or men who take two
 * alone          by kind of file, of results `wdl`: it is standalone, so that no exit need be asked
 * changes        by colour: a bit for each man who may change somewhere
 * alike, passes  a bit for each man who moves as he takes; whose double steps can be taken in
 *                passing
 * bares          by side to move: how many men a capture takes that bares a side which may lose by
 *                it; 0: none does
 * draws_go_on    stalemate is no draw, so the mover of a drawn position has a move
 * change, stand  by man: the squares from which a move may change him; on which he may stand
 * place          by [0] colours as they are, [1] exchanged, then by man of a position: the first
 * man of the table of his type and colour
 */
struct bk_table_men {
    bool listed, alone[BK_KINDS];
    unsigned n, of[2]; /* men; of each colour */
    unsigned changes[2], alike, passes, bares[2];
    bool draws_go_on;
    uint8_t place[2][2 * BK_TYPES_MAX + 1];
    struct bk_bits change[BK_MEN_MAX], stand[BK_MEN_MAX];
};
/* Sets `out` to the men of a position of the table; the number is not asked yet.  BK_E_ILLEGAL: a
   rook with a right is not at home. */
enum bk_err bk_men_place(struct bk_men *out, const struct bk_table *t, const struct bk_pos *p,
                         struct bk_report *why);

/* Returns where bk_men_place() puts each square of a position; NULL: where it is. */
const uint8_t *bk_men_swap(const struct bk_table *t, const struct bk_pos *p);

/* Finds the number, and turns the men as the number has them.  BK_E_ILLEGAL: there is none. */
enum bk_err bk_men_number(struct bk_men *m, struct bk_report *why);

/* Sets `out` to the position of the men, with the colours exchanged throughout if the table has it
   so. */
void bk_men_position(const struct bk_men *m, struct bk_pos *out);

/* Man `by` goes to `to`, takes man `taken` (0: nobody), and becomes something (or BK_STAYS). */
struct bk_step_of_men {
    uint8_t by, to, taken, becomes;
    uint8_t also;    /* the second man taken; if none is taken, the rook that castles; 0: nobody */
    uint8_t also_to; /* where that rook goes */
    uint8_t rights;  /* castling rights that end, as the files have the colours */
    uint8_t how;     /* BK_STEP_* */
};

#define BK_STEP_COUNTED 1u /* the change uses up an allowance */
#define BK_STEP_PASSING 2u /* it sets an en passant square */

/* Are they the same move?  `how` may differ: it follows from where men stand. */
static inline bool bk_same_step(struct bk_step_of_men a, struct bk_step_of_men b)
{
    return a.by == b.by && a.to == b.to && a.taken == b.taken && a.becomes == b.becomes &&
           a.also == b.also;
}

/* Is it an exit: does it lead to another material, rights included? */
static inline bool bk_step_exits(struct bk_step_of_men step)
{
    return step.taken || step.becomes != BK_STAYS || step.rights;
}

/* Does it lead to the same table, with the other side to move? */
static inline bool bk_step_stays(const struct bk_men *m, struct bk_step_of_men step)
{
    return !bk_step_exits(step) && !m->table->one_side;
}

/* Sets `out` to the men after a step that stays. */
static inline void bk_men_stay(const struct bk_men *m, struct bk_step_of_men step,
                               struct bk_men *out)
{
    *out = *m;
    bk_placement_put(&out->spot.at, step.by, step.to);
    out->spot.side = !m->spot.side;
    out->spot.number = UINT64_MAX;
}

/* Sets `out` to the men after any step; the other side is to move.  The errors of find(), too: an
   exit may lead to a table that is missing. */
enum bk_err bk_men_move(const struct bk_tables *tables, const struct bk_men *m,
                        struct bk_step_of_men step, struct bk_men *out, struct bk_report *why);

#endif
