//! The schema resolver: from a schema to its parts and their combined keywords.
//!
//! `references` finds the targets of references, and `parts` the parts of a schema. `keywords` reads each part by the
//! table of keywords in `table`, and `merge` combines them into one `flat` list. `json_schemas` reads schemas as JSON
//! Schema defines them, if a type can't express everything (`needs_json_schema`). The resolver creates no types.

pub(super) mod components;
pub(super) mod flat;
mod json_schema_need;
mod json_schemas;
mod keywords;
pub(super) mod kinds;
pub(super) mod literal;
mod merge;
pub(super) mod nullable;
pub(super) mod parts;
mod patterns;
mod references;
mod roles;
pub(super) mod state;
pub(super) mod table;
