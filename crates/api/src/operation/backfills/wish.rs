//! What a caller asks for, read and checked as far as it can be without looking anything up.

use mainspring_core::backfill::{ACTIVE_DEFAULT, ACTIVE_MAX, Only, Order};
use mainspring_core::job::JobKey;
use mainspring_core::schedule::Schedule;
use mainspring_core::values::Wall;

use crate::edge::Edge;
use crate::operation::{flows, schedules};
use crate::problem::Problem;
use crate::wire::{BackfillBody, Keys};

/// Schedules of one job that are named to whoever has to choose.
const NAMED_MAX: usize = 20;

pub(super) struct Wish {
    pub(super) job: JobKey,
    pub(super) from: Wall,
    pub(super) to: Wall,
    pub(super) only: Only,
    pub(super) order: Order,
    pub(super) max_active: u32,
}

impl Wish {
    pub(super) fn read(body: &BackfillBody, keys: Keys<'_>) -> Result<Self, Problem> {
        let job = flows::named_job(body.tenant.as_deref(), keys, &body.job)?;
        let (from, to) = (body.from.0, body.to.0);
        if from >= to {
            return Err(Problem::field("to", "it lies after `from`, and is not included"));
        }
        let only = body.only.as_deref().map_or(Some(Only::default()), Only::find);
        let order = body.order.as_deref().map_or(Some(Order::default()), Order::find);
        let max_active = body.max_active.unwrap_or(ACTIVE_DEFAULT);
        if max_active == 0 || max_active > ACTIVE_MAX {
            return Err(Problem::field("max_active", format!("a number from 1 to {ACTIVE_MAX}")));
        }
        Ok(Self {
            job,
            from,
            to,
            only: only.ok_or_else(|| Problem::field("only", "say `missing`, `failed` or `all`"))?,
            order: order.ok_or_else(|| Problem::field("order", "say `oldest` or `newest`"))?,
            max_active,
        })
    }

    /// The one that is named, or the only one of the job.
    pub(super) async fn schedule(&self, edge: &Edge, name: Option<&str>) -> Result<Box<Schedule>, Problem> {
        let (tenant, job) = (&*self.job.tenant, &*self.job.name);
        if let Some(name) = name {
            let key = schedules::named_schedule(Some(tenant), Keys::default(), job, name)?;
            return schedules::schedule(edge, key).await;
        }
        let mut of_job = schedules::of_job(edge, &self.job).await?;
        match of_job.len() {
            1 => Ok(Box::new(of_job.remove(0))),
            0 => {
                // So that what is missing is named: the job, or its schedule.
                flows::job(edge, self.job.clone()).await?;
                Err(Problem::field("job", "it has no schedule, so it has no windows"))
            }
            count => {
                let names = of_job.iter().take(NAMED_MAX).map(|one| format!("`{}`", one.key.name));
                let names: Vec<String> = names.collect();
                let what = format!("the job has {count} schedules: say which of {}", names.join(", "));
                Err(Problem::field("schedule", what))
            }
        }
    }
}
