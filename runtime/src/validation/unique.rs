//! Uniqueness: whether an array contains equal items.
//!
//! Items are compared as JSON values: numbers by value, objects regardless of the order of their fields. Each
//! item is hashed first. Only items with equal hashes are compared in full.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::codec::{Encode, Entries, Writer, to_value};
use crate::types::{Bytes, Value};

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
        (Value::Number(one), Value::Number(other)) => Canonical::of(one) == Canonical::of(other),
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

/// A number in canonical form: equal numbers have equal forms.
#[derive(PartialEq, Eq, Hash)]
enum Canonical {
    Integer(i128),
    Float(u64),
}

impl Canonical {
    fn of(number: &serde_json::Number) -> Self {
        match number.as_i128() {
            Some(integer) => Self::Integer(integer),
            None => Self::float(number.as_f64().unwrap_or(f64::NAN)),
        }
    }

    fn float(number: f64) -> Self {
        // Such an integral number converts to `i128` exactly.
        if number.fract() == 0.0 && number.abs() < 1e38 {
            Self::Integer(number as i128)
        } else {
            Self::Float(number.to_bits())
        }
    }
}

/// Returns a hash of the JSON value that `value` encodes.
fn fingerprint(value: &dyn Encode) -> u64 {
    let mut writer = Fingerprint(0);
    value.encode(&mut writer);
    writer.0
}

/// A writer that keeps only a hash.
struct Fingerprint(u64);

impl Fingerprint {
    /// Sets the hash. `kind` separates values of different kinds.
    fn set(&mut self, kind: u8, content: impl Hash) {
        let mut hasher = DefaultHasher::new();
        (kind, content).hash(&mut hasher);
        self.0 = hasher.finish();
    }
}

/// Returns the hash of a field.
///
/// An object adds up the hashes of its fields, so that their order does not matter.
fn entry(name: &str, value: &dyn Encode) -> u64 {
    let mut hasher = DefaultHasher::new();
    (name, fingerprint(value)).hash(&mut hasher);
    hasher.finish()
}

impl Writer for Fingerprint {
    fn null(&mut self) {
        self.set(0, ());
    }

    fn boolean(&mut self, value: bool) {
        self.set(1, value);
    }

    fn i64(&mut self, value: i64) {
        self.set(2, Canonical::Integer(value.into()));
    }

    fn u64(&mut self, value: u64) {
        self.set(2, Canonical::Integer(value.into()));
    }

    fn f64(&mut self, value: f64) {
        self.set(2, Canonical::float(value));
    }

    fn str(&mut self, value: &str) {
        self.set(3, value);
    }

    fn bytes(&mut self, value: &Bytes) {
        self.set(4, value);
    }

    fn array(&mut self, items: &mut dyn ExactSizeIterator<Item = &dyn Encode>) {
        let mut hasher = DefaultHasher::new();
        for item in items {
            fingerprint(item).hash(&mut hasher);
        }
        self.set(5, hasher.finish());
    }

    fn object(&mut self, fields: &[(&'static str, &dyn Encode)], rest: Option<&mut Entries<'_>>) {
        let mut sum = fields
            .iter()
            .filter(|(_, value)| !value.is_absent())
            .fold(0_u64, |sum, (name, value)| sum.wrapping_add(entry(name, *value)));
        for (name, value) in rest.into_iter().flatten() {
            sum = sum.wrapping_add(entry(name, value));
        }
        self.set(6, sum);
    }

    fn variant(&mut self, _index: usize, value: &dyn Encode) {
        value.encode(self);
    }

    fn choice(&mut self, _index: usize, value: &dyn Encode) {
        value.encode(self);
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.null(),
            Value::Bool(value) => self.boolean(*value),
            Value::Number(value) => self.set(2, Canonical::of(value)),
            Value::String(value) => self.str(value),
            Value::Array(items) => self.array(&mut items.iter().map(|item| item as &dyn Encode)),
            Value::Object(entries) => {
                let sum =
                    entries.iter().fold(0_u64, |sum, (name, value)| sum.wrapping_add(entry(name, value)));
                self.set(6, sum);
            }
        }
    }
}
