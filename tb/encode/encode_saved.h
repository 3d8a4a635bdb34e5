/*
 * encode_saved.h - an encoder in a checkpoint: which blocks are solved, the units that are done,
 * and the shards of these.
 *
 * A unit under way is not in it, but encoded again.
 */
#ifndef BK_ENCODE_SAVED_H
#define BK_ENCODE_SAVED_H

#include "tb/memory/checkpoint.h"

struct bk_encoder; /* encode.h */

/* Save the units that are done, between calls of bk_encoder_blocks(); load them, right after
   bk_encoder_open().  False: no memory, or what is read cannot be right. */
void bk_encoder_save(struct bk_encoder *e, struct bk_writer *w);
bool bk_encoder_load(struct bk_encoder *e, struct bk_reader *r);

#endif
