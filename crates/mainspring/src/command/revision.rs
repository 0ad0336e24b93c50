//! `--if-revision`: change only what is still as it was seen.

use clap::Args;

#[derive(Args, Clone, Copy)]
pub(super) struct IfRevision {
    /// Only if it still has this revision, as `get` shows it, else `REVISION_MISMATCH`; 0: only if it is not there
    #[arg(long = "if-revision", value_name = "N")]
    pub(super) number: Option<u64>,
}
