// Requests. Every refusal becomes an [ApiError] with the server's own words and advice.

import { signal } from '@preact/signals';
import { base } from '../url/route';

export interface Mistake {
  path: string;
  what: string;
  help: string;
}

export class ApiError extends Error {
  constructor(
    message: string,
    readonly code: string,
    readonly advice: string,
    readonly status: number,
    readonly retryAfterMs: number | undefined = undefined,
    readonly mistakes: Mistake[] = [],
  ) {
    super(message);
  }
}

/** The newest record of the journal that an answer has told of. */
export const newestRecord = signal<number | undefined>(undefined);
/** Of each load, by its signal: the oldest record that one of its answers has seen for certain. */
const seenBy = new WeakMap<AbortSignal, number>();

/** What was durable up to this record is in everything that was loaded with this signal; 0 where an answer does not say. */
export const seenRecord = (signal: AbortSignal): number => seenBy.get(signal) ?? 0;

/** Of each load, by its signal: the record that its answers must have seen. A higher one would only make them wait. */
const neededBy = new WeakMap<AbortSignal, number>();
export const needRecord = (signal: AbortSignal, record: number): void => void neededBy.set(signal, record);
/** The newest record of what this page has changed. */
let changedRecord = 0;

/** The next requests that name no record of their own are answered with at least this one. */
export function noteRecord(record: number): void {
  if (record > (newestRecord.peek() ?? 0)) newestRecord.value = record;
}

/** The server wants a token that this browser does not have. */
export const needsToken = signal(false);

export type Params = Record<string, string | number | boolean | undefined | null>;

export function url(path: string, params: Params = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (value !== undefined && value !== null && value !== '') query.set(name, String(value));
  }
  const text = query.toString();
  return `${base}${path}${text ? `?${text}` : ''}`;
}

export async function get<T>(path: string, params?: Params, signal?: AbortSignal, cache: RequestCache = 'no-store'): Promise<T> {
  const headers: Record<string, string> = { accept: 'application/json' };
  // Whoever was told of a change, or made it, reads it.
  const needed = signal && neededBy.get(signal);
  const record = needed === undefined ? newestRecord.peek() : Math.max(needed, changedRecord);
  if (record) headers['mainspring-record'] = String(record);
  const response = await ask(url(path, params), { signal, headers, cache });
  return (await response.json()) as T;
}

/** A file of the console itself. */
export const text = async (path: string, signal?: AbortSignal): Promise<string> => (await ask(url(path), { signal })).text();

export interface Request_ {
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  params?: Params;
  body?: unknown;
  /** Only if it still has this one. */
  revision?: number;
}

/** `actor`: who does it, kept with what is changed. */
export async function send<T>({ method, path, params, body, revision }: Request_, actor = '', signal?: AbortSignal): Promise<T> {
  const headers: Record<string, string> = { accept: 'application/json' };
  if (actor) headers['mainspring-actor'] = actor;
  if (revision !== undefined) headers['if-match'] = `"${revision}"`;
  const init: RequestInit = { method, headers, signal };
  if (body !== undefined) {
    headers['content-type'] = 'application/json';
    init.body = JSON.stringify(body);
  }
  const response = await ask(url(path, params), init);
  changedRecord = Math.max(changedRecord, Number(response.headers.get('mainspring-record')));
  return (await response.json()) as T;
}

/** For answers that are read as they come. */
export const stream = (path: string, params: Params, signal: AbortSignal): Promise<Response> =>
  ask(url(path, params), { signal });

async function ask(to: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(to, { cache: 'no-store', ...init });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new ApiError('the server cannot be reached', 'UNREACHABLE', 'this page tries again by itself', 0);
  }
  noteRecord(Number(response.headers.get('mainspring-record')));
  if (init.signal) {
    const seen = Number(response.headers.get('mainspring-record-seen'));
    seenBy.set(init.signal, Math.min(seen, seenBy.get(init.signal) ?? seen));
  }
  if (response.status === 401) needsToken.value = true;
  if (!response.ok) throw await problem(response);
  return response;
}

async function problem(response: Response): Promise<ApiError> {
  try {
    const body = await response.json();
    // It may be another server, whose journal is shorter.
    if (body.error_code === 'STORE_BEHIND') {
      newestRecord.value = undefined;
      changedRecord = 0;
    }
    return new ApiError(
      body.message ?? response.statusText, body.error_code ?? 'UNKNOWN', body.advice ?? '', response.status,
      body.retry_after_ms, body.mistakes ?? [],
    );
  } catch {
    const advice = response.status === 502 ? 'the server is not running, or starts just now' : '';
    return new ApiError(`the server answered ${response.status}`, 'UNREADABLE', advice, response.status);
  }
}
