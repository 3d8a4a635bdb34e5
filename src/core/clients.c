/*
 * clients.c - see clients.h.
 */
#include "core/clients.h"

#include <stdio.h>
#include <string.h>

/* Our names and XBoard's.  family: the beginning of names; what follows it stays as it is. */
static const struct {
    const char *name[2];
    bool family;
} names[] = { { { "chess", "normal" }, false }, { { "grand-shatranj", "gs10" }, true } };

enum { OURS, XBOARDS };

static char *translate(const char *name, int from, int to, char out[BK_CLIENT_NAME_MAX])
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t n = strlen(names[i].name[from]);

        if (!strncmp(name, names[i].name[from], n) && (names[i].family || !name[n])) {
            snprintf(out, BK_CLIENT_NAME_MAX, "%s%s", names[i].name[to], name + n);
            return out;
        }
    }
    snprintf(out, BK_CLIENT_NAME_MAX, "%s", name);
    return out;
}

char *bk_client_name(const char *name, char out[BK_CLIENT_NAME_MAX])
{
    return translate(name, OURS, XBOARDS, out);
}

char *bk_own_name(const char *name, char out[BK_CLIENT_NAME_MAX])
{
    return translate(name, XBOARDS, OURS, out);
}

/*
 * First positions of shipped games that leave the array to the players (small armies where a game
 * has more men than positions with hands hold), and of Shatranj as all clients set it up, kings on
 * the d-file.
 */
static const struct {
    const char *game, *fen;
} arrays[] = {
    { "shatranj", "rnbkqbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKQBNR w - - 0 1" },
    { "sultan-random", "rnbcqkcbnr/pppppppppp/10/10/10/10/PPPPPPPPPP/RNBCQKCBNR w KQkq - 0 1" },
    { "puzzle", "r1fa1k**/n4n**/2a1a3/8/8/2A1A3/N4N2/R1FA1K2 w - - 0 1" },
    { "puzzle-hands", "r1fa1k**/n5**/8/8/8/8/N7/R1FA1K2 w" },
};

const char *bk_client_array(const char *name)
{
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        if (!strcmp(name, arrays[i].game))
            return arrays[i].fen;
    return NULL;
}
