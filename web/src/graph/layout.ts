// Graphs as the server lays them out: it knows layers and heights, the page knows how large a column and a row are.

import type { components } from '../../types/schema';

export type WireGraph = components['schemas']['Graph'];

export interface Graph {
  /** How many nodes. */
  count: number;
  /** Pairs: `edges[2 * i]` comes before `edges[2 * i + 1]`. */
  edges: Int32Array;
}

export interface Layout {
  /** Of the middle of each node. */
  x: Float32Array;
  y: Float32Array;
  width: number;
  height: number;
  /** Points of each edge, two numbers each; edge i has those from `bendsAt[i]` to before `bendsAt[i + 1]`. */
  bends: Float32Array;
  bendsAt: Int32Array;
}

/** Names, edges and places of a graph. */
export interface Drawn extends Graph {
  names: string[];
  plan: Layout;
  mapped: Set<number>;
}

export const COLUMN = 220;
export const ROW = 46;

export function readGraph(wire: WireGraph): Drawn {
  const edges = Int32Array.from(wire.edges);
  const left = (layer: number) => (layer + 0.5) * COLUMN;
  const top = (hundredths: number) => (hundredths / 100 + 0.5) * ROW;
  const count = edges.length / 2;
  const bendsAt = new Int32Array(count + 1);
  const bends = new Float32Array(2 * wire.bends.length);
  for (let e = 0, at = 0; e < count; e++) {
    const [from, to] = [wire.layer[edges[2 * e]!]!, wire.layer[edges[2 * e + 1]!]!];
    for (let layer = from + 1; layer < to && !wire.straight; layer++, at++) {
      bends[2 * at] = left(layer);
      bends[2 * at + 1] = top(wire.bends[at]!);
    }
    bendsAt[e + 1] = at;
  }
  return {
    count: wire.names.length, names: wire.names, edges, mapped: new Set(wire.mapped),
    plan: { x: Float32Array.from(wire.layer, left), y: Float32Array.from(wire.y, top), width: wire.layers * COLUMN, height: (wire.height / 100) * ROW, bends, bendsAt },
  };
}

/** Layer of each node: one more than the highest of those before it. A cycle, which no job has, is cut anywhere. */
export function layersOf({ count, edges }: Graph): Int32Array {
  const layer = new Int32Array(count);
  const waits = new Int32Array(count);
  const after: number[][] = Array.from({ length: count }, () => []);
  for (let e = 0; e < edges.length; e += 2) {
    after[edges[e]!]!.push(edges[e + 1]!);
    waits[edges[e + 1]!]!++;
  }
  const ready: number[] = [];
  for (let node = 0; node < count; node++) if (!waits[node]) ready.push(node);
  for (let at = 0; at < ready.length; at++) {
    for (const to of after[ready[at]!]!) {
      layer[to] = Math.max(layer[to]!, layer[ready[at]!]! + 1);
      if (!--waits[to]!) ready.push(to);
    }
  }
  return layer;
}

/** The edges of named nodes. */
export function toGraph(nodes: { name: string; needs: string[] }[]): Graph {
  const at = new Map(nodes.map((node, index) => [node.name, index]));
  const edges: number[] = [];
  nodes.forEach((node, index) => {
    for (const need of node.needs) {
      const from = at.get(need);
      if (from !== undefined && from !== index) edges.push(from, index);
    }
  });
  return { count: nodes.length, edges: Int32Array.from(edges) };
}
