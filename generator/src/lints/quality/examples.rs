//! `quality-no-example`: bodies and parameters without an example.

use std::collections::HashSet;

use indexmap::IndexMap;

use super::operations::{name_and_location, resolved};
use crate::{
    diagnostics::Code,
    document::Role,
    lints::{
        Linter,
        parts::{lists_values, parts, types_of},
        walk::walk,
    },
    tree::{Node, NodeId, NodeRef},
};

/// The keywords that hold a value to show.
const VALUES: &[&str] = &["example", "examples", "default", "const", "enum"];

/// The maximum number of strings to find in a body.
const MAX_STRINGS: usize = 5;

/// Reports the parameters and the schemas of bodies without an example, once for each cause.
///
/// The cause is the name of a parameter, or the schema with the strings that nothing shows. Many bodies can contain it.
pub(super) fn check(linter: &mut Linter<'_, '_>) {
    let mut parameters: IndexMap<_, Vec<NodeRef<'_>>> = IndexMap::new();
    let mut causes: IndexMap<NodeId, Cause<'_>> = IndexMap::new();
    walk(linter.document, &mut |node, role| {
        let can_have_one = matches!(role, Role::Parameter | Role::MediaType) && !has_value(node);
        let Some(written) = node.get("schema").filter(|_| can_have_one) else { return };
        let missing = missing(linter, written);
        if missing.is_empty() || linter.allows(Code::QualityNoExample, node) {
            return;
        }
        if role == Role::Parameter {
            parameters.entry(name_and_location(node)).or_default().push(node);
            return;
        }
        for (schema, name) in missing {
            let cause = causes.entry(schema.id()).or_insert_with(|| Cause::new(schema));
            if cause.bodies.last().is_none_or(|last| last.id() != written.id()) {
                cause.bodies.push(written);
            }
            if !cause.names.contains(&name) {
                cause.names.push(name);
            }
        }
    });
    for same in parameters.values() {
        report_parameters(linter, same);
    }
    for cause in causes.values() {
        cause.report(linter);
    }
}

/// Reports parameters with one name.
fn report_parameters<'d>(linter: &mut Linter<'d, '_>, same: &[NodeRef<'d>]) {
    let Some((first, others)) = same.split_first() else { return };
    let name = first.get("name").and_then(Node::as_str).unwrap_or_default();
    let message = format!("parameter `{name}` has no example");
    let at = first.get("name").unwrap_or(first);
    let Some(warning) = linter.warn(Code::QualityNoExample, at, message) else { return };
    if !others.is_empty() {
        warning.note(format!("it occurs {} more times without one", others.len()));
    }
    warning.help("write an `example` beside its `schema`, or in it");
}

/// A schema because of which bodies have no example.
struct Cause<'d> {
    schema: NodeRef<'d>,
    /// The strings that nothing shows, by their property; `""` is the value itself.
    names: Vec<String>,
    /// The schemas of the bodies.
    bodies: Vec<NodeRef<'d>>,
}

impl<'d> Cause<'d> {
    fn new(schema: NodeRef<'d>) -> Self {
        Self { schema, names: Vec::new(), bodies: Vec::new() }
    }

    fn report(&self, linter: &mut Linter<'d, '_>) {
        let Self { schema, names, bodies } = self;
        let (Some((first, others)), Some(body)) = (names.split_first(), bodies.first()) else { return };
        let which = match bodies.len() {
            1 => "a body with this schema has no example".to_owned(),
            several => format!("{several} bodies with this schema have no example"),
        };
        let message = match first.as_str() {
            "" => which,
            name => format!("{which}, and nothing shows a value of `{name}`"),
        };
        let Some(warning) = linter.warn(Code::QualityNoExample, schema, message) else { return };
        warning.at_name();
        if schema.id() != body.id() {
            warning.label_at_name(body, "a body");
        }
        if !others.is_empty() {
            let names = others.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            let more = if self.names.len() < MAX_STRINGS { "" } else { " and others" };
            warning.note(format!("nor a value of {names}{more}"));
        }
        warning.help("write an `example` of the whole body, or one for each property");
    }
}

fn has_value(node: NodeRef<'_>) -> bool {
    VALUES.iter().any(|keyword| node.get(keyword).is_some())
}

/// Returns the first strings in a value that nothing shows: the schema that has each, and its property there.
fn missing<'d>(linter: &Linter<'d, '_>, schema: NodeRef<'d>) -> Vec<(NodeRef<'d>, String)> {
    let mut search = Search { linter, seen: HashSet::new() };
    let mut found = Vec::new();
    search.enter(schema, (resolved(linter.document, schema), ""), &mut found);
    found
}

struct Search<'d, 'x, 's> {
    linter: &'s Linter<'d, 'x>,
    /// The schemas that were entered: each counts once, and can contain itself.
    seen: HashSet<NodeId>,
}

impl<'d> Search<'d, '_, '_> {
    /// Adds the strings that nothing shows. A number, a boolean or a string with a format needs no example.
    ///
    /// `at` is the schema that has the value, and its property there. A referenced schema has its own.
    fn enter(
        &mut self,
        written: NodeRef<'d>,
        at: (NodeRef<'d>, &str),
        found: &mut Vec<(NodeRef<'d>, String)>,
    ) {
        let schema = resolved(self.linter.document, written);
        if found.len() >= MAX_STRINGS || !self.seen.insert(schema.id()) {
            return;
        }
        let (owner, name) = if schema.id() == written.id() { at } else { (schema, "") };
        let parts = parts(self.linter.document, schema, &["allOf"]);
        if parts.iter().any(|part| has_value(part) || lists_values(part)) {
            return;
        }
        let is_string = parts.iter().any(|part| types_of(part).eq(["string"]));
        let has_format =
            parts.iter().any(|part| part.get("format").or(part.get("contentEncoding")).is_some());
        if is_string && !has_format {
            found.push((owner, name.to_owned()));
            return;
        }
        for part in &parts {
            let is_own = part.id() == schema.id() || self.linter.members.contains(&part.id());
            let at @ (owner, name) = if is_own { (owner, name) } else { (*part, "") };
            for (property, schema) in part.get("properties").into_iter().flat_map(Node::entries) {
                let inner = if name.is_empty() { property.to_owned() } else { format!("{name}.{property}") };
                self.enter(schema, (owner, &inner), found);
            }
            if let Some(items) = part.get("items") {
                self.enter(items, at, found);
            }
            if let Some(values) = part.get("additionalProperties").filter(|values| values.is_object()) {
                self.enter(values, at, found);
            }
            for union in ["oneOf", "anyOf"].into_iter().filter_map(|keyword| part.get(keyword)) {
                self.enter_union(union, at, found);
            }
        }
    }

    /// Adds the strings of the variant for which the fewest are missing: one variant is enough for an example.
    fn enter_union(
        &mut self,
        union: NodeRef<'d>,
        at: (NodeRef<'d>, &str),
        found: &mut Vec<(NodeRef<'d>, String)>,
    ) {
        let missing = union.items().iter().map(|variant| {
            let mut missing = Vec::new();
            self.enter(variant, at, &mut missing);
            missing
        });
        found.extend(missing.min_by_key(Vec::len).unwrap_or_default());
    }
}
