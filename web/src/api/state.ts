// One word for each state. The wire has had two spellings; everything else here knows only this one.

export type State =
  | 'pending' | 'queued' | 'assigned' | 'running' | 'retry_wait' | 'deferred' | 'succeeded' | 'failed'
  | 'cancelled' | 'skipped' | 'upstream_failed' | 'quarantined' | 'paused' | 'stopping';

const OLD: Record<string, State> = { completed: 'succeeded', canceled: 'cancelled' };

/** Reads either spelling. */
export function stateOf(word: unknown): State {
  const lower = String(word ?? 'pending').toLowerCase();
  return OLD[lower] ?? (lower as State);
}

export const RUN_STATES: State[] = ['queued', 'running', 'succeeded', 'failed', 'cancelled'];
export const TASK_STATES: State[] = [
  'pending', 'queued', 'assigned', 'running', 'retry_wait', 'deferred', 'succeeded', 'failed', 'cancelled', 'skipped',
  'upstream_failed', 'quarantined',
];

const ENDED = new Set<State>(['succeeded', 'failed', 'cancelled', 'skipped', 'upstream_failed', 'quarantined']);
export const hasEnded = (state: State): boolean => ENDED.has(state);
export const isBad = (state: State): boolean =>
  state === 'failed' || state === 'quarantined' || state === 'upstream_failed';

/** `retry_wait` → `retry wait`. */
export const stateWord = (state: State): string => state.replaceAll('_', ' ');

/** Counts by state, with the words of this console. */
export function countsOf(wire: Record<string, number> | undefined): Partial<Record<State, number>> {
  const counts: Partial<Record<State, number>> = {};
  for (const [word, value] of Object.entries(wire ?? {})) {
    const state = stateOf(word);
    counts[state] = (counts[state] ?? 0) + value;
  }
  return counts;
}
