// All tasks, inside and outside of runs.

import { TASK_STATES, type State } from '../api/state';
import type { Action } from '../api/actions';
import { bulk, labelsOf, of, type Selector } from '../api/bulk';
import { tasks, waiting, type Page } from '../api/reads';
import type { Task } from '../api/views';
import { usePaged } from '../live/paged';
import { useQuery } from '../live/query';
import { list, openHref, opened, param } from '../url/route';
import { Act, MoreActions } from '../ui/act';
import { Command, Empty, Failure, Loading, StateText, Time, Took, now, ranFor, stateClass, useTitle } from '../ui/basics';
import { Choice, SINCE, StateFacet, TextFacet, sinceInstant } from '../ui/facets';
import { Stale } from '../ui/stale';
import { Table, type Column } from '../ui/table';
import { shortId } from '../format/text';
import { ReasonFacet, poolChoices } from './waiting';
import { title } from './words';

export const TASK_COLUMNS: Column<Task>[] = [
  { name: 'State', width: '158px', by: (task) => task.state, kind: (task) => stateClass(task.state), cell: (task) => <StateText state={task.state} /> },
  { name: 'Task', width: 'minmax(90px, 2fr)', by: title, kind: 'two', cell: (task) => <><span title={title(task)}>{title(task)}</span><TaskNote task={task} /></> },
  { name: 'Executor', width: '76px', by: (task) => task.task_type, cell: (task) => task.task_type, isWideOnly: true },
  { name: 'Pool', width: '84px', by: (task) => task.pool, cell: (task) => task.pool, isWideOnly: true },
  { name: 'Priority', width: '62px', by: (task) => task.priority.band, cell: (task) => task.priority.band, isWideOnly: true },
  { name: 'Tries', width: '46px', by: (task) => task.attempt_count, cell: (task) => task.attempt_count, isNumber: true, isWideOnly: true },
  { name: 'Took', width: '58px', by: (task) => ranFor(task), cell: (task) => <Took from={task.started_at} to={task.ended_at} />, isNumber: true },
  { name: 'Created', width: '108px', by: (task) => task.created_at, cell: (task) => <Time at={task.created_at} />, isWideOnly: true },
];

function TaskNote({ task }: { task: Task }) {
  const text = task.last_error && task.state !== 'succeeded' ? task.last_error.message : task.scheduled_at && task.state === 'pending' ? 'waits for its time' : shortId(task.task_id);
  return <small title={text}>{text}</small>;
}

const PRIORITIES: [string, string][] = [['', 'any priority'], ...['P0', 'P1', 'P2', 'backfill'].map((band): [string, string] => [band, band])];

export function taskFilter() {
  return {
    state: list('state').join(','), job: param('job'), label: param('label'), worker: param('worker'), tenant: param('tenant'),
    pool: param('pool'), reason: param('reason'), limit_name: param('limit'),
    created_from: sinceInstant(param('since'), now.peek().getTime()),
  };
}

/** The server does not filter by priority: rows of others are left out here. */
async function listed(cursor: string | undefined, signal?: AbortSignal): Promise<Page<Task>> {
  const band = param('priority');
  const page = await tasks({ ...taskFilter(), ...(band && { limit: 1000 }) }, cursor, signal);
  return band ? { ...page, rows: page.rows.filter((task) => task.priority.band === band) } : page;
}

export default function Tasks() {
  useTitle('Tasks');
  const filter = { ...taskFilter(), priority: param('priority') };
  const why = useQuery('waiting', waiting, { touched: (change) => change.kind === 'task' || change.kind === 'worker', isSoft: true }).data.value;
  const page = usePaged<Task>(`tasks ${JSON.stringify({ ...filter, created_from: param('since') })}`, listed, {
    id: (task) => task.task_id,
    touched: (change) => change.kind === 'task' && (!filter.job || change.job === filter.job), isSoft: true,
    patch: (task, change) => (change.state ? { ...task, state: change.state } : task),
  });
  return (
    <>
      <div class="head"><h1 class="sr">Tasks</h1><Bulk /></div>
      <div class="filters">
        <StateFacet states={TASK_STATES} />
        <TextFacet name="job" label="Job" />
        <TextFacet name="worker" label="Worker id" />
        <TextFacet name="label" label="Label, k=v" />
        <Choice name="pool" label="Pool" values={poolChoices(why?.queues ?? [], param('pool'))} />
        <Choice name="priority" label="Priority" values={PRIORITIES} />
        <Choice name="since" label="Created" values={SINCE} />
        <ReasonFacet rows={why?.waiting ?? []} />
      </div>
      {page.error && (page.rows ? <Stale at={page.at} error={page.error} /> : <Failure error={page.error} retry={page.refresh} />)}
      {!page.rows && !page.error && <Loading rows={12} />}
      {page.rows?.length === 0 && page.hasMore && <Empty title="None of the newest tasks fits these filters"><button type="button" onClick={page.more}>Look further</button></Empty>}
      {page.rows?.length === 0 && !page.hasMore && <NoTasks isFiltered={Object.values(filter).some(Boolean)} />}
      {page.rows && page.rows.length > 0 && (
        <Table label="Tasks" order="Newest first" rows={page.rows} id={(task) => task.task_id} columns={TASK_COLUMNS} current={opened.value}
          href={(task) => openHref(task.task_id)} more={page.more} hasMore={page.hasMore} />
      )}
    </>
  );
}

const WAITING: State[] = ['pending', 'queued', 'retry_wait', 'deferred'];
const RUNNING: State[] = ['assigned', 'running'];
const AGAIN: State[] = ['failed', 'quarantined', 'cancelled', 'skipped'];

/** For everything that fits the filters, also what is not loaded, if the server can be told what that is. */
function Bulk() {
  const states = list('state') as State[];
  const labels = labelsOf(param('label'));
  const isFit = states.length > 0 && labels && !['worker', 'reason', 'priority'].some(param);
  if (!isFit) return null;
  const selector: Selector = { job: param('job'), tenant: param('tenant'), pool: param('pool'), labels, state: states, since: sinceInstant(param('since'), now.peek().getTime()) };
  const shown = `that is ${states.join(' or ').replaceAll('_', ' ')}${of(selector)}`;
  const are = (some: State[]) => states.every((state) => some.includes(state));
  const actions: Action[] = are(WAITING)
    ? [bulk('Cancel all', 'cancel_tasks', selector, shown), bulk('Start all now', 'run_tasks_now', selector, shown),
      ...['P0', 'P1', 'P2'].map((priority) => bulk(`Priority ${priority} for all`, 'set_task_priority', { ...selector, priority }, `${shown} to ${priority}`))]
    : are([...WAITING, ...RUNNING]) ? [bulk('Stop all', 'cancel_tasks', { ...selector, force: true }, shown)]
      : are(AGAIN) ? [bulk('Retry all', 'retry_tasks', selector, shown), ...(are(['failed', 'quarantined']) ? [bulk('Discard all', 'discard_tasks', selector, shown)] : [])] : [];
  const [first, ...rest] = actions;
  return first ? <span class="acts"><Act action={first} /><MoreActions id="bulk" actions={rest} /></span> : null;
}

function NoTasks({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <Empty title="No task fits these filters"><a href="?">Show all tasks</a></Empty>;
  return <Empty title="No tasks yet"><p>Submit one:</p><Command text="mainspring submit --wait -- echo hello" /></Empty>;
}
