//! Modules: one per tag that is the first tag of an operation.

use std::collections::HashSet;

use indexmap::IndexSet;

use crate::{
    ir::{Tag, TagId},
    lower::context::Context,
    names,
    options::Grouping,
    renames,
    tree::{Node, NodeRef},
};

/// The tag of operations without tags.
const UNTAGGED: &str = "operations";

/// The modules of a document.
#[derive(Debug)]
pub(in crate::lower) struct Tags {
    pub list: Vec<Tag>,
    /// The names of the tags, in the order of the list.
    names: IndexSet<String>,
    grouping: Grouping,
    /// The tags that only label operations: those of a `kind` other than `nav`.
    labels: HashSet<String>,
}

impl Tags {
    /// Reads the tags or path segments that group operations, in the order of `tags`, then of first use.
    pub fn read(context: &Context<'_, '_>) -> Self {
        let Context { document, options, .. } = context;
        let operations =
            context.selection.operations(document).filter(|(_, _, operation)| operation.is_object());
        let declared = document.root().get("tags").map_or(&[][..], Node::items);
        let labels = labels(declared);
        let used: Vec<&str> = operations
            .map(|(path, _, operation)| group_of(options.grouping, &labels, path, operation))
            .collect();
        let used_set: HashSet<&str> = used.iter().copied().collect();
        let names = declared.iter().filter_map(|tag| tag.get("name").and_then(Node::as_str));
        let tags: IndexSet<&str> = names.filter(|tag| used_set.contains(tag)).chain(used).collect();
        let nodes = renames::tags(document);
        let siblings: Vec<_> =
            tags.iter().map(|tag| (nodes.get(tag).copied().into_iter().collect(), *tag)).collect();
        let list: Vec<Tag> = names::tags(&context.renames.texts(&siblings))
            .into_iter()
            .zip(&tags)
            .map(|(names, tag)| Tag {
                name: (*tag).to_owned(),
                module: names.module,
                api_trait: names.api_trait,
                description: description(declared, tag),
                needs: Vec::new(),
            })
            .collect();
        let names = tags.into_iter().map(str::to_owned).collect();
        Self { list, names, grouping: options.grouping, labels }
    }

    /// Returns the module of this tag.
    pub fn find(&self, tag: &str) -> Option<TagId> {
        self.names.get_index_of(tag).map(TagId)
    }

    /// Returns the module of an operation.
    pub fn of(&self, path: &str, operation: NodeRef<'_>) -> TagId {
        self.find(group_of(self.grouping, &self.labels, path, operation)).unwrap_or(TagId(0))
    }
}

/// Returns the key that groups operations: the first tag, or a segment of the path.
fn group_of<'d>(
    grouping: Grouping,
    labels: &HashSet<String>,
    path: &'d str,
    operation: NodeRef<'d>,
) -> &'d str {
    match grouping {
        Grouping::Tag => tag_of(operation, labels),
        Grouping::Path => path.split('/').find(|segment| is_descriptive(segment)).unwrap_or(UNTAGGED),
    }
}

/// Returns whether a path segment is specific, unlike `api`, `v1` or `{id}`.
fn is_descriptive(segment: &str) -> bool {
    let is_version =
        |digits: &str| !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit() || c == '.');
    !segment.is_empty()
        && segment != "api"
        && !segment.contains('{')
        && !segment.strip_prefix('v').is_some_and(is_version)
}

/// Returns the first tag of an operation that is neither blank nor a label.
fn tag_of<'d>(operation: NodeRef<'d>, labels: &HashSet<String>) -> &'d str {
    let tags = operation.get("tags").map_or(&[][..], Node::items).iter().filter_map(Node::as_str);
    let mut tags = tags.filter(|tag| !tag.trim().is_empty() && !labels.contains(*tag));
    tags.next().unwrap_or(UNTAGGED)
}

/// Returns the names of the tags whose `kind` is not `nav`.
fn labels(declared: &[Node]) -> HashSet<String> {
    let text = |tag: NodeRef<'_>, field: &str| tag.get(field).and_then(Node::as_str).map(str::to_owned);
    let is_label = |tag: &&Node| text(tag, "kind").is_some_and(|kind| kind != "nav");
    declared.iter().filter(is_label).filter_map(|tag| text(tag, "name")).collect()
}

fn description(declared: &[Node], name: &str) -> Option<String> {
    let tag = declared.iter().find(|tag| tag.get("name").and_then(Node::as_str) == Some(name))?;
    let text = tag.get("description").or_else(|| tag.get("summary"));
    text.and_then(Node::as_str).map(str::to_owned)
}
