//! Stories of schedules.

mod missed;
mod of_jobs;
mod overlaps;
mod sharing;
mod timing;

use std::sync::Arc;

use super::{OK, Rig, rig, spec};
use crate::calendar::{Cron, Dst, Timetable, Zone};
use crate::decision::Rejection;
use crate::engine::{Answer, Command};
use crate::event::Event;
use crate::run::RunEvent;
use crate::schedule::decide::{ScheduleAnswer, ScheduleCommand};
use crate::schedule::{
    Reason, Schedule, ScheduleEvent, ScheduleHome, ScheduleKey, Spec, TASKS_JOB, Target, Timing, Unfired,
};
use crate::task::{Profile, TaskSpec};
use crate::values::{FiredAs, Millis, Name, ScheduleId, Started, TaskId, Wall};

const MINUTE: u64 = 60_000;
const FIRST: ScheduleId = ScheduleId::from_bits(1);

/// What became of windows, in the order in which it was decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Told {
    Ran(u64, FiredAs),
    Passed { first: u64, last: u64, count: u64, outcome: Unfired },
}

fn skipped(window: u64, reason: Reason) -> Told {
    Told::Passed { first: window, last: window, count: 1, outcome: Unfired::Skipped(reason) }
}

fn key(name: &'static str) -> ScheduleKey {
    ScheduleKey { tenant: Name::fixed("acme"), job: Name::fixed(TASKS_JOB), name: Name::fixed(name) }
}

fn cron(text: &str, zone: &str) -> Timing {
    Timing::Table(Timetable::Cron {
        cron: Cron::parse(text, 0).expect("a cron expression"),
        zone: Zone::find(zone).expect("a zone"),
        dst: Dst::default(),
    })
}

/// Begins a task that needs no job.
fn tasks(timing: Timing) -> Spec {
    let task = TaskSpec::new(Profile::new(spec()), Arc::from(*b"payload"));
    Spec::new(Target::Task(Box::new(task)), timing)
}

/// At every full minute.
fn minutely() -> Spec {
    tasks(cron("* * * * *", "UTC"))
}

fn say(rig: &mut Rig, command: ScheduleCommand) -> Result<ScheduleAnswer, Rejection> {
    match rig.tell(Command::Schedule(Box::new(command)))? {
        Answer::Schedule(answer) => Ok(answer),
        other => panic!("{other:?}"),
    }
}

fn put(rig: &mut Rig, name: &'static str, spec: Spec) {
    say(rig, ScheduleCommand::Put { key: key(name), spec, own: ScheduleHome::default(), seen: None })
        .expect("accepted");
}

fn pause(rig: &mut Rig, name: &'static str, paused: bool) {
    say(rig, ScheduleCommand::Pause { key: key(name), paused, seen: None })
        .expect("there is such a schedule");
}

/// With a worker, and this schedule as `s`.
fn with(spec: Spec) -> Rig {
    let mut rig = rig();
    rig.hello(1, 1, 1, &[]);
    put(&mut rig, "s", spec);
    rig
}

impl Rig {
    fn schedule(&self) -> &Schedule {
        self.engine.state().schedules().get(FIRST).expect("there is a schedule")
    }

    fn told(&self) -> Vec<Told> {
        self.events.iter().filter_map(told).collect()
    }

    fn told_anew(&mut self) -> Vec<Told> {
        let told = self.told();
        self.events.clear();
        told
    }

    fn made(&self) -> Vec<TaskId> {
        let tasks = self.events.iter().filter_map(|event| match event {
            Event::TaskSubmitted(submitted) if submitted.window.is_some() => Some(submitted.id),
            _ => None,
        });
        tasks.collect()
    }

    /// Goes to this instant in one step, as after an outage.
    fn go_to(&mut self, wall: u64) {
        self.pass(wall - self.now.wall.millis());
    }

    /// A step a second, so that windows are met on time and the worker is not lost.
    fn live_until(&mut self, wall: u64) {
        while self.now.wall.millis() < wall {
            let ms = (wall - self.now.wall.millis()).min(1_000);
            self.pass(ms);
            if self.engine.workers().find(super::worker(1)).is_some() {
                self.heartbeat(1, 1);
            }
        }
    }

    fn succeed(&mut self, task: TaskId) {
        self.report(task, OK);
    }
}

fn told(event: &Event) -> Option<Told> {
    if let Some(fired) = event.window_fired() {
        return Some(Told::Ran(fired.window.millis(), fired.fired_as));
    }
    let Event::Schedule(event) = event else { return None };
    match event {
        ScheduleEvent::Passed(passed) => Some(Told::Passed {
            first: passed.first.millis(),
            last: passed.last.millis(),
            count: passed.count,
            outcome: passed.outcome,
        }),
        _ => None,
    }
}

/// Puts the journal so far into a new engine, as after a crash.
fn crash(rig: Rig) -> Rig {
    let mut reborn = Rig::with(crate::engine::EngineConfig::default());
    (reborn.now, reborn.ids) = (rig.now, rig.ids);
    reborn.begin();
    for event in &rig.events {
        crate::state::fold(&mut reborn.engine.state, event);
        crate::state::fold(&mut reborn.shadow, event);
    }
    reborn.start_epoch(2);
    reborn.engine.recover();
    reborn.events = rig.events;
    reborn.check();
    reborn
}
