// The guides of `docs/`, as the server has them embedded: read, followed, searched. All of them are one file, which is loaded
// when the first is looked at.

import { useEffect, useMemo, useRef } from 'preact/hooks';
import { guides as readGuides } from '../api/reads';
import { parseMarkdown, plain, slug, type Block, type Inline } from '../format/markdown';
import { useQuery } from '../live/query';
import { href, param, setQuery } from '../url/route';
import { Empty, Failure, Loading, copyText, useTitle } from '../ui/basics';
import { Icon } from '../ui/icons';

/** By path without its ending, as `errors/QUEUE_FULL`. */
export type Guides = Map<string, Guide>;

export interface Guide {
  path: string;
  title: string;
  text: string;
}

const FIRST: string[] = ['concepts', 'job-files', 'workflows', 'schedules', 'events', 'tasks', 'workers', 'logs', 'console', 'cli', 'operations', 'configuration', 'security', 'metrics', 'limits', 'coming-from-cron', 'coming-from-airflow', 'performance', 'api', 'grpc', 'cli-reference'];
const FOUND_MAX = 40;

/** `text` holds all guides: each behind a line with a separator and its path. */
export function readAll(text: string): Guides {
  const pages = text.split('\u001e').slice(1).map((page): [string, Guide] => {
    const end = page.indexOf('\n');
    const path = page.slice(0, end).replace(/\.md$/, '');
    const body = page.slice(end + 1);
    return [path, { path, title: /^# (.*)$/m.exec(body)?.[1]?.replaceAll('`', '') ?? path, text: body }];
  });
  return new Map(pages);
}

/** Where a link of a page leads: a page and a place in it, or something outside. Nothing for what is not in the console. */
export function target(guides: Guides, from: string, to: string): { path: string; at: string } | { outside: string } | undefined {
  if (/^https?:\/\//.test(to)) return { outside: to };
  const [file = '', at = ''] = to.split('#');
  if (!file) return { path: from, at };
  const parts = from.split('/').slice(0, -1);
  for (const part of file.split('/')) {
    if (part === '..') parts.pop();
    else if (part && part !== '.') parts.push(part);
  }
  const path = parts.join('/').replace(/\.md$/, '');
  // A folder: its list of pages.
  if (file.endsWith('/') && [...guides.keys()].some((key) => key.startsWith(`${path}/`))) return { path: '', at: path };
  return guides.has(path) ? { path, at } : undefined;
}

export interface Hit {
  guide: Guide;
  heading: string;
  line: string;
}

/** Pages in which all words are, or words that begin so; those with a title that has them first; with the line that has the most of them. */
export function search(guides: Guides, wanted: string): Hit[] {
  const words = wanted.split(/\s+/).filter(Boolean).map((word) => new RegExp(`(?<![\\p{L}\\p{N}])${word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`, 'iu'));
  if (!words.length) return [];
  const count = (text: string) => words.filter((word) => word.test(text)).length;
  const hits: (Hit & { rank: number })[] = [];
  for (const guide of guides.values()) {
    if (count(guide.text) < words.length && count(guide.title + guide.path) < words.length) continue;
    let [best, heading, line, at] = [0, '', '', ''];
    for (const one of guide.text.split('\n')) {
      if (/^#+ /.test(one)) at = one.replace(/^#+ /, '');
      const here = count(one) * 2 + (/^#/.test(one) ? 1 : 0);
      if (here > best) [best, heading, line] = [here, at, one];
    }
    hits.push({ guide, heading, line: line.replace(/[`*#|]/g, '').trim().slice(0, 200), rank: 10 * count(guide.title + guide.path) + best });
  }
  return hits.sort((a, b) => b.rank - a.rank).slice(0, FOUND_MAX);
}

export default function GuidesPage({ path }: { path: string[] }) {
  const query = useQuery('guides', async (signal) => readAll(await readGuides(signal)));
  const guides = query.data.value;
  const name = path.join('/');
  const guide = guides?.get(name);
  useTitle(guide?.title ?? 'Guides');
  if (!guides) return query.error.value ? <Failure error={query.error.value} retry={query.refresh} /> : <Loading rows={12} />;
  if (name && !guide) return <Empty title="There is no such guide"><a href={href(['docs'])}>All guides</a></Empty>;
  return (
    <div class="guides">
      <div class="filters">
        <input type="search" aria-label="Search the guides" placeholder="Search the guides" value={param('q')} onInput={(event) => setQuery({ q: event.currentTarget.value, at: '' }, 'replace')} />
        {name && <a href={href(['docs'])}>All guides</a>}
      </div>
      {param('q') ? <Found guides={guides} /> : guide ? <Page guides={guides} guide={guide} /> : <Contents guides={guides} />}
    </div>
  );
}

const pageHref = (path: string, at = ''): string => href(['docs', ...path.split('/').filter(Boolean)], { at });

function Found({ guides }: { guides: Guides }) {
  const hits = search(guides, param('q'));
  return (
    <>
    <h1 class="sr">Guides with these words</h1>
    {hits.length === 0 && <Empty title="No guide has all of these words" />}
    <ul class="found" aria-label="Found">
      {hits.map(({ guide, heading, line }) => (
        <li key={guide.path}><a href={pageHref(guide.path, heading ? slug(plainText(heading)) : '')}>{guide.title}{heading && heading !== guide.title && ` › ${plainText(heading)}`}</a><p>{line}</p></li>
      ))}
    </ul>
    </>
  );
}

const plainText = (text: string): string => text.replaceAll('`', '');

function Contents({ guides }: { guides: Guides }) {
  const all = [...guides.values()];
  const top = all.filter(({ path }) => !path.includes('/'));
  const rank = ({ path }: Guide) => (FIRST.includes(path) ? FIRST.indexOf(path) : FIRST.length);
  const groups: [string, string, Guide[]][] = [
    ['guides', 'Guides', top.toSorted((a, b) => rank(a) - rank(b))],
    ['errors', 'Error codes', all.filter(({ path }) => path.startsWith('errors/'))],
    ['decisions', 'Decisions', all.filter(({ path }) => path.startsWith('decisions/'))],
  ];
  useScrolled();
  return (
    <>
      <h1>Guides</h1>
      {groups.map(([id, title, pages]) => (
        <section class="section" key={id}>
          <h2 id={id}>{title}</h2>
          <ul class="contents">{pages.map((guide) => <li key={guide.path}><a href={pageHref(guide.path)}>{guide.title}</a></li>)}</ul>
        </section>
      ))}
    </>
  );
}

/** To the place that the address names. */
function useScrolled(key = '') {
  const at = param('at');
  useEffect(() => {
    if (at) document.getElementById(at)?.scrollIntoView();
  }, [at, key]);
}

function Page({ guides, guide }: { guides: Guides; guide: Guide }) {
  const blocks = useMemo(() => parseMarkdown(guide.text), [guide]);
  const frame = useRef<HTMLElement>(null);
  useScrolled(guide.path);
  const inside = blocks.flatMap((block) => (block.kind === 'heading' && block.level === 2 ? [block] : []));
  return (
    <article class="guide" ref={frame}>
      {blocks.map((block, at) => (
        <>
          <Piece key={at} block={block} guides={guides} from={guide.path} />
          {at === 0 && inside.length > 3 && <nav class="inside" aria-label="On this page">{inside.map(({ id, parts }) => <a key={id} href={pageHref(guide.path, id)}>{plain(parts)}</a>)}</nav>}
        </>
      ))}
    </article>
  );
}

interface PieceOf {
  guides: Guides;
  from: string;
}

function Piece({ block, ...of }: { block: Block } & PieceOf) {
  switch (block.kind) {
    case 'heading': {
      const Tag = `h${Math.min(block.level, 4)}` as 'h2';
      return <Tag id={block.id}><Text parts={block.parts} {...of} /></Tag>;
    }
    case 'paragraph':
      return <p><Text parts={block.parts} {...of} /></p>;
    case 'code':
      return (
        <div class="snippet">
          <pre tabIndex={0}><code>{block.text}</code></pre>
          <button type="button" class="mini" aria-label="Copy this code" title="Copy" onClick={() => void copyText(block.text, 'code')}><Icon name="copy" size={14} /></button>
        </div>
      );
    case 'list': {
      const Tag = block.isNumbered ? 'ol' : 'ul';
      return <Tag>{block.items.map((item, at) => <li key={at}>{item.map((one, index) => (one.kind === 'paragraph' && index === 0 ? <Text key={index} parts={one.parts} {...of} /> : <Piece key={index} block={one} {...of} />))}</li>)}</Tag>;
    }
    case 'table':
      return (
        <div class="scroll-x" tabIndex={0}><table class="plain">
          <thead><tr>{block.head.map((cell, at) => <th key={at}><Text parts={cell} {...of} /></th>)}</tr></thead>
          <tbody>{block.rows.map((row, at) => <tr key={at}>{row.map((cell, index) => <td key={index}><Text parts={cell} {...of} /></td>)}</tr>)}</tbody>
        </table></div>
      );
    case 'quote':
      return <blockquote>{block.blocks.map((one, at) => <Piece key={at} block={one} {...of} />)}</blockquote>;
  }
}

function Text({ parts, ...of }: { parts: Inline[] } & PieceOf) {
  return <>{parts.map((part, at) => <Part key={at} part={part} {...of} />)}</>;
}

function Part({ part, guides, from }: { part: Inline } & PieceOf) {
  if (typeof part === 'string') return <>{part}</>;
  if (part.kind === 'code') return <code>{part.text}</code>;
  const text = <Text parts={part.parts} guides={guides} from={from} />;
  if (part.kind !== 'link') return part.kind === 'strong' ? <strong>{text}</strong> : <em>{text}</em>;
  const to = target(guides, from, part.to);
  if (!to) return text;
  if ('outside' in to) return <a href={to.outside} rel="noopener noreferrer" target="_blank">{text}</a>;
  return <a href={pageHref(to.path, to.at)}>{text}</a>;
}
