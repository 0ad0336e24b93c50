// Measures the console in a real Chromium, and prints a table as docs/console.md has it.
// usage: MAINSPRING_BINARY=… node bench/bench.mjs [part of a name]
// It starts a server of its own in a directory below /tmp. On a busy machine every figure is an upper bound.
import { chromium } from 'playwright-core';
import { Product, fill } from '../tests/browser/product.mjs';

const wanted = process.argv[2] ?? '';
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

  async tabs(browser, product) {
    const context = await browser.newContext();
    const took = [];
    for (let tab = 0; tab < 12; tab++) {
      const began = Date.now();
      await open(context, product, 'runs');
      took.push(Date.now() - began);
    }
    const listeners = (await (await fetch(`${product.url}/metrics`)).text()).match(/mainspring_feed_listeners (\d+)/)?.[1];
    await context.close();
    return [['12 tabs, each live', '1 s', `at most ${ms(Math.max(...took))}${listeners ? `, ${listeners} stream` : ''}`]];
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
