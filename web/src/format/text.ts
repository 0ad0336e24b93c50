// Numbers, ids and sizes for people.

const numbers = new Intl.NumberFormat('en-GB');

/** `12,345`. */
export const count = (value: number): string => numbers.format(value);

/** `1 task`, `12 tasks`. */
export const many = (value: number, one: string, more = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : more}`;

/** The end of an id tells ids of the same minute apart; the beginning is the time. */
export function shortId(id: string): string {
  const [kind, rest] = id.includes('_') ? [id.slice(0, id.indexOf('_') + 1), id.slice(id.indexOf('_') + 1)] : ['', id];
  return rest.length > 12 ? `${kind}…${rest.slice(-8)}` : id;
}

const SIZES = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

export function bytes(value: number): string {
  let at = 0;
  while (value >= 1024 && at < SIZES.length - 1) {
    value /= 1024;
    at++;
  }
  return `${value >= 10 || at === 0 ? Math.round(value) : value.toFixed(1)} ${SIZES[at]}`;
}

/** One argument of a shell command. */
export function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** What a link of foreign text may lead to. */
export function isWebLink(text: string): boolean {
  try {
    const { protocol } = new URL(text);
    return protocol === 'http:' || protocol === 'https:';
  } catch {
    return false;
  }
}

/** Rows by what `key` says of each, in the order in which they come. */
export function grouped<T>(rows: T[], key: (row: T) => string): Map<string, T[]> {
  const found = new Map<string, T[]>();
  for (const row of rows) {
    const name = key(row);
    const group = found.get(name);
    if (group) group.push(row);
    else found.set(name, [row]);
  }
  return found;
}
