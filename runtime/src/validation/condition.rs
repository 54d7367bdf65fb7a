//! Conditions over the fields of one object: their evaluation and their messages.

use std::fmt;

use super::cross::Fields;
use super::probe::equals;
use super::problem::literal;
use crate::codec::{Encode, same};
use crate::table::Condition;

/// Returns whether the values of an object satisfy a condition.
///
/// A field that is null counts as given here, unlike in the other rules over several fields.
pub fn keeps(condition: &Condition, values: &Fields<'_>) -> bool {
    match *condition {
        Condition::Given(name) => value(values, name).is_some(),
        Condition::Is(name, expected) => value(values, name).is_some_and(|value| equals(value, &expected)),
        Condition::All(all) => all.iter().all(|one| keeps(one, values)),
        Condition::Any(any) => any.iter().any(|one| keeps(one, values)),
        Condition::One(several) => several.iter().filter(|one| keeps(one, values)).count() == 1,
        Condition::Not(inner) => !keeps(inner, values),
        Condition::If(when, then) => !keeps(when, values) || keeps(then, values),
    }
}

fn value<'a>(values: &Fields<'a>, name: &str) -> Option<&'a dyn Encode> {
    let (_, value) = values.iter().find(|(field, _)| same(field, name))?;
    (!value.is_absent()).then_some(*value)
}

/// Adds the fields that a condition refers to.
pub fn add_subjects(condition: &Condition, names: &mut Vec<&'static str>) {
    match *condition {
        Condition::Given(name) | Condition::Is(name, _) => names.push(name),
        Condition::All(several) | Condition::Any(several) | Condition::One(several) => {
            several.iter().for_each(|one| add_subjects(one, names));
        }
        Condition::Not(inner) => add_subjects(inner, names),
        Condition::If(when, then) => {
            add_subjects(when, names);
            add_subjects(then, names);
        }
    }
}

/// Writes a condition as a requirement, the end of a sentence: `'a' must be given`.
pub fn demand(out: &mut fmt::Formatter<'_>, condition: &Condition) -> fmt::Result {
    match condition {
        Condition::Given(name) => write!(out, "'{name}' must be given"),
        Condition::Not(Condition::Given(name)) => write!(out, "'{name}' must not be given"),
        Condition::Is(name, value) => {
            write!(out, "'{name}' must be ")?;
            literal(out, value)
        }
        Condition::Any(several) if all_given(several) => given(out, "at least one of ", several, "must be"),
        Condition::One(several) if all_given(several) => given(out, "exactly one of ", several, "must be"),
        Condition::One(several) => {
            out.write_str("exactly one of these must hold: ")?;
            separated(out, several, "; ", state)
        }
        Condition::Not(Condition::All(several)) if all_given(several) => {
            given(out, "", several, "must not all be")
        }
        Condition::Not(Condition::Any(several)) if all_given(several) => {
            given(out, "none of ", several, "may be")
        }
        Condition::All(several) => separated(out, several, " and ", demand),
        Condition::If(when, then) => {
            demand(out, then)?;
            out.write_str(" when ")?;
            state(out, when)
        }
        other => {
            out.write_str("this must hold: ")?;
            state(out, other)
        }
    }
}

/// Writes a condition as a statement: `'a' is given and 'b' is 5`.
fn state(out: &mut fmt::Formatter<'_>, condition: &Condition) -> fmt::Result {
    match condition {
        Condition::Given(name) => write!(out, "'{name}' is given"),
        Condition::Not(Condition::Given(name)) => write!(out, "'{name}' is not given"),
        Condition::Is(name, value) => {
            write!(out, "'{name}' is ")?;
            literal(out, value)
        }
        Condition::Not(Condition::Is(name, value)) => {
            write!(out, "'{name}' is not ")?;
            literal(out, value)
        }
        Condition::All(several) => separated(out, several, " and ", grouped),
        Condition::Any(several) => separated(out, several, " or ", grouped),
        Condition::One(several) => {
            out.write_str("exactly one of these holds: ")?;
            separated(out, several, "; ", state)
        }
        Condition::Not(inner) => {
            out.write_str("not ")?;
            grouped(out, inner)
        }
        Condition::If(when, then) => {
            grouped(out, then)?;
            out.write_str(" when ")?;
            grouped(out, when)
        }
    }
}

/// Writes a statement, in parentheses if it has several parts.
fn grouped(out: &mut fmt::Formatter<'_>, condition: &Condition) -> fmt::Result {
    let is_simple = matches!(
        condition,
        Condition::Given(_) | Condition::Is(..) | Condition::Not(Condition::Given(_) | Condition::Is(..))
    );
    if is_simple {
        return state(out, condition);
    }
    out.write_str("(")?;
    state(out, condition)?;
    out.write_str(")")
}

fn all_given(several: &[Condition]) -> bool {
    several.iter().all(|one| matches!(one, Condition::Given(_)))
}

/// Writes a condition over given fields: `exactly one of 'a', 'b' must be given`.
fn given(out: &mut fmt::Formatter<'_>, before: &str, several: &[Condition], verb: &str) -> fmt::Result {
    out.write_str(before)?;
    separated(out, several, ", ", name)?;
    write!(out, " {verb} given")
}

fn name(out: &mut fmt::Formatter<'_>, condition: &Condition) -> fmt::Result {
    match condition {
        Condition::Given(name) => write!(out, "'{name}'"),
        other => state(out, other),
    }
}

fn separated(
    out: &mut fmt::Formatter<'_>,
    several: &[Condition],
    separator: &str,
    each: fn(&mut fmt::Formatter<'_>, &Condition) -> fmt::Result,
) -> fmt::Result {
    for (index, one) in several.iter().enumerate() {
        if index > 0 {
            out.write_str(separator)?;
        }
        each(out, one)?;
    }
    Ok(())
}
