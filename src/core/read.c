/*
 * read.c - a game from the text of its file.
 *
 * Idea: first collect every `key = value` with its place, then understand them
 * with the board and all letters known; so a key may speak of a piece that
 * comes later, and every complaint still names the line it is about.
 * Checks that also make sense without a file are check.c's; what only a writer
 * of files gets wrong (forgotten keys, keys without effect) is in check_file().
 */
#include "core/read.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/attack.h"
#include "core/check.h"
#include "core/hands.h"
#include "core/ini.h"
#include "core/keys.h"
#include "core/position.h"
#include "core/rules.h"

struct section {
    int type; /* -1: [variant] */
    int line;
};

struct entry {
    const struct bk_key *key;
    int type; /* of its section */
    int line;
    unsigned column; /* of the value */
    char value[BK_INI_LINE_CHARS_MAX + 1];
};

struct file {
    const char *label;
    struct bk_ini ini;
    struct section section[BK_TYPES_MAX + 1];
    unsigned nsections;
    struct entry *entry;
    size_t nentries, room;
    struct bk_variant *v;
    enum bk_err err; /* the first fault: nothing is read after it */
    struct bk_report *why;
};

/* Sets f->err and the report: what is wrong, and where (column 0: the line as a whole); false. */
__attribute__((format(printf, 4, 5))) static bool fault(struct file *f, int line, unsigned column,
                                                        const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    f->err = bk_fail_at(f->why, f->label, line, column, fmt, ap);
    va_end(ap);
    return false;
}

/* == 1. Collecting the entries =========================================== */

static const struct section *section_of(const struct file *f, int type)
{
    for (unsigned i = 0; i < f->nsections; i++)
        if (f->section[i].type == type)
            return &f->section[i];
    return NULL;
}

static bool open_variant(struct file *f)
{
    const struct section *before = section_of(f, -1);

    if (before)
        return fault(f, f->ini.line, 1, "[variant] stands twice (first on line %d)", before->line);
    f->section[f->nsections++] = (struct section){ -1, f->ini.line };
    return true;
}

static bool open_piece(struct file *f, const char *name, size_t length)
{
    struct bk_variant *v = f->v;

    if (length == 0)
        return fault(f, f->ini.line, 1, "[piece NAME] needs a name");
    if (length >= sizeof v->piece[0].name)
        return fault(f, f->ini.line, 1, "a piece's name has at most %d bytes",
                     (int)sizeof v->piece[0].name - 1);
    for (int i = 0; i < v->ntypes; i++)
        if (strlen(v->piece[i].name) == length && !memcmp(v->piece[i].name, name, length))
            return fault(f, f->ini.line, 1, "[piece %s] stands twice (first on line %d)",
                         v->piece[i].name, section_of(f, i)->line);
    if (v->ntypes == BK_TYPES_MAX)
        return fault(f, f->ini.line, 1, "more than %d pieces", BK_TYPES_MAX);
    memcpy(v->piece[v->ntypes].name, name, length);
    f->section[f->nsections++] = (struct section){ v->ntypes++, f->ini.line };
    return true;
}

/* "variant", "piece NAME" */
static bool open_section(struct file *f, const char *name)
{
    size_t length = strlen(name), skip;

    if (!strcmp(name, "variant"))
        return open_variant(f);
    if (strncmp(name, "piece", 5) || (length > 5 && name[5] != ' '))
        return fault(f, f->ini.line, 1, "unknown section [%s]; expected [variant] or [piece NAME]",
                     name);
    skip = 5 + strspn(name + 5, " ");
    while (length > skip && name[length - 1] == ' ')
        length--;
    return open_piece(f, name + skip, length > skip ? length - skip : 0);
}

static const struct entry *find_entry(const struct file *f, int type, const char *key, unsigned nth)
{
    for (size_t i = 0; i < f->nentries; i++)
        if (f->entry[i].type == type && !strcmp(f->entry[i].key->name, key) && nth-- == 0)
            return &f->entry[i];
    return NULL;
}

static bool add_entry(struct file *f, const struct bk_key *key, int type)
{
    struct entry *e;

    if (!BK_ARRAY_ROOM(f->entry, f->room, f->nentries + 1)) {
        f->err = bk_no_memory(f->why);
        return false;
    }
    e = &f->entry[f->nentries++];
    *e = (struct entry){ key, type, f->ini.line, f->ini.column, "" };
    memcpy(e->value, f->ini.value, strlen(f->ini.value) + 1); /* a part of a line, so it fits */
    return true;
}

/* Adds the key that was read last to the section that was opened last. */
static bool take_key(struct file *f)
{
    const char *name = f->ini.name;
    const struct bk_key *key = bk_key_find(name);
    const struct entry *before;
    int line = f->ini.line, type;

    if (!f->nsections)
        return fault(f, line, 1, "`%s` stands before the first section", name);
    type = f->section[f->nsections - 1].type;
    if (!key)
        return fault(f, line, 1, "unknown key `%s`", name);
    if ((key->of_piece != NULL) != (type >= 0))
        return fault(f, line, 1, "`%s` belongs to %s", name,
                     key->of_piece ? "[piece NAME]" : "[variant]");
    if (!*f->ini.value)
        return fault(f, line, 1, "`%s` has no value", name);
    before = find_entry(f, type, name, 0);
    if (before && !key->repeats)
        return fault(f, line, 1, "`%s` stands twice (first on line %d)", name, before->line);
    return add_entry(f, key, type);
}

static bool collect(struct file *f)
{
    for (bool ok = true; ok;)
        switch (bk_ini_next(&f->ini)) {
        case BK_INI_END: return true;
        case BK_INI_SECTION: ok = open_section(f, f->ini.name); break;
        case BK_INI_KEY: ok = take_key(f); break;
        case BK_INI_WRONG:
            ok = fault(f, f->ini.line, f->ini.column, "%s", f->ini.fault.text);
            break;
        }
    return false;
}

/* == 2. Understanding them =============================================== */

static bool read_entry(struct file *f, const struct entry *e)
{
    struct bk_cursor c = { .p = e->value };
    bool ok = e->key->of_piece ? e->key->of_piece(&c, f->v, &f->v->piece[e->type])
                               : e->key->of_variant(&c, f->v);

    return ok || fault(f, e->line, e->column + (unsigned)(c.p - e->value), "%s", c.fault.text);
}

/* Reads the entries whose keys have this `first`, in the order of the file. */
static bool read_entries(struct file *f, bool first)
{
    for (size_t i = 0; i < f->nentries; i++)
        if (f->entry[i].key->first == first && !read_entry(f, &f->entry[i]))
            return false;
    return true;
}

/* Is the key there?  If not, the fault is reported at the line of its section. */
static bool need(struct file *f, int type, const char *key)
{
    return find_entry(f, type, key, 0) ||
           fault(f, section_of(f, type)->line, 0, "`%s` is missing", key);
}

static bool need_board_and_letters(struct file *f)
{
    if (!section_of(f, -1))
        return fault(f, f->ini.line ? f->ini.line : 1, 0, "there is no [variant] section");
    if (!need(f, -1, "name") || !need(f, -1, "board"))
        return false;
    for (int i = 0; i < f->v->ntypes; i++)
        if (!need(f, i, "letter") || !need(f, i, "move"))
            return false;
    return true;
}

/* Sets what holds where the keys say nothing; needs the board. */
static void set_defaults(struct bk_variant *v)
{
    for (unsigned i = 0; i < v->ntypes; i++) {
        v->piece[i].ranks = bk_all_ranks(v);
        v->piece[i].move.steps_max = 1;
        v->piece[i].zone.steps_max = 1;
    }
}

/* Reports a complaint at the key that it is about, or at the section if there is none. */
static bool fault_complaint(struct file *f, const struct bk_complaint *c)
{
    const struct entry *e = find_entry(f, c->type, c->key, c->nth);

    if (e)
        return fault(f, e->line, e->column, "%s", c->text);
    return fault(f, section_of(f, c->type)->line, 0, "%s", c->text);
}

/* Refuses a key that is of no use: `text` says what it needs, and `met` whether that is there. */
static bool needs(struct file *f, int type, const char *key, bool met, const char *text)
{
    const struct entry *e = find_entry(f, type, key, 0);

    return !e || met || fault(f, e->line, e->column, "`%s` %s", key, text);
}

static bool check_castling_keys(struct file *f)
{
    static const char *const castling[] = {
        "castling-rook",    "castling-king-file", "castling-rook-files",
        "castling-king-to", "castling-rook-to",   "castling-homes",
    };
    const struct entry *some = NULL;

    for (size_t i = 0; i < 6 && !some; i++)
        some = find_entry(f, -1, castling[i], 0);
    for (size_t i = 0; i < 5 && some; i++) {
        const struct entry *e = find_entry(f, -1, castling[i], 0);
        bool home = i == 1 || i == 2;

        if (f->v->castling.shuffled && home && e)
            return fault(f, e->line, e->column, "castling-homes = shuffled: a FEN tells the homes");
        if (!e && !(f->v->castling.shuffled && home))
            return fault(f, some->line, some->column, "castling needs `%s`, too", castling[i]);
    }
    return true;
}

static bool check_counted(struct file *f, int type)
{
    const struct bk_piece *p = &f->v->piece[type];

    for (unsigned i = 0; i < p->nbecomes; i++) {
        const struct entry *e = find_entry(f, type, "becomes", i);

        for (unsigned j = 0; p->become[i].counted && j < p->become[i].nto; j++)
            if (!f->v->limit[p->become[i].to[j]])
                return fault(f, e->line, e->column, "counted, but `limits` does not name %c",
                             f->v->piece[p->become[i].to[j]].letter);
    }
    return true;
}

/* Refuses keys without effect: faults of the file, not of the game's data. */
static bool check_file(struct file *f)
{
    unsigned doubles = 0;

    for (int i = 0; i < f->v->ntypes; i++) {
        const struct bk_piece *p = &f->v->piece[i];
        bool two = p->move.steps_max == 2;

        if (!needs(f, i, "bend", two, "needs steps = 2") ||
            !needs(f, i, "takes-twice", two, "needs steps = 2") ||
            !needs(f, i, "zone-move", p->zone_ranks, "needs zone-ranks") ||
            !needs(f, i, "zone-ranks", p->zone.nsteps, "needs zone-move") || !check_counted(f, i))
            return false;
        doubles |= p->double_ranks;
    }
    return check_castling_keys(f) &&
           (!f->v->en_passant ||
            needs(f, -1, "en-passant", doubles, "needs a piece with a double-step"));
}

static bool understand(struct file *f)
{
    struct bk_variant *v = f->v;
    struct bk_complaint c;

    if (!need_board_and_letters(f) || !read_entries(f, true))
        return false;
    set_defaults(v);
    if (!read_entries(f, false))
        return false;
    if (v->ntypes && !find_entry(f, v->royal, "army", 0))
        v->piece[v->royal].army = 1;
    if (!check_file(f))
        return false;
    if (v->castling.shuffled)
        v->castling.allowed = false; /* only the games derived for a FEN castle */
    return bk_variant_check(v, &c) || fault_complaint(f, &c);
}

/* Counts the men of the array; in games with hands those off the board, too. */
static enum bk_err count_start(const struct bk_variant *v, unsigned count[2][BK_TYPES_MAX],
                               struct bk_report *why)
{
    struct bk_hands_pos hands;
    struct bk_pos p;
    enum bk_err err;

    memset(count, 0, 2 * sizeof *count);
    if (bk_rules_hands(v)) {
        err = bk_hands_from_fen(&hands, v, v->start, why);
        for (unsigned i = 0; !err && i < hands.n; i++)
            count[bk_man_colour(hands.man[i])][bk_man_type(hands.man[i])]++;
        return err;
    }
    err = bk_pos_from_fen(&p, v, v->start, why);
    if (!err && !bk_pos_legal(v, &p))
        err = bk_fail(why, BK_E_ILLEGAL, "the side that is not to move is in check");
    for (unsigned type = 0; !err && type < v->ntypes; type++)
        for (unsigned c = 0; c < 2; c++)
            count[c][type] = p.count[c][type];
    return err;
}

/* Checks that in the array no king can be taken at once, and that no army is exceeded.  Where FENs
   tell the homes another game has to be derived first: bk_start_check(). */
static bool check_start(struct file *f)
{
    const struct bk_variant *v = f->v;
    const struct entry *e = find_entry(f, -1, "start", 0);
    unsigned count[2][BK_TYPES_MAX];
    struct bk_report why = { "" };

    if (!e || v->castling.shuffled)
        return true;
    if (count_start(v, count, &why) != BK_OK)
        return fault(f, e->line, e->column, "%s", why.text);
    for (unsigned type = 0; type < v->ntypes; type++)
        for (unsigned c = 0; c < 2; c++)
            if (v->piece[type].army && count[c][type] > v->piece[type].army)
                return fault(f, e->line, e->column, "more men of [piece %s] than its army, %u",
                             v->piece[type].name, v->piece[type].army);
    return true;
}

enum bk_err bk_variant_parse(struct bk_variant **out, const char *label, const char *text,
                             struct bk_report *why)
{
    struct file f = { .label = label, .why = why };

    f.v = calloc(1, sizeof *f.v);
    if (!f.v)
        return bk_no_memory(why);
    bk_ini_open(&f.ini, text);
    if (collect(&f) && understand(&f))
        f.err = bk_variant_finish(f.v, why);
    if (!f.err)
        check_start(&f);
    free(f.entry);
    if (f.err)
        bk_variant_free(f.v);
    else
        *out = f.v;
    return f.err;
}
