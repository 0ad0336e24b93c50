//! One attempt as an executor sees it: what to do, whom to tell, when to stop.

use std::time::Duration;

use mainspring_core::values::{
    AttemptDetails, AttemptId, FailureClass, Fence, MESSAGE_BYTES_MAX, PROGRESS_BYTES_MAX, TaskId,
};
use mainspring_proto::v1;
use tokio::sync::{mpsc, watch};

use crate::devices::DeviceSet;
use crate::mask::Secrets;

/// An attempt's identity: the fence changes with every grant of the task.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Key {
    pub task: TaskId,
    pub fence: Fence,
}

impl Key {
    /// None when `task` is not 16 bytes.
    pub fn from_wire(task: &[u8], fence: u64) -> Option<Self> {
        let bits = u128::from_be_bytes(task.try_into().ok()?);
        Some(Self { task: TaskId::from_bits(bits), fence: Fence::from_bits(fence) })
    }

    /// As people and programs see it.
    pub fn id(self) -> AttemptId {
        AttemptId { task: self.task, fence: self.fence }
    }

    pub fn task_bytes(self) -> Vec<u8> {
        self.task.bits().to_be_bytes().to_vec()
    }

    /// `ran`: for how long it has run, if it runs.
    pub fn holding(self, ran: Option<Duration>) -> v1::Holding {
        let ran_ms = ran.map(|ran| ran.as_millis() as u64);
        v1::Holding { task: self.task_bytes(), fence: self.fence.bits(), ran_ms }
    }
}

/// How an attempt ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    Success {
        output: Option<Vec<u8>>,
    },
    Failure {
        class: FailureClass,
        code: i32,
        message: String,
        /// Nobody can say how far it came.
        unknown: bool,
    },
    /// Not yet: the place is given back until so long from now.
    Deferred {
        after_ms: u64,
    },
}

impl Outcome {
    pub fn failure(class: FailureClass, code: i32, message: impl Into<String>) -> Self {
        let mut message = message.into();
        if message.len() > MESSAGE_BYTES_MAX {
            message.truncate(message.floor_char_boundary(MESSAGE_BYTES_MAX));
        }
        Self::Failure { class, code, message, unknown: false }
    }

    /// A failure after which the work may be done, half done or not begun. Work that may run at most once is not
    /// tried again then.
    pub fn unknown(class: FailureClass, code: i32, message: impl Into<String>) -> Self {
        match Self::failure(class, code, message) {
            Self::Failure { class, code, message, .. } => {
                Self::Failure { class, code, message, unknown: true }
            }
            other @ (Self::Success { .. } | Self::Deferred { .. }) => other,
        }
    }

    pub fn permanent(message: impl Into<String>) -> Self {
        Self::failure(FailureClass::Permanent, 0, message)
    }
}

/// An order to end early.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StopOrder {
    /// From the polite request to the kill.
    pub grace: Duration,
    pub class: FailureClass,
    pub reason: String,
}

impl StopOrder {
    pub fn outcome(&self, code: i32) -> Outcome {
        Outcome::failure(self.class, code, format!("stopped: {}", self.reason))
    }

    /// Of work that cannot be stopped, only left alone.
    pub fn outcome_unknown(&self) -> Outcome {
        Outcome::unknown(self.class, 0, format!("stopped: {}", self.reason))
    }
}

/// What an executor tells the desk.
#[derive(Debug)]
pub enum Event {
    /// What it says of how far it is; may be empty.
    Progress(Key, String),
    Checkpoint(Key, Vec<u8>),
    ExtendMs(Key, u64),
    /// The log on disk is now this long.
    LogGrew(Key, u64),
    /// From now on the work survives this agent.
    Kept(Key),
    /// Before its end: what it used.
    Used(Key, AttemptDetails),
    Ended(Key, Outcome),
}

/// Everything an executor is given.
pub struct Attempt {
    pub key: Key,
    /// Counts from 1.
    pub number: u32,
    pub tenant: String,
    pub job: String,
    pub payload: Vec<u8>,
    pub checkpoint: Option<Vec<u8>>,
    /// Unix milliseconds by this machine's clock, for the attempt's information.
    pub deadline_unix_ms: Option<u64>,
    /// 0 = none. The desk measures it.
    pub hard_timeout_ms: u64,
    /// From the polite request to the kill.
    pub grace: Duration,
    /// Nobody else may do it at the same time.
    pub exclusive: bool,
    /// 0 = none.
    pub memory_bytes: u64,
    /// Thousandths of a processor; 0 = none.
    pub cpu_milli: u64,
    /// That no other attempt has.
    pub devices: DeviceSet,
    /// What nothing that it writes may show.
    pub secrets: Secrets,
    pub stop: StopSignal,
    pub reporter: Reporter,
}

#[derive(Clone)]
pub struct Reporter {
    pub(crate) key: Key,
    pub(crate) events: mpsc::UnboundedSender<Event>,
}

impl Reporter {
    /// What is too long is cut.
    pub fn progress(&self, mut text: String) {
        text.truncate(text.floor_char_boundary(PROGRESS_BYTES_MAX));
        self.tell(Event::Progress(self.key, text));
    }

    pub fn used(&self, used: AttemptDetails) {
        self.tell(Event::Used(self.key, used));
    }

    pub fn checkpoint(&self, bytes: Vec<u8>) {
        self.tell(Event::Checkpoint(self.key, bytes));
    }

    pub fn extend_ms(&self, ms: u64) {
        self.tell(Event::ExtendMs(self.key, ms));
    }

    pub fn log_grew(&self, len: u64) {
        self.tell(Event::LogGrew(self.key, len));
    }

    pub fn kept(&self) {
        self.tell(Event::Kept(self.key));
    }

    fn tell(&self, event: Event) {
        // The desk is gone only when the agent has ended; then nobody is left to be told.
        let _ = self.events.send(event);
    }
}

#[derive(Clone)]
pub struct StopSignal(pub(crate) watch::Receiver<Option<StopOrder>>);

impl StopSignal {
    /// Waits for the order to stop; may be awaited again after it came.
    pub async fn ordered(&mut self) -> StopOrder {
        match self.0.wait_for(Option::is_some).await {
            Ok(order) => order.clone().unwrap_or_else(agent_gone),
            Err(_) => agent_gone(),
        }
    }

    pub fn is_ordered(&self) -> bool {
        self.0.borrow().is_some() || self.is_abandoned()
    }

    /// Whether the order came from nobody: the agent ended, or leaves the work to its successor.
    pub fn is_abandoned(&self) -> bool {
        self.0.has_changed().is_err()
    }
}

/// The desk dropped the attempt without a word: only when the agent itself ended.
fn agent_gone() -> StopOrder {
    StopOrder { grace: Duration::ZERO, class: FailureClass::Preempted, reason: "the worker ended".into() }
}
