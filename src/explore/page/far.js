/*
 * far.js - questions are answered in the page itself: bareking.wasm asks table files that lie on any
 * static host, by ranges.
 *
 * What adds up whole tables is in data/, written when the site was made.  Questions about positions
 * go to the prober, which answers, or says all bytes that it lacks; they are fetched at once, and
 * it is asked again (src/explore/far.h).  One question at a time.
 */
const ROUNDS_MAX = 1000; /* a line to the end takes one or two a ply */
export const away = 'A file of this site cannot be read.';

const encoder = new TextEncoder(), decoder = new TextDecoder();

async function read(path, how = {}) {
    const reply = await fetch(path, how);

    if (!reply.ok)
        throw new Error(`${path}: ${reply.status}`);
    return reply;
}

/* What is made once; again, if it failed. */
function once(make) {
    let made = null;

    return () => (made ??= make().catch((error) => {
        made = null;
        throw error;
    }));
}

const named = (path) => path.split('/').map(encodeURIComponent).join('/');

/* == The prober == */

/* What it wants of its surroundings is the time, and files that are not there. */
const NO_SUCH_FILE = -44, BAD_FILE = 8;

const imports = (module) => {
    const wanted = {};

    for (const { module: from, name } of WebAssembly.Module.imports(module)) {
        wanted[from] ??= {};
        wanted[from][name] = name.startsWith('__syscall') ? () => NO_SUCH_FILE
            : name.startsWith('fd_') ? () => BAD_FILE : () => 0;
    }
    return wanted;
};

let prober = null;

const start = once(async () => {
    const bytes = await (await read('bareking.wasm', { cache: 'no-cache' })).arrayBuffer();
    const module = await WebAssembly.compile(bytes);
    const { exports } = await WebAssembly.instantiate(module, imports(module));

    exports._initialize();
    return exports;
});

const memory = () => new Uint8Array(prober.memory.buffer);

/* Bytes in its memory; the call that they are handed to frees them. */
function hand(bytes) {
    const at = prober.ex_far_room(bytes.length);

    if (!at)
        throw new Error('no memory');
    memory().set(bytes, at);
    return at;
}

const handText = (text) => hand(encoder.encode(`${text}\0`));

function textAt(at) {
    const all = memory();

    return decoder.decode(all.subarray(at, all.indexOf(0, at)));
}

/* == Files == */

const files = new Map(); /* by path: { bytes, mark } */
const games = new Map(); /* by name: tells of their files, once */

const bytesOf = (base64) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));

/* The end of a head is its checksum, and vouches for the rest of the file: so another file of the
   same name has another address, and what a browser has kept of the first is never taken for it. */
const markOf = (head) => [...head.slice(-4)].map((b) => b.toString(16).padStart(2, '0')).join('');

async function readFiles(game) {
    const list = await (await read(`data/${named(game)}/files.json`, { cache: 'no-cache' })).json();

    for (const [path, bytes, base64] of list) {
        const head = bytesOf(base64);

        files.set(path, { bytes, mark: markOf(head) });
        prober.ex_far_file(handText(path), bytes, hand(head), head.length);
    }
}

/* Games without tables have no list. */
async function known(game) {
    prober ??= await start();
    if (!games.has(game))
        games.set(game, once(() => readFiles(game)));
    if (await hasTables(game))
        await games.get(game)();
}

const variants = once(async () => (await read('data/variants.json', { cache: 'no-cache' })).json());
const hasTables = async (game) =>
    (await variants()).variants.some((one) => one.name === game && one.tables);

async function bring({ path, at, bytes }) {
    const { mark } = files.get(path);
    const reply = await read(`tables/${named(path)}?${mark}`,
        { headers: { Range: `bytes=${at}-${at + bytes - 1}` } });
    const all = new Uint8Array(await reply.arrayBuffer());
    /* a host that knows no ranges sends the whole file */
    const data = reply.status === 206 ? all : all.subarray(at, at + bytes);

    if (data.length !== bytes)
        throw new Error(`${path}: ${data.length} bytes of ${bytes}`);
    return { path, at, data };
}

/* == Questions == */

async function ask(target) {
    for (let round = 0; round < ROUNDS_MAX; round++) {
        const answer = JSON.parse(textAt(prober.ex_far_ask(handText(target))));

        if (!answer.needs)
            return answer;
        for (const { path, at, data } of await Promise.all(answer.needs.map(bring)))
            prober.ex_far_bring(handText(path), at, hand(data), data.length);
    }
    throw new Error('bytes without end');
}

const error = (status, code, text) => ({ status, code, error: text });

/* A table by any name of its material; what it adds up to, and where it leads. */
async function table(game, what, material) {
    const name = await ask(`/api/v1/${game}/name?material=${encodeURIComponent(material)}`);

    if (name.error)
        return name;
    if (name.by_rule)
        return error(404, 'by-rule', `${name.material} is decided by the rules: it has no table`);
    if (!['bkw', 'bk5'].some((kind) => files.has(`${game}/${name.material}.${kind}`)))
        return error(404, 'no-table', `no table ${name.material} of ${game} here`);
    const both = await (await read(`data/${named(game)}/${encodeURIComponent(name.material)}.json`,
        { cache: 'no-cache' })).json();

    return both[what] ? { status: 200, ...both[what] }
        : error(404, 'no-examples', 'Without a server no table is looked through.');
}

async function answerNow(path) {
    const url = new URL(path, 'http://localhost/');
    const [, , , game, what] = url.pathname.split('/').map(decodeURIComponent);
    const material = url.searchParams.get('material');

    if (game === 'variants')
        return { status: 200, ...await variants() };
    await known(game);
    if (material)
        return table(game, what, material);
    if (what === 'longest' || what === 'tables')
        return await hasTables(game)
            ? { status: 200, ...await (await read(`data/${named(game)}/${what}.json`,
                { cache: 'no-cache' })).json() }
            : { status: 200, variant: game, [what]: [] };
    return ask(`/${path}`);
}

let last = Promise.resolve();

export function answer(path) {
    const mine = last.catch(() => {}).then(() => answerNow(path));

    last = mine;
    return mine;
}
