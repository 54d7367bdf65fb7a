//! Uniqueness: whether an array contains equal items.
//!
//! Items are compared as JSON values: numbers by value, objects regardless of the order of their fields. Each
//! item is hashed first. Only items with equal hashes are compared in full.
//!
//! The keys of the hashes are random, so that no input can choose many different items with equal hashes. The result
//! does not depend on them.

use std::hash::{BuildHasher, Hash, Hasher, RandomState};

use crate::codec::view::{View, view};
use crate::codec::{Encode, Number, to_value};
use crate::types::Value;

/// The maximum number of items that are compared without allocating.
const MAX_ON_STACK: usize = 64;

/// Returns whether no two items are equal.
pub fn all_differ(items: &mut dyn ExactSizeIterator<Item = &dyn Encode>) -> bool {
    if items.len() > MAX_ON_STACK { many_differ(items) } else { few_differ(items) }
}

/// Compares every item with those before it, which are in a fixed-size array.
fn few_differ<'a>(items: &mut dyn ExactSizeIterator<Item = &'a dyn Encode>) -> bool {
    let keys = RandomState::new();
    let mut seen: [Option<(u64, &'a dyn Encode)>; MAX_ON_STACK] = [None; MAX_ON_STACK];
    for (index, item) in items.enumerate().take(MAX_ON_STACK) {
        let hash = fingerprint(&keys, item);
        let twice =
            seen.iter().take(index).flatten().any(|(other, it)| *other == hash && are_equal(*it, item));
        if twice {
            return false;
        }
        if let Some(slot) = seen.get_mut(index) {
            *slot = Some((hash, item));
        }
    }
    true
}

/// Sorts the items by hash, so that equal items are adjacent.
fn many_differ<'a>(items: &mut dyn ExactSizeIterator<Item = &'a dyn Encode>) -> bool {
    let keys = RandomState::new();
    let mut seen: Vec<(u64, &'a dyn Encode)> = items.map(|item| (fingerprint(&keys, item), item)).collect();
    seen.sort_unstable_by_key(|(hash, _)| *hash);
    seen.chunk_by(|(one, _), (other, _)| one == other).all(|group| {
        group
            .iter()
            .enumerate()
            .all(|(index, (_, item))| !group.iter().take(index).any(|(_, other)| are_equal(*other, *item)))
    })
}

fn are_equal(one: &dyn Encode, other: &dyn Encode) -> bool {
    same(&to_value(one), &to_value(other))
}

/// Returns whether two values are the same JSON value.
pub fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => Number::from(one) == Number::from(other),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(name, value)| other.get(name).is_some_and(|it| same(value, it)))
        }
        _ => one == other,
    }
}

/// The kinds of values. Each is hashed, so that values of different kinds differ.
#[derive(Hash)]
enum Tag {
    Null,
    Boolean(bool),
    Integer(i128),
    /// The bits of a floating-point number.
    Float(u64),
    Text,
    /// The number of items.
    Array(usize),
    /// The sum of the hashes of the fields, because their order does not matter.
    Object(u64),
}

/// Returns a hash of the JSON value that `value` encodes.
fn fingerprint(keys: &RandomState, value: &dyn Encode) -> u64 {
    let mut hasher = keys.build_hasher();
    let sum = |total: u64, (name, value): (&str, &dyn Encode)| {
        total.wrapping_add(keys.hash_one((name, fingerprint(keys, value))))
    };
    view(value, |view| match view {
        View::Boolean(value) => Tag::Boolean(value).hash(&mut hasher),
        View::Number(value, _) => match value.to_integer() {
            Some(value) => Tag::Integer(value).hash(&mut hasher),
            None => Tag::Float(value.to_f64().to_bits()).hash(&mut hasher),
        },
        View::Array(items) => {
            Tag::Array(items.len()).hash(&mut hasher);
            items.for_each(|item| fingerprint(keys, item).hash(&mut hasher));
        }
        View::List(items) => {
            Tag::Array(items.len()).hash(&mut hasher);
            items.iter().for_each(|item| fingerprint(keys, item).hash(&mut hasher));
        }
        View::Object(fields, rest) => {
            let fields = fields.iter().filter(|(_, value)| !value.is_absent()).copied();
            let fields = fields.map(|(name, value)| (name as &str, value)).fold(0, sum);
            Tag::Object(rest.into_iter().flatten().fold(fields, sum)).hash(&mut hasher);
        }
        View::Map(map) => {
            let entries = map.iter().map(|(name, value)| (name.as_str(), value as &dyn Encode));
            Tag::Object(entries.fold(0, sum)).hash(&mut hasher);
        }
        view => match view.text() {
            Some((text, _)) => (Tag::Text, text).hash(&mut hasher),
            None => Tag::Null.hash(&mut hasher),
        },
    });
    hasher.finish()
}
