// What is on screen, read from the server and kept right by the feed.
// - QR-1 a change that arrives while an answer is under way makes it be read again: no change is ever missed
// - QR-2 what was read stays on screen, marked as old, while the server cannot be reached
// - QR-3 answers that nobody looks at are kept for going back, at most [KEPT_MAX]

import { signal, type Signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { ApiError } from '../api/client';
import type { Change } from './feed';
import { onWord } from './live';

export interface Query<T> {
  data: Signal<T | undefined>;
  error: Signal<ApiError | undefined>;
  /** When `data` was read. */
  at: Signal<number>;
  refresh: () => void;
}

type Touched = (change: Change) => boolean;

const KEPT_MAX = 60;
/** A view is read at most this often, however much changes. */
const PAUSE_MS = 400;
/** However long an answer took. */
const PAUSE_MAX_MS = 5000;
const RETRY_MS = 2000;

class Entry<T> implements Query<T> {
  data = signal<T | undefined>(undefined);
  error = signal<ApiError | undefined>(undefined);
  at = signal(0);
  users = 0;
  touched: Touched | undefined;
  /** For what the feed does not tell of. */
  everyMs = 0;
  load!: (signal: AbortSignal) => Promise<T>;
  private isReading = false;
  private isDirty = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private stop: AbortController | undefined;
  private took = 0;
  private tried = 0;

  refresh = (): void => {
    this.isDirty = true;
    if (this.isReading) return;
    const wait = Math.max(0, this.tried + Math.min(Math.max(PAUSE_MS, 3 * this.took), PAUSE_MAX_MS) - Date.now());
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.read(), wait);
  };

  /** Nobody looks at it any more. */
  rest(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.stop?.abort();
    this.isReading = false;
  }

  async read(): Promise<void> {
    this.isReading = true;
    this.isDirty = false;
    const stop = new AbortController();
    this.stop = stop;
    const began = performance.now();
    let again: number | undefined;
    try {
      const data = await this.load(stop.signal);
      if (stop.signal.aborted) return;
      this.data.value = data;
      this.at.value = Date.now();
      this.error.value = undefined;
    } catch (error) {
      if (stop.signal.aborted) return;
      const problem = error instanceof ApiError ? error : new ApiError(String(error), 'PAGE', 'reload this page', 0);
      // Tables that are behind catch up by themselves.
      again = problem.retryAfterMs ?? (problem.status === 0 || problem.status >= 500 ? RETRY_MS : undefined);
      this.error.value = problem;
    }
    this.took = performance.now() - began;
    this.tried = Date.now();
    this.isReading = false;
    if (!this.users) return;
    if (this.isDirty) this.refresh();
    else if (again ?? this.everyMs) this.timer = setTimeout(() => void this.read(), again ?? this.everyMs);
  }
}

const entries = new Map<string, Entry<unknown>>();

onWord((word) => {
  if (word.say === 'status') return;
  for (const entry of entries.values()) {
    if (!entry.users) continue;
    const { touched } = entry;
    if (word.say === 'again' || (touched && (word.many || word.changes.some(touched)))) entry.refresh();
  }
});

function entryOf<T>(key: string): Entry<T> {
  const found = entries.get(key) as Entry<T> | undefined;
  if (found) {
    // The newest last: the first ones are let go.
    entries.delete(key);
    entries.set(key, found as Entry<unknown>);
    return found;
  }
  for (const [old, entry] of entries) {
    if (entries.size < KEPT_MAX) break;
    if (!entry.users) entries.delete(old);
  }
  const made = new Entry<T>();
  entries.set(key, made as Entry<unknown>);
  return made;
}

export interface Options {
  /** Which changes make it old. */
  touched?: Touched;
  everyMs?: number;
}

/** `key` names the answer; the same key is read once, whoever asks. */
export function useQuery<T>(key: string, load: (signal: AbortSignal) => Promise<T>, options: Options = {}): Query<T> {
  const entry = useMemo(() => entryOf<T>(key), [key]);
  entry.load = load;
  entry.touched = options.touched;
  entry.everyMs = options.everyMs ?? 0;
  useEffect(() => {
    entry.users++;
    entry.refresh();
    return () => {
      entry.users--;
      if (!entry.users) entry.rest();
    };
  }, [entry]);
  return entry;
}

/** After an action of this page: what is shown is read again at once. */
export function refreshAll(): void {
  for (const entry of entries.values()) if (entry.users) entry.refresh();
}
