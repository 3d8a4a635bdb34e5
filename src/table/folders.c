/* folders.c - see folders.h. */
#include "table/folders.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/err.h"
#include "core/homes.h"

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

    return n > 4 && *name != '.' && !strcmp(name + n - 4, ".bkw");
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
