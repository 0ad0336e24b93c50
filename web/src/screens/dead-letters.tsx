// Tasks that failed for good, grouped by what went wrong. A group, a selection or one of them can be queued again.

import { signal } from '@preact/signals';
import { changeDeadLetters, clearRun } from '../api/actions';
import { deadLetters } from '../api/reads';
import type { Task } from '../api/views';
import { grouped, many } from '../format/text';
import { usePaged } from '../live/paged';
import { openHref, opened, param, withQuery } from '../url/route';
import { Act } from '../ui/act';
import { Empty, Failure, Loading, Section, StateBadge, Time, useTitle } from '../ui/basics';
import { TextFacet } from '../ui/facets';
import { Stale } from '../ui/stale';
import { Table, type Column } from '../ui/table';
import { title } from './words';

/** The server takes at most this many at once. */
const AT_ONCE_MAX = 1000;
const GROUPS_MAX = 12;

const COLUMNS: Column<Task>[] = [
  { name: 'Task', width: 'minmax(120px, 1.400fr)', cell: (task) => <span class="two"><span>{task.payload ? title(task) : (task.job ?? task.task_type)}</span><small>{task.last_error?.message ?? ''}</small></span> },
  { name: 'State', width: '124px', cell: (task) => <StateBadge state={task.state} />, isWideOnly: true },
  { name: 'Error', width: '130px', cell: (task) => task.last_error && `${task.last_error.class} ${task.last_error.code}`, isWideOnly: true },
  { name: 'Tries', width: '46px', cell: (task) => task.attempt_count, isNumber: true, isWideOnly: true },
  { name: 'Ended', width: '108px', cell: (task) => <Time at={task.ended_at} />, isNumber: true },
];

export interface Group {
  key: string;
  message: string;
  tasks: Task[];
  first: string;
  last: string;
}

/** Numbers, ids and quoted parts differ from task to task; what is left tells errors apart. */
export function fingerprint(task: Task): string {
  const error = task.last_error;
  if (!error) return task.state;
  const words = error.message.replace(/[0-9a-f]{8,}/gi, '#').replace(/\d+/g, '#').replace(/`[^`]*`|"[^"]*"/g, '…');
  return `${error.class} ${error.code}: ${words}`.slice(0, 200);
}

export function groups(tasks: Task[]): Group[] {
  const found = grouped(tasks, fingerprint);
  const ends = (rows: Task[]) => rows.map((task) => task.ended_at ?? task.updated_at).sort();
  return [...found].map(([key, rows]) => ({ key, tasks: rows, message: rows[0]!.last_error?.message ?? '', first: ends(rows)[0]!, last: ends(rows).at(-1)! }))
    .sort((a, b) => b.tasks.length - a.tasks.length);
}

const chosen = signal(new Set<string>());

export default function DeadLetters() {
  useTitle('Dead letters');
  const filter = { job: param('job'), tenant: param('tenant'), label: param('label') };
  const page = usePaged<Task>(`dead ${JSON.stringify(filter)}`, (cursor, signal) => deadLetters(filter, cursor, signal), {
    id: (task) => task.task_id, touched: (change) => change.kind === 'task' && change.state !== 'running' && change.state !== 'assigned',
  });
  const all = page.rows ?? [];
  const rows = param('error') ? all.filter((task) => fingerprint(task) === param('error')) : all;
  const ids = rows.filter((task) => chosen.value.has(task.task_id)).map((task) => task.task_id).slice(0, AT_ONCE_MAX);
  const select = (id: string, on: boolean) => {
    const next = new Set(chosen.value);
    if (on) next.add(id);
    else next.delete(id);
    chosen.value = next;
  };
  return (
    <>
      <div class="head"><h1 class="sr">Dead letters</h1>
        {ids.length > 0 && <span class="acts"><span>{ids.length} selected</span><Act action={changeDeadLetters(ids, 'requeue')} /><Act action={changeDeadLetters(ids, 'discard')} /></span>}
      </div>
      <div class="filters"><TextFacet name="job" label="Job" /><TextFacet name="label" label="Label, as team=ops" />{param('error') && <a class="chip on" href={withQuery({ error: '' })}>{param('error')} ✕</a>}</div>
      {page.error && (page.rows ? <Stale at={page.at} error={page.error} /> : <Failure error={page.error} retry={page.refresh} />)}
      {!page.rows && !page.error && <Loading />}
      {page.rows?.length === 0 && <Empty title="No dead letters"><p>A task that has failed for good, after all its retries, appears here until somebody queues it again or discards it.</p></Empty>}
      {all.length > 0 && !param('error') && <Groups all={all} hasMore={page.hasMore} />}
      {rows.length > 0 && <Table label="Dead letters" rows={rows} id={(task) => task.task_id} columns={COLUMNS} current={opened.value} href={(task) => openHref(task.task_id)} more={page.more} hasMore={page.hasMore} selected={chosen.value} select={select} />}
    </>
  );
}

/** Tasks of runs are repaired in their runs. */
function GroupAction({ tasks }: { tasks: Task[] }) {
  const own = tasks.filter((task) => !task.run_id).slice(0, AT_ONCE_MAX);
  const runs = new Set(tasks.map((task) => task.run_id).filter((run) => run !== undefined));
  const [run] = runs;
  if (own.length) return <Act action={{ ...changeDeadLetters(own.map((task) => task.task_id), 'requeue'), effect: `Queues ${many(own.length, 'task')} of this group again with fresh retries.` }} />;
  return runs.size === 1 ? <Act action={clearRun(run!, 0)} /> : <span class="quiet">in {many(runs.size, 'run')}</span>;
}

function Groups({ all, hasMore }: { all: Task[]; hasMore: boolean }) {
  return (
    <Section title={`By error${hasMore ? ', of those loaded' : ''}`}>
      <div class="scroll-x" tabIndex={0}><table class="plain">
        <thead><tr><th class="tight">Tasks</th><th>Error</th><th class="tight">First</th><th class="tight">Last</th><th><span class="sr">Actions</span></th></tr></thead>
        <tbody>{groups(all).slice(0, GROUPS_MAX).map((group) => (
          <tr key={group.key}>
            <td class="tight num">{group.tasks.length}</td><td><a href={withQuery({ error: group.key })}>{group.key}</a></td>
            <td class="tight"><Time at={group.first} /></td><td class="tight"><Time at={group.last} /></td>
            <td class="tight"><GroupAction tasks={group.tasks} /></td>
          </tr>
        ))}</tbody>
      </table></div>
    </Section>
  );
}
