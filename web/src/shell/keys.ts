// The keyboard: `j` `k` along rows, `g` and a letter to a page, `/` to the filter, `?` for help, Ctrl-K for the palette.

import { signal } from '@preact/signals';
import { go, href, opened, setQuery } from '../url/route';
import { PAGES } from './pages';

export const paletteOpen = signal(false);
export const helpOpen = signal(false);

const SEQUENCE_MS = 1200;
let pending = 0;

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

export function startKeys(): void {
  addEventListener('keydown', (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
      event.preventDefault();
      paletteOpen.value = true;
      return;
    }
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (!isPlain || isTyping(event.target) || document.querySelector('dialog[open]')) return;
    if (press(event.key)) event.preventDefault();
  });
}

function press(key: string): boolean {
  if (Date.now() < pending) {
    pending = 0;
    const page = PAGES.find((row) => row.key === key);
    if (page) go(href([page.path]));
    return Boolean(page);
  }
  switch (key) {
    case 'g':
      pending = Date.now() + SEQUENCE_MS;
      return true;
    case 'j':
      return step(1);
    case 'k':
      return step(-1);
    case 'x':
      return toggle();
    case '/':
      return focusFilter();
    case '?':
      helpOpen.value = true;
      return true;
    case 'Escape':
      if (!opened.value) return false;
      setQuery({ open: '' });
      return true;
    default:
      return false;
  }
}

function step(by: number): boolean {
  const rows = [...document.querySelectorAll<HTMLElement>('main .row-link')];
  if (!rows.length) return false;
  const at = rows.indexOf(document.activeElement as HTMLElement);
  const next = rows[Math.min(rows.length - 1, Math.max(0, at < 0 ? 0 : at + by))];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
  return true;
}

function toggle(): boolean {
  const box = document.activeElement?.closest('[role=row]')?.querySelector<HTMLInputElement>('input[type=checkbox]');
  box?.click();
  return Boolean(box);
}

function focusFilter(): boolean {
  const filter = document.querySelector<HTMLInputElement>('main [data-filter]');
  if (filter) filter.focus();
  else paletteOpen.value = true;
  return true;
}
