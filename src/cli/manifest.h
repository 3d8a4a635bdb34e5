/*
 * manifest.h - lists of table files with their sizes and SHA-256: read, hashed, written.
 *
 * A list is what sha256sum writes and reads, with a line of size before each file, which
 * sha256sum passes over as a comment:
 *
 *     # bareking manifest 1: 138 files, 812000000 bytes; `sha256sum -c` reads it, too
 *     # 45429 shatranj/KRvKN.bkw
 *     0f3a...  shatranj/KRvKN.bkw
 *
 * Names lead nowhere but down: a list with another one is refused.
 *
 * SHA-256 comes from nettle: it is small, depends on nothing, is in every distribution (GnuTLS
 * stands on it), and uses the processor's instructions.  Rejected: libcrypto, ten times as large,
 * with an interface and a number that change; xxhash, which is there, but tells accidents and not
 * intent, and no mirror's tools know it.
 */
#ifndef BK_CLI_MANIFEST_H
#define BK_CLI_MANIFEST_H

#include <nettle/sha2.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define MANIFEST_NAME       "manifest.txt" /* of the list that lies beside the games' folders */
#define MANIFEST_HASH_CHARS ((size_t)2 * SHA256_DIGEST_SIZE)

/* One file: what the list says of it, and what is there. */
struct manifest_entry {
    const char *path; /* borrowed */
    char want[MANIFEST_HASH_CHARS + 1];
    uint64_t want_bytes;
    bool listed, there, sized; /* sized: the list says how large it is */
    bool look;                 /* manifest_hash() is to hash it */
    char hash[MANIFEST_HASH_CHARS + 1];
    uint64_t bytes;
    int error; /* errno of reading it; 0 */
};

/* Begins as zeros. */
struct manifest {
    const char *name;             /* for messages; borrowed */
    struct manifest_entry *entry; /* owned; by path */
    size_t n;
    char *text; /* owned: the list that was read; entries point into it */
};

/* == Reading a list == each returns an exit status, its error said */

/* Reads a list from a file, or stdin (`-`).  room: entries that the caller will add. */
int manifest_read(struct manifest *m, const char *path, size_t room);

/*
 * The same, of a list from elsewhere, as `name`.  text: n bytes and a zero; taken, even on failure.
 * Refuses, besides what manifest_read() does, names with control characters, a list that does not
 * end with a line's end, and a file that is named twice with other words.
 */
int manifest_take(struct manifest *m, const char *name, char *text, size_t n, size_t room);

/* Returns the entry of a file, or NULL. */
struct manifest_entry *manifest_find(const struct manifest *m, const char *path);
void manifest_free(struct manifest *m);

/* == Hashes == */

void manifest_digest(char out[MANIFEST_HASH_CHARS + 1],
                     struct sha256_ctx *ctx); /* ctx begins anew */

/* Hashes the files dir/PATH of the entries with `look`, by `threads` (0: one a core), and sets
   their hash, bytes and error.  Returns an exit status, its error said: that of a file, too. */
int manifest_hash(struct manifest_entry *e, size_t n, const char *dir, unsigned threads);

/* == Writing == what manifest_hash() has found */

void manifest_write(FILE *out, const struct manifest_entry *e, size_t n);

#endif
