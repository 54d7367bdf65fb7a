//! Values that satisfy all constraints of a schema.

use openapi_crates_runtime::table::{
    Array, Field, Format, Integer, Number, Object, Pattern, Schema, Text, Type,
};
use proptest::{
    strategy::{Strategy, ValueTree},
    string::string_regex,
    test_runner::TestRunner,
};

use super::{
    cross::settle,
    rules::{allowed, type_of},
};
use crate::http::json::Json;

/// Returns a value that satisfies all constraints.
pub fn sample(schema: &'static Schema) -> Json {
    samples(schema, 1).remove(0)
}

/// Returns `count` values, which differ if that is easy.
pub fn samples(schema: &'static Schema, count: usize) -> Vec<Json> {
    if let Some(allowed) = allowed(schema) {
        return allowed.into_iter().cycle().take(count).collect();
    }
    (0..count).map(|index| plain(schema, index)).collect()
}

fn plain(schema: &'static Schema, index: usize) -> Json {
    match type_of(schema) {
        Type::Any => Json::string("anything"),
        Type::Boolean => Json::Boolean(true),
        Type::Integer(rules) => integer(rules, index),
        Type::Number(rules) => number(rules, index),
        Type::Text(rules) => Json::String(text(rules, index)),
        Type::Bytes => Json::string("QUJD"),
        Type::Array(rules) => Json::Array(samples(rules.items, item_count(rules))),
        Type::Tuple(items) => Json::Array(items.iter().map(|item| sample(item)).collect()),
        Type::Object(rules) => object(rules),
        Type::Union(union) => sample(union.variants[0]),
        Type::Same(_) => unreachable!("`type_of` follows references"),
        _ => unreachable!("the tests know every kind of row"),
    }
}

fn item_count(rules: &Array) -> usize {
    let least = rules.min_items.unwrap_or(0).max(1).min(rules.max_items.unwrap_or(u64::MAX));
    usize::try_from(least).expect("bounds of arrays are small")
}

fn integer(rules: &Integer, index: usize) -> Json {
    let step = rules.multiple_of.unwrap_or(1);
    let least = rules.minimum.max(rules.exclusive_minimum.map(|bound| bound + 1));
    let most = rules.maximum.or(rules.exclusive_maximum.map(|bound| bound - 1));
    let start = least.or(most.map(|most| most - 1000 * step)).unwrap_or(0);
    let first = start + (step - start.rem_euclid(step)) % step;
    let value = first + step * i128::try_from(index).expect("few samples are wanted");
    Json::number(most.map_or(value, |most| value.min(most)))
}

fn number(rules: &Number, index: usize) -> Json {
    let least = rules.minimum.or(rules.exclusive_minimum);
    let most = rules.maximum.or(rules.exclusive_maximum);
    if let Some(step) = rules.multiple_of {
        let first = (least.unwrap_or(0.0) / step).floor() + 1.0;
        return Json::number((first + index as f64) * step);
    }
    let share = (index + 1) as f64 / (index + 2) as f64;
    Json::number(match (least, most) {
        (Some(least), Some(most)) => least + (most - least) * share,
        (Some(least), None) => least + 1.0 + index as f64,
        (None, Some(most)) => most - 1.0 - index as f64,
        (None, None) => 1.5 + index as f64,
    })
}

fn object(rules: &'static Object) -> Json {
    let mut object = Json::object();
    for Field { name, schema, .. } in rules.fields.iter().filter(|field| field.required) {
        object.set(name, sample(schema));
    }
    settle(&mut object, rules, &[]);
    object
}

fn text(rules: &Text, index: usize) -> String {
    if let Some(format) = rules.format {
        return formatted(format, index);
    }
    if let Some(pattern) = rules.pattern {
        return matching(pattern, index);
    }
    let start = format!("{index} text");
    let least = usize::try_from(rules.min_length.unwrap_or(0)).expect("texts fit memory");
    let most = usize::try_from(rules.max_length.unwrap_or(u64::MAX)).unwrap_or(usize::MAX);
    let length = start.len().clamp(least, most);
    start.chars().chain("a".chars().cycle()).take(length).collect()
}

/// Returns a text of this format.
pub fn formatted(format: Format, index: usize) -> String {
    match format {
        Format::DateTime => format!("2026-01-31T12:00:{:02}Z", index % 60),
        Format::Date => format!("2026-01-{:02}", index % 28 + 1),
        Format::Uuid => format!("046b6c7f-0b8a-43b9-b35d-{index:012}"),
        Format::Uri => format!("https://example.com/{index}"),
        Format::Email => format!("a{index}@example.com"),
        Format::Ipv4 => format!("127.0.0.{}", index % 256),
        Format::Ipv6 => format!("::{index:x}"),
        Format::Base64 => ["QUJD", "REVG", "R0hJ"][index % 3].to_owned(),
        other => panic!("the spec has no {other:?}, and there is no sample of it"),
    }
}

/// Returns a text that matches a pattern.
fn matching(pattern: &Pattern, index: usize) -> String {
    // Anchors have no sample, but the part between them has.
    let source = pattern.source().trim_start_matches('^').trim_end_matches('$');
    let strategy = string_regex(source).expect("the spec's patterns are simple enough to be sampled");
    let mut runner = TestRunner::deterministic();
    let mut texts =
        (0..1000).map(|_| strategy.new_tree(&mut runner).expect("the strategy does not filter").current());
    texts.by_ref().filter(|text| pattern.is_match(text)).nth(index).expect("a sample matches")
}

/// Returns a value with all fields of a schema.
pub fn full(schema: &'static Schema) -> Json {
    match type_of(schema) {
        _ if allowed(schema).is_some() => sample(schema),
        Type::Array(rules) => {
            let count = item_count(rules).max(2).min(rules.max_items.map_or(2, |most| most as usize));
            Json::Array((0..count).map(|_| full(rules.items)).collect())
        }
        Type::Object(rules) => {
            let mut object = Json::object();
            for field in rules.fields {
                object.set(field.name, full(field.schema));
            }
            settle(&mut object, rules, &[]);
            object
        }
        _ => sample(schema),
    }
}
