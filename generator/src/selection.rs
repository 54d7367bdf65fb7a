//! The operations that the options choose: `only` and `omit`.

use std::collections::{BTreeSet, HashSet};

use crate::{
    diagnostics::nearest,
    document::{Document, method_fields, operations_of},
    options::{Options, Setting, UnusedSetting},
    tree::{Node, NodeRef},
};

/// The operations that the options choose, and the entries that choose nothing.
#[derive(Debug, Default)]
pub struct Selection {
    /// The path and the method of each operation that is left out.
    left_out: HashSet<(String, String)>,
    /// The tags of operations that are left out.
    tags: HashSet<String>,
    /// Whether to remove what the chosen operations do not reach.
    removes: bool,
    /// The entries that match no operation.
    pub unused: Vec<UnusedSetting>,
}

/// An operation of the document.
#[derive(Clone, Copy)]
pub(crate) struct Candidate<'d> {
    pub path: &'d str,
    pub method: &'d str,
    /// The path item as written under `paths`, which may be a reference.
    pub entry: NodeRef<'d>,
    pub item: NodeRef<'d>,
    /// The operation as written in the path item, which may be a reference.
    written: NodeRef<'d>,
    pub node: NodeRef<'d>,
}

/// An entry of `only` or `omit`, by the kind of its target.
#[derive(Debug, Clone, Copy)]
enum Entry<'o> {
    /// `GET /pets`: one operation.
    Operation(&'o str, &'o str),
    /// `/pets`: the operations of this path and of those below it.
    Path(&'o str),
    /// An `operationId`.
    Id(&'o str),
    /// A tag.
    Tag(&'o str),
}

impl Selection {
    /// Finds the operations that the options choose.
    pub fn read(document: &Document, options: &Options) -> Self {
        if options.only.is_empty() && options.omit.is_empty() {
            return Self::default();
        }
        let candidates: Vec<Candidate<'_>> = candidates(document).collect();
        let mut unused = Vec::new();
        let entries = |texts| -> Vec<(&str, Entry<'_>)> {
            let texts: &[String] = texts;
            texts.iter().map(|text| (text.as_str(), entry(text, &candidates))).collect()
        };
        let (only, omit) = (entries(&options.only), entries(&options.omit));
        let lists = [("only", &only, Setting::Only as fn(usize) -> Setting), ("omit", &omit, Setting::Omit)];
        for (list, entries, setting) in lists {
            for (index, (text, entry)) in entries.iter().enumerate() {
                if !candidates.iter().any(|candidate| entry.matches(candidate)) {
                    let message = format!("unknown {} `{text}` in `{list}`", entry.what());
                    let near = similar(text, &candidates);
                    unused.push(UnusedSetting { setting: setting(index), message, near });
                }
            }
        }
        let matches = |entries: &[(&str, Entry<'_>)], candidate: &Candidate<'_>| {
            entries.iter().any(|(_, entry)| entry.matches(candidate))
        };
        let is_left_out = |candidate: &&Candidate<'_>| {
            !only.is_empty() && !matches(&only, candidate) || matches(&omit, candidate)
        };
        let left: Vec<&Candidate<'_>> = candidates.iter().filter(is_left_out).collect();
        Self {
            left_out: left.iter().map(|it| (it.path.to_owned(), it.method.to_owned())).collect(),
            tags: left.iter().flat_map(|it| tags(it.node)).map(str::to_owned).collect(),
            removes: !options.only.is_empty(),
            unused,
        }
    }

    /// Returns whether the operation with this path and method is chosen.
    pub fn has(&self, path: &str, method: &str) -> bool {
        self.left_out.is_empty() || !self.left_out.contains(&(path.to_owned(), method.to_owned()))
    }

    /// Returns whether an operation that is left out has this tag.
    pub fn leaves_out_tag(&self, tag: &str) -> bool {
        self.tags.contains(tag)
    }

    /// Returns every chosen operation: path, method and node.
    pub(crate) fn operations<'d>(
        &self,
        document: &'d Document,
    ) -> impl Iterator<Item = (&'d str, &'d str, NodeRef<'d>)> {
        operations(document).filter(|(path, method, _)| self.has(path, method))
    }

    /// Removes what the chosen operations do not reach, if the options have `only`.
    pub(crate) fn apply(&self, document: &mut Document) {
        if self.removes {
            document.keep_reached(|document| self.roots(document));
        }
    }

    /// Returns the nodes of the chosen operations, and the names of the security schemes that they need.
    fn roots<'d>(&self, document: &'d Document) -> (Vec<NodeRef<'d>>, BTreeSet<String>) {
        let (mut nodes, mut schemes) = (Vec::new(), BTreeSet::new());
        for candidate in candidates(document).filter(|it| self.has(it.path, it.method)) {
            let Candidate { entry, item, written, node, .. } = candidate;
            nodes.extend([written, node]);
            nodes.extend(item.get("parameters"));
            nodes.extend(entry.get("$ref"));
            if let Some(requirements) = node.get("security").or_else(|| document.root().get("security")) {
                nodes.push(requirements);
                let alternatives = requirements.items().iter().chain([requirements]);
                let names = alternatives.flat_map(Node::entries);
                schemes
                    .extend(names.map(|(name, _)| document.required_scheme(name).unwrap_or(name).to_owned()));
            }
        }
        (nodes, schemes)
    }
}

impl Entry<'_> {
    fn matches(self, candidate: &Candidate<'_>) -> bool {
        match self {
            Self::Operation(method, path) => {
                method.eq_ignore_ascii_case(candidate.method) && path == candidate.path
            }
            Self::Path(path) => {
                let rest = candidate.path.strip_prefix(path.trim_end_matches('/'));
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            }
            Self::Id(id) => id_of(candidate.node) == Some(id),
            Self::Tag(tag) => tags(candidate.node).any(|other| other == tag),
        }
    }

    /// Returns what the entry names, for messages.
    const fn what(self) -> &'static str {
        match self {
            Self::Operation(..) => "operation",
            Self::Path(_) => "path",
            Self::Id(_) | Self::Tag(_) => "operation or tag",
        }
    }
}

/// Parses an entry. An `operationId` has precedence over a tag of the same name.
fn entry<'o>(text: &'o str, candidates: &[Candidate<'_>]) -> Entry<'o> {
    if let Some((method, path)) = text.split_once(' ')
        && (method_fields().any(|known| known.eq_ignore_ascii_case(method)) || path.starts_with('/'))
    {
        return Entry::Operation(method, path.trim());
    }
    if text.starts_with('/') {
        return Entry::Path(text);
    }
    let is_id = candidates.iter().any(|candidate| id_of(candidate.node) == Some(text));
    if is_id { Entry::Id(text) } else { Entry::Tag(text) }
}

/// Returns the operation, tag or path whose name is similar to an entry.
fn similar(text: &str, candidates: &[Candidate<'_>]) -> Option<String> {
    let mut names = BTreeSet::new();
    for Candidate { path, method, node, .. } in candidates {
        names.extend(id_of(node).into_iter().chain(tags(node)).map(str::to_owned));
        names.extend([format!("{method} {path}"), (*path).to_owned()]);
    }
    let text = match text.split_once(' ') {
        Some((method, path)) if path.starts_with('/') => format!("{} {path}", method.to_uppercase()),
        _ => text.to_owned(),
    };
    nearest(&text, names.iter().map(String::as_str)).map(str::to_owned)
}

fn id_of(operation: NodeRef<'_>) -> Option<&str> {
    operation.get("operationId").and_then(Node::as_str)
}

fn tags<'d>(operation: NodeRef<'d>) -> impl Iterator<Item = &'d str> {
    operation.get("tags").map_or(&[][..], Node::items).iter().filter_map(Node::as_str)
}

/// Returns every operation of a document: path, method and node.
pub(crate) fn operations(document: &Document) -> impl Iterator<Item = (&str, &str, NodeRef<'_>)> {
    candidates(document).map(|Candidate { path, method, node, .. }| (path, method, node))
}

/// Returns every operation of the document.
pub(crate) fn candidates(document: &Document) -> impl Iterator<Item = Candidate<'_>> {
    candidates_in(document, "paths")
}

/// Returns every operation of a section: `paths` or `webhooks`.
pub(crate) fn candidates_in<'d>(
    document: &'d Document,
    section: &str,
) -> impl Iterator<Item = Candidate<'d>> {
    let entries = document.field(section).into_iter().flat_map(Node::entries);
    entries.flat_map(move |(path, entry)| {
        let item = resolved(document, entry);
        operations_of(item).map(move |(method, written)| {
            let node = resolved(document, written);
            Candidate { path, method, entry, item, written, node }
        })
    })
}

/// Follows a reference to its final target. Unknown targets are reported elsewhere.
pub(crate) fn resolved<'d>(document: &'d Document, node: NodeRef<'d>) -> NodeRef<'d> {
    document.resolve(node).map_or(node, |resolved| resolved.node)
}

#[cfg(test)]
mod tests;
