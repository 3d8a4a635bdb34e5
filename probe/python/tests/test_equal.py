"""Every way to ask, beside what the command says: random positions of all tables of tests/golden, which
are of every game; on boards that FENs show, by FEN; on a game's own, by men and as arrays too.
"""

import json
import os
import random
import re
import subprocess
from pathlib import Path

import bareking
import pytest
from bareking import Game, Position, Tablebase

RARE = [  # rights, en passant, a spent turn
    ("normal", "chess", "r3k3/8/8/8/8/8/8/4K2R w Kq - 0 1"),
    ("normal", "chess", "r3k3/8/8/8/8/8/8/4K2R b Kq - 0 1"),
    ("alone", "chess", "4k2r/8/8/8/8/8/8/4K2R w Kk - 0 1"),
    ("wdl", "sultan", "5k3r/10/10/10/10/10/10/5K3R w Kk - 0 1"),
    ("normal", "chess", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1"),
    ("normal", "atlantean", "3**/1x3/kP2K/4*/**3 w - - 0 49"),
]
PURE = bareking._library.lib._name == "none"  # a thousand times slower
EACH = int(os.environ.get("BAREKING_POSITIONS") or (4 if PURE else 60))


def known_here():
    """The games that can be played here; Python alone may not know all keys."""
    for name in bareking.variants():
        if not PURE or not isinstance(asked(Game, name), bareking.UsageError):
            yield name


def listed(golden, games=None):
    """SET, GAME and material or FEN, of tests/golden/list."""
    games = set(games or known_here())
    lines = [line.split(None, 2) for line in (golden / "list").read_text().splitlines()
             if line and not line.startswith(("#", "dtz"))]  # of which Python alone knows nothing
    yield from (line for line in [*lines, *RARE] if line[1] in games)


def draw_men(game, material, rng):
    """A random position of a material, or None: where it may not stand."""
    white, black = material.split("v")
    letters = white + black.lower()
    squares = rng.sample(sorted(set(range(game.squares)) - game.holes), len(letters))
    try:
        return game.position_of(list(zip(letters, squares)), rng.random() < 0.5)
    except bareking.UsageError:
        return None


def draw_like(game, fen, rng):
    """The men of a FEN on other squares of its board, or None."""
    shown = game.position(fen)
    fields = fen.split()
    board, bracket, evolutions = fields[0].partition("[")
    land = sorted(set(range(shown.files * shown.ranks)) - shown.holes)
    cell = {square: "." for square in land}
    for man, square in zip(shown.men, rng.sample(land, len(shown.men))):
        cell[square] = man.letter
    rows = ["".join(cell.get(rank * shown.files + file, "*") for file in range(shown.files))
            for rank in reversed(range(shown.ranks))]
    drawn = re.sub(r"\.+", lambda gap: str(len(gap[0])), "/".join(rows))
    try:
        return game.position(" ".join([drawn + bracket + evolutions, rng.choice("wb")]))
    except bareking.FenError:
        return None


def positions_of(game, what, folder, rng, each=EACH):
    """Some of each table that a line of the list has made."""
    if "/" in what:
        draws = [lambda: draw_like(game, what, rng)]
        yield game.position(what)
    else:
        plain = [path.stem for path in (folder / game.name).glob("*.bkw")]
        draws = [lambda m=m: draw_men(game, m, rng) for m in sorted(plain) if m.isalpha()]
    for draw in draws:
        found = 0
        while found < each:
            position = draw()
            if position:
                found += 1
                yield position


def said_of(command, game, folder, fens):
    """The command's lines, split: FEN, wdl, dtw, clocked, end; or FEN, "error", what."""
    done = subprocess.run([command, "probe", game.name, "-", "--dir", folder], text=True,
                          input="".join(fen + "\n" for fen in fens), capture_output=True)
    return [line.split("\t") for line in done.stdout.splitlines()]


def as_said(answer):
    """An Answer or an exception as the command has it, without the FEN."""
    if isinstance(answer, bareking.BarekingError):
        return ["error", str(answer)]
    ends = [None, "checkmate", "stalemate", "bare", "bare-draw"]
    return [str(answer.wdl), "-" if answer.dtw is None else str(answer.dtw),
            "?" if answer.clocked_wdl is None else str(answer.clocked_wdl), ends[answer.end] or "-"]


def asked(ask, *arguments):
    try:
        return ask(*arguments)
    except bareking.BarekingError as error:
        return error


def each_line(golden):
    """What is drawn, once for every line of the list that can be drawn from."""
    rng = random.Random(12)
    for folder, name, what in listed(golden):
        game = Game(name)
        yield folder, game, list(positions_of(game, what, golden / folder, rng))


def test_answers_are_the_commands(golden, command):
    answered = games = refused = 0
    seen = set()
    for folder, game, positions in each_line(golden):
        with Tablebase(game.name, golden / folder) as tables:
            said = said_of(command, game, golden / folder, [p.fen for p in positions])
            many = tables.probe_many(positions)
            errors = many.errors()
            assert len(said) == len(many) == len(positions)
            for i, position in enumerate(positions):
                one = asked(tables.probe, position.fen if i % 2 else position)
                assert as_said(one) == said[i][1:], position
                assert as_said(errors.get(i) or many[i]) == said[i][1:], position
                wdl = asked(tables.probe_wdl, position)
                assert str(wdl) == (said[i][2] if said[i][1] == "error" else said[i][1])
                answered += said[i][1] != "error"
                refused += said[i][1] == "error"
        if positions:
            seen.add(game.name)
    assert seen == set(known_here()) - {"sultan-zh", "sultan-hostage"}  # of which no table is
    assert answered > 20 * EACH and refused


def test_arrays_are_the_commands(golden, command):
    numpy = pytest.importorskip("numpy")
    answered = 0
    for folder, game, positions in each_line(golden):
        own = [p for p in positions if p.castling == "-" and not p.en_passant and p.holes == game.holes and
               (p.files, p.ranks) == (game.files, game.ranks) and not p.evolutions]
        if not own:
            continue
        boards = numpy.zeros((len(own), game.squares), "u1")
        by_men = {}
        for i, p in enumerate(own):
            for man in p.men:
                boards[i, man.square] = ord(man.letter)
            letters = "".join(man.letter for man in p.men)
            by_men.setdefault(letters, []).append(i)
        black = numpy.array([p.black_to_move for p in own])
        whole = bareking.PositionArray.from_boards(game, boards, black)
        assert [whole[i] for i in range(len(own))] == own
        said = said_of(command, game, golden / folder, [p.fen for p in own])
        with Tablebase(game.name, golden / folder) as tables:
            answers = tables.probe_many(whole)
            for i in range(len(own)):
                assert as_said(asked(answers.__getitem__, i)) == said[i][1:]
            for letters, which in by_men.items():
                squares = [[man.square for man in own[i].men] for i in which]
                some = bareking.PositionArray(game, letters, squares, black[which])
                same = tables.probe_many(some)
                assert (same.values == answers.values[which]).all()
                assert (same.codes == answers.codes[which]).all()
            answered += int((answers.codes == 0).sum())
    assert answered > 3 * EACH


def test_root_moves_are_the_commands(golden, command):
    asked_for = 0
    for folder, game, positions in each_line(golden):
        with Tablebase(game.name, golden / folder) as tables:
            for position in positions[:2]:
                moves = tables.get_root_moves(position) if position.is_legal() else None
                if moves is None or tables.get(position) is None:
                    continue
                done = subprocess.run([command, "probe", game.name, position.fen, "--json", "--dir",
                                       golden / folder], capture_output=True, text=True, check=True)
                said = [(m["move"], m["wdl"], m.get("dtw"))
                        for m in json.loads(done.stdout)["moves"]]
                assert [(m.move.name, m.wdl, m.dtw) for m in moves] == said
                assert {m.move for m in moves} == set(position.legal_moves())
                asked_for += bool(moves)
    assert asked_for > 20
