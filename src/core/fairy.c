/*
 * fairy.c - reads a section of Fairy-Stockfish's variants.ini.
 *
 * Idea: the file is cut into sections of `key = value`; the wanted section is
 * laid over the ones it inherits from, down to a seed ([chess], [shatranj])
 * written in the same language; what results is read key by key into a plain
 * struct bk_variant, which bk_variant_finish() checks like any other.
 *
 * A key that we cannot express is still harmless where it says that its rule
 * is off (`mustCapture = false`).  So keys[] holds, for each, the one value
 * that may stand; everything else is refused by name.
 *
 * The program's own defaults differ between its versions where the board has
 * not eight ranks (where pawns promote, from where they go two).  There we ask
 * for the key rather than guess.
 */
#include "core/fairy.h"

#include <assert.h>
#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/betza.h"
#include "core/position.h"

#define SECTIONS_MAX 512
#define ENTRIES_MAX  192 /* in force at once */
#define DEPTH_MAX    32  /* of inheritance */

/* == 1. What keys there are == */

enum kind {
    PIECE,     /* text: its move */
    CANNOT_BE, /* a predefined piece whose move we do not have; text: why */
    CUSTOM,    /* customPieceN */
    READ,      /* understood further down */
    HARMLESS,  /* changes no table */
    FLAG,      /* squares to be reached; changes no table if flagPiece = - says that none counts:
                  newer versions let every piece count unless it is said */
    ONLY,      /* text: the one value that may stand */
};

struct key {
    const char *name;
    enum kind kind;
    const char *text;
};

#define LAME "a leaper that can be blocked"

static const struct key keys[] = {
    { "pawn", PIECE, "mfWcfF" },
    { "knight", PIECE, "N" },
    { "bishop", PIECE, "B" },
    { "rook", PIECE, "R" },
    { "queen", PIECE, "Q" },
    { "fers", PIECE, "F" },
    { "alfil", PIECE, "A" },
    { "fersAlfil", PIECE, "FA" },
    { "silver", PIECE, "FfW" },
    { "aiwok", PIECE, "RNF" },
    { "bers", PIECE, "RF" },
    { "archbishop", PIECE, "BN" },
    { "chancellor", PIECE, "RN" },
    { "amazon", PIECE, "QN" },
    { "knibis", PIECE, "mNcB" },
    { "biskni", PIECE, "mBcN" },
    { "kniroo", PIECE, "mNcR" },
    { "rookni", PIECE, "mRcN" },
    { "shogiPawn", PIECE, "fW" },
    { "lance", PIECE, "fR" },
    { "shogiKnight", PIECE, "ffN" },
    { "gold", PIECE, "WfF" },
    { "dragonHorse", PIECE, "BW" },
    { "clobber", PIECE, "cW" },
    { "cannon", PIECE, "mRcpR" },
    { "soldier", PIECE, "fsW" },
    { "wazir", PIECE, "W" },
    { "commoner", PIECE, "K" },
    { "centaur", PIECE, "KN" },
    { "king", PIECE, "K" },
    { "breakthrough", CANNOT_BE, "its move is told in two ways; use a customPiece" },
    { "immobile", CANNOT_BE, "a man without moves" },
    { "janggiCannon", CANNOT_BE, "a cannon that spares cannons" },
    { "horse", CANNOT_BE, LAME },
    { "elephant", CANNOT_BE, LAME },
    { "janggiElephant", CANNOT_BE, LAME },
    { "banner", CANNOT_BE, LAME },
    { "customPiece", CUSTOM, NULL },

    { "maxRank", READ, NULL },
    { "maxFile", READ, NULL },
    { "startFen", READ, NULL },
    { "promotionRank", READ, NULL },
    { "promotionRegionWhite", READ, NULL },
    { "promotionRegionBlack", READ, NULL },
    { "promotionPieceTypes", READ, NULL },
    { "promotionLimit", READ, NULL },
    { "mandatoryPawnPromotion", READ, NULL },
    { "doubleStep", READ, NULL },
    { "doubleStepRank", READ, NULL },
    { "doubleStepRankMin", READ, NULL },
    { "doubleStepRegionWhite", READ, NULL },
    { "doubleStepRegionBlack", READ, NULL },
    { "enPassantRegion", READ, NULL },
    { "castling", READ, NULL },
    { "castlingKingsideFile", READ, NULL },
    { "castlingQueensideFile", READ, NULL },
    { "castlingKingFile", READ, NULL },
    { "castlingKingPiece", READ, NULL },
    { "castlingRookPiece", READ, NULL },
    { "castlingRookPieces", READ, NULL },
    { "castlingRookKingsideFile", READ, NULL },
    { "castlingRookQueensideFile", READ, NULL },
    { "kingType", READ, NULL },
    { "soldierPromotionRank", READ, NULL },
    { "stalemateValue", READ, NULL },
    { "extinctionValue", READ, NULL },
    { "extinctionClaim", READ, NULL },
    { "extinctionPseudoRoyal", READ, NULL },
    { "extinctionPieceTypes", READ, NULL },
    { "extinctionPieceCount", READ, NULL },
    { "extinctionOpponentPieceCount", READ, NULL },

    { "variantTemplate", HARMLESS, NULL }, /* display */
    { "pieceToCharTable", HARMLESS, NULL },
    { "pocketSize", HARMLESS, NULL },
    { "pieceValueMg", HARMLESS, NULL }, /* judgement */
    { "pieceValueEg", HARMLESS, NULL },
    { "nMoveRule", HARMLESS, NULL }, /* draws by counting moves */
    { "nMoveRuleTypes", HARMLESS, NULL },
    { "nFoldRule", HARMLESS, NULL },
    { "countingRule", HARMLESS, NULL },
    { "piecePromotionOnCapture", HARMLESS, NULL }, /* of promotedPieceType only */
    { "mandatoryPiecePromotion", HARMLESS, NULL },
    { "dropChecks", HARMLESS, NULL }, /* of pieceDrops only */
    { "mustDropType", HARMLESS, NULL },
    { "dropLoop", HARMLESS, NULL },
    { "firstRankPawnDrops", HARMLESS, NULL },
    { "promotionZonePawnDrops", HARMLESS, NULL },
    { "dropOnTop", HARMLESS, NULL },
    { "enclosingDrop", HARMLESS, NULL },
    { "enclosingDropStart", HARMLESS, NULL },
    { "whiteDropRegion", HARMLESS, NULL },
    { "blackDropRegion", HARMLESS, NULL },
    { "dropRegionWhite", HARMLESS, NULL },
    { "dropRegionBlack", HARMLESS, NULL },
    { "sittuyinRookDrop", HARMLESS, NULL },
    { "dropOppositeColoredBishop", HARMLESS, NULL },
    { "dropPromoted", HARMLESS, NULL },
    { "dropNoDoubled", HARMLESS, NULL },
    { "dropNoDoubledCount", HARMLESS, NULL },
    { "castlingDroppedPiece", HARMLESS, NULL },
    { "shogiPawnDropMateIllegal", HARMLESS, NULL },
    { "whiteFlag", FLAG, NULL },
    { "blackFlag", FLAG, NULL },
    { "flagMove", HARMLESS, NULL }, /* of a flag region only */
    { "flagRegion", FLAG, NULL },
    { "flagRegionWhite", FLAG, NULL },
    { "flagRegionBlack", FLAG, NULL },
    { "flagPieceCount", HARMLESS, NULL },

    { "nFoldValue", ONLY, "draw" },
    { "nFoldValueAbsolute", ONLY, "false" },
    { "perpetualCheckIllegal", ONLY, "false" },
    { "moveRepetitionIllegal", ONLY, "false" },
    { "chess960", ONLY, "false" },
    { "twoBoards", ONLY, "false" },
    { "sittuyinPromotion", ONLY, "false" },
    { "promotedPieceType", ONLY, "-" },
    { "pieceDemotion", ONLY, "false" },
    { "blastOnCapture", ONLY, "false" },
    { "petrifyOnCapture", ONLY, "false" },
    { "petrifyOnCaptureTypes", ONLY, "-" },
    { "tripleStepRegionWhite", ONLY, "-" },
    { "tripleStepRegionBlack", ONLY, "-" },
    { "castlingRank", ONLY, "1" },
    { "castlingWins", ONLY, "-" },
    { "oppositeCastling", ONLY, "false" },
    { "checking", ONLY, "true" },
    { "mustCapture", ONLY, "false" },
    { "mustDrop", ONLY, "false" },
    { "pieceDrops", ONLY, "false" },
    { "capturesToHand", ONLY, "false" },
    { "immobilityIllegal", ONLY, "false" },
    { "gating", ONLY, "false" },
    { "arrowGating", ONLY, "false" },
    { "wallGating", ONLY, "false" },
    { "wallingRule", ONLY, "none" },
    { "seirawanGating", ONLY, "false" },
    { "cambodianMoves", ONLY, "false" },
    { "diagonalLines", ONLY, "-" },
    { "pass", ONLY, "false" },
    { "passOnStalemate", ONLY, "false" },
    { "makpongRule", ONLY, "false" },
    { "flyingGeneral", ONLY, "false" },
    { "flipEnclosedPieces", ONLY, "none" },
    { "stalematePieceCount", ONLY, "false" },
    { "checkmateValue", ONLY, "loss" },
    { "shatarMateRule", ONLY, "false" },
    { "bikjangRule", ONLY, "false" },
    { "dupleCheck", ONLY, "false" },
    { "flagPiece", ONLY, "-" },
    { "checkCounting", ONLY, "false" },
    { "connectN", ONLY, "0" },
    { "materialCounting", ONLY, "none" },
};

/* What a section may inherit from besides the earlier ones of its file. */
static const char *const chess_seed[] = {
    "king",
    "k",
    "queen",
    "q",
    "rook",
    "r",
    "bishop",
    "b",
    "knight",
    "n",
    "pawn",
    "p",
    "promotionPieceTypes",
    "qrbn",
    NULL,
};
static const char *const shatranj_seed[] = {
    "king",
    "k",
    "fers",
    "q",
    "rook",
    "r",
    "alfil",
    "b",
    "knight",
    "n",
    "pawn",
    "p",
    "startFen",
    "rnbkqbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKQBNR w - - 0 1",
    "promotionPieceTypes",
    "q",
    "doubleStep",
    "false",
    "castling",
    "false",
    "extinctionValue",
    "loss",
    "extinctionClaim",
    "true",
    "extinctionPieceTypes",
    "*",
    "extinctionPieceCount",
    "1",
    "extinctionOpponentPieceCount",
    "2",
    "stalemateValue",
    "loss",
    NULL,
};

/* == 2. The file == */

struct entry {
    const struct key *key;
    const char *name, *value;
    int line; /* 0: of a seed */
    unsigned column;
    unsigned level; /* of inheritance: 0 is the deepest */
};

struct section {
    const char *name, *base; /* base NULL: none */
    int line;
    char *body; /* the text after its header's line, cut into lines when it is wanted */
    size_t length;
};

struct file {
    const char *label;
    struct section section[SECTIONS_MAX];
    unsigned nsections;
    const struct section *wanted;
    struct entry entry[ENTRIES_MAX]; /* in force */
    unsigned nentries;
    struct bk_variant *v;
    char cell[BK_RANKS_MAX][BK_FILES_MAX]; /* of startFen; '.' empty, '*' a hole */
    char side, rights[16];
    enum bk_err err;
    struct bk_report *why;
};

/* Says what is wrong, with its place (column 0: the line as a whole); false. */
__attribute__((format(printf, 4, 5))) static bool fault(struct file *f, int line, unsigned column,
                                                        const char *fmt, ...)
{
    char text[400];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    f->err = bk_fail(f->why, BK_E_USAGE, "%s:%d:%u: %s", f->label, line, column ? column : 1, text);
    return false;
}

/* A value is wrong: at offset `at` in it.  A seed's value is its user's fault. */
#define WRONG(f, e, at, ...) wrong(f, e, (unsigned)(at), __VA_ARGS__)

__attribute__((format(printf, 4, 5))) static bool wrong(struct file *f, const struct entry *e,
                                                        unsigned at, const char *fmt, ...)
{
    char text[300];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (!e->line)
        return fault(f, f->wanted->line, 0, "key '%s' (inherited): %s", e->name, text);
    return fault(f, e->line, e->column + at, "key '%s': %s", e->name, text);
}

/* Cuts white space off both ends; the text is changed. */
static char *trimmed(char *s)
{
    size_t n;

    s += strspn(s, " \t\r");
    for (n = strlen(s); n && strchr(" \t\r", s[n - 1]); n--)
        ;
    s[n] = '\0';
    return s;
}

/* "[name:base]" */
static bool open_section(struct file *f, char *line, int number)
{
    char *close = strchr(line, ']'), *colon;
    struct section *s = &f->section[f->nsections];

    if (!close || *trimmed(close + 1))
        return fault(f, number, 1, "expected `[name]` or `[name:base]`");
    if (f->nsections == SECTIONS_MAX)
        return fault(f, number, 1, "more than %d sections", SECTIONS_MAX);
    *close = '\0';
    colon = strchr(line, ':');
    if (colon)
        *colon = '\0';
    *s = (struct section){ .name = trimmed(line + 1), .line = number };
    if (colon)
        s->base = trimmed(colon + 1);
    for (unsigned i = 0; i < f->nsections; i++)
        if (!strcmp(f->section[i].name, s->name))
            return fault(f, number, 1, "[%s] stands twice (first on line %d)", s->name,
                         f->section[i].line);
    f->nsections++;
    return true;
}

/* Finds the sections; their lines end in NUL afterwards.  `text` is changed. */
static bool find_sections(struct file *f, char *text)
{
    int number = 1;

    for (char *line = text, *next; *line; line = next, number++) {
        size_t n = strcspn(line, "\n");
        char *start = line + strspn(line, " \t");
        struct section *last = f->nsections ? &f->section[f->nsections - 1] : NULL;

        next = line + n + (line[n] == '\n');
        line[n] = '\0';
        if (*start == '[') {
            if (!open_section(f, start, number))
                return false;
            f->section[f->nsections - 1].body = next;
        } else if (last) {
            last->length = (size_t)(next - last->body);
        } else if (*trimmed(start) && *start != '#' && *start != ';') {
            return fault(f, number, 1, "`%.40s` stands before the first section", start);
        }
    }
    return f->nsections || fault(f, 1, 0, "there is no section");
}

static const struct section *find_section(struct file *f, const char *name, unsigned before)
{
    for (unsigned i = 0; i < before; i++)
        if (!strcmp(f->section[i].name, name))
            return &f->section[i];
    return NULL;
}

/* == 3. What is in force == */

static const struct key *find_key(const char *name)
{
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        size_t n = strlen(keys[i].name);

        if (!strncmp(name, keys[i].name, n) &&
            (keys[i].kind == CUSTOM ? name[n] && !name[n + strspn(name + n, "0123456789")]
                                    : !name[n]))
            return &keys[i];
    }
    return NULL;
}

/* A key of a higher level takes the place of the one below. */
static bool set(struct file *f, struct entry e)
{
    unsigned i = 0;

    e.key = find_key(e.name);
    if (!e.key && !strncmp(e.name, "mobilityRegion", 14))
        return fault(f, e.line, 1, "key '%s': where men may go cannot be restricted", e.name);
    if (!e.key)
        return fault(f, e.line, 1, "key '%s': unknown, or nothing that our rules have", e.name);
    while (i < f->nentries && strcmp(f->entry[i].name, e.name))
        i++;
    if (i < f->nentries && f->entry[i].level == e.level)
        return fault(f, e.line, 1, "key '%s' stands twice (first on line %d)", e.name,
                     f->entry[i].line);
    if (i == ENTRIES_MAX)
        return fault(f, e.line, 1, "more than %d keys", ENTRIES_MAX);
    f->entry[i] = e;
    f->nentries += i == f->nentries;
    return true;
}

/* One line of a section's body; it ends in NUL, and is changed. */
static bool set_line(struct file *f, char *line, int number, unsigned level)
{
    char *start = line + strspn(line, " \t\r"), *equals, *name, *value;

    if (!*start || *start == '#' || *start == ';')
        return true;
    equals = strchr(start, '=');
    if (!equals)
        return fault(f, number, 1, "expected `key = value` or `[section]`");
    *equals = '\0';
    name = trimmed(start);
    value = trimmed(equals + 1);
    return set(f, (struct entry){ .name = name,
                                  .value = value,
                                  .line = number,
                                  .column = (unsigned)(value - line) + 1,
                                  .level = level });
}

static bool set_body(struct file *f, const struct section *s, unsigned level)
{
    int number = s->line + 1;

    for (char *line = s->body, *next; line < s->body + s->length; line = next, number++) {
        next = line + strlen(line) + 1;
        if (!set_line(f, line, number, level))
            return false;
    }
    return true;
}

static bool set_seed(struct file *f, const struct section *s)
{
    const char *const *seed = !strcmp(s->base, "chess")      ? chess_seed
                              : !strcmp(s->base, "shatranj") ? shatranj_seed
                                                             : NULL;

    if (!seed)
        return fault(f, s->line, 1, "[%s:%s]: neither chess, shatranj nor an earlier section",
                     s->name, s->base);
    for (; *seed; seed += 2)
        set(f, (struct entry){ .name = seed[0], .value = seed[1] });
    return true;
}

/* The wanted section over all it inherits from, the deepest first. */
static bool gather(struct file *f)
{
    const struct section *chain[DEPTH_MAX], *s = f->wanted;
    unsigned n = 0;

    do {
        if (n == DEPTH_MAX)
            return fault(f, s->line, 1, "more than %d sections inherit from each other", DEPTH_MAX);
        chain[n++] = s;
        s = s->base ? find_section(f, s->base, (unsigned)(s - f->section)) : NULL;
    } while (s);
    if (chain[n - 1]->base && !set_seed(f, chain[n - 1]))
        return false;
    for (unsigned level = 1; n--; level++)
        if (!set_body(f, chain[n], level))
            return false;
    return true;
}

static bool choose(struct file *f, const char *name)
{
    f->wanted = name ? find_section(f, name, f->nsections) : &f->section[0];
    if (!f->wanted)
        return fault(f, 1, 0, "there is no section [%s]", name);
    if (!name && f->nsections > 1)
        return fault(f, 1, 0, "%u sections: say which, as in FILE.ini#%s", f->nsections,
                     f->section[0].name);
    for (const char *s = f->wanted->name; *s; s++)
        if (!islower((unsigned char)*s) && !isdigit((unsigned char)*s) && *s != '-')
            return fault(f, f->wanted->line, 2, "a name has only a-z, 0-9 and -");
    if (!*f->wanted->name || strlen(f->wanted->name) >= sizeof f->v->name)
        return fault(f, f->wanted->line, 2, "a name has 1 to %d letters",
                     (int)sizeof f->v->name - 1);
    strcpy(f->v->name, f->wanted->name);
    strcpy(f->v->title, f->wanted->name);
    strcpy(f->v->source, "docs/fairy-stockfish.md");
    return true;
}

/* == 4. Values == */

static const struct entry *get(const struct file *f, const char *name)
{
    for (unsigned i = 0; i < f->nentries; i++)
        if (!strcmp(f->entry[i].name, name))
            return &f->entry[i];
    return NULL;
}

static bool get_bool(struct file *f, const char *name, bool missing, bool *out)
{
    const struct entry *e = get(f, name);

    *out = e ? !strcmp(e->value, "true") : missing;
    return !e || *out || !strcmp(e->value, "false") || WRONG(f, e, 0, "expected true or false");
}

static bool get_number(struct file *f, const char *name, unsigned min, unsigned max,
                       unsigned missing, unsigned *out)
{
    const struct entry *e = get(f, name);
    unsigned long n;
    char *end;

    *out = missing;
    if (!e)
        return true;
    n = isdigit((unsigned char)*e->value) ? strtoul(e->value, &end, 10) : ULONG_MAX;
    if (n == ULONG_MAX || *end || n < min || n > max)
        return WRONG(f, e, 0, "expected a number from %u to %u", min, max);
    *out = (unsigned)n;
    return true;
}

/* A file, counted from 1: a letter or a number. */
static bool get_file(struct file *f, const char *name, unsigned max, unsigned missing,
                     unsigned *out)
{
    const struct entry *e = get(f, name);

    if (!e || isdigit((unsigned char)*e->value))
        return get_number(f, name, 1, max, missing, out);
    *out = (unsigned)(tolower((unsigned char)*e->value) - 'a') + 1;
    return (isalpha((unsigned char)*e->value) && !e->value[1] && *out <= max) ||
           WRONG(f, e, 0, "expected a file from a to %c", 'a' + (int)max - 1);
}

/* Letters of pieces, with or without blanks between, as a mask of types; "-": none. */
static bool get_types(struct file *f, const struct entry *e, uint32_t *out)
{
    *out = 0;
    if (!strcmp(e->value, "-"))
        return true;
    for (const char *s = e->value; *s; s++) {
        int type = isalpha((unsigned char)*s) ? bk_variant_type(f->v, *s) : -1;

        if (*s == ' ')
            continue;
        if (type < 0)
            return WRONG(f, e, s - e->value, "no piece has the letter `%c`", *s);
        *out |= UINT32_C(1) << type;
    }
    return true;
}

/* Squares: d4, *4 (a rank), d* (a file), * (all), - (none). */
static bool get_region(struct file *f, const struct entry *e, struct bk_bits *out)
{
    const struct bk_variant *v = f->v;
    const char *s = e->value;

    memset(out, 0, sizeof *out);
    if (!strcmp(s, "-"))
        return true;
    for (s += strspn(s, " "); *s; s += strspn(s, " ")) {
        const char *start = s;
        unsigned file = (unsigned)(tolower((unsigned char)*s) - 'a'), rank = 0;
        bool all_files = *s++ == '*', all_ranks = *s == '*' || (all_files && strchr(" ", *s));

        s += *s == '*';
        for (; !all_ranks && isdigit((unsigned char)*s) && rank < 100; s++)
            rank = rank * 10 + (unsigned)(*s - '0');
        if ((!all_files && file >= v->files) || (!all_ranks && (!rank || rank > v->ranks)) ||
            !strchr(" ", *s))
            return WRONG(f, e, start - e->value, "expected squares of the board: d4, *4, d*");
        for (unsigned sq = 0; sq < v->nsq; sq++)
            if ((all_files || sq % v->files == file) && (all_ranks || sq / v->files == rank - 1))
                bk_bits_set(out, sq);
    }
    return true;
}

/* White's region and Black's as ranks from the own side; they must be mirror images. */
static bool get_ranks(struct file *f, const char *white, const char *black, uint16_t *out)
{
    const struct entry *e[2] = { get(f, white), get(f, black) };
    const struct bk_variant *v = f->v;
    unsigned mask[2] = { 0, 0 };

    if (!e[0] || !e[1])
        return WRONG(f, e[0] ? e[0] : e[1], 0, "needs '%s', too", e[0] ? black : white);
    for (unsigned colour = 0; colour < 2; colour++) {
        struct bk_bits squares;

        if (!get_region(f, e[colour], &squares))
            return false;
        for (unsigned sq = 0; sq < v->nsq; sq++)
            if (bk_bits_has(&squares, sq))
                mask[colour] |= 1u << bk_own_rank(v, sq, colour);
        for (unsigned sq = 0; sq < v->nsq; sq++)
            if (mask[colour] >> bk_own_rank(v, sq, colour) & 1 && !bk_bits_has(&squares, sq))
                return WRONG(f, e[colour], 0, "only whole ranks can be expressed");
    }
    *out = (uint16_t)mask[0];
    return mask[0] == mask[1] || WRONG(f, e[1], 0,
                                       "only the mirror image of '%s' can be "
                                       "expressed",
                                       white);
}

/* == 5. Board and men == */

static bool read_size(struct file *f)
{
    struct bk_variant *v = f->v;
    unsigned files, ranks;

    if (!get_file(f, "maxFile", BK_FILES_MAX, 8, &files) ||
        !get_number(f, "maxRank", 1, BK_RANKS_MAX, 8, &ranks))
        return false;
    if (files < 2 || ranks < 2)
        return fault(f, f->wanted->line, 0, "the board must be 2x2 to %dx%d", BK_FILES_MAX,
                     BK_RANKS_MAX);
    v->files = (uint8_t)files;
    v->ranks = (uint8_t)ranks;
    v->nsq = (uint8_t)(files * ranks);
    for (unsigned sq = 0; sq < v->nsq; sq++)
        bk_bits_set(&v->board, sq);
    return true;
}

/* The atom that a `p` is for, or the end of the text. */
static const char *hopping_atom(const char *p) { return p + 1 + strspn(p + 1, "mcfblrvsp"); }

/* Where the program's Betza and ours differ the text is refused. */
static bool read_betza(struct file *f, const struct entry *e, const char *text,
                       struct bk_movement *m)
{
    struct bk_report why;
    size_t at = 0;

    m->steps_max = 1;
    for (const char *s = text; *s; s++)
        if (*s == 'p' && (!*hopping_atom(s) || !strchr("RBQ", *hopping_atom(s))))
            return WRONG(f, e, s - e->value, "`p` is for R, B and Q only");
        else if (*s == 'p' && isdigit((unsigned char)hopping_atom(s)[1]))
            return WRONG(f, e, s - e->value, "a hop with a range is told in two ways");
        else if (isdigit((unsigned char)s[0]) && isdigit((unsigned char)s[1]))
            return WRONG(f, e, s - e->value, "a range has one digit");
    if (!bk_betza_read(m, text, &at, &why))
        return true;
    return WRONG(f, e, text == e->value + 2 ? 2 + at : 0, "%s", why.text);
}

/* "k", "x:Betza", "-" (no such piece) */
static bool read_piece(struct file *f, const struct entry *e)
{
    struct bk_variant *v = f->v;
    struct bk_piece *p = &v->piece[v->ntypes];
    bool own_move = e->key->kind == CUSTOM || !strcmp(e->name, "king");
    const char *move = e->key->text;

    if (!strcmp(e->value, "-"))
        return true;
    if (e->key->kind == CANNOT_BE)
        return WRONG(f, e, 0, "%s", e->key->text);
    if (!isalpha((unsigned char)e->value[0]))
        return WRONG(f, e, 0, "expected a letter%s", own_move ? ", `:` and a move" : "");
    if (own_move && e->value[1] == ':')
        move = e->value + 2;
    else if (e->value[1] || !move)
        return WRONG(f, e, 1, move ? "expected one letter" : "expected `:` and a move");
    if (v->ntypes == BK_TYPES_MAX)
        return WRONG(f, e, 0, "more than %d pieces", BK_TYPES_MAX);
    if (bk_variant_type(v, e->value[0]) >= 0)
        return WRONG(f, e, 0, "letter %c is taken by '%s'", toupper((unsigned char)e->value[0]),
                     v->piece[bk_variant_type(v, e->value[0])].name);
    p->letter = (char)toupper((unsigned char)e->value[0]);
    snprintf(p->name, sizeof p->name, "%s", e->name);
    p->ranks = bk_all_ranks(v);
    v->ntypes++;
    return read_betza(f, e, move, &p->move);
}

static int piece_named(const struct bk_variant *v, const char *name)
{
    for (int i = 0; i < v->ntypes; i++)
        if (!strcmp(v->piece[i].name, name))
            return i;
    return -1;
}

/* A soldier that goes sideways only from some rank on. */
static bool read_soldier(struct file *f)
{
    int type = piece_named(f->v, "soldier");
    struct bk_piece *p = type >= 0 ? &f->v->piece[type] : NULL;
    const struct entry *e = get(f, "soldierPromotionRank");
    unsigned rank;

    if (!get_number(f, "soldierPromotionRank", 1, f->v->ranks, 1, &rank))
        return false;
    if (!p || rank == 1)
        return true;
    p->zone = p->move;
    p->zone_ranks = (uint16_t)(p->ranks & ~0u << (rank - 1));
    return read_betza(f, e, "fW", &p->move);
}

static bool read_pieces(struct file *f)
{
    for (unsigned i = 0; i < f->nentries; i++)
        if (f->entry[i].key->kind <= CUSTOM && !read_piece(f, &f->entry[i]))
            return false;
    return read_soldier(f);
}

/* The king; or, without one, the one man whose loss loses. */
static bool read_royal(struct file *f)
{
    struct bk_variant *v = f->v;
    const struct entry *e = get(f, "kingType"), *types = get(f, "extinctionPieceTypes");
    int royal = piece_named(v, "king"), like;
    uint32_t one = 0;
    bool pseudo;

    if (!get_bool(f, "extinctionPseudoRoyal", false, &pseudo))
        return false;
    if (pseudo && royal >= 0)
        return WRONG(f, get(f, "extinctionPseudoRoyal"), 0, "a second royal piece");
    if (pseudo) {
        if (!types || !strcmp(types->value, "*") || !get_types(f, types, &one) || !one ||
            one & (one - 1))
            return f->err ? false
                          : WRONG(f, types ? types : get(f, "extinctionPseudoRoyal"), 0,
                                  "one kind of man must be royal");
        royal = __builtin_ctz(one);
    }
    if (royal < 0)
        return fault(f, f->wanted->line, 0, "[%s]: there is no king", v->name);
    if (e) {
        like = *e->value && !e->value[1] ? bk_variant_type(v, *e->value) : -1;
        if (like < 0)
            return WRONG(f, e, 0, "no piece has the letter `%s`", e->value);
        v->piece[royal].move = v->piece[like].move;
    }
    v->piece[royal].royal = true;
    v->royal = (uint8_t)royal;
    return true;
}

/* One square or gap of the array; false: at a character that is none. */
static bool read_cell(struct file *f, const char **s, unsigned rank, unsigned *file)
{
    unsigned gap = 1;
    char c = **s;

    if (isdigit((unsigned char)c)) {
        for (gap = 0; isdigit((unsigned char)**s) && gap <= BK_FILES_MAX; (*s)++)
            gap = gap * 10 + (unsigned)(**s - '0');
        c = '.';
    } else if (c == '*' || (isalpha((unsigned char)c) && bk_variant_type(f->v, c) >= 0)) {
        (*s)++;
    } else {
        return false;
    }
    for (; gap-- && *file < f->v->files; (*file)++)
        f->cell[rank][*file] = c;
    return gap + 1 == 0;
}

static bool read_cells(struct file *f, const struct entry *e, const char **s)
{
    for (unsigned rank = f->v->ranks; rank--;) {
        unsigned file = 0;

        while (file < f->v->files)
            if (!read_cell(f, s, rank, &file))
                return WRONG(f, e, *s - e->value, "rank %u is not %u squares of known men",
                             rank + 1, f->v->files);
        if (rank && *(*s)++ != '/')
            return WRONG(f, e, *s - e->value - 1, "expected `/` after rank %u", rank + 1);
    }
    if (!strncmp(*s, "[]", 2) || !strncmp(*s, "[-]", 3))
        *s += strcspn(*s, "]") + 1;
    if (**s && **s != ' ')
        return WRONG(f, e, *s - e->value,
                     **s == '[' ? "hands cannot be expressed" : "unexpected `%s`", *s);
    return true;
}

/* The array gives holes, armies, and where king and rooks are at home. */
static bool read_start(struct file *f)
{
    static const struct entry usual = {
        .name = "startFen",
        .value = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    };
    const struct entry *e = get(f, "startFen");
    struct bk_variant *v = f->v;
    const char *s;

    if (!e)
        e = &usual;
    s = e->value;
    if (!read_cells(f, e, &s))
        return false;
    f->side = 'w';
    sscanf(s, " %c %15s", &f->side, f->rights);
    for (unsigned sq = 0; sq < v->nsq; sq++)
        if (f->cell[sq / v->files][sq % v->files] == '*')
            bk_bits_clear(&v->board, sq);
    for (unsigned type = 0; type < v->ntypes; type++) {
        unsigned men[2] = { 0, 0 };

        for (unsigned sq = 0; sq < v->nsq; sq++) {
            char c = f->cell[sq / v->files][sq % v->files];

            if (isalpha((unsigned char)c) && bk_variant_type(v, c) == (int)type)
                men[c >= 'a']++;
        }
        v->piece[type].army = (uint8_t)(men[0] > men[1] ? men[0] : men[1]);
        if (type == v->royal && (men[0] != 1 || men[1] != 1))
            return WRONG(f, e, 0, "a side has one royal piece");
    }
    return true;
}

/* == 6. Pawns == */

/* Ranks from which on, as the program counts, a pawn promotes. */
static bool read_zone(struct file *f, uint16_t *zone)
{
    unsigned rank;

    if (get(f, "promotionRegionWhite") || get(f, "promotionRegionBlack"))
        return get_ranks(f, "promotionRegionWhite", "promotionRegionBlack", zone);
    if (!get(f, "promotionRank") && f->v->ranks != 8)
        return fault(f, f->wanted->line, 0, "[%s]: on %u ranks, key 'promotionRank' must be there",
                     f->v->name, f->v->ranks);
    if (!get_number(f, "promotionRank", 1, f->v->ranks, 8, &rank))
        return false;
    *zone = (uint16_t)(bk_all_ranks(f->v) & ~0u << (rank - 1));
    return true;
}

/* "q:1 r:2": a kind of men that may be promoted to while there are fewer */
static bool read_limits(struct file *f, uint32_t *limited)
{
    const struct entry *e = get(f, "promotionLimit");

    *limited = 0;
    for (const char *s = e ? e->value : ""; *s;) {
        int type = isalpha((unsigned char)*s) ? bk_variant_type(f->v, *s) : -1, used = 0;
        unsigned n = 0;

        if (type < 0 || sscanf(s + 1, " : %3u%n", &n, &used) != 1 || n > 200)
            return WRONG(f, e, s - e->value, "expected a piece's letter, `:`, a number");
        if (n) { /* 0: without limit */
            *limited |= UINT32_C(1) << type;
            f->v->piece[type].army = (uint8_t)n;
        }
        s += 1 + used;
        s += strspn(s, " ");
    }
    return true;
}

static void add_become(struct bk_piece *p, uint16_t ranks, uint32_t to, bool must, bool lost)
{
    struct bk_become *b = &p->become[p->nbecomes];

    if (!to || !ranks)
        return;
    *b = (struct bk_become){ .ranks = ranks, .must = must, .lost_only = lost };
    for (unsigned type = 0; type < BK_TYPES_MAX; type++)
        if (to >> type & 1)
            b->to[b->nto++] = (uint8_t)type;
    p->nbecomes++;
}

static bool read_promotion(struct file *f, struct bk_piece *p)
{
    const struct entry *e = get(f, "promotionPieceTypes");
    uint32_t to, limited;
    uint16_t zone = 0;
    bool must;

    if (!e)
        return fault(f, f->wanted->line, 0, "[%s]: key 'promotionPieceTypes' must be there",
                     f->v->name);
    if (!get_types(f, e, &to) || !read_zone(f, &zone) || !read_limits(f, &limited) ||
        !get_bool(f, "mandatoryPawnPromotion", true, &must))
        return false;
    if (to >> f->v->royal & 1)
        return WRONG(f, e, 0, "nothing becomes the royal piece");
    add_become(p, zone, to & ~limited, must, false);
    add_become(p, zone, to & limited, must, true);
    if (must)
        p->ranks &= (uint16_t)~zone; /* no promotion on offer: no move there */
    return true;
}

/* The ranks from where pawns go two squares; 0: none. */
static bool read_double(struct file *f, uint16_t *out)
{
    unsigned low, high;
    bool on;

    *out = 0;
    if (!get_bool(f, "doubleStep", true, &on) ||
        !get_number(f, "doubleStepRank", 1, f->v->ranks, 2, &high) ||
        !get_number(f, "doubleStepRankMin", 1, f->v->ranks, 2, &low))
        return false;
    if (!on)
        return true;
    if (get(f, "doubleStepRegionWhite") || get(f, "doubleStepRegionBlack"))
        return get_ranks(f, "doubleStepRegionWhite", "doubleStepRegionBlack", out);
    if (!get(f, "doubleStepRank") && f->v->ranks != 8)
        return fault(f, f->wanted->line, 0,
                     "[%s]: on %u ranks, key 'doubleStepRank' must be "
                     "there, or 'doubleStep = false'",
                     f->v->name, f->v->ranks);
    for (unsigned rank = low; rank <= high; rank++)
        *out |= (uint16_t)(1u << (rank - 1));
    return true;
}

/* En passant where the region has all squares that a double step passes, or none. */
static bool read_en_passant(struct file *f, uint16_t from)
{
    const struct entry *e = get(f, "enPassantRegion");
    const struct bk_variant *v = f->v;
    struct bk_bits squares;
    unsigned in = 0, out = 0;

    f->v->en_passant = from;
    if (!e || !from)
        return true;
    if (!get_region(f, e, &squares))
        return false;
    for (unsigned colour = 0; colour < 2; colour++)
        for (unsigned sq = 0; sq < v->nsq; sq++)
            if (from << 1 >> bk_own_rank(v, sq, colour) & 1)
                *(bk_bits_has(&squares, sq) ? &in : &out) += 1;
    f->v->en_passant = in;
    return !in || !out ||
           WRONG(f, e, 0,
                 "only all squares that a double step passes, or none, "
                 "can be expressed");
}

/* The first rank, seen from its own side, on which a pawn stands in the array. */
static unsigned first_pawn_rank(const struct file *f, char letter)
{
    const struct bk_variant *v = f->v;
    unsigned first = BK_RANKS_MAX;

    for (unsigned sq = 0; sq < v->nsq; sq++) {
        char c = f->cell[sq / v->files][sq % v->files];
        unsigned rank = bk_own_rank(v, sq, c >= 'a' ? BK_BLACK : BK_WHITE);

        if (toupper((unsigned char)c) == letter && rank < first)
            first = rank;
    }
    return first < BK_RANKS_MAX ? first : 1;
}

static bool read_pawn(struct file *f)
{
    int type = piece_named(f->v, "pawn");
    struct bk_piece *p = type >= 0 ? &f->v->piece[type] : NULL;
    uint16_t from = 0;

    if (!p)
        return true;
    p->ranks &= (uint16_t)(~0u << first_pawn_rank(f, p->letter)); /* it never goes back */
    if (!read_promotion(f, p) || !read_double(f, &from) || !read_en_passant(f, from))
        return false;
    p->double_ranks = from & p->ranks;
    for (unsigned i = 0; i < p->nbecomes; i++)
        if (p->double_ranks << 2 & p->become[i].ranks)
            return fault(f, f->wanted->line, 0,
                         "[%s]: key 'doubleStep': a double step into the "
                         "promotion zone cannot be expressed",
                         f->v->name);
    f->v->en_passant &= p->double_ranks != 0;
    return true;
}

/* == 7. Castling == */

/* The file of the outermost rook on a side's first rank, on one side of the king. */
static int rook_file(const struct file *f, unsigned rank, char rook, int king, int step)
{
    int found = -1;

    for (int file = king + step; file >= 0 && file < f->v->files; file += step)
        if (f->cell[rank][file] == rook)
            found = file;
    return found;
}

/* King and rooks of one colour as they stand in the array; false: not both wings. */
static bool at_home(const struct file *f, unsigned colour, unsigned rook, struct bk_castling *k)
{
    unsigned rank = bk_first_rank(f->v, colour);
    int shift = colour == BK_WHITE ? 0 : 'a' - 'A';
    char king = (char)(f->v->piece[f->v->royal].letter + shift);
    char other = (char)(f->v->piece[rook].letter + shift);

    for (int file = 0; file < f->v->files; file++)
        if (f->cell[rank][file] == king) {
            int left = rook_file(f, rank, other, file, -1);
            int right = rook_file(f, rank, other, file, 1);

            k->king_file = (uint8_t)file;
            k->rook_file[0] = (uint8_t)left;
            k->rook_file[1] = (uint8_t)right;
            return left >= 0 && right >= 0;
        }
    return false;
}

/* The letter of a key that names one piece; *type is left alone where it is missing. */
static bool get_type(struct file *f, const char *name, int *type)
{
    const struct entry *e = get(f, name);

    if (e)
        *type = *e->value && !e->value[1] ? bk_variant_type(f->v, *e->value) : -1;
    return !e || *type >= 0 || WRONG(f, e, 0, "expected the letter of one piece");
}

/* Keys that say where king and rooks stand must agree with the array. */
static bool homes_agree(struct file *f, const struct bk_castling *k)
{
    static const char *const name[] = { "castlingRookQueensideFile", "castlingRookKingsideFile",
                                        "castlingKingFile" };
    unsigned home[] = { k->rook_file[0], k->rook_file[1], k->king_file };

    for (unsigned i = 0; i < 3; i++) {
        unsigned file;

        if (!get_file(f, name[i], f->v->files, home[i] + 1, &file))
            return false;
        if (file != home[i] + 1)
            return WRONG(f, get(f, name[i]), 0, "not where it stands in startFen");
    }
    return true;
}

static bool read_castling(struct file *f)
{
    struct bk_variant *v = f->v;
    int king = v->royal, rook = piece_named(v, "rook");
    struct bk_castling white = { .allowed = true }, black = white;
    unsigned left, right;
    bool on;

    if (!get_bool(f, "castling", true, &on))
        return false;
    if (!on || !strpbrk(f->rights, "KQkqABCDEFGHIJabcdefghij"))
        return true; /* in no position that the game can reach */
    if (!get_type(f, "castlingKingPiece", &king) || !get_type(f, "castlingRookPiece", &rook) ||
        !get_type(f, "castlingRookPieces", &rook) ||
        !get_file(f, "castlingQueensideFile", v->files, 3, &left) ||
        !get_file(f, "castlingKingsideFile", v->files, 7, &right))
        return false;
    if (king != v->royal)
        return WRONG(f, get(f, "castlingKingPiece"), 0, "only the royal piece castles");
    if (rook < 0 || !at_home(f, BK_WHITE, (unsigned)rook, &white) ||
        !at_home(f, BK_BLACK, (unsigned)rook, &black) || memcmp(&white, &black, sizeof white))
        return fault(f, f->wanted->line, 0,
                     "[%s]: key 'castling': king and two rooks must stand "
                     "at home in startFen, on the same files for both sides",
                     v->name);
    if (!homes_agree(f, &white))
        return false;
    if (left >= v->files || right < 2 || right > v->files)
        return fault(f, f->wanted->line, 0,
                     "[%s]: key 'castling': the king's goal is not on "
                     "the board",
                     v->name);
    v->castling = white;
    v->castling.rook = (uint8_t)rook;
    v->castling.king_to[0] = (uint8_t)(left - 1);
    v->castling.rook_to[0] = (uint8_t)left; /* beside the king, towards the middle */
    v->castling.king_to[1] = (uint8_t)(right - 1);
    v->castling.rook_to[1] = (uint8_t)(right - 2);
    return true;
}

/* == 8. Endings == */

static bool read_stalemate(struct file *f)
{
    const struct entry *e = get(f, "stalemateValue");

    f->v->stalemate = e && !strcmp(e->value, "loss") ? BK_STALEMATE_LOSS : BK_STALEMATE_DRAW;
    return !e || !strcmp(e->value, "loss") || !strcmp(e->value, "draw") ||
           WRONG(f, e, 0, "only draw or loss (of the side that cannot move) can be expressed");
}

/* Extinction down to one man is the bare king; docs/fairy-stockfish.md says what differs. */
static bool read_bare(struct file *f)
{
    const struct entry *value = get(f, "extinctionValue"), *types = get(f, "extinctionPieceTypes");
    unsigned count, opponent;
    bool claim, pseudo;

    if (!get_bool(f, "extinctionClaim", false, &claim) ||
        !get_bool(f, "extinctionPseudoRoyal", false, &pseudo) ||
        !get_number(f, "extinctionPieceCount", 0, 200, 0, &count) ||
        !get_number(f, "extinctionOpponentPieceCount", 0, 200, 0, &opponent))
        return false;
    if (!value || !strcmp(value->value, "none"))
        return !pseudo || WRONG(f, get(f, "extinctionPseudoRoyal"), 0, "needs extinctionValue");
    if (strcmp(value->value, "loss"))
        return WRONG(f, value, 0, "only loss or none can be expressed");
    if (pseudo)
        return count == 0 || WRONG(f, get(f, "extinctionPieceCount"), 0,
                                   "a royal piece is lost "
                                   "with the last of them");
    if (!types || strcmp(types->value, "*"))
        return WRONG(f, types ? types : value, 0,
                     "only * (all men, that is, a bare king) can "
                     "be expressed");
    if (count != 1)
        return WRONG(f, get(f, "extinctionPieceCount") ? get(f, "extinctionPieceCount") : value, 0,
                     "only extinctionPieceCount = 1 (a bare king) can be expressed");
    if (opponent > 2)
        return WRONG(f, get(f, "extinctionOpponentPieceCount"), 0,
                     "only 0 to 2 can be "
                     "expressed");
    f->v->bare = claim && opponent == 2 ? BK_BARE_BACK : BK_BARE_WINS;
    if (f->v->bare == BK_BARE_BACK && f->v->stalemate != BK_STALEMATE_LOSS)
        return WRONG(f, get(f, "extinctionClaim"), 0,
                     "with stalemateValue = draw a bare king "
                     "that is stalemated draws, which cannot be expressed");
    return true;
}

/* Is nothing said by this value? */
static bool is_none(const struct entry *e) { return !*e->value || !strcmp(e->value, "-"); }

static bool check_others(struct file *f)
{
    const struct entry *flag = get(f, "flagPiece");

    for (unsigned i = 0; i < f->nentries; i++) {
        const struct entry *e = &f->entry[i];

        if (e->key->kind == ONLY && strcmp(e->value, e->key->text) &&
            !(!strcmp(e->key->text, "-") && !*e->value))
            return WRONG(f, e, 0, "only `%s` can be expressed", e->key->text);
        if (e->key->kind == FLAG && !is_none(e) && !(flag && is_none(flag)))
            return WRONG(f, e, 0,
                         "reaching a square ends the game, which cannot be expressed; "
                         "`flagPiece = -` turns it off");
    }
    return true;
}

/* == 9. The whole == */

/* startFen in our own form. */
static void write_start(struct file *f)
{
    const struct bk_variant *v = f->v;
    uint8_t at[BK_SQ_MAX] = { 0 };
    size_t n;

    for (unsigned sq = 0; sq < v->nsq; sq++) {
        char c = f->cell[sq / v->files][sq % v->files];

        if (isalpha((unsigned char)c))
            at[sq] = bk_man((unsigned)bk_variant_type(v, c), c >= 'a' ? BK_BLACK : BK_WHITE);
    }
    static_assert(BK_BOARD_CHARS_MAX < sizeof f->v->start, "a board fits into a start");
    n = bk_board_write(v, at, f->v->start);
    snprintf(f->v->start + n, sizeof f->v->start - n, " %c %s - 0 1", f->side,
             v->castling.allowed ? f->rights : "-");
}

static bool finish(struct file *f)
{
    struct bk_report why = { "" };
    struct bk_pos p;
    enum bk_err err;

    write_start(f);
    err = bk_variant_finish(f->v, &why);
    if (!err)
        err = bk_pos_from_fen(&p, f->v, f->v->start, &why);
    if (err == BK_E_USAGE)
        return fault(f, f->wanted->line, 0, "%s", why.text);
    if (err)
        f->err = bk_fail(f->why, err, "%s", why.text);
    return !err;
}

static bool understand(struct file *f)
{
    return gather(f) && check_others(f) && read_size(f) && read_pieces(f) && read_royal(f) &&
           read_start(f) && read_pawn(f) && read_castling(f) && read_stalemate(f) && read_bare(f) &&
           finish(f);
}

enum bk_err bk_fairy_parse(struct bk_variant **out, const char *label, const char *text,
                           const char *section, struct bk_report *why)
{
    struct file *f = calloc(1, sizeof *f);
    char *copy = strdup(strncmp(text, "\xEF\xBB\xBF", 3) ? text : text + 3);
    struct bk_variant *v = calloc(1, sizeof *v);
    enum bk_err err = BK_E_SYSTEM;

    if (f && copy && v) {
        f->label = label;
        f->why = why;
        f->v = v;
        if (find_sections(f, copy) && choose(f, section))
            understand(f);
        err = f->err;
    } else {
        bk_no_memory(why);
    }
    free(copy);
    free(f);
    if (err)
        bk_variant_free(v);
    else
        *out = v;
    return err;
}

bool bk_fairy_is(const char *text)
{
    bool any = false;

    for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
        const char *s = line + strspn(line, " \t");

        if (*s == '[') {
            if (!strncmp(s, "[variant", 8) || !strncmp(s, "[piece", 6))
                return false;
            any = true;
        }
        if (!line[strcspn(line, "\n")])
            break;
    }
    return any;
}
