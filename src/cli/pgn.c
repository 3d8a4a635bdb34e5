/* pgn.c - see pgn.h. */
#include "cli/pgn.h"

#include <stdio.h>
#include <string.h>

#include "cli/report.h"
#include "core/end.h"
#include "core/san.h"
#include "study/game.h"

#define COLUMNS 79

/* Plays the legal move of this name (bk_move_name()), `length` bytes of it; san: how people write
   it.  False: there is none, and nothing changes. */
static bool play(const struct bk_variant *v, struct bk_pos *p, const char *name, size_t length,
                 char san[BK_SAN_MAX])
{
    struct bk_move list[BK_MOVES_MAX], move;

    if (study_move_read(&move, v, p, name, length, NULL) != BK_OK)
        return false;
    bk_san(v, p, &move, list, bk_moves_legal(v, p, list), san);
    bk_pos_play(p, v, &move);
    return true;
}

/* Plays the first of the moves and passes over it.  False: there is none. */
static bool play_next(const struct bk_variant *v, struct bk_pos *p, const char **moves,
                      char san[BK_SAN_MAX])
{
    size_t length = strcspn(*moves, " ");

    if (!play(v, p, *moves, length, san))
        return false;
    *moves += length + strspn(*moves + length, " ");
    return true;
}

static const char *result_of(const struct bk_variant *v, struct bk_pos p, const char *moves)
{
    char san[BK_SAN_MAX];
    int wdl;

    while (play_next(v, &p, &moves, san)) {
    }
    if (bk_pos_end(v, &p, &wdl) == BK_END_NONE)
        return "*";
    if (!wdl)
        return "1/2-1/2";
    return (wdl > 0) == (p.stm == BK_WHITE) ? "1-0" : "0-1";
}

/* Writes a word of the text behind a blank, or on the next line. */
static void put(const char *word, size_t *column)
{
    size_t n = strlen(word);

    if (*column && *column + 1 + n > COLUMNS) {
        putchar('\n');
        *column = 0;
    }
    printf("%s%s", *column ? " " : "", word);
    *column += n + (*column > 0);
}

static void put_comment(const char *comment, size_t *column)
{
    char word[64];

    for (size_t n, first = 1; *comment; comment += n + strspn(comment + n, " "), first = 0) {
        n = strcspn(comment, " ");
        snprintf(word, sizeof word, "%s%.*s%s", first ? "{" : "", (int)n, comment,
                 comment[n] ? "" : "}");
        put(word, column);
    }
}

static void print_tags(const struct bk_variant *v, const struct bk_pos *from, const char *result)
{
    static const char *const unknown[] = { "Event", "Site", "Date", "Round", "White", "Black" };
    char fen[BK_FEN_MAX];

    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        printf("[%s \"%s\"]\n", unknown[i], i == 2 ? "????.??.??" : "?");
    printf("[Result \"%s\"]\n[Annotator \"bareking\"]\n",
           result);                    /* so how it is meant: study/reading.h */
    if (strcmp(v->name, "chess") != 0) /* a PGN without the tag is of chess */
        printf("[Variant \"%s\"]\n", v->name);
    printf("[SetUp \"1\"]\n[FEN \"%s\"]\n\n", bk_pos_to_fen(from, v, fen));
}

void cli_print_pgn(const struct bk_variant *v, const struct bk_pos *from, const char *moves,
                   int wdl, int plies)
{
    char comment[2 * CLI_TEXT_MAX], verdict[CLI_TEXT_MAX];
    const char *result = result_of(v, *from, moves);
    unsigned turn = from->turn, stm = from->stm;
    struct bk_pos p = *from;
    char san[BK_SAN_MAX], number[16];
    size_t column = 0;

    print_tags(v, from, result);
    snprintf(comment, sizeof comment, "%s %s", cli_colour(stm), cli_verdict(verdict, wdl, plies));
    put_comment(comment, &column);
    for (bool first = true; play_next(v, &p, &moves, san); first = false) {
        snprintf(number, sizeof number, stm == BK_WHITE ? "%u." : "%u...", turn);
        if (first || stm == BK_WHITE)
            put(number, &column);
        put(san, &column);
        turn += stm == BK_BLACK;
        stm = !stm;
    }
    put(result, &column);
    puts("\n");
}
