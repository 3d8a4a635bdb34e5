/*
 * checkpoint.c - see checkpoint.h.
 *
 *   8 bytes  magic
 *   8        fingerprint
 *   ...      what was written; an array as pieces of a MiB, each with 4 bytes
 *            for its packed size in front
 *   8        XXH64 of all before
 */
#include "tb/memory/checkpoint.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "core/clock.h"
#include "table/write.h"
#include "tb/memory/spill.h"

#define MAGIC                                                                                      \
    "\x89"                                                                                         \
    "BKC\r\n\x1a\n"
#define PIECE (1u << 20)
#define HELD  (1u << 16) /* bytes that are written at once, at least */
#define LEVEL 1          /* the disk is slower */

/* Pieces under way, packed side by side. */
struct pieces {
    unsigned n;
    unsigned char **packed; /* room for a piece each */
    uint32_t *bytes;
    char *at; /* the next byte of the array */
    size_t left;
    atomic_bool good;
    atomic_int refused; /* of unpacking: ENOMEM */
    struct bk_spill *spill;
};

/* Not by stdio, which gives up what it holds where write() is interrupted: a checkpoint is written
   just when signals come. */
struct bk_writer {
    struct bk_checkpoint *c;
    char path[BK_PART_MAX];
    int fd;       /* -1: could not be made */
    uint64_t at;  /* bytes that are in the file */
    char *buffer; /* of HELD bytes: what comes after them */
    size_t held;  /* bytes in it */
    XXH64_state_t *sum;
    struct pieces pieces;
    double begun;
    int error; /* the first; 0: none */
};

struct bk_reader {
    struct bk_checkpoint *c;
    FILE *in;
    uint64_t left; /* bytes before the checksum */
    struct pieces pieces;
    bool good;
    int refused; /* errno */
};

bool bk_checkpoint_due(struct bk_checkpoint *c)
{
    if (!c || c->seconds <= 0)
        return false;
    if (c->next == 0)
        c->next = bk_now_seconds() + c->seconds;
    return bk_now_seconds() >= c->next;
}

/* == Pieces == */

static void pieces_release(struct pieces *p)
{
    for (unsigned i = 0; p->packed && i < p->n; i++)
        free(p->packed[i]);
    free(p->packed);
    free(p->bytes);
}

static bool pieces_init(struct pieces *p, const struct bk_checkpoint *c)
{
    bool ok;

    p->spill = c->spill;
    p->n = 2 * bk_pool_threads(c->pool);
    p->packed = calloc(p->n, sizeof *p->packed);
    p->bytes = calloc(p->n, sizeof *p->bytes);
    ok = p->packed && p->bytes;
    for (unsigned i = 0; ok && i < p->n; i++)
        ok = (p->packed[i] = malloc(ZSTD_compressBound(PIECE))) != NULL;
    return ok;
}

static size_t piece_bytes(const struct pieces *p, uint64_t nth)
{
    size_t rest = p->left - (size_t)nth * PIECE;

    return rest < PIECE ? rest : PIECE;
}

static void pack_piece(void *context, uint64_t nth, unsigned thread)
{
    struct pieces *p = context;
    size_t n;

    (void)thread;
    bk_spill_ease(p->spill);
    n = ZSTD_compress(p->packed[nth], ZSTD_compressBound(PIECE), p->at + nth * PIECE,
                      piece_bytes(p, nth), LEVEL);
    if (ZSTD_isError(n))
        atomic_store_explicit(&p->good, false, memory_order_relaxed);
    else
        p->bytes[nth] = (uint32_t)n;
}

static void unpack_piece(void *context, uint64_t nth, unsigned thread)
{
    struct pieces *p = context;
    size_t want = piece_bytes(p, nth), n;

    (void)thread;
    bk_spill_ease(p->spill);
    n = ZSTD_decompress(p->at + nth * PIECE, want, p->packed[nth], p->bytes[nth]);
    if (n == want)
        return;
    if (ZSTD_getErrorCode(n) == ZSTD_error_memory_allocation)
        atomic_store_explicit(&p->refused, ENOMEM, memory_order_relaxed);
    atomic_store_explicit(&p->good, false, memory_order_relaxed);
}

/* How many pieces come next. */
static unsigned round_of(const struct pieces *p)
{
    size_t all = (p->left + PIECE - 1) / PIECE;

    return all < p->n ? (unsigned)all : p->n;
}

static void advance(struct pieces *p)
{
    size_t bytes = (size_t)p->n * PIECE;

    bytes = bytes < p->left ? bytes : p->left;
    p->at += bytes;
    p->left -= bytes;
}

/* == Writing == */

static void fail(struct bk_writer *w, int error)
{
    if (!w->error)
        w->error = error ? error : EIO;
}

static void create(struct bk_writer *w)
{
    w->fd = bk_file_create_part(w->path, w->c->path);
    if (w->fd < 0)
        fail(w, errno);
}

/* Writes bytes behind those that are in the file. */
static void append(struct bk_writer *w, const void *from, size_t bytes)
{
    int error = bk_write_at(w->fd, from, bytes, w->at);

    w->at += bytes;
    if (error)
        fail(w, error);
}

static void flush(struct bk_writer *w)
{
    if (!w->error && w->held)
        append(w, w->buffer, w->held);
    w->held = 0;
}

enum bk_err bk_writer_open(struct bk_writer **out, struct bk_checkpoint *c, struct bk_report *why)
{
    struct bk_writer *w = calloc(1, sizeof *w);

    if (!w)
        return bk_no_memory(why);
    w->c = c;
    w->begun = bk_now_seconds();
    w->fd = -1;
    w->sum = XXH64_createState();
    w->buffer = malloc(HELD);
    if (w->sum && w->buffer && pieces_init(&w->pieces, c))
        create(w);
    else
        fail(w, ENOMEM);
    if (w->sum)
        XXH64_reset(w->sum, 0);
    bk_write(w, MAGIC, 8);
    bk_write(w, &c->fingerprint, 8);
    *out = w;
    return BK_OK;
}

void bk_write(struct bk_writer *w, const void *from, size_t bytes)
{
    if (w->error)
        return;
    XXH64_update(w->sum, from, bytes);
    if (bytes > HELD - w->held)
        flush(w);
    if (bytes > HELD) {
        append(w, from, bytes);
    } else if (bytes) {
        memcpy(w->buffer + w->held, from, bytes);
        w->held += bytes;
    }
}

void bk_write_array(struct bk_writer *w, const void *from, size_t bytes)
{
    struct pieces *p = &w->pieces;

    p->at = (char *)from;
    p->left = bytes;
    p->good = true;
    while (!w->error && p->left) {
        unsigned n = round_of(p);

        bk_pool_run(w->c->pool, n, pack_piece, p);
        if (!p->good)
            fail(w, ENOMEM);
        for (unsigned i = 0; i < n; i++) {
            bk_write(w, &p->bytes[i], 4);
            bk_write(w, p->packed[i], p->bytes[i]);
        }
        advance(p);
    }
}

void bk_write_file(struct bk_writer *w, int fd, uint64_t bytes)
{
    unsigned char *buffer = w->pieces.packed ? w->pieces.packed[0] : NULL;

    for (uint64_t at = 0; !w->error && at < bytes;) {
        ssize_t got = pread(fd, buffer, bytes - at < PIECE ? bytes - at : PIECE, (off_t)at);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            fail(w, got ? errno : EIO);
            return;
        }
        bk_write(w, buffer, (size_t)got);
        at += (uint64_t)got;
    }
}

/* Syncs and closes the file. */
static void finish(struct bk_writer *w)
{
    flush(w);
    while (!w->error && fsync(w->fd))
        if (errno != EINTR)
            fail(w, errno);
    if (w->fd >= 0 && close(w->fd) && errno != EINTR) /* what is synced is there */
        fail(w, errno);
}

enum bk_err bk_writer_commit(struct bk_writer *w, struct bk_report *why)
{
    uint64_t sum = w->sum ? XXH64_digest(w->sum) : 0;
    enum bk_err err = BK_OK;

    bk_write(w, &sum, 8);
    finish(w);
    if (!w->error && rename(w->path, w->c->path))
        fail(w, errno);
    if (w->error) {
        err = bk_fail(why, BK_E_SYSTEM, "%s: %s", w->path, strerror(w->error));
        if (w->fd >= 0)
            unlink(w->path);
    }
    w->c->next = w->begun + w->c->seconds;
    if (w->c->next < bk_now_seconds() + 3 * (bk_now_seconds() - w->begun))
        w->c->next = bk_now_seconds() + 3 * (bk_now_seconds() - w->begun);
    pieces_release(&w->pieces);
    if (w->sum)
        XXH64_freeState(w->sum);
    free(w->buffer);
    free(w);
    return err;
}

/* == Reading == */

/* Reads all of these bytes, interrupted or not.  False: there are fewer, or, if *error is set to an
   errno, they cannot be read, which does not mean damage. */
static bool take(FILE *in, void *to, size_t bytes, int *error)
{
    for (size_t done = 0;;) {
        done += fread((char *)to + done, 1, bytes - done, in);
        if (done == bytes)
            return true;
        if (!ferror(in) || errno != EINTR) {
            *error = ferror(in) ? errno : *error;
            return false;
        }
        clearerr(in);
    }
}

static enum bk_err cannot_be_read(const char *path, int error, const char *damage,
                                  struct bk_report *why)
{
    return error ? bk_fail(why, BK_E_SYSTEM, "%s: %s", path, strerror(error))
                 : bk_fail(why, BK_E_CORRUPT, "%s: %s", path, damage);
}

/* Compares the checksum of so many bytes with the eight bytes behind them. */
static enum bk_err check_sum(FILE *in, uint64_t bytes, const char *path, struct bk_report *why)
{
    XXH64_state_t *sum = XXH64_createState();
    char *buffer = malloc(PIECE);
    uint64_t left = bytes, said;
    bool room = sum && buffer, good = room;
    int error = 0;

    if (room)
        XXH64_reset(sum, 0);
    while (good && left) {
        size_t n = left < PIECE ? (size_t)left : PIECE;

        good = take(in, buffer, n, &error);
        if (good)
            XXH64_update(sum, buffer, n);
        left -= n;
    }
    good = good && take(in, &said, 8, &error) && said == XXH64_digest(sum);
    if (sum)
        XXH64_freeState(sum);
    free(buffer);
    if (!room)
        return bk_no_memory(why);
    return good ? BK_OK : cannot_be_read(path, error, "damaged", why);
}

/* Opens nothing but a plain file: a pipe would never answer, a link may lead anywhere.  A file that
   is there and cannot be opened now may be good: BK_E_SYSTEM, not BK_E_NO_TABLE. */
static enum bk_err open_file(FILE **out, const char *path, struct bk_report *why)
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
    struct stat st;
    bool plain;

    *out = NULL;
    if (fd < 0 && (errno == ENOENT || errno == ELOOP || errno == ENXIO))
        return BK_E_NO_TABLE;
    if (fd < 0)
        return bk_fail(why, BK_E_SYSTEM, "%s: %s", path, strerror(errno));
    plain = !fstat(fd, &st) && S_ISREG(st.st_mode);
    if (plain && (*out = fdopen(fd, "rb")))
        return BK_OK;
    close(fd);
    return plain ? bk_no_memory(why) : BK_E_NO_TABLE;
}

enum bk_err bk_reader_open(struct bk_reader **out, struct bk_checkpoint *c, struct bk_report *why)
{
    struct bk_reader *r = calloc(1, sizeof *r);
    uint64_t fingerprint = 0;
    char magic[8] = "";
    long bytes = -1;
    int error = 0;
    enum bk_err err = BK_OK;

    if (!r)
        return bk_no_memory(why);
    r->c = c;
    err = open_file(&r->in, c->path, why);
    if (err) {
        free(r);
        return err;
    }
    if (fseek(r->in, 0, SEEK_END) == 0)
        bytes = ftell(r->in);
    rewind(r->in);
    if (bytes < 24 || !take(r->in, magic, 8, &error) || memcmp(magic, MAGIC, 8) ||
        !take(r->in, &fingerprint, 8, &error))
        err = cannot_be_read(c->path, error, "no checkpoint", why);
    else if (fingerprint != c->fingerprint)
        err = bk_fail(why, BK_E_NO_TABLE, "%s: of another version, or for other rules or options",
                      c->path);
    rewind(r->in);
    if (!err)
        err = check_sum(r->in, (uint64_t)bytes - 8, c->path, why);
    if (!err && (fseek(r->in, 16, SEEK_SET) || !pieces_init(&r->pieces, c)))
        err = bk_no_memory(why);
    r->left = (uint64_t)bytes - 24;
    r->good = true;
    if (err)
        bk_reader_close(r);
    else
        *out = r;
    return err;
}

bool bk_read(struct bk_reader *r, void *to, size_t bytes)
{
    int error = 0;

    r->good = r->good && bytes <= r->left && take(r->in, to, bytes, &error);
    if (r->good)
        r->left -= bytes;
    if (error)
        bk_reader_refuse(r, error);
    return r->good;
}

bool bk_read_array(struct bk_reader *r, void *to, size_t bytes)
{
    struct pieces *p = &r->pieces;

    p->at = to;
    p->left = bytes;
    p->good = true;
    while (r->good && p->left) {
        unsigned n = round_of(p);

        for (unsigned i = 0; r->good && i < n; i++)
            r->good = bk_read(r, &p->bytes[i], 4) && p->bytes[i] <= ZSTD_compressBound(PIECE) &&
                      bk_read(r, p->packed[i], p->bytes[i]);
        if (!r->good)
            break;
        bk_pool_run(r->c->pool, n, unpack_piece, p);
        r->good = p->good;
        if (p->refused)
            bk_reader_refuse(r, p->refused);
        advance(p);
    }
    return r->good;
}

bool bk_read_file(struct bk_reader *r, int fd, uint64_t bytes)
{
    unsigned char *buffer = r->pieces.packed[0];

    for (uint64_t at = 0; r->good && at < bytes;) {
        size_t n = bytes - at < PIECE ? (size_t)(bytes - at) : PIECE;
        int error = bk_read(r, buffer, n) && fd >= 0 ? bk_write_at(fd, buffer, n, at) : 0;

        if (error)
            bk_reader_refuse(r, error);
        at += n;
    }
    return r->good;
}

void bk_reader_refuse(struct bk_reader *r, int error)
{
    r->good = false;
    r->refused = r->refused ? r->refused : error;
}

int bk_reader_refused(const struct bk_reader *r) { return r->refused; }

uint64_t bk_reader_left(const struct bk_reader *r) { return r->left; }

void bk_reader_close(struct bk_reader *r)
{
    if (!r)
        return;
    pieces_release(&r->pieces);
    if (r->in)
        fclose(r->in);
    free(r);
}

/* == Parts, and what is left == */

void bk_checkpoint_part(char out[BK_CHECKPOINT_PATH_MAX], const char *path, uint32_t generation,
                        unsigned rank)
{
    snprintf(out, BK_CHECKPOINT_PATH_MAX, "%s.%08x.%u", path, generation, rank);
}

/* Returns what follows `name` and a dot in the name of a part of that checkpoint, else NULL. */
static const char *part_of(const char *file, const char *name)
{
    size_t n = strlen(name);

    if (strncmp(file, name, n) || file[n] != '.' || strspn(file + n + 1, "0123456789abcdef") != 8 ||
        file[n + 9] != '.')
        return NULL;
    return file + n + 1;
}

/* Which parts: those of a generation, or those of others (0: all). */
struct some_parts {
    uint32_t generation;
    bool others;
};

static bool is_one(const struct some_parts *some, const char *part)
{
    char own[16];

    snprintf(own, sizeof own, "%08x.", some->generation);
    return !strncmp(part, own, strlen(own)) != some->others;
}

static void sweep_parts(const char *path, struct some_parts some)
{
    char folder[BK_CHECKPOINT_PATH_MAX], file[2 * BK_CHECKPOINT_PATH_MAX];
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *part;
    struct dirent *entry;
    DIR *d;

    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
    d = opendir(folder);
    while (d && (entry = readdir(d))) {
        part = part_of(entry->d_name, name);
        if (!part || !is_one(&some, part))
            continue;
        snprintf(file, sizeof file, "%s/%s", folder, entry->d_name);
        unlink(file);
    }
    if (d)
        closedir(d);
}

void bk_checkpoint_remove_parts(const char *path, uint32_t generation)
{
    sweep_parts(path, (struct some_parts){ generation, true });
}

void bk_checkpoint_remove_generation(const char *path, uint32_t generation)
{
    sweep_parts(path, (struct some_parts){ generation, false });
}

void bk_checkpoint_remove(const char *path, bool parts)
{
    parts |= !unlink(path); /* first: without it nothing of the parts is believed */
    bk_file_withdraw(path);
    if (parts)
        bk_checkpoint_remove_parts(path, 0);
}
