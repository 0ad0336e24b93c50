import assert from 'node:assert/strict';
import { test } from 'node:test';
import { COLUMN, ROW, layersOf, readGraph, toGraph } from '../../src/graph/layout';
import { neighbour } from '../../src/graph/graph';
import { errorWords } from '../../src/screens/dead-letters';
import { ledgerCells } from '../../src/screens/ledger';
import { advised, listHref } from '../../src/screens/now';
import { percent, recentOutcomes } from '../../src/screens/jobs';
import { byReason, emptyIn, poolChoices, reasonText } from '../../src/screens/waiting';
import { pairs } from '../../src/screens/compare';
import { cellState } from '../../src/screens/grid';
import { valueText } from '../../src/screens/items';
import { rate } from '../../src/screens/now';
import { area } from '../../src/ui/chart';
import { byDay } from '../../src/screens/schedule';
import { byHour } from '../../src/screens/schedules';
import { fieldOf, valueOf } from '../../src/screens/start';
import { bars, spansText } from '../../src/screens/timeline';
import { arranged } from '../../src/screens/run-tasks';
import { score } from '../../src/shell/palette';
import { sinceInstant } from '../../src/ui/facets';
import { append, isStderr, shorten, type Part } from '../../src/live/log';
import { fitting } from '../../src/ui/table';
import { asFlags, bulk, counted, labelsOf, whole } from '../../src/api/bulk';
import { asCommand, asCurl, decide, putSchedule, withReason } from '../../src/api/actions';
import { viewAsCommand, viewAsCurl, viewOf } from '../../src/shell/view-command';
import { parse } from '../../src/url/route';
import { selectionText } from '../../src/screens/operations';
import { title } from '../../src/screens/words';
import { bodyOf, draftOf } from '../../src/screens/schedule-edit';
import { clockChanges } from '../../src/format/time';

const graphOf = (text: string) => toGraph(text.trim().split('\n').map((line) => {
  const [name, ...needs] = line.trim().split(/\s+/);
  return { name: name!, needs, state: 'pending' as const };
}));

test('layers follow the longest path, and a cycle ends', () => {
  assert.deepEqual([...layersOf(graphOf('a\nb a\nc a b\nd'))], [0, 1, 2, 0]);
  assert.equal(layersOf(graphOf('a b\nb a')).length, 2);
});

const DIAMOND = { names: ['a', 'b', 'c', 'd'], edges: [0, 1, 0, 2, 1, 3, 2, 3, 0, 3], layer: [0, 1, 1, 2], y: [100, 0, 200, 100], layers: 3, height: 300, bends: [100], mapped: [2], runs: [] };

test('places of the server become points of the canvas', () => {
  const { plan, mapped, count } = readGraph(DIAMOND);
  assert.deepEqual([...plan.x], [0.5, 1.5, 1.5, 2.5].map((column) => column * COLUMN));
  assert.deepEqual([...plan.y], [1.5, 0.5, 2.5, 1.5].map((row) => row * ROW));
  assert.deepEqual([...plan.bendsAt], [0, 0, 0, 0, 0, 1], 'only the last edge passes a layer');
  assert.deepEqual([...plan.bends], [1.5 * COLUMN, 1.5 * ROW]);
  assert.deepEqual([plan.width, plan.height, count, mapped.has(2)], [3 * COLUMN, 3 * ROW, 4, true]);
  const straight = readGraph({ ...DIAMOND, bends: [], straight: true });
  assert.deepEqual([straight.plan.bends.length, straight.plan.bendsAt.at(-1)], [0, 0]);
});

test('arrows walk to the nearest node', () => {
  const { plan } = readGraph(DIAMOND);
  assert.ok([1, 2].includes(neighbour(plan, 0, 'ArrowRight')!));
  assert.equal(neighbour(plan, 1, 'ArrowLeft'), 0);
  assert.equal(neighbour(plan, 0, 'x'), undefined);
});

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds)).toISOString();
const task = (name: string, needs: string[], start: number, end: number) => ({ name, needs, state: 'succeeded', started_at: at(start), ended_at: at(end), trigger_rule: '' }) as never;

test('the timeline tells running from waiting and what was waited for', () => {
  const spans = [{ cause: 'upstream', from_ms: 0, to_ms: 400 }, { cause: 'limit', limit: 'gate', from_ms: 400, to_ms: 600 }, { cause: 'run', from_ms: 600, to_ms: 800 }];
  const times = { name: 'c', state: 'running', critical: true, spans } as never;
  const [done] = bars([times], 1000, Infinity);
  assert.deepEqual(done!.spans.map(({ left, width }) => [left, Number(width.toFixed(3))]), [[0, 0.4], [0.4, 0.2], [0.6, 0.2]]);
  assert.equal(done!.ranMs, 200);
  // What goes on has gone on since the answer was given.
  const [live] = bars([times], 1000, 800, 200);
  assert.deepEqual([live!.ranMs, Number(live!.spans[2]!.width.toFixed(3))], [400, 0.4]);
  assert.equal(spansText(spans as never), 'waited for tasks before it 400ms, waited for limit gate 200ms, ran 200ms');
});

test('tasks can be put in order', () => {
  const rows = [{ ...(task('z', ['a'], 1, 2) as object), state: 'failed' }, task('a', [], 0, 9)] as never[];
  assert.deepEqual(arranged(rows, '').map((row) => row.name), ['a', 'z']);
  assert.deepEqual(arranged(rows, 'worst').map((row) => row.name), ['z', 'a']);
  assert.deepEqual(arranged(rows, 'longest').map((row) => row.name), ['a', 'z']);
});

test('a cell of the ledger shows the worst of its windows', () => {
  const hour = 3_600_000;
  const window = (first: number, last: number, count: number, outcome: string) =>
    ({ tenant: 'default', job: 'j', name: 's', first: new Date(first).toISOString(), last: new Date(last).toISOString(), count, outcome, decided_at: '' }) as never;
  const cells = ledgerCells([window(0, 0, 1, 'ran'), window(10, 10, 1, 'missed'), window(5 * hour, 7 * hour, 6, 'skipped'), window(-9, -9, 1, 'ran')], 0, hour);
  assert.equal(cells.length, 24);
  assert.deepEqual(cells[0], { worst: 'missed', counts: { ran: 2, missed: 1 } });
  assert.deepEqual(cells.slice(5, 9).map((cell) => cell.counts.skipped), [2, 2, 2, undefined]);
});

test('errors that differ only in numbers have the same words', () => {
  const words = (message: string) => errorWords({ class: 'permanent', code: 7, message });
  assert.equal(words('row 12 of `a` is bad'), words('row 9 of `b` is bad'));
  assert.notEqual(words('row 12 of `a` is bad'), words('no route'));
  assert.equal(errorWords(undefined), errorWords({ class: 'none', code: 0, message: '' }), 'ended by an operator');
});

test('a finding leads to all that it counts, and its action can be done', () => {
  const finding = (kind: string, more: object = {}) => ({ kind, harm: 3, count: 2, message: '', advice: '', ...more }) as never;
  const rows: [string, object, string][] = [
    ['runs_failed', { job: 'etl', tenant: 'default' }, '/ui/runs?job=etl&since=24h&state=failed'],
    ['windows_missed', { job: 'etl', schedule: 'nightly', tenant: 'acme' }, '/ui/schedules/etl/nightly?tenant=acme'],
    ['no_workers', { pool: 'gpu' }, '/ui/queues'],
    ['dead_letters', {}, '/ui/dead-letters'],
    ['schedules_paused', { job: 'etl', schedule: 'nightly' }, '/ui/schedules'],
  ];
  for (const [kind, more, wanted] of rows) assert.equal(listHref(finding(kind, more)), wanted, kind);
  assert.equal(advised(finding('no_workers')), undefined);
  const action = { title: 'Clear failed', effect: '', method: 'POST', path: '/v1/runs/run_1:clear', body: {}, command: ['run', 'clear', 'run_1'] };
  assert.deepEqual(advised(finding('runs_failed', { action }))?.request, { method: 'POST', path: '/v1/runs/run_1:clear', body: {} });
});

test('figures of jobs', () => {
  assert.deepEqual([percent(0.999), percent(1), percent(undefined)], ['99 %', '100 %', '–']);
  const run = (run_id: string, took_ms: number) => ({ run_id, took_ms, state: 'succeeded', version: 1 }) as never;
  assert.deepEqual(recentOutcomes([run('newest', 50), run('oldest', 100)]).map(({ key, height }) => [key, height]), [['oldest', 1], ['newest', 0.5]]);
});

test('what queued tasks wait for, summed and in words', () => {
  const row = (reason: string, pool: string, queued: number, limit?: string) => ({ reason, pool, queued, limit, tenant: 'default', band: 'P1' }) as never;
  const rows = [row('limit', 'a', 5, 'gate'), row('limit', 'b', 3, 'gate'), row('no_room', 'a', 7)];
  assert.deepEqual(byReason(rows, {}), [{ reason: 'limit', limit: 'gate', queued: 8 }, { reason: 'no_room', limit: undefined, queued: 7 }]);
  assert.deepEqual(byReason(rows, { pool: 'b' }), [{ reason: 'limit', limit: 'gate', queued: 3 }]);
  assert.deepEqual([reasonText('limit', 'gate'), reasonText('no_room'), reasonText('of_tomorrow')], ['limit gate', 'no free slot', 'of tomorrow']);
  assert.deepEqual([emptyIn({ queued: 0 }), emptyIn({ queued: 5 }), emptyIn({ queued: 5, started_per_minute: 0 }), emptyIn({ queued: 5, drained_in_ms: 90_000 })], ['', '–', 'nothing starts', '1m 30s']);
  const queue = (pool: string, queued: number) => ({ pool, queued }) as never;
  assert.deepEqual(poolChoices([queue('gpu', 2), queue('gpu', 3), queue('cpu', 0)], 'gone'), [['', 'any pool'], ['cpu', 'cpu'], ['gone', 'gone'], ['gpu', 'gpu, 5 waiting']]);
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

test('a cell of the grid is a state, or nothing', () => {
  const grid = { tasks: ['a', 'b'], runs: [{ states: 's.' }, { states: 'fq' }] } as never;
  const cells = [[0, 0], [1, 0], [0, 1], [1, 1], [0, 9]].map(([row, column]) => cellState(grid, { row: row!, column: column! }));
  assert.deepEqual(cells, ['succeeded', undefined, 'failed', 'queued', undefined]);
});

test('the palette finds letters in their order', () => {
  assert.equal(score('Dead letters', 'dl'), 4);
  assert.equal(score('Runs', 'sr'), undefined);
});

test('spans back from now', () => {
  assert.equal(sinceInstant('24h', Date.parse('2026-01-02T03:04:59Z')), '2026-01-01T03:04:00.000Z');
  for (const text of ['', '24', 'h', '99999h', '-1h']) assert.equal(sinceInstant(text, 0), undefined, text);
});

test('a log grows by pieces, keeps the numbers of its lines and forgets its beginning', () => {
  const part: Part = { first: 1, lines: [''], bytes: 0 };
  append(part, 'a\nb');
  append(part, 'c\n');
  assert.deepEqual(part.lines, ['a', 'bc', '']);
  append(part, 'one\n… 7 bytes missing …\ntwo\n');
  assert.deepEqual(part.lines, ['a', 'bc', 'one … 7 bytes missing … two', ''], 'a note is no line');
  append(part, Array.from({ length: 1000 }, (_, at) => `line ${at + 4}\n`).join(''));
  shorten(part, 5000);
  assert.ok(part.bytes <= 10_000 && part.first > 400);
  assert.equal(part.lines[900 - part.first], 'line 900');
});

test('lines of stderr are known, in pieces of any length and where a part begins within them', () => {
  const [err, out] = ['\u001b]7070;2\u0007', '\u001b]7070;1\u0007'];
  const text = `one\n${err}bad\nworse\n${out}two\nthree ${err}oh${out}\n`;
  const told = (part: Part) => part.lines.map((line) => `${isStderr(line) ? '!' : ''}${line.replaceAll(err, '').replaceAll(out, '')}`);
  for (let size = 1; size <= text.length; size++) {
    const part: Part = { first: 1, lines: [''], bytes: 0 };
    for (let at = 0; at < text.length; at += size) append(part, text.slice(at, at + size));
    assert.deepEqual(told(part), ['one', '!bad', '!worse', 'two', 'three oh', ''], `pieces of ${size}`);
  }
  const part: Part = { first: 3, lines: [''], bytes: 0 };
  append(part, `worse\n${out}two\n`);
  assert.deepEqual(told(part), ['!worse', 'two', '']);
});

test('columns that have no room are left out, the last first', () => {
  const column = (name: string, width: string, isWideOnly = false) => ({ name, width, isWideOnly, cell: () => null });
  const all = [column('a', '100px'), column('b', '100px', true), column('c', '200px', true), column('d', '60px')];
  assert.deepEqual(fitting(all, 800).map((one) => one.name), ['a', 'b', 'c', 'd']);
  assert.deepEqual(fitting(all, 360).map((one) => one.name), ['a', 'b', 'd']);
  assert.deepEqual(fitting(all, 200).map((one) => one.name), ['a', 'd']);
});

test('a value of an item fits a line', () => {
  assert.deepEqual([valueText('a'), valueText(7), valueText({ n: 1 }), valueText(undefined)], ['a', '7', '{"n":1}', '']);
  assert.equal(valueText('x'.repeat(500)).length, 201);
});

test('figures over time become areas and a rate', () => {
  assert.equal(area([0, 2], 2), 'M0 40L0 40.00L1 40.00L1 0.00L2 0.00L2 40Z');
  assert.equal(area([], 1), '');
  const steps = (length: number, value: number) => Array.from({ length }, () => value);
  assert.equal(rate({ step_ms: 10_000, succeeded: [...steps(6, 5), 100], failed: [...steps(6, 1), 0] }), 36, 'the step that has not passed does not count');
  assert.equal(rate({ step_ms: 300_000, succeeded: [50, 0], failed: [0, 0] }), 10);
});

test('a verb for everything that matches names what it selects', () => {
  assert.deepEqual(whole({ job: '', labels: {}, state: ['failed'], force: true }), { state: ['failed'], force: true }, 'a state is a name, too');
  assert.deepEqual(whole({ job: '', state: [] }), { all: true });
  assert.deepEqual(whole({ job: 'etl', state: [], tenant: '' }), { job: 'etl' });
  assert.deepEqual(asFlags({ fingerprint: 'f0', labels: { team: 'ops' }, state: ['failed', 'cancelled'], all: true }), ['--group', 'f0', '--label', 'team=ops', '--state', 'failed,cancelled', '--all']);
  assert.deepEqual([labelsOf(''), labelsOf('a=b=c'), labelsOf('a')], [{}, { a: 'b=c' }, undefined]);
  const action = withReason(bulk('Cancel all', 'cancel_runs', { job: 'etl' }, 'of `etl`'), 'a mistake');
  assert.equal(asCommand(action), "mainspring operation begin cancel_runs --job etl --yes --reason 'a mistake'");
  assert.deepEqual(action.request.body, { verb: 'cancel_runs', job: 'etl', reason: 'a mistake' });
  assert.deepEqual([counted('retry_tasks', { total: 1 }), counted('cancel_runs', { total: 50_000, more: true })], ['1 task', 'At least 50,000 runs']);
  assert.equal(selectionText({ verb: 'x', job: 'etl', state: ['retry_wait', 'queued'], labels: { team: 'ops' }, dry_run: false }), 'job etl, state retry wait or queued, team=ops');
});

test('an action says who does it and which revision was seen', () => {
  const save = putSchedule('etl', 'daily', 'default', { cron: '0 9 * * *' }, 7);
  assert.equal(asCommand(save), `echo '{"cron":"0 9 * * *"}' | mainspring schedule put etl/daily -f -`);
  assert.equal(asCurl(save, 'http://h', 'ana'), `curl -sS -X PUT 'http://h/v1/schedules/etl/daily?tenant=default' -H 'mainspring-actor: ana' -H 'if-match: "7"' -H 'content-type: application/json' -d '{"cron":"0 9 * * *"}'`);
  assert.deepEqual(decide('run_1', { task: 'sure', item: 3 }, 'reject').command, ['run', 'reject', 'run_1', '--task', 'sure', '--item', '3']);
});

test('clock changes are found to the minute, and a schedule is stored as its form has it', () => {
  assert.deepEqual(clockChanges('Europe/Berlin', new Date('2026-11-01T00:00:00Z'), 365).map(({ at, by }) => [at.toISOString(), by]), [['2027-03-28T01:00:00.000Z', 60], ['2027-10-31T01:00:00.000Z', -60]]);
  assert.deepEqual(clockChanges('UTC', new Date(), 365), []);
  const row = { name: 'daily', cron: '0 9 * * *', timezone: 'Europe/Berlin', overlap: 'forbid', catch_up: 2, misfire_grace: '5m', max_active: 1, dst: { missing: 'skip', twice: 'both' }, end: '2027-01-01T00:00:00Z', parameters: { a: 1 }, priority: { band: 'P2', level: 5 } } as never;
  assert.deepEqual(bodyOf(draftOf(row), row), { cron: '0 9 * * *', end: '2027-01-01T00:00:00Z', timezone: 'Europe/Berlin', overlap: 'forbid', catch_up: 2, misfire_grace: '5m', max_active: 1, dst: { missing: 'skip', twice: 'both' }, parameters: { a: 1 }, priority: { band: 'P2', level: 5 } });
  assert.match(String(bodyOf({ ...draftOf(row), parameters: '{' }, row)), /not JSON/);
  assert.match(String(bodyOf({ ...draftOf(row), every: '5m' }, row)), /not both/);
});

test('a view is a command and a request', () => {
  const of = (at: string) => viewOf(parse(at.split('?')[0]!, at.split('?')[1] ?? ''), Date.parse('2026-11-19T05:00:00Z'))!;
  const runs = of('/ui/runs?state=failed,running&job=etl&since=24h&open=run_1');
  assert.equal(viewAsCommand(runs), 'mainspring run list --state failed,running --job etl --since 24h');
  assert.equal(viewAsCurl(runs, 'http://h'), `curl -sS 'http://h/v1/runs?state=failed%2Crunning&job=etl&created_from=2026-11-18T05%3A00%3A00.000Z'`);
  assert.equal(viewAsCommand(of('/ui/schedules/etl/daily')), 'mainspring schedule get etl/daily');
  assert.equal(viewOf(parse('/ui/docs/schedules', ''), 0), undefined);
});

test('a task of a run is named after its place in the run', () => {
  const task = { task_id: 'task_1', task_type: 'process', job: 'etl' };
  const name = (more: object) => title({ ...task, ...more } as never);
  assert.deepEqual([name({ run_task: 'load' }), name({ run_task: 'load', item: 3 }), name({ run_task: 'pay', undo: true }), name({ item: 0 })], ['etl: load', 'etl: load [3]', 'etl: pay, undo', 'etl [0]']);
  assert.deepEqual([name({ payload: { argv: ['echo', 'a'] } }), name({}), name({ job: undefined })], ['echo a', 'etl', 'process']);
});
