// Takes the pictures of docs/console.md. usage: MAINSPRING_BINARY=… node tests/screenshots.mjs
import { chromium } from 'playwright-core';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Product, fill } from './browser/product.mjs';

const images = join(dirname(fileURLToPath(import.meta.url)), '../../docs/images');
mkdirSync(images, { recursive: true });
const WIDE = { width: 1080, height: 640 };
const PHONE = { width: 390, height: 760 };

const browser = await chromium.launch({ executablePath: process.env.MAINSPRING_CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
const product = await Product.start();
try {
  const ids = await fill(product);
  for (let more = 0; more < 9; more++) await product.ended(await product.start(['nightly', 'good', 'many'][more % 3]));
  const task = (await product.get(`/v1/runs/${ids.slow}`)).tasks[0].task_id;
  const exports = [1, 2, 3, 4, 5].map((at) => `  table_${at}: { shell: "sleep 600", limits: [warehouse] }`).join('\n');
  await product.apply(`job: export\ntasks:\n${exports}\n  train: { shell: "sleep 1", pool: gpu }\n`);
  await product.start('export');
  const pictures = [
    ['now', 'now', WIDE, 'light'], ['dark', `runs?open=${ids.bad}`, { width: 1280, height: 640 }, 'dark'], ['graph', `runs/${ids.nightly}?view=graph`, WIDE, 'light'],
    ['timeline', `runs/${ids.nightly}?view=time`, WIDE, 'light'], ['task', `tasks/${task}`, WIDE, 'dark'], ['jobs', 'jobs', WIDE, 'light'],
    ['start', 'jobs/good?tab=start', WIDE, 'light'], ['ledger', 'schedules/good/often', WIDE, 'light'], ['dead-letters', 'dead-letters', WIDE, 'light'],
    ['queues', 'queues', WIDE, 'dark'], ['phone', 'now', PHONE, 'light'], ['phone-run', `runs/${ids.bad}`, PHONE, 'dark'],
  ];
  for (const [name, address, viewport, colorScheme] of pictures) {
    const page = await browser.newPage({ viewport, colorScheme, reducedMotion: 'reduce' });
    await page.goto(`${product.url}/ui/${address}`);
    await page.locator('.live.on').waitFor();
    await page.locator('.loading').first().waitFor({ state: 'detached' });
    await page.waitForTimeout(500);
    await page.screenshot({ path: join(images, `console-${name}.png`) });
    await page.close();
  }
} finally {
  await browser.close();
  await product.stop();
}
process.exit(0);
