//! Pictures of jobs and runs: graphs with coordinates, states in columns, the grid.

use mainspring_proto::v1;
use serde_json::{Value, json};

use crate::grpc::{Clients, reason};
use crate::rig::Rig;

const DIAMOND: &str = r#"{"job":"etl","tasks":{
    "fetch":{"noop":{}},"left":{"noop":{},"needs":"fetch"},"right":{"noop":{},"needs":"fetch"},
    "join":{"noop":{},"needs":["left","right"]}}}"#;

async fn start(rig: &Rig, job: &str) -> String {
    let run = rig.call("POST", &format!("/v1/jobs/{job}:trigger"), "").await.json();
    run["run_id"].as_str().expect("an id").to_owned()
}

/// The names on both ends of each edge.
fn edges(graph: &Value) -> Vec<(&str, &str)> {
    let name = |at: &Value| graph["names"][at.as_u64().expect("a place") as usize].as_str().expect("a name");
    let ends = graph["edges"].as_array().expect("pairs");
    ends.chunks(2).map(|pair| (name(&pair[0]), name(&pair[1]))).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_version_has_a_graph_that_may_be_kept_for_ever() {
    let rig = Rig::start().await;
    assert_eq!(rig.call("POST", "/v1/jobs", DIAMOND).await.status, 200);
    let answer = rig.get("/v1/jobs/etl/versions/1/graph?created=2026-11-18").await;
    assert_eq!(answer.headers["cache-control"], "private, max-age=31536000, immutable");
    let graph = answer.json();
    let mut found = edges(&graph);
    found.sort_unstable();
    assert_eq!(found, [("fetch", "left"), ("fetch", "right"), ("left", "join"), ("right", "join")]);
    let place = |name: &str| {
        let names = graph["names"].as_array().expect("names");
        let at = names.iter().position(|one| one == name).expect("there");
        (graph["layer"][at].as_u64(), graph["y"][at].as_u64())
    };
    assert_eq!((place("fetch"), place("join")), ((Some(0), Some(50)), (Some(2), Some(50))));
    assert_eq!(place("left").0, Some(1));
    assert_ne!(place("left").1, place("right").1);
    assert_eq!((&graph["layers"], &graph["height"]), (&json!(3), &json!(200)));
    for path in ["/v1/jobs/etl/versions/9/graph", "/v1/jobs/none/versions/1/graph"] {
        assert_eq!(rig.get(path).await.code(), "JOB_NOT_FOUND", "{path}");
    }
    assert_eq!(rig.get("/v1/jobs/etl/versions/one/graph").await.code(), "INVALID_FIELD");
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn states_of_a_run_come_in_the_order_of_its_graph() {
    let rig = Rig::start().await;
    assert_eq!(rig.call("POST", "/v1/jobs", DIAMOND).await.status, 200);
    let id = start(&rig, "etl").await;
    let graph = rig.get(&format!("/v1/runs/{id}/graph")).await;
    assert_eq!(graph.headers.get("cache-control"), None, "it may still be given tasks");
    let graph = graph.json();
    let fetch = graph["names"].as_array().and_then(|names| names.iter().position(|name| name == "fetch"));
    let fetch = fetch.expect("there");
    let task = loop {
        let run = rig.get(&format!("/v1/runs/{id}")).await.json();
        if let Some(id) = run["tasks"][fetch]["task_id"].as_str() {
            break id.to_owned();
        }
    };
    let states = rig.get(&format!("/v1/runs/{id}/states")).await.json();
    let letters = states["states"].as_str().expect("letters");
    let wanted: String = (0..4).map(|at| if at == fetch { 'q' } else { 'p' }).collect();
    assert_eq!(letters, wanted, "{states}");
    let count = |field: &str, value: i64| {
        states[field].as_array().map(|all| all.iter().filter(|one| **one == json!(value)).count())
    };
    assert_eq!((count("started", -1), count("ended", -1)), (Some(3), Some(4)));

    let body = r#"{"state":"succeeded","actor":"ann","reason":"test"}"#;
    assert_eq!(rig.call("POST", &format!("/v1/tasks/{task}:force-state"), body).await.status, 200);
    let states = rig.get(&format!("/v1/runs/{id}/states")).await.json();
    let letters = states["states"].as_str().expect("letters");
    assert_eq!((letters.as_bytes()[fetch], letters.matches('q').count()), (b's', 2), "{states}");
    assert!(states["ended"][fetch].as_i64() >= states["started"][fetch].as_i64());
    assert_eq!(rig.get("/v1/runs/run_1/states").await.code(), "RUN_NOT_FOUND");

    let body = r#"{"state":"failed","actor":"ann","reason":"test"}"#;
    assert_eq!(rig.call("POST", &format!("/v1/runs/{id}:force-state"), body).await.status, 200);
    rig.get(&format!("/v1/runs/{id}?wait=20s")).await;
    let ended = rig.get(&format!("/v1/runs/{id}/graph")).await;
    assert!(ended.headers["cache-control"].to_str().is_ok_and(|value| value.contains("immutable")));
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_grid_has_the_tasks_of_all_runs_and_the_oldest_run_first() {
    let rig = Rig::start().await;
    let old = r#"{"job":"etl","tasks":{"gone":{"noop":{}},"fetch":{"noop":{},"needs":"gone"}}}"#;
    assert_eq!(rig.call("POST", "/v1/jobs", old).await.status, 200);
    let first = start(&rig, "etl").await;
    assert_eq!(rig.call("POST", "/v1/jobs", DIAMOND).await.status, 200);
    let second = start(&rig, "etl").await;
    let grid = rig.get("/v1/jobs/etl/grid?runs=5").await.json();
    let mut tasks: Vec<&str> =
        grid["tasks"].as_array().expect("names").iter().filter_map(Value::as_str).collect();
    assert_eq!(tasks.pop(), Some("gone"), "those of the newest run come first");
    assert_eq!(tasks.len(), 4);
    let runs = grid["runs"].as_array().expect("runs");
    let ids: Vec<&str> = runs.iter().filter_map(|run| run["run_id"].as_str()).collect();
    assert_eq!(ids, [first.as_str(), &second]);
    let states = |at: usize| runs[at]["states"].as_str().expect("letters").to_owned();
    assert_eq!((states(0).matches('.').count(), states(0).len()), (3, 5), "{grid}");
    assert!(states(1).ends_with('.') && states(1).matches('.').count() == 1, "{grid}");
    assert_eq!(rig.get("/v1/jobs/etl/grid?runs=1").await.json()["runs"].as_array().map(Vec::len), Some(1));
    for runs in ["0", "101", "x"] {
        assert_eq!(
            rig.get(&format!("/v1/jobs/etl/grid?runs={runs}")).await.code(),
            "INVALID_QUERY",
            "{runs}"
        );
    }
    assert_eq!(rig.get("/v1/jobs/none/grid").await.code(), "JOB_NOT_FOUND");
    rig.stop().await;
}

fn numbers(list: &Value) -> Vec<u64> {
    list.as_array().expect("a list").iter().map(|one| one.as_u64().expect("a number")).collect()
}

fn wide(list: &[u32]) -> Vec<u64> {
    list.iter().copied().map(u64::from).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_pictures_come_over_grpc() {
    let rig = Rig::start().await;
    assert_eq!(rig.call("POST", "/v1/jobs", DIAMOND).await.status, 200);
    let id = start(&rig, "etl").await;
    let mut grpc = Clients::of(&rig).await;
    let of_job = v1::GetJobGraphRequest { job: "etl".into(), version: 1, tenant: None };
    let graph = grpc.pictures.job_graph(of_job.clone()).await.expect("a graph").into_inner();
    let same = rig.get("/v1/jobs/etl/versions/1/graph").await.json();
    assert_eq!(json!(graph.names), same["names"]);
    assert_eq!((wide(&graph.edges), wide(&graph.y)), (numbers(&same["edges"]), numbers(&same["y"])));
    assert_eq!((u64::from(graph.layers), u64::from(graph.height)), (3, 200));
    let of_run = grpc.pictures.run_graph(v1::GetRunGraphRequest { run_id: id.clone() }).await;
    assert_eq!(of_run.expect("a graph").into_inner(), graph);

    let states = v1::GetRunStatesRequest { run_id: id.clone() };
    let states = grpc.pictures.run_states(states).await.expect("states").into_inner();
    assert_eq!((states.run_id.as_str(), states.states.len(), states.started.len()), (id.as_str(), 4, 4));
    assert_eq!(states.state, v1::RunState::Running as i32);
    let grid = v1::GetJobGridRequest { job: "etl".into(), tenant: None, runs: Some(5) };
    let grid = grpc.pictures.job_grid(grid).await.expect("a grid").into_inner();
    assert_eq!((grid.tasks.len(), grid.runs.len(), grid.runs[0].states.len()), (4, 1, 4));
    let series = v1::GetSeriesRequest { step: Some("1s".into()), points: Some(10) };
    let series = grpc.stats.series(series).await.expect("a series").into_inner();
    assert_eq!(series.step.map(|step| step.seconds), Some(1));
    assert_eq!(series.queued.len(), series.failed.len());

    let none = v1::GetJobGraphRequest { version: 9, ..of_job };
    assert_eq!(reason(&grpc.pictures.job_graph(none).await.expect_err("refused")), "JOB_NOT_FOUND");
    let wrong = v1::GetJobGridRequest { job: "etl".into(), tenant: None, runs: Some(101) };
    assert_eq!(reason(&grpc.pictures.job_grid(wrong).await.expect_err("refused")), "INVALID_QUERY");
    let wrong = v1::GetSeriesRequest { step: Some("2s".into()), points: None };
    assert_eq!(reason(&grpc.stats.series(wrong).await.expect_err("refused")), "INVALID_QUERY");
    rig.stop().await;
}
