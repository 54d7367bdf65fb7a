//! Objects: structs and their fields.

mod assertions;
mod maps;
mod rules;

use crate::{
    diagnostics::Code,
    ir::{Direction, Field, Ident, Kind, Origin, Origins, Schema, StructDef, StructRole, Type, TypeId},
    lower::{
        position::{Role, SchemaPosition},
        resolver::{flat::Flat, literal::least, parts::Part},
        schema::{
            read::Reading,
            state::{self, Schemas},
        },
        xml::Words,
    },
    names::{self, Style},
    tree::{Node, NodeRef},
};

impl<'d> Schemas<'d, '_> {
    /// Returns the type of an object: a struct if it has properties or is closed, else a map.
    pub fn object_type(&mut self, flat: &Flat<'d>, reading: Reading<'_, 'd>) -> Type {
        if flat.properties.is_empty() && (!flat.closed || !flat.pattern_properties.is_empty()) {
            return self.map(flat, reading.position);
        }
        let id = self.new_type(reading);
        let siblings = flat.properties.iter();
        let siblings = siblings.map(|(name, parts)| (parts.iter().map(|part| part.node).collect(), *name));
        let siblings: Vec<_> = siblings.collect();
        let names = self.renames.texts(&siblings);
        let idents: Vec<Ident> = names::settle(&names, Style::Field).into_iter().map(Ident).collect();
        let mut fields = Vec::with_capacity(names.len());
        for ((name, parts), ident) in flat.properties.iter().zip(idents) {
            let required = flat.required.get(name).copied();
            fields.push(self.field(name, parts, ident, required, reading.position, (id, fields.len())));
        }
        self.note_undemanded(flat, &fields);
        self.check_required(flat);
        let additional = self.additional(flat, reading.position, &fields);
        let (rules, rule_nodes): (Vec<_>, Vec<_>) = self.rules(flat).into_iter().unzip();
        let counts = |(name, node): &(&str, NodeRef<'d>)| match *name {
            "minProperties" => Some(*node) == flat.merged.min_properties,
            "maxProperties" => Some(*node) == flat.merged.max_properties,
            _ => true,
        };
        let keywords = flat.of_objects.iter().copied().filter(counts);
        let kind = Kind::Struct(StructDef {
            additional,
            min_properties: least(flat.merged.min_properties),
            max_properties: flat.merged.max_properties.and_then(Node::as_u64),
            rules,
            origins: Origins::of_fields(keywords.chain(rule_nodes.into_iter().map(|node| ("x-rules", node)))),
            ..StructDef::new(StructRole::Object, fields)
        });
        self.types.fill(id, flat.docs.clone(), kind);
        Type::Named { id, boxed: false }
    }

    fn field(
        &mut self,
        name: &'d str,
        parts: &[Part<'d>],
        ident: Ident,
        required: Option<NodeRef<'d>>,
        position: &SchemaPosition<'d>,
        (id, index): (TypeId, usize),
    ) -> Field {
        let role = position.role.of_property(name);
        let mut schema = self.together(parts, position, |at| at.property(name).in_role(role));
        // A part of a multipart body can't be null, so a file that may be null is one that may be absent.
        let is_part = role == Role::Multipart && self.components.is_only_form(id);
        let may_be_null = is_part && take_null(&mut schema);
        let required = required.filter(|_| !may_be_null);
        let mut docs = crate::ir::Docs::default();
        let mut default = None;
        for part in parts {
            // The last part with a default wins.
            default = self.default_of(part.node).or(default);
            self.add_docs(&mut docs, part.node);
            self.note_examples(&schema, part.node, false);
        }
        docs.direction = self.direction(parts);
        if let Some(node) = default {
            self.notes.defaults.push(state::Default { id, field: index, node });
        }
        if let Some(first) = parts.first().filter(|_| self.has_xml) {
            let nodes: Vec<_> = parts.iter().map(|part| part.node).collect();
            let words = Words::read(self.document, &nodes);
            let (names_items, form) = (words.names_items(name), words.property(name));
            self.notes.xml.push(state::XmlForm { id, field: index, node: first.node, form, names_items });
        }
        let required_at = required.map_or_else(Origin::default, Origin::of);
        Field { required_at, ..Field::new(name, ident, schema, required.is_some(), docs) }
    }

    /// Notes where properties are required that requests can't contain.
    ///
    /// JSON Schemas only check requests.
    fn note_undemanded(&mut self, flat: &Flat<'d>, fields: &[Field]) {
        let is_sent = |field: &&Field| field.docs.direction == Some(Direction::Response);
        for field in fields.iter().filter(is_sent) {
            let demands = flat.demands.iter().filter(|node| node.as_str() == Some(field.wire.as_str()));
            self.json_schemas.undemanded.extend(demands.map(|node| node.id()));
        }
    }

    /// Returns the default of a property: its own, or that of the schema that it refers to.
    pub fn default_of(&self, node: NodeRef<'d>) -> Option<NodeRef<'d>> {
        let mut node = node;
        for _ in 0..8 {
            let own = node.get("default").filter(|_| self.is_3_1() || node.get("$ref").is_none());
            if own.is_some() {
                return own;
            }
            let single = node.get("allOf").map(Node::items).and_then(|members| match members {
                [member] => Some(member),
                _ => None,
            });
            node = match node.get("$ref").and_then(Node::as_str) {
                Some(reference) => self.document.lookup(reference).ok()?,
                None => single?,
            };
        }
        None
    }

    pub fn check_required(&mut self, flat: &Flat<'d>) {
        for (name, node) in &flat.required {
            if !flat.properties.contains_key(name) {
                self.needs_json_schema = true;
                let message = format!("`required` names a property `{name}` that `properties` does not list");
                self.warn(Code::MissingField, node, message);
            }
        }
    }
}

/// Makes a file, or an array of files, not nullable. Returns whether it was.
fn take_null(schema: &mut Schema) -> bool {
    match &mut schema.ty {
        Type::File => std::mem::take(&mut schema.nullable),
        Type::Array(rules) if rules.items.ty == Type::File => {
            rules.items.nullable = false;
            std::mem::take(&mut schema.nullable)
        }
        _ => false,
    }
}
