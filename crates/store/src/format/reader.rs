//! Takes fields from a slice; every error says what was being read and where.

use super::FormatError;

/// A position in bytes that nobody has vouched for.
pub struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Where `bytes` begins in what the caller handed in; only for messages.
    base: usize,
}

/// Elements for which a list takes room at once; a longer one grows as its bytes prove to be there.
const LIST_ROOM: usize = 16;

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, base: 0 }
    }

    /// Of a part that begins at byte `base` of what was handed in.
    pub(super) fn within(bytes: &'a [u8], base: usize) -> Self {
        Self { bytes, at: 0, base }
    }

    /// Byte offset from the start of what was handed in.
    pub fn at(&self) -> usize {
        self.base + self.at
    }

    pub fn is_at_end(&self) -> bool {
        self.at == self.bytes.len()
    }

    /// Refuses bytes after the last field: a known version has no unknown ones.
    pub fn finish(&self, what: &'static str) -> Result<(), FormatError> {
        if self.is_at_end() {
            Ok(())
        } else {
            Err(FormatError::bad(what, self.at(), "has bytes after its last field"))
        }
    }

    pub fn byte(&mut self, what: &'static str) -> Result<u8, FormatError> {
        let Some(byte) = self.bytes.get(self.at) else { return Err(self.short(what)) };
        self.at += 1;
        Ok(*byte)
    }

    /// The next byte, which stays.
    pub fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    pub fn bool(&mut self, what: &'static str) -> Result<bool, FormatError> {
        let at = self.at();
        match self.byte(what)? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(FormatError::bad(what, at, "is neither 0 nor 1")),
        }
    }

    #[inline]
    pub fn varint(&mut self, what: &'static str) -> Result<u64, FormatError> {
        let at = self.at();
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte(what)?;
            if shift == 63 && byte > 1 {
                return Err(FormatError::bad(what, at, "does not fit into 64 bits"));
            }
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                // A longer form of the same number would be a second encoding (FM-2).
                let longer = byte == 0 && shift > 0;
                return if longer {
                    Err(FormatError::bad(what, at, "is not in its shortest form"))
                } else {
                    Ok(value)
                };
            }
        }
        Err(FormatError::bad(what, at, "does not fit into 64 bits"))
    }

    pub fn varint32(&mut self, what: &'static str) -> Result<u32, FormatError> {
        let at = self.at();
        let value = self.varint(what)?;
        u32::try_from(value).map_err(|_| FormatError::bad(what, at, "does not fit into 32 bits"))
    }

    pub fn signed(&mut self, what: &'static str) -> Result<i32, FormatError> {
        let zigzag = self.varint32(what)?;
        Ok((zigzag >> 1).cast_signed() ^ -(zigzag & 1).cast_signed())
    }

    pub fn wide(&mut self, what: &'static str) -> Result<u128, FormatError> {
        let bytes = self.take(16, what)?;
        Ok(u128::from_be_bytes(bytes.try_into().expect("sixteen bytes were taken")))
    }

    pub fn bytes(&mut self, what: &'static str) -> Result<&'a [u8], FormatError> {
        let len = self.varint(what)?;
        self.take(usize::try_from(len).unwrap_or(usize::MAX), what)
    }

    pub fn text(&mut self, what: &'static str) -> Result<&'a str, FormatError> {
        let at = self.at();
        let bytes = self.bytes(what)?;
        std::str::from_utf8(bytes).map_err(|_| FormatError::bad(what, at, "is not UTF-8"))
    }

    pub fn option<T>(
        &mut self,
        what: &'static str,
        read: impl FnOnce(&mut Self) -> Result<T, FormatError>,
    ) -> Result<Option<T>, FormatError> {
        if self.bool(what)? { read(self).map(Some) } else { Ok(None) }
    }

    pub fn list<T>(
        &mut self,
        what: &'static str,
        mut read: impl FnMut(&mut Self) -> Result<T, FormatError>,
    ) -> Result<Vec<T>, FormatError> {
        let count = self.varint(what)?;
        // An element takes at least one byte, so a count beyond the rest is a lie.
        if count > (self.bytes.len() - self.at) as u64 {
            return Err(self.short(what));
        }
        let mut values = Vec::with_capacity(LIST_ROOM.min(count as usize));
        for _ in 0..count {
            values.push(read(self)?);
        }
        Ok(values)
    }

    /// A byte that says which fields follow; `known` are the bits that mean something.
    pub(super) fn flags(&mut self, what: &'static str, known: u8) -> Result<u8, FormatError> {
        let at = self.at();
        let flags = self.byte(what)?;
        if flags & !known == 0 { Ok(flags) } else { Err(FormatError::bad(what, at, "has unknown bits")) }
    }

    pub(super) fn version(&mut self, what: &'static str, known: u8) -> Result<(), FormatError> {
        let at = self.at();
        match self.byte(what)? {
            0 => Err(FormatError::bad(what, at, "is 0, which was never written")),
            found if found > known => Err(FormatError::newer(what, at, found, known)),
            found if found < known => {
                Err(FormatError::bad(what, at, "is an older one, which is no longer read"))
            }
            _ => Ok(()),
        }
    }

    /// The next `length` bytes (as [`super::Writer::begin`] wrote them) as a reader of their own.
    pub(super) fn nested(&mut self, what: &'static str) -> Result<Self, FormatError> {
        let len = self.take(4, what)?;
        let len = u32::from_le_bytes(len.try_into().expect("four bytes were taken")) as usize;
        let base = self.at();
        Ok(Self::within(self.take(len, what)?, base))
    }

    fn short(&self, what: &'static str) -> FormatError {
        FormatError::Short { what, at: self.at() }
    }

    fn take(&mut self, len: usize, what: &'static str) -> Result<&'a [u8], FormatError> {
        let rest = &self.bytes[self.at..];
        if len > rest.len() {
            return Err(self.short(what));
        }
        self.at += len;
        Ok(&rest[..len])
    }
}
