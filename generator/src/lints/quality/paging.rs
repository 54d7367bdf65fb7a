//! `quality-paging`: lists that select their pages by other parameters than most lists.

use std::collections::{BTreeMap, BTreeSet};

use super::operations::{name_and_location, parameters};
use crate::{
    diagnostics::Code,
    document::Document,
    lints::Linter,
    selection::{candidates, resolved},
    tree::{Node, NodeRef},
};

/// The names of parameters with the number of items on a page, in lower case and without separators.
const SIZES: &[&str] = &[
    "limit",
    "perpage",
    "pagesize",
    "maxresults",
    "pagelimit",
    "resultsperpage",
    "itemsperpage",
    "maxitems",
];

/// The names of parameters that select a page.
const POSITIONS: &[&str] = &[
    "page",
    "pagenumber",
    "pagenum",
    "offset",
    "skip",
    "cursor",
    "pagetoken",
    "nexttoken",
    "startingafter",
    "endingbefore",
    "continuationtoken",
    "pagecursor",
    "nextcursor",
];

/// Further names of such parameters. They have other meanings in operations without a size.
const AMBIGUOUS_POSITIONS: &[&str] = &["after", "before", "start", "marker", "next"];

/// The minimum number of lists that show how the document selects pages.
const MIN_LISTS: usize = 3;

/// The paging parameters of an operation.
#[derive(Default)]
pub(super) struct Paging<'d> {
    sizes: BTreeMap<&'d str, NodeRef<'d>>,
    pub positions: BTreeMap<&'d str, NodeRef<'d>>,
}

/// Reports lists whose parameters for the size or the position of a page differ from those of most lists.
pub(super) fn check(linter: &mut Linter<'_, '_>) {
    let document = linter.document;
    let operations = candidates(document).filter(|operation| operation.method == "GET");
    let lists: Vec<Paging<'_>> =
        operations.map(|operation| paging(document, &parameters(document, &operation))).collect();
    report(linter, "the size of a page is set", lists.iter().map(|list| &list.sizes));
    report(linter, "the page is selected", lists.iter().map(|list| &list.positions));
}

/// Reports the lists whose parameters for this purpose all have other names than those of most lists.
fn report<'a, 'd: 'a>(
    linter: &mut Linter<'d, '_>,
    purpose: &str,
    lists: impl Iterator<Item = &'a BTreeMap<&'d str, NodeRef<'d>>>,
) {
    let lists: Vec<_> = lists.filter(|list| !list.is_empty()).collect();
    let mut counts: BTreeMap<BTreeSet<&str>, usize> = BTreeMap::new();
    for list in &lists {
        *counts.entry(list.keys().copied().collect()).or_default() += 1;
    }
    let Some((usual, count)) = counts.into_iter().max_by_key(|(_, count)| *count) else { return };
    if count < MIN_LISTS || count * 2 <= lists.len() {
        return;
    }
    let usual_names = quoted(usual.iter());
    for list in lists.iter().filter(|list| !list.keys().any(|name| usual.contains(name))) {
        let Some(parameter) = list.values().next() else { continue };
        let names = quoted(list.keys());
        let message =
            format!("{purpose} by {names} here, and by {usual_names} in {count} of {} lists", lists.len());
        if let Some(warning) = linter.warn(Code::QualityPaging, parameter, message) {
            warning.help(format!("use {usual_names} in all lists"));
        }
    }
}

/// Joins names: `` `after` and `before` ``.
fn quoted<'n>(names: impl Iterator<Item = &'n &'n str>) -> String {
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" and ")
}

/// Returns the paging parameters of an operation, by their names.
pub(super) fn paging<'d>(document: &'d Document, parameters: &[NodeRef<'d>]) -> Paging<'d> {
    let query = parameters.iter().filter(|parameter| has_scalar(document, parameter));
    let named = query.filter_map(|parameter| match name_and_location(parameter)? {
        (name, "query") => Some((plain(name), name, parameter.get("name").unwrap_or(parameter))),
        _ => None,
    });
    let names: Vec<(String, &'d str, NodeRef<'d>)> = named.collect();
    let of = |known: &[&str]| -> BTreeMap<&'d str, NodeRef<'d>> {
        let found = names.iter().filter(|(plain, ..)| known.contains(&plain.as_str()));
        found.map(|(_, name, node)| (*name, *node)).collect()
    };
    let sizes = of(SIZES);
    let mut positions = of(POSITIONS);
    if !sizes.is_empty() {
        positions.extend(of(AMBIGUOUS_POSITIONS));
    }
    Paging { sizes, positions }
}

/// Returns a name or a value in lower case and without separators.
pub(super) fn plain(text: &str) -> String {
    text.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase()
}

/// Returns whether a parameter has a scalar value. An object or a boolean with such a name does not select a page.
fn has_scalar(document: &Document, parameter: NodeRef<'_>) -> bool {
    let schema = parameter.get("schema").map(|schema| resolved(document, schema));
    let kind = schema.and_then(|schema| schema.get("type")).and_then(Node::as_str);
    !matches!(kind, Some("object" | "array" | "boolean"))
}
