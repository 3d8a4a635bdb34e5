/* left.c - see left.h. */
#include "tb/make/left.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"

/* Sets `name` to the table of a file that a builder may have left; "": it is no such file. */
static void table_of(const char *file, char name[BK_MATERIAL_NAME_MAX])
{
    size_t whole = strlen(file), n;

    *name = 0;
    if (*file != '.' && (whole < 5 || strcmp(file + whole - 5, ".part")))
        return;
    file += *file == '.';
    n = strcspn(file, ".");
    if (n < BK_MATERIAL_NAME_MAX) {
        memcpy(name, file, n);
        name[n] = 0;
    }
}

static int by_name(const void *a, const void *b) { return strcmp(a, b); }

void bk_left_read(struct bk_left *l, const char *dir, const char *variant)
{
    char path[PATH_MAX], name[BK_MATERIAL_NAME_MAX];
    const struct dirent *e;
    DIR *d = NULL;

    *l = (struct bk_left){ .name = NULL };
    if (snprintf(path, sizeof path, "%s/%s", dir, variant) < (int)sizeof path)
        d = opendir(path);
    l->unknown = !d && errno != ENOENT;
    while (d && !l->unknown && (e = readdir(d))) {
        table_of(e->d_name, name);
        if (!*name)
            continue;
        l->unknown = !BK_ARRAY_ROOM(l->name, l->room, l->n + 1);
        if (!l->unknown)
            memcpy(l->name[l->n++], name, sizeof name);
    }
    if (d)
        closedir(d);
    if (l->n)
        qsort(l->name, l->n, sizeof *l->name, by_name);
}

bool bk_left_has(const struct bk_left *l, const char *table)
{
    return l->unknown || (l->n && bsearch(table, l->name, l->n, sizeof *l->name, by_name));
}

void bk_left_free(struct bk_left *l)
{
    free(l->name);
    *l = (struct bk_left){ .name = NULL };
}
