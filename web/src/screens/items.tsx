// The items of a mapped task, each with its value and state: the few that failed among thousands are one filter away.

import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { clearItems, clearRun } from '../api/actions';
import { items } from '../api/reads';
import { TASK_STATES, hasEnded } from '../api/state';
import type { Item, Run } from '../api/views';
import { count } from '../format/text';
import { usePaged } from '../live/paged';
import { list, openHref, opened, param, withQuery } from '../url/route';
import { Act } from '../ui/act';
import { Empty, Failure, Loading, StateBadge } from '../ui/basics';
import { StateFacet } from '../ui/facets';
import { Stale } from '../ui/stale';
import { Table, type Column } from '../ui/table';

/** What a list has in a place, in one line. */
export function valueText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value) ?? '';
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

const COLUMNS: Column<Item>[] = [
  { name: 'Item', width: '70px', by: (item) => item.index, cell: (item) => count(item.index), isNumber: true },
  { name: 'State', width: '158px', by: (item) => item.state, cell: (item) => <StateBadge state={item.state} /> },
  { name: 'Value', width: 'minmax(100px, 1fr)', by: (item) => valueText(item.value), cell: (item) => <span class="two"><code title={valueText(item.value)}>{valueText(item.value)}</code>{item.error && <small title={item.error.message}>{item.error.message}</small>}</span> },
];

/** The server takes at most this many at once. */
const AT_ONCE_MAX = 1000;

const chosen = signal(new Set<string>());

export function Items({ run }: { run: Run }) {
  const name = param('of');
  const states = list('only').join(',');
  const page = usePaged<Item>(`items ${run.run_id} ${name} ${states}`, (cursor, signal) => items(run.run_id, name, { state: states }, cursor, signal), {
    id: (item) => String(item.index), touched: (change) => change.run === run.run_id, isSoft: true,
  });
  const task = run.tasks?.find((row) => row.name === name);
  const ids = (page.rows ?? []).filter((item) => hasEnded(item.state) && chosen.value.has(String(item.index))).map((item) => item.index).slice(0, AT_ONCE_MAX);
  const select = (id: string, on: boolean) => {
    const next = new Set(chosen.value);
    if (on) next.add(id);
    else next.delete(id);
    chosen.value = next;
  };
  useEffect(() => () => { chosen.value = new Set(); }, [run.run_id, name]);
  const counts = task?.items && { succeeded: task.items.succeeded, failed: task.items.failed, running: task.items.live };
  return (
    <>
      <div class="filters">
        <a class="chip on" href={withQuery({ view: '', of: '', only: '' })}>items of {name} ✕</a>
        <StateFacet name="only" states={TASK_STATES.filter((state) => state !== 'upstream_failed')} counts={counts} />
        {ids.length > 0 && <><span>{ids.length} selected</span><Act action={clearItems(run.run_id, name, ids)} /></>}
        {task?.items && task.items.failed > 0 && <Act action={clearRun(run.run_id, 0, [name], true)} />}
      </div>
      {page.error && (page.rows ? <Stale at={page.at} error={page.error} /> : <Failure error={page.error} retry={page.refresh} />)}
      {!page.rows && !page.error && <Loading rows={10} />}
      {page.rows?.length === 0 && <Empty title={states ? 'No item is in these states' : 'It has no items, or does not know them yet'} />}
      {page.rows && page.rows.length > 0 && (
        <Table label={`Items of ${name}`} order="In the order of the list" sortAt="by" rows={page.rows} id={(item) => String(item.index)} columns={COLUMNS} current={page.rows.find((item) => item.task_id && item.task_id === opened.value)?.index.toString()}
          href={(item) => openHref(item.task_id ?? item.run_id)} more={page.more} hasMore={page.hasMore} selected={chosen.value} select={select} />
      )}
    </>
  );
}
