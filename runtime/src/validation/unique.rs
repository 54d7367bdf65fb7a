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

/// Returns a hash of the JSON value that `value` encodes. Each kind has a number, so that values of different kinds differ.
fn fingerprint(keys: &RandomState, value: &dyn Encode) -> u64 {
    let mut hasher = keys.build_hasher();
    let sum = |total: u64, (name, value): (&str, &dyn Encode)| {
        total.wrapping_add(keys.hash_one((name, fingerprint(keys, value))))
    };
    view(value, |view| match view {
        View::Boolean(value) => (1_u8, value).hash(&mut hasher),
        View::Number(value, _) => match value.to_integer() {
            Some(value) => (2_u8, value).hash(&mut hasher),
            None => (3_u8, value.to_f64().to_bits()).hash(&mut hasher),
        },
        View::Array(items) => {
            (4_u8, items.len()).hash(&mut hasher);
            items.for_each(|item| fingerprint(keys, item).hash(&mut hasher));
        }
        View::List(items) => {
            (4_u8, items.len()).hash(&mut hasher);
            items.iter().for_each(|item| fingerprint(keys, item).hash(&mut hasher));
        }
        View::Object(..) | View::Map(_) => {
            // The order of the fields does not matter, so their hashes are added.
            let entries = view.entries().into_iter().flatten();
            (5_u8, entries.fold(0, sum)).hash(&mut hasher);
        }
        view => match view.text() {
            Some((text, _)) => (6_u8, text).hash(&mut hasher),
            None => 0_u8.hash(&mut hasher),
        },
    });
    hasher.finish()
}
