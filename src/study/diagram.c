/*
 * diagram.c - see diagram.h.
 *
 * Everything is drawn in units of which a square has 48, as pictures have:
 * sizes are a matter of the outermost element alone.  The dark edge of the
 * board is a slightly larger square below each square; so it follows holes by
 * itself.
 */
#include "study/diagram.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "core/rules.h"

#define SQUARE STUDY_PICTURE_SIZE
#define EDGE   4  /* around the board */
#define MARGIN 24 /* for coordinates */
#define LINE   30 /* a line of text below */

static const char light[] = "#f1e8d2", dark[] = "#bfa57c", edge[] = "#4a3f30", ink[] = "#222222";

/* == Pictures of men == */

/* The list is short and asked once a diagram and kind of man: no hash. */
static const struct study_picture *picture_named(const char *name)
{
    char word[sizeof((struct bk_piece *)0)->name + 3];

    snprintf(word, sizeof word, " %s ", name);
    for (const struct study_picture *p = study_pictures; p->names; p++)
        if (strstr(p->names, word))
            return p;
    return NULL;
}

const struct study_picture *study_picture(const struct bk_piece *man)
{
    const struct study_picture *p = picture_named(man->name);

    return p || !man->royal ? p : picture_named("king");
}

/* == Colours and squares in words == */

static const struct colour_name {
    const char *name, *colour;
} colours[] = {
    { "green", "#4f9d4f" },  { "red", "#c8503c" },  { "blue", "#4a7fc0" },
    { "yellow", "#d9b43a" }, { "grey", "#9a9a9a" },
};
#define NCOLOURS (sizeof colours / sizeof colours[0])

bool study_colour(const char *name, size_t n, char out[STUDY_COLOUR_MAX])
{
    for (size_t i = 0; i < NCOLOURS; i++)
        if (strlen(colours[i].name) == n && !strncmp(colours[i].name, name, n)) {
            strcpy(out, colours[i].colour);
            return true;
        }
    if (n != 7 || name[0] != '#')
        return false;
    for (size_t i = 1; i < n; i++)
        if (!isxdigit((unsigned char)name[i]))
            return false;
    memcpy(out, name, n);
    out[n] = 0;
    return true;
}

bool study_squares(const struct bk_variant *v, const char *word, size_t n, unsigned squares,
                   uint8_t sq[2], char colour[STUDY_COLOUR_MAX])
{
    char text[64];
    const char *at = text;

    if (n >= sizeof text)
        return false;
    memcpy(text, word, n);
    text[n] = 0;
    for (unsigned i = 0; i < squares; i++) {
        unsigned found = bk_sq_read(v, &at);

        if (found == BK_SQ_NONE || !bk_bits_has(&v->board, found))
            return false;
        sq[i] = (uint8_t)found;
    }
    if (!*at)
        return study_colour("green", 5, colour);
    return *at == ':' && study_colour(at + 1, strlen(at + 1), colour);
}

/* Blue and orange: told apart by everybody, and lighter and darker without colours. */
const char *study_verdict_colour(int white_wdl)
{
    return white_wdl > 0 ? "#8fc1ec" : white_wdl < 0 ? "#e39a5f" : "#dcdcd4";
}

void study_diagram_init(struct study_diagram *d, const struct bk_variant *v, const struct bk_pos *p)
{
    memset(d, 0, sizeof *d);
    d->v = v;
    d->p = p;
    d->faded = BK_SQ_NONE;
}

enum bk_err study_diagram_read(struct study_diagram *d, const struct bk_variant *v,
                               struct bk_pos *p, const char *fen, struct bk_report *why)
{
    struct bk_hands_pos h;
    enum bk_err err;

    if (!bk_rules_hands(v) || !strchr(fen, '['))
        return bk_pos_from_fen(p, v, fen, why);
    if ((err = bk_hands_from_fen(&h, v, fen, why)) != BK_OK)
        return err;
    bk_pos_init(p, v);
    p->stm = h.stm;
    for (unsigned i = 0; i < h.n; i++)
        if (h.sq[i] == BK_SQ_NONE)
            d->off[d->noff++] = h.man[i];
        else
            bk_pos_put(p, v, bk_man_type(h.man[i]), bk_man_colour(h.man[i]), h.sq[i]);
    return BK_OK;
}

/* == Places == */

/* Columns and rows of the drawing, from the upper left. */
static unsigned column(const struct study_diagram *d, unsigned sq)
{
    unsigned file = sq % d->v->files;

    return d->flip ? d->v->files - 1u - file : file;
}

static unsigned row(const struct study_diagram *d, unsigned sq)
{
    unsigned rank = sq / d->v->files;

    return d->flip ? rank : d->v->ranks - 1u - rank;
}

static unsigned left(const struct study_diagram *d) { return d->plain ? EDGE : MARGIN; }
static unsigned x_of(const struct study_diagram *d, unsigned sq)
{
    return left(d) + column(d, sq) * SQUARE;
}
static unsigned y_of(const struct study_diagram *d, unsigned sq)
{
    return EDGE + row(d, sq) * SQUARE;
}

static unsigned width(const struct study_diagram *d)
{
    return left(d) + (unsigned)d->v->files * SQUARE + EDGE;
}

static unsigned bottom(const struct study_diagram *d)
{
    return EDGE + (unsigned)d->v->ranks * SQUARE + (d->plain ? EDGE : MARGIN);
}

/* Returns where the text below begins: men off the board come before it. */
static unsigned below(const struct study_diagram *d) { return bottom(d) + (d->noff ? SQUARE : 0); }

static unsigned height(const struct study_diagram *d)
{
    return below(d) + LINE * (d->nlegend + (d->caption ? 1u : 0u));
}

/* == Parts == */

static void put_text(struct study_text *out, unsigned x, unsigned y, unsigned size,
                     const char *anchor, const char *text)
{
    study_putf(out,
               "<text x=\"%u\" y=\"%u\" font-size=\"%u\" text-anchor=\"%s\" stroke=\"none\" "
               "fill=\"%s\">",
               x, y, size, anchor, ink);
    study_put_xml(out, text);
    study_put(out, "</text>\n");
}

static void put_squares(struct study_text *out, const struct study_diagram *d)
{
    for (unsigned sq = 0; sq < d->v->nsq; sq++)
        if (bk_bits_has(&d->v->board, sq))
            study_putf(out, "<rect x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" fill=\"%s\"/>\n",
                       x_of(d, sq) - 2, y_of(d, sq) - 2, SQUARE + 4, SQUARE + 4, edge);
    for (unsigned sq = 0; sq < d->v->nsq; sq++) {
        bool is_light = (sq % d->v->files + sq / d->v->files) & 1;

        if (!bk_bits_has(&d->v->board, sq))
            continue;
        study_putf(out, "<rect x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" fill=\"%s\"/>\n",
                   x_of(d, sq), y_of(d, sq), SQUARE, SQUARE, is_light ? light : dark);
        if (d->fill[sq][0]) /* a little of the board is seen around it */
            study_putf(out, "<rect x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" fill=\"%s\"/>\n",
                       x_of(d, sq) + 2, y_of(d, sq) + 2, SQUARE - 4, SQUARE - 4, d->fill[sq]);
    }
}

static void put_coordinates(struct study_text *out, const struct study_diagram *d)
{
    char name[16];

    for (unsigned i = 0; i < d->v->files; i++) {
        snprintf(name, sizeof name, "%c", (char)('a' + (d->flip ? d->v->files - 1u - i : i)));
        put_text(out, left(d) + i * SQUARE + SQUARE / 2, bottom(d) - 6, 15, "middle", name);
    }
    for (unsigned i = 0; i < d->v->ranks; i++) {
        snprintf(name, sizeof name, "%u", d->flip ? i + 1 : d->v->ranks - i);
        put_text(out, left(d) / 2 - 1, EDGE + i * SQUARE + SQUARE / 2 + 5, 15, "middle", name);
    }
}

/* The id of a picture: its first name. */
static int id_length(const struct study_picture *p) { return (int)strcspn(p->names + 1, " "); }

static void put_symbol(struct study_text *out, const struct study_picture *p)
{
    study_putf(out, "<symbol id=\"bk-%.*s\" viewBox=\"0 0 %d %d\">%s</symbol>\n", id_length(p),
               p->names + 1, STUDY_PICTURE_SIZE, STUDY_PICTURE_SIZE, p->body);
}

/* Pictures of the kinds of men in `wanted`, one bit a type; each once. */
static void put_symbols(struct study_text *out, const struct bk_variant *v, uint32_t wanted)
{
    for (const struct study_picture *p = study_pictures; p->names; p++)
        for (unsigned t = 0; t < v->ntypes; t++)
            if (wanted >> t & 1 && study_picture(&v->piece[t]) == p) {
                put_symbol(out, p);
                break;
            }
}

/* A man without a picture: his letter in a disc. */
static void put_letter(struct study_text *out, unsigned x, unsigned y, char letter)
{
    study_putf(out,
               "<circle cx=\"%u\" cy=\"%u\" r=\"18\"/><text x=\"%u\" y=\"%u\" font-size=\"24\" "
               "font-weight=\"bold\" text-anchor=\"middle\" stroke=\"none\" "
               "fill=\"currentColor\">%c</text>",
               x + SQUARE / 2, y + SQUARE / 2, x + SQUARE / 2, y + SQUARE / 2 + 9, letter);
}

/* Puts a man with his upper left corner at (x, y). */
static void put_man(struct study_text *out, const struct study_diagram *d, uint8_t code, unsigned x,
                    unsigned y, bool faded)
{
    static const char *const look[2] = {
        "fill=\"#ffffff\" stroke=\"#111111\" color=\"#111111\"",
        "fill=\"#2b2b2b\" stroke=\"#111111\" color=\"#ffffff\"",
    };
    const struct bk_piece *man = &d->v->piece[bk_man_type(code)];
    const struct study_picture *p = study_picture(man);

    study_putf(out, "<g %s%s>", look[bk_man_colour(code)], faded ? " opacity=\"0.35\"" : "");
    if (p)
        study_putf(out, "<use href=\"#bk-%.*s\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\"/>",
                   id_length(p), p->names + 1, x + 2, y + 2, SQUARE - 4, SQUARE - 4);
    else
        put_letter(out, x, y, man->letter);
    study_put(out, "</g>\n");
}

static void put_men(struct study_text *out, const struct study_diagram *d)
{
    study_put(out, "<g stroke-width=\"2.4\" stroke-linejoin=\"round\" stroke-linecap=\"round\">\n");
    for (unsigned sq = 0; sq < d->v->nsq; sq++)
        if (d->p->at[sq])
            put_man(out, d, d->p->at[sq], x_of(d, sq), y_of(d, sq), sq == d->faded);
    for (unsigned i = 0; i < d->noff; i++)
        put_man(out, d, d->off[i], left(d) + i * SQUARE, bottom(d), false);
    study_put(out, "</g>\n");
}

/* Puts the labels: in the middle of an empty square, at the foot of one with a man. */
static void put_labels(struct study_text *out, const struct study_diagram *d)
{
    for (unsigned sq = 0; sq < d->v->nsq; sq++)
        if (d->label[sq][0])
            put_text(out, x_of(d, sq) + SQUARE / 2,
                     y_of(d, sq) + (d->p->at[sq] ? SQUARE - 5 : SQUARE / 2 + 6), 17, "middle",
                     d->label[sq]);
}

/* Puts a marker for each colour of arrows; it turns as its line does, but has its own colour. */
static void put_arrow_heads(struct study_text *out, const struct study_diagram *d)
{
    for (unsigned i = 0; i < d->narrows; i++) {
        const char *colour = d->arrow[i].colour;
        bool known = false;

        for (unsigned k = 0; k < i; k++)
            known |= !strcmp(d->arrow[k].colour, colour);
        if (!known)
            study_putf(out,
                       "<marker id=\"bk-head-%s\" markerWidth=\"4\" markerHeight=\"4\" "
                       "refX=\"2.6\" refY=\"2\" orient=\"auto\">"
                       "<path d=\"M0 0L4 2 0 4z\" fill=\"%s\"/></marker>\n",
                       colour + 1, colour);
    }
}

static void put_arrows(struct study_text *out, const struct study_diagram *d)
{
    for (unsigned i = 0; i < d->narrows; i++) {
        const struct study_arrow *a = &d->arrow[i];

        study_putf(out,
                   "<line x1=\"%u\" y1=\"%u\" x2=\"%u\" y2=\"%u\" stroke=\"%s\" "
                   "stroke-width=\"7\" opacity=\"0.8\" marker-end=\"url(#bk-head-%s)\"/>\n",
                   x_of(d, a->from) + SQUARE / 2, y_of(d, a->from) + SQUARE / 2,
                   x_of(d, a->to) + SQUARE / 2, y_of(d, a->to) + SQUARE / 2, a->colour,
                   a->colour + 1);
    }
}

static void put_below(struct study_text *out, const struct study_diagram *d)
{
    unsigned y = below(d) + 20;

    for (unsigned i = 0; i < d->nlegend; i++, y += LINE) {
        study_putf(out,
                   "<rect x=\"%u\" y=\"%u\" width=\"20\" height=\"20\" fill=\"%s\" "
                   "stroke=\"%s\"/>\n",
                   left(d), y - 16, d->legend[i].colour, edge);
        put_text(out, left(d) + 30, y, 17, "start", d->legend[i].text);
    }
    if (d->caption)
        put_text(out, width(d) / 2, y, 18, "middle", d->caption);
}

/* == Whole == */

void study_diagram_svg(struct study_text *out, const struct study_diagram *d)
{
    unsigned pixels = d->pixels ? d->pixels : SQUARE;
    uint32_t wanted = 0;

    for (unsigned sq = 0; sq < d->v->nsq; sq++)
        if (d->p->at[sq])
            wanted |= UINT32_C(1) << bk_man_type(d->p->at[sq]);
    for (unsigned i = 0; i < d->noff; i++)
        wanted |= UINT32_C(1) << bk_man_type(d->off[i]);
    study_putf(out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %u %u\" width=\"%u\" "
               "height=\"%u\" font-family=\"sans-serif\">\n",
               width(d), height(d), width(d) * pixels / SQUARE, height(d) * pixels / SQUARE);
    study_put(out, "<defs>\n");
    if (!d->shared)
        put_symbols(out, d->v, wanted);
    put_arrow_heads(out, d);
    study_put(out, "</defs>\n");
    study_putf(out, "<rect width=\"%u\" height=\"%u\" fill=\"#ffffff\"/>\n", width(d), height(d));
    put_squares(out, d);
    if (!d->plain)
        put_coordinates(out, d);
    put_men(out, d);
    put_labels(out, d);
    put_arrows(out, d);
    put_below(out, d);
    study_put(out, "</svg>\n");
}

void study_diagram_shared(struct study_text *out, const struct bk_variant *v)
{
    study_put(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"0\" height=\"0\">\n<defs>\n");
    put_symbols(out, v, UINT32_MAX);
    study_put(out, "</defs>\n</svg>\n");
}

/* == In letters == */

static void put_cell(struct study_text *out, const struct study_diagram *d, unsigned sq,
                     unsigned cell)
{
    char text[8] = " ";

    if (d->label[sq][0] && (!d->p->at[sq] || sq == d->faded))
        snprintf(text, sizeof text, "%s", d->label[sq]);
    else if (d->p->at[sq])
        snprintf(text, sizeof text, d->fill[sq][0] ? "[%c]" : "%c",
                 bk_man_letter(d->v, d->p->at[sq]));
    else if (bk_bits_has(&d->v->board, sq))
        snprintf(text, sizeof text, "%s", d->fill[sq][0] ? "[.]" : ".");
    study_putf(out, "%*s", (int)cell, text);
}

void study_diagram_text(struct study_text *out, const struct study_diagram *d)
{
    unsigned cell = 2;

    for (unsigned sq = 0; sq < d->v->nsq; sq++) {
        unsigned n = (unsigned)strlen(d->label[sq]) + 1;

        if (d->fill[sq][0] && cell < 4)
            cell = 4;
        cell = n > cell ? n : cell;
    }
    for (unsigned i = 0; i < d->v->ranks; i++) {
        unsigned rank = d->flip ? i : d->v->ranks - 1u - i;

        if (!d->plain)
            study_putf(out, "%4u |", rank + 1);
        for (unsigned k = 0; k < d->v->files; k++)
            put_cell(out, d, bk_sq(d->v, d->flip ? d->v->files - 1u - k : k, rank), cell);
        study_put(out, "\n");
    }
    if (!d->plain) {
        study_put(out, "      ");
        for (unsigned k = 0; k < d->v->files; k++)
            study_putf(out, "%*c", (int)cell, (int)('a' + (d->flip ? d->v->files - 1u - k : k)));
        study_put(out, "\n");
    }
    for (unsigned i = 0; i < d->noff; i++)
        study_putf(out, "%s%c%s", i ? " " : "      off the board: ", bk_man_letter(d->v, d->off[i]),
                   i + 1 == d->noff ? "\n" : "");
    for (unsigned i = 0; i < d->nlegend; i++)
        study_putf(out, "      %s\n", d->legend[i].text);
    if (d->caption)
        study_putf(out, "      %s\n", d->caption);
}
