// One job: how its runs went, its graph, versions, schedules and triggers, and a form that starts it.

import { useMemo } from 'preact/hooks';
import { deleteJob, setJobPaused } from '../api/actions';
import { hasEnded, stateWord } from '../api/state';
import { job as readJob, jobGraph, runs, triggers, version as readVersion, versions } from '../api/reads';
import type { Job, Run, Trigger } from '../api/views';
import { span } from '../format/time';
import { RunGraph } from '../graph/graph';
import { useQuery } from '../live/query';
import { go, href, openHref, opened, param, setQuery } from '../url/route';
import { Act, MoreActions } from '../ui/act';
import { Empty, Facts, Failure, Loading, Section, Time, useTitle } from '../ui/basics';
import { Outcomes } from '../ui/bars';
import { Tabs } from '../ui/facets';
import { Json } from '../ui/json';
import { Notes } from '../ui/notes';
import { Plain, type PlainColumn } from '../ui/plain';
import { Stale } from '../ui/stale';
import { Table } from '../ui/table';
import { difference } from '../format/diff';
import { Diff } from '../ui/diff';
import { Grid } from './grid';
import { percent, recentOutcomes } from './jobs';
import { RUN_COLUMNS } from './runs';
import { ScheduleRows } from './schedules';
import { StartForm } from './start';

const VIEWS: [string, string][] = [['runs', 'Runs'], ['grid', 'Grid'], ['start', 'Start'], ['graph', 'Graph'], ['schedules', 'Schedules and triggers'], ['versions', 'Versions'], ['notes', 'Notes']];
const LAST = 100;
const DURATIONS_MAX = 60;

const duration = (run: Run): number =>
  (run.started_at ? (run.ended_at ? Date.parse(run.ended_at) : Date.now()) - Date.parse(run.started_at) : 0);

export default function JobPage({ path: [name = ''] }: { path: string[] }) {
  const tenant = param('tenant') || 'default';
  const query = useQuery(`job ${tenant}/${name}`, (signal) => readJob(name, tenant, signal), { touched: (change) => (change.kind === 'run' || change.kind === 'job') && change.job === name });
  const last = useQuery(`job-runs ${tenant}/${name}`, (signal) => runs({ job: name, tenant, limit: LAST }, undefined, signal), { touched: (change) => (change.kind === 'run' || change.kind === 'job') && change.job === name });
  useTitle(name);
  const job = query.data.value;
  const isGrid = param('tab') === 'grid';
  if (!job && (query.error.value || !isGrid)) return query.error.value ? <Failure error={query.error.value} retry={query.refresh} /> : <Loading />;
  const all = last.data.value?.rows ?? [];
  return (
    <>
      {query.error.value && <Stale at={query.at.value} error={query.error.value} />}
      {job && <Head job={job} />}
      {job && <Tabs name="tab" tabs={VIEWS} />}
      {/* It needs nothing of the job, so it does not wait for it. */}
      {isGrid ? <Grid key="view" name={name} tenant={tenant} /> : job && <View key="view" job={job} all={all} isLoading={!last.data.value} />}
    </>
  );
}

function Head({ job }: { job: Job }) {
  const { recent, expected_ms: expected } = job;
  const shown = (ms: number | undefined) => (ms === undefined ? '–' : span(ms));
  const { description, owner, tags } = job.definition ?? {};
  return (
    <div class="head">
      <h1>{job.job}</h1>
      <span class="acts">
        <button type="button" class="main" onClick={() => setQuery({ tab: 'start' })} disabled={job.state === 'deleted'}>Start…</button>
        {job.state !== 'deleted' && <><Act action={setJobPaused(job.job, job.tenant, job.state === 'active')} /><MoreActions id={`job-${job.job}`} actions={[deleteJob(job.job, job.tenant)]} /></>}
      </span>
      {description && <p class="sub">{description}</p>}
      <div class="sub">
        {job.state !== 'active' && <span class="tag warn">{job.state}</span>}
        <Outcomes rows={recentOutcomes(recent?.runs ?? [])} />
        <span>success {percent(recent?.success_rate)}</span>
        <span>median {shown(recent?.p50_ms)}, p95 {shown(recent?.p95_ms)}{expected !== undefined && <span class={(recent?.p95_ms ?? 0) > expected ? 'over' : ''}>{(recent?.p95_ms ?? 0) > expected ? ' ▲' : ''} expected {span(expected)}</span>}</span>
        <span>{job.active_runs} active, {job.waiting_runs} waiting</span>
        <span>version {job.version}, {job.tasks} tasks</span>
        {owner && <span>owner {owner}</span>}
        {tags?.map((tag) => <a class="tag" key={tag} href={href(['jobs'], { tag })}>{tag}</a>)}
      </div>
    </div>
  );
}

function View({ job, all, isLoading }: { job: Job; all: Run[]; isLoading: boolean }) {
  switch (param('tab')) {
    case 'start':
      return <StartForm job={job} last={all.filter((run) => hasEnded(run.state)).slice(0, 10)} />;
    case 'graph':
      return <PlanGraph job={job} />;
    case 'schedules':
      return <Beginnings job={job} />;
    case 'versions':
      return <Versions job={job} />;
    case 'notes':
      return <Notes notes={job.notes} />;
    default:
      if (isLoading) return <Loading />;
      return all.length
        ? <><Durations runs={all} /><Table label={`Runs of ${job.job}`} rows={all} id={(run) => run.run_id} columns={RUN_COLUMNS} current={opened.value} href={(run) => openHref(run.run_id)} /></>
        : <Empty title="It has not run yet"><button type="button" onClick={() => setQuery({ tab: 'start' })}>Start it</button></Empty>;
  }
}

/** How long each of the last runs took, the newest at the right; a mark where a new version began. */
function Durations({ runs: all }: { runs: Run[] }) {
  const shown = all.filter((run) => run.started_at).slice(0, DURATIONS_MAX).reverse();
  const longest = Math.max(1, ...shown.map(duration));
  if (shown.length < 2) return null;
  return (
    <figure class="durations" aria-label="How long the last runs took">
      <div>
        {shown.map((run, at) => {
          const isNew = at > 0 && shown[at - 1]!.version !== run.version;
          const label = `${stateWord(run.state)}, ${span(duration(run))}, version ${run.version}, ${run.created_at.slice(0, 16).replace('T', ' ')}`;
          return (
            <a key={run.run_id} href={openHref(run.run_id)} title={label} aria-label={label} class={isNew ? 'new' : ''}>
              {isNew && <small>v{run.version}</small>}
              <i class={`fill s-${run.state}`} style={{ height: `${Math.max(3, Math.round((60 * duration(run)) / longest))}px` }} />
            </a>
          );
        })}
      </div>
      <figcaption class="quiet">the last {shown.length} runs, at most {span(longest)}</figcaption>
    </figure>
  );
}

/** The graph of the newest version, before anything runs. */
function PlanGraph({ job }: { job: Job }) {
  const query = useQuery(`graph ${job.tenant}/${job.job} ${job.version}`, (signal) => jobGraph(job, signal));
  const graph = query.data.value;
  const nodes = useMemo(() => graph?.names.map((name, at) => ({ name, state: 'pending' as const, note: graph.mapped.has(at) ? 'each' : undefined })), [graph]);
  if (query.error.value) return <Failure error={query.error.value} retry={query.refresh} />;
  if (!graph || !nodes) return <Loading />;
  return <RunGraph graph={graph} nodes={nodes} open={() => undefined} />;
}

const TRIGGER_COLUMNS: PlainColumn<Trigger>[] = [
  { name: 'Name', by: (row) => row.name, cell: (row) => row.name },
  { name: 'Begins on', cell: (row) => <>{row.after?.length ? `after ${row.after.join(', ')}` : row.event ? `event ${row.event.type}` : row.webhook ? `webhook ${row.webhook}` : ''}{row.if && <code> if {row.if}</code>}</> },
  { name: 'Fired', isNumber: true, by: (row) => row.fired, cell: (row) => row.fired },
  { name: 'Skipped', isNumber: true, by: (row) => row.skipped, cell: (row) => row.skipped },
  { name: 'Errors', isNumber: true, by: (row) => row.errors, cell: (row) => row.errors },
  { name: 'Last', by: (row) => row.last_fired?.at, cell: (row) => <>{row.last_fired && <a href={openHref(row.last_fired.run_id)}><Time at={row.last_fired.at} /></a>} {row.last_error && <span class="quiet">{row.last_error.what}</span>}</> },
];

function Beginnings({ job }: { job: Job }) {
  const query = useQuery(`triggers ${job.tenant}/${job.job}`, (signal) => triggers({ job: job.job, tenant: job.tenant }, signal));
  const rows = query.data.value ?? [];
  return (
    <>
      <Section title="Schedules" aside={<a href={href(['schedules', job.job, 'new'], { edit: 1, tenant: param('tenant') })}>New schedule</a>}>
        {job.schedules?.length ? <ScheduleRows rows={job.schedules} /> : <p class="quiet">None. A schedule stands in the job file, or is stored with <code>mainspring schedule put</code>.</p>}
      </Section>
      <Section title="Triggers">
        {rows.length ? (
          <Plain rows={rows} id={(row) => row.name} columns={TRIGGER_COLUMNS} sortAt="by" />
        ) : <p class="quiet">None. An event, a webhook or the success of another job can begin a run; see the job file.</p>}
      </Section>
    </>
  );
}

function Versions({ job }: { job: Job }) {
  const list = useQuery(`versions ${job.tenant}/${job.job}`, (signal) => versions(job.job, job.tenant, signal));
  const chosen = Number(param('version')) || job.version;
  const load = (number: number) => (signal: AbortSignal) => readVersion(job.job, number, job.tenant, signal);
  const now = useQuery(`version ${job.tenant}/${job.job} ${chosen}`, load(chosen));
  const before = useQuery(`version ${job.tenant}/${job.job} ${chosen - 1}`, chosen > 1 ? load(chosen - 1) : async () => undefined);
  const rows = list.data.value ?? [];
  const [text, old] = [now.data.value, before.data.value].map((version) => JSON.stringify(version?.definition ?? {}, null, 2));
  return (
    <>
      <div class="facet">{rows.map((row) => (
        <button type="button" key={row.version} class={row.version === chosen ? 'chip on' : 'chip'} aria-pressed={row.version === chosen} onClick={() => go(href(['jobs', job.job], { tab: 'versions', version: row.version, tenant: param('tenant') }))}>
          {row.version} <Time at={row.applied_at} />
        </button>
      ))}</div>
      {now.error.value && <Failure error={now.error.value} />}
      {before.data.value && <Section title={`What changed from version ${chosen - 1}`}><Diff lines={difference(old!, text!)} /></Section>}
      <Section title={`Version ${chosen}`}><Json name={`${job.job}-${chosen}`} value={now.data.value?.definition} /></Section>
      <Facts rows={[['Applied', now.data.value && <Time at={now.data.value.applied_at} />]]} />
    </>
  );
}
