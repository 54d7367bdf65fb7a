//! Responses: status, headers and body of each.

use std::rc::Rc;

use crate::{
    diagnostics::{Code, nearest},
    ir::{
        Content, ContentFormat, Docs, Field, Ident, IntegerRules, Kind, Location, Module, Origin, Parameter,
        Schema, Status, StructDef, StructRole, Type, Width,
    },
    lower::{
        context::component_of,
        operation::{
            state::{Operations, Owner, Parts, SharedResponse},
            streams::Flow,
        },
        types::named,
    },
    names::{self, Style},
    tree::{Node, NodeRef},
};

/// A documented response of an operation.
#[derive(Debug, Clone, Copy)]
pub(in crate::lower) struct Documented<'d> {
    pub status: Status,
    pub node: NodeRef<'d>,
    /// The index in `components/responses`, unless the response differs from the component.
    pub shared: Option<usize>,
    /// Whether HTTP gives the response no body.
    pub has_no_body: bool,
}

/// The suffixes of the names of a response's types.
#[derive(Debug, Clone, Copy)]
pub(in crate::lower) struct PartNames {
    pub body: (&'static str, &'static str),
    pub content: (&'static str, &'static str),
    pub wrapper: (&'static str, &'static str),
}

/// The only success of an operation. Its type is the output, whether that is a body or a choice of media types.
pub(in crate::lower) const ONLY: PartNames = PartNames {
    body: ("Output", "OutputBody"),
    content: ("Output", "OutputContent"),
    wrapper: ("Output", "OutputResponse"),
};

/// The same, if the output is a struct of status, headers and body.
pub(in crate::lower) const ONLY_WRAPPED: PartNames =
    PartNames { body: ("OutputBody", "OutputBodyValue"), content: ("OutputBody", "OutputContent"), ..ONLY };

/// One of several responses of an operation. The owner's name contains the status.
pub(in crate::lower) const ONE_OF: PartNames = PartNames {
    body: ("Body", "ResponseBody"),
    content: ("Content", "ResponseContent"),
    wrapper: ("Response", "StatusResponse"),
};

/// A response under `components/responses`.
const SHARED: PartNames = PartNames {
    body: ("", "Body"),
    content: ("Content", "ResponseContent"),
    wrapper: ("Response", "WithHeaders"),
};

impl<'d> Operations<'d, '_> {
    /// Reads the responses under `components/responses`.
    pub fn read_shared_responses(&mut self) {
        if let Some(nodes) = self.document.section("responses") {
            self.object(nodes, "`responses`");
        }
        let document = self.document;
        for (name, node) in document.components("responses") {
            let resolved = self.resolve_in(node, "responses", "a response").map(|resolved| resolved.node);
            let owner = self.shared_owner(name);
            let parts = match resolved {
                Some(node) => self.parts(node, &owner, SHARED, Flow::Shared),
                None => Parts::empty(),
            };
            let payload = self.payload(&parts, Status::Code(200), &owner, SHARED, false);
            self.shared.push(Rc::new(SharedResponse { name, parts, payload }));
        }
    }

    /// Returns the owner of the types of a shared response.
    fn shared_owner(&self, name: &str) -> Owner {
        Owner { module: Module::Responses, ..self.component_owner(name, "response") }
    }

    /// Returns the type of a shared response under a status.
    pub fn shared_payload(&mut self, shared: &SharedResponse<'d>, status: Status) -> Schema {
        if matches!(status, Status::Code(_)) {
            return shared.payload.clone();
        }
        let mut owner = self.shared_owner(shared.name);
        owner.base.push_str("AnyStatus");
        self.payload(&shared.parts, status, &owner, SHARED, false)
    }

    /// Returns the documented responses of an operation in document order.
    pub fn documented(&mut self, operation: NodeRef<'d>, method: &str) -> Vec<Documented<'d>> {
        let Some(responses) = operation.get("responses") else {
            self.warn(Code::MissingField, operation, "missing field `responses` in operation");
            return Vec::new();
        };
        if self.object(responses, "`responses`").is_none() {
            return Vec::new();
        }
        let mut documented: Vec<Documented<'d>> = Vec::with_capacity(responses.entries().len());
        for (key, node) in responses.entries() {
            if key.starts_with("x-") {
                continue;
            }
            let Some(status) = status(key) else {
                let message = format!("invalid status `{key}`; use 100 to 599, `1XX` to `5XX` or `default`");
                self.error(Code::InvalidStatus, node, message);
                continue;
            };
            if documented.iter().any(|other| other.status == status) {
                self.warn(
                    Code::InvalidStatus,
                    node,
                    format!("duplicate status `{key}`; the first one is used"),
                );
                continue;
            }
            let shared = component_of(node, "responses")
                .and_then(|name| self.shared.iter().position(|shared| shared.name == name));
            let written = node;
            let Some(node) = self.resolve_in(node, "responses", "a response").map(|resolved| resolved.node)
            else {
                continue;
            };
            let Some(node) = self.object(node, "a response") else { continue };
            let has_no_body = method == "HEAD" || is_bodiless(status);
            let content = node.get("content").filter(|content| has_no_body && content.entries().len() > 0);
            if content.is_some() {
                let reason = if method == "HEAD" { "the response to `HEAD`" } else { &format!("a `{key}`") };
                let message = format!("{reason} has no body in HTTP, so its `content` has no effect");
                self.warn(Code::NoBody, written, message).at_name();
            }
            let shared = shared.filter(|_| content.is_none());
            documented.push(Documented { status, node, shared, has_no_body });
        }
        documented
    }

    /// Lowers headers and contents of a response.
    pub fn parts(&mut self, node: NodeRef<'d>, owner: &Owner, part_names: PartNames, flow: Flow) -> Parts {
        if self.object(node, "a response").is_none() {
            return Parts::empty();
        }
        self.check_fields(node, "a response", &["description", "headers", "content", "links", "summary"]);
        let summary = self.text(node, "summary");
        let description = self.text(node, "description").or(summary);
        if node.get("description").is_none() && !self.is_3_2() {
            self.warn(Code::MissingField, node, "missing field `description` in response");
        }
        let headers = self.headers(node, owner);
        let content = node.get("content").filter(|_| flow != Flow::Bodiless);
        let contents = content.map_or_else(Vec::new, |content| {
            self.contents(content, owner, part_names.body, "the response", flow)
        });
        let body = content.map_or_else(
            || Schema::new(Type::Unit),
            |content| self.content_schema(&contents, content, owner, part_names.content, "the response body"),
        );
        let permanent = self.permanent(node, &contents);
        let description = description.unwrap_or_default().to_owned();
        Parts { description, headers, contents, body, permanent, origin: Origin::of(node) }
    }

    /// Reads the `x-permanent` of a response with these contents.
    pub fn permanent(&mut self, response: NodeRef<'d>, contents: &[Content]) -> Option<String> {
        let node = response.get("x-permanent")?;
        let Some(property) = node.as_str() else {
            let message = format!("`x-permanent` must be the name of a property, not {}", node.kind_name());
            self.error(Code::BadExtension, node, message);
            return None;
        };
        let bodies = contents.iter().filter(|content| content.format == ContentFormat::Json);
        let booleans: Vec<&str> = bodies.flat_map(|body| self.booleans(&body.schema)).collect();
        if !booleans.contains(&property) {
            let message = format!("the response's JSON body has no boolean property `{property}`");
            let near = nearest(property, booleans).map(str::to_owned);
            self.error(Code::BadExtension, node, message)
                .near("a property with a similar name", near.as_deref());
        }
        Some(property.to_owned())
    }

    /// Returns the names of the boolean properties of a body.
    fn booleans(&self, body: &Schema) -> Vec<&str> {
        let Some(body) = self.types.struct_of(&self.types.unaliased(body).ty) else { return Vec::new() };
        let fields = body.fields.iter();
        let booleans = fields.filter(|field| self.types.unaliased(&field.schema).ty == Type::Boolean);
        booleans.map(|field| field.wire.as_str()).collect()
    }

    /// Returns the headers of a response or part, without `Content-Type`.
    pub fn headers(&mut self, node: NodeRef<'d>, owner: &Owner) -> Vec<Parameter> {
        let Some(nodes) = node.get("headers") else { return Vec::new() };
        if self.object(nodes, "`headers`").is_none() {
            return Vec::new();
        }
        let mut headers: Vec<Parameter> = Vec::with_capacity(nodes.entries().len());
        for (name, node) in nodes.entries() {
            let lower = name.to_ascii_lowercase();
            if lower == "content-type" || headers.iter().any(|header| header.name == lower) {
                continue;
            }
            let component = component_of(node, "headers");
            let Some(node) = self.resolve_in(node, "headers", "a header").map(|resolved| resolved.node)
            else {
                continue;
            };
            let Some(node) = self.object(node, "a header") else { continue };
            let part = format!("{}Header", names::pascal(name));
            let position = component.map_or_else(
                || owner.position(&part, &format!("{part}Value"), &format!("header `{name}`")),
                |name| self.component_owner(&name, "header").position("Header", "HeaderValue", "the value"),
            );
            headers.push(self.parameter_value(node, &lower, Location::Header, &position));
        }
        headers
    }

    /// Returns the type of a response: its body, or a struct of status, headers and body.
    ///
    /// A success of several statuses may be a 204, which has no body.
    pub fn payload(
        &mut self,
        parts: &Parts,
        status: Status,
        owner: &Owner,
        part_names: PartNames,
        may_lack_body: bool,
    ) -> Schema {
        let fixed = matches!(status, Status::Code(_));
        if fixed && parts.headers.is_empty() {
            return parts.body.clone();
        }
        let (part, long) = match part_names.wrapper {
            (part, long) if owner.base.ends_with("Response") && part == "Response" => {
                (long, "ResponseWithHeaders")
            }
            names => names,
        };
        let position = owner.position(part, long, "status, headers and body");
        let id = self.types.reserve(&position, None);
        let mut fields: Vec<(String, Schema, bool, Docs)> = Vec::with_capacity(parts.headers.len() + 2);
        if !fixed {
            let rules = IntegerRules { width: Width::U16, ..IntegerRules::default() };
            fields.push(("status".to_owned(), Schema::new(Type::Integer(rules)), true, Docs::default()));
        }
        for header in &parts.headers {
            let clashes = header.name == "body" || (!fixed && header.name == "status");
            let wire = if clashes { format!("header_{}", header.name) } else { header.name.clone() };
            fields.push((wire, header.schema.clone(), header.required, header.docs.clone()));
        }
        if !parts.contents.is_empty() {
            let is_required = !(may_lack_body && parts.contents.iter().any(needs_bytes));
            let description =
                (!is_required).then(|| "Absent if the status is one without a body, such as 204.".to_owned());
            let docs = Docs { description, ..Docs::default() };
            fields.push(("body".to_owned(), parts.body.clone(), is_required, docs));
        }
        let docs = Docs {
            description: Some(parts.description.clone()).filter(|text| !text.trim().is_empty()),
            origin: parts.origin,
            ..Docs::default()
        };
        let kind = Kind::Struct(StructDef::new(StructRole::Response, fields_of(fields)));
        self.types.fill(id, docs, kind);
        named(id)
    }
}

/// Returns the fields of a struct from their wire names, schemas, whether they are required, and their docs.
pub(in crate::lower) fn fields_of(fields: Vec<(String, Schema, bool, Docs)>) -> Vec<Field> {
    let texts: Vec<&str> = fields.iter().map(|(wire, ..)| wire.as_str()).collect();
    let idents: Vec<String> = names::settle(&texts, Style::Field);
    let field =
        |((wire, schema, required, docs), ident)| Field::new(wire, Ident(ident), schema, required, docs);
    fields.into_iter().zip(idents).map(field).collect()
}

/// Returns whether the type of a response holds more than its body.
pub(in crate::lower) fn is_wrapped(one: &Documented<'_>) -> bool {
    let headers = one.node.get("headers").into_iter().flat_map(Node::entries);
    let mut documented = headers.filter(|(name, _)| !name.eq_ignore_ascii_case("content-type"));
    !matches!(one.status, Status::Code(_)) || documented.next().is_some()
}

/// Returns whether no value of a content is written as nothing.
fn needs_bytes(content: &Content) -> bool {
    matches!(content.format, ContentFormat::Json | ContentFormat::Multipart | ContentFormat::Parts)
}

/// Returns whether responses with this status never have a body (RFC 9110, section 15).
fn is_bodiless(status: Status) -> bool {
    matches!(status, Status::Code(100..=199 | 204 | 205 | 304) | Status::Class(1))
}

/// Parses a key of `responses`.
pub(in crate::lower) fn status(key: &str) -> Option<Status> {
    if key == "default" {
        return Some(Status::Default);
    }
    let mut characters = key.chars();
    let class =
        characters.next().and_then(|digit| digit.to_digit(10)).filter(|class| (1..=5).contains(class))?;
    if key.len() != 3 {
        return None;
    }
    if characters.as_str().eq_ignore_ascii_case("xx") {
        return u8::try_from(class).ok().map(Status::Class);
    }
    key.parse().ok().map(Status::Code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses() {
        for (key, expected) in [
            ("200", Some(Status::Code(200))),
            ("4XX", Some(Status::Class(4))),
            ("5xx", Some(Status::Class(5))),
            ("default", Some(Status::Default)),
            ("600", None),
            ("99", None),
            ("2000", None),
            ("20a", None),
            ("", None),
            ("ok", None),
        ] {
            assert_eq!(status(key), expected, "{key}");
        }
    }
}
