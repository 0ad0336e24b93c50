// For work on the console: serves `dist/` with the headers of the product and passes everything else to a server.
// usage: npm run dev [-- PORT SERVER]     as 7171 http://127.0.0.1:7070
import { createServer, request } from 'node:http';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(fileURLToPath(import.meta.url));
const port = Number(process.argv[2] ?? 7171);
const server = new URL(process.argv[3] ?? 'http://127.0.0.1:7070');
const types = { '.js': 'text/javascript', '.css': 'text/css', '.html': 'text/html', '.svg': 'image/svg+xml' };
const csp = readFileSync(join(root, 'csp.txt'), 'utf8').trim();

/** As `crates/console/build.rs` has them. */
const guides = (folder = join(root, '../docs'), prefix = '') => {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  const pages = entries.filter(({ name }) => name.endsWith('.md')).map(({ name }) => `\u001e${prefix}${name}\n${readFileSync(join(folder, name), 'utf8').trimEnd()}\n`);
  return pages.join('') + entries.filter((entry) => entry.isDirectory()).map(({ name }) => guides(join(folder, name), `${prefix}${name}/`)).join('');
};

const file = (answer, name) => {
  try {
    const bytes = name === 'guides.txt' ? guides() : readFileSync(join(root, 'dist', name));
    answer.writeHead(200, {
      'content-type': `${types[extname(name)] ?? 'text/plain'}; charset=utf-8`,
      'content-security-policy': csp,
      'cache-control': 'no-store',
    });
    answer.end(bytes);
  } catch {
    answer.writeHead(404).end();
  }
};

createServer((asked, answer) => {
  const { pathname } = new URL(asked.url, 'http://x');
  if (pathname === '/') return answer.writeHead(302, { location: '/ui/' }).end();
  if (/^\/ui\/assets\/[\w.-]+$/.test(pathname)) return file(answer, pathname.slice('/ui/assets/'.length));
  if (asked.method === 'GET' && (pathname === '/ui' || pathname.startsWith('/ui/'))) return file(answer, 'index.html');
  const headers = { ...asked.headers, host: server.host };
  delete headers.origin;
  const passed = request({ hostname: server.hostname, port: server.port, path: asked.url, method: asked.method, headers },
    (got) => {
      answer.writeHead(got.statusCode, got.headers);
      // The feed says that it is open long before it says anything else.
      answer.flushHeaders();
      got.pipe(answer);
      got.on('error', () => answer.destroy());
    });
  passed.on('error', () => (answer.headersSent ? answer.destroy() : answer.writeHead(502).end()));
  answer.on('close', () => passed.destroy());
  asked.pipe(passed);
}).listen(port, '127.0.0.1', () => console.log(`console at http://127.0.0.1:${port}/ui/, server ${server.href}`));
