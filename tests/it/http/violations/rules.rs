//! Reads the rows of schemas after references are followed.

use openapi_crates_runtime::table::{Additional, CrossRule, Literal, Object, Schema, Type};

use crate::http::json::Json;

/// Follows references and returns the type.
pub fn type_of(schema: &'static Schema) -> &'static Type {
    match &schema.of {
        Type::Same(next) => type_of(next),
        of => of,
    }
}

/// Returns whether null is allowed.
pub fn is_nullable(schema: &'static Schema) -> bool {
    schema.nullable
        || match &schema.of {
            Type::Same(next) => is_nullable(next),
            of => matches!(of, Type::Any),
        }
}

/// Returns the lists of allowed values, the outermost first.
pub fn allowed_lists(schema: &'static Schema) -> Vec<&'static [Literal]> {
    let mut lists = match &schema.of {
        Type::Same(next) => allowed_lists(next),
        _ => Vec::new(),
    };
    if !schema.allowed.is_empty() {
        lists.insert(0, schema.allowed);
    }
    lists
}

/// Returns the values that all lists allow, or `None` without a list.
pub fn allowed(schema: &'static Schema) -> Option<Vec<Json>> {
    let lists = allowed_lists(schema);
    let first = lists.first()?;
    let in_all = |literal: &&Literal| lists.iter().all(|list| list.contains(literal));
    Some(first.iter().filter(in_all).map(literal).collect())
}

pub fn literal(literal: &Literal) -> Json {
    match literal {
        Literal::Null => Json::Null,
        Literal::Boolean(value) => Json::Boolean(*value),
        Literal::Integer(value) => Json::number(value),
        Literal::Number(value) => Json::number(value),
        Literal::Text(text) => Json::string(*text),
        Literal::Json(text) => {
            Json::from(&serde_json::from_str::<serde_json::Value>(text).expect("a literal is JSON"))
        }
        _ => unreachable!("the tests know every kind of row"),
    }
}

/// Returns whether a value equals this literal.
pub fn is_literal(value: &Json, expected: &Literal) -> bool {
    match (value.as_f64(), literal(expected).as_f64()) {
        (Some(value), Some(expected)) => value == expected,
        _ => *value == literal(expected),
    }
}

/// Returns the name of the first additional property, if the object keeps them.
pub fn kept_key(rules: &Object, value: &Json) -> Option<String> {
    let (Additional::Kept(_), Json::Object(fields)) = (rules.additional, value) else { return None };
    let is_own = |name: &str| rules.fields.iter().any(|field| field.name == name);
    fields.iter().map(|(name, _)| name).find(|name| !is_own(name)).cloned()
}

/// Returns the reported field of a cross-field rule, and all fields of the rule.
pub fn subjects(rule: &CrossRule) -> (&'static str, Vec<&'static str>) {
    match *rule {
        CrossRule::When { name, when, require, .. } => {
            (name, when.iter().chain(require).map(|(field, _)| *field).collect())
        }
        CrossRule::NotTogether { name, fields, .. }
        | CrossRule::AtLeastOne { name, fields, .. }
        | CrossRule::ExactlyOne { name, fields, .. }
        | CrossRule::TotalItems { name, fields, .. } => (name, fields.to_vec()),
        _ => unreachable!("the tests know every kind of row"),
    }
}
