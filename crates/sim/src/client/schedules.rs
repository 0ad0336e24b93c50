//! What callers ask for of schedules: a few keys, stored, edited, paused and deleted over each other.

use std::sync::Arc;

use mainspring_core::calendar::{Cron, Dst, Timetable, Zone};
use mainspring_core::engine::Command;
use mainspring_core::schedule::decide::ScheduleCommand;
use mainspring_core::schedule::{Overlap, ScheduleHome, ScheduleKey, Spec, TASKS_JOB, Target, Terms, Timing};
use mainspring_core::task::{Profile, ProfileSpec, TaskSpec};
use mainspring_core::values::{Bucket, Millis, Name, Wall};

use crate::settings::{GROUPS, TENANTS};
use crate::worker::Nature;
use crate::world::World;

const KEYS: [&str; 3] = ["s-0", "s-1", "s-2"];
const NATURES: [Nature; 4] = [Nature::Plain, Nature::Plain, Nature::Long, Nature::Flaky];

impl World {
    pub(super) fn draw_schedule_commands(&mut self) -> Vec<Command> {
        if self.chance.per_mille(300) {
            return self.draw_backfill_commands();
        }
        let key = self.draw_schedule_key();
        let command = match self.chance.below(100) {
            0..55 => self.draw_put(key),
            55..75 => ScheduleCommand::Pause { key, paused: self.chance.per_mille(500), seen: None },
            75..85 => ScheduleCommand::Delete { key, seen: None },
            85..90 => ScheduleCommand::Read { key },
            90..95 => ScheduleCommand::List { after: None, tenant: None, job: None, limit: 10 },
            _ => {
                let until = self.clocks.callers_wall(self.now) + Millis::from_secs(30);
                ScheduleCommand::Upcoming { from: 0, until, tenant: None }
            }
        };
        vec![Command::Schedule(Box::new(command))]
    }

    fn draw_schedule_key(&mut self) -> ScheduleKey {
        let tenant = self.chance.below(TENANTS.len() as u64) as usize;
        // Jobs of the world are named by `flows`; a schedule of one that is not there is refused.
        let of_job = self.settings.flows > 0 && self.chance.per_mille(500);
        let job = if of_job { ["flow-0", "flow-2"][tenant % 2] } else { TASKS_JOB };
        let name = KEYS[self.chance.below(KEYS.len() as u64) as usize];
        ScheduleKey {
            tenant: Name::fixed(TENANTS[tenant % 2]),
            job: Name::fixed(job),
            name: Name::fixed(name),
        }
    }

    fn draw_put(&mut self, key: ScheduleKey) -> ScheduleCommand {
        let of_job = &*key.job != TASKS_JOB;
        let now = self.clocks.callers_wall(self.now);
        let second = |wall: Wall| Wall::from_millis(wall.millis() / 1000 * 1000);
        let length = Millis::from_secs(1 + self.chance.below(if of_job { 30 } else { 90 }));
        let (timing, text) = self.draw_timing(now, of_job);
        let target = if of_job {
            let priority = self.chance.per_mille(300).then(|| self.draw_priority());
            Target::Run { parameters: Arc::from(*b"{}"), priority }
        } else {
            self.draw_target(&key.tenant)
        };
        let overlap = Overlap::ALL[self.chance.below(5) as usize];
        let offset = if self.chance.per_mille(300) { self.chance.below(3_000) } else { 0 };
        let terms = Terms {
            text: text.into(),
            start: self.chance.per_mille(200).then(|| second(now) + Millis::from_secs(self.chance.below(10))),
            end: Some(now + length),
            jitter: Millis::new(3_000),
            catch_up: self.chance.below(4) as u32,
            grace: Millis::from_secs([0, 5, 60][self.chance.below(3) as usize]),
            overlap,
            active_max: 1 + self.chance.below(4) as u32,
            ..Terms::new(timing)
        };
        let spec = Spec { target, terms: Arc::new(terms) };
        let own = ScheduleHome { bucket: Bucket::home(GROUPS.of(&key.tenant)), offset: Millis::new(offset) };
        ScheduleCommand::Put { key, spec, own, seen: None }
    }

    fn draw_timing(&mut self, now: Wall, slow: bool) -> (Timing, String) {
        let step = [2, 3, 5, 10, 20, 30][self.chance.below(6) as usize].max(if slow { 10 } else { 0 });
        let seconds = Wall::from_millis(now.millis() / 1000 * 1000);
        let table = match self.chance.below(100) {
            0..45 => {
                let text = format!("*/{step} * * * * *");
                let cron = Cron::parse(&text, 0).expect("a cron expression");
                let table = Timetable::Cron { cron, zone: Zone::UTC, dst: Dst::default() };
                return (Timing::Table(table), text);
            }
            45..75 => Timetable::Every { every: Millis::from_secs(step), anchor: seconds },
            75..85 => {
                let instants = (0..4).map(|_| seconds + Millis::from_secs(self.chance.below(40)));
                Timetable::instants(instants.collect())
            }
            _ => return (Timing::After(Millis::from_secs(step)), String::new()),
        };
        (Timing::Table(table), String::new())
    }

    /// A schedule begins tasks of its own tenant.
    fn draw_target(&mut self, tenant: &Name) -> Target {
        let nature = NATURES[self.chance.below(NATURES.len() as u64) as usize];
        let Command::Submit(submit) = self.draw_submit_of(nature) else {
            unreachable!("a submission was drawn")
        };
        let spec = ProfileSpec { tenant: tenant.clone(), ..ProfileSpec::clone(&submit.task.profile) };
        Target::Task(Box::new(TaskSpec { profile: Profile::new(spec), ..submit.task }))
    }
}
