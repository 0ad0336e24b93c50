// The palette: pages, jobs, and ids that were pasted, found by typing.

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useQuery } from '../live/query';
import { jobs } from '../api/reads';
import { go, href, place } from '../url/route';
import { copyText } from '../ui/basics';
import { viewAsCommand, viewAsCurl, viewOf } from './view-command';
import { helpOpen, paletteOpen } from './keys';
import { PAGES } from './pages';
import { nextTheme } from './theme';

interface Entry {
  text: string;
  note: string;
  act: () => void;
}

const SHOWN_MAX = 12;

export function Palette() {
  return paletteOpen.value ? <PaletteDialog /> : null;
}

/** Letters in their order, not necessarily side by side; the fewer lie between, the better. */
export function score(text: string, wanted: string): number | undefined {
  let [at, gaps] = [-1, 0];
  const lower = text.toLowerCase();
  for (const letter of wanted.toLowerCase().replaceAll(' ', '')) {
    const next = lower.indexOf(letter, at + 1);
    if (next < 0) return undefined;
    gaps += at < 0 ? next : next - at - 1;
    at = next;
  }
  return gaps;
}

function PaletteDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const known = useQuery('palette-jobs', (signal) => jobs({ limit: 999 }, undefined, signal));
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const close = () => {
    paletteOpen.value = false;
  };
  const entries = found(text, (known.data.value?.rows ?? []).map((job) => job.job));
  const choose = (entry: Entry | undefined) => {
    close();
    entry?.act();
  };
  const keys = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by) {
      event.preventDefault();
      setAt((at + by + entries.length) % Math.max(1, entries.length));
    }
  };
  return (
    <dialog ref={dialog} class="palette" onClose={close} aria-label="Find or do something"
      onClick={(event) => event.target === dialog.current && close()}>
      <form method="dialog" onSubmit={(event) => { event.preventDefault(); choose(entries[at]); }}>
        <input autofocus placeholder="A page, a job, run_… or task_…" aria-label="What to find" role="combobox" aria-expanded="true"
          aria-controls="palette-list" aria-activedescendant={entries.length ? `palette-${at}` : undefined} value={text} onKeyDown={keys}
          onInput={(event) => { setText(event.currentTarget.value); setAt(0); }} />
        <div id="palette-list" role="listbox" aria-label="Found">
          {entries.map((entry, index) => (
            <div key={entry.note + entry.text} id={`palette-${index}`} role="option" aria-selected={index === at} onClick={() => choose(entry)}>
              <span>{entry.text}</span><small>{entry.note}</small>
            </div>
          ))}
        </div>
        {!entries.length && <p class="quiet">nothing is called so</p>}
      </form>
    </dialog>
  );
}

/** The view below the palette, for a shell. */
function viewEntries(): Entry[] {
  const view = viewOf(place.peek(), Date.now());
  return view ? [
    { text: 'Copy this view as CLI', note: 'a command', act: () => void copyText(viewAsCommand(view), 'command') },
    { text: 'Copy this view as curl', note: 'a request', act: () => void copyText(viewAsCurl(view, location.origin), 'curl command') },
  ] : [];
}

function found(text: string, jobNames: string[]): Entry[] {
  const id = /(run|task)_[0-9a-f]{6,32}/.exec(text.trim())?.[0];
  if (id) return [{ text: id, note: 'open it', act: () => go(href([id.startsWith('run_') ? 'runs' : 'tasks', id])) }];
  const all: Entry[] = [
    ...PAGES.map((page) => ({ text: page.title, note: `page · g ${page.key}`, act: () => go(href([page.path])) })),
    { text: 'Failed runs', note: 'runs', act: () => go(href(['runs'], { state: 'failed' })) },
    { text: 'Running now', note: 'runs', act: () => go(href(['runs'], { state: 'running' })) },
    { text: 'Change colours', note: 'light, dark, auto', act: nextTheme },
    ...viewEntries(),
    { text: 'Keys', note: 'help · ?', act: () => { helpOpen.value = true; } },
    ...jobNames.map((name) => ({ text: name, note: 'job', act: () => go(href(['jobs', name])) })),
    ...jobNames.map((name) => ({ text: `Start ${name}`, note: 'job', act: () => go(href(['jobs', name], { tab: 'start' })) })),
  ];
  const scored = all.map((entry) => [score(entry.text, text), entry] as const).filter(([points]) => points !== undefined);
  scored.sort(([a], [b]) => a! - b!);
  return scored.slice(0, SHOWN_MAX).map(([, entry]) => entry);
}

const KEYS: [string, string][] = [
  ['Ctrl K', 'find or do something'], ['g n', 'Now; g and a letter for the other pages'], ['j  k', 'next, previous row'],
  ['Enter', 'open the row'], ['x', 'select the row'], ['/', 'to the filter'], ['Esc', 'close the panel'], ['?', 'this list'],
];

export function Help() {
  return helpOpen.value ? <HelpDialog /> : null;
}

function HelpDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="ask" onClose={() => (helpOpen.value = false)} aria-labelledby="help-title">
      <form method="dialog">
        <h2 id="help-title">Keys</h2>
        <dl class="facts keys">{KEYS.map(([key, what]) => <div key={key}><dt><kbd>{key}</kbd></dt><dd>{what}</dd></div>)}</dl>
        <footer><button type="submit" class="main">Close</button></footer>
      </form>
    </dialog>
  );
}
