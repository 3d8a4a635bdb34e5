/*
 * handle.h - handles of the library, for tests.  What cannot be opened fails the test.
 */
#ifndef HANDLE_H
#define HANDLE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "probe/bareking.h"

/* White wins by the golden tables of chess. */
#define KRVK "8/8/8/3k4/8/8/8/R3K3 w - - 0 1"

static inline struct bk_lib *lib_with(const char *game, const struct bk_options *o)
{
    struct bk_lib *lib;

    if (bk_open_with(&lib, game, o))
        fail_msg("%s", bk_error(lib));
    return lib;
}

/* A handle of a game and the tables in folders; paths NULL: as BAREKING_DIR says. */
static inline struct bk_lib *lib_of(const char *game, const char *paths)
{
    const struct bk_options o = { .struct_size = sizeof o, .paths = paths };

    return lib_with(game, &o);
}

static inline struct bk_answer answer_to(struct bk_lib *lib, const char *fen)
{
    struct bk_answer a;

    if (bk_probe_fen(lib, fen, &a))
        fail_msg("%s: %s", fen, bk_error(lib));
    return a;
}

static inline void assert_same(const struct bk_answer *a, const struct bk_answer *b,
                               const char *fen)
{
    if (memcmp(a, b, sizeof *a))
        fail_msg("%s: %+d in %d, or %+d in %d", fen, a->wdl, a->dtw, b->wdl, b->dtw);
}

/* == A host that has no file and counts the calls == */

static inline int64_t no_size(void *asked, const char *path)
{
    (void)path;
    ++*(unsigned *)asked;
    return BK_LIB_NONE;
}

static inline int no_read(void *asked, const char *path, uint64_t at, void *to, size_t bytes)
{
    (void)path;
    (void)at;
    (void)to;
    (void)bytes;
    ++*(unsigned *)asked;
    return BK_LIB_BROKEN;
}

static inline struct bk_host no_host(unsigned *asked)
{
    return (struct bk_host){ sizeof(struct bk_host), asked, no_size, no_read };
}

#endif
