// What people do with the console, from their first look to the end, with the product below it.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { watch } from './pages.mjs';
import { checkPermalinks } from './permalinks.mjs';
import { checkGreyscale, checkKeyboard, checkWatch } from './senses.mjs';
import { Product } from './product.mjs';

const LIVE = '.live.on';

async function open(context, product, address) {
  const page = await context.newPage();
  page.wrong = watch(page, product.url);
  await page.goto(`${product.url}/ui/${address}`);
  await page.locator(LIVE).waitFor();
  return page;
}

const close = async (page) => {
  assert.deepEqual(page.wrong, []);
  await page.close();
};

const confirm = (page, name) => page.locator('dialog.ask').getByRole('button', { name, exact: true }).click();

export const STORIES = {
  async 'a job is started with parameters and its run is followed to the end'(context, product) {
    const page = await open(context, product, 'jobs/good?tab=start');
    await page.getByRole('textbox', { name: 'times' }).fill('99');
    await page.getByText('at most 9').waitFor();
    await page.getByRole('textbox', { name: 'times' }).fill('3');
    await page.getByRole('button', { name: 'Start good…' }).click();
    await confirm(page, 'Start');
    await page.waitForURL(/\/ui\/runs\/run_/);
    await page.locator('.head .state.s-succeeded').waitFor();
    const id = page.url().split('/').pop();
    assert.equal((await product.get(`/v1/runs/${id}`)).parameters.times, 3);
    await close(page);
  },

  async 'a running run is cancelled with a reason'(context, product) {
    const run = await product.start('slow');
    const page = await open(context, product, `runs/${run}`);
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.getByLabel('Reason, kept with it').fill('a mistake');
    await confirm(page, 'Cancel');
    await page.locator('.head .state.s-cancelled').waitFor();
    const { notes } = await product.get(`/v1/runs/${run}`);
    assert.ok(notes.some((note) => note.reason === 'a mistake'), JSON.stringify(notes));
    await close(page);
  },

  async 'from the alarm to the cause, the log and the retry in four taps on a phone'(context, product, ids) {
    const page = await open(context, product, 'now');
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByText(/runs? of bad failed/).waitFor();
    // One: the example of the failed job. Two: its broken task. Three: clear. Four: sure.
    await page.locator('.call', { hasText: 'of bad failed' }).locator('small a').click();
    await page.locator('.reasons a, .row-link', { hasText: 'broken' }).first().click();
    await page.locator('.log-line', { hasText: 'about to break' }).first().waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Clear failed' }).click();
    await confirm(page, 'Clear failed');
    await page.locator('.toast').waitFor();
    const again = await product.ended(ids.bad);
    assert.match(again.state, /failed/i);
    await close(page);
  },

  async 'a dead letter is queued again'(context, product) {
    const before = (await product.get('/v1/dead-letters')).tasks.length;
    const page = await open(context, product, 'dead-letters');
    await page.locator('.tbody .tr', { hasText: 'process' }).first().locator('input[type=checkbox]').click();
    await page.getByText('1 selected').waitFor();
    await page.locator('.head').getByRole('button', { name: 'Requeue' }).click();
    await confirm(page, 'Requeue');
    await page.getByText('1 done').waitFor();
    assert.ok(before > 0);
    await close(page);
  },

  async 'all that failed in the same way is queued again at once'(context, product) {
    await product.apply(`job: brittle
tasks:
  a: { shell: "echo broken; exit 7", retries: 0 }
`);
    for (let turn = 0; turn < 3; turn++) await product.ended(await product.start('brittle'));
    const page = await open(context, product, 'dead-letters?job=brittle');
    const group = page.locator('table.plain tbody tr', { hasText: 'brittle' });
    await group.getByText('3', { exact: true }).waitFor();
    await group.getByRole('button', { name: 'Discard' }).click();
    await page.locator('dialog.ask').getByText('3 tasks', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Back' }).click();
    const [before] = (await product.get('/v1/dead-letters/groups?job=brittle')).groups;
    await group.getByRole('button', { name: 'Requeue' }).click();
    await page.locator('dialog.ask').getByText('3 tasks', { exact: true }).waitFor();
    await confirm(page, 'Requeue');
    await page.locator('.toast a').click();
    await page.waitForURL(/operations\?operation=\d+/);
    await page.locator('tr', { hasText: 'retry tasks' }).getByText('3 tasks', { exact: true }).waitFor();
    await product.until('each has failed once more', async () => (await product.get('/v1/dead-letters/groups?job=brittle')).groups[0]?.first_at > before.last_at);
    await close(page);
  },

  async 'what waits for a limit is seen with who holds it'(context, product) {
    await product.apply(`job: narrow
tasks:
${[1, 2, 3].map((at) => `  t${at}: { shell: "sleep 60", limits: [narrow-gate] }`).join('\n')}
`);
    const run = await product.start('narrow');
    const page = await open(context, product, 'queues');
    await page.getByText('2 tasks wait for limit narrow-gate').waitFor();
    const holder = (await product.get('/v1/limits')).limits.find((limit) => limit.limit === 'narrow-gate').holders[0];
    await page.locator(`tr a[href*="${holder}"]`, { hasText: 'task_' }).first().click();
    await page.waitForURL((url) => url.search.includes(holder));
    // The feed tells it: nobody reloads.
    await product.post(`/v1/runs/${run}:cancel`);
    await page.getByText('wait for limit narrow-gate').waitFor({ state: 'detached' });
    await close(page);
  },

  async 'what queued tasks wait for is a reason with a count, and leads to exactly these tasks'(context, product) {
    await product.apply(`job: gated
tasks:
${[1, 2, 3, 4].map((at) => `  t${at}: { shell: "sleep 60", limits: [toll-gate] }`).join('\n')}
  odd: { shell: "sleep 1", pool: nobody }
`);
    const run = await product.start('gated');
    const page = await open(context, product, 'queues');
    const why = page.locator('tr', { hasText: 'limit toll-gate' }).filter({ hasText: 'P1' });
    await why.getByRole('link', { name: 'List the 3 queued tasks that wait for limit toll-gate' }).waitFor();
    await page.locator('tr', { hasText: 'no worker' }).filter({ hasText: 'nobody' }).first().waitFor();
    const queue = (await product.get('/v1/waiting')).queues.find((row) => row.pool === 'nobody');
    assert.equal(queue.queued, 1);
    await page.locator('section', { hasText: 'Queues by pool' }).locator('tr', { hasText: 'nobody' }).getByText('–').first().waitFor();
    await why.getByRole('link', { name: /^List the 3/ }).click();
    await page.waitForURL((url) => url.search.includes('reason=limit') && url.search.includes('limit=toll-gate') && url.search.includes('priority=P1'));
    await page.locator('.tbody .tr').nth(2).waitFor();
    const shown = await page.locator('.tbody .row-link').evaluateAll((links) => links.map((link) => new URL(link.href).searchParams.get('open')));
    const told = (await product.get('/v1/tasks?state=queued&limit_name=toll-gate')).tasks.map((task) => task.task_id);
    assert.deepEqual(shown.toSorted(), told.toSorted());
    assert.equal(shown.length, 3);
    // The other reasons are there with their counts, and a press takes one of them.
    await page.locator('.facet a.on', { hasText: 'limit toll-gate' }).waitFor();
    await page.goto(`${product.url}/ui/tasks`);
    await page.getByRole('group', { name: 'What queued tasks wait for' }).getByRole('link', { name: 'limit toll-gate 3' }).click();
    await page.waitForURL((url) => url.search.includes('reason=limit'));
    await page.getByLabel('Pool').selectOption('nobody');
    await page.getByText('No task fits these filters').waitFor();
    await product.post(`/v1/runs/${run}:cancel`);
    await close(page);
  },

  async 'an idle page asks for nothing'(context, product) {
    // Samples of `dev` begin now and then: what is on a page changes with them.
    const samples = (await product.get('/v1/schedules')).schedules.filter(({ state }) => state === 'on').map(({ job, name }) => `/v1/schedules/${job}/${name}`);
    for (const path of samples) await product.post(`${path}:pause`);
    const page = await open(context, product, 'workers');
    const asked = [];
    await page.locator('.tbody .tr', { hasText: 'healthy' }).first().waitFor();
    // What is read again after the first connection has been read by then.
    await page.waitForTimeout(3000);
    page.on('request', (request) => asked.push(request.url()));
    for (const name of ['Schedules', 'Queues', 'System']) {
      await page.getByRole('navigation').getByRole('link', { name, exact: true }).first().click();
      // Nine seconds in which the journal did not grow: a page may still read what changed just before them.
      await product.until(`a quiet time on ${name}`, async () => {
        const { records } = await product.get('/v1/system');
        await page.waitForTimeout(3000);
        const before = asked.length;
        await page.waitForTimeout(6000);
        if ((await product.get('/v1/system')).records !== records) return false;
        assert.deepEqual(asked.slice(before), [], name);
        return true;
      }, 90);
    }
    for (const path of samples) await product.post(`${path}:resume`);
    await close(page);
  },

  async 'a worker is drained and comes back'(context, product, ids) {
    const page = await open(context, product, `workers/${ids.worker}`);
    await page.getByRole('button', { name: 'Drain' }).click();
    await page.getByLabel('Reason, kept with it').fill('new kernel');
    await confirm(page, 'Drain');
    await page.getByText('new kernel').waitFor();
    assert.equal((await product.get(`/v1/workers/${ids.worker}`)).cordoned, true);
    // Nothing new starts on it, and what waits says why.
    const run = await product.start('bad');
    const list = await open(context, product, `runs/${run}`);
    await list.locator('.why', { hasText: /worker/ }).waitFor();
    await page.getByRole('button', { name: 'Uncordon' }).click();
    await confirm(page, 'Uncordon');
    await page.getByRole('button', { name: 'Drain' }).waitFor();
    await list.locator('.head .state.s-failed').waitFor();
    await close(list);
    await close(page);
  },

  async 'a window that did not run is found in the ledger and run'(context, product) {
    const skipped = await product.until('a window was skipped', async () =>
      (await product.get('/v1/schedules/good/often/history')).windows.find((window) => window.outcome === 'skipped'));
    const page = await open(context, product, 'schedules?outcome=skipped');
    await page.locator('table.ledger tr', { hasText: 'good/often' }).locator('a.cell.w-skipped').first().click();
    await page.waitForURL(/schedules\/good\/often/);
    const cell = page.locator('button.cell.w-skipped[aria-label*="because of paused"]').first();
    await cell.waitFor();
    assert.match(await cell.getAttribute('aria-label'), /skipped, because of paused/);
    await cell.click();
    await page.locator('dialog.ask').getByText('because of paused').waitFor();
    await page.locator('dialog.ask footer button.main').click();
    await page.getByText('a backfill was started').waitFor();
    assert.ok(skipped);
    // Its run is in the ledger, one press away.
    await page.locator('a.cell.w-backfill').first().click();
    await page.locator('.panel h1', { hasText: 'good' }).waitFor();
    await page.locator('.panel').getByText('backfill, version 1').waitFor();
    // A range of days, which begin at midnight of the schedule's zone.
    await page.goto(`${product.url}/ui/schedules/good/often`);
    await page.getByRole('button', { name: 'Count first' }).click();
    await page.getByText(/window.* of [\d,]+ in this range would run/).waitFor();
    await close(page);
  },

  async 'a log is followed while the server is killed and returns'(context, product) {
    // The program outlives the worker that was in the killed process, and the next one takes it over.
    await product.apply(`job: ticker
tasks:
  tick: { shell: "i=0; while [ $i -lt 3000 ]; do echo tick $i of it; i=$((i+1)); sleep 0.1; done", keep: true }
`);
    const run = await product.start('ticker');
    const task = await product.until('it runs', async () => {
      const [row] = (await product.get(`/v1/runs/${run}`)).tasks;
      return /running/i.test(row.state) && row.task_id;
    });
    const page = await open(context, product, `tasks/${task}`);
    await page.locator('.log-line', { hasText: 'tick 3 of it' }).waitFor();
    const list = await open(context, product, 'runs');
    await product.kill();
    await list.getByText(/not live for/).waitFor();
    const newest = async () => Number(/tick (\d+) of it/.exec((await page.locator('.log-line').last().innerText()))?.[1]);
    const before = await newest();
    await product.up();
    await list.locator(LIVE).waitFor();
    const fresh = await product.start('bad');
    await list.locator(`.row-link[href*="${fresh}"]`).waitFor();
    await list.locator('.stale').waitFor({ state: 'detached' });
    await page.locator(LIVE).waitFor();
    await product.until('the log goes on', async () => (await newest()) > before + 5);
    // No line is missing and none came twice.
    const numbers = await page.locator('.log-line').evaluateAll((lines) => lines.map((line) => [Number(line.querySelector('a').textContent), Number(/tick (\d+)/.exec(line.textContent)?.[1])]));
    assert.ok(numbers.length > 5);
    for (const [number, tick] of numbers) assert.equal(number, tick + 1);
    await product.post(`/v1/runs/${run}:cancel`);
    await product.ended(run);
    await page.locator('.head .state.s-cancelled, .head .state.s-failed').first().waitFor();
    page.wrong.length = 0;
    list.wrong.length = 0;
    await close(page);
    await close(list);
  },

  async 'why a run waits is found, and it is started'(context, product) {
    await product.apply('job: single\nlimits: { max_active_runs: 1 }\ntasks:\n  hold: { wait: { for: 600s } }\n');
    const [holder, waiting] = [await product.start('single'), await product.start('single')];
    const page = await open(context, product, `runs/${waiting}`);
    await page.locator('.head .state.s-queued').waitFor();
    const { message, advice } = await product.get(`/v1/runs/${waiting}/diagnosis`);
    assert.match(message, /1 of .*1/);
    const said = (await page.locator('.why').innerText()).toLowerCase();
    for (const sentence of [message, advice]) assert.ok(said.includes(sentence.replaceAll('`', '').toLowerCase()), `${said} does not say ${sentence}`);
    await page.locator('.why').getByRole('link', { name: holder }).click();
    await page.waitForURL(new RegExp(`/ui/runs/${holder}`));
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await confirm(page, 'Cancel');
    await page.locator('.head .state.s-cancelled').waitFor();
    await page.goBack();
    await page.locator('.head .state.s-running').waitFor();
    await product.post(`/v1/runs/${waiting}:cancel`);
    await close(page);
  },

  async 'the failed items of a mapped task are found among the others'(context, product, ids) {
    const page = await open(context, product, `runs/${ids.many}`);
    await page.locator('.row-link', { hasText: 'each' }).click();
    await page.getByText('items of each').waitFor();
    await page.locator('.facet').getByRole('link', { name: /failed/ }).click();
    await page.locator('.tbody .tr').nth(3).waitFor();
    assert.equal(await page.locator('.tbody .tr').count(), 4, '7, 14, 21 and 28 of 30 fail');
    assert.match(await page.locator('.tbody .tr').first().innerText(), /failed[^]*7/);
    await page.locator('.tbody .row-link').first().click();
    await page.locator('.panel .state.s-failed').first().waitFor();
    await close(page);
  },

  async 'one failed item of 20,000 is repaired'(context, product) {
    const dir = mkdtempSync(join(tmpdir(), 'console-items-'));
    await product.apply(`job: wide
limits: { max_fan_out: 20000 }
tasks:
  each: { for_each: { items: [${Array.from({ length: 20_000 }, (_, at) => at + 1)}], tolerate: 3 }, retries: 0, env: { N: "{{ item }}" }, shell: "case $N in 777|12345|19999) echo no file for $N; test -e ${dir}/$N;; esac" }
  last: { run: [echo, whole], needs: each }
`);
    const run = await product.start('wide');
    await product.until('all items have ended', async () => /succeeded|failed/.test((await product.get(`/v1/runs/${run}?tasks_limit=0`)).state), 170);
    const page = await open(context, product, `runs/${run}`);
    await page.locator('.row-link', { hasText: 'each' }).click();
    await page.getByText('items of each').waitFor();
    await page.locator('.facet').getByRole('link', { name: /failed/ }).first().click();
    await page.locator('.tbody .tr', { hasText: '19999' }).waitFor();
    assert.equal(await page.locator('.tbody .tr').count(), 3, 'three of 20,000 failed');
    await page.locator('.tbody .tr', { hasText: '12345' }).locator('.row-link').click();
    await page.locator('.panel .log-line', { hasText: 'no file for 12345' }).first().waitFor();
    writeFileSync(join(dir, '12345'), '');
    await page.locator('.panel').getByRole('button', { name: 'Clear item' }).click();
    await page.getByText('item 12344').waitFor();
    await confirm(page, 'Clear item');
    await page.locator('.tbody .tr', { hasText: '12345' }).waitFor({ state: 'detached' });
    assert.equal(await page.locator('.tbody .tr').count(), 2, 'the others are as they were');
    await product.until('only that item has run again', async () => {
      const { items } = (await product.get(`/v1/runs/${run}`)).tasks.find((task) => task.name === 'each');
      return items.succeeded === 19_998 && items.failed === 2;
    });
    rmSync(dir, { recursive: true });
    await close(page);
  },

  async 'what a failed run undid is found'(context, product) {
    await product.apply('job: saga\ntasks:\n  pay: { run: [echo, paid], undo: { run: [echo, refunded] } }\n  ship: { needs: pay, run: ["false"], retries: 0 }\n');
    const run = await product.start('saga');
    await product.until('the payment is undone', async () => (await product.get(`/v1/runs/${run}`)).state === 'failed');
    const page = await open(context, product, `runs/${run}`);
    await page.getByRole('link', { name: 'undo of pay' }).click();
    await page.locator('.panel').getByText('refunded').first().waitFor();
    await close(page);
  },

  async 'runs are counted, then cancelled by filter'(context, product) {
    await product.apply('job: herd\ntasks:\n  hold: { wait: { for: 600s } }\n');
    for (let turn = 0; turn < 5; turn++) await product.start('herd');
    const any = await open(context, product, 'runs?state=running');
    await any.getByRole('button', { name: 'Cancel all' }).click();
    await any.locator('dialog.ask strong').filter({ hasText: /^(\d|[\d,]{2,}) runs$/ }).waitFor();
    await close(any);
    const page = await open(context, product, 'runs?job=herd&state=running');
    await page.getByRole('button', { name: 'Cancel all' }).click();
    await page.locator('dialog.ask').getByText('5 runs', { exact: true }).waitFor();
    await page.getByLabel('Reason, kept with it').fill('the wrong day');
    await confirm(page, 'Cancel all');
    await page.getByText('No run fits these filters').waitFor();
    await page.goto(`${product.url}/ui/operations`);
    const row = page.locator('tr', { hasText: 'the wrong day' });
    await row.getByText('5 runs', { exact: true }).waitFor();
    await row.getByText('job herd, state running').waitFor();
    const all = (await product.get('/v1/runs?job=herd')).runs;
    assert.deepEqual(all.map((run) => run.state), Array(5).fill('cancelled'));
    await close(page);
  },

  async 'rows are sorted by a column, and the address says so'(context, product) {
    const page = await open(context, product, 'jobs');
    const names = async () => (await page.locator('.tbody .row-link').allInnerTexts()).map((text) => text.split('\n')[0]);
    await page.locator('.tbody .row-link', { hasText: 'nightly' }).waitFor();
    const before = await names();
    await page.getByRole('button', { name: 'Job', exact: true }).click();
    await page.getByRole('button', { name: 'Job', exact: true }).click();
    await page.waitForURL(/sort=-job/);
    assert.deepEqual(await names(), before.toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true })));
    assert.equal(await page.locator('[role=columnheader][aria-sort=descending]').innerText(), 'Job ▾');
    await page.getByRole('button', { name: 'Job', exact: true }).click();
    await page.waitForURL((url) => !url.search.includes('sort'));
    assert.deepEqual(await names(), before);
    await close(page);
  },

  async 'guides are searched, read and followed, and an error leads to its page'(context, product) {
    const page = await open(context, product, 'docs');
    await page.getByRole('searchbox', { name: 'Search the guides' }).fill('queue_full');
    await page.locator('.found a').first().click();
    await page.getByRole('heading', { name: 'QUEUE_FULL' }).waitFor();
    await page.locator('.guide').getByRole('link', { name: 'configuration' }).click();
    await page.waitForURL(/\/ui\/docs\/configuration$/);
    await page.locator('.guide table').first().waitFor();
    await page.getByRole('navigation', { name: 'On this page' }).getByRole('link').last().click();
    await page.waitForURL(/at=/);
    await product.until('it is scrolled there', () => page.evaluate(() => document.querySelector('main').scrollTop > 0));
    assert.equal(await page.locator('main img').count(), 0);
    await page.goto(`${product.url}/ui/runs/run_00000000000000000000000000000000`);
    await page.locator('.failure').getByRole('link', { name: 'RUN_NOT_FOUND' }).click();
    await page.getByRole('heading', { name: 'RUN_NOT_FOUND' }).waitFor();
    await close(page);
  },

  async 'a page reads each answer once'(context, product) {
    // Whatever the feed says first: what it says is in the answers already.
    for (const address of ['runs', 'jobs', 'schedules', 'dead-letters']) {
      await product.until(`a quiet time on ${address}`, async () => {
        const { records } = await product.get('/v1/system');
        const page = await context.newPage();
        const asked = [];
        page.on('request', (request) => request.url().includes('/v1/') && !request.url().includes('/v1/events') && asked.push(request.url()));
        await page.goto(`${product.url}/ui/${address}`);
        await page.locator(LIVE).waitFor();
        await page.locator('.tbody .row-link').first().waitFor();
        await page.waitForTimeout(1500);
        await page.close();
        if ((await product.get('/v1/system')).records !== records) return false;
        assert.deepEqual(asked, [...new Set(asked)], address);
        return true;
      }, 60);
    }
  },

  async 'ten thousand tasks are cancelled by filter'(context, product) {
    const some = JSON.stringify(Array.from({ length: 5000 }, () => ({ task_type: 'noop', job: 'bulk', delay_ms: 3_600_000 })));
    for (let half = 0; half < 2; half++) await product.call('POST', '/v1/tasks:batch', some);
    const page = await open(context, product, 'tasks?job=bulk&state=pending');
    await page.locator('.row-link').first().waitFor();
    await page.getByRole('button', { name: 'Cancel all' }).click();
    await page.locator('dialog.ask').getByText('also those that this page has not loaded').waitFor();
    await page.locator('dialog.ask').getByText('10,000 tasks', { exact: true }).waitFor();
    await confirm(page, 'Cancel all');
    await product.until('none waits', async () => (await product.get('/v1/tasks?job=bulk&state=pending&limit=1')).tasks.length === 0, 60);
    await page.getByText('No task fits these filters').waitFor();
    await page.goto(`${product.url}/ui/operations`);
    await page.locator('tr', { hasText: 'cancel tasks' }).getByText('10,000 tasks', { exact: true }).waitFor();
    await close(page);
  },

  async 'an operation shows how far it is and can be ended'(context, product) {
    const page = await context.newPage();
    // As it is seen while it goes on: a real one is through before anybody could press.
    const row = { operation_id: 99, state: 'running', verb: 'retry_tasks', selector: { verb: 'retry_tasks', job: 'report' }, total: 8000, looked_at: 2500, handled: 1990, refused: 10, last_refusal: 'TASK_RUNNING: it runs', actor: 'ana', started_at: new Date().toISOString() };
    await page.route(/\/v1\/operations\?/, (route) => route.fulfill({ json: { operations: [row] } }));
    const sent = [];
    await page.route(/\/v1\/operations\/99:cancel/, (route) => {
      sent.push(route.request().postDataJSON(), route.request().headers()['mainspring-actor']);
      return route.fulfill({ json: { ...row, state: 'cancelled' } });
    });
    await page.goto(`${product.url}/ui/operations`);
    await page.getByText('2,000/8,000').waitFor();
    await page.getByText('TASK_RUNNING: it runs').first().waitFor();
    await page.getByRole('button', { name: 'End' }).click();
    await page.getByLabel('Reason, kept with it').fill('the wrong job');
    await page.getByLabel('Your name, kept with it').fill('ben');
    await confirm(page, 'End');
    await page.getByText('it was ended').waitFor();
    assert.deepEqual(sent, [{ reason: 'the wrong job' }, 'ben']);
    await page.close();
  },

  async 'a task that waits for a person is approved by somebody who may'(context, product) {
    await product.apply(`job: release
tasks:
  build: { run: [echo, built] }
  sure: { approve: { by: [ana], message: "Deploy to production?" }, needs: build }
  deploy: { run: [echo, deployed], needs: sure }
`);
    const run = await product.start('release');
    const page = await open(context, product, `runs/${run}`);
    await page.getByText('Deploy to production?').waitFor();
    await page.getByText('ana may decide').waitFor();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByLabel('Your name, kept with it').fill('ben');
    await confirm(page, 'Approve');
    await page.locator('dialog.ask .failure').waitFor();
    await page.getByLabel('Your name, kept with it').fill('ana');
    await page.getByLabel('Reason, kept with it').fill('it is Monday');
    await confirm(page, 'Approve');
    await page.locator('.head .state.s-succeeded').waitFor();
    await page.goto(`${product.url}/ui/runs/${run}?view=data`);
    await page.getByText(/sure approved by ana .*it is Monday/).waitFor();
    await close(page);
  },

  async 'a schedule is made, seen over a change of the clock, edited and deleted'(context, product) {
    await product.apply('job: report\ntasks:\n  one: { noop: {} }\n');
    const page = await open(context, product, 'jobs/report?tab=schedules');
    await page.getByRole('link', { name: 'New schedule' }).click();
    await page.getByLabel('Name', { exact: true }).fill('morning');
    await page.getByLabel('Cron expression').fill('30 2 * * *');
    await page.getByLabel('Time zone', { exact: true }).fill('Europe/Berlin');
    const forward = page.locator('.preview div', { has: page.getByRole('heading', { name: /Clock forward by 1h/ }) }).last();
    await forward.getByText('1 skipped before').waitFor();
    await page.getByLabel('A local time that does not exist is').selectOption('after');
    await forward.getByText('03:00 +02:00').or(forward.getByText('03:30 +02:00')).first().waitFor();
    await page.getByRole('heading', { name: /Clock back by 1h/ }).waitFor();
    await page.getByRole('button', { name: 'Save…' }).click();
    await confirm(page, 'Save');
    await page.waitForURL(/schedules\/report\/morning$/);
    assert.deepEqual((await product.get('/v1/schedules/report/morning')).dst, { missing: 'after', twice: 'first' });
    await page.getByRole('button', { name: 'Edit…' }).click();
    await page.getByLabel('Cron expression').fill('0 25 * * *');
    await page.locator('.failure').first().waitFor();
    await page.getByLabel('Cron expression').fill('0 7 * * *');
    await page.getByText('07:00 +').first().waitFor();
    await page.getByRole('button', { name: 'Save…' }).click();
    await confirm(page, 'Save');
    await product.until('it is stored', async () => (await product.get('/v1/schedules/report/morning')).cron === '0 7 * * *');
    await page.locator('.head').getByRole('button', { name: 'More…' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await confirm(page, 'Delete');
    await page.waitForURL(/\/ui\/schedules$/);
    await assert.rejects(product.get('/v1/schedules/report/morning'), /SCHEDULE_NOT_FOUND/);
    await close(page);
  },

  async 'a waiting task gets another priority and is started now'(context, product) {
    const { task_id: id } = await product.post('/v1/tasks', { task_type: 'process', payload: { argv: ['echo', 'early'] }, delay_ms: 3_600_000 });
    const page = await open(context, product, `tasks/${id}`);
    await page.getByLabel('Priority').selectOption('P0');
    await page.getByLabel('Payload, as JSON').fill('{"argv": ["echo", "changed"]}');
    await page.getByRole('button', { name: 'Change…' }).click();
    await page.locator('dialog.ask').getByText('another payload').waitFor();
    await confirm(page, 'Change');
    await page.getByText('P0, level').waitFor();
    await page.getByRole('button', { name: 'Run now' }).click();
    await confirm(page, 'Run now');
    await page.locator('.log-line', { hasText: 'changed' }).waitFor();
    await close(page);
  },

  async 'a run is repeated from one of its tasks, and with another parameter'(context, product, ids) {
    const page = await open(context, product, `runs/${ids.again}?view=data`);
    await page.getByRole('button', { name: 'Rerun with other values…' }).click();
    await page.getByLabel('day', { exact: true }).fill('2026-12-24');
    await page.getByRole('button', { name: 'Rerun with these values…' }).click();
    await page.locator('dialog.ask').getByText('changed').waitFor();
    await confirm(page, 'Rerun with these values');
    await page.locator('.toast a').click();
    await page.waitForURL((url) => /runs\/run_/.test(url.pathname) && !url.pathname.includes(ids.again));
    const fresh = page.url().split('/').pop();
    assert.equal((await product.get(`/v1/runs/${fresh}`)).parameters.day, '2026-12-24');
    await product.ended(fresh);
    const task = (await product.get(`/v1/runs/${fresh}`)).tasks.find((row) => row.name === 'publish').task_id;
    await page.goto(`${product.url}/ui/tasks/${task}`);
    await page.locator('.head').getByRole('button', { name: 'More…' }).click();
    await page.getByRole('button', { name: 'Rerun from this task' }).click();
    await confirm(page, 'Rerun from this task');
    await page.locator('.toast a').click();
    await page.locator('.head .state.s-succeeded').waitFor();
    const last = await product.get(`/v1/runs/${page.url().split('/').pop()}`);
    assert.equal(last.rerun_of, fresh);
    await close(page);
  },

  async 'the run that began to be slow is found, and what changed'(context, product) {
    const job = (sleep) => `job: daily\ntasks:\n  load: { shell: "sleep 0.1" }\n  join: { shell: "sleep ${sleep}", needs: load }\n`;
    await product.apply(job('0.1'));
    for (let run = 0; run < 2; run++) await product.ended(await product.start('daily'));
    await product.apply(job('1.5'));
    const slow = await product.start('daily');
    await product.ended(slow);
    const page = await open(context, product, 'jobs/daily');
    await page.locator('.durations a.new', { hasText: 'v2' }).waitFor();
    await page.locator(`.row-link[href*="${slow}"]`).click();
    await page.locator('.panel').getByText('Compare', { exact: true }).click();
    await page.locator('.panel').getByText('1 then, 2 now').waitFor();
    const first = page.locator('.panel .tbody .tr').first();
    await first.getByText('join').waitFor();
    assert.match(await first.innerText(), /1\.\ds|\ds/);
    await page.locator('.panel').getByText('1 then, 2 now').click();
    await page.getByText('What changed from version 1').waitFor();
    await page.getByText('sleep 1.5').first().waitFor();
    await close(page);
  },

  'any address shows the same to somebody else': checkPermalinks,
  'everything is reached by keyboard': checkKeyboard,
  'states are told apart without colours': checkGreyscale,
  'a broken policy and a request to another host would be noticed': checkWatch,

  async 'text of tasks is text'(context, product, ids) {
    const page = await open(context, product, `runs/${ids.good}`);
    await page.locator('.row-link', { hasText: 'first' }).first().click();
    await page.locator('.log-line', { hasText: '<img src=x onerror=alert(1)>' }).first().waitFor();
    assert.equal(await page.locator('img').count(), 0);
    await page.goto(`${product.url}/ui/jobs/good`);
    await page.getByText('<img src=x onerror=alert(1)>').first().waitFor();
    await close(page);
  },

  async 'a large payload is cut in the page and downloaded whole'(context, product) {
    const text = 'long '.repeat(30_000);
    const { task_id: id } = await product.post('/v1/tasks', { task_type: 'process', payload: { argv: ['true', text] }, delay_ms: 3_600_000 });
    const page = await open(context, product, `tasks/${id}`);
    await page.getByRole('button', { name: 'Show all of it' }).waitFor();
    assert.ok((await page.locator('.json pre').first().innerText()).length < 70_000);
    const [download] = await Promise.all([page.waitForEvent('download'), page.locator('.json').first().getByRole('button', { name: 'Download' }).click()]);
    const saved = JSON.parse(readFileSync(await download.path(), 'utf8'));
    assert.equal(saved.argv[1], text);
    await page.getByRole('button', { name: 'Show what happened to it' }).click();
    await page.locator('tr', { hasText: 'submitted' }).getByText('pending').waitFor();
    await product.post(`/v1/tasks/${id}:cancel`);
    await page.locator('tr', { hasText: 'cancelled' }).first().waitFor();
    await close(page);
  },

  async 'an action can be copied as a command'(context, product, ids) {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: product.url });
    const page = await open(context, product, `runs/${ids.bad}`);
    await page.getByRole('button', { name: 'Rerun', exact: true }).click();
    await page.getByRole('button', { name: 'Copy as CLI' }).click();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), `mainspring run rerun ${ids.bad}`);
    await page.getByRole('button', { name: 'Back' }).click();
    await page.goto(`${product.url}/ui/runs?state=failed&job=bad`);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('view as cli');
    await page.locator('[role=option][aria-selected=true]', { hasText: 'Copy this view as CLI' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('command copied').waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), 'mainspring run list --state failed --job bad');
    await close(page);
  },

  async 'a server with a token asks for it once'(context) {
    const [dir, token] = [mkdtempSync(join(tmpdir(), 'console-token-')), 'f00d'.repeat(8)];
    writeFileSync(join(dir, 'token'), token, { mode: 0o600 });
    const guarded = await Product.start(['--token-file', join(dir, 'token')]);
    try {
      const page = await context.newPage();
      await page.goto(`${guarded.url}/ui/tasks`);
      await page.getByRole('textbox', { name: 'Token' }).fill('nothing');
      await page.getByRole('button', { name: 'Enter' }).click();
      await page.getByText('the token is missing or wrong').first().waitFor();
      await page.getByRole('textbox', { name: 'Token' }).fill(token);
      await page.getByRole('button', { name: 'Enter' }).click();
      await page.locator(LIVE).waitFor();
      await page.locator('.row-link').first().waitFor();
      assert.equal(await page.evaluate(() => document.cookie), '', 'no script can read it');
      await page.reload();
      await page.locator('.row-link').first().waitFor();
      assert.equal(await page.locator('dialog[open]').count(), 0);
    } finally {
      await guarded.kill();
      guarded.front?.kill();
      rmSync(guarded.dir, { recursive: true, force: true });
      rmSync(dir, { recursive: true });
    }
  },

  async 'twelve tabs share one stream'(context, product) {
    const pages = await Promise.all(Array.from({ length: 12 }, () => open(context, product, 'runs')));
    for (const page of pages) await page.locator(LIVE).waitFor();
    const run = await product.start('good');
    // Hidden tabs read when they are looked at.
    for (const page of [pages[0], pages[11]]) {
      await page.bringToFront();
      await page.locator(`.row-link[href*="${run}"]`).waitFor();
    }
    for (const page of pages) await close(page);
  },

  async 'without SharedWorker one tab listens for all'(context, product) {
    const bare = await context.browser().newContext();
    await bare.addInitScript(() => delete globalThis.SharedWorker);
    const [first, second] = [await open(bare, product, 'runs'), await bare.newPage()];
    await second.goto(`${product.url}/ui/runs`);
    const run = await product.start('good');
    for (const page of [first, second]) await page.locator(`.row-link[href*="${run}"]`).waitFor();
    await bare.close();
  },
};
