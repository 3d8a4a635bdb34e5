"""A position becomes a number (docs/index.md)."""

from __future__ import annotations

from math import comb
from typing import Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from .board import Reach, geometry
from .fault import CORRUPT, Fault
from .game import QUIET, TAKES, Variant
from .material import Material, symmetries

KINGS = 255  # the slice, in an order of digits


class Slot(NamedTuple):
    """A man who is no king; `like`: the first of his equals; right: whose rook he is."""

    kind: int
    colour: int
    like: int
    right: Optional[int]


def slots_of(v: Variant, m: Material) -> List[Slot]:
    out: List[Slot] = []
    for colour in range(2):
        for kind in range(len(v.kinds)):
            men = 0 if kind == v.royal else m.counts[colour][kind]
            for right in (2 * colour, 2 * colour + 1):
                if kind == v.castling.rook and m.rights >> right & 1 and men:
                    out.append(Slot(kind, colour, len(out), right))
                    men -= 1
            first = len(out)
            out += [Slot(kind, colour, first, None)] * men
    return out


# == Cells: docs/index.md 2 ==


class Cells:
    """squares: by cell; place: by square, (cell, place in it)."""

    def __init__(self, squares: List[List[int]]) -> None:
        self.squares = squares
        self.place = {s: (cell, i) for cell, there in enumerate(squares) for i, s in enumerate(there)}


def _quiet_ways(v: Variant, kind: int, colour: int) -> List[int]:
    """By square: where quiet moves lead sooner or later, itself included."""
    g = geometry(v)

    def ends(r: Reach) -> bool:
        return bool(r.how & QUIET) and v.may_stand(kind, colour, r.to)

    reach = [1 << s | sum(1 << to for to in {r.to for r in g.reach(kind, colour, s) if ends(r)})
             for s in range(v.squares)]
    grew = True
    while grew:
        grew = False
        for s in range(v.squares):
            every = todo = reach[s]
            while todo:
                low = todo & -todo
                every |= reach[low.bit_length() - 1]
                todo ^= low
            grew = grew or every != reach[s]
            reach[s] = every
    return reach


def _cells_of(v: Variant, kind: int, colour: int) -> Cells:
    key = "cells", kind, colour
    if key not in v.cache:
        v.cache[key] = _make_cells(v, kind, colour)
    return v.cache[key]  # type: ignore[no-any-return]


def _make_cells(v: Variant, kind: int, colour: int) -> Cells:
    reach = _quiet_ways(v, kind, colour)
    stands = [s for s in range(v.squares) if v.may_stand(kind, colour, s)]
    split = any(reach[s] >> t & 1 and not reach[t] >> s & 1 for s in range(v.squares)
                for t in range(v.squares))
    if not split:
        return Cells([stands] if stands else [])
    cells: List[List[int]] = []
    for s in stands:
        there = next((c for c in cells if reach[s] >> c[0] & 1 and reach[c[0]] >> s & 1), None)
        if there is None:
            cells.append([s])
        else:
            there.append(s)
    return Cells(cells)


# == Pairs of kings: docs/index.md 3 ==


class Pairs:
    """kings: by slice; slice: by pair, (slice, symmetry that brings the pair to it)."""

    def __init__(self, v: Variant, group: Sequence[int], rights: int) -> None:
        g = geometry(v)
        maps = [(symmetry, g.map(symmetry)) for symmetry in group]
        home = [v.home_rank(c) + v.castling.king_file if rights >> 2 * c & 3 else None for c in range(2)]
        room = [[s for s in range(v.squares) if v.may_stand(v.royal, c, s) and home[c] in (None, s)]
                for c in range(2)]
        attacks = [[sum(1 << to for to in {r.to for r in g.reach(v.royal, c, s) if r.how & TAKES})
                    for s in range(v.squares)] for c in range(2)]
        self.kings: List[Tuple[int, int]] = []
        self.slice: Dict[Tuple[int, int], Tuple[int, int]] = {}
        for white in room[0]:
            for black in room[1]:
                if white == black or attacks[0][white] >> black & attacks[1][black] >> white & 1:
                    continue
                least, by = min(((m[white], m[black]), s) for s, m in maps)  # type: ignore[index]
                if least == (white, black):
                    self.slice[least] = len(self.kings), 0
                    self.kings.append(least)
                else:
                    self.slice[white, black] = self.slice[least][0], by
        # where a row of kings begins: docs/index.md 2, "Rows"
        self.row = [0] * len(self.kings)
        for i in range(1, len(self.kings)):
            self.row[i] = self.row[i - 1] if self.kings[i][0] == self.kings[i - 1][0] else i


def _pairs_of(v: Variant, group: Sequence[int], m: Material) -> Pairs:
    sides = bool(m.rights & 3) | bool(m.rights >> 2) << 2
    key = "pairs", tuple(group), sides
    if key not in v.cache:
        v.cache[key] = Pairs(v, group, sides)
    return v.cache[key]  # type: ignore[no-any-return]


# == Blocks, and the whole ==


class Block:
    """`cells` of the slots; `weight` and `radix` by slot, of men that lead a digit; `of`: how many
    men share it."""

    def __init__(self, cells: Tuple[int, ...], pairs: Pairs, first: int) -> None:
        self.cells, self.pairs, self.first = cells, pairs, first
        self.size = 0
        self.slice_weight = 0
        self.digits: List[Tuple[int, int, int]] = []  # slot, men, weight


Squares = Tuple[int, ...]  # the white king's, the black king's, then by slot


class Index:
    def __init__(self, v: Variant, m: Material, order: Sequence[int]) -> None:
        self.v, self.m, self.order = v, m, list(order)
        self.slots = slots_of(v, m)
        if sorted(order) != [*range(len(self.slots)), KINGS]:
            raise Fault(CORRUPT, "the order of its digits is none")
        self.equals = any(slot.like < i for i, slot in enumerate(self.slots))
        self.cells = [_cells_of(v, s.kind, s.colour) if s.right is None
                      else Cells([[v.home_rank(s.colour) + v.castling.rook_file[s.right & 1]]])
                      for s in self.slots]
        last = self.order[-1]
        if last != KINGS and (len(self.cells[last].squares) != 1
                              or sum(s.like == self.slots[last].like for s in self.slots) > 1):
            raise Fault(CORRUPT, "the order of its digits makes no rows")
        self.group = symmetries(v, m)
        self.maps = {s: geometry(v).map(s) for s in self.group}
        self.blocks: List[Block] = []
        self._block_of: Dict[Tuple[int, ...], Tuple[int, int]] = {}  # block, symmetry to it
        self.positions = 0
        for cells in self._choices():
            self._add_block(cells)
        if not self.blocks:  # men without room
            empty = Block((), Pairs(v, [0], 0), 0)
            self.blocks.append(empty)
        self.firsts = [b.first for b in self.blocks]

    @property
    def inner(self) -> int:
        """The man who varies along a row."""
        return 1 if self.order[-1] == KINGS else 2 + self.order[-1]

    # == Making blocks ==

    def _choices(self) -> Iterator[Tuple[int, ...]]:
        """One cell for each man; those of equal men ascend."""
        n = len(self.slots)

        def more(chosen: Tuple[int, ...]) -> Iterator[Tuple[int, ...]]:
            at = len(chosen)
            if at == n:
                yield chosen
                return
            low = chosen[-1] if self.slots[at].like < at else 0
            for cell in range(low, len(self.cells[at].squares)):
                yield from more((*chosen, cell))

        return more(())

    def _turn_cells(self, cells: Tuple[int, ...], symmetry: int) -> Tuple[int, ...]:
        m = self.maps[symmetry]
        out = [self.cells[i].place[m[self.cells[i].squares[c][0]]][0]  # type: ignore[index]
               for i, c in enumerate(cells)]
        return tuple(out[i] for i in sorted(range(len(out)), key=lambda i: (self.slots[i].like, out[i])))

    def _leads(self, cells: Tuple[int, ...], slot: int) -> int:
        """How many men share the digit of `slot`; 0: another leads it."""
        def shared(i: int) -> bool:
            return (i < len(cells) and self.slots[i].like == self.slots[slot].like
                    and cells[i] == cells[slot])

        if slot > self.slots[slot].like and shared(slot - 1):
            return 0
        n = 1
        while shared(slot + n):
            n += 1
        return n

    def _add_block(self, cells: Tuple[int, ...]) -> None:
        group = [0]
        for symmetry in self.group[1:]:
            image = self._turn_cells(cells, symmetry)
            if image == cells:
                group.append(symmetry)
            elif image in self._block_of and self._block_of[image][1] == 0:
                self._block_of[cells] = self._block_of[image][0], symmetry
                return
        b = Block(cells, _pairs_of(self.v, group, self.m), self.positions)
        weight = 1
        for slot in reversed(self.order):
            if slot == KINGS:
                b.slice_weight = weight
                weight *= len(b.pairs.kings)
                continue
            men = self._leads(cells, slot)
            if men:
                b.digits.append((slot, men, weight))
                radix = comb(len(self.cells[slot].squares[cells[slot]]), men)
                if not radix:
                    return
                weight *= radix
        b.size = weight
        self._block_of[cells] = len(self.blocks), 0
        self.blocks.append(b)
        self.positions += b.size

    # == Numbers ==

    def _sorted(self, at: Squares) -> Squares:
        """Equal men by cell, then by square."""
        if not self.equals:
            return at
        men = at[2:]
        return at[:2] + tuple(men[i] for i in sorted(range(len(men)), key=lambda i: (
            self.slots[i].like, self.cells[i].place[men[i]][0], men[i])))

    def rank(self, at: Squares) -> Optional[Tuple[int, Squares, int]]:
        """The number of a position, where its men stand as the number has it, and the first number
        of its row; None: it has none."""
        if any(square not in c.place for square, c in zip(at[2:], self.cells)):
            return None
        at = self._sorted(at)
        found = self._block_of.get(tuple(c.place[s][0] for s, c in zip(at[2:], self.cells)))
        if found is None:
            return None
        b = self.blocks[found[0]]
        at = self._turned(at, found[1])
        pair = b.pairs.slice.get((at[0], at[1]))
        if pair is None:
            return None
        at = self._turned(at, pair[1])
        number = row = b.first
        kings = pair[0] * b.slice_weight
        inner = self.order[-1]
        number += kings
        row += b.pairs.row[pair[0]] * b.slice_weight if inner == KINGS else kings
        for slot, men, weight in b.digits:
            places = sorted(self.cells[slot].place[at[2 + slot + i]][1] for i in range(men))
            digit = sum(comb(place, i + 1) for i, place in enumerate(places)) * weight
            number += digit
            row += digit if slot != inner else 0
        return number, at, row

    def _turned(self, at: Squares, symmetry: int) -> Squares:
        if not symmetry:
            return at
        m = self.maps[symmetry]
        return self._sorted(tuple(m[s] for s in at))  # type: ignore[index]
