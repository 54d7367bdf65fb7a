//! Finds the source locations of diagnostics.

use super::Diagnostic;
use super::frame::Lines;
use crate::diagnostics::{Target, UnlocatedDiagnostic, other_nodes};
use crate::document::{File, Insertion, NodePath, Origins};
use crate::tree::{NodeId, Range};

/// The sort key of a diagnostic: index of its file, range in the text, node without a text.
pub(super) type Order = (usize, Option<Range>, Option<NodeId>);

/// The files of a document.
pub(super) struct Locator<'f> {
    /// The first one is the main one.
    files: &'f [&'f File],
    sources: Vec<Lines<'f>>,
    origins: &'f Origins,
}

impl<'f> Locator<'f> {
    pub(super) fn new(files: &'f [&'f File], origins: &'f Origins) -> Self {
        let sources = files.iter().map(|file| Lines::new(&file.source.text)).collect();
        Self { files, sources, origins }
    }

    /// Returns which action of an overlay added the node of a diagnostic.
    pub(super) fn insertion(&self, diagnostic: &UnlocatedDiagnostic) -> Option<&'f Insertion> {
        self.origins.of(diagnostic.target.id()?)
    }

    /// Locates a diagnostic that occurs this number of times.
    ///
    /// Returns its sort key, and the diagnostic with its source location.
    pub(super) fn locate(&mut self, diagnostic: &UnlocatedDiagnostic, times: usize) -> (Order, Diagnostic) {
        let (file, range) = diagnostic.target.location();
        let path = self.path_to(file, diagnostic.target);
        let node = diagnostic.target.id().filter(|_| path.is_some());
        let mut located = Diagnostic {
            level: diagnostic.level,
            code: diagnostic.code,
            message: diagnostic.message.clone(),
            path: self.name(file),
            range,
            pointer: path.as_ref().map(NodePath::pointer),
            operation: path.as_ref().and_then(NodePath::operation),
            frame: range.and_then(|range| self.sources.get_mut(file)?.frame(range)),
            labels: Vec::new(),
            notes: diagnostic.notes.clone(),
            helps: diagnostic.helps.clone(),
        };
        for (target, text) in &diagnostic.labels {
            self.add_label(&mut located, file, *target, text);
        }
        if let Some(insertion) = self.insertion(diagnostic) {
            self.explain(&mut located, file, insertion, times);
        }
        ((file, range, node), located)
    }

    /// Adds a label, which is a note if it is in another file than the diagnostic.
    fn add_label(&mut self, located: &mut Diagnostic, file: usize, target: Target, text: &str) {
        match target.location() {
            (other, Some(range)) if other == file => {
                let frame = self.sources.get_mut(file).and_then(|lines| lines.frame(range));
                located.labels.extend(frame.map(|frame| (frame, text.to_owned())));
            }
            (other, Some(range)) => {
                let (name, start) = (self.name(other), range.start);
                located.notes.push(format!("{name}:{}:{}: {text}", start.line, start.column));
            }
            (other, None) => {
                let pointer = self.path_to(other, target).map(|path| path.pointer());
                located
                    .notes
                    .extend(pointer.map(|pointer| format!("{}#{pointer}: {text}", self.name(other))));
            }
        }
    }

    /// Adds which action of an overlay added the node, and how many others like it.
    fn explain(&mut self, located: &mut Diagnostic, file: usize, insertion: &Insertion, times: usize) {
        let Insertion { action, target, verb } = *insertion;
        let by = format!("{verb} by this action");
        for (location, text) in [(action, by.as_str()), (target, "the action was applied to this node")] {
            // A document without text has no locations; the note below has the pointer.
            if location.is_some() {
                self.add_label(located, file, Target::Node(NodeId::default(), location), text);
            }
        }
        if times > 1 {
            located.notes.push(format!("the overlay adds the same to {}", other_nodes(times - 1)));
        }
    }

    fn name(&self, file: usize) -> String {
        self.files.get(file).map(|file| file.source.name.clone()).unwrap_or_default()
    }

    /// Returns the path to the node that a diagnostic points at, in the file as it is written.
    ///
    /// A node that an overlay added has its text in the overlay, but is in the main file.
    fn path_to(&self, file: usize, target: Target) -> Option<NodePath<'f>> {
        let id = target.id()?;
        let files = [0, file].into_iter().filter_map(|file| self.files.get(file));
        self.origins.path(files.map(|file| &file.root), id)
    }

    /// Returns whether diagnostics with the same location and message are about one mistake.
    ///
    /// They are if nodes of the document stand for the same node of its text.
    pub(super) fn merges(&self, diagnostic: &UnlocatedDiagnostic) -> bool {
        self.origins.has_copies() || self.insertion(diagnostic).is_some()
    }
}
