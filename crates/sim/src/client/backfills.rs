//! What callers ask for of backfills: they read what ran, as an edge does, and ask for the rest of it, often too late.

use std::sync::Arc;

use mainspring_core::backfill::decide::{BackfillCommand, CreateBackfill};
use mainspring_core::backfill::{Only, Order, Windows};
use mainspring_core::engine::Command;
use mainspring_core::job::JobKey;
use mainspring_core::schedule::{Schedule, Target, Timing};
use mainspring_core::values::{BackfillId, Bucket, TaskId, Wall};

use crate::settings::GROUPS;
use crate::world::World;

/// Backfills that callers ask for in one world: every one of them must end.
const BACKFILLS_MAX: usize = 6;
/// Windows that are looked at for one.
const WINDOWS_MAX: u64 = 6;

fn backfill(command: BackfillCommand) -> Command {
    Command::Backfill(Box::new(command))
}

impl World {
    pub(super) fn draw_backfill_commands(&mut self) -> Vec<Command> {
        let asked = self.callers.backfills.len() as u64;
        let command = match self.chance.below(100) {
            0..70 => self.draw_backfill().map(|create| BackfillCommand::Create(Box::new(create))),
            what if asked > 0 => {
                let id = self.callers.backfills[self.chance.below(asked) as usize];
                Some(match what {
                    70..85 => BackfillCommand::Pause { id, paused: self.chance.per_mille(600) },
                    85..92 => BackfillCommand::Cancel { id },
                    _ => BackfillCommand::Read { id },
                })
            }
            _ => None,
        };
        match command {
            Some(command @ BackfillCommand::Read { .. }) => vec![backfill(command)],
            Some(command) => vec![self.perhaps_keyed(backfill(command))],
            None => vec![self.draw_submit_of(crate::worker::Nature::Plain)],
        }
    }

    fn draw_backfill(&mut self) -> Option<CreateBackfill> {
        if self.callers.backfills.len() >= BACKFILLS_MAX {
            return None;
        }
        let (pick, most) = (self.chance.draw(), 1 + self.chance.below(WINDOWS_MAX) as usize);
        let only = if self.chance.per_mille(700) { Only::Missing } else { Only::All };
        let order = Order::ALL[self.chance.below(2) as usize];
        let max_active = 1 + self.chance.below(2) as u32;
        let wall = self.clocks.callers_wall(self.now);
        let random = self.chance.draw();
        let journal = &self.checkers.journal;
        let state = journal.state();
        let fit: Vec<&Schedule> = state.schedules().iter().filter(|one| is_backfillable(one)).collect();
        let schedule = *fit.get(pick as usize % fit.len().max(1))?;
        let key = &schedule.key;
        let job = JobKey { tenant: key.tenant.clone(), name: key.job.clone() };
        let version = state.job_runs().jobs().get(&job)?.version;
        let before = schedule.next.map_or(journal.now().wall, |next| next.min(journal.now().wall));
        let ran = journal.windows.ran(schedule.id)?;
        let waits = |at: &Wall| schedule.rare.waiting.iter().any(|waiting| waiting.window == *at);
        let mut windows: Vec<Wall> = Vec::new();
        let mut at = before;
        while let Timing::Table(table) = &schedule.spec.timing
            && let Some(window) = table.previous(at)
            && windows.len() < most
        {
            at = window;
            if !waits(&window) && (only == Only::All || !ran.contains(&window)) {
                windows.push(window);
            }
            if before.since(window).get() > 600_000 {
                break;
            }
        }
        windows.reverse();
        let bits = TaskId::new(wall.millis(), Bucket::home(GROUPS.of(&key.tenant)), random).bits();
        let id = BackfillId::from_bits(bits);
        let create = CreateBackfill {
            id,
            key: (**key).clone(),
            from: Wall::ZERO,
            to: before,
            only,
            windows: Windows::new(&windows, order)?,
            max_active,
            version,
            plan: None,
            parameters: Arc::from(*b"{}"),
            written_back: journal.last(),
        };
        self.callers.backfills.push(id);
        Some(create)
    }

    /// Operators let every backfill go on that was paused.
    pub(super) fn relieve_backfills(&mut self) {
        let all = self.checkers.journal.state().backfills().iter();
        let paused = all.filter(|one| one.paused && one.ended.is_none() && one.halt.is_none());
        let paused: Vec<BackfillId> = paused.map(|one| one.id).collect();
        for id in paused {
            self.begin_operation(vec![backfill(BackfillCommand::Pause { id, paused: false })]);
        }
    }
}

fn is_backfillable(schedule: &Schedule) -> bool {
    let timed = matches!(schedule.spec.timing, Timing::Table(_));
    timed && schedule.rare.deleted.is_none() && matches!(schedule.spec.target, Target::Run { .. })
}
