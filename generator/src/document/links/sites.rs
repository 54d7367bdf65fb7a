//! Finds the references of a document, and the kind of target that each expects.

use std::collections::HashSet;

use crate::tree::{Node, NodeId};

/// The kind of OpenAPI object expected at a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    Schema,
    Parameter,
    Response,
    RequestBody,
    Header,
    Callback,
    MediaType,
    Link,
    Example,
    /// A map or list whose values have this role, such as `paths`.
    Map(&'static Role),
    Other,
}

/// The roles of the targets that are adopted, with their sections of `components`.
pub const SECTIONS: [(Role, &str); 7] = [
    (Role::Schema, "schemas"),
    (Role::Response, "responses"),
    (Role::Parameter, "parameters"),
    (Role::RequestBody, "requestBodies"),
    (Role::Header, "headers"),
    (Role::Callback, "callbacks"),
    (Role::MediaType, "mediaTypes"),
];

impl Role {
    /// Returns the section of `components` for this role.
    ///
    /// Empty if its targets are not adopted.
    pub fn section(self) -> &'static str {
        SECTIONS.iter().find(|(role, _)| *role == self).map_or("", |(_, section)| section)
    }

    /// Returns the role of the components of a section.
    pub fn of_section(section: &str) -> Self {
        SECTIONS.iter().find(|(_, name)| *name == section).map_or(Self::Other, |(role, _)| *role)
    }

    /// Returns the role of a field.
    ///
    /// Returns `None` if the field holds a plain value, in which `$ref` has no meaning.
    pub fn field(self, name: &str) -> Option<Self> {
        use Role::{
            Callback, Example, Header, Link, Map, MediaType, Other, Parameter, RequestBody, Response, Schema,
        };
        if let Map(inner) = self {
            return Some(*inner);
        }
        Some(match name {
            "example" | "enum" | "const" | "default" | "value" | "dataValue" => return None,
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
            // `parameters` is a list in operations and a map in components.
            "parameters" => Map(&Parameter),
            "responses" => Map(&Response),
            "requestBodies" => Map(&RequestBody),
            "requestBody" => RequestBody,
            "headers" => Map(&Header),
            "callbacks" => Map(&Callback),
            "content" | "mediaTypes" => Map(&MediaType),
            "links" => Map(&Link),
            "examples" => Map(&Example),
            "paths" | "webhooks" | "pathItems" | "additionalOperations" | "encoding" | "securitySchemes" => {
                Map(&Other)
            }
            _ => Other,
        })
    }

    /// Returns the role of the items of a list with this role.
    pub fn item(self) -> Self {
        match self {
            Self::Map(inner) => *inner,
            role => role,
        }
    }
}

/// A reference in a document.
#[derive(Debug)]
pub struct Site {
    /// The node that holds the reference as a string.
    pub id: NodeId,
    pub text: String,
    pub role: Role,
    /// Whether it is in the mapping of a discriminator, where the name of a schema can be instead.
    pub is_mapping: bool,
}

/// Finds references.
#[derive(Debug, Default)]
pub struct Finder {
    /// The visited arrays and objects.
    ///
    /// Those of the main file are missing if it is visited once, as a whole.
    pub visited: HashSet<NodeId>,
}

impl Finder {
    /// Returns the references at and below a node, except in visited nodes.
    ///
    /// If the node is the whole main file, without those that are canonical already.
    pub fn find(&mut self, node: &Node, role: Role, is_main: bool) -> Vec<Site> {
        let mut sites = Vec::new();
        self.visit(node, role, is_main, &mut sites);
        sites
    }

    fn visit(&mut self, node: &Node, role: Role, is_main: bool, sites: &mut Vec<Site>) {
        if !(node.is_array() || node.is_object()) || !is_main && !self.visited.insert(node.id()) {
            return;
        }
        for item in node.items() {
            self.visit(item, role.item(), is_main, sites);
        }
        // References from the main file into the main file are canonical already. They are the most frequent
        // ones.
        let is_new = |text: &&str| !is_main || !(*text == "#" || text.starts_with("#/"));
        let mut site = |node: &Node, role: Role, is_mapping: bool| {
            if let Some(text) = node.as_str().filter(is_new) {
                sites.push(Site { id: node.id(), text: text.to_owned(), role, is_mapping });
            }
        };
        if let Some(reference) = node.get("$ref") {
            site(reference, role, false);
        }
        if !matches!(role, Role::Map(_))
            && let Some(discriminator) = node.get("discriminator")
        {
            let mapping = discriminator.get("mapping").into_iter().flat_map(Node::entries);
            let targets = mapping.map(|(_, value)| value).chain(discriminator.get("defaultMapping"));
            targets.for_each(|target| site(target, Role::Schema, true));
        }
        for (name, inner) in node.entries() {
            if let Some(role) = role.field(name) {
                self.visit(inner, role, is_main, sites);
            }
        }
    }
}

impl Site {
    /// Returns whether the site is the name of a schema, which outranks a reference of the same text.
    ///
    /// `schemas` are the components of the file that the site is in.
    pub fn is_name(&self, schemas: Option<&Node>) -> bool {
        let is_component = || schemas.is_some_and(|schemas| schemas.get(&self.text).is_some());
        self.is_mapping && (is_component() || !is_reference(&self.text))
    }
}

/// Returns whether the value of a discriminator mapping that names no schema is a reference.
fn is_reference(text: &str) -> bool {
    let endings = [".yaml", ".yml", ".json"];
    text.contains(['#', '/']) || endings.iter().any(|ending| text.ends_with(ending))
}
