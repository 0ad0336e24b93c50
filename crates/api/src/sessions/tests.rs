//! Orders find their session, and those of an owner that was replaced find nobody.

use mainspring_core::decision::ReportVerdict;
use mainspring_core::values::{Fence, TaskId};
use mainspring_core::worker::WorkerOffer;
use tokio_stream::StreamExt;

use super::queue::Outgoing;
use super::*;

const WORKER: WorkerId = WorkerId::from_bits(7);

/// A worker that was welcomed, and what it will be sent.
fn joined(router: &SessionRouter) -> Outgoing {
    let queue = Arc::new(SessionQueue::default());
    let hello = Hello {
        worker: WORKER,
        epoch: Epoch::ZERO,
        session: Session::new(1),
        incarnation: Incarnation::new(1),
        offer: WorkerOffer::default(),
        holding: Vec::new(),
    };
    router.enter(&hello, &queue, About::default(), Duration::ZERO).expect("the first session");
    queue.welcome(mainspring_proto::v1::Welcome::default());
    Outgoing(queue)
}

fn acknowledge(task: u128) -> Effect {
    Effect::Acknowledge {
        worker: WORKER,
        session: Session::new(1),
        task: TaskId::from_bits(task),
        fence: Fence::from_bits(1),
        verdict: ReportVerdict::Recorded,
    }
}

/// Task and epoch of every order that waits for the worker.
async fn sent(stream: &mut Outgoing) -> Vec<(u8, u64)> {
    stream.0.end(Ending::ServerStops);
    let mut all = Vec::new();
    while let Some(Ok(message)) = stream.next().await {
        all.extend(message.acknowledgements.iter().map(|order| (order.task[15], order.epoch)));
    }
    all
}

#[tokio::test]
async fn an_order_carries_the_epoch_of_its_sender() {
    let router = SessionRouter::new(10);
    let mut stream = joined(&router);
    router.route(0, Epoch::new(5), [acknowledge(1)].into_iter());
    let Some(Ok(message)) = stream.next().await else { panic!("no message") };
    assert_eq!(message.acknowledgements[0].epoch, 5);
}

#[tokio::test]
async fn orders_of_an_older_epoch_are_dropped() {
    let router = SessionRouter::new(10);
    let mut stream = joined(&router);
    let rows = [
        // shard, epoch, task
        (0, 5, 1),
        (0, 6, 2), // a new owner is heard
        (0, 5, 3), // a late order of the old one
        (1, 4, 4), // another shard counts for itself
        (0, 6, 5),
    ];
    for (shard, epoch, task) in rows {
        router.route(shard, Epoch::new(epoch), [acknowledge(task)].into_iter());
    }
    // Taken one message at a time: the end of a session drops what waits.
    let Some(Ok(message)) = stream.next().await else { panic!("no message") };
    let passed: Vec<(u8, u64)> =
        message.acknowledgements.iter().map(|order| (order.task[15], order.epoch)).collect();
    assert_eq!(passed, [(1, 5), (2, 6), (4, 4), (5, 6)]);
    assert_eq!(sent(&mut stream).await, []);
}

#[tokio::test]
async fn a_heartbeat_is_answered_by_its_number_and_the_newest_one_counts() {
    let router = SessionRouter::new(10);
    let mut stream = joined(&router);
    for number in [1, 3, 2] {
        stream.0.answer_heartbeat(number);
    }
    let Some(Ok(message)) = stream.next().await else { panic!("no message") };
    assert_eq!(message.heartbeat, 3);
}
