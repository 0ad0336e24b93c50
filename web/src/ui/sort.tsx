// Rows in the order of a column. The order is in the URL: `?sort=took`, `?sort=-took` for the greatest first.
// - SR-1 a table sorts only where all its rows are there: the first part of a list in another order would look like all of it

import { param, setQuery } from '../url/route';

export interface Sortable<T> {
  name: string;
  isNumber?: boolean;
  /** What the column is sorted by; without it it does not sort. Rows without a value come last. */
  by?: (row: T) => string | number | undefined | null;
}

const word = (name: string): string => name.toLowerCase().replaceAll(' ', '-');

/** `order` as it is in the URL; rows that are equal keep the order that they have. */
export function sorted<T>(rows: T[], columns: Sortable<T>[], order: string): T[] {
  const isDown = order.startsWith('-');
  const by = columns.find(({ name }) => word(name) === order.replace(/^-/, ''))?.by;
  if (!by) return rows;
  const keyed = rows.map((row) => [by(row) ?? '', row] as const);
  return keyed.sort(([a], [b]) => compared(a, b, isDown)).map(([, row]) => row);
}

function compared(a: string | number, b: string | number, isDown: boolean): number {
  if (a === '' || b === '') return Number(a === '') - Number(b === '');
  const order = typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b), 'en', { numeric: true });
  return isDown ? -order : order;
}

/** What the next press gives: numbers begin with the greatest; the third one gives the order of the server again. */
export function next(name: string, isNumber: boolean | undefined, order: string): string {
  const [first, second] = isNumber ? [`-${word(name)}`, word(name)] : [word(name), `-${word(name)}`];
  return order === first ? second! : order === second ? '' : first!;
}

export function direction(name: string, order: string): 'ascending' | 'descending' | undefined {
  return order === word(name) ? 'ascending' : order === `-${word(name)}` ? 'descending' : undefined;
}

/** The name of a column, as a button where it sorts. */
export function SortName<T>({ column, at, isWhole }: { column: Sortable<T>; at: string; isWhole: boolean }) {
  if (!column.by || !isWhole) return <>{column.name}</>;
  const order = param(at);
  const way = direction(column.name, order);
  const sign = way && { ascending: ' ▴', descending: ' ▾' }[way];
  return (
    <button type="button" class="sort" title={`Sort by ${column.name}`} onClick={() => setQuery({ [at]: next(column.name, column.isNumber, order) }, 'replace')}>
      {column.name}{sign && <span aria-hidden="true">{sign}</span>}
    </button>
  );
}
