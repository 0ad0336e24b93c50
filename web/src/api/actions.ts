// Everything the console changes. An action is a value: what it does in a sentence, the request, and the same as a
// command, so that the page can ask first and can show how to do it without a browser.

import { many, quoted } from '../format/text';
import { url, type Request_ } from './client';

export interface Action {
  /** On the button: one or two words. */
  name: string;
  /** What will happen, as a sentence. */
  effect: string;
  request: Request_;
  /** Arguments of `mainspring`. */
  command: string[];
  /** What the command reads. */
  input?: unknown;
  /** Who does it is compared with who may. */
  needsActor?: boolean;
  /** The page goes on to what was made, or away from what is gone. */
  leads?: boolean;
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
  if (action.request.method === 'DELETE' || action.request.method === 'PUT') {
    return { ...action, request: { ...action.request, params: { ...action.request.params, reason } }, command: [...action.command, '--reason', reason] };
  }
  const body = { ...(action.request.body as object | undefined), reason };
  return { ...action, request: { ...action.request, body }, command: [...action.command, '--reason', reason] };
}

/** A command may need a file on its standard input. */
export const asCommand = (action: Action): string => {
  const command = ['mainspring', ...action.command].map(quoted).join(' ');
  return action.input === undefined ? command : `echo ${quoted(JSON.stringify(action.input))} | ${command}`;
};

export function asCurl({ request }: Action, origin: string, actor = ''): string {
  const words = ['curl', '-sS', '-X', request.method, quoted(origin + url(request.path, request.params))];
  if (actor) words.push('-H', quoted(`mainspring-actor: ${actor}`));
  if (request.revision !== undefined) words.push('-H', quoted(`if-match: "${request.revision}"`));
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

export const cancelRun = (id: string, running = 0, waiting = 0): Action => ({
  name: 'Cancel', isHarmful: true, takesReason: true,
  effect: `Stops this run: ${many(running, 'task')} that ${running === 1 ? 'runs is' : 'run are'} stopped after the grace period, ${many(waiting, 'other')} will not start.`,
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

/** Without names everything that failed. Of a mapped task only the items that did not succeed, with `onlyFailed`. */
export function clearRun(id: string, failed: number, tasks: string[] = [], onlyFailed = false): Action {
  const named = tasks.map((name) => `\`${name}\``).join(', ');
  const what = tasks.length ? `${onlyFailed ? 'what failed of ' : ''}${named}` : failed ? many(failed, 'failed task') : 'all failed tasks';
  return {
    name: onlyFailed ? 'Clear failed items' : tasks.length ? 'Clear task' : 'Clear failed', takesReason: true,
    effect: `Runs ${what} again in this same run, and everything that follows from it. The rest is kept.`,
    request: post(`/v1/runs/${id}:clear`, { ...(tasks.length && { tasks }), ...(onlyFailed && { only_failed: true }) }),
    command: ['run', 'clear', id, ...tasks.flatMap((name) => ['--task', name]), ...(onlyFailed ? ['--only-failed'] : [])], done: message,
  };
}

export function rerunFromTask(id: string, task: string): Action {
  return {
    ...rerun(id, 'start'), name: 'Rerun from this task',
    effect: `Starts a new run with the same parameters that runs \`${task}\` and what follows from it, and takes over the rest.`,
    request: post(`/v1/runs/${id}:rerun`, { from: `task:${task}` }), command: ['run', 'rerun', id, '--from-task', task],
  };
}

/** With other values for some parameters. */
export function rerunWith(id: string, parameters: Record<string, unknown>): Action {
  return {
    ...rerun(id, 'start'), name: 'Rerun with these values',
    effect: `Starts a new run from the beginning${Object.keys(parameters).length ? `, with ${Object.keys(parameters).map((name) => `\`${name}\``).join(', ')} changed` : ' with the same parameters'}.`,
    request: post(`/v1/runs/${id}:rerun`, Object.keys(parameters).length ? { parameters } : {}), command: ['run', 'rerun', id, ...asParameters(parameters)],
  };
}

/** A task of a run that waits for the word of a person; one item of it if it is mapped. */
export function decide(id: string, { task, item }: { task: string; item?: number }, verb: 'approve' | 'reject'): Action {
  const which = item === undefined ? `\`${task}\`` : `item ${item} of \`${task}\``;
  return {
    name: verb === 'approve' ? 'Approve' : 'Reject', isHarmful: verb === 'reject', takesReason: true, needsActor: true,
    effect: verb === 'approve' ? `Approves ${which}: what follows from it can start.` : `Rejects ${which}: it fails, and what follows from it does not run.`,
    request: post(`/v1/runs/${id}:${verb}`, { task, ...(item !== undefined && { item }) }),
    command: ['run', verb, id, '--task', task, ...(item === undefined ? [] : ['--item', String(item)])], done: message,
  };
}

const asParameters = (parameters: Record<string, unknown>): string[] => Object.entries(parameters).flatMap(([name, value]) => [
  '-p', `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
]);

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

export interface StartWish {
  parameters: Record<string, unknown>;
  run_key?: string;
  logical_time?: string;
  priority?: string;
}

export function startJob(job: string, tenant: string, { parameters, ...wish }: StartWish): Action {
  const body: Record<string, unknown> = Object.fromEntries(Object.entries(wish).filter(([, value]) => value));
  if (Object.keys(parameters).length) body.parameters = parameters;
  const flags = Object.entries(wish).flatMap(([name, value]) => (value ? [`--${name.replace('_', '-')}`, value] : []));
  return {
    name: 'Start', leads: true, takesReason: true, effect: `Starts a run of \`${job}\`.`,
    request: post(`/v1/jobs/${segment(job)}:trigger`, body, { tenant }),
    command: ['job', 'trigger', job, ...ofTenant(tenant), ...asParameters(parameters), ...flags],
    done: (answer) => {
      const { run_id, duplicate } = answer as { run_id: string; duplicate: boolean };
      return { text: duplicate ? 'a run with this key was there' : 'a run was started', href: `/ui/runs/${run_id}` };
    },
  };
}

export const deleteJob = (job: string, tenant: string): Action => ({
  name: 'Delete job', leads: true, isHarmful: true, takesReason: true,
  effect: `Deletes \`${job}\` and its schedules: nothing of it starts any more. Its runs and versions stay, and what runs goes on.`,
  request: { method: 'DELETE', path: `/v1/jobs/${segment(job)}`, params: { tenant } },
  command: ['job', 'delete', job, ...ofTenant(tenant)], done: () => ({ text: 'the job is deleted', href: '/ui/jobs' }),
});

export interface AmendWish {
  priority?: string;
  scheduled_at?: string;
  payload?: unknown;
}

/** Of a task that has not started. */
export function amendTask(id: string, wish: AmendWish): Action {
  const { priority, scheduled_at: at, payload } = wish;
  const changes = [priority && `priority \`${priority}\``, at && `its time ${at}`, payload !== undefined && 'another payload'].filter(Boolean).join(', ');
  return {
    name: 'Change', takesReason: true, effect: `Gives this task ${changes}.`,
    request: { method: 'PATCH', path: `/v1/tasks/${id}`, body: wish },
    command: ['task', 'amend', id, ...(at ? ['--at', at] : []), ...(priority ? ['--priority', priority] : []), ...(payload === undefined ? [] : ['--payload', JSON.stringify(payload)])],
    done: message,
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

/** `revision` is that of what was seen, 0 for a new one: what somebody else has changed since is not overwritten. */
export const putSchedule = (job: string, name: string, tenant: string, schedule: Record<string, unknown>, revision: number): Action => ({
  name: 'Save', leads: true, takesReason: true, effect: `Stores the schedule \`${job}/${name}\`. What it has begun goes on.`,
  request: { method: 'PUT', path: `/v1/schedules/${segment(job)}/${segment(name)}`, params: { tenant }, body: schedule, revision },
  command: ['schedule', 'put', `${job}/${name}`, ...ofTenant(tenant), '-f', '-'], input: schedule, done: () => ({ text: 'the schedule is stored', href: `/ui/schedules/${segment(job)}/${segment(name)}` }),
});

export const deleteSchedule = (job: string, name: string, tenant: string): Action => ({
  name: 'Delete', leads: true, isHarmful: true, takesReason: true,
  effect: `Deletes the schedule \`${job}/${name}\`. What it began goes on, and its history stays.`,
  request: { method: 'DELETE', path: `/v1/schedules/${segment(job)}/${segment(name)}`, params: { tenant } },
  command: ['schedule', 'delete', `${job}/${name}`, ...ofTenant(tenant)], done: () => ({ text: 'the schedule is deleted', href: '/ui/schedules' }),
});

export interface BackfillWish {
  job: string;
  schedule: string;
  tenant: string;
  from: string;
  to: string;
  only: 'missing' | 'failed' | 'all';
  maxActive?: number;
  order?: 'oldest' | 'newest';
  dry: boolean;
}

export function backfill({ job, schedule, tenant, from, to, only, maxActive, order, dry }: BackfillWish): Action {
  return {
    name: dry ? 'Count' : 'Backfill', takesReason: true,
    effect: `Runs the ${only} windows of \`${job}/${schedule}\` from ${from} to before ${to}, at the lowest priority.`,
    request: post('/v1/backfills', { job, schedule, tenant, from, to, only, ...(maxActive && { max_active: maxActive }), ...(order && { order }), ...(dry ? { dry_run: true } : {}) }),
    command: ['backfill', job, '--schedule', schedule, '--from', from, '--to', to, '--only', only, ...(maxActive ? ['--max-active', String(maxActive)] : []), ...(order ? ['--order', order] : []),
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

/** Items of a mapped task: only they run again, with what follows from the task. */
export function clearItems(id: string, task: string, items: number[]): Action {
  const what = items.length === 1 ? `item ${items[0]}` : `these ${items.length} items`;
  return {
    name: items.length === 1 ? 'Clear item' : 'Clear items', takesReason: true,
    effect: `Runs ${what} of \`${task}\` again in this same run, and everything that follows from it. The other items are kept.`,
    request: post(`/v1/runs/${id}:clear`, { tasks: [task], items }), command: ['run', 'clear', id, '--task', task, '--items', items.join(',')], done: message,
  };
}

export const releaseRow = (row: string): Action => ({
  name: 'Release', isHarmful: true, takesReason: true, effect: `Reads the row \`${row}\` again as if it were sound. Restore it from a copy first.`,
  request: post(`/v1/store/quarantine/${segment(row)}:release`), command: ['store', 'release', row], done: message,
});
