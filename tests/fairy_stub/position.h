/*
 * position.h - as much of Fairy-Stockfish's board as the program in docs/engines.md asks for, in
 * its form: names, bitboards of 128 bits with files of twelve squares whatever the game's board is
 * (largeboards=yes), men by type.
 */
#ifndef FAIRY_STUB_POSITION_H
#define FAIRY_STUB_POSITION_H

#include <cstdint>
#include <string>

namespace Stockfish
{

__extension__ typedef unsigned __int128 Bitboard;
enum Color { WHITE, BLACK };
enum PieceType { NO_PIECE_TYPE, ALL_PIECES = 0, PIECE_TYPE_NB = 64 };
enum Piece { NO_PIECE, PIECE_NB = 2 * PIECE_TYPE_NB };
enum File { FILE_NB = 12 };
enum Rank { RANK_NB = 10 };
enum Square : int { SQUARE_NB = FILE_NB * RANK_NB };
enum CastlingRights { ANY_CASTLING = 15 };

constexpr PieceType type_of(Piece pc) { return PieceType(pc % PIECE_TYPE_NB); }
inline Color color_of(Piece pc) { return Color(pc / PIECE_TYPE_NB); }
constexpr File file_of(Square s) { return File(s % FILE_NB); }
constexpr Rank rank_of(Square s) { return Rank(s / FILE_NB); }
inline Square pop_lsb(Bitboard &b)
{
    uint64_t low = uint64_t(b);
    int s = low ? __builtin_ctzll(low) : 64 + __builtin_ctzll(uint64_t(b >> 64));

    b &= b - 1;
    return Square(s);
}

struct Variant {
    std::string pieceToChar =
        std::string(PIECE_NB, ' '); /* by piece: White's letters in upper case */
};

class Position
{
  public:
    Position(const Variant *v, int files, const std::string &fen) : var(v), nfiles(files)
    {
        int file = 0, rank = int(fen.find(' ')), gap = 0;

        for (int i = rank, slashes = rank = 0; slashes < i; slashes++)
            rank += fen[size_t(slashes)] == '/';
        for (char c : fen.substr(0, fen.find(' '))) {
            gap = c >= '0' && c <= '9' ? gap * 10 + c - '0' : 0;
            if (c == '/') {
                rank--;
                file = 0;
            } else if (gap) {
                file += gap >= 10 ? gap - gap / 10 : gap;
            } else {
                Square s = Square(rank * FILE_NB + file++);

                board[s] = Piece(v->pieceToChar.find(c));
                all |= Bitboard(1) << s;
            }
        }
        stm = fen[fen.find(' ') + 1] == 'b' ? BLACK : WHITE;
    }
    Bitboard pieces() const { return all; }
    Piece piece_on(Square s) const { return board[s]; }
    template <PieceType> int count() const
    {
        return __builtin_popcountll(uint64_t(all)) + __builtin_popcountll(uint64_t(all >> 64));
    }
    Color side_to_move() const { return stm; }
    bool can_castle(CastlingRights) const { return false; }
    Bitboard ep_squares() const { return 0; }
    int files() const { return nfiles; }
    const Variant *variant() const { return var; }

  private:
    const Variant *var;
    int nfiles;
    Bitboard all = 0;
    Color stm;
    Piece board[SQUARE_NB] = {};
};

} // namespace Stockfish

#endif
