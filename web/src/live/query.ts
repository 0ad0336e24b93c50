// What is on screen, read from the server and kept right by the feed.
// - QR-1 a change that an answer may not have seen makes it be read again: no change is ever missed. It has seen what was told
//   before it was asked for, and what is in the record that it names (`Mainspring-Record-Seen`), or before. It is asked for with the
//   newest record that concerns it: with that of any change it would wait until the tables have all of them
// - QR-2 what was read stays on screen, marked as old, while the server cannot be reached
// - QR-3 answers that nobody looks at are kept for going back, at most [KEPT_MAX]

import { signal, type Signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { ApiError, needRecord, newestRecord, noteRecord, seenRecord } from '../api/client';
import type { Change, Word } from './feed';
import { listening, onWord } from './live';

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
const PAUSE_MS = 200;
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
  isSoft = false;
  load!: (signal: AbortSignal) => Promise<T>;
  private isReading = false;
  private isDirty = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private stop: AbortController | undefined;
  private took = 0;
  private tried = 0;
  /** When what is shown, or under way, was asked for. */
  private began = 0;
  /** The record that it has seen. */
  private seen = 0;
  /** The record that it must have seen. */
  private wanted = 0;
  /** The record with which it is asked for. */
  private need = 0;

  /** Reads again if it may be older than that. */
  mustHave(record: number): void {
    this.need = Math.max(this.need, record);
    // What is under way says at its end what it has seen.
    if (this.isReading) this.wanted = Math.max(this.wanted, record);
    else if (this.seen < record) this.refresh();
  }

  hear(word: Exclude<Word, { say: 'status' }>): void {
    const { touched } = this;
    if (word.say === 'again') {
      // After a break there may be another server, whose records are fewer.
      if (this.began < word.broken) this.need = word.record;
      if (this.began < word.broken || (this.isSoft && this.began < word.soft)) this.refresh();
      else if (this.began < word.heard) this.mustHave(word.record);
    } else if (touched && word.many) {
      this.need = newestRecord.peek() ?? 0;
      this.refresh();
    } else if (touched) {
      for (const change of word.changes) {
        if (this.began > change.heard || !touched(change)) continue;
        if (change.record === undefined) this.refresh();
        else this.mustHave(change.record);
      }
    }
  }

  /** Somebody looks at it. */
  open(): void {
    // What was told while nobody looked did not reach it.
    if (!this.users) this.need = newestRecord.peek() ?? 0;
    this.users++;
    // What somebody else has just asked for will do.
    if (!this.isReading) this.refresh();
  }

  refresh = (): void => {
    this.isDirty = true;
    if (this.isReading) return;
    const wait = Math.max(0, this.tried + Math.min(Math.max(PAUSE_MS, this.took), PAUSE_MAX_MS) - Date.now());
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
    this.wanted = 0;
    const stop = new AbortController();
    this.stop = stop;
    // It has not been asked for yet, so it will have seen all that is told until then.
    this.began = Infinity;
    await listening();
    if (stop.signal.aborted) return;
    this.began = Date.now();
    const began = performance.now();
    let again: number | undefined;
    let isOld = false;
    try {
      needRecord(stop.signal, this.need);
      const data = await this.load(stop.signal);
      if (stop.signal.aborted) return;
      this.data.value = data;
      this.seen = seenRecord(stop.signal);
      isOld = this.seen < this.wanted;
      this.at.value = Date.now();
      this.error.value = undefined;
    } catch (error) {
      if (stop.signal.aborted) return;
      const problem = error instanceof ApiError ? error : new ApiError(String(error), 'PAGE', 'reload this page', 0);
      if (problem.code === 'STORE_BEHIND') this.need = 0;
      // Tables that are behind catch up by themselves.
      again = problem.retryAfterMs ?? (problem.status === 0 || problem.status >= 500 ? RETRY_MS : undefined);
      this.error.value = problem;
    }
    this.took = performance.now() - began;
    this.tried = Date.now();
    this.isReading = false;
    if (!this.users) return;
    if (this.isDirty || isOld) this.refresh();
    else if (again ?? this.everyMs) this.timer = setTimeout(() => void this.read(), again ?? this.everyMs);
  }
}

const entries = new Map<string, Entry<unknown>>();

onWord((word) => {
  if (word.say === 'status') return;
  // What is read now is read with all that was told.
  if (word.say === 'changes') noteRecord(word.changes.reduce((most, { record = 0 }) => Math.max(most, record), 0));
  for (const entry of entries.values()) if (entry.users) entry.hear(word);
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
  /** It shows what no record has: which workers are there, which tasks have begun on them. */
  isSoft?: boolean;
}

/** `key` names the answer; the same key is read once, whoever asks. */
export function useQuery<T>(key: string, load: (signal: AbortSignal) => Promise<T>, options: Options = {}): Query<T> {
  const entry = useMemo(() => entryOf<T>(key), [key]);
  entry.load = load;
  entry.touched = options.touched;
  entry.everyMs = options.everyMs ?? 0;
  entry.isSoft = options.isSoft ?? false;
  useEffect(() => {
    entry.open();
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
