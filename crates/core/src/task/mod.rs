//! A task: its states, what it carries, and the table of arrows between states.
//! - TK-1 the state changes only along [`ARROWS`], one version a change; ended states absorb, save
//!   for an operator's retry
//! - TK-2 `fence` never decreases; a report ends an attempt only if it carries it
//! - TK-3 what most tasks do not have sits behind one pointer (`extra`), so a queued task stays small
//!
//! Not here: deciding (`decide`), changing (`state::apply`), placing (`dispatch`).

mod arrows;
mod deadline;
pub mod decide;
mod extra;
mod fingerprint;
mod lease;
mod note;
mod poison;
mod profile;
mod spec;
mod state;
mod table;

use std::sync::Arc;

pub use self::arrows::{ARROWS, Arrow, Transition, arrow_exists};
pub use self::deadline::{Deadline, next_deadline};
pub use self::extra::{ATTEMPTS_KEPT_MAX, AttemptRecord, Extra, Labels};
pub use self::fingerprint::fingerprint;
pub use self::lease::{Lease, LeaseSoft, PendingCheckpoint, Stop, StopReason};
pub use self::note::{NOTES_KEPT_MAX, TaskChange, TaskNote};
pub use self::poison::{ALIKE_WORKERS_MAX, CODE_BLAMED, KILLS_MAX, blames_the_task, is_poison};
pub use self::profile::{ACCEPT_DEFAULT, Delivery, GRACE_DEFAULT, Profile, ProfileSpec, TimeLimits};
pub use self::spec::TaskSpec;
pub use self::state::{Status, TaskState};
pub use self::table::TaskTable;
use crate::collections::Soft;
use crate::values::{Fence, Priority, Seq, Stamp, TaskId, Wall, WorkerId};

/// Opaque bytes given by the caller; the core never looks inside.
pub type Payload = Arc<[u8]>;

#[derive(Clone, PartialEq, Debug)]
pub struct Task {
    pub id: TaskId,
    pub profile: Arc<Profile>,
    pub payload: Payload,
    pub state: TaskState,
    pub priority: Priority,
    /// Someone asked to cancel; shown even if a success came first.
    pub cancel_requested: bool,
    /// The newest fence granted; [`Fence::NONE`] before the first attempt.
    pub fence: Fence,
    /// Who got the newest attempt; [`WorkerId::NONE`] before the first.
    pub worker: WorkerId,
    /// When the newest attempt was granted; zero before the first.
    pub started: Wall,
    /// Attempts granted so far, the live one included.
    pub attempts: u32,
    pub retries_spent: u32,
    /// Grows by one with every change of state.
    pub version: u32,
    pub submitted: Wall,
    pub changed: Wall,
    /// The record that touched this task last; decides what a checkpoint must write.
    pub touched: Seq,
    /// The tables hold a row of this unfinished task.
    pub stored: Soft<bool>,
    /// The instant it was submitted for; zero if for none. That of `Pending` while it is, and kept after that.
    pub scheduled: Wall,
    /// The instant for which it had waited; zero if for none. For measuring only.
    pub due: Soft<Wall>,
    /// The run it belongs to.
    pub in_run: Option<Box<crate::values::InRun>>,
    pub extra: Option<Box<Extra>>,
}

// There are millions of them.
const _: () = assert!(size_of::<Task>() == 160);

impl Task {
    /// As it is when its first event is folded. `due`: `None` = at once, as is what has passed.
    pub(crate) fn new(id: TaskId, spec: TaskSpec, due: Option<Wall>, at: Stamp) -> Self {
        let TaskSpec { profile, payload, priority, labels, permits } = spec;
        let has_extra = labels.is_some() || permits.is_some();
        Self {
            id,
            profile,
            payload,
            state: match due {
                Some(due) if due > at.now.wall => TaskState::Pending { due },
                _ => TaskState::Queued,
            },
            priority,
            cancel_requested: false,
            fence: Fence::NONE,
            worker: WorkerId::NONE,
            started: Wall::ZERO,
            attempts: 0,
            retries_spent: 0,
            version: 1,
            submitted: at.now.wall,
            changed: at.now.wall,
            touched: at.seq,
            stored: Soft(false),
            scheduled: due.unwrap_or_default(),
            due: Soft::default(),
            in_run: None,
            extra: has_extra.then(|| Box::new(Extra { labels, permits, ..Extra::default() })),
        }
    }

    pub fn status(&self) -> Status {
        self.state.status()
    }

    pub fn lease(&self) -> Option<&Lease> {
        self.state.lease()
    }

    pub fn extra_mut(&mut self) -> &mut Extra {
        self.extra.get_or_insert_default()
    }

    /// It looks for something, may look now, and has no deadline yet.
    pub fn needs_deadline(&self) -> bool {
        self.profile.polls()
            && matches!(self.state, TaskState::Queued)
            && self.extra.as_ref().is_none_or(|extra| extra.deadline.is_none())
    }

    /// As waits are looked up.
    pub(crate) fn waiter(&self) -> crate::wait::Waiter<'_> {
        let run = self.in_run.as_ref().map(|origin| origin.run);
        crate::wait::Waiter { tenant: &self.profile.tenant, run }
    }

    /// It goes on when somebody approves it, and in no other way but with its deadline or its run.
    pub fn awaits_approval(&self) -> bool {
        matches!(&self.state, TaskState::Waiting(wait) if matches!(wait.what, crate::wait::Awaited::Approval(_)))
    }

    /// Past attempts that did not succeed, oldest first, as far as they are kept.
    pub fn failures(&self) -> &[AttemptRecord] {
        self.extra.as_ref().map_or(&[], |extra| extra.attempts.as_slice())
    }

    pub fn labels(&self) -> &[(crate::values::Name, crate::values::Name)] {
        self.extra.as_ref().and_then(|extra| extra.labels.as_deref()).unwrap_or(&[])
    }
}
