/* load.c - a game by its name: from the binary or a file, in our form or Fairy-Stockfish's. */
#include "core/load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/fairy.h"
#include "core/read.h"

#define FILE_BYTES_MAX (1 << 20)

/* The whole file as text; *text owned. */
static enum bk_err slurp(const char *path, char **text, struct bk_report *why)
{
    FILE *in = fopen(path, "rb");
    enum bk_err err = BK_OK;
    char *all = NULL;
    size_t n = 0;

    if (!in)
        return bk_fail(why, BK_E_SYSTEM, "%s: %s", path, strerror(errno));
    all = malloc(FILE_BYTES_MAX + 1);
    if (!all) {
        err = bk_no_memory(why);
    } else {
        n = fread(all, 1, FILE_BYTES_MAX + 1, in);
        if (ferror(in))
            err = bk_fail(why, BK_E_SYSTEM, "%s: %s", path, strerror(errno));
        else if (n > FILE_BYTES_MAX)
            err = bk_fail(why, BK_E_USAGE, "%s:1: too large for a game", path);
        else if (memchr(all, '\0', n))
            err = bk_fail(why, BK_E_USAGE, "%s:1: not a text file", path);
    }
    fclose(in);
    if (err) {
        free(all);
        return err;
    }
    all[n] = '\0';
    *text = all;
    return BK_OK;
}

static bool is_path(const char *name)
{
    size_t n = strlen(name);

    return strchr(name, '/') || (n > 4 && !strcmp(name + n - 4, ".ini")) || strstr(name, ".ini#");
}

/* FILE or FILE.ini#SECTION; the latter is Fairy-Stockfish's, and so may the former be. */
static enum bk_err load_path(struct bk_variant **out, const char *name, struct bk_report *why)
{
    const char *hash = strstr(name, ".ini#"), *section = hash ? hash + 5 : NULL;
    char *path = strdup(name), *text = NULL;
    enum bk_err err;

    if (!path)
        return bk_no_memory(why);
    if (hash)
        path[hash + 4 - name] = '\0';
    err = slurp(path, &text, why);
    if (!err && (section || bk_fairy_is(text)))
        err = bk_fairy_parse(out, path, text, section, why);
    else if (!err)
        err = bk_variant_parse(out, path, text, why);
    free(text);
    free(path);
    return err;
}

static enum bk_err fail_unknown(const char *name, struct bk_report *why)
{
    char list[400] = "";
    size_t n = 0;

    for (const struct bk_embedded *e = bk_embedded_variants; e->name; e++)
        if (n + strlen(e->name) + 2 < sizeof list)
            n += (size_t)snprintf(list + n, sizeof list - n, " %s", e->name);
    return bk_fail(why, BK_E_USAGE, "no variant is called `%.64s`; there are%s", name, list);
}

enum bk_err bk_variant_load(struct bk_variant **out, const char *name, struct bk_report *why)
{
    if (is_path(name))
        return load_path(out, name, why);
    for (const struct bk_embedded *e = bk_embedded_variants; e->name; e++)
        if (!strcmp(e->name, name)) {
            char label[80];

            snprintf(label, sizeof label, "%s.ini", name);
            return bk_variant_parse(out, label, e->text, why);
        }
    return fail_unknown(name, why);
}
