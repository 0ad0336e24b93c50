// Times in the zone that the reader chose, with the zone shown; spans as people say them.

export type Zone = 'local' | 'utc';

const cache = new Map<string, Intl.DateTimeFormat>();

function formatter(zone: string | undefined, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${zone}|${JSON.stringify(options)}`;
  let found = cache.get(key);
  if (!found) {
    found = new Intl.DateTimeFormat('en-GB', { ...options, timeZone: zone, hourCycle: 'h23' });
    cache.set(key, found);
  }
  return found;
}

/** The IANA name for a choice; a name is taken as it is. */
export function zoneName(zone: Zone | string): string | undefined {
  if (zone === 'utc') return 'UTC';
  return zone === 'local' ? undefined : zone;
}

function parts(at: Date, zone: string | undefined): Record<string, string> {
  const options: Intl.DateTimeFormatOptions = {
    year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit',
  };
  return Object.fromEntries(formatter(zone, options).formatToParts(at).map((part) => [part.type, part.value]));
}

/** `2026-11-18`, the day in that zone. */
export function day(at: Date, zone: Zone | string): string {
  const p = parts(at, zoneName(zone));
  return `${p.year}-${p.month}-${p.day}`;
}

/** `03:00:07`. */
export function clock(at: Date, zone: Zone | string): string {
  const p = parts(at, zoneName(zone));
  return `${p.hour}:${p.minute}:${p.second}`;
}

/** Only the time if it is of today, `18 Nov 03:00` otherwise. */
export function short(at: Date, zone: Zone | string, now: Date): string {
  if (day(at, zone) === day(now, zone)) return clock(at, zone);
  const same = day(at, zone).slice(0, 4) === day(now, zone).slice(0, 4);
  const date = formatter(zoneName(zone), { day: 'numeric', month: 'short', ...(same ? {} : { year: 'numeric' }) });
  return `${date.format(at)} ${clock(at, zone).slice(0, 5)}`;
}

/** The whole instant with its zone, as a tooltip has it. */
export function full(at: Date, zone: Zone | string): string {
  const name = formatter(zoneName(zone), { timeZoneName: 'short' }).formatToParts(at);
  const shown = name.find((part) => part.type === 'timeZoneName')?.value ?? '';
  const millis = String(at.getUTCMilliseconds()).padStart(3, '0');
  return `${day(at, zone)} ${clock(at, zone)}.${millis} ${shown}`;
}

const UNITS: [number, string][] = [[86_400_000, 'd'], [3_600_000, 'h'], [60_000, 'm'], [1000, 's']];

/** `2m 13s`, `840ms`; two units at most. */
export function span(ms: number): string {
  if (!Number.isFinite(ms)) return '–';
  if (ms < 0) return `-${span(-ms)}`;
  if (ms < 1000) return `${Math.round(ms)}ms`;
  if (ms < 10_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)}s`;
  const at = UNITS.findIndex(([size]) => ms >= size);
  const [size, unit] = UNITS[at]!;
  const rest = UNITS[at + 1];
  const first = `${Math.floor(ms / size)}${unit}`;
  if (!rest) return first;
  const second = Math.floor((ms % size) / rest[0]);
  return second ? `${first} ${second}${rest[1]}` : first;
}

/** `3m ago`, `in 2h`. */
export function ago(at: Date, now: Date): string {
  const ms = now.getTime() - at.getTime();
  if (Math.abs(ms) < 1000) return 'now';
  const rough = span(Math.floor(Math.abs(ms) / 1000) * 1000).split(' ')[0]!.replace(/\.\d/, '');
  return ms > 0 ? `${rough} ago` : `in ${rough}`;
}

/** Minutes that the clock of a zone is ahead of UTC. */
export function offsetMinutes(at: Date, zone: string): number {
  const p = parts(at, zone);
  const local = Date.UTC(Number(p.year), Number(p.month) - 1, Number(p.day), Number(p.hour), Number(p.minute), Number(p.second));
  return Math.round((local - Math.floor(at.getTime() / 1000) * 1000) / 60_000);
}

/** When a day, `2026-11-18`, begins in a zone. */
export function dayStart(text: string, zone: Zone | string): Date {
  const name = zoneName(zone) ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  const utc = Date.parse(`${text}T00:00:00Z`);
  const near = utc - offsetMinutes(new Date(utc), name) * 60_000;
  return new Date(utc - offsetMinutes(new Date(near), name) * 60_000);
}

const DAY_MS = 86_400_000;

/** When the clock of a zone is changed within so many days, to the minute, and by how many minutes. */
export function clockChanges(zone: string, from: Date, days: number): { at: Date; by: number }[] {
  const found: { at: Date; by: number }[] = [];
  for (let day = 0; day < days; day++) {
    let [low, high] = [from.getTime() + day * DAY_MS, from.getTime() + (day + 1) * DAY_MS];
    const [before, after] = [offsetMinutes(new Date(low), zone), offsetMinutes(new Date(high), zone)];
    if (before === after) continue;
    while (high - low > 60_000) {
      const middle = (low + high) / 2;
      if (offsetMinutes(new Date(middle), zone) === before) low = middle;
      else high = middle;
    }
    found.push({ at: new Date(Math.floor(high / 60_000) * 60_000), by: after - before });
  }
  return found;
}
