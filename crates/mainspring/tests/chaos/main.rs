//! The real binary under kill -9, with a ledger of effects outside of the system and a checker of the whole history.
//!
//! `MAINSPRING_CHAOS_SEED`, `MAINSPRING_CHAOS_TASKS` and `MAINSPRING_CHAOS_KILLS` play a run again or make it bigger.
//! The seed decides what is submitted and who is killed when; which instruction a kill hits, the machine decides.

mod check;
mod client;
mod history;
mod keys;
mod ledger;
mod nemesis;
mod plan;
mod processes;
mod reading;
mod run;
#[path = "../support/mod.rs"]
mod support;

fn setting(name: &str, default: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("`{name}` must be a number, not `{text}`")),
        Err(_) => default,
    }
}

fn seed_of_the_day() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    now.as_secs()
}

#[test]
fn nothing_is_lost_and_nothing_runs_twice_without_a_cause() {
    let settings = run::Settings {
        seed: setting("MAINSPRING_CHAOS_SEED", seed_of_the_day()),
        tasks: setting("MAINSPRING_CHAOS_TASKS", 20_000) as usize,
        kills: setting("MAINSPRING_CHAOS_KILLS", 30) as usize,
    };
    let replay = format!(
        "replay: MAINSPRING_CHAOS_SEED={} MAINSPRING_CHAOS_TASKS={} MAINSPRING_CHAOS_KILLS={} \
         cargo test --profile checked -p mainspring --test chaos nothing_is_lost",
        settings.seed, settings.tasks, settings.kills
    );
    eprintln!("{replay}");
    let mut dir = tempfile::tempdir().expect("a directory");
    let (history, seen) = run::run(&settings, dir.path());
    eprintln!("{seen:?}");
    let violations = check::check(&history);
    // A few of each rule, or one rule would hide the others.
    let mut shown = Vec::new();
    let mut counts = std::collections::BTreeMap::new();
    for violation in &violations {
        let count = counts.entry(violation.rule).or_insert(0);
        *count += 1;
        if *count <= 5 {
            shown.push(violation.to_string());
        }
    }
    // Whoever looks into a violation wants the journal and the ledgers.
    dir.disable_cleanup(!violations.is_empty());
    assert!(
        violations.is_empty(),
        "violations: {counts:?}, the first of each are:\n{}\n{replay}\nleft in {}",
        shown.join("\n"),
        dir.path().display()
    );
    seen.must_not_be_void(&settings);
}
