/*
 * board.js - a board of any size, with holes, as SVG; and what a pointer does on it.
 *
 * It knows nothing of rules.  Whoever owns it says what is to be seen (show, marks, arrows) and is
 * told of what was done:
 *
 *      pick(square)         a man is lifted; returns marks of where he may go, or null: he stays
 *      drop(from, to)       he is put down elsewhere
 *      tap(square)          a square was clicked that no man was lifted from
 *      off(from)            he is dropped beside the board
 *      place(letter, to)    a man of the tray is put on a square
 *      stand(square)        the cursor, which keys move, has come to a square
 */
import { draw } from './dom.js';
import { isWhite, squareName } from './fen.js';
import { animate } from './motion.js';

const UNIT = 48;
const COLOURS = {
    white: { 'fill': '#fffaf0', 'stroke': '#2a2019', 'color': '#2a2019' },
    black: { 'fill': '#32271f', 'stroke': '#120c08', 'color': '#f6ecdb' },
};

export class Board {
    constructor(host, handlers) {
        this.handlers = handlers;
        this.flipped = false;
        this.position = null;
        this.pictures = new Map();
        this.lifted = null; /* { square or letter, ghost, moved } */
        this.layers = {};
        this.cursor = null; /* square; may be a hole, so that none is out of reach */
        for (const name of ['squares', 'last', 'painted', 'marks', 'labels', 'men', 'drawn', 'arrows', 'cursor', 'ghost'])
            this.layers[name] = draw('g', { class: name });
        this.layers.cursor.setAttribute('pointer-events', 'none');
        this.layers.ghost.setAttribute('pointer-events', 'none');
        this.layers.arrows.setAttribute('pointer-events', 'none');
        this.layers.drawn.setAttribute('pointer-events', 'none');
        this.layers.painted.setAttribute('pointer-events', 'none');
        this.defs = draw('defs');
        this.svg = draw('svg', { 'class': 'board', 'tabindex': 0, 'role': 'application',
            'aria-roledescription': 'board', 'aria-label': 'The board', 'aria-describedby': 'boardkeys' },
        this.defs, ...Object.values(this.layers));
        host.append(this.svg);
        this.svg.addEventListener('blur', () => this.hideCursor());
        this.svg.addEventListener('pointerdown', (event) => this.down(event));
        this.svg.addEventListener('contextmenu', (event) => event.preventDefault());
        addEventListener('pointermove', (event) => this.move(event));
        addEventListener('pointerup', (event) => this.up(event));
        addEventListener('pointercancel', () => this.release());
    }

    /* letters: of the game's men, to their names; symbols: pictures by name. */
    setMen(letters, symbols) {
        this.pictures = new Map();
        this.defs.replaceChildren();
        for (const [letter, name] of letters) {
            const symbol = symbols.get(name);

            if (!symbol)
                continue;
            const copy = draw('symbol', { id: `man-${letter}`, viewBox: '0 0 48 48' });

            copy.innerHTML = symbol.innerHTML;
            this.defs.append(copy);
            this.pictures.set(letter, `#man-${letter}`);
        }
    }

    /* A man's picture, or his letter in a disc, as a group at (0, 0). */
    man(letter) {
        const colour = isWhite(letter) ? 'white' : 'black';
        const picture = this.pictures.get(letter.toUpperCase());
        const group = draw('g', { class: `man ${colour}`, 'data-man': letter });

        if (picture)
            group.append(draw('use', { href: picture, x: 2, y: 2, width: 44, height: 44,
                'stroke-width': 2.4, 'stroke-linejoin': 'round', 'stroke-linecap': 'round',
                ...COLOURS[colour] }));
        else
            group.append(draw('circle', { cx: 24, cy: 24, r: 18, 'stroke-width': 2.4,
                ...COLOURS[colour] }),
            draw('text', { x: 24, y: 25, class: 'letter', fill: COLOURS[colour].color },
                letter.toUpperCase()));
        return group;
    }

    /* Where a square is drawn. */
    corner(square) {
        const { files, ranks } = this.position;
        const file = square % files, rank = Math.floor(square / files);

        return this.flipped ? [(files - 1 - file) * UNIT, rank * UNIT]
            : [file * UNIT, (ranks - 1 - rank) * UNIT];
    }

    centre(square) {
        const [x, y] = this.corner(square);

        return [x + UNIT / 2, y + UNIT / 2];
    }

    /* The square under a point of the screen; null: none. */
    squareAt(event) {
        const box = this.svg.getBoundingClientRect();
        const { files, ranks } = this.position;
        const x = Math.floor((event.clientX - box.left) / box.width * files);
        const y = Math.floor((event.clientY - box.top) / box.height * ranks);

        if (x < 0 || y < 0 || x >= files || y >= ranks)
            return null;
        const square = this.flipped ? y * files + files - 1 - x : (ranks - 1 - y) * files + x;

        return this.position.holes.has(square) ? null : square;
    }

    /* last: { squares, from, to, via } of the move that led here, or null. */
    show(position, last = null) {
        const { files, ranks } = position, before = this.position;

        this.position = position;
        this.last = last;
        this.release();
        this.svg.setAttribute('viewBox', `0 0 ${files * UNIT} ${ranks * UNIT}`);
        this.svg.style.maxWidth = `calc(var(--tall) * ${files / ranks})`;
        this.svg.setAttribute('aria-label', this.words());
        this.drawSquares();
        this.drawLast();
        this.drawMen();
        if (before && !this.dropped)
            animate(this, before, last);
        this.dropped = false;
        if (this.cursor >= files * ranks) /* of a larger board */
            this.cursor = null;
        if (this.layers.cursor.firstChild)
            this.showCursor();
    }

    /* "Board. White: K e1, P e2. Black: K e8": for those who hear it. */
    words() {
        const of = (white) => this.position.at.map((letter, square) => [letter, square])
            .filter(([letter]) => letter && isWhite(letter) === white)
            .map(([letter, square]) => `${letter.toUpperCase()} ${squareName(this.position, square)}`)
            .join(', ') || 'nobody';

        return `Board. White: ${of(true)}. Black: ${of(false)}`;
    }

    drawSquares() {
        const { files, ranks, holes } = this.position;
        const squares = [], labels = [];
        const solid = (file, rank) => file >= 0 && rank >= 0 && file < files && rank < ranks &&
            !holes.has(rank * files + file);
        const down = this.flipped ? 1 : -1, left = down; /* neighbours nearer to the corner, as it is seen */

        for (let square = 0; square < files * ranks; square++) {
            const file = square % files, rank = Math.floor(square / files);
            const [x, y] = this.corner(square);

            if (holes.has(square))
                continue;
            squares.push(draw('rect', { x, y, width: UNIT, height: UNIT,
                class: (file + rank) % 2 ? 'light' : 'dark', 'data-square': squareName(this.position, square) }));
            const shade = (file + rank) % 2 ? 'on-light' : 'on-dark';

            if (!solid(file, rank + down))
                labels.push(draw('text', { x: x + UNIT - 3, y: y + UNIT - 3.5, class: `file ${shade}` },
                    String.fromCharCode(97 + file)));
            if (!solid(file + left, rank))
                labels.push(draw('text', { x: x + 3, y: y + 9.5, class: `rank ${shade}` }, `${rank + 1}`));
        }
        this.layers.squares.replaceChildren(...squares);
        this.layers.labels.replaceChildren(...labels);
    }

    /* The squares of the last move. */
    drawLast() {
        this.layers.last.replaceChildren(...(this.last?.squares ?? []).map((square) => {
            const [x, y] = this.corner(square);

            return draw('rect', { x, y, width: UNIT, height: UNIT,
                'data-square': squareName(this.position, square) });
        }));
    }

    drawMen() {
        const men = [];

        this.position.at.forEach((letter, square) => {
            if (!letter)
                return;
            const [x, y] = this.corner(square), man = this.man(letter);

            man.setAttribute('transform', `translate(${x} ${y})`);
            man.dataset.square = squareName(this.position, square);
            men.push(man);
        });
        this.layers.men.replaceChildren(...men);
    }

    setFlipped(flipped) {
        this.flipped = flipped;
        this.dropped = true; /* the board is turned, and no man moves */
        if (this.position)
            this.show(this.position, this.last);
    }

    /* marks: [{ square, kind, text, colour, pale, small, lifted }] */
    marks(marks) {
        this.layers.marks.replaceChildren(...(marks ?? []).map((mark) => this.mark(mark)));
    }

    mark({ square, kind, text, colour, pale, small, lifted }) {
        const [x, y] = this.corner(square);
        const group = draw('g', { class: `mark ${kind}${small ? ' small' : ''}${lifted ? ' own' : ''}${pale ? ' pale' : ''}`,
            'data-square': squareName(this.position, square), transform: `translate(${x} ${y})` });

        if (small)
            group.append(draw('circle', { cx: 24, cy: 24, r: this.position.at[square] ? 22 : 11 }));
        else
            group.append(draw('rect', { x: 1.5, y: 1.5, width: UNIT - 3, height: UNIT - 3, rx: 5,
                'fill': colour }));
        if (text && !this.position.at[square])
            group.append(draw('text', { x: 24, y: 24.5 }, text));
        return group;
    }

    /* arrows: [{ from, to, via, kind }]; no arrow where from is to: a ring. */
    arrows(arrows) {
        this.layers.arrows.replaceChildren(...(arrows ?? []).flatMap((arrow) => this.arrow(arrow)));
    }

    /* What a visitor draws: arrows, and squares where from is to: [{ from, to, colour }]. */
    drawn(shapes) {
        const own = ({ from, to }) => from === to;

        this.layers.painted.replaceChildren(...shapes.filter(own).map(({ to, colour }) => {
            const [x, y] = this.corner(to);

            return draw('rect', { x, y, width: UNIT, height: UNIT, 'fill': colour, 'fill-opacity': 0.6 });
        }));
        this.layers.drawn.replaceChildren(...shapes.filter((shape) => !own(shape))
            .flatMap(({ from, to, colour }) => this.arrow({ from, to, kind: 'own', colour })));
    }

    arrow({ from, to, via, kind, colour }) {
        const [x, y] = this.centre(to);

        if (from === to)
            return [draw('circle', { class: `arrow ${kind}`, cx: x, cy: y, r: 21, fill: 'none' })];
        const stops = [this.centre(from), ...(via === undefined ? [] : [this.centre(via)]), [x, y]];
        const [bx, by] = stops.at(-2), length = Math.hypot(x - bx, y - by);
        const ux = (x - bx) / length, uy = (y - by) / length;
        const tip = 6, head = 17, wide = 9;
        const hx = x - ux * (head - tip), hy = y - uy * (head - tip);
        const path = [...stops.slice(0, -1), [hx, hy]].map((at) => at.join(' ')).join('L');

        return [draw('path', { class: `arrow ${kind}`, d: `M${path}`, fill: 'none', stroke: colour }),
            draw('path', { class: `arrowhead ${kind}`, fill: colour,
                d: `M${x + ux * tip} ${y + uy * tip}L${hx - uy * wide} ${hy + ux * wide}L${hx + uy * wide} ${hy - ux * wide}z` })];
    }

    /* == The pointer == */

    down(event) {
        const square = this.squareAt(event);

        if (square === null || event.button > 0 || !event.isPrimary) /* a second finger does nothing */
            return;
        event.preventDefault();
        this.press(square, event);
    }

    /* A square is pressed, by the pointer or by a key: whoever rests goes there, or the man there is
       lifted.  Is he? */
    press(square, { clientX, clientY } = {}) {
        if (this.lifted?.resting && this.lifted.square !== square) {
            const from = this.lifted.square;

            this.release();
            this.handlers.drop(from, square);
            return false;
        }
        const again = this.lifted?.square === square;

        this.release();
        if (again)
            return false;
        const marks = this.position.at[square] ? this.handlers.pick(square) : null;

        if (marks === null) {
            this.handlers.tap(square);
            return false;
        }
        this.lift({ square, letter: this.position.at[square] }, { clientX, clientY });
        this.marks([{ square, kind: 'lifted' }, ...marks]);
        return true;
    }

    /* == Keys == */

    /* The cursor, where it was, or where a man stands. */
    showCursor() {
        this.cursor ??= Math.max(this.position.at.findIndex(Boolean), 0);
        const [x, y] = this.corner(this.cursor);

        this.layers.cursor.dataset.square = squareName(this.position, this.cursor);
        this.layers.cursor.replaceChildren(...['halo', 'line'].map((name) => draw('rect', { class: name,
            x: x + 2.5, y: y + 2.5, width: UNIT - 5, height: UNIT - 5, rx: 4 })));
    }

    hideCursor() {
        this.layers.cursor.replaceChildren();
    }

    /* Moves the cursor by a step as it is seen. */
    step(right, up) {
        const { files, ranks } = this.position, way = this.flipped ? -1 : 1;
        const file = this.cursor % files + way * right, rank = Math.floor(this.cursor / files) + way * up;

        if (file >= 0 && rank >= 0 && file < files && rank < ranks)
            this.cursor = rank * files + file;
        this.showCursor();
        this.handlers.stand(this.cursor);
    }

    /* Presses the square of the cursor.  Is a man lifted? */
    enter() {
        if (this.position.holes.has(this.cursor))
            return false;
        const lifted = this.press(this.cursor);

        if (lifted)
            this.lifted.resting = true;
        return lifted;
    }

    /* A man of the tray. */
    take(letter, event) {
        event.preventDefault();
        this.release();
        this.lift({ letter }, event);
        this.move(event);
    }

    lift(lifted, event) {
        const size = this.svg.getBoundingClientRect().width / this.position.files;

        this.dropped = false;
        this.lifted = { ...lifted, x: event.clientX, y: event.clientY, moved: false };
        this.lifted.ghost = document.createElement('div');
        this.lifted.ghost.className = 'ghost';
        this.lifted.ghost.style.width = this.lifted.ghost.style.height = `${size}px`;
        this.lifted.ghost.append(draw('svg', { viewBox: '0 0 48 48' }, this.man(lifted.letter)));
    }

    move(event) {
        const l = this.lifted;

        if (!l || l.resting || !event.isPrimary)
            return;
        if (!l.moved && l.square !== undefined &&
            Math.hypot(event.clientX - l.x, event.clientY - l.y) < 5)
            return;
        if (!l.moved) {
            l.moved = true;
            document.body.append(l.ghost);
            if (l.square !== undefined)
                this.layers.men.querySelector(`[data-square="${squareName(this.position, l.square)}"]`)
                    ?.classList.add('away');
        }
        l.ghost.style.transform = `translate(${event.clientX}px, ${event.clientY}px) translate(-50%, -50%)`;
    }

    up(event) {
        const l = this.lifted;

        if (!l || l.resting || !event.isPrimary)
            return;
        if (!l.moved) { /* a click: he waits to be told where */
            l.resting = true;
            return;
        }
        const to = this.squareAt(event);

        this.release();
        if (l.square === undefined) {
            if (to !== null)
                this.handlers.place(l.letter, to);
        } else if (to === null)
            this.handlers.off(l.square);
        else if (to !== l.square) {
            this.dropped = true; /* he is where he goes already */
            this.handlers.drop(l.square, to);
        }
    }

    /* Puts down what is lifted, where it was. */
    release() {
        const l = this.lifted;

        this.lifted = null;
        l?.ghost.remove();
        for (const man of this.layers.men.querySelectorAll('.away'))
            man.classList.remove('away');
        if (l)
            this.handlers.released();
        return Boolean(l);
    }
}
