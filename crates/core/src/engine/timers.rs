//! The wheels: tasks by either clock, workers and runs by elapsed time, schedules by the wall clock.

use crate::collections::Wheel;
use crate::task::Deadline;
use crate::values::{Elapsed, Now, RunIndex, ScheduleIndex, TaskIndex, Wall, WorkerIndex};

#[derive(Debug, Default)]
pub(super) struct Timers {
    wall: Wheel,
    elapsed: Wheel,
    workers: Wheel,
    runs: Wheel,
    schedules: Wheel,
}

impl Timers {
    /// Wheels that begin at this instant, so that arming and expiring do not cross decades of empty time.
    pub(super) fn starting_at(now: Now) -> Self {
        Self {
            wall: Wheel::new(now.wall.millis()),
            elapsed: Wheel::new(now.elapsed.millis()),
            workers: Wheel::new(now.elapsed.millis()),
            runs: Wheel::new(now.elapsed.millis()),
            schedules: Wheel::new(now.wall.millis()),
        }
    }

    pub(super) fn set(&mut self, task: TaskIndex, deadline: Option<Deadline>) {
        match deadline {
            None => {
                self.wall.disarm(task.0);
                self.elapsed.disarm(task.0);
            }
            Some(Deadline::Wall(at)) => {
                self.elapsed.disarm(task.0);
                self.wall.arm(task.0, at.millis());
            }
            Some(Deadline::Elapsed(at)) => {
                self.wall.disarm(task.0);
                self.elapsed.arm(task.0, at.millis());
            }
        }
    }

    pub(super) fn of(&self, task: TaskIndex) -> Option<Deadline> {
        let wall = self.wall.armed(task.0).map(|at| Deadline::Wall(Wall::from_millis(at)));
        wall.or_else(|| self.elapsed.armed(task.0).map(|at| Deadline::Elapsed(Elapsed::from_millis(at))))
    }

    pub(super) fn set_worker(&mut self, worker: WorkerIndex, at: Option<Elapsed>) {
        match at {
            Some(at) => self.workers.arm(worker.0, at.millis()),
            None => {
                self.workers.disarm(worker.0);
            }
        }
    }

    pub(super) fn of_worker(&self, worker: WorkerIndex) -> Option<Elapsed> {
        self.workers.armed(worker.0).map(Elapsed::from_millis)
    }

    pub(super) fn set_run(&mut self, run: RunIndex, at: Option<Elapsed>) {
        match at {
            Some(at) => self.runs.arm(run.0, at.millis()),
            None => {
                self.runs.disarm(run.0);
            }
        }
    }

    pub(super) fn of_run(&self, run: RunIndex) -> Option<Elapsed> {
        self.runs.armed(run.0).map(Elapsed::from_millis)
    }

    pub(super) fn due_runs(&mut self, elapsed: Elapsed, limit: usize) -> Vec<RunIndex> {
        let mut due = Vec::new();
        self.runs.expire(elapsed.millis(), limit, &mut due);
        due.into_iter().map(RunIndex).collect()
    }

    pub(super) fn set_schedule(&mut self, schedule: ScheduleIndex, at: Option<Wall>) {
        match at {
            Some(at) => self.schedules.arm(schedule.0, at.millis()),
            None => {
                self.schedules.disarm(schedule.0);
            }
        }
    }

    pub(super) fn of_schedule(&self, schedule: ScheduleIndex) -> Option<Wall> {
        self.schedules.armed(schedule.0).map(Wall::from_millis)
    }

    pub(super) fn due_schedules(&mut self, wall: Wall, limit: usize) -> Vec<ScheduleIndex> {
        let mut due = Vec::new();
        self.schedules.expire(wall.millis(), limit, &mut due);
        due.into_iter().map(ScheduleIndex).collect()
    }

    pub(super) fn len(&self) -> usize {
        self.wall.len() + self.elapsed.len() + self.workers.len()
    }

    pub(super) fn schedules_len(&self) -> usize {
        self.schedules.len()
    }

    /// At most `limit` due tasks of each clock.
    pub(super) fn due_tasks(&mut self, wall: Wall, elapsed: Elapsed, limit: usize) -> Vec<TaskIndex> {
        let mut due = Vec::new();
        self.wall.expire(wall.millis(), limit, &mut due);
        self.elapsed.expire(elapsed.millis(), limit, &mut due);
        due.into_iter().map(TaskIndex).collect()
    }

    pub(super) fn due_workers(&mut self, elapsed: Elapsed, limit: usize) -> Vec<WorkerIndex> {
        let mut due = Vec::new();
        self.workers.expire(elapsed.millis(), limit, &mut due);
        due.into_iter().map(WorkerIndex).collect()
    }

    pub(super) fn next_wake(&self) -> (Option<Elapsed>, Option<Wall>) {
        let elapsed = [self.elapsed.next_wake(), self.workers.next_wake(), self.runs.next_wake()]
            .into_iter()
            .flatten()
            .min();
        let wall = [self.wall.next_wake(), self.schedules.next_wake()].into_iter().flatten().min();
        (elapsed.map(Elapsed::from_millis), wall.map(Wall::from_millis))
    }
}
