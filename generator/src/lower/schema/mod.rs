//! Schemas: from the keywords of a schema to its type.
//!
//! `read` is the way in: `parts` finds the parts of a schema, `keywords` reads each, `merge` combines them
//! into one `flat` list of keywords, and `objects`, `arrays`, `values` and `unions` make the type of it.

mod arrays;
mod bounds;
pub(super) mod components;
mod docs;
pub(super) mod flat;
mod json_schemas;
mod keywords;
mod kinds;
mod merge;
pub(super) mod notes;
mod nullable;
mod objects;
mod parts;
mod read;
mod references;
mod says_more;
mod shown;
mod unions;
mod values;
