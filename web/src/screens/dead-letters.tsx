// Tasks that failed for good, grouped by what went wrong. A group, a selection or one of them can be queued again.

import { signal } from '@preact/signals';
import { changeDeadLetters } from '../api/actions';
import { bulk, labelsOf, of, type Selector } from '../api/bulk';
import { deadLetterGroups, deadLetters } from '../api/reads';
import type { DeadLetterGroup, Task } from '../api/views';
import { count, many } from '../format/text';
import type { Change } from '../live/feed';
import { usePaged } from '../live/paged';
import { useQuery } from '../live/query';
import { href, openHref, opened, param, withQuery } from '../url/route';
import { Act } from '../ui/act';
import { Empty, Failure, Loading, Section, StateBadge, Time, useTitle } from '../ui/basics';
import { TextFacet } from '../ui/facets';
import { Plain, type PlainColumn } from '../ui/plain';
import { Stale } from '../ui/stale';
import { Table, type Column } from '../ui/table';
import { title } from './words';

/** The server takes at most this many at once. */
const AT_ONCE_MAX = 1000;
const GROUPS_MAX = 12;

const COLUMNS: Column<Task>[] = [
  { name: 'Task', width: 'minmax(120px, 1.400fr)', by: (task) => (task.payload ? title(task) : (task.job ?? task.task_type)), cell: (task) => <span class="two"><span>{task.payload ? title(task) : (task.job ?? task.task_type)}</span><small>{task.last_error?.message ?? ''}</small></span> },
  { name: 'State', width: '124px', by: (task) => task.state, cell: (task) => <StateBadge state={task.state} />, isWideOnly: true },
  { name: 'Error', width: '130px', by: (task) => task.last_error && errorWords(task.last_error), cell: (task) => task.last_error && `${task.last_error.class} ${task.last_error.code}`, isWideOnly: true },
  { name: 'Tries', width: '46px', by: (task) => task.attempt_count, cell: (task) => task.attempt_count, isNumber: true, isWideOnly: true },
  { name: 'Ended', width: '108px', by: (task) => task.ended_at, cell: (task) => <Time at={task.ended_at} />, isNumber: true },
];

interface Failed {
  class: string;
  code: number;
  message: string;
}

/** What the list is narrowed to: numbers, ids and quoted parts differ from task to task, the rest tells errors apart. */
export function errorWords(error: Failed | undefined): string {
  if (!error || error.class === 'none') return 'no error';
  const words = error.message.replace(/[0-9a-f]{8,}/gi, '#').replace(/\d+/g, '#').replace(/`[^`]*`|"[^"]*"/g, '…');
  return `${error.class} ${error.code}: ${words}`.slice(0, 200);
}

const isDeadOrNot = (change: Change) => change.kind === 'task' && change.state !== 'running' && change.state !== 'assigned';

const chosen = signal(new Set<string>());

export default function DeadLetters() {
  useTitle('Dead letters');
  const filter = { job: param('job'), tenant: param('tenant'), label: param('label') };
  const page = usePaged<Task>(`dead ${JSON.stringify(filter)}`, (cursor, signal) => deadLetters(filter, cursor, signal), {
    id: (task) => task.task_id, touched: isDeadOrNot,
  });
  const groups = useQuery(`dead groups ${JSON.stringify(filter)}`, (signal) => deadLetterGroups(filter, signal), { touched: isDeadOrNot });
  const all = page.rows ?? [];
  const rows = param('error') ? all.filter((task) => errorWords(task.last_error) === param('error')) : all;
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
        {!ids.length && all.length > 0 && !param('error') && <Bulk filter={filter} />}
      </div>
      <div class="filters"><TextFacet name="job" label="Job" /><TextFacet name="label" label="Label, k=v" />{param('error') && <a class="chip on" href={withQuery({ error: '' })}>{param('error')} ✕</a>}</div>
      {page.error && (page.rows ? <Stale at={page.at} error={page.error} /> : <Failure error={page.error} retry={page.refresh} />)}
      {!page.rows && !page.error && <Loading />}
      {page.rows?.length === 0 && <Empty title="No dead letters"><p>A task that has failed for good, after all its retries, appears here until somebody queues it again or discards it.</p></Empty>}
      {groups.data.value && groups.data.value.groups.length > 0 && !param('error') && <Groups groups={groups.data.value.groups} more={groups.data.value.more} />}
      {rows.length > 0 && <Table label="Dead letters" order="Newest first" rows={rows} id={(task) => task.task_id} columns={COLUMNS} current={opened.value} href={(task) => openHref(task.task_id)} more={page.more} hasMore={page.hasMore} selected={chosen.value} select={select} />}
    </>
  );
}

/** For all that fit the filters, also what is not loaded. */
function Bulk({ filter: { job, tenant, label } }: { filter: { job: string; tenant: string; label: string } }) {
  const labels = labelsOf(label);
  if (!labels) return null;
  const selector: Selector = { job, tenant, labels, state: ['failed', 'quarantined'] };
  const shown = `that has failed for good${of(selector)}`;
  return <span class="acts"><Act action={bulk('Requeue all', 'retry_tasks', selector, shown)} /><Act action={bulk('Discard all', 'discard_tasks', selector, shown)} /></span>;
}

const GROUP_COLUMNS: PlainColumn<DeadLetterGroup>[] = [
  { name: 'Tasks', isNumber: true, by: (group) => group.count, cell: (group) => count(group.count) },
  { name: 'Error', isProse: true, by: errorWords, cell: (group) => (
    <><a href={withQuery({ error: errorWords(group), job: group.job })} title={group.message}>{group.class === 'none' ? 'ended by an operator' : `${group.class} ${group.code}: ${group.message}`}</a> <a class="quiet" href={openHref(group.sample_task_id)}>newest</a></>) },
  { name: 'Job', by: (group) => group.job, cell: (group) => (group.job ? <a href={href(['jobs', group.job])}>{group.job}</a> : <span class="quiet">none</span>) },
  { name: 'First', isTight: true, by: (group) => group.first_at, cell: (group) => <Time at={group.first_at} /> },
  { name: 'Last', isTight: true, by: (group) => group.last_at, cell: (group) => <Time at={group.last_at} /> },
  { name: 'Actions', isTight: true, isSilent: true, cell: (group) => <span class="acts"><Act action={bulk('Requeue', 'retry_tasks', { fingerprint: group.fingerprint }, 'of this group')} /><Act action={bulk('Discard', 'discard_tasks', { fingerprint: group.fingerprint }, 'of this group')} /></span> },
];

/** Grouped by the server, over all of them and not only those that are loaded. */
function Groups({ groups, more }: { groups: DeadLetterGroup[]; more: boolean }) {
  const shown = groups.slice(0, GROUPS_MAX);
  return (
    <Section title={`By error${more ? ', of the newest 5,000' : ''}`}>
      <Plain rows={shown} id={(group) => group.fingerprint} columns={GROUP_COLUMNS} sortAt="groups" />
      {groups.length > shown.length && <p class="quiet">And {many(groups.length - shown.length, 'smaller group')}: narrow them by job or label.</p>}
    </Section>
  );
}
