/*
 * listing.c - see listing.h.
 *
 * A folder is read for wdl files; their distances are looked for by name, in the same folder and
 * then in all.  Of a table in several folders the one that answers is listed (catalog.c).
 */
#include "table/listing.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/array.h"
#include "core/derive.h"
#include "table/format.h"

/* == Lists == */

struct list {
    struct bk_listed *at;
    size_t n, room;
    const struct bk_variant *v;
    bool heads;
    struct bk_report *why; /* NULL: not wanted, or written already */
};

/* Is there a regular file of this path?  Sets *bytes to its size, else to 0. */
static bool is_file(const char *path, uint64_t *bytes)
{
    struct stat st;
    bool is = !stat(path, &st) && S_ISREG(st.st_mode);

    *bytes = is ? (uint64_t)st.st_size : 0;
    return is;
}

/* Does the head of a wdl file say that distances belong to it?  Not if it is damaged. */
static bool promises_distances(const char *path)
{
    struct bk_file_info info;

    return !bk_file_peek(&info, path, NULL) && info.distances;
}

/* Returns what is listed of a material already, from an earlier folder, or NULL. */
static struct bk_listed *earlier(const struct list *l, const struct bk_material *m)
{
    for (size_t i = 0; i < l->n; i++)
        if (bk_material_equal(&l->at[i].m, m))
            return &l->at[i];
    return NULL;
}

/* Adds a file of FOLDER/GAME, such as "KRvKN.bkw", if it is a table. */
static enum bk_err add(struct list *l, const char *folder, const char *game, const char *file)
{
    struct bk_listed one = { .lost = false };
    uint64_t bytes;
    const char *dot = strrchr(file, '.');
    struct bk_listed *before;
    enum bk_kind kind;
    char path[PATH_MAX], own[PATH_MAX];

    if (!bk_kind_of_name(&kind, file) || !bk_kind_is_results(kind) ||
        (size_t)(dot - file) >= sizeof one.name)
        return BK_OK;
    memcpy(one.name, file, (size_t)(dot - file));
    if (bk_material_parse(&one.m, l->v, one.name, NULL) || bk_material_canonical(&one.m, l->v))
        return BK_OK;
    snprintf(path, sizeof path, "%s/%s/%s", folder, game, file);
    if (strcmp(path, bk_table_path(own, folder, l->v, &one.m, kind)) ||
        !is_file(path, &bytes)) /* another name of the material, or another's folder */
        return BK_OK;
    one.men = bk_material_men(&one.m, l->v);
    one.plain = is_file(bk_table_path(own, folder, l->v, &one.m, BK_KIND_WDL), &one.wdl_bytes);
    if (one.plain && kind != BK_KIND_WDL) /* the other file brings it */
        return BK_OK;
    one.distances = is_file(bk_table_path(own, folder, l->v, &one.m, BK_KIND_DTW), &one.dtw_bytes);
    one.five = is_file(bk_table_path(own, folder, l->v, &one.m, BK_KIND_FIVE), &one.five_bytes);
    one.zeroing = is_file(bk_table_path(own, folder, l->v, &one.m, BK_KIND_DTZ), &one.dtz_bytes);
    one.lost = l->heads && ((one.plain && !one.distances && promises_distances(path)) ||
                            (!one.plain && !one.zeroing && promises_distances(path)));
    if ((before = earlier(l, &one.m)) != NULL) {
        if (!before->distances && one.distances)
            *before = one;
        return BK_OK;
    }
    if (!BK_ARRAY_ROOM(l->at, l->room, l->n + 1))
        return bk_no_memory(l->why);
    l->at[l->n++] = one;
    return BK_OK;
}

static enum bk_err unread(const struct list *l, const char *path)
{
    return bk_not_there(errno) ? BK_OK
                               : bk_fail(l->why, BK_E_SYSTEM, "%s: %s", path, strerror(errno));
}

/* Adds the tables of FOLDER/GAME. */
static enum bk_err read_folder(struct list *l, const char *folder, const char *game)
{
    char path[PATH_MAX];
    struct dirent *file;
    enum bk_err err = BK_OK;
    DIR *dir;

    if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, game) >= sizeof path)
        return bk_fail(l->why, BK_E_SYSTEM, "%s: %s", path, strerror(ENAMETOOLONG));
    if (!(dir = opendir(path)))
        return unread(l, path);
    while (!err && (errno = 0, file = readdir(dir)) != NULL)
        err = add(l, folder, game, file->d_name);
    if (!err && errno)
        err = unread(l, path);
    closedir(dir);
    return err;
}

/* Adds the tables of all games that positions of this one may belong to, by their rights
   (bk_homes_name()).  The first failure is told; all else that can be read is added. */
static enum bk_err read_games(struct list *l, const char *folder)
{
    char game[4][64];
    enum bk_err err = BK_OK;

    for (unsigned wings = 0; wings < 4; wings++) {
        unsigned before = 0;
        enum bk_err each;

        bk_homes_name(l->v, wings, game[wings]);
        while (strcmp(game[before], game[wings]))
            before++;
        if (before < wings)
            continue;
        each = read_folder(l, folder, game[wings]);
        if (each && !err)
            l->why = NULL;
        err = err ? err : each;
    }
    return err;
}

static int by_men(const void *a, const void *b)
{
    const struct bk_listed *x = a, *y = b;

    return x->men != y->men ? (x->men < y->men ? -1 : 1) : strcmp(x->name, y->name);
}

/* Looks in a folder for a file of a listed table that has none beside its results. */
static void look_for(const struct list *l, const char *folder, const struct bk_material *m,
                     enum bk_kind kind, bool *has, uint64_t *bytes)
{
    char path[PATH_MAX];

    if (!*has)
        *has = is_file(bk_table_path(path, folder, l->v, m, kind), bytes);
}

/* Looks in a folder for what listed tables have not beside their results. */
static enum bk_err look_apart(struct list *l, const char *folder)
{
    for (size_t i = 0; i < l->n; i++) {
        struct bk_listed *x = &l->at[i];

        look_for(l, folder, &x->m, BK_KIND_DTW, &x->distances, &x->dtw_bytes);
        look_for(l, folder, &x->m, BK_KIND_FIVE, &x->five, &x->five_bytes);
        look_for(l, folder, &x->m, BK_KIND_DTZ, &x->zeroing, &x->dtz_bytes);
        x->lost &= x->plain ? !x->distances : !x->zeroing;
    }
    return BK_OK;
}

/* Calls each() with every folder of a list.  Returns the first error. */
static enum bk_err each_folder(struct list *l, const char *paths,
                               enum bk_err (*each)(struct list *l, const char *folder),
                               struct bk_report *why)
{
    char *copy = strdup(paths), *rest = copy;
    enum bk_err err = copy ? BK_OK : bk_no_memory(why);

    for (char *one; (one = strsep(&rest, ":")) != NULL;)
        if (*one) {
            enum bk_err first = each(l, one);

            err = err ? err : first;
        }
    free(copy);
    return err;
}

enum bk_err bk_listing(struct bk_listed **out, size_t *n, const struct bk_variant *v,
                       const char *paths, bool heads, struct bk_report *why)
{
    struct list l = { .v = v, .heads = heads, .why = why };
    enum bk_err err = each_folder(&l, paths, read_games, why);

    err = err ? err : each_folder(&l, paths, look_apart, why);
    if (l.n)
        qsort(l.at, l.n, sizeof *l.at, by_men);
    *out = l.at;
    *n = l.n;
    return err;
}

/* == One file == */

/* Sets `out` to the path of a file in the folder that `n` letters name; tells whether it is there.
   What may not be looked at counts as there: reading it says why it cannot be read. */
static bool is_in(char *out, const char *dir, size_t n, const struct bk_variant *v,
                  const struct bk_material *m, enum bk_kind kind)
{
    char folder[PATH_MAX];

    snprintf(folder, sizeof folder, "%.*s", (int)n, dir);
    return !access(bk_table_path(out, folder, v, m, kind), F_OK) || !bk_not_there(errno);
}

char *bk_table_find(char *out, const char *dirs, const struct bk_variant *v,
                    const struct bk_material *m, enum bk_kind kind)
{
    for (unsigned alone = 0; alone < 2; alone++)
        for (const char *at = dirs; *at;) {
            size_t n = strcspn(at, ":");

            if (n && (alone || is_in(out, at, n, v, m, kind ^ 1)) && is_in(out, at, n, v, m, kind))
                return out;
            at += n + (at[n] == ':');
        }
    dirs += strspn(dirs, ":");
    is_in(out, dirs, strcspn(dirs, ":"), v, m, kind);
    return out;
}

/* == Folders that were meant otherwise == */

#define NAMES_MOST 4096 /* looked at in a folder */

static bool is_folder(const char *path)
{
    struct stat st;

    return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* Is there a folder of the game, or of the game with some castling rights, in `dir`? */
static bool has_game(const char *dir, const struct bk_variant *v)
{
    char path[PATH_MAX], game[64];
    bool has = false;

    for (unsigned wings = 0; !has && wings < 4; wings++) {
        bk_homes_name(v, wings, game);
        has = (size_t)snprintf(path, sizeof path, "%s/%s", dir, game) < sizeof path &&
              is_folder(path);
    }
    return has;
}

static bool is_table(const char *name)
{
    size_t n = strlen(name);

    return n > 4 && *name != '.' &&
           (!strcmp(name + n - 4, ".bkw") || !strcmp(name + n - 4, ".bk5"));
}

/* Writes what is odd about the names in a folder without one of the game. */
static void look_inside(char *out, size_t room, const struct bk_variant *v, const char *dir,
                        DIR *names)
{
    const struct dirent *e;
    char inner[PATH_MAX];

    for (unsigned n = 0; n < NAMES_MOST && (e = readdir(names)) != NULL; n++) {
        if (is_table(e->d_name)) {
            snprintf(out, room, "%.200s is a game's own folder: say the one above it", dir);
            return;
        }
        if (*e->d_name != '.' && !*out &&
            (size_t)snprintf(inner, sizeof inner, "%s/%s", dir, e->d_name) < sizeof inner &&
            has_game(inner, v))
            snprintf(out, room, "tables of %s are in %.200s: say that", v->name, inner);
    }
}

/* Writes what is odd about one folder; "": nothing. */
static void look_at(char *out, size_t room, const struct bk_variant *v, const char *dir)
{
    DIR *names;

    *out = 0;
    if (has_game(dir, v))
        return;
    names = opendir(dir);
    if (names) {
        look_inside(out, room, v, dir, names);
        closedir(names);
    } else if (bk_not_there(errno)) {
        snprintf(out, room, "%.200s: %s", dir, errno == ENOENT ? "no such folder" : "not a folder");
    }
}

char *bk_folders_odd(char *out, size_t room, const struct bk_variant *v, const char *paths)
{
    char *copy = strdup(paths), *rest = copy, one[320];
    size_t at = 0;

    *out = 0;
    for (char *dir; copy && (dir = strsep(&rest, ":")) != NULL;) {
        *one = 0;
        if (*dir)
            look_at(one, sizeof one, v, dir);
        if (!*one || at + strlen(one) + 3 > room)
            continue;
        at += (size_t)snprintf(out + at, room - at, "%s%s", at ? "; " : "", one);
    }
    free(copy);
    return out;
}

char *bk_folders_odd_too(char *out, size_t room, const struct bk_variant *v, const char *paths)
{
    bk_folders_odd(out + 2, room - 2, v, paths);
    if (out[2])
        memcpy(out, "; ", 2);
    else
        *out = 0;
    return out;
}
