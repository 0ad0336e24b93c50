// One verb for everything that matches a selector, whatever is on the page. The server counts first, then works it off as an
// operation that can be watched and ended.

import { count, many } from '../format/text';
import type { Action } from './actions';
import { send, type Request_ } from './client';
import type { Operation } from './views';

export type Verb = 'cancel_tasks' | 'run_tasks_now' | 'set_task_priority' | 'retry_tasks' | 'discard_tasks' | 'cancel_runs' | 'pause_runs' | 'resume_runs' | 'retry_runs'
  | 'pause_jobs' | 'resume_jobs' | 'pause_schedules' | 'resume_schedules' | 'cordon_workers' | 'drain_workers' | 'uncordon_workers';

export interface Selector {
  tenant?: string;
  job?: string;
  pool?: string;
  labels?: Record<string, string>;
  state?: string[];
  fingerprint?: string;
  trigger?: string;
  tag?: string;
  owner?: string;
  since?: string;
  all?: boolean;
  force?: boolean;
  priority?: string;
}

const FLAGS: Partial<Record<keyof Selector, string>> = { fingerprint: 'group' };

/** As flags of `mainspring operation begin`. */
export const asFlags = (selector: Selector): string[] => Object.entries(selector).flatMap(([name, value]) => {
  if (value === true) return [`--${name}`];
  if (name === 'labels') return Object.entries(value as object).flatMap(([key, text]) => ['--label', `${key}=${text}`]);
  return [`--${FLAGS[name as keyof Selector] ?? name}`, String(value)];
});

/** `all` where nothing else is named: the server refuses an empty selector. */
export function whole({ force, priority, ...named }: Selector): Selector {
  const kept = Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined && value !== '' && !(typeof value === 'object' && !Object.keys(value).length))) as Selector;
  const isNamed = Object.keys(kept).length > 0;
  return { ...kept, ...(isNamed ? {} : { all: true }), ...(force && { force }), ...(priority && { priority }) };
}

const EFFECTS: Record<Verb, string> = {
  cancel_tasks: 'Cancels', run_tasks_now: 'Starts now', set_task_priority: 'Changes the priority of', retry_tasks: 'Queues again, with a fresh budget of retries,',
  discard_tasks: 'Takes off the list, as skipped,', cancel_runs: 'Cancels', pause_runs: 'Starts no further task of', resume_runs: 'Lets go on', retry_runs: 'Runs again what failed of',
  pause_jobs: 'Starts no run, until it is resumed, of', resume_jobs: 'Lets runs start again of', pause_schedules: 'Skips windows, until it is resumed, of',
  resume_schedules: 'Lets windows begin runs again of', cordon_workers: 'Gives nothing new to', drain_workers: 'Gives nothing new to, until it is empty,', uncordon_workers: 'Gives work again to',
};

/** What a verb acts on: `task`, `run`, `job`, `schedule`, `worker`. */
export const nounOf = (verb: string): string => /task|run|job|schedule|worker/.exec(verb.replace('run_tasks', 'tasks'))?.[0] ?? 'row';

/** `cancel_tasks` → `cancel tasks`. */
export const verbText = (verb: string): string => verb.replaceAll('_', ' ');

export function bulk(name: string, verb: Verb, wanted: Selector, shown: string): Action {
  const selector = whole(wanted);
  const request: Request_ = { method: 'POST', path: '/v1/operations', body: { verb, ...selector } };
  const isHarmful = /^(cancel|discard|drain)/.test(verb);
  return {
    name, isHarmful, takesReason: true, request,
    effect: `${EFFECTS[verb]} every ${nounOf(verb)} ${shown}, also those that this page has not loaded. What comes later is not touched.`,
    command: ['operation', 'begin', verb, ...asFlags(selector), '--yes'],
    count: async (signal) => counted(verb, await send<Operation>({ ...request, body: { verb, ...selector, dry_run: true } }, '', signal)),
    done: (answer) => {
      const { operation_id: id, state, handled } = answer as Operation;
      return { text: state === 'ended' ? `${many(handled, nounOf(verb))} done` : 'the server works it off', href: `/ui/operations?operation=${id}` };
    },
  };
}

export const counted = (verb: string, { total = 0, more }: Pick<Operation, 'total' | 'more'>): string =>
  (more ? `At least ${count(total)} ${nounOf(verb)}s` : many(total, nounOf(verb)));

export const cancelOperation = (id: number): Action => ({
  name: 'End', isHarmful: true, takesReason: true, effect: 'Ends this operation before it is through. What it did stays done.',
  request: { method: 'POST', path: `/v1/operations/${id}:cancel`, body: {} }, command: ['operation', 'cancel', String(id)],
  done: () => ({ text: 'it was ended' }),
});

/** `team=ops` as labels; nothing where the filter is none that the server takes. */
export function labelsOf(text: string): Record<string, string> | undefined {
  if (!text) return {};
  const at = text.indexOf('=');
  return at > 0 ? { [text.slice(0, at)]: text.slice(at + 1) } : undefined;
}

/** What else the selector names, in words. */
export function of({ job, pool, tenant, labels = {}, trigger, since, tag, owner }: Selector): string {
  const label = Object.entries(labels).map(([key, text]) => ` with \`${key}=${text}\``).join('');
  return [
    job && ` of \`${job}\``, pool && ` of pool \`${pool}\``, tenant && ` of tenant \`${tenant}\``, label, tag && ` with tag \`${tag}\``, owner && ` of owner \`${owner}\``,
    trigger && ` that began by ${trigger}`, since && ` made since ${since}`,
  ].filter(Boolean).join('');
}
