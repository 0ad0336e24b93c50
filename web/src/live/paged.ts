// A list in pages: what was read is kept right by the feed, further pages are read as the reader scrolls.
// - PG-1 a row is shown once, in the order of the server
// - PG-2 the first [FRESH_MAX] rows are read again after a change, so that rows that no longer fit leave; those after them
//   get new states from the feed

import { signal, type Signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { ApiError } from '../api/client';
import type { Page } from '../api/reads';
import type { Change } from './feed';
import { onWord } from './live';
import { useQuery } from './query';

export interface Paged<T> {
  rows: T[] | undefined;
  error: ApiError | undefined;
  at: number;
  hasMore: boolean;
  more: () => void;
  refresh: () => void;
}

interface Rules<T> {
  id: (row: T) => string;
  /** The row after a change of it; the same one if the change is of another. */
  patch?: (row: T, change: Change) => T;
  touched?: (change: Change) => boolean;
  everyMs?: number;
  isSoft?: boolean;
}

/** The most rows that a page keeps in memory. */
export const ROWS_MAX = 100_000;
/** The most rows that are read again after a change. */
export const FRESH_MAX = 1000;
/** The most answers without a row that are passed over. */
const EMPTY_MAX = 30;

interface Later<T> {
  rows: Signal<T[]>;
  next: Signal<string | undefined>;
  isAsking: boolean;
  isOpened: boolean;
}

export function usePaged<T>(
  key: string, load: (cursor: string | undefined, signal?: AbortSignal) => Promise<Page<T>>, rules: Rules<T>,
): Paged<T> {
  const later = useMemo<Later<T>>(
    () => ({ rows: signal([]), next: signal(undefined), isAsking: false, isOpened: false }), [key]);
  const first = useQuery(key, async (signal) => {
    const fresh = await readAgain(load, later.rows.peek().length, signal);
    const rest = fresh.next ? after(fresh.rows, later.rows.peek(), rules.id) : [];
    later.isOpened = rest.length > 0;
    later.rows.value = rest;
    return fresh;
  }, rules);
  useEffect(() => onWord((word) => {
    const { patch } = rules;
    if (word.say !== 'changes' || !patch || !later.rows.peek().length) return;
    const byId = new Map(word.changes.map((change) => [change.id, change]));
    const known = later.rows.peek();
    if (!known.some((row) => byId.has(rules.id(row)))) return;
    later.rows.value = known.map((row) => {
      const change = byId.get(rules.id(row));
      return change ? patch(row, change) : row;
    });
  }), [later]);
  const page = first.data.value;
  const rows = page && merged(page.rows, later.rows.value, rules.id);
  const next = later.isOpened ? later.next.value : page?.next;
  const more = async () => {
    if (!next || later.isAsking || (rows?.length ?? 0) >= ROWS_MAX) return;
    later.isAsking = true;
    try {
      const got = await filled(load, await load(next));
      // What leaves the first page when rows come in at the top is kept here.
      const known = later.isOpened ? later.rows.peek() : (page?.rows ?? []);
      later.isOpened = true;
      later.next.value = got.next;
      later.rows.value = [...known, ...got.rows];
    } catch {
      // Scrolling asks again.
    } finally {
      later.isAsking = false;
    }
  };
  return {
    rows, error: first.error.value, at: first.at.value, hasMore: Boolean(next), more: () => void more(), refresh: first.refresh,
  };
}

/** From the beginning, as many rows as were known, at most [FRESH_MAX]. */
export async function readAgain<T>(
  load: (cursor: string | undefined, signal?: AbortSignal) => Promise<Page<T>>, known: number, signal?: AbortSignal,
): Promise<Page<T>> {
  let page = await filled(load, await load(undefined, signal), signal);
  while (page.next && page.rows.length < Math.min(known, FRESH_MAX)) {
    const got = await load(page.next, signal);
    page = { rows: [...page.rows, ...got.rows], next: got.next };
  }
  return page;
}

/** Where few rows fit a filter, answers come without any although there are more behind them. */
async function filled<T>(
  load: (cursor: string | undefined, signal?: AbortSignal) => Promise<Page<T>>, page: Page<T>, signal?: AbortSignal,
): Promise<Page<T>> {
  for (let asked = 0; page.next && !page.rows.length && asked < EMPTY_MAX; asked++) page = await load(page.next, signal);
  return page;
}

/** Of what is known, the rows that come after the fresh ones. */
export function after<T>(fresh: T[], known: T[], id: (row: T) => string): T[] {
  const last = fresh.length ? id(fresh.at(-1)!) : undefined;
  const place = known.findIndex((row) => id(row) === last);
  return known.slice(place < 0 ? fresh.length : place + 1);
}

/** The fresh rows, then what is known beyond them. */
export function merged<T>(first: T[], later: T[], id: (row: T) => string): T[] {
  if (!later.length) return first;
  const seen = new Set(first.map(id));
  return [...first, ...later.filter((row) => !seen.has(id(row)))];
}
