//! Schedules of every shape, and what happens to them.

use mainspring_core::backfill::{BackfillEvent, BackfillSpec, Created, Only, Order, Windows};
use mainspring_core::calendar::{Cron, Dst, Missing, Timetable, Twice, Zone};
use mainspring_core::collections::Soft;
use mainspring_core::schedule::{
    Overlap, Passed, Reason, Schedule, ScheduleEvent, ScheduleExtras, ScheduleHome, ScheduleKey, Spec,
    Stored, Target, Terms, Timing, Unfired, Waiting,
};
use mainspring_core::values::{
    BackfillId, Bucket, FiredAs, FiredBy, FiredWindow, ScheduleId, Started, TriggerId, Window,
};

use super::*;

fn schedule_id() -> impl Strategy<Value = ScheduleId> {
    any::<u64>().prop_map(ScheduleId::from_bits)
}

fn fired_as() -> impl Strategy<Value = FiredAs> {
    select(FiredAs::ALL.to_vec())
}

fn made() -> impl Strategy<Value = Started> {
    prop_oneof![run_id().prop_map(Started::Run), id().prop_map(Started::Task)]
}

fn outcome() -> impl Strategy<Value = Unfired> {
    let reason = || select(Reason::ALL.to_vec());
    prop_oneof![reason().prop_map(Unfired::Skipped), reason().prop_map(Unfired::Missed)]
}

pub fn window() -> impl Strategy<Value = Box<Window>> {
    (schedule_id(), name(), wall(), wall(), fired_as()).prop_map(|(schedule, name, at, from, fired_as)| {
        Box::new(Window { schedule, name, at, from, fired_as })
    })
}

pub fn fired_window() -> impl Strategy<Value = Box<FiredWindow>> {
    (window(), option::of(wall())).prop_map(|(window, next)| Box::new(FiredWindow { window: *window, next }))
}

pub fn fired_by() -> impl Strategy<Value = FiredBy> {
    prop_oneof![
        option::of(wall()).prop_map(|next| FiredBy::Schedule { next }),
        (0..4096_u64, 0..1_u64 << 52).prop_map(|(bucket, number)| {
            FiredBy::Trigger(TriggerId::new(Bucket::from_bits(bucket).expect("a bucket"), number))
        }),
        any::<u128>().prop_map(|bits| FiredBy::Backfill(BackfillId::from_bits(bits))),
    ]
}

fn timetable() -> impl Strategy<Value = Timetable> {
    let texts = ["H H * * *", "*/5 * * * *", "30 2 * * *", "0 0 L * *", "15 H 1W,LW * mon#1,sunL", "@yearly"];
    let dst = (select(Missing::ALL.to_vec()), select(Twice::ALL.to_vec()))
        .prop_map(|(missing, twice)| Dst { missing, twice });
    let zone = select(Zone::all().collect::<Vec<_>>());
    let cron = (select(texts.to_vec()), any::<u64>(), zone, dst).prop_map(|(text, seed, zone, dst)| {
        Timetable::Cron { cron: Cron::parse(text, seed).expect("an expression"), zone, dst }
    });
    prop_oneof![
        cron,
        (millis(), wall()).prop_map(|(every, anchor)| Timetable::Every { every, anchor }),
        vec(wall(), 0..5).prop_map(Timetable::instants),
    ]
}

fn target() -> impl Strategy<Value = Target> {
    let plain = (profile().boxed(), bytes(), priority(), option::of(labels()), option::of(permits()))
        .prop_map(|(profile, payload, priority, labels, permits)| {
            Target::Task(Box::new(TaskSpec { profile, payload, priority, labels, permits }))
        });
    let run = (bytes(), option::of(priority()))
        .prop_map(|(parameters, priority)| Target::Run { parameters, priority });
    prop_oneof![plain, run]
}

fn spec() -> impl Strategy<Value = (Arc<Spec>, ScheduleHome)> {
    let timing = prop_oneof![timetable().prop_map(Timing::Table), millis().prop_map(Timing::After)];
    let bounds = (option::of(wall()), option::of(wall()), millis(), millis(), millis());
    let rest = (any::<u32>(), select(Overlap::ALL.to_vec()), any::<u32>(), 0..4096_u64);
    (target().boxed(), timing, text(), bounds, rest).prop_map(
        |(
            target,
            timing,
            text,
            (start, end, jitter, offset, grace),
            (catch_up, overlap, active_max, bucket),
        )| {
            let own = ScheduleHome { bucket: Bucket::from_bits(bucket).expect("a bucket"), offset };
            let terms = Terms { timing, text, start, end, jitter, catch_up, grace, overlap, active_max };
            (Arc::new(Spec { target, terms: Arc::new(terms) }), own)
        },
    )
}

fn schedule_key() -> impl Strategy<Value = Arc<ScheduleKey>> {
    (name(), name(), name()).prop_map(|(tenant, job, name)| Arc::new(ScheduleKey { tenant, job, name }))
}

pub fn schedule_event() -> impl Strategy<Value = ScheduleEvent> {
    let next = || option::of(wall());
    let stored = (schedule_id(), schedule_key(), spec().boxed(), any::<bool>(), next()).prop_map(
        |(id, key, (spec, own), of_job, next)| {
            ScheduleEvent::Stored(Box::new(Stored { id, key, spec, own, of_job, next }))
        },
    );
    let passed = (schedule_id(), wall(), wall(), number(), outcome(), next()).prop_map(
        |(id, first, last, count, outcome, next)| {
            ScheduleEvent::Passed(Box::new(Passed { id, first, last, count, outcome, next }))
        },
    );
    prop_oneof![
        stored,
        passed,
        (schedule_id(), any::<bool>()).prop_map(|(id, paused)| ScheduleEvent::Paused { id, paused }),
        schedule_id().prop_map(|id| ScheduleEvent::Deleted { id }),
        schedule_id().prop_map(|id| ScheduleEvent::Forgotten { id }),
        (schedule_id(), next()).prop_map(|(id, next)| ScheduleEvent::Armed { id, next }),
        (schedule_id(), wall(), next(), fired_as())
            .prop_map(|(id, window, next, fired_as)| ScheduleEvent::Held { id, window, next, fired_as }),
    ]
}

pub fn schedule() -> impl Strategy<Value = Schedule> {
    let waiting = (wall(), fired_as()).prop_map(|(window, fired_as)| Waiting { window, fired_as });
    let times = (option::of(wall()), proptest::array::uniform4(wall()), option::of(wall()));
    let counts = (proptest::array::uniform3(number()), number());
    let what = (schedule_id(), schedule_key(), spec().boxed(), any::<[bool; 2]>());
    (what, times, option::of(made()), vec(waiting, 0..4), counts).prop_map(
        |(
            (id, key, (spec, own), [of_job, paused]),
            (deleted, [created, changed, last, resumed], next),
            last_made,
            waiting,
            ([fired, skipped, missed], touched),
        )| Schedule {
            id,
            key,
            spec,
            bucket: own.bucket,
            offset: own.offset,
            of_job,
            paused,
            created,
            changed,
            last,
            last_made,
            next,
            rare: ScheduleExtras { deleted, resumed, waiting: waiting.into(), ..ScheduleExtras::default() }
                .into(),
            fired,
            skipped,
            missed,
            touched: Seq::new(touched),
            soft: Soft::default(),
            written: Soft::default(),
        },
    )
}

fn backfill_spec() -> impl Strategy<Value = Arc<BackfillSpec>> {
    let gaps = vec(1_u64..4, 0..40).prop_map(|gaps| {
        let mut at = 1_000;
        let later = gaps.into_iter().map(|gap| {
            at += gap * 86_400_000;
            Wall::from_millis(at)
        });
        std::iter::once(Wall::from_millis(1_000)).chain(later).collect::<Vec<_>>()
    });
    let windows = (gaps, select(Order::ALL.to_vec()))
        .prop_map(|(ascending, order)| Windows::new(&ascending, order).expect("windows"));
    let only = select(Only::ALL.to_vec());
    (schedule_key(), [wall(), wall()], only, windows, any::<[u32; 2]>(), bytes()).prop_map(
        |(key, [from, to], only, windows, [max_active, version], parameters)| {
            Arc::new(BackfillSpec { key, from, to, only, windows, max_active, version, parameters })
        },
    )
}

pub fn backfill_event() -> impl Strategy<Value = BackfillEvent> {
    let id = || any::<u128>().prop_map(BackfillId::from_bits);
    let created = (id(), schedule_id(), backfill_spec(), option::of(plan().boxed())).prop_map(
        |(id, schedule, spec, plan)| BackfillEvent::Created(Box::new(Created { id, schedule, spec, plan })),
    );
    prop_oneof![
        created,
        (id(), any::<bool>()).prop_map(|(id, paused)| BackfillEvent::Paused { id, paused }),
        (id(), any::<bool>()).prop_map(|(id, stop_runs)| BackfillEvent::Cancelled { id, stop_runs }),
        id().prop_map(|id| BackfillEvent::Ended { id }),
    ]
}
