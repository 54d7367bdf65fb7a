//! Patterns and JSON Schemas, which the passes need once all types are known.

use std::collections::{HashMap, HashSet};

use crate::{
    ir::{JsonSchema, JsonSchemaId},
    lower::position::SchemaPosition,
    patterns::Decision,
    tree::{NodeId, NodeRef},
};

/// A pattern under construction.
#[derive(Debug)]
pub(in crate::lower) struct PatternDraft<'d> {
    pub position: SchemaPosition<'d>,
    /// The text in the document.
    pub written: String,
    pub decision: Decision,
}

/// The schemas that rows refer to.
#[derive(Debug, Default)]
pub(in crate::lower) struct JsonSchemas<'d> {
    pub drafts: Vec<JsonSchemaDraft<'d>>,
    /// The schemas by their nodes.
    pub known: HashMap<(Vec<NodeId>, Typing), JsonSchemaId>,
    /// The assertions, and whether each only restates a rule of `x-rules`.
    ///
    /// Such an assertion is for other tools.
    pub restated: HashMap<NodeId, bool>,
    /// The items of `required` that name a property which requests can't contain.
    pub undemanded: HashSet<NodeId>,
}

/// A schema under construction.
#[derive(Debug)]
pub(in crate::lower) struct JsonSchemaDraft<'d> {
    /// The nodes, which all apply.
    pub nodes: Vec<NodeRef<'d>>,
    pub typing: Typing,
    pub position: SchemaPosition<'d>,
    /// The keywords, once they are read.
    pub schema: JsonSchema,
}

/// Whether a schema without `type` has the type that its keywords imply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::lower) enum Typing {
    /// It has the implied type.
    Implied,
    /// It has the type of the schema that it is a part of. The schemas within it have implied types.
    Inherited,
    /// Neither the schema nor those within it have an implied type, because they only test values.
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
