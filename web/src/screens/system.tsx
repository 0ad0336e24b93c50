// The server itself: whether it is ready, how far its tables are, rows that it could not read, and where its parts are.

import { quarantinedRows, readiness, stats, system } from '../api/reads';
import { releaseRow } from '../api/actions';
import { newestRecord } from '../api/client';
import { stateWord, type State } from '../api/state';
import type { System as SystemView } from '../api/views';
import { bytes, count } from '../format/text';
import { useQuery } from '../live/query';
import { status } from '../live/live';
import { Act } from '../ui/act';
import { Facts, Failure, Loading, Section, Time, now, useTitle } from '../ui/basics';
import { span } from '../format/time';

export default function System() {
  useTitle('System');
  const ready = useQuery('readiness', readiness, { touched: () => true, isSoft: true });
  const figures = useQuery('stats', stats, { touched: (change) => change.kind === 'task' || change.kind === 'worker', isSoft: true });
  const whole = useQuery('system', system, { touched: () => true, isSoft: true });
  const rows = useQuery('quarantine', quarantinedRows, { touched: (change) => change.kind === 'run' });
  const [health, sums] = [ready.data.value, figures.data.value];
  return (
    <>
      <div class="head"><h1 class="sr">System</h1></div>
      {ready.error.value && <Failure error={ready.error.value} retry={ready.refresh} />}
      {!health && !ready.error.value && <Loading />}
      {health && (
        <>
          <div class={health.status === 'ready' ? 'why good' : 'why bad'}><p>The server is {health.status}.{health.warning ? ` ${health.warning}` : ''}</p>
            {health.reasons?.map((reason) => <p key={reason.code}>{reason.code}: {reason.detail}</p>)}
          </div>
          <Facts rows={[
            ['Records written', health.records === undefined ? '' : count(health.records)], ['In the tables up to', health.checkpointed === undefined ? '' : count(health.checkpointed)],
            ['Behind by', health.records === undefined || health.checkpointed === undefined ? '' : `${count(Math.max(0, health.records - health.checkpointed))} records`],
            ['Newest record seen here', newestRecord.value === undefined ? '' : count(newestRecord.value)],
            ['Tasks in memory', health.tasks_in_memory === undefined ? '' : count(health.tasks_in_memory)],
            ['This page', `${status.value.now} for ${span(Math.max(0, now.value.getTime() - status.value.since))}`],
          ]} />
        </>
      )}
      {whole.data.value && <Whole system={whole.data.value} />}
      {sums && (
        <>
          <Section title="Sessions"><Facts rows={[['Workers', count(sums.workers)], ['Sessions', count(sums.sessions)], ['Workers lost', count(sums.workers_lost)], ['Late reports refused', count(sums.stale_reports)]]} /></Section>
          <Section title="Tasks in memory"><Facts rows={Object.entries(sums.tasks_in_memory).filter(([, value]) => value).map(([state, value]): [string, string] => [stateWord(state as State), count(value)])} /></Section>
        </>
      )}
      <Section title="Rows that cannot be read">
        {rows.data.value?.length ? (
          <table class="plain"><tbody>{rows.data.value.map((row) => <tr key={row.row}><td><code>{row.row}</code></td><td class="tight"><Time at={row.since} /></td><td>{row.why}</td><td class="tight"><Act action={releaseRow(row.row)} /></td></tr>)}</tbody></table>
        ) : <p class="quiet">None.</p>}
      </Section>
      <Section title="More">
        <p class="acts"><a href="/docs" target="_blank">API</a><a href="/openapi.json" target="_blank">OpenAPI document</a><a href="/metrics" target="_blank">Metrics</a></p>
      </Section>
    </>
  );
}

function Whole({ system: it }: { system: SystemView }) {
  const { settings } = it;
  return (
    <>
      <Section title="Server"><Facts rows={[
        ['Version', it.version], ['Started', <Time key="s" at={it.started_at} />], ['Epoch', count(it.epoch)], ['Journal written since the start', bytes(it.journal_bytes)],
        ['Not yet in the tables', `${count(it.events_behind)} events, ${bytes(it.bytes_behind)}`], ['Schedules armed', count(it.schedules_armed)],
        ['Keys in memory', count(it.keys_in_memory)], ['Callers that listen', count(it.listeners)],
      ]} /></Section>
      <Section title="Settings"><Facts rows={[
        ['Lease of a worker', span(settings.lease_ms)], ['Heartbeat', span(settings.heartbeat_ms)], ['Keys are kept', span(settings.key_life_ms)], ['Logs are kept', `${settings.log_days} days`],
        ['Windows are kept', `${settings.history_days} days`], ['Tasks of a job', `at most ${count(settings.job_tasks_max)}`], ['A request', `at most ${bytes(settings.body_bytes_max)}`],
        ['Connections', `at most ${count(settings.connections_max)}`], ['Token', settings.insecure ? 'none, and reachable from elsewhere' : 'as configured'],
      ]} /></Section>
    </>
  );
}
