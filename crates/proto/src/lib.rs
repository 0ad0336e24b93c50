//! The wire: messages and services generated from `proto/mainspring/v1/*.proto` and stored in `generated/`,
//! which a test compares and writes (`tests/generated.rs`).
//! Entry: [`v1`]; [`FILE_DESCRIPTOR_SET`] for server reflection; [`streams`], how stdout and stderr share a log.
//! - PR-1 a released field number never changes its meaning; new fields get new numbers
//! - PR-2 in a session ids are 16 bytes, big-endian, as `bits().to_be_bytes()` gives them; elsewhere they are texts
//!
//! Not here: what a message means to the rules (`mainspring-api` and `mainspring-agent` convert at their edges).

pub mod streams;

/// Package `mainspring.v1`.
pub mod v1 {
    #![allow(clippy::all, clippy::pedantic, unused_qualifications)]
    include!("../generated/mainspring.v1.rs");
}

/// Metadata of a refused session: the highest number that a session of the worker had. The next one must be greater.
pub const NEWEST_SESSION: &str = "mainspring-newest-session";

/// All definitions with what they import, encoded as protobuf's own `FileDescriptorSet`.
pub const FILE_DESCRIPTOR_SET: &[u8] = include_bytes!("../generated/mainspring.bin");
