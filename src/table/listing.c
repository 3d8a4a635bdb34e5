/* listing.c - see listing.h.  A folder is read for wdl files; the distances beside one are looked
 * for by name.  Of a table in several folders the one that answers is listed (catalog.c). */
#include "table/listing.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/array.h"
#include "core/homes.h"
#include "table/info.h"

struct list {
    struct bk_listed *at;
    size_t n, room;
};

static uint64_t bytes_of(const char *path)
{
    struct stat st;

    return !stat(path, &st) && S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
}

/* The material, if an earlier folder has it; else NULL. */
static struct bk_listed *earlier(const struct list *l, const struct bk_material *m)
{
    for (size_t i = 0; i < l->n; i++)
        if (bk_material_equal(&l->at[i].m, m))
            return &l->at[i];
    return NULL;
}

/* "KRvKN.bkw" in a folder. */
static enum bk_err add(struct list *l, const struct bk_variant *v, const char *folder,
                       const char *file, struct bk_report *why)
{
    struct bk_listed one = { .dtw_bytes = 0 };
    const char *dot = strrchr(file, '.');
    struct bk_listed *before;
    char path[PATH_MAX];

    if (!dot || strcmp(dot, ".bkw") || (size_t)(dot - file) >= sizeof one.name)
        return BK_OK;
    memcpy(one.name, file, (size_t)(dot - file));
    if (bk_material_parse(&one.m, v, one.name, NULL) || bk_material_canonical(&one.m, v))
        return BK_OK;
    one.men = bk_material_men(&one.m, v);
    one.wdl_bytes = bytes_of(bk_table_path(path, folder, v, &one.m, BK_KIND_WDL));
    one.dtw_bytes = bytes_of(bk_table_path(path, folder, v, &one.m, BK_KIND_DTW));
    if (!one.wdl_bytes) /* another name of the material */
        return BK_OK;
    if ((before = earlier(l, &one.m)) != NULL) {
        if (!before->dtw_bytes && one.dtw_bytes)
            *before = one;
        return BK_OK;
    }
    if (!BK_ARRAY_ROOM(l->at, l->room, l->n + 1))
        return bk_no_memory(why);
    l->at[l->n++] = one;
    return BK_OK;
}

static enum bk_err unread(const char *path, struct bk_report *why)
{
    return bk_not_there(errno) ? BK_OK : bk_fail(why, BK_E_SYSTEM, "%s: %s", path, strerror(errno));
}

/* The files of FOLDER/GAME. */
static enum bk_err read_folder(struct list *l, const struct bk_variant *v, const char *folder,
                               struct bk_report *why)
{
    char game[64], path[PATH_MAX];
    struct dirent *file;
    enum bk_err err = BK_OK;
    DIR *dir;

    if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, bk_homes_name(v, 0, game)) >=
        sizeof path)
        return bk_fail(why, BK_E_SYSTEM, "%s: %s", path, strerror(ENAMETOOLONG));
    if (!(dir = opendir(path)))
        return unread(path, why);
    while (!err && (errno = 0, file = readdir(dir)) != NULL)
        err = add(l, v, folder, file->d_name, why);
    if (!err && errno)
        err = unread(path, why);
    closedir(dir);
    return err;
}

static int by_men(const void *a, const void *b)
{
    const struct bk_listed *x = a, *y = b;

    return x->men != y->men ? (x->men < y->men ? -1 : 1) : strcmp(x->name, y->name);
}

enum bk_err bk_listing(struct bk_listed **out, size_t *n, const struct bk_variant *v,
                       const char *paths, struct bk_report *why)
{
    struct list l = { 0 };
    char *copy = strdup(paths), *rest = copy;
    enum bk_err err = copy ? BK_OK : bk_no_memory(why);

    for (char *one; !err && (one = strsep(&rest, ":")) != NULL;)
        err = *one ? read_folder(&l, v, one, why) : BK_OK;
    free(copy);
    if (err) {
        free(l.at);
        return err;
    }
    if (l.n)
        qsort(l.at, l.n, sizeof *l.at, by_men);
    *out = l.at;
    *n = l.n;
    return BK_OK;
}
