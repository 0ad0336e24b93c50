//! Processes that must not outlive their agent, in one small file: so that the next agent can end what a killed one left.
//! A place in it is written when a process starts and cleared when it has ended, one system call each; a file for each
//! process cost a tenth of a short one.
//!
//! Not here: processes that are kept (`record`).

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tracing::warn;

use super::record::Identity;
use super::spawn::Group;
use crate::home::BOUND;

/// Of one place: three numbers as text.
const PLACE_BYTES: usize = 64;

pub struct Bound(Mutex<Places>);

struct Places {
    file: File,
    free: Vec<u32>,
    next: u32,
}

/// A process's place; cleared when dropped.
pub struct Place {
    bound: Arc<Bound>,
    number: u32,
}

impl Bound {
    /// Ends what an earlier agent left, and begins anew.
    pub fn open(dir: &Path) -> io::Result<Self> {
        let path = dir.join(BOUND);
        let file = File::options().create(true).truncate(false).read(true).write(true).open(&path)?;
        for text in std::fs::read(&path)?.chunks(PLACE_BYTES) {
            if let Some(identity) = Identity::read(&mut String::from_utf8_lossy(text).split_whitespace())
                && identity.is_alive()
            {
                warn!(process = identity.id.as_raw_nonzero(), "ending a process of an earlier agent");
                Group(identity.id).kill();
            }
        }
        file.set_len(0)?;
        Ok(Self(Mutex::new(Places { file, free: Vec::new(), next: 0 })))
    }

    /// Notes a process that was started between the tick `from` and now.
    pub fn enter(self: &Arc<Self>, group: Group, from: u64) -> Place {
        let mut places = self.places();
        let number = places.free.pop().unwrap_or_else(|| {
            places.next += 1;
            places.next - 1
        });
        places.write(number, &Identity::started_since(group, from).to_string());
        Place { bound: Arc::clone(self), number }
    }

    fn places(&self) -> MutexGuard<'_, Places> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Places {
    fn write(&self, number: u32, text: &str) {
        let line = format!("{text:<width$}\n", width = PLACE_BYTES - 1);
        if let Err(error) = self.file.write_all_at(line.as_bytes(), u64::from(number) * PLACE_BYTES as u64) {
            warn!(%error, "cannot note a process");
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut places = self.bound.places();
        places.write(self.number, "");
        places.free.push(self.number);
    }
}
