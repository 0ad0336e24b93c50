// What needs a person, the worst first; or nothing, with the proof. Made of several answers until one tells it all.

import type { Action } from '../api/actions';
import { changeDeadLetters, clearRun } from '../api/actions';
import { newestRecord } from '../api/client';
import { deadLetters, readiness, runs, schedules, stats, tasks, upcoming, workers, type Page } from '../api/reads';
import type { Readiness, Run, Schedule, Stats, Task, Worker } from '../api/views';
import { count, grouped, many } from '../format/text';
import { clock } from '../format/time';
import { useQuery } from '../live/query';
import { href, openHref } from '../url/route';
import { Act } from '../ui/act';
import { Failure, Loading, Said, Section, Time, useTitle, zone } from '../ui/basics';
import { sinceInstant } from '../ui/facets';
import { StateGlyph } from '../ui/icons';
import { title } from './words';
import { scheduleHref, Windows } from './schedules';

/** Something that needs a person. */
export interface Call {
  key: string;
  /** 3 is lost work, 2 will become it, 1 is good to know. */
  harm: 1 | 2 | 3;
  count: number;
  /** More than the count: only so many were looked at. */
  isMore?: boolean;
  text: string;
  since?: string;
  href: string;
  example?: { text: string; href: string };
  action?: Action;
}

export interface Facts {
  failed: Page<Run>;
  active: Page<Run>;
  dead: Page<Task>;
  quarantined: Page<Task>;
  workers: Worker[];
  schedules: Page<Schedule>;
  stats: Stats;
  ready: Readiness;
}

const DAY = '24h';
const PAGE = 100;

async function facts(signal: AbortSignal): Promise<Facts> {
  const created_from = sinceInstant(DAY, Date.now());
  const [failed, active, dead, quarantined, fleet, all, sums, ready] = await Promise.all([
    runs({ state: 'failed', created_from, limit: PAGE }, undefined, signal), runs({ state: 'queued,running', limit: PAGE }, undefined, signal),
    deadLetters({ limit: PAGE }, undefined, signal), tasks({ state: 'quarantined', limit: PAGE }, undefined, signal), workers(signal),
    schedules({ limit: 999 }, undefined, signal), stats(signal), readiness(signal),
  ]);
  return { failed, active, dead, quarantined, workers: fleet, schedules: all, stats: sums, ready };
}

/** Everything that needs a person, the worst first. Pure. */
export function calls({ failed, active, dead, quarantined, workers: fleet, schedules: all, stats: sums, ready }: Facts): Call[] {
  const found: Call[] = [];
  for (const reason of ready.reasons ?? []) found.push({ key: `ready ${reason.code}`, harm: 3, count: 1, text: `The server is not ready: ${reason.detail}`, href: href(['system']) });
  const able = fleet.filter((worker) => worker.connected && !worker.cordoned);
  if (!able.length && sums.queued) found.push({ key: 'no worker', harm: 3, count: sums.queued, text: `${many(sums.queued, 'task')} waiting and no worker that could run them`, href: href(['workers']) });
  for (const [job, rows] of grouped(failed.rows, (run) => run.job)) found.push(failing(job, rows, Boolean(failed.next)));
  const missed = all.rows.filter((row) => row.missed > 0);
  for (const row of missed) {
    found.push({ key: `missed ${row.job}/${row.name}`, harm: 2, count: row.missed, text: `${many(row.missed, 'window')} of \`${row.job}/${row.name}\` never ran`, since: row.last, href: scheduleHref(row) });
  }
  if (quarantined.rows.length) found.push({ ...some('quarantined', quarantined, 'quarantined: each broke several workers'), harm: 3, href: href(['tasks'], { state: 'quarantined' }) });
  const letters = { ...dead, rows: dead.rows.filter((task) => task.state !== 'quarantined' && !task.run_id) };
  if (letters.rows.length) found.push({ ...some('dead', letters, 'failed for good'), harm: 2, href: href(['dead-letters']), action: letters.next ? undefined : changeDeadLetters(letters.rows.map((task) => task.task_id), 'requeue') });
  const lost = fleet.filter((worker) => worker.state === 'unhealthy' || worker.state === 'disconnected');
  if (lost.length) found.push({ key: 'lost', harm: 2, count: lost.length, text: `${many(lost.length, 'worker')} ${lost.length === 1 ? 'is' : 'are'} silent or gone`, href: href(['workers'], { state: lost[0]!.state }), example: { text: lost[0]!.name, href: openHref(lost[0]!.worker_id) } });
  for (const mark of ['stalled', 'late', 'quiet'] as const) {
    const rows = active.rows.filter((run) => run.marks?.includes(mark));
    if (rows.length) found.push({ key: mark, harm: mark === 'stalled' ? 3 : 2, count: rows.length, isMore: Boolean(active.next), text: `${many(rows.length, 'run')} ${rows.length === 1 ? 'is' : 'are'} ${mark}`, since: oldest(rows.map((run) => run.created_at)), href: href(['runs'], { state: 'running' }), example: { text: rows[0]!.job, href: openHref(rows[0]!.run_id) } });
  }
  const paused = all.rows.filter((row) => row.state === 'paused');
  if (paused.length) found.push({ key: 'paused', harm: 1, count: paused.length, text: `${many(paused.length, 'schedule')} ${paused.length === 1 ? 'is' : 'are'} paused`, since: oldest(paused.map((row) => row.updated_at)), href: href(['schedules']), example: { text: `${paused[0]!.job}/${paused[0]!.name}`, href: scheduleHref(paused[0]!) } });
  return found.sort((a, b) => b.harm - a.harm || b.count - a.count);
}

const oldest = (times: string[]): string | undefined => times.toSorted()[0];

function failing(job: string, rows: Run[], isMore: boolean): Call {
  const newest = rows[0]!;
  return {
    key: `failed ${job}`, harm: 3, count: rows.length, isMore, text: `${many(rows.length, 'run')} of \`${job}\` failed in the last 24 hours`,
    since: oldest(rows.map((run) => run.ended_at ?? run.created_at)), href: href(['runs'], { job, state: 'failed', since: DAY }),
    example: { text: newest.reason ?? 'the newest', href: openHref(newest.run_id) }, action: rows.length === 1 ? clearRun(newest.run_id, 0) : undefined,
  };
}

function some(key: string, { rows, next }: Page<Task>, what: string): Omit<Call, 'harm' | 'href'> {
  const [first] = rows;
  return {
    key, count: rows.length, isMore: Boolean(next), text: `${many(rows.length, 'task')} ${what}`, since: oldest(rows.map((task) => task.ended_at ?? task.updated_at)),
    example: first && { text: first.last_error?.message ?? title(first), href: openHref(first.task_id) },
  };
}

export default function Now() {
  useTitle('Now');
  const query = useQuery('now', facts, { touched: (change) => change.kind === 'run' || change.state === 'failed' || change.state === 'quarantined', everyMs: 15_000 });
  const windows = useQuery('now-next', (signal) => upcoming({ within: '7d', limit: 10 }, signal), { touched: (change) => change.what === 'created', everyMs: 60_000 });
  const known = query.data.value;
  const found = known && calls(known);
  return (
    <>
      <div class="head"><h1 class="sr">Now</h1></div>
      {query.error.value && <Failure error={query.error.value} retry={query.refresh} />}
      {!known && !query.error.value && <Loading />}
      {found && (found.length ? <ul class="calls">{found.map((call) => <Row key={call.key} call={call} />)}</ul> : <Calm at={query.at.value} known={known} />)}
      {known && <Figures known={known} />}
      {windows.data.value && windows.data.value.length > 0 && <Section title="Next windows"><Windows windows={windows.data.value} /></Section>}
    </>
  );
}

function Row({ call }: { call: Call }) {
  const words = { 3: 'urgent', 2: 'soon', 1: 'to know' }[call.harm];
  return (
    <li class={`call h${call.harm}`}>
      <span class="big">{count(call.count)}{call.isMore ? '+' : ''}</span>
      <div>
        <p><a href={call.href}><Said text={call.text} /></a> <span class={call.harm === 3 ? 'tag bad' : call.harm === 2 ? 'tag warn' : 'tag'}>{words}</span></p>
        <small>{call.since && <>since <Time at={call.since} /> · </>}{call.example && <>for example <a href={call.example.href}>{call.example.text.slice(0, 160)}</a></>}</small>
      </div>
      {call.action ? <span class="acts"><Act action={call.action} /></span> : <span />}
    </li>
  );
}

function Calm({ at, known }: { at: number; known: Facts }) {
  const record = newestRecord.value ?? known.ready.records;
  return (
    <div class="calm">
      <StateGlyph state="succeeded" />
      <h2>Nothing needs you</h2>
      <p class="quiet">as of {clock(new Date(at), zone())}{record === undefined ? '' : `, record ${count(record)}`}</p>
    </div>
  );
}

function Figures({ known }: { known: Facts }) {
  const { stats: sums, workers: fleet, active } = known;
  const slots = fleet.reduce((sum, worker) => sum + worker.slots, 0);
  const cards: [string, string, string][] = [
    ['runs not ended', `${count(active.rows.length)}${active.next ? '+' : ''}`, href(['runs'], { state: 'queued,running' })],
    ['tasks running', count(sums.running), href(['tasks'], { state: 'assigned,running' })],
    ['tasks waiting', count(sums.queued), href(['tasks'], { state: 'queued' })],
    ['workers', count(sums.workers), href(['workers'])],
    ['slots used', `${count(sums.running)}/${count(slots)}`, href(['queues'])],
    ['failed in 24 h', `${count(known.failed.rows.length)}${known.failed.next ? '+' : ''}`, href(['runs'], { state: 'failed', since: DAY })],
  ];
  return <Section title="At a glance"><div class="cards">{cards.map(([name, value, to]) => <a class="card" key={name} href={to}><b>{value}</b><span>{name}</span></a>)}</div></Section>;
}
