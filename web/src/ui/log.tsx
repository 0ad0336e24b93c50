// The output of an attempt, drawn only where it is looked at.

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { url } from '../api/client';
import { pieces } from '../format/ansi';
import { bytes, count, many } from '../format/text';
import { HITS_MAX, LogReader, isStderr, search, type Hits } from '../live/log';
import { param, setQuery, withQuery } from '../url/route';
import { Failure } from './basics';

const LINE_HEIGHT = 18;
/** Browsers do not draw higher elements well; a longer log scrolls by shares of itself. */
const HEIGHT_MAX = 8_000_000;
const SPARE = 10;
const TYPING_MS = 250;
/** What was written since is searched so long after it came. */
const GROWN_MS = 1000;

function useLog(task: string, attempt: number): LogReader {
  const log = useMemo(() => new LogReader(task, attempt), [task, attempt]);
  useEffect(() => {
    const stop = new AbortController();
    void log.run(stop.signal);
    return () => {
      stop.abort();
      log.close();
    };
  }, [log]);
  void log.tick.value;
  return log;
}

/** Searched by the server, over all of it. */
function useHits(log: LogReader, wanted: string): Hits | undefined {
  const [found, setFound] = useState<{ wanted: string; hits: Hits }>();
  const hits = found?.wanted === wanted ? found.hits : undefined;
  const isGrown = hits !== undefined && hits.next < log.bytes && hits.lines.length < HITS_MAX;
  useEffect(() => {
    if (!wanted || (hits && !isGrown)) return;
    const stop = new AbortController();
    const timer = setTimeout(() => {
      search(log, wanted, hits, stop.signal, (all) => setFound({ wanted, hits: all })).catch(() => undefined);
    }, hits ? GROWN_MS : TYPING_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
    // Its own progress does not begin it anew.
  }, [log, wanted, isGrown && hits.isComplete]);
  return hits;
}

/** Where the reader is: the first line in sight, counted from 0, with parts of lines. */
interface Sight {
  top: number;
  isFollowing: boolean;
  /** The box must be scrolled there: it was not the box that was moved. */
  isMoved: boolean;
}

function useSight(log: LogReader) {
  const box = useRef<HTMLDivElement>(null);
  const wanted = Number(param('line'));
  const [sight, setSight] = useState<Sight>(() => ({ top: Math.max(0, wanted - 5), isFollowing: !wanted, isMoved: true }));
  const { total } = log;
  const [tall, setTall] = useState(500);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(() => setTall(box.current!.clientHeight));
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);
  const shown = tall / LINE_HEIGHT;
  const end = Math.max(0, total - shown);
  const height = Math.min(total * LINE_HEIGHT, HEIGHT_MAX);
  const isScaled = total * LINE_HEIGHT > HEIGHT_MAX;
  const top = sight.isFollowing ? end : Math.min(sight.top, end);
  const room = Math.max(0, height - shown * LINE_HEIGHT);
  const offset = isScaled ? (end ? (top / end) * room : 0) : top * LINE_HEIGHT;
  const placed = useRef(-1);
  useLayoutEffect(() => {
    if (!box.current || !(sight.isMoved || sight.isFollowing)) return;
    box.current.scrollTop = offset;
    placed.current = box.current.scrollTop;
  });
  const move = (to: number) => setSight({ top: Math.max(0, to), isFollowing: to >= end, isMoved: true });
  const scrolled = (at: number) => {
    // It was moved by this page.
    if (Math.abs(at - placed.current) < 2) return;
    placed.current = -1;
    const to = isScaled ? (room ? (at / room) * end : 0) : at / LINE_HEIGHT;
    setSight({ top: to, isFollowing: to >= end - 2, isMoved: false });
  };
  return { box, top, shown, height, offset, isScaled, end, move, scrolled, isFollowing: sight.isFollowing, follow: () => setSight({ ...sight, isFollowing: true, isMoved: true }) };
}

export function Log({ task, attempt }: { task: string; attempt: number }) {
  const log = useLog(task, attempt);
  const sight = useSight(log);
  const wanted = param('find');
  const hits = useHits(log, wanted);
  const first = Math.max(0, Math.floor(sight.top) - SPARE);
  const last = Math.min(log.total, Math.ceil(sight.top + sight.shown) + SPARE);
  useEffect(() => {
    if (log.bytes) log.need(first + 1, last);
  });
  const nextHit = () => {
    const from = sight.top + 6;
    const line = hits?.lines.find((one) => one > from) ?? hits?.lines[0];
    if (line) sight.move(line - 5);
  };
  const keys = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: sight.shown - 1, PageUp: 1 - sight.shown, Home: -Infinity, End: Infinity }[event.key];
    if (!sight.isScaled || by === undefined) return;
    event.preventDefault();
    sight.move(Math.min(sight.end, Math.max(0, sight.top + by)));
  };
  const wheel = (event: WheelEvent) => {
    if (!sight.isScaled || event.ctrlKey || event.deltaX) return;
    event.preventDefault();
    sight.move(Math.min(sight.end, Math.max(0, sight.top + event.deltaY / LINE_HEIGHT)));
  };
  const rows = [];
  for (let at = first; at < last; at++) {
    const y = sight.isScaled ? sight.offset + (at - sight.top) * LINE_HEIGHT : at * LINE_HEIGHT;
    rows.push(<Line key={at} text={log.line(at + 1)} y={y} number={at + 1} wanted={wanted} />);
  }
  return (
    <div class="log">
      <div class="log-bar">
        <span class="quiet">{many(log.total, 'line')}, {bytes(log.bytes)}{log.bytes && !log.isDone ? ', live' : ''}</span>
        <input type="search" placeholder="Find in log" aria-label="Find in log" value={wanted} onInput={(event) => setQuery({ find: event.currentTarget.value }, 'replace')} />
        {wanted && <button type="button" class="link" onClick={nextHit}>{hitsText(hits, log)}</button>}
        <button type="button" class="link" onClick={() => sight.move(0)}>Top</button>
        <button type="button" class="link" onClick={sight.follow}>End</button>
        <a href={url(`/v1/tasks/${task}/logs`, { attempt, download: true })} download={`${task}-${attempt}.log`}>Download</a>
      </div>
      {log.error && <Failure error={log.error} />}
      <div class="log-lines" ref={sight.box} style={{ height: `${Math.max(3, log.total + 1) * LINE_HEIGHT}px` }} tabIndex={0} role="log" aria-label="Log" aria-live="off"
        onScroll={(event) => sight.scrolled(event.currentTarget.scrollTop)} onWheel={wheel} onKeyDown={keys}>
        <div style={{ height: `${sight.height}px` }}>
          {rows}
          {!log.total && <p class="quiet nothing">{log.isDone ? 'Nothing was written.' : 'Nothing was written yet.'}</p>}
        </div>
      </div>
    </div>
  );
}

function hitsText(hits: Hits | undefined, log: LogReader): string {
  if (!hits) return 'searching…';
  const found = `${count(hits.lines.length)}${hits.lines.length >= HITS_MAX ? '+' : ''} found`;
  return hits.isComplete || hits.lines.length >= HITS_MAX ? `${found}, next` : `${found} in ${Math.floor((100 * hits.next) / Math.max(1, log.bytes))} %, next`;
}

interface LineOf {
  /** Nothing while it is read. */
  text: string | undefined;
  y: number;
  number: number;
  wanted: string;
}

function Line({ text, y, number, wanted }: LineOf) {
  const isHit = wanted !== '' && text?.toLowerCase().includes(wanted.toLowerCase());
  const kind = param('line') === String(number) ? 'log-line at' : isHit ? 'log-line hit' : 'log-line';
  return (
    <div class={text && isStderr(text) ? `${kind} stderr` : kind} style={{ top: `${y}px` }} title={text && isStderr(text) ? 'stderr' : undefined}>
      <a href={withQuery({ line: number })} tabIndex={-1} aria-label={`Link to line ${number}`}>{number}</a>
      <span>{text === undefined ? '…' : pieces(text).map((piece, index) => (piece.style ? <span key={index} class={piece.style}>{piece.text}</span> : piece.text))}</span>
    </div>
  );
}
