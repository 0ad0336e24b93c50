// What needs a person, the worst first; or nothing, with the proof. One answer of the server tells it all.

import { signal } from '@preact/signals';
import type { Action } from '../api/actions';
import { attention, series, upcoming } from '../api/reads';
import type { Attention, Finding, Series } from '../api/views';
import { count } from '../format/text';
import { clock } from '../format/time';
import { onWord } from '../live/live';
import { useQuery } from '../live/query';
import { href, openHref, param } from '../url/route';
import { Act } from '../ui/act';
import { Failure, Loading, Said, Section, Time, useTitle, zone } from '../ui/basics';
import { Chart } from '../ui/chart';
import { Choice } from '../ui/facets';
import { StateGlyph } from '../ui/icons';
import { sentence } from './words';
import { Windows } from './schedules';

/** Where all of what a finding counts are listed. */
export function listHref(finding: Finding): string {
  const { job, tenant, schedule } = finding;
  const ofTenant = tenant && tenant !== 'default' ? { tenant } : {};
  switch (finding.kind) {
    case 'not_ready':
    case 'tables_behind':
      return href(['system']);
    case 'no_workers':
      return href(['queues']);
    case 'workers_lost':
      return href(['workers']);
    case 'runs_failed':
    case 'runs_recovered':
      return href(['runs'], { job, state: 'failed', since: '24h', ...ofTenant });
    case 'windows_missed':
      return href(['schedules', job!, schedule!], ofTenant);
    case 'schedules_paused':
      return finding.count === 1 ? href(['schedules', job!, schedule!], ofTenant) : href(['schedules']);
    case 'quarantined':
      return href(['tasks'], { state: 'quarantined' });
    case 'dead_letters':
      return href(['dead-letters']);
    case 'runs_stalled':
    case 'runs_late':
    case 'runs_quiet':
    case 'approvals_open':
      return href(['runs'], { state: 'running' });
  }
}

/** What the server advises, as a button. */
export function advised({ action, kind }: Finding): Action | undefined {
  return action && {
    name: action.title, effect: action.effect, takesReason: true, command: action.command, needsActor: kind === 'approvals_open',
    request: { method: 'POST', path: action.path, body: action.body },
    done: (answer) => ({ text: (answer as { message?: string }).message ?? 'done' }),
  };
}

export default function Now() {
  useTitle('Now');
  const query = useQuery('now', attention, { touched: (change) => change.kind !== 'task' || change.state === 'failed' || change.state === 'quarantined' || change.state === 'queued', isSoft: true });
  const windows = useQuery('now-next', (signal) => upcoming({ within: '7d', limit: 10 }, signal), { touched: (change) => change.kind === 'schedule' || change.what === 'created' });
  const known = query.data.value;
  return (
    <>
      <div class="head"><h1 class="sr">Now</h1></div>
      {query.error.value && <Failure error={query.error.value} retry={query.refresh} />}
      {!known && !query.error.value && <Loading />}
      {known && (known.findings.length
        ? <><ul class="calls">{known.findings.map((finding) => <Row key={finding.message} finding={finding} />)}</ul><AsOf known={known} /></>
        : <Calm known={known} />)}
      {known && <Figures known={known} />}
      <Over />
      {windows.data.value && windows.data.value.length > 0 && <Section title="Next windows"><Windows windows={windows.data.value} /></Section>}
    </>
  );
}

const WORDS = { 3: ['urgent', 'tag bad'], 2: ['soon', 'tag warn'], 1: ['to know', 'tag'] } as const;

function Row({ finding }: { finding: Finding }) {
  const [word, style] = WORDS[finding.harm as 1 | 2 | 3];
  const action = advised(finding);
  return (
    <li class={`call h${finding.harm}`}>
      <span class="big">{count(finding.count)}{finding.more ? '+' : ''}</span>
      <div>
        <p><a href={listHref(finding)}><Said text={sentence(finding.message)} /></a> <span class={style}>{word}</span></p>
        <small>
          {finding.since && <>since <Time at={finding.since} /> · </>}
          {finding.example ? <>for example <a href={openHref(finding.example.id)}><Said text={finding.example.text.slice(0, 160)} /></a></> : <Said text={finding.advice} />}
        </small>
      </div>
      {action ? <span class="acts"><Act action={action} /></span> : <span />}
    </li>
  );
}

const AsOf = ({ known }: { known: Attention }) => <p class="quiet as-of">as of {clock(new Date(known.at), zone())}, record {count(known.record)}</p>;

function Calm({ known }: { known: Attention }) {
  return (
    <div class="calm">
      <StateGlyph state="succeeded" />
      <h2>Nothing needs you</h2>
      <AsOf known={known} />
    </div>
  );
}

function Figures({ known: { figures } }: { known: Attention }) {
  const plus = (value: number, more = false) => `${count(value)}${more ? '+' : ''}`;
  const cards: [string, string, string][] = [
    ['runs not ended', plus(figures.runs_active, figures.runs_active_more), href(['runs'], { state: 'queued,running' })],
    ['tasks running', count(figures.tasks_running), href(['tasks'], { state: 'assigned,running' })],
    ['tasks waiting', count(figures.tasks_queued), href(['tasks'], { state: 'queued' })],
    ['workers', count(figures.workers), href(['workers'])],
    ['slots used', `${count(figures.tasks_running)}/${count(figures.slots)}`, href(['queues'])],
    ['failed in 24 h', plus(figures.runs_failed, figures.runs_failed_more), href(['runs'], { state: 'failed', since: '24h' })],
  ];
  return <Section title="At a glance"><div class="cards">{cards.map(([name, value, to]) => <a class="card" key={name} href={to}><b>{value}</b><span>{name}</span></a>)}</div></Section>;
}

/** Step, how many steps, and how it is called. */
const SPANS: Record<string, [step: string, points: number]> = { '': ['10s', 360], '5m': ['1s', 300], '24h': ['5m', 288] };

/** So long after the last change the figures do not move any more. */
const QUIET_MS = 30_000;
const lastChange = signal(0);
onWord((word) => {
  if (word.say === 'changes') lastChange.value = Date.now();
});

/** What happened, over time. */
function Over() {
  const name = SPANS[param('over')] ? param('over') : '';
  const [step, points] = SPANS[name]!;
  // While something happens, and a little longer so that the end of it is in the figures; an idle page asks for nothing.
  const isBusy = Date.now() - lastChange.value < QUIET_MS;
  const query = useQuery(`series ${step} ${points}`, (signal) => series(step, points, signal), { touched: () => true, isSoft: true, everyMs: isBusy ? (step === '1s' ? 2_000 : 10_000) : 0 });
  const known = query.data.value;
  if (!known?.queued.length) return null;
  const { queued, running, succeeded, failed, step_ms: stepMs } = known;
  const from = Date.parse(known.from);
  const last = (values: number[]) => count(values.at(-1) ?? 0);
  return (
    <Section title="Over time" aside={<Choice name="over" label="Span" values={[['', 'last hour'], ['5m', 'last 5 minutes'], ['24h', 'last 24 hours']]} />}>
      <div class="charts">
        <Chart title="Tasks ended" said={`${count(rate(known))} a minute`} from={from} stepMs={stepMs}
          shapes={[{ name: 'ended', kind: 'good', values: succeeded.map((value, at) => value + failed[at]!) }, { name: 'failed', kind: 'bad', values: failed }]} />
        <Chart title="Waiting" said={last(queued)} from={from} stepMs={stepMs} shapes={[{ name: 'waiting', kind: 'wait', values: queued }]} />
        <Chart title="Running" said={last(running)} from={from} stepMs={stepMs} shapes={[{ name: 'running', kind: 'busy', values: running }]} />
      </div>
    </Section>
  );
}

/** Ended tasks a minute, over the newest minute or the newest whole steps. */
export function rate({ succeeded, failed, step_ms }: Pick<Series, 'succeeded' | 'failed' | 'step_ms'>): number {
  // The newest step has not passed yet.
  const steps = Math.max(1, Math.round(60_000 / step_ms));
  const sum = (values: number[]) => values.slice(-steps - 1, -1).reduce((all, value) => all + value, 0);
  return Math.round((sum(succeeded) + sum(failed)) * (60_000 / (steps * step_ms)));
}
