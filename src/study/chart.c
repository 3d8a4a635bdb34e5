/*
 * chart.c - see chart.h.
 *
 * Counts fall off by powers of ten towards the longest games, so heights are logarithms: from
 * integers, so that the same table gives the same bytes on every machine.
 */
#include "study/chart.h"

#include "study/diagram.h"

#define WIDTH  720
#define HEIGHT 220
#define LEFT   56
#define BELOW  34
#define DECADE 1000 /* a factor of ten, in our units */

/* 1000 * log10(n), rounded down; n > 0. */
static unsigned log_of(uint64_t n)
{
    /* log10(2) = 0.30103; the rest by squaring: each doubling of the exponent gives one more bit */
    uint64_t bits = 0, x;
    unsigned whole = 63 - (unsigned)__builtin_clzll(n);

    x = whole >= 31 ? n >> (whole - 31) : n << (31 - whole); /* 1 <= x / 2^31 < 2 */
    for (unsigned i = 0; i < 16; i++) {
        x = x * x >> 31;
        bits <<= 1;
        if (x >> 32) {
            x >>= 1;
            bits |= 1;
        }
    }
    return (unsigned)((((uint64_t)whole << 16 | bits) * 30103) / 6553600);
}

/* Returns how many positions are won in 2 * turn - 1 plies, or lost in 2 * turn. */
static uint64_t at_turn(const struct study_tally *t, unsigned side, unsigned turn, bool won)
{
    unsigned plies = 2 * turn - won;

    return plies < STUDY_PLIES_MAX ? t->plies[side][plies] : 0;
}

static void put_bar(struct study_text *out, unsigned x, unsigned width, uint64_t n, unsigned top,
                    const char *colour, const char *what, unsigned turn)
{
    unsigned height;

    if (!n)
        return;
    /* a bar of one position has a height, too */
    height = (log_of(n) + 150) * (HEIGHT - 20) / (top + 150);
    study_putf(out,
               "<rect x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" fill=\"%s\"><title>%llu %s in "
               "%u turn%s</title></rect>\n",
               x, HEIGHT - height, width, height, colour, (unsigned long long)n, what, turn,
               turn == 1 ? "" : "s");
}

static void put_lines(struct study_text *out, unsigned top)
{
    unsigned long long n = 1;

    for (unsigned log = 0; log <= top; log += DECADE, n *= 10) {
        unsigned y = HEIGHT - (log + 150) * (HEIGHT - 20) / (top + 150);

        study_putf(out,
                   "<line x1=\"%d\" y1=\"%u\" x2=\"%d\" y2=\"%u\" stroke=\"#c8c8c8\"/>"
                   "<text x=\"%d\" y=\"%u\" text-anchor=\"end\">%llu</text>\n",
                   LEFT, y, WIDTH, y, LEFT - 6, y + 4, n);
    }
}

static void put_turns(struct study_text *out, unsigned turns, unsigned step)
{
    unsigned every = turns <= 20    ? 1
                     : turns <= 50  ? 5
                     : turns <= 120 ? 10
                     : turns <= 600 ? 50
                                    : turns / 1200 * 100 + 100;

    for (unsigned turn = 1; turn <= turns; turn++)
        if (turn % every == 0)
            study_putf(out, "<text x=\"%u\" y=\"%d\" text-anchor=\"middle\">%u</text>\n",
                       LEFT + (turn - 1) * step / 16 + step / 32, HEIGHT + 16, turn);
    study_putf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">turns</text>\n", WIDTH,
               HEIGHT + 30);
}

void study_chart(struct study_text *out, const struct study_tally *t, unsigned side)
{
    unsigned turns = (t->longest + 1) / 2, top = DECADE, step, bar;

    if (turns >= STUDY_PLIES_MAX / 2)
        turns = STUDY_PLIES_MAX / 2 - 1;
    for (unsigned turn = 1; turn <= turns; turn++)
        for (unsigned won = 0; won < 2; won++) {
            uint64_t n = at_turn(t, side, turn, won);

            if (n && log_of(n) > top)
                top = log_of(n);
        }
    step = turns ? 16 * (WIDTH - LEFT) / turns : 16; /* sixteenths */
    step = step > 16 * 40 ? 16 * 40 : step ? step : 1;
    bar = step / 40 ? step / 40 : 1;
    study_putf(out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" viewBox=\"0 0 %d %d\" "
               "width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">\n"
               "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n",
               WIDTH + 8, HEIGHT + BELOW, WIDTH + 8, HEIGHT + BELOW, WIDTH + 8, HEIGHT + BELOW);
    put_lines(out, top);
    for (unsigned turn = 1; turn <= turns; turn++) {
        unsigned x = LEFT + (turn - 1) * step / 16 + 1;

        put_bar(out, x, bar, at_turn(t, side, turn, true), top, study_verdict_colour(1), "won",
                turn);
        put_bar(out, x + bar, bar, at_turn(t, side, turn, false), top, study_verdict_colour(-1),
                "lost", turn);
    }
    put_turns(out, turns, step);
    study_put(out, "</svg>\n");
}
