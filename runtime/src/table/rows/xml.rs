//! Rows of XML.

use crate::table::{Xml, XmlNode};

impl Xml {
    /// A value without a node of its own.
    pub const NONE: Self = Self::new(XmlNode::None, "");
    /// The text of the element around the value.
    pub const TEXT: Self = Self::new(XmlNode::Text, "");
    /// The text of the element around the value, as a CDATA section.
    pub const CDATA: Self = Self::new(XmlNode::Cdata, "");

    /// Creates an element with this name.
    pub const fn element(name: &'static str) -> Self {
        Self::new(XmlNode::Element, name)
    }

    /// Creates an attribute with this name.
    pub const fn attribute(name: &'static str) -> Self {
        Self::new(XmlNode::Attribute, name)
    }

    const fn new(node: XmlNode, name: &'static str) -> Self {
        Self { node, name, namespace: None, prefix: None, items: &[] }
    }
}

setters! {
    Xml {
        set items: &'static [Xml];
        some namespace: &'static str, prefix: &'static str;
    }
}
