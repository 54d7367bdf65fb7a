//! Whether a keyword without schemas accepts fewer or more values than before.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    mem::{Discriminant, discriminant},
};

use crate::{
    diff::rule::Effect,
    ir::{Keyword, Kinds, Literal},
};

/// Returns the effect of a keyword without schemas, or `None` if both mean the same.
pub(super) fn effect(old: &Keyword, new: &Keyword) -> Option<Effect> {
    match (old, new) {
        (Keyword::Type(old), Keyword::Type(new)) => {
            let covers = |more: &Kinds, less: &Kinds| *more == more.zip(*less, |more, less| more || less);
            Effect::of_bound(Some(*old), Some(*new), covers)
        }
        (Keyword::Enum(old), Keyword::Enum(new)) => {
            Effect::of_bound(Some(values(old)), Some(values(new)), |old, new| new.is_subset(old))
        }
        (Keyword::Required(old), Keyword::Required(new)) => {
            Effect::of_bound(Some(names(old)), Some(names(new)), |old, new| old.is_subset(new))
        }
        (Keyword::DependentRequired(old), Keyword::DependentRequired(new)) => {
            Effect::of_bound(Some(lists(old)), Some(lists(new)), |old, new| {
                old.iter().all(|(name, less)| new.get(name).is_some_and(|more| less.is_subset(more)))
            })
        }
        (Keyword::Count(name, old), Keyword::Count(_, new)) => bound(name, old, new),
        (Keyword::Bound(name, from), Keyword::Bound(_, to)) => match (from, to) {
            (Literal::Integer(from), Literal::Integer(to)) => bound(name, from, to),
            _ => match number(from).zip(number(to)) {
                Some((from, to)) => bound(name, &from, &to),
                None => (from != to).then_some(Effect::Changed),
            },
        },
        _ => (old != new).then_some(Effect::Changed),
    }
}

fn bound<T: PartialOrd>(name: &str, old: &T, new: &T) -> Option<Effect> {
    Effect::of_bound(Some(old), Some(new), |old, new| is_stricter(name, *old, *new))
}

/// Returns whether the new value of a minimum or maximum is stricter. For other keywords, this is unknown.
fn is_stricter<T: PartialOrd>(name: &str, old: &T, new: &T) -> bool {
    let is_maximum = name.starts_with("max") || name == "exclusiveMaximum";
    let is_minimum = name.starts_with("min") || name == "exclusiveMinimum";
    is_maximum && new < old || is_minimum && new > old
}

/// Returns the values of an enum. The order makes no difference, nor that of the properties of an object.
fn values(all: &[Literal]) -> HashSet<(Discriminant<Literal>, String)> {
    let text = |value: &Literal| match value {
        Literal::Json(value) => {
            let mut sorted = value.clone();
            sorted.sort_all_objects();
            sorted.to_string()
        }
        other => other.to_string(),
    };
    all.iter().map(|value| (discriminant(value), text(value))).collect()
}

fn names(all: &[String]) -> BTreeSet<&String> {
    all.iter().collect()
}

fn lists(all: &[(String, Vec<String>)]) -> BTreeMap<&String, BTreeSet<&String>> {
    all.iter().map(|(name, list)| (name, names(list))).collect()
}

fn number(value: &Literal) -> Option<f64> {
    match value {
        #[expect(clippy::cast_precision_loss, reason = "an integer beyond 2^53 is compared with a fraction")]
        Literal::Integer(value) => Some(*value as f64),
        Literal::Number(value) => Some(*value),
        _ => None,
    }
}
