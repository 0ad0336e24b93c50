// The pages: which part of the URL leads to which.

import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import * as lists from '../screens/lists';
import { Failure, Loading } from '../ui/basics';
import { ApiError } from '../api/client';
import { href } from '../url/route';

export interface PageRow {
  /** The first segment of the URL, and the icon. */
  path: string;
  title: string;
  icon: string;
  /** `g` and this letter go there. */
  key: string;
  /** Among the five of a phone. */
  isOnPhone?: boolean;
}

export const PAGES: PageRow[] = [
  { path: 'now', title: 'Now', icon: 'now', key: 'n', isOnPhone: true },
  { path: 'runs', title: 'Runs', icon: 'runs', key: 'r', isOnPhone: true },
  { path: 'jobs', title: 'Jobs', icon: 'jobs', key: 'j', isOnPhone: true },
  { path: 'schedules', title: 'Schedules', icon: 'schedules', key: 's' , isOnPhone: true },
  { path: 'tasks', title: 'Tasks', icon: 'tasks', key: 't' },
  { path: 'dead-letters', title: 'Dead letters', icon: 'dead', key: 'd' },
  { path: 'queues', title: 'Queues', icon: 'queues', key: 'q' },
  { path: 'workers', title: 'Workers', icon: 'workers', key: 'w' },
  { path: 'operations', title: 'Operations', icon: 'operations', key: 'o' },
  { path: 'system', title: 'System', icon: 'system', key: 'y' },
  { path: 'docs', title: 'Guides', icon: 'docs', key: 'h' },
];

type Screen = ComponentType<{ path: string[] }>;
type Loader = () => Promise<Screen>;

const details = () => import('../screens/details');

/** Those that show many come with the first load; those that show one when the first is looked at. */
const LISTS: Record<string, Screen> = {
  now: lists.Now, runs: lists.Runs, jobs: lists.Jobs, schedules: lists.Schedules, tasks: lists.Tasks, 'dead-letters': lists.DeadLetters,
  queues: lists.Queues, workers: lists.Workers, system: lists.System,
};
const DETAILS: Record<string, Loader> = {
  runs: () => details().then((all) => all.Run), jobs: () => details().then((all) => all.Job),
  schedules: () => details().then((all) => all.Schedule), tasks: () => details().then((all) => all.Task),
  workers: () => details().then((all) => all.Worker),
  docs: () => details().then((all) => all.Guides),
  operations: () => details().then((all) => all.Operations),
};

const loaded = new Map<Loader, Screen>();

/** Of a page that comes later. */
const loaderOf = (first: string, rest: string[]): Loader | undefined => (rest.length || !LISTS[first] ? DETAILS[first] : undefined);

/** Begins to load what `path` needs, before anything is drawn. */
export function preload([first = '', ...rest]: string[]): void {
  const loader = loaderOf(first, rest);
  // Whoever shows it says what is wrong.
  loader?.().then((screen) => loaded.set(loader, screen), () => undefined);
}

/** Shows what `path` names: `['runs', 'run_…']`. */
export function Screen({ path }: { path: string[] }) {
  const [first = 'now', ...rest] = path;
  const loader = loaderOf(first, rest);
  const [, redraw] = useState(0);
  const [error, setError] = useState<ApiError>();
  const Page = loader ? loaded.get(loader) : rest.length ? undefined : LISTS[first];
  useEffect(() => {
    // By what was drawn: it may have been loaded since.
    if (!loader || Page) return;
    let isGone = false;
    loader().then((screen) => {
      loaded.set(loader, screen);
      if (!isGone) redraw((count) => count + 1);
    }, () => setError(new ApiError('this page could not be loaded', 'PAGE', 'reload it: the server may have been updated', 0)));
    return () => {
      isGone = true;
    };
  }, [loader]);
  if (Page) return <Page key={path.join('/')} path={rest} />;
  if (!loader) return <NoSuchPage />;
  return error ? <Failure error={error} retry={() => location.reload()} /> : <Loading />;
}

function NoSuchPage() {
  return (
    <div class="empty">
      <h1>There is no such page</h1>
      <p>The address may be mistyped. <a href={href(['now'])}>What needs you now</a></p>
    </div>
  );
}
