use super::runs::{apply, node, plan, trigger, with_words};
use super::*;
use crate::engine::question::Question;
use crate::job::FailurePolicy;
use crate::operation::{
    Bulk, BulkVerb, Cursor, EndedPlace, Operation, OperationPage, RunSelector, STEP_EVENTS_MAX, Selection,
    Selector,
};
use crate::run::RunStop;
use crate::values::{Actor, Band, OperationId, Wall};

const CANCEL: BulkVerb = BulkVerb::CancelTasks { stop_running: true };

fn bulk(verb: BulkVerb, of: Selection) -> Command {
    let bulk = Bulk { verb, of, before: Wall::ZERO, over: None, total: None, words: "".into() };
    Command::Bulk(Box::new(bulk))
}

fn of_tenant(tenant: &'static str) -> Selector {
    Selector { tenant: Name::fixed(tenant), ..Selector::default() }
}

fn tasks(verb: BulkVerb, selector: Selector) -> Command {
    bulk(verb, Selection::Tasks(Box::new(selector)))
}

fn start(rig: &mut Rig, command: Command) -> OperationId {
    let answer = rig.tell(command);
    let Ok(Answer::Operation(id)) = answer else { panic!("{answer:?}") };
    rig.now.wall = rig.now.wall + Millis::new(1);
    id
}

fn operation(rig: &Rig, id: OperationId) -> Operation {
    rig.engine.state().operations().asked_for(id).expect("in memory").clone()
}

/// Looked at, handled, refused.
fn counts(rig: &Rig, id: OperationId) -> (u64, u64, u64) {
    let operation = operation(rig, id);
    (operation.looked, operation.handled, operation.refused)
}

fn run_steps(rig: &mut Rig) {
    while rig.engine.has_work() {
        let had = rig.events.len();
        rig.begin();
        let mut batch = Batch::default();
        rig.engine.step(&mut batch, 1000);
        rig.absorb(batch);
        assert!(rig.events.len() - had <= 1000, "a step is bounded");
    }
}

fn no_more_parked(rig: &mut Rig, id: OperationId, parked: Vec<Task>) {
    let page = OperationPage::Parked { tasks: parked, more: false };
    rig.tell(Command::ContinueOperation { id, page: Box::new(page) }).expect("never refused");
}

#[test]
fn bulk_cancel_goes_in_bounded_steps_and_spares_what_came_later() {
    let mut rig = rig();
    let count = 2 * STEP_EVENTS_MAX + 10;
    let ids: Vec<TaskId> = (0..count).map(|_| rig.submit()).collect();
    let mut other = spec();
    other.tenant = Name::fixed("other");
    let spared = rig.submit_as(other, StartTime::Now);
    let process = start(&mut rig, tasks(CANCEL, of_tenant("acme")));
    let later = rig.submit();
    let before = rig.events.len();
    run_steps(&mut rig);
    assert!(rig.events.len() - before > count);
    assert!(ids.iter().all(|id| rig.status(*id) == Status::Cancelled));
    assert_eq!((rig.status(spared), rig.status(later)), (Status::Queued, Status::Queued));

    // Then the parked ones, which the shell brings.
    let wanted = rig.engine.wants_page().expect("a page is wanted");
    assert_eq!((wanted.operation, wanted.after), (process, Cursor::Parked(TaskId::from_bits(0))));
    let (row, other) = (parked_task(&mut rig, "acme"), parked_task(&mut rig, "other"));
    let (id, passed) = (row.id, other.id);
    rig.shadow.load(row.clone());
    no_more_parked(&mut rig, process, vec![row, other]);
    assert_eq!(rig.status(id), Status::Cancelled);
    assert!(rig.engine.state().tasks().by_id(passed).is_none(), "what does not match stays out of memory");
    assert!(rig.engine.state().operations().unfinished() == 0, "and it has ended");
    assert_eq!(counts(&rig, process), (count as u64 + 4, count as u64 + 1, 0));
    let ask = |rig: &mut Rig, id| rig.tell(Command::Ask(Question::Operations { only: Some(id) }));
    let done = operation(&rig, process);
    assert!(done.ended.is_some());
    assert_eq!(ask(&mut rig, process), Ok(Answer::Operations(vec![done])));
    assert_eq!(ask(&mut rig, OperationId::new(99)), Ok(Answer::Operations(vec![])));
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
    let selector = RunSelector { job: Name::fixed("flow"), ..RunSelector::default() };
    let cancel = bulk(BulkVerb::CancelRuns, Selection::Runs(Box::new(selector)));
    let Command::Bulk(mut cancel) = cancel else { unreachable!() };
    cancel.over = Some(over());
    let process = start(&mut rig, Command::Bulk(cancel));
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
    assert_eq!(counts(&rig, process).1, count as u64);
}

fn parked_task(rig: &mut Rig, tenant: &'static str) -> Task {
    let mut elsewhere = super::rig();
    elsewhere.ids = if tenant == "acme" { 1_000_000 } else { 2_000_000 };
    let mut spec = spec();
    spec.tenant = Name::fixed(tenant);
    let id = elsewhere.submit_as(spec, StartTime::After(Millis::from_secs(86_400)));
    let task = elsewhere.task(id).clone();
    assert!(rig.engine.state().tasks().find(id).is_none());
    task
}

#[test]
fn too_many_at_once_are_refused() {
    let limits = crate::values::Limits { operations_max: 1, ..Default::default() };
    let mut rig = Rig::with(EngineConfig { limits, ..EngineConfig::default() });
    let cancel = || tasks(CANCEL, Selector::default());
    assert!(rig.tell(cancel()).is_ok());
    assert_eq!(rig.tell(cancel()), Err(Rejection::TooManyOperations { max: 1 }));
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
        assert_eq!(selector.matches(&task), matched, "{name}");
    }
}

#[test]
fn failed_tasks_are_queued_again_once_although_a_page_comes_twice() {
    let mut rig = rig();
    let (failed, left) = (rig.submit(), rig.submit());
    for id in [failed, left] {
        rig.tell(Command::Force { id, status: Status::Failed, over: over() }).expect("forced");
    }
    let gone = ended_elsewhere(&mut rig);
    let id = start(&mut rig, tasks(BulkVerb::RetryTasks, of_tenant("acme")));
    run_steps(&mut rig);
    let wanted = rig.engine.wants_page().expect("history is wanted");
    assert_eq!(wanted.after, Cursor::Ended(EndedPlace::START));
    assert_eq!(wanted.holding, operation(&rig, id).touched, "what had ended is in the tables then");
    let place = |id| EndedPlace { day: 7, id };
    let rows = |rig: &Rig| vec![(place(failed), rig.task(failed).clone()), (place(gone.id), gone.clone())];
    let page = |tasks, next| Box::new(OperationPage::Ended { tasks, runs: Vec::new(), next });
    let first = page(rows(&rig), Some(place(gone.id)));
    for _ in 0..2 {
        rig.tell(Command::ContinueOperation { id, page: first.clone() }).expect("never refused");
    }
    assert_eq!((rig.status(failed), rig.status(gone.id)), (Status::Queued, Status::Queued));
    assert_eq!(operation(&rig, id).cursor, Cursor::Ended(place(gone.id)));
    assert_eq!(counts(&rig, id), (4, 2, 0), "what was queued again has changed since");
    // It fails again while the operation goes on: that was not meant.
    rig.tell(Command::Force { id: failed, status: Status::Failed, over: over() }).expect("forced");
    let last = page(vec![(place(failed), rig.task(failed).clone())], None);
    rig.tell(Command::ContinueOperation { id, page: last }).expect("never refused");
    assert_eq!(rig.status(failed), Status::Failed);
    assert_eq!((counts(&rig, id).1, operation(&rig, id).ended.is_some()), (2, true));
    assert_eq!(rig.status(left), Status::Failed, "it was in no page");
}

#[test]
fn what_is_refused_is_counted_with_the_reason() {
    let mut rig = rig();
    rig.running(spec());
    let gentle = BulkVerb::CancelTasks { stop_running: false };
    let id = start(&mut rig, tasks(gentle, of_tenant("acme")));
    run_steps(&mut rig);
    assert_eq!(counts(&rig, id), (1, 0, 1));
    let operation = operation(&rig, id);
    assert!(operation.refusal.expect("a reason").starts_with("TASK_ALREADY_RUNNING: "));
}

#[test]
fn an_operation_that_is_cancelled_leaves_the_rest_as_it_is() {
    let mut rig = rig();
    let task = rig.submit();
    let id = start(&mut rig, tasks(CANCEL, of_tenant("acme")));
    let by = Actor { actor: Name::fixed("ops"), reason: Name::fixed("a mistake") };
    let cancel = || Command::CancelOperation { id, over: by.clone() };
    assert_eq!(rig.tell(cancel()), Ok(Answer::Operation(id)));
    assert_eq!(rig.tell(cancel()), Err(Rejection::OperationNotRunning { id }));
    run_steps(&mut rig);
    assert_eq!(rig.status(task), Status::Queued);
    let operation = operation(&rig, id);
    assert_eq!((operation.handled, operation.cancelled), (0, Some(by)));
}

#[test]
fn waiting_tasks_change_priority_and_start_now() {
    let mut rig = rig();
    let (queued, later) = (rig.submit(), rig.submit_as(spec(), StartTime::After(Millis::from_secs(60))));
    let urgent = Priority::new(Band::P0, 9).expect("a level");
    for (verb, handled) in [(BulkVerb::SetPriority(urgent), 2), (BulkVerb::RunTasksNow, 1)] {
        let id = start(&mut rig, tasks(verb, of_tenant("acme")));
        run_steps(&mut rig);
        no_more_parked(&mut rig, id, vec![]);
        assert_eq!(counts(&rig, id).1, handled, "{verb:?}");
    }
    assert_eq!(rig.task(queued).priority, urgent);
    assert_eq!((rig.task(later).priority, rig.status(later)), (urgent, Status::Queued));
}

#[test]
fn entries_of_a_list_are_handled_in_order_and_those_that_are_gone_are_refused() {
    let mut rig = with_words();
    for job in ["one", "two"] {
        apply(&mut rig, job, plan(vec![node("only", &[])], FailurePolicy::FailFast));
    }
    let key = |name| crate::job::JobKey { tenant: Name::fixed("acme"), name: Name::fixed(name) };
    let keys = vec![key("one"), key("none"), key("two")];
    let id = start(&mut rig, bulk(BulkVerb::PauseJobs, Selection::Jobs(keys)));
    run_steps(&mut rig);
    let paused = |name| rig.engine.state().job_runs().jobs().get(&key(name)).expect("a job").paused;
    assert!(paused("one") && paused("two"));
    let operation = operation(&rig, id);
    assert_eq!((operation.looked, operation.handled, operation.refused), (3, 2, 1));
    assert!(operation.refusal.expect("a reason").starts_with("JOB_NOT_FOUND: "));
    assert!(operation.ended.is_some());
}

/// A task that failed and left memory.
fn ended_elsewhere(rig: &mut Rig) -> Task {
    let mut elsewhere = super::rig();
    elsewhere.ids = 1_000_000;
    let id = elsewhere.submit();
    elsewhere.tell(Command::Force { id, status: Status::Failed, over: over() }).expect("forced");
    assert!(rig.engine.state().tasks().find(id).is_none());
    elsewhere.task(id).clone()
}
