/* listing.c - see listing.h.  A folder is read for wdl files; the distances beside one are looked
 * for by name.  Of a table in several folders the one that answers is listed (catalog.c). */
#include "table/listing.h"

#include <dirent.h>
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

/* "KRvKN.bkw" in a folder; false: no memory. */
static bool add(struct list *l, const struct bk_variant *v, const char *folder, const char *file)
{
    struct bk_listed one = { .dtw_bytes = 0 };
    const char *dot = strrchr(file, '.');
    struct bk_listed *before;
    char path[PATH_MAX];

    if (!dot || strcmp(dot, ".bkw") || (size_t)(dot - file) >= sizeof one.name)
        return true;
    memcpy(one.name, file, (size_t)(dot - file));
    if (bk_material_parse(&one.m, v, one.name, NULL) || bk_material_canonical(&one.m, v))
        return true;
    one.men = bk_material_men(&one.m, v);
    one.wdl_bytes = bytes_of(bk_table_path(path, folder, v, &one.m, BK_KIND_WDL));
    one.dtw_bytes = bytes_of(bk_table_path(path, folder, v, &one.m, BK_KIND_DTW));
    if (!one.wdl_bytes) /* another name of the material */
        return true;
    if ((before = earlier(l, &one.m)) != NULL) {
        if (!before->dtw_bytes && one.dtw_bytes)
            *before = one;
        return true;
    }
    if (!BK_ARRAY_ROOM(l->at, l->room, l->n + 1))
        return false;
    l->at[l->n++] = one;
    return true;
}

/* The files of FOLDER/GAME; false: no memory. */
static bool read_folder(struct list *l, const struct bk_variant *v, const char *folder,
                        unsigned wings)
{
    char game[64], path[PATH_MAX];
    struct dirent *file;
    bool ok = true;
    DIR *dir;

    if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, bk_homes_name(v, wings, game)) >=
            sizeof path ||
        !(dir = opendir(path)))
        return true;
    while (ok && (file = readdir(dir)) != NULL)
        ok = add(l, v, folder, file->d_name);
    closedir(dir);
    return ok;
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
    bool ok = copy != NULL;

    for (char *one; ok && (one = strsep(&rest, ":")) != NULL;)
        ok = !*one || read_folder(&l, v, one, 0);
    free(copy);
    if (!ok) {
        free(l.at);
        return bk_fail(why, BK_E_SYSTEM, "no memory for a list of tables");
    }
    if (l.n)
        qsort(l.at, l.n, sizeof *l.at, by_men);
    *out = l.at;
    *n = l.n;
    return BK_OK;
}
