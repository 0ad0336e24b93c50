//! Schedules that say the same share what they say, and nothing else.

use super::*;
use crate::values::{Bucket, Group};

fn one(rig: &Rig, name: &'static str) -> Schedule {
    rig.engine.state().schedules().find(&key(name)).expect("a schedule").clone()
}

fn share(rig: &Rig) -> bool {
    Arc::ptr_eq(&one(rig, "s").spec, &one(rig, "t").spec)
}

#[test]
fn equal_schedules_share_one_spec_until_one_is_edited() {
    let mut rig = with(minutely());
    put(&mut rig, "t", minutely());
    assert!(share(&rig));
    let other = minutely().on(|terms| terms.catch_up = 7);
    put(&mut rig, "t", other.clone());
    assert!(!share(&rig));
    assert_eq!((&*one(&rig, "s").spec, &*one(&rig, "t").spec), (&minutely(), &other));
    let mut rig = crash(rig);
    assert!(!share(&rig));
    put(&mut rig, "t", minutely());
    assert!(share(&rig), "an edit may make them equal again");
    assert!(share(&crash(rig)), "what is read from the journal is shared as well");
}

#[test]
fn schedules_that_begin_different_things_share_their_terms() {
    let mut rig = with(minutely());
    let mut other = minutely();
    let Target::Task(plain) = &mut other.target else { panic!("it begins a task") };
    plain.payload = Arc::from(*b"another");
    put(&mut rig, "t", other.clone());
    let terms_shared = |rig: &Rig| Arc::ptr_eq(&one(rig, "s").spec.terms, &one(rig, "t").spec.terms);
    assert!(!share(&rig) && terms_shared(&rig));
    let rig = crash(rig);
    assert!(!share(&rig) && terms_shared(&rig));
    assert_eq!((&*one(&rig, "s").spec, &*one(&rig, "t").spec), (&minutely(), &other));
}

#[test]
fn what_follows_from_a_key_is_not_shared() {
    let mut rig = with(minutely());
    let own = ScheduleHome { bucket: Bucket::home(Group::ZERO), offset: Millis::new(20_000) };
    say(&mut rig, ScheduleCommand::Put { key: key("t"), spec: minutely(), own, seen: None })
        .expect("accepted");
    assert!(share(&rig));
    assert_eq!((one(&rig, "s").own(), one(&rig, "t").own()), (ScheduleHome::default(), own));
    rig.live_until(17 * MINUTE);
    let [first] = rig.made()[..] else { panic!("only one has begun") };
    rig.live_until(17 * MINUTE + 20_000);
    let [_, second] = rig.made()[..] else { panic!("the other begins later") };
    assert_eq!((first.bucket(), second.bucket()), (ScheduleHome::default().bucket, own.bucket));
    // Its own part may change while the spec stays as it is.
    let moved = ScheduleHome { offset: Millis::new(30_000), ..own };
    say(&mut rig, ScheduleCommand::Put { key: key("t"), spec: minutely(), own: moved, seen: None })
        .expect("accepted");
    assert!(share(&rig));
    assert_eq!(one(&rig, "t").own(), moved);
}

#[test]
fn what_has_ended_takes_no_memory() {
    let mut rig = with(minutely());
    rig.live_until(17 * MINUTE);
    assert_eq!(rig.schedule().rare.active.len(), 1);
    let [task] = rig.made()[..] else { panic!("one") };
    rig.succeed(task);
    assert!(!rig.schedule().rare.is_any());
}
