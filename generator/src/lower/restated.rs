//! Conditions that say in JSON Schema's words what a rule of `x-rules` says: for other tools, and not checked twice.

use std::collections::BTreeSet;

use super::{conditions::Assertion, flat::Flat};
use crate::document::Node;

/// How deep a condition is looked into; none of `x-rules` needs as much.
const MAX_STEPS: usize = 8;

/// Whether one of the object's `x-rules` is about the very fields that this condition is about.
pub(super) fn is_restated(assertion: &Assertion<'_>, flat: &Flat<'_>) -> bool {
    let mut fields = BTreeSet::new();
    let Assertion { keyword, node, schema } = *assertion;
    add_keyword(keyword, node, schema, MAX_STEPS, &mut fields);
    flat.rules.iter().any(|rule| fields_of_rule(rule) == fields)
}

/// The fields that a rule of `x-rules` is about.
fn fields_of_rule(rule: &Node) -> BTreeSet<&str> {
    let mut fields = BTreeSet::new();
    for (_, value) in rule.entries() {
        fields.extend(value.entries().map(|(name, _)| name));
        fields.extend(value.items().iter().filter_map(Node::as_str));
    }
    fields
}

/// Adds the fields that a schema is about.
fn add_schema<'d>(schema: &'d Node, steps: usize, fields: &mut BTreeSet<&'d str>) {
    let Some(steps) = steps.checked_sub(1) else { return };
    for (keyword, node) in schema.entries() {
        add_keyword(keyword, node, schema, steps, fields);
    }
}

fn add_keyword<'d>(
    keyword: &str,
    node: &'d Node,
    schema: &'d Node,
    steps: usize,
    fields: &mut BTreeSet<&'d str>,
) {
    match keyword {
        "required" => fields.extend(node.items().iter().filter_map(Node::as_str)),
        "properties" => fields.extend(node.entries().map(|(name, _)| name)),
        "not" => add_schema(node, steps, fields),
        "allOf" | "anyOf" | "oneOf" => {
            node.items().iter().for_each(|one| add_schema(one, steps, fields));
        }
        "if" => {
            let branches = [Some(node), schema.get("then"), schema.get("else")];
            branches.into_iter().flatten().for_each(|branch| add_schema(branch, steps, fields));
        }
        "dependentRequired" | "dependentSchemas" | "dependencies" => {
            for (name, wanted) in node.entries() {
                fields.insert(name);
                fields.extend(wanted.items().iter().filter_map(Node::as_str));
                add_schema(wanted, steps, fields);
            }
        }
        _ => {}
    }
}
