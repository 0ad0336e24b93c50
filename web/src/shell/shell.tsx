// The frame around every page: rail, bar, panel, and what can lie above them.

import { useEffect, useRef, useState } from 'preact/hooks';
import { needsToken } from '../api/client';
import { href, opened, place, setQuery, withQuery } from '../url/route';
import { Confirm } from '../ui/act';
import { now, preferZone, zone } from '../ui/basics';
import { Icon, Mark } from '../ui/icons';
import { Toasts } from '../ui/toast';
import { status } from '../live/live';
import { span } from '../format/time';
import { Help, Palette } from './palette';
import { paletteOpen } from './keys';
import { PAGES, Screen } from './pages';
import { nextTheme, theme } from './theme';
import { TokenDialog } from './token';

export function Shell() {
  const path = place.value.path.length ? place.value.path : ['now'];
  return (
    <div class={opened.value ? 'shell with-panel' : 'shell'}>
      <a class="skip" href="#page">Skip to the page</a>
      <Rail at={path[0]!} />
      <TopBar path={path} />
      <main id="page" tabIndex={-1}><Screen path={path} /></main>
      {opened.value && <Panel id={opened.value} />}
      <Confirm />
      <Palette />
      <Help />
      {needsToken.value && <TokenDialog />}
      <Toasts />
    </div>
  );
}

function Rail({ at }: { at: string }) {
  return (
    <nav class="rail" aria-label="Pages">
      <a class="brand" href={href(['now'])} aria-label="Mainspring"><Mark /><span>Mainspring</span></a>
      {PAGES.map((page) => (
        <a key={page.path} href={href([page.path])} class={page.isOnPhone ? '' : 'wide-only'} aria-current={page.path === at ? 'page' : undefined}>
          <Icon name={page.icon} /><span>{page.title}</span>
        </a>
      ))}
      <button type="button" class="phone-only" onClick={() => (paletteOpen.value = true)}><Icon name="more" /><span>More</span></button>
    </nav>
  );
}

function TopBar({ path }: { path: string[] }) {
  const page = PAGES.find((row) => row.path === path[0]);
  const isUtc = zone() === 'utc';
  const other = isUtc ? 'local' : 'utc';
  return (
    <header class="top">
      <nav class="crumbs" aria-label="You are here">
        <a href={href([path[0]!])}>{page?.title ?? path[0]}</a>
        {path.length > 1 && <span aria-current="page">{path.slice(1).join('/')}</span>}
      </nav>
      <button type="button" class="find" onClick={() => (paletteOpen.value = true)}>
        <Icon name="search" /><span>Find or do…</span><kbd>Ctrl K</kbd>
      </button>
      <button type="button" class="quiet-button" title="Time zone" aria-label={`${isUtc ? 'UTC' : localZone()}: change the time zone`}
        onClick={() => { preferZone(other); setQuery({ tz: place.value.query.has('tz') ? other : '' }, 'replace'); }}>
        {isUtc ? 'UTC' : localZone()}
      </button>
      <button type="button" class="quiet-button" aria-label={`Colours: ${theme.value}; change`} title={`Colours: ${theme.value}`} onClick={nextTheme}>
        <Icon name={{ auto: 'auto', light: 'sun', dark: 'moon' }[theme.value]} />
      </button>
      <Live />
    </header>
  );
}

const localZone = (): string =>
  new Intl.DateTimeFormat('en-GB', { timeZoneName: 'short' }).formatToParts(new Date()).find((part) => part.type === 'timeZoneName')?.value ?? 'local';

function Live() {
  const { now: state, since } = status.value;
  if (state === 'live') return <span class="live on" role="status" title="Changes arrive as they happen"><i />live</span>;
  const waited = span(Math.max(0, now.value.getTime() - since)).replace(/\.\d/, '');
  if (state === 'connecting') return <span class="live" role="status"><i />connecting</span>;
  const text = `not live for ${waited}`;
  return <span class="live off" role="status" title="What is shown may be old; this page tries again by itself"><i />{text}</span>;
}

/** The detail of a row, beside the list. Its own address is one click away. */
function Panel({ id }: { id: string }) {
  const frame = useRef<HTMLElement>(null);
  const isAlone = useNarrow();
  useEffect(() => frame.current?.focus(), [id]);
  const path = panelPath(id);
  return (
    <section class="panel" role={isAlone ? 'main' : 'complementary'} aria-label="Detail" ref={frame} tabIndex={-1}>
      <header>
        <a href={href(path)} title="Open as a page" aria-label="Open as a page"><Icon name="expand" /></a>
        <a href={withQuery({ open: '' })} title="Close (Esc)" aria-label="Close"><Icon name="close" /></a>
      </header>
      <div class="panel-body" tabIndex={0} role="region" aria-label="Detail text"><Screen path={path} /></div>
    </section>
  );
}

/** There the panel takes the place of the page. */
function useNarrow(): boolean {
  const query = matchMedia('(max-width: 1000px)');
  const [isNarrow, set] = useState(query.matches);
  useEffect(() => {
    const hear = () => set(query.matches);
    query.addEventListener('change', hear);
    return () => query.removeEventListener('change', hear);
  }, []);
  return isNarrow;
}

/** `run_…`, `task_…`, a worker's id, or `schedule:job/name`. */
function panelPath(id: string): string[] {
  if (id.startsWith('run_')) return ['runs', id];
  if (id.startsWith('task_')) return ['tasks', id];
  if (id.startsWith('job:')) return ['jobs', id.slice('job:'.length)];
  if (id.startsWith('schedule:')) return ['schedules', ...id.slice('schedule:'.length).split('/')];
  return ['workers', id];
}
