//! Cross-field rules: how to make an object satisfy them all, or violate one.

use openapi_crates_runtime::table::{Array, CrossRule, Literal, Object, Schema, Type};

use super::{
    rules::{is_literal, literal, subjects, type_of},
    samples::{sample, samples},
};
use crate::http::json::Json;

/// Makes an object satisfy its cross-field rules without changing `keep`.
pub fn settle(object: &mut Json, rules: &'static Object, keep: &[&str]) {
    for rule in rules.rules {
        settle_rule(object, rules, rule, keep);
    }
}

fn settle_rule(object: &mut Json, rules: &'static Object, rule: &CrossRule, keep: &[&str]) {
    let is_free = |name: &&&str| !keep.contains(*name);
    match *rule {
        CrossRule::When { when, require, .. } => {
            if !holds(object, rules, when) || holds(object, rules, require) {
                return;
            }
            // The kept fields decide which side changes.
            match when.iter().find(|(name, _)| !keep.contains(name)) {
                Some((name, _)) => object.remove(name),
                None => {
                    for (name, value) in require.iter().filter(|(name, _)| !keep.contains(name)) {
                        object.set(name, literal(value));
                    }
                }
            }
        }
        CrossRule::NotTogether { fields, .. } | CrossRule::ExactlyOne { fields, .. } => {
            let chosen = fields
                .iter()
                .find(|name| keep.contains(name) && is_set(object, name))
                .or_else(|| fields.iter().find(|name| is_set(object, name)))
                .or_else(|| fields.iter().find(is_free));
            for name in fields.iter().filter(|name| Some(*name) != chosen).filter(is_free) {
                object.remove(name);
            }
            if let (Some(chosen), CrossRule::ExactlyOne { .. }) = (chosen, rule)
                && !is_set(object, chosen)
                && !keep.contains(chosen)
            {
                object.set(chosen, sample(schema(rules, chosen)));
            }
        }
        CrossRule::AtLeastOne { fields, above, .. } => {
            if !fields.iter().filter(is_free).any(|name| is_above(object, name, above))
                && let Some(name) = fields.iter().find(is_free)
            {
                object.set(name, above_sample(schema(rules, name), above));
            }
        }
        CrossRule::TotalItems { fields, minimum, maximum, .. } => {
            let count = |object: &Json, name: &str| object.get(name).map_or(0, |value| value.items().len());
            let total = |object: &Json| fields.iter().map(|name| count(object, name)).sum::<usize>() as u64;
            if maximum.is_some_and(|most| total(object) > most) {
                fields.iter().filter(is_free).for_each(|name| object.remove(name));
            }
            if let Some(least) = minimum.filter(|least| total(object) < *least)
                && let Some(name) = fields.iter().find(is_free)
            {
                let missing = (least - total(object)) as usize + count(object, name);
                object.set(name, Json::Array(samples(array(rules, name).items, missing)));
            }
        }
        _ => unreachable!("the tests know every kind of row"),
    }
}

/// Returns objects that violate one rule and, if possible, no other.
///
/// Each comes with a description of the change.
pub fn broken(object: &Json, rules: &'static Object, rule: &CrossRule) -> Vec<(&'static str, Json)> {
    let (_, names) = subjects(rule);
    let with = |change: &dyn Fn(&mut Json)| {
        let mut object = object.clone();
        change(&mut object);
        settle_others(&mut object, rules, rule);
        object
    };
    let none = with(&|object| names.iter().for_each(|name| object.remove(name)));
    let all = with(&|object| {
        for name in &names {
            object.set(name, sample(schema(rules, name)));
        }
    });
    match *rule {
        CrossRule::When { when, require, .. } => require
            .iter()
            .map(|(name, value)| {
                let broken = with(&|object| {
                    when.iter().chain(require).for_each(|(name, value)| object.set(name, literal(value)));
                    object.set(name, other_than(schema(rules, name), value));
                });
                ("required value", broken)
            })
            .collect(),
        CrossRule::NotTogether { .. } => vec![("together", all)],
        CrossRule::ExactlyOne { .. } => vec![("none", none), ("several", all)],
        CrossRule::AtLeastOne { above: None, .. } => vec![("none", none)],
        CrossRule::AtLeastOne { above: Some(bound), fields, .. } => {
            let not_above =
                with(&|object| fields.iter().for_each(|name| object.set(name, Json::number(bound))));
            vec![("none", none), ("not above", not_above)]
        }
        CrossRule::TotalItems { fields, minimum, maximum, .. } => {
            let too_few =
                minimum.filter(|least| *least > 0).map(|least| ("too few", filled(fields, rules, least - 1)));
            let too_many = maximum.map(|most| ("too many", filled(fields, rules, most + 1)));
            let both = too_few.into_iter().chain(too_many);
            both.map(|(how, fill)| {
                (how, with(&|object| fill.iter().for_each(|(name, value)| object.set(name, value.clone()))))
            })
            .collect()
        }
        _ => unreachable!("the tests know every kind of row"),
    }
}

/// Returns objects at the limit of a rule that still satisfy it.
pub fn at_limit(object: &Json, rules: &'static Object, rule: &CrossRule) -> Vec<Json> {
    let with = |change: &dyn Fn(&mut Json)| {
        let mut object = object.clone();
        change(&mut object);
        settle_others(&mut object, rules, rule);
        object
    };
    let only = |fields: &[&str], name: &str, value: Json| {
        with(&|object| {
            fields.iter().for_each(|name| object.remove(name));
            object.set(name, value.clone());
        })
    };
    match *rule {
        CrossRule::When { when, require, .. } => vec![with(&|object| {
            when.iter().chain(require).for_each(|(name, value)| object.set(name, literal(value)));
        })],
        CrossRule::NotTogether { fields, .. } | CrossRule::ExactlyOne { fields, .. } => {
            fields.iter().map(|name| only(fields, name, sample(schema(rules, name)))).collect()
        }
        CrossRule::AtLeastOne { fields, above, .. } => {
            let fields_alone = fields.iter();
            fields_alone.map(|name| only(fields, name, above_sample(schema(rules, name), above))).collect()
        }
        CrossRule::TotalItems { fields, minimum, maximum, .. } => minimum
            .into_iter()
            .chain(maximum)
            .map(|total| {
                let fill = filled(fields, rules, total);
                with(&|object| fill.iter().for_each(|(name, value)| object.set(name, value.clone())))
            })
            .collect(),
        _ => unreachable!("the tests know every kind of row"),
    }
}

/// Settles all rules except one, whose fields stay.
fn settle_others(object: &mut Json, rules: &'static Object, broken: &CrossRule) {
    let (_, keep) = subjects(broken);
    for rule in rules.rules.iter().filter(|rule| *rule != broken) {
        settle_rule(object, rules, rule, &keep);
    }
}

/// Distributes items over several arrays within their limits.
fn filled(fields: &[&'static str], rules: &'static Object, total: u64) -> Vec<(&'static str, Json)> {
    let mut left = total;
    let fill = |name: &&'static str| {
        let rules = array(rules, name);
        let count = left.min(rules.max_items.unwrap_or(left)).min(left.div_ceil(2).max(1));
        left -= count;
        (*name, Json::Array(samples(rules.items, count as usize)))
    };
    let mut filled: Vec<_> = fields.iter().map(fill).collect();
    if left > 0
        && let Some((name, value)) = filled.last_mut()
    {
        let count = value.items().len() as u64 + left;
        *value = Json::Array(samples(array(rules, name).items, count as usize));
    }
    filled
}

fn holds(object: &Json, rules: &Object, conditions: &[(&str, Literal)]) -> bool {
    conditions.iter().all(|(name, expected)| match object.get(name) {
        Some(value) => is_literal(value, expected),
        None => {
            let default =
                rules.fields.iter().find(|field| field.name == *name).and_then(|field| field.default);
            default.is_some_and(|default| is_literal(&literal(&default), expected))
        }
    })
}

fn is_set(object: &Json, name: &str) -> bool {
    object.get(name).is_some_and(|value| !matches!(value, Json::Null | Json::Boolean(false)))
}

fn is_above(object: &Json, name: &str, above: Option<f64>) -> bool {
    match (object.get(name), above) {
        (None | Some(Json::Null), _) => false,
        (Some(_), None) => true,
        (Some(value), Some(bound)) => value.as_f64().is_some_and(|value| value > bound),
    }
}

/// Returns a value above a bound, if there is a bound.
fn above_sample(schema: &'static Schema, above: Option<f64>) -> Json {
    match above {
        None => sample(schema),
        Some(bound) => Json::number(bound + 1.0),
    }
}

fn other_than(schema: &'static Schema, value: &Literal) -> Json {
    match value {
        Literal::Boolean(value) => Json::Boolean(!value),
        _ => samples(schema, 64)
            .into_iter()
            .find(|sample| !is_literal(sample, value))
            .expect("the field may have another value"),
    }
}

fn schema(rules: &'static Object, name: &str) -> &'static Schema {
    let field = rules.fields.iter().find(|field| field.name == name);
    field.unwrap_or_else(|| panic!("a rule refers to the unknown field {name}")).schema
}

fn array(rules: &'static Object, name: &str) -> &'static Array {
    match type_of(schema(rules, name)) {
        Type::Array(rules) => rules,
        _ => panic!("a rule counts items of {name}, which is not an array"),
    }
}
