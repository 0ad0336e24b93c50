//! Measuring: real parts, printed figures, no verdicts.
//! Not here: tests. A test never asserts on wall-clock speed.

pub(crate) mod engine;
mod figures;
mod machine;
pub(crate) mod product;

pub(crate) use self::figures::Figures;
