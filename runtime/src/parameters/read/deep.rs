//! Reads the style `deepObject`: `filters[people][age]=1&filters[colors][]=red`.
//!
//! OpenAPI defines one level of nesting. This reader follows common practice for deeper objects and for
//! arrays. The keys of an array's items are `[0]`, `[1]`, …, or `[]`, or the array's own name several times.
//!
//! An object may also be one text of JSON, at any level: `filters[people]={"age":1}`. Clients that know one level
//! of keys, or none, write the rest so.

use std::borrow::Cow;

use super::pairs::Pairs;
use super::shape::{Form, form_of};
use crate::codec::{DecodeError, Entry, Item, JsonReader, Kind, len_before_any, same};
use crate::table::Schema;
use crate::text::{Raw, Source, source_reader};
use crate::validation::resolve::{entry_of, items_of};

/// The maximum nesting of values.
pub(crate) const MAX_DEPTH: usize = 8;

/// The maximum number of keys of one parameter.
pub(crate) const MAX_KEYS: usize = 256;

/// The message for keys that are nested more deeply than [`MAX_DEPTH`], after `must`.
pub(crate) const SHALLOW: &str = "nested at most 8 levels deep";

const _: () = assert!(MAX_DEPTH == 8, "the text above contains the number");

/// The message for malformed keys, after `must be`.
pub(crate) const BRACKETS: &str = "keys in square brackets";

/// The message for a text where an object is expected, after `must be`.
const OBJECT: &str = "keys in square brackets or an object in JSON";

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

impl From<BadKeys> for DecodeError {
    fn from(reason: BadKeys) -> Self {
        match reason {
            BadKeys::TooMany => Self::custom(format!("more than {MAX_KEYS} keys")),
            BadKeys::TooDeep => Self::malformed(SHALLOW),
            BadKeys::Malformed => Self::malformed(BRACKETS),
        }
    }
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

/// Returns the content of the first bracket of a path, and the path after it.
#[inline]
fn bracket(path: &str) -> Option<(&str, &str)> {
    let inside = path.strip_prefix('[')?;
    let (name, behind) = inside.split_at_checked(len_before_any(inside, [b']']))?;
    Some((name, behind.strip_prefix(']')?))
}

/// The keys of one parameter with their values, as a tree of brackets.
///
/// The first step is the parameter itself.
#[derive(Debug, Default)]
pub(crate) struct Keys<'a> {
    steps: Vec<Step<'a>>,
}

/// All keys that begin with the same brackets.
#[derive(Debug, Default)]
struct Step<'a> {
    /// The content of the last of these brackets.
    name: &'a str,
    /// The value of the key that ends here.
    value: Option<Raw<'a>>,
    /// The step with the next value of the same key, or [`NONE`].
    again: usize,
    /// The step of the first of the next brackets, or [`NONE`].
    first: usize,
    /// The step of the last of the next brackets, or [`NONE`].
    last: usize,
    /// The step of the next sibling of this bracket, or [`NONE`].
    next: usize,
}

/// The index of no step; nothing leads to the parameter itself.
const NONE: usize = 0;

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
                // Most keys have at most two brackets of their own.
                keys.steps.reserve(1 + 2 * pairs.iter().len().min(MAX_KEYS));
                keys.steps.push(Step::default());
            }
            count += 1;
            keys.add(path, pair.value)?;
        }
        Ok(keys)
    }

    /// Returns the value of all keys, if there are any.
    pub(crate) fn root(&self, schema: &'static Schema) -> Option<Node<'_>> {
        self.steps.first().map(|step| Node { keys: self, step, known: Known::Schema(Some(schema)) })
    }

    fn get(&self, index: usize) -> Option<&Step<'a>> {
        if index == NONE { None } else { self.steps.get(index) }
    }

    /// Adds a key with its value.
    fn add(&mut self, path: &'a str, value: Raw<'a>) -> Result<(), BadKeys> {
        let (mut rest, mut depth, mut index) = (path, 0, 0);
        while !rest.is_empty() {
            let name;
            (name, rest) = bracket(rest).ok_or(BadKeys::Malformed)?;
            depth += 1;
            if depth <= MAX_DEPTH {
                index = self.step(index, name);
            }
        }
        if depth > MAX_DEPTH {
            return Err(BadKeys::TooDeep);
        }
        self.add_value(index, value);
        Ok(())
    }

    /// Returns the step after the step `outer` with this name, which is added if it is new.
    fn step(&mut self, outer: usize, name: &'a str) -> usize {
        let Some(&Step { first, last, .. }) = self.steps.get(outer) else { return outer };
        // Neighbouring keys usually have the same first brackets.
        if self.get(last).is_some_and(|step| same(step.name, name)) {
            return last;
        }
        let mut index = first;
        while let Some(step) = self.get(index) {
            if same(step.name, name) {
                return index;
            }
            index = step.next;
        }
        let added = self.steps.len();
        self.steps.push(Step { name, ..Step::default() });
        match self.steps.get_mut(last) {
            Some(last) if first != NONE => last.next = added,
            _ => {}
        }
        if let Some(outer) = self.steps.get_mut(outer) {
            outer.last = added;
            if first == NONE {
                outer.first = added;
            }
        }
        added
    }

    /// Adds a value to the step `index`, behind those that it has.
    fn add_value(&mut self, mut index: usize, value: Raw<'a>) {
        let added = self.steps.len();
        while let Some(step) = self.steps.get_mut(index) {
            if step.value.is_none() {
                step.value = Some(value);
                return;
            }
            if step.again == NONE {
                step.again = added;
                break;
            }
            index = step.again;
        }
        self.steps.push(Step { value: Some(value), ..Step::default() });
    }
}

/// The value of all keys that begin with the same brackets.
#[derive(Clone, Copy)]
pub(crate) struct Node<'a> {
    keys: &'a Keys<'a>,
    step: &'a Step<'a>,
    known: Known,
}

/// The schema of a value, as far as it is known. It is only resolved if a later step depends on it.
#[derive(Clone, Copy)]
enum Known {
    /// Its schema.
    Schema(Option<&'static Schema>),
    /// The schema of the object around it.
    Object(Option<&'static Schema>),
}

impl<'a> Node<'a> {
    fn schema(&self) -> Option<&'static Schema> {
        match self.known {
            Known::Schema(schema) => schema,
            Known::Object(schema) => schema.and_then(|schema| entry_of(schema, self.step.name)),
        }
    }

    /// Returns the values that have no further brackets.
    fn leaves(&self) -> impl Iterator<Item = Raw<'a>> {
        let keys = self.keys;
        std::iter::successors(Some(self.step), move |step| keys.get(step.again)).filter_map(|step| step.value)
    }

    /// Returns the values of the next brackets, in the order of the input.
    #[inline]
    fn children(&self, known: Known) -> impl Iterator<Item = Self> {
        let keys = self.keys;
        std::iter::successors(keys.get(self.step.first), move |step| keys.get(step.next))
            .map(move |step| Node { keys, step, known })
    }

    const fn is_leaf(&self) -> bool {
        self.step.first == NONE
    }

    fn looks_like(&self) -> Kind {
        if !self.is_leaf() {
            let is_array = self.children(Known::Schema(None)).all(|child| is_index(child.step.name));
            return if is_array { Kind::Array } else { Kind::Object };
        }
        if self.step.again == NONE { Kind::Text } else { Kind::Array }
    }

    /// Passes a reader of the value to `read`.
    #[inline]
    pub(crate) fn read(self, read: &mut Item<'_>) -> Result<(), DecodeError> {
        match self.json() {
            Some(text) => JsonReader::strict(text.as_bytes()).read_by(read),
            None => read(&mut source_reader(self)),
        }
    }

    /// Reads each value that has no further brackets as an item with this schema.
    fn leaf_items(&self, schema: Option<&'static Schema>, item: &mut Item<'_>) -> Result<(), DecodeError> {
        self.leaves().try_for_each(|value| match json_object(value, || schema) {
            Some(text) => JsonReader::strict(text.as_bytes()).read_by(item),
            None => item(&mut source_reader(value)),
        })
    }

    /// Returns the text of the value if it is an object in JSON.
    #[inline]
    fn json(&self) -> Option<Cow<'a, str>> {
        let text = self.step.value.filter(|_| self.is_leaf() && self.step.again == NONE)?;
        json_object(text, || self.schema())
    }
}

/// Returns a text that is an object in JSON, if its schema describes an object. Any other text is not JSON.
#[inline]
fn json_object(text: Raw<'_>, schema: impl FnOnce() -> Option<&'static Schema>) -> Option<Cow<'_, str>> {
    // Few texts begin so. Only for these, the schema is looked up.
    if !matches!(text.bytes(), [b'{' | b'%', ..]) {
        return None;
    }
    let text = text.decode().ok().filter(|text| text.starts_with('{'))?;
    (schema().map(form_of) == Some(Form::Object)).then_some(text)
}

fn is_index(step: &str) -> bool {
    step.bytes().all(|byte| byte.is_ascii_digit())
}

impl Source for Node<'_> {
    fn kind(&self) -> Kind {
        let looks_like = self.looks_like();
        match (self.schema().map_or(Form::Open, form_of), looks_like) {
            (Form::Object, Kind::Array) => Kind::Object,
            // A single value may be an array with one item.
            (Form::Array, Kind::Text) => Kind::Array,
            // A repeated value is reported as repeated, not as a value of another type.
            (Form::Scalar, Kind::Array) if self.is_leaf() => Kind::Text,
            _ => looks_like,
        }
    }

    fn text(&self) -> Result<Cow<'_, str>, DecodeError> {
        match self.step.value {
            _ if !self.is_leaf() => Err(DecodeError::wrong_kind("a single value", self.looks_like())),
            Some(value) if self.step.again == NONE => Ok(value.decode()?),
            _ => Err(DecodeError::duplicate(self.step.name)),
        }
    }

    fn items(&self, item: &mut Item<'_>) -> Result<(), DecodeError> {
        let schema = self.schema().and_then(items_of);
        self.leaf_items(schema, item)?;
        for child in self.children(Known::Schema(schema)) {
            if !is_index(child.step.name) {
                return Err(DecodeError::wrong_kind("an array", Kind::Object));
            }
            // `[]` has no number to distinguish its items, so each value is an item.
            if child.step.name.is_empty() && child.is_leaf() {
                child.leaf_items(schema, item)?;
            } else {
                child.read(item)?;
            }
        }
        Ok(())
    }

    fn entries(&self, entry: &mut Entry<'_>) -> Result<(), DecodeError> {
        if self.step.value.is_some() {
            return Err(DecodeError::malformed(OBJECT));
        }
        let mut fields = self.children(Known::Object(self.schema()));
        fields.try_for_each(|child| child.read(&mut |reader| entry(child.step.name, reader)))
    }
}
