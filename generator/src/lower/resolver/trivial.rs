//! Schemas that accept every value or none.

use crate::tree::NodeRef;

/// Returns whether a schema accepts every value.
pub(in crate::lower) fn accepts_all(schema: NodeRef<'_>) -> bool {
    schema.as_bool() == Some(true) || schema.is_object() && schema.entries().len() == 0
}

/// Returns whether a schema accepts no value.
pub(in crate::lower) fn is_never(schema: NodeRef<'_>) -> bool {
    schema.as_bool() == Some(false)
        || schema.entries().len() == 1 && schema.get("not").is_some_and(accepts_all)
}
