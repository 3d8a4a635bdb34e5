/*
 * main.js - the page: what is on the board, where one has been, and what goes on when.
 *
 * The address holds game, position and panel (?game=shatranj&fen=...&view=stats), so a page can be
 * sent, and the browser's own history takes moves back.
 */
import * as api from './api.js';
import { Board } from './board.js';
import { Drawing } from './drawing.js';
import { Drill } from './drill.js';
import { Editor } from './editor.js';
import { colour, draw, kindOf, make, plies, turns } from './dom.js';
import { countMen, isWhite, put, readFen, squareName, squareOf, writeFen } from './fen.js';
import { Turn } from './hand.js';
import * as panels from './panels.js';
import { Record, showRecord } from './record.js';
import { pgn, takeaway } from './takeaway.js';

const MEN_MAX = 8; /* of a table */
const GAME = 'shatranj'; /* where no other is named */
const VIEWS = [
    ['moves', 'Moves'], ['map', 'Map'], ['drill', 'Drill'], ['stats', 'Statistics'],
    ['longest', 'Longest'], ['tables', 'Tables'], ['rules', 'Rules'],
];

const $ = (id) => document.getElementById(id);

const state = {
    games: [], dir: null, game: null, fen: '', position: null,
    answer: null,    /* of the position, once it is here */
    view: 'moves',
    material: null,  /* that statistics and tables are about; null: the position's */
    lifted: null,    /* square of the result map */
    filter: '',      /* of the longest wins; kept while one after the other is looked at */
    editing: false,
    tale: null,      /* { fen, text }: why one looks at a position */
};
let board, editor, drill, drawing, asked = 0, panel = 0; /* questions, and panels, so far */
let depth = history.state?.depth ?? 0; /* steps of history since the page was opened */
const turn = new Turn(); /* that is being put together */
const record = new Record(), visited = []; /* visited[depth]: the node of that step of history */
let answered = Promise.resolve(); /* when the last question is */

/* == Where we are == */

function address() {
    const fen = encodeURIComponent(state.fen.replace(/ /g, '_')).replace(/%2F/g, '/');
    const view = state.view === 'moves' ? '' : `&view=${state.view}`;
    const material = state.material ? `&material=${encodeURIComponent(state.material)}` : '';

    return `?game=${encodeURIComponent(state.game.name)}&fen=${fen}${view}${material}`;
}

function remember(replace) {
    depth = (history.state?.depth ?? 0) + (replace ? 0 : 1);
    if (!replace)
        visited.length = depth;
    history[replace ? 'replaceState' : 'pushState']({ depth }, '', address());
}

/* Goes to a position of the record. */
async function jump(node) {
    drill.stop();
    record.jump(node);
    await go(node.fen);
}

/* The squares that the move to a node has to do with, as the board marks them. */
function wayOf(node) {
    if (!node?.move)
        return null;
    const before = readFen(node.parent.fen), { from, to, uci } = node.move;
    const square = (name) => squareOf(before, name);

    if (!from || !to) /* a turn of drops: A@a1,a@b1 */
        return { squares: [...uci.matchAll(/@([a-n]\d+)/g)].map(([, name]) => square(name)) };
    const via = between(node.move, before);

    return { from: square(from), to: square(to), via: via ? square(via) : undefined,
        squares: [from, via, to].filter(Boolean).map(square) };
}

/* Goes to a position, by a move, if one leads there.  how: 'push' (a step that can be taken back),
   'replace', or 'none'. */
async function go(fen, how = 'push', move = null) {
    let position;

    try {
        position = readFen(fen);
    } catch (error) {
        complain(error.message);
        return;
    }
    complain('');
    unchosen?.();
    turn.clear();
    showTurn();
    state.fen = writeFen(position);
    state.position = position;
    state.answer = null;
    state.lifted = null;
    $('fen').value = state.fen;
    record.go(state.fen, move);
    board.show(position, wayOf(record.at));
    showRecord($('record'), record, jump);
    showHand();
    board.arrows([]);
    board.marks([]);
    drawing.clear();
    editor.show(state.game, position);
    if (how !== 'none')
        remember(how === 'replace');
    visited[depth] = record.at;
    answered = ask();
    await answered;
}

/* Asks what the position is worth; an answer that comes too late is dropped.  Of games with hands
   tables are asked even where there are none: the answer names the one to build, which takes
   seconds; solving all states of its men by the server may take minutes. */
async function ask() {
    const mine = ++asked, fen = state.fen;
    let answer;

    try {
        const { game, position } = state, few = countMen(position) <= MEN_MAX && !(game.hands && holds(position));
        const known = few && (game.hands || hasBareKing(position) || await hasTables(game));

        answer = known ? await api.probe(state.game.name, fen) : await api.moves(state.game.name, fen);
    } catch {
        answer = { error: api.away, code: 'away' };
    }
    if (mine !== asked)
        return;
    state.answer = answer;
    showVerdict();
    await showPanel();
    if (answer.counting)
        setTimeout(() => mine === asked && ask(), 1500);
}

/* Has a game tables?  One that had none when the page was opened may have some since. */
async function hasTables(game) {
    game.tables ||= (await api.tables(game.name)).tables?.length ?? 0;
    return game.tables > 0;
}

/* The rules decide such a position, without tables. */
function hasBareKing(p) {
    const white = p.at.filter((letter) => letter && isWhite(letter)).length;

    return white < 2 || countMen(p) - white < 2;
}

/* In games with hands tables know nothing of men who may come back. */
function holds(p) {
    const white = p.at.filter((letter) => letter && isWhite(letter)).length;

    return p.brackets !== null || white > 2 || countMen(p) - white > 2;
}

/* Men off the board, with who holds them: a captured man the other side, unless he changes sides; before
   the kings are down each its own. */
function showHand() {
    const { game, position } = state, box = $('hand');
    const men = game.hands ? [...position.brackets ?? ''].filter((letter) => letter !== '-') : [];
    const king = game.men.find((man) => man.royal).letter.toLowerCase();
    const opening = men.some((letter) => letter.toLowerCase() === king);
    const own = opening || game.turned;
    const of = (white) => men.filter((letter) => (isWhite(letter) === own) === white);
    const free = game.hands ? [...position.braces ?? ''].filter((letter) => letter !== '-') : [];
    const line = (white, does, letters) =>
        make('span', { class: 'held', title: letters.join(' ') }, `${white ? 'White' : 'Black'} ${does}`,
            letters.map((letter) => draw('svg', { 'viewBox': '0 0 48 48', 'data-man': letter }, board.man(letter))));

    box.hidden = !men.length && !free.length;
    box.replaceChildren(
        ...[true, false].filter((white) => of(white).length).map((white) =>
            line(white, opening ? 'has to drop' : 'holds', of(white))),
        ...[true, false].map((white) => [white, free.filter((letter) => isWhite(letter) === white)])
            .filter(([, letters]) => letters.length).map(([white, letters]) => line(white, 'may drop', letters)));
}

function complain(text) {
    $('fenerror').textContent = text;
    $('fenerror').hidden = !text;
}

async function chooseGame(name, fen, how = 'push', material = null) {
    const named = (wanted) => state.games.find((game) => game.name === wanted);

    state.game = named(name) ?? named(GAME) ?? state.games[0];
    state.material = material;
    state.filter = '';
    $('game').value = state.game.name;
    document.title = `${state.game.title}: bareking`;
    board.setMen(state.game.men.map((man) => [man.letter, man.royal && !pictures.has(man.name)
        ? 'king' : man.name]), pictures);
    /* what has been shown before, perhaps while it was set up, is shown again */
    const read = !fen ? {} : history.state ? { fen, fault: faultOf(fen) } : await meant(fen);
    const faults = [name && name !== state.game.name ? `there is no game '${name}'` : '', read.fault].filter(Boolean);

    await go(read.fen && !read.fault ? read.fen : await firstPosition(), how);
    if (faults.length) /* of an address: there is no board before that could stay */
        complain(faults.join('; '));
}

/* What keeps a board from being drawn; "": nothing. */
function faultOf(fen) {
    try {
        const known = (letter) => state.game.men.some((man) => man.letter === letter.toUpperCase());
        const unknown = readFen(fen).at.find((letter) => letter && !known(letter));

        return unknown ? `'${unknown}' is no man of this game` : '';
    } catch (error) {
        return error.message;
    }
}

/* The board that somebody means, by the reader of the game's positions, { fen }, or { fault }.  Where
   nobody answers it is as it looks. */
async function meant(text) {
    try {
        const { fen, error } = await api.board(state.game.name, text);

        return { fen, fault: error ?? faultOf(fen) };
    } catch (error) {
        if (!(error instanceof api.Away))
            throw error;
        return { fen: text, fault: faultOf(text) };
    }
}

/* Goes to what has been entered. */
async function enterFen(text) {
    const before = asked, { fen, fault } = await meant(text);

    if (before !== asked) /* somewhere else meanwhile */
        return;
    if (fault)
        complain(fault);
    else
        await go(fen);
}

/* Something to look at: the longest win there is, else the beginning, else kings and two men. */
async function firstPosition() {
    const { game } = state;

    try {
        const { longest } = await hasTables(game) ? await api.longest(game.name) : {};

        if (longest?.length)
            return longest[0].fen;
    } catch (error) { /* that nobody answers is said of the position */
        if (!(error instanceof api.Away))
            throw error;
    }
    return game.start || someMen(game);
}

/* Two kings, and beside each the first of the men, or the second: so that there is a game. */
function someMen(game) {
    const p = readFen(emptyBoard(game)), men = game.men.filter((man) => !man.royal);
    const free = (from, step) => {
        let square = from;

        while (p.at[square] || p.holes.has(square))
            square += step;
        return square;
    };

    if (!men.length)
        return writeFen(p);
    p.at[free(0, 1)] = men[0].letter;
    p.at[free(p.files * p.ranks - 1, -1)] = (men[1] ?? men[0]).letter.toLowerCase();
    return writeFen(p);
}

function emptyBoard(game) {
    const { files, ranks, holes } = game.board;
    const king = game.men.find((man) => man.royal).letter;
    const p = { files, ranks, at: [], holes: new Set(), brackets: null, turn: 'w', castling: '-',
        passing: '-', half: '0', move: '1' };

    holes.forEach((name) => p.holes.add(squareOf(p, name)));
    const middle = files >> 1;

    p.at[middle] = king;
    p.at[(ranks - 1) * files + (p.holes.has((ranks - 1) * files + middle) ? 0 : middle)] =
        king.toLowerCase();
    return writeFen(p);
}

/* == Words == */

/* "White wins in 20 turns" */
function verdictOf(answer, position) {
    const mover = colour(position.turn), other = colour(position.turn === 'w' ? 'b' : 'w');
    const winner = { win: mover, 'cursed-win': mover, 'maybe-win': mover, loss: other,
        'blessed-loss': other, 'maybe-loss': other }[answer.category];
    const loser = winner === mover ? other : mover;
    const over = { checkmate: `Checkmate: ${winner} has won`,
        stalemate: winner ? `Stalemate: ${winner} has won` : 'Stalemate: a draw',
        bare: `${loser} is bare: ${winner} has won`,
        'bare-draw': 'Bare kings: a draw',
        configuration: `${winner} has a man in each box, and has won` }[answer.end_reason];

    if (over)
        return { text: over, kind: winner ? 'win' : 'draw', winner };
    if (answer.category === 'draw')
        return { text: 'A draw', kind: 'draw' };
    if (!winner)
        return null;
    const distance = answer.mover?.turns ? ` in ${turns(answer.mover.turns)}` : '';
    const late = answer.category.includes('-') && answer.category !== 'maybe-win' &&
        answer.category !== 'maybe-loss';

    return { text: `${winner} wins${distance}`, kind: late ? 'late' : 'win', winner,
        note: late ? `too late: the game is drawn after ${turns(state.game.turns)}` : '',
        plies: answer.mover?.plies };
}

function showVerdict() {
    const { answer, position, game } = state, box = $('verdict');

    if (!answer) /* it will be told when it is here */
        return;
    const verdict = verdictOf(answer, position);

    box.className = `verdict ${verdict?.kind ?? 'unknown'} ${verdict?.winner?.toLowerCase() ?? ''}`;
    if (verdict)
        box.replaceChildren(...victor(drill?.hides() ? null : verdict.winner), make('strong', {}, drill?.hides() ? 'Drill' : verdict.text),
            make('span', {}, drill?.hides() ? `${colour(position.turn)} to move`
                : [verdict.note, verdict.plies ? plies(verdict.plies) : '',
                    answer.end_reason ? '' : `${colour(position.turn)} to move`]
                    .filter(Boolean).join(' · ')));
    else
        box.replaceChildren(make('strong', {}, unknownText(answer, game)),
            make('span', {}, `${colour(position.turn)} to move`));
}

/* The king of the side that wins. */
function victor(winner) {
    const king = state.game.men.find((man) => man.royal).letter;

    return winner ? [draw('svg', { 'class': 'victor', 'viewBox': '0 0 48 48', 'aria-hidden': 'true' },
        board.man(winner === 'White' ? king : king.toLowerCase()))] : [];
}

function unknownText(answer, game) {
    if (answer.error)
        return { 'no-table': 'No table', 'away': 'No answer', 'damaged': 'A table is damaged' }[answer.code] ??
            'Not a position of this game';
    if (answer.counting)
        return 'All states of these men are being solved';
    if (game.hands && holds(state.position))
        return 'Men come back: no table knows this';
    if (countMen(state.position) <= MEN_MAX)
        return `No tables of ${game.title} here`;
    return `${countMen(state.position)} men: tables have at most ${MEN_MAX}`;
}

/* == Panels == */

async function showPanel() {
    for (const tab of $('tabs').children) {
        const on = tab.dataset.view === state.view;

        tab.setAttribute('aria-selected', on);
        tab.tabIndex = on ? 0 : -1;
    }
    const mine = ++panel, question = asked, view = state.view, into = document.createElement('div');

    if (view !== 'map')
        board.marks([]);
    into.className = `panel ${view}`;
    try {
        await panels[view](into, state, page);
    } catch (error) {
        if (!(error instanceof api.Away))
            throw error;
        into.replaceChildren(make('p', { class: 'note' }, api.away));
    }
    if (mine !== panel || question !== asked) /* another is on its way */
        return;
    const within = $('panel').contains(document.activeElement);

    $('panel').replaceChildren(into);
    if (within) /* whoever goes by keys goes on from here */
        $('panel').focus({ preventScroll: true });
    into.dispatchEvent(new Event('shown'));
}

async function setView(view) {
    const before = state.view;

    state.view = view;
    if (before === 'drill' && view !== 'drill')
        drill.stop();
    if (view !== 'stats' && view !== 'tables')
        state.material = null;
    board.arrows([]); /* of a move that was pointed at: its button goes without a word */
    remember(true);
    showVerdict();
    await showPanel();
    if (state.answer?.error || state.answer?.missing?.length) { /* perhaps it is there by now */
        answered = ask();
        await answered;
    }
}

/* What panels may do. */
const page = {
    go,
    setView,
    play: (move) => playMove(move),
    playLine,
    example,
    hover: (moves) => board.arrows(moves.map(arrowOf)),
    marks: (marks) => board.marks(marks),
    takeBack,
    chooseMaterial: (material, view) => { state.material = material; return setView(view); },
    liftForMap: (square) => { state.lifted = square; return showPanel(); },
    square: (name) => squareOf(state.position, name),
    man: (letter) => board.man(letter),
    refresh: () => { showVerdict(); return showPanel(); },
    get drill() { return drill; },
};

function arrowOf(move) {
    if (!move.from || !move.to) /* a turn of drops alone */
        return { from: 0, to: 0, kind: 'none' };
    const via = between(move, state.position);

    return { from: squareOf(state.position, move.from), to: squareOf(state.position, move.to),
        via: via ? squareOf(state.position, via) : undefined,
        kind: state.view === 'drill' ? 'plain' : kindOf(move.mover.category) };
}

/* The square on which a man takes on his way; null: none. */
const between = (move, position) => move.also_takes ??
    (move.takes && move.takes !== move.to && position.passing !== move.to ? move.takes : null);

/* == Moves == */

async function playMove(move) {
    if (drill.active) {
        await drill.move(move);
        return;
    }
    await go(move.fen, 'push', move);
}

/* An example of a table, to look at or to be played in the drill; the tale is told of it. */
async function example(fen, tale, drilled) {
    drill.stop();
    state.tale = { fen, text: tale };
    if (!drilled)
        state.view = 'moves';
    await go(fen);
    if (drilled) {
        await setView('drill');
        await drill.start();
    }
}

/* Moves one after the other, as a branch; the last is what is shown. */
async function playLine(moves) {
    for (const move of moves.slice(0, -1))
        record.go(move.fen, move);
    await go(moves.at(-1).fen, 'push', moves.at(-1));
}

/* Each press is a move, also where the answer to the last one is still on its way. */
let playing = Promise.resolve(), presses = 0;

function playBest() {
    if (presses > 2) /* the key is held down */
        return playing;
    presses++;
    return playing = playing.catch(() => {}).then(async () => {
        try {
            await answered;
        } finally {
            presses--;
        }
        const best = state.answer?.moves?.[0];

        if (!best || best.mover.category === 'unknown')
            return;
        if (drill.hides() && drill.ours())
            drill.hints++; /* it was not found, but shown */
        await playMove(best);
    });
}

/* The best line by itself, until it ends or something else is done. */
const PACE = 900; /* ms a move */
let auto = null;

function autoplay(on = auto === null) {
    if (on === (auto !== null))
        return;
    clearInterval(auto);
    auto = on ? setInterval(() => presses || step(), PACE) : null;
    $('auto').setAttribute('aria-pressed', on);
    if (on)
        step();
}

async function step() {
    const { fen } = state, mine = auto;

    await playBest();
    if (mine !== null && mine === auto && state.fen === fen)
        autoplay(false);
}

const movesFrom = (square) => turn.fits(state.answer?.moves ?? [])
    .filter((move) => move.from === squareName(state.position, square));

/* A man is lifted: marks of where he may go, each with its verdict. */
function pick(square) {
    if (state.editing) /* by keys there is no other way to put one man in another's place */
        return editor.chosen && byKeys ? null : [];
    if (state.view === 'map') {
        page.liftForMap(squareName(state.position, square));
        return null;
    }
    const best = new Map();

    for (const move of movesFrom(square))
        if (!best.has(move.to) && move.to !== move.from)
            best.set(move.to, move);
    if (!best.size && !movesFrom(square).length)
        return null;
    return [...best.values()].map((move) => ({ square: squareOf(state.position, move.to), small: true,
        kind: drill.hides() ? 'plain' : kindOf(move.mover.category),
        text: drill.hides() || state.position.at[squareOf(state.position, move.to)]
            ? '' : `${move.mover.turns ?? ''}` }));
}

/* Has he a part in castling, so that rights go when he is moved about? */
function castles(letter) {
    const man = state.game.men.find((known) => known.letter === letter.toUpperCase());

    return Boolean(man?.royal || man?.name === 'rook');
}

/* A man is put down: a legal move is played, one of several after a question. */
async function drop(from, to) {
    if (state.editing) {
        const letter = state.position.at[from];
        const moved = put(put(state.position, from, null), to, letter);

        await edit(castles(letter) ? { ...moved, castling: '-' } : moved);
        return;
    }
    const fits = movesFrom(from).filter((move) => move.to === squareName(state.position, to));
    const part = fits.length > 1 ? turn.step(fits) : null;

    if (part) {
        await putPart(part);
        return;
    }
    const move = fits.length > 1 ? await choose(fits) : fits[0];

    if (move)
        await playMove(move);
}

/* A man of the hand is put on a square. */
async function dropHeld(letter, to) {
    const part = turn.drop(state.answer?.moves ?? [], letter, squareName(state.position, to));

    if (part)
        await putPart(part);
}

/* One more part of a turn: the turn is played once it is the only one. */
async function putPart(part) {
    turn.parts.push(part);
    const fits = turn.fits(state.answer.moves);

    if (fits.length === 1)
        await playMove(fits[0]);
    else
        showTurn();
}

/* What has been put together of a turn. */
function showTurn() {
    $('turn').hidden = !turn.parts.length;
    $('turn').textContent = `${turn.parts.join(', ')}, and now? A man in hand is put on a square, or one on the board moved. Esc begins again.`;
    if (turn.parts.length)
        board.marks(turn.squares().map((square) => ({ square: squareOf(state.position, square), kind: 'plain', small: true })));
}

/* A click on an empty square, or on a man who has no move: in the map he is put there; while a
   position is set up, the spare man who is chosen. */
async function tap(square) {
    if (state.editing && editor.chosen)
        await putMan(square, editor.chosen);
    else if (state.view === 'map' && state.lifted && !state.position.at[square]) {
        const from = squareOf(state.position, state.lifted), letter = state.position.at[from];

        await go(writeFen(put(put(state.position, from, null), square, letter)));
        await page.liftForMap(squareName(state.position, square));
    }
}

/* Puts a man on a square, or takes off who stands there (null). */
async function putMan(square, letter) {
    const before = state.position.at[square], after = put(state.position, square, letter);

    await edit(before && before !== letter && castles(before) ? { ...after, castling: '-' } : after);
}

async function edit(position) {
    drill.stop();
    await go(writeFen(position), 'push');
}

/* One of several moves to the same square, by what becomes of the man.  Null: none, also where
   something else is done meanwhile. */
let unchosen = null; /* gives up the choice that is open */

function choose(moves) {
    unchosen?.();
    return new Promise((answer) => {
        const before = document.activeElement; /* where keys go on from */
        const box = $('choice'), options = moves.map((move) => make('button', { role: 'menuitem',
            onclick: () => done(move), title: move.san }, pictureOf(move), make('span', {}, move.san)));
        const done = (move) => {
            unchosen = null;
            box.hidden = true;
            removeEventListener('keydown', key, true);
            removeEventListener('pointerdown', beside, true);
            before?.focus({ preventScroll: true });
            answer(move);
        };
        const key = (event) => { /* keys are the choice's, until it is made */
            const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];

            event.stopPropagation();
            if (event.key === 'Escape')
                done(null);
            else if (step) {
                event.preventDefault();
                options.at((options.indexOf(document.activeElement) + step) % options.length).focus();
            }
        };
        const beside = (event) => box.contains(event.target) || done(null);

        unchosen = () => done(null);
        box.replaceChildren(...options);
        box.hidden = false;
        options[0].focus();
        addEventListener('keydown', key, true);
        addEventListener('pointerdown', beside, true);
    });
}

function pictureOf(move) {
    const own = state.position.at[squareOf(state.position, move.from)];
    const letter = move.becomes ?? own?.toUpperCase();
    const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');

    svg.setAttribute('viewBox', '0 0 48 48');
    if (own)
        svg.append(board.man(isWhite(own) ? letter : letter.toLowerCase()));
    return svg;
}

/* == Beginning == */

function toggleEditing(on = !state.editing) {
    state.editing = on;
    if (!on && editor.chosen)
        editor.choose(editor.chosen);
    $('editor').hidden = !on;
    $('edit').setAttribute('aria-pressed', on);
    document.body.classList.toggle('editing', on);
    board.release();
}

/* What PGN calls the result of the moves played: where the main line ends. */
function resultOf() {
    const { answer, position } = state, verdict = answer?.end_reason && verdictOf(answer, position);

    return !verdict || record.at.next ? '*' : { White: '1-0', Black: '0-1' }[verdict.winner] ?? '1/2-1/2';
}

function toggleTakeaway() {
    const { hidden } = $('takeaway');

    $('takeaway').hidden = !hidden;
    $('share').setAttribute('aria-expanded', hidden);
    if (hidden)
        takeaway($('takeaway'), { board, fen: () => state.fen, pgn: () => pgn(record, state.game, resultOf()),
            name: () => state.answer?.material ?? state.game.name });
}

function turnTheme() {
    const theme = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';

    document.documentElement.dataset.theme = theme;
    try {
        localStorage.setItem('theme', theme);
    } catch { /* nothing may be kept here: it holds for this page */ }
    showPanel();
}

/* == Keys == */

const nameOf = (letter) => panels.manName(letter, state);

/* For those who hear the page: what the cursor has come to. */
function tell(text) {
    $('told').textContent = text;
}

function tellSquare(square) {
    const { position } = state, letter = position.at[square];

    tell(`${squareName(position, square)}, ${position.holes.has(square) ? 'no square'
        : letter ? nameOf(letter) : 'empty'}`);
}

/* A spare man is chosen, or put back; who did so by a key goes on to the board. */
function chooseSpare(letter, byKey) {
    board.release();
    editor.choose(letter);
    byKeys ||= byKey;
    if (editor.chosen && byKeys)
        board.svg.focus();
    tell(editor.chosen ? `${nameOf(letter)} is chosen` : `${nameOf(letter)} is put back`);
}

/* Enter on the board: lifts the man at the cursor, or puts down who is lifted or chosen. */
function enter() {
    const at = board.cursor;

    if (board.enter())
        tell(`${nameOf(state.position.at[at])} lifted from ${squareName(state.position, at)}`);
    else
        tellSquare(at);
}

const STEPS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

/* A key of who has come to the board by keys.  Is it one? */
function onBoardKey(key) {
    if (STEPS[key])
        board.step(...STEPS[key]);
    else if (key === 'Enter' || (key === ' ' && state.editing))
        enter();
    else if (key === 'Delete' || key === 'Backspace') {
        if (!state.editing)
            return false;
        if (state.position.at[board.cursor])
            putMan(board.cursor, null);
        tellSquare(board.cursor);
    } else
        return false;
    return true;
}

/* Esc: one step out of what is going on. */
function leave() {
    if (board.release())
        return;
    if (turn.parts.length) {
        turn.clear();
        showTurn();
        board.marks([]);
        return;
    }
    if (editor.chosen) {
        if (byKeys)
            editor.focus();
        editor.choose(editor.chosen);
    } else if (state.editing) {
        toggleEditing(false);
        if (byKeys)
            $('edit').focus();
    } else if (state.view === 'map')
        setView('moves');
}

/* By its key: the tray has the focus. */
function setUp() {
    toggleEditing();
    if (state.editing)
        editor.focus();
    else if (byKeys)
        $('edit').focus();
}

const keys = {
    ' ': playBest,
    'Backspace': takeBack,
    'ArrowLeft': takeBack,
    'ArrowRight': goForth,
    'ArrowDown': () => goBeside(1),
    'ArrowUp': () => goBeside(-1),
    'Home': () => goTo(record.root()),
    'End': () => goTo(record.last()),
    'f': () => board.setFlipped(!board.flipped) ?? showPanel(),
    'e': setUp,
    'p': () => autoplay(),
    's': toggleTakeaway,
    'm': () => setView('map'),
    'd': () => setView('drill'),
    't': turnTheme,
    '?': () => $('keys').showModal(),
    'Escape': leave,
};

/* Is the focus where keys have brought it?  (:focus-visible is true at any key.) */
let byKeys = false;

function onKey(event) {
    const typing = event.target.closest?.('input, select, textarea, dialog[open]');

    byKeys ||= event.key === 'Tab';
    if (event.key !== 'p')
        autoplay(false);
    if (typing || event.ctrlKey || event.metaKey || event.altKey)
        return;
    if (event.key === ' ' && event.target.closest?.(byKeys ? 'button, summary' : '.spare'))
        return; /* who came to a button by keys presses it */
    if (byKeys && event.target === board.svg && onBoardKey(event.key)) {
        event.preventDefault();
        return;
    }
    const view = VIEWS[+event.key - 1], inTabs = event.target.closest?.('[role=tablist]');

    if (event.key.startsWith('Arrow') && inTabs) {
        const step = event.key === 'ArrowRight' ? 1 : VIEWS.length - 1;
        const at = VIEWS.findIndex(([name]) => name === state.view);

        setView(VIEWS[(at + step) % VIEWS.length][0]);
        $('tabs').children[(at + step) % VIEWS.length].focus();
    } else if (view)
        setView(view[0]);
    else if (!keys[event.key] || keys[event.key]() === false)
        return;
    event.preventDefault();
}

/* One step; in a drill to where the player had to move.  From a move that was jumped to the step leads
   to the one before, wherever one has been since. */
function takeBack() {
    const steps = drill.active && !drill.over() && drill.ours() && drill.at ? 2 : 1;
    const before = record.at?.parent;

    if (!drill.active && before && before !== visited[depth - 1])
        jump(before);
    else if (history.state?.depth >= steps)
        history.go(-steps);
}

/* On to the move that comes next, by history where that leads there, too. */
function goForth() {
    const next = record.forth();

    if (drill.active || !next || next === visited[depth + 1])
        history.forward();
    else
        jump(next);
}

/* False: there is nowhere to go, and the key is the browser's. */
function goTo(node) {
    if (!node || node === record.at || drill.active)
        return false;
    jump(node);
    return true;
}

const goBeside = (step) => goTo(record.beside(step));

async function fromAddress() {
    const given = new URLSearchParams(location.search);
    const view = given.get('view'), name = given.get('game');
    const fen = given.get('fen')?.replace(/_/g, ' '), material = given.get('material');

    state.view = VIEWS.some(([known]) => known === view) ? view : 'moves';
    if (!state.game || (name && name !== state.game.name)) {
        await chooseGame(name, fen, fen && history.state ? 'none' : 'replace', material);
        return;
    }
    state.material = material;
    if (drill.active && !drill.resume(fen))
        drill.stop();
    if (visited[depth]?.fen === fen)
        record.jump(visited[depth]);
    await go(fen || await firstPosition(), 'none');
}

/* The browser's history, forth or back.  A drill stays nowhere where the player has not to move. */
async function onHistory() {
    const before = depth;

    depth = history.state?.depth ?? 0;
    await fromAddress();
    if (!drill.active || drill.over() || drill.ours())
        return;
    if (depth < before ? depth > 0 : drill.replied())
        history.go(depth < before ? -1 : 1);
    else
        await drill.defend();
}

let pictures;

async function begin() {
    $('tabs').append(...VIEWS.map(([view, title], i) => make('button', { role: 'tab',
        'data-view': view, title: `${title} (${i + 1})`, onclick: () => setView(view) }, title)));
    board = new Board($('board'), { pick, drop, tap,
        off: (from) => state.editing && putMan(from, null),
        place: (letter, to) => state.editing ? putMan(to, letter) : dropHeld(letter, to), stand: tellSquare,
        released: () => state.view === 'map' ? showPanel() : board.marks([]) ?? showTurn() });
    editor = new Editor($('editor'), { board, edit, start: () => go(state.game.start || emptyBoard(state.game)),
        empty: () => go(emptyBoard(state.game)), complain, choose: chooseSpare, nameOf });
    drawing = new Drawing(board);
    drill = new Drill(state, page);
    $('game').addEventListener('change', () => { drill.stop(); chooseGame($('game').value); });
    $('back').addEventListener('click', takeBack);
    $('forth').addEventListener('click', goForth);
    $('first').addEventListener('click', keys.Home);
    $('last').addEventListener('click', keys.End);
    $('best').addEventListener('click', playBest);
    $('flip').addEventListener('click', keys.f);
    $('edit').addEventListener('click', () => toggleEditing());
    $('theme').addEventListener('click', turnTheme);
    $('help').addEventListener('click', keys['?']);
    $('fenform').addEventListener('submit', (event) => { event.preventDefault(); drill.stop(); enterFen($('fen').value); });
    $('hand').addEventListener('pointerdown', (event) => {
        const held = event.target.closest('[data-man]');

        if (held && !state.editing)
            board.take(held.dataset.man, event);
    });
    $('share').addEventListener('click', toggleTakeaway);
    $('auto').addEventListener('click', () => autoplay());
    addEventListener('keydown', onKey);
    addEventListener('pointerdown', (event) => {
        byKeys = false;
        board.hideCursor();
        if (!event.target.closest?.('#auto'))
            autoplay(false);
    }, true);
    board.svg.addEventListener('focus', () => byKeys && board.showCursor());
    addEventListener('popstate', onHistory);
    try {
        let told;

        [told, pictures] = await Promise.all([api.variants(), api.pictures()]);
        state.games = told.variants;
        state.dir = told.dir;
    } catch {
        complain(api.away);
        return;
    }
    $('game').append(...state.games.map((game) => make('option', { value: game.name },
        `${game.title} (${game.name})${game.tables ? ` · ${game.tables} table${game.tables === 1 ? '' : 's'}` : ''}`)));
    await fromAddress();
    document.body.classList.add('ready');
}

begin();
