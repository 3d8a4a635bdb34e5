/*
 * verify.h - every position of a file against its successors.
 *
 * Uses the plain move generator and the files as they are; none of the
 * kernels.  A position must be worth what the best of its moves brings.
 */
#ifndef BK_VERIFY_H
#define BK_VERIFY_H

#include "table/format.h"
#include "tb/pool.h"

struct bk_verify_options {
    struct bk_pool *pool;
    uint64_t sample; /* look at so many random positions; 0: all */
    uint64_t seed;   /* of the sample */
    void *context;
    void (*progress)(void *context, uint64_t done, uint64_t all); /* NULL is fine */
    const volatile int *stop;
};

struct bk_verify_result {
    uint64_t positions;  /* legal ones looked at */
    uint64_t different;  /* of them, wrong */
    char first_fen[BK_FEN_MAX]; /* the first wrong one */
    char first_why[160];
    struct bk_summary counted; /* recounted, when all were looked at (no longest_*) */
    bool counts_agree;         /* with the header's; true for a sample */
};

/*
 * m: canonical colours.  Tables it can move into must be in `dir`, too.
 * Returns BK_OK when all agree; BK_E_DIFFERS; BK_E_NO_TABLE; BK_E_CORRUPT; ...
 */
enum bk_err bk_verify(const struct bk_variant *v, const char *dir, const struct bk_material *m,
                      const struct bk_verify_options *o, struct bk_verify_result *out,
                      struct bk_report *why);

#endif
