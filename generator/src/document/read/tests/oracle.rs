//! The oracle: reads values with yaml_serde and serde_json, without source locations.

use std::{cell::Cell, collections::HashSet, fmt};

use granit_parser::ScalarStyle;
use serde::{
    Deserializer,
    de::{DeserializeSeed, EnumAccess, Error as _, MapAccess, SeqAccess, VariantAccess, Visitor},
};
use serde_json::Number;

use super::super::scalar;
use crate::tree::{Node, NodeId, Object, Value};

/// Reads YAML, or returns the error.
pub(super) fn yaml(text: &str) -> Result<Node, String> {
    let left = Cell::new(text.len() + 100_000);
    let node = NodeSeed { left: &left }.deserialize(serde_yaml::Deserializer::from_str(text));
    node.map(merged).map_err(|error| error.to_string())
}

/// Returns a node with the fields of merged objects in place of the merge keys.
///
/// `yaml_serde` merges in another order, and doesn't merge what has merge keys itself.
fn merged(node: Node) -> Node {
    let value = match node.value {
        Value::Array(items) => Value::Array(items.into_iter().map(merged).collect()),
        Value::Object(object) => {
            let fields = object.into_fields();
            let own: HashSet<String> =
                fields.iter().filter(|(name, _)| name != "<<").map(|(name, _)| name.clone()).collect();
            let mut merges: Vec<(String, Node)> = Vec::new();
            let mut all = Vec::new();
            for (name, node) in fields {
                let node = merged(node);
                if name != "<<" {
                    all.push((name, node));
                    continue;
                }
                let objects = if node.is_object() { std::slice::from_ref(&node) } else { node.items() };
                for (name, node) in objects.iter().flat_map(Node::entries) {
                    if !own.contains(name) && !merges.iter().any(|(other, _)| other == name) {
                        merges.push((name.to_owned(), node.clone()));
                        all.push((name.to_owned(), node.clone()));
                    }
                }
            }
            Value::Object(Object::new(all))
        }
        value => value,
    };
    unnumbered(value)
}

/// Returns a node whose names that are numbers have the usual form of the number.
///
/// The oracle knows only their values. The readers keep the texts: `1.10` is the name of a version.
pub(super) fn with_usual_names(node: Node) -> Node {
    let value = match node.value {
        Value::Array(items) => Value::Array(items.into_iter().map(with_usual_names).collect()),
        Value::Object(object) => {
            let fields = object.into_fields().into_iter();
            Value::Object(Object::new(
                fields.map(|(name, node)| (usual(name), with_usual_names(node))).collect(),
            ))
        }
        value => value,
    };
    unnumbered(value)
}

fn usual(name: String) -> String {
    match scalar::value(name.as_str().into(), ScalarStyle::Plain, None) {
        // `!!float 0` is `0.0` for the oracle.
        Ok(Value::Number(number)) => number.as_f64().unwrap_or_default().to_string(),
        _ => name,
    }
}

/// Returns whether a field has the name of a merge key.
pub(super) fn has_merge_key(root: &Node) -> bool {
    let mut found = false;
    root.walk(&mut |node| found |= node.get("<<").is_some());
    found
}

/// Reads JSON, or returns the error.
pub(super) fn json(text: &str) -> Result<Node, String> {
    let left = Cell::new(usize::MAX);
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let node = NodeSeed { left: &left }.deserialize(&mut deserializer);
    node.and_then(|node| deserializer.end().map(|()| node)).map_err(|error| error.to_string())
}

/// Returns whether the oracle may have rounded an integer within 64 bits, as in `9007199254740993.0`.
///
/// The readers keep its digits.
pub(super) fn has_rounded(root: &Node) -> bool {
    let is_rounded = |float: f64| (2_f64.powi(53)..=2_f64.powi(64)).contains(&float.abs());
    let mut found = false;
    root.walk(&mut |node| {
        found |= match &node.value {
            Value::Number(number) => number.is_f64() && number.as_f64().is_some_and(is_rounded),
            Value::Object(object) => {
                object.fields().iter().any(|(name, _)| name.parse().is_ok_and(is_rounded))
            }
            _ => false,
        };
    });
    found
}

/// Deserializes a node and the nodes below it, up to a limit.
///
/// Nested YAML aliases can expand a short text to any number of nodes.
#[derive(Clone, Copy)]
struct NodeSeed<'l> {
    /// The number of nodes that may still be created.
    left: &'l Cell<usize>,
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
        Ok(unnumbered(Value::Null))
    }

    fn visit_none<E>(self) -> Result<Node, E> {
        Ok(unnumbered(Value::Null))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Node, E> {
        Ok(unnumbered(Value::Boolean(value)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Node, E> {
        Ok(unnumbered(Value::Number(Number::from(value).into())))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Node, E> {
        Ok(unnumbered(Value::Number(Number::from(value).into())))
    }

    fn visit_i128<E: serde::de::Error>(self, value: i128) -> Result<Node, E> {
        // As in JSON, a number beyond 64 bits is a float.
        Number::from_i128(value).map_or_else(
            || self.visit_f64(value as f64),
            |number| Ok(unnumbered(Value::Number(number.into()))),
        )
    }

    fn visit_u128<E: serde::de::Error>(self, value: u128) -> Result<Node, E> {
        // As in JSON, a number beyond 64 bits is a float.
        Number::from_u128(value).map_or_else(
            || self.visit_f64(value as f64),
            |number| Ok(unnumbered(Value::Number(number.into()))),
        )
    }

    fn visit_f64<E>(self, value: f64) -> Result<Node, E> {
        // JSON has no numbers for YAML's `.nan` and `.inf`.
        Ok(unnumbered(
            Number::from_f64(value)
                .map_or_else(|| Value::String(value.to_string()), |number| Value::Number(number.into())),
        ))
    }

    fn visit_str<E>(self, value: &str) -> Result<Node, E> {
        Ok(unnumbered(Value::String(value.to_owned())))
    }

    fn visit_string<E>(self, value: String) -> Result<Node, E> {
        Ok(unnumbered(Value::String(value)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Node, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = sequence.next_element_seed(self)? {
            items.push(item);
        }
        Ok(unnumbered(Value::Array(items)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
        let mut entries = Vec::new();
        while let Some(name) = map.next_key_seed(NameSeed(self))? {
            entries.push((name, map.next_value_seed(self)?));
        }
        Ok(unnumbered(Value::Object(Object::new(entries))))
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
        match self.0.deserialize(deserializer)?.value {
            Value::String(text) => Ok(text),
            Value::Number(number) => Ok(number.to_string()),
            Value::Boolean(value) => Ok(value.to_string()),
            Value::Null => Ok("null".to_owned()),
            Value::Array(_) | Value::Object(_) => {
                Err(D::Error::custom("a field name must be a string, not an array or an object"))
            }
        }
    }
}

fn unnumbered(value: Value) -> Node {
    Node { id: NodeId(0), location: None, value }
}
