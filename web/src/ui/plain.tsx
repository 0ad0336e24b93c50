// Short tables: all rows are elements, columns are as wide as what is in them.

import type { ComponentChildren } from 'preact';
import { param } from '../url/route';
import { SortName, direction, sorted, type Sortable } from './sort';

export interface PlainColumn<T> extends Sortable<T> {
  cell: (row: T) => ComponentChildren;
  isTight?: boolean;
  /** It holds sentences: it keeps some width on a phone, where the table scrolls. */
  isProse?: boolean;
  /** Its name is not shown. */
  isSilent?: boolean;
}

interface Props<T> {
  rows: T[];
  id: (row: T) => string;
  columns: PlainColumn<T>[];
  /** The parameter of the URL that holds the order. */
  sortAt: string;
}

export function Plain<T>({ rows, id, columns, sortAt }: Props<T>) {
  const kind = ({ isNumber, isTight, isProse }: PlainColumn<T>) => [isNumber ? 'right num' : '', isTight || isNumber ? 'tight' : '', isProse ? 'prose' : ''].filter(Boolean).join(' ');
  return (
    <div class="scroll-x" tabIndex={0}><table class="plain">
      <thead><tr>{columns.map((column) => (
        <th key={column.name} scope="col" class={kind(column)} aria-sort={direction(column.name, param(sortAt))}>
          {column.isSilent ? <span class="sr">{column.name}</span> : <SortName column={column} at={sortAt} isWhole />}
        </th>
      ))}</tr></thead>
      <tbody>{sorted(rows, columns, param(sortAt)).map((row) => (
        <tr key={id(row)}>{columns.map((column) => <td key={column.name} class={kind(column)}>{column.cell(row)}</td>)}</tr>
      ))}</tbody>
    </table></div>
  );
}
