"""Games, positions and moves: all that needs no table."""

from __future__ import annotations

import ctypes
import os
import re
from enum import IntEnum
from typing import (Any, Callable, Dict, FrozenSet, Iterable, List, Mapping, NamedTuple, Optional,
                    Tuple, Union)

from ._errors import IllegalPositionError, UnknownPieceError, UsageError
from ._handle import Handle
from ._library import (FEN_MAX, NO_SQUARE, SQUARES_MAX, STAYS, TYPES_MAX, GameStruct, MoveTextStruct,
                       Piece, Pos, Ranked, lib)

Square = Union[int, str]
"""A square by its number, rank * files + file from 0, or its name, "b10"."""

Variant = Union[str, "os.PathLike[str]"]
"""A game by its name, or the path of a variant file; one that is relative is one from where the
process is now, and stays it."""


class End(IntEnum):
    """How a game is over, if it is."""

    GOES_ON = 0
    CHECKMATE = 1
    STALEMATE = 2
    BARE = 3  #: a bare king has lost
    BARE_DRAW = 4  #: both kings are bare, or the bare one takes the other's last man next

    @classmethod
    def _missing_(cls, value: object) -> Optional[End]:
        """An end of a later library (bareking.h, "Binary compatibility"): `wdl` tells how."""
        if not isinstance(value, int) or value < 0:
            return None
        end = int.__new__(cls, value)
        end._name_, end._value_ = f"END_{value}", value
        return end


class Man(NamedTuple):
    """A man of a position: its letter as in a FEN, upper case for White, and its square."""

    letter: str
    square: int


class Outcome(NamedTuple):
    """How a game has ended; `wdl` is that of the side to move, -1, 0 or 1."""

    end: End
    wdl: int


class PieceKind(NamedTuple):
    """A piece of a game.

    `letter` is in upper case.  `evolutions`: how many times a side may turn a man into this one; 0
    is no limit, or never.
    """

    letter: str
    name: str
    royal: bool
    evolutions: int


class Move(NamedTuple):
    """A legal move.

    name         "a1b1"; "b9b10=M", where the man becomes another; castling "e1g1", or "b1a1" (the
                 rook's square) where the king moves less than two squares, or might leap there;
                 "a1b2c3": takes on b2 on the way, or in passing where he might go to c3 quietly, too
    takes        the square of the man that is taken, mostly `to_square`; None: nothing is
    also_taken   that of a second man, taken on the way
    becomes      the letter of what the man turns into, in upper case; `from_square` equal to
                 `to_square`: where he stands
    rook         where the rook stands that castles; None: no castling
    end          how the move ends the game, if it does
    """

    name: str
    from_square: int
    to_square: int
    takes: Optional[int]
    also_taken: Optional[int]
    becomes: Optional[str]
    rook: Optional[int]
    end: End

    def __str__(self) -> str:
        return self.name


class MoveText(NamedTuple):
    """How a move is written, and where it leads.

    name   as that of a Move
    san    as people write it: "Rxd5+", "exd5", "e8=Q", "O-O"; "Zxd6-e5" and "Zxd6xe6" of a man who
           takes on the way; a man whose letter is P is written without it; "#": it wins at once
    uci    as engines write it: "b9b10m"
    fen    of the position after it
    """

    name: str
    san: str
    uci: str
    fen: str


ENDS = tuple(End)


def end_of(n: int) -> End:
    """End(n), faster."""
    return ENDS[n] if n < len(ENDS) else End(n)


def to_bytes(text: Union[str, bytes]) -> bytes:
    """For C, which takes a zero for the end."""
    raw = text if isinstance(text, bytes) else text.encode("utf-8", "replace")
    if b"\0" in raw:
        raise UsageError(f"a zero byte in {text!r}")
    return raw


def placed(variant: Variant) -> str:
    """A path, wherever the process goes; names as they are."""
    name = os.fspath(variant)
    return os.path.abspath(name) if "/" in name or ".ini" in name else name


def fen_bytes(fen: object) -> bytes:
    """For C; a zero, which C cannot be told, becomes what no FEN has anywhere, and is refused there."""
    if isinstance(fen, (str, bytes)):
        raw = fen if isinstance(fen, bytes) else fen.encode("utf-8", "replace")
        return raw.replace(b"\0", b"?")
    if isinstance(fen, Position):
        return fen._fen
    raise TypeError(f"a FEN or a Position is wanted, not {type(fen).__name__}")


def _square_or_none(square: int) -> Optional[int]:
    return None if square == NO_SQUARE else square


def move_of(m: Any) -> Move:
    """Of a struct bk_lib_ranked."""
    return Move(m.name.decode(), m.from_, m.to, _square_or_none(m.takes),
                _square_or_none(m.also_taken), None if m.becomes == STAYS else chr(m.becomes),
                _square_or_none(m.rook), end_of(m.end))


def list_of(struct: Any, ask: Callable[[Any, int, Any], Any]) -> List[Any]:
    """What ask(array, room, pointer to how many) writes, however many there are."""
    room = 256
    n = ctypes.c_size_t()
    while True:
        out = (struct * room)()
        ask(out, room, ctypes.byref(n))
        if n.value <= room:
            return list(out[:n.value])
        room = n.value


def variants() -> Tuple[str, ...]:
    """The names of the built-in games.

    >>> "shatranj" in variants()
    True
    """
    names: List[str] = []
    while True:
        name = lib.bk_game_name(len(names))
        if name is None:
            return tuple(names)
        names.append(name.decode())


# == Games ==


class Game:
    """The rules of a game, without tables.

    variant    a name of variants(), or the path of an .ini file
    title      in words
    files, ranks, squares  of the board, holes included
    holes      squares that are none
    pieces     what there is, by number
    turns      after which a game is drawn; None: never
    start      FEN of the initial array; None: the players choose it
    rules      the number of all that decides a result: games of one number are one game

    Positions of a game may be asked wherever name and rules are the same: two files of one name
    need not be one game.

    Threads: any number may use one.  Cost of a new one: some milliseconds and up to a few MB.

    >>> game = Game("grand-shatranj")
    >>> game.title, game.files, game.ranks
    ('Grand Shatranj (D)', 10, 10)
    >>> game.square("c10"), game.square_name(92)
    (92, 'c10')
    >>> [piece.name for piece in game.pieces][:3]
    ['king', 'jumping-general', 'minister']
    """

    def __init__(self, variant: Variant) -> None:
        self.variant = os.fspath(variant)
        self._placed = placed(variant)
        self._handle = Handle(to_bytes(os.fsencode(self._placed)), b"")
        g = GameStruct(struct_size=ctypes.sizeof(GameStruct))
        self._handle.ask(lib.bk_game_of, ctypes.byref(g))
        self.name: str = g.name.decode()
        self.title: str = g.title.decode()
        self.files: int = g.files
        self.ranks: int = g.ranks
        self.squares: int = g.squares
        self.turns: Optional[int] = g.turns or None
        self.start: Optional[str] = g.start.decode() or None
        self.rules: int = g.rules
        self.holes: FrozenSet[int] = frozenset(s for s in range(g.squares) if g.hole[s])
        self.pieces: Tuple[PieceKind, ...] = tuple(
            PieceKind(p.letter.decode(), p.name.decode(), bool(p.royal), p.evolutions)
            for p in g.piece[:g.types])

    def __repr__(self) -> str:
        return f"Game({self.variant!r})"

    def _is(self, other: Game) -> bool:
        """Are positions of the other positions of this one?"""
        return self is other or (self.name, self.rules) == (other.name, other.rules)

    def _refuse(self, other: Game, what: str) -> None:
        """UsageError: `what` of another game is asked in tables of this one."""
        if self.name != other.name:
            raise UsageError(f"{what} of {other.name}, asked in tables of {self.name}")
        if not self._is(other):
            raise UsageError(f"{what} of {other.name} by other rules ({other.variant}), asked in "
                             f"tables of {self.variant}")

    def __reduce__(self) -> Tuple[Any, ...]:
        return Game, (self._placed,)

    def square(self, square: Square) -> int:
        """The number of a square of this board.  UsageError: there is none."""
        return square_of(square, self.files, self.ranks)

    def square_name(self, square: int) -> str:
        """The name of a square of this board."""
        return name_of(square, self.files, self.ranks)

    def position(self, fen: Optional[str] = None) -> Position:
        """A position by its FEN; without one, the initial array.  It need not be legal.

        A FEN of another mask (`*`) or width is one on other terrain (docs/rules.md).
        """
        return Position(self, fen)

    def position_of(self, men: Iterable[Tuple[str, Square]], black_to_move: bool = False, *,
                    turn: int = 1, en_passant: Optional[Square] = None, castling: str = "-",
                    evolutions: Optional[Mapping[str, int]] = None) -> Position:
        """A position by its men, on the game's own board.

        men         pairs of a letter, upper case for White, and a square
        turn        the move number, from 1: for games that end after so many
        en_passant  the square that a man has just passed over
        castling    rights as in a FEN, of KQkq
        evolutions  by letter, upper case for White: how many each side still has; None: as many as
                    the game allows; letters that are left out: none

        >>> Game("shatranj").position_of([("K", "b3"), ("Q", "c3"), ("k", "d5"), ("q", "a1")])
        Position('shatranj', '8/8/8/3k4/8/1KQ5/8/q7 w - - 0 1')
        """
        listed = [Piece(*self._letter(letter), self.square(square)) for letter, square in men]
        array = (Piece * len(listed))(*listed)
        rights = sum(1 << "QKqk".index(c) for c in set(castling) & set("KQkq"))
        if set(castling) - set("KQkq-"):
            raise UsageError(f"castling: {castling!r} is no set of rights")
        if not 0 <= turn < 1 << 32:
            raise UsageError(f"turn: {turn}")
        passed = 0 if en_passant is None else self.square(en_passant)
        if en_passant is not None and not passed:
            raise UsageError("en passant: nobody passes over a1")
        pos = Pos(men=ctypes.addressof(array), n=len(listed), turn=turn, en_passant=passed,
                  black_to_move=bool(black_to_move), castling=rights,
                  limited=evolutions is not None)
        for letter, count in (evolutions or {}).items():
            code, colour = self._letter(letter)
            if not 0 <= count < 256:
                raise UsageError(f"evolutions: {count} of {letter}")
            pos.left[colour][self._number(code)] = count
        return Position._known(self, self._write(pos))

    @staticmethod
    def _letter(letter: str) -> Tuple[int, int]:
        """Code in upper case, and colour."""
        if len(letter) != 1 or not (letter.isascii() and letter.isalpha()):
            raise UnknownPieceError(f"{letter!r} is no letter of a piece")
        return ord(letter.upper()), int(letter.islower())

    def _number(self, code: int) -> int:
        for number, piece in enumerate(self.pieces):
            if ord(piece.letter) == code:
                return number
        raise UnknownPieceError(f"{chr(code)!r} is no piece of {self.name}")

    def _write(self, pos: Any) -> bytes:
        out = ctypes.create_string_buffer(FEN_MAX)
        self._handle.ask(lib.bk_write_fen, ctypes.byref(pos), out)
        return out.value


def square_of(square: Square, files: int, ranks: int) -> int:
    if isinstance(square, str):
        match = re.fullmatch(r"([a-z])([1-9][0-9]?)", square)
        file = ord(match[1]) - ord("a") if match else files
        if file == files == 10:
            file = 9  # "k", as if there were no "j": Sultan's rulebook has it so
        if match and file < files and int(match[2]) <= ranks:
            return (int(match[2]) - 1) * files + file
    elif 0 <= square < files * ranks:
        return int(square)
    raise UsageError(f"{square!r} is no square of a board of {files}x{ranks}")


def name_of(square: int, files: int, ranks: int) -> str:
    square = square_of(square, files, ranks)
    return f"{chr(ord('a') + square % files)}{square // files + 1}"


# == Positions ==


class Position:
    """A position of a game.  It does not change; play() returns another.

    fen            written one way, with all fields; on other terrain, and where castling rights
                   name files of rooks, as it was given
    black_to_move
    turn           the move number
    castling       rights as in a FEN; "-": none
    en_passant     the square that a man has just passed over, or None
    evolutions     what a FEN says in brackets of those still allowed, or None
    files, ranks, holes, men  of the board that the FEN shows

    Equal and hashed by game and FEN; may be pickled.

    >>> p = Position("shatranj", "8/8/8/3k4/8/1KQ5/8/q7 w")
    >>> print(p)
     8 | . . . . . . . .
     7 | . . . . . . . .
     6 | . . . . . . . .
     5 | . . . k . . . .
     4 | . . . . . . . .
     3 | . K Q . . . . .
     2 | . . . . . . . .
     1 | q . . . . . . .
         a b c d e f g h
    >>> [move.name for move in p.legal_moves()][:4]
    ['b3a2', 'b3a3', 'b3a4', 'b3b4']
    >>> p.play("b3b4").fen
    '8/8/8/3k4/1K6/2Q5/8/q7 b - - 0 1'
    >>> p.outcome() is None
    True
    """

    __slots__ = ("game", "_fen", "_shown")

    def __init__(self, game: Union[Game, Variant], fen: Optional[str] = None) -> None:
        """FenError, UnknownPieceError: the FEN cannot be read.  UsageError: no FEN, and the game
        has no initial array."""
        self.game: Game = game if isinstance(game, Game) else Game(game)
        if fen is None:
            fen = self.game.start
        if fen is None:
            raise UsageError(f"{self.game.name} has no initial array: say a FEN")
        self._shown: Optional[_Shown] = None
        self._fen = self._canonical(fen_bytes(fen))

    @classmethod
    def _known(cls, game: Game, fen: bytes) -> Position:
        """Of a FEN that the library has written."""
        position = cls.__new__(cls)
        position.game = game
        position._fen = fen
        position._shown = None
        return position

    def _canonical(self, fen: bytes) -> bytes:
        men = (Piece * SQUARES_MAX)()
        pos = Pos()
        self.game._handle.ask(lib.bk_read_fen, fen, men, SQUARES_MAX, ctypes.byref(pos))
        if pos.elsewhere:  # on other terrain, or with homes of rooks that only the FEN names
            return b" ".join(fen.split())
        return self.game._write(pos)

    @property
    def fen(self) -> str:
        return self._fen.decode()

    def __repr__(self) -> str:
        return f"Position({self.game.variant!r}, {self.fen!r})"

    def __eq__(self, other: object) -> bool:
        return (isinstance(other, Position) and self.game._is(other.game)
                and self._fen == other._fen)

    def __hash__(self) -> int:
        return hash((self.game.rules, self._fen))

    def __reduce__(self) -> Tuple[Any, ...]:
        return Position._known, (self.game, self._fen)

    # == What the FEN shows ==

    def _show(self) -> _Shown:
        if self._shown is None:
            self._shown = _Shown(self.fen)
        return self._shown

    @property
    def files(self) -> int:
        return self._show().files

    @property
    def ranks(self) -> int:
        return self._show().ranks

    @property
    def holes(self) -> FrozenSet[int]:
        return self._show().holes

    @property
    def men(self) -> Tuple[Man, ...]:
        return self._show().men

    @property
    def black_to_move(self) -> bool:
        return self._show().field(1, "w") == "b"

    @property
    def castling(self) -> str:
        return self._show().field(2, "-")

    @property
    def en_passant(self) -> Optional[int]:
        name = self._show().field(3, "-")
        return None if name == "-" else self.square(name)

    @property
    def turn(self) -> int:
        number = self._show().field(5, "1")
        return max(int(number), 1) if number.isdigit() else 1

    @property
    def evolutions(self) -> Optional[str]:
        return self._show().evolutions

    def at(self, square: Square) -> Optional[str]:
        """The letter of the man on a square, or None."""
        number = self.square(square)
        return next((man.letter for man in self.men if man.square == number), None)

    def square(self, square: Square) -> int:
        """The number of a square of the board that the FEN shows."""
        return square_of(square, self.files, self.ranks)

    def square_name(self, square: int) -> str:
        return name_of(square, self.files, self.ranks)

    def __str__(self) -> str:
        cell = ["."] * (self.files * self.ranks)
        for square in self.holes:
            cell[square] = " "
        for man in self.men:
            cell[man.square] = man.letter
        lines = [f"{rank + 1:2} | " + " ".join(cell[rank * self.files:][:self.files])
                 for rank in reversed(range(self.ranks))]
        lines.append("     " + " ".join(chr(ord("a") + file) for file in range(self.files)))
        return "\n".join(line.rstrip() for line in lines)

    # == What the rules say ==

    def is_legal(self) -> bool:
        """Cannot the side to move take the other's king?"""
        try:
            self.outcome()
        except IllegalPositionError:
            return False
        return True

    def outcome(self) -> Optional[Outcome]:
        """How the game has ended; None: it goes on.  The clock of a game that ends after so many
        turns is not looked at.  IllegalPositionError."""
        end = ctypes.c_int()
        wdl = ctypes.c_int()
        self.game._handle.ask(lib.bk_is_over_fen, self._fen, ctypes.byref(end), ctypes.byref(wdl))
        return Outcome(end_of(end.value), wdl.value) if end.value else None

    def is_over(self) -> bool:
        """Is outcome() something?"""
        return self.outcome() is not None

    def legal_moves(self) -> List[Move]:
        """All, by name; none where the game is over.  IllegalPositionError."""
        ask = self.game._handle.ask
        return [move_of(m) for m in list_of(
            Ranked, lambda *to: ask(lib.bk_legal_moves_fen, self._fen, *to))]

    def play(self, move: Union[Move, str]) -> Position:
        """The position after a move, or a move by its name.  UsageError: it is not legal."""
        name = to_bytes(str(move))
        out = ctypes.create_string_buffer(FEN_MAX)
        self.game._handle.ask(lib.bk_play, self._fen, name, out)
        return Position._known(self.game, out.value)

    def move_texts(self, moves: Optional[Iterable[Union[Move, str]]] = None) -> List[MoveText]:
        """How moves, or those of these names, are written, and where they lead; all legal ones, by
        name, if none are given.  UsageError: one is not legal.

        >>> [text.san for text in Position("chess", "7k/P7/6K1/8/8/8/8/8 w").move_texts(["a7a8=Q"])]
        ['a8=Q#']
        """
        names = [to_bytes(str(m)) for m in (self.legal_moves() if moves is None else moves)]
        for name in names:
            if len(name) > 15:
                raise UsageError(f"{name.decode('utf-8', 'replace')!r} is no legal move here")
        wanted = (Ranked * len(names))(*(Ranked(name=name) for name in names))
        out = (MoveTextStruct * len(names))()
        self.game._handle.ask(lib.bk_write_moves_fen, self._fen, wanted, len(names), out)
        return [MoveText(name.decode(), t.san.decode(), t.uci.decode(), t.fen.decode())
                for name, t in zip(names, out)]


class _Shown:
    """A FEN that the library has read, taken to pieces."""

    def __init__(self, fen: str) -> None:
        self._fields = fen.split()
        board, bracket, within = self._fields[0].partition("[")
        self.evolutions = within.rstrip("]") if bracket else None
        rows = [self._cells(row) for row in reversed(board.split("/"))]
        self.files = len(rows[0])
        self.ranks = len(rows)
        cells = [cell for row in rows for cell in row]
        self.holes = frozenset(s for s, cell in enumerate(cells) if cell == "*")
        self.men = tuple(Man(cell, s) for s, cell in enumerate(cells) if cell.isalpha())

    @staticmethod
    def _cells(row: str) -> List[str]:
        cells: List[str] = []
        for part in re.findall(r"[0-9]+|[^0-9]", row):
            cells.extend("." * int(part) if part.isdigit() else part)
        return cells

    def field(self, nth: int, default: str) -> str:
        return self._fields[nth] if nth < len(self._fields) else default
