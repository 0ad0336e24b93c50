//! What a run has beyond the plan of its version.

use std::sync::Arc;

use mainspring_core::job::Plan;
use mainspring_core::run::{Added, Additions, Run};

use super::plan::{read_node, write_node};
use crate::format::{EncodedProfiles, FormatError, ProfileCache, Reader, Writer};

pub(super) fn write(w: &mut Writer<'_>, run: &Run, profiles: &mut EncodedProfiles) {
    w.list(run.additions(), |w, added| {
        w.varint(added.by.into());
        w.varint(added.count.into());
        w.list(&added.waits, |w, node| w.varint((*node).into()));
        w.bool(added.removed);
    });
    for node in &run.plan.nodes()[run.base().len() as usize..] {
        write_node(w, node, profiles);
    }
}

/// The plan that the run has, and what of it is its own.
pub(super) fn read(
    r: &mut Reader<'_>,
    base: Arc<Plan>,
    profiles: &mut ProfileCache,
) -> Result<(Arc<Plan>, Option<Box<Additions>>), FormatError> {
    let at = r.at();
    let mut first = base.len();
    let added = r.list("additions", |r| read_one(r, &mut first))?;
    if added.is_empty() {
        return Ok((base, None));
    }
    let mut nodes = Vec::new();
    for _ in base.len()..first {
        nodes.push(read_node(r, profiles)?);
    }
    let inside = |list: &[u32], end: u32| list.iter().all(|node| *node < end);
    let fits = nodes.iter().all(|node| inside(&node.needs, first) && inside(&node.mentions, first))
        && added.iter().all(|added| added.by < added.first && inside(&added.waits, added.first));
    if !fits {
        return Err(FormatError::bad("additions", at, "name a node that the run does not have"));
    }
    let (plan, own) = Additions::restore(base, added, nodes);
    Ok((Arc::new(plan), Some(Box::new(own))))
}

fn read_one(r: &mut Reader<'_>, first: &mut u32) -> Result<Added, FormatError> {
    let by = r.varint32("adding node")?;
    let at = r.at();
    let count = r.varint32("added nodes")?;
    let added = Added {
        by,
        first: *first,
        count,
        waits: r.list("waiting nodes", |r| r.varint32("node"))?,
        removed: r.bool("removed")?,
    };
    *first = first.checked_add(count).ok_or_else(|| FormatError::bad("added nodes", at, "are too many"))?;
    Ok(added)
}
