/*
 * encode_saved.c - see encode_saved.h.
 *
 *   checkpoint  = solved: a byte a block
 *                 bytes of the scratch file
 *                 tasks, by kind, then by place: done, a byte; if it is, its numbers, model and
 *                 directory
 *                 the scratch file: shards, of done units and others
 *
 * What is read may be anything: it is taken only if a file's head could have it.
 */
#include "tb/encode/encode_saved.h"

#include <stdlib.h>

#include "tb/encode/encode_work.h"

/* The numbers of a task that is done, in a checkpoint; its arrays follow. */
struct numbers {
    uint64_t at, model_bytes, shard_bytes;
    uint32_t leaves, shards;
};

static void save_task(const struct bk_encode_task *task, struct bk_writer *w)
{
    const struct bk_unit *u = &task->unit;
    const struct numbers x = { task->at, u->model_bytes, u->shard_bytes, u->leaves, u->shards };
    const uint8_t done = task->done;

    bk_write(w, &done, 1);
    if (!task->done)
        return;
    bk_write(w, &x, sizeof x);
    bk_write_array(w, u->model, u->model_bytes);
    bk_write_array(w, u->directory, u->directory_bytes);
}

void bk_encoder_save(struct bk_encoder *e, struct bk_writer *w)
{
    for (uint32_t b = 0; b < e->t->ix->nblocks; b++)
        bk_write(w, &(uint8_t){ e->solved[b] }, 1);
    bk_write(w, &e->scratch_bytes, sizeof e->scratch_bytes);
    for (unsigned i = 0; i < e->nkinds * e->nplaces; i++)
        save_task(&e->task[i], w);
    bk_write_file(w, e->scratch, e->scratch_bytes);
}

/* Loads the numbers of a task.  False: no file's head could have them, or the shards would not lie
   within the scratch file.  A unit without numbers has no shards, any other has some. */
static bool load_numbers(const struct bk_encoder *e, struct bk_encode_task *task,
                         struct bk_reader *r)
{
    uint64_t numbers = task->place->end - task->place->first;
    struct numbers x;
    struct bk_unit *u = &task->unit;

    if (!bk_read(r, &x, sizeof x) || !x.model_bytes || x.model_bytes > BK_MODEL_MOST ||
        !x.shards != !numbers || x.shards > numbers || x.at > e->scratch_bytes ||
        x.shard_bytes > e->scratch_bytes - x.at)
        return false;
    task->at = x.at;
    u->model_bytes = (size_t)x.model_bytes;
    u->shard_bytes = x.shard_bytes;
    u->leaves = x.leaves;
    u->shards = x.shards;
    u->directory_bytes = (size_t)x.shards * BK_SHARD_ENTRY_BYTES;
    return true;
}

static bool load_task(const struct bk_encoder *e, struct bk_encode_task *task, struct bk_reader *r)
{
    struct bk_unit *u = &task->unit;
    uint8_t done;

    if (!bk_read(r, &done, 1) || done > bk_encode_is_ready(e, task->place))
        return false;
    task->done = done;
    if (!done)
        return true;
    if (!load_numbers(e, task, r))
        return false;
    u->model = malloc(u->model_bytes);
    u->directory = malloc(u->directory_bytes + 1);
    return u->model && u->directory && bk_read_array(r, u->model, u->model_bytes) &&
           bk_read_array(r, u->directory, u->directory_bytes);
}

/* Are all units of encoded blocks done?  Units of other blocks may be done, too: the build was
   stopped while it encoded the other units of these blocks, and goes on with them. */
static bool blocks_agree(const struct bk_encoder *e)
{
    for (unsigned i = 0; i < e->nplaces; i++)
        for (uint32_t b = e->place[i].block; b < e->place[i].block + e->place[i].nblocks; b++)
            for (unsigned kind = 0; kind < e->nkinds; kind++)
                if (e->t->block[b].encoded && !bk_encode_task_of(e, kind, i)->done)
                    return false;
    return true;
}

bool bk_encoder_load(struct bk_encoder *e, struct bk_reader *r)
{
    bool ok = true;

    for (uint32_t b = 0; ok && b < e->t->ix->nblocks; b++) {
        uint8_t solved;

        ok = bk_read(r, &solved, 1) && solved <= e->t->block[b].solved;
        e->solved[b] = ok && solved;
    }
    ok = ok && bk_read(r, &e->scratch_bytes, sizeof e->scratch_bytes) &&
         e->scratch_bytes <= bk_reader_left(r);
    for (unsigned i = 0; ok && i < e->nkinds * e->nplaces; i++)
        ok = load_task(e, &e->task[i], r);
    for (unsigned i = 0; ok && i < e->nkinds * e->nplaces; i++)
        if (e->task[i].done)
            bk_meter_skip(e->o.meter, BK_ENCODING,
                          bk_encode_work_of_unit(e->t->ix, e->task[i].place,
                                                 e->task[i].told == BK_DISTANCES, &e->o)
                                  .all /
                              e->work);
    return ok && blocks_agree(e) && bk_read_file(r, e->scratch, e->scratch_bytes);
}
