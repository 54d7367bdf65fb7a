//! Request bodies, of a parameter `in: body` or of parameters `in: formData`.

use std::collections::HashSet;

use super::{
    build::{Fields, JSON, MediaTypes, Rewriter, texts},
    parameters::Parameters,
    table::Kind,
    values::{Location, Separation},
};
use crate::{
    diagnostics::Code,
    document::media,
    tree::{Node, NodeRef, Value},
};

const URLENCODED: &str = "application/x-www-form-urlencoded";

const MULTIPART: &str = "multipart/form-data";

impl<'d> Rewriter<'d, '_> {
    /// Returns the request body of an operation, if its parameters have one.
    ///
    /// Those of the path item count unless the operation has its own.
    pub fn request_body(
        &mut self,
        operation: NodeRef<'d>,
        own: &Parameters<'d>,
        inherited: &Parameters<'d>,
    ) -> Option<Node> {
        let consumes = self.media_types(operation, "consumes").unwrap_or_else(|| self.consumes.clone());
        let bodies =
            if own.bodies.is_empty() && own.form.is_empty() { &inherited.bodies } else { &own.bodies };
        let mut form = own.form.clone();
        if own.bodies.is_empty() {
            let name = |field: NodeRef<'d>| field.get("name").and_then(Node::as_str);
            let names: HashSet<_> = form.iter().map(|field| name(field)).collect();
            form.extend(inherited.form.iter().filter(|field| !names.contains(&name(field))));
        }
        let Some((written, body)) = bodies.first().copied() else {
            return (!form.is_empty()).then(|| self.form(operation, &form, &consumes));
        };
        for (second, _) in bodies.iter().skip(1) {
            let message = "an operation has only one parameter `in: body`, so this one is left out";
            self.error(Code::BadParameter, second, message).label(written, "this one is used");
        }
        for field in &form {
            let message = "`in: formData` can't be next to `in: body`, so this parameter is left out";
            self.error(Code::BadParameter, field, message).label(written, "the body is this parameter");
        }
        let shared = self.usage.of(body).filter(|_| !std::ptr::eq(written, body));
        let is_component = self.is_main(body) && written.get("$ref").is_some();
        if is_component && shared.is_some_and(|shared| texts(&shared) == texts(&consumes)) {
            return Some(self.reference(written));
        }
        Some(self.body(body, &consumes))
    }

    /// Returns whether a node is a parameter under `parameters` of the main file.
    pub fn is_main(&self, node: NodeRef<'d>) -> bool {
        self.main_parameters.contains(&node.id())
    }

    /// Rewrites a parameter `in: body`.
    pub fn body(&mut self, node: NodeRef<'d>, consumes: &MediaTypes<'d>) -> Node {
        self.check(node, Kind::Parameter);
        let mut fields = Fields::new();
        for (name, value) in node.entries() {
            let is_kept = matches!(name, "description" | "required")
                || name.starts_with("x-") && !matches!(name, "x-example" | "x-examples");
            if is_kept {
                fields.push((name.to_owned(), self.keep_below(value)));
            } else if Kind::is_of_value(name) && node.get("schema").is_some() || name == "allowEmptyValue" {
                let message = format!("`{name}` has no effect in a parameter `in: body`");
                self.warn(Code::BadParameter, value, message).at_name();
            }
        }
        let content =
            self.content(node, consumes, |rewriter, media_type, _| rewriter.body_content(node, media_type));
        fields.push(("content".to_owned(), content));
        self.object(node, fields)
    }

    /// Returns a map of media types, in which `make` fills in each. Without any, it is JSON.
    pub fn content(
        &mut self,
        at: NodeRef<'d>,
        types: &[(&'d str, NodeRef<'d>)],
        mut make: impl FnMut(&mut Self, &str, NodeRef<'d>) -> Fields,
    ) -> Node {
        let usual = [(JSON, at)];
        let mut entries = Fields::new();
        for (media_type, node) in if types.is_empty() { &usual } else { types } {
            // A document that grows too much is refused anyway.
            if self.left == 0 {
                break;
            }
            let fields = make(self, media_type, node);
            entries.push(((*media_type).to_owned(), self.object(node, fields)));
        }
        self.object(at, entries)
    }

    fn body_content(&mut self, node: NodeRef<'d>, media_type: &str) -> Fields {
        let mut fields = Fields::new();
        if let Some(schema) = node.get("schema") {
            fields.push(("schema".to_owned(), self.schema(schema)));
        } else if node.get("type").is_some() {
            let message = "a parameter `in: body` has a `schema`; its `type` is read as that of the schema";
            self.error(Code::MissingField, node, message);
            let (schema, _) = self.value(node, "the body", Location::Other);
            fields.push(("schema".to_owned(), schema));
        } else {
            self.error(Code::MissingField, node, "missing field `schema` in parameter `in: body`");
        }
        fields.extend(self.body_examples(node, media_type));
        fields
    }

    /// Returns the examples that extensions give for a media type.
    fn body_examples(&mut self, node: NodeRef<'d>, media_type: &str) -> Fields {
        if let Some(example) = node.get("x-example") {
            return vec![("example".to_owned(), self.keep_below(example))];
        }
        let Some(examples) = node.get("x-examples").filter(|examples| examples.is_object()) else {
            return Fields::new();
        };
        if examples.entries().any(|(name, _)| name.contains('/')) {
            let own = examples.get(media_type).map(|own| ("example".to_owned(), self.keep_below(own)));
            return own.into_iter().collect();
        }
        vec![("examples".to_owned(), self.named_examples(examples))]
    }

    /// Returns the body that parameters `in: formData` make.
    fn form(&mut self, operation: NodeRef<'d>, form: &[NodeRef<'d>], consumes: &MediaTypes<'d>) -> Node {
        let at = form.first().copied().unwrap_or(operation);
        let types = self.form_types(at, form, consumes);
        let content = self.content(at, &types, |rewriter, _, at| rewriter.form_content(at, form));
        let mut fields = vec![("content".to_owned(), content)];
        if form.iter().any(|field| is_required(field)) {
            fields.push(("required".to_owned(), self.flag(at, true)));
        }
        self.object(at, fields)
    }

    /// Returns the media types of a form: those of forms that the operation consumes, or else the usual one.
    fn form_types(
        &mut self,
        at: NodeRef<'d>,
        form: &[NodeRef<'d>],
        consumes: &MediaTypes<'d>,
    ) -> Vec<(&'static str, NodeRef<'d>)> {
        let file = form.iter().find(|field| has_file(field)).copied();
        let known = |(text, node): &(&str, NodeRef<'d>)| {
            let essence = media::essence(text);
            [URLENCODED, MULTIPART].into_iter().find(|form| *form == essence).map(|form| (form, *node))
        };
        let mut types: Vec<_> = consumes.iter().filter_map(known).collect();
        let usual = if file.is_some() { MULTIPART } else { URLENCODED };
        if file.is_some() {
            types.retain(|(form, _)| *form == MULTIPART);
        }
        if types.is_empty() {
            if let Some((_, other)) = consumes.first() {
                let what = if file.is_some() { "a file" } else { "`in: formData`" };
                let message = format!("{what} needs `{usual}` in `consumes`, which is assumed");
                self.warn(Code::BadContent, other, message);
            }
            types.push((usual, at));
        }
        types.dedup_by_key(|(form, _)| *form);
        types
    }

    fn form_content(&mut self, at: NodeRef<'d>, form: &[NodeRef<'d>]) -> Fields {
        let (mut properties, mut required, mut encoding) = (Fields::new(), Vec::new(), Fields::new());
        for field in form {
            let name = field.get("name").and_then(Node::as_str).unwrap_or_default();
            let (schema, separation) = self.form_field(field, name);
            properties.push((name.to_owned(), schema));
            if is_required(field) {
                required.push(self.text(field.get("required").unwrap_or(field), name));
            }
            // Without an encoding, a list in OpenAPI 3 is several parts or pairs of one name.
            if !matches!(separation, Separation::Style(_, true)) {
                let style = self.style(field, separation);
                if !style.is_empty() {
                    encoding.push((name.to_owned(), self.object(field, style)));
                }
            }
        }
        let mut schema = vec![
            ("type".to_owned(), self.text(at, "object")),
            ("properties".to_owned(), self.object(at, properties)),
        ];
        if !required.is_empty() {
            schema.push(("required".to_owned(), self.array(at, required)));
        }
        let mut fields = vec![("schema".to_owned(), self.object(at, schema))];
        if !encoding.is_empty() {
            fields.push(("encoding".to_owned(), self.object(at, encoding)));
        }
        fields
    }

    /// Returns the schema of a form field, with its description, examples and extensions.
    fn form_field(&mut self, field: NodeRef<'d>, name: &str) -> (Node, Separation) {
        self.check(field, Kind::Parameter);
        let (mut schema, separation) = self.value(field, &format!("parameter `{name}`"), Location::Form);
        let is_string = field.get("type").and_then(Node::as_str) == Some("string");
        if let Some(empty) =
            field.get("allowEmptyValue").filter(|at| at.as_bool() == Some(true) && !is_string)
        {
            let message = "unsupported `allowEmptyValue` of a form field that is not a string";
            self.warn(Code::Unsupported, empty, message).at_name();
        }
        let mut annotations = Fields::new();
        for (keyword, value) in field.entries() {
            let is_extension = keyword.starts_with("x-") && !super::values::is_of_schema(keyword);
            let name = match keyword {
                "x-example" if field.get("example").is_none() => "example",
                "description" | "example" | "deprecated" => keyword,
                _ if is_extension => keyword,
                _ => continue,
            };
            annotations.push((name.to_owned(), self.keep_below(value)));
        }
        if let Value::Object(object) = &mut schema.value {
            object.extend(annotations);
        }
        (schema, separation)
    }
}

fn is_required(field: &Node) -> bool {
    field.get("required").and_then(Node::as_bool) == Some(true)
}

/// Returns whether a form field is a file or a list of files.
fn has_file(field: &Node) -> bool {
    let is_file = |node: &Node| node.get("type").and_then(Node::as_str) == Some("file");
    is_file(field) || field.get("items").is_some_and(is_file)
}
