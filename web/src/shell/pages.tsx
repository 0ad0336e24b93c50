// The pages: which part of the URL leads to which, each loaded when it is first looked at.

import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Failure, Loading } from '../ui/basics';
import { ApiError } from '../api/client';

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
  { path: 'system', title: 'System', icon: 'system', key: 'y' },
];

type Screen = ComponentType<{ path: string[] }>;
type Loader = () => Promise<Screen>;

const lists = () => import('../screens/lists');
const details = () => import('../screens/details');

const LOADERS: Record<string, [list: Loader, one?: Loader]> = {
  now: [() => lists().then((all) => all.Now)],
  runs: [() => lists().then((all) => all.Runs), () => details().then((all) => all.Run)],
  jobs: [() => lists().then((all) => all.Jobs), () => details().then((all) => all.Job)],
  schedules: [() => lists().then((all) => all.Schedules), () => details().then((all) => all.Schedule)],
  tasks: [() => lists().then((all) => all.Tasks), () => details().then((all) => all.Task)],
  'dead-letters': [() => lists().then((all) => all.DeadLetters)],
  queues: [() => lists().then((all) => all.Queues)],
  workers: [() => lists().then((all) => all.Workers), () => details().then((all) => all.Worker)],
  system: [() => lists().then((all) => all.System)],
};

const loaded = new Map<Loader, Screen>();

/** Shows what `path` names: `['runs', 'run_…']`. */
export function Screen({ path }: { path: string[] }) {
  const [first = 'now', ...rest] = path;
  const pair = LOADERS[first];
  const loader = pair && (rest.length ? pair[1] : pair[0]);
  const [, redraw] = useState(0);
  const [error, setError] = useState<ApiError>();
  useEffect(() => {
    if (!loader || loaded.has(loader)) return;
    let isGone = false;
    loader().then((screen) => {
      loaded.set(loader, screen);
      if (!isGone) redraw((count) => count + 1);
    }, () => setError(new ApiError('this page could not be loaded', 'PAGE', 'reload it: the server may have been updated', 0)));
    return () => {
      isGone = true;
    };
  }, [loader]);
  if (!loader) return <NoSuchPage />;
  if (error) return <Failure error={error} retry={() => location.reload()} />;
  const Page = loaded.get(loader);
  return Page ? <Page key={path.join('/')} path={rest} /> : <Loading />;
}

function NoSuchPage() {
  return (
    <div class="empty">
      <h1>There is no such page</h1>
      <p>The address may be mistyped. <a href="/ui/now">What needs you now</a></p>
    </div>
  );
}
