// Bundles the unit tests and runs them with node's own runner. Node 20 does not read TypeScript.
import { build } from 'esbuild';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = join(dirname(fileURLToPath(import.meta.url)), 'unit');
const out = mkdtempSync(join(tmpdir(), 'console-unit-'));
const names = readdirSync(here).filter((name) => /\.test\.tsx?$/.test(name));
await build({
  entryPoints: names.map((name) => join(here, name)), outdir: out, bundle: true, platform: 'node', format: 'esm',
  outExtension: { '.js': '.mjs' }, external: ['node:*'], jsx: 'automatic', jsxImportSource: 'preact', logLevel: 'warning',
  define: { LIVE_WORKER: '""', LAYOUT_WORKER: '""' },
});
const files = readdirSync(out).filter((name) => name.endsWith('.mjs')).map((name) => join(out, name));
const { status } = spawnSync(process.execPath, ['--test', '--test-reporter=dot', ...files], { stdio: 'inherit' });
rmSync(out, { recursive: true });
process.exitCode = status ?? 1;
