//! The two ends of a queue as the shard's thread sees them: it takes what is there and never waits for room.

use std::collections::VecDeque;

use crossbeam_channel::{Receiver, Select, Sender, TryRecvError, TrySendError};

/// Messages to the shard's thread.
pub(super) struct Incoming<T> {
    receiver: Receiver<T>,
    /// Senders are left.
    open: bool,
}

impl<T> Incoming<T> {
    pub(super) fn new(receiver: Receiver<T>) -> Self {
        Self { receiver, open: true }
    }

    pub(super) fn take(&mut self) -> Option<T> {
        match self.receiver.try_recv() {
            Ok(message) => Some(message),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => {
                self.open = false;
                None
            }
        }
    }

    pub(super) fn is_open(&self) -> bool {
        self.open
    }

    pub(super) fn is_empty(&self) -> bool {
        self.receiver.is_empty()
    }

    /// A queue without senders is left out: it would be ready for ever.
    pub(super) fn wait_in<'a>(&'a self, select: &mut Select<'a>) {
        if self.open {
            select.recv(&self.receiver);
        }
    }
}

/// Orders of the shard's thread to another thread. What finds no room is kept here, in order, and sent later.
pub(super) struct Outgoing<T> {
    sender: Sender<T>,
    kept: VecDeque<T>,
}

impl<T> Outgoing<T> {
    pub(super) fn new(sender: Sender<T>) -> Self {
        Self { sender, kept: VecDeque::new() }
    }

    pub(super) fn send(&mut self, order: T) {
        self.kept.push_back(order);
        self.flush();
    }

    pub(super) fn flush(&mut self) {
        while let Some(order) = self.kept.pop_front() {
            match self.sender.try_send(order) {
                Ok(()) => {}
                Err(TrySendError::Full(order)) => return self.kept.push_front(order),
                // A thread that is gone has told why through its last return.
                Err(TrySendError::Disconnected(_)) => return self.kept.clear(),
            }
        }
    }

    /// Orders that found no room.
    pub(super) fn kept(&self) -> usize {
        self.kept.len()
    }

    pub(super) fn wait_in<'a>(&'a self, select: &mut Select<'a>) {
        if !self.kept.is_empty() {
            select.send(&self.sender);
        }
    }
}
