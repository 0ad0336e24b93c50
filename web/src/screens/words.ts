// Sentences and titles about things.

import { hasEnded, isBad, type State } from '../api/state';
import type { ScheduleWindow, Task } from '../api/views';

/** What a task runs, as far as a line says it. */
export function title(task: Task): string {
  const place = `${task.run_task ? `: ${task.run_task}` : ''}${task.item === undefined ? '' : ` [${task.item}]`}${task.undo ? ', undo' : ''}`;
  if (place) return `${task.job}${place}`;
  const payload = task.payload as { argv?: string[]; url?: string } | undefined;
  return payload?.argv?.join(' ') ?? payload?.url ?? task.job ?? task.task_type;
}

/** With a capital letter and a full stop. */
export const sentence = (text: string): string =>
  (text ? text[0]!.toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? '' : '.') : '');

/** The colour of a diagnosis. */
export function tone(row: { state: State }): string {
  if (isBad(row.state)) return 'bad';
  if (row.state === 'succeeded') return 'good';
  return row.state === 'running' || hasEnded(row.state) ? '' : 'wait';
}

/** What became of a window: a sign, so that colour is not the only one, and words. */
export const SIGNS: Record<ScheduleWindow['outcome'], [sign: string, text: string]> = {
  ran: ['✓', 'ran'], late: ['L', 'ran late'], catch_up: ['↺', 'caught up'], backfill: ['B', 'by a backfill'], no_event: ['·', 'no event came'],
  skipped: ['–', 'skipped'], missed: ['!', 'missed'],
};
