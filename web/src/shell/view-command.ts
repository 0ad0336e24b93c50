// What is on screen as a command and as a request: for a script, or to send to somebody who has no browser.

import { url, type Params } from '../api/client';
import { quoted } from '../format/text';
import { sinceInstant } from '../ui/facets';
import type { Place } from '../url/route';

interface View {
  command: string[];
  path: string;
  params?: Params;
}

/** The filters of a list, by the name of the flag and of the parameter. */
const FLAGS: Record<string, [flag: string, param: string]> = {
  state: ['--state', 'state'], job: ['--job', 'job'], label: ['--label', 'label'], worker: ['--worker', 'worker'], tag: ['--tag', 'tag'], owner: ['--owner', 'owner'],
  trigger: ['--trigger', 'trigger'], tenant: ['--tenant', 'tenant'], pool: ['--pool', 'pool'],
};

const LISTS: Record<string, { command: string[]; path: string; takes: string[] }> = {
  now: { command: ['attention'], path: '/v1/attention', takes: [] },
  runs: { command: ['run', 'list'], path: '/v1/runs', takes: ['state', 'job', 'label', 'trigger', 'tenant'] },
  tasks: { command: ['task', 'list'], path: '/v1/tasks', takes: ['state', 'job', 'label', 'worker', 'tenant'] },
  jobs: { command: ['job', 'list'], path: '/v1/jobs', takes: ['tag', 'owner', 'tenant'] },
  schedules: { command: ['schedule', 'list'], path: '/v1/schedules', takes: ['job', 'tenant'] },
  'dead-letters': { command: ['dead-letter', 'list'], path: '/v1/dead-letters', takes: ['job', 'label', 'tenant'] },
  queues: { command: ['pool', 'list'], path: '/v1/waiting', takes: [] },
  workers: { command: ['worker', 'list'], path: '/v1/workers', takes: ['state', 'pool'] },
  operations: { command: ['operation', 'list'], path: '/v1/operations', takes: [] },
  system: { command: ['system'], path: '/v1/system', takes: [] },
};

const ONE: Record<string, (segments: string[]) => View> = {
  runs: ([id = '']) => ({ command: ['run', 'get', id], path: `/v1/runs/${id}` }),
  tasks: ([id = '']) => ({ command: ['task', 'get', id], path: `/v1/tasks/${id}` }),
  jobs: ([name = '']) => ({ command: ['job', 'get', name], path: `/v1/jobs/${encodeURIComponent(name)}` }),
  schedules: ([job = '', name = '']) => ({ command: ['schedule', 'get', `${job}/${name}`], path: `/v1/schedules/${encodeURIComponent(job)}/${encodeURIComponent(name)}` }),
  workers: ([id = '']) => ({ command: ['worker', 'get', id], path: `/v1/workers/${id}` }),
};

/** Nothing where there is no such command: the guides. */
export function viewOf({ path: [first = 'now', ...rest], query }: Place, now: number): View | undefined {
  if (rest.length) return ONE[first]?.(rest);
  const list = LISTS[first];
  if (!list) return undefined;
  const given = list.takes.filter((name) => query.get(name));
  const since = /^(runs|tasks)$/.test(first) ? query.get('since') ?? '' : '';
  const params: Params = Object.fromEntries(given.map((name) => [FLAGS[name]![1], query.get(name)]));
  return {
    command: [...list.command, ...given.flatMap((name) => [FLAGS[name]![0], query.get(name)!]), ...(since ? ['--since', since] : [])],
    path: list.path, params: { ...params, created_from: sinceInstant(since, now) },
  };
}

export const viewAsCommand = ({ command }: View): string => ['mainspring', ...command].map(quoted).join(' ');

export const viewAsCurl = ({ path, params }: View, origin: string): string => `curl -sS ${quoted(origin + url(path, params))}`;
