// The graph of a run, drawn on a canvas. Drag to move, wheel or buttons to zoom, click to open, arrows to walk.
// Everything that it shows is in the table of tasks, too: a canvas says nothing to a screen reader.

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { stateWord, type State } from '../api/state';
import { many } from '../format/text';
import { countsText } from '../ui/bars';
import type { Drawn, Layout } from './layout';
import { NODE_HEIGHT, NODE_WIDTH, Picture, type GraphNode, type View } from './paint';

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
  const picture = useMemo(() => new Picture(), []);
  const { plan } = graph;
  const [focused, setFocused] = useState(-1);
  const draw = () => {
    const element = canvas.current;
    if (!element) return;
    view.current ??= fitted(plan, element);
    picture.show(element, { graph, nodes, selected: selected ?? nodes[focused]?.name }, view.current);
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
    let frame = 0;
    const redraw = () => {
      frame ||= requestAnimationFrame(() => {
        frame = 0;
        later.current();
      });
    };
    const observer = new ResizeObserver(redraw);
    observer.observe(element);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', redraw);
    addEventListener('themechange', redraw);
    const stop = control(element, view, redraw);
    return () => {
      observer.disconnect();
      scheme.removeEventListener('change', redraw);
      removeEventListener('themechange', redraw);
      cancelAnimationFrame(frame);
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
    redraw();
  };
  const up = () => {
    from = undefined;
  };
  const wheel = (event: WheelEvent) => {
    if (!view.current) return;
    event.preventDefault();
    view.current = zoomed(view.current, Math.exp(-event.deltaY / 400), event.offsetX, event.offsetY);
    redraw();
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
