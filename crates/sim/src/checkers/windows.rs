//! I4 to I7 for schedules: every window is decided once, in order, not before its time, and none is left out. What the
//! windows are is counted here second by second, without the calendar.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use mainspring_core::calendar::Timetable;
use mainspring_core::event::Event;
use mainspring_core::event::fired::BackfillStarted;
use mainspring_core::job::JobKey;
use mainspring_core::run::{RunEvent, StartedBy};
use mainspring_core::schedule::{
    Overlap, Reason, ScheduleEvent, ScheduleKey, Spec, Stored, Timing, Unfired, WindowFired,
};
use mainspring_core::state::State;
use mainspring_core::values::{FiredAs, Millis, ScheduleId, Started, TaskId, Wall};

use super::backfills::BackfillFold;
use super::{Check, require};

/// A window that is less late than this begins something, if it may.
const SLACK: Millis = Millis::from_secs(10);

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct WindowCounts {
    pub stored: u64,
    pub fired: u64,
    pub late: u64,
    pub caught_up: u64,
    pub skipped: u64,
    pub missed: u64,
    pub held: u64,
    pub backfilled: u64,
}

impl WindowCounts {
    pub fn add(&mut self, other: Self) {
        self.stored += other.stored;
        self.fired += other.fired;
        self.late += other.late;
        self.caught_up += other.caught_up;
        self.skipped += other.skipped;
        self.missed += other.missed;
        self.held += other.held;
        self.backfilled += other.backfilled;
    }
}

#[derive(Debug)]
struct Facts {
    key: Arc<ScheduleKey>,
    spec: Arc<Spec>,
    offset: Millis,
    /// Every window up to here is decided.
    covered: Wall,
    fired: BTreeSet<Wall>,
    /// Those that began something, live or by a backfill.
    ran: BTreeSet<Wall>,
    made: Vec<Started>,
    held: Vec<Wall>,
    paused: bool,
    deleted: bool,
}

#[derive(Debug, Default)]
pub struct WindowFold {
    schedules: BTreeMap<ScheduleId, Facts>,
    tasks: BTreeSet<TaskId>,
    backfills: BackfillFold,
    pub counts: WindowCounts,
}

/// The instants of a schedule, from its parts.
fn is_target(spec: &Spec, at: Wall) -> bool {
    let ms = at.millis();
    let Timing::Table(table) = &spec.timing else { return true };
    let matches = match table {
        // Worlds only know `*/n * * * * *`.
        Timetable::Cron { .. } => {
            let step =
                spec.text.strip_prefix("*/").and_then(|rest| rest.split(' ').next()?.parse::<u64>().ok());
            ms.is_multiple_of(1000) && step.is_some_and(|step| (ms / 1000 % 60).is_multiple_of(step))
        }
        Timetable::Every { every, anchor } => {
            at >= *anchor && (ms - anchor.millis()).is_multiple_of(every.get())
        }
        Timetable::Instants(instants) => instants.contains(&at),
    };
    matches && spec.start.is_none_or(|start| at >= start) && spec.end.is_none_or(|end| at <= end)
}

/// How many lie in (after, until].
fn count(spec: &Spec, after: Wall, until: Wall) -> u64 {
    if let Timing::Table(Timetable::Instants(instants)) = &spec.timing {
        return instants.iter().filter(|at| **at > after && **at <= until && is_target(spec, **at)).count()
            as u64;
    }
    let until = spec.end.map_or(until, |end| end.min(until)).millis();
    let first = spec.start.map_or(after, |start| after.max(start - Millis::new(1))).millis() / 1000 + 1;
    (first..=until / 1000).filter(|second| is_target(spec, Wall::from_millis(second * 1000))).count() as u64
}

impl Facts {
    fn due(&self, now: Wall) -> Wall {
        now - self.offset
    }

    /// None lies between what is covered and here.
    fn follows(&self, id: ScheduleId, first: Wall) -> Check {
        if let Timing::After(_) = self.spec.timing {
            return Ok(());
        }
        let left = count(&self.spec, self.covered, first - Millis::new(1));
        require(left == 0, "I4", || {
            format!("{id}: {left} windows between {:?} and {first:?} were left out", self.covered)
        })?;
        require(first > self.covered && is_target(&self.spec, first), "I6", || {
            format!("{id}: {first:?} is no window after {:?}", self.covered)
        })
    }

    /// Whatever it was until now must have been decided.
    fn settled(&self, id: ScheduleId, now: Wall) -> Check {
        if let Timing::After(_) = self.spec.timing {
            return Ok(());
        }
        let left = count(&self.spec, self.covered, self.due(now));
        require(left == 0, "I7", || {
            format!("{id} was changed, and {left} windows that had come were forgotten")
        })
    }
}

impl WindowFold {
    /// Which windows of a schedule began something.
    pub(crate) fn ran(&self, id: ScheduleId) -> Option<&BTreeSet<Wall>> {
        self.schedules.get(&id).map(|facts| &facts.ran)
    }

    fn backfill_started(&mut self, started: BackfillStarted, state: &State) -> Check {
        self.counts.backfilled += 1;
        let BackfillStarted { id, window, .. } = started;
        let facts = self.backfills.schedule(id).and_then(|id| self.schedules.get_mut(&id));
        let first = facts.is_some_and(|facts| facts.ran.insert(window));
        let again = self.backfills.may_repeat(id);
        require(first || again, "I5", || format!("{id}: {window:?} began twice"))?;
        self.backfills.started(started, state)
    }

    pub fn made_task(&self, id: TaskId) -> bool {
        self.tasks.contains(&id)
    }

    /// Before the event is applied.
    pub(super) fn follow(&mut self, event: &Event, now: Wall, state: &State) -> Check {
        self.check_window(event)?;
        if let Some(fired) = event.window_fired() {
            return self.fired(fired, now, state);
        }
        if let Some(started) = event.backfill_started() {
            return self.backfill_started(started, state);
        }
        match event {
            Event::Backfill(event) => self.backfills.follow(event, state),
            Event::Schedule(event) => self.event(event, now),
            Event::Run(RunEvent::JobDeleted { key }) => self.job_deleted(key, now),
            _ => Ok(()),
        }
    }

    /// Who says that a window began it names the window, and its table knows.
    fn check_window(&mut self, event: &Event) -> Check {
        if let Event::TaskSubmitted(task) = event
            && task.window.is_some()
        {
            self.tasks.insert(task.id);
        }
        let Event::Run(RunEvent::RunCreated(run)) = event else { return Ok(()) };
        let is_told = match run.origin.started_by {
            StartedBy::Schedule => event.window_fired().is_some(),
            StartedBy::Backfill => event.backfill_started().is_some(),
            _ => event.window_fired().is_none() && event.backfill_started().is_none(),
        };
        require(is_told, "I5", || format!("{event:?} does not fit what it says of its window"))
    }

    fn fired(&mut self, fired: WindowFired, now: Wall, state: &State) -> Check {
        let WindowFired { id, window, made, fired_as, .. } = fired;
        self.counts.fired += 1;
        self.counts.late += u64::from(fired_as == FiredAs::Late);
        self.counts.caught_up += u64::from(fired_as == FiredAs::CatchUp);
        let Some(facts) = self.schedules.get_mut(&id) else {
            return require(false, "I6", || format!("{fired:?} is of a schedule that nobody stored"));
        };
        facts.fired(id, window, now)?;
        facts.check_overlap(id, state)?;
        facts.made.push(made);
        Ok(())
    }

    fn event(&mut self, event: &ScheduleEvent, now: Wall) -> Check {
        if let ScheduleEvent::Stored(stored) = event {
            return self.stored(stored, now);
        }
        let id = event.id();
        let counts = &mut self.counts;
        let facts = self.schedules.get_mut(&id);
        let Some(facts) = facts else {
            return require(false, "I6", || format!("{event:?} is of a schedule that nobody stored"));
        };
        match event {
            ScheduleEvent::Stored(_) | ScheduleEvent::Armed { .. } => Ok(()),
            ScheduleEvent::Forgotten { .. } => {
                require(facts.deleted, "I6", || format!("{id} is forgotten, and was not deleted"))
            }
            ScheduleEvent::Paused { paused, .. } => {
                facts.paused = *paused;
                Ok(())
            }
            ScheduleEvent::Deleted { .. } => {
                facts.settled(id, now)?;
                facts.deleted = true;
                facts.held.clear();
                Ok(())
            }
            ScheduleEvent::Held { window, .. } => {
                counts.held += 1;
                facts.follows(id, *window)?;
                facts.covered = *window;
                facts.held.push(*window);
                Ok(())
            }
            ScheduleEvent::Passed(passed) => {
                match passed.outcome {
                    Unfired::Skipped(_) => counts.skipped += passed.count,
                    Unfired::Missed(_) => counts.missed += passed.count,
                }
                facts.passed(id, (passed.first, passed.last, passed.count), passed.outcome, now)
            }
        }
    }

    fn stored(&mut self, stored: &Stored, now: Wall) -> Check {
        self.counts.stored += 1;
        let Stored { id, key, spec, own, .. } = stored;
        if let Some(facts) = self.schedules.get_mut(id) {
            if !facts.deleted {
                facts.settled(*id, now)?;
            }
            facts.covered = facts.covered.max(now);
            (facts.spec, facts.offset) = (spec.clone(), own.offset);
            facts.paused &= !facts.deleted;
            facts.deleted = false;
            return Ok(());
        }
        let facts = Facts {
            key: key.clone(),
            spec: spec.clone(),
            offset: own.offset,
            covered: now,
            fired: BTreeSet::new(),
            ran: BTreeSet::new(),
            made: Vec::new(),
            held: Vec::new(),
            paused: false,
            deleted: false,
        };
        self.schedules.insert(*id, facts);
        Ok(())
    }

    fn job_deleted(&mut self, job: &JobKey, now: Wall) -> Check {
        let of_job = |facts: &Facts| facts.key.tenant == job.tenant && facts.key.job == job.name;
        for (id, facts) in self.schedules.iter_mut().filter(|(_, facts)| of_job(facts) && !facts.deleted) {
            facts.settled(*id, now)?;
            facts.deleted = true;
            facts.held.clear();
        }
        Ok(())
    }

    /// Schedules that still have something to do; the world waits for them.
    pub fn is_idle(&self, state: &State, now: Wall) -> bool {
        self.schedules.iter().all(|(id, facts)| {
            let job = JobKey { tenant: facts.key.tenant.clone(), name: facts.key.job.clone() };
            let off =
                state.job_runs().jobs().get(&job).is_some_and(|job| job.paused || job.deleted.is_some());
            let over = facts.spec.end.is_some_and(|end| end + facts.offset < now);
            let next = state.schedules().get(*id).and_then(|schedule| schedule.next);
            facts.deleted || facts.paused || off || over && next.is_none() && facts.held.is_empty()
        }) && state.backfills().iter().all(|backfill| backfill.ended.is_some())
    }

    /// I4 at the end: nothing that came was left.
    pub(super) fn check_end(&self, state: &State, now: Wall) -> Check {
        for (id, facts) in self.schedules.iter().filter(|(_, facts)| !facts.deleted && !facts.paused) {
            let job = JobKey { tenant: facts.key.tenant.clone(), name: facts.key.job.clone() };
            let off =
                state.job_runs().jobs().get(&job).is_some_and(|job| job.paused || job.deleted.is_some());
            if off || matches!(facts.spec.timing, Timing::After(_)) {
                continue;
            }
            let left = count(&facts.spec, facts.covered, facts.due(now) - SLACK);
            require(left == 0, "I4", || format!("{id}: {left} windows never came"))?;
        }
        Ok(())
    }
}

impl Facts {
    fn fired(&mut self, id: ScheduleId, window: Wall, now: Wall) -> Check {
        require(self.fired.insert(window), "I5", || format!("{id}: {window:?} fired twice"))?;
        require(self.ran.insert(window), "I5", || {
            format!("{id}: {window:?} fired, and a backfill had run it")
        })?;
        // One that waited had its time before; the schedule may say something else since.
        require(now >= window + self.offset || self.held.contains(&window), "I6", || {
            format!("{id}: {window:?} fired at {now:?}, before its time")
        })?;
        require(!self.paused && !self.deleted, "I6", || format!("{id}: {window:?} fired while it was off"))?;
        if let Some(at) = self.held.iter().position(|held| *held == window) {
            self.held.remove(at);
            return require(at == 0, "I7", || format!("{id}: {window:?} overtook another"));
        }
        self.follows(id, window)?;
        self.covered = window;
        Ok(())
    }

    fn check_overlap(&self, id: ScheduleId, state: &State) -> Check {
        let is_active = |made: &&Started| match made {
            Started::Task(task) => state.tasks().by_id(*task).is_some_and(|task| !task.status().is_ended()),
            Started::Run(run) => state.job_runs().run(*run).is_some_and(|run| !run.status.is_ended()),
        };
        let active = self.made.iter().filter(is_active).count();
        let most = match self.spec.overlap {
            Overlap::Allow => self.spec.active_max as usize,
            Overlap::Forbid | Overlap::Queue | Overlap::Coalesce => 1,
            Overlap::Replace => usize::MAX,
        };
        require(active < most, "I7", || format!("{id} began another although {active} had not ended"))
    }

    fn passed(
        &mut self,
        id: ScheduleId,
        (first, last, windows): (Wall, Wall, u64),
        outcome: Unfired,
        now: Wall,
    ) -> Check {
        if outcome.reason() == Reason::Coalesced {
            let at = self.held.iter().position(|held| *held == first);
            require(at.is_some() && windows == 1, "I7", || {
                format!("{id}: {first:?} was merged, and did not wait")
            })?;
            self.held.retain(|held| *held != first);
            return Ok(());
        }
        require(now >= last + self.offset, "I6", || {
            format!("{id}: {last:?} passed at {now:?}, before its time")
        })?;
        self.follows(id, first)?;
        if let Timing::Table(_) = self.spec.timing {
            let all = count(&self.spec, first - Millis::new(1), last);
            require(all == windows && is_target(&self.spec, last), "I7", || {
                format!("{id}: {windows} windows from {first:?} to {last:?} passed, there are {all}")
            })?;
        }
        self.covered = last;
        Ok(())
    }
}
