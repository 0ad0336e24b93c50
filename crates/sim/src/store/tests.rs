//! The simulated store passes the suite that every store passes.

use mainspring_store::conformance::{Harness, run};

use super::SimStore;

struct InMemory;

impl Harness for InMemory {
    type S = SimStore;

    fn fresh(&self) -> SimStore {
        SimStore::default()
    }

    fn two_owners(&self) -> bool {
        true
    }
}

#[test]
fn the_simulated_store_conforms() {
    run(&InMemory);
}
