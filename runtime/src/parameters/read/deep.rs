//! Reads the style `deepObject`: `filters[people][age]=1&filters[colors][]=red`.
//!
//! OpenAPI defines one level of nesting. This reader follows common practice for deeper objects and for
//! arrays. The keys of an array's items are `[0]`, `[1]`, …, or `[]`, or the array's own name several times.

use std::borrow::Cow;

use super::pairs::Pairs;
use super::raw::Raw;
use super::shape::{Form, entry_of, form_of, items_of};
use super::source::{Of, Source};
use crate::codec::{Entry, Fault, Item, Kind, same};
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

/// Returns the content of the first bracket and the remaining path.
fn segment(path: &str) -> Option<(&str, &str)> {
    let path = path.strip_prefix('[')?;
    let end = path.bytes().position(|byte| byte == b']')?;
    Some((path.get(..end)?, path.get(end + 1..)?))
}

/// The keys of one parameter, merged into a tree.
#[derive(Debug, Default)]
pub(crate) struct Keys<'a> {
    /// The nodes of the tree, which refer to each other by index; the root is first.
    steps: Vec<Step<'a>>,
}

/// A node of the tree: the root, or the target of one bracket.
#[derive(Debug, Default)]
struct Step<'a> {
    /// The content of the bracket.
    name: &'a str,
    /// The first value of this key.
    value: Option<Raw<'a>>,
    /// The other values of this key.
    more: Vec<Raw<'a>>,
    /// The index of the first child; 0 if there is none.
    first: usize,
    /// The index of the last child; 0 if there is none.
    last: usize,
    /// The index of the next sibling; 0 if there is none.
    next: usize,
}

impl<'a> Keys<'a> {
    /// Collects the keys of the parameter `name`.
    pub(crate) fn of(pairs: &'a Pairs<'a>, name: &str) -> Result<Self, BadKeys> {
        let mut keys = Self::default();
        let mut count = 0;
        for pair in pairs.iter() {
            let Some(path) = path(&pair.name, name) else { continue };
            if count == MAX_KEYS {
                return Err(BadKeys::TooMany);
            }
            if count == 0 {
                keys.steps.reserve(pairs.iter().len().min(MAX_KEYS));
                keys.steps.push(Step::default());
            }
            count += 1;
            keys.insert(path, pair.value)?;
        }
        Ok(keys)
    }

    /// Returns the value of all keys, if there are any.
    pub(crate) fn root(&self, schema: &'static Schema) -> Option<Node<'_>> {
        self.steps.first().map(|step| Node { keys: self, step, schema: Some(schema) })
    }

    fn insert(&mut self, path: &'a str, value: Raw<'a>) -> Result<(), BadKeys> {
        let (mut place, mut rest, mut depth) = (0, path, 0);
        while !rest.is_empty() {
            let (name, behind) = segment(rest).ok_or(BadKeys::Malformed)?;
            depth += 1;
            if depth <= MAX_DEPTH {
                place = self.child(place, name);
            }
            rest = behind;
        }
        if depth > MAX_DEPTH {
            return Err(BadKeys::TooDeep);
        }
        if let Some(step) = self.steps.get_mut(place) {
            match step.value {
                None => step.value = Some(value),
                Some(_) => step.more.push(value),
            }
        }
        Ok(())
    }

    /// Returns the child `name` of `parent`, and creates it if needed.
    fn child(&mut self, parent: usize, name: &'a str) -> usize {
        let Some(Step { first, last, .. }) = self.steps.get(parent) else { return parent };
        let (mut place, last) = (*first, *last);
        // The keys of one object are usually adjacent.
        if self.step(last).is_some_and(|step| same(step.name, name)) {
            return last;
        }
        while let Some(step) = self.step(place) {
            if same(step.name, name) {
                return place;
            }
            place = step.next;
        }
        let new = self.steps.len();
        self.steps.push(Step { name, ..Step::default() });
        if let Some(last) = self.steps.get_mut(last).filter(|_| last != 0) {
            last.next = new;
        }
        if let Some(parent) = self.steps.get_mut(parent) {
            parent.last = new;
            if parent.first == 0 {
                parent.first = new;
            }
        }
        new
    }

    /// Returns the node at this index, or `None` for 0, which means "no node".
    fn step(&self, place: usize) -> Option<&Step<'a>> {
        if place == 0 { None } else { self.steps.get(place) }
    }
}

/// The value of all keys under one node.
pub(crate) struct Node<'a> {
    keys: &'a Keys<'a>,
    step: &'a Step<'a>,
    schema: Option<&'static Schema>,
}

impl<'a> Node<'a> {
    /// Returns the values of the key of this node itself.
    fn leaves(&self) -> impl Iterator<Item = Raw<'a>> {
        self.step.value.into_iter().chain(self.step.more.iter().copied())
    }

    /// Returns the children, in the order of the input.
    fn steps(&self) -> impl Iterator<Item = &'a Step<'a>> {
        let keys = self.keys;
        std::iter::successors(keys.step(self.step.first), |step| keys.step(step.next))
    }

    fn child(&self, step: &'a Step<'a>, schema: Option<&'static Schema>) -> Self {
        Node { keys: self.keys, step, schema }
    }

    fn is_leaf(&self) -> bool {
        self.step.first == 0
    }

    fn looks_like(&self) -> Kind {
        if !self.is_leaf() {
            return if self.steps().all(|step| is_index(step.name)) { Kind::Array } else { Kind::Object };
        }
        if self.step.more.is_empty() { Kind::Text } else { Kind::Array }
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
        match self.step.value {
            Some(value) if self.is_leaf() && self.step.more.is_empty() => Ok(value.decode()?),
            Some(_) if self.is_leaf() => Err(Fault::duplicate(self.step.name)),
            _ => Err(Fault::wrong_kind("a single value", self.looks_like())),
        }
    }

    fn items(&self, item: &mut Item<'_>) -> Result<(), Fault> {
        let schema = self.schema.and_then(items_of);
        self.leaves().try_for_each(|value| item(&mut Of(value)))?;
        for step in self.steps() {
            if !is_index(step.name) {
                return Err(Fault::wrong_kind("an array", Kind::Object));
            }
            let child = self.child(step, schema);
            // `[]` has no number to distinguish its items, so each value is an item.
            if step.name.is_empty() && child.is_leaf() {
                child.leaves().try_for_each(|value| item(&mut Of(value)))?;
            } else {
                item(&mut Of(child))?;
            }
        }
        Ok(())
    }

    fn entries(&self, entry: &mut Entry<'_>) -> Result<(), Fault> {
        if self.step.value.is_some() {
            return Err(Fault::wrong_kind("an object", Kind::Text));
        }
        for step in self.steps() {
            let schema = self.schema.and_then(|schema| entry_of(schema, step.name));
            entry(step.name, &mut Of(self.child(step, schema)))?;
        }
        Ok(())
    }
}
