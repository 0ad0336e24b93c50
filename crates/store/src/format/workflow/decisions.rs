//! What people decided about tasks of a run that waited for approval.

use mainspring_core::run::{ApprovalDecision, Decisions};
use mainspring_core::values::NodeInstance;

use super::run::{read_place, write_place};
use crate::format::{FormatError, Reader, Writer};

pub(super) fn write(w: &mut Writer<'_>, decisions: &Decisions) {
    w.varint(decisions.len() as u64);
    for ((node, index), decision) in decisions {
        write_place(w, NodeInstance { node: *node, index: *index, turn: decision.turn });
        w.bool(decision.approved);
        w.over(&decision.over);
        w.wall(decision.at);
    }
}

pub(super) fn read(r: &mut Reader<'_>, count: u32) -> Result<Decisions, FormatError> {
    let decisions = r.list("decisions", |r| {
        let at = r.at();
        let NodeInstance { node, index, turn } = read_place(r)?;
        if node >= count {
            return Err(FormatError::bad("node", at, "is not in the plan"));
        }
        let (approved, over, at) = (r.bool("approved")?, r.over()?, r.wall("decided at")?);
        Ok(((node, index), ApprovalDecision { turn, approved, over, at }))
    })?;
    Ok(decisions.into_iter().collect())
}
