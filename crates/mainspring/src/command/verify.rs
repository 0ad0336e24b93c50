//! `mainspring verify`: is the journal whole?

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

/// Walks every record of the journal, checks checksums and the hash chain, and changes nothing.
/// Exit: 0 whole, 1 damaged or not readable (what and where is said).
#[derive(Args)]
pub(crate) struct Verify {
    /// The data directory
    #[arg(long, value_name = "DIR", env = "MAINSPRING_DATA_DIR")]
    data: PathBuf,
}

impl Verify {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let report = mainspring_store_local::verify(&self.data)?;
        println!("records     {}", report.records);
        println!("events      {}", report.events);
        println!("first       {}", report.first);
        println!("last        {}", report.last);
        println!("{report:?}");
        Ok(ExitCode::SUCCESS)
    }
}
