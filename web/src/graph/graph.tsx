// The graph of a run, drawn on a canvas. Drag to move, wheel or buttons to zoom, click to open, arrows to walk.
// Everything that it shows is in the table of tasks, too: a canvas says nothing to a screen reader.

import { useEffect, useRef, useState } from 'preact/hooks';
import { stateWord, type State } from '../api/state';
import { many } from '../format/text';
import { drawState } from '../ui/icons';
import { countsText } from '../ui/bars';
import { COLUMN, ROW, type Drawn, type Graph, type Layout } from './layout';

export interface GraphNode {
  name: string;
  state: State;
  /** Below the name: `17 of 20`. */
  note?: string;
}

interface View {
  x: number;
  y: number;
  zoom: number;
}

const NODE_WIDTH = 168;
const NODE_HEIGHT = 32;
/** Edges are left out while more than this are in sight at a far zoom. */
const EDGES_MAX = 30_000;

interface Props {
  graph: Drawn;
  /** In the order of the graph. */
  nodes: GraphNode[];
  selected?: string;
  /** With the place of the node in the graph. */
  open: (node: number) => void;
}

export function RunGraph({ graph, nodes, selected, open }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const view = useRef<View | undefined>(undefined);
  const { plan } = graph;
  const [focused, setFocused] = useState(-1);
  const draw = () => {
    const element = canvas.current;
    if (!element) return;
    view.current ??= fitted(plan, element);
    paint(element, plan, graph, nodes, view.current, selected ?? nodes[focused]?.name);
  };
  const later = useRef(draw);
  later.current = draw;
  useEffect(() => {
    view.current = undefined;
    later.current();
  }, [plan]);
  useEffect(() => later.current());
  useEffect(() => {
    const element = canvas.current!;
    const redraw = () => later.current();
    const observer = new ResizeObserver(redraw);
    observer.observe(element);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', redraw);
    const stop = control(element, view, redraw);
    return () => {
      observer.disconnect();
      scheme.removeEventListener('change', redraw);
      stop();
    };
  }, []);
  const counts: Partial<Record<State, number>> = {};
  for (const node of nodes) counts[node.state] = (counts[node.state] ?? 0) + 1;
  const zoomBy = (factor: number) => {
    const element = canvas.current!;
    if (view.current) view.current = zoomed(view.current, factor, element.clientWidth / 2, element.clientHeight / 2);
    draw();
  };
  const walk = (event: KeyboardEvent) => {
    const next = focused < 0 && event.key.startsWith('Arrow') ? 0 : neighbour(plan, focused, event.key);
    if (event.key === 'Enter' && nodes[focused]) open(focused);
    else if (next === undefined) return;
    else setFocused(next);
    event.preventDefault();
  };
  const click = (event: MouseEvent) => {
    const hit = view.current && at(plan, view.current, event.offsetX, event.offsetY);
    if (hit === undefined || (event.currentTarget as HTMLElement).dataset.moved) return;
    setFocused(hit);
    open(hit);
  };
  const spoken = nodes[focused] ? ` ${nodes[focused]!.name} is ${stateWord(nodes[focused]!.state)}.` : '';
  return (
    <div class="graph" style={{ height: `${Math.max(220, plan.height + 60)}px` }}>
      <canvas ref={canvas} tabIndex={0} role="img" onClick={click} onKeyDown={walk}
        aria-label={`Graph of ${many(nodes.length, 'task')}: ${countsText(counts)}.${spoken}`} />
      <div class="tools">
        <button type="button" onClick={() => zoomBy(1.4)} aria-label="Zoom in">+</button>
        <button type="button" onClick={() => zoomBy(1 / 1.4)} aria-label="Zoom out">−</button>
        <button type="button" onClick={() => { view.current = undefined; draw(); }}>Fit</button>
      </div>
    </div>
  );
}

/** All of it in sight, and never larger than life. */
function fitted(plan: Layout, { clientWidth, clientHeight }: HTMLElement): View {
  const zoom = Math.max(0.01, Math.min(1, clientWidth / (plan.width + 30), clientHeight / (plan.height + 30)));
  return { zoom, x: (clientWidth - plan.width * zoom) / 2, y: (clientHeight - plan.height * zoom) / 2 };
}

function zoomed(view: View, factor: number, x: number, y: number): View {
  const zoom = Math.min(3, Math.max(0.01, view.zoom * factor));
  const by = zoom / view.zoom;
  return { zoom, x: x - (x - view.x) * by, y: y - (y - view.y) * by };
}

function control(element: HTMLCanvasElement, view: { current: View | undefined }, redraw: () => void): () => void {
  let from: { x: number; y: number } | undefined;
  const down = (event: PointerEvent) => {
    from = { x: event.clientX, y: event.clientY };
    delete element.dataset.moved;
    element.setPointerCapture(event.pointerId);
  };
  const move = (event: PointerEvent) => {
    if (!from || !view.current) return;
    const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
    if (Math.abs(dx) + Math.abs(dy) > 3) element.dataset.moved = 'yes';
    view.current = { ...view.current, x: view.current.x + dx, y: view.current.y + dy };
    from = { x: event.clientX, y: event.clientY };
    requestAnimationFrame(redraw);
  };
  const up = () => {
    from = undefined;
  };
  const wheel = (event: WheelEvent) => {
    if (!view.current) return;
    event.preventDefault();
    view.current = zoomed(view.current, Math.exp(-event.deltaY / 400), event.offsetX, event.offsetY);
    requestAnimationFrame(redraw);
  };
  element.addEventListener('pointerdown', down);
  element.addEventListener('pointermove', move);
  element.addEventListener('pointerup', up);
  element.addEventListener('pointercancel', up);
  element.addEventListener('wheel', wheel, { passive: false });
  return () => {
    element.removeEventListener('pointerdown', down);
    element.removeEventListener('pointermove', move);
    element.removeEventListener('pointerup', up);
    element.removeEventListener('pointercancel', up);
    element.removeEventListener('wheel', wheel);
  };
}

function at(plan: Layout, view: View, x: number, y: number): number | undefined {
  const [left, top] = [(x - view.x) / view.zoom, (y - view.y) / view.zoom];
  for (let node = 0; node < plan.x.length; node++) {
    if (Math.abs(plan.x[node]! - left) <= NODE_WIDTH / 2 && Math.abs(plan.y[node]! - top) <= NODE_HEIGHT / 2) return node;
  }
  return undefined;
}

/** The nearest node in that direction. */
export function neighbour(plan: Layout, from: number, key: string): number | undefined {
  const direction = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[key];
  if (!direction) return undefined;
  let [best, least] = [from, Infinity];
  for (let node = 0; node < plan.x.length; node++) {
    const [dx, dy] = [plan.x[node]! - plan.x[from]!, plan.y[node]! - plan.y[from]!];
    const along = dx * direction[0]! + dy * direction[1]!;
    const aside = Math.abs(dx * direction[1]!) + Math.abs(dy * direction[0]!);
    if (along > 1 && along + 2 * aside < least) [best, least] = [node, along + 2 * aside];
  }
  return best;
}

const TOKENS: Record<string, string> = {
  succeeded: '--good', failed: '--bad', upstream_failed: '--bad', running: '--busy', assigned: '--busy', queued: '--wait', retry_wait: '--wait',
  deferred: '--wait', paused: '--wait', quarantined: '--odd', stopping: '--odd',
};

function paint(element: HTMLCanvasElement, plan: Layout, graph: Graph, nodes: GraphNode[], view: View, selected?: string): void {
  const ratio = devicePixelRatio;
  const { clientWidth, clientHeight } = element;
  if (element.width !== clientWidth * ratio || element.height !== clientHeight * ratio) {
    element.width = clientWidth * ratio;
    element.height = clientHeight * ratio;
  }
  const context = element.getContext('2d')!;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, clientWidth, clientHeight);
  context.setTransform(ratio * view.zoom, 0, 0, ratio * view.zoom, ratio * view.x, ratio * view.y);
  const ink = paints();
  const left = -view.x / view.zoom - COLUMN;
  const right = (clientWidth - view.x) / view.zoom + COLUMN;
  const top = -view.y / view.zoom - ROW;
  const bottom = (clientHeight - view.y) / view.zoom + ROW;
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

export function paints(): Record<string, string> {
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

