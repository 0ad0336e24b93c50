//! A worker that does as the test says.

use std::net::SocketAddr;
use std::time::Duration;

use mainspring_proto::v1;
use mainspring_proto::v1::report::What;
use mainspring_proto::v1::worker_service_client::WorkerServiceClient;
use tokio::sync::mpsc;
use tonic::Streaming;

pub struct FakeWorker {
    pub to: mpsc::Sender<v1::WorkerMessage>,
    from: Streaming<v1::ServerMessage>,
    starts: Vec<v1::Start>,
    pub stops: Vec<v1::Stop>,
    pub acknowledgements: Vec<v1::Acknowledgement>,
    /// The newest heartbeat that was answered.
    pub heartbeats: u64,
}

pub fn hello(worker: u8, session: u64, slots: u32) -> v1::Hello {
    v1::Hello {
        worker: vec![worker; 16],
        session,
        incarnation: 1,
        offer: Some(v1::Offer { pool: "default".into(), slots, ..v1::Offer::default() }),
        holding: Vec::new(),
        name: format!("fake-{worker}"),
        version: "test".into(),
        epoch: 0,
        link: 1,
    }
}

pub async fn open(address: SocketAddr, first: v1::WorkerMessage) -> FakeWorker {
    let mut client = WorkerServiceClient::connect(format!("http://{address}")).await.expect("connects");
    let (to, messages) = mpsc::channel(1024);
    let stream = tokio_stream::wrappers::ReceiverStream::new(messages);
    let from = client.session(stream).await.expect("a session").into_inner();
    to.send(first).await.expect("open");
    FakeWorker { to, from, starts: vec![], stops: vec![], acknowledgements: vec![], heartbeats: 0 }
}

impl FakeWorker {
    /// Says hello and waits for the welcome.
    pub async fn join(address: SocketAddr, worker: u8, session: u64, slots: u32) -> Self {
        let hello = Some(hello(worker, session, slots));
        let mut fake = open(address, v1::WorkerMessage { hello, ..v1::WorkerMessage::default() }).await;
        let welcome = fake.receive().await.expect("the session lives").welcome.expect("a welcome first");
        assert!(welcome.heartbeat_ms * 3 <= welcome.lease_ms);
        fake
    }

    pub async fn receive(&mut self) -> Result<v1::ServerMessage, tonic::Status> {
        let next = tokio::time::timeout(Duration::from_secs(10), self.from.message());
        let message = next.await.expect("a message in time")?.ok_or_else(|| tonic::Status::ok("ended"))?;
        self.starts.extend(message.starts.iter().cloned());
        self.stops.extend(message.stops.iter().cloned());
        self.acknowledgements.extend(message.acknowledgements.iter().cloned());
        assert!(message.heartbeat == 0 || message.heartbeat > self.heartbeats, "each number once");
        self.heartbeats = self.heartbeats.max(message.heartbeat);
        Ok(message)
    }

    pub async fn start(&mut self) -> v1::Start {
        while self.starts.is_empty() {
            self.receive().await.expect("the session lives");
        }
        self.starts.remove(0)
    }

    pub async fn stop(&mut self) -> v1::Stop {
        while self.stops.is_empty() {
            self.receive().await.expect("the session lives");
        }
        self.stops.remove(0)
    }

    pub async fn acknowledged(&mut self) -> v1::Acknowledgement {
        while self.acknowledgements.is_empty() {
            self.receive().await.expect("the session lives");
        }
        self.acknowledgements.remove(0)
    }

    pub async fn report(&self, start: &v1::Start, what: What) {
        self.report_with(start, what, None).await;
    }

    pub async fn report_with(&self, start: &v1::Start, what: What, details: Option<v1::AttemptDetails>) {
        let (task, fence, details) = (start.task.clone(), start.fence, details.map(Box::new));
        let report = v1::Report { task, fence, what: Some(what), details };
        let message = v1::WorkerMessage { reports: vec![report], ..v1::WorkerMessage::default() };
        self.to.send(message).await.expect("the session lives");
    }

    /// A piece of the attempt's log.
    pub async fn log(&self, start: &v1::Start, offset: u64, text: &str, last: bool) {
        let (task, attempt, bytes) = (start.task.clone(), start.attempt, text.as_bytes().to_vec());
        let logs = vec![v1::LogChunk { task, attempt, offset, bytes, last }];
        self.to.send(v1::WorkerMessage { logs, ..v1::WorkerMessage::default() }).await.expect("lives");
    }

    /// Everything sent before was read, and logs are in their files.
    pub async fn heartbeat(&mut self) {
        let number = self.heartbeats + 1;
        let beat = v1::WorkerMessage { heartbeat: number, ..v1::WorkerMessage::default() };
        self.to.send(beat).await.expect("the session lives");
        while self.heartbeats < number {
            self.receive().await.expect("the session lives");
        }
    }

    pub async fn succeed(&mut self, start: &v1::Start, output: &str) {
        let success = v1::Success { output: Some(output.as_bytes().to_vec()) };
        self.report(start, What::Success(success)).await;
        assert!(!self.acknowledged().await.ignored);
    }

    pub async fn fail(&mut self, start: &v1::Start, class: &str, message: &str) {
        let failure =
            v1::Failure { class: class.into(), code: 3, message: message.into(), outcome_unknown: false };
        self.report(start, What::Failure(failure)).await;
        assert!(!self.acknowledged().await.ignored);
    }
}

/// As the REST side writes it.
pub fn id_of(start: &v1::Start) -> String {
    let bits = u128::from_be_bytes(start.task.clone().try_into().expect("16 bytes"));
    format!("task_{bits:032x}")
}
