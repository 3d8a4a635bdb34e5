/*
 * verify.h - every position of a file against its successors.
 *
 * Uses the plain move generator and the files; none of the kernels.  A position
 * must be worth what the best of its moves brings.
 *
 * Cost: some 2 us a position where the values of the table and of all that it
 * leads to fit the memory allowed, a byte or two for each position and side to
 * move (tb/settled.h).  Else, and for samples, each is asked as the library
 * asks (table/settle.h): some 6 us a position, and no more memory than files
 * keep of what has been read (table/cache.h).
 */
#ifndef BK_VERIFY_H
#define BK_VERIFY_H

#include "table/catalog.h"
#include "tb/memory/pool.h"

#define BK_VERIFY_MEMORY (UINT64_C(2) << 30)

struct bk_verify_options {
    struct bk_pool *pool;
    uint64_t sample; /* look at so many numbers, one of each equal part of the table; 0: all */
    uint64_t seed;   /* of the sample: which of each part */
    uint64_t memory; /* bytes of values at most; 0: BK_VERIFY_MEMORY */
    void *context;
    void (*progress)(void *context, uint64_t done, uint64_t all); /* NULL is fine */
    const volatile int *stop; /* nonzero: give up soon (BK_E_SYSTEM "interrupted"); NULL is fine */
};

struct bk_verify_result {
    uint64_t positions;         /* legal ones looked at */
    uint64_t different;         /* of them, wrong */
    char first_fen[BK_FEN_MAX]; /* the first wrong one */
    char first_why[160];
    struct bk_summary counted; /* recounted, when all were looked at (no longest_*) */
    bool counts_agree;         /* with the header's, and its longest; true for a sample */
};

/*
 * Verifies the table of m (canonical colours).  Tables it can move into must be in `dir`, too.
 * Returns BK_OK when all agree; BK_E_DIFFERS; BK_E_NO_TABLE; BK_E_CORRUPT; BK_E_NEWER; ...
 */
enum bk_err bk_verify(const struct bk_variant *v, const char *dir, const struct bk_material *m,
                      const struct bk_verify_options *o, struct bk_verify_result *out,
                      struct bk_report *why);

#endif
