//! The newest lines of the feed, kept so that a listener that lost its connection goes on where it was.
//! - FG-1 what follows a line that is kept is kept without a gap: a ring is emptied when the shard stops making news

use std::collections::VecDeque;
use std::sync::Arc;

use super::Line;

/// Lines that are kept.
pub(super) const KEPT_MAX: usize = 65_536;
/// Given at once: the shard's thread waits for the lock meanwhile.
const PIECE_MAX: usize = 512;

#[derive(Default)]
pub(super) struct Ring {
    lines: VecDeque<Arc<Line>>,
    /// Lines that were dropped at the front; with it each line has a number of its own.
    dropped: u64,
    keeps: bool,
}

/// Which kept lines a listener has yet to be given.
#[derive(Clone, Copy)]
pub(super) struct Replay {
    pub next: u64,
    pub end: u64,
}

impl Ring {
    /// The shard makes news from now on, or it stops.
    pub fn keep(&mut self, keeps: bool) {
        self.keeps = keeps;
        if !keeps {
            self.dropped += self.lines.len() as u64;
            self.lines = VecDeque::new();
        }
    }

    pub fn push(&mut self, line: &Arc<Line>) {
        if !self.keeps {
            return;
        }
        if self.lines.len() == KEPT_MAX {
            self.lines.pop_front();
            self.dropped += 1;
        }
        self.lines.push_back(Arc::clone(line));
    }

    /// What follows the line of this epoch and number; `None`: it is not kept.
    pub fn after(&self, wanted: (u64, u64)) -> Option<Replay> {
        let at = self.lines.partition_point(|line| line.place() < wanted);
        (self.lines.get(at)?.place() == wanted).then(|| Replay {
            next: self.dropped + at as u64 + 1,
            end: self.dropped + self.lines.len() as u64,
        })
    }

    /// The next lines of a replay, and how many were dropped before they could be given.
    pub fn piece(&self, replay: &mut Replay) -> (Vec<Arc<Line>>, u64) {
        let lost = self.dropped.min(replay.end).saturating_sub(replay.next);
        replay.next += lost;
        let from = replay.next.saturating_sub(self.dropped) as usize;
        let count = (replay.end - replay.next).min(PIECE_MAX as u64) as usize;
        replay.next += count as u64;
        (self.lines.iter().skip(from).take(count).cloned().collect(), lost)
    }
}
