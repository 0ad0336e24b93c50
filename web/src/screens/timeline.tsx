// When each task of a run waited and ran. The waiting before a task is drawn thin: from when all it needs had ended.

import type { Run, RunTask } from '../api/views';
import { span } from '../format/time';
import { openHref, opened } from '../url/route';
import { Empty, StateBadge, Took, now } from '../ui/basics';
import { Table, type Column } from '../ui/table';

export interface Bar {
  task: RunTask;
  /** All three in shares of the whole, 0 to 1. */
  ready: number;
  start: number;
  end: number;
  /** On the longest chain of what waited for what. */
  isCritical: boolean;
}

const ms = (text: string | undefined): number | undefined => (text ? Date.parse(text) : undefined);

/** In the order in which they began; tasks that did not begin are left out. */
export function bars(run: Run, at: number): Bar[] {
  const began = ms(run.started_at ?? run.created_at)!;
  const whole = Math.max(1, (ms(run.ended_at) ?? at) - began);
  const ends = new Map(run.tasks?.map((task) => [task.name, ms(task.ended_at)]));
  const critical = criticalPath(run.tasks ?? []);
  const share = (instant: number) => Math.min(1, Math.max(0, (instant - began) / whole));
  const started = (run.tasks ?? []).filter((task) => task.started_at);
  const rows = started.map((task) => {
    const start = ms(task.started_at)!;
    const ready = Math.max(began, ...task.needs.map((need) => ends.get(need) ?? began));
    return { task, ready: share(Math.min(ready, start)), start: share(start), end: share(ms(task.ended_at) ?? at), isCritical: critical.has(task.name) };
  });
  return rows.sort((a, b) => a.start - b.start);
}

/** From the task that ended last, back along what ended last before it. */
export function criticalPath(tasks: RunTask[]): Set<string> {
  const byName = new Map(tasks.map((task) => [task.name, task]));
  const latest = (some: (RunTask | undefined)[]) => some.reduce<RunTask | undefined>(
    (last, task) => (task?.ended_at && (!last || task.ended_at > last.ended_at!) ? task : last), undefined);
  const path = new Set<string>();
  for (let task = latest(tasks); task && !path.has(task.name);) {
    path.add(task.name);
    task = latest(task.needs.map((need) => byName.get(need)));
  }
  return path;
}

const percent = (share: number): string => `${(100 * share).toFixed(3)}%`;

const COLUMNS: Column<Bar>[] = [
  { name: 'Task', width: 'minmax(90px, 190px)', cell: ({ task, isCritical }) => <span title={isCritical ? `${task.name}, on the critical path` : task.name}>{isCritical ? '◆ ' : ''}{task.name}</span> },
  { name: 'State', width: '120px', cell: ({ task }) => <StateBadge state={task.state} />, isWideOnly: true },
  {
    name: 'Time', width: 'minmax(120px, 1fr)', cell: ({ task, ready, start, end }) => (
      <span class="gantt-row">
        <i class="waited" style={{ left: percent(ready), width: percent(start - ready) }} />
        <i class={`fill s-${task.state}`} style={{ left: percent(start), width: percent(end - start) }} />
      </span>
    ),
  },
  { name: 'Took', width: '64px', cell: ({ task }) => <Took from={task.started_at} to={task.ended_at} />, isNumber: true },
];

export function Timeline({ run }: { run: Run }) {
  const rows = bars(run, run.ended_at ? 0 : now.value.getTime());
  if (!rows.length) return <Empty title="Nothing of this run has started" />;
  const whole = (ms(run.ended_at) ?? now.value.getTime()) - ms(run.started_at ?? run.created_at)!;
  return (
    <>
      <p class="legend">
        <span>◆ critical path: what made the run take {span(whole)}</span>
        <span><i class="sample" /> waited, though all it needs had ended</span>
      </p>
      <Table label="Timeline" rows={rows} id={(row) => row.task.name} columns={COLUMNS}
        current={rows.find((row) => row.task.task_id === opened.value)?.task.name}
        href={(row) => openHref(row.task.task_id ?? row.task.run_id)} />
    </>
  );
}
