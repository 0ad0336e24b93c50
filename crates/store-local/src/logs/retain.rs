//! Old logs go by whole days of their tasks. A task may run long after it was made: its log stays as long as one
//! that is made today.

use std::fs::{self, DirEntry};
use std::io::{self, ErrorKind};
use std::path::Path;
use std::time::UNIX_EPOCH;

use mainspring_core::values::Wall;
use mainspring_store::LogError;

use super::io_error;

/// Files removed in one step: the writer has others to serve in between.
const STEP_FILES_MAX: usize = 500;

pub(super) fn drop_before(dir: &Path, day: u32) -> Result<bool, LogError> {
    let mut left = STEP_FILES_MAX;
    for old in entries(dir).map_err(io_error("listing", dir))? {
        let named = old.file_name().to_str().and_then(|name| name.parse::<u32>().ok());
        if named.is_none_or(|named| named >= day) {
            continue;
        }
        drop_folder(&old.path(), day, &mut left).map_err(io_error("dropping old logs in", dir))?;
        if left == 0 {
            return Ok(true);
        }
    }
    Ok(false)
}

fn drop_folder(dir: &Path, day: u32, left: &mut usize) -> io::Result<()> {
    for entry in entries(dir)? {
        if *left == 0 {
            return Ok(());
        }
        if entry.file_type()?.is_dir() {
            drop_folder(&entry.path(), day, left)?;
        } else if written_on(&entry)? < day {
            fs::remove_file(entry.path())?;
            *left -= 1;
        }
    }
    match fs::remove_dir(dir) {
        Err(error) if !matches!(error.kind(), ErrorKind::DirectoryNotEmpty | ErrorKind::NotFound) => {
            Err(error)
        }
        _ => Ok(()),
    }
}

fn entries(dir: &Path) -> io::Result<Vec<DirEntry>> {
    match fs::read_dir(dir) {
        Ok(entries) => entries.collect(),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

fn written_on(entry: &DirEntry) -> io::Result<u32> {
    let since = entry.metadata()?.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
    Ok(Wall::from_millis(since.as_millis() as u64).day())
}
