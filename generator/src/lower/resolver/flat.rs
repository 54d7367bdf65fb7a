//! The combined keywords of a schema and its parts.

use std::collections::HashMap;

use indexmap::IndexMap;

use crate::{
    ir::{self, Kinds},
    lower::{
        position::SchemaPosition,
        resolver::{
            parts::Part,
            table::{Field, says, schema_keywords},
        },
    },
    tree::{NodeId, NodeRef},
};

/// Returns the type of a field.
macro_rules! field {
    (by_hand $type:ident ($flat:ty)) => {
        $flat
    };
    (first string) => {
        Option<&'d str>
    };
    (first $type:ident) => {
        Option<NodeRef<'d>>
    };
    (highest $type:ident) => {
        Option<NodeRef<'d>>
    };
    (lowest $type:ident) => {
        Option<NodeRef<'d>>
    };
    (largest $type:ident) => {
        Option<u64>
    };
    (smallest $type:ident) => {
        Option<u64>
    };
    (all $type:ident) => {
        Vec<NodeRef<'d>>
    };
    (all_items $type:ident) => {
        Vec<NodeRef<'d>>
    };
    (first_schema $type:ident) => {
        Option<Part<'d>>
    };
    (all_schemas $type:ident) => {
        Vec<Part<'d>>
    };
    (any $type:ident) => {
        bool
    };
    (is_set $type:ident) => {
        bool
    };
}

/// Declares [`Flat`].
macro_rules! flat {
    (
        combined { $($name:literal $type:ident $field:ident $parts:ident $row:ident
            $constrains:ident $bare:ident $implies:ident $(($flat:ty))?;)* }
        single { $($single:tt)* }
    ) => {
        /// The combined keywords of a schema and its parts.
        #[derive(Debug, Default)]
        pub(in crate::lower) struct Flat<'d> {
            $(pub $field: field!($parts $type $(($flat))?),)*
            pub node: Option<NodeRef<'d>>,
            /// The kinds that all parts allow, or `None` if no part has a `type`.
            pub kinds: Option<Kinds>,
            pub nullable: bool,
            pub values_node: Option<NodeRef<'d>>,
            /// The names and descriptions of enum values.
            pub value_words: HashMap<NodeId, ValueWords<'d>>,
            pub required_order: Vec<&'d str>,
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
                $((says!($bare) || !self.$field.is_set()) &&)*
                !self.closed && self.assertions.is_empty()
            }
        }
    };
}

schema_keywords!(flat);

impl Flat<'_> {
    /// Returns whether only `type` and unions restrict the values.
    pub fn is_bare(&self) -> bool {
        self.format.is_none() && self.is_bare_but_format()
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
