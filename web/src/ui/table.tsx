// Long lists: only the rows in sight are elements.
// - TB-1 few more rows than are in sight are elements, most of them where the reader scrolls to
// - TB-2 rows are links; `j` and `k` walk along them (shell/keys.ts)
// - TB-3 a list that the server gives in pages has the server's order, and says which it is

import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { param } from '../url/route';
import { SortName, direction, sorted, type Sortable } from './sort';

export interface Column<T> extends Sortable<T> {
  /** A share of the width, as CSS grid has it. */
  width: string;
  cell: (row: T) => ComponentChildren;
  /** Of the element that holds the cell's content: what would else be one more element in each row. */
  kind?: string | ((row: T) => string);
  /** Left out where there is no room, the last of them first. */
  isWideOnly?: boolean;
}

interface Props<T> {
  label: string;
  rows: T[];
  id: (row: T) => string;
  columns: Column<T>[];
  href: (row: T) => string;
  /** The row that the panel shows. */
  current?: string;
  more?: () => void;
  hasMore?: boolean;
  selected?: Set<string>;
  select?: (id: string, on: boolean) => void;
  /** The order that the rows come in, as `newest first`. */
  order?: string;
  /** The parameter of the URL that holds the order; another one where two tables can be seen. */
  sortAt?: string;
}

const WIDE_ROW = 36;
const PHONE_ROW = 52;
/** Rows that are drawn ahead of the reader, and behind. */
const [AHEAD, BEHIND] = [2, 1];
/** Rows before the end of what is loaded at which more is asked for. */
const SPARE = 30;
/** Browsers do not draw elements that are higher than this. */
const HEIGHT_MAX = 15_000_000;

const GAP = 12;

/** Columns that fit into that many pixels. */
export function fitting<T>(columns: Column<T>[], width: number): Column<T>[] {
  const least = (column: Column<T>) => Number(/(\d+)px/.exec(column.width)?.[1] ?? 60) + GAP;
  let room = width - 2 * GAP - columns.filter((column) => !column.isWideOnly).reduce((sum, column) => sum + least(column), 0);
  let isFull = false;
  return columns.filter((column) => {
    if (!column.isWideOnly) return true;
    isFull ||= room < least(column);
    room -= least(column);
    return !isFull;
  });
}

const kindOf = <T,>({ kind = '' }: Column<T>, row: T): string => (typeof kind === 'string' ? kind : kind(row));

export function Table<T>({ label, rows: given, id, columns, href, current, more, hasMore, selected, select, order, sortAt = 'sort' }: Props<T>) {
  const isWhole = !hasMore && given.length > 1;
  const chosen = isWhole ? param(sortAt) : '';
  const rows = useMemo(() => sorted(given, columns, chosen), [given, columns, chosen]);
  const body = useRef<HTMLDivElement>(null);
  const [range, setRange] = useState<[number, number]>([0, 60]);
  const [width, setWidth] = useState(innerWidth);
  const height = width < 640 ? PHONE_ROW : WIDE_ROW;
  const shown = fitting(columns, width - (select ? 40 : 0));
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(entry!.contentRect.width));
    observer.observe(body.current!);
    setWidth(body.current!.clientWidth);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    const element = body.current!;
    const scroller = element.closest('main, .panel-body') ?? document.documentElement;
    let before = 0;
    const look = () => {
      const top = -(element.getBoundingClientRect().top - scroller.getBoundingClientRect().top);
      const [above, below] = top < before ? [AHEAD, BEHIND] : [BEHIND, AHEAD];
      before = top;
      const first = Math.max(0, Math.floor(top / height) - above);
      const last = Math.ceil((top + scroller.clientHeight) / height) + below;
      setRange((old) => (old[0] === first && old[1] === last ? old : [first, last]));
    };
    look();
    scroller.addEventListener('scroll', look, { passive: true });
    addEventListener('resize', look);
    // What stands above it grows and shrinks with its own answers.
    const observer = new ResizeObserver(look);
    for (let part: Element | null = element; part && part !== scroller; part = part.parentElement) {
      for (let above = part.previousElementSibling; above; above = above.previousElementSibling) observer.observe(above);
      if (part !== element) observer.observe(part);
    }
    return () => {
      observer.disconnect();
      scroller.removeEventListener('scroll', look);
      removeEventListener('resize', look);
    };
  }, [height, rows.length]);
  const [first, last] = range;
  useEffect(() => {
    if (hasMore && last >= rows.length - SPARE) more?.();
  }, [last, rows.length, hasMore]);
  const visible = rows.slice(first, last);
  const grid = shown.map((column) => column.width).join(' ');
  const template = select ? `28px ${grid}` : grid;
  return (
    <>
    {hasMore && order && <p class="quiet order">{order}; sorts by a column once all that fit the filters are loaded</p>}
    <div class="table" role="table" aria-label={label} aria-rowcount={hasMore ? -1 : rows.length + 1}>
      <div role="rowgroup" class="thead">
        <div role="row" class="tr" style={{ gridTemplateColumns: template }}>
          {select && <span role="columnheader"><span class="sr">Selected</span></span>}
          {shown.map((column) => (
            <span role="columnheader" key={column.name} class={column.isNumber ? 'right' : ''} aria-sort={direction(column.name, chosen)}><SortName column={column} at={sortAt} isWhole={isWhole} /></span>
          ))}
        </div>
      </div>
      <div role="rowgroup" ref={body} class="tbody" style={{ height: `${Math.min(rows.length * height, HEIGHT_MAX)}px` }}>
        {visible.map((row, at) => {
          const key = id(row);
          return (
            <div role="row" key={key} class={key === current ? 'tr current' : 'tr'} aria-rowindex={first + at + 2}
              style={{ gridTemplateColumns: template, height: `${height}px`, transform: `translateY(${(first + at) * height}px)` }}>
              {select && (
                <span role="cell" class="check">
                  <input type="checkbox" aria-label={`Select ${key}`} checked={selected?.has(key)} onChange={(event) => select(key, event.currentTarget.checked)} />
                </span>
              )}
              {shown.map((column, index) => (
                <span role="cell" key={column.name} class={`${column.isNumber ? 'right ' : ''}${index ? kindOf(column, row) : ''}`}>
                  {index === 0 ? <a class={`row-link ${kindOf(column, row)}`} href={href(row)}>{column.cell(row)}</a> : column.cell(row)}
                </span>
              ))}
            </div>
          );
        })}
      </div>
    </div>
    </>
  );
}
