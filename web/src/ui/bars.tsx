// Small drawings made of boxes: counts by state, outcomes of the last runs, shares.

import { stateWord, type State } from '../api/state';
import { count } from '../format/text';

const ORDER: State[] = [
  'succeeded', 'running', 'assigned', 'queued', 'pending', 'deferred', 'retry_wait', 'paused', 'stopping', 'skipped', 'cancelled',
  'upstream_failed', 'failed', 'quarantined',
];

/** `12 succeeded, 1 failed`. */
export function countsText(counts: Partial<Record<State, number>>): string {
  const parts = ORDER.filter((state) => counts[state]).map((state) => `${count(counts[state]!)} ${stateWord(state)}`);
  return parts.join(', ') || 'no tasks';
}

export function CountsBar({ counts }: { counts: Partial<Record<State, number>> }) {
  const present = ORDER.filter((state) => counts[state]);
  return (
    <span class="counts" role="img" aria-label={countsText(counts)} title={countsText(counts)}>
      {present.map((state) => <span key={state} class={`fill s-${state}`} style={{ flexGrow: counts[state] }} />)}
    </span>
  );
}

export interface Outcome {
  state: State;
  title: string;
  key: string;
  /** 0 to 1: how long it took, among those beside it. */
  height?: number;
}

/** The last outcomes, the newest at the right. */
export function Outcomes({ rows }: { rows: Outcome[] }) {
  const counts: Partial<Record<State, number>> = {};
  for (const row of rows) counts[row.state] = (counts[row.state] ?? 0) + 1;
  return (
    <span class="outcomes" role="img" aria-label={rows.length ? `Last ${rows.length} runs: ${countsText(counts)}` : 'No runs yet'}>
      {rows.map((row) => (
        <i key={row.key} title={row.title} class={`fill s-${row.state}`} style={{ height: `${Math.round(30 + 70 * (row.height ?? 1))}%` }} />
      ))}
    </span>
  );
}

export function Share({ part, whole, label }: { part: number; whole: number; label: string }) {
  const percent = whole > 0 ? Math.min(100, Math.round((100 * part) / whole)) : 0;
  return (
    <span class="share" role="img" aria-label={label} title={label}>
      <span class={percent >= 90 ? 'full' : ''} style={{ width: `${percent}%` }} />
    </span>
  );
}
