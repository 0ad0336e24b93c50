//! What every handler shares.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use crate::access::Access;
use crate::config::ApiConfig;
use crate::gateway::Gateway;
use crate::logs::Logs;
use crate::metrics::Metrics;
use crate::operation::flows::Definitions;
use crate::profiles::Profiles;
use crate::readers::Readers;
use crate::sessions::SessionRouter;
use crate::webhooks::Webhooks;

pub(crate) struct Edge {
    pub gateway: Arc<Gateway>,
    pub sessions: Arc<SessionRouter>,
    pub readers: Readers,
    pub logs: Arc<Logs>,
    pub profiles: Profiles,
    pub definitions: Definitions,
    pub metrics: Arc<Metrics>,
    pub config: ApiConfig,
    /// Set before the first request, if there are any.
    pub webhooks: OnceLock<Webhooks>,
    /// Set before the first request; without it only loopback names are answered.
    pub access: OnceLock<Access>,
    /// Set when the server begins to stop: `/readyz` says so at once.
    pub stopping: AtomicBool,
}

impl Edge {
    pub(crate) fn access(&self) -> &Access {
        self.access.get_or_init(Access::default)
    }
}
