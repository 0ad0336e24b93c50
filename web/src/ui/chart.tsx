// Small charts over time. Two shapes in one picture: the second lies on the first.

import { count } from '../format/text';
import { short } from '../format/time';
import { now, zone } from './basics';

export interface Shape {
  name: string;
  values: number[];
  /** The colour: of a state, or of nothing in particular. */
  kind: 'good' | 'bad' | 'wait' | 'busy';
}

interface Props {
  title: string;
  /** What the number beside the title says, such as `12 a minute`. */
  said: string;
  shapes: Shape[];
  from: number;
  stepMs: number;
}

const HEIGHT = 40;

/** Steps as an area from the bottom; `top` is the highest value in sight. */
export function area(values: number[], top: number): string {
  const y = (value: number) => (HEIGHT - (HEIGHT * value) / top).toFixed(2);
  return values.length ? `M0 ${HEIGHT}${values.map((value, at) => `L${at} ${y(value)}L${at + 1} ${y(value)}`).join('')}L${values.length} ${HEIGHT}Z` : '';
}

export function Chart({ title, said, shapes, from, stepMs }: Props) {
  const length = Math.max(1, ...shapes.map(({ values }) => values.length));
  const top = Math.max(1, ...shapes.flatMap(({ values }) => values));
  const summary = shapes.map(({ name, values }) => `${name}: now ${count(values.at(-1) ?? 0)}, at most ${count(Math.max(0, ...values))}`).join('; ');
  const at = (ms: number) => short(new Date(ms), zone(), now.peek());
  return (
    <figure class="chart">
      <figcaption><span>{title}</span><b>{said}</b></figcaption>
      <svg viewBox={`0 0 ${length} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={`${title}. ${summary}`}>
        {shapes.map(({ name, values, kind }) => <path key={name} class={`c-${kind}`} d={area(values, top)} />)}
      </svg>
      <small><span>{at(from)}</span><span>at most {count(top)}</span><span>{at(from + length * stepMs)}</span></small>
    </figure>
  );
}
