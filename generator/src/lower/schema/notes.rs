//! Facts about schemas that the passes need once all types are known.

use std::collections::{BTreeSet, HashMap};

use crate::{
    document::{NodeId, NodeRef},
    ir::{JsonSchema, JsonSchemaId, Schema, TypeId},
    lower::place::Place,
    patterns::Decision,
};

/// The facts that the passes need.
#[derive(Debug, Default)]
pub(in crate::lower) struct Notes<'d> {
    /// Defaults, which are read when all types are known.
    pub defaults: Vec<Default<'d>>,
    /// Discriminators, which are read when all types are known.
    pub discriminators: Vec<Discriminator<'d>>,
    /// All examples of the document.
    pub shown: Vec<Shown<'d>>,
    /// The types from the options that are used, by index.
    pub foreign: BTreeSet<usize>,
}

/// A default, which is checked when all types are known.
#[derive(Debug)]
pub(in crate::lower) struct Default<'d> {
    /// The struct.
    pub id: TypeId,
    /// The field.
    pub field: usize,
    pub node: NodeRef<'d>,
}

/// A discriminator that is read when all types are known.
#[derive(Debug)]
pub(in crate::lower) struct Discriminator<'d> {
    /// The union.
    pub id: TypeId,
    pub node: NodeRef<'d>,
    pub property: &'d str,
    /// The values in `mapping`, with the components that they refer to.
    pub mapping: Vec<(&'d str, NodeRef<'d>, Option<TypeId>)>,
    /// The component of each variant, if it is a component.
    pub components: Vec<Option<TypeId>>,
}

/// A pattern under construction.
#[derive(Debug)]
pub(in crate::lower) struct PatternDraft<'d> {
    pub place: Place<'d>,
    /// The text in the document.
    pub written: String,
    pub decision: Decision,
}

/// An example and its schema.
#[derive(Debug)]
pub struct Shown<'d> {
    /// The schema.
    pub schema: Schema,
    /// The example.
    pub node: NodeRef<'d>,
    /// Whether the example matches, as far as can be checked without the generated code.
    pub fits: bool,
}

/// The schemas that rows refer to.
#[derive(Debug, Default)]
pub(in crate::lower) struct JsonSchemas<'d> {
    pub drafts: Vec<JsonSchemaDraft<'d>>,
    /// The schemas by their nodes.
    pub known: HashMap<(Vec<NodeId>, Typing), JsonSchemaId>,
}

/// A schema under construction.
#[derive(Debug)]
pub(in crate::lower) struct JsonSchemaDraft<'d> {
    /// The nodes, which all apply.
    pub nodes: Vec<NodeRef<'d>>,
    pub typing: Typing,
    pub place: Place<'d>,
    /// The keywords, once they are read.
    pub schema: JsonSchema,
}

/// Whether a schema without `type` has the type that its keywords imply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::lower) enum Typing {
    /// It has.
    Implied,
    /// It has the type of the schema that it is a part of. The schemas within it have implied types.
    Inherited,
    /// Neither it nor the schemas within it have, because they only judge values.
    None,
}

impl Typing {
    /// Returns the typing of schemas within a schema.
    pub const fn within(self) -> Self {
        match self {
            Self::Implied | Self::Inherited => Self::Implied,
            Self::None => Self::None,
        }
    }

    /// Returns the typing of the parts of a schema.
    pub const fn part(self) -> Self {
        match self {
            Self::Implied | Self::Inherited => Self::Inherited,
            Self::None => Self::None,
        }
    }
}
