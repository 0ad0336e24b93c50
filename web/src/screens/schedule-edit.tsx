// The form that stores a schedule, with what it will do: its next windows, and those around the next changes of the clock.

import { useState } from 'preact/hooks';
import { putSchedule } from '../api/actions';
import { cronPreview } from '../api/reads';
import type { CronPreview, Schedule } from '../api/views';
import { clockChanges, span } from '../format/time';
import { useQuery } from '../live/query';
import { href } from '../url/route';
import { ask } from '../ui/act';
import { Failure, Section } from '../ui/basics';

const OVERLAPS = ['allow', 'forbid', 'queue', 'replace', 'coalesce'];
const SHOWN = 8;
/** Before and after a change of the clock. */
const AROUND_MS = 26 * 3_600_000;
const CHANGE_WITHIN_DAYS = 370;
/** Windows around a change that are shown. */
const AROUND_MAX = 6;

export interface Draft {
  name: string;
  cron: string;
  every: string;
  timezone: string;
  overlap: string;
  catch_up: string;
  misfire_grace: string;
  jitter: string;
  max_active: string;
  missing: string;
  twice: string;
  parameters: string;
}

const NEW: Draft = { name: '', cron: '0 9 * * 1-5', every: '', timezone: 'UTC', overlap: 'queue', catch_up: '0', misfire_grace: '', jitter: '', max_active: '1', missing: 'skip', twice: 'first', parameters: '' };

export const draftOf = (row: Schedule): Draft => ({
  name: row.name, cron: row.cron ?? '', every: row.every ?? '', timezone: row.timezone ?? '', overlap: row.overlap, catch_up: String(row.catch_up), misfire_grace: row.misfire_grace,
  jitter: row.jitter ?? '', max_active: String(row.max_active), missing: row.dst?.missing ?? '', twice: row.dst?.twice ?? '', parameters: row.parameters ? JSON.stringify(row.parameters, null, 2) : '',
});

/** What the server is given; what the form does not show stays as it is. A text says what is wrong. */
export function bodyOf(draft: Draft, row: Schedule | undefined): Record<string, unknown> | string {
  let parameters: unknown;
  try {
    parameters = draft.parameters.trim() ? JSON.parse(draft.parameters) : undefined;
  } catch {
    return 'The parameters are not JSON.';
  }
  if (draft.cron && draft.every) return 'It has an expression or a rate, not both.';
  if (!/^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(draft.name)) return 'The name has letters, digits, `_`, `.` and `-`.';
  const [catchUp, active] = [Number(draft.catch_up), Number(draft.max_active)];
  if (!Number.isInteger(catchUp) || catchUp < 0 || catchUp > 100) return 'Missed windows that are made up for: 0 to 100.';
  if (!Number.isInteger(active) || active < 1 || active > 1000) return 'At most active: 1 to 1000.';
  const { at, after, start, end, priority } = row ?? {};
  const dst = draft.cron && (draft.missing || draft.twice) ? { ...(draft.missing && { missing: draft.missing }), ...(draft.twice && { twice: draft.twice }) } : undefined;
  const all = {
    cron: draft.cron, every: draft.every, at: at?.length ? at : undefined, after, start, end, timezone: draft.cron ? draft.timezone : undefined, overlap: draft.overlap, catch_up: catchUp,
    misfire_grace: draft.misfire_grace, jitter: draft.jitter, max_active: active, dst, parameters, priority,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined && value !== ''));
}

interface FieldOf {
  draft: Draft;
  set: (part: Partial<Draft>) => void;
}

function Text({ draft, set, name, label, hint }: FieldOf & { name: keyof Draft; label: string; hint?: string }) {
  return <label>{label}<input value={draft[name]} placeholder={hint} onInput={(event) => set({ [name]: event.currentTarget.value })} /></label>;
}

function Select({ draft, set, name, label, values }: FieldOf & { name: keyof Draft; label: string; values: [string, string][] }) {
  return <label>{label}<select value={draft[name]} onChange={(event) => set({ [name]: event.currentTarget.value })}>{values.map(([value, text]) => <option key={value} value={value}>{text}</option>)}</select></label>;
}

const MISSING: [string, string][] = [['skip', 'skipped'], ['after', 'after the gap'], ['before', 'before the gap']];
const TWICE: [string, string][] = [['first', 'the first time'], ['second', 'the second time'], ['both', 'both times']];

/** `row` is what is stored; without it the schedule is new. */
export function ScheduleForm({ job, tenant, row }: { job: string; tenant: string; row?: Schedule }) {
  const [draft, setDraft] = useState<Draft>(row ? draftOf(row) : NEW);
  const set = (part: Partial<Draft>) => setDraft({ ...draft, ...part });
  const of = { draft, set };
  const body = bodyOf(draft, row);
  const isWrong = typeof body === 'string';
  const save = () => !isWrong && ask(putSchedule(job, draft.name, tenant, body, row?.revision ?? 0));
  return (
    <>
    {!row && <div class="head"><h1>New schedule of {job}</h1></div>}
    <Section title={row ? 'Edit' : 'What it is'}>
      {row?.in_file && <p class="quiet">It stands in the job file: applying the file again brings back what is there.</p>}
      <form class="form" onSubmit={(event) => { event.preventDefault(); save(); }}>
        {!row && <Text {...of} name="name" label="Name" hint="as morning" />}
        <div class="line">
          <Text {...of} name="cron" label="Cron expression" hint="0 9 * * 1-5" /><Text {...of} name="timezone" label="Time zone" hint="Europe/Berlin" />
          <Text {...of} name="every" label="Or at a rate" hint="15m" />
        </div>
        {draft.cron && <div class="line"><Select {...of} name="missing" label="A local time that does not exist is" values={MISSING} /><Select {...of} name="twice" label="One that comes twice runs" values={TWICE} /></div>}
        <div class="line">
          <Select {...of} name="overlap" label="While an earlier one runs" values={OVERLAPS.map((value): [string, string] => [value, value])} />
          <Text {...of} name="max_active" label="At most active" /><Text {...of} name="catch_up" label="Missed windows made up for" />
        </div>
        <div class="line"><Text {...of} name="misfire_grace" label="May begin late by" hint="5m" /><Text {...of} name="jitter" label="Jitter" hint="none" /></div>
        <label>Parameters, as JSON <textarea rows={3} value={draft.parameters} onInput={(event) => set({ parameters: event.currentTarget.value })} /></label>
        {isWrong && <small class="mistake" role="alert">{body}</small>}
        <div class="acts"><button type="submit" class="main" disabled={isWrong}>Save…</button><a href={row ? href(['schedules', job, row.name]) : href(['jobs', job], { tab: 'schedules' })}>Back without saving</a></div>
      </form>
      {draft.cron && <Preview {...of} />}
    </Section>
    </>
  );
}

interface Around extends CronPreview {
  change: { at: Date; by: number };
}

/** The next windows, and those around the changes of the clock of a year. */
async function previews({ cron, timezone, missing, twice }: Draft, signal: AbortSignal): Promise<{ next: CronPreview; around: Around[] }> {
  const wish = { expr: cron, timezone: timezone || 'UTC', dst: { missing: missing || undefined, twice: twice || undefined } };
  const next = await cronPreview({ ...wish, count: SHOWN }, signal);
  const changes = clockChanges(next.timezone, new Date(), CHANGE_WITHIN_DAYS).slice(0, 2);
  const around = await Promise.all(changes.map(async (change): Promise<Around> => {
    const preview = await cronPreview({ ...wish, count: 200, from: new Date(change.at.getTime() - AROUND_MS).toISOString() }, signal);
    return { ...preview, next: near(preview.next, change.at), change };
  }));
  return { next, around };
}

/** Those that are the nearest to an instant, in their order. */
function near(firings: CronPreview['next'], at: Date): CronPreview['next'] {
  const after = firings.findIndex((firing) => Date.parse(firing.at) >= at.getTime());
  const middle = after < 0 ? firings.length : after;
  return firings.slice(Math.max(0, middle - AROUND_MAX / 2), middle + AROUND_MAX / 2).filter((firing) => Date.parse(firing.at) < at.getTime() + AROUND_MS);
}

function Preview({ draft }: Pick<FieldOf, 'draft'>) {
  const key = [draft.cron, draft.timezone, draft.missing, draft.twice].join('|');
  const query = useQuery(`cron ${key}`, (signal) => previews(draft, signal));
  const found = query.data.value;
  if (query.error.value) return <Failure error={query.error.value} />;
  if (!found) return null;
  return (
    <div class="preview" role="status">
      <p>{found.next.description}, {found.next.timezone}</p>
      <div class="line">
        <Firings title="Next" rows={found.next.next} />
        {found.around.map((one) => <Firings key={one.change.at.getTime()} title={changeText(one.change)} rows={one.next} />)}
      </div>
    </div>
  );
}

const changeText = ({ at, by }: Around['change']): string => `Clock ${by > 0 ? 'forward' : 'back'} by ${span(Math.abs(by) * 60_000)}, ${at.toISOString().slice(0, 10)}`;

/** `2027-03-28 03:30 +02:00`. */
const localText = (local: string): string => local.replace('T', ' ').replace(/:\d\d(\.\d+)?(?=[+-]|Z|$)/, '').replace(/(Z|[+-]\d\d:\d\d)$/, ' $1');

function Firings({ title, rows }: { title: string; rows: CronPreview['next'] }) {
  return (
    <div>
      <h3>{title}</h3>
      <ul class="firings">{rows.map((row) => <li key={row.at} title={row.at}>{localText(row.local)}{row.skipped > 0 && <span class="tag warn">{row.skipped} skipped before</span>}</li>)}</ul>
    </div>
  );
}
