//! Reading `deepObject`: `filters[people][age]=1&filters[colors][]=red`.
//!
//! OpenAPI defines one level of it; objects and arrays nest here as it is custom: an array's items stand under
//! `[0]`, `[1]`, …, under `[]`, or under the array's own name several times.

use std::borrow::Cow;

use super::pairs::Pairs;
use super::raw::Raw;
use super::shape::{Form, entry_of, form_of, items_of};
use super::source::{Of, Source};
use crate::codec::{Entry, Fault, Item, Kind};
use crate::table::Schema;

/// How deeply values may be nested.
pub(crate) const MAX_DEPTH: usize = 8;

/// How many keys one parameter may have.
pub(crate) const MAX_KEYS: usize = 256;

/// Why keys can't be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BadKeys {
    /// Too many.
    TooMany,
    /// Nested too deeply.
    TooDeep,
    /// Not `name[key][key]`.
    Malformed,
}

impl From<BadKeys> for Fault {
    fn from(reason: BadKeys) -> Self {
        match reason {
            BadKeys::TooMany => Self::custom("more keys than are read"),
            BadKeys::TooDeep => Self::custom("nested too deeply"),
            BadKeys::Malformed => Self::malformed("keys in square brackets"),
        }
    }
}

/// The keys of one parameter.
#[derive(Debug)]
pub(crate) struct Keys<'a>(Vec<Key<'a>>);

#[derive(Debug)]
struct Key<'a> {
    /// What follows the parameter's name: `[people][age]`.
    path: &'a str,
    value: Raw<'a>,
}

/// Whether there is a key of the parameter `name`.
pub(crate) fn has_keys(pairs: &Pairs<'_>, name: &str) -> bool {
    pairs.iter().any(|pair| is_key(&pair.name, name))
}

/// Whether this is a key of the parameter `name`.
pub(crate) fn is_key(key: &str, name: &str) -> bool {
    path(key, name).is_some()
}

/// What follows the parameter's name in one of its keys. A name may end in `[]` itself.
fn path<'a>(key: &'a str, name: &str) -> Option<&'a str> {
    key.strip_prefix(name).filter(|path| path.is_empty() || path.starts_with('['))
}

impl<'a> Keys<'a> {
    pub(crate) fn of(pairs: &'a Pairs<'a>, name: &str) -> Result<Self, BadKeys> {
        let mut keys = Vec::new();
        for pair in pairs.iter() {
            let Some(path) = path(&pair.name, name) else { continue };
            if keys.len() == MAX_KEYS {
                return Err(BadKeys::TooMany);
            }
            let depth = depth(path).ok_or(BadKeys::Malformed)?;
            if depth > MAX_DEPTH {
                return Err(BadKeys::TooDeep);
            }
            keys.push(Key { path, value: pair.value });
        }
        Ok(Self(keys))
    }

    pub(crate) fn root(&self, schema: &'static Schema) -> Node<'_> {
        Node { keys: &self.0, prefix: "", schema: Some(schema) }
    }
}

/// How many brackets a path has; none if it has anything else.
fn depth(mut path: &str) -> Option<usize> {
    let mut depth = 0;
    while !path.is_empty() {
        (_, path) = segment(path)?;
        depth += 1;
    }
    Some(depth)
}

/// The first bracket's content, and what follows it.
fn segment(path: &str) -> Option<(&str, &str)> {
    path.strip_prefix('[')?.split_once(']')
}

/// The value of all keys that begin with `prefix`.
pub(crate) struct Node<'a> {
    keys: &'a [Key<'a>],
    prefix: &'a str,
    schema: Option<&'static Schema>,
}

impl<'a> Node<'a> {
    /// The values that stand right here.
    fn leaves(&self) -> impl Iterator<Item = Raw<'a>> {
        self.keys.iter().filter(|key| key.path == self.prefix).map(|key| key.value)
    }

    /// The keys that go on from here: the next step, and the whole way to its end.
    fn steps(&self) -> impl Iterator<Item = (&'a str, &'a str)> + Clone {
        self.keys.iter().filter_map(|key| {
            let rest = key.path.strip_prefix(self.prefix)?;
            let (step, behind) = segment(rest)?;
            Some((step, key.path.get(..key.path.len() - behind.len())?))
        })
    }

    /// The children, each once, in the order of the input.
    fn children(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        let steps = self.steps();
        let is_first =
            move |(index, step): &(usize, (&str, &str))| !steps.clone().take(*index).any(|s| s == *step);
        self.steps().enumerate().filter(is_first).map(|(_, step)| step)
    }

    fn child(&self, prefix: &'a str, schema: Option<&'static Schema>) -> Node<'a> {
        Node { keys: self.keys, prefix, schema }
    }

    fn looks_like(&self) -> Kind {
        let mut steps = self.steps().peekable();
        if steps.peek().is_some() {
            return if steps.all(|(step, _)| is_index(step)) { Kind::Array } else { Kind::Object };
        }
        if self.leaves().nth(1).is_some() { Kind::Array } else { Kind::Text }
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
            // A single value may be an array of one.
            (Form::Array, Kind::Text) => Kind::Array,
            // A value that is given several times is told as that, not as a value of another type.
            (Form::Scalar, Kind::Array) if self.steps().next().is_none() => Kind::Text,
            _ => looks_like,
        }
    }

    fn text(&self) -> Result<Cow<'_, str>, Fault> {
        let mut leaves = self.leaves();
        match (leaves.next(), leaves.next(), self.steps().next()) {
            (Some(value), None, None) => Ok(value.decode()?),
            (Some(_), Some(_), None) => Err(Fault::duplicate(self.prefix)),
            _ => Err(Fault::wrong_kind("a single value", self.looks_like())),
        }
    }

    fn items(&self, item: &mut Item<'_>) -> Result<(), Fault> {
        let schema = self.schema.and_then(items_of);
        self.leaves().try_for_each(|value| item(&mut Of(value)))?;
        for (step, prefix) in self.children() {
            if !is_index(step) {
                return Err(Fault::wrong_kind("an array", Kind::Object));
            }
            let child = self.child(prefix, schema);
            // `[]` has no number that would tell its items apart: each value is one.
            if step.is_empty() && child.steps().next().is_none() {
                child.leaves().try_for_each(|value| item(&mut Of(value)))?;
            } else {
                item(&mut Of(child))?;
            }
        }
        Ok(())
    }

    fn entries(&self, entry: &mut Entry<'_>) -> Result<(), Fault> {
        if self.leaves().next().is_some() {
            return Err(Fault::wrong_kind("an object", Kind::Text));
        }
        for (step, prefix) in self.children() {
            let schema = self.schema.and_then(|schema| entry_of(schema, step));
            entry(step, &mut Of(self.child(prefix, schema)))?;
        }
        Ok(())
    }
}
