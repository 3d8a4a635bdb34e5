#!/usr/bin/env python3
"""behind.py BUILD [-e ENGINE] [-G GAME] [-d TABLES] [-s SEED] [-n POSITIONS] [-g GAMES] [WHAT...] - what an engine gives away that
has no tables, alone and behind ours; the figures of README.md and docs/engines.md.

WHAT: won, drawn: positions of GAME (shatranj, of four and five men; grand-shatranj, of four) against a defender that knows the tables, which judge each
move; match: the drawn ones against ENGINE with 1,000 nodes a move, which errs; games: whole games, ours with ENGINE behind
against ENGINE, from the array by random plies: each answer must be a legal move.  All of it if none is named.

Positions are drawn by SEED (1): won in 15 plies or more; drawn though a legal move loses.  NODES='10000 100000': how far
ENGINE sees.  ONLY='alone behind ours': these players.

A game that ENGINE does not have it is told nearly (bareking variants --fairy GAME --nearly), alone by bare positions."""
import argparse, collections, functools, os, random, shlex, shutil, subprocess, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'probe', 'python'))
ap = argparse.ArgumentParser(usage=__doc__)
ap.add_argument('build')
ap.add_argument('what', nargs='*')
ap.add_argument('-e', '--engine', default='fairy-stockfish')
ap.add_argument('-G', '--game', default='shatranj', choices=['shatranj', 'grand-shatranj'])
ap.add_argument('-d', '--dir')
ap.add_argument('-s', '--seed', type=int, default=1)
ap.add_argument('-n', '--positions', type=int, default=100)
ap.add_argument('-g', '--games', type=int, default=50)
ap.add_argument('-v', '--verbose', action='store_true')
o = ap.parse_intermixed_args()
o.what = o.what or ['won', 'drawn', 'match', 'games']
build = os.path.abspath(o.build)
o.dir = o.dir or os.path.join(build, 'behind-tables')
engine = shutil.which(o.engine, path=os.environ['PATH'] + ':/usr/games') or o.engine
if not os.path.exists(shlex.split(engine)[0]):
    print(f'not tried: no {o.engine}')
    sys.exit(0)
os.environ['BAREKING_LIBRARY'] = os.path.join(build, 'libbareking.so')
import bareking

LIMIT = 140  # plies of a game
SIDE, START, MATERIALS, TABLES = {
    'shatranj': (8, 'rnbkqbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKQBNR w - - 0 1',
                 'KQvKQ KQvKP KPvKP KQvKN KNvKP KQvKB KBvKP KQvKR KRvKP KNvKN KBvKN KRvKN KBvKB KRvKB KRvKR KRNvKR KQRvKN',
                 ['--men 4', 'KRNvKR KQRvKN']),
    'grand-shatranj': (10, 'l8l/1nojkmhon1/pppppppppp/10/10/10/10/PPPPPPPPPP/1NOJKMHON1/L8L w - - 0 1',
                       'KMvKN KJvKM KMvKH KHvKL KMvKL KOvKN', ['KMvKN KJvKM KMvKH KHvKL KMvKL KOvKN']),
}[o.game]
MATERIALS = MATERIALS.split()


# == Positions ==
def draw_fen(rnd, material, black):
    """men thrown on the board"""
    white, others = material.split('v')
    men = white + others.lower()
    board = dict(zip(rnd.sample(range(SIDE * SIDE), len(men)), men))
    rows = []
    for rank in reversed(range(SIDE)):
        row, gap = '', 0
        for file in range(SIDE):
            man = board.get(rank * SIDE + file)
            if man:
                row, gap = row + (str(gap) if gap else '') + man, 0
            else:
                gap += 1
        rows.append(row + (str(gap) if gap else ''))
    return '/'.join(rows) + (' b' if black else ' w') + ' - - 0 1'


def draw_positions(tables, seed, n):
    """n won and n drawn ones, the materials in turn"""
    rnd = random.Random(seed)
    won, drawn = {}, {}
    for material in MATERIALS:
        fens = [draw_fen(rnd, material, rnd.random() < .5) for _ in range(6000)]
        won[material], drawn[material], tried = [], [], 0
        for fen in fens:
            try:
                answer = tables.probe(fen)
            except bareking.BarekingError:
                continue
            if answer.end:
                continue
            if answer.wdl == 1 and answer.dtw >= 15:
                won[material].append(fen)
            elif answer.wdl == 0 and (tried := tried + 1) <= 400 and any(m.wdl < 0 for m in tables.root_moves(fen)):
                drawn[material].append(fen)

    def in_turn(pool):
        got, k = [], 0
        while len(got) < n and any(len(fens) > k for fens in pool.values()):
            got += [(material, fens[k]) for material, fens in pool.items() if len(fens) > k]
            k += 1
        return got[:n]

    return {'won': in_turn(won), 'drawn': in_turn(drawn)}


# == Players ==
@functools.cache
def told_nearly():
    """a file with GAME for ENGINE"""
    os.makedirs(o.dir, exist_ok=True)
    path = os.path.join(o.dir, 'nearly.ini')
    with open(path, 'w') as file:
        subprocess.run([os.path.join(build, 'bareking'), 'variants', '--fairy', o.game, '--nearly'], check=True, stdout=file)
    return path


def uci(move):
    return move.replace('=', '').lower()


class Player:
    """an engine that speaks UCI, with so many nodes for each move"""

    def __init__(self, command, nodes):
        self.nodes, self.faults, self.bare = nodes, 0, False
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.say('uci')
        if not self.knows(o.game):
            self.bare = True
            self.say(f'setoption name VariantPath value {told_nearly()}')
        self.say(f'setoption name UCI_Variant value {o.game}')
        self.say('setoption name Hash value 16')

    def knows(self, game):
        """reads to uciok"""
        known = False
        while (line := self.process.stdout.readline().strip()) != 'uciok':
            known = known or (line.startswith('option name UCI_Variant') and game in line.split())
        return known

    def say(self, line):
        self.process.stdin.write(line + '\n')
        self.process.stdin.flush()

    def until(self, word):
        while line := self.process.stdout.readline():
            if 'engine behind' in line or 'error' in line:
                self.faults += 1
                print(line.strip(), file=sys.stderr)
            if line.startswith(word):
                return line.strip()
        raise SystemExit(f'FAILED: a player ended, which was to say {word}')

    def new(self):
        self.say('ucinewgame')
        self.say('isready')
        self.until('readyok')

    def move(self, game):
        fen, moves = (game.position.fen, []) if self.bare else (game.first, game.moves)
        self.say(f'position fen {fen}' + (' moves ' + ' '.join(moves) if moves else ''))
        self.say(f'go nodes {self.nodes}')
        return self.until('bestmove').split()[1]

    def quit(self):
        self.say('quit')
        self.process.wait(20)


ours = [os.path.join(build, 'bareking-engine'), '--dir', o.dir, '--game', o.game]
players = {'alone': shlex.split(engine), 'behind': ours + ['--engine', engine], 'ours': ours}
players = {name: players[name] for name in os.environ.get('ONLY', 'alone behind ours').split()}


# == Games ==
class Game:
    """a game under way, and how often each position was there"""

    def __init__(self, tables, fen):
        self.first, self.position, self.moves, self.seen = fen, tables.game.position(fen), [], collections.Counter()
        self.count()

    @staticmethod
    def key(position):
        return ' '.join(position.fen.split()[:4])

    def count(self):
        self.seen[self.key(self.position)] += 1

    def play(self, name):
        """False: no legal move"""
        own = [m.name for m in self.position.legal_moves() if uci(m.name) == name.lower()]
        if own:
            self.position = self.position.play(own[0])
            self.moves.append(name)
            self.count()
        return bool(own)

    def over(self):
        """the result for the side to move; a third time and the limit are draws; None: it goes on"""
        outcome = self.position.outcome()
        if outcome:
            return outcome.wdl
        return 0 if self.seen[self.key(self.position)] >= 3 or len(self.moves) >= LIMIT else None


def defend(tables, game):
    """the longest loss; in a draw what was there least, then what leaves fewest moves that hold"""
    ranked = tables.root_moves(game.position)
    if ranked[0].wdl:
        return ranked[0].move.name
    least = []
    for m in ranked:
        if m.wdl == ranked[0].wdl:
            after = game.position.play(m.move.name)
            holding = 1000 if after.outcome() else sum(x.wdl == 0 for x in tables.root_moves(after)) or 999
            least.append((game.seen[game.key(after)], holding, m.move.name))
    return min(least)[2]


def judged(tables, player, fen, wanted):
    """the player to move against the defender: 'kept', or how the result was given away"""
    game = Game(tables, fen)
    player.new()
    while True:
        name = player.move(game)
        if not game.play(name):
            return f'illegal {name}'
        outcome = game.position.outcome()
        if -(outcome.wdl if outcome else tables.probe_wdl(game.position)) < wanted:
            return 'given away'
        if game.over() is not None:
            break
        game.play(uci(defend(tables, game)))
        if game.over() is not None:
            break
    return 'kept' if not wanted or game.position.outcome() else 'no end'


def against(tables, player, other, fen):
    """'won', 'drawn' or 'lost' by the player, who is to move"""
    game, turn = Game(tables, fen), [player, other]
    player.new()
    other.new()
    while game.over() is None:
        name = turn[len(game.moves) % 2].move(game)
        if not game.play(name):
            return f'illegal {name}'
    wdl = game.over() if len(game.moves) % 2 == 0 else -game.over()
    return {1: 'won', 0: 'drawn', -1: 'lost'}[wdl]


def tell(what, name, nodes, results):
    line = ', '.join(f'{n} {result}' for result, n in sorted(results.items()))
    print(f'{what:6} {name:7} {nodes:>7} nodes: {line}', flush=True)


bad = 0
with bareking.Tablebase(o.game, o.dir) as tables:
    lacking = [m for m in MATERIALS if not os.path.exists(os.path.join(o.dir, o.game, m + '.bkw'))]
    if lacking:
        for wanted in TABLES:
            command = [os.path.join(build, 'bareking'), 'build', o.game, '--dir', o.dir, '--quiet']
            subprocess.run(command + wanted.split(), check=True)
        tables.refresh()
    positions = draw_positions(tables, o.seed, o.positions) if set(o.what) - {'games'} else {}
    depths = [int(n) for n in os.environ.get('NODES', '10000 100000').split()]
    for what in o.what:
        if what in ('won', 'drawn'):
            for nodes in depths:
                for name, command in players.items():
                    player, results = Player(command, nodes), collections.Counter()
                    for material, fen in positions[what]:
                        result = judged(tables, player, fen, what == 'won')
                        results[result] += 1
                        if o.verbose:
                            print(what, name, material, fen, result)
                    player.quit()
                    tell(what, name, nodes, results)
                    bad += name != 'alone' and (player.faults > 0 or results['kept'] != len(positions[what]))
        elif what == 'match':
            wins = {}
            for name, command in players.items():
                player, other, results = Player(command, depths[0]), Player(shlex.split(engine), 1000), collections.Counter()
                for material, fen in positions['drawn']:
                    result = against(tables, player, other, fen)
                    results[result] += 1
                    if o.verbose:
                        print(what, name, material, fen, result)
                player.quit()
                other.quit()
                tell(what, name, depths[0], results)
                wins[name] = results['won']
                bad += name != 'alone' and results['lost'] > 0
        elif what == 'games':
            rnd, results = random.Random(o.seed), collections.Counter()
            LIMIT = 600
            player, other = Player(ours + ['--engine', engine], 1000), Player(shlex.split(engine), 1000)
            for n in range(o.games):
                game = Game(tables, START)
                for _ in range(6):
                    game.play(uci(rnd.choice(game.position.legal_moves()).name))
                fen = game.position.fen
                results[against(tables, *([player, other] if n % 2 else [other, player]), fen)] += 1
            player.quit()
            other.quit()
            tell('games', 'behind', 1000, results)
            bad += player.faults > 0 or any(result.startswith('illegal') for result in results)
        else:
            raise SystemExit(f'FAILED: no {what}: won, drawn, match, games')
sys.exit(bad > 0)
