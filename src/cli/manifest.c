/* manifest.c - see manifest.h. */
#include "cli/manifest.h"

#include <errno.h>
#include <limits.h>
#include <nettle/version.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report.h"
#include "core/utf8.h"
#include "tb/memory/pool.h"

#define READ_BYTES (1u << 18)
#define LINE_MOST  8192u                     /* no path is so long */
#define HEAD       "# bareking manifest 1: " /* begins a list; the number of files follows */

/* == Hashes == */

void manifest_digest(char out[MANIFEST_HASH_CHARS + 1], struct sha256_ctx *ctx)
{
    uint8_t digest[SHA256_DIGEST_SIZE];

#if NETTLE_VERSION_MAJOR < 4
    sha256_digest(ctx, sizeof digest, digest);
#else
    sha256_digest(ctx, digest);
#endif
    for (size_t i = 0; i < sizeof digest; i++)
        snprintf(out + 2 * i, 3, "%02x", digest[i]);
}

static int hash_stream(struct manifest_entry *e, FILE *in)
{
    uint8_t *bytes = malloc(READ_BYTES);
    struct sha256_ctx ctx;
    size_t got;
    int error;

    if (!bytes)
        return ENOMEM;
    sha256_init(&ctx);
    e->bytes = 0;
    while ((got = fread(bytes, 1, READ_BYTES, in)) > 0) {
        sha256_update(&ctx, got, bytes);
        e->bytes += got;
    }
    error = ferror(in) ? errno : 0;
    manifest_digest(e->hash, &ctx);
    free(bytes);
    return error;
}

struct hashing {
    struct manifest_entry *entry;
    const char *dir;
};

static void hash_entry(void *context, uint64_t item, unsigned thread)
{
    const struct hashing *h = context;
    struct manifest_entry *e = &h->entry[item];
    char path[PATH_MAX];
    FILE *in;

    (void)thread;
    if (!e->look)
        return;
    if ((size_t)snprintf(path, sizeof path, "%s/%s", h->dir, e->path) >= sizeof path)
        *path = 0; /* no file has this name */
    in = fopen(path, "rbe");
    e->error = in ? hash_stream(e, in) : errno;
    if (in)
        fclose(in);
}

int manifest_hash(struct manifest_entry *e, size_t n, const char *dir, unsigned threads)
{
    struct hashing h = { e, dir };
    struct bk_report why = { "" };
    struct bk_pool *pool;
    enum bk_err err = bk_pool_open(&pool, threads, &why);

    if (err)
        return cli_fail_report(err, &why);
    bk_pool_run(pool, n, hash_entry, &h);
    bk_pool_close(pool);
    for (size_t i = 0; i < n; i++)
        if (e[i].error)
            return cli_fail(CLI_SYSTEM, "%s/%s: %s", dir, e[i].path, strerror(e[i].error));
    return CLI_OK;
}

/* == Writing == */

void manifest_write(FILE *out, const struct manifest_entry *e, size_t n)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < n; i++)
        bytes += e[i].bytes;
    fprintf(out, HEAD "%zu files, %llu bytes; `sha256sum -c` reads it, too\n", n,
            (unsigned long long)bytes);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "# %llu %s\n%s  %s\n", (unsigned long long)e[i].bytes, e[i].path, e[i].hash,
                e[i].path);
}

/* == Reading a list == */

/* Reads a whole file into *text, n bytes and a zero. */
static int read_text(char **text, size_t *n, const char *path)
{
    FILE *in = strcmp(path, "-") ? fopen(path, "re") : stdin;
    size_t room = 0;
    int status = CLI_OK;

    *text = NULL;
    *n = 0;
    if (!in)
        return cli_fail_unread(path, errno);
    while (!status && !feof(in) && !ferror(in)) {
        if (room < *n + 65536) {
            char *more = realloc(*text, room = 2 * room + 65537);

            if (!more) {
                status = cli_no_memory();
                break;
            }
            *text = more;
        }
        *n += fread(*text + *n, 1, 65536, in);
    }
    if (!status && ferror(in))
        status = cli_fail_unread(path, errno);
    if (*text)
        (*text)[*n] = 0;
    if (in != stdin)
        fclose(in);
    return status;
}

/* Does a path lead nowhere but down? */
static bool stays_below(const char *path)
{
    for (const char *part = path;; part++) {
        size_t n = strcspn(part, "/");

        if (n == 2 && part[0] == '.' && part[1] == '.')
            return false;
        part += n;
        if (!*part)
            return *path && *path != '/';
    }
}

static bool read_line(struct manifest_entry *e, char *line)
{
    size_t hex = strspn(line, "0123456789abcdefABCDEF");

    if (hex != MANIFEST_HASH_CHARS || line[hex] != ' ' ||
        (line[hex + 1] != ' ' && line[hex + 1] != '*'))
        return false;
    for (size_t i = 0; i < hex; i++)
        e->want[i] = (char)(line[i] >= 'A' && line[i] <= 'F' ? line[i] - 'A' + 'a' : line[i]);
    e->path = line + hex + 2;
    while (e->path[0] == '.' && e->path[1] == '/') /* as `find .` has it */
        e->path += 2 + strspn(e->path + 2, "/");
    e->listed = true;
    return stays_below(e->path);
}

/* "# 45429 shatranj/KRvKN.bkw": the size of the file in the next line. */
static void read_size(struct manifest_entry *e, const char *comment)
{
    char *end;

    e->sized = comment[1] == ' ' && comment[2] >= '0' && comment[2] <= '9';
    errno = 0;
    e->want_bytes = e->sized ? strtoull(comment + 2, &end, 10) : 0;
    e->sized = e->sized && *end == ' ' && !errno;
}

/* Returns how many files the head of a list tells of; 0 for another line. */
static size_t files_told(const char *comment)
{
    size_t n = strlen(HEAD);

    return strncmp(comment, HEAD, n) ? 0 : strtoull(comment + n, NULL, 10);
}

static int by_path(const void *a, const void *b)
{
    const struct manifest_entry *x = a, *y = b;

    return strcmp(x->path, y->path);
}

/* Reads the lines of m->text.  *told: so many files the heads tell of. */
static int read_lines(struct manifest *m, bool strict, size_t *told)
{
    struct manifest_entry next = { .listed = false };
    char *rest = m->text + bk_utf8_mark(m->text), *line;

    for (size_t nth = 1; (line = strsep(&rest, "\n")) != NULL; nth++) {
        size_t n = strcspn(line, "\r");

        line[n] = 0;
        if (n > LINE_MOST)
            return cli_fail(CLI_USAGE, "%s:%zu: not a line of a manifest: %zu bytes", m->name, nth,
                            n);
        if (*line == '#') {
            *told += files_told(line); /* several lists in one file have several heads */
            read_size(&next, line);
        } else if (*line) {
            if (!read_line(&next, line))
                return cli_fail(CLI_USAGE, "%s:%zu: not a line of a manifest", m->name, nth);
            if (strict && (next.path[bk_utf8_plain(next.path)] || strchr(next.path, '\t')))
                return cli_fail(CLI_USAGE, "%s:%zu: a control character in a name", m->name, nth);
            m->entry[m->n++] = next;
            next = (struct manifest_entry){ .listed = false };
        }
    }
    return CLI_OK;
}

/* Is a file named twice with other words? */
static int check_names(const struct manifest *m)
{
    for (size_t i = 1; i < m->n; i++) {
        const struct manifest_entry *x = &m->entry[i - 1], *y = &m->entry[i];

        if (!strcmp(x->path, y->path) && (strcmp(x->want, y->want) != 0 ||
                                          (x->sized && y->sized && x->want_bytes != y->want_bytes)))
            return cli_fail(CLI_USAGE, "%s names %s twice, and not as the same file", m->name,
                            x->path);
    }
    return CLI_OK;
}

/* Reads m->text, n bytes, into m->entry. */
static int parse(struct manifest *m, size_t n, size_t room, bool strict)
{
    size_t told = 0;
    int status;

    if (n && memchr(m->text, 0, n)) /* what comes after it would not be seen */
        return cli_fail(CLI_USAGE, "%s is no text", m->name);
    if (strict && n && m->text[n - 1] != '\n')
        return cli_fail(CLI_USAGE, "%s does not end with a line's end: it has been cut", m->name);
    for (const char *s = m->text; *s; s++)
        room += *s == '\n';
    m->entry = calloc(room + 1, sizeof *m->entry);
    if (!m->entry)
        return cli_no_memory();
    status = read_lines(m, strict, &told);
    if (status)
        return status;
    if (!m->n)
        return cli_fail(CLI_USAGE, "%s: no file is named", m->name);
    if (told && told != m->n)
        return cli_fail(CLI_USAGE,
                        "%s names %zu files, its first line tells of %zu: it has been cut", m->name,
                        m->n, told);
    qsort(m->entry, m->n, sizeof *m->entry, by_path);
    return strict ? check_names(m) : CLI_OK;
}

int manifest_read(struct manifest *m, const char *path, size_t room)
{
    size_t n;
    int status;

    *m = (struct manifest){ .name = path };
    status = read_text(&m->text, &n, path);
    return status ? status : parse(m, n, room, false);
}

int manifest_take(struct manifest *m, const char *name, char *text, size_t n, size_t room)
{
    *m = (struct manifest){ .name = name, .text = text };
    return parse(m, n, room, true);
}

struct manifest_entry *manifest_find(const struct manifest *m, const char *path)
{
    struct manifest_entry key = { .path = path };

    return m->n ? bsearch(&key, m->entry, m->n, sizeof key, by_path) : NULL;
}

void manifest_free(struct manifest *m)
{
    free(m->entry);
    free(m->text);
    *m = (struct manifest){ .n = 0 };
}
