// What changed between two texts, line by line, with three lines around each change.

export interface DiffLine {
  sign: ' ' | '+' | '-';
  text: string;
}

/** Beyond this many cells the table of the comparison would be too large, and everything counts as changed. */
const CELLS_MAX = 4_000_000;
const AROUND = 3;

export function difference(before: string, after: string): DiffLine[] {
  const [a, b] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const changed = middle(a.slice(start, a.length - end), b.slice(start, b.length - end));
  const same = (lines: string[]): DiffLine[] => lines.map((text) => ({ sign: ' ', text }));
  return near([...same(a.slice(0, start)), ...changed, ...same(a.slice(a.length - end))]);
}

/** Longest common subsequence. */
function middle(a: string[], b: string[]): DiffLine[] {
  const minus = (text: string): DiffLine => ({ sign: '-', text });
  const plus = (text: string): DiffLine => ({ sign: '+', text });
  if (a.length * b.length > CELLS_MAX) return [...a.map(minus), ...b.map(plus)];
  const width = b.length + 1;
  const most = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      most[i * width + j] = a[i] === b[j]
        ? most[(i + 1) * width + j + 1]! + 1
        : Math.max(most[(i + 1) * width + j]!, most[i * width + j + 1]!);
    }
  }
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      lines.push({ sign: ' ', text: a[i]! });
      i++;
      j++;
    } else if (most[(i + 1) * width + j]! >= most[i * width + j + 1]!) lines.push(minus(a[i++]!));
    else lines.push(plus(b[j++]!));
  }
  return [...lines, ...a.slice(i).map(minus), ...b.slice(j).map(plus)];
}

function near(lines: DiffLine[]): DiffLine[] {
  const keep = new Set<number>();
  lines.forEach((line, at) => {
    if (line.sign === ' ') return;
    for (let by = -AROUND; by <= AROUND; by++) keep.add(at + by);
  });
  const shown: DiffLine[] = [];
  lines.forEach((line, at) => {
    if (keep.has(at)) shown.push(line);
    else if (keep.has(at - 1) && shown.length) shown.push({ sign: ' ', text: '…' });
  });
  return shown;
}
