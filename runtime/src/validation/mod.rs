//! Request validation: the engine that interprets the constraints in the tables.
//!
//! There are two paths. They agree: the fast path rejects a request if and only if the slow path finds a
//! violation.
//! - **The fast path** decodes the input into its model. The model then encodes itself into the checker
//!   ([`check`], [`check_input`]), which returns whether the input is valid. A valid request takes the slow
//!   path only if the model lost something that a constraint depends on (see below).
//! - **The slow path** ([`walk`]) runs only if decoding or checking failed, or if the check can't decide. It reads the
//!   raw input, so it also sees errors that a model can't hold: wrong types, missing and unknown fields, duplicates.
//!   It reports the violations with their names and with what was expected, but never with the value that was
//!   sent.
//!
//! Both paths call the same functions for scalars, counts and rules over several fields. Some values have
//! more than one spelling (a timestamp, a UUID). The walk then checks the spelling that the model writes,
//! because that is the one that the checker sees. If a constraint depends on fields that the model drops, the walk
//! decides.
//!
//! # Two layers of constraints
//! **The rows of types** ([`Schema`](crate::table::Schema)) have one constraint for each part of a Rust type: the
//! bounds of a number, the fields of a struct, the variants of a union. They can't express all of JSON Schema. A union
//! takes the first variant that fits, and drops the others. A struct drops the fields that it does not name.
//!
//! **The rows of JSON Schema** ([`JsonSchema`](crate::table::JsonSchema)) have exactly the keywords of the document. A
//! row refers to one, by `also`, only if its type is less precise. It covers the row and all values inside. Of their rows,
//! only the types and the rules over several fields (`x-rules`) are still checked. One evaluator serves both paths:
//! - The fast path evaluates it on the model, which encodes itself. The model can have lost something that a
//!   constraint depends on: a field that the reader skipped, the spelling of a date. Then the verdict is
//!   [`Verdict::Unknown`], and the slow path decides.
//! - The slow path evaluates it on the raw JSON value. Parameters, forms and multipart bodies have no raw JSON value.
//!   There, it is evaluated on the value as the model would write it.
//!
//! All evaluations of one request share a budget of four million steps, and 64 more for each part of a value. A value
//! that needs more is rejected ([`Code::TooComplex`]).
//!
//! # Allocation
//! The checker does not allocate for valid input. A test outside this crate measures that, because an
//! allocator that counts needs `unsafe`, which this crate forbids. The exceptions are keywords `unevaluated…`, lists
//! of allowed arrays or objects, uniqueness of more than 64 items, and types that write themselves as new text.

mod array;
mod check;
mod cross;
mod input;
#[cfg(feature = "http")]
mod items;
pub(crate) mod json_schema;
mod kind;
mod leaf;
mod literal;
mod names;
mod number;
mod object;
mod position;
mod probe;
mod record;
#[cfg_attr(
    not(feature = "http"),
    allow(dead_code, reason = "mostly the formats of HTTP ask for parts of schemas")
)]
pub(crate) mod resolve;
pub(crate) mod scalar;
mod union;
mod unique;
mod violation;
mod walk;
mod words;

pub use check::{Verdict, check, check_decoded};
pub use input::{check_decoded_input, check_input, input_violations};
#[cfg(feature = "http")]
pub use items::InvalidItem;
#[cfg(feature = "http")]
pub(crate) use items::ItemRow;
#[cfg(feature = "http")]
pub(crate) use kind::ENCODING;
pub use kind::{Bound, Code, Given, ViolationKind};
pub use position::Position;
pub use violation::{In, Violation, Violations};
pub use walk::{violations_of, walk};

use crate::formats;

#[cfg(test)]
mod tests;
