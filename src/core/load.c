/* load.c - a game by its name: from the binary or a file, in our form or Fairy-Stockfish's. */
#include "core/load.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/fairy.h"
#include "core/fairy_file.h"
#include "core/guess.h"
#include "core/read.h"
#include "core/rules.h"

#define FILE_BYTES_MAX (1 << 20)

/* Reads to the end of `in`; *text owned. */
static enum bk_err read_text(int in, const char *path, char **text, struct bk_report *why)
{
    char *all = malloc(FILE_BYTES_MAX + 1);
    size_t n = 0;
    ssize_t more = 1;

    if (!all)
        return bk_no_memory(why);
    while (n <= FILE_BYTES_MAX && (more = read(in, all + n, FILE_BYTES_MAX + 1 - n)) > 0)
        n += (size_t)more;
    if (more >= 0 && n <= FILE_BYTES_MAX && !memchr(all, '\0', n)) {
        all[n] = '\0';
        *text = all;
        return BK_OK;
    }
    free(all);
    if (more < 0)
        return bk_fail(why, BK_E_SYSTEM, "%s: %s", path, strerror(errno));
    return bk_fail(why, BK_E_USAGE, "%s:1: %s", path,
                   n > FILE_BYTES_MAX ? "too large for a game" : "not a text file");
}

/*
 * The whole file as text; *text owned.  Nothing but a file is read: a pipe that
 * nobody writes to would hang, a device might never end.
 */
static enum bk_err slurp(const char *path, char **text, struct bk_report *why)
{
    int in = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat st;
    enum bk_err err;

    if (in < 0) /* no such file is bad input, as the name of an unknown game is */
        return bk_fail(why, bk_not_there(errno) ? BK_E_USAGE : BK_E_SYSTEM, "%s: %s", path,
                       strerror(errno));
    if (fstat(in, &st))
        err = bk_fail(why, BK_E_SYSTEM, "%s: %s", path, strerror(errno));
    else if (S_ISDIR(st.st_mode))
        err = bk_fail(why, BK_E_USAGE, "%s: %s", path, strerror(EISDIR));
    else if (!S_ISREG(st.st_mode))
        err = bk_fail(why, BK_E_USAGE, "%s: a pipe or device, not a file", path);
    else
        err = read_text(in, path, text, why);
    close(in);
    return err;
}

static bool is_path(const char *name)
{
    size_t n = strlen(name);

    return strchr(name, '/') || (n > 4 && !strcmp(name + n - 4, ".ini")) || strstr(name, ".ini#");
}

/* Loads FILE or FILE.ini#SECTION; the latter is Fairy-Stockfish's, and so may the former be. */
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
    struct bk_guess meant = bk_guess_at(name);
    char list[400] = "", guess[BK_GUESS_TEXT_MAX], path[PATH_MAX];
    size_t n = 0;

    if (bk_fairy_refused(name))
        return bk_fail(why, BK_E_USAGE, "Fairy-Stockfish's `%s` has %s, which cannot be expressed",
                       name, bk_fairy_refused(name));
    if (snprintf(path, sizeof path, "%s.ini", name) < PATH_MAX && !access(path, F_OK))
        return bk_fail(why, BK_E_USAGE,
                       "no variant is called `%.64s`; did you mean the file %.64s.ini?", name,
                       name);
    for (const struct bk_embedded *e = bk_embedded_variants; e->name; e++)
        bk_guess_offer(&meant, e->name);
    for (const struct bk_embedded *e = bk_embedded_counted; e->name; e++)
        bk_guess_offer(&meant, e->name);
    for (const struct bk_embedded_fairy *e = bk_embedded_fairy; e->name; e++)
        bk_guess_offer(&meant, e->name);
    for (const struct bk_embedded *e = bk_embedded_variants; e->name; e++)
        if (n + strlen(e->name) + 2 < sizeof list)
            n += (size_t)snprintf(list + n, sizeof list - n, " %s", e->name);
    return bk_fail(why, BK_E_USAGE, "no variant is called `%.64s`%s%s%s", name,
                   bk_guess_text(&meant, guess), meant.best ? "  There are" : "; there are", list);
}

enum bk_err bk_variant_load_any(struct bk_variant **out, const char *name, struct bk_report *why)
{
    const struct bk_embedded *e;
    char label[80];

    if (is_path(name))
        return load_path(out, name, why);
    e = bk_embedded_find(name);
    if (!e)
        e = bk_embedded_find_counted(name);
    if (!e && bk_embedded_fairy_find(name))
        return bk_fairy_built_in(out, bk_embedded_fairy_find(name), why);
    if (!e)
        return fail_unknown(name, why);
    snprintf(label, sizeof label, "%s.ini", name);
    return bk_variant_parse(out, label, e->text, why);
}

enum bk_err bk_variant_load(struct bk_variant **out, const char *name, struct bk_report *why)
{
    struct bk_variant *v;
    enum bk_err err = bk_variant_load_any(&v, name, why);
    const char *rule = err ? NULL : bk_rules_without_tables(v);

    if (rule) {
        err = bk_fail(why, BK_E_USAGE, "%s: no tables are made yet of games like this: %s", name,
                      rule);
        bk_variant_free(v);
    } else if (!err) {
        *out = v;
    }
    return err;
}
