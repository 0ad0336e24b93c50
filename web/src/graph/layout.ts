// A layered layout: longest paths give the layers, sweeps over medians the order in them, then coordinates. Edges over
// several layers get a place in each of them, so that they pass between nodes instead of over them.
// Pure, and fast enough for tens of thousands of nodes.

export interface Graph {
  /** How many nodes. */
  count: number;
  /** Pairs: `edges[2 * i]` comes before `edges[2 * i + 1]`. */
  edges: Int32Array;
}

export interface Layout {
  /** Of the middle of each node, in units of [COLUMN] and [ROW]. */
  x: Float32Array;
  y: Float32Array;
  width: number;
  height: number;
  /** Points of each edge, two numbers each; edge i has those from `bendsAt[i]` to before `bendsAt[i + 1]`. */
  bends: Float32Array;
  bendsAt: Int32Array;
}

export const COLUMN = 220;
export const ROW = 46;
const SWEEPS = 8;
/** Above this an edge is drawn straight: places for all would be more than nodes. */
const PLACES_MAX = 400_000;

/** Layer of each node: one more than the highest of those before it. A cycle, which no job has, is cut anywhere. */
export function layersOf({ count, edges }: Graph): Int32Array {
  const layer = new Int32Array(count);
  const waits = new Int32Array(count);
  const [heads, next] = links(count, edges, 0);
  for (let e = 0; e < edges.length; e += 2) waits[edges[e + 1]!]!++;
  const ready: number[] = [];
  for (let node = 0; node < count; node++) if (!waits[node]) ready.push(node);
  for (let at = 0; at < ready.length; at++) {
    const node = ready[at]!;
    for (let e = heads[node]!; e >= 0; e = next[e]!) {
      const to = edges[2 * e + 1]!;
      layer[to] = Math.max(layer[to]!, layer[node]! + 1);
      if (!--waits[to]!) ready.push(to);
    }
  }
  return layer;
}

/** Lists of edges by their first (`side` 0) or second end. */
function links(count: number, edges: Int32Array, side: 0 | 1): [Int32Array, Int32Array] {
  const heads = new Int32Array(count).fill(-1);
  const next = new Int32Array(edges.length / 2);
  for (let e = edges.length / 2 - 1; e >= 0; e--) {
    const node = edges[2 * e + side]!;
    next[e] = heads[node]!;
    heads[node] = e;
  }
  return [heads, next];
}

export function layout(graph: Graph): Layout {
  const layer = layersOf(graph);
  const wide = withPlaces(graph, layer);
  const rows = ordered(wide);
  const y = straightened(wide, rows);
  return placed(graph, wide, y);
}

interface Wide {
  count: number;
  layer: Int32Array;
  /** Only between neighbouring layers. */
  edges: Int32Array;
  /** Places of each long edge, in order. */
  chains: number[][];
}

function withPlaces({ edges }: Graph, layer: Int32Array): Wide {
  let places = 0;
  for (let e = 0; e < edges.length; e += 2) places += Math.max(0, layer[edges[e + 1]!]! - layer[edges[e]!]! - 1);
  const isShort = places > PLACES_MAX;
  const layers = [...layer];
  const short: number[] = [];
  const chains: number[][] = [];
  for (let e = 0; e < edges.length; e += 2) {
    const [from, to] = [edges[e]!, edges[e + 1]!];
    const chain: number[] = [];
    let last = from;
    for (let at = layer[from]! + 1; at < layer[to]! && !isShort; at++) {
      chain.push(layers.length);
      short.push(last, layers.length);
      last = layers.length;
      layers.push(at);
    }
    short.push(last, to);
    chains.push(chain);
  }
  return { count: layers.length, layer: Int32Array.from(layers), edges: Int32Array.from(short), chains };
}

/** Nodes of each layer from top to bottom. */
function ordered({ count, layer, edges }: Wide): Int32Array[] {
  const depth = layer.reduce((most, at) => Math.max(most, at), 0) + 1;
  const rows: number[][] = Array.from({ length: depth }, () => []);
  for (let node = 0; node < count; node++) rows[layer[node]!]!.push(node);
  const place = new Float64Array(count);
  rows.forEach((row) => row.forEach((node, at) => (place[node] = at)));
  const [before, beforeNext] = links(count, edges, 1);
  const [after, afterNext] = links(count, edges, 0);
  const middle = (node: number, heads: Int32Array, next: Int32Array, side: 0 | 1): number => {
    let [sum, found] = [0, 0];
    for (let e = heads[node]!; e >= 0; e = next[e]!) {
      sum += place[edges[2 * e + side]!]!;
      found++;
    }
    return found ? sum / found : place[node]!;
  };
  const weight = new Float64Array(count);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const isDown = sweep % 2 === 0;
    for (let step = 1; step < depth; step++) {
      const row = rows[isDown ? step : depth - 1 - step]!;
      for (const node of row) weight[node] = isDown ? middle(node, before, beforeNext, 0) : middle(node, after, afterNext, 1);
      row.sort((a, b) => weight[a]! - weight[b]! || place[a]! - place[b]!);
      row.forEach((node, at) => (place[node] = at));
    }
  }
  return rows.map((row) => Int32Array.from(row));
}

/** Heights: each node wants to be level with its neighbours, but keeps its order and distance. */
function straightened({ count, edges }: Wide, rows: Int32Array[]): Float64Array {
  const y = new Float64Array(count);
  rows.forEach((row) => row.forEach((node, at) => (y[node] = at - (row.length - 1) / 2)));
  const [before, beforeNext] = links(count, edges, 1);
  const [after, afterNext] = links(count, edges, 0);
  for (let sweep = 0; sweep < 6; sweep++) {
    const isDown = sweep % 2 === 0;
    const [heads, next, side] = isDown ? [before, beforeNext, 0] : [after, afterNext, 1];
    for (let step = 1; step < rows.length; step++) {
      const row = rows[isDown ? step : rows.length - 1 - step]!;
      const wish = Float64Array.from(row, (node) => {
        let [sum, found] = [0, 0];
        for (let e = heads[node]!; e >= 0; e = next[e]!) {
          sum += y[edges[2 * e + side]!]!;
          found++;
        }
        return found ? sum / found : y[node]!;
      });
      const settled = spread(wish);
      row.forEach((node, at) => (y[node] = settled[at]!));
    }
  }
  return y;
}

/** The closest heights to the wishes that are at least one apart: blocks that collide are merged at their mean. */
export function spread(wish: Float64Array): Float64Array {
  const blocks: { sum: number; count: number }[] = [];
  const mean = (block: { sum: number; count: number }) => block.sum / block.count;
  wish.forEach((value, at) => {
    let block = { sum: value - at, count: 1 };
    let last = blocks.at(-1);
    while (last && mean(last) > mean(block)) {
      block = { sum: block.sum + last.sum, count: block.count + last.count };
      blocks.pop();
      last = blocks.at(-1);
    }
    blocks.push(block);
  });
  const settled = new Float64Array(wish.length);
  let at = 0;
  for (const block of blocks) {
    const value = mean(block);
    for (let inside = 0; inside < block.count; inside++, at++) settled[at] = value + at;
  }
  return settled;
}

function placed(graph: Graph, wide: Wide, y: Float64Array): Layout {
  let [low, high, deep] = [Infinity, -Infinity, 0];
  for (let node = 0; node < wide.count; node++) {
    low = Math.min(low, y[node]!);
    high = Math.max(high, y[node]!);
    deep = Math.max(deep, wide.layer[node]!);
  }
  const left = (node: number) => (wide.layer[node]! + 0.5) * COLUMN;
  const top = (node: number) => (y[node]! - low + 0.5) * ROW;
  const bendsAt = new Int32Array(wide.chains.length + 1);
  wide.chains.forEach((chain, e) => (bendsAt[e + 1] = bendsAt[e]! + chain.length));
  const bends = new Float32Array(2 * bendsAt.at(-1)!);
  wide.chains.forEach((chain, e) => chain.forEach((node, at) => {
    bends[2 * (bendsAt[e]! + at)] = left(node);
    bends[2 * (bendsAt[e]! + at) + 1] = top(node);
  }));
  const nodes = Array.from({ length: graph.count }, (_, node) => node);
  return {
    x: Float32Array.from(nodes, left),
    y: Float32Array.from(nodes, top),
    width: (deep + 1) * COLUMN,
    height: graph.count ? (high - low + 1) * ROW : ROW,
    bends,
    bendsAt,
  };
}
