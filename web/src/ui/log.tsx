// The output of an attempt. Lines come as a stream and are drawn only where they are looked at.
// - LG-1 at most [LINES_MAX] lines are kept; when there are more the first ones are let go, and this is said
// - LG-2 a stream that breaks is taken up again where it ended, by bytes

import { signal, type Signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { ApiError, stream, url } from '../api/client';
import { pieces } from '../format/ansi';
import { bytes, count } from '../format/text';
import { param, setQuery, withQuery } from '../url/route';
import { Failure } from './basics';

const LINES_MAX = 200_000;
const LINE_CHARACTERS_MAX = 4000;
const LINE_HEIGHT = 18;
const AGAIN_MS = 1000;

interface Reading {
  lines: string[];
  dropped: number;
  bytes: number;
  isDone: boolean;
  error?: ApiError;
  /** Changes with every piece that comes. */
  tick: Signal<number>;
}

function useLog(task: string, attempt: number, isLive: boolean): Reading {
  const reading = useMemo<Reading>(
    () => ({ lines: [''], dropped: 0, bytes: 0, isDone: false, tick: signal(0) }), [task, attempt]);
  useEffect(() => {
    const stop = new AbortController();
    void read(reading, task, attempt, isLive, stop.signal);
    return () => stop.abort();
  }, [reading, isLive]);
  return reading;
}

async function read(log: Reading, task: string, attempt: number, isLive: boolean, stop: AbortSignal): Promise<void> {
  let frame = 0;
  const show = () => {
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      log.tick.value++;
    });
  };
  while (!stop.aborted && !log.isDone) {
    const before = log.bytes;
    try {
      const params = { attempt, offset: log.bytes, ...(isLive ? { follow: true } : {}) };
      const response = await stream(`/v1/tasks/${task}/logs`, params, stop);
      const reader = response.body!.getReader();
      const decoder = new TextDecoder();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        log.bytes += value.byteLength;
        append(log, decoder.decode(value, { stream: true }));
        show();
      }
      log.error = undefined;
      // A bounded answer may have been cut; an empty one is the end.
      log.isDone = isLive || log.bytes === before;
    } catch (error) {
      if (stop.aborted) return;
      log.error = error instanceof ApiError ? error : new ApiError('the log broke off', 'UNREACHABLE', 'it is taken up again', 0);
      if (log.error.status >= 400 && log.error.status < 500) log.isDone = true;
      else await new Promise((wake) => setTimeout(wake, AGAIN_MS));
    }
    show();
  }
}

export function append(log: Pick<Reading, 'lines' | 'dropped'>, text: string): void {
  const parts = text.split('\n');
  log.lines[log.lines.length - 1] = (log.lines.at(-1)! + parts[0]).slice(0, LINE_CHARACTERS_MAX);
  for (let at = 1; at < parts.length; at++) log.lines.push(parts[at]!.slice(0, LINE_CHARACTERS_MAX));
  const over = log.lines.length - LINES_MAX;
  if (over > LINES_MAX / 10) {
    log.lines.splice(0, over);
    log.dropped += over;
  }
}

export function Log({ task, attempt, isLive }: { task: string; attempt: number; isLive: boolean }) {
  const log = useLog(task, attempt, isLive);
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [isFollowing, setFollowing] = useState(!param('line'));
  const wanted = param('find');
  void log.tick.value;
  const length = log.lines.at(-1) === '' ? log.lines.length - 1 : log.lines.length;
  const hits = useMemo(() => (wanted ? found(log.lines, wanted) : []), [wanted, log.tick.value]);
  useLayoutEffect(() => {
    if (isFollowing && box.current) box.current.scrollTop = length * LINE_HEIGHT;
  }, [length, isFollowing]);
  useEffect(() => {
    const line = Number(param('line'));
    if (line && box.current) box.current.scrollTop = (line - 1 - log.dropped) * LINE_HEIGHT - 80;
  }, [length > 0]);
  const jump = (line: number) => {
    setFollowing(false);
    if (box.current) box.current.scrollTop = line * LINE_HEIGHT - 80;
  };
  const nextHit = () => {
    const from = Math.floor((box.current?.scrollTop ?? 0) / LINE_HEIGHT) + 5;
    jump(hits.find((line) => line > from) ?? hits[0] ?? 0);
  };
  const visible = 2 + Math.ceil((box.current?.clientHeight ?? 500) / LINE_HEIGHT);
  const first = Math.max(0, Math.floor(top / LINE_HEIGHT) - 10);
  const last = Math.min(length, first + visible + 20);
  const rows = [];
  for (let at = first; at < last; at++) rows.push(<Line key={at + log.dropped} text={log.lines[at]!} at={at} number={at + 1 + log.dropped} wanted={wanted} />);
  return (
    <div class="log">
      <div class="log-bar">
        <span class="quiet">{count(length + log.dropped)} lines, {bytes(log.bytes)}{isLive && !log.isDone ? ', live' : ''}</span>
        <input type="search" placeholder="Find in log" aria-label="Find in log" value={wanted} onInput={(event) => setQuery({ find: event.currentTarget.value }, 'replace')} />
        {wanted && <button type="button" class="link" onClick={nextHit}>{count(hits.length)} found, next</button>}
        <button type="button" class="link" onClick={() => jump(0)}>Top</button>
        <button type="button" class="link" onClick={() => setFollowing(true)}>End</button>
        <a href={url(`/v1/tasks/${task}/logs`, { attempt, limit: 1 << 30 })} download={`${task}-${attempt}.log`}>Download</a>
      </div>
      {log.error && <Failure error={log.error} />}
      {log.dropped > 0 && <p class="stale">The first {count(log.dropped)} lines are not kept here; the download has them.</p>}
      <div class="log-lines" ref={box} style={{ height: `${Math.max(3, length + 1) * LINE_HEIGHT}px` }} tabIndex={0} role="log" aria-label="Log" aria-live="off"
        onScroll={(event) => {
          const { scrollTop, scrollHeight, clientHeight } = event.currentTarget;
          setTop(scrollTop);
          setFollowing(scrollHeight - scrollTop - clientHeight < LINE_HEIGHT * 2);
        }}>
        <div style={{ height: `${length * LINE_HEIGHT}px` }}>
          {rows}
          {!length && <p class="quiet" style={{ padding: '8px 14px' }}>{isLive ? 'Nothing was written yet.' : 'Nothing was written.'}</p>}
        </div>
      </div>
    </div>
  );
}

function found(lines: string[], wanted: string): number[] {
  const lower = wanted.toLowerCase();
  const hits: number[] = [];
  lines.forEach((line, at) => line.toLowerCase().includes(lower) && hits.push(at));
  return hits;
}

function Line({ text, at, number, wanted }: { text: string; at: number; number: number; wanted: string }) {
  const isHit = wanted !== '' && text.toLowerCase().includes(wanted.toLowerCase());
  const kind = param('line') === String(number) ? 'log-line at' : isHit ? 'log-line hit' : 'log-line';
  return (
    <div class={kind} style={{ top: `${at * LINE_HEIGHT}px` }}>
      <a href={withQuery({ line: number })} tabIndex={-1} aria-label={`Link to line ${number}`}>{number}</a>
      <span>{pieces(text).map((piece, index) => (piece.style ? <span key={index} class={piece.style}>{piece.text}</span> : piece.text))}</span>
    </div>
  );
}
