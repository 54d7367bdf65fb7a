//! What a document says of each operation: which parts a request and a response have, and the schema of each part.

use std::collections::BTreeMap;

use openapi_crates::{
    Flow, Input, Options, Source,
    internals::{Document, Operation as Lowered, Version, lowered},
};
use openapi_crates_suite::{convert, known, schemas, subjects};
use serde_json::{Map, Value};

use super::sent;

/// A document in both directions.
pub struct Contract {
    /// The document as it is written, with canonical references.
    pub written: Value,
    /// The schemas of requests and of responses, as JSON Schema: what a reader accepts.
    pub read: [Value; 2],
    /// The same schemas: what a program sends.
    pub sent: [Value; 2],
    /// The operations by method and path, without parameter names.
    pub operations: BTreeMap<String, Operation>,
}

/// An operation.
pub struct Operation {
    pub id: String,
    /// The name in reports: `GET /pets`.
    pub name: String,
    /// The parts of its requests and responses: ``query `status` ``, `response 200`.
    pub parts: BTreeMap<String, Part>,
}

/// A part of a request or a response.
pub struct Part {
    pub flow: Flow,
    /// Whether a request or response has it. `None` if other parts say so.
    pub is_required: Option<bool>,
    /// The JSON pointer to the schema of its value.
    pub schema: Option<String>,
    /// Whether the value is sent as text, without the types of JSON.
    pub is_text: bool,
    /// A valid value.
    pub example: Option<Value>,
}

impl Contract {
    /// Reads a document. `None` if the generator refuses it.
    pub fn read(name: &str, text: &str, overlays: &[Source], options: &Options) -> Option<Self> {
        let document = Document::parse_with(name, text, overlays, None).document?;
        let api = lowered(&Input::new(name, text).overlays(overlays), options)?;
        let written = subjects::json(&document);
        let mut plain = written.clone();
        convert::document(&mut plain, document.version() == Version::V3_0);
        let directions = ["readOnly", "writeOnly"];
        let mut read = directions.map(|direction| known::read(&plain, &[direction]));
        let [_, responses] = &mut read;
        convert::each_schema(responses, &mut |schema| schemas::each(schema, &mut leave_unchecked));
        let operations: BTreeMap<String, Operation> =
            api.operations.iter().filter_map(|it| operation(it, &written)).collect();
        let parts = || operations.values().flat_map(|operation| operation.parts.values());
        let mut sent = read.clone();
        for ((sent, read), direction) in sent.iter_mut().zip(&mut read).zip(directions) {
            sent::close(sent, parts().filter_map(|part| part.schema.as_ref()));
            // A property of the other direction is not sent. A reader ignores it.
            for (document, is_sent) in [(sent, false), (read, true)] {
                convert::each_schema(document, &mut |schema| {
                    schemas::each(schema, &mut |schema| other_direction(schema, &plain, direction, is_sent));
                });
            }
        }
        Some(Self { written, read, sent, operations })
    }
}

/// Removes the keywords that are not constraints, and replaces the properties of the other direction.
fn other_direction(schema: &mut Map<String, Value>, root: &Value, direction: &str, allowed: bool) {
    for name in ["description", "title", "deprecated", "externalDocs", "xml"] {
        schema.remove(name);
    }
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten();
    for (_, property) in properties {
        if known::is_one_way(property, root, &[direction], 0) {
            *property = allowed.into();
        }
    }
}

/// Removes the keywords that nobody checks in responses: a Rust type can't express them.
fn leave_unchecked(schema: &mut Map<String, Value>) {
    const UNCHECKED: [&str; 12] = [
        "not",
        "if",
        "then",
        "else",
        "contains",
        "minContains",
        "maxContains",
        "dependentRequired",
        "dependentSchemas",
        "unevaluatedItems",
        "unevaluatedProperties",
        "propertyNames",
    ];
    schema.retain(|name, _| !UNCHECKED.contains(&name.as_str()));
    if let (Some(branches), false) = (schema.remove("oneOf"), schema.contains_key("anyOf")) {
        schema.insert("anyOf".to_owned(), branches);
    }
}

/// Returns an operation with what identifies it.
fn operation(lowered: &Lowered, root: &Value) -> Option<(String, Operation)> {
    let name = format!("{} {}", lowered.method, lowered.path);
    let item = settled(root, &format!("/paths/{}", subjects::escaped(&lowered.path)))?;
    let at = format!("{item}/{}", lowered.method.to_lowercase());
    root.pointer(&at)?;
    let mut all = Parts { root, lowered, parts: BTreeMap::new() };
    for at in [&item, &at] {
        all.parameters(at);
    }
    all.body(&format!("{at}/requestBody"));
    all.responses(&format!("{at}/responses"));
    let mut key = lowered.method.clone() + " ";
    for (index, part) in lowered.path.split('{').enumerate() {
        key += match part.split_once('}') {
            Some((_, rest)) if index > 0 => rest,
            _ => part,
        };
        key.push('{');
    }
    Some((key, Operation { id: lowered.id.clone(), name, parts: all.parts }))
}

/// The parts of an operation.
struct Parts<'d> {
    root: &'d Value,
    lowered: &'d Lowered,
    parts: BTreeMap<String, Part>,
}

impl Parts<'_> {
    fn text(&self, at: &str, name: &str) -> Option<&str> {
        self.root.pointer(at)?.get(name)?.as_str()
    }

    fn is_true(&self, at: &str, name: &str) -> bool {
        self.root.pointer(at).and_then(|node| node.get(name)) == Some(&Value::Bool(true))
    }

    fn names(&self, at: &str) -> Vec<String> {
        let fields = self.root.pointer(at).and_then(Value::as_object);
        fields.into_iter().flat_map(|fields| fields.keys().cloned()).collect()
    }

    fn example(&self, name: &str) -> Option<Value> {
        self.lowered.example.as_ref()?.get(name).cloned()
    }

    /// Adds the parameters of an operation or a path item.
    fn parameters(&mut self, at: &str) {
        let count =
            self.root.pointer(&format!("{at}/parameters")).and_then(Value::as_array).map_or(0, Vec::len);
        for index in 0..count {
            let Some(at) = settled(self.root, &format!("{at}/parameters/{index}")) else { continue };
            let (Some(name), Some(location)) = (self.text(&at, "name"), self.text(&at, "in")) else {
                continue;
            };
            let variables = self.lowered.path.split('{').skip(1).filter_map(|part| part.split('}').next());
            let position = variables.into_iter().position(|variable| variable == name);
            let key = match (location, position) {
                ("path", Some(position)) => format!("path parameter {position}"),
                ("header", _) if is_reserved(name) => continue,
                ("header", _) => format!("header `{}`", name.to_ascii_lowercase()),
                ("query" | "cookie", _) => format!("{location} `{name}`"),
                _ => continue,
            };
            let (schema, is_text) = self.value(&at);
            let part = Part {
                flow: Flow::Request,
                is_required: Some(position.is_some() || self.is_true(&at, "required")),
                schema,
                is_text,
                example: self.example(name),
            };
            self.parts.insert(key, part);
        }
    }

    /// Returns the schema of a parameter or header, and whether the value is text.
    fn value(&self, at: &str) -> (Option<String>, bool) {
        let schema = format!("{at}/schema");
        if self.root.pointer(&schema).is_some() {
            return (Some(schema), true);
        }
        let media_type = self.names(&format!("{at}/content")).into_iter().next();
        let schema = media_type.map(|name| format!("{at}/content/{}/schema", subjects::escaped(&name)));
        let schema = schema.filter(|at| self.root.pointer(at).is_some());
        let is_text = schema.is_none();
        (schema, is_text)
    }

    fn body(&mut self, at: &str) {
        let Some(at) = settled(self.root, at) else { return };
        let is_required = Some(self.is_true(&at, "required"));
        let mut part = Part { is_required, ..Part::of(Flow::Request) };
        self.parts.insert("body".to_owned(), part);
        let mut fields = self.lowered.example.as_ref().and_then(Value::as_object).into_iter().flatten();
        let is_parameter = |name: &String| self.lowered.parameters.iter().any(|it| it.name == *name);
        part = Part::of(Flow::Request);
        part.example = fields.find(|(name, _)| !is_parameter(name)).map(|(_, value)| value.clone());
        self.contents(&at, "body", &part);
    }

    /// Adds the values of a body of a request or response, by media type.
    fn contents(&mut self, at: &str, of: &str, like: &Part) {
        for name in self.names(&format!("{at}/content")) {
            let at = settled(self.root, &format!("{at}/content/{}", subjects::escaped(&name)));
            let is_text = ["text/", "form", "xml"].iter().any(|part| name.contains(part));
            // Nobody looks into bytes.
            let at = at.filter(|_| is_text || name.contains("json")).map(|at| format!("{at}/schema"));
            let schema = at.filter(|at| self.root.pointer(at).is_some());
            let (flow, example) = (like.flow, like.example.clone());
            let part = Part { schema, is_text, example, ..Part::of(flow) };
            self.parts.insert(format!("{of} `{name}`"), part);
        }
    }

    fn responses(&mut self, at: &str) {
        for status in self.names(at) {
            let Some(at) = settled(self.root, &format!("{at}/{status}")) else { continue };
            if status.starts_with("x-") {
                continue;
            }
            let of = format!("response {}", status.to_ascii_uppercase());
            let part = Part::of(Flow::Response);
            let is_empty = self.lowered.method == "HEAD"
                || ["1", "204", "205", "304"].iter().any(|it| status.starts_with(it));
            if !is_empty {
                self.contents(&at, &of, &part);
            }
            self.parts.insert(of.clone(), part);
            for name in self.names(&format!("{at}/headers")).into_iter().filter(|name| !is_reserved(name)) {
                let header = settled(self.root, &format!("{at}/headers/{}", subjects::escaped(&name)));
                let Some(at) = header else { continue };
                let (schema, is_text) = self.value(&at);
                let is_required = Some(self.is_true(&at, "required"));
                let part = Part { is_required, schema, is_text, ..Part::of(Flow::Response) };
                self.parts.insert(format!("{of} header `{}`", name.to_ascii_lowercase()), part);
            }
        }
    }
}

impl Part {
    const fn of(flow: Flow) -> Self {
        Self { flow, is_required: None, schema: None, is_text: false, example: None }
    }
}

/// Returns whether OpenAPI ignores a header of this name, because other parts of the document say it.
fn is_reserved(name: &str) -> bool {
    ["accept", "authorization", "content-type"].iter().any(|reserved| name.eq_ignore_ascii_case(reserved))
}

/// Follows the references of a node. Returns the pointer to the last one.
fn settled(root: &Value, pointer: &str) -> Option<String> {
    let mut pointer = pointer.to_owned();
    for _ in 0..16 {
        let node = root.pointer(&pointer)?;
        match node.get("$ref").and_then(Value::as_str) {
            Some(reference) => pointer = reference.strip_prefix('#')?.to_owned(),
            None => return Some(pointer),
        }
    }
    None
}
