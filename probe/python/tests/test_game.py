"""Boards, positions and moves, beside the command's."""

import pickle
import re
import subprocess

import bareking
import pytest
from bareking import End, Game, Position

DIAMOND = "8/8/8/3k4/8/1KQ5/8/q7 w - - 0 1"
FENS = [  # that have something about them: rights, en passant, evolutions, terrain
    ("chess", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"),
    ("chess", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 7"),
    ("chess", "4k3/P7/8/8/8/8/8/4K3 w - - 0 1"),
    ("sultan-random", "1k8/10/10/10/10/10/10/5K1R2 w H"),
    ("sultan-random", "1k8/10/10/10/10/10/10/3RK1R1R1 w G"),
    ("darwinian", "3*/*f2/k2K/1W2/*3[e] b"),
    ("shatranj", "3*/*p2/k2K/*P2/*3 b"),
    ("grand-shatranj", "3*/*n1*/kP1K/4/*3 w"),
    ("puzzle", "6**/6**/3k4/8/8/2K5/1A6/R6r w"),
    ("puzzle-hands", "6**/6**/3k4/8/8/2K5/1A6/R6r w"),
    ("puzzle-mini", "2**/kn**/4/K1R1 w"),
]


def perft(position, depth):
    if not depth:
        return 1
    moves = position.legal_moves()
    if depth == 1:
        return len(moves)
    return sum(perft(position.play(move), depth - 1) for move in moves)


def counted(command, game, fen, depth):
    said = subprocess.run([command, "perft", game, fen, str(depth)], capture_output=True, text=True)
    assert not said.returncode, said.stderr
    return int(re.findall(r"\d+", said.stdout)[-1])


# their captured men come back, so no table knows them, and no list of moves of a table's game
RETURNING = ('sultan-zh', 'sultan-hostage')


def test_moves_are_the_commands_from_the_array(command):
    with_array = [g for g in map(Game, bareking.variants()) if g.start and g.name not in RETURNING]
    assert len(with_array) > 10
    for game in with_array:
        assert perft(game.position(), 2) == counted(command, game.name, "startpos", 2), game


@pytest.mark.parametrize("game, fen", FENS)
def test_moves_are_the_commands_from_rare_positions(command, game, fen):
    position = Position(game, fen)
    if game.startswith("puzzle-"):
        return  # games with hands, which perft does not count
    for after in [position, *map(position.play, position.legal_moves())]:
        if not after.is_over():  # where a king is bare perft goes on
            assert len(after.legal_moves()) == counted(command, game, after.fen, 1)


@pytest.mark.parametrize("game, fen", FENS)
def test_position_shows_what_the_fen_says(command, golden, game, fen):
    position = Position(game, fen)
    again = Position(position.game, position.fen)
    assert again == position and hash(again) == hash(position) and again.fen == position.fen
    assert pickle.loads(pickle.dumps(position)) == position
    said = subprocess.run([command, "probe", game, fen, "--dir", golden / "normal"],
                          capture_output=True, text=True).stdout
    if said:  # there is a table, or the game is over
        board = [line.strip() for line in said.splitlines() if re.match(r" *\d+ \| ", line)]
        assert [line.strip() for line in str(position).splitlines()[:-1]] == board
    letters = [letter for letter in fen.split()[0].partition("[")[0] if letter.isalpha()]
    assert sorted(man.letter for man in position.men) == sorted(letters)
    for man in position.men:
        assert position.at(man.square) == man.letter
        assert position.at(position.square_name(man.square)) == man.letter
    assert position.holes.isdisjoint(man.square for man in position.men)


@pytest.mark.parametrize("game, fen", FENS)
def test_position_is_made_of_its_men(game, fen):
    position = Position(game, fen)
    game = position.game
    if (position.files, position.ranks, position.holes) != (game.files, game.ranks, game.holes):
        return
    if set(position.castling) - set("KQkq-"):
        return  # rights that name a rook's file: by FEN alone
    assert game.position_of(position.men, position.black_to_move, turn=position.turn,
                            en_passant=position.en_passant, castling=position.castling) == position


def test_position_is_written_one_way():
    assert Position("shatranj", " 8/8/8/3k4/8/1KQ5/8/q7   w ").fen == DIAMOND
    assert Position("shatranj", DIAMOND) != Position("chess", DIAMOND)
    assert Position("shatranj", DIAMOND) != DIAMOND
    p = Position("chess", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 3 7")
    assert (p.en_passant, p.turn, p.black_to_move, p.castling) == (43, 7, False, "-")
    assert p.play("e5d6").black_to_move


def test_en_passant_is_never_a1():
    with pytest.raises(bareking.UsageError):
        Game("chess").position_of([("K", "e1"), ("k", "e8"), ("P", "e2")], en_passant="a1")


def test_evolutions_may_be_said():
    game = Game("darwinian")
    men = [("K", "a1"), ("k", "e5"), ("W", "c3"), ("f", "g7")]
    spent = game.position_of(men, evolutions={})
    assert spent.evolutions == "-"
    some = game.position_of(men, evolutions={"E": 1})
    assert some.evolutions == "E"
    assert game.position_of(men).evolutions is None
    with pytest.raises(bareking.UnknownPieceError):
        game.position_of(men, evolutions={"@": 1})
    with pytest.raises(bareking.UsageError):
        game.position_of(men, evolutions={"E": 255})


def test_ends():
    assert Position("chess", "R3k3/8/4K3/8/8/8/8/8 b").outcome() == (End.CHECKMATE, -1)
    assert Position("chess", "4k3/4P3/4K3/8/8/8/8/8 b").outcome() == (End.STALEMATE, 0)
    assert Position("shatranj", "4k3/8/8/8/8/8/R7/4K3 b").outcome() == (End.BARE, -1)
    over = Position("shatranj", "4k3/8/8/8/8/8/R7/4K3 b")
    assert over.is_over() and over.is_legal() and over.legal_moves() == []
    mating = Position("chess", "4k3/8/4K3/8/8/8/8/R7 w")
    assert {str(m): m.end for m in mating.legal_moves()}["a1a8"] == End.CHECKMATE


def test_moves_say_what_they_do():
    moves = {m.name: m for m in Position("chess", "r3k3/1P6/8/8/8/8/8/4K2R w K").legal_moves()}
    game = Game("chess")
    promotion = moves["b7a8=Q"]
    assert promotion.becomes == "Q" and promotion.takes == promotion.to_square == game.square("a8")
    assert moves["b7b8=N"].takes is None and promotion.rook is None
    castling = moves["e1g1"]
    assert (castling.rook, castling.takes) == (game.square("h1"), None)
    double = Position("atlantean-double", "x8x/10/10/4k5/10/10/10/PP8/10/KX8 w")
    assert all(m.also_taken is None for m in double.legal_moves())
    after = double.play(double.legal_moves()[0])
    assert after.black_to_move


def test_moves_are_written_and_lead_somewhere():
    for game, fen in FENS[:8]:
        position = Position(game, fen)
        moves = position.legal_moves()
        texts = position.move_texts()
        assert [text.name for text in texts] == [move.name for move in moves]
        assert len({text.san for text in texts}) == len(texts)
        for move, text in zip(moves, texts):
            assert position.play(move).fen == position.play(text.uci).fen == text.fen
    position = Position("chess", "r3k3/1P6/8/8/8/8/8/4K2R w K")
    assert [text.san for text in position.move_texts(["e1g1", "b7a8=N"])] == ["O-O", "bxa8=N"]
    assert position.move_texts([]) == []
    for wrong in ("e1e3", "", "e1g1" * 5, "e1g1\0"):
        with pytest.raises(bareking.UsageError):
            position.move_texts(["e1g1", wrong])


def test_squares():
    game = Game("sultan")
    assert game.square("j8") == game.square("k8") == 79 == game.square(79)
    assert [game.square(game.square_name(s)) for s in range(game.squares)] == list(range(80))
    for wrong in ("a9", "z1", "a0", "", "a", "11", 80, -1):
        with pytest.raises(bareking.UsageError):
            game.square(wrong)
    assert Game("puzzle").holes == {54, 55, 62, 63} and not game.holes


def test_what_is_wrong_is_said():
    with pytest.raises(bareking.FenError):
        Position("chess", "nonsense")
    with pytest.raises(bareking.FenError):
        Position("chess", DIAMOND + "\0")
    with pytest.raises(bareking.FenError, match="FEN rank 5: .* at column 10;"):  # named where it is
        Position("chess", "4k3/8/8/8\0/8/8/8/4K2Q w")
    for game, fen in FENS:  # and refused wherever it is
        for at in range(len(fen) + 1):
            with pytest.raises(bareking.FenError):
                Position(game, fen[:at] + "\0" + fen[at:])
    with pytest.raises(bareking.UnknownPieceError):
        Position("chess", "8/8/8/3k4/8/1KZ5/8/q7 w")
    with pytest.raises(bareking.UnknownPieceError):
        Game("chess").position_of([("KK", 1)])
    with pytest.raises(bareking.UsageError, match="another man"):
        Game("chess").position_of([("K", 1), ("k", 1)])
    with pytest.raises(bareking.UsageError, match="initial array"):
        Game("puzzle").position()
    with pytest.raises(bareking.UsageError, match="castling"):
        Game("chess").position_of([("K", 1), ("k", 60)], castling="x")
    with pytest.raises(bareking.UsageError, match="did you mean `shatranj`"):
        Game("shatranc")
    with pytest.raises(bareking.UsageError, match="no legal move"):
        Position("shatranj", DIAMOND).play("b3b9")
    illegal = Position("chess", "4k3/8/8/8/8/8/4R3/4K3 w")
    assert not illegal.is_legal()
    for ask in (illegal.outcome, illegal.legal_moves, lambda: illegal.play("e2e3")):
        with pytest.raises(bareking.IllegalPositionError, match="king on e8"):
            ask()
    with pytest.raises(TypeError):
        Position("chess", 7)


def test_game_of_a_file(tmp_path, monkeypatch):
    (tmp_path / "small.ini").write_text(
        "[variant]\nname = small\nboard = 4x4\n[piece king]\nletter = K\nmove = WF\nroyal = yes\n"
        "[piece rook]\nletter = R\nmove = R\n")
    game = Game(tmp_path / "small.ini")
    assert (game.files, game.turns, game.start) == (4, None, None)
    assert [p.letter for p in game.pieces if p.royal] == ["K"]
    assert len(game.position("3k/4/4/KR2 w").legal_moves()) > 3
    monkeypatch.chdir(tmp_path)  # a relative path stays the file that it was
    game, tables = Game("small.ini"), bareking.Tablebase("./small.ini")
    monkeypatch.chdir("/")
    assert pickle.loads(pickle.dumps(game)).name == tables.game.name == game.name
    assert (game.variant, tables.variant) == ("small.ini", "./small.ini")
    tables.close()
    with pytest.raises(bareking.UsageError, match="missing.ini"):
        Game(tmp_path / "missing.ini")
