// Work on everything that matched a selector: how far each has come, and ending it.

import { cancelOperation, nounOf, verbText } from '../api/bulk';
import { operations } from '../api/reads';
import type { Operation } from '../api/views';
import { count, many } from '../format/text';
import { usePaged } from '../live/paged';
import { href, param } from '../url/route';
import { Act } from '../ui/act';
import { Command, Empty, Failure, Loading, Time, Took, useTitle } from '../ui/basics';
import { Share } from '../ui/bars';
import { Plain, type PlainColumn } from '../ui/plain';
import { Stale } from '../ui/stale';

/** `job report, state failed`. */
export function selectionText(selector: Operation['selector']): string {
  const parts = Object.entries(selector ?? {}).filter(([name]) => !['verb', 'dry_run', 'reason', 'actor'].includes(name)).flatMap(([name, value]) => {
    if (value === null || value === false || (Array.isArray(value) && !value.length)) return [];
    if (value === true) return [name === 'all' ? 'all' : name];
    if (Array.isArray(value)) return [`${name} ${value.join(' or ').replaceAll('_', ' ')}`];
    if (typeof value === 'object') return Object.entries(value as object).map(([key, text]) => `${key}=${text}`);
    return [`${name.replaceAll('_', ' ')} ${String(value)}`];
  });
  return parts.join(', ') || 'all';
}

function Progress({ row }: { row: Operation }) {
  const done = row.handled + row.refused;
  if (row.state !== 'running') return <>{many(row.handled, nounOf(row.verb))}</>;
  if (!row.total) return <>{count(done)} so far</>;
  return <span class="room"><Share part={done} whole={row.total} label={`${done} of ${row.total} are done`} /> {count(done)}/{count(row.total)}</span>;
}

const COLUMNS: PlainColumn<Operation>[] = [
  { name: 'What', isProse: true, by: (row) => row.verb, cell: (row) => <>{verbText(row.verb)}<div class="quiet">{selectionText(row.selector)}</div></> },
  { name: 'State', isTight: true, by: (row) => row.state, cell: (row) => <span class={row.state === 'cancelled' ? 'tag warn' : 'tag'}>{row.state}</span> },
  { name: 'Done', by: (row) => row.handled, cell: (row) => <Progress row={row} /> },
  { name: 'Refused', isNumber: true, by: (row) => row.refused, cell: (row) => (row.refused ? <span title={row.last_refusal}>{count(row.refused)}</span> : '') },
  { name: 'Who and why', isProse: true, cell: (row) => <>{row.actor || <span class="quiet">nobody named</span>}<div class="quiet">{[row.reason, row.cancelled_by && `ended by ${row.cancelled_by}`, row.cancel_reason, row.refused ? row.last_refusal : ''].filter(Boolean).join('; ')}</div></> },
  { name: 'Started', isTight: true, by: (row) => row.started_at, cell: (row) => <Time at={row.started_at} /> },
  { name: 'Took', isNumber: true, cell: (row) => <Took from={row.started_at} to={row.ended_at} /> },
  { name: 'Actions', isTight: true, isSilent: true, cell: (row) => row.state === 'running' && <Act action={cancelOperation(row.operation_id)} /> },
];

export default function Operations() {
  useTitle('Operations');
  const page = usePaged<Operation>('operations', operations, { id: (row) => String(row.operation_id), touched: (change) => change.kind === 'operation' });
  const one = param('operation');
  const rows = page.rows?.filter((row) => !one || String(row.operation_id) === one);
  return (
    <>
      <div class="head"><h1 class="sr">Operations</h1></div>
      <p class="quiet">What was done with everything that matched a filter. <a href={href(['docs', 'bulk'])}>How it works</a></p>
      {one && <div class="filters"><a class="chip on" href={href(['operations'])}>operation {one} ✕</a></div>}
      {page.error && (page.rows ? <Stale at={page.at} error={page.error} /> : <Failure error={page.error} retry={page.refresh} />)}
      {!page.rows && !page.error && <Loading />}
      {rows?.length === 0 && <Empty title={one ? 'There is no such operation' : 'No operations yet'}><p>Runs, Tasks, Dead letters, Jobs, Schedules and Workers begin one for all that fit their filters, or a command does:</p><Command text="mainspring operation begin retry_tasks --job report --dry-run" /></Empty>}
      {rows && rows.length > 0 && <Plain rows={rows} id={(row) => String(row.operation_id)} columns={COLUMNS} sortAt="sort" />}
      {page.hasMore && !one && <button type="button" onClick={page.more}>Older operations</button>}
    </>
  );
}
