//! Keeps a process that runs for long as small as its data.
//!
//! The allocator keeps freed memory for the next allocation and returns it while others allocate. An idle process
//! allocates nothing, so after a burst of large payloads it would stay as large as it once was.
//!
//! The allocator also asks the kernel for huge pages. They make a server with millions of tasks faster, but one byte
//! then costs 2 MiB: a small server would be twice as large as its data.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use tokio::runtime::Handle;

/// How often the process looks at its own CPU time. Memory is returned after at most three of these, within the minute
/// that `docs/operations.md` promises.
const INTERVAL: Duration = Duration::from_secs(15);
/// A process that used less than this share of the interval is idle.
const IDLE_SHARE: u32 = 50;

/// From this size on a server gets huge pages.
const HUGE_PAGES_FROM: usize = 512 << 20;

/// How long a thread of the runtime waits for the others to get their turn.
const MEET_MAX: Duration = Duration::from_millis(100);

/// Starts the thread that watches for idleness. For processes that run for long: server and worker. Within their runtime.
pub(crate) fn return_when_idle() {
    let runtime = Handle::current();
    let watch = move || {
        let mut idle_for = 0_u64;
        let mut used = cpu_time();
        loop {
            std::thread::sleep(INTERVAL);
            let now = cpu_time();
            let idle = now.saturating_sub(used) < INTERVAL / IDLE_SHARE;
            used = now;
            idle_for = if idle { idle_for + 1 } else { 0 };
            // Twice: the tables give up their cache when they have been idle for a while (`runtime/src/node/tabler.rs`).
            if (1..=2).contains(&idle_for) {
                on_every_worker(&runtime);
                return_freed();
            }
        }
    };
    if let Err(error) = std::thread::Builder::new().name("memory".into()).spawn(watch) {
        tracing::warn!(%error, "no thread for returning memory: the process stays as large as it becomes");
    }
}

/// What a thread has freed is its own until it says otherwise, and most of a burst was freed by the threads that read
/// requests. Each of these tasks blocks its thread until all have begun, so that no thread runs two of them.
fn on_every_worker(runtime: &Handle) {
    let workers = runtime.metrics().num_workers();
    let met = Arc::new((Mutex::new(0), Condvar::new()));
    for _ in 0..workers {
        let met = Arc::clone(&met);
        runtime.spawn(async move {
            return_freed();
            let (begun, all_begun) = &*met;
            let mut begun = begun.lock().unwrap_or_else(PoisonError::into_inner);
            *begun += 1;
            all_begun.notify_all();
            drop(all_begun.wait_timeout_while(begun, MEET_MAX, |begun| *begun < workers));
        });
    }
}

/// Turns huge pages off until the server has grown. Not for processes that start programs: those would inherit it.
pub(crate) fn small_pages_while_small() {
    allow_huge_pages(false);
    let watch = || {
        let mut huge = false;
        loop {
            std::thread::sleep(INTERVAL);
            let large = resident().is_some_and(|bytes| bytes >= HUGE_PAGES_FROM);
            if large != huge {
                allow_huge_pages(large);
                huge = large;
            }
        }
    };
    if std::thread::Builder::new().name("pages".into()).spawn(watch).is_err() {
        allow_huge_pages(true);
    }
}

/// For memory that is touched from now on.
#[allow(unsafe_code, reason = "there is no safe wrapper of this option; it takes no pointer")]
fn allow_huge_pages(allowed: bool) {
    // SAFETY: the call only sets a flag of the process. A kernel that does not know the option refuses it.
    let _ = unsafe { libc::prctl(libc::PR_SET_THP_DISABLE, libc::c_ulong::from(!allowed), 0, 0, 0) };
}

fn resident() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: usize = text.split(' ').nth(1)?.parse().ok()?;
    Some(pages * rustix::param::page_size())
}

fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}

/// Returns what this thread, and whoever has ended, has freed: of our own allocator, and of the system's, which `SQLite` and
/// zstd use.
#[allow(unsafe_code, reason = "allocators are C libraries; these calls take no pointer")]
pub(crate) fn return_freed() {
    // SAFETY: both may be called at any time from any thread.
    unsafe {
        libmimalloc_sys::mi_collect(true);
        #[cfg(target_env = "gnu")]
        libc::malloc_trim(0);
    }
}

#[cfg(test)]
mod tests {
    use super::return_freed;

    const BYTES: usize = 256 << 20;

    fn resident() -> usize {
        super::resident().expect("Linux tells")
    }

    #[test]
    fn memory_that_another_thread_freed_is_returned() {
        let before = resident();
        let payloads = || {
            let payloads: Vec<Vec<u8>> = (0..BYTES >> 20).map(|_| vec![1; 1 << 20]).collect();
            assert!(resident() > before + BYTES / 2, "the payloads are in memory");
            drop(payloads);
        };
        std::thread::scope(|scope| scope.spawn(payloads).join().expect("no panic"));
        return_freed();
        let after = resident();
        assert!(after < before + BYTES / 4, "{} MiB are kept", (after - before) >> 20);
    }
}
