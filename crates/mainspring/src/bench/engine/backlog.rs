//! Memory of queued tasks, and what a task costs the shard thread beside a small and a large backlog. The
//! shard runs without a disk here, so that its own work is measured alone.

use std::time::Instant;

use mainspring_core::decision::Effect;
use mainspring_core::engine::Command;
use mainspring_core::values::{Millis, Wall};
use mainspring_runtime::{Envelope, Output, Reading, Shard, ShardConfig};
use mainspring_sim::SimStore;
use mainspring_store::Store;

use super::load::{PAYLOAD_BYTES, Source, hello, success};
use super::{Figures, Plan, machine};

/// Beside the bytes themselves a shared payload has two counters.
const PAYLOAD_COST: u64 = PAYLOAD_BYTES as u64 + 16;
const CYCLE: u64 = 300_000;
const SLOTS: u32 = 1_000;

pub(super) fn run(plan: &Plan, figures: &mut Figures) {
    // The large one first: only a fresh process shows in its resident memory what the tasks take.
    let before = machine::resident_bytes();
    let large_backlog = plan.scaled(5_000_000);
    let mut rig = Diskless::new();
    rig.fill(large_backlog);
    let used = machine::resident_bytes().saturating_sub(before) / large_backlog;
    let own = used.saturating_sub(PAYLOAD_COST) as f64;
    figures.add("queued_bytes", "memory per queued task beside its payload", own, "B", ("500", "300"));
    let large = rig.cost();
    drop(rig);
    let mut rig = Diskless::new();
    rig.fill(10_000);
    let small = rig.cost();
    figures.add("cost_small_ns", "shard thread per task, 10,000 queued", small, "ns", ("–", "–"));
    let what = format!("shard thread per task, {large_backlog} queued");
    figures.add("cost_large_ns", &what, large, "ns", ("–", "–"));
    figures.add("cost_ratio", "ratio of the two", large / small, "×", ("1.5", "1"));
}

/// A shard whose journal and tables take everything at once and keep nothing.
struct Diskless {
    shard: Shard<()>,
    source: Source,
    clock: u64,
    starts: Vec<mainspring_core::decision::Start>,
    finished: u64,
}

impl Diskless {
    fn new() -> Self {
        let reading = Reading::new(Millis::ZERO, Wall::from_millis(1));
        let config = ShardConfig { history: false, ..ShardConfig::default() };
        let mut opened = SimStore::default().open().expect("memory can be opened");
        let recovered = Shard::recover(config, opened.epoch, &mut opened.recovery, reading);
        let (shard, _) = recovered.expect("an empty store opens");
        let mut rig = Self { shard, source: Source::new(), clock: 1, starts: Vec::new(), finished: 0 };
        rig.settle();
        rig
    }

    fn reading(&mut self) -> Reading {
        Reading::new(Millis::new(self.clock), Wall::from_millis(self.clock))
    }

    fn fill(&mut self, tasks: u64) {
        for _ in 0..tasks / 1000 {
            let commands = self.source.batch(1000, self.clock);
            self.accept(commands);
        }
    }

    /// Nanoseconds for one task in and one out, beside what is queued.
    fn cost(&mut self) -> f64 {
        self.accept(vec![hello(SLOTS)]);
        self.cycle(CYCLE / 10);
        let start = Instant::now();
        self.cycle(CYCLE);
        start.elapsed().as_secs_f64() * 1e9 / CYCLE as f64
    }

    /// One task in, one task out, `count` times.
    fn cycle(&mut self, count: u64) {
        let goal = self.finished + count;
        while self.finished < goal {
            let mut commands: Vec<Command> = self.starts.drain(..).map(|start| success(&start)).collect();
            for _ in 0..commands.len() {
                commands.push(self.source.submit(self.clock));
            }
            self.accept(commands);
        }
    }

    fn accept(&mut self, commands: Vec<Command>) {
        self.clock += 1;
        let reading = self.reading();
        self.shard.accept(Envelope { commands, reply: () }, reading);
        self.settle();
    }

    fn work(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Start(start) => self.starts.push(start),
                Effect::Acknowledge { .. } => self.finished += 1,
                Effect::Stop { .. }
                | Effect::SessionLost { .. }
                | Effect::Drain { .. }
                | Effect::Alert { .. }
                | Effect::RunAlert { .. }
                | Effect::ScheduleAlert { .. }
                | Effect::RunEnded { .. }
                | Effect::JobDeleted { .. }
                | Effect::Changed { .. }
                | Effect::News(_) => {}
            }
        }
    }

    fn settle(&mut self) {
        let reading = self.reading();
        self.shard.step(reading);
        while let Some(output) = self.shard.poll() {
            match output {
                Output::Append(record) => {
                    drop(record);
                    self.shard.appended(Ok(()));
                }
                Output::Cut(cut) => {
                    drop(cut);
                    self.shard.cut_done(Ok(()));
                }
                Output::Barrier(barrier) => self.shard.barrier_passed(barrier),
                Output::Page { .. } => self.shard.paged(Vec::new(), reading),
                Output::Effects(effects) => self.work(effects),
                _ => {}
            }
        }
    }
}
