/*
 * fuzz_checkpoint.c - the input is the part of a checkpoint behind its magic and fingerprint; with
 * a right checksum it is given to a build that resumes.
 *
 * The table is a small one.  From such a checkpoint it may be built, or refused; it may be
 * wrong, since a checkpoint is the builder's own and not a stranger's (docs/security.md).
 */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "core/read.h"
#include "tb/make/build.h"
#include "tests/fuzz/fuzz.h"

#define HEAD_BYTES 16

static const char game[] =
    "[variant]\nname = small\nboard = 4x4\nbare-king = wins\nstalemate = loss\n"
    "[piece king]\nletter = K\nroyal = yes\nmove = K\n"
    "[piece man]\nletter = Q\nmove = F\n"
    "[piece pawn]\nletter = P\nmove = mfWcfF\nranks = 2-4\n"
    "becomes = 4 must Q\n";

static struct {
    char dir[FUZZ_DIR_MAX], path[FUZZ_DIR_MAX + 32];
    struct bk_variant *v;
    struct bk_pool *pool;
    struct bk_material m;
    volatile int stop;
    unsigned char head[HEAD_BYTES];
} own;

static void stop_at_checkpoint(void *context, const struct bk_plan_table *t,
                               const struct bk_progress *p)
{
    (void)context;
    (void)t;
    (void)p;
    own.stop |= !access(own.path, F_OK);
}

static enum bk_err build(bool stop)
{
    struct bk_build_options o = { .pool = own.pool,
                                  .effort = BK_EFFORT_FAST,
                                  .progress = stop ? stop_at_checkpoint : NULL,
                                  .checkpoint_seconds = stop ? 1e-9 : 1e9, /* else only read */
                                  .frugal = getenv("FUZZ_LITTLE"),
                                  .stop = &own.stop };
    struct bk_report why = { "" };
    struct bk_plan *plan;
    enum bk_err err = bk_plan_new(&plan, own.v, own.dir, &own.m, 1, 0, true, &why);

    FUZZ_CHECK(!err);
    own.stop = 0;
    err = bk_build(plan, &o, &why);
    bk_plan_free(plan);
    return err;
}

static void tidy(void)
{
    char path[FUZZ_DIR_MAX + 16];

    snprintf(path, sizeof path, "rm -rf '%s'", own.dir);
    FUZZ_CHECK(!system(path));
}

static void remove_table(void)
{
    char path[FUZZ_DIR_MAX + 32];

    snprintf(path, sizeof path, "%s/small/KQvKP.bkw", own.dir);
    unlink(path);
    snprintf(path, sizeof path, "%s/small/KQvKP.bkd", own.dir);
    unlink(path);
}

/* Makes a real checkpoint for its first bytes; FUZZ_SEED names a file for all of it, as a seed;
   with FUZZ_LITTLE the build has little memory. */
static void begin(void)
{
    const char *keep = getenv("FUZZ_SEED");
    struct bk_report why;
    FILE *in;

    fuzz_folder(own.dir);
    atexit(tidy);
    FUZZ_CHECK(bk_variant_parse(&own.v, "small.ini", game, &why) == BK_OK);
    FUZZ_CHECK(bk_pool_open(&own.pool, 1, &why) == BK_OK);
    FUZZ_CHECK(bk_material_parse(&own.m, own.v, "KQvKP", &why) == BK_OK);
    snprintf(own.path, sizeof own.path, "%s/small/.KQvKP.ckpt", own.dir);
    build(true);
    in = fopen(own.path, "rb");
    FUZZ_CHECK(in && fread(own.head, 1, HEAD_BYTES, in) == HEAD_BYTES);
    if (keep) {
        static unsigned char all[1 << 20];
        size_t n = fread(all, 1, sizeof all, in);
        FILE *out = fopen(keep, "wb");

        FUZZ_CHECK(out && n > 8 && fwrite(all, 1, n - 8, out) == n - 8);
        fclose(out);
    }
    fclose(in);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    unsigned char *all = malloc(HEAD_BYTES + n + 8);
    uint64_t sum;
    FILE *out;

    if (!own.v)
        begin();
    FUZZ_CHECK(all);
    memcpy(all, own.head, HEAD_BYTES);
    if (n)
        memcpy(all + HEAD_BYTES, bytes, n);
    sum = XXH64(all, HEAD_BYTES + n, 0);
    memcpy(all + HEAD_BYTES + n, &sum, 8);
    remove_table();
    out = fopen(own.path, "wb");
    FUZZ_CHECK(out && fwrite(all, 1, HEAD_BYTES + n + 8, out) == HEAD_BYTES + n + 8);
    fclose(out);
    free(all);
    build(false);
    return 0;
}
