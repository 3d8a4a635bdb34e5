"""How long probes take in Python: bench_python.py DIR GAME MATERIAL [POSITIONS]

Random legal positions of a material, either side to move, warm.  "C" is the library's own function, called
once with arrays that are ready; what others take more is what Python adds.  Processor time, which neighbours
change less than the clock's; ways are asked in turn, and the median of the rounds counts.
"""

import ctypes
import statistics
import sys
import time

import bareking
import numpy
from bareking._library import AnswerStruct, lib

ROUNDS = 9


def legal_positions(tables, material, n):
    rng = numpy.random.default_rng(1)
    white, black = material.split("v")
    men = white + black.lower()
    squares = rng.integers(0, tables.game.squares, (3 * n, len(men)))
    side = rng.integers(0, 2, len(squares)).astype(bool)
    known = tables.probe_many(bareking.PositionArray(tables.game, men, squares, side)).codes == 0
    return men, squares[known][:n], side[known][:n]


def ways(tables, material, n):
    """A name, how many positions, and what asks them."""
    men, squares, side = legal_positions(tables, material, n)
    array = bareking.PositionArray(tables.game, men, squares, side)
    n = len(array)
    positions = [array[i] for i in range(n)]
    fens = [p.fen for p in positions]
    raw = (ctypes.c_char_p * n)(*[fen.encode() for fen in fens])
    out = (AnswerStruct * n)()
    handle = tables._handle
    few = fens[:max(n // 20, 1)]
    yield "batch of positions, C", n, lambda: handle.ask(lib.bk_probe_many, array.address, n, 0, out, None)
    yield "batch of positions, PositionArray", n, lambda: tables.probe_many(array)
    yield "  and the array from squares", n, lambda: tables.probe_many(
        bareking.PositionArray(tables.game, men, squares, side))
    yield "batch of FENs, C", n, lambda: handle.ask(lib.bk_probe_many_fen, raw, n, 0, out, None)
    yield "batch of FENs, list of str", n, lambda: tables.probe_many(fens)
    yield "  of Position", n, lambda: tables.probe_many(positions)
    yield "  and every Answer", n, lambda: list(tables.probe_many(fens))
    yield "one by one, probe", len(few), lambda: [tables.probe(fen) for fen in few]
    yield "one by one, probe_wdl", len(few), lambda: [tables.probe_wdl(fen) for fen in few]
    yield "root_moves", len(few), lambda: [tables.root_moves(fen) for fen in few]


def main(folder, name, material, n="200000"):
    with bareking.Tablebase(name, folder) as tables:
        asked = list(ways(tables, material, int(n)))
        took = {way: [] for way, _, _ in asked}
        for _ in range(ROUNDS):
            for way, many, ask in asked:
                began = time.thread_time_ns()
                ask()
                took[way].append((time.thread_time_ns() - began) / many)
    print(f"{name} {material}, {asked[0][1]} random legal positions, ns a position")
    for way, times in took.items():
        print(f"  {way:36} {statistics.median(times):8.0f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
