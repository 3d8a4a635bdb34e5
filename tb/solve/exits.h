/*
 * exits.h - the exits (conversions) of a block: moves that lead to another table, or to another
 * block of the same table, which is solved by then.
 */
#ifndef BK_EXITS_H
#define BK_EXITS_H

#include "tb/kernel/setup.h"

/* The tables that exits lead to. */
struct bk_exit_tables {
    const struct bk_memtable *own; /* the table being solved */
    /* the table in memory for a material in canonical colours; NULL: there is none */
    const struct bk_memtable *(*find)(void *context, const struct bk_material *m);
    void *context;
};

/*
 * Lists the exits of a prepared block and finds the table of each.  Equal men
 * can be told apart by their squares alone: the capture of each is an exit.
 * Returns BK_OK; BK_E_NO_TABLE, naming it; BK_E_SYSTEM (memory).
 */
enum bk_err bk_exits_find(struct bk_setup *s, const struct bk_exit_tables *tables,
                          struct bk_report *why);

/*
 * Returns whether some man makes double steps within its cell: one that can
 * come back to where they began (a commoner, say).  En passant needs double
 * steps to be exits of the block.
 */
bool bk_exits_doubles_within_cell(const struct bk_index *ix);

#endif
