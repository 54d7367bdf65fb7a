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
    /// The forms of fields in XML, if the document has bodies in XML.
    pub xml: Vec<XmlForm<'d>>,
    /// The forms of roots in XML.
    pub xml_roots: Vec<XmlRoot<'d>>,
    /// All examples of the document.
    pub shown: Vec<Shown<'d>>,
    /// The types from the options that are used, by index.
    pub foreign: BTreeSet<usize>,
}

/// The form of a field in XML, which counts if a body in XML contains the field.
#[derive(Debug)]
pub(in crate::lower) struct XmlForm<'d> {
    /// The struct.
    pub id: TypeId,
    /// The field.
    pub field: usize,
    pub node: NodeRef<'d>,
    pub form: Xml,
    /// Whether the name of an array counts for its items.
    pub names_items: bool,
}

/// The form of the root of a body in XML.
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
pub struct Shown<'d> {
    /// The schema.
    pub schema: Schema,
    /// The example.
    pub node: NodeRef<'d>,
    /// Whether the example is text that contains JSON.
    pub is_text: bool,
    /// Whether the example matches, as far as can be checked without the generated code.
    pub fits: bool,
}

impl Shown<'_> {
    /// Returns the value of the example, unless it is text that is not JSON.
    #[must_use]
    pub fn value(&self) -> Option<serde_json::Value> {
        if self.is_text { serde_json::from_str(self.node.as_str()?).ok() } else { Some(self.node.to_json()) }
    }
}
