// What waits where: pools with their room and limits, and depth by pool, band and tenant.

import { pools, stats } from '../api/reads';
import type { Pool } from '../api/views';
import { count } from '../format/text';
import { useQuery } from '../live/query';
import { href } from '../url/route';
import { Empty, Failure, Loading, Section, useTitle } from '../ui/basics';
import { Share } from '../ui/bars';
import { Stale } from '../ui/stale';

const onTask = (change: { kind: string }) => change.kind === 'task';

export default function Queues() {
  useTitle('Queues');
  const query = useQuery('pools', pools, { touched: onTask, everyMs: 10_000 });
  const depth = useQuery('stats', stats, { touched: onTask, everyMs: 10_000 });
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
