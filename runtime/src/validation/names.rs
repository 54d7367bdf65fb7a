//! The rules on the names of what an object holds beside its fields. Both paths judge by these functions.

use super::resolve::{not_in, type_of};
use super::{Problem, literal, scalar};
use crate::table::{Names, Schema, Type};

/// Reports what is wrong with a name.
pub fn judge(names: &'static Names, name: &str, mut report: impl FnMut(Problem)) {
    if let Some(each) = names.each {
        if let Type::Text(rules) = type_of(each) {
            scalar::text(rules, name, |problem| report(Problem::Name(Box::new(problem))));
        }
        if let Some(allowed) = not_in(each, |it| literal::is_text(it, name)) {
            report(Problem::Name(Box::new(Problem::NotAllowed(allowed))));
        }
    }
    if names.closed && !names.patterns.iter().any(|(pattern, _)| pattern.is_match(name)) {
        report(Problem::Unknown);
    }
}

/// The rules of a value of this name, beside those of all values.
pub fn rules_of(names: &'static Names, name: &str) -> impl Iterator<Item = &'static Schema> {
    let mut matching = names.patterns.iter().filter(move |(pattern, _)| pattern.is_match(name)).peekable();
    let others = names.others.filter(|_| matching.peek().is_none());
    matching.filter_map(|(_, schema)| *schema).chain(others)
}
