/*
 * lock.h - one builder a table, whoever else works in the folder; do all processes of a build see
 * the same folder; and the files that a killed builder leaves.
 *
 * A table under way is marked by DIR/VARIANT/.MATERIAL.lock.  While one process
 * holds it, others that want the same table wait for it, with a word, and then
 * find the table made; or make it themselves if the first was stopped.
 *
 * Invariants
 *   - At most one process at a time holds the lock of a table: threads of one
 *     process exclude each other, too.
 *   - A holder that ends, however, holds it no longer.  What it leaves behind is
 *     a file that the next one takes over; nobody has to remove it by hand.
 *   - Two machines on one network folder exclude each other where the file system
 *     carries flock() to its server (NFS from Linux 2.6.12 on, SMB, most others).
 *     Where it knows no locks at all, the file itself is the lock: made with
 *     O_EXCL, it says host and process; it is dead when that process is gone from
 *     this host, and on another host it is believed (the word says what to
 *     remove if that machine has died).  There, and there alone, a builder that
 *     is killed between two calls while it removes a dead lock leaves PATH.dead,
 *     which somebody has to remove by hand.
 *   - Several users may share a folder.  A lock's file may be read by all of them, whatever the
 *     mask of its maker is, and reading is enough to lock it: what a killed builder of another user
 *     has left is removed, or, in a folder like /tmp, where it cannot be, held as it is.  A file
 *     that cannot even be read (of an older bareking, say), or that no flock() keeps and nobody
 *     may remove, is looked at for a second; then it is passed over with a word, and the lock is
 *     .MATERIAL.UID.lock, which keeps only this user's builders apart: bk_lock_is_own().
 *   - Nothing is written through a link: the file is opened with O_NOFOLLOW, and
 *     must be a plain file.
 *
 * Cost: three system calls a table.
 */
#ifndef BK_LOCK_H
#define BK_LOCK_H

#include <stdbool.h>
#include <stddef.h>

#include "core/err.h"
#include "table/material.h"

struct bk_lock; /* opaque */

/* Which lock, and how to wait for it. */
struct bk_lock_wish {
    const char *dir, *variant, *material; /* DIR/VARIANT is made if missing */
    const volatile int *stop;             /* NULL, or: nonzero gives up waiting */
    void *context;
    void (*note)(void *context, const char *text); /* who is waited for; NULL is fine */
    bool no_flock; /* for tests: as on a file system without flock() */
};

/*
 * Takes the lock, waiting for whoever holds it.  *out is owned: bk_lock_free().
 *
 * waited  set if somebody else held it: the table may be there now
 *
 * Returns BK_OK; BK_E_SYSTEM: interrupted, or no file can be made there.
 */
enum bk_err bk_lock_take(struct bk_lock **out, const struct bk_lock_wish *wish, bool *waited,
                         struct bk_report *why);

/* May another user be at work on the same table?  Then what is his has to stay. */
bool bk_lock_is_own(const struct bk_lock *lock);

/* Gives the lock back and removes its file; NULL is fine. */
void bk_lock_free(struct bk_lock *lock);

/* == Marks ==
 * Do several processes have the same folder of tables?  The first process makes an empty file
 * there, .bareking-XXXXXX; the others look for it; then it is removed.  If the first is killed
 * meanwhile, the file stays until the next build removes it.
 */

/* All processes call it.  Fails alike in all of them: with BK_E_USAGE if one has another folder
   (or its path is too long), with BK_E_SYSTEM if there can be no file. */
enum bk_err bk_mark_seen(const char *dir, struct bk_report *why);

/* Removes the marks of processes that have ended. */
void bk_mark_sweep(const char *dir);

/* == Files that were left ==
 * A builder works with files in a game's folder, and leaves them if it is killed.  Their names
 * begin with a dot (locks, checkpoints and their parts: .KRvKN.ckpt.00000001.0) or end in ".part"
 * (KRvKN.bkw.part).  The folder is read once a build, and its tables are looked up in what was
 * found: a look for each table would take time as the square of their number.
 */

/* Begins as zeros: nothing was left. */
struct bk_left {
    char (*name)[BK_MATERIAL_NAME_MAX]; /* owned: their tables, ascending */
    size_t n, room;
    bool unknown; /* the folder could not be read: any table may have some */
};

/* Reads what is there now.  Later files are not seen: they are left to the next build. */
void bk_left_read(struct bk_left *l, const char *dir, const char *variant);
/* May there be files of the table with this name? */
bool bk_left_has(const struct bk_left *l, const char *table);
void bk_left_free(struct bk_left *l);

#endif
