//! The tree of a document: the JSON data model, in the order of the text.
//!
//! A node does not store its source location. A depth-first walk visits the nodes in the order of their
//! values in the text. So a diagnostic finds the location later, by the node's address (see
//! [`super::spans`]).

use std::{
    cell::Cell,
    collections::{HashMap, HashSet},
    fmt,
};

use serde::{
    Deserializer,
    de::{DeserializeSeed, EnumAccess, Error as _, MapAccess, SeqAccess, VariantAccess, Visitor},
};
use serde_json::Number;

/// A node of a document.
#[derive(Debug, PartialEq)]
pub enum Node {
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

/// A node that is borrowed from its document.
pub type NodeRef<'d> = &'d Node;

/// The entries of an object, in the order of the text.
///
/// A name may occur twice. The document reports that, and lookups return the first entry.
#[derive(Debug, PartialEq)]
pub struct Object {
    entries: Vec<(String, Node)>,
    /// An index for large objects; small objects are searched linearly.
    index: Option<HashMap<String, usize>>,
}

/// The maximum number of entries for a linear search.
const SEARCHED: usize = 16;

impl Object {
    fn new(entries: Vec<(String, Node)>) -> Self {
        let index = (entries.len() > SEARCHED).then(|| {
            let mut index = HashMap::with_capacity(entries.len());
            for (place, (name, _)) in entries.iter().enumerate() {
                index.entry(name.clone()).or_insert(place);
            }
            index
        });
        Self { entries, index }
    }

    fn get(&self, name: &str) -> Option<&Node> {
        let entry = match &self.index {
            Some(index) => self.entries.get(*index.get(name)?),
            None => self.entries.iter().find(|(key, _)| key == name),
        };
        entry.map(|(_, node)| node)
    }
}

impl Node {
    /// Returns the value of a field, if this is an object that has it.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Object(object) => object.get(name),
            _ => None,
        }
    }

    /// Returns the fields of an object in the order of the text.
    ///
    /// Empty for any other node.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = (&str, &Self)> + Clone {
        let entries = match self {
            Self::Object(object) => object.entries.as_slice(),
            _ => &[],
        };
        entries.iter().map(|(name, node)| (name.as_str(), node))
    }

    /// Returns the items of an array. Empty for any other node.
    #[must_use]
    pub fn items(&self) -> &[Self] {
        match self {
            Self::Array(items) => items,
            _ => &[],
        }
    }

    /// Returns the string, if this is one.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the boolean, if this is one.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Boolean(value) => Some(*value),
            _ => None,
        }
    }

    /// Returns the number, if this is a non-negative integer (`1.0` is 1).
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        self.as_i128().and_then(|value| u64::try_from(value).ok())
    }

    /// Returns the number, if this is an integer (`1.0` is 1).
    #[must_use]
    pub fn as_i128(&self) -> Option<i128> {
        let Self::Number(number) = self else { return None };
        let exact = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
        exact.or_else(|| {
            let float = number.as_f64()?;
            #[expect(clippy::cast_possible_truncation, reason = "it is integral and within i128's range")]
            (float.fract() == 0.0 && float.abs() < 1e38).then_some(float as i128)
        })
    }

    /// Returns the number, if this is one.
    #[must_use]
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Number(number) => number.as_f64(),
            _ => None,
        }
    }

    /// Returns whether this is `null`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Returns whether this is an object.
    #[must_use]
    pub fn is_object(&self) -> bool {
        matches!(self, Self::Object(_))
    }

    /// Returns whether this is an array.
    #[must_use]
    pub fn is_array(&self) -> bool {
        matches!(self, Self::Array(_))
    }

    /// Returns the type of the node with its article, for messages: `an object`.
    #[must_use]
    pub fn kind_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::String(_) => "a string",
            Self::Array(_) => "an array",
            Self::Object(_) => "an object",
        }
    }

    /// Converts the node to a JSON value.
    #[must_use]
    pub fn to_json(&self) -> serde_json::Value {
        match self {
            Self::Null => serde_json::Value::Null,
            Self::Boolean(value) => (*value).into(),
            Self::Number(number) => number.clone().into(),
            Self::String(text) => text.as_str().into(),
            Self::Array(items) => items.iter().map(Self::to_json).collect(),
            Self::Object(object) => {
                object.entries.iter().map(|(name, node)| (name.clone(), node.to_json())).collect()
            }
        }
    }

    /// Returns the memory address, which identifies the node.
    pub(crate) fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    /// Visits this node and all nodes below it, depth first, in the order of the text.
    pub(crate) fn walk<'d>(&'d self, visit: &mut dyn FnMut(&'d Self)) {
        visit(self);
        match self {
            Self::Array(items) => items.iter().for_each(|item| item.walk(visit)),
            Self::Object(object) => object.entries.iter().for_each(|(_, node)| node.walk(visit)),
            _ => {}
        }
    }

    /// Visits the same nodes mutably. Their addresses don't change.
    pub(super) fn walk_mut(&mut self, visit: &mut dyn FnMut(&mut Self)) {
        visit(self);
        match self {
            Self::Array(items) => items.iter_mut().for_each(|item| item.walk_mut(visit)),
            Self::Object(object) => object.entries.iter_mut().for_each(|(_, node)| node.walk_mut(visit)),
            _ => {}
        }
    }

    /// Returns the fields of an object whose name has occurred before.
    pub(crate) fn duplicates(&self) -> Vec<(&str, &Self)> {
        let Self::Object(object) = self else { return Vec::new() };
        if object.index.as_ref().is_some_and(|index| index.len() == object.entries.len()) {
            return Vec::new();
        }
        let mut seen = HashSet::with_capacity(object.entries.len());
        self.entries().filter(|(name, _)| !seen.insert(*name)).collect()
    }
}

/// Deserializes a node and the nodes below it, up to a limit.
///
/// Nested YAML aliases can expand a short text to any number of nodes.
#[derive(Clone, Copy)]
pub(super) struct NodeSeed<'l> {
    /// The number of nodes that may still be created.
    pub left: &'l Cell<usize>,
}

impl<'de> DeserializeSeed<'de> for NodeSeed<'_> {
    type Value = Node;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        let Some(left) = self.left.get().checked_sub(1) else {
            return Err(D::Error::custom("aliases expand to too many values"));
        };
        self.left.set(left);
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for NodeSeed<'_> {
    type Value = Node;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON or YAML value")
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_none<E>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Boolean(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Node, E> {
        Ok(Node::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Node, E> {
        Ok(Node::Number(value.into()))
    }

    fn visit_i128<E>(self, value: i128) -> Result<Node, E> {
        Ok(Number::from_i128(value).map_or_else(|| Node::String(value.to_string()), Node::Number))
    }

    fn visit_u128<E>(self, value: u128) -> Result<Node, E> {
        Ok(Number::from_u128(value).map_or_else(|| Node::String(value.to_string()), Node::Number))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Node, E> {
        // JSON has no numbers for YAML's `.nan` and `.inf`.
        Ok(Number::from_f64(value).map_or_else(|| Node::String(value.to_string()), Node::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Node, E> {
        Ok(Node::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Node, E> {
        Ok(Node::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Node, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = sequence.next_element_seed(self)? {
            items.push(item);
        }
        Ok(Node::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
        let mut entries = Vec::new();
        while let Some(name) = map.next_key_seed(NameSeed(self))? {
            entries.push((name, map.next_value_seed(self)?));
        }
        Ok(Node::Object(Object::new(entries)))
    }

    /// Reads a YAML value with a custom tag. The tag is dropped.
    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<Node, A::Error> {
        let (_, variant) = data.variant_seed(NameSeed(self))?;
        variant.newtype_variant_seed(self)
    }
}

/// Deserializes a field name as text.
///
/// YAML reads some names as other scalars: `200:`, `true:`.
struct NameSeed<'l>(NodeSeed<'l>);

impl<'de> DeserializeSeed<'de> for NameSeed<'_> {
    type Value = String;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        match self.0.deserialize(deserializer)? {
            Node::String(text) => Ok(text),
            Node::Number(number) => Ok(number.to_string()),
            Node::Boolean(value) => Ok(value.to_string()),
            Node::Null => Ok("null".to_owned()),
            Node::Array(_) | Node::Object(_) => {
                Err(D::Error::custom("a field name must be a string, not an array or an object"))
            }
        }
    }
}
