//! The evaluator of JSON Schema rows.
//!
//! One pass over a value yields whether it is valid, and which names and items the keywords evaluated. The keywords
//! `unevaluated…` need the latter.
//!
//! The evaluator takes any value that encodes itself: a model, or an untyped value of the slow path. So both paths
//! give the same verdict on the same value.

mod array;
mod branches;
mod budget;
mod conditions;
mod evaluated;
mod evaluator;
mod object;
mod report;
mod scalar;
mod subject;

pub use budget::Context;
pub use report::violations;

#[cfg(test)]
pub(crate) mod tests;
