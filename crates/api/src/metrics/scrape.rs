//! What the shard has measured, written out when asked. Nothing here is kept up to date between two scrapes.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use mainspring_core::collections::Histogram;
use mainspring_core::engine::question::Stats;
use mainspring_core::retry::BudgetKind;
use mainspring_core::task::Status;
use mainspring_core::values::Band;
use mainspring_runtime::Doubt;
use mainspring_runtime::node::Measured;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, MetricEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::Unit;

/// What the last scrape was told.
#[derive(Debug, Default)]
pub struct Told {
    pub stats: Option<Box<Stats>>,
    pub measured: Option<Box<Measured>>,
}

#[derive(Clone, Debug, Default)]
pub struct Scrape(Arc<Mutex<Told>>);

impl Scrape {
    pub fn tell(&self, told: Told) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = told;
    }
}

impl Collector for Scrape {
    fn encode(&self, encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut page = Page(encoder);
        if let Some(stats) = &told.stats {
            page.stats(stats)?;
        }
        if let Some(measured) = &told.measured {
            page.tally(measured)?;
            page.schedules(measured)?;
            page.meters(measured)?;
        }
        Ok(())
    }
}

pub(super) type Labels<'a> = Vec<(&'static str, &'a str)>;

/// Units in which the shard counts, as parts of what goes out.
const MILLIS: f64 = 1e-3;
const MICROS: f64 = 1e-6;
const ONES: f64 = 1.0;

struct Page<'e>(DescriptorEncoder<'e>);

impl Page<'_> {
    fn stats(&mut self, stats: &Stats) -> fmt::Result {
        let counts = &stats.engine;
        self.counter("stale_reports", "Reports of old attempts that were refused", counts.stale_reports)?;
        self.counter("duplicate_reports", "Reports that had been heard before", counts.duplicate_reports)?;
        self.counter("workers_lost", "Workers not heard of for a whole lease", counts.workers_lost)?;
        let expiries = counts.attempts_lost;
        self.counter("lease_expiries", "Attempts ended because their lease ran out", expiries)?;
        self.counter("tasks_swept_up", "Tasks that only the second watchdog noticed", counts.swept_up)?;
        self.counter("runs_late", "Runs that took longer than expected", counts.runs_late)?;
        self.counter("runs_overdue", "Runs that took more than twice as long", counts.runs_overdue)?;
        self.counter("runs_quiet", "Runs that did not change for half an hour", counts.runs_quiet)?;
        self.counter("runs_stalled", "Runs that nothing would have brought on", counts.runs_stalled)?;
        self.counter("panics", "Decisions that panicked and were refused or ended as failed", counts.panics)?;
        let by_budget = |counts: &[u64; 3], kinds: &[BudgetKind]| -> Vec<(Labels<'static>, u64)> {
            kinds.iter().map(|kind| (vec![("budget", kind.label())], counts[*kind as usize])).collect()
        };
        let spent = by_budget(&counts.retries.spent, &BudgetKind::ALL[..2]);
        self.counters("retries", "Retries, by the retry budget that they count against", &spent)?;
        let delayed = by_budget(&counts.retries.delayed, &BudgetKind::ALL);
        self.counters("retries_delayed", "Retries that a used-up retry budget delayed", &delayed)?;
        let unarmed = counts.schedules_unarmed;
        self.counter("schedules_unarmed", "Schedules that only the watchdog gave a timer", unarmed)
    }

    fn tally(&mut self, measured: &Measured) -> fmt::Result {
        let tally = &measured.tally;
        let word = |status: Option<Status>| status.map_or("new", Status::label);
        let moves: Vec<_> = tally
            .transitions()
            .map(|(from, to, count)| (vec![("from", word(from)), ("to", to.label())], count))
            .collect();
        self.counters("transitions", "Changes of state", &moves)?;
        let ended = Status::ALL.into_iter().filter(|status| status.is_ended()).map(|status| {
            let here = tally.transitions().filter(|(_, to, _)| *to == status);
            (vec![("state", status.label())], here.map(|(_, _, count)| count).sum())
        });
        self.counters(
            "tasks_ended",
            "Tasks that ended, by the state they ended in",
            &ended.collect::<Vec<_>>(),
        )?;
        let attempts = tally.attempts().map(|(end, count)| (vec![("outcome", end.label())], count));
        let help = "Attempts that ended, by success or class of failure";
        self.counters("attempts_ended", help, &attempts.collect::<Vec<_>>())?;
        let durations = [(vec![], &tally.attempt_ms)];
        self.seconds("attempt_duration", "From the grant of an attempt to its end", &durations, MILLIS)?;
        self.counter("tasks_parked", "Tasks due far ahead that left memory", tally.parked)?;
        self.counter("tasks_paged_in", "Tasks read back into memory", tally.paged_in)
    }

    fn schedules(&mut self, measured: &Measured) -> fmt::Result {
        let windows = measured.tally.windows();
        let windows: Vec<_> = windows
            .map(|(outcome, reason, count)| (vec![("outcome", outcome), ("reason", reason)], count))
            .collect();
        self.counters("schedule_windows", "Windows of schedules, by what became of them", &windows)?;
        let late = by_band(&measured.tally.window_late_ms);
        let help = "From the instant of a window to what it began";
        self.seconds("schedule_lateness", help, &borrowed(&late), MILLIS)?;
        let armed = measured.figures.schedules_armed as i64;
        let help = "Schedules that are on and wait for their next window.";
        self.0.encode_descriptor("schedules_armed", help, None, MetricType::Gauge)?.encode_gauge(&armed)
    }

    fn meters(&mut self, measured: &Measured) -> fmt::Result {
        let meters = &measured.meters;
        let (delays, lateness) = (by_band(&meters.scheduling_ms), by_band(&meters.lateness_ms));
        let help = "From a task being ready to its start order leaving";
        self.seconds("scheduling_delay", help, &borrowed(&delays), MILLIS)?;
        let help = "From the instant a task waited for to its start order leaving";
        self.seconds("lateness", help, &borrowed(&lateness), MILLIS)?;
        let help = "One turn of the shard's thread, without its sleep";
        self.seconds("shard_turn", help, &[(vec![], &meters.turn_us)], MICROS)?;
        let help = "One append to the journal with its fsync";
        self.seconds("commit_duration", help, &[(vec![], &meters.append_us)], MICROS)?;
        let help = "Age of what a cut holds when the tables have it";
        self.seconds("checkpoint_lag", help, &[(vec![], &meters.checkpoint_lag_ms)], MILLIS)?;
        let events = [(vec![], &meters.record_events)];
        self.histograms("record_events", "Events in one record of the journal", None, &events, ONES)?;
        self.counter(
            "appends_failed",
            "Records that the journal did not take at once",
            meters.appends_failed,
        )?;
        self.counter("cuts_failed", "Cuts that the tables did not take at once", meters.cuts_failed)?;
        let bytes = [(vec![], meters.journal_bytes)];
        self.counters_in("journal_written", "Events written to the journal", Some(&Unit::Bytes), &bytes)?;
        let held = i64::from(matches!(measured.doubt, Some(Doubt::Ahead { .. })));
        let help = "1 while the wall clock is held: it jumped ahead and is not believed yet.";
        self.0.encode_descriptor("clock_held", help, None, MetricType::Gauge)?.encode_gauge(&held)?;
        let kind = MetricType::Gauge;
        let help = "Number of this owner; it grows with every takeover and every start.";
        self.0.encode_descriptor("shard_epoch", help, None, kind)?.encode_gauge(&(measured.epoch as i64))
    }

    fn counter(&mut self, name: &str, help: &str, count: u64) -> fmt::Result {
        self.counters(name, help, &[(vec![], count)])
    }

    fn counters(&mut self, name: &str, help: &str, rows: &[(Labels<'_>, u64)]) -> fmt::Result {
        self.counters_in(name, help, None, rows)
    }

    fn counters_in(
        &mut self,
        name: &str,
        help: &str,
        unit: Option<&Unit>,
        rows: &[(Labels<'_>, u64)],
    ) -> fmt::Result {
        let mut metric = self.0.encode_descriptor(name, &format!("{help}."), unit, MetricType::Counter)?;
        for (labels, count) in rows {
            labelled(&mut metric, labels, |metric| {
                metric.encode_counter::<NoLabelSet, u64, u64>(count, None)
            })?;
        }
        Ok(())
    }

    fn seconds(
        &mut self,
        name: &str,
        help: &str,
        rows: &[(Labels<'_>, &Histogram)],
        scale: f64,
    ) -> fmt::Result {
        self.histograms(name, help, Some(&Unit::Seconds), rows, scale)
    }

    fn histograms(
        &mut self,
        name: &str,
        help: &str,
        unit: Option<&Unit>,
        rows: &[(Labels<'_>, &Histogram)],
        scale: f64,
    ) -> fmt::Result {
        let mut metric = self.0.encode_descriptor(name, &format!("{help}."), unit, MetricType::Histogram)?;
        for (labels, histogram) in rows {
            let within: u64 = histogram.buckets().map(|(_, count)| count).sum();
            let beyond = histogram.count() - within;
            let bounds = histogram.buckets().map(|(bound, count)| (scaled(bound, scale), count));
            let buckets: Vec<(f64, u64)> = bounds.chain([(f64::INFINITY, beyond)]).collect();
            let sum = scaled(histogram.sum(), scale);
            labelled(&mut metric, labels, |metric| {
                metric.encode_histogram::<NoLabelSet>(sum, histogram.count(), &buckets, None)
            })?;
        }
        Ok(())
    }
}

fn by_band(histograms: &[Histogram; Band::ALL.len()]) -> Vec<(Labels<'static>, Histogram)> {
    let bands = Band::ALL.into_iter().zip(histograms);
    bands.map(|(band, histogram)| (vec![("band", band.label())], histogram.clone())).collect()
}

/// No empty braces for a metric without labels.
pub(super) fn labelled(
    metric: &mut MetricEncoder<'_>,
    labels: &Labels<'_>,
    write: impl FnOnce(&mut MetricEncoder<'_>) -> fmt::Result,
) -> fmt::Result {
    if labels.is_empty() { write(metric) } else { write(&mut metric.encode_family(labels)?) }
}

/// Divided, not multiplied: 64 ms is 0.064 s and not 0.06400000000000000133.
fn scaled(value: u64, scale: f64) -> f64 {
    value as f64 / (1.0 / scale).round()
}

fn borrowed<'a>(rows: &'a [(Labels<'static>, Histogram)]) -> Vec<(Labels<'static>, &'a Histogram)> {
    rows.iter().map(|(labels, histogram)| (labels.clone(), histogram)).collect()
}
