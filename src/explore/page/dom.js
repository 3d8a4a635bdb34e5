/* dom.js - making elements, and words that several panels use. */
const SVG = 'http://www.w3.org/2000/svg';

function fill(element, attributes, children) {
    for (const [key, value] of Object.entries(attributes ?? {})) {
        if (value === undefined || value === null || value === false)
            continue;
        if (key.startsWith('on'))
            element.addEventListener(key.slice(2), value);
        else
            element.setAttribute(key, value === true ? '' : value);
    }
    element.append(...children.flat().filter((child) => child !== null && child !== undefined));
    return element;
}

export const make = (tag, attributes, ...children) =>
    fill(document.createElement(tag), attributes, children);
export const draw = (tag, attributes, ...children) =>
    fill(document.createElementNS(SVG, tag), attributes, children);

/* What a category is to the side that it is told of. */
export const kindOf = (category) =>
    ({ 'win': 'win', 'cursed-win': 'late', 'maybe-win': 'win', 'draw': 'draw', 'loss': 'loss',
        'blessed-loss': 'late', 'maybe-loss': 'loss', 'illegal': 'illegal' })[category] ?? 'unknown';

const word = (n, one) => `${n.toLocaleString('en')} ${one}${n === 1 ? '' : 's'}`;
export const turns = (n) => word(n, 'turn');
export const plies = (n) => n === 1 ? '1 ply' : `${n.toLocaleString('en')} plies`;
export const number = (n) => n.toLocaleString('en');
export const percent = (part, all) => {
    const x = all ? 100 * part / all : 0;

    return `${x > 0 && x < 0.1 ? x.toPrecision(1) : x.toFixed(1)}\u00a0%`;
};
export const colour = (turn) => turn === 'w' ? 'White' : 'Black';
export const bytes = (n) => n < 10240 ? `${number(n)} B`
    : n < 1048576 ? `${(n / 1024).toFixed(0)} KiB` : `${(n / 1048576).toFixed(1)} MiB`;
