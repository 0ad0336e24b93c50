//! When an event is folded: what an `apply` needs beside its own table.

use super::id::Seq;
use super::time::Now;

#[derive(Clone, Copy, Debug)]
pub struct Stamp {
    /// The record that holds the event.
    pub seq: Seq,
    /// Through which record the last cut wrote: what was touched after it is listed as changed already.
    pub cut: Seq,
    pub now: Now,
}
