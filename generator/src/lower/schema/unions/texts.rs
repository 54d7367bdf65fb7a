//! The names of a union's variants.

use std::collections::{HashMap, HashSet};

use crate::{
    names,
    tree::{Node, NodeRef},
};

/// Returns a distinct text for each branch of a union.
///
/// A reference has the name of its component. An inline schema has its title, its constant, its only property or
/// its kind. Arrays and maps are named after their items: `string array`, `Pet map`. An `allOf` has the constant or
/// the name of a member.
///
/// Of equal texts, the first one stays as it is, so that a branch added at the end does not rename it. References
/// count as before inline schemas. The others get the name of a property that only one branch has, or the branch's number in the list.
pub(super) fn variant_texts(branches: &[NodeRef<'_>]) -> Vec<String> {
    let texts: Vec<String> = branches.iter().map(|branch| variant_text(branch, MAX_NESTED)).collect();
    // The position of the branch that keeps each text.
    let mut keepers: HashMap<String, usize> = HashMap::new();
    let is_reference = |branch: &NodeRef<'_>| branch.get("$ref").is_some();
    for by_reference in [true, false] {
        for (position, (text, branch)) in texts.iter().zip(branches).enumerate() {
            if is_reference(branch) == by_reference {
                keepers.entry(names::pascal(text)).or_insert(position);
            }
        }
    }
    let keeps = |text: &str, position: usize| keepers.get(&names::pascal(text)) == Some(&position);
    let mut owners: HashMap<&str, usize> = HashMap::new();
    if keepers.len() < texts.len() {
        for branch in branches {
            for (property, _) in properties(branch) {
                *owners.entry(property).or_default() += 1;
            }
        }
    }
    let kept = texts.iter().enumerate().filter(|(position, text)| keeps(text, *position));
    let mut taken: HashSet<String> = kept.map(|(_, text)| text.clone()).collect();
    texts
        .iter()
        .zip(branches)
        .enumerate()
        .map(|(position, (text, branch))| {
            if keeps(text, position) {
                return text.clone();
            }
            let own = properties(branch).map(|(name, _)| name).find(|name| owners.get(name) == Some(&1));
            let mut better =
                own.map_or_else(|| format!("{text} {}", position + 1), |own| format!("{text} with {own}"));
            if !taken.insert(better.clone()) {
                better = format!("{better} {}", position + 1);
                taken.insert(better.clone());
            }
            better
        })
        .collect()
}

/// The maximum number of arrays and maps in a text.
const MAX_NESTED: usize = 3;

/// Returns a text for a branch, which other branches may have too.
fn variant_text(branch: NodeRef<'_>, nested: usize) -> String {
    if let Some(name) = referred(branch) {
        return name;
    }
    let title = branch.get("title").and_then(Node::as_str);
    if let Some(title) = title.filter(|title| !title.is_empty() && title.len() <= 40) {
        return title.to_owned();
    }
    if let Some([member]) = branch.get("allOf").map(Node::items)
        && let Some(name) = referred(member)
    {
        return name;
    }
    if let Some(constant) = constant(branch) {
        return constant.to_owned();
    }
    let kind = match branch.get("type") {
        Some(kinds) if kinds.is_array() => {
            kinds.items().iter().filter_map(Node::as_str).find(|kind| *kind != "null")
        }
        Some(kind) => kind.as_str(),
        None if branch.get("properties").is_some() => Some("object"),
        None => None,
    };
    match kind {
        Some("array") => of_items(branch.get("items"), "array", nested).unwrap_or_else(|| "array".to_owned()),
        Some("object") => {
            let constant = properties(branch).find_map(|(_, property)| constant(property)).map(str::to_owned);
            let values = branch.get("additionalProperties").filter(|_| properties(branch).next().is_none());
            let named =
                constant.or_else(|| of_items(values, "map", nested)).or_else(|| only_property(branch));
            named.unwrap_or_else(|| "object".to_owned())
        }
        Some(kind) => branch.get("format").and_then(Node::as_str).map_or_else(
            || kind.to_owned(),
            |format| match format {
                "date-time" => "timestamp".to_owned(),
                "date" | "uuid" => format.to_owned(),
                _ => kind.to_owned(),
            },
        ),
        None => of_members(branch).unwrap_or_else(|| UNNAMED.to_owned()),
    }
}

/// Returns the only property, if it is required. serde's enums have objects of this form.
fn only_property(branch: NodeRef<'_>) -> Option<String> {
    let mut names = properties(branch).map(|(name, _)| name);
    let only = names.next().filter(|_| names.next().is_none())?;
    let is_required = |item: &Node| item.as_str() == Some(only);
    branch.get("required")?.items().iter().any(is_required).then(|| only.to_owned())
}

/// Returns the text of an `allOf` of several members: the constant of a property, else the first component.
///
/// serde's tagged enums have this form: `allOf: [{$ref: Circle}, {properties: {type: {enum: [circle]}}}]`.
fn of_members(branch: NodeRef<'_>) -> Option<String> {
    let members = branch.get("allOf").map(Node::items)?;
    let tag = members.iter().flat_map(properties).find_map(|(_, property)| constant(property));
    tag.map(str::to_owned).or_else(|| members.iter().find_map(referred))
}

/// The text of a branch without a hint about its kind.
const UNNAMED: &str = "variant";

/// Returns the text of an array or a map by that of its items, unless the items have no hint about their kind.
fn of_items(items: Option<NodeRef<'_>>, whole: &str, nested: usize) -> Option<String> {
    let item = variant_text(items?, nested.checked_sub(1)?);
    (item != UNNAMED).then(|| format!("{item} {whole}"))
}

/// Returns the last segment of a reference.
fn referred(node: NodeRef<'_>) -> Option<String> {
    let reference = node.get("$ref")?.as_str()?;
    reference.rsplit('/').next().map(str::to_owned)
}

fn properties(node: NodeRef<'_>) -> impl Iterator<Item = (&str, NodeRef<'_>)> {
    node.get("properties").into_iter().flat_map(Node::entries)
}

/// Returns the only value of a schema, if it is a string.
fn constant(node: NodeRef<'_>) -> Option<&str> {
    let only = match node.get("enum").map(Node::items) {
        Some([only]) => Some(only),
        _ => None,
    };
    node.get("const").or(only).and_then(Node::as_str)
}
