"""Many positions at once: as FENs, or as arrays of NumPy, which is needed for these alone.

The library is handed plain arrays of its structs and writes plain arrays of answers: no position
and no answer is a Python object unless it is looked at.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Optional, Union, overload

from ._errors import BarekingError, UnknownPieceError, UsageError, error_of
from ._game import Game, Position
from ._library import AnswerStruct, Piece, Pos, lib

if TYPE_CHECKING:
    from ._handle import Handle
    from ._tablebase import Answer

UNKNOWN = -0x7F7F7F80
"""What stands in Answers.values where a position has no answer: no value at all."""


def _numpy() -> Any:
    try:
        import numpy
    except ImportError:
        raise ImportError("this needs NumPy (Debian: python3-numpy)") from None
    return numpy


class Answers(Sequence):  # type: ignore[type-arg]
    """Answers in the order of the positions.

    answers[i]   an Answer, or the position's error is raised; a loop over all ends at the first
    get(i)       an Answer, or a default
    errors()     the exceptions, by number
    check()      raises the first of them, if there is one
    values       with NumPy: an array of struct bk_answer, in int32: wdl, dtw, end, clocked_wdl,
                 plies_left, clocked_known, wdl5, dtz.  dtw is -1 for a draw, and where there are no
                 distances.  Where there is no answer all are UNKNOWN, so that an error is taken for no draw
    codes        with NumPy: int32, 0 where there is an answer; else the `code` of its exception

    `values` and `codes` are the library's own memory, not copied.
    """

    def __init__(self, n: int, make: Callable[[Any], Answer],
                 again: Callable[[int, Any], None]) -> None:
        self._out = (AnswerStruct * n)()
        self._codes = (ctypes.c_int * n)()
        ctypes.memset(self._out, UNKNOWN & 0xFF, ctypes.sizeof(self._out))
        self._make = make
        self._again = again
        self._first: Optional[BarekingError] = None

    def __reduce__(self) -> Any:
        raise TypeError("Answers cannot be pickled or copied: `values` and `codes` can")

    def __len__(self) -> int:
        return len(self._out)

    def __iter__(self) -> Iterator[Answer]:
        for i in range(len(self)):
            yield self[i]

    @overload
    def __getitem__(self, i: int) -> Answer: ...

    @overload
    def __getitem__(self, i: slice) -> List[Answer]: ...

    def __getitem__(self, i: Union[int, slice]) -> Union[Answer, List[Answer]]:
        if isinstance(i, slice):
            return [self[j] for j in range(*i.indices(len(self)))]
        if self._codes[i]:
            raise self._error(i % len(self))
        return self._make(self._out[i])

    def get(self, i: int, default: Any = None) -> Any:
        """The answer, or `default` where there is none."""
        return default if self._codes[i] else self._make(self._out[i])

    def errors(self) -> Dict[int, BarekingError]:
        """The exceptions of positions that have no answer, by number."""
        return {i: self._error(i) for i, code in enumerate(self._codes) if code}

    def check(self) -> Answers:
        """Returns itself if every position has an answer; else raises the first error."""
        if self._first:
            raise self._first
        return self

    def _error(self, i: int) -> BarekingError:
        """What is wrong with the ith, in the library's words: it is asked once more for them."""
        code = self._codes[i]
        try:
            self._again(i, ctypes.byref(AnswerStruct()))
        except BarekingError as error:
            if error.code == code:
                return error
        return error_of(code)

    def _fill(self, handle: Handle, function: Any, positions: Any, flags: int) -> Answers:
        try:
            handle.ask(function, positions, len(self), flags, self._out, self._codes)
        except BarekingError as error:
            if not any(self._codes):
                raise  # of the call itself
            self._first = error.with_traceback(None)
        return self

    @property
    def values(self) -> Any:
        return _numpy().frombuffer(self._out, dtype=_numpy().dtype(AnswerStruct))

    @property
    def codes(self) -> Any:
        return _numpy().frombuffer(self._codes, dtype="i4")


def ask_fens(handle: Handle, fens: List[bytes], flags: int,
             make: Callable[[Any], Answer]) -> Answers:
    def again(i: int, out: Any) -> None:
        one = ctypes.c_char_p(fens[i])
        handle.ask(lib.bk_probe_many_fen, ctypes.byref(one), 1, flags, out, None)

    array = (ctypes.c_char_p * len(fens))(*fens)
    return Answers(len(fens), make, again)._fill(handle, lib.bk_probe_many_fen, array, flags)


class PositionArray:
    """Positions on a game's own board, as arrays of NumPy.

    men            letters as in a FEN, upper case for White: "KRkn", one a column of `squares`
    squares        integers, shape (n, len(men)); a square is rank * files + file
    black_to_move  shape (n,), or one for all; likewise
    turn           the move number, from 1
    en_passant     the square that a man has just passed over; 0: none (a1 is never one)
    castling       sum of 1 (White, on the side of the a-file), 2 (White, the other), 4, 8 (Black)

    As many evolutions are left as the game allows.  Faults of single positions (two men on a
    square) are those of their answers; others are raised here: UsageError, UnknownPieceError.

    positions[i] is a Position; of a slice, a mask or an array of numbers it is a PositionArray, which
    shares the men.  May be copied, and pickled: for other processes.  Memory: 88 bytes a position
    and 4 a man.

    >>> import numpy
    >>> squares = numpy.array([[4, 0, 35], [4, 1, 36]])
    >>> positions = PositionArray(Game("chess"), "KRk", squares, black_to_move=[False, True])
    >>> positions[1].fen
    '8/8/8/4k3/8/8/8/1R2K3 b - - 0 1'
    >>> with Tablebase("chess", "tables") as tables:
    ...     tables.probe_many(positions).values["dtw"]
    array([27, 30], dtype=int32)
    """

    def __init__(self, game: Game, men: str, squares: Any, black_to_move: Any = False, *,
                 turn: Any = 1, en_passant: Any = 0, castling: Any = 0) -> None:
        np = _numpy()
        squares = np.asarray(squares)
        if squares.ndim != 2 or squares.shape[1] != len(men):
            raise UsageError(f"squares: shape {squares.shape}, wanted (n, {len(men)})")
        n = len(squares)
        pieces = np.zeros((n, len(men)), self._dtype(Piece))
        for column, letter in enumerate(men):
            pieces["type"][:, column], pieces["colour"][:, column] = game._letter(letter)
        pieces["square"] = _within("squares", squares, game.squares)
        self._place(game, pieces.reshape(-1), np.full(n, len(men)), black_to_move, turn,
                    en_passant, castling)

    @classmethod
    def from_boards(cls, game: Game, boards: Any, black_to_move: Any = False, *, turn: Any = 1,
                    en_passant: Any = 0, castling: Any = 0) -> PositionArray:
        """Of whole boards, of any men.

        boards  shape (n, squares), or (n, ranks, files), the first rank first; letters as in a FEN,
                upper case for White, as their codes (uint8) or as NumPy's bytes ("S1"); 0, "." or
                b"": nobody
        """
        np = _numpy()
        boards = np.asarray(boards)
        boards = boards.view("u1").reshape(boards.shape) if boards.dtype == "S1" else boards
        if boards.ndim < 2 or np.prod(boards.shape[1:]) != game.squares:
            raise UsageError(f"boards: shape {boards.shape}, wanted (n, {game.squares})")
        boards = _within("boards", boards, 256).reshape(len(boards), game.squares).astype("u1")
        nth, square = np.nonzero((boards != 0) & (boards != ord(".")))
        code = boards[nth, square]
        upper = code & ~np.uint8(32)
        strange = (upper < ord("A")) | (upper > ord("Z"))
        if strange.any():
            raise UnknownPieceError(f"boards: code {code[strange][0]} is no letter of a piece")
        pieces = np.zeros(len(nth), cls._dtype(Piece))
        pieces["type"] = upper
        pieces["colour"] = code != upper
        pieces["square"] = square
        made = cls.__new__(cls)
        made._place(game, pieces, np.bincount(nth, minlength=len(boards)), black_to_move, turn,
                    en_passant, castling)
        return made

    def _place(self, game: Game, pieces: Any, counts: Any, black_to_move: Any, turn: Any,
               en_passant: Any, castling: Any) -> None:
        """pieces: of all positions, one after the other; counts: how many of each."""
        np = _numpy()
        given = {"black_to_move": np.asarray(black_to_move, bool),
                 "turn": _within("turn", turn, 1 << 32),
                 "en_passant": _within("en_passant", en_passant, game.squares),
                 "castling": _within("castling", castling, 16)}
        self.game = game
        self._pos = np.zeros(len(counts), self._dtype(Pos))
        self._pos["n"] = counts
        self._take(pieces)
        for name, numbers in given.items():
            if numbers.shape not in ((), (len(counts),)):
                raise UsageError(f"{name}: shape {numbers.shape}, wanted ({len(counts)},) or one")
            self._pos[name] = numbers

    def _take(self, pieces: Any) -> None:
        """Of all positions, one after the other: each position is told where its own are."""
        counts = self._pos["n"].astype("i8")
        self._pieces = pieces
        self._pos["men"] = pieces.ctypes.data + (counts.cumsum() - counts) * pieces.itemsize

    def _men(self) -> Any:
        """The men of these positions alone, in their order."""
        np = _numpy()
        counts = self._pos["n"].astype("i8")
        first = (self._pos["men"] - np.uint64(self._pieces.ctypes.data)).astype("i8")
        skipped = first // self._pieces.itemsize - (counts.cumsum() - counts)
        return self._pieces[np.repeat(skipped, counts) + np.arange(counts.sum())]

    # Copied and pickled without the addresses in it, which are nothing elsewhere.
    def __reduce__(self) -> Any:
        return PositionArray._again, (self.game, self._pos, self._men())

    @classmethod
    def _again(cls, game: Game, pos: Any, pieces: Any) -> PositionArray:
        made = cls.__new__(cls)
        made.game = game
        made._pos = pos.copy()
        made._take(pieces)
        return made

    @staticmethod
    def _dtype(struct: Any) -> Any:
        return _numpy().dtype(struct)

    def __len__(self) -> int:
        return len(self._pos)

    @overload
    def __getitem__(self, i: int) -> Position: ...

    @overload
    def __getitem__(self, i: Any) -> Union[Position, PositionArray]: ...

    def __getitem__(self, i: Any) -> Union[Position, PositionArray]:
        if hasattr(i, "__index__") and not getattr(i, "ndim", 0):
            return Position._known(self.game, self.game._write(self._struct(i)))
        numbers = _numpy().arange(len(self))[i]
        if numbers.ndim != 1:
            raise IndexError("a number, a slice, a mask or an array of numbers is wanted")
        part = PositionArray.__new__(PositionArray)
        part.game = self.game
        part._pieces = self._pieces
        part._pos = self._pos[numbers]
        return part

    def _struct(self, i: int) -> Any:
        i = range(len(self))[i]
        return Pos.from_address(self.address + i * ctypes.sizeof(Pos))

    @property
    def address(self) -> int:
        """Of the first of len(self) struct bk_lib_pos, which live as long as this array."""
        return int(self._pos.ctypes.data)


def _within(name: str, numbers: Any, limit: int) -> Any:
    """Integers from 0 that are less than `limit`, before they are cut to their room in a struct."""
    np = _numpy()
    numbers = np.asarray(numbers)
    if numbers.dtype.kind not in "iub":
        raise UsageError(f"{name}: integers are wanted, not {numbers.dtype}")
    if numbers.size and not (0 <= numbers.min() and numbers.max() < limit):
        raise UsageError(f"{name}: {numbers.min()} to {numbers.max()}, of 0 to {limit - 1}")
    return numbers


def ask_array(handle: Handle, positions: PositionArray, flags: int,
              make: Callable[[Any], Answer]) -> Answers:
    def again(i: int, out: Any) -> None:
        handle.ask(lib.bk_probe, positions.address + i * ctypes.sizeof(Pos), flags, out)

    return Answers(len(positions), make, again)._fill(handle, lib.bk_probe_many,
                                                     positions.address, flags)
