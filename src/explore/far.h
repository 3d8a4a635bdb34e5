/*
 * far.h - questions about positions from a page without a server: bytes of tables come from afar.
 *
 * The page says which files there are, with their heads.  A question is answered, or says which
 * bytes it needs; the page brings them, and asks again (struct bk_host).  The answers are those of
 * the API (docs/explore.md): they come from the same functions.
 *
 * Compiled to WebAssembly these calls are all that the page's script sees (wasm.sh); so sizes and
 * places in files are doubles, which hold them exactly, and there is one state.  Not for threads.
 */
#ifndef BK_EXPLORE_FAR_H
#define BK_EXPLORE_FAR_H

#include <stddef.h>

/* Allocates room for bytes to hand over to one of the calls below, which frees it. */
void *ex_far_room(size_t bytes);

/* Adds a file "GAME/MATERIAL.bkw" of `bytes` bytes, of which the first n are in `head`.  path,
   head: taken.  0: no memory. */
int ex_far_file(char *path, double bytes, void *head, size_t n);

/* Hands over n bytes of such a file, from byte `at` on, that were needed.  path, data: taken.  0:
   no memory, or no such file. */
int ex_far_bring(char *path, double at, void *data, size_t n);

/*
 * Asks "/api/v1/GAME/probe?fen=..."; also moves, board, line, map, and name?material=, which tells
 * under what name a table is kept.  target: taken.  Returns a JSON text, borrowed until the next
 * call, never NULL:
 *
 *      {"needs": [{"path": ..., "at": ..., "bytes": ...}, ...]}     bring them, ask again
 *      {"status": 200, ...what the API says}
 */
const char *ex_far_ask(char *target);

/* Forgets all games and files; what was here before may be told anew. */
void ex_far_forget(void);

#endif
