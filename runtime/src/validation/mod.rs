//! The one engine that interprets the tables' rules.
//!
//! There are two paths, and they agree: the first refuses a request if and only if the second finds something wrong.
//! - **The fast path** decodes the input straight into its model and lets the model write itself into the checker
//!   ([`check`], [`check_input`]), which says yes or no and allocates nothing. A good request sees nothing else.
//! - **The slow path** ([`walk`]) runs only when decoding or checking failed. It goes through the raw input, and so
//!   sees what a model can't hold (wrong types, missing and unknown fields, duplicates) beside what the checker sees,
//!   and reports every violation with its name and what was expected, never with the value that was sent.
//!
//! Both judge scalars, counts and rules over several fields by the same functions. Where text stands for a value that has
//! several texts (an instant, a UUID), the walk judges the text that the value is written as, because that is what the
//! checker sees. Objects count their known and kept fields; what a model drops isn't counted.
//!
//! That the checker allocates nothing is measured where an allocator may count, outside this crate, which forbids
//! `unsafe`.

mod check;
mod condition;
mod cross;
mod formats;
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

#[cfg(test)]
mod tests;
