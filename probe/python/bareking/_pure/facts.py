"""Yes-or-no questions about where the men stand (docs/facts.md, version 1)."""

from __future__ import annotations

from typing import AbstractSet, Any, Callable, Dict, Iterator, List, NamedTuple, Sequence, Tuple

from .board import TWICE, geometry, squares
from .game import HOPS, QUIET, TAKES, Variant

Ways = AbstractSet[Tuple[bool, int]]  # of one man from one square to another: hops, squares between
Men = Tuple[Tuple[int, int], ...]  # type and colour: the two kings, then the slots


class _Board:
    """Metrics (docs/facts.md 3) of a game's rectangle."""

    def __init__(self, v: Variant) -> None:
        land = [s for s in range(v.squares) if s not in v.holes]
        files, ranks = [s % v.files for s in land], [s // v.files for s in land]
        self.left, self.bottom = min(files), min(ranks)
        self.width, self.height = max(files) - self.left + 1, max(ranks) - self.bottom + 1
        self.wide, self.narrow = max(self.width, self.height), min(self.width, self.height)
        self.at: List[Tuple[int, int]] = [(s % v.files - self.left, s // v.files - self.bottom)
                                          for s in range(v.squares)]

    def metric(self, name: str) -> Callable[[int, int], int]:
        at, width, height = self.at, self.width, self.height
        metrics: Dict[str, Callable[[int, int], int]]

        def side(b: int) -> int:
            return min(at[b][0], width - 1 - at[b][0])

        def end(b: int) -> int:
            return min(at[b][1], height - 1 - at[b][1])

        metrics = {
            "distance": lambda a, b: max(abs(at[a][0] - at[b][0]), abs(at[a][1] - at[b][1])),
            "axis": lambda a, b: min(abs(at[a][0] - at[b][0]), abs(at[a][1] - at[b][1])),
            "edge": lambda a, b: min(side(b), end(b)),
            "corner": lambda a, b: max(side(b), end(b)),
            "colour": lambda a, b: (sum(at[a]) + sum(at[b])) % 2,
            "rank": lambda a, b: at[b][1],
            "file": lambda a, b: at[b][0],
            "files apart": lambda a, b: abs(at[a][0] - at[b][0]),
            "ranks apart": lambda a, b: abs(at[a][1] - at[b][1]),
            "rank ahead": lambda a, b: at[b][1] - at[a][1],
            "file ahead": lambda a, b: at[b][0] - at[a][0],
        }
        return metrics[name]


class _Kind:
    """What a kind of men does by geometry alone (docs/facts.md 6).  taking: by the squares where it
    begins and ends, whether each way hops, and the squares between."""

    def __init__(self, v: Variant, kind: int, colour: int) -> None:
        g = geometry(v)
        self.v, self.kind, self.colour = v, kind, colour
        self.stands = g.stands_on(kind, colour)
        self.reach = [g.reach(kind, colour, s) for s in range(v.squares)]
        self.taking: Dict[Tuple[int, int], set[Tuple[bool, int]]] = {}
        self.most = 0
        self.blockable = False
        for s, there in enumerate(self.reach):
            ends = {r.to for r in there if r.how & TAKES}
            self.most = max(self.most, len(ends))
            for r in there:
                if r.how & TAKES:
                    ways = self.taking.setdefault((s, r.to), set())
                    ways |= {(bool(r.how & HOPS), path) for path in r.paths or (0,)}
                    self.blockable = self.blockable or bool(r.paths)
        self.orbits = self._orbits()
        self.bound = any(v.board & ~self.orbits[s] for s in squares(v.board))

    def _orbits(self) -> List[int]:
        """By square: where such a man comes in any number of moves, open or not."""
        out = [1 << s | sum(1 << to for to in {r.to for r in there})
               for s, there in enumerate(self.reach)]
        grew = True
        while grew:
            grew = False
            for s, now in enumerate(out):
                every = now
                for to in squares(now):
                    every |= out[to]
                grew = grew or every != now
                out[s] = every
        return out

    def tells(self, symmetry: int) -> bool:
        """Does it tell the board from its mirror image (docs/facts.md 6.9)?"""
        v, g = self.v, geometry(self.v)
        m = g.map(symmetry)
        if m is None:
            return True
        lost, full = [0] * len(v.kinds), v.limit

        def ends(s: int, how: int) -> set[int]:
            return {r.to for r in self.reach[s] if r.how & how}

        def becomes(s: int) -> List[Any]:
            return [v.changes(lost, full, self.kind, self.colour, s, False)]

        return any({m[to] for to in ends(s, how)} != ends(m[s], how)
                   for s in range(v.squares) for how in (QUIET, TAKES | TWICE)) or any(
            becomes(s) != becomes(m[s]) for s in squares(v.board))


def _kind_of(v: Variant, kind: int, colour: int) -> _Kind:
    key = "facts of", kind, colour
    if key not in v.cache:
        v.cache[key] = _Kind(v, kind, colour)
    return v.cache[key]  # type: ignore[no-any-return]


class Fact(NamedTuple):
    """group; the men i and j, or a side; and whatever the group needs."""

    group: str
    i: int
    j: int = 0
    q: int = 0
    metric: Any = None
    bound: int = 0
    a: int = 0
    covered: bool = False
    skewer: bool = False


class Facts:
    """Those of a list of men, in the order of docs/facts.md 5."""

    def __init__(self, v: Variant, men: Men) -> None:
        self.v, self.men, self.n = v, men, len(men)
        self.kinds = [_kind_of(v, kind, colour) for kind, colour in men]
        self.enemies = [[j for j in range(self.n) if men[j][1] != men[i][1] and not i + j == 1]
                        for i in range(self.n)]
        if "facts board" not in v.cache:
            v.cache["facts board"] = _Board(v)
        self.board: _Board = v.cache["facts board"]
        self.list: List[Fact] = [fact for part in (
            self._attacks, self._attackers, self._hanging, self._distances, self._edges,
            self._nearer, self._orbits_and_colours, lambda: self._lines("rank", 2),
            lambda: self._lines("file", 1), self._king_squares, self._man_squares, self._forks)
            for fact in part()]

    # == What is left out: docs/facts.md 6 ==

    def may_attack(self, i: int, j: int) -> bool:
        """6.1"""
        stands = self.kinds[j].stands
        return any(stands >> to & 1 for _, to in self.kinds[i].taking)

    def _all_back(self, i: int, j: int, back: Callable[[Ways, Ways], bool]) -> bool:
        theirs = self.kinds[j].taking
        return all(back(ways, theirs.get((to, s), set())) for (s, to), ways in
                   self.kinds[i].taking.items() if self.kinds[j].stands >> to & 1)

    def always_both(self, i: int, j: int) -> bool:
        """6.2"""
        return all(self._all_back(a, b, lambda ways, theirs: not ways - theirs)
                   for a, b in ((i, j), (j, i)))

    def bites_back(self, i: int, j: int) -> bool:
        """6.3: j bites i back."""
        return self._all_back(i, j, lambda ways, theirs: (False, 0) in theirs)

    def may_meet(self, i: int, j: int) -> bool:
        """6.4"""
        return any(self.kinds[j].stands >> to & 1 and (to, s) in self.kinds[j].taking
                   for s, to in self.kinds[i].taking)

    def _next_to(self, i: int) -> bool:
        """6.6"""
        if i > 1:
            return False
        distance = self.board.metric("distance")
        land = list(squares(self.v.board))
        return not self.kinds[i].blockable and all(
            (distance(s, t) == 1) == ((s, t) in self.kinds[i].taking)
            for s in squares(self.kinds[i].stands) for t in land)

    # == Facts of place: docs/facts.md 3 ==

    def _values(self, name: str, i: int, j: int) -> set[int]:
        """S of 6.7."""
        a, b = self.kinds[i].stands, self.kinds[j].stands
        orbit = name == "orbit" and self.men[i]
        key = "values", name, orbit, a, b, i == j
        if key not in self.v.cache:
            metric = self._metric(name, i)
            self.v.cache[key] = {metric(s, t) for s in squares(a)
                                 for t in ([s] if i == j else squares(b)) if s != t or i == j}
        return self.v.cache[key]  # type: ignore[no-any-return]

    def _metric(self, name: str, i: int) -> Callable[[int, int], int]:
        if name == "orbit":
            orbits = self.kinds[i].orbits
            return lambda a, b: 0 if orbits[a] >> b & 1 else 1
        return self.board.metric(name)

    def _place(self, name: str, i: int, j: int, first: int, last: int) -> Iterator[Fact]:
        """Bounds from `first` to `last` that tell something (6.7)."""
        values = self._values(name, i, j)
        for x in range(first, last + 1):
            if values and x < max(values) and (x in values or (x == first and min(values) < x)):
                yield Fact("place", i, j, metric=self._metric(name, i), bound=x)

    # == The groups, in their order: docs/facts.md 5 ==

    def _attacks(self) -> Iterator[Fact]:
        for i in range(self.n):
            for j in range(self.n):
                if i == j or i + j == 1 or not self.may_attack(i, j):
                    continue
                if not (j < i and self.always_both(i, j)):
                    yield Fact("attacks", i, j)

    def _attackers(self) -> Iterator[Fact]:
        for i in range(self.n):
            for side in range(2):
                if sum(self.men[k][1] == side and k != i and k + i != 1 and self.may_attack(k, i)
                       for k in range(self.n)) >= 2:
                    yield from (Fact("attackers", i, side, q) for q in range(2))

    def _hanging(self) -> Iterator[Fact]:
        for side in range(2):
            enemies = [j for j in range(2, self.n) if self.men[j][1] != side]
            may = sum(any(self.may_attack(k, j) for k in range(self.n) if self.men[k][1] == side)
                      for j in enemies)
            yield from (Fact("hanging", side, q=q) for q in range(min(may, 2)))

    def _distances(self) -> Iterator[Fact]:
        b = self.board
        for i in range(self.n):
            least = 2 if self._next_to(i) else 1
            for j in range(i + 1, self.n):
                yield from self._place("distance", i, j, least, b.wide - 2)
                yield from self._place("axis", i, j, 0, min(b.wide - 3, b.narrow - 1) - 1)

    def _edges(self) -> Iterator[Fact]:
        for i in range(self.n):
            yield from self._place("edge", i, i, 0, (self.board.narrow - 1) // 2 - 1)
            yield from self._place("corner", i, i, 0, (self.board.wide - 1) // 2 - 1)

    def _nearer(self) -> Iterator[Fact]:
        for i in range(2, self.n):
            yield from (Fact("nearer", i, q=q) for q in range(4))

    def _told(self, i: int, j: int) -> bool:
        """6.8: can i come to j exactly where something else says so already?"""
        colour = self.board.metric("colour")
        mine, theirs = self.kinds[i].orbits, self.kinds[j].orbits
        pairs = [(s, t) for s in squares(self.kinds[i].stands) for t in squares(self.kinds[j].stands)
                 if s != t]
        return (all((mine[s] >> t & 1) == 1 - colour(s, t) for s, t in pairs)
                or (j < i and all(mine[s] >> t & 1 == theirs[t] >> s & 1 for s, t in pairs)))

    def _orbits_and_colours(self) -> Iterator[Fact]:
        for i in range(self.n):
            for j in range(self.n):
                if i == j or not self.kinds[i].bound:
                    continue
                if not self._told(i, j):
                    yield from self._place("orbit", i, j, 0, 0)
                if not (j < i and self.kinds[j].bound):
                    yield from self._place("colour", i, j, 0, 0)

    def _lines(self, line: str, symmetry_bit: int) -> Iterator[Fact]:
        """Ranks; or the same with files for ranks."""
        if not any(kind.tells(symmetry_bit) for kind in self.kinds):
            return
        b = self.board
        high, wide, other = ((b.height, b.width, "file") if line == "rank"
                             else (b.width, b.height, "rank"))
        for i in range(self.n):
            yield from self._place(line, i, i, 0, high - 2)
        for i in range(self.n):
            for j in range(i + 1, self.n):
                yield from self._place(other + "s apart", i, j, 0, min(wide - 1, 3) - 1)
                if high > 1:
                    yield from self._place(line + " ahead", i, j, -2, 2)

    def _king_squares(self) -> Iterator[Fact]:
        for i in range(2):
            yield from (Fact("king's squares", i, q=q) for q in range(7))

    def _man_squares(self) -> Iterator[Fact]:
        for i in range(2, self.n):
            yield from (Fact("man's squares", i, q=q)
                        for q in range(min(max(self.kinds[i].most, 1), 3)))

    def _forks(self) -> Iterator[Fact]:
        for i in range(self.n):
            e = self.enemies[i]
            pairs = [(a, a) for a in e] + [(a, b) for n, a in enumerate(e) for b in e[n + 1:]]
            for covered in (False, True):
                for a, b in pairs:
                    if self._kept(i, a, b, covered, False):
                        yield Fact("fork", i, b, a=a, covered=covered)
            king = 1 - self.men[i][1]
            for b in e if i > 1 and self.kinds[i].blockable else ():
                if b != king and self._kept(i, king, b, False, True):
                    yield Fact("fork", i, b, a=king, skewer=True)

    def _kept(self, i: int, a: int, b: int, covered: bool, skewer: bool) -> bool:
        """6.10"""
        if not covered:
            return self.may_attack(i, b) and not self.bites_back(i, a) and (
                skewer or not self.bites_back(i, b))
        if i < 2 or (b != a and self.bites_back(i, b)):
            return False
        return self.may_meet(i, a) if a < 2 else not self.bites_back(i, a)

    # == A position ==

    def ask(self, at: Sequence[int]) -> Callable[[int], bool]:
        """A function that answers each fact of a position."""
        return _Asked(self, at).fact


class _Asked:
    """A position; what one fact has worked out serves the next."""

    def __init__(self, facts: Facts, at: Sequence[int]) -> None:
        self.f, self.at, self.men = facts, at, facts.men
        self.g = geometry(facts.v)
        self.own = [sum(1 << s for s, (_, colour) in zip(at, facts.men) if colour == side)
                    for side in range(2)]
        self.occupied = self.own[0] | self.own[1]
        self.seen = [self.attack(i, at[i], self.occupied) for i in range(facts.n)]
        self._safe: Dict[int, int] = {}

    def attack(self, i: int, start: int, occupied: int) -> int:
        """What a man of the kind of man i attacks from `start`."""
        return self.g.attacked_from(*self.men[i], start, occupied)

    def fact(self, number: int) -> bool:
        fact = self.f.list[number]
        i, j, q = fact.i, fact.j, fact.q
        if fact.group == "place":
            return fact.metric(self.at[i], self.at[j]) <= fact.bound  # type: ignore[no-any-return]
        if fact.group == "attacks":
            return self.attacks(i, j)
        if fact.group == "attackers":
            return self.attackers(j, i) > q
        if fact.group == "hanging":
            return sum(self.men[k][1] != i and self.attackers(i, k) > 0
                       and not self.attackers(1 - i, k) for k in range(2, self.f.n)) > q
        if fact.group == "nearer":
            distance = self.f.board.metric("distance")
            return distance(self.at[0], self.at[i]) - distance(self.at[1], self.at[i]) <= q - 2
        if fact.group == "fork":
            return self.forks(fact)
        side = self.men[i][1]
        there = self.seen[i] & self.safe(side) & ~(self.occupied if q >= 4 else self.own[side])
        return bin(there).count("1") > q % 4

    def attacks(self, i: int, j: int) -> bool:
        return i != j and i + j != 1 and bool(self.seen[i] >> self.at[j] & 1)

    def attackers(self, side: int, j: int) -> int:
        return sum(self.men[i][1] == side and self.attacks(i, j) for i in range(self.f.n))

    def safe(self, side: int) -> int:
        """The squares that no enemy attacks without that side's king."""
        if side not in self._safe:
            through = self.occupied & ~(1 << self.at[side])
            hit = 0
            for i, (_, colour) in enumerate(self.men):
                if colour != side:
                    hit |= self.attack(i, self.at[i], through)
            self._safe[side] = ~hit
        return self._safe[side]

    def held(self, i: int) -> int:
        """The squares that a man of i's side other than i attacks, and of the enemies none but the
        king."""
        mine = theirs = 0
        for k in range(self.f.n):
            if k != i and self.men[k][1] == self.men[i][1]:
                mine |= self.seen[k]
            elif k > 1 and k != i:
                theirs |= self.seen[k]
        return mine & ~theirs

    def forks(self, fact: Fact) -> bool:
        i, a, b = fact.i, self.at[fact.a], self.at[fact.j]
        side = self.men[i][1]
        rest = self.occupied & ~(1 << self.at[i])
        ends = self.seen[i] & ~self.own[side]
        ends &= self.safe(side) | (self.held(i) if fact.covered else 0)
        for t in squares(ends):
            from_t = self.attack(i, t, rest)
            if not from_t >> a & 1:
                continue
            if not fact.skewer and from_t >> b & 1:
                return True
            if fact.skewer and not from_t >> b & 1 and self.attack(i, t, rest & ~(1 << a)) >> b & 1:
                return True
        return False
