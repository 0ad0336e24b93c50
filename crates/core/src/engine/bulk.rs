//! Steps of bulk work, between other commands. Each thing is handled by the command that a person would send for it alone.
//! - BS-1 a step is one record: what it did to each thing, and how far it is
//! - BS-2 a thing that cannot be handled is counted with the reason, and the others go on

use std::sync::Arc;

use super::by_actor::ByActor;
use super::command::Command;
use super::{Batch, Engine};
use crate::decision::Rejection;
use crate::event::Event;
use crate::operation::{
    Bulk, BulkVerb, Cursor, EndedPlace, Operation, OperationPage, STEP_EVENTS_MAX, STEP_SLOTS_MAX, Selection,
    StepCounts, is_repaired,
};
use crate::run::Run;
use crate::run::decide::{Clear, ClearItems, RunCommand, Signed};
use crate::schedule::decide::ScheduleCommand;
use crate::task::Task;
use crate::values::{Actor, InRun, Name, NodeInstance, OperationId, RunId, RunIndex, Seq, TaskId, TaskIndex};
use crate::worker::Availability;
use crate::worker::decide::SetCordon;

/// Of the reason why something could not be handled.
const REFUSAL_CHARS_MAX: usize = 300;

/// Rows of the tables that an operation waits for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WantedPage {
    pub operation: OperationId,
    pub bulk: Arc<Bulk>,
    pub after: Cursor,
    /// The tables must hold this record: what had ended when the call came is in them then.
    pub holding: Seq,
}

/// A step in the making.
struct Step {
    id: OperationId,
    bulk: Arc<Bulk>,
    /// Events of the record before it.
    from: usize,
    counts: StepCounts,
    refusal: Option<Arc<str>>,
    /// The server has no room for changes: the step ends before what it had come to.
    is_held_up: bool,
}

impl Step {
    fn new(id: OperationId, bulk: Arc<Bulk>, batch: &Batch) -> Self {
        let from = batch.events.len();
        Self { id, bulk, from, counts: StepCounts::default(), refusal: None, is_held_up: false }
    }

    fn is_full(&self, batch: &Batch) -> bool {
        self.is_held_up || batch.events.len() - self.from >= STEP_EVENTS_MAX
    }

    fn over(&self) -> Actor {
        let nobody = || Actor { actor: Name::default(), reason: Name::default() };
        self.bulk.over.clone().unwrap_or_else(nobody)
    }

    /// A change of a task or a schedule is noted if somebody said who they are.
    fn noted(&self, command: Command) -> Command {
        match &self.bulk.over {
            Some(over) => Command::ByActor(Box::new(ByActor { over: over.clone(), command })),
            None => command,
        }
    }

    /// A change of a run or a job is noted with it if somebody said who they are.
    fn signed(&self, command: RunCommand) -> Command {
        Command::Run(Box::new(match &self.bulk.over {
            Some(over) => RunCommand::Signed(Box::new(Signed { over: over.clone(), command })),
            None => command,
        }))
    }
}

impl Engine {
    /// A step of the first operation that can go on by itself.
    pub(super) fn run_bulk(&mut self, batch: &mut Batch) {
        let Some((id, cursor, bulk)) = self.next_in_memory() else { return };
        let of_runs = matches!(bulk.of, Selection::Runs(_));
        let step = Step::new(id, bulk, batch);
        match cursor {
            Cursor::Memory(from) if of_runs => self.step_runs(step, from, batch),
            Cursor::Memory(from) => self.step_tasks(step, from, batch),
            Cursor::Listed(from) => self.step_listed(step, from, batch),
            Cursor::Parked(_) | Cursor::Ended(_) | Cursor::EndedRuns(_) => {}
        }
    }

    /// The shell brought rows that an operation had asked for.
    pub(super) fn continue_operation(&mut self, id: OperationId, page: OperationPage, batch: &mut Batch) {
        let operation = self.state.operations.bulk(id);
        let Some((bulk, cursor)) = operation.and_then(|found| Some((found.bulk()?.clone(), found.cursor)))
        else {
            return;
        };
        let step = Step::new(id, bulk, batch);
        match (page, cursor) {
            (OperationPage::Parked { tasks, more }, Cursor::Parked(after)) => {
                self.step_parked(step, (tasks, more), after, batch);
            }
            (OperationPage::Ended { tasks, runs, next }, Cursor::Ended(after)) => {
                self.step_ended((step, after), tasks, (&runs, next), batch);
            }
            (OperationPage::Runs { runs, next }, Cursor::EndedRuns(after)) => {
                self.step_ended_runs((step, after), runs, next, batch);
            }
            // Asked for before the operation went on to something else.
            _ => {}
        }
    }

    /// Rows of the tables that the first operation that needs any waits for.
    pub fn wants_page(&self) -> Option<WantedPage> {
        self.state.operations.all_bulk().find_map(|operation| {
            let first =
                matches!(operation.cursor, Cursor::Ended(EndedPlace::START) | Cursor::EndedRuns(None));
            let holding = if first { operation.touched } else { Seq::ZERO };
            match operation.cursor {
                Cursor::Memory(_) | Cursor::Listed(_) => None,
                after => Some(WantedPage {
                    operation: operation.id,
                    bulk: operation.bulk()?.clone(),
                    after,
                    holding,
                }),
            }
        })
    }

    pub(super) fn has_bulk_work(&self) -> bool {
        self.next_in_memory().is_some()
    }

    fn next_in_memory(&self) -> Option<(OperationId, Cursor, Arc<Bulk>)> {
        let by_itself =
            |operation: &&Operation| matches!(operation.cursor, Cursor::Memory(_) | Cursor::Listed(_));
        let operation = self.state.operations.all_bulk().find(by_itself)?;
        Some((operation.id, operation.cursor, operation.bulk()?.clone()))
    }

    fn step_tasks(&mut self, mut step: Step, from: u32, batch: &mut Batch) {
        let end = from.saturating_add(STEP_SLOTS_MAX).min(self.state.tasks().end());
        let mut next = from;
        while next < end && !step.is_full(batch) {
            let task = self.state.tasks().get(TaskIndex(next));
            step.counts.looked += u32::from(task.is_some());
            let id = task.filter(|task| step.bulk.means(task)).map(|task| task.id);
            if let Some(id) = id {
                self.handle_task(&mut step, id, None, batch);
            }
            next += 1;
        }
        let done = next >= self.state.tasks().end();
        let cursor = if done { Cursor::Parked(TaskId::from_bits(0)) } else { Cursor::Memory(next) };
        self.end_step(step, cursor, false, batch);
    }

    /// Those that are meant come into memory; the others stay where they are.
    fn step_parked(
        &mut self,
        mut step: Step,
        (tasks, more): (Vec<Task>, bool),
        after: TaskId,
        batch: &mut Batch,
    ) {
        let (mut last, mut left) = (after, more);
        for task in tasks {
            if step.is_full(batch) {
                left = true;
                break;
            }
            let id = task.id;
            step.counts.looked += 1;
            // Memory outranks the row, and has been looked at; but it may have left memory since.
            let held = self.state.tasks().by_id(id);
            if held.map_or_else(|| step.bulk.means(&task), |held| step.bulk.means(held)) {
                self.page_in(task);
                self.handle_task(&mut step, id, None, batch);
            }
            last = id;
        }
        self.end_step(step, Cursor::Parked(last), !left, batch);
    }

    fn step_ended(
        &mut self,
        (mut step, after): (Step, EndedPlace),
        tasks: Vec<(EndedPlace, Task)>,
        (runs, next): (&[Box<Run>], Option<EndedPlace>),
        batch: &mut Batch,
    ) {
        let mut at = after;
        for (place, row) in tasks {
            let current = self.state.tasks().by_id(row.id).unwrap_or(&row);
            if step.bulk.means(current) && !self.is_repaired(current, runs) {
                let current = current.clone();
                self.handle_ended(&mut step, current, runs, batch);
            }
            if step.is_held_up {
                return self.end_step(step, Cursor::Ended(at), false, batch);
            }
            step.counts.looked += 1;
            at = place;
            if step.is_full(batch) {
                return self.end_step(step, Cursor::Ended(at), false, batch);
            }
        }
        self.end_step(step, Cursor::Ended(next.unwrap_or(at)), next.is_none(), batch);
    }

    fn step_runs(&mut self, mut step: Step, from: u32, batch: &mut Batch) {
        let end = from.saturating_add(STEP_SLOTS_MAX).min(self.state.job_runs.runs.end());
        let mut next = from;
        while next < end && !step.is_full(batch) {
            let run = self.state.job_runs.runs.get(RunIndex(next));
            step.counts.looked += u32::from(run.is_some());
            let id = run.filter(|run| step.bulk.means_run(run)).map(|run| run.id);
            if let Some(id) = id {
                let wish = match step.bulk.verb {
                    BulkVerb::PauseRuns => RunCommand::PauseRun { id, paused: true },
                    BulkVerb::ResumeRuns => RunCommand::PauseRun { id, paused: false },
                    _ => RunCommand::CancelRun { id },
                };
                let command = step.signed(wish);
                self.handle_one(&mut step, command, batch);
            }
            next += 1;
        }
        let done = next >= self.state.job_runs.runs.end();
        self.end_step(step, Cursor::Memory(next), done, batch);
    }

    fn step_ended_runs(
        &mut self,
        (mut step, after): (Step, Option<RunId>),
        runs: impl IntoIterator<Item = Box<Run>>,
        next: Option<RunId>,
        batch: &mut Batch,
    ) {
        let mut at = after;
        for row in runs {
            let id = row.id;
            let held = self.state.job_runs.run(id);
            if step.bulk.means_run(held.unwrap_or(&row)) {
                let fact = held.is_none().then_some(row);
                let (over, items) = (step.over(), ClearItems::Failed);
                let clear = Clear { id, nodes: Vec::new(), items, over, fact };
                let command = Command::Run(Box::new(RunCommand::Clear(Box::new(clear))));
                self.handle_one(&mut step, command, batch);
            }
            if step.is_held_up {
                return self.end_step(step, Cursor::EndedRuns(at), false, batch);
            }
            step.counts.looked += 1;
            at = Some(id);
            if step.is_full(batch) {
                return self.end_step(step, Cursor::EndedRuns(at), false, batch);
            }
        }
        self.end_step(step, Cursor::EndedRuns(next.or(at)), next.is_none(), batch);
    }

    fn step_listed(&mut self, mut step: Step, from: u32, batch: &mut Batch) {
        let mut next = from as usize;
        while let Some(command) = listed(&step, next) {
            self.handle_one(&mut step, command, batch);
            step.counts.looked += 1;
            next += 1;
            if step.is_full(batch) {
                break;
            }
        }
        let done = listed(&step, next).is_none();
        self.end_step(step, Cursor::Listed(next as u32), done, batch);
    }

    fn handle_task(&mut self, step: &mut Step, id: TaskId, fact: Option<Box<Task>>, batch: &mut Batch) {
        let command = match step.bulk.verb {
            BulkVerb::RunTasksNow => Command::RunNow { id },
            BulkVerb::SetPriority(priority) => {
                Command::Amend { id, due: None, priority: Some(priority), payload: None }
            }
            BulkVerb::RetryTasks => Command::Revive { id, fact, over: step.over(), dead_only: false },
            BulkVerb::DiscardTasks => Command::Discard { id, fact, over: step.over() },
            BulkVerb::CancelTasks { stop_running } => Command::Cancel { id, stop_running },
            _ => unreachable!("OS-3: a verb of tasks"),
        };
        let command = step.noted(command);
        self.handle_one(step, command, batch);
    }

    /// A task of a run runs again by clearing it there; an item of a mapped task without the other items.
    fn handle_ended(&mut self, step: &mut Step, task: Task, runs: &[Box<Run>], batch: &mut Batch) {
        let clears = matches!(step.bulk.verb, BulkVerb::RetryTasks) && task.status().is_dead();
        let place =
            task.in_run.as_deref().copied().filter(|place| clears && place.place.index != NodeInstance::UNDO);
        let run = place.and_then(|place| self.run_or(place.run, runs));
        let Some((InRun { place, .. }, run)) = place.zip(run) else {
            let id = task.id;
            return self.handle_task(step, id, Some(Box::new(task)), batch);
        };
        let (id, name) = (run.id, run.plan.node(place.node).name.clone());
        let is_held = self.state.job_runs.run(id).is_some();
        let items = match place.index {
            NodeInstance::WHOLE => ClearItems::All,
            item => ClearItems::Named(vec![item]),
        };
        let fact = (!is_held).then(|| Box::new(run.clone()));
        let clear = Clear { id, nodes: vec![name], items, over: step.over(), fact };
        self.handle_one(step, Command::Run(Box::new(RunCommand::Clear(Box::new(clear)))), batch);
    }

    /// Memory outranks the row.
    fn run_or<'a>(&'a self, id: RunId, rows: &'a [Box<Run>]) -> Option<&'a Run> {
        let row = || rows.iter().find(|run| run.id == id).map(|run| &**run);
        self.state.job_runs.run(id).or_else(row)
    }

    /// What took its place speaks for it. One whose run history has forgotten is repaired by nothing.
    fn is_repaired(&self, task: &Task, runs: &[Box<Run>]) -> bool {
        let Some(place) = task.in_run.as_deref() else { return false };
        self.run_or(place.run, runs).is_some_and(|run| is_repaired(run, place.place))
    }

    fn handle_one(&mut self, step: &mut Step, command: Command, batch: &mut Batch) {
        let before = batch.events.len();
        match self.carry_out(command, batch) {
            Ok(_) => step.counts.handled += u32::from(batch.events.len() > before),
            Err(Rejection::StoreBehind { .. }) => step.is_held_up = true,
            Err(rejection) => {
                step.counts.refused += 1;
                let text = format!("{}: {rejection}", rejection.code());
                step.refusal = Some(text.chars().take(REFUSAL_CHARS_MAX).collect::<String>().into());
            }
        }
    }

    fn end_step(&mut self, step: Step, cursor: Cursor, done: bool, batch: &mut Batch) {
        let Step { id, counts, refusal, is_held_up, .. } = step;
        let stands = self.state.operations.bulk(id).is_some_and(|operation| operation.cursor == cursor);
        if !(is_held_up && stands) {
            self.commit_one(Event::OperationAdvanced { id, cursor, counts, refusal }, batch);
        }
        if done && !is_held_up {
            self.commit_one(Event::OperationEnded { id, cancelled: None }, batch);
        }
    }
}

/// The command for an entry of its own list.
fn listed(step: &Step, at: usize) -> Option<Command> {
    let verb = step.bulk.verb;
    Some(match &step.bulk.of {
        Selection::Jobs(keys) => {
            let key = keys.get(at)?.clone();
            step.signed(match verb {
                BulkVerb::DeleteJobs => RunCommand::DeleteJob { key, seen: None },
                verb => RunCommand::PauseJob { key, paused: verb == BulkVerb::PauseJobs, seen: None },
            })
        }
        Selection::Schedules(keys) => {
            let (key, paused) = (keys.get(at)?.clone(), verb == BulkVerb::PauseSchedules);
            step.noted(Command::Schedule(Box::new(ScheduleCommand::Pause { key, paused, seen: None })))
        }
        Selection::Workers(ids) => {
            let to = match verb {
                BulkVerb::CordonWorkers => Availability::Cordoned,
                BulkVerb::DrainWorkers => Availability::Draining,
                _ => Availability::Open,
            };
            Command::Cordon(Box::new(SetCordon { worker: *ids.get(at)?, to, by: step.over() }))
        }
        Selection::Tasks(_) | Selection::Runs(_) => unreachable!("OS-3: tasks and runs are not listed"),
    })
}
