//! The state of making types of schemas, with the facts that the passes need once all types are known.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    ops::{Deref, DerefMut},
};

use crate::{
    ir::{Schema, TypeId, Xml},
    lower::{
        resolver::{components::Target, state::Resolver},
        types::{Draft, Types},
        xml,
    },
    tree::{NodeId, NodeRef},
};

/// The state of making types of schemas.
///
/// It dereferences to the state of the stage `resolver`.
pub(in crate::lower) struct Schemas<'d, 'x> {
    pub resolver: Resolver<'d, 'x>,
    pub types: Types<'d>,
    /// The types of inline nodes that have been read.
    pub known: HashMap<NodeId, TypeId>,
    /// The schemas that are being read, except parts of other schemas.
    pub open: HashSet<NodeId>,
    /// The targets of references that are being read, and the unions with other keywords.
    pub open_targets: HashSet<NodeId>,
    /// The number of parts of schemas that can still be read.
    ///
    /// It stops documents that merge schemas with themselves over and over.
    pub fuel: usize,
    /// Whether the schema that is being read has constraints that its type can't express.
    pub needs_json_schema: bool,
    /// Formats that were reported, and whether for numbers.
    pub formats: HashSet<(&'d str, bool)>,
    pub notes: Notes<'d>,
    /// Whether the document has bodies in XML.
    pub has_xml: bool,
}

impl<'d, 'x> Schemas<'d, 'x> {
    /// Starts with a type per component, which is not read yet.
    pub fn new(resolver: Resolver<'d, 'x>) -> Self {
        let mut nodes = 0_usize;
        resolver.document.walk(&mut |_| nodes += 1);
        let drafts = resolver.components.schemas.iter();
        let types = drafts.map(|component| Draft::new(&component.position, Some(component.node))).collect();
        Self {
            has_xml: xml::occurs(resolver.document),
            resolver,
            types: Types(types),
            known: HashMap::new(),
            open: HashSet::new(),
            open_targets: HashSet::new(),
            fuel: nodes.saturating_mul(2).saturating_add(2_000),
            needs_json_schema: false,
            formats: HashSet::new(),
            notes: Notes::default(),
        }
    }
}

impl<'d, 'x> Deref for Schemas<'d, 'x> {
    type Target = Resolver<'d, 'x>;

    fn deref(&self) -> &Self::Target {
        &self.resolver
    }
}

impl DerefMut for Schemas<'_, '_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.resolver
    }
}

/// The facts that the passes need.
#[derive(Debug, Default)]
pub(in crate::lower) struct Notes<'d> {
    /// Defaults, which are read when all types are known.
    pub defaults: Vec<Default<'d>>,
    /// Discriminators, which are read when all types are known.
    pub discriminators: Vec<Discriminator<'d>>,
    /// The forms of fields in XML, if the document has XML bodies.
    pub xml: Vec<XmlForm<'d>>,
    /// The forms of the roots of XML bodies.
    pub xml_roots: Vec<XmlRoot<'d>>,
    /// All examples of the document.
    pub examples: Vec<Example<'d>>,
    /// The indexes of those external types in the options that a schema uses.
    pub foreign: BTreeSet<usize>,
}

/// The form of a field in XML. It applies only if an XML body contains the field.
#[derive(Debug)]
pub(in crate::lower) struct XmlForm<'d> {
    /// The struct.
    pub id: TypeId,
    /// The field.
    pub field: usize,
    pub node: NodeRef<'d>,
    pub form: Xml,
    /// Whether the XML name of an array applies to its items.
    pub names_items: bool,
}

/// The form of the root of an XML body.
#[derive(Debug)]
pub(in crate::lower) struct XmlRoot<'d> {
    /// The media type.
    pub node: NodeRef<'d>,
    pub form: Xml,
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
    /// The values in `mapping`, with the schemas that they refer to.
    pub mapping: Vec<(&'d str, NodeRef<'d>, Option<Target<'d>>)>,
    /// The `defaultMapping`, with the schema that it refers to.
    pub default: Option<(NodeRef<'d>, Option<Target<'d>>)>,
    /// The schema that the branch of each variant refers to.
    ///
    /// The variant has this type, unless keywords beside the union apply to it too.
    pub targets: Vec<Option<Target<'d>>>,
}

/// An example and its schema.
#[derive(Debug)]
pub struct Example<'d> {
    /// The schema.
    pub schema: Schema,
    /// The example.
    pub node: NodeRef<'d>,
    /// Whether the example is text that contains JSON.
    pub is_text: bool,
    /// Whether the example matches, as far as can be checked without the generated code.
    pub fits: bool,
}

impl Example<'_> {
    /// Returns the value of the example, unless it is text that is not JSON.
    #[must_use]
    pub fn value(&self) -> Option<serde_json::Value> {
        if self.is_text { serde_json::from_str(self.node.as_str()?).ok() } else { Some(self.node.to_json()) }
    }
}
