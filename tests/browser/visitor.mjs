/*
 * visitor.mjs - what the browser's tests have in common: pages of which all that goes wrong is remembered,
 * and a visitor's hands.  run.sh sets URL (of a server, or of a site without one), API (of a server that
 * knows what is right) and CHROMIUM; ONLY=TEXT: the tests whose names have that.
 */
import { mkdirSync } from 'node:fs';
import { chromium } from 'playwright-core';

export const base = process.env.URL, api = process.env.API ?? base, shots = process.env.SHOTS;
export const DIAMOND = '8/8/8/3k4/8/1KQ5/8/q7_w_-_-_0_1';
const troubles = [], outside = [];
let passed = 0;

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] });

/* A page of its own for each test; all that goes wrong in it is remembered. */
export async function visit(query, options = {}) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    const page = await context.newPage();

    page.setDefaultTimeout(15000);
    page.on('console', (message) => {
        if (message.type() === 'error' || message.type() === 'warning')
            troubles.push(`${query}: ${message.text()}`);
    });
    page.on('pageerror', (error) => troubles.push(`${query}: ${error.stack}`));
    page.on('request', (request) => {
        if (!request.url().startsWith(base) && !request.url().startsWith('data:'))
            outside.push(request.url());
    });
    await page.goto(base + query);
    await page.waitForSelector('body.ready');
    return page;
}

export async function test(name, body) {
    if (!name.includes(process.env.ONLY ?? ''))
        return;
    try {
        await body();
        passed++;
    } catch (error) {
        troubles.push(`${name}: ${error.stack}`);
    }
}

export const verdict = (page) => page.locator('#verdict strong').innerText();
export const fenOf = (page) => page.inputValue('#fen');
export const man = (square) => `.men [data-square="${square}"]`;
export const field = (square) => `.squares [data-square="${square}"]`;
export const until = (page, test_, argument) => page.waitForFunction(test_, argument);
export const hears = (page, text) => until(page, (wanted) =>
    document.querySelector('#verdict').innerText.includes(wanted), text);

export async function shoot(page, name) {
    if (!shots)
        return;
    mkdirSync(shots, { recursive: true });
    await page.waitForTimeout(150);
    await page.screenshot({ path: `${shots}/${name}.png` });
}

export async function drag(page, from, to) {
    await page.evaluate(() => Promise.all(document.getAnimations().map((one) => one.finished)));
    const a = await page.locator(from).first().boundingBox(), b = await page.locator(to).first().boundingBox();

    await page.mouse.move(a.x + a.width / 2, a.y + a.height / 2);
    await page.mouse.down();
    await page.mouse.move(a.x + a.width / 2 + 9, a.y + a.height / 2 + 9);
    await page.mouse.move(b.x + b.width / 2, b.y + b.height / 2, { steps: 4 });
    await page.mouse.up();
}

/* The screens that people have: of a laptop and of a phone, light and dark. */
const LOOKS = [['desktop', 1366, 768], ['phone', 390, 844]].flatMap(([name, width, height]) =>
    ['light', 'dark'].map((colorScheme) => [`${name}-${colorScheme}`,
        { viewport: { width, height }, colorScheme, hasTouch: name === 'phone', isMobile: name === 'phone' }]));

/* A test on each of them; body(options of visit, name of the screen). */
export async function everywhere(name, body) {
    for (const [look, options] of LOOKS)
        await test(`${name} (${look})`, () => body(options, look));
}

/* The end: what went wrong, and how many tests went well. */
export async function finish(what) {
    await browser.close();
    for (const url of outside)
        troubles.push(`asked outside: ${url}`);
    for (const trouble of troubles)
        console.log(trouble);
    console.log(`${what}${api === base ? '' : ', without a server'}: ${passed} passed, ${troubles.length} troubles`);
    process.exit(troubles.length ? 1 : 0);
}
