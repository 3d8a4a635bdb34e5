/*
 * cmd_manifest.c - the SHA-256 of all table files of a folder: written, or compared with.
 *
 * The list is what sha256sum writes and reads, with a line of size before each file, which
 * sha256sum passes over as a comment:
 *
 *     # bareking manifest 1: 138 files, 812000000 bytes; `sha256sum -c` reads it, too
 *     # 45429 shatranj/KRvKN.bkw
 *     0f3a...  shatranj/KRvKN.bkw
 *
 * SHA-256 comes from nettle: it is small, depends on nothing, is in every distribution (GnuTLS
 * stands on it), and uses the processor's instructions.  Rejected: libcrypto, ten times as large,
 * with an interface and a number that change; xxhash, which is there, but tells accidents and not
 * intent, and no mirror's tools know it.
 */
#include <errno.h>
#include <limits.h>
#include <nettle/sha2.h>
#include <nettle/version.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/folder.h"
#include "cli/report.h"
#include "core/utf8.h"
#include "tb/memory/pool.h"

#define HASH_CHARS ((size_t)2 * SHA256_DIGEST_SIZE)
#define READ_BYTES (1u << 18)
#define HEAD       "# bareking manifest 1: " /* begins a list; the number of files follows */

/* One file: what the list says of it, and what is there. */
struct entry {
    const char *path; /* borrowed */
    char want[HASH_CHARS + 1];
    uint64_t want_bytes;
    bool listed, there, sized; /* sized: the list says how large it is */
    char hash[HASH_CHARS + 1];
    uint64_t bytes;
    int error; /* errno of reading it; 0 */
};

struct manifest {
    const struct cli *c;
    struct folder folder;
    struct entry *entry; /* owned; by path */
    size_t n;
    char *text; /* owned: the list that was read; entries point into it */
};

/* == One file == */

static void name_hash(char out[HASH_CHARS + 1], struct sha256_ctx *ctx)
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

static int hash_stream(struct entry *e, FILE *in)
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
    name_hash(e->hash, &ctx);
    free(bytes);
    return error;
}

/* Hashes one file, unless the list lacks it or its size is wrong already. */
static void hash_entry(void *context, uint64_t item, unsigned thread)
{
    struct manifest *m = context;
    struct entry *e = &m->entry[item];
    char path[PATH_MAX];
    FILE *in;

    (void)thread;
    if (!e->there || (m->text && (!e->listed || (e->sized && e->bytes != e->want_bytes))))
        return;
    in = fopen(folder_path(path, &m->folder, e->path), "rbe");
    e->error = in ? hash_stream(e, in) : errno;
    if (in)
        fclose(in);
}

static int hash_all(struct manifest *m)
{
    struct bk_report why = { "" };
    struct bk_pool *pool;
    enum bk_err err = bk_pool_open(&pool, m->c->threads, &why);

    if (err)
        return cli_fail_report(err, &why);
    bk_pool_run(pool, m->n, hash_entry, m);
    bk_pool_close(pool);
    for (size_t i = 0; i < m->n; i++)
        if (m->entry[i].error)
            return cli_fail(CLI_SYSTEM, "%s/%s: %s", m->folder.dir, m->entry[i].path,
                            strerror(m->entry[i].error));
    return CLI_OK;
}

/* == Writing == */

static int write_manifest(const struct manifest *m)
{
    bool json = m->c->json;
    json_t *list = json_incref(m->c->list);
    uint64_t bytes = 0;

    for (size_t i = 0; i < m->n; i++)
        bytes += m->entry[i].bytes;
    if (!json)
        printf(HEAD "%zu files, %llu bytes; `sha256sum -c` reads it, too\n", m->n,
               (unsigned long long)bytes);
    for (size_t i = 0; i < m->n; i++) {
        const struct entry *e = &m->entry[i];

        if (json)
            json_array_append_new(list,
                                  json_pack("{so sI ss}", "path", ex_json_string(e->path), "bytes",
                                            (json_int_t)e->bytes, "sha256", e->hash));
        else
            printf("# %llu %s\n%s  %s\n", (unsigned long long)e->bytes, e->path, e->hash, e->path);
    }
    if (!json)
        return CLI_OK;
    return cli_print_json(json_pack("{so sI so}", "dir", ex_json_string(m->folder.dir), "bytes",
                                    (json_int_t)bytes, "files", list));
}

/* == Reading a list == */

static int read_text(struct manifest *m, const char *path)
{
    FILE *in = strcmp(path, "-") ? fopen(path, "re") : stdin;
    size_t room = 0, n = 0;
    int status = CLI_OK;

    if (!in)
        return cli_fail_unread(path, errno);
    while (!status && !feof(in) && !ferror(in)) {
        if (room < n + 65536) {
            char *more = realloc(m->text, room = 2 * room + 65537);

            if (!more) {
                status = cli_no_memory();
                break;
            }
            m->text = more;
        }
        n += fread(m->text + n, 1, 65536, in);
    }
    if (!status && ferror(in))
        status = cli_fail_unread(path, errno);
    if (!status && n && memchr(m->text, 0, n)) /* what comes after it would not be seen */
        status = cli_fail(CLI_USAGE, "%s is no text", path);
    if (m->text)
        m->text[n] = 0;
    if (in != stdin)
        fclose(in);
    return status;
}

/* Does a path lead nowhere but down? */
static bool stays_below(const char *path)
{
    return *path && *path != '/' && strcmp(path, "..") && strncmp(path, "../", 3) &&
           !strstr(path, "/../");
}

static bool read_line(struct entry *e, char *line)
{
    size_t hex = strspn(line, "0123456789abcdefABCDEF");

    if (hex != HASH_CHARS || line[hex] != ' ' || (line[hex + 1] != ' ' && line[hex + 1] != '*'))
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
static void read_size(struct entry *e, const char *comment)
{
    char *end;

    e->sized = comment[1] == ' ' && comment[2] >= '0' && comment[2] <= '9';
    e->want_bytes = e->sized ? strtoull(comment + 2, &end, 10) : 0;
    e->sized = e->sized && *end == ' ';
}

/* Returns how many files the head of a list tells of; 0 for another line. */
static size_t files_told(const char *comment)
{
    size_t n = strlen(HEAD);

    return strncmp(comment, HEAD, n) ? 0 : strtoull(comment + n, NULL, 10);
}

static int by_path(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    return strcmp(x->path, y->path);
}

/* Reads the list into m->entry, with room for what the folder has besides. */
static int read_list(struct manifest *m, const char *path)
{
    struct entry next = { .listed = false };
    size_t room = m->folder.n, nth = 0, told = 0;
    char *rest, *line;
    int status = read_text(m, path);

    if (status)
        return status;
    for (rest = m->text; *rest; rest++)
        room += *rest == '\n';
    m->entry = calloc(room + 1, sizeof *m->entry);
    if (!m->entry)
        return cli_no_memory();
    for (rest = m->text + bk_utf8_mark(m->text); (line = strsep(&rest, "\n")) != NULL;) {
        nth++;
        line[strcspn(line, "\r")] = 0;
        if (*line == '#') {
            told += files_told(line); /* several lists in one file have several heads */
            read_size(&next, line);
        } else if (*line) {
            if (!read_line(&next, line))
                return cli_fail(CLI_USAGE, "%s:%zu: not a line of a manifest", path, nth);
            m->entry[m->n++] = next;
            next = (struct entry){ .listed = false };
        }
    }
    if (!m->n)
        return cli_fail(CLI_USAGE, "%s: no file is named", path);
    if (told && told != m->n)
        return cli_fail(CLI_USAGE,
                        "%s names %zu files, its first line tells of %zu: it has been cut", path,
                        m->n, told);
    qsort(m->entry, m->n, sizeof *m->entry, by_path);
    return CLI_OK;
}

/* Looks for a listed file that is none of the folder's tables, or that is listed twice. */
static void look_for(const struct manifest *m, struct entry *e)
{
    char path[PATH_MAX];
    struct stat st;

    if (stat(folder_path(path, &m->folder, e->path), &st) || !S_ISREG(st.st_mode))
        return;
    e->there = true;
    e->bytes = (uint64_t)st.st_size;
}

static int join_folder(struct manifest *m)
{
    size_t listed = m->n;

    if (!m->text && !(m->entry = calloc(m->folder.n + 1, sizeof *m->entry)))
        return cli_no_memory();
    for (size_t i = 0; i < m->folder.n; i++) {
        const struct folder_file *f = &m->folder.file[i];
        struct entry key = { .path = f->path }, *e = NULL;

        if (listed)
            e = bsearch(&key, m->entry, listed, sizeof key, by_path);
        if (!e) {
            e = &m->entry[m->n++];
            e->path = f->path;
        }
        e->there = true;
        e->bytes = f->bytes;
    }
    for (size_t i = 0; i < listed; i++) /* named twice, or no table */
        if (!m->entry[i].there)
            look_for(m, &m->entry[i]);
    return CLI_OK;
}

/* == Comparing == */

static const char *state_of(const struct entry *e)
{
    if (!e->listed)
        return "extra";
    if (!e->there)
        return "missing";
    if ((e->sized && e->bytes != e->want_bytes) || strcmp(e->hash, e->want) != 0)
        return "differs";
    return "good";
}

static int check_manifest(const struct manifest *m)
{
    bool json = m->c->json;
    json_t *list = json_incref(m->c->list);
    size_t good = 0, missing = 0, differ = 0, extra = 0;

    for (size_t i = 0; i < m->n; i++) {
        const struct entry *e = &m->entry[i];
        const char *state = state_of(e);
        char path[CLI_SHOWN_MAX];

        good += *state == 'g';
        missing += *state == 'm';
        differ += *state == 'd';
        extra += *state == 'e';
        if (json)
            json_array_append_new(
                list, json_pack("{so ss}", "path", ex_json_string(e->path), "state", state));
        else if (*state != 'g' && (*state != 'e' || !m->c->quiet))
            printf("%-8s %s\n", state, cli_shown(path, e->path));
    }
    if (json &&
        cli_print_json(json_pack("{so si si si si so}", "dir", ex_json_string(m->folder.dir),
                                 "good", (int)good, "missing", (int)missing, "differ", (int)differ,
                                 "extra", (int)extra, "files", list)))
        return CLI_SYSTEM;
    if (!json && (!m->c->quiet || missing || differ))
        printf("%zu good, %zu missing, %zu differ, %zu not in the list\n", good, missing, differ,
               extra);
    return differ ? CLI_DAMAGED : missing ? CLI_NO : CLI_OK;
}

int cmd_manifest(struct cli *c)
{
    struct manifest m = { .c = c };
    int status;

    cli_end_on_signals();
    status = folder_read(&m.folder, c->arg[0]);
    if (!status && c->nargs == 1 && !m.folder.n)
        status = folder_fail_empty(&m.folder);
    if (!status && c->nargs > 1)
        status = read_list(&m, c->arg[1]);
    if (!status)
        status = join_folder(&m);
    if (!status)
        status = hash_all(&m);
    if (!status)
        status = m.text ? check_manifest(&m) : write_manifest(&m);
    folder_free(&m.folder);
    free(m.entry);
    free(m.text);
    return status;
}
