// Filters. Each is a part of the URL, so that a filtered list can be sent to somebody and survives a reload.

import { stateWord, type State } from '../api/state';
import { list, param, setQuery, withQuery } from '../url/route';
import { StateGlyph } from './icons';

/** Buttons that can be on together: `?state=failed,running`. */
/** `name` is another one in a detail: a panel beside a list has its own filters. */
export function StateFacet({ states, counts, name = 'state' }: { states: State[]; counts?: Partial<Record<State, number>>; name?: string }) {
  const on = list(name);
  const toggled = (state: State) => (on.includes(state) ? on.filter((other) => other !== state) : [...on, state]);
  return (
    <div class="facet" role="group" aria-label="States">
      <a href={withQuery({ [name]: '' })} class={on.length ? 'chip' : 'chip on'} aria-current={!on.length}>all</a>
      {states.map((state) => (
        <a key={state} href={withQuery({ [name]: toggled(state).sort().join(',') })} aria-current={on.includes(state)}
          class={on.includes(state) ? 'chip on' : 'chip'}>
          <StateGlyph state={state} />{stateWord(state)}
          {counts?.[state] !== undefined && <b>{counts[state]}</b>}
        </a>
      ))}
    </div>
  );
}

/** One of few. */
export function Choice({ name, label, values }: { name: string; label: string; values: [string, string][] }) {
  return (
    <label class="choice"><span class="sr">{label}</span>
      <select value={param(name)} onChange={(event) => setQuery({ [name]: event.currentTarget.value })} aria-label={label}>
        {values.map(([value, text]) => <option key={value} value={value}>{text}</option>)}
      </select>
    </label>
  );
}

/** Text, taken when the reader stops typing or presses Enter. */
export function TextFacet({ name, label }: { name: string; label: string }) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const take = (value: string, how: 'push' | 'replace') => {
    clearTimeout(timer);
    if (value !== param(name)) setQuery({ [name]: value }, how);
  };
  return (
    <input class="text-facet" type="search" aria-label={label} placeholder={label} value={param(name)} data-filter
      onInput={(event) => {
        const { value } = event.currentTarget;
        clearTimeout(timer);
        timer = setTimeout(() => take(value, 'replace'), 350);
      }}
      onChange={(event) => take(event.currentTarget.value, 'push')} />
  );
}

/** Spans of time back from now, as `since=24h`. */
export const SINCE: [string, string][] = [
  ['', 'any time'], ['1h', 'last hour'], ['24h', 'last 24 h'], ['7d', 'last 7 days'], ['30d', 'last 30 days'],
];

const UNIT: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `24h` → the instant so long ago, in whole minutes so that the same view asks the same question. */
export function sinceInstant(text: string, now: number): string | undefined {
  const found = /^(\d{1,4})([mhd])$/.exec(text);
  if (!found) return undefined;
  const at = now - Number(found[1]) * UNIT[found[2]!]!;
  return new Date(Math.floor(at / 60_000) * 60_000).toISOString();
}

export function Tabs({ name, tabs }: { name: string; tabs: [string, string][] }) {
  const on = param(name) || tabs[0]![0];
  return (
    <nav class="tabs" aria-label="Views">
      {tabs.map(([value, text], at) => (
        <a key={value} href={withQuery({ [name]: at ? value : '' })} class={on === value ? 'on' : ''} aria-current={on === value ? 'page' : undefined}>{text}</a>
      ))}
    </nav>
  );
}
