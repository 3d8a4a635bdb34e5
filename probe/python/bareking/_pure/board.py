"""Where men can go: ways (docs/facts.md 2), what they attack, and the symmetries of a board.

A set of squares is an int, bit s for square s.
"""

from __future__ import annotations

from typing import Dict, FrozenSet, Iterator, List, NamedTuple, Optional, Tuple

from .game import HOPS, QUIET, TAKES, Movement, Step, Variant

TWICE = 8  # takes on the square between, and goes on
SYMMETRIES = 8


class Reach(NamedTuple):
    """Where a man may go: `how` is QUIET, TAKES, or both, and HOPS; or TWICE.  One of `paths` must be
    empty; () cannot be blocked.  A hopper has one, with exactly one man on it; TWICE one square."""

    to: int
    how: int
    paths: Tuple[int, ...]

    def open(self, occupied: int) -> bool:
        if self.how & HOPS:
            return bin(self.paths[0] & occupied).count("1") == 1
        return not self.paths or any(not path & occupied for path in self.paths)


def squares(bits: int) -> Iterator[int]:
    """The squares of a set, in order."""
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low


def _step_to(v: Variant, square: int, df: int, dr: int) -> Optional[int]:
    file, rank = square % v.files + df, square // v.files + dr
    if not (0 <= file < v.files and 0 <= rank < v.ranks):
        return None
    to = rank * v.files + file
    return to if v.board >> to & 1 else None


Way = Tuple[int, int, int]  # to, how, squares between


def _ride(v: Variant, start: int, s: Step, forward: int) -> Iterator[Way]:
    between, at, n = 0, _step_to(v, start, s.df, forward * s.dr), 1
    while at is not None and (s.range == 0 or n <= s.range):
        if not s.how & HOPS or n > 1:
            yield at, s.how, between
        between |= 1 << at
        at, n = _step_to(v, at, s.df, forward * s.dr), n + 1


def _sign(x: int) -> int:
    return (x > 0) - (x < 0)


def _two_steps(v: Variant, start: int, m: Movement, forward: int) -> Iterator[Way]:
    for first in m.steps:
        middle = _step_to(v, start, first.df, forward * first.dr)
        for second in m.steps if middle is not None else ():
            to = _step_to(v, middle, second.df, forward * second.dr)  # type: ignore[arg-type]
            straight = (_sign(first.df), _sign(first.dr)) == (_sign(second.df), _sign(second.dr))
            if to is None or to == start or not (m.bend or straight):
                continue
            if first.how & QUIET:
                yield to, second.how, 1 << middle  # type: ignore[operator]
            if m.twice:
                yield to, TWICE, 1 << middle  # type: ignore[operator]


def _ways(v: Variant, kind: int, colour: int, start: int) -> Iterator[Way]:
    forward = -1 if colour else 1
    if not v.may_stand(kind, colour, start):
        return
    m = v.movement(kind, v.own_rank(start, colour))
    for step in m.steps:
        yield from _ride(v, start, step, forward)
    if m.two:
        yield from _two_steps(v, start, m, forward)
    if v.doubles_from(kind, colour, start):
        middle = _step_to(v, start, 0, forward)
        to = None if middle is None else _step_to(v, middle, 0, forward)
        if to is not None:
            yield to, QUIET, 1 << middle  # type: ignore[operator]


def _joined(ways: List[Way]) -> List[Reach]:
    """Ways of one end and purpose are one entry."""
    found: Dict[Tuple[int, int], List[int]] = {}
    out: List[Reach] = []
    for to, how, between in ways:
        for each in (QUIET, TAKES):
            if how & each:
                found.setdefault((to, each | how & HOPS), []).append(between)
        if how == TWICE:
            found.setdefault((to, TWICE), []).append(between)
    for (to, how), ways_there in sorted(found.items()):
        paths = tuple(sorted(set(ways_there)))
        if how & (HOPS | TWICE):
            out += [Reach(to, how, (path,)) for path in paths]
            continue
        one = Reach(to, how, () if paths[0] == 0 else paths)
        if how == TAKES and out and out[-1] == one._replace(how=QUIET):
            one = out.pop()._replace(how=QUIET | TAKES)
        out.append(one)
    return out


class Geometry:
    """The moves of all men of a game; worked out when they are first asked for."""

    def __init__(self, v: Variant) -> None:
        self.v = v
        self._reach: Dict[Tuple[int, int, int], List[Reach]] = {}
        self._taking: Dict[Tuple[int, int, int], Dict[int, List[Reach]]] = {}
        self._plain: Dict[Tuple[int, int, int], Tuple[int, List[Reach]]] = {}
        self._map: Dict[int, Optional[List[int]]] = {}

    def reach(self, kind: int, colour: int, square: int) -> List[Reach]:
        """By where they end."""
        key = kind, colour, square
        if key not in self._reach:
            self._reach[key] = _joined(list(_ways(self.v, kind, colour, square)))
        return self._reach[key]

    def attacked_from(self, kind: int, colour: int, square: int, occupied: int) -> int:
        """What a man attacks (docs/facts.md 2): captures of two men are no attacks here."""
        key = kind, colour, square
        there = self._plain.get(key)
        if there is None:
            taking = [r for r in self.reach(*key) if r.how & TAKES]
            always = sum(1 << to for to in {r.to for r in taking if not r.paths})
            there = self._plain[key] = always, [r for r in taking if r.paths]
        out, others = there
        for r in others:
            if r.open(occupied):
                out |= 1 << r.to
        return out

    def takes_on(self, kind: int, colour: int, start: int, square: int) -> List[Reach]:
        """The moves that may take on `square`, as the second man or as the first."""
        key = kind, colour, start
        there = self._taking.get(key)
        if there is None:
            there = self._taking[key] = {}
            for r in self.reach(*key):
                if r.how & (TAKES | TWICE):
                    there.setdefault(r.to, []).append(r)
                if r.how == TWICE:
                    there.setdefault(r.paths[0].bit_length() - 1, []).append(r)
        return there.get(square, [])

    def stands_on(self, kind: int, colour: int) -> int:
        """The squares where such a man may stand."""
        return sum(1 << s for s in range(self.v.squares) if self.v.may_stand(kind, colour, s))

    # == Symmetries: docs/index.md 3 ==

    def map(self, symmetry: int) -> Optional[List[int]]:
        """Where squares go: bit 0 mirrors files, bit 1 ranks, bit 2 then exchanges them.  None: the
        board is another then."""
        if symmetry not in self._map:
            self._map[symmetry] = self._make_map(symmetry)
        return self._map[symmetry]

    def _make_map(self, symmetry: int) -> Optional[List[int]]:
        v = self.v
        if symmetry & 4 and v.files != v.ranks:
            return None
        out = []
        for square in range(v.squares):
            file, rank = square % v.files, square // v.files
            file = v.files - 1 - file if symmetry & 1 else file
            rank = v.ranks - 1 - rank if symmetry & 2 else rank
            out.append(file * v.files + rank if symmetry & 4 else rank * v.files + file)
        same = all((s in v.holes) == (to in v.holes) for s, to in enumerate(out))
        return out if same else None

    def keeps(self, kind: int, symmetry: int) -> bool:
        """Does a symmetry keep the rules of a kind?"""
        k = self.v.kinds[kind]
        every = (1 << self.v.ranks) - 1
        masks = [k.ranks, k.zone_ranks, k.double_ranks, *(rule.ranks for rule in k.become)]
        if symmetry & 6 and (k.double_ranks or any(mask not in (0, every) for mask in masks)):
            return False
        return (_keeps_steps(k.move, symmetry)
                and (not k.zone_ranks or _keeps_steps(k.zone, symmetry)))


def _keeps_steps(m: Movement, symmetry: int) -> bool:
    for forward in (1, -1):
        for s in m.steps:
            df, dr = s.df, forward * s.dr
            df = -df if symmetry & 1 else df
            dr = -dr if symmetry & 2 else dr
            df, dr = (dr, df) if symmetry & 4 else (df, dr)
            if s._replace(df=df, dr=forward * dr) not in m.steps:
                return False
    return True


def geometry(v: Variant) -> Geometry:
    if "geometry" not in v.cache:
        v.cache["geometry"] = Geometry(v)
    return v.cache["geometry"]  # type: ignore[no-any-return]


def all_symmetries(v: Variant, kinds: FrozenSet[int]) -> List[int]:
    """Those that keep the board and the rules of these kinds."""
    g = geometry(v)
    return [s for s in range(SYMMETRIES)
            if g.map(s) is not None and all(g.keeps(k, s) for k in kinds)]
