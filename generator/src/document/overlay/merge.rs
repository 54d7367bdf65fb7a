//! Merges a value into a node, as the Overlay Specification defines it.

use crate::tree::{Node, Value};

/// Returns whether a node is an object, and whether it is an array. Only values that agree in both can be merged.
pub(super) fn kind(node: &Node) -> (bool, bool) {
    (node.is_object(), node.is_array())
}

/// Returns the first part of the value that can't be merged into its counterpart, and the counterpart.
///
/// An array that is the target of an action accepts any value, as a new item.
pub(super) fn conflict<'n>(target: &'n Node, value: &'n Node) -> Option<(&'n Node, &'n Node)> {
    if target.is_array() { None } else { inner_conflict(target, value) }
}

fn inner_conflict<'n>(target: &'n Node, value: &'n Node) -> Option<(&'n Node, &'n Node)> {
    if kind(target) != kind(value) {
        return Some((target, value));
    }
    value.entries().find_map(|(name, inner)| inner_conflict(target.get(name)?, inner))
}

/// Merges a value into a node that has no [conflict] with it.
///
/// `copy` copies the parts of the value for the document.
pub(super) fn merge(target: &mut Node, value: &Node, copy: &mut dyn FnMut(&Node) -> Node) {
    match (&mut target.value, &value.value) {
        (Value::Object(target), Value::Object(fields)) => {
            let mut new = Vec::new();
            for (name, value) in fields.fields() {
                match target.get_mut(name) {
                    Some(field) => merge(field, value, copy),
                    None => new.push((name.clone(), copy(value))),
                }
            }
            target.extend(new);
        }
        (Value::Array(target), Value::Array(items)) => target.extend(items.iter().map(copy)),
        (Value::Array(target), _) => target.push(copy(value)),
        _ => *target = copy(value),
    }
}
