// What the pages see. Types come from the OpenAPI document; states are in one spelling (`state.ts`).

import type { components } from '../../types/schema';
import { countsOf, stateOf, type State } from './state';

type S = components['schemas'];
/** Either name of the field, until all servers have one. */
type Wire = { state?: string; status?: string };
type Stated<T> = Omit<T, 'state' | 'status'> & { state: State };

export type Attempt = S['Attempt'];
export type TaskError = S['TaskError'];
export type Task = Stated<S['Task']>;
export interface Items {
  count: number;
  succeeded: number;
  failed: number;
  live: number;
}
export type RunTask = Omit<Stated<S['RunTask']>, 'items'> & { items?: Items };
export type Run = Omit<Stated<S['Run']>, 'tasks' | 'counts'> & {
  tasks?: RunTask[];
  counts: Partial<Record<State, number>>;
};
export type LastRun = Stated<S['LastRun']>;
export type JobState = 'active' | 'paused' | 'deleted';
export type Job = Omit<S['Job'], 'state' | 'last_run' | 'definition'> & {
  state: JobState;
  last_run?: LastRun;
  definition?: Definition;
};
export type Schedule = S['Schedule'];
export type ScheduleWindow = S['ScheduleWindow'];
export type UpcomingWindow = S['UpcomingWindow'];
export type Trigger = S['Trigger'];
export type Worker = S['Worker'];
export type Pool = S['Pool'];
export type Stats = S['Stats'];
export type Backfill = S['Backfill'];
export type BackfillPlan = S['BackfillPlan'];
export type Note = S['Note'];
export type VersionRow = S['VersionRow'];
export type Version = S['Version'];
export type Readiness = S['Readiness'];
export type QuarantinedRow = S['QuarantinedRow'];
export type CronPreview = S['CronPreview'];
export type Diagnosis = Stated<S['Diagnosis']>;
export type Upstream = Stated<S['Upstream']>;
export type RunTaskDiagnosis = Omit<Stated<S['RunTaskDiagnosis']>, 'task' | 'waits_for'> & {
  task?: Diagnosis;
  waits_for?: Upstream[];
};
export type RunDiagnosis = Omit<Stated<S['RunDiagnosis']>, 'tasks'> & { tasks: RunTaskDiagnosis[] };

/** As much of a job file as the console reads. */
export interface Definition {
  description?: string;
  owner?: string;
  tags?: string[];
  parameters?: Record<string, unknown>;
  tasks?: Record<string, DefinedTask>;
  [name: string]: unknown;
}

export interface DefinedTask {
  needs?: string | string[];
  for_each?: unknown;
  [name: string]: unknown;
}

function stated<T extends Wire>(wire: T): Omit<T, 'state' | 'status'> & { state: State } {
  const { status, ...rest } = wire;
  return { ...rest, state: stateOf(wire.state ?? status) } as Omit<T, 'state' | 'status'> & { state: State };
}

export const readTask = (wire: S['Task']): Task => stated(wire as S['Task'] & Wire) as Task;

export function readRun(wire: S['Run']): Run {
  const run = stated(wire) as unknown as Run;
  // What holds a run that runs is a field of its own.
  if (run.state === 'running' && wire.stopping) run.state = 'stopping';
  else if (run.state === 'running' && wire.paused) run.state = 'paused';
  run.counts = countsOf(wire.counts);
  run.tasks = wire.tasks?.map((task) => ({ ...stated(task), items: task.items && readItems(task.items) }) as RunTask);
  return run;
}

const readItems = (wire: Omit<Items, 'live'> & { live?: number; running?: number }): Items =>
  ({ count: wire.count, succeeded: wire.succeeded, failed: wire.failed, live: wire.live ?? wire.running ?? 0 });

export function readJob(wire: S['Job']): Job {
  const last_run = wire.last_run && (stated(wire.last_run) as LastRun);
  return { ...wire, state: String(wire.state).toLowerCase() as JobState, last_run } as Job;
}

export const readDiagnosis = (wire: S['Diagnosis']): Diagnosis => stated(wire as S['Diagnosis'] & Wire) as Diagnosis;

export function readRunDiagnosis(wire: S['RunDiagnosis']): RunDiagnosis {
  const tasks = wire.tasks.map((row) => ({
    ...stated(row),
    task: row.task && readDiagnosis(row.task),
    waits_for: row.waits_for?.map((up) => stated(up) as Upstream),
  }));
  return { ...stated(wire), tasks } as RunDiagnosis;
}
