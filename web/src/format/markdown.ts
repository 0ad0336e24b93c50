// The Markdown that the guides are written in, as a tree: headings, paragraphs, lists, tables, code, quotes, links.
// Markup of HTML is none of it: it stays text. Pictures are left out.

export type Inline =
  | string
  | { kind: 'code'; text: string }
  | { kind: 'strong' | 'em'; parts: Inline[] }
  | { kind: 'link'; to: string; parts: Inline[] };

export type Block =
  | { kind: 'heading'; level: number; id: string; parts: Inline[] }
  | { kind: 'paragraph'; parts: Inline[] }
  | { kind: 'code'; language: string; text: string }
  | { kind: 'list'; isNumbered: boolean; items: Block[][] }
  | { kind: 'table'; head: Inline[][]; rows: Inline[][][] }
  | { kind: 'quote'; blocks: Block[] };

const FENCE = /^\s*(```+|~~~+)\s*([\w-]*)/;
const HEADING = /^(#{1,6})\s+(.*?)\s*#*$/;
const ITEM = /^(\s*)([-*+]|\d+[.)])\s+/;
const RULER = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;

/** As it is in an address: `One API, two edges` → `one-api-two-edges`. */
export const slug = (text: string): string =>
  text.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '').trim().replace(/\s/g, '-');

export function plain(parts: Inline[]): string {
  return parts.map((part) => (typeof part === 'string' ? part : part.kind === 'code' ? part.text : plain(part.parts))).join('');
}

export function parseMarkdown(text: string): Block[] {
  return blocks(text.replace(/<!--[^]*?-->/g, '').split('\n'));
}

/** Takes blocks from the front of `lines` until there are none. */
function blocks(lines: string[]): Block[] {
  const found: Block[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at]!;
    const fence = FENCE.exec(line);
    const heading = HEADING.exec(line);
    if (!line.trim()) at++;
    else if (fence) {
      const end = lines.findIndex((other, index) => index > at && other.trim().startsWith(fence[1]!));
      const last = end < 0 ? lines.length : end;
      const indent = line.length - line.trimStart().length;
      found.push({ kind: 'code', language: fence[2]!, text: lines.slice(at + 1, last).map((one) => outdented(one, indent)).join('\n') });
      at = last + 1;
    } else if (heading) {
      const parts = inline(heading[2]!);
      found.push({ kind: 'heading', level: heading[1]!.length, id: slug(plain(parts)), parts });
      at++;
    } else if (line.includes('|') && RULER.test(lines[at + 1] ?? '') && lines[at + 1]!.includes('|')) {
      const end = lines.findIndex((other, index) => index > at && !other.includes('|'));
      const last = end < 0 ? lines.length : end;
      found.push({ kind: 'table', head: cells(line), rows: lines.slice(at + 2, last).map(cells) });
      at = last;
    } else if (ITEM.test(line)) at = list(lines, at, found);
    else if (line.startsWith('>')) {
      const last = until(lines, at, (other) => !other.startsWith('>'));
      found.push({ kind: 'quote', blocks: blocks(lines.slice(at, last).map((one) => one.replace(/^>\s?/, ''))) });
      at = last;
    } else {
      const last = until(lines, at, (other) => !other.trim() || FENCE.test(other) || HEADING.test(other) || ITEM.test(other));
      const parts = inline(lines.slice(at, last).map((one) => one.trim()).join(' '));
      if (plain(parts).trim()) found.push({ kind: 'paragraph', parts });
      at = last;
    }
  }
  return found;
}

function until(lines: string[], from: number, isEnd: (line: string) => boolean): number {
  const end = lines.findIndex((line, index) => index > from && isEnd(line));
  return end < 0 ? lines.length : end;
}

const outdented = (line: string, indent: number): string => line.slice(Math.min(indent, line.length - line.trimStart().length));

/** What is indented below an item belongs to it. Gives where the next block begins. */
function list(lines: string[], from: number, found: Block[]): number {
  const first = ITEM.exec(lines[from]!)!;
  const items: Block[][] = [];
  let at = from;
  while (at < lines.length) {
    const item = ITEM.exec(lines[at]!);
    if (!item || item[1]!.length !== first[1]!.length || /\d/.test(item[2]!) !== /\d/.test(first[2]!)) break;
    const indent = item[0].length;
    const own = [lines[at]!.slice(indent)];
    for (at++; at < lines.length; at++) {
      const line = lines[at]!;
      const isInside = line.search(/\S/) > first[1]!.length;
      const isBlankInside = !line.trim() && (lines[at + 1] ?? '').search(/\S/) > first[1]!.length;
      // A line that goes on without being indented, as long as no blank line is before it.
      const isLazy = line.trim() && !ITEM.test(line) && !HEADING.test(line) && !FENCE.test(line) && lines[at - 1]!.trim();
      if (!isInside && !isBlankInside && !isLazy) break;
      own.push(outdented(line, indent));
    }
    items.push(blocks(own));
    if (!lines[at]?.trim() && ITEM.exec(lines[at + 1] ?? '')?.[1]?.length === first[1]!.length) at++;
  }
  found.push({ kind: 'list', isNumbered: /\d/.test(first[2]!), items });
  return at;
}

function cells(line: string): Inline[][] {
  const inner = line.trim().replace(/^\|/, '').replace(/(?<!\\)\|$/, '');
  // A bar in code is a bar only if it is escaped: as GitHub has it.
  return inner.split(/(?<!\\)\|/).map((cell) => inline(cell.trim().replaceAll('\\|', '|')));
}

const SPANS: [RegExp, (found: RegExpExecArray) => Inline][] = [
  [/^(`+)(.+?)\1(?!`)/, (found) => ({ kind: 'code', text: found[2]!.replace(/^ (.*`.*) $/, '$1') })],
  [/^!\[[^\]]*\]\([^)]*\)/, () => ''],
  [/^\[((?:`[^`]*`|[^\]`])*)\]\(([^)\s]+)\)/, (found) => ({ kind: 'link', to: found[2]!, parts: inline(found[1]!) })],
  [/^\*\*(?=\S)(.+?)\*\*/, (found) => ({ kind: 'strong', parts: inline(found[1]!) })],
  [/^\*(?=[^\s*])((?:`[^`]*`|[^*`])+?)\*(?!\*)/, (found) => ({ kind: 'em', parts: inline(found[1]!) })],
  [/^\\([\\`*_{}[\]()#+.!|<>-])/, (found) => found[1]!],
];

/** Parts of a line; neighbouring text is one part. */
export function inline(text: string): Inline[] {
  const parts: Inline[] = [];
  let [at, plainFrom] = [0, 0];
  const flush = () => plainFrom < at && parts.push(text.slice(plainFrom, at));
  while (at < text.length) {
    const rest = /[`!*[\\]/.test(text[at]!) ? text.slice(at) : '';
    const span = rest && SPANS.map(([pattern, make]) => [pattern.exec(rest), make] as const).find(([found]) => found);
    if (!span) {
      at++;
      continue;
    }
    flush();
    const part = span[1](span[0]!);
    if (part !== '') parts.push(part);
    at += span[0]![0].length;
    plainFrom = at;
  }
  flush();
  return parts;
}
