// One worker: its room, what it runs and ran.

import { changeWorker } from '../api/actions';
import { tasks, worker as readWorker } from '../api/reads';
import type { Worker } from '../api/views';
import { isBad, hasEnded } from '../api/state';
import { bytes } from '../format/text';
import { span } from '../format/time';
import { useQuery } from '../live/query';
import { href } from '../url/route';
import { Act } from '../ui/act';
import { Empty, Facts, Failure, Id, Loading, Section, Time, useTitle } from '../ui/basics';
import { Table } from '../ui/table';
import { TASK_COLUMNS } from './tasks';
import { HEARD_MS, WorkerState } from './workers';

export default function WorkerPage({ path: [id = ''] }: { path: string[] }) {
  const query = useQuery(`worker ${id}`, (signal) => readWorker(id, signal), { touched: (change) => change.kind === 'task' || change.id === id, isSoft: true });
  const worker = query.data.value;
  useTitle(worker?.name ?? 'Worker');
  if (!worker) return query.error.value ? <Failure error={query.error.value} retry={query.refresh} /> : <Loading />;
  return (
    <>
      <Head worker={worker} />
      {worker.cordon && <div class="why wait"><p>{worker.cordon.draining ? 'Drained' : 'Cordoned'} by {worker.cordon.actor || 'somebody'} <Time at={worker.cordon.since} relative />: {worker.cordon.reason || 'no reason given'}</p></div>}
      <Facts rows={[
        ['Pool', worker.pool], ['Slots', `${worker.running} of ${worker.slots} used`], ['CPU', `${worker.cpu_milli / 1000} cores`], ['Memory', bytes(worker.memory_bytes)],
        ['Disk', worker.disk_bytes ? bytes(worker.disk_bytes) : ''], ['GPUs', worker.gpus ? String(worker.gpus) : ''], ['Zone', worker.zone], ['Version', worker.version],
        ['Executors', worker.executors.join(', ')], ['Labels', Object.entries(worker.labels).map(([name, value]) => <span class="tag" key={name}>{name}={value}</span>)],
      ]} />
      <Work worker={worker} />
    </>
  );
}

function Head({ worker }: { worker: Worker }) {
  const verbs = worker.cordoned ? (['uncordon'] as const) : (['cordon', 'drain'] as const);
  return (
    <div class="head">
      <h1>{worker.name || worker.worker_id}</h1>
      <span class="acts">{verbs.map((verb) => <Act key={verb} action={changeWorker(worker.worker_id, worker.name, verb, worker.running)} />)}</span>
      <div class="sub"><WorkerState worker={worker} /><Id id={worker.worker_id} /><span>{worker.connected ? (worker.silent_ms < HEARD_MS ? 'connected' : `heard ${span(worker.silent_ms)} ago`) : 'not connected'}</span></div>
    </div>
  );
}

function Work({ worker }: { worker: Worker }) {
  const query = useQuery(`worker-tasks ${worker.worker_id}`, (signal) => tasks({ worker: worker.worker_id, limit: 100 }, undefined, signal), { touched: (change) => change.kind === 'task', isSoft: true });
  const rows = query.data.value?.rows;
  if (!rows) return query.error.value ? <Failure error={query.error.value} /> : <Loading />;
  const ended = rows.filter((task) => hasEnded(task.state));
  const failed = ended.filter((task) => isBad(task.state)).length;
  const aside = ended.length ? <span class="quiet">{failed} of the last {ended.length} failed</span> : undefined;
  return (
    <Section title="Its tasks" aside={aside}>
      {rows.length ? <Table label="Tasks of this worker" sortAt="by" rows={rows} id={(task) => task.task_id} columns={TASK_COLUMNS} href={(task) => href(['tasks', task.task_id])} /> : <Empty title="It has run nothing yet" />}
    </Section>
  );
}
