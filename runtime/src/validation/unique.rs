//! Uniqueness: whether an array contains equal items.
//!
//! Items are compared as JSON values: numbers by value, objects regardless of the order of their fields. Each
//! item is hashed first. Only items with equal hashes are compared in full.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::view::{View, number, view};
use crate::codec::{Encode, to_value};
use crate::types::Value;

/// The maximum number of items that are compared without allocating.
const FEW: usize = 64;

/// Returns whether no two items are equal.
pub fn all_differ(items: &mut dyn ExactSizeIterator<Item = &dyn Encode>) -> bool {
    if items.len() > FEW { many_differ(items) } else { few_differ(items) }
}

/// Compares every item with those before it, which are in a fixed-size array.
fn few_differ<'a>(items: &mut dyn ExactSizeIterator<Item = &'a dyn Encode>) -> bool {
    let mut seen: [Option<(u64, &'a dyn Encode)>; FEW] = [None; FEW];
    for (index, item) in items.enumerate().take(FEW) {
        let hash = fingerprint(item);
        let twice = seen.iter().take(index).flatten().any(|(other, it)| *other == hash && alike(*it, item));
        if twice {
            return false;
        }
        if let Some(place) = seen.get_mut(index) {
            *place = Some((hash, item));
        }
    }
    true
}

/// Sorts the items by hash, so that equal items are adjacent.
fn many_differ<'a>(items: &mut dyn ExactSizeIterator<Item = &'a dyn Encode>) -> bool {
    let mut seen: Vec<(u64, &'a dyn Encode)> = items.map(|item| (fingerprint(item), item)).collect();
    seen.sort_unstable_by_key(|(hash, _)| *hash);
    seen.chunk_by(|(one, _), (other, _)| one == other).all(|group| {
        group
            .iter()
            .enumerate()
            .all(|(index, (_, item))| !group.iter().take(index).any(|(_, other)| alike(*other, *item)))
    })
}

fn alike(one: &dyn Encode, other: &dyn Encode) -> bool {
    same(&to_value(one), &to_value(other))
}

/// Returns whether two values are the same JSON value.
pub fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => number(one) == number(other),
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

/// Returns a hash of the JSON value that `value` encodes.
fn fingerprint(value: &dyn Encode) -> u64 {
    let mut hasher = DefaultHasher::new();
    view(value, |view| match view {
        View::Null | View::Stream | View::Choice(..) => {}
        View::Boolean(value) => value.hash(&mut hasher),
        View::Number(value, _) => value.to_f64().to_bits().hash(&mut hasher),
        View::Text(value, _) => value.hash(&mut hasher),
        View::Array(items) => items.for_each(|item| fingerprint(item).hash(&mut hasher)),
        View::List(items) => items.iter().for_each(|item| fingerprint(item).hash(&mut hasher)),
        View::Object(fields, rest) => {
            let fields = fields.iter().filter(|(_, value)| !value.is_absent());
            let fields = fields.map(|(name, value)| entry(name, *value));
            let rest = rest.into_iter().flatten().map(|(name, value)| entry(name, value));
            fields.chain(rest).fold(0, u64::wrapping_add).hash(&mut hasher);
        }
        View::Map(map) => {
            map.iter().map(|(name, value)| entry(name, value)).fold(0, u64::wrapping_add).hash(&mut hasher);
        }
    });
    hasher.finish()
}

/// Returns the hash of a field.
///
/// An object adds up the hashes of its fields, so that their order does not matter.
fn entry(name: &str, value: &dyn Encode) -> u64 {
    let mut hasher = DefaultHasher::new();
    (name, fingerprint(value)).hash(&mut hasher);
    hasher.finish()
}
