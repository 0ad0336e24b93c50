// All jobs, with what became of their last runs.

import { jobs, runs, upcoming } from '../api/reads';
import type { Job, Run } from '../api/views';
import { hasEnded, stateWord } from '../api/state';
import { grouped } from '../format/text';
import { span } from '../format/time';
import { usePaged } from '../live/paged';
import { useQuery } from '../live/query';
import { href, param } from '../url/route';
import { Command, Empty, Failure, Loading, StateBadge, Time, useTitle } from '../ui/basics';
import { Outcomes, type Outcome } from '../ui/bars';
import { TextFacet } from '../ui/facets';
import { Stale } from '../ui/stale';
import { Table, type Column } from '../ui/table';

/** Runs of all jobs that are looked at for outcomes; jobs that run seldom show fewer. */
const LOOKED_AT = 999;
const SHOWN = 14;

export const duration = (run: Run): number =>
  (run.started_at ? (run.ended_at ? Date.parse(run.ended_at) : Date.now()) - Date.parse(run.started_at) : 0);

/** The newest at the right. */
export function outcomesOf(all: Run[], most = SHOWN): Outcome[] {
  const last = all.slice(0, most).reverse();
  const longest = Math.max(1, ...last.map(duration));
  return last.map((run) => ({
    state: run.state, key: run.run_id, height: duration(run) / longest,
    title: `${stateWord(run.state)} ${run.created_at.slice(0, 16).replace('T', ' ')}, ${span(duration(run))}`,
  }));
}

interface Row extends Job {
  last: Run[];
  next?: string;
}

/** Percent of the ended runs that succeeded. */
function successShare(last: Run[]): number | undefined {
  const ended = last.filter((run) => hasEnded(run.state) && run.state !== 'cancelled');
  return ended.length ? Math.round((100 * ended.filter((run) => run.state === 'succeeded').length) / ended.length) : undefined;
}

export function success(last: Run[]): string {
  const share = successShare(last);
  return share === undefined ? '–' : `${share} %`;
}

function medianOf(row: Row): number | undefined {
  const it = median(row.last.filter((run) => run.state === 'succeeded').map(duration));
  return Number.isNaN(it) ? undefined : it;
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted.length ? sorted[Math.floor((sorted.length - 1) / 2)]! : NaN;
}

const COLUMNS: Column<Row>[] = [
  { name: 'Job', width: 'minmax(120px, 1.600fr)', by: (row) => row.job, cell: (row) => <span class="two"><span>{row.job}</span>{row.state !== 'active' && <small>{row.state}</small>}</span> },
  { name: 'Last runs', width: '128px', cell: (row) => <Outcomes rows={outcomesOf(row.last)} /> },
  { name: 'Last', width: '118px', by: (row) => row.last_run?.state, cell: (row) => row.last_run && <StateBadge state={row.last_run.state} />, isWideOnly: true },
  { name: 'Success', width: '66px', by: (row) => successShare(row.last), cell: (row) => success(row.last), isNumber: true, isWideOnly: true },
  { name: 'Median', width: '72px', by: (row) => medianOf(row), cell: (row) => { const it = medianOf(row); return it === undefined ? '–' : span(it); }, isNumber: true, isWideOnly: true },
  { name: 'Active', width: '84px', by: (row) => row.active_runs + row.waiting_runs, cell: (row) => (row.waiting_runs ? `${row.active_runs} + ${row.waiting_runs} wait` : row.active_runs || ''), isNumber: true, isWideOnly: true },
  { name: 'Next', width: '112px', by: (row) => row.next, cell: (row) => row.next && <Time at={row.next} />, isWideOnly: true },
  { name: 'Version', width: '56px', by: (row) => row.version, cell: (row) => row.version, isNumber: true, isWideOnly: true },
];

export default function Jobs() {
  useTitle('Jobs');
  const filter = { tag: param('tag'), owner: param('owner'), tenant: param('tenant') };
  const onRun = (change: { kind: string }) => change.kind === 'run' || change.kind === 'job';
  const page = usePaged<Job>(`jobs ${JSON.stringify(filter)}`, (cursor, signal) => jobs({ ...filter, limit: 999 }, cursor, signal), { id: (job) => `${job.tenant}/${job.job}`, touched: onRun });
  const last = useQuery('jobs-runs', (signal) => runs({ limit: LOOKED_AT, tenant: param('tenant') }, undefined, signal), { touched: onRun });
  const windows = useQuery('jobs-next', (signal) => upcoming({ within: '7d', limit: 999 }, signal), { touched: (change) => change.kind === 'schedule' || change.what === 'created' });
  const text = param('name').toLowerCase();
  const byJob = grouped(last.data.value?.rows ?? [], (run) => run.job);
  const next = new Map((windows.data.value ?? []).toReversed().map((window) => [window.job, window.at]));
  const rows = page.rows?.filter((job) => job.job.toLowerCase().includes(text) && job.state !== 'deleted')
    .map((job): Row => ({ ...job, last: byJob.get(job.job) ?? [], next: next.get(job.job) }));
  return (
    <>
      <div class="head"><h1 class="sr">Jobs</h1></div>
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
