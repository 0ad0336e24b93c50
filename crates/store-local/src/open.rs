//! Opening: the lock, the tables, the journal; what was cut short is cut away, what is damaged stops it.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::hash::{BuildHasher, Hasher};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use mainspring_core::values::{Epoch, Seq};
use mainspring_store::frame::Link;
use mainspring_store::{CheckpointHead, OpenError, Opened, Probe, Store};

use crate::device::{Purpose, sync_dir};
use crate::journal::{
    Current, HEADER_BYTES, LocalJournal, Preparer, SEGMENT, SPARE, Spare, Torn, UNFINISHED, Walked,
    journal_dir, list, walk, write_zeros,
};
use crate::lock::{DirLock, Lost};
use crate::recovery::LocalRecovery;
use crate::reserve::Reserve;
use crate::tables::{LocalReader, LocalTables};
use crate::{LocalOptions, LocalStore};

impl Store for LocalStore {
    type Journal = LocalJournal;
    type Tables = LocalTables;
    type Reader = LocalReader;
    type Recovery = LocalRecovery;

    fn open(&self) -> Result<Opened<Self>, OpenError> {
        let segments = journal_dir(&self.dir);
        fs::create_dir_all(&segments).map_err(io_error("creating", &segments))?;
        let lock = Arc::new(DirLock::take(&self.dir)?);
        let reserve = Arc::new(Reserve::new(&self.dir, self.options.reserve_bytes));
        let (tables, head) = LocalTables::open(&self.dir, reserve.clone(), lock.clone())?;
        let walked = walk(&segments, Seq::ZERO, &mut |_| Ok(()))?;
        check_against(&head, &walked)?;
        if let Some(torn) = &walked.torn {
            cut_away(torn, &self.options)?;
        }
        let newest = walked.link.map_or(Epoch::ZERO, |link| link.epoch).max(head.epoch);
        let epoch = newest.next();
        let journal = open_journal(&segments, &self.options, walked, epoch, reserve.clone(), lock.clone())
            .map_err(io_error("opening the journal in", &segments))?;
        // Directories hold the names of all these files; and after the journal took its room.
        sync_dir(&self.dir).map_err(io_error("syncing", &self.dir))?;
        reserve.fill();
        let reader = LocalReader::open(&self.dir)?;
        let probe = probe(&lock);
        let recovery = LocalRecovery::new(LocalReader::open(&self.dir)?, segments, lock);
        Ok(Opened { epoch, probe, journal, tables, reader, recovery })
    }
}

/// Does not hold on to the lock.
fn probe(lock: &Arc<DirLock>) -> Probe {
    let lock = Arc::downgrade(lock);
    Box::new(move || match lock.upgrade().map(|lock| lock.check()) {
        Some(Err(Lost::Gone(what))) => Err(what),
        Some(Err(Lost::Unknown(error))) => Err(format!("the data directory cannot be looked at: {error}")),
        Some(Ok(())) | None => Ok(()),
    })
}

/// Tables and journal must meet: together they hold every record.
fn check_against(head: &CheckpointHead, walked: &Walked) -> Result<(), OpenError> {
    let first = walked.segments.first().map_or(Seq::new(1), |segment| segment.first);
    if first > head.seq.next() {
        return Err(OpenError::Gap { checkpoint: head.seq, first });
    }
    let last = walked.link.map_or(0, |link| link.next.get() - 1);
    if last < head.seq.get() {
        return Err(OpenError::Backend {
            what: "the journal".into(),
            why: format!(
                "it ends at record {last}, the tables already hold record {}: records are missing",
                head.seq
            ),
        });
    }
    Ok(())
}

/// Zeros from the torn record to the end of its segment, so that nothing of it is ever read again.
fn cut_away(torn: &Torn, options: &LocalOptions) -> Result<(), OpenError> {
    let Torn { file: path, seq, byte, why } = torn;
    tracing::warn!(
        file = %path.display(), %seq, byte, why,
        "the journal's last append was cut short and is cut away; it was never acknowledged"
    );
    let zero = || -> io::Result<()> {
        let file = File::options().write(true).open(path)?;
        let end = file.metadata()?.len().max(options.segment_bytes);
        let device = options.device.as_ref();
        write_zeros(device, Purpose::Prepare, &file, *byte..end, &AtomicBool::new(false))?;
        device.sync(Purpose::Prepare, &file)
    };
    zero().map_err(io_error("cutting the torn tail of", path))
}

fn open_journal(
    dir: &Path,
    options: &LocalOptions,
    walked: Walked,
    epoch: Epoch,
    reserve: Arc<Reserve>,
    lock: Arc<DirLock>,
) -> io::Result<LocalJournal> {
    let (spares, spares_named) = collect_spares(dir, &walked)?;
    let current = walked.segments.last().map(|segment| {
        let file = File::options().read(true).write(true).open(&segment.path)?;
        let len = file.metadata()?.len();
        Ok::<_, io::Error>(Current {
            file,
            path: segment.path.clone(),
            number: segment.number,
            at: segment.used,
            len,
        })
    });
    let current = current.transpose()?;
    debug_assert!(current.as_ref().is_none_or(|current| current.at >= HEADER_BYTES as u64));
    let device = options.device.clone();
    let mut journal = LocalJournal {
        dir: dir.to_path_buf(),
        preparer: Preparer::start(dir, options.segment_bytes, device.clone())?,
        device,
        epoch,
        link: walked.link.unwrap_or_else(first_link),
        next_number: current.as_ref().map_or(1, |current| current.number + 1),
        segments: VecDeque::from(walked.segments),
        current,
        spares,
        spares_named,
        reserve,
        buffer: Vec::new(),
        broken: None,
        lock,
    };
    journal.prepare_ahead();
    Ok(journal)
}

fn first_link() -> Link {
    Link { journal: random(), next: Seq::new(1), previous: [0; 32], epoch: Epoch::ZERO }
}

/// The standard library's map seeds are drawn from the system; that is all the randomness needed here.
fn random() -> u64 {
    std::collections::hash_map::RandomState::new().build_hasher().finish()
}

/// Room left by an earlier owner, and the highest name among it.
fn collect_spares(dir: &Path, walked: &Walked) -> io::Result<(Vec<Spare>, u64)> {
    for (_, unfinished) in list(dir, UNFINISHED)? {
        fs::remove_file(unfinished)?;
    }
    let mut named = list(dir, SPARE)?.last().map_or(0, |(number, _)| *number);
    if let Some((_, unborn)) = &walked.unborn {
        named += 1;
        debug_assert!(unborn.extension().is_some_and(|extension| extension == SEGMENT));
        fs::rename(unborn, dir.join(format!("{named:08}.{SPARE}")))?;
    }
    sync_dir(dir)?;
    let spare = |(_, path): (u64, std::path::PathBuf)| {
        let len = fs::metadata(&path)?.len();
        Ok(Spare { path, len })
    };
    let spares = list(dir, SPARE)?.into_iter().map(spare).collect::<io::Result<_>>()?;
    Ok((spares, named))
}

fn io_error<'a>(what: &'a str, path: &'a Path) -> impl FnOnce(io::Error) -> OpenError + 'a {
    move |source| OpenError::Io { what: format!("{what} `{}`", path.display()), source }
}
