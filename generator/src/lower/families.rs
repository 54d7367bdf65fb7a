//! Modules: one per tag that is the first tag of an operation.

use std::collections::HashMap;

use crate::{
    document::{Document, Node, NodeRef},
    ir::{Family, FamilyId},
    names,
    options::{Grouping, Options},
    selection::Selection,
};

/// The tag of operations without tags.
const UNTAGGED: &str = "operations";

/// The modules of a document.
#[derive(Debug)]
pub(in crate::lower) struct Families {
    pub list: Vec<Family>,
    by_tag: HashMap<String, FamilyId>,
    grouping: Grouping,
}

impl Families {
    /// Reads the first tags of operations, in the order of `tags`, then of first use.
    pub fn read(document: &Document, options: &Options, selection: &Selection) -> Self {
        let operations = selection.operations(document).filter(|(_, _, operation)| operation.is_object());
        let used: Vec<&str> =
            operations.map(|(path, _, operation)| family_of(options.grouping, path, operation)).collect();
        let mut order: HashMap<&str, usize> = HashMap::new();
        let mut tags = Vec::new();
        let declared = document.root().get("tags").map_or(&[][..], Node::items);
        let carried: std::collections::HashSet<&str> = used.iter().copied().collect();
        let names = declared.iter().filter_map(|tag| tag.get("name").and_then(Node::as_str));
        for tag in names.filter(|tag| carried.contains(tag)).chain(used) {
            order.entry(tag).or_insert_with(|| {
                tags.push(tag);
                tags.len() - 1
            });
        }
        let list: Vec<Family> = names::families(&tags)
            .into_iter()
            .zip(&tags)
            .map(|(names, tag)| Family {
                tag: (*tag).to_owned(),
                module: names.module,
                api_trait: names.api_trait,
                description: description(declared, tag),
                needs: Vec::new(),
            })
            .collect();
        let by_tag =
            tags.iter().enumerate().map(|(place, tag)| ((*tag).to_owned(), FamilyId(place))).collect();
        Self { list, by_tag, grouping: options.grouping }
    }

    /// Returns the module of this tag.
    pub fn find(&self, tag: &str) -> Option<FamilyId> {
        self.by_tag.get(tag).copied()
    }

    /// Returns the module of an operation.
    pub fn of(&self, path: &str, operation: NodeRef<'_>) -> FamilyId {
        self.find(family_of(self.grouping, path, operation)).unwrap_or(FamilyId(0))
    }
}

/// Returns the key that groups operations: the first tag, or a segment of the path.
fn family_of<'d>(grouping: Grouping, path: &'d str, operation: NodeRef<'d>) -> &'d str {
    match grouping {
        Grouping::Tag => tag_of(operation),
        Grouping::Path => path.split('/').find(|segment| is_telling(segment)).unwrap_or(UNTAGGED),
    }
}

/// Returns whether a path segment is specific, unlike `api`, `v1` or `{id}`.
fn is_telling(segment: &str) -> bool {
    let is_version =
        |digits: &str| !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit() || c == '.');
    !segment.is_empty()
        && segment != "api"
        && !segment.contains('{')
        && !segment.strip_prefix('v').is_some_and(is_version)
}

/// Returns the first tag of an operation that is not blank.
fn tag_of(operation: NodeRef<'_>) -> &str {
    let tags = operation.get("tags").map_or(&[][..], Node::items);
    tags.iter().filter_map(Node::as_str).find(|tag| !tag.trim().is_empty()).unwrap_or(UNTAGGED)
}

fn description(declared: &[Node], name: &str) -> Option<String> {
    let tag = declared.iter().find(|tag| tag.get("name").and_then(Node::as_str) == Some(name))?;
    tag.get("description").and_then(Node::as_str).map(str::to_owned)
}
