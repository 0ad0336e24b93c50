//! Text for stderr, written by a thread of its own: a pipe that nobody reads must not stop threads that log.
//! - LQ-1 [`Queue::push`] never waits for whoever reads stderr
//! - LQ-2 what waits has at most [`BYTES_MAX`] bytes; lines beyond that are dropped and counted

use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Text that waits to be written; as much again may be in the write that is under way.
const BYTES_MAX: usize = 256 << 10;

#[derive(Default)]
pub(super) struct Queue {
    state: Mutex<State>,
    filled: Condvar,
    written: Condvar,
}

#[derive(Default)]
struct State {
    text: Vec<u8>,
    /// Lines since the last one that told of dropped lines.
    dropped: u64,
    is_writing: bool,
}

impl Queue {
    /// Starts the thread. `tell_dropped` writes a line that says how many were dropped.
    pub(super) fn start(
        out: impl Write + Send + 'static,
        tell_dropped: impl Fn(u64) + Send + 'static,
    ) -> io::Result<Arc<Self>> {
        let queue = Arc::new(Self::default());
        let shared = Arc::clone(&queue);
        std::thread::Builder::new().name("log".to_owned()).spawn(move || shared.write(out, tell_dropped))?;
        Ok(queue)
    }

    /// One line, or several that belong together.
    pub(super) fn push(&self, lines: &[u8]) {
        let mut state = self.lock();
        if state.text.len() + lines.len() > BYTES_MAX {
            state.dropped += 1;
        } else {
            state.text.extend_from_slice(lines);
        }
        drop(state);
        self.filled.notify_one();
    }

    /// Waits until everything is written, but not longer than `at_most`.
    pub(super) fn flush(&self, at_most: Duration) {
        let waits = |state: &mut State| state.is_writing || !state.is_empty();
        drop(self.written.wait_timeout_while(self.lock(), at_most, waits));
    }

    fn write(&self, mut out: impl Write, tell_dropped: impl Fn(u64)) {
        let mut text = Vec::new();
        loop {
            let dropped = self.take(&mut text);
            // Nobody could be told of an error.
            let _ = out.write_all(&text);
            if dropped > 0 {
                tell_dropped(dropped);
            }
            self.lock().is_writing = false;
            self.written.notify_all();
        }
    }

    /// Waits for text or dropped lines, and takes them.
    fn take(&self, text: &mut Vec<u8>) -> u64 {
        // Not kept: after a burst this is as large as it may be.
        *text = Vec::new();
        let filled = self.filled.wait_while(self.lock(), |state| state.is_empty());
        let mut state = filled.unwrap_or_else(PoisonError::into_inner);
        state.is_writing = true;
        std::mem::swap(text, &mut state.text);
        std::mem::take(&mut state.dropped)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn is_empty(&self) -> bool {
        self.text.is_empty() && self.dropped == 0
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};

    use super::*;

    /// Tells what it is to write, and writes when it is let.
    struct Gate {
        seen: Sender<Vec<u8>>,
        open: Receiver<()>,
    }

    impl Write for Gate {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let _ = self.seen.send(bytes.to_vec());
            let _ = self.open.recv();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_beyond_the_bound_are_dropped_and_counted() {
        let ((seen, writes), (open, gate), (told, dropped)) = (channel(), channel(), channel());
        let queue = Queue::start(Gate { seen, open: gate }, move |count| {
            let _ = told.send(count);
        });
        let queue = queue.expect("a thread");
        queue.push(b"first\n");
        assert_eq!(writes.recv().expect("written"), b"first\n");
        // The thread is stuck in a write from here on.
        let line = [b'x'; 1 << 10];
        for _ in 0..BYTES_MAX / line.len() + 3 {
            queue.push(&line);
        }
        queue.flush(Duration::from_millis(1)); // gives up
        open.send(()).expect("it waits");
        assert_eq!(writes.recv().expect("written").len(), BYTES_MAX, "all that fits, at once");
        open.send(()).expect("it waits");
        assert_eq!(dropped.recv(), Ok(3), "told after what came before");
        queue.push(b"last\n");
        assert_eq!(writes.recv().expect("written"), b"last\n");
        open.send(()).expect("it waits");
        queue.flush(Duration::from_mins(1));
        assert!(dropped.try_recv().is_err(), "told once");
    }

    #[test]
    fn a_flush_waits_for_what_is_being_written() {
        let ((seen, writes), (open, gate)) = (channel(), channel());
        let queue = Queue::start(Gate { seen, open: gate }, |_| ()).expect("a thread");
        queue.push(b"line\n");
        writes.recv().expect("written");
        let flushing = std::thread::spawn({
            let queue = Arc::clone(&queue);
            move || queue.flush(Duration::from_mins(1))
        });
        assert!(!flushing.is_finished(), "the write is under way");
        open.send(()).expect("it waits");
        flushing.join().expect("no panic");
        assert!(!queue.lock().is_writing);
    }
}
