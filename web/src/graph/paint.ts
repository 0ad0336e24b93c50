// How a graph looks on its canvas.

import type { State } from '../api/state';
import { drawState } from '../ui/icons';
import { COLUMN, ROW, type Drawn, type Graph, type Layout } from './layout';

export interface GraphNode {
  name: string;
  state: State;
  /** Below the name: `17 of 20`. */
  note?: string;
}

export interface View {
  x: number;
  y: number;
  zoom: number;
}


/** What is drawn. */
export interface Scene {
  graph: Drawn;
  nodes: GraphNode[];
  selected?: string;
}

export const NODE_WIDTH = 168;
export const NODE_HEIGHT = 32;
/** Edges are left out while more than this are in sight at a far zoom. */
const EDGES_MAX = 30_000;
/** So much more than what is in sight is drawn on each side, as a share of it. */
const MARGIN = 0.5;

/** The graph with a margin around what is in sight. Moving it only copies: thousands of edges are not drawn in each frame. */
export class Picture {
  private sheet = document.createElement('canvas');
  private drawn: (Scene & { view: View; inks: unknown; width: number; height: number }) | undefined;

  show(element: HTMLCanvasElement, scene: Scene, view: View): void {
    const ratio = devicePixelRatio;
    const { clientWidth, clientHeight } = element;
    const [width, height] = [Math.round(clientWidth * ratio), Math.round(clientHeight * ratio)];
    if (!width || !height) return;
    if (element.width !== width) element.width = width;
    if (element.height !== height) element.height = height;
    const inks = paints();
    const [marginX, marginY] = [Math.round(clientWidth * MARGIN), Math.round(clientHeight * MARGIN)];
    const old = this.drawn;
    const isSame = old && old.graph === scene.graph && old.nodes === scene.nodes && old.selected === scene.selected && old.inks === inks
      && old.width === width && old.height === height && old.view.zoom === view.zoom
      && Math.abs(view.x - old.view.x) <= marginX && Math.abs(view.y - old.view.y) <= marginY;
    if (!isSame) {
      this.sheet.width = width + 2 * Math.round(marginX * ratio);
      this.sheet.height = height + 2 * Math.round(marginY * ratio);
      paintScene(this.sheet, scene, { ...view, x: view.x + marginX, y: view.y + marginY }, inks);
      this.drawn = { ...scene, view, inks, width, height };
    }
    const { view: at } = this.drawn!;
    const context = element.getContext('2d')!;
    context.clearRect(0, 0, width, height);
    context.drawImage(this.sheet, Math.round((view.x - at.x - marginX) * ratio), Math.round((view.y - at.y - marginY) * ratio));
  }
}

const TOKENS: Record<string, string> = {
  succeeded: '--good', failed: '--bad', upstream_failed: '--bad', running: '--busy', assigned: '--busy', queued: '--wait', retry_wait: '--wait',
  deferred: '--wait', paused: '--wait', quarantined: '--odd', stopping: '--odd',
};

function paintScene(element: HTMLCanvasElement, { graph, nodes, selected }: Scene, view: View, ink: Record<string, string>): void {
  const { plan } = graph;
  const ratio = devicePixelRatio;
  const [width, height] = [element.width / ratio, element.height / ratio];
  const context = element.getContext('2d')!;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.setTransform(ratio * view.zoom, 0, 0, ratio * view.zoom, ratio * view.x, ratio * view.y);
  const left = -view.x / view.zoom - COLUMN;
  const right = (width - view.x) / view.zoom + COLUMN;
  const top = -view.y / view.zoom - ROW;
  const bottom = (height - view.y) / view.zoom + ROW;
  paintEdges(context, plan, graph, view.zoom, ink, [left, right]);
  const isNear = view.zoom > 0.35;
  for (let node = 0; node < nodes.length; node++) {
    const [x, y] = [plan.x[node]!, plan.y[node]!];
    if (x < left || x > right || y < top || y > bottom) continue;
    const row = nodes[node]!;
    const state = ink[row.state] ?? ink.dull!;
    if (isNear) paintNode(context, row, x, y, state, ink, row.name === selected);
    else {
      context.fillStyle = state;
      context.fillRect(x - NODE_WIDTH / 2, y - NODE_HEIGHT / 2, NODE_WIDTH, NODE_HEIGHT);
    }
  }
}

let known: { key: string; inks: Record<string, string> } | undefined;

/** Colours of the sheet as they are now. */
export function paints(): Record<string, string> {
  const key = `${document.documentElement.style.colorScheme} ${matchMedia('(prefers-color-scheme: dark)').matches}`;
  if (known?.key !== key) known = { key, inks: readPaints() };
  return known.inks;
}

function readPaints(): Record<string, string> {
  // Canvas does not read light-dark(): an element resolves it.
  const probe = document.createElement('span');
  document.body.append(probe);
  const read = (token: string) => {
    probe.style.color = `var(${token})`;
    return getComputedStyle(probe).color;
  };
  const found = Object.fromEntries(Object.entries(TOKENS).map(([state, token]) => [state, read(token)]));
  const base = { ink: '--ink', soft: '--ink-soft', line: '--line-strong', sheet: '--sheet', accent: '--accent', dull: '--dull' };
  for (const [name, token] of Object.entries(base)) found[name] = read(token);
  probe.remove();
  return found;
}

function paintEdges(
  context: CanvasRenderingContext2D, plan: Layout, { edges }: Graph, zoom: number, ink: Record<string, string>, [left, right]: [number, number],
): void {
  if (zoom < 0.08 && edges.length / 2 > EDGES_MAX) return;
  context.strokeStyle = ink.line!;
  context.lineWidth = Math.min(2.500, 1.2 / zoom);
  context.beginPath();
  for (let e = 0; e < edges.length / 2; e++) {
    const [from, to] = [edges[2 * e]!, edges[2 * e + 1]!];
    const [x0, x1] = [plan.x[from]! + NODE_WIDTH / 2, plan.x[to]! - NODE_WIDTH / 2];
    if (x1 < left || x0 > right) continue;
    let [x, y] = [x0, plan.y[from]!];
    context.moveTo(x, y);
    const curve = (nextX: number, nextY: number) => {
      const middle = (x + nextX) / 2;
      context.bezierCurveTo(middle, y, middle, nextY, nextX, nextY);
      [x, y] = [nextX, nextY];
    };
    for (let at = plan.bendsAt[e]!; at < plan.bendsAt[e + 1]!; at++) {
      const [bendX, bendY] = [plan.bends[2 * at]!, plan.bends[2 * at + 1]!];
      curve(bendX - NODE_WIDTH / 2, bendY);
      context.lineTo(bendX + NODE_WIDTH / 2, bendY);
      x = bendX + NODE_WIDTH / 2;
    }
    curve(x1, plan.y[to]!);
  }
  context.stroke();
}

function paintNode(
  context: CanvasRenderingContext2D, node: GraphNode, x: number, y: number, state: string, ink: Record<string, string>, isSelected: boolean,
): void {
  context.beginPath();
  context.roundRect(x - NODE_WIDTH / 2, y - NODE_HEIGHT / 2, NODE_WIDTH, NODE_HEIGHT, 6);
  context.fillStyle = ink.sheet!;
  context.fill();
  context.strokeStyle = isSelected ? ink.accent! : state;
  context.lineWidth = isSelected ? 3 : 1.300;
  context.stroke();
  context.strokeStyle = state;
  context.fillStyle = state;
  drawState(context, node.state, x - NODE_WIDTH / 2 + 9, y - 7, 14);
  context.fillStyle = ink.ink!;
  context.font = '13px system-ui, sans-serif';
  context.textBaseline = 'middle';
  const room = NODE_WIDTH - 40 - (node.note ? 46 : 0);
  context.fillText(fit(context, node.name, room), x - NODE_WIDTH / 2 + 30, y + 0.5);
  if (node.note) {
    context.font = '11px system-ui, sans-serif';
    context.fillStyle = ink.soft!;
    context.textAlign = 'right';
    context.fillText(node.note, x + NODE_WIDTH / 2 - 8, y + 0.5);
    context.textAlign = 'left';
  }
}

function fit(context: CanvasRenderingContext2D, text: string, room: number): string {
  if (context.measureText(text).width <= room) return text;
  let length = text.length - 1;
  while (length > 1 && context.measureText(`${text.slice(0, length)}…`).width > room) length--;
  return `${text.slice(0, length)}…`;
}

