//! The session: one stream out to the server, opened again for ever.
//! Entry: [`Session::run`].
//! - AS-1 Hello is the first message of a stream, with a session number that no earlier stream had
//! - AS-2 only what arrives on the newest stream is obeyed
//! - AS-3 silence of three heartbeats ends a stream: a half-dead connection is a dead one
//! - AS-4 reports travel together: a message is sent when it is full, or when nothing else is ready
//! - AS-5 a shutdown says so, waits for running work, then stops it, then spools what is owed
//!
//! Not here: what messages mean (`desk`).

mod double_identity;
mod drain;
mod link;

use std::future::Future;
use std::pin::Pin;
use std::time::{Duration, Instant};

use futures_util::future::{BoxFuture, OptionFuture};
use mainspring_proto::v1;
use tokio::sync::mpsc;
use tokio::time::{Sleep, sleep, sleep_until};
use tracing::{debug, info, warn};

use self::double_identity::DoubleIdentity;
use self::drain::Drain;
pub use self::link::Server;
use self::link::{End, Link, LinkError, Next};
use crate::attempt::Event;
use crate::desk::Desk;
use crate::home::Home;
use crate::random;

const BACKOFF_MIN: Duration = Duration::from_millis(100);
const BACKOFF_MAX: Duration = Duration::from_secs(5);
/// Events taken in one go, so that a storm of them does not starve the stream.
const EVENTS_AT_ONCE: usize = 1024;

pub struct Session {
    home: Home,
    desk: Desk,
    events: mpsc::UnboundedReceiver<Event>,
    server: Server,
    /// Hello without what changes from one session to the next.
    hello: v1::Hello,
    drain: Drain,
    /// End when the server has drained this worker.
    exit_when_drained: bool,
    failures: u32,
    double_identity: DoubleIdentity,
}

/// How the agent stands with the server.
enum Phase {
    Waiting(Pin<Box<Sleep>>),
    Connecting(BoxFuture<'static, Result<Box<Link>, LinkError>>),
    Open(Box<Link>),
}

/// What ended one turn of the loop.
enum Turn {
    Retry,
    Connected(Result<Box<Link>, LinkError>),
    Stream(Next),
    Events,
    Sweep,
    Shutdown,
    DrainDue,
}

impl Session {
    pub fn new(
        home: Home,
        desk: Desk,
        events: mpsc::UnboundedReceiver<Event>,
        server: Server,
        hello: v1::Hello,
        (drain_deadline, exit_when_drained): (Duration, bool),
    ) -> Self {
        let (drain, double_identity) = (Drain::new(drain_deadline), DoubleIdentity::default());
        Self { home, desk, events, server, hello, drain, exit_when_drained, failures: 0, double_identity }
    }

    /// Ends only after `shutdown`, when running work has ended or was stopped and every result is safe.
    pub async fn run(mut self, shutdown: impl Future<Output = ()>) {
        let mut shutdown = std::pin::pin!(shutdown);
        let mut phase = self.connect();
        let mut batch = Vec::with_capacity(EVENTS_AT_ONCE);
        while !self.drain.is_over(&self.desk, matches!(phase, Phase::Open(_)), Instant::now()) {
            let sweep = self.desk.sweep_at().map(|at| sleep_until(at.into()));
            let drain = self.drain.due().map(|at| sleep_until(at.into()));
            let turn = tokio::select! {
                biased;
                () = &mut shutdown, if !self.drain.has_begun() => Turn::Shutdown,
                Some(()) = OptionFuture::from(drain) => Turn::DrainDue,
                Some(()) = OptionFuture::from(sweep) => Turn::Sweep,
                turn = phase.turn(&mut self.desk) => turn,
                _ = self.events.recv_many(&mut batch, EVENTS_AT_ONCE) => Turn::Events,
            };
            phase = self.take(turn, phase, &mut batch);
            self.catch_up();
        }
        self.end(phase).await;
    }

    fn take(&mut self, turn: Turn, phase: Phase, batch: &mut Vec<Event>) -> Phase {
        let now = Instant::now();
        match turn {
            Turn::Retry => return self.connect(),
            Turn::Connected(Ok(link)) => return Phase::Open(link),
            Turn::Connected(Err(LinkError::Refused(status))) => {
                warn!(code = ?status.code(), why = status.message(), "the server refused this worker; it tries again");
                return self.back_off();
            }
            Turn::Connected(Err(error)) => {
                debug!(%error, "cannot reach the server");
                return self.back_off();
            }
            Turn::Stream(Next::Message(message)) => self.receive(*message, now),
            Turn::Stream(Next::Sent | Next::Heartbeat) => {}
            Turn::Stream(Next::Ended(end)) => {
                self.note_end(end, now);
                self.desk.closed(now);
                return self.back_off();
            }
            Turn::Events => batch.drain(..).for_each(|event| self.desk.happened(event, now)),
            Turn::Sweep => self.desk.sweep(now),
            Turn::Shutdown => {
                info!(running = self.desk.running(), "leaving: nothing new is taken");
                self.drain.begin(now);
                self.desk.drain();
            }
            Turn::DrainDue => self.drain.act(&mut self.desk, now),
        }
        phase
    }

    fn note_end(&mut self, end: End, now: Instant) {
        match end {
            End::IdentityInUse(why) => self.double_identity.refused(&why, self.home.dir(), now),
            End::NotNewer(newest) => self.home.skip_sessions(newest),
            End::Other(why) => warn!(%why, "the session ended; work goes on"),
        }
    }

    /// A stream that always has something ready must not starve those who work.
    fn catch_up(&mut self) {
        for _ in 0..EVENTS_AT_ONCE {
            match self.events.try_recv() {
                Ok(event) => self.desk.happened(event, Instant::now()),
                Err(_) => return,
            }
        }
    }

    fn receive(&mut self, message: v1::ServerMessage, now: Instant) {
        if let Some(welcome) = &message.welcome {
            info!(server = welcome.server_version, lease_ms = welcome.lease_ms, "welcomed");
            self.failures = 0;
            self.double_identity = DoubleIdentity::default();
            self.desk.welcomed(Duration::from_millis(welcome.lease_ms));
            self.desk.opened();
        }
        if let Some(draining) = message.draining {
            info!(draining, running = self.desk.running(), "the server drains this worker, or no longer");
            if self.exit_when_drained {
                self.drain.told(draining);
            }
        }
        if let Some(say) = &message.say_hello {
            info!(epoch = say.epoch, link = say.link, "a shard has another owner");
            let hello = v1::Hello { session: self.home.session(), ..self.hello.clone() };
            self.desk.greet_owner(say, hello, now);
        }
        self.desk.receive(message, now);
    }

    fn connect(&mut self) -> Phase {
        let session = match self.home.next_session() {
            Ok(session) => session,
            Err(error) => {
                warn!(%error, "cannot begin a session");
                return self.back_off();
            }
        };
        let now = Instant::now();
        self.desk.says_hello(now);
        let hello = v1::Hello { session, link: 1, holding: self.desk.holding(now), ..self.hello.clone() };
        Phase::Connecting(Box::pin(Link::open(self.server.clone(), hello)))
    }

    fn back_off(&mut self) -> Phase {
        let longest = BACKOFF_MIN.saturating_mul(1 << self.failures.min(10)).min(BACKOFF_MAX);
        self.failures += 1;
        Phase::Waiting(Box::pin(sleep(random::jittered(longest))))
    }

    async fn end(mut self, phase: Phase) {
        self.desk.spool_all(Instant::now());
        if let Phase::Open(link) = phase {
            link.close().await;
        }
    }
}

impl Phase {
    /// Waits for the next thing between agent and server; nothing is lost when it is dropped.
    async fn turn(&mut self, desk: &mut Desk) -> Turn {
        match self {
            Self::Waiting(timer) => {
                timer.await;
                Turn::Retry
            }
            Self::Connecting(link) => Turn::Connected(link.await),
            Self::Open(link) => Turn::Stream(link.next(desk).await),
        }
    }
}
