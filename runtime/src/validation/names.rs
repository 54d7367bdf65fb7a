//! Constraints on the names of additional properties.
//!
//! The fast and the slow path of [validation](super) call these functions.

use super::json_schema::Context;
use super::resolve::{not_in, type_of};
use super::{ViolationKind, literal, scalar};
use crate::table::{Matched, Names, Schema, Type};

/// Reports the constraints that a name violates.
pub fn check_name(
    context: &Context,
    names: &'static Names,
    name: &str,
    mut report: impl FnMut(ViolationKind),
) {
    if let Some(each) = names.each {
        if let Type::Text(rules) = type_of(each) {
            scalar::text(context, rules, name, |kind| report(ViolationKind::Name(Box::new(kind))));
        }
        if let Some(allowed) = not_in(each, |it| literal::is_text(it, name)) {
            report(ViolationKind::Name(Box::new(ViolationKind::NotAllowed(allowed))));
        }
    }
    // If a regex engine gives up, it is not known which constraints apply to the value.
    for (pattern, _) in names.patterns.iter().filter(|(pattern, _)| pattern.is_limited()) {
        if context.matches(pattern, name) == Matched::Unknown {
            report(ViolationKind::PatternLimit(pattern.written()));
            return;
        }
    }
    if names.closed && !names.patterns.iter().any(|(pattern, _)| pattern.is_match(name)) {
        report(ViolationKind::Unknown);
    }
}

/// Returns the schemas that apply to a value because of its name.
///
/// The schema in [`Additional::Kept`](crate::table::Additional::Kept) applies in addition.
pub fn rules_of(names: &'static Names, name: &str) -> impl Iterator<Item = &'static Schema> {
    let mut matching = names.patterns.iter().filter(move |(pattern, _)| pattern.is_match(name)).peekable();
    let others = names.others.filter(|_| matching.peek().is_none());
    matching.filter_map(|(_, schema)| *schema).chain(others)
}
