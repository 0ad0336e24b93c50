//! Pictures of jobs and runs: graphs with coordinates, states in columns, a grid of tasks and runs.

use std::collections::HashMap;
use std::sync::Arc;

use mainspring_core::job::{JobKey, Plan};
use mainspring_core::values::RunId;
use mainspring_store::format::{ProfileCache, read_plan};

use super::filter::RunFilterBody;
use super::{jobs, runs, unexpected};
use crate::edge::Edge;
use crate::layout::{Drawing, layout};
use crate::problem::Problem;
use crate::wire::SeenRun;

/// A plan, its edges, and where everything is drawn.
pub(crate) struct Drawn {
    pub(crate) plan: Arc<Plan>,
    pub(crate) edges: Vec<(u32, u32)>,
    pub(crate) drawing: Drawing,
    /// It will look the same for ever.
    pub(crate) is_final: bool,
}

/// The graph of one version of a job.
pub(crate) async fn graph(edge: &Edge, key: JobKey, version: u32) -> Result<Drawn, Problem> {
    let row = jobs::version(edge, key, version).await?;
    let plan = read_plan(&row.plan, &mut ProfileCache::default()).map_err(|error| {
        tracing::error!(%error, job = %row.key.name, version, "a stored plan cannot be read");
        unexpected()
    })?;
    drawn(Arc::new(plan), true).await
}

/// The graph of a run, with the tasks that it was given on its way.
pub(crate) async fn run_graph(edge: &Edge, id: RunId) -> Result<Drawn, Problem> {
    let run = runs::run(edge, id).await?;
    drawn(Arc::clone(&run.plan), run.status.is_ended()).await
}

async fn drawn(plan: Arc<Plan>, is_final: bool) -> Result<Drawn, Problem> {
    // A hundred thousand tasks take a tenth of a second: not on a thread that answers others.
    let drawn = tokio::task::spawn_blocking(move || {
        let edges: Vec<(u32, u32)> = (0..plan.len())
            .flat_map(|node| plan.node(node).needs.iter().map(move |need| (*need, node)))
            .collect();
        let drawing = layout(plan.len() as usize, &edges);
        Drawn { plan, edges, drawing, is_final }
    });
    drawn.await.map_err(|_| Problem::ServerBusy)
}

/// The newest runs of a job, the oldest of them first, and the tasks of all of them.
pub(crate) struct Grid {
    pub(crate) runs: Vec<(SeenRun, Vec<u32>)>,
    pub(crate) tasks: Vec<String>,
}

/// Columns of a grid.
const RUNS_DEFAULT: usize = 25;
const RUNS_MAX: usize = 100;

pub(crate) async fn grid(edge: &Edge, key: &JobKey, count: Option<usize>) -> Result<Grid, Problem> {
    let count = count.unwrap_or(RUNS_DEFAULT);
    if !(1..=RUNS_MAX).contains(&count) {
        return Err(Problem::query("runs", "a number from 1 to 100"));
    }
    jobs::job(edge, key.clone()).await?;
    let filter = RunFilterBody {
        tenant: Some(&key.tenant),
        job: Some(&key.name),
        limit: Some(count),
        ..RunFilterBody::default()
    };
    let newest_first = runs::list_runs(edge, filter).await?.rows;
    let mut tasks: Vec<String> = Vec::new();
    let mut known: HashMap<String, u32> = HashMap::new();
    let mut placed: Vec<(SeenRun, Vec<u32>)> = Vec::with_capacity(newest_first.len());
    for seen in newest_first {
        // Runs of one version share a plan more often than not.
        let same = placed.iter().find(|(other, _)| Arc::ptr_eq(&other.run.plan, &seen.run.plan));
        let places = match same {
            Some((_, places)) => places.clone(),
            None => places(&seen.run.plan, &mut tasks, &mut known),
        };
        placed.push((seen, places));
    }
    placed.reverse();
    Ok(Grid { runs: placed, tasks })
}

fn places(plan: &Plan, tasks: &mut Vec<String>, known: &mut HashMap<String, u32>) -> Vec<u32> {
    let place = |node: u32| {
        let name = plan.node(node).name.as_str();
        if let Some(place) = known.get(name) {
            return *place;
        }
        let place = tasks.len() as u32;
        tasks.push(name.to_owned());
        known.insert(name.to_owned(), place);
        place
    };
    (0..plan.len()).map(place).collect()
}
