//! `portable-enum-case`: values of an enum that become the same identifier.

use std::collections::{HashMap, HashSet};

use crate::{
    diagnostics::Code,
    lints::{Linter, listed},
    names::Words,
    tree::{Node, NodeRef},
};

/// A value and its name: that of `x-enum-varnames`, or the value itself.
#[derive(Clone, Copy)]
struct Value<'d> {
    node: NodeRef<'d>,
    name: &'d str,
}

/// Reports an enum with values that become the same identifier.
pub(super) fn check<'d>(linter: &mut Linter<'d, '_>, schema: NodeRef<'d>) {
    let pairs = pairs(schema);
    let Some(((first, second), others)) = pairs.split_first() else { return };
    let message =
        format!("`{}` and `{}` become the same identifier in several tools", first.name, second.name);
    let Some(warning) = linter.warn(Code::PortableEnumCase, second.node, message) else { return };
    warning.label(first.node, "the other value");
    if !others.is_empty() {
        let pairs = others.iter().map(|(one, two)| format!("`{}` and `{}`", one.name, two.name));
        warning.note(format!("so do {}", listed(pairs)));
    }
    warning.help("give each value a name of its own in `x-enum-varnames`");
}

/// Returns each value that gets the identifier of an earlier one, after that one.
fn pairs(schema: NodeRef<'_>) -> Vec<(Value<'_>, Value<'_>)> {
    let values = schema.get("enum").map_or(&[][..], Node::items);
    let names = schema.get("x-enum-varnames").map_or(&[][..], Node::items);
    let mut texts = HashSet::new();
    let mut earlier: HashMap<String, Value<'_>> = HashMap::new();
    let mut pairs = Vec::new();
    for (index, node) in values.iter().enumerate() {
        // Equal values are another problem, which is always reported.
        let Some(text) = node.as_str().filter(|text| texts.insert(*text)) else { continue };
        let value = Value { node, name: names.get(index).and_then(Node::as_str).unwrap_or(text) };
        let identifiers = identifiers(value.name);
        let other = identifiers.iter().find_map(|identifier| earlier.get(identifier)).copied();
        pairs.extend(other.map(|other| (other, value)));
        for identifier in identifiers {
            earlier.entry(identifier).or_insert(value);
        }
    }
    pairs
}

/// Returns the identifiers that tools give a name, in lower case.
///
/// The first is of tools that replace other characters (`_1` for `+1`), the second of those that split names into words
/// (`foo_bar` for `fooBar`). There are none for a name without letters and digits, because tools have words for symbols.
fn identifiers(name: &str) -> Vec<String> {
    if !name.chars().any(char::is_alphanumeric) {
        return Vec::new();
    }
    let mut replaced = String::with_capacity(name.len());
    for character in name.chars() {
        if character.is_alphanumeric() {
            replaced.extend(character.to_lowercase());
        } else if !replaced.ends_with('_') {
            replaced.push('_');
        }
    }
    vec![replaced, Words::of(name).snake()]
}
