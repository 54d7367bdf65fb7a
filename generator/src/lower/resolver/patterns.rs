//! Patterns: each one is translated for the engine that runs it.

use crate::{
    diagnostics::Code,
    ir::PatternId,
    lower::{
        position::SchemaPosition,
        resolver::state::{PatternDraft, Resolver},
    },
    patterns::{Lengths, decide},
    tree::NodeRef,
};

impl<'d> Resolver<'d, '_> {
    /// Returns the pattern of a string and the limits of its length, or `None` if it can't be checked.
    pub fn pattern(
        &mut self,
        node: NodeRef<'d>,
        position: &SchemaPosition<'d>,
    ) -> Option<(PatternId, Lengths)> {
        let id = self.pattern_of(node.as_str()?, node, position)?;
        Some((id, self.patterns.get(id.0)?.decision.lengths))
    }

    /// Returns a pattern that is the text or the name of a node, or `None` if it can't be checked.
    pub fn pattern_of(
        &mut self,
        written: &str,
        node: NodeRef<'d>,
        position: &SchemaPosition<'d>,
    ) -> Option<PatternId> {
        if let Some(id) = self.known_patterns.get(&(node.id(), position.module))
            && !position.is_shared
        {
            return Some(*id);
        }
        // The lengths of a name are not checked apart from the pattern.
        let decision = match decide(written, node.as_str().is_some()) {
            Ok(decision) => decision,
            Err(reason) => {
                self.warn(Code::InvalidPattern, node, "invalid or unsupported pattern, which is not checked")
                    .note(reason.to_string());
                return None;
            }
        };
        self.patterns.push(PatternDraft {
            position: position.clone(),
            written: written.to_owned(),
            decision,
        });
        let id = PatternId(self.patterns.len() - 1);
        self.known_patterns.insert((node.id(), position.module), id);
        Some(id)
    }
}
