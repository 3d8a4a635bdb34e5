/*
 * picture.js - the board as it is seen, as a picture of its own: SVG, and PNG.
 *
 * The page's policy lets no picture come from a blob, so the PNG is painted here, shape by shape.
 * A board has rectangles, circles, paths, texts, and men, who are paths of a <symbol>.
 */
import { draw } from './dom.js';

const LAYERS = ['squares', 'last', 'painted', 'marks', 'labels', 'men', 'drawn', 'arrows']; /* no cursor, no ghost */
const LOOK = ['fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-opacity', 'stroke-linecap', 'stroke-linejoin',
    'opacity', 'font-size', 'font-weight', 'font-family', 'text-anchor', 'dominant-baseline', 'color'];

/* A copy whose looks are its own attributes, not the style sheet's. */
function still(element) {
    const copy = element.cloneNode(false), style = getComputedStyle(element);

    for (const name of LOOK)
        if (element.localName !== 'g' && !copy.hasAttribute(name) && style.getPropertyValue(name))
            copy.setAttribute(name, style.getPropertyValue(name));
    if (element.localName === 'g' && style.opacity !== '1')
        copy.setAttribute('opacity', style.opacity);
    copy.removeAttribute('class');
    copy.append(...[...element.childNodes].map((child) =>
        child.nodeType === Node.ELEMENT_NODE ? still(child) : child.cloneNode()));
    return copy;
}

/* The picture of a board, `size` pixels a square. */
export function picture(board, size = 64) {
    const { files, ranks } = board.position;

    return draw('svg', { xmlns: 'http://www.w3.org/2000/svg', viewBox: board.svg.getAttribute('viewBox'),
        width: files * size, height: ranks * size },
    draw('title', {}, board.words()), board.defs.cloneNode(true),
    ...LAYERS.map((name) => still(board.layers[name])));
}

export const asSvg = (svg) => new Blob([new XMLSerializer().serializeToString(svg)], { type: 'image/svg+xml' });

/* == PNG == */

function moveBy(context, transform) {
    for (const [, what, numbers] of (transform ?? '').matchAll(/(\w+)\(([^)]*)\)/g)) {
        const [a, b] = numbers.split(/[\s,]+/).map(Number);

        if (what === 'translate')
            context.translate(a, b ?? 0);
    }
}

const FORMS = {
    rect: (at) => {
        const form = new Path2D();

        form.roundRect(at('x'), at('y'), at('width'), at('height'), at('rx'));
        return form;
    },
    circle: (at) => {
        const form = new Path2D();

        form.arc(at('cx'), at('cy'), at('r'), 0, 2 * Math.PI);
        return form;
    },
    path: (at, element) => new Path2D(element.getAttribute('d')),
};

/* Paints an element; look: the attributes that it inherits. */
function paint(context, element, inherited, symbols) {
    const own = [...element.attributes].map(({ name, value }) => [name, value]);
    const look = { ...inherited, ...Object.fromEntries(own) };
    const at = (name) => parseFloat(element.getAttribute(name)) || 0;
    const ink = (name) => look[name] === 'currentColor' ? look.color : look[name];
    const see = (name) => parseFloat(element.getAttribute('opacity') ?? 1) * parseFloat(look[name] ?? 1);

    context.save();
    moveBy(context, element.getAttribute('transform'));
    if (element.localName === 'use') {
        const symbol = symbols.get(element.getAttribute('href'));

        context.translate(at('x'), at('y'));
        context.scale(at('width') / 48, at('height') / 48);
        for (const child of symbol.children)
            paint(context, child, look, symbols);
    } else if (element.localName === 'text') {
        context.font = `${look['font-weight']} ${look['font-size']} ${look['font-family']}`;
        context.textAlign = { middle: 'center', end: 'right' }[look['text-anchor']] ?? 'left';
        context.textBaseline = look['dominant-baseline'] === 'central' ? 'middle' : 'alphabetic';
        context.fillStyle = ink('fill');
        context.fillText(element.textContent, at('x'), at('y'));
    } else if (FORMS[element.localName]) {
        const form = FORMS[element.localName](at, element);

        if (ink('fill') !== 'none') {
            context.globalAlpha = see('fill-opacity');
            context.fillStyle = ink('fill') ?? '#000';
            context.fill(form);
        }
        if ((ink('stroke') ?? 'none') !== 'none') {
            context.globalAlpha = see('stroke-opacity');
            context.strokeStyle = ink('stroke');
            context.lineWidth = parseFloat(look['stroke-width'] ?? 1);
            context.lineCap = look['stroke-linecap'] ?? 'butt';
            context.lineJoin = look['stroke-linejoin'] ?? 'miter';
            context.stroke(form);
        }
    } else if (element.localName === 'g' || element.localName === 'svg')
        for (const child of element.children)
            paint(context, child, {}, symbols);
    context.restore();
}

/* A picture as PNG. */
export function asPng(svg) {
    const canvas = document.createElement('canvas'), context = canvas.getContext('2d');
    const [, , width, height] = svg.getAttribute('viewBox').split(' ').map(Number);
    const symbols = new Map([...svg.querySelectorAll('symbol')].map((one) => [`#${one.id}`, one]));

    canvas.width = +svg.getAttribute('width');
    canvas.height = +svg.getAttribute('height');
    context.scale(canvas.width / width, canvas.height / height);
    paint(context, svg, {}, symbols);
    return new Promise((done) => canvas.toBlob(done, 'image/png'));
}
