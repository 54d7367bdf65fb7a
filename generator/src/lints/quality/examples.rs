//! `quality-no-example`: bodies and parameters without an example.

use indexmap::{IndexMap, IndexSet};

use super::operations::name_and_location;
use crate::{
    diagnostics::Code,
    document::Role,
    lints::{
        Linter,
        parts::{lists_values, parts, types_of},
        walk::objects,
    },
    selection::resolved,
    tree::{Node, NodeId, NodeRef},
};

/// The keywords whose value can serve as an example.
const VALUES: &[&str] = &["example", "examples", "default", "const", "enum"];

/// The maximum number of strings that a diagnostic names.
const MAX_NAMED: usize = 5;

/// The maximum number of strings to find in a body: one more than a diagnostic names shows that there are others.
const MAX_STRINGS: usize = MAX_NAMED + 1;

/// The maximum number of schemas that a search enters for variants that it does not choose.
///
/// Without a limit, unions within the variants of unions would take exponential time.
const MAX_REJECTED: usize = 2000;

/// Strings without an example: the schema that has each, and its property there.
type Missing<'d> = Vec<(NodeRef<'d>, String)>;

/// Reports the parameters and the schemas of bodies without an example, once for each cause.
///
/// The cause is the name of a parameter, or the schema with the strings without an example. Many bodies can contain it.
pub(super) fn check(linter: &mut Linter<'_, '_>) {
    let mut parameters: IndexMap<_, Vec<NodeRef<'_>>> = IndexMap::new();
    let mut causes: IndexMap<NodeId, Cause<'_>> = IndexMap::new();
    for (node, role) in objects(linter.document) {
        let can_have_one = matches!(role, Role::Parameter | Role::MediaType) && !has_value(node);
        let Some(written) = node.get("schema").filter(|_| can_have_one) else { continue };
        let missing = missing(linter, written);
        if missing.is_empty() || linter.allows(Code::QualityNoExample, node) {
            continue;
        }
        if role == Role::Parameter {
            parameters.entry(name_and_location(node)).or_default().push(node);
            continue;
        }
        for (schema, name) in missing {
            let new = || Cause { schema, names: Vec::new(), bodies: Vec::new() };
            let cause = causes.entry(schema.id()).or_insert_with(new);
            if cause.bodies.last().is_none_or(|last| last.id() != written.id()) {
                cause.bodies.push(written);
            }
            if !cause.names.contains(&name) {
                cause.names.push(name);
            }
        }
    }
    for same in parameters.values() {
        report_parameters(linter, same);
    }
    for cause in causes.values() {
        cause.report(linter);
    }
}

fn report_parameters<'d>(linter: &mut Linter<'d, '_>, same: &[NodeRef<'d>]) {
    let Some((first, others)) = same.split_first() else { return };
    let name = first.get("name").and_then(Node::as_str).unwrap_or_default();
    let message = format!("parameter `{name}` has no example");
    let at = first.get("name").unwrap_or(first);
    let Some(warning) = linter.warn(Code::QualityNoExample, at, message) else { return };
    if !others.is_empty() {
        let count = others.len();
        warning.note(format!("other parameters with this name and without an example: {count}"));
    }
    warning.help("write an `example` beside its `schema`, or in it");
}

/// A schema that leaves bodies without an example.
struct Cause<'d> {
    schema: NodeRef<'d>,
    /// The properties of the strings without an example; `""` is the value itself.
    names: Vec<String>,
    /// The schemas of the bodies.
    bodies: Vec<NodeRef<'d>>,
}

impl<'d> Cause<'d> {
    fn report(&self, linter: &mut Linter<'d, '_>) {
        let Self { schema, names, bodies } = self;
        let (Some((first, others)), Some(body)) = (names.split_first(), bodies.first()) else { return };
        let which = match bodies.len() {
            1 => "a body with this schema has no example".to_owned(),
            several => format!("{several} bodies with this schema have no example"),
        };
        let message = match first.as_str() {
            "" => which,
            name => format!("{which}, and `{name}` has none either"),
        };
        let Some(warning) = linter.warn(Code::QualityNoExample, schema, message) else { return };
        warning.at_name();
        if schema.id() != body.id() {
            warning.label_at_name(body, "a body");
        }
        let listed = others.iter().take(MAX_NAMED - 1).filter(|name| !name.is_empty());
        let listed = listed.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        if !listed.is_empty() {
            let more = if names.len() > MAX_NAMED { " and others" } else { "" };
            warning.note(format!("no example either: {listed}{more}"));
        }
        warning.help("write an `example` of the whole body, or one for each property");
    }
}

fn has_value(node: NodeRef<'_>) -> bool {
    VALUES.iter().any(|keyword| node.get(keyword).is_some())
}

/// Returns the first strings without an example in a value.
fn missing<'d>(linter: &Linter<'d, '_>, schema: NodeRef<'d>) -> Missing<'d> {
    let mut search = Search { linter, seen: IndexSet::new(), limit: MAX_STRINGS, rejected: 0 };
    let mut found = Missing::new();
    search.enter(schema, (resolved(linter.document, schema), ""), &mut found);
    found
}

struct Search<'d, 'x, 's> {
    linter: &'s Linter<'d, 'x>,
    /// The schemas that were entered, in this order: each counts once, and can contain itself.
    ///
    /// Those of variants that were not chosen are not in it.
    seen: IndexSet<NodeId>,
    /// The number of strings at which the search ends. Within a variant, the number at which it can't be chosen.
    limit: usize,
    /// The number of schemas that were entered for variants that were not chosen.
    rejected: usize,
}

impl<'d> Search<'d, '_, '_> {
    /// Adds the strings without an example. A number, a boolean or a string with a format needs none.
    ///
    /// `at` is the schema that has the value, and its property there. A referenced schema has its own.
    fn enter(&mut self, written: NodeRef<'d>, at: (NodeRef<'d>, &str), found: &mut Missing<'d>) {
        let schema = resolved(self.linter.document, written);
        if found.len() >= self.limit || !self.seen.insert(schema.id()) {
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

    /// Adds the strings without an example of the variant that has the fewest.
    ///
    /// One variant is enough for an example. Each is searched as if the others were not there, so a schema in several of
    /// them counts in each.
    fn enter_union(&mut self, union: NodeRef<'d>, at: (NodeRef<'d>, &str), found: &mut Missing<'d>) {
        let (limit, start) = (self.limit, self.seen.len());
        let mut best: Option<(Missing<'d>, IndexSet<NodeId>)> = None;
        self.limit = limit.saturating_sub(found.len());
        for variant in union.items() {
            // A variant that lacks no example is the best one.
            if self.limit == 0 || self.rejected > MAX_REJECTED {
                break;
            }
            let mut missing = Missing::new();
            self.enter(variant, at, &mut missing);
            let entered = self.seen.split_off(start);
            let rejected = if best.is_none() || missing.len() < self.limit {
                self.limit = missing.len();
                best.replace((missing, entered)).map(|(_, entered)| entered)
            } else {
                Some(entered)
            };
            self.rejected += rejected.map_or(0, |entered| entered.len());
        }
        self.limit = limit;
        let Some((missing, entered)) = best else { return };
        self.seen.extend(entered);
        // If the search ended early, another variant might lack no example. Then nothing is reported.
        if self.rejected <= MAX_REJECTED {
            found.extend(missing);
        }
    }
}
