// Why queued tasks do not start: in plain words, as rows of the Queues page and as filters of the Tasks page.

import type { QueueRow, Waiting } from '../api/views';
import { count, grouped, shortId } from '../format/text';
import { span } from '../format/time';
import { href, openHref, param, withQuery, type Query } from '../url/route';
import { Said, Time } from '../ui/basics';
import { Plain, type PlainColumn } from '../ui/plain';
import { sentence } from './words';

type Reason = Waiting['reason'];

const REASONS: Record<Reason, string> = {
  no_workers: 'no worker is connected', no_worker_matches: 'no worker fits', pool_limit: 'limit of the pool', backfill_share: 'share of backfills',
  tenant_limit: 'limit of the tenant', limit: 'named limit', no_room: 'no free slot', behind: 'others go first', about_to_be_placed: 'about to start',
};

/** `limit warehouse`, `no free slot`. */
export const reasonText = (reason: string, limit?: string): string => (limit ? `limit ${limit}` : REASONS[reason as Reason] ?? reason.replaceAll('_', ' '));

/** The list of exactly these tasks. */
export const waitingHref = (row: Pick<Waiting, 'reason' | 'limit' | 'pool' | 'band' | 'tenant'>): string =>
  href(['tasks'], { state: 'queued', reason: row.reason, limit: row.limit, pool: row.pool, priority: row.band, tenant: row.tenant });

const WAITING_COLUMNS: PlainColumn<Waiting>[] = [
  { name: 'Tasks', isNumber: true, by: (row) => row.queued, cell: (row) => <a href={waitingHref(row)} aria-label={`List the ${row.queued} queued tasks that wait for ${reasonText(row.reason, row.limit)}`}>{count(row.queued)}</a> },
  { name: 'Wait for', isProse: true, by: (row) => reasonText(row.reason, row.limit), cell: (row) => (
    <><a href={waitingHref(row)}>{reasonText(row.reason, row.limit)}</a><div class="quiet"><Said text={sentence(row.message)} /> {row.advice && <Said text={sentence(row.advice)} />}</div></>) },
  { name: 'Pool', isTight: true, by: (row) => row.pool, cell: (row) => row.pool },
  { name: 'Priority', isTight: true, by: (row) => row.band, cell: (row) => row.band },
  { name: 'Tenant', isTight: true, by: (row) => row.tenant, cell: (row) => row.tenant },
  { name: 'Oldest', isTight: true, by: (row) => row.oldest_since, cell: (row) => <Time at={row.oldest_since} relative /> },
  { name: 'Example', isTight: true, cell: (row) => <a href={openHref(row.example)}>{shortId(row.example)}</a> },
];

export function WaitingRows({ rows }: { rows: Waiting[] }) {
  return <Plain rows={rows} id={(row) => [row.reason, row.limit, row.pool, row.band, row.tenant].join('/')} columns={WAITING_COLUMNS} sortAt="why" />;
}

const QUEUE_COLUMNS: PlainColumn<QueueRow>[] = [
  { name: 'Pool', by: (row) => row.pool, cell: (row) => row.pool },
  { name: 'Priority', isTight: true, by: (row) => row.band, cell: (row) => row.band },
  { name: 'Tenant', isTight: true, by: (row) => row.tenant, cell: (row) => row.tenant },
  { name: 'Waiting', isNumber: true, by: (row) => row.queued, cell: (row) => (row.queued
    ? <a href={href(['tasks'], { state: 'queued', pool: row.pool, priority: row.band, tenant: row.tenant })}>{count(row.queued)}</a> : 0) },
  { name: 'Running', isNumber: true, by: (row) => row.running, cell: (row) => count(row.running) },
  { name: 'Oldest', isTight: true, by: (row) => row.oldest_since, cell: (row) => <Time at={row.oldest_since} relative /> },
  { name: 'Started a minute', isNumber: true, by: (row) => row.started_per_minute, cell: (row) => (row.started_per_minute === undefined ? '–' : count(row.started_per_minute)) },
  { name: 'Empty in', isNumber: true, by: (row) => row.drained_in_ms, cell: (row) => emptyIn(row) },
];

/** How long what waits takes at the rate of the last minute. */
export function emptyIn({ queued, drained_in_ms: ms, started_per_minute: rate }: Pick<QueueRow, 'queued' | 'drained_in_ms' | 'started_per_minute'>): string {
  if (!queued) return '';
  if (ms !== undefined) return span(ms);
  return rate === 0 ? 'nothing starts' : '–';
}

export function QueueRows({ rows }: { rows: QueueRow[] }) {
  return <Plain rows={rows} id={(row) => `${row.pool}/${row.band}/${row.tenant}`} columns={QUEUE_COLUMNS} sortAt="depths" />;
}

export interface Why {
  reason: string;
  limit?: string;
  queued: number;
}

/** Sums over pools, priorities and tenants, the most tasks first. */
export function byReason(rows: Waiting[], { pool = '', tenant = '' }: { pool?: string; tenant?: string }): Why[] {
  const fit = rows.filter((row) => (!pool || row.pool === pool) && (!tenant || row.tenant === tenant));
  const groups = [...grouped(fit, (row) => reasonText(row.reason, row.limit)).values()];
  const sums = groups.map((group): Why => ({ reason: group[0]!.reason, limit: group[0]!.limit, queued: group.reduce((sum, row) => sum + row.queued, 0) }));
  return sums.sort((a, b) => b.queued - a.queued);
}

/** One of the reasons, with how many wait for each: `?reason=limit&limit=warehouse`. */
export function ReasonFacet({ rows }: { rows: Waiting[] }) {
  const all = byReason(rows, { pool: param('pool'), tenant: param('tenant') });
  const chosen = reasonText(param('reason'), param('limit'));
  const shown: (Omit<Why, 'queued'> & { queued?: number })[] = param('reason') && !all.some((why) => reasonText(why.reason, why.limit) === chosen)
    ? [...all, { reason: param('reason'), limit: param('limit'), queued: rows.length ? 0 : undefined }] : all;
  if (!shown.length) return null;
  const toggled = ({ reason, limit }: Omit<Why, 'queued'>): Query =>
    (param('reason') && reasonText(reason, limit) === chosen ? { reason: '', limit: '' } : { reason, limit: limit ?? '', state: 'queued' });
  return (
    <div class="facet" role="group" aria-label="What queued tasks wait for">
      <span class="quiet">queued, wait for</span>
      {shown.map((why) => {
        const text = reasonText(why.reason, why.limit);
        const isOn = Boolean(param('reason')) && text === chosen;
        return <a key={text} class={isOn ? 'chip on' : 'chip'} aria-current={isOn} href={withQuery(toggled(why))}>{text}{why.queued !== undefined && <b>{count(why.queued)}</b>}</a>;
      })}
    </div>
  );
}

/** Pools with what waits in each, as the choices of a filter. */
export function poolChoices(queues: QueueRow[], chosen: string): [string, string][] {
  const groups = [...grouped(queues, (row) => row.pool)];
  const named = groups.map(([pool, rows]): [string, string] => {
    const queued = rows.reduce((sum, row) => sum + row.queued, 0);
    return [pool, queued ? `${pool}, ${count(queued)} waiting` : pool];
  });
  if (chosen && !named.some(([pool]) => pool === chosen)) named.push([chosen, chosen]);
  return [['', 'any pool'], ...named.sort(([a], [b]) => a.localeCompare(b))];
}

