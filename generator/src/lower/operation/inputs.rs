//! Inputs: the parameters and the body of an operation as one struct, and the examples that the document has for them.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::{
    document::Document,
    ir::{Additional, Docs, Field, Ident, Kind, Location, StructDef, StructRole, TypeId},
    lower::{
        operation::{parameters, state::Operations},
        schema::state,
    },
    names::{self, Style},
    tree::{Node, NodeRef},
};

impl<'d> Operations<'d, '_> {
    /// Fills in the input type: a field per parameter, then the body.
    pub fn input(
        &mut self,
        id: TypeId,
        parameters: &[parameters::Lowered<'d>],
        body: Option<&crate::ir::Body>,
        docs: &Docs,
    ) {
        let wires = wire_names(parameters, body.is_some());
        let nodes = parameters.iter().map(|lowered| vec![lowered.node]).chain([Vec::new()]);
        let siblings: Vec<_> = nodes.zip(&wires).map(|(nodes, wire)| (nodes, wire.as_str())).collect();
        let texts = self.renames.texts(&siblings);
        let mut idents = names::settle(&texts, Style::Field).into_iter().map(Ident);
        let mut fields = Vec::with_capacity(wires.len());
        let document = self.document;
        for (lowered, wire) in parameters.iter().zip(&wires) {
            let parameter = &lowered.parameter;
            let schema = lowered.node.get("schema");
            let content = || first_content(document, lowered.node)?.get("schema");
            let default = schema.or_else(content).and_then(|schema| self.default_of(schema));
            if let Some(node) = default {
                self.schemas.notes.defaults.push(state::Default { id, field: fields.len(), node });
            }
            let ident = idents.next().unwrap_or_else(|| names::field(wire));
            let (schema, docs) = (parameter.schema.clone(), parameter.docs.clone());
            fields.push(Field::new(wire.as_str(), ident, schema, parameter.required, docs));
        }
        if let Some(body) = body {
            let ident = idents.next().unwrap_or_else(|| names::field("body"));
            fields.push(Field::new("body", ident, body.schema.clone(), body.required, Docs::default()));
        }
        let kind = Kind::Struct(StructDef {
            additional: Additional::Forbidden,
            ..StructDef::new(StructRole::Input, fields)
        });
        let docs = Docs { deprecated: docs.deprecated, ..Docs::default() };
        self.types.fill(id, docs, kind);
    }

    /// Returns the example of a parameter or of its schema.
    pub fn parameter_example(&self, node: NodeRef<'d>) -> Option<Value> {
        let content = || first_content(self.document, node);
        let schema = || node.get("schema").or_else(|| content()?.get("schema"));
        let own = self.example_of(node).or_else(|| self.example_of(content()?));
        own.or_else(|| self.schema_example(schema()?)).map(Node::to_json)
    }

    /// Returns the example of a body's first media type or of its schema.
    pub fn body_example(&self, node: NodeRef<'d>) -> Option<Value> {
        let body = self.document.resolve(node).ok()?.node;
        let content = first_content(self.document, body)?;
        let own = self.example_of(content);
        own.or_else(|| self.schema_example(content.get("schema")?)).map(Node::to_json)
    }

    fn schema_example(&self, node: NodeRef<'d>) -> Option<NodeRef<'d>> {
        let node = self.document.resolve(node).ok()?.node;
        self.example_of(node).or_else(|| node.get("default"))
    }
}

/// Returns the first media type of a parameter or body.
fn first_content<'d>(document: &'d Document, node: NodeRef<'d>) -> Option<NodeRef<'d>> {
    let (_, content) = node.get("content")?.entries().next()?;
    Some(document.resolve(content).ok()?.node)
}

/// Returns the wire names of an input's fields.
///
/// If two names are equal, or one is `body`, they get the location as a prefix.
fn wire_names(parameters: &[parameters::Lowered<'_>], has_body: bool) -> Vec<String> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for lowered in parameters {
        *counts.entry(&lowered.parameter.name).or_default() += 1;
    }
    if has_body {
        *counts.entry("body").or_default() += 1;
    }
    let mut names: Vec<String> = parameters
        .iter()
        .map(|lowered| {
            let name = &lowered.parameter.name;
            if counts.get(name.as_str()) == Some(&1) {
                return name.clone();
            }
            let location = match lowered.parameter.location {
                Location::Path => "path",
                Location::Query | Location::QueryString => "query",
                Location::Header => "header",
                Location::Cookie => "cookie",
            };
            format!("{location}_{name}")
        })
        .collect();
    if has_body {
        names.push("body".to_owned());
    }
    // Names can still collide, such as `id` in path and query with a `query_id`. A hash makes them unique.
    let mut seen = HashSet::new();
    for (index, name) in names.iter_mut().enumerate() {
        if !seen.insert(name.clone()) {
            let position = parameters
                .get(index)
                .map(|lowered| format!("{:?}{}", lowered.parameter.location, lowered.parameter.name));
            *name = format!("{name}_{}", names::fingerprint(&position.unwrap_or_default()));
            seen.insert(name.clone());
        }
    }
    names
}
