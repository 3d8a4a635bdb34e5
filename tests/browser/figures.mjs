/*
 * figures.mjs - what questions to a site without a server cost: random positions of a material, and
 * all their moves, as the page asks them.  Run in BUILD/browser, after `make test-browser`:
 *
 *     CHROMIUM=/usr/bin/chromium node figures.mjs SITE GAME MATERIAL [HOW-MANY [SEED]]
 *
 * First each by a visitor of its own, who has nothing; then by one who has asked forty others.
 */
import { chromium } from 'playwright-core';
import { serve } from './host.mjs';

const [, , site, game, material, many = '10', seed = '1'] = process.argv;
const host = await serve(site);
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] });
let state = BigInt(seed);

function random(below) { /* splitmix64 */
    state = BigInt.asUintN(64, state + 0x9e3779b97f4a7c15n);
    let x = state;

    x = BigInt.asUintN(64, (x ^ (x >> 30n)) * 0xbf58476d1ce4e5b9n);
    x = BigInt.asUintN(64, (x ^ (x >> 27n)) * 0x94d049bb133111ebn);
    return Number((x ^ (x >> 31n)) % BigInt(below));
}

/* Some placement of the men; it may be illegal. */
function placement({ files, ranks }) {
    const [white, black] = material.split('v');
    const men = [...white, ...black.toLowerCase()], at = new Map();

    for (const one of men) {
        let square;

        do
            square = random(files * ranks);
        while (at.has(square));
        at.set(square, one);
    }
    const rows = [];

    for (let rank = ranks - 1; rank >= 0; rank--) {
        let row = '', empty = 0;

        for (let file = 0; file < files; file++) {
            const one = at.get(rank * files + file);

            row += one ? (empty || '') + one : '';
            empty = one ? 0 : empty + 1;
        }
        rows.push(row + (empty || ''));
    }
    return `${rows.join('/')}_${random(2) ? 'w' : 'b'}_-_-_0_1`;
}

async function visitor() {
    const page = await (await browser.newContext()).newPage();

    await page.goto(`${host.url}?game=${game}&view=rules`);
    await page.waitForSelector('body.ready');
    return page;
}

const ask = (page, fen) => page.evaluate(async ([name, position]) => {
    const { answer } = await import('./far.js');

    return answer(`api/v1/${name}/probe?fen=${position}`);
}, [game, fen]);

async function figure(page, fen) {
    const before = host.sent.length, began = performance.now();
    const answer = await ask(page, fen);
    const sent = host.sent.slice(before);

    if (answer.error)
        return null;
    return { fen: answer.fen, worth: `${answer.category} ${answer.dtm ?? ''}`, requests: sent.length,
        bytes: sent.reduce((sum, one) => sum + one.bytes, 0), ms: Math.round(performance.now() - began) };
}

async function figures(title, newcomer, page) {
    const all = [];

    while (all.length < +many) {
        const on = newcomer ? await visitor() : page;
        const one = await figure(on, placement(board));

        if (one)
            all.push(one);
        if (newcomer)
            await on.context().close();
    }
    console.log(title);
    for (const one of all)
        console.log(`  ${one.fen.padEnd(36)} ${one.worth.padEnd(9)} ${String(one.requests).padStart(3)} requests ${
            String(one.bytes).padStart(8)} bytes ${String(one.ms).padStart(5)} ms`);
    const sum = (what) => all.reduce((n, one) => n + one[what], 0) / all.length;

    console.log(`  mean: ${sum('requests').toFixed(1)} requests, ${Math.round(sum('bytes'))} bytes`);
}

const first = await visitor();
const { board } = await first.evaluate(async (name) => {
    const { answer } = await import('./far.js');

    return (await answer('api/v1/variants')).variants.find((one) => one.name === name);
}, game);

await figures('who has nothing:', true);
for (let i = 0; i < 60; i++)
    await ask(first, placement(board));
await figures('who has asked others:', false, first);
await browser.close();
host.close();
