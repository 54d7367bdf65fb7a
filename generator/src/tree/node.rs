//! The tree of a document: the JSON data model, in the order of the text.

use std::collections::{BTreeSet, HashSet};

use super::{Number, Object, Range, span::Location};

/// A node of a document.
///
/// Nodes are equal if their values are.
#[derive(Debug, Clone)]
pub struct Node {
    pub(crate) id: NodeId,
    /// Its source location, if the document has a text.
    pub(crate) location: Option<Location>,
    pub(crate) value: Value,
}

// A large document has a million nodes.
const _: () = assert!(size_of::<Node>() <= 64, "a node has become larger");

/// The identity of a node.
///
/// The nodes of a document are numbered from 0, file by file, depth first in the order of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct NodeId(pub(crate) u32);

impl NodeId {
    /// The first of the ids above those of any document.
    ///
    /// Overlays have them, and the nodes that they add until the document is numbered anew.
    pub(crate) const TEMPORARY: Self = Self(1 << 31);

    pub(crate) fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

/// The value of a node.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// `null`.
    Null,
    /// A boolean.
    Boolean(bool),
    /// A number.
    Number(Number),
    /// A string.
    String(String),
    /// An array.
    Array(Vec<Node>),
    /// An object.
    Object(Object),
}

impl Value {
    /// Returns the text of a scalar that is not null.
    pub(crate) fn as_written(&self) -> Option<String> {
        match self {
            Self::String(text) => Some(text.clone()),
            Self::Number(number) => Some(number.text()),
            Self::Boolean(value) => Some(value.to_string()),
            Self::Null | Self::Array(_) | Self::Object(_) => None,
        }
    }
}

/// A node that is borrowed from its document.
pub type NodeRef<'d> = &'d Node;

/// Returns a number as an integer, if it is one (`1.0` is 1).
///
/// An `f64` is the shortest decimal number, as it is written: `1e23` is no 99999999999999991611392.
pub(crate) fn whole(number: &serde_json::Number) -> Option<i128> {
    let exact = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
    exact.or_else(|| number.as_f64().filter(|float| float.fract() == 0.0)?.to_string().parse().ok())
}

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl Node {
    /// Returns what identifies the node in its document.
    pub fn id(&self) -> NodeId {
        self.id
    }

    pub(crate) fn location(&self) -> Option<Location> {
        self.location
    }

    /// Returns the source location: that of a scalar's value, or else of the field name.
    ///
    /// `None` if the document has no text.
    pub fn range(&self) -> Option<Range> {
        self.location.map(|location| location.value.range())
    }

    /// Returns the value.
    pub fn value(&self) -> &Value {
        &self.value
    }

    fn object(&self) -> Option<&Object> {
        if let Value::Object(object) = &self.value { Some(object) } else { None }
    }

    /// Returns the value of a field, if this is an object that has it.
    pub fn get(&self, name: &str) -> Option<&Self> {
        self.object()?.get(name)
    }

    /// Returns the fields of an object in the order of the text.
    ///
    /// Empty for any other node.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = (&str, &Self)> + ExactSizeIterator + Clone {
        let entries = self.object().map_or(&[][..], Object::fields);
        entries.iter().map(|(name, node)| (name.as_str(), node))
    }

    /// Returns the items of an array. Empty for any other node.
    pub fn items(&self) -> &[Self] {
        if let Value::Array(items) = &self.value { items } else { &[] }
    }

    /// Returns the string, if this is one.
    pub fn as_str(&self) -> Option<&str> {
        if let Value::String(text) = &self.value { Some(text) } else { None }
    }

    /// Returns the text of a scalar in a position where a string is expected.
    ///
    /// A number is the text as it is written: `1.10` and not `1.1`.
    pub fn as_written(&self) -> Option<String> {
        self.value.as_written()
    }

    /// Returns the boolean, if this is one.
    pub fn as_bool(&self) -> Option<bool> {
        if let Value::Boolean(value) = self.value { Some(value) } else { None }
    }

    /// Returns the number, if this is a non-negative integer (`1.0` is 1).
    pub fn as_u64(&self) -> Option<u64> {
        self.as_i128().and_then(|value| u64::try_from(value).ok())
    }

    /// Returns the number, if this is an integer (`1.0` is 1).
    pub fn as_i128(&self) -> Option<i128> {
        if let Value::Number(number) = &self.value { whole(number) } else { None }
    }

    /// Returns the number, if this is one.
    pub fn as_f64(&self) -> Option<f64> {
        if let Value::Number(number) = &self.value { number.as_f64() } else { None }
    }

    /// Returns whether this is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self.value, Value::Null)
    }

    /// Returns whether this is an object.
    pub fn is_object(&self) -> bool {
        matches!(self.value, Value::Object(_))
    }

    /// Returns whether this is an array.
    pub fn is_array(&self) -> bool {
        matches!(self.value, Value::Array(_))
    }

    /// Returns the type of the node with its article, for messages: `an object`.
    pub fn kind_name(&self) -> &'static str {
        match &self.value {
            Value::Null => "null",
            Value::Boolean(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::String(_) => "a string",
            Value::Array(_) => "an array",
            Value::Object(_) => "an object",
        }
    }

    /// Converts the node to a JSON value. Of fields with the same name, it has the first one.
    pub fn to_json(&self) -> serde_json::Value {
        match &self.value {
            Value::Null => serde_json::Value::Null,
            Value::Boolean(value) => (*value).into(),
            Value::Number(number) => serde_json::Value::Number((**number).clone()),
            Value::String(text) => text.as_str().into(),
            Value::Array(items) => items.iter().map(Self::to_json).collect(),
            Value::Object(object) => {
                let mut fields = serde_json::Map::with_capacity(object.fields().len());
                for (name, node) in object.fields() {
                    fields.entry(name).or_insert_with(|| node.to_json());
                }
                fields.into()
            }
        }
    }

    /// Removes the items or fields at these positions, and further fields of the same names.
    pub(crate) fn remove(&mut self, indices: &BTreeSet<usize>) {
        match &mut self.value {
            Value::Array(items) => {
                let mut next = 0..;
                items.retain(|_| next.next().is_some_and(|index| !indices.contains(&index)));
            }
            Value::Object(object) => {
                let names = indices.iter().filter_map(|index| object.fields().get(*index));
                let names: HashSet<String> = names.map(|(name, _)| name.clone()).collect();
                object.retain(|name, _| !names.contains(name));
            }
            _ => {}
        }
    }

    /// Removes the fields of an object whose name has occurred before.
    pub(crate) fn remove_duplicates(&mut self) {
        if let Value::Object(object) = &mut self.value {
            let mut names = HashSet::new();
            object.retain(|name, _| names.insert(name.to_owned()));
        }
    }

    /// Removes the fields of an object that have these nodes.
    pub(crate) fn remove_fields(&mut self, nodes: &HashSet<NodeId>) {
        if let Value::Object(object) = &mut self.value
            && object.fields().iter().any(|(_, node)| nodes.contains(&node.id))
        {
            object.retain(|_, node| !nodes.contains(&node.id));
        }
    }

    /// Returns the nodes directly below this one.
    fn inner(&self) -> impl Iterator<Item = &Self> {
        self.items().iter().chain(self.entries().map(|(_, node)| node))
    }

    /// Visits this node and all nodes below it, depth first, in the order of the text.
    pub(crate) fn walk<'d>(&'d self, visit: &mut dyn FnMut(&'d Self)) {
        visit(self);
        self.inner().for_each(|inner| inner.walk(visit));
    }

    /// Visits the same nodes mutably.
    pub(crate) fn walk_mut(&mut self, visit: &mut dyn FnMut(&mut Self)) {
        visit(self);
        match &mut self.value {
            Value::Array(items) => items.iter_mut().for_each(|item| item.walk_mut(visit)),
            Value::Object(object) => {
                object.fields_mut().iter_mut().for_each(|(_, node)| node.walk_mut(visit))
            }
            _ => {}
        }
    }

    /// Returns the node with this id, which is this one or one below it.
    pub(crate) fn find(&self, id: NodeId) -> Option<&Self> {
        if self.id == id { Some(self) } else { self.toward(id)?.1.find(id) }
    }

    /// Returns the position and the node of the item or field that contains the node with this id.
    pub(crate) fn toward(&self, id: NodeId) -> Option<(usize, &Self)> {
        match &self.value {
            Value::Array(items) => last_before(items, id, |item| item),
            Value::Object(object) => last_before(object.fields(), id, |(_, node)| node),
            _ => None,
        }
    }

    /// Returns the number of nodes at and below this one. The document must be numbered in order.
    pub(crate) fn nodes(&self) -> usize {
        let last = self.last_id().0.saturating_sub(self.id.0);
        usize::try_from(last).unwrap_or(usize::MAX).saturating_add(1)
    }

    /// Returns the number of nested arrays and objects.
    pub(crate) fn levels(&self) -> usize {
        let below = self.inner().map(Self::levels).max().unwrap_or(0);
        if self.is_array() || self.is_object() { 1 + below } else { 0 }
    }

    /// Returns the id of the last node at or below this one.
    pub(crate) fn last_id(&self) -> NodeId {
        let last = self.items().last().or_else(|| self.entries().next_back().map(|(_, node)| node));
        last.map_or(self.id, Self::last_id)
    }

    /// Returns the fields of an object whose name has occurred before, after the first field of that name.
    pub(crate) fn duplicates(&self) -> impl Iterator<Item = (&str, &Self, &Self)> {
        self.object().into_iter().flat_map(Object::duplicates)
    }
}

/// Returns the last of these items or fields whose node has no greater id than `id`: its position and the node.
///
/// Ids are in the order of the text. So it is the node with this id, or the one that contains it.
pub(crate) fn last_before<T>(all: &[T], id: NodeId, node: fn(&T) -> &Node) -> Option<(usize, &Node)> {
    let index = all.partition_point(|entry| node(entry).id <= id).checked_sub(1)?;
    Some((index, node(all.get(index)?)))
}
