//! Builds the nodes of the new tree, each of which replaces a node of the original.

use std::collections::HashSet;

use super::{
    keys::Keys,
    scan::References,
    table::{Inner, Kind, Since},
    usage::Usage,
};
use crate::{
    diagnostics::{Code, Diagnostics, UnlocatedDiagnostic},
    document::Document,
    tree::{Node, NodeId, NodeRef, Object, Value},
};

/// A list of media types, each with its string in the document.
pub type MediaTypes<'d> = Vec<(&'d str, NodeRef<'d>)>;

/// The fields of a new object.
pub type Fields = Vec<(String, Node)>;

/// Rewrites the objects of a document.
///
/// A new node has the id and the location of the node that it stands for, so that diagnostics point there.
pub struct Rewriter<'d, 'x> {
    pub document: &'d Document,
    pub references: &'x References,
    pub usage: Usage<'d>,
    pub keys: Keys<'d>,
    pub consumes: MediaTypes<'d>,
    pub produces: MediaTypes<'d>,
    pub diagnostics: &'x mut Diagnostics,
    /// The number of nodes that may still be built.
    pub left: usize,
    /// The number of entries in the mappings of discriminators.
    pub mapped: usize,
    /// The parameters under `parameters` of the main file.
    pub main_parameters: HashSet<NodeId>,
}

impl<'d> Rewriter<'d, '_> {
    /// Returns an object that replaces a node.
    pub fn object(&mut self, at: NodeRef<'_>, fields: Fields) -> Node {
        self.node(at, Value::Object(Object::new(fields)))
    }

    pub fn array(&mut self, at: NodeRef<'_>, items: Vec<Node>) -> Node {
        self.node(at, Value::Array(items))
    }

    pub fn text(&mut self, at: NodeRef<'_>, text: impl Into<String>) -> Node {
        self.node(at, Value::String(text.into()))
    }

    pub fn flag(&mut self, at: NodeRef<'_>, value: bool) -> Node {
        self.node(at, Value::Boolean(value))
    }

    pub fn node(&mut self, at: NodeRef<'_>, value: Value) -> Node {
        self.left = self.left.saturating_sub(1);
        // The caller discards a document that exceeds the limit, so the values beyond it do not matter.
        Node { id: at.id(), location: at.location(), value: if self.left == 0 { Value::Null } else { value } }
    }

    /// Returns a copy of a value, in which only the targets of references are rewritten.
    pub fn keep(&mut self, node: NodeRef<'d>) -> Node {
        match self.references.targets.get(&node.id()) {
            Some(expected) if *expected != Inner::Plain => self.inner(node, *expected),
            _ => self.keep_below(node),
        }
    }

    /// Copies a value, in which the targets of references below it are rewritten.
    pub fn keep_below(&mut self, node: NodeRef<'d>) -> Node {
        let value = match node.value() {
            Value::Array(items) => Value::Array(items.iter().map(|item| self.keep(item)).collect()),
            Value::Object(object) => {
                let fields = object.fields().iter().map(|(name, field)| (name.clone(), self.keep(field)));
                Value::Object(Object::new(fields.collect()))
            }
            scalar => scalar.clone(),
        };
        self.node(node, value)
    }

    /// Rewrites what a field contains.
    pub fn inner(&mut self, node: NodeRef<'d>, inner: Inner) -> Node {
        match (inner, node.value()) {
            (Inner::Plain, _) => self.keep_below(node),
            (Inner::One(kind), Value::Object(_)) => self.one(node, kind),
            (_, Value::Object(object)) if !is_reference(node) => {
                let fields = object.fields().iter();
                let fields = fields
                    .map(|(name, field)| (name.clone(), self.inner(field, inner.of_entry(name))))
                    .collect();
                self.object(node, fields)
            }
            (_, Value::Array(items)) => {
                let items = items.iter().map(|item| self.inner(item, inner.of_entry(""))).collect();
                self.array(node, items)
            }
            _ => self.keep_below(node),
        }
    }

    fn one(&mut self, node: NodeRef<'d>, kind: Kind) -> Node {
        match kind {
            Kind::Schema | Kind::Items => self.schema(node),
            Kind::PathItem => self.path_item(node),
            Kind::Parameter => self.shared_parameter(node),
            Kind::Response => {
                let produces = self.usage.of(node).unwrap_or_else(|| self.produces.clone());
                self.response(node, &produces)
            }
            Kind::Header => self.header(node),
            Kind::SecurityScheme => self.security_scheme(node),
            Kind::Later => self.fields(node, kind),
            Kind::Document | Kind::Operation => self.keep_below(node),
        }
    }

    /// Rewrites the objects in the fields of an object, which stays as it is otherwise.
    pub fn fields(&mut self, node: NodeRef<'d>, kind: Kind) -> Node {
        let fields = node.entries().map(|(name, field)| self.field(kind, name, field)).collect();
        self.object(node, fields)
    }

    /// Rewrites the objects in a field, which keeps its name.
    pub fn field(&mut self, kind: Kind, name: &str, field: NodeRef<'d>) -> (String, Node) {
        (name.to_owned(), self.inner(field, Inner::of_field(kind, name)))
    }

    /// Checks the fields of an object, and rewrites them: each known one keeps its name, unless `convert` returns others.
    pub fn convert(
        &mut self,
        node: NodeRef<'d>,
        kind: Kind,
        mut convert: impl FnMut(&mut Self, &str, NodeRef<'d>) -> Option<Fields>,
    ) -> Fields {
        self.check(node, kind);
        let mut fields = Fields::new();
        for (name, value) in node.entries() {
            match convert(self, name, value) {
                Some(converted) => fields.extend(converted),
                None if name.starts_with("x-") || kind.field(name).is_some() => {
                    fields.push(self.field(kind, name, value));
                }
                None => {}
            }
        }
        fields
    }

    /// Reports the fields of an object that Swagger 2.0 does not define.
    pub fn check(&mut self, node: NodeRef<'d>, kind: Kind) {
        for (name, field) in node.entries().filter(|(name, _)| !name.starts_with("x-")) {
            let what = kind.what();
            match kind.field(name).map(|(since, _)| since) {
                Some(Since::Swagger2) => {}
                Some(Since::OpenApi3) => {
                    let message =
                        format!("Swagger 2.0 has no `{name}` in {what}; it is read as in OpenAPI 3");
                    self.warn(Code::NotInSwagger, field, message).at_name();
                }
                // The keywords of schemas are checked where schemas are read.
                None if matches!(kind, Kind::Schema | Kind::Items) => {}
                None => self.diagnostics.unknown_field(field, name, what, kind.names()),
            }
        }
    }

    /// Returns a new reference.
    pub fn reference(&mut self, node: NodeRef<'d>) -> Node {
        let fields = self.reference_fields(node);
        self.object(node, fields)
    }

    /// Returns a reference with the fields beside it that describe the target's use, and reports the others.
    pub fn reference_fields(&mut self, node: NodeRef<'d>) -> Fields {
        const WORDS: &[&str] =
            &["$ref", "description", "title", "summary", "example", "deprecated", "externalDocs", "xml"];
        let mut fields = Fields::new();
        for (name, field) in node.entries() {
            if WORDS.contains(&name) || name.starts_with("x-") {
                fields.push((name.to_owned(), self.keep_below(field)));
            } else {
                let message = format!("Swagger 2.0 ignores `{name}` next to `$ref`");
                let warning = self.warn(Code::RefSibling, field, message).at_name();
                warning.help("put the `$ref` into an `allOf`, and the other fields next to that `allOf`");
            }
        }
        fields
    }

    /// Returns the end of a chain of references, or `None` if it leads nowhere.
    pub fn resolve(&self, node: NodeRef<'d>) -> Option<NodeRef<'d>> {
        let chain = self.references.chain(self.document, node);
        chain.last().copied().or(Some(node)).filter(|last| !is_reference(last))
    }

    pub fn warn(&mut self, code: Code, node: &Node, message: impl Into<String>) -> &mut UnlocatedDiagnostic {
        self.diagnostics.warning(code, node, message)
    }

    pub fn error(&mut self, code: Code, node: &Node, message: impl Into<String>) -> &mut UnlocatedDiagnostic {
        self.diagnostics.error(code, node, message)
    }

    /// Returns the media types in `consumes` or `produces` of an object that has the field, and reports mistakes.
    pub fn media_types(&mut self, node: NodeRef<'d>, name: &str) -> Option<MediaTypes<'d>> {
        let list = node.get(name).filter(|list| !list.is_null())?;
        if !list.is_array() {
            self.diagnostics.wrong_type(list, &format!("`{name}`"), "an array");
        }
        let mut known = HashSet::new();
        for item in media_type_items(list) {
            match item.as_str() {
                Some(text) if known.insert(text) => {}
                Some(text) => _ = self.warn(Code::BadContent, item, format!("duplicate media type `{text}`")),
                None => self.diagnostics.wrong_type(item, "a media type", "a string"),
            }
        }
        listed(node, name)
    }
}

/// Returns the media types in `consumes` or `produces` of an object that has the field, without a report.
///
/// A string is read as a list of it.
pub fn listed<'d>(node: NodeRef<'d>, name: &str) -> Option<MediaTypes<'d>> {
    let list = node.get(name).filter(|list| !list.is_null())?;
    let mut known = HashSet::new();
    let types = media_type_items(list).iter().filter_map(|item| Some((item.as_str()?, item)));
    Some(types.filter(|(text, _)| known.insert(*text)).collect())
}

fn media_type_items(list: &Node) -> &[Node] {
    if list.as_str().is_some() { std::slice::from_ref(list) } else { list.items() }
}

/// The media type of bodies whose operation names none.
pub const JSON: &str = "application/json";

/// Returns the texts of the media types that a body gets.
pub fn texts<'d>(types: &MediaTypes<'d>) -> Vec<&'d str> {
    if types.is_empty() { vec![JSON] } else { types.iter().map(|(text, _)| *text).collect() }
}

/// Returns whether a node is a reference.
pub fn is_reference(node: &Node) -> bool {
    node.get("$ref").is_some_and(|text| text.as_str().is_some())
}

/// Returns the id of the target of a reference.
pub fn target_of(references: &References, node: &Node) -> Option<NodeId> {
    references.sites.get(&node.get("$ref")?.id()).map(|target| target.id)
}
