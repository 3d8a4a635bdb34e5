"""A game as data: variant files (docs/variant-files.md), and the games that FENs show.

The file is read as far as its rules go; whether it makes sense as a whole only `bareking
check-variant` says.
"""

from __future__ import annotations

import copy
import re
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Dict, FrozenSet, List, NamedTuple, Optional, Sequence, Tuple

from .fault import USAGE, Fault, system_fault
from .hashes import xxh64

QUIET, TAKES, HOPS = 1, 2, 4
WHITE, BLACK = 0, 1
NO_HOME = 255
BARE_NOTHING, BARE_WINS, BARE_BACK = 0, 1, 2
STAYS = None
FILES_MAX = RANKS_MAX = 14
TYPES_MAX = 26
STEPS_MAX = 48
MEN_MAX = 8  # of a table

VARIANTS = Path(__file__).parent.parent / "variants"


class Step(NamedTuple):
    """One direction of a move, as White makes it; range 0: without limit."""

    df: int
    dr: int
    range: int
    how: int


class Movement(NamedTuple):
    steps: Tuple[Step, ...]
    two: bool = False  # one step or two
    bend: bool = False
    twice: bool = False  # takes on the way, too


class Become(NamedTuple):
    ranks: int  # a mask, bit 0 the own first rank
    to: Tuple[int, ...]
    must: bool
    lost: bool
    counted: bool
    in_place: bool


class Kind:
    """A kind of men."""

    def __init__(self, name: str, ranks: int) -> None:
        self.name = name
        self.letter = ""
        self.royal = False
        self.army = 0
        self.ranks = ranks
        self.move = Movement(())
        self.zone_ranks = 0
        self.zone = Movement(())
        self.double_ranks = 0
        self.become: List[Become] = []


class Castling(NamedTuple):
    allowed: bool = False
    rook: int = 0
    king_file: int = 0
    rook_file: Tuple[int, int] = (0, 0)
    king_to: Tuple[int, int] = (0, 0)
    rook_to: Tuple[int, int] = (0, 0)
    shuffled: bool = False
    rank: int = 0  # of the homes, 0: the own first


class Variant:
    """The rules of a game.  Read-only once it is made."""

    def __init__(self) -> None:
        self.name = self.title = self.start = ""
        self.files = self.ranks = 0
        self.holes: FrozenSet[int] = frozenset()
        self.kinds: List[Kind] = []
        self.royal = 0
        self.bare = BARE_NOTHING
        self.stalemate_loses = False
        self.en_passant = False
        self.castling = Castling()
        self.limit: List[int] = []  # by type; 0: no limit
        self.turns = 0
        self.hands = self.configuration = self.drops = False
        self.hand_kind = 0  # 1: captured men change sides; 2: hostages
        self.worth: List[int] = []  # of hostages, by type
        self.quiet_turns = 0
        self.quiet_moves = False

    # == What follows from the fields ==

    def finish(self) -> Variant:
        self.squares = self.files * self.ranks
        self.board = sum(1 << s for s in range(self.squares) if s not in self.holes)
        self.types = {kind.letter: i for i, kind in enumerate(self.kinds)}
        self.wings_id = tuple(rules_number(self, wings) for wings in range(4))
        self.rules_id = self.wings_id[3]
        self.cache: Dict[Any, Any] = {}  # what others work out of it
        return self

    def type_of(self, letter: str) -> Optional[int]:
        return self.types.get(letter.upper()) if letter.isascii() and letter.isalpha() else None

    def letter_of(self, kind: int, colour: int) -> str:
        letter = self.kinds[kind].letter
        return letter.lower() if colour else letter

    def own_rank(self, square: int, colour: int) -> int:
        rank = square // self.files
        return self.ranks - 1 - rank if colour else rank

    def ahead(self, colour: int) -> int:
        """What to add to a square for the one straight ahead."""
        return -self.files if colour else self.files

    def home_rank(self, colour: int) -> int:
        """The first square of the rank on which a side castles."""
        rank = self.castling.rank
        return (self.ranks - 1 - rank if colour else rank) * self.files

    def may_stand(self, kind: int, colour: int, square: int) -> bool:
        return bool(self.board >> square & 1
                    and self.kinds[kind].ranks >> self.own_rank(square, colour) & 1)

    def square_name(self, square: Optional[int]) -> str:
        return "-" if square is None else (
            f"{chr(ord('a') + square % self.files)}{square // self.files + 1}")

    def file_of(self, letter: str) -> Optional[int]:
        """Sultan's rulebook calls its tenth file k, as if j were i; both are read."""
        file = ord(letter) - ord("a") if len(letter) == 1 and "a" <= letter <= "z" else self.files
        return 9 if letter == "k" and self.files == 10 else file if file < self.files else None

    # == Changes: promotion and evolution ==

    def changes(self, count: Sequence[int], left: Sequence[int], kind: int, colour: int, to: int,
                in_place: bool) -> List[Tuple[Optional[int], bool]]:
        """What a man may be when its move has ended on `to`, and whether that is counted.  count,
        left: by type, of its side before the move."""
        stays = not in_place and self.may_stand(kind, colour, to)
        offered: Dict[int, bool] = {}
        rank = self.own_rank(to, colour)
        for rule in self.kinds[kind].become:
            if not rule.ranks >> rank & 1 or (in_place and not rule.in_place):
                continue
            for into in rule.to:
                if ((rule.lost and count[into] >= self.kinds[into].army)
                        or (rule.counted and self.limit[into] and not left[into])
                        or not self.may_stand(into, colour, to)):
                    continue
                offered[into] = offered.get(into, True) and rule.counted and self.limit[into] > 0
                stays = stays and not rule.must
        return [(STAYS, False)] * stays + list(offered.items())

    def changes_into(self, kind: int, counted: bool = False) -> FrozenSet[int]:
        return frozenset(to for rule in self.kinds[kind].become if rule.counted or not counted
                         for to in rule.to)

    def may_become(self, kinds: FrozenSet[int]) -> FrozenSet[int]:
        """These kinds, and all that they may turn into by any number of changes."""
        found, todo = set(kinds), list(kinds)
        while todo:
            new = self.changes_into(todo.pop()) - found
            found |= new
            todo.extend(new)
        return frozenset(found)

    def may_use(self, kind: int) -> FrozenSet[int]:
        """The kinds by whose allowance a man of `kind` may one day change."""
        return frozenset().union(*(self.changes_into(k, True)
                                   for k in self.may_become(frozenset([kind]))))

    def changes_in_place(self, kind: int) -> bool:
        return any(rule.in_place for rule in self.kinds[kind].become)

    # == Other meanings ==

    def movement(self, kind: int, own_rank: int) -> Movement:
        k = self.kinds[kind]
        return k.zone if k.zone_ranks >> own_rank & 1 else k.move

    def doubles_from(self, kind: int, colour: int, square: int) -> bool:
        return bool(self.kinds[kind].double_ranks >> self.own_rank(square, colour) & 1)

    def is_double(self, kind: int, colour: int, start: int, to: int) -> bool:
        """Is this quiet move a double step, and no ordinary move of the man?"""
        return (self.doubles_from(kind, colour, start) and to == start + 2 * self.ahead(colour)
                and not _goes_two_anyway(self.movement(kind, self.own_rank(start, colour))))

    def takes_passing(self, kind: int, colour: int, start: int, to: int) -> bool:
        """May such a man capture en passant when it takes from `start` to `to`?"""
        rank = self.own_rank(start, colour)
        k = self.kinds[kind]
        return bool(k.double_ranks and not k.zone_ranks >> rank & 1
                    and self.own_rank(to, colour) > rank)

    def takes_twice(self, kind: int) -> bool:
        k = self.kinds[kind]
        return k.move.twice or bool(k.zone_ranks and k.zone.twice)

    def plain_is_exact(self, men: Tuple[int, int]) -> bool:
        """Are results exact if captured men leave the game?  men: of each side.  Not, mostly, in
        games with hands: docs/whole.md 1."""
        if self.hands and self.hand_kind:  # a drop is a turn of its own: nobody leaves the game
            return men == (1, 1)
        if not self.hands or 1 in men:
            return True
        boxes = {(s % self.files // 2, s // self.files // 2) for s in range(self.squares)
                 if s not in self.holes}
        return men == (2, 2) and (not self.configuration or len(boxes) > 2)

    def plies_left(self, turn: int, stm: int) -> Optional[int]:
        """Until the limit of turns; None: there is none."""
        return 2 * (self.turns + 1 - turn) - stm if self.turns else None


def _goes_two_anyway(m: Movement) -> bool:
    for s in m.steps:
        if not s.how & QUIET:
            continue
        if s.df == 0 and (s.dr == 2 or (s.dr == 1 and s.range != 1)):
            return True
        if m.two and any(s.df + t.df == 0 and s.dr + t.dr == 2 and (m.bend or s.df == 0)
                         for t in m.steps):
            return True
    return False


# == The number of the rules: docs/variant-files.md 4 ==


def _bytes_of(*numbers: Tuple[int, int]) -> bytes:
    return b"".join((n & (1 << 8 * size) - 1).to_bytes(size, "little") for n, size in numbers)


def _movement_bytes(m: Movement) -> bytes:
    steps = sorted(bytes([s.df & 255, s.dr & 255, s.range, s.how]) for s in m.steps)
    return bytes([len(steps), 2 if m.two else 1, m.two and m.bend, m.twice]) + b"".join(steps)


def _kind_bytes(v: Variant, i: int) -> bytes:
    k = v.kinds[i]
    asked = any(i in rule.to for other in v.kinds for rule in other.become if rule.lost)
    out = _bytes_of((ord(k.letter), 1), (k.army if asked else 0, 1), (k.ranks, 2))
    out += _movement_bytes(k.move) + _bytes_of((k.zone_ranks, 2))
    if k.zone_ranks:
        out += _movement_bytes(k.zone)
    out += _bytes_of((k.double_ranks, 2), (len(k.become), 1))
    for rule in k.become:
        out += _bytes_of((rule.ranks, 2), (sum(1 << to for to in rule.to), 4), (rule.must, 1),
                         (rule.lost, 1), (rule.counted, 1), (rule.in_place, 1))
    return out + bytes([v.limit[i]])


def _castling_on(v: Variant, wings: int) -> Castling:
    """Shuffled homes of wings without rights do not matter; if no wing is left, castling does not."""
    c = v.castling
    if not c.shuffled:
        return c
    left, right = (c.rook_file[side] if wings >> side & 1 else NO_HOME for side in range(2))
    return c._replace(rook_file=(left, right), allowed=c.allowed and left != right)


def rules_number(v: Variant, wings: int) -> int:
    c = _castling_on(v, wings)
    doubles = any(k.double_ranks for k in v.kinds)
    out = bytes([v.files, v.ranks]) + v.board.to_bytes(32, "little")
    out += bytes([len(v.kinds), v.royal])
    out += b"".join(_kind_bytes(v, i) for i in range(len(v.kinds)))
    out += bytes([v.bare, v.stalemate_loses, doubles and v.en_passant])
    out += _bytes_of((v.turns, 2), (c.allowed, 1))
    if c.allowed:
        out += bytes([c.rook, c.king_file])
        for side in range(2):
            out += bytes([c.rook_file[side], c.king_to[side], c.rook_to[side]])
        if c.rank:
            out += b"R" + bytes([c.rank])
    if v.hands:
        out += b"H" + bytes([v.configuration, v.drops, v.quiet_turns])
        if v.quiet_moves:
            out += b"M"
        if v.hand_kind:
            out += b"K" + bytes([v.hand_kind])
        if v.hand_kind == 2:
            out += bytes(v.worth)
    return xxh64(out, 1)


# == Betza's notation: docs/variant-files.md 3 ==

_LEAPS = {"W": [(0, 1)], "F": [(1, 1)], "D": [(0, 2)], "N": [(1, 2)], "A": [(2, 2)],
          "H": [(0, 3)], "C": [(1, 3)], "Z": [(2, 3)], "G": [(3, 3)], "K": [(0, 1), (1, 1)],
          "R": [(0, 1)], "B": [(1, 1)], "Q": [(0, 1), (1, 1)]}
_ATOM = re.compile(r"([a-z]*)(?:([A-Z])|\((\d+),(\d+)\))(\2|\d+)?")


def _points(way: str, df: int, dr: int) -> bool:
    return {"f": dr > 0, "b": dr < 0, "l": df < 0, "r": df > 0, "v": dr != 0, "s": df != 0}[way]


def _directions(ways: str, x: int, y: int) -> List[Tuple[int, int]]:
    """The leaps of an (x, y) leaper that its directions choose."""
    leaps = sorted({(sx * a, sy * b) for a, b in ((x, y), (y, x)) for sx in (1, -1) for sy in (1, -1)})
    if not ways:
        return leaps
    if x == 0:
        return [d for d in leaps if any(_points(w, *d) for w in ways)]
    if x == y:
        pairs = re.findall(r"[fb][lr]|[lr][fb]|.", ways)
        if set(ways) & set("vs"):
            raise ValueError("`v` and `s` choose no diagonal; write f, b, l or r")
        return [d for d in leaps if any(all(_points(w, *d) for w in pair) for pair in pairs)]
    pairs = [ways[i:i + 2] for i in range(0, len(ways), 2)]
    if set(pairs) - {"ff", "fs", "bb", "bs", "ll", "lv", "rr", "rv"}:
        raise ValueError("an oblique leap needs pairs of directions: ff fs bb bs ll lv rr rv")
    return [(df, dr) for df, dr in leaps for pair in pairs if _points(pair[0], df, dr)
            and (abs(dr) > abs(df)) == ((pair[0] in "fb") == (pair[0] == pair[1]))]


def read_move(text: str) -> Tuple[Step, ...]:
    """ValueError: what is wrong."""
    how_of: Dict[Tuple[int, int, int, int], int] = {}
    at = 0
    while at < len(text) or not at:
        m = _ATOM.match(text, at)
        if not m or (m[2] and m[2] not in _LEAPS) or set(m[1]) - set("mcpfblrvs"):
            raise ValueError(f"`{text[at:]}` does not begin with an atom")
        at = m.end()
        how = (QUIET if "m" in m[1] else 0) | (TAKES if "c" in m[1] else 0)
        how = (how or QUIET | TAKES) | (HOPS if "p" in m[1] else 0)
        leaps = _LEAPS[m[2]] if m[2] else [(min(int(m[3]), int(m[4])), max(int(m[3]), int(m[4])))]
        reach = 0 if m[2] and m[2] in "RBQ" else 1
        if m[5]:
            reach = 0 if m[5] == m[2] else int(m[5])
        if how & HOPS and reach == 1:
            raise ValueError("`p` hops along a line: give the atom a range, as in pR or pW4")
        if reach >= RANKS_MAX or leaps[0] == (0, 0) or leaps[0][1] >= RANKS_MAX:
            raise ValueError("the number is larger than any board, or goes nowhere")
        for leap in leaps:
            for df, dr in _directions(re.sub("[mcp]", "", m[1]), *leap):
                key = df, dr, reach, how & HOPS
                how_of[key] = how_of.get(key, 0) | how
    if len(how_of) > STEPS_MAX:
        raise ValueError(f"too many atoms: a man has at most {STEPS_MAX} directions")
    return tuple(Step(*key[:3], how) for key, how in how_of.items())


# == Variant files: docs/variant-files.md 1, 2 ==


class _File:
    """The sections of a file: (header, line, {key: [(value, line)]})."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.sections: List[Tuple[str, int, Dict[str, List[Tuple[str, int]]]]] = []
        for number, line in enumerate(text.split("\n"), 1):
            self._line(number, re.sub(r"(^|\s)[;#].*" if line[:1] in ";#" else r"\s;.*", "", line).rstrip())

    def _line(self, number: int, line: str) -> None:
        key = re.fullmatch(r"([a-z-]+)\s*=\s*(.*)", line)
        if re.fullmatch(r"\[[^]]*\]", line):
            self.sections.append((line[1:-1].strip(), number, {}))
        elif key and self.sections:
            there = self.sections[-1][2].setdefault(key[1], [])
            if there and key[1] not in ("becomes", "holes", "deal"):
                self.fault(number, f"`{key[1]}` stands twice")
            there.append((key[2].strip(), number))
        elif line:
            self.fault(number, f"`{line}` is neither a section nor a key")

    def fault(self, line: int, what: str) -> None:
        raise Fault(USAGE, f"{self.path}:{line}:1: {what}")


class _Section:
    """Values are taken by key; what is left in the end is not known."""

    def __init__(self, file: _File, nth: int) -> None:
        self.file = file
        self.header, self.line, self._keys = file.sections[nth]

    def all(self, key: str) -> List[Tuple[str, int]]:
        return self._keys.pop(key, [])

    def text(self, key: str, default: Optional[str] = None) -> str:
        found = self.all(key)
        if found:
            self.at = found[0][1]
            return found[0][0]
        if default is None:
            self.file.fault(self.line, f"[{self.header}] lacks `{key}`")
        self.at = self.line
        return default or ""

    def one_of(self, key: str, *words: str) -> int:
        """The number of its value among `words`; the first: where it is not there."""
        value = self.text(key, words[0])
        if value not in words:
            self.file.fault(self.at, f"{key}: `{value}` is none of {', '.join(words)}")
        return words.index(value)

    def number(self, key: str, most: int) -> int:
        value = self.text(key, "0")
        if not value.isdigit() or int(value) > most:
            self.file.fault(self.at, f"{key}: `{value}` is no number up to {most}")
        return int(value)

    def end(self) -> None:
        for key, values in self._keys.items():
            self.file.fault(values[0][1], f"[{self.header}]: `{key}` is not known to Python alone")


def _ranks_of(text: str, ranks: int) -> int:
    mask = 0
    for part in text.split(","):
        m = re.fullmatch(r"(\d+)(-?)(\d*)", part)
        low = int(m[1]) if m else 0
        high = int(m[3]) if m and m[3] else ranks if m and m[2] else low
        if not 1 <= low <= high <= ranks:
            raise ValueError(f"`{text}` are no ranks of this board")
        mask |= (1 << high) - (1 << low - 1)
    return mask


def _movement_of(s: _Section, key: str, two: bool, bend: bool, twice: bool) -> Movement:
    text = s.text(key, None if key == "move" else "")
    return Movement(read_move(text) if text else (), two, two and bend, two and twice)


def _read_become(v: Variant, text: str) -> Become:
    words = text.split()
    flags = {word for word in words if word in ("may", "must", "lost", "counted", "in-place")}
    to = tuple(v.types.get(word, -1) for word in words[1:] if word not in flags)
    if not to or -1 in to or len(flags & {"may", "must"}) != 1:
        raise ValueError(f"becomes: `{text}` is not RANKS may|must [lost] [counted] [in-place] L ...")
    return Become(_ranks_of(words[0], v.ranks), to, "must" in flags, "lost" in flags,
                  "counted" in flags, "in-place" in flags)


def _read_kind(v: Variant, k: Kind, s: _Section) -> None:
    k.royal = bool(s.one_of("royal", "no", "yes"))
    two, bend = bool(s.one_of("steps", "1", "2")), bool(s.one_of("bend", "straight", "free"))
    twice = bool(s.one_of("takes-twice", "no", "yes"))
    k.move = _movement_of(s, "move", two, bend, twice)
    k.zone = _movement_of(s, "zone-move", False, False, False)
    army = s.text("army", "1" if k.royal else "0")
    k.army = int(army) if army.isdigit() else -1
    if not 0 <= k.army < 256:
        raise ValueError(f"army: `{army}` is no number")
    for key, field in (("ranks", "ranks"), ("zone-ranks", "zone_ranks"), ("double-step", "double_ranks")):
        text = s.text(key, "")
        if text:
            setattr(k, field, _ranks_of(text, v.ranks))
    for text, line in s.all("becomes"):
        s.at = line
        k.become.append(_read_become(v, text))


def _letter(v: Variant, text: str) -> int:
    if text not in v.types:
        raise ValueError(f"`{text}` is no letter of a piece")
    return v.types[text]


def _read_castling(v: Variant, s: _Section) -> Castling:
    def files(key: str) -> Tuple[int, int]:
        words = s.text(key).split()
        found = [NO_HOME if w == "-" else v.file_of(w) for w in words]
        if len(found) != 2 or None in found:
            raise ValueError(f"{key}: two files are wanted")
        return found[0], found[1]  # type: ignore[return-value]

    shuffled = bool(s.one_of("castling-homes", "fixed", "shuffled"))
    rank = max(s.number("castling-rank", v.ranks // 2) - 1, 0)
    rook = s.text("castling-rook", "")
    if not rook:
        return Castling()
    king_to, rook_to = files("castling-king-to"), files("castling-rook-to")
    if shuffled:
        return Castling(False, _letter(v, rook), NO_HOME, (NO_HOME, NO_HOME), king_to, rook_to, True, rank)
    king = v.file_of(s.text("castling-king-file"))
    if king is None:
        raise ValueError("castling-king-file: no file of this board")
    return Castling(True, _letter(v, rook), king, files("castling-rook-files"), king_to, rook_to,
                    rank=rank)


def _read_board(v: Variant, s: _Section) -> None:
    board = re.fullmatch(r"(\d+)x(\d+)", s.text("board"))
    if not board or not all(2 <= int(n) <= FILES_MAX for n in board.groups()):
        raise ValueError("board: FILESxRANKS is wanted, 2x2 to 14x14")
    v.files, v.ranks = int(board[1]), int(board[2])
    holes = set()
    for text, line in s.all("holes"):
        s.at = line
        for name in text.split():
            m = re.fullmatch(r"([a-z])(\d+)", name)
            file = v.file_of(m[1]) if m else None
            if not m or file is None or not 1 <= int(m[2]) <= v.ranks:
                raise ValueError(f"holes: `{name}` is no square")
            holes.add((int(m[2]) - 1) * v.files + file)
    v.holes = frozenset(holes)


def _read_rules(v: Variant, s: _Section) -> None:
    """All of [variant] that needs no more than the letters of the pieces."""
    v.name = s.text("name")
    if not re.fullmatch(r"[a-z0-9-]{1,63}", v.name):
        raise ValueError(f"name: `{v.name}` has other letters than a-z, 0-9 and -")
    v.title, v.start = s.text("title", ""), s.text("start", "")
    for key in ("source", "deal-shuffle", "deal-apart", "n-move", "zeroing"):  # no rules of a table
        s.text(key, "")
    s.all("deal")
    v.bare = s.one_of("bare-king", "nothing", "wins", "wins-unless-bared-back")
    v.stalemate_loses = bool(s.one_of("stalemate", "draw", "loss"))
    v.en_passant = bool(s.one_of("en-passant", "no", "yes"))
    v.castling = _read_castling(v, s)
    v.limit = [0] * len(v.kinds)
    for word in s.text("limits", "").split():
        if not word[1:].isdigit():
            raise ValueError(f"limits: `{word}` is no letter and number")
        v.limit[_letter(v, word[0])] = int(word[1:])
    v.turns = s.number("game-length-turns", 10000)
    hand = s.one_of("hand", "none", "captured", "turned", "hostage")
    v.hands, v.hand_kind = bool(hand), max(hand - 1, 0)
    v.worth = [0] * len(v.kinds)
    for word in s.text("values", "").split():
        if not word[1:].isdigit():
            raise ValueError(f"values: `{word}` is no letter and number")
        v.worth[_letter(v, word[0])] = int(word[1:])
    s.one_of("hand-bonus", "none", "n-for-n")  # of turns with hands, which no table knows
    s.one_of("hand-recapture", "yes", "no")
    v.configuration = bool(s.one_of("configuration", "none", "2x2"))
    v.drops = bool(s.one_of("opening", "array", "drops"))
    v.quiet_turns = s.number("opening-quiet-turns", 20)
    v.quiet_moves = bool(s.one_of("opening-quiet", "turns", "moves"))


def read_variant(path: str, text: str) -> Variant:
    file = _File(path, text)
    sections = [_Section(file, i) for i in range(len(file.sections))]
    pieces = [s for s in sections if s.header.startswith("piece ")]
    general = next((s for s in sections if s.header == "variant"), None)
    if general is None or len(pieces) + 1 != len(sections) or not 1 <= len(pieces) <= TYPES_MAX:
        raise Fault(USAGE, f"{path}:1:1: one [variant] and up to {TYPES_MAX} [piece NAME] are wanted")
    v = Variant()
    now = general
    try:
        _read_board(v, general)
        for now in pieces:
            kind = Kind(now.header[6:].strip(), (1 << v.ranks) - 1)
            kind.letter = now.text("letter")
            v.kinds.append(kind)
        v.types = {kind.letter: i for i, kind in enumerate(v.kinds)}
        if len(v.types) < len(v.kinds) or not all(re.fullmatch("[A-Z]", c) for c in v.types):
            raise ValueError("letters are A-Z, each one piece's")
        for now, kind in zip(pieces, v.kinds):
            _read_kind(v, kind, now)
            now.end()
        now = general
        _read_rules(v, general)
        general.end()
        royal = [i for i, kind in enumerate(v.kinds) if kind.royal]
        if len(royal) != 1:
            raise ValueError("exactly one piece is royal")
        v.royal = royal[0]
    except ValueError as error:
        file.fault(getattr(now, "at", now.line), str(error))
    return v.finish()


def names() -> Tuple[str, ...]:
    """The built-in games."""
    return tuple(path.stem for path in sorted(VARIANTS.glob("*.ini")))


def _fairy_names() -> FrozenSet[str]:
    """The games that Fairy-Stockfish has built in, as far as libbareking has them."""
    return frozenset(name for path in VARIANTS.glob("fairy/*.ini")
                     for name in re.findall(r"^\[([^]:]+)", path.read_text("utf-8"), re.M))


def load(name: str) -> Variant:
    """A game by its name or path."""
    if ".ini#" in name:
        raise Fault(USAGE, f"{name}: Fairy-Stockfish's games are read by libbareking alone")
    is_path = "/" in name or name.endswith(".ini")
    if not is_path and name not in names():
        if name in _fairy_names():
            raise Fault(USAGE, f"{name}: Fairy-Stockfish's games are read by libbareking alone")
        near = get_close_matches(name, names(), 1, 0)
        raise Fault(USAGE, f"no variant is called `{name}`; did you mean `{near[0] if near else ''}`?  "
                           f"There are {' '.join(names())}")
    path = Path(name) if is_path else VARIANTS / (name + ".ini")
    try:
        if path.exists() and not path.is_file():
            raise Fault(USAGE, f"{name}: not a file")
        text = path.read_text("utf-8")
    except (FileNotFoundError, NotADirectoryError) as error:
        raise Fault(USAGE, f"{name}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise Fault(USAGE, f"{name}:1: not a text file") from None
    except OSError as error:
        raise system_fault(error, name) from None
    return read_variant(name if is_path else path.name, text)


# == On the terrain of a FEN: docs/rules.md#the-destruction-of-atlantis ==


def _moved_ranks(mask: int, before: int, now: int) -> int:
    """Where a mask of ranks is on a board of `now` ranks: those of the far half go with its end.
    ValueError: a run of ranks has none left."""
    def moved(rank: int) -> int:
        return rank if rank <= (before + 1) // 2 else now - (before - rank)

    if mask == (1 << before) - 1:
        return (1 << now) - 1
    out = 0
    for run in re.finditer("1+", bin(mask)[:1:-1]):
        first, last = max(moved(run.start() + 1), 1), min(moved(run.end()), now)
        if first > last:
            raise ValueError
        out |= (1 << last) - (1 << first - 1)
    return out


def on_terrain(base: Variant, files: int, ranks: int, holes: FrozenSet[int]) -> Variant:
    """The same men and rules on another board."""
    if base.hands or base.configuration:
        raise Fault(USAGE, f"{base.name} is bound to its own board")
    v = copy.copy(base)
    v.files, v.ranks, v.holes = files, ranks, holes
    v.castling = Castling()
    board = sum(1 << s for s in range(files * ranks) if s not in holes)
    mark = xxh64(bytes([files, ranks]) + board.to_bytes(32, "little"), 0) & 0xffffffff
    v.name = f"{base.name}@{files}x{ranks}-{mark:08x}"
    v.title, v.start = f"{base.title or base.name} on terrain", ""
    v.kinds = [copy.copy(kind) for kind in base.kinds]
    if len(v.name) > 63:
        raise Fault(USAGE, f"{base.name}: the name is too long for a terrain's")
    for k in v.kinds:
        try:
            for field in ("ranks", "zone_ranks", "double_ranks"):
                setattr(k, field, _moved_ranks(getattr(k, field), base.ranks, ranks))
            k.become = [rule._replace(ranks=_moved_ranks(rule.ranks, base.ranks, ranks))
                        for rule in k.become]
        except ValueError:
            raise Fault(USAGE, f"{base.name} on a board of {ranks} ranks: too few for {k.name}'s "
                               "rules") from None
        k.army = min(k.army, files * ranks - len(holes))
    return v.finish()


# == With the castling homes of a FEN: docs/rules.md#sultan-random ==


def with_homes(base: Variant, king: int, rooks: Tuple[int, int]) -> Variant:
    v = copy.copy(base)
    v.castling = base.castling._replace(allowed=True, king_file=king, rook_file=rooks)
    v.start = ""
    v.name = homes_name(v, 3)
    return v.finish()


def homes_name(v: Variant, wings: int) -> str:
    """The game that a table belongs to where rights are left on `wings` only (bit 0: the a-side)."""
    c = v.castling
    if not (c.shuffled and c.allowed):
        return v.name
    rooks = "".join(chr(ord("a") + c.rook_file[side]) for side in range(2)
                    if wings >> side & 1 and c.rook_file[side] != NO_HOME)
    base = v.name.split("@")[0]
    return f"{base}@{chr(ord('a') + c.king_file)}-{rooks}" if rooks else base
