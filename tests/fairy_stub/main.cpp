/*
 * main.cpp GAME FILES RANKS MEN - asks probe_bareking() of docs/engines.md about thrown positions of these men, and the
 * library about their FENs: the answers must be equal, and some of each kind.  Says how many there were.
 */
#include "position.h"
#include <bareking.h>
#include <cstdio>
#include <cstdlib>

using namespace Stockfish;

bool probe_bareking(bk_lib *lib, const Position &pos, int &wdl);

static std::string thrown(const std::string &men, int files, int ranks)
{
    std::string at(size_t(files * ranks), '.'), fen;

    for (char man : men) {
        size_t sq;

        do
            sq = size_t(rand()) % at.size();
        while (at[sq] != '.');
        at[sq] = man;
    }
    for (int rank = ranks; rank--;) {
        int gap = 0;

        for (int file = 0; file < files; file++) {
            char c = at[size_t(rank * files + file)];

            gap += c == '.';
            if (c != '.' && gap)
                fen += std::to_string(gap);
            if (c != '.') {
                fen += c;
                gap = 0;
            }
        }
        fen += (gap ? std::to_string(gap) : "") + (rank ? "/" : "");
    }
    return fen + (rand() & 64 ? " w" : " b") + " - - 0 1";
}

int main(int, char **argv)
{
    int files = atoi(argv[2]), ranks = atoi(argv[3]), seen[3] = {}, said = 0;
    Variant v;
    bk_lib *lib;

    if (bk_open(&lib, argv[1], "tables"))
        return std::printf("%s\n", bk_error(lib)), 1;
    for (int type = 1; type <= 26; type++) {
        v.pieceToChar[size_t(type)] = char('A' + (type * 7) % 26); /* in an order of its own */
        v.pieceToChar[size_t(PIECE_TYPE_NB + type)] = char('a' + (type * 7) % 26);
    }
    for (int i = 0; i < 4000; i++) {
        std::string fen = thrown(argv[4], files, ranks);
        Position pos(&v, files, fen);
        int wdl = 7, known;

        if (bk_probe_fen_wdl(lib, fen.c_str(), 0, &known))
            continue; /* illegal */
        if (!probe_bareking(lib, pos, wdl) || wdl != known)
            return std::printf("%s: %d, not %d\n", fen.c_str(), wdl, known), 1;
        said += !seen[known + 1]++;
    }
    std::printf("%d wins, %d draws, %d losses\n", seen[2], seen[1], seen[0]);
    bk_close(lib);
    return said < 2;
}
