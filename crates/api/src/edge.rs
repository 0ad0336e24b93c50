//! What every handler shares.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use mainspring_core::values::{Millis, Wall};

use crate::access::Access;
use crate::base_path::BasePath;
use crate::config::ApiConfig;
use crate::disk::Disk;
use crate::feed::Feed;
use crate::gateway::{Gateway, now};
use crate::logs::Logs;
use crate::metrics::Metrics;
use crate::operation::flows::Definitions;
use crate::profiles::Profiles;
use crate::rates::Rates;
use crate::readers::Readers;
use crate::series::Series;
use crate::sessions::SessionRouter;
use crate::watchlist::Watchlist;
use crate::webhooks::Webhooks;

pub(crate) struct Edge {
    pub gateway: Arc<Gateway>,
    pub sessions: Arc<SessionRouter>,
    pub feed: Arc<Feed>,
    pub readers: Readers,
    pub logs: Arc<Logs>,
    pub profiles: Profiles,
    pub definitions: Definitions,
    pub metrics: Arc<Metrics>,
    pub watchlist: Arc<Watchlist>,
    pub series: Series,
    pub rates: Rates,
    pub disk: Arc<Disk>,
    pub config: ApiConfig,
    pub started: Instant,
    /// Set before the first request, if there are any.
    pub webhooks: OnceLock<Webhooks>,
    /// Set before the first request; without it only loopback names are answered.
    pub access: OnceLock<Access>,
    /// Set before the first request, if there is one.
    pub base_path: OnceLock<BasePath>,
    /// Set when the server begins to stop: `/readyz` says so at once.
    pub stopping: AtomicBool,
}

impl Edge {
    /// Until when an idempotency key that comes now is known.
    pub(crate) fn key_expires(&self) -> Wall {
        now() + Millis::new(self.config.key_life.as_millis() as u64)
    }

    pub(crate) fn access(&self) -> &Access {
        self.access.get_or_init(Access::default)
    }

    /// The folder of the site below which callers reach the server; empty if there is none.
    pub(crate) fn base(&self) -> &str {
        self.base_path.get().map_or("", BasePath::as_str)
    }
}
