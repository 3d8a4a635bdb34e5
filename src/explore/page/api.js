/*
 * api.js - questions, to whoever answers (place.js).  Answers are kept while the page is open: a line that is played
 * forth and back is asked once.
 */
import { answer as ask, away } from './place.js';

export { away };
const kept = new Map();
const KEPT_MAX = 2000;

/* Nobody answers. */
export class Away extends Error {}

/* { status, ...what it says }; fails only where nobody answers, with Away.  Errors come in the
   body, so that the console shows those of the page alone. */
async function get(path, keep = (answer) => !answer.error && !answer.missing?.length && !answer.counting) {
    if (kept.has(path))
        return kept.get(path);
    const answer = await ask(path).catch((error) => { throw new Away(away, { cause: error }); });

    if (kept.size >= KEPT_MAX)
        kept.delete(kept.keys().next().value);
    if (answer.status < 500 && keep(answer))
        kept.set(path, answer);
    return answer;
}

const query = (values) => Object.entries(values)
    .map(([key, value]) => `${key}=${encodeURIComponent(value.replace(/ /g, '_')).replace(/%2F/g, '/')}`)
    .join('&');

const game = (name, what, values = {}, keep = undefined) =>
    get(`api/v1/${encodeURIComponent(name)}/${what}?${query({ ...values, errors: 'body' })}`, keep);

/* { variants, dir } */
export const variants = () => get('api/v1/variants');
export const probe = (name, fen) => game(name, 'probe', { fen });
export const moves = (name, fen) => game(name, 'moves', { fen });
export const board = (name, fen) => game(name, 'board', { fen });
export const line = (name, fen) => game(name, 'line', { fen });
export const map = (name, fen, square) => game(name, 'map', { fen, square });
export const stats = (name, material) => game(name, 'stats', { material, exact: '1' },
    (answer) => !answer.counting && !answer.error && answer.histogram); /* of all positions, once they are counted */
export const examples = (name, material) => game(name, 'examples', { material });
/* What there is may be more a minute later. */
export const longest = (name) => game(name, 'longest', {}, () => false);
export const tables = (name, material) => game(name, 'tables', material ? { material } : {}, () => false);

/* Pictures of men: the inner markup of each symbol, by the name of a man. */
export async function pictures() {
    const text = await (await fetch('pieces.svg')).text();
    const sheet = new DOMParser().parseFromString(text, 'image/svg+xml');
    const found = new Map();

    for (const symbol of sheet.querySelectorAll('symbol'))
        for (const name of symbol.getAttribute('class').split(' '))
            found.set(name, symbol);
    return found;
}
