import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asCommand, asCurl, changeDeadLetters, clearItems, rerun, startJob, withReason } from '../../src/api/actions';
import { stateOfLetter } from '../../src/api/state';
import { readRun } from '../../src/api/views';
import { Feed, readChange, type Change, type Word } from '../../src/live/feed';
import { FRESH_MAX, after, merged, readAgain } from '../../src/live/paged';
import { next, sorted } from '../../src/ui/sort';
import { href, parse } from '../../src/url/route';

test('what holds a run is its state', () => {
  assert.equal(readRun({ state: 'running', counts: {} } as never).state, 'running');
  assert.equal(readRun({ state: 'running', paused: '2026-01-01T00:00:00Z' } as never).state, 'paused');
  assert.equal(readRun({ state: 'running', paused: 'by hand', stopping: 'cancelled' } as never).state, 'stopping');
  assert.equal(readRun({ state: 'failed', stopping: 'a task failed' } as never).state, 'failed');
  assert.deepEqual([...'sfx.'].map(stateOfLetter), ['succeeded', 'failed', 'quarantined', undefined]);
});

test('a line of the feed becomes a change', () => {
  const line = (type: string, data: object = {}) => JSON.stringify({ type: `mainspring.${type}`, subject: 'run_1', time: '2026-01-01T00:00:00Z', data });
  const { heard, ...change } = readChange(line('run.succeeded', { job: 'etl', state: 'succeeded', record: 7 })) as Change;
  assert.deepEqual(change, {
    kind: 'run', id: 'run_1', what: 'ended', state: 'succeeded', job: 'etl', run: 'run_1', task: undefined, at: '2026-01-01T00:00:00Z', record: 7,
  });
  assert.ok(heard <= Date.now());
  const records = ['task.failed', 'task.running', 'worker.joined', 'job.stored'].map((type) => (readChange(line(type, { record: 7 })) as Change).record);
  assert.deepEqual(records, [7, undefined, undefined, 7], 'what no record has is read again, whatever an answer has seen');
  const kinds = ['run.task.failed', 'run.created', 'task.queued'].map((type) => (readChange(line(type)) as { what: string }).what);
  assert.deepEqual(kinds, ['task_failed', 'created', 'queued']);
  assert.equal(readChange(line('events.lost', { count: 3 })), 'lost');
  assert.equal(readChange('  '), undefined);
});

test('a stream says from which record on it tells, and after a break that everything is old', async () => {
  const news = (record: number) => `${JSON.stringify({ type: 'mainspring.task.failed', subject: 'task_1', time: '', data: { record } })}\n`;
  const bodies = [news(9), ''];
  const words: Word[] = [];
  const { fetch } = globalThis;
  globalThis.fetch = () => Promise.resolve(new Response(bodies.shift() ?? '', { headers: { 'mainspring-record': '7' } }));
  const ended = new Promise<void>((done) => {
    const feed = new Feed('/v1/events', (word) => {
      words.push(word);
      if (words.filter(({ say }) => say === 'again').length === 2) done(feed.close());
    });
    void feed.run();
  });
  await ended;
  globalThis.fetch = fetch;
  const [first, second] = words.filter((word) => word.say === 'again');
  assert.deepEqual([first!.record, first!.broken], [7, 0]);
  assert.ok(second!.broken > 0 && second!.broken <= Date.now());
});

test('an address says everything about a view, and only one does', () => {
  const to = href(['jobs', 'a/b c'], { state: 'failed,running', open: '', label: 'team=ops', at: undefined });
  assert.equal(to, '/ui/jobs/a%2Fb%20c?label=team%3Dops&state=failed,running');
  const place = parse('/ui/jobs/a%2Fb%20c', '?label=team%3Dops&state=failed,running');
  assert.deepEqual([place.path, place.query.get('label')], [['jobs', 'a/b c'], 'team=ops']);
  assert.deepEqual(parse('/base/ui/runs/%', '').path, ['runs', '%'], 'what cannot be decoded stays');
});

test('actions are the same as requests and as commands', () => {
  const start = withReason(startJob('etl', 'acme', { parameters: { day: "it's", n: 3, list: [1] }, run_key: '' }), 'late data');
  assert.equal(asCommand(start), `mainspring job trigger etl --tenant acme -p 'day=it'\\''s' -p n=3 -p 'list=[1]' --reason 'late data'`);
  assert.deepEqual(start.request.body, { parameters: { day: "it's", n: 3, list: [1] }, reason: 'late data' });
  assert.equal(asCurl(changeDeadLetters(['task_1'], 'requeue'), 'http://h:1'),
    `curl -sS -X POST http://h:1/v1/dead-letters:requeue -H 'content-type: application/json' -d '{"ids":["task_1"]}'`);
  assert.equal(asCommand(rerun('run_1', 'failure', true)), 'mainspring run rerun run_1 --from-failure --newest');
});

test('actions of items are commands too', () => {
  const clear = clearItems('run_1', 'each', [6, 13]);
  assert.deepEqual(clear.request.body, { tasks: ['each'], items: [6, 13] });
  assert.equal(asCommand(clear), 'mainspring run clear run_1 --task each --items 6,13');
});

test('rows in the order of a column, those without a value last', () => {
  const columns = [{ name: 'Took then', isNumber: true, by: (row: { n?: number }) => row.n }, { name: 'Plain' }];
  const rows = [{ n: 2 }, { n: undefined }, { n: 10 }, { n: 0 }];
  const order = (by: string) => sorted(rows, columns, by).map((row) => row.n ?? '-').join(' ');
  assert.equal(order('took-then'), '0 2 10 -');
  assert.equal(order('-took-then'), '10 2 0 -');
  assert.equal(order('plain'), '2 - 10 0', 'a column without a value to sort by');
  assert.equal(order(''), '2 - 10 0');
  const pressed = (isNumber: boolean) => ['', '', ''].reduce<string[]>((all) => [...all, next('Took then', isNumber, all.at(-1) ?? '')], []);
  assert.deepEqual(pressed(true), ['-took-then', 'took-then', '']);
  assert.deepEqual(pressed(false), ['took-then', '-took-then', '']);
});

test('as much of a list is read again as was known', async () => {
  const all = Array.from({ length: 3000 }, (_, at) => ({ id: String(at) }));
  let asked = 0;
  const load = (cursor: string | undefined) => {
    asked++;
    const from = Number(cursor ?? 0);
    return Promise.resolve({ rows: all.slice(from, from + 200), next: from + 200 < all.length ? String(from + 200) : undefined });
  };
  const read = async (known: number) => (await readAgain(load, known)).rows.length;
  assert.deepEqual([await read(0), asked], [200, 1]);
  assert.equal(await read(500), 600);
  assert.equal(await read(2900), FRESH_MAX);
  all.length = 150;
  const whole = await readAgain(load, 2900);
  assert.deepEqual([whole.rows.length, whole.next], [150, undefined], 'rows that no longer fit are gone');
});

test('answers without rows are passed over', async () => {
  const load = (cursor: string | undefined) => Promise.resolve(cursor === '3' ? { rows: ['row'] } : { rows: [], next: String(Number(cursor ?? 0) + 1) });
  assert.deepEqual((await readAgain(load, 0)).rows, ['row']);
});

test('what is known beyond the fresh rows begins after the last of them', () => {
  const rows = (text: string) => [...text].map((id) => ({ id }));
  const rest = (fresh: string, known: string) => after(rows(fresh), rows(known), (row) => row.id).map((row) => row.id).join('');
  assert.equal(rest('abc', 'abcdef'), 'def');
  assert.equal(rest('xab', 'abcdef'), 'cdef', 'one came in at the top');
  assert.equal(rest('xyz', 'abcdef'), 'def', 'none is known');
  assert.equal(rest('', 'ab'), 'ab');
});

test('pages are merged without doubles, fresh rows first', () => {
  const row = (id: string, state: string) => ({ id, state });
  const first = [row('c', 'new'), row('b', 'new')];
  assert.deepEqual(merged(first, [row('b', 'old'), row('a', 'old')], (one) => one.id), [...first, row('a', 'old')]);
});

