import assert from 'node:assert/strict';
import { test } from 'node:test';
import { layersOf, layout, spread } from '../../src/graph/layout';
import { neighbour, toGraph } from '../../src/graph/graph';
import { fingerprint, groups } from '../../src/screens/dead-letters';
import { calls, type Facts } from '../../src/screens/now';
import { median, success } from '../../src/screens/jobs';
import { pairs } from '../../src/screens/compare';
import { gridRows } from '../../src/screens/grid';
import { byDay } from '../../src/screens/schedule';
import { byHour } from '../../src/screens/schedules';
import { fieldOf, valueOf } from '../../src/screens/start';
import { bars, criticalPath } from '../../src/screens/timeline';
import { arranged } from '../../src/screens/run-tasks';
import { score } from '../../src/shell/palette';
import { sinceInstant } from '../../src/ui/facets';
import { append } from '../../src/ui/log';
import { fitting } from '../../src/ui/table';

const graphOf = (text: string) => toGraph(text.trim().split('\n').map((line) => {
  const [name, ...needs] = line.trim().split(/\s+/);
  return { name: name!, needs, state: 'pending' as const };
}));

test('layers follow the longest path, and a cycle ends', () => {
  assert.deepEqual([...layersOf(graphOf('a\nb a\nc a b\nd'))], [0, 1, 2, 0]);
  assert.equal(layersOf(graphOf('a b\nb a')).length, 2);
});

test('nodes of a layer do not touch, and long edges have a place of their own', () => {
  const plan = layout(graphOf('a\nb a\nc b\nd a c\ne a'));
  const places = new Set([...plan.x].map((x, at) => `${x} ${plan.y[at]}`));
  assert.equal(places.size, 5);
  const edge = 2; // a → d, over b and c
  assert.equal(plan.bendsAt.at(-1)! >= 2, true);
  assert.ok(edge && plan.width > 0 && [...plan.y].every((y) => y >= 0 && y <= plan.height));
  for (const [x, at] of [...plan.x].map((x, at) => [x, at] as const)) {
    for (let bend = 0; bend < plan.bends.length; bend += 2) {
      if (plan.bends[bend] === x) assert.ok(Math.abs(plan.bends[bend + 1]! - plan.y[at]!) >= 45, 'an edge passes beside a node');
    }
  }
});

test('a graph of ten thousand is laid out without a stack', () => {
  const chain = Array.from({ length: 10_000 }, (_, at) => ({ name: `t${at}`, needs: at ? [`t${at - 1}`] : [], state: 'pending' as const }));
  const plan = layout(toGraph(chain));
  assert.equal(plan.x[9_999]! > plan.x[0]!, true);
  assert.ok([...plan.y].every((y) => Math.abs(y - plan.y[0]!) < 0.01), 'a chain is straight');
});

test('wishes that collide are spread around their mean', () => {
  assert.deepEqual([...spread(Float64Array.from([0, 0, 0]))], [-1, 0, 1]);
  assert.deepEqual([...spread(Float64Array.from([0, 5, 5]))], [0, 4.5, 5.5]);
});

test('arrows walk to the nearest node', () => {
  const plan = layout(graphOf('a\nb a\nc a'));
  assert.ok([1, 2].includes(neighbour(plan, 0, 'ArrowRight')!));
  assert.equal(neighbour(plan, 1, 'ArrowLeft'), 0);
  assert.equal(neighbour(plan, 0, 'x'), undefined);
});

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds)).toISOString();
const task = (name: string, needs: string[], start: number, end: number) => ({ name, needs, state: 'succeeded', started_at: at(start), ended_at: at(end), trigger_rule: '' }) as never;

test('the timeline tells waiting from running, and the critical path', () => {
  const run = { started_at: at(0), created_at: at(0), ended_at: at(10), tasks: [task('a', [], 0, 4), task('b', [], 0, 2), task('c', ['a', 'b'], 6, 10)] } as never;
  const rows = bars(run, 0);
  const last = rows.find((row) => row.task.name === 'c')!;
  assert.deepEqual([last.ready, last.start, last.end], [0.4, 0.6, 1]);
  assert.deepEqual([...criticalPath((run as { tasks: never[] }).tasks)].sort(), ['a', 'c']);
});

test('tasks can be put in order', () => {
  const rows = [{ ...(task('z', ['a'], 1, 2) as object), state: 'failed' }, task('a', [], 0, 9)] as never[];
  assert.deepEqual(arranged(rows, '').map((row) => row.name), ['a', 'z']);
  assert.deepEqual(arranged(rows, 'worst').map((row) => row.name), ['z', 'a']);
  assert.deepEqual(arranged(rows, 'longest').map((row) => row.name), ['a', 'z']);
});

test('errors that differ only in numbers are one group', () => {
  const dead = (message: string, ended_at: string) => ({ task_id: ended_at, state: 'failed', ended_at, last_error: { class: 'permanent', code: 7, message } }) as never;
  const found = groups([dead('row 12 of `a` is bad', at(2)), dead('row 9 of `b` is bad', at(1)), dead('no route', at(3))]);
  assert.deepEqual(found.map((group) => group.tasks.length), [2, 1]);
  assert.deepEqual([found[0]!.first, found[0]!.last], [at(1), at(2)]);
  assert.equal(fingerprint({ state: 'failed' } as never), 'failed');
});

const quiet = {
  failed: { rows: [] }, active: { rows: [] }, dead: { rows: [] }, quarantined: { rows: [] }, workers: [], schedules: { rows: [] },
  stats: { queued: 0 }, ready: { status: 'ready' },
} as unknown as Facts;

test('what needs a person comes sorted by harm, and nothing is nothing', () => {
  assert.deepEqual(calls(quiet), []);
  const found = calls({
    ...quiet,
    failed: { rows: [{ job: 'etl', run_id: 'run_1', created_at: at(1), state: 'failed' }] },
    schedules: { rows: [{ job: 'j', name: 's', tenant: 'default', missed: 2, state: 'paused', updated_at: at(0) }] },
    stats: { queued: 3 },
  } as unknown as Facts);
  assert.deepEqual(found.map((call) => [call.key, call.harm, call.count]), [['no worker', 3, 3], ['failed etl', 3, 1], ['missed j/s', 2, 2], ['paused', 1, 1]]);
});

test('figures of jobs', () => {
  const run = (state: string) => ({ state }) as never;
  assert.equal(success([run('succeeded'), run('failed'), run('cancelled'), run('running')]), '50 %');
  assert.equal(success([run('running')]), '–');
  assert.deepEqual([median([3, 1, 2]), Number.isNaN(median([]))], [2, true]);
});

test('windows are shown by day of the zone and by hour', () => {
  const window = (first: string) => ({ first, outcome: 'ran' }) as never;
  const days = byDay([window('2026-01-01T23:30:00Z'), window('2026-01-01T12:00:00Z')], 'Europe/Berlin');
  assert.deepEqual(days.map(([name, rows]) => [name, rows.length]), [['2026-01-02', 1], ['2026-01-01', 1]]);
  const hours = byHour([{ begins_at: at(10) }, { begins_at: at(3700) }, { begins_at: at(3600 * 30) }] as never, Date.parse(at(0)));
  assert.deepEqual([hours[0], hours[1], hours.length], [1, 1, 24]);
});

test('parameters become fields of their type, and texts values', () => {
  assert.deepEqual(fieldOf('day', '2026-01-01').type, 'string');
  const times = fieldOf('times', { type: 'integer', default: 3, minimum: 1, maximum: 100 });
  const rows: [string, { value?: unknown; mistake?: string }][] = [
    ['5', { value: 5 }], ['0', { mistake: 'at least 1' }], ['500', { mistake: 'at most 100' }], ['1.5', { mistake: 'not a whole number' }], ['x', { mistake: 'not a number' }], ['', {}],
  ];
  for (const [text, wanted] of rows) assert.deepEqual(valueOf(times, text), wanted, text);
  assert.deepEqual(valueOf(fieldOf('list', { type: 'array', default: [] }), '[1'), { mistake: 'not JSON' });
  assert.deepEqual(valueOf(fieldOf('must', { type: 'number' }), ''), { mistake: 'a value is needed' });
});

test('two runs are compared by task, other states and the slowest first', () => {
  const old = [task('a', [], 0, 1), task('b', [], 0, 1), task('c', [], 0, 1), task('gone', [], 0, 1)] as never[];
  const now = [task('a', [], 0, 2), task('b', [], 0, 9), { ...(task('c', [], 0, 1) as object), state: 'failed' }] as never[];
  assert.deepEqual(pairs(old, now).map((row) => [row.name, row.more]), [['c', 0], ['gone', 0], ['b', 8000], ['a', 1000]]);
});

test('the grid has every task of all runs', () => {
  const run = (...names: string[]) => ({ run_id: names.join(), tasks: names.map((name) => task(name, [], 0, 1)) }) as never;
  const rows = gridRows([run('old', 'a'), run('a', 'b')]);
  assert.deepEqual(rows.map((row) => [row.name, row.cells.map((cell) => cell?.state ?? '')]), [['a', ['succeeded', 'succeeded']], ['b', ['', 'succeeded']], ['old', ['succeeded', '']]]);
});

test('the palette finds letters in their order', () => {
  assert.equal(score('Dead letters', 'dl'), 4);
  assert.equal(score('Runs', 'sr'), undefined);
});

test('spans back from now', () => {
  assert.equal(sinceInstant('24h', Date.parse('2026-01-02T03:04:59Z')), '2026-01-01T03:04:00.000Z');
  for (const text of ['', '24', 'h', '99999h', '-1h']) assert.equal(sinceInstant(text, 0), undefined, text);
});

test('a log grows by pieces and forgets its beginning', () => {
  const log = { lines: [''], dropped: 0 };
  append(log, 'a\nb');
  append(log, 'c\n');
  assert.deepEqual(log.lines, ['a', 'bc', '']);
  append(log, 'x\n'.repeat(300_000));
  assert.ok(log.lines.length <= 220_000 && log.dropped + log.lines.length === 300_003);
});

test('columns that have no room are left out, the last first', () => {
  const column = (name: string, width: string, isWideOnly = false) => ({ name, width, isWideOnly, cell: () => null });
  const all = [column('a', '100px'), column('b', '100px', true), column('c', '200px', true), column('d', '60px')];
  assert.deepEqual(fitting(all, 800).map((one) => one.name), ['a', 'b', 'c', 'd']);
  assert.deepEqual(fitting(all, 360).map((one) => one.name), ['a', 'b', 'd']);
  assert.deepEqual(fitting(all, 200).map((one) => one.name), ['a', 'd']);
});
