//! The shard driven by hand: the test is the journal, the tables, the loader and the clock.

mod commit;
mod cuts;
mod entities;
mod flows;
mod lookups;
mod opening;
mod quarantine;
mod renew;
mod schedules;
mod tables;

use std::collections::BTreeMap;
use std::sync::Arc;

use mainspring_core::decision::{Effect, Rejection, Start};
use mainspring_core::engine::{Answer, Command};
use mainspring_core::task::decide::{Report, ReportKind, StartTime, Submit};
use mainspring_core::task::{Profile, ProfileSpec, Task, TaskSpec};
use mainspring_core::values::{
    Bucket, Epoch, Group, Incarnation, Millis, Name, Priority, Requirements, RunId, Seq, Session, TaskId,
    Wall, WorkerId,
};
use mainspring_core::wait::FoundRun;
use mainspring_core::worker::WorkerOffer;
use mainspring_core::worker::decide::{Hello, SessionCommand};
use mainspring_store::{AppendError, Cut, LiveRow, Record};

use self::tables::Disk;
use super::{Envelope, Output, Replies, Shard, StopCause, find_run};
use crate::clock::Reading;
use crate::config::ShardConfig;

const START: u64 = 1_000_000;

struct Rig {
    shard: Shard<u32>,
    disk: Disk,
    config: ShardConfig,
    ms: u64,
    appends: Vec<Arc<Record>>,
    cuts: Vec<Arc<Cut>>,
    barriers: Vec<u64>,
    answers: BTreeMap<u32, Replies>,
    starts: Vec<Start>,
    loads: Vec<(TaskId, Command, u32)>,
    run_loads: Vec<(RunId, Command, u32)>,
    pages: Vec<(Wall, Wall)>,
    run_lookups: Vec<(TaskId, RunId)>,
    retries: usize,
    renewals: usize,
    stopped: Option<StopCause>,
    ids: u64,
}

fn rig_with(config: ShardConfig) -> Rig {
    let mut rig = Rig::open(Disk::default(), config, 1, START);
    rig.run();
    rig
}

/// Cuts only when a test asks for it.
fn quiet() -> ShardConfig {
    ShardConfig { cut_every: Millis::new(u64::MAX / 2), ..ShardConfig::default() }
}

impl Rig {
    fn open(mut disk: Disk, config: ShardConfig, epoch: u64, ms: u64) -> Self {
        // The kernel vouches for the clock.
        let reading = Reading { synchronised: true, ..Reading::new(Millis::new(ms), Wall::from_millis(ms)) };
        let (shard, _) = Shard::recover(config, Epoch::new(epoch), &mut disk, reading).expect("opens");
        let mut rig = Self {
            shard,
            disk,
            config,
            ms,
            appends: vec![],
            cuts: vec![],
            barriers: vec![],
            answers: BTreeMap::new(),
            starts: vec![],
            loads: vec![],
            run_loads: vec![],
            pages: vec![],
            run_lookups: vec![],
            retries: 0,
            renewals: 0,
            stopped: None,
            ids: epoch * 1000,
        };
        rig.collect();
        rig
    }

    /// Memory is lost; the disk is not.
    fn crash_and_open(self, epoch: u64) -> Self {
        let mut next = Self::open(self.disk, self.config, epoch, self.ms);
        next.run();
        next
    }

    fn reading(&self) -> Reading {
        Reading::new(Millis::new(self.ms), Wall::from_millis(self.ms))
    }

    fn tell(&mut self, reply: u32, commands: Vec<Command>) {
        let reading = self.reading();
        self.shard.accept(Envelope { commands, reply }, reading);
        self.step();
    }

    fn step(&mut self) {
        let reading = self.reading();
        self.shard.step(reading);
        self.collect();
    }

    fn collect(&mut self) {
        while let Some(output) = self.shard.poll() {
            match output {
                Output::Append(record) => self.appends.push(record),
                Output::Cut(cut) => self.cuts.push(cut),
                Output::Trim(_) => {}
                Output::Load { id, command, reply } => self.loads.push((id, command, reply)),
                Output::LoadRun { id, command, reply } => self.run_loads.push((id, command, reply)),
                Output::Page { after, until, .. } => self.pages.push((after.0, until)),
                Output::PageFor { .. } => {}
                Output::FindRun { task, run } => self.run_lookups.push((task, run)),
                Output::Barrier(barrier) => self.barriers.push(barrier),
                Output::Answer { reply, results } => drop(self.answers.insert(reply, results)),
                Output::Effects(effects) => {
                    self.starts.extend(effects.into_iter().filter_map(|effect| match effect {
                        Effect::Start(start) => Some(start),
                        _ => None,
                    }));
                }
                Output::Renew => self.renewals += 1,
                Output::RetryAppend(_) => self.retries += 1,
                Output::Stopped(cause) => self.stopped = Some(cause),
            }
        }
    }

    /// The journal answers.
    fn append(&mut self, result: Result<(), AppendError>) {
        let record = self.appends.pop().expect("an append is under way");
        assert!(self.appends.is_empty(), "one at a time");
        if result.is_ok() {
            self.disk.records.push(record);
        }
        self.shard.appended(result);
        self.collect();
    }

    fn write_cut(&mut self) {
        let cut = self.cuts.pop().expect("a cut is under way");
        self.disk.write(&cut);
        self.shard.cut_done(Ok(()));
        self.collect();
    }

    /// Everything that was asked for succeeds, until nothing more is asked for.
    fn run(&mut self) {
        loop {
            self.step();
            if !self.appends.is_empty() {
                self.append(Ok(()));
            } else if !self.cuts.is_empty() {
                self.write_cut();
            } else if let Some(barrier) = self.barriers.pop() {
                self.shard.barrier_passed(barrier);
            } else if let Some((id, command, reply)) = self.loads.pop() {
                let (found, reading) = (self.disk.find(id), self.reading());
                self.shard.loaded(command, reply, found, reading);
            } else if let Some((id, command, reply)) = self.run_loads.pop() {
                let (found, reading) = (find_run(&mut self.disk, id).expect("readable"), self.reading());
                self.shard.loaded_run(command, reply, found, reading);
            } else if let Some((task, run)) = self.run_lookups.pop() {
                let (found, reading) = (find_run(&mut self.disk, run), self.reading());
                self.shard.run_found(task, run, FoundRun::of(&found), reading);
            } else if let Some((after, until)) = self.pages.pop() {
                let due = |row: &&LiveRow| row.parked_due.is_some_and(|due| due > after && due <= until);
                let rows = self.disk.live.values().filter(due).cloned().collect();
                let reading = self.reading();
                self.shard.paged(rows, reading);
            } else if std::mem::take(&mut self.renewals) > 0 {
                let epoch = self.shard.epoch().next();
                self.shard.renewed(Ok(epoch));
            } else {
                return;
            }
        }
    }

    /// Tells, lets everything succeed, and answers the only result.
    fn call(&mut self, command: Command) -> Result<Answer, Rejection> {
        self.tell(9999, vec![command]);
        self.run();
        let mut results = self.answers.remove(&9999).expect("answered");
        results.pop().expect("one result")
    }

    fn task(&mut self, id: TaskId) -> Task {
        match self.call(Command::Read { id }) {
            Ok(Answer::Task(Some(task))) => *task,
            other => panic!("{other:?}"),
        }
    }

    fn submit(&mut self, start: StartTime) -> Submit {
        self.ids += 1;
        let requirements = Requirements { pool: Name::fixed("default"), ..Requirements::default() };
        let profile = Profile::new(ProfileSpec { requirements, ..ProfileSpec::default() });
        Submit {
            id: TaskId::new(self.ms, Bucket::spread(Group::ZERO, self.ids), self.ids),
            task: TaskSpec::new(profile, Arc::from(*b"payload")),
            start,
            key: None,
            resent: false,
        }
    }

    fn submitted(&mut self, start: StartTime) -> TaskId {
        let submit = self.submit(start);
        let id = submit.id;
        assert!(matches!(self.call(Command::Submit(Box::new(submit))), Ok(Answer::Submitted { .. })));
        id
    }

    fn hello(&mut self) {
        let offer = WorkerOffer { pool: Name::fixed("default"), slots: 10, ..WorkerOffer::default() };
        let hello = Hello {
            worker: WorkerId::from_bits(1),
            epoch: Epoch::ZERO,
            session: Session::new(self.shard.epoch().get()),
            incarnation: Incarnation::new(1),
            offer,
            holding: vec![],
        };
        self.call(Command::Session(SessionCommand::Hello(Box::new(hello)))).expect("never refused");
    }

    fn succeed(&mut self) {
        self.succeed_with(None);
    }

    /// The newest start ends well, with this output.
    fn succeed_with(&mut self, output: Option<&[u8]>) {
        let start = self.starts.pop().expect("a task was started");
        let report = Report {
            worker: start.worker,
            session: start.session,
            task: start.task,
            fence: start.fence,
            what: ReportKind::Succeeded { output: output.map(Arc::from) },
            details: None,
        };
        self.call(Command::Report(Box::new(report))).expect("never refused");
    }

    fn in_memory(&self, id: TaskId) -> bool {
        self.shard.engine().state().tasks().find(id).is_some()
    }
}
