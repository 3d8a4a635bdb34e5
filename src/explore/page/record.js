/*
 * record.js - the moves that were played: a tree, whose branches are what was tried instead.
 *
 * A node is { fen, move, parent, children, next }: the position, the move that led to it (of the
 * API; null at the root), and the child that was last gone to.  One node is `at`, on the board.
 * Whatever is no move begins another tree.
 */
import { make } from './dom.js';
import { readFen } from './fen.js';

export class Record {
    constructor() {
        this.at = null;
    }

    /* Goes to a position, by the move that leads there from the one on the board, or by none. */
    go(fen, move) {
        if (this.at && move)
            this.at = this.child(this.at, fen, move);
        else if (this.at?.fen !== fen)
            this.at = { fen, move: null, parent: null, children: [], next: null };
        this.remember(this.at);
    }

    child(parent, fen, move) {
        const known = parent.children.find((one) => one.fen === fen && one.move.san === move.san);
        const node = known ?? { fen, move, parent, children: [], next: null };

        if (!known)
            parent.children.push(node);
        return node;
    }

    /* Goes to a node that was there before. */
    jump(node) {
        this.at = node;
        this.remember(node);
    }

    remember(node) {
        for (let one = node; one.parent; one = one.parent)
            one.parent.next = one;
    }

    root() {
        let node = this.at;

        while (node?.parent)
            node = node.parent;
        return node;
    }

    /* The node after the one on the board, on the branch that was last looked at; null: none. */
    forth() {
        return this.at?.next ?? null;
    }

    /* The end of that branch. */
    last() {
        let node = this.at;

        while (node?.next)
            node = node.next;
        return node;
    }

    /* The next, or the last, of the moves that were tried in the same place. */
    beside(step) {
        const all = this.at?.parent?.children ?? [], i = all.indexOf(this.at) + step;

        return all[i] ?? null;
    }

    /* Moves, one after the other, with branches behind the move that they replace:
       [{ number, san, node }] and '(' and ')'.  Only what begins or follows a branch needs the
       number of a move of Black's. */
    words() {
        const root = this.root(), out = [];

        if (root)
            tell(root, numberer(root.fen), out, true);
        return out;
    }
}

/* How the nth ply from a position is numbered: "3." or, of Black's, "3...". */
function numberer(fen) {
    const { turn, move } = readFen(fen), first = 2 * (+move || 1) + (turn === 'b' ? 1 : 0);

    return (ply) => ({ turn: (first + ply) >> 1, black: (first + ply) % 2 === 1 });
}

/* All that follows a node.  fresh: does its number have to be told? */
function tell(root, number, out, fresh) {
    let node = root, ply = 0;
    const put = (child) => {
        const { turn, black } = number(ply);

        out.push({ number: black ? fresh ? `${turn}...` : '' : `${turn}.`, san: child.move.san, node: child });
        fresh = false;
    };

    while (node.children.length) {
        const [main, ...others] = node.children;

        put(main);
        for (const other of others) {
            const after = ply + 1;

            out.push('(');
            fresh = true;
            put(other);
            tell(other, (n) => number(after + n), out, false);
            out.push(')');
            fresh = true;
        }
        node = main;
        ply++;
    }
}

/* Fills an element with the moves, as buttons. */
export function showRecord(host, record, jump) {
    const words = record.words();
    const moves = words.map((word, i) => [word === ')' || !i || words[i - 1] === '(' ? '' : ' ', typeof word === 'string'
        ? make('span', { class: 'bracket' }, word)
        : make('span', { class: 'together' }, word.number ? make('span', { class: 'turn' }, `${word.number} `) : '',
            make('button', { 'class': 'link', 'onclick': () => jump(word.node),
                'aria-current': word.node === record.at ? 'step' : null }, word.san))]).flat();

    host.hidden = !moves.length;
    host.replaceChildren(...moves);
    const here = host.querySelector('[aria-current]');

    /* never the page, which has its own place */
    host.scrollTop = here ? here.offsetTop - host.clientHeight / 2 : 0;
}
