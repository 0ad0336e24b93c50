// Every page, wide and on a phone, light and dark: it shows what it should, axe finds nothing, nothing is loaded from
// elsewhere, the policy is never broken, and the page does not scroll sideways.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const axe = readFileSync(join(dirname(fileURLToPath(import.meta.url)), '../../node_modules/axe-core/axe.min.js'), 'utf8');

/** [address, a text that it must show] */
export const addresses = (ids) => [
  ['now', 'At a glance'],
  ['runs', 'good'],
  ['runs?state=failed', 'bad'],
  [`runs?open=${ids.bad}`, 'broken'],
  [`runs/${ids.bad}`, 'broken'],
  [`runs/${ids.good}?view=graph`, 'Fit'],
  [`runs/${ids.good}?view=time`, 'critical path'],
  [`runs/${ids.many}`, 'each'],
  [`runs/${ids.many}?view=items&of=each`, 'items of each'],
  [`runs/${ids.good}?view=data`, 'Parameters'],
  [`runs/${ids.good}?view=notes`, ''],
  [`tasks/${ids.task}`, 'about to break'],
  ['tasks', 'succeeded'],
  ['tasks?state=failed', 'failed'],
  ['jobs', 'many'],
  ['jobs/good', 'success'],
  ['jobs/nightly?tab=grid', 'fetch_orders'],
  [`runs/${ids.bad}?view=compare`, 'No run of this job succeeded before it'],
  [`runs/${ids.again}?view=compare`, 'the last good run'],
  ['jobs/good?tab=start', 'Whom to greet'],
  ['jobs/good?tab=graph', 'Fit'],
  ['jobs/good?tab=schedules', 'often'],
  ['jobs/good?tab=versions', 'Version 1'],
  ['schedules', 'good/often'],
  ['schedules?span=168&outcome=skipped', 'Ledger'],
  ['schedules/good/often', 'Ledger of windows'],
  ['dead-letters', 'By error'],
  ['queues', 'Pools'],
  ['queues', 'warehouse'],
  ['workers', 'healthy'],
  [`workers/${ids.worker}`, 'Executors'],
  ['system', 'The server is ready'],
  ['system', 'Lease of a worker'],
  ['operations', 'operation'],
  ['schedules/good/often?edit=1', 'While an earlier one runs'],
  ['schedules/good/new?edit=1', 'at 09:00 on weekdays'],
  ['tasks?reason=limit&limit=warehouse', 'limit warehouse'],
  ['docs', 'Error codes'],
  ['docs/job-files', 'Job files'],
  ['docs/errors/QUEUE_FULL', 'What it means'],
  ['docs?q=worker', 'Workers'],
  ['nowhere', 'There is no such page'],
];

export const MODES = [
  { name: 'wide light', viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
  { name: 'wide dark', viewport: { width: 1280, height: 800 }, colorScheme: 'dark' },
  { name: 'phone light', viewport: { width: 390, height: 844 }, colorScheme: 'light' },
  { name: 'phone dark', viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
];

/** Notes everything that must not happen on a page. */
export function watch(page, origin) {
  const wrong = [];
  page.on('pageerror', (error) => wrong.push(`error: ${error.message}`));
  page.on('console', (message) => {
    const text = message.text();
    if (message.type() === 'error' && !/Failed to load resource/.test(text)) wrong.push(text);
    if (/Content Security Policy|Trusted/.test(text)) wrong.push(text);
  });
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !url.startsWith('data:') && !url.startsWith('blob:')) wrong.push(`a request to ${url}`);
  });
  page.on('dialog', (dialog) => {
    wrong.push(`a script of somebody else ran: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return wrong;
}

export async function checkPages(browser, product, ids) {
  const problems = [];
  await Promise.all(MODES.map(async (mode) => {
    const context = await browser.newContext({ viewport: mode.viewport, colorScheme: mode.colorScheme, reducedMotion: 'reduce' });
    // As a script of the page's own world it is not bound by the policy of the page.
    await context.addInitScript({ content: axe });
    const page = await context.newPage();
    const wrong = watch(page, product.url);
    for (const [address, text] of addresses(ids)) {
      await page.goto(`${product.url}/ui/${address}`);
      await page.locator('main, .panel').getByText(text).locator('visible=true').first().waitFor({ timeout: 15_000 })
        .catch(() => problems.push(`${mode.name} ${address}: does not show \`${text}\``));
      await page.locator('.live.on').waitFor({ timeout: 10_000 }).catch(() => problems.push(`${mode.name} ${address}: is not live`));
      await page.locator('.loading').first().waitFor({ state: 'detached', timeout: 10_000 }).catch(() => problems.push(`${mode.name} ${address}: still loading`));
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (wide > 0) problems.push(`${mode.name} ${address}: scrolls sideways by ${wide} px`);
      const found = await page.evaluate(() => globalThis.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }));
      for (const one of found.violations) problems.push(`${mode.name} ${address}: ${one.id}: ${one.help}: ${one.nodes.slice(0, 2).map((node) => `${node.html.slice(0, 160)} ${node.failureSummary?.split('\n')[1] ?? ''}`).join(' | ')}`);
    }
    problems.push(...wrong.map((one) => `${mode.name}: ${one}`));
    await context.close();
  }));
  assert.deepEqual([...new Set(problems)], []);
}
