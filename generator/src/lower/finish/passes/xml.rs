//! The forms of fields in XML, which are checked against the types of the fields.

use std::collections::HashMap;

use crate::{
    diagnostics::Code,
    document::NodeRef,
    ir::{Kind, Schema, Type, TypeId, Xml, XmlNode},
    lower::{context::Reporting, finish::state::Finish, schema::notes::XmlForm},
};

/// The maximum number of aliases between a field and its type.
const MAX_ALIASES: usize = 32;

impl Finish<'_, '_> {
    /// Adds the forms to the fields that a body in XML can contain, and reports what has no effect.
    pub fn settle_xml(&mut self) {
        let mut roots = Vec::new();
        self.api.contents(&mut |content| {
            if content.xml.is_some() {
                content.schema.named(&mut |id| roots.push(id));
            }
        });
        let reached = self.reachable(roots);
        let mut known = HashMap::new();
        for note in std::mem::take(&mut self.schema_notes.xml) {
            if !reached.get(note.id.0).copied().unwrap_or_default() {
                continue;
            }
            let XmlForm { id, field, node, form, names_items } = note;
            let Some(Kind::Struct(def)) = self.types.kind(id) else { continue };
            let Some((wire, schema)) = def.fields.get(field).map(|field| (&field.wire, &field.schema)) else {
                continue;
            };
            let (wire, is_scalar) = (wire.clone(), self.is_one_text(schema, MAX_ALIASES));
            let form = self.checked(form, &wire, is_scalar, node);
            if names_items {
                let message = "OpenAPI ignores the `name` of an array without an element around its items; it is the name of the items";
                if let Some(said) = self.warn(Code::BadXml, node, message) {
                    said.help("write the name in `items`, or `wrapped: true`");
                }
            }
            self.check_unique(id, &form, &wire, node, &mut known);
            if let Some(Kind::Struct(def)) = self.types.kind_mut(id)
                && let Some(field) = def.fields.get_mut(field)
            {
                field.xml = Some(form).filter(|form| !form.is_usual(&wire));
            }
        }
    }

    /// Returns the form without what has no effect, which is reported.
    fn checked(&mut self, form: Xml, wire: &str, is_scalar: bool, node: NodeRef<'_>) -> Xml {
        let what = match form.node {
            XmlNode::Attribute => "an attribute",
            XmlNode::Text | XmlNode::Cdata => "text",
            XmlNode::Element | XmlNode::None => "",
        };
        let mut form = form;
        if !what.is_empty() && !is_scalar {
            let message = format!("`{wire}` is no scalar, so it can't be {what}; it is an element");
            self.warn(Code::BadXml, node, message);
            form = Xml { items: form.items, ..Xml::new(XmlNode::Element, wire) };
        }
        for item in &mut form.items {
            self.check_name(item, node);
        }
        self.check_name(&mut form, node);
        form
    }

    fn check_name(&mut self, form: &mut Xml, node: NodeRef<'_>) {
        if !matches!(form.node, XmlNode::Element | XmlNode::Attribute) {
            return;
        }
        if !is_name(&form.name) {
            let message = format!("`{}` is no name in XML, so a value can't be sent", form.name);
            if let Some(said) = self.warn(Code::BadXml, node, message) {
                said.help("set another one: `xml: {name: …}`");
            }
        }
        match (&form.prefix, &form.namespace) {
            (Some(prefix), None) if prefix != "xml" => {
                let message =
                    format!("the prefix `{prefix}` has no effect, unless an element around it declares it");
                if let Some(said) = self.warn(Code::BadXml, node, message) {
                    said.help("add the `namespace`");
                }
            }
            (None, Some(_)) if form.node == XmlNode::Attribute => {
                self.warn(
                    Code::BadXml,
                    node,
                    "the `namespace` of an attribute has no effect without a `prefix`",
                );
                form.namespace = None;
            }
            _ => {}
        }
    }

    /// Reports a field with the same node as another one.
    fn check_unique(
        &mut self,
        id: TypeId,
        form: &Xml,
        wire: &str,
        node: NodeRef<'_>,
        known: &mut HashMap<(TypeId, bool, Option<String>, String), String>,
    ) {
        let names = match form.node {
            XmlNode::None => form.items.iter().collect(),
            _ => vec![form],
        };
        for form in names {
            let is_attribute = form.node == XmlNode::Attribute;
            let key = (id, is_attribute, form.namespace.clone(), form.name.clone());
            // Text has no name, and there is one.
            if let Some(other) = known.insert(key, wire.to_owned()).filter(|other| other != wire) {
                let message =
                    format!("`{wire}` and `{other}` have the same name in XML; the first one is read");
                self.warn(Code::BadXml, node, message);
            }
        }
    }

    /// Returns whether a value is one text.
    fn is_one_text(&self, schema: &Schema, aliases: usize) -> bool {
        match &schema.ty {
            Type::Boolean | Type::Integer(_) | Type::Number(_) | Type::Text(_) | Type::Bytes | Type::Any => {
                true
            }
            Type::Named { id, .. } => match (self.types.kind(*id), aliases.checked_sub(1)) {
                (Some(Kind::Alias(schema)), Some(aliases)) => self.is_one_text(schema, aliases),
                (Some(Kind::Union(union)), Some(aliases)) => {
                    union.variants.iter().all(|variant| self.is_one_text(&variant.schema, aliases))
                }
                (kind, _) => matches!(kind, Some(Kind::StringEnum(_) | Kind::IntegerEnum(_))),
            },
            _ => false,
        }
    }
}

/// Returns whether a text is a name in XML, without a prefix.
fn is_name(text: &str) -> bool {
    let is_start = |it: char| it == '_' || it.is_alphabetic();
    text.starts_with(is_start) && text.chars().all(|it| is_start(it) || it.is_numeric() || "-.".contains(it))
}
