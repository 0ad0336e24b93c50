//! The tables in `SQLite`: written by one connection, read by any number of others.
//! - TL-1 a cut is one transaction with `synchronous=FULL`: committed means on disk
//! - TL-2 a reader's answer comes from one transaction, so that a task moving from live to ended is seen once
//! - TL-3 history is one table a day; dropping a day is dropping its tables
//!
//! Ids are blobs with the greatest byte first, so that they sort as they compare; times are milliseconds, cut
//! to 63 bits where they are compared. A tenant and job that occur on a day are one number in that day's rows.

mod cut;
mod days;
mod entities;
mod flows;
mod history;
mod kinds;
mod read;
mod rows;
mod runs;
mod scan;
mod schedules;
mod schema;

pub use self::{cut::LocalTables, read::LocalReader};
