//! A need: one set of requirements and one executor in one pool, shared by all classes that have it.
//! - NE-1 `Closed`: no worker has room for it. `Only(w)`: none except perhaps `w`. Whoever gains room tells
//!   the needs that watch its groups, so both stay true.
//! - NE-2 a need watches its group unless it is `Open`
//! - NE-3 a need that is not closed and has parked classes is in the `woken` order of their lanes

use std::sync::Arc;

use super::group::DispatchGroup;
use super::queue::{Pool, Rank};
use super::ranked::Ranked;
use super::room::Amounts;
use crate::collections::Id;
use crate::values::{Band, Name, Requirements, WorkerIndex};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outlook {
    Open,
    Only(WorkerIndex),
    Closed,
}

#[derive(Debug)]
pub struct Need {
    pub pool: Id<Pool>,
    pub group: Id<DispatchGroup>,
    pub executor: Name,
    pub requirements: Arc<Requirements>,
    pub amounts: Amounts,
    /// Nothing but a slot is needed.
    pub is_plain: bool,
    pub has_many_custom: bool,
    pub outlook: Outlook,
    /// How many classes have it.
    pub classes: u32,
    /// Classes that found no room, for each band.
    pub parked: [Ranked<Rank>; Band::ALL.len()],
    /// Under which rank the need is in the `woken` order of each lane.
    pub woken: [Option<Rank>; Band::ALL.len()],
}

impl Need {
    pub fn new(
        pool: Id<Pool>,
        group: Id<DispatchGroup>,
        executor: Name,
        requirements: Arc<Requirements>,
    ) -> Self {
        let resources = &requirements.resources;
        Self {
            pool,
            group,
            executor,
            amounts: Amounts::of(resources),
            is_plain: resources.is_none(),
            has_many_custom: resources.custom().len() > 1,
            outlook: Outlook::Open,
            classes: 0,
            parked: Default::default(),
            woken: [None; Band::ALL.len()],
            requirements,
        }
    }
}
