// Whoever sees no colours tells states apart, and whoever has no mouse reaches everything.
import assert from 'node:assert/strict';
import { watch } from './pages.mjs';

/** Every state that a task can have, with its glyph and its bar, as grey pixels. */
async function greyPixels(page, decoder, selector) {
  const shot = (await page.locator(selector).screenshot()).toString('base64');
  return decoder.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const picture = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const canvas = new OffscreenCanvas(picture.width, picture.height);
    const context = canvas.getContext('2d');
    context.drawImage(picture, 0, 0);
    const { data } = context.getImageData(0, 0, picture.width, picture.height);
    return Array.from({ length: data.length / 4 }, (_, at) => data[4 * at]);
  }, shot);
}

/** Of all pixels, how many are clearly another shade. */
const difference = (a, b) => a.filter((shade, at) => Math.abs(shade - b[at]) > 40).length / a.length;

const PATTERNS = [['succeeded'], ['failed'], ['upstream_failed', 'quarantined'], ['running', 'assigned'], ['queued', 'pending', 'retry_wait', 'deferred'], ['cancelled', 'skipped']];

export async function checkGreyscale(context, product) {
  const decoder = await context.newPage();
  for (const colorScheme of ['light', 'dark']) {
    const page = await context.newPage();
    await page.emulateMedia({ colorScheme });
    await page.goto(`${product.url}/ui/tasks`);
    await page.locator('.facet .glyph').nth(11).waitFor();
    await page.evaluate((states) => {
      document.documentElement.style.filter = 'grayscale(1)';
      const board = document.createElement('div');
      board.id = 'board';
      Object.assign(board.style, { position: 'fixed', inset: '0', zIndex: '99', background: 'var(--sheet)' });
      const box = (id, child) => {
        const one = document.createElement('div');
        one.id = id;
        Object.assign(one.style, { width: '28px', height: '28px', display: 'inline-block', verticalAlign: 'top' });
        one.append(child);
        board.append(one);
      };
      for (const state of states) {
        const glyph = document.querySelector(`.facet .glyph.s-${state}`).cloneNode(true);
        Object.assign(glyph.style, { width: '28px', height: '28px' });
        box(`glyph-${state}`, glyph);
        const bar = document.createElement('i');
        bar.className = `fill s-${state}`;
        Object.assign(bar.style, { display: 'block', width: '28px', height: '28px' });
        box(`bar-${state}`, bar);
      }
      document.body.append(board);
    }, PATTERNS.flat());
    const glyphs = [];
    for (const state of PATTERNS.flat()) glyphs.push([state, await greyPixels(page, decoder, `#glyph-${state}`)]);
    for (const [at, [name, pixels]] of glyphs.entries()) {
      for (const [other, others] of glyphs.slice(at + 1)) assert.ok(difference(pixels, others) > 0.02, `${colorScheme}: the glyphs of ${name} and ${other} look the same without colours`);
    }
    const bars = [];
    for (const [state] of PATTERNS) bars.push([state, await greyPixels(page, decoder, `#bar-${state}`)]);
    for (const [at, [name, pixels]] of bars.entries()) {
      for (const [other, others] of bars.slice(at + 1)) assert.ok(difference(pixels, others) > 0.08, `${colorScheme}: the bars of ${name} and ${other} look the same without colours`);
    }
    await page.close();
  }
  await decoder.close();
}

const KEYS = { n: 'now', r: 'runs', j: 'jobs', s: 'schedules', t: 'tasks', d: 'dead-letters', q: 'queues', w: 'workers', o: 'operations', y: 'system', h: 'docs' };

/** Presses Tab until an element with this name has the focus. */
async function tabTo(page, name, most = 60) {
  for (let press = 0; press < most; press++) {
    await page.keyboard.press('Tab');
    const found = await page.evaluate(() => {
      const { activeElement: on } = document;
      const style = getComputedStyle(on);
      const ring = style.outlineStyle !== 'none' || getComputedStyle(on, '::after').outlineStyle !== 'none';
      return { label: on.getAttribute('aria-label') ?? '', text: on.textContent.trim(), ring: ring || on === document.body };
    });
    assert.ok(found.ring, `no sign of the focus on \`${found.label} ${found.text.slice(0, 60)}\``);
    if (found.text === name || found.label.includes(name)) return;
  }
  throw new Error(`Tab does not come to \`${name}\``);
}

/** From page to page, a row, an action with a reason, a filter, a selection, a graph, a grid, the ledger: no mouse anywhere. */
export async function checkKeyboard(context, product, ids) {
  const page = await context.newPage();
  const wrong = watch(page, product.url);
  await page.goto(`${product.url}/ui/now`);
  await page.locator('.live.on').waitFor();
  const press = (key) => page.keyboard.press(key);
  for (const [key, path] of Object.entries(KEYS)) {
    await press('g');
    await press(key);
    await page.waitForURL(new RegExp(`/ui/${path}$`));
  }
  // The first Tab of a page skips the rail.
  await page.goto(`${product.url}/ui/runs`);
  await page.locator('.row-link').first().waitFor();
  await press('Tab');
  await press('Enter');
  await page.waitForFunction(() => document.activeElement.id === 'page');
  // A filter, a row, its detail, an action with a reason.
  const slow = await product.start('slow');
  await press('/');
  await page.keyboard.type('slow');
  await press('Enter');
  await page.waitForURL(/job=slow/);
  await page.locator(`.row-link[href*="${slow}"]`).waitFor();
  await press('Tab');
  await page.evaluate(() => document.activeElement.blur());
  await press('j');
  await press('Enter');
  await page.locator('.panel h1', { hasText: 'slow' }).waitFor();
  await tabTo(page, 'Cancel');
  await press('Enter');
  await page.getByLabel('Reason, kept with it').waitFor();
  await page.waitForFunction(() => document.activeElement.closest('dialog'));
  for (let turn = 0; turn < 8 && !(await page.evaluate(() => document.activeElement.matches('dialog input'))); turn++) await press('Tab');
  await page.keyboard.type('by keyboard');
  await press('Enter');
  await page.locator('.panel .state.s-cancelled').first().waitFor();
  assert.ok((await product.get(`/v1/runs/${slow}`)).notes.some(({ reason }) => reason === 'by keyboard'));
  await press('Escape');
  await page.locator('.panel').waitFor({ state: 'detached' });
  // A selection.
  await press('g');
  await press('d');
  await page.locator('.tbody .row-link').first().waitFor();
  await press('j');
  await press('x');
  await page.getByText('1 selected').waitFor();
  // The graph: arrows walk, Enter opens.
  await page.goto(`${product.url}/ui/runs/${ids.nightly}?view=graph`);
  await page.locator('.graph canvas').waitFor();
  await page.locator('.graph canvas').focus();
  await press('ArrowRight');
  await press('ArrowRight');
  await page.waitForFunction(() => / is succeeded\./.test(document.querySelector('.graph canvas').getAttribute('aria-label')));
  await press('Enter');
  await page.locator('.panel h1').waitFor();
  // The grid.
  await page.goto(`${product.url}/ui/jobs/nightly?tab=grid`);
  await page.locator('.gridview canvas').focus();
  await press('ArrowLeft');
  await press('ArrowDown');
  await page.waitForFunction(() => /in the run of/.test(document.querySelector('.gridview canvas').getAttribute('aria-label')));
  await press('Enter');
  await page.waitForURL(/\/ui\/runs\/run_.*task=/);
  // A window of the ledger that did not run.
  await page.goto(`${product.url}/ui/schedules/good/often`);
  await page.locator('button.cell').first().waitFor();
  await tabTo(page, 'run it', 200);
  await press('Enter');
  await page.locator('dialog.ask').waitFor();
  await press('Escape');
  await page.locator('dialog.ask').waitFor({ state: 'detached' });
  // The palette and the list of keys.
  await press('Control+k');
  await page.keyboard.type('start good');
  await page.locator('[role=option][aria-selected=true]', { hasText: 'Start good' }).waitFor();
  await press('Enter');
  await page.waitForURL(/jobs\/good\?tab=start/);
  await press('?');
  await page.getByRole('heading', { name: 'Keys' }).waitFor();
  await press('Enter');
  await page.getByRole('heading', { name: 'Keys' }).waitFor({ state: 'detached' });
  assert.deepEqual(wrong, []);
  await page.close();
}

/** What [watch] is for: a broken policy and a request to somewhere else are noticed. */
export async function checkWatch(context, product) {
  const page = await context.newPage();
  const wrong = watch(page, product.url);
  await page.goto(`${product.url}/ui/now`);
  await page.locator('.live.on').waitFor();
  assert.deepEqual(wrong, []);
  await page.evaluate(() => {
    const style = document.createElement('style');
    style.textContent = 'body { color: red }';
    document.head.append(style);
    void fetch('http://127.0.0.1:9/elsewhere').catch(() => undefined);
  });
  await product.until('both are noticed', async () => wrong.some((one) => /Content Security Policy/.test(one)) && wrong.length > 1, 5);
  await page.close();
}
