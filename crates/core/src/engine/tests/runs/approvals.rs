//! Tasks that wait for the approval of a person.

use super::*;
use crate::engine::question::{Question, Standing};
use crate::run::decide::{Approve, Clear, ClearItems};
use crate::task::ProfileSpec;

fn asks(name: &'static str, payload: &str, needs: &[u32]) -> Node {
    let spec = ProfileSpec { executor: Name::fixed("wait"), ..spec() };
    let work = NodeWork::Task(TaskWork {
        profile: Profile::new(spec),
        payload: payload.as_bytes().into(),
        priority: Priority::default(),
        labels: None,
        templated: false,
    });
    Node { work, ..node(name, needs) }
}

/// `go` waits for anna or ben, `after` follows.
fn waiting(late: &str) -> Story {
    let go = asks("go", &format!("approve {late} 5000 anna ben"), &[]);
    story(plan(vec![go, node("after", &[0])], FailurePolicy::FailFast))
}

fn by(actor: &'static str) -> Actor {
    Actor { actor: Name::fixed(actor), reason: Name::fixed("because") }
}

fn say(
    story: &mut Story,
    (task, item): (Option<&'static str>, Option<u32>),
    approved: bool,
    actor: &'static str,
) -> Result<(), &'static str> {
    let task = task.map(Name::fixed);
    let approve = Approve { run: story.run, task, item, approved, over: by(actor), fact: None };
    let said = flow(&mut story.rig, RunCommand::Approve(Box::new(approve)));
    said.map(drop).map_err(|refusal| refusal.code())
}

#[test]
fn approved_it_succeeds_with_who_and_why() {
    for crashed in [false, true] {
        let mut story = waiting("fail");
        if crashed {
            crash(&mut story);
        }
        let task = story.task("go");
        assert_eq!((story.rig.status(task), story.rig.starts(task)), (Status::Deferred, 0));
        assert_eq!(say(&mut story, (None, None), true, "ben"), Ok(()), "crashed: {crashed}");
        assert_eq!(story.rig.status(task), Status::Succeeded);
        let output = story.rig.task(task).extra.as_ref().and_then(|extra| extra.output.clone());
        assert_eq!(output.as_deref(), Some(&b"ben because"[..]));
        assert!(story.started("after"), "in the record of the word");
        let note = story.run().notes.last().expect("a note");
        assert_eq!((&*note.what, note.over.actor.as_str()), ("approved `go`", "ben"));
    }
}

#[test]
fn rejected_it_fails_for_good_whatever_its_retries() {
    let mut story = waiting("fail");
    let task = story.task("go");
    assert_eq!(say(&mut story, (Some("go"), None), false, "anna"), Ok(()));
    assert_eq!(story.rig.status(task), Status::Failed);
    let failure = &story.rig.task(task).failures()[0].failure;
    assert_eq!((failure.class, &*failure.message), (FailureClass::Permanent, "rejected by `anna`: because"));
    story.assert_ended(RunStatus::Failed);
}

#[test]
fn who_is_not_on_the_list_decides_nothing() {
    let mut story = waiting("fail");
    assert_eq!(say(&mut story, (None, None), true, "carl"), Err("APPROVER_NOT_ALLOWED"));
    assert_eq!(story.rig.status(story.task("go")), Status::Deferred);
    assert!(story.run().notes.is_empty());
}

#[test]
fn a_second_word_agrees_or_comes_too_late() {
    for ended in [false, true] {
        let mut story = waiting("fail");
        assert_eq!(say(&mut story, (None, None), true, "anna"), Ok(()));
        if ended {
            story.succeed("after");
            story.assert_ended(RunStatus::Succeeded);
        }
        for task in [None, Some("go")] {
            assert_eq!(say(&mut story, (task, None), true, "ben"), Ok(()), "ended: {ended}");
            assert_eq!(say(&mut story, (task, None), false, "ben"), Err("APPROVAL_ALREADY_DECIDED"));
        }
        assert_eq!(story.run().notes.len(), 1);
    }
}

#[test]
fn without_an_open_approval_there_is_nothing_to_say() {
    let mut story = waiting("fail");
    let rows = [
        ((Some("after"), None), "NO_APPROVAL_OPEN"),
        ((Some("nothing"), None), "RUN_HAS_NO_SUCH_TASK"),
        ((Some("go"), Some(0)), "TASK_HAS_NO_ITEMS"),
    ];
    for (place, code) in rows {
        assert_eq!(say(&mut story, place, true, "anna"), Err(code));
    }
    let run = story.run;
    flow(&mut story.rig, RunCommand::CancelRun { id: run }).expect("cancelled");
    assert_eq!(story.rig.status(story.task("go")), Status::Cancelled);
    assert_eq!(say(&mut story, (None, None), true, "anna"), Err("NO_APPROVAL_OPEN"));
}

#[test]
fn its_deadline_decides_what_nobody_does() {
    let rows = [
        ("fail", Status::Failed, Some((FailureClass::Timeout, "nobody approved or rejected it in time"))),
        ("reject", Status::Failed, Some((FailureClass::Permanent, "rejected: nobody decided in time"))),
        ("skip", Status::Skipped, None),
        ("approve", Status::Succeeded, None),
    ];
    for (late, status, failure) in rows {
        let mut story = waiting(late);
        let task = story.task("go");
        story.rig.pass(4_999);
        assert_eq!(story.rig.status(task), Status::Deferred, "{late}");
        story.rig.pass(1);
        assert_eq!(story.rig.status(task), status, "{late}");
        let found = story.rig.task(task).failures().first().map(|attempt| attempt.failure.clone());
        assert_eq!(found.as_ref().map(|found| (found.class, &*found.message)), failure, "{late}");
        let code = say(&mut story, (Some("go"), None), true, "anna");
        assert_eq!(code, Err("NO_APPROVAL_OPEN"), "{late}: nobody has decided");
    }
}

#[test]
fn items_are_approved_one_by_one() {
    let go = Node { each: each("2"), ..asks("go", "approve fail 5000", &[]) };
    let mut story = story(plan(vec![go], FailurePolicy::FailFast));
    assert_eq!(say(&mut story, (None, None), true, "anna"), Err("SEVERAL_APPROVALS_OPEN"));
    assert_eq!(say(&mut story, (Some("go"), None), true, "anna"), Err("ITEM_NOT_NAMED"));
    assert_eq!(say(&mut story, (Some("go"), Some(2)), true, "anna"), Err("TASK_HAS_NO_SUCH_ITEM"));
    assert_eq!(say(&mut story, (Some("go"), Some(1)), true, "anna"), Ok(()));
    assert_eq!(&*story.run().notes[0].what, "approved item 1 of `go`");
    assert_eq!(say(&mut story, (None, None), true, "carl"), Ok(()), "one is left");
    story.assert_ended(RunStatus::Succeeded);
}

#[test]
fn a_cleared_task_asks_again() {
    let mut story = waiting("fail");
    assert_eq!(say(&mut story, (None, None), false, "anna"), Ok(()));
    let clear = Clear {
        id: story.run,
        nodes: vec![Name::fixed("go")],
        items: ClearItems::All,
        over: by("anna"),
        fact: None,
    };
    flow(&mut story.rig, RunCommand::Clear(Box::new(clear))).expect("cleared");
    story.rig.pass(0);
    assert_eq!(story.rig.status(story.task("go")), Status::Deferred);
    assert_eq!(say(&mut story, (None, None), true, "ben"), Ok(()));
    assert!(story.started("after"));
}

#[test]
fn nothing_goes_past_those_who_decide() {
    let mut story = waiting("fail");
    let id = story.task("go");
    let commands = [
        Command::RunNow { id },
        Command::Force { id, status: Status::Succeeded, over: by("anna") },
        Command::Amend { id, due: None, priority: None, payload: Some(Arc::from(*b"for 1")) },
    ];
    for command in commands {
        let refused = story.rig.tell(command).map_err(|refusal| refusal.code());
        assert_eq!(refused, Err("WAITS_FOR_APPROVAL"));
    }
    assert_eq!(story.rig.status(id), Status::Deferred);
}

#[test]
fn a_task_without_a_run_cannot_ask() {
    let mut rig = with_words();
    let id = waits::wait_alone(&mut rig, "approve fail 5000");
    assert_eq!(rig.status(id), Status::Failed);
    assert!(rig.task(id).failures()[0].failure.message.starts_with("only a task of a run"));
}

#[test]
fn who_asks_hears_by_whom_and_until_when() {
    let mut story = waiting("fail");
    let id = story.task("go");
    let Ok(Answer::Diagnosis(diagnosis)) = story.rig.tell(Command::Ask(Question::Why { id })) else {
        panic!("no diagnosis");
    };
    assert_eq!(diagnosis.standing.label(), "waits_for_approval");
    assert_eq!(diagnosis.standing.to_string(), "it waits for approval by `anna` or `ben`");
    let Standing::WaitsFor { deadline, .. } = diagnosis.standing else { panic!("{diagnosis:?}") };
    assert_eq!(deadline, story.rig.now.wall + Millis::from_secs(5));
    let asked = Command::Ask(Question::Released { run: story.run, items: None });
    let Ok(Answer::Released(released)) = story.rig.tell(asked) else { panic!("no answer") };
    let Ok(Answer::Approvals(all)) = story.rig.tell(Command::Ask(Question::Approvals)) else {
        panic!("no answer");
    };
    assert_eq!(released.approvals, all);
    assert_eq!(all.iter().map(|open| (open.id, open.task.as_str())).collect::<Vec<_>>(), [(id, "go")]);
    assert_eq!(say(&mut story, (None, None), true, "anna"), Ok(()));
    assert_eq!(story.rig.tell(Command::Ask(Question::Approvals)), Ok(Answer::Approvals(Vec::new())));
}
