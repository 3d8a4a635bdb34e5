/*
 * panels.js - what stands beside the board: one function a panel, which fills an element.
 *
 * `state` is main.js's and is only looked at; what is done goes through `page`.
 */
import * as api from './api.js';
import { chart } from './chart.js';
import { HOLD } from './drill.js';
import { reachOf } from './reach.js';
import { exampleButtons, goToExample } from './examples.js';
import { bytes, colour, draw, kindOf, make, number, percent, plies, turns } from './dom.js';

const note = (...text) => make('p', { class: 'note' }, ...text);
const button = (text, onclick, attributes = {}) => make('button', { onclick, ...attributes }, text);

/* == Moves == */

const GROUPS = [['win', 'Winning'], ['late', 'Too late'], ['draw', 'Drawing'], ['loss', 'Losing'],
    ['unknown', 'Not known']];

export async function moves(into, state, page) {
    const { answer } = state;

    if (!answer?.moves) {
        into.append(trouble(answer, state));
        return;
    }
    into.append(make('h2', { class: 'visually-hidden' }, 'Moves'));
    if (state.tale?.fen === state.fen)
        into.append(make('p', { class: 'tale' }, state.tale.text));
    if (answer.error || answer.missing?.length)
        into.append(trouble(answer, state));
    for (const [kind, title] of GROUPS) {
        const list = answer.moves.filter((move) => kindOf(move.mover.category) === kind);

        if (list.length)
            into.append(make('section', { class: `movegroup ${kind}` },
                make('h3', {}, title, make('span', { class: 'count' }, `${list.length}`)),
                make('div', { class: 'moves' }, list.map((move) => moveButton(move, page)))));
    }
    if (answer.more)
        into.append(note('There are more; these are the first.'));
    if (!answer.moves.length && !answer.error)
        into.append(note('The game is over.'));
    if (answer.tables_used && answer.end_reason === null && (kindOf(answer.category) === 'win' || kindOf(answer.category) === 'loss'))
        into.append(bestLine(state, page));
    if (answer.tables_used?.length)
        into.append(make('p', { class: 'used' }, 'Asked: ', answer.tables_used.map((name) =>
            button(name, () => page.chooseMaterial(name, 'tables'), { class: 'chip' }))),
        exampleButtons(state, page));
}

function moveButton(move, page) {
    const { category, turns: n, plies: p } = move.mover;
    const kind = kindOf(category);
    const over = move.end_reason && { checkmate: 'mate', stalemate: 'stalemate', bare: 'bares',
        'bare-draw': 'bare', configuration: 'boxes' }[move.end_reason];

    return make('button', { 'class': `move ${kind}`, 'data-uci': move.uci,
        'title': p ? `${move.name}: ${plies(p)}` : move.name,
        'onclick': () => page.play(move),
        'onpointerenter': () => page.hover([move]), 'onpointerleave': () => page.hover([]),
        'onfocus': () => page.hover([move]), 'onblur': () => page.hover([]) },
    make('span', { class: 'san' }, move.san), make('span', { class: 'n' }, over ?? (n ? turns(n) : '')));
}

/* The command that makes tables where they are looked for. */
function building(state, what) {
    const plain = /^[\w./-]+$/.test(state.dir ?? ''), dir = plain ? state.dir : `'${state.dir}'`;

    return make('pre', {}, `bareking build ${state.game.name} ${what}${state.dir ? ` --dir ${dir}` : ''}`);
}

/* Why there is no answer, and what to do about it. */
function trouble(answer, state) {
    if (!answer)
        return note('…');
    const needs = answer.missing ?? [];
    const build = needs.length ? building(state, answer.material) : null;
    const told = answer.code === 'no-table' && needs.length === 1; /* by the error */

    return make('div', { class: 'trouble' },
        make('p', {}, answer.error ?? 'Some moves lead to tables that are not there.'),
        needs.length ? make('p', { class: 'note' }, told ? '' : `Missing: ${needs.slice(0, 12).join(', ')}`,
            answer.more_missing ? ' and more' : needs.length > 12 ? ` and ${needs.length - 12} more` : '', told ? '' : '. ',
            needs.length === 1 ? 'Build it, and look again:' : 'Build them, and look again:') : null, build);
}

function bestLine(state, page) {
    const box = make('details', { class: 'line' }, make('summary', {}, 'The best line to the end'));

    box.addEventListener('toggle', async () => {
        if (!box.open || box.children.length > 1)
            return;
        const answer = await api.line(state.game.name, state.fen);

        box.append(answer.error ? note(answer.error) : lineMoves(answer, state, page));
    });
    return box;
}

function lineMoves(answer, state, page) {
    let turn = +state.position.move, white = state.position.turn === 'w';
    const out = make('p', { class: 'linemoves' });

    answer.moves.forEach((move, i) => {
        const played = button(move.san, () => page.playLine(answer.moves.slice(0, i + 1)), { class: 'link' });

        out.append(white || i === 0 ? make('span', { class: 'together' },
            make('span', { class: 'turn' }, `${turn}.${white ? '' : '..'} `), played) : played, ' ');
        if (!white)
            turn++;
        white = !white;
    });
    return out;
}

/* == Map == */

/* Short wins are coloured more strongly than long ones: from `strong` to `weak`. */
const SHADES = { win: [[9, 104, 88], [142, 201, 186]], loss: [[170, 50, 8], [238, 176, 146]],
    late: [[136, 92, 8], [226, 200, 132]] };

const rgb = (colour) => `rgb(${colour.join(' ')})`;

function shade(kind, p, most) {
    if (!SHADES[kind])
        return {};
    const weak = Math.sqrt(Math.max(0, (p ?? 0) - 1) / Math.max(most, 8));
    const [from, to] = SHADES[kind];

    return { colour: rgb(from.map((c, i) => Math.round(c + (to[i] - c) * weak))),
        pale: weak > 0.55 };
}

export async function map(into, state, page) {
    const mover = colour(state.position.turn);

    if (!state.lifted) {
        page.marks([]);
        into.append(make('h2', {}, 'Result map'),
            note('Click a man: every square shows what the position would be worth if he stood ',
                'there, ', mover, ' to move.'),
            make('div', { class: 'men' }, menOf(state).map(([square, letter]) =>
                button(draw('svg', { viewBox: '0 0 48 48' }, page.man(letter)),
                    () => page.liftForMap(square), { class: 'pickman', title: `${letter} ${square}`,
                        'aria-label': `Lift ${letter} on ${square}` }))));
        return;
    }
    const answer = await api.map(state.game.name, state.fen, state.lifted);

    if (answer.error) {
        into.addEventListener('shown', () => page.marks([]));
        into.append(trouble(answer, state), button('Another man', () => page.liftForMap(null)));
        return;
    }
    const most = Math.max(...answer.squares.map((s) => s.plies ?? 0));
    const marks = answer.squares.map((s) => ({ square: page.square(s.square), kind: kindOf(s.category),
        text: s.category === 'illegal' ? '×' : s.category === 'draw' ? '=' : s.category === 'unknown' ? '?'
            : s.over ? '#' : `${s.turns ?? ''}`, lifted: s.square === answer.square,
        ...shade(kindOf(s.category), s.plies, most) }));

    into.addEventListener('shown', () => page.marks(marks)); /* with this panel, or not at all */
    into.append(make('h2', {}, `Where the ${manName(answer.man, state)} stands`), ...legend(answer, mover),
        note('Numbers are turns. Click a square to put him there, another man to lift that one.'),
        button('Another man', () => page.liftForMap(null)));
}

export const manName = (letter, state) => `${letter === letter.toUpperCase() ? 'white' : 'black'} ` +
    (state.game.men.find((man) => man.letter === letter.toUpperCase())?.name ?? letter)
        .replace(/-/g, ' ');

const menIn = (state) => state.position.at.filter(Boolean).length;
const menOf = (state) => state.position.at.map((letter, square) => [letter, square])
    .filter(([letter]) => letter)
    .map(([letter, square]) => [String.fromCharCode(97 + square % state.position.files) +
        (Math.floor(square / state.position.files) + 1), letter]);

/* The colour of squares in the legend: from that of short wins to that of long ones. */
function keyOf(kind) {
    const key = make('i', { class: `key ${kind}` });

    if (SHADES[kind])
        key.style.background = `linear-gradient(90deg, ${SHADES[kind].map(rgb).join(', ')})`;
    return key;
}

function legend(answer, mover) {
    const words = { win: `${mover} to move wins`, late: 'too late to count', draw: 'draw',
        loss: `${mover} to move loses`, illegal: 'cannot be', unknown: 'not known' };
    const count = {};

    for (const { category } of answer.squares)
        count[kindOf(category)] = (count[kindOf(category)] ?? 0) + 1;
    return [make('ul', { class: 'legend' }, Object.entries(words).filter(([kind]) => count[kind])
        .map(([kind, text]) => make('li', {}, keyOf(kind), `${text}: `,
            make('b', {}, `${count[kind]}`))))];
}

/* == Drill == */

export async function drill(into, state, page) {
    const { drill: d } = page;

    into.append(make('h2', {}, 'Drill'));
    if (!d.active) {
        const kind = state.answer?.end_reason ? 'over' : kindOf(state.answer?.category);
        const why = { over: 'The game is over.', unknown: 'No table tells what this position is worth.',
            late: 'The win comes too late: there is nothing to drill.' }[kind];

        into.append(note('Win against the toughest defence, or hold a draw against the toughest attack. ',
            'Each of your moves is graded by the tables.'),
        make('div', { class: 'bar' },
            button(kind === 'draw' ? 'Hold this draw' : 'Begin here', () => d.start(),
                { disabled: Boolean(why), class: 'primary', id: 'drillstart' }),
            button('Another position', () => another(state, page))), why ? note(why) : '');
        if (state.answer?.tables_used?.length)
            into.append(exampleButtons(state, page, ['only_moves', 'holds', 'problems']));
        return;
    }
    const score = d.score(), told = note();

    into.append(make('p', { class: 'task' }, state.tale?.fen === d.first ? `${state.tale.text} ` : '',
        `You are ${colour(d.side)}, and `, d.holds ? `hold the draw for ${turns(HOLD)}.`
            : `win. With best play it takes ${turns(d.par)}.`));
    into.append(make('ol', { class: 'grades' }, d.played.map((entry) =>
        make('li', { class: entry.kind }, make('b', {}, entry.san), ` ${entry.text}`,
            entry.kind === 'win' ? null : make('span', { class: 'note' }, ` best was ${entry.best}`)))));
    if (d.over()) {
        into.append(make('p', { class: `result ${d.lost ? 'loss' : 'win'}`, id: 'drillresult' },
            d.lost ? `The ${d.holds ? 'draw' : 'win'} is gone.` : d.holds ? 'The draw is held.' : `Won in ${turns(score.moves)}.`,
            d.holds ? ` ${turns(score.best)}, ${score.only} of them by the only move` : ` ${score.best} of ${score.moves} moves were the best`,
            score.slower ? `, ${turns(score.slower)} lost in all` : '',
            d.hints ? `; ${d.hints} shown to you.` : '.'),
        make('div', { class: 'bar' },
            d.lost ? button('Take it back', () => page.takeBack(), { class: 'primary' }) : null,
            button('Another position', () => another(state, page, told), { class: d.lost ? '' : 'primary' }),
            button('Leave', () => { d.stop(); page.setView('moves'); })), told);
        return;
    }
    into.append(make('div', { class: 'bar' },
        make('span', { class: 'grow' }, d.ours() ? 'Your move.' : '…',
            d.reply ? ` The answer was ${d.reply}.` : ''),
        button('Show me', () => d.hint(), { title: 'Shows the best move' }),
        button('Give up', () => { d.stop(); page.setView('moves'); })));
}

/* One of the longest wins, by chance; after a draw another draw to hold. */
async function another(state, page, told) {
    if (!state.game.tables)
        return;
    if (page.drill.holds && state.answer?.material) {
        await goToExample('holds', state, page, (text) => { told.textContent = text; });
        return;
    }
    const { longest } = await api.longest(state.game.name);

    if (!longest?.length)
        return;
    await page.go(longest[Math.floor(Math.random() * longest.length)].fen);
    page.drill.stop();
    await page.drill.start();
}

/* == Statistics == */

export async function stats(into, state, page) {
    const material = state.material ?? state.answer?.material;

    if (!material) {
        into.append(note(state.answer ? state.answer.error ?? 'No table is kept of such positions.' : '…'));
        return;
    }
    if (!state.material && menIn(state) > 8) {
        into.append(make('h2', {}, 'Statistics'), note('Tables have at most 8 men. Take some off, or choose a table.'),
            button('Tables', () => page.setView('tables')));
        return;
    }
    into.append(chooser(material, page, 'stats'));
    const table = await api.tables(state.game.name, material);

    if (table.error || !table.there || table.by_rule) {
        into.append(note(table.error ?? (table.by_rule ? 'No table is kept of this: the rules decide it.'
            : 'There is no such table here. Build it, and look again:')),
        table.error || table.by_rule ? '' : building(state, material));
        return;
    }
    const answer = await api.stats(state.game.name, material);

    if (answer.error) {
        into.append(note(answer.error));
        return;
    }
    for (const side of ['white', 'black'])
        into.append(sideStats(side, answer[side], page));
    if (answer.histogram)
        histogram(into, answer, () => api.stats(state.game.name, material));
}

function chooser(material, page, view) {
    const input = make('input', { value: material, spellcheck: 'false', 'aria-label': 'Material' });

    return make('form', { class: 'bar', onsubmit: (event) => {
        event.preventDefault();
        page.chooseMaterial(input.value.trim(), view);
    } }, make('h2', {}, material), make('span', { class: 'grow' }), input,
    button('Show', null, { type: 'submit' }));
}

function sideStats(side, s, page) {
    const all = s.win + s.draw + s.loss;
    const part = (kind, n, word) => n ? make('span', { class: `part ${kind}`, title: `${word}: ${number(n)}`,
        'data-share': n / all }, n / all > 0.12 ? percent(n, all) : '') : null;
    const bar = make('div', { class: 'wdl' }, part('win', s.win, 'wins'), part('draw', s.draw, 'draws'),
        part('loss', s.loss, 'losses'));

    for (const element of bar.children)
        element.style.flexGrow = element.dataset.share;
    const longest = (what, l) => l ? make('li', {}, `Longest ${what}: `,
        button(turns(l.turns), () => page.go(l.fen), { class: 'link', title: l.fen })) : null;

    return make('section', { class: 'side' }, make('h3', {}, `${side === 'white' ? 'White' : 'Black'} to move`),
        bar, make('ul', { class: 'facts' },
            make('li', {}, `wins ${number(s.win)} (${percent(s.win, all)}), draws ${number(s.draw)} ` +
                `(${percent(s.draw, all)}), losses ${number(s.loss)} (${percent(s.loss, all)})`),
            longest('win', s.longest_win), longest('loss', s.longest_loss)));
}

/* A sample at first; asked again while the server counts all positions. */
function histogram(into, answer, again) {
    let h = answer.histogram, shown = 'white';
    const host = make('div', { class: 'chart' }), sides = ['white', 'black'], what = note();
    const buttons = sides.map((side) => button(`${side === 'white' ? 'White' : 'Black'} to move`,
        () => show(side)));
    const show = (side) => {
        shown = side;
        buttons.forEach((b, i) => b.setAttribute('aria-pressed', sides[i] === side));
        what.textContent = 'Share of the positions that are decided in so many turns' + (h.exact ? ', of all of them.'
            : `, in a sample of ${number(h.white.positions + h.black.positions)}` +
                (answer.counting ? '; all are being counted …' : '.'));
        chart(host, h[side]);
    };
    const wait = async () => {
        while (answer.counting) {
            await new Promise((done) => setTimeout(done, 1000));
            if (!host.isConnected)
                return;
            answer = await again();
            if (!answer.counting) {
                h = answer.histogram ?? h;
                show(shown);
            }
        }
    };

    into.append(make('section', {}, make('div', { class: 'bar' }, make('h3', { class: 'grow' }, 'How long it takes'),
        make('span', { class: 'group' }, buttons)), host,
    make('ul', { class: 'legend' }, make('li', {}, make('i', { class: 'key win' }), 'wins'),
        make('li', {}, make('i', { class: 'key loss' }), 'losses')), what));
    into.addEventListener('shown', () => { show('white'); wait(); });
}

/* == Longest == */

export async function longest(into, state, page) {
    into.append(make('h2', {}, 'Longest wins'));
    if (!state.game.tables) {
        into.append(noTables(state));
        return;
    }
    const answer = await api.longest(state.game.name);

    if (answer.error) {
        into.append(note(answer.error));
        return;
    }
    const rows = answer.longest.map((row) => make('tr', { 'data-material': row.material },
        make('td', {}, button(row.material, () => page.go(row.fen), { 'class': 'link', 'title': row.fen,
            'aria-current': row.fen === state.fen ? 'true' : null })),
        make('td', {}, row.winner === 'white' ? 'White' : 'Black'),
        make('td', { class: 'number' }, `${row.turns}`), make('td', { class: 'number' }, `${row.plies}`)));
    const show = () => rows.forEach((row) => {
        row.hidden = !row.dataset.material.toLowerCase().includes(state.filter.toLowerCase());
    });
    const filter = make('input', { 'value': state.filter, 'spellcheck': 'false', 'aria-label': 'Filter',
        'placeholder': `Filter: ${answer.longest[0]?.material ?? ''}`,
        'oninput': () => { state.filter = filter.value.trim(); show(); },
        'onkeydown': (event) => event.key === 'Enter' &&
            rows.find((row) => !row.hidden)?.querySelector('button').click() });

    show();
    into.append(filter, make('table', {}, make('thead', {}, make('tr', {}, ['Table', 'Winner', 'Turns', 'Plies']
        .map((text, i) => make('th', { class: i > 1 ? 'number' : null }, text)))), make('tbody', {}, rows)));
}

/* == Tables == */

export async function tables(into, state, page) {
    const material = state.material ?? (menIn(state) > 8 ? null : state.answer?.material);
    const [one, all] = await Promise.all([
        material ? api.tables(state.game.name, material) : { error: '' }, api.tables(state.game.name)]);

    if (material)
        into.append(chooser(material, page, 'tables'));
    if (one.error !== undefined)
        into.append(note(one.error));
    else
        into.append(flow(one, page));
    if (all.tables?.length)
        into.append(make('h3', {}, `All tables of the game here: ${all.tables.length}`),
            make('table', {}, make('thead', {}, make('tr', {}, make('th', {}, 'Table'),
                make('th', { class: 'number' }, 'Men'), make('th', { class: 'number' }, 'Size'))),
            make('tbody', {}, all.tables.map((t) => make('tr', {},
                make('td', {}, button(t.material, () => page.chooseMaterial(t.material, 'stats'), { class: 'link' }),
                    t.distances ? '' : make('span', { class: 'note' }, ' no distances')),
                make('td', { class: 'number' }, `${t.men}`),
                make('td', { class: 'number' }, bytes(t.bytes)))))));
    else
        into.append(noTables(state));
}

function noTables(state) {
    return make('div', { class: 'trouble' }, make('p', {}, 'There are no tables of this game here. Make some:'),
        building(state, `--men ${state.game.board.files > 9 ? 3 : 4}`));
}

function flow(one, page) {
    const chip = (name, there, ruled) => ruled ? make('span', { class: 'chip ruled', title: 'decided by rule' }, name)
        : button(name, () => page.chooseMaterial(name, 'tables'), { class: `chip${there ? '' : ' gone'}`,
            title: there ? '' : 'no such table here' });
    const list = (title, chips) => make('div', {}, make('h3', {}, title),
        chips.length ? make('div', { class: 'chips' }, chips) : note('nowhere'));

    return make('div', { class: 'flow' },
        list('Comes from', one.comes_from.map((name) => chip(name, true, false))),
        make('p', { class: 'hub' }, one.table, make('span', { class: 'note' },
            one.by_rule ? ' decided by rule' : one.there ? '' : ' not here')),
        list('One move leads to', one.leads_to.map((next) => chip(next.material, next.there, next.by_rule))));
}

/* == Rules == */

export async function rules(into, state, page) {
    into.append(make('h2', {}, state.game.title), make('div', { class: 'menlist' }, state.game.men.map((man) =>
        make('figure', {}, reachOf(state.game, man, page.man(man.letter)),
            make('figcaption', {}, `${man.name.replace(/-/g, ' ')} (${man.letter})`)))),
    make('p', { class: 'note' }, 'A disc: he goes there, and takes there. A ring: he goes there, and does not take. A cross: he takes alone.'),
    make('pre', { class: 'rules' }, unwrapped(state.game.rules)));
}

/* Sentences that go on in the next line, whose lines are the screen's to break. */
function unwrapped(text) {
    return text.replace(/(\S)\n *(?=[a-z])/g, '$1 ').replace(/(\S)  (?=[A-Z])/g, '$1 ');
}
