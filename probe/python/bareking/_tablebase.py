"""Tables: what positions are worth."""

from __future__ import annotations

import ctypes
import os
import warnings
from enum import IntFlag
from types import TracebackType
from typing import (Any, Iterable, List, NamedTuple, Optional, Tuple, Type, TypeVar, Union,
                    overload)

from ._errors import (BY_CODE, BarekingError, MissingTableError, NotInMemoryError, SystemFailure,
                      UsageError)
from ._game import (End, Game, Move, Position, Variant, end_of, fen_bytes, list_of, move_of,
                    placed, to_bytes)
from ._handle import Budget, Handle
from ._library import CACHE_ONLY, WDL_ONLY, AnswerStruct, Ranked, TableStruct, lib
from ._many import Answers, PositionArray, ask_array, ask_fens

Folder = Union[str, bytes, "os.PathLike[str]"]
Fen = Union[str, Position]
"""What is asked: a FEN, or a Position of the same game."""

T = TypeVar("T")
_PLIES_MAX = 1 << 30  # more than any game has, and still an int of C
_UNKNOWN = (MissingTableError, NotInMemoryError)


class Answer(NamedTuple):
    """What a position is worth to the side to move.

    wdl          -1 loss, 0 draw, 1 win
    dtw          plies to the end under best play, the last one included; 0: it is over; None: a
                 draw, or the table has no distances
    end          how the game is over already, if it is
    clocked_wdl  wdl with the limit of turns, counted from the FEN's move number: a win or loss
                 stands if dtw <= plies_left, else it is a draw.  wdl in games without a limit.
                 None: it needs a distance that the table has not
    plies_left   until that limit; None: there is none
    """

    wdl: int
    dtw: Optional[int]
    end: End
    clocked_wdl: Optional[int]
    plies_left: Optional[int]


class RootMove(NamedTuple):
    """A legal move and what it brings to the side that plays it.

    wdl, dtw     as of Answer; dtw counts this ply, so a move that ends the game has 1.  wdl None:
                 not known, and `error` says why
    clocked_wdl  as of Answer
    keeps        no other move is known to be better if the game is drawn after `within` plies
    error        None, or the class of what root_moves() would have raised for this move
    """

    move: Move
    wdl: Optional[int]
    dtw: Optional[int]
    clocked_wdl: Optional[int]
    keeps: bool
    error: Optional[Type[BarekingError]]


class Has(IntFlag):
    """What there is of a table; nothing is false.  LOST_DTW, in a list: distances belong to it, and
    their file is not there."""

    NOTHING = 0
    WDL = 1
    DTW = 2
    LOST_DTW = 4


class Table(NamedTuple):
    """A table in the folders: material ("KRvKN"), men, kings included, and bytes of its files."""

    material: str
    men: int
    has: Has
    bytes: int


class Memory(NamedTuple):
    """What the tables take now, and what they may take, in bytes."""

    used: int
    budget: int


def _plies(plies: int) -> Optional[int]:
    return None if plies < 0 else plies


def _clocked(a: Any) -> Optional[int]:
    return a.clocked_wdl if a.clocked_known else None


def _answer_of(a: Any) -> Answer:
    return Answer(a.wdl, _plies(a.dtw), end_of(a.end), _clocked(a), _plies(a.plies_left))


def _root_move_of(m: Any) -> RootMove:
    if m.err:
        return RootMove(move_of(m), None, None, None, False, BY_CODE.get(m.err, SystemFailure))
    return RootMove(move_of(m), m.wdl, _plies(m.dtw), _clocked(m), bool(m.keeps), None)


def _flags(wdl_only: bool, cache_only: bool) -> int:
    return (WDL_ONLY if wdl_only else 0) | (CACHE_ONLY if cache_only else 0)


class Tablebase:
    """The tables of a game, in one or more folders.

    variant      a name of variants(), or the path of an .ini file
    directories  folders; each holds VARIANT/MATERIAL.bkw and .bkd.  A path that is relative is one
                 from where the process is now, and stays it.  Of a table in several folders the
                 first answers that has its distances, else the first.  NotADirectoryError: it is no
                 folder.  UserWarning: it is VARIANT itself, or the one above the folder that is meant
    memory       bytes that all tables together may take; None: 256 MiB of what is read, besides
                 what open tables take
    open_files   descriptors that may be open at a time, 4 at least; None: half of what the process
                 may have
    share        another Tablebase, whose memory and open files this one has part in

    Values are always those of the side to move.  "Unknown" is never a value: a missing table is
    MissingTableError, or the default of get_...().

    Threads: any number may ask one at once, and others run meanwhile.  close() waits for nobody:
    calls that are under way end well, later ones are ClosedError.  fork(): both processes go on;
    where other threads were asking, the child opens its tables anew.  What one process reads
    afterwards the other has not, so each may fill its budget.

    A table is looked for when it is first asked for; what was missing then is remembered until
    refresh().

    >>> with Tablebase("chess", "tables") as tables:
    ...     answer = tables.probe("8/8/8/3k4/8/8/8/R3K3 w - - 0 1")
    >>> answer.wdl, answer.dtw
    (1, 27)
    """

    def __init__(self, variant: Variant, *directories: Folder, memory: Optional[int] = None,
                 open_files: Optional[int] = None, share: Optional[Tablebase] = None) -> None:
        if share and (memory is not None or open_files is not None):
            raise UsageError("memory and open_files are those of the tablebase that is shared")
        _room("memory", memory, 1 << 64)
        _room("open_files", open_files, 1 << 32)
        self.variant = os.fspath(variant)
        self._directories = tuple(_folder(d) for d in directories)
        self._absolute = tuple(_absolute(d) for d in self._directories)
        self._game: Optional[Game] = None
        self._placed = placed(variant)
        self._handle: Handle = Handle(to_bytes(os.fsencode(self._placed)),
                                      self._paths(self._absolute), Budget(memory, open_files),
                                      share._handle if share else None)
        if self._handle.remark:
            warnings.warn(self._handle.remark, stacklevel=2)

    # == Opening and closing ==

    def close(self) -> None:
        """Closes all files and frees all memory, once nobody is asking.  May be called again."""
        self._handle.close()

    @property
    def closed(self) -> bool:
        return self._handle.closed

    def __enter__(self) -> Tablebase:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()

    def __repr__(self) -> str:
        return "Tablebase(" + ", ".join(map(repr, (self.variant, *self._directories))) + ")"

    def __reduce__(self) -> Any:
        raise TypeError("a Tablebase cannot be pickled: open one in each process")

    @property
    def game(self) -> Game:
        """The rules.  It outlives the tablebase."""
        if self._game is None:
            self._game = Game(self._placed)
        return self._game

    @property
    def directories(self) -> Tuple[str, ...]:
        return self._directories

    def add_directory(self, directory: Folder) -> None:
        """Looks in one more folder, after the others.  Other threads may go on asking."""
        folder = _folder(directory)
        absolute = (*self._absolute, _absolute(folder))
        self._handle.paths, before = self._paths(absolute), self._handle.paths
        try:
            self._handle.ask(lib.bk_set_paths, self._handle.paths)
        except BarekingError:
            self._handle.paths = before
            raise
        self._directories = (*self._directories, folder)
        self._absolute = absolute

    @staticmethod
    def _paths(directories: Tuple[str, ...]) -> bytes:
        return b":".join(to_bytes(os.fsencode(d)) for d in directories)

    def refresh(self) -> None:
        """Looks for tables again, for those that are new, gone or made anew."""
        self._handle.ask(lib.bk_refresh)

    # == One position ==

    def _fen(self, fen: Fen) -> bytes:
        if isinstance(fen, Position):
            self.game._refuse(fen.game, "a position")
        return fen_bytes(fen)

    def probe(self, position: Fen, *, wdl_only: bool = False, cache_only: bool = False) -> Answer:
        """What a position is worth.

        wdl_only    never asks a distance: dtw is None where the game goes on
        cache_only  never reads or opens a file: NotInMemoryError instead

        Raises MissingTableError, IllegalPositionError, FenError, UnknownPieceError, UsageError,
        NotInMemoryError, OverBudgetError, DamagedTableError, SystemFailure, ClosedError.
        Cost: some microseconds where the table has been read before; else one or two reads.
        """
        fen = self._fen(position)
        a = AnswerStruct()
        if wdl_only or cache_only:
            one = ctypes.c_char_p(fen)
            self._handle.ask(lib.bk_probe_many_fen, ctypes.byref(one), 1,
                             _flags(wdl_only, cache_only), ctypes.byref(a), None)
        else:
            self._handle.ask(lib.bk_probe_fen, fen, ctypes.byref(a))
        return _answer_of(a)

    def probe_wdl(self, position: Fen, *, cache_only: bool = False) -> int:
        """-1, 0 or 1: for a search.  Never reads a distance; the limit of turns is not looked at.
        Raises as probe()."""
        wdl = ctypes.c_int()
        self._handle.ask(lib.bk_probe_fen_wdl, self._fen(position),
                         CACHE_ONLY if cache_only else 0, ctypes.byref(wdl))
        return wdl.value

    def probe_dtw(self, position: Fen, *, cache_only: bool = False) -> Optional[int]:
        """Plies to the end under best play; None: a draw.  Raises as probe(), and
        MissingTableError where the table has no distances."""
        answer = self.probe(position, cache_only=cache_only)
        if answer.wdl and answer.dtw is None:
            raise MissingTableError("the table has no distances")
        return answer.dtw

    @overload
    def get(self, position: Fen, *, wdl_only: bool = ...,
            cache_only: bool = ...) -> Optional[Answer]: ...

    @overload
    def get(self, position: Fen, default: T, *, wdl_only: bool = ...,
            cache_only: bool = ...) -> Union[Answer, T]: ...

    def get(self, position: Fen, default: Any = None,
            *, wdl_only: bool = False, cache_only: bool = False) -> Any:
        """probe(), or `default` where a table is missing or, with cache_only, not in memory."""
        try:
            return self.probe(position, wdl_only=wdl_only, cache_only=cache_only)
        except _UNKNOWN:
            return default

    @overload
    def get_wdl(self, position: Fen, *, cache_only: bool = ...) -> Optional[int]: ...

    @overload
    def get_wdl(self, position: Fen, default: T, *,
                cache_only: bool = ...) -> Union[int, T]: ...

    def get_wdl(self, position: Fen, default: Any = None,
                *, cache_only: bool = False) -> Any:
        """probe_wdl(), or `default` likewise."""
        try:
            return self.probe_wdl(position, cache_only=cache_only)
        except _UNKNOWN:
            return default

    @overload
    def get_dtw(self, position: Fen, *, cache_only: bool = ...) -> Optional[int]: ...

    @overload
    def get_dtw(self, position: Fen, default: T, *,
                cache_only: bool = ...) -> Union[Optional[int], T]: ...

    def get_dtw(self, position: Fen, default: Any = None,
                *, cache_only: bool = False) -> Any:
        """probe_dtw(), or `default` likewise; a draw is None all the same."""
        try:
            return self.probe_dtw(position, cache_only=cache_only)
        except _UNKNOWN:
            return default

    # == Moves ==

    def root_moves(self, position: Fen, *, within: int = 0, partial: bool = False,
                   wdl_only: bool = False, cache_only: bool = False) -> List[RootMove]:
        """All legal moves with their values, best first: wins by distance, draws, losses longest
        first; then by name.  None where the game is over.

        within   plies, 0: no bound but the game's own clock.  A win counts as one if it takes at
                 most so many plies, this one included; a loss likewise; all else is a draw: see
                 RootMove.keeps
        partial  moves that are not known stand last, wdl None.  Else they are an error

        Raises as probe().
        """
        fen = self._fen(position)
        flags = _flags(wdl_only, cache_only)
        within = max(-1, min(within, _PLIES_MAX))  # an int of C takes any other as well

        def ask(out: Any, room: int, n: Any) -> None:
            try:
                self._handle.ask(lib.bk_rank_moves_fen, fen, within, flags, out, room, n)
            except BarekingError:
                if not (partial and n._obj.value):
                    raise

        return [_root_move_of(m) for m in list_of(Ranked, ask)]

    @overload
    def get_root_moves(self, position: Fen, *, within: int = ..., wdl_only: bool = ...,
                       cache_only: bool = ...) -> Optional[List[RootMove]]: ...

    @overload
    def get_root_moves(self, position: Fen, default: T, *, within: int = ..., wdl_only: bool = ...,
                       cache_only: bool = ...) -> Union[List[RootMove], T]: ...

    def get_root_moves(self, position: Fen, default: Any = None,
                       *, within: int = 0, wdl_only: bool = False,
                       cache_only: bool = False) -> Any:
        """root_moves(), or `default` likewise."""
        try:
            return self.root_moves(position, within=within, wdl_only=wdl_only,
                                   cache_only=cache_only)
        except _UNKNOWN:
            return default

    # == Many positions ==

    def probe_many(self, positions: Union[Iterable[Fen], PositionArray], *, wdl_only: bool = False,
                   cache_only: bool = False) -> Answers:
        """What each of many positions is worth.  They are asked in the order in which the tables
        keep them: much faster than one by one where files are not in memory.

        positions  FENs and Positions, mixed as they come (an array of NumPy's strings will do), or
                   a PositionArray

        A position that has no answer does not disturb the others: see Answers.

        >>> with Tablebase("chess", "tables") as tables:
        ...     answers = tables.probe_many(["8/8/8/3k4/8/8/8/R3K3 w", "8/8/8/3k4/8/8/8/4K3 w"])
        >>> [answer.wdl for answer in answers]
        [1, 0]

        Threads: as probe(); a batch takes one.  Memory: some 150 bytes a FEN, while it runs.
        """
        flags = _flags(wdl_only, cache_only)
        if isinstance(positions, (str, bytes, Position)):
            raise TypeError("one position is no list of them: probe() it")
        if isinstance(positions, PositionArray):
            self.game._refuse(positions.game, "positions")
            return ask_array(self._handle, positions, flags, _answer_of)
        return ask_fens(self._handle, self._fens(list(positions)), flags, _answer_of)

    def _fens(self, positions: List[Fen]) -> List[bytes]:
        """_fen() of each, in a third of the time where they are strings as they should be."""
        try:
            fens = [p.encode() if type(p) is str else self._fen(p) for p in positions]
        except UnicodeEncodeError:
            return [self._fen(p) for p in positions]
        return [self._fen(p) for p in positions] if b"\0" in b"".join(fens) else fens

    # == What is there ==

    def has(self, material: str) -> Has:
        """What there is of a material ("KRvKN", the colours in either order); Has.NOTHING also if
        it is no material of the game.  Whether the files are whole is not asked."""
        return Has(self._handle.call(lib.bk_has, to_bytes(material)))

    def tables(self) -> List[Table]:
        """The tables in the folders, by men, then name."""
        return self._listed(lib.bk_list_tables)

    def missing(self, material: str) -> List[Table]:
        """What is missing to answer all positions of a material, distances too; `has` says what is
        there.  MissingTableError: men come back, so no table would do."""
        return self._listed(lib.bk_list_missing, to_bytes(material))

    def _listed(self, function: Any, *arguments: bytes) -> List[Table]:
        ask = self._handle.ask
        return [Table(t.material.decode(), t.men, Has(t.has), t.bytes) for t in list_of(
            TableStruct, lambda *to: ask(function, *arguments, *to))]

    @property
    def men_max(self) -> int:
        """The most men that a table in the folders has; 0: there is none."""
        return max((t.men for t in self.tables()), default=0)

    # == Memory ==

    @property
    def memory(self) -> Memory:
        """What the tables take now, and what they may take: of all that share it."""
        used = ctypes.c_uint64()
        budget = ctypes.c_uint64()
        self._handle.ask(lib.bk_memory, ctypes.byref(used), ctypes.byref(budget))
        return Memory(used.value, budget.value)

    def set_memory(self, budget: int) -> None:
        """Another budget in bytes, at any time; of all that share it."""
        _room("memory", budget, 1 << 64)
        self._handle.ask(lib.bk_set_memory, budget)
        self._handle.budget.memory = budget

    def prefetch(self, material: str, *, wdl_only: bool = False) -> None:
        """Reads a material's tables and all that they may lead to ahead of a search, until the
        budget is full.  Tables that are missing are passed over."""
        self._handle.ask(lib.bk_prefetch, to_bytes(material), _flags(wdl_only, False))


def open_tablebase(directory: Folder, variant: Variant, *, memory: Optional[int] = None,
                   open_files: Optional[int] = None) -> Tablebase:
    """Tablebase(variant, directory), as python-chess's users know it.

    >>> with open_tablebase("tables", "chess") as tables:
    ...     tables.probe_wdl("8/8/8/3k4/8/8/8/R3K3 w - - 0 1")
    1
    """
    return Tablebase(variant, directory, memory=memory, open_files=open_files)


def _room(name: str, amount: Optional[int], limit: int) -> None:
    """What C would cut to its size is refused."""
    if amount is not None and not 0 < amount < limit:
        raise UsageError(f"{name}: {amount}")


def _absolute(folder: str) -> str:
    """Files are opened when they are asked for, wherever the process is then."""
    path = os.path.abspath(folder)
    return folder if ":" in path else path


def _folder(directory: Folder) -> str:
    path = os.fsdecode(directory)
    if ":" in path:
        raise UsageError(f"{path!r}: a folder's name cannot have ':'; the library takes it for two")
    if not os.path.isdir(path):
        raise NotADirectoryError(f"{path!r} is no folder")
    return path
