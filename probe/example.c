/*
 * example.c - asks libbareking about one position.
 *
 *     cc example.c -lbareking -o example
 *     ./example shatranj /tables "8/8/8/3k4/8/1KQ5/8/q7 w - - 0 1"
 *
 *     White wins in 39 plies
 *       b3b4     wins in 39 plies
 *       ...
 */
#include <stdio.h>
#include <string.h>

#include "bareking.h"

/* Prints a value, and its distance if there is one: draws have none, nor have some tables. */
static void print_value(int wdl, int dtw)
{
    printf("%s", wdl > 0 ? "wins" : wdl < 0 ? "loses" : "draws");
    if (dtw >= 0)
        printf(" in %d %s", dtw, dtw == 1 ? "ply" : "plies");
    printf("\n");
}

/* Errors are values: the expected one, a table that was never made, is told from the rest. */
static int complain(const struct bk_lib *lib, enum bk_lib_err err)
{
    const char *text = bk_error(lib);

    fprintf(stderr, "%s\n", *text ? text : bk_lib_strerror(err));
    return err == BK_LIB_NO_TABLE ? 1 : 2;
}

static enum bk_lib_err ask(struct bk_lib *lib, const char *fen)
{
    static const char *const end[] = { "", "checkmate: ", "stalemate: ", "bare king: ",
                                       "bare kings: " };
    struct bk_lib_move move[256]; /* more than that are counted, but not written */
    struct bk_answer a = { 0 };
    size_t n = 0;
    enum bk_lib_err err = bk_probe_fen(lib, fen, &a);

    if (!err)
        err = bk_probe_moves(lib, fen, move, 256, &n);
    if (err)
        return err;
    printf("%s%s ", end[a.end], strstr(fen, " b") ? "Black" : "White");
    print_value(a.wdl, a.dtw);
    if (a.plies_left >= 0 && a.clocked_known && a.clocked_wdl != a.wdl)
        printf("but only %d plies are left: a draw\n", a.plies_left);
    for (size_t i = 0; i < n && i < 256; i++) {
        printf("  %-8s ", move[i].name);
        print_value(move[i].wdl, move[i].dtw);
    }
    return BK_LIB_OK;
}

int main(int argc, char **argv)
{
    struct bk_lib *lib = NULL;
    enum bk_lib_err err;
    int status = 0;

    if (argc != 4) {
        fprintf(stderr, "usage: %s VARIANT FOLDERS FEN\n", argv[0]);
        return 2;
    }
    err = bk_open(&lib, argv[1], argv[2]);
    if (!err)
        err = ask(lib, argv[3]);
    if (err)
        status = complain(lib, err);
    bk_close(lib);
    return status;
}
