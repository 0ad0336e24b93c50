// The output of an attempt, however long: its end is read first and followed, any other part when it is looked at.
// - LG-1 about [KEPT_BYTES_MAX] of it are kept; parts that were let go are read again
// - LG-2 a stream that breaks is taken up again where it ended, by bytes
// - LG-3 a line has the number that the server gives it; a note about missing bytes is no line

import { signal } from '@preact/signals';
import { ApiError, get, stream } from '../api/client';

/** Of one part, asked for by the number of its first line. */
const PART_BYTES = 256 * 1024;
/** Read before anything else: what is written last is looked at first. */
const TAIL = '64KiB';
const KEPT_BYTES_MAX = 8 << 20;
const TAIL_BYTES_MAX = 4 << 20;
const LINE_CHARACTERS_MAX = 4000;
/** Lines before the first wanted one that are read with it: scrolling back needs them next. */
const BEFORE = 100;
const AGAIN_MS = 1000;
/** Where a search stops to look for more. */
export const HITS_MAX = 10_000;

/** Pieces of stderr stand between these. A line that begins within one has the first in front of it. */
const STDERR_MARK = '\u001b]7070;2\u0007';
const STDOUT_MARK = '\u001b]7070;1\u0007';

/** Lines that follow one another. */
export interface Part {
  /** Number of the first of them, from 1. */
  first: number;
  lines: string[];
  bytes: number;
  /** Whether its end was written to stderr; not known until the first mark. */
  isStderr?: boolean;
}

const within = (part: Part, line: number): boolean => line >= part.first && line < part.first + part.lines.length;

/** What the server notes about bytes that it does not have stands in the middle of a line. */
const joined = (text: string): string => text.replace(/\n(… \d+ bytes missing …)\n/g, ' $1 ');

/** Adds text behind the last line, which may go on in the next piece. */
export function append(part: Part, text: string): void {
  const [rest = '', ...more] = joined(text).split('\n');
  const last = Math.max(0, part.lines.length - 1);
  const keep = (at: number, line: string) => {
    part.lines[at] = line.slice(0, LINE_CHARACTERS_MAX);
    follow(part, line);
  };
  keep(last, (part.lines[last] ?? '') + rest);
  for (const line of more) keep(part.lines.length, (part.isStderr ? STDERR_MARK : '') + line);
  part.bytes += text.length;
}

/** Which stream comes behind this line, the last one. */
function follow(part: Part, line: string): void {
  const [err, out] = [line.lastIndexOf(STDERR_MARK), line.lastIndexOf(STDOUT_MARK)];
  if (err < 0 && out < 0) return;
  const first = line.indexOf(STDERR_MARK);
  // The part began within a piece of stderr: everything up to its end was of it.
  if (part.isStderr === undefined && out >= 0 && (first < 0 || line.indexOf(STDOUT_MARK) < first)) {
    part.lines = part.lines.map((one) => (one.startsWith(STDOUT_MARK) ? one : STDERR_MARK + one));
  }
  part.isStderr = err > out;
}

/** Nothing but marks. */
const isBlank = (line: string | undefined): boolean => line?.replaceAll(STDERR_MARK, '').replaceAll(STDOUT_MARK, '') === '';

/** Whether a line begins with what was written to stderr. */
export const isStderr = (line: string): boolean => line.startsWith(STDERR_MARK) && !line.startsWith(STDERR_MARK + STDOUT_MARK);

/** Lets the first half go when there is too much. */
export function shorten(part: Part, most = TAIL_BYTES_MAX): void {
  if (part.bytes <= most) return;
  const half = part.lines.length >> 1;
  part.first += half;
  part.lines.splice(0, half);
  part.bytes = part.lines.reduce((sum, line) => sum + line.length + 1, 0);
}

interface Answer {
  part: Part;
  next: number;
  lines: number;
  size: number;
  isWhole: boolean;
}

async function ask(task: string, params: Record<string, string | number>, stop: AbortSignal): Promise<Answer> {
  const response = await stream(`/v1/tasks/${task}/logs`, { ...params, stream: 'marked' }, stop);
  const number = (name: string) => Number(response.headers.get(`mainspring-log-${name}`) ?? 0);
  const part: Part = { first: Math.max(1, number('line')), lines: [], bytes: 0 };
  append(part, await response.text());
  return { part, next: number('next'), lines: number('lines'), size: number('size'), isWhole: response.headers.get('mainspring-log-complete') === 'true' };
}

export class LogReader {
  /** How far it is known. */
  bytes = 0;
  isDone = false;
  error: ApiError | undefined;
  /** Changes with every piece that comes. */
  tick = signal(0);
  private tail: Part = { first: 1, lines: [''], bytes: 0 };
  /** The last used ones last. */
  private parts: Part[] = [];
  private reading: { line: number; stop: AbortController } | undefined;
  private frame = 0;

  constructor(readonly task: string, readonly attempt: number) {}

  /** How many lines it has by now. */
  get total(): number {
    const { first, lines } = this.tail;
    return first - 1 + lines.length - (isBlank(lines.at(-1)) ? 1 : 0);
  }

  /** A line by its number, from 1; nothing if it has not been read. */
  line(number: number): string | undefined {
    const part = within(this.tail, number) ? this.tail : this.parts.find((one) => within(one, number));
    return part?.lines[number - part.first];
  }

  /** Reads what is missing of these lines; the newest call counts. */
  need(first: number, last: number): void {
    let line = Math.max(1, first);
    while (line <= last && this.line(line) !== undefined) line++;
    if (line > Math.min(last, this.total) || (this.reading && this.reading.line === line)) return;
    this.reading?.stop.abort();
    const stop = new AbortController();
    this.reading = { line, stop };
    void this.readPart(line, stop.signal);
  }

  close(): void {
    this.reading?.stop.abort();
  }

  private async readPart(line: number, stop: AbortSignal): Promise<void> {
    // Where the line before it is known, the reader goes on down.
    const from = this.line(line - 1) === undefined ? Math.max(1, line - BEFORE) : line;
    try {
      let { part, next, size } = await ask(this.task, { attempt: this.attempt, line: from, limit: PART_BYTES }, stop);
      // Long lines before it have taken all the room.
      if (!within(part, line) && from < line) ({ part, next, size } = await ask(this.task, { attempt: this.attempt, line, limit: PART_BYTES }, stop));
      // The last line goes on behind what was asked for.
      if (next < size && part.lines.length > 1) part.lines.pop();
      this.keep(part);
    } catch (error) {
      if (stop.aborted) return;
      this.error = error instanceof ApiError ? error : new ApiError('a part of the log could not be read', 'UNREACHABLE', 'scroll to try again', 0);
    }
    this.reading = undefined;
    this.show();
  }

  private keep(part: Part): void {
    this.parts.push(part);
    let all = this.parts.reduce((sum, { bytes }) => sum + bytes, 0);
    while (all > KEPT_BYTES_MAX - TAIL_BYTES_MAX && this.parts.length > 1) all -= this.parts.shift()!.bytes;
  }

  private show(): void {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.tick.value++;
    });
  }

  /** Reads the end, then what is written, until it is whole. */
  async run(stop: AbortSignal): Promise<void> {
    let isBegun = false;
    while (!stop.aborted && !this.isDone) {
      try {
        if (isBegun) await this.follow(stop);
        else {
          const { part, next, isWhole } = await ask(this.task, { attempt: this.attempt, tail: TAIL }, stop);
          [this.tail, this.bytes, this.isDone, isBegun] = [part, next, isWhole, true];
        }
        this.error = undefined;
      } catch (error) {
        if (stop.aborted) return;
        this.error = error instanceof ApiError ? error : new ApiError('the log broke off', 'UNREACHABLE', 'it is taken up again', 0);
        if (this.error.status >= 400 && this.error.status < 500) this.isDone = true;
        else await new Promise((wake) => setTimeout(wake, AGAIN_MS));
      }
      this.show();
    }
  }

  private async follow(stop: AbortSignal): Promise<void> {
    const response = await stream(`/v1/tasks/${this.task}/logs`, { attempt: this.attempt, offset: this.bytes, follow: true, stream: 'marked' }, stop);
    const reader = response.body!.getReader();
    const decoder = new TextDecoder();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      this.bytes += value.byteLength;
      append(this.tail, decoder.decode(value, { stream: true }));
      shorten(this.tail);
      this.error = undefined;
      this.show();
    }
    this.isDone = true;
  }
}

export interface Hits {
  /** Numbers of the lines, in order. */
  lines: number[];
  /** Bytes that were looked at, from the beginning. */
  next: number;
  isComplete: boolean;
}

interface HitsAnswer {
  hits: { line: number }[];
  next_offset: number;
  complete: boolean;
}

/** Goes on where the last search came to; tells after each answer. */
export async function search(log: LogReader, wanted: string, known: Hits | undefined, stop: AbortSignal, tell: (hits: Hits) => void): Promise<void> {
  let found: Hits = known ?? { lines: [], next: 0, isComplete: false };
  do {
    const params = { attempt: log.attempt, q: wanted, from: found.next, limit: 1000, ignore_case: true };
    const answer: HitsAnswer = await get(`/v1/tasks/${log.task}/logs/search`, params, stop);
    // A line that has grown since is found again.
    const last = found.lines.at(-1) ?? 0;
    found = { lines: [...found.lines, ...answer.hits.map(({ line }) => line).filter((line) => line > last)], next: answer.next_offset, isComplete: answer.complete };
    tell(found);
  } while (!found.isComplete && found.lines.length < HITS_MAX && !stop.aborted);
}
