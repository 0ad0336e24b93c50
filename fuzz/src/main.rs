//! `cargo run --profile checked -p mainspring-fuzz -- TARGET [--seconds N] [--seed S]`: a long run of one target.

use std::process::ExitCode;
use std::time::Duration;

use mainspring_fuzz::{Limit, Target, run};

fn main() -> ExitCode {
    match parse(std::env::args().skip(1)) {
        Ok((target, seed, seconds)) => {
            eprintln!("fuzz: {} with seed {seed} for {seconds} s", target.name);
            let ran = run(target, seed, Limit::Time(Duration::from_secs(seconds)));
            eprintln!("fuzz: {} inputs in {} s, nothing broke", ran.inputs, ran.seconds);
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("fuzz: {why}\nusage: mainspring-fuzz TARGET [--seconds N] [--seed S]");
            eprintln!("targets: {}", Target::names().join(", "));
            ExitCode::from(2)
        }
    }
}

fn parse(mut args: impl Iterator<Item = String>) -> Result<(Target, u64, u64), String> {
    let name = args.next().ok_or("name a target")?;
    let target = Target::find(&name).ok_or_else(|| format!("there is no target `{name}`"))?;
    let (mut seed, mut seconds) = (1, 60);
    while let Some(flag) = args.next() {
        let text = args.next().ok_or_else(|| format!("`{flag}` needs a number"))?;
        let number = text.parse().map_err(|_| format!("`{text}` is not a number"))?;
        match flag.as_str() {
            "--seed" => seed = number,
            "--seconds" => seconds = number,
            _ => return Err(format!("there is no flag `{flag}`")),
        }
    }
    Ok((target, seed, seconds))
}
