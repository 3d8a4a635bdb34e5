/*
 * page.mjs - the page in a browser: what a visitor does, what he sees, and that nothing goes wrong
 * unseen.  run.sh starts it (visitor.mjs).
 */
import assert from 'node:assert/strict';
import { api, base, DIAMOND, drag, fenOf, field, finish, hears, man, shoot, test, until, verdict, visit } from './visitor.mjs';

await test('a position is loaded by its address, and its moves are told by verdict', async () => {
    const page = await visit(`?game=shatranj&fen=${DIAMOND}`);

    assert.equal(await verdict(page), 'White wins in 20 turns');
    assert.equal(await page.locator('.movegroup.win .move').count(), 4);
    assert.equal(await page.locator('.movegroup.win .move').first().innerText(), 'Kb4\n20 turns');
    await page.hover('.move[data-uci=b3b4]');
    assert.equal(await page.locator('.arrowhead.win').count(), 1);
    await shoot(page, 'moves-light');
    await page.click('summary');
    await page.waitForSelector('.linemoves button');
    assert.equal(await page.locator('.linemoves button').count(), 39);
    await page.context().close();
});

await test('men are dragged and clicked, and moves taken back', async () => {
    const page = await visit(`?game=shatranj&fen=${DIAMOND}`);

    await drag(page, man('b3'), field('b4'));
    await hears(page, 'in 19 turns');
    assert.match(page.url(), /fen=8\/8\/8\/3k4\/1K6\/2Q5\/8\/q7_b_/);
    await page.click(man('d5'));
    await page.click(field('d6'));
    await hears(page, 'White to move');
    assert.equal(await fenOf(page), '8/8/3k4/8/1K6/2Q5/8/q7 w - - 0 2');
    await drag(page, man('c3'), field('c8')); /* no such move */
    assert.equal(await fenOf(page), '8/8/3k4/8/1K6/2Q5/8/q7 w - - 0 2');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Backspace');
    await hears(page, 'in 20 turns');
    await page.keyboard.press('ArrowRight');
    await hears(page, 'in 19 turns');
    await page.context().close();
});

await test('space plays the best line to the end', async () => {
    const page = await visit(`?game=shatranj&fen=${DIAMOND}`);

    for (let plies = 39; plies > 0; plies--) {
        const fen = await fenOf(page);

        await page.keyboard.press(' ');
        await until(page, (before) => document.querySelector('#fen').value !== before &&
            document.querySelector('#verdict').innerText.includes('n'), fen);
        if (plies > 2)
            await hears(page, `${plies - 1} plies`);
    }
    await hears(page, 'Black is bare: White has won');
    assert.equal(await page.locator('.move').count() > 0, false);
    await page.context().close();
});

/* Every square of the board is coloured, and the numbers are those of the API. */
async function checkMap(page, game, squares) {
    await page.keyboard.press('m');
    await page.locator('.pickman').nth(1).click();
    await page.waitForSelector('.mark');
    const marks = await page.locator('.mark').evaluateAll((all) => all.map((mark) =>
        [mark.dataset.square, mark.classList[1], mark.textContent]));
    const given = new URL(page.url()).searchParams;
    const own = await page.locator('.mark.own').getAttribute('data-square');
    const answer = await (await page.request.get(`${api}api/v1/${game}/map?fen=${given.get('fen')}&square=${own}`)).json();
    const men = (await page.locator('.men > g').count()) - 1;

    assert.equal(marks.length, squares - men);
    assert.equal(answer.squares.length, marks.length);
    for (const [square, kind, text] of marks) {
        const told = answer.squares.find((s) => s.square === square);

        assert.equal(kind, told.category);
        if ((kind === 'win' || kind === 'loss') && text && !told.over)
            assert.equal(+text, told.turns);
    }
}

await test('result map on 10x10', async () => {
    const page = await visit('?game=grand-shatranj');

    await checkMap(page, 'grand-shatranj', 100);
    await shoot(page, 'map-10x10-light');
    const free = await page.locator('.mark.draw, .mark.win, .mark.loss').first().getAttribute('data-square');

    await page.keyboard.press('f');
    await page.waitForSelector('.mark');
    assert.ok(free);
    await page.keyboard.press('Escape');
    await until(page, () => !document.querySelector('.mark'));
    await page.context().close();
});

await test('result map on the board with the missing corner', async () => {
    const page = await visit('?game=puzzle', { colorScheme: 'dark' });

    assert.equal(await page.locator('.squares rect').count(), 60);
    assert.equal(await page.locator(field('h8')).count(), 0);
    await checkMap(page, 'puzzle', 60);
    await shoot(page, 'map-puzzle-dark');
    await page.context().close();
});

await test('a drill grades each move, and tells when the win is gone', async () => {
    const page = await visit(`?game=shatranj&fen=${DIAMOND}&view=drill`);

    await page.click('#drillstart');
    await page.waitForSelector('.task');
    assert.match(await page.locator('.task').innerText(), /White.*20 turns/);
    assert.equal(await verdict(page), 'Drill');
    await drag(page, man('c3'), field('d2'));
    await page.waitForSelector('.grades .late');
    assert.match(await page.locator('.grades li').first().innerText(), /Qd2 wins, 2 turns slower best was Kb4/);
    await hears(page, 'White to move');
    await page.keyboard.press(' ');
    await page.waitForSelector('.grades .win');
    assert.match(await page.locator('.grades li').nth(1).innerText(), /best/);
    await hears(page, 'White to move');
    await shoot(page, 'drill-light');
    const fen = (await fenOf(page)).replace(/ /g, '_');
    const answer = await (await page.request.get(`${api}api/v1/shatranj/probe?fen=${fen}`)).json();
    const slip = answer.moves.find((move) => move.mover.category !== 'win');

    await drag(page, man(slip.from), field(slip.to));
    await page.waitForSelector('#drillresult');
    assert.match(await page.locator('#drillresult').innerText(), /The win is gone/);
    await page.context().close();
});

await test('a drill goes back and forth, and its grades with it', async () => {
    const page = await visit(`?game=shatranj&fen=${DIAMOND}&view=drill`);
    const at = (fen, grades) => until(page, ([wanted, n]) => document.querySelector('#fen').value === wanted &&
        document.querySelectorAll('.grades li').length === n, [fen, grades]);
    const [first, second] = ['8/8/8/3k4/8/1KQ5/8/q7 w - - 0 1', '8/8/3k4/8/1K6/2Q5/8/q7 w - - 0 2'];

    await page.waitForSelector('#drillstart');
    assert.doesNotMatch(await page.locator('#panel').innerText(), /null/);
    await page.click('#drillstart');
    await page.waitForSelector('.task');
    await drag(page, man('b3'), field('b4'));
    await at(second, 1);
    await page.keyboard.press('Backspace'); /* over the reply */
    await at(first, 0);
    await page.keyboard.press('ArrowRight');
    await at(second, 1);
    await page.goBack(); /* the browser's own */
    await at(first, 0);
    await drag(page, man('c3'), field('d2'));
    await page.waitForSelector('.grades .late');
    await hears(page, 'White to move');
    assert.equal(await page.locator('.grades li').count(), 1);
    await page.keyboard.press('Backspace');
    await at(first, 0);
    await drag(page, man('c3'), field('d4')); /* loses it */
    await page.waitForSelector('#drillresult');
    await page.click('text=Take it back');
    await at(first, 0);
    await page.waitForSelector('text=Your move.');
    await page.context().close();
});

await test('a drill is won to its end', async () => {
    const line = await (await fetch(`${api}api/v1/shatranj/line?fen=${DIAMOND}`)).json();
    const page = await visit(`?game=shatranj&fen=${line.moves[31].fen.replace(/ /g, '_')}`);

    await page.keyboard.press('d');
    await page.click('#drillstart');
    for (let i = 0; i < 60 && !(await page.locator('#drillresult').count()); i++) {
        await page.keyboard.press(' ');
        await page.waitForTimeout(450);
    }
    assert.match(await page.locator('#drillresult').innerText(), /Won in 4 turns. 4 of 4 moves were the best; 4 shown to you\./);
    await page.context().close();
});

await test('positions are set up: spare men, off the board, side, mirror, rights, evolutions', async () => {
    const page = await visit(`?game=shatranj&fen=${DIAMOND}`);

    await page.keyboard.press('e');
    await drag(page, '.spare[data-man="n"]', field('h8'));
    await until(page, () => document.querySelector('#fen').value.startsWith('7n/'));
    await drag(page, man('h8'), 'header h1');
    await until(page, () => document.querySelector('#fen').value.startsWith('8/'));
    await drag(page, man('a1'), field('h1')); /* any man anywhere */
    await until(page, () => document.querySelector('#fen').value.includes('/7q '));
    await page.click('text=Mirror');
    await until(page, () => document.querySelector('#fen').value.includes('/4k3/8/5QK1/8/q7 '));
    await page.click('text=Black to move');
    await until(page, () => document.querySelector('#fen').value.includes(' b '));
    await page.click('text=Swap colours');
    await until(page, () => document.querySelector('#fen').value === 'Q7/8/5qk1/8/4K3/8/8/8 w - - 0 1');
    await page.fill('#fen', '8/8/8/8');
    await page.keyboard.press('Enter');
    await shoot(page, 'editor-light');
    await page.selectOption('#game', 'darwinian');
    await page.waitForSelector('.allowances input');
    await page.locator('.allowances input').first().fill('1');
    await page.locator('.allowances input').first().blur();
    await until(page, () => document.querySelector('#fen').value.includes('[RCCEErrccee]'));
    await page.selectOption('#game', 'sultan');
    await page.waitForSelector('.rights input');
    await page.locator('.rights input').first().uncheck();
    await until(page, () => document.querySelector('#fen').value.includes(' w Qkq '));
    await page.context().close();
});

await test('statistics, longest wins and tables', async () => {
    const page = await visit('?game=shatranj&fen=5R2/8/8/8/8/k7/4n3/2K5_w_-_-_0_1&view=stats');

    await page.waitForSelector('.chart canvas');
    assert.match(await page.locator('.side').first().innerText(), /wins 651,505/);
    await shoot(page, 'stats-light');
    await page.keyboard.press('5');
    await page.locator('td >> text=KQvKQ').first().click();
    await hears(page, 'in 32 turns');
    await page.locator('#panel input').focus();
    await page.keyboard.type('krvkn');
    await page.keyboard.press('Enter'); /* the first that is shown */
    await hears(page, 'in 27 turns');
    assert.equal(await page.locator('#panel input').inputValue(), 'krvkn');
    assert.equal(await page.locator('#panel tbody tr:not([hidden])').count(), 2);
    assert.equal(await page.locator('#panel [aria-current]').innerText(), 'KRvKN');
    await page.goBack();
    await hears(page, 'in 32 turns');
    await page.keyboard.press('6');
    await page.waitForSelector('.hub');
    assert.match(await page.locator('.hub').innerText(), /KQvKQ/);
    await page.locator('td >> text=KRvKN').click();
    await page.waitForSelector('.chart canvas');
    assert.equal(await page.locator('#panel h2').innerText(), 'KRvKN');
    await page.keyboard.press('7');
    await page.waitForSelector('pre.rules');
    await page.context().close();
});

await test('the address holds the material of the statistics, forth and back', async () => {
    const page = await visit(`?game=shatranj&fen=${DIAMOND}&view=stats`);
    const shows = (material) => until(page, (wanted) =>
        document.querySelector('#panel h2')?.innerText === wanted && document.querySelector('.side'), material);

    await shows('KQvKQ');
    await page.evaluate(() => { document.querySelector('#panel .side').id = 'before'; });
    await page.locator('.facts .link').first().click();
    await until(page, () => document.querySelector('.side') && !document.querySelector('#before'));
    await page.fill('#panel input', 'KRvKN');
    await page.keyboard.press('Enter');
    await shows('KRvKN');
    await page.click('#back'); /* to where no other material was chosen */
    await shows('KQvKQ');
    await page.keyboard.press('ArrowRight');
    await shows('KRvKN');
    await page.reload();
    await shows('KRvKN');
    assert.match(page.url(), /material=KRvKN/);
    await page.context().close();
});

await test('an address that makes no sense shows a board, and what is wrong', async () => {
    const page = await visit('?game=nonsense<b>&fen=<img src=x>&view=nothing');

    await hears(page, 'White wins in 32 turns');
    assert.equal(await page.inputValue('#game'), 'shatranj');
    assert.match(await page.locator('#fenerror').innerText(), /there is no game 'nonsense<b>'; FEN: 1 rank/);
    await page.keyboard.press('m');
    await page.waitForSelector('.pickman');
    await page.context().close();
});

await test('words in the place of a position are no men', async () => {
    const page = await visit('?game=shatranj&fen=startpos');
    const men = () => page.locator('.men > g').count(), fault = page.locator('#fenerror');

    assert.equal(await men(), 32);
    assert.match(page.url(), /fen=rnbqkbnr\/pppppppp\/8\/8\/8\/8\/PPPPPPPP\/RNBQKBNR_w/);
    assert.equal(await fault.isHidden(), true);
    for (const [fen, why] of [['hello', /rank/], ['8/8', /2 ranks/], ['k7/8/8/8/8/8/8/8/K7 w', /ranks/],
        ['k7/8/8/3e4/8/8/8/K7 w', /'e'/], ['10/10/10/10/10/10/10/10/10/X8k', /./], ['8'.repeat(600), /too long/]]) {
        await page.goto(`${base}?game=shatranj&fen=${encodeURIComponent(fen)}`);
        await page.waitForSelector('body.ready');
        assert.match(await fault.innerText(), why, fen);
        assert.equal(await men(), 4, fen); /* the longest win, as without a word */
        await page.fill('#fen', fen);
        await page.press('#fen', 'Enter');
        await page.waitForFunction(() => !document.querySelector('#fenerror').hidden);
        assert.equal(await men(), 4, fen);
    }
    await page.fill('#fen', ' startpos ');
    await page.press('#fen', 'Enter');
    await page.waitForFunction(() => document.querySelectorAll('.men > g').length === 32);
    assert.equal(await fault.isHidden(), true);
    await page.goto(`${base}?game=shatranj&fen=`);
    await page.waitForSelector('body.ready');
    assert.equal(await fault.isHidden(), true);
    /* without its king yet, it is shown again as it was set up */
    await page.goto(`${base}?game=shatranj&fen=8/8/8/3k4/8/8/8/8_w`);
    await page.waitForSelector('body.ready');
    assert.equal(await men(), 1);
    await page.context().close();
});

await test('the arrow of a move goes with its button', async () => {
    const page = await visit(`?game=shatranj&fen=${DIAMOND}`);

    await page.hover('.move[data-uci=b3b4]');
    assert.equal(await page.locator('.arrowhead').count(), 1);
    await page.keyboard.press('m');
    await page.waitForSelector('.pickman');
    assert.equal(await page.locator('.arrowhead').count(), 0);
    await page.context().close();
});

await test('keys turn tabs, board and theme; the tabs are a tab list', async () => {
    const page = await visit(`?game=shatranj&fen=${DIAMOND}`, { colorScheme: 'dark' });

    assert.equal(await page.getAttribute('html', 'data-theme'), 'dark');
    await shoot(page, 'moves-dark');
    await page.keyboard.press('t');
    assert.equal(await page.getAttribute('html', 'data-theme'), 'light');
    const before = await page.locator(man('a1')).boundingBox();

    await page.keyboard.press('f');
    const after = await page.locator(man('a1')).boundingBox();

    assert.ok(after.x > before.x && after.y < before.y);
    await page.locator('[role=tab][aria-selected=true]').focus();
    await page.keyboard.press('ArrowRight');
    await page.waitForSelector('[data-view=map][aria-selected=true]:focus');
    await page.keyboard.press('?');
    await page.waitForSelector('dialog[open]');
    await page.context().close();
});

await test('whoever goes by keys alone presses buttons, and is told the board', async () => {
    const page = await visit(`?game=shatranj&fen=${DIAMOND}`);
    const focus = () => page.evaluate(() => document.activeElement.id || document.activeElement.className);

    assert.equal(await page.locator('svg.board').getAttribute('aria-label'),
        'Board. White: K b3, Q c3. Black: Q a1, K d5');
    for (let i = 0; i < 20 && await focus() !== 'flip'; i++)
        await page.keyboard.press('Tab');
    await page.keyboard.press(' ');
    await page.waitForTimeout(200);
    assert.equal(await fenOf(page), DIAMOND.replace(/_/g, ' '));
    assert.equal(await page.locator('.labels .rank').first().textContent(), '1'); /* turned about */
    await page.click('#theme');
    await page.keyboard.press(' '); /* whoever has clicked a button has not come to it by keys */
    await hears(page, 'in 19 turns');
    await page.keyboard.press('Backspace');
    await hears(page, 'in 20 turns');
    await page.focus('.move[data-uci=b3b4]');
    await page.keyboard.press('Enter');
    await hears(page, 'in 19 turns');
    assert.equal(await focus(), 'panel'); /* not lost */
    await page.context().close();
});

await test('a position is set up by keys alone, and each step is told', async () => {
    const page = await visit('?game=puzzle&fen=5k**/6**/8/8/8/8/8/4K3_w_-_-_0_1');
    const press = async (...keys) => {
        for (const key of keys)
            await page.keyboard.press(key);
    };
    const told = (text) => until(page, (wanted) => document.querySelector('#told').textContent === wanted, text);
    const stands = (fen) => until(page, (wanted) =>
        document.querySelector('#fen').value.split(' ')[0] === wanted, fen);
    const focus = (what) => page.waitForSelector(`${what}:focus`);

    await press('e');
    await focus('.spare[data-man=K]');
    const order = await page.locator('.spare').evaluateAll((all) => all.map((one) => one.dataset.man));

    for (let i = 0; i < order.indexOf('R'); i++)
        await press('ArrowRight');
    await focus('.spare[data-man=R]');
    assert.equal(await page.getAttribute('.spare:focus', 'aria-label'), 'white rook');
    await press('Enter');
    await focus('svg.board');
    await told('white rook is chosen');
    assert.equal(await page.getAttribute('.spare[data-man=R]', 'aria-pressed'), 'true');
    await press('ArrowUp'); /* the cursor begins at a man: e1 */
    await told('e2, empty');
    assert.equal(await page.getAttribute('.cursor', 'data-square'), 'e2');
    await press('Enter');
    await stands('5k**/6**/8/8/8/8/4R3/4K3');
    await told('e2, white rook');
    await focus('svg.board');
    await press('ArrowRight', 'Enter'); /* one more */
    await stands('5k**/6**/8/8/8/8/4RR2/4K3');
    await shoot(page, 'keys');
    await press('Delete');
    await stands('5k**/6**/8/8/8/8/4R3/4K3');
    await told('f2, empty');
    await press('ArrowUp', 'ArrowUp', 'ArrowUp', 'ArrowUp', 'ArrowUp', 'ArrowUp', 'ArrowUp');
    await told('f8, black king');
    await press('ArrowRight', 'ArrowRight', 'ArrowRight');
    await told('h8, no square');
    await press('Enter');
    await stands('5k**/6**/8/8/8/8/4R3/4K3');
    await press('Escape'); /* to the tray: another man, in the place of the first */
    await focus('.spare[data-man=R]');
    assert.equal(await page.locator('.spare[aria-pressed=true]').count(), 0);
    await press('ArrowDown');
    await focus('.spare[data-man=r]');
    await press(' ');
    await focus('svg.board');
    await press('ArrowLeft', 'ArrowLeft', 'ArrowLeft');
    for (let i = 0; i < 6; i++)
        await press('ArrowDown');
    await told('e2, white rook');
    await press('Enter');
    await stands('5k**/6**/8/8/8/8/4r3/4K3');
    await press('Escape', 'Tab'); /* buttons keep the focus when all is drawn anew */
    await page.locator('#editor button', { hasText: 'Black to move' }).focus();
    await press('Enter');
    await until(page, () => document.querySelector('#fen').value.includes(' b '));
    await until(page, () => document.activeElement.textContent === 'Black to move');
    await press('Escape');
    await page.waitForSelector('#editor', { state: 'hidden' });
    await focus('#edit');
    await page.context().close();
});

await test('moves are played on the board by keys alone, and arrows of a mouse\'s user are history', async () => {
    const page = await visit(`?game=shatranj&fen=${DIAMOND}`);
    const told = (text) => until(page, (wanted) => document.querySelector('#told').textContent === wanted, text);

    for (let i = 0; i < 20 && !await page.locator('svg.board:focus').count(); i++)
        await page.keyboard.press('Tab');
    await page.waitForSelector('.cursor rect');
    for (const key of ['ArrowUp', 'ArrowUp', 'ArrowRight'])
        await page.keyboard.press(key);
    await told('b3, white king');
    await page.keyboard.press('Enter');
    await told('white king lifted from b3');
    await page.waitForSelector('.mark.win[data-square=b4]');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await hears(page, 'in 19 turns');
    await told('b4, white king');
    await page.click(man('d5'));
    await page.waitForSelector('.cursor rect', { state: 'detached' });
    await page.keyboard.press('Escape');
    await page.keyboard.press('ArrowLeft');
    await hears(page, 'in 20 turns');
    await page.context().close();
});

await test('a spare man is chosen by a click, for squares that are clicked', async () => {
    const page = await visit(`?game=shatranj&fen=${DIAMOND}`, { hasTouch: true });

    await page.click('#edit');
    await page.click('.spare[data-man=R]');
    await page.click(field('h1'));
    await until(page, () => document.querySelector('#fen').value.includes('/q6R '));
    await page.tap(field('h2'));
    await until(page, () => document.querySelector('#fen').value.includes('/7R/q6R '));
    await drag(page, man('h2'), field('g3')); /* men are dragged, as ever */
    await until(page, () => document.querySelector('#fen').value.includes('/1KQ3R1/8/q6R '));
    await page.click('.spare[data-man=R]');
    await page.click(field('h8'));
    await page.waitForTimeout(200);
    assert.equal(await fenOf(page), '8/8/8/3k4/8/1KQ3R1/8/q6R w - - 0 1');
    await page.context().close();
});

await test('what becomes of a man is chosen by keys, and given up', async () => {
    const page = await visit('?game=chess&fen=8/P7/8/8/8/k7/8/K7_w');
    const names = () => page.locator('#choice button').allInnerTexts();
    const fen = '8/P7/8/8/8/k7/8/K7 w - - 0 1';

    await until(page, () => document.querySelectorAll('.move').length);
    await drag(page, man('a7'), field('a8'));
    await page.waitForSelector('#choice button:focus');
    assert.deepEqual(await names(), ['a8=B', 'a8=N', 'a8=Q+', 'a8=R+']);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('2'); /* no tab */
    await page.keyboard.press(' ');
    await until(page, () => document.querySelector('#fen').value.startsWith('Q7/'));
    await page.keyboard.press('Backspace');
    await until(page, (wanted) => document.querySelector('#fen').value === wanted, fen);
    await until(page, () => document.querySelectorAll('.move').length);
    for (const giveUp of [() => page.keyboard.press('Escape'), () => page.mouse.click(4, 500),
        () => page.evaluate(() => history.pushState({}, '', location) ?? history.back())]) {
        await drag(page, man('a7'), field('a8'));
        await page.waitForSelector('#choice button');
        await giveUp();
        await page.waitForSelector('#choice', { state: 'hidden' });
        assert.equal(await fenOf(page), fen);
    }
    await page.context().close();
});

await test('where nothing may be kept the page is as usual', async () => {
    const page = await visit('?game=shatranj&view=rules');

    await page.addInitScript(() => Object.defineProperty(window, 'localStorage',
        { get() { throw new Error('denied'); } }));
    await page.reload();
    await page.waitForSelector('body.ready');
    assert.equal(await page.getAttribute('html', 'data-theme'), 'light');
    await page.keyboard.press('t');
    assert.equal(await page.getAttribute('html', 'data-theme'), 'dark');
    await page.context().close();
});

await test('on a phone nothing is wider than the screen, and fingers drag', async () => {
    const page = await visit(`?game=shatranj&fen=${DIAMOND}`, { viewport: { width: 360, height: 740 },
        hasTouch: true, isMobile: true });
    const wide = () => page.evaluate(() => document.documentElement.scrollWidth > innerWidth);

    for (const view of ['moves', 'map', 'drill', 'stats', 'longest', 'tables', 'rules']) {
        await page.locator(`[data-view=${view}]`).click();
        await page.waitForSelector(`[data-view=${view}][aria-selected=true]`);
        await page.waitForTimeout(300);
        assert.equal(await wide(), false, `${view} is too wide`);
    }
    for (const tab of await page.locator('#tabs button').all()) {
        const box = await tab.boundingBox();

        assert.ok(box.x >= 0 && box.x + box.width <= 360, `${await tab.innerText()} is beside the screen`);
    }
    await page.locator('#help').click();
    assert.equal(await page.locator('#keys').evaluate((dialog) => dialog.scrollTop), 0);
    await page.keyboard.press('Escape');
    await page.locator('[data-view=moves]').click();
    await page.tap(man('b3'));
    await page.tap(field('b4'));
    await hears(page, 'in 19 turns');
    await shoot(page, 'phone');
    await page.locator('#edit').click();
    assert.equal(await wide(), false, 'the editor is too wide');
    await shoot(page, 'phone-editor');
    await page.context().close();
});

if (api === base)
    await test('an army of men who come back is solved, and played to the end', async () => {
        const page = await visit('?game=puzzle-mini&fen=k1**/2**/K1f1/3N[-]_w_-_-_0_1');

        page.setDefaultTimeout(90000); /* those of later tests are counted first come, first served */
        await hears(page, 'in 3 turns');
        await shoot(page, 'army');
        for (let plies = 6; plies > 0; plies--) {
            await page.keyboard.press(' ');
            await hears(page, plies === 1 ? 'has won' : `${plies - 1} pl`);
        }
        await page.context().close();
    });

await test('men in hand are shown with who holds them', async () => {
    const page = await visit('?game=puzzle-hands&fen=5k**/6**/8/8/8/8/5K2/1R1A2n1[r]_w_-_-_0_1');

    assert.equal(await page.locator('.held').innerText(), 'White holds');
    assert.equal(await page.locator('.held svg').getAttribute('data-man'), 'r');
    assert.ok(await page.locator('.move').count() > 10);
    await shoot(page, 'hands');
    await page.goto(`${base}?game=puzzle-mini&fen=2**/2**/4/4[KRNkrn]_w_-_-_0_1`);
    await page.waitForSelector('body.ready');
    assert.deepEqual(await page.locator('.held').allInnerTexts(), ['White has to drop', 'Black has to drop']);
    await page.context().close();
});

await test('rules are lines of the screen, and a game without an array begins with some men', async () => {
    const page = await visit('?game=grand-shatranj&view=rules');

    assert.doesNotMatch(await page.locator('pre.rules').innerText(), /\n *[a-z]/);
    await page.goto(`${base}?game=sultan-random`);
    await page.waitForSelector('.move');
    assert.match(await verdict(page), /No tables of Sultan Random/);
    await page.goto(`${base}?game=puzzle-hands`); /* which begins with an empty board */
    await page.waitForSelector('.move');
    assert.equal(await page.locator('.men > g').count(), 4);
    assert.match(await page.locator('.trouble pre').innerText(), /^bareking build puzzle-hands KRvKN/);
    await page.locator('.move').first().click();
    await hears(page, 'Black to move');
    await page.context().close();
});

await test('the command that is missing names the folder that is looked in', async () => {
    const page = await visit('?game=shatranj&fen=8/8/8/3k4/8/1KR5/8/q7_w');
    const { dir } = await (await fetch(`${api}api/v1/variants`)).json();

    await page.waitForSelector('.trouble pre');
    assert.equal(await page.locator('.trouble pre').innerText(),
        `bareking build shatranj KRvKQ${api === base ? ` --dir ${dir}` : ''}`);
    await page.keyboard.press('5');
    await page.waitForSelector('#panel table');
    assert.match(await page.locator('#panel input').getAttribute('placeholder'), /^Filter: K.vK.$/);
    await page.context().close();
});

await test('every game is shown, start and men', async () => {
    const page = await visit('?game=shatranj');
    const games = await page.locator('#game option').evaluateAll((all) => all.map((o) => o.value));

    for (const game of games) {
        await page.selectOption('#game', game);
        await until(page, (name) => new URL(location).searchParams.get('game') === name, game);
        await page.waitForTimeout(120);
        assert.equal(await page.locator('.man .letter').count(), 0, `${game}: a man without a picture`);
    }
    await page.context().close();
});

/* Answers to some questions come late. */
const late = (page, what) => page.route(what, async (route) => {
    await new Promise((done) => setTimeout(done, 700));
    await route.continue();
});
const tabText = (page) => page.locator('#panel').innerText();

if (api === base) {
    await test('an answer that comes late changes no panel that was asked for since', async () => {
        const page = await visit(`?game=shatranj&fen=${DIAMOND}&view=tables`);

        await page.waitForSelector('.hub');
        await late(page, /tables\?material=KRvKN/);
        await page.fill('#panel input', 'KRvKN');
        await page.keyboard.press('Enter');
        await page.fill('#panel input', 'KQvK');
        await page.keyboard.press('Enter');
        await page.waitForTimeout(1200);
        assert.equal(await page.locator('#panel h2').innerText(), 'KQvK');
        await page.keyboard.press('2');
        await page.waitForSelector('.pickman');
        await late(page, /map.*square=c3/);
        await page.click(man('c3'));
        await page.click(man('a1'));
        await page.waitForTimeout(1200);
        assert.equal(await page.locator('.mark.own').getAttribute('data-square'), 'a1');
        await page.click(man('c3')); /* marks of another position, either */
        await page.fill('#fen', '8/8/8/8/3k4/1KQ5/8/q7 w');
        await page.keyboard.press('Enter');
        await page.waitForTimeout(1200);
        assert.equal(await page.locator('.mark').count(), 0);
        await page.context().close();
    });

    await test('a key that comes before the answer waits for it', async () => {
        const page = await visit(`?game=shatranj&fen=${DIAMOND}`);

        await late(page, /probe/);
        await page.keyboard.press(' ');
        await page.keyboard.press('4');
        await page.keyboard.press('1');
        await hears(page, 'in 19 turns');
        await page.context().close();
    });

    await test('where nobody answers each panel says so, and again later it answers', async () => {
        const page = await visit(`?game=shatranj&fen=${DIAMOND}`);

        await page.route('**/api/**', (route) => route.fulfill({ body: 'no server' }));
        for (const view of ['stats', 'tables', 'longest']) {
            await page.click(`[data-view=${view}]`);
            await until(page, () => document.querySelector('#panel').innerText.includes('does not answer'));
        }
        await page.fill('#fen', 'hello');
        await page.keyboard.press('Enter');
        await until(page, () => document.querySelector('#fenerror').innerText.includes("'h' is no man"));
        await page.fill('#fen', '8/8/8/3k4/8/1KQ5/8/1q6 w');
        await page.keyboard.press('Enter');
        await hears(page, 'No answer');
        await page.unroute('**/api/**');
        await page.click('[data-view=moves]');
        await hears(page, 'White to move');
        await until(page, () => document.querySelectorAll('.move').length > 5);
        await page.context().close();
    });

    await test('tables that have come since are found without a new page', async () => {
        const page = await visit(`?game=shatranj&view=rules`);

        await page.route('**/variants', async (route) => {
            const reply = await route.fetch(), body = await reply.json();

            body.variants.find((one) => one.name === 'shatranj').tables = 0; /* so it was */
            await route.fulfill({ response: reply, json: body });
        });
        await page.reload();
        await page.waitForSelector('body.ready');
        await page.fill('#fen', DIAMOND.replace(/_/g, ' '));
        await page.keyboard.press('Enter');
        await hears(page, 'in 20 turns');
        let there = false;

        await page.route(/tables\?material=KQvKQ/, async (route) => {
            const reply = await route.fetch();

            await route.fulfill({ response: reply, json: { ...await reply.json(), there } });
        });
        await page.click('[data-view=stats]');
        await until(page, () => document.querySelector('#panel').innerText.includes('no such table'));
        there = true;
        await page.click('[data-view=stats]');
        await page.waitForSelector('.side');
        await page.context().close();
    });
}

if (api !== base) {
    await test('a host that knows no ranges sends whole files', async () => {
        const page = await visit('?game=shatranj&view=rules');

        await page.route('**/tables/**', async (route) => {
            const headers = { ...route.request().headers() };

            delete headers.range;
            await route.continue({ headers });
        });
        await page.fill('#fen', DIAMOND.replace(/_/g, ' '));
        await page.keyboard.press('Enter');
        await hears(page, 'White wins in 20 turns');
        await page.context().close();
    });

    // what cannot be read at first is told, and read when it is asked again
    const failsAtFirst = async (files, reply, reload) => {
        const page = await visit('?game=shatranj&view=rules');
        let fails = true;

        await page.route(files, (route) => fails ? route.fulfill(reply) : route.continue());
        if (reload) {
            await page.reload();
            await page.waitForSelector('body.ready');
        }
        await page.fill('#fen', DIAMOND.replace(/_/g, ' '));
        await page.keyboard.press('Enter');
        await hears(page, 'No answer');
        fails = false;
        await page.keyboard.press('Enter');
        await hears(page, 'White wins in 20 turns');
        await page.context().close();
    };

    await test('a table that cannot be fetched is told, and asked again later', () =>
        failsAtFirst('**/tables/**', { status: 206, body: 'x' }, false));

    await test('a site that is half there says so, and is read when it is', () =>
        failsAtFirst('**/files.json', { status: 200, body: '[' }, true));

    await test('bytes that are not those of the table are refused', async () => {
        const page = await visit('?game=shatranj&view=rules');

        await page.route('**/tables/**', async (route) => {
            const reply = await route.fetch(), body = await reply.body();

            body[body.length >> 1] ^= 1;
            await route.fulfill({ response: reply, body });
        });
        await page.fill('#fen', DIAMOND.replace(/_/g, ' '));
        await page.keyboard.press('Enter');
        await hears(page, 'A table is damaged');
        await page.context().close();
    });
}

await test('without scripts of others: the policy is sent', async () => {
    const page = await visit('');
    const reply = await page.request.get(base);

    assert.match(reply.headers()['content-security-policy'], /default-src 'self'/);
    await page.context().close();
});

await finish('browser');
