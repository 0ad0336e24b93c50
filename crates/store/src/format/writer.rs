//! Appends fields to a buffer; never allocates besides growing that buffer.

/// Borrowed for one value at a time: the buffer stays its owner's.
pub struct Writer<'a> {
    out: &'a mut Vec<u8>,
}

/// Bytes of the longest varint of 64 bits.
const VARINT_BYTES_MAX: usize = 10;

impl<'a> Writer<'a> {
    pub fn new(out: &'a mut Vec<u8>) -> Self {
        Self { out }
    }

    pub fn byte(&mut self, value: u8) {
        self.out.push(value);
    }

    pub fn bool(&mut self, value: bool) {
        self.out.push(u8::from(value));
    }

    /// LEB128, shortest form.
    #[inline]
    pub fn varint(&mut self, mut value: u64) {
        if value < 0x80 {
            self.out.push(value as u8);
            return;
        }
        let mut bytes = [0_u8; VARINT_BYTES_MAX];
        let mut len = 0;
        while value >= 0x80 {
            bytes[len] = value as u8 | 0x80;
            value >>= 7;
            len += 1;
        }
        bytes[len] = value as u8;
        self.out.extend_from_slice(&bytes[..=len]);
    }

    pub fn signed(&mut self, value: i32) {
        let zigzag = (value << 1) ^ (value >> 31);
        self.varint(u64::from(zigzag.cast_unsigned()));
    }

    /// Sixteen bytes, the greatest first.
    pub fn wide(&mut self, value: u128) {
        self.out.extend_from_slice(&value.to_be_bytes());
    }

    pub fn bytes(&mut self, value: &[u8]) {
        self.varint(value.len() as u64);
        self.out.extend_from_slice(value);
    }

    pub fn text(&mut self, value: &str) {
        self.bytes(value.as_bytes());
    }

    /// A flag, then the value if there is one.
    pub fn option<T>(&mut self, value: Option<T>, write: impl FnOnce(&mut Self, T)) {
        self.bool(value.is_some());
        if let Some(value) = value {
            write(self, value);
        }
    }

    pub fn list<T>(&mut self, values: &[T], write: impl Fn(&mut Self, &T)) {
        self.varint(values.len() as u64);
        for value in values {
            write(self, value);
        }
    }

    /// Four bytes for a length that is known only after what follows was written.
    pub(super) fn begin(&mut self) -> usize {
        self.out.extend_from_slice(&[0; 4]);
        self.out.len()
    }

    /// Fills in the length that [`Self::begin`] left open.
    pub(super) fn end(&mut self, began: usize) {
        let len = u32::try_from(self.out.len() - began).expect("an event is far below 4 GiB");
        self.out[began - 4..began].copy_from_slice(&len.to_le_bytes());
    }
}
