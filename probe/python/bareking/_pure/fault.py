"""What went wrong, as the library's functions say it: a number of enum bk_lib_err, and a text."""

from __future__ import annotations

NO_TABLE, ILLEGAL, USAGE, CORRUPT, SYSTEM, FEN, PIECE, NOT_IN_MEMORY, OVER_BUDGET = range(1, 10)
NEWER = 11

SAID = {0: "success", NO_TABLE: "no table for this material", ILLEGAL: "illegal position",
        USAGE: "bad input", CORRUPT: "table file is damaged", SYSTEM: "system error",
        FEN: "bad FEN", PIECE: "no such piece in this game", NOT_IN_MEMORY: "not in memory",
        OVER_BUDGET: "over the budget of memory", NEWER: "table file needs a newer bareking"}


class Fault(Exception):
    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code
        self.text = text


def system_fault(error: OSError, path: str) -> Fault:
    return Fault(SYSTEM, f"{path}: {error.strerror or error}")
