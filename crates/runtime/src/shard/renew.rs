//! The next epoch for the same owner, before the fences of this one run out. Nothing comes in meanwhile: what is being
//! built is made durable and an open cut is written, both under the old epoch, and then the journal is asked.
//! - EP-1 every record and every cut carries the epoch in which it was made

use mainspring_core::engine::Batch;
use mainspring_core::values::Epoch;
use mainspring_store::AppendError;

use super::commit::APPEND_RETRY;
use super::{Output, Shard, StopCause};

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Renewal {
    #[default]
    None,
    /// What was begun under the old epoch is being finished.
    Draining,
    /// The journal was asked.
    Asked,
}

impl<R> Shard<R> {
    pub(super) fn renew_if_due(&mut self) {
        if self.renewal == Renewal::None && self.engine.state().fences >= self.config.grants_max {
            self.renewal = Renewal::Draining;
        }
        let settled = self.building.events == 0 && self.in_flight.is_none() && !self.has_open_cut();
        if self.renewal == Renewal::Draining && settled {
            self.renewal = Renewal::Asked;
            self.outputs.push_back(Output::Renew);
        }
    }

    pub(super) fn is_renewing(&self) -> bool {
        self.renewal != Renewal::None
    }

    /// What the journal said.
    pub fn renewed(&mut self, result: Result<Epoch, AppendError>) {
        if self.stopped {
            return;
        }
        match result {
            Ok(epoch) => {
                self.epoch = epoch;
                self.renewal = Renewal::None;
                let mut batch = Batch::default();
                self.engine.start_epoch(epoch, &mut batch);
                self.absorb(batch);
                self.seal_if_free();
            }
            Err(AppendError::Refused { newest, .. }) => self.stop(StopCause::NotOwner { newest }),
            Err(error @ (AppendError::OutOfOrder { .. } | AppendError::Broken { .. })) => {
                self.stop(StopCause::Broken(error.to_string()));
            }
            Err(AppendError::Full { .. } | AppendError::Failed { .. } | AppendError::Unknown { .. }) => {
                self.renewal = Renewal::Draining;
                self.outputs.push_back(Output::RetryAppend(APPEND_RETRY));
            }
        }
    }
}
