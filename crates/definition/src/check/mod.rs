//! A job as a whole: what its tasks are to each other, and the plan made from them.
//! - DC-1 a plan is made only of a job without mistakes, so it keeps PL-1 and its texts are good
//! - DC-2 the work is in proportion to the job; where it could be more it is bounded

mod addition;
mod graph;
mod lower;
mod mentions;
mod rules;
mod schedules;
mod sensitive;
mod triggers;

pub use self::addition::addition;
pub use self::graph::Graph;
pub use self::lower::lower;
pub use self::schedules::{schedule_parameters, schedules};
pub use self::triggers::triggers;
use crate::file::{Job, Work};
use crate::mistake::{Code, Mistakes};

/// If tasks wait for each other, nobody is upstream of anybody; the rest is checked all the same.
pub fn check(job: &Job, mistakes: &mut Mistakes) -> Graph {
    let graph = Graph::new(&job.tasks, mistakes);
    for task in &job.tasks {
        if let Some(Work::Run { job: other, spot, .. }) = &task.work
            && job.name.as_ref() == Some(other)
        {
            let what = format!("the job `{other}` would start itself without end");
            mistakes.add(Code::CallsItself, spot, what, "use `repeat`, or name another job");
        }
        for (_, spot) in task.needs_jobs.iter().filter(|(need, _)| job.name.as_ref() == Some(&need.job)) {
            let what = "a job that waits for its own success never begins";
            mistakes.add(Code::CallsItself, spot, what, "name another job");
        }
        if let Some(each) = &task.each
            && let Some(count) = each.written.filter(|count| *count > job.bounds.fan_out_max as usize)
        {
            let what = format!(
                "{count} items are more than `limits.max_fan_out` allows, {}",
                job.bounds.fan_out_max
            );
            mistakes.add(Code::TooMany, &each.spot, what, "raise the limit, or group items");
        }
    }
    rules::check(job, &graph, mistakes);
    mentions::check(job, &graph, mistakes);
    sensitive::check(job, mistakes);
    graph
}
