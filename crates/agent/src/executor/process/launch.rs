//! Starts a program without copying the agent first: until the program runs, its process shares the agent's memory, and
//! the thread that starts it waits. That is how `posix_spawn` works too; but that cannot set limits or enter a cgroup, and it
//! maps a new stack each time, which is felt on every processor that runs the agent when it is unmapped.
//! Entry: [`launch`].
//! - LA-1 between its birth and the program, the child does nothing but bare system calls on what was made before
//! - LA-2 no signal reaches the child before it has handlers of its own, none
//! - LA-3 what shares the agent's memory keeps the agent's rights: a child that gives them up gets a copy

#![expect(
    unsafe_code,
    reason = "what a new process does before its program runs can be said in no other way"
)]

use std::ffi::{CString, c_char, c_int, c_void};
use std::fs::File;
use std::io::{self, PipeReader, Read};
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::ptr;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Mutex, PoisonError};

use rustix::process::{Pid, Resource, Rlimit};

use super::user::User;

/// The child calls a handful of functions; none of them goes deep.
const STACK_BYTES: usize = 64 << 10;
const STACK_ALIGN: usize = 16;
const SIGNAL_MAX: c_int = 64;

/// All that a start needs, made beforehand.
pub struct Launch<'a> {
    pub program: CString,
    pub argv: Vec<CString>,
    pub env: Vec<CString>,
    pub cwd: Option<CString>,
    /// Input, output, errors.
    pub stdio: [BorrowedFd<'a>; 3],
    /// Of the cgroup that it enters.
    pub entrance: Option<File>,
    pub limits: Vec<(Resource, u64)>,
    pub user: Option<&'a User>,
}

/// Stacks for children, each used by one at a time: as many as there were starts at the same moment.
#[derive(Default)]
pub struct Stacks(Mutex<Vec<Box<Stack>>>);

struct Stack([MaybeUninit<u8>; STACK_BYTES]);

/// The process, and what tells when it has ended, where the kernel has such a thing (Linux 5.2).
pub struct Launched {
    pub id: Pid,
    pub ended: Option<OwnedFd>,
}

impl Stacks {
    fn take(&self) -> Box<Stack> {
        let unused = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        unused.unwrap_or_else(|| {
            // SAFETY: bytes that may be uninitialised need no initialisation.
            unsafe { Box::new_uninit().assume_init() }
        })
    }

    fn give_back(&self, stack: Box<Stack>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(stack);
    }
}

/// What the child reads; pointers into a [`Launch`] that outlives it.
struct Order<'a> {
    launch: &'a Launch<'a>,
    argv: Vec<*const c_char>,
    env: Vec<*const c_char>,
    /// Why the program did not start, if the child shares this memory.
    failed: AtomicI32,
    /// Where it says so if not.
    failed_to: Option<RawFd>,
}

pub fn launch(stacks: &Stacks, launch: &Launch<'_>) -> io::Result<Launched> {
    let apart = if launch.user.is_some() { Some(io::pipe()?) } else { None };
    let order = Order {
        launch,
        argv: pointers(&launch.argv),
        env: pointers(&launch.env),
        failed: AtomicI32::new(0),
        failed_to: apart.as_ref().map(|(_, writer)| writer.as_raw_fd()),
    };
    let mut stack = stacks.take();
    let born = give_birth(&order, &mut stack);
    stacks.give_back(stack);
    let launched = born?;
    let failed = match apart {
        // Its end of the pipe is closed by the program's start.
        Some((reader, writer)) => {
            drop(writer);
            failure_from(reader)?
        }
        None => order.failed.load(Ordering::Acquire),
    };
    if failed == 0 {
        return Ok(launched);
    }
    // It has ended already, or is about to.
    let _ = rustix::process::waitpid(Some(launched.id), rustix::process::WaitOptions::empty());
    Err(io::Error::from_raw_os_error(failed))
}

fn pointers(texts: &[CString]) -> Vec<*const c_char> {
    texts.iter().map(|text| text.as_ptr()).chain([ptr::null()]).collect()
}

fn failure_from(mut reader: PipeReader) -> io::Result<c_int> {
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes)?;
    Ok(bytes.try_into().map_or(0, c_int::from_ne_bytes))
}

fn give_birth(order: &Order<'_>, stack: &mut Stack) -> io::Result<Launched> {
    let sharing = if order.failed_to.is_none() { libc::CLONE_VM | libc::CLONE_VFORK } else { 0 };
    let flags = sharing | libc::CLONE_PIDFD | libc::SIGCHLD;
    // It grows down.
    let top = stack.0.as_mut_ptr_range().end.map_addr(|address| address & !(STACK_ALIGN - 1));
    let mut ended: RawFd = -1;
    let mut before = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: the masks are written before they are read. The child runs `child` on a stack that nobody else uses until
    // it is gone: it shares this memory only while this thread waits for it (CLONE_VFORK), else it has a copy. `order`
    // outlives the call, and `ended` is where the kernel puts the descriptor that CLONE_PIDFD asks for.
    let id = unsafe {
        let mut all = MaybeUninit::<libc::sigset_t>::uninit();
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr());
        let arg = ptr::from_ref(order).cast_mut().cast::<c_void>();
        let id = libc::clone(child, top.cast(), flags, arg, &raw mut ended);
        let error = io::Error::last_os_error();
        libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), ptr::null_mut());
        if id < 0 {
            return Err(error);
        }
        id
    };
    // SAFETY: the kernel gave it to this call, and nobody else knows it.
    let ended = (ended >= 0).then(|| unsafe { OwnedFd::from_raw_fd(ended) });
    let id = Pid::from_raw(id).ok_or_else(|| io::Error::other("the process has no id"))?;
    Ok(Launched { id, ended })
}

/// The child's life before the program.
extern "C" fn child(order: *mut c_void) -> c_int {
    // SAFETY: `give_birth` passes an order that lives until this process has a program or has ended.
    let order = unsafe { &*order.cast::<Order<'_>>() };
    let failed = order.follow().raw_os_error().unwrap_or(libc::EINVAL);
    order.failed.store(failed, Ordering::Release);
    if let Some(to) = order.failed_to {
        // SAFETY: four bytes that are there.
        unsafe { libc::write(to, (&raw const failed).cast(), size_of::<c_int>()) };
    }
    127
}

impl Order<'_> {
    /// Comes back only when something failed.
    fn follow(&self) -> io::Error {
        if let Err(error) = self.prepare() {
            return error;
        }
        // SAFETY: lists of texts that end with a null pointer, made by `pointers`.
        unsafe { libc::execve(self.launch.program.as_ptr(), self.argv.as_ptr(), self.env.as_ptr()) };
        io::Error::last_os_error()
    }

    fn prepare(&self) -> io::Result<()> {
        default_signals()?;
        for (place, from) in (0..).zip(&self.launch.stdio) {
            // SAFETY: only numbers. The agent's own 0, 1 and 2 are open, so no `from` is one of these.
            check(unsafe { libc::dup2(from.as_raw_fd(), place) })?;
        }
        rustix::process::setpgid(None, None)?;
        if let Some(entrance) = &self.launch.entrance {
            rustix::io::write(entrance, b"0")?;
        }
        for &(resource, most) in &self.launch.limits {
            rustix::process::setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })?;
        }
        if let Some(user) = self.launch.user {
            user.become_it()?;
        }
        if let Some(cwd) = &self.launch.cwd {
            rustix::process::chdir(cwd.as_c_str())?;
        }
        let mut none = MaybeUninit::<libc::sigset_t>::uninit();
        // SAFETY: the mask is written before it is read.
        check(unsafe {
            libc::sigemptyset(none.as_mut_ptr());
            libc::sigprocmask(libc::SIG_SETMASK, none.as_ptr(), ptr::null_mut())
        })
    }
}

/// The agent's handlers would run in the child, on the agent's memory. What is ignored stays so, except SIGPIPE, which
/// Rust's runtime ignores and few programs expect to be.
fn default_signals() -> io::Result<()> {
    for signal in 1..=SIGNAL_MAX {
        let mut action = MaybeUninit::<libc::sigaction>::zeroed();
        // SAFETY: the kernel fills it; zeroes are a valid action too, the default.
        let found = unsafe {
            // Some numbers are the C library's own: it does not tell, and nobody sends them here.
            if libc::sigaction(signal, ptr::null(), action.as_mut_ptr()) != 0 {
                continue;
            }
            action.assume_init_ref().sa_sigaction
        };
        if found == libc::SIG_DFL || (found == libc::SIG_IGN && signal != libc::SIGPIPE) {
            continue;
        }
        let default = MaybeUninit::<libc::sigaction>::zeroed();
        // SAFETY: zeroes are the default action without flags.
        check(unsafe { libc::sigaction(signal, default.as_ptr(), ptr::null_mut()) })?;
    }
    Ok(())
}

fn check(result: c_int) -> io::Result<()> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
