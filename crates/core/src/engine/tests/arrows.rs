//! Every arrow of the table is taken by a story, and no story takes another.

use super::*;
use crate::task::ARROWS;

type Story = fn(&mut Rig, TaskId);
type Into = (Status, fn(&mut Rig) -> TaskId);

/// Brings a fresh task into each unfinished state.
fn into_states() -> Vec<Into> {
    vec![
        (Status::Pending, |rig| rig.submit_as(spec(), StartTime::After(Millis::from_secs(60)))),
        (Status::Queued, |rig| {
            let mut elsewhere = spec();
            elsewhere.requirements.pool = Name::fixed("elsewhere");
            rig.submit_as(elsewhere, StartTime::Now)
        }),
        (Status::Assigned, |rig| {
            rig.hello(1, 1, 1, &[]);
            rig.submit()
        }),
        (Status::Running, |rig| rig.running(spec())),
        (Status::RetryWait, |rig| {
            let id = rig.running(spec());
            rig.report(id, failed(FailureClass::Transient));
            id
        }),
        (Status::Deferred, |rig| {
            let id = rig.running(spec());
            rig.report(id, ReportKind::Deferred { resume_after: Millis::from_secs(60) });
            id
        }),
    ]
}

fn stories() -> Vec<Story> {
    vec![
        |rig, id| drop(rig.tell(Command::RunNow { id })),
        |rig, id| drop(rig.tell(Command::Cancel { id, stop_running: false })),
        |rig, id| {
            if rig.tell(Command::Cancel { id, stop_running: true }) == Ok(Answer::Stopping { id }) {
                rig.report(id, failed(FailureClass::Transient));
            }
            revive(rig, id);
        },
        |rig, id| force(rig, id, Status::Succeeded),
        |rig, id| force(rig, id, Status::Failed),
        |rig, id| force(rig, id, Status::Skipped),
        |rig, id| report_if_leased(rig, id, OK),
        |rig, id| report_if_leased(rig, id, failed(FailureClass::Transient)),
        |rig, id| report_if_leased(rig, id, failed(FailureClass::Permanent)),
        |rig, id| report_if_leased(rig, id, failed(FailureClass::Preempted)),
        |rig, id| report_if_leased(rig, id, ReportKind::Deferred { resume_after: Millis::from_secs(1) }),
        // The same process says that it has nothing: never begun.
        |rig, id| {
            if rig.status(id).is_leased() {
                rig.hello(1, 9, 1, &[]);
                rig.pass(0);
            }
        },
        poison,
    ]
}

fn force(rig: &mut Rig, id: TaskId, status: Status) {
    rig.tell(Command::Force { id, status, over: over() }).expect("unfinished");
    report_if_leased(rig, id, OK);
    revive(rig, id);
}

fn revive(rig: &mut Rig, id: TaskId) {
    drop(rig.tell(Command::Revive { id, fact: None, over: over(), dead_only: false }));
}

fn report_if_leased(rig: &mut Rig, id: TaskId, what: ReportKind) {
    if rig.status(id).is_leased() {
        rig.report(id, what);
    }
}

/// Dies with its worker again and again, from the state it is in.
fn poison(rig: &mut Rig, id: TaskId) {
    let running = rig.status(id) == Status::Running;
    for life in 2..8 {
        if !rig.status(id).is_leased() {
            break;
        }
        if running {
            rig.report(id, ReportKind::Accepted);
        }
        rig.hello(1, life, life, &[]);
        rig.pass(0);
    }
    revive(rig, id);
}

/// The arrows of a task that only waits.
fn waited(payload: &str, ms: u64) -> BTreeSet<Arrow> {
    let mut rig = runs::with_words();
    runs::waits::wait_alone(&mut rig, payload);
    rig.pass(ms);
    rig.arrows
}

#[test]
fn every_arrow_is_taken_by_a_story() {
    let mut taken = BTreeSet::new();
    for (status, into) in into_states() {
        for story in stories() {
            let mut rig = rig();
            let id = into(&mut rig);
            assert_eq!(rig.status(id), status);
            story(&mut rig, id);
            taken.extend(rig.arrows);
        }
    }
    let run = RunId::new(START, Bucket::home(Group::ZERO), 1);
    for payload in ["nonsense", "for 5", &format!("run {run} 5"), &format!("skip {run} 5")] {
        taken.extend(waited(payload, 5));
    }
    let listed: BTreeSet<Arrow> = ARROWS.iter().copied().collect();
    assert_eq!(listed.difference(&taken).collect::<Vec<_>>(), Vec::<&Arrow>::new(), "arrows no story takes");
    assert_eq!(
        taken.difference(&listed).collect::<Vec<_>>(),
        Vec::<&Arrow>::new(),
        "arrows not in the table"
    );
}
