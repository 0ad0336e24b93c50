//! What is kept only in memory, beside what rows and the journal say.
//! - SO-1 equality ignores it, rows leave it out, and it can be derived from the rest after a recovery

use std::ops::{Deref, DerefMut};

/// Wraps a part of the state that no event stands for. What is not wrapped is changed by `apply` alone.
#[derive(Clone, Copy, Debug, Default)]
pub struct Soft<T>(pub T);

impl<T> PartialEq for Soft<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<T> Eq for Soft<T> {}

impl<T> Deref for Soft<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Soft<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}
