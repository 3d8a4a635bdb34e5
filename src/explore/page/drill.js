/*
 * drill.js - win against the toughest defence.
 *
 * The side that wins is the player's; the other plays the move that holds out longest.  Each move of
 * the player's is compared with the best: as good, so many turns slower, or the win is gone.
 */
import { kindOf, turns } from './dom.js';

const wins = (move) => kindOf(move.mover.category) === 'win';

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

export class Drill {
    constructor(state, page) {
        this.state = state;
        this.page = page;
        this.active = false;
        this.log = [];
    }

    /* Verdicts are hidden while somebody is thinking. */
    hides() { return this.active && !this.over(); }

    over() { return Boolean(this.ended || this.state.answer?.end_reason); }

    stop() {
        this.active = false;
        this.log = [];
        this.ended = null;
    }

    /* Begins with the position on the board; the winner is whoever wins it. */
    async start() {
        const { answer, position } = this.state;
        const kind = kindOf(answer?.category);

        this.stop();
        if (kind !== 'win' && kind !== 'loss')
            return false;
        this.active = true;
        this.side = (kind === 'win') === (position.turn === 'w') ? 'w' : 'b';
        this.par = answer.mover.turns;
        this.hints = 0;
        if (position.turn !== this.side)
            await this.defend();
        else
            await this.page.refresh();
        return true;
    }

    /* The player has moved. */
    async played(move) {
        const { answer, position } = this.state;

        if (position.turn !== this.side || this.over())
            return;
        const best = answer.moves[0];
        const graded = grade(move, best);

        this.log.push({ san: move.san, best: best.san, turn: +position.move, ...graded });
        if (graded.kind === 'loss')
            this.ended = 'lost';
        await this.page.go(move.fen);
        if (!this.ended && !this.state.answer?.end_reason)
            await this.defend();
        else
            await this.page.refresh();
    }

    /* The other side plays what holds out longest. */
    async defend() {
        const best = this.state.answer?.moves?.[0];

        if (!best)
            return;
        this.reply = best.san;
        await new Promise((done) => setTimeout(done, 350));
        if (this.active)
            await this.page.go(best.fen);
    }

    /* Shows the best move once. */
    hint() {
        const best = this.state.answer?.moves?.[0];

        this.hints++;
        if (best)
            this.page.hover([best]);
    }

    score() {
        const best = this.log.filter((entry) => entry.text === 'best').length;
        const slower = this.log.reduce((sum, entry) => sum + (entry.slower ?? 0), 0);

        return { moves: this.log.length, best, slower };
    }
}
