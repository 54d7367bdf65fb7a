//! The forms of values in XML.

/// The form of a value in XML.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Xml {
    /// The kind of node that the value becomes.
    pub node: XmlNode,
    /// The name of the element or attribute; empty for other nodes.
    pub name: String,
    /// The namespace of the name.
    pub namespace: Option<String>,
    /// The prefix of the name.
    pub prefix: Option<String>,
    /// The forms of an array's items, by their position. The last one is that of all further items.
    pub items: Vec<Xml>,
}

impl Xml {
    /// Creates a form without a namespace.
    pub fn new(node: XmlNode, name: &str) -> Self {
        Self { node, name: name.to_owned(), namespace: None, prefix: None, items: Vec::new() }
    }

    /// Returns whether this is the form of a property without any settings.
    pub fn is_usual(&self, property: &str) -> bool {
        let is_element = |xml: &Self| {
            xml.node == XmlNode::Element
                && xml.name == property
                && xml.namespace.is_none()
                && xml.prefix.is_none()
        };
        match self.node {
            XmlNode::None => {
                self.items.iter().all(|item| is_element(item) && item.items.iter().all(is_element))
            }
            _ => is_element(self) && self.items.is_empty(),
        }
    }
}

/// The kind of node that a value becomes in XML.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum XmlNode {
    /// An element.
    Element,
    /// An attribute.
    Attribute,
    /// Text.
    Text,
    /// A CDATA section.
    Cdata,
    /// No node: the parts of the value are directly in the element around it.
    None,
}
