//! Applies overlays to the main file of a document.
//!
//! An overlay (OpenAPI Overlay Specification 1.1; 1.0 is read the same way) lists actions: update, copy or remove
//! the nodes that a JSONPath selects. An action sees the result of the previous one. References are resolved
//! afterwards, so an overlay changes the main file only.
//!
//! A mistake in an action is fatal, also for lenient callers: an overlay may remove what must not be public. An action
//! that selects nothing is only a warning, because the document may already lack what it removes.

mod action;
mod editor;
mod merge;
mod origins;
mod path;
mod read;
mod repair;

use super::{File, Source, read::most_nodes};
use crate::diagnostics::{Code, Diagnostics};
use crate::tree::NodeId;
use editor::Editor;
pub(crate) use origins::{Insertion, Origins};
#[cfg(feature = "cli")]
pub(super) use repair::is_shorthand;
#[cfg(feature = "cli")]
pub(crate) use repair::quoted_name;

#[cfg(test)]
mod tests;

/// Applies overlays in this order.
///
/// Returns their files, and which nodes they added.
pub(super) fn apply(
    main: &mut File,
    overlays: &[Source],
    diagnostics: &mut Diagnostics,
) -> (Vec<File>, Origins) {
    if overlays.is_empty() {
        return (Vec::new(), Origins::default());
    }
    let mut files: Vec<File> = Vec::with_capacity(overlays.len());
    let mut next = NodeId::TEMPORARY;
    let mut length = main.source.text.len();
    for source in overlays {
        length += source.text.len();
        let file = File::parse(source.clone(), Code::Syntax, files.len() + 1, next, diagnostics);
        next = file.root.last_id().next();
        files.push(file);
    }
    let mut editor = Editor::new(&mut main.root, next, most_nodes(length));
    for file in files.iter().filter(|file| file.error.is_none()) {
        for action in read::read(file, &main.source.name, diagnostics) {
            action.apply(&mut editor, diagnostics);
        }
    }
    let origins = editor.finish();
    if !main.has_text {
        // A label has the id that its node had before.
        diagnostics.remove_labels_without_location();
    }
    (files, origins)
}
