/* motion.js - men that go from where they stood to where they stand, unless whoever looks wants no motion. */
import { isWhite, squareName } from './fen.js';

const TIME = 180; /* ms */
const MEN_MAX = 4; /* who move at once; where more do, another position has been set up */

/* Who has gone where: [[from, to]].  The man of the move that led here, if one did; then who
   has gone from one square and stands on another: of his kind, or of his colour. */
function ways(before, after, last) {
    const news = [], gone = [], out = [];

    for (let square = 0; square < after.files * after.ranks; square++) {
        if (before.at[square] === after.at[square])
            continue;
        if (after.at[square])
            news.push(square);
        if (before.at[square])
            gone.push(square);
    }
    const pair = (from, to) => {
        out.push([from, to]);
        news.splice(news.indexOf(to), 1);
        gone.splice(gone.indexOf(from), 1);
    };

    if (news.length > MEN_MAX)
        return [];
    if (last && gone.includes(last.from) && news.includes(last.to))
        pair(last.from, last.to);
    for (const same of [(a, b) => a === b, (a, b) => isWhite(a) === isWhite(b)])
        for (const to of [...news]) {
            const from = gone.find((square) => same(before.at[square], after.at[to]));

            if (from !== undefined)
                pair(from, to);
        }
    return out;
}

/* Moves the men of a board that has just been drawn. */
export function animate(board, before, last) {
    const { position } = board;

    if (before.files !== position.files || before.ranks !== position.ranks ||
        matchMedia('(prefers-reduced-motion: reduce)').matches)
        return;
    for (const [from, to] of ways(before, position, last)) {
        const man = board.layers.men.querySelector(`[data-square="${squareName(position, to)}"]`);
        const via = last?.via !== undefined && to === last.to ? [last.via] : [];
        const steps = [from, ...via, to].map((square) => {
            const [x, y] = board.corner(square);

            return { transform: `translate(${x}px, ${y}px)` };
        });

        man.parentNode.append(man); /* above those whom he passes */
        man.animate(steps, { duration: TIME * (1 + via.length), easing: 'ease-out' });
    }
}
