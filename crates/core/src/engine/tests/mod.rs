//! Stories of single tasks, told to the engine through its door. Every story is also folded into a second
//! state from its events alone, and the two are compared after every step.

mod arrows;
mod attempt_details;
mod backfills;
mod bulk;
mod cancel;
mod checkpoints;
mod deadlines;
mod failures;
mod force;
mod guard;
mod mass_loss;
mod questions;
mod recovery;
mod runs;
mod schedules;
mod sessions;
mod stalls;
mod submitting;
mod sweep;
mod triggers;

use std::collections::BTreeSet;
use std::sync::Arc;

use super::command::{Answer, Command};
use super::{Batch, Engine, EngineConfig};
use crate::decision::{Effect, Rejection, ReportVerdict, Start};
use crate::event::Event;
use crate::retry::{Backoff, Jitter, RetryPolicy};
use crate::state::{State, fold};
use crate::task::decide::{Report, ReportKind, StartTime, Submit};
use crate::task::{Arrow, Profile, ProfileSpec, Status, Task, TaskSpec, TaskState, Transition};
use crate::values::{
    Actor, Bucket, Elapsed, Epoch, Failure, FailureClass, Fence, Group, Incarnation, Millis, Name, Now,
    Priority, Requirements, RunId, Seq, Session, TaskId, WorkerId,
};
use crate::wait::FoundRun;
use crate::worker::WorkerOffer;
use crate::worker::decide::{Hello, Holding, SessionCommand};

pub(super) const START: u64 = 1_000_000;

pub(super) struct Rig {
    pub(super) engine: Engine,
    /// The same events, folded apart.
    shadow: State,
    pub(super) now: Now,
    pub(super) effects: Vec<Effect>,
    pub(super) arrows: BTreeSet<Arrow>,
    pub(super) events: Vec<Event>,
    ids: u64,
}

pub(super) fn rig() -> Rig {
    Rig::with(EngineConfig::default())
}

/// Retries at once three times, gives up on permanent failures.
pub(super) fn spec() -> ProfileSpec {
    ProfileSpec {
        tenant: Name::fixed("acme"),
        job: Name::fixed("job"),
        requirements: Requirements { pool: Name::fixed("default"), ..Requirements::default() },
        retry: RetryPolicy {
            attempts_max: 3,
            backoff: Backoff::Fixed(Millis::new(100)),
            jitter: Jitter::None,
            ..RetryPolicy::default()
        },
        ..ProfileSpec::default()
    }
}

pub(super) fn over() -> Actor {
    Actor { actor: Name::fixed("ann"), reason: Name::fixed("because") }
}

pub(super) fn failed(class: FailureClass) -> ReportKind {
    ReportKind::Failed(Failure::new(class, 1, "boom"))
}

pub(super) const OK: ReportKind = ReportKind::Succeeded { output: None };

impl Rig {
    pub(super) fn with(config: EngineConfig) -> Self {
        let mut rig = Self {
            engine: Engine::new(config),
            shadow: State::default(),
            now: Now::new(START, START),
            effects: Vec::new(),
            arrows: BTreeSet::new(),
            events: Vec::new(),
            ids: 0,
        };
        rig.start_epoch(1);
        rig
    }

    pub(super) fn start_epoch(&mut self, epoch: u64) {
        self.begin();
        let mut batch = Batch::default();
        self.engine.start_epoch(Epoch::new(epoch), &mut batch);
        // What is owed is not armed before `recover`.
        for event in &batch.events {
            fold(&mut self.shadow, event);
        }
    }

    fn begin(&mut self) {
        let seq = self.shadow.seq.next();
        self.engine.begin(seq, self.now);
        self.shadow.begin(seq, self.now);
    }

    pub(super) fn tell(&mut self, command: Command) -> Result<Answer, Rejection> {
        self.begin();
        let accepted = match &command {
            Command::Report(report) if matches!(report.what, ReportKind::Accepted) => {
                Some((report.task, report.fence))
            }
            _ => None,
        };
        let mut batch = Batch::default();
        let answer = self.engine.handle(command, &mut batch);
        if let Some((id, fence)) = accepted {
            self.shadow_accepts(id, fence);
        }
        self.engine.advance(&mut batch, usize::MAX);
        self.engine.place(&mut batch, usize::MAX);
        self.absorb(batch);
        answer
    }

    /// Lets time pass and runs what became due.
    pub(super) fn pass(&mut self, ms: u64) {
        self.now = Now { elapsed: self.now.elapsed + Millis::new(ms), wall: self.now.wall + Millis::new(ms) };
        loop {
            self.begin();
            let mut batch = Batch::default();
            self.engine.run_due(&mut batch);
            self.engine.advance(&mut batch, usize::MAX);
            self.engine.place(&mut batch, usize::MAX);
            self.absorb(batch);
            let operations = self.engine.state().operations();
            let waits_for_room = operations.has_deliveries() || operations.has_announcements();
            if !self.engine.has_work() && !waits_for_room {
                return;
            }
        }
    }

    fn absorb(&mut self, batch: Batch) {
        for event in &batch.events {
            let from = event.task().and_then(|id| self.shadow.tasks().by_id(id)).map(Task::status);
            let change = fold(&mut self.shadow, event);
            if let (Some(cause), Some(change)) = (cause(event), change) {
                self.arrows.insert(Arrow { from, cause, to: change.to });
            }
        }
        self.events.extend(batch.events);
        self.effects.extend(batch.effects);
        self.check();
    }

    /// The fold equals the engine's state, and everything owed is armed.
    #[track_caller]
    fn check(&self) {
        for (_, task) in self.engine.state().tasks().iter() {
            let folded = self.shadow.tasks().by_id(task.id).expect("the fold has every task");
            assert_eq!(hardened(task), hardened(folded));
        }
        for (_, run) in self.engine.state().job_runs().runs().iter() {
            let folded = self.shadow.job_runs().run(run.id).expect("the fold has every run");
            runs::assert_same(run, folded);
        }
        for schedule in self.engine.state().schedules().iter() {
            assert_eq!(
                Some(schedule),
                self.shadow.schedules().get(schedule.id),
                "the fold has every schedule"
            );
        }
        for backfill in self.engine.state().backfills().iter() {
            assert_eq!(
                Some(backfill),
                self.shadow.backfills().get(backfill.id),
                "the fold has every backfill"
            );
        }
        assert_eq!(self.engine.unpaid(), vec![], "everything owed is armed");
    }

    fn shadow_accepts(&mut self, id: TaskId, fence: Fence) {
        let Some(index) = self.shadow.tasks().find(id) else { return };
        if self.shadow.tasks().get(index).and_then(Task::lease).is_some_and(|lease| lease.fence == fence) {
            self.shadow.accept(index, Elapsed::ZERO);
            self.arrows.insert(Arrow {
                from: Some(Status::Assigned),
                cause: Transition::Accepted,
                to: Status::Running,
            });
        }
    }

    pub(super) fn next_id(&mut self) -> TaskId {
        self.ids += 1;
        TaskId::new(START, Bucket::spread(Group::ZERO, self.ids), self.ids)
    }

    pub(super) fn command(&mut self, spec: ProfileSpec, start: StartTime) -> Submit {
        Submit {
            id: self.next_id(),
            task: TaskSpec::new(Profile::new(spec), Arc::from(*b"payload")),
            start,
            key: None,
            resent: false,
        }
    }

    pub(super) fn submit_as(&mut self, spec: ProfileSpec, start: StartTime) -> TaskId {
        let submit = self.command(spec, start);
        let id = submit.id;
        self.tell(Command::Submit(Box::new(submit))).expect("accepted");
        id
    }

    pub(super) fn submit(&mut self) -> TaskId {
        self.submit_as(spec(), StartTime::Now)
    }

    /// Says hello as worker `n`, first life, with these attempts in hand.
    pub(super) fn hello(&mut self, n: u64, session: u64, incarnation: u64, holding: &[(TaskId, Fence)]) {
        let held = |(task, fence): &(TaskId, Fence)| Holding { task: *task, fence: *fence, ran: None };
        self.hello_with(n, session, incarnation, holding.iter().map(held).collect());
    }

    pub(super) fn hello_with(&mut self, n: u64, session: u64, incarnation: u64, holding: Vec<Holding>) {
        let offer = WorkerOffer { pool: Name::fixed("default"), slots: 1000, ..WorkerOffer::default() };
        let hello = Hello {
            worker: worker(n),
            epoch: Epoch::ZERO,
            session: Session::new(session),
            incarnation: Incarnation::new(incarnation),
            offer,
            holding,
        };
        self.tell(Command::Session(SessionCommand::Hello(Box::new(hello)))).expect("never refused");
    }

    /// A task that runs on worker 1.
    pub(super) fn running(&mut self, spec: ProfileSpec) -> TaskId {
        if self.engine.workers().find(worker(1)).is_none() {
            self.hello(1, 1, 1, &[]);
        }
        let id = self.submit_as(spec, StartTime::Now);
        self.report(id, ReportKind::Accepted);
        id
    }

    pub(super) fn start_of(&self, id: TaskId) -> Start {
        let starts = self.effects.iter().rev().filter_map(|effect| match effect {
            Effect::Start(start) if start.task == id => Some(start.clone()),
            _ => None,
        });
        starts.into_iter().next().expect("the task was started")
    }

    /// The holder of the newest start says this.
    pub(super) fn report(&mut self, id: TaskId, what: ReportKind) -> Option<ReportVerdict> {
        let start = self.start_of(id);
        self.report_with(id, start.fence, start.worker, start.session, what)
    }

    pub(super) fn report_with(
        &mut self,
        task: TaskId,
        fence: Fence,
        worker: WorkerId,
        session: Session,
        what: ReportKind,
    ) -> Option<ReportVerdict> {
        let before = self.effects.len();
        self.tell(Command::Report(Box::new(Report { worker, session, task, fence, what, details: None })))
            .expect("never refused");
        self.effects[before..].iter().find_map(|effect| match effect {
            Effect::Acknowledge { verdict, .. } => Some(*verdict),
            _ => None,
        })
    }

    /// What the tables had of a run that a task waits for.
    pub(super) fn find_run(&mut self, task: TaskId, run: RunId, found: FoundRun) {
        self.begin();
        let mut batch = Batch::default();
        self.engine.run_found(task, run, found, &mut batch);
        self.engine.advance(&mut batch, usize::MAX);
        self.absorb(batch);
    }

    pub(super) fn heartbeat(&mut self, n: u64, session: u64) {
        let command = SessionCommand::Heartbeat { worker: worker(n), session: Session::new(session) };
        self.tell(Command::Session(command)).expect("never refused");
    }

    pub(super) fn task(&self, id: TaskId) -> &Task {
        self.engine.state().tasks().by_id(id).expect("the task is in memory")
    }

    pub(super) fn status(&self, id: TaskId) -> Status {
        self.task(id).status()
    }

    pub(super) fn stops(&self, id: TaskId) -> usize {
        self.effects
            .iter()
            .filter(|effect| matches!(effect, Effect::Stop { task, .. } if *task == id))
            .count()
    }

    pub(super) fn starts(&self, id: TaskId) -> usize {
        self.effects
            .iter()
            .filter(|effect| matches!(effect, Effect::Start(start) if start.task == id))
            .count()
    }
}

pub(super) fn worker(n: u64) -> WorkerId {
    WorkerId::from_bits(u128::from(n))
}

/// A task without what is soft.
fn hardened(task: &Task) -> Task {
    let mut task = task.clone();
    task.stored = crate::collections::Soft(false);
    task.touched = Seq::ZERO;
    if let Some(lease) = task.state.lease_mut() {
        lease.soft = crate::collections::Soft(crate::task::LeaseSoft::at(lease.assigned));
    }
    task
}

fn cause(event: &Event) -> Option<Transition> {
    match event {
        Event::TaskSubmitted(_) | Event::TaskSpawned { .. } => Some(Transition::Submitted),
        Event::TaskDue { .. } => Some(Transition::Due),
        Event::TaskAssigned { .. } => Some(Transition::Assigned),
        Event::TaskUnassigned { .. } => Some(Transition::Unassigned),
        Event::TaskSucceeded { .. } => Some(Transition::Succeeded),
        Event::TaskWaits { .. } => Some(Transition::Waits),
        Event::WaitEnded { .. } => Some(Transition::WaitEnded),
        Event::AttemptFailed { .. } => Some(Transition::AttemptFailed),
        Event::TaskDeferred { .. } => Some(Transition::Deferred),
        Event::TaskCancelled { .. } => Some(Transition::Cancelled),
        Event::TaskForced { .. } => Some(Transition::Forced),
        Event::TaskRevived { .. } => Some(Transition::Revived),
        Event::EpochStarted { .. }
        | Event::Run(_)
        | Event::Schedule(_)
        | Event::Backfill(_)
        | Event::Trigger(_)
        | Event::Cordon(_)
        | Event::StopRequested { .. }
        | Event::ForceRequested { .. }
        | Event::PollBegan { .. }
        | Event::TaskAmended { .. }
        | Event::TaskNoted { .. }
        | Event::CheckpointSaved { .. }
        | Event::DetailsReported { .. }
        | Event::DeadlineExtended { .. }
        | Event::KeyBound { .. }
        | Event::OperationStarted { .. }
        | Event::OperationAdvanced { .. }
        | Event::OperationEnded { .. } => None,
    }
}
