/*
 * folder.h - the table files under a folder: DIR/GAME/MATERIAL.bkw and so on.
 *
 * Whatever else lies there is passed over: hidden files (locks, what is under way), other names,
 * folders in the games' folders, and lost+found, which only root may read.
 */
#ifndef BK_CLI_FOLDER_H
#define BK_CLI_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct folder_file {
    char *path;    /* below DIR, "shatranj/KRvKN.bkw"; owned */
    size_t game_n; /* letters of the game's folder */
    uint64_t bytes;
};

struct folder {
    const char *dir;          /* borrowed */
    struct folder_file *file; /* owned; by path, in the order of bytes */
    size_t n, room;
    bool of_one_game; /* tables lie in DIR itself */
};

/* Lists the tables under `dir`.  Returns an exit status, its error said; then nothing is owned. */
int folder_read(struct folder *f, const char *dir);
/* Says that there are no tables; CLI_NO. */
int folder_fail_empty(const struct folder *f);
void folder_free(struct folder *f);
/* DIR/path; out has PATH_MAX bytes.  Returns out. */
char *folder_path(char *out, const struct folder *f, const char *path);

#endif
