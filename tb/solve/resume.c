/*
 * resume.c - see resume.h.
 */
#include "tb/solve/resume.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tb/memory/ranks.h"
#include "tb/solve/prepare.h"

#define PLIES_MAX (1 << 20) /* the head of a file takes no more */

/* == Room for codes == */

enum bk_err bk_layout_block(struct bk_memtable *t, uint32_t block, const struct bk_kernel *k,
                            bool taken, struct bk_report *why)
{
    struct bk_memblock *mb = &t->block[block];
    struct bk_setup s;

    bk_setup_init(&s, &(struct bk_setup_request){ .ix = t->ix, .block = block, .kernel = k });
    bk_setup_lay_out_codes(&s, k, taken, mb, t->code_bytes);
    return bk_memtable_alloc(t, block) ? BK_OK : bk_no_memory(why);
}

enum bk_err bk_layout_attained(struct bk_memtable *t, uint32_t block, struct bk_report *why)
{
    struct bk_memblock *mb = &t->block[block];

    for (unsigned told = 0; told < (t->code_bytes ? 2 : 1); told++)
        for (unsigned side = 0; side < 2; side++) {
            mb->attained[told][side] = bk_memtable_array(t, bk_layout_bit_bytes(t, block));
            if (!mb->attained[told][side])
                return bk_no_memory(why);
        }
    return BK_OK;
}

size_t bk_layout_code_bytes(const struct bk_memtable *t, uint32_t block)
{
    return bk_memblock_array_bytes(
        (uint64_t)t->ix->block[block].pairs->nslices * t->block[block].slice_stride, t->code_bytes);
}

size_t bk_layout_bit_bytes(const struct bk_memtable *t, uint32_t block)
{
    return bk_memblock_array_bytes(
        (uint64_t)t->ix->block[block].pairs->nslices * t->block[block].bit_slice_stride, 0);
}

/* == Blocks that are solved == */

enum { IS_SOLVED = 1, IS_ENCODED = 2, HAS_CODES = 4, HAS_ATTAINED = 8, IN_PARTS = 16 };

/* Writes all blocks.  in_parts: no process has all slices, they are in files of their own. */
static void save_blocks(struct bk_writer *w, const struct bk_memtable *t, bool in_parts)
{
    for (uint32_t i = 0; i < t->ix->nblocks; i++) {
        const struct bk_memblock *mb = &t->block[i];
        uint8_t flags =
            (uint8_t)((mb->solved ? IS_SOLVED : 0) | (mb->encoded ? IS_ENCODED : 0) |
                      (mb->code[0] ? HAS_CODES : 0) | (mb->attained[0][0] ? HAS_ATTAINED : 0) |
                      (mb->code[0] && in_parts ? IN_PARTS : 0));

        bk_write(w, &flags, 1);
        for (unsigned side = 0; flags & HAS_CODES && !in_parts && side < 2; side++) {
            bk_write_array(w, mb->code[side], bk_layout_code_bytes(t, i));
            if (mb->draw[side])
                bk_write_array(w, mb->draw[side], bk_layout_code_bytes(t, i));
            for (unsigned told = 0; told < 2; told++)
                if (mb->attained[told][side])
                    bk_write_array(w, mb->attained[told][side], bk_layout_bit_bytes(t, i));
        }
    }
}

/* Reads what exits attain in block i, of one side. */
static bool load_attained(struct bk_reader *r, struct bk_memtable *t, uint32_t i, unsigned side)
{
    for (unsigned told = 0; told < (t->code_bytes ? 2 : 1); told++)
        if (!bk_read_array(r, t->block[i].attained[told][side], bk_layout_bit_bytes(t, i)))
            return false;
    return true;
}

/* Returns the error of a checkpoint that cannot be read: it is damaged; or the disk does not give
   it, or there is no memory, or no disk, for what is in it. */
static enum bk_err cannot_be_read(const char *path, const struct bk_reader *r,
                                  struct bk_report *why)
{
    int error = bk_reader_refused(r);

    if (error)
        return bk_fail(why, BK_E_SYSTEM, "cannot go on from %s: %s", path, strerror(error));
    return bk_fail(why, BK_E_CORRUPT, "%s: cannot be read", path);
}

/* Returns whether a block may have these flags: it is not solved; or solved, with its codes; or
   encoded, perhaps let go. */
static bool may_be(uint8_t flags, bool attain)
{
    if (flags & HAS_CODES)
        flags &= (uint8_t)~IN_PARTS;
    if (!(flags & IS_SOLVED))
        return flags == 0;
    if (flags & IS_ENCODED)
        return !(flags & ~(IS_SOLVED | IS_ENCODED | HAS_CODES));
    return flags == (IS_SOLVED | HAS_CODES | (attain ? HAS_ATTAINED : 0));
}

/* By block: does it come out of a group?  Owned; NULL: no memory. */
static bool *taken_blocks(const struct bk_run *run)
{
    const struct bk_order *o = &run->order;
    bool *taken = calloc(run->job->t->ix->nblocks + 1u, sizeof *taken);

    for (uint32_t l = 0; taken && l < o->nlevels; l++)
        for (uint32_t i = o->first[l]; i < o->first[l + 1]; i++)
            taken[o->block[i]] = o->group[l];
    return taken;
}

static bool load_all(struct bk_reader *r, const struct bk_run *run, const bool *taken)
{
    const struct bk_solve_job *job = run->job;
    struct bk_memtable *t = job->t;
    struct bk_value_readers readers = bk_run_value_readers(run);

    for (uint32_t i = 0; i < t->ix->nblocks; i++) {
        struct bk_memblock *mb = &t->block[i];
        uint8_t flags;

        if (!bk_read(r, &flags, 1) || !may_be(flags, job->attain))
            return false;
        mb->solved = flags & IS_SOLVED;
        mb->encoded = flags & IS_ENCODED;
        if ((flags & HAS_CODES && bk_layout_block(t, i, job->kernel, taken[i], NULL)) ||
            (flags & HAS_ATTAINED && bk_layout_attained(t, i, NULL))) {
            bk_reader_refuse(r, ENOMEM);
            return false;
        }
        if (flags & IN_PARTS || !(flags & HAS_CODES))
            continue;
        for (unsigned side = 0; side < 2; side++)
            if (!bk_read_array(r, mb->code[side], bk_layout_code_bytes(t, i)) ||
                (mb->draw[side] && !bk_read_array(r, mb->draw[side], bk_layout_code_bytes(t, i))) ||
                (flags & HAS_ATTAINED && !load_attained(r, t, i, side)))
                return false;
        if (run->by_share)
            bk_share_trim(&readers, i);
    }
    return true;
}

static bool load_blocks(struct bk_reader *r, const struct bk_run *run)
{
    bool *taken = taken_blocks(run), ok = taken && load_all(r, run, taken);

    if (!taken)
        bk_reader_refuse(r, ENOMEM);
    free(taken);
    return ok;
}

/* == What is under way == */

/* What a state has besides arrays. */
struct numbers {
    uint32_t last_wait;
    int32_t last_win[2], last_loss[2];
};

static void save_numbers(struct bk_writer *w, const struct bk_state *st)
{
    struct numbers x = { .last_wait = st->last_wait };

    for (unsigned side = 0; side < 2; side++) {
        x.last_win[side] = st->last_win[side];
        x.last_loss[side] = st->last_loss[side];
    }
    bk_write(w, &x, sizeof x);
}

static bool load_numbers(struct bk_reader *r, struct bk_state *st)
{
    struct numbers x;

    if (!bk_read(r, &x, sizeof x))
        return false;
    st->last_wait = x.last_wait;
    for (unsigned side = 0; side < 2; side++) {
        st->last_win[side] = x.last_win[side];
        st->last_loss[side] = x.last_loss[side];
    }
    return true;
}

static void save_arrays(struct bk_writer *w, const struct bk_state *st)
{
    for (unsigned side = 0; side < 2; side++)
        for (enum bk_array a = 0; a < BK_ARRAYS; a++)
            bk_write_array(w, st->array[a][side], st->slice_bytes[a] * st->nslices);
}

static bool load_arrays(struct bk_reader *r, struct bk_state *st)
{
    bool ok = true;

    for (unsigned side = 0; side < 2; side++)
        for (enum bk_array a = 0; ok && a < BK_ARRAYS; a++)
            ok = bk_read_array(r, st->array[a][side], st->slice_bytes[a] * st->nslices);
    return ok;
}

/* With a ledger: whether sets are written slice by slice, since not all may be in memory;
   is_noted(): whether the ledger has them, as frontiers. */
static bool goes_by_slice(enum bk_array a)
{
    return a == BK_WON || a == BK_UNDECIDED || a == BK_LATER;
}

static bool is_noted(enum bk_array a)
{
    return a == BK_WINS || a == BK_LOSSES || a == BK_LOSSES_ODD;
}

static void *pinned_slice(const struct bk_under_way *u, enum bk_array a, unsigned side,
                          uint32_t slice, bool changes)
{
    if (u->paging)
        bk_paging_pin_one(u->paging, a, side, slice, changes);
    return bk_state_slice(&u->solver->state, a, side, slice);
}

static void unpin(const struct bk_under_way *u)
{
    if (u->paging)
        bk_paging_unpin(u->paging, false, 0);
}

static void save_with_ledger(struct bk_writer *w, const struct bk_under_way *u)
{
    const struct bk_state *st = &u->solver->state;

    for (unsigned side = 0; side < 2; side++)
        for (enum bk_array a = 0; a < BK_ARRAYS; a++) {
            if (!goes_by_slice(a) && !is_noted(a))
                bk_write_array(w, st->array[a][side], st->slice_bytes[a] * st->nslices);
            for (uint32_t slice = 0; goes_by_slice(a) && slice < st->nslices; slice++) {
                bk_write_array(w, pinned_slice(u, a, side, slice, false), st->slice_bytes[a]);
                unpin(u);
            }
        }
    bk_ledger_save(u->ledger, w);
}

static bool load_with_ledger(struct bk_reader *r, const struct bk_under_way *u)
{
    struct bk_state *st = &u->solver->state;
    bool ok = true;

    for (unsigned side = 0; side < 2; side++)
        for (enum bk_array a = 0; ok && a < BK_ARRAYS; a++) {
            if (!goes_by_slice(a) && !is_noted(a))
                ok = bk_read_array(r, st->array[a][side], st->slice_bytes[a] * st->nslices);
            for (uint32_t slice = 0; ok && goes_by_slice(a) && slice < st->nslices; slice++) {
                ok = bk_read_array(r, pinned_slice(u, a, side, slice, true), st->slice_bytes[a]);
                unpin(u);
            }
        }
    ok = ok && bk_ledger_load(u->ledger, r);
    for (uint32_t slice = 0; ok && !u->paging && slice < st->nslices; slice++)
        for (enum bk_array a = BK_WINS; a <= BK_LOSSES_ODD; a++)
            for (unsigned side = 0; st->slice_bytes[a] && side < 2; side++)
                bk_ledger_frontier(u->ledger, u->solver, slice, side, a, 0);
    return ok && !bk_ledger_failed(u->ledger);
}

static void save_state(struct bk_writer *w, const struct bk_under_way *u)
{
    if (u->ledger)
        save_with_ledger(w, u);
    else
        save_arrays(w, &u->solver->state);
}

static bool load_state(struct bk_reader *r, const struct bk_under_way *u)
{
    return u->ledger ? load_with_ledger(r, u) : load_arrays(r, &u->solver->state);
}

/* Returns whether all marks are of vectors that exist: passes follow them without asking. */
static bool marks_exist(const struct bk_solver *b)
{
    const struct bk_setup *s = b->setup;
    uint64_t beyond = s->nvec % 64 ? ~UINT64_C(0) << s->nvec % 64 : 0;

    for (enum bk_array a = BK_WIN_MARKS; a <= BK_LOSS_MARKS_ODD; a++)
        for (unsigned side = 0; b->state.slice_bytes[a] && side < 2; side++)
            for (uint32_t slice = 0; slice < s->nslices; slice++) {
                const uint64_t *marks = bk_state_slice(&b->state, a, side, slice);

                if (s->nmarks && marks[s->nmarks - 1] & beyond)
                    return false;
            }
    return true;
}

bool bk_resume_has(const struct bk_run *run, uint32_t block)
{
    return run->reader && run->moment.there && run->moment.block == block;
}

/* == Parts of several processes == */

#define NO_SLICE UINT32_MAX /* ends a part */

/* Returns a part as a checkpoint of its own; its name goes to `path`. */
static struct bk_checkpoint part_of(const struct bk_run *run, uint32_t generation, unsigned rank,
                                    char path[BK_CHECKPOINT_PATH_MAX])
{
    struct bk_checkpoint part = run->checkpoint;

    bk_checkpoint_part(path, run->checkpoint.path, generation, rank);
    part.path = path;
    part.fingerprint ^= generation;
    return part;
}

/* Writes the part with this process's slices of the blocks under way. */
static enum bk_err save_part(struct bk_run *run, const struct bk_under_way *u, uint32_t generation,
                             struct bk_report *why)
{
    char path[BK_CHECKPOINT_PATH_MAX];
    struct bk_checkpoint part = part_of(run, generation, bk_rank(), path);
    const struct bk_state *st = &u->solver->state;
    struct bk_writer *w;
    enum bk_err err = bk_writer_open(&w, &part, why);

    if (err)
        return err;
    for (uint32_t k = 0; k < u->share->nown; k++) {
        uint32_t slice = u->share->own[k];

        bk_write(w, &slice, sizeof slice);
        for (enum bk_array a = 0; a < BK_ARRAYS; a++)
            for (unsigned side = 0; side < 2; side++)
                bk_write_array(w, bk_state_slice(st, a, side, slice), st->slice_bytes[a]);
    }
    bk_write(w, &(uint32_t){ NO_SLICE }, sizeof(uint32_t));
    err = bk_writer_commit(w, why);
    run->checkpoint.next = part.next;
    return err;
}

/* A slice of an array of a solved block. */
struct place {
    uint32_t nth, slice;
};

/* Writes the slices of solved blocks that this process has, and none before it.  Its part comes
   after those of the blocks under way. */
static enum bk_err save_solved(struct bk_run *run, uint32_t generation, struct bk_report *why)
{
    char path[BK_CHECKPOINT_PATH_MAX];
    struct bk_checkpoint part = part_of(run, generation, bk_ranks() + bk_rank(), path);
    const struct bk_memtable *t = run->job->t;
    struct bk_value_readers readers = bk_run_value_readers(run);
    struct bk_writer *w;
    enum bk_err err = bk_writer_open(&w, &part, why);

    if (err)
        return err;
    for (uint32_t i = 0; i < t->ix->nblocks; i++) {
        struct place p;

        for (p.nth = 0; t->block[i].code[0] && p.nth < BK_VALUES; p.nth++) {
            struct bk_values v = bk_share_values(&readers, i, p.nth);

            for (p.slice = 0; v.at && p.slice < t->ix->block[i].pairs->nslices; p.slice++) {
                uint64_t ranks = bk_share_readers(&readers, i, p.nth, p.slice);

                if (!ranks || (unsigned)__builtin_ctzll(ranks) != bk_rank())
                    continue;
                bk_write(w, &p, sizeof p);
                bk_write_array(w, v.at + p.slice * v.slice_bytes, v.slice_bytes);
            }
        }
        bk_write(w, &(struct place){ BK_VALUES, NO_SLICE }, sizeof(struct place));
    }
    err = bk_writer_commit(w, why);
    if (run->checkpoint.next < part.next)
        run->checkpoint.next = part.next;
    return err;
}

/* Reads what one part has of a block.  junk: room for any slice.  Adds to *seen the number of its
   slices that this process keeps. */
static bool load_solved_block(struct bk_reader *r, const struct bk_value_readers *readers,
                              uint32_t block, void *junk, uint64_t *seen)
{
    for (;;) {
        struct place p;
        struct bk_values v;
        bool wanted;

        if (!bk_read(r, &p, sizeof p))
            return false;
        if (p.slice == NO_SLICE)
            return true;
        if (p.nth >= BK_VALUES || p.slice >= readers->t->ix->block[block].pairs->nslices)
            return false;
        v = bk_share_values(readers, block, p.nth);
        if (!v.at)
            return false;
        wanted = bk_share_readers(readers, block, p.nth, p.slice) >> bk_rank() & 1;
        if (!bk_read_array(r, wanted ? v.at + p.slice * v.slice_bytes : junk, v.slice_bytes))
            return false;
        *seen += wanted;
    }
}

/* Returns the number of slices of solved blocks that this process keeps; *most: bytes of the
 * largest. */
static uint64_t count_wanted(const struct bk_value_readers *readers, size_t *most)
{
    const struct bk_index *ix = readers->t->ix;
    uint64_t wanted = 0;

    for (uint32_t i = 0; i < ix->nblocks; i++)
        for (unsigned nth = 0; readers->t->block[i].code[0] && nth < BK_VALUES; nth++) {
            struct bk_values v = bk_share_values(readers, i, nth);

            *most = v.at && v.slice_bytes > *most ? v.slice_bytes : *most;
            for (uint32_t slice = 0; v.at && slice < ix->block[i].pairs->nslices; slice++)
                wanted += bk_share_readers(readers, i, nth, slice) >> bk_rank() & 1;
        }
    return wanted;
}

/* Reads the slices of solved blocks from all parts. */
static enum bk_err load_solved(struct bk_run *run, struct bk_report *why)
{
    struct bk_value_readers readers = bk_run_value_readers(run);
    uint64_t wanted, seen = 0;
    size_t most = 1;
    enum bk_err err = BK_OK;
    void *junk;

    if (!run->parts.solved)
        return BK_OK;
    wanted = count_wanted(&readers, &most);
    junk = malloc(most);
    if (!junk)
        err = bk_no_memory(why);
    for (unsigned rank = 0; !err && rank < run->parts.solved; rank++) {
        char path[BK_CHECKPOINT_PATH_MAX];
        struct bk_checkpoint part =
            part_of(run, run->parts.generation, run->parts.solved + rank, path);
        struct bk_reader *r = NULL;
        bool ok = true;

        err = bk_reader_open(&r, &part, why);
        for (uint32_t i = 0; !err && ok && i < readers.t->ix->nblocks; i++)
            ok = load_solved_block(r, &readers, i, junk, &seen);
        if (!err && !ok)
            err = cannot_be_read(path, r, why);
        bk_reader_close(r);
    }
    free(junk);
    if (!err && seen != wanted)
        err = bk_fail(why, BK_E_CORRUPT, "%s: slices are missing", run->checkpoint.path);
    return err;
}

/* Is this slice worked on here? */
static bool is_own(const struct bk_under_way *u, uint32_t slice)
{
    return !u->share || u->share->owner[slice] == bk_rank();
}

/* Reads one slice; into `junk`, with room for any array of it, if it is not worked on here. */
static bool load_slice(struct bk_reader *r, const struct bk_under_way *u, uint32_t slice,
                       void *junk)
{
    struct bk_state *st = &u->solver->state;
    bool ok = true;

    for (enum bk_array a = 0; ok && a < BK_ARRAYS; a++)
        for (unsigned side = 0; ok && side < 2; side++)
            ok = bk_read_array(r, is_own(u, slice) ? bk_state_slice(st, a, side, slice) : junk,
                               st->slice_bytes[a]);
    return ok;
}

/* Reads the slices of one part.  Adds to *seen how many are worked on here. */
static bool load_part(struct bk_reader *r, const struct bk_under_way *u, void *junk, uint64_t *seen)
{
    for (;;) {
        uint32_t slice;

        if (!bk_read(r, &slice, sizeof slice))
            return false;
        if (slice == NO_SLICE)
            return true;
        if (slice >= u->solver->state.nslices || !load_slice(r, u, slice, junk))
            return false;
        *seen += is_own(u, slice);
    }
}

static enum bk_err load_parts(struct bk_run *run, const struct bk_under_way *u,
                              struct bk_report *why)
{
    const struct bk_state *st = &u->solver->state;
    uint64_t seen = 0;
    size_t most = 1;
    enum bk_err err = BK_OK;
    void *junk;

    for (enum bk_array a = 0; a < BK_ARRAYS; a++)
        most = st->slice_bytes[a] > most ? st->slice_bytes[a] : most;
    junk = malloc(most);
    if (!junk)
        err = bk_no_memory(why);
    for (unsigned rank = 0; !err && rank < run->parts.n; rank++) {
        char path[BK_CHECKPOINT_PATH_MAX];
        struct bk_checkpoint part = part_of(run, run->parts.generation, rank, path);
        struct bk_reader *r = NULL;

        err = bk_reader_open(&r, &part, why);
        if (!err && !load_part(r, u, junk, &seen))
            err = cannot_be_read(path, r, why);
        bk_reader_close(r);
    }
    free(junk);
    if (!err && seen != (u->share ? u->share->nown : st->nslices))
        err = bk_fail(why, BK_E_CORRUPT, "%s: slices are missing", run->checkpoint.path);
    return err;
}

/* Checks that all parts of the blocks under way are there and whole.  The first process looks. */
static enum bk_err check_parts(struct bk_run *run, struct bk_report *why)
{
    enum bk_err err = BK_OK;

    for (unsigned rank = 0; !err && bk_ranks_is_first() && rank < run->parts.n; rank++) {
        char path[BK_CHECKPOINT_PATH_MAX];
        struct bk_checkpoint part = part_of(run, run->parts.generation, rank, path);
        struct bk_reader *r; /* those of solved blocks are read at once */

        err = bk_reader_open(&r, &part, why);
        if (!err)
            bk_reader_close(r);
        else if (why && !*why->text)
            bk_fail(why, err, "%s: is missing", path);
    }
    return err;
}

enum bk_err bk_resume_block(struct bk_run *run, const struct bk_under_way *u, struct bk_report *why)
{
    struct bk_state *st = &u->solver->state;
    enum bk_err err = BK_OK;

    if (!load_numbers(run->reader, st) || (!run->parts.n && !load_state(run->reader, u)))
        err = cannot_be_read(run->checkpoint.path, run->reader, why);
    else if (run->parts.n)
        err = load_parts(run, u, why);
    if (!err && !marks_exist(u->solver))
        err = cannot_be_read(run->checkpoint.path, run->reader, why);
    *u->m = run->moment;
    bk_reader_close(run->reader);
    run->reader = NULL;
    return err;
}

/* == Checkpoints == */

/* Returns whether it is time for a checkpoint, as the first process says.  Sets run->finishing,
   too. */
static bool is_due(struct bk_run *run)
{
    const volatile int *finish = run->job->finish;
    bool now[2] = { run->checkpoint.path && bk_checkpoint_due(&run->checkpoint),
                    finish && *finish };

    bk_ranks_first_says(now, sizeof now);
    run->finishing = now[1];
    return now[0] || (now[1] && run->checkpoint.path && run->checkpoint.seconds > 0);
}

/* Returns a number for a checkpoint's parts, not 0: another one than before, but for chance. */
static uint32_t new_generation(void)
{
    struct timespec t;
    uint32_t generation;

    clock_gettime(CLOCK_REALTIME, &t);
    generation = ((uint32_t)t.tv_sec << 10 ^ (uint32_t)t.tv_nsec >> 20) | 1;
    bk_ranks_first_says(&generation, sizeof generation);
    return generation;
}

/* Writes a checkpoint: all but the slices that are in parts. */
static enum bk_err save_rest(struct bk_run *run, const struct bk_under_way *u,
                             const struct bk_part_files *parts, struct bk_report *why)
{
    static const struct bk_moment none;
    const struct bk_sink *sink = run->job->sink;
    struct bk_writer *w;
    enum bk_err err = bk_writer_open(&w, &run->checkpoint, why);

    if (err)
        return err;
    bk_write(w, &run->job->t->code_bytes, 1);
    bk_write(w, &run->strategy, sizeof run->strategy);
    bk_write(w, &run->level, sizeof run->level);
    bk_write(w, run->tally, sizeof *run->tally);
    save_blocks(w, run->job->t, parts->solved);
    if (sink->save)
        sink->save(sink->context, w);
    bk_write(w, u->solver ? u->m : &none, sizeof *u->m);
    bk_write(w, parts, sizeof *parts);
    if (u->solver) {
        save_numbers(w, &u->solver->state);
        if (!parts->n)
            save_state(w, u);
    }
    return bk_writer_commit(w, why);
}

void bk_resume_save(struct bk_run *run, const struct bk_under_way *u)
{
    struct bk_part_files parts = { 0 };
    struct bk_report why = { "" };
    double next = 0;
    enum bk_err err = BK_OK;

    if (!is_due(run))
        return;
    if (u->share || run->by_share) {
        parts = (struct bk_part_files){ .n = u->share ? bk_ranks() : 0,
                                        .solved = run->by_share ? bk_ranks() : 0,
                                        .generation = new_generation() };
        if (u->share)
            err = save_part(run, u, parts.generation, &why);
        if (!err && run->by_share)
            err = save_solved(run, parts.generation, &why);
        err = bk_ranks_agree(err, &why);
        next = run->checkpoint.next;
    }
    if (!bk_ranks_is_first())
        return;
    if (!err)
        err = save_rest(run, u, &parts, &why);
    if (run->checkpoint.next < next)
        run->checkpoint.next = next;
    if (!err) {
        bk_checkpoint_remove_parts(run->checkpoint.path, parts.generation);
        return;
    }
    bk_run_note(run, why.text);
    if (parts.generation) /* they would take the room that the next ones need */
        bk_checkpoint_remove_generation(run->checkpoint.path, parts.generation);
}

/* Sets the strategy by which blocks will be solved, and their order.  False: no memory. */
static bool take_strategy(struct bk_run *run, enum bk_strategy strategy)
{
    if (strategy == run->strategy)
        return true;
    run->strategy = strategy;
    bk_order_free(&run->order);
    return bk_order_new(&run->order, run->job->t->ix, strategy, bk_memtable_metric(run->job->t));
}

/* Reads the head of a checkpoint (bytes of codes, strategy), and begins the run by it. */
static enum bk_err read_head(struct bk_run *run, struct bk_reader *r, struct bk_report *why)
{
    uint8_t code_bytes;
    enum bk_strategy strategy;

    if (!bk_read(r, &code_bytes, 1) || !bk_read(r, &strategy, sizeof strategy) ||
        (run->job->distances ? code_bytes != 1 && code_bytes != 2 : code_bytes != 0))
        return cannot_be_read(run->checkpoint.path, r, why);
    if (bk_ranks_several() && run->job->distances && strategy == BK_COMPACT)
        return bk_fail(
            why, BK_E_SYSTEM,
            "%s: was made with a limit of memory: one process can go on from it; take it "
            "away to begin anew",
            run->checkpoint.path);
    if (strategy > run->job->strategy)
        return bk_fail(why, BK_E_NO_TABLE, "%s: was made with more memory; not used",
                       run->checkpoint.path);
    if (!take_strategy(run, strategy))
        return bk_no_memory(why);
    return bk_run_begin(run, code_bytes, why);
}

/* Returns whether the levels before this one are solved and none after it, and whether solved
   blocks that are still read have codes. */
static bool is_in_order(const struct bk_run *run, struct bk_reader *r)
{
    const struct bk_order *o = &run->order;
    const struct bk_memtable *t = run->job->t;
    uint32_t n = t->ix->nblocks, first = o->first[run->level];
    uint32_t end = run->level < o->nlevels ? o->first[run->level + 1] : n;
    uint32_t *readers = calloc(n + 1u, sizeof *readers);
    bool ok = readers != NULL;

    if (!readers)
        bk_reader_refuse(r, ENOMEM);
    for (uint32_t i = 0; ok && i < n; i++) {
        if (i < first || i >= end)
            ok = t->block[o->block[i]].solved == (i < first);
        if (i >= first)
            bk_order_read(t->ix, o->block[i], 1, readers);
    }
    for (uint32_t i = 0; ok && i < n; i++)
        ok = !readers[i] || !t->block[i].solved || t->block[i].code[0];
    free(readers);
    return ok;
}

/* Is this one of the table's positions, or none? */
static bool is_position(const struct bk_index *ix, const struct bk_longest *l)
{
    unsigned nsq = ix->v->nsq;

    if (l->plies < 0)
        return true;
    if (l->at.king[0] >= nsq || l->at.king[1] >= nsq || l->plies >= PLIES_MAX)
        return false;
    for (unsigned s = 0; s < ix->nslots; s++)
        if (l->at.sq[s] >= nsq)
            return false;
    return bk_index_rank(ix, &l->at) < ix->positions;
}

static bool read_tally(struct bk_reader *r, const struct bk_index *ix, struct bk_tally *t)
{
    if (!bk_read(r, t, sizeof *t))
        return false;
    for (unsigned side = 0; side < 2; side++)
        if (!is_position(ix, &t->longest_win[side]) || !is_position(ix, &t->longest_loss[side]))
            return false;
    return true;
}

/* Reads a checkpoint from behind its head up to the blocks under way.  False: it cannot be read. */
static bool read_solved(struct bk_run *run, struct bk_reader *r)
{
    const struct bk_sink *sink = run->job->sink;

    return bk_read(r, &run->level, sizeof run->level) && run->level <= run->order.nlevels &&
           read_tally(r, run->job->t->ix, run->tally) && load_blocks(r, run) &&
           is_in_order(run, r) && (!sink->load || sink->load(sink->context, r)) &&
           bk_read(r, &run->moment, sizeof run->moment) &&
           bk_read(r, &run->parts, sizeof run->parts) && run->parts.n <= BK_PROCESSES_MAX &&
           run->parts.solved <= BK_PROCESSES_MAX;
}

/* Reads the job's checkpoint.  BK_OK leaves run->reader before the blocks under way. */
static enum bk_err read_checkpoint(struct bk_run *run, struct bk_report *why)
{
    struct bk_reader *r;
    enum bk_err err = bk_reader_open(&r, &run->checkpoint, why);

    if (err)
        return err;
    err = read_head(run, r, why);
    if (!err && !read_solved(run, r))
        err = cannot_be_read(run->checkpoint.path, r, why);
    if (!err)
        err = check_parts(run, why);
    if (!err)
        err = load_solved(run, why);
    if (err) {
        bk_reader_close(r);
        return err;
    }
    run->reader = r;
    bk_run_count_readers(run); /* whether blocks are let go may have changed */
    for (uint32_t i = 0; i < run->order.first[run->level]; i++)
        run->done += 2 * run->job->t->ix->block[run->order.block[i]].size;
    return BK_OK;
}

enum bk_err bk_resume_begin(struct bk_run *run, struct bk_report *why)
{
    const enum bk_strategy asked = run->strategy; /* for all processes alike */
    struct bk_report inner = { "" };
    enum bk_err err = BK_E_NO_TABLE;

    is_due(run); /* the clock starts */
    if (run->checkpoint.path)
        err = bk_ranks_agree(read_checkpoint(run, &inner), &inner);
    if (!err)
        return BK_OK;
    if (err == BK_E_SYSTEM) /* it is good: to begin anew would be to lose it */
        return bk_fail(why, err, "%s", inner.text);
    if (*inner.text && bk_ranks_is_first())
        bk_run_note(run, inner.text);
    if (!take_strategy(run, asked))
        return bk_no_memory(why);
    return bk_run_begin(run, run->job->distances ? 1 : 0, why);
}
