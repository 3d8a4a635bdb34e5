"""Reads questions from standard input, JSON [what, game, folder, FEN] a line, and answers each: for
test_pure.py, which asks two back ends the same.
"""

import json
import sys

import bareking

tables = {}


def tablebase(name, folder):
    if (name, folder) not in tables:
        tables[name, folder] = bareking.Tablebase(name, *filter(None, [folder]))
    return tables[name, folder]


def move(m):
    return [m.name, m.from_square, m.to_square, m.takes, m.also_taken, m.becomes, m.rook, m.end]


def answer(what, name, folder, fen):
    if what == "game":
        g = bareking.Game(name)
        return ["game", g.name, g.title, g.files, g.ranks, g.turns, g.start, g.rules, sorted(g.holes),
                g.pieces]
    if what == "play":
        return ["play", bareking.Position(name, fen).play(folder).fen]
    if what == "missing":
        return ["missing", tablebase(name, folder).missing(fen), tablebase(name, folder).has(fen)]
    if what == "moves":
        position = bareking.Position(name, fen)
        moves = position.legal_moves()
        return ["moves", [move(m) for m in moves], position.outcome(), position.move_texts(moves[::9])]
    if what == "texts":
        return ["texts", bareking.Position(name, fen).move_texts(folder.split() or None)]
    t = tablebase(name, folder)
    value = ["value", t.probe(fen), t.probe_wdl(fen)]
    if what == "all":
        position = t.game.position(fen)
        value += [position.fen, [move(m) for m in position.legal_moves()], position.outcome(),
                  position.move_texts(), [[*move(r.move), *r[1:5], r.error and r.error.__name__]
                   for r in t.root_moves(fen, partial=True)]]
    return value


for line in sys.stdin:
    try:
        said = answer(*json.loads(line))
    except bareking.BarekingError as error:
        said = ["error", type(error).__name__, str(error)]
    print(json.dumps(said))
