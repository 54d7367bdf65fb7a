//! The combined keywords of a schema and its parts.

use std::collections::HashMap;

use indexmap::IndexMap;

use crate::{
    document::{NodeId, NodeRef},
    ir::{self, Kinds},
    lower::{place::Place, schema::parts::Part},
};

/// The combined keywords of a schema and its parts.
#[derive(Debug, Default)]
pub(in crate::lower) struct Flat<'d> {
    pub node: Option<NodeRef<'d>>,
    /// The kinds that all parts allow, or `None` if no part has a `type`.
    pub kinds: Option<Kinds>,
    pub nullable: bool,
    pub values: Option<Vec<NodeRef<'d>>>,
    pub values_node: Option<NodeRef<'d>>,
    /// The names and descriptions of enum values.
    pub value_words: HashMap<NodeId, ValueWords<'d>>,
    pub format: Option<NodeRef<'d>>,
    pub content_encoding: Option<&'d str>,
    pub content_media_type: Option<&'d str>,
    pub patterns: Vec<NodeRef<'d>>,
    pub min_length: Option<u64>,
    pub max_length: Option<u64>,
    pub min_items: Option<u64>,
    pub max_items: Option<u64>,
    pub min_properties: Option<u64>,
    pub max_properties: Option<u64>,
    pub unique: bool,
    pub minimum: Option<NodeRef<'d>>,
    pub maximum: Option<NodeRef<'d>>,
    pub exclusive_minimum: Option<NodeRef<'d>>,
    pub exclusive_maximum: Option<NodeRef<'d>>,
    pub multiple_of: Option<NodeRef<'d>>,
    pub properties: IndexMap<&'d str, Vec<Part<'d>>>,
    /// The required properties, with the nodes that require them.
    pub required: HashMap<&'d str, NodeRef<'d>>,
    pub required_order: Vec<&'d str>,
    pub closed: bool,
    pub additional: Option<Part<'d>>,
    /// The schemas of properties whose names match a pattern.
    pub pattern_properties: Vec<(&'d str, Part<'d>)>,
    pub property_names: Option<Part<'d>>,
    pub items: Vec<Part<'d>>,
    pub prefix_items: Option<(NodeRef<'d>, Place<'d>)>,
    pub has_unevaluated_properties: bool,
    pub has_unevaluated_items: bool,
    pub unions: Vec<Union<'d>>,
    pub discriminator: Option<NodeRef<'d>>,
    pub rules: Vec<NodeRef<'d>>,
    /// `x-media`.
    pub media: Option<NodeRef<'d>>,
    /// Lists of `x-unchecked`.
    pub unchecked: Vec<NodeRef<'d>>,
    pub assertions: Vec<Assertion<'d>>,
    pub docs: ir::Docs,
}

/// A `oneOf` or `anyOf`.
#[derive(Debug, Clone)]
pub(in crate::lower) struct Union<'d> {
    /// The keyword: `oneOf` or `anyOf`.
    pub keyword: &'static str,
    pub node: NodeRef<'d>,
    pub home: Place<'d>,
}

impl Flat<'_> {
    /// Returns whether only `type` and unions restrict the values.
    pub fn is_bare(&self) -> bool {
        self.format.is_none() && self.is_bare_but_format()
    }

    /// Does the same as [`is_bare`](Self::is_bare), but ignores `format`.
    pub fn is_bare_but_format(&self) -> bool {
        self.values.is_none()
            && self.patterns.is_empty()
            && self.properties.is_empty()
            && self.required.is_empty()
            && !self.closed
            && self.additional.is_none()
            && self.pattern_properties.is_empty()
            && self.property_names.is_none()
            && self.items.is_empty()
            && self.prefix_items.is_none()
            && !self.unique
            && self.rules.is_empty()
            && self.media.is_none()
            && self.unchecked.is_empty()
            && self.assertions.is_empty()
            && [self.min_length, self.max_length, self.min_items, self.max_items].iter().all(Option::is_none)
            && [self.min_properties, self.max_properties].iter().all(Option::is_none)
            && [self.minimum, self.maximum, self.exclusive_minimum, self.exclusive_maximum, self.multiple_of]
                .iter()
                .all(Option::is_none)
    }
}

/// A keyword that can be a condition.
#[derive(Debug, Clone, Copy)]
pub(in crate::lower) struct Assertion<'d> {
    /// The keyword.
    pub keyword: &'d str,
    /// Its value.
    pub node: NodeRef<'d>,
    /// The schema that contains the keyword.
    pub schema: NodeRef<'d>,
}

/// The name and description of one enum value.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::lower) struct ValueWords<'d> {
    /// The name.
    pub name: Option<&'d str>,
    pub description: Option<&'d str>,
}
