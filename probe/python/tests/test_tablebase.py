"""Opening, asking, what is missing, what is wrong."""

import ctypes
import gc
import os
import pickle
import shutil
import subprocess

import bareking
import pytest
from bareking import Answer, End, Has, Position, Tablebase
from bareking._library import AnswerStruct, lib

WON = "8/8/8/3k4/8/8/8/R3K3 w - - 0 1"
LOST = "8/8/8/3k4/8/8/8/R3K3 b - - 0 1"
MISSING = "4k3/8/8/8/8/8/QQ6/4K3 w - - 0 1"
ILLEGAL = "4k3/8/8/8/8/8/4R3/4K3 w - - 0 1"

FILE = """[variant]
name = {}
board = {}
[piece king]
letter = K
move = K
royal = yes
[piece rook]
letter = R
move = R
"""


def open_now():
    """Descriptors of tables."""
    names = [os.readlink(f"/proc/self/fd/{n}") for n in os.listdir("/proc/self/fd")
             if os.path.islink(f"/proc/self/fd/{n}")]
    return [name for name in names if name.endswith((".bkw", ".bkd"))]


def test_probe(tables):
    with Tablebase("chess", tables) as tb:
        answer = tb.probe(WON)
        assert answer == Answer(1, 27, End.GOES_ON, 1, None)
        assert tb.probe(Position(tb.game, WON)) == answer
        assert tb.probe_wdl(LOST) == -1
        assert tb.probe(LOST, wdl_only=True).dtw is None
        assert tb.probe_dtw(WON) == 27
        assert tb.probe_dtw("8/8/8/3k4/8/8/8/N3K3 w") is None


def test_probe_counts_the_turns(golden):
    with Tablebase("atlantean", golden / "normal") as tb:
        fen = "3**/P4/K4/2kx*/**3 w - - 0 "
        early, late = tb.probe(fen + "1"), tb.probe(fen + "50")
        assert (early.wdl, early.plies_left) == (late.wdl, 100)
        assert late.plies_left < late.dtw and late.clocked_wdl == 0 != late.wdl


def test_folders_stay_where_they_are(tables, monkeypatch):
    with Tablebase("chess", "tables") as tb, Tablebase("chess", b"tables") as other:
        monkeypatch.chdir("/")
        assert tb.probe_wdl(WON) == other.probe_wdl(WON) == 1
        assert tb.directories == ("tables",)
        with pytest.raises(NotADirectoryError):
            tb.add_directory("tables")
        monkeypatch.chdir(tables.parent)
        tb.add_directory("tables")
        monkeypatch.chdir("/")
        tb.refresh()
        assert tb.probe_dtw(WON) == 27 and tb.directories == ("tables", "tables")


def test_a_folder_with_distances_goes_before_one_without(tables, tmp_path):
    (tmp_path / "first" / "chess").mkdir(parents=True)
    shutil.copy(tables / "chess" / "KRvK.bkw", tmp_path / "first" / "chess")
    with Tablebase("chess", tmp_path / "first", tables) as tb:
        assert tb.has("KRvK") == Has.WDL | Has.DTW and tb.probe_dtw(WON) == 27
        assert [t.has for t in tb.tables() if t.material == "KRvK"] == [Has.WDL | Has.DTW]
    with Tablebase("chess", tmp_path / "first") as tb:
        assert tb.has("KRvK") == Has.WDL and tb.probe_wdl(WON) == 1
        assert [t.has for t in tb.tables()] == [Has.WDL | Has.LOST_DTW]
        (tmp_path / "second" / "chess").mkdir(parents=True)
        shutil.copy(tables / "chess" / "KRvK.bkd", tmp_path / "second" / "chess")
        tb.add_directory(tmp_path / "second")  # results in one folder, distances in another
        assert tb.has("KRvK") == Has.WDL | Has.DTW and tb.probe(WON).dtw == 27
        assert tb.missing("KRvK") == [] and [t.has for t in tb.tables()] == [Has.WDL | Has.DTW]


def test_default_where_a_table_is_missing(tables):
    with Tablebase("chess", tables) as tb:
        assert tb.get(WON).wdl == tb.get_wdl(WON) == 1 and tb.get_dtw(WON) == 27
        for get in (tb.get, tb.get_wdl, tb.get_dtw, tb.get_root_moves):
            assert get(MISSING) is None and get(MISSING, "none") == "none"
            with pytest.raises(bareking.IllegalPositionError):
                get(ILLEGAL)
            with pytest.raises(bareking.FenError):
                get("nonsense")


def test_all_that_is_said_of_a_missing_table_names_it():
    for text, names in [
        ("no table KRPvK of chess in a:b; also missing: KRvK, KQvK, and 12 more", ("KRPvK", "KRvK", "KQvK")),
        ("no table KRPvK of chess in a:b; also missing: KRvK, KQvK, and more", ("KRPvK", "KRvK", "KQvK")),
        ("no table KRPvK of chess in a:b; and more", ("KRPvK",)),
        ("no distances of KRvKN of chess in d; also missing: KNvK (distances)", ("KRvKN", "KNvK")),
        ("tables of KRvKN of chess came to d after they were looked for: bk_refresh()", ("KRvKN",)),
        ("no table of chess for 32 men: 8 at most", ()),
    ]:
        assert bareking.MissingTableError(text).tables == names


def test_what_is_missing_is_named(tables):
    with Tablebase("chess", tables) as tb:
        with pytest.raises(bareking.MissingTableError) as caught:
            tb.probe("3rk3/8/8/8/8/8/P7/4K3 w - - 0 1")
        assert caught.value.tables[0] == "KRvKP" or caught.value.tables[0] == "KPvKR"
        assert set(caught.value.tables) > {"KQvKR"} or set(caught.value.tables) > {"KRvKQ"}
        assert not any(tb.has(name) for name in caught.value.tables)
        assert isinstance(caught.value, LookupError) and caught.value.code == 1
        missing = tb.missing("KQQvK")
        assert missing[0].material == "KQQvK" and missing[0].has == Has.NOTHING
        os.rename("tables/chess/KRvK.bkd", "away")
        tb.refresh()
        assert tb.has("KvKR") == Has.WDL and tb.has("KQvK") == Has.WDL | Has.DTW
        with pytest.raises(bareking.MissingTableError, match="no distances") as caught:
            tb.probe_dtw(WON)
        assert caught.value.tables == ()


def test_as_many_as_the_text_holds_are_named(tables):
    with Tablebase("chess", tables) as tb:
        with pytest.raises(bareking.MissingTableError, match=r", and \d+ more$") as caught:
            tb.probe("4k3/1p6/8/8/8/8/PPP5/4K3 w - - 0 1")
        named = caught.value.tables
        every = [table.material for table in tb.missing(named[0])]
        assert named == tuple(every[:len(named)]) and str(caught.value).endswith(
            f", and {len(every) - len(named)} more")
    assert bareking.MissingTableError("no table for this material").tables == ()


def test_why_is_asked_before_the_handle_goes(tables):
    def closed_meanwhile(pointer, *arguments):
        tb.close()
        return lib.bk_probe_fen(pointer, *arguments)

    tb = Tablebase("chess", tables)
    with pytest.raises(bareking.MissingTableError, match="no table KRvKP of chess in "):
        tb._handle.ask(closed_meanwhile, b"3rk3/8/8/8/8/8/P7/4K3 w - - 0 1",
                       ctypes.byref(AnswerStruct()))


def test_root_moves(tables):
    with Tablebase("chess", tables) as tb:
        moves = tb.root_moves(WON)
        assert (moves[0].wdl, moves[0].dtw, moves[0].keeps) == (1, 27, True)
        assert [m.keeps for m in tb.root_moves(WON, within=27)] == [m.dtw == 27 for m in moves]
        assert moves == sorted(moves, key=lambda m: m.dtw)
        assert all(m.dtw is None for m in tb.root_moves(WON, wdl_only=True))
        with pytest.raises(bareking.UsageError):
            tb.root_moves(WON, within=-1)
        with pytest.raises(bareking.UsageError):
            tb.root_moves(WON, within=-1 << 32)
        assert tb.root_moves("R3k3/8/4K3/8/8/8/8/8 b") == []


def test_root_moves_in_part(tables):
    fen = "3r4/2P5/8/3k4/8/8/8/4K3 w"  # promotions need tables that are not there
    with Tablebase("chess", tables) as tb:
        with pytest.raises(bareking.MissingTableError):
            tb.root_moves(fen)
        moves = tb.root_moves(fen, partial=True)
        known = [m for m in moves if m.error is None]
        assert 0 < len(known) < len(moves) and moves[:len(known)] == known
        last = moves[-1]
        assert (last.wdl, last.dtw, last.clocked_wdl, last.keeps) == (None, None, None, False)
        assert last.error is bareking.MissingTableError
        with pytest.raises(bareking.IllegalPositionError):
            tb.root_moves(ILLEGAL, partial=True)


def test_more_moves_than_there_is_room_for_at_first(tmp_path):
    path = tmp_path / "wide.ini"
    path.write_text(FILE.format("wide", "14x14"))
    rooks = [f"{file}R{13 - file}" if file else "R13" for file in range(12)]
    rows = ["12rk", *reversed(rooks), "13K"]
    moves = bareking.Position(path, "/".join(rows) + " w").legal_moves()
    assert len(moves) == len(set(moves)) > 256


def test_two_games_of_one_name(tmp_path, command):
    fen = "3k/4/4/KR2 w"
    (tmp_path / "other").mkdir()
    text = FILE.format("mine", "4x4")
    for path, lines in [("mine.ini", text), ("other/mine.ini", text.replace("move = R", "move = D")),
                        ("again.ini", text)]:
        (tmp_path / path).write_text(lines)
    subprocess.run([command, "build", tmp_path / "mine.ini", "KRvK", "--dir", tmp_path, "--quiet"],
                   check=True)
    mine, other, again = (Position(tmp_path / path, fen)
                          for path in ("mine.ini", "other/mine.ini", "again.ini"))
    assert mine == again and hash(mine) == hash(again) and mine.game.rules == again.game.rules
    assert mine != other and len({mine, other, again}) == 2
    with Tablebase(tmp_path / "mine.ini", tmp_path) as tb:
        assert tb.probe_wdl(mine) == tb.probe_wdl(again) == 1
        for ask in (tb.probe, tb.probe_wdl, tb.root_moves, lambda p: tb.probe_many([p])):
            with pytest.raises(bareking.UsageError, match="by other rules .*other"):
                ask(other)


def test_cache_only(tables):
    with Tablebase("chess", tables) as tb:
        with pytest.raises(bareking.NotInMemoryError):
            tb.probe(WON, cache_only=True)
        assert tb.get_wdl(WON, 7, cache_only=True) == 7
        assert tb.probe_many([WON], cache_only=True).get(0) is None
        tb.prefetch("KRvK")
        assert tb.probe(WON, cache_only=True).dtw == 27
        assert tb.probe_many([WON], cache_only=True)[0].dtw == 27


def test_folders(tables, golden):
    with Tablebase("chess") as tb:
        assert tb.directories == () and tb.men_max == 0 and tb.tables() == []
        with pytest.raises(bareking.MissingTableError):
            tb.probe(WON)
        tb.add_directory(tables)
        assert tb.probe_wdl(WON) == 1
        assert tb.men_max == 4 and len(tb.tables()) == len(list(tables.glob("chess/*.bkw")))
        assert all(tb.has(t.material) == t.has and t.bytes > 0 for t in tb.tables())
        tb.add_directory(str(golden / "wdl"))
        assert tb.directories == (str(tables), str(golden / "wdl"))
        assert tb.has("KNNvK") == Has.WDL
        with pytest.raises(NotADirectoryError):
            tb.add_directory(tables / "nothing")
        with pytest.raises(bareking.UsageError, match="cannot have ':'"):
            tb.add_directory("a:b")
        assert tb.probe_wdl(WON) == 1 and len(tb.directories) == 2
    with pytest.raises(NotADirectoryError):
        Tablebase("chess", tables / "chess/KRvK.bkw")


def test_folders_that_were_meant_otherwise(tables, recwarn):
    Tablebase("chess", tables).close()
    Tablebase("shatranj", tables).close()  # tables may come there
    assert not recwarn.list
    with pytest.warns(UserWarning, match="chess is a game's own folder: say the one above it"):
        tb = Tablebase("chess", tables / "chess")
    with pytest.raises(bareking.MissingTableError, match="own folder") as failed:
        tb.probe(WON)
    assert failed.value.tables[0] == "KRvK"
    with pytest.warns(UserWarning, match="tables of chess are in .*: say that"):
        Tablebase("chess", tables.parent)


def test_refresh(tables):
    shutil.move("tables/chess/KRvK.bkw", "away")
    with Tablebase("chess", tables) as tb:
        assert tb.get_wdl(WON) is None
        shutil.move("away", "tables/chess/KRvK.bkw")
        assert tb.get_wdl(WON) is None  # remembered
        tb.refresh()
        assert tb.probe_wdl(WON) == 1


def test_damage(tables):
    path = tables / "chess/KRvK.bkw"
    whole = path.read_bytes()
    path.write_bytes(whole[:-40])
    with Tablebase("chess", tables) as tb:
        for ask in (tb.probe, tb.probe_wdl, tb.get, tb.root_moves):
            with pytest.raises(bareking.DamagedTableError, match="KRvK.bkw"):
                ask(WON)


def test_files_of_a_later_version(golden):
    with Tablebase("chess", golden.parent / "newer") as tb:
        with pytest.raises(bareking.NewerTableError, match="needs a newer bareking"):
            tb.probe("8/8/8/3k4/8/1KB5/8/8 w - - 0 1")


def test_budget(tables):
    with Tablebase("chess", tables, memory=10000, open_files=4) as tb:
        with pytest.raises(bareking.OverBudgetError) as caught:
            tb.probe(WON)
        assert isinstance(caught.value, MemoryError)
        tb.set_memory(1 << 20)
        assert tb.probe_wdl(WON) == 1
        used, budget = tb.memory
        assert 0 < used <= budget == 1 << 20
        for wrong in (0, -1, 1 << 64):  # C would cut it to 0, which is its own choice
            with pytest.raises(bareking.UsageError):
                tb.set_memory(wrong)
            with pytest.raises(bareking.UsageError):
                Tablebase("chess", memory=wrong)
            with pytest.raises(bareking.UsageError):
                Tablebase("chess", open_files=wrong)
        assert tb.root_moves(WON, within=1 << 40) == tb.root_moves(WON)
        assert tb.root_moves(WON, within=(1 << 32) + 5) == tb.root_moves(WON, within=5000)


def test_budget_is_shared(tables, golden):
    first = Tablebase("chess", tables, memory=1 << 20)
    second = Tablebase("sultan", golden / "normal", share=first)
    first.probe(WON)
    assert second.memory == first.memory
    with pytest.raises(bareking.UsageError):
        Tablebase("chess", share=first, memory=5)
    first.close()
    assert second.memory.budget == 1 << 20
    with pytest.raises(bareking.ClosedError):
        Tablebase("chess", share=first)
    second.close()


def test_close(tables):
    tb = Tablebase("chess", tables)
    tb.probe(WON)
    assert (open_now() or lib._name == "none") and not tb.closed
    game = tb.game
    with pytest.raises(bareking.MissingTableError) as kept:
        tb.probe(MISSING)
    tb.close()
    tb.close()
    assert tb.closed and not open_now(), kept
    for ask in (lambda: tb.probe(WON), lambda: tb.get(WON), lambda: tb.has("KRvK"), tb.tables,
                tb.refresh, lambda: tb.memory, lambda: tb.add_directory(tables),
                lambda: tb.root_moves(WON), lambda: tb.probe_many([WON])):
        with pytest.raises(bareking.ClosedError):
            ask()
    assert game.position(WON).legal_moves()  # outlives it


def test_one_that_is_forgotten_is_closed(tables):
    tb = Tablebase("chess", tables)
    tb.probe(WON)
    del tb
    gc.collect()
    assert not open_now()


def test_what_is_wrong_is_said(tables):
    with Tablebase("chess", tables) as tb:
        for fen, error in [("x", bareking.FenError), ("8/8/8/3k4/8/8/8/Z3K3 w",
                                                      bareking.UnknownPieceError),
                           (ILLEGAL, bareking.IllegalPositionError),
                           (WON + "\0", bareking.FenError), ("\udcff", bareking.FenError)]:
            for ask in (tb.probe, tb.probe_wdl, tb.root_moves):
                with pytest.raises(error) as caught:
                    ask(fen)
                assert isinstance(caught.value, (bareking.BarekingError, ValueError))
        with pytest.raises(bareking.UsageError, match="of shatranj, asked in tables of chess"):
            tb.probe(Position("shatranj", "8/8/8/3k4/8/1KQ5/8/q7 w"))
        with pytest.raises(TypeError):
            tb.probe(None)
        with pytest.raises(TypeError, match="pickled"):
            pickle.dumps(tb)
        assert tb.has("nonsense") == Has.NOTHING
        with pytest.raises(bareking.UsageError):
            tb.missing("nonsense")
    with pytest.raises(bareking.UsageError, match="did you mean"):
        Tablebase("ches")
    assert repr(tb) == f"Tablebase('chess', '{tables}')"


def test_game_of_a_file(tables, command):
    with open("mine.ini", "w") as f:
        f.write(FILE.format("mine", "4x4"))
    subprocess.run([command, "build", "./mine.ini", "KRvK", "--dir", tables, "--quiet"], check=True)
    with Tablebase("./mine.ini", tables) as tb:
        assert tb.probe_wdl("3k/4/4/KR2 w") == 1 and tb.game.name == "mine"
