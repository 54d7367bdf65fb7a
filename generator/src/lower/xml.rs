//! The keyword `xml`: the forms of values in XML.
//!
//! The `xml` beside a reference has precedence over that of the target, so it can set another name. In OpenAPI 3.0, this
//! needs an `allOf`, because `xml` beside `$ref` has no effect.

use std::collections::HashSet;

use crate::{
    document::{Document, Version, component_name, media},
    ir::{Xml, XmlNode},
    tree::{Node, NodeId, NodeRef, Value},
};

/// The namespace of the prefix `xsi`, which documents use without declaring it.
const INSTANCE: &str = "http://www.w3.org/2001/XMLSchema-instance";

/// The maximum number of nested arrays whose items are read.
const MAX_ARRAYS: usize = 8;

/// The XML fields of a schema.
#[derive(Debug, Default)]
pub(in crate::lower) struct Words<'d> {
    name: Option<&'d str>,
    namespace: Option<&'d str>,
    prefix: Option<&'d str>,
    node_type: Option<XmlNode>,
    is_wrapped: Option<bool>,
    /// The component that the schema refers to.
    component: Option<String>,
    is_array: bool,
    /// The XML fields of the items of an array, first those of `prefixItems`.
    items: Vec<Self>,
}

impl<'d> Words<'d> {
    /// Reads a schema that these nodes describe together.
    pub fn read(document: &'d Document, nodes: &[NodeRef<'d>]) -> Self {
        Self::read_within(document, nodes, MAX_ARRAYS)
    }

    fn read_within(document: &'d Document, nodes: &[NodeRef<'d>], arrays: usize) -> Self {
        let mut words = Self::default();
        let mut items = Vec::new();
        let mut seen = HashSet::new();
        for node in nodes {
            words.add(document, node, &mut items, &mut seen);
        }
        if let Some(arrays) = arrays.checked_sub(1) {
            words.items = items.iter().map(|node| Self::read_within(document, &[node], arrays)).collect();
        }
        words
    }

    /// Adds the fields of a node. A field that an earlier node has set keeps its value.
    fn add(
        &mut self,
        document: &'d Document,
        node: NodeRef<'d>,
        items: &mut Vec<NodeRef<'d>>,
        seen: &mut HashSet<NodeId>,
    ) {
        if !seen.insert(node.id()) {
            return;
        }
        let reference = node.get("$ref").and_then(Node::as_str);
        if reference.is_none() || document.version() >= Version::V3_1 {
            self.add_own(node);
        }
        let listed = node.get("prefixItems").map_or(&[][..], Node::items).iter();
        self.is_array |= is_array(node);
        if items.is_empty() {
            items.extend(listed.chain(node.get("items").filter(|items| items.is_object())));
        }
        let members = node.get("allOf").map_or(&[][..], Node::items);
        let (others, own): (Vec<_>, Vec<_>) = members.iter().partition(|member| member.get("$ref").is_some());
        for member in own.into_iter().chain(others) {
            self.add(document, member, items, seen);
        }
        if let Some(reference) = reference
            && let Ok(target) = document.lookup(reference)
        {
            let component = component_name(reference, "schemas");
            self.component = self.component.take().or(component);
            self.add(document, target, items, seen);
        }
    }

    fn add_own(&mut self, node: NodeRef<'d>) {
        let Some(xml) = node.get("xml") else { return };
        let text = |name: &str| xml.get(name).and_then(Node::as_str).filter(|text| !text.is_empty());
        let flag = |name: &str| xml.get(name).and_then(Node::as_bool);
        self.name = self.name.or(text("name"));
        self.namespace = self.namespace.or(text("namespace"));
        self.prefix = self.prefix.or(text("prefix"));
        self.is_wrapped = self.is_wrapped.or(flag("wrapped"));
        let is_text = flag("x-text").or(flag("x-ms-text")) == Some(true);
        self.node_type = self.node_type.or(match text("nodeType") {
            Some("element") => Some(XmlNode::Element),
            Some("attribute") => Some(XmlNode::Attribute),
            Some("text") => Some(XmlNode::Text),
            Some("cdata") => Some(XmlNode::Cdata),
            Some("none") => Some(XmlNode::None),
            _ if is_text => Some(XmlNode::Text),
            _ => flag("attribute").filter(|it| *it).map(|_| XmlNode::Attribute),
        });
    }

    /// Returns whether the name of an array applies to its items, although OpenAPI ignores it.
    ///
    /// The name has no other effect there, so documents such as those of AWS mean the items. `property` is the name that
    /// the items have in OpenAPI.
    pub fn names_items(&self, property: &str) -> bool {
        let form = |words: &Self| words.named(XmlNode::Element, property);
        let is_renamed = |item: &Self| item.name.is_none() && form(self) != form(item);
        self.is_array
            && self.name.is_some()
            && self.node() == XmlNode::None
            && self.items.iter().any(is_renamed)
    }

    fn node(&self) -> XmlNode {
        match self.node_type {
            Some(node) => node,
            None if self.is_array && self.is_wrapped != Some(true) => XmlNode::None,
            None => XmlNode::Element,
        }
    }

    /// Returns the form of a property.
    pub fn property(&self, name: &str) -> Xml {
        let node = match self.node() {
            XmlNode::None if !self.is_array => XmlNode::Element,
            node => node,
        };
        self.form(node, name, name)
    }

    /// Returns the form of an item, which is always an element.
    fn item(&self, name: &str) -> Xml {
        self.form(XmlNode::Element, name, name)
    }

    /// Returns the form of a value. Without a name, items have that of the property.
    fn form(&self, node: XmlNode, name: &str, property: &str) -> Xml {
        let own = || self.named(node, name);
        if !self.is_array {
            return own();
        }
        let items = self.items.iter();
        if node != XmlNode::None {
            return Xml { items: items.map(|item| item.item(property)).collect(), ..own() };
        }
        let items = items.map(|item| match item.name {
            Some(_) => item.item(property),
            None => Xml { items: item.item(property).items, ..self.named(XmlNode::Element, property) },
        });
        Xml { items: items.collect(), ..Xml::new(XmlNode::None, "") }
    }

    /// Returns a node with the name of the document, or with this one.
    fn named(&self, node: XmlNode, name: &str) -> Xml {
        if !matches!(node, XmlNode::Element | XmlNode::Attribute) {
            return Xml::new(node, "");
        }
        let (prefix, name) = match self.name.unwrap_or(name).split_once(':') {
            Some((prefix, name)) => (Some(prefix), name),
            None => (self.prefix, self.name.unwrap_or(name)),
        };
        // XML Schema defines attributes with this prefix, and no elements.
        let is_known = prefix == Some("xsi");
        let node = if is_known { XmlNode::Attribute } else { node };
        let namespace = self.namespace.or(is_known.then_some(INSTANCE)).map(str::to_owned);
        Xml { namespace, prefix: prefix.map(str::to_owned), ..Xml::new(node, name) }
    }
}

/// Returns whether a schema object describes arrays.
fn is_array(node: NodeRef<'_>) -> bool {
    match node.get("type").map(Node::value) {
        Some(Value::String(kind)) => kind == "array",
        Some(Value::Array(kinds)) => {
            let kinds = || kinds.iter().map(Node::as_str);
            kinds().any(|kind| kind == Some("array"))
                && kinds().all(|kind| matches!(kind, Some("array" | "null")))
        }
        _ => node.get("items").or(node.get("prefixItems")).is_some(),
    }
}

/// Returns the form of the root of a body in XML, or `None` if the body can't be typed.
///
/// `content` is the node of the media type. A schema that only says that the body is a string describes its text.
pub(in crate::lower) fn root<'d>(
    document: &'d Document,
    media_type: &str,
    content: NodeRef<'d>,
) -> Option<Xml> {
    let schema = content.get("schema").filter(|_| media::is_xml(media_type))?;
    let target = media::target(document, schema);
    if !media::is_structured(target) {
        return None;
    }
    let words = Words::read(document, &[schema]);
    let name = words.name.map(str::to_owned).or_else(|| words.component.clone());
    if let Some(name) = name.filter(|_| words.node_type != Some(XmlNode::None)) {
        // The items of a root are under no property, so the name is that of their component.
        let mut root = words.form(XmlNode::Element, &name, &name);
        for (words, item) in words.items.iter().zip(&mut root.items) {
            match (words.name, &words.component) {
                (Some(_), _) => {}
                (None, Some(component)) => component.clone_into(&mut item.name),
                (None, None) => return None,
            }
        }
        return Some(root);
    }
    // An object without a name is around the root, which is its only property.
    let properties = target.get("properties").filter(|_| target.get("allOf").is_none());
    let is_around = properties.is_some_and(|properties| properties.entries().len() == 1);
    (is_around && !words.is_array).then(|| Xml::new(XmlNode::None, ""))
}

/// Returns whether a document has bodies in XML. Only then, the forms of properties matter.
pub(in crate::lower) fn occurs(document: &Document) -> bool {
    let mut occurs = false;
    document.walk(&mut |node| {
        let is_xml =
            |(name, _): (&str, NodeRef<'_>)| name.contains('/') && media::is_xml(&media::essence(name));
        occurs = occurs || node.get("content").is_some_and(|content| content.entries().any(is_xml));
    });
    occurs
}
