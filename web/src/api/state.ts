// One word for each state.

export type State =
  | 'pending' | 'queued' | 'assigned' | 'running' | 'retry_wait' | 'deferred' | 'succeeded' | 'failed'
  | 'cancelled' | 'skipped' | 'upstream_failed' | 'quarantined' | 'paused' | 'stopping';

/** The letters of pictures (`/v1/runs/{id}/states`, grids). */
const LETTERS: Record<string, State> = {
  p: 'pending', q: 'queued', a: 'assigned', r: 'running', w: 'retry_wait', d: 'deferred', s: 'succeeded', f: 'failed', c: 'cancelled',
  k: 'skipped', u: 'upstream_failed', x: 'quarantined',
};
/** Nothing for a dot: there is no such task. */
export const stateOfLetter = (letter: string | undefined): State | undefined => (letter ? LETTERS[letter] : undefined);

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
