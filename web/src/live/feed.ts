// The feed of changes: one NDJSON stream, read until it breaks, then again. Runs in the SharedWorker, or in one of the
// tabs where there is none.
// - LV-1 after every break, loss or gap the tabs hear `again`: they must read once more what they show, unless it was read
//   when the stream was open, or has seen the record at which it was opened
// - LV-2 at most ten messages a second go to a tab, whatever the rate of changes; a large batch becomes a digest

import { hasEnded, type State } from '../api/state';

/** One change, as the pages need it. */
export interface Change {
  kind: 'task' | 'run' | 'job' | 'schedule' | 'worker' | 'operation' | 'other';
  /** Id of the task, run or worker; name of the job; job/name of the schedule. */
  id: string;
  /** What happened to a run: `created`, `started`, `ended`, … */
  what: string;
  state?: State;
  job?: string;
  run?: string;
  /** The name of the task in its run. */
  task?: string;
  at: string;
  /** It is in this record of the journal, or an earlier one; nothing for what no record has. */
  record: number | undefined;
  /** When it was told, in milliseconds since 1970. */
  heard: number;
}

export type Word =
  | { say: 'status'; status: Status }
  | { say: 'changes'; changes: Change[]; many: boolean }
  | ({ say: 'again' } & Since);

/** What must be read once more: what was asked for before `heard` and has not seen `record`, or before one of the other times. */
export interface Since {
  record: number;
  /** The last change, or when the stream was opened. */
  heard: number;
  /** The last change that no record has, as a worker that joined. */
  soft: number;
  /** The last break. After it there may be another server, with a journal of its own. */
  broken: number;
}

/** Nothing that was read until now is enough. */
const everything = (): Since => ({ record: 0, heard: 0, soft: 0, broken: Date.now() });

export interface Status {
  now: 'connecting' | 'live' | 'lost';
  /** Since when, in milliseconds since 1970. */
  since: number;
}

/** The most changes that are told one by one in a batch. */
// 10,000 changes a second are 1,000 in a batch: each is told, so that only what they touch is read again.
const BATCH_MAX = 3000;
const BATCH_EVERY_MS = 100;
/** The server sends an empty line every 15 s. */
const SILENCE_MAX_MS = 40_000;
const WAIT_MIN_MS = 250;
const WAIT_MAX_MS = 1000;

/** `run.succeeded`, `run.task.failed` → one word for each kind of change. */
function happening([, first = '', second = '']: string[]): string {
  if (first === 'task') return `task_${second}`;
  return first !== 'started' && hasEnded(first as State) ? 'ended' : first;
}

const KINDS = new Set(['task', 'run', 'job', 'schedule', 'worker', 'operation']);

/** What the pages need of a line; nothing for lines that are no news. */
export function readChange(line: string): Change | 'lost' | undefined {
  if (!line.trim()) return undefined;
  const event = JSON.parse(line) as { type: string; subject?: string; time: string; data?: Record<string, unknown> };
  const parts = event.type.replace(/^mainspring\./, '').split('.');
  const [group = ''] = parts;
  if (group === 'events') return 'lost';
  const data = event.data ?? {};
  return {
    kind: KINDS.has(group) ? (group as Change['kind']) : 'other',
    id: event.subject ?? '',
    what: happening(parts),
    state: data.state as State | undefined,
    job: data.job as string | undefined,
    run: (data.run_id as string | undefined) ?? (group === 'run' ? event.subject : undefined),
    task: data.task as string | undefined,
    at: event.time,
    record: isJournaled(group, parts) ? (data.record as number | undefined) : undefined,
    heard: Date.now(),
  };
}

/** Workers come and go, and tasks begin on them, without a record. */
const isJournaled = (group: string, [, first]: string[]): boolean =>
  group === 'task' ? hasEnded(first as State) : group === 'run' ? first !== 'started' : group === 'job' || group === 'schedule';

export class Feed {
  status: Status = { now: 'connecting', since: Date.now() };
  /** What a tab must have read that begins to listen now. */
  since: Since = everything();
  private wasOpen = false;
  private batch: Change[] = [];
  private isMany = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private flushed = 0;
  private stop = new AbortController();

  constructor(private url: string, private tell: (word: Word) => void) {}

  /** Never returns before [close]. */
  async run(): Promise<void> {
    let wait = WAIT_MIN_MS;
    while (!this.stop.signal.aborted) {
      try {
        await this.once(() => (wait = WAIT_MIN_MS));
      } catch {
        // Said by the status; what matters is to try again.
      }
      if (this.stop.signal.aborted) return;
      this.become('lost');
      await new Promise((wake) => setTimeout(wake, wait));
      wait = Math.min(wait * 2, WAIT_MAX_MS);
    }
  }

  close(): void {
    this.stop.abort();
  }

  private async once(opened: () => void): Promise<void> {
    const ending = new AbortController();
    const end = () => ending.abort();
    this.stop.signal.addEventListener('abort', end);
    let watchdog = setTimeout(end, SILENCE_MAX_MS);
    try {
      const response = await fetch(this.url, { signal: ending.signal, cache: 'no-store' });
      if (!response.ok || !response.body) return;
      opened();
      this.become('live');
      const record = Number(response.headers.get('mainspring-record'));
      const now = Date.now();
      this.since = { record, heard: now, soft: now, broken: this.wasOpen || !record ? now : 0 };
      this.wasOpen = true;
      // Whatever happened while nobody listened.
      this.tell({ say: 'again', ...this.since });
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = '';
      for (;;) {
        const { done, value } = await reader.read();
        clearTimeout(watchdog);
        if (done) return;
        watchdog = setTimeout(end, SILENCE_MAX_MS);
        const lines = (rest + value).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) this.take(line);
      }
    } finally {
      clearTimeout(watchdog);
      this.stop.signal.removeEventListener('abort', end);
    }
  }

  private take(line: string): void {
    const change = readChange(line);
    if (change === 'lost') this.tell({ say: 'again', ...(this.since = everything()) });
    else if (change && this.batch.length < BATCH_MAX) this.batch.push(change);
    else if (change) this.isMany = true;
    if (change && change !== 'lost') {
      this.since.heard = change.heard;
      if (change.record === undefined) this.since.soft = change.heard;
      else this.since.record = Math.max(this.since.record, change.record);
    }
    // After a quiet time at once.
    if (change) this.timer ??= setTimeout(() => this.flush(), Math.max(0, this.flushed + BATCH_EVERY_MS - Date.now()));
  }

  private flush(): void {
    this.timer = undefined;
    this.flushed = Date.now();
    const [changes, many] = [this.batch, this.isMany];
    [this.batch, this.isMany] = [[], false];
    if (changes.length) this.tell({ say: 'changes', changes, many });
  }

  private become(now: Status['now']): void {
    if (this.status.now === now) return;
    this.status = { now, since: Date.now() };
    this.tell({ say: 'status', status: this.status });
  }
}
