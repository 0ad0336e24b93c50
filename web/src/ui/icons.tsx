// Glyphs drawn as paths. A state has one word, one glyph, one colour and one pattern; this is the glyph.

import type { State } from '../api/state';

/** In a box of 16 × 16; `f` is filled, `d` is drawn. */
const STATES: Record<State, { d?: string; f?: string }> = {
  pending: { d: 'M8 2.5a5.5 5.5 0 0 1 2 .4M12.6 5a5.5 5.5 0 0 1 .9 2.4M13 10a5.5 5.5 0 0 1-1.6 2.3M9 13.4a5.5 5.5 0 0 1-2.6-.2M4 12a5.5 5.5 0 0 1-1.3-2.2M2.6 7A5.5 5.5 0 0 1 4 4.2' },
  queued: { d: 'M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11z' },
  assigned: { d: 'M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11z', f: 'M8 2.5a5.5 5.5 0 0 0 0 11z' },
  running: { f: 'M4.5 2.8v10.4L13 8z' },
  retry_wait: { d: 'M12.7 6A5.2 5.2 0 1 0 13 9.500M13 2.800v3.400H9.600' },
  deferred: { d: 'M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11zM8 5v3.200l2.200 1.500' },
  succeeded: { d: 'M3 8.500l3.300 3.300L13 4.700' },
  failed: { d: 'M4 4l8 8M12 4l-8 8' },
  cancelled: { d: 'M8 2.500a5.500 5.500 0 1 1 0 11 5.500 5.500 0 0 1 0-11zM4.200 11.800l7.600-7.600' },
  skipped: { d: 'M3 4l4 4-4 4M9 4l4 4-4 4' },
  upstream_failed: { d: 'M8 14V7M4.500 10L8 6.500l3.500 3.500M5.500 1.500l5 3M10.500 1.500l-5 3' },
  quarantined: { d: 'M5.500 2h5L14 5.500v5L10.500 14h-5L2 10.500v-5zM8 5v3.500M8 10.700v.5' },
  paused: { f: 'M4 3h2.800v10H4zM9.200 3H12v10H9.200z' },
  stopping: { f: 'M4 4h8v8H4z' },
};

const PAGES: Record<string, string> = {
  now: 'M2 9h3l2-5 3 8 1.500-3H14',
  runs: 'M3 4h10M3 8h10M3 12h6',
  jobs: 'M2.500 3.500h4v4h-4zM9.500 8.500h4v4h-4zM6.500 5.500h3v5',
  schedules: 'M3 4h10v9H3zM3 7h10M5.500 2.500v3M10.500 2.500v3',
  tasks: 'M3 4.500l1 1 2-2M3 10.500l1 1 2-2M8.500 4.500H13M8.500 10.500H13',
  workers: 'M2.500 3h11v4h-11zM2.500 9h11v4h-11zM5 5h.1M5 11h.1',
  queues: 'M3 3v10M6.300 6v7M9.600 4v9M13 8v5',
  dead: 'M2.500 5.500l5.500 4 5.500-4M2.500 4h11v8.500h-11z',
  system: 'M8 5.500a2.500 2.500 0 1 1 0 5 2.500 2.500 0 0 1 0-5zM8 1.500v2M8 12.500v2M1.500 8h2M12.500 8h2M3.400 3.400l1.400 1.400M11.200 11.200l1.400 1.400M12.600 3.400l-1.400 1.400M4.800 11.200l-1.400 1.400',
  operations: 'M2.500 4.500h7M2.500 8h7M2.500 11.500h4M10.500 10.500l2 2 2.500-4',
  docs: 'M8 4c-1.500-1.200-3.500-1.500-5.500-1.200v9.500c2-.3 4 0 5.500 1.200 1.500-1.200 3.500-1.500 5.500-1.200V2.800C11.500 2.500 9.500 2.800 8 4zM8 4v9.500',
  search: 'M7 2.500a4.500 4.500 0 1 1 0 9 4.500 4.500 0 0 1 0-9zM10.300 10.300L14 14',
  more: 'M3 8h.1M8 8h.1M13 8h.1',
  close: 'M4 4l8 8M12 4l-8 8',
  expand: 'M9 3h4v4M13 3L8 8M7 13H3V9M3 13l5-5',
  copy: 'M5.500 5.500h8v8h-8zM10.500 5.500v-3h-8v8h3',
  moon: 'M13 9.500A5.500 5.500 0 1 1 6.500 3a4.500 4.500 0 0 0 6.500 6.500z',
  sun: 'M8 5a3 3 0 1 1 0 6 3 3 0 0 1 0-6zM8 1v1.500M8 13.500V15M1 8h1.500M13.500 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1',
  auto: 'M8 2.500a5.500 5.500 0 1 1 0 11zM8 2.500v11',
  clock: 'M8 2.500a5.500 5.500 0 1 1 0 11 5.500 5.500 0 0 1 0-11zM8 5v3.200l2.200 1.500',
  retry: 'M12.700 6A5.200 5.200 0 1 0 13 9.500M13 2.800v3.400H9.600',
};

export function StateGlyph({ state }: { state: State }) {
  const { d, f } = STATES[state] ?? STATES.pending;
  return (
    <svg class={`glyph s-${state}`} viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
      {f && <path d={f} fill="currentColor" />}
      {d && <path d={d} fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round" />}
    </svg>
  );
}

export function Icon({ name, size = 16 }: { name: string; size?: number }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width={size} height={size} aria-hidden="true">
      <path d={PAGES[name] ?? ''} fill="none" stroke="currentColor" stroke-width="1.500" stroke-linecap="round" stroke-linejoin="round" />
    </svg>
  );
}

/** The mark of the product: a coiled spring. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" width="22" height="22" aria-hidden="true">
      <path d="M16 16c0-2 3-2 3 1s-4 5-7 2-2-9 3-10 11 2 11 8-6 11-12 10S4 21 4 15 9 3 17 3"
        fill="none" stroke="currentColor" stroke-width="2.800" stroke-linecap="round" />
    </svg>
  );
}

const paths = new Map<string, Path2D>();

function pathOf(text: string): Path2D {
  const path = paths.get(text) ?? new Path2D(text);
  paths.set(text, path);
  return path;
}

/** Draws a state into a canvas, with the same glyph. */
export function drawState(context: CanvasRenderingContext2D, state: State, x: number, y: number, size: number): void {
  const { d, f } = STATES[state] ?? STATES.pending;
  context.save();
  context.translate(x, y);
  context.scale(size / 16, size / 16);
  context.lineWidth = 1.8;
  if (f) context.fill(pathOf(f));
  if (d) context.stroke(pathOf(d));
  context.restore();
}
