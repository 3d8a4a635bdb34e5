"""Legal moves, how a game ends, and the names of moves (docs/rules.md)."""

from __future__ import annotations

import re
from typing import Iterator, List, NamedTuple, Optional, Tuple

from .board import TWICE, Reach, geometry
from .fault import USAGE, Fault
from .game import BARE_BACK, BARE_NOTHING, NO_HOME, QUIET, STAYS, TAKES, Variant
from .position import Pos

GOES_ON, CHECKMATE, STALEMATE, BARE, BARE_DRAW = range(5)


class Move(NamedTuple):
    """takes: the square of the man taken, or None; also: of a second one, or of the rook that
    castles; tells: the name needs the square between, or the rook's."""

    start: int
    to: int
    becomes: Optional[int] = STAYS
    takes: Optional[int] = None
    also: Optional[int] = None
    castles: bool = False
    counted: bool = False
    doubles: bool = False
    tells: bool = False


# == Attacks ==


def attacked(v: Variant, p: Pos, square: int, by: int) -> bool:
    """Could a man of side `by` take an enemy on `square`?"""
    g, occupied = geometry(v), -1
    for start, man in p.men.items():
        for r in g.takes_on(man >> 1, by, start, square) if man & 1 == by else ():
            if r.how == TWICE:
                if _takes_on_way(p, r, square, by):
                    return True
                continue
            occupied = p.occupied if occupied < 0 else occupied
            if r.open(occupied):
                return True
    return False


def _takes_on_way(p: Pos, r: Reach, square: int, by: int) -> bool:
    """Would the move take on `square`, as the second man or as the first?"""
    via = r.paths[0].bit_length() - 1
    if r.to == square:
        return p.men.get(via, by) & 1 != by
    return via == square and p.men.get(r.to, 1 - by) & 1 != by


def in_check(v: Variant, p: Pos, colour: int) -> bool:
    return attacked(v, p, p.king[colour], 1 - colour)


# == Moves ==


class _Making:
    def __init__(self, v: Variant, p: Pos) -> None:
        self.v, self.p, self.us = v, p, p.stm
        self.g, self.occupied = geometry(v), p.occupied
        self.count = p.count(v)

    def changes(self, kind: int, m: Move) -> Iterator[Move]:
        """`m` once for each kind that the man may be on arrival."""
        v, us = self.v, self.us
        if not v.kinds[kind].become:
            if v.may_stand(kind, us, m.to):
                yield m
            return
        for becomes, counted in v.changes(self.count[us], self.p.left[us], kind, us, m.to,
                                          m.start == m.to):
            yield m._replace(becomes=becomes, counted=counted,
                             doubles=m.doubles and becomes is STAYS)

    def might_go(self, kind: int, start: int, to: int) -> bool:
        """Quietly, whatever stands on the way?"""
        return any(r.to == to and r.how & QUIET for r in self.g.reach(kind, self.us, start))

    def passing(self, kind: int, start: int, r: Reach) -> Optional[Move]:
        """The capture in passing that `r` makes."""
        v, p = self.v, self.p
        if r.to != p.ep or not r.how & TAKES or not v.takes_passing(kind, self.us, start, r.to):
            return None
        victim = r.to - v.ahead(self.us)
        if p.men.get(victim, self.us) & 1 == self.us or victim == p.king[1 - self.us]:
            return None
        if not r.open(self.occupied):
            return None
        return Move(start, r.to, takes=victim, tells=self.might_go(kind, start, r.to))

    def on_way(self, start: int, r: Reach) -> Optional[Move]:
        """The move that takes on the way and goes on from there."""
        via = r.paths[0].bit_length() - 1
        if self.p.men.get(via, self.us) & 1 == self.us or via == self.p.king[1 - self.us]:
            return None
        if r.to in self.p.men:
            return Move(start, r.to, takes=r.to, also=via, tells=True)
        return Move(start, r.to, takes=via, tells=True)

    def plain(self, kind: int, start: int, r: Reach) -> Optional[Move]:
        taken = r.to in self.p.men
        if not r.how & (TAKES if taken else QUIET) or not r.open(self.occupied):
            return None
        return Move(start, r.to, takes=r.to if taken else None, doubles=(
            not taken and self.v.is_double(kind, self.us, start, r.to)))

    def of_man(self, start: int, kind: int) -> Iterator[Move]:
        v, p, us = self.v, self.p, self.us
        done, passed = None, p.ep is None
        for r in self.g.reach(kind, us, start):
            if p.men.get(r.to, 1 - us) & 1 == us or r.to == p.king[1 - us]:
                continue
            if r.how == TWICE:
                taker = p.ep == r.to and r.paths[0] == 1 << r.to - v.ahead(us)
                move = None if taker and passed else self.on_way(start, r)
                passed = passed or (taker and move is not None)
                if move:
                    yield from self.changes(kind, move)
                continue
            if r.to != done:
                move = self.plain(kind, start, r)
                if move:
                    done = r.to
                    yield from self.changes(kind, move)
            move = None if passed else self.passing(kind, start, r)
            if move:
                passed = True
                yield from self.changes(kind, move)
        if v.changes_in_place(kind):
            yield from self.changes(kind, Move(start, start))

    # == Castling ==

    def way_free(self, a: int, b: int, king: int, rook: int) -> bool:
        return all(self.v.board >> s & 1 and (s in (king, rook) or s not in self.p.men)
                   for s in range(min(a, b), max(a, b) + 1))

    def safe(self, king: int, to: int) -> bool:
        """Is no square of the king's way attacked, he being lifted off his home?"""
        if in_check(self.v, self.p, self.us):
            return False
        away = self.p.copy()
        del away.men[king]
        step = 1 if to > king else -1
        return not any(attacked(self.v, away, s, 1 - self.us)
                       for s in (range(king + step, to + step, step) if to != king else ()))

    def castle(self, side: int) -> Optional[Move]:
        v, p, us, c = self.v, self.p, self.us, self.v.castling
        home = v.home_rank(us)
        king, king_to = home + c.king_file, home + c.king_to[side]
        rook, rook_to = home + c.rook_file[side], home + c.rook_to[side]
        if (not p.rights >> 2 * us + side & 1 or p.king[us] != king
                or p.men.get(rook) != c.rook * 2 + us):
            return None
        if not (self.way_free(king, king_to, king, rook) and self.way_free(rook, rook_to, king, rook)
                and self.way_free(king, rook, king, rook) and self.safe(king, king_to)):
            return None
        return Move(king, king_to, also=rook, castles=True, tells=(
            abs(king - king_to) <= 1 or self.might_go(v.royal, king, king_to)))

    def all(self) -> Iterator[Move]:
        for start, man in sorted(self.p.men.items()):
            if man & 1 == self.us:
                yield from self.of_man(start, man >> 1)
        if self.v.castling.allowed and self.p.rights:
            yield from (m for m in (self.castle(0), self.castle(1)) if m)


def _leaves_safe(v: Variant, p: Pos, m: Move) -> bool:
    after = p.copy()
    move_men(v, after, m)
    return not in_check(v, after, p.stm)


def legal(v: Variant, p: Pos) -> Iterator[Move]:
    return (m for m in _Making(v, p).all() if _leaves_safe(v, p, m))


def king_takes(v: Variant, p: Pos) -> bool:
    """May the king of the side to move take a man?"""
    making = _Making(v, p)
    return any(m.takes is not None and _leaves_safe(v, p, m)
               for m in making.of_man(p.king[p.stm], v.royal))


# == Playing ==


def rights_of(v: Variant, square: Optional[int]) -> int:
    """The castling rights that depend on a square."""
    c, rights = v.castling, 0
    for colour in range(2):
        home = v.home_rank(colour)
        for side in range(2):
            if square == home + c.king_file or (c.rook_file[side] != NO_HOME
                                                and square == home + c.rook_file[side]):
                rights |= 1 << 2 * colour + side
    return rights


def move_men(v: Variant, p: Pos, m: Move) -> None:
    """The part of a move that happens on the board."""
    for square in (m.takes, m.also):
        if square is not None:
            del p.men[square]
    man = p.men.pop(m.start)
    p.put(v, man >> 1 if m.becomes is STAYS else m.becomes, man & 1, m.to)
    if m.castles:
        file = m.also % v.files  # type: ignore[operator]
        side = int(file == v.castling.rook_file[1])
        p.put(v, v.castling.rook, man & 1, m.also - file + v.castling.rook_to[side])  # type: ignore[operator]


def play(v: Variant, p: Pos, m: Move) -> Pos:
    after, us = p.copy(), p.stm
    move_men(v, after, m)
    if p.rights:
        for square in (m.start, m.to, m.takes, m.also):
            after.rights &= ~rights_of(v, square)
    if m.counted and after.left[us][m.becomes]:  # type: ignore[index]
        after.left[us][m.becomes] -= 1  # type: ignore[index]
    after.ep = m.start + v.ahead(us) if m.doubles and v.en_passant else None
    after.turn = min(p.turn + us, 0xFFFF)
    after.stm = 1 - us
    return after


def is_exit(v: Variant, p: Pos, m: Move) -> bool:
    """Does it change the material, rights included?"""
    return (m.takes is not None or m.becomes is not STAYS or m.castles
            or bool(p.rights & (rights_of(v, m.start) | rights_of(v, m.to))))


# == The end of a game: docs/rules.md#ending-the-game ==


def bare_end(v: Variant, p: Pos) -> Tuple[int, int]:
    """How bare kings end it, and the wdl; GOES_ON: they do not."""
    men = p.number_of()
    ours, theirs = men[p.stm], men[1 - p.stm]
    if ours > 1 and theirs > 1:
        return GOES_ON, 0
    if ours == theirs:
        return BARE_DRAW, 0
    if v.bare == BARE_NOTHING:
        return GOES_ON, 0
    if theirs == 1:
        return BARE, 1
    if theirs == 2 and v.bare == BARE_BACK and king_takes(v, p):
        return BARE_DRAW, 0
    return BARE, -1


def end_of(v: Variant, p: Pos) -> Tuple[int, int]:
    end, wdl = bare_end(v, p)
    if end or any(True for _ in legal(v, p)):
        return end, wdl
    if in_check(v, p, p.stm):
        return CHECKMATE, -1
    return STALEMATE, -int(v.stalemate_loses)


# == Names ==


def _between(m: Move) -> Optional[int]:
    if m.castles or not m.tells:
        return None
    return m.takes if m.also is None else m.also


def _named_to(m: Move) -> int:
    return m.also if m.castles and m.tells else m.to  # type: ignore[return-value]


def name(v: Variant, m: Move) -> str:
    between = _between(m)
    return (v.square_name(m.start) + ("" if between is None else v.square_name(between))
            + v.square_name(_named_to(m))
            + ("" if m.becomes is STAYS else "=" + v.kinds[m.becomes].letter))


def uci(v: Variant, m: Move) -> str:
    """As engines write it: "b9b10m"."""
    said, _, becomes = name(v, m).partition("=")
    return said + becomes.lower()


def _origin(v: Variant, p: Pos, m: Move, among: List[Move]) -> str:
    """The letter of the man, unless it is P, and what must be said of where he comes from: his file,
    or his rank, or both, where others of his kind could end there, too."""
    others = [o.start for o in among if o.to == m.to and o.start != m.start and not o.castles
              and p.men[o.start] == p.men[m.start]]
    file, rank = m.start % v.files, m.start // v.files
    same_file = any(start % v.files == file for start in others)
    same_rank = any(start // v.files == rank for start in others)
    letter = v.kinds[p.men[m.start] >> 1].letter
    pawn_takes = letter == "P" and m.takes is not None and file != m.to % v.files
    says_file = pawn_takes or (others and (same_rank or not same_file))
    return (letter.replace("P", "") + (chr(ord("a") + file) if says_file else "")
            + (str(rank + 1) if same_file else ""))


def san(v: Variant, p: Pos, m: Move, among: List[Move]) -> str:
    """As people write it: "Rxd5+", "e8=Q", "O-O".  among: all legal moves."""
    if m.castles:
        text = "O-O-O" if m.also < m.start else "O-O"  # type: ignore[operator]
    else:
        between = _between(m)
        text = _origin(v, p, m, among) + ("" if between is None else "x" + v.square_name(between))
        if between is not None and m.also is None:
            text += "-"
        elif m.takes is not None:
            text += "x"
        text += v.square_name(m.to) + ("" if m.becomes is STAYS else "=" + v.kinds[m.becomes].letter)
    after = play(v, p, m)
    if end_of(v, after)[1] < 0:
        return text + "#"
    return text + "+" * in_check(v, after, after.stm)


class _Said(NamedTuple):
    squares: Tuple[int, ...]  # two or three
    becomes: Optional[int]
    wing: Optional[int]  # O-O 1, O-O-O 0


def _read(v: Variant, text: str) -> Optional[_Said]:
    text = text.rstrip("+#!?")
    if not text or len(text) >= 24:
        return None
    wing = re.fullmatch(r"[Oo0](-?[Oo0]){1,2}", text)
    if wing:
        return _Said((), None, int(sum(c != "-" for c in text) == 2))
    if not any(c.islower() for c in text):
        text = re.sub(r"[A-Z](?=[0-9])", lambda m: m[0].lower(), text)
    squares: List[int] = []
    at = 0
    while len(squares) < 4:
        m = re.compile(r"([a-z])([0-9]+)(?:[-x:,](?=[A-Za-z][0-9]))?").match(text, at)
        file = v.file_of(m[1]) if m else None
        if not m or file is None or not 1 <= int(m[2]) <= v.ranks:
            break
        squares.append((int(m[2]) - 1) * v.files + file)
        at = m.end()
    rest = re.fullmatch(r"=?([A-Za-z])?", text[at:])
    becomes = v.type_of(rest[1]) if rest and rest[1] else None
    if (len(squares) < 2 or not rest or text[at:] == "=" or (rest[1] and becomes is None)
            or (len(squares) == 4 and squares[1] != squares[2])):
        return None
    between = squares[1:2] if len(squares) > 2 else []
    return _Said((squares[0], *between, squares[-1]), becomes, None)


def _fits(m: Move, said: _Said) -> bool:
    if said.wing is not None:
        return m.castles and int(m.also > m.start) == said.wing  # type: ignore[operator]
    between = _between(m)
    names = (m.start,) if between is None else (m.start, between)
    return said.squares[:-1] == names and (said.squares[-1] == _named_to(m)
                                           or (m.castles and said.squares[-1] == m.also))


def read(v: Variant, p: Pos, text: str) -> Move:
    """The legal move that a word means."""
    said = _read(v, text)
    ways: List[List[Move]] = [[], [], []]  # by its name; by another; with a change that is not said
    for m in legal(v, p) if said else ():
        if not _fits(m, said) or said.becomes not in (m.becomes, None):  # type: ignore[arg-type,union-attr]
            continue
        if said.becomes != m.becomes:  # type: ignore[union-attr]
            ways[2].append(m)
        else:
            ways[said.wing is None and said.squares[-1] != _named_to(m)].append(m)  # type: ignore[union-attr]
    meant: List[Move] = next((way for way in ways if way), [])
    if len(meant) == 1:
        return meant[0]
    raise Fault(USAGE, f"'{text[:16]}' " + ("may be several moves" if meant
                                            else "is no legal move here"))
