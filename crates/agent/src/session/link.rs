//! One stream, from Hello to its end.

use std::time::{Duration, Instant};

use mainspring_proto::NEWEST_SESSION;
use mainspring_proto::v1;
use mainspring_proto::v1::worker_service_client::WorkerServiceClient;
use tokio::sync::mpsc;
use tokio::time::{Interval, MissedTickBehavior, interval_at, sleep_until, timeout};
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::Endpoint;
use tonic::{Code, Request, Status, Streaming};

use crate::config::SessionToken;
use crate::desk::Desk;

const HEARTBEAT_DEFAULT: Duration = Duration::from_secs(5);
/// From Hello to Welcome.
const WELCOME_MAX: Duration = Duration::from_secs(10);
/// Messages that wait for the network: few, so that what is said later is said together.
const MESSAGES_AHEAD: usize = 4;
const MESSAGE_BYTES_MAX: usize = 64 << 20;
const CLOSE_MAX: Duration = Duration::from_secs(1);

/// Where the server is, and what it wants to see.
#[derive(Clone)]
pub struct Server {
    pub endpoint: Endpoint,
    pub token: Option<SessionToken>,
}

pub struct Link {
    out: mpsc::Sender<v1::WorkerMessage>,
    inbound: Streaming<v1::ServerMessage>,
    heartbeat: Interval,
    silence_max: Duration,
    heard: Instant,
}

#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    #[error("no connection: {0}")]
    Connect(#[from] tonic::transport::Error),
    #[error("refused: {0}")]
    Refused(#[from] Box<Status>),
    #[error("the server did not answer")]
    Silent,
}

pub enum Next {
    Message(Box<v1::ServerMessage>),
    Sent,
    Heartbeat,
    Ended(End),
}

/// Why a stream is over.
pub enum End {
    /// Another process with this worker's identity is connected.
    IdentityInUse(String),
    /// This worker, or a copy of it, has used session numbers up to this one.
    NotNewer(u64),
    Other(String),
}

impl Next {
    fn ended(why: &str) -> Self {
        Self::Ended(End::Other(why.to_owned()))
    }
}

impl End {
    fn of(status: &Status) -> Self {
        let newest =
            status.metadata().get(NEWEST_SESSION).and_then(|number| number.to_str().ok()?.parse().ok());
        match (status.code(), newest) {
            (Code::AlreadyExists, _) => Self::IdentityInUse(status.message().to_owned()),
            (Code::FailedPrecondition, Some(newest)) => Self::NotNewer(newest),
            (code, _) => Self::Other(format!("{code:?}: {}", status.message())),
        }
    }
}

impl Link {
    pub async fn open(server: Server, hello: v1::Hello) -> Result<Box<Self>, LinkError> {
        let channel = server.endpoint.connect().await?;
        let mut client = WorkerServiceClient::new(channel).max_decoding_message_size(MESSAGE_BYTES_MAX);
        let (out, outbound) = mpsc::channel(MESSAGES_AHEAD);
        let first = v1::WorkerMessage { hello: Some(hello), ..Default::default() };
        // There is room for the first message; a server may want to see it before it answers the call.
        let _ = out.try_send(first);
        let mut request = Request::new(ReceiverStream::new(outbound));
        if let Some(token) = server.token {
            request.metadata_mut().insert("authorization", token.value());
        }
        let call = timeout(WELCOME_MAX, client.session(request));
        let inbound = call.await.map_err(|_| LinkError::Silent)?.map_err(Box::new)?.into_inner();
        Ok(Box::new(Self {
            out,
            inbound,
            heartbeat: every(HEARTBEAT_DEFAULT),
            silence_max: WELCOME_MAX,
            heard: Instant::now(),
        }))
    }

    /// Waits for a message, for room to send one, or for the time of a heartbeat.
    pub async fn next(&mut self, desk: &mut Desk) -> Next {
        let message = tokio::select! {
            biased;
            room = self.out.reserve(), if desk.has_full_message() => return send(room, desk),
            _ = self.heartbeat.tick() => {
                desk.heartbeat();
                return Next::Heartbeat;
            }
            message = self.inbound.message() => message,
            room = self.out.reserve(), if desk.has_message() => return send(room, desk),
            () = sleep_until((self.heard + self.silence_max).into()) => {
                return Next::ended("the server was silent for too long");
            }
        };
        match message {
            Ok(Some(message)) => self.heard(message),
            Ok(None) => Next::ended("the server closed the stream"),
            Err(status) => Next::Ended(End::of(&status)),
        }
    }

    fn heard(&mut self, message: v1::ServerMessage) -> Next {
        self.heard = Instant::now();
        if let Some(welcome) = &message.welcome {
            let rhythm = match welcome.heartbeat_ms {
                0 => HEARTBEAT_DEFAULT,
                ms => Duration::from_millis(ms),
            };
            self.heartbeat = every(rhythm);
            self.silence_max = rhythm * 3 + Duration::from_secs(1);
        }
        Next::Message(Box::new(message))
    }

    /// Says that nothing follows, and waits a moment for the server to have read it all.
    pub async fn close(self) {
        let Self { out, mut inbound, .. } = self;
        drop(out);
        let ended = async { while let Ok(Some(_)) = inbound.message().await {} };
        // A server that does not end the stream loses it.
        let _ = timeout(CLOSE_MAX, ended).await;
    }
}

fn send(
    room: Result<mpsc::Permit<'_, v1::WorkerMessage>, mpsc::error::SendError<()>>,
    desk: &mut Desk,
) -> Next {
    match room {
        Ok(room) => {
            room.send(desk.take_message());
            Next::Sent
        }
        Err(_) => Next::ended("the connection is gone"),
    }
}

fn every(rhythm: Duration) -> Interval {
    let mut interval = interval_at((Instant::now() + rhythm).into(), rhythm);
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
    interval
}
