//! Names of copies: `Page.User`.

use std::collections::HashSet;

use super::{
    super::{NodePath, component_name},
    binder::Copy,
    schemas::lone_reference,
    scopes::Scopes,
};
use crate::{names::by_rules, tree::NodeRef};

/// Returns a name for each copy, which no component and no other copy has.
///
/// A name joins the names of the schema and of the schemas bound in it. It does not depend on the order of the copies.
pub fn names(scopes: &Scopes<'_>, copies: &[Copy<'_>]) -> Vec<String> {
    let mut taken: HashSet<String> = scopes.components.values().map(|name| (*name).to_owned()).collect();
    let copies: Vec<&Copy<'_>> = copies.iter().collect();
    let details = [Detail::Short, Detail::Named, Detail::Full];
    let names = by_rules(&copies, &mut taken, details, |copy, detail| name(scopes, copy, detail));
    names.into_iter().map(Option::unwrap_or_default).collect()
}

/// The level of detail of a name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Detail {
    /// The bindings.
    Short,
    /// The names of anchors, too.
    Named,
    /// The positions of the schemas.
    Full,
}

fn name(scopes: &Scopes<'_>, copy: &Copy<'_>, detail: Detail) -> String {
    let lexical = scopes.lexical_bindings(copy.schema);
    let is_other = |name: &str, node: NodeRef<'_>| lexical.get(name).is_none_or(|own| own.id() != node.id());
    let bound = copy.bindings.iter().filter(|(name, node)| is_other(name, node)).map(|(name, node)| {
        let schema = if detail == Detail::Full { position(scopes, node) } else { short(scopes, node, name) };
        if detail == Detail::Short { schema } else { format!("{name}.{schema}") }
    });
    let bound: Vec<String> = bound.collect();
    format!("{}.{}", template(scopes, copy.schema), bound.join("."))
}

/// Returns the name of a schema that is copied.
fn template(scopes: &Scopes<'_>, schema: NodeRef<'_>) -> String {
    let component = scopes.components.get(&schema.id());
    component.map_or_else(|| position(scopes, schema), |name| (*name).to_owned())
}

/// Returns the name of a schema that a name is bound to.
fn short<'d>(scopes: &Scopes<'d>, schema: NodeRef<'d>, anchor: &str) -> String {
    let referred = || component_name(lone_reference(schema)?.as_str()?, "schemas");
    if let Some(name) = scopes.components.get(&schema.id()).map(|name| (*name).to_owned()).or_else(referred) {
        return name;
    }
    let root = scopes.root_of(schema);
    match scopes.components.get(&root.id()) {
        Some(owner) => format!("{owner}.{anchor}"),
        None => {
            let path = NodePath::to(scopes.document.root(), root.id());
            let operation = path.and_then(|path| path.operation());
            let operation = operation.as_deref().and_then(|operation| operation.split(" (").next());
            operation.map_or_else(|| position(scopes, schema), |id| format!("{}.{anchor}", plain(id)))
        }
    }
}

/// Returns the path to a schema as words.
fn position(scopes: &Scopes<'_>, schema: NodeRef<'_>) -> String {
    let text = scopes.reference(schema);
    let text = text.strip_prefix("#/components/schemas/").unwrap_or(&text);
    plain(text)
}

/// Returns a text as a name of a component can have it.
fn plain(text: &str) -> String {
    let is_allowed = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    let parts = text.split(|c| !is_allowed(c)).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join(".")
}
