// Where the reader is. All view state is in the URL, so that every view can be sent to somebody.
// Entry: [place], [go], [href].

import { computed, signal } from '@preact/signals';

/** The part of the path before `/ui`: a reverse proxy may put the server below a folder. */
export const base = (() => {
  const at = typeof location === 'undefined' ? -1 : location.pathname.indexOf('/ui');
  return at > 0 ? location.pathname.slice(0, at) : '';
})();

export interface Place {
  /** Decoded segments behind `/ui/`. */
  path: string[];
  query: URLSearchParams;
}

export function parse(pathname: string, search: string): Place {
  const rest = pathname.slice(pathname.indexOf('/ui') + 3);
  const path = rest.split('/').filter(Boolean).map(decode);
  return { path, query: new URLSearchParams(search) };
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

export type Query = Record<string, string | number | undefined | null>;

/** A link inside of the console. Empty values are left out, names are sorted: one view has one URL. */
export function href(path: string[], query: Query = {}): string {
  const segments = path.map(encodeURIComponent).join('/');
  return `${base}/ui/${segments}${search(query)}`;
}

function search(query: Query): string {
  const pairs = Object.entries(query)
    .filter(([, value]) => value !== undefined && value !== null && value !== '')
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${encodeURIComponent(name)}=${readable(String(value))}`);
  return pairs.length ? `?${pairs.join('&')}` : '';
}

/** Commas, slashes and colons stay as they are: people read and type these URLs. */
function readable(value: string): string {
  return encodeURIComponent(value).replace(/%(2C|2F|3A|40)/g, decodeURIComponent);
}

const here = () => (typeof location === 'undefined' ? parse('/ui/', '') : parse(location.pathname, location.search));
export const place = signal<Place>(here());

/** The value of one parameter. */
export const param = (name: string): string => place.value.query.get(name) ?? '';

/** A parameter with several values, separated by commas. */
export const list = (name: string): string[] => param(name).split(',').filter(Boolean);

/** The detail that is open in the panel. */
export const opened = computed(() => param('open'));

export function go(to: string, how: 'push' | 'replace' = 'push'): void {
  const same = to === location.pathname + location.search;
  if (how === 'replace' || same) history.replaceState(history.state, '', to);
  else history.pushState(null, '', to);
  place.value = here();
}

/** The same place with other parameters; `open` and the like stay. */
export function withQuery(change: Query): string {
  const query: Query = Object.fromEntries(place.value.query);
  return href(place.value.path, { ...query, ...change });
}

/** Opens a detail beside the page; what was chosen in the last one is forgotten. On a page that shows one, its filters stay. */
export const openHref = (id: string | undefined): string => {
  const ofRun = place.value.path.length > 1 ? {} : { only: '', order: '', task: '', by: '' };
  return withQuery({ open: id, attempt: '', line: '', find: '', ...ofRun });
};

export const setQuery = (change: Query, how: 'push' | 'replace' = 'push'): void => go(withQuery(change), how);

/** Links are followed without loading the page again; clicks with a modifier are the browser's. */
export function followLinks(): void {
  addEventListener('popstate', () => {
    place.value = here();
  });
  document.addEventListener('click', (event) => {
    const link = (event.target as Element | null)?.closest('a');
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (!link || !isPlain || event.defaultPrevented || link.target || link.hasAttribute('download')) return;
    // A place in this page, as the link that skips the rail.
    if (link.getAttribute('href')?.startsWith('#')) return;
    const url = new URL(link.href, location.href);
    if (url.origin !== location.origin || !url.pathname.startsWith(`${base}/ui/`)) return;
    event.preventDefault();
    go(url.pathname + url.search);
  });
}
