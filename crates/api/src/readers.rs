//! Readers of the tables for lists, each used by one request at a time, on a thread that may block.

use std::sync::{Arc, Mutex, PoisonError};

use mainspring_core::decision::Rejection;
use mainspring_core::values::Millis;
use mainspring_store::{ReadError, ReadTables};
use tokio::sync::Semaphore;

use crate::problem::Problem;

/// Lists read at once; further ones wait.
const READERS_MAX: usize = 8;

type Reader = Box<dyn ReadTables + Send>;

#[derive(Clone)]
pub struct Readers(Arc<Pool>);

struct Pool {
    idle: Mutex<Vec<Reader>>,
    make: Box<dyn Fn() -> Result<Reader, ReadError> + Send + Sync>,
    turns: Semaphore,
}

impl Readers {
    /// Makes others from `first`, as `Node::open_with_reader` gives it.
    pub fn new<R: ReadTables + Send + 'static>(first: R) -> Self {
        let first = Mutex::new(first);
        let make = move || {
            let first = first.lock().unwrap_or_else(PoisonError::into_inner);
            first.another().map(|reader| Box::new(reader) as Reader)
        };
        let turns = Semaphore::new(READERS_MAX);
        Self(Arc::new(Pool { idle: Mutex::default(), make: Box::new(make), turns }))
    }

    /// Runs `work` with a reader. One that failed is not used again.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut dyn ReadTables) -> Result<T, ReadError> + Send + 'static,
    ) -> Result<T, Problem> {
        let pool = Arc::clone(&self.0);
        let _turn = self.0.turns.acquire().await.map_err(|_| Problem::ServerBusy)?;
        let read = tokio::task::spawn_blocking(move || {
            let idle = pool.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let mut reader = idle.map_or_else(|| (pool.make)(), Ok)?;
            let result = work(&mut *reader)?;
            pool.idle.lock().unwrap_or_else(PoisonError::into_inner).push(reader);
            Ok(result)
        });
        read.await.map_err(|_| Problem::ServerBusy)?.map_err(|error: ReadError| {
            tracing::error!(%error, "a list was not read");
            Problem::Rejected(Rejection::StoreUnavailable { retry_after: Millis::from_secs(1) })
        })
    }
}
