// The SharedWorker: one stream for all tabs of this browser.

import { Feed, type Word } from './feed';

interface SharedScope {
  onconnect: ((event: MessageEvent) => void) | null;
}

const ports = new Set<MessagePort>();
let feed: Feed | undefined;

const tell = (word: Word) => ports.forEach((port) => port.postMessage(word));

(self as unknown as SharedScope).onconnect = (event) => {
  const port = event.ports[0]!;
  port.onmessage = ({ data }: MessageEvent<{ say: 'listen'; url: string } | { say: 'sleep' }>) => {
    if (data.say === 'sleep') {
      ports.delete(port);
      return;
    }
    ports.add(port);
    if (!feed) {
      feed = new Feed(data.url, tell);
      void feed.run();
    }
    port.postMessage({ say: 'status', status: feed.status } satisfies Word);
    // It may have slept. While there is no stream, all are told when there is one.
    if (feed.status.now === 'live') port.postMessage({ say: 'again', ...feed.since } satisfies Word);
  };
};
