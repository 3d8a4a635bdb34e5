/*
 * takeaway.js - what one takes away from the page: position, moves and picture, to the clipboard or as a file.
 */
import { make } from './dom.js';
import { asPng, asSvg, picture } from './picture.js';

const LINE = 78; /* letters a line of PGN */

/* Moves in PGN, as `bareking line --format pgn` writes them; branches are variations. */
export function pgn(record, game, result = '*') {
    const tags = [['Event', '?'], ['Site', '?'], ['Date', '????.??.??'], ['Round', '?'], ['White', '?'], ['Black', '?'],
        ['Result', result], ['Annotator', 'bareking'], ...(game.name === 'chess' ? [] : [['Variant', game.name]]),
        ['SetUp', '1'], ['FEN', record.root().fen]];
    const words = record.words().flatMap((word) => typeof word === 'string' ? [word]
        : [word.number, word.san].filter(Boolean));
    const lines = [''];

    for (const word of [...words, result]) {
        const glued = word === ')' || lines.at(-1) === '' || lines.at(-1).endsWith('(');

        if (lines.at(-1).length + word.length > LINE)
            lines.push(word);
        else
            lines.push(lines.pop() + (glued ? '' : ' ') + word);
    }
    return `${tags.map(([name, value]) => `[${name} "${value}"]\n`).join('')}\n${lines.join('\n')}\n`;
}

/* Pages of other machines than this may not write to the clipboard but by a selection. */
async function copyText(text) {
    if (navigator.clipboard)
        return navigator.clipboard.writeText(text);
    const box = make('textarea', { class: 'visually-hidden' });

    box.value = text;
    document.body.append(box);
    box.select();
    document.execCommand('copy');
    box.remove();
    return undefined;
}

function save(blob, name) {
    const link = make('a', { href: URL.createObjectURL(blob), download: name });

    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

/* The buttons, which tell what was done.  page: { fen(), pgn(), board, name() } */
export function takeaway(host, page) {
    const told = make('span', { class: 'note', role: 'status' });
    const button = (text, act, done, title) => make('button', { title, onclick: async () => {
        try {
            await act();
            told.textContent = done;
        } catch {
            told.textContent = 'This browser does not allow it.';
        }
    } }, text);
    const image = () => asPng(picture(page.board));
    /* a picture goes to the clipboard on pages that nobody on the way could have changed alone */
    const clips = typeof ClipboardItem !== 'undefined' && navigator.clipboard?.write;

    host.replaceChildren(
        make('div', { class: 'bar' }, make('span', { class: 'what' }, 'Copy'),
            button('FEN', () => copyText(page.fen()), 'The FEN is copied.'),
            button('PGN', () => copyText(page.pgn()), 'The moves are copied.'),
            clips ? button('Picture', () => navigator.clipboard.write([new ClipboardItem({ 'image/png': image() })]),
                'The picture is copied.') : null),
        make('div', { class: 'bar' }, make('span', { class: 'what' }, 'Download'),
            button('PGN', () => save(new Blob([page.pgn()], { type: 'application/x-chess-pgn' }), `${page.name()}.pgn`), 'The moves are saved.'),
            button('SVG', () => save(asSvg(picture(page.board)), `${page.name()}.svg`), 'The picture is saved.'),
            button('PNG', async () => save(await image(), `${page.name()}.png`), 'The picture is saved.')),
        told);
}
