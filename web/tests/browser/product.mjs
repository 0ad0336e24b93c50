// The product as a process, with data that gives every page something to show.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const binary = process.env.MAINSPRING_BINARY;
/** Set: the files of web/dist as they are now, in place of those that the binary was built with. */
const withDist = Boolean(process.env.MAINSPRING_DIST);
const DEV = join(dirname(fileURLToPath(import.meta.url)), '../../dev.mjs');

/** Nobody else takes it in the moment between: the kernel gives away others first. */
const freePort = () => new Promise((done) => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address();
    server.close(() => done(port));
  });
});

export class Product {
  dir = mkdtempSync(join(tmpdir(), 'console-browser-'));
  said = '';

  /** `isApart`: server and worker as processes of their own, which take settings that `dev` does not. */
  static async start(flags = [], { env = {}, isApart = false } = {}) {
    const product = new Product();
    Object.assign(product, { flags, env, isApart });
    product.port = await freePort();
    product.url = `http://127.0.0.1:${product.port}`;
    await product.up();
    if (withDist) await product.serveDist();
    return product;
  }

  async up() {
    this.process = spawn(binary, [this.isApart ? 'server' : 'dev', '--data', join(this.dir, 'data'), '--listen', `127.0.0.1:${this.port}`, ...this.flags], { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, ...this.env } });
    this.process.stderr.on('data', (bytes) => (this.said += bytes));
    const ended = new Promise((_, fail) => this.process.once('exit', () => fail(new Error(`the server ended: ${this.said}`))));
    ended.catch(() => {});
    const ready = this.until('the server is ready', async () => (await fetch(`${this.url}/readyz`)).ok);
    await Promise.race([ready, ended]);
    if (this.isApart) this.worker = spawn(binary, ['worker', '--server', `http://127.0.0.1:${this.port}`, '--state', join(this.dir, 'worker')], { stdio: 'ignore', env: { ...process.env, ...this.env } });
  }

  async serveDist() {
    const port = await freePort();
    this.front = spawn(process.execPath, [DEV, String(port), `http://127.0.0.1:${this.port}`], { stdio: 'ignore' });
    this.url = `http://127.0.0.1:${port}`;
    await this.until('the files are served', async () => (await fetch(`${this.url}/ui/`)).ok);
  }

  async kill() {
    const gone = new Promise((done) => this.process.once('exit', done));
    this.process.kill('SIGKILL');
    this.worker?.kill('SIGKILL');
    await gone;
  }

  async stop() {
    // Programs outlive a killed worker: they are ended first.
    await this.post('/v1/runs:cancel', { tenant: 'default' }).catch(() => {});
    await this.until('nothing runs', async () => (await this.get('/v1/stats')).running === 0).catch(() => {});
    await this.kill();
    this.front?.kill();
    rmSync(this.dir, { recursive: true, force: true });
  }

  async call(method, path, body, type = 'application/json') {
    const init = body === undefined ? { method } : { method, headers: { 'content-type': type }, body: typeof body === 'string' ? body : JSON.stringify(body) };
    const response = await fetch(`http://127.0.0.1:${this.port}${path}`, init);
    const answer = await response.json();
    if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
    return answer;
  }

  get = (path) => this.call('GET', path);
  post = (path, body = {}) => this.call('POST', path, body);
  apply = (text) => this.call('POST', '/v1/jobs', text, 'application/yaml');
  start = async (job, parameters) => (await this.post(`/v1/jobs/${job}:trigger`, parameters ? { parameters } : {})).run_id;

  /** Asks until it is so; every wait has an end with a name. */
  async until(what, ask, seconds = 30) {
    const end = Date.now() + seconds * 1000;
    for (;;) {
      const found = await ask().catch(() => undefined);
      if (found) return found;
      if (Date.now() > end) throw new Error(`not within ${seconds} s: ${what}`);
      await new Promise((wake) => setTimeout(wake, 50));
    }
  }

  async ended(run) {
    const ended = /^(succeeded|failed|cancelled)$/;
    return this.until(`${run} has ended`, async () => {
      const found = await this.get(`/v1/runs/${run}`);
      return ended.test(found.state) ? found : undefined;
    });
  }
}

const HOSTILE = '<img src=x onerror=alert(1)>';

export const JOBS = {
  good: `job: good
description: "Greets. ${HOSTILE}"
owner: ops
tags: [sample]
parameters:
  who: { type: string, default: world, description: Whom to greet }
  times: { type: integer, default: 2, minimum: 1, maximum: 9 }
  loud: { type: boolean, default: false }
tasks:
  first: { run: [echo, "hello {{ params.who }} ${HOSTILE}"] }
  second: { run: [echo, two], needs: first }
  third: { run: [echo, three], needs: first }
  last: { run: [echo, done], needs: [second, third, first] }
schedules:
  - { name: often, every: 1s, overlap: forbid }
`,
  bad: `job: bad
tasks:
  fine: { run: [echo, fine] }
  broken: { shell: "echo about to break; exit 3", needs: fine, retries: 0 }
  after: { run: [echo, never], needs: broken }
`,
  slow: `job: slow
tasks:
  wait: { shell: "i=0; while [ $i -lt 600 ]; do echo tick $i; i=$((i+1)); sleep 0.2; done" }
  then: { run: [echo, then], needs: wait }
`,
  nightly: `job: nightly
description: Loads the day, checks it and tells everybody.
owner: data-team
tags: [etl]
parameters: { day: "2026-11-17" }
defaults: { retries: 0 }
tasks:
  fetch_orders: { shell: "echo orders of {{ params.day }}; sleep 0.3" }
  fetch_customers: { shell: "sleep 0.5" }
  fetch_stock: { shell: "sleep 0.2" }
  clean_orders: { shell: "sleep 0.2", needs: fetch_orders }
  clean_customers: { shell: "sleep 0.1", needs: fetch_customers }
  join: { shell: "sleep 0.4", needs: [clean_orders, clean_customers] }
  forecast: { shell: "sleep 0.3", needs: [join, fetch_stock] }
  totals: { shell: "sleep 0.2", needs: join }
  check: { shell: "sleep 0.1", needs: [totals, forecast] }
  publish: { shell: "sleep 0.2", needs: check }
  tell_sales: { run: [echo, told], needs: publish }
  archive: { run: [echo, kept], needs: [fetch_orders, publish] }
`,
  many: `job: many
parameters: { count: 30 }
tasks:
  list: { shell: "seq {{ params.count }} | paste -sd, - | sed 's/.*/{\\"n\\": [&]}/' > \\"$MAINSPRING_CONTROL/output\\"", outputs: [n] }
  each: { needs: list, for_each: { items: tasks.list.output.n, tolerate: "50%" }, retries: 0, env: { N: "{{ item }}" }, shell: "test $((N % 7)) -ne 0" }
`,
};

/** Jobs, runs of every outcome, a paused schedule, dead letters. */
export async function fill(product) {
  for (const text of Object.values(JOBS)) await product.apply(text);
  const ids = { slow: await product.start('slow') };
  const quick = ['good', 'bad', 'many', 'nightly'];
  for (const job of quick) ids[job] = await product.start(job);
  for (const job of quick) await product.ended(ids[job]);
  ids.again = await product.start('nightly', { day: '2026-11-18' });
  await product.ended(ids.again);
  await product.until('windows of the schedule ran', async () => (await product.get('/v1/schedules/good/often/history')).windows.length > 2);
  await product.post('/v1/schedules/good/often:pause', { actor: 'ana', reason: 'the source is down' });
  // One row tells of all windows of a pause, when it is over.
  await new Promise((wake) => setTimeout(wake, 1500));
  await product.post('/v1/schedules/good/often:resume');
  await product.until('windows were skipped', async () => (await product.get('/v1/schedules/good/often/history')).windows.some((window) => window.outcome === 'skipped'));
  await product.post('/v1/schedules/good/often:pause', { actor: 'ana', reason: 'the source is down' });
  await product.until('the sample task has failed for good', async () => (await product.get('/v1/dead-letters?state=failed')).tasks.length > 0);
  ids.task = (await product.get(`/v1/runs/${ids.bad}`)).tasks.find((task) => task.name === 'broken').task_id;
  ids.live = await product.until('the slow task runs', async () => {
    const task = (await product.get(`/v1/runs/${ids.slow}`)).tasks.find((row) => row.name === 'wait');
    return /running/i.test(task.state) && task.task_id;
  });
  ids.worker = (await product.get('/v1/workers')).workers[0].worker_id;
  return ids;
}
