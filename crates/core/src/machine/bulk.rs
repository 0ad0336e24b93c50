//! Steps of big work, between other commands.

use super::{Batch, Machine, PanicSubject};
use crate::event::Event;
use crate::id::{ProcessId, TaskId};
use crate::process::{Cursor, advance};
use crate::task::Task;

impl Machine {
    /// A step of the first process that can go on by itself.
    pub(super) fn run_bulk(&mut self, batch: &mut Batch) {
        let Some(id) = self.next_in_memory() else { return };
        let stepped = self.guard(PanicSubject::Process(id), batch, |machine, batch| {
            let mut decided = advance(&machine.state, id, &[], false);
            machine.commit(&mut decided, batch);
        });
        if stepped.is_err() {
            self.commit(&mut vec![Event::ProcessEnded { id }], batch);
        }
    }

    /// The shell brought parked tasks that a process had asked for.
    pub(super) fn continue_process(
        &mut self,
        id: ProcessId,
        parked: Vec<Task>,
        more: bool,
        batch: &mut Batch,
    ) {
        if !self.state.processes.contains_key(&id) {
            return;
        }
        let ids: Vec<TaskId> = parked.iter().map(|task| task.id).collect();
        for task in parked {
            self.page_in(task);
        }
        let mut decided = advance(&self.state, id, &ids, more);
        self.commit(&mut decided, batch);
    }

    /// The process that waits for parked tasks, and after which id.
    pub fn wants_parked(&self) -> Option<(ProcessId, TaskId)> {
        self.state.processes.iter().find_map(|(id, process)| match process.cursor {
            Cursor::Parked(after) => Some((*id, after)),
            Cursor::Memory(_) => None,
        })
    }

    pub(super) fn has_bulk_work(&self) -> bool {
        self.next_in_memory().is_some()
    }

    fn next_in_memory(&self) -> Option<ProcessId> {
        let in_memory = |cursor: Cursor| matches!(cursor, Cursor::Memory(_));
        self.state.processes.iter().find(|(_, process)| in_memory(process.cursor)).map(|(id, _)| *id)
    }
}
