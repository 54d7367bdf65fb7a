//! Facts about schemas that the passes need once all types are known.

use std::collections::BTreeSet;

use crate::{
    ir::{Schema, TypeId, Xml},
    lower::resolver::components::Target,
    tree::NodeRef,
};

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
