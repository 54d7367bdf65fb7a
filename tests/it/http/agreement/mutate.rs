//! Mutations of bodies: common mistakes of people and programs.

use proptest::prelude::*;

use crate::http::json::Json;

/// A mutation.
///
/// Positions count through the whole value, modulo the number of positions.
#[derive(Debug, Clone)]
pub enum Mutation {
    /// Replaces a value.
    Replace(usize, Json),
    /// Swaps two values.
    Swap(usize, usize),
    /// Wraps a value in an array or an object.
    Wrap(usize, Option<String>),
    /// Deletes an entry of an object or array.
    Delete(usize, usize),
    /// Repeats an entry.
    Repeat(usize, usize),
    /// Adds an entry.
    Add(usize, String, Json),
    /// Adds more entries than the violations that are reported.
    Flood(usize, usize),
    /// Nests a value in many arrays.
    Bury(usize, usize),
}

impl Mutation {
    pub fn apply(&self, root: &mut Json) {
        match self {
            Self::Replace(position, value) => with(root, *position, &mut |it| *it = value.clone()),
            Self::Swap(one, other) => {
                let mut values = [Json::Null, Json::Null];
                with(root, *one, &mut |it| values[0] = it.clone());
                with(root, *other, &mut |it| values[1] = it.clone());
                let [first, second] = values;
                with(root, *one, &mut |it| *it = second.clone());
                with(root, *other, &mut |it| *it = first.clone());
            }
            Self::Wrap(position, name) => with(root, *position, &mut |it| {
                let inner = std::mem::replace(it, Json::Null);
                *it = match name {
                    Some(name) => Json::Object(vec![(name.clone(), inner)]),
                    None => Json::Array(vec![inner]),
                };
            }),
            Self::Delete(position, entry) => with_container(root, *position, &mut |it| match it {
                Json::Array(items) if !items.is_empty() => drop(items.remove(entry % items.len())),
                Json::Object(fields) if !fields.is_empty() => drop(fields.remove(entry % fields.len())),
                _ => {}
            }),
            Self::Repeat(position, entry) => with_container(root, *position, &mut |it| match it {
                Json::Array(items) if !items.is_empty() => items.push(items[entry % items.len()].clone()),
                Json::Object(fields) if !fields.is_empty() => {
                    fields.push(fields[entry % fields.len()].clone());
                }
                _ => {}
            }),
            Self::Add(position, name, value) => with_container(root, *position, &mut |it| match it {
                Json::Array(items) => items.push(value.clone()),
                Json::Object(fields) => fields.push((name.clone(), value.clone())),
                _ => {}
            }),
            Self::Flood(position, count) => with_container(root, *position, &mut |it| match it {
                Json::Array(items) => items.extend((0..*count).map(|_| Json::Null)),
                Json::Object(fields) => {
                    fields.extend((0..*count).map(|index| (format!("x{index}"), Json::Null)));
                }
                _ => {}
            }),
            Self::Bury(position, depth) => with(root, *position, &mut |it| {
                for _ in 0..*depth {
                    *it = Json::Array(vec![std::mem::replace(it, Json::Null)]);
                }
            }),
        }
    }
}

pub fn mutation() -> impl Strategy<Value = Mutation> {
    let position = || 0..64_usize;
    let name = || {
        prop::sample::select(vec!["id", "name", "turbo", "webhook_url", "prompt", "image", "", "a.b"])
            .prop_map(str::to_owned)
    };
    prop_oneof![
        4 => (position(), value()).prop_map(|(position, value)| Mutation::Replace(position, value)),
        1 => (position(), position()).prop_map(|(one, other)| Mutation::Swap(one, other)),
        1 => (position(), prop::option::of(name())).prop_map(|(position, name)| Mutation::Wrap(position, name)),
        2 => (position(), position()).prop_map(|(position, entry)| Mutation::Delete(position, entry)),
        1 => (position(), position()).prop_map(|(position, entry)| Mutation::Repeat(position, entry)),
        1 => (position(), name(), value()).prop_map(|(position, name, value)| Mutation::Add(position, name, value)),
        1 => (position(), 60..130_usize).prop_map(|(position, count)| Mutation::Flood(position, count)),
        1 => (position(), 120..140_usize).prop_map(|(position, depth)| Mutation::Bury(position, depth)),
    ]
}

fn value() -> impl Strategy<Value = Json> {
    let scalar = prop_oneof![
        2 => Just(Json::Null),
        2 => any::<bool>().prop_map(Json::Boolean),
        4 => prop::sample::select(NUMBERS).prop_map(Json::number),
        2 => (-5..120_i64).prop_map(Json::number),
        2 => (-20..220_i64).prop_map(|value| Json::number(value as f64 / 20.0)),
        1 => any::<i64>().prop_map(Json::number),
        1 => any::<f64>().prop_filter("JSON has no others", |value| value.is_finite()).prop_map(Json::number),
        4 => prop::sample::select(TEXTS).prop_map(Json::string),
        1 => any::<String>().prop_map(Json::String),
        2 => (prop::sample::select(LENGTHS), prop::sample::select(vec!["a", "é", "𝄞"]))
            .prop_map(|(length, text)| Json::String(text.repeat(length))),
    ];
    scalar.prop_recursive(2, 6, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Json::Array),
            prop::collection::vec((prop::sample::select(TEXTS).prop_map(str::to_owned), inner), 0..3)
                .prop_map(Json::Object),
        ]
    })
}

/// Numbers at the limits of types, and in unusual spellings.
const NUMBERS: &[&str] = &[
    "0",
    "-0",
    "-0.0",
    "1.0",
    "1e2",
    "10E-1",
    "1.5",
    "2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775809",
    "18446744073709551616",
    "9223372036854775807.0",
    "1e19",
    "1e308",
    "1e400",
    "-1e400",
    "0.1e1",
    "100.00000000000001",
    "5e-324",
];

const TEXTS: &[&str] = &[
    "",
    "id",
    "name",
    "png",
    "multi",
    "1k",
    "16:9",
    "#12aBcd",
    "en",
    "https://example.com/a.png",
    "046b6c7f-0b8a-43b9-b35d-6489e6daee91",
    "046B6C7F-0B8A-43B9-B35D-6489E6DAEE91",
    "046b6c7f0b8a43b9b35d6489e6daee91",
    "{046b6c7f-0b8a-43b9-b35d-6489e6daee91}",
    "046b6c7f-0b8a-43b9-b35d-6489e6daee9",
    "2026-01-31T12:00:00Z",
    "2026-01-31T12:00:00.123456+01:00",
    "2026-02-30T12:00:00Z",
    "2026-01-31T24:00:00Z",
    "2026-01-31 12:00:00Z",
    "2026-01-31T12:00:00",
    "2026-01-31",
    "null",
    "\u{0}\"\\\u{2028}",
];

/// Lengths at the limits of the API's strings.
const LENGTHS: &[usize] = &[1, 2, 7, 255, 256, 300, 500, 501, 2000, 2001, 2500, 2501, 3000, 3001];

/// Visits a position, counted from the root through the whole value.
fn with(root: &mut Json, position: usize, act: &mut dyn FnMut(&mut Json)) {
    let mut left = position % count(root, &|_| true);
    visit(root, &mut left, &|_| true, act);
}

/// Visits an object or an array, if one exists.
fn with_container(root: &mut Json, position: usize, act: &mut dyn FnMut(&mut Json)) {
    let total = count(root, &is_container);
    if total > 0 {
        visit(root, &mut (position % total), &is_container, act);
    }
}

const fn is_container(value: &Json) -> bool {
    matches!(value, Json::Array(_) | Json::Object(_))
}

fn count(value: &Json, counts: &dyn Fn(&Json) -> bool) -> usize {
    let inside: usize = match value {
        Json::Array(items) => items.iter().map(|item| count(item, counts)).sum(),
        Json::Object(fields) => fields.iter().map(|(_, value)| count(value, counts)).sum(),
        _ => 0,
    };
    inside + usize::from(counts(value))
}

/// Returns whether the position was found.
fn visit(
    value: &mut Json,
    left: &mut usize,
    counts: &dyn Fn(&Json) -> bool,
    act: &mut dyn FnMut(&mut Json),
) -> bool {
    if counts(value) {
        if *left == 0 {
            act(value);
            return true;
        }
        *left -= 1;
    }
    match value {
        Json::Array(items) => items.iter_mut().any(|item| visit(item, left, counts, act)),
        Json::Object(fields) => fields.iter_mut().any(|(_, value)| visit(value, left, counts, act)),
        _ => false,
    }
}
