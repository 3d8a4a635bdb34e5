/*
 * host.mjs - a web host that knows nothing: files of a folder, and ranges of them, as any does.
 * `node host.mjs DIR` prints its address; as a module it also counts what it has sent.
 */
import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { pathToFileURL } from 'node:url';

const TYPES = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css',
    '.svg': 'image/svg+xml', '.json': 'application/json', '.wasm': 'application/wasm' };
const POLICY = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; frame-ancestors 'none'";

/* { url, sent: [{ path, from, bytes }], close() } */
export async function serve(dir) {
    const sent = [];
    const server = createServer((request, reply) => {
        const path = normalize(decodeURIComponent(new URL(request.url, 'http://h/').pathname));
        const file = join(dir, path.endsWith('/') ? `${path}index.html` : path);
        let size;

        try {
            size = statSync(file).size;
        } catch {
            reply.writeHead(404).end();
            return;
        }
        const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
        const from = range ? +range[1] : 0, end = range ? Math.min(+range[2], size - 1) : size - 1;
        const headers = { 'Content-Type': TYPES[extname(file)] ?? 'application/octet-stream',
            'Content-Length': end - from + 1, 'Accept-Ranges': 'bytes',
            'Content-Security-Policy': POLICY };

        if (range)
            headers['Content-Range'] = `bytes ${from}-${end}/${size}`;
        sent.push({ path, from, bytes: end - from + 1 });
        reply.writeHead(range ? 206 : 200, headers);
        createReadStream(file, { start: from, end }).pipe(reply);
    });

    await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
    return { url: `http://127.0.0.1:${server.address().port}/`, sent, close: () => server.close() };
}

if (import.meta.url === pathToFileURL(process.argv[1]).href)
    console.log((await serve(process.argv[2])).url);
