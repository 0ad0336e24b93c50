//! A million unfinished tasks on disk: how long until the shard accepts again.

use std::path::Path;
use std::time::Instant;

use mainspring_core::engine::Answer;
use mainspring_runtime::ShardConfig;

use super::load::{Rig, Source, now_ms};
use super::{Figures, Plan};

pub(super) fn run(plan: &Plan, dir: &Path, figures: &mut Figures) -> anyhow::Result<()> {
    let tasks = plan.scaled(1_000_000);
    let data = dir.join("recovery");
    let rig = Rig::open(&data, &ShardConfig::default())?;
    let mut source = Source::new();
    let mut accepted = 0;
    while accepted < tasks {
        let replies = rig.call(source.batch(1000, now_ms()));
        // Refused ones (the tables lag) are offered again as new tasks.
        accepted +=
            replies.iter().filter(|reply| matches!(reply, Ok(Answer::Submitted { .. }))).count() as u64;
    }
    rig.node.stop();
    let start = Instant::now();
    let rig = Rig::open(&data, &ShardConfig::default())?;
    let replies = rig.call(vec![source.submit(now_ms())]);
    anyhow::ensure!(
        matches!(replies[..], [Ok(Answer::Submitted { .. })]),
        "the recovered shard accepts: {replies:?}"
    );
    let what = format!("recovery with {accepted} unfinished tasks, until a submission is acknowledged");
    figures.add("recovery_s", &what, start.elapsed().as_secs_f64(), "s", ("5", "2"));
    rig.node.stop();
    Ok(())
}
