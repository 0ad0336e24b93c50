//! Threads that start programs and wait a moment for their end. A short program is then started, awaited and cleared away by
//! one thread, as in a loop of fork and exec: being told of its end in another way costs more than such a program.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::runtime::Handle;
use tracing::warn;

/// How long a thread waits for the end of what it started, while programs are short.
const PATIENCE: Duration = Duration::from_millis(5);

/// They end when the last one who has this is gone.
pub struct Starters(Arc<Shared>);

struct Shared {
    queue: Mutex<Queue>,
    changed: Condvar,
    threads_max: usize,
    /// What was started last was soon over.
    brief: AtomicBool,
}

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    threads: usize,
    idle: usize,
    closed: bool,
}

type Job = Box<dyn FnOnce() + Send>;

impl Starters {
    pub fn new(threads_max: usize) -> Self {
        let shared = Shared {
            queue: Mutex::default(),
            changed: Condvar::new(),
            threads_max,
            brief: AtomicBool::new(true),
        };
        Self(Arc::new(shared))
    }

    /// Runs `job` on one of the threads, inside the runtime of the caller. Jobs are as many as attempts at most.
    pub fn run(&self, job: impl FnOnce() + Send + 'static) {
        let mut queue = self.0.queue();
        if queue.idle <= queue.jobs.len() && queue.threads < self.0.threads_max {
            self.add_thread(&mut queue);
        }
        if queue.threads == 0 {
            drop(queue);
            return job();
        }
        queue.jobs.push_back(Box::new(job));
        drop(queue);
        self.0.changed.notify_one();
    }

    fn add_thread(&self, queue: &mut Queue) {
        let (shared, runtime) = (self.0.clone(), Handle::current());
        let thread = std::thread::Builder::new().name("starter".to_owned());
        match thread.spawn(move || shared.work(&runtime)) {
            Ok(_) => queue.threads += 1,
            // Those that are there do it, or the caller.
            Err(error) => warn!(%error, threads = queue.threads, "no thread for starting programs"),
        }
    }

    /// How long to wait for what was just started. Long programs must not keep others from being started.
    pub fn patience(&self) -> Duration {
        if self.0.brief.load(Ordering::Relaxed) { PATIENCE } else { Duration::ZERO }
    }

    /// What was started had this long a life, at least.
    pub fn learn(&self, lived: Duration) {
        self.0.brief.store(lived < PATIENCE, Ordering::Relaxed);
    }
}

impl Drop for Starters {
    fn drop(&mut self) {
        self.0.queue().closed = true;
        self.0.changed.notify_all();
    }
}

impl Shared {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self, runtime: &Handle) {
        let _inside = runtime.enter();
        let mut queue = self.queue();
        loop {
            if let Some(job) = queue.jobs.pop_front() {
                drop(queue);
                // Whoever waits for the job hears of it: what it was to tell them with is gone.
                let _ = catch_unwind(AssertUnwindSafe(job));
                queue = self.queue();
            } else if queue.closed {
                return;
            } else {
                queue.idle += 1;
                queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
                queue.idle -= 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, channel};

    use super::*;

    #[tokio::test]
    async fn jobs_run_in_turn_on_no_more_threads_than_allowed() {
        let starters = Starters::new(2);
        let (begun, jobs) = channel();
        let gates: Vec<_> = (0..4)
            .map(|number| {
                let (open, gate): (_, Receiver<()>) = channel();
                let begun = begun.clone();
                starters.run(move || {
                    let _ = begun.send(number);
                    let _ = gate.recv();
                });
                open
            })
            .collect();
        let mut first = [jobs.recv().expect("a job"), jobs.recv().expect("a job")];
        first.sort_unstable();
        assert_eq!(first, [0, 1]);
        assert_eq!(starters.0.queue().threads, 2);
        assert_eq!(starters.0.queue().jobs.len(), 2, "the others wait");
        drop(gates);
        let mut rest = [jobs.recv().expect("a job"), jobs.recv().expect("a job")];
        rest.sort_unstable();
        assert_eq!(rest, [2, 3]);
    }

    #[tokio::test]
    async fn a_panic_costs_its_job_and_no_thread() {
        let starters = Starters::new(1);
        let (tell, told) = channel();
        let lost = tell.clone();
        starters.run(move || {
            let _lost = lost;
            panic!("as a test wants it");
        });
        starters.run(move || tell.send("the next one").expect("it is awaited"));
        assert_eq!(told.recv(), Ok("the next one"));
        assert!(told.recv().is_err(), "whoever waits for the first is told");
    }

    #[test]
    fn long_programs_are_not_waited_for_until_short_ones_come_again() {
        let starters = Starters::new(1);
        assert_eq!(starters.patience(), PATIENCE);
        starters.learn(PATIENCE);
        assert_eq!(starters.patience(), Duration::ZERO);
        starters.learn(Duration::from_millis(1));
        assert_eq!(starters.patience(), PATIENCE);
    }

    #[tokio::test]
    async fn threads_end_with_their_owner() {
        let starters = Starters::new(1);
        let shared = Arc::downgrade(&starters.0);
        let (tell, told) = channel();
        starters.run(move || tell.send(()).expect("it is awaited"));
        told.recv().expect("it ran");
        drop(starters);
        while shared.strong_count() > 0 {
            std::thread::yield_now();
        }
    }
}
