//! The combined keywords of a schema and its parts.

use std::collections::HashMap;

use indexmap::IndexMap;

use crate::{
    ir::{self, Kinds},
    lower::{
        position::SchemaPosition,
        resolver::{parts::Part, table::Keywords},
    },
    tree::{NodeId, NodeRef},
};

/// The combined keywords of a schema and its parts.
#[derive(Debug, Default)]
pub(in crate::lower) struct Flat<'d> {
    /// The keywords of which one value counts. For the others, the fields below hold those of all parts.
    pub merged: Keywords<'d>,
    pub content_schema: Option<Part<'d>>,
    pub pattern: Vec<NodeRef<'d>>,
    pub values: Option<Vec<NodeRef<'d>>>,
    pub properties: IndexMap<&'d str, Vec<Part<'d>>>,
    pub pattern_properties: Vec<(&'d str, Part<'d>)>,
    /// The required properties, with the nodes that require them.
    pub required: IndexMap<&'d str, NodeRef<'d>>,
    pub additional: Option<Part<'d>>,
    pub items: Vec<Part<'d>>,
    pub prefix_items: Option<(NodeRef<'d>, SchemaPosition<'d>)>,
    pub property_names: Option<Part<'d>>,
    pub discriminator: Option<NodeRef<'d>>,
    pub rules: Vec<NodeRef<'d>>,
    pub unchecked: Vec<NodeRef<'d>>,
    pub node: Option<NodeRef<'d>>,
    /// The kinds that all parts allow, or `None` if no part has a `type`.
    pub kinds: Option<Kinds>,
    pub nullable: bool,
    pub values_node: Option<NodeRef<'d>>,
    /// The names and descriptions of enum values.
    pub value_words: HashMap<NodeId, ValueWords<'d>>,
    /// All items of all `required`.
    pub demands: Vec<NodeRef<'d>>,
    /// Whether no value matches all parts, so that the types or values of the last part are used.
    pub contradicts: bool,
    /// Whether there are no additional properties.
    pub closed: bool,
    pub unions: Vec<Union<'d>>,
    pub assertions: Vec<Assertion<'d>>,
    pub docs: ir::Docs,
    /// The keywords of objects whose changes are reported where they are written.
    pub of_objects: Vec<(&'static str, NodeRef<'d>)>,
}

impl Flat<'_> {
    /// Returns whether only `type`, `format` and unions restrict the values.
    pub fn is_bare_but_format(&self) -> bool {
        self.merged.is_bare_but_format()
            && self.values.is_none()
            && !self.closed
            && self.assertions.is_empty()
    }

    /// Returns whether only `type` and unions restrict the values.
    pub fn is_bare(&self) -> bool {
        self.merged.format.is_none() && self.is_bare_but_format()
    }
}

/// A `oneOf` or `anyOf`.
#[derive(Debug, Clone)]
pub(in crate::lower) struct Union<'d> {
    /// The keyword: `oneOf` or `anyOf`.
    pub keyword: &'static str,
    pub node: NodeRef<'d>,
    pub home: SchemaPosition<'d>,
    /// The discriminator in the same schema object.
    pub discriminator: Option<NodeRef<'d>>,
    /// See [`Assertion::is_outer`].
    pub is_outer: bool,
}

/// A keyword that tests the value without describing it: `not`, `if`, `dependentRequired` …
#[derive(Debug, Clone, Copy)]
pub(in crate::lower) struct Assertion<'d> {
    /// The keyword.
    pub keyword: &'d str,
    /// Its value.
    pub node: NodeRef<'d>,
    /// The schema that contains the keyword.
    pub schema: NodeRef<'d>,
    /// Whether it is next to a union, of which a variant is being read.
    pub is_outer: bool,
}

/// The name and description of one enum value.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::lower) struct ValueWords<'d> {
    /// The name.
    pub name: Option<&'d str>,
    pub description: Option<&'d str>,
}

/// Adds the names and descriptions of a schema's enum values.
///
/// They are in `x-enum-varnames`, `x-enum-descriptions` and variants of these, as lists or as objects by
/// value.
pub(super) fn words_of_values<'d>(
    schema: NodeRef<'d>,
    values: &[NodeRef<'d>],
    words: &mut HashMap<NodeId, ValueWords<'d>>,
) {
    let first_of = |spellings: &[&str]| spellings.iter().find_map(|spelling| schema.get(spelling));
    let names = first_of(&["x-enum-varnames", "x-enumNames", "x-enum-names"]);
    let descriptions = first_of(&["x-enum-descriptions", "x-enumDescriptions"]);
    if names.or(descriptions).is_none() {
        return;
    }
    let word = |list: Option<NodeRef<'d>>, position: usize, value: NodeRef<'_>| {
        let list = list?;
        let by_value =
            || value.as_str().map_or_else(|| list.get(&value.to_json().to_string()), |text| list.get(text));
        let word = if list.is_array() { list.items().get(position) } else { by_value() };
        word?.as_str().filter(|word| !word.trim().is_empty())
    };
    for (position, value) in values.iter().enumerate() {
        let found = ValueWords {
            name: word(names, position, value),
            description: word(descriptions, position, value),
        };
        words.insert(value.id(), found);
    }
}
