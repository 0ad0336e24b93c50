//! The places of listeners: who has one, who has to give it away, and whether the shard makes news for anybody.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use mainspring_core::engine::{Command, Configure};

use crate::edge::Edge;
use crate::gateway::Route;
use crate::problem::Problem;

/// How long news are made and kept when nobody listens any more.
const LINGER: Duration = Duration::from_mins(1);

/// Counts a listener until it ends or its place is given away.
pub(super) struct Seat {
    pub edge: Arc<Edge>,
    place: Mutex<Place>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// It waits for news.
    Waits,
    /// It has a line since then, and has not asked for the next one.
    Holds(Instant),
    Left,
}

impl Seat {
    pub fn new(edge: &Arc<Edge>) -> Arc<Self> {
        Arc::new(Self { edge: Arc::clone(edge), place: Mutex::new(Place::Waits) })
    }

    pub fn place(&self) -> MutexGuard<'_, Place> {
        self.place.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn is_stuck(&self, patience: Duration) -> bool {
        matches!(*self.place(), Place::Holds(since) if since.elapsed() >= patience)
    }

    pub fn leave(&self) {
        let before = std::mem::replace(&mut *self.place(), Place::Left);
        let feed = &self.edge.feed;
        if before != Place::Left && feed.listeners.fetch_sub(1, Ordering::AcqRel) == 1 {
            let edge = Arc::downgrade(&self.edge);
            tokio::spawn(async move {
                tokio::time::sleep(LINGER).await;
                if let Some(edge) = edge.upgrade() {
                    // It stops anyway if the shard cannot be told.
                    let _ = switch(&edge).await;
                }
            });
        }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.leave();
    }
}

/// Tells the shard whether anybody listens. One at a time, or a listener that has gone could silence one that has come.
pub(super) async fn switch(edge: &Edge) -> Result<(), Problem> {
    let feed = &edge.feed;
    let _turn = feed.switching.lock().await;
    let on = feed.listeners.load(Ordering::Acquire) > 0;
    if !on {
        feed.channel().kept.keep(false);
    }
    edge.gateway.ask(Route::All, Command::Configure(Configure::Listen { on })).await?;
    if on {
        // What was told before an earlier end of the news has passed by now.
        feed.channel().kept.keep(true);
    }
    Ok(())
}
