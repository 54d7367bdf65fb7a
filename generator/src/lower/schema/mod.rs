//! Schemas: from the keywords of a schema to its type.
//!
//! The `resolver` finds the parts of a schema and combines their keywords. `schemas` makes types of them.
//!
//! `read` is the way in: `parts` finds the parts of a schema, `keywords` reads each, `merge` combines them
//! into one `flat` list of keywords, and `objects`, `arrays`, `values` and `unions` make the type of it.

mod arrays;
mod bounds;
pub(super) mod components;
mod docs;
mod faults;
pub(super) mod flat;
mod json_schemas;
mod keywords;
mod kinds;
mod merge;
pub(super) mod notes;
mod nullable;
mod objects;
mod parts;
mod progress;
mod read;
mod references;
pub(super) mod resolver;
mod says_more;
pub(super) mod schemas;
mod shown;
mod subtypes;
mod table;
mod unions;
mod values;
