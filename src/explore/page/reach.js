/*
 * reach.js - a picture of how a man moves: where he stands, goes and takes, as /variants tells it, and no more of the
 * board around him than that needs.
 */
import { draw } from './dom.js';

const UNIT = 48;
const read = (name) => [name.charCodeAt(0) - 97, +name.slice(1) - 1]; /* file and rank */
const MARKS = {
    goes: () => draw('circle', { cx: 24, cy: 24, r: 11 }),
    quiet: () => draw('circle', { cx: 24, cy: 24, r: 10 }),
    takes: () => draw('path', { d: 'M14 14L34 34M34 14L14 34' }),
};

/* The squares within `far` of the man that the board has: [first, last]. */
const span = (at, far, size) => [Math.max(0, at - far), Math.min(size - 1, at + far)];

export function reachOf(game, { name, moves: { at, goes, takes } }, man) {
    const { files, ranks, holes } = game.board, [file, rank] = read(at);
    const squares = [...goes, ...takes].map(read);
    const far = Math.min(4, Math.max(2, ...squares.map(([f, r]) => Math.max(Math.abs(f - file), Math.abs(r - rank)))));
    const [left, right] = span(file, far, files), [low, high] = span(rank, far, ranks);
    const put = (f, r, kind, ...what) => draw('g', { class: kind, transform: `translate(${(f - left) * UNIT} ${(high - r) * UNIT})` }, ...what);
    const shown = [];

    for (let r = low; r <= high; r++)
        for (let f = left; f <= right; f++) {
            const square = String.fromCharCode(97 + f) + (r + 1);
            const kind = goes.includes(square) ? takes.includes(square) ? 'goes' : 'quiet'
                : takes.includes(square) ? 'takes' : null;

            if (holes.includes(square))
                continue;
            shown.push(put(f, r, 'field', draw('rect', { width: UNIT, height: UNIT, class: (f + r) % 2 ? 'light' : 'dark' })));
            if (square === at)
                shown.push(put(f, r, 'who', man));
            else if (kind)
                shown.push(put(f, r, kind, MARKS[kind]()));
        }
    return draw('svg', { 'class': 'reach', 'role': 'img', 'aria-label': `How a ${name.replace(/-/g, ' ')} moves`,
        'viewBox': `0 0 ${(right - left + 1) * UNIT} ${(high - low + 1) * UNIT}` }, ...shown);
}
