//! The table rows of XML: how the values of schemas become elements, attributes and text.

/// The form of a value in XML.
///
/// Without a row, a field is an element with the name of the property, and the items of an array are such elements,
/// without an element around them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
#[must_use]
pub struct Xml {
    /// The kind of node that the value becomes.
    pub node: XmlNode,
    /// The name of the element or attribute, without a prefix; empty for other nodes.
    pub name: &'static str,
    /// The namespace of the name.
    pub namespace: Option<&'static str>,
    /// The prefix with which the name is written. Readers ignore it.
    pub prefix: Option<&'static str>,
    /// The forms of an array's items, by their position. The last one is that of all further items.
    ///
    /// If there is none, items are elements with the name of the property.
    pub items: &'static [Xml],
}

/// The kind of node that a value becomes in XML.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum XmlNode {
    /// An element.
    Element,
    /// An attribute of the element around it.
    Attribute,
    /// The text of the element around it.
    Text,
    /// The text of the element around it, written as a CDATA section.
    Cdata,
    /// No node: the items of an array or the fields of an object are directly in the element around it.
    None,
}
