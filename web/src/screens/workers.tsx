// Who works: room, what runs, who is silent.

import { changeWorker } from '../api/actions';
import { bulk, of } from '../api/bulk';
import { workers } from '../api/reads';
import type { Worker } from '../api/views';
import { span } from '../format/time';
import { useQuery } from '../live/query';
import { openHref, opened, param } from '../url/route';
import { Act, ask } from '../ui/act';
import { Command, Empty, Failure, Loading, useTitle } from '../ui/basics';
import { Share } from '../ui/bars';
import { Choice, TextFacet } from '../ui/facets';
import { Stale } from '../ui/stale';
import { Table, type Column } from '../ui/table';

const HARM: Record<Worker['state'], string> = { healthy: 'tag', cordoned: 'tag warn', draining: 'tag warn', drained: 'tag warn', unhealthy: 'tag bad', disconnected: 'tag bad' };

export const WorkerState = ({ worker }: { worker: Worker }) => <span class={HARM[worker.state]}>{worker.state}</span>;

/** A heartbeat comes every ten seconds or so. */
export const HEARD_MS = 15_000;

const COLUMNS: Column<Worker>[] = [
  { name: 'Worker', width: 'minmax(120px, 1.600fr)', by: (row) => row.name || row.worker_id, cell: (row) => <span class="two"><span>{row.name || row.worker_id}</span><small>{row.worker_id}</small></span> },
  { name: 'State', width: '104px', by: (row) => row.state, cell: (row) => <WorkerState worker={row} /> },
  { name: 'Room', width: '150px', by: (row) => row.slots - row.running, cell: (row) => <span class="room"><Share part={row.running} whole={row.slots} label={`${row.running} of ${row.slots} slots are used`} /> {row.running}/{row.slots}</span> },
  { name: 'Heard', width: '84px', by: (row) => row.silent_ms, cell: (row) => (row.connected ? (row.silent_ms < HEARD_MS ? 'just now' : `${span(row.silent_ms)} ago`) : 'gone'), isWideOnly: true },
  { name: 'Pool', width: '90px', by: (row) => row.pool, cell: (row) => row.pool, isWideOnly: true },
  { name: 'Executors', width: 'minmax(80px, 1fr)', cell: (row) => <span class="quiet">{row.executors.join(', ')}</span>, isWideOnly: true },
  { name: 'Version', width: '70px', by: (row) => row.version, cell: (row) => row.version, isWideOnly: true },
  {
    name: 'Actions', width: '84px', isWideOnly: true, cell: (row) => (
      <button type="button" class="link" onClick={() => ask(changeWorker(row.worker_id, row.name, row.cordoned ? 'uncordon' : 'drain', row.running))}>{row.cordoned ? 'Uncordon' : 'Drain'}</button>
    ),
  },
];

const STATES: [string, string][] = [['', 'any state'], ...Object.keys(HARM).map((state): [string, string] => [state, state])];

const choices = (rows: Worker[]): [string, string][] => [['', 'any pool'], ...[...new Set(rows.map(({ pool }) => pool))].sort().map((pool): [string, string] => [pool, pool])];

/** Of all workers of a pool. */
function Bulk({ pool }: { pool: string }) {
  const shown = of({ pool }).trim();
  return (
    <span class="acts">
      <Act action={bulk('Cordon all', 'cordon_workers', { pool }, shown)} /><Act action={bulk('Drain all', 'drain_workers', { pool }, shown)} /><Act action={bulk('Uncordon all', 'uncordon_workers', { pool }, shown)} />
    </span>
  );
}

export default function Workers() {
  useTitle('Workers');
  // The feed does not tell of workers; what they run changes with tasks.
  const query = useQuery('workers', workers, { touched: (change) => change.kind === 'task' || change.kind === 'worker', isSoft: true });
  const text = param('name').toLowerCase();
  const rows = query.data.value?.filter((row) => `${row.name} ${row.worker_id} ${row.pool}`.toLowerCase().includes(text) && (!param('state') || row.state === param('state')) && (!param('pool') || row.pool === param('pool')));
  return (
    <>
      <div class="head"><h1 class="sr">Workers</h1>{param('pool') && <Bulk pool={param('pool')} />}</div>
      <div class="filters"><TextFacet name="name" label="Name or pool" /><Choice name="pool" label="Pool" values={choices(query.data.value ?? [])} /><Choice name="state" label="State" values={STATES} /></div>
      {query.error.value && (rows ? <Stale at={query.at.value} error={query.error.value} /> : <Failure error={query.error.value} retry={query.refresh} />)}
      {!rows && !query.error.value && <Loading />}
      {rows?.length === 0 && <Empty title={text || param('state') ? 'No worker fits these filters' : 'No worker has come'}><p>Nothing can run without one:</p><Command text={`mainspring worker --server ${location.origin}`} /></Empty>}
      {rows && rows.length > 0 && <Table label="Workers" rows={rows} id={(row) => row.worker_id} columns={COLUMNS} current={opened.value} href={(row) => openHref(row.worker_id)} />}
    </>
  );
}
