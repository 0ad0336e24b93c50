//! Steps of big work, between other commands.

use super::decide::PanicSubject;
use super::{Batch, Engine};
use crate::operation::Cursor;
use crate::operation::decide::advance;
use crate::task::Task;
use crate::values::{OperationId, TaskId};

impl Engine {
    /// A step of the first operation that can go on by itself.
    pub(super) fn run_bulk(&mut self, batch: &mut Batch) {
        let Some(id) = self.next_in_memory() else { return };
        self.step_operation(id, &[], false, batch);
    }

    fn step_operation(&mut self, id: OperationId, parked: &[TaskId], more: bool, batch: &mut Batch) {
        let stepped = self.look(PanicSubject::Operation(id), batch, |view, out| {
            out.extend(advance(view.state, id, parked, more));
        });
        if stepped.is_err() {
            self.end_operation(id, batch);
        }
    }

    /// The shell brought parked tasks that an operation had asked for.
    pub(super) fn continue_operation(
        &mut self,
        id: OperationId,
        parked: Vec<Task>,
        more: bool,
        batch: &mut Batch,
    ) {
        if self.state.operations.bulk(id).is_none() {
            return;
        }
        let ids: Vec<TaskId> = parked.iter().map(|task| task.id).collect();
        for task in parked {
            self.page_in(task);
        }
        self.step_operation(id, &ids, more, batch);
    }

    /// The operation that waits for parked tasks, and after which id.
    pub fn wants_parked(&self) -> Option<(OperationId, TaskId)> {
        self.state.operations.all_bulk().find_map(|operation| match operation.cursor {
            Cursor::Parked(after) => Some((operation.id, after)),
            Cursor::Memory(_) | Cursor::Listed(_) => None,
        })
    }

    pub(super) fn has_bulk_work(&self) -> bool {
        self.next_in_memory().is_some()
    }

    fn next_in_memory(&self) -> Option<OperationId> {
        let mut bulk = self.state.operations.all_bulk();
        bulk.find(|operation| matches!(operation.cursor, Cursor::Memory(_))).map(|operation| operation.id)
    }
}
