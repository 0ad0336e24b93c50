// Everything the console reads, one function each.

import { get, send, text, type Params } from './client';
import { readGraph, type Drawn, type WireGraph } from '../graph/layout';
import {
  readRun, readTask, type Attention, type Backfill, type CronPreview, type Diagnosis, type DeadLetterGroups, type Grid, type Item, type Job, type LedgerPage, type LimitPage, type Operation, type Pool, type QuarantinedRow, type Readiness,
  type Run, type RunDiagnosis, type RunStates, type RunTask, type Schedule, type Series, type ScheduleWindow, type Stats, type System, type Task, type TaskChange, type Timeline, type Trigger,
  type UpcomingWindow, type Version, type VersionRow, type WaitingPage, type Worker,
} from './views';

export interface Page<T> {
  rows: T[];
  next?: string;
}

const segment = encodeURIComponent;

/** The most that one page of a list holds. */
export const PAGE = 200;
/** The most tasks that one answer about a run holds. */
const RUN_TASKS_MAX = 10_000;

export async function runs(filter: Params, cursor?: string, signal?: AbortSignal): Promise<Page<Run>> {
  const wire = await get<{ runs: never[]; next_cursor?: string }>('/v1/runs', { limit: PAGE, ...filter, cursor }, signal);
  return { rows: wire.runs.map(readRun), next: wire.next_cursor };
}

/** With all of its tasks, however many answers that takes. */
export async function run(id: string, signal?: AbortSignal): Promise<Run> {
  const ask = (tasks_offset: number) =>
    get<never>(`/v1/runs/${segment(id)}`, { tasks_offset: tasks_offset || undefined, tasks_limit: RUN_TASKS_MAX }, signal);
  const whole = readRun(await ask(0));
  while (whole.tasks && whole.tasks.length < whole.tasks_total) {
    const more = readRun(await ask(whole.tasks.length)).tasks ?? [];
    if (more.length === 0) break;
    whole.tasks.push(...more);
  }
  return whole;
}

/** Without its tasks. */
export const runHead = async (id: string, signal?: AbortSignal): Promise<Run> =>
  readRun(await get<never>(`/v1/runs/${segment(id)}`, { tasks_limit: 0 }, signal));

/** One task of a run, by its place in the graph. */
export const runTask = async (id: string, place: number): Promise<RunTask | undefined> =>
  readRun(await get<never>(`/v1/runs/${segment(id)}`, { tasks_offset: place || undefined, tasks_limit: 1 })).tasks?.[0];

export const runGraph = async (id: string, signal?: AbortSignal): Promise<Drawn> =>
  readGraph(await get<WireGraph>(`/v1/runs/${segment(id)}/graph`, {}, signal, 'default'));

export const runTimeline = (id: string, signal?: AbortSignal): Promise<Timeline> => get(`/v1/runs/${segment(id)}/timeline`, {}, signal);

export const runStates = (id: string, signal?: AbortSignal): Promise<RunStates> => get(`/v1/runs/${segment(id)}/states`, {}, signal);

export async function items(id: string, task: string, filter: Params, cursor?: string, signal?: AbortSignal): Promise<Page<Item>> {
  const wire = await get<{ items: Item[]; next_cursor?: string }>(
    `/v1/runs/${segment(id)}/tasks/${segment(task)}/items`, { limit: PAGE, ...filter, cursor }, signal);
  return { rows: wire.items, next: wire.next_cursor };
}

export const runDiagnosis = (id: string, signal?: AbortSignal): Promise<RunDiagnosis> =>
  get(`/v1/runs/${segment(id)}/diagnosis`, {}, signal);

export async function tasks(filter: Params, cursor?: string, signal?: AbortSignal): Promise<Page<Task>> {
  const wire = await get<{ tasks: never[]; next_cursor?: string }>('/v1/tasks', { limit: PAGE, ...filter, cursor }, signal);
  return { rows: wire.tasks.map(readTask), next: wire.next_cursor };
}

export const task = async (id: string, signal?: AbortSignal): Promise<Task> =>
  readTask(await get(`/v1/tasks/${segment(id)}`, {}, signal));

/** What happened to it, the oldest first. */
export const taskHistory = async (id: string, signal?: AbortSignal): Promise<TaskChange[]> =>
  (await get<{ changes: TaskChange[] }>(`/v1/tasks/${segment(id)}/history`, {}, signal)).changes;

export const taskDiagnosis = (id: string, signal?: AbortSignal): Promise<Diagnosis> =>
  get(`/v1/tasks/${segment(id)}/diagnosis`, {}, signal);

export async function deadLetters(filter: Params, cursor?: string, signal?: AbortSignal): Promise<Page<Task>> {
  const wire = await get<{ tasks: never[]; next_cursor?: string }>(
    '/v1/dead-letters', { limit: PAGE, ...filter, cursor }, signal);
  return { rows: wire.tasks.map(readTask), next: wire.next_cursor };
}

export const deadLetterGroups = (filter: Params, signal?: AbortSignal): Promise<DeadLetterGroups> =>
  get('/v1/dead-letters/groups', filter, signal);

export async function jobs(filter: Params, cursor?: string, signal?: AbortSignal): Promise<Page<Job>> {
  const wire = await get<{ jobs: Job[]; next_cursor?: string }>('/v1/jobs', { limit: PAGE, ...filter, cursor }, signal);
  return { rows: wire.jobs, next: wire.next_cursor };
}

export const job = (name: string, tenant: string, signal?: AbortSignal): Promise<Job> =>
  get(`/v1/jobs/${segment(name)}`, { tenant }, signal);

/** Versions never change, so a browser keeps their graphs; `created` tells servers apart. */
export const jobGraph = async (job: Job, signal?: AbortSignal): Promise<Drawn> => readGraph(await get<WireGraph>(
  `/v1/jobs/${segment(job.job)}/versions/${job.version}/graph`, { tenant: job.tenant, created: job.created_at }, signal, 'default'));

export const grid = (name: string, tenant: string, runs: number, signal?: AbortSignal): Promise<Grid> =>
  get(`/v1/jobs/${segment(name)}/grid`, { tenant, runs }, signal);

export const versions = async (name: string, tenant: string, signal?: AbortSignal): Promise<VersionRow[]> =>
  (await get<{ versions: VersionRow[] }>(`/v1/jobs/${segment(name)}/versions`, { tenant, limit: 50 }, signal)).versions;

export const version = (name: string, number: number, tenant: string, signal?: AbortSignal): Promise<Version> =>
  get(`/v1/jobs/${segment(name)}/versions/${number}`, { tenant }, signal);

export async function schedules(filter: Params, cursor?: string, signal?: AbortSignal): Promise<Page<Schedule>> {
  const wire = await get<{ schedules: Schedule[]; next_cursor?: string }>(
    '/v1/schedules', { limit: PAGE, ...filter, cursor }, signal);
  return { rows: wire.schedules, next: wire.next_cursor };
}

export const schedule = (job: string, name: string, tenant: string, signal?: AbortSignal): Promise<Schedule> =>
  get(`/v1/schedules/${segment(job)}/${segment(name)}`, { tenant }, signal);

export async function windows(
  job: string, name: string, params: Params, signal?: AbortSignal,
): Promise<Page<ScheduleWindow>> {
  const wire = await get<{ windows: ScheduleWindow[]; next_cursor?: string }>(
    `/v1/schedules/${segment(job)}/${segment(name)}/history`, params, signal);
  return { rows: wire.windows, next: wire.next_cursor };
}

/** What became of the windows of all schedules; the last 24 hours unless `from` and `to` say otherwise. */
export const ledger = (params: Params, signal?: AbortSignal): Promise<LedgerPage> => get('/v1/windows', params, signal);

export const upcoming = async (params: Params, signal?: AbortSignal): Promise<UpcomingWindow[]> =>
  (await get<{ windows: UpcomingWindow[] }>('/v1/schedules:upcoming', params, signal)).windows;

export const triggers = async (params: Params, signal?: AbortSignal): Promise<Trigger[]> =>
  (await get<{ triggers: Trigger[] }>('/v1/triggers', { limit: PAGE, ...params }, signal)).triggers;

export const backfills = async (params: Params, signal?: AbortSignal): Promise<Backfill[]> =>
  (await get<{ backfills: Backfill[] }>('/v1/backfills', { limit: PAGE, ...params }, signal)).backfills;

export async function operations(cursor?: string, signal?: AbortSignal): Promise<Page<Operation>> {
  const wire = await get<{ operations: Operation[]; next_cursor?: string }>('/v1/operations', { limit: PAGE, cursor }, signal);
  return { rows: wire.operations, next: wire.next_cursor };
}

/** When an expression fires, after an instant. */
export const cronPreview = (body: CronWish, signal?: AbortSignal): Promise<CronPreview> => send({ method: 'POST', path: '/v1/cron:preview', body }, '', signal);

export interface CronWish {
  expr: string;
  timezone?: string;
  count?: number;
  from?: string;
  dst?: { missing?: string; twice?: string };
}

export const workers = async (signal?: AbortSignal): Promise<Worker[]> =>
  (await get<{ workers: Worker[] }>('/v1/workers', {}, signal)).workers;

export const worker = (id: string, signal?: AbortSignal): Promise<Worker> =>
  get(`/v1/workers/${segment(id)}`, {}, signal);

export const pools = async (signal?: AbortSignal): Promise<Pool[]> =>
  (await get<{ pools: Pool[] }>('/v1/pools', {}, signal)).pools;

/** Those with the most waiting tasks first. */
export const limits = (signal?: AbortSignal): Promise<LimitPage> => get('/v1/limits', {}, signal);

/** What queued tasks wait for, and how fast each queue is worked off. */
export const waiting = (signal?: AbortSignal): Promise<WaitingPage> => get('/v1/waiting', {}, signal);

export const attention = (signal?: AbortSignal): Promise<Attention> => get('/v1/attention', {}, signal);

/** The newest `points` steps of `1s`, `10s` or `5m`. */
export const series = (step: string, points: number, signal?: AbortSignal): Promise<Series> => get('/v1/stats/series', { step, points }, signal);

export const stats = (signal?: AbortSignal): Promise<Stats> => get('/v1/stats', {}, signal);

export const system = (signal?: AbortSignal): Promise<System> => get('/v1/system', {}, signal);

/** All guides, in one file (`crates/console/build.rs`). */
export const guides = (signal?: AbortSignal): Promise<string> => text('/ui/assets/guides.txt', signal);

export const readiness = (signal?: AbortSignal): Promise<Readiness> => get('/readyz', {}, signal);

export const quarantinedRows = async (signal?: AbortSignal): Promise<QuarantinedRow[]> =>
  (await get<{ rows: QuarantinedRow[] }>('/v1/store/quarantine', {}, signal)).rows;
