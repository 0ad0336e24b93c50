//! Memory of queued tasks, and what a task costs the shard thread beside a small and a large backlog. The
//! shard runs without a disk here, so that its own work is measured alone.

use std::time::Instant;

use mainspring_core::command::Command;
use mainspring_core::effect::Effect;
use mainspring_core::id::{Epoch, Seq, TaskId};
use mainspring_core::time::{Millis, Wall};
use mainspring_runtime::{Envelope, Output, Reading, Shard, ShardConfig};
use mainspring_store::{CheckpointHead, LiveRow, OpenError, Record, Recovery};

use super::load::{PAYLOAD_BYTES, Source, hello, success};
use super::{Figures, Plan, machine};

/// Beside the bytes themselves a shared payload has two counters.
const PAYLOAD_COST: u64 = PAYLOAD_BYTES as u64 + 16;
const CYCLE: u64 = 300_000;
const SLOTS: u32 = 1_000;

pub(super) fn run(plan: &Plan, figures: &mut Figures) {
    let mut costs = Vec::new();
    for backlog in [10_000, plan.scaled(5_000_000)] {
        let before = machine::resident_bytes();
        let mut rig = Diskless::new();
        rig.fill(backlog);
        if backlog > 1_000_000 {
            let used = machine::resident_bytes().saturating_sub(before) / backlog;
            let own = used.saturating_sub(PAYLOAD_COST) as f64;
            figures.add("queued_bytes", "memory per queued task beside its payload", own, "B", ("500", "300"));
        }
        rig.handle(hello(SLOTS));
        rig.cycle(CYCLE / 10);
        let start = Instant::now();
        rig.cycle(CYCLE);
        costs.push((backlog, start.elapsed().as_secs_f64() * 1e9 / CYCLE as f64));
    }
    if let [(_, small), (large_backlog, large)] = costs[..] {
        figures.add("cost_small_ns", "shard thread per task, 10,000 queued", small, "ns", ("–", "–"));
        let what = format!("shard thread per task, {large_backlog} queued");
        figures.add("cost_large_ns", &what, large, "ns", ("–", "–"));
        figures.add("cost_ratio", "ratio of the two", large / small, "×", ("1.5", "1"));
    }
}

/// A shard whose journal and tables take everything at once and keep nothing.
struct Diskless {
    shard: Shard<()>,
    source: Source,
    clock: u64,
    starts: Vec<mainspring_core::effect::Start>,
    finished: u64,
}

impl Diskless {
    fn new() -> Self {
        let reading = Reading { monotonic: Millis::ZERO, wall: Wall::from_millis(1) };
        // Cuts are left out: the tables would keep the rows, not this process.
        let config = ShardConfig {
            history: false,
            cut_every: Millis::new(u64::MAX),
            cut_rows_max: usize::MAX,
            lag_bytes_max: u64::MAX / 200,
            lag_events_max: u64::MAX / 200,
            ..ShardConfig::default()
        };
        let (shard, _) = Shard::recover(config, Epoch::new(1), &mut Empty, reading).expect("an empty store opens");
        let mut rig = Self { shard, source: Source::new(), clock: 1, starts: Vec::new(), finished: 0 };
        rig.settle();
        rig
    }

    fn reading(&mut self) -> Reading {
        Reading { monotonic: Millis::new(self.clock), wall: Wall::from_millis(self.clock) }
    }

    fn fill(&mut self, tasks: u64) {
        for _ in 0..tasks / 1000 {
            let commands = self.source.batch(1000, self.clock);
            self.accept(commands);
        }
    }

    fn handle(&mut self, command: Command) {
        self.accept(vec![command]);
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

    fn settle(&mut self) {
        let reading = self.reading();
        self.shard.step(reading);
        while let Some(output) = self.shard.poll() {
            match output {
                Output::Append(_) => self.shard.appended(Ok(())),
                Output::Effect(Effect::Start(start)) => self.starts.push(start),
                Output::Effect(Effect::Acknowledge { .. }) => self.finished += 1,
                _ => {}
            }
        }
    }
}

/// A store that never held anything.
struct Empty;

impl Recovery for Empty {
    fn head(&mut self) -> Result<CheckpointHead, OpenError> {
        Ok(CheckpointHead::default())
    }

    fn live(&mut self, _: Wall, _: &mut dyn FnMut(LiveRow)) -> Result<(), OpenError> {
        Ok(())
    }

    fn live_by_id(&mut self, _: &[TaskId], _: &mut dyn FnMut(LiveRow)) -> Result<(), OpenError> {
        Ok(())
    }

    fn tail(&mut self, _: Seq, _: &mut dyn FnMut(Record) -> Result<(), OpenError>) -> Result<(), OpenError> {
        Ok(())
    }
}
