/*
 * unit_memory.c - see unit_memory.h.
 *
 * All cells take a third of a byte to one byte a number, measured.
 */
#include "tb/encode/unit_memory.h"

#include "tb/encode/unit_run.h"

#define BATCH_PIECES 4 /* asked at a time, for each thread */

/* Bytes of the questions asked at a time, for each number (asked.h: a word, and one set or two),
   and of the codes: most tables have half as much, few three times, which counts where memory is
   short.  For distances, measured with many leaves: nearly all numbers are asked, which is
   ASKED_MORE, while tree and codes take CODES_KEPT bytes a sampled position; with a spill the codes
   take CODES_LONG while the model is written. */
enum { ASKED_NUMBER = 8, ASKED_MORE = 5, CODES = 4 << 20, CODES_LONG = 20, CODES_KEPT = 9 };

static uint64_t asked_number(unsigned words) { return ASKED_NUMBER * (1 + 2 * words) / 3; }

static uint64_t writing_bytes(uint64_t numbers, unsigned words, unsigned threads, bool spill)
{
    uint64_t batch = ((spill ? 1 : BATCH_PIECES) * (uint64_t)threads + 1) * BK_PIECE_NUMBERS;
    uint64_t asked = spill ? 3 * ASKED_NUMBER * words : asked_number(words);

    return bk_unit_least(numbers, batch) * asked + bk_unit_least(CODES, numbers) +
           numbers / BK_PIECE_NUMBERS *
               (sizeof(struct bk_unit_piece) + sizeof(struct bk_asked_rows));
}

struct bk_unit_memory bk_unit_memory(const struct bk_unit_size *n,
                                     const struct bk_unit_options *options, unsigned threads)
{
    uint64_t sample = bk_sample_rows(n, options->effort);
    uint64_t positions = n->rows ? n->numbers * sample / n->rows * n->care / 100 : 0;
    uint64_t list = bk_sample_list_bytes(n, options->effort);
    uint64_t columns = n->taught ? 0 : bk_sample_bytes(n->facts, n->bits, positions);
    uint64_t cells =
        bk_unit_least(n->here, columns > options->memory_bytes ? columns : options->memory_bytes);
    uint64_t writing = cells + writing_bytes(n->here, n->words, threads, false);

    if (n->bits > BK_RESULT_BITS) {
        writing += writing_bytes(n->numbers, n->words, threads, false) * ASKED_MORE / ASKED_NUMBER;
        writing += positions * CODES_KEPT;
    }
    return (struct bk_unit_memory){
        columns,
        n->taught ? 0 : list,
        writing,
        writing_bytes(n->numbers, n->words, threads, true) + list +
            positions * CODES_LONG * (n->bits > 2),
    };
}

size_t bk_unit_room_for_cells(const struct bk_unit_run *u, uint64_t counts)
{
    uint64_t room = u->sampled_bytes, met = u->src->bits > BK_RESULT_BITS ? counts / 3 : 0;
    uint64_t own = counts + writing_bytes(u->src->end - u->src->first, u->words, u->threads, false);

    if (u->spill)
        return 0;
    room = room > own ? room - own : 0;
    room = room > u->memory ? room : u->memory;
    if (u->most)
        room = bk_unit_least(room, u->most > own ? u->most - own : 0);
    return room > met ? room - met : 0;
}

uint32_t bk_unit_pieces_at_once(const struct bk_unit_run *u)
{
    uint64_t number = asked_number(u->words), most = BATCH_PIECES * u->threads, room;

    if (u->spill || u->asked == u->from) /* piece_bytes is not known yet */
        return u->threads;
    if (u->src->bits > BK_RESULT_BITS)
        number += number * ASKED_MORE / ASKED_NUMBER;
    room = most * BK_PIECE_NUMBERS * number / (u->piece_bytes + 1);
    return (uint32_t)(room < u->threads ? u->threads : bk_unit_least(room, most));
}
