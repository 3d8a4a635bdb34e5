/*
 * drill.js - win against the toughest defence, or hold a draw against the toughest attack.
 *
 * The side that wins is the player's; the other plays the move that holds out longest.  Each move of
 * the player's is compared with the best: as good, so many turns slower, or the win is gone.  Of a
 * draw the side to move is the player's; the other plays the move that leaves the fewest replies
 * that hold, and goes where it has not been, if it can.
 */
import * as api from './api.js';
import { kindOf, turns } from './dom.js';

const wins = (move) => kindOf(move.mover.category) === 'win';

export const HOLD = 15; /* moves of the player's that a draw is to be held for */
const ATTACKS = 12; /* moves of the attack that are looked at */
const holding = (moves) => (moves ?? []).filter((move) => kindOf(move.mover.category) === 'draw').length;

/* How a move of a drawn position keeps the draw: by itself alone, or as others do. */
function gradeHold(move, moves) {
    if (kindOf(move.mover.category) === 'loss')
        return { kind: 'loss', text: 'loses' };
    return { kind: 'win', text: holding(moves) === 1 && moves.length > 1 ? 'the only move that holds' : 'holds' };
}

/* How a move compares with the best one. */
export function grade(move, best) {
    if (!wins(move)) {
        const draws = kindOf(move.mover.category) === 'draw';

        return { kind: 'loss', text: draws ? 'lets the win go: a draw' : 'throws the game away' };
    }
    const slower = move.mover.turns - best.mover.turns;

    if (move.mover.plies === best.mover.plies)
        return { kind: 'win', text: 'best' };
    return slower ? { kind: 'late', text: `wins, ${turns(slower)} slower`, slower }
        : { kind: 'late', text: 'wins, a ply slower', slower: 0 };
}

/*
 * An entry of the log: { san, best, kind, text, slower, before, after }, the last two the positions
 * that the move was played in and led to.  Of the log the first `at` entries are those that led to
 * the position on the board; others were taken back, and may be gone forward to again.
 */
export class Drill {
    constructor(state, page) {
        this.state = state;
        this.page = page;
        this.active = false;
        this.log = [];
        this.at = 0;
    }

    get played() { return this.log.slice(0, this.at); }

    /* Has the last move given the win away? */
    get lost() { return this.played.at(-1)?.kind === 'loss'; }

    /* Verdicts are hidden while somebody is thinking. */
    hides() { return this.active && !this.over(); }

    over() { return Boolean(this.lost || this.state.answer?.end_reason || (this.holds && this.at >= HOLD)); }

    ours() { return this.state.position.turn === this.side; }

    stop() {
        this.active = false;
        this.log = [];
        this.at = 0;
    }

    /* Begins with the position on the board; the winner is whoever wins it. */
    async start() {
        const { answer, position, fen } = this.state;
        const kind = kindOf(answer?.category);

        this.stop();
        if (answer?.end_reason || !['win', 'loss', 'draw'].includes(kind))
            return false;
        this.active = true;
        this.holds = kind === 'draw';
        this.first = this.last = fen;
        this.side = (kind !== 'loss') === (position.turn === 'w') ? 'w' : 'b';
        this.par = answer.mover.turns;
        this.hints = 0;
        if (this.ours())
            await this.page.refresh();
        else
            await this.defend();
        return true;
    }

    /* The player moves. */
    async move(move) {
        const { answer, fen } = this.state;

        if (!this.ours() || this.over())
            return;
        const best = answer.moves[0];
        const graded = this.holds ? gradeHold(move, answer.moves) : grade(move, best);

        this.log = [...this.played, { san: move.san, best: best.san, ...graded, before: fen, after: move.fen }];
        this.at = this.log.length;
        this.last = null;
        await this.page.go(move.fen, 'push', move);
        if (this.over())
            await this.page.refresh();
        else
            await this.defend();
    }

    /* Of the moves that keep the draw, the one after which the player finds the smallest share that does. */
    async attack(moves) {
        const seen = this.log.flatMap(({ before, after }) => [before, after]).map((fen) => fen.split(' ')[0]);
        const tries = moves.filter((move) => kindOf(move.mover.category) === 'draw');
        const fresh = tries.filter((move) => !seen.includes(move.fen.split(' ')[0]));
        const judged = await Promise.all((fresh.length ? fresh : tries).slice(0, ATTACKS).map(async (move) => {
            const { moves: replies } = await api.probe(this.state.game.name, move.fen);

            return { move, share: replies?.length ? holding(replies) / replies.length : 1 };
        }));

        return judged.sort((a, b) => a.share - b.share)[0]?.move ?? moves[0];
    }

    /* The other side plays what holds out longest, unless the player has gone on meanwhile. */
    async defend() {
        const { answer, fen } = this.state;

        if (!answer?.moves?.length)
            return;
        const [best] = await Promise.all([this.holds ? this.attack(answer.moves) : answer.moves[0],
            new Promise((done) => setTimeout(done, 350))]);

        this.reply = best.san;
        if (!this.active || this.state.fen !== fen)
            return;
        this.last = best.fen;
        await this.page.go(best.fen, 'push', best);
    }

    /* History has led to a position.  False: it is none of the drill. */
    resume(fen) {
        const nth = this.log.findIndex(({ before, after }) => fen === before || fen === after);

        if (nth >= 0)
            this.at = nth + (fen === this.log[nth].after ? 1 : 0);
        else if (fen === this.last)
            this.at = this.log.length;
        else if (fen === this.first)
            this.at = 0;
        else
            return false;
        this.reply = '';
        return true;
    }

    /* Has the other side replied to the last move? */
    replied() { return this.at < this.log.length || this.last !== null; }

    /* Shows the best move once. */
    hint() {
        const best = this.state.answer?.moves?.[0];

        this.hints++;
        if (best)
            this.page.hover([best]);
    }

    score() {
        const best = this.played.filter((entry) => entry.kind === 'win').length;
        const only = this.played.filter((entry) => entry.text.includes('only')).length;
        const slower = this.played.reduce((sum, entry) => sum + (entry.slower ?? 0), 0);

        return { moves: this.at, best, only, slower };
    }
}
