//! Walks through a schema and a value together, and finds what differs.
//!
//! This module knows what OpenAPI adds to JSON Schema; `unions` chooses the schema of a union that a value is nearest to. The crate
//! `jsonschema` checks the keywords that contain no schemas.

mod unions;

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
};

use jsonschema::Validator;
use serde_json::{Map, Value, json};

use super::{
    Side,
    difference::{Found, Kind, type_of},
};
use crate::{
    Formats,
    document::Document,
    formats::has_format,
    ir::TextFormat,
    lints::parts::parts,
    tree::{Node, NodeId, NodeRef},
};

/// The keywords that contain no schemas, but for `format`, `required` and those that depend on others.
const PLAIN: &[&str] = &[
    "type",
    "enum",
    "const",
    "multipleOf",
    "maximum",
    "exclusiveMaximum",
    "minimum",
    "exclusiveMinimum",
    "maxLength",
    "minLength",
    "pattern",
    "maxItems",
    "minItems",
    "uniqueItems",
    "maxProperties",
    "minProperties",
];

/// The number of references and unions that can be followed without a step into the value.
const MAX_HOPS: usize = 64;

/// The number of schemas that one body is compared with. The rest counts as equal.
const MAX_STEPS: usize = 5_000_000;

pub(super) struct Walker<'d> {
    document: &'d Document,
    side: Side,
    /// The check of each keyword, or `None` if the keyword is not valid.
    checks: RefCell<HashMap<NodeId, Option<Validator>>>,
    /// Whether a value is valid under a schema: unions within unions ask often. Values are identified by their address.
    validity: RefCell<HashMap<(NodeId, *const Value), bool>>,
    steps: Cell<usize>,
}

/// A value in its surroundings.
#[derive(Clone, Copy)]
struct Seen<'v, 'd> {
    value: &'v Value,
    /// The JSON pointer to the value.
    at: &'v str,
    /// The schema that the value has as a whole: the properties of parts of an `allOf` belong together.
    whole: NodeRef<'d>,
    hops: usize,
}

/// The differences that were found, until there are enough.
struct Differences<'d> {
    found: Vec<Found<'d>>,
    most: usize,
}

impl<'d> Differences<'d> {
    fn is_full(&self) -> bool {
        self.found.len() >= self.most
    }

    fn add(&mut self, node: NodeRef<'d>, kind: Kind, at: &str, value: &Value) {
        if !self.is_full() {
            self.found.push(Found { node, kind, at: at.to_owned(), value: value.clone() });
        }
    }
}

impl<'d> Walker<'d> {
    pub(super) fn new(document: &'d Document, side: Side) -> Self {
        let (checks, validity) = (RefCell::default(), RefCell::default());
        Self { document, side, checks, validity, steps: Cell::new(0) }
    }

    /// Returns the differences between a body and its schema.
    pub(super) fn differences(&self, schema: NodeRef<'d>, body: &Value) -> Vec<Found<'d>> {
        self.validity.borrow_mut().clear();
        self.steps.set(MAX_STEPS);
        let mut differences = Differences { found: Vec::new(), most: usize::MAX };
        self.walk(schema, Seen { value: body, at: "", whole: schema, hops: 0 }, &mut differences);
        differences.found
    }

    fn is_valid(&self, schema: NodeRef<'d>, seen: Seen<'_, 'd>) -> bool {
        let key = (schema.id(), std::ptr::from_ref(seen.value));
        if let Some(known) = self.validity.borrow().get(&key) {
            return *known;
        }
        let mut differences = Differences { found: Vec::new(), most: 1 };
        self.walk(schema, seen, &mut differences);
        let is_valid = differences.found.is_empty();
        self.validity.borrow_mut().insert(key, is_valid);
        is_valid
    }

    fn walk(&self, schema: NodeRef<'d>, seen: Seen<'_, 'd>, out: &mut Differences<'d>) {
        let (Some(steps), false) = (self.steps.get().checked_sub(1), seen.hops > MAX_HOPS || out.is_full())
        else {
            return;
        };
        self.steps.set(steps);
        if schema.as_bool() == Some(false) {
            return out.add(schema, Kind::Other("false".to_owned()), seen.at, seen.value);
        }
        let is_marked = |mark: &str| schema.get(mark).and_then(Node::as_bool) == Some(true);
        if seen.value.is_null() && (is_marked("nullable") || is_marked("x-nullable")) {
            return;
        }
        let inside = Seen { hops: seen.hops + 1, ..seen };
        if let Some(reference) = schema.get("$ref") {
            match reference.as_str().map(|text| self.document.lookup(text)) {
                Some(Ok(target)) => self.walk(target, inside, out),
                _ => out.add(reference, Kind::Unresolved, seen.at, seen.value),
            }
        }
        for keyword in PLAIN {
            if let Some(node) = schema.get(keyword) {
                self.plain(schema, keyword, node, seen, out);
            }
        }
        self.format(schema, seen, out);
        self.object(schema, seen, out);
        self.array(schema, seen, out);
        for member in schema.get("allOf").map_or(&[][..], Node::items) {
            self.walk(member, inside, out);
        }
        for keyword in ["anyOf", "oneOf"] {
            if let Some(union) = schema.get(keyword) {
                self.union(schema, union, keyword == "oneOf", inside, out);
            }
        }
        self.conditions(schema, inside, out);
    }

    /// Checks a keyword that contains no schemas.
    fn plain(
        &self,
        schema: NodeRef<'d>,
        keyword: &str,
        node: NodeRef<'d>,
        seen: Seen<'_, 'd>,
        out: &mut Differences<'d>,
    ) {
        let mut checks = self.checks.borrow_mut();
        let check = checks.entry(node.id()).or_insert_with(|| {
            // Up to OpenAPI 3.0, a boolean says that the bound itself is excluded.
            let exclusive = match keyword {
                "minimum" => "exclusiveMinimum",
                "maximum" => "exclusiveMaximum",
                _ => "",
            };
            let is_excluded = schema.get(exclusive).and_then(Node::as_bool) == Some(true);
            let name = if is_excluded { exclusive } else { keyword };
            jsonschema::draft202012::new(&json!({ name: node.to_json() })).ok()
        });
        if check.as_ref().is_none_or(|check| check.is_valid(seen.value)) {
            return;
        }
        let kind = match keyword {
            "type" => Kind::Type(type_of(seen.value)),
            "enum" | "const" => Kind::NotListed(seen.value.to_string()),
            keyword => Kind::Other(keyword.to_owned()),
        };
        out.add(node, kind, seen.at, seen.value);
    }

    fn format(&self, schema: NodeRef<'d>, seen: Seen<'_, 'd>, out: &mut Differences<'d>) {
        let Some((node, text)) = schema.get("format").zip(seen.value.as_str()) else { return };
        let format = node.as_str().and_then(|name| TextFormat::from_name(name, Formats::default()));
        if format.is_some_and(|format| !has_format(format, text)) {
            out.add(node, Kind::Other("format".to_owned()), seen.at, seen.value);
        }
    }

    fn object(&self, schema: NodeRef<'d>, seen: Seen<'_, 'd>, out: &mut Differences<'d>) {
        let Some(fields) = seen.value.as_object() else { return };
        if let Some(required) = schema.get("required") {
            for name in required.items().iter().filter_map(Node::as_str) {
                if !fields.contains_key(name) && !self.is_never_sent(seen.whole, name) {
                    out.add(required, Kind::Missing(name.to_owned()), seen.at, seen.value);
                }
            }
        }
        self.names(schema, fields, seen, out);
        let others = schema.get("additionalProperties");
        let unevaluated = schema.get("unevaluatedProperties").filter(|node| node.as_bool() == Some(false));
        for (name, value) in fields {
            let at = format!("{}/{}", seen.at, name.replace('~', "~0").replace('/', "~1"));
            let schemas = self.properties(schema, name);
            for inner in &schemas {
                self.walk(inner, Seen { value, at: &at, whole: inner, hops: 0 }, out);
            }
            match others.filter(|_| schemas.is_empty()) {
                Some(node) if node.as_bool() == Some(false) => {
                    out.add(node, Kind::Unknown(name.clone()), seen.at, value);
                }
                Some(node) => self.walk(node, Seen { value, at: &at, whole: node, hops: 0 }, out),
                None => {}
            }
            if let Some(node) = unevaluated.filter(|_| !self.describes(schema, name)) {
                out.add(node, Kind::Unknown(name.clone()), seen.at, value);
            }
        }
    }

    fn names(
        &self,
        schema: NodeRef<'d>,
        fields: &Map<String, Value>,
        seen: Seen<'_, 'd>,
        out: &mut Differences<'d>,
    ) {
        let Some(names) = schema.get("propertyNames") else { return };
        for name in fields.keys() {
            let value = Value::from(name.as_str());
            let is_valid = self.with_temporary_values(|| {
                self.is_valid(names, Seen { value: &value, at: seen.at, whole: names, hops: 0 })
            });
            if !is_valid {
                out.add(names, Kind::Other("propertyNames".to_owned()), seen.at, &value);
            }
        }
    }

    /// Runs `act` with temporary values, whose addresses other values will have later.
    fn with_temporary_values<T>(&self, act: impl FnOnce() -> T) -> T {
        let validity = self.validity.take();
        let result = act();
        self.validity.replace(validity);
        result
    }

    /// Returns the schemas of a property: its own one, and those whose pattern its name matches.
    fn properties(&self, schema: NodeRef<'d>, name: &str) -> Vec<NodeRef<'d>> {
        let own = schema.get("properties").and_then(|properties| properties.get(name));
        let patterns = schema.get("patternProperties").into_iter().flat_map(Node::entries);
        let matching = patterns.filter(|(pattern, node)| {
            let mut checks = self.checks.borrow_mut();
            let check = checks
                .entry(node.id())
                .or_insert_with(|| jsonschema::draft202012::new(&json!({ "pattern": pattern })).ok());
            check.as_ref().is_some_and(|check| check.is_valid(&Value::from(name)))
        });
        own.into_iter().chain(matching.map(|(_, node)| node)).collect()
    }

    /// Returns whether a schema or a part of it describes a property.
    fn describes(&self, schema: NodeRef<'d>, name: &str) -> bool {
        let parts = parts(self.document, schema, &["allOf", "anyOf", "oneOf", "if", "then", "else"]);
        let is_open = |part: NodeRef<'d>| part.get("additionalProperties").is_some();
        parts.into_iter().any(|part| is_open(part) || !self.properties(part, name).is_empty())
    }

    /// Returns whether a property is not sent on this side, so that it can't be required.
    fn is_never_sent(&self, schema: NodeRef<'d>, name: &str) -> bool {
        let mark = if self.side == Side::Request { "readOnly" } else { "writeOnly" };
        let all_of = |schema| parts(self.document, schema, &["allOf"]).into_iter();
        let mut properties = all_of(schema).filter_map(|part| part.get("properties")?.get(name));
        properties
            .any(|property| all_of(property).any(|part| part.get(mark).and_then(Node::as_bool) == Some(true)))
    }

    fn array(&self, schema: NodeRef<'d>, seen: Seen<'_, 'd>, out: &mut Differences<'d>) {
        let Some(items) = seen.value.as_array() else { return };
        let first = schema.get("prefixItems").map_or(&[][..], Node::items);
        for (index, value) in items.iter().enumerate() {
            if let Some(inner) = first.get(index).or(schema.get("items")) {
                let at = format!("{}/{index}", seen.at);
                self.walk(inner, Seen { value, at: &at, whole: inner, hops: 0 }, out);
            }
        }
        if let Some(contains) = schema.get("contains") {
            let matches = |value| self.is_valid(contains, Seen { value, whole: contains, ..seen });
            let count = items.iter().filter(|item| matches(item)).count();
            let limit = |name: &str| schema.get(name).and_then(Node::as_i128);
            let (least, most) =
                (limit("minContains").unwrap_or(1), limit("maxContains").unwrap_or(i128::MAX));
            if !(least..=most).contains(&i128::try_from(count).unwrap_or(i128::MAX)) {
                out.add(contains, Kind::Other("contains".to_owned()), seen.at, seen.value);
            }
        }
    }

    fn conditions(&self, schema: NodeRef<'d>, seen: Seen<'_, 'd>, out: &mut Differences<'d>) {
        if let Some(not) = schema.get("not").filter(|not| self.is_valid(not, Seen { whole: not, ..seen })) {
            out.add(not, Kind::Other("not".to_owned()), seen.at, seen.value);
        }
        if let Some(test) = schema.get("if") {
            let is_met = self.is_valid(test, Seen { whole: test, ..seen });
            if let Some(then) = schema.get(if is_met { "then" } else { "else" }) {
                self.walk(then, seen, out);
            }
        }
        let dependent = schema.get("dependentSchemas").into_iter().flat_map(Node::entries);
        for (_, inner) in dependent.filter(|(name, _)| seen.value.get(name).is_some()) {
            self.walk(inner, seen, out);
        }
        let demanded = schema.get("dependentRequired").into_iter().flat_map(Node::entries);
        for (_, names) in demanded.filter(|(name, _)| seen.value.get(name).is_some()) {
            for name in names.items().iter().filter_map(Node::as_str) {
                if seen.value.get(name).is_none() {
                    out.add(names, Kind::Missing(name.to_owned()), seen.at, seen.value);
                }
            }
        }
    }
}
