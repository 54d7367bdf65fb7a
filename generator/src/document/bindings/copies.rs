//! Makes the copies of schemas, and changes the references to them.

use std::collections::HashMap;

use super::{
    super::{
        Document, File, Ids, Role, Source,
        links::{Target, path, rewrite},
    },
    binder::{Bound, Copy, Goal, Goals},
    naming,
    schemas::{is_definitions, lone_reference},
    scopes::Scopes,
};
use crate::tree::{Node, NodeId, Object, Value};

/// The name of the file that contains the copies. It is a folder, so that no other file has it.
const FILE: &str = ".";

/// The name of the schema of any value.
const ANY: &str = "any";

/// The new texts of references, by the nodes of their strings.
type Texts = HashMap<NodeId, String>;

/// The changes of a document.
pub struct Changes {
    /// The new references of the document.
    texts: Texts,
    /// The schemas of the new file, by name.
    schemas: Vec<(String, Node)>,
    /// The components that are copies, and the schema of each.
    components: Vec<(String, String)>,
    /// The names of the components that were copied.
    templates: HashMap<String, String>,
}

/// Returns the copies of schemas, and the references to them.
pub fn changes(scopes: &Scopes<'_>, bound: &Bound<'_>) -> Changes {
    let names = naming::names(scopes, &bound.copies);
    let reference = |goal: &Goal<'_>| match goal {
        Goal::Schema(schema) => scopes.reference(schema),
        Goal::Any => format!("{FILE}#/{ANY}"),
        Goal::Copy(index) => {
            let name = names.get(*index).map_or(ANY, String::as_str);
            match bound.copies.get(*index) {
                Some(Copy { owner: Some(owner), .. }) => scopes.reference(owner),
                Some(Copy { is_whole: true, .. }) => {
                    format!("#/components/schemas/{}", path::escape_step(name))
                }
                _ => format!("{FILE}#/{}", path::escape_step(name)),
            }
        }
    };
    let texts_of = |goals: &Goals<'_>| goals.iter().map(|(id, goal)| (*id, reference(goal))).collect();
    let mut texts: Texts = texts_of(&bound.goals);
    let any = Node { id: scopes.document.root().id, location: None, value: Value::Boolean(true) };
    let mut schemas = vec![(ANY.to_owned(), any)];
    let (mut components, mut templates) = (Vec::new(), HashMap::new());
    for (copy, name) in bound.copies.iter().zip(&names) {
        let mut schema = copy.schema.clone();
        strip(&mut schema, Role::Schema);
        rewrite(&mut schema, &texts_of(&copy.goals));
        if let Some(owner) = copy.owner {
            let reference = lone_reference(owner).map(|reference| reference.id);
            texts.retain(|id, _| Some(*id) != reference);
            let mut own = owner.clone();
            rewrite(&mut own, &texts);
            schema = merge(own, schema);
        }
        let owner = copy.owner.and_then(|owner| scopes.components.get(&owner.id));
        if let Some(component) =
            owner.map(|owner| (*owner).to_owned()).or(copy.is_whole.then(|| name.clone()))
        {
            components.push((component, name.clone()));
        }
        if let Some(template) = scopes.components.get(&copy.schema.id) {
            templates.insert(name.clone(), (*template).to_owned());
        }
        schemas.push((name.clone(), schema));
    }
    Changes { texts, schemas, components, templates }
}

/// Adds the copies to a document, and changes its references.
pub fn apply(document: &mut Document, changes: Changes) {
    let Changes { texts, schemas, components, templates } = changes;
    document.rewrite(&texts);
    let id = document.root().id;
    let mut root = Node { id, location: None, value: Value::Object(Object::new(schemas)) };
    let copied = Ids::number(document.next_id(), [&mut root]);
    let file = document.add_file(File::new(Source::new(FILE, ""), root));
    for (component, name) in components {
        let pointer = format!("/{}", path::pointer_step(&name));
        document.links.adopt("schemas", component, Target { file, pointer });
    }
    document.origins.copied = Some(copied);
    document.templates = templates;
}

/// Removes definitions and anchors. A copy needs none, because references lead to the original ones.
fn strip(node: &mut Node, role: Role) {
    match &mut node.value {
        Value::Array(items) => items.iter_mut().for_each(|item| strip(item, role.item())),
        Value::Object(object) => {
            if role == Role::Schema {
                let is_bound = |name: &str| matches!(name, "$id" | "$anchor" | "$dynamicAnchor");
                object.retain(|name, _| !is_definitions(name) && !is_bound(name));
            }
            for (name, field) in object.fields_mut() {
                if let Some(role) = role.field(name) {
                    strip(field, role);
                }
            }
        }
        _ => {}
    }
}

/// Returns a component that consists of a reference as its target, with the component's own annotations.
fn merge(mut component: Node, target: Node) -> Node {
    if let (Value::Object(own), Value::Object(target)) = (&mut component.value, target.value) {
        own.retain(|name, _| !matches!(name, "$ref" | "allOf"));
        own.add_missing(target);
    }
    component
}
