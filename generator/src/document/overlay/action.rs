//! Applies one action to a document.

use std::borrow::Cow;

use serde_json_path::JsonPath;

use super::{
    editor::{Editor, Path},
    merge::{conflict, kind},
    origins::Insertion,
    path::missing,
};
use crate::{
    diagnostics::{Code, Diagnostics, other_nodes},
    document::read::DEEPEST,
    tree::{Node, Value},
};

/// An action of an overlay.
pub(super) struct Action<'o> {
    /// The target in the overlay.
    pub at: &'o Node,
    pub target: JsonPath,
    pub change: Change<'o>,
}

/// The effect of an action on the nodes that it selects.
pub(super) enum Change<'o> {
    /// Merges this value into them.
    Update(&'o Node),
    /// Merges the node that the path selects into them. The path is at this node of the overlay.
    Copy(&'o Node, JsonPath),
    Remove,
}

impl Action<'_> {
    /// Applies the action. If that is impossible, reports why, and changes nothing.
    pub fn apply(&self, editor: &mut Editor<'_>, diagnostics: &mut Diagnostics) {
        let targets = editor.select(&self.target);
        if targets.is_empty() {
            let message = "no node of the document matches the target, so the action has no effect";
            let warning = diagnostics.warning(Code::OverlayNoMatch, self.at, message);
            warning.helps.extend(missing(self.at.as_str().unwrap_or_default(), editor));
        }
        let merged = match &self.change {
            Change::Remove if targets.iter().any(Vec::is_empty) => {
                let message = "the root of the document can't be removed";
                diagnostics
                    .error(Code::OverlayConflict, self.at, message)
                    .help("select the fields to remove, such as `$.servers`");
                return;
            }
            Change::Remove => return editor.remove(&targets),
            Change::Update(value) => Merged { value: Cow::Borrowed(value), at: value, verb: "added" },
            Change::Copy(at, path) => match source(editor, at, path, diagnostics) {
                Some(value) => Merged { value: Cow::Owned(value), at, verb: "copied" },
                None => return,
            },
        };
        if self.fits(editor, &targets, &merged, diagnostics) {
            let insertion = Insertion { verb: merged.verb, action: self.at.location(), target: None };
            editor.update(&targets, &merged.value, insertion);
        }
    }

    /// Returns whether a value can be merged into the targets, and reports why not.
    fn fits(
        &self,
        editor: &mut Editor<'_>,
        targets: &[Path],
        merged: &Merged<'_>,
        diagnostics: &mut Diagnostics,
    ) -> bool {
        let nodes = || targets.iter().filter_map(|path| editor.node(path));
        if let Some((one, other)) = of_two_kinds(nodes()) {
            diagnostics
                .error(Code::OverlayConflict, self.at, "the target selects nodes of different kinds")
                .label(one, format!("this is {}", one.kind_name()))
                .label(other, format!("this is {}", other.kind_name()))
                .help(
                    "select only objects, only arrays or only primitive values, with an action for each kind",
                );
            return false;
        }
        let mut conflicts = nodes().filter_map(|target| conflict(target, &merged.value));
        if let Some((target, value)) = conflicts.next() {
            merged.report(target, value, conflicts.count(), diagnostics);
            return false;
        }
        let deepest = targets.iter().map(Vec::len).max().unwrap_or(0);
        if deepest + 1 + merged.value.levels() > DEEPEST {
            let message = "the action would nest values too deeply";
            diagnostics.error(Code::OverlayConflict, self.at, message);
            return false;
        }
        let mut count = 0;
        merged.value.walk(&mut |_| count += 1);
        if !editor.reserve(targets.len().saturating_mul(count)) {
            let message = format!(
                "too many values: the action would add {count} values to each of {} nodes",
                targets.len()
            );
            diagnostics
                .error(Code::OverlayConflict, self.at, message)
                .help("add the value to `components`, and a `$ref` to it to the nodes");
            return false;
        }
        true
    }
}

/// A value that an action merges into its targets.
struct Merged<'o> {
    value: Cow<'o, Node>,
    /// The node of the overlay that has the value, or the path to it.
    at: &'o Node,
    verb: &'static str,
}

impl Merged<'_> {
    /// Reports that a part of the value can't be merged into a node and into this number of others.
    fn report(&self, target: &Node, value: &Node, others: usize, diagnostics: &mut Diagnostics) {
        let is_update = matches!(self.value, Cow::Borrowed(_));
        let message = format!("{} can't be merged into {}", value.kind_name(), target.kind_name());
        let diagnostic =
            diagnostics.error(Code::OverlayConflict, if is_update { value } else { self.at }, message);
        if !is_update {
            diagnostic.label(value, format!("this {} is copied", noun(value)));
        }
        diagnostic.label(target, format!("this is {}", target.kind_name()));
        if others > 0 {
            diagnostic.note(format!("the same is true of {} that the target selects", other_nodes(others)));
        }
        diagnostic.help(match target.value() {
            Value::Object(_) => "write an object with the fields to add or to replace",
            Value::Array(_) => "write an array; its items are added",
            _ => "remove the field with an action before this one, which then adds it anew",
        });
    }
}

/// Returns the kind of a node without an article: `object`.
fn noun(node: &Node) -> &'static str {
    let name = node.kind_name();
    name.split_once(' ').map_or(name, |(_, noun)| noun)
}

/// Returns two nodes of which only one is an object, or only one is an array.
fn of_two_kinds<'n>(mut nodes: impl Iterator<Item = &'n Node>) -> Option<(&'n Node, &'n Node)> {
    let first = nodes.next()?;
    Some((first, nodes.find(|node| kind(node) != kind(first))?))
}

/// Returns the node that an action copies, and reports an error unless the path selects exactly one.
fn source(editor: &Editor<'_>, at: &Node, path: &JsonPath, diagnostics: &mut Diagnostics) -> Option<Node> {
    let paths = editor.select(path);
    let mut nodes = paths.iter().filter_map(|path| editor.node(path));
    match (nodes.next(), nodes.next()) {
        (Some(node), None) => Some(node.clone()),
        (Some(one), Some(other)) => {
            let message = format!("`copy` must select one node, not {}", paths.len());
            diagnostics
                .error(Code::OverlayConflict, at, message)
                .label(one, "this is one of them")
                .label(other, "this is another");
            None
        }
        (None, _) => {
            let error =
                diagnostics.error(Code::OverlayConflict, at, "`copy` selects no node of the document");
            error.helps.extend(missing(at.as_str().unwrap_or_default(), editor));
            None
        }
    }
}
