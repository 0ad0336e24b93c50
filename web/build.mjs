// Builds `dist/`, which is committed: whoever compiles the server needs no Node.
// The same sources give the same bytes. `dist/BUILD` holds a hash of the sources; `cargo xtask tidy` compares it.
import { build } from 'esbuild';
import { gzipSync } from 'node:zlib';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(fileURLToPath(import.meta.url));
// `--out DIR`: somewhere else, to compare.
const at = process.argv.indexOf('--out');
const dist = at > 0 ? process.argv[at + 1] : join(root, 'dist');
const FIRST_LOAD_MAX = 60 * 1024;
const TOTAL_MAX = 180 * 1024;
const FIRST_FILES_MAX = 6;

const common = {
  absWorkingDir: root,
  bundle: true,
  minify: true,
  legalComments: 'none',
  target: ['es2022', 'chrome120', 'firefox121', 'safari17.4'],
  lineLimit: 400,
  charset: 'utf8',
  logLevel: 'warning',
  metafile: true,
  jsx: 'automatic',
  jsxImportSource: 'preact',
  define: { 'process.env.NODE_ENV': '"production"' },
};

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist, { recursive: true });

const name = (result, source) => {
  const found = Object.entries(result.metafile.outputs).find(([, output]) => output.entryPoint === source);
  return basename(found[0]);
};

// Workers first: the page has to know their names.
const workers = await build({
  ...common,
  entryPoints: ['src/live/live-worker.ts'],
  outdir: dist,
  entryNames: '[name]-[hash]',
  format: 'iife',
});
const page = await build({
  ...common,
  entryPoints: ['src/main.tsx', 'src/style.css'],
  outdir: dist,
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  format: 'esm',
  splitting: true,
  define: {
    ...common.define,
    LIVE_WORKER: JSON.stringify(`/ui/assets/${name(workers, 'src/live/live-worker.ts')}`),
  },
});
cpSync(join(root, 'src/icon.svg'), join(dist, 'icon.svg'));
const app = name(page, 'src/main.tsx');
const style = name(page, 'src/style.css');
// What the script imports is asked for together with it.
const imports = Object.entries(page.metafile.outputs).find(([path]) => basename(path) === app)[1].imports
  .filter(({ kind }) => kind === 'import-statement').map(({ path }) => `<link rel="modulepreload" href="/ui/assets/${basename(path)}">\n`);
const html = readFileSync(join(root, 'src/index.html'), 'utf8')
  .replace('APP', app).replace('STYLE', style).replace('ICON', 'icon.svg').replace('</head>', `${imports.join('')}</head>`);
writeFileSync(join(dist, 'index.html'), html);
writeFileSync(join(dist, 'THIRD_PARTY.txt'), thirdParty());
writeFileSync(join(dist, 'BUILD'), `${sourceHash()}\n`);
report();

/** FNV-1a of 64 bits over paths and contents, in the order of paths. It finds stale files, not attackers. */
function sourceHash() {
  const files = ['build.mjs', 'package.json', 'package-lock.json', ...walk(join(root, 'src'))].sort();
  const mask = (1n << 64n) - 1n;
  let hash = 0xcbf29ce484222325n;
  const take = (bytes) => {
    for (const byte of bytes) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & mask;
  };
  for (const file of files) {
    take(Buffer.from(`${file}\0`));
    take(readFileSync(join(root, file)));
    take([0]);
  }
  return hash.toString(16).padStart(16, '0');
}

function walk(dir) {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name);
    return entry.isDirectory() ? walk(path) : [relative(root, path).split('\\').join('/')];
  });
}

function thirdParty() {
  const packages = ['preact', '@preact/signals', '@preact/signals-core'];
  const texts = packages.map((package_) => {
    const dir = join(root, 'node_modules', package_);
    const { version, license } = JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8'));
    const file = ['LICENSE', 'LICENSE.md', 'license'].map((file) => join(dir, file)).find(existsSync);
    return `${package_} ${version} (${license})\n\n${file ? readFileSync(file, 'utf8').trim() : ''}\n`;
  });
  return texts.join('\n----\n\n');
}

/** What a first visit loads: the page, its style and icon, its script with the static imports of it, and the worker. */
function report() {
  const size = (file) => gzipSync(readFileSync(join(dist, file)), { level: 9 }).length;
  const outputs = Object.entries(page.metafile.outputs).map(([path, output]) => [basename(path), output]);
  const byName = new Map(outputs);
  const first = new Set(['index.html', style, 'icon.svg', name(workers, 'src/live/live-worker.ts')]);
  const add = (file) => {
    if (first.has(file)) return;
    first.add(file);
    for (const used of byName.get(file)?.imports ?? []) {
      if (used.kind === 'import-statement') add(basename(used.path));
    }
  };
  add(app);
  const firstBytes = [...first].reduce((sum, file) => sum + size(file), 0);
  const all = readdirSync(dist).filter((file) => statSync(join(dist, file)).isFile() && !/BUILD|THIRD/.test(file));
  const total = all.reduce((sum, file) => sum + size(file), 0);
  const kb = (bytes) => `${(bytes / 1024).toFixed(1)} KB`;
  console.log(`first load ${kb(firstBytes)} gz in ${first.size} files; all ${kb(total)} gz`);
  if (firstBytes > FIRST_LOAD_MAX || first.size > FIRST_FILES_MAX || total > TOTAL_MAX) {
    console.error(`too large: at most ${kb(FIRST_LOAD_MAX)} in ${FIRST_FILES_MAX} files, and ${kb(TOTAL_MAX)}`);
    process.exitCode = 1;
  }
}
