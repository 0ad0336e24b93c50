//! Containers with a bound or an order that the standard library does not give. They know nothing of what they hold.

mod histogram;
mod id_index;
mod slab;
mod soft;
mod table;
mod wheel;
mod work_queue;

pub use self::{
    histogram::{BOUNDS, Histogram},
    id_index::{IdIndex, KeyIndex},
    slab::{Id, Slab},
    soft::Soft,
    table::{Entity, EntityTable, Table},
    wheel::Wheel,
    work_queue::{Bits, KeyQueue, WorkQueue},
};
