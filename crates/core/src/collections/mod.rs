//! Containers with a bound or an order that the standard library does not give. They know nothing of what they hold.

mod histogram;
mod id_index;
mod slab;
mod table;
mod wheel;

pub use self::{
    histogram::{BOUNDS, Histogram},
    id_index::{IdIndex, KeyIndex},
    slab::{Id, Slab},
    table::{Entity, EntityTable, Table},
    wheel::Wheel,
};
