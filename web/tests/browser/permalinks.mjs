// An address shows the same text to whoever opens it: random states of the address of every page, each opened again in a browser
// that has seen nothing. PERMALINK_SEED=… repeats a failure.
import assert from 'node:assert/strict';

/** Repeatable: the seed is printed with a failure. */
function dice(seed) {
  let state = seed;
  const draw = (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
  return { draw, one: (values) => values[draw(values.length)], some: (values) => values.filter(() => draw(3) === 0) };
}

const STATES = ['queued', 'running', 'succeeded', 'failed', 'cancelled'];
const TASK_STATES = ['pending', 'queued', 'running', 'retry_wait', 'succeeded', 'failed', 'cancelled', 'skipped'];

/** Path and the values that each of its parameters may have; an empty one leaves it out. A list of lists may have several at once. */
const pages = (ids) => [
  ['now', { over: ['', '5m', '24h'] }],
  ['runs', { state: [STATES], job: ['', 'good', 'bad'], trigger: ['', 'manual', 'rerun'], since: ['', '1h'], open: ['', ids.bad, ids.good], sort: ['', 'job', '-took'] }],
  [`runs/${ids.many}`, { view: ['', 'graph', 'time', 'data', 'compare', 'notes'], only: [['succeeded', 'failed']], order: ['', 'name', 'worst'] }],
  [`runs/${ids.many}`, { view: ['items'], of: ['each'], only: [['succeeded', 'failed']], by: ['', 'value', '-item'] }],
  [`tasks/${ids.task}`, { find: ['', 'break', 'nothing of it'], line: ['', '1'], attempt: ['', '1'] }],
  ['tasks', { state: [TASK_STATES], job: ['', 'good', 'many'], pool: ['', 'default'], reason: ['', 'no_room'], priority: ['', 'P1'], open: ['', ids.task] }],
  ['jobs', { name: ['', 'o', 'nightly'], tag: ['', 'etl'], sort: ['', '-job', 'success'] }],
  ['jobs/nightly', { tab: ['', 'grid', 'start', 'graph', 'schedules', 'versions', 'notes'], runs: ['', '50'], open: ['', ids.nightly] }],
  ['schedules', { job: ['', 'good'], span: ['', '168', '720'], outcome: [['ran', 'skipped']], sort: ['', '-schedule'] }],
  ['schedules/good/often', { edit: ['', '1'] }],
  ['dead-letters', { job: ['', 'bad'], groups: ['', 'error'], open: ['', ids.task] }],
  ['queues', { pools: ['', '-room'], limits: ['', 'limit'], why: ['', '-tasks'] }],
  ['workers', { state: ['', 'healthy'], pool: ['', 'default'], open: ['', ids.worker] }],
  ['operations', { sort: ['', 'what'] }],
  ['system', {}],
  ['docs', { q: ['', 'worker', 'limit'] }],
  ['docs/schedules', { at: ['', 'overlap'] }],
];

function address([path, parameters], { one, some, draw }) {
  const query = new URLSearchParams();
  for (const [name, values] of Object.entries(parameters)) {
    const value = Array.isArray(values[0]) ? some(values[0]).join(',') : one(values);
    if (value) query.set(name, value);
  }
  if (draw(3) === 0) query.set('tz', 'utc');
  return `${path}?${query}`;
}

/** What is on screen but for times that pass and figures that move. */
const textOf = async (page) => {
  const text = await page.locator('.shell').innerText();
  return text.replace(/\d+(\.\d)?(ms|s|m|h|d)\b( \d+(s|m|h))?( ago)?/g, '#').replace(/\d\d:\d\d(:\d\d)?/g, '#').replace(/\bnow\b/g, '#').replace(/[\d,]+/g, '#');
};

async function show(context, url) {
  const page = await context.newPage();
  await page.goto(url);
  await page.locator('.live.on').waitFor();
  await page.locator('.loading').first().waitFor({ state: 'detached' });
  return page;
}

export async function checkPermalinks(context, product, ids) {
  const seed = Number(process.env.PERMALINK_SEED) || Date.now() % 2_147_483_648;
  const random = dice(seed);
  for (const page of pages(ids)) {
    const link = `${product.url}/ui/${address(page, random)}`;
    const [first, other] = await Promise.all([context, await context.browser().newContext({ viewport: { width: 1280, height: 800 } })].map((one) => show(one, link)));
    let texts = [];
    await product.until(`the same text, PERMALINK_SEED=${seed}`, async () => {
      texts = await Promise.all([textOf(first), textOf(other)]);
      return texts[0] === texts[1] && texts[0].length > 200;
    }, 10).catch((error) => assert.equal(texts[1], texts[0], `${error.message} ${link}`));
    await first.close();
    await other.context().close();
  }
}
