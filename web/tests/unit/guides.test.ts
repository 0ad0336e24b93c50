import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { inline, parseMarkdown, plain, slug, type Block, type Inline } from '../../src/format/markdown';
import { readAll, search, target } from '../../src/screens/guides';

const docs = join(process.cwd(), '../docs');

/** As `crates/console/build.rs` has them. */
const whole = (folder: string, prefix: string): string => readdirSync(folder, { withFileTypes: true }).map((entry) =>
  (entry.isDirectory() ? whole(join(folder, entry.name), `${prefix}${entry.name}/`)
    : entry.name.endsWith('.md') ? `\u001e${prefix}${entry.name}\n${readFileSync(join(folder, entry.name), 'utf8')}` : '')).join('');

const guides = readAll(whole(docs, ''));

const linksOf = (parts: Inline[]): string[] => parts.flatMap((part) => (typeof part === 'string' || part.kind === 'code' ? [] : [...(part.kind === 'link' ? [part.to] : []), ...linksOf(part.parts)]));
const partsOf = (block: Block): Inline[] => {
  switch (block.kind) {
    case 'list': return block.items.flat().flatMap(partsOf);
    case 'table': return [...block.head, ...block.rows.flat()].flat();
    case 'quote': return block.blocks.flatMap(partsOf);
    case 'code': return [];
    default: return block.parts;
  }
};

test('blocks of a page', () => {
  const page = parseMarkdown('# One *way*\n\ntext `a|b`\nmore\n\n- first\n  goes on\n  - inner\n- second\n\n1. one\n\n```sh\nrun # not a heading\n```\n\n| a | b |\n|---|--:|\n| `x\\|y` | **z** |\n\n> said\n\n<!-- hidden -->\n![picture](images/x.png)\n');
  assert.deepEqual(page.map(({ kind }) => kind), ['heading', 'paragraph', 'list', 'list', 'code', 'table', 'quote']);
  const [heading, paragraph, list, , code, table] = page as [Extract<Block, { kind: 'heading' }>, Extract<Block, { kind: 'paragraph' }>, Extract<Block, { kind: 'list' }>, Block, Extract<Block, { kind: 'code' }>, Extract<Block, { kind: 'table' }>];
  assert.deepEqual([heading.level, heading.id], [1, 'one-way']);
  assert.deepEqual(paragraph.parts, ['text ', { kind: 'code', text: 'a|b' }, ' more']);
  assert.deepEqual(list.items.map((item) => item.map(({ kind }) => kind)), [['paragraph', 'list'], ['paragraph']]);
  assert.deepEqual([code.language, code.text], ['sh', 'run # not a heading']);
  assert.deepEqual(table.rows, [[[{ kind: 'code', text: 'x|y' }], [{ kind: 'strong', parts: ['z'] }]]]);
});

test('markup of HTML is text, and so is what only looks like a span', () => {
  assert.deepEqual(inline('<img src=x onerror=alert(1)> 2 * 3 * 4, snake_case'), ['<img src=x onerror=alert(1)> 2 * 3 * 4, snake_case']);
  assert.deepEqual(inline('[a](javascript:alert(1))').map((part) => (typeof part === 'string' ? part : target(guides, 'tasks', (part as { to: string }).to))), [undefined, ')'], 'leads nowhere');
  assert.equal(slug('One API, `two` edges'), 'one-api-two-edges');
});

test('every page of docs is read, and every link between pages leads somewhere', () => {
  assert.ok(guides.size > 80, String(guides.size));
  const headings = new Map([...guides].map(([path, { text }]) => [path, new Set(parseMarkdown(text).flatMap((block) => (block.kind === 'heading' ? [block.id] : [])))]));
  for (const [path, { text, title }] of guides) {
    assert.ok(title && title !== path, `${path} has a title`);
    const blocks = parseMarkdown(text);
    for (const link of blocks.flatMap((block) => linksOf(partsOf(block)))) {
      const to = target(guides, path, link);
      if (!link.replace(/#.*/, '').endsWith('.md') && !link.startsWith('#')) continue;
      if (link.startsWith('../') && !path.includes('/')) continue;
      assert.ok(to && 'path' in to, `${path}: ${link}`);
      if (to.at) assert.ok(headings.get(to.path)?.has(to.at), `${path}: ${link} names no heading`);
    }
    const rest = blocks.flatMap(partsOf).filter((part): part is string => typeof part === 'string').join('\n');
    assert.doesNotMatch(rest, /\]\(|\*\*/, `${path}: what was not understood`);
    assert.ok(plain(blocks.flatMap(partsOf)).length > 0);
  }
});

test('pages are found by their words', () => {
  const found = (words: string) => search(guides, words).map(({ guide }) => guide.path);
  assert.equal(found('queue_full')[0], 'errors/QUEUE_FULL');
  assert.ok(found('dead letters').includes('tasks') || found('dead letters').includes('operations'));
  assert.deepEqual(found('zzz-not-there'), []);
  assert.deepEqual(found('  '), []);
});
