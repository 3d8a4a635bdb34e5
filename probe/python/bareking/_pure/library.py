"""libbareking without libbareking: the functions of bareking.h that _library.py lists, in Python.

They take and fill the same structs, so that all above them is the same for both.
"""

from __future__ import annotations

import ctypes
import itertools
import threading
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

from .. import _library as c
from . import game, material as materials, moves
from .catalog import Catalog, Listed, odd_folders
from .fault import (CORRUPT, FEN, ILLEGAL, NO_TABLE, PIECE, SAID, SYSTEM, USAGE, Fault,
                    system_fault)
from .file import Store
from .game import STAYS, Variant
from .moves import Move
from .position import RIGHTS, Pos, meant, read_fen, split_fen, variant_for, write_fen
from .settle import Question

BUDGET = 256 << 20


class Value(NamedTuple):
    wdl: int
    dtw: int  # -1: none
    end: int


class Lib:
    """struct bk_lib."""

    def __init__(self, variant: str, paths: str, store: Store) -> None:
        self.v, self.store = game.load(variant), store
        self.paths = ""
        self.catalogs: Dict[int, Catalog] = {}
        self.set_paths(paths)

    def set_paths(self, paths: str) -> None:
        old, self.catalogs, self.paths = self.catalogs, {}, paths
        for catalog in old.values():
            self.store.forget(catalog.serial)

    def catalog(self, v: Variant) -> Catalog:
        known = self.catalogs.get(id(v))
        if known is None or known.v is not v:
            known = self.catalogs[id(v)] = Catalog(v, self.paths, self.store)
        return known


# == Positions ==


def _check_legal(v: Variant, p: Pos) -> None:
    them = 1 - p.stm
    if moves.in_check(v, p, them):
        who = ("White", "Black")
        raise Fault(ILLEGAL, f"illegal position: {who[them]} is in check, {who[p.stm]} to move (the "
                             f"{v.kinds[v.royal].name} on {v.square_name(p.king[them])} could be taken)")
    if not v.plain_is_exact(p.number_of()):
        raise Fault(NO_TABLE, f"no table of {v.name} knows of men who come back: ask `bareking whole`")


def _place_fen(lib: Lib, raw: bytes, legal: bool = True) -> Tuple[Variant, Pos]:
    """A position, in the game that its FEN shows."""
    text = meant(lib.v, raw.decode("utf-8", "replace"))
    try:
        v = variant_for(lib.v, text)
        p = read_fen(v, text)
    except Fault as fault:
        board = split_fen(text).board.split("[")[0]
        stranger = any(ch.isascii() and ch.isalpha() and lib.v.type_of(ch) is None for ch in board)
        raise Fault(PIECE if stranger and board.count("/") + 1 == lib.v.ranks else FEN,
                    fault.text) from None
    if legal:
        _check_legal(v, p)
    return v, p


def _bad(text: str) -> Fault:
    return Fault(USAGE, text)


def _put_piece(v: Variant, p: Pos, nth: int, piece: Any) -> None:
    letter = chr(piece.type)
    kind = piece.type if piece.type < len(v.kinds) else v.type_of(letter)
    if kind is None or len(v.kinds) <= piece.type < c.TYPES_MAX:
        raise Fault(PIECE, f"man {nth}: its letter (code {piece.type}) is no piece of {v.name}")
    if piece.colour > 1:
        raise _bad(f"man {nth}: colour {piece.colour} is neither 0 nor 1")
    if piece.square >= v.squares:
        raise _bad(f"man {nth}: square {piece.square} is off the board")
    name, square = v.square_name(piece.square), v.letter_of(kind, piece.colour)
    if not v.may_stand(kind, piece.colour, piece.square):
        raise _bad(f"man {nth}: '{square}' may not stand on {name}")
    if piece.square in p.men:
        raise _bad(f"man {nth}: another man stands on {name}")
    if kind == v.royal and p.king[piece.colour] >= 0:
        raise _bad(f"man {nth}: a second '{square}'")
    p.put(v, kind, piece.colour, piece.square)


def _place_plain(v: Variant, s: Any) -> Pos:
    """A struct's position without its en passant square and castling rights."""
    if s.limited > 1 or s.black_to_move > 1 or s.further:
        raise _bad("limited, black_to_move: neither 0 nor 1, or further: not None")
    if s.elsewhere:
        raise _bad("a position on another board, or with other rooks' rights: ask by its FEN")
    p = Pos(v)
    p.stm, p.turn = s.black_to_move, min(max(s.turn, 1), 0xFFFF)
    if s.n and not s.men:
        raise _bad("the list of men is NULL")
    for nth, piece in enumerate((c.Piece * s.n).from_address(s.men) if s.n else (), 1):
        _put_piece(v, p, nth, piece)
    if s.limited:
        for colour in range(2):
            for kind, n in enumerate(s.left[colour]):
                most = v.limit[kind] if kind < len(v.kinds) else 0
                if n > most:
                    raise _bad(f"left[{colour}][{kind}]: {n}, but the game allows {most} at most")
            p.left[colour] = list(s.left[colour][:len(v.kinds)])
    for colour, side in enumerate(("white", "black")):
        if p.king[colour] < 0:
            raise _bad(f"no {side} {v.kinds[v.royal].name}")
    return p


def _place_pos(lib: Lib, s: Any, legal: bool = True) -> Tuple[Variant, Pos]:
    v, p = lib.v, _place_plain(lib.v, s)
    if s.castling or s.en_passant:
        if s.castling > 15:
            raise _bad(f"castling: {s.castling} is no set of rights")
        if s.en_passant >= v.squares:
            raise _bad(f"en passant: square {s.en_passant} is off the board")
        rights = "".join(letter for letter, bit in RIGHTS.items() if s.castling >> bit & 1)
        board, side, _, _, *clocks = write_fen(v, p).split(" ")
        passed = v.square_name(s.en_passant) if s.en_passant else "-"
        try:
            v, p = _place_fen(lib, " ".join([board, side, rights or "-", passed, *clocks]).encode(), False)
        except Fault as fault:
            raise _bad(fault.text) from None
        if p.rights != s.castling:
            raise _bad(f"castling: {s.castling}, of which {p.rights} are rights whose king and rook are "
                       "at home")
        if s.en_passant and p.ep != s.en_passant:
            raise _bad(f"en passant: nobody can have passed over {passed} just now")
    if legal:
        _check_legal(v, p)
    return v, p


# == Values ==


class _Call:
    """What the tables of a handle say of positions of one game."""

    def __init__(self, lib: Lib, v: Variant, flags: int) -> None:
        if flags & ~(c.CACHE_ONLY | c.WDL_ONLY):
            raise _bad(f"unknown flags {flags:#x}")
        self.v, self.catalog = v, lib.catalog(v)
        self.wdl_only, self.only = bool(flags & c.WDL_ONLY), bool(flags & c.CACHE_ONLY)
        self.question = Question(v, lambda p: self.catalog.find(p, self.only), self.only)

    def wdl(self, p: Pos) -> int:
        try:
            return self.question.wdl(p)
        except Fault:
            end, wdl = moves.end_of(self.v, p)  # mate needs no table
            if not end:
                raise
            return wdl

    def _full(self, p: Pos) -> Tuple[int, Optional[int]]:
        try:
            return self.question.value(p)
        except Fault as fault:
            if fault.code != NO_TABLE or self.only or not self.catalog.lacks_distances(p):
                raise
        return self.question.wdl(p), None

    def value(self, p: Pos) -> Value:
        end, wdl = moves.bare_end(self.v, p)
        if end:
            return Value(wdl, 0 if wdl else -1, end)
        failed: Optional[Fault] = None
        plies: Optional[int] = None
        try:
            wdl, plies = (self.wdl(p), None) if self.wdl_only else self._full(p)
        except Fault as fault:
            failed = fault
        if failed or not (wdl > 0 or (wdl < 0 and plies)):
            end, by_rule = moves.end_of(self.v, p)
            if end:
                return Value(by_rule, 0 if by_rule else -1, end)
        if failed:
            raise failed
        if wdl < 0 and plies == 0:
            raise Fault(CORRUPT, f"a table of {self.v.name} holds a loss where the game goes on")
        return Value(wdl, -1 if plies is None else plies, moves.GOES_ON)

    def named(self, p: Pos, fault: Fault) -> Fault:
        """With the names of what is missing."""
        return self.catalog.missing(p) if fault.code == NO_TABLE else fault


def _clocked(wdl: int, dtw: int, left: Optional[int]) -> Optional[int]:
    """None: it needs a distance that is not known."""
    if left is None or not wdl:
        return wdl
    if dtw < 0 and left > 0:
        return None
    return 0 if dtw < 0 or dtw > left else wdl


def _fill(out: Any, value: Value, left: Optional[int]) -> None:
    clocked = _clocked(value.wdl, value.dtw, left)
    ctypes.memset(ctypes.byref(out), 0, ctypes.sizeof(out))
    out.wdl, out.dtw, out.end = value
    out.clocked_wdl, out.clocked_known = (value.wdl if clocked is None else clocked), clocked is not None
    out.plies_left = -1 if left is None else max(left, 0)


def _answer(lib: Lib, v: Variant, p: Pos, flags: int, out: Any) -> None:
    call = _Call(lib, v, flags)
    try:
        value = call.value(p)
    except Fault as fault:
        raise call.named(p, fault) from None
    _fill(out, value, v.plies_left(p.turn, p.stm))


# == Moves ==


class _Ranked(NamedTuple):
    move: Move
    name: str
    value: Optional[Value]  # to who plays it
    code: int


def _weight(code: int) -> int:
    return {CORRUPT: 3, 11: 3, NO_TABLE: 0}.get(code, 1)


def _before(after: Value) -> Value:
    return Value(-after.wdl, -1 if after.dtw < 0 or not after.wdl else after.dtw + 1, after.end)


def _score(m: _Ranked) -> int:
    """Larger is better: wins the shorter, draws, losses the longer."""
    if m.value is None:
        return -(1 << 31)
    wdl, dtw = m.value.wdl, m.value.dtw
    return wdl * (1 if dtw < 0 else (1 << 20) - dtw)


def _rank(v: Variant, p: Pos, ask: Callable[[Pos], Optional[Value]]) -> Tuple[List[_Ranked], Optional[Fault]]:
    """All legal moves, best first; and the gravest of what went wrong."""
    out: List[_Ranked] = []
    worst: Optional[Fault] = None
    if moves.bare_end(v, p)[0]:
        return [], None
    for m in moves.legal(v, p):
        value, code = None, NO_TABLE
        try:
            after = ask(moves.play(v, p, m))
            value, code = after and _before(after), 0 if after else NO_TABLE
        except Fault as fault:
            code = fault.code
            if worst is None or _weight(code) > _weight(worst.code):
                worst = fault
        out.append(_Ranked(m, moves.name(v, m), value, code))
    return sorted(out, key=lambda r: (-_score(r), r.name)), worst


def _describe(out: Any, v: Variant, r: _Ranked, left: Optional[int]) -> None:
    def square(s: Optional[int]) -> int:
        return c.NO_SQUARE if s is None else s

    m = r.move
    ctypes.memset(ctypes.byref(out), 0, ctypes.sizeof(out))
    out.from_, out.to, out.takes = m.start, m.to, square(m.takes)
    out.also_taken = square(None if m.castles else m.also)
    out.rook = square(m.also if m.castles else None)
    out.becomes = c.STAYS if m.becomes is STAYS else ord(v.kinds[m.becomes].letter)
    out.castles, out.err, out.name, out.dtw = m.castles, r.code, r.name.encode(), -1
    if r.value:
        clocked = _clocked(r.value.wdl, r.value.dtw, left)
        out.wdl, out.dtw, out.end = r.value
        out.clocked_known = clocked is not None
        out.clocked_wdl = r.value.wdl if clocked is None else clocked


def _hand_out(v: Variant, p: Pos, ranked: List[_Ranked], out: Any, room: int, n: Any,
              within: Optional[int]) -> None:
    """within: plies of bk_rank_moves(); None: the rules alone."""
    left = v.plies_left(p.turn, p.stm)
    plies = min((x for x in (within or None, left) if x is not None), default=None)

    def worth(r: _Ranked) -> int:
        if r.value is None:
            return -2
        clocked = _clocked(r.value.wdl, r.value.dtw, plies)
        return r.value.wdl if clocked is None else clocked

    best = max(map(worth, ranked), default=-1)
    n._obj.value = len(ranked)
    for i, r in enumerate(ranked[:room]):
        _describe(out[i], v, r, left)
        if within is not None and not r.code:
            out[i].keeps = worth(r) == max(best, -1)


# == The functions ==

_text = threading.local()  # of each thread: (handle, text) of its last error


def _guarded(function: Callable[..., Any]) -> Callable[..., int]:
    """Returns what `function` does, or 0; of a Fault its code, and the text is kept."""
    def call(pointer: Any, *arguments: Any) -> int:
        try:
            lib = _handles.get(pointer.value if isinstance(pointer, ctypes.c_void_p) else pointer)
            if lib is None:
                raise _bad("the handle is NULL")
            return function(lib, *arguments) or 0
        except Fault as fault:
            _text.last = pointer, fault.text
            return fault.code
        except OSError as error:
            _text.last = pointer, system_fault(error, "").text
        except (MemoryError, RecursionError) as error:
            _text.last = pointer, f"no memory: {error}"
        return SYSTEM

    return call


_handles: Dict[int, Lib] = {}
_numbers = itertools.count(16, 16)


def _utf8(raw: Optional[bytes]) -> str:
    return (raw or b"").decode("utf-8", "surrogateescape")


class PureLibrary:
    """What ctypes makes of the library, without the library."""

    _name = "none"

    def bk_lib_version(self) -> int:
        return c.VERSION

    def bk_lib_strerror(self, code: int) -> bytes:
        return SAID.get(code, "unknown error").encode()

    def bk_game_name(self, nth: int) -> Optional[bytes]:
        names = game.names()
        return names[nth].encode() if nth < len(names) else None

    def bk_error(self, pointer: Any) -> bytes:
        handle, text = getattr(_text, "last", (None, ""))
        number = handle.value if isinstance(handle, ctypes.c_void_p) else handle
        return text.encode("utf-8", "surrogateescape") if number == pointer else b""

    # == Opening and closing ==

    def bk_open_with(self, out: Any, variant: bytes, options: Any) -> int:
        o, number = options._obj, next(_numbers)
        out._obj.value = number
        store = _handles[o.share].store if o.share else Store(o.memory_bytes or BUDGET)
        try:
            lib = Lib(_utf8(variant), _utf8(o.paths), store)
        except Fault as fault:
            _text.last = number, fault.text
            return fault.code
        _handles[number] = lib
        _text.last = number, odd_folders(lib.v, lib.paths)
        return 0

    def bk_close(self, pointer: Any) -> None:
        lib = _handles.pop(pointer.value if isinstance(pointer, ctypes.c_void_p) else pointer, None)
        if lib:
            lib.set_paths("")

    @staticmethod
    @_guarded
    def bk_set_memory(lib: Lib, budget: int) -> None:
        lib.store.set_budget(budget or BUDGET)

    @staticmethod
    @_guarded
    def bk_memory(lib: Lib, used: Any, budget: Any) -> None:
        used._obj.value, budget._obj.value = lib.store.used, lib.store.budget

    @staticmethod
    @_guarded
    def bk_refresh(lib: Lib) -> None:
        lib.set_paths(lib.paths)

    @staticmethod
    @_guarded
    def bk_set_paths(lib: Lib, paths: bytes) -> None:
        lib.set_paths(_utf8(paths))

    # == Positions ==

    @staticmethod
    @_guarded
    def bk_read_fen(lib: Lib, fen: bytes, men: Any, room: int, out: Any) -> None:
        v, p = _place_fen(lib, fen, False)
        s = out._obj
        if len(p.men) > room:
            raise _bad(f"room for {room} men is not enough")
        ctypes.memset(ctypes.byref(s), 0, ctypes.sizeof(s))
        for i, (square, man) in enumerate(sorted(p.men.items())):
            men[i] = c.Piece(ord(v.kinds[man >> 1].letter), man & 1, square)
        s.men, s.n, s.turn = ctypes.addressof(men), len(p.men), p.turn
        s.en_passant, s.black_to_move = p.ep or 0, p.stm
        s.castling, s.limited = p.rights, 1
        for colour in range(2):
            for kind, n in enumerate(p.left[colour]):
                s.left[colour][kind] = n
        if v is not lib.v:
            try:
                s.elsewhere = _place_pos(lib, s, False)[0] is not v
            except Fault:
                s.elsewhere = 1

    @staticmethod
    @_guarded
    def bk_write_fen(lib: Lib, pos: Any, out: Any) -> None:
        v, p = _place_pos(lib, pos._obj, False)
        out.value = write_fen(v, p).encode()

    # == Values ==

    @staticmethod
    @_guarded
    def bk_probe(lib: Lib, address: int, flags: int, out: Any) -> None:
        _answer(lib, *_place_pos(lib, c.Pos.from_address(address)), flags, out._obj)

    @staticmethod
    @_guarded
    def bk_probe_fen(lib: Lib, fen: bytes, out: Any) -> None:
        _answer(lib, *_place_fen(lib, fen), 0, out._obj)

    @staticmethod
    @_guarded
    def bk_probe_fen_wdl(lib: Lib, fen: bytes, flags: int, out: Any) -> None:
        v, p = _place_fen(lib, fen)
        call = _Call(lib, v, flags)
        try:
            out._obj.value = call.wdl(p)
        except Fault as fault:
            raise call.named(p, fault) from None

    @staticmethod
    @_guarded
    def bk_probe_many(lib: Lib, address: int, n: int, flags: int, out: Any, codes: Any) -> None:
        each = list((c.Pos * n).from_address(address)) if n else []
        PureLibrary._each(lib, _place_pos, each, flags, out, codes)

    @staticmethod
    @_guarded
    def bk_probe_many_fen(lib: Lib, fens: Any, n: int, flags: int, out: Any, codes: Any) -> None:
        one = hasattr(fens, "_obj")  # byref() of one
        PureLibrary._each(lib, _place_fen, [fens._obj.value] if one else list(fens), flags,
                          [out._obj] if one else out, codes)

    @staticmethod
    def _each(lib: Lib, place: Callable[[Lib, Any], Tuple[Variant, Pos]], asked: List[Any], flags: int,
              out: Any, codes: Any) -> None:
        first: Optional[Fault] = None
        for i, one in enumerate(asked):
            code = 0
            try:
                _answer(lib, *place(lib, one), flags, out[i])
            except Fault as fault:
                first, code = first or fault, fault.code
            if codes is not None:
                codes[i] = code
        if first:
            raise first

    # == Moves ==

    @staticmethod
    @_guarded
    def bk_rank_moves_fen(lib: Lib, fen: bytes, within: int, flags: int, out: Any, room: int,
                          n: Any) -> None:
        n._obj.value = 0
        if within < 0:
            raise _bad(f"within {within} plies")
        v, p = _place_fen(lib, fen)
        call = _Call(lib, v, flags)
        ranked, worst = _rank(v, p, call.value)
        _hand_out(v, p, ranked, out, room, n, within)
        if worst:
            raise call.named(p, worst)

    @staticmethod
    @_guarded
    def bk_legal_moves_fen(lib: Lib, fen: bytes, out: Any, room: int, n: Any) -> None:
        v, p = _place_fen(lib, fen)

        def by_rule(after: Pos) -> Optional[Value]:
            end, wdl = moves.end_of(v, after)
            return Value(wdl, 0 if wdl else -1, end) if end else None

        ranked, _ = _rank(v, p, by_rule)
        _hand_out(v, p, sorted(ranked, key=lambda r: r.name), out, room, n, None)

    @staticmethod
    @_guarded
    def bk_is_over_fen(lib: Lib, fen: bytes, end: Any, wdl: Any) -> None:
        end._obj.value, wdl._obj.value = moves.end_of(*_place_fen(lib, fen))

    @staticmethod
    @_guarded
    def bk_play(lib: Lib, fen: bytes, move: bytes, out: Any) -> None:
        v, p = _place_fen(lib, fen)
        out.value = write_fen(v, moves.play(v, p, moves.read(v, p, _utf8(move)))).encode()

    @staticmethod
    @_guarded
    def bk_write_moves_fen(lib: Lib, fen: bytes, wanted: Any, n: int, out: Any) -> None:
        v, p = _place_fen(lib, fen)
        among = list(moves.legal(v, p))
        named = {moves.name(v, m).encode(): m for m in among}
        for i in range(n):
            m = named.get(wanted[i].name)
            if m is None:
                raise _bad(f"move {i + 1}: '{_utf8(wanted[i].name)}' is no legal move here")
            out[i] = c.MoveTextStruct(moves.san(v, p, m, among).encode(), moves.uci(v, m).encode(),
                                      write_fen(v, moves.play(v, p, m)).encode())

    # == What there is ==

    @staticmethod
    @_guarded
    def bk_game_of(lib: Lib, out: Any) -> None:
        g, v = out._obj, lib.v
        g.name, g.title, g.start = v.name.encode(), v.title.encode(), v.start.encode()
        g.files, g.ranks, g.squares, g.types, g.turns = v.files, v.ranks, v.squares, len(v.kinds), v.turns
        g.rules = v.rules_id
        for s in v.holes:
            g.hole[s] = 1
        for i, kind in enumerate(v.kinds):
            g.piece[i] = c.GamePiece(kind.letter.encode(), kind.royal, v.limit[i], 0, kind.name.encode()[:31])

    @staticmethod
    def bk_has(pointer: Any, name: bytes) -> int:
        has = []

        @_guarded
        def ask(lib: Lib) -> None:
            m = materials.canonical(lib.v, materials.parse(lib.v, _utf8(name)))[0]
            has.append(lib.catalog(lib.v).has(m))

        ask(pointer)
        return has[0] if has else 0

    @staticmethod
    def _list(found: List[Listed], out: Any, room: int, n: Any) -> None:
        n._obj.value = len(found)
        for i, table in enumerate(found[:room]):
            out[i] = c.TableStruct(table.material.encode(), table.men, table.has, table.bytes)

    @staticmethod
    @_guarded
    def bk_list_tables(lib: Lib, out: Any, room: int, n: Any) -> None:
        PureLibrary._list(lib.catalog(lib.v).listing(), out, room, n)

    @staticmethod
    def bk_men_max(pointer: Any) -> int:
        lib = _handles.get(pointer)
        return max((t.men for t in lib.catalog(lib.v).listing()), default=0) if lib else 0

    @staticmethod
    @_guarded
    def bk_list_missing(lib: Lib, name: bytes, out: Any, room: int, n: Any) -> None:
        v = lib.v
        m = materials.canonical(v, materials.parse(v, _utf8(name)))[0]
        if not v.plain_is_exact((sum(m.counts[0]), sum(m.counts[1]))):
            raise Fault(NO_TABLE, f"{materials.name(v, m)}: captured men come back in {v.name}, so it "
                                  "has no table; ask `bareking whole`")
        PureLibrary._list(lib.catalog(v).list_missing(m), out, room, n)

    @staticmethod
    @_guarded
    def bk_prefetch(lib: Lib, name: bytes, flags: int) -> None:
        m = materials.canonical(lib.v, materials.parse(lib.v, _utf8(name)))[0]
        lib.catalog(lib.v).read_ahead(m, bool(flags & c.WDL_ONLY))
