//! The form of a value in XML: its row, with the defaults filled in.

use crate::table::{Field, Schema, Type, Xml, XmlNode};
use crate::validation::resolve::type_of;

/// The namespace of attributes such as `xsi:nil`, which describe their element.
pub(super) const INSTANCE: &str = "http://www.w3.org/2001/XMLSchema-instance";

/// The namespace of the prefix `xml`.
pub(super) const XML: &str = "http://www.w3.org/XML/1998/namespace";

/// The form of a value in XML.
#[derive(Debug, Clone, Copy)]
pub(super) struct Form<'n> {
    pub(super) node: XmlNode,
    /// The name of the element or attribute.
    pub(super) name: &'n str,
    pub(super) namespace: Option<&'static str>,
    pub(super) prefix: Option<&'static str>,
    /// The forms of an array's items.
    items: &'static [Xml],
    /// The name of the property, which is that of items without a form.
    property: &'n str,
}

impl<'n> Form<'n> {
    /// Returns the form of a field.
    pub(super) fn of(field: &'static Field) -> Self {
        match field.xml {
            Some(xml) => Self::row(xml, field.name),
            None => Self::usual(field.name, Some(field.schema)),
        }
    }

    /// Returns the form of a value without a row.
    pub(super) fn usual(name: &'n str, schema: Option<&'static Schema>) -> Self {
        let node = if schema.is_some_and(is_array) { XmlNode::None } else { XmlNode::Element };
        Self { node, name, namespace: None, prefix: None, items: &[], property: name }
    }

    /// Returns the form of a root.
    pub(super) fn root(xml: &'static Xml) -> Self {
        Self::row(xml, xml.name)
    }

    fn row(xml: &'static Xml, property: &'n str) -> Self {
        let Xml { node, name, namespace, prefix, items } = *xml;
        Self { node, name, namespace, prefix, items, property }
    }

    /// Returns the form of the item at `index`. It is always an element.
    pub(super) fn item(self, index: usize) -> Self {
        let item = match self.items.get(index).or(self.items.last()) {
            Some(xml) => Self::row(xml, xml.name),
            None => Self::usual(self.property, None),
        };
        Self { node: XmlNode::Element, ..item }
    }

    /// Returns the number of items with forms of their own.
    pub(super) fn own_items(self) -> usize {
        self.items.len().max(1)
    }

    /// Returns whether the value is the text of the element around it.
    pub(super) fn is_text(self) -> bool {
        matches!(self.node, XmlNode::Text | XmlNode::Cdata)
    }
}

/// Returns whether a schema describes arrays only.
pub(super) fn is_array(schema: &'static Schema) -> bool {
    matches!(type_of(schema), Type::Array(_) | Type::Tuple(_))
}

/// Returns whether XML can contain all characters of a text.
pub(super) fn is_text(text: &str) -> bool {
    let is_control = |byte: &u8| *byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r');
    !text.bytes().any(|byte| is_control(&byte)) && !text.contains(['\u{fffe}', '\u{ffff}'])
}
