// Tasks × runs: every task of a job in its last runs. A column that turns red, or a row, says when and where it began.

import { run as readRun } from '../api/reads';
import type { Run } from '../api/views';
import { stateWord, type State } from '../api/state';
import { span } from '../format/time';
import { useQuery } from '../live/query';
import { openHref, opened } from '../url/route';
import { Empty, Failure, Loading } from '../ui/basics';
import { StateGlyph } from '../ui/icons';
import { duration } from './jobs';

/** One answer a run, so few; the newest at the right. */
const RUNS = 20;
const TASKS_MAX = 400;

export interface GridRow {
  name: string;
  /** By run, in the order of the columns. */
  cells: ({ state: State; id?: string } | undefined)[];
}

/** Rows in the order in which the newest run has its tasks, then those that only older ones have. */
export function gridRows(columns: Run[]): GridRow[] {
  const names = new Set(columns.toReversed().flatMap((run) => (run.tasks ?? []).map((task) => task.name)));
  const byName = columns.map((run) => new Map((run.tasks ?? []).map((task) => [task.name, task])));
  return [...names].map((name) => ({
    name,
    cells: byName.map((tasks) => {
      const task = tasks.get(name);
      return task && { state: task.state, id: task.task_id ?? task.run_id };
    }),
  }));
}

export function Grid({ job, all }: { job: string; all: Run[] }) {
  const last = all.slice(0, RUNS);
  const key = last.map((run) => run.run_id + run.state).join();
  const query = useQuery(`grid ${job} ${key}`, (signal) => Promise.all(last.map((run) => readRun(run.run_id, signal))), { touched: (change) => change.job === job && change.kind === 'run' });
  if (!last.length) return <Empty title="It has not run yet" />;
  if (query.error.value) return <Failure error={query.error.value} retry={query.refresh} />;
  const columns = query.data.value?.toReversed();
  if (!columns) return <Loading />;
  const rows = gridRows(columns);
  const longest = Math.max(1, ...columns.map(duration));
  return (
    <div class="scroll-x" tabIndex={0}><table class="grid">
      <thead><tr><th scope="col">Task</th>{columns.map((run) => {
        const label = `${stateWord(run.state)} run of ${run.created_at.slice(0, 16).replace('T', ' ')}, ${span(duration(run))}`;
        return (
          <th key={run.run_id} scope="col" class={run.run_id === opened.value ? 'on' : ''}>
            <a href={openHref(run.run_id)} title={label} aria-label={label}><i class={`fill s-${run.state}`} style={{ height: `${4 + Math.round((36 * duration(run)) / longest)}px` }} /></a>
          </th>
        );
      })}</tr></thead>
      <tbody>{rows.slice(0, TASKS_MAX).map((row) => (
        <tr key={row.name}><th scope="row" title={row.name}>{row.name}</th>{row.cells.map((cell, at) => (
          <td key={columns[at]!.run_id}>{cell && (
            <a href={openHref(cell.id ?? columns[at]!.run_id)} title={`${row.name} ${stateWord(cell.state)}`} aria-label={`${row.name} ${stateWord(cell.state)}`}><StateGlyph state={cell.state} /></a>
          )}</td>
        ))}</tr>
      ))}</tbody>
    </table>
    {rows.length > TASKS_MAX && <p class="quiet">The first {TASKS_MAX} of {rows.length} tasks; a run has all of its own.</p>}
    </div>
  );
}
