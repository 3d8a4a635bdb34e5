/*
 * plan.h - the tables that a request needs, each after those it can move into.
 */
#ifndef BK_PLAN_H
#define BK_PLAN_H

#include "table/head.h"
#include "table/material.h"
#include "tb/encode/unit.h"
#include "tb/kernel/kernel.h"
#include "tb/memory/meter.h"
#include "tb/memory/pack.h"
#include "tb/solve/order.h"
#include "tb/solve/owners.h"

/* held_bytes of a table whose blocks are freed one by one, as soon as nothing needs them. */
#define BK_NEVER_HELD (UINT64_MAX / 4)

struct bk_plan_table {
    struct bk_material m;
    char name[BK_MATERIAL_NAME_MAX];
    uint64_t positions;      /* both sides */
    uint64_t anew_positions; /* estimate: of tables that are on disk, but solved again for it */
    uint64_t memory_bytes;   /* estimate of the peak while it is made: budget.h */
    uint64_t solving_bytes;  /* the same while it is solved: no value changes it */
    uint64_t held_bytes;     /* estimate: what stays in memory for others once it is solved */
    uint64_t frame_bytes;    /* of its index and its blocks' descriptions, besides */
    uint64_t least_bytes;    /* the smallest memory limit with which it can be made */
    uint64_t
        spill_room; /* memory that a spill must leave free: one piece of work for each thread */
    uint64_t encode_bytes;   /* optional cache memory of encoding; solving takes as much */
    uint64_t together_bytes; /* limit of encoding's columns: encode/foretell.h */
    uint64_t room_bytes;     /* limit of encoding large units: likewise */
    uint64_t disk_bytes;     /* of the files that are there, or an estimate */
    /* Estimate, by kind: what several processes send each other while it is made, and while other
       tables are solved again for it; nothing for BK_SENDS_WORDS: budget.h. */
    uint64_t sent_bytes[BK_TRAFFICS];
    double work[BK_WORKS];   /* estimate, of one core (pace.h); tables solved again for it count as
                                solving */
    double seconds;          /* estimate of wall time at a pace of 1 on each core: budget.h */
    uint64_t guess_bytes[2]; /* estimate, by kind of file: disk.h */
    bool present;            /* files are there (with distances, if asked for) */
    bool damaged;            /* files are there, and cannot be trusted: bk_plan_check() */
    bool had_distances;  /* not present, but its results promise distances, or these are there */
    bool unreadable;     /* files are there, perhaps good, and the system refuses them */
    bool with_distances; /* so its files say, if there are any */
    bool standalone;     /* likewise */
    bool results_there;  /* a .bk5 that the distances to the end will stand beside */
    enum bk_strategy strategy; /* how its blocks will be solved: order.h */
    struct bk_part part;       /* what others of the plan read of it: bk_plan_parts() */
    bool pawns;                /* it has several blocks, of which one may lead to another */
    bool by_share;             /* processes solve all its blocks together: solve/share.h */
    bool anew_apart; /* if it is solved again for others, its blocks are solved one by one */
    uint32_t *next;  /* owned: tables that it can move into, by number in the plan */
    unsigned nnext;
};

/* Returns the least memory limit with which a table can be made: on disk, or in memory if less. */
static inline uint64_t bk_plan_least(const struct bk_plan_table *t)
{
    return t->least_bytes < t->memory_bytes ? t->least_bytes : t->memory_bytes;
}

struct bk_plan {
    const struct bk_variant *v;     /* borrowed */
    const struct bk_kernel *kernel; /* chosen here for all tables */
    char dir[3072];
    bool distances;
    uint16_t nmove;           /* they are to zeroing: bk_plan_to_zeroing(); 0: to the end */
    bool five_alone;          /* to zeroing: no file has the distances */
    bool beside_five;         /* to the end: another plan makes five results first, which these
                                 distances will stand beside */
    bool anew;                /* see bk_plan_anew() */
    uint64_t machine_bytes;   /* memory that a process here may have; 0: all of the machine's */
    bool holds_more;          /* resident tables may take a third of memory, not a quarter: there is
                                 enough, and no limit is set */
    uint64_t process_bytes;   /* estimate: what a process takes whatever it makes: budget.h */
    uint64_t foretold;        /* hash of what memory was estimated from; 0: it was not */
    unsigned processes;       /* that will make the tables together; 0: one */
    struct bk_owners owners;  /* bk_plan_owners() */
    enum bk_effort effort;    /* bk_plan_encode() */
    bool alone;               /* the same: files will answer without others */
    const volatile int *stop; /* borrowed; nonzero: bk_plan_memory() fails with BK_E_SYSTEM */
    /* Called for each table before its memory is estimated; NULL is fine. */
    void (*foretells)(void *watcher, const struct bk_plan *p, unsigned nth);
    void *watcher;               /* borrowed */
    struct bk_plan_table *table; /* dependency order */
    unsigned n;
};

/*
 * Plans what is to be built.
 *
 * m, n  the materials wanted, or n = 0 and men: all materials of up to so many men
 * dir   need not exist
 * Tables decided by rule (bare kings) are left out: there is nothing to build.
 * Fails with BK_E_USAGE if there are more than BK_PLAN_TABLES_MOST, as soon as so many are
 * found.  Cost: for each table that of its index, a few ms with five men, some 50 with seven.
 */
#define BK_PLAN_TABLES_MOST 1500
enum bk_err bk_plan_new(struct bk_plan **out, const struct bk_variant *v, const char *dir,
                        const struct bk_material *m, unsigned n, unsigned men, bool distances,
                        struct bk_report *why);
/*
 * Lists the materials of such a plan, each after those that it can move into, without looking for
 * their files or numbering their positions.
 *
 * *out  owned, *found of them
 *
 * Cost: some ten us a table.
 */
enum bk_err bk_plan_materials(struct bk_material **out, unsigned *found, const struct bk_variant *v,
                              const struct bk_material *m, unsigned n, unsigned men,
                              struct bk_report *why);
/*
 * Turns a new plan with distances into one of distances to zeroing, by the n-move rule of its game:
 * of .bk5 and .bkz, or, with `five_alone`, of .bk5.  BK_E_USAGE: the game has no such rule, or
 * zeroing moves that can be undone.
 */
enum bk_err bk_plan_to_zeroing(struct bk_plan *p, bool five_alone, struct bk_report *why);
/* Turns a new plan with distances to the end into one that will be carried out after such a plan of
   the same tables, and leaves out the results that are there by then. */
void bk_plan_beside_five(struct bk_plan *p);
/* Returns the kind of the plan's files, of results or distances. */
static inline enum bk_kind bk_plan_kind(const struct bk_plan *p, bool distances)
{
    return bk_kind_of(distances, p->nmove);
}
/* Will there be a file of distances? */
static inline bool bk_plan_keeps_distances(const struct bk_plan *p)
{
    return p->distances && !p->five_alone;
}
/* Scales the estimates of file sizes to this effort, and to files that answer alone or not.  Those
   of a new plan are for normal effort, and for files that are read with others. */
void bk_plan_encode(struct bk_plan *p, enum bk_effort effort, bool standalone);
/* Returns the bytes that a table's file of this kind will have: known, or estimated (disk.h). */
uint64_t bk_plan_file_bytes(const struct bk_plan *p, const struct bk_plan_table *t,
                            enum bk_kind kind);
/* Are the files of a table there by now?  Sets present and disk_bytes.  Reads all of
   the files of a damaged table. */
bool bk_plan_look(const struct bk_plan *p, struct bk_plan_table *t);
/* Returns why the files of a table cannot be used, by their heads: BK_OK, they can;
   BK_E_NO_TABLE, there are none; BK_E_CORRUPT, or distances that the results promise are gone;
   BK_E_NEWER; BK_E_SYSTEM. */
enum bk_err bk_plan_fault(const struct bk_plan *p, const struct bk_plan_table *t,
                          struct bk_report *why);
/*
 * Reads all bytes of the files that are there: a table with one that is damaged, or with distances
 * promised and missing, is to be made again.  Planning alone reads heads.
 *
 * damaged  called for each such table, with what is wrong; NULL is fine
 *
 * Returns how many there are.  Cost: that of reading the files, some GB/s where they are in memory.
 */
unsigned bk_plan_check(struct bk_plan *p, void *context,
                       void (*damaged)(void *context, const char *text));
void bk_plan_free(struct bk_plan *p);
/* *out: the owners for the plan's processes, borrowed from it; NULL if there is one process.
   BK_E_SYSTEM: no memory.  Cost: that of bk_owners_new(), the first time. */
enum bk_err bk_plan_owners(const struct bk_owners **out, struct bk_plan *p, struct bk_report *why);

/* Does a table move into the one with the number `table`? */
bool bk_plan_leads(const struct bk_plan_table *t, uint32_t table);

/*
 * Sets `out` to who reads which slices of a table that several processes solve: the table itself
 * and, with `keep`, tables that are missing, or will be solved again for a missing one.  False: one
 * of those reads all of it. Cost: that of the materials one move away from each.
 */
bool bk_plan_reading(struct bk_reading *out, const struct bk_plan *p, uint32_t table, bool keep);

/*
 * Turns a plan that makes missing tables into one that makes again those that are there: of the `n`
 * materials m, or, if n is 0, of all, the tables whose files are like the plan (with distances or
 * without) and `standalone` or not.  All others count as present: no file of theirs is written, and
 * if one is needed it is solved in memory.  Before bk_plan_memory(); m canonical.
 * Returns how many will be made.
 */
unsigned bk_plan_anew(struct bk_plan *p, const struct bk_material *m, unsigned n, bool standalone);

/* == Parts that are read == */

/* Sets the part of each table that tables of the plan read when they move into it: who is to move
   then, and where the man stands that a pawn, or any other man that changes, has become. */
void bk_plan_parts(struct bk_plan *p);

#endif
