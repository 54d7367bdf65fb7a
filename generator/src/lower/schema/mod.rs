//! Schemas: from their combined keywords to types.
//!
//! `read` is the entry point. The resolver finds the parts of a schema and combines their keywords, and `objects`,
//! `arrays`, `values` and `unions` make the type of them.

mod arrays;
mod objects;
mod read;
pub(super) mod state;
mod unions;
mod values;

pub(crate) use self::unions::is_about_presence;
pub(in crate::lower) use self::unions::same::same_rust_type;
