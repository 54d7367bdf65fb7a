//! Unions that only state which properties are required, such as `anyOf: [{required: [a]}, {required: [b]}]`.

use crate::{
    lower::resolver::trivial::{accepts_all, is_never},
    tree::NodeRef,
};

/// The maximum nesting depth of such a schema. A deeper one becomes a type.
const MAX_STEPS: usize = 8;

/// Returns whether a schema only states which properties are required.
pub(crate) fn is_about_presence(node: NodeRef<'_>) -> bool {
    states_presence(node, MAX_STEPS) && node.entries().any(|(name, _)| PRESENCE.contains(&name))
}

/// The keywords that state which properties are required.
const PRESENCE: &[&str] =
    &["required", "not", "anyOf", "oneOf", "allOf", "maxProperties", "dependentRequired"];

fn states_presence(node: NodeRef<'_>, steps: usize) -> bool {
    let Some(steps) = steps.checked_sub(1) else { return false };
    node.is_object()
        && node.entries().all(|(name, value)| match name {
            "required" => value.items().iter().all(|item| item.as_str().is_some()),
            "dependentRequired" | "title" | "description" => true,
            "type" => value.as_str() == Some("object"),
            "not" => states_presence(value, steps),
            "anyOf" | "oneOf" | "allOf" => value.items().iter().all(|one| states_presence(one, steps)),
            "maxProperties" => value.as_u64() == Some(0),
            "properties" => value.entries().all(|(_, schema)| accepts_all(schema) || is_never(schema)),
            _ => name.starts_with("x-"),
        })
}
