//! `mainspring verify`: is the journal whole?

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::output::say;

/// Walks every record of the journal, checks checksums and the hash chain, and changes nothing.
/// Exit: 0 whole, 1 damaged or not readable (what and where is said).
#[derive(Args)]
#[command(
    after_help = "Examples:\n  mainspring verify --data /var/lib/mainspring\n  mainspring verify --data try"
)]
pub(crate) struct Verify {
    /// The data directory, of `server` or of `dev`
    #[arg(long, value_name = "DIR", env = "MAINSPRING_DATA_DIR")]
    data: PathBuf,
}

impl Verify {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        // `dev` keeps its server's data in a directory of its own inside.
        let of_dev = self.data.join(super::dev::SERVER_DIR);
        let data = if of_dev.is_dir() { of_dev } else { self.data };
        let report = mainspring_store_local::verify(&data)?;
        say(&format!("segments   {}", report.segments));
        say(&format!("records    {} ({} to {})", report.records, report.first, report.last));
        say(&format!("events     {}", report.events));
        say(&format!("last hash  {}", hex(&report.last_hash)));
        match report.torn {
            None => say("tail       clean"),
            Some(torn) => {
                let file = torn.file.display();
                say(&format!(
                    "tail       torn at byte {} of `{file}` ({}); the next start cuts it",
                    torn.byte, torn.why
                ));
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
