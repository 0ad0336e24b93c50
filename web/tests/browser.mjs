// Browser tests: the product with a real Chromium. usage: MAINSPRING_BINARY=… node tests/browser.mjs [pages|stories|part of a name]
import { chromium } from 'playwright-core';
import { Product, fill } from './browser/product.mjs';
import { checkPages } from './browser/pages.mjs';
import { STORIES } from './browser/stories.mjs';

if (!process.env.MAINSPRING_BINARY) throw new Error('MAINSPRING_BINARY names the program that is tested');
const wanted = process.argv[2] ?? '';
const executablePath = process.env.MAINSPRING_CHROMIUM ?? '/usr/bin/chromium';
const tests = { 'pages: every page, wide and phone, light and dark': (_, ...rest) => checkPages(browser, ...rest), ...STORIES };

const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
const product = await Product.start();
let failed = 0;
try {
  const ids = await fill(product);
  for (const [name, test] of Object.entries(tests)) {
    const isWanted = name.includes(wanted) || (wanted === 'stories' && !name.startsWith('pages'));
    if (!isWanted) continue;
    const began = Date.now();
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    context.setDefaultTimeout(20_000);
    try {
      await test(context, product, ids);
      console.log(`ok      ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
    } catch (error) {
      failed++;
      console.log(`FAILED  ${name}\n${error.stack ?? error}`);
    }
    await context.close();
  }
} finally {
  await browser.close();
  await product.stop();
}
console.log(failed ? `${failed} failed` : 'all passed');
process.exit(failed ? 1 : 0);
