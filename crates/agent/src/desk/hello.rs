//! Around a session: what is said first, what is said again, what is sent next.

use std::time::Instant;

use mainspring_proto::v1;
use mainspring_proto::v1::report::What;

use super::floors::Floors;
use super::{Desk, Held};
use crate::attempt::Key;

/// Pieces of logs that go into one message.
const MESSAGE_CHUNKS: usize = 4;
/// Pieces that only tell the end of a log cost little.
const MESSAGE_ENDS: usize = 512;

impl Desk {
    /// Running, spooled or not yet acknowledged, accepted and not started: all of them.
    pub fn holding(&self, now: Instant) -> Vec<v1::Holding> {
        let ran = |held: &Held| match held {
            Held::Running(running) => Some(now.duration_since(running.began)),
            Held::Waiting(_) | Held::Ended(_) => None,
        };
        self.held.iter().map(|(key, held)| key.holding(ran(held))).collect()
    }

    /// The server has welcomed a new session: all that it may not know is said again.
    pub fn opened(&mut self) {
        self.is_open = true;
        self.hold = None;
        self.awaits_answer = false;
        self.outbox.clear();
        self.logs.rewind();
        if self.is_draining {
            self.outbox.say_draining();
        }
        self.floors.clear();
        self.say_held(|_| true);
    }

    /// The shard that owns these groups has another owner: orders of older ones are void, and the new one is told what
    /// is held. `hello` is without what changes from one to the next.
    pub fn greet_owner(&mut self, say: &v1::SayHello, hello: v1::Hello, now: Instant) {
        self.floors.raise(say);
        let is_meant = |key: Key| Floors::means(say, key);
        let (epoch, link) = (say.epoch, say.link);
        let mut holding = self.holding(now);
        holding.retain(|held| Key::from_wire(&held.task, held.fence).is_some_and(is_meant));
        self.hold = None;
        self.outbox.say_hello(v1::Hello { epoch, link, holding, ..hello });
        self.say_held(is_meant);
    }

    /// All that a server may not know.
    fn say_held(&mut self, is_meant: impl Fn(Key) -> bool) {
        for (key, held) in self.held.iter_mut().filter(|(key, _)| is_meant(**key)) {
            match held {
                Held::Waiting(_) => self.outbox.say(*key, What::Accepted(true)),
                Held::Running(running) => {
                    self.outbox.say(*key, What::Accepted(true));
                    if let Some(bytes) = &running.checkpoint {
                        self.outbox.say(*key, What::Checkpoint(bytes.clone()));
                    }
                    if let Some(text) = running.details.as_ref().and_then(|known| known.progress.as_ref()) {
                        self.outbox.say(*key, What::Progress(text.to_string()));
                    }
                    if running.extend_ms > 0 {
                        self.outbox.say(*key, What::ExtendMs(std::mem::take(&mut running.extend_ms)));
                    }
                }
                Held::Ended(ended) => ended.reports(*key).for_each(|report| self.outbox.push(report)),
            }
        }
    }

    /// The session is gone; nobody knows when there will be another.
    pub fn closed(&mut self, now: Instant) {
        self.is_open = false;
        self.outbox.clear();
        self.spool_all(now);
    }

    pub fn heartbeat(&mut self) {
        self.hold = None;
        self.outbox.say_heartbeat();
    }

    pub fn has_message(&self) -> bool {
        self.is_open && self.hold.is_none() && self.has_something_to_say()
    }

    pub(super) fn has_something_to_say(&self) -> bool {
        !self.outbox.is_empty() || self.logs.has_more()
    }

    /// Waiting for more reports would not make the next message cheaper.
    pub fn has_full_message(&self) -> bool {
        self.is_open && self.outbox.is_full()
    }

    pub fn take_message(&mut self) -> v1::WorkerMessage {
        let mut message = self.outbox.take();
        self.hold = None;
        self.awaits_answer |= message
            .reports
            .iter()
            .any(|report| matches!(report.what, Some(What::Success(_) | What::Failure(_))));
        let mut full = 0;
        while full < MESSAGE_CHUNKS
            && message.logs.len() < MESSAGE_ENDS
            && let Some(chunk) = self.logs.take()
        {
            full += usize::from(!chunk.bytes.is_empty());
            message.logs.push(chunk);
        }
        if message.heartbeat > 0 {
            self.logs.heartbeat_sent(message.heartbeat);
            self.lease.heartbeat_sent(message.heartbeat, Instant::now());
        }
        message
    }
}
