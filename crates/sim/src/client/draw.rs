//! What callers ask for.

use std::sync::Arc;

use mainspring_core::engine::{ByActor, Command, Keyed};
use mainspring_core::key::{KeyClaim, KeyFact, KeyScope};
use mainspring_core::operation::{Bulk, BulkVerb, RunSelector, Selection, Selector};
use mainspring_core::retry::{Backoff, Jitter, RetryPolicy};
use mainspring_core::task::decide::{StartTime, Submit};
use mainspring_core::task::{Delivery, Profile, ProfileSpec, Status, TaskSpec, TimeLimits};
use mainspring_core::values::{
    Actor, Band, Bucket, Chance, LabelCondition, Millis, Name, OperationId, Permit, Permits, Priority,
    Requirements, Resources, TaskId, Wall,
};

use crate::settings::{GROUPS, POOLS, TENANTS};
use crate::worker::Nature;
use crate::world::World;

/// Submissions sent in one envelope, at most.
const BATCH_MAX: u64 = 6;
/// Of a thousand operations, those that submit a task that only waits.
const WAITS: u64 = 40;
/// The same of those that are about backfills, in worlds with schedules.
const BACKFILLS: u64 = 80;

impl World {
    pub(super) fn draw_commands(&mut self) -> Vec<Command> {
        if self.chance.per_mille(self.settings.schedules) {
            return self.draw_schedule_commands();
        }
        if self.chance.per_mille(self.settings.flows) {
            return self.draw_flow_commands();
        }
        if self.settings.schedules > 0 && self.chance.per_mille(BACKFILLS) {
            return self.draw_backfill_commands();
        }
        if self.chance.per_mille(WAITS) {
            return vec![if self.chance.per_mille(250) { self.draw_look() } else { self.draw_wait() }];
        }
        match self.chance.below(100) {
            0..44 => vec![self.draw_submit()],
            44..52 => (0..self.span(BATCH_MAX)).map(|_| self.draw_submit_unkeyed()).collect(),
            52..62 => vec![self.repeat_key(true)],
            62..66 => vec![self.repeat_key(false)],
            66..73 => self.on_task(|id, _| Command::Cancel { id, stop_running: false }),
            73..78 => self.on_task(|id, _| Command::Cancel { id, stop_running: true }),
            78..84 => self.on_task(|id, world| world.draw_amend(id)),
            84..88 => self.on_task(|id, _| Command::RunNow { id }),
            88..90 => self.on_task(|id, world| world.draw_force(id)),
            90..92 => {
                self.on_task(|id, _| Command::Revive { id, fact: None, over: over(), dead_only: false })
            }
            92..93 => self.on_task(|id, _| Command::Discard { id, fact: None, over: over() }),
            93..98 => self.on_task(|id, _| Command::Read { id }),
            _ if self.chance.per_mille(500) => {
                let wish =
                    if self.chance.per_mille(100) { self.draw_cancel_operation() } else { self.draw_bulk() };
                vec![self.perhaps_keyed(wish)]
            }
            _ => vec![self.draw_cordon()],
        }
    }

    fn on_task(&mut self, act: impl FnOnce(TaskId, &mut Self) -> Command) -> Vec<Command> {
        let tasks = &self.callers.tasks;
        if tasks.is_empty() {
            return vec![self.draw_submit()];
        }
        // Half of the time one of the newest.
        let reach = if self.chance.per_mille(500) { tasks.len().min(5) } else { tasks.len() };
        let mut id = tasks[tasks.len() - 1 - self.chance.below(reach as u64) as usize];
        if self.settings.flows > 0 && self.chance.per_mille(300) {
            id = self.guess_task().unwrap_or(id);
        }
        let command = act(id, self);
        if matches!(command, Command::Read { .. }) {
            return vec![command];
        }
        // Some say who they are.
        let command = if self.chance.per_mille(400) {
            Command::ByActor(Box::new(ByActor { over: over(), command }))
        } else {
            command
        };
        vec![self.perhaps_keyed(command)]
    }

    /// One in four comes under a key, and one in four of those is one that was sent before.
    pub(super) fn perhaps_keyed(&mut self, command: Command) -> Command {
        if !self.chance.per_mille(250) {
            return command;
        }
        let sent = self.callers.keyed_others.len() as u64;
        if sent > 0 && self.chance.per_mille(250) {
            let again = self.callers.keyed_others[self.chance.below(sent) as usize].clone();
            return Command::Keyed(Box::new(again));
        }
        let claim = KeyClaim {
            scope: KeyScope(u128::from(self.chance.draw())),
            request: u128::from(self.chance.draw()) << 8,
            expires: Wall::from_millis(u64::MAX >> 8),
            group: GROUPS.of(TENANTS[self.chance.below(3) as usize]),
        };
        let keyed = Keyed { key: (claim, KeyFact::Absent), command };
        self.callers.keyed_others.push(keyed.clone());
        Command::Keyed(Box::new(keyed))
    }

    fn draw_amend(&mut self, id: TaskId) -> Command {
        let due = self.chance.per_mille(600).then(|| self.draw_instant());
        let priority = self.chance.per_mille(500).then(|| self.draw_priority());
        // One in four is larger than the limit; the first byte makes it a plain task from here on.
        let payload =
            self.chance.per_mille(200).then(|| Arc::from(vec![0_u8; self.chance.below(680) as usize]));
        Command::Amend { id, due, priority, payload }
    }

    fn draw_force(&mut self, id: TaskId) -> Command {
        let status = [Status::Succeeded, Status::Failed, Status::Skipped][self.chance.below(3) as usize];
        Command::Force { id, status, over: over() }
    }

    fn draw_bulk(&mut self) -> Command {
        let tenant = Name::fixed(TENANTS[self.chance.below(3) as usize]);
        // An operation with a word of its own: the checkers count what was done in its name.
        let number = self.callers.operations.len();
        let reason = Name::new(&number.to_string()).unwrap_or_default();
        let over = Some(Actor { actor: Name::fixed(BULK), reason });
        let verb = self.draw_verb();
        if let BulkVerb::CancelRuns | BulkVerb::ResumeRuns | BulkVerb::RetryRuns = verb {
            let selector = RunSelector { tenant, ..RunSelector::default() };
            return bulk(verb, Selection::Runs(Box::new(selector)), over);
        }
        let mut selector = Selector { tenant, ..Selector::default() };
        let cancels = matches!(verb, BulkVerb::CancelTasks { .. });
        if cancels && self.chance.per_mille(300) {
            selector.statuses = vec![Status::Queued, Status::RetryWait];
        }
        if self.chance.per_mille(200) {
            selector.labels = vec![(Name::fixed("team"), Name::fixed("ops"))];
        }
        bulk(verb, Selection::Tasks(Box::new(selector)), over)
    }

    /// Without a history there is nothing that could be queued again.
    fn draw_verb(&mut self) -> BulkVerb {
        let stop_running = self.chance.per_mille(500);
        match self.chance.below(if self.settings.shard.history { 12 } else { 7 }) {
            0 | 1 => BulkVerb::CancelTasks { stop_running },
            2 => BulkVerb::CancelRuns,
            3 => BulkVerb::ResumeRuns,
            4 => BulkVerb::RunTasksNow,
            5 | 6 => BulkVerb::SetPriority(self.draw_priority()),
            7..10 => BulkVerb::RetryTasks,
            10 => BulkVerb::DiscardTasks,
            _ => BulkVerb::RetryRuns,
        }
    }

    /// Mostly of one that was there.
    pub(super) fn draw_cancel_operation(&mut self) -> Command {
        let id = OperationId::new(1 + self.chance.below(12));
        Command::CancelOperation { id, over: over() }
    }

    pub(super) fn draw_priority(&mut self) -> Priority {
        let band = Band::ALL[self.chance.below(3) as usize];
        Priority::new(band, self.chance.below(11) as u8).unwrap_or_default()
    }

    fn draw_submit(&mut self) -> Command {
        let Command::Submit(mut submit) = self.draw_submit_unkeyed() else {
            unreachable!("a submission was drawn")
        };
        if self.chance.per_mille(500) {
            let scope = KeyScope(u128::from(self.chance.draw()));
            submit.id = self.mint(&submit.task.profile.tenant, true);
            let claim = KeyClaim {
                scope,
                request: u128::from(self.chance.draw()),
                expires: Wall::from_millis(u64::MAX >> 8),
                group: submit.id.bucket().group(),
            };
            submit.key = Some((claim, KeyFact::Absent));
            self.callers.keyed.push((claim, (*submit).clone()));
        }
        Command::Submit(submit)
    }

    /// For a time, for an event, for a run that was triggered, or for one that nobody knows.
    fn draw_wait(&mut self) -> Command {
        let Command::Submit(mut submit) = self.draw_submit_unkeyed() else {
            unreachable!("a submission was drawn")
        };
        let runs = self.callers.runs.len() as u64;
        let run = match self.chance.below(10) {
            0..4 => 0,
            4..7 => crate::words::EVENT,
            7..9 if runs > 0 => self.callers.runs[self.chance.below(runs) as usize].bits(),
            _ => u128::from(self.chance.draw()) | 1,
        };
        let ms = self.span(60_000);
        submit.task.payload = [run.to_le_bytes().as_slice(), &ms.to_le_bytes()].concat().into();
        let spec = ProfileSpec { executor: Name::fixed("wait"), ..(**submit.task.profile).clone() };
        submit.task.profile = Profile::new(spec);
        Command::Submit(submit)
    }

    /// A worker looks, if there is one in time.
    fn draw_look(&mut self) -> Command {
        let Command::Submit(mut submit) = self.draw_submit_unkeyed() else {
            unreachable!("a submission was drawn")
        };
        let spec = ProfileSpec { executor: Name::fixed("poll"), ..(**submit.task.profile).clone() };
        submit.task.profile = Profile::new(spec);
        Command::Submit(submit)
    }

    /// The same key again, under a new id: with the same request, or with another.
    fn repeat_key(&mut self, same: bool) -> Command {
        if self.callers.keyed.is_empty() {
            return self.draw_submit();
        }
        let count = self.callers.keyed.len();
        let reach = if self.chance.per_mille(600) { count.min(3) } else { count };
        let (mut claim, mut submit) =
            self.callers.keyed[count - 1 - self.chance.below(reach as u64) as usize].clone();
        if !same {
            claim.request ^= 1;
        }
        submit.id = self.mint(&submit.task.profile.tenant, true);
        submit.key = Some((claim, KeyFact::Absent));
        Command::Submit(Box::new(submit))
    }

    fn mint(&mut self, tenant: &str, keyed: bool) -> TaskId {
        let (wall, group) = (self.clocks.callers_wall(self.now).millis(), GROUPS.of(tenant));
        let bucket = if keyed { Bucket::home(group) } else { Bucket::spread(group, self.chance.draw()) };
        TaskId::new(wall, bucket, self.chance.draw())
    }

    pub(crate) fn draw_submit_unkeyed(&mut self) -> Command {
        let nature = match self.chance.below(100) {
            0..55 => Nature::Plain,
            _ => Nature::ALL[self.chance.below(Nature::ALL.len() as u64) as usize],
        };
        self.draw_submit_of(nature)
    }

    pub(crate) fn draw_submit_of(&mut self, nature: Nature) -> Command {
        let index = Nature::ALL.iter().position(|other| *other == nature).unwrap_or_default();
        let mut payload = vec![index as u8];
        payload.resize(1 + self.chance.below(40) as usize, 0xab);
        let start = match self.chance.below(100) {
            0..65 => StartTime::Now,
            65..80 => StartTime::After(Millis::new(self.span(5_000))),
            _ => StartTime::At(self.draw_instant()),
        };
        let labels =
            self.chance.per_mille(200).then(|| Arc::from(vec![(Name::fixed("team"), Name::fixed("ops"))]));
        let profile = Profile::new(self.draw_spec(nature));
        Command::Submit(Box::new(Submit {
            id: self.mint(&profile.tenant, false),
            task: TaskSpec {
                profile,
                payload: Arc::from(payload),
                priority: self.draw_priority(),
                labels,
                permits: self.draw_seats(),
            },
            start,
            key: None,
            resent: false,
        }))
    }

    /// A few limits with a few keys, so that tasks meet there.
    fn draw_seats(&mut self) -> Option<Permits> {
        let count = if self.chance.per_mille(250) { 1 + self.chance.below(2) } else { 0 };
        let permit = |at: u64, chance: &mut Chance| Permit {
            limit: Name::fixed(["db", "customer"][at as usize]),
            key: Name::fixed(["", "a", "b"][chance.below(3) as usize]),
            max: [None, Some(1), Some(2)][chance.below(3) as usize],
        };
        let first = self.chance.below(2);
        let permits: Vec<Permit> = (0..count).map(|at| permit((first + at) % 2, &mut self.chance)).collect();
        (!permits.is_empty()).then(|| permits.into())
    }

    /// Past, near, or so far off that the task is parked.
    fn draw_instant(&mut self) -> Wall {
        let park = self.settings.shard.park_beyond.get();
        let now = self.clocks.callers_wall(self.now);
        match self.chance.below(4) {
            0 => now - Millis::new(self.span(10_000)),
            1 => now + Millis::new(self.span(4_000)),
            _ => now + Millis::new(park + self.span(park * 4)),
        }
    }

    pub(super) fn draw_spec(&mut self, nature: Nature) -> ProfileSpec {
        let limits = self.draw_limits(nature);
        let requirements = self.draw_requirements();
        let backoff = match self.chance.below(4) {
            0 => Backoff::None,
            1 => Backoff::Fixed(Millis::new(300)),
            2 => Backoff::Linear(Millis::new(200)),
            _ => Backoff::Exponential { first: Millis::new(250), percent: 200 },
        };
        let jitter = if self.chance.per_mille(600) { Jitter::None } else { Jitter::Full };
        let retry = RetryPolicy {
            attempts_max: 1 + self.chance.below(4) as u32,
            backoff,
            jitter,
            cap: Millis::new(5_000),
            prefer_other_worker: self.chance.per_mille(500),
            ..RetryPolicy::default()
        };
        ProfileSpec {
            tenant: Name::fixed(TENANTS[self.chance.below(3) as usize]),
            job: Name::fixed(if self.chance.per_mille(500) { "mail" } else { "" }),
            executor: Name::fixed("process"),
            requirements,
            retry,
            limits,
            delivery: if self.chance.per_mille(300) { Delivery::AtMostOnce } else { Delivery::AtLeastOnce },
        }
    }

    fn draw_limits(&mut self, nature: Nature) -> TimeLimits {
        let some = |share: u64, from: u64, width: u64, chance: &mut Chance| {
            chance.per_mille(share).then(|| Millis::new(from + chance.below(width)))
        };
        let chance = &mut self.chance;
        let mut limits = TimeLimits {
            accept: Millis::new(800 + chance.below(8_000)),
            soft: some(200, 500, 3_000, chance),
            hard: some(250, 2_000, 8_000, chance),
            progress: some(150, 1_500, 4_000, chance),
            grace: Millis::new(200 + chance.below(2_000)),
        };
        if nature == Nature::Hang && limits.progress.is_none() {
            limits.hard.get_or_insert(Millis::from_secs(4));
        }
        limits
    }

    /// Never more than the largest worker of the pool has.
    fn draw_requirements(&mut self) -> Requirements {
        let cpu_milli = [0, 0, 500, 1_000, 3_000][self.chance.below(5) as usize];
        let mut resources = Resources::default();
        resources.cpu_milli = cpu_milli;
        resources.memory_bytes = if self.chance.per_mille(300) { 1 << 20 } else { 0 };
        let labels = match self.chance.below(10) {
            0 => vec![LabelCondition::Is(Name::fixed("disk"), Name::fixed("ssd"))],
            1 => vec![LabelCondition::IsNot(Name::fixed("disk"), Name::fixed("hdd"))],
            _ => Vec::new(),
        };
        Requirements {
            pool: Name::fixed(POOLS[self.chance.below(POOLS.len() as u64) as usize]),
            resources,
            labels,
            zone: Name::fixed(if self.chance.per_mille(150) { "north" } else { "" }),
        }
    }
}

pub(super) fn over() -> Actor {
    Actor { actor: Name::fixed("operator"), reason: Name::fixed("because") }
}

/// Whoever asks for bulk work; the reason says which.
pub(crate) const BULK: &str = "bulk";

fn bulk(verb: BulkVerb, of: Selection, over: Option<Actor>) -> Command {
    Command::Bulk(Box::new(Bulk { verb, of, before: Wall::ZERO, over, total: None, words: "".into() }))
}
