//! Assertions: keywords that test a value without describing it, such as `not` and `if`.
//!
//! A type can't express them. Those that restate a rule of `x-rules` for other tools are not checked twice.

use std::collections::BTreeSet;

use crate::{
    lower::{
        resolver::{
            flat::{Assertion, Flat},
            nullable::is_null,
        },
        schema::state::Schemas,
    },
    tree::{Node, NodeRef},
};

/// The maximum depth of the search in an assertion. No rule of `x-rules` is as deep.
const MAX_STEPS: usize = 8;

impl<'d> Schemas<'d, '_> {
    /// Notes whether a schema has assertions, which its type can't express.
    ///
    /// Those beside a union belong to the row of the union, and not again to those of its variants.
    pub fn note_assertions(&mut self, flat: &Flat<'d>) {
        let is_void = |Assertion { keyword, node, schema, .. }: &Assertion<'_>| match *keyword {
            "not" => is_null(node) && flat.kinds.is_some() && !flat.nullable,
            "if" => schema.get("then").or_else(|| schema.get("else")).is_none(),
            _ => false,
        };
        for assertion in flat.assertions.iter().filter(|one| !one.is_outer && !is_void(one)) {
            let is_restated = is_restated(assertion, flat);
            self.needs_json_schema |= !is_restated;
            // A schema that extends this one can have rules of its own.
            *self.json_schemas.restated.entry(assertion.node.id()).or_insert(true) &= is_restated;
        }
    }
}

/// Returns whether one of the object's `x-rules` is of a kind that this assertion can express, over the same fields.
fn is_restated(assertion: &Assertion<'_>, flat: &Flat<'_>) -> bool {
    let mut fields = BTreeSet::new();
    let Assertion { keyword, node, schema, .. } = *assertion;
    add_keyword(keyword, node, schema, MAX_STEPS, &mut fields);
    let kinds = kinds_of_rules(keyword, node);
    let can_be = |rule: NodeRef<'_>| kinds.iter().any(|kind| rule.get(kind).is_some());
    flat.rules.iter().any(|rule| can_be(rule) && fields_of_rule(rule) == fields)
}

/// Returns the kinds of rules that say at least as much as an assertion can.
///
/// No rule states that a field with any value requires another one.
fn kinds_of_rules(keyword: &str, node: NodeRef<'_>) -> &'static [&'static str] {
    let is_presence = || node.entries().all(|(keyword, _)| keyword == "required");
    match keyword {
        "not" if is_presence() => &["not_together", "exactly_one"],
        "not" => &["when", "not_together", "at_least_one", "exactly_one", "total_items"],
        "if" => &["when"],
        "anyOf" => &["at_least_one", "exactly_one"],
        "oneOf" => &["exactly_one"],
        _ => &[],
    }
}

/// Returns the fields of a rule of `x-rules`.
fn fields_of_rule(rule: NodeRef<'_>) -> BTreeSet<&str> {
    let mut fields = BTreeSet::new();
    for (_, value) in rule.entries() {
        fields.extend(value.entries().map(|(name, _)| name));
        fields.extend(value.items().iter().filter_map(Node::as_str));
    }
    fields
}

/// Adds the fields that a schema refers to.
fn add_schema<'d>(schema: NodeRef<'d>, steps: usize, fields: &mut BTreeSet<&'d str>) {
    let Some(steps) = steps.checked_sub(1) else { return };
    for (keyword, node) in schema.entries() {
        add_keyword(keyword, node, schema, steps, fields);
    }
}

fn add_keyword<'d>(
    keyword: &str,
    node: NodeRef<'d>,
    schema: NodeRef<'d>,
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
        _ => {}
    }
}
