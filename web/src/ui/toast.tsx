// Short messages about what was done. They leave by themselves and are read out to who cannot see them.

import { signal } from '@preact/signals';

export interface Toast {
  text: string;
  href?: string;
  isBad?: boolean;
}

const shown = signal<(Toast & { key: number })[]>([]);
let next = 0;
const STAY_MS = 6000;

export function tell(toast: Toast): void {
  const key = next++;
  shown.value = [...shown.value.slice(-3), { ...toast, key }];
  setTimeout(() => {
    shown.value = shown.value.filter((other) => other.key !== key);
  }, STAY_MS);
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {shown.value.map(({ key, text, href, isBad }) => (
        <div class={isBad ? 'toast bad' : 'toast'} key={key}>
          {text} {href && <a href={href}>Open it</a>}
        </div>
      ))}
    </div>
  );
}
