use super::runs::{apply, node, plan, trigger, with_words};
use super::*;
use crate::engine::question::{Progress, Question};
use crate::job::FailurePolicy;
use crate::operation::{RunSelector, STEP_EVENTS_MAX, Selector};
use crate::run::RunStop;
use crate::values::OperationId;

#[test]
fn bulk_cancel_goes_in_bounded_steps_and_spares_what_came_later() {
    let mut rig = rig();
    let count = 2 * STEP_EVENTS_MAX + 10;
    let ids: Vec<TaskId> = (0..count).map(|_| rig.submit()).collect();
    let mut other = spec();
    other.tenant = Name::fixed("other");
    let spared = rig.submit_as(other, StartTime::Now);
    let selector = Selector { tenant: Name::fixed("acme"), ..Selector::default() };
    let answer = rig.tell(Command::BulkCancel { selector: Box::new(selector), stop_running: true });
    let Ok(Answer::Operation(process)) = answer else { panic!("{answer:?}") };
    rig.now.wall = rig.now.wall + Millis::new(1);
    let later = rig.submit();
    let before = rig.events.len();
    while rig.engine.has_work() {
        let had = rig.events.len();
        rig.begin();
        let mut batch = Batch::default();
        rig.engine.run_due(&mut batch);
        rig.absorb(batch);
        assert!(rig.events.len() - had <= 1000, "a step is bounded");
    }
    assert!(rig.events.len() - before > count);
    assert!(ids.iter().all(|id| rig.status(*id) == Status::Cancelled));
    assert_eq!((rig.status(spared), rig.status(later)), (Status::Queued, Status::Queued));

    // Then the parked ones, which the shell brings.
    assert_eq!(rig.engine.wants_parked(), Some((process, TaskId::from_bits(0))));
    let row = parked_task(&mut rig);
    let id = row.id;
    rig.shadow.load(row.clone());
    rig.tell(Command::ContinueOperation { id: process, parked: vec![row], more: false })
        .expect("never refused");
    assert_eq!(rig.status(id), Status::Cancelled);
    assert!(rig.engine.state().operations().unfinished() == 0, "and it has ended");
    let progress = |rig: &mut Rig, id| rig.tell(Command::Ask(Question::Operation { id }));
    let done = Progress { id: process, running: false, handled: Some(count as u64 + 1) };
    assert_eq!(progress(&mut rig, process), Ok(Answer::Progress(Some(done))));
    assert_eq!(progress(&mut rig, OperationId::new(99)), Ok(Answer::Progress(None)));
}

#[test]
fn cancelling_runs_goes_in_bounded_steps_and_leaves_none_behind() {
    let mut rig = with_words();
    for job in ["flow", "spared"] {
        apply(&mut rig, job, plan(vec![node("only", &[])], FailurePolicy::FailFast));
    }
    // Two events each: the cancel, and who wanted it.
    let count = STEP_EVENTS_MAX / 2 + 10;
    let runs: Vec<RunId> = (0..count).map(|_| trigger(&mut rig, "flow")).collect();
    let spared = trigger(&mut rig, "spared");
    let selector = || RunSelector { job: Name::fixed("flow"), ..RunSelector::default() };
    let cancel = Command::CancelRuns { selector: Box::new(selector()), over: Some(over()) };
    let answer = rig.tell(cancel);
    let Ok(Answer::Operation(process)) = answer else { panic!("{answer:?}") };
    rig.now.wall = rig.now.wall + Millis::new(1);
    let later = trigger(&mut rig, "flow");
    while rig.engine.has_work() {
        let had = rig.events.len();
        rig.begin();
        let mut batch = Batch::default();
        rig.engine.run_due(&mut batch);
        rig.absorb(batch);
        assert!(rig.events.len() - had <= 1000, "a step is bounded");
        rig.pass(0);
    }
    let run = |id| rig.engine.state().job_runs().run(id).expect("in memory").clone();
    assert!(runs.iter().all(|id| run(*id).stop == Some(RunStop::Cancel)), "however many there are");
    assert_eq!(run(runs[0]).notes.len(), 1, "it says who wanted that");
    assert_eq!((run(spared).stop, run(later).stop), (None, None));
    let done = Progress { id: process, running: false, handled: Some(count as u64) };
    let progress = rig.tell(Command::Ask(Question::Operation { id: process }));
    assert_eq!(progress, Ok(Answer::Progress(Some(done))));
}

fn parked_task(rig: &mut Rig) -> Task {
    let mut elsewhere = super::rig();
    elsewhere.ids = 1_000_000;
    let id = elsewhere.submit_as(spec(), StartTime::After(Millis::from_secs(86_400)));
    let task = elsewhere.task(id).clone();
    assert!(rig.engine.state().tasks().find(id).is_none());
    task
}

#[test]
fn too_many_at_once_are_refused() {
    let limits = crate::values::Limits { operations_max: 1, ..Default::default() };
    let mut rig = Rig::with(EngineConfig { limits, ..EngineConfig::default() });
    let bulk = || Command::BulkCancel { selector: Box::default(), stop_running: false };
    assert!(rig.tell(bulk()).is_ok());
    assert_eq!(rig.tell(bulk()), Err(Rejection::TooManyOperations { max: 1 }));
}

#[test]
fn everything_that_a_selector_names_must_match() {
    let mut rig = rig();
    let mut spec = spec();
    spec.executor = Name::fixed("http");
    let pair = |key, value| (Name::fixed(key), Name::fixed(value));
    let mut submit = rig.command(spec, StartTime::Now);
    submit.task.labels = Some(vec![pair("env", "prod"), pair("team", "ops")].into());
    let id = submit.id;
    rig.tell(Command::Submit(Box::new(submit))).expect("accepted");
    let task = rig.task(id).clone();
    let labels = |pairs: &[(&'static str, &'static str)]| Selector {
        labels: pairs.iter().map(|(key, value)| pair(key, value)).collect(),
        ..Selector::default()
    };
    let executor = |name| Selector { executor: Name::fixed(name), ..Selector::default() };
    let statuses = |statuses: &[Status]| Selector { statuses: statuses.to_vec(), ..Selector::default() };
    let rows = [
        ("nothing named", Selector::default(), true),
        ("one label", labels(&[("team", "ops")]), true),
        ("all labels", labels(&[("team", "ops"), ("env", "prod")]), true),
        ("one of two labels", labels(&[("team", "ops"), ("env", "test")]), false),
        ("executor", executor("http"), true),
        ("other executor", executor("process"), false),
        ("state", statuses(&[Status::Queued]), true),
        ("one of the states", statuses(&[Status::Pending, Status::Queued]), true),
        ("other state", statuses(&[Status::Pending]), false),
        (
            "label but not state",
            Selector { statuses: vec![Status::Running], ..labels(&[("env", "prod")]) },
            false,
        ),
    ];
    for (name, selector, matched) in rows {
        assert_eq!(crate::operation::decide::matches(&selector, &task), matched, "{name}");
    }
}
