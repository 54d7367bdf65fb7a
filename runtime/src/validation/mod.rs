//! Request validation: the engine that interprets the constraints in the tables.
//!
//! There are two paths. They agree: the fast path rejects a request if and only if the slow path finds a
//! violation.
//! - **The fast path** decodes the input into its model. The model then encodes itself into the checker
//!   ([`check`], [`check_input`]), which returns whether the input is valid. A valid request never takes the
//!   slow path.
//! - **The slow path** ([`walk`]) runs only if decoding or checking failed. It reads the raw input, so it
//!   also sees errors that a model can't hold: wrong types, missing and unknown fields, duplicates. It
//!   reports the violations with their names and with what was expected, but never with the value that was
//!   sent.
//!
//! Both paths call the same functions for scalars, counts and rules over several fields. Some values have
//! more than one spelling (a timestamp, a UUID). The walk then checks the spelling that the model writes,
//! because that is the one that the checker sees. A count of fields includes the additional properties that
//! the model keeps, but not those that it drops.
//!
//! The checker does not allocate for valid input. A test outside this crate measures that, because an
//! allocator that counts needs `unsafe`, which this crate forbids.

mod check;
mod condition;
mod cross;
mod input;
mod literal;
mod names;
mod object;
mod place;
mod probe;
mod problem;
mod resolve;
mod scalar;
mod tuple;
mod union;
mod unique;
mod violation;
mod walk;

pub use check::check;
pub use input::{check_input, input_violations};
pub use place::Place;
pub use problem::{Bound, Problem};
pub use violation::{Code, In, Violation, Violations};
pub use walk::{violations_of, walk};

use crate::formats;

#[cfg(test)]
mod tests;
