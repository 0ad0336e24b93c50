// What waits where: pools with their room, named limits with who holds them, and depth by pool, band and tenant.

import { limits, pools, stats } from '../api/reads';
import type { NamedLimit, Pool } from '../api/views';
import { count, many, shortId } from '../format/text';
import { useQuery } from '../live/query';
import { href, openHref } from '../url/route';
import { Empty, Failure, Loading, Section, useTitle } from '../ui/basics';
import { Share } from '../ui/bars';
import { Stale } from '../ui/stale';

const touched = (change: { kind: string }) => change.kind === 'task' || change.kind === 'worker';

export default function Queues() {
  useTitle('Queues');
  const query = useQuery('pools', pools, { touched });
  const depth = useQuery('stats', stats, { touched });
  const named = useQuery('limits', limits, { touched });
  const rows = query.data.value;
  const depths = depth.data.value?.depths ?? [];
  return (
    <>
      <div class="head"><h1 class="sr">Queues</h1></div>
      {query.error.value && (rows ? <Stale at={query.at.value} error={query.error.value} /> : <Failure error={query.error.value} retry={query.refresh} />)}
      {!rows && !query.error.value && <Loading />}
      {rows?.length === 0 && <Empty title="No pools yet"><p>A pool appears with its first worker or task.</p></Empty>}
      {rows && rows.length > 0 && (
        <Section title="Pools">
          <div class="scroll-x" tabIndex={0}><table class="plain">
            <thead><tr><th>Pool</th><th>Room</th><th class="tight right">Waiting</th><th class="tight right">P0</th><th class="tight right">P1</th><th class="tight right">P2</th><th class="tight right">Backfill</th><th class="tight right">Workers</th><th>Limits</th></tr></thead>
            <tbody>{rows.map((pool) => <Row key={pool.pool} pool={pool} />)}</tbody>
          </table></div>
        </Section>
      )}
      {named.error.value && !named.data.value && <Failure error={named.error.value} retry={named.refresh} />}
      {named.data.value && <Limits limits={named.data.value.limits} more={named.data.value.more} />}
      <Section title="By tenant and priority">
        {depths.length ? (
          <div class="scroll-x" tabIndex={0}><table class="plain">
            <thead><tr><th>Pool</th><th>Band</th><th>Tenant</th><th class="right">Waiting</th><th class="right">Running</th></tr></thead>
            <tbody>{depths.map((row) => <tr key={row.pool + row.band + row.tenant}><td>{row.pool}</td><td>{row.band}</td><td>{row.tenant}</td><td class="right">{count(row.queued)}</td><td class="right">{count(row.running)}</td></tr>)}</tbody>
          </table></div>
        ) : <p class="quiet">Nothing waits and nothing runs.</p>}
      </Section>
    </>
  );
}

function Row({ pool }: { pool: Pool }) {
  const limits = [pool.queued_max && `${count(pool.queued_max)} waiting`, pool.running_max && `${count(pool.running_max)} running`].filter(Boolean).join(', ');
  return (
    <tr>
      <td>{pool.pool}</td>
      <td><Share part={pool.used} whole={pool.slots} label={`${pool.used} of ${pool.slots} slots are used`} /> {pool.used}/{pool.slots}</td>
      <td class="right num">{pool.queued ? <a href={href(['tasks'], { state: 'queued' })}>{count(pool.queued)}</a> : 0}</td>
      {(['P0', 'P1', 'P2', 'backfill'] as const).map((band) => <td key={band} class="right num">{pool.queued_by_band[band] || ''}</td>)}
      <td class="right num"><a href={href(['workers'], { name: pool.pool })}>{pool.workers}</a>{pool.workers_away ? ` + ${pool.workers_away} away` : ''}</td>
      <td>{limits || <span class="quiet">none</span>}</td>
    </tr>
  );
}

function Limits({ limits: rows, more }: { limits: NamedLimit[]; more: boolean }) {
  return (
    <Section title={`Limits${more ? ', the busiest' : ''}`}>
      {rows.length === 0 ? <p class="quiet">No task that waits or runs names a limit.</p> : (
        <div class="scroll-x" tabIndex={0}><table class="plain">
          <thead><tr><th>Limit</th><th>Used</th><th class="tight right">Waiting</th><th>Held by</th><th>Busiest keys</th></tr></thead>
          <tbody>{rows.map((row) => <LimitRow key={`${row.tenant}/${row.limit}`} row={row} />)}</tbody>
        </table></div>
      )}
    </Section>
  );
}

/** With keys the maximum is that of each of them. */
function LimitRow({ row }: { row: NamedLimit }) {
  const isKeyed = row.busiest.some((key) => key.key !== '');
  return (
    <tr>
      <td><code>{row.limit}</code>{row.tenant && row.tenant !== 'default' && <small class="quiet"> {row.tenant}</small>}
        {row.full > 0 && row.queued > 0 && <p class="quiet">{many(row.queued, 'task')} {row.queued === 1 ? 'waits' : 'wait'} for limit <code>{row.limit}</code></p>}</td>
      <td>{isKeyed ? `${count(row.used)} in ${many(row.keys, 'key')}, ${count(row.max)} each, ${count(row.full)} full`
        : <><Share part={row.used} whole={row.max} label={`${row.used} of ${row.max} places are used`} /> {row.used}/{row.max}</>}</td>
      <td class="right num">{row.queued ? count(row.queued) : ''}</td>
      <td>{row.holders.map((id, at) => <a key={id} href={openHref(id)}>{at ? ', ' : ''}{shortId(id)}</a>)}{row.used > row.holders.length && ` and ${count(row.used - row.holders.length)} more`}</td>
      <td>{isKeyed && row.busiest.filter((key) => key.queued).slice(0, 3).map((key) => `${key.key}: ${count(key.queued)}`).join(', ')}</td>
    </tr>
  );
}
