/*
 * fen.js - positions as FENs write them, for boards of any size, with holes.
 *
 * What people write, the game's own reader reads first (/board); this one checks no more than it needs.
 *
 * A position is { files, ranks, at, holes, marked, promoted, brackets, braces, turn, castling, passing, half, move }:
 * at[square] is a letter or undefined, holes, marked (`?`: land that may change) and promoted (`~`) Sets of squares;
 * square = rank * files + file, a1 = 0.
 */
export function readFen(text) {
    const fields = text.trim().replace(/_/g, ' ').split(/\s+/);
    const bracket = /^([^[{]*)(?:\[([^\]]*)\])?(?:\{([^}]*)\})?$/.exec(fields[0]);

    if (!bracket)
        throw new Error('the brackets of the FEN do not close');
    const rows = bracket[1].split('/').map(readRow);
    const files = rows[0].length, ranks = rows.length;

    if (!files || files > 14 || ranks > 14 || rows.some((row) => row.length !== files))
        throw new Error('the ranks of the FEN are not equally long');
    const p = {
        files, ranks, at: [], holes: new Set(), marked: new Set(), promoted: new Set(),
        brackets: bracket[2] ?? null, braces: bracket[3] ?? null,
        turn: fields[1] === 'b' ? 'b' : 'w', castling: fields[2] ?? '-', passing: fields[3] ?? '-',
        half: fields[4] ?? '0', move: fields[5] ?? '1',
    };
    rows.forEach((row, i) => row.forEach((cell, file) => {
        const square = (ranks - 1 - i) * files + file;

        if (cell.startsWith('?'))
            p.marked.add(square);
        cell = cell.replace('?', '');
        if (cell === '*')
            p.holes.add(square);
        else if (cell)
            p.at[square] = cell[0];
        if (cell.endsWith('~'))
            p.promoted.add(square);
    }));
    return p;
}

function readRow(text) {
    const row = [];

    for (const [, few, gap, cell] of text.matchAll(/\?(\d)|(\d+)|(\??.)/g)) {
        if (few || gap)
            row.push(...Array(Math.min(+(few ?? gap), 15)).fill(few ? '?' : ''));
        else if (cell === '~' && row.at(-1))
            row[row.length - 1] += cell;
        else if (/^\??[A-Za-z*]$/.test(cell))
            row.push(cell);
        else
            throw new Error(`'${cell}' in the FEN is no man`);
    }
    return row;
}

export function writeFen(p) {
    const rows = [];

    for (let rank = p.ranks - 1; rank >= 0; rank--) {
        let row = '', gap = 0;

        for (let file = 0; file < p.files; file++) {
            const square = rank * p.files + file, marked = p.marked?.has(square);
            const cell = (marked ? '?' : '') + (p.holes.has(square) ? '*' : p.at[square] ?? (marked ? '1' : ''));

            if (!cell) {
                gap++;
                continue;
            }
            row += (gap || '') + cell + (p.promoted?.has(square) ? '~' : '');
            gap = 0;
        }
        rows.push(row + (gap || ''));
    }
    const brackets = p.brackets === null ? '' : `[${p.brackets}]`;
    const braces = (p.braces ?? null) === null ? '' : `{${p.braces}}`;

    return `${rows.join('/')}${brackets}${braces} ${p.turn} ${p.castling} ${p.passing} ${p.half} ${p.move}`;
}

export function squareName(p, square) {
    return String.fromCharCode(97 + square % p.files) + (Math.floor(square / p.files) + 1);
}

export function squareOf(p, name) {
    return (+name.slice(1) - 1) * p.files + name.charCodeAt(0) - 97;
}

export const isWhite = (letter) => letter === letter.toUpperCase();

export function countMen(p) {
    return p.at.reduce((n, letter) => n + (letter ? 1 : 0), 0);
}

/* Nobody can castle or take in passing after men have been moved about. */
function loose(p) {
    return { ...p, at: [...p.at], holes: new Set(p.holes), promoted: new Set(p.promoted), castling: '-', passing: '-' };
}

export function put(p, square, letter) {
    const q = loose(p);

    q.castling = p.castling;
    q.promoted.delete(square);
    if (letter)
        q.at[square] = letter;
    else
        delete q.at[square];
    return q;
}

/* The position with every square carried to another, and each letter changed. */
function carried(p, to, letter) {
    const q = loose(p);

    q.at = [];
    q.holes = new Set([...p.holes].map(to));
    q.promoted = new Set([...q.promoted].map(to));
    q.marked = new Set([...p.marked ?? []].map(to));
    p.at.forEach((man, square) => { q.at[to(square)] = letter(man); });
    return q;
}

/* All men a step to the right and up (-1: left, down), on the same board; null where one would leave it. */
export function shifted(p, right, up) {
    const fits = (square) => {
        const file = square % p.files + right, rank = Math.floor(square / p.files) + up;
        const to = rank * p.files + file;

        return file >= 0 && rank >= 0 && file < p.files && rank < p.ranks && !p.holes.has(to);
    };
    const squares = [...p.at.keys()].filter((square) => p.at[square]);
    const q = loose(p);

    if (!squares.every(fits))
        return null;
    q.at = [];
    for (const square of squares)
        q.at[square + up * p.files + right] = p.at[square];
    return q;
}

const sameHoles = (a, b) => a.size === b.size && [...a].every((square) => b.has(square));

/* Left and right exchanged; null where the board is not the same then. */
export function mirrored(p) {
    const q = carried(p, (s) => s - s % p.files + p.files - 1 - s % p.files, (man) => man);

    return sameHoles(p.holes, q.holes) ? q : null;
}

/* A quarter turn to the right, or on a board that is no square half a turn; null likewise. */
export function turned(p) {
    const quarter = (s) => (p.files - 1 - s % p.files) * p.files + Math.floor(s / p.files);
    const q = carried(p, p.files === p.ranks ? quarter : (s) => p.files * p.ranks - 1 - s, (man) => man);

    return sameHoles(p.holes, q.holes) ? q : null;
}

/* The colours exchanged; null likewise. */
export function exchanged(p) {
    const swap = (c) => isWhite(c) ? c.toLowerCase() : c.toUpperCase();
    const q = carried(p, (s) => (p.ranks - 1 - Math.floor(s / p.files)) * p.files + s % p.files, swap);

    q.turn = p.turn === 'w' ? 'b' : 'w';
    for (const key of ['brackets', 'braces'])
        q[key] = (p[key] ?? null) === null ? null : [...p[key]].map(swap).join('');
    return sameHoles(p.holes, q.holes) ? q : null;
}
