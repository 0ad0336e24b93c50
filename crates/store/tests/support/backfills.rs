//! Samples of backfills, and of what happens to them.

use mainspring_core::backfill::{
    Backfill, BackfillEvent, BackfillSoft, BackfillSpec, Created, Halt, Only, Order, Windows,
};
use mainspring_core::collections::Soft;
use mainspring_core::schedule::ScheduleKey;
use mainspring_core::values::{BackfillId, ScheduleId};
use mainspring_store::format::{read_backfill, write_backfill, write_backfill_spec};

use super::*;

const BACKFILL: BackfillId = BackfillId::from_bits(0x0194_6a68_2e7b_7abc_abf0_200b_75a8_4f96);

fn spec(order: Order) -> Arc<BackfillSpec> {
    let days = [0, 1, 2, 5, 6, 7].map(|day| Wall::from_millis(WALL.millis() + day * 86_400_000));
    Arc::new(BackfillSpec {
        key: Arc::new(ScheduleKey { tenant: name("acme"), job: name("report"), name: name("nightly") }),
        from: WALL,
        to: Wall::from_millis(WALL.millis() + 700_000_000),
        only: Only::Failed,
        windows: Windows::new(&days, order).expect("windows"),
        max_active: 300,
        version: 3,
        parameters: Arc::from(*b"{\"region\":\"eu\"}"),
    })
}

fn created(spec: Arc<BackfillSpec>, plan: Option<Plan>) -> Event {
    let schedule = ScheduleId::from_bits(0x0050_0000_0000_012c);
    let created = Created { id: BACKFILL, schedule, spec, plan: plan.map(Arc::new) };
    Event::Backfill(BackfillEvent::Created(Box::new(created)))
}

pub fn backfill_events() -> Vec<(&'static str, Event)> {
    let id = BACKFILL;
    vec![
        ("backfill_created", created(spec(Order::Oldest), None)),
        ("backfill_created_plan", created(spec(Order::Newest), Some(full_plan()))),
        ("backfill_paused", Event::Backfill(BackfillEvent::Paused { id, paused: true })),
        ("backfill_cancelled", Event::Backfill(BackfillEvent::Cancelled { id, stop_runs: true })),
        ("backfill_ended", Event::Backfill(BackfillEvent::Ended { id })),
    ]
}

fn backfill(started: u32) -> Backfill {
    let spec = spec(Order::Newest);
    Backfill {
        id: BACKFILL,
        schedule: ScheduleId::from_bits(0x0050_0000_0000_012c),
        plan: Arc::new(plain_plan()),
        started,
        succeeded: 1,
        failed: 2,
        active: vec![RUN],
        paused: true,
        halt: Some(Halt { stop_runs: true }),
        created: WALL,
        changed: WALL,
        ended: Some(WALL),
        touched: Seq::new(300),
        stored: Soft(true),
        soft: Soft(BackfillSoft::at(&spec, started)),
        spec,
    }
}

#[test]
fn backfills_are_written_and_read_as_ever() {
    let backfill = backfill(4);
    let (mut spec, mut bytes) = (vec![], vec![]);
    write_backfill_spec(&mut spec, &backfill.spec);
    write_backfill(&mut bytes, &backfill);
    let (old_spec, old) = (golden("backfill_spec.hex", &spec), golden("backfill.hex", &bytes));
    assert_eq!((hex(&spec), hex(&bytes)), (hex(&old_spec), hex(&old)), "it is written differently");
    let plan = |_: &BackfillSpec| Ok::<_, FormatError>(Arc::new(plain_plan()));
    let read = read_backfill(&old_spec, &old, plan).expect("a backfill");
    assert_eq!(read.next(), backfill.next(), "it stands where it stood");
    assert_eq!(read, backfill, "it is read differently");
}

#[test]
fn rows_that_were_never_written_are_refused() {
    let plan = |_: &BackfillSpec| Ok::<_, FormatError>(Arc::new(plain_plan()));
    let (mut spec, mut bytes) = (vec![], vec![]);
    write_backfill_spec(&mut spec, &backfill(0).spec);
    write_backfill(&mut bytes, &backfill(7));
    let ahead = read_backfill(&spec, &bytes, plan);
    assert!(matches!(ahead, Err(FormatError::Bad { what: "started", .. })), "{ahead:?}");
    for short in 0..spec.len() {
        assert!(read_backfill(&spec[..short], &bytes, plan).is_err(), "{short} bytes");
    }
}
