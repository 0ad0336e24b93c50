// The small parts that every page uses.

import type { ComponentChildren } from 'preact';
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ApiError } from '../api/client';
import { stateWord, type State } from '../api/state';
import { ago, full, short, span, type Zone } from '../format/time';
import { shortId } from '../format/text';
import { href, param } from '../url/route';
import { Icon, StateGlyph } from './icons';
import { tell } from './toast';

/** Ticks once a second while the page is visible; texts such as `3m ago` follow it. */
export const now = signal(new Date());
if (typeof document !== 'undefined') {
  setInterval(() => {
    if (!document.hidden) now.value = new Date();
  }, 1000);
}

const stored = (name: string): string => {
  try {
    return localStorage.getItem(name) ?? '';
  } catch {
    return '';
  }
};
/** What this browser prefers; the URL goes before it. */
const preferred = signal<Zone>(stored('zone') === 'utc' ? 'utc' : 'local');
export const zone = (): Zone => (param('tz') === 'utc' || param('tz') === 'local' ? (param('tz') as Zone) : preferred.value);
export function preferZone(choice: Zone): void {
  preferred.value = choice;
  try {
    localStorage.setItem('zone', choice);
  } catch {
    // A browser that keeps nothing still shows what was chosen.
  }
}

/** For an element that shows a state and nothing else, as [StateText]: long lists have few elements. */
export const stateClass = (state: State): string => `state s-${state}`;

export const StateText = ({ state }: { state: State }) => <><StateGlyph state={state} />{stateWord(state)}</>;

export function StateBadge({ state, note }: { state: State; note?: string }) {
  return (
    <span class={stateClass(state)}><StateText state={state} />{note ? ` ${note}` : ''}</span>
  );
}

/** An instant, in the reader's zone. `relative` says how long ago. */
export function Time({ at, relative }: { at: string | undefined | null; relative?: boolean }) {
  if (!at) return <span class="quiet">–</span>;
  const date = new Date(at);
  const shown = relative ? ago(date, now.value) : short(date, zone(), now.value);
  return <time dateTime={at} title={full(date, zone())}>{shown}</time>;
}

/** How long something took, or has taken so far. */
export function Took({ from, to }: { from: string | undefined | null; to: string | undefined | null }) {
  if (!from) return <>–</>;
  const end = to ? new Date(to) : now.value;
  return <>{span(Math.max(0, end.getTime() - new Date(from).getTime()))}</>;
}

export const copyText = async (text: string, what: string): Promise<void> => {
  try {
    await navigator.clipboard.writeText(text);
    tell({ text: `${what} copied` });
  } catch {
    tell({ text: `the browser does not allow to copy: ${text}`, isBad: true });
  }
};

/** An id that can be copied. */
export function Id({ id }: { id: string }) {
  return (
    <span class="id">
      <code title={id}>{shortId(id)}</code>
      <button type="button" class="mini" aria-label={`Copy ${id}`} title="Copy" onClick={() => void copyText(id, 'id')}>
        <Icon name="copy" size={12} />
      </button>
    </span>
  );
}

/** Opens a detail: a run, a task, a worker by its id. */
export const detailHref = (id: string): string => {
  if (id.startsWith('run_')) return href(['runs', id]);
  if (id.startsWith('task_')) return href(['tasks', id]);
  return href(['workers', id]);
};

/** In milliseconds, until now for what has not ended. */
export const ranFor = ({ started_at, ended_at }: { started_at?: string; ended_at?: string }): number | undefined =>
  (started_at ? (ended_at ? Date.parse(ended_at) : Date.now()) - Date.parse(started_at) : undefined);

export function Failure({ error, retry }: { error: ApiError; retry?: () => void }) {
  return (
    <div class="failure" role="alert">
      <strong>{error.message}</strong>
      {error.advice && <span> {error.advice}.</span>}
      {error.mistakes.map((mistake) => <div key={mistake.path + mistake.what}><code>{mistake.path}</code> {mistake.what}. {mistake.help}</div>)}
      {/^[A-Z_]+$/.test(error.code) && error.status ? <a class="quiet" href={href(['docs', 'errors', error.code])}> {error.code}</a> : <span class="quiet"> {error.code}</span>}
      {retry && <button type="button" onClick={retry}>Try again</button>}
    </div>
  );
}

/** What a page shows while it has nothing yet: bars of about the shape of what comes. */
export function Loading({ rows = 6 }: { rows?: number }) {
  return (
    <div class="loading" role="status">
      <span class="sr">Loading</span>
      {Array.from({ length: rows }, (_, at) => <div class="bar" key={at} />)}
    </div>
  );
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** A line of a shell, with a button that copies it. */
export function Command({ text }: { text: string }) {
  return (
    <span class="command">
      <code>{text}</code>
      <button type="button" class="mini" aria-label={`Copy ${text}`} onClick={() => void copyText(text, 'command')}><Icon name="copy" size={12} /></button>
    </span>
  );
}

export function Facts({ rows }: { rows: [string, ComponentChildren][] }) {
  const shown = rows.filter(([, value]) => value !== undefined && value !== null && value !== '');
  return <dl class="facts">{shown.map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}</dl>;
}

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Mainspring`;
  }, [title]);
}

/** Text with `backticks` as code. */
export function Said({ text }: { text: string }) {
  return <>{text.split('`').map((part, at) => (at % 2 ? <code key={at}>{part}</code> : part))}</>;
}

export function Section({ title, children, aside }: { title: string; children: ComponentChildren; aside?: ComponentChildren }) {
  return (
    <section class="section">
      <header><h2>{title}</h2>{aside}</header>
      {children}
    </section>
  );
}
