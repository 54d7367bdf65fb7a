//! `quality-no-example`: bodies and parameters for which the document shows no value.

use std::collections::HashSet;

use super::operations::resolved;
use crate::{
    diagnostics::Code,
    lints::{
        Linter,
        parts::{lists_values, parts, types_of},
    },
    tree::{Node, NodeId, NodeRef},
};

/// The keywords that hold a value to show.
const VALUES: &[&str] = &["example", "examples", "default", "const", "enum"];

/// The maximum number of strings to find in a body.
const MOST: usize = 5;

/// Reports a parameter without an example.
pub(super) fn check_parameter<'d>(linter: &mut Linter<'d, '_>, parameter: NodeRef<'d>) {
    let Some(schema) = parameter.get("schema").filter(|_| !has_value(parameter)) else { return };
    if !missing(linter, schema).is_empty() {
        let name = parameter.get("name").and_then(Node::as_str).unwrap_or_default();
        let message = format!("parameter `{name}` has no example");
        let at = parameter.get("name").unwrap_or(parameter);
        if let Some(warning) = linter.warn(Code::QualityNoExample, at, message) {
            warning.help("write an `example` beside its `schema`, or in it");
        }
    }
}

/// Reports the schema of a body without an example.
///
/// Bodies share schemas, so each schema is reported once.
pub(super) fn check_body<'d>(linter: &mut Linter<'d, '_>, media_type: NodeRef<'d>) {
    let Some(written) = media_type.get("schema").filter(|_| !has_value(media_type)) else { return };
    let missing = missing(linter, written);
    let Some((first, others)) = missing.split_first() else { return };
    if linter.allows(Code::QualityNoExample, media_type) {
        return;
    }
    let message = match first.as_str() {
        "" => "a body with this schema has no example".to_owned(),
        name => format!("a body with this schema has no example, and nothing shows a value of `{name}`"),
    };
    let schema = resolved(linter.document, written);
    let Some(warning) = linter.warn(Code::QualityNoExample, schema, message) else { return };
    warning.at_name();
    if schema.id() != written.id() {
        warning.label_at_name(written, "a body");
    }
    if !others.is_empty() {
        let names = others.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let more = if missing.len() < MOST { "" } else { " and others" };
        warning.note(format!("nor a value of {names}{more}"));
    }
    warning.help("write an `example` of the whole body, or one for each property");
}

fn has_value(node: NodeRef<'_>) -> bool {
    VALUES.iter().any(|keyword| node.get(keyword).is_some())
}

/// Returns the first strings in a value that nothing shows, by their property; `""` is the value itself.
fn missing(linter: &Linter<'_, '_>, schema: NodeRef<'_>) -> Vec<String> {
    let mut search = Search { linter, seen: HashSet::new() };
    let mut found = Vec::new();
    search.enter(schema, "", &mut found);
    found
}

struct Search<'d, 'x, 's> {
    linter: &'s Linter<'d, 'x>,
    /// The schemas that were entered: each counts once, and can contain itself.
    seen: HashSet<NodeId>,
}

impl Search<'_, '_, '_> {
    /// Adds the strings that nothing shows. A number, a boolean or a string with a format needs no example.
    fn enter(&mut self, schema: NodeRef<'_>, name: &str, found: &mut Vec<String>) {
        let schema = resolved(self.linter.document, schema);
        if found.len() >= MOST || !self.seen.insert(schema.id()) {
            return;
        }
        let parts = parts(self.linter.document, schema, &["allOf"]);
        if parts.iter().any(|part| has_value(part) || lists_values(part)) {
            return;
        }
        let is_string = parts.iter().any(|part| types_of(part).eq(["string"]));
        let has_format =
            parts.iter().any(|part| part.get("format").or(part.get("contentEncoding")).is_some());
        if is_string && !has_format {
            found.push(name.to_owned());
            return;
        }
        for part in &parts {
            for (property, schema) in part.get("properties").into_iter().flat_map(Node::entries) {
                let inner = if name.is_empty() { property.to_owned() } else { format!("{name}.{property}") };
                self.enter(schema, &inner, found);
            }
            if let Some(items) = part.get("items") {
                self.enter(items, name, found);
            }
            if let Some(values) = part.get("additionalProperties").filter(|values| values.is_object()) {
                self.enter(values, name, found);
            }
            for union in ["oneOf", "anyOf"].into_iter().filter_map(|keyword| part.get(keyword)) {
                self.enter_union(union, name, found);
            }
        }
    }

    /// Adds the strings of the variant for which the fewest are missing: one variant is enough for an example.
    fn enter_union(&mut self, union: NodeRef<'_>, name: &str, found: &mut Vec<String>) {
        let missing = union.items().iter().map(|variant| {
            let mut missing = Vec::new();
            self.enter(variant, name, &mut missing);
            missing
        });
        found.extend(missing.min_by_key(Vec::len).unwrap_or_default());
    }
}
