// The tasks of a run as a table, in the order of the graph or with the worst first.

import { TASK_STATES, type State } from '../api/state';
import type { Run, RunTask } from '../api/views';
import { layersOf, toGraph } from '../graph/layout';
import { list, openHref, opened, param, withQuery } from '../url/route';
import { Empty, StateBadge, Time, Took, ranFor } from '../ui/basics';
import { many } from '../format/text';
import { Choice, StateFacet, TextFacet } from '../ui/facets';
import { Table, type Column } from '../ui/table';
import { CountsBar } from '../ui/bars';
import { useMemo } from 'preact/hooks';

const COLUMNS: Column<RunTask>[] = [
  { name: 'Task', width: 'minmax(100px, 2fr)', by: (task) => task.name, cell: (task) => <span class="two"><span>{task.name}</span>{task.reason && <small title={task.reason}>{task.reason}</small>}</span> },
  { name: 'State', width: '158px', by: (task) => WORST.indexOf(task.state), cell: (task) => <StateBadge state={task.state} /> },
  { name: 'Items', width: '120px', by: (task) => task.items?.count, cell: (task) => <Items task={task} />, isWideOnly: true },
  { name: 'Needs', width: 'minmax(80px, 1.5fr)', cell: (task) => <span class="quiet" title={task.needs.join(', ')}>{task.needs.join(', ')}</span>, isWideOnly: true },
  { name: 'Started', width: '96px', by: (task) => task.started_at, cell: (task) => <Time at={task.started_at} />, isWideOnly: true },
  { name: 'Took', width: '60px', by: (task) => ranFor(task), cell: (task) => <Took from={task.started_at} to={task.ended_at} />, isNumber: true },
];

const ORDERS: [string, string][] = [['', 'in order of the graph'], ['worst', 'worst first'], ['longest', 'longest first'], ['name', 'by name']];

function Items({ task: { items } }: { task: RunTask }) {
  if (!items) return null;
  const counts = {
    succeeded: items.succeeded, failed: items.failed, running: items.live,
    pending: Math.max(0, items.count - items.succeeded - items.failed - items.live),
  };
  return <span class="items"><CountsBar counts={counts} /> {items.succeeded}/{items.count}</span>;
}

const WORST: State[] = ['quarantined', 'failed', 'upstream_failed', 'retry_wait', 'running', 'assigned', 'queued', 'deferred', 'pending', 'cancelled', 'skipped', 'succeeded'];

const took = (task: RunTask): number =>
  (task.started_at ? (task.ended_at ? Date.parse(task.ended_at) : Date.now()) - Date.parse(task.started_at) : -1);

export function arranged(tasks: RunTask[], order: string): RunTask[] {
  if (order === 'worst') return tasks.toSorted((a, b) => WORST.indexOf(a.state) - WORST.indexOf(b.state));
  if (order === 'longest') return tasks.toSorted((a, b) => took(b) - took(a));
  if (order === 'name') return tasks.toSorted((a, b) => a.name.localeCompare(b.name));
  const layers = layersOf(toGraph(tasks));
  const at = new Map(tasks.map((task, index) => [task, layers[index]!]));
  return tasks.toSorted((a, b) => at.get(a)! - at.get(b)!);
}

const UNDONE_MAX = 100;

/** What was, or is, undone because the run failed: each a task of its own. */
function Undone({ tasks }: { tasks: RunTask[] }) {
  const undone = tasks.filter((task) => task.undo_task_id);
  if (!undone.length) return null;
  return (
    <p class="quiet">{many(undone.length, 'task')} undone, or being undone:{' '}
      {undone.slice(0, UNDONE_MAX).map((task, at) => <span key={task.name}>{at ? ', ' : ''}<a href={openHref(task.undo_task_id)}>undo of {task.name}</a></span>)}
      {undone.length > UNDONE_MAX && ' and others'}
    </p>
  );
}

export function RunTasks({ run }: { run: Run }) {
  const tasks = run.tasks ?? [];
  const states = list('only');
  const text = param('task').toLowerCase();
  const rows = useMemo(() => arranged(tasks, param('order')), [tasks, param('order')])
    .filter((task) => (!states.length || states.includes(task.state)) && task.name.toLowerCase().includes(text));
  const present = TASK_STATES.filter((state) => run.counts[state]);
  return (
    <>
      <div class="filters">
        {present.length > 1 && <StateFacet name="only" states={present} counts={run.counts} />}
        {tasks.length > 8 && <TextFacet name="task" label="Task" />}
        <Choice name="order" label="Order" values={ORDERS} />
      </div>
      {rows.length
        ? <Table label="Tasks of this run" sortAt="by" rows={rows} id={(task) => task.name} columns={COLUMNS}
            current={rows.find((task) => task.task_id && task.task_id === opened.value)?.name}
            href={(task) => (task.items ? withQuery({ view: 'items', of: task.name, only: '', task: '', order: '' }) : openHref(task.task_id ?? task.run_id))} />
        : <Empty title="No task fits these filters" />}
      <Undone tasks={tasks} />
    </>
  );
}
