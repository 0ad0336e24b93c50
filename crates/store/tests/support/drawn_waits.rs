//! Any wait, and any end of one.

use mainspring_core::operation::EndWaits;
use mainspring_core::values::{CloudEvent, Pattern};
use mainspring_core::wait::{Approval, Awaited, EventMask, Late, Wait, WaitEnd};

use super::*;

fn pattern() -> impl Strategy<Value = Pattern> {
    (".{0,9}", any::<bool>()).prop_map(|(text, prefix)| Pattern { text: text.into(), prefix })
}

fn mask() -> impl Strategy<Value = EventMask> {
    let texts = (option::of(".{0,9}"), option::of(".{0,9}"));
    (pattern(), option::of(pattern()), texts).prop_map(|(kind, source, (subject, condition))| EventMask {
        kind,
        source,
        subject: subject.map(Into::into),
        condition: condition.map(Into::into),
    })
}

pub fn wait() -> impl Strategy<Value = Wait> {
    let what = prop_oneof![
        wall().prop_map(Awaited::Until),
        any::<u128>().prop_map(|bits| Awaited::Run(RunId::from_bits(bits))),
        mask().prop_map(|mask| Awaited::Event(Arc::new(mask))),
        (vec(name(), 0..3), option::of(".{0,9}")).prop_map(|(by, message)| {
            Awaited::Approval(Arc::new(Approval { by, message: message.map(Into::into) }))
        }),
    ];
    let late = select(vec![Late::Fail, Late::Skip, Late::Approve, Late::Reject]);
    (what, wall(), wall(), late).prop_map(|(what, since, deadline, late)| Wait {
        what,
        since,
        deadline,
        late,
    })
}

pub fn wait_end() -> impl Strategy<Value = WaitEnd> {
    prop_oneof![
        option::of(bytes()).prop_map(WaitEnd::Met),
        failure().prop_map(|failure| WaitEnd::Failed(Box::new(failure))),
        Just(WaitEnd::Skipped),
    ]
}

/// An event that some waits have not been told of yet.
pub fn end_waits() -> impl Strategy<Value = Arc<EndWaits>> {
    let text = || "[a-z.]{0,12}".prop_map(Arc::<str>::from);
    let notice = (text(), text(), text(), option::of(text()), option::of(wall()), option::of(bytes()));
    (name(), notice, wall()).prop_map(|(tenant, (id, source, kind, subject, time, data), at)| {
        let notice = Arc::new(CloudEvent { id, source, kind, subject, time, data });
        Arc::new(EndWaits { tenant, notice, at })
    })
}

/// With its place in the run.
pub fn decision() -> impl Strategy<Value = ((u32, u32), ApprovalDecision)> {
    (any::<[u32; 3]>(), any::<bool>(), over(), wall()).prop_map(
        |([node, index, turn], approved, over, at)| {
            ((node, index), ApprovalDecision { turn, approved, over, at })
        },
    )
}
