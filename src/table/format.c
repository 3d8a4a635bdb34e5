/*
 * format.c - reads and writes table files as docs/format.md lays them out.
 *
 * Everything is read with pread(): a file that shrinks under us gives an error
 * and not a signal.  Section numbers refer to docs/format.md.
 */
#include "table/format.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>
#include <zstd.h>

#include "core/homes.h"

/* section 2: the fixed part of the header */
#define MAGIC                                                                                      \
    "\x89"                                                                                         \
    "BKT\r\n\x1a\n"
enum {
    AT_MAGIC = 0,
    AT_VERSION = 8,
    AT_KIND = 10,
    AT_VALUE_BYTES = 11,
    AT_HEADER_BYTES = 12,
    AT_RULES_ID = 16,
    AT_POSITIONS = 24,
    AT_CHUNK_POSITIONS = 32,
    AT_CHUNKS = 36,
    AT_NORDER = 40,
    AT_ORDER = 41,
    AT_FLAGS = 48,
    AT_VARIANT = 56,
    AT_MATERIAL = 120,
    AT_SUMMARY = 216,
    AT_DIRECTORY = 376,
};
#define FLAG_DISTANCES      1
#define CHUNK_POSITIONS_MAX (1u << 20)
#define CACHE_BYTES         ((size_t)8 << 20) /* decoded chunks a file keeps at most */

/* == Little-endian numbers == */

static void put(unsigned char *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (unsigned char)(value >> (8 * i));
}

static uint64_t get(const unsigned char *at, unsigned bytes)
{
    uint64_t value = 0;

    for (unsigned i = bytes; i-- > 0;)
        value = value << 8 | at[i];
    return value;
}

/* == Paths == */

char *bk_table_path(char *out, const char *dir, const struct bk_variant *v,
                    const struct bk_material *m, enum bk_kind kind)
{
    char game[64], name[BK_MATERIAL_NAME_MAX];

    snprintf(out, PATH_MAX, "%s/%s/%s.%s", dir, bk_homes_name(v, bk_wings(m->rights), game),
             bk_material_name(m, v, name), kind == BK_KIND_WDL ? "bkw" : "bkd");
    return out;
}

/* == The header == */

/* section 3: the summary, ten numbers a side */
static void put_summary(unsigned char *at, const struct bk_summary *s)
{
    for (unsigned side = 0; side < 2; side++) {
        const uint64_t value[10] = {
            s->win[side],
            s->draw[side],
            s->loss[side],
            s->all_win[side],
            s->all_draw[side],
            s->all_loss[side],
            (uint64_t)s->win_plies[side],
            s->win_number[side],
            (uint64_t)s->loss_plies[side],
            s->loss_number[side],
        };

        for (unsigned i = 0; i < 10; i++, at += 8)
            put(at, value[i], 8);
    }
}

static void get_summary(const unsigned char *at, struct bk_summary *s)
{
    for (unsigned side = 0; side < 2; side++, at += 80) {
        s->win[side] = get(at, 8);
        s->draw[side] = get(at + 8, 8);
        s->loss[side] = get(at + 16, 8);
        s->all_win[side] = get(at + 24, 8);
        s->all_draw[side] = get(at + 32, 8);
        s->all_loss[side] = get(at + 40, 8);
        s->win_plies[side] = (int64_t)get(at + 48, 8);
        s->win_number[side] = get(at + 56, 8);
        s->loss_plies[side] = (int64_t)get(at + 64, 8);
        s->loss_number[side] = get(at + 72, 8);
    }
}

static size_t header_bytes(uint32_t chunks) { return AT_DIRECTORY + 16 * (size_t)chunks + 8; }

static void put_header(unsigned char *h, const struct bk_file_info *info,
                       const struct bk_chunk *chunk)
{
    size_t bytes = header_bytes(info->chunks);

    memset(h, 0, bytes);
    memcpy(h + AT_MAGIC, MAGIC, 8);
    put(h + AT_VERSION, BK_FORMAT_VERSION, 2);
    put(h + AT_KIND, info->kind, 1);
    put(h + AT_VALUE_BYTES, info->value_bytes, 1);
    put(h + AT_HEADER_BYTES, bytes, 4);
    put(h + AT_RULES_ID, info->rules_id, 8);
    put(h + AT_POSITIONS, info->positions, 8);
    put(h + AT_CHUNK_POSITIONS, info->chunk_positions, 4);
    put(h + AT_CHUNKS, info->chunks, 4);
    put(h + AT_NORDER, info->norder, 1);
    memcpy(h + AT_ORDER, info->order, info->norder);
    put(h + AT_FLAGS, info->distances ? FLAG_DISTANCES : 0, 4);
    snprintf((char *)h + AT_VARIANT, 64, "%s", info->variant);
    snprintf((char *)h + AT_MATERIAL, 96, "%s", info->material);
    put_summary(h + AT_SUMMARY, &info->summary);
    for (size_t i = 0; i < 2 * (size_t)info->chunks; i++) {
        put(h + AT_DIRECTORY + 8 * i, chunk[i].bytes, 4);
        put(h + AT_DIRECTORY + 8 * i + 4, chunk[i].checksum, 4);
    }
    put(h + bytes - 8, XXH64(h, bytes - 8, 0), 8);
}

/* section 4: four values a byte, or one or two bytes a value */
static size_t raw_bytes(const struct bk_file_info *info, uint32_t n)
{
    return info->kind == BK_KIND_WDL ? ((size_t)n + 3) / 4 : (size_t)n * info->value_bytes;
}

/* == Reading == */

/* One decoded chunk; whoever holds the lock may look or replace. */
struct slot {
    pthread_mutex_t lock;
    uint64_t tag; /* chunk + 1; 0 empty */
    unsigned char *raw;
};

struct bk_file {
    char *path;
    int fd;
    struct bk_file_info info;
    struct bk_index *ix;
    uint64_t bytes;
    uint64_t *offset;   /* of each chunk, and of the end */
    uint32_t *checksum; /* of each chunk */
    struct slot *slot;
    unsigned nslots;
};

static enum bk_err damaged(const struct bk_file *f, struct bk_report *why, const char *what)
{
    return bk_fail(why, BK_E_CORRUPT, "%s: damaged: %s", f->path, what);
}

static bool read_at(int fd, void *to, size_t bytes, uint64_t at)
{
    char *p = to;

    while (bytes) {
        ssize_t got = pread(fd, p, bytes, (off_t)at);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        p += got;
        at += (uint64_t)got;
        bytes -= (size_t)got;
    }
    return true;
}

/* The numbers of the fixed part must fit each other before any is believed. */
static enum bk_err check_numbers(struct bk_file *f, const unsigned char *h, struct bk_report *why)
{
    struct bk_file_info *i = &f->info;
    uint64_t chunks;

    if (memcmp(h, MAGIC, 8))
        return damaged(f, why, "not a bareking table (magic number)");
    if (get(h + AT_VERSION, 2) != BK_FORMAT_VERSION)
        return bk_fail(why, BK_E_CORRUPT, "%s: format version %d; this program reads version %d",
                       f->path, (int)get(h + AT_VERSION, 2), BK_FORMAT_VERSION);
    i->kind = h[AT_KIND];
    i->value_bytes = h[AT_VALUE_BYTES];
    if (i->kind > BK_KIND_DTW || i->value_bytes > 2 ||
        (i->kind == BK_KIND_DTW) != (i->value_bytes > 0))
        return damaged(f, why, "kind of values");
    i->rules_id = get(h + AT_RULES_ID, 8);
    i->positions = get(h + AT_POSITIONS, 8);
    i->chunk_positions = (uint32_t)get(h + AT_CHUNK_POSITIONS, 4);
    i->chunks = (uint32_t)get(h + AT_CHUNKS, 4);
    i->norder = h[AT_NORDER];
    if (!i->chunk_positions || i->chunk_positions > CHUNK_POSITIONS_MAX ||
        i->norder > BK_SLOTS_MAX + 1)
        return damaged(f, why, "chunk size");
    chunks = i->positions / i->chunk_positions + (i->positions % i->chunk_positions != 0);
    if (chunks != i->chunks || get(h + AT_HEADER_BYTES, 4) != header_bytes(i->chunks) ||
        header_bytes(i->chunks) > f->bytes)
        return damaged(f, why, "sizes of the header do not fit each other or the file");
    memcpy(i->order, h + AT_ORDER, sizeof i->order);
    i->distances = get(h + AT_FLAGS, 4) & FLAG_DISTANCES;
    memcpy(i->variant, h + AT_VARIANT, sizeof i->variant);
    i->variant[sizeof i->variant - 1] = 0;
    memcpy(i->material, h + AT_MATERIAL, sizeof i->material);
    i->material[sizeof i->material - 1] = 0;
    get_summary(h + AT_SUMMARY, &i->summary);
    return BK_OK;
}

static enum bk_err read_directory(struct bk_file *f, const unsigned char *h, struct bk_report *why)
{
    size_t n = 2 * (size_t)f->info.chunks;

    f->offset = malloc((n + 1) * sizeof *f->offset);
    f->checksum = malloc((n + 1) * sizeof *f->checksum);
    if (!f->offset || !f->checksum)
        return bk_fail(why, BK_E_SYSTEM, "%s: out of memory", f->path);
    f->offset[0] = header_bytes(f->info.chunks);
    for (size_t i = 0; i < n; i++) {
        f->offset[i + 1] = f->offset[i] + get(h + AT_DIRECTORY + 8 * i, 4);
        f->checksum[i] = (uint32_t)get(h + AT_DIRECTORY + 8 * i + 4, 4);
    }
    if (f->offset[n] != f->bytes)
        return bk_fail(why, BK_E_CORRUPT, "%s: damaged: %llu bytes, the directory says %llu",
                       f->path, (unsigned long long)f->bytes, (unsigned long long)f->offset[n]);
    return BK_OK;
}

static enum bk_err read_header(struct bk_file *f, struct bk_report *why)
{
    unsigned char fixed[AT_DIRECTORY], *h;
    size_t bytes;
    enum bk_err err;

    if (f->bytes < header_bytes(0) || !read_at(f->fd, fixed, sizeof fixed, 0))
        return damaged(f, why, "shorter than a header");
    err = check_numbers(f, fixed, why);
    if (err)
        return err;
    bytes = header_bytes(f->info.chunks);
    h = malloc(bytes);
    if (!h)
        return bk_fail(why, BK_E_SYSTEM, "%s: out of memory", f->path);
    if (!read_at(f->fd, h, bytes, 0))
        err = damaged(f, why, "cut short in the header");
    else if (get(h + bytes - 8, 8) != XXH64(h, bytes - 8, 0))
        err = damaged(f, why, "checksum of the header");
    else
        err = read_directory(f, h, why);
    free(h);
    return err;
}

static enum bk_err check_rules(const struct bk_file *f, uint64_t want, struct bk_report *why)
{
    if (f->info.rules_id == want)
        return BK_OK;
    return bk_fail(why, BK_E_CORRUPT, "%s: made for %s with other rules (%016llx, not %016llx)",
                   f->path, f->info.variant, (unsigned long long)f->info.rules_id,
                   (unsigned long long)want);
}

/* Is it the numbering of this material in this game? */
static enum bk_err check_meaning(struct bk_file *f, const struct bk_variant *v,
                                 struct bk_report *why)
{
    struct bk_material m;
    struct bk_report inner = { "" };
    uint32_t seen = 0;
    enum bk_err err = BK_OK;

    if (f->info.rules_id != v->wings_id[0] && f->info.rules_id != v->wings_id[1] &&
        f->info.rules_id != v->wings_id[2])
        err = check_rules(f, v->rules_id, why); /* before letters are read by wrong rules */
    if (!err && bk_material_parse(&m, v, f->info.material, &inner))
        return damaged(f, why, inner.text);
    if (!err)
        err = check_rules(f, v->wings_id[bk_wings(m.rights)], why);
    if (err)
        return err;
    for (unsigned i = 0; i < f->info.norder; i++) {
        unsigned slot = f->info.order[i];

        if (slot != BK_KINGS_SLOT && slot >= BK_SLOTS_MAX)
            return damaged(f, why, "order of the men");
        seen |= 1u << (slot == BK_KINGS_SLOT ? 31 : slot);
    }
    if (f->info.norder != bk_material_men(&m, v) - 1 ||
        (unsigned)__builtin_popcount(seen) != f->info.norder ||
        (seen & 0x7fffffff) != (1u << (f->info.norder - 1)) - 1)
        return damaged(f, why, "order of the men");
    err = bk_index_new(&f->ix, v, &m, f->info.order, why);
    if (err)
        return err;
    if (f->ix->positions != f->info.positions)
        return damaged(f, why, "number of positions");
    return BK_OK;
}

/* As many slots as chunks, or as the budget holds; their memory comes when used. */
static enum bk_err make_cache(struct bk_file *f, struct bk_report *why)
{
    size_t fit = CACHE_BYTES / (raw_bytes(&f->info, f->info.chunk_positions) + 1) + 1;
    size_t all = 2 * (size_t)f->info.chunks;

    f->slot = calloc((all < fit ? all : fit) + 1, sizeof *f->slot);
    if (!f->slot)
        return bk_fail(why, BK_E_SYSTEM, "%s: out of memory", f->path);
    f->nslots = (unsigned)(all < fit ? all : fit);
    for (unsigned i = 0; i < f->nslots; i++)
        pthread_mutex_init(&f->slot[i].lock, NULL);
    return BK_OK;
}

enum bk_err bk_file_open(struct bk_file **out, const char *path, const struct bk_variant *v,
                         struct bk_report *why)
{
    struct bk_file *f = calloc(1, sizeof *f);
    struct stat st;
    enum bk_err err;

    if (!f || !(f->path = strdup(path))) {
        free(f);
        return bk_fail(why, BK_E_SYSTEM, "%s: out of memory", path);
    }
    f->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (f->fd < 0 || fstat(f->fd, &st)) {
        err = bk_fail(why, errno == ENOENT || errno == ENOTDIR ? BK_E_NO_TABLE : BK_E_SYSTEM,
                      "%s: %s", path, strerror(errno));
    } else if (!S_ISREG(st.st_mode)) {
        err = bk_fail(why, BK_E_CORRUPT, "%s: not a regular file", path);
    } else {
        f->bytes = (uint64_t)st.st_size;
        err = read_header(f, why);
        if (!err)
            err = check_meaning(f, v, why);
        if (!err)
            err = make_cache(f, why);
    }
    if (err) {
        bk_file_close(f);
        return err;
    }
    *out = f;
    return BK_OK;
}

void bk_file_close(struct bk_file *f)
{
    if (!f)
        return;
    if (f->fd >= 0)
        close(f->fd);
    for (unsigned i = 0; i < f->nslots; i++) {
        pthread_mutex_destroy(&f->slot[i].lock);
        free(f->slot[i].raw);
    }
    free(f->slot);
    bk_index_free(f->ix);
    free(f->offset);
    free(f->checksum);
    free(f->path);
    free(f);
}

const struct bk_file_info *bk_file_info(const struct bk_file *f) { return &f->info; }
const struct bk_index *bk_file_index(const struct bk_file *f) { return f->ix; }
const char *bk_file_path(const struct bk_file *f) { return f->path; }
uint64_t bk_file_bytes(const struct bk_file *f) { return f->bytes; }

/* == Chunks == */

static uint32_t chunk_values(const struct bk_file_info *info, uint32_t chunk)
{
    uint64_t first = (uint64_t)chunk * info->chunk_positions;
    uint64_t rest = info->positions - first;

    return rest < info->chunk_positions ? (uint32_t)rest : info->chunk_positions;
}

static unsigned raw_value(const struct bk_file_info *info, const unsigned char *raw, uint32_t i)
{
    if (info->kind == BK_KIND_WDL)
        return raw[i >> 2] >> (2 * (i & 3)) & 3;
    return info->value_bytes == 1 ? raw[i] : raw[2 * i] | (unsigned)raw[2 * i + 1] << 8;
}

static enum bk_err read_compressed(const struct bk_file *f, size_t nth, void **out, size_t *bytes,
                                   struct bk_report *why)
{
    void *packed;

    *bytes = f->offset[nth + 1] - f->offset[nth];
    packed = malloc(*bytes ? *bytes : 1);
    if (!packed)
        return bk_fail(why, BK_E_SYSTEM, "%s: out of memory", f->path);
    if (!read_at(f->fd, packed, *bytes, f->offset[nth])) {
        free(packed);
        return damaged(f, why, "cut short");
    }
    if ((uint32_t)XXH64(packed, *bytes, nth) != f->checksum[nth]) {
        free(packed);
        return bk_fail(why, BK_E_CORRUPT, "%s: damaged: checksum of chunk %zu", f->path, nth);
    }
    *out = packed;
    return BK_OK;
}

static enum bk_err decode(const struct bk_file *f, unsigned side, uint32_t chunk,
                          unsigned char *raw, struct bk_report *why)
{
    size_t nth = (size_t)side * f->info.chunks + chunk, bytes = 0, want, got;
    void *packed = NULL;
    enum bk_err err = read_compressed(f, nth, &packed, &bytes, why);

    if (err)
        return err;
    want = raw_bytes(&f->info, chunk_values(&f->info, chunk));
    got = ZSTD_decompress(raw, want, packed, bytes);
    free(packed);
    if (ZSTD_isError(got) || got != want)
        return bk_fail(why, BK_E_CORRUPT, "%s: damaged: chunk %zu does not decode", f->path, nth);
    return BK_OK;
}

enum bk_err bk_file_value(struct bk_file *f, unsigned side, uint64_t number, unsigned *value,
                          struct bk_report *why)
{
    uint32_t chunk = (uint32_t)(number / f->info.chunk_positions);
    uint64_t nth = (uint64_t)side * f->info.chunks + chunk;
    struct slot *slot;
    enum bk_err err = BK_OK;

    if (number >= f->info.positions || side > 1)
        return bk_fail(why, BK_E_USAGE, "%s: no position number %llu", f->path,
                       (unsigned long long)number);
    slot = &f->slot[nth % f->nslots];
    pthread_mutex_lock(&slot->lock);
    if (slot->tag != nth + 1) {
        slot->tag = 0;
        if (!slot->raw)
            slot->raw = malloc(raw_bytes(&f->info, f->info.chunk_positions));
        err = slot->raw ? decode(f, side, chunk, slot->raw, why)
                        : bk_fail(why, BK_E_SYSTEM, "%s: out of memory", f->path);
        if (!err)
            slot->tag = nth + 1;
    }
    if (!err)
        *value = raw_value(&f->info, slot->raw, (uint32_t)(number % f->info.chunk_positions));
    pthread_mutex_unlock(&slot->lock);
    if (!err && f->info.kind == BK_KIND_WDL && *value > BK_WDL_WIN)
        err = damaged(f, why, "a value that is none");
    return err;
}

size_t bk_file_chunk_bytes(const struct bk_file_info *info)
{
    return raw_bytes(info, info->chunk_positions);
}

/* Is any pair of bits 3? */
static bool holds_none(const unsigned char *raw, size_t bytes)
{
    unsigned seen = 0;

    for (size_t i = 0; i < bytes; i++)
        seen |= raw[i] & raw[i] >> 1;
    return seen & 0x55;
}

enum bk_err bk_file_chunk(struct bk_file *f, unsigned side, uint32_t chunk, unsigned char *raw,
                          uint32_t *n, struct bk_report *why)
{
    enum bk_err err = decode(f, side, chunk, raw, why);

    *n = chunk_values(&f->info, chunk);
    if (!err && f->info.kind == BK_KIND_WDL && holds_none(raw, raw_bytes(&f->info, *n)))
        err = damaged(f, why, "a value that is none");
    return err;
}

enum bk_err bk_file_check(struct bk_file *f, struct bk_report *why)
{
    unsigned char *raw = malloc(raw_bytes(&f->info, f->info.chunk_positions));
    enum bk_err err = BK_OK;

    if (!raw)
        return bk_fail(why, BK_E_SYSTEM, "%s: out of memory", f->path);
    for (unsigned side = 0; side < 2; side++)
        for (uint32_t chunk = 0; !err && chunk < f->info.chunks; chunk++)
            err = decode(f, side, chunk, raw, why);
    free(raw);
    return err;
}

/* == Writing == */

struct bk_packer {
    ZSTD_CCtx *zstd;
    size_t room;
    char packed[];
};

struct bk_packer *bk_packer_new(size_t most)
{
    size_t room = ZSTD_compressBound(most);
    struct bk_packer *p = malloc(sizeof *p + room);

    if (!p)
        return NULL;
    p->room = room;
    p->zstd = ZSTD_createCCtx();
    if (!p->zstd) {
        free(p);
        return NULL;
    }
    return p;
}

void bk_packer_free(struct bk_packer *p)
{
    if (p) {
        ZSTD_freeCCtx(p->zstd);
        free(p);
    }
}

enum bk_err bk_chunk_pack(struct bk_chunk *chunk, struct bk_packer *p, const void *raw,
                          size_t bytes, int level, struct bk_report *why)
{
    size_t packed = ZSTD_compressCCtx(p->zstd, p->packed, p->room, raw, bytes, level);

    if (ZSTD_isError(packed))
        return bk_fail(why, BK_E_SYSTEM, "zstd: %s", ZSTD_getErrorName(packed));
    chunk->bytes = (uint32_t)packed;
    chunk->data = malloc(packed ? packed : 1);
    if (!chunk->data)
        return bk_no_memory(why);
    memcpy(chunk->data, p->packed, packed);
    return BK_OK;
}

void bk_chunk_seal(struct bk_chunk *chunk, uint64_t nth)
{
    chunk->checksum = (uint32_t)XXH64(chunk->data, chunk->bytes, nth);
}

static bool make_folders(const char *path)
{
    char part[PATH_MAX];

    snprintf(part, sizeof part, "%s", path);
    for (char *s = part + 1; *s; s++)
        if (*s == '/') {
            *s = 0;
            if (mkdir(part, 0777) && errno != EEXIST)
                return false;
            *s = '/';
        }
    return true;
}

int bk_file_scratch(const char *path)
{
    char name[PATH_MAX];
    char *slash;
    int fd;

    if (!make_folders(path))
        return -1;
    snprintf(name, sizeof name, "%s", path);
    slash = strrchr(name, '/');
    if (slash)
        *slash = 0;
    fd = open(slash ? name : ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0)
        return fd;
    /* not every file system can */
    if (snprintf(name, sizeof name, "%s.XXXXXX", path) >= (int)sizeof name) {
        errno = ENAMETOOLONG;
        return -1;
    }
    fd = mkostemp(name, O_CLOEXEC);
    if (fd >= 0)
        unlink(name);
    return fd;
}

static bool write_chunk(FILE *out, const struct bk_chunk *chunk, int scratch)
{
    void *data = chunk->data ? chunk->data : malloc(chunk->bytes + 1u);
    bool good = data && (chunk->data || read_at(scratch, data, chunk->bytes, chunk->at)) &&
                fwrite(data, 1, chunk->bytes, out) == chunk->bytes;

    if (!chunk->data)
        free(data);
    return good;
}

static bool write_all(FILE *out, const struct bk_file_info *info, const struct bk_chunk *chunk,
                      int scratch, const unsigned char *header)
{
    if (fwrite(header, 1, header_bytes(info->chunks), out) != header_bytes(info->chunks))
        return false;
    for (size_t i = 0; i < 2 * (size_t)info->chunks; i++)
        if (!write_chunk(out, &chunk[i], scratch))
            return false;
    return fflush(out) == 0 && fsync(fileno(out)) == 0;
}

/* After a crash of the machine the new name must be there, too. */
static void sync_folder(const char *path)
{
    char folder[PATH_MAX], *slash;
    int fd;

    snprintf(folder, sizeof folder, "%s", path);
    slash = strrchr(folder, '/');
    if (!slash)
        return;
    *slash = 0;
    fd = open(folder, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
}

enum bk_err bk_file_write(const char *path, const struct bk_file_info *info,
                          const struct bk_chunk *chunk, int scratch, struct bk_report *why)
{
    char temporary[PATH_MAX];
    unsigned char *header = malloc(header_bytes(info->chunks));
    FILE *out = NULL;
    bool good;

    if (!header)
        return bk_fail(why, BK_E_SYSTEM, "%s: out of memory", path);
    put_header(header, info, chunk);
    if (snprintf(temporary, sizeof temporary, "%s.part", path) >= (int)sizeof temporary)
        errno = ENAMETOOLONG;
    else if (make_folders(path))
        out = fopen(temporary, "wbe");
    good = out && write_all(out, info, chunk, scratch, header);
    if (out && fclose(out))
        good = false;
    free(header);
    if (!good || rename(temporary, path)) {
        int error = errno;

        if (out)
            unlink(temporary);
        return bk_fail(why, BK_E_SYSTEM, "%s: %s", path, strerror(error));
    }
    sync_folder(path);
    return BK_OK;
}
