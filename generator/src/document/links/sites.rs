//! Where references stand in a document, and what each of them is to be.

use std::collections::HashSet;

use super::super::Node;

/// What stands at a place, or is meant to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    Schema,
    Parameter,
    Response,
    RequestBody,
    Header,
    Callback,
    Link,
    Example,
    /// A map of what has names, such as `paths`, as a whole.
    Map(&'static Role),
    Other,
}

impl Role {
    /// The section of `components` that it could stand in; empty if there is none that matters.
    pub fn section(self) -> &'static str {
        match self {
            Self::Schema => "schemas",
            Self::Parameter => "parameters",
            Self::Response => "responses",
            Self::RequestBody => "requestBodies",
            Self::Header => "headers",
            Self::Callback => "callbacks",
            Self::Link | Self::Example | Self::Map(_) | Self::Other => "",
        }
    }

    /// What stands in the field of this name; nothing that could hold a reference if it is a value and not a description.
    fn field(self, name: &str) -> Option<Self> {
        use Role::{Callback, Example, Header, Link, Map, Other, Parameter, RequestBody, Response, Schema};
        if let Map(inner) = self {
            return Some(*inner);
        }
        Some(match name {
            "example" | "enum" | "const" | "default" | "value" => return None,
            "examples" if self == Schema => return None,
            "parameters" | "requestBody" if self == Link => return None,
            name if name.starts_with("x-") => return None,
            "schema"
            | "items"
            | "not"
            | "additionalProperties"
            | "additionalItems"
            | "contains"
            | "propertyNames"
            | "if"
            | "then"
            | "else"
            | "unevaluatedItems"
            | "unevaluatedProperties"
            | "contentSchema"
            | "allOf"
            | "anyOf"
            | "oneOf"
            | "prefixItems" => Schema,
            "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas" | "schemas" => {
                Map(&Schema)
            }
            // A list in operations, a map in components.
            "parameters" => Map(&Parameter),
            "responses" => Map(&Response),
            "requestBodies" => Map(&RequestBody),
            "requestBody" => RequestBody,
            "headers" => Map(&Header),
            "callbacks" => Map(&Callback),
            "links" => Map(&Link),
            "examples" => Map(&Example),
            "paths" | "webhooks" | "pathItems" | "content" | "encoding" | "securitySchemes" => Map(&Other),
            _ => Other,
        })
    }

    /// What stands in a list of this.
    fn item(self) -> Self {
        match self {
            Self::Map(inner) => *inner,
            role => role,
        }
    }
}

/// A reference.
#[derive(Debug)]
pub struct Site {
    /// The address of the string's node.
    pub address: usize,
    pub text: String,
    pub role: Role,
}

/// Looks for references that are not canonical yet.
#[derive(Debug, Default)]
pub struct Finder {
    /// The nodes that were visited, by address, but for those of the main file, which is visited once and as a whole.
    visited: HashSet<usize>,
}

impl Finder {
    /// The references at and below a node that was not visited yet.
    pub fn find(&mut self, node: &Node, role: Role, is_main: bool) -> Vec<Site> {
        let mut sites = Vec::new();
        self.visit(node, role, is_main, &mut sites);
        sites
    }

    fn visit(&mut self, node: &Node, role: Role, is_main: bool, sites: &mut Vec<Site>) {
        if !matches!(node, Node::Array(_) | Node::Object(_))
            || !is_main && !self.visited.insert(node.address())
        {
            return;
        }
        for item in node.items() {
            self.visit(item, role.item(), is_main, sites);
        }
        // Most references stand in the main file and lead into it; these are canonical already.
        let is_new = |text: &&str| !is_main || !(*text == "#" || text.starts_with("#/"));
        let mut site = |node: &Node, role: Role| {
            if let Some(text) = node.as_str().filter(is_new) {
                sites.push(Site { address: node.address(), text: text.to_owned(), role });
            }
        };
        if let Some(reference) = node.get("$ref") {
            site(reference, role);
        }
        if !matches!(role, Role::Map(_))
            && let Some(mapping) =
                node.get("discriminator").and_then(|discriminator| discriminator.get("mapping"))
        {
            let values = mapping.entries().map(|(_, value)| value);
            let values = values.filter(|value| value.as_str().is_some_and(is_reference));
            values.for_each(|value| site(value, Role::Schema));
        }
        for (name, inner) in node.entries() {
            if let Some(role) = role.field(name) {
                self.visit(inner, role, is_main, sites);
            }
        }
    }
}

/// Whether a discriminator maps to a reference, and not to the bare name of a schema.
fn is_reference(text: &str) -> bool {
    let endings = [".yaml", ".yml", ".json"];
    text.contains(['#', '/']) || endings.iter().any(|ending| text.ends_with(ending))
}
