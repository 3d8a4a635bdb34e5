/*
 * mark.h - do several processes have the same folder of tables?
 *
 * The first process makes an empty file there, .bareking-XXXXXX, the others look for it, and it
 * goes.  Where it stays, since the first was killed meanwhile, the next build removes it.
 */
#ifndef BK_MARK_H
#define BK_MARK_H

#include "core/err.h"

/* All processes call it.  Fails alike in all of them: with BK_E_USAGE if one has another folder
   (or its path is too long), with BK_E_SYSTEM if there can be no file. */
enum bk_err bk_mark_seen(const char *dir, struct bk_report *why);

/* Removes the marks of processes that have ended. */
void bk_mark_sweep(const char *dir);

#endif
