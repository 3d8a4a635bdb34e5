"""Asks endgame tables of the Shatranj family, by libbareking; or by Python alone, where that is missing.

    import bareking

    with bareking.Tablebase("shatranj", "tables") as tables:
        answer = tables.probe("8/8/8/3k4/8/1KQ5/8/q7 w - - 0 1")
        print(answer.wdl, answer.dtw)                      # 1 39: White wins in 39 plies
        for best in tables.root_moves("8/8/8/3k4/8/1KQ5/8/q7 w - - 0 1")[:3]:
            print(best.move, best.wdl, best.dtw)

Values are always those of the side to move: wdl -1 loss, 0 draw, 1 win; dtw is the number of
plies (not moves) to the end under best play.  "Unknown" is never a value: a missing table is an
exception, MissingTableError, or the default of a get_...() function.

    open_tablebase(), Tablebase   tables: probe(), probe_wdl(), root_moves(), probe_many(), get...()
    Game, Position, Move          boards, legal moves, ends, without tables, for all our games
    PositionArray, Answers        many positions, as arrays of NumPy if it is there
    variants()                    the built-in games
    BarekingError and the like    one exception for each error
"""

from ._errors import (BarekingError, ClosedError, DamagedTableError, FenError,
                      IllegalPositionError, MissingTableError, NewerTableError, NotInMemoryError,
                      OverBudgetError, SystemFailure, UnknownPieceError, UsageError)
from ._game import End, Game, Man, Move, MoveText, Outcome, PieceKind, Position, variants
from ._library import lib as _lib
from ._many import UNKNOWN, Answers, PositionArray
from ._tablebase import Answer, Has, Memory, RootMove, Table, Tablebase, open_tablebase

__version__ = "0.2.0"  # that of bareking.h

__all__ = [
    "Answer", "Answers", "BarekingError", "ClosedError", "DamagedTableError", "End", "FenError",
    "Game", "Has", "IllegalPositionError", "Man", "Memory", "MissingTableError", "Move",
    "MoveText", "NewerTableError", "NotInMemoryError", "Outcome", "OverBudgetError", "PieceKind", "Position",
    "PositionArray",
    "RootMove", "SystemFailure", "Table", "Tablebase", "UNKNOWN", "UnknownPieceError",
    "UsageError", "library_version", "open_tablebase", "variants",
]


def library_version() -> str:
    """The version of the libbareking that is loaded; of this package, if none is and Python does all.

    >>> library_version()
    '0.2.0'
    """
    number = _lib.bk_lib_version()
    return f"{number >> 16}.{number >> 8 & 255}.{number & 255}"
