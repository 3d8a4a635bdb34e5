"""libbareking by ctypes: where it is found, and what is used here of what bareking.h declares; where it
is not, _pure has the same functions in Python.

The header is the manual.  tests/test_library.py compares every struct with it.
"""

from __future__ import annotations

import ctypes
import os
import warnings
from ctypes import (POINTER, Structure, c_char, c_char_p, c_int, c_size_t, c_uint,
                    c_uint8, c_uint16, c_uint32, c_uint64, c_void_p)
from pathlib import Path
from typing import Any, List, Optional

SONAME = "libbareking.so.0"
VERSION = 0x000200  # of the header that this package is of
SQUARES_MAX = 256
TYPES_MAX = 32
FEN_MAX = 512
NO_SQUARE = 0xFFFF
STAYS = 0xFF
CACHE_ONLY = 1
WDL_ONLY = 2

# == Structs ==


class Options(Structure):
    _fields_ = [("struct_size", c_size_t), ("paths", c_char_p), ("memory_bytes", c_uint64),
                ("share", c_void_p), ("open_files", c_uint), ("reserved", c_uint),
                ("host", c_void_p)]


class Piece(Structure):
    _fields_ = [("type", c_uint8), ("colour", c_uint8), ("square", c_uint16)]


class Pos(Structure):
    _fields_ = [("men", c_void_p), ("n", c_uint32), ("turn", c_uint32), ("en_passant", c_uint16),
                ("black_to_move", c_uint8), ("castling", c_uint8), ("limited", c_uint8),
                ("elsewhere", c_uint8), ("counter", c_uint16),
                ("left", (c_uint8 * TYPES_MAX) * 2), ("further", c_void_p)]


class AnswerStruct(Structure):
    _fields_ = [("wdl", c_int), ("dtw", c_int), ("end", c_int), ("clocked_wdl", c_int),
                ("plies_left", c_int), ("clocked_known", c_int), ("wdl5", c_int), ("dtz", c_int)]


class Ranked(Structure):
    _fields_ = [("from_", c_uint16), ("to", c_uint16), ("takes", c_uint16),
                ("also_taken", c_uint16), ("rook", c_uint16), ("becomes", c_uint8),
                ("castles", c_uint8), ("err", c_int), ("end", c_int), ("wdl", c_int),
                ("dtw", c_int), ("clocked_wdl", c_int), ("clocked_known", c_int),
                ("keeps", c_int), ("name", c_char * 16), ("wdl5", c_int), ("dtz", c_int), ("zeroes", c_int)]


class MoveTextStruct(Structure):
    _fields_ = [("san", c_char * 32), ("uci", c_char * 16), ("fen", c_char * FEN_MAX),
                ("reserved", c_int * 4)]


class GamePiece(Structure):
    _fields_ = [("letter", c_char), ("royal", c_uint8), ("evolutions", c_uint8),
                ("reserved", c_uint8), ("name", c_char * 32)]


class GameStruct(Structure):
    _fields_ = [("struct_size", c_size_t), ("name", c_char * 64), ("title", c_char * 96),
                ("files", c_uint), ("ranks", c_uint), ("squares", c_uint), ("types", c_uint),
                ("turns", c_uint), ("hole", c_uint8 * SQUARES_MAX),
                ("piece", GamePiece * TYPES_MAX), ("start", c_char * 256),
                ("rules", c_uint64)]


class TableStruct(Structure):
    _fields_ = [("material", c_char * 96), ("men", c_int), ("has", c_int), ("bytes", c_uint64)]


STRUCTS = {"bk_options": Options, "bk_lib_piece": Piece, "bk_lib_pos": Pos,
           "bk_answer": AnswerStruct, "bk_lib_ranked": Ranked, "bk_lib_move_text": MoveTextStruct, "bk_lib_game": GameStruct,
           "bk_lib_table": TableStruct}

# == Functions == what they return, what they take; the handle is a plain address
_SIZE = POINTER(c_size_t)
_TABLES = [c_void_p, c_size_t, _SIZE]
_MOVES = [c_void_p, c_size_t, _SIZE]
FUNCTIONS = {
    "bk_lib_version": (c_uint, []),
    "bk_lib_strerror": (c_char_p, [c_int]),
    "bk_game_name": (c_char_p, [c_size_t]),
    "bk_error": (c_char_p, [c_void_p]),
    "bk_open_with": (c_int, [POINTER(c_void_p), c_char_p, POINTER(Options)]),
    "bk_close": (None, [c_void_p]),
    "bk_set_memory": (c_int, [c_void_p, c_uint64]),
    "bk_memory": (c_int, [c_void_p, POINTER(c_uint64), POINTER(c_uint64)]),
    "bk_prefetch": (c_int, [c_void_p, c_char_p, c_uint]),
    "bk_refresh": (c_int, [c_void_p]),
    "bk_set_paths": (c_int, [c_void_p, c_char_p]),
    "bk_read_fen": (c_int, [c_void_p, c_char_p, c_void_p, c_size_t, POINTER(Pos)]),
    "bk_write_fen": (c_int, [c_void_p, POINTER(Pos), c_char_p]),
    "bk_probe": (c_int, [c_void_p, c_void_p, c_uint, POINTER(AnswerStruct)]),
    "bk_probe_fen": (c_int, [c_void_p, c_char_p, POINTER(AnswerStruct)]),
    "bk_probe_fen_wdl": (c_int, [c_void_p, c_char_p, c_uint, POINTER(c_int)]),
    "bk_probe_many": (c_int, [c_void_p, c_void_p, c_size_t, c_uint, c_void_p, c_void_p]),
    "bk_probe_many_fen": (c_int, [c_void_p, c_void_p, c_size_t, c_uint, c_void_p, c_void_p]),
    "bk_rank_moves_fen": (c_int, [c_void_p, c_char_p, c_int, c_uint, *_MOVES]),
    "bk_legal_moves_fen": (c_int, [c_void_p, c_char_p, *_MOVES]),
    "bk_write_moves_fen": (c_int, [c_void_p, c_char_p, c_void_p, c_size_t, c_void_p]),
    "bk_is_over_fen": (c_int, [c_void_p, c_char_p, POINTER(c_int), POINTER(c_int)]),
    "bk_play": (c_int, [c_void_p, c_char_p, c_char_p, c_char_p]),
    "bk_game_of": (c_int, [c_void_p, POINTER(GameStruct)]),
    "bk_has": (c_int, [c_void_p, c_char_p]),
    "bk_list_tables": (c_int, [c_void_p, *_TABLES]),
    "bk_men_max": (c_int, [c_void_p]),
    "bk_list_missing": (c_int, [c_void_p, c_char_p, *_TABLES]),
}

# == Where it is ==


def candidates() -> List[str]:
    """What is tried, in order: $BAREKING_LIBRARY alone if it is set; else a copy beside this
    module; else the library that is installed, by its soname.  BAREKING_LIBRARY=none: nothing."""
    named = os.environ.get("BAREKING_LIBRARY")
    if named:
        return [] if named == "none" else [named]
    packed = sorted(str(p) for p in Path(__file__).parent.glob("libbareking.*"))
    return [*packed, SONAME]


def _load() -> Optional[ctypes.CDLL]:
    """None: it is nowhere, and Python does all, which is said once."""
    tried = []
    for name in candidates():
        try:
            return ctypes.CDLL(name)  # its calls let other threads run
        except OSError as error:
            tried.append(f"{name}: {error}")
    warnings.warn("libbareking is not loaded: tables are read by Python alone, some thousand times slower"
                  + (" (tried " + "; ".join(tried) + ")" if tried else ""), stacklevel=3)
    return None


def _declare(library: ctypes.CDLL) -> Any:
    for name, (result, arguments) in FUNCTIONS.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            version = library.bk_lib_version() if hasattr(library, "bk_lib_version") else 0
            raise ImportError(f"{library._name}: too old, {name} is missing "
                              f"(version {version:#08x})") from None
        function.restype = result
        function.argtypes = arguments
    return library


def _library() -> Any:
    found = _load()
    if found is not None:
        return _declare(found)
    from ._pure.library import PureLibrary
    return PureLibrary()


lib: Any = _library()
