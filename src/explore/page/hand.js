/*
 * hand.js - a turn of several parts, in games with hands: a man moves and one is dropped, or two are dropped.
 *
 * The parts are those of a move's `uci`, with commas between: b1b4,r@a3.  They are given in any order, until
 * one turn is left.
 */
export class Turn {
    constructor() {
        this.parts = [];
    }

    clear() {
        this.parts = [];
    }

    /* The moves that have all parts given so far, and one more. */
    fits(moves, part = null) {
        const parts = part ? [...this.parts, part] : this.parts;

        return parts.length ? moves.filter(({ uci }) => {
            const all = uci.split(',');

            return parts.every((one) => all.includes(one));
        }) : moves;
    }

    /* The part that drops a man of the hand: a captured man has the letter of either side. */
    drop(moves, letter, square) {
        const swapped = letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase();

        return [letter, swapped].map((one) => `${one}@${square}`).find((part) => this.fits(moves, part).length) ?? null;
    }

    /* The part that all of these moves have as their move of a man; null: they differ, or none is dropped then. */
    step(moves) {
        const [first] = moves[0].uci.split(','), drops = ({ uci }) => uci.startsWith(`${first},`) && uci.includes('@');

        return !first.includes('@') && moves.every(drops) ? first : null;
    }

    /* Squares that the parts lead to. */
    squares() {
        return this.parts.map((part) => /([a-n]\d+)[a-z]?$/.exec(part)[1]);
    }
}
