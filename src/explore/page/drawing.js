/*
 * drawing.js - arrows and coloured squares that a visitor draws with the right button: from square to square,
 * or on one.  Shift: red; Alt: blue; both: yellow.  The same once more takes it away; a click, or another
 * position, takes them all.
 */
const COLOURS = ['#15803d', '#b91c1c', '#1d4ed8', '#ca8a04'];

const colourOf = (event) => COLOURS[(event.shiftKey || event.ctrlKey ? 1 : 0) + (event.altKey ? 2 : 0)];

export class Drawing {
    constructor(board) {
        this.board = board;
        this.shapes = [];
        this.from = null;
        board.svg.addEventListener('pointerdown', (event) => this.down(event));
        addEventListener('pointerup', (event) => this.up(event));
    }

    down(event) {
        if (event.button === 2)
            this.from = this.board.squareAt(event);
        else if (event.button === 0)
            this.clear();
    }

    up(event) {
        if (event.button !== 2 || this.from === null)
            return;
        const shape = { from: this.from, to: this.board.squareAt(event), colour: colourOf(event) };
        const same = (other) => other.from === shape.from && other.to === shape.to;
        const before = this.shapes.find(same);

        this.from = null;
        if (shape.to === null)
            return;
        this.shapes = this.shapes.filter((other) => !same(other));
        if (before?.colour !== shape.colour)
            this.shapes.push(shape);
        this.board.drawn(this.shapes);
    }

    clear() {
        if (this.shapes.length)
            this.board.drawn([]);
        this.shapes = [];
    }
}
