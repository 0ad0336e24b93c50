// What waits where, and why: reasons, queues by pool, priority and tenant, pools with their room, named limits with their holders.

import { limits, pools, waiting } from '../api/reads';
import type { NamedLimit, Pool, WaitingPage } from '../api/views';
import { count, many, shortId } from '../format/text';
import { useQuery } from '../live/query';
import { href, openHref } from '../url/route';
import { Empty, Failure, Loading, Section, useTitle } from '../ui/basics';
import { Share } from '../ui/bars';
import { Plain, type PlainColumn } from '../ui/plain';
import { Stale } from '../ui/stale';
import { QueueRows, WaitingRows } from './waiting';

const touched = (change: { kind: string }) => change.kind === 'task' || change.kind === 'worker';

const room = (label: string, part: number, whole: number) => <span class="room"><Share part={part} whole={whole} label={label} /> {count(part)}/{count(whole)}</span>;

const POOL_COLUMNS: PlainColumn<Pool>[] = [
  { name: 'Pool', by: (pool) => pool.pool, cell: (pool) => pool.pool },
  { name: 'Room', by: (pool) => pool.slots - pool.used, cell: (pool) => room(`${pool.used} of ${pool.slots} slots are used`, pool.used, pool.slots) },
  { name: 'Waiting', isNumber: true, by: (pool) => pool.queued, cell: (pool) => (pool.queued ? <a href={href(['tasks'], { state: 'queued', pool: pool.pool })}>{count(pool.queued)}</a> : 0) },
  ...(['P0', 'P1', 'P2', 'backfill'] as const).map((band): PlainColumn<Pool> => ({
    name: band === 'backfill' ? 'Backfill' : band, isNumber: true, by: (pool) => pool.queued_by_band[band], cell: (pool) => pool.queued_by_band[band] || '',
  })),
  { name: 'Workers', isNumber: true, by: (pool) => pool.workers, cell: (pool) => <><a href={href(['workers'], { pool: pool.pool })}>{pool.workers}</a>{pool.workers_away ? ` + ${pool.workers_away} away` : ''}</> },
  { name: 'Limits', cell: (pool) => [pool.queued_max && `${count(pool.queued_max)} waiting`, pool.running_max && `${count(pool.running_max)} running`].filter(Boolean).join(', ') || <span class="quiet">none</span> },
];

const isKeyed = (row: NamedLimit): boolean => row.busiest.some((key) => key.key !== '');

const LIMIT_COLUMNS: PlainColumn<NamedLimit>[] = [
  { name: 'Limit', by: (row) => row.limit, cell: (row) => (
    <><code>{row.limit}</code>{row.tenant && row.tenant !== 'default' && <small class="quiet"> {row.tenant}</small>}
      {row.full > 0 && row.queued > 0 && <p class="quiet">{many(row.queued, 'task')} {row.queued === 1 ? 'waits' : 'wait'} for limit <code>{row.limit}</code></p>}</>) },
  // With keys the maximum is that of each of them.
  { name: 'Used', by: (row) => row.used, cell: (row) => (isKeyed(row) ? `${count(row.used)} in ${many(row.keys, 'key')}, ${count(row.max)} each, ${count(row.full)} full`
    : room(`${row.used} of ${row.max} places are used`, row.used, row.max)) },
  { name: 'Waiting', isNumber: true, by: (row) => row.queued, cell: (row) => (row.queued ? <a href={href(['tasks'], { state: 'queued', reason: 'limit', limit: row.limit, tenant: row.tenant })}>{count(row.queued)}</a> : '') },
  { name: 'Held by', cell: (row) => <>{row.holders.map((id, at) => <a key={id} href={openHref(id)}>{at ? ', ' : ''}{shortId(id)}</a>)}{row.used > row.holders.length && ` and ${count(row.used - row.holders.length)} more`}</> },
  { name: 'Busiest keys', cell: (row) => isKeyed(row) && row.busiest.filter((key) => key.queued).slice(0, 3).map((key) => `${key.key}: ${count(key.queued)}`).join(', ') },
];

export default function Queues() {
  useTitle('Queues');
  const query = useQuery('pools', pools, { touched, isSoft: true });
  const why = useQuery('waiting', waiting, { touched, isSoft: true });
  const named = useQuery('limits', limits, { touched, isSoft: true });
  const rows = query.data.value;
  return (
    <>
      <div class="head"><h1 class="sr">Queues</h1></div>
      {query.error.value && (rows ? <Stale at={query.at.value} error={query.error.value} /> : <Failure error={query.error.value} retry={query.refresh} />)}
      {!rows && !query.error.value && <Loading />}
      {rows?.length === 0 && <Empty title="No pools yet"><p>A pool appears with its first worker or task.</p></Empty>}
      {why.error.value && !why.data.value && <Failure error={why.error.value} retry={why.refresh} />}
      {why.data.value && <Waiting page={why.data.value} />}
      {rows && rows.length > 0 && (
        <Section title="Pools">
          <Plain rows={rows} id={(pool) => pool.pool} columns={POOL_COLUMNS} sortAt="pools" />
        </Section>
      )}
      {named.error.value && !named.data.value && <Failure error={named.error.value} retry={named.refresh} />}
      {named.data.value && <Limits limits={named.data.value.limits} more={named.data.value.more} />}
    </>
  );
}

function Waiting({ page }: { page: WaitingPage }) {
  const all = page.waiting.reduce((sum, row) => sum + row.queued, 0);
  return (
    <>
      <Section title={all ? `Why ${many(all, 'queued task')} ${all === 1 ? 'does' : 'do'} not start` : 'Why queued tasks do not start'}>
        {all ? <WaitingRows rows={page.waiting} /> : <p class="quiet">No task is queued.</p>}
        {page.more && <p class="quiet">There are more reasons than are shown.</p>}
      </Section>
      <Section title="Queues by pool, priority and tenant">
        {page.queues.length ? <QueueRows rows={page.queues} /> : <p class="quiet">Nothing waits and nothing runs.</p>}
      </Section>
    </>
  );
}

function Limits({ limits: rows, more }: { limits: NamedLimit[]; more: boolean }) {
  return (
    <Section title={`Limits${more ? ', the busiest' : ''}`}>
      {rows.length === 0 ? <p class="quiet">No task that waits or runs names a limit.</p>
        : <Plain rows={rows} id={(row) => `${row.tenant}/${row.limit}`} columns={LIMIT_COLUMNS} sortAt="limits" />}
    </Section>
  );
}
