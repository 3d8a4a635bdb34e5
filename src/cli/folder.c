/* folder.c - see folder.h. */
#include "cli/folder.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/report.h"
#include "core/array.h"
#include "core/utf8.h"

char *folder_path(char *out, const struct folder *f, const char *path)
{
    if ((size_t)snprintf(out, PATH_MAX, "%s/%s", f->dir, path) >= PATH_MAX)
        *out = 0; /* no file has this name */
    return out;
}

/* Is it a file of a kind of table, or of one that later versions keep beside them?  None
   has a control character in its name, which would break the lines of lists. */
static bool is_table(const char *name)
{
    size_t n = strlen(name);

    return *name != '.' && n > 4 && !name[bk_utf8_plain(name)] && !strchr(name, '\t') &&
           !strncmp(name + n - 4, ".bk", 3) &&
           ((name[n - 1] >= 'a' && name[n - 1] <= 'z') ||
            (name[n - 1] >= '0' && name[n - 1] <= '9'));
}

static int add_file(struct folder *f, const char *game, const char *name)
{
    char path[2 * NAME_MAX + 2], whole[PATH_MAX];
    struct stat st;

    snprintf(path, sizeof path, "%s/%s", game, name);
    if (stat(folder_path(whole, f, path), &st))
        st = (struct stat){ .st_mode = S_IFREG }; /* a link to nothing: reading it says so */
    if (!S_ISREG(st.st_mode))
        return CLI_OK;
    if (!BK_ARRAY_ROOM(f->file, f->room, f->n + 1) || !(f->file[f->n].path = strdup(path)))
        return cli_no_memory();
    f->file[f->n].game_n = strlen(game);
    f->file[f->n++].bytes = (uint64_t)st.st_size;
    return CLI_OK;
}

static int read_game(struct folder *f, const char *game)
{
    char path[PATH_MAX];
    DIR *d = opendir(folder_path(path, f, game));
    const struct dirent *e;
    int status = CLI_OK;

    if (!d)
        return errno == ENOTDIR ? CLI_OK : cli_fail(CLI_SYSTEM, "%s: %s", path, strerror(errno));
    while (!status && (e = readdir(d)))
        if (is_table(e->d_name))
            status = add_file(f, game, e->d_name);
    closedir(d);
    return status;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct folder_file *)a)->path, ((const struct folder_file *)b)->path);
}

int folder_read(struct folder *f, const char *dir)
{
    DIR *d = opendir(dir);
    const struct dirent *e;
    int status = CLI_OK;

    *f = (struct folder){ .dir = dir };
    if (!d)
        return cli_fail(bk_not_there(errno) ? CLI_NO : CLI_SYSTEM, "%s: %s", dir, strerror(errno));
    while (!status && (e = readdir(d)))
        if (is_table(e->d_name))
            f->of_one_game = true;
        else if (*e->d_name != '.' && strcmp(e->d_name, "lost+found") &&
                 !e->d_name[bk_utf8_plain(e->d_name)])
            status = read_game(f, e->d_name);
    closedir(d);
    if (!status && f->n)
        qsort(f->file, f->n, sizeof *f->file, by_path);
    if (status)
        folder_free(f);
    return status;
}

int folder_fail_empty(const struct folder *f)
{
    return cli_fail(CLI_NO, "no tables in %s%s", f->dir,
                    f->of_one_game ? "; it is a game's own folder: say the one above it" : "");
}

void folder_free(struct folder *f)
{
    for (size_t i = 0; i < f->n; i++)
        free(f->file[i].path);
    free(f->file);
    *f = (struct folder){ .dir = NULL };
}
