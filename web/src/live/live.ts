// The page's side of the feed. Entry: [listen]; then [status] and [onWord].
// A hidden tab hears nothing, and reads what it shows once more when it is looked at again.

import { signal } from '@preact/signals';
import { url } from '../api/client';
import { base } from '../url/route';
import { trusted } from './trusted';
import { Feed, type Status, type Word } from './feed';

declare const LIVE_WORKER: string;

export const status = signal<Status>({ now: 'connecting', since: Date.now() });

const hearers = new Set<(word: Word) => void>();

export function onWord(hear: (word: Word) => void): () => void {
  hearers.add(hear);
  return () => hearers.delete(hear);
}

/** What is read first is read when the stream is open, or has been awaited for so long: then it is not read twice. */
const OPEN_WITHIN_MS = 100;
let opened: () => void = () => undefined;
let opening: Promise<void> | undefined;

export const listening = (): Promise<void> | undefined => opening;

function heard(word: Word): void {
  if (word.say === 'again' || (word.say === 'status' && word.status.now !== 'connecting')) opened();
  if (word.say === 'status') status.value = word.status;
  hearers.forEach((hear) => hear(word));
}

export function listen(): void {
  const path = url('/v1/events');
  opening = new Promise((done) => {
    opened = () => {
      opening = undefined;
      done();
    };
    setTimeout(opened, OPEN_WITHIN_MS);
  });
  const start = 'SharedWorker' in globalThis ? withWorker : withLock;
  try {
    start(path);
  } catch {
    withLock(path);
  }
}

function withWorker(path: string): void {
  const worker = new SharedWorker(trusted(base + LIVE_WORKER) as unknown as string, { name: 'mainspring-live' });
  worker.port.onmessage = ({ data }: MessageEvent<Word>) => heard(data);
  const wake = () => worker.port.postMessage({ say: 'listen', url: path });
  wake();
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) worker.port.postMessage({ say: 'sleep' });
    else wake();
  });
  // A page in the back-forward cache, or one that is gone, must not be told anything.
  addEventListener('pagehide', () => worker.port.postMessage({ say: 'sleep' }));
  addEventListener('pageshow', (event) => event.persisted && wake());
}

/** Without SharedWorker one tab, whoever has the lock, listens for all. */
function withLock(path: string): void {
  const channel = new BroadcastChannel('mainspring-live');
  channel.onmessage = ({ data }: MessageEvent<Word>) => heard(data);
  void navigator.locks.request('mainspring-live', () => {
    const feed = new Feed(path, (word) => {
      heard(word);
      channel.postMessage(word);
    });
    return feed.run();
  });
  document.addEventListener('visibilitychange', () => !document.hidden && heard({ say: 'again', record: 0, heard: 0, soft: 0, broken: Date.now() }));
}
