/*
 * cmd_manifest.c - the SHA-256 of all table files of a folder: written, or compared with a list
 * (manifest.h).
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/folder.h"
#include "cli/manifest.h"
#include "cli/report.h"

struct compared {
    const struct cli *c;
    struct folder folder;
    struct manifest list; /* what is listed, and what is in the folder besides */
};

/* == Writing == */

static int write_manifest(const struct compared *m)
{
    json_t *list = json_incref(m->c->list);
    uint64_t bytes = 0;

    if (!m->c->json) {
        manifest_write(stdout, m->list.entry, m->list.n);
        return CLI_OK;
    }
    for (size_t i = 0; i < m->list.n; i++) {
        const struct manifest_entry *e = &m->list.entry[i];

        bytes += e->bytes;
        json_array_append_new(list, json_pack("{so sI ss}", "path", ex_json_string(e->path),
                                              "bytes", (json_int_t)e->bytes, "sha256", e->hash));
    }
    return cli_print_json(json_pack("{so sI so}", "dir", ex_json_string(m->folder.dir), "bytes",
                                    (json_int_t)bytes, "files", list));
}

/* == What is there == */

/* Looks for a listed file that is none of the folder's tables, or that is listed twice. */
static void look_for(const struct compared *m, struct manifest_entry *e)
{
    char path[PATH_MAX];
    struct stat st;

    if (stat(folder_path(path, &m->folder, e->path), &st) || !S_ISREG(st.st_mode))
        return;
    e->there = true;
    e->bytes = (uint64_t)st.st_size;
}

/* Adds what the folder has to what is listed; the list has room for it. */
static int join_folder(struct compared *m)
{
    struct manifest *l = &m->list;
    size_t listed = l->n;

    if (!l->text && !(l->entry = calloc(m->folder.n + 1, sizeof *l->entry)))
        return cli_no_memory();
    for (size_t i = 0; i < m->folder.n; i++) {
        const struct folder_file *f = &m->folder.file[i];
        struct manifest found = { .entry = l->entry, .n = listed };
        struct manifest_entry *e = manifest_find(&found, f->path);

        if (!e) {
            e = &l->entry[l->n++];
            e->path = f->path;
        }
        e->there = true;
        e->bytes = f->bytes;
    }
    for (size_t i = 0; i < listed; i++) /* named twice, or no table */
        if (!l->entry[i].there)
            look_for(m, &l->entry[i]);
    return CLI_OK;
}

/* Hashes what is there, unless the list lacks it or its size is wrong already. */
static int hash_all(struct compared *m)
{
    for (size_t i = 0; i < m->list.n; i++) {
        struct manifest_entry *e = &m->list.entry[i];

        e->look =
            e->there && (!m->list.text || (e->listed && (!e->sized || e->bytes == e->want_bytes)));
    }
    return manifest_hash(m->list.entry, m->list.n, m->folder.dir, m->c->threads);
}

/* == Comparing == */

static const char *state_of(const struct manifest_entry *e)
{
    if (!e->listed)
        return "extra";
    if (!e->there)
        return "missing";
    if ((e->sized && e->bytes != e->want_bytes) || strcmp(e->hash, e->want) != 0)
        return "differs";
    return "good";
}

static int check_manifest(const struct compared *m)
{
    bool json = m->c->json;
    json_t *list = json_incref(m->c->list);
    size_t good = 0, missing = 0, differ = 0, extra = 0;

    for (size_t i = 0; i < m->list.n; i++) {
        const struct manifest_entry *e = &m->list.entry[i];
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
    struct compared m = { .c = c };
    int status;

    cli_end_on_signals();
    status = folder_read(&m.folder, c->arg[0]);
    if (!status && c->nargs == 1 && !m.folder.n)
        status = folder_fail_empty(&m.folder);
    if (!status && c->nargs > 1)
        status = manifest_read(&m.list, c->arg[1], m.folder.n);
    if (!status)
        status = join_folder(&m);
    if (!status)
        status = hash_all(&m);
    if (!status)
        status = m.list.text ? check_manifest(&m) : write_manifest(&m);
    folder_free(&m.folder);
    manifest_free(&m.list);
    return status;
}
