/*
 * mine.h - looks through a table for positions of some kind.
 *
 * What the kinds mean is said in docs/study.md, and nowhere else so exactly.
 * The rows of the table (values.h) are searched in portions.  The finds of a portion are handed out
 * in the order of the table's numbers before the next portion begins.  So the same command finds
 * the same positions in the same order with any number of threads.
 *
 * Memory: 13 MB whatever the table, and 48 bytes for each of the best that are asked for (64 times
 * as many problems).
 *
 * Each class of positions that symmetries make one is looked at once; in a
 * table whose sides have the same men, with White to move.
 */
#ifndef BK_STUDY_MINE_H
#define BK_STUDY_MINE_H

#include "study/values.h"
#include "study/where.h"

enum study_kind {
    STUDY_ANY,
    STUDY_ZUGZWANG,
    STUDY_FULL_ZUGZWANG,
    STUDY_LONGEST,
    STUDY_ONLY_MOVE,
    STUDY_BARE_RACE,
    STUDY_DOMINATION,
    STUDY_CURSED,
    STUDY_COMPOSE,
    STUDY_KINDS,
};

/* Names of the kinds, as the command has them: "full-zugzwang". */
extern const char *const study_kind_names[STUDY_KINDS];
/* Does the kind rank its finds: are all compared before the best are shown? */
bool study_kind_ranks(enum study_kind kind);

/* Candidates that are kept for each problem asked for: many are parts of others. */
#define STUDY_PROBLEMS 64

/* A position that was found. */
struct study_find {
    struct bk_pos p;
    uint64_t number;       /* in its table */
    struct bk_worth worth; /* of the side to move */
    struct bk_worth other; /* of the other side, if it were to move; wdl BK_WORTH_NONE: not legal,
                              or not looked at */
    char move[16];         /* the only one, or a problem's first; "": neither */
    uint8_t man;           /* square of the dominated man, or BK_SQ_NONE */
    uint16_t squares;      /* that the dominated man could go to */
    uint16_t idle;         /* of a problem: men that neither move nor are taken */
    const char *line; /* its moves, with blanks between; borrowed while it is shown; else NULL */
};

/* Numbers of finds by side to move and wdl + 1. */
struct study_counts {
    uint64_t n[2][3];
};

struct study_mine {
    enum study_kind kind;
    const struct study_where *where; /* NULL: all */
    uint64_t limit;                  /* finds at most; 0: no limit, of kinds that do not rank */
    struct study_counts *counts; /* finds are counted there, and not shown; else NULL.  Not of kinds
                                    that rank */
    bool *more; /* of kinds that rank, out: there were more of them than were kept.  NULL is fine */
    void *context;
    void (*found)(void *context, const struct study_find *f);
    void (*progress)(void *context, uint64_t done, uint64_t all); /* NULL is fine */
};

/*
 * Looks through x as `o` says, and calls o->found() with each find.  Returns BK_OK; BK_E_NO_TABLE
 * (what is missing); BK_E_USAGE (it needs distances that are not there); BK_E_CORRUPT; BK_E_SYSTEM
 * (interrupted, too).
 */
enum bk_err study_mine_run(struct study_values *x, const struct study_mine *o,
                           struct bk_report *why);

/* Sets *kind to the kind of that name; false: there is none. */
bool study_kind_of(const char *name, enum study_kind *kind);

#endif
