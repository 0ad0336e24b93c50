// Tasks × runs: every task of a job in its last runs. A column that turns red, or a row, says when and where it began.
// Names are elements, cells are drawn: ten thousand tasks in a hundred runs would be a million elements.

import { useEffect, useRef, useState } from 'preact/hooks';
import { grid as readGrid } from '../api/reads';
import { stateOfLetter, stateWord, type State } from '../api/state';
import type { Grid as GridData } from '../api/views';
import { many } from '../format/text';
import { span } from '../format/time';
import { paints } from '../graph/paint';
import { useQuery } from '../live/query';
import { go, href, openHref, opened, param } from '../url/route';
import { Empty, Failure, Loading } from '../ui/basics';
import { Choice } from '../ui/facets';
import { drawState } from '../ui/icons';

const RUNS = 25;
const CELL = 24;
const SHOWN_HEIGHT = 560;

type GridRun = GridData['runs'][number];

const took = (run: GridRun): number => (run.started_at ? Date.parse(run.ended_at ?? new Date().toISOString()) - Date.parse(run.started_at) : 0);

export function Grid({ name, tenant }: { name: string; tenant: string }) {
  const runs = Number(param('runs')) || RUNS;
  const query = useQuery(`grid ${tenant}/${name} ${runs}`, (signal) => readGrid(name, tenant, runs, signal), { touched: (change) => change.job === name && change.kind === 'run' });
  const grid = query.data.value;
  if (query.error.value) return <Failure error={query.error.value} retry={query.refresh} />;
  if (!grid) return <Loading />;
  if (!grid.runs.length) return <Empty title="It has not run yet" />;
  return (
    <>
      <div class="filters"><Choice name="runs" label="Runs" values={[['', 'last 25'], ['50', 'last 50'], ['100', 'last 100']]} /></div>
      <Cells grid={grid} />
    </>
  );
}

interface Cell {
  row: number;
  column: number;
}

/** What a cell says; nothing where the run does not have the task. */
export function cellState({ runs }: GridData, { row, column }: Cell): State | undefined {
  return stateOfLetter(runs[column]?.states[row]);
}

function Cells({ grid }: { grid: GridData }) {
  const scroller = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [top, setTop] = useState(0);
  const [focused, setFocused] = useState<Cell>();
  const height = Math.min(SHOWN_HEIGHT, grid.tasks.length * CELL);
  const first = Math.floor(top / CELL);
  const last = Math.min(grid.tasks.length, first + Math.ceil(height / CELL) + 1);
  const longest = Math.max(1, ...grid.runs.map(took));
  const [, redraw] = useState(0);
  useEffect(() => {
    const again = () => redraw((count) => count + 1);
    addEventListener('themechange', again);
    return () => removeEventListener('themechange', again);
  }, []);
  useEffect(() => paintCells(canvas.current!, grid, [first, last], height, focused));
  // The newest runs, at the right, first.
  useEffect(() => scroller.current?.scrollTo({ left: scroller.current.scrollWidth }), []);
  const open = ({ row, column }: Cell) => {
    const run = grid.runs[column];
    if (run) go(href(['runs', run.run_id], { task: grid.tasks[row] }));
  };
  const walk = (event: KeyboardEvent) => {
    const step = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
    if (event.key === 'Enter' && focused) open(focused);
    else if (!step) return;
    else {
      const from = focused ?? { row: first, column: grid.runs.length - 1 };
      const next = { row: clamp(from.row + step[0]!, grid.tasks.length), column: clamp(from.column + step[1]!, grid.runs.length) };
      setFocused(next);
      const body = scroller.current!;
      body.scrollTop = Math.min(Math.max(body.scrollTop, (next.row + 1) * CELL - height), next.row * CELL);
    }
    event.preventDefault();
  };
  const hit = (event: MouseEvent): Cell => ({ row: first + Math.floor(event.offsetY / CELL), column: Math.floor(event.offsetX / CELL) });
  const said = (cell: Cell | undefined) => {
    const state = cell && cellState(grid, cell);
    return cell && `${grid.tasks[cell.row]} ${state ? stateWord(state) : 'is not part'} in the run of ${grid.runs[cell.column]?.created_at.slice(0, 16).replace('T', ' ')}`;
  };
  const width = grid.runs.length * CELL;
  return (
    <div class="gridview" ref={scroller} tabIndex={0} style={{ maxHeight: `${SHOWN_HEIGHT + 60}px` }} onScroll={(event) => setTop(event.currentTarget.scrollTop)}>
      <div class="gridview-head">
        <span class="corner">{many(grid.tasks.length, 'task')}</span>
        {grid.runs.map((run) => {
          const label = `${run.state} run of ${run.created_at.slice(0, 16).replace('T', ' ')}, version ${run.version}, ${span(took(run))}`;
          return (
            <a key={run.run_id} href={openHref(run.run_id)} title={label} aria-label={label} class={run.run_id === opened.value ? 'on' : ''} style={{ width: `${CELL}px` }}>
              <i class={`fill s-${run.state}`} style={{ height: `${4 + Math.round((36 * took(run)) / longest)}px` }} />
            </a>
          );
        })}
      </div>
      <div class="gridview-body" style={{ height: `${grid.tasks.length * CELL}px`, minWidth: `${width + 140}px` }}>
        <div class="names" style={{ paddingTop: `${first * CELL}px` }}>
          {grid.tasks.slice(first, last).map((name) => <a key={name} title={name} href={href(['runs', grid.runs.at(-1)!.run_id], { task: name })} style={{ height: `${CELL}px`, lineHeight: `${CELL}px` }}>{name}</a>)}
        </div>
        <canvas ref={canvas} tabIndex={0} role="img" style={{ width: `${width}px`, height: `${(last - first) * CELL}px`, top: `${first * CELL}px` }}
          aria-label={`States of ${many(grid.tasks.length, 'task')} in ${many(grid.runs.length, 'run')}. ${said(focused) ?? ''}`}
          onClick={(event) => open(hit(event))} onKeyDown={walk} onMouseMove={(event) => { event.currentTarget.title = said(hit(event)) ?? ''; }} />
      </div>
    </div>
  );
}

const clamp = (value: number, count: number): number => Math.max(0, Math.min(count - 1, value));

function paintCells(element: HTMLCanvasElement, grid: GridData, [first, last]: [number, number], height: number, focused?: Cell): void {
  const ratio = devicePixelRatio;
  element.width = grid.runs.length * CELL * ratio;
  element.height = Math.max((last - first) * CELL, Math.min(height, CELL)) * ratio;
  const context = element.getContext('2d')!;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  const ink = paints();
  for (let row = first; row < last; row++) {
    for (let column = 0; column < grid.runs.length; column++) {
      const state = cellState(grid, { row, column });
      if (!state) continue;
      const [x, y] = [column * CELL, (row - first) * CELL];
      context.fillStyle = ink[state] ?? ink.dull!;
      context.strokeStyle = context.fillStyle;
      drawState(context, state, x + 4, y + 4, CELL - 8);
      if (focused?.row === row && focused.column === column) {
        context.strokeStyle = ink.accent!;
        context.lineWidth = 2;
        context.strokeRect(x + 1, y + 1, CELL - 2, CELL - 2);
      }
    }
  }
}
