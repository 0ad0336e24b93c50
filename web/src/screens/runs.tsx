// All runs, newest first. Filters are in the URL; the first page follows the feed.

import { RUN_STATES, hasEnded, type State } from '../api/state';
import { cancelRuns } from '../api/actions';
import { countRuns, runs } from '../api/reads';
import type { Run } from '../api/views';
import { usePaged } from '../live/paged';
import { list, openHref, opened, param } from '../url/route';
import { Command, Empty, Failure, Loading, StateText, Time, Took, now, ranFor, stateClass, useTitle } from '../ui/basics';
import { CountsBar } from '../ui/bars';
import { Choice, SINCE, StateFacet, TextFacet, sinceInstant } from '../ui/facets';
import { Table, type Column } from '../ui/table';
import { Act } from '../ui/act';
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
      <div class="head"><h1 class="sr">Runs</h1><BulkCancel /></div>
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

/** Of what the list shows, those that have not ended; the server can be told a job, a label and a tenant. */
function BulkCancel() {
  const states = list('state');
  const isFit = states.length > 0 && states.every((state) => !hasEnded(state as State)) && !param('trigger') && !param('since');
  if (!isFit) return null;
  const of = Object.entries({ job: param('job'), label: param('label'), tenant: param('tenant') }).filter(([, value]) => value);
  const selector = of.length ? Object.fromEntries(of) : { tenant: 'default' };
  const shown = `every run ${of.length ? of.map(([name, value]) => `of ${name} \`${value}\``).join(' ') : 'of tenant `default`'}`;
  return <Act action={cancelRuns(selector, shown, countRuns({ ...selector, state: 'queued,running' }))} />;
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
