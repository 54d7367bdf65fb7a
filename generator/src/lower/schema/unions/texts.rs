//! The names of a union's variants.

use std::collections::{HashMap, HashSet};

use crate::{
    document::{Node, NodeRef},
    lower::schema::state::Schemas,
    names,
};

impl<'d> Schemas<'d, '_> {
    /// Returns a distinct text for each branch of a union.
    ///
    /// A reference has the name of its component. An inline schema has its title, its constant or its kind.
    /// Equal texts get the name of a property that only one branch has, or the branch's number in the list.
    pub fn variant_texts(&self, branches: &[NodeRef<'d>]) -> Vec<String> {
        let texts: Vec<String> = branches.iter().map(|branch| self.variant_text(branch)).collect();
        let mut counts: HashMap<String, usize> = HashMap::new();
        for text in &texts {
            *counts.entry(names::pascal(text)).or_default() += 1;
        }
        let mut references: HashMap<String, usize> = HashMap::new();
        for (text, branch) in texts.iter().zip(branches) {
            *references.entry(names::pascal(text)).or_default() += usize::from(branch.get("$ref").is_some());
        }
        let alone = |text: &str| counts.get(&names::pascal(text)) == Some(&1);
        // A component keeps its name if inline schemas have the same text.
        let keeps = |text: &str, branch: NodeRef<'_>| {
            alone(text) || branch.get("$ref").is_some() && references.get(&names::pascal(text)) == Some(&1)
        };
        let mut owners: HashMap<&str, usize> = HashMap::new();
        if texts.iter().any(|text| !alone(text)) {
            for branch in branches {
                for (property, _) in properties(branch) {
                    *owners.entry(property).or_default() += 1;
                }
            }
        }
        let kept = texts.iter().zip(branches).filter(|(text, branch)| keeps(text, branch));
        let mut taken: HashSet<String> = kept.map(|(text, _)| text.clone()).collect();
        texts
            .iter()
            .zip(branches)
            .enumerate()
            .map(|(place, (text, branch))| {
                if keeps(text, branch) {
                    return text.clone();
                }
                let own = properties(branch).map(|(name, _)| name).find(|name| owners.get(name) == Some(&1));
                let mut better =
                    own.map_or_else(|| format!("{text} {}", place + 1), |own| format!("{text} with {own}"));
                if !taken.insert(better.clone()) {
                    better = format!("{better} {}", place + 1);
                    taken.insert(better.clone());
                }
                better
            })
            .collect()
    }

    fn variant_text(&self, branch: NodeRef<'d>) -> String {
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
            Some("array") => branch.get("items").map_or_else(
                || "array".to_owned(),
                |items| referred(items).map_or_else(|| "array".to_owned(), |item| format!("{item} array")),
            ),
            Some("object") => properties(branch)
                .find_map(|(_, property)| constant(property))
                .map_or_else(|| "object".to_owned(), str::to_owned),
            Some(kind) => branch.get("format").and_then(Node::as_str).map_or_else(
                || kind.to_owned(),
                |format| match format {
                    "date-time" => "timestamp".to_owned(),
                    "date" | "uuid" => format.to_owned(),
                    _ => kind.to_owned(),
                },
            ),
            None => "variant".to_owned(),
        }
    }
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
