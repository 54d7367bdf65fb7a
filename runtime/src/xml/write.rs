//! Writes values as documents.

use super::form::{Form, INSTANCE, XML, is_array, is_text};
use super::name::is_name;
use crate::codec::view::{View, outermost};
use crate::codec::{Encode, Entries};
use crate::table::{Schema, Type, Xml, XmlNode};
use crate::types::Value;
use crate::validation::resolve::{item_of, kept_by, object_of, type_of};

/// A document that was written.
pub(crate) struct Written {
    pub(crate) bytes: Vec<u8>,
    /// The property whose value XML can't represent, so that the document must not be sent.
    ///
    /// XML has no control characters, and the names of elements are more restricted than those of properties.
    pub(crate) unwritable: Option<&'static str>,
}

/// Writes a value as a document, without white space between elements.
pub(crate) fn write_xml(root: &'static Xml, schema: &'static Schema, value: &dyn Encode) -> Written {
    let form = Form::root(root);
    let mut out = Out {
        text: "<?xml version=\"1.0\" encoding=\"UTF-8\"?>".to_owned(),
        namespaces: vec![("xml", XML)],
        used: Vec::new(),
        depth: 0,
        roots: 0,
        property: if root.name.is_empty() { "body" } else { root.name },
        unwritable: None,
    };
    ValueWriter { out: &mut out, form, schema: Some(schema), is_item: true }.write(value);
    if out.roots > 1 {
        out.fail();
    }
    // An object around the root has none without its field.
    if out.roots == 0 {
        out.text.clear();
    }
    Written { bytes: out.text.into_bytes(), unwritable: out.unwritable }
}

/// The text of a document.
struct Out {
    text: String,
    /// The declared namespaces that apply here, by their prefixes.
    namespaces: Vec<(&'static str, &'static str)>,
    /// The prefixes in the current start tag, with their namespaces.
    used: Vec<(&'static str, &'static str)>,
    depth: usize,
    roots: usize,
    /// The innermost documented property.
    property: &'static str,
    unwritable: Option<&'static str>,
}

impl Out {
    fn fail(&mut self) {
        self.unwritable.get_or_insert(self.property);
    }

    /// Returns the namespace of a prefix, which is empty for none.
    fn bound(&self, prefix: &str) -> Option<&'static str> {
        let bound = self.namespaces.iter().rev().find(|(known, _)| *known == prefix);
        bound.map(|(_, namespace)| *namespace)
    }

    /// Writes the name of an element or attribute.
    fn name(&mut self, form: Form<'_>, prefix: Option<&str>) {
        if !is_name(form.name) || !prefix.is_none_or(is_name) {
            self.fail();
        }
        if let Some(prefix) = prefix {
            self.text.push_str(prefix);
            self.text.push(':');
        }
        self.text.push_str(form.name);
    }

    /// Declares a namespace in a start tag, unless it is declared.
    ///
    /// A tag can't have two namespaces of one prefix, even if one of them is declared around it.
    fn declare(&mut self, prefix: &'static str, namespace: &'static str) {
        match self.used.iter().find(|(known, _)| *known == prefix) {
            Some((_, known)) if *known == namespace => return,
            Some(_) => return self.fail(),
            None if prefix == "xml" && namespace != XML => return self.fail(),
            None => self.used.push((prefix, namespace)),
        }
        if self.bound(prefix) == Some(namespace) {
            return;
        }
        self.namespaces.push((prefix, namespace));
        self.text.push_str(if prefix.is_empty() { " xmlns" } else { " xmlns:" });
        self.text.push_str(prefix);
        self.text.push_str("=\"");
        self.escape(namespace, true);
        self.text.push('"');
    }

    /// Returns the prefix with which a name is written. It needs a namespace.
    fn prefix(&self, form: Form<'_>) -> Option<&'static str> {
        form.prefix.filter(|prefix| form.namespace.is_some() || self.bound(prefix).is_some())
    }

    fn attribute(&mut self, form: Form<'_>, value: &str) {
        // Only with a prefix, an attribute has a namespace.
        let prefix = self.prefix(form);
        if let (Some(prefix), Some(namespace)) = (prefix, form.namespace) {
            self.declare(prefix, namespace);
        }
        self.text.push(' ');
        self.name(form, prefix);
        self.text.push_str("=\"");
        self.escape(value, true);
        self.text.push('"');
    }

    /// Writes text. Readers replace line breaks, and in attributes all white space.
    fn escape(&mut self, text: &str, is_attribute: bool) {
        if !is_text(text) {
            self.fail();
        }
        for character in text.chars() {
            match character {
                '&' => self.text.push_str("&amp;"),
                '<' => self.text.push_str("&lt;"),
                '>' => self.text.push_str("&gt;"),
                '\r' => self.text.push_str("&#13;"),
                '"' if is_attribute => self.text.push_str("&quot;"),
                '\n' if is_attribute => self.text.push_str("&#10;"),
                '\t' if is_attribute => self.text.push_str("&#9;"),
                other => self.text.push(other),
            }
        }
    }

    fn cdata(&mut self, text: &str) {
        // A section has no references, so it can't contain everything.
        if text.is_empty() || text.contains('\r') || !is_text(text) {
            return self.escape(text, false);
        }
        self.text.push_str("<![CDATA[");
        self.text.push_str(&text.replace("]]>", "]]]]><![CDATA[>"));
        self.text.push_str("]]>");
    }
}

/// A writer of one value.
struct ValueWriter<'o, 'n> {
    out: &'o mut Out,
    form: Form<'n>,
    schema: Option<&'static Schema>,
    /// Whether the value is an item of an array, or the root.
    is_item: bool,
}

impl ValueWriter<'_, '_> {
    fn write(&mut self, value: &dyn Encode) {
        outermost(value, |view| match (view.untyped_text(), view) {
            (Some(text), _) => self.leaf(&text),
            (None, View::Array(items)) => self.array(items),
            (None, View::List(items)) => self.array(&mut items.iter().map(|item| item as &dyn Encode)),
            (None, View::Items(items)) => self.write(&Value::Array(items.ready())),
            (None, View::Object(fields, rest)) => self.object(fields, rest),
            (None, View::Map(fields)) => {
                let mut entries = fields.iter().map(|(name, value)| (name.as_str(), value as &dyn Encode));
                self.object(&[], Some(&mut entries));
            }
            (None, View::Variant(index, value)) => {
                let schema = match self.schema.map(type_of) {
                    Some(Type::Union(union)) => union.variants.get(index).copied(),
                    _ => None,
                };
                self.inner(self.form, schema, self.is_item, value);
            }
            (None, View::Choice(_, value)) => self.write(value),
            (None, _) => self.null(),
        });
    }

    /// Writes the value of a field or an item.
    fn inner(&mut self, form: Form<'_>, schema: Option<&'static Schema>, is_item: bool, value: &dyn Encode) {
        ValueWriter { out: self.out, form, schema, is_item }.write(value);
    }

    /// Writes a scalar.
    fn leaf(&mut self, text: &str) {
        let form = self.form;
        match form.node {
            XmlNode::Attribute => self.out.attribute(form, text),
            XmlNode::Text => self.out.escape(text, false),
            XmlNode::Cdata => self.out.cdata(text),
            XmlNode::Element | XmlNode::None => {
                self.element(form, |_| {}, |writer| writer.out.escape(text, false));
            }
        }
    }

    /// Writes an element with attributes and content.
    fn element(
        &mut self,
        form: Form<'_>,
        attributes: impl FnOnce(&mut Self),
        content: impl FnOnce(&mut Self),
    ) {
        let outer = self.out.namespaces.len();
        self.out.used.clear();
        self.out.roots += usize::from(self.out.depth == 0);
        self.out.depth += 1;
        self.out.text.push('<');
        let prefix = self.out.prefix(form);
        self.out.name(form, prefix);
        if let Some(namespace) = form.namespace {
            self.out.declare(prefix.unwrap_or_default(), namespace);
        }
        attributes(self);
        self.out.text.push('>');
        let start = self.out.text.len();
        content(self);
        if self.out.text.len() == start {
            self.out.text.pop();
            self.out.text.push_str("/>");
        } else {
            self.out.text.push_str("</");
            self.out.name(form, prefix);
            self.out.text.push('>');
        }
        self.out.namespaces.truncate(outer);
        self.out.depth -= 1;
    }

    /// Writes the items of an array in an element, or directly.
    fn items(&mut self, items: &mut dyn ExactSizeIterator<Item = &dyn Encode>) {
        for (index, item) in items.enumerate() {
            let schema = self.schema.and_then(|schema| item_of(schema, index));
            self.inner(self.form.item(index), schema, true, item);
        }
    }

    /// Writes the fields that are attributes, or all others.
    fn fields(&mut self, fields: &[(&'static str, &dyn Encode)], attributes: bool) {
        let rows = self.schema.and_then(object_of).map_or(&[][..], |row| row.fields);
        for (index, (name, value)) in fields.iter().enumerate().filter(|(_, (_, value))| !value.is_absent()) {
            let row = rows.get(index).filter(|row| row.name == *name);
            let row = row.or_else(|| rows.iter().find(|row| row.name == *name));
            let form = row.map_or_else(|| Form::usual(name, None), Form::of);
            if (form.node == XmlNode::Attribute) == attributes {
                let outer = std::mem::replace(&mut self.out.property, name);
                self.inner(form, row.map(|row| row.schema), false, *value);
                self.out.property = outer;
            }
        }
    }

    fn content(&mut self, fields: &[(&'static str, &dyn Encode)], rest: Option<&mut Entries<'_>>) {
        self.fields(fields, false);
        let schema = self.schema.and_then(object_of).and_then(kept_by);
        for (name, value) in rest.into_iter().flatten() {
            self.inner(Form::usual(name, schema), schema, false, value);
        }
    }

    /// Writes `xsi:nil`. A null attribute or text is left out.
    fn null(&mut self) {
        let form = match self.form.node {
            XmlNode::Element => self.form,
            // An array that is null has one item that is null.
            XmlNode::None => self.form.item(0),
            XmlNode::Attribute | XmlNode::Text | XmlNode::Cdata => return,
        };
        let attributes = |writer: &mut Self| {
            writer.out.declare("xsi", INSTANCE);
            writer.out.text.push_str(" xsi:nil=\"true\"");
        };
        self.element(form, attributes, |_| {});
    }

    fn array(&mut self, items: &mut dyn ExactSizeIterator<Item = &dyn Encode>) {
        let form = self.form;
        match form.node {
            XmlNode::Element if self.is_item || self.schema.is_some_and(is_array) => {
                self.element(form, |_| {}, |writer| writer.items(items));
            }
            XmlNode::Element | XmlNode::None => self.items(items),
            XmlNode::Attribute | XmlNode::Text | XmlNode::Cdata => self.out.fail(),
        }
    }

    fn object(&mut self, fields: &[(&'static str, &dyn Encode)], rest: Option<&mut Entries<'_>>) {
        let form = self.form;
        match form.node {
            XmlNode::Element => {
                self.element(
                    form,
                    |writer| writer.fields(fields, true),
                    |writer| writer.content(fields, rest),
                );
            }
            XmlNode::None => self.content(fields, rest),
            XmlNode::Attribute | XmlNode::Text | XmlNode::Cdata => self.out.fail(),
        }
    }
}
