// All runs, newest first. Filters are in the URL; the first page follows the feed.

import { RUN_STATES, hasEnded, type State } from '../api/state';
import type { Action } from '../api/actions';
import { bulk, labelsOf, of, type Selector } from '../api/bulk';
import { runs } from '../api/reads';
import type { Run } from '../api/views';
import { usePaged } from '../live/paged';
import { list, openHref, opened, param } from '../url/route';
import { Command, Empty, Failure, Loading, StateText, Time, Took, now, ranFor, stateClass, useTitle } from '../ui/basics';
import { CountsBar } from '../ui/bars';
import { Choice, SINCE, StateFacet, TextFacet, sinceInstant } from '../ui/facets';
import { Table, type Column } from '../ui/table';
import { Act, MoreActions } from '../ui/act';
import { Stale } from '../ui/stale';

const TRIGGERS: [string, string][] = [
  ['', 'any trigger'], ['manual', 'by hand'], ['schedule', 'by a schedule'], ['event', 'by an event'], ['backfill', 'by a backfill'],
  ['rerun', 'rerun'], ['parent', 'by another run'],
];

export const RUN_COLUMNS: Column<Run>[] = [
  { name: 'State', width: '118px', by: (run) => run.state, kind: (run) => stateClass(run.state), cell: (run) => <StateText state={run.state} /> },
  { name: 'Job', width: 'minmax(120px, 1.600fr)', by: (run) => run.job, kind: 'two', cell: (run) => <><span>{run.job}</span><RunNote run={run} /></> },
  { name: 'Tasks', width: 'minmax(60px, 1fr)', cell: (run) => <CountsBar counts={run.counts} />, isWideOnly: true },
  { name: 'Trigger', width: '84px', by: (run) => run.trigger, cell: (run) => run.trigger, isWideOnly: true },
  { name: 'Version', width: '56px', by: (run) => run.version, cell: (run) => run.version, isNumber: true, isWideOnly: true },
  { name: 'Took', width: '72px', by: (run) => ranFor(run), cell: (run) => <Took from={run.started_at} to={run.ended_at} />, isNumber: true },
  { name: 'Created', width: '108px', by: (run) => run.created_at, cell: (run) => <Time at={run.created_at} />, isWideOnly: true },
];

function RunNote({ run }: { run: Run }) {
  const marks = run.marks?.length ? run.marks.join(', ') : '';
  const text = run.reason ?? (marks ? `is ${marks}` : '');
  return text ? <small title={text}>{text}</small> : null;
}

/** What the server is asked for, from the URL. */
export function runFilter() {
  return {
    state: list('state').join(','), job: param('job'), trigger: param('trigger'), label: param('label'), tenant: param('tenant'),
    created_from: sinceInstant(param('since'), now.peek().getTime()),
  };
}


export default function Runs() {
  useTitle('Runs');
  const filter = runFilter();
  const key = `runs ${JSON.stringify({ ...filter, created_from: param('since') })}`;
  const page = usePaged<Run>(key, (cursor, signal) => runs(runFilter(), cursor, signal), {
    id: (run) => run.run_id,
    touched: (change) => change.kind === 'run' && (!filter.job || change.job === filter.job),
    patch: (run, change) => (change.state && change.kind === 'run' && change.what === 'ended'
      ? { ...run, state: change.state, ended_at: change.at } : run),
  });
  return (
    <>
      <div class="head"><h1 class="sr">Runs</h1><Bulk /></div>
      <div class="filters">
        <StateFacet states={RUN_STATES} counts={countsOf(page.rows, page.hasMore)} />
        <TextFacet name="job" label="Job" />
        <Choice name="trigger" label="Trigger" values={TRIGGERS} />
        <Choice name="since" label="Created" values={SINCE} />
        <TextFacet name="label" label="Label, k=v" />
      </div>
      {page.error && (page.rows ? <Stale at={page.at} error={page.error} /> : <Failure error={page.error} retry={page.refresh} />)}
      {!page.rows && !page.error && <Loading rows={12} />}
      {page.rows?.length === 0 && <NoRuns isFiltered={Object.values(filter).some(Boolean)} />}
      {page.rows && page.rows.length > 0 && (
        <Table label="Runs" order="Newest first" rows={page.rows} id={(run) => run.run_id} columns={RUN_COLUMNS} current={opened.value}
          href={(run) => openHref(run.run_id)} more={page.more} hasMore={page.hasMore} />
      )}
    </>
  );
}

/** For everything that fits the filters, also what is not loaded; only where the filters name states. */
function Bulk() {
  const states = list('state') as State[];
  const labels = labelsOf(param('label'));
  if (!states.length || !labels) return null;
  const selector: Selector = { job: param('job'), tenant: param('tenant'), labels, trigger: param('trigger'), state: states, since: sinceInstant(param('since'), now.peek().getTime()) };
  const shown = `that is ${states.join(' or ')}${of(selector)}`;
  const actions: Action[] = states.every((state) => !hasEnded(state))
    ? [bulk('Cancel all', 'cancel_runs', selector, shown), bulk('Pause all', 'pause_runs', selector, shown), bulk('Resume all', 'resume_runs', selector, shown)]
    : states.every((state) => state === 'failed' || state === 'cancelled') ? [bulk('Clear failed of all', 'retry_runs', selector, shown)] : [];
  const [first, ...rest] = actions;
  return first ? <span class="acts"><Act action={first} /><MoreActions id="bulk" actions={rest} /></span> : null;
}

/** Only when the whole answer is on screen: a count over a part would be wrong. */
function countsOf(rows: Run[] | undefined, hasMore: boolean): Partial<Record<State, number>> | undefined {
  if (!rows || hasMore || list('state').length) return undefined;
  const counts: Partial<Record<State, number>> = {};
  for (const run of rows) {
    const state = hasEnded(run.state) || run.state === 'queued' ? run.state : 'running';
    counts[state] = (counts[state] ?? 0) + 1;
  }
  return counts;
}

function NoRuns({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <Empty title="No run fits these filters"><a href="?">Show all runs</a></Empty>;
  return (
    <Empty title="No runs yet">
      <p>Apply a job and start it:</p>
      <Command text="mainspring apply -f examples/hello.yaml && mainspring job trigger hello" />
    </Empty>
  );
}
