"""The value of a position, from files and exits; the equations are those of src/table/settle.c:

    by rule      a bare king decides; else                                                    (1)
    wdl(p)     = the better of what the file says and the best exit                           (2)
    plies(p)   = if p is won: the fewest of what the file says and 1 + plies of an exit
                 that wins                                                                    (3)
               = if p is lost: 1 + the most plies of the positions that its moves lead to     (4)
    standalone   what the file says, alone                                                    (5)
    en passant   best of p without the square, unless p has no other move, and the captures
                 in passing                                                                   (6)
"""

from __future__ import annotations

from typing import Callable, Dict, List, NamedTuple, Optional, Tuple

from . import moves
from .fault import CORRUPT, NO_TABLE, Fault
from .file import TableFile
from .game import Variant
from .index import Index
from .material import Material, exchanged
from .moves import Move
from .position import Pos

ENDLESS = 1 << 30


class Table:
    """The files of a canonical material.  damaged: what is wrong with the distances."""

    def __init__(self, v: Variant, m: Material, wdl: TableFile, dtw: Optional[TableFile],
                 damaged: Optional[Fault], swap: Optional[List[int]]) -> None:
        self.v, self.m, self.wdl, self.dtw, self.damaged, self.swap = v, m, wdl, dtw, damaged, swap

    @property
    def lacks_distances(self) -> bool:
        return self.dtw is None and self.damaged is None


class Asked(NamedTuple):
    """A position in a table: side and men as the file has them, and its facts."""

    table: Table
    stm: int
    men: Dict[int, int]
    fact: Dict[Tuple[int, ...], Callable[[int], bool]]


def _place(ix: Index, men: Dict[int, int]) -> Tuple[int, ...]:
    """The squares of the kings and the slots; equal men in order, those at home in their slots."""
    v = ix.v
    there: Dict[int, List[int]] = {}
    for square in sorted(men):
        there.setdefault(men[square], []).append(square)
    out = [there[v.royal * 2 + colour][0] for colour in range(2)]
    homes = [None if s.right is None else ix.cells[i].squares[0][0] for i, s in enumerate(ix.slots)]
    for home, slot in zip(homes, ix.slots):
        if home is not None:
            there[slot.kind * 2 + slot.colour].remove(home)
    for home, slot in zip(homes, ix.slots):
        out.append(there[slot.kind * 2 + slot.colour].pop(0) if home is None else home)
    return tuple(out)


class Question:
    """A question under way.  find: the table of a position, and are its colours exchanged there;
    only: from memory alone."""

    def __init__(self, v: Variant, find: Callable[[Pos], Tuple[Table, bool]], only: bool) -> None:
        self.v, self.find, self.only = v, find, only

    # == What a file says ==

    def _asked(self, p: Pos) -> Asked:
        table, swapped = self.find(p)
        men, stm = p.men, p.stm
        if swapped != (table.wdl.head.one_side and stm ^ swapped == 1):
            men = {table.swap[s]: man ^ 1 for s, man in men.items()}  # type: ignore[index]
            stm ^= 1
        return Asked(table, stm, men, {})

    def _stored(self, asked: Asked, file: TableFile) -> int:
        spot = file.index.rank(_place(file.index, asked.men))
        if spot is None:
            raise Fault(CORRUPT, f"{file.path}: damaged: a position without a number")
        number, at, row = spot
        if at not in asked.fact:
            asked.fact[at] = file.facts.ask(at)
        return file.value(asked.stm, number, row, at, asked.fact[at], self.only)

    def _stored_k(self, asked: Asked) -> int:
        t = asked.table
        if t.damaged:
            raise t.damaged
        if t.dtw is None:
            raise Fault(NO_TABLE, "no distances")
        return self._stored(asked, t.dtw)

    # == Exits ==

    def _exits(self, p: Pos) -> Tuple[List[Tuple[Move, Pos, Optional[int]]], int]:
        """Exits with the positions after them, and the wdl of those that end the game by rule; these
        come first, as many as are told."""
        ends: List[Tuple[Move, Pos, Optional[int]]] = []
        others: List[Tuple[Move, Pos, Optional[int]]] = []
        for m in moves.legal(self.v, p):
            if moves.is_exit(self.v, p, m):
                after = moves.play(self.v, p, m)
                end, wdl = moves.bare_end(self.v, after)
                (ends if end else others).append((m, after, wdl if end else None))
        return ends + others, len(ends)

    def _passing(self, p: Pos) -> Tuple[Pos, bool, List[Pos]]:
        """(6): the position without the square, whether it counts, those after captures in passing."""
        without = p.copy()
        without.ep = None
        here = list(moves.legal(self.v, p))
        plain = list(moves.legal(self.v, without))
        captures = [moves.play(self.v, p, m) for m in here
                    if m.takes is not None and m.to == p.ep and m.takes != m.to and m.also is None
                    and not any(o.start == m.start and o.to == m.to and o.takes == m.takes for o in plain)]
        return without, bool(plain) or not captures, captures

    # == Won, drawn or lost: (1), (2) ==

    def wdl(self, p: Pos, enough: int = 1) -> int:
        """-1, 0 or 1; or only that it is `enough` or more."""
        end, wdl = moves.bare_end(self.v, p)
        if end:
            return wdl
        if p.ep is not None:
            return self._wdl_passing(p, enough)
        asked = self._asked(p)
        if asked.table.wdl.head.standalone:
            return 1 - self._stored(asked, asked.table.wdl)
        return self._raise(p, asked, enough)

    def _raise(self, p: Pos, asked: Asked, enough: int) -> int:
        stored = 1 - self._stored(asked, asked.table.wdl)
        if stored >= enough:
            return stored
        exits, _ = self._exits(p)
        return self._best_exit([(after, wdl) for _, after, wdl in exits], enough, stored)

    def _best_exit(self, exits: List[Tuple[Pos, Optional[int]]], enough: int, best: int) -> int:
        missing: Optional[Fault] = None
        for after, wdl in exits:
            if best >= enough:
                break
            try:
                if wdl is None:
                    wdl = self.wdl(after, 0 if best == 0 else 1)
                best = max(best, -wdl)
            except Fault as fault:
                if fault.code != NO_TABLE:
                    raise
                missing = fault
        if missing and best < enough:
            raise missing
        return best

    def _wdl_passing(self, p: Pos, enough: int) -> int:
        without, counts, captures = self._passing(p)
        best = self.wdl(without, enough) if counts else -2
        return self._best_exit([(after, None) for after in captures], enough, best)

    # == Plies: (3), (4) ==

    def plies(self, p: Pos, wdl: int, low: int = -1, high: int = ENDLESS) -> int:
        """Of a won or lost position: exact between low and high, else beyond the bound."""
        end, _ = moves.bare_end(self.v, p)
        if end:
            return 0
        if p.ep is not None:
            return (self._win_passing if wdl > 0 else self._loss_passing)(p, low, high)
        asked = self._asked(p)
        if asked.table.dtw is None:
            self._stored_k(asked)
        if asked.table.dtw and asked.table.dtw.head.standalone:
            return 2 * self._stored_k(asked) + (wdl > 0)
        return (self._win if wdl > 0 else self._loss)(p, asked, low, high)

    def _win(self, p: Pos, asked: Asked, low: int, high: int) -> int:
        exits, ends = self._exits(p)
        best = 1 if any(wdl == -1 for _, _, wdl in exits[:ends]) else ENDLESS
        if best > 1:
            best = 2 * self._stored_k(asked) + 1
        return self._lower([after for _, after, _ in exits[ends:]], best, low, high)

    def _lower(self, afters: List[Pos], best: int, low: int, high: int) -> int:
        for after in afters:
            if best <= low or best <= 1:
                break
            if self.wdl(after, 0) < 0:
                best = min(best, 1 + self.plies(after, -1, low - 1, min(best, high) - 1))
        return best

    def _loss(self, p: Pos, asked: Asked, low: int, high: int) -> int:
        return self._longest([moves.play(self.v, p, m) for m in moves.legal(self.v, p)], 0, low, high)

    def _longest(self, afters: List[Pos], best: int, low: int, high: int) -> int:
        for after in afters:
            if best >= high:
                break
            best = max(best, 1 + self.plies(after, 1, max(best, low) - 1, high - 1))
        return best

    def _win_passing(self, p: Pos, low: int, high: int) -> int:
        without, counts, captures = self._passing(p)
        best = ENDLESS
        if counts and self.wdl(without) > 0:
            best = self.plies(without, 1, low, high)
        return self._lower(captures, best, low, high)

    def _loss_passing(self, p: Pos, low: int, high: int) -> int:
        without, counts, captures = self._passing(p)
        best = self.plies(without, -1, low, high) if counts else 0
        return self._longest(captures, best, low, high)

    # == All of it ==

    def value(self, p: Pos) -> Tuple[int, Optional[int]]:
        """wdl, and plies, None of a draw, and where the table has no distances."""
        end, wdl = moves.bare_end(self.v, p)
        if end:
            return wdl, 0 if wdl else None
        asked = self._asked(p)
        wdl = self.wdl(p)
        if not wdl or asked.table.lacks_distances:
            return wdl, None
        return wdl, self.plies(p, wdl)
