/* examples.js - positions of the table on the board that are worth a look: a zugzwang, an only move, a problem. */
import * as api from './api.js';
import { make } from './dom.js';

/* name in the answer, button, what is said of it; drill: it is for the visitor to find */
const KINDS = {
    zugzwangs: { text: 'A zugzwang', tale: 'A zugzwang: the side to move would do better if it were the other’s turn.' },
    only_moves: { text: 'An only move', tale: 'One move alone wins.', drill: true },
    holds: { text: 'A draw to hold', tale: 'One move alone holds the draw.', drill: true },
    problems: { text: 'A problem', tale: 'At each turn one move alone wins, whatever the longest defence.', drill: true },
};
const WAIT = 1000; /* ms; whoever looks through the table gives up when nobody asks */

/* The examples of a table, once they are found: { zugzwangs, ... } or { error }.  wanted: still? */
async function examplesOf(game, material, wanted) {
    for (;;) {
        const answer = await api.examples(game, material);

        if (!answer.counting || !wanted())
            return answer;
        await new Promise((done) => setTimeout(done, WAIT));
    }
}

/* Goes to one of them, by chance; never to the one on the board.  Tells why to none. */
export async function goToExample(kind, state, page, tell) {
    const { fen, game, answer: { material } = {} } = state, { tale, drill } = KINDS[kind];

    if (!material)
        return;
    tell('Looking through the table …');
    const found = await examplesOf(game.name, material, () => state.fen === fen);

    if (state.fen !== fen)
        return;
    const list = (found[kind] ?? []).filter((one) => one.fen !== fen);

    if (!list.length) {
        tell(found.error ?? `There is none in ${material}.`);
        return;
    }
    await page.example(list[Math.floor(Math.random() * list.length)].fen, tale, drill);
}

/* The buttons, with a line for what is going on. */
export function exampleButtons(state, page, kinds = Object.keys(KINDS)) {
    const told = make('span', { class: 'note', role: 'status' });

    return make('div', { class: 'bar examples' }, make('span', { class: 'what' }, `Of ${state.answer.material}`),
        kinds.map((kind) => make('button', { 'data-example': kind,
            'onclick': () => goToExample(kind, state, page, (text) => { told.textContent = text; }) }, KINDS[kind].text)), told);
}
