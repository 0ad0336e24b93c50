// The ledger of all schedules: what became of each window of a day, one row a schedule. A hole is a window that did not run.

import { ledger } from '../api/reads';
import type { LedgerWindow } from '../api/views';
import { grouped, many } from '../format/text';
import { clock } from '../format/time';
import { useQuery } from '../live/query';
import { list, param, withQuery } from '../url/route';
import { Empty, Failure, Loading, Section, now, zone } from '../ui/basics';
import { Choice } from '../ui/facets';
import { isOfSchedules, scheduleHref } from './schedules';
import { SIGNS } from './words';

const HOUR_MS = 3_600_000;
const COLUMNS = 24;
/** Spans that are offered, in hours. */
const SPANS: [string, string][] = [['', 'last 24 h'], ['168', 'last 7 days'], ['720', 'last 30 days']];
/** From bad to good: a cell shows the worst of what is in it. */
export const OUTCOMES = ['missed', 'skipped', 'no_event', 'late', 'catch_up', 'backfill', 'ran'] as const;
type Outcome = (typeof OUTCOMES)[number];

export interface LedgerCell {
  worst?: Outcome;
  counts: Partial<Record<Outcome, number>>;
}

/** One schedule over the span, in so many columns. */
export function ledgerCells(windows: LedgerWindow[], from: number, step: number): LedgerCell[] {
  const cells: LedgerCell[] = Array.from({ length: COLUMNS }, () => ({ counts: {} }));
  for (const window of windows) {
    const outcome = window.outcome as Outcome;
    const [first, last] = [column(window.first, from, step), column(window.last, from, step)];
    // Several that passed together are spread over the time that they took.
    for (let at = first; at <= last; at++) {
      const cell = cells[at]!;
      const share = first === last ? window.count : Math.ceil(window.count / (last - first + 1));
      cell.counts[outcome] = (cell.counts[outcome] ?? 0) + share;
      if (!cell.worst || OUTCOMES.indexOf(outcome) < OUTCOMES.indexOf(cell.worst)) cell.worst = outcome;
    }
  }
  return cells;
}

const column = (at: string, from: number, step: number): number => Math.max(0, Math.min(COLUMNS - 1, Math.floor((Date.parse(at) - from) / step)));

const said = ({ counts }: LedgerCell): string => OUTCOMES.filter((outcome) => counts[outcome]).map((outcome) => `${counts[outcome]} ${outcome.replace('_', ' ')}`).join(', ') || 'no window';

/** Where there is no room for all of it the newest windows are in sight. */
const toNewest = (frame: HTMLDivElement | null): void => frame?.scrollTo({ left: frame.scrollWidth });

export function Ledger() {
  const hours = Number(param('span')) || 24;
  const step = (hours * HOUR_MS) / COLUMNS;
  // Whole steps, so that the same view asks the same question.
  const to = Math.ceil(now.value.getTime() / step) * step;
  const from = to - hours * HOUR_MS;
  const filter = { job: param('job'), tenant: param('tenant'), from: new Date(from).toISOString(), to: new Date(to).toISOString() };
  const query = useQuery(`ledger ${JSON.stringify(filter)}`, (signal) => ledger(filter, signal), { touched: isOfSchedules });
  const page = query.data.value;
  const wanted = list('outcome');
  const shown = page?.windows.filter((window) => !wanted.length || wanted.includes(window.outcome)) ?? [];
  const rows = [...grouped(shown, (window) => `${window.tenant}/${window.job}/${window.name}`).values()];
  const label = (at: number) => (hours > 24 ? new Date(from + at * step).toISOString().slice(5, 10) : clock(new Date(from + at * step), zone()).slice(0, 5));
  return (
    <Section title={`Ledger${page?.more ? ', not all windows are shown' : ''}`}>
      <div class="filters"><Choice name="span" label="Span" values={SPANS} /><Outcomes windows={page?.windows ?? []} /></div>
      {query.error.value && <Failure error={query.error.value} retry={query.refresh} />}
      {!page && !query.error.value && <Loading />}
      {page && rows.length === 0 && <Empty title="No windows in this time" />}
      {rows.length > 0 && (
        <div class="scroll-x" tabIndex={0} ref={toNewest}><table class="plain ledger">
          <thead><tr><th>Schedule</th>{Array.from({ length: COLUMNS }, (_, at) => <th key={at} class="tight">{at % 6 === 0 ? label(at) : <span class="sr">{label(at)}</span>}</th>)}</tr></thead>
          <tbody>{rows.map((windows) => {
            const [one] = windows;
            return (
              <tr key={`${one!.tenant}/${one!.job}/${one!.name}`}>
                <td><a href={scheduleHref(one!)}>{one!.job}/{one!.name}</a></td>
                {ledgerCells(windows, from, step).map((cell, at) => (
                  <td key={at} class="tight">{cell.worst && <a class={`cell w-${cell.worst}`} href={scheduleHref(one!)}
                    title={`${label(at)}: ${said(cell)}`} aria-label={`${one!.job}/${one!.name}, ${label(at)}: ${said(cell)}`}>{SIGNS[cell.worst][0]}</a>}</td>
                ))}
              </tr>
            );
          })}</tbody>
        </table></div>
      )}
    </Section>
  );
}

function Outcomes({ windows }: { windows: LedgerWindow[] }) {
  const on = list('outcome');
  const toggled = (outcome: string) => (on.includes(outcome) ? on.filter((other) => other !== outcome) : [...on, outcome]);
  const sum = (outcome: string) => windows.filter((window) => window.outcome === outcome).reduce((all, window) => all + window.count, 0);
  return (
    <div class="facet" role="group" aria-label="Outcomes">
      {OUTCOMES.filter((outcome) => sum(outcome) > 0 || on.includes(outcome)).map((outcome) => (
        <a key={outcome} class={on.includes(outcome) ? 'chip on' : 'chip'} aria-current={on.includes(outcome)} href={withQuery({ outcome: toggled(outcome).sort().join(',') })}
          title={many(sum(outcome), 'window')}>{outcome.replace('_', ' ')} <b>{sum(outcome)}</b></a>
      ))}
    </div>
  );
}
