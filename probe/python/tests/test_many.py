"""Batches of FENs and of arrays."""

import copy
import gc
import pickle
import subprocess
import sys

import bareking
import pytest
from bareking import UNKNOWN, Game, Position, PositionArray, Tablebase
from test_tablebase import ILLEGAL, MISSING, WON

DRAWN = "8/8/8/3k4/8/8/8/N3K3 w - - 0 1"
MIXED = [WON, MISSING, DRAWN, "nonsense", ILLEGAL]


@pytest.fixture
def tb(tables):
    with Tablebase("chess", tables) as opened:
        yield opened


def test_one_error_does_not_disturb_the_others(tb):
    answers = tb.probe_many(MIXED)
    assert len(answers) == 5
    assert (answers[0].dtw, answers[2].wdl, answers[-3].wdl) == (27, 0, 0)
    assert answers[0:3:2] == [answers[0], answers[2]]
    kinds = {1: bareking.MissingTableError, 3: bareking.FenError, 4: bareking.IllegalPositionError}
    for i, kind in kinds.items():
        with pytest.raises(kind):
            answers[i]
        assert answers.get(i) is None and answers.get(i, 3) == 3
    errors = answers.errors()
    assert {i: type(error) for i, error in errors.items()} == kinds
    assert errors[1].tables == ("KQQvK",) and "e8" in str(errors[4])
    with pytest.raises(bareking.MissingTableError):
        list(answers)
    with pytest.raises(bareking.MissingTableError, match="KQQvK"):
        answers.check()
    with pytest.raises(IndexError):
        answers[5]
    assert tb.probe_many([WON]).check()[0].wdl == 1


def test_errors_are_told_after_closing_too(tb):
    answers = tb.probe_many(MIXED)
    tb.close()
    assert answers[0].dtw == 27
    assert type(answers.errors()[1]) is bareking.MissingTableError


def test_what_may_be_asked(tb):
    assert len(tb.probe_many([])) == 0 and tb.probe_many([]).check() is not None
    assert tb.probe_many(iter([WON]))[0].wdl == 1
    assert tb.probe_many((Position(tb.game, WON), WON))[0].wdl == 1
    with pytest.raises(TypeError):
        tb.probe_many([None])
    with pytest.raises(TypeError, match="no list"):
        tb.probe_many(WON)
    with pytest.raises(bareking.UsageError):
        tb.probe_many([Position("shatranj", "8/8/8/3k4/8/1KQ5/8/q7 w")])
    assert tb.probe_many([WON], wdl_only=True)[0].dtw is None
    for wrong in (WON + "\0", WON + "\udcff", "\udcff", "\0", b"\0"):
        assert type(tb.probe_many([WON, wrong, WON]).errors()[1]) is bareking.FenError


def test_arrays_of_answers(tb):
    numpy = pytest.importorskip("numpy")
    answers = tb.probe_many(MIXED)
    assert answers.values["wdl"].tolist() == [1, UNKNOWN, 0, UNKNOWN, UNKNOWN]
    assert answers.values["dtw"].tolist() == [27, UNKNOWN, -1, UNKNOWN, UNKNOWN]
    assert answers.codes.tolist() == [0, 1, 0, 6, 2]
    values = answers.values
    del answers
    assert values["wdl"][0] == 1  # its memory stays
    strings = numpy.array(MIXED)
    assert tb.probe_many(strings).codes.tolist() == [0, 1, 0, 6, 2]
    assert tb.probe_many(strings.astype("S")).codes.tolist() == [0, 1, 0, 6, 2]


def test_arrays_of_positions(tb):
    numpy = pytest.importorskip("numpy")
    game = tb.game
    squares = numpy.array([[4, 0, 35], [4, 4, 35], [4, 7, 59], [4, 7, 60]], "i8")
    asked = PositionArray(game, "KRk", squares, [False, False, True, False], turn=[1, 2, 3, 4],
                          castling=[0, 0, 2, 0])
    answers = tb.probe_many(asked)
    assert answers.codes.tolist() == [0, 3, 0, 0]
    assert "another man" in str(answers.errors()[1])
    with pytest.raises(bareking.UsageError, match="another man"):
        answers[-3]  # counted from the end it is asked once more, too
    assert [asked[i].turn for i in (0, 2, 3)] == [1, 3, 4] and asked[2].castling == "K"
    assert asked[-1] == asked[3]
    for i in (0, 2, 3):
        assert tb.probe(asked[i]) == answers[i]
    with pytest.raises(IndexError):
        asked[4]
    for some in (slice(2, 4), answers.values["wdl"] != UNKNOWN, [3, 0], numpy.array([], int)):
        part, numbers = asked[some], numpy.arange(4)[some].tolist()
        assert [p.fen for p in part] == [asked[i].fen for i in numbers]
        assert [a.wdl for a in tb.probe_many(part)] == [answers[i].wdl for i in numbers]
    for none in (None, "turn"):
        with pytest.raises(IndexError):
            asked[none]
    part = asked[1:]
    del asked
    assert tb.probe_many(part).codes.tolist() == [3, 0, 0]
    none = PositionArray(game, "KRk", numpy.zeros((0, 3), int))
    assert len(none) == len(tb.probe_many(none)) == 0
    with pytest.raises(bareking.UsageError):
        tb.probe_many(PositionArray(Game("shatranj"), "KRk", squares))


def test_arrays_of_boards(tb):
    numpy = pytest.importorskip("numpy")
    boards = numpy.full((2, 8, 8), ".", "S1")
    boards[0, 0, 4], boards[0, 0, 0], boards[0, 4, 3] = "K", "R", "k"
    boards[1, 0, 4], boards[1, 4, 3], boards[1, 5, 5] = "K", "k", b""
    asked = PositionArray.from_boards(tb.game, boards)
    assert asked[0].fen == WON and len(asked[1].men) == 2
    assert tb.probe_many(asked).values["wdl"].tolist() == [1, 0]
    codes = boards.view("u1").reshape(2, 64)
    assert tb.probe_many(PositionArray.from_boards(tb.game, codes, True))[0].wdl == -1
    codes = codes.copy()
    codes[1, 9] = ord("Z")  # a letter of no piece: that position's error
    assert tb.probe_many(PositionArray.from_boards(tb.game, codes)).codes.tolist() == [0, 7]
    none = PositionArray.from_boards(tb.game, numpy.zeros((0, 64), "u1"))
    assert len(tb.probe_many(none)) == 0


def test_what_no_array_can_hold_is_refused(tb):
    numpy = pytest.importorskip("numpy")
    game = tb.game
    good = numpy.array([[4, 0, 35]])
    for men, squares, more in [("KRk", good + 65536, {}), ("KRk", good - 9, {}), ("KR", good, {}),
                               ("KRk", good.astype(float), {}), ("KRk", good[0], {}),
                               ("KRk", good, {"castling": 16}), ("KRk", good, {"turn": -1}),
                               ("KRk", good, {"en_passant": 64}),
                               ("KRk", good, {"turn": [1, 2, 3]}),
                               ("KRk", good, {"black_to_move": [[True, False]]})]:
        with pytest.raises(bareking.UsageError):
            PositionArray(game, men, squares, **more)
    with pytest.raises(bareking.UnknownPieceError):
        PositionArray(game, "K?k", good)
    for boards, error in [(numpy.zeros((2, 63), "u1"), bareking.UsageError),
                          (numpy.zeros(64, "u1"), bareking.UsageError),
                          (numpy.full((1, 64), 300), bareking.UsageError),
                          (numpy.full((1, 64), 1), bareking.UnknownPieceError),
                          (numpy.full((1, 64), ord("[")), bareking.UnknownPieceError)]:
        with pytest.raises(error):
            PositionArray.from_boards(game, boards)


def test_arrays_are_copied_and_pickled_without_their_addresses(tb):
    numpy = pytest.importorskip("numpy")
    boards = numpy.zeros((3, 64), "u1")
    boards[:, [4, 35]] = [ord("K"), ord("k")]
    boards[[0, 2], 0] = ord("R")
    pickled = pickle.dumps(PositionArray.from_boards(tb.game, boards)[[2, 1]])
    for again in (copy.copy, copy.deepcopy, lambda whole: pickle.loads(pickle.dumps(whole))):
        whole = PositionArray.from_boards(tb.game, boards)
        copies = [again(whole), again(whole[[2, 1]]), again(whole[:0])]
        del whole
        gc.collect()
        assert [len(one) for one in copies] == [3, 2, 0]
        assert [p.fen for p in copies[0]] == [WON, "8/8/8/3k4/8/8/8/4K3 w - - 0 1", WON]
        assert tb.probe_many(copies[1]).values["wdl"].tolist() == [1, 0]
    code = ("import pickle, sys; from bareking import PositionArray\n"
            "print(*[p.fen for p in pickle.load(sys.stdin.buffer)], sep='\\n')")
    told = subprocess.run([sys.executable, "-c", code], input=pickled, stdout=subprocess.PIPE,
                          check=True).stdout.decode().splitlines()
    assert told == [WON, "8/8/8/3k4/8/8/8/4K3 w - - 0 1"]
    with pytest.raises(TypeError, match="values"):
        pickle.dumps(tb.probe_many([WON]))
