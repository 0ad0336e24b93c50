//! The wire: messages and services generated from `proto/mainspring/v1/*.proto` and stored in `generated/`,
//! which a test compares and writes (`tests/generated.rs`).
//! Entry: [`v1`]; [`FILE_DESCRIPTOR_SET`] for server reflection.
//! - PR-1 a released field number never changes its meaning; new fields get new numbers
//! - PR-2 in a session ids are 16 bytes, big-endian, as `bits().to_be_bytes()` gives them; elsewhere they are texts
//!
//! Not here: what a message means to the rules (`mainspring-api` and `mainspring-agent` convert at their edges).

/// Package `mainspring.v1`.
pub mod v1 {
    #![allow(clippy::all, clippy::pedantic, unused_qualifications)]
    include!("../generated/mainspring.v1.rs");
}

/// Metadata of a refused session: the highest number that a session of the worker had. The next one must be greater.
pub const NEWEST_SESSION: &str = "mainspring-newest-session";

/// What tells stderr from stdout in a log. They are control sequences that no terminal shows and no program writes by itself; one
/// that forges them is only believed about its own output.
pub mod streams {
    /// What follows was written to stderr.
    pub const STDERR_MARK: &[u8] = b"\x1b]7070;2\x07";
    /// What follows was written to stdout again.
    pub const STDOUT_MARK: &[u8] = b"\x1b]7070;1\x07";
    /// Longest piece between two marks: a reader that begins anywhere finds the mark before it within so many bytes.
    pub const PIECE_BYTES_MAX: usize = 16 << 10;
}

/// All definitions with what they import, encoded as protobuf's own `FileDescriptorSet`.
pub const FILE_DESCRIPTOR_SET: &[u8] = include_bytes!("../generated/mainspring.bin");
