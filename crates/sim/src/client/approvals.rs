//! Tasks that wait for approval, and people who approve or reject them.

use mainspring_core::job::{NodeWork, TaskWork};
use mainspring_core::run::decide::{Approve, RunCommand};
use mainspring_core::task::{Profile, ProfileSpec};
use mainspring_core::values::{Actor, Name, RunId};

use super::draw::over;
use super::plans::node_name;
use crate::words::APPROVAL;
use crate::world::World;

impl World {
    /// Of the one that waits, of one that may, or of none; by one who may, or by another.
    pub(super) fn draw_approval(id: RunId, world: &mut Self) -> RunCommand {
        let task = world.chance.per_mille(500).then(|| node_name(world.chance.below(8)));
        let item = world.chance.per_mille(200).then(|| world.chance.below(3) as u32);
        let over = if world.chance.per_mille(700) {
            over()
        } else {
            Actor { actor: Name::fixed("somebody"), ..over() }
        };
        let approved = world.chance.per_mille(700);
        let item = item.filter(|_| task.is_some());
        RunCommand::Approve(Box::new(Approve { run: id, task, item, approved, over, fact: None }))
    }

    /// A node that waits for a person.
    pub(super) fn approval(&mut self, spec: ProfileSpec) -> NodeWork {
        let ms = self.span(60_000);
        let spec = ProfileSpec { executor: Name::fixed("wait"), ..spec };
        NodeWork::Task(TaskWork {
            profile: Profile::new(spec),
            payload: [APPROVAL.to_le_bytes().as_slice(), &ms.to_le_bytes()].concat().into(),
            priority: self.draw_priority(),
            labels: None,
            templated: false,
        })
    }
}
