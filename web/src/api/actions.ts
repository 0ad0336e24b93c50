// Everything the console changes. An action is a value: what it does in a sentence, the request, and the same as a
// command, so that the page can ask first and can show how to do it without a browser.

import { quoted } from '../format/text';
import { url, type Request_ } from './client';

export interface Action {
  /** On the button: one or two words. */
  name: string;
  /** What will happen, as a sentence. */
  effect: string;
  request: Request_;
  /** Arguments of `mainspring`. */
  command: string[];
  /** Asks in red, and the button is not the first one with focus. */
  isHarmful?: boolean;
  /** The server keeps a reason with it, by this flag of the command or none. */
  takesReason?: boolean;
  /** How many it touches, in words; asked for before the question can be answered. */
  count?: (signal: AbortSignal) => Promise<string>;
  /** What is shown when it is done. */
  done?: (answer: unknown) => { text: string; href?: string; isBad?: boolean };
}

/** The action with a reason, in the request and in the command. */
export function withReason(action: Action, reason: string): Action {
  if (!reason || !action.takesReason) return action;
  const body = { ...(action.request.body as object | undefined), reason };
  return { ...action, request: { ...action.request, body }, command: [...action.command, '--reason', reason] };
}

export const asCommand = (action: Action): string => ['mainspring', ...action.command].map(quoted).join(' ');

export function asCurl({ request }: Action, origin: string): string {
  const words = ['curl', '-sS', '-X', request.method, quoted(origin + url(request.path, request.params))];
  if (request.body !== undefined) {
    words.push('-H', quoted('content-type: application/json'), '-d', quoted(JSON.stringify(request.body)));
  }
  return words.join(' ');
}

const message = (answer: unknown) => ({ text: (answer as { message?: string }).message ?? 'done' });
const segment = encodeURIComponent;
const post = (path: string, body: unknown = {}, params?: Request_['params']): Request_ => ({
  method: 'POST', path, body, params,
});

export const cancelRun = (id: string): Action => ({
  name: 'Cancel', isHarmful: true, takesReason: true,
  effect: 'Stops this run: tasks that run are stopped after their grace period, the others do not start.',
  request: post(`/v1/runs/${id}:cancel`), command: ['run', 'cancel', id], done: message,
});

export const pauseRun = (id: string): Action => ({
  name: 'Pause', takesReason: true,
  effect: 'Starts no further task of this run until it is resumed. What runs goes on.',
  request: post(`/v1/runs/${id}:pause`), command: ['run', 'pause', id], done: message,
});

export const resumeRun = (id: string): Action => ({
  name: 'Resume', takesReason: true, effect: 'Lets this paused run go on.',
  request: post(`/v1/runs/${id}:resume`), command: ['run', 'resume', id], done: message,
});

export const reevaluateRun = (id: string): Action => ({
  name: 'Re-evaluate', takesReason: true, effect: 'Looks again at what can start in this run. Harmless at any time.',
  request: post(`/v1/runs/${id}:reevaluate`), command: ['run', 'reevaluate', id], done: message,
});

export function clearRun(id: string, failed: number, tasks: string[] = []): Action {
  const what = tasks.length ? tasks.map((name) => `\`${name}\``).join(', ') : `${failed || 'all'} failed`;
  return {
    name: tasks.length ? 'Clear task' : 'Clear failed', takesReason: true,
    effect: `Runs ${what} again in this same run, and everything that follows from it. The rest is kept.`,
    request: post(`/v1/runs/${id}:clear`, tasks.length ? { tasks } : {}),
    command: ['run', 'clear', id, ...tasks.flatMap((name) => ['--task', name])], done: message,
  };
}

export function rerun(id: string, from: 'start' | 'failure', newest = false): Action {
  const body: Record<string, unknown> = {};
  if (from === 'failure') body.from = 'failure';
  if (newest) body.version = 'newest';
  return {
    name: from === 'failure' ? 'Rerun from failure' : 'Rerun', takesReason: true,
    effect: from === 'failure'
      ? 'Starts a new run with the same parameters that takes over what succeeded and runs the rest.'
      : 'Starts a new run with the same parameters, from the beginning.',
    request: post(`/v1/runs/${id}:rerun`, body),
    command: ['run', 'rerun', id, ...(from === 'failure' ? ['--from-failure'] : []), ...(newest ? ['--newest'] : [])],
    done: (answer) => {
      const { run_id } = answer as { run_id: string };
      return { text: 'a new run was started', href: `/ui/runs/${run_id}` };
    },
  };
}

export const forceRun = (id: string, state: 'succeeded' | 'failed' | 'cancelled'): Action => ({
  name: `Force ${state}`, isHarmful: true, takesReason: true,
  effect: `Ends this run as ${state}, whatever its tasks do.`,
  request: post(`/v1/runs/${id}:force-state`, { state }), command: ['run', 'force', id, state], done: message,
});

export const cancelTask = (id: string, isRunning: boolean): Action => ({
  name: 'Cancel', isHarmful: true,
  effect: isRunning
    ? 'Stops this task: it gets its grace period, then it is killed.'
    : 'This task will not run.',
  request: post(`/v1/tasks/${id}:cancel`, {}, isRunning ? { force: true } : {}),
  command: ['task', 'cancel', id, ...(isRunning ? ['--force'] : [])], done: message,
});

export const retryTask = (id: string): Action => ({
  name: 'Retry', effect: 'Queues this task again with a fresh budget of retries.',
  request: post(`/v1/tasks/${id}:retry`), command: ['task', 'retry', id], done: message,
});

export const runTaskNow = (id: string): Action => ({
  name: 'Run now', effect: 'Queues this task at once instead of at its time or after its pause.',
  request: post(`/v1/tasks/${id}:run-now`), command: ['task', 'run-now', id], done: message,
});

export const forceTask = (id: string, state: 'succeeded' | 'failed' | 'skipped'): Action => ({
  name: `Force ${state}`, isHarmful: true, takesReason: true,
  effect: `Ends this task as ${state}. An attempt that runs is stopped and not believed any more.`,
  request: post(`/v1/tasks/${id}:force-state`, { state }), command: ['task', 'force', id, state], done: message,
});

export function startJob(job: string, tenant: string, parameters: Record<string, unknown>, runKey = ''): Action {
  const body: Record<string, unknown> = {};
  if (Object.keys(parameters).length) body.parameters = parameters;
  if (runKey) body.run_key = runKey;
  const flags = Object.entries(parameters).flatMap(([name, value]) => [
    '-p', `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  ]);
  return {
    name: 'Start', takesReason: true, effect: `Starts a run of \`${job}\`.`,
    request: post(`/v1/jobs/${segment(job)}:trigger`, body, { tenant }),
    command: ['job', 'trigger', job, ...ofTenant(tenant), ...flags, ...(runKey ? ['--run-key', runKey] : [])],
    done: (answer) => {
      const { run_id, duplicate } = answer as { run_id: string; duplicate: boolean };
      return { text: duplicate ? 'a run with this key was there' : 'a run was started', href: `/ui/runs/${run_id}` };
    },
  };
}

const ofTenant = (tenant: string) => (tenant && tenant !== 'default' ? ['--tenant', tenant] : []);

export const setJobPaused = (job: string, tenant: string, paused: boolean): Action => ({
  name: paused ? 'Pause job' : 'Resume job', takesReason: true,
  effect: paused
    ? `No run of \`${job}\` starts until it is resumed; runs wait. What runs goes on.`
    : `Runs of \`${job}\` start again; those that wait go first.`,
  request: post(`/v1/jobs/${segment(job)}:${paused ? 'pause' : 'resume'}`, {}, { tenant }),
  command: ['job', paused ? 'pause' : 'resume', job, ...ofTenant(tenant)], done: message,
});

export const setSchedulePaused = (job: string, name: string, tenant: string, paused: boolean): Action => ({
  name: paused ? 'Pause' : 'Resume', takesReason: true,
  effect: paused
    ? `Windows of \`${job}/${name}\` that come are noted as skipped until it is resumed.`
    : `Windows of \`${job}/${name}\` begin runs again.`,
  request: post(`/v1/schedules/${segment(job)}/${segment(name)}:${paused ? 'pause' : 'resume'}`, {}, { tenant }),
  command: ['schedule', paused ? 'pause' : 'resume', `${job}/${name}`, ...ofTenant(tenant)], done: message,
});

export interface BackfillWish {
  job: string;
  schedule: string;
  tenant: string;
  from: string;
  to: string;
  only: 'missing' | 'failed' | 'all';
  dry: boolean;
}

export function backfill({ job, schedule, tenant, from, to, only, dry }: BackfillWish): Action {
  return {
    name: dry ? 'Count' : 'Backfill', takesReason: true,
    effect: `Runs the ${only} windows of \`${job}/${schedule}\` from ${from} to before ${to}, at the lowest priority.`,
    request: post('/v1/backfills', { job, schedule, tenant, from, to, only, ...(dry ? { dry_run: true } : {}) }),
    command: ['backfill', job, '--schedule', schedule, '--from', from, '--to', to, '--only', only,
      ...ofTenant(tenant), ...(dry ? ['--dry-run'] : [])],
    done: () => ({ text: 'a backfill was started' }),
  };
}

export const changeBackfill = (id: string, verb: 'pause' | 'resume' | 'cancel'): Action => ({
  name: verb[0]!.toUpperCase() + verb.slice(1), takesReason: true, isHarmful: verb === 'cancel',
  effect: {
    pause: 'Begins no further window until it is resumed. What runs goes on.',
    resume: 'Lets this backfill go on.',
    cancel: 'Ends this backfill and cancels its runs that have not ended.',
  }[verb],
  request: post(`/v1/backfills/${segment(id)}:${verb}`), command: ['backfill', verb, id], done: message,
});

export function changeWorker(id: string, name: string, verb: 'cordon' | 'drain' | 'uncordon', running: number): Action {
  const effects = {
    cordon: `\`${name}\` gets nothing new. What it runs goes on (${running} now).`,
    drain: `\`${name}\` gets nothing new and becomes empty: ${running} running now.`,
    uncordon: `\`${name}\` gets work again.`,
  };
  return {
    name: verb[0]!.toUpperCase() + verb.slice(1), takesReason: true, effect: effects[verb],
    request: post(`/v1/workers/${segment(id)}:${verb}`), command: ['worker', verb, id],
    done: (answer) => ({ text: `${name} is ${(answer as { state: string }).state}` }),
  };
}

export function changeDeadLetters(ids: string[], verb: 'requeue' | 'discard'): Action {
  return deadLettersAction(ids.length === 1 ? 'this task' : `these ${ids.length} tasks`, verb, { ids }, ids);
}

/** All that went wrong in the same way; the server takes the newest 1,000 of a group at once. */
export function changeDeadLetterGroup(fingerprint: string, size: number, verb: 'requeue' | 'discard'): Action {
  const what = size > 1000 ? `the newest 1,000 of ${size} tasks of this group` : size === 1 ? 'the one task of this group' : `all ${size} tasks of this group`;
  return deadLettersAction(what, verb, { fingerprint }, ['--group', fingerprint]);
}

function deadLettersAction(what: string, verb: 'requeue' | 'discard', body: Record<string, unknown>, words: string[]): Action {
  return {
    name: verb === 'requeue' ? 'Requeue' : 'Discard', takesReason: true, isHarmful: verb === 'discard',
    effect: verb === 'requeue'
      ? `Queues ${what} again with a fresh budget of retries; one of a run with all that follows from it there.`
      : `Ends ${what} as skipped. History and attempts are kept.`,
    request: post(`/v1/dead-letters:${verb}`, body), command: ['dead-letter', verb, ...words],
    done: (answer) => {
      const { done, refused, results } = answer as { done: number; refused: number; results: { message?: string; error_code?: string }[] };
      const first = results.find((row) => row.error_code)?.message;
      return refused ? { text: `${done} done, ${refused} refused: ${first}`, isBad: true } : { text: `${done} done` };
    },
  };
}

const asFlags = (selector: Record<string, unknown>): string[] => Object.entries(selector).flatMap(([name, value]) => {
  if (name === 'all') return ['--all'];
  if (name === 'labels') return Object.entries(value as object).flatMap(([key, text]) => ['--label', `${key}=${text}`]);
  return [`--${name === 'task_type' ? 'type' : name}`, String(value)];
});

/** By filter, so that the number that it touches is not bounded by a page. */
export function cancelTasks(selector: Record<string, unknown>, shown: string, count?: Action['count']): Action {
  return {
    name: 'Cancel all', isHarmful: true, takesReason: true, count,
    effect: `Cancels ${shown}. Running tasks are left alone.`,
    request: post('/v1/tasks:cancel', selector), command: ['task', 'cancel', '--yes', ...asFlags(selector)],
    done: () => ({ text: 'the server cancels them now' }),
  };
}

/** All that have not ended, of what the selector names: a job, a label, a tenant. */
export function cancelRuns(selector: Record<string, unknown>, shown: string, count?: Action['count']): Action {
  return {
    name: 'Cancel all', isHarmful: true, takesReason: true, count,
    effect: `Cancels ${shown} that has not ended, also those that this page has not loaded. Tasks that run are stopped after their grace period.`,
    request: post('/v1/runs:cancel', selector), command: ['run', 'cancel', ...asFlags(selector)],
    done: (answer) => {
      const { state, handled } = answer as { state?: string; handled?: number };
      return { text: state === 'ended' && handled !== undefined ? `${handled} cancelled` : 'the server cancels them now' };
    },
  };
}

/** Items of a mapped task: only they run again, with what follows from the task. */
export function clearItems(id: string, task: string, items: number[]): Action {
  const what = items.length === 1 ? `item ${items[0]}` : `these ${items.length} items`;
  return {
    name: items.length === 1 ? 'Clear item' : 'Clear items', takesReason: true,
    effect: `Runs ${what} of \`${task}\` again in this same run, and everything that follows from it. The other items are kept.`,
    request: post(`/v1/runs/${id}:clear`, { tasks: [task], items }), command: ['run', 'clear', id, '--task', task, '--items', items.join(',')], done: message,
  };
}
