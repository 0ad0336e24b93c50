//! A bar for long work, on stderr, and only if that is a terminal.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

const CELLS: usize = 30;
/// Drawn no more often than this.
const EVERY: Duration = Duration::from_millis(100);

pub(crate) struct Bar {
    what: String,
    total: u64,
    done: u64,
    began: Instant,
    drawn: Option<Instant>,
    shown: bool,
}

impl Bar {
    pub(crate) fn new(what: &str, total: u64) -> Self {
        let shown = std::io::stderr().is_terminal();
        Self { what: what.to_owned(), total, done: 0, began: Instant::now(), drawn: None, shown }
    }

    pub(crate) fn advance(&mut self, by: u64) {
        self.done += by;
        if self.shown && self.drawn.is_none_or(|drawn| drawn.elapsed() >= EVERY) {
            self.drawn = Some(Instant::now());
            let _ = write!(
                std::io::stderr(),
                "\r{}",
                line(&self.what, self.done, self.total, self.began.elapsed())
            );
        }
    }
}

/// Wiped, so that what follows stands on a line of its own.
impl Drop for Bar {
    fn drop(&mut self) {
        if self.drawn.is_some() {
            let _ = write!(std::io::stderr(), "\r\u{1b}[K");
        }
    }
}

fn line(what: &str, done: u64, total: u64, took: Duration) -> String {
    // How much there is may be unknown.
    let total = total.max(done);
    let full = (done.min(total) * CELLS as u64 / total.max(1)) as usize;
    let rate = done as f64 / took.as_secs_f64().max(0.001);
    format!("{what} [{}{}] {done}/{total} ({rate:.0}/s)", "#".repeat(full), " ".repeat(CELLS - full))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_fills_up() {
        let second = Duration::from_secs(1);
        assert_eq!(line("x", 0, 4, second), format!("x [{}] 0/4 (0/s)", " ".repeat(CELLS)));
        assert_eq!(line("x", 2, 4, second), format!("x [{}{}] 2/4 (2/s)", "#".repeat(15), " ".repeat(15)));
        assert_eq!(line("x", 9, 4, second), format!("x [{}] 9/9 (9/s)", "#".repeat(CELLS)));
    }
}
