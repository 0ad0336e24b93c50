//! Frames of a journal: walked to the end without a panic; what is taken for a frame is one.

use mainspring_core::values::{Epoch, Now, Seq};
use mainspring_store::Record;
use mainspring_store::frame::{self, Found, Frames, HEADER_BYTES, Link};

const JOURNAL: u64 = 0x1122_3344_5566_7788;
const LINK: Link = Link { journal: JOURNAL, next: Seq::new(1), previous: [0; 32], epoch: Epoch::ZERO };

/// With an odd first byte lengths and checksums are put right before, or no mutation would get past them.
pub fn run(bytes: &[u8]) {
    let Some((mode, rest)) = bytes.split_first() else { return };
    let mut bytes = rest.to_vec();
    if mode % 2 == 1 {
        put_right(&mut bytes);
    }
    walk(&bytes);
    let _ = frame::has_any_frame(&mut bytes.as_slice());
    let _ = frame::has_live_frame(&mut bytes.as_slice(), LINK);
}

fn walk(bytes: &[u8]) {
    let mut frames = Frames::new(bytes, 0, LINK);
    for _ in 0..=bytes.len() / HEADER_BYTES {
        let link = frames.link();
        let Ok(Found::Frame(found)) = frames.step() else { return };
        let mut written = Vec::new();
        let hash = frame::encode(&found.to_record(), link.journal, &link.previous, &mut written);
        let stood = &bytes[found.at..found.at + HEADER_BYTES + found.body.len()];
        // Reserved bytes are looked at too: a frame is written in one way only.
        assert!(written == stood, "frame {:?} is written back differently", found.seq);
        assert_eq!(hash, found.hash);
        assert_eq!(found.seq, link.next);
    }
    panic!("more frames than there is room for");
}

fn put_right(bytes: &mut [u8]) {
    let mut at = 0;
    while bytes.len() >= at + HEADER_BYTES && bytes[at..at + 4] == frame::MAGIC {
        let said = u32::from_le_bytes([bytes[at + 4], bytes[at + 5], bytes[at + 6], bytes[at + 7]]) as usize;
        let len = said.clamp(HEADER_BYTES, bytes.len() - at);
        bytes[at + 4..at + 8].copy_from_slice(&(len as u32).to_le_bytes());
        let crc = crc32c::crc32c(&bytes[at + 12..at + len]);
        bytes[at + 8..at + 12].copy_from_slice(&crc.to_le_bytes());
        at += len;
    }
}

pub fn corpus() -> Vec<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut previous = [0; 32];
    for seq in 1..=4 {
        let body = vec![seq as u8; 40 * seq as usize];
        let record =
            Record { epoch: Epoch::new(seq), seq: Seq::new(seq), now: Now::new(seq, 9), events: 1, body };
        previous = frame::encode(&record, JOURNAL, &previous, &mut bytes);
    }
    let with_room = [bytes.clone(), vec![0; 300]].concat();
    let modes = [0_u8, 1].into_iter();
    modes
        .flat_map(|mode| [[vec![mode], bytes.clone()].concat(), [vec![mode], with_room.clone()].concat()])
        .collect()
}
