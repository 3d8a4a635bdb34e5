"""Materials: what one table is for (docs/index.md 1, 8)."""

from __future__ import annotations

from typing import Dict, FrozenSet, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from .board import all_symmetries, geometry
from .fault import USAGE, Fault
from .game import BARE_NOTHING, MEN_MAX, NO_HOME, Variant
from .position import RIGHTS, Pos

Counts = Tuple[int, ...]


class Material(NamedTuple):
    """By colour and type: men, and allowances; and castling rights, bit 2 * colour + side."""

    counts: Tuple[Counts, Counts]
    left: Tuple[Counts, Counts]
    rights: int

    @property
    def men(self) -> int:
        return sum(self.counts[0]) + sum(self.counts[1])

    def rights_of(self, colour: int) -> int:
        return bin(self.rights >> 2 * colour & 3).count("1")


def normal(v: Variant, count: Sequence[Counts], left: Sequence[Counts], rights: int) -> Material:
    """Each allowance is lowered to the number of men who may ever use it."""
    users = v.cache.setdefault("users", [v.may_use(k) for k in range(len(v.kinds))])
    rights = rights if v.castling.allowed else 0
    lowered = []
    for colour in range(2):
        if bin(rights >> 2 * colour & 3).count("1") > count[colour][v.castling.rook]:
            rights &= ~(3 << 2 * colour)
        lowered.append(tuple(
            min(n, sum(men for kind, men in enumerate(count[colour]) if to in users[kind]))
            if v.limit[to] else 0 for to, n in enumerate(left[colour])))
    return Material((count[0], count[1]), (lowered[0], lowered[1]), rights)


def material_of(v: Variant, p: Pos) -> Material:
    count = p.count(v)
    return normal(v, (tuple(count[0]), tuple(count[1])), (tuple(p.left[0]), tuple(p.left[1])), p.rights)


def exchanged(m: Material) -> Material:
    return Material(m.counts[::-1], m.left[::-1], (m.rights & 3) << 2 | m.rights >> 2)


def kinds_of(v: Variant, m: Material) -> FrozenSet[int]:
    """Those in it, and all that these may turn into."""
    return v.may_become(frozenset(k for k in range(len(v.kinds)) if m.counts[0][k] or m.counts[1][k]))


def symmetries(v: Variant, m: Material) -> List[int]:
    return [0] if m.rights else all_symmetries(v, kinds_of(v, m))


def swap_of(v: Variant, m: Material) -> Optional[List[int]]:
    """Where squares go when colours are exchanged: upside down; or they stay, if no man tells up
    from down.  None: they cannot be exchanged."""
    g = geometry(v)
    if g.map(2) is not None:
        return g.map(2)
    if m.rights or not all(g.keeps(kind, 2) for kind in kinds_of(v, m)):
        return None
    return g.map(0)


def canonical(v: Variant, m: Material) -> Tuple[Material, bool]:
    """The material that has the table, and whether its colours are exchanged."""
    white, black = ((sum(m.counts[c]), m.counts[c], m.left[c], m.rights >> 2 * c & 3) for c in range(2))
    if white >= black or swap_of(v, m) is None:
        return m, False
    return exchanged(m), True


def by_rule(v: Variant, m: Material) -> bool:
    bare = [sum(m.counts[colour]) == 1 for colour in range(2)]
    return all(bare) or (v.bare != BARE_NOTHING and any(bare))


# == Names ==


def name(v: Variant, m: Material) -> str:
    def men(colour: int) -> str:
        return v.kinds[v.royal].letter + "".join(
            v.kinds[k].letter * n for k, n in enumerate(m.counts[colour]) if k != v.royal)

    full = normal(v, m.counts, (tuple(v.limit), tuple(v.limit)), m.rights)
    left = "".join(v.letter_of(kind, colour) * n for colour in range(2)
                   for kind, n in enumerate(m.left[colour]))
    rights = "".join(letter for letter, bit in RIGHTS.items() if m.rights >> bit & 1)
    return (f"{men(0)}v{men(1)}" + (f"[{left or '-'}]" if full.left != m.left else "")
            + (f"+{rights}" if rights else ""))


def _read_rights(v: Variant, text: str, at: int, count: List[List[int]], bad: str) -> int:
    """From `+` on."""
    c, rights = v.castling, 0
    if not c.allowed:
        raise Fault(USAGE, bad + (f"a FEN must tell where king and rooks of {v.name} castle from"
                                  if c.shuffled else f"there is no castling in {v.name}"))
    if not text[at + 1:]:
        raise Fault(USAGE, bad + "'+' without castling rights")
    for column, letter in enumerate(text[at + 1:], at + 2):
        if letter not in RIGHTS:
            raise Fault(USAGE, bad + f"'{letter}' at column {column} is no castling right")
        bit, named = RIGHTS[letter], bad + f"castling right '{letter}'"
        if rights >> bit & 1:
            raise Fault(USAGE, named + " twice")
        rights |= 1 << bit
        home = v.home_rank(bit // 2)
        if c.rook_file[bit & 1] == NO_HOME:
            whose = "the FEN of " if c.shuffled else ""
            raise Fault(USAGE, named + f", but {whose}{v.name} has none on this wing")
        if {home + c.king_file, home + c.rook_file[bit & 1]} & v.holes:
            raise Fault(USAGE, named + " with a hole for a home")
        if bin(rights >> bit // 2 * 2 & 3).count("1") > count[bit // 2][c.rook]:
            raise Fault(USAGE, named + f" without a {('white', 'black')[bit // 2]} {v.kinds[c.rook].name}")
    return rights


def _read_men(v: Variant, text: str, bad: str) -> Tuple[List[List[int]], int]:
    """Men by colour and type, and where they end."""
    count, colour, seen_v, at = [[0] * len(v.kinds), [0] * len(v.kinds)], 0, False, 0
    for at, letter in enumerate(text + "["):
        if letter in "[+":
            break
        if letter == "v" and not seen_v:
            seen_v, colour = True, 1
            continue
        kind = v.type_of(letter)
        if kind is None:
            raise Fault(USAGE, bad + f"'{letter}' at column {at + 1} is no piece of {v.name}; it has "
                        + "".join(v.types))
        count[colour][kind] += 1
        if sum(count[0]) + sum(count[1]) > MEN_MAX:
            raise Fault(USAGE, bad + f"more than {MEN_MAX} men")
    if not seen_v:
        raise Fault(USAGE, bad + "no 'v' between the two sides")
    for side, there in zip(("white", "black"), count):
        if there[v.royal] != 1:
            raise Fault(USAGE, bad + f"{side} has {there[v.royal]} kings, needs one")
    return count, at


def _read_left(v: Variant, text: str, at: int, bad: str) -> Tuple[List[List[int]], int]:
    """Allowances, from `[` on, and where they end."""
    left = [[0] * len(v.kinds), [0] * len(v.kinds)]
    inner, end, _ = text[at + 1:].partition("]")
    for column, letter in enumerate(inner, at + 2):
        kind = v.type_of(letter)
        if letter == "-":
            continue
        if kind is None or not v.limit[kind]:
            raise Fault(USAGE, bad + f"'{letter}' at column {column} is no evolution with a limit in "
                        + v.name)
        left[letter.islower()][kind] += 1
        if left[letter.islower()][kind] > v.limit[kind]:
            raise Fault(USAGE, bad + f"more than {v.limit[kind]} allowances of '{letter}'")
    if not end:
        raise Fault(USAGE, bad + "'[' without ']'")
    at += len(inner) + 2
    if text[at:at + 1] not in ("", "+"):
        raise Fault(USAGE, bad + f"'{text[at:]}' after ']'")
    return left, at


def parse(v: Variant, text: str) -> Material:
    bad = f"material '{text}': "
    count, at = _read_men(v, text, bad)
    left = [list(v.limit), list(v.limit)]
    if text[at:at + 1] == "[":
        left, at = _read_left(v, text, at, bad)
    rights = _read_rights(v, text, at, count, bad) if text[at:at + 1] == "+" else 0
    return normal(v, [tuple(c) for c in count], [tuple(c) for c in left], rights)


# == One move away, and all that follow ==


def _after(v: Variant, m: Material, colour: int, taken: Optional[int], start: int = 0,
           to: Optional[int] = None, counted: bool = False) -> Material:
    count, left = [list(m.counts[0]), list(m.counts[1])], [list(m.left[0]), list(m.left[1])]
    if taken is not None:
        count[1 - colour][taken] -= 1
    if to is not None:
        count[colour][start] -= 1
        count[colour][to] += 1
        if counted and left[colour][to]:
            left[colour][to] -= 1
    return normal(v, [tuple(c) for c in count], [tuple(c) for c in left], m.rights)


def _all_changes(v: Variant, m: Material, colour: int, kind: int) -> List[Tuple[int, bool]]:
    found: Dict[Tuple[int, bool], None] = {}
    for rank in range(v.ranks):
        land = [s for s in range(rank * v.files, (rank + 1) * v.files) if v.board >> s & 1]
        for in_place in (False, True) if land and v.kinds[kind].become else ():
            for to, counted in v.changes(m.counts[colour], m.left[colour], kind, colour, land[0],
                                         in_place):
                if to is not None:
                    found[to, counted] = None
    return list(found)


def _moves_of(v: Variant, m: Material, colour: int) -> Iterator[Material]:
    """What a move of `colour` makes of it, the rights left aside."""
    kinds = [k for k in range(len(v.kinds)) if m.counts[colour][k]]

    def changed(left: Material, kind: int) -> Iterator[Material]:
        for to, counted in _all_changes(v, m, colour, kind):
            yield _after(v, left, colour, None, kind, to, counted)

    yield m
    for kind in kinds:
        yield from changed(m, kind)
    for taken in range(len(v.kinds)):
        if taken == v.royal or not m.counts[1 - colour][taken]:
            continue
        one = _after(v, m, colour, taken)
        yield one
        for kind in kinds:
            yield from changed(one, kind)
            for also in range(taken, len(v.kinds)) if v.takes_twice(kind) else ():
                if also != v.royal and one.counts[1 - colour][also]:
                    two = _after(v, one, colour, also)
                    yield two
                    yield from changed(two, kind)


def _with_rights(v: Variant, before: Material, after: Material, colour: int) -> Iterator[Material]:
    """With each set of rights that may be left: any of the mover's own may go, and those of the
    other side whose rooks were just taken."""
    them, rook = 1 - colour, v.castling.rook
    for rights in range(before.rights, -1, -1):
        if rights & ~before.rights:
            continue
        lost = bin((before.rights & ~rights) >> 2 * them & 3).count("1")
        next_ = normal(v, after.counts, after.left, rights)
        if next_.rights == rights and next_ != before and lost <= max(
                0, before.counts[them][rook] - next_.counts[them][rook]):
            yield next_


def one_move_away(v: Variant, m: Material) -> List[Material]:
    found: Dict[Material, None] = {}
    for colour in range(2):
        for after in _moves_of(v, m._replace(rights=0), colour):
            for next_ in _with_rights(v, m, after, colour):
                found[next_] = None
    return list(found)


def needed(v: Variant, m: Material) -> Iterator[Material]:
    """The canonical material, and all that it may lead to and that have tables, the nearest first."""
    start = canonical(v, m)[0]
    queue, seen = [start], {start}
    if by_rule(v, start):
        return
    for at in queue:
        yield at
        for next_ in one_move_away(v, at):
            next_ = canonical(v, next_)[0]
            if next_ not in seen and not by_rule(v, next_):
                seen.add(next_)
                queue.append(next_)
