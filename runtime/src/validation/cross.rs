//! Rules over several fields of one object (`x-rules`).
//!
//! A field that is null counts as absent.

use std::cmp::Ordering;

use super::probe::{Form, form, form_and_equality};
use super::{literal, number};
use crate::codec::{Encode, same};
use crate::table::{CrossRule, Field, Literal};

/// The fields of an object, with their values.
pub type Fields<'a> = [(&'static str, &'a dyn Encode)];

/// Returns the fields that a rule refers to.
pub fn subjects(rule: &'static CrossRule) -> Vec<&'static str> {
    match rule {
        CrossRule::When { when, require, .. } => {
            when.iter().chain(require.iter()).map(|(name, _)| *name).collect()
        }
        CrossRule::NotTogether { fields, .. }
        | CrossRule::AtLeastOne { fields, .. }
        | CrossRule::ExactlyOne { fields, .. }
        | CrossRule::TotalItems { fields, .. } => fields.to_vec(),
    }
}

/// Returns the field that a violation of the rule is reported for.
pub const fn reported(rule: &CrossRule) -> &'static str {
    match rule {
        CrossRule::When { name, .. }
        | CrossRule::NotTogether { name, .. }
        | CrossRule::AtLeastOne { name, .. }
        | CrossRule::ExactlyOne { name, .. }
        | CrossRule::TotalItems { name, .. } => name,
    }
}

/// Returns whether the values of an object satisfy a rule.
///
/// `table` has the defaults of the fields.
pub fn holds(rule: &CrossRule, values: &Fields<'_>, table: &[Field]) -> bool {
    let forms = |names: &'static [&'static str]| names.iter().filter_map(|name| seen(values, name));
    match *rule {
        CrossRule::When { when, require, .. } => {
            let all = |conditions: &[(&str, Literal)]| {
                conditions.iter().all(|(name, literal)| is(values, table, name, literal))
            };
            !all(when) || all(require)
        }
        CrossRule::NotTogether { fields, .. } => {
            forms(fields).filter(|form| *form != Form::Boolean(false)).count() <= 1
        }
        CrossRule::AtLeastOne { fields, above, .. } => forms(fields).any(|form| match (above, form) {
            (None, _) => true,
            (Some(bound), Form::Number(it)) => {
                number::compare(it, &Literal::Number(bound)) == Some(Ordering::Greater)
            }
            (Some(_), _) => false,
        }),
        CrossRule::ExactlyOne { fields, .. } => forms(fields).count() == 1,
        CrossRule::TotalItems { fields, minimum, maximum, .. } => {
            let total: u64 = forms(fields)
                .map(|form| match form {
                    Form::Array(items) => items,
                    _ => 0,
                })
                .sum();
            minimum.is_none_or(|least| total >= least) && maximum.is_none_or(|most| total <= most)
        }
    }
}

/// Returns the value of a field. An absent value counts as null.
fn value<'a>(values: &Fields<'a>, name: &str) -> Option<&'a dyn Encode> {
    values.iter().find(|(field, _)| same(field, name)).map(|(_, value)| *value)
}

/// Returns the form of a field, or `None` if it is absent or null.
fn seen(values: &Fields<'_>, name: &str) -> Option<Form> {
    value(values, name).map(form).filter(|form| *form != Form::Null)
}

/// Returns whether a field, or its default if it is absent, equals a literal.
fn is(values: &Fields<'_>, table: &[Field], name: &str, expected: &Literal) -> bool {
    match value(values, name).map(|value| form_and_equality(value, expected)) {
        Some((form, is_equal)) if form != Form::Null => is_equal,
        _ => {
            let default = table.iter().find(|field| field.name == name).and_then(|field| field.default);
            match default.unwrap_or(Literal::Null) {
                Literal::Integer(default) => literal::is_integer(expected, default),
                Literal::Number(default) => literal::is_number(expected, default),
                default => default == *expected,
            }
        }
    }
}
