/*
 * handle.h - what is behind a handle, and what every public call begins and ends with.
 *
 * A handle has a game, a cache, and what was found of its tables.  The latter is exchanged as a
 * whole when somebody asks to look again; calls that are under way go on with what they began with,
 * for each is a visit of the cache (table/cache.h), and what is old is released after the last.
 */
#ifndef BK_HANDLE_H
#define BK_HANDLE_H

#include "core/derive.h"
#include "probe/bareking.h"
#include "table/catalog.h"

/* The tables of a game as they were found; of the handle's, or of one derived for a FEN. */
struct bk_found {
    struct bk_held held; /* when it is old */
    const struct bk_variant *v;
    struct bk_variant *owned; /* v, if it is derived */
    struct bk_catalog *catalog;
    char *paths;                        /* of the handle's */
    _Atomic(struct bk_found *) derived; /* the first; of a derived one, the next */
    uint64_t bytes;                     /* of a derived one; of the handle's, of all of these */
    unsigned boards;                    /* how many of these there are */
    _Atomic uint64_t made;              /* and have ever been */
    struct bk_derivation from;          /* of a derived one, as what follows */
    _Atomic uint64_t asked;             /* how many had been made when it was asked last */
};

/* A public call under way. */
struct bk_call {
    struct bk_lib *lib;
    struct bk_found *base, *on; /* the handle's game; the one that is asked */
    struct bk_report *why;      /* the thread's own */
    enum bk_lib_err usage;      /* what bad input is called now */
    unsigned visit;
    bool visiting, was_only;
};

/*
 * Begins a call: is there a game to ask, are all pointers `given`, are there no other flags than
 * `known`?  bk_call_end() must follow.
 */
enum bk_err bk_call_open(struct bk_call *call, struct bk_lib *lib, bool given, unsigned flags,
                         unsigned known);
/* Said where a checker of a caller sees it: it goes on with pointers that are given alone. */
static inline enum bk_err bk_call_begin(struct bk_call *call, struct bk_lib *lib, bool given,
                                        unsigned flags, unsigned known)
{
    enum bk_err err = bk_call_open(call, lib, given, flags, known);

    return given ? err : BK_E_USAGE;
}
/* Ends it: the thread's last error is this call's, if there is one. */
enum bk_lib_err bk_call_end(struct bk_call *call, enum bk_err err);
/* The code that bk_call_end() would return. */
enum bk_lib_err bk_call_code(const struct bk_call *call, enum bk_err err);

/* The thread's last error, to be put back where calls on the way to an answer fail in vain. */
struct bk_last {
    uint64_t serial; /* of the handle whose call failed; 0: of none */
    struct bk_report why;
};
void bk_last_get(struct bk_last *out);
void bk_last_set(const struct bk_last *before);

/* Sets call->on to the game that a FEN is asked in. */
enum bk_err bk_call_for_fen(struct bk_call *call, const char *fen);

#endif
