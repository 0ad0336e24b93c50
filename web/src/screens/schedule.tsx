// One schedule: the ledger of its windows as a calendar. Every window has a square, also those that did not run, with the
// reason; a click on one that did not run runs it.

import { useState } from 'preact/hooks';
import { backfill, deleteSchedule, setSchedulePaused, type BackfillWish } from '../api/actions';
import { ApiError, send } from '../api/client';
import { backfills, schedule as readSchedule, windows as readWindows } from '../api/reads';
import type { BackfillPlan, Schedule, ScheduleWindow } from '../api/views';
import { grouped, many } from '../format/text';
import { clock, day, dayStart, full } from '../format/time';
import { useQuery } from '../live/query';
import { go, href, openHref, param, setQuery } from '../url/route';
import { Act, MoreActions, ask } from '../ui/act';
import { Empty, Facts, Failure, Loading, Section, Time, useTitle, zone } from '../ui/basics';
import { Json } from '../ui/json';
import { Stale } from '../ui/stale';
import { ScheduleForm } from './schedule-edit';
import { BackfillRows } from './schedules';
import { SIGNS } from './words';

/** Windows that one page of the calendar shows. */
const SHOWN = 500;

export default function SchedulePage({ path: [job = '', name = ''] }: { path: string[] }) {
  const tenant = param('tenant') || 'default';
  useTitle(`${job}/${name}`);
  const touched = (change: { job?: string }) => change.job === job;
  const query = useQuery(`schedule ${tenant}/${job}/${name}`, (signal) => readSchedule(job, name, tenant, signal), { touched });
  const row = query.data.value;
  // Nothing is called so yet: it is what the form is for.
  if (param('edit') && name === 'new' && query.error.value?.code === 'SCHEDULE_NOT_FOUND') return <ScheduleForm job={job} tenant={tenant} />;
  if (!row) return query.error.value ? <Failure error={query.error.value} retry={query.refresh} /> : <Loading />;
  return (
    <>
      {query.error.value && <Stale at={query.at.value} error={query.error.value} />}
      <Head row={row} />
      {param('edit') && <ScheduleForm key={row.revision} job={job} tenant={tenant} row={row} />}
      <Ledger row={row} />
      <BackfillForm row={row} />
      <Running row={row} />
      <Section title="Settings"><Settings row={row} /></Section>
    </>
  );
}

function Head({ row }: { row: Schedule }) {
  return (
    <div class="head">
      <h1>{row.job}/{row.name}</h1>
      <span class="acts">{row.state !== 'finished' && <Act action={setSchedulePaused(row.job, row.name, row.tenant, row.state === 'on')} />}
        {!row.job.startsWith('@') && !param('edit') && <button type="button" onClick={() => setQuery({ edit: 1 })}>Edit…</button>}
        <MoreActions id="schedule" actions={[deleteSchedule(row.job, row.name, row.tenant)]} /></span>
      <p class="sub">{row.description}{row.timezone ? `, ${row.timezone}` : ''}</p>
      <div class="sub">
        <span class={row.state === 'paused' ? 'tag warn' : 'tag'}>{row.state}</span>
        {row.next && row.state === 'on' && <span>next <Time at={row.next} /> (<Time at={row.next} relative />)</span>}
        <span>{many(row.fired, 'window')} ran, {row.skipped} skipped, {row.missed} missed</span>
        {row.active > 0 && <span>{row.active} active</span>}
        {!row.job.startsWith('@') && <a href={href(['jobs', row.job])}>its job</a>}
      </div>
    </div>
  );
}

/** By day of the window's begin, the newest day first. */
export function byDay(windows: ScheduleWindow[], inZone: string): [string, ScheduleWindow[]][] {
  const days = grouped(windows, (window) => day(new Date(window.first), inZone));
  return [...days].map(([at, rows]): [string, ScheduleWindow[]] => [at, rows.toSorted((a, b) => (a.first < b.first ? -1 : 1))]).sort(([a], [b]) => (a < b ? 1 : -1));
}

function Ledger({ row }: { row: Schedule }) {
  const key = `windows ${row.tenant}/${row.job}/${row.name}`;
  const cursor = param('cursor') || undefined;
  const query = useQuery(`${key} ${cursor}`, (signal) => readWindows(row.job, row.name, { tenant: row.tenant, limit: SHOWN, cursor }, signal), { touched: (change) => change.job === row.job });
  const page = query.data.value;
  // The schedule's own zone unless the reader has asked for another one.
  const inZone = param('tz') || row.timezone || zone();
  return (
    <Section title="Ledger of windows" aside={<span class="quiet">days of {inZone === 'local' ? 'your zone' : inZone}</span>}>
      {query.error.value && <Failure error={query.error.value} retry={query.refresh} />}
      {!page && !query.error.value && <Loading rows={3} />}
      {page?.rows.length === 0 && <Empty title="No window has come yet">{row.next && <p>The first one is <Time at={row.next} />.</p>}</Empty>}
      {page && page.rows.length > 0 && (
        <>
          <p class="legend">{Object.entries(SIGNS).map(([outcome, [sign, text]]) => <span key={outcome}><i class={`cell w-${outcome}`}>{sign}</i>{text}</span>)}</p>
          <div class="calendar">
            {byDay(page.rows, inZone).map(([at, rows]) => (
              <div class="cal-row" key={at}><span>{at}</span><span class="cells">{rows.map((window) => <Cell key={window.first} row={row} window={window} inZone={inZone} />)}</span></div>
            ))}
          </div>
          <p class="acts">
            {cursor && <button type="button" onClick={() => setQuery({ cursor: '' })}>Newest</button>}
            {page.next && <button type="button" onClick={() => setQuery({ cursor: page.next })}>Older windows</button>}
          </p>
        </>
      )}
    </Section>
  );
}

function Cell({ row, window, inZone }: { row: Schedule; window: ScheduleWindow; inZone: string }) {
  const [sign, text] = SIGNS[window.outcome];
  const at = new Date(window.first);
  const span = window.count > 1 ? `${many(window.count, 'window')} until ${clock(new Date(window.last), inZone).slice(0, 5)}` : '';
  const label = [full(at, inZone), text, window.reason && `because of ${window.reason.replaceAll('_', ' ')}`, span].filter(Boolean).join(', ');
  const begun = window.run_id ?? window.task_id;
  if (begun) return <a class={`cell w-${window.outcome}`} href={openHref(begun)} title={label} aria-label={label}>{sign}</a>;
  // To just behind the last window of it.
  const to = new Date(Date.parse(window.last) + 1).toISOString();
  const wish: BackfillWish = { job: row.job, schedule: row.name, tenant: row.tenant, from: window.first, to, only: 'missing', dry: false };
  const fill = () => ask({ ...backfill(wish), name: window.count > 1 ? `Run ${window.count} windows` : 'Run this window', effect: `${label}. Runs it now, at the lowest priority.` });
  return <button type="button" class={`cell w-${window.outcome}`} title={`${label}; click to run it`} aria-label={`${label}; run it`} onClick={fill}>{window.count > 1 ? window.count : sign}</button>;
}

function BackfillForm({ row }: { row: Schedule }) {
  const inZone = row.timezone ?? zone();
  const dayIn = (days: number) => day(new Date(Date.now() + days * 86_400_000), inZone);
  const instant = (text: string) => (text ? dayStart(text, inZone).toISOString() : '');
  const [wish, setWish] = useState({ from: dayIn(0), to: dayIn(1), only: 'missing' as BackfillWish['only'], maxActive: 4, order: 'oldest' as 'oldest' | 'newest' });
  const [plan, setPlan] = useState<BackfillPlan>();
  const [error, setError] = useState<ApiError>();
  if (row.job.startsWith('@')) return null;
  const whole = (dry: boolean): BackfillWish => ({ job: row.job, schedule: row.name, tenant: row.tenant, ...wish, from: instant(wish.from), to: instant(wish.to), dry });
  const change = (part: Partial<typeof wish>) => {
    setWish({ ...wish, ...part });
    setPlan(undefined);
  };
  const plans = async () => {
    try {
      setPlan(await send<BackfillPlan>(backfill(whole(true)).request));
      setError(undefined);
    } catch (problem) {
      setError(problem as ApiError);
    }
  };
  return (
    <Section title="Backfill">
      <form class="form" onSubmit={(event) => { event.preventDefault(); void plans(); }}>
        <div class="line">
          <label>From <input type="date" value={wish.from} onInput={(event) => change({ from: event.currentTarget.value })} /></label>
          <label>To, not included <input type="date" value={wish.to} onInput={(event) => change({ to: event.currentTarget.value })} /></label>
          <label>Which
            <select value={wish.only} onChange={(event) => change({ only: event.currentTarget.value as BackfillWish['only'] })}>
              <option value="missing">those that did not run</option><option value="failed">those that failed</option><option value="all">all</option>
            </select>
          </label>
          <label>At once <input class="short" inputMode="numeric" value={wish.maxActive} onInput={(event) => change({ maxActive: Math.max(1, Number(event.currentTarget.value) || 1) })} /></label>
          <label>First
            <select value={wish.order} onChange={(event) => change({ order: event.currentTarget.value as 'oldest' | 'newest' })}><option value="oldest">the oldest</option><option value="newest">the newest</option></select>
          </label>
        </div>
        {error && <Failure error={error} />}
        {plan && <p role="status">{many(plan.windows, 'window')} of {plan.in_range} in this range would run, on version {plan.version}.</p>}
        <div class="acts">
          <button type="submit">Count first</button>
          {plan && plan.windows > 0 && <button type="button" class="main" onClick={() => ask({ ...backfill(whole(false)), effect: `Runs ${many(plan.windows, 'window')} at the lowest priority.` })}>Backfill…</button>}
        </div>
      </form>
    </Section>
  );
}

function Running({ row }: { row: Schedule }) {
  const query = useQuery(`backfills ${row.tenant}/${row.job}`, (signal) => backfills({ job: row.job, tenant: row.tenant }, signal), { touched: (change) => change.job === row.job });
  const rows = (query.data.value ?? []).filter((other) => other.schedule === row.name);
  return rows.length ? <Section title="Backfills of this schedule"><BackfillRows rows={rows} /></Section> : null;
}

function Settings({ row }: { row: Schedule }) {
  return (
    <>
      <Facts rows={[
        ['Cron', row.cron && <code>{row.cron}</code>], ['Every', row.every], ['At', row.at?.join(', ')], ['Time zone', row.timezone],
        ['Overlap', row.overlap], ['Catch up', String(row.catch_up)], ['Grace', row.misfire_grace], ['Jitter', row.jitter], ['At most active', String(row.max_active)],
        ['Clock changes', row.dst && `missing: ${row.dst.missing}, twice: ${row.dst.twice}`], ['Stands in', row.in_file ? 'the job file' : 'the server'],
        ['Last run', row.last_run_id && <button type="button" class="link" onClick={() => go(openHref(row.last_run_id))}>open</button>],
      ]} />
      {row.parameters && <Json name="parameters" value={row.parameters} />}
    </>
  );
}
