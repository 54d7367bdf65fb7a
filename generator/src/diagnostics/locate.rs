//! Finds the source locations of diagnostics.

use super::frame::Lines;
use super::pointer::pointer;
use super::{Diagnostic, Place, UnlocatedDiagnostic, other_nodes};
use crate::document::{File, Insertion, Node, NodeId, Origins, Range};

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
        self.origins.of(diagnostic.place.id()?)
    }

    /// Locates a diagnostic that occurs so many times.
    ///
    /// Returns its sort key, and the diagnostic with its source location.
    pub(super) fn locate(&mut self, diagnostic: &UnlocatedDiagnostic, times: usize) -> (Order, Diagnostic) {
        let (file, range) = place_of(diagnostic.place);
        let pointer = self.pointer_to(diagnostic.place);
        let node = diagnostic.place.id().filter(|_| pointer.is_some());
        let mut located = Diagnostic {
            level: diagnostic.level,
            code: diagnostic.code,
            message: diagnostic.message.clone(),
            path: self.name(file),
            range,
            pointer,
            frame: range.and_then(|range| self.sources.get_mut(file)?.frame(range)),
            labels: Vec::new(),
            notes: diagnostic.notes.clone(),
            helps: diagnostic.helps.clone(),
        };
        for (place, text) in &diagnostic.labels {
            self.add_label(&mut located, file, *place, text);
        }
        if let Some(insertion) = self.insertion(diagnostic) {
            self.explain(&mut located, file, insertion, diagnostic.place, times);
        }
        ((file, range, node), located)
    }

    /// Adds a label, which is a note if it is in another file than the diagnostic.
    fn add_label(&mut self, located: &mut Diagnostic, file: usize, place: Place, text: &str) {
        match place_of(place) {
            (other, Some(range)) if other == file => {
                let frame = self.sources.get_mut(file).and_then(|lines| lines.frame(range));
                located.labels.extend(frame.map(|frame| (frame, text.to_owned())));
            }
            (other, Some(range)) => {
                let (name, start) = (self.name(other), range.start);
                located.notes.push(format!("{name}:{}:{}: {text}", start.line, start.column));
            }
            (other, None) => {
                let pointer = self.pointer_to(place);
                located
                    .notes
                    .extend(pointer.map(|pointer| format!("{}#{pointer}: {text}", self.name(other))));
            }
        }
    }

    /// Adds which action of an overlay added the node, and where in the document it is.
    fn explain(
        &mut self,
        located: &mut Diagnostic,
        file: usize,
        insertion: &Insertion,
        place: Place,
        times: usize,
    ) {
        let Insertion { action, target, verb } = *insertion;
        let by = format!("{verb} by this action");
        for (location, text) in [(action, by.as_str()), (target, "the action was applied to this node")] {
            // A document without text has no locations; the note below has the pointer.
            if location.is_some() {
                self.add_label(located, file, Place::Node(NodeId::default(), location), text);
            }
        }
        if let (Some(main), Some(id)) = (self.files.first(), place.id()) {
            let pointer = self.pointer_of(&main.root, id);
            let others = times - 1;
            let more = if others == 0 { String::new() } else { format!(", and at {}", other_nodes(others)) };
            located.notes.push(format!("it is at `#{pointer}` of the document{more}"));
        }
    }

    fn name(&self, file: usize) -> String {
        self.files.get(file).map(|file| file.source.name.clone()).unwrap_or_default()
    }

    /// Returns the JSON pointer of the node that a place refers to, if the node has no text.
    fn pointer_to(&self, place: Place) -> Option<String> {
        let main = self.files.first().filter(|main| !main.has_text && place_of(place).1.is_none())?;
        Some(self.pointer_of(&main.root, place.id()?))
    }

    /// Returns the JSON pointer of a node in the main file as it is written.
    fn pointer_of(&self, root: &Node, id: NodeId) -> String {
        match self.origins.original() {
            Some(original) => pointer(original.root(), original.old(id)),
            None => pointer(root, id),
        }
    }

    /// Returns whether diagnostics with the same location and message are about one mistake.
    ///
    /// They are if nodes of the document stand for the same node of its original.
    pub(super) fn merges(&self, diagnostic: &UnlocatedDiagnostic) -> bool {
        self.origins.original().is_some() || self.insertion(diagnostic).is_some()
    }
}

/// Returns the index of the file and the range that a place refers to.
pub(super) fn place_of(place: Place) -> (usize, Option<Range>) {
    let (file, span) = match place {
        Place::Position(file, start) => return (file, Some(Range { start, length: 1 })),
        Place::File(file) => return (file, None),
        Place::Node(_, Some(location)) => (location.file, location.value),
        Place::Name(_, Some(location)) => (location.file, location.name),
        Place::Node(_, None) | Place::Name(_, None) => return (0, None),
    };
    (file.get(), Some(span.range()))
}
