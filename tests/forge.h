/*
 * forge.h - table files whose checksums are right, whatever else they say.
 *
 * Checksums catch damage, but a forger makes them anew.  So does this code, so that the checks
 * behind the checksums are tested, too.
 */
#ifndef FORGE_H
#define FORGE_H

#include "table/head.h"

/* A file taken apart: its head as numbers, and all that follows as bytes. */
struct forge {
    struct bk_head head;
    uint8_t *body; /* owned */
    size_t body_bytes;
};

/* Takes a file apart.  False: it begins with no head, whatever its checksum. */
bool forge_open(struct forge *f, const uint8_t *bytes, size_t n);
void forge_release(struct forge *f);

/* The bytes of a file with this head and body, *n of them, all checksums made for them; owned. */
uint8_t *forge_write(struct forge *f, size_t *n);

/* A zstd frame of these bytes as they are, *n bytes long; owned.  At most 2^17 of them. */
uint8_t *forge_frame(const uint8_t *raw, size_t raw_bytes, size_t *n);

/* Makes every model an uncompressed frame: changes of the bytes are changes of the model. */
void forge_unpack_models(struct forge *f);

#endif
