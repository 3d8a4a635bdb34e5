"""Python alone, without libbareking: the same answers, moves and errors as with it, and it says what it is.

Both are asked the same by child.py's `answer`, each in a process of its own; so this tests whatever
library conftest.py has found, and nothing where there is none.
"""

import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import bareking
import pytest
from bareking import Game, Tablebase, _library
from test_equal import listed, positions_of

CHILD = Path(__file__).parent / "child.py"
PACKAGE = Path(bareking.__file__).parent.parent
PURE = {"BAREKING_LIBRARY": "none"}

pytestmark = pytest.mark.skipif(_library.lib._name == "none", reason="no libbareking to compare with")


def python(*arguments, text="", **environment):
    """What a new Python says, with warnings as they come."""
    env = {**os.environ, "PYTHONPATH": str(PACKAGE), **environment}
    return subprocess.run([sys.executable, "-B", *map(str, arguments)], input=text, text=True,
                          capture_output=True, env=env)


def both(asked):
    """What `answer` says of each of a list, with the library and without."""
    text = "".join(json.dumps(one) + "\n" for one in asked)
    real = os.path.abspath(_library.lib._name) if "/" in _library.lib._name else _library.lib._name
    said = []
    for library in (real, "none"):
        done = python("-W", "ignore", CHILD, text=text, BAREKING_LIBRARY=library)
        assert not done.returncode, done.stderr
        said.append([json.loads(line) for line in done.stdout.splitlines()])
        assert len(said[-1]) == len(asked)
    return said


def agree(asked):
    """Asks both, and returns what they said."""
    library, pure = both(asked)
    for one, with_it, without in zip(asked, library, pure):
        assert without == with_it, one
    return library


@pytest.fixture(scope="module")
def known():
    """The games that Python alone can play.  What it refuses it calls by name, with the key that it does not know."""
    refused = python("-W", "ignore", CHILD, text="".join(
        json.dumps(["game", name, "", ""]) + "\n" for name in bareking.variants()), **PURE)
    assert not refused.returncode, refused.stderr
    out = []
    for name, said in zip(bareking.variants(), map(json.loads, refused.stdout.splitlines())):
        if said[0] == "error":
            assert said[1] == "UsageError" and f"{name}.ini:" in said[2] and "`" in said[2], said
        else:
            out.append(name)
    return out


# their captured men come back: no table knows them
RETURNING = {"sultan-zh", "sultan-hostage"}


def test_all_golden_tables_say_the_same(golden, known):
    each = 1000 if os.environ.get("GOLDEN_ALL") else 12
    rng = random.Random(3)
    asked, games = [], set()
    for folder, name, what in listed(golden, known):
        game = Game(name)
        positions = positions_of(game, what, golden / folder, rng, each)
        asked += [["value" if i % 8 else "all", name, str(golden / folder), p.fen]
                  for i, p in enumerate(positions)]
        games.add(name)
    said = agree(asked)
    assert games == set(known) - RETURNING
    assert sum(s[0] != "error" for s in said) > 20 * each
    assert {s[1][0] for s in said if s[0] == "value"} == {-1, 0, 1}


def test_moves_of_random_games_are_the_same(known):
    rng = random.Random(5)
    asked = []
    for name in known:
        game = Game(name)
        position = game.position() if game.start and name not in RETURNING else None
        for nth in range(24):
            moves = position.legal_moves() if position else []
            if not moves:
                break
            if nth % 3 == 0 or "=" in "".join(m.name for m in moves):
                asked.append(["moves", name, "", position.fen])
            position = position.play(rng.choice(moves))
    said = agree(asked)
    assert len(asked) > 100 and any("=" in move[0] for s in said for move in s[1])


def test_games_are_the_same(known):
    agree([["game", name, "", ""] for name in known])


def test_moves_are_written_the_same():
    asked = [["texts", name, "", fen] for name, fen in (
        ("chess", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq"), ("chess", "r3k2r/8/8/8/8/8/8/R3K2R b KQkq"),
        ("chess", "4k3/8/8/3pP3/8/N3N3/8/N1N1K3 w - d6"), ("chess", "Q1Q5/8/Q7/8/8/8/7k/4K3 w"),
        ("chess", "1r5k/P1P5/6K1/8/8/8/8/8 w"), ("chess", "7k/8/5KQ1/8/8/8/8/8 w"),
        ("shatranj", "7k/8/6K1/8/8/8/7q/R7 w"), ("shatranj", "7k/8/8/8/8/1R6/1q6/K7 w"),
        ("sultan-random", "1k8/10/10/10/10/10/10/3RK1R1R1 w GD"),
        ("atlantean-double", "3**/1n3/kP2K/4*/**3 w - - 0 1"), ("atlantean-double", "3k3*/8/8/8/3n4/3mm3/3Z4/K7 w"),
        ("darwinian", "3*/*f2/k2K/1W2/*3[e] w"), ("puzzle-mini-bonus", "2**/k1**/2a1/2KR w"))]
    asked += [["texts", "chess", words, "4k3/P7/8/8/8/8/8/4K3 w"]
              for words in ("a7a8=N e1e2", "e1e2 a7a8", "x", "e1e2 \u00e9", "a7a8=Q a7a8=Q")]
    said = agree(asked)
    san = {text[1] for s in said if s[0] == "texts" for text in s[1]}
    assert {"O-O", "O-O-O", "exd6", "N1c2", "Nab3", "Qa8b7", "Zxd3xd4+", "Zxd3-b1", "Ra8#", "Kxb2#", "a8=N", "cxb8=Q#", "Qg7#"} <= san, san
    assert any(s[0] == "error" for s in said)


def test_keys_and_games_that_python_alone_does_not_know_are_named(tmp_path):
    from bareking._pure import game
    from bareking._pure.fault import Fault
    chess = (game.VARIANTS / "chess.ini").read_text()
    (tmp_path / "odd.ini").write_text(chess.replace("[piece", "tide = high\n[piece", 1))
    with pytest.raises(Fault, match=r"odd\.ini:\d+:1: .*`tide` is not known to Python alone"):
        game.load(str(tmp_path / "odd.ini"))
    for name in ("makruk", "fischerandom", "shako"):
        assert Game(name).name == name and name not in game.names()
        with pytest.raises(Fault, match=name + ": Fairy-Stockfish's games are read by libbareking alone"):
            game.load(name)


SIX = """[variant]
name = six
board = 6x5
holes = c1 d5
castling-rook = R
castling-rank = 2
castling-king-to = b f
castling-rook-to = c e
deal = 2krr1/6/6/6/2*K2 w
deal = 2kr2/6/6/6/2*K2 w
deal-shuffle = no
%s
[piece king]
letter = K
royal = yes
move = K
[piece rook]
letter = R
move = R
"""


def test_castling_on_another_rank_is_the_same(tmp_path):
    homes = {"fixed": "castling-king-file = d\ncastling-rook-files = a f", "shuffled": "castling-homes = shuffled"}
    asked = []
    for name, keys in homes.items():
        (tmp_path / name).mkdir()
        path = str(tmp_path / name / "six.ini")
        Path(path).write_text(SIX % keys)
        asked += [["game", path, "", ""], ["missing", path, str(tmp_path), "KRvKR+Qk"]]
        asked += [["texts", path, "", fen] for fen in (
            "3*2/r2k1r/6/R2K1R/2*3 w KQkq", "3*2/r2k1r/6/R2K1R/2*3 b KQkq", "3*2/1r1k1r/6/6/R1*K1R b KQkq")]
    said = agree(asked)
    assert sum(text[1] == "O-O-O" for s in said if s[0] == "texts" for text in s[1]) == 5
    assert len({s[7] for s in said if s[0] == "game"}) == 2


FENS = [
    "", "x", "8/8/8/3k4/8/8/8/4K3 x", "8/8/8/3k4/8/8/8/4K3 w X", "8/8/8/3k4/8/8/8/4K3 w - z9",
    "8/8/8/3k4/8/8/8/4K3 w - - 99999", "8/8/8/3k4/8/8/8/4K3 w - - 0 70000", "startpos",
    "8/8/8/3k4/8/8/8/4K3 w - - 0 1 moves e2e4", "8/8/8/3k4/8/8/8/R3K3 w bm e4; fmvn 7;",
    "8/8/8/3k4/8/8/8/4K2Q w - - 3+3 0 9", "8/8/8/3k4/8/8/8/4K2Q w 0 0", "9/9/9/k8/9/9/9/K8/9 w",
    "8/8/8/3k4/8/8/8/4K2Q_w_-_e3", "8/8/8/3k4/8/8/8/4K3[Q] w", "8/8/8/3k4/8/8/8/4K3[",
    "8/8/8/3k5/8/8/8/4K3 w", "8/8/8/3k4/8/8/8/4Kzz1 w", "0/8/8/3k4/8/8/8/4K3 w",
    "8/8/K7/3k4/8/8/8/4K3 w", "P7/8/8/3k4/8/8/8/4K3 w", "\ufeff8/8/8/3k4/8/8/8/4KQ~2 w",
    "r3k3/8/8/8/8/8/8/4K2R w KKq", "r3k3/8/8/8/8/8/8/4K2R w Hq", "*7/8/8/3k4/8/8/8/4K3 w",
    "8/8/8/3\u00e94/8/8/8/4K3 w", "k7/R7/8/8/8/8/8/K7 w", "15/k14/K14/15 w", "3k/4/4/KR2 w",
]


def test_errors_are_the_same(golden):
    chess = str(golden / "normal")
    asked = [["all", "chess", chess, fen] for fen in FENS]
    asked += [["all", "darwinian", chess, f"9/9/9/4k4/9/9/9/4K4/1W7{left} w"]
              for left in ("[RRCCEErrccee]", "[RRR]", "[X]", "[-]", "[r]b", "[r")]
    asked += [["all", "sultan-random", chess, fen] for fen in (
        "startpos", "1k8/10/10/10/10/10/10/3RK1R1R1 w GI", "r1k2r4/10/10/10/10/10/10/R4K1R2 w KQkq")]
    asked += [["all", "puzzle-hands", chess, "6**/6**/3k4/8/8/2K5/1A6/R6r w"]]
    asked += [["all", name, chess, fen] for name in ("puzzle-mini-bonus", "puzzle-mini") for fen in (
        "2**/k1**/2A1/2KR[-] w", "2**/k1**/4/2KR[a] w", "2**/k1**/4/2KR[a=2] w", "2**/k1**/4/2KR[a=*] w k1,0",
        "2**/k1**/2r1/2KR w k1.0,0", "2**/k1**/2r1/2KR w k1,0", "2**/k1**/2r1/2KR w k", "2**/2**/4/4[KRAkra] w", "startpos")]
    asked += [["play", "chess", word, "r3k2r/1P6/8/8/8/8/6p1/R3K2R w KQkq"] for word in (
        "O-O", "0-0-0", "e1h1", "E1-E2", "b7b8", "b7b8q", "b7xa8=N+", "a1h8", "nonsense", "e1e2=Q", "oo")]
    asked += [["missing", "chess", chess, name] for name in (
        "KQQvK", "KRvKP", "KRvK", "nonsense", "KPPvKP", "KRvKR+Kk", "KRvKR+X", "KKvK", "KRvK[Q]")]
    asked += [["missing", "darwinian", chess, name] for name in ("KWvKF[e]", "KWWvK", "KWvKW[RR]")]
    said = agree(asked)
    assert len({s[1] for s in said if s[0] == "error"}) >= 4  # classes


def test_damaged_files_are_refused_alike(golden, tmp_path):
    """A byte changed or cut off, anywhere: the same error, named alike but for what is damaged."""
    rng = random.Random(9)
    asked = []
    for nth, (path, fen) in enumerate([("normal/chess/KRvK.bkw", "8/8/8/3k4/8/8/8/R3K3 w"),
                                       ("normal/chess/KPvK.bkd", "8/8/8/3k4/8/8/P7/4K3 w"),
                                       ("normal/shatranj@4x4-c0ae36ea/KBNvKB.bkw", None)] * 8):
        if fen is None:
            continue
        whole = (golden / path).read_bytes()
        folder = tmp_path / str(nth)
        shutil.copytree(golden / "normal/chess", folder / "chess")
        at = rng.choice([rng.randrange(120), rng.randrange(len(whole))])
        (folder / path[7:]).write_bytes(whole[:at] if nth % 4 == 3 else
                                        whole[:at] + bytes([whole[at] ^ 1 << rng.randrange(8)]) + whole[at + 1:])
        asked.append(["value", "chess", str(folder), fen])
    asked.append(["value", "chess", str(golden.parent / "newer"), "8/8/8/3k4/8/1KB5/8/8 w - - 0 1"])
    library, pure = both(asked)
    assert [s[:2] for s in pure] == [s[:2] for s in library]
    assert {"DamagedTableError", "NewerTableError"} <= {s[1] for s in pure if s[0] == "error"}


def test_it_says_once_that_there_is_no_library(tables):
    code = ("import bareking, bareking as again; t = bareking.open_tablebase('tables', 'chess'); "
            "print(t.probe_dtw('8/8/8/3k4/8/8/8/R3K3 w'), bareking.library_version())")
    for library, named in ((PURE["BAREKING_LIBRARY"], ""), ("/nothing.so", "/nothing.so")):
        done = python("-c", code, BAREKING_LIBRARY=library)
        assert done.stdout.split() == ["27", bareking.__version__], done.stderr
        assert done.stderr.count("UserWarning: libbareking is not loaded") == 1 and named in done.stderr


def test_zstd_that_is_missing_is_named(tables):
    code = ("import ctypes.util, sys; ctypes.util.find_library = lambda name: None; "
            "sys.modules['zstandard'] = sys.modules['compression'] = None\n"
            "import bareking; t = bareking.Tablebase('chess', 'tables')\n"
            "print(t.get_wdl('8/8/8/3k4/8/8/8/QN2K3 w'))\n"  # there is no such table
            "t.probe_dtw('8/8/8/3k4/8/8/8/R3K3 w')")
    done = python("-W", "ignore", "-c", code, **PURE)
    assert done.stdout == "None\n" and "SystemFailure" in done.stderr
    assert "needs zstd: " in done.stderr and "python3-zstandard" in done.stderr


def test_checksums_are_those_of_others():
    """Without the module xxhash: known values of XXH64 and XXH3, of all ways by length."""
    from bareking._pure import hashes
    data = bytes((i * 131 + (i >> 3) * 7 + 1) & 255 for i in range(5000))
    for n, seed, x3, x64 in KNOWN:
        assert hashes._xxh3(data[:n], seed) == x3 and hashes.xxh64(data[:n], seed) == x64, n


KNOWN = [  # by libxxhash 0.8.1
    (0, 0, 0x2d06800538d394c2, 0xef46db3751d8e999),
    (0, 77, 0x3e06214a603237b7, 0xd591b40abce68768),
    (1, 0, 0xe12ef9d2eb86ceeb, 0x8a4127811b21e730),
    (3, 77, 0xaf53ad81f87499a8, 0xa4680d2ef812860b),
    (4, 0, 0x9a199db199c4f720, 0xe974238725d583a0),
    (8, 77, 0xd1bcf0be7fb66313, 0xce11fb8aab403aae),
    (9, 0, 0xf1768c690e43ea77, 0xe208760fb85e0cf3),
    (16, 77, 0xd7ca6462b2fc27c4, 0x55f4e7d1359e41e3),
    (17, 0, 0xad813daa964122f, 0x973109539a90e1ce),
    (31, 0, 0xa50ad30b0c157e0d, 0x578e0d8bdbb397d3),
    (32, 77, 0x809f85761af35ba9, 0xb14efa5750b5e247),
    (128, 77, 0x7939a5a1a98760d7, 0xa9e392abe6417ef3),
    (129, 0, 0x8fe1f00a6203f5ed, 0x18e837daab3523cd),
    (240, 77, 0xa8c234e2e3a846fb, 0xaf661786e5c2bc95),
    (241, 0, 0x77b23f80d707ba27, 0xd185ed72af909cf2),
    (397, 77, 0xbb45b507c40429b1, 0x7f82ae84167e4cb1),
    (1076, 0, 0xbaf25837d4c48635, 0xd3556ed24c8a9b70),
    (1173, 77, 0xe087f72980d146fd, 0x729d46a06cc79768),
    (4956, 77, 0x51669222ed1b45e2, 0xd7551b4d3062bfb5),
]
