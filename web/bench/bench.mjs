// Measures the console in a real Chromium, and prints a table as docs/console.md has it.
// usage: MAINSPRING_BINARY=… node bench/bench.mjs [part of a name] [--ended 1000000] [--events SECONDS] [--long]
// --log MIB: also a log of that size, at most 1024.
// --ended: so many ended tasks are there before anything is measured. --events: how long changes are made at full rate (20).
// --long: also what takes an hour (an idle page for ten minutes, an hour of changes).
// It starts a server of its own in a directory below /tmp. On a busy machine every figure is an upper bound.
import { chromium } from 'playwright-core';
import { Product, fill } from '../tests/browser/product.mjs';

const words = process.argv.slice(2);
const flag = (name, otherwise) => {
  const at = words.indexOf(name);
  return at < 0 ? otherwise : Number(words.splice(at, 2)[1]);
};
const [ENDED, EVENTS_SECONDS] = [flag('--ended', 0), flag('--events', 20)];
const isLong = words.includes('--long');
const LOG_MIB = flag('--log', 0);
const wanted = words.find((word) => !word.startsWith('--')) ?? '';
const executablePath = process.env.MAINSPRING_CHROMIUM ?? '/usr/bin/chromium';
const LIVE = '.live.on';

const sorted = (values) => values.toSorted((a, b) => a - b);
const p95 = (values) => sorted(values)[Math.min(values.length - 1, Math.floor(values.length * 0.95))];
const median = (values) => sorted(values)[Math.floor(values.length / 2)];
const ms = (value) => `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
const kb = (bytes) => `${(bytes / 1024).toFixed(1)} KB`;

async function open(context, product, address) {
  const page = await context.newPage();
  await page.goto(`${product.url}/ui/${address}`);
  await page.locator(LIVE).waitFor();
  return page;
}

/** Lengths of frames while `step` is called in each of them. */
const frames = (page, count, step) => page.evaluate(([length, code]) => new Promise((done) => {
  const act = new Function('at', code);
  const found = [];
  let last = performance.now();
  const next = (at) => {
    const now = performance.now();
    if (found.length || at) found.push(now - last);
    last = now;
    if (found.length >= length) return done(found.slice(1));
    act(found.length);
    requestAnimationFrame(() => next(1));
  };
  requestAnimationFrame(() => next(0));
}), [count, step]);

/** A graph of layers, each task with one or two needs. */
function large(name, count) {
  const tasks = {};
  let seed = 7;
  const draw = (below) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed % below;
  };
  for (let at = 0; at < count; at++) {
    const needs = at < 50 ? [] : [...new Set([0, 1].slice(0, 1 + draw(2)).map(() => `t${Math.max(0, at - 1 - draw(200))}`))];
    tasks[`t${at}`] = { noop: {}, needs };
  }
  return JSON.stringify({ job: name, tasks });
}

const MEASURES = {
  async 'first load'(browser, product) {
    const page = await (await browser.newContext()).newPage();
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('Network.enable');
    const files = new Map();
    cdp.on('Network.responseReceived', ({ requestId, response }) => files.set(requestId, { url: response.url, bytes: 0 }));
    cdp.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => files.has(requestId) && (files.get(requestId).bytes = encodedDataLength));
    await page.goto(`${product.url}/ui/now`);
    await page.getByText('At a glance').waitFor();
    await page.waitForTimeout(500);
    const assets = [...files.values()].filter(({ url }) => /\/ui\//.test(url));
    const answers = [...files.values()].filter(({ url }) => /\/v1\//.test(url));
    await page.context().close();
    // The worker is fetched outside of the page's own list.
    const bytes = assets.reduce((sum, { bytes }) => sum + bytes, 0);
    return [['first load: files of the console', '60 KB, 6 requests', `${kb(bytes)} with headers, ${assets.length} requests of the page and 1 of the worker; then ${answers.length} answers`]];
  },

  async interactive(browser, product) {
    const once = async (slow) => {
      const context = await browser.newContext();
      const page = await context.newPage();
      if (slow) {
        const cdp = await context.newCDPSession(page);
        await cdp.send('Network.enable');
        await cdp.send('Network.emulateNetworkConditions', { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 90_000 });
        await cdp.send('Emulation.setCPUThrottlingRate', { rate: 4 });
      }
      const began = Date.now();
      await page.goto(`${product.url}/ui/now`, { waitUntil: 'commit' });
      await page.getByText('At a glance').waitFor();
      const took = Date.now() - began;
      await context.close();
      return took;
    };
    const [fast, slow] = [[], []];
    for (let turn = 0; turn < 5; turn++) fast.push(await once(false));
    for (let turn = 0; turn < 3; turn++) slow.push(await once(true));
    return [
      ['interactive, localhost', '500 ms', `${ms(median(fast))} (median of 5)`],
      ['interactive, 4× slower CPU, 1.6 Mbit/s, 150 ms', '2 s', `${ms(median(slow))} (median of 3)`],
    ];
  },

  async 'click to view'(browser, product) {
    const context = await browser.newContext();
    const page = await open(context, product, 'now');
    const took = await page.evaluate(async () => {
      const found = [];
      const painted = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      const names = ['Runs', 'Jobs', 'Schedules', 'Tasks', 'Queues', 'Workers', 'Now'];
      for (let turn = 0; turn < 5; turn++) {
        for (const name of names) {
          const link = [...document.querySelectorAll('nav.rail a')].find((one) => one.textContent.trim() === name);
          const began = performance.now();
          link.click();
          // Until the page shows what it has read.
          do await painted(); while (document.querySelector('main .loading'));
          found.push(performance.now() - began);
        }
      }
      return found;
    });
    await context.close();
    return [['click → new view painted', 'p95 150 ms', `p95 ${ms(p95(took))}, median ${ms(median(took))} of ${took.length}`]];
  },

  async graph(browser, product) {
    const rows = [];
    for (const [count, bars] of [[10_000, ['10 ms', '400 ms', 'p95 20 ms']]]) {
      const name = `graph-${count}`;
      await product.apply(large(name, count));
      const path = `/v1/jobs/${name}/versions/1/graph`;
      const answers = [];
      for (let turn = 0; turn < 5; turn++) {
        const began = performance.now();
        await product.get(path);
        answers.push(performance.now() - began);
      }
      const response = await fetch(product.url + path, { headers: { 'accept-encoding': 'gzip' } });
      await response.arrayBuffer();
      rows.push([`graph of ${count} tasks: the whole answer, read and parsed by node`, '–', `${ms(median(answers))}, ${kb(Number(response.headers.get('content-length')))} gz`]);
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
      const page = await open(context, product, `jobs/${name}`);
      const began = Date.now();
      await page.getByRole('tab', { name: 'Graph' }).or(page.getByRole('link', { name: 'Graph' })).or(page.getByRole('button', { name: 'Graph' })).first().click();
      await page.locator('.graph canvas').waitFor();
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      rows.push([`graph of ${count} tasks: from the click to the painted graph`, bars[1], ms(Date.now() - began)]);
      const pan = `const c = document.querySelector('.graph canvas'); const r = c.getBoundingClientRect(); const e = (type, x) => c.dispatchEvent(new PointerEvent(type, { clientX: r.left + x, clientY: r.top + 100, pointerId: 1, bubbles: true, button: 0, buttons: 1 })); if (at <= 1) e('pointerdown', 400); e('pointermove', 400 + (at % 40) * 8);`;
      const found = await frames(page, 120, pan);
      rows.push([`graph of ${count} tasks: a frame while it is moved`, bars[2], `p95 ${ms(p95(found))}, median ${ms(median(found))}`]);
      await context.close();
    }
    return rows;
  },

  async grid(browser, product) {
    const name = 'grid-10000';
    await product.apply(large(name, 10_000));
    for (let run = 0; run < 25; run++) {
      const id = await product.start(name);
      await product.post(`/v1/runs/${id}:force-state`, { state: 'failed', reason: 'bench' });
    }
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const page = await open(context, product, `jobs/${name}`);
    const began = Date.now();
    await page.goto(`${product.url}/ui/jobs/${name}?tab=grid`, { waitUntil: 'commit' });
    await page.locator('.gridview canvas').waitFor();
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    const painted = Date.now() - began;
    const answer = performance.now();
    await product.get(`/v1/jobs/${name}/grid?runs=25`);
    const answered = performance.now() - answer;
    const scroll = `document.querySelector('.gridview').scrollTop = at * 560;`;
    const found = await frames(page, 120, scroll);
    const elements = await page.locator('.gridview *').count();
    await context.close();
    return [
      ['grid of 10,000 tasks × 25 runs, painted, with the load of the page', '500 ms', `${ms(painted)} (answer ${ms(answered)})`],
      ['grid: a frame while it scrolls; elements', 'p95 25 ms, 400', `p95 ${ms(p95(found))}, ${elements} elements`],
    ];
  },

  async answers(browser, product) {
    const paths = ['/v1/attention', '/v1/runs?limit=200', '/v1/runs?limit=999', '/v1/jobs?limit=999', '/v1/schedules?limit=200', '/v1/schedules:upcoming?within=24h&limit=999',
      '/v1/windows', '/v1/tasks?limit=200', '/v1/dead-letters?limit=200', '/v1/dead-letters/groups', '/v1/pools', '/v1/stats', '/v1/limits', '/v1/workers', '/v1/system',
      '/v1/stats/series?step=1s&points=600', '/v1/backfills?limit=200'];
    const found = [];
    for (const path of paths) {
      for (let turn = 0; turn < 10; turn++) {
        const began = performance.now();
        const response = await fetch(product.url + path, { headers: { 'accept-encoding': 'gzip' } });
        await response.arrayBuffer();
        found.push({ path, took: performance.now() - began, bytes: Number(response.headers.get('content-length')) });
      }
    }
    const took = found.map((one) => one.took);
    const slowest = found.toSorted((a, b) => b.took - a.took)[0];
    const largest = found.toSorted((a, b) => b.bytes - a.bytes)[0];
    return [[`any answer of ${paths.length} that the console asks for${ENDED ? `, ${ENDED} ended tasks` : ''}`, 'p95 50 ms, 256 KB gz',
      `p95 ${ms(p95(took))}, slowest ${ms(slowest.took)} (${slowest.path}), largest ${kb(largest.bytes)} gz`]];
  },

  async 'rows'(browser, product) {
    const some = JSON.stringify(Array.from({ length: 5000 }, () => ({ task_type: 'noop', job: 'rows', delay_ms: 7_200_000 })));
    for (let part = 0; part < 20; part++) await product.call('POST', '/v1/tasks:batch', some);
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const page = await open(context, product, 'tasks?job=rows');
    await page.locator('.row-link').first().waitFor();
    const count = await page.evaluate(async () => {
      const main = document.querySelector('main');
      const rows = () => Math.round(document.querySelector('.tbody').getBoundingClientRect().height / 36);
      for (let idle = 0; rows() < 100_000 && idle < 200; idle++) {
        const before = rows();
        main.scrollTop = main.scrollHeight;
        await new Promise((done) => setTimeout(done, 30));
        if (rows() > before) idle = 0;
      }
      return rows();
    });
    const jumps = await page.evaluate(async () => {
      const main = document.querySelector('main');
      const found = [];
      for (let turn = 0; turn < 20; turn++) {
        const began = performance.now();
        main.scrollTop = ((turn * 7919) % 100) / 100 * main.scrollHeight;
        await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
        found.push(performance.now() - began);
      }
      return found;
    });
    const found = await frames(page, 200, `document.querySelector('main').scrollTop = 100000 + at * 90;`);
    const elements = await page.locator('.table *').count();
    await context.close();
    return [[`${count} rows: a frame while they scroll; elements of the list; a jump`, 'p95 25 ms, 400, 50 ms', `p95 ${ms(p95(found))}, ${elements} elements, jump p95 ${ms(p95(jumps))} of two frames`]];
  },

  async 'events at full rate'(browser, product) {
    await product.apply('job: mark\ntasks:\n  one: { noop: {} }\n');
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const page = await open(context, product, 'runs');
    await page.evaluate(() => {
      globalThis.long = [];
      new PerformanceObserver((list) => globalThis.long.push(...list.getEntries().map((entry) => entry.duration))).observe({ type: 'longtask' });
    });
    const stop = new AbortController();
    let events = 0;
    const counting = fetch(`${product.url}/v1/events`, { signal: stop.signal }).then(async ({ body }) => {
      for await (const bytes of body) for (const byte of bytes) if (byte === 10) events++;
    }).catch(() => {});
    const end = Date.now() + EVENTS_SECONDS * 1000;
    const some = JSON.stringify(Array.from({ length: 2000 }, () => ({ task_type: 'noop', job: 'storm' })));
    const storm = (async () => {
      while (Date.now() < end) {
        // A task makes three or four changes: ten thousand changes a second, if the server keeps up.
        const next = new Promise((wake) => setTimeout(wake, 600));
        await product.call('POST', '/v1/tasks:batch', some).catch(() => {});
        await next;
      }
    })();
    const [behind, since] = [[], []];
    while (Date.now() < end) {
      const began = Date.now();
      const id = await product.start('mark').catch(() => undefined);
      const answered = Date.now();
      if (id) {
        await page.locator(`.row-link[href*="${id}"]`).waitFor({ timeout: 20_000 });
        behind.push(Date.now() - began);
        since.push(Date.now() - answered);
      }
      await new Promise((wake) => setTimeout(wake, 500));
    }
    await storm;
    await product.until('nothing waits', async () => (await product.get('/v1/tasks?job=storm&state=queued,running&limit=1')).tasks.length === 0, 600);
    stop.abort();
    await counting;
    const long = await page.evaluate(() => globalThis.long);
    // Afterwards the page and REST say the same.
    await page.waitForTimeout(1500);
    const shown = await page.locator('.tbody .row-link').evaluateAll((links) => links.slice(0, 10).map((link) => `${new URL(link.href).searchParams.get('open')} ${link.textContent.trim()}`));
    const told = (await product.get('/v1/runs?limit=10')).runs.map((run) => `${run.run_id} ${run.state}`);
    await context.close();
    return [[`changes at full rate for ${EVENTS_SECONDS} s: long tasks of the page; how far it is behind`, '10,000/s, 50 ms, 300 ms',
      `${Math.round(events / EVENTS_SECONDS)}/s, longest task ${long.length ? ms(Math.max(...long)) : 'below 50 ms'} (${long.length} over 50 ms), a started run is seen p95 ${ms(p95(since))}, median ${ms(median(since))} after the server has answered (p95 ${ms(p95(behind))} after the call) of ${since.length}, afterwards ${shown.join() === told.join() ? 'equal to REST' : `NOT equal to REST: ${shown} / ${told}`}`]];
  },

  async 'log'(browser, product) {
    await product.apply('job: chatter\ntasks:\n  talk: { shell: "seq 1 400000", retries: 0 }\n');
    const run = await product.start('chatter');
    await product.ended(run);
    const task = (await product.get(`/v1/runs/${run}`)).tasks[0].task_id;
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const page = await open(context, product, 'tasks');
    const began = Date.now();
    await page.goto(`${product.url}/ui/tasks/${task}`, { waitUntil: 'commit' });
    await page.locator('.log-line').first().waitFor();
    const took = Date.now() - began;
    const found = await frames(page, 100, `document.querySelector('.log-lines').scrollTop = at * 900;`);
    await context.close();
    return [['log of 400,000 lines (2.6 MB): first lines, with the load of the page; a frame while it scrolls', '300 ms, p95 25 ms', `${ms(took)}, p95 ${ms(p95(found))}`]];
  },

  async 'huge log'(browser) {
    if (!LOG_MIB) return [];
    const size = `${LOG_MIB}MiB`;
    const product = await Product.start([], { env: { MAINSPRING_LOG_BYTES_MAX: size, MAINSPRING_WORKER_LOG_BYTES_MAX: size }, isApart: true });
    const lines = Math.floor(LOG_MIB * 1024 * 1024 / 101) - 1000;
    const middle = Math.floor(lines / 2);
    try {
      // 101 bytes a line, and one line in the middle that is not like the others.
      await product.apply(JSON.stringify({ job: 'flood', tasks: { write: { retries: 0, timeout: '30m', shell: `awk 'BEGIN { for (i = 1; i <= ${lines}; i++) printf "%010d %s\\n", i, (i == ${middle} ? "the needle ............................................................................" : "some text that fills the line, as programs write it into their logs all day long, and more..") }' | cut -c1-100` } } }));
      const run = await product.start('flood');
      await product.until('it is written', async () => /succeeded|failed/.test((await product.get(`/v1/runs/${run}`)).state), 1200);
      const task = (await product.get(`/v1/runs/${run}`)).tasks[0].task_id;
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
      const page = await open(context, product, 'system');
      const cdp = await context.newCDPSession(page);
      const heap = async () => {
        await cdp.send('HeapProfiler.collectGarbage');
        return (await cdp.send('Runtime.getHeapUsage')).usedSize;
      };
      const base = await heap();
      const within = async (act, find) => {
        const began = Date.now();
        await act();
        await find.first().waitFor({ timeout: 120_000 });
        return Date.now() - began;
      };
      const line = (text) => page.locator('.log-line', { hasText: text });
      // The end of it: the server has to know how many lines there are.
      const path = `/v1/tasks/${task}/logs?tail=64KiB`;
      const answers = [];
      for (let turn = 0; turn < 3; turn++) {
        const began = performance.now();
        await (await fetch(product.url + path)).text();
        answers.push(performance.now() - began);
      }
      const tail = await within(() => page.goto(`${product.url}/ui/tasks/${task}`, { waitUntil: 'commit' }), line(String(lines).padStart(10, '0')));
      const top = await within(() => page.getByRole('button', { name: 'Top' }).click(), line('0000000001 '));
      const jumps = [];
      for (const share of [0.3, 0.7, 0.5, 0.9, 0.1]) {
        jumps.push(await page.evaluate(async (to) => {
          const box = document.querySelector('.log-lines');
          const began = performance.now();
          box.scrollTop = to * (box.scrollHeight - box.clientHeight);
          const shown = () => {
            const inSight = [...box.querySelectorAll('.log-line span')].map((one) => one.textContent);
            const number = Number(/^\d{10}/.exec(inSight.find((text) => text !== '…') ?? '')?.[0]);
            return Math.abs(number / Number(document.querySelector('.log-bar .quiet').textContent.replace(/ lines.*/, '').replaceAll(',', '')) - to) < 0.02 && !inSight.includes('…');
          };
          do await new Promise((done) => requestAnimationFrame(done)); while (!shown() && performance.now() - began < 60_000);
          return performance.now() - began;
        }, share));
      }
      const hit = await within(() => page.getByLabel('Find in log').fill('the needle'), page.getByText(/^1 found/));
      const whole = await within(async () => undefined, page.getByText('1 found, next'));
      const jump = await within(() => page.getByText('1 found, next').click(), line('the needle'));
      const grown = (await heap()) - base;
      await context.close();
      return [[`log of ${LOG_MIB} MiB, ${lines} lines: its end with the load of the page (the answer alone); a jump; first hit in the middle, all of it searched; heap of the tab`, '300 ms, 300 ms, 1 s, 10 s, 64 MB',
        `${ms(tail)} (${answers.map(ms).join(', ')}); to the top ${ms(top)}, elsewhere p95 ${ms(p95(jumps))}, to the hit ${ms(jump)}; ${ms(hit)}, ${ms(hit + whole)}; + ${(grown / 1e6).toFixed(1)} MB`]];
    } finally {
      await product.stop();
    }
  },

  async 'idle'(browser, product) {
    if (!isLong) return [];
    // Nothing of the samples goes on: their schedules rest, and what they began is over or cancelled.
    for (const { job } of (await product.get('/v1/jobs')).jobs) await product.call('POST', `/v1/jobs/${job}:pause`, '{}');
    await product.call('POST', '/v1/operations', JSON.stringify({ verb: 'cancel_runs', all: true }));
    const active = async () => (await product.get('/v1/runs?state=queued,running')).runs.length + (await product.get('/v1/tasks?state=queued,assigned,running,retry_wait')).tasks.length;
    await product.until('nothing runs', async () => (await active()) === 0, 120);
    const context = await browser.newContext();
    const page = await open(context, product, 'workers');
    await page.waitForTimeout(60_000);
    let asked = 0;
    page.on('request', () => asked++);
    await page.waitForTimeout(600_000);
    await context.close();
    return [['an idle page for ten minutes: requests', '0', `${asked}`]];
  },

  async 'an hour'(browser, product) {
    if (!isLong) return [];
    const context = await browser.newContext();
    const page = await open(context, product, 'tasks');
    const cdp = await context.newCDPSession(page);
    const weigh = async () => {
      await cdp.send('HeapProfiler.collectGarbage');
      return { heap: (await cdp.send('Runtime.getHeapUsage')).usedSize, elements: await page.locator('*').count() };
    };
    const some = JSON.stringify(Array.from({ length: 125 }, () => ({ task_type: 'noop', job: 'hour' })));
    for (let turn = 0; turn < 10; turn++) await product.call('POST', '/v1/tasks:batch', some);
    await page.waitForTimeout(10_000);
    const before = await weigh();
    for (const end = Date.now() + 3_600_000; Date.now() < end;) {
      await product.call('POST', '/v1/tasks:batch', some).catch(() => {});
      await new Promise((wake) => setTimeout(wake, 1000));
    }
    const after = await weigh();
    await context.close();
    return [['an hour at 500 events/s: heap, elements', '+ 5 MB, ± 5 %', `${((after.heap - before.heap) / 1e6).toFixed(1)} MB, ${before.elements} → ${after.elements}`]];
  },

  async tabs(browser, product) {
    const context = await browser.newContext();
    const took = [];
    for (let tab = 0; tab < 12; tab++) {
      const began = Date.now();
      const page = await open(context, product, 'runs');
      await page.locator('.row-link').first().waitFor();
      took.push(Date.now() - began);
    }
    const other = await browser.newContext();
    const began = Date.now();
    const atOnce = Math.max(...await Promise.all(Array.from({ length: 12 }, async () => {
      const page = await open(other, product, 'runs');
      await page.locator('.row-link').first().waitFor();
      return Date.now() - began;
    })));
    await other.close();
    // As many pages without anything in them: what the browser itself takes.
    const bare = await browser.newContext();
    const bareBegan = Date.now();
    await Promise.all(Array.from({ length: 12 }, async () => (await bare.newPage()).goto(`${product.url}/healthz`)));
    const empty = Date.now() - bareBegan;
    await bare.close();
    const listeners = (await (await fetch(`${product.url}/metrics`)).text()).match(/mainspring_feed_listeners (\d+)/)?.[1];
    await context.close();
    return [['12 tabs, each live', '1 s', `one after another: at most ${ms(Math.max(...took))}${listeners ? `, ${listeners} stream` : ''}; all at once: the last after ${ms(atOnce)}, of which 12 empty pages take ${ms(empty)}`]];
  },

  async 'killed and back'(browser, product) {
    const context = await browser.newContext();
    const page = await open(context, product, 'runs');
    await product.kill();
    await page.getByText(/not live for/).waitFor();
    await product.up();
    const began = Date.now();
    await page.locator(LIVE).waitFor();
    await page.locator('.stale').waitFor({ state: 'detached' });
    const took = Date.now() - began;
    await context.close();
    return [['server killed and back: right again after ready', '2 s', ms(took)]];
  },
};

const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
const product = await Product.start();
const rows = [];
try {
  await fill(product);
  const batch = JSON.stringify(Array.from({ length: 5000 }, () => ({ task_type: 'noop', job: 'ended' })));
  for (let made = 0; made < ENDED; made += 5000) {
    await product.until('there is room', () => product.call('POST', '/v1/tasks:batch', batch), 60);
  }
  if (ENDED) await product.until('all have ended', async () => (await product.get('/v1/stats')).queued < 100, 600);
  for (const [name, measure] of Object.entries(MEASURES)) {
    if (!name.includes(wanted)) continue;
    try {
      rows.push(...await measure(browser, product));
    } catch (error) {
      rows.push([name, '', `not measured: ${String(error).split('\n')[0]}`]);
    }
  }
} finally {
  await browser.close();
  await product.stop();
}
console.log('| what | bar | measured |\n|---|---|---|');
for (const row of rows) console.log(`| ${row.join(' | ')} |`);
process.exit(0);
