/*
 * fairy_file.c - sections, keys and values of Fairy-Stockfish's variants.ini.
 *
 * Idea: the file is cut into sections of `key = value`; the wanted section is
 * laid over the ones it inherits from, down to a game that the program has built
 * in, written in the same language (src/variants/fairy).  A value is read as the program reads it;
 * if the program's way, section by section, gives it another meaning than the text in force has, it
 * is refused.
 *
 * A key that we cannot express is still harmless if it says that its rule is
 * off (`mustCapture = false`).  So keys[] holds, for each, the one value that
 * may stand; everything else is refused by name.
 */
#include "core/fairy_file.h"

#include <assert.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/letter.h"
#include "core/embedded.h"
#include "core/utf8.h"

#define DEPTH_MAX 32 /* of inheritance */

/* == What keys there are == */

#define LAME "a leaper that can be blocked"

static const struct bk_fairy_key keys[] = {
    { "pawn", BK_FAIRY_PIECE, "mfWcfF" },
    { "knight", BK_FAIRY_PIECE, "N" },
    { "bishop", BK_FAIRY_PIECE, "B" },
    { "rook", BK_FAIRY_PIECE, "R" },
    { "queen", BK_FAIRY_PIECE, "Q" },
    { "fers", BK_FAIRY_PIECE, "F" },
    { "alfil", BK_FAIRY_PIECE, "A" },
    { "fersAlfil", BK_FAIRY_PIECE, "FA" },
    { "silver", BK_FAIRY_PIECE, "FfW" },
    { "aiwok", BK_FAIRY_PIECE, "RNF" },
    { "bers", BK_FAIRY_PIECE, "RF" },
    { "archbishop", BK_FAIRY_PIECE, "BN" },
    { "chancellor", BK_FAIRY_PIECE, "RN" },
    { "amazon", BK_FAIRY_PIECE, "QN" },
    { "knibis", BK_FAIRY_PIECE, "mNcB" },
    { "biskni", BK_FAIRY_PIECE, "mBcN" },
    { "kniroo", BK_FAIRY_PIECE, "mNcR" },
    { "rookni", BK_FAIRY_PIECE, "mRcN" },
    { "shogiPawn", BK_FAIRY_PIECE, "fW" },
    { "lance", BK_FAIRY_PIECE, "fR" },
    { "shogiKnight", BK_FAIRY_PIECE, "ffN" },
    { "gold", BK_FAIRY_PIECE, "WfF" },
    { "dragonHorse", BK_FAIRY_PIECE, "BW" },
    { "clobber", BK_FAIRY_PIECE, "cW" },
    { "cannon", BK_FAIRY_PIECE, "mRcpR" },
    { "soldier", BK_FAIRY_PIECE, "fsW" },
    { "wazir", BK_FAIRY_PIECE, "W" },
    { "commoner", BK_FAIRY_PIECE, "K" },
    { "centaur", BK_FAIRY_PIECE, "KN" },
    { "king", BK_FAIRY_PIECE, "K" },
    { "breakthrough", BK_FAIRY_CANNOT_BE, "its move is told in two ways; use a customPiece" },
    { "immobile", BK_FAIRY_CANNOT_BE, "a man without moves" },
    { "janggiCannon", BK_FAIRY_CANNOT_BE, "a cannon that spares cannons" },
    { "horse", BK_FAIRY_CANNOT_BE, LAME },
    { "elephant", BK_FAIRY_CANNOT_BE, LAME },
    { "janggiElephant", BK_FAIRY_CANNOT_BE, LAME },
    { "banner", BK_FAIRY_CANNOT_BE, LAME },
    { "customPiece", BK_FAIRY_CUSTOM, NULL },

    { "maxRank", BK_FAIRY_READ, NULL },
    { "maxFile", BK_FAIRY_READ, NULL },
    { "startFen", BK_FAIRY_READ, NULL },
    { "promotionRank", BK_FAIRY_READ, NULL },
    { "promotionRegionWhite", BK_FAIRY_READ, NULL },
    { "promotionRegionBlack", BK_FAIRY_READ, NULL },
    { "promotionPieceTypes", BK_FAIRY_READ, NULL },
    { "promotionLimit", BK_FAIRY_READ, NULL },
    { "mandatoryPawnPromotion", BK_FAIRY_READ, NULL },
    { "doubleStep", BK_FAIRY_READ, NULL },
    { "doubleStepRank", BK_FAIRY_READ, NULL },
    { "doubleStepRankMin", BK_FAIRY_READ, NULL },
    { "doubleStepRegionWhite", BK_FAIRY_READ, NULL },
    { "doubleStepRegionBlack", BK_FAIRY_READ, NULL },
    { "enPassantRegion", BK_FAIRY_READ, NULL },
    { "castling", BK_FAIRY_READ, NULL },
    { "castlingKingsideFile", BK_FAIRY_READ, NULL },
    { "castlingQueensideFile", BK_FAIRY_READ, NULL },
    { "castlingKingFile", BK_FAIRY_READ, NULL },
    { "castlingKingPiece", BK_FAIRY_READ, NULL },
    { "castlingRookPiece", BK_FAIRY_READ, NULL },
    { "castlingRookPieces", BK_FAIRY_READ, NULL },
    { "castlingRookKingsideFile", BK_FAIRY_READ, NULL },
    { "castlingRookQueensideFile", BK_FAIRY_READ, NULL },
    { "chess960", BK_FAIRY_READ, NULL },
    { "pieceDrops", BK_FAIRY_READ, NULL },
    { "gating", BK_FAIRY_READ, NULL },
    { "seirawanGating", BK_FAIRY_READ, NULL },
    { "immobilityIllegal", BK_FAIRY_READ, NULL },
    { "castlingRank", BK_FAIRY_READ, NULL },
    { "kingType", BK_FAIRY_READ, NULL },
    { "soldierPromotionRank", BK_FAIRY_READ, NULL },
    { "stalemateValue", BK_FAIRY_READ, NULL },
    { "nMoveRule", BK_FAIRY_READ, NULL },
    { "nMoveRuleTypes", BK_FAIRY_READ, NULL },
    { "extinctionValue", BK_FAIRY_READ, NULL },
    { "extinctionClaim", BK_FAIRY_READ, NULL },
    { "extinctionPseudoRoyal", BK_FAIRY_READ, NULL },
    { "extinctionPieceTypes", BK_FAIRY_READ, NULL },
    { "extinctionPieceCount", BK_FAIRY_READ, NULL },
    { "extinctionOpponentPieceCount", BK_FAIRY_READ, NULL },

    { "variantTemplate", BK_FAIRY_HARMLESS, NULL }, /* display */
    { "pieceToCharTable", BK_FAIRY_HARMLESS, NULL },
    { "pocketSize", BK_FAIRY_HARMLESS, NULL },
    { "pieceValueMg", BK_FAIRY_HARMLESS, NULL }, /* judgement */
    { "pieceValueEg", BK_FAIRY_HARMLESS, NULL },
    { "nFoldRule", BK_FAIRY_HARMLESS, NULL }, /* draws by repetition, by counting men */
    { "countingRule", BK_FAIRY_HARMLESS, NULL },
    { "piecePromotionOnCapture", BK_FAIRY_HARMLESS, NULL }, /* these matter with promotedPieceType
                                                               only */
    { "mandatoryPiecePromotion", BK_FAIRY_HARMLESS, NULL },
    { "dropChecks", BK_FAIRY_HARMLESS, NULL }, /* these matter with pieceDrops only */
    { "mustDropType", BK_FAIRY_HARMLESS, NULL },
    { "dropLoop", BK_FAIRY_HARMLESS, NULL },
    { "firstRankPawnDrops", BK_FAIRY_HARMLESS, NULL },
    { "promotionZonePawnDrops", BK_FAIRY_HARMLESS, NULL },
    { "dropOnTop", BK_FAIRY_HARMLESS, NULL },
    { "enclosingDrop", BK_FAIRY_HARMLESS, NULL },
    { "enclosingDropStart", BK_FAIRY_HARMLESS, NULL },
    { "whiteDropRegion", BK_FAIRY_HARMLESS, NULL },
    { "blackDropRegion", BK_FAIRY_HARMLESS, NULL },
    { "dropRegionWhite", BK_FAIRY_HARMLESS, NULL },
    { "dropRegionBlack", BK_FAIRY_HARMLESS, NULL },
    { "sittuyinRookDrop", BK_FAIRY_HARMLESS, NULL },
    { "dropOppositeColoredBishop", BK_FAIRY_HARMLESS, NULL },
    { "dropPromoted", BK_FAIRY_HARMLESS, NULL },
    { "dropNoDoubled", BK_FAIRY_HARMLESS, NULL },
    { "dropNoDoubledCount", BK_FAIRY_HARMLESS, NULL },
    { "castlingDroppedPiece", BK_FAIRY_HARMLESS, NULL },
    { "shogiPawnDropMateIllegal", BK_FAIRY_HARMLESS, NULL },
    { "whiteFlag", BK_FAIRY_FLAG, NULL },
    { "blackFlag", BK_FAIRY_FLAG, NULL },
    { "flagMove", BK_FAIRY_HARMLESS, NULL }, /* matters with a flag region only */
    { "flagRegion", BK_FAIRY_FLAG, NULL },
    { "flagRegionWhite", BK_FAIRY_FLAG, NULL },
    { "flagRegionBlack", BK_FAIRY_FLAG, NULL },
    { "flagPiece", BK_FAIRY_HARMLESS, NULL }, /* likewise; `-` is every man */
    { "flagPieceCount", BK_FAIRY_HARMLESS, NULL },

    { "nFoldValue", BK_FAIRY_ONLY, "draw" },
    { "nFoldValueAbsolute", BK_FAIRY_ONLY, "false" },
    { "perpetualCheckIllegal", BK_FAIRY_ONLY, "false" },
    { "moveRepetitionIllegal", BK_FAIRY_ONLY, "false" },
    { "twoBoards", BK_FAIRY_ONLY, "false" },
    { "sittuyinPromotion", BK_FAIRY_ONLY, "false" },
    { "promotedPieceType", BK_FAIRY_ONLY, "-" },
    { "pieceDemotion", BK_FAIRY_ONLY, "false" },
    { "blastOnCapture", BK_FAIRY_ONLY, "false" },
    { "petrifyOnCapture", BK_FAIRY_ONLY, "false" },
    { "petrifyOnCaptureTypes", BK_FAIRY_ONLY, "-" },
    { "tripleStepRegionWhite", BK_FAIRY_ONLY, "-" },
    { "tripleStepRegionBlack", BK_FAIRY_ONLY, "-" },
    { "castlingWins", BK_FAIRY_ONLY, "-" },
    { "oppositeCastling", BK_FAIRY_ONLY, "false" },
    { "checking", BK_FAIRY_ONLY, "true" },
    { "mustCapture", BK_FAIRY_ONLY, "false" },
    { "mustDrop", BK_FAIRY_ONLY, "false" },
    { "capturesToHand", BK_FAIRY_ONLY, "false" },
    { "arrowGating", BK_FAIRY_ONLY, "false" },
    { "wallGating", BK_FAIRY_ONLY, "false" },
    { "wallingRule", BK_FAIRY_ONLY, "none" },
    { "cambodianMoves", BK_FAIRY_ONLY, "false" },
    { "diagonalLines", BK_FAIRY_ONLY, "-" },
    { "pass", BK_FAIRY_ONLY, "false" },
    { "passOnStalemate", BK_FAIRY_ONLY, "false" },
    { "makpongRule", BK_FAIRY_ONLY, "false" },
    { "flyingGeneral", BK_FAIRY_ONLY, "false" },
    { "flipEnclosedPieces", BK_FAIRY_ONLY, "none" },
    { "stalematePieceCount", BK_FAIRY_ONLY, "false" },
    { "checkmateValue", BK_FAIRY_ONLY, "loss" },
    { "shatarMateRule", BK_FAIRY_ONLY, "false" },
    { "bikjangRule", BK_FAIRY_ONLY, "false" },
    { "dupleCheck", BK_FAIRY_ONLY, "false" },
    { "checkCounting", BK_FAIRY_ONLY, "false" },
    { "connectN", BK_FAIRY_ONLY, "0" },
    { "materialCounting", BK_FAIRY_ONLY, "none" },
};

const char *bk_fairy_predefined(size_t i, const char **name)
{
    if (keys[i].kind != BK_FAIRY_PIECE) /* they come first */
        return NULL;
    *name = keys[i].name;
    return keys[i].text;
}

/*
 * What the games ask for that the program has built in and our rules cannot express.  The others
 * are sections of src/variants/fairy/built-in.ini.  (The program of July 2026.)
 */
static const struct {
    const char *rule, *games;
} refused[] = {
    { "castling with two kinds of men (key 'castlingRookPieces')", "perfect" },
    { "draws that one side wins (key 'materialCounting')", "armageddon" },
    { "double steps into the promotion zone (key 'doubleStepRegionWhite')", "torpedo" },
    { "other pawns (key 'promotionPawnTypes')", "berolina pawnsideways pawnback legan wolf" },
    { "promotion on parts of ranks (key 'promotionRegionWhite')", "troitzky" },
    { "promotion that differs by colour (key 'promotionPieceTypesWhite')",
      "sortofalmost chigorin" },
    { "a king who may not flee from check (key 'makpongRule')", "makpong" },
    { "leaps from home (key 'cambodianMoves')", "cambodian karouk" },
    { "hoppers that land behind a man (key 'customPiece1')", "grasshopper" },
    { "leapers that can be blocked", "paradigm minixiangqi xiangqi manchu" },
    { "squares to be reached (key 'flagRegion')", "kingofthehill racingkings" },
    { "mate that wins (key 'checkmateValue')", "misere losers" },
    { "captures that must be made (key 'mustCapture')", "giveaway antichess suicide codrus" },
    { "kinds of men that may not die out (key 'extinctionPieceTypes')",
      "extinction kinglet threekings horde" },
    { "captures that explode (key 'blastOnCapture')", "nocheckatomic atomic atomar" },
    { "captures that petrify (key 'petrifyOnCaptureTypes')", "petrified" },
    { "walls (key 'wallingRule')", "duck isolation isolation7x7 snailtrail joust amazons" },
    { "a game without kings", "fox-and-hounds clobber clobber10 breakthrough jesonmor" },
    { "checks that are counted (key 'checkCounting')", "3check 5check" },
    { "men taken into hand (key 'capturesToHand')",
      "crazyhouse loop chessgi shouse minishogi mini kyotoshogi micro dobutsu gorogoro judkins "
      "torishogi euroshogi shogi checkshogi yarishogi okisakishogi capahouse" },
    { "men of a second board (key 'twoBoards')", "bughouse koedem supply" },
    { "men who must be dropped (key 'mustDrop')", "placement sittuyin" },
    { "men who change sides (key 'flipEnclosedPieces')", "ataxx flipersi flipello flipello10" },
    { "several royal men (key 'extinctionPseudoRoyal')", "spartan coregal shoshogi" },
    { "which checks may mate (key 'shatarMateRule')", "shatar" },
    { "cannons that spare cannons (key 'janggiCannon')",
      "janggi janggitraditional janggimodern janggicasual" },
};

/* == The file == */

bool bk_fairy_fault(struct bk_fairy_file *f, int line, unsigned column, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    f->err = bk_fail_at(f->why, f->label, line, column, fmt, ap);
    va_end(ap);
    return false;
}

bool bk_fairy_wrong(struct bk_fairy_file *f, const struct bk_fairy_entry *e, unsigned at,
                    const char *fmt, ...)
{
    char text[300];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (!e->line)
        return bk_fairy_fault(f, f->wanted->line, 0, "key '%s' (inherited): %s", e->name, text);
    return bk_fairy_fault(f, e->line, e->column + at, "key '%s': %s", e->name, text);
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

/* "[name:base]"; blanks in it are part of the names. */
static bool open_section(struct bk_fairy_file *f, char *line, int number)
{
    char *close = strchr(line, ']'), *colon;
    struct bk_fairy_section *s = &f->section[f->nsections];

    if (*line != '[')
        return bk_fairy_fault(f, number, 1, "white space before `[`: no section to the program");
    if (!close || *trimmed(close + 1))
        return bk_fairy_fault(f, number, 1, "expected `[name]` or `[name:base]`");
    if (f->nsections == BK_FAIRY_SECTIONS_MAX)
        return bk_fairy_fault(f, number, 1, "more than %d sections", BK_FAIRY_SECTIONS_MAX);
    *close = '\0';
    colon = strchr(line, ':');
    if (colon)
        *colon = '\0';
    *s = (struct bk_fairy_section){ .name = line + 1, .line = number };
    if (colon)
        s->base = colon + 1;
    for (unsigned i = 0; i < f->nsections; i++)
        if (!strcmp(f->section[i].name, s->name))
            return bk_fairy_fault(f, number, 1, "[%s] stands twice (first on line %d)", s->name,
                                  f->section[i].line);
    f->nsections++;
    return true;
}

/* Finds the sections; their lines end in NUL afterwards.  `text` is changed. */
static bool find_sections(struct bk_fairy_file *f, char *text)
{
    int number = 1;

    for (char *line = text, *next; *line; line = next, number++) {
        size_t n = strcspn(line, "\n");
        char *start = line + strspn(line, " \t");
        struct bk_fairy_section *last = f->nsections ? &f->section[f->nsections - 1] : NULL;

        next = line + n + (line[n] == '\n');
        line[n] = '\0';
        if (*start == '[') {
            if (!open_section(f, line, number))
                return false;
            f->section[f->nsections - 1].body = next;
        } else if (last) {
            last->length = (size_t)(next - last->body);
        } else if (*trimmed(start) && *start != '#' && *start != ';') {
            return bk_fairy_fault(f, number, 1, "`%.40s` stands before the first section", start);
        }
    }
    return f->nsections || bk_fairy_fault(f, 1, 0, "there is no section");
}

static const struct bk_fairy_section *find_section(struct bk_fairy_file *f, const char *name,
                                                   unsigned before)
{
    for (unsigned i = 0; i < before; i++)
        if (!strcmp(f->section[i].name, name))
            return &f->section[i];
    return NULL;
}

/* Is `word` one of the words of `list`, which have a blank between them? */
static bool has_word(const char *list, const char *word)
{
    size_t n = strlen(word);

    for (const char *s = list; n && (s = strstr(s, word)) != NULL; s += n)
        if ((s == list || s[-1] == ' ') && (!s[n] || s[n] == ' '))
            return true;
    return false;
}

const char *bk_fairy_refused(const char *name)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (has_word(refused[i].games, name))
            return refused[i].rule;
    return NULL;
}

/* Refuses a section that is named as a game that the program has built in: it keeps its own and
   passes the section over. */
static bool is_ours_to_name(struct bk_fairy_file *f, const struct bk_fairy_section *s)
{
    if (!s->line || (!bk_embedded_fairy_find(s->name) && !bk_fairy_refused(s->name)))
        return true;
    return bk_fairy_fault(f, s->line, 2, "the program has a game '%s', and passes this one over",
                          s->name);
}

static bool choose(struct bk_fairy_file *f, const char *name)
{
    f->wanted = name ? find_section(f, name, f->nsections) : &f->section[0];
    if (!f->wanted)
        return bk_fairy_fault(f, 1, 0, "there is no section [%s]", name);
    if (!name && f->nsections > 1)
        return bk_fairy_fault(f, 1, 0, "%u sections: say which, as in FILE.ini#%s", f->nsections,
                              f->section[0].name);
    for (const char *s = f->wanted->name; *s; s++)
        if (!bk_is_lower(*s) && !bk_is_digit(*s) && *s != '-')
            return bk_fairy_fault(f, f->wanted->line, 2, "a name has only a-z, 0-9 and -");
    if (!*f->wanted->name || strlen(f->wanted->name) > BK_FAIRY_NAME_MAX)
        return bk_fairy_fault(f, f->wanted->line, 2, "a name has 1 to %d letters",
                              BK_FAIRY_NAME_MAX);
    return is_ours_to_name(f, f->wanted);
}

bool bk_fairy_file_read(struct bk_fairy_file *f, char *text, const char *name)
{
    return find_sections(f, text) && choose(f, name);
}

/* == Built-in games == */

/* Returns the section of a built-in game, as one without a line; NULL: none, or no memory. */
static const struct bk_fairy_section *open_built_in(struct bk_fairy_file *f, const char *name)
{
    const struct bk_embedded_fairy *game = bk_embedded_fairy_find(name);
    struct bk_fairy_section *s = &f->built_in[f->nbuilt_in];

    if (!game)
        return NULL;
    assert(f->nbuilt_in < BK_FAIRY_BUILT_IN_MAX); /* so far do they inherit from each other */
    *s = (struct bk_fairy_section){ .name = game->name, .base = game->base };
    s->body = strdup(game->text);
    if (!s->body) {
        f->err = bk_no_memory(f->why);
        return NULL;
    }
    f->nbuilt_in++;
    s->length = strlen(s->body);
    for (char *end = s->body; (end = strchr(end, '\n')) != NULL;)
        *end++ = '\0';
    return s;
}

void bk_fairy_file_of_built_in(struct bk_fairy_file *f, const struct bk_embedded_fairy *game)
{
    static char nothing[1];

    f->section[0] =
        (struct bk_fairy_section){ .name = game->name, .base = game->name, .body = nothing };
    f->nsections = 1;
    f->wanted = &f->section[0];
}

void bk_fairy_file_end(struct bk_fairy_file *f)
{
    while (f->nbuilt_in)
        free(f->built_in[--f->nbuilt_in].body);
}

/* == What is in force == */

/* Is it the number of a custom piece, 1 to 25? */
static bool is_slot(const char *digits)
{
    size_t n = strspn(digits, "0123456789");

    return n && !digits[n] && *digits != '0' && (n == 1 || (n == 2 && atoi(digits) <= 25));
}

static const struct bk_fairy_key *find_key(const char *name)
{
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        size_t n = strlen(keys[i].name);

        if (!strncmp(name, keys[i].name, n) &&
            (keys[i].kind == BK_FAIRY_CUSTOM ? is_slot(name + n) : !name[n]))
            return &keys[i];
    }
    return NULL;
}

/* Keeps what said of a man before `now` takes its place: lists of earlier sections mean his letter
   of then. */
static bool keep_former(struct bk_fairy_file *f, struct bk_fairy_entry then,
                        const struct bk_fairy_entry *now)
{
    if (f->nformer == BK_FAIRY_ENTRIES_MAX)
        return bk_fairy_fault(f, now->line, 1, "more than %d keys of men are said again",
                              BK_FAIRY_ENTRIES_MAX);
    then.until = now->level;
    f->former[f->nformer++] = then;
    return true;
}

/* Puts an entry in force.  A later one of that key takes the place of the one before, in a section,
   too.  Built-in games are one level: the program has them as a whole. */
static bool set(struct bk_fairy_file *f, struct bk_fairy_entry e)
{
    unsigned i = 0;

    e.key = find_key(e.name);
    if (!e.key && !strncmp(e.name, "mobilityRegion", 14))
        return bk_fairy_fault(f, e.line, 1, "key '%s': where men may go cannot be restricted",
                              e.name);
    if (!e.key)
        return bk_fairy_fault(f, e.line, 1, "key '%s': unknown, or nothing that our rules have",
                              e.name);
    while (i < f->nentries && strcmp(f->entry[i].name, e.name))
        i++;
    if (i == BK_FAIRY_ENTRIES_MAX)
        return bk_fairy_fault(f, e.line, 1, "more than %d keys", BK_FAIRY_ENTRIES_MAX);
    if (i < f->nentries) {
        e.again = f->entry[i].again || f->entry[i].level < e.level;
        if (f->entry[i].level < e.level && e.key->kind <= BK_FAIRY_CUSTOM &&
            !keep_former(f, f->entry[i], &e))
            return false;
    }
    f->entry[i] = e;
    f->nentries += i == f->nentries;
    return true;
}

/* Is it a value that the program compares as a whole? */
static bool is_word(const char *value)
{
    static const char *const words[] = { "true", "false", "win", "loss", "draw", "none" };
    bool is = false;

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        is |= !strcmp(value, words[i]);
    return is;
}

/*
 * Puts one line of a section's body in force; it ends in NUL, and is changed.  Where the program
 * takes white space for part of a key or a value, and so does not know it, the line is refused.
 */
static bool set_line(struct bk_fairy_file *f, char *line, int number, unsigned level)
{
    char *equals, *name, *value;
    size_t n = strlen(line);
    bool blank;

    if (n && line[n - 1] == '\r')
        line[--n] = '\0';
    if (!line[strspn(line, " \t")] || strchr("#;", line[strspn(line, " \t")]))
        return true;
    n = bk_utf8_plain(line);
    if (line[n])
        return bk_fairy_fault(f, number, (unsigned)n + 1, "a control character");
    equals = strchr(line, '=');
    if (!equals)
        return bk_fairy_fault(f, number, 1, "expected `key = value` or `[section]`");
    if (strchr(" \t", *line) || (equals > line && equals[-1] == '\t'))
        return bk_fairy_fault(f, number, 1, "%s: part of the key's name to the program",
                              strchr(" \t", *line) ? "white space before a key"
                                                   : "a tab before `=`");
    blank = strchr(" \t", line[n - 1]);
    *equals = '\0';
    name = trimmed(line);
    value = trimmed(equals + 1);
    if (!*value)
        return bk_fairy_fault(f, number, 1, "key '%s': no value: the program passes the line over",
                              name);
    if (blank && is_word(value))
        return bk_fairy_fault(f, number, (unsigned)n,
                              "key '%s': white space at the end: part of the value to the program",
                              name);
    return set(f, (struct bk_fairy_entry){ .name = name,
                                           .value = value,
                                           .line = number,
                                           .column = (unsigned)(value - line) + 1,
                                           .level = level });
}

static bool set_body(struct bk_fairy_file *f, const struct bk_fairy_section *s, unsigned level)
{
    int number = s->line;

    for (char *line = s->body, *next; line < s->body + s->length; line = next) {
        number += s->line > 0;
        next = line + strlen(line) + 1;
        if (!set_line(f, line, number, level))
            return false;
    }
    return true;
}

/* Finds what a section inherits from: an earlier one, or a built-in game. */
static bool find_base(struct bk_fairy_file *f, const struct bk_fairy_section *s,
                      const struct bk_fairy_section **base)
{
    const char *rule;

    *base = NULL;
    if (!s->base)
        return true;
    if (s->line)
        *base = find_section(f, s->base, (unsigned)(s - f->section));
    if (!*base)
        *base = open_built_in(f, s->base);
    if (*base || f->err)
        return *base;
    rule = bk_fairy_refused(s->base);
    if (rule)
        return bk_fairy_fault(f, s->line, 1, "[%s:%s]: '%s' has %s, which cannot be expressed",
                              s->name, s->base, s->base, rule);
    return bk_fairy_fault(f, s->line, 1,
                          "[%s:%s]: neither an earlier section nor a game that is built in",
                          s->name, s->base);
}

/* Sections are set deepest first. */
bool bk_fairy_file_gather(struct bk_fairy_file *f)
{
    const struct bk_fairy_section *chain[DEPTH_MAX], *s = f->wanted;
    unsigned n = 0, level = 0;

    do {
        if (n == DEPTH_MAX)
            return bk_fairy_fault(f, s->line, 1, "more than %d sections inherit from each other",
                                  DEPTH_MAX);
        if (!is_ours_to_name(f, s))
            return false;
        chain[n++] = s;
        if (!find_base(f, s, &s))
            return false;
    } while (s);
    while (n--) {
        level += chain[n]->line > 0;
        if (!set_body(f, chain[n], level))
            return false;
    }
    return true;
}

const struct bk_fairy_entry *bk_fairy_get(const struct bk_fairy_file *f, const char *name)
{
    for (unsigned i = 0; i < f->nentries; i++)
        if (!strcmp(f->entry[i].name, name))
            return &f->entry[i];
    return NULL;
}

/* == Values == */

bool bk_fairy_get_bool(struct bk_fairy_game *f, const char *name, bool missing, bool *out)
{
    const struct bk_fairy_entry *e = bk_fairy_get(&f->in, name);

    *out = e ? !strcmp(e->value, "true") : missing;
    return !e || *out || !strcmp(e->value, "false") || BK_WRONG(f, e, 0, "expected true or false");
}

bool bk_fairy_get_number(struct bk_fairy_game *f, const char *name, unsigned min, unsigned max,
                         unsigned missing, unsigned *out)
{
    const struct bk_fairy_entry *e = bk_fairy_get(&f->in, name);
    unsigned long n;
    char *end;

    *out = missing;
    if (!e)
        return true;
    n = bk_is_digit(*e->value) ? strtoul(e->value, &end, 10) : ULONG_MAX;
    if (n == ULONG_MAX || *end || n < min || n > max)
        return BK_WRONG(f, e, 0, "expected a number from %u to %u", min, max);
    *out = (unsigned)n;
    return true;
}

bool bk_fairy_get_file(struct bk_fairy_game *f, const char *name, unsigned max, unsigned missing,
                       unsigned *out)
{
    const struct bk_fairy_entry *e = bk_fairy_get(&f->in, name);

    if (!e || bk_is_digit(*e->value))
        return bk_fairy_get_number(f, name, 1, max, missing, out);
    *out = (unsigned)(*e->value - 'a') + 1;
    return (bk_is_lower(*e->value) && !e->value[1] && *out <= max) ||
           BK_WRONG(f, e, 0, "expected a file from a to %c", 'a' + (int)max - 1);
}

/* Entry i of all that say of men, those that others took the place of behind those in force. */
static const struct bk_fairy_entry *man(const struct bk_fairy_file *f, unsigned i)
{
    const struct bk_fairy_entry *e = i < f->nentries ? &f->entry[i] : &f->former[i - f->nentries];

    return e->key->kind <= BK_FAIRY_CUSTOM ? e : NULL;
}

static char letter_of(const struct bk_fairy_entry *e) { return bk_upper(e->value[0]); }

/* Finds the key of the man who has `letter` when the section of `level` has been read; NULL: none.
 */
static const char *key_of_letter(const struct bk_fairy_file *f, char letter, unsigned level)
{
    const struct bk_fairy_entry *found = NULL;

    for (unsigned i = 0; i < f->nentries + f->nformer; i++) {
        const struct bk_fairy_entry *e = man(f, i);

        if (e && letter_of(e) == letter && e->level <= level && (!e->until || level < e->until) &&
            (!found || found->level < e->level))
            found = e;
    }
    return found ? found->name : NULL;
}

bool bk_fairy_letter_goes(const struct bk_fairy_file *f, const struct bk_fairy_entry *e)
{
    for (unsigned i = 0; i < f->nentries + f->nformer; i++) {
        const struct bk_fairy_entry *other = man(f, i);

        if (other && bk_is_letter(e->value[0]) && strcmp(other->name, e->name) &&
            letter_of(other) == letter_of(e) && other->level > e->level &&
            (!e->until || other->level < e->until))
            return true;
    }
    return false;
}

/* Has a section behind that of `level` taken the man away whom a later one names again? */
static bool was_away(const struct bk_fairy_file *f, const char *name, unsigned level)
{
    for (unsigned i = 0; i < f->nformer; i++) {
        const struct bk_fairy_entry *e = &f->former[i];

        if (!strcmp(e->name, name) && e->until > level &&
            ((e->value[0] == '-' && e->level > level) || bk_fairy_letter_goes(f, e)))
            return true;
    }
    return false;
}

bool bk_fairy_get_letter(struct bk_fairy_game *f, const struct bk_fairy_entry *e, unsigned at,
                         int *type)
{
    char letter = e->value[at];
    const char *name = NULL;

    if (bk_is_letter(letter))
        name = key_of_letter(&f->in, bk_upper(letter), e->level);
    *type = -1;
    if (!name)
        return BK_WRONG(f, e, at, "no piece has the letter `%c`", letter);
    if (was_away(&f->in, name, e->level))
        return BK_WRONG(f, e, at,
                        "later sections take `%c` away and bring him back: say this key "
                        "there, too",
                        letter);
    for (int i = 0; i < f->v->ntypes; i++)
        if (!strcmp(f->v->piece[i].name, name))
            *type = i;
    return true;
}

bool bk_fairy_get_types(struct bk_fairy_game *f, const struct bk_fairy_entry *e, uint32_t *out)
{
    *out = 0;
    if (!strcmp(e->value, "-"))
        return true;
    for (const char *s = e->value; *s; s++) {
        int type;

        if (*s == ' ')
            continue;
        if (!bk_fairy_get_letter(f, e, (unsigned)(s - e->value), &type))
            return false;
        if (type >= 0)
            *out |= UINT32_C(1) << type;
    }
    return true;
}

bool bk_fairy_get_region(struct bk_fairy_game *f, const struct bk_fairy_entry *e,
                         struct bk_bits *out)
{
    const struct bk_variant *v = f->v;
    const char *s = e->value;

    memset(out, 0, sizeof *out);
    if (!strcmp(s, "-"))
        return true;
    for (s += strspn(s, " "); *s; s += strspn(s, " ")) {
        const char *start = s;
        unsigned file = (unsigned)(bk_lower(*s) - 'a'), rank = 0;
        bool all_files = *s++ == '*', all_ranks = !all_files && *s == '*';

        s += all_ranks;
        for (; !all_ranks && bk_is_digit(*s) && rank < 100; s++)
            rank = rank * 10 + (unsigned)(*s - '0');
        if ((!all_files && file >= v->files) || (!all_ranks && (!rank || rank > v->ranks)) ||
            !strchr(" ", *s))
            return BK_WRONG(f, e, start - e->value, "expected squares of the board: d4, *4, d*");
        for (unsigned sq = 0; sq < v->nsq; sq++)
            if ((all_files || sq % v->files == file) && (all_ranks || sq / v->files == rank - 1))
                bk_bits_set(out, sq);
    }
    return true;
}

bool bk_fairy_get_ranks(struct bk_fairy_game *f, const char *white, const char *black,
                        const char *usual, uint16_t *out)
{
    const struct bk_fairy_entry *e[2] = { bk_fairy_get(&f->in, white),
                                          bk_fairy_get(&f->in, black) };
    const struct bk_variant *v = f->v;
    unsigned mask[2] = { 0, 0 };
    struct bk_fairy_entry said = { 0 };

    if (e[0] && !e[1] && usual) {
        said = *e[0];
        said.value = usual;
        e[1] = &said;
    }
    if (!e[0] || !e[1])
        return BK_WRONG(f, e[0] ? e[0] : e[1], 0, "needs '%s', too", e[0] ? black : white);
    for (unsigned colour = 0; colour < 2; colour++) {
        struct bk_bits squares;

        if (!bk_fairy_get_region(f, e[colour], &squares))
            return false;
        for (unsigned sq = 0; sq < v->nsq; sq++)
            if (bk_bits_has(&squares, sq))
                mask[colour] |= 1u << bk_own_rank(v, sq, colour);
        for (unsigned sq = 0; sq < v->nsq; sq++)
            if (mask[colour] >> bk_own_rank(v, sq, colour) & 1 && !bk_bits_has(&squares, sq))
                return BK_WRONG(f, e[colour], 0, "only whole ranks can be expressed");
    }
    *out = (uint16_t)mask[0];
    if (mask[0] == mask[1])
        return true;
    return e[1] == &said
               ? BK_WRONG(f, e[0], 0, "'%s', `%s` without that key, must be its mirror image",
                          black, usual)
               : BK_WRONG(f, e[1], 0, "only the mirror image of '%s' can be expressed", white);
}

/* == What sections say one after the other == */

bool bk_fairy_comes_first(struct bk_fairy_game *f, const char *key, const char *old)
{
    const struct bk_fairy_entry *now = bk_fairy_get(&f->in, key),
                                *before = bk_fairy_get(&f->in, old);

    return !now || !before || before->level <= now->level ||
           BK_WRONG(f, before, 0, "takes the place of the inherited '%s'; say that key instead",
                    key);
}
