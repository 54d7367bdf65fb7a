//! The reading of discriminators as a choice.
//!
//! - If an object has the discriminator, its value chooses the branch of a `oneOf` or `anyOf`. Without it, one branch
//!   must apply.
//! - A component with a discriminator that others extend by `allOf` stands for any of them. Their own `allOf` means
//!   the component's own fields, even if the component lists them as a union.
//! - A tag of a branch that is a union itself chooses the branch.

use serde_json::{Map, Value, json};

use crate::{convert::each_schema, known, schemas};

/// The suffix of a component that has only the fields of a base itself, without its subtypes.
const OWN: &str = "--own";

/// Rewrites the schemas of a document.
pub fn apply(document: &mut Value) {
    extended(document);
    let root = document.clone();
    each_schema(document, &mut |schema| schemas::each(schema, &mut |schema| chosen(schema, &root)));
}

fn components(document: &Value) -> impl Iterator<Item = (&String, &Value)> {
    document.pointer("/components/schemas").and_then(Value::as_object).into_iter().flatten()
}

fn reference(name: &str) -> String {
    format!("#/components/schemas/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// Returns the name in a reference to a component.
fn named(reference: &str) -> String {
    reference.rsplit('/').next().unwrap_or(reference).replace("~1", "/").replace("~0", "~")
}

fn extends(schema: &Value, base: &str) -> bool {
    let parts = schema.get("allOf").and_then(Value::as_array).into_iter().flatten();
    parts.filter_map(|part| part.get("$ref")?.as_str()).any(|it| it == reference(base))
}

/// Turns components that others extend into the union of those.
fn extended(document: &mut Value) {
    let lists = |schema: &Value, name: &str, document: &Value| {
        let branches = schema.get("oneOf").or(schema.get("anyOf")).and_then(Value::as_array);
        let targets = branches.into_iter().flatten().filter_map(|branch| branch.get("$ref")?.as_str());
        let mut targets = targets.filter_map(|target| document.pointer(target.trim_start_matches('#')));
        targets.any(|target| extends(target, name))
    };
    let listing: Vec<String> = components(document)
        .filter(|(name, schema)| lists(schema, name, document))
        .map(|(name, _)| name.clone())
        .collect();
    for base in listing {
        let Some(Value::Object(all)) = document.pointer_mut("/components/schemas") else { return };
        let mut own = all.get(&base).cloned().unwrap_or_default();
        if let Some(own) = own.as_object_mut() {
            own.retain(|name, _| !["oneOf", "anyOf", "discriminator"].contains(&name.as_str()));
        }
        extend_own(all, &base, own);
    }
    let is_base = |schema: &Value| {
        schema.get("discriminator").is_some_and(Value::is_object)
            && schema.get("oneOf").or(schema.get("anyOf")).is_none()
    };
    let bases: Vec<String> =
        components(document).filter(|(_, schema)| is_base(schema)).map(|(name, _)| name.clone()).collect();
    for base in bases {
        let mut subtypes: Vec<String> = Vec::new();
        let mut next = vec![base.clone()];
        while let Some(parent) = next.pop() {
            for (name, _) in components(document).filter(|(_, schema)| extends(schema, &parent)) {
                if !subtypes.contains(name) && *name != base {
                    subtypes.push(name.clone());
                    next.push(name.clone());
                }
            }
        }
        if !subtypes.is_empty() {
            stand_for(document, &base, &subtypes);
        }
    }
}

/// Makes a component stand for its subtypes.
fn stand_for(document: &mut Value, base: &str, subtypes: &[String]) {
    let Some(Value::Object(all)) = document.pointer_mut("/components/schemas") else { return };
    let Some(mut own) = all.remove(base) else { return };
    let discriminator = own.as_object_mut().and_then(|own| own.remove("discriminator")).unwrap_or_default();
    extend_own(all, base, own);
    let mapping = discriminator.get("mapping").and_then(Value::as_object);
    let is_mapped = |name: &str| {
        mapping.is_none_or(|it| it.values().any(|to| to.as_str().map(named).as_deref() == Some(name)))
    };
    let mut branches: Vec<Value> = subtypes.iter().map(|name| json!({ "$ref": reference(name) })).collect();
    if is_mapped(base) {
        branches.push(json!({ "$ref": reference(&format!("{base}{OWN}")) }));
    }
    all.insert(base.to_owned(), json!({ "anyOf": branches, "discriminator": discriminator }));
}

/// Adds a component with only the fields of a base itself. The components that extend the base extend this one.
fn extend_own(all: &mut Map<String, Value>, base: &str, own: Value) {
    for schema in all.values_mut() {
        let parts = schema.get_mut("allOf").and_then(Value::as_array_mut).into_iter().flatten();
        for part in parts {
            if part.get("$ref").and_then(Value::as_str) == Some(&reference(base)) {
                *part = json!({ "$ref": reference(&format!("{base}{OWN}")) });
            }
        }
    }
    all.insert(format!("{base}{OWN}"), own);
}

/// Replaces a union with a discriminator by the choice.
fn chosen(schema: &mut Map<String, Value>, root: &Value) {
    let Some(discriminator) = schema.remove("discriminator") else { return };
    let Some(property) = discriminator.get("propertyName").and_then(Value::as_str) else { return };
    let Some(Value::Array(branches)) = schema.remove("oneOf").or_else(|| schema.remove("anyOf")) else {
        return;
    };
    let mapping = discriminator.get("mapping").and_then(Value::as_object);
    let lists: Vec<Vec<String>> = branches.iter().map(|branch| listed(branch, property, root, 0)).collect();
    let is_shared = |tag: &String| lists.iter().filter(|list| list.contains(tag)).count() > 1;
    let tagged: Vec<Value> = branches
        .iter()
        .zip(&lists)
        .map(|(branch, list)| match tags(branch, list, &is_shared, mapping, root) {
            tags if tags.is_empty() => branch.clone(),
            tags => json!({ "allOf": [{ "properties": { property: { "enum": tags } } }, branch] }),
        })
        .collect();
    let choice = json!({
        "if": { "type": "object", "required": [property], "properties": { property: { "type": "string" } } },
        "then": { "anyOf": tagged },
        "else": { "anyOf": branches },
    });
    match schema.entry("allOf").or_insert_with(|| json!([])) {
        Value::Array(all) => all.push(choice),
        other => *other = json!([choice]),
    }
}

/// Returns the values of the discriminator that choose a branch.
///
/// These are those of the mapping, else those that only this branch lists, else its name as the branch spells it.
fn tags(
    branch: &Value,
    listed: &[String],
    is_shared: &dyn Fn(&String) -> bool,
    mapping: Option<&Map<String, Value>>,
    root: &Value,
) -> Vec<String> {
    let Some(target) = branch.get("$ref").and_then(Value::as_str) else { return Vec::new() };
    let name = named(target);
    let own = name.strip_suffix(OWN).unwrap_or(&name);
    let inner = branches_of(target, root, 0);
    let leads_here = |to: &Value| {
        to.as_str().is_some_and(|to| {
            to == target || named(to) == own || inner.iter().any(|it| named(it) == named(to))
        })
    };
    let mapped = mapping.into_iter().flatten().filter(|(_, to)| leads_here(to)).map(|(tag, _)| tag.clone());
    let mapped: Vec<String> = mapped.collect();
    if !mapped.is_empty() {
        return mapped;
    }
    let only: Vec<String> = listed.iter().filter(|tag| !is_shared(tag)).cloned().collect();
    if !only.is_empty() {
        return only;
    }
    let folded = |text: &str| text.replace(|it: char| !it.is_alphanumeric(), "").to_lowercase();
    let spelled = listed.iter().find(|value| folded(value) == folded(own));
    vec![spelled.map_or(own, String::as_str).to_owned()]
}

/// Returns the references to the branches of a union, and to theirs.
fn branches_of<'v>(reference: &str, root: &'v Value, depth: usize) -> Vec<&'v str> {
    let schema = root.pointer(reference.trim_start_matches('#')).filter(|_| depth < 16);
    let lists = ["oneOf", "anyOf"].into_iter().filter_map(|name| schema?.get(name)?.as_array());
    let own: Vec<&str> = lists.flatten().filter_map(|branch| branch.get("$ref")?.as_str()).collect();
    let inner = own.iter().flat_map(|target| branches_of(target, root, depth + 1));
    own.iter().copied().chain(inner).collect()
}

/// Returns the values that a schema lists for a property.
fn listed(schema: &Value, property: &str, root: &Value, depth: usize) -> Vec<String> {
    if depth > 16 {
        return Vec::new();
    }
    if let Some(own) = schema.get("properties").and_then(|properties| properties.get(property)) {
        let own = known::target(own, root).unwrap_or(own);
        let listed = own.get("enum").and_then(Value::as_array).into_iter().flatten().chain(own.get("const"));
        return listed.filter_map(Value::as_str).map(str::to_owned).collect();
    }
    known::parts(schema, root).flat_map(|part| listed(part, property, root, depth + 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_valid(document: &Value, component: &str, instance: &Value) -> bool {
        let reading = crate::readings::Reading::new(document);
        let validator = reading.validator(&format!("/components/schemas/{component}"));
        validator.unwrap_or_else(|error| panic!("{error}")).is_valid(instance)
    }

    #[test]
    fn the_discriminator_chooses_the_branch() {
        let mut document = json!({ "components": { "schemas": {
            "Pet": {
                "oneOf": [{ "$ref": "#/components/schemas/Cat" }, { "$ref": "#/components/schemas/Dog" }],
                "discriminator": { "propertyName": "kind", "mapping": { "cat": "Cat" } },
            },
            "Cat": { "properties": { "lives": { "type": "integer" } } },
            "Dog": { "properties": { "kind": { "enum": ["dog"] }, "name": { "type": "string" } } },
        } } });
        apply(&mut document);
        for (instance, expected) in [
            (json!({ "kind": "cat", "lives": 9 }), true),
            (json!({ "kind": "cat", "lives": "9" }), false),
            (json!({ "kind": "dog", "lives": "9" }), true),
            (json!({ "kind": "dog", "name": 1 }), false),
            (json!({ "kind": "bird" }), false),
            (json!({ "lives": "9" }), true),
        ] {
            assert_eq!(is_valid(&document, "Pet", &instance), expected, "{instance}");
        }
    }

    #[test]
    fn a_reference_to_a_base_schema_accepts_its_subtypes() {
        let mut document = json!({ "components": { "schemas": {
            "Pet": {
                "required": ["kind"],
                "properties": { "kind": { "type": "string" } },
                "discriminator": { "propertyName": "kind" },
            },
            "Cat": { "allOf": [
                { "$ref": "#/components/schemas/Pet" },
                { "properties": { "mother": { "$ref": "#/components/schemas/Pet" }, "lives": { "type": "integer" } } },
            ] },
        } } });
        apply(&mut document);
        for (instance, expected) in [
            (json!({ "kind": "Pet", "lives": "many" }), true),
            (json!({ "kind": "Cat", "lives": "many" }), false),
            (json!({ "kind": "Cat", "mother": { "kind": "Cat", "lives": 1 } }), true),
            (json!({ "kind": "Cat", "mother": { "kind": "Cat", "lives": "many" } }), false),
        ] {
            assert_eq!(is_valid(&document, "Pet", &instance), expected, "{instance}");
        }
    }
}
