// One run: why it is as it is, its tasks as a table, a graph or a timeline, what it was given and what came out.

import { useMemo, useState } from 'preact/hooks';
import { cancelRun, clearRun, decide, forceRun, pauseRun, reevaluateRun, rerun, resumeRun, type Action } from '../api/actions';
import { hasEnded, isBad, stateOfLetter, type State } from '../api/state';
import { job as readJob, run as readRun, runDiagnosis, runGraph, runHead, runStates, runTask } from '../api/reads';
import type { Approval, Run, RunDiagnosis } from '../api/views';
import { useQuery } from '../live/query';
import { go, href, openHref, param, withQuery } from '../url/route';
import { Act, MoreActions } from '../ui/act';
import { Empty, Facts, Failure, Id, Loading, Said, Section, StateBadge, Time, Took, useTitle } from '../ui/basics';
import { CountsBar, countsText } from '../ui/bars';
import { Tabs } from '../ui/facets';
import { Json } from '../ui/json';
import { Notes } from '../ui/notes';
import { Stale } from '../ui/stale';
import { RunGraph } from '../graph/graph';
import { sentence, tone } from './words';
import { Compare } from './compare';
import { Items } from './items';
import { RunTasks } from './run-tasks';
import { RerunForm } from './start';
import { Timeline } from './timeline';

const VIEWS: [string, string][] = [['tasks', 'Tasks'], ['graph', 'Graph'], ['time', 'Timeline'], ['data', 'Parameters and output'], ['compare', 'Compare'], ['notes', 'Notes']];

/** Views that do not need the tasks as rows. */
const HEAD_ONLY = new Set(['graph', 'time', 'data', 'notes']);

export default function RunPage({ path: [id = ''] }: { path: string[] }) {
  // Thousands of tasks are read only where they are listed.
  const isHead = HEAD_ONLY.has(param('view'));
  const query = useQuery(`${isHead ? 'run-head' : 'run'} ${id}`, (signal) => (isHead ? runHead : readRun)(id, signal), { touched: (change) => change.run === id, isSoft: true });
  const run = query.data.value;
  useTitle(run ? `${run.job} ${run.state}` : 'Run');
  if (!run) return query.error.value ? <Failure error={query.error.value} retry={query.refresh} /> : <Loading />;
  return (
    <>
      {query.error.value && <Stale at={query.at.value} error={query.error.value} />}
      <Head run={run} />
      <Approvals run={run} />
      <Why run={run} />
      <Tabs name="view" tabs={VIEWS} />
      <View run={run} />
    </>
  );
}

function Head({ run }: { run: Run }) {
  return (
    <div class="head">
      <h1><a href={href(['jobs', run.job])}>{run.job}</a></h1>
      <span class="acts">{mainActions(run).map((action) => <Act key={action.name} action={action} />)}<MoreActions id={run.run_id} actions={moreActions(run)} /></span>
      <div class="sub">
        <StateBadge state={run.state} />
        {run.marks?.map((mark) => <span key={mark} class="tag warn">{mark}</span>)}
        <Id id={run.run_id} />
        <span>created <Time at={run.created_at} /></span>
        {run.started_at && <span>took <Took from={run.started_at} to={run.ended_at} /></span>}
        <span>{run.trigger}, version {run.version}</span>
        {run.parent_run_id && <a href={href(['runs', run.parent_run_id])}>parent run</a>}
        {run.rerun_of && <a href={href(['runs', run.rerun_of])}>rerun of</a>}
        <span title={countsText(run.counts)} class="run-counts"><CountsBar counts={run.counts} /></span>
      </div>
    </div>
  );
}

const sum = ({ counts }: Run, states: State[]): number => states.reduce((all, state) => all + (counts[state] ?? 0), 0);
const failedCount = (run: Run): number => sum(run, ['failed', 'upstream_failed']);

function mainActions(run: Run): Action[] {
  const id = run.run_id;
  if (!hasEnded(run.state)) return [run.state === 'paused' ? resumeRun(id) : pauseRun(id), cancelRun(id, sum(run, ['running', 'assigned']), sum(run, ['pending', 'queued', 'retry_wait', 'deferred']))];
  return isBad(run.state) ? [clearRun(id, failedCount(run)), rerun(id, 'failure'), rerun(id, 'start')] : [rerun(id, 'start')];
}

function moreActions(run: Run): Action[] {
  const id = run.run_id;
  if (hasEnded(run.state)) return [{ ...rerun(id, 'start', true), name: 'Rerun on the newest version' }];
  return [reevaluateRun(id), forceRun(id, 'succeeded'), forceRun(id, 'failed'), forceRun(id, 'cancelled')];
}

/** The sentence that answers "why". */
function Why({ run }: { run: Run }) {
  const query = useQuery(`run-why ${run.run_id}`, (signal) => runDiagnosis(run.run_id, signal), { touched: (change) => change.run === run.run_id, isSoft: true });
  const why = query.data.value;
  if (!why || run.state === 'succeeded') return null;
  const message = hasEnded(run.state) ? ended(run) : why.message;
  return (
    <div class={`why ${tone(run)}`}>
      <p><Said text={sentence(message)} /></p>
      {!hasEnded(run.state) && why.advice && <p class="advice"><Said text={sentence(why.advice)} /></p>}
      {why.held_by?.map((id) => <span key={id}> <a href={href(['runs', id])}>{id}</a></span>)}
      <Reasons why={why} run={run} />
    </div>
  );
}

/** In one sentence: how it ended and what did it. */
function ended(run: Run): string {
  const bad = (run.tasks ?? []).filter((task) => task.state === 'failed').map((task) => `\`${task.name}\``);
  const named = bad.length > 3 ? `${bad.slice(0, 3).join(', ')} and ${bad.length - 3} more` : bad.join(', ');
  const cause = run.reason ?? (named ? `${named} failed` : '');
  return `it ${run.state === 'cancelled' ? 'was cancelled' : `has ${run.state}`}${cause ? `: ${cause}` : ''}`;
}

/** What waits for the word of a person. */
function Approvals({ run }: { run: Run }) {
  const open = (run.approvals ?? []).filter(({ state }) => state === 'open');
  return <>{open.map((row) => (
    <div class="why wait" key={`${row.task} ${row.item ?? ''}`}>
      <p><strong><a href={openHref(row.task_id)}>{row.task}{row.item === undefined ? '' : ` ${row.item}`}</a> waits for approval.</strong> {row.message}</p>
      <p class="advice">{row.by?.length ? `${row.by.join(', ')} may decide` : 'Anybody may decide'}{row.since && <>, since <Time at={row.since} relative /></>}{row.until && <>; {timeoutText(row)} <Time at={row.until} relative /></>}</p>
      <p class="acts"><Act action={decide(run.run_id, row, 'approve')} isMain /><Act action={decide(run.run_id, row, 'reject')} /></p>
    </div>
  ))}</>;
}

const timeoutText = ({ on_timeout: then }: Approval): string => ({ fail: 'it fails', reject: 'it is rejected', skip: 'it is skipped', approve: 'it is approved' })[then ?? 'fail'];

const SHOWN = 6;

function Reasons({ why, run }: { why: RunDiagnosis; run: Run }) {
  const rows = why.tasks.filter((row) => isBad(row.state) || !hasEnded(row.state)).slice(0, SHOWN);
  const ids = new Map(run.tasks?.map((task) => [task.name, task.task_id]));
  if (!rows.length) return null;
  const left = why.tasks.length + why.tasks_more - rows.length;
  return (
    <table class="plain reasons"><tbody>
      {rows.map((row) => (
        <tr key={row.name}>
          <td class="tight"><StateBadge state={row.state} /></td>
          <td class="tight">{ids.get(row.name) ? <a href={openHref(ids.get(row.name))}>{row.name}</a> : row.name}</td>
          <td>
            <Said text={row.task?.message ?? row.message} />
            {row.last_error && !(row.task?.message ?? row.message).includes(row.last_error.message) && <div class="quiet">{row.last_error.class} {row.last_error.code}: {row.last_error.message}</div>}
            {(row.task?.advice ?? row.advice) && <div class="quiet"><Said text={row.task?.advice ?? row.advice} /></div>}
          </td>
        </tr>
      ))}
      {left > 0 && <tr><td colSpan={3} class="quiet">and {left} more in the table below</td></tr>}
    </tbody></table>
  );
}

function View({ run }: { run: Run }) {
  switch (param('view')) {
    case 'items':
      return <Items run={run} />;
    case 'graph':
      return <GraphView run={run} />;
    case 'time':
      return <Timeline run={run} />;
    case 'data':
      return <Data run={run} />;
    case 'compare':
      return <Compare run={run} />;
    case 'notes':
      return <Notes notes={run.notes} />;
    default:
      return run.tasks?.length ? <RunTasks run={run} /> : <Empty title="This run has no tasks yet" />;
  }
}

function GraphView({ run }: { run: Run }) {
  const id = run.run_id;
  // Another number of tasks is another graph.
  const graph = useQuery(`run-graph ${id} ${run.tasks_total}`, (signal) => runGraph(id, signal)).data.value;
  const query = useQuery(`run-states ${id}`, (signal) => runStates(id, signal), { touched: (change) => change.run === id, isSoft: true });
  const states = query.data.value;
  const nodes = useMemo(() => {
    const items = new Map(states?.items.map((row) => [row.task, row]));
    return graph?.names.map((name, at) => {
      const group = items.get(at);
      return { name, state: stateOfLetter(states?.states[at]) ?? ('pending' as const), note: group ? `${group.succeeded}/${group.count}` : graph.mapped.has(at) ? 'each' : undefined };
    });
  }, [graph, states]);
  if (query.error.value) return <Failure error={query.error.value} retry={query.refresh} />;
  if (!graph || !nodes) return <Loading />;
  const open = async (node: number) => {
    const task = await runTask(id, node);
    const target = task?.task_id ?? task?.run_id;
    if (target) go(openHref(target));
    else go(withQuery({ view: '', task: graph.names[node] }));
  };
  return <RunGraph graph={graph} nodes={nodes} open={(node) => void open(node)} />;
}

function Data({ run }: { run: Run }) {
  return (
    <>
      <Facts rows={[
        ['Run', <code>{run.run_id}</code>], ['Tenant', run.tenant], ['Trigger', run.trigger],
        ['Schedule', run.window && <a href={href(['schedules', run.job, run.window.schedule])}>{run.window.schedule}</a>],
        ['Window', run.window && <Time at={run.window.at} />],
        ['Labels', run.labels && Object.entries(run.labels).map(([name, value]) => <span class="tag" key={name}>{name}={value}</span>)],
      ]} />
      <Section title="Parameters"><Json name="parameters" value={run.parameters} />{hasEnded(run.state) && <Again run={run} />}</Section>
      {run.approvals?.some(({ state }) => state !== 'open') && <Section title="Decisions"><ul>{run.approvals.filter(({ state }) => state !== 'open').map((row) => (
        <li key={`${row.task} ${row.item ?? ''}`}>{row.task}{row.item === undefined ? '' : ` ${row.item}`} {row.state} by {row.actor || 'somebody'} <Time at={row.decided_at} />{row.reason && `: ${row.reason}`}</li>
      ))}</ul></Section>}
      <Section title="Output"><Json name="output" value={run.output} /></Section>
      {run.event && <Section title="Event"><Json name="event" value={run.event} /></Section>}
    </>
  );
}

function Again({ run }: { run: Run }) {
  const [isOpen, setOpen] = useState(false);
  const job = useQuery(`job ${run.tenant}/${run.job}`, (signal) => readJob(run.job, run.tenant, signal)).data.value;
  if (!job || !Object.keys(job.definition?.parameters ?? {}).length) return null;
  return isOpen ? <RerunForm job={job} run={run} /> : <p><button type="button" class="link" onClick={() => setOpen(true)}>Rerun with other values…</button></p>;
}
