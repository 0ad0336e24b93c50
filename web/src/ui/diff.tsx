// Lines that were taken away and added.

import type { DiffLine } from '../format/diff';

export function Diff({ lines }: { lines: DiffLine[] }) {
  if (!lines.some((line) => line.sign !== ' ')) return <p class="quiet">nothing changed</p>;
  return (
    <pre class="diff" tabIndex={0}>
      {lines.map((line, at) => <div key={at} class={line.sign === '+' ? 'plus' : line.sign === '-' ? 'minus' : ''}>{line.sign} {line.text}</div>)}
    </pre>
  );
}
