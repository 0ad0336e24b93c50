// Lays large graphs out beside the page.

import { layout, type Graph } from './layout';

self.onmessage = ({ data }: MessageEvent<Graph>) => self.postMessage(layout(data));
