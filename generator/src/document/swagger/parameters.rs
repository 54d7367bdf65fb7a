//! Parameters: those of the path, the query and headers stay parameters; the others become the body.

use std::collections::HashMap;

use super::{
    build::{Fields, Rewriter, is_reference},
    table::{Kind, SECTIONS},
    values::{Location, is_of_schema},
};
use crate::{
    diagnostics::Code,
    tree::{Node, NodeRef},
};

/// The parameters of an operation or path item, sorted by what becomes of them.
#[derive(Debug, Default)]
pub struct Parameters<'d> {
    /// The new parameters, as written in the list or as references.
    pub plain: Vec<NodeRef<'d>>,
    /// The parameters `in: body`, each with the node in the list, which may be a reference to it.
    pub bodies: Vec<(NodeRef<'d>, NodeRef<'d>)>,
    /// The parameters `in: formData`, without references.
    pub form: Vec<NodeRef<'d>>,
}

impl<'d> Rewriter<'d, '_> {
    /// Sorts the parameters of an operation or path item.
    pub fn sorted(&mut self, owner: NodeRef<'d>) -> Parameters<'d> {
        let mut sorted = Parameters::default();
        let mut names = HashMap::new();
        for written in owner.get("parameters").map_or(&[][..], Node::items) {
            if !self.leads_to(written, Kind::Parameter) {
                continue;
            }
            let target = self.resolve(written).unwrap_or(written);
            match target.get("in").and_then(Node::as_str) {
                Some("body") => sorted.bodies.push((written, target)),
                Some("formData") => sorted.form.extend(self.new_field(&mut names, target)),
                _ => sorted.plain.push(written),
            }
        }
        sorted
    }

    /// Returns a form field if its name is new.
    fn new_field(
        &mut self,
        names: &mut HashMap<&'d str, NodeRef<'d>>,
        field: NodeRef<'d>,
    ) -> Option<NodeRef<'d>> {
        let Some(name) = field.get("name").and_then(Node::as_str) else {
            self.error(Code::MissingField, field, "missing field `name` in parameter");
            return None;
        };
        if let Some(twin) = names.get(name) {
            let message = format!("duplicate parameter `{name}`");
            self.error(Code::DuplicateParameter, field, message).label(twin, "first defined here");
            return None;
        }
        names.insert(name, field);
        Some(field)
    }

    /// Returns whether a reference leads to an object of this kind, as far as its section shows.
    pub fn leads_to(&mut self, node: NodeRef<'d>, kind: Kind) -> bool {
        let Some(reference) = node.get("$ref").filter(|at| at.as_str().is_some()) else { return true };
        let section = reference.as_str().and_then(|text| text.split_once("#/")?.1.split('/').next());
        let is_section = |name: &str| SECTIONS.iter().any(|(section, ..)| *section == name);
        let Some(section) = section.filter(|name| is_section(name) && *name != kind.section()) else {
            return true;
        };
        let is_whole = reference.as_str().is_some_and(|text| text.matches('/').count() == 2);
        if is_whole {
            let message = format!("the reference points to `{section}`, not to {}", kind.what());
            self.error(Code::WrongType, reference, message);
        }
        !is_whole
    }

    /// Converts the parameters that are not parts of a body. A list without such parameters is left out.
    pub fn plain_parameters(&mut self, list: NodeRef<'d>, plain: &[NodeRef<'d>]) -> Fields {
        if plain.is_empty() && !list.items().is_empty() {
            return Fields::new();
        }
        let items = plain.iter().map(|node| self.shared_parameter(node)).collect();
        vec![("parameters".to_owned(), self.array(list, items))]
    }

    /// Rewrites a parameter that has no other context than its own.
    ///
    /// One that becomes a part of bodies stays as it is, because each operation gets a copy.
    pub fn shared_parameter(&mut self, node: NodeRef<'d>) -> Node {
        if is_reference(node) {
            return self.reference(node);
        }
        let location = match node.get("in").and_then(Node::as_str) {
            _ if !node.is_object() => return self.keep_below(node),
            Some("body" | "formData") => return self.keep_below(node),
            Some("query") => Location::Query,
            _ => Location::Other,
        };
        self.parameter(node, location)
    }

    fn parameter(&mut self, node: NodeRef<'d>, location: Location) -> Node {
        let mut fields = self.convert(node, Kind::Parameter, |rewriter, name, value| match name {
            "schema" | "content" => Some(Fields::new()),
            "x-example" if node.get("example").is_none() => {
                Some(vec![("example".to_owned(), rewriter.keep_below(value))])
            }
            "x-examples" if value.is_object() && node.get("examples").is_none() => {
                Some(vec![("examples".to_owned(), rewriter.named_examples(value))])
            }
            _ => is_of_schema(name).then(Fields::new),
        });
        self.check_location(node);
        fields.extend(self.description_of_value(node, location));
        self.object(node, fields)
    }

    /// Returns `schema` and style of a parameter, or what a document has in the form of OpenAPI 3.
    fn description_of_value(&mut self, node: NodeRef<'d>, location: Location) -> Fields {
        for name in ["schema", "content"] {
            let Some(value) = node.get(name) else { continue };
            if name == "schema" {
                let message =
                    "Swagger 2.0 has `schema` only in a parameter `in: body`; it is read as in OpenAPI 3";
                self.warn(Code::NotInSwagger, value, message).at_name();
            }
            return vec![self.field(Kind::Parameter, name, value)];
        }
        let name = node.get("name").and_then(Node::as_str).unwrap_or_default();
        let (schema, separation) = self.value(node, &format!("parameter `{name}`"), location);
        let mut fields = self.style(node, separation);
        fields.push(("schema".to_owned(), schema));
        fields
    }

    /// Reports a location that Swagger 2.0 does not have.
    fn check_location(&mut self, node: NodeRef<'d>) {
        let Some(location) = node.get("in") else { return };
        if let Some("cookie" | "querystring") = location.as_str() {
            let message = "Swagger 2.0 has no parameters in this location; it is read as in OpenAPI 3";
            self.warn(Code::NotInSwagger, location, message);
        }
        if node.get("allowEmptyValue").is_some() && location.as_str() != Some("query") {
            let at = node.get("allowEmptyValue").unwrap_or(node);
            let message = "`allowEmptyValue` is only for `in: query` and `in: formData`, so it has no effect";
            self.warn(Code::BadParameter, at, message).at_name();
        }
    }

    /// Returns examples by name, each as an object with its value.
    pub fn named_examples(&mut self, node: NodeRef<'d>) -> Node {
        let example = |rewriter: &mut Self, (name, value): (&str, NodeRef<'d>)| {
            let own = rewriter.keep_below(value);
            (name.to_owned(), rewriter.object(value, vec![("value".to_owned(), own)]))
        };
        let fields = node.entries().map(|entry| example(self, entry)).collect();
        self.object(node, fields)
    }
}
