// What the pages see. Types come from the OpenAPI document.

import type { components } from '../../types/schema';
import type { State } from './state';

type S = components['schemas'];
type Stated<T> = Omit<T, 'state'> & { state: State };

export type Attempt = S['Attempt'];
export type TaskError = S['TaskError'];
export type Task = Stated<S['Task']>;
export type Items = S['Items'];
export type Item = Stated<S['Item']>;
export type RunTask = Stated<S['RunTask']>;
export type Run = Omit<Stated<S['Run']>, 'tasks' | 'counts'> & {
  tasks?: RunTask[];
  counts: Partial<Record<State, number>>;
};
export type LastRun = Stated<S['LastRun']>;
export type JobState = 'active' | 'paused' | 'deleted';
export type Job = Omit<S['Job'], 'state' | 'last_run' | 'definition' | 'recent'> & {
  state: JobState;
  last_run?: LastRun;
  definition?: Definition;
  recent?: Recent;
};
export type Schedule = S['Schedule'];
export type ScheduleWindow = S['ScheduleWindow'];
export type LedgerWindow = S['LedgerWindow'];
export type LedgerPage = S['LedgerPage'];
export type System = S['System'];
export type UpcomingWindow = S['UpcomingWindow'];
export type Trigger = S['Trigger'];
export type Worker = S['Worker'];
export type Pool = S['Pool'];
export type NamedLimit = S['Limit'];
export type LimitPage = S['LimitPage'];
export type DeadLetterGroup = S['DeadLetterGroup'];
export type DeadLetterGroups = S['DeadLetterGroups'];
export type Stats = S['Stats'];
/** Queued tasks that wait for the same. */
export type Waiting = S['Waiting'];
export type QueueRow = S['Queue'];
export type WaitingPage = S['WaitingPage'];
export type RecentRun = Stated<S['RecentRun']>;
export type Recent = Omit<S['RecentRuns'], 'runs'> & { runs: RecentRun[] };
/** Where the time of a run went. */
export type Timeline = Omit<S['Timeline'], 'tasks'> & { tasks: TaskTimes[] };
export type TaskTimes = Stated<S['TaskTimes']>;
export type TimeSpan = S['TimeSpan'];
export type TaskChange = Stated<S['TaskHistoryChange']>;
export type Operation = S['Operation'];
export type Approval = S['Approval'];
export type Backfill = S['Backfill'];
export type BackfillPlan = S['BackfillPlan'];
export type Note = S['Note'];
export type VersionRow = S['VersionRow'];
export type Version = S['Version'];
export type Readiness = S['Readiness'];
export type QuarantinedRow = S['QuarantinedRow'];
export type CronPreview = S['CronPreview'];
export type Attention = S['Attention'];
export type Finding = S['Finding'];
export type RunStates = S['RunStates'];
export type Grid = S['Grid'];
export type Series = S['Series'];
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

/** The words of the server are those of this console. */
export const readTask = (wire: S['Task']): Task => wire as Task;

export function readRun(wire: S['Run']): Run {
  const run = { ...wire } as Run;
  // What holds a run that runs is a field of its own.
  if (run.state === 'running' && wire.stopping) run.state = 'stopping';
  else if (run.state === 'running' && wire.paused) run.state = 'paused';
  return run;
}
