//! How much room a data directory takes, and how much is left on its device.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

/// Files and folders looked at below one folder; logs of a busy week may be more.
const LOOKS_MAX: usize = 200_000;

/// In bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Usage {
    pub journal: u64,
    pub tables: u64,
    pub logs: u64,
    /// There were more logs than were looked at.
    pub logs_more: bool,
    /// Left for this process.
    pub free: u64,
    /// Of the whole device.
    pub size: u64,
}

/// Reads names and sizes only; safe beside a running server.
pub fn usage(data: &Path) -> io::Result<Usage> {
    let device = rustix::fs::statvfs(data)?;
    let (journal, _) = below(&data.join("journal"))?;
    let (logs, logs_more) = below(&data.join("logs"))?;
    let mut tables = 0;
    for name in ["tables.db", "tables.db-wal", "tables.db-shm"] {
        tables += size(&data.join(name))?;
    }
    let free = device.f_bavail.saturating_mul(device.f_frsize);
    let size = device.f_blocks.saturating_mul(device.f_frsize);
    Ok(Usage { journal, tables, logs, logs_more, free, size })
}

/// A file may be removed while it is looked at.
fn size(file: &Path) -> io::Result<u64> {
    match fs::metadata(file) {
        Ok(found) => Ok(found.len()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(0),
        Err(error) => Err(error),
    }
}

/// The sum of all files below a folder, and whether there were too many.
fn below(folder: &Path) -> io::Result<(u64, bool)> {
    let (mut bytes, mut looks) = (0, 0);
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        };
        for entry in entries {
            if looks == LOOKS_MAX {
                return Ok((bytes, true));
            }
            looks += 1;
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                folders.push(entry.path());
            } else {
                bytes += size(&entry.path())?;
            }
        }
    }
    Ok((bytes, false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_is_counted_where_it_is() {
        let dir = tempfile::tempdir().expect("a directory");
        let file = |name: &str, bytes: usize| {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, vec![0; bytes]).expect("written");
        };
        file("journal/1.seg", 10);
        file("journal/2.spare", 5);
        file("tables.db", 100);
        file("tables.db-wal", 7);
        file("logs/20407/3f/a.log", 1_000);
        file("logs/20408/00/b.log", 2_000);
        file("reserve", 9);
        let found = usage(dir.path()).expect("measured");
        assert_eq!((found.journal, found.tables, found.logs, found.logs_more), (15, 107, 3_000, false));
        assert!(found.free > 0 && found.size >= found.free, "{found:?}");
        assert!(usage(&dir.path().join("none")).is_err());
    }
}
