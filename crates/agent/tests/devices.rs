//! Attempts that ask for GPUs and other whole things are told which ones they have, and share none.

mod double;

use std::path::Path;

use double::*;
use mainspring_agent::AgentConfig;
use mainspring_proto::v1;
use mainspring_proto::v1::report::What;
use serde_json::json;

fn settings(server: &Server, dir: &Path) -> AgentConfig {
    let mut settings = config(&server.url(), dir);
    settings.capacity.gpus = 2;
    settings.capacity.disk_bytes = 1 << 40;
    settings.capacity.custom.insert("board/fpga".into(), 1);
    settings
}

/// Writes down what it sees, and waits.
fn shows(number: u128, seen: &Path, gpus: u64, boards: u64) -> v1::Start {
    let text = format!(
        "echo $CUDA_VISIBLE_DEVICES/$HIP_VISIBLE_DEVICES/$MAINSPRING_GPUS/$MAINSPRING_RESOURCE_BOARD_FPGA > {}; \
         exec sleep 600",
        seen.display()
    );
    let custom = [("board/fpga".to_owned(), boards)].into_iter().filter(|(_, amount)| *amount > 0).collect();
    let resources = Some(v1::Resources { gpus, custom, ..Default::default() });
    let payload = json!({"argv": [text], "shell": true, "keep": true});
    v1::Start { resources, ..process(number, &payload) }
}

#[tokio::test]
async fn attempts_have_devices_of_their_own_over_a_restart_too() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut server = Server::start();
    let worker = Worker::spawn(settings(&server, dir.path()));
    let mut talk = server.session().await;
    let capacity = talk.hello.offer.clone().expect("an offer").capacity.expect("a capacity");
    assert_eq!((capacity.gpus, capacity.disk_bytes, capacity.custom["board/fpga"]), (2, 1 << 40, 1));
    let seen: Vec<_> = (0..4).map(|number| dir.path().join(format!("seen{number}"))).collect();
    let orders = [shows(1, &seen[0], 1, 1), shows(2, &seen[1], 1, 0), shows(3, &seen[2], 0, 0)];
    for order in &orders {
        talk.start(order.clone()).await;
    }
    assert_eq!(written(&seen[0]).await, "0/0/0/0");
    assert_eq!(written(&seen[1]).await, "1/1/1/");
    assert_eq!(written(&seen[2]).await, "-1/-1//", "it asked for none, and sees none");
    // The server believes that one is free, and is told better.
    talk.start(shows(4, &seen[3], 1, 0)).await;
    let refused = talk.report_where(|what| matches!(what, What::Refused(_))).await;
    assert_eq!(refused.what, Some(What::Refused("it asks for 1 of `gpus`; only 0 are free".into())));

    worker.kill().await;
    drop(talk);
    let worker = Worker::spawn(settings(&server, dir.path()));
    let mut talk = server.session().await;
    talk.stop(&orders[1], 0, "cancel").await;
    talk.result().await;
    talk.start(shows(4, &seen[3], 1, 0)).await;
    assert_eq!(written(&seen[3]).await, "1/1/1/", "the other one is taken by what was adopted");
    for order in [&orders[0], &orders[2], &shows(4, &seen[3], 1, 0)] {
        talk.stop(order, 0, "cancel").await;
        talk.result().await;
    }
    worker.ended().await;
}
