// All schedules: what they mean, what comes next, what did not run; and the windows of the next day.

import { setSchedulePaused } from '../api/actions';
import { bulk, of, type Selector } from '../api/bulk';
import { backfills, schedules, upcoming } from '../api/reads';
import type { Backfill, Schedule, UpcomingWindow } from '../api/views';
import { changeBackfill } from '../api/actions';
import { count, many } from '../format/text';
import { usePaged } from '../live/paged';
import { useQuery } from '../live/query';
import { href, param } from '../url/route';
import { Act, ask } from '../ui/act';
import { Command, Empty, Failure, Loading, Section, Time, now, useTitle, zone } from '../ui/basics';
import { Share } from '../ui/bars';
import { TextFacet } from '../ui/facets';
import { Stale } from '../ui/stale';
import { Table, type Column } from '../ui/table';
import { clock } from '../format/time';
import { Ledger } from './ledger';

const COLUMNS: Column<Schedule>[] = [
  { name: 'Schedule', width: 'minmax(130px, 1.500fr)', by: (row) => `${row.job}/${row.name}`, cell: (row) => <span class="two"><span>{row.job}/{row.name}</span><small>{row.description}{row.timezone ? `, ${row.timezone}` : ''}</small></span> },
  { name: 'State', width: '72px', by: (row) => row.state, cell: (row) => <span class={row.state === 'paused' ? 'tag warn' : 'tag'}>{row.state}</span> },
  { name: 'Next', width: '112px', by: (row) => (row.state === 'on' ? row.next : undefined), cell: (row) => (row.next && row.state === 'on' ? <Time at={row.next} /> : <span class="quiet">–</span>), isWideOnly: true },
  { name: 'Last', width: '112px', by: (row) => row.last, cell: (row) => <Time at={row.last} />, isWideOnly: true },
  { name: 'Fired', width: '60px', by: (row) => row.fired, cell: (row) => count(row.fired), isNumber: true, isWideOnly: true },
  { name: 'Skipped', width: '64px', by: (row) => row.skipped, cell: (row) => (row.skipped ? count(row.skipped) : ''), isNumber: true, isWideOnly: true },
  { name: 'Missed', width: '60px', by: (row) => row.missed, cell: (row) => (row.missed ? <span class="tag bad">{count(row.missed)}</span> : ''), isNumber: true },
  { name: 'Active', width: '54px', by: (row) => row.active, cell: (row) => row.active || '', isNumber: true, isWideOnly: true },
  {
    name: 'Actions', width: '84px', isWideOnly: true, cell: (row) => row.state !== 'finished' && (
      <button type="button" class="link" onClick={() => ask(setSchedulePaused(row.job, row.name, row.tenant, row.state === 'on'))}>{row.state === 'on' ? 'Pause' : 'Resume'}</button>
    ),
  },
];

export const scheduleHref = (row: { job: string; name: string; tenant: string }): string =>
  href(['schedules', row.job, row.name], { tenant: row.tenant === 'default' ? '' : row.tenant });

export function ScheduleRows({ rows, more, hasMore }: { rows: Schedule[]; more?: () => void; hasMore?: boolean }) {
  return <Table label="Schedules" order="By job and name" rows={rows} id={(row) => `${row.tenant}/${row.job}/${row.name}`} columns={COLUMNS} href={scheduleHref} more={more} hasMore={hasMore} />;
}

/** A schedule was changed, or one of its windows began a run or nothing. */
export const isOfSchedules = (change: { kind: string; what: string }): boolean => change.kind === 'schedule' || (change.kind === 'run' && change.what === 'created');

export default function Schedules() {
  useTitle('Schedules');
  const filter = { job: param('job'), tenant: param('tenant') };
  const page = usePaged<Schedule>(`schedules ${JSON.stringify(filter)}`, (cursor, signal) => schedules(filter, cursor, signal), { id: (row) => `${row.tenant}/${row.job}/${row.name}`, touched: isOfSchedules });
  return (
    <>
      <div class="head"><h1 class="sr">Schedules</h1>{filter.job && <Bulk selector={filter} />}</div>
      <div class="filters"><TextFacet name="job" label="Job" /></div>
      {page.error && (page.rows ? <Stale at={page.at} error={page.error} /> : <Failure error={page.error} retry={page.refresh} />)}
      {!page.rows && !page.error && <Loading />}
      {page.rows?.length === 0 && (
        <Empty title={filter.job ? 'This job has no schedule' : 'No schedules yet'}>
          <p>A schedule stands in a job file, or is made for a single task:</p>
          <Command text="mainspring submit --cron '0 3 * * *' --name nightly -- ./report.sh" />
        </Empty>
      )}
      {page.rows && page.rows.length > 0 && <ScheduleRows rows={page.rows} more={page.more} hasMore={page.hasMore} />}
      <Ledger />
      <Coming />
      <Backfills />
    </>
  );
}

/** Of the job that the filter names. */
function Bulk({ selector }: { selector: Selector }) {
  const shown = of(selector).trim();
  return <span class="acts"><Act action={bulk('Pause all', 'pause_schedules', selector, shown)} /><Act action={bulk('Resume all', 'resume_schedules', selector, shown)} /></span>;
}

const HOURS = 24;
/** The most windows that the server tells of at once. */
const COMING_MAX = 999;

/** How many windows each of the next hours has: pile-ups and quiet times are seen at a glance. */
export function byHour(windows: UpcomingWindow[], from: number): number[] {
  const hours = Array.from({ length: HOURS }, () => 0);
  for (const window of windows) {
    const at = Math.floor((Date.parse(window.begins_at) - from) / 3_600_000);
    if (at >= 0 && at < HOURS) hours[at]!++;
  }
  return hours;
}

function Coming() {
  const query = useQuery('upcoming', (signal) => upcoming({ within: '24h', limit: COMING_MAX }, signal), { touched: isOfSchedules });
  const windows = query.data.value;
  if (!windows?.length) return null;
  const from = Math.floor(now.value.getTime() / 3_600_000) * 3_600_000;
  const hours = byHour(windows, from);
  const most = Math.max(1, ...hours);
  // Those behind the last one that was told of are not known.
  const known = windows.length < COMING_MAX ? Infinity : Date.parse(windows.at(-1)!.begins_at);
  const isKnown = (hour: number) => from + (hour + 1) * 3_600_000 <= known;
  const title = known === Infinity ? `The next 24 hours: ${many(windows.length, 'window')}` : `The next ${many(windows.length, 'window')}, until ${clock(new Date(known), zone()).slice(0, 5)}`;
  return (
    <Section title={title}>
      <div class="hours" role="img" aria-label={`Windows by hour, at most ${most} in one`}>
        {hours.map((value, at) => <span key={at} class={isKnown(at) ? '' : 'unknown'} title={`${clock(new Date(from + at * 3_600_000), zone()).slice(0, 5)}: ${isKnown(at) ? value : `${value} or more, later ones are not counted`}`}>{value > 0 && <i style={{ height: `${(100 * value) / most}%` }} />}</span>)}
      </div>
      <div class="scale">{[0, 6, 12, 18, 23].map((at) => <span key={at}>{clock(new Date(from + at * 3_600_000), zone()).slice(0, 5)}</span>)}</div>
      <Windows windows={windows.slice(0, 10)} />
    </Section>
  );
}

export function Windows({ windows }: { windows: UpcomingWindow[] }) {
  return (
    <div class="scroll-x" tabIndex={0}><table class="plain">
      <thead><tr><th class="tight">When</th><th class="tight">In</th><th>Schedule</th><th>Meaning</th></tr></thead>
      <tbody>{windows.map((window) => (
        <tr key={window.job + window.name + window.at}>
          <td class="tight"><Time at={window.begins_at} /></td><td class="tight quiet"><Time at={window.begins_at} relative /></td>
          <td><a href={scheduleHref(window)}>{window.job}/{window.name}</a>{window.job_paused && <span class="tag warn">job is paused</span>}</td><td class="quiet">{window.description}</td>
        </tr>
      ))}</tbody>
    </table></div>
  );
}

function Backfills() {
  const query = useQuery('backfills', (signal) => backfills({}, signal), { touched: (change) => change.kind === 'run' });
  const rows = query.data.value ?? [];
  if (!rows.length) return null;
  return <Section title="Backfills"><BackfillRows rows={rows} /></Section>;
}

export function BackfillRows({ rows }: { rows: Backfill[] }) {
  return (
    <div class="scroll-x" tabIndex={0}><table class="plain">
      <thead><tr><th>Schedule</th><th class="tight">State</th><th>Progress</th><th class="tight">Failed</th><th class="tight">From</th><th class="tight">To</th><th><span class="sr">Actions</span></th></tr></thead>
      <tbody>{rows.map((row) => (
        <tr key={row.backfill_id}>
          <td>{row.job}/{row.schedule}</td><td class="tight"><span class="tag">{row.state}</span></td>
          <td><Share part={row.succeeded + row.failed} whole={row.windows} label={`${row.succeeded + row.failed} of ${row.windows} windows have ended`} /> {row.succeeded + row.failed}/{row.windows}</td>
          <td class="tight num">{row.failed || ''}</td><td class="tight"><Time at={row.from} /></td><td class="tight"><Time at={row.to} /></td>
          <td class="tight">{row.state === 'running' && <Act action={changeBackfill(row.backfill_id, 'pause')} />}{row.state === 'paused' && <Act action={changeBackfill(row.backfill_id, 'resume')} />}
            {(row.state === 'running' || row.state === 'paused') && <> <Act action={changeBackfill(row.backfill_id, 'cancel')} /></>}</td>
        </tr>
      ))}</tbody>
    </table></div>
  );
}
