//! Chores of this repository. `cargo xtask tidy` checks the rules that the compiler does not.

mod client;
mod contract;
mod tidy;

use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask tidy
       cargo xtask contract --accept
       cargo xtask client
tidy: check sizes, layers, the order of the core's modules, names, invariants, module docs, error pages, links, and that
the API keeps what was promised to its callers. contract: promise what the API has now, in crates/api/contract.txt.
client: write the typed client from the OpenAPI document, in crates/client/generated.
Findings go to stdout as `path:line: what is wrong; what to do`. Exit: 0 none, 1 some, 2 could not check";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments == ["tidy"] {
        return run_tidy();
    }
    if arguments == ["contract", "--accept"] {
        return written("contract", contract::accept);
    }
    if arguments == ["client"] {
        return written("client", client::write);
    }
    eprintln!("{USAGE}");
    ExitCode::from(2)
}

fn written(what: &str, write: fn(&Path) -> anyhow::Result<()>) -> ExitCode {
    match tidy::root().and_then(|root| write(&root)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{what}: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run_tidy() -> ExitCode {
    match tidy::run() {
        Ok(findings) if findings.is_empty() => {
            eprintln!("tidy: nothing found");
            ExitCode::SUCCESS
        }
        Ok(findings) => {
            for finding in &findings {
                println!("{finding}");
            }
            eprintln!("tidy: {} found", findings.len());
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("tidy: {error:#}");
            ExitCode::from(2)
        }
    }
}
