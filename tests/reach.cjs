// reach.cjs GAMES [VARIANTS.INI] - writes positions of Fairy-Stockfish's games and how many leaves its move tree has
// there, by npm's ffish: a line is GAME, FEN, DEPTH and the number, with tabs between.
//
// GAMES are names with commas between; those of VARIANTS.INI need it.  Of each: the array, three plies, and POSITIONS
// positions (20) of random games, three plies where that is at most LEAVES (200,000), two plies elsewhere.
'use strict';
const fs = require('fs');
globalThis.fetch = undefined; // else ffish asks it for a file
const ffish = require('ffish');
const [games, ini] = process.argv.slice(2);
const positions = Number(process.env.POSITIONS || 20);
const leaves = Number(process.env.LEAVES || 200000);

// a generator of our own, so that a run can be had again
let state = Number(process.env.SEED || 1);
function below(n) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
}

function perft(board, depth) {
    if (depth === 1) return board.numberLegalMoves();
    let sum = 0;
    for (const move of board.legalMoves().split(' ').filter(Boolean)) {
        board.push(move);
        sum += perft(board, depth - 1);
        board.pop();
    }
    return sum;
}

function tell(game, board) {
    const first = board.numberLegalMoves();
    const depth = first ** 3 > leaves ? 2 : 3;
    console.log([game, board.fen(), depth, perft(board, depth)].join('\t'));
}

// Are men in hand?  Of such positions we know nothing.
const held = (board) => /\[[A-Za-z]/.test(board.fen());

// Leaves the board at a random ply of a random game, before its end.
function wander(board) {
    for (;;) {
        board.reset();
        let plies = 1 + below(80);
        while (plies && !board.isGameOver(false)) {
            const moves = board.legalMoves().split(' ');
            board.push(moves[below(moves.length)]);
            plies--;
        }
        if (!board.isGameOver(false) && !held(board)) return;
    }
}

ffish.onRuntimeInitialized = () => {
    if (ini) ffish.loadVariantConfig(fs.readFileSync(ini, 'utf8'));
    for (const game of games.split(',')) {
        const board = new ffish.Board(game);
        if (!held(board)) console.log([game, board.fen(), 3, perft(board, 3)].join('\t'));
        for (let i = 0; i < positions; i++) {
            wander(board);
            tell(game, board);
        }
        board.delete();
    }
};
