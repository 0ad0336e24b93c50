//! What operators ask for of workers: cordoned, drained, and let work again.

use mainspring_core::engine::Command;
use mainspring_core::worker::Availability;
use mainspring_core::worker::decide::SetCordon;

use super::draw::over;
use crate::settings::worker_id;
use crate::world::World;

impl World {
    pub(super) fn draw_cordon(&mut self) -> Command {
        let index = self.chance.below(self.workers.len() as u64) as usize;
        let closed = [Availability::Cordoned, Availability::Draining][self.chance.below(2) as usize];
        let to = if self.chance.per_mille(700) { closed } else { Availability::Open };
        let command = set(index, to);
        self.perhaps_keyed(command)
    }

    /// Every worker takes work again; told twice, because a late wish may still be on its way.
    pub(crate) fn uncordon(&mut self) {
        for index in 0..self.workers.len() {
            self.begin_operation(vec![set(index, Availability::Open)]);
        }
    }
}

fn set(index: usize, to: Availability) -> Command {
    Command::Cordon(Box::new(SetCordon { worker: worker_id(index), to, by: over() }))
}
