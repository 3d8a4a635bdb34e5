"""One exception for each error of libbareking.

    BarekingError                   all of them
        MissingTableError           expected: a table was never generated
        IllegalPositionError        expected: the side to move could take the other king
        NotInMemoryError            expected: cache_only, and it must be read
        UsageError                  a bad argument, variant file, move
        FenError                    a FEN that cannot be read, or is none of this game
        UnknownPieceError           a letter that is no piece of this game
        DamagedTableError           a table file is damaged
        NewerTableError             a table file of a later version than the library
        SystemFailure               memory, disk, permissions
        OverBudgetError             the memory allowed is too small for this question
        ClosedError                 asked after close()
"""

from __future__ import annotations

import re
from typing import Dict, Optional, Tuple, Type

from ._library import lib


class BarekingError(Exception):
    """What went wrong, in one line.  `code` is libbareking's number, enum bk_lib_err."""

    code: int = 0


class MissingTableError(BarekingError, KeyError):
    """No table answers this position.  A KeyError, as in python-chess.

    `tables` names those that are missing, as materials ("KRvKN"): first the one that was asked
    for, then others that some position of the same material needs and that are not there, as many
    as the text names: Tablebase.missing(tables[0]) has all.  None where there can be no table: of
    too many men, or of a game with hands.
    """

    code = 1
    __str__ = Exception.__str__  # KeyError's own quotes it

    @property
    def tables(self) -> Tuple[str, ...]:
        # "no table KRPvK of chess in DIR:DIR; also missing: KRvK, KQvK, and 12 more", "no distances of
        # KRvKN of ...; also missing: KNvK (distances), and more", "tables of KRvKN of ... came to ..."; and
        # of one that none of these is: "a table that KRvKN of ... leads to is not in ..." (bareking.h)
        text = re.sub(r"[,;] and (\d+ )?more$", "", str(self))
        asked = re.match(r"(?:no table|no distances of|tables of) (\w+v\w+\S*) of ", text)
        others = re.match(r".*; also missing: (.*)", text)
        names = others[1].split(", ") if others else []
        return () if not asked else (asked[1], *(n.removesuffix(" (distances)") for n in names))


class IllegalPositionError(BarekingError, ValueError):
    """The side to move could take the other side's king."""

    code = 2


class UsageError(BarekingError, ValueError):
    """A bad argument: off the board, two men on a square, no king, no such game or move."""

    code = 3


class DamagedTableError(BarekingError):
    """A table file is damaged.  `bareking doctor DIR` says which."""

    code = 4


class SystemFailure(BarekingError, OSError):
    """The system refused: memory, disk, permissions, descriptors.  May be asked again."""

    code = 5


class FenError(BarekingError, ValueError):
    """A FEN that cannot be read, or is none of this game."""

    code = 6


class UnknownPieceError(BarekingError, ValueError):
    """A letter that is no piece of this game."""

    code = 7


class NotInMemoryError(BarekingError):
    """`cache_only` was asked, and the answer must be read from a file."""

    code = 8


class OverBudgetError(BarekingError, MemoryError):
    """The memory allowed to the tablebase is too small for this question."""

    code = 9


class NewerTableError(BarekingError):
    """A table file of a later version: it needs a newer libbareking."""

    code = 11


class ClosedError(BarekingError, ValueError):
    """A tablebase was asked after close()."""


BY_CODE: Dict[int, Type[BarekingError]] = {
    error.code: error for error in BarekingError.__subclasses__() if error.code
}


def error_of(code: int, text: Optional[str] = None) -> BarekingError:
    """The exception for a code; without a text, what the library says of the code."""
    # an error that a later library has is its SYSTEM (bareking.h, "Binary compatibility")
    error = BY_CODE.get(code, SystemFailure)(text or lib.bk_lib_strerror(code).decode())
    error.code = code
    return error
