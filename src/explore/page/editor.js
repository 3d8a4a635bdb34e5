/*
 * editor.js - setting up a position: the tray of spare men, whose move it is, castling rights,
 * evolutions that are still allowed, men in hand, and the board turned about.
 *
 * A spare man is dragged, or chosen: then squares that are pressed get him, until he is put back.
 * All is drawn anew with each position; whoever goes by keys stays at the button where he was.
 */
import { draw, make } from './dom.js';
import { exchanged, isWhite, mirrored, shifted, turned } from './fen.js';

const RIGHTS = [['K', 'White O-O'], ['Q', 'White O-O-O'], ['k', 'Black O-O'], ['q', 'Black O-O-O']];

export class Editor {
    constructor(host, page) {
        this.host = host;
        this.page = page;
        this.chosen = null; /* letter of a spare man */
    }

    show(game, position) {
        const at = this.places().indexOf(document.activeElement);

        if (this.game !== game)
            this.chosen = null;
        this.game = game;
        this.position = position;
        this.host.replaceChildren(this.tray(true), this.tray(false), this.tools(),
            ...this.castling(), ...this.allowances(), ...this.hand());
        this.places()[at]?.focus();
    }

    /* Where the focus may be. */
    places() {
        return [...this.host.querySelectorAll('button, input')];
    }

    /* Puts the focus on the man who is chosen, or on the first. */
    focus() {
        (this.spare(this.chosen) ?? this.host.querySelector('.spare')).focus();
    }

    spare(letter) {
        return this.spares().find((one) => one.dataset.man === letter);
    }

    spares() {
        return [...this.host.querySelectorAll('.spare')];
    }

    /* Null, or who was chosen: nobody. */
    choose(letter) {
        this.chosen = letter === this.chosen ? null : letter;
        for (const spare of this.spares())
            spare.setAttribute('aria-pressed', spare.dataset.man === this.chosen);
    }

    /* Arrows go along a tray, and from one to the other. */
    walk(event) {
        const spares = this.spares(), men = this.game.men.length;
        const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: men, ArrowUp: -men }[event.key];

        if (!step)
            return;
        event.preventDefault();
        event.stopPropagation();
        const to = spares[spares.indexOf(event.currentTarget) + step];

        if (to)
            this.walkTo(to);
    }

    /* One man is a stop of the Tab key. */
    walkTo(spare) {
        for (const each of this.spares())
            each.tabIndex = each === spare ? 0 : -1;
        spare.focus();
    }

    change(values) {
        this.page.edit({ ...this.position, ...values });
    }

    tray(white) {
        const men = this.game.men.map(({ letter, name }, i) => {
            const man = white ? letter : letter.toLowerCase();
            const svg = draw('svg', { viewBox: '0 0 48 48', 'aria-hidden': 'true' },
                this.page.board.man(man));

            return make('button', { 'class': 'spare', 'title': `${name} (${letter})`, 'data-man': man,
                'aria-label': this.page.nameOf(man), 'aria-pressed': String(man === this.chosen),
                'tabindex': (this.chosen ? man === this.chosen : white && !i) ? 0 : -1,
                'onclick': (event) => this.page.choose(man, !event.detail), 'onkeydown': (event) => this.walk(event),
                'onpointerdown': (event) => this.page.board.take(man, event) }, svg);
        });

        return make('div', { 'class': 'tray', 'role': 'toolbar',
            'aria-label': white ? 'White men' : 'Black men' }, men);
    }

    tools() {
        const { turn } = this.position;
        const side = (value, text) => make('button', { 'aria-pressed': String(turn === value),
            onclick: () => this.change({ turn: value, passing: '-' }) }, text);
        const change = (p, why) => p ? this.page.edit(p) : this.page.complain(why);
        const changed = (make_, what) => change(make_(this.position), `The board is not the same when ${what}.`);
        const shift = (sign, where, right, up) => make('button', { 'title': `All men a square ${where}`,
            'aria-label': `All men a square ${where}`, 'onclick': () => change(shifted(this.position, right, up),
                `A man would leave the board ${where === 'up' || where === 'down' ? '' : 'to the '}${where}.`) }, sign);

        return make('div', { class: 'bar' },
            make('span', { class: 'group', role: 'group', 'aria-label': 'To move' },
                side('w', 'White to move'), side('b', 'Black to move')),
            make('button', { onclick: () => changed(mirrored, 'left and right are exchanged') },
                'Mirror'),
            make('button', { onclick: () => changed(turned, 'it is turned') }, 'Turn'),
            make('button', { onclick: () => changed(exchanged, 'the colours are exchanged') },
                'Swap colours'),
            make('span', { class: 'group', role: 'group', 'aria-label': 'Shift' }, shift('←', 'left', -1, 0),
                shift('→', 'right', 1, 0), shift('↑', 'up', 0, 1), shift('↓', 'down', 0, -1)),
            make('button', { onclick: () => this.page.empty() }, 'Clear'),
            make('button', { onclick: () => this.page.start() }, 'Beginning'));
    }

    castling() {
        if (!this.game.castling)
            return [];
        const has = (right) => this.position.castling.includes(right);
        const set = (right, on) => {
            const rights = RIGHTS.map(([r]) => r).filter((r) => r === right ? on : has(r)).join('');

            this.change({ castling: rights || '-' });
        };

        return [make('div', { class: 'bar rights' }, RIGHTS.map(([right, text]) =>
            make('label', {}, make('input', { type: 'checkbox', checked: has(right),
                onchange: (event) => set(right, event.target.checked) }), text)))];
    }

    /* "[RCC]": how often men may still evolve into each kind; no brackets: as often as ever. */
    allowances() {
        const kinds = this.game.men.filter((man) => man.evolutions);

        if (!kinds.length)
            return [];
        const { brackets } = this.position;
        const left = (letter, most) => brackets === null ? most
            : [...brackets].filter((c) => c === letter).length;
        const values = new Map();

        for (const white of [true, false])
            for (const { letter, evolutions } of kinds) {
                const key = white ? letter : letter.toLowerCase();

                values.set(key, { most: evolutions, now: left(key, evolutions) });
            }
        const set = (key, n) => {
            values.get(key).now = n;
            const all = [...values.values()].every(({ most, now }) => now === most);
            const text = [...values].map(([letter, { now }]) => letter.repeat(now)).join('');

            this.change({ brackets: all ? null : text || '-' });
        };

        return [make('div', { class: 'bar allowances' }, make('span', {}, 'Evolutions left'),
            [...values].map(([key, { most, now }]) => make('label', { title:
                `${isWhite(key) ? 'White' : 'Black'}: into ${key.toUpperCase()}` },
            `${isWhite(key) ? '♔' : '♚'} ${key.toUpperCase()}`,
            make('input', { type: 'number', min: 0, max: most, value: now,
                onchange: (event) => set(key, Math.max(0, Math.min(most, +event.target.value))) }))))];
    }

    hand() {
        if (!this.game.hands)
            return [];
        return [make('div', { class: 'bar' }, make('label', { class: 'wide' }, 'Men off the board',
            make('input', { value: this.position.brackets ?? '', placeholder: 'Rn',
                onchange: (event) => this.change({ brackets: event.target.value
                    .replace(/[^A-Za-z]/g, '') || null }) })))];
    }
}
