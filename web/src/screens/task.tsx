// One task: why it is as it is, its attempts, its output, what it was given.

import { amendTask, clearItems, cancelTask, changeDeadLetters, clearRun, forceTask, rerunFromTask, retryTask, runTaskNow, type Action, type AmendWish } from '../api/actions';
import { useState } from 'preact/hooks';
import { hasEnded, isBad, type State } from '../api/state';
import { task as readTask, taskDiagnosis, taskHistory } from '../api/reads';
import type { Task, TaskChange } from '../api/views';
import { useQuery } from '../live/query';
import { detailHref } from '../ui/basics';
import { href, param, setQuery } from '../url/route';
import { Act, MoreActions, ask } from '../ui/act';
import { Facts, Failure, Id, Loading, Said, Section, StateBadge, Time, Took, useTitle } from '../ui/basics';
import { many } from '../format/text';
import { Json } from '../ui/json';
import { Log } from '../ui/log';
import { Plain, type PlainColumn } from '../ui/plain';
import { Stale } from '../ui/stale';
import { sentence, title, tone } from './words';

export default function TaskPage({ path: [id = ''] }: { path: string[] }) {
  const query = useQuery(`task ${id}`, (signal) => readTask(id, signal), { touched: (change) => change.id === id, isSoft: true });
  const task = query.data.value;
  useTitle(task ? `${title(task)} ${task.state}` : 'Task');
  if (!task) return query.error.value ? <Failure error={query.error.value} retry={query.refresh} /> : <Loading />;
  return (
    <>
      {query.error.value && <Stale at={query.at.value} error={query.error.value} />}
      <Head task={task} />
      <Why task={task} />
      <Attempts task={task} />
      <Section title="Payload"><Json name="payload" value={task.payload} /></Section>
      {CHANGEABLE.has(task.state) && <Section title="Change it before it starts"><Amend task={task} /></Section>}
      {task.output !== undefined && <Section title="Output"><Json name="output" value={task.output} /></Section>}
      <Section title="Settings"><Settings task={task} /></Section>
      <Section title="History"><History task={task} /></Section>
    </>
  );
}

function Head({ task }: { task: Task }) {
  const [first, ...rest] = actions(task);
  return (
    <div class="head">
      <h1>{title(task).slice(0, 120)}</h1>
      <span class="acts">{first && <Act action={first} />}<MoreActions id={task.task_id} actions={rest} /></span>
      <div class="sub">
        <StateBadge state={task.state} note={task.cancel_requested && !hasEnded(task.state) ? '(is being stopped)' : undefined} />
        <Id id={task.task_id} />
        <span>created <Time at={task.created_at} /></span>
        {task.started_at && <span>took <Took from={task.started_at} to={task.ended_at} /></span>}
        {task.run_id && <a href={href(['runs', task.run_id])}>its run</a>}
        {task.worker && <a href={href(['workers', task.worker])}>its worker</a>}
      </div>
    </div>
  );
}

function actions(task: Task): Action[] {
  const id = task.task_id;
  if (hasEnded(task.state)) return task.run_id ? againInRun(task, task.run_id) : isBad(task.state) ? [changeDeadLetters([id], 'requeue'), changeDeadLetters([id], 'discard')] : task.state === 'succeeded' ? [] : [retryTask(id)];
  const forced = [forceTask(id, 'succeeded'), forceTask(id, 'failed'), forceTask(id, 'skipped')];
  if (task.state === 'running' || task.state === 'assigned') return [cancelTask(id, true), ...forced];
  return task.state === 'queued' ? [cancelTask(id, false), ...forced] : [runTaskNow(id), cancelTask(id, false), ...forced];
}

/** A task of a run is repaired there, so that what follows from it runs again too. */
function againInRun({ state, run_task: name, item }: Task, run: string): Action[] {
  const all = isBad(state) ? [{ ...clearRun(run, 0), name: 'Clear all failed of its run' }] : [];
  if (!name) return all;
  return [item === undefined ? clearRun(run, 0, [name]) : clearItems(run, name, [item]), ...all, rerunFromTask(run, name)];
}

function Why({ task }: { task: Task }) {
  const query = useQuery(`task-why ${task.task_id}`, (signal) => taskDiagnosis(task.task_id, signal), { touched: (change) => change.id === task.task_id, isSoft: true });
  const why = query.data.value;
  return (
    <>
      {why && !hasEnded(task.state) && (
        <div class={`why ${tone(task)}`}>
          <p><Said text={sentence(why.message)} />{why.due_at && <> Due <Time at={why.due_at} relative />.</>}</p>
          {why.advice && <p class="advice"><Said text={sentence(why.advice)} /></p>}
          {why.holders && why.holders.length > 0 && <p>Held by {why.holders.map((id) => <span key={id}><a href={detailHref(id)}>{id}</a> </span>)}</p>}
        </div>
      )}
      {task.last_error && task.state !== 'succeeded' && (
        <div class={isBad(task.state) ? 'why bad' : 'why wait'}>
          <p>{isBad(task.state) ? 'It failed' : 'Its last attempt failed'}: {task.last_error.message}</p>
          <p class="advice">{task.last_error.class.replaceAll('_', ' ')}, code {task.last_error.code}, after {many(task.attempt_count, 'attempt')}</p>
        </div>
      )}
      {task.forced_by && <p class="quiet">Forced by {task.forced_by.actor || 'somebody'}: {task.forced_by.reason || 'no reason given'}</p>}
    </>
  );
}

function Attempts({ task }: { task: Task }) {
  const { attempts } = task;
  if (!attempts.length) return null;
  const newest = attempts.at(-1)!;
  const shown = attempts.find((attempt) => String(attempt.number) === param('attempt')) ?? newest;
  return (
    <Section title={attempts.length === 1 ? 'Log' : `Attempts and log`}>
      <div class="scroll-x" tabIndex={0}><table class="plain">
        <thead><tr><th class="tight">Attempt</th><th class="tight">Assigned</th><th class="tight">Took</th><th class="tight">Worker</th><th>Outcome</th></tr></thead>
        <tbody>{attempts.map((attempt) => (
          <tr key={attempt.attempt_id}>
            <td class="tight"><button type="button" class="link" aria-pressed={attempt === shown} onClick={() => setQuery({ attempt: attempt.number })}>{attempt === shown ? '▸ ' : ''}{attempt.number}</button></td>
            <td class="tight"><Time at={attempt.assigned_at} /></td>
            <td class="tight"><Took from={attempt.assigned_at} to={attempt.ended_at} /></td>
            <td class="tight"><a href={href(['workers', attempt.worker])}>{attempt.worker.slice(0, 20)}</a></td>
            <td>{attempt.error ? `${attempt.error.class} ${attempt.error.code}: ${attempt.error.message}` : attempt.ended_at ? 'ended well' : 'runs'}</td>
          </tr>
        ))}</tbody>
      </table></div>
      {task.attempts_dropped ? <p class="quiet">{task.attempts_dropped} older attempts are not kept.</p> : null}
      <Log key={`${task.task_id} ${shown.number}`} task={task.task_id} attempt={shown.number} />
    </Section>
  );
}

function Settings({ task }: { task: Task }) {
  return (
    <Facts rows={[
      ['Executor', task.task_type], ['Pool', <a href={href(['queues'])}>{task.pool}</a>], ['Priority', `${task.priority.band}, level ${task.priority.level}`],
      ['Job', task.job && <a href={href(['jobs', task.job])}>{task.job}</a>], ['Tenant', task.tenant], ['Delivery', task.delivery.replaceAll('_', ' ')],
      ['Retries', `${task.retry_count} of ${task.max_retries}`], ['Scheduled', task.scheduled_at && <Time at={task.scheduled_at} />],
      ['Limits', task.limits?.map((limit) => `${limit.name}${limit.key ? `/${limit.key}` : ''}${limit.max ? ` (at most ${limit.max})` : ''}`).join(', ')],
      ['Labels', task.labels && Object.entries(task.labels).map(([name, value]) => <span class="tag" key={name}>{name}={value}</span>)],
      ['Task', <code>{task.task_id}</code>],
    ]} />
  );
}

const CHANGEABLE = new Set<State>(['pending', 'queued', 'retry_wait', 'deferred']);

/** Time, priority and payload of a task that has not started. */
function Amend({ task }: { task: Task }) {
  const [wish, setWish] = useState({ priority: '', at: '', payload: '' });
  const payload = payloadOf(wish.payload);
  const at = wish.at ? Date.parse(wish.at) : undefined;
  const mistake = payload === null ? 'The payload is not JSON.' : Number.isNaN(at) ? 'The time is not one, as 2026-01-31T09:00:00Z.' : '';
  const whole: AmendWish = { ...(wish.priority && { priority: wish.priority }), ...(at && { scheduled_at: new Date(at).toISOString() }), ...(wish.payload && { payload }) };
  const isReady = !mistake && Object.keys(whole).length > 0;
  const field = (name: 'priority' | 'at' | 'payload') => (event: { currentTarget: { value: string } }) => setWish({ ...wish, [name]: event.currentTarget.value });
  return (
    <form class="form" onSubmit={(event) => { event.preventDefault(); if (isReady) ask(amendTask(task.task_id, whole)); }}>
      <div class="line">
        <label>Priority
          <select value={wish.priority} onChange={field('priority')}><option value="">{task.priority.band}, as it is</option>{['P0', 'P1', 'P2'].filter((band) => band !== task.priority.band).map((band) => <option key={band}>{band}</option>)}</select>
        </label>
        <label>Start at <input value={wish.at} placeholder="as 2026-01-31T09:00:00Z" onInput={field('at')} /></label>
      </div>
      <label>Payload, as JSON <textarea rows={3} value={wish.payload} placeholder="as it is" onInput={field('payload')} /></label>
      {mistake && <small class="mistake" role="alert">{mistake}</small>}
      <div><button type="submit" disabled={!isReady}>Change…</button></div>
    </form>
  );
}

/** Nothing if it is empty, `null` if it is not JSON. */
function payloadOf(text: string): unknown {
  if (!text) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

const HISTORY_COLUMNS: PlainColumn<TaskChange>[] = [
  { name: 'When', isTight: true, cell: (row) => <Time at={row.at} /> },
  { name: 'What', isTight: true, cell: (row) => `${row.cause.replaceAll('_', ' ')}${row.attempt ? `, attempt ${row.attempt}` : ''}` },
  { name: 'Then', isTight: true, cell: (row) => <StateBadge state={row.state} /> },
  { name: 'Who and why', cell: (row) => [row.actor, row.reason, row.error && `${row.error.class} ${row.error.code}: ${row.error.message}`].filter(Boolean).join(', ') },
];

/** What happened to it and who did it; read when it is opened. */
function History({ task }: { task: Task }) {
  const [isOpen, setOpen] = useState(false);
  return isOpen ? <Changes task={task} /> : <p><button type="button" class="link" onClick={() => setOpen(true)}>Show what happened to it</button></p>;
}

function Changes({ task }: { task: Task }) {
  const query = useQuery(`task-history ${task.task_id}`, (signal) => taskHistory(task.task_id, signal), { touched: (change) => change.id === task.task_id, isSoft: true });
  const rows = query.data.value;
  if (!rows) return query.error.value ? <Failure error={query.error.value} retry={query.refresh} /> : <Loading rows={3} />;
  return <Plain rows={rows} id={(row) => `${row.at} ${row.cause} ${row.state}`} columns={HISTORY_COLUMNS} sortAt="history" />;
}
