//! The forms of fields in XML, which are checked against the types of the fields.

use std::collections::{HashMap, HashSet, hash_map::Entry};

use crate::{
    diagnostics::Code,
    ir::{Kind, Schema, Type, TypeId, Xml, XmlNode},
    lower::{
        finish::state::Finish,
        schema::state::{XmlForm, XmlRoot},
    },
    names::is_xml_name,
    tree::NodeRef,
};

/// The fields by their nodes: the type, whether it is an attribute, the namespace and the name.
type Known = HashMap<(TypeId, bool, Option<String>, String), String>;

/// The namespaces of each prefix in the start tags of elements, by the type of their values.
type Prefixes = HashMap<(TypeId, String), HashSet<String>>;

impl Finish<'_, '_> {
    /// Adds the forms to the fields that an XML body can contain, and reports settings without effect.
    pub fn settle_xml(&mut self) {
        let mut roots = Vec::new();
        self.api.contents(&mut |content| {
            if content.xml.is_some() {
                content.schema.named(&mut |id| roots.push(id));
            }
        });
        let reached = self.reachable(roots);
        for XmlRoot { node, mut form } in std::mem::take(&mut self.schema_notes.xml_roots) {
            self.check_names(&mut form, node);
        }
        let mut known = Known::new();
        let mut attributes = Vec::new();
        for note in std::mem::take(&mut self.schema_notes.xml) {
            if !reached.get(note.id.0).copied().unwrap_or_default() {
                continue;
            }
            let XmlForm { id, field, node, form, names_items } = note;
            let Some(Kind::Struct(def)) = self.types.kind(id) else { continue };
            let Some((wire, schema)) = def.fields.get(field).map(|field| (&field.wire, &field.schema)) else {
                continue;
            };
            let (wire, is_scalar) = (wire.clone(), self.is_one_text(schema));
            let form = self.checked(form, &wire, is_scalar, node);
            if names_items {
                let message = "OpenAPI ignores the `name` of an array without an element around its items; it is the name of the items";
                self.warn(Code::BadXml, node, message).help("write the name in `items`, or `wrapped: true`");
            }
            let form = self.unique(id, form, &wire, node, &mut known);
            if form.node == XmlNode::Attribute {
                attributes.push((id, form.clone(), node));
            }
            if let Some(field) = self.types.struct_mut(id).and_then(|def| def.fields.get_mut(field)) {
                field.xml = Some(form).filter(|form| !form.is_usual(&wire));
            }
        }
        self.check_prefixes(attributes);
    }

    /// Reports attributes that can't be sent, because their start tag has another namespace for their prefix.
    fn check_prefixes(&mut self, attributes: Vec<(TypeId, Xml, NodeRef<'_>)>) {
        let mut prefixes = Prefixes::new();
        self.api.contents(&mut |content| {
            if let Some(form) = &content.xml {
                self.add_prefixes(form, &content.schema, &mut prefixes);
            }
        });
        for draft in self.types.iter() {
            let Some(Kind::Struct(def)) = &draft.kind else { continue };
            for field in &def.fields {
                if let Some(form) = &field.xml {
                    self.add_prefixes(form, &field.schema, &mut prefixes);
                }
            }
        }
        for (id, form, node) in attributes {
            let (Some(prefix), Some(namespace)) = (form.prefix, form.namespace) else { continue };
            let known = prefixes.entry((id, prefix)).or_default();
            let is_other = known.iter().any(|known| *known != namespace);
            known.insert(namespace);
            if is_other {
                let message = "another name in the same tag has this `prefix` with another `namespace`, so the attribute can't be sent";
                self.warn(Code::BadXml, node, message).help("use another prefix");
            }
        }
    }

    /// Adds the prefix of an element to the types whose values can be the element.
    fn add_prefixes(&self, form: &Xml, schema: &Schema, prefixes: &mut Prefixes) {
        let mut seen = HashSet::new();
        let mut open = vec![(form, schema)];
        while let Some((form, schema)) = open.pop() {
            let item = |index: usize| form.items.get(index).or(form.items.last());
            match &schema.ty {
                Type::Array(array) => open.extend(form.items.iter().map(|form| (form, &array.items))),
                Type::Tuple(schemas) => {
                    let schemas = schemas.iter().enumerate();
                    open.extend(schemas.filter_map(|(index, schema)| Some((item(index)?, schema))));
                }
                Type::Named { id, .. } if seen.insert((*id, std::ptr::from_ref(form))) => {
                    match self.types.kind(*id) {
                        Some(Kind::Alias(schema)) => open.push((form, schema)),
                        Some(Kind::Union(union)) => {
                            open.extend(union.variants.iter().map(|variant| (form, &variant.schema)));
                        }
                        Some(Kind::Struct(_)) if form.node == XmlNode::Element => {
                            if let (Some(prefix), Some(namespace)) = (&form.prefix, &form.namespace) {
                                prefixes.entry((*id, prefix.clone())).or_default().insert(namespace.clone());
                            }
                        }
                        _ => {}
                    }
                }
                _ => {}
            }
        }
    }

    /// Reports the parts of a form that have no effect, and returns the form without them.
    fn checked(&mut self, form: Xml, wire: &str, is_scalar: bool, node: NodeRef<'_>) -> Xml {
        let what = match form.node {
            XmlNode::Attribute => "an attribute",
            XmlNode::Text | XmlNode::Cdata => "text",
            XmlNode::Element | XmlNode::None => "",
        };
        let mut form = form;
        if !what.is_empty() && !is_scalar {
            let message = format!("`{wire}` is not a scalar, so it can't be {what}; it is an element");
            self.warn(Code::BadXml, node, message);
            form = Xml { items: form.items, ..Xml::new(XmlNode::Element, wire) };
        }
        self.check_names(&mut form, node);
        form
    }

    /// Reports names that XML does not allow, of a value and of its items.
    fn check_names(&mut self, form: &mut Xml, node: NodeRef<'_>) {
        for item in &mut form.items {
            self.check_names(item, node);
        }
        if !matches!(form.node, XmlNode::Element | XmlNode::Attribute) {
            return;
        }
        let mut names = std::iter::once(&form.name).chain(&form.prefix);
        if let Some(name) = names.find(|name| !is_xml_name(name)) {
            let message = format!("`{name}` is not a name in XML, so a value can't be sent");
            self.warn(Code::BadXml, node, message).help("set another one: `xml: {name: …}`");
        }
        match (&form.prefix, &form.namespace) {
            (Some(prefix), None) if prefix != "xml" => {
                let message =
                    format!("the prefix `{prefix}` has no effect, unless an element around it declares it");
                self.warn(Code::BadXml, node, message).help("add the `namespace`");
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

    /// Reports a field with the same node as another one, and returns its form.
    ///
    /// XML does not allow two attributes with one name, so the second one is an element.
    fn unique(&mut self, id: TypeId, form: Xml, wire: &str, node: NodeRef<'_>, known: &mut Known) -> Xml {
        let names = match form.node {
            XmlNode::None => form.items.iter().collect(),
            _ => vec![&form],
        };
        for named in names {
            let is_attribute = named.node == XmlNode::Attribute;
            let key = (id, is_attribute, named.namespace.clone(), named.name.clone());
            let first = match known.entry(key) {
                Entry::Vacant(position) => {
                    position.insert(wire.to_owned());
                    continue;
                }
                Entry::Occupied(first) if first.get() == wire => continue,
                Entry::Occupied(first) => first.get().clone(),
            };
            if is_attribute {
                let message = format!(
                    "`{wire}` and `{first}` are attributes with the same name; `{wire}` is an element"
                );
                self.error(Code::BadXml, node, message).help("set another one: `xml: {name: …}`");
                return self.unique(id, Xml::new(XmlNode::Element, wire), wire, node, known);
            }
            // Text nodes have an empty name, and an element has only one text. So a second one is reported, too.
            let message = format!("`{wire}` and `{first}` have the same name in XML; the first one is read");
            self.warn(Code::BadXml, node, message);
        }
        form
    }

    /// Returns whether every value of a schema is a single text in XML.
    fn is_one_text(&self, schema: &Schema) -> bool {
        let leaves = self.leaves(schema);
        let is_text = |leaf: &&Schema| match &leaf.ty {
            Type::Boolean | Type::Integer(_) | Type::Number(_) | Type::Text(_) | Type::Bytes | Type::Any => {
                true
            }
            Type::Named { id, .. } => {
                matches!(self.types.kind(*id), Some(Kind::StringEnum(_) | Kind::IntegerEnum(_)))
            }
            _ => false,
        };
        !leaves.is_cut && leaves.schemas.iter().all(is_text)
    }
}
