// All jobs, with what became of their last runs.

import { bulk, of, type Selector } from '../api/bulk';
import { jobs, upcoming } from '../api/reads';
import type { Job, RecentRun } from '../api/views';
import { stateWord } from '../api/state';
import { span } from '../format/time';
import { usePaged } from '../live/paged';
import { useQuery } from '../live/query';
import { href, param } from '../url/route';
import { Act } from '../ui/act';
import { Command, Empty, Failure, Loading, StateBadge, Time, useTitle } from '../ui/basics';
import { Outcomes, type Outcome } from '../ui/bars';
import { TextFacet } from '../ui/facets';
import { Stale } from '../ui/stale';
import { Table, type Column } from '../ui/table';

/** Newest ended runs of each job that are shown. */
const SHOWN = 14;

/** Of a job's newest ended runs, which the server remembers with it. */
export function recentOutcomes(runs: RecentRun[]): Outcome[] {
  const longest = Math.max(1, ...runs.map((run) => run.took_ms));
  return runs.map((run) => ({
    state: run.state, key: run.run_id, height: run.took_ms / longest, title: `${stateWord(run.state)}, ${span(run.took_ms)}, version ${run.version}`,
  })).reverse();
}

interface Row extends Job {
  next?: string;
}

/** A share of 1 as percent, cut: `100 %` is said of all only. */
export const percent = (share: number | undefined): string => (share === undefined ? '–' : `${Math.floor(share * 100)} %`);

/** How long runs took that succeeded, against how long the job says that they should. */
function Took({ job: { recent, expected_ms: expected } }: { job: Job }) {
  const p95 = recent?.p95_ms;
  if (p95 === undefined) return <>–</>;
  if (expected === undefined) return <>{span(p95)}</>;
  const isLong = p95 > expected;
  return <span class="two" title={isLong ? 'longer than the job expects' : 'within what the job expects'}><span class={isLong ? 'over' : ''}>{isLong ? '▲ ' : ''}{span(p95)}</span><small>of {span(expected)}</small></span>;
}

const COLUMNS: Column<Row>[] = [
  { name: 'Job', width: 'minmax(120px, 1.600fr)', by: (row) => row.job, cell: (row) => <span class="two"><span>{row.job}</span><small>{[row.state === 'active' ? '' : row.state, ...(row.tags ?? [])].filter(Boolean).join(', ')}</small></span> },
  { name: 'Last runs', width: '128px', cell: (row) => <Outcomes rows={recentOutcomes(row.recent?.runs ?? [])} /> },
  { name: 'Last', width: '118px', by: (row) => row.last_run?.state, cell: (row) => row.last_run && <StateBadge state={row.last_run.state} />, isWideOnly: true },
  { name: 'Success', width: '66px', by: (row) => row.recent?.success_rate, cell: (row) => percent(row.recent?.success_rate), isNumber: true, isWideOnly: true },
  { name: 'Median', width: '66px', by: (row) => row.recent?.p50_ms, cell: (row) => (row.recent?.p50_ms === undefined ? '–' : span(row.recent.p50_ms)), isNumber: true, isWideOnly: true },
  { name: 'p95', width: '76px', by: (row) => row.recent?.p95_ms, cell: (row) => <Took job={row} />, isNumber: true, isWideOnly: true },
  { name: 'Active', width: '84px', by: (row) => row.active_runs + row.waiting_runs, cell: (row) => (row.waiting_runs ? `${row.active_runs} + ${row.waiting_runs} wait` : row.active_runs || ''), isNumber: true, isWideOnly: true },
  { name: 'Next', width: '108px', by: (row) => row.next, cell: (row) => row.next && <Time at={row.next} />, isWideOnly: true },
  { name: 'Owner', width: '90px', by: (row) => row.owner, cell: (row) => row.owner && <span class="quiet" title={row.owner}>{row.owner}</span>, isWideOnly: true },
];

export default function Jobs() {
  useTitle('Jobs');
  const filter = { tag: param('tag'), owner: param('owner'), tenant: param('tenant') };
  const onRun = (change: { kind: string }) => change.kind === 'run' || change.kind === 'job';
  const page = usePaged<Job>(`jobs ${JSON.stringify(filter)}`, (cursor, signal) => jobs({ ...filter, limit: 999, recent: SHOWN }, cursor, signal), { id: (job) => `${job.tenant}/${job.job}`, touched: onRun });
  const windows = useQuery('jobs-next', (signal) => upcoming({ within: '7d', limit: 999 }, signal), { touched: (change) => change.kind === 'schedule' || change.what === 'created' });
  const text = param('name').toLowerCase();
  const next = new Map((windows.data.value ?? []).toReversed().map((window) => [window.job, window.at]));
  const rows = page.rows?.filter((job) => job.job.toLowerCase().includes(text) && job.state !== 'deleted')
    .map((job): Row => ({ ...job, next: next.get(job.job) }));
  return (
    <>
      <div class="head"><h1 class="sr">Jobs</h1>{(filter.tag || filter.owner) && !text && <Bulk selector={filter} />}</div>
      <div class="filters"><TextFacet name="name" label="Name" /><TextFacet name="tag" label="Tag" /><TextFacet name="owner" label="Owner" /></div>
      {page.error && (page.rows ? <Stale at={page.at} error={page.error} /> : <Failure error={page.error} retry={page.refresh} />)}
      {!rows && !page.error && <Loading rows={10} />}
      {rows?.length === 0 && (
        <Empty title={text || filter.tag || filter.owner ? 'No job fits these filters' : 'No jobs yet'}>
          <p>A job is a file. Apply one:</p><Command text="mainspring apply -f examples/hello.yaml" />
        </Empty>
      )}
      {rows && rows.length > 0 && (
        <Table label="Jobs" order="By name" rows={rows} id={(row) => `${row.tenant}/${row.job}`} columns={COLUMNS}
          href={(row) => href(['jobs', row.job], { tenant: row.tenant === 'default' ? '' : row.tenant })} more={page.more} hasMore={page.hasMore} />
      )}
    </>
  );
}

/** Of all jobs with the tag and the owner that the filters name. */
function Bulk({ selector }: { selector: Selector }) {
  const shown = of(selector).trim();
  return <span class="acts"><Act action={bulk('Pause all', 'pause_jobs', selector, shown)} /><Act action={bulk('Resume all', 'resume_jobs', selector, shown)} /></span>;
}
