// Light, dark, or what the system says.

import { signal } from '@preact/signals';

export type Theme = 'auto' | 'light' | 'dark';
const THEMES: Theme[] = ['auto', 'light', 'dark'];

const read = (): Theme => {
  try {
    const found = localStorage.getItem('theme') as Theme;
    return THEMES.includes(found) ? found : 'auto';
  } catch {
    return 'auto';
  }
};

export const theme = signal<Theme>(read());

export function applyTheme(): void {
  document.documentElement.style.colorScheme = theme.value === 'auto' ? 'light dark' : theme.value;
  // What is drawn on a canvas has the colours of when it was drawn.
  dispatchEvent(new Event('themechange'));
}

export function nextTheme(): void {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length]!;
  try {
    localStorage.setItem('theme', theme.value);
  } catch {
    // Then it lasts until the page is loaded again.
  }
  applyTheme();
}

