//! The bytes of a log file: a magic number, then blocks, each with a head and a body.
//!
//! ```text
//! head, little-endian: crc32c of the rest and the body (4) · kind (1) · packing (1) · zero (2)
//!                      · body length (4) · line ends (4) · length in the log (8) · offset in the log (8)
//! ```
//! Heads tell where a line is: a reader adds line ends up without unpacking a body.
//! Frozen: files of older versions stay readable for as long as logs are kept.

/// The last byte is the version.
pub const MAGIC: [u8; 8] = *b"MSLOG\0\0\x02";
pub const HEAD_BYTES: usize = 32;
/// A body is at most one piece and what was gathered before it, packed or not.
pub const BODY_BYTES_MAX: u32 = 4 << 20;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Data,
    /// The log had more than is kept; what follows is not there.
    Cut,
    End,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Packing {
    Plain,
    Zstd,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Head {
    pub crc: u32,
    pub kind: Kind,
    pub packing: Packing,
    pub body_len: u32,
    /// How many line ends are in it.
    pub lines: u32,
    /// How much of the log this block stands for.
    pub raw_len: u64,
    pub offset: u64,
}

impl Head {
    /// Where the log goes on after this block.
    pub const fn end(&self) -> u64 {
        self.offset.saturating_add(self.raw_len)
    }

    /// `None`: these bytes are no head.
    pub fn read(bytes: &[u8; HEAD_BYTES]) -> Option<Self> {
        let kind = match bytes[4] {
            1 => Kind::Data,
            2 => Kind::Cut,
            3 => Kind::End,
            _ => return None,
        };
        let packing = match bytes[5] {
            0 => Packing::Plain,
            1 => Packing::Zstd,
            _ => return None,
        };
        let head = Self {
            crc: u32::from_le_bytes(bytes[..4].try_into().ok()?),
            kind,
            packing,
            body_len: u32::from_le_bytes(bytes[8..12].try_into().ok()?),
            lines: u32::from_le_bytes(bytes[12..16].try_into().ok()?),
            raw_len: u64::from_le_bytes(bytes[16..24].try_into().ok()?),
            offset: u64::from_le_bytes(bytes[24..32].try_into().ok()?),
        };
        (head.body_len <= BODY_BYTES_MAX).then_some(head)
    }

    pub fn is_whole(&self, head: &[u8; HEAD_BYTES], body: &[u8]) -> bool {
        crc32c::crc32c_append(crc32c::crc32c(&head[4..]), body) == self.crc
    }
}

/// What a block says of the part of the log that it stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    pub kind: Kind,
    pub offset: u64,
    pub raw_len: u64,
    pub lines: u32,
}

impl Part {
    /// Of a block without output.
    pub const fn mark(kind: Kind, offset: u64, raw_len: u64) -> Self {
        Self { kind, offset, raw_len, lines: 0 }
    }
}

/// Appends one block to `out`.
pub fn write(out: &mut Vec<u8>, part: Part, packing: Packing, body: &[u8]) {
    let start = out.len();
    out.extend([0; 4]);
    let kind = match part.kind {
        Kind::Data => 1,
        Kind::Cut => 2,
        Kind::End => 3,
    };
    out.extend([kind, u8::from(packing == Packing::Zstd), 0, 0]);
    out.extend((body.len() as u32).to_le_bytes());
    out.extend(part.lines.to_le_bytes());
    out.extend(part.raw_len.to_le_bytes());
    out.extend(part.offset.to_le_bytes());
    out.extend(body);
    let crc = crc32c::crc32c(&out[start + 4..]);
    out[start..start + 4].copy_from_slice(&crc.to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_reads_back_and_every_flipped_bit_is_seen() {
        let mut bytes = Vec::new();
        let part = Part { kind: Kind::Data, offset: 7, raw_len: 5, lines: 1 };
        write(&mut bytes, part, Packing::Plain, b"hell\n");
        assert_eq!(bytes.len(), HEAD_BYTES + 5);
        for bit in 0..=bytes.len() * 8 {
            let mut damaged = bytes.clone();
            if bit > 0 {
                damaged[(bit - 1) / 8] ^= 1 << ((bit - 1) % 8);
            }
            let head_bytes: [u8; HEAD_BYTES] = damaged[..HEAD_BYTES].try_into().expect("a head");
            let head = Head::read(&head_bytes);
            let whole = head.is_some_and(|head| head.is_whole(&head_bytes, &damaged[HEAD_BYTES..]));
            assert_eq!(whole, bit == 0, "bit {bit}");
        }
    }

    #[test]
    fn zeros_are_no_head() {
        assert_eq!(Head::read(&[0; HEAD_BYTES]), None);
    }
}
