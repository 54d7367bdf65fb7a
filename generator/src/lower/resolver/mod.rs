//! The schema resolver: from a schema to its parts and their combined keywords.
//!
//! `references` finds the targets of references, and `parts` the parts of a schema. `keywords` reads each part by the
//! table of keywords in `table`, and `merge` combines them into one `flat` list. `json_schemas` reads schemas as JSON
//! Schema defines them, if a type can't express everything (`needs_json_schema`). The resolver creates no types.

mod bounds;
pub(super) mod components;
mod directions;
mod docs;
pub(super) mod flat;
mod json_schema_need;
mod json_schemas;
mod keyword_errors;
pub(super) mod keywords;
pub(super) mod kinds;
pub(super) mod literal;
mod merge;
pub(super) mod notes;
pub(super) mod nullable;
pub(super) mod parts;
mod patterns;
mod plain;
mod references;
mod roles;
pub(super) mod state;
mod table;
pub(super) mod trivial;
pub(super) mod words;
