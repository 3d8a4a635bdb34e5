/*
 * stay.mjs - what keeps a visitor on the page: the moves that he played, what he takes away, and that he
 * can read it.  On the screens of a laptop and a phone, light and dark.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { api, base, DIAMOND, drag, everywhere, fenOf, field, finish, hears, man, shoot, test, until, visit } from './visitor.mjs';

const played = (page) => page.locator('#record').innerText();
const here = (page) => page.locator('#record [aria-current]').innerText();
const marked = (page) => page.locator('.last rect').evaluateAll((all) => all.map((one) => one.dataset.square));
const tells = (page, text) => until(page, (wanted) =>
    document.querySelector('#record').innerText.replace(/\s+/g, ' ').trim() === wanted, text);

/* == Moves played == */

await everywhere('the last move is marked, and moves are listed with what was tried instead', async (options, look) => {
    const page = await visit(`?game=shatranj&fen=${DIAMOND}`, options);

    assert.deepEqual(await marked(page), []);
    assert.equal(await page.locator('#record').isVisible(), false);
    for (const turn of [19, 19, 18]) {
        await page.keyboard.press(' ');
        await hears(page, `in ${turn} turns`);
    }
    await tells(page, '1. Kb4 Kd6 2. Kc4');
    assert.deepEqual(await marked(page), ['b4', 'c4']);
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await until(page, () => document.querySelector('#record [aria-current]').innerText === 'Kb4');
    assert.deepEqual(await marked(page), ['b3', 'b4']);
    await page.waitForSelector('.move[data-uci=d5e4]');
    await page.click('.move[data-uci=d5e4]');
    await tells(page, '1. Kb4 Kd6 (1... Ke4) 2. Kc4');
    await hears(page, 'White to move');
    await page.keyboard.press('ArrowUp'); /* what was played first */
    await until(page, () => document.querySelector('#record [aria-current]').innerText === 'Kd6');
    await page.keyboard.press('End');
    await until(page, () => document.querySelector('#record [aria-current]').innerText === 'Kc4');
    await page.click('#record button >> text=Ke4');
    await until(page, () => document.querySelector('#fen').value.startsWith('8/8/8/8/1K2k3/'));
    assert.equal(await here(page), 'Ke4');
    await shoot(page, `record-${look}`);
    await page.click('#first');
    await hears(page, 'in 20 turns');
    assert.deepEqual(await marked(page), []);
    await page.click('#forth'); /* the branch that was looked at last */
    await hears(page, 'in 19 turns');
    await page.click('#forth');
    await until(page, () => document.querySelector('#record [aria-current]')?.innerText === 'Ke4');
    await page.goBack(); /* the browser's history knows the list, too */
    await until(page, () => document.querySelector('#record [aria-current]')?.innerText === 'Kb4');
    await page.fill('#fen', '8/8/8/8/3k4/1KQ5/8/q7 w');
    await page.keyboard.press('Enter');
    await until(page, () => document.querySelector('#record').hidden); /* another position, another list */
    await page.context().close();
});

await test('a line is played as a branch, and what Black moves first is numbered as his', async () => {
    const page = await visit('?game=shatranj&fen=8/8/8/3k4/1K6/2Q5/8/q7_b_-_-_0_7');

    await page.keyboard.press(' ');
    await tells(page, '7... Kd6');
    await page.keyboard.press('ArrowLeft');
    await page.click('summary');
    await page.locator('.linemoves button').nth(4).click();
    await until(page, () => document.querySelectorAll('#record button').length === 5);
    assert.match(await played(page), /^7\.\.\.\s*Kd6\s+8\.\s*\S+\s+\S+\s+9\./);
    await page.click('summary');
    await page.locator('.linemoves button').last().click(); /* to the end: it is in sight in its box */
    await until(page, () => document.querySelectorAll('#record button').length > 30);
    assert.ok(await page.evaluate(() => {
        const box = document.querySelector('#record').getBoundingClientRect();
        const move = document.querySelector('#record [aria-current]').getBoundingClientRect();

        return move.top >= box.top && move.bottom <= box.bottom;
    }));
    await page.context().close();
});

await test('men move where motion is wanted, and stand where it is not', async () => {
    for (const reducedMotion of ['no-preference', 'reduce']) {
        const page = await visit(`?game=shatranj&fen=${DIAMOND}`, { reducedMotion });
        const moved = () => page.evaluate(() => {
            const all = document.getAnimations().filter(({ effect }) => effect.target.classList.contains('man'));

            return all.map(({ effect }) => [effect.target.dataset.square, effect.getKeyframes()[0].transform]);
        });

        await page.evaluate(() => { /* slow enough to be looked at */
            const animate = Element.prototype.animate;

            Element.prototype.animate = function (steps, how) {
                return animate.call(this, steps, { ...how, duration: 20000 });
            };
        });
        await page.keyboard.press(' ');
        await hears(page, 'in 19 turns');
        assert.deepEqual(await moved(), reducedMotion === 'reduce' ? [] : [['b4', 'translate(48px, 240px)']]);
        await page.keyboard.press('Backspace'); /* and back */
        await hears(page, 'in 20 turns');
        assert.deepEqual(await moved(), reducedMotion === 'reduce' ? [] : [['b3', 'translate(48px, 192px)']]);
        await page.click('#flip'); /* the board turns, the men do not move */
        assert.deepEqual(await moved(), []);
        await page.context().close();
    }
});

/* == What is taken away == */

/* What a button downloads: { name, bytes }. */
async function download(page, text) {
    const [file] = await Promise.all([page.waitForEvent('download'),
        page.locator('#takeaway .bar').nth(1).getByText(text, { exact: true }).click()]);

    return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) };
}

const clipped = (page) => page.evaluate(() => navigator.clipboard.readText());

await everywhere('moves and position are copied and downloaded, and the command reads them', async (options) => {
    const page = await visit(`?game=shatranj&fen=${DIAMOND}`,
        { ...options, permissions: ['clipboard-read', 'clipboard-write'] });

    await page.keyboard.press(' ');
    await hears(page, 'Black to move');
    await page.click('.move[data-uci=d5e4]');
    await hears(page, 'White to move');
    await page.keyboard.press('ArrowLeft');
    await until(page, () => document.querySelector('#record [aria-current]').innerText === 'Kb4');
    await page.click('.move[data-uci=d5d6]');
    await tells(page, '1. Kb4 Ke4 (1... Kd6)');
    await page.click('#share');
    const copy = page.locator('#takeaway .bar').first();

    await copy.getByText('FEN').click();
    await page.getByText('The FEN is copied.').waitFor();
    assert.equal(await clipped(page), await fenOf(page));
    await copy.getByText('PGN').click();
    await page.getByText('The moves are copied.').waitFor();
    const { name, bytes } = await download(page, 'PGN'), pgn = bytes.toString();

    assert.equal(name, 'KQvKQ.pgn');
    assert.equal(await clipped(page), pgn);
    assert.match(pgn, /\[Variant "shatranj"\]\n\[SetUp "1"\]\n\[FEN "8\/8\/8\/3k4\/8\/1KQ5\/8\/q7 w - - 0 1"\]\n\n1\. Kb4 Ke4 \(1\.\.\. Kd6\) \*\n$/);
    const read = execFileSync(process.env.BIN, ['annotate', 'shatranj', '-', '--dir', process.env.TABLES, '--json'],
        { input: bytes });

    assert.deepEqual(JSON.parse(read).games[0].moves.map(({ move }) => move), ['b3b4', 'd5e4']);
    await page.context().close();
});

await everywhere('the picture is that of the board, as SVG, as PNG and in the clipboard', async (options, look) => {
    const page = await visit('?game=puzzle&fen=1k4**/6**/8/3n4/8/8/8/4KR2_w_-_-_0_1',
        { ...options, permissions: ['clipboard-read', 'clipboard-write'] });

    await page.waitForSelector('.move');
    await page.locator('.move').first().click();
    await hears(page, 'Black to move');
    await page.click('#share');
    const svg = (await download(page, 'SVG')).bytes.toString(), png = (await download(page, 'PNG')).bytes;

    assert.match(svg, /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" viewBox="0 0 384 384" width="512" height="512"><title>Board\. White/);
    assert.doesNotMatch(svg, /class="(square|light|dark)|style=|var\(/);
    if (process.env.SHOTS)
        ['svg', 'png'].forEach((kind, i) => writeFileSync(`${process.env.SHOTS}/picture-${look}.${kind}`, [svg, png][i]));
    /* the PNG has the colours that the screen has: of squares, of the last move, of a man, of a hole */
    const other = await page.context().browser().newPage();
    const colours = await other.evaluate(async ([svgText, pngBase64]) => {
        const at = async (url) => {
            const image = new Image(), canvas = document.createElement('canvas'), context = canvas.getContext('2d');

            image.src = url;
            await image.decode();
            canvas.width = canvas.height = 512;
            context.drawImage(image, 0, 0);
            const whole = context.getImageData(0, 0, 512, 512).data;

            return whole;
        };
        const [a, b] = [await at(`data:image/svg+xml;base64,${btoa(unescape(encodeURIComponent(svgText)))}`),
            await at(`data:image/png;base64,${pngBase64}`)];
        let far = 0, hole = b[4 * (20 * 512 + 480) + 3], inks = new Set();

        for (let i = 0; i < a.length; i += 4) {
            far += [0, 1, 2, 3].some((c) => Math.abs(a[i + c] - b[i + c]) > 40) ? 1 : 0;
            inks.add(`${b[i] >> 5},${b[i + 1] >> 5},${b[i + 2] >> 5}`);
        }
        return { far: far / (512 * 512), hole, inks: inks.size };
    }, [svg, png.toString('base64')]);

    assert.ok(colours.far < 0.01, `SVG and PNG differ in ${colours.far} of their pixels`);
    assert.equal(colours.hole, 0);
    assert.ok(colours.inks >= 5);
    await other.close();
    await page.locator('#takeaway .bar').first().getByText('Picture').click();
    await page.getByText('The picture is copied.').waitFor();
    assert.deepEqual(await page.evaluate(async () => (await navigator.clipboard.read())[0].types), ['image/png']);
    await page.context().close();
});

/* == Arrows, shifts, the line by itself == */

async function rightDrag(page, from, to, key) {
    const [a, b] = [await page.locator(field(from)).boundingBox(), await page.locator(field(to)).boundingBox()];

    if (key)
        await page.keyboard.down(key);
    await page.mouse.move(a.x + a.width / 2, a.y + a.height / 2);
    await page.mouse.down({ button: 'right' });
    await page.mouse.move(b.x + b.width / 2, b.y + b.height / 2);
    await page.mouse.up({ button: 'right' });
    if (key)
        await page.keyboard.up(key);
}

await test('arrows and squares are drawn by the right button, and go with a click', async () => {
    const page = await visit(`?game=shatranj&fen=${DIAMOND}`);
    const shapes = () => page.locator('.painted > *, .drawn > *').evaluateAll((all) => all.map((one) =>
        `${one.localName} ${getComputedStyle(one)[one.matches('[fill=none]') ? 'stroke' : 'fill']}`));

    await rightDrag(page, 'b3', 'b5');
    await rightDrag(page, 'd5', 'd5', 'Shift');
    assert.deepEqual(await shapes(), ['rect rgb(185, 28, 28)', 'path rgb(21, 128, 61)', 'path rgb(21, 128, 61)']);
    await shoot(page, 'drawn');
    await rightDrag(page, 'b3', 'b5'); /* once more */
    assert.deepEqual(await shapes(), ['rect rgb(185, 28, 28)']);
    await page.click(field('h7'));
    assert.deepEqual(await shapes(), []);
    await rightDrag(page, 'b3', 'b5', 'Alt');
    assert.equal((await shapes()).length, 2);
    await page.keyboard.press(' ');
    await hears(page, 'in 19 turns');
    assert.deepEqual(await shapes(), []); /* another position */
    await page.context().close();
});

await test('a position is shifted and turned as a whole, and not off the board', async () => {
    const page = await visit('?game=puzzle&fen=5k**/6**/8/8/8/8/8/4K3_w_-_-_0_1');
    const stands = (fen) => until(page, (wanted) => document.querySelector('#fen').value === wanted, fen);
    const press = (name) => page.locator(`#editor button[aria-label="${name}"]`).click();

    await page.keyboard.press('e');
    await press('All men a square right'); /* onto the missing corner */
    await until(page, () => document.querySelector('#fenerror').innerText === 'A man would leave the board to the right.');
    await press('All men a square left');
    await stands('4k1**/6**/8/8/8/8/8/3K4 w - - 0 1');
    await press('All men a square down');
    await until(page, () => document.querySelector('#fenerror').innerText === 'A man would leave the board down.');
    await page.click('#editor >> text=Turn'); /* the board is not the same then */
    await until(page, () => document.querySelector('#fenerror').innerText.includes('it is turned'));
    await page.goto(`${page.url().split('?')[0]}?game=shatranj&fen=${DIAMOND}`);
    await page.waitForSelector('body.ready');
    await page.keyboard.press('e');
    await page.click('#editor >> text=Turn');
    await stands('q7/2K5/2Q5/4k3/8/8/8/8 w - - 0 1');
    await press('All men a square right');
    await stands('1q6/3K4/3Q4/5k2/8/8/8/8 w - - 0 1');
    await page.context().close();
});

await test('the best line plays itself to its end, and stops at a key', async () => {
    const line = await (await fetch(`${api}api/v1/shatranj/line?fen=${DIAMOND}`)).json();
    const page = await visit(`?game=shatranj&fen=${line.moves[33].fen.replace(/ /g, '_')}`); /* five plies from the end */
    const pressed = (on) => until(page, (wanted) =>
        document.querySelector('#auto').getAttribute('aria-pressed') === wanted, String(on));
    const moves = () => page.locator('#record button').count();

    await page.click('#auto');
    await pressed(true);
    await until(page, () => document.querySelectorAll('#record button').length === 2);
    await page.keyboard.press('Shift');
    await pressed(false);
    const before = await moves();

    await page.waitForTimeout(1200);
    assert.equal(await moves(), before);
    await page.keyboard.press('p');
    await hears(page, 'Black is bare: White has won');
    await pressed(false);
    assert.equal(await moves(), 5);
    await page.context().close();
});

/* == Drills of draws, and examples of a table == */

const HELD = '8/8/8/8/8/6R1/8/K2k2n1_b_-_-_0_1';

await everywhere('a draw is drilled: each move is told to hold or lose it, to the end', async (options, look) => {
    const answer = await (await fetch(`${api}api/v1/shatranj/probe?fen=${HELD}`)).json();

    assert.equal(answer.category, 'draw');
    const page = await visit(`?game=shatranj&fen=${HELD}&view=drill`, options);

    await page.click('text=Hold this draw');
    await page.waitForSelector('.task');
    assert.match(await page.locator('.task').innerText(), /You are Black, and hold the draw for 15 turns/);
    for (let move = 1; move <= 15 && !await page.locator('#drillresult').count(); move++) {
        const best = (await (await fetch(`${api}api/v1/shatranj/probe?fen=${(await fenOf(page)).replace(/ /g, '_')}`)).json()).moves;
        const holds = best.filter(({ mover }) => mover.category === 'draw').length;

        await page.keyboard.press(' ');
        await page.waitForSelector(`.grades li >> nth=${move - 1}`);
        assert.match(await page.locator('.grades li').nth(move - 1).innerText(),
            holds === 1 && best.length > 1 ? /the only move that holds$/ : /holds$/);
        await until(page, () => document.querySelector('#drillresult') ||
            document.querySelector('#panel').innerText.includes('Your move.'));
    }
    assert.match(await page.locator('#drillresult').innerText(), /The draw is held\. \d+ turns?, \d+ of them by the only move/);
    await shoot(page, `held-${look}`);
    await page.context().close();
});

await test('a draw that is given away is told', async () => {
    const fen = HELD.replace(/_/g, ' '), { moves } = await (await fetch(`${api}api/v1/shatranj/probe?fen=${HELD}`)).json();
    const slip = moves.find(({ mover }) => mover.category === 'loss');
    const page = await visit(`?game=shatranj&fen=${HELD}&view=drill`);

    assert.ok(slip, fen);
    await page.click('#drillstart');
    await page.waitForSelector('.task');
    await drag(page, man(slip.from), field(slip.to));
    await page.waitForSelector('#drillresult');
    assert.match(await page.locator('#drillresult').innerText(), /The draw is gone\./);
    await page.context().close();
});

if (api === base)
    await everywhere('a zugzwang, an only move, a draw, a problem of the table on the board', async (options, look) => {
        const page = await visit('?game=shatranj&fen=5R2/8/8/8/8/k7/4n3/2K5_w_-_-_0_1', options);
        const found = await (async () => {
            for (;;) {
                const answer = await (await fetch(`${api}api/v1/shatranj/examples?material=KRvKN`)).json();

                if (!answer.counting)
                    return answer;
                await page.waitForTimeout(500);
            }
        })();

        page.setDefaultTimeout(60000);
        for (const kind of ['zugzwangs', 'only_moves', 'holds', 'problems']) {
            const fen = await fenOf(page);

            assert.ok(found[kind].length, kind);
            await page.click(`[data-example=${kind}]`);
            await until(page, (before) => document.querySelector('#fen').value !== before, fen);
            assert.ok(found[kind].some((one) => one.fen.split(' ')[0] === new URL(page.url()).searchParams.get('fen').split('_')[0]), kind);
            if (kind === 'zugzwangs')
                assert.match(await page.locator('.tale').innerText(), /^A zugzwang/);
            else {
                await page.waitForSelector('.task');
                assert.match(await page.locator('.task').innerText(), kind === 'holds' ? /hold the draw/ : /and win/);
                await page.click('text=Give up');
                await page.waitForSelector('[data-example]');
            }
            await shoot(page, `example-${kind}-${look}`);
        }
        await page.context().close();
    });
else
    await test('without a server a table is not looked through, and that is said', async () => {
        const page = await visit(`?game=shatranj&fen=${DIAMOND}`);

        await page.click('[data-example=zugzwangs]');
        await page.getByText('Without a server no table is looked through.').waitFor();
        await page.context().close();
    });

/* == Men in hand == */

await everywhere('men in hand are dragged to the board, with the move that goes with it, in any order', async (options, look) => {
    const page = await visit('?game=puzzle-hands&fen=5k**/6**/8/8/8/8/5K2/1R1A2n1[r]_w_-_-_0_1', options);
    const start = await fenOf(page), turnText = () => page.locator('#turn').innerText();

    await page.waitForSelector('.move');
    await drag(page, '.held svg', field('d5'));
    await until(page, () => !document.querySelector('#turn').hidden);
    assert.match(await turnText(), /^r@d5, and now\?/);
    assert.equal(await fenOf(page), start);
    await shoot(page, `drop-${look}`);
    await page.keyboard.press('Escape');
    await until(page, () => document.querySelector('#turn').hidden);
    await drag(page, '.held svg', field('d5'));
    await drag(page, man('b1'), field('b4'));
    await until(page, (fen) => document.querySelector('#fen').value !== fen, start);
    assert.match(await fenOf(page), /^5k\*\*\/6\*\*\/8\/3r4\/1R6\//);
    await page.keyboard.press('Backspace');
    await until(page, (fen) => document.querySelector('#fen').value === fen, start);
    await page.waitForSelector('.move');
    await drag(page, man('b1'), field('b4')); /* the other way about */
    await until(page, () => document.querySelector('#turn').innerText.startsWith('b1b4, and now?'));
    await drag(page, '.held svg', field('a3'));
    await until(page, (fen) => document.querySelector('#fen').value !== fen, start);
    assert.match(await fenOf(page), /\/1R6\/r7\//);
    await page.goto(`${base}?game=puzzle-mini&fen=2**/2**/4/4[KRNkrn]_w_-_-_0_1`);
    await page.waitForSelector('.move');
    await drag(page, '.held svg[data-man=R]', field('a1'));
    await drag(page, '.held svg[data-man=n]', field('c2'));
    await until(page, () => document.querySelector('#fen').value.startsWith('2**/2**/2n1/R3'));
    await page.context().close();
});

/* == Rules == */

await everywhere('rules show how each man moves', async (options, look) => {
    const page = await visit('?game=chess&view=rules', options);
    const marks = (name, kind) => page.locator(`[aria-label="How a ${name} moves"] .${kind}`).count();

    await page.waitForSelector('figure');
    assert.equal(await page.locator('figure').count(), 6);
    assert.deepEqual([await marks('knight', 'goes'), await marks('knight', 'quiet'), await marks('knight', 'takes')], [8, 0, 0]);
    assert.deepEqual([await marks('pawn', 'goes'), await marks('pawn', 'quiet'), await marks('pawn', 'takes')], [0, 1, 2]);
    assert.equal(await marks('rook', 'goes'), 14);
    await shoot(page, `rules-${look}`);
    await page.context().close();
});

/* == What is seen == */

await everywhere('moves are in sight without scrolling, and so are board and trays while one sets up', async (options, look) => {
    const page = await visit(`?game=shatranj&fen=${DIAMOND}`, options);
    const seen = (what) => page.locator(what).evaluateAll((all) => all.every((one) => {
        const { top, bottom, left, right } = one.getBoundingClientRect();

        return top >= 0 && bottom <= innerHeight && left >= 0 && right <= innerWidth;
    }));

    await page.keyboard.press(' '); /* with the list of moves played, too */
    await hears(page, 'in 19 turns');
    await page.waitForSelector('.move >> nth=3');
    assert.ok(await seen('svg.board'), 'the board');
    assert.ok(await seen('.move:nth-child(-n+4)'), 'moves');
    assert.ok(await seen('[role=toolbar] button'), 'buttons');
    if (look.startsWith('desktop'))
        assert.ok(await seen('#fen'), 'the FEN');
    await shoot(page, `fold-${look}`);
    await page.click('#edit');
    assert.ok(await seen('svg.board'), 'the board that is set up');
    assert.ok(await seen('.spare'), 'trays');
    await shoot(page, `setup-${look}`);
    await page.context().close();
});

await everywhere('who wins is told by a king of his colour, not by a word alone', async (options, look) => {
    for (const [turn, colour] of [['w', 'white'], ['b', 'black']]) {
        const page = await visit(`?game=shatranj&fen=${turn === 'w' ? DIAMOND : 'Q7/8/1kq5/8/3K4/8/8/8_b_-_-_0_1'}`, options);

        await hears(page, 'wins in 20 turns');
        assert.equal(await page.locator('.victor .man').getAttribute('class'), `man ${colour}`);
        await shoot(page, `verdict-${colour}-${look}`);
        await page.context().close();
    }
});

await everywhere('the legend of the map has the colours of its squares', async (options, look) => {
    const page = await visit(`?game=shatranj&fen=${DIAMOND}`, options);

    await page.keyboard.press('m');
    await page.locator('.pickman').nth(1).click();
    await page.waitForSelector('.mark');
    await shoot(page, `map-${look}`);
    const { squares, keys } = await page.evaluate(() => {
        const squares = {}, keys = {};

        for (const mark of document.querySelectorAll('.mark'))
            (squares[mark.classList[1]] ??= []).push(getComputedStyle(mark.querySelector('rect')).fill);
        for (const key of document.querySelectorAll('.legend .key'))
            keys[key.classList[1]] = getComputedStyle(key);
        return { squares, keys: Object.fromEntries(Object.entries(keys).map(([kind, style]) =>
            [kind, [style.backgroundColor, style.backgroundImage]])) };
    });

    assert.deepEqual(Object.keys(squares).sort(), Object.keys(keys).sort());
    for (const [kind, fills] of Object.entries(squares)) {
        const [plain, gradient] = keys[kind], ends = gradient.match(/rgb\([^)]*\)/g);

        for (const fill of fills) {
            const parts = (colour) => colour.match(/\d+/g).map(Number);
            const within = ends && parts(fill).every((c, i) => {
                const [a, b] = ends.map((end) => parts(end)[i]);

                return c >= Math.min(a, b) && c <= Math.max(a, b);
            });

            assert.ok(within || fill === plain, `${kind}: ${fill} is not ${plain} ${gradient}`);
        }
    }
    await page.context().close();
});

await everywhere('labels of the histogram are whole', async (options, look) => {
    const page = await visit('?game=shatranj&fen=5R2/8/8/8/8/k7/4n3/2K5_w_-_-_0_1&view=stats', options);

    await page.addInitScript(() => { /* what is written, and whether it begins within the canvas */
        const write = CanvasRenderingContext2D.prototype.fillText;

        window.cut = [];
        CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
            const right = this.textAlign === 'right' ? x : x + this.measureText(text).width;
            const left = new DOMPoint(right - this.measureText(text).width, y).matrixTransform(this.getTransform());

            if (text.includes('%') && left.x < 0)
                window.cut.push(text);
            write.apply(this, [text, x, y]);
        };
    });
    await page.reload();
    await page.waitForSelector('.chart canvas');
    await until(page, () => document.querySelector('#panel').innerText.includes('of all of them') ||
        document.querySelector('#panel').innerText.includes('in a sample'));
    await page.waitForTimeout(1500); /* counted whole, where somebody counts */
    assert.deepEqual(await page.evaluate(() => window.cut), []);
    await page.locator('.chart').scrollIntoViewIfNeeded();
    await shoot(page, `histogram-${look}`);
    await page.context().close();
});

await test('a finger on an empty square scrolls the page, on a man it lifts him', async () => {
    const page = await visit(`?game=shatranj&fen=${DIAMOND}`, { viewport: { width: 390, height: 844 }, hasTouch: true });

    assert.equal(await page.locator('svg.board').evaluate((one) => getComputedStyle(one).touchAction), 'pan-y');
    assert.equal(await page.locator(man('b3')).evaluate((one) => getComputedStyle(one).touchAction), 'none');
    await page.context().close();
});

/* axe-core: what those who see or hear badly meet; rules of WCAG 2 A and AA, and best practice. */
const axe = readFileSync('node_modules/axe-core/axe.min.js', 'utf8');
const STATES = [ /* one after the other on one page: [name, what is pressed, what is seen then] */
    ['moves', [], '.movegroup'], ['moves played', ['#best'], '#record button'],
    ['map', ['[data-view=map]', '.pickman >> nth=1'], '.legend'], ['drill', ['[data-view=drill]', '#drillstart'], '.task'],
    ['statistics', ['[data-view=stats]'], '.chart canvas'], ['longest', ['[data-view=longest]'], '.panel.longest table'],
    ['tables', ['[data-view=tables]'], '.hub'], ['rules', ['[data-view=rules]'], 'figure'],
    ['editor', ['#edit'], '.spare'], ['share', ['#edit', '#share'], '#takeaway button'],
];

await everywhere('axe-core finds nothing serious, and headings in order', async (options) => {
    const page = await visit(`?game=shatranj&fen=${DIAMOND}`, options), found = [];

    await page.evaluate(axe);
    for (const [name, press, then] of STATES) {
        for (const button of press)
            await page.click(button);
        await page.waitForSelector(then);
        const { violations } = await page.evaluate(() => window.axe.run({ resultTypes: ['violations'] }));

        for (const { id, impact, nodes } of violations)
            if (['serious', 'critical'].includes(impact) || id === 'heading-order')
                found.push(`${name}: ${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join('; ')}`);
    }
    assert.deepEqual(found, []);
    await page.context().close();
});

await finish('browser, to stay');
