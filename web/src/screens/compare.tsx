// A run beside another one of its job, by default the last that succeeded before it: what was different, and what took
// longer.

import { run as readRun, runs } from '../api/reads';
import type { Run, RunTask } from '../api/views';
import type { State } from '../api/state';
import { difference } from '../format/diff';
import { span } from '../format/time';
import { useQuery } from '../live/query';
import { href, param } from '../url/route';
import { Empty, Facts, Failure, Loading, Section, StateBadge, Time } from '../ui/basics';
import { Diff } from '../ui/diff';
import { Table, type Column } from '../ui/table';

export interface Pair {
  name: string;
  old?: { state: State; ms?: number };
  now?: { state: State; ms?: number };
  /** How much longer it took, in milliseconds. */
  more: number;
}

const took = (task: RunTask): number | undefined =>
  (task.started_at && task.ended_at ? Date.parse(task.ended_at) - Date.parse(task.started_at) : undefined);

/** Other states first, then what took longer, the most first. */
export function pairs(old: RunTask[], now: RunTask[]): Pair[] {
  const side = (task: RunTask | undefined) => task && { state: task.state, ms: took(task) };
  const [before, after] = [old, now].map((tasks) => new Map(tasks.map((task) => [task.name, task])));
  const names = [...new Set([...after!.keys(), ...before!.keys()])];
  const rows = names.map((name): Pair => {
    const [was, is] = [side(before!.get(name)), side(after!.get(name))];
    return { name, old: was, now: is, more: was?.ms !== undefined && is?.ms !== undefined ? is.ms - was.ms : 0 };
  });
  const isOther = (row: Pair) => Number(row.old?.state !== row.now?.state);
  return rows.sort((a, b) => isOther(b) - isOther(a) || b.more - a.more);
}

const Side = ({ of }: { of: Pair['old'] }) => (of ? <StateBadge state={of.state} /> : <span class="quiet">not there</span>);

const COLUMNS: Column<Pair>[] = [
  { name: 'Task', width: 'minmax(110px, 1.500fr)', by: (row) => row.name, cell: (row) => row.name },
  { name: 'Then', width: '158px', by: (row) => row.old?.state, cell: (row) => <Side of={row.old} />, isWideOnly: true },
  { name: 'Now', width: '132px', by: (row) => row.now?.state, cell: (row) => <Side of={row.now} /> },
  { name: 'Took then', width: '76px', by: (row) => row.old?.ms, cell: (row) => (row.old?.ms === undefined ? '–' : span(row.old.ms)), isNumber: true, isWideOnly: true },
  { name: 'Took now', width: '76px', by: (row) => row.now?.ms, cell: (row) => (row.now?.ms === undefined ? '–' : span(row.now.ms)), isNumber: true, isWideOnly: true },
  { name: 'Longer by', width: '68px', by: (row) => row.more, cell: (row) => (row.more > 0 ? span(row.more) : ''), isNumber: true },
];

export function Compare({ run }: { run: Run }) {
  const wanted = param('with');
  const found = useQuery(`compare ${run.run_id} ${wanted}`, async (signal) => {
    if (wanted) return readRun(wanted, signal);
    const page = await runs({ job: run.job, tenant: run.tenant, state: 'succeeded', created_before: run.created_at, limit: 1 }, undefined, signal);
    return page.rows[0] ? readRun(page.rows[0].run_id, signal) : null;
  });
  const old = found.data.value;
  if (found.error.value) return <Failure error={found.error.value} retry={found.refresh} />;
  if (old === undefined) return <Loading />;
  if (old === null) return <Empty title="No run of this job succeeded before it" />;
  const text = (value: unknown) => JSON.stringify(value ?? {}, null, 2);
  const rows = pairs(old.tasks ?? [], run.tasks ?? []);
  return (
    <>
      <Facts rows={[
        ['Compared with', <a href={href(['runs', old.run_id])}>{wanted ? old.run_id : 'the last good run'}</a>], ['It was created', <Time at={old.created_at} />],
        ['Version', old.version === run.version ? `${run.version}, the same` : <a href={href(['jobs', run.job], { tab: 'versions', version: run.version })}>{old.version} then, {run.version} now</a>],
        ['Trigger', old.trigger === run.trigger ? `${run.trigger}, the same` : `${old.trigger} then, ${run.trigger} now`],
      ]} />
      <Section title="Parameters"><Diff lines={difference(text(old.parameters), text(run.parameters))} /></Section>
      <Section title="Tasks"><Table label="Tasks of both runs" sortAt="by" rows={rows} id={(row) => row.name} columns={COLUMNS} href={() => href(['runs', run.run_id])} /></Section>
    </>
  );
}
