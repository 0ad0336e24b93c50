// Where the time of a run went: for each task when it waited, for what, and when it ran, with the chain of tasks that made the
// run take as long as it did.

import { runTimeline } from '../api/reads';
import type { Run, TaskTimes, TimeSpan } from '../api/views';
import { span } from '../format/time';
import { useQuery } from '../live/query';
import { openHref, opened } from '../url/route';
import { Empty, Failure, Loading, StateBadge, now } from '../ui/basics';
import { Table, type Column } from '../ui/table';

type Cause = TimeSpan['cause'];

/** In words, in the order of the legend. */
const CAUSES: Record<Cause, string> = {
  run: 'ran', upstream: 'waited for tasks before it', queue: 'waited for a free slot', limit: 'waited for a limit', retry_wait: 'waited to try again', release: 'was held back', wait: 'waited for a time, an event or a person',
};

export const causeText = ({ cause, limit }: Pick<TimeSpan, 'cause' | 'limit'>): string => (limit ? `waited for limit ${limit}` : CAUSES[cause]);

export interface Bar {
  task: TaskTimes;
  spans: (TimeSpan & { left: number; width: number })[];
  /** How long it ran, over all attempts. */
  ranMs: number;
}

/** Spans as shares of the whole, 0 to 1. `extra`: how long ago the answer was given, for what goes on. */
export function bars(tasks: TaskTimes[], wholeMs: number, at: number, extra = 0): Bar[] {
  const whole = Math.max(1, wholeMs);
  return tasks.map((task) => {
    const spans = task.spans.map((one) => {
      const to = one.to_ms >= at ? one.to_ms + extra : one.to_ms;
      return { ...one, to_ms: to, left: Math.min(1, one.from_ms / whole), width: Math.max(0, Math.min(1, to / whole) - one.from_ms / whole) };
    });
    const ran = spans.filter(({ cause }) => cause === 'run');
    return { task, spans, ranMs: ran.reduce((sum, one) => sum + one.to_ms - one.from_ms, 0) };
  });
}

const percent = (share: number): string => `${(100 * share).toFixed(3)}%`;

/** `waited for a free slot 1.2s, ran 3s`. */
export const spansText = (spans: TimeSpan[]): string => spans.filter((one) => one.to_ms > one.from_ms).map((one) => `${causeText(one)} ${span(one.to_ms - one.from_ms)}`).join(', ');

const COLUMNS: Column<Bar>[] = [
  { name: 'Task', width: 'minmax(90px, 190px)', cell: ({ task }) => <span title={task.critical ? `${task.name}, on the critical path` : task.name}>{task.critical ? '◆ ' : ''}{task.name}</span> },
  { name: 'State', width: '120px', cell: ({ task }) => <StateBadge state={task.state} />, isWideOnly: true },
  {
    name: 'Time', width: 'minmax(120px, 1fr)', cell: ({ task, spans }) => (
      <span class="gantt-row" role="img" aria-label={spansText(spans)} title={spansText(spans)}>
        {spans.map((one) => <i key={one.from_ms} class={one.cause === 'run' ? `fill s-${task.state}` : `waited t-${one.cause}`} style={{ left: percent(one.left), width: percent(one.width) }} />)}
      </span>
    ),
  },
  { name: 'Ran', width: '64px', cell: ({ ranMs }) => (ranMs ? span(ranMs) : '–'), isNumber: true },
];

export function Timeline({ run }: { run: Run }) {
  const query = useQuery(`timeline ${run.run_id}`, (signal) => runTimeline(run.run_id, signal), { touched: (change) => change.run === run.run_id, isSoft: true });
  const known = query.data.value;
  if (!known) return query.error.value ? <Failure error={query.error.value} retry={query.refresh} /> : <Loading />;
  if (!known.tasks.length) return <Empty title="Nothing of this run has started" />;
  const seen = Date.parse(known.at) - Date.parse(known.created_at);
  const extra = known.ended_at ? 0 : Math.max(0, now.value.getTime() - Date.parse(known.at));
  const whole = known.ended_at ? Date.parse(known.ended_at) - Date.parse(known.created_at) : seen + extra;
  const rows = bars(known.tasks, whole, known.ended_at ? Infinity : seen, extra);
  const present = new Set(known.tasks.flatMap(({ spans }) => spans.map(({ cause }) => cause)));
  return (
    <>
      <p>The run {known.ended_at ? 'took' : 'has taken'} {span(whole)}. On its critical path, marked ◆, {known.totals.map(({ cause, ms }) => `it ${CAUSES[cause]} ${span(ms)}`).join(', ') || 'nothing has begun'}.</p>
      <p class="legend">{(Object.keys(CAUSES) as Cause[]).filter((cause) => cause !== 'run' && present.has(cause)).map((cause) => <span key={cause}><i class={`sample waited t-${cause}`} />{CAUSES[cause]}</span>)}</p>
      {known.more && <p class="quiet">Other tasks have begun, too: shown are the critical path and those that began first.</p>}
      <Table label="Timeline" rows={rows} id={(row) => row.task.name} columns={COLUMNS}
        current={rows.find((row) => row.task.task_id === opened.value)?.task.name}
        href={(row) => openHref(row.task.task_id ?? run.run_id)} />
    </>
  );
}
