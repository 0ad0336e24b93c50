//! Reads a journal from its first record to its last and judges what it finds. Changes nothing.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use mainspring_core::values::{Epoch, Seq};
use mainspring_store::OpenError;
use mainspring_store::frame::{Found, Frame, Frames, Link, Source, has_any_frame, has_live_frame};

use super::pieces::Pieces;
use super::segment::{self, HEADER_BYTES, Header, Parsed};

/// What a whole walk found.
#[derive(Debug, Default)]
pub struct Walked {
    pub segments: Vec<Segment>,
    /// `None`: the journal has no record yet.
    pub link: Option<Link>,
    pub torn: Option<Torn>,
    /// The newest segment, when nothing was written to it yet.
    pub unborn: Option<(u64, PathBuf)>,
}

#[derive(Clone, Debug)]
pub struct Segment {
    pub number: u64,
    pub path: PathBuf,
    pub first: Seq,
    /// Where its last record ends.
    pub used: u64,
    /// Size of the file.
    pub len: u64,
}

/// An append that was cut short; it was never acknowledged.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Torn {
    pub file: PathBuf,
    pub seq: Seq,
    pub byte: u64,
    pub why: &'static str,
}

type Visit<'a> = &'a mut dyn FnMut(&Frame<'_>) -> Result<(), OpenError>;

pub fn journal_dir(dir: &Path) -> PathBuf {
    dir.join("journal")
}

/// Hands every record after `after` to `visit`. Segments that end before it are only skipped over if `after`
/// is not zero, so a walk from zero checks all that is kept.
pub fn walk(dir: &Path, after: Seq, visit: Visit<'_>) -> Result<Walked, OpenError> {
    let files = segment::list(dir, segment::SEGMENT).map_err(io("listing", dir))?;
    let mut walk = Walk { piece: vec![], walked: Walked::default() };
    let firsts = firsts(&files)?;
    for (index, (number, path)) in files.iter().enumerate() {
        let is_last = index + 1 == files.len();
        let ends_before = firsts.get(index + 1).is_some_and(|next| next.is_some_and(|next| next <= after));
        if ends_before && walk.walked.link.is_none() {
            continue;
        }
        walk.segment(*number, path, is_last, after, visit)?;
    }
    Ok(walk.walked)
}

/// First record of each segment that says so.
fn firsts(files: &[(u64, PathBuf)]) -> Result<Vec<Option<Seq>>, OpenError> {
    let first = |path: &PathBuf| {
        let mut bytes = vec![];
        let file = File::open(path).map_err(io("opening", path))?;
        file.take(HEADER_BYTES as u64).read_to_end(&mut bytes).map_err(io("reading", path))?;
        Ok(match Header::parse(&bytes) {
            Parsed::Header(header) => Some(header.first),
            Parsed::Blank | Parsed::Bad | Parsed::Newer { .. } => None,
        })
    };
    files.iter().map(|(_, path)| first(path)).collect()
}

struct Walk {
    /// Memory for pieces of segments, one segment after the other.
    piece: Vec<u8>,
    walked: Walked,
}

impl Walk {
    fn segment(
        &mut self,
        number: u64,
        path: &Path,
        is_last: bool,
        after: Seq,
        visit: Visit<'_>,
    ) -> Result<(), OpenError> {
        let piece = std::mem::take(&mut self.piece);
        let mut pieces = Pieces::open(path, piece).map_err(io("opening", path))?;
        let Some(header) = self.header(&mut pieces, number, path, is_last)? else {
            self.walked.unborn = Some((number, path.to_path_buf()));
            return Ok(());
        };
        let link = self.continue_link(&header, path)?;
        let mut frames = Frames::new(&mut pieces, HEADER_BYTES, link);
        let torn = loop {
            match frames.step().map_err(io("reading", path))? {
                Found::Frame(frame) if frame.seq > after => visit(&frame)?,
                Found::Frame(_) => {}
                Found::End => break None,
                Found::Torn { at, why } if is_last => break Some((at, why)),
                Found::Torn { at, why } | Found::Damaged { at, why } => {
                    return Err(damaged(path, frames.link().next, at, why));
                }
                Found::Newer { found, known, .. } => {
                    let what = format!("record {} in {}", frames.link().next, path.display());
                    return Err(OpenError::NewerFormat { what, found, known });
                }
            }
        };
        let (link, used) = (frames.link(), frames.at() as u64);
        let seq = link.next;
        self.walked.torn = torn.map(|(at, why)| Torn { file: path.into(), seq, byte: at as u64, why });
        let len = pieces.len() as u64;
        self.walked.segments.push(Segment {
            number,
            path: path.to_path_buf(),
            first: header.first,
            used,
            len,
        });
        self.walked.link = Some(link);
        self.piece = pieces.into_piece();
        Ok(())
    }

    /// `None`: nothing was ever written to this segment, which only the newest may say.
    fn header(
        &self,
        pieces: &mut Pieces,
        number: u64,
        path: &Path,
        is_last: bool,
    ) -> Result<Option<Header>, OpenError> {
        let next = self.walked.link.map_or(Seq::new(1), |link| link.next);
        let unusable = |why| Err(damaged(path, next, 0, why));
        match Header::parse(pieces.read(0, HEADER_BYTES).map_err(io("reading", path))?) {
            Parsed::Header(header) if header.number == number => return Ok(Some(header)),
            Parsed::Newer { found } => {
                let what = format!("segment {}", path.display());
                return Err(OpenError::NewerFormat { what, found, known: segment::VERSION });
            }
            // The header of an earlier use (renamed, but not yet written to), or a first append cut short.
            Parsed::Header(_) | Parsed::Bad | Parsed::Blank => {}
        }
        if !is_last {
            return unusable("has no header, and a later segment follows");
        }
        let holds_records = match self.walked.link {
            Some(link) => has_live_frame(pieces, link),
            None => has_any_frame(pieces),
        };
        if holds_records.map_err(io("reading", path))? {
            return unusable("has no header, but holds records");
        }
        Ok(None)
    }

    /// Checks that a segment goes on where the one before it ended.
    fn continue_link(&self, header: &Header, path: &Path) -> Result<Link, OpenError> {
        let Header { journal, first, previous, number } = *header;
        let Some(link) = self.walked.link else {
            return Ok(Link { journal, next: first, previous, epoch: Epoch::ZERO });
        };
        let before = self.walked.segments.last().expect("a link comes from a segment");
        if number != before.number + 1 {
            return Err(damaged(path, link.next, 0, "does not follow: a segment is missing before it"));
        }
        if first != link.next || previous != link.previous || journal != link.journal {
            let why = "does not go on to where the next segment begins";
            return Err(damaged(&before.path, link.next, before.used as usize, why));
        }
        Ok(link)
    }
}

fn damaged(path: &Path, seq: Seq, byte: usize, why: &str) -> OpenError {
    let file = path.display().to_string();
    OpenError::Damaged { file, seq, byte: byte as u64, what: why.to_owned() }
}

fn io<'a>(what: &'a str, path: &'a Path) -> impl FnOnce(std::io::Error) -> OpenError + 'a {
    move |source| OpenError::Io { what: format!("{what} `{}`", path.display()), source }
}
