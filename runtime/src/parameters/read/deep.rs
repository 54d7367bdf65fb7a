//! Reads the style `deepObject`: `filters[people][age]=1&filters[colors][]=red`.
//!
//! OpenAPI defines one level of nesting. This reader follows common practice for deeper objects and for
//! arrays. The keys of an array's items are `[0]`, `[1]`, …, or `[]`, or the array's own name several times.

use std::borrow::Cow;

use super::pairs::Pairs;
use super::raw::Raw;
use super::shape::{Form, entry_of, form_of, items_of, object_of};
use super::source::{Of, Source};
use crate::codec::{Entry, Fault, Fill, Item, Kind, Rest, fill_field, index_of, len_before_any, same};
use crate::table::Schema;

/// The maximum nesting of values.
pub(crate) const MAX_DEPTH: usize = 8;

/// The maximum number of keys of one parameter.
pub(crate) const MAX_KEYS: usize = 256;

/// The reason why the keys of a parameter can't be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BadKeys {
    /// There are more than [`MAX_KEYS`] keys.
    TooMany,
    /// A key is nested more deeply than [`MAX_DEPTH`].
    TooDeep,
    /// A key does not have the form `name[key][key]`.
    Malformed,
}

impl From<BadKeys> for Fault {
    fn from(reason: BadKeys) -> Self {
        match reason {
            BadKeys::TooMany => Self::custom(format!("more than {MAX_KEYS} keys")),
            BadKeys::TooDeep => Self::custom("nested too deeply"),
            BadKeys::Malformed => Self::malformed("keys in square brackets"),
        }
    }
}

/// Returns whether there is a key of the parameter `name`.
pub(crate) fn has_keys(pairs: &Pairs<'_>, name: &str) -> bool {
    pairs.iter().any(|pair| is_key(&pair.name, name))
}

/// Returns whether `key` is a key of the parameter `name`.
pub(crate) fn is_key(key: &str, name: &str) -> bool {
    path(key, name).is_some()
}

/// Returns the brackets after the parameter's name in one of its keys.
///
/// The name itself may end with `[]`.
#[inline]
fn path<'a>(key: &'a str, name: &str) -> Option<&'a str> {
    let (front, path) = key.split_at_checked(name.len())?;
    (same(front, name) && (path.is_empty() || path.starts_with('['))).then_some(path)
}

/// Returns the first bracket of a path, with its `[` and `]`.
#[inline]
fn bracket(path: &str) -> Option<&str> {
    let end = len_before_any(path, [b']']);
    if path.starts_with('[') { path.get(..=end) } else { None }
}

/// A key of a parameter, and one value.
#[derive(Debug, Clone, Copy)]
struct Key<'a> {
    /// The brackets after the parameter's name.
    path: &'a str,
    value: Raw<'a>,
}

impl<'a> Key<'a> {
    /// Returns the bracket at `start`, or `None` if the path ends there.
    #[inline]
    fn bracket(&self, start: usize) -> Option<&'a str> {
        self.path.get(start..).and_then(bracket)
    }

    /// Returns whether this bracket is at `start`.
    #[inline]
    fn has(&self, bracket: &str, start: usize) -> bool {
        self.path.get(start..).is_some_and(|path| path.starts_with(bracket))
    }
}

/// The keys of one parameter.
///
/// Keys that begin with the same brackets are adjacent. So a value inside is a part of the list.
#[derive(Debug, Default)]
pub(crate) struct Keys<'a>(Vec<Key<'a>>);

impl<'a> Keys<'a> {
    /// Collects the keys of the parameter `name`.
    pub(crate) fn of(pairs: &'a Pairs<'a>, name: &str) -> Result<Self, BadKeys> {
        let mut keys = Vec::new();
        for pair in pairs.iter() {
            let Some(path) = path(&pair.name, name) else { continue };
            if keys.len() == MAX_KEYS {
                return Err(BadKeys::TooMany);
            }
            if keys.is_empty() {
                keys.reserve(pairs.iter().len().min(MAX_KEYS));
            }
            check_path(path)?;
            keys.push(Key { path, value: pair.value });
        }
        gather(&mut keys, 0);
        Ok(Self(keys))
    }

    /// Returns the value of all keys, if there are any.
    pub(crate) fn root(&self, schema: &'static Schema) -> Option<Node<'_>> {
        let keys = self.0.as_slice();
        (!keys.is_empty()).then_some(Node { name: "", keys, start: 0, schema: Some(schema) })
    }
}

/// Checks that a path consists of brackets, and not of too many.
#[inline]
fn check_path(path: &str) -> Result<(), BadKeys> {
    let (mut rest, mut depth) = (path, 0);
    while !rest.is_empty() {
        let bracket = bracket(rest).ok_or(BadKeys::Malformed)?;
        rest = rest.get(bracket.len()..).unwrap_or_default();
        depth += 1;
    }
    if depth > MAX_DEPTH { Err(BadKeys::TooDeep) } else { Ok(()) }
}

/// Moves keys with the same brackets together, to the first of them.
///
/// All keys have the same brackets up to `start`.
fn gather(keys: &mut [Key<'_>], start: usize) {
    let mut rest = keys;
    // Two keys are always together.
    while rest.len() > 2
        && let Some(first) = rest.first()
    {
        let mut count = 1;
        if let Some(bracket) = first.bracket(start) {
            for at in 1..rest.len() {
                if rest.get(at).is_some_and(|key| key.has(bracket, start)) {
                    rest.get_mut(count..=at).unwrap_or_default().rotate_right(1);
                    count += 1;
                }
            }
            gather(rest.get_mut(..count).unwrap_or_default(), start + bracket.len());
        }
        rest = rest.get_mut(count..).unwrap_or_default();
    }
}

/// The value of all keys that begin with the same brackets.
#[derive(Clone, Copy)]
pub(crate) struct Node<'a> {
    /// The content of the last of these brackets.
    name: &'a str,
    keys: &'a [Key<'a>],
    /// The length of these brackets.
    start: usize,
    schema: Option<&'static Schema>,
}

impl<'a> Node<'a> {
    /// Returns the values that have no further brackets.
    fn leaves(&self) -> impl Iterator<Item = Raw<'a>> {
        let start = self.start;
        self.keys.iter().filter(move |key| key.path.len() == start).map(|key| key.value)
    }

    /// Returns the values of the next brackets, in the order of the input and without their schemas.
    fn children(&self) -> impl Iterator<Item = Self> {
        let (mut rest, start) = (self.keys, self.start);
        std::iter::from_fn(move || {
            loop {
                let (first, behind) = rest.split_first()?;
                let Some(bracket) = first.bracket(start) else {
                    rest = behind;
                    continue;
                };
                let count = 1 + behind.iter().take_while(|key| key.has(bracket, start)).count();
                let keys;
                (keys, rest) = rest.split_at_checked(count)?;
                let name = bracket.get(1..bracket.len() - 1)?;
                return Some(Node { name, keys, start: start + bracket.len(), schema: None });
            }
        })
    }

    fn is_leaf(&self) -> bool {
        self.children().next().is_none()
    }

    fn looks_like(&self) -> Kind {
        if !self.is_leaf() {
            let is_array = self.children().all(|child| is_index(child.name));
            return if is_array { Kind::Array } else { Kind::Object };
        }
        if self.keys.len() > 1 { Kind::Array } else { Kind::Text }
    }

    /// Checks that no value is given where the fields of an object are expected.
    fn check_object(&self) -> Result<(), Fault> {
        if self.leaves().next().is_some() { Err(Fault::wrong_kind("an object", Kind::Text)) } else { Ok(()) }
    }
}

fn is_index(step: &str) -> bool {
    step.bytes().all(|byte| byte.is_ascii_digit())
}

impl Source for Node<'_> {
    fn kind(&self) -> Kind {
        let looks_like = self.looks_like();
        match (self.schema.map_or(Form::Open, form_of), looks_like) {
            (Form::Object, Kind::Array) => Kind::Object,
            // A single value may be an array with one item.
            (Form::Array, Kind::Text) => Kind::Array,
            // A repeated value is reported as repeated, not as a value of another type.
            (Form::Scalar, Kind::Array) if self.is_leaf() => Kind::Text,
            _ => looks_like,
        }
    }

    fn text(&self) -> Result<Cow<'_, str>, Fault> {
        match self.keys {
            [key] if key.path.len() == self.start => Ok(key.value.decode()?),
            _ if self.is_leaf() => Err(Fault::duplicate(self.name)),
            _ => Err(Fault::wrong_kind("a single value", self.looks_like())),
        }
    }

    fn items(&self, item: &mut Item<'_>) -> Result<(), Fault> {
        let schema = self.schema.and_then(items_of);
        self.leaves().try_for_each(|value| item(&mut Of(value)))?;
        for child in self.children() {
            if !is_index(child.name) {
                return Err(Fault::wrong_kind("an array", Kind::Object));
            }
            // `[]` has no number to distinguish its items, so each value is an item.
            if child.name.is_empty() && child.is_leaf() {
                child.leaves().try_for_each(|value| item(&mut Of(value)))?;
            } else {
                item(&mut Of(Node { schema, ..child }))?;
            }
        }
        Ok(())
    }

    fn entries(&self, entry: &mut Entry<'_>) -> Result<(), Fault> {
        self.check_object()?;
        for child in self.children() {
            let schema = self.schema.and_then(|schema| entry_of(schema, child.name));
            entry(child.name, &mut Of(Node { schema, ..child }))?;
        }
        Ok(())
    }

    /// Finds the schema of a field at the position of its slot, because models have the fields of their rows.
    fn object(
        &self,
        names: &[&'static str],
        slots: &mut [&mut dyn Fill],
        rest: &mut Rest<'_>,
    ) -> Result<(), Fault> {
        self.check_object()?;
        let fields = self.schema.and_then(object_of).map_or(&[][..], |object| object.fields);
        let mut next = 0;
        for child in self.children() {
            next = index_of(names, child.name, next).unwrap_or(next);
            let field = fields.get(next).filter(|field| same(field.name, child.name));
            let schema = match field {
                Some(field) => Some(field.schema),
                None => self.schema.and_then(|schema| entry_of(schema, child.name)),
            };
            next = fill_field(&mut Of(Node { schema, ..child }), child.name, names, slots, rest, next)?;
        }
        Ok(())
    }
}
