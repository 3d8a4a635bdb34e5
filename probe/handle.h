/*
 * handle.h - what is behind a handle, and what every public call begins and ends with.
 *
 * A handle has a game, a cache, and what was found of its tables.  The last is replaced as a whole
 * by bk_refresh() and bk_set_paths().  Each call is a read section of the cache (table/cache.h): it
 * goes on with what it began with, which is retired, and freed after the last such call.
 */
#ifndef BK_HANDLE_H
#define BK_HANDLE_H

#include "core/derive.h"
#include "probe/bareking.h"
#include "table/catalog.h"

/* The tables of a game as they were found; of the handle's, or of one derived for a FEN. */
struct bk_found {
    struct bk_held held; /* to be retired when it is replaced */
    const struct bk_variant *v;
    struct bk_variant *owned; /* v, if it is derived */
    struct bk_catalog *catalog;
    char *paths;                        /* owned; the handle's folders */
    _Atomic(struct bk_found *) derived; /* the first derived game; of a derived game, the next */
    uint64_t bytes;            /* of a derived game; of the handle's, of all derived ones */
    unsigned boards;           /* derived games that there are */
    _Atomic uint64_t made;     /* derived games that have ever been made */
    struct bk_derivation from; /* of a derived game, as `asked` is */
    _Atomic uint64_t asked;    /* base->made when it was asked last */
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
 * Begins a call, and checks it: is there a game to ask, are all pointers `given`, are there no
 * other flags than `known`?  bk_call_end() must follow, whatever is returned.
 */
enum bk_err bk_call_open(struct bk_call *call, struct bk_lib *lib, bool given, unsigned flags,
                         unsigned known);
/* As bk_call_open().  Inline, so that a static checker sees that the caller goes on only with
   pointers that are given. */
static inline enum bk_err bk_call_begin(struct bk_call *call, struct bk_lib *lib, bool given,
                                        unsigned flags, unsigned known)
{
    enum bk_err err = bk_call_open(call, lib, given, flags, known);

    return given ? err : BK_E_USAGE;
}
/* Ends a call: the thread's last error is this call's, if there is one. */
enum bk_lib_err bk_call_end(struct bk_call *call, enum bk_err err);
/* The code that bk_call_end() would return. */
enum bk_lib_err bk_call_code(const struct bk_call *call, enum bk_err err);

/* The thread's last error, kept and put back around calls whose failure is not the caller's
   concern. */
struct bk_last {
    uint64_t serial; /* of the handle whose call failed; 0: of none */
    struct bk_report why;
};
void bk_last_get(struct bk_last *out);
void bk_last_set(const struct bk_last *before);

/* Sets call->on to the game that a FEN is asked in. */
enum bk_err bk_call_for_fen(struct bk_call *call, const char *fen);

#endif
