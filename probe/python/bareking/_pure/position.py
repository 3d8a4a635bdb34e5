"""Positions and FENs (docs/rules.md#how-positions-are-written)."""

from __future__ import annotations

import re
from typing import Dict, List, NamedTuple, Optional, Tuple

from .fault import USAGE, Fault
from .game import (FILES_MAX, NO_HOME, RANKS_MAX, WHITE, Castling, Variant, on_terrain,
                   with_homes)

RIGHTS = {"K": 1, "Q": 0, "k": 3, "q": 2}  # bits, as they are written
_EPD = set("acd acn acs am bm ce dm eco fmvn hmvc id nic pm pv rc sm tcgs tcri tcsi".split())


class Pos:
    """A position.  men: by square, type * 2 + colour."""

    __slots__ = ("men", "king", "stm", "ep", "rights", "left", "turn")

    def __init__(self, v: Variant) -> None:
        self.men: Dict[int, int] = {}
        self.king: List[int] = [-1, -1]
        self.stm = WHITE
        self.ep: Optional[int] = None
        self.rights = 0  # bit 2 * colour + side
        self.left = [list(v.limit), list(v.limit)]
        self.turn = 1

    def copy(self) -> Pos:
        p = Pos.__new__(Pos)
        p.men, p.king = self.men.copy(), self.king.copy()
        p.stm, p.ep, p.rights, p.turn = self.stm, self.ep, self.rights, self.turn
        p.left = [self.left[0].copy(), self.left[1].copy()]
        return p

    def put(self, v: Variant, kind: int, colour: int, square: int) -> None:
        self.men[square] = kind * 2 + colour
        if kind == v.royal:
            self.king[colour] = square

    @property
    def occupied(self) -> int:
        return sum(1 << s for s in self.men)

    def count(self, v: Variant) -> List[List[int]]:
        """Men by colour and type."""
        out = [[0] * len(v.kinds), [0] * len(v.kinds)]
        for man in self.men.values():
            out[man & 1][man >> 1] += 1
        return out

    def number_of(self) -> Tuple[int, int]:
        """How many men each side has."""
        black = sum(man & 1 for man in self.men.values())
        return len(self.men) - black, black


def square_name_read(v: Variant, text: str) -> Optional[int]:
    m = re.fullmatch(r"([a-z])([1-9][0-9]*)", text)
    file = v.file_of(m[1]) if m else None
    if not m or file is None or int(m[2]) > v.ranks:
        return None
    return (int(m[2]) - 1) * v.files + file


# == The fields of a FEN ==


class Fields(NamedTuple):
    board: str = ""
    side: str = ""
    castling: str = ""
    passed: str = ""
    clock: str = ""
    turn: str = ""
    rest: str = ""
    too_many: bool = False
    column: Tuple[int, ...] = (1,) * 7  # of each field and of the rest, from 1


def _begins_operation(rest: str) -> bool:
    """Operations of EPD, or the `;` that sets off whatever follows?"""
    if rest[:1] == ";":
        return True
    if not re.match("[A-Za-z]", rest):
        return False
    word = re.match(r"[^\s_;]*(?=[\s_])", rest)
    return ";" in rest or bool(word and (word[0] in _EPD or re.fullmatch("[cv][0-9]", word[0])))


def split_fen(text: str) -> Fields:
    """Fields that are missing are empty."""
    fields, column = [""] * 6, [1] * 7
    at, nth = (1 if text.startswith("\ufeff") else 0), 0
    while True:
        at += len(re.match(r"[ \t\n\v\f\r_]*", text[at:])[0])  # type: ignore[index]
        word = re.match(r"[^ \t\n\v\f\r_;]*", text[at:])[0]  # type: ignore[index]
        square = re.fullmatch(r"[a-z][0-9]+", word)
        if nth >= 2 and re.fullmatch(r"(?=.*\+)[0-9+]{2,}", word):
            at += len(word)  # counts of checks
            continue
        if not word or nth == 6 or (nth >= (4 if square else 3) and _begins_operation(text[at:])):
            break
        if nth in (2, 3) and re.fullmatch("[0-9]+", word):
            nth = 4
        elif nth == 2 and square:
            nth = 3
        fields[nth], column[nth] = word, at + 1
        at, nth = at + len(word), nth + 1
    rest = text[at:]
    column[6] = at + 1
    too_many = bool(rest) and not _begins_operation(rest)
    board, side, castling, passed, clock, turn = fields
    return Fields(board, side, castling, passed, clock, turn, rest, too_many, tuple(column))


def is_start(text: str) -> bool:
    if "startpos" not in text:
        return False
    fields = split_fen(text)
    return fields.board == "startpos" and not fields.side


def meant(v: Variant, text: str) -> str:
    return v.start if v.start and is_start(text) else text


# == Reading ==


def _bad(what: str) -> Fault:
    return Fault(USAGE, "FEN" + what)


def _shown(letter: str) -> str:
    return f"'{letter}'" if " " < letter <= "~" else f"\\x{letter.encode('utf-8', 'replace')[0]:02x}"


def _cells(v: Variant, row: str, rank: int, column: int) -> List[str]:
    out: List[str] = []
    for part in re.findall(r"[0-9]+|[A-Za-z]~|.", row, re.S):
        if part.isdigit():
            if not 0 < int(part) <= 99:
                raise _bad(f" rank {rank + 1}: bad gap at column {column}")
            out += "." * int(part)
        elif part == "*" or v.type_of(part[0]) is not None:
            out.append(part[0])
        else:
            raise _bad(f" rank {rank + 1}: unknown piece letter {_shown(part[0])} at column {column}; "
                       f"{v.name} has " + "".join(v.types))
        column += len(part)
    return out


def _read_board(v: Variant, p: Pos, board: str, column: int) -> None:
    if not board:
        raise _bad(": empty")
    rows = board.split("/")
    cells = []
    for i, row in enumerate(rows if "*" in board or len(rows) == v.ranks else ()):
        cells.append(_cells(v, row, len(rows) - 1 - i, column))
        column += len(row) + 1
    if len(rows) != v.ranks:
        raise _bad(f": {len(rows)} rank{'s' * (len(rows) > 1)}, the board has {v.ranks}")
    for rank, there in enumerate(reversed(cells)):
        if len(there) != v.files:
            raise _bad(f": rank {rank + 1} has {len(there)} squares, the board has {v.files}")
        for file, cell in enumerate(there):
            square = rank * v.files + file
            name = v.square_name(square)
            if cell == "*" and square not in v.holes:
                raise _bad(f": '*' at {name} is not a hole of this board")
            if cell != "*" and square in v.holes:
                raise _bad(f": {name} is a hole ('*' expected)")
            if cell in "*.":
                continue
            kind, colour = v.types[cell.upper()], int(cell.islower())
            side = ("white", "black")[colour]
            if not v.may_stand(kind, colour, square):
                raise _bad(f": {side} {v.kinds[kind].name} on {name}, where it may not stand")
            p.put(v, kind, colour, square)
    _check_kings(v, p)


def _check_kings(v: Variant, p: Pos) -> None:
    for colour, side in enumerate(("white", "black")):
        n = sum(man == v.royal * 2 + colour for man in p.men.values())
        if n != 1:
            many = {0: "no", 2: "two"}.get(n, str(n))
            raise _bad(f": {many} {side} {v.kinds[v.royal].name}{'s' * (n > 1)}")


def _read_allowances(v: Variant, p: Pos, text: str, column: int) -> None:
    """text: from `[` on, which stands at `column`."""
    if not text:
        return
    inner, end, after = text[1:].partition("]")
    p.left = [[0] * len(v.kinds), [0] * len(v.kinds)]
    for at, letter in enumerate("" if inner == "-" else inner, column + 1):
        kind = v.type_of(letter)
        if v.hands:
            raise _bad(f": men in hand at column {at}; of {v.name} with hands `bareking whole` knows")
        if kind is None or not v.limit[kind]:
            raise _bad(f" allowances: {_shown(letter)} at column {at} is not a piece with a limit")
        left = p.left[letter.islower()]
        left[kind] += 1
        if left[kind] > v.limit[kind]:
            raise _bad(f" allowances: more than {v.limit[kind]} '{letter}' at column {at}")
    if not end:
        raise _bad(f" allowances: ']' missing at column {column + len(text)}")
    if after:
        raise _bad(f": space expected after ']' at column {column + len(inner) + 2}")


def _read_castling(v: Variant, p: Pos, text: str, column: int) -> None:
    c = v.castling
    for at, letter in enumerate("" if text == "-" else text, column):
        low, colour = letter.lower(), int(letter.islower())
        if not (letter.isascii() and letter.isalpha()
                and (low in "kq" or ord(low) - ord("a") < v.files)):
            raise _bad(f" castling: unknown right {_shown(letter)} at column {at}")
        side = _castling_side(v, c, low)
        home = v.home_rank(colour)
        if (side is None or p.men.get(home + c.king_file) != v.royal * 2 + colour
                or p.men.get(home + c.rook_file[side]) != c.rook * 2 + colour):
            continue  # not at home: it says nothing
        bit = 1 << 2 * colour + side
        if p.rights & bit:
            raise _bad(f" castling: '{letter}' at column {at} says a right twice")
        p.rights |= bit


def _castling_side(v: Variant, c: Castling, low: str) -> Optional[int]:
    if not c.allowed:
        return None
    if low in "kq":
        side = int(low == "k")
        return None if c.rook_file[side] == NO_HOME else side
    file = v.file_of(low)
    return c.rook_file.index(file) if file is not None and file in c.rook_file else None


def _passed(v: Variant, p: Pos, ep: int) -> bool:
    """Is `ep` behind an enemy man that can just have made a double step?"""
    them = 1 - p.stm
    if not 0 < v.own_rank(ep, them) < v.ranks - 1:
        return False
    start, to = ep - v.ahead(them), ep + v.ahead(them)
    man = p.men.get(to)
    return (man is not None and man & 1 == them and start not in p.men and ep not in p.men
            and bool(v.board >> start & v.board >> ep & 1)
            and v.doubles_from(man >> 1, them, start))


def _read_turn(text: str) -> int:
    if not re.fullmatch("[0-9]+", text) or int(text) > 0xFFFF:
        raise _bad(f" move number: '{text[:40]}' is not 1 to 65535")
    return int(text) or 1


def _read_clocks(p: Pos, fields: Fields) -> None:
    if fields.clock not in ("", "-") and not re.fullmatch("0*[0-9]{1,4}", fields.clock):
        raise _bad(f" half-move clock: '{fields.clock[:40]}' is not 0 to 9999")
    if fields.too_many:
        word = re.split(r"[\s;_]", fields.rest)[0][:40]
        raise _bad(f": '{word}' after the last field, at column {fields.column[6]}")
    if fields.turn:
        p.turn = _read_turn(fields.turn) if fields.turn != "-" else 1
        return
    operations = re.sub(r'"[^"]*("|$)', "", fields.rest)
    number = re.search(r"(?:^|;)\s*fmvn\s+([^\s;]*)", operations)
    if number:
        p.turn = _read_turn(number[1])


def read_fen(v: Variant, text: str) -> Pos:
    """A position of this game, on its own board."""
    text = meant(v, text)
    if is_start(text):
        raise Fault(USAGE, f"{v.name} has no starting position: give a FEN")
    fields = split_fen(text)
    p = Pos(v)
    board, bracket, within = fields.board.partition("[")
    _read_board(v, p, board, fields.column[0])
    _read_allowances(v, p, bracket + within, fields.column[0] + len(board))
    if fields.side not in ("", "w", "b"):
        raise _bad(f" side to move: '{fields.side[:40]}' is neither 'w' nor 'b'")
    p.stm = int(fields.side == "b")
    if fields.castling != "+":  # which has a meaning where terrain is live
        _read_castling(v, p, fields.castling, fields.column[2])
    if fields.passed not in ("", "-"):
        ep = square_name_read(v, fields.passed)
        if ep is None:
            raise _bad(f" en passant: '{fields.passed[:40]}' is no square")
        if v.en_passant and _passed(v, p, ep):
            p.ep = ep
    _read_clocks(p, fields)
    return p


# == Writing ==


def write_board(v: Variant, p: Pos) -> str:
    rows = []
    for rank in reversed(range(v.ranks)):
        row = ""
        for square in range(rank * v.files, (rank + 1) * v.files):
            man = p.men.get(square)
            row += ("*" if square in v.holes else "." if man is None
                    else v.letter_of(man >> 1, man & 1))
        rows.append(re.sub(r"\.+", lambda gap: str(len(gap[0])), row))
    return "/".join(rows)


def write_fen(v: Variant, p: Pos) -> str:
    bracket = ""
    if p.left != [v.limit, v.limit]:
        bracket = "".join(v.letter_of(kind, colour) * n for colour in range(2)
                          for kind, n in enumerate(p.left[colour]) if v.limit[kind])
        bracket = f"[{bracket or '-'}]"
    rights = ""
    for letter, bit in RIGHTS.items():
        if p.rights >> bit & 1:
            home = chr(ord("A" if bit < 2 else "a") + v.castling.rook_file[bit & 1])
            rights += home if v.castling.shuffled else letter
    return (f"{write_board(v, p)}{bracket} {'wb'[p.stm]} {rights or '-'} {v.square_name(p.ep)} 0 "
            f"{p.turn}")


# == The game of a FEN: on its terrain, or with its castling homes ==


def _terrain(v: Variant, board: str) -> Optional[Tuple[int, int, frozenset]]:  # type: ignore[type-arg]
    """The board that a FEN shows; None: the game's own, or none."""
    rows = []
    for row in board.split("[")[0].split("/"):
        parts = re.findall(r"[1-9][0-9]*|\*|[A-Za-z]~?", row)
        if "".join(parts) != row or not row or any(
                v.type_of(part[0]) is None for part in parts if part[0].isalpha()):
            return None
        if any(part.isdigit() and int(part) > FILES_MAX for part in parts):
            return None
        rows.append("".join("." * int(part) if part.isdigit() else part[0] for part in parts))
    files, ranks = len(rows[0]), len(rows)
    if not (2 <= files <= FILES_MAX and 2 <= ranks <= RANKS_MAX) or {len(r) for r in rows} != {files}:
        return None
    sea = frozenset(rank * files + file for rank, row in enumerate(reversed(rows))
                    for file, cell in enumerate(row) if cell == "*")
    if not sea and files == v.files:
        return None
    return None if (files, ranks, sea) == (v.files, v.ranks, v.holes) else (files, ranks, sea)


def _homes(v: Variant, text: str) -> Optional[Tuple[int, Tuple[int, int]]]:
    """The files of king and rooks that a FEN's castling rights speak of."""
    if not v.castling.shuffled or v.castling.allowed:
        return None
    try:
        p = read_fen(v, text)
    except Fault:
        return None
    king, rooks = NO_HOME, [NO_HOME, NO_HOME]
    for letter in split_fen(text).castling.replace("-", ""):
        colour = int(letter.islower())
        at, rook = p.king[colour] % v.files, _home_rook(v, p, letter.lower(), colour)
        if rook is None:
            continue
        if king not in (NO_HOME, at):
            raise _bad(f" castling: the kings' homes differ, {chr(97 + king)} and {chr(97 + at)}")
        side = int(rook > at)
        if rooks[side] not in (NO_HOME, rook):
            raise _bad(f" castling: two homes for a rook {('left', 'right')[side]} of the king, "
                       f"{chr(97 + rooks[side])} and {chr(97 + rook)}")
        king, rooks[side] = at, rook
    return None if king == NO_HOME else (king, (rooks[0], rooks[1]))


def _home_rook(v: Variant, p: Pos, low: str, colour: int) -> Optional[int]:
    """The file of the rook of a right; None: king and rook are not where they could castle from."""
    home, king = v.home_rank(colour), p.king[colour] % v.files
    if p.king[colour] - king != home or king in (0, v.files - 1):
        return None
    rooks = [file for file in range(v.files)
             if p.men.get(home + file) == v.castling.rook * 2 + colour]
    if low == "q":
        return min((f for f in rooks if f < king), default=None)
    if low == "k":
        return max((f for f in rooks if f > king), default=None)
    file = ord(low) - ord("a")
    return file if file in rooks else None


def variant_for(base: Variant, text: str) -> Variant:
    """The game that a FEN is asked in: `base`, or one derived from it."""
    text = meant(base, text)
    key = ("terrain", _terrain(base, split_fen(text).board))
    if key[1] is None:
        key = ("homes", _homes(base, text))  # type: ignore[assignment]
    if key[1] is None:
        return base
    known: Dict[object, Variant] = base.cache.setdefault("derived", {})
    if key not in known:
        if len(known) >= 64:
            known.pop(next(iter(known)), None)
        make = on_terrain if key[0] == "terrain" else with_homes
        known[key] = make(base, *key[1])  # type: ignore[operator]
    return known[key]
